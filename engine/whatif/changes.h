/* SPDX-License-Identifier: Apache-2.0 */
/* Finds what changes between two answers about one dump (for two releases or two sets of settings), and why. Also finds
 * the differences between answers about two dumps. */
#ifndef ORR_WHATIF_CHANGES_H
#define ORR_WHATIF_CHANGES_H

#include "engine/trials/outcomes.h"
#include "engine/whatif/facts.h"
#include "engine/whatif/steps.h"

/* Facts of one kind that change in the same way for the same reason. */
struct orr_change {
    enum orr_fact_kind kind;
    uint16_t detail;               /* detail of all of them, if the place has one */
    uint8_t rule_a, rule_b;        /* enum orr_rule */
    int64_t a, b;                  /* ORR_FACT_ABSENT if this side has no such fact; value of the first fact if the unit
                                    * is ORDER */
    const struct orr_fact *places; /* [count]: the facts, sorted, with side A's value */
    size_t count;
    const uint32_t *because; /* [because_count]: steps at which they changed, ascending */
    uint32_t because_count;
    bool certain; /* false if `because` lists all possible reasons, because there were too few analyses */
};

struct orr_changes {
    const struct orr_analysis *a, *b;   /* borrowed */
    const struct orr_fact_names *names; /* names of b's devices, if it is about another dump; NULL for one dump. Places
                                         * have a's names */
    struct orr_way way;
    const struct orr_change *changes; /* by section, kind and detail, then the largest first */
    size_t count;
    size_t facts, changed; /* number of facts that at least one side has, and of those that differ */
    size_t section_facts[ORR_SECTION_COUNT], section_changed[ORR_SECTION_COUNT];
    const size_t *step_changed;      /* [step]: number of facts that change there */
    uint32_t analyses;               /* further analyses made to find the reasons */
    bool complete;                   /* every change has its reason */
    struct orr_outcomes outcomes[2]; /* of a and of b, for people. Without hosts if they were not computed
                                      * (orr_changes_from()) */
};

/* The default allowance for finding reasons: a few seconds at most, fewer analyses for large
 * machines. */
struct orr_effort orr_changes_effort(const struct orr_analysis *a);

/* Compares two analyses of the same dump and finds the reasons by further analyses. These depend only on the two
 * questions, the dump and the allowed effort. Memory comes from arena. */
enum orr_code orr_changes_find(const struct orr_analysis *a, const struct orr_analysis *b, struct orr_effort most,
                               struct orr_arena *arena, struct orr_changes *ret_changes,
                               struct orr_error *err) ORR_NO_DISCARD;

/* The same for comparing one analysis with several: of_a are its facts. */
enum orr_code orr_changes_from(const struct orr_analysis *a, const struct orr_facts *of_a, const struct orr_analysis *b,
                               struct orr_effort most, struct orr_arena *arena, struct orr_changes *ret_changes,
                               struct orr_error *err) ORR_NO_DISCARD;

/* Compares the analyses of two dumps for the same question, without reasons, since the dumps differ. names: the names
 * in a's dump for the devices of b's; borrowed. Memory comes from arena. */
enum orr_code orr_changes_between(const struct orr_analysis *a, const struct orr_analysis *b,
                                  const struct orr_fact_names *names, struct orr_arena *arena,
                                  struct orr_changes *ret_changes, struct orr_error *err) ORR_NO_DISCARD;

#endif
