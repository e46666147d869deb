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
    const char *setting; /* "NCCL_P2P_LEVEL=PIX": what the job may have been given; NULL if edit changes the question */
    void (*edit)(struct orr_variant *variant, int amount);
    int amount, most;    /* tried with each number from amount to most; most 0 means with amount only */
    const char *what;    /* a clause about machine or job: "NVLink SHARP (NVLS) is off"; "": the variant says it */
    const char *confirm; /* a sentence with a command */
    struct {
        const char *id, *what, *why, *advice; /* word, clause, sentence, clause */
    } log;                                    /* in documents about logs */
    bool network;                             /* without effect on the results of one host */
    /* How far the real effect may be from the tried one, as a factor; 0 if it is computed exactly. TCP, for instance,
     * is as fast as the CPUs allow. */
    double tolerance;
    enum orr_shows proven_by;
    unsigned refuted_by; /* bits: 1 << enum orr_shows */
    /* Of hypotheses that explain equally well, the one with the smaller turn comes first, then the one whose row does.
     * 0 if it is tried last, and named only if it explains more than all others. */
    uint8_t turn[ORR_ASKED_COUNT];
};

/* The hypothesis that is tried after `last`, by turn (NULL means the first); NULL if there are no more. */
const struct orr_hypothesis *orr_hypothesis_next(enum orr_asked asked, const struct orr_hypothesis *last);
/* Changes a question as a row says. False: the row does not apply to it. Of amounts: from row->amount to row->most. */
bool orr_hypothesis_apply(const struct orr_hypothesis *row, int amount, struct orr_variant *variant);
#endif
