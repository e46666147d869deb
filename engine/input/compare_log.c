#include "engine/input/compare_log.h"

#include <string.h>

#include "engine/log/tree.h"

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
            return ORR_OK;
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
