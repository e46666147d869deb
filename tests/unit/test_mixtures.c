/* SPDX-License-Identifier: Apache-2.0 */
/* Mixtures of releases, which `--against` analyses on the way from one answer to another: no combination of behaviours
 * reads or writes out of bounds, whatever it makes of a machine. The sanitizers judge; no answer is checked.
 *
 *     test_mixtures SEED COUNT    tries other random mixtures, and more of them */
#include "tests/property/chance.h"
#include "tests/support/boundary_questions.h"

enum { RANDOM_MIXTURES = 200 };
static uint64_t seed = 1;
static uint32_t count = RANDOM_MIXTURES;

static void analyse_mixture(const struct question *question, struct orr_way *way, uint32_t taken)
{
    static struct orr_mixture mixture;
    struct answer answer;
    orr_way_mix(way, taken, &mixture);
    ask(question, &mixture.query, &answer);
    forget_answer(&answer);
}

/* Every change between neighbours by itself: put back, and ahead. */
TEST(single_changes)
{
    static const char *const machines[] = {"switched", "four Graces", "two parts", "switched@a + switched@b"};
    uint32_t releases;
    const struct orr_release *all = orr_releases(&releases);
    for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++) {
        struct question question = read_question(machines[m]);
        question.hosts = 2;
        question.settings = "NCCL_COLLNET_ENABLE=1";
        for (uint32_t r = 1; r < releases; r++) {
            struct orr_query query[2];
            struct orr_error err = {0};
            struct orr_arena *arena = orr_arena_new(0);
            struct orr_way way;
            give(&query[0], &question, &all[r - 1]);
            give(&query[1], &question, &all[r]);
            assert_non_null(arena);
            assert_ok(orr_way_find(&query[0], &query[1], arena, &way, &err), &err);
            for (uint32_t i = 0; i < way.count; i++)
                for (int own = 0; own < 2; own++) {
                    struct orr_way one = {.from = &query[own], .to = &query[!own], .steps = &way.steps[i], .count = 1};
                    analyse_mixture(&question, &one, 1);
                }
            orr_arena_free(arena);
        }
        forget_question(&question);
    }
}

/* Some of the changes between any two releases, in any order. */
static void random_mixture(struct chance *c)
{
    static const char *const settings[] = {"",
                                           "",
                                           "NCCL_COLLNET_ENABLE=1",
                                           "NCCL_CROSS_NIC=1",
                                           "NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1",
                                           "NCCL_SHM_DISABLE=1",
                                           "NCCL_PXN_C2C=1",
                                           "NCCL_NVLS_ENABLE=1",
                                           "NCCL_MIN_NCHANNELS=32",
                                           "--fuse-nics=always"};
    uint32_t releases;
    const struct orr_release *all = orr_releases(&releases);
    struct orr_query query[2];
    struct orr_error err = {0};
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_way way;
    struct question question = read_question(small[chance_below(c, SMALL)].name);
    question.hosts = chance_below(c, 3) + 1;
    question.settings = CHANCE_OF(c, settings);
    give(&query[0], &question, &all[chance_below(c, releases)]);
    give(&query[1], &question, &all[chance_below(c, releases)]);
    assert_non_null(arena);
    assert_ok(orr_way_find(&query[0], &query[1], arena, &way, &err), &err);
    for (uint32_t i = 0; i < way.count; i++) {
        uint32_t other = i + chance_below(c, way.count - i);
        struct orr_step step = way.steps[i];
        way.steps[i] = way.steps[other];
        way.steps[other] = step;
    }
    analyse_mixture(&question, &way, way.count ? chance_below(c, way.count) : 0);
    forget_question(&question);
}

TEST(random_mixtures)
{
    for (uint32_t i = 0; i < count; i++) {
        struct chance chance = {.state = seed + i};
        random_mixture(&chance);
    }
}

int with_arguments(int argc, char **argv)
{
    if (argc == 3) {
        seed = strtoull(argv[1], NULL, 10);
        count = (uint32_t)atoi(argv[2]);
    }
    return -1;
}
