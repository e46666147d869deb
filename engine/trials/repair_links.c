/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs PCIe links, ports, and NICs that are missing or in the wrong place. */
#include <stdlib.h>

#include "engine/base/sorting.h"
#include "engine/trials/repair.h"

static const char *word(const struct orr_variant *variant, uint32_t element, enum orr_attr attr)
{
    return orr_element_word(variant->hw->dump, element, attr);
}

static void copy_link(struct orr_variant *variant, uint32_t element, uint32_t from)
{
    orr_variant_set(variant, variant->nodes[element], ORR_ATTR_LINK_SPEED, word(variant, from, ORR_ATTR_LINK_SPEED));
    orr_variant_set(variant, variant->nodes[element], ORR_ATTR_LINK_WIDTH, word(variant, from, ORR_ATTR_LINK_WIDTH));
}

static void set_link(struct orr_variant *variant, uint32_t card, unsigned generation, int32_t width)
{
    struct orr_doc_node *node = variant->nodes[variant->hw->cards[card].element];
    orr_variant_set(variant, node, ORR_ATTR_LINK_SPEED, orr_pcie_speed_text(generation));
    orr_variant_set_int(variant, node, ORR_ATTR_LINK_WIDTH, width);
}

/* The C2C links of an equal GPU. */
static void copy_c2c(struct orr_variant *variant, uint32_t gpu, uint32_t from)
{
    const struct orr_dump *dump = variant->hw->dump;
    uint32_t c2c = dump->elements[from].first_child;
    while (c2c != ORR_NO_ELEMENT && dump->elements[c2c].kind != ORR_ELEMENT_C2C)
        c2c = dump->elements[c2c].next_sibling;
    if (c2c == ORR_NO_ELEMENT)
        return;
    struct orr_doc_node *node = orr_doc_child(variant->nodes[gpu], ORR_ELEMENT_C2C);
    if (!node)
        node = orr_doc_add(&variant->doc, variant->nodes[gpu], ORR_ELEMENT_C2C, NULL);
    orr_variant_set(variant, node, ORR_ATTR_BW, word(variant, c2c, ORR_ATTR_BW));
    orr_variant_set(variant, node, ORR_ATTR_COUNT_, word(variant, c2c, ORR_ATTR_COUNT_));
}

void orr_repair_slow_links(struct orr_variant *variant)
{
    for (uint32_t i = 0; i < variant->hw->slower_count; i++) {
        const struct orr_slower *row = &variant->hw->slower[i];
        if (row->kind == ORR_SLOWER_PCIE)
            copy_link(variant, row->element, row->best);
        else if (row->kind == ORR_SLOWER_C2C)
            copy_c2c(variant, row->element, row->best);
    }
}

/* Gives every GPU's link, and slower bridges above it, this speed. */
static void set_all_links(struct orr_variant *variant, unsigned generation)
{
    const struct orr_hardware_facts *hw = variant->hw;
    float gbs = generation ? orr_pcie_gbs(orr_pcie_rate(generation), 16) : 0;
    for (uint32_t i = 0; generation && i < hw->card_count; i++)
        if (hw->cards[i].gpus_at || (hw->cards[i].gpus && hw->cards[i].gbs > 0 && hw->cards[i].gbs < gbs))
            set_link(variant, i, generation, 16);
}

/* The speed that GPU model and CPU allow. */
void orr_repair_all_links(struct orr_variant *variant)
{
    set_all_links(variant, (unsigned)variant->machine->generation);
}

/* Whether every NIC's link is as wide as a GPU's, no faster, and slower than its ports. */
static bool nics_are_held_back_too(const struct orr_hardware_facts *hw)
{
    const struct orr_card *gpu = NULL;
    bool any = false;
    for (uint32_t i = 0; i < hw->card_count; i++)
        if (hw->cards[i].gpus_at && (!gpu || hw->cards[i].gbs > gpu->gbs))
            gpu = &hw->cards[i];
    for (uint32_t i = 0; gpu && i < hw->card_count; i++) {
        const struct orr_card *card = &hw->cards[i];
        if (!card->nets_at)
            continue;
        if (card->width < gpu->width || card->gbs > gpu->gbs || 8 * card->gbs >= card->gbps_at)
            return false;
        any = true;
    }
    return any;
}

/* One cause, such as a BIOS setting or a riser, often limits the links of GPUs and NICs alike. Their paths use both, so
 * the repair of either alone gains nothing; then all are repaired together. */
static void repair_generation(struct orr_variant *variant, int32_t generation)
{
    set_all_links(variant, (unsigned)generation);
    if (nics_are_held_back_too(variant->hw))
        orr_repair_slots(variant);
}

void orr_repair_generation(struct orr_variant *variant)
{
    repair_generation(variant, variant->machine->generation);
}

void orr_repair_to_gpus(struct orr_variant *variant)
{
    repair_generation(variant, variant->machine->gpu_generation);
}

ORR_COMPARATOR(compare_models, struct orr_card *const, ORR_ORDER((*a)->identity, (*b)->identity),
               ORR_ORDER((*b)->gbs, (*a)->gbs), ORR_ORDER((*a)->element, (*b)->element))

