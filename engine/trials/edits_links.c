/* Changes of PCIe links and NVLinks. */
#include <stdlib.h>

#include "engine/trials/edits.h"

static void narrow(struct orr_variant *variant, struct orr_doc_node *card, int part)
{
    const char *width = orr_doc_get(card, ORR_ATTR_LINK_WIDTH);
    int lanes = width ? atoi(width) : 0;
    if (lanes / part > 0)
        orr_variant_set_int(variant, card, ORR_ATTR_LINK_WIDTH, lanes / part);
}

void orr_edit_gpu_links(struct orr_variant *variant, int part)
{
    for (struct orr_doc_node *gpu = NULL; (gpu = orr_variant_next(variant, gpu, ORR_ELEMENT_GPU));)
        narrow(variant, gpu->parent, part);
}

void orr_edit_one_gpu_link(struct orr_variant *variant, int part)
{
    struct orr_doc_node *gpu = orr_variant_next(variant, NULL, ORR_ELEMENT_GPU);
    if (gpu)
        narrow(variant, gpu->parent, part);
}

void orr_edit_nic_links(struct orr_variant *variant, int part)
{
    for (struct orr_doc_node *nic = NULL; (nic = orr_variant_next(variant, nic, ORR_ELEMENT_NIC));)
        if (nic->parent->kind == ORR_ELEMENT_PCI)
            narrow(variant, nic->parent, part);
}

static void cut_nvlinks(struct orr_variant *variant, const struct orr_doc_node *gpu, int part)
{
    for (struct orr_doc_node *after, *link = gpu->first; link; link = after) {
        const char *count = link->kind == ORR_ELEMENT_NVLINK ? orr_doc_get(link, ORR_ATTR_COUNT_) : NULL;
        after = link->after;
        if (count && !part)
            orr_variant_remove(variant, link);
        else if (count && atoi(count) / part > 0)
            orr_variant_set_int(variant, link, ORR_ATTR_COUNT_, atoi(count) / part);
    }
}

void orr_edit_nvlinks(struct orr_variant *variant, int part)
{
    for (struct orr_doc_node *gpu = NULL; (gpu = orr_variant_next(variant, gpu, ORR_ELEMENT_GPU));)
        cut_nvlinks(variant, gpu, part);
}

void orr_edit_one_nvlinks(struct orr_variant *variant, int part)
{
    struct orr_doc_node *gpu = orr_variant_next(variant, NULL, ORR_ELEMENT_GPU);
    if (gpu)
        cut_nvlinks(variant, gpu, part);
}
