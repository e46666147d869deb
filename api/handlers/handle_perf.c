/* SPDX-License-Identifier: Apache-2.0 */
/* Judges results of nccl-tests, for a stored topology, a machine type, or the machine that the results show. */
#include "api/documents/documents.h"
#include "api/handlers/handlers.h"
#include "engine/input/input.h"
#include "engine/perf/perf.h"

static enum orr_code answer_perf(struct orr_call *call, bool kept, struct orr_answer **ret_answer,
                                 struct orr_error *err)
{
    const struct orr_params *params = &call->params;
    struct orr_perf_question question;
    ORR_LOCAL(orr_results, results);
    ORR_LOCAL(orr_perf_check, check);
    ORR_LOCAL(orr_dump, dump);
    struct orr_json json = {0};
    if (!call->request->body_length) {
        call->problem = ORR_PROBLEM_BODY_EMPTY;
        return orr_fail_with(
            err, ORR_UNRECOGNISED, NULL,
            "curl --data-binary @results.txt sends a file; ./all_reduce_perf -b 8 -e 8G -f 2 makes one",
            "the request needs results of nccl-tests as its body");
    }
    ORR_TRY(orr_params_perf(params, &question, err));
    ORR_TRY(orr_results_read((const char *)call->request->body, call->request->body_length, NULL, &results, err));
    enum orr_code code = kept              ? orr_call_dump(call, NULL, &dump, err)
                         : params->machine ? orr_input_machine_with(params->machine, params->assumed_nics, &dump, err)
                                           : orr_call_beside(call, &dump, err);
    question.dump = dump;
    question.dump_name = !kept && params->machine ? params->machine->name : NULL;
    if (code == ORR_OK)
        code = orr_perf_judge(results, &question, &check, err);
    if (code == ORR_OK)
        code = orr_answer_of_json(200, &json, orr_perf_json(&json, results, check), ret_answer, err);
    return code;
}

enum orr_code orr_handle_perf(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return answer_perf(call, false, ret_answer, err);
}

enum orr_code orr_handle_topology_perf(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    return answer_perf(call, true, ret_answer, err);
}
