/* SPDX-License-Identifier: Apache-2.0 */
/* Writes rings, trees, point-to-point rounds and parallel groups as text for people. If there are many, the text shows
 * the first ones and gives the number; programs read JSON. */
#ifndef ORR_REPORT_COMMUNICATOR_H
#define ORR_REPORT_COMMUNICATOR_H

#include "engine/cluster/groups.h"
#include "engine/cluster/transfers.h"
#include "engine/report/page.h"

/* The rings and trees; the analysis may be a plan. NOMEM. */
enum orr_code orr_channels_write(struct orr_page *page, const struct orr_analysis *analysis, struct orr_arena *arena,
                                 struct orr_error *err) ORR_NO_DISCARD;
/* The rounds first..last of one rank. */
void orr_rounds_write(struct orr_page *page, const struct orr_analysis *analysis, struct orr_transfers *transfers,
                      uint32_t rank, uint32_t first, uint32_t last, struct orr_arena *arena);
/* The groups of a layout: their channels, AllReduce and NICs. cluster: the cluster of the groups. */
void orr_groups_write(struct orr_page *page, const struct orr_cluster *cluster, const struct orr_groups *groups,
                      struct orr_arena *arena);

#endif
