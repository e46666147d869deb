/* SPDX-License-Identifier: Apache-2.0 */
/* Gives CPUs that the input does not describe the values that the question assumes. NCCL decides P2P and bandwidths by
 * architecture, vendor and model. */
#include <string.h>

#include "engine/input/draft.h"

static const struct {
    const char *word, *arch, *vendor, *family, *model, *text;
} rows[] = {
    {"default", "x86_64", "GenuineIntel", "6", "143", "Intel Sapphire Rapids"},
    {"intel", "x86_64", "GenuineIntel", "6", "143", "Intel Sapphire Rapids"},
    {"amd", "x86_64", "AuthenticAMD", "25", "17", "AMD EPYC (Genoa)"},
    {"zhaoxin", "x86_64", "  Shanghai  ", "7", "91", "Zhaoxin"},
    {"arm", "arm64", NULL, NULL, NULL, "Arm"},
    {"power", "ppc64", NULL, NULL, NULL, "POWER"},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const char *orr_assumed_cpu_word(size_t row)
{
    return row < ROW_COUNT ? rows[row].word : NULL;
}

const char *orr_assumed_cpu_text(size_t row)
{
    return row < ROW_COUNT ? rows[row].text : "";
}

static void suppose(struct orr_draft *draft, struct orr_doc_node *cpu, enum orr_attr attr, const char *value)
{
    const struct orr_attribute *there = orr_doc_attribute(cpu, attr);
    if (there && there->origin != ORR_VALUE_ASSUMED)
        return;
    if (value)
        orr_doc_suppose(&draft->doc, cpu, attr, "%s", value);
    else if (there)
        orr_doc_drop(&draft->doc, cpu, attr);
}

void orr_draft_assume_cpu(struct orr_draft *draft, unsigned row)
{
    for (struct orr_doc_node *cpu = draft->doc.system; row && cpu; cpu = orr_doc_next(cpu, draft->doc.system)) {
        const struct orr_attribute *arch = cpu->kind == ORR_ELEMENT_CPU ? orr_doc_attribute(cpu, ORR_ATTR_ARCH) : NULL;
        if (!arch || arch->origin != ORR_VALUE_ASSUMED)
            continue;
        suppose(draft, cpu, ORR_ATTR_ARCH, rows[row].arch);
        suppose(draft, cpu, ORR_ATTR_VENDOR, rows[row].vendor);
        suppose(draft, cpu, ORR_ATTR_FAMILYID, rows[row].family);
        suppose(draft, cpu, ORR_ATTR_MODELID, rows[row].model);
    }
}
