/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_machine/log_machine.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/log_machine/log_clues.h"

/* Whether two types give the same prediction, with the same certainty. */
static bool are_alike(const struct orr_machine_type *a, const struct orr_machine_type *b)
{
    return a->board == b->board && a->gpus == b->gpus && a->nets == b->nets && !strcmp(a->net_name, b->net_name) &&
           a->net_mbps == b->net_mbps && a->net_gdr == b->net_gdr && a->places == b->places &&
           !strcmp(a->arch, b->arch) && !strcmp(a->cpu_vendor, b->cpu_vendor) && a->cpu_family == b->cpu_family &&
           a->cpu_model == b->cpu_model && !strcmp(a->unsure, b->unsure);
}

/* Whether the lines say enough about the machine to list types: more than the number of GPUs. */
static bool is_enough(const struct orr_clue *clues)
{
    for (size_t r = 0; r < ORR_MACHINE_CLUES; r++)
        if (clues[r].line && !orr_clue_rows[r].weak)
            return true;
    return false;
}

/* Fills in the types that fit every line. */
static void find_fitting(const struct orr_clue *clues, struct orr_log_machine *machine)
{
    const struct orr_machine_type *type;
    for (size_t i = 0; (type = orr_machine_type(i)); i++) {
        bool fits = true;
        for (size_t r = 0; r < ORR_MACHINE_CLUES; r++)
            fits &= !clues[r].line || orr_clue_rows[r].fits(type, &clues[r]);
        if (!fits)
            continue;
        if (machine->fit_count < ORR_MACHINE_FITS)
            machine->fits[machine->fit_count++] = type;
        machine->fits_in_all++;
    }
}

/* The missing lines that would decide between the types. */
static const char *find_open(const struct orr_log *log, const struct orr_clue *clues,
                             const struct orr_log_machine *machine)
{
    char text[300] = "";
    for (size_t r = 0; r < ORR_MACHINE_CLUES; r++) {
        bool differ = false;
        for (uint32_t i = 1; i < machine->fit_count && orr_clue_rows[r].differ && !clues[r].line; i++)
            differ |= orr_clue_rows[r].differ(machine->fits[0], machine->fits[i]);
        if (differ)
            snprintf(text + strlen(text), sizeof text - strlen(text), "%s%s", text[0] ? "; " : "",
                     orr_clue_rows[r].would_decide);
    }
    return orr_arena_strndup(log->arena, text, strlen(text));
}

static void assume(const struct orr_log *log, struct orr_log_machine *machine, const struct orr_text *text)
{
    const char *kept = orr_text_copy(text, log->arena);
    if (kept && machine->assumed_count < ORR_MACHINE_ASSUMED)
        machine->assumed[machine->assumed_count++] = kept;
}

/* Notes why the type is assumed, and which of its facts are not certain. */
static void explain(const struct orr_log *log, struct orr_log_machine *machine)
{
    enum { SAID_MOST = 1500 };
    ORR_LOCAL_TEXT(text, SAID_MOST);
    orr_text_printf(&text, "The machine is assumed to be a %s", machine->type->name);
    for (uint32_t i = 1; i < machine->fit_count; i++)
        orr_text_printf(&text, "%s%s", i == 1 ? ", or a type that is described alike (" : ", ", machine->fits[i]->name);
    orr_text_printf(&text, "%s, because no topology was given and no other known type fits the log: ",
                    machine->fit_count > 1 ? ")" : "");
    for (uint32_t i = 0; i < machine->clue_count; i++)
        orr_text_printf(&text, "%sline %u: %s", i ? "; " : "", machine->clues[i].line, machine->clues[i].says);
    assume(log, machine, &text);
    text.length = 0;
    const char *made_up = orr_machine_type_made_up(machine->type);
    orr_text_printf(&text, "%c%s. The job's own topology (NCCL_TOPO_DUMP_FILE) replaces this assumption",
                    toupper((unsigned char)made_up[0]), made_up + 1);
    assume(log, machine, &text);
    text.length = 0;
    if (machine->type->unsure[0]) {
        orr_text_printf(&text, "Not certain for this type: %s", machine->type->unsure);
        assume(log, machine, &text);
    }
}

enum orr_code orr_log_machine_find(const struct orr_log *log, struct orr_log_machine *ret_machine,
                                   struct orr_error *err)
{
    struct orr_clue *clues = ORR_NEW(log->arena, struct orr_clue, ORR_MACHINE_CLUES);
    bool own = false, kept = true, alike = true;
    *ret_machine = (struct orr_log_machine){.open = ""};
    ORR_NEED(clues, err);
    for (size_t r = 0; r < ORR_MACHINE_CLUES; r++) {
        orr_clue_rows[r].read(log, &clues[r]);
        if (!clues[r].line)
            continue;
        own |= clues[r].own;
        const char *says = orr_arena_strndup(log->arena, clues[r].says, strlen(clues[r].says));
        kept &= says != NULL;
        ret_machine->clues[ret_machine->clue_count++] = (struct orr_machine_clue){clues[r].line, says ? says : ""};
    }
    ret_machine->telling = is_enough(clues);
    if (ret_machine->telling)
        find_fitting(clues, ret_machine);
    for (uint32_t i = 1; i < ret_machine->fit_count; i++)
        alike &= are_alike(ret_machine->fits[0], ret_machine->fits[i]);
    if (ret_machine->fit_count && alike && own && ret_machine->fits_in_all == ret_machine->fit_count) {
        ret_machine->type = ret_machine->fits[0];
        explain(log, ret_machine);
        kept &= ret_machine->assumed_count >= 2;
    } else if (ret_machine->fit_count > 1) {
        ret_machine->open = find_open(log, clues, ret_machine);
        kept &= ret_machine->open != NULL;
    }
    return kept ? ORR_OK : orr_fail_nomem(err);
}
