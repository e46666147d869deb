/* SPDX-License-Identifier: Apache-2.0 */
/* The groups of a layout on a cluster: each is a communicator of its own. Groups that look the same, which is nearly
 * all of them, are one shape and analysed once; the load of their rings on the hosts' NICs is summed. */
#ifndef ORR_CLUSTER_GROUPS_H
#define ORR_CLUSTER_GROUPS_H

#include "engine/base/local.h"
#include "engine/cluster/cluster.h"
#include "engine/cluster/layout.h"

enum { ORR_MAX_GROUP_SHAPES = 256 };

struct orr_group_shape {
    uint32_t first;              /* number of the first group of the shape */
    uint32_t groups;             /* of the shape */
    const uint32_t *ranks;       /* of the first */
    struct orr_cluster *cluster; /* a plan; ranks are the group's own */
    uint64_t hops, crossing;     /* of the first group's rings between nodes: see traffic.h */
};

/* The load of all groups of a kind on a NIC of a kind of host (of the whole cluster). The unit is what one group sends
 * in a ring. */
struct orr_group_load {
    uint32_t kind, net; /* net: index of the NET among those of the kind's system as built */
    double mean, most;  /* over the hosts of the kind */
};

struct orr_groups_of_kind {
    enum orr_group_kind kind;
    uint32_t size, count;
    struct orr_group_shape *shapes;
    uint32_t shape_count;
    struct orr_group_load *loads; /* NICs that carry data */
    uint32_t load_count;
};

struct orr_groups {
    struct orr_layout layout;
    struct orr_groups_of_kind kinds[ORR_GROUP_KIND_COUNT]; /* those that the layout has */
    uint32_t kind_count;
    struct orr_arena *arena; /* owns all of it, this structure included */
};

/* cluster may be a plan, and must live as long as the answer. LIMIT if there are too many shapes. */
enum orr_code orr_groups_analyze(const struct orr_cluster *cluster, const struct orr_layout *layout,
                                 struct orr_groups **ret_groups, struct orr_error *err) ORR_NO_DISCARD;
/* Analyses one group alone, which becomes kinds[0].shapes[0], whatever its number. SETTING if the layout has no such
 * group. */
enum orr_code orr_group_analyze(const struct orr_cluster *cluster, const struct orr_layout *layout,
                                enum orr_group_kind kind, uint32_t number, struct orr_groups **ret_groups,
                                struct orr_error *err) ORR_NO_DISCARD;
void orr_groups_free(struct orr_groups *groups);
ORR_FREED_BY(orr_groups, orr_groups_free)

#endif
