/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts of training frameworks: which ranks form a group. */
#include "engine/cluster/layout.h"
#include "tests/support/orr_test.h"

static struct orr_layout layout;
static struct orr_error err;

static void read(const char *text, uint32_t ranks)
{
    err = (struct orr_error){0};
    assert_ok(orr_layout_read(text, ranks, &layout, &err), &err);
}

static void assert_group(enum orr_group_kind kind, uint32_t i, uint32_t count, const uint32_t *expected)
{
    uint32_t ranks[64];
    assert_int_equal(orr_group_size(&layout, kind), count);
    orr_group_ranks(&layout, kind, i, ranks);
    for (uint32_t r = 0; r < count; r++)
        assert_int_equal(ranks[r], expected[r]);
}

TEST(groups_follow_the_usual_order)
{
    read("tp=2,pp=2", 8);
    assert_int_equal(layout.size[ORR_DP], 2);
    assert_group(ORR_GROUP_TP, 3, 2, (const uint32_t[]){6, 7});
    assert_group(ORR_GROUP_DP, 1, 2, (const uint32_t[]){1, 3});
    assert_group(ORR_GROUP_PP, 3, 2, (const uint32_t[]){3, 7});
    assert_int_equal(orr_group_count(&layout, ORR_GROUP_CP), 0);
    assert_int_equal(orr_group_count(&layout, ORR_GROUP_EP), 0);
}

TEST(another_order_moves_them)
{
    read("tp=2,pp=2,order=tp-pp", 8);
    assert_group(ORR_GROUP_PP, 0, 2, (const uint32_t[]){0, 2});
    assert_group(ORR_GROUP_DP, 3, 2, (const uint32_t[]){3, 7});
}

TEST(experts_share_a_data_parallel_group)
{
    read("tp=2,ep=2", 16);
    assert_group(ORR_GROUP_DP, 1, 8, (const uint32_t[]){1, 3, 5, 7, 9, 11, 13, 15});
    assert_group(ORR_GROUP_EP, 1, 2, (const uint32_t[]){1, 3});
    assert_group(ORR_GROUP_EDP, 3, 4, (const uint32_t[]){3, 7, 11, 15});
}

TEST(every_rank_is_in_one_group_of_each_kind)
{
    static const char *const layouts[] = {"tp=4,cp=2,pp=3", "tp=1,dp=24,ep=6", "cp=2,pp=*,dp=3",
                                          "tp=2,dp=6,pp=2,ep=3,order=pp-dp-tp"};
    for (size_t i = 0; i < sizeof layouts / sizeof layouts[0]; i++) {
        read(layouts[i], 24);
        for (int kind = 0; kind < ORR_GROUP_KIND_COUNT; kind++) {
            uint32_t seen = 0, ranks[24], count = orr_group_count(&layout, kind), size = orr_group_size(&layout, kind);
            if (!count)
                continue;
            for (uint32_t g = 0; g < count; g++) {
                orr_group_ranks(&layout, kind, g, ranks);
                for (uint32_t r = 0; r < size; r++) {
                    assert_true(ranks[r] < 24 && !(seen >> ranks[r] & 1) && (!r || ranks[r] > ranks[r - 1]));
                    seen |= 1u << ranks[r];
                }
            }
            assert_int_equal(seen, 0xffffff);
        }
    }
}

TEST(what_does_not_fit_is_refused)
{
    static const struct {
        const char *text, *why;
    } wrong[] = {{"", "must name sizes"},           {"tp", "NAME=NUMBER"},      {"tp=", "number from 1"},
                 {"tp=0", "number from 1"},         {"tp=2x", "number from 1"}, {"tp=5", "does not fit"},
                 {"tp=2,dp=2", "does not fit"},     {"tp=2,tp=4", "twice"},     {"zp=2", "no dimension"},
                 {"ep=3", "does not divide"},       {"tp=*,pp=*", "only one"},  {"order=tp-ep", "each dimension once"},
                 {"tp=123456789", "number from 1"}, {"ep=*", "number from 1"}};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        err = (struct orr_error){0};
        assert_error(orr_layout_read(wrong[i].text, 8, &layout, &err), ORR_SETTING, &err, wrong[i].why);
    }
}
