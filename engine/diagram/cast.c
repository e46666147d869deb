/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/cast.h"

#include <string.h>

#include "engine/cluster/cluster.h"

/* Lists the parts of all kinds of hosts. */
static bool list_parts(struct orr_cast *cast)
{
    const struct orr_cluster *cluster = cast->analysis->cluster;
    uint32_t kind_count = cluster ? cluster->kind_count : 1, at = 0;
    for (uint32_t k = 0; k < kind_count; k++)
        cast->part_count += (cluster ? cluster->kinds[k].analysis : cast->analysis)->part_count;
    uint32_t *kinds = ORR_NEW(cast->drawing->arena, uint32_t, cast->part_count);
    cast->parts = ORR_NEW(cast->drawing->arena, const struct orr_part *, cast->part_count);
    cast->labels = ORR_NEW(cast->drawing->arena, struct orr_labels, cast->part_count);
    if (!cast->parts || !kinds || !cast->labels)
        return false;
    for (uint32_t k = 0; k < kind_count; k++) {
        const struct orr_analysis *analysis = cluster ? cluster->kinds[k].analysis : cast->analysis;
        for (uint32_t p = 0; p < analysis->part_count; p++) {
            kinds[at] = k;
            cast->parts[at++] = &analysis->parts[p];
        }
    }
    cast->kinds = kinds;
    return true;
}

/* The seats of one node of the communicator. */
static void seat_node(struct orr_cast *cast, const struct orr_member *member)
{
    const struct orr_contribution *own = member->contribution;
    uint32_t part = 0;
    while (&cast->parts[part]->contribution != own)
        part++;
    const struct orr_system *system = &cast->parts[part]->system;
    for (uint32_t i = system->first[ORR_GPU]; i < system->first[ORR_GPU + 1]; i++) {
        int32_t local = system->nodes[i].gpu.rank;
        if (local < 0)
            continue;
        int32_t rank = orr_member_rank(member, local);
        uint32_t host = cast->analysis->cluster ? 0 : (uint32_t)rank / cast->analysis->local_ranks;
        cast->seats[rank] =
            (struct orr_seat){part, i, local, host, system->host_count > 1 ? orr_id_system(system->nodes[i].id) : host};
    }
}

void orr_cast_init(struct orr_cast *cast, const struct orr_analysis *analysis, struct orr_drawing *drawing)
{
    const struct orr_communicator *all = &analysis->communicator;
    const struct orr_cluster *cluster = analysis->cluster;
    *cast = (struct orr_cast){.analysis = analysis, .drawing = drawing};
    cast->seats = drawing->failed ? NULL : ORR_NEW(drawing->arena, struct orr_seat, all->rank_count);
    if (!cast->seats || !list_parts(cast)) {
        drawing->failed = true;
        return;
    }
    for (uint32_t n = 0; n < all->node_count; n++)
        seat_node(cast, &all->members[n]);
    cast->host_count = cluster ? cluster->host_count : analysis->query.hosts;
    for (uint32_t h = 0; cluster && h < cluster->host_count; h++)
        for (uint32_t i = 0; i < cluster->hosts[h].rank_count; i++) {
            struct orr_seat *seat = &cast->seats[cluster->hosts[h].ranks[i]];
            seat->host = seat->tray = h;
        }
}

/* The number of places: those of a dump of several hosts, or the hosts of a cluster, fused or not. */
static uint32_t trays_of(const struct orr_cast *cast)
{
    return cast->analysis->cluster ? 1 : cast->parts[0]->system.host_count > 1 ? cast->parts[0]->system.host_count : 1;
}

uint32_t orr_cast_places(const struct orr_cast *cast)
{
    return cast->host_count * trays_of(cast);
}

const char *orr_cast_place_name(const struct orr_cast *cast, int32_t rank)
{
    const struct orr_seat *seat = &cast->seats[rank];
    if (trays_of(cast) == 1)
        return orr_drawing_text(cast->drawing, "Host %u", seat->host);
    return cast->host_count > 1 ? orr_drawing_text(cast->drawing, "Tray %u of host %u", seat->tray, seat->host)
                                : orr_drawing_text(cast->drawing, "Tray %u", seat->tray);
}

int32_t orr_cast_rail(const struct orr_cast *cast, int32_t rank, int64_t net)
{
    const struct orr_system *system = &orr_cast_part(cast, rank)->system;
    uint32_t i = orr_net_of_id(system, net);
    return i == ORR_NO_NODE                 ? -1
           : system->nodes[i].net.rail >= 0 ? system->nodes[i].net.rail
                                            : system->nodes[i].net.dev;
}

