/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/machines/recognising.h"

#include <string.h>

/* CPU models as in /proc/cpuinfo, families in NCCL's form (for AMD: base family + 16 * extended family). */
static const struct {
    const char *vendor;
    int32_t family, model, generation;
} cpus[] = {
    {"GenuineIntel", 6, 79, 3},    /* Broadwell */
    {"GenuineIntel", 6, 85, 3},    /* Skylake, Cascade Lake */
    {"GenuineIntel", 6, 106, 4},   /* Ice Lake */
    {"GenuineIntel", 6, 143, 5},   /* Sapphire Rapids */
    {"GenuineIntel", 6, 207, 5},   /* Emerald Rapids */
    {"GenuineIntel", 6, 173, 5},   /* Granite Rapids */
    {"AuthenticAMD", 143, 1, 3},   /* Naples */
    {"AuthenticAMD", 143, 49, 4},  /* Rome */
    {"AuthenticAMD", 175, 1, 4},   /* Milan */
    {"AuthenticAMD", 175, 17, 5},  /* Genoa */
    {"AuthenticAMD", 175, 160, 5}, /* Bergamo */
    {"AuthenticAMD", 191, 2, 5},   /* Turin */
};

int32_t orr_cpu_pcie_generation(const char *vendor, int32_t family, int32_t model)
{
    for (size_t i = 0; i < sizeof cpus / sizeof cpus[0]; i++)
        if (!strcmp(cpus[i].vendor, vendor) && cpus[i].family == family && cpus[i].model == model)
            return cpus[i].generation;
    return 0;
}

enum { VENDOR_NVIDIA = 0x10de };

static struct orr_seen look(const struct orr_hardware_facts *h)
{
    struct orr_seen seen = {0};
    for (uint32_t i = 0; i < h->gpu_count; i++) {
        uint32_t card = h->card_of[h->gpus[i]];
        uint64_t identity = card == ORR_NO_CARD ? 0 : h->cards[card].identity;
        uint16_t device = (uint16_t)(identity >> 32);
        int32_t sm = orr_element_int(h->dump, h->gpus[i], ORR_ATTR_SM, 0);
        seen.mixed |=
            (identity >> 48 && identity >> 48 != VENDOR_NVIDIA) || (i && (device != seen.device || sm != seen.sm));
        seen.device = device;
        seen.sm = sm;
        seen.c2c |= orr_gpu_c2c(h->dump, h->gpus[i]) > 0;
    }
    seen.mixed |= !h->gpu_count || !seen.sm;
    seen.model = orr_gpu_model_of_device(seen.device);
    return seen;
}

/* Whether the device id belongs to a GPU of the table with this compute capability. An edited file may contradict
 * itself, and then its ids prove nothing. */
static bool is_listed(const struct orr_seen *seen)
{
    const struct orr_machine_type *type;
    for (size_t i = 0; seen->model && seen->model->sm == seen->sm && (type = orr_machine_type(i)); i++)
        if (orr_gpu_model_is(seen->model, type->board->gpu))
            return true;
    return false;
}

/* Counts the ports that are as fast as the type's. */
static uint32_t count_ports(const struct orr_hardware_facts *h, const struct orr_machine_type *type, bool *ret_named)
{
    uint32_t count = 0, named = 0;
    for (uint32_t i = 0; i < h->net_count; i++) {
        if (!orr_port_is_as_fast(orr_port_mbps(h, h->nets[i]), type->net_mbps))
            continue;
        count++;
        named += orr_port_is_named(h, h->nets[i], type);
    }
    *ret_named = count && 2 * named > count;
    return count;
}

static bool is_one_host(const struct orr_hardware_facts *h)
{
    for (uint32_t i = 1; i < h->cpu_count; i++)
        if (strcmp(orr_element_word(h->dump, h->cpus[i], ORR_ATTR_HOST_HASH),
                   orr_element_word(h->dump, h->cpus[0], ORR_ATTR_HOST_HASH)) != 0)
            return false;
    return true;
}

