/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps what standard input had, because some commands read their input twice: as a log or as results, then for the
 * machine that the same text describes. */
#include "cli/standard_input.h"

#include <string.h>

#include "engine/base/text.h"
#include "engine/dump/dump.h"

static struct {
    struct orr_text text;
    bool begun, ended, too_long;
} kept;

bool orr_is_standard_input(const char *file)
{
    return !file || !strcmp(file, "-");
}

void orr_standard_input_keep(const char *bytes, size_t length)
{
    if (!kept.begun)
        orr_text_init(&kept.text, orr_dump_default_limits.bytes);
    kept.begun = true;
    if (kept.too_long)
        return;
    orr_text_add(&kept.text, bytes, length);
    kept.too_long = orr_text_failed(&kept.text);
    if (kept.too_long)
        orr_text_release(&kept.text);
}

void orr_standard_input_end(void)
{
    kept.ended = true;
}

bool orr_standard_input_kept(const char **ret_bytes, size_t *ret_length)
{
    if (!kept.begun || !kept.ended || kept.too_long)
        return false;
    *ret_bytes = orr_text_data(&kept.text);
    *ret_length = kept.text.length;
    return true;
}
