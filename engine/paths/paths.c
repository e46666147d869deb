/* SPDX-License-Identifier: Apache-2.0 */
/* Looks up paths, and joins two of them. */
#include "engine/paths/paths.h"

#include <string.h>

#include "engine/release/release.h"

int orr_path_narrowest(const struct orr_paths *paths, const struct orr_path *path)
{
    int narrowest = -1;
    float least = 0;
    for (uint32_t i = 0; i < path->hops; i++) {
        float bw = paths->system->links[paths->links[path->first + i]].bw;
        if (narrowest < 0 || bw < least) {
            least = bw;
            narrowest = (int)i;
        }
    }
    return narrowest;
}

const char *orr_path_origin_text(enum orr_path_origin origin)
{
    switch (origin) {
    case ORR_ROUTE:
        return "the best direct route";
    case ORR_ROUTE_VIA_CPU_NO_P2P:
        return "through the CPU, because P2P is not possible";
    case ORR_ROUTE_VIA_CPU_NO_GDR:
        return "through the CPU, because GPUDirect RDMA is not possible";
    case ORR_ROUTE_PXN:
        return "through another GPU, which is nearer to the NIC (PXN)";
    case ORR_ROUTE_C2C:
        return "through the CPU over C2C";
    case ORR_ROUTE_UNREACHABLE:
        return "by the network: neither P2P nor shared memory is used between these two";
    }
    return "";
}

enum orr_code orr_path_compose(struct orr_paths *paths, uint32_t from, uint32_t by, uint32_t to,
                               enum orr_path_origin origin, struct orr_error *err)
{
    const struct orr_path first = *orr_path(paths, from, by);
    const struct orr_path second = *orr_path(paths, by, to);
    struct orr_path path = {.bw = first.bw < second.bw ? first.bw : second.bw,
                            .type = first.type > second.type ? first.type : second.type,
                            .origin = (uint8_t)origin,
                            .first = paths->link_count};
    if ((uint32_t)first.hops + second.hops > UINT16_MAX)
        return orr_fail(err, ORR_LIMIT, "a path has more than %d links", UINT16_MAX);
    path.hops = (uint16_t)(first.hops + second.hops);
    if (paths->system->nodes[by].type == ORR_GPU)
        path.type = ORR_PATH_PXN;
    if (paths->system->release->composes_p2c && ((first.type == ORR_PATH_PHB && second.type == ORR_PATH_C2C) ||
                                                 (first.type == ORR_PATH_C2C && second.type == ORR_PATH_PHB)))
        path.type = ORR_PATH_P2C;
    while (paths->link_capacity < paths->link_count + path.hops) {
        uint32_t *links =
            orr_arena_grow(paths->arena, paths->links, paths->link_count, &paths->link_capacity, sizeof *links);
        ORR_NEED(links, err);
        paths->links = links;
    }
    if (path.hops) { /* if no device reaches another there may be no links, and links NULL */
        memcpy(paths->links + paths->link_count, paths->links + first.first, first.hops * sizeof *paths->links);
        memcpy(paths->links + paths->link_count + first.hops, paths->links + second.first,
               second.hops * sizeof *paths->links);
    }
    paths->link_count += path.hops;
    *orr_path(paths, from, to) = path;
    return ORR_OK;
}