enum { NO_FIT = UINT32_MAX };

/* The distance of a dump from a type: the number of missing devices, plus one for a different CPU; NO_FIT if it is
 * another machine. A job may use only some of the GPUs. A dump with at most half of the type's ports or GPUs, or with
 * more ports than the type, is another machine. */
static uint32_t distance(const struct orr_hardware_facts *h, const struct orr_machine_type *type, uint32_t *ret_ports)
{
    bool named;
    uint32_t ports = count_ports(h, type, &named);
    *ret_ports = ports;
    if (!named || !orr_machine_has_arch(h, type) || ports > type->nets || 2 * ports <= type->nets ||
        2 * h->gpu_count <= type->gpus)
        return NO_FIT;
    return type->nets - ports + type->gpus - h->gpu_count + !orr_machine_has_cpu(h, type);
}

/* Keeps a value on which all types agree; otherwise it becomes unknown. */
static void agree(int32_t *value, int32_t other, bool first)
{
    *value = first || *value == other ? other : 0;
}

/* What a CPU that is not in the table can run at, as links of other devices below it show; 0 if none does. */
static int32_t generation_shown(const struct orr_hardware_facts *h)
{
    int32_t fastest = 0;
    for (uint32_t i = 0; i < h->card_count; i++) {
        const struct orr_card *card = &h->cards[i];
        const int32_t generation = card->above == ORR_NO_CARD && !card->gpus_at ? orr_pcie_generation(card->rate) : 0;
        fastest = generation > fastest ? generation : fastest;
    }
    return fastest;
}

static void read_boards(const struct orr_hardware_facts *h, const struct orr_seen *seen, struct orr_machine *machine)
{
    const struct orr_machine_type *type;
    bool first = true, exact = false;
    int32_t fastest = 0;
    for (size_t i = 0; (type = orr_machine_type(i)); i++) {
        const struct orr_gpu_board *board = type->board;
        if (!orr_machine_has_gpus(type, seen, is_one_host(h) ? h->gpu_count : 1))
            continue;
        int generation = orr_pcie_generation(orr_pcie_read_rate(board->link_speed));
        agree(&machine->nvlinks, board->nvlinks, first);
        fastest = generation > fastest ? generation : fastest;
        /* prefer the board with the same number of GPUs */
        if (!machine->board || (type->gpus == h->gpu_count && !exact)) {
            machine->board = board;
            exact = type->gpus == h->gpu_count;
        }
        first = false;
    }
    const char *vendor = h->cpu_count ? orr_element_word(h->dump, h->cpus[0], ORR_ATTR_VENDOR) : "";
    int32_t cpu = h->cpu_count
                      ? orr_cpu_pcie_generation(vendor, orr_element_int(h->dump, h->cpus[0], ORR_ATTR_FAMILYID, 0),
                                                orr_element_int(h->dump, h->cpus[0], ORR_ATTR_MODELID, 0))
                      : 0;
    machine->shown_links = !cpu;
    cpu = cpu ? cpu : generation_shown(h);
    machine->generation = cpu < fastest ? cpu : fastest;
    machine->gpu_generation = fastest;
}

static bool has_nvlinks(const struct orr_hardware_facts *h)
{
    for (uint32_t i = 0; i < h->gpu_count; i++)
        if (orr_gpu_nvlinks(h->dump, h->gpus[i]) > 0)
            return true;
    return false;
}

static const char *host_of(const struct orr_hardware_facts *h, uint32_t element)
{
    while (element != ORR_NO_ELEMENT && h->dump->elements[element].kind != ORR_ELEMENT_CPU)
        element = h->dump->elements[element].parent;
    return orr_element_word(h->dump, element, ORR_ATTR_HOST_HASH);
}

/* The number of these devices of several hosts if each had as many as most of them; 0 if half of the hosts or more have
 * another number. */
