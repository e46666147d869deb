/* SPDX-License-Identifier: Apache-2.0 */
/* Scores some of the sets if there are too many: rows of neighbours, evenly spread sets, and then exchanges of one GPU
 * that improve the best of these. Also computes a bound for all sets. */
#include "engine/expect/ceiling.h"
#include "engine/nics/used.h"
#include "engine/place/bits.h"
#include "engine/place/placing.h"

enum { MOST_TRIED = 4000 }; /* sets */

static enum orr_code try_set(struct orr_place_work *work, orr_bits gpus, struct orr_ranked_sets *sets,
                             struct orr_error *err)
{
    struct orr_score score;
    for (uint32_t i = 0; i < sets->count; i++)
        if (sets->sets[i].gpus == gpus)
            return ORR_OK;
    if (sets->count == sets->room || (sets->count && !orr_place_goes_on(work)))
        return ORR_OK;
    ORR_TRY(orr_place_score(work, gpus, &score, err));
    sets->sets[sets->count++] = (struct orr_ranked_set){.gpus = gpus, .busbw = score.busbw, .missing = score.missing};
    return ORR_OK;
}

orr_bits orr_place_row(orr_bits free, uint32_t count, uint32_t first, uint32_t step)
{
    const uint32_t most = orr_bit_count(free);
    orr_bits compact = 0;
    for (uint32_t i = 0, at = first; i < count; i++, at += step) {
        while (compact >> (at % most) & 1)
            at++;
        compact |= orr_bit(at % most);
    }
    return orr_spread_bits(compact, free);
}

static bool is_better(const struct orr_ranked_set *a, const struct orr_ranked_set *b)
{
    return a->missing != b->missing ? a->missing < b->missing : a->busbw > b->busbw;
}

/* Exchanges one GPU after the other as long as that helps. */
static enum orr_code improve(struct orr_place_work *work, struct orr_ranked_sets *sets, struct orr_error *err)
{
    const orr_bits free = work->placing->request.free;
    for (uint32_t best = 0;;) {
        for (uint32_t i = 0; i < sets->count; i++)
            best = is_better(&sets->sets[i], &sets->sets[best]) ? i : best;
        const orr_bits from = sets->sets[best].gpus;
        const uint32_t before = sets->count;
        bool better = false;
        for (orr_bits out = from; out; out &= out - 1)
            for (orr_bits in = free & ~from; in; in &= in - 1)
                ORR_TRY(try_set(work, (from & ~(out & (0 - out))) | (in & (0 - in)), sets, err));
        for (uint32_t i = before; i < sets->count; i++)
            better |= is_better(&sets->sets[i], &sets->sets[best]);
        if (!better)
            return ORR_OK;
    }
}

enum orr_code orr_place_some(struct orr_place_work *work, struct orr_ranked_sets *sets, struct orr_error *err)
{
    const struct orr_place_request *request = &work->placing->request;
    const uint32_t free = orr_bit_count(request->free);
    sets->room = MOST_TRIED;
    sets->sets = ORR_NEW(work->arena, struct orr_ranked_set, sets->room);
    ORR_NEED(sets->sets, err);
    for (uint32_t step = 1; step <= free / request->count; step++)
        for (uint32_t first = 0; first < free; first++)
            ORR_TRY(try_set(work, orr_place_row(request->free, request->count, first, step), sets, err));
    return sets->count ? improve(work, sets, err) : ORR_OK;
}

/* There is no bound (0) for a single GPU, nor if a dump has GPUs of several hosts without paths to each other, which
 * some releases treat as paths without a cost. */
enum orr_code orr_place_bound(struct orr_place_work *work, uint32_t wanted, double *ret_bound, struct orr_error *err)
{
    const struct orr_scores *scores = work->placing->scores;
    const struct orr_settings *settings = &orr_scores_about(scores)->question.settings;
    const struct orr_dump *dump = NULL;
    struct orr_system system;
    *ret_bound = 0;
    if (wanted < 2)
        return ORR_OK;
    ORR_TRY(orr_nics_used(orr_scores_about(scores)->dump, settings, work->arena, &dump, err));
    ORR_TRY(orr_system_build(dump, settings, work->arena, &system, err));
    if (system.host_count > 1 && !orr_system_count(&system, ORR_NVS))
        return ORR_OK;
    ORR_TRY(orr_ceiling_gpus(&system, wanted, work->arena, ret_bound, err));
    *ret_bound *= ORR_CEILING_COUNTED;
    return ORR_OK;
}
