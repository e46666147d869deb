#include "engine/diagram/cast.h"

#include <string.h>

void orr_cast_init(struct orr_cast *cast, const struct orr_analysis *analysis, struct orr_drawing *drawing)
{
    *cast = (struct orr_cast){.analysis = analysis, .drawing = drawing};
    uint32_t *gpus = ORR_NEW(drawing->arena, uint32_t, analysis->local_ranks);
    cast->labels = ORR_NEW(drawing->arena, struct orr_labels, analysis->part_count);
    if (drawing->failed || !gpus || !cast->labels) {
        drawing->failed = true;
        return;
    }
    for (uint32_t r = 0; r < analysis->local_ranks; r++)
        gpus[r] = ORR_NO_NODE;
    for (uint32_t p = 0; p < analysis->part_count && !drawing->failed; p++) {
        const struct orr_system *system = &analysis->parts[p].system;
        orr_labels_init(&cast->labels[p], system, drawing);
        for (uint32_t i = system->first[ORR_GPU]; i < system->first[ORR_GPU + 1]; i++) {
            int32_t rank = system->nodes[i].gpu.rank;
            if (rank >= 0 && (uint32_t)rank < analysis->local_ranks && analysis->part_of_rank[rank] == p)
                gpus[rank] = i;
        }
    }
    cast->gpu_of_rank = gpus;
}

uint32_t orr_cast_host(const struct orr_cast *cast, int32_t rank)
{
    return (uint32_t)rank / cast->analysis->local_ranks;
}

static uint32_t part_of(const struct orr_cast *cast, const struct orr_actor *actor)
{
    return cast->analysis->part_of_rank[(uint32_t)actor->rank % cast->analysis->local_ranks];
}

/* The actor's node in its part's system, ORR_NO_NODE: a NET that trimming took away. */
static uint32_t node_of(const struct orr_cast *cast, const struct orr_actor *actor)
{
    if (!actor->is_net)
        return cast->gpu_of_rank[(uint32_t)actor->rank % cast->analysis->local_ranks];
    const struct orr_system *system = &cast->analysis->parts[part_of(cast, actor)].system;
    for (uint32_t i = system->first[ORR_NET]; i < system->first[ORR_NET + 1]; i++)
        if (system->nodes[i].id == actor->net)
            return i;
    return ORR_NO_NODE;
}

void orr_cast_tile(struct orr_cast *cast, struct orr_actor *actor, struct orr_point centre, float w, float h,
                   float font)
{
    struct orr_drawing *drawing = cast->drawing;
    const struct orr_labels *labels = &cast->labels[part_of(cast, actor)];
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
    if (host && actor->is_net) { /* its second line says the host instead of the speed */
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
        struct orr_hop hop = {ORR_PATH_NET, 0};
        if (from->is_net && a != ORR_NO_NODE)
            hop.bw = cast->labels[part_of(cast, from)].system->nodes[a].net.bw;
        return hop;
    }
    if (a == ORR_NO_NODE || b == ORR_NO_NODE)
        return (struct orr_hop){ORR_PATH_DIS, 0};
    const struct orr_path *path = orr_path(&cast->analysis->parts[part_of(cast, from)].paths, a, b);
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
