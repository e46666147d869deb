/* SPDX-License-Identifier: Apache-2.0 */
/* Routes: the best direct route from every base node to every other, found by waves from each destination.
 * Rules: docs/nccl/paths.md, "Which route wins".
 *
 * A route is an immutable list of links: a node's route is one link in front of the route that its neighbour had at
 * that moment. NCCL copies whole paths to the same effect. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/budget.h"
#include "engine/paths/paths.h"
#include "engine/release/release.h"

enum { NO_CELL = -1, WAVE_STEPS = 4 /* steps of the budget for each node */ };

struct cell { /* one link in front of the rest of a route */
    uint32_t link;
    int32_t rest;
};

struct route {
    float bw;
    uint8_t type;
    uint16_t hops;
    int32_t cell;
};

struct waves {
    const struct orr_system *system;
    bool relay_by_gpu;     /* NVLink through another GPU is allowed */
    uint32_t base, home;   /* the destination; its DEV if it is a rank's GPU */
    uint32_t relay_hops;   /* how far from the destination a device may be that NVLink passes through */
    uint16_t *known_types; /* of the paths */
    struct route *routes;  /* [node] */
    struct cell *cells;
    uint32_t cell_count;
    unsigned cell_capacity;
    uint32_t *wave, *next; /* node indices */
    uint32_t wave_count, next_count;
    uint32_t *in_next; /* [node]: number of the last wave that has it */
    uint32_t wave_number;
    bool notes;            /* whether routes may lead through GPUs */
    uint16_t passed_types; /* bit T: a route to a node of type T may lead through a GPU */
    struct orr_arena *arena;
    struct orr_error *err;
};

/* From a GPU other than the destination only NVLink to another GPU leads on, and only next to the destination.
 * docs/nccl/paths.md, "Routes through other GPUs". */
static inline bool may_pass(const struct waves *w, uint32_t at, const struct orr_link *link)
{
    const struct orr_system *system = w->system;
    if (system->release->has_devs) {
        enum orr_node_type to = system->nodes[link->to].type;
        if (system->nodes[at].type != ORR_DEV || at == w->home || (link->type == ORR_LINK_LOC && to == ORR_GPU))
            return true;
        return w->relay_by_gpu && link->type == ORR_LINK_NVL && to == ORR_DEV && w->routes[at].hops <= w->relay_hops;
    }
    if (at == w->base || system->nodes[at].type != ORR_GPU)
        return true;
    return w->relay_by_gpu && system->release->relays_by_gpu && link->type == ORR_LINK_NVL &&
           system->nodes[link->to].type == ORR_GPU && w->routes[at].hops <= 1;
}

/* docs/nccl/paths.md, "Type of a step". Inlined by force: try_step() calls it for every link of every wave. */
static inline __attribute__((always_inline)) uint8_t step_type(const struct waves *w, uint32_t at,
                                                               const struct orr_link *link)
{
    static const uint8_t by_link[ORR_LINK_TYPE_COUNT] = {
        [ORR_LINK_LOC] = ORR_PATH_LOC, [ORR_LINK_NVL] = ORR_PATH_NVL, [ORR_LINK_C2C] = ORR_PATH_C2C,
        [ORR_LINK_PCI] = ORR_PATH_PIX, [ORR_LINK_SYS] = ORR_PATH_SYS, [ORR_LINK_NET] = ORR_PATH_LOC,
    };
    enum orr_node_type x = w->system->nodes[at].type, y = w->system->nodes[link->to].type;
    const struct route *route = &w->routes[at];
    const struct orr_release *release = w->system->release;
    if (release->power_sockets_are_near && route->type == ORR_PATH_NVL && link->type == ORR_LINK_SYS && y == ORR_CPU &&
        w->system->nodes[link->to].cpu.arch == ORR_ARCH_POWER)
        return ORR_PATH_LOC;
    if (release->has_devs && x == ORR_DEV && route->type == ORR_PATH_NVL && link->type == ORR_LINK_NVL &&
        route->hops == w->relay_hops)
        return ORR_PATH_NVB;
    if (release->relays_by_gpu && x == ORR_GPU && route->type == ORR_PATH_NVL && link->type == ORR_LINK_NVL &&
        route->hops + 1 > 1)
        return ORR_PATH_NVB;
    if (link->type == ORR_LINK_PCI && (x == ORR_CPU || y == ORR_CPU))
        return ORR_PATH_PHB;
    if (release->near_two_switches) {
        bool by_switch = link->type == ORR_LINK_PCI && (x == ORR_PCI || y == ORR_PCI);
        return by_switch && route->hops + 1 > 3 ? ORR_PATH_PXB : by_link[link->type];
    }
    if (x == ORR_PCI && y == ORR_PCI)
        return ORR_PATH_PXB;
    return by_link[link->type];
}