static const struct orr_labels *labels_of(const struct orr_cast *cast, uint32_t part)
{
    if (!cast->labels[part].system)
        orr_labels_init(&cast->labels[part], &cast->parts[part]->system, cast->drawing);
    return &cast->labels[part];
}

const int32_t *orr_cast_ring(struct orr_cast *cast, int32_t channel)
{
    const struct orr_communicator *all = &cast->analysis->communicator;
    if (all->rings)
        return all->rings[all->source[channel]];
    int32_t *ring = ORR_NEW(cast->drawing->arena, int32_t, all->rank_count);
    if (ring)
        orr_ring_make(all, all->source[channel], ring);
    cast->drawing->failed |= !ring;
    return ring;
}

const struct orr_tree *orr_cast_tree(struct orr_cast *cast, int32_t channel)
{
    const struct orr_communicator *all = &cast->analysis->communicator;
    if (all->trees)
        return &all->trees[all->source[channel]];
    struct orr_arena *arena = cast->drawing->arena;
    struct orr_tree *tree = ORR_NEW(arena, struct orr_tree, 1);
    if (tree) {
        tree->up = ORR_NEW(arena, int32_t, all->rank_count);
        tree->down = (int32_t(*)[3])ORR_NEW(arena, int32_t, 3 * (size_t)all->rank_count);
    }
    if (!tree || !tree->up || !tree->down || orr_tree_make(all, all->source[channel], tree, NULL) != ORR_OK) {
        cast->drawing->failed = true;
        return NULL;
    }
    return tree;
}

int32_t orr_cast_row(const struct orr_cast *cast, int32_t channel, int32_t entry, int32_t exit)
{
    const struct orr_graph *graph = &orr_cast_part(cast, entry)->contribution.graphs[ORR_GRAPH_RING];
    int32_t first = cast->seats[entry].local, last = cast->seats[exit].local;
    for (int32_t k = 0; graph->nets && graph->gpu_count && k < graph->channels; k++) {
        int32_t row = (cast->analysis->communicator.source[channel] + k) % graph->channels;
        const int32_t *gpus = &graph->gpus[(size_t)row * graph->gpu_count];
        if (gpus[0] == first && gpus[graph->gpu_count - 1] == last)
            return row;
    }
    return -1;
}

static uint32_t part_of(const struct orr_cast *cast, const struct orr_actor *actor)
{
    return cast->seats[actor->rank].part;
}

/* The actor's node in its part's system; ORR_NO_NODE for a NET that trimming removed. */
static uint32_t node_of(const struct orr_cast *cast, const struct orr_actor *actor)
{
    if (!actor->is_net)
        return cast->seats[actor->rank].gpu;
    return orr_net_of_id(&cast->parts[part_of(cast, actor)]->system, actor->net);
}

void orr_cast_tile(struct orr_cast *cast, struct orr_actor *actor, struct orr_point centre, float w, float h,
                   float font)
{
    struct orr_drawing *drawing = cast->drawing;
    const struct orr_labels *labels = labels_of(cast, part_of(cast, actor));
    uint32_t node = node_of(cast, actor), host = orr_cast_host(cast, actor->rank);
    char buffer[ORR_NODE_ID_SIZE];
    const char *id, *title, *label, *place = "";
    if (host)
        place = orr_drawing_text(drawing, "host%u/", host);
    if (actor->is_net) {
        id = orr_drawing_text(drawing, "%s%s%s", place, orr_node_id_format(ORR_NET, actor->net, buffer),
                              actor->again ? "~out" : "");
        title = node == ORR_NO_NODE ? id : orr_label_title(labels, node);
        label = node == ORR_NO_NODE ? id : orr_label_tile(labels, node, font, w - 8);
        if (host)
            label = orr_drawing_text(drawing, "host %u\n%s", host, orr_drawing_fit(drawing, label, font, w - 8));
    } else {
        const struct orr_node *gpu = &labels->system->nodes[node == ORR_NO_NODE ? 0 : node];
        id = orr_drawing_text(drawing, "%s%s", place, orr_node_id_format(ORR_GPU, gpu->id, buffer));
        title = orr_label_title(labels, node == ORR_NO_NODE ? 0 : node);
        label = host ? orr_drawing_text(drawing, "rank %d\nhost %u \xc2\xb7 GPU %d", actor->rank, host, gpu->gpu.dev)
                     : orr_drawing_text(drawing, "rank %d\nGPU %d", actor->rank, gpu->gpu.dev);
    }
    if (host)
        title = orr_drawing_text(drawing, "rank %d on host %u: %s", actor->rank, host, title);
    if (host && actor->is_net) { /* its second line has the host instead of the speed */
        const char *line = strchr(label, '\n');
        const char *first =
            node == ORR_NO_NODE ? id : orr_drawing_text(drawing, "NET %d", labels->system->nodes[node].net.dev);
        label = line ? orr_drawing_text(drawing, "%s\nhost %u", first, host) : label;
    }
    actor->tile = orr_drawing_tile(
        drawing, &(struct orr_tile){
                     .frame = {centre.x - w / 2, centre.y - h / 2, w, h},
                     .box = ORR_NO_BOX,
                     .role = actor->is_net ? ORR_ROLE_NET : ORR_ROLE_GPU,
                     .font = font,
                     .id = id,
                     .classes = orr_drawing_text(drawing, "%s host-%u", actor->is_net ? "net" : "gpu", host),
                     .title = title,
                     .label = label,
                 });
}

