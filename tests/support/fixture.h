/* SPDX-License-Identifier: Apache-2.0 */
/* Analyses a dump that is given as text. A failure fails the test with the engine's error text. */
#ifndef ORR_TEST_FIXTURE_H
#define ORR_TEST_FIXTURE_H

#include "engine/analysis/analysis.h"
#include "tests/support/dump_text.h"

/* Settings as people write them: "NCCL_X=1 NCCL_Y=2". */
static inline void give(struct orr_settings *settings, const char *given)
{
    struct orr_error err = {0};
    char text[256], *rest = NULL;
    snprintf(text, sizeof text, "%s", given);
    for (char *word = strtok_r(text, " ", &rest); word; word = strtok_r(NULL, " ", &rest)) {
        char *value = strchr(word, '=');
        assert_non_null(value);
        *value++ = 0;
        assert_ok(orr_settings_set(settings, word, value, &err), &err);
    }
}

struct fixture {
    struct orr_dump *dump;
    struct orr_analysis *analysis;
};

/* Analyses text for this many hosts; settings are NAME, VALUE pairs that end with NULL, or NULL for none. */
static inline struct fixture analyse_in(const char *release, const char *text, uint32_t hosts,
                                        const char *const *settings)
{
    struct orr_error err = {0};
    struct fixture f = {.dump = read_text(text)};
    struct orr_query query = {.hosts = hosts};
    orr_settings_init(&query.settings, orr_release_find(release));
    for (; settings && *settings; settings += 2)
        assert_ok(orr_settings_set(&query.settings, settings[0], settings[1], &err), &err);
    assert_ok(orr_analyze(f.dump, &query, NULL, &f.analysis, &err), &err);
    assert_true(orr_system_check(&f.analysis->built, &err));
    return f;
}

static inline struct fixture analyse_text(const char *text, uint32_t hosts, const char *const *settings)
{
    return analyse_in("2.27.7", text, hosts, settings);
}

static inline void release_fixture(struct fixture *f)
{
    orr_analysis_free(f->analysis);
    orr_dump_free(f->dump);
}

/* One that is released where its block ends: FIXTURE f = analyse_text(...); */
#define FIXTURE __attribute__((cleanup(release_fixture))) struct fixture

/* The path between two nodes of part 0, named as users name them. */
static inline const struct orr_path *path_between(const struct fixture *f, const char *from, const char *to)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t a = orr_system_find(&part->system, from), b = orr_system_find(&part->system, to);
    assert_true(orr_paths_has(&part->paths, a));
    assert_true(orr_paths_has(&part->paths, b));
    return orr_path(&part->paths, a, b);
}

#define assert_path(f, from, to, kind, gbps)                                                                           \
    do {                                                                                                               \
        const struct orr_path *orr_test_path = path_between((f), (from), (to));                                        \
        assert_string_equal(orr_path_type_name((enum orr_path_type)orr_test_path->type), (kind));                      \
        assert_float_equal(orr_test_path->bw, (gbps), 1e-5);                                                           \
    } while (0)

#endif
