/* Stored topologies: upload, list, look at, change, delete. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "api/analysis_json.h"
#include "api/call.h"
#include "api/sections.h"

static json_t *time_json(struct orr_json *json, int64_t milliseconds)
{
    time_t seconds = (time_t)(milliseconds / 1000);
    struct tm tm;
    char text[40];
    if (!gmtime_r(&seconds, &tm) || !strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%S", &tm))
        return json_null();
    return orr_json_format(json, "%s.%03dZ", text, (int)(milliseconds % 1000));
}

static json_t *links_json(struct orr_json *json, const char *id)
{
    static const char *const names[] = {"source", "analysis", "path", "findings", "diagram"};
    json_t *links = orr_json_object(json);
    orr_json_set(json, links, "self", orr_json_format(json, "/v1/topologies/%s", id));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        orr_json_set(json, links, names[i],
                     orr_json_format(json, "/v1/topologies/%s/%s%s", id, names[i], i == 4 ? ".svg" : ""));
    return links;
}

/* What machine a stored dump describes and what was found in it, from the cache or read now. */
static enum orr_code machine_text(struct orr_call *call, const char *id, struct orr_answer **ret_text,
                                  struct orr_error *err)
{
    char key[ORR_ID_LENGTH + 4];
    snprintf(key, sizeof key, "%s|m", id);
    struct orr_answer *answer = (struct orr_answer *)orr_cache_begin(call->app->cache, key);
    if (!answer) {
        struct orr_json json = {0};
        struct orr_dump *dump = NULL;
        char *bytes = NULL;
        size_t length;
        enum orr_code code = orr_store_read(call->app->store, id, &bytes, &length, err);
        if (code == ORR_OK)
            code = orr_dump_read(bytes, length, NULL, &dump, err);
        free(bytes);
        if (code == ORR_OK) {
            json_t *object = orr_json_object(&json);
            orr_json_set(&json, object, "machine", orr_machine_json(&json, dump));
            orr_json_set(&json, object, "findings", orr_finding_counts_json(&json, dump));
            code = orr_answer_of_json(200, &json, object, &answer, err);
            orr_dump_free(dump);
        }
        orr_cache_end(call->app->cache, key, code == ORR_OK ? &answer->shared : NULL);
        ORR_TRY(code);
    }
    *ret_text = answer;
    return ORR_OK;
}

/* A topology as users see it. A dump that can no longer be read is listed all the same, without a machine. */
static json_t *record_json(struct orr_call *call, struct orr_json *json, const struct orr_record *record)
{
    json_t *object = orr_json_object(json);
    json_t *labels = json_loads(record->labels, 0, NULL);
    orr_json_set(json, object, "id", orr_json_text(json, record->id));
    orr_json_set(json, object, "name", orr_json_text(json, record->name));
    orr_json_set(json, object, "labels", labels ? labels : orr_json_object(json));
    orr_json_set(json, object, "created", time_json(json, record->created));
    orr_json_set(json, object, "updated", time_json(json, record->updated));
    orr_json_set(json, object, "size", orr_json_int(json, record->size));
    orr_json_set(json, object, "sha256", orr_json_text(json, record->digest));
    struct orr_answer *machine = NULL;
    if (machine_text(call, record->id, &machine, NULL) == ORR_OK) {
        json_t *known = json_loadb(machine->body, machine->length, 0, NULL);
        if (known && json_object_update(object, known) < 0)
            json->failed = true;
        json_decref(known);
        orr_shared_give(&machine->shared);
    }
    orr_json_set(json, object, "links", links_json(json, record->id));
    return object;
}

static enum orr_code labels_text(const struct orr_params *params, char **ret_text, struct orr_error *err)
{
    struct orr_json json = {0};
    json_t *labels = orr_json_object(&json);
    for (uint32_t i = 0; i < params->label_count; i++) {
        char name[ORR_MAX_LABEL_NAME + 1];
        snprintf(name, sizeof name, "%.*s", (int)params->labels[i].name_length, params->labels[i].name);
        json_t *value = orr_json_text(&json, params->labels[i].value);
        if (labels && value && json_object_set_new(labels, name, value) < 0) {
            json_decref(labels);
            return orr_fail(err, ORR_SETTING, "a label's name is no UTF-8");
        }
    }
    *ret_text = json.failed ? NULL : json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(labels);
    return *ret_text ? ORR_OK : orr_fail_nomem(err);
}

