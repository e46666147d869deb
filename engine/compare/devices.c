/* SPDX-License-Identifier: Apache-2.0 */
/* The devices of a dump with their digests. */
#include "engine/compare/devices.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/base/sorting.h"
#include "engine/topology/pci.h"

struct reader {
    struct orr_devices *devices;
    const struct orr_dump *dump;
    struct orr_arena *arena;
};

static uint64_t digest_text(uint64_t digest, const char *text)
{
    return orr_mix(orr_hash_text(digest, text), 1);
}

static uint32_t add_device(struct reader *r, enum orr_device_kind kind, uint32_t element, uint32_t parent)
{
    uint32_t at = r->devices->count++;
    r->devices->rows[at] = (struct orr_device){
        .kind = kind, .element = element, .parent = parent, .rank = -1, .role = -1, .order = INT64_MAX};
    if (element != ORR_NO_ELEMENT)
        r->devices->of_element[element] = at;
    return at;
}

struct named { /* sorted so that equal texts are adjacent, in document order */
    const char *text;
    uint32_t element, device;
};

ORR_COMPARATOR(compare_named, struct named, strcmp(a->text, b->text), ORR_ORDER(a->element, b->element))

/* Adds a device for each host_hash of a <cpu>, and finds that of each <cpu>. */
static bool add_hosts(struct reader *r, uint32_t *host_of)
{
    const struct orr_dump *dump = r->dump;
    struct named *cpus = ORR_NEW(r->arena, struct named, dump->element_count);
    uint32_t count = 0;
    if (!cpus)
        return false;
    for (uint32_t i = 0; i < dump->element_count; i++)
        if (dump->elements[i].kind == ORR_ELEMENT_CPU)
            cpus[count++] = (struct named){orr_element_word(dump, i, ORR_ATTR_HOST_HASH), i, 0};
    qsort(cpus, count, sizeof *cpus, compare_named);
    for (uint32_t i = 0; i < count; i++)
        host_of[cpus[i].element] = i && !strcmp(cpus[i].text, cpus[i - 1].text)
                                       ? host_of[cpus[i - 1].element]
                                       : add_device(r, ORR_DEVICE_HOST, ORR_NO_ELEMENT, 0);
    return true;
}

static enum orr_device_kind card_kind(const struct reader *r, uint32_t pci)
{
    static const enum orr_device_kind kinds[] = {[ORR_CARD_BRIDGE] = ORR_DEVICE_BRIDGE,
                                                 [ORR_CARD_GPU] = ORR_DEVICE_GPU_CARD,
                                                 [ORR_CARD_NIC] = ORR_DEVICE_NIC_CARD};
    return kinds[r->devices->hw.cards[r->devices->hw.card_of[pci]].kind];
}

static void add_elements(struct reader *r, const uint32_t *host_of)
{
    static const enum orr_device_kind kinds[ORR_ELEMENT_COUNT] = {[ORR_ELEMENT_CPU] = ORR_DEVICE_CPU,
                                                                  [ORR_ELEMENT_PCI] = ORR_DEVICE_BRIDGE,
                                                                  [ORR_ELEMENT_GPU] = ORR_DEVICE_GPU,
                                                                  [ORR_ELEMENT_NIC] = ORR_DEVICE_NIC,
                                                                  [ORR_ELEMENT_NET] = ORR_DEVICE_NET};
    const struct orr_dump *dump = r->dump;
    for (uint32_t i = 0; i < dump->element_count; i++) {
        const struct orr_element *element = &dump->elements[i];
        enum orr_device_kind kind = element->kind == ORR_ELEMENT_PCI ? card_kind(r, i) : kinds[element->kind];
        uint32_t parent = element->kind == ORR_ELEMENT_CPU    ? host_of[i]
                          : element->parent == ORR_NO_ELEMENT ? ORR_NO_DEVICE
                                                              : r->devices->of_element[element->parent];
        if (kind != ORR_DEVICE_WHOLE && parent != ORR_NO_DEVICE)
            add_device(r, kind, i, parent);
    }
}