/* Does a route of this type and bandwidth, through `at`, replace the one to a node? */
static inline bool is_admitted(const struct waves *w, uint32_t at, const struct route *to, uint8_t type, float bw)
{
    uint32_t hops = w->routes[at].hops;
    switch (w->system->release->admission) {
    case ORR_ADMIT_FASTER:
        return bw > to->bw;
    case ORR_ADMIT_FEWER_HOPS:
        return bw > to->bw && (to->bw == 0 || to->hops > hops);
    case ORR_ADMIT_NEARER:
        break;
    }
    if (type != to->type)
        return type < to->type;
    return bw > to->bw || (bw == to->bw && hops + 1 < to->hops);
}

/* Does the step reach a node that already has a route, without improving that route? */
static bool is_void(const struct waves *w, uint32_t at, const struct orr_link *link)
{
    const struct route *from = &w->routes[at], *to = &w->routes[link->to];
    float bw = from->bw < link->bw ? from->bw : link->bw;
    uint8_t step = step_type(w, at, link), type = from->type > step ? from->type : step;
    if (link->to != w->base && to->cell == NO_CELL)
        return false;
    return !may_pass(w, at, link) || !is_admitted(w, at, to, type, bw);
}

/* Notes whether a wave at a GPU leads on: only then do routes depend on that GPU. */
static void note_passing(struct waves *w, uint32_t at)
{
    const struct orr_node *node = &w->system->nodes[at];
    if (node->type != ORR_GPU || at == w->base)
        return;
    for (uint32_t l = node->first_link; l < node->first_link + node->link_count; l++)
        if (!is_void(w, at, &w->system->links[l]))
            w->passed_types |= (uint16_t)(1u << w->system->nodes[w->base].type);
}

static inline enum orr_code try_step(struct waves *w, uint32_t at, uint32_t link_index)
{
    const struct orr_link *link = &w->system->links[link_index];
    const struct route from = w->routes[at];
    w->known_types[link->to] |= (uint16_t)(1u << w->system->nodes[w->base].type);
    struct route *to = &w->routes[link->to];
    float bw = from.bw < link->bw ? from.bw : link->bw;
    uint8_t step = step_type(w, at, link), type = from.type > step ? from.type : step;
    if (!may_pass(w, at, link) || !is_admitted(w, at, to, type, bw))
        return ORR_OK;
    uint32_t back = link->reverse;
    if (back == ORR_NO_LINK) {
        if (to->cell == NO_CELL || !w->cells) {
            char a[ORR_NODE_ID_SIZE], b[ORR_NODE_ID_SIZE];
            const struct orr_node *x = &w->system->nodes[at], *y = &w->system->nodes[link->to];
            return orr_fail_with(
                w->err, ORR_INVALID, NULL, "NCCL fails on such a file: add the missing element at the other device",
                "%s has a link of type %s to %s, but there is no link back", orr_node_id_format(x->type, x->id, a),
                orr_link_type_name(link->type), orr_node_id_format(y->type, y->id, b));
        }
        back = w->cells[to->cell].link; /* NCCL keeps the old first link */
    }
    ORR_NEED(ORR_RESERVE(w->arena, w->cells, w->cell_count, w->cell_capacity), w->err);
    w->cells[w->cell_count] = (struct cell){.link = back, .rest = from.cell};
    *to = (struct route){.bw = bw, .type = type, .hops = (uint16_t)(from.hops + 1), .cell = (int32_t)w->cell_count++};
    bool ends_here = w->system->nodes[link->to].type == ORR_GPU && !w->system->release->relays_by_gpu;
    if (!ends_here && w->in_next[link->to] != w->wave_number) {
        w->in_next[link->to] = w->wave_number;
        w->next[w->next_count++] = link->to;
    }
    return ORR_OK;
}

static void forget_routes(struct waves *w)
{
    for (uint32_t n = 0; n < w->system->node_count; n++)
        w->routes[n] = (struct route){.type = (uint8_t)w->system->release->unreached, .cell = NO_CELL};
    w->cell_count = 0;
}

