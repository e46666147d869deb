/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/place/placing.h"

#include "engine/base/budget.h"
#include "engine/place/bits.h"

uint64_t orr_place_most_work(const struct orr_place_work *work)
{
    enum { NS_OF_STEP = 200, FEW_GPUS = 8 }; /* four times what a step usually takes */
    const struct orr_budget *budget = orr_budget_in_force();
    if (orr_bit_count(work->placing->request.free) <= FEW_GPUS)
        return UINT64_MAX;
    return budget && budget->time_ns ? budget->time_ns / NS_OF_STEP : ORR_MOST_WORK;
}

bool orr_place_goes_on(const struct orr_place_work *work)
{
    return work->done < orr_place_most_work(work);
}

enum orr_code orr_place_score(struct orr_place_work *work, orr_bits gpus, struct orr_score *ret_score,
                              struct orr_error *err)
{
    ORR_TRY(orr_scores_of(work->placing->scores, gpus, ret_score, err));
    work->done += ret_score->work;
    return ORR_OK;
}
