/* SPDX-License-Identifier: Apache-2.0 */
/* Finds disjoint sets for several jobs if there are too many sets to try all: rows of neighbours, job by job, the
 * largest first, then exchanges of one GPU as long as they help. Also computes a bound for all other sets. */
#include <math.h>

#include "engine/place/bits.h"
#include "engine/place/placing.h"

enum { MOST_TRIED = 4000 }; /* sets */

struct packing {
    struct orr_place_work *work;
    uint32_t tried, begun; /* sets; jobs that have some GPUs */
    orr_bits taken;
    struct orr_score *jobs; /* [request.job_count]: the present set of each job */
};

/* Packings are compared by the first figure, then the second: total and worst, or worst and total. */
struct value {
    double first, second;
};

static bool may_go_on(const struct packing *p)
{
    return p->tried < MOST_TRIED && orr_place_goes_on(p->work);
}

static enum orr_code score(struct packing *p, orr_bits gpus, struct orr_score *ret_score, struct orr_error *err)
{
    p->tried++;
    return orr_place_score(p->work, gpus, ret_score, err);
}

/* The value if jobs a and b had other scores. */
static struct value value_with(const struct packing *p, uint32_t a, double of_a, uint32_t b, double of_b)
{
    const struct orr_place_request *request = &p->work->placing->request;
    double total = 0, worst = INFINITY;
    for (uint32_t j = 0; j < request->job_count; j++) {
        const double busbw = j == a ? of_a : j == b ? of_b : p->jobs[j].busbw;
        total += busbw;
        worst = busbw > 0 && busbw < worst ? busbw : worst; /* jobs that cannot be predicted are left out */
    }
    return request->worst ? (struct value){worst, total} : (struct value){total, worst};
}

static bool is_better(struct value a, struct value b)
{
    const double share = 1 + 1e-9; /* tolerance, because sums depend on the order */
    return a.first > b.first * share || (a.first * share > b.first && a.second > b.second * share);
}

/* Whether to try rows for the next job: all jobs together may use half of the work for rows. */
static bool may_begin(const struct packing *p)
{
    const uint64_t parts = 2 * (uint64_t)p->work->placing->request.job_count, part = p->begun + 1;
    return p->tried < MOST_TRIED * part / parts && p->work->done < orr_place_most_work(p->work) / parts * part;
}

/* The best row of neighbours among the GPUs that are left, or of every second, every third and so on. */
static enum orr_code begin(struct packing *p, uint32_t job, struct orr_error *err)
{
    const struct orr_place_request *request = &p->work->placing->request;
    const orr_bits left = request->free & ~p->taken;
    const uint32_t most = orr_bit_count(left), count = request->jobs[job];
    struct orr_score *best = &p->jobs[job];
    for (uint32_t step = 1; step <= most / count; step++)
        for (uint32_t first = 0; first < most && (!best->gpus || may_begin(p)); first++) {
            struct orr_score found;
            ORR_TRY(score(p, orr_place_row(left, count, first, step), &found, err));
            if (!best->gpus || orr_score_better(&found, best))
                *best = found;
        }
    p->taken |= best->gpus;
    p->begun++;
    return ORR_OK;
}

/* The job that has a GPU; the number of jobs if none has it. */
static uint32_t owner_of(const struct packing *p, orr_bits gpu)
{
    uint32_t job = 0;
    while (job < p->work->placing->request.job_count && !(p->jobs[job].gpus & gpu))
        job++;
    return job;
}

/* Exchanges a GPU of a job for another one, with the job that has it if any, provided that the packing gets better. */
static enum orr_code exchange(struct packing *p, uint32_t job, orr_bits out, orr_bits in, bool *ret_better,
                              struct orr_error *err)
{
    const uint32_t owner = owner_of(p, in);
    struct orr_score one, other = {0};
    *ret_better = false;
    if (owner == job)
        return ORR_OK;
    ORR_TRY(score(p, (p->jobs[job].gpus & ~out) | in, &one, err));
    if (owner < p->work->placing->request.job_count)
        ORR_TRY(score(p, (p->jobs[owner].gpus & ~in) | out, &other, err));
    *ret_better =
        is_better(value_with(p, job, one.busbw, owner, other.busbw), value_with(p, job, p->jobs[job].busbw, job, 0));
    if (!*ret_better)
        return ORR_OK;
    p->jobs[job] = one;
    if (owner < p->work->placing->request.job_count)
        p->jobs[owner] = other;
    return ORR_OK;
}

