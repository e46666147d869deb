/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of releases: their order, which is taken by default, and that each says what its release changed. */
#include "engine/release/behaviours.h"
#include "engine/release/connect_rules.h"
#include "tests/support/arena_case.h"

TEST(releases_stand_oldest_first_and_have_their_own_number)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        uint32_t version = all[i].version;
        snprintf(name, sizeof name, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
        assert_string_equal(all[i].name, name);
        assert_ptr_equal(orr_release_find(name), &all[i]);
        assert_true(!i || all[i - 1].version < version);
        assert_true((!all[i].date || strlen(all[i].date) == 7) && strlen(all[i].summary) > 20);
        assert_true(all[i].connect && all[i].tuning);
    }
}

TEST(the_newest_release_is_the_default)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    assert_int_equal(count, 34);
    assert_ptr_equal(orr_release_default(), &all[count - 1]);
    assert_string_equal(orr_release_default()->name, "2.30.7");
}

static bool differs(const char *here, const char *before, const char *behaviour)
{
    const struct orr_behaviour_difference *rows;
    uint32_t count;
    assert_ok(orr_releases_compare(orr_release_find(here), orr_release_find(before), arena, &rows, &count, &err), &err);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(rows[i].behaviour.name, behaviour))
            return true;
    return false;
}

/* A row says what its release changed, so that no two neighbours are alike. */
TEST(every_row_differs_from_the_one_before)
{
    uint32_t count, differences;
    const struct orr_release *all = orr_releases(&count);
    const struct orr_behaviour_difference *rows;
    for (uint32_t i = 1; i < count; i++) {
        assert_ok(orr_releases_compare(&all[i], &all[i - 1], arena, &rows, &differences, &err), &err);
        if (!differences)
            fail_msg("%s is like %s", all[i].name, all[i - 1].name);
    }
    assert_true(differs("2.28.3", "2.27.7", "NCCL_NETDEVS_POLICY") && differs("2.28.7", "2.28.3", "keeps_nets"));
    assert_false(differs("2.28.9", "2.28.7", "search_rates") || differs("2.16.5", "2.15.5", "qpi_amd"));
}
