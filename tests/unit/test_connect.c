/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/orr_test.h"

#include <stdlib.h>

#include "tests/support/connect_case.h"

static void set(const char *name, const char *value)
{
    assert_ok(orr_settings_set(&settings, name, value, &err), &err);
}

static void assert_counts(int32_t channels, int32_t p2p, int32_t per_peer)
{
    assert_int_equal(comm.channel_count, channels);
    assert_int_equal(comm.p2p_channels, p2p);
    assert_int_equal(comm.p2p_channels_per_peer, per_peer);
}

static void assert_downs(const int32_t down[3], int32_t a, int32_t b, int32_t c)
{
    assert_int_equal(down[0], a);
    assert_int_equal(down[1], b);
    assert_int_equal(down[2], c);
}

static const int32_t *ring(int32_t channel)
{
    return comm.rings[comm.source[channel]];
}

static const struct orr_tree *tree(int32_t channel)
{
    return &comm.trees[comm.source[channel]];
}

TEST(negative_channels_per_peer_do_not_count)
{
    static const struct {
        const char *release, *value;
        int32_t per_peer;
    } cases[] = {{"2.12.12", NULL, 2}, {"2.12.12", "-1", 32}, {"2.12.12", "-5", 32}, {"2.12.12", "3", 4},
                 {"2.21.5", NULL, 2},  {"2.21.5", "-1", 2},   {"2.21.5", "-5", 32},  {"2.21.5", "3", 4}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        orr_settings_init(&settings, orr_release_find(cases[i].release));
        set("NCCL_MIN_NCHANNELS", "32");
        if (cases[i].value)
            set("NCCL_NCHANNELS_PER_NET_PEER", cases[i].value);
        join_ok(test_h100(arena, false), 2);
        assert_counts(32, 32, cases[i].per_peer);
    }
}

TEST(channel_counts_of_known_machines)
{
    join_ok(test_h100(arena, true), 1);
    assert_counts(24, 32, 32);
    join_ok(test_h100(arena, false), 2);
    assert_counts(16, 16, 2);
    assert_int_equal(comm.nvls_channels, 16);
    join_ok(test_a100(arena), 3);
    assert_counts(16, 16, 2);
}

TEST(one_rank_alone_has_all_channels)
{
    struct orr_contribution *host = test_host(arena, 1, 90, ORR_VENDOR_INTEL);
    test_add_graph(arena, host, (struct test_graph){ORR_GRAPH_RING, ORR_PATTERN_RING, 32, 1, 1, 0, 1, TEST_ROW_FORTH});
    test_add_graph(arena, host, (struct test_graph){ORR_GRAPH_TREE, ORR_PATTERN_TREE, 32, 1, 1, 0, 1, TEST_ROW_FORTH});
    join_ok(host, 1);
    assert_counts(64, 64, 64);
    assert_int_equal(tree(63)->up[0], -1);
    assert_downs(tree(63)->down[0], -1, -1, -1);
}

TEST(rings_keep_their_rails)
{
    static const int32_t first[24] = {0,  7,  6,  5, 4,  3,  2,  1,  9,  10, 11, 12,
                                      13, 14, 15, 8, 16, 23, 22, 21, 20, 19, 18, 17};
    join_ok(test_h100(arena, false), 3);
    assert_memory_equal(ring(0), first, sizeof first);
    assert_memory_equal(ring(8), first, sizeof first); /* the second half repeats the rings */
    static const int32_t second_head[] = {0, 8, 15, 14};
    assert_memory_equal(ring(1), second_head, sizeof second_head);
}

TEST(without_crossing_rings_are_as_found)
{
    static const int32_t head[] = {0, 7, 6, 5, 4, 3, 2, 1, 8, 15, 14};
    join_ok(test_a100(arena), 3);
    assert_memory_equal(ring(0), head, sizeof head);
}

TEST(trees_over_three_nodes)
{
    join_ok(test_h100(arena, false), 3);
    const struct orr_tree *first = tree(0), *second = tree(8);
    assert_int_equal(first->up[0], -1);
    assert_int_equal(first->up[8], 16);
    assert_int_equal(first->up[16], 0);
    assert_downs(first->down[0], 1, 16, -1);
    assert_downs(first->down[8], 9, -1, -1);
    assert_downs(first->down[16], 17, 8, -1);
    assert_int_equal(second->up[0], 8);
    assert_int_equal(second->up[8], -1);
    assert_int_equal(second->up[16], 0);
    assert_downs(second->down[8], 9, 0, -1);
    assert_downs(second->down[16], 17, -1, -1);
    assert_int_equal(first->depth, 8);
}

TEST(balanced_trees_take_children_on_the_second_gpu)
{
    join_ok(test_a100(arena), 3);
    assert_int_equal(tree(0)->up[8], 17);
    assert_downs(tree(0)->down[17], 18, 8, -1);
    assert_int_equal(tree(0)->up[16], 0);
    assert_downs(tree(0)->down[0], 1, 16, -1);
}