/* The link of the fastest card of the same model. */
void orr_repair_unknown_links(struct orr_variant *variant)
{
    const struct orr_hardware_facts *hw = variant->hw;
    const struct orr_card **cards = ORR_NEW(variant->arena, const struct orr_card *, hw->card_count), *best = NULL;
    if (!cards)
        return;
    for (uint32_t i = 0; i < hw->card_count; i++)
        cards[i] = &hw->cards[i];
    qsort(cards, hw->card_count, sizeof *cards, compare_models);
    for (uint32_t i = 0; i < hw->card_count; i++) {
        if (!i || cards[i]->identity != cards[i - 1]->identity)
            best = cards[i];
        if (cards[i]->gbs <= 0 && cards[i]->identity && best->gbs > 0)
            copy_link(variant, cards[i]->element, best->element);
    }
}

void orr_repair_bridges(struct orr_variant *variant)
{
    const struct orr_hardware_facts *hw = variant->hw;
    const struct orr_card *fastest[ORR_CARD_NIC + 1] = {NULL};
    for (uint32_t i = 0; i < hw->card_count; i++) {
        const struct orr_card *card = &hw->cards[i];
        if (!fastest[card->kind] || card->gbs > fastest[card->kind]->gbs)
            fastest[card->kind] = card;
    }
    for (uint32_t i = 0; i < hw->card_count; i++) {
        const struct orr_card *card = &hw->cards[i], *best = card;
        if (!(card->gpus + card->nets) || card->gbs <= 0 || card->gbs >= 1)
            continue;
        /* In document order, everything below a card comes right after it. */
        for (uint32_t k = i + 1; k < hw->card_count && hw->cards[k].depth > card->depth; k++)
            best = hw->cards[k].gbs > best->gbs ? &hw->cards[k] : best;
        copy_link(variant, card->element, (best == card ? fastest[card->kind] : best)->element);
    }
}

/* Tries the width first, because most slow slots are too narrow. */
void orr_repair_slots(struct orr_variant *variant)
{
    const struct orr_hardware_facts *hw = variant->hw;
    for (uint32_t i = 0; i < hw->card_count; i++) {
        const struct orr_card *card = &hw->cards[i];
        int generation = orr_pcie_generation(card->rate);
        if (!card->nets_at || card->gbs <= 0 || generation < 1 || 8 * card->gbs >= card->gbps_at)
            continue;
        while (generation < ORR_PCIE_GENERATIONS &&
               8 * orr_pcie_gbs(orr_pcie_rate((unsigned)generation), 16) < card->gbps_at)
            generation++;
        set_link(variant, i, (unsigned)generation, 16);
    }
}

void orr_repair_ports(struct orr_variant *variant)
{
    for (uint32_t i = 0; i < variant->hw->slower_count; i++) {
        const struct orr_slower *row = &variant->hw->slower[i];
        if (row->kind == ORR_SLOWER_PORT && row->best != row->element)
            orr_variant_set(variant, variant->nodes[row->element], ORR_ATTR_SPEED,
                            word(variant, row->best, ORR_ATTR_SPEED));
    }
}

/* The bridge of a group under which its NICs belong: as deep as the NIC of a complete group. */
static struct orr_doc_node *place_of(const struct orr_variant *variant, const struct orr_lack *lack)
{
    const struct orr_hardware_facts *hw = variant->hw;
    uint32_t depth = hw->cards[lack->like].depth, at = lack->bridge;
    for (uint32_t i = lack->bridge + 1; i < hw->card_count && hw->cards[i].depth > hw->cards[lack->bridge].depth; i++)
        if (hw->cards[i].depth < depth && hw->cards[i].depth > hw->cards[at].depth && hw->cards[i].gpus &&
            hw->cards[i].kind == ORR_CARD_BRIDGE)
            at = i;
    return variant->nodes[hw->cards[at].element];
}

void orr_repair_missing_nics(struct orr_variant *variant)
{
    uint32_t ports = 0;
    for (uint32_t i = 0; i < variant->groups->lack_count; i++) {
        const struct orr_lack *lack = &variant->groups->lacks[i];
        for (uint32_t n = lack->has; lack->stray == ORR_NO_CARD && n < lack->others_have; n++)
            orr_repair_add_nic(variant, place_of(variant, lack), lack->like, &ports);
    }
    if (variant->groups->lack_count)
        orr_repair_number_nics(variant, ports);
    else
        orr_repair_nics_without_switches(variant);
}

void orr_repair_strays(struct orr_variant *variant)
{
    for (uint32_t i = 0; i < variant->groups->lack_count; i++) {
        const struct orr_lack *lack = &variant->groups->lacks[i];
        if (lack->stray == ORR_NO_CARD)
            continue;
        struct orr_doc_node *nic = variant->nodes[variant->hw->cards[lack->stray].element];
        orr_doc_move(nic, place_of(variant, lack), NULL);
        orr_variant_touch(variant);
    }
}
