/* SPDX-License-Identifier: Apache-2.0 */
/* Collects all facts of an analysis, sorted. */
#include "engine/whatif/facts.h"

#include <stdlib.h>

static int compare_rows(const void *a, const void *b)
{
    return orr_fact_compare(a, b);
}

static bool is_sorted(const struct orr_fact *rows, size_t count)
{
    for (size_t i = 1; i < count; i++)
        if (orr_fact_compare(&rows[i - 1], &rows[i]) > 0)
            return false;
    return true;
}

/* Puts the rows of each kind together; usually they are then in order. */
static bool sort(struct orr_fact_list *list)
{
    size_t ends[ORR_FACT_KIND_COUNT + 1] = {0};
    struct orr_fact *sorted = ORR_NEW(list->arena, struct orr_fact, list->count);
    if (!sorted)
        return false;
    for (size_t i = 0; i < list->count; i++)
        ends[list->rows[i].kind + 1]++;
    for (int kind = 0; kind < ORR_FACT_KIND_COUNT; kind++)
        ends[kind + 1] += ends[kind];
    for (size_t i = 0; i < list->count; i++)
        sorted[ends[list->rows[i].kind]++] = list->rows[i];
    for (size_t kind = 0, first = 0; kind < ORR_FACT_KIND_COUNT; first = ends[kind++])
        if (!is_sorted(sorted + first, ends[kind] - first))
            qsort(sorted + first, ends[kind] - first, sizeof *sorted, compare_rows);
    list->rows = sorted;
    return true;
}

enum orr_code orr_facts_of(const struct orr_analysis *analysis, struct orr_arena *arena, struct orr_facts *ret_facts,
                           struct orr_error *err)
{
    return orr_facts_named(analysis, NULL, arena, ret_facts, err);
}

enum orr_code orr_facts_named(const struct orr_analysis *analysis, const struct orr_fact_names *names,
                              struct orr_arena *arena, struct orr_facts *ret_facts, struct orr_error *err)
{
    struct orr_fact_list list = {.arena = arena, .names = names};
    orr_facts_of_hardware(analysis, &list);
    orr_facts_of_decisions(analysis, &list);
    orr_facts_of_channels(analysis, &list);
    orr_facts_of_tuning(analysis, &list);
    ORR_NEED(!orr_arena_starved(arena) && sort(&list), err);
    /* Parts of a host share devices and links: keeps one of each. */
    size_t kept = 0;
    for (size_t i = 0; i < list.count; i++)
        if (!kept || orr_fact_compare(&list.rows[kept - 1], &list.rows[i]))
            list.rows[kept++] = list.rows[i];
    *ret_facts = (struct orr_facts){.rows = list.rows, .count = kept};
    while (ret_facts->devices < kept && list.rows[ret_facts->devices].kind == ORR_FACT_DEVICE)
        ret_facts->devices++;
    return ORR_OK;
}
