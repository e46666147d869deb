/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of sentences that several kinds of explanations use. */

#include "engine/explain/explainer.h"

const char *orr_type_words(struct orr_explainer *e, enum orr_path_type type)
{
    return orr_tell(e, "%s (%s)", orr_path_type_name(type), orr_path_type_meaning(type));
}

const char *orr_level_words(struct orr_explainer *e, const struct orr_decision *decision)
{
    const char *level = orr_path_type_name((enum orr_path_type)decision->level);
    return decision->setting < 0
               ? level
               : orr_tell(e, "%s (%s)", level, orr_setting_source(e, (enum orr_setting)decision->setting));
}

const char *orr_count_words(struct orr_explainer *e, int64_t count, const char *one)
{
    return orr_tell(e, "%lld %s%s", (long long)count, one, orr_plural(count));
}

const char *orr_size_words(struct orr_explainer *e, uint64_t bytes)
{
    static const char *const units[] = {"bytes", "KiB", "MiB", "GiB", "TiB"};
    unsigned unit = 0;
    for (; unit + 1 < sizeof units / sizeof units[0] && bytes >= 1024 && bytes % 1024 == 0; unit++)
        bytes /= 1024;
    return bytes == 1 && !unit ? "1 byte" : orr_tell(e, "%llu %s", (unsigned long long)bytes, units[unit]);
}

const char *orr_capability_words(struct orr_explainer *e, int32_t sm)
{
    return orr_tell(e, "%d.%d", sm / 10, sm % 10);
}