static uint32_t of_hosts(const struct orr_hardware_facts *h, const uint32_t *devices, uint32_t device_count)
{
    enum { MOST_PAIRS = 1 << 20 }; /* pairs of CPUs and devices: a limit for hostile dumps */
    uint32_t hosts = 0, most = 0, with_most = 0;
    for (uint32_t c = 0; (uint64_t)h->cpu_count * device_count <= MOST_PAIRS && c < h->cpu_count; c++) {
        const char *host = host_of(h, h->cpus[c]);
        uint32_t before = 0, has = 0;
        while (strcmp(host_of(h, h->cpus[before]), host) != 0)
            before++;
        for (uint32_t d = 0; before == c && d < device_count; d++)
            has += !strcmp(host_of(h, devices[d]), host);
        hosts += before == c;
        with_most = has > most ? 1 : with_most + (before == c && has == most);
        most = has > most ? has : most;
    }
    return 2 * with_most > hosts ? hosts * most : 0;
}

void orr_machine_recognise(const struct orr_hardware_facts *h, struct orr_machine *ret_machine)
{
    struct orr_seen seen = look(h);
    seen.listed = !seen.mixed && is_listed(&seen);
    const struct orr_machine_type *type;
    uint32_t nearest = NO_FIT;
    *ret_machine = (struct orr_machine){.proven_board = seen.listed, .gpus_here = h->gpu_count};
    if (seen.mixed)
        return;
    read_boards(h, &seen, ret_machine);
    if (!is_one_host(h)) {
        ret_machine->gpus = of_hosts(h, h->gpus, h->gpu_count);
        ret_machine->nics = of_hosts(h, h->nets, h->net_count);
        ret_machine->nics_here = h->net_count;
    }
    for (size_t i = 0; is_one_host(h) && (type = orr_machine_type(i)); i++) {
        uint32_t ports, away = orr_machine_has_gpus(type, &seen, h->gpu_count) ? distance(h, type, &ports) : NO_FIT;
        if (away == NO_FIT || away > nearest)
            continue;
        bool first = away < nearest;
        int32_t gpus = (int32_t)ret_machine->gpus, nics = (int32_t)ret_machine->nics;
        agree(&gpus, (int32_t)type->gpus, first);
        agree(&nics, (int32_t)type->nets, first);
        agree(&ret_machine->nvlinks, type->board->nvlinks, first);
        ret_machine->gpus = (uint32_t)gpus;
        ret_machine->nics = (uint32_t)nics;
        ret_machine->nics_here = ports;
        ret_machine->fitting = first ? 1 : ret_machine->fitting + 1;
        if (first) {
            ret_machine->type = type;
            ret_machine->board = type->board;
        }
        nearest = away;
    }
    /* Bridges between PCIe cards are optional: only NVLinks in the dump, or a known machine, prove them. */
    if (ret_machine->board && ret_machine->board->fabric == ORR_FABRIC_PAIRS && !ret_machine->type && !has_nvlinks(h))
        ret_machine->nvlinks = 0;
    /* A PCIe switch may be newer than the CPU: the type says what its links are. */
    ret_machine->type_links = ret_machine->type && orr_machine_has_cpu(h, ret_machine->type);
    ret_machine->shown_links &= !ret_machine->type_links;
    if (ret_machine->type_links)
        ret_machine->generation = orr_pcie_generation(orr_pcie_read_rate(ret_machine->board->link_speed));
    if (ret_machine->type && !strncmp(ret_machine->type->net_name, "rdmap", 5))
        ret_machine->proven_board = true; /* only EC2 has NICs of these names */
    if (!ret_machine->type)
        orr_machine_find_nearly(h, &seen, ORR_DIFFERS_NOTHING, &ret_machine->nearly);
    if (!ret_machine->nearly.count) {
        orr_machine_find_nearly(h, &seen, ORR_DIFFERS_PORTS, &ret_machine->fewer);
        orr_machine_find_nearly(h, &seen, ORR_DIFFERS_PORT_SPEED, &ret_machine->slower);
    }
    if (ret_machine->nearly.count)
        ret_machine->board = ret_machine->nearly.types[0]->board;
}
