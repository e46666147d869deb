/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/cluster/groups.h"

#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/cluster/traffic.h"

/* Where a rank of the whole cluster is. */
struct place {
    uint32_t host, gpu; /* gpu: among those that take part on the host */
};

/* A group as the hosts that it touches, which are alike for two groups of one shape. */
struct outline {
    uint32_t *hosts; /* in the order of their lowest ranks */
    uint32_t host_count;
    uint32_t *host_of_rank; /* [rank of the group]: index into hosts */
    uint32_t *gpus;         /* [rank of the group]: GPU on that host */
};

struct grouping {
    const struct orr_cluster *cluster;
    const struct orr_layout *layout;
    struct orr_arena *arena, *scratch;
    struct place *places;     /* [rank] */
    uint32_t *seen_at;        /* [host]: index among the hosts of the group at hand */
    uint32_t *seen_in;        /* [host]: number + 1 of the group that seen_at belongs to */
    uint32_t seen_count;      /* groups examined */
    struct outline *outlines; /* [shape] */
    double **loads;           /* [host]: shares of each NET of its system */
};

static enum orr_code find_places(struct grouping *g, struct orr_error *err)
{
    const struct orr_cluster *c = g->cluster;
    g->places = ORR_NEW(g->scratch, struct place, c->rank_count);
    g->seen_at = ORR_NEW(g->scratch, uint32_t, c->host_count);
    g->seen_in = ORR_NEW(g->scratch, uint32_t, c->host_count);
    g->outlines = ORR_NEW(g->scratch, struct outline, ORR_MAX_GROUP_SHAPES);
    g->loads = ORR_NEW(g->scratch, double *, c->host_count);
    ORR_NEED(g->places && g->seen_at && g->seen_in && g->outlines && g->loads, err);
    for (uint32_t h = 0; h < c->host_count; h++) {
        const struct orr_analysis *analysis = c->kinds[c->systems[c->hosts[h].system].kind].analysis;
        g->loads[h] = ORR_NEW(g->scratch, double, orr_system_count(&analysis->built, ORR_NET));
        ORR_NEED(g->loads[h], err);
        for (uint32_t gpu = 0; gpu < c->hosts[h].rank_count; gpu++)
            g->places[c->hosts[h].ranks[gpu]] = (struct place){.host = h, .gpu = gpu};
    }
    return ORR_OK;
}

static enum orr_code make_outline(const struct grouping *g, uint32_t size, struct outline *outline,
                                  struct orr_error *err)
{
    outline->hosts = ORR_NEW(g->scratch, uint32_t, size);
    outline->host_of_rank = ORR_NEW(g->scratch, uint32_t, size);
    outline->gpus = ORR_NEW(g->scratch, uint32_t, size);
    return outline->hosts && outline->host_of_rank && outline->gpus ? ORR_OK : orr_fail_nomem(err);
}

static void draw_outline(struct grouping *g, const uint32_t *ranks, uint32_t size, struct outline *outline)
{
    uint32_t mark = ++g->seen_count;
    outline->host_count = 0;
    for (uint32_t r = 0; r < size; r++) {
        uint32_t host = g->places[ranks[r]].host;
        if (g->seen_in[host] != mark) {
            g->seen_in[host] = mark;
            g->seen_at[host] = outline->host_count;
            outline->hosts[outline->host_count++] = host;
        }
        outline->host_of_rank[r] = g->seen_at[host];
        outline->gpus[r] = g->places[ranks[r]].gpu;
    }
}

/* Hosts of one kind that are systems of their own. A host with a fabric counts as unlike all others. */
static bool same_machine(const struct orr_cluster *c, uint32_t a, uint32_t b)
{
    const struct orr_cluster_line *x = &c->lines[c->hosts[a].line], *y = &c->lines[c->hosts[b].line];
    return x == y || (!x->domain && !x->fabric && !y->domain && !y->fabric &&
                      c->systems[c->hosts[a].system].kind == c->systems[c->hosts[b].system].kind);
}

