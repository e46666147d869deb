/* SPDX-License-Identifier: Apache-2.0 */
/* A stored cluster on its way to an answer. */
#ifndef ORR_API_CLUSTER_WORK_H
#define ORR_API_CLUSTER_WORK_H

#include "api/documents/cluster_file.h"
#include "api/http/cache.h"

/* What a stored cluster consists of, read once for all analyses of it. Never changes. */
struct orr_cluster_parts {
    struct orr_shared shared;
    struct orr_cluster_file file;   /* topologies are ids */
    struct orr_dump **dumps;        /* [topology of the file]; those of one shape share the first one's */
    bool *owned;                    /* [topology of the file]: not shared from an earlier one */
    struct orr_cluster_names names; /* as the description and the labels of the topologies had them then */
    bool by_release;                /* the bytes of a topology become another dump with another release */
};

struct orr_cluster_work {
    struct orr_cluster_parts *parts; /* one reference */
    struct orr_arena *arena;         /* what the cluster borrows beside parts */
    struct orr_cluster *cluster;
};

/* With strict: what NCCL's reader would refuse in any of the dumps is an error. */
enum orr_code orr_cluster_work_strict(const struct orr_cluster_work *cluster, struct orr_error *err) ORR_NO_DISCARD;

#endif
