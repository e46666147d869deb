/* SPDX-License-Identifier: Apache-2.0 */
/* What one behaviour changes by itself. Each row of tests/golden/boundary_effects.txt names a behaviour that a release
 * changed, and a machine that shows it: either the row of the newer release with this one behaviour put back ("back"),
 * or the row of the older one with this behaviour of the newer ("ahead"), answers otherwise than the release itself.
 * tests/tools/find_boundaries.c looks for such machines. */
#include "tests/support/boundary_questions.h"

#define TABLE "tests/golden/boundary_effects.txt"

/* Each row of the table holds. */
TEST(each_behaviour_has_its_effect)
{
    char *text = golden_read(TABLE), *rest = text, machines[256] = "";
    struct question question = {.parts = 0};
    unsigned rows = 0, wrong = 0;
    for (char *line; (line = strtok_r(rest, "\n", &rest)); rows++) {
        char *field[6];
        for (int i = 0; i < 6; i++) {
            field[i] = strsep(&line, "\t");
            assert_non_null(field[i]);
        }
        assert_null(line);
        const struct orr_release *release = orr_release_find(field[0]);
        struct orr_behaviour behaviour;
        struct sides sides;
        assert_non_null(release);
        assert_true(find_behaviour(field[1], &behaviour));
        if (strcmp(machines, field[2]) != 0) {
            forget_question(&question);
            question = read_question(field[2]);
            snprintf(machines, sizeof machines, "%s", field[2]);
        }
        question.hosts = (uint32_t)atoi(field[3]);
        question.settings = field[4];
        ask_both(&question, release, &sides);
        assert_true(!strcmp(field[5], "back") || !strcmp(field[5], "ahead"));
        if (!has_effect(&sides, !strcmp(field[5], "back"), &behaviour)) {
            print_error("%s: %s changes nothing on %s, %s hosts, %s\n", field[0], field[1], field[2], field[3],
                        field[4]);
            wrong++;
        }
        forget_sides(&sides);
    }
    forget_question(&question);
    free(text);
    assert_true(rows > 100);
    assert_int_equal(wrong, 0);
}