TEST(old_releases_open_loops_into_two_trees)
{
    struct orr_release release =
        test_release(32, orr_release_find("2.7.8")->connect, orr_release_find("2.7.8")->tuning);
    settings.release = &release;
    struct orr_contribution *host = test_a100(arena);
    host->graphs[ORR_GRAPH_TREE].pattern = ORR_PATTERN_SPLIT_TREE;
    join_ok(host, 3);
    assert_int_equal(tree(0)->up[8], 17);
    assert_int_equal(tree(0)->up[16], 1);
    assert_downs(tree(0)->down[1], 2, 16, -1);
    assert_downs(tree(0)->down[17], 18, 8, -1);
    assert_non_null(comm.down_trees);
    assert_int_equal(comm.p2p_channels_per_peer, 1);
}

TEST(nvls_trees_alternate)
{
    join_ok(test_h100(arena, false), 2);
    assert_true(comm.nvls);
    assert_int_equal(comm.nvls_head_count, 8);
    assert_int_equal(comm.nvls_heads[7], 7);
    assert_int_equal(comm.nvls_tree_channels, 16);
    assert_int_equal(comm.nvls_trees[0].up[0], -1);
    assert_downs(comm.nvls_trees[0].down[0], 17, 8, -1);
    assert_int_equal(comm.nvls_trees[0].up[8], 0);
    assert_downs(comm.nvls_trees[0].down[8], 17, -1, -1);
    assert_int_equal(comm.nvls_trees[1].up[0], 8);
    assert_downs(comm.nvls_trees[1].down[8], 17, 0, -1);
}

TEST(channels_are_copied_and_cut)
{
    set("NCCL_MIN_NCHANNELS", "40");
    join_ok(test_h100(arena, false), 2);
    assert_int_equal(comm.channel_count, 40);
    assert_int_equal(comm.source[16], 0);
    assert_int_equal(comm.source[39], 7);
    assert_int_equal(comm.distinct_count, 16);
    set("NCCL_MIN_NCHANNELS", "4"); /* the maximum comes first, then copies up to the minimum */
    set("NCCL_MAX_NCHANNELS", "1");
    set("NCCL_NVLS_ENABLE", "0");
    struct orr_contribution *host = test_a100(arena);
    join_ok(host, 2);
    assert_int_equal(comm.channel_count, 4);
    assert_int_equal(comm.source[3], 0);
    assert_int_equal(comm.distinct_count, 1);
}

TEST(ctas_limit_nvls_too)
{
    set("NCCL_MAX_CTAS", "6");
    join_ok(test_h100(arena, false), 2);
    assert_counts(6, 8, 1); /* 2 channels for 16 ranks exceed 4 * 6 */
    assert_int_equal(comm.nvls_channels, 6);
    set("NCCL_MIN_CTAS", "9"); /* a minimum above the maximum becomes the maximum */
    join_ok(test_h100(arena, false), 2);
    assert_int_equal(comm.channel_count, 6);
}

TEST(old_names_of_limits_give_way_to_new_ones)
{
    set("NCCL_MIN_NRINGS", "32");
    join_ok(test_a100(arena), 2);
    assert_int_equal(comm.channel_count, 32);
    set("NCCL_MIN_NCHANNELS", "20");
    join_ok(test_a100(arena), 2);
    assert_int_equal(comm.channel_count, 20);
}

TEST(collnet_copies_channels)
{
    struct orr_contribution *host = test_a100(arena);
    test_add_graph(arena, host,
                   (struct test_graph){ORR_GRAPH_COLLNET_CHAIN, ORR_PATTERN_TREE, 8, 30, 24, 0, 0, TEST_ROW_ROTATED});
    test_add_graph(
        arena, host,
        (struct test_graph){ORR_GRAPH_COLLNET_DIRECT, ORR_PATTERN_COLLNET_DIRECT, 8, 48, 24, 0, 0, TEST_ROW_ROTATED});
    join_ok(host, 2);
    assert_false(comm.collnet);
    host->has_collnet = true;
    join_ok(host, 2);
    assert_true(comm.collnet);
    assert_counts(24, 32, 2);
    assert_int_equal(comm.collnet_heads, 8);
    assert_int_equal(comm.collnet_chains[comm.source[1]].up[1], 16);
    assert_int_equal(comm.collnet_chains[comm.source[1]].down[0], -1);
    assert_int_equal(comm.collnet_chains[0].depth, 8);
    struct orr_contribution *hosts[] = {host, test_a100(arena)};
    hosts[1]->graphs[ORR_GRAPH_COLLNET_CHAIN] = host->graphs[ORR_GRAPH_COLLNET_CHAIN];
    hosts[1]->graphs[ORR_GRAPH_COLLNET_DIRECT] = host->graphs[ORR_GRAPH_COLLNET_DIRECT];
    hosts[1]->graphs[ORR_GRAPH_COLLNET_DIRECT].channels = 3;
    assert_ok(join(hosts, 2, 2), &err);
    assert_false(comm.collnet); /* the second has no plugin */
    hosts[1]->has_collnet = true;
    assert_ok(join(hosts, 2, 2), &err);
    assert_true(comm.collnet);
    assert_int_equal(comm.collnet_heads, 3); /* of as many channels as all have */
    set("NCCL_COLLNET_NODE_THRESHOLD", "3");
    join_ok(host, 2);
    assert_false(comm.collnet);
}

