/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/hardware/hardware.h"

#include <string.h>

#include "engine/base/hash.h"
#include "engine/dump/notes.h"
#include "engine/hardware/equals.h"
#include "engine/hardware/gpu_models.h"
#include "engine/topology/pci.h"

static void add_card(struct orr_hardware_facts *h, uint32_t element, uint32_t above)
{
    struct orr_card *card = &h->cards[h->card_count];
    int32_t width = orr_element_int(h->dump, element, ORR_ATTR_LINK_WIDTH, 0);
    *card = (struct orr_card){
        .element = element,
        .gpu = ORR_NO_ELEMENT,
        .net = ORR_NO_ELEMENT,
        .above = above,
        .depth = above == ORR_NO_CARD ? 0 : h->cards[above].depth + 1,
        .identity = orr_pci_identity(h->dump, element),
        .bridge_class = !strncmp(orr_element_word(h->dump, element, ORR_ATTR_CLASS), "0x06", 4),
        .width = width > 0 && width <= 64 ? width : 0,
        .rate = orr_pcie_read_rate(orr_element_word(h->dump, element, ORR_ATTR_LINK_SPEED)),
    };
    card->gbs = orr_pcie_gbs(card->rate, card->width);
    h->card_of[element] = h->card_count++;
}

static void add_element(struct orr_hardware_facts *h, uint32_t i)
{
    const struct orr_element *element = &h->dump->elements[i];
    uint32_t above = element->parent == ORR_NO_ELEMENT ? ORR_NO_CARD : h->card_of[element->parent];
    struct orr_card *card = above == ORR_NO_CARD ? NULL : &h->cards[above];
    h->card_of[i] = above;
    if (element->kind == ORR_ELEMENT_PCI) {
        add_card(h, i, above);
    } else if (element->kind == ORR_ELEMENT_CPU) {
        h->cpus[h->cpu_count++] = i;
    } else if (element->kind == ORR_ELEMENT_NIC && card && card->kind == ORR_CARD_BRIDGE) {
        card->kind = ORR_CARD_NIC;
    } else if (element->kind == ORR_ELEMENT_GPU) {
        h->gpus[h->gpu_count++] = i;
        if (card) {
            card->kind = ORR_CARD_GPU;
            card->gpu = i;
            card->gpus_at++;
        }
    } else if (element->kind == ORR_ELEMENT_NET) {
        int32_t speed = orr_element_int(h->dump, i, ORR_ATTR_SPEED, 0);
        h->nets[h->net_count++] = i;
        if (card) {
            card->net = card->nets_at++ ? card->net : i;
            card->gbps_at += speed > 0 ? (float)speed / 1000 : 0;
        }
    }
}

/* A substitute for the identity of a card without PCI ids, as in files of cloud providers: for a bridge the devices
 * below it, for a NIC the letters at the start of its name. */
enum { NAMELESS_BRIDGE = 1, NAMELESS_NIC = 2 };
static uint64_t stand_in(uint64_t kind, uint64_t value)
{
    return kind << 40 | (value & UINT64_C(0xffffffffff));
}

/* For a NIC or switch, the subsystem identifies the board; for a GPU, only the board's maker. A GPU whose vendor is not
 * in the dump is identified by its compute capability. */
static uint64_t model_of(const struct orr_dump *dump, const struct orr_card *card)
{
    if (card->kind == ORR_CARD_NIC && card->bridge_class)
        return 0; /* in virtual machines, the bridge above ports is not the real one */
    if (card->kind == ORR_CARD_GPU)
        return card->identity >> 32 ? card->identity >> 32
                                    : (uint64_t)orr_element_int(dump, card->gpu, ORR_ATTR_SM, 0) & 0xffff;
    if (card->identity)
        return card->identity;
    if (card->kind == ORR_CARD_BRIDGE)
        return card->gpus + card->nets ? stand_in(NAMELESS_BRIDGE, (uint64_t)card->gpus << 20 | card->nets) : 0;
    const char *name = orr_element_word(dump, card->net, ORR_ATTR_NAME);
    return *name ? stand_in(NAMELESS_NIC, orr_hash_bytes(ORR_HASH_START, name, strcspn(name, "0123456789"))) : 0;
}

