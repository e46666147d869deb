/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the kind of host that sets a value on which all hosts must agree. Every field of a graph becomes the worst
 * value of any host. */
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
    ORR_FIELD_PATTERN, /* of trees; the worst pattern of any host determines the cost */
    ORR_FIELD_COUNT
};
const char *orr_graph_field_name(enum orr_graph_field field); /* "bw_intra": as the document calls it */

/* Whether a is greater than b or, for path types, farther in this release. */
bool orr_field_exceeds(const struct orr_release *release, enum orr_graph_field field, double a, double b);
/* The value of a field in the kind's own graph, before alignment. If the kind has several parts, it is the value that
 * is kept. False if the kind has no such graph. */
bool orr_kind_field(const struct orr_cluster_kind *kind, enum orr_graph_kind graph, enum orr_graph_field field,
                    double *ret_value);
/* Whether all hosts agree on the field in this release. If not, each rank keeps its own value. */
bool orr_field_is_shared(const struct orr_release *release, enum orr_graph_kind graph, enum orr_graph_field field);
/* Whether the kind's own value is the one that all agreed on. Ring and tree graphs end up with the same number of
 * channels, so either may set it for both. A graph that one kind does not ask for is off for all. */
bool orr_kind_sets(const struct orr_cluster *cluster, const struct orr_cluster_kind *kind, enum orr_graph_kind graph,
                   enum orr_graph_field field);
/* The value on which all hosts agreed. */
double orr_aligned_field(const struct orr_cluster *cluster, enum orr_graph_kind graph, enum orr_graph_field field);
/* Properties of the machines that ranks exchange. The lowest compute capability decides rates, limits and whether
 * channels are doubled; different capabilities exclude LL128; different CPUs count as mixed. */
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
/* orr_machine_is_shared() says whether ranks exchange the property, orr_kind_sets_machine() whether the common value
 * comes from this kind. */
bool orr_machine_is_shared(const struct orr_release *release, enum orr_machine_field field);
bool orr_kind_sets_machine(const struct orr_cluster *cluster, uint32_t kind, enum orr_machine_field field);
/* Channels of a kind by itself: the smaller number of its ring and tree graphs. */
int32_t orr_kind_channels(const struct orr_cluster_kind *kind);
/* GB/s of a kind's own rings together: channels times the lower of the bandwidths inside hosts and between them. */
double orr_kind_ring_bw(const struct orr_cluster *cluster, const struct orr_cluster_kind *kind);

#endif