/* One round over all exchanges of a job. */
static enum orr_code improve(struct packing *p, uint32_t job, bool *ret_better, struct orr_error *err)
{
    const orr_bits free = p->work->placing->request.free;
    for (orr_bits outs = p->jobs[job].gpus; outs; outs &= outs - 1) {
        const orr_bits out = outs & (0 - outs);
        bool better = false;
        for (orr_bits ins = free; ins && !better && may_go_on(p); ins &= ins - 1)
            ORR_TRY(exchange(p, job, out, ins & (0 - ins), &better, err));
        *ret_better |= better;
    }
    return ORR_OK;
}

/* An upper bound for sets of this many GPUs: the best of all sets if they are few, otherwise the bandwidth of links.
 * Single GPUs are always compared: there are few, and links do not limit them. */
static enum orr_code most_of(struct packing *p, uint32_t count, double *ret_most, struct orr_error *err)
{
    const orr_bits free = p->work->placing->request.free;
    const uint32_t most = orr_bit_count(free);
    orr_bits compact = orr_choices(most, count) <= MOST_TRIED ? orr_first_subset(count) : 0;
    const bool few = compact != 0;
    *ret_most = 0;
    for (; compact && (count == 1 || orr_place_goes_on(p->work)); compact = orr_next_subset(compact, most)) {
        struct orr_score found;
        ORR_TRY(score(p, orr_spread_bits(compact, free), &found, err));
        *ret_most = found.busbw > *ret_most ? found.busbw : *ret_most;
    }
    return few && !compact ? ORR_OK : orr_place_bound(p->work, count, ret_most, err);
}

/* The bound of the compared figure, 0 if unknown: for the total the sum of the jobs' bounds, for the worst job the
 * least of them. A job with one GPU on one host exchanges no data on any GPU, and is ignored. */
static enum orr_code bound(struct packing *p, double *ret_bound, struct orr_error *err)
{
    const struct orr_place_request *request = &p->work->placing->request;
    double total = 0, least = INFINITY;
    bool known = true;
    for (uint32_t j = 0; j < request->job_count; j++) {
        double most;
        ORR_TRY(most_of(p, request->jobs[j], &most, err));
        known = known && (most > 0 || request->jobs[j] == 1);
        total += most;
        least = most > 0 && most < least ? most : least;
    }
    *ret_bound = !known || isinf(least) ? 0 : request->worst ? least : total;
    return ORR_OK;
}

static uint64_t sets_of(const struct orr_place_request *request)
{
    uint64_t sets = 0;
    for (uint32_t j = 0; j < request->job_count; j++) {
        bool before = false;
        for (uint32_t i = 0; i < j; i++)
            before |= request->jobs[i] == request->jobs[j];
        sets += before ? 0 : orr_choices(orr_bit_count(request->free), request->jobs[j]);
    }
    return sets < ORR_MOST_CHOICES ? sets : ORR_MOST_CHOICES;
}

enum orr_code orr_place_pack_some(struct orr_place_work *work, struct orr_error *err)
{
    struct orr_placing *placing = work->placing;
    const struct orr_place_request *request = &placing->request;
    struct packing p = {.work = work, .jobs = ORR_NEW(work->arena, struct orr_score, request->job_count)};
    ORR_NEED(p.jobs, err);
    for (uint32_t size = ORR_MOST_PLACE_GPUS; size > 0; size--)
        for (uint32_t j = 0; j < request->job_count; j++)
            if (request->jobs[j] == size)
                ORR_TRY(begin(&p, j, err));
    for (bool better = true; better && may_go_on(&p);) {
        better = false;
        for (uint32_t j = 0; j < request->job_count; j++)
            ORR_TRY(improve(&p, j, &better, err));
    }
    ORR_TRY(bound(&p, &placing->bound, err));
    placing->packed = p.jobs;
    for (uint32_t j = 0; j < request->job_count; j++) {
        placing->total += p.jobs[j].busbw;
        if (p.jobs[j].busbw > 0 && (placing->worst <= 0 || p.jobs[j].busbw < placing->worst))
            placing->worst = p.jobs[j].busbw;
    }
    placing->sets = sets_of(request);
    placing->scored = p.tried < placing->sets ? p.tried : placing->sets;
    placing->exact = placing->bound > 0 && (request->worst ? placing->worst : placing->total) >= placing->bound;
    return ORR_OK;
}
