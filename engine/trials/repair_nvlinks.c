/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs of NVLinks. */
#include <stdlib.h>
#include <string.h>

#include "engine/topology/pci.h"
#include "engine/trials/repair.h"

/* Whether the machine is small enough for a repair that compares every pair of its GPUs. */
static bool may_compare_pairs(struct orr_variant *variant)
{
    enum { MOST_GPUS = 128 };
    if (variant->hw->gpu_count <= MOST_GPUS)
        return true;
    variant->refused = "no repair was tried, because the machine has more than 128 GPUs";
    return false;
}

static struct orr_doc_node *gpu_node(const struct orr_variant *variant, uint32_t i)
{
    return variant->nodes[variant->hw->gpus[i]];
}

/* Bus id of the card around a GPU; "" if it has none. */
static const char *bus_of(const struct orr_variant *variant, uint32_t i)
{
    uint32_t card = variant->hw->card_of[variant->hw->gpus[i]];
    return card == ORR_NO_CARD ? ""
                               : orr_element_word(variant->hw->dump, variant->hw->cards[card].element, ORR_ATTR_BUSID);
}

static bool to_switch(const struct orr_doc_node *link)
{
    const char *class = orr_doc_get(link, ORR_ATTR_TCLASS);
    return class && orr_pci_class_parse(class) == ORR_CLASS_NVS;
}

static int32_t count_of(const struct orr_doc_node *link)
{
    const char *count = link ? orr_doc_get(link, ORR_ATTR_COUNT_) : NULL;
    return count ? (int32_t)strtol(count, NULL, 10) : 0;
}

static void set_count(struct orr_variant *variant, struct orr_doc_node *link, int32_t count)
{
    orr_variant_set_int(variant, link, ORR_ATTR_COUNT_, count);
}

/* The link of GPU i to a bus id; NULL if there is none. */
static struct orr_doc_node *link_to(const struct orr_variant *variant, uint32_t i, const char *bus)
{
    for (struct orr_doc_node *link = gpu_node(variant, i)->first; link; link = link->after) {
        const char *target = link->kind == ORR_ELEMENT_NVLINK ? orr_doc_get(link, ORR_ATTR_TARGET) : NULL;
        if (target && orr_bus_id_parse(target) == orr_bus_id_parse(bus))
            return link;
    }
    return NULL;
}

static void add_link(struct orr_variant *variant, uint32_t i, const char *target, int32_t count, const char *class)
{
    struct orr_doc_node *link = orr_doc_add(&variant->doc, gpu_node(variant, i), ORR_ELEMENT_NVLINK, NULL);
    orr_doc_set(&variant->doc, link, ORR_ATTR_TARGET, "%s", target);
    orr_doc_set(&variant->doc, link, ORR_ATTR_COUNT_, "%d", count);
    orr_doc_set(&variant->doc, link, ORR_ATTR_TCLASS, "%s", class);
    orr_variant_touch(variant);
}

static void join(struct orr_variant *variant, uint32_t a, uint32_t b, int32_t count)
{
    struct orr_doc_node *link = link_to(variant, a, bus_of(variant, b));
    if (link)
        set_count(variant, link, count);
    else if (count)
        add_link(variant, a, bus_of(variant, b), count, "0x030200");
}

/* Gives both ends of each pair the number of links of the end that has more. */
static void mirror(struct orr_variant *variant)
{
    if (!may_compare_pairs(variant))
        return;
    for (uint32_t a = 0; a < variant->hw->gpu_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            int32_t there = count_of(link_to(variant, a, bus_of(variant, b)));
            int32_t back = count_of(link_to(variant, b, bus_of(variant, a)));
            if (there < back)
                join(variant, a, b, back);
            else if (back < there)
                join(variant, b, a, there);
        }
}

void orr_repair_one_sided(struct orr_variant *variant)
{
    mirror(variant);
}

/* Replaces the links of a GPU by those of an equal one, which lead to NVSwitches. */
static void copy_links(struct orr_variant *variant, uint32_t gpu, uint32_t from)
{
    const struct orr_dump *dump = variant->hw->dump;
    struct orr_doc_node *node = variant->nodes[gpu];
    for (struct orr_doc_node *link = node->first, *next; link; link = next) {
        next = link->after;
        if (link->kind == ORR_ELEMENT_NVLINK)
            orr_doc_remove(link);
    }
    for (uint32_t link = dump->elements[from].first_child; link != ORR_NO_ELEMENT;
         link = dump->elements[link].next_sibling)
        if (dump->elements[link].kind == ORR_ELEMENT_NVLINK)
            orr_doc_copy_element(&variant->doc, orr_doc_add(&variant->doc, node, ORR_ELEMENT_NVLINK, NULL), dump, link);
    orr_variant_touch(variant);
}

static bool is_switched(const struct orr_variant *variant, uint32_t gpu)
{
    for (const struct orr_doc_node *link = variant->nodes[gpu]->first; link; link = link->after)
        if (link->kind == ORR_ELEMENT_NVLINK && to_switch(link))
            return true;
    return false;
}

static bool has_board_mesh(const struct orr_variant *variant)
{
    const struct orr_gpu_board *board = variant->machine->board;
    return board && variant->machine->proven_board && board->fabric == ORR_FABRIC_MESH &&
           strlen(board->mesh[0]) == variant->hw->gpu_count;
}

