/* SPDX-License-Identifier: Apache-2.0 */
/* inside diagnosis/: the dumps of a cluster, each diagnosed like a machine of its own, and their faults. */
#ifndef ORR_DIAGNOSIS_CLUSTER_EXAMINING_H
#define ORR_DIAGNOSIS_CLUSTER_EXAMINING_H

#include "engine/diagnosis/cluster_faults.h"
#include "engine/diagnosis/measure.h"
#include "engine/trials/repair.h"

enum {
    ORR_MOST_SPECIMENS = 32, /* number that are examined, the first of the description */
    ORR_MOST_FAULTS = 24     /* number that are tried */
};

/* A dump of the cluster, and its repaired copies. */
struct orr_specimen {
    const struct orr_dump *dump, *repaired; /* repaired: with everything repaired; the dump itself if it has no fault */
    uint32_t hosts;
    bool examined, has_fault, replaced;
    const struct orr_gpu_board *board; /* of its GPUs */
    double bw, best;                   /* what two such hosts get, as they are and with their own repairs */
};

struct orr_fault {
    struct orr_cluster_fault row;
    /* [specimen]: with this fault alone repaired, and with all but this one; NULL if it does not have the fault */
    const struct orr_dump *repaired[ORR_MOST_SPECIMENS], *rest[ORR_MOST_SPECIMENS];
};

struct orr_examining {
    const struct orr_cluster *cluster;
    struct orr_arena *arena;
    struct orr_specimen specimens[ORR_MOST_SPECIMENS];
    uint32_t specimen_count;
    struct orr_trials trials;
    struct orr_fault *faults; /* [ORR_MOST_FAULTS] */
    uint32_t fault_count, left_out;
    struct orr_fault question; /* whether the hosts are of a better type; what is NULL if there is no such question */
};

/* The specimen of a line, UINT32_MAX if none is. */
uint32_t orr_specimen_of(const struct orr_examining *e, uint32_t line);
/* Fills specimens, faults and question. e has the cluster and an arena. */
enum orr_code orr_cluster_examine(struct orr_examining *e, struct orr_error *err) ORR_NO_DISCARD;

static inline double orr_bandwidth_of(const struct orr_analysis *analysis)
{
    struct orr_performance figures;
    orr_measure(analysis, &figures);
    return figures.value[ORR_COST_BUS_BW];
}

#endif
