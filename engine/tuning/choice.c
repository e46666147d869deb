/* SPDX-License-Identifier: Apache-2.0 */
/* The algorithm and protocol that NCCL would choose for a call, and the number of channels and threads.
 * docs/nccl/tuning.md, "Time and choice". */
#include <math.h>
#include <string.h>

#include "engine/topology/system.h"
#include "engine/tuning/model.h"

float orr_tuning_time(const struct orr_tuning *tuning, const struct orr_communicator *communicator,
                      const struct orr_settings *settings, enum orr_function function, enum orr_algorithm algorithm,
                      enum orr_protocol protocol, uint64_t bytes)
{
    const struct orr_tuning_model *tables = settings->release->tuning;
    float bw = tuning->bandwidth[function][algorithm][protocol];
    float latency = tuning->latency[function][algorithm][protocol];
    if (bw == 0)
        return -1;
    int32_t size = orr_floor_log2(bytes / 64);
    if (size < 0 && !tables->small_sizes_uncorrected)
        size = 0;
    bool nvls_corrected = communicator->sm_min >= 100 && communicator->cpu_arch == ORR_ARCH_X86;
    int32_t sizes = algorithm == ORR_ALGO_TREE                          ? tables->tree_correction_sizes
                    : algorithm == ORR_ALGO_NVLS_TREE && nvls_corrected ? tables->nvls_tree_correction_sizes
                                                                        : 0;
    if (function == ORR_ALLREDUCE && size >= 0 && size < sizes)
        bw *= tables->tree_correction[protocol][size];

    if (algorithm == ORR_ALGO_RING && protocol == ORR_SIMPLE && communicator->node_count > 1 &&
        function == ORR_ALLREDUCE) {
        uint64_t channels =
            (uint64_t)(tables->collective_channels ? communicator->coll_channels : communicator->channel_count);
        if (tables->plateau != ORR_PLATEAU_BY_CHANNEL) {
            bool less = tables->plateau == ORR_PLATEAU_BY_RANKS_AND_SM && communicator->sm_min >= 90;
            if ((double)bytes >= communicator->rank_count / 16.0 * 65536)
                latency = (float)(latency * (less ? 1.5 : 1.9));
        } else if (bytes / (channels * communicator->rank_count) >= 64) {
            latency = (float)(latency * (communicator->sm_min < 80 ? 1.9 : 1.4));
        }
    }
    return latency + (float)bytes / (1000 * bw);
}

/* Whether NCCL considers an algorithm for a sum of 32-bit floats. */
static bool considered(const struct orr_tuning_model *tables, const struct orr_communicator *comm,
                       enum orr_function function, enum orr_algorithm algorithm)
{
#define ORR_FITS(limit) (!(limit) || comm->max_local_ranks <= (uint32_t)(limit))
    switch (algorithm) {
    case ORR_ALGO_COLLNET_DIRECT:
        return comm->collnet && ORR_FITS(tables->collnet_direct_max_local_ranks);
    case ORR_ALGO_COLLNET_CHAIN:
        return comm->collnet && ORR_FITS(tables->collnet_chain_max_local_ranks);
    case ORR_ALGO_NVLS:
    case ORR_ALGO_NVLS_TREE:
        if (!comm->nvls)
            return false;
        if (algorithm == ORR_ALGO_NVLS && comm->node_count > 1 && !comm->collnet)
            return false;
        if (function == ORR_ALLREDUCE)
            return true;
        if (tables->nvls_gather_one_node && comm->node_count > 1)
            return false;
        return !tables->nvls_gather_max_local_ranks ||
               comm->own_local_ranks <= (uint32_t)tables->nvls_gather_max_local_ranks;
    default:
        return true;
    }
#undef ORR_FITS
}

static uint64_t divide_up(uint64_t value, uint64_t by)
{
    return value / by + (value % by != 0);
}

/* CollNetDirect sheds channels in rounds: down to 16 at a full threshold, then to 8 at half of it, and so on. */
static int32_t collnet_direct_channels(uint64_t bytes, int32_t channels, int32_t threads, int32_t heads,
                                       int64_t threshold)
{
    bool too_many = true;
    for (int32_t floor = 16; floor >= 1 && too_many; floor /= 2)
        while ((too_many = (int64_t)bytes < (int64_t)channels * threads * heads * threshold) && channels > floor) {
            if (channels == floor + floor / 2)
                threshold /= 2;
            channels--;
        }
    return channels;
}

