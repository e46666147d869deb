/* SPDX-License-Identifier: Apache-2.0 */
/* Plans: what NCCL decides on a machine. */
#include <stdlib.h>
#include <string.h>

#include "engine/cluster/again.h"
#include "engine/input/input.h"
#include "library/library.h"

static enum orr_code make(const struct orr_machine *machine, const struct orr_query *query, struct orr_plan *plan,
                          struct orr_error *err)
{
    const struct orr_release *release = query->settings.release;
    plan->machine = machine;
    if (machine->bytes && strcmp(machine->dump->notes->release, release->name) != 0) {
        const struct orr_input_options options = {.release = release,
                                                  .assumed = machine->assumed,
                                                  .assumed_nics = machine->assumed_nics,
                                                  .assumed_cpu = machine->assumed_cpu};
        ORR_TRY(orr_input_read(machine->bytes, machine->length, &options, &plan->dump, err));
    }
    return orr_analyze_hosts(plan->dump ? plan->dump : machine->dump, query, NULL, &plan->analysis, err);
}

bool orr_plan_ask(const struct orr_machine *machine, const char *parameters, const struct orr_limits *limits,
                  struct orr_plan **ret_plan, struct orr_report *report)
{
    struct orr_error err = {0};
    struct orr_params params;
    enum orr_problem problem = ORR_PROBLEM_NONE;
    orr_limits_begin(limits);
    struct orr_plan *plan = calloc(1, sizeof *plan);
    enum orr_code code = plan ? ORR_OK : orr_fail_nomem(&err);
    if (code == ORR_OK)
        code = orr_library_params(parameters, ORR_TOPICS(ORR_TOPICS_CLUSTER, ORR_TOPIC_HOSTS), &plan->arena, &params,
                                  &problem, &err);
    if (code == ORR_OK && params.strict)
        code = orr_dump_check_strict(machine->dump, &err);
    if (code == ORR_OK)
        code = make(machine, &params.query, plan, &err);
    if (code == ORR_OK && params.strict)
        code = orr_analysis_check_strict(plan->analysis, &err);
    code = orr_limits_end(limits, code, &err);
    if (code != ORR_OK) {
        orr_plan_free(plan);
        return orr_library_fail_as(report, orr_problem_info(problem, code).type, &err);
    }
    *ret_plan = plan;
    return true;
}

void orr_plan_free(struct orr_plan *plan)
{
    if (!plan)
        return;
    if (plan->analysis)
        orr_analysis_again_free(plan->analysis);
    if (plan->dump)
        orr_dump_free(plan->dump);
    orr_arena_free(plan->arena);
    free(plan);
}

bool orr_plan_document(const struct orr_plan *plan, const char *section, const char *topology,
                       const struct orr_limits *limits, struct orr_document **ret_document, struct orr_report *report)
{
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(text, ORR_MAX_ANSWER);
    struct orr_answer *answer = NULL;
    orr_limits_begin(limits);
    enum orr_code code =
        orr_analysis_json(plan->analysis, topology ? topology : plan->machine->id, section, false, &text, &err);
    if (code == ORR_OK)
        code = orr_answer_of_text(200, "application/json", &text, &answer, &err);
    code = orr_limits_end(limits, code, &err);
    if (code == ORR_OK)
        return orr_document_of(answer, ret_document, report);
    if (answer)
        orr_shared_give(&answer->shared);
    return orr_library_fail(report, &err);
}