/* Finds the routes of all nodes to one destination, replacing present routes only by better ones. */
static enum orr_code spread(struct waves *w, uint32_t base)
{
    const struct orr_system *system = w->system;
    w->base = w->home = base;
    w->known_types[base] |= (uint16_t)(1u << system->nodes[base].type);
    w->relay_hops = 1;
    if (system->release->has_devs && system->nodes[base].type == ORR_GPU) {
        w->home = system->links[system->nodes[base].first_link].to;
        w->relay_hops = 2;
    }
    w->routes[base] = (struct route){.bw = ORR_LOC_BW, .type = ORR_PATH_LOC, .cell = NO_CELL};
    w->wave[0] = base;
    w->wave_count = 1;
    while (w->wave_count) {
        if (orr_budget_spent(w->wave_count * WAVE_STEPS))
            return orr_budget_check(w->err);
        w->next_count = 0;
        w->wave_number++;
        for (uint32_t i = 0; i < w->wave_count; i++) {
            const struct orr_node *node = &system->nodes[w->wave[i]];
            if (w->notes)
                note_passing(w, w->wave[i]);
            for (uint32_t l = 0; l < node->link_count; l++)
                ORR_TRY(try_step(w, w->wave[i], node->first_link + l));
        }
        uint32_t *done = w->wave;
        w->wave = w->next;
        w->wave_count = w->next_count;
        w->next = done;
    }
    return ORR_OK;
}

/* Writes the routes to one destination into the table. */
static enum orr_code store(const struct waves *w, struct orr_paths *paths, uint32_t base)
{
    for (uint32_t n = 0; n < w->system->node_count; n++) {
        const struct route *route = &w->routes[n];
        if (paths->base_of[n] == ORR_NO_NODE)
            continue;
        struct orr_path *path = orr_path(paths, n, base);
        *path =
            (struct orr_path){.bw = route->bw, .type = route->type, .hops = route->hops, .first = paths->link_count};
        for (int32_t cell = route->cell; cell != NO_CELL; cell = w->cells[cell].rest) {
            ORR_NEED(ORR_RESERVE(paths->arena, paths->links, paths->link_count, paths->link_capacity), w->err);
            paths->links[paths->link_count++] = w->cells[cell].link;
        }
    }
    return ORR_OK;
}

/* NCCL finds the column of a destination by its id, so nodes that share an id share the first one's column: the waves
 * of the later ones improve on the routes to it, and their own columns stay without routes. */
static enum orr_code route_column(struct waves *w, struct orr_paths *paths, uint32_t base)
{
    const struct orr_system *system = w->system;
    enum orr_node_type type = system->nodes[base].type;
    for (uint32_t n = system->first[type]; n < base; n++)
        if (system->nodes[n].id == system->nodes[base].id)
            return ORR_OK;
    forget_routes(w);
    for (uint32_t n = base; n < system->first[type + 1]; n++)
        if (system->nodes[n].id == system->nodes[base].id)
            ORR_TRY(spread(w, n));
    return store(w, paths, base);
}

/* NCCL_NETDEVS_POLICY: AUTO, ALL or MAX:N, in letters of either case; anything else is AUTO. */
static int32_t read_policy(const char *text)
{
    if (text && !strcasecmp(text, "ALL"))
        return ORR_NETS_EVERY;
    if (!text || strncasecmp(text, "MAX:", 4) != 0)
        return ORR_NETS_AUTO;
    long count = strtol(text + 4, NULL, 10);
    return count > 0 ? (int32_t)(count < 65536 ? count : 65536) : ORR_NETS_AUTO;
}

static bool is_base(const struct orr_release *release, enum orr_node_type type)
{
    return type == ORR_GPU || type == ORR_DEV || (type == ORR_NVS && release->has_nvs_paths) || type == ORR_CPU ||
           type == ORR_NET;
}

/* The whole system, from which a copy takes routes that stay valid. */
struct source {
    const struct orr_whole_routes *whole;
    const struct orr_kept *kept;
};

static bool takes_over(const struct source *source, enum orr_node_type type)
{
    return source && source->whole->lasting_types >> type & 1;
}

/* Copies the whole's routes to all nodes of the types that are taken over. Returns the number of their links. */
static uint32_t copy_table(const struct source *source, struct orr_paths *paths)
{
    const struct orr_paths *from = &source->whole->paths;
    const struct orr_system *whole = from->system;
    uint32_t links = 0;
    for (uint32_t n = 0; n < whole->node_count; n++) {
        uint32_t own = source->kept->node[n];
        if (own == ORR_NO_NODE)
            continue;
        paths->known_types[own] |= from->known_types[n] & source->whole->lasting_types;
        if (paths->base_of[own] == ORR_NO_NODE)
            continue;
        if (orr_budget_spent(from->base_count / WAVE_STEPS))
            return 0;
        for (uint32_t to = 0; to < whole->node_count; to++)
            if (from->base_of[to] != ORR_NO_NODE && takes_over(source, whole->nodes[to].type)) {
                struct orr_path *path = orr_path(paths, own, source->kept->node[to]);
                *path = *orr_path(from, n, to);
                links += path->hops;
            }
    }
    return links;
}

