/* SPDX-License-Identifier: Apache-2.0 */
/* orrery compare: compares two dumps, or several with their majority. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"
#include "engine/cluster/again.h"
#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/input/input.h"
#include "engine/report/answers_text.h"

struct input {
    struct orr_dump *dump;
    struct orr_analysis *analysis;
    char *bytes;
    size_t length;
};

/* A machine type that replaces a file comes last. */
static const char *name_of(const struct orr_options *options, size_t i)
{
    return i < options->file_count ? options->files[i] : options->params.machine->name;
}

/* Reports errors itself; gives an exit status. */
static int read_dump(const struct orr_options *options, size_t i, struct input *input)
{
    const struct orr_params *params = &options->params;
    const bool made = i == options->file_count;
    const char *file = name_of(options, i);
    const struct orr_input_options as = orr_params_input(params);
    struct orr_error err = {0};
    enum orr_code code = made ? orr_input_machine_with(params->machine, params->assumed_nics, &input->dump, &err)
                              : orr_read_input(file, &input->bytes, &input->length, &err);
    if (code == ORR_OK && !made)
        code = orr_input_read(input->bytes, input->length, &as, &input->dump, &err);
    if (code == ORR_OK && params->strict)
        code = orr_dump_check_strict(input->dump, &err);
    if (code == ORR_OK)
        return ORR_EXIT_OK;
    orr_report(orr_input_name(file), &err);
    return ORR_EXIT_INPUT;
}

static void release(struct input *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (inputs[i].analysis)
            orr_analysis_again_free(inputs[i].analysis);
        if (inputs[i].dump)
            orr_dump_free(inputs[i].dump);
        free(inputs[i].bytes);
    }
    free(inputs);
}

static int compare_two(const struct orr_options *options, const struct orr_query *query, struct input *inputs)
{
    struct orr_error err = {0};
    struct orr_json json = {0};
    struct orr_comparison comparison;
    for (int i = 0; i < 2; i++)
        if (orr_analyze_hosts(inputs[i].dump, query, NULL, &inputs[i].analysis, &err) != ORR_OK)
            return orr_report(name_of(options, (size_t)i), &err);
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code =
        arena ? orr_compare(inputs[0].analysis, inputs[1].analysis, arena, &comparison, &err) : orr_fail_nomem(&err);
    const struct orr_called a = {name_of(options, 0), ""}, b = {name_of(options, 1), ""};
    if (code != ORR_OK)
        return orr_report(NULL, &err);
    if (!orr_is_for_people(options))
        return orr_print_json(&json, orr_compare_json(&json, &comparison, &a, &b), options->pretty);
    struct orr_text text;
    struct orr_page page;
    orr_terminal_lines(options, &text, &page);
    orr_report_comparison(&page, &comparison, a.topology, b.topology, options->verbose);
    return orr_terminal_print(&text);
}

/* The first of equal content represents all; the others are counted with it. */
static size_t add_specimen(const struct input *inputs, size_t at, struct orr_specimen *specimens, size_t *firsts,
                           size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (inputs[firsts[i]].length == inputs[at].length &&
            !memcmp(inputs[firsts[i]].bytes, inputs[at].bytes, inputs[at].length)) {
            specimens[i].hosts++;
            return count;
        }
    specimens[count] = (struct orr_specimen){.dump = inputs[at].dump, .hosts = 1};
    firsts[count] = at;
    return count + 1;
}

static enum orr_code decide(const struct orr_query *query, struct input *reference, struct input *input,
                            struct orr_arena *arena, const struct orr_changes **ret_changes, struct orr_error *err)
{
    struct orr_error own = {0}; /* a dump that cannot be analysed is compared without decisions */
    struct orr_comparison *comparison = ORR_NEW(arena, struct orr_comparison, 1);
    ORR_NEED(comparison, err);
    enum orr_code code =
        reference->analysis ? ORR_OK : orr_analyze_hosts(reference->dump, query, NULL, &reference->analysis, &own);
    if (code == ORR_OK)
        code = orr_analyze_hosts(input->dump, query, NULL, &input->analysis, &own);
    if (code == ORR_OK)
        code = orr_compare(reference->analysis, input->analysis, arena, comparison, &own);
    if (code == ORR_OK)
        *ret_changes = &comparison->changes;
    return code == ORR_NOMEM ? orr_fail_nomem(err) : ORR_OK;
}

