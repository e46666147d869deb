/* SPDX-License-Identifier: Apache-2.0 */
/* Rings, trees and point-to-point schedules of very many ranks, streamed. */
#include <stdlib.h>

#include "api/documents/documents.h"
#include "api/handlers/cluster_work.h"
#include "api/handlers/handlers.h"
#include "engine/base/budget.h"

static size_t held_bytes(void)
{
    const struct orr_budget *budget = orr_budget_in_force();
    return budget ? budget->held : 0;
}

/* A stream with the memory charged to it: its own, and that of its analysis, which several streams may share and which
 * the cache may have dropped. */
struct held_stream {
    struct orr_stream stream; /* first */
    struct orr_stream *inner;
    struct orr_app *app;
    struct orr_work *work;
    size_t bytes; /* of its own */
};

static ptrdiff_t read_held(struct orr_stream *stream, char *buffer, size_t size)
{
    struct orr_stream *inner = ((struct held_stream *)stream)->inner;
    return inner->read(inner, buffer, size);
}

static void free_held(struct orr_stream *stream)
{
    struct held_stream *held = (struct held_stream *)stream;
    bool last = atomic_fetch_sub(&held->work->streams, 1) == 1;
    atomic_fetch_sub(&held->app->stream_bytes, held->bytes + (last ? held->work->shared.cost : 0));
    held->inner->free(held->inner);
    orr_shared_give(&held->work->shared);
    free(held);
}

/* Takes ownership of the stream, even on failure. before: bytes in the call's budget before the stream was made. */
static enum orr_code answer_held(struct orr_call *call, struct orr_work *work, struct orr_stream *inner, size_t before,
                                 const char *type, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_app *app = call->app;
    struct held_stream *held = malloc(sizeof *held);
    if (!held) {
        inner->free(inner);
        return orr_fail_nomem(err);
    }
    *held = (struct held_stream){{read_held, free_held}, inner, app, work, sizeof *held + held_bytes() - before};
    orr_shared_take(&work->shared);
    bool first = atomic_fetch_add(&work->streams, 1) == 0;
    size_t more = held->bytes + (first ? work->shared.cost : 0);
    if (atomic_fetch_add(&app->stream_bytes, more) + more > app->stream_most && app->stream_most) {
        free_held(&held->stream);
        return orr_call_deny(call, ORR_DENIED_STREAM_MEMORY, app->stream_most, err);
    }
    *ret_answer = orr_answer_of_stream(200, type, &held->stream);
    return *ret_answer ? ORR_OK : orr_fail_nomem(err);
}

static const char *const types[] = {"application/json", "application/x-ndjson"};
enum { DOCUMENT, LINES, TYPES };

/* Whether the client needs one document or lines; and the plan. */
static enum orr_code begin(struct orr_call *call, size_t *ret_type, struct orr_work **ret_work, struct orr_error *err)
{
    *ret_type = orr_negotiate(orr_call_header(call, "Accept"), types, TYPES);
    if (*ret_type == TYPES) {
        call->problem = ORR_PROBLEM_NOT_ACCEPTABLE;
        orr_fail_with(err, ORR_INVALID, NULL, "available: application/json and application/x-ndjson",
                      "none of the types in Accept is available");
        return ORR_INVALID;
    }
    call->params.query.plan = true;
    return orr_call_work(call, ret_work, err);
}

enum orr_code orr_handle_channels(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    size_t type;
    ORR_LOCAL(orr_work, work);
    ORR_TRY(begin(call, &type, &work, err));
    size_t before = held_bytes();
    orr_shared_take(&work->shared);
    struct orr_stream *stream = orr_channels_stream(work->analysis, type == LINES, &work->shared);
    enum orr_code code =
        stream ? answer_held(call, work, stream, before, types[type], ret_answer, err) : orr_fail_nomem(err);
    return code;
}

enum orr_code orr_handle_p2p(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    size_t type;
    ORR_LOCAL(orr_work, work);
    struct orr_stream *stream;
    ORR_TRY(begin(call, &type, &work, err));
    const struct orr_cluster *cluster = work->analysis->cluster;
    size_t before = held_bytes();
    orr_shared_take(&work->shared);
    enum orr_code code =
        orr_p2p_stream(work->analysis, cluster, &call->params, type == LINES, &work->shared, &stream, err);
    if (code == ORR_SETTING || code == ORR_LIMIT)
        call->problem = ORR_PROBLEM_PARAMETER;
    if (code == ORR_OK)
        code = answer_held(call, work, stream, before, types[type], ret_answer, err);
    return code;
}
