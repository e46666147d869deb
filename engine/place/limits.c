/* SPDX-License-Identifier: Apache-2.0 */
/* Finds by trial what limits the sets of an answer; the scores of the many compared sets only know the loads of
 * links. */
#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/cluster/again.h"
#include "engine/place/placing.h"
#include "engine/search/memo.h"
#include "engine/trials/limit.h"

enum { LIST_SIZE = ORR_MOST_PLACE_NICS * 65 + 2, MEMO_BYTES = 4 << 20 };

/* The GPUs by rank, and the NICs if the job was given only some of them. */
static void write_lists(struct orr_scores *scores, const struct orr_score *score, char gpus[LIST_SIZE],
                        char nics[LIST_SIZE])
{
    size_t length = 0;
    gpus[0] = nics[0] = 0;
    for (uint32_t i = 0; i < score->count; i++)
        length += (size_t)snprintf(gpus + length, LIST_SIZE - length, "%s%u", i ? "," : "", score->order[i]);
    length = 0;
    for (uint32_t n = 0; orr_scores_about(scores)->question.nic_count && n < ORR_MOST_PLACE_NICS; n++)
        if (score->nics >> n & 1 && orr_scores_nic(scores, n))
            length += (size_t)snprintf(nics + length, LIST_SIZE - length, "%s%s", length ? "," : "=",
                                       orr_scores_nic(scores, n));
}

static enum orr_code limit_one(struct orr_place_work *work, const struct orr_query *query,
                               struct orr_set_prediction *prediction, struct orr_error *err)
{
    const struct orr_scored *about = orr_scores_about(work->placing->scores);
    struct orr_trials trials = {.left = {.analyses = 16, .steps = 2000000}, .memo = query->memo};
    struct orr_expect_limit limit;
    struct orr_error own = {0};
    ORR_LOCAL_AGAIN(analysis);
    enum orr_code code = orr_analyze_hosts(about->dump, query, NULL, &analysis, &own);
    if (code == ORR_NOMEM)
        return orr_fail_nomem(err);
    if (code != ORR_OK)
        return orr_budget_check(err); /* if it is not spent, the set has no bandwidth either */
    ORR_TRY(orr_find_limit(&trials, analysis, about->question.test, NULL, &limit, err));
    if (!limit.tried)
        return ORR_OK;
    prediction->limit = orr_arena_strndup(work->arena, limit.text, strlen(limit.text));
    prediction->limited_by = orr_bottleneck_name(limit.what);
    return prediction->limit ? ORR_OK : orr_fail_nomem(err);
}

static enum orr_code limit_set(struct orr_place_work *work, struct orr_search_memo *memo, struct orr_score *score,
                               struct orr_error *err)
{
    const struct orr_score_question *question = &orr_scores_about(work->placing->scores)->question;
    char gpus[LIST_SIZE], nics[LIST_SIZE];
    struct orr_query query = {.settings = question->settings, .plan = true, .memo = memo};
    write_lists(work->placing->scores, score, gpus, nics);
    query.settings.gpus = gpus;
    if (*nics)
        query.settings.nics = nics;
    for (uint32_t h = 0; h < question->host_counts; h++) {
        query.hosts = question->hosts[h].hosts;
        if (score->by_hosts[h].busbw > 0)
            ORR_TRY(limit_one(work, &query, &score->by_hosts[h], err));
    }
    return ORR_OK;
}

enum orr_code orr_place_limits(struct orr_place_work *work, struct orr_error *err)
{
    struct orr_placing *placing = work->placing;
    struct orr_search_memo *memo = orr_search_memo_new(MEMO_BYTES);
    enum orr_code code = ORR_OK;
    for (uint32_t i = 0; i < placing->best_count && code == ORR_OK; i++)
        code = limit_set(work, memo, &placing->best[i].score, err);
    if (placing->compared && code == ORR_OK)
        code = limit_set(work, memo, &placing->compared->score, err);
    for (uint32_t i = 0; placing->packed && i < placing->request.job_count && code == ORR_OK; i++)
        code = limit_set(work, memo, &placing->packed[i], err);
    orr_search_memo_free(memo);
    return code;
}
