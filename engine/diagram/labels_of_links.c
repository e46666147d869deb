/* SPDX-License-Identifier: Apache-2.0 */
/* Labels and titles of links. */
#include "engine/diagram/labels.h"

/* The end of a link, in either direction, whose uplink it is; ORR_NO_NODE if there is none. */
static uint32_t lower_end(const struct orr_labels *labels, uint32_t link)
{
    const struct orr_link *at = &labels->system->links[link];
    if (labels->uplinks[at->from].link == link)
        return at->from;
    return labels->parent[at->to] == at->from && labels->uplinks[at->to].link != ORR_NO_LINK &&
                   labels->system->links[labels->uplinks[at->to].link].type == at->type
               ? at->to
               : ORR_NO_NODE;
}

const struct orr_slower *orr_label_degraded(const struct orr_labels *labels, uint32_t link)
{
    static const enum orr_slower_kind kinds_of[ORR_LINK_TYPE_COUNT] = {[ORR_LINK_PCI] = ORR_SLOWER_PCIE,
                                                                       [ORR_LINK_NET] = ORR_SLOWER_PORT,
                                                                       [ORR_LINK_C2C] = ORR_SLOWER_C2C,
                                                                       [ORR_LINK_NVL] = ORR_SLOWER_NVLINK};
    const struct orr_system *system = labels->system;
    const struct orr_link *at = &system->links[link];
    uint32_t node = lower_end(labels, link);
    if (at->type == ORR_LINK_C2C || at->type == ORR_LINK_NVL) {
        node = orr_is_gpu(system->nodes[at->from].type) ? at->from : at->to;
        uint32_t other = at->from == node ? at->to : at->from;
        if (at->type == ORR_LINK_NVL && system->nodes[other].type != ORR_NVS)
            return NULL;
    } else if (at->type != ORR_LINK_PCI && at->type != ORR_LINK_NET) {
        return NULL;
    }
    return node == ORR_NO_NODE ? NULL : labels->uplinks[node].slower[kinds_of[at->type]];
}

static const struct {
    const char *class, *name;
} link_kinds[ORR_LINK_TYPE_COUNT] = {
    [ORR_LINK_LOC] = {"link loc", "local"},     [ORR_LINK_NVL] = {"link nvl", "NVLink"},
    [ORR_LINK_C2C] = {"link c2c", "C2C"},       [ORR_LINK_PCI] = {"link pci", "PCIe"},
    [ORR_LINK_SYS] = {"link sys", "inter-CPU"}, [ORR_LINK_NET] = {"link net", "port"},
};

const char *orr_label_link(const struct orr_labels *labels, uint32_t link, float font, float width)
{
    const struct orr_link *at = &labels->system->links[link];
    struct orr_drawing *drawing = labels->drawing;
    const char *bw = orr_label_bw(drawing, at->bw);
    const char *mark = orr_label_degraded(labels, link) ? "\xe2\x9a\xa0 " : "";
    uint32_t low = at->type == ORR_LINK_PCI ? lower_end(labels, link) : ORR_NO_NODE;
    const char *pcie = low == ORR_NO_NODE ? NULL : orr_label_pcie(drawing, labels->uplinks[low].card);
    const char *wordings[3];
    if (pcie) {
        wordings[0] = orr_drawing_text(drawing, "%s%s \xc2\xb7 %s", mark, pcie, bw);
        wordings[1] = orr_drawing_text(drawing, "%s%s", mark, pcie);
    } else {
        wordings[0] = orr_drawing_text(drawing, "%s%s %s", mark, link_kinds[at->type].name, bw);
        wordings[1] = orr_drawing_text(drawing, "%s%s", mark, bw);
    }
    wordings[2] = orr_drawing_text(drawing, "%s%.3g", mark, (double)at->bw);
    for (int i = 0; i < 2; i++)
        if (orr_text_width(wordings[i], font) <= width)
            return wordings[i];
    return wordings[2];
}

const char *orr_label_exception(const struct orr_labels *labels, uint32_t link, float font, float width)
{
    const struct orr_link *at = &labels->system->links[link];
    return orr_label_is_usual(labels, at) && !orr_label_degraded(labels, link)
               ? NULL
               : orr_label_link(labels, link, font, width);
}

const char *orr_label_usual(const struct orr_labels *labels)
{
    static const enum orr_link_type types[] = {ORR_LINK_PCI, ORR_LINK_NVL, ORR_LINK_C2C, ORR_LINK_SYS};
    const char *text = "";
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (labels->usual[types[i]] > 0)
            text = orr_drawing_text(labels->drawing, "%s%s%s %.3g", text, *text ? ", " : "", link_kinds[types[i]].name,
                                    (double)labels->usual[types[i]]);
    return text;
}

const char *orr_label_link_title(const struct orr_labels *labels, uint32_t link)
{
    const struct orr_system *system = labels->system;
    const struct orr_link *at = &system->links[link];
    struct orr_drawing *drawing = labels->drawing;
    const char *title =
        orr_drawing_text(drawing, "%s %s to %s: %s", link_kinds[at->type].name, orr_label_id(labels, at->from),
                         orr_label_id(labels, at->to), orr_label_bw(drawing, at->bw));
    if (at->reverse != ORR_NO_LINK && system->links[at->reverse].bw != at->bw)
        title = orr_drawing_text(drawing, "%s, back %s", title, orr_label_bw(drawing, system->links[at->reverse].bw));
    uint32_t low = at->type == ORR_LINK_PCI ? lower_end(labels, link) : ORR_NO_NODE;
    const char *pcie = low == ORR_NO_NODE ? NULL : orr_label_pcie(drawing, labels->uplinks[low].card);
    if (pcie)
        title = orr_drawing_text(drawing, "%s, PCIe %s", title, pcie);
    const struct orr_slower *degraded = orr_label_degraded(labels, link);
    return degraded ? orr_drawing_text(drawing, "%s%s", title, orr_label_slower(labels, degraded)) : title;
}

const char *orr_label_link_class(const struct orr_labels *labels, uint32_t link)
{
    const char *class = link_kinds[labels->system->links[link].type].class;
    return orr_label_degraded(labels, link) ? orr_drawing_text(labels->drawing, "%s degraded", class) : class;
}
