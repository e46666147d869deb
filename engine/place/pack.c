/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the best disjoint sets for several jobs. */
#include <math.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/place/bits.h"
#include "engine/place/placing.h"

/* The best way to give the first jobs exactly these GPUs, which are numbered among the free ones. */
struct state {
    double value;
    bool reached;
    orr_bits last; /* the GPUs of the last of these jobs */
};

struct packing {
    struct orr_place_work *work;
    uint32_t free; /* GPUs */
    double *busbw; /* [set of free GPUs] */
    struct state *states;
    double least; /* GB/s that each job must have at least */
};

static double value_of(const struct packing *p, bool worst, double before, orr_bits set)
{
    const double busbw = p->busbw[set];
    if (!worst)
        return before + busbw;
    return busbw > 0 && busbw < before ? busbw : before; /* jobs that cannot be predicted are left out */
}

/* Fills the states job by job; returns the GPUs that the best state uses. */
static enum orr_code solve(struct packing *p, bool worst, orr_bits *ret_best, struct orr_error *err)
{
    const struct orr_place_request *request = &p->work->placing->request;
    const orr_bits all = orr_first_subset(p->free);
    uint32_t taken = 0;
    memset(p->states, 0, (size_t)(all + 1) * sizeof *p->states);
    p->states[0] = (struct state){.value = worst ? INFINITY : 0, .reached = true};
    for (uint32_t j = 0; j < request->job_count; taken += request->jobs[j++])
        for (orr_bits used = taken ? orr_first_subset(taken) : 0;;) {
            const struct state before = p->states[used];
            const orr_bits rest = all & ~used;
            for (orr_bits compact = orr_first_subset(request->jobs[j]); before.reached && compact;
                 compact = orr_next_subset(compact, p->free - taken)) {
                const orr_bits set = orr_spread_bits(compact, rest);
                const double value = value_of(p, worst, before.value, set);
                struct state *after = &p->states[used | set];
                const bool fits = p->busbw[set] >= p->least || p->busbw[set] <= 0;
                if (fits && (!after->reached || value > after->value))
                    *after = (struct state){.value = value, .reached = true, .last = set};
            }
            if (orr_budget_spent(p->free))
                return orr_budget_check(err);
            if (!taken || !(used = orr_next_subset(used, p->free)))
                break;
        }
    *ret_best = 0;
    for (orr_bits used = orr_first_subset(taken); used; used = orr_next_subset(used, p->free))
        if (p->states[used].reached && (!*ret_best || p->states[used].value > p->states[*ret_best].value))
            *ret_best = used;
    return ORR_OK;
}

/* *ret_all is false if they are too many to score all. */
static enum orr_code score_sizes(struct packing *p, bool *ret_all, struct orr_error *err)
{
    struct orr_placing *placing = p->work->placing;
    const struct orr_place_request *request = &placing->request;
    *ret_all = false;
    for (uint32_t j = 0; j < request->job_count; j++) {
        bool before = false;
        for (uint32_t i = 0; i < j; i++)
            before |= request->jobs[i] == request->jobs[j];
        if (before)
            continue;
        placing->sets += orr_choices(p->free, request->jobs[j]);
        for (orr_bits set = orr_first_subset(request->jobs[j]); set; set = orr_next_subset(set, p->free)) {
            struct orr_score score;
            if (!orr_place_goes_on(p->work))
                return ORR_OK;
            ORR_TRY(orr_place_score(p->work, orr_spread_bits(set, request->free), &score, err));
            p->busbw[set] = score.busbw;
            placing->scored++;
        }
    }
    *ret_all = true;
    return ORR_OK;
}

static enum orr_code deliver(struct packing *p, orr_bits used, struct orr_error *err)
{
    struct orr_placing *placing = p->work->placing;
    placing->packed = ORR_NEW(p->work->arena, struct orr_score, placing->request.job_count);
    ORR_NEED(placing->packed, err);
    for (uint32_t j = placing->request.job_count; j-- > 0;) {
        const orr_bits set = p->states[used].last;
        struct orr_score *score = &placing->packed[j];
        ORR_TRY(orr_scores_of(placing->scores, orr_spread_bits(set, placing->request.free), score, err));
        placing->total += score->busbw;
        if (score->busbw > 0 && (placing->worst <= 0 || score->busbw < placing->worst))
            placing->worst = score->busbw;
        used &= ~set;
    }
    return ORR_OK;
}

enum orr_code orr_place_pack(struct orr_place_work *work, struct orr_error *err)
{
    const struct orr_place_request *request = &work->placing->request;
    struct packing p = {.work = work, .free = orr_bit_count(request->free)};
    orr_bits best = 0;
    bool all;
    if (p.free > ORR_EXACT_GPUS)
        return orr_place_pack_some(work, err);
    p.busbw = ORR_NEW(work->arena, double, (size_t)1 << p.free);
    p.states = ORR_NEW(work->arena, struct state, (size_t)1 << p.free);
    ORR_NEED(p.busbw && p.states, err);
    ORR_TRY(score_sizes(&p, &all, err));
    if (!all)
        return orr_place_pack_some(work, err);
    if (request->worst) { /* first the best bandwidth of the worst job, then the highest total with that */
        ORR_TRY(solve(&p, true, &best, err));
        p.least = isinf(p.states[best].value) ? 0 : p.states[best].value;
    }
    ORR_TRY(solve(&p, false, &best, err));
    return deliver(&p, best, err);
}
