/* SPDX-License-Identifier: Apache-2.0 */
/* Best paths between nodes, by the rules of docs/nccl/paths.md.
 *
 * Paths are kept between base nodes: GPU, NVS, CPU and NET nodes (2.30.7: DEV too). A path is a span of link indices in
 * one pool.
 */
#ifndef ORR_PATHS_PATHS_H
#define ORR_PATHS_PATHS_H

#include "engine/release/path_type.h"
#include "engine/release/settings.h"
#include "engine/topology/system.h"

/* Which rule made a path: the search for the best route, or a later rule that replaced it. */
enum orr_path_origin {
    ORR_ROUTE,                /* the best direct route */
    ORR_ROUTE_VIA_CPU_NO_P2P, /* GPU to GPU through the CPU, because P2P is not possible */
    ORR_ROUTE_VIA_CPU_NO_GDR, /* GPU to NET or NET to GPU through the CPU, because GPUDirect RDMA is not possible */
    ORR_ROUTE_PXN,            /* GPU to NET through another GPU */
    ORR_ROUTE_C2C,            /* GPU and NET of one CPU, one of them on C2C: P2C */
    ORR_ROUTE_UNREACHABLE     /* neither P2P nor shared memory: the network is used instead (type NET) */
};

struct orr_path {
    float bw;       /* GB/s of its slowest link, as the rules compute it; 0 if not connected */
    uint8_t type;   /* enum orr_path_type */
    uint8_t origin; /* enum orr_path_origin */
    uint16_t hops;  /* links */
    uint32_t first; /* into paths->links */
};

/* Why a GPU reaches a NET through another GPU, or why not; recorded when decide/ applies the rule. */
struct orr_pxn {
    uint8_t rule;   /* enum orr_rule */
    uint32_t relay; /* node of the GPU that the rule considered, ORR_NO_NODE if there is none */
};

/* Number of nearest NETs that a GPU uses; a positive number is a maximum. */
enum { ORR_NETS_AUTO = 0, ORR_NETS_EVERY = -1 };

struct orr_paths {
    const struct orr_system *system;
    uint32_t base_count;
    uint32_t *base_of;      /* [node]: position among the base nodes, ORR_NO_NODE for others */
    uint16_t *known_types;  /* [node]: bit T is set if NCCL keeps paths, possibly empty ones, from the node to nodes of
                             * type T */
    struct orr_path *table; /* [base of the start * base_count + base of the end] */
    uint32_t *links;        /* pool of link indices */
    uint32_t link_count;
    unsigned link_capacity;
    uint32_t *local_cpu;  /* [GPU in order]: node of the CPU nearest to it, ORR_NO_NODE if there is none; NULL before
                             decide/ */
    int32_t *local_gpu;   /* [NET in order]: GPU (index within its type) nearest to it, -1 if there is none; NULL before
                             decide/ */
    struct orr_pxn *pxn;  /* [GPU * NETs + NET]; NULL before decide/ */
    int32_t nets_per_gpu; /* ORR_NETS_AUTO, ORR_NETS_EVERY or a maximum */
    struct orr_arena *arena;
};

/* The path between two base nodes (node indices). Type DIS if there is none. */
static inline struct orr_path *orr_path(const struct orr_paths *paths, uint32_t from, uint32_t to)
{
    return &paths->table[(size_t)paths->base_of[from] * paths->base_count + paths->base_of[to]];
}
/* Whether a node is a base node, so that orr_path() accepts it. */
static inline bool orr_paths_has(const struct orr_paths *paths, uint32_t node)
{
    return node < paths->system->node_count && paths->base_of[node] != ORR_NO_NODE;
}
/* Node after hop i of a path. */
static inline uint32_t orr_path_node(const struct orr_paths *paths, const struct orr_path *path, uint32_t i)
{
    return paths->system->links[paths->links[path->first + i]].to;
}
/* The position of the narrowest link of a path, the first of equals; -1 for a path without hops. */
int orr_path_narrowest(const struct orr_paths *paths, const struct orr_path *path);
/* The origin of a path, for users: "through the CPU, because P2P is not possible". */
const char *orr_path_origin_text(enum orr_path_origin origin);

/* Replaces the path from -> to by from -> by -> to. The new path has the links of both, the smaller bandwidth and the
 * larger type, except that through a GPU its type is PXN, and PHB with C2C becomes P2C. */
enum orr_code orr_path_compose(struct orr_paths *paths, uint32_t from, uint32_t by, uint32_t to,
                               enum orr_path_origin origin, struct orr_error *err) ORR_NO_DISCARD;

/* Direct routes of a whole system, for copies of it without some of its GPUs (orr_system_without()). */
struct orr_whole_routes {
    struct orr_paths paths;
    uint16_t lasting_types; /* bit T is set if no route to a node of type T leads through a GPU, not even one that was
                             * replaced */
};

/* Finds the best direct route from every node to every base node. decide/effective_paths.h then applies P2P, GPUDirect
 * RDMA and PXN. INVALID if a link has no link back, because NCCL fails then. */
enum orr_code orr_paths_route(const struct orr_system *system, const struct orr_settings *settings,
                              struct orr_arena *arena, struct orr_paths *ret_paths,
                              struct orr_error *err) ORR_NO_DISCARD;
/* The same, and records which routes stay valid in every copy of the system without some of its GPUs. */
enum orr_code orr_paths_route_whole(const struct orr_system *system, const struct orr_settings *settings,
                                    struct orr_arena *arena, struct orr_whole_routes *ret_routes,
                                    struct orr_error *err) ORR_NO_DISCARD;
/* The same as orr_paths_route() for a copy: reuses the routes that stay valid and finds the others. kept: indices of
 * the whole system's nodes and links in the copy. */
enum orr_code orr_paths_route_part(const struct orr_system *system, const struct orr_settings *settings,
                                   const struct orr_whole_routes *whole, const struct orr_kept *kept,
                                   struct orr_arena *arena, struct orr_paths *ret_paths,
                                   struct orr_error *err) ORR_NO_DISCARD;

#endif
