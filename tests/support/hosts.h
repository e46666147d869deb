/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts made of numbers, for tests of connect and tuning: graphs as the search would leave them on well-known
 * machines, without a dump. */
#ifndef ORR_TEST_HOSTS_H
#define ORR_TEST_HOSTS_H

#include "engine/connect/communicator.h"
#include "engine/release/connect_rules.h"
#include "engine/release/tuning_model.h"
#include "engine/topology/system.h"

enum test_row { TEST_ROW_ALTERNATE, TEST_ROW_BACK, TEST_ROW_FORTH, TEST_ROW_ROTATED };

/* The parts of a graph on a machine. */
struct test_graph {
    enum orr_graph_kind kind;
    enum orr_pattern pattern;
    int32_t channels;
    float intra, inter;
    int32_t cross_nic, same;
    enum test_row row;
};

static inline int32_t test_row_gpu(enum test_row row, int32_t channel, int32_t i, int32_t gpus)
{
    switch (row) {
    case TEST_ROW_ALTERNATE: /* pairs of channels in opposite directions: c, c-1 ... and c+1 ... c */
        return channel % 2 ? (channel + i) % gpus : (channel - i + channel / gpus * gpus + gpus) % gpus;
    case TEST_ROW_BACK:
        return (gpus - i) % gpus;
    case TEST_ROW_FORTH:
        return i;
    case TEST_ROW_ROTATED:
        return (channel + i) % gpus;
    }
    return 0;
}

static inline void test_add_graph(struct orr_arena *arena, struct orr_contribution *host, struct test_graph spec)
{
    int32_t gpus = (int32_t)host->rank_count;
    int32_t *rows = ORR_NEW(arena, int32_t, (size_t)(spec.channels * gpus));
    for (int32_t c = 0; c < spec.channels; c++)
        for (int32_t i = 0; i < gpus; i++)
            rows[c * gpus + i] = test_row_gpu(spec.row, c, i, gpus);
    host->graphs[spec.kind] = (struct orr_graph){
        .kind = spec.kind,
        .pattern = spec.pattern,
        .channels = spec.channels,
        .bw_intra = spec.intra,
        .bw_inter = spec.inter,
        .type_intra = ORR_PATH_NVL,
        .type_inter = ORR_PATH_PIX,
        .cross_nic = spec.cross_nic,
        .same_channels = spec.same,
        .gpu_count = (uint32_t)gpus,
        .row_count = spec.kind == ORR_GRAPH_NVLS ? 1 : (uint32_t)gpus,
        .gpus = rows,
    };
}

static inline struct orr_contribution *test_host(struct orr_arena *arena, int32_t gpus, int32_t sm, int32_t vendor)
{
    struct orr_contribution *host = ORR_NEW(arena, struct orr_contribution, 1);
    int32_t *ranks = ORR_NEW(arena, int32_t, (size_t)gpus);
    for (int32_t i = 0; i < gpus; i++)
        ranks[i] = i;
    *host = (struct orr_contribution){
        .rank_count = (uint32_t)gpus,
        .ranks = ranks,
        .cpu_arch = ORR_ARCH_X86,
        .cpu_vendor = vendor,
        .sm_min = sm,
        .sm_max = sm,
        .has_nvswitch = true,
        .p2p_local_min = gpus > 1 ? 36 : INT32_MAX,
        .p2p_nics_min = 0,
        .p2p_net_min = 4,
        .net_bw_min = 48,
    };
    return host;
}

/* Eight GPUs of capability 90 around NVSwitches with eight NICs, alone or among others. */
static inline struct orr_contribution *test_h100(struct orr_arena *arena, bool alone)
{
    struct orr_contribution *host = test_host(arena, 8, 90, ORR_VENDOR_INTEL);
    if (alone) {
        test_add_graph(arena, host,
                       (struct test_graph){ORR_GRAPH_RING, ORR_PATTERN_RING, 12, 30, 30, 0, 1, TEST_ROW_FORTH});
        test_add_graph(
            arena, host,
            (struct test_graph){ORR_GRAPH_TREE, ORR_PATTERN_BALANCED_TREE, 12, 30, 30, 0, 1, TEST_ROW_FORTH});
        test_add_graph(arena, host,
                       (struct test_graph){ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 8, 40, 60, 0, 0, TEST_ROW_ROTATED});
        return host;
    }
    test_add_graph(arena, host,
                   (struct test_graph){ORR_GRAPH_RING, ORR_PATTERN_RING, 8, 48, 48, 2, 0, TEST_ROW_ALTERNATE});
    test_add_graph(arena, host,
                   (struct test_graph){ORR_GRAPH_TREE, ORR_PATTERN_TREE, 8, 48, 48, 0, 0, TEST_ROW_ROTATED});
    test_add_graph(arena, host,
                   (struct test_graph){ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 8, 40, 48, 0, 0, TEST_ROW_ROTATED});
    return host;
}

/* Eight GPUs of capability 80, AMD, several hosts. */
static inline struct orr_contribution *test_a100(struct orr_arena *arena)
{
    struct orr_contribution *host = test_host(arena, 8, 80, ORR_VENDOR_AMD);
    host->p2p_local_min = 24;
    test_add_graph(arena, host, (struct test_graph){ORR_GRAPH_RING, ORR_PATTERN_RING, 8, 24, 24, 0, 0, TEST_ROW_BACK});
    test_add_graph(arena, host,
                   (struct test_graph){ORR_GRAPH_TREE, ORR_PATTERN_BALANCED_TREE, 8, 30, 24, 0, 0, TEST_ROW_FORTH});
    return host;
}

/* A release's rules under the newest settings. */
static inline struct orr_release test_release(int32_t max_channels, const struct orr_connect_rules *connect,
                                              const struct orr_tuning_model *tuning)
{
    struct orr_release release = *orr_release_find("2.27.7");
    release.max_channels = max_channels;
    release.connect = connect;
    release.tuning = tuning;
    return release;
}

/* `count` members; hosts[i % host_count] each, ranks host by host. */
static inline struct orr_member *test_members(struct orr_arena *arena, struct orr_contribution *const *hosts,
                                              uint32_t host_count, uint32_t count)
{
    struct orr_member *members = ORR_NEW(arena, struct orr_member, count);
    int32_t base = 0;
    for (uint32_t i = 0; i < count; i++) {
        members[i] = (struct orr_member){.contribution = hosts[i % host_count], .rank_base = base, .host = i};
        base += (int32_t)hosts[i % host_count]->rank_count;
    }
    return members;
}

#endif
