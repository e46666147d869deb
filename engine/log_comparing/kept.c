/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps the other results of a comparison: assumptions about the machine, and likely causes. */
#include <stdarg.h>
#include <string.h>

#include "engine/log_comparing/trial.h"

void orr_log_assume(struct orr_log_check *check, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *kept = orr_arena_vprintf(check->arena, 400, format, args);
    va_end(args);
    if (kept && check->assumed_count < ORR_LOG_ASSUMED)
        check->assumed[check->assumed_count++] = kept;
}

enum orr_code orr_log_keep_cause(struct orr_log_check *check, const struct orr_log_cause *cause, struct orr_error *err)
{
    const char *what = orr_arena_strndup(check->arena, cause->what, strlen(cause->what));
    ORR_NEED(what, err);
    uint32_t at = check->cause_count < ORR_LOG_CAUSES ? check->cause_count++ : ORR_LOG_CAUSES;
    for (; at > check->shown_count && cause->left < check->causes[at - 1].left; at--)
        if (at < ORR_LOG_CAUSES)
            check->causes[at] = check->causes[at - 1];
    if (at < ORR_LOG_CAUSES) {
        check->causes[at] = *cause;
        check->causes[at].what = what;
    }
    return ORR_OK;
}
