/* SPDX-License-Identifier: Apache-2.0 */
/* Questions, and the plans that answer them. */
#include <stdlib.h>
#include <string.h>

#include "engine/input/input.h"
#include "library/library.h"

bool orr_question_new(const char *release, struct orr_question **ret_question, struct orr_report *report)
{
    struct orr_error err = {0};
    const struct orr_release *row = release ? orr_release_find(release) : orr_release_default();
    if (!row) {
        orr_fail(&err, ORR_SETTING, "NCCL release \"%.32s\" is not emulated", release);
        orr_error_where(&err, "release");
        orr_error_advice(&err, "orr_library_release() names those that are");
        return orr_library_fail(report, &err);
    }
    struct orr_question *question = calloc(1, sizeof *question);
    if (!question) {
        orr_fail_nomem(&err);
        return orr_library_fail(report, &err);
    }
    question->query.hosts = 1;
    orr_settings_init(&question->query.settings, row);
    *ret_question = question;
    return true;
}

void orr_question_free(struct orr_question *question)
{
    free(question);
}

bool orr_question_hosts(struct orr_question *question, uint32_t hosts, struct orr_report *report)
{
    struct orr_error err = {0};
    if (hosts < 1 || hosts > ORR_MAX_HOSTS) {
        orr_fail(&err, ORR_SETTING, "hosts must be a number from 1 to %d, not %u", (int)ORR_MAX_HOSTS, hosts);
        orr_error_where(&err, "hosts");
        return orr_library_fail(report, &err);
    }
    question->query.hosts = hosts;
    return true;
}

bool orr_question_set(struct orr_question *question, const char *name, const char *value, struct orr_report *report)
{
    struct orr_error err = {0};
    return orr_settings_set(&question->query.settings, name, value, &err) == ORR_OK || orr_library_fail(report, &err);
}

static enum orr_code make(const struct orr_machine *machine, const struct orr_query *query, struct orr_plan *plan,
                          struct orr_error *err)
{
    const struct orr_release *release = query->settings.release;
    plan->machine = machine;
    if (machine->bytes && strcmp(machine->dump->notes->release, release->name) != 0) {
        const struct orr_input_options options = {
            .release = release, .assumed = machine->assumed, .assumed_nics = machine->assumed_nics};
        ORR_TRY(orr_input_read(machine->bytes, machine->length, &options, &plan->dump, err));
    }
    return orr_analyze(plan->dump ? plan->dump : machine->dump, query, NULL, &plan->analysis, err);
}

bool orr_plan_make(const struct orr_machine *machine, const struct orr_question *question, struct orr_plan **ret_plan,
                   struct orr_report *report)
{
    struct orr_error err = {0};
    struct orr_plan *plan = calloc(1, sizeof *plan);
    enum orr_code code = plan ? make(machine, &question->query, plan, &err) : orr_fail_nomem(&err);
    if (code != ORR_OK) {
        orr_plan_free(plan);
        return orr_library_fail(report, &err);
    }
    *ret_plan = plan;
    return true;
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
        orr_analysis_free(plan->analysis);
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
