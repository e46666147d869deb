/* SPDX-License-Identifier: Apache-2.0 */
/* A stored cluster that is read and analysed for an answer. */
#ifndef ORR_API_CLUSTER_WORK_H
#define ORR_API_CLUSTER_WORK_H

#include "api/documents/cluster_file.h"
#include "api/http/cache.h"

/* The parts of a stored cluster, read once for all its analyses. Immutable. */
struct orr_cluster_parts {
    struct orr_shared shared;
    struct orr_cluster_file file;   /* topologies are ids */
    struct orr_dump **dumps;        /* [topology of the file]; those of one shape share the first one's */
    bool *owned;                    /* [topology of the file]: not shared from an earlier one */
    struct orr_cluster_names names; /* from the description and the labels of the topologies at that time */
    bool by_release;                /* the bytes of some topology become a different dump with another release */
};

struct orr_cluster_work {
    struct orr_cluster_parts *parts; /* one reference */
    struct orr_arena *arena;         /* owns what the cluster borrows, apart from parts */
    struct orr_cluster *cluster;
};

/* With strict: fails if NCCL's reader would refuse any of the dumps. */
enum orr_code orr_cluster_work_strict(const struct orr_cluster_work *cluster, struct orr_error *err) ORR_NO_DISCARD;

#endif