static enum orr_code answer_record(struct orr_call *call, unsigned status, struct orr_answer **ret_answer,
                                   struct orr_error *err)
{
    struct orr_record record;
    struct orr_json json = {0};
    ORR_TRY(orr_store_get(call->app->store, call->id, &record, err));
    json_t *object = record_json(call, &json, &record);
    orr_record_release(&record);
    return orr_answer_of_json(status, &json, object, ret_answer, err);
}

/* Now, in milliseconds; of two within one the later takes the next, so that lists keep the order of arrival. */
static int64_t time_of_arrival(struct orr_app *app)
{
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    int64_t now = (int64_t)clock.tv_sec * 1000 + clock.tv_nsec / 1000000, last = atomic_load(&app->last_created), next;
    do
        next = now <= last && now > last - 1000 ? last + 1 : now; /* a clock set back is followed */
    while (!atomic_compare_exchange_weak(&app->last_created, &last, next));
    return next;
}

enum orr_code orr_handle_upload(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_dump *dump;
    ORR_TRY(orr_call_dump(call, &dump, err));
    enum orr_code code = call->params.strict ? orr_check_strict(dump, err) : ORR_OK;
    orr_dump_free(dump);
    ORR_TRY(code);

    char *labels, *name = strdup(call->params.name ? call->params.name : "");
    if (!name)
        return orr_fail_nomem(err);
    code = labels_text(&call->params, &labels, err);
    if (code != ORR_OK) {
        free(name);
        return code;
    }
    struct orr_record record = {
        .created = time_of_arrival(call->app),
        .size = (int64_t)call->request->body_length,
        .name = name,
        .labels = labels,
    };
    memcpy(record.id, call->id, sizeof record.id);
    memcpy(record.digest, call->digest, sizeof record.digest);
    bool existed;
    code = orr_store_put(call->app->store, &record, call->request->body, &existed, err);
    orr_record_release(&record);
    ORR_TRY(code);
    orr_response_header(call->response, "Location", "/v1/topologies/%s", call->id);
    return answer_record(call, existed ? 200 : 201, ret_answer, err);
}

enum orr_code orr_handle_topology(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return answer_record(call, 200, ret_answer, err);
}

/* A cursor is the place of the last entry of a page: time in hex, "-", id. */
static enum orr_code read_cursor(const char *cursor, struct orr_listing *listing, struct orr_error *err)
{
    unsigned long long created;
    int taken = 0;
    if (!cursor)
        return ORR_OK;
    if (sscanf(cursor, "%16llx-%n", &created, &taken) != 1 || !taken || strlen(cursor + taken) != ORR_ID_LENGTH ||
        !created || created > INT64_MAX) {
        orr_fail(err, ORR_SETTING, "\"%.60s\" is no cursor", cursor);
        orr_error_where(err, "cursor");
        orr_error_advice(err, "take `next` of an earlier page as it stands");
        return ORR_SETTING;
    }
    listing->before_created = (int64_t)created;
    listing->before_id = cursor + taken;
    return ORR_OK;
}

