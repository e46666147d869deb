/* SPDX-License-Identifier: Apache-2.0 */
/* What is wrong with the hosts of a cluster, and what each repair gains for a job on all of them.
 *
 * Each dump of the cluster is diagnosed like a single machine. A fault is a finding that costs such a machine
 * something, on all hosts that have it in the same words. It is repaired in copies of their dumps, and the whole
 * cluster is analysed again; then it is analysed without these hosts. A host that is slower than most, whatever of its
 * own is repaired, is compared with a copy of the most frequent dump in its place; hosts that are slower than others
 * with the same GPUs, with a copy of the fastest dump. One figure is the reference of all: the cluster with every fault
 * repaired. A fault that gains nothing alone counts if that reference is lower without its repair; if it is not, the
 * fault costs this cluster nothing, but may cost other jobs.
 */
#ifndef ORR_DIAGNOSIS_CLUSTER_FAULTS_H
#define ORR_DIAGNOSIS_CLUSTER_FAULTS_H

#include "engine/cluster/cluster.h"
#include "engine/findings/findings.h"

#define ORR_LEAST_GAIN 1.01 /* factor of the figure as it is; a smaller gain does not count */

struct orr_cluster_fault {
    const struct orr_finding *finding; /* NULL if no finding explains why the hosts differ */
    const char *what;                  /* "A link is slower than its equals: ...", without a full stop */
    const char *device;                /* the first place of the finding, such as "mlx5_3"; "" if it has none */
    const char *remedy;                /* what to do, a sentence */
    const uint32_t *hosts;             /* [host_count]: numbered through the lines, ascending */
    uint32_t host_count;
    bool has_fixed, has_drained;
    bool of_gpus;  /* GPUs are missing; they are the loss, and no repair can be tried */
    bool together; /* the repair alone gains nothing, but all other repairs gain less without it */
    double fixed,
        drained; /* bus bandwidth of AllReduce at 1 GiB with this fault alone repaired, or without the hosts */
};

struct orr_cluster_faults {
    const struct orr_cluster_fault *rows; /* the fault that gains most comes first */
    uint32_t count;
    uint32_t left_out;        /* number of further faults, for which no analysis was left */
    uint32_t hosts_at_fault;  /* hosts with one fault or more */
    uint32_t hosts_that_cost; /* those of them whose faults cost this cluster bandwidth */
    uint32_t unexamined;      /* hosts whose repairs were not tried */
    /* Hosts that are right as they are, or should be of another type with better NICs: what is a clause, or NULL if
     * nothing is asked. fixed: the cluster's bandwidth if all these hosts should be of that type. */
    struct orr_cluster_fault question;
    double now, repaired; /* bus bandwidth of AllReduce at 1 GiB in GB/s: as it is, and with every fault repaired */
    /* [assumed_count]: facts that the figures rest on and the inputs do not show; clauses */
    const char *const *assumed;
    uint32_t assumed_count;
    const char *sentence; /* "60 hosts: AllReduce 265 of 350 GB/s, because of 2 hosts." */
};

/* Examines a cluster. Memory comes from arena; what rows point to lives as long. The work is bounded by a number of
 * analyses, never by the clock. */
enum orr_code orr_cluster_faults_find(const struct orr_cluster *cluster, struct orr_arena *arena,
                                      struct orr_cluster_faults *ret_faults, struct orr_error *err) ORR_NO_DISCARD;

#endif
