/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/place/place.h"

#include <stdlib.h>

#include "engine/place/bits.h"
#include "engine/place/placing.h"

static enum orr_code check(const struct orr_place_request *request, struct orr_error *err)
{
    const uint32_t free = orr_bit_count(request->free);
    uint64_t wanted = request->count;
    for (uint32_t i = 0; i < request->job_count; i++)
        wanted += request->jobs[i];
    if (!wanted)
        return orr_fail_with(err, ORR_SETTING, "free", "name free GPUs that are among those of gpus", "no GPU is free");
    if (wanted > free)
        return orr_fail_with(err, ORR_SETTING, request->job_count ? "jobs" : "count",
                             "ask for fewer GPUs, or name more in free", "%llu GPU%s needed, and %u free",
                             (unsigned long long)wanted, wanted == 1 ? " is" : "s are", free);
    if (request->compared & ~request->free)
        return orr_fail_with(err, ORR_SETTING, "compare", "compare with a set of the GPUs that free names",
                             "GPU %u of compare is not free", orr_lowest_bit(request->compared & ~request->free));
    if (request->compared && orr_bit_count(request->compared) != request->count)
        return orr_fail_with(err, ORR_SETTING, "compare", "give as many GPUs as the job takes, or leave count out",
                             "compare names %u GPU%s, and count is %u", orr_bit_count(request->compared),
                             orr_plural(orr_bit_count(request->compared)), request->count);
    return ORR_OK;
}

static int compare_sets(orr_bits a, orr_bits b)
{
    const orr_bits differ = a ^ b;
    return !differ ? 0 : (differ & (0 - differ) & a) ? -1 : 1;
}

static int compare_numbers(double a, double b)
{
    return a > b ? -1 : a < b;
}

/* The best first; ties go to the set that leaves the most, then to the lowest GPU numbers. */
static int compare_ranked(const void *x, const void *y)
{
    const struct orr_ranked_set *a = x, *b = y;
    int order = a->missing != b->missing ? (a->missing < b->missing ? -1 : 1) : compare_numbers(a->busbw, b->busbw);
    order = order ? order : compare_numbers(a->left_next, b->left_next);
    order = order ? order : compare_numbers(a->left_busbw, b->left_busbw);
    return order ? order : compare_sets(a->gpus, b->gpus);
}

/* Scores every set of `count` free GPUs, as far as the budget goes. */
static enum orr_code score_all(struct orr_place_work *work, struct orr_ranked_sets *sets, struct orr_error *err)
{
    const struct orr_place_request *request = &work->placing->request;
    const uint32_t free = orr_bit_count(request->free);
    sets->room = (uint32_t)work->placing->sets;
    sets->sets = ORR_NEW(work->arena, struct orr_ranked_set, sets->room);
    ORR_NEED(sets->sets, err);
    for (orr_bits compact = orr_first_subset(request->count); compact && (!sets->count || orr_place_goes_on(work));
         compact = orr_next_subset(compact, free)) {
        const orr_bits gpus = orr_spread_bits(compact, request->free);
        struct orr_score score;
        ORR_TRY(orr_place_score(work, gpus, &score, err));
        sets->sets[sets->count++] =
            (struct orr_ranked_set){.gpus = gpus, .busbw = score.busbw, .missing = score.missing};
    }
    return ORR_OK;
}

/* The value of the GPUs that stay free. ranked: sorted by bandwidth. */
static enum orr_code value_left(struct orr_place_work *work, const struct orr_ranked_set *ranked, uint32_t count,
                                struct orr_ranked_set *set, struct orr_error *err)
{
    const orr_bits left = work->placing->request.free & ~set->gpus;
    struct orr_score score;
    set->left_busbw = set->left_next = 0;
    for (uint32_t i = 0; i < count; i++)
        if (!(ranked[i].gpus & ~left)) {
            set->left_next = ranked[i].busbw;
            break;
        }
    if (!left || !orr_place_goes_on(work))
        return ORR_OK;
    ORR_TRY(orr_place_score(work, left, &score, err));
    set->left_busbw = score.busbw;
    return ORR_OK;
}

static struct orr_place_choice choice_of(const struct orr_place_work *work, const struct orr_ranked_set *set,
                                         const struct orr_score *score)
{
    return (struct orr_place_choice){.score = *score,
                                     .same = 1,
                                     .left = work->placing->request.free & ~set->gpus,
                                     .left_busbw = set->left_busbw,
                                     .left_next = set->left_next};
}

static bool is_same(const struct orr_place_work *work, const struct orr_place_choice *choice,
                    const struct orr_ranked_set *set, const struct orr_score *score)
{
    if (choice->left_busbw != set->left_busbw || choice->left_next != set->left_next ||
        orr_bit_count(choice->score.nics) != orr_bit_count(score->nics))
        return false;
    for (uint32_t h = 0; h < orr_scores_about(work->placing->scores)->question.host_counts; h++)
        if (choice->score.by_hosts[h].busbw != score->by_hosts[h].busbw)
            return false;
    return true;
}

