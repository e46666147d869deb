/* SPDX-License-Identifier: Apache-2.0 */
/* Compares several dumps with their majority: which dumps deviate, where, and in what. */
#ifndef ORR_COMPARE_MAJORITY_H
#define ORR_COMPARE_MAJORITY_H

#include "engine/base/text.h"
#include "engine/compare/unlike.h"
#include "engine/findings/findings.h"
#include "engine/whatif/changes.h"

/* Limits of a set or a cluster: different dumps (apart from GUIDs and host hashes), dumps in all, and bytes of those
 * that are read. */
enum { ORR_MOST_DEVIATIONS = 2000, ORR_MAX_SET = 512, ORR_MAX_SET_HOSTS = 50000, ORR_SET_BYTES = 64 << 20 };

/* One content or shape, however many hosts have it. */
struct orr_specimen {
    const struct orr_dump *dump;
    uint32_t hosts; /* number of hosts that have it, 1.. */
};

/* A respect in which some specimens differ. */
struct orr_deviation {
    struct orr_unlike unlike;       /* a: the device of the reference; b: that of an example, see `example` */
    uint32_t example;               /* specimen of which unlike.b is a device */
    bool numbering;                 /* of names and numbers alone */
    bool decided;                   /* more than half agree on the value */
    char majority[ORR_FIGURE_SIZE]; /* that value */
    uint32_t majority_hosts;
    uint32_t deviant_hosts;                /* all others; without a majority, all that differ from the reference */
    const uint32_t *deviants;              /* [deviant_count]: specimens, ascending */
    const char (*values)[ORR_FIGURE_SIZE]; /* [deviant_count]: their values */
    uint32_t deviant_count;
};

struct orr_majority {
    const struct orr_devices *devices; /* [specimen] */
    uint32_t specimens, hosts;
    uint32_t shapes;                  /* number of different machines, by devices and connections */
    uint32_t reference;               /* the first specimen of the most frequent kind */
    const struct orr_deviation *rows; /* hardware first */
    uint32_t count, left_out;         /* rows, and rows beyond ORR_MOST_DEVIATIONS */
    const uint32_t (*deviates)[2];    /* [specimen]: number of decided rows in which it deviates, about hardware and
                                       * about numbering */
};

/* A finding about a set of hosts: L90 and L91 of docs/findings.md. */
struct orr_set_finding {
    struct orr_finding_row row; /* find: NULL */
    const char *detail;
    const uint32_t *specimens; /* [specimen_count] */
    uint32_t specimen_count;
};
enum { ORR_SET_FINDINGS = 2 };

/* The majority, and the specimens that deviate from it. Memory comes from arena. */
enum orr_code orr_majority_find(const struct orr_specimen *specimens, uint32_t count, struct orr_arena *arena,
                                struct orr_majority *ret_majority, struct orr_error *err) ORR_NO_DISCARD;
/* The specimen that deviates least from the majority; of equals, the reference or the first. */
uint32_t orr_majority_normal(const struct orr_majority *majority);
/* The subject for people: "presence", "PCIe speed". */
const char *orr_deviation_text(const struct orr_deviation *row);
/* Whether the deviating hosts are few enough to be the exception: at most a quarter, like in NCCL's RAS. */
bool orr_deviation_is_odd(const struct orr_majority *majority, const struct orr_deviation *row);
/* Findings that hold, up to ORR_SET_FINDINGS. */
enum orr_code orr_majority_findings(const struct orr_majority *majority, struct orr_arena *arena,
                                    struct orr_set_finding *findings, uint32_t *ret_count,
                                    struct orr_error *err) ORR_NO_DISCARD;
/* The specimen whose bandwidths differ most from those of the reference; UINT32_MAX: none differs, or none was
 * predicted. changes: [specimen], from the reference to it, NULL if they were not compared. */
uint32_t orr_majority_costliest(const struct orr_majority *majority, const struct orr_changes *const *changes);
/* compare_text.c: the cost of the difference, then how many differ. */
void orr_majority_summary(const struct orr_majority *majority, const struct orr_called *called,
                          const struct orr_changes *const *changes, struct orr_text *text);
/* Row i of those findings, NULL if there are no more. */
const struct orr_finding_row *orr_set_finding_row(size_t i);

#endif
