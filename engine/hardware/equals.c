/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/hardware/equals.h"

#include <stdlib.h>

#include "engine/base/sorting.h"
#include "engine/topology/pci.h"

/* A device to compare; sorted so that equals are adjacent, the fastest first. */
struct peer {
    uint64_t model;
    uint32_t role, depth;
    bool no_width; /* the file has only the speed of its link, like in virtual machines */
    float has;
    uint32_t element;
    bool loose; /* its expected value is not certain: its NVLinks are direct, or the file does not identify it */
};

/* Compares model, purpose, and depth below the CPU. */
static int compare_equals(const struct peer *a, const struct peer *b)
{
    ORR_BY(ORR_ORDER(a->model, b->model));
    ORR_BY(ORR_ORDER(a->role, b->role));
    ORR_BY(ORR_ORDER(a->depth, b->depth));
    return a->no_width - b->no_width;
}

ORR_COMPARATOR(compare_peers, struct peer, compare_equals(a, b), ORR_ORDER(b->has, a->has),
               ORR_ORDER(a->element, b->element))

ORR_COMPARATOR(compare_slower, struct orr_slower, ORR_ORDER(a->kind, b->kind), ORR_ORDER(a->element, b->element))

/* The purpose of a device. A switch above GPUs has another purpose than one above NICs alone; a switch above neither
 * does not matter. */
enum { ROLE_NONE, ROLE_GPU, ROLE_NIC, ROLE_ABOVE_GPUS, ROLE_ABOVE_NICS };
static uint32_t role_of(const struct orr_card *card)
{
    if (card->kind != ORR_CARD_BRIDGE)
        return card->kind == ORR_CARD_GPU ? ROLE_GPU : ROLE_NIC;
    return card->gpus ? ROLE_ABOVE_GPUS : card->nets ? ROLE_ABOVE_NICS : ROLE_NONE;
}

/* Links without a width are read like in NCCL, with 16 lanes, and are only compared with one another: against a link of
 * known width, that guess would be wrong as often as right. */
static uint32_t list_links(const struct orr_hardware_facts *h, struct peer *peers)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->card_count; i++) {
        const struct orr_card *card = &h->cards[i];
        bool no_width = card->width == 0;
        float gbs = no_width ? orr_pcie_gbs(card->rate, 16) : card->gbs;
        if (card->model && role_of(card) != ROLE_NONE && gbs > 0)
            peers[count++] = (struct peer){.model = card->model,
                                           .role = role_of(card),
                                           .depth = card->depth,
                                           .no_width = no_width,
                                           .has = gbs,
                                           .element = card->element,
                                           .loose = card->kind != ORR_CARD_GPU && !card->identity};
    }
    return count;
}

static bool has_direct_nvlinks(const struct orr_dump *dump, uint32_t gpu)
{
    for (uint32_t i = dump->elements[gpu].first_child; i != ORR_NO_ELEMENT; i = dump->elements[i].next_sibling)
        if (dump->elements[i].kind == ORR_ELEMENT_NVLINK && orr_element_int(dump, i, ORR_ATTR_COUNT_, 0) > 0 &&
            orr_pci_class_parse(orr_element_word(dump, i, ORR_ATTR_TCLASS)) != ORR_CLASS_NVS)
            return true;
    return false;
}

/* The links of GPUs to one another and to the CPU depend on the board, regardless of where the GPU's PCIe link
 * leads. */
static uint32_t list_gpus(const struct orr_hardware_facts *h, struct peer *peers, bool c2c)
{
    for (uint32_t i = 0; i < h->gpu_count; i++) {
        uint32_t gpu = h->gpus[i], card = h->card_of[gpu];
        uint64_t model = card == ORR_NO_CARD ? 0 : h->cards[card].model;
        peers[i] = (struct peer){.model = model, .role = ROLE_GPU, .element = gpu};
        peers[i].has = c2c ? (float)orr_gpu_c2c(h->dump, gpu) : (float)orr_gpu_nvlinks(h->dump, gpu);
        peers[i].loose = !c2c && has_direct_nvlinks(h->dump, gpu);
    }
    return h->gpu_count;
}