static int compare_many(const struct orr_options *options, const struct orr_query *query, struct input *inputs)
{
    struct orr_error err = {0};
    struct orr_json json = {0};
    struct orr_majority majority;
    struct orr_set_finding findings[ORR_SET_FINDINGS];
    uint32_t found = 0;
    size_t count = 0, files = options->file_count;
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_specimen *specimens = arena ? ORR_NEW(arena, struct orr_specimen, files) : NULL;
    struct orr_called *called = arena ? ORR_NEW(arena, struct orr_called, files) : NULL;
    const struct orr_changes **changes = arena ? ORR_NEW(arena, const struct orr_changes *, files) : NULL;
    size_t *firsts = arena ? ORR_NEW(arena, size_t, files) : NULL;
    enum orr_code code = specimens && called && firsts && changes ? ORR_OK : orr_fail_nomem(&err);
    for (size_t i = 0; i < files && code == ORR_OK; i++)
        count = add_specimen(inputs, i, specimens, firsts, count);
    for (size_t i = 0; i < count; i++)
        called[i] = (struct orr_called){options->files[firsts[i]], ""};
    if (code == ORR_OK)
        code = orr_majority_find(specimens, (uint32_t)count, arena, &majority, &err);
    if (code == ORR_OK)
        code = orr_majority_findings(&majority, arena, findings, &found, &err);
    for (size_t i = 0; i < count && code == ORR_OK; i++)
        if (i != majority.reference && majority.deviates[i][0] + majority.deviates[i][1])
            code = decide(query, &inputs[firsts[majority.reference]], &inputs[firsts[i]], arena, &changes[i], &err);
    if (code != ORR_OK)
        return orr_report(NULL, &err);
    if (!orr_is_for_people(options))
        return orr_print_json(&json, orr_majority_json(&json, &majority, findings, found, called, NULL, changes),
                              options->pretty);
    struct orr_text text;
    struct orr_page page;
    orr_terminal_lines(options, &text, &page);
    orr_report_majority(&page, &majority, findings, found, called, changes);
    return orr_terminal_print(&text);
}

int orr_command_compare(const struct orr_options *options)
{
    struct orr_query asked = options->params.query;
    const struct orr_query *query = &asked;
    const bool made = options->params.machine && !options->majority;
    size_t least = options->majority ? 3 : 2, count = options->file_count + made;
    asked.apart = true;
    if (options->params.machine && options->majority) {
        fprintf(stderr, "orrery compare: --machine replaces the second dump, and --majority takes files only\n");
        return ORR_EXIT_USAGE;
    }
    if (count < least || (!options->majority && count > 2) || count > ORR_MAX_SET) {
        if (options->majority)
            fprintf(stderr, "orrery compare: --majority needs 3 to %d dumps, not %zu\n", (int)ORR_MAX_SET, count);
        else
            fprintf(stderr, "orrery compare: give two dumps, not %zu; --majority takes more\n", count);
        return ORR_EXIT_USAGE;
    }
    int status = ORR_EXIT_OK;
    struct input *inputs = calloc(count, sizeof *inputs);
    struct orr_error err = {0};
    if (!inputs) {
        orr_fail_nomem(&err);
        return orr_report(NULL, &err);
    }
    for (size_t i = 0; i < count && !status; i++)
        status = read_dump(options, i, &inputs[i]);
    if (!status)
        status = options->majority ? compare_many(options, query, inputs) : compare_two(options, query, inputs);
    release(inputs, count);
    return status;
}
