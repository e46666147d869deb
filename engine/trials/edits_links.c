/* Changes of PCIe links and NVLinks. */
#include <stdlib.h>

#include "engine/trials/edits.h"

static void narrow(struct orr_variant *variant, struct orr_doc_node *card, int part)
{
    const char *width = orr_doc_get(card, "link_width");
    int lanes = width ? atoi(width) : 0;
    if (lanes / part > 0)
        orr_variant_set_int(variant, card, "link_width", lanes / part);
}

void orr_edit_gpu_links(struct orr_variant *variant, int part)
{
    for (struct orr_doc_node *gpu = NULL; (gpu = orr_variant_next(variant, gpu, "gpu"));)
        narrow(variant, gpu->parent, part);
}

void orr_edit_one_gpu_link(struct orr_variant *variant, int part)
{
    struct orr_doc_node *gpu = orr_variant_next(variant, NULL, "gpu");
    if (gpu)
        narrow(variant, gpu->parent, part);
}

void orr_edit_nic_links(struct orr_variant *variant, int part)
{
    for (struct orr_doc_node *nic = NULL; (nic = orr_variant_next(variant, nic, "nic"));)
        if (orr_doc_is(nic->parent, "pci"))
            narrow(variant, nic->parent, part);
}

static void cut_nvlinks(struct orr_variant *variant, const struct orr_doc_node *gpu, int part)
{
    for (struct orr_doc_node *after, *link = gpu->first; link; link = after) {
        const char *count = orr_doc_is(link, "nvlink") ? orr_doc_get(link, "count") : NULL;
        after = link->after;
        if (count && !part)
            orr_variant_remove(variant, link);
        else if (count && atoi(count) / part > 0)
            orr_variant_set_int(variant, link, "count", atoi(count) / part);
    }
}

void orr_edit_nvlinks(struct orr_variant *variant, int part)
{
    for (struct orr_doc_node *gpu = NULL; (gpu = orr_variant_next(variant, gpu, "gpu"));)
        cut_nvlinks(variant, gpu, part);
}

void orr_edit_one_nvlinks(struct orr_variant *variant, int part)
{
    struct orr_doc_node *gpu = orr_variant_next(variant, NULL, "gpu");
    if (gpu)
        cut_nvlinks(variant, gpu, part);
}
