/* SPDX-License-Identifier: Apache-2.0 */
/* Finds which devices of a table of distances share a CPU or a switch. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "engine/input/matrix.h"

static enum orr_relation relation(const struct orr_matrix *matrix, uint32_t a, uint32_t b)
{
    return (enum orr_relation)matrix->relations[(size_t)a * matrix->count + b];
}

static uint32_t find_root(uint32_t *set, uint32_t i)
{
    while (set[i] != i)
        i = set[i] = set[set[i]];
    return i;
}

/* The least member represents the set, so that sets come in the order of devices. */
static void join(uint32_t *set, uint32_t a, uint32_t b)
{
    a = find_root(set, a);
    b = find_root(set, b);
    if (a < b)
        set[b] = a;
    else
        set[a] = b;
}

static const char *place_of(const struct orr_matrix_device *device)
{
    const char *numa = device->numa && isdigit((unsigned char)device->numa[0]) ? device->numa : NULL;
    return numa ? numa : device->cpus && isdigit((unsigned char)device->cpus[0]) ? device->cpus : NULL;
}

static bool knows_place(const struct orr_matrix *matrix, uint32_t i)
{
    if (place_of(&matrix->devices[i]))
        return true;
    for (uint32_t j = 0; j < matrix->count; j++)
        if (j != i && relation(matrix, i, j) >= ORR_REL_PIX && relation(matrix, i, j) <= ORR_REL_SYS)
            return true;
    return false;
}

static void join_all(const struct orr_matrix *matrix, struct orr_matrix_groups *g)
{
    for (uint32_t i = 0; i < matrix->count; i++)
        g->cpu_of[i] = g->outer_of[i] = g->inner_of[i] = i;
    for (uint32_t i = 0; i < matrix->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            enum orr_relation how = relation(matrix, i, j);
            const char *a = place_of(&matrix->devices[i]), *c = place_of(&matrix->devices[j]);
            if ((how >= ORR_REL_PIX && how <= ORR_REL_NODE) || (a && c && !strcmp(a, c)))
                join(g->cpu_of, i, j);
            if (how == ORR_REL_PIX || how == ORR_REL_PXB)
                join(g->outer_of, i, j);
            if (how == ORR_REL_PIX)
                join(g->inner_of, i, j);
        }
    for (uint32_t i = 1; i < matrix->count; i++) /* a device without any cell goes to the first device's CPU */
        if (!knows_place(matrix, i))
            join(g->cpu_of, i, 0);
    for (uint32_t i = 0; i < matrix->count; i++) {
        g->cpu_of[i] = find_root(g->cpu_of, i);
        g->outer_of[i] = find_root(g->outer_of, i);
        g->inner_of[i] = find_root(g->inner_of, i);
    }
}

/* Gives CPUs the table's NUMA ids, and unused ones to CPUs without an id. */
static void number_cpus(const struct orr_matrix *matrix, struct orr_matrix_groups *g)
{
    bool used[256] = {false};
    for (uint32_t i = 0; i < matrix->count; i++)
        g->numa_of[i] = -1;
    for (uint32_t i = 0; i < matrix->count; i++) {
        const char *numa = matrix->devices[i].numa;
        uint32_t cpu = g->cpu_of[i];
        long number = numa && isdigit((unsigned char)numa[0]) ? strtol(numa, NULL, 10) : -1;
        if (number >= 0 && number < 256 && g->numa_of[cpu] < 0 && !used[number]) {
            g->numa_of[cpu] = (int32_t)number;
            used[number] = true;
        }
    }
    int32_t unused = 0;
    for (uint32_t i = 0; i < matrix->count; i++)
        if (g->cpu_of[i] == i && g->numa_of[i] < 0) {
            while (unused < 256 && used[unused])
                unused++;
            g->numa_of[i] = unused++;
        }
}

/* What the tree says about a pair. */
static enum orr_relation tree_relation(const struct orr_matrix_groups *g, uint32_t i, uint32_t j)
{
    if (g->inner_of[i] == g->inner_of[j])
        return ORR_REL_PIX;
    if (g->outer_of[i] == g->outer_of[j])
        return ORR_REL_PXB;
    return g->cpu_of[i] == g->cpu_of[j] ? ORR_REL_NODE : ORR_REL_SYS;
}

/* Counts pairs that the tree, which other cells imply, joins more closely than their own cell says. */
static void count_widened(const struct orr_matrix *matrix, struct orr_matrix_groups *g)
{
    for (uint32_t i = 0; i < matrix->count; i++)
        for (uint32_t j = 0; j < i; j++) {
            enum orr_relation how = relation(matrix, i, j);
            enum orr_relation tree = tree_relation(g, i, j);
            if (how >= ORR_REL_PIX && how <= ORR_REL_SYS && how > tree && !(how == ORR_REL_PHB && tree == ORR_REL_NODE))
                g->widened++;
        }
}

void orr_matrix_group(const struct orr_matrix *matrix, struct orr_matrix_groups *ret_groups)
{
    join_all(matrix, ret_groups);
    number_cpus(matrix, ret_groups);
    count_widened(matrix, ret_groups);
}