static uint32_t list_ports(const struct orr_hardware_facts *h, struct peer *peers)
{
    for (uint32_t i = 0; i < h->net_count; i++) {
        uint32_t net = h->nets[i], card = h->card_of[net];
        int32_t mbps = orr_element_int(h->dump, net, ORR_ATTR_SPEED, 0);
        peers[i] = (struct peer){.role = ROLE_NIC, .has = mbps > 0 ? (float)mbps / 1000 : 0, .element = net};
        if (card != ORR_NO_CARD) {
            peers[i].model = h->cards[card].model;
            peers[i].loose = !h->cards[card].identity;
            peers[i].depth = h->cards[card].depth;
        }
    }
    return h->net_count;
}

/* The standard for a device is the best of its equals. But direct NVLinks do not depend on the board (bridges may join
 * only some GPUs), and devices that the file does not identify may really differ: their standard is the value that more
 * than half have or, if there is none, the least. */
static const struct peer *standard_of(const struct peer *equals, uint32_t count)
{
    const struct peer *middle = &equals[count / 2]; /* if more than half have one value, it is in the middle */
    bool loose = false;
    uint32_t same = 0;
    for (uint32_t i = 0; i < count; i++) {
        loose |= equals[i].loose;
        same += equals[i].has == middle->has;
    }
    if (!loose)
        return equals;
    return 2 * same > count ? middle : &equals[count - 1];
}

static uint64_t slot_of(const struct orr_hardware_facts *h, uint32_t net)
{
    const struct orr_card *card = &h->cards[h->card_of[net]];
    return orr_bus_id_parse(orr_element_word(h->dump, card->element, ORR_ATTR_BUSID)) >> 4;
}

/* Whether all cards have the same different port speeds, so that their ports are for different networks. The ports are
 * of one model and sorted by speed. */
static bool cards_are_alike(const struct orr_hardware_facts *h, const struct peer *ports, uint32_t count)
{
    enum { MOST_PORTS = 256 };
    float first[MOST_PORTS];
    uint32_t per_card = 0, cards = 0;
    for (uint32_t i = 0; i < count && count <= MOST_PORTS; i++) {
        uint64_t slot = slot_of(h, ports[i].element);
        uint32_t before = 0, own = 0;
        for (uint32_t k = 0; k < i; k++)
            before += slot_of(h, ports[k].element) == slot;
        if (before)
            continue;
        for (uint32_t k = i; k < count; k++) {
            if (slot_of(h, ports[k].element) != slot)
                continue;
            if (cards && (own == per_card || ports[k].has != first[own]))
                return false;
            first[own++] = ports[k].has;
        }
        if (cards++ && own != per_card)
            return false;
        per_card = own;
    }
    return cards > 1;
}

static void compare_group(struct orr_hardware_facts *h, enum orr_slower_kind kind, const struct peer *equals,
                          uint32_t count)
{
    const struct peer *best = equals->model ? standard_of(equals, count) : NULL;
    if (kind == ORR_SLOWER_PORT && best && cards_are_alike(h, equals, count))
        best = NULL;
    for (uint32_t i = 0; i < count; i++)
        if ((best && equals[i].has < best->has) || (kind == ORR_SLOWER_PORT && equals[i].has <= 0))
            h->slower[h->slower_count++] = (struct orr_slower){.kind = kind,
                                                               .element = equals[i].element,
                                                               .best = (best ? best : &equals[i])->element,
                                                               .has = equals[i].has,
                                                               .best_has = (best ? best : &equals[i])->has};
}

bool orr_hardware_compare_equals(struct orr_hardware_facts *h, struct orr_arena *arena)
{
    struct peer *peers = ORR_NEW(arena, struct peer, h->dump->element_count);
    h->slower = ORR_NEW(arena, struct orr_slower, (size_t)h->card_count + 2 * (size_t)h->gpu_count + h->net_count);
    if (!peers || !h->slower)
        return false;
    for (int kind = 0; kind < ORR_SLOWER_KIND_COUNT; kind++) {
        uint32_t count = kind == ORR_SLOWER_PCIE   ? list_links(h, peers)
                         : kind == ORR_SLOWER_PORT ? list_ports(h, peers)
                                                   : list_gpus(h, peers, kind == ORR_SLOWER_C2C);
        if (count)
            qsort(peers, count, sizeof *peers, compare_peers);
        for (uint32_t from = 0, to; from < count; from = to) {
            for (to = from; to < count && !compare_equals(&peers[to], &peers[from]); to++)
                ;
            compare_group(h, (enum orr_slower_kind)kind, &peers[from], to - from);
        }
    }
    if (h->slower_count)
        qsort(h->slower, h->slower_count, sizeof *h->slower, compare_slower);
    return true;
}