static enum orr_code take_over(const struct source *source, struct orr_paths *paths, struct orr_error *err)
{
    const struct orr_paths *from = &source->whole->paths;
    uint32_t links = copy_table(source, paths);
    ORR_TRY(orr_budget_check(err));
    paths->link_capacity = links + links / WAVE_STEPS + 1; /* with room for other routes */
    paths->links = ORR_NEW(paths->arena, uint32_t, paths->link_capacity);
    ORR_NEED(paths->links, err);
    for (size_t i = 0; i < (size_t)paths->base_count * paths->base_count; i++) {
        struct orr_path *path = &paths->table[i];
        for (uint32_t hop = 0; hop < path->hops; hop++)
            paths->links[paths->link_count + hop] = source->kept->link[from->links[path->first + hop]];
        path->first = paths->link_count;
        paths->link_count += path->hops;
    }
    return ORR_OK;
}

static enum orr_code route(const struct orr_system *system, const struct orr_settings *settings,
                           const struct source *source, uint16_t *ret_lasting, struct orr_arena *arena,
                           struct orr_paths *ret_paths, struct orr_error *err)
{
    struct orr_paths paths = {.system = system, .arena = arena};
    uint32_t nodes = system->node_count;
    struct waves w = {.system = system, .notes = ret_lasting, .arena = arena, .err = err};
    if (orr_setting_in(ORR_SET_NETDEVS_POLICY, system->release))
        paths.nets_per_gpu = read_policy(orr_setting_text(settings, ORR_SET_NETDEVS_POLICY));
    w.relay_by_gpu = orr_setting_int(settings, ORR_SET_NVB_DISABLE) == 0;
    paths.base_of = ORR_NEW(arena, uint32_t, nodes);
    paths.known_types = w.known_types = ORR_NEW(arena, uint16_t, nodes);
    w.routes = ORR_NEW(arena, struct route, nodes);
    w.wave = ORR_NEW(arena, uint32_t, nodes);
    w.next = ORR_NEW(arena, uint32_t, nodes);
    w.in_next = ORR_NEW(arena, uint32_t, nodes);
    ORR_NEED(paths.base_of && paths.known_types && w.routes && w.wave && w.next && w.in_next, err);
    for (uint32_t n = 0; n < nodes; n++)
        paths.base_of[n] = is_base(system->release, system->nodes[n].type) ? paths.base_count++ : ORR_NO_NODE;
    paths.table = ORR_NEW(arena, struct orr_path, (size_t)paths.base_count * paths.base_count);
    ORR_NEED(paths.table, err);
    for (size_t i = 0; i < (size_t)paths.base_count * paths.base_count; i++)
        paths.table[i].type = (uint8_t)system->release->unreached;
    if (source)
        ORR_TRY(take_over(source, &paths, err));
    for (uint32_t n = 0; n < nodes; n++)
        if (is_base(system->release, system->nodes[n].type) && !takes_over(source, system->nodes[n].type))
            ORR_TRY(route_column(&w, &paths, n));
    if (ret_lasting) /* routes to GPUs are never taken over */
        *ret_lasting = (uint16_t) ~(w.passed_types | 1u << ORR_GPU);
    *ret_paths = paths;
    return ORR_OK;
}

enum orr_code orr_paths_route(const struct orr_system *system, const struct orr_settings *settings,
                              struct orr_arena *arena, struct orr_paths *ret_paths, struct orr_error *err)
{
    return route(system, settings, NULL, NULL, arena, ret_paths, err);
}

enum orr_code orr_paths_route_whole(const struct orr_system *system, const struct orr_settings *settings,
                                    struct orr_arena *arena, struct orr_whole_routes *ret_routes, struct orr_error *err)
{
    return route(system, settings, NULL, &ret_routes->lasting_types, arena, &ret_routes->paths, err);
}

enum orr_code orr_paths_route_part(const struct orr_system *system, const struct orr_settings *settings,
                                   const struct orr_whole_routes *whole, const struct orr_kept *kept,
                                   struct orr_arena *arena, struct orr_paths *ret_paths, struct orr_error *err)
{
    const struct source source = {whole, kept};
    return route(system, settings, &source, NULL, arena, ret_paths, err);
}
