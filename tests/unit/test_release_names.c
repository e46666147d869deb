/* SPDX-License-Identifier: Apache-2.0 */
/* Texts that name releases, and what is said about those that are not emulated. */
#include "engine/release/behaviours.h"
#include "engine/release/frameworks.h"
#include "engine/release/release_names.h"
#include "tests/support/orr_test.h"

TEST(versions_are_read_as_people_write_them)
{
    static const struct {
        const char *text;
        uint32_t version;
        bool exact;
    } cases[] = {
        {"2.27.7", 22707, true},
        {"v2.27.7", 22707, true},
        {"V2.27.7", 22707, true},
        {"2.27.7-1", 22707, true},
        {"2.27.7+cuda12.9", 22707, true},
        {"2.27.7-1+cuda12.9", 22707, true},
        {"2.27.7 cuda12.9", 22707, true}, /* a + in a query is a blank */
        {" 2.27.7 ", 22707, true},
        {"NCCL 2.27.7", 22707, true},
        {"nccl-2.27.7", 22707, true},
        {"nccl_2.27.7", 22707, true},
        {"2.27", 22700, false},
        {"v2.27", 22700, false},
        {"22707", 22707, true},
        {"21212", 21212, true},
        {"2708", 20708, true},
        {"2.7.8", 20708, true},
        {"", 0, true},
        {"2", 0, true},
        {"latest", 0, true},
        {"v", 0, true},
        {"nccl", 0, true},
        {"2.27.7rc1", 0, true},
        {"2.27.7.1", 0, true},
        {"2.27.", 0, true},
        {".2.27", 0, true},
        {"2.127.7", 0, true},
        {"999999999999999999999999", 0, true},
        {"-2.27.7", 0, true},
        {"2.99999999999999999999.1", 0, true},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        bool exact = false;
        uint32_t version = orr_release_version_of(cases[i].text, &exact);
        if (version != cases[i].version)
            fail_msg("\"%s\" is %u, not %u", cases[i].text, version, cases[i].version);
        if (version)
            assert_int_equal(exact, cases[i].exact);
    }
}

static struct orr_error report(const char *text)
{
    struct orr_error err = {0};
    assert_string_equal(orr_code_name(orr_release_unknown(text, &err)), "invalid-setting");
    assert_string_equal(err.where, "release");
    if (strlen(err.text) >= sizeof err.text - 1 || strlen(err.advice) >= sizeof err.advice - 1)
        fail_msg("\"%s\" or \"%s\" was cut", err.text, err.advice);
    return err;
}

#define CONTAINS(text, words)                                                                                          \
    do {                                                                                                               \
        if (!strstr(text, words))                                                                                      \
            fail_msg("\"%s\" does not contain \"%s\"", text, words);                                                   \
    } while (0)

/* "from 2.7.8 to R", R the newest. */
static const char *whole_range(void)
{
    static char text[48];
    snprintf(text, sizeof text, "from 2.7.8 to %s", orr_release_default()->name);
    return text;
}

TEST(a_spelling_of_an_emulated_release_is_a_hint)
{
    static const char *const spellings[] = {"v2.27.7", "2.27", "2.27.7-1", "2.27.7+cuda12.9", "22707"};
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        struct orr_error err = report(spellings[i]);
        CONTAINS(err.text, spellings[i]);
        CONTAINS(err.advice, "did you mean 2.27.7?");
    }
    CONTAINS(report("2708").advice, "did you mean 2.7.8?");
    CONTAINS(report("2.28").advice, "did you mean 2.28.9?");
}

TEST(the_nearest_releases_and_what_changed_between_them)
{
    struct orr_error err = report("2.13.4");
    CONTAINS(err.text, "the nearest are 2.12.12 and 2.14.3, between which these changed: ");
    CONTAINS(err.text, "PXN");
    assert_null(strstr(err.text, "choice of paths")); /* 2.30.7's */
    char choose_one[64];
    uint32_t count;
    (void)orr_releases(&count);
    snprintf(choose_one, sizeof choose_one, "choose one of the %u releases ", count);
    CONTAINS(err.advice, choose_one);
    CONTAINS(err.advice, whole_range());
    CONTAINS(err.advice, "--nearest, nearest=1");

    err = report("2.30.5");
    CONTAINS(err.text, "2.30.4 and 2.30.7");
    CONTAINS(err.text, "choice of paths");
    assert_null(strstr(err.text, "path types"));
    /* The longest texts that a user may give stay whole, too. */
    (void)report("2.29.5+a-build-with-a-very-long-name-behind-it-and-more");
    (void)report("2.24.7+a-build-with-a-very-long-name-behind-it-and-more");
    (void)report("2.19.7+a-build-with-a-very-long-name-behind-it-and-more");
    (void)report("2.9.7+a-build-with-a-very-long-name-behind-it-and-more");
}

