/* SPDX-License-Identifier: Apache-2.0 */
/* Changes of NICs. */
#include <stdio.h>
#include <stdlib.h>

#include "engine/trials/edits.h"

void orr_edit_no_nics(struct orr_variant *variant, int none)
{
    (void)none;
    if (variant->query.hosts != 1 || !orr_system_count(&variant->analysis->built, ORR_NET))
        return;
    for (struct orr_doc_node *after, *net = orr_variant_next(variant, NULL, ORR_ELEMENT_NET); net; net = after) {
        after = orr_variant_next(variant, net, ORR_ELEMENT_NET);
        orr_variant_remove(variant, net);
    }
}

void orr_edit_fewer_nics(struct orr_variant *variant, int amount)
{
    enum { PARTS = 16 };
    uint32_t keep = (uint32_t)amount, at = 0, kept = 0;
    if (variant->nets > PARTS)
        keep = keep == PARTS ? variant->nets - 1 : (uint32_t)((uint64_t)keep * variant->nets / PARTS);
    if (keep >= variant->nets || orr_setting_text(&variant->query.settings, ORR_SET_IB_HCA))
        return; /* which names the NICs that are used, of all that the host has */
    struct orr_doc_node *after, *net = orr_variant_next(variant, NULL, ORR_ELEMENT_NET);
    for (; net; net = after, at++) {
        after = orr_variant_next(variant, net, ORR_ELEMENT_NET);
        if (kept < keep && (uint64_t)at * keep / variant->nets >= kept) {
            kept++; /* keep NICs spread evenly over the host */
            continue;
        }
        orr_doc_prune(net);
        orr_variant_touch(variant);
    }
    variant->kept = keep;
    snprintf(variant->what, sizeof variant->what, "%u of %u NICs %s used", keep, variant->nets,
             keep == 1 ? "is" : "are");
}

void orr_edit_no_gdr(struct orr_variant *variant, int none)
{
    (void)none;
    for (struct orr_doc_node *net = NULL; (net = orr_variant_next(variant, net, ORR_ELEMENT_NET));)
        orr_variant_set(variant, net, ORR_ATTR_GDR, "0");
}

void orr_edit_observed_gdr(struct orr_variant *variant, int none)
{
    const struct orr_observed *seen = variant->observed;
    uint32_t count = seen->without_gdr_count, first = 0;
    (void)none;
    if (!count || count == orr_system_count(&variant->analysis->built, ORR_NET))
        return;
    while (!seen->without_gdr[first])
        first++;
    snprintf(variant->what, sizeof variant->what, "gdr=\"0\" on %u NIC%s, NIC %u%s", count, orr_plural(count), first,
             count == 1 ? "" : " first");
    orr_variant_observed_gdr(variant);
}

static long speed_of(const struct orr_doc_node *net)
{
    const char *speed = orr_doc_get(net, ORR_ATTR_SPEED);
    return speed ? strtol(speed, NULL, 10) : 0;
}

void orr_edit_nic_speed(struct orr_variant *variant, int part)
{
    for (struct orr_doc_node *net = NULL; (net = orr_variant_next(variant, net, ORR_ELEMENT_NET));)
        if (speed_of(net) / part > 0)
            orr_variant_set_int(variant, net, ORR_ATTR_SPEED, speed_of(net) / part);
}

/* NCCL's sockets reach 10 to 50 Gb/s on a NIC, depending on the CPUs and the number of threads, and never use GPUDirect
 * RDMA. */
void orr_edit_tcp(struct orr_variant *variant, int mbps)
{
    orr_edit_no_gdr(variant, 0);
    for (struct orr_doc_node *net = NULL; (net = orr_variant_next(variant, net, ORR_ELEMENT_NET));)
        if (speed_of(net) > mbps)
            orr_variant_set_int(variant, net, ORR_ATTR_SPEED, mbps);
}

/* Imitates a wrong binding, or a wrong topology file of a virtual machine. */
void orr_edit_swap_sockets(struct orr_variant *variant, int none)
{
    enum { MOST_CARDS = 64 };
    struct orr_doc_node *top = orr_variant_copy(variant), *cards[MOST_CARDS];
    struct orr_doc_node *first = top ? orr_doc_child(top, ORR_ELEMENT_CPU) : NULL;
    struct orr_doc_node *second = first ? first->after : NULL;
    bool of_first[MOST_CARDS];
    uint32_t count = 0;
    (void)none;
    if (!second || second->after)
        return;
    for (struct orr_doc_node *nic = NULL;
         (nic = orr_variant_next(variant, nic, ORR_ELEMENT_NIC)) && count < MOST_CARDS;) {
        struct orr_doc_node *card = nic->parent, *cpu = card;
        while (cpu && cpu->kind != ORR_ELEMENT_CPU)
            cpu = cpu->parent;
        if (card->kind != ORR_ELEMENT_PCI || orr_doc_child(card, ORR_ELEMENT_GPU) || !cpu)
            continue;
        of_first[count] = cpu == first;
        cards[count++] = card;
    }
    for (uint32_t i = 0; i < count; i++) {
        orr_doc_move(cards[i], of_first[i] ? second : first, NULL);
        orr_variant_touch(variant);
    }
}
