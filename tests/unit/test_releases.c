/* The rows of releases: their order, which is taken by default, and that a row that no reference verifies says what
 * docs/nccl says of it. */
#include "engine/release/behaviours.h"
#include "engine/release/connect_rules.h"
#include "tests/support/arena_case.h"

static void releases_stand_oldest_first_and_have_their_own_number(void **state)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    (void)state;
    for (uint32_t i = 0; i < count; i++) {
        char name[32];
        uint32_t version = all[i].version;
        snprintf(name, sizeof name, "%u.%u.%u", version / 10000, version / 100 % 100, version % 100);
        assert_string_equal(all[i].name, name);
        assert_ptr_equal(orr_release_find(name), &all[i]);
        assert_true(!i || all[i - 1].version < version);
        assert_true(strlen(all[i].date) == 7 && strlen(all[i].summary) > 20);
        assert_true(all[i].connect && all[i].tuning);
    }
}

static void the_newest_verified_release_is_the_default(void **state)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count), *newest = NULL;
    (void)state;
    for (uint32_t i = 0; i < count; i++)
        if (all[i].verified)
            newest = &all[i];
    assert_non_null(newest);
    assert_ptr_equal(orr_release_default(), newest);
    assert_string_equal(orr_release_verification(newest), "verified against NCCL's own results");
    assert_string_equal(orr_release_verification(orr_release_find("2.28.9")), "not verified against references");
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

static uint32_t difference_count(const char *here, const char *before)
{
    const struct orr_behaviour_difference *rows;
    uint32_t count;
    assert_ok(orr_releases_compare(orr_release_find(here), orr_release_find(before), arena, &rows, &count, &err), &err);
    return count;
}

/* What is known of 2.28.9: docs/nccl/p2p-and-gdr.md, "Settings", and the
 * tables of its other sections. */
static void what_is_known_of_2_28_9(void **state)
{
    static const char *const new_since_2_27[] = {"net_choice", "NCCL_NETDEVS_POLICY", "NCCL_PXN_C2C",
                                                 "NCCL_MNNVL_RAIL_PER_HOST"};
    /* 640 nodes and GIN came with 2.29.7; DEV, CXB, rails and planes with 2.30. */
    static const char *const not_yet_of_2_30[] = {"max_nodes", "has_devs", "pci_kind", "knows_rails"};
    const struct orr_release *release = orr_release_find("2.28.9");
    (void)state;
    assert_non_null(release);
    assert_false(release->verified);
    for (size_t i = 0; i < sizeof new_since_2_27 / sizeof new_since_2_27[0]; i++) {
        if (!differs("2.28.9", "2.27.7", new_since_2_27[i]))
            fail_msg("%s is as in 2.27.7", new_since_2_27[i]);
        if (differs("2.30.7", "2.28.9", new_since_2_27[i]))
            fail_msg("%s is not as in 2.30.7", new_since_2_27[i]);
    }
    assert_int_equal(difference_count("2.28.9", "2.27.7"), sizeof new_since_2_27 / sizeof new_since_2_27[0]);
    for (size_t i = 0; i < sizeof not_yet_of_2_30 / sizeof not_yet_of_2_30[0]; i++)
        if (!differs("2.30.7", "2.28.9", not_yet_of_2_30[i]))
            fail_msg("%s is as in 2.30.7", not_yet_of_2_30[i]);

    assert_int_equal(release->max_nodes, 576);
    assert_int_equal(release->net_choice, ORR_NET_BY_MIRRORED_SHARE);
    assert_int_equal(orr_setting_default(ORR_SET_PXN_C2C, release), 1);
    assert_true(orr_setting_in(ORR_SET_NETDEVS_POLICY, release));
    assert_int_equal(orr_path_type_number(release, ORR_PATH_PHB), 8); /* as the log of 2.27 to 2.30 counts */
    assert_int_equal(orr_path_type_number(release, ORR_PATH_P2C), 6);
    assert_int_equal(orr_path_type_number(release, ORR_PATH_PXN), 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(releases_stand_oldest_first_and_have_their_own_number),
        cmocka_unit_test(the_newest_verified_release_is_the_default),
        cmocka_unit_test(what_is_known_of_2_28_9),
    };
    return cmocka_run_group_tests(tests, setup, teardown);
}
