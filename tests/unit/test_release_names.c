/* Texts that name releases, and what is said of those that are not emulated. */
#include "engine/release/behaviours.h"
#include "engine/release/release_names.h"
#include "tests/support/orr_test.h"

static void versions_are_read_as_people_write_them(void **state)
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
    (void)state;
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

static void a_spelling_of_an_emulated_release_is_a_hint(void **state)
{
    static const char *const spellings[] = {"v2.27.7", "2.27", "2.27.7-1", "2.27.7+cuda12.9", "22707"};
    (void)state;
    for (size_t i = 0; i < sizeof spellings / sizeof spellings[0]; i++) {
        struct orr_error err = report(spellings[i]);
        CONTAINS(err.text, spellings[i]);
        CONTAINS(err.advice, "did you mean 2.27.7?");
    }
    CONTAINS(report("2708").advice, "did you mean 2.7.8?");
    CONTAINS(report("2.28").advice, "did you mean 2.28.9?");
}

static void the_nearest_releases_and_what_changed_between_them(void **state)
{
    (void)state;
    struct orr_error err = report("2.24.3");
    const struct orr_release *below, *above;
    char nearest[96];
    orr_release_neighbours(ORR_VERSION(2, 24, 3), &below, &above);
    snprintf(nearest, sizeof nearest, "the nearest are %s and %s, between which these changed: ", below->name,
             above->name);
    CONTAINS(err.text, nearest);
    CONTAINS(err.text, "path types");
    CONTAINS(err.text, "C2C");
    assert_null(strstr(err.text, "choice of paths")); /* 2.30.7's */
    CONTAINS(err.advice, "2.7.8, 2.12.12");

    err = report("2.29.7");
    CONTAINS(err.text, "2.28.9 (not verified) and 2.30.7");
    CONTAINS(err.text, "choice of paths");
    assert_null(strstr(err.text, "path types"));
    /* The longest texts that a user may give stay whole, too. */
    (void)report("2.29.7+a-build-with-a-very-long-name-behind-it-and-more");
    (void)report("2.24.7+a-build-with-a-very-long-name-behind-it-and-more");
    (void)report("2.19.7+a-build-with-a-very-long-name-behind-it-and-more");
    (void)report("2.9.7+a-build-with-a-very-long-name-behind-it-and-more");
}

static void before_the_oldest_and_after_the_newest(void **state)
{
    (void)state;
    CONTAINS(report("2.4.8").text, "older than 2.7.8, the oldest that is emulated");
    CONTAINS(report("2408").text, "older than 2.7.8");
    CONTAINS(report("99.0.0").text, ", the newest that is emulated");
    CONTAINS(report("990000").text, "\"990000\" is newer than");
    CONTAINS(report("latest").text, "is not the name of a NCCL release");
    CONTAINS(report("").advice, "choose one of 2.7.8");
}

/* Between any two neighbours there is something to name. */
static void every_pair_of_neighbours_has_words(void **state)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    (void)state;
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_read_as_people_write_them),
        cmocka_unit_test(a_spelling_of_an_emulated_release_is_a_hint),
        cmocka_unit_test(the_nearest_releases_and_what_changed_between_them),
        cmocka_unit_test(before_the_oldest_and_after_the_newest),
        cmocka_unit_test(every_pair_of_neighbours_has_words),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