/* Gives pairs with no links or too few the number that most pairs with links have. */
static void fill_pairs(struct orr_variant *variant)
{
    enum { MOST_LINKS = 32 };
    uint32_t pairs[MOST_LINKS + 1] = {0}, linked = 0, n = variant->hw->gpu_count;
    int32_t usual = 0;
    if (!may_compare_pairs(variant))
        return;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++) {
            int32_t count = count_of(link_to(variant, a, bus_of(variant, b)));
            if (count > 0 && count <= MOST_LINKS) {
                pairs[count]++;
                linked++;
            }
        }
    for (int32_t count = 1; count <= MOST_LINKS; count++)
        usual = pairs[count] > pairs[usual] ? count : usual;
    if (2 * pairs[usual] <= linked || 4 * linked < 3 * (n * (n - 1) / 2)) /* not a full mesh with a few gaps */
        return;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++)
            if (count_of(link_to(variant, a, bus_of(variant, b))) < usual) {
                join(variant, a, b, usual);
                join(variant, b, a, usual);
            }
}

static void follow_mesh(struct orr_variant *variant)
{
    for (uint32_t a = 0; a < variant->hw->gpu_count; a++)
        for (uint32_t b = 0; b < variant->hw->gpu_count; b++)
            if (a != b)
                join(variant, a, b, variant->machine->board->mesh[a][b] - '0');
}

void orr_repair_nvlinks(struct orr_variant *variant)
{
    bool direct = false;
    for (uint32_t i = 0; i < variant->hw->slower_count; i++) {
        const struct orr_slower *row = &variant->hw->slower[i];
        if (row->kind != ORR_SLOWER_NVLINK)
            continue;
        if (is_switched(variant, row->best))
            copy_links(variant, row->element, row->best);
        else
            direct = true;
    }
    if (!direct)
        return;
    mirror(variant);
    if (has_board_mesh(variant))
        follow_mesh(variant);
    else
        fill_pairs(variant);
}

/* Raises the GPU's links to the model's number. A GPU without links gets links to switches that the dump does not
 * show. */
static void fill_switched(struct orr_variant *variant, uint32_t i, int32_t wanted)
{
    int32_t has = 0, links = 0;
    for (struct orr_doc_node *link = gpu_node(variant, i)->first; link; link = link->after)
        if (link->kind == ORR_ELEMENT_NVLINK) {
            has += count_of(link);
            links++;
        }
    if (!links) {
        add_link(variant, i, "fffffff:ffff:ff", wanted, "0x068000");
        return;
    }
    for (struct orr_doc_node *link = gpu_node(variant, i)->first; link && links && has < wanted; link = link->after)
        if (link->kind == ORR_ELEMENT_NVLINK) {
            int32_t more = (wanted - has + links - 1) / links;
            set_count(variant, link, count_of(link) + more);
            has += more;
            links--;
        }
}

/* A bridge joins the GPU with the GPU at the far end of its link or, if it has no link, with its neighbour by
 * number. */
static void fill_pair(struct orr_variant *variant, uint32_t i, int32_t wanted)
{
    struct orr_doc_node *link = orr_doc_child(gpu_node(variant, i), ORR_ELEMENT_NVLINK);
    if (link)
        set_count(variant, link, wanted);
    else if ((i ^ 1) < variant->hw->gpu_count)
        join(variant, i, i ^ 1, wanted);
}

void orr_repair_board_nvlinks(struct orr_variant *variant)
{
    const struct orr_gpu_board *board = variant->machine->board;
    if (!board || !variant->machine->proven_board || variant->machine->nvlinks <= 0)
        return;
    if (has_board_mesh(variant)) {
        follow_mesh(variant);
        return;
    }
    for (uint32_t i = 0; i < variant->hw->gpu_count; i++)
        if (board->fabric == ORR_FABRIC_SWITCH)
            fill_switched(variant, i, variant->machine->nvlinks);
        else if (board->fabric == ORR_FABRIC_PAIRS)
            fill_pair(variant, i, variant->machine->nvlinks);
}

/* Whether GPU i lists every target that GPU k lists. */
static bool lists_all_of(const struct orr_variant *variant, uint32_t i, uint32_t k)
{
    for (const struct orr_doc_node *link = gpu_node(variant, k)->first; link; link = link->after)
        if (link->kind == ORR_ELEMENT_NVLINK && orr_doc_get(link, ORR_ATTR_TARGET) &&
            !link_to(variant, i, orr_doc_get(link, ORR_ATTR_TARGET)))
            return false;
    return true;
}

/* Finds the GPU whose targets include those of the most others, and gives its links to each GPU that lacks some of
 * them. */
void orr_repair_targets(struct orr_variant *variant)
{
    const struct orr_hardware_facts *hw = variant->hw;
    uint32_t fullest = 0, most = 0;
    if (!hw->gpu_count || !may_compare_pairs(variant))
        return;
    for (uint32_t i = 0; i < hw->gpu_count; i++) {
        uint32_t held = 0;
        for (uint32_t k = 0; k < hw->gpu_count; k++)
            held += lists_all_of(variant, i, k);
        if (held > most) {
            fullest = i;
            most = held;
        }
    }
    for (uint32_t i = 0; i < hw->gpu_count; i++)
        if (is_switched(variant, hw->gpus[fullest]) && !lists_all_of(variant, i, fullest))
            copy_links(variant, hw->gpus[i], hw->gpus[fullest]);
}
