/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/expect/expect.h"

#include <math.h>

#include "engine/expect/loads.h"
#include "engine/expect/transfer_model.h"

/* The size that stands for large messages: beyond it, no release changes its choice. */
static const uint64_t large = UINT64_C(16) << 30;

struct orr_expectation {
    const struct orr_analysis *analysis;
    enum orr_test test;
    enum orr_peer_traffic peers;
    double slowdown[ORR_ALGORITHM_COUNT]; /* of the bandwidth of each algorithm, 1 or more */
    struct orr_transfer_model transfers;  /* of programs made of Send and Recv */
    struct orr_expect_limit limit;
    struct orr_arena *arena;
};

static bool is_collective(enum orr_test test)
{
    return orr_test_programs[test].function >= 0;
}

/* NCCL fits the rates to links without redirected traffic. If they must carry more, an algorithm is slower than in
 * NCCL's model. */
static enum orr_code find_slowdown(struct orr_expectation *e, enum orr_algorithm algorithm, struct orr_error *err)
{
    struct orr_expect_limit unused;
    double direct, redirected;
    ORR_TRY(orr_graph_limit(e->analysis, algorithm, ORR_PEERS_BY_SWITCH, 0, e->arena, &direct, &unused, err));
    ORR_TRY(orr_graph_limit(e->analysis, algorithm, e->peers, 0, e->arena, &redirected, &unused, err));
    e->slowdown[algorithm] = fmax(1, redirected / fmax(1, direct));
    return ORR_OK;
}

static enum orr_code make_collective(struct orr_expectation *e, struct orr_error *err)
{
    struct orr_expected expected;
    double use;
    orr_limit_by_channels(e->analysis->communicator.channel_count, 0, &e->limit);
    for (uint32_t a = 0; a < e->analysis->tuning.algorithm_count && e->peers != ORR_PEERS_BY_SWITCH; a++)
        ORR_TRY(find_slowdown(e, (enum orr_algorithm)a, err));
    if (!orr_expect(e, large, &expected))
        return ORR_OK;
    return orr_graph_limit(e->analysis, (enum orr_algorithm)expected.algorithm, e->peers, 0, e->arena, &use, &e->limit,
                           err);
}

static enum orr_code make_transfers(struct orr_expectation *e, struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    ORR_TRY(orr_transfer_model_make(e->analysis, e->test, e->peers, 0, scratch, &e->transfers, err));
    e->limit = e->transfers.limit;
    return ORR_OK;
}

static enum orr_code make(const struct orr_analysis *analysis, enum orr_test test, enum orr_peer_traffic peers,
                          struct orr_expectation **ret_expectation, struct orr_error *err)
{
    if (analysis->communicator.rank_count < 2)
        return orr_fail(err, ORR_UNSUPPORTED, "a single rank exchanges no data, so no bandwidth is expected");
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_expectation *e = ORR_NEW(arena, struct orr_expectation, 1);
    ORR_NEED(e, err);
    *e = (struct orr_expectation){.analysis = analysis, .test = test, .peers = peers, .arena = arena};
    for (int a = 0; a < ORR_ALGORITHM_COUNT; a++)
        e->slowdown[a] = 1;
    ORR_TRY(is_collective(test) ? make_collective(e, err) : make_transfers(e, err));
    orr_arena_take(&arena);
    *ret_expectation = e;
    return ORR_OK;
}

enum orr_code orr_expectation_new(const struct orr_analysis *analysis, enum orr_test test,
                                  struct orr_expectation **ret_expectation, struct orr_error *err)
{
    return make(analysis, test, ORR_PEERS_BY_SWITCH, ret_expectation, err);
}

enum orr_code orr_expectation_with_acs(const struct orr_analysis *analysis, enum orr_test test,
                                       struct orr_expectation **ret_expectation, struct orr_error *err)
{
    return make(analysis, test, ORR_PEERS_BY_ROOT, ret_expectation, err);
}

void orr_expectation_free(struct orr_expectation *expectation)
{
    if (expectation)
        orr_arena_free(expectation->arena);
}

/* Computes bandwidths from a time, like nccl-tests. */
static void fill_bandwidths(const struct orr_expectation *e, uint64_t size, struct orr_expected *expected)
{
    uint32_t ranks = e->analysis->communicator.rank_count;
    if (expected->time <= 0)
        return;
    expected->alg_bw = orr_test_size_factor(e->test, ranks) * (double)size / expected->time / 1000;
    expected->bus_bw = expected->alg_bw * orr_test_bus_factor(e->test, ranks);
}

