/* SPDX-License-Identifier: Apache-2.0 */
/* Inside cluster/: hosts, ranks and systems before anything is analysed. */
#ifndef ORR_CLUSTER_PLACING_H
#define ORR_CLUSTER_PLACING_H

#include "engine/cluster/cluster.h"

/* Fills hosts with their ranks: how many GPUs each line has is asked of its dump. */
enum orr_code orr_place_ranks(struct orr_cluster *cluster, const struct orr_cluster_request *request,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Joins the hosts to systems: those of a clique, where the release fuses them. */
enum orr_code orr_place_systems(struct orr_cluster *cluster, struct orr_error *err) ORR_NO_DISCARD;

#endif
