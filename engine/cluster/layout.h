/* SPDX-License-Identifier: Apache-2.0 */
/* How training frameworks divide a communicator into groups, written in one line: "tp=8,pp=4,dp=16".
 *
 * Ranks count through the dimensions in Megatron's order, tensor fastest: tp, cp, dp, pp; "order=tp-pp-dp" names
 * another one. One size may be missing or "*", which means the rest. ep=N cuts each data parallel group into expert
 * parallel groups of N neighbours (ep). Ranks with the same place in them form the expert data parallel groups (edp).
 */
#ifndef ORR_CLUSTER_LAYOUT_H
#define ORR_CLUSTER_LAYOUT_H

#include <stdint.h>

#include "engine/base/error.h"

enum orr_dimension { ORR_TP, ORR_CP, ORR_DP, ORR_PP, ORR_DIMENSION_COUNT };
/* Kinds of groups: the dimensions, and the two that ep makes of dp. */
enum orr_group_kind {
    ORR_GROUP_TP,
    ORR_GROUP_CP,
    ORR_GROUP_DP,
    ORR_GROUP_PP,
    ORR_GROUP_EP,
    ORR_GROUP_EDP,
    ORR_GROUP_KIND_COUNT
};

struct orr_layout {
    uint32_t size[ORR_DIMENSION_COUNT];
    uint32_t stride[ORR_DIMENSION_COUNT]; /* ranks between neighbours */
    enum orr_dimension order[ORR_DIMENSION_COUNT];
    uint32_t expert; /* size of an expert parallel group; 1 if there are none */
    uint32_t rank_count;
};

/* SETTING if the line cannot be read or does not fit the ranks. */
enum orr_code orr_layout_read(const char *text, uint32_t rank_count, struct orr_layout *ret_layout,
                              struct orr_error *err) ORR_NO_DISCARD;
const char *orr_group_kind_name(enum orr_group_kind kind); /* "tp" */
const char *orr_dimension_name(enum orr_dimension dimension);
/* The number of ranks of a group of a kind, and the number of such groups, 0 if the layout has none. */
uint32_t orr_group_size(const struct orr_layout *layout, enum orr_group_kind kind);
uint32_t orr_group_count(const struct orr_layout *layout, enum orr_group_kind kind);
/* The ranks of group i, ascending: ranks[orr_group_size()]. */
void orr_group_ranks(const struct orr_layout *layout, enum orr_group_kind kind, uint32_t i, uint32_t *ranks);

#endif
