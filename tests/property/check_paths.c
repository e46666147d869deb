/* SPDX-License-Identifier: Apache-2.0 */
/* Paths link by link: contiguous, from their start to their end, as fast as the least of their links.
 *
 * A stored path lists links from its start to its end, but NCCL finds it by waves that spread from the end. The
 * bandwidth that counts for a hop X <- Y is therefore that of the link from Y's neighbour X to Y, the way back of the
 * listed link. If a machine has several links between two nodes, it is one of them. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "engine/decide/effective_paths.h"
#include "engine/release/release.h"
#include "tests/property/checks.h"

struct follow {
    const struct orr_paths *paths;
    const struct orr_system *system;
    const struct orr_release *release;
    uint32_t from, to;
    const struct orr_path *path;
    float least, most; /* bounds of the bandwidth */
    struct orr_error *err;
};

static bool complain(const struct follow *f, const char *what)
{
    char a[ORR_NODE_ID_SIZE], b[ORR_NODE_ID_SIZE];
    return WRONG(f->err, "path %s -> %s (%s, %g GB/s, %u hops, origin %d): %s",
                 orr_system_node_id(f->system, f->from, a), orr_system_node_id(f->system, f->to, b),
                 orr_path_type_name((enum orr_path_type)f->path->type), (double)f->path->bw, f->path->hops,
                 f->path->origin, what);
}

/* NCCL finds nodes by id: two of the same type and id are one to it. */
static bool is_one(const struct orr_system *system, uint32_t a, uint32_t b)
{
    return a == b || (system->nodes[a].type == system->nodes[b].type && system->nodes[a].id == system->nodes[b].id);
}

/* Exception: if a link has no way back, NCCL puts the far node's old first link in front of the new rest. */
static bool is_one_way(const struct orr_system *system, uint32_t from, uint32_t to)
{
    for (uint32_t l = system->nodes[from].first_link;
         l < system->nodes[from].first_link + system->nodes[from].link_count; l++)
        if (system->links[l].to == to && system->links[l].reverse == ORR_NO_LINK)
            return true;
    return false;
}

/* Narrows the bounds by one hop, from `start` towards `next`, which the route reached from the other side. */
static bool count_hop(struct follow *f, uint32_t start, uint32_t next, enum orr_link_type type)
{
    const struct orr_node *node = &f->system->nodes[next];
    float least = INFINITY, most = -INFINITY;
    for (uint32_t l = node->first_link; l < node->first_link + node->link_count; l++) {
        const struct orr_link *link = &f->system->links[l];
        bool counts = link->type == type || f->release->reverse_of_any_type || link->reverse == ORR_NO_LINK;
        if (link->to != start || !counts)
            continue;
        least = fminf(least, link->bw);
        most = fmaxf(most, link->bw);
    }
    f->least = fminf(f->least, least);
    f->most = fminf(f->most, most);
    return least < INFINITY ? true : complain(f, "a hop has no link the other way");
}

/* A path composed of two, one of which is empty because its ends were found to be apart or out of reach, holds the
 * other's links only; its bandwidth is the smaller of both all the same. */
static bool lacks_half(struct follow *f, uint32_t a, uint32_t b)
{
    if (f->path->origin == ORR_ROUTE || !orr_paths_has(f->paths, a) || !orr_paths_has(f->paths, b))
        return false;
    const struct orr_path *half = orr_path(f->paths, a, b);
    f->least = fminf(f->least, half->bw);
    f->most = fminf(f->most, half->bw);
    return half->hops == 0;
}

static bool follow_links(struct follow *f)
{
    const uint32_t *links = f->paths->links + f->path->first;
    uint32_t at = f->system->links[links[0]].from;
    if (!is_one(f->system, at, f->from) && !lacks_half(f, f->from, at))
        return complain(f, "it starts elsewhere");
    for (uint32_t i = 0; i < f->path->hops; i++) {
        if (links[i] >= f->system->link_count)
            return complain(f, "a hop is not a link");
        const struct orr_link *link = &f->system->links[links[i]];
        uint32_t next = i + 1 < f->path->hops ? f->system->links[links[i + 1]].from : f->to;
        bool last = i + 1 == f->path->hops;
        if (is_one(f->system, link->to, next) || (last && lacks_half(f, link->to, f->to)))
            next = link->to;
        else if (!is_one_way(f->system, next, link->from))
            return complain(f, last ? "it ends elsewhere" : "two hops do not meet");
        if (!count_hop(f, link->from, next, link->type))
            return false;
    }
    return true;
}

