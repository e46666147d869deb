/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the machine type that a dump resembles except in one figure: every NIC is slower, or half of the NICs or GPUs
 * are missing. A comparison of the devices with one another cannot show such a fault, because they are all alike. The
 * rest of the machine must fit: the GPU, the architecture, the names of the NICs, and both of the other figures. */
#include <string.h>

#include "engine/machines/recognising.h"

/* Counts for one host. NVLink may join several equal hosts to one system. */
struct counted {
    uint32_t gpus, ports; /* ports: those that jobs use */
    int64_t mbps;         /* of such a port */
};

/* The CPUs of a host follow one another. */
static uint32_t count_hosts(const struct orr_hardware_facts *h)
{
    uint32_t count = h->cpu_count > 0;
    for (uint32_t i = 1; i < h->cpu_count; i++)
        count += strcmp(orr_element_word(h->dump, h->cpus[i], ORR_ATTR_HOST_HASH),
                        orr_element_word(h->dump, h->cpus[i - 1], ORR_ATTR_HOST_HASH)) != 0;
    return count;
}

static int64_t fastest_named(const struct orr_hardware_facts *h, const struct orr_machine_type *type)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < h->net_count; i++) {
        int64_t mbps = orr_port_mbps(h, h->nets[i]);
        if (mbps > most && orr_port_is_named(h, h->nets[i], type))
            most = mbps;
    }
    return most;
}

uint32_t orr_job_ports(const struct orr_hardware_facts *h, const struct orr_machine_type *type, uint32_t *ret_nets)
{
    const int64_t fastest = fastest_named(h, type);
    uint32_t count = 0;
    for (uint32_t i = 0; i < h->net_count; i++) {
        if (!orr_port_is_named(h, h->nets[i], type) || !orr_port_is_as_fast(orr_port_mbps(h, h->nets[i]), fastest))
            continue;
        if (ret_nets)
            ret_nets[count] = h->nets[i];
        count++;
    }
    return count;
}

/* Whether some maker of servers may have chosen the number of NICs, because machines with these GPUs and NICs come with
 * any number: a DGX looks like such a machine. */
static bool is_as_chosen(const struct orr_machine_type *type)
{
    const struct orr_machine_type *other;
    for (size_t i = 0; (other = orr_machine_type(i)); i++)
        if (orr_machine_nics_chosen(other) && !strcmp(other->board->gpu, type->board->gpu) &&
            other->gpus == type->gpus && other->net_mbps == type->net_mbps && !strcmp(other->net_name, type->net_name))
            return true;
    return false;
}

/* Whether only some of the PCIe switches that serve GPUs also have a NIC: no machine is built that way. */
static bool is_uneven(const struct orr_hardware_facts *h)
{
    bool with = false, without = false;
    for (uint32_t i = 0; i < h->card_count; i++) {
        uint32_t above = h->cards[i].above;
        if (!h->cards[i].gpus_at || above == ORR_NO_CARD)
            continue;
        with |= h->cards[above].nets > 0;
        without |= !h->cards[above].nets;
    }
    return with && without;
}

/* A single NIC with a common name does not show that half of a machine is missing. */
static bool is_telling(const struct orr_machine_type *type)
{
    return type->nets > 1 || !strncmp(type->net_name, "rdmap", 5) || !strncmp(type->net_name, "mlx5_ib", 7);
}

/* asks: whoever built the machine may have chosen the number of NICs. */
static enum orr_differs differs_from(const struct orr_hardware_facts *h, const struct orr_machine_type *type,
                                     const struct counted *here, bool asks, bool *ret_slower, bool *ret_fewer_gpus)
{
    const bool fast = orr_port_is_as_fast(here->mbps, type->net_mbps), slower = !fast && here->mbps < type->net_mbps;
    /* A machine with half of the GPUs may be another type, so its NICs are at most a question. */
    const bool gone = asks ? 2 * here->gpus == type->gpus && is_telling(type) : 2 * here->gpus > type->gpus;
    *ret_slower = false;
    *ret_fewer_gpus = here->gpus < type->gpus;
    if (!here->ports)
        return ORR_DIFFERS_NOTHING;
    if ((here->gpus == type->gpus || (*ret_fewer_gpus && gone)) && here->ports == type->nets && slower)
        return ORR_DIFFERS_PORT_SPEED;
    if (here->gpus == type->gpus && (fast || (slower && !asks && is_telling(type))) && 2 * here->ports <= type->nets &&
        (asks || !is_as_chosen(type) || is_uneven(h))) {
        *ret_slower = slower;
        return ORR_DIFFERS_PORTS;
    }
    if (2 * here->gpus <= type->gpus && fast && here->ports == type->nets && is_telling(type))
        return ORR_DIFFERS_GPUS;
    return ORR_DIFFERS_NOTHING;
}

