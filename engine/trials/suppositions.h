/* SPDX-License-Identifier: Apache-2.0 */
/* Assumed values, and their alternatives. If the figure that limits a verdict is assumed, the verdict becomes a
 * question, and each value that would decide it is tried. */
#ifndef ORR_TRIALS_SUPPOSITIONS_H
#define ORR_TRIALS_SUPPOSITIONS_H

#include "engine/base/text.h"
#include "engine/dump/dump.h"
#include "engine/expect/expect.h"

struct orr_variant;

enum { ORR_MOST_SUPPOSITIONS = 8 }; /* rows of one figure */

/* A figure that may be assumed, with the values that it may have. */
struct orr_suppositions {
    const char *what; /* a phrase: "the speed of the NICs" */
    enum orr_link_kind kind;
    enum orr_element_kind element;
    enum orr_attr attrs[3]; /* attributes to which the values belong */
    uint32_t attr_count;    /* 0 if it is not a figure of the machine */
    const char *confirm;    /* the command that shows the real value */
    struct {
        const char *assuming; /* a clause: "the NICs run at 100 Gb/s" */
        const char *values[3];
    } rows[ORR_MOST_SUPPOSITIONS]; /* from slow to fast; ends with a row without a clause */
};

/* The next assumed figure of these kinds of links (bits by enum orr_link_kind); NULL if there are no more. *at starts
 * at 0. A figure from the input or from the user (a machine type, the speed of NICs) is not assumed. guessed: the
 * machine type was guessed, so its NICs count as assumed. */
const struct orr_suppositions *orr_supposed(const struct orr_dump *dump, unsigned kinds, bool guessed, size_t *at);
/* Writes the facts about such links that the input does not show: "the speed of the NICs and the CPU model". Nothing
 * is written, and the answer is false, if it shows everything. */
bool orr_supposed_list(const struct orr_dump *dump, unsigned kinds, struct orr_text *text);
/* The same for the machine of an analysis, or for the first machine of its cluster that does not show everything. If
 * the network is not used, facts that only matter between hosts are left out. The second function writes the whole
 * sentence. */
void orr_supposed_of(const struct orr_analysis *analysis, bool network, struct orr_text *text);
#define ORR_RESTS_ON "The input does not show %s, so the figures rest on assumed values."
/* Gives the value of a row to every element whose value is assumed. */
void orr_suppose(struct orr_variant *variant, const struct orr_suppositions *of, uint32_t row);
/* Whether the machine as it is has the value of a row. */
bool orr_supposes_now(const struct orr_dump *dump, const struct orr_suppositions *of, uint32_t row);

/* A verdict with one value of an assumed figure. */
struct orr_depends {
    const char *assuming;    /* the row's clause */
    int verdict;             /* verdict of the calling room: enum orr_gate_state, enum orr_perf_verdict ... */
    double bus_bw, expected; /* GB/s that the verdict quotes */
};
/* One row for each value that changes the verdict, or the bandwidths by more than 2 %; from slow to fast. */
struct orr_depends_list {
    struct orr_depends rows[ORR_MOST_SUPPOSITIONS];
    uint32_t count;
};
/* Judges with the value of a row. *ret_judged is false before the call, and stays false if no verdict is possible. */
typedef enum orr_code orr_judge_with(void *work, const struct orr_suppositions *of, uint32_t row,
                                     struct orr_depends *ret_depends, bool *ret_judged, struct orr_error *err);
/* Judges with each value of a figure. */
enum orr_code orr_depends_find(const struct orr_suppositions *of, orr_judge_with *judge, void *work,
                               struct orr_depends_list *ret_list, struct orr_error *err) ORR_NO_DISCARD;
/* Whether a row of the list has another verdict. */
bool orr_depends_differ(const struct orr_depends_list *list, int verdict);

#endif
