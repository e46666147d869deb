/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the settings that help on a machine. It tries the settings that people use, each with sensible values, and
 * pairs of those that help. Gains and costs are given for every operation, size and number of hosts of outcomes.h. */
#ifndef ORR_TRIALS_SETTINGS_TRIED_H
#define ORR_TRIALS_SETTINGS_TRIED_H

#include "engine/trials/outcomes.h"

enum { ORR_MOST_TRIED = 64, ORR_TRIED_TEXT = 80 };

/* One outcome that a setting changes. */
struct orr_tried_effect {
    uint32_t hosts;
    int test, size; /* indices of orr_outcome_tests and orr_outcome_sizes */
    double before, after;
};

struct orr_tried {
    char settings[ORR_TRIED_TEXT]; /* "NCCL_ALGO=Ring", "NCCL_ALGO=Tree NCCL_PROTO=Simple" */
    struct orr_outcomes outcomes;
    struct orr_tried_effect gain, harm; /* the greatest gain and loss; hosts is 0 if no outcome changes by more than 2 %
                                         * in that direction */
    uint32_t gains, harms;              /* outcomes that change by more than 2 % */
};

struct orr_settings_tried {
    struct orr_outcomes now;
    struct orr_tried
        rows[ORR_MOST_TRIED]; /* settings that change an outcome by more than 2 %: first those without harm, by gain */
    uint32_t count, helping;  /* helping: settings with a gain and without harm; they come first */
    uint32_t tried;           /* settings and pairs tried */
    bool all;                 /* false if the allowance ended first */
};

/* Tries the settings on the numbers of hosts of `now`, which the caller chose (orr_outcomes_choose()). Settings of the
 * question are not tried. */
enum orr_code orr_settings_try(const struct orr_analysis *analysis, const struct orr_outcomes *now,
                               struct orr_settings_tried *ret_tried, struct orr_error *err) ORR_NO_DISCARD;
/* "NCCL_PROTO=Simple: AllReduce at 1 MiB on 2 hosts gets 40 instead of 31 GB/s (+29 %); it costs ...". */
void orr_tried_say(const struct orr_settings_tried *tried, uint32_t row, struct orr_text *text);
/* The answer for people. */
void orr_settings_tried_write(const struct orr_settings_tried *tried, struct orr_text *text);

#endif