static bool add_children(struct reader *r)
{
    struct orr_devices *d = r->devices;
    uint32_t place = 0;
    if (!(d->children = ORR_NEW(r->arena, uint32_t, d->count)))
        return false;
    for (uint32_t i = 1; i < d->count; i++)
        d->rows[d->rows[i].parent].child_count++;
    for (uint32_t i = 0; i < d->count; i++) {
        d->rows[i].first_child = place;
        place += d->rows[i].child_count;
        d->rows[i].child_count = 0;
    }
    for (uint32_t i = 1; i < d->count; i++) {
        struct orr_device *parent = &d->rows[d->rows[i].parent];
        d->children[parent->first_child + parent->child_count++] = i;
    }
    return true;
}

struct ranked {
    int32_t value;
    uint32_t device;
};

ORR_COMPARATOR(compare_ranked, struct ranked, ORR_ORDER(a->value, b->value), ORR_ORDER(a->device, b->device))

/* Numbers ranks like the analysis: from 0 in the order of the values. */
static bool number_ranks(struct reader *r)
{
    struct orr_devices *d = r->devices;
    struct ranked *ranked = ORR_NEW(r->arena, struct ranked, d->count);
    if (!ranked || !(d->gpu_of_rank = ORR_NEW(r->arena, uint32_t, d->count)))
        return false;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->rows[i].kind == ORR_DEVICE_GPU && orr_element_text(r->dump, d->rows[i].element, ORR_ATTR_RANK))
            ranked[d->rank_count++] =
                (struct ranked){orr_element_int(r->dump, d->rows[i].element, ORR_ATTR_RANK, 0), i};
    qsort(ranked, d->rank_count, sizeof *ranked, compare_ranked);
    for (uint32_t rank = 0; rank < d->rank_count; rank++) {
        d->rows[ranked[rank].device].rank = (int32_t)rank;
        d->rows[ranked[rank].device].role = (int64_t)ranked[rank].value - ranked[0].value;
        d->rows[ranked[rank].device].order = rank;
        d->gpu_of_rank[rank] = ranked[rank].device;
    }
    return true;
}

static uint32_t host_of(const struct orr_devices *d, uint32_t device)
{
    while (d->rows[device].kind > ORR_DEVICE_HOST)
        device = d->rows[device].parent;
    return device;
}

struct placed { /* a GPU by host and bus id */
    uint64_t bus;
    uint32_t host, device;
};

ORR_COMPARATOR(compare_placed, struct placed, ORR_ORDER(a->host, b->host), ORR_ORDER(a->bus, b->bus))

static void add_lane(struct reader *r, uint32_t gpu, uint32_t link, const struct placed *gpus, uint32_t count)
{
    struct orr_devices *d = r->devices;
    enum orr_pci_class target = orr_pci_class_parse(orr_element_word(r->dump, link, ORR_ATTR_TCLASS));
    int32_t said = orr_element_int(r->dump, link, ORR_ATTR_COUNT_, 0);
    uint32_t links = said > 0 ? (uint32_t)said & 0xffff : 0;
    if (target == ORR_CLASS_NVS) {
        d->rows[gpu].switches++;
        d->rows[gpu].switch_links += links;
        return;
    }
    const struct placed key = {orr_bus_id_parse(orr_element_word(r->dump, link, ORR_ATTR_TARGET)), host_of(d, gpu), 0};
    const struct placed *to = target == ORR_CLASS_GPU ? bsearch(&key, gpus, count, sizeof *gpus, compare_placed) : NULL;
    if (to)
        d->lanes[d->lane_count++] = (struct orr_lane){gpu, to->device, links};
    else
        d->rows[gpu].hidden_links += links;
}

static bool add_lanes(struct reader *r)
{
    struct orr_devices *d = r->devices;
    struct placed *gpus = ORR_NEW(r->arena, struct placed, d->count);
    uint32_t count = 0;
    if (!gpus || !(d->lanes = ORR_NEW(r->arena, struct orr_lane, r->dump->element_count)))
        return false;
    for (uint32_t i = 0; i < d->count; i++)
        if (d->rows[i].kind == ORR_DEVICE_GPU && d->rows[d->rows[i].parent].kind == ORR_DEVICE_GPU_CARD)
            gpus[count++] = (struct placed){
                orr_bus_id_parse(orr_element_word(r->dump, d->rows[d->rows[i].parent].element, ORR_ATTR_BUSID)),
                host_of(d, i), i};
    qsort(gpus, count, sizeof *gpus, compare_placed);
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->rows[i].kind != ORR_DEVICE_GPU)
            continue;
        for (uint32_t e = r->dump->elements[d->rows[i].element].first_child; e != ORR_NO_ELEMENT;
             e = r->dump->elements[e].next_sibling)
            if (r->dump->elements[e].kind == ORR_ELEMENT_NVLINK)
                add_lane(r, i, e, gpus, count);
    }
    return true;
}