/* Only the part that grows with the size takes longer. */
static double slowed(const struct orr_expectation *e, const struct orr_choice *choice)
{
    int function = orr_test_programs[e->test].function;
    double time = (double)choice->time;
    double latency = (double)e->analysis->tuning.latency[function][choice->algorithm][choice->protocol];
    return time + fmax(0, time - latency) * (e->slowdown[choice->algorithm] - 1);
}

static struct orr_expected of_choice(const struct orr_expectation *e, uint64_t size, const struct orr_choice *choice)
{
    struct orr_expected expected = {
        .time = slowed(e, choice),
        .channels = choice->channels,
        .algorithm = (int)choice->algorithm,
        .protocol = (int)choice->protocol,
        .algorithm_name = orr_algorithm_name(e->analysis->query.settings.release, choice->algorithm),
        .protocol_name = orr_protocol_name(choice->protocol),
    };
    fill_bandwidths(e, size, &expected);
    return expected;
}

static struct orr_expected of_transfers(const struct orr_expectation *e, enum orr_protocol protocol, uint64_t size)
{
    struct orr_expected expected = {
        .time = orr_transfer_model_time(&e->transfers, protocol, size),
        .channels = e->transfers.channels,
        .algorithm = -1,
        .protocol = (int)protocol,
        .algorithm_name = "P2P",
        .protocol_name = orr_protocol_name(protocol),
    };
    fill_bandwidths(e, size, &expected);
    return expected;
}

bool orr_expect(const struct orr_expectation *e, uint64_t size, struct orr_expected *ret_expected)
{
    const struct orr_analysis *a = e->analysis;
    struct orr_choice choice;
    if (size && !is_collective(e->test)) {
        *ret_expected = of_transfers(e, orr_transfer_model_protocol(&e->transfers, size), size);
        return true;
    }
    if (!size || !orr_tuning_choose(&a->tuning, &a->communicator, &a->query.settings,
                                    (enum orr_function)orr_test_programs[e->test].function, size, &choice))
        return false;
    *ret_expected = of_choice(e, size, &choice);
    return true;
}

bool orr_expect_way(const struct orr_expectation *e, int algorithm, int protocol, uint64_t size,
                    struct orr_expected *ret_expected)
{
    const struct orr_analysis *a = e->analysis;
    struct orr_choice choice;
    if (size && !is_collective(e->test) && algorithm == -1 && (protocol == ORR_LL || protocol == ORR_SIMPLE)) {
        *ret_expected = of_transfers(e, (enum orr_protocol)protocol, size);
        return true;
    }
    if (!size || !is_collective(e->test) ||
        !orr_tuning_way(&a->tuning, &a->communicator, &a->query.settings,
                        (enum orr_function)orr_test_programs[e->test].function, (enum orr_algorithm)algorithm,
                        (enum orr_protocol)protocol, size, &choice))
        return false;
    *ret_expected = of_choice(e, size, &choice);
    return true;
}

void orr_expect_limit(const struct orr_expectation *expectation, struct orr_expect_limit *ret_limit)
{
    *ret_limit = expectation->limit;
}

enum orr_code orr_expect_limit_of(const struct orr_expectation *e, unsigned kinds, struct orr_expect_limit *ret_limit,
                                  struct orr_error *err)
{
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_transfer_model transfers;
    struct orr_expected expected;
    double use;
    *ret_limit = e->limit;
    if (!kinds)
        orr_limit_by_channels(e->analysis->communicator.channel_count,
                              (double)e->analysis->communicator.aligned[ORR_GRAPH_RING].bw_intra, ret_limit);
    else if (is_collective(e->test) && orr_expect(e, large, &expected))
        ORR_TRY(orr_graph_limit(e->analysis, (enum orr_algorithm)expected.algorithm, e->peers, kinds, scratch, &use,
                                ret_limit, err));
    else if (!is_collective(e->test)) {
        ORR_TRY(orr_transfer_model_make(e->analysis, e->test, e->peers, kinds, scratch, &transfers, err));
        *ret_limit = transfers.limit;
    }
    ret_limit->kinds = kinds;
    return ORR_OK;
}

uint32_t orr_expect_crossings(const struct orr_expectation *expectation)
{
    return expectation->transfers.crossings;
}
