/* SPDX-License-Identifier: Apache-2.0 */
/* Inside cluster/: hosts, ranks and systems before anything is analysed. */
#ifndef ORR_CLUSTER_PLACING_H
#define ORR_CLUSTER_PLACING_H

#include "engine/cluster/cluster.h"

/* Assigns ranks to hosts. The number of GPUs of each line comes from its dump. */
enum orr_code orr_place_ranks(struct orr_cluster *cluster, const struct orr_cluster_request *request,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Groups hosts into systems: one for a clique if the release fuses its hosts, otherwise one for each host. */
enum orr_code orr_place_systems(struct orr_cluster *cluster, struct orr_error *err) ORR_NO_DISCARD;

#endif
