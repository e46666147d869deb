/* SPDX-License-Identifier: Apache-2.0 */
/* Advice must not repeat what a text has set: a sentence whose assignments ("try NCCL_P2P_DISABLE=1") are all in the
 * text, as settings or in words, is left out. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "engine/symptoms/finding.h"

/* Whether the text has "NCCL_X=1", however it is written. */
static bool has_set(const struct orr_log *log, const char *assignment, size_t length)
{
    char words[96] = " ";
    bool has = false;
    for (uint32_t i = 0; i < log->setting_count && !has; i++) {
        const struct orr_log_setting *setting = &log->settings[i];
        const size_t name = strlen(setting->name), value = strlen(setting->value);
        has = name + 1 + value == length && !strncmp(setting->name, assignment, name) && assignment[name] == '=' &&
              !strncasecmp(setting->value, assignment + name + 1, value);
    }
    for (size_t i = 0; i < length && i < sizeof words - 3; i++)
        words[i + 1] = isalnum((unsigned char)assignment[i]) || assignment[i] == '_'
                           ? (char)tolower((unsigned char)assignment[i])
                           : ' '; /* as in struct orr_log_said */
    strcat(words, " ");
    for (uint32_t i = 0; i < log->said_count && !has; i++)
        has = strstr(log->said[i].words, words) != NULL;
    return has;
}

static bool is_tried(const struct orr_log *log, const char *sentence, size_t length)
{
    static const char prefix[] = "NCCL_", shows[] = "NCCL_DEBUG"; /* which only prints more */
    bool any = false, all = true;
    const char *end = sentence + length;
    for (const char *at = sentence; (at = memmem(at, (size_t)(end - at), prefix, strlen(prefix))); at++) {
        const size_t name = strcspn(at, "= .,;)`"), value = at[name] == '=' ? strcspn(at + name + 1, " .,;:)`") : 0;
        if (!strncmp(at, shows, strlen(shows)))
            continue;
        any |= value > 0;
        all &= value && has_set(log, at, name + 1 + value);
    }
    return any && all;
}

const char *orr_symptom_untried(const struct orr_symptom_finder *f, const char *advice)
{
    static const char check[] = "Check: ";
    const char *kept = "", *at = advice;
    while (*at) {
        const char *end = strstr(at, ". ");
        end = end ? end + 2 : at + strlen(at);
        if (!is_tried(f->log, at, (size_t)(end - at)))
            kept = orr_symptom_text(f, "%s%s%.*s", kept,
                                    at > advice && !kept[0] && !strncmp(advice, check, 7) ? check : "", (int)(end - at),
                                    at);
        at = end;
    }
    return kept;
}