struct orr_hop orr_cast_hop(const struct orr_cast *cast, const struct orr_actor *from, const struct orr_actor *to)
{
    const struct orr_communicator *all = &cast->analysis->communicator;
    uint32_t a = node_of(cast, from), b = node_of(cast, to);
    if (all->node_of_rank[from->rank] != all->node_of_rank[to->rank]) {
        const struct orr_cluster *cluster = cast->analysis->cluster;
        const struct orr_member *members = all->members;
        if (cluster && orr_systems_share_nvlink(cluster, members[all->node_of_rank[from->rank]].host,
                                                members[all->node_of_rank[to->rank]].host))
            return (struct orr_hop){ORR_PATH_NVL, 0}; /* of another clique of their NVLink domain */
        struct orr_hop hop = {ORR_PATH_NET, 0};
        if (from->is_net && a != ORR_NO_NODE)
            hop.bw = cast->parts[part_of(cast, from)]->system.nodes[a].net.bw;
        return hop;
    }
    if (a == ORR_NO_NODE || b == ORR_NO_NODE)
        return (struct orr_hop){ORR_PATH_DIS, 0};
    const struct orr_path *path = orr_path(&cast->parts[part_of(cast, from)]->paths, a, b);
    return (struct orr_hop){path->type, path->bw};
}

const char *orr_cast_hop_label(const struct orr_cast *cast, struct orr_hop hop, bool narrowest)
{
    const char *mark = narrowest ? "\xe2\x96\xbc " : "";
    if (hop.bw <= 0)
        return orr_drawing_text(cast->drawing, "%s%s", mark, orr_path_type_name(hop.type));
    return orr_drawing_text(cast->drawing, "%s%s %s", mark, orr_path_type_name(hop.type),
                            orr_label_bw(cast->drawing, hop.bw));
}

const char *orr_hop_class(struct orr_drawing *drawing, enum orr_path_type type, bool narrowest)
{
    char name[8] = "";
    const char *upper = orr_path_type_name(type);
    for (size_t i = 0; upper[i] && i + 1 < sizeof name; i++)
        name[i] = upper[i] >= 'A' && upper[i] <= 'Z' ? (char)(upper[i] - 'A' + 'a') : upper[i];
    return orr_drawing_text(drawing, "path %s%s", name, narrowest ? " narrowest" : "");
}

void orr_cast_wire(struct orr_cast *cast, const struct orr_actor *from, const struct orr_actor *to, struct orr_hop hop,
                   bool narrowest, const struct orr_point *points, uint32_t count, struct orr_point label_at)
{
    struct orr_drawing *drawing = cast->drawing;
    if (drawing->failed)
        return;
    const char *a = drawing->tiles[from->tile].id, *b = drawing->tiles[to->tile].id;
    orr_drawing_wire(drawing, &(struct orr_wire){
                                  .from = from->tile,
                                  .to = to->tile,
                                  .id = orr_drawing_text(drawing, "%s--%s", a, b),
                                  .classes = orr_hop_class(drawing, hop.type, narrowest),
                                  .title = orr_drawing_text(
                                      drawing, "%s to %s: %s, %s%s", a, b, orr_cast_hop_label(cast, hop, false),
                                      orr_path_type_meaning(hop.type), narrowest ? "; no hop is narrower" : ""),
                                  .colour = orr_theme_path(drawing->theme, hop.type),
                                  .width = narrowest ? 3 : 1.6f,
                                  .dash = narrowest ? ORR_LINE_DASHED : ORR_LINE_SOLID,
                                  .arrow = true,
                                  .points = orr_drawing_points(drawing, points, count),
                                  .point_count = count,
                                  .label = orr_cast_hop_label(cast, hop, narrowest),
                                  .label_colour = orr_theme_paint(drawing->theme, ORR_ROLE_CANVAS)->ink,
                                  .label_at = label_at,
                                  .label_font = 8.5f,
                              });
}