static bool alike(const struct grouping *g, const struct outline *a, const struct outline *b, uint32_t size)
{
    const struct orr_cluster *c = g->cluster;
    if (a->host_count != b->host_count || memcmp(a->host_of_rank, b->host_of_rank, size * sizeof *a->host_of_rank) ||
        memcmp(a->gpus, b->gpus, size * sizeof *a->gpus))
        return false;
    for (uint32_t h = 0; h < a->host_count; h++)
        if (!same_machine(c, a->hosts[h], b->hosts[h]))
            return false;
    return true;
}

/* The lines of a cluster that is the group alone: of each host, the GPUs that are in the group. */
static enum orr_code make_lines(const struct grouping *g, const struct outline *outline, uint32_t size,
                                struct orr_cluster_line *lines, struct orr_error *err)
{
    const struct orr_cluster *c = g->cluster;
    uint32_t *gpus = ORR_NEW(g->arena, uint32_t, size), *start = ORR_NEW(g->scratch, uint32_t, outline->host_count + 1);
    ORR_NEED(gpus && start, err);
    for (uint32_t r = 0; r < size; r++)
        start[outline->host_of_rank[r] + 1]++;
    for (uint32_t h = 0; h < outline->host_count; h++) {
        uint32_t line = c->hosts[outline->hosts[h]].line;
        const struct orr_cluster_line *whole = &c->lines[line];
        bool stated = whole->domain || whole->fabric; /* if so, with the fabric of that line of the whole cluster */
        lines[h] = (struct orr_cluster_line){.dump = whole->dump,
                                             .count = 1,
                                             .gpus = gpus + start[h],
                                             .gpu_count = start[h + 1],
                                             .domain = whole->domain,
                                             .fabric = stated ? &c->fabrics.of_line[line] : NULL};
        start[h + 1] += start[h];
    }
    for (uint32_t r = 0; r < size; r++) {
        uint32_t h = outline->host_of_rank[r];
        const struct orr_cluster_line *whole = &c->lines[c->hosts[outline->hosts[h]].line];
        gpus[start[h]++] = whole->gpus ? whole->gpus[outline->gpus[r]] : outline->gpus[r];
    }
    for (uint32_t h = 0; h < outline->host_count; h++) { /* a whole host is used unchanged */
        const struct orr_cluster_host *host = &c->hosts[outline->hosts[h]];
        bool whole = lines[h].gpu_count == host->rank_count && !c->lines[host->line].gpus;
        for (uint32_t i = 0; i < lines[h].gpu_count && whole; i++)
            whole = lines[h].gpus[i] == i;
        if (whole)
            lines[h].gpus = NULL;
    }
    return ORR_OK;
}

static enum orr_code analyse_shape(struct grouping *g, const struct outline *outline, uint32_t size,
                                   struct orr_group_shape *shape, struct orr_error *err)
{
    struct orr_cluster_line *lines = ORR_NEW(g->arena, struct orr_cluster_line, outline->host_count);
    struct orr_traffic traffic;
    ORR_NEED(lines, err);
    ORR_TRY(make_lines(g, outline, size, lines, err));
    const struct orr_cluster_request request = {.lines = lines,
                                                .line_count = outline->host_count,
                                                .order = ORR_ORDER_LIST,
                                                .host_of_rank = outline->host_of_rank,
                                                .listed_ranks = size,
                                                .settings = g->cluster->settings,
                                                .plan = true};
    ORR_TRY(orr_cluster_analyze(&request, &shape->cluster, err));
    ORR_TRY(orr_ring_traffic(shape->cluster, g->scratch, &traffic, err));
    shape->hops = traffic.hops;
    shape->crossing = traffic.crossing;
    return ORR_OK;
}

