/* SPDX-License-Identifier: Apache-2.0 */
/* PATCH /v1/topologies: labels of several topologies at once, all of them or none. */
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "api/handlers/handlers.h"
#include "engine/base/sorting.h"

enum { MOST = 1000, MOST_BYTES = 131072 };

static enum orr_code bad_body(struct orr_call *call, const char *what, struct orr_error *err)
{
    return orr_bad_body(
        call, what,
        "send {\"topologies\": [ID, ...], \"labels\": {NAME: TEXT, ...}}; null in place of a text removes the label",
        err);
}

static const char *check_body(json_t *body)
{
    const char *key;
    size_t i;
    json_t *value, *ids = json_object_get(body, "topologies"), *labels = json_object_get(body, "labels");
    if (!json_is_object(body) || json_object_size(body) != 2 || !json_is_array(ids) || !json_is_object(labels))
        return "the body must be an object with topologies and labels";
    if (!json_array_size(ids) || json_array_size(ids) > MOST)
        return "topologies must be an array of 1 to 1000 ids";
    json_array_foreach (ids, i, value)
        if (!json_is_string(value) || !orr_is_id(json_string_value(value)))
            return "the id of a topology has 32 hex digits";
    if (!json_object_size(labels))
        return "labels is empty";
    json_object_foreach (labels, key, value)
        if (!json_is_null(value) && !orr_label_is_valid(key, value))
            return "a label's name may have at most 64 bytes, and its text at most 256";
    return NULL;
}

/* The new labels of a topology, which `objects` keeps. */
static enum orr_code relabel(struct orr_call *call, json_t *changes, json_t *objects, struct orr_relabelling *row,
                             struct orr_error *err)
{
    ORR_LOCAL_STRUCT(orr_record, record);
    const char *key;
    json_t *value;
    ORR_TRY(orr_store_get(call->app->store, row->id, &record, err));
    json_t *labels = json_loads(record.labels, 0, NULL);
    ORR_NEED(labels && !json_array_append_new(objects, labels), err);
    json_object_foreach (changes, key, value)
        if (json_is_null(value))
            json_object_del(labels, key);
        else
            ORR_NEED(!json_object_set(labels, key, value), err);
    if (json_object_size(labels) > ORR_MAX_LABELS) {
        call->problem = ORR_PROBLEM_BODY_JSON;
        return orr_fail_with(err, ORR_INVALID, NULL, "remove some of them in the same request, with null",
                             "topology %s would have more than %d labels", row->id, (int)ORR_MAX_LABELS);
    }
    row->revision = record.revision;
    return orr_labels_of(call, labels, &row->labels, err);
}

/* Sorts the ids and removes duplicates, so that two such requests never wait for each other. */
static uint32_t sort_ids(json_t *ids, const char **ret_ids)
{
    uint32_t count = 0;
    const uint32_t given = (uint32_t)json_array_size(ids);
    for (uint32_t i = 0; i < given; i++)
        ret_ids[i] = json_string_value(json_array_get(ids, i));
    qsort(ret_ids, given, sizeof *ret_ids, orr_by_text);
    for (uint32_t i = 0; i < given; i++)
        if (!i || strcmp(ret_ids[i], ret_ids[count - 1]) != 0)
            ret_ids[count++] = ret_ids[i];
    return count;
}

static enum orr_code relabel_all(struct orr_call *call, json_t *body, uint32_t *ret_count, bool *ret_done,
                                 struct orr_error *err)
{
    const char *ids[MOST];
    const uint32_t count = sort_ids(json_object_get(body, "topologies"), ids);
    struct orr_relabelling *rows = ORR_NEW(call->arena, struct orr_relabelling, count);
    json_t *objects = json_array();
    enum orr_code code = rows && objects ? ORR_OK : orr_fail_nomem(err);
    for (uint32_t i = 0; i < count && code == ORR_OK; i++) {
        memcpy(rows[i].id, ids[i], sizeof rows[i].id);
        code = relabel(call, json_object_get(body, "labels"), objects, &rows[i], err);
    }
    if (code == ORR_OK)
        code = orr_store_relabel(call->app->store, rows, count, ret_done, err);
    json_decref(objects);
    *ret_count = count;
    return code;
}

enum orr_code orr_handle_relabel(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    enum { ATTEMPTS = 5 }; /* each of them met a change by somebody else */
    const struct orr_request *request = call->request;
    struct orr_json json = {0};
    json_t *body;
    uint32_t count = 0;
    bool done = false;
    if (request->body_length > MOST_BYTES)
        return bad_body(call, "the body is too large", err);
    enum orr_code code = orr_json_parse(request->body ? request->body : "", request->body_length, &body, err);
    if (code != ORR_OK)
        return code == ORR_INVALID ? bad_body(call, "", err) : code;
    const char *wrong = check_body(body);
    code = wrong ? bad_body(call, wrong, err) : ORR_OK;
    for (unsigned i = 0; i < ATTEMPTS && code == ORR_OK && !done; i++)
        code = relabel_all(call, body, &count, &done, err);
    json_decref(body);
    atomic_fetch_add(&call->app->changes, 1);
    ORR_TRY(code);
    if (!done)
        return orr_fail_with(err, ORR_STORE, NULL, "try again shortly",
                             "other requests keep changing these topologies");
    return orr_answer_of_json(200, &json, ORR_OBJECT(&json, ORR_INT("topologies", count)), ret_answer, err);
}
