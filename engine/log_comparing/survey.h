/* SPDX-License-Identifier: Apache-2.0 */
/* Compares every communicator of a log with the prediction. */
#ifndef ORR_LOG_SURVEY_H
#define ORR_LOG_SURVEY_H

#include "engine/log_comparing/check.h"

struct orr_log_survey_row {
    uint32_t communicator;  /* of the log */
    uint32_t like;          /* the communicator that was compared in its place: itself, or one with equal lines about
                             * the same GPUs */
    const char *why;        /* a phrase: why it was not compared; NULL if it was */
    uint32_t agree, differ; /* facts */
    uint32_t line;          /* line of the first fact that differs; 0 if none does */
    const char *what, *logged, *predicted; /* that fact; NULL if none differs */
    const char *cause;                     /* the likeliest cause; NULL if none is known, or none was sought */
    uint32_t left;                         /* differences that remain with the cause; UINT32_MAX if it was not tried */
};

struct orr_log_survey {
    struct orr_log_survey_row *rows; /* by communicator; only one if the question chooses one */
    uint32_t row_count;
    uint32_t compared, differing; /* communicators */
    uint32_t agree, differ;       /* facts, over all that were compared */
};

/* Fills check->survey, in the check's memory. Pass the question and the dump that the check was made with. The largest
 * communicators come first, in case not all can be compared in bounded time. */
enum orr_code orr_log_survey(struct orr_log_check *check, const struct orr_dump *dump,
                             const struct orr_log_question *question, struct orr_error *err) ORR_NO_DISCARD;

#endif
