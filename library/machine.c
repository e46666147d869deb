/* SPDX-License-Identifier: Apache-2.0 */
/* Machines: inputs that were read. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/store/store.h"
#include "engine/input/input.h"
#include "library/library.h"

_Static_assert((int)ORR_INPUT_ID_LENGTH == (int)ORR_ID_LENGTH + 1, "the header says so");

enum orr_code orr_library_params(const char *parameters, orr_topics accepted, struct orr_arena **ret_arena,
                                 struct orr_params *ret_params, enum orr_problem *ret_problem, struct orr_error *err)
{
    memset(ret_params, 0, sizeof *ret_params);
    *ret_problem = ORR_PROBLEM_NONE;
    *ret_arena = orr_arena_new(0);
    return *ret_arena ? orr_params_read(parameters, accepted, *ret_arena, ret_params, ret_problem, err)
                      : orr_fail_nomem(err);
}

/* Keeps the bytes if releases read them into different dumps. */
static enum orr_code keep(struct orr_machine *machine, const char *bytes, size_t length, struct orr_error *err)
{
    if (!machine->dump->notes || !machine->dump->notes->release)
        return ORR_OK;
    machine->bytes = malloc(length);
    machine->length = length;
    ORR_NEED(machine->bytes, err);
    memcpy(machine->bytes, bytes, length);
    return ORR_OK;
}

static enum orr_code read_as(struct orr_machine *machine, const char *bytes, size_t length,
                             const struct orr_params *params, enum orr_problem *ret_problem, struct orr_error *err)
{
    const struct orr_input_options options = orr_params_input(params);
    char text[128];
    if (params->machine && length) {
        *ret_problem = ORR_PROBLEM_PARAMETER;
        return orr_fail_with(err, ORR_SETTING, "machine", NULL,
                             "machine replaces the input, but there is an input as well");
    }
    if (params->machine) { /* the text that orr_input_read() knows as a type, so that the type has one id */
        length = (size_t)snprintf(text, sizeof text, "machine type: %s\n", params->machine->name);
        bytes = text;
    }
    char digest[ORR_DIGEST_LENGTH + 1];
    orr_sha256(bytes, length, digest);
    memcpy(machine->id, digest, ORR_ID_LENGTH);
    machine->assumed = params->assumed;
    machine->assumed_nics = params->assumed_nics;
    machine->assumed_cpu = params->assumed_cpu;
    ORR_TRY(orr_input_read(bytes, length, &options, &machine->dump, err));
    if (params->strict)
        ORR_TRY(orr_dump_check_strict(machine->dump, err));
    return keep(machine, bytes, length, err);
}

bool orr_machine_load(const void *bytes, size_t length, const char *parameters, const struct orr_limits *limits,
                      struct orr_machine **ret_machine, struct orr_report *report)
{
    struct orr_error err = {0};
    struct orr_params params;
    struct orr_arena *arena = NULL;
    enum orr_problem problem = ORR_PROBLEM_NONE;
    orr_limits_begin(limits);
    struct orr_machine *machine = calloc(1, sizeof *machine);
    enum orr_code code = machine ? ORR_OK : orr_fail_nomem(&err);
    if (code == ORR_OK)
        code = orr_library_params(parameters,
                                  ORR_TOPICS(ORR_TOPIC_READING, ORR_TOPIC_RELEASE, ORR_TOPIC_STRICT, ORR_TOPIC_MACHINE),
                                  &arena, &params, &problem, &err);
    if (code == ORR_OK)
        code = read_as(machine, bytes ? bytes : "", length, &params, &problem, &err);
    orr_arena_free(arena);
    code = orr_limits_end(limits, code, &err);
    if (code != ORR_OK) {
        orr_machine_free(machine);
        return orr_library_fail_as(report, orr_problem_info(problem, code).type, &err);
    }
    *ret_machine = machine;
    return true;
}

void orr_machine_free(struct orr_machine *machine)
{
    if (!machine)
        return;
    if (machine->dump)
        orr_dump_free(machine->dump);
    free(machine->bytes);
    free(machine);
}

const char *orr_machine_id(const struct orr_machine *machine)
{
    return machine->id;
}

bool orr_machine_refused(const struct orr_machine *machine, struct orr_report *report)
{
    const struct orr_refusal *refusal = &machine->dump->refusal;
    struct orr_error err = {0};
    if (!refusal->line)
        return false;
    orr_fail_at(&err, ORR_REFUSED, refusal->line, refusal->column, "%s", refusal->text);
    orr_library_fail(report, &err);
    return true;
}