/* Adds the traffic of a group's rings through each NIC to the hosts of the group. */
static void add_loads(struct grouping *g, const struct outline *outline, const struct orr_group_shape *shape)
{
    const struct orr_cluster *sub = shape->cluster;
    const struct orr_communicator *comm = &sub->analysis->communicator;
    for (uint32_t n = 0; comm->node_count > 1 && n < comm->node_count; n++) {
        const struct orr_cluster_system *system = &sub->systems[comm->members[n].host];
        const struct orr_graph *ring = &comm->members[n].contribution->graphs[ORR_GRAPH_RING];
        if (orr_systems_share_nvlink(sub, comm->members[n].host, comm->members[(n + 1) % comm->node_count].host))
            continue;
        for (int32_t channel = 0; ring->nets && channel < comm->base_channels; channel++) {
            int64_t exit = ring->nets[orr_ring_channel(comm, n, channel)][1];
            uint32_t among = system->host_count > 1 ? orr_id_system(exit) : 0;
            if (among >= system->host_count)
                continue;
            uint32_t host = outline->hosts[system->hosts[among]];
            const struct orr_cluster *c = g->cluster;
            const struct orr_system *built = &c->kinds[c->systems[c->hosts[host].system].kind].analysis->built;
            for (uint32_t i = 0; i < orr_system_count(built, ORR_NET); i++)
                if (orr_id_local(orr_system_node(built, ORR_NET, i)->id) == orr_id_local(exit)) {
                    g->loads[host][i] += 1.0 / comm->base_channels;
                    break;
                }
        }
    }
}

static enum orr_code list_loads(struct grouping *g, struct orr_groups_of_kind *of_kind, struct orr_error *err)
{
    const struct orr_cluster *c = g->cluster;
    uint32_t nets = 0;
    for (uint32_t k = 0; k < c->kind_count; k++)
        nets += orr_system_count(&c->kinds[k].analysis->built, ORR_NET);
    of_kind->loads = ORR_NEW(g->arena, struct orr_group_load, nets);
    ORR_NEED(of_kind->loads, err);
    for (uint32_t k = 0; k < c->kind_count; k++)
        for (uint32_t i = 0; i < orr_system_count(&c->kinds[k].analysis->built, ORR_NET); i++) {
            struct orr_group_load load = {.kind = k, .net = i};
            for (uint32_t h = 0; h < c->host_count; h++) {
                if (c->systems[c->hosts[h].system].kind != k)
                    continue;
                load.mean += g->loads[h][i] / c->kinds[k].host_count;
                load.most = g->loads[h][i] > load.most ? g->loads[h][i] : load.most;
                g->loads[h][i] = 0; /* for the next kind of group */
            }
            if (load.most > 0)
                of_kind->loads[of_kind->load_count++] = load;
        }
    return ORR_OK;
}

static enum orr_code add_group(struct grouping *g, struct orr_groups_of_kind *of_kind, uint32_t number,
                               const uint32_t *ranks, struct outline *own, struct orr_error *err)
{
    draw_outline(g, ranks, of_kind->size, own);
    uint32_t s = 0;
    while (s < of_kind->shape_count && !alike(g, &g->outlines[s], own, of_kind->size))
        s++;
    if (s == ORR_MAX_GROUP_SHAPES)
        return orr_fail(err, ORR_LIMIT, "the %s groups have more than %d different shapes",
                        orr_group_kind_name(of_kind->kind), (int)ORR_MAX_GROUP_SHAPES);
    struct orr_group_shape *shape = &of_kind->shapes[s];
    if (s == of_kind->shape_count) {
        uint32_t *kept = ORR_NEW(g->arena, uint32_t, of_kind->size);
        ORR_NEED(kept, err);
        memcpy(kept, ranks, of_kind->size * sizeof *ranks);
        of_kind->shape_count++;
        *shape = (struct orr_group_shape){.first = number, .ranks = kept};
        ORR_TRY(make_outline(g, of_kind->size, &g->outlines[s], err));
        draw_outline(g, ranks, of_kind->size, &g->outlines[s]);
        ORR_TRY(analyse_shape(g, own, of_kind->size, shape, err));
    }
    shape->groups++;
    add_loads(g, own, shape);
    return ORR_OK;
}

static enum orr_code analyse_kind(struct grouping *g, struct orr_groups *groups, enum orr_group_kind kind,
                                  struct orr_error *err)
{
    struct orr_groups_of_kind *of_kind = &groups->kinds[groups->kind_count];
    struct outline own;
    *of_kind = (struct orr_groups_of_kind){
        .kind = kind, .size = orr_group_size(g->layout, kind), .count = orr_group_count(g->layout, kind)};
    if (!of_kind->count)
        return ORR_OK;
    groups->kind_count++;
    uint32_t *ranks = ORR_NEW(g->scratch, uint32_t, of_kind->size);
    of_kind->shapes = ORR_NEW(g->arena, struct orr_group_shape, ORR_MAX_GROUP_SHAPES);
    ORR_NEED(ranks && of_kind->shapes, err);
    ORR_TRY(make_outline(g, of_kind->size, &own, err));
    for (uint32_t i = 0; i < of_kind->count; i++) {
        orr_group_ranks(g->layout, kind, i, ranks);
        ORR_TRY(add_group(g, of_kind, i, ranks, &own, err));
    }
    return list_loads(g, of_kind, err);
}

