/* SPDX-License-Identifier: Apache-2.0 */
/* GET /v1/events: hosts whose uploads changed, with what changed and what it costs.
 *
 * An upload only leaves a row (api/store), so that it stays fast. The first reader of a row has the two dumps compared,
 * and the result is kept with the row, so that an event without a reader costs nothing. A reader that asks for
 * text/event-stream gets the same events in that form and then the end of the answer. Browsers and libraries ask again
 * by themselves, after the last event that they have seen. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "api/documents/json.h"
#include "api/handlers/drift.h"
#include "api/handlers/fleet.h"

enum { MOST_TEXT = 1 << 20 };

/* The reference host, found for the first event of an answer that needs it and kept for the others. */
struct beside {
    bool known;
    char id[ORR_ID_LENGTH + 1];
};

static bool is_final(enum orr_code code)
{
    return code == ORR_NOMEM || code == ORR_SPENT || code == ORR_STORE;
}

/* The verdicts on the host before and after, compared with the present largest group of all hosts. Analyses are in the
 * cache, so this costs two comparisons. */
static enum orr_code judge(struct orr_call *call, struct orr_json *json, struct beside *beside,
                           struct orr_work *const works[2], json_t **ret_object, struct orr_error *err)
{
    ORR_LOCAL(orr_work, reference);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_comparison comparison;
    struct orr_error own = {0};
    enum orr_fleet_verdict verdicts[2];
    ORR_NEED(arena, err);
    if (!beside->known)
        ORR_TRY(orr_fleet_reference(call, beside->id, err));
    beside->known = true;
    enum orr_code code = orr_fleet_work(call, "since", beside->id, &reference, &own);
    for (unsigned i = 0; i < 2 && !is_final(code); i++) {
        if (code == ORR_OK)
            code = orr_compare(reference->analysis, works[i]->analysis, arena, &comparison, &own);
        verdicts[i] = orr_drift_verdict(code == ORR_OK ? &comparison : NULL);
    }
    if (is_final(code)) {
        *err = own;
        return code;
    }
    *ret_object = ORR_OBJECT(json, ORR_STRING("before", orr_fleet_verdict_name(verdicts[0])),
                             ORR_STRING("after", orr_fleet_verdict_name(verdicts[1])));
    return ORR_OK;
}

/* The change in the form that is kept; changes, cost and verdict are null if one of the dumps was deleted or has no
 * analysis. */
static enum orr_code compare(struct orr_call *call, struct orr_json *json, const struct orr_event *event,
                             struct beside *beside, json_t **ret_detail, struct orr_error *err)
{
    ORR_LOCAL(orr_work, before);
    ORR_LOCAL(orr_work, after);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_comparison comparison;
    struct orr_error own = {0};
    json_t *verdict = NULL;
    ORR_NEED(arena, err);
    enum orr_code code = orr_fleet_work(call, "since", event->before, &before, &own);
    if (code == ORR_OK)
        code = orr_fleet_work(call, "since", event->after, &after, &own);
    if (code == ORR_OK)
        code = orr_compare(before->analysis, after->analysis, arena, &comparison, &own);
    if (code == ORR_OK)
        code = judge(call, json, beside, (struct orr_work *const[2]){before, after}, &verdict, &own);
    call->problem = ORR_PROBLEM_NONE;
    if (is_final(code)) {
        *err = own;
        return code;
    }
    *ret_detail = orr_drift_json(json, code == ORR_OK ? &comparison : NULL, true);
    ORR_SET(json, *ret_detail, ORR_VALUE("verdict", verdict ? verdict : json_null()));
    return ORR_OK;
}

static enum orr_code detail_of(struct orr_call *call, struct orr_json *json, const struct orr_event *event,
                               struct beside *beside, json_t **ret_detail, struct orr_error *err)
{
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    *ret_detail = event->detail[0] ? json_loads(event->detail, 0, NULL) : NULL; /* our own text */
    if (*ret_detail)
        return ORR_OK;
    ORR_TRY(compare(call, json, event, beside, ret_detail, err));
    enum orr_code code = orr_json_write(json, orr_json_again(*ret_detail), false, &text, err);
    if (code != ORR_OK) {
        json_decref(*ret_detail);
        return code;
    }
    struct orr_error ignored = {0}; /* if the database cannot be written to, the next reader does the work again */
    code = orr_store_event_detail(call->app->store, event->sequence, text.data, &ignored);
    (void)code;
    return ORR_OK;
}

static json_t *side_json(struct orr_json *json, const char *id)
{
    return ORR_OBJECT(json, ORR_STRING("topology", id),
                      ORR_VALUE("link", orr_json_format(json, "/v1/topologies/%s", id)));
}

