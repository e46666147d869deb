/* Rings and trees of very many ranks, streamed. */
#include "api/call.h"
#include "api/channels_stream.h"

enum orr_code orr_handle_channels(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    static const char *const types[] = {"application/json", "application/x-ndjson"};
    enum { TYPES = sizeof types / sizeof types[0] };
    size_t type = orr_negotiate(orr_call_header(call, "Accept"), types, TYPES);
    struct orr_work *work;
    if (type == TYPES) {
        call->problem = ORR_PROBLEM_NOT_ACCEPTABLE;
        orr_fail(err, ORR_INVALID, "none of the types in Accept can be given");
        orr_error_advice(err, "there are application/json and application/x-ndjson");
        return ORR_INVALID;
    }
    call->params.query.plan = true;
    ORR_TRY(orr_call_work(call, &work, err));
    struct orr_stream *stream = orr_channels_stream(work->analysis, type == 1, &work->shared);
    *ret_answer = stream ? orr_answer_of_stream(200, types[type], stream) : NULL;
    return *ret_answer ? ORR_OK : orr_fail_nomem(err);
}
