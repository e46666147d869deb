/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a machine has a finding, by its id. */
#ifndef ORR_TEST_FINDINGS_H
#define ORR_TEST_FINDINGS_H

#include "engine/findings/findings.h"
#include "tests/support/fixture.h"

/* Places named of the finding, -1 if it is missing. */
static inline int places_of(const struct orr_dump *dump, const struct orr_analysis *analysis, const char *id)
{
    struct orr_error err = {0};
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_findings findings;
    int places = -1;
    assert_non_null(arena);
    assert_ok(orr_find(dump, analysis, arena, &findings, &err), &err);
    for (uint32_t i = 0; i < findings.count; i++) {
        assert_true(findings.rows[i].detail[0]);
        if (!strcmp(findings.rows[i].row->id, id))
            places = (int)findings.rows[i].place_count;
    }
    return places;
}

/* Of the dump alone. */
static inline int places_in_dump(const char *text, const char *id)
{
    ORR_OWNED(orr_dump) *dump = read_text(text);
    int places = places_of(dump, NULL, id);
    return places;
}

/* Of the analysis in 2.27.7. */
static inline int places_in_analysis(const char *text, uint32_t hosts, const char *const *settings, const char *id)
{
    FIXTURE f = analyse_text(text, hosts, settings);
    int places = places_of(f.dump, f.analysis, id);
    return places;
}

#define assert_dump_finds(text, id)             assert_true(places_in_dump((text), (id)) >= 0)
#define assert_dump_lacks(text, id)             assert_int_equal(places_in_dump((text), (id)), -1)
#define assert_finds(text, hosts, settings, id) assert_true(places_in_analysis((text), (hosts), (settings), (id)) >= 0)
#define assert_lacks(text, hosts, settings, id)                                                                        \
    assert_int_equal(places_in_analysis((text), (hosts), (settings), (id)), -1)

#endif
