/* SPDX-License-Identifier: Apache-2.0 */
/* In which round each rank sends to which, and on which channels. */
#include "engine/connect/p2p_schedule.h"
#include "tests/support/connect_case.h"

static uint32_t rounds_of(int32_t rank, struct orr_p2p_round **ret_rounds)
{
    struct orr_p2p_schedule schedule;
    assert_int_equal(orr_p2p_schedule_make(&comm, arena, &schedule, NULL), ORR_OK);
    *ret_rounds = ORR_NEW(arena, struct orr_p2p_round, orr_p2p_round_count(&schedule));
    assert_non_null(*ret_rounds);
    return orr_p2p_rounds(&schedule, rank, *ret_rounds);
}

/* The worked checks of NCCL 2.27.7's schedule: one node of 8, two, and one of 6. */
TEST(transfers_follow_triangular_numbers)
{
    static const int32_t eight[] = {0, 1, 3, 6, 2, 7, 5, 4};
    struct orr_p2p_round *rounds;
    join_ok(test_h100(arena, false), 2);
    assert_int_equal(rounds_of(1, &rounds), 16);
    for (int32_t t = 0; t < 16; t++) {
        assert_int_equal(rounds[t].send, t / 8 * 8 + (1 + eight[t % 8]) % 8);
        assert_int_equal(rounds[t].receive, t / 8 * 8 + (9 - eight[t % 8]) % 8);
        assert_int_equal(rounds[t].channel, t / 8);
    }
    assert_int_equal(orr_p2p_channel(&comm, 1, 1), 9); /* 1 reversed in 16 is 8 */
    assert_int_equal(rounds_of(16, &rounds), 0);
    orr_settings_init(&settings, orr_release_find("2.30.7"));
    join_ok(test_h100(arena, false), 2);
    assert_int_equal(rounds_of(1, &rounds), 16);
    for (int32_t t = 0; t < 16; t++)
        assert_int_equal(rounds[t].send, t / 8 * 8 + (1 + t) % 8);
}

/* 2.12.12 over 8 nodes: 0 4 1 7 3 5 2 6; over 3: 0 1 2. */
TEST(transfers_took_nodes_by_distance)
{
    static const int32_t eight[] = {0, 4, 1, 7, 3, 5, 2, 6};
    struct orr_p2p_round *rounds;
    orr_settings_init(&settings, orr_release_find("2.12.12"));
    join_ok(test_h100(arena, false), 8);
    assert_int_equal(rounds_of(0, &rounds), 64);
    for (int32_t t = 0; t < 64; t++)
        assert_int_equal(rounds[t].send, eight[t / 8] * 8 + t % 8);
    join_ok(test_h100(arena, false), 3);
    assert_int_equal(rounds_of(0, &rounds), 24);
    for (int32_t t = 0; t < 24; t++)
        assert_int_equal(rounds[t].send, t);
}

/* Over all ranks: who sends in a round is who the other receives from, and each pair meets once. */
TEST(every_pair_of_ranks_meets_once)
{
    enum { MOST = 64 };
    static const char *const releases[] = {"2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.30.7"};
    for (uint32_t i = 0; i < sizeof releases / sizeof releases[0]; i++)
        for (uint32_t nodes = 1; nodes <= 6; nodes++) {
            orr_settings_init(&settings, orr_release_find(releases[i]));
            join_ok(test_h100(arena, false), nodes);
            bool met[MOST][MOST] = {{false}};
            struct orr_p2p_round *rounds[MOST];
            for (int32_t r = 0; r < (int32_t)comm.rank_count; r++)
                assert_int_equal(rounds_of(r, &rounds[r]), comm.rank_count);
            for (int32_t r = 0; r < (int32_t)comm.rank_count; r++)
                for (uint32_t t = 0; t < comm.rank_count; t++) {
                    int32_t to = rounds[r][t].send;
                    assert_in_range(to, 0, comm.rank_count - 1);
                    assert_int_equal(rounds[to][t].receive, r);
                    assert_false(met[r][to]);
                    met[r][to] = true;
                }
        }
}
