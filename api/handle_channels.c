/* Rings, trees and point-to-point schedules of very many ranks, streamed. */
#include "api/call.h"
#include "api/cluster_work.h"
#include "api/documents.h"

static const char *const types[] = {"application/json", "application/x-ndjson"};
enum { DOCUMENT, LINES, TYPES };

/* Whether the client wants one document or lines; and the plan that is told. */
static enum orr_code begin(struct orr_call *call, size_t *ret_type, struct orr_work **ret_work, struct orr_error *err)
{
    *ret_type = orr_negotiate(orr_call_header(call, "Accept"), types, TYPES);
    if (*ret_type == TYPES) {
        call->problem = ORR_PROBLEM_NOT_ACCEPTABLE;
        orr_fail(err, ORR_INVALID, "none of the types in Accept can be given");
        orr_error_advice(err, "there are application/json and application/x-ndjson");
        return ORR_INVALID;
    }
    call->params.query.plan = true;
    return orr_call_work(call, ret_work, err);
}

enum orr_code orr_handle_channels(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    size_t type;
    struct orr_work *work;
    ORR_TRY(begin(call, &type, &work, err));
    struct orr_stream *stream = orr_channels_stream(work->analysis, type == LINES, &work->shared);
    *ret_answer = stream ? orr_answer_of_stream(200, types[type], stream) : NULL;
    return *ret_answer ? ORR_OK : orr_fail_nomem(err);
}

enum orr_code orr_handle_p2p(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    size_t type;
    struct orr_work *work;
    struct orr_stream *stream;
    ORR_TRY(begin(call, &type, &work, err));
    const struct orr_cluster *cluster = work->cluster ? work->cluster->cluster : NULL;
    enum orr_code code =
        orr_p2p_stream(work->analysis, cluster, &call->params, type == LINES, &work->shared, &stream, err);
    if (code == ORR_SETTING || code == ORR_LIMIT)
        call->problem = ORR_PROBLEM_PARAMETER;
    ORR_TRY(code);
    *ret_answer = orr_answer_of_stream(200, types[type], stream);
    return *ret_answer ? ORR_OK : orr_fail_nomem(err);
}