bool orr_hardware_read(const struct orr_dump *dump, struct orr_arena *arena, struct orr_hardware_facts *ret_hardware)
{
    uint32_t count = dump->element_count;
    struct orr_hardware_facts h = {.dump = dump};
    h.cards = ORR_NEW(arena, struct orr_card, count);
    h.gpus = ORR_NEW(arena, uint32_t, count);
    h.nets = ORR_NEW(arena, uint32_t, count);
    h.cpus = ORR_NEW(arena, uint32_t, count);
    h.card_of = ORR_NEW(arena, uint32_t, count);
    if (!h.cards || !h.gpus || !h.nets || !h.cpus || !h.card_of)
        return false;
    for (uint32_t i = 0; i < count; i++)
        add_element(&h, i);
    for (uint32_t i = h.card_count; i-- > 0;) {
        struct orr_card *card = &h.cards[i];
        card->gpus += card->gpus_at;
        card->nets += card->nets_at;
        card->gbps += card->gbps_at;
        card->model = model_of(dump, card);
        if (card->above == ORR_NO_CARD)
            continue;
        h.cards[card->above].gpus += card->gpus;
        h.cards[card->above].nets += card->nets;
        h.cards[card->above].gbps += card->gbps;
    }
    *ret_hardware = h;
    return orr_hardware_compare_equals(ret_hardware, arena);
}

/* The device of a rank if other ranks share it, otherwise the rank's own node. */
static uint32_t device_of(const struct orr_system *system, uint32_t rank)
{
    const struct orr_node *node = &system->nodes[rank];
    for (uint32_t l = node->first_link; l < node->first_link + node->link_count; l++) {
        uint32_t device = system->links[l].to, ranks = 0;
        if (system->nodes[device].type != ORR_DEV)
            continue;
        node = &system->nodes[device];
        for (l = node->first_link; l < node->first_link + node->link_count; l++)
            ranks += system->nodes[system->links[l].to].type == ORR_GPU;
        return ranks > 1 ? device : rank;
    }
    return rank;
}

/* The NIC of a port: functions of one card are one NIC in some releases. */
static uint32_t nic_of(const struct orr_system *system, uint32_t port)
{
    const struct orr_node *node = &system->nodes[port];
    for (uint32_t l = node->first_link; l < node->first_link + node->link_count; l++)
        if (system->nodes[system->links[l].to].type == ORR_NIC)
            return system->links[l].to;
    return port;
}

uint32_t *orr_hardware_nodes(const struct orr_hardware_facts *hardware, const struct orr_system *system,
                             struct orr_arena *arena)
{
    const struct orr_dump *dump = hardware->dump;
    uint32_t *node_of = ORR_NEW(arena, uint32_t, dump->element_count);
    uint32_t *of_card = ORR_NEW(arena, uint32_t, (size_t)hardware->card_count + 1);
    if (!node_of || !of_card)
        return NULL;
    memset(node_of, 0xff, dump->element_count * sizeof *node_of); /* ORR_NO_NODE */
    memset(of_card, 0xff, hardware->card_count * sizeof *of_card);
    for (uint32_t i = 0; i < system->node_count; i++) {
        uint32_t element = system->nodes[i].element;
        if (element == ORR_NO_ELEMENT || node_of[element] != ORR_NO_NODE)
            continue;
        node_of[element] = system->nodes[i].type == ORR_GPU ? device_of(system, i) : i;
        uint32_t card = hardware->card_of[element];
        if (card != ORR_NO_CARD && of_card[card] == ORR_NO_NODE)
            of_card[card] = node_of[element];
    }
    for (uint32_t e = 0; e < dump->element_count; e++) {
        uint32_t node = hardware->card_of[e] == ORR_NO_CARD ? ORR_NO_NODE : of_card[hardware->card_of[e]];
        if (node_of[e] == ORR_NO_NODE && node != ORR_NO_NODE)
            node_of[e] = dump->elements[e].kind == ORR_ELEMENT_PCI ? nic_of(system, node) : node;
    }
    return node_of;
}

const struct orr_slower *orr_slower_first(const struct orr_hardware_facts *hardware, enum orr_slower_kind kind)
{
    for (uint32_t i = 0; i < hardware->slower_count; i++)
        if (hardware->slower[i].kind == kind)
            return &hardware->slower[i];
    return NULL;
}

const struct orr_gpu_model *orr_gpu_model_without_p2p(const struct orr_dump *dump)
{
    enum { NVIDIA = 0x10de };
    const struct orr_gpu_model *model =
        dump->notes && dump->notes->gpu_name ? orr_gpu_model_of_name(dump->notes->gpu_name) : NULL;
    for (uint32_t e = 0; !model && e < dump->element_count; e++) {
        if (dump->elements[e].kind != ORR_ELEMENT_GPU || dump->elements[e].parent == ORR_NO_ELEMENT)
            continue;
        const uint64_t identity = orr_pci_identity(dump, dump->elements[e].parent);
        if (identity >> 48 == NVIDIA)
            model = orr_gpu_model_of_device((uint32_t)(identity >> 32 & 0xffff));
    }
    const bool offered = dump->notes && dump->notes->p2p_pairs > dump->notes->p2p_refused;
    return model && model->p2p == ORR_NO && !offered ? model : NULL;
}
