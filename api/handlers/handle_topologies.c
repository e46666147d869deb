/* SPDX-License-Identifier: Apache-2.0 */
/* Stored topologies: upload, look at, change, delete. */
#include <stdio.h>
#include <string.h>
#include <time.h>

#include "api/documents/sections.h"
#include "api/handlers/handlers.h"
#include "api/handlers/shapes.h"
#include "engine/base/budget.h"
#include "engine/base/bytes.h"
#include "engine/base/clock.h"
#include "engine/detect/detect.h"

json_t *orr_time_json(struct orr_json *json, int64_t milliseconds)
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
    json_t *links = ORR_OBJECT(json, ORR_VALUE("self", orr_json_format(json, "/v1/topologies/%s", id)));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        orr_json_set(json, links, names[i],
                     orr_json_format(json, "/v1/topologies/%s/%s%s", id, names[i], i == 4 ? ".svg" : ""));
    return links;
}

/* The machine that a stored dump describes and its findings, from the cache or read now. */
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
        size_t length = 0;
        enum orr_code code = orr_store_read(call->app->store, id, &bytes, &length, err);
        if (code == ORR_OK)
            code = orr_input_read(bytes, length, NULL, &dump, err);
        orr_budget_free(bytes, length + 1);
        if (code == ORR_OK) {
            json_t *object = ORR_OBJECT(&json, ORR_VALUE("machine", orr_machine_json(&json, dump)),
                                        ORR_VALUE("findings", orr_finding_counts_json(&json, dump, NULL)),
                                        ORR_VALUE("input", orr_input_json(&json, dump)));
            code = orr_answer_of_json(200, &json, object, &answer, err);
            orr_dump_free(dump);
        }
        orr_cache_end(call->app->cache, key, code == ORR_OK ? &answer->shared : NULL);
        ORR_TRY(code);
    }
    *ret_text = answer;
    return ORR_OK;
}

enum orr_code orr_record_json(struct orr_call *call, struct orr_json *json, const struct orr_record *record,
                              json_t **ret_object, struct orr_error *err)
{
    struct orr_answer *machine = NULL;
    struct orr_error why = {0};
    enum orr_code code = machine_text(call, record->id, &machine, &why);
    if (code == ORR_NOMEM || code == ORR_STORE) {
        if (err)
            *err = why;
        return code;
    }
    json_t *object = orr_json_object(json);
    json_t *labels = json_loads(record->labels, 0, NULL);
    ORR_SET(json, object, ORR_STRING("id", record->id), ORR_STRING("name", record->name));
    orr_json_set(json, object, "labels", labels); /* our own text: only memory can be short */
    ORR_SET(json, object, ORR_VALUE("created", orr_time_json(json, record->created)),
            ORR_VALUE("updated", orr_time_json(json, record->updated)), ORR_INT("size", record->size),
            ORR_STRING("sha256", record->digest));
    if (machine) {
        json_t *known = json_loadb(machine->body, machine->length, 0, NULL);
        if (!known || json_object_update(object, known) < 0)
            json->failed = true;
        json_decref(known);
        orr_shared_give(&machine->shared);
    }
    orr_json_set(json, object, "links", links_json(json, record->id));
    *ret_object = object;
    return ORR_OK;
}

enum orr_code orr_labels_of(struct orr_call *call, json_t *object, struct orr_labels *ret_labels, struct orr_error *err)
{
    const char *name;
    json_t *value;
    struct orr_store_label *pairs = ORR_NEW(call->arena, struct orr_store_label, ORR_MAX_LABELS);
    size_t flags = JSON_COMPACT | JSON_SORT_KEYS, length = json_dumpb(object, NULL, 0, flags);
    char *text = orr_arena_alloc(call->arena, length + 1, 1);
    if (!pairs || !text || !length || json_dumpb(object, text, length, flags) != length)
        return orr_fail_nomem(err);
    text[length] = 0;
    *ret_labels = (struct orr_labels){.text = text, .pairs = pairs};
    json_object_foreach (object, name, value)
        if (ret_labels->count < ORR_MAX_LABELS)
            pairs[ret_labels->count++] = (struct orr_store_label){.name = name, .value = json_string_value(value)};
    return ORR_OK;
}

