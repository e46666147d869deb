/* NIC ports whose speed and GPUDirect RDMA the input does not contain: what is asked for them, and the note about them.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/input/draft.h"

/* mbps 0: as the reader, or the machine type, assumes. */
static const struct {
    const char *word;
    uint32_t mbps;
    bool no_gdr;
} rows[] = {
    {"default", 0, false},        {"10", 10000, false},         {"25", 25000, false},
    {"50", 50000, false},         {"100", 100000, false},       {"200", 200000, false},
    {"400", 400000, false},       {"800", 800000, false},       {"default-no-gdr", 0, true},
    {"10-no-gdr", 10000, true},   {"25-no-gdr", 25000, true},   {"50-no-gdr", 50000, true},
    {"100-no-gdr", 100000, true}, {"200-no-gdr", 200000, true}, {"400-no-gdr", 400000, true},
    {"800-no-gdr", 800000, true},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const char *orr_assumed_nics_word(size_t row)
{
    return row < ROW_COUNT ? rows[row].word : NULL;
}

static bool is_assumed(const struct orr_draft *draft, uint32_t net, enum orr_attr attr)
{
    const struct orr_draft_attr *there = orr_draft_attr(draft, net, attr);
    return there && there->assumed;
}

/* Ports without GPUDirect RDMA are no RDMA ports, and keep the speed of theirs. */
static void fill(struct orr_draft *draft, uint32_t net, unsigned row)
{
    const bool rdma = atoi(orr_draft_get(draft, net, ORR_ATTR_GDR)) != 0;
    if (rows[row].mbps && (rdma || rows[row].no_gdr) && is_assumed(draft, net, ORR_ATTR_SPEED))
        orr_draft_suppose(draft, net, ORR_ATTR_SPEED, "%u", rows[row].mbps);
    if (rows[row].no_gdr && is_assumed(draft, net, ORR_ATTR_GDR))
        orr_draft_suppose(draft, net, ORR_ATTR_GDR, "0");
}

/* A port that `other` has as well: only the first of those that are alike is said. */
static bool alike(const struct orr_draft *draft, uint32_t net, uint32_t other)
{
    return is_assumed(draft, other, ORR_ATTR_SPEED) &&
           !strcmp(orr_draft_get(draft, net, ORR_ATTR_SPEED), orr_draft_get(draft, other, ORR_ATTR_SPEED)) &&
           !strcmp(orr_draft_get(draft, net, ORR_ATTR_GDR), orr_draft_get(draft, other, ORR_ATTR_GDR));
}

void orr_draft_assume_nics(struct orr_draft *draft, unsigned row)
{
    uint32_t said[4], groups = 0;
    for (uint32_t i = 0; i < draft->count; i++)
        if (draft->nodes[i].kind == ORR_ELEMENT_NET && !draft->nodes[i].removed)
            fill(draft, i, row);
    for (uint32_t i = 0; i < draft->count && groups < 4; i++) {
        bool before = false;
        uint32_t ports = 0;
        if (draft->nodes[i].kind != ORR_ELEMENT_NET || draft->nodes[i].removed || !is_assumed(draft, i, ORR_ATTR_SPEED))
            continue;
        for (uint32_t k = 0; k < groups; k++)
            before |= alike(draft, i, said[k]);
        for (uint32_t k = i; k < draft->count && !before; k++)
            ports += draft->nodes[k].kind == ORR_ELEMENT_NET && !draft->nodes[k].removed && alike(draft, i, k);
        if (before)
            continue;
        said[groups++] = i;
        orr_note_assumed(draft, ORR_TOUCHES_BANDWIDTH | ORR_TOUCHES_GDR, "%u NIC port%s %s %g Gb/s, %s GPUDirect RDMA",
                         ports, ports == 1 ? "" : "s", ports == 1 ? "has" : "have",
                         atoi(orr_draft_get(draft, i, ORR_ATTR_SPEED)) / 1000.0,
                         atoi(orr_draft_get(draft, i, ORR_ATTR_GDR)) ? "with" : "without");
        draft->notes.assumed_nics += ports;
    }
}
