/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/whatif/changes.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/cluster/again.h"
#include "engine/whatif/reasons.h"

struct orr_effort orr_changes_effort(const struct orr_analysis *a)
{
    enum { MOST_ANALYSES = 128, LEAST_ANALYSES = 8, RANKS_FOR_ALL = 16, MOST_STEPS = 100000000 };
    uint32_t size = a->local_ranks > a->ranks / 32 ? a->local_ranks : a->ranks / 32;
    struct orr_effort most = {.analyses = MOST_ANALYSES, .steps = MOST_STEPS};
    if (size > RANKS_FOR_ALL)
        most.analyses = MOST_ANALYSES * RANKS_FOR_ALL / size;
    most.analyses /= orr_analysis_searches(a);
    if (most.analyses < LEAST_ANALYSES)
        most.analyses = LEAST_ANALYSES;
    return most;
}

/* Whether a side has the devices that a fact is about: if not, the missing device is reported instead. */
static bool has_devices(const struct orr_facts *facts, const struct orr_fact *fact)
{
    enum orr_fact_place place = orr_fact_info((enum orr_fact_kind)fact->kind)->place;
    bool devices = place == ORR_PLACE_LINK || place == ORR_PLACE_PAIR;
    bool rank = place == ORR_PLACE_RANKS || place == ORR_PLACE_RANK_NET || place == ORR_PLACE_RANK_CHANNEL;
    const uint32_t subjects[2] = {devices ? fact->a
                                  : rank  ? orr_subject(ORR_GPU, fact->a)
                                          : UINT32_MAX,
                                  devices || place == ORR_PLACE_RANK_NET ? fact->b
                                  : place == ORR_PLACE_RANKS             ? orr_subject(ORR_GPU, fact->b)
                                                                         : UINT32_MAX};
    for (int i = 0; i < 2; i++) {
        struct orr_fact device = {.kind = ORR_FACT_DEVICE, .a = subjects[i]};
        size_t low = 0, high = facts->devices;
        while (low < high) {
            size_t middle = low + (high - low) / 2;
            if (orr_fact_compare(&facts->rows[middle], &device) < 0)
                low = middle + 1;
            else
                high = middle;
        }
        if (subjects[i] != UINT32_MAX && (low == facts->devices || orr_fact_compare(&facts->rows[low], &device)))
            return false;
    }
    return true;
}

struct pairing {
    const struct orr_facts *a, *b;
    struct orr_changed *changed;
    size_t count;
};

static void pair_up(struct orr_changes *result, struct pairing *p)
{
    size_t i = 0, j = 0;
    while (i < p->a->count || j < p->b->count) {
        const struct orr_fact *a = i < p->a->count ? &p->a->rows[i] : NULL;
        const struct orr_fact *b = j < p->b->count ? &p->b->rows[j] : NULL;
        int order = !a ? 1 : !b ? -1 : orr_fact_compare(a, b);
        const struct orr_fact *fact = a && order <= 0 ? a : b;
        if (!fact)
            break;
        enum orr_fact_section section = orr_fact_info((enum orr_fact_kind)fact->kind)->section;
        struct orr_changed c = {.fact = *fact, .b = order >= 0 ? b->value : ORR_FACT_ABSENT};
        c.rule_b = order >= 0 ? b->rule : 0;
        if (order > 0) {
            c.fact.value = ORR_FACT_ABSENT;
            c.fact.rule = 0;
        }
        i += order <= 0;
        j += order >= 0;
        if (order && !has_devices(order < 0 ? p->b : p->a, fact))
            continue;
        result->facts++;
        result->section_facts[section]++;
        if (c.fact.value == c.b)
            continue;
        result->changed++;
        result->section_changed[section]++;
        p->changed[p->count++] = c;
    }
}

/* Data about a changed fact, with the same index, while facts are sorted into groups. */
struct sorted {
    const struct orr_changed *changed;
    const uint64_t *set;
    uint32_t words;
    bool certain;
    size_t in_group; /* number of equal ones */
};

static int alike(const struct sorted *a, const struct sorted *b)
{
    const struct orr_changed *x = a->changed, *y = b->changed;
    const struct orr_fact_info *info = orr_fact_info((enum orr_fact_kind)x->fact.kind);
    ORR_BY(ORR_ORDER(x->fact.kind, y->fact.kind));
    ORR_BY(ORR_ORDER(x->fact.detail, y->fact.detail));
    bool order = info->unit == ORR_UNIT_ORDER;
    int64_t xs[] = {order ? x->fact.value == ORR_FACT_ABSENT : x->fact.value, order ? x->b == ORR_FACT_ABSENT : x->b,
                    x->fact.rule, x->rule_b, a->certain};
    int64_t ys[] = {order ? y->fact.value == ORR_FACT_ABSENT : y->fact.value, order ? y->b == ORR_FACT_ABSENT : y->b,
                    y->fact.rule, y->rule_b, b->certain};
    for (unsigned i = 0; i < sizeof xs / sizeof xs[0]; i++)
        ORR_BY(ORR_ORDER(xs[i], ys[i]));
    return memcmp(a->set, b->set, a->words * sizeof *a->set);
}

ORR_COMPARATOR(by_group, struct sorted, alike(a, b), orr_fact_compare(&a->changed->fact, &b->changed->fact))

/* The order for readers: kinds as in the document, and within a kind the largest groups first. */
static int by_size(const void *x, const void *y)
{
    const struct sorted *a = x, *b = y;
    if (a->changed->fact.kind != b->changed->fact.kind || a->changed->fact.detail != b->changed->fact.detail ||
        a->in_group == b->in_group)
        return by_group(x, y);
    return a->in_group > b->in_group ? -1 : 1;
}