static void add(struct orr_nearly *nearly, const struct orr_machine_type *type, const struct counted *here)
{
    const uint32_t values[][2] = {[ORR_DIFFERS_PORT_SPEED] = {(uint32_t)here->mbps, type->net_mbps},
                                  [ORR_DIFFERS_PORTS] = {here->ports, type->nets},
                                  [ORR_DIFFERS_GPUS] = {here->gpus, type->gpus}};
    nearly->here = values[nearly->differs][0];
    if (!nearly->count || values[nearly->differs][1] < nearly->there)
        nearly->there = values[nearly->differs][1];
    if (nearly->count < ORR_MOST_NEARLY)
        nearly->types[nearly->count] = type;
    nearly->chosen |= is_as_chosen(type);
    nearly->count++;
}

enum { TWO = 4, OTHER_CPU = 8 }; /* more than any enum orr_differs */

void orr_machine_find_nearly(const struct orr_hardware_facts *h, const struct orr_seen *seen, enum orr_differs asks,
                             struct orr_nearly *ret)
{
    const struct orr_machine_type *type;
    const uint32_t hosts = count_hosts(h);
    uint32_t best = UINT32_MAX;
    *ret = (struct orr_nearly){0};
    if (!hosts || h->gpu_count % hosts)
        return;
    for (size_t i = 0; (type = orr_machine_type(i)); i++) {
        if (!orr_machine_could_be(h, type, seen, h->gpu_count / hosts))
            continue;
        const uint32_t ports = orr_job_ports(h, type, NULL);
        const struct counted here = {h->gpu_count / hosts, ports % hosts ? 0 : ports / hosts, fastest_named(h, type)};
        bool slower, fewer_gpus;
        const enum orr_differs differs = differs_from(h, type, &here, asks, &slower, &fewer_gpus);
        const bool two = slower || (fewer_gpus && differs != ORR_DIFFERS_GPUS);
        /* The usual CPU first, one difference before two, then slow ports before missing devices, as they are more
         * common. */
        const uint32_t rank = (orr_machine_has_cpu(h, type) ? 0 : OTHER_CPU) + (two ? TWO : 0) + (uint32_t)differs;
        if (!differs || rank > best || (asks && (differs != asks || rank >= OTHER_CPU)))
            continue;
        if (rank < best)
            *ret = (struct orr_nearly){.differs = differs, .cpu = rank < OTHER_CPU, .slower = slower};
        best = rank;
        add(ret, type, &here);
    }
}

const struct orr_machine_type *orr_machine_of_faster_nics(const struct orr_hardware_facts *h,
                                                          const struct orr_machine *machine)
{
    enum { FAR_BELOW = 4, MANAGEMENT_MBPS = 1000 };
    const struct orr_machine_type *type =
        machine->board && machine->proven_board ? orr_machine_least_nics(machine->board->gpu) : NULL;
    int64_t sum = 0, fastest = 0;
    for (uint32_t i = 0; i < h->net_count; i++) {
        int64_t mbps = orr_port_mbps(h, h->nets[i]);
        if (mbps <= 0)
            return NULL;
        sum += mbps;
        fastest = mbps > fastest ? mbps : fastest;
    }
    if (!sum || (!type && fastest > MANAGEMENT_MBPS))
        return NULL;
    if (!type)
        return orr_machine_least_nics(NULL);
    return FAR_BELOW * sum * type->gpus < (int64_t)type->nets * type->net_mbps * h->gpu_count ? type : NULL;
}