/* Merges sets with the same figures into one choice. */
static enum orr_code add_level(struct orr_place_work *work, const struct orr_ranked_set *level, uint32_t size,
                               struct orr_error *err)
{
    struct orr_placing *placing = work->placing;
    const uint32_t first = placing->best_count;
    for (uint32_t i = 0; i < size; i++) {
        struct orr_score score;
        uint32_t at = first;
        ORR_TRY(orr_scores_of(placing->scores, level[i].gpus, &score, err)); /* already known */
        while (at < placing->best_count && !is_same(work, &placing->best[at], &level[i], &score))
            at++;
        if (at < placing->best_count)
            placing->best[at].same++;
        else if (at < placing->request.top)
            placing->best[placing->best_count++] = choice_of(work, &level[i], &score);
    }
    return ORR_OK;
}

/* The levels of equal bandwidth, until the answer is full. */
static enum orr_code add_best(struct orr_place_work *work, struct orr_ranked_set *ranked, uint32_t count,
                              struct orr_error *err)
{
    struct orr_placing *placing = work->placing;
    struct orr_ranked_set *level = ORR_NEW(work->arena, struct orr_ranked_set, count + 1);
    placing->best = ORR_NEW(work->arena, struct orr_place_choice, placing->request.top);
    ORR_NEED(level && placing->best, err);
    for (uint32_t from = 0, size = 0; from < count && placing->best_count < placing->request.top; from += size) {
        for (size = 0; from + size < count && ranked[from + size].busbw == ranked[from].busbw &&
                       ranked[from + size].missing == ranked[from].missing;
             size++) {
            level[size] = ranked[from + size];
            ORR_TRY(value_left(work, ranked, count, &level[size], err));
        }
        qsort(level, size, sizeof *level, compare_ranked);
        ORR_TRY(add_level(work, level, size, err));
    }
    return ORR_OK;
}

static enum orr_code add_compared(struct orr_place_work *work, const struct orr_ranked_set *ranked, uint32_t count,
                                  struct orr_error *err)
{
    struct orr_placing *placing = work->placing;
    struct orr_ranked_set set = {.gpus = placing->request.compared};
    struct orr_score score;
    placing->compared = ORR_NEW(work->arena, struct orr_place_choice, 1);
    ORR_NEED(placing->compared, err);
    ORR_TRY(orr_place_score(work, set.gpus, &score, err));
    ORR_TRY(value_left(work, ranked, count, &set, err));
    *placing->compared = choice_of(work, &set, &score);
    return ORR_OK;
}

static enum orr_code choose(struct orr_place_work *work, struct orr_error *err)
{
    struct orr_placing *placing = work->placing;
    const struct orr_place_request *request = &placing->request;
    const bool few = orr_bit_count(request->free) <= ORR_EXACT_GPUS;
    struct orr_ranked_sets sets = {0};
    placing->sets = orr_choices(orr_bit_count(request->free), request->count);
    ORR_TRY(few ? score_all(work, &sets, err) : orr_place_some(work, &sets, err));
    placing->scored = sets.count;
    placing->exact = placing->scored == placing->sets;
    if (!placing->exact)
        ORR_TRY(orr_place_bound(work, request->count, &placing->bound, err));
    qsort(sets.sets, sets.count, sizeof *sets.sets, compare_ranked);
    ORR_TRY(add_best(work, sets.sets, sets.count, err));
    return request->compared ? add_compared(work, sets.sets, sets.count, err) : ORR_OK;
}

/* A set on which NCCL would fail has no bandwidth. If no set has any, the answer is the error. */
static enum orr_code error_of_all_sets(const struct orr_placing *placing, struct orr_error *err)
{
    const struct orr_score *best = placing->packed ? placing->packed : &placing->best[0].score;
    for (uint32_t i = 0; i < (placing->packed ? placing->request.job_count : 1); i++)
        if (best[i].busbw > 0 || !best[i].missing)
            return ORR_OK;
    return orr_scores_refused(placing->scores, err);
}

enum orr_code orr_place(struct orr_scores *scores, const struct orr_place_request *request, struct orr_arena *arena,
                        struct orr_placing **ret_placing, struct orr_error *err)
{
    struct orr_placing *placing = ORR_NEW(arena, struct orr_placing, 1);
    struct orr_place_work work = {.placing = placing, .arena = arena};
    ORR_NEED(placing, err);
    placing->scores = scores;
    placing->request = *request;
    placing->exact = true;
    ORR_TRY(check(request, err));
    ORR_TRY(request->job_count ? orr_place_pack(&work, err) : choose(&work, err));
    ORR_TRY(error_of_all_sets(placing, err));
    ORR_TRY(orr_place_limits(&work, err));
    orr_placing_conclude(placing);
    *ret_placing = placing;
    return ORR_OK;
}