/* The group of a kind with a number. */
static enum orr_code analyse_one(struct grouping *g, struct orr_groups *groups, enum orr_group_kind kind,
                                 uint32_t number, struct orr_error *err)
{
    struct orr_groups_of_kind *of_kind = &groups->kinds[0];
    struct outline own;
    *of_kind = (struct orr_groups_of_kind){
        .kind = kind, .size = orr_group_size(g->layout, kind), .count = orr_group_count(g->layout, kind)};
    if (number >= of_kind->count)
        return orr_fail(err, ORR_SETTING, "there is no group %s:%u: the layout has %u groups of that kind",
                        orr_group_kind_name(kind), number, of_kind->count);
    uint32_t *ranks = ORR_NEW(g->arena, uint32_t, of_kind->size);
    of_kind->shapes = ORR_NEW(g->arena, struct orr_group_shape, 1);
    ORR_NEED(ranks && of_kind->shapes, err);
    groups->kind_count = 1;
    of_kind->shape_count = 1;
    of_kind->shapes[0] = (struct orr_group_shape){.first = number, .groups = 1, .ranks = ranks};
    ORR_TRY(make_outline(g, of_kind->size, &own, err));
    orr_group_ranks(g->layout, kind, number, ranks);
    draw_outline(g, ranks, of_kind->size, &own);
    return analyse_shape(g, &own, of_kind->size, &of_kind->shapes[0], err);
}

/* number names one group of `kind`. If `kind` is ORR_GROUP_KIND_COUNT, all groups of all kinds are analysed. */
static enum orr_code analyse(const struct orr_cluster *cluster, const struct orr_layout *layout,
                             enum orr_group_kind kind, uint32_t number, struct orr_groups **ret_groups,
                             struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, 0);
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_groups *groups = ORR_NEW(arena, struct orr_groups, 1);
    ORR_NEED(groups, err);
    groups->arena = orr_arena_take(&arena);
    groups->layout = *layout;
    struct grouping g = {.cluster = cluster, .layout = layout, .arena = groups->arena, .scratch = scratch};
    const char *task = orr_budget_task("analysing the groups of the layout");
    enum orr_code code = find_places(&g, err);
    if (code == ORR_OK && kind < ORR_GROUP_KIND_COUNT)
        code = analyse_one(&g, groups, kind, number, err);
    for (int k = 0; code == ORR_OK && kind == ORR_GROUP_KIND_COUNT && k < ORR_GROUP_KIND_COUNT; k++)
        code = analyse_kind(&g, groups, (enum orr_group_kind)k, err);
    orr_budget_task(task);
    if (code != ORR_OK) {
        orr_groups_free(groups);
        return code;
    }
    *ret_groups = groups;
    return ORR_OK;
}

enum orr_code orr_groups_analyze(const struct orr_cluster *cluster, const struct orr_layout *layout,
                                 struct orr_groups **ret_groups, struct orr_error *err)
{
    return analyse(cluster, layout, ORR_GROUP_KIND_COUNT, 0, ret_groups, err);
}

enum orr_code orr_group_analyze(const struct orr_cluster *cluster, const struct orr_layout *layout,
                                enum orr_group_kind kind, uint32_t number, struct orr_groups **ret_groups,
                                struct orr_error *err)
{
    return analyse(cluster, layout, kind, number, ret_groups, err);
}

void orr_groups_free(struct orr_groups *groups)
{
    if (!groups)
        return;
    for (uint32_t k = 0; k < groups->kind_count; k++)
        for (uint32_t s = 0; s < groups->kinds[k].shape_count; s++)
            orr_cluster_free(groups->kinds[k].shapes[s].cluster);
    orr_arena_free(groups->arena);
}