static json_t *labels_json(const struct orr_params *params, struct orr_json *json)
{
    json_t *labels = orr_json_object(json);
    for (uint32_t i = 0; i < params->label_count; i++) {
        char name[ORR_MAX_LABEL_NAME + 1];
        snprintf(name, sizeof name, "%.*s", (int)params->labels[i].name_length, params->labels[i].name);
        orr_json_set(json, labels, name, orr_json_text(json, params->labels[i].value));
    }
    return labels;
}

static enum orr_code render_record(struct orr_call *call, unsigned status, const struct orr_record *record,
                                   struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    json_t *object;
    if (!orr_request_may(call->request, ORR_SCOPE_READ)) /* a client must not see others' labels of the same dump */
        object = ORR_OBJECT(&json, ORR_STRING("id", record->id));
    else
        ORR_TRY(orr_record_json(call, &json, record, &object, err));
    return orr_answer_of_json(status, &json, object, ret_answer, err);
}

static enum orr_code answer_record(struct orr_call *call, unsigned status, struct orr_answer **ret_answer,
                                   struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_record, record);
    ORR_TRY(orr_store_get(call->app->store, call->id, &record, err));
    return render_record(call, status, &record, ret_answer, err);
}

static enum orr_code precondition_failed(struct orr_call *call, struct orr_error *err)
{
    call->problem = ORR_PROBLEM_PRECONDITION;
    return orr_fail_with(err, ORR_INVALID, NULL, "fetch it again and retry with the new ETag",
                         "%s %s has changed: it does not match If-Match or If-None-Match",
                         call->route->flags & ORR_ROUTE_CLUSTER ? "cluster" : "topology", call->id);
}

enum orr_code orr_call_conditions(struct orr_call *call, const struct orr_answer *answer, struct orr_error *err)
{
    const char *match = orr_call_header(call, "If-Match"), *none_match = orr_call_header(call, "If-None-Match");
    /* The compressed form has its own tag, which means the same state. */
    char zipped[sizeof answer->etag + 8];
    snprintf(zipped, sizeof zipped, "%.*s-gzip\"", (int)strlen(answer->etag) - 1, answer->etag);
    if ((!match || orr_etag_listed(match, answer->etag, false) || orr_etag_listed(match, zipped, false)) &&
        !orr_etag_listed(none_match, answer->etag, true) && !orr_etag_listed(none_match, zipped, true))
        return ORR_OK;
    return precondition_failed(call, err);
}

/* Checks the conditions of a change. *ret_revision: the only revision that may be changed, 0 if any may. */
static enum orr_code check_conditions(struct orr_call *call, int64_t *ret_revision, struct orr_error *err)
{
    const char *match = orr_call_header(call, "If-Match"), *none_match = orr_call_header(call, "If-None-Match");
    ORR_LOCAL_STRUCT(orr_record, record);
    struct orr_answer *answer = NULL;
    *ret_revision = 0;
    if (!match && !none_match)
        return ORR_OK;
    ORR_TRY(orr_store_get(call->app->store, call->id, &record, err));
    enum orr_code code = render_record(call, 200, &record, &answer, err);
    *ret_revision = record.revision;
    ORR_TRY(code);
    code = orr_call_conditions(call, answer, err);
    orr_shared_give(&answer->shared);
    return code;
}

/* The time in milliseconds; a second call in the same millisecond gets the next one, so that lists keep the order of
 * arrival. */
int64_t orr_time_of_arrival(struct orr_app *app)
{
    int64_t now = orr_wall_ms(), last = atomic_load(&app->last_created), next;
    do
        next = now <= last && now > last - 1000 ? last + 1 : now; /* a clock set back is followed */
    while (!atomic_compare_exchange_weak(&app->last_created, &last, next));
    return next;
}