TEST(different_hosts_take_the_worst_of_each)
{
    struct orr_contribution *hosts[] = {test_h100(arena, false), test_a100(arena)};
    hosts[1]->graphs[ORR_GRAPH_TREE].channels = 5;
    hosts[1]->graphs[ORR_GRAPH_RING].type_inter = ORR_PATH_PHB;
    assert_ok(join(hosts, 2, 3), &err);
    assert_int_equal(comm.node_count, 3);
    assert_int_equal(comm.aligned[ORR_GRAPH_RING].channels, 5);
    assert_int_equal(comm.aligned[ORR_GRAPH_TREE].channels, 5);
    assert_true(comm.aligned[ORR_GRAPH_RING].bw_intra == 24);
    assert_int_equal(comm.aligned[ORR_GRAPH_RING].type_inter, ORR_PATH_PHB);
    assert_int_equal(comm.aligned[ORR_GRAPH_RING].cross_nic, 2);
    assert_int_equal(comm.cpu_vendor, ORR_VENDOR_MIXED);
    assert_int_equal(comm.sm_min, 80);
    assert_int_equal(comm.sm_max, 90);
    assert_int_equal(comm.max_tree_pattern, ORR_PATTERN_TREE);
    assert_false(comm.nvls); /* one host has none */
    assert_int_equal(comm.channel_count, 10);
}

TEST(a_ring_that_misses_a_rank_is_an_error)
{
    struct orr_contribution *host = test_a100(arena);
    int32_t *rows = ORR_NEW(arena, int32_t, 64);
    memcpy(rows, host->graphs[ORR_GRAPH_RING].gpus, 64 * sizeof *rows);
    rows[3 * 8 + 2] = rows[3 * 8 + 1];
    host->graphs[ORR_GRAPH_RING].gpus = rows;
    assert_error(join(&host, 1, 2), ORR_INTERNAL, &err, "ring 3 does not contain rank 6");
}

TEST(a_graph_may_not_name_other_ranks)
{
    struct orr_contribution *host = test_a100(arena);
    int32_t *rows = ORR_NEW(arena, int32_t, 64);
    rows[5] = 8;
    host->graphs[ORR_GRAPH_TREE].gpus = rows;
    assert_error(join(&host, 1, 2), ORR_INTERNAL, &err, "names rank 8");
}

/* Every tree of every size is one tree: one root, and walking up from any rank ends there; up and down agree. */
TEST(trees_span_and_rings_visit_each_rank_once)
{
    const struct orr_connect_rules *const rules[] = {orr_release_find("2.12.12")->connect,
                                                     orr_release_find("2.27.7")->connect};
    srand(7);
    for (int round = 0; round < 60; round++) {
        uint32_t nodes = round < 20 ? (uint32_t)round + 1 : 1 + (uint32_t)rand() % 150;
        struct orr_release release = test_release(64, rules[round % 2], orr_release_find("2.27.7")->tuning);
        settings.release = &release;
        struct orr_contribution *hosts[] = {test_h100(arena, false), test_a100(arena)};
        hosts[0]->graphs[ORR_GRAPH_TREE].pattern = (enum orr_pattern)(1 + rand() % 3);
        assert_ok(join(hosts, 1 + (uint32_t)rand() % 2, nodes), &err);
        char *seen = calloc(comm.rank_count, 1);
        assert_non_null(seen);
        for (int32_t c = 0; c < comm.channel_count; c++) {
            for (uint32_t i = 0; i < comm.rank_count; i++)
                seen[ring(c)[i]] = (char)(c + 1);
            const struct orr_tree *t = tree(c);
            uint32_t roots = 0, downs = 0;
            for (uint32_t r = 0; r < comm.rank_count; r++) {
                assert_int_equal(seen[r], c + 1);
                roots += t->up[r] < 0;
                for (int i = 0; i < 3; i++)
                    if (t->down[r][i] >= 0) {
                        downs++;
                        assert_int_equal(t->up[t->down[r][i]], (int32_t)r);
                    }
                uint32_t steps = 0;
                for (int32_t at = (int32_t)r; at >= 0; at = t->up[at])
                    assert_true(steps++ <= comm.rank_count);
            }
            assert_int_equal(roots, 1);
            assert_int_equal(downs, comm.rank_count - 1);
        }
        free(seen);
    }
}
