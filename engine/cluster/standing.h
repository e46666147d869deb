/* SPDX-License-Identifier: Apache-2.0 */
/* Which kinds of hosts differ from most hosts, and which have the slowest rings of their own, with the reasons. */
#ifndef ORR_CLUSTER_STANDING_H
#define ORR_CLUSTER_STANDING_H

#include "engine/cluster/setters.h"

enum { ORR_MOST_REASONS = 8, ORR_HOSTS_TEXT = 192, ORR_HOST_NAME = 40 };

/* A field of its graphs in which a kind is worse than the best kind. */
struct orr_reason {
    enum orr_graph_kind graph;
    enum orr_graph_field field;
    double own, best;
};

/* Whether at most a quarter of the hosts are of this kind, while more than half are of another. */
bool orr_kind_odd(const struct orr_cluster *cluster, uint32_t kind);
/* Whether a kind has the same machines as the most common one, but another number of them in an NVLink domain. */
bool orr_kind_partial(const struct orr_cluster *cluster, uint32_t kind);
/* Whether no kind has slower rings by itself, while another kind has faster ones. */
bool orr_kind_slowest(const struct orr_cluster *cluster, uint32_t kind);
/* The kind with the fastest rings; the first if several are equal. */
uint32_t orr_kind_fastest(const struct orr_cluster *cluster);
/* Finds the fields in which the ring graph of a kind is worse than that of another kind; the channels of its tree
 * count, too. Returns their number. */
uint32_t orr_kind_reasons(const struct orr_cluster *cluster, uint32_t kind, uint32_t than,
                          struct orr_reason reasons[ORR_MOST_REASONS]);
/* The name of a host; NULL if it has none. */
const char *orr_host_name(const struct orr_cluster *cluster, uint32_t host);
/* Writes the name of a host, shortened if it is long, or "host 40". */
void orr_host_text(const struct orr_cluster *cluster, uint32_t host, char text[ORR_HOST_NAME]);
/* Sorts hosts by name ("node2" before "node10"), and hosts without a name by number. ret_hosts has room for all; false
 * if memory runs out. */
bool orr_hosts_sort(const struct orr_cluster *cluster, const uint32_t *hosts, uint32_t count, uint32_t *ret_hosts);
/* Writes hosts in that order, by their names or numbers: "node40", "host 40", "hosts 0-39 and 41", "node1 to node39 and
 * node41", "node1, node3, node5, node7 and others". "node1 to node39" are numbered without a gap. */
void orr_host_list_text(const struct orr_cluster *cluster, const uint32_t *hosts, uint32_t count,
                        char text[ORR_HOSTS_TEXT]);
/* The same for the hosts of the kinds in `wanted`. */
void orr_hosts_text(const struct orr_cluster *cluster, bool (*wanted)(const struct orr_cluster *cluster, uint32_t kind),
                    char text[ORR_HOSTS_TEXT]);
/* The same for one kind. */
void orr_kind_hosts_text(const struct orr_cluster *cluster, uint32_t kind, char text[ORR_HOSTS_TEXT]);
/* The same for the hosts of one line of the cluster's description. */
void orr_line_hosts_text(const struct orr_cluster *cluster, uint32_t line, char text[ORR_HOSTS_TEXT]);

#endif