enum orr_code orr_call_keep(struct orr_call *call, const struct orr_dump *dump, const char *bytes, size_t length,
                            bool *ret_existed, struct orr_error *err)
{
    struct orr_json json = {0};
    json_t *machine = orr_machine_json(&json, dump), *labels = labels_json(&call->params, &json);
    char shape[ORR_DIGEST_LENGTH + 1];
    struct orr_upload upload = {
        .id = call->id,
        .digest = call->digest,
        .shape = orr_shape_of(dump, shape) ? shape : call->id,
        .bytes = bytes,
        .size = length,
        .at = orr_time_of_arrival(call->app),
        .name = call->params.name ? call->params.name : "",
        .host = json_string_value(json_object_get(labels, "host")),
        .about = json_string_value(json_object_get(machine, "sentence")),
    };
    enum orr_code code =
        json.failed || !upload.about ? orr_fail_nomem(err) : orr_labels_of(call, labels, &upload.labels, err);
    if (code == ORR_OK)
        code = orr_store_put(call->app->store, &upload, ret_existed, err);
    json_decref(machine);
    json_decref(labels);
    if (code == ORR_OK)
        orr_response_header(call->response, "Location", "/v1/topologies/%s", call->id);
    return code;
}

enum orr_code orr_call_record(struct orr_call *call, struct orr_json *json, json_t **ret_object, struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_record, record);
    if (!orr_request_may(call->request, ORR_SCOPE_READ)) {
        *ret_object = ORR_OBJECT(json, ORR_STRING("id", call->id));
        return ORR_OK;
    }
    ORR_TRY(orr_store_get(call->app->store, call->id, &record, err));
    return orr_record_json(call, json, &record, ret_object, err);
}

/* An agent may only upload dumps of its own host. */
static enum orr_code check_host(struct orr_call *call, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    const char *host = NULL;
    if (orr_request_may(call->request, ORR_SCOPE_WRITE))
        return ORR_OK;
    for (uint32_t i = 0; i < params->label_count; i++)
        if (params->labels[i].name_length == 4 && !memcmp(params->labels[i].name, "host", 4))
            host = params->labels[i].value;
    if (host && !strcmp(host, call->request->grant->host))
        return ORR_OK;
    call->problem = ORR_PROBLEM_FORBIDDEN;
    orr_fail(err, ORR_INVALID, "this token may only upload dumps of the host %.100s", call->request->grant->host);
    orr_error_advice(err, "upload with label=host%%3D%.100s", call->request->grant->host);
    return ORR_INVALID;
}

enum orr_code orr_handle_upload(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_dump, dump);
    bool existed = false;
    ORR_TRY(check_host(call, err));
    ORR_TRY(orr_call_dump(call, NULL, &dump, err));
    enum orr_code code = call->params.strict ? orr_dump_check_strict(dump, err) : ORR_OK;
    if (code == ORR_OK)
        code = orr_call_keep(call, dump, call->body, call->body_length, &existed, err);
    ORR_TRY(code);
    const bool may_know = orr_request_may(call->request, ORR_SCOPE_READ);
    return answer_record(call, existed && may_know ? 200 : 201, ret_answer, err);
}

enum orr_code orr_handle_topology(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return answer_record(call, 200, ret_answer, err);
}

enum orr_code orr_bad_body(struct orr_call *call, const char *what, const char *advice, struct orr_error *err)
{
    call->problem = ORR_PROBLEM_BODY_JSON;
    return orr_fail_with(err, ORR_INVALID, NULL, advice, "%s", what);
}

static enum orr_code bad_patch(struct orr_call *call, struct orr_error *err, const char *what)
{
    return orr_bad_body(call, what, "send {\"name\": TEXT, \"labels\": {NAME: TEXT, ...}}, either or both of the two",
                        err);
}

bool orr_label_is_valid(const char *name, const json_t *value)
{
    return *name && strlen(name) <= ORR_MAX_LABEL_NAME && json_is_string(value) &&
           json_string_length(value) <= ORR_MAX_LABEL_VALUE;
}

