/* SPDX-License-Identifier: Apache-2.0 */
/* Possible differences from the predicted machine: an unmentioned setting, unused NICs, a link that lost half its
 * lanes. Each is a row (hypotheses.c) that changes the question. Trying it shows whether it explains what a log or a
 * benchmark says; a line of the input may refute or prove it without a trial. */
#ifndef ORR_TRIALS_HYPOTHESES_H
#define ORR_TRIALS_HYPOTHESES_H

#include "engine/trials/variant.h"

/* The input that hypotheses explain. */
enum orr_asked { ORR_ASKED_LOG, ORR_ASKED_RESULTS, ORR_ASKED_COUNT };

struct orr_hypothesis {
    const char *id;      /* in documents about results; rows with one id are tries of one hypothesis */
    const char *setting; /* setting that the job may have had, "NCCL_P2P_LEVEL=PIX"; NULL if `edit` changes the
                          * question */
    void (*edit)(struct orr_variant *variant, int amount);
    int amount, most;    /* tried with each number from amount to most; most 0 means with amount only */
    const char *what;    /* a clause about machine or job, "NVLink SHARP (NVLS) is off"; "" if the variant says it */
    const char *confirm; /* a sentence with a command */
    struct {
        const char *id, *what, *why, *advice; /* word, clause, sentence, clause */
    } log;                                    /* in documents about logs */
    bool network;                             /* has no effect on results of one host */
    /* Factor by which the real effect may differ from the computed one; 0 if it is computed exactly. The speed of TCP,
     * for instance, depends on the CPUs. */
    double tolerance;
    enum orr_shows proven_by;
    unsigned refuted_by; /* bits: 1 << enum orr_shows */
    /* If hypotheses explain equally well, the one with the smaller turn comes first, then the one with the earlier row.
     * 0 means that it is tried last, and named only if it explains more than all others. */
    uint8_t turn[ORR_ASKED_COUNT];
};

/* The hypothesis that is tried after `last`, by turn (NULL means the first); NULL if there are no more. */
const struct orr_hypothesis *orr_hypothesis_next(enum orr_asked asked, const struct orr_hypothesis *last);
/* Changes a question by a row; false if the row does not apply to it. amount: from row->amount to row->most. */
bool orr_hypothesis_apply(const struct orr_hypothesis *row, int amount, struct orr_variant *variant);
#endif