static json_t *sentence_json(struct orr_json *json, const struct orr_event *event, const json_t *detail)
{
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    const json_t *changes = json_object_get(detail, "changes"), *cost = json_object_get(detail, "cost");
    const size_t count = json_array_size(changes) + (size_t)json_integer_value(json_object_get(detail, "left_out"));
    const double before = json_number_value(json_object_get(cost, "before")),
                 after = json_number_value(json_object_get(cost, "after"));
    orr_text_printf(&text, "%s: ", event->host);
    if (before > 0 && fabs(orr_outcome_change(before, after)) >= 0.005)
        orr_text_printf(&text, "AllReduce at 1 GiB on %d hosts gets %.3g instead of %.3g GB/s: ", (int)ORR_DRIFT_HOSTS,
                        after, before);
    if (!changes || json_is_null(changes))
        orr_text_puts(&text, "the dump changed, and Orrery cannot compare it with the one before");
    else if (count)
        orr_text_puts(&text, json_string_value(json_array_get(changes, 0)));
    else
        orr_text_puts(&text, "only names and numbers of devices changed");
    if (count > 1)
        orr_text_printf(&text, ", and %zu more change%s", count - 1, count == 2 ? "" : "s");
    orr_text_puts(&text, ".");
    return orr_json_text_of(json, &text);
}

static enum orr_code event_json(struct orr_call *call, struct orr_json *json, const struct orr_event *event,
                                struct beside *beside, json_t **ret_object, struct orr_error *err)
{
    json_t *detail;
    ORR_TRY(detail_of(call, json, event, beside, &detail, err));
    *ret_object = ORR_OBJECT(
        json, ORR_INT("sequence", event->sequence), ORR_VALUE("at", orr_time_json(json, event->at)),
        ORR_STRING("host", event->host), ORR_VALUE("sentence", sentence_json(json, event, detail)),
        ORR_VALUE("before", side_json(json, event->before)), ORR_VALUE("after", side_json(json, event->after)),
        ORR_VALUE("verdict", json_null())); /* details that older versions kept have none */
    if (!*ret_object || json_object_update(*ret_object, detail) < 0)
        json->failed = true;
    json_decref(detail);
    return ORR_OK;
}

/* Events as Server-Sent Events: a line of data each, as JSON has no line breaks in its compact form. */
static enum orr_code stream_events(struct orr_call *call, const struct orr_event *events, uint32_t count,
                                   struct orr_answer **ret_answer, struct orr_error *err)
{
    enum { AGAIN_MS = 5000 };
    struct beside beside = {0};
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    orr_text_printf(&text, "retry: %d\n\n", (int)AGAIN_MS);
    for (uint32_t i = 0; i < count; i++) {
        struct orr_json json = {0};
        ORR_LOCAL_TEXT(line, MOST_TEXT);
        json_t *object;
        ORR_TRY(event_json(call, &json, &events[i], &beside, &object, err));
        ORR_TRY(orr_json_write(&json, object, false, &line, err));
        orr_text_printf(&text, "id: %lld\nevent: change\ndata: %s\n\n", (long long)events[i].sequence, line.data);
    }
    return orr_answer_of_text(200, "text/event-stream", &text, ret_answer, err);
}

static enum orr_code list_events(struct orr_call *call, const struct orr_event *events, uint32_t count, int64_t since,
                                 struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    json_t *items = orr_json_array(&json), *object = NULL;
    struct beside beside = {0};
    enum orr_code code = ORR_OK;
    for (uint32_t i = 0; i < count && code == ORR_OK; i++) {
        code = event_json(call, &json, &events[i], &beside, &object, err);
        if (code == ORR_OK)
            orr_json_add(&json, items, object);
    }
    if (code != ORR_OK) {
        json_decref(items);
        return code;
    }
    object = ORR_OBJECT(&json, ORR_VALUE("items", items), ORR_INT("next", count ? events[count - 1].sequence : since),
                        ORR_BOOL("more", count == call->params.limit));
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

enum orr_code orr_handle_events(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const char *accept = orr_call_header(call, "Accept"), *last = orr_call_header(call, "Last-Event-ID");
    const bool streams = accept && strstr(accept, "text/event-stream");
    const char *asked = call->params.since ? call->params.since : "0";
    struct orr_event *events;
    uint32_t count;
    int64_t since = 0;
    ORR_TRY(orr_read_since(call, streams && last ? last : asked, &since, err));
    orr_drift_query(&call->params.query);
    ORR_TRY(orr_store_events(call->app->store, since, call->params.host, call->params.limit, &events, &count, err));
    enum orr_code code = streams ? stream_events(call, events, count, ret_answer, err)
                                 : list_events(call, events, count, since, ret_answer, err);
    for (uint32_t i = 0; i < count; i++)
        orr_event_release(&events[i]);
    free(events);
    return code;
}
