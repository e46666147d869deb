/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of machines: hosts, CPUs, trees of switches, GPUs and NICs. */
#include "tests/property/machine.h"

#include <string.h>

static void plan_cpus(struct machine *m)
{
    static const uint8_t nodes_of_host[] = {1, 1, 1, 2, 2, 2, 2, 3, 4, 4, 8};
    struct chance *c = m->chance;
    bool fused = chance_percent(c, 10), mixed = chance_percent(c, 4);
    int32_t nodes = CHANCE_OF(c, nodes_of_host), kind = chance_between(c, 0, 15);
    m->host_count = fused ? (uint32_t)chance_between(c, 2, chance_percent(c, 10) ? 9 : 4) : 1;
    if (fused && nodes > 4)
        nodes = 4;
    for (uint32_t host = 0; host < m->host_count; host++)
        for (int32_t numa = 0; numa < nodes; numa++)
            m->cpus[m->cpu_count++] = (struct cpu_plan){
                .host = (int32_t)host,
                .numa = nodes == 1 && chance_percent(c, 5) ? -1 : numa,
                .kind = mixed ? chance_between(c, 0, 15) : kind,
                .hash = fused ? host + 1 : (uint32_t)(m->sloppy ? 0 : 1),
            };
}

static int32_t add_switch(struct machine *m, int32_t cpu, int32_t parent, int32_t identity)
{
    if (m->switch_count == MOST_SWITCHES)
        return parent;
    m->switches[m->switch_count] = (struct switch_plan){cpu, parent, identity, -1, m->next_bus++};
    return (int32_t)m->switch_count++;
}

/* Below each CPU none to four switches, some of them with switches of their own. */
static void plan_switches(struct machine *m)
{
    static const int8_t identities[] = {-1, -1, -1, 0, 1, 2, 3};
    struct chance *c = m->chance;
    uint32_t wide = chance_below(c, 5), deep = chance_percent(c, 40) ? chance_below(c, 4) : 0;
    int32_t identity = CHANCE_OF(c, identities);
    bool scrambled = chance_percent(c, 5); /* a lower switch may be above an upper one */
    for (uint32_t cpu = 0; cpu < m->cpu_count; cpu++)
        for (uint32_t i = 0; i < wide; i++) {
            int32_t top = add_switch(m, (int32_t)cpu, AT_CPU, scrambled ? chance_between(c, -1, 3) : identity);
            for (uint32_t level = 0; level < deep; level++) {
                /* Broadcom's lower switches have the next identity; a twin beside makes the tree branch. */
                int32_t lower = scrambled ? chance_between(c, -1, 3) : identity < 0 ? -1 : identity | 1;
                int32_t next = add_switch(m, (int32_t)cpu, top, lower);
                if (chance_percent(c, 50))
                    add_switch(m, (int32_t)cpu, top, lower);
                if (chance_percent(c, 50))
                    top = next;
            }
        }
    for (uint32_t i = 0; i + 1 < m->switch_count && chance_percent(c, 4); i += 2) {
        m->switches[i].peer = (int32_t)i + 1;
        m->switches[i + 1].peer = (int32_t)i;
    }
}

/* The next of a CPU's switches in turn, or the CPU itself if it has none. */
static int32_t choose_place(struct machine *m, int32_t cpu, uint32_t turn)
{
    int32_t places[MOST_SWITCHES + 1];
    uint32_t count = 0;
    for (uint32_t s = 0; s < m->switch_count; s++)
        if (m->switches[s].cpu == cpu)
            places[count++] = (int32_t)s;
    return count ? places[turn % count] : AT_CPU;
}

static uint32_t count_gpus(struct machine *m)
{
    static const uint8_t alone[] = {1, 2, 2, 3, 4, 4, 4, 5, 6, 7, 8, 8, 8, 8, 8, 8, 10, 12, 16, 16};
    static const uint8_t large[] = {17, 24, 32, 33, 40};
    struct chance *c = m->chance;
    if (m->host_count > 1)
        return m->host_count * (uint32_t)chance_between(c, 1, m->host_count > 4 ? 4 : 5);
    return chance_percent(c, 3) ? CHANCE_OF(c, large) : CHANCE_OF(c, alone);
}

