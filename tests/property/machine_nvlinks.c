/* SPDX-License-Identifier: Apache-2.0 */
/* How the GPUs of a plan are joined: by NVLink to each other, to NVSwitches, to POWER CPUs, or not at all. */
#include "tests/property/machine.h"

static void add(struct machine *m, uint32_t gpu, int32_t to, int32_t count)
{
    struct gpu_plan *g = &m->gpus[gpu];
    if (g->nvlink_count < MOST_NVLINKS)
        g->nvlinks[g->nvlink_count++] = (struct nvlink_plan){to, count};
}

static bool on_one_host(const struct machine *m, uint32_t a, uint32_t b)
{
    return m->cpus[m->gpus[a].cpu].host == m->cpus[m->gpus[b].cpu].host;
}

/* Both ends; now and then with another count at one end, or at one end only, on which NCCL fails. */
static void join(struct machine *m, uint32_t a, uint32_t b, int32_t count)
{
    if (a == b || !on_one_host(m, a, b))
        return;
    add(m, a, (int32_t)b, count);
    if (!m->sloppy)
        add(m, b, (int32_t)a, count);
    else if (!chance_percent(m->chance, 5))
        add(m, b, (int32_t)a, chance_percent(m->chance, 20) ? count + 1 : count);
}

/* A pair is asked for once only. */
static void join_at_random(struct machine *m)
{
    uint32_t percent = (uint32_t)chance_between(m->chance, 10, 100);
    bool even = chance_percent(m->chance, 50);
    for (uint32_t a = 0; a < m->gpu_count; a++)
        for (uint32_t b = a + 1; b < m->gpu_count; b++)
            if (chance_percent(m->chance, percent))
                join(m, a, b, even ? 2 : chance_between(m->chance, 1, 6));
}

static void join_in_pairs(struct machine *m)
{
    int32_t count = chance_between(m->chance, 1, 12);
    for (uint32_t a = 0; a + 1 < m->gpu_count; a += 2)
        join(m, a, a + 1, count);
}

static void join_in_a_ring(struct machine *m)
{
    int32_t count = chance_between(m->chance, 1, 6);
    for (uint32_t a = 0; a < m->gpu_count && m->gpu_count > 2; a++)
        join(m, a, (a + 1) % m->gpu_count, count);
}

/* Two groups of four, all joined inside, each GPU joined to its counterpart in the other group. */
static void join_as_cube(struct machine *m)
{
    for (uint32_t a = 0; a < m->gpu_count; a++)
        for (uint32_t b = a + 1; b < m->gpu_count; b++)
            if (a / 8 == b / 8 && a / 4 == b / 4)
                join(m, a, b, (a + b) % 4 == 3 ? 2 : 1);
            else if (a / 8 == b / 8 && b - a == 4)
                join(m, a, b, 2);
}

static void join_by_switches(struct machine *m)
{
    static const uint8_t counts[] = {6, 12, 12, 18, 18, 18, 1};
    int32_t count = CHANCE_OF(m->chance, counts);
    bool uneven = chance_percent(m->chance, 8);
    for (uint32_t a = 0; a < m->gpu_count; a++)
        add(m, a, TO_SWITCH, uneven && a % 3 == 0 ? count / 2 : count);
}

static void join_to_cpus(struct machine *m)
{
    for (uint32_t a = 0; a < m->gpu_count; a++)
        if (m->gpus[a].at == AT_CPU || chance_percent(m->chance, 5))
            add(m, a, TO_CPU, 3);
    join_in_pairs(m);
}

void machine_join_gpus(struct machine *m)
{
    static void (*const styles[])(struct machine *) = {
        NULL,           NULL,         NULL,         join_at_random,   join_at_random,   join_at_random,   join_in_pairs,
        join_in_a_ring, join_as_cube, join_as_cube, join_by_switches, join_by_switches, join_by_switches, join_to_cpus,
    };
    void (*style)(struct machine *) = CHANCE_OF(m->chance, styles);
    if (style)
        style(m);
    if (m->sloppy && chance_percent(m->chance, 20))
        add(m, 0, TO_NOTHING, 1);
}