/* Ports of a host with the same guid are ports or functions of one card. */
static bool count_guids(struct reader *r)
{
    struct orr_devices *d = r->devices;
    struct named *nets = ORR_NEW(r->arena, struct named, d->count);
    uint32_t count = 0;
    if (!nets)
        return false;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->rows[i].kind != ORR_DEVICE_NET)
            continue;
        d->rows[i].guid_shared = 1;
        d->rows[i].order = orr_element_int(r->dump, d->rows[i].element, ORR_ATTR_DEV, INT32_MAX);
        const char *guid = orr_element_word(r->dump, d->rows[i].element, ORR_ATTR_GUID);
        if (guid[strspn(guid, "0x")])
            nets[count++] = (struct named){guid, host_of(d, i), i};
    }
    qsort(nets, count, sizeof *nets, compare_named);
    for (uint32_t from = 0, to; from < count; from = to) {
        for (to = from; to < count && nets[to].element == nets[from].element && !strcmp(nets[to].text, nets[from].text);
             to++)
            ;
        for (uint32_t i = from; i < to; i++)
            d->rows[nets[i].device].guid_shared = to - from;
    }
    return true;
}

/* Computes each device's own digests, then those that include its contents, from the leaves up. */
static void digest(struct orr_devices *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        struct orr_device *device = &d->rows[i];
        char text[ORR_FIGURE_SIZE];
        device->shape = device->hardware = orr_mix(0x0ddba11, device->kind);
        for (size_t f = 0; orr_figure(f); f++)
            if (!orr_figure(f)->numbering && orr_figure_of(d, i, f, text))
                device->hardware = digest_text(orr_mix(device->hardware, f), text);
        device->ranks_below = device->rank < 0 ? 0 : orr_mix(0x7a2b, (uint64_t)device->role);
    }
    for (uint32_t i = 0; i < d->lane_count; i++) /* their number belongs to the GPU; their ends belong to the graph */
        d->rows[d->lanes[i].from].hardware += orr_mix(0x1a4e, d->lanes[i].count);
    for (uint32_t i = d->count; i-- > 0;) {
        struct orr_device *device = &d->rows[i], *parent = i ? &d->rows[device->parent] : NULL;
        device->shape_below = orr_mix(device->shape, device->shape_below);
        device->hardware_below = orr_mix(device->hardware, device->hardware_below);
        if (!parent)
            break;
        parent->shape_below += orr_mix(device->shape_below, 5); /* a sum, so that the order of siblings does not
                                                                 * matter */
        parent->hardware_below += orr_mix(device->hardware_below, 7);
        parent->ranks_below += device->ranks_below;
        parent->order = device->order < parent->order ? device->order : parent->order;
    }
}

enum orr_code orr_devices_read(const struct orr_dump *dump, struct orr_arena *arena, struct orr_devices *ret_devices,
                               struct orr_error *err)
{
    struct reader r = {.devices = ret_devices, .dump = dump, .arena = arena};
    uint32_t *hosts = ORR_NEW(arena, uint32_t, dump->element_count);
    *ret_devices = (struct orr_devices){.dump = dump};
    ret_devices->rows = ORR_NEW(arena, struct orr_device, (size_t)dump->element_count * 2 + 1);
    ret_devices->of_element = ORR_NEW(arena, uint32_t, dump->element_count);
    ORR_NEED(hosts && ret_devices->rows && ret_devices->of_element && orr_hardware_read(dump, arena, &ret_devices->hw),
             err);
    memset(ret_devices->of_element, 0xff, dump->element_count * sizeof *ret_devices->of_element);
    add_device(&r, ORR_DEVICE_WHOLE, ORR_NO_ELEMENT, ORR_NO_DEVICE);
    ORR_NEED(add_hosts(&r, hosts), err);
    add_elements(&r, hosts);
    ORR_NEED(add_children(&r) && number_ranks(&r) && add_lanes(&r) && count_guids(&r), err);
    digest(ret_devices);
    return ORR_OK;
}
