/* SPDX-License-Identifier: Apache-2.0 */
/* Inside analysis/: the parts of a host. Trimming decides which GPUs reach each other without the network; each such
 * set is a system of its own. */
#ifndef ORR_ANALYSIS_PART_H
#define ORR_ANALYSIS_PART_H

#include "engine/analysis/analysis.h"

/* Paths of the whole host, its parts, and the paths of each part. */
enum orr_code orr_parts_make(struct orr_analysis *analysis, struct orr_error *err) ORR_NO_DISCARD;
/* GPUDirect RDMA of every GPU with every NET of the part. */
enum orr_code orr_part_decide(const struct orr_analysis *analysis, struct orr_part *part,
                              struct orr_error *err) ORR_NO_DISCARD;
/* contribution.c: whether a rank with a GPU of that capability asks for an NVLS graph. */
bool orr_searches_nvls(const struct orr_analysis *analysis, const struct orr_contribution *c, int32_t sm);
/* contribution.c: the part's contribution to the communicator, except for its graphs. */
enum orr_code orr_part_measure(const struct orr_analysis *analysis, struct orr_part *part,
                               struct orr_error *err) ORR_NO_DISCARD;
/* The graphs of the part, its contribution to the communicator, and its NICs by channel. */
enum orr_code orr_part_search(const struct orr_analysis *analysis, struct orr_part *part,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Computes the NICs by channel again if alignment left fewer channels. */
enum orr_code orr_part_align_nets(const struct orr_analysis *analysis, struct orr_part *part,
                                  struct orr_error *err) ORR_NO_DISCARD;

#endif
