/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/connect only: shared by the steps of one orr_connect(). Each step has its own file and fills its part
 * of the communicator; communicator.c calls them in NCCL's order. */
#ifndef ORR_CONNECT_CONNECTING_H
#define ORR_CONNECT_CONNECTING_H

#include "engine/connect/communicator.h"
#include "engine/release/connect_rules.h"

struct orr_connecting {
    const struct orr_member *members; /* node n is member n */
    const struct orr_settings *settings;
    const struct orr_connect_rules *rules;
    struct orr_arena *arena;
    struct orr_communicator *out;
    int32_t max_channels; /* of the release */
    int32_t min_ctas, max_ctas;
    int32_t nvls_channels; /* how many NVLS needs, before the number of heads is known */
};

/* A channel's GPUs in one member's graph: host ranks. */
static inline const int32_t *orr_graph_row(const struct orr_member *member, enum orr_graph_kind kind, int32_t channel)
{
    const struct orr_graph *graph = &member->contribution->graphs[kind];
    return graph->gpus + (size_t)channel * graph->gpu_count;
}

/* The value of an integer setting that the user gave. */
static inline bool orr_setting_given(const struct orr_settings *settings, enum orr_setting setting, int64_t *ret_value)
{
    *ret_value = orr_setting_int(settings, setting);
    return *ret_value != ORR_SETTING_UNSET;
}

/* The same, cut to the int in which NCCL keeps it. -2 is the default of the settings that this function reads, so it
 * means not given. */
static inline bool orr_setting_as_int(const struct orr_settings *settings, enum orr_setting setting, int32_t *ret_value)
{
    int64_t value;
    *ret_value = orr_setting_int32(settings, setting);
    return orr_setting_given(settings, setting, &value) && value != -2;
}

static inline int32_t orr_clamp(int64_t value, int64_t low, int64_t high)
{
    return (int32_t)(value < low ? low : value > high ? high : value);
}

/* numbering.c: ranks, nodes, local ranks; rejects members whose ranks are not exactly 0..R-1, and graphs that name
 * ranks of other systems. */
enum orr_code orr_number_nodes(struct orr_connecting *c, uint32_t member_count, struct orr_error *err) ORR_NO_DISCARD;
/* alignment.c: the worst fields of all members' graphs, CPU and capability, base_channels, and whether CollNet and NVLS
 * stay on. */
enum orr_code orr_align(struct orr_connecting *c, struct orr_error *err) ORR_NO_DISCARD;
/* channel_counts.c: channel_count, coll_channels, source, distinct_count. */
enum orr_code orr_count_channels(struct orr_connecting *c, struct orr_error *err) ORR_NO_DISCARD;
/* The limits of NCCL_MIN_CTAS and NCCL_MAX_CTAS, which NVLS obeys, too. */
void orr_cta_limits(struct orr_connecting *c);
/* Most channels whose arguments fit into NCCL_WORK_ARGS_BYTES. Below the size of the header, NCCL's unsigned difference
 * wraps, so there is no limit. */
int32_t orr_args_limit(const struct orr_connecting *c);
/* rings.c: checks that rings will close; makes one ring for every distinct channel. */
enum orr_code orr_check_rings(const struct orr_connecting *c, struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_connect_rings(struct orr_connecting *c, struct orr_error *err) ORR_NO_DISCARD;
/* trees.c: makes one or two trees for every distinct channel; loop_trees.c makes those of releases with two link
 * sets. */
enum orr_code orr_connect_trees(struct orr_connecting *c, struct orr_error *err) ORR_NO_DISCARD;
/* collnet.c: the number of heads and, unless the caller needs only a plan, the chains. */
enum orr_code orr_connect_collnet(struct orr_connecting *c, bool lists, struct orr_error *err) ORR_NO_DISCARD;
/* nvls.c: how many channels NVLS wants; its heads and trees. */
void orr_count_nvls(struct orr_connecting *c);
enum orr_code orr_connect_nvls(struct orr_connecting *c, struct orr_error *err) ORR_NO_DISCARD;
/* p2p_counts.c */
enum orr_code orr_count_p2p(struct orr_connecting *c, struct orr_error *err) ORR_NO_DISCARD;

/* Writes the first GPUs of a graph's channels in order, each only once if `distinct`, and returns their number; heads
 * has room for all. */
int32_t orr_graph_heads(const struct orr_graph *graph, bool distinct, int32_t heads[ORR_MAX_CHANNELS]);

/* Position of a node in one of the two trees over the nodes (trees.c); -1 if there is none. */
struct orr_tree_place {
    int32_t up, down[2];
    int32_t child; /* which child of its parent it is: 0 or 1 */
};
/* Fills the tree of a channel below base_channels; all its arrays are -1 before. up_tree: which of the two sets. */
void orr_loop_tree_fill(const struct orr_communicator *communicator, int32_t channel,
                        const struct orr_tree_place *places, bool up_tree, struct orr_tree *tree);
/* Fills places[node_count] of the first (0) or second (1) tree. */
void orr_double_tree(const struct orr_connect_rules *rules, int32_t node_count, int which,
                     struct orr_tree_place *places);
/* Allocates the arrays of a tree from the arena, filled with -1. */
enum orr_code orr_tree_new(struct orr_arena *arena, uint32_t rank_count, struct orr_tree *ret_tree,
                           struct orr_error *err) ORR_NO_DISCARD;
/* `count` ints of -1 from the arena, NULL if memory runs out. */
int32_t *orr_ranks_new(struct orr_arena *arena, size_t count);
/* floor(log2(value)), 0 for 0 and 1. */
int32_t orr_log2(uint32_t value);

#endif
