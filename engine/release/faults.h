/* SPDX-License-Identifier: Apache-2.0 */
/* Known faults of NCCL releases that users meet: what goes wrong, in which releases, and by what a text shows it.
 * engine/symptoms/faults.c compares texts with them. */
#ifndef ORR_RELEASE_FAULTS_H
#define ORR_RELEASE_FAULTS_H

#include "engine/release/release.h"

/* What a text must show, besides the release, for a fault to fit. */
enum {
    ORR_FAULT_HANGS = 1,     /* a job hangs, or a time limit ended it */
    ORR_FAULT_HOSTS = 2,     /* no line shows that the job has one host */
    ORR_FAULT_ON_ARM = 4,    /* GPUs or words that mean ARM CPUs */
    ORR_FAULT_GRAPHS = 8,    /* words about CUDA graphs */
    ORR_FAULT_BY_ITSELF = 16 /* named even if the release is unknown */
};

struct orr_fault {
    const char *id;
    uint32_t from;        /* the first release that has it; 0 if unknown, so that older ones may not have it */
    uint32_t fixed;       /* the first release that does not; 0 if none is known */
    bool reported;        /* users found it, and NVIDIA has not said so */
    unsigned needs;       /* ORR_FAULT_... */
    const char *shown_by; /* messages, "A|B", of which the text must have one; NULL if none */
    const char *in_text;  /* what the line of that message has, or of any warning; NULL if it may be any */
    const char *file;     /* NCCL's file that warns, if the line names one; NULL if it may be any */
    const char *said;     /* words that a person or a program must write (orr_log_says()); NULL if none */
    const char *what;     /* the consequence and the cause: a sentence that begins in lower case */
    const char *check;    /* a sentence; NULL for a run with the release that mends it */
    const char *cure;     /* besides that release; NULL if there is nothing else */
};

/* What releases do by default from a version on. If a job works with an older release, it is a thing to turn off. */
struct orr_release_default {
    uint32_t since;
    const char *off; /* the setting that turns it off */
};
/* The rows, the oldest first; NULL beyond the last. */
const struct orr_release_default *orr_release_default_at(uint32_t index);

/* The rows in their order, the surest first; NULL beyond the last. */
const struct orr_fault *orr_fault_at(uint32_t index);
/* Whether a release has a fault; false for release 0, and for faults of a framework, which have no release. */
bool orr_fault_is_in(const struct orr_fault *fault, uint32_t version);
/* The same of faults whose first release is known, so that the release has it for sure. */
bool orr_release_has_fault(const struct orr_release *release, const struct orr_fault *fault);

#endif
