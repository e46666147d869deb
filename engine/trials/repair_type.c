/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs that give NICs the values of the machine type, and that add copies of NICs. */
#include <stdio.h>
#include <string.h>

#include "engine/trials/repair.h"

/* Whether the NICs are numbered in document order, as on machines that list their devices by bus id. */
static bool is_numbered_in_order(const struct orr_variant *variant)
{
    int32_t last = -1;
    for (uint32_t i = 0; i < variant->hw->net_count; i++) {
        int32_t dev = orr_element_int(variant->hw->dump, variant->hw->nets[i], ORR_ATTR_DEV, -1);
        if (dev <= last)
            return false;
        last = dev;
    }
    return true;
}

/* A new name similar to its equals' names, because a name shows the kind of NIC: mlx5_0 becomes mlx5_1000. */
static void rename_copy(struct orr_variant *variant, struct orr_doc_node *net, uint32_t number)
{
    enum { BEYOND_OTHERS = 1000 };
    const char *name = orr_doc_get(net, ORR_ATTR_NAME);
    size_t length = name ? strlen(name) : 0;
    char text[64];
    while (length && name[length - 1] >= '0' && name[length - 1] <= '9')
        length--;
    snprintf(text, sizeof text, "%.*s%u", (int)(length < 32 ? length : 32), name ? name : "", BEYOND_OTHERS + number);
    orr_doc_set(&variant->doc, net, ORR_ATTR_NAME, "%s", text);
}

void orr_repair_add_nic(struct orr_variant *variant, struct orr_doc_node *parent, uint32_t like, uint32_t *added)
{
    struct orr_doc_node *nic = orr_doc_add(&variant->doc, parent, ORR_ELEMENT_PCI, NULL);
    orr_doc_copy_element(&variant->doc, nic, variant->hw->dump, variant->hw->cards[like].element);
    orr_doc_set(&variant->doc, nic, ORR_ATTR_BUSID, "ffff:%02x:00.0", *added & 0xff);
    for (struct orr_doc_node *node = nic; node; node = orr_doc_next(node, nic))
        if (node->kind == ORR_ELEMENT_NET) {
            orr_doc_set(&variant->doc, node, ORR_ATTR_DEV, "%u", variant->hw->net_count + *added);
            orr_doc_set(&variant->doc, node, ORR_ATTR_GUID, "0xffffffff%08x", *added);
            rename_copy(variant, node, *added);
            ++*added;
        }
    orr_variant_touch(variant);
}

void orr_repair_number_nics(struct orr_variant *variant, uint32_t added)
{
    uint32_t number = 0;
    if (!added || !is_numbered_in_order(variant))
        return;
    for (struct orr_doc_node *node = variant->doc.system; node; node = orr_doc_next(node, variant->doc.system))
        if (node->kind == ORR_ELEMENT_NET)
            orr_doc_set(&variant->doc, node, ORR_ATTR_DEV, "%u", number++);
}

/* Elements of the ports that jobs use; *ret_count is 0 if no type resembles the machine, or memory ran out. */
static const uint32_t *job_ports(struct orr_variant *variant, const struct orr_nearly *nearly, enum orr_differs differs,
                                 uint32_t *ret_count)
{
    uint32_t *nets = ORR_NEW(variant->arena, uint32_t, variant->hw->net_count);
    *ret_count = nearly->differs == differs && nets ? orr_job_ports(variant->hw, nearly->types[0], nets) : 0;
    return nets;
}

static void set_speed(struct orr_variant *variant, const struct orr_nearly *nearly)
{
    uint32_t count;
    const uint32_t *nets = job_ports(variant, nearly, ORR_DIFFERS_PORT_SPEED, &count);
    for (uint32_t i = 0; i < count; i++)
        orr_variant_set_int(variant, variant->nodes[nets[i]], ORR_ATTR_SPEED, nearly->there);
}

void orr_repair_ports_of_type(struct orr_variant *variant)
{
    set_speed(variant, &variant->machine->nearly);
}

void orr_repair_ports_of_other_type(struct orr_variant *variant)
{
    set_speed(variant, &variant->machine->slower);
}

/* A place for new NICs: the bridge or CPU around a GPU or a NIC. */
struct place {
    uint32_t around, like, nics; /* element; card of a NIC to copy; number of ports, including added ones */
};

static uint32_t around(const struct orr_variant *variant, uint32_t card)
{
    return variant->hw->dump->elements[variant->hw->cards[card].element].parent;
}

static struct place place_of(const struct orr_variant *variant, uint32_t card, uint32_t like)
{
    const struct orr_hardware_facts *hw = variant->hw;
    const uint32_t bridge = hw->cards[card].above;
    struct place place = {around(variant, card), like, bridge == ORR_NO_CARD ? 0 : hw->cards[bridge].nets};
    for (uint32_t i = 0; bridge == ORR_NO_CARD && i < hw->card_count; i++)
        place.nics += hw->cards[i].above == ORR_NO_CARD && around(variant, i) == place.around ? hw->cards[i].nets : 0;
    return place;
}