/* What a decision made of a path says so. */
static bool check_origin(struct follow *f, struct tally *tally)
{
    const struct orr_path *path = f->path;
    bool by_type = f->release->apart_by_type, by_cpu = false;
    tally->diverted += path->origin != ORR_ROUTE;
    switch ((enum orr_path_origin)path->origin) {
    case ORR_ROUTE:
        return true;
    case ORR_ROUTE_UNREACHABLE:
        return (by_type ? path->type == ORR_PATH_NET : path->hops == 0) ? true : complain(f, "it is not marked apart");
    case ORR_ROUTE_C2C:
        return path->type == ORR_PATH_P2C ? true : complain(f, "it is not P2C");
    case ORR_ROUTE_PXN:
        return path->type == ORR_PATH_PXN || path->type == ORR_PATH_P2C ? true : complain(f, "it is not PXN");
    case ORR_ROUTE_VIA_CPU_NO_P2P:
    case ORR_ROUTE_VIA_CPU_NO_GDR:
        for (uint32_t i = 0; i < path->hops; i++) {
            const struct orr_link *link = &f->system->links[f->paths->links[path->first + i]];
            by_cpu |= f->system->nodes[link->from].type == ORR_CPU || f->system->nodes[link->to].type == ORR_CPU;
        }
        return by_cpu || path->bw == 0 ? true : complain(f, "it passes no CPU");
    }
    return complain(f, "it came from nowhere");
}

static bool check_path(struct follow *f, struct tally *tally)
{
    const struct orr_path *path = f->path = orr_path(f->paths, f->from, f->to);
    if (orr_path_type_number(f->release, (enum orr_path_type)path->type) < 0)
        return complain(f, "the release has no such type");
    if (!isfinite(path->bw) || path->bw > ORR_LOC_BW)
        return complain(f, "no such bandwidth");
    if (path->hops && (uint64_t)path->first + path->hops > f->paths->link_count)
        return complain(f, "it lies beyond the pool");
    if (!check_origin(f, tally))
        return false;
    if (!path->hops) /* to itself, to nowhere, or marked apart: nothing to follow */
        return path->bw == 0 || is_one(f->system, f->from, f->to) || path->origin != ORR_ROUTE
                   ? true
                   : complain(f, "it has bandwidth but no links");
    f->least = f->most = ORR_LOC_BW;
    if (!follow_links(f))
        return false;
    tally->paths++;
    tally->bandwidths += f->least == f->most;
    if (path->bw < f->least || path->bw > f->most) {
        char what[80];
        snprintf(what, sizeof what, "the least of its links is %g to %g", (double)f->least, (double)f->most);
        return complain(f, what);
    }
    return true;
}

static bool is_same(const struct orr_paths *x, const struct orr_path *a, const struct orr_paths *y,
                    const struct orr_path *b)
{
    return a->bw == b->bw && a->type == b->type && a->origin == b->origin && a->hops == b->hops &&
           (!a->hops || !memcmp(x->links + a->first, y->links + b->first, a->hops * sizeof *x->links));
}

/* The paths of a part are those of its system, though most were taken over from the whole host's. */
static bool check_alone(const struct orr_analysis *a, const struct orr_part *part, struct orr_arena *arena,
                        struct orr_error *err)
{
    const struct orr_paths *paths = &part->paths;
    const struct orr_system *system = &part->system;
    struct orr_paths alone = {0};
    if (orr_paths_route(system, &a->query.settings, arena, &alone, err) != ORR_OK ||
        orr_effective_paths(&a->query.settings, &alone, err) != ORR_OK)
        return false;
    if (memcmp(alone.known_types, paths->known_types, system->node_count * sizeof *alone.known_types) != 0)
        return WRONG(err, "a part knows other types of nodes than its system alone");
    for (uint32_t from = 0; from < system->node_count; from++)
        for (uint32_t to = 0; orr_paths_has(paths, from) && to < system->node_count; to++)
            if (orr_paths_has(paths, to) &&
                !is_same(paths, orr_path(paths, from, to), &alone, orr_path(&alone, from, to)))
                return WRONG(err, "path %u -> %u of a part is not that of its system alone", from, to);
    return true;
}

static bool check_parts_alone(const struct orr_analysis *a, struct orr_error *err)
{
    bool same = true;
    for (uint32_t i = 0; i < a->part_count && a->part_count > 1 && same; i++) {
        ORR_LOCAL_ARENA(arena, 0);
        same = arena && check_alone(a, &a->parts[i], arena, err);
    }
    return same;
}

bool check_paths(const struct orr_analysis *a, struct tally *tally, struct orr_error *err)
{
    for (uint32_t i = 0; i < a->part_count; i++) {
        const struct orr_paths *paths = &a->parts[i].paths;
        const struct orr_system *system = &a->parts[i].system;
        struct follow f = {.paths = paths, .system = system, .release = system->release, .err = err};
        if (paths->system != system)
            return WRONG(err, "part %u: the paths are another system's", i);
        for (f.from = 0; f.from < system->node_count; f.from++)
            for (f.to = 0; orr_paths_has(paths, f.from) && f.to < system->node_count; f.to++)
                if (orr_paths_has(paths, f.to) && !check_path(&f, tally))
                    return false;
    }
    return check_parts_alone(a, err);
}