static const char *check_patch(json_t *patch)
{
    const char *key;
    json_t *value, *labels = json_object_get(patch, "labels"), *name = json_object_get(patch, "name");
    if (!json_is_object(patch))
        return "the body must be an object";
    json_object_foreach (patch, key, value)
        if (strcmp(key, "name") && strcmp(key, "labels"))
            return "only name and labels can be changed";
    if (!name && !labels)
        return "the body has neither name nor labels";
    if (name && (!json_is_string(name) || json_string_length(name) > ORR_MAX_NAME))
        return "name must be a text of at most 200 bytes";
    if (labels && (!json_is_object(labels) || json_object_size(labels) > ORR_MAX_LABELS))
        return "labels must be an object of at most 32 members";
    json_object_foreach (labels, key, value)
        if (!orr_label_is_valid(key, value))
            return "a label's name may have at most 64 bytes, and its text at most 256";
    return NULL;
}

enum orr_code orr_handle_patch(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    enum { MOST = 65536 };
    if (call->request->body_length > MOST)
        return bad_patch(call, err, "the body is too large");
    json_t *patch;
    enum orr_code code =
        orr_json_parse(call->request->body ? call->request->body : "", call->request->body_length, &patch, err);
    if (code != ORR_OK)
        return code == ORR_INVALID ? bad_patch(call, err, "") : code;
    const char *wrong = check_patch(patch);
    if (wrong) {
        json_decref(patch);
        return bad_patch(call, err, wrong);
    }
    json_t *object = json_object_get(patch, "labels");
    struct orr_labels labels;
    int64_t revision = 0;
    bool done = false;
    code = object ? orr_labels_of(call, object, &labels, err) : ORR_OK;
    if (code == ORR_OK)
        code = check_conditions(call, &revision, err);
    if (code == ORR_OK)
        code = orr_store_update(call->app->store, call->id, revision, json_string_value(json_object_get(patch, "name")),
                                object ? &labels : NULL, &done, err);
    json_decref(patch);
    atomic_fetch_add(&call->app->changes, 1);
    ORR_TRY(code);
    return done ? answer_record(call, 200, ret_answer, err) : precondition_failed(call, err);
}

enum orr_code orr_handle_delete(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    int64_t revision;
    bool done;
    ORR_TRY(check_conditions(call, &revision, err));
    ORR_TRY(orr_store_delete(call->app->store, call->id, revision, &done, err));
    if (!done)
        return precondition_failed(call, err);
    atomic_fetch_add(&call->app->changes, 1);
    orr_cache_forget(call->app->cache, call->id);
    *ret_answer = orr_answer_new(204, NULL, NULL, 0);
    return *ret_answer ? ORR_OK : orr_fail_nomem(err);
}

/* Whether the bytes start as XML does; a matrix, a log or a tar does not. */
static bool is_xml(const char *bytes, size_t length)
{
    const size_t start = orr_bytes_blanks(bytes, length, orr_bytes_mark(bytes, length));
    return start < length && bytes[start] == '<';
}

enum orr_code orr_handle_source(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    char *bytes;
    size_t length;
    ORR_TRY(orr_store_read(call->app->store, call->id, &bytes, &length, err));
    const bool gzip = length > 1 && (unsigned char)bytes[0] == 0x1f && (unsigned char)bytes[1] == 0x8b;
    static const char *const forms[][2] = {{"text/plain", "txt"},
                                           {"application/xml", "xml"},
                                           {"application/x-tar", "tar"},
                                           {"application/gzip", "tar.gz"}};
    const char *const *form = forms[orr_is_tar(bytes, length) ? 2 + gzip : is_xml(bytes, length)];
    *ret_answer = orr_answer_new(200, form[0], bytes, length);
    ORR_NEED(*ret_answer, err);
    (*ret_answer)->keeping = ORR_KEEP_FOREVER;
    orr_response_header(call->response, "Content-Disposition", "attachment; filename=\"topology-%.8s.%s\"", call->id,
                        form[1]);
    return ORR_OK;
}
