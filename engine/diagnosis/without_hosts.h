/* SPDX-License-Identifier: Apache-2.0 */
/* inside diagnosis/: what a cluster gains without the hosts that differ from most. */
#ifndef ORR_DIAGNOSIS_WITHOUT_HOSTS_H
#define ORR_DIAGNOSIS_WITHOUT_HOSTS_H

#include "engine/cluster/cluster.h"
#include "engine/diagnosis/diagnosis.h"

/* Fills repair and cost, or not_tried, of a finding about a cluster in which hosts of some kinds differ from most;
 * leaves the row as it is if none are. Fails as orr_cluster_analyze() does. */
enum orr_code orr_try_without_odd_hosts(const struct orr_analysis *analysis, struct orr_arena *arena,
                                        struct orr_diagnosed *row, struct orr_error *err) ORR_NO_DISCARD;

#endif