static void take_channels(const struct orr_tuning *tuning, const struct orr_communicator *comm,
                          const struct orr_tuning_model *tables, uint64_t bytes, struct orr_choice *choice)
{
    enum orr_algorithm algorithm = choice->algorithm;
    int64_t threshold = tuning->thread_threshold[algorithm][choice->protocol];
    int32_t threads = tuning->max_threads[algorithm][choice->protocol];
    int32_t channels = tables->collective_channels ? comm->coll_channels : comm->channel_count;
    int64_t size = bytes > INT64_MAX ? INT64_MAX : (int64_t)bytes;
    if (tables->collnet_half_channels && algorithm == ORR_ALGO_COLLNET_DIRECT)
        channels = channels > 1 ? channels / 2 : 1;
    if (algorithm == ORR_ALGO_COLLNET_DIRECT && tables->collnet_sheds_in_rounds) {
        channels = collnet_direct_channels((uint64_t)size, channels, threads, comm->collnet_heads, threshold);
    } else if (algorithm == ORR_ALGO_NVLS || algorithm == ORR_ALGO_NVLS_TREE) {
        bool bounded = tables->nvls_bounded && algorithm == ORR_ALGO_NVLS && comm->node_count > 1;
        channels = bounded && channels < comm->nvls_channels ? channels : comm->nvls_channels;
    } else {
        while (size < (int64_t)channels * threads * threshold && channels >= 2)
            channels--;
        while (size < (int64_t)channels * threads * threshold && threads % 128 == 0 && threads > 0)
            threads /= 2;
    }
    if (choice->protocol == ORR_SIMPLE)
        threads += tables->simple_threads[algorithm];
    threads = threads < tables->least_threads ? tables->least_threads : threads;
    if (tables->fixed_threads && (algorithm == ORR_ALGO_TREE || algorithm == ORR_ALGO_PAT))
        threads = tables->fixed_threads;
    choice->channels = channels;
    choice->threads = threads;
}

/* NCCL deals a call out in cells. A cell carries at least channel_traffic bytes over the links, so that no channel is
 * started for less: AllReduce carries each byte twice, AllGather and ReduceScatter carry a rank's part to all ranks,
 * and LL carries flags too. The cells go to as few channels as get no more than an equal share of the traffic. */
int32_t orr_tuning_channels_started(const struct orr_communicator *communicator, const struct orr_settings *settings,
                                    enum orr_function function, uint64_t bytes, const struct orr_choice *choice)
{
    const uint64_t least = (uint64_t)settings->release->tuning->channel_traffic, ranks = communicator->rank_count;
    if (!least || choice->channels < 1 || bytes > UINT64_MAX / 16 / (ranks + 1))
        return least ? choice->channels : -1;
    if (choice->algorithm == ORR_ALGO_COLLNET_DIRECT || choice->algorithm == ORR_ALGO_COLLNET_CHAIN)
        return choice->channels;
    const uint64_t part = orr_gathers(function) ? bytes / ranks : bytes, channels = (uint64_t)choice->channels;
    uint64_t times = function == ORR_ALLREDUCE ? 2 : orr_gathers(function) ? ranks : 1;
    times *= choice->protocol == ORR_LL ? 4 : 1;
    const uint64_t cell = divide_up(divide_up(least, times), 16) * 16, cells = divide_up(part, cell);
    const uint64_t traffic = part * times > least ? part * times : least;
    const uint64_t share = divide_up(traffic / channels, cell * times);
    return cells ? (int32_t)divide_up(cells, share ? share : 1) : 1;
}

static float bus_share(enum orr_function function, uint32_t ranks)
{
    float n = (float)ranks;
    return function == ORR_ALLREDUCE ? 2 * (n - 1) / n : orr_gathers(function) ? (n - 1) / n : 1;
}

