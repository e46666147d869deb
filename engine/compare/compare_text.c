/* SPDX-License-Identifier: Apache-2.0 */
/* Describes comparisons in a sentence or two. */
#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/whatif/shown.h"

void orr_comparison_summary(const struct orr_comparison *c, struct orr_text *text)
{
    const struct orr_changes *changes = &c->changes;
    orr_outcomes_say(&changes->outcomes[0], &changes->outcomes[1], text);
    orr_text_puts(text, " ");
    uint32_t hardware = c->unlikes.count - c->unlikes.numbering;
    if (hardware)
        orr_text_printf(text, "The hardware differs in %u respect%s", hardware, orr_plural(hardware));
    else
        orr_text_printf(text, "The same machine%s",
                        c->unlikes.numbering ? ", whose devices have other names or numbers" : "");
    if (!changes->changed) {
        orr_text_puts(text, ". NCCL decides the same for both.");
        return;
    }
    orr_text_printf(text, ". NCCL decides %zu of %zu facts differently%s:", changes->changed, changes->facts,
                    hardware ? "" : ", as its search follows the order of the devices");
    orr_changed_sections(changes, text);
}

uint32_t orr_majority_costliest(const struct orr_majority *m, const struct orr_changes *const *changes)
{
    uint32_t most = UINT32_MAX;
    double change = 0;
    for (uint32_t s = 0; s < m->specimens; s++) {
        const double of_this = changes[s] ? orr_outcomes_most(&changes[s]->outcomes[0], &changes[s]->outcomes[1]) : 0;
        if (of_this <= change)
            continue;
        most = s;
        change = of_this;
    }
    return most;
}

void orr_majority_summary(const struct orr_majority *m, const struct orr_called *called,
                          const struct orr_changes *const *changes, struct orr_text *text)
{
    const uint32_t most = orr_majority_costliest(m, changes);
    uint32_t unlike = 0;
    if (most != UINT32_MAX) {
        const struct orr_called *name = &called[most];
        orr_text_printf(text, "%s: ", name->name && name->name[0] ? name->name : name->topology);
        orr_outcomes_say(&changes[most]->outcomes[0], &changes[most]->outcomes[1], text);
        orr_text_puts(text, " ");
    }
    for (uint32_t s = 0; s < m->specimens; s++)
        unlike += m->deviates[s][0] > 0;
    if (!m->count)
        orr_text_printf(text, "All %u dumps are the same, device by device.", m->hosts);
    else if (!unlike)
        orr_text_printf(text, "All %u dumps have the same hardware; NICs have other names or numbers on some.",
                        m->hosts);
    else
        orr_text_printf(text,
                        "%u of %u distinct dumps %s in hardware from the majority. There %s %u kind%s of machine.",
                        unlike, m->specimens, unlike == 1 ? "differs" : "differ", m->shapes == 1 ? "is" : "are",
                        m->shapes, orr_plural(m->shapes));
}
