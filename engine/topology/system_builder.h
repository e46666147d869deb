/* SPDX-License-Identifier: Apache-2.0 */
/* Inside topology/ only: the graph under construction. Nodes are numbered in order of creation; system_freeze.c sorts
 * them by type at the end. Functions report errors in builder->err. */
#ifndef ORR_TOPOLOGY_SYSTEM_BUILDER_H
#define ORR_TOPOLOGY_SYSTEM_BUILDER_H

#include "engine/topology/system.h"

struct orr_growing_link {
    enum orr_link_type type;
    uint32_t to;
    float bw;
};

struct orr_growing_node {
    struct orr_node node;
    bool removed;
    struct orr_growing_link *links;
    uint32_t count;
    unsigned capacity;
};

struct orr_builder {
    const struct orr_dump *dump;
    const struct orr_release *release;
    unsigned widened;       /* of the settings */
    bool splits_partitions; /* NCCL_TOPO_SPLIT_MLOPART: each partition of a GPU is a device */
    struct orr_arena *arena;
    struct orr_error *err;
    struct orr_growing_node *nodes;
    uint32_t count;
    unsigned capacity;
    uint32_t *of_type[ORR_NODE_TYPE_COUNT]; /* nodes of a type in order */
    uint32_t type_count[ORR_NODE_TYPE_COUNT];
    unsigned type_capacity[ORR_NODE_TYPE_COUNT];
    uint64_t *host_hashes; /* distinct ones in order: the position is the system id */
    uint32_t host_count;
    unsigned host_capacity;
    uint32_t *element_system; /* [element]: system id of the cpu above it */
};

/* Combines a system id and a local id by the rule of the release. */
int64_t orr_builder_id(const struct orr_builder *builder, uint32_t system, uint64_t local);
/* The first node of a type with an id, ORR_NO_NODE if there is none. */
uint32_t orr_builder_find(const struct orr_builder *builder, enum orr_node_type type, int64_t id);
/* Creates a node. LIMIT if the release has no room for another of the type. */
enum orr_code orr_builder_add(struct orr_builder *builder, enum orr_node_type type, int64_t id, uint32_t element,
                              uint32_t *ret_node) ORR_NO_DISCARD;
/* Adds a link of one direction by NCCL's rule: to an existing link of the type between the two, or after all links
 * that are at least as fast. */
enum orr_code orr_builder_link(struct orr_builder *builder, uint32_t from, uint32_t to, enum orr_link_type type,
                               float bw) ORR_NO_DISCARD;
enum orr_code orr_builder_link_both(struct orr_builder *builder, uint32_t a, uint32_t b, enum orr_link_type type,
                                    float bw) ORR_NO_DISCARD;
/* Puts a link at the end, whatever its bandwidth. */
enum orr_code orr_builder_append(struct orr_builder *builder, uint32_t from,
                                 struct orr_growing_link link) ORR_NO_DISCARD;
/* Removes a node and the links to it. */
void orr_builder_remove(struct orr_builder *builder, uint32_t node);

/* The GPUs of one <pci> as ranks on physical devices (system_devices.c). */
enum orr_code orr_builder_devices(struct orr_builder *builder, uint32_t pci, uint32_t system,
                                  uint32_t parent) ORR_NO_DISCARD;
/* The partition number of a <gpu>, if partitions are separate devices; -1 means the whole GPU. */
int32_t orr_builder_partition_of(const struct orr_builder *builder, uint32_t gpu);
/* All DEV nodes of one physical GPU: up to two. Returns how many. */
uint32_t orr_builder_partitions(const struct orr_builder *builder, uint32_t system, uint64_t bus_id,
                                uint32_t ret_devs[2]);

/* The passes after the PCI tree, in NCCL's order (system_links.c, system_flatten.c). */
enum orr_code orr_builder_nvlinks(struct orr_builder *builder) ORR_NO_DISCARD;
enum orr_code orr_builder_c2c(struct orr_builder *builder) ORR_NO_DISCARD;
enum orr_code orr_builder_pcilinks(struct orr_builder *builder) ORR_NO_DISCARD;
enum orr_code orr_builder_flatten(struct orr_builder *builder) ORR_NO_DISCARD;
enum orr_code orr_builder_connect_cpus(struct orr_builder *builder) ORR_NO_DISCARD;
enum orr_code orr_builder_order_links(struct orr_builder *builder) ORR_NO_DISCARD;
/* Makes the compact system from the builder. */
enum orr_code orr_builder_freeze(const struct orr_builder *builder, struct orr_system *ret_system) ORR_NO_DISCARD;

#endif
