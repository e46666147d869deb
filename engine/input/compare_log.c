#include "engine/input/compare_log.h"

#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "engine/machines/machine_types.h"
#include "engine/log/tree.h"

enum { MOST_TYPES = 12 }; /* machine types that are listed */

/* Whether a product name holds a word: "NVIDIA H200" has H200, "GH200 480GB" has not. */
static bool has_word(const char *name, const char *word, size_t length)
{
    for (const char *at = name; *at; at++)
        if ((at == name || !isalnum((unsigned char)at[-1])) && !strncasecmp(at, word, length) &&
            !isalnum((unsigned char)at[length]))
            return true;
    return false;
}

/* Boards are called "H100 SXM5", "A100 PCIe" or "RTX PRO 6000". Product names say PCIe or NVL, and not always SXM. */
static bool is_on_board(const char *name, const char *board)
{
    bool is_card = has_word(name, "PCIe", strlen("PCIe")) || has_word(name, "NVL", strlen("NVL"));
    if (is_card != (strstr(board, "PCIe") != NULL))
        return false;
    for (const char *word = board; *word; word += strspn(word, " ")) {
        size_t length = strcspn(word, " ");
        if (strncmp(word, "SXM", 3) != 0 && !has_word(name, word, length))
            return false;
        word += length;
    }
    return true;
}

/* The most GPUs of one host among the lines of nccl-tests about devices, and their name; 0: there are no such lines,
 * or GPUs of several models. */
static uint32_t count_gpus(const struct orr_log *log, const char **ret_name)
{
    uint32_t most = 0;
    const char *name = NULL;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_DEVICE || record->word_count < 3)
            continue;
        if (name && strcmp(name, record->words[2]) != 0)
            return 0;
        name = record->words[2];
        /* A host's devices are numbered from 0, so it has at least one more than the highest number. */
        double device = record->values[record->value_count - 1];
        if (device >= 0 && device < 64 && (uint32_t)device + 1 > most)
            most = (uint32_t)device + 1;
    }
    *ret_name = name;
    return most;
}

/* Adds the machine types that have the log's GPUs to the reason why there is nothing to compare with. None is chosen:
 * types of one GPU model differ in NICs and switches. */
static enum orr_code name_types(const struct orr_log *log, const char **why, struct orr_error *err)
{
    const struct orr_machine_type *type;
    const char *model = NULL;
    uint32_t gpus = count_gpus(log, &model), listed = 0;
    struct orr_text text;
    if (!gpus)
        return ORR_OK;
    orr_text_init(&text, 2048);
    orr_text_printf(&text, "%s; machine types with %u or more %s (--machine TYPE): ", *why, gpus, model);
    for (size_t i = 0; (type = orr_machine_type(i)) && listed < MOST_TYPES; i++)
        if (type->gpus >= gpus && is_on_board(model, type->board->gpu))
            orr_text_printf(&text, "%s%s", listed++ ? ", " : "", type->name);
    if (listed)
        *why = orr_text_failed(&text) ? NULL : orr_arena_strndup(log->arena, text.data, text.length);
    orr_text_release(&text);
    return *why ? ORR_OK : orr_fail_nomem(err);
}

enum orr_code orr_input_compare_log(const struct orr_log *log, const struct orr_dump *dump,
                                    const struct orr_machine_type *assumed, const struct orr_log_question *question,
                                    struct orr_log_check **ret_check, struct orr_dump **ret_own, const char **ret_why,
                                    struct orr_error *err)
{
    const struct orr_input_options options = {.assumed = assumed};
    const char *xml = NULL;
    *ret_check = NULL;
    *ret_own = NULL;
    *ret_why = NULL;
    if (log->rccl) {
        *ret_why = "the job ran RCCL, AMD's library, whose decisions Orrery does not know";
        return ORR_OK;
    }
    if (!dump) {
        ORR_TRY(orr_log_tree_xml(log, log->arena, &xml, ret_why, err));
        if (!xml && !assumed)
            return name_types(log, ret_why, err);
        *ret_why = NULL;
        ORR_TRY(xml ? orr_input_read(xml, strlen(xml), &options, ret_own, err)
                    : orr_input_machine(assumed, ret_own, err));
        dump = *ret_own;
    }
    enum orr_code code = orr_log_compare(log, dump, question, ret_check, err);
    if (code ==
        ORR_NOT_FOUND) { /* the dump is too small: said like a missing machine, as the log tells more than that */
        *ret_why = orr_arena_strndup(log->arena, err->text, strlen(err->text));
        *err = (struct orr_error){0};
        code = *ret_why ? ORR_OK : orr_fail_nomem(err);
        *ret_check = NULL;
    }
    if ((code != ORR_OK || *ret_why) && *ret_own) {
        orr_dump_free(*ret_own);
        *ret_own = NULL;
    }
    return code;
}
