/* SPDX-License-Identifier: Apache-2.0 */
/* Threads of a block, and how many bytes a thread should get before another channel or block is worth it.
 * docs/nccl/tuning.md, "Channels and threads for a message". */
#include <stdio.h>

#include "engine/tuning/model.h"

enum { WARP = 32, LEAST_THREADS = 64, MOST_THREADS = 512, LEAST_LL128 = 160, MOST_LL128 = 640 };

static int32_t thread_setting(const struct orr_model *model, enum orr_setting setting, int32_t least, int32_t most,
                              int32_t otherwise)
{
    int64_t given = orr_setting_int(model->settings, setting);
    if (given <= 0) /* ORR_SETTING_UNSET is negative, too */
        return otherwise;
    if (given % WARP || given > most)
        return most;
    return given < least ? least : (int32_t)given;
}

void orr_model_threads(const struct orr_model *model, struct orr_tuning *tuning)
{
    const struct orr_graph *ring = &model->comm->aligned[ORR_GRAPH_RING];
    int32_t(*threads)[ORR_PROTOCOL_COUNT] = tuning->max_threads;
    int32_t ring_simple = ring->bw_intra * (float)ring->channels <= 12 ? 256 : MOST_THREADS;
    threads[ORR_ALGO_RING][ORR_SIMPLE] =
        thread_setting(model, ORR_SET_NTHREADS, LEAST_THREADS, MOST_THREADS, ring_simple);
    threads[ORR_ALGO_TREE][ORR_SIMPLE] = threads[ORR_ALGO_RING][ORR_LL] = threads[ORR_ALGO_TREE][ORR_LL] =
        thread_setting(model, ORR_SET_NTHREADS, LEAST_THREADS, MOST_THREADS, MOST_THREADS);
    threads[ORR_ALGO_RING][ORR_LL128] = threads[ORR_ALGO_TREE][ORR_LL128] =
        thread_setting(model, ORR_SET_LL128_NTHREADS, LEAST_LL128, MOST_LL128, MOST_LL128);
    if (model->tables->one_collnet) {
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
            int32_t rule = model->tables->collnet_threads[p];
            threads[ORR_ALGO_COLLNET_DIRECT][p] =
                rule > 0 ? rule : threads[rule == -1 ? ORR_ALGO_TREE : ORR_ALGO_RING][p];
        }
        return;
    }
    for (int a = ORR_ALGO_COLLNET_DIRECT; a <= ORR_ALGO_NVLS_TREE; a++)
        threads[a][ORR_SIMPLE] = (uint32_t)a < model->tables->algorithm_count ? model->tables->others_threads : 0;
}

void orr_model_thresholds(const struct orr_model *model, struct orr_tuning *tuning)
{
    const struct orr_tuning_model *tables = model->tables;
    for (uint32_t a = 0; a < tables->algorithm_count; a++)
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++)
            tuning->thread_threshold[a][p] = p == ORR_SIMPLE ? 64 : 8;
    tuning->thread_threshold[ORR_ALGO_RING][ORR_LL] *= model->ranks;
    tuning->thread_threshold[ORR_ALGO_COLLNET_DIRECT][ORR_SIMPLE] = tables->collnet_threshold;
    if (!tables->one_collnet)
        tuning->thread_threshold[ORR_ALGO_COLLNET_CHAIN][ORR_SIMPLE] = tables->collnet_threshold;
    tuning->has_thresholds = true;

    const char *text = orr_setting_text(model->settings, ORR_SET_THREAD_THRESHOLDS);
    if (!text)
        return;
    long long given[6] = {-1, -1, -1, -1, -1, -1};
    (void)sscanf(text, "%lld %lld %lld %lld %lld %lld", &given[0], &given[1], &given[2], &given[3], &given[4],
                 &given[5]);
    for (int i = 0; i < 6; i++)
        if (given[i] >= 0)
            tuning->thread_threshold[i / ORR_PROTOCOL_COUNT][i % ORR_PROTOCOL_COUNT] = given[i];
    if (tables->threshold_list_zeroes_collnet)
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++)
            tuning->thread_threshold[ORR_ALGO_COLLNET_DIRECT][p] = 0;
}
