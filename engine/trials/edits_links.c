/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of PCIe links and NVLinks. */
#include <stdio.h>
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

/* The GPU with a number in document order, which an observation may name; NULL if there is none, or if all GPUs would
 * give the same result. */
static struct orr_doc_node *one_gpu(struct orr_variant *variant, int number, const char *what, const char *is)
{
    struct orr_doc_node *gpu = NULL;
    if (number && !variant->observed->by_device)
        return NULL;
    for (int i = 0; i <= number; i++)
        if (!(gpu = orr_variant_next(variant, gpu, ORR_ELEMENT_GPU)))
            return NULL;
    const char *dev = orr_doc_get(gpu, ORR_ATTR_DEV);
    if (variant->observed->by_device)
        snprintf(variant->what, sizeof variant->what, "%s GPU %.8s %s", what, dev ? dev : "?", is);
    return gpu;
}

void orr_edit_one_gpu_link(struct orr_variant *variant, int number)
{
    struct orr_doc_node *gpu = one_gpu(variant, number, "the PCIe link of", "has half its bandwidth");
    if (gpu)
        narrow(variant, gpu->parent, 2);
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

void orr_edit_one_nvlinks(struct orr_variant *variant, int number)
{
    struct orr_doc_node *gpu = one_gpu(variant, number, "half of the NVLinks of", "are down");
    if (gpu)
        cut_nvlinks(variant, gpu, 2);
}
