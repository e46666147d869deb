/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/report/answers_text.h"

#include <string.h>

#include "engine/machines/machine_types.h"
#include "engine/release/release.h"
#include "engine/release/settings.h"

void orr_report_settings(const struct orr_release *release, struct orr_text *out)
{
    orr_text_printf(out, "Settings that change what Orrery computes for NCCL %s:\n\n", release->name);
    for (int i = 0; i < ORR_SETTING_COUNT; i++) {
        if (!orr_setting_in((enum orr_setting)i, release))
            continue;
        const struct orr_setting_info *info = orr_setting_info((enum orr_setting)i);
        const struct orr_setting_words words = orr_setting_words((enum orr_setting)i, release);
        orr_text_printf(out, "%s\n    %s\n    values: %s (%s); default: %s\n", info->name, info->meaning, words.values,
                        words.outside, words.standard);
    }
}

void orr_report_machine_types(struct orr_text *out)
{
    const struct orr_machine_type *type;
    const char *family = "";
    orr_text_printf(out, "Machine types for --machine and --assume:\n");
    for (size_t i = 0; (type = orr_machine_listed(i)); i++) {
        if (strcmp(family, type->family) != 0)
            orr_text_printf(out, "\n%s\n", type->family);
        family = type->family;
        orr_text_printf(out, "  %-32s %u x %s, %u x %u Gb/s%s%s\n", type->name, type->gpus * orr_machine_trays(type),
                        type->board->gpu, type->nets * orr_machine_trays(type), type->net_mbps / 1000,
                        *type->also ? "; also " : "", type->also);
        if (*type->source)
            orr_text_printf(out, "  %-32s   from %s\n", "", type->source);
        if (*type->unsure)
            orr_text_printf(out, "  %-32s   not certain: %s\n", "", type->unsure);
    }
}