/* Around the GPUs; around the NICs if no bridge serves both and they may stay together. */
static uint32_t list_places(struct orr_variant *variant, const uint32_t *nets, uint32_t net_count, bool together,
                            struct place *places)
{
    const struct orr_hardware_facts *hw = variant->hw;
    const uint32_t like = hw->card_of[nets[0]], bridge = hw->cards[like].above;
    uint32_t count = 0;
    if (together && (bridge == ORR_NO_CARD || !hw->cards[bridge].gpus)) {
        for (uint32_t i = 0; i < net_count; i++)
            if (hw->card_of[nets[i]] != ORR_NO_CARD)
                places[count++] = place_of(variant, hw->card_of[nets[i]], hw->card_of[nets[i]]);
        return count;
    }
    for (uint32_t i = 0; i < hw->card_count; i++)
        if (hw->cards[i].gpus_at && (!count || places[count - 1].around != around(variant, i)))
            places[count++] = place_of(variant, i, like);
    return count;
}

/* Adds NICs until there are `wanted` more ports; each goes to the place with the fewest ports. */
static void add_nics(struct orr_variant *variant, const uint32_t *nets, uint32_t count, uint32_t wanted, bool together)
{
    struct place *places = ORR_NEW(variant->arena, struct place, (size_t)variant->hw->card_count + count);
    uint32_t added = 0;
    if (!count || !places || variant->hw->card_of[nets[0]] == ORR_NO_CARD)
        return;
    const uint32_t place_count = list_places(variant, nets, count, together, places);
    while (place_count && added < wanted) {
        struct place *fewest = places;
        const uint32_t before = added;
        for (uint32_t i = 1; i < place_count; i++)
            fewest = places[i].nics < fewest->nics ? &places[i] : fewest;
        orr_repair_add_nic(variant, variant->nodes[fewest->around], fewest->like, &added);
        fewest->nics += added - before;
        if (added == before) /* the card has no port to copy */
            return;
    }
    orr_repair_number_nics(variant, added);
}

/* Without switches, the type, or most of several hosts, says how many NICs there are; each is as near to its GPUs as
 * the others. */
void orr_repair_nics_without_switches(struct orr_variant *variant)
{
    const struct orr_machine *machine = variant->machine;
    uint32_t *ports = machine->type ? ORR_NEW(variant->arena, uint32_t, variant->hw->net_count) : NULL;
    const uint32_t *nets = ports ? ports : variant->hw->nets;
    const uint32_t count = ports ? orr_job_ports(variant->hw, machine->type, ports) : variant->hw->net_count;
    const uint32_t like = count ? variant->hw->card_of[nets[0]] : ORR_NO_CARD;
    if (like != ORR_NO_CARD && variant->hw->net_count < machine->nics) /* a slow port is not a missing one */
        add_nics(variant, nets, count, machine->nics - machine->nics_here,
                 variant->hw->cards[like].above != ORR_NO_CARD);
}

/* If the machine has as many ports as its type but some are slower, no port is missing, and the slow ones get the
 * type's speed. */
static bool raise_slow_ports(struct orr_variant *variant, const struct orr_machine_type *type, uint32_t fast,
                             uint32_t wanted)
{
    const struct orr_hardware_facts *hw = variant->hw;
    uint32_t named = 0;
    for (uint32_t i = 0; i < hw->net_count; i++)
        named += orr_has_name_of(type, orr_element_word(hw->dump, hw->nets[i], ORR_ATTR_NAME));
    for (uint32_t i = 0; named == fast + wanted && i < hw->net_count; i++)
        if (orr_has_name_of(type, orr_element_word(hw->dump, hw->nets[i], ORR_ATTR_NAME)))
            orr_variant_set_int(variant, variant->nodes[hw->nets[i]], ORR_ATTR_SPEED, type->net_mbps);
    return named == fast + wanted;
}

static void complete_nics(struct orr_variant *variant, const struct orr_nearly *nearly)
{
    uint32_t count;
    const uint32_t *nets = job_ports(variant, nearly, ORR_DIFFERS_PORTS, &count);
    const uint32_t wanted = count ? count / nearly->here * (nearly->there - nearly->here) : 0;
    if (count && !raise_slow_ports(variant, nearly->types[0], count, wanted))
        add_nics(variant, nets, count, wanted, true);
}

void orr_repair_nics_of_type(struct orr_variant *variant)
{
    complete_nics(variant, &variant->machine->nearly);
}

void orr_repair_nics_of_other_type(struct orr_variant *variant)
{
    complete_nics(variant, &variant->machine->fewer);
}

/* Gives the NICs the speed of the type with the slowest NICs for these GPUs, and adds NICs up to that type's number per
 * GPU. */
void orr_repair_nics_of_generation(struct orr_variant *variant)
{
    enum { MOST_NICS = 256 };
    const struct orr_hardware_facts *hw = variant->hw;
    const struct orr_machine_type *type = orr_machine_of_faster_nics(hw, variant->machine);
    for (uint32_t i = 0; type && i < hw->net_count; i++)
        orr_variant_set_int(variant, variant->nodes[hw->nets[i]], ORR_ATTR_SPEED, type->net_mbps);
    const uint64_t wanted = type ? ((uint64_t)type->nets * hw->gpu_count + type->gpus - 1) / type->gpus : 0;
    if (wanted > hw->net_count && wanted <= MOST_NICS)
        add_nics(variant, hw->nets, hw->net_count, (uint32_t)wanted - hw->net_count, false);
}
