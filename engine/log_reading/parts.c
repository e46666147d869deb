/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the content of a text in one line for people. */
#include "engine/log_reading/parts.h"

static void add(struct orr_text *text, uint32_t count, const char *what, const char *plural)
{
    if (count)
        orr_text_printf(text, "%s%u %s%s", text->length ? "; " : "", count, what, count == 1 ? "" : plural);
}

static void add_settings(struct orr_text *text, const struct orr_log *log)
{
    enum { NAMED = 3 };
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->setting_count; i++)
        count += !log->settings[i].varies;
    add(text, count, "setting", "s");
    for (uint32_t i = 0, named = 0; i < log->setting_count && named < NAMED; i++)
        if (!log->settings[i].varies)
            orr_text_printf(text, "%s%s", named++ ? ", " : " (", log->settings[i].name);
    if (count)
        orr_text_puts(text, count > NAMED ? ", ...)" : ")");
}

void orr_log_parts(const struct orr_log *log, struct orr_text *text)
{
    add_settings(text, log);
    add(text, log->lspci_count, "lspci line", "s");
    add(text, log->kinds[ORR_LOG_GID], "show_gids row", "s");
    add(text, log->kinds[ORR_LOG_PORT], "port field", "s");
}
