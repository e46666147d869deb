/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a log with the prediction for a stored topology, or for the machine that the log itself prints. */
#include "api/documents/documents.h"
#include "api/handlers/handlers.h"
#include "engine/log_machine/compare_log.h"
#include "engine/release/release_names.h"
#include "engine/triage/triage.h"

/* The stored dump. Other inputs are turned into one by the rules of the release that the log is compared with. */
static enum orr_code read_kept(struct orr_call *call, const struct orr_log *log, struct orr_dump **ret_dump,
                               struct orr_error *err)
{
    bool exact;
    uint32_t version = orr_log_version(log, NULL);
    const struct orr_release *of_log = version ? orr_release_nearest(version, &exact) : NULL;
    return orr_call_dump(call, orr_given(&call->params, ORR_ASK_RELEASE) ? NULL : of_log, ret_dump, err);
}

static enum orr_code answer_log(struct orr_call *call, bool kept, struct orr_answer **ret_answer, struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    const struct orr_log_question question = orr_params_log(params);
    ORR_LOCAL(orr_log, log);
    ORR_LOCAL_STRUCT(orr_log_compared, compared);
    ORR_LOCAL(orr_dump, dump);
    struct orr_triage triage;
    struct orr_json json = {0};
    if (!call->request->body_length) {
        call->problem = ORR_PROBLEM_BODY_EMPTY;
        return orr_fail_with(err, ORR_UNRECOGNISED, NULL,
                             "curl --data-binary @job.log sends a file; NCCL_DEBUG=INFO "
                             "NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH,TUNING,NET makes NCCL print it",
                             "the request needs an NCCL log as its body");
    }
    ORR_TRY(orr_log_read_any(call->request->body, call->request->body_length, &log, err));
    ORR_TRY(kept              ? read_kept(call, log, &dump, err)
            : params->machine ? orr_input_machine_with(params->machine, params->assumed_nics, &dump, err)
                              : orr_call_beside(call, &dump, err));
    ORR_TRY(orr_input_compare_log(log, dump, params->assumed, params->assumed_nics, &question, &compared, err));
    ORR_TRY(orr_triage_make(log, compared.check, log->arena, &triage, err));
    return orr_answer_of_json(200, &json, orr_log_json(&json, log, &compared, &triage), ret_answer, err);
}

enum orr_code orr_handle_log(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return answer_log(call, false, ret_answer, err);
}

enum orr_code orr_handle_topology_log(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return answer_log(call, true, ret_answer, err);
}