/* The first row of the tuner file that matches and names a combination that NCCL considers; NULL if there is none. */
static const struct orr_tuner_row *tuner_row(const struct orr_tuning *tuning,
                                             const struct orr_communicator *communicator,
                                             const struct orr_settings *settings, enum orr_function function,
                                             uint64_t bytes)
{
    const struct orr_tuner *tuner = communicator->rank_count > 1 ? tuning->tuner : NULL;
    for (uint32_t i = 0; tuner && i < tuner->count; i++) {
        const struct orr_tuner_row *row = &tuner->rows[i];
        if (orr_tuner_matches(row, function, bytes, communicator->node_count, communicator->rank_count) &&
            (uint32_t)row->algorithm < tuning->algorithm_count &&
            considered(settings->release->tuning, communicator, function, row->algorithm) &&
            orr_tuning_time(tuning, communicator, settings, function, row->algorithm, row->protocol, bytes) >= 0)
            return row;
    }
    return NULL;
}

/* Channels, threads and bandwidths of a choice whose algorithm, protocol and time are known. */
static void complete(const struct orr_tuning *tuning, const struct orr_communicator *communicator,
                     const struct orr_tuning_model *tables, enum orr_function function, uint64_t bytes,
                     struct orr_choice *choice)
{
    take_channels(tuning, communicator, tables, bytes, choice);
    if (choice->time > 0) {
        choice->alg_bw = (float)((double)bytes / choice->time / 1000);
        choice->bus_bw = choice->alg_bw * bus_share(function, communicator->rank_count);
    }
}

bool orr_tuning_way(const struct orr_tuning *tuning, const struct orr_communicator *communicator,
                    const struct orr_settings *settings, enum orr_function function, enum orr_algorithm algorithm,
                    enum orr_protocol protocol, uint64_t bytes, struct orr_choice *ret_choice)
{
    struct orr_choice choice = {.algorithm = algorithm, .protocol = protocol};
    if ((uint32_t)algorithm >= tuning->algorithm_count || (uint32_t)protocol >= ORR_PROTOCOL_COUNT ||
        !considered(settings->release->tuning, communicator, function, algorithm))
        return false;
    choice.time = orr_tuning_time(tuning, communicator, settings, function, algorithm, protocol, bytes);
    if (choice.time < 0)
        return false;
    complete(tuning, communicator, settings->release->tuning, function, bytes, &choice);
    *ret_choice = choice;
    return true;
}

bool orr_tuning_choose(const struct orr_tuning *tuning, const struct orr_communicator *communicator,
                       const struct orr_settings *settings, enum orr_function function, uint64_t bytes,
                       struct orr_choice *ret_choice)
{
    const struct orr_tuning_model *tables = settings->release->tuning;
    struct orr_choice choice;
    memset(&choice, 0, sizeof choice);
    bool found = communicator->rank_count == 1; /* with one rank NCCL only copies: Ring and Simple, without a time */
    choice.algorithm = ORR_ALGO_RING;
    choice.protocol = ORR_SIMPLE;
    float least = tables->time_limit > 0 ? tables->time_limit : INFINITY;
    for (uint32_t a = 0; a < tuning->algorithm_count && communicator->rank_count > 1; a++) {
        if (!considered(tables, communicator, function, (enum orr_algorithm)a))
            continue;
        for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
            float time = orr_tuning_time(tuning, communicator, settings, function, (enum orr_algorithm)a,
                                         (enum orr_protocol)p, bytes);
            if (time < 0 || time >= least)
                continue;
            found = true;
            least = choice.time = time;
            choice.algorithm = (enum orr_algorithm)a;
            choice.protocol = (enum orr_protocol)p;
        }
    }
    const struct orr_tuner_row *row = tuner_row(tuning, communicator, settings, function, bytes);
    if (row) {
        choice.tuner_line = row->line;
        choice.algorithm = row->algorithm;
        choice.protocol = row->protocol;
        choice.time = orr_tuning_time(tuning, communicator, settings, function, row->algorithm, row->protocol, bytes);
        found = true;
    }
    if (!found)
        return false;
    complete(tuning, communicator, tables, function, bytes, &choice);
    if (tuning->tuner)
        choice.channels = row && row->channels > 0 ? row->channels : 1;
    *ret_choice = choice;
    return true;
}