enum orr_code orr_handle_list(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_listing listing = {.limit = call->params.limit + 1, .search = call->params.search};
    struct orr_record *records;
    uint32_t count;
    struct orr_json json = {0};
    call->problem = ORR_PROBLEM_PARAMETER;
    ORR_TRY(read_cursor(call->params.cursor, &listing, err));
    call->problem = ORR_PROBLEM_NONE;
    ORR_TRY(orr_store_list(call->app->store, &listing, &records, &count, err));
    json_t *object = orr_json_object(&json), *items = orr_json_array(&json), *next = json_null();
    for (uint32_t i = 0; i < count && i < call->params.limit; i++)
        orr_json_add(&json, items, record_json(call, &json, &records[i]));
    if (count > call->params.limit) { /* one more was asked for, to know */
        const struct orr_record *last = &records[call->params.limit - 1];
        char cursor[64];
        snprintf(cursor, sizeof cursor, "%llx-%s", (unsigned long long)last->created, last->id);
        next = orr_json_text(&json, cursor);
        if (!call->params.search)
            orr_response_header(call->response, "Link", "</v1/topologies?limit=%u&cursor=%s>; rel=\"next\"",
                                call->params.limit, cursor);
    }
    orr_json_set(&json, object, "items", items);
    orr_json_set(&json, object, "next", next);
    for (uint32_t i = 0; i < count; i++)
        orr_record_release(&records[i]);
    free(records);
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

static enum orr_code bad_patch(struct orr_call *call, struct orr_error *err, const char *what)
{
    call->problem = ORR_PROBLEM_BODY_JSON;
    orr_fail(err, ORR_INVALID, "%s", what);
    orr_error_advice(err, "send {\"name\": TEXT, \"labels\": {NAME: TEXT, ...}}, one of the two or both");
    return ORR_INVALID;
}

static const char *check_patch(json_t *patch)
{
    const char *key;
    json_t *value, *labels = json_object_get(patch, "labels"), *name = json_object_get(patch, "name");
    if (!json_is_object(patch))
        return "an object is expected";
    json_object_foreach (patch, key, value)
        if (strcmp(key, "name") && strcmp(key, "labels"))
            return "only name and labels can be changed";
    if (!name && !labels)
        return "neither name nor labels is there";
    if (name && (!json_is_string(name) || json_string_length(name) > ORR_MAX_NAME))
        return "name must be a text of at most 200 bytes";
    if (labels && (!json_is_object(labels) || json_object_size(labels) > ORR_MAX_LABELS))
        return "labels must be an object of at most 32 members";
    json_object_foreach (labels, key, value)
        if (!*key || strlen(key) > ORR_MAX_LABEL_NAME || !json_is_string(value) ||
            json_string_length(value) > ORR_MAX_LABEL_VALUE)
            return "a label is a text of at most 256 bytes under a name of at most 64";
    return NULL;
}

enum orr_code orr_handle_patch(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    enum { MOST = 65536 };
    json_error_t where;
    if (call->request->body_length > MOST)
        return bad_patch(call, err, "the body is too large");
    json_t *patch = json_loadb(call->request->body ? call->request->body : "", call->request->body_length,
                               JSON_REJECT_DUPLICATES, &where);
    if (!patch) {
        if (json_error_code(&where) == json_error_out_of_memory)
            return orr_fail_nomem(err);
        orr_fail_at(err, ORR_INVALID, where.line > 0 ? (uint32_t)where.line : 0,
                    where.column > 0 ? (uint32_t)where.column : 0, "%.150s", where.text);
        return bad_patch(call, err, "");
    }
    const char *wrong = check_patch(patch);
    if (wrong) {
        json_decref(patch);
        return bad_patch(call, err, wrong);
    }
    json_t *labels = json_object_get(patch, "labels");
    char *text = labels ? json_dumps(labels, JSON_COMPACT | JSON_SORT_KEYS) : NULL;
    enum orr_code code = labels && !text ? orr_fail_nomem(err) : ORR_OK;
    if (code == ORR_OK)
        code =
            orr_store_update(call->app->store, call->id, json_string_value(json_object_get(patch, "name")), text, err);
    free(text);
    json_decref(patch);
    ORR_TRY(code);
    return answer_record(call, 200, ret_answer, err);
}

enum orr_code orr_handle_delete(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_TRY(orr_store_delete(call->app->store, call->id, err));
    orr_cache_forget(call->app->cache, call->id);
    *ret_answer = orr_answer_new(204, NULL, NULL, 0);
    return *ret_answer ? ORR_OK : orr_fail_nomem(err);
}

enum orr_code orr_handle_source(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    char *bytes;
    size_t length;
    ORR_TRY(orr_store_read(call->app->store, call->id, &bytes, &length, err));
    *ret_answer = orr_answer_new(200, "application/xml", bytes, length);
    if (!*ret_answer)
        return orr_fail_nomem(err);
    (*ret_answer)->keeping = ORR_KEEP_FOREVER;
    orr_response_header(call->response, "Content-Disposition", "attachment; filename=\"topology-%.8s.xml\"", call->id);
    return ORR_OK;
}
