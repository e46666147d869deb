/* SPDX-License-Identifier: Apache-2.0 */
/* Which findings follow from others, and the order of all. */
#include "engine/diagnosis/arrange.h"

#include <string.h>

#include "engine/diagnosis/measure.h"

bool orr_diagnosed_costs(const struct orr_diagnosed *row)
{
    return row->has_cost && !row->cost.none;
}

bool orr_diagnosed_adds(const struct orr_diagnosed *row)
{
    return orr_diagnosed_costs(row) && !row->of_file && !row->asks && row->cost.figure != ORR_COST_GPUS;
}

/* The first finding present that explains row i according to the table; UINT32_MAX if there is none. */
static uint32_t named_cause(const struct orr_diagnosis *out, uint32_t i)
{
    const struct orr_finding_row *row = out->rows[i].finding->row;
    for (size_t c = 0; c < ORR_MOST_CAUSES && row->follows_from[c]; c++)
        for (uint32_t k = 0; k < out->count; k++)
            if (!strcmp(out->rows[k].finding->row->id, row->follows_from[c]))
                return k;
    return UINT32_MAX;
}

/* A finding that disappears with the repair of a costlier one follows from that one. A question about the machine type
 * explains no finding: the machine may be right as it is, while the other finding is proved. */
static void fold(struct orr_diagnosis *out, const bool *gone, uint32_t stride)
{
    for (uint32_t cause = 0; cause < out->count; cause++)
        for (uint32_t i = 0; orr_diagnosed_costs(&out->rows[cause]) && !out->rows[cause].asks && i < out->count; i++) {
            struct orr_diagnosed *row = &out->rows[i];
            int order = orr_diagnosed_costs(row) ? orr_cost_compare(&out->rows[cause].cost, &row->cost) : -1;
            /* A finding that costs more is not a consequence. If costs are equal, the first finding is the cause, so
             * that no two findings follow from each other. */
            if (i == cause || !gone[(size_t)cause * stride + i] || order > 0 || (order == 0 && i < cause))
                continue;
            if (row->follows == UINT32_MAX ||
                orr_cost_compare(&out->rows[cause].cost, &out->rows[row->follows].cost) < 0)
                row->follows = cause;
        }
    /* Without a cost of its own, a finding follows from the one that its row names. */
    for (uint32_t i = 0; i < out->count; i++)
        if (!out->rows[i].has_cost && out->rows[i].follows == UINT32_MAX)
            out->rows[i].follows = named_cause(out, i);
    /* A consequence of a consequence follows from its cause. The loop ends, because costs decrease from each finding to
     * the next, and the table has no circle (test_findings_input). */
    for (uint32_t i = 0; i < out->count; i++)
        while (out->rows[i].follows != UINT32_MAX && out->rows[out->rows[i].follows].follows != UINT32_MAX)
            out->rows[i].follows = out->rows[out->rows[i].follows].follows;
}

/* Whether row a comes before row b, if both are causes. */
static bool is_before(const struct orr_diagnosed *a, const struct orr_diagnosed *b)
{
    if (a->severity != b->severity)
        return a->severity < b->severity;
    if (a->asks != b->asks)
        return b->asks; /* the verdict has the question */
    if (orr_diagnosed_costs(a) != orr_diagnosed_costs(b))
        return orr_diagnosed_costs(a);
    return orr_diagnosed_costs(a) && orr_cost_compare(&a->cost, &b->cost) < 0;
}

/* Causes in their order, each followed by its consequences. */
static bool put_in_order(struct orr_diagnosis *out, struct orr_arena *arena)
{
    struct orr_diagnosed *rows = ORR_NEW(arena, struct orr_diagnosed, out->count);
    bool *placed = ORR_NEW(arena, bool, out->count);
    uint32_t count = 0;
    if (!out->count)
        return true;
    if (!rows || !placed)
        return false;
    while (count < out->count) {
        uint32_t first = UINT32_MAX;
        for (uint32_t i = 0; i < out->count; i++)
            if (!placed[i] && out->rows[i].follows == UINT32_MAX &&
                (first == UINT32_MAX || is_before(&out->rows[i], &out->rows[first])))
                first = i;
        if (first == UINT32_MAX) /* not reached: every consequence has a cause */
            return false;
        uint32_t cause = count;
        placed[first] = true;
        rows[count++] = out->rows[first];
        for (uint32_t i = 0; i < out->count; i++)
            if (!placed[i] && out->rows[i].follows == first) {
                placed[i] = true;
                rows[count] = out->rows[i];
                rows[count++].follows = cause;
            }
    }
    out->rows = rows;
    return true;
}

bool orr_diagnosis_arrange(struct orr_diagnosis *diagnosis, const bool *gone, uint32_t stride, struct orr_arena *arena)
{
    fold(diagnosis, gone, stride);
    return put_in_order(diagnosis, arena);
}
