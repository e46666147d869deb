/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_machine/compare_log.h"

#include <string.h>

#include "engine/base/text.h"
#include "engine/log_comparing/survey.h"

/* The reason why there is no machine to compare with, and the machine types that fit the log's lines. */
static const char *name_types(const struct orr_log *log, const char *why, const struct orr_log_machine *machine)
{
    enum { TEXT_MOST = 2048 };
    ORR_LOCAL_TEXT(text, TEXT_MOST);
    orr_text_puts(&text, why);
    if (!machine->fits_in_all && machine->telling) {
        orr_text_puts(&text, "; no machine type that Orrery knows fits the log: ");
        for (uint32_t i = 0; i < machine->clue_count; i++)
            orr_text_printf(&text, "%sline %u: %s", i ? "; " : "", machine->clues[i].line, machine->clues[i].says);
    }
    if (machine->fit_count)
        orr_text_printf(&text, "; %u machine type%s. Which one is it (--machine TYPE)? ", machine->fits_in_all,
                        machine->fits_in_all == 1 ? " fits" : "s fit");
    for (uint32_t i = 0; i < machine->fit_count; i++)
        orr_text_printf(&text, "%s%s", i ? ", " : "", machine->fits[i]->name);
    if (machine->fits_in_all > machine->fit_count)
        orr_text_printf(&text, " and %u more", machine->fits_in_all - machine->fit_count);
    if (machine->open[0])
        orr_text_printf(&text, "; these lines would decide: %s", machine->open);
    const char *kept = orr_text_copy(&text, log->arena);
    return kept;
}

/* The machine that the log prints, or that a type describes; NULL, with the reason in *why, if there is none. */
static enum orr_code make_machine(const struct orr_log *log, const struct orr_machine_type *assumed, unsigned nics,
                                  struct orr_log_question *question, struct orr_log_compared *compared,
                                  struct orr_error *err)
{
    const struct orr_input_options options = {.assumed = assumed, .assumed_nics = nics};
    struct orr_dump *tree = NULL;
    ORR_TRY(orr_log_tree_dump(log, 0, &tree, &compared->why, err));
    if (tree)
        return orr_input_take(tree, &options, &compared->own, err);
    if (!assumed) {
        ORR_TRY(orr_log_machine_find(log, &compared->machine, err));
        assumed = compared->machine.type;
        question->assumed = compared->machine.assumed;
        question->assumed_count = compared->machine.assumed_count;
    }
    compared->why = assumed ? NULL : name_types(log, compared->why, &compared->machine);
    if (!assumed)
        return compared->why ? ORR_OK : orr_fail_nomem(err);
    return orr_input_machine_with(assumed, nics, &compared->own, err);
}

enum orr_code orr_input_compare_log(const struct orr_log *log, const struct orr_dump *dump,
                                    const struct orr_machine_type *assumed, unsigned nics,
                                    const struct orr_log_question *question, struct orr_log_compared *ret_compared,
                                    struct orr_error *err)
{
    struct orr_log_question asked = *question;
    struct orr_log_compared compared = {.machine.open = ""};
    enum orr_code code = ORR_OK;
    if (question->communicator != UINT32_MAX && question->communicator >= log->communicator_count)
        return orr_fail_with(
            err, ORR_SETTING, NULL, "they are numbered from 0; without a number all of them are compared",
            "communicator %u is not in the log, which has %u", question->communicator, log->communicator_count);
    if (log->rccl)
        compared.why = "the job ran RCCL, AMD's library, whose decisions Orrery does not know";
    else if (!dump)
        code = make_machine(log, assumed, nics, &asked, &compared, err);
    if (code == ORR_OK && !compared.why)
        code = orr_log_compare(log, dump ? dump : compared.own, &asked, &compared.check, err);
    if (code == ORR_OK && compared.check)
        code = orr_log_survey(compared.check, dump ? dump : compared.own, &asked, err);
    if (code == ORR_NOT_FOUND) { /* the machine is too small: reported like a missing machine, because the log shows
                                  * more */
        compared.why = orr_arena_strndup(log->arena, err->text, strlen(err->text));
        *err = (struct orr_error){0};
        code = compared.why ? ORR_OK : orr_fail_nomem(err);
    }
    if (code != ORR_OK && compared.check)
        orr_log_check_free(compared.check);
    if (code != ORR_OK || compared.why) {
        orr_dump_free(compared.own);
        compared.own = NULL;
    }
    *ret_compared = code == ORR_OK ? compared : (struct orr_log_compared){.machine.open = ""};
    return code;
}

void orr_log_compared_release(struct orr_log_compared *compared)
{
    if (compared->check)
        orr_log_check_free(compared->check);
    orr_dump_free(compared->own);
}