static enum orr_code make_change(struct orr_changes *result, const struct sorted *rows, size_t count,
                                 struct orr_fact *places, struct orr_arena *arena, struct orr_change *change,
                                 struct orr_error *err)
{
    const struct orr_changed *first = rows[0].changed;
    uint32_t *because = ORR_NEW(arena, uint32_t, result->way.count);
    ORR_NEED(because, err);
    *change = (struct orr_change){.kind = (enum orr_fact_kind)first->fact.kind,
                                  .detail = first->fact.detail,
                                  .rule_a = first->fact.rule,
                                  .rule_b = first->rule_b,
                                  .a = first->fact.value,
                                  .b = first->b,
                                  .places = places,
                                  .count = count,
                                  .because = because,
                                  .certain = rows[0].certain};
    for (size_t i = 0; i < count; i++)
        places[i] = rows[i].changed->fact;
    for (uint32_t step = 0; step < result->way.count; step++)
        if (rows[0].set[step / 64] >> (step % 64) & 1)
            because[change->because_count++] = step;
    return ORR_OK;
}

static enum orr_code group(struct orr_changes *result, const struct orr_changed *changed,
                           const struct orr_reasons *reasons, struct orr_arena *arena, struct orr_error *err)
{
    size_t count = result->changed, groups = 0, *steps = ORR_NEW(arena, size_t, result->way.count);
    struct sorted *rows = ORR_NEW(arena, struct sorted, count);
    struct orr_fact *places = ORR_NEW(arena, struct orr_fact, count);
    ORR_NEED(rows && steps && places, err);
    result->complete = true;
    for (size_t i = 0; i < count; i++) {
        rows[i] =
            (struct sorted){&changed[i], reasons->sets + i * reasons->words, reasons->words, reasons->certain[i], 0};
        result->complete = result->complete && reasons->certain[i];
        for (uint32_t step = 0; step < result->way.count; step++)
            steps[step] += orr_reason_has(reasons, i, step);
    }
    result->step_changed = steps;
    qsort(rows, count, sizeof *rows, by_group);
    for (size_t i = 0, end; i < count; i = end, groups++) {
        for (end = i + 1; end < count && !alike(&rows[i], &rows[end]); end++)
            ;
        for (size_t k = i; k < end; k++)
            rows[k].in_group = end - i;
    }
    qsort(rows, count, sizeof *rows, by_size);
    struct orr_change *changes = ORR_NEW(arena, struct orr_change, groups);
    ORR_NEED(changes, err);
    for (size_t i = 0; i < count; i += rows[i].in_group)
        ORR_TRY(make_change(result, &rows[i], rows[i].in_group, places + i, arena, &changes[result->count++], err));
    result->changes = changes;
    return ORR_OK;
}

enum orr_code orr_changes_find(const struct orr_analysis *a, const struct orr_analysis *b, struct orr_effort most,
                               struct orr_arena *arena, struct orr_changes *ret_changes, struct orr_error *err)
{
    struct orr_facts of_a;
    ORR_TRY(orr_facts_of(a, arena, &of_a, err));
    ORR_TRY(orr_changes_from(a, &of_a, b, most, arena, ret_changes, err));
    return orr_outcomes_compare(ret_changes->a, ret_changes->b, ret_changes->outcomes, err);
}

enum orr_code orr_changes_from(const struct orr_analysis *a, const struct orr_facts *of_a, const struct orr_analysis *b,
                               struct orr_effort most, struct orr_arena *arena, struct orr_changes *ret_changes,
                               struct orr_error *err)
{
    struct orr_facts of_b;
    struct orr_reasons reasons;
    *ret_changes = (struct orr_changes){.a = a, .b = b};
    orr_budget_stage("differences");
    ORR_TRY(orr_way_find(&a->query, &b->query, arena, &ret_changes->way, err));
    ORR_TRY(orr_facts_of(b, arena, &of_b, err));
    struct pairing pairing = {of_a, &of_b, ORR_NEW(arena, struct orr_changed, of_a->count + of_b.count), 0};
    ORR_NEED(pairing.changed, err);
    pair_up(ret_changes, &pairing);
    const char *task = orr_budget_task("finding the cause of each difference");
    ORR_TRY(orr_reasons_find(a, &ret_changes->way, pairing.changed, pairing.count, most, arena, &reasons, err));
    orr_budget_task(task);
    ret_changes->analyses = reasons.analyses;
    return group(ret_changes, pairing.changed, &reasons, arena, err);
}

enum orr_code orr_changes_between(const struct orr_analysis *a, const struct orr_analysis *b,
                                  const struct orr_fact_names *names, struct orr_arena *arena,
                                  struct orr_changes *ret_changes, struct orr_error *err)
{
    struct orr_facts of_a, of_b;
    *ret_changes = (struct orr_changes){.a = a, .b = b, .names = names};
    ORR_TRY(orr_facts_of(a, arena, &of_a, err));
    ORR_TRY(orr_facts_named(b, names, arena, &of_b, err));
    struct pairing pairing = {&of_a, &of_b, ORR_NEW(arena, struct orr_changed, of_a.count + of_b.count), 0};
    ORR_NEED(pairing.changed, err);
    pair_up(ret_changes, &pairing);
    struct orr_reasons none = {.sets = ORR_NEW(arena, uint64_t, 0), .certain = ORR_NEW(arena, bool, pairing.count)};
    ORR_NEED(none.sets && none.certain, err);
    ORR_TRY(group(ret_changes, pairing.changed, &none, arena, err));
    return orr_outcomes_compare(ret_changes->a, ret_changes->b, ret_changes->outcomes, err);
}