static struct orr_release_choice choose(const char *text, bool nearest)
{
    struct orr_release_choice choice = {0};
    struct orr_error err = {0};
    if (orr_release_choose(text, nearest, &choice, &err) != ORR_OK)
        choice.release = NULL;
    return choice;
}

TEST(tags_that_behave_alike_take_the_same_row)
{
    uint32_t count;
    const struct orr_release_alias *aliases = orr_release_aliases(&count);
    assert_true(count >= 10);
    for (uint32_t i = 0; i < count; i++) {
        struct orr_release_choice choice = choose(aliases[i].name, false);
        char name[ORR_VERSION_SIZE];
        assert_non_null(choice.release);
        assert_string_equal(choice.release->name, aliases[i].row);
        assert_int_equal(choice.asked, aliases[i].version);
        assert_string_equal(orr_version_format(choice.asked, name), aliases[i].name);
        assert_null(orr_release_find(aliases[i].name));
        assert_ptr_equal(orr_release_of(aliases[i].version), choice.release);
        struct orr_settings settings = {.release = choice.release, .asked = choice.asked};
        assert_false(orr_settings_nearest(&settings));
    }
    assert_string_equal(choose("2.18.6", false).release->name, "2.18.5");
    assert_int_equal(choose("2.18.5", false).asked, 0);
}

/* Other releases get a row only if the nearest is asked for. */
TEST(others_need_the_nearest)
{
    static const struct {
        const char *text, *row; /* row NULL means the newest */
        uint32_t asked;
    } cases[] = {
        {"2.99.0", NULL, 29900},      {"2.99", NULL, 29900},       {"2.6.4", "2.7.8", 20604},
        {"2.13.4", "2.12.12", 21304}, {"2.15.1", "2.15.5", 21501}, {"2.9.6", "2.9.9", 20906},
        {"2.30.5", "2.30.4", 23005},  {"v2.27.7", "2.27.7", 0},    {"2.18", "2.18.5", 21800},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_release_choice choice = choose(cases[i].text, true);
        assert_null(choose(cases[i].text, false).release);
        const char *row = cases[i].row ? cases[i].row : orr_release_default()->name;
        if (!choice.release || strcmp(choice.release->name, row) != 0)
            fail_msg("%s takes the row of %s", cases[i].text, choice.release ? choice.release->name : "none");
        assert_int_equal(choice.asked, cases[i].asked);
        struct orr_settings settings = {.release = choice.release, .asked = choice.asked};
        assert_int_equal(orr_settings_nearest(&settings), cases[i].asked != 0);
    }
    assert_null(choose("latest", true).release);
}

TEST(before_the_oldest_and_after_the_newest)
{
    CONTAINS(report("2.4.8").text, "older than 2.7.8, the oldest that Orrery knows");
    CONTAINS(report("2408").text, "older than 2.7.8");
    CONTAINS(report("99.0.0").text, ", the newest that Orrery knows");
    CONTAINS(report("990000").text, "\"990000\" is newer than");
    CONTAINS(report("latest").text, "is not an NCCL release");
    CONTAINS(report("").advice, whole_range());
}

/* Between any two neighbours there is something to name. */
TEST(every_pair_of_neighbours_has_words)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    for (uint32_t i = 1; i < count; i++) {
        char between[16];
        uint32_t version = all[i].version - 1;
        if (version == all[i - 1].version)
            continue;
        snprintf(between, sizeof between, "%u", version);
        if (strstr(report(between).text, "see both"))
            fail_msg("nothing to say between %s and %s", all[i - 1].name, all[i].name);
    }
}

/* Every framework's NCCL is a row's tag or one that behaves as a row does, and belongs to one row. */
TEST(frameworks_bring_known_releases)
{
    uint32_t count, release_count;
    const struct orr_framework *frameworks = orr_frameworks(&count);
    const struct orr_release *releases = orr_releases(&release_count);
    assert_true(count > 0);
    for (uint32_t i = 0; i < count; i++) {
        int rows = 0;
        for (uint32_t r = 0; r < release_count; r++)
            rows += orr_framework_brings(&frameworks[i], &releases[r]);
        if (rows != 1)
            fail_msg("%s %s brings NCCL %s, of %d rows", frameworks[i].name, frameworks[i].version, frameworks[i].nccl,
                     rows);
    }
}
