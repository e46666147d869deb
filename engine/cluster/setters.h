/* Which kind of host sets what all hosts must agree on: every field of a graph becomes the worst of all. */
#ifndef ORR_CLUSTER_SETTERS_H
#define ORR_CLUSTER_SETTERS_H

#include "engine/cluster/cluster.h"

enum orr_graph_field {
    ORR_FIELD_CHANNELS,
    ORR_FIELD_SAME_CHANNELS,
    ORR_FIELD_BW_INTRA,
    ORR_FIELD_BW_INTER,
    ORR_FIELD_TYPE_INTRA, /* enum orr_path_type */
    ORR_FIELD_TYPE_INTER,
    ORR_FIELD_CROSS_NIC,
    ORR_FIELD_PATTERN, /* of trees, where the worst of all sets what trees cost */
    ORR_FIELD_COUNT
};
const char *orr_graph_field_name(enum orr_graph_field field); /* "bw_intra": as the document calls it */

/* What the graph of a kind says by itself; of its parts the one that lasts. false: it has no such graph. */
bool orr_kind_field(const struct orr_cluster_kind *kind, enum orr_graph_kind graph, enum orr_graph_field field,
                    double *ret_value);
/* Do all hosts of this release agree on the field? Elsewhere each rank keeps its own. */
bool orr_field_is_shared(const struct orr_release *release, enum orr_graph_kind graph, enum orr_graph_field field);
/* Does the kind by itself bring what all agreed on? Ring and tree graphs end with the same channels, so that either may
 * set those of both; a graph that one kind does not ask for is off for all. */
bool orr_kind_sets(const struct orr_cluster *cluster, const struct orr_cluster_kind *kind, enum orr_graph_kind graph,
                   enum orr_graph_field field);
/* What all agreed on. */
double orr_aligned_field(const struct orr_cluster *cluster, enum orr_graph_kind graph, enum orr_graph_field field);
/* What all must know of one another's machines: the least capability decides rates, limits and whether channels are
 * doubled, different ones keep LL128 out, different CPUs count as mixed. */
enum orr_machine_field {
    ORR_MACHINE_SM_MIN,
    ORR_MACHINE_SM_MAX,
    ORR_MACHINE_CPU_ARCH, /* NCCL's numbers, release/cpu.h */
    ORR_MACHINE_CPU_VENDOR,
    ORR_MACHINE_FIELD_COUNT
};
const char *orr_machine_field_name(enum orr_machine_field field);
int32_t orr_kind_machine(const struct orr_cluster_kind *kind, enum orr_machine_field field);
int32_t orr_shared_machine(const struct orr_cluster *cluster, enum orr_machine_field field);
/* Is it told to all, and is what the kind brings the reason for what all have? */
bool orr_machine_is_shared(const struct orr_release *release, enum orr_machine_field field);
bool orr_kind_sets_machine(const struct orr_cluster *cluster, uint32_t kind, enum orr_machine_field field);
/* Channels of a kind by itself: the lesser of its ring and tree graphs. */
int32_t orr_kind_channels(const struct orr_cluster_kind *kind);
/* GB/s of a kind's own rings together, as far as the narrower of inside and outside lets them. */
double orr_kind_ring_bw(const struct orr_cluster *cluster, const struct orr_cluster_kind *kind);

#endif
