/* A stored cluster on its way to an answer. */
#ifndef ORR_API_CLUSTER_WORK_H
#define ORR_API_CLUSTER_WORK_H

#include "api/cluster_file.h"

struct orr_cluster_work {
    struct orr_cluster_file file; /* topologies are ids */
    struct orr_dump **dumps;      /* [topology of the file] */
    struct orr_cluster *cluster;
};

/* With strict: what NCCL's reader would refuse in any of the dumps is an error. */
enum orr_code orr_cluster_work_strict(const struct orr_cluster_work *cluster, struct orr_error *err) ORR_NO_DISCARD;

#endif