static void plan_gpus(struct machine *m)
{
    static const uint8_t capabilities[] = {35, 52, 60, 61, 70, 70,  75,  80,  80, 80,
                                           86, 89, 90, 90, 90, 100, 100, 103, 120};
    struct chance *c = m->chance;
    uint32_t count = count_gpus(m);
    bool mixed = chance_percent(c, 6), scattered = chance_percent(c, 15), unranked = chance_percent(c, 6);
    bool shared = chance_percent(c, 5), partitioned = shared && chance_percent(c, 50), no_gdr = chance_percent(c, 15);
    bool has_c2c = chance_percent(c, 12), direct = has_c2c || chance_percent(c, 15);
    int32_t sm = CHANCE_OF(c, capabilities), stride = chance_percent(c, 10) ? (int32_t)count - 1 : 1, c2c = 10;
    m->pci_generation = chance_between(c, 3, 6);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t cpu = scattered ? chance_below(c, m->cpu_count) : i * m->cpu_count / count;
        int32_t local = (int32_t)(i % (count / m->host_count ? count / m->host_count : 1));
        m->gpus[i] = (struct gpu_plan){
            .cpu = (int32_t)cpu,
            .at = direct ? AT_CPU : choose_place(m, (int32_t)cpu, scattered ? chance_below(c, 16) : i),
            .rank = unranked && chance_percent(c, 30) ? -1 : (int32_t)m->rank_count++,
            .dev = m->host_count > 1 ? local : (int32_t)i,
            .sm = mixed ? CHANCE_OF(c, capabilities) : sm,
            .gdr = no_gdr ? chance_between(c, 0, 1) : 1,
            .second_rank = -1,
            .c2c = has_c2c ? c2c : 0,
            .bus = m->next_bus++,
        };
        if (shared && m->gpus[i].rank >= 0) {
            m->gpus[i].second_rank = (int32_t)m->rank_count++;
            m->gpus[i].partitioned = partitioned;
        }
    }
    m->gpu_count = count;
    if (count > 1 && stride > 1) /* ranks the other way round */
        for (uint32_t i = 0; i < count; i++)
            if (m->gpus[i].rank >= 0 && m->gpus[i].second_rank < 0)
                m->gpus[i].rank = (int32_t)m->rank_count - 1 - m->gpus[i].rank;
}

/* NICs of one kind: beside GPUs, or wherever there is a place; some cards have two ports or two functions. */
static void plan_nics(struct machine *m)
{
    static const int32_t speeds[] = {100000, 100000, 200000, 200000, 400000, 400000, 400000, 800000,
                                     50000,  25000,  10000,  1000,   123456, 7,      0,      -1};
    struct chance *c = m->chance;
    static const uint8_t counts[] = {0, 0, 1, 1, 2, 2, 3, 4, 4, 8, 16};
    uint32_t count = chance_percent(c, 40) ? m->gpu_count : CHANCE_OF(c, counts);
    bool beside = chance_percent(c, 65), functions = chance_percent(c, 15), mixed = chance_percent(c, 10);
    bool one_card = chance_percent(c, 10), no_pci = chance_percent(c, 6), gdr = chance_percent(c, 85);
    int32_t speed = CHANCE_OF(c, speeds), ports = chance_percent(c, 15) ? 2 : 1, coll = chance_percent(c, 50);
    count = count < MOST_NICS ? count : MOST_NICS;
    for (uint32_t i = 0; i < count; i++) {
        bool again = functions && i % 2;
        uint32_t near = i % m->gpu_count;
        int32_t cpu = beside ? m->gpus[near].cpu : (int32_t)chance_below(c, m->cpu_count);
        int32_t at = beside ? m->gpus[near].at : choose_place(m, cpu, chance_below(c, 16));
        struct nic_plan *nic = &m->nics[i];
        *nic = (struct nic_plan){
            .cpu = again ? nic[-1].cpu : cpu,
            .at = no_pci  ? AT_CPU_WITHOUT_PCI
                  : again ? nic[-1].at
                          : at,
            .bus = again ? nic[-1].bus : m->next_bus++,
            .function = again,
            .first_net = (int32_t)m->net_count,
            .net_count = ports,
            .speed = mixed ? CHANCE_OF(c, speeds) : speed,
            .gdr = gdr && !(mixed && chance_percent(c, 30)),
            .coll = coll,
            .guid = one_card ? 7
                    : again  ? nic[-1].guid
                             : 100 + i,
        };
        m->net_count += (uint32_t)ports;
    }
    m->nic_count = count;
}

void machine_plan(struct machine *m, struct chance *chance)
{
    memset(m, 0, sizeof *m);
    m->chance = chance;
    m->next_bus = 0x10;
    m->sloppy = chance_percent(chance, 8);
    plan_cpus(m);
    plan_switches(m);
    plan_gpus(m);
    plan_nics(m);
    machine_join_gpus(m);
}
