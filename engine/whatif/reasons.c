/* SPDX-License-Identifier: Apache-2.0 */
/* Finds reasons by halving: if the changed facts are the same at both ends of a stretch of steps, no step in it matters
 * (unless steps undo one another); otherwise the question at its middle is answered, too. The longest open stretch goes
 * first, so that a limit leaves only short ones. */
#include "engine/whatif/reasons.h"

#include <stdlib.h>

#include "engine/cluster/again.h"

struct stretch {
    uint32_t from, to; /* numbers of steps taken */
};

struct hunt {
    const struct orr_analysis *a; /* a side of the comparison, whose question is asked again */
    const struct orr_way *way;
    const struct orr_changed *changed;
    size_t count;
    struct orr_arena *arena;
    int64_t **values; /* [steps taken]: value of each changed fact, NULL if not answered */
    bool *refused;    /* [steps taken]: whether that mixture of rules has no answer */
    struct stretch *open;
    uint32_t open_count;
    struct orr_trials trials;
    struct orr_reasons *reasons;
};

/* The values of the changed facts in an answer; both lists are sorted. */
static enum orr_code pick_values(struct hunt *h, const struct orr_analysis *analysis, int64_t *values,
                                 struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_facts facts;
    ORR_TRY(orr_facts_of(analysis, scratch, &facts, err));
    for (size_t i = 0, f = 0; i < h->count; i++) {
        while (f < facts.count && orr_fact_compare(&facts.rows[f], &h->changed[i].fact) < 0)
            f++;
        bool there = f < facts.count && !orr_fact_compare(&facts.rows[f], &h->changed[i].fact);
        values[i] = there ? facts.rows[f].value : ORR_FACT_ABSENT;
    }
    return ORR_OK;
}

/* Answers the question after this many steps. A mixture that cannot be answered is not an error. */
static enum orr_code answer(struct hunt *h, uint32_t taken, struct orr_error *err)
{
    struct orr_error refused;
    struct orr_analysis *analysis;
    struct orr_mixture *mixture = malloc(sizeof *mixture);
    int64_t *values = ORR_NEW(h->arena, int64_t, h->count);
    if (!mixture || !values) {
        free(mixture);
        return orr_fail_nomem(err);
    }
    orr_way_mix(h->way, taken, mixture);
    enum orr_code code = orr_trials_analyze(&h->trials, h->a, NULL, &mixture->query, &analysis, &refused, err);
    h->refused[taken] = code == ORR_OK && !analysis;
    if (code == ORR_OK && analysis) {
        code = pick_values(h, analysis, values, err);
        orr_analysis_again_free(analysis);
        h->values[taken] = values;
    }
    free(mixture);
    return code;
}

static bool equal_at(const struct hunt *h, const struct stretch *s)
{
    for (size_t i = 0; i < h->count; i++)
        if (h->values[s->from][i] != h->values[s->to][i])
            return false;
    return true;
}

/* Records that the steps of a stretch are, or may be, the reason for the differences between its ends. */
static void settle(struct hunt *h, const struct stretch *s)
{
    struct orr_reasons *r = h->reasons;
    for (size_t i = 0; i < h->count; i++) {
        if (h->values[s->from][i] == h->values[s->to][i])
            continue;
        for (uint32_t step = s->from; step < s->to; step++)
            r->sets[i * r->words + step / 64] |= (uint64_t)1 << (step % 64);
        if (s->to - s->from > 1)
            r->certain[i] = false;
    }
}

/* A point inside the stretch that is not refused yet, the nearest to its middle; 0 if there is none. */
static uint32_t middle_of(const struct hunt *h, const struct stretch *s)
{
    uint32_t middle = s->from + (s->to - s->from) / 2;
    for (uint32_t away = 0; away < s->to - s->from; away++) {
        if (middle + away < s->to && !h->refused[middle + away])
            return middle + away;
        if (middle > s->from + away && !h->refused[middle - away])
            return middle - away;
    }
    return 0;
}

static void push(struct hunt *h, uint32_t from, uint32_t to)
{
    struct stretch s = {from, to};
    if (equal_at(h, &s))
        return;
    if (to - from == 1)
        settle(h, &s);
    else
        h->open[h->open_count++] = s;
}

static enum orr_code hunt(struct hunt *h, struct orr_error *err)
{
    push(h, 0, h->way->count);
    while (h->open_count && orr_trials_may_go_on(&h->trials)) {
        uint32_t longest = 0;
        for (uint32_t i = 1; i < h->open_count; i++)
            if (h->open[i].to - h->open[i].from > h->open[longest].to - h->open[longest].from)
                longest = i;
        struct stretch s = h->open[longest];
        uint32_t middle = middle_of(h, &s);
        if (middle) {
            ORR_TRY(answer(h, middle, err));
            if (h->refused[middle])
                continue; /* try the same stretch at another point */
        }
        h->open[longest] = h->open[--h->open_count];
        if (middle) {
            push(h, s.from, middle);
            push(h, middle, s.to);
        } else {
            settle(h, &s);
        }
    }
    for (uint32_t i = 0; i < h->open_count; i++)
        settle(h, &h->open[i]);
    return ORR_OK;
}

enum orr_code orr_reasons_find(const struct orr_analysis *a, const struct orr_way *way,
                               const struct orr_changed *changed, size_t count, struct orr_effort most,
                               struct orr_arena *arena, struct orr_reasons *ret_reasons, struct orr_error *err)
{
    uint32_t points = way->count + 1;
    struct orr_reasons *r = ret_reasons;
    *r = (struct orr_reasons){.words = (way->count + 63) / 64};
    r->sets = ORR_NEW(arena, uint64_t, count * r->words);
    r->certain = ORR_NEW(arena, bool, count);
    struct hunt h = {
        .a = a, .way = way, .changed = changed, .count = count, .arena = arena, .trials = {.left = most}, .reasons = r};
    h.values = ORR_NEW(arena, int64_t *, points);
    h.refused = ORR_NEW(arena, bool, points);
    h.open = ORR_NEW(arena, struct stretch, points);
    int64_t *first = ORR_NEW(arena, int64_t, count), *last = ORR_NEW(arena, int64_t, count);
    ORR_NEED(r->sets && r->certain && h.values && h.refused && h.open && first && last, err);
    for (size_t i = 0; i < count; i++) {
        first[i] = way->reversed ? changed[i].b : changed[i].fact.value;
        last[i] = way->reversed ? changed[i].fact.value : changed[i].b;
        r->certain[i] = true;
    }
    h.values[0] = first;
    h.values[way->count] = last;
    enum orr_code code = way->count ? hunt(&h, err) : ORR_OK;
    r->analyses = h.trials.made;
    return code;
}
