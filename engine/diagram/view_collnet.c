/* SPDX-License-Identifier: Apache-2.0 */
/* CollNetDirect, inside one system: all ranks send each head its share of the data, the head adds them up and sends the
 * sum by its NIC into the network, which adds those of all systems. The answer comes back the same way. */
#include <math.h>

#include "engine/diagram/cast.h"
#include "engine/diagram/view.h"

static const float tile_w = 96, tile_h = 34, slot_w = 112, layer_h = 92, bar_h = 24;

struct star {
    struct orr_cast cast;
    const struct orr_part *part;
    const struct orr_graph *graph;
    struct orr_actor heads[ORR_MAX_CHANNELS], nics[ORR_MAX_CHANNELS];
    uint32_t head_count, rank_count;
    float width;
};

/* Heads are the first GPUs of the channels, each once; the NIC is that of the first channel that it heads. */
static void find_heads(struct star *star)
{
    const struct orr_graph *graph = star->graph;
    const struct orr_member *own = &star->cast.analysis->communicator.members[0];
    for (int32_t c = 0; c < graph->channels && c < ORR_MAX_CHANNELS; c++) {
        int32_t rank = orr_member_rank(own, graph->gpus[(size_t)c * graph->gpu_count]);
        uint32_t h = 0;
        while (h < star->head_count && star->heads[h].rank != rank)
            h++;
        if (h < star->head_count)
            continue;
        star->heads[star->head_count] = (struct orr_actor){.rank = rank};
        star->nics[star->head_count++] =
            (struct orr_actor){.rank = rank, .is_net = graph->nets != NULL, .net = graph->nets ? graph->nets[c][1] : 0};
    }
}

static uint32_t bar(struct star *star, const char *id, float y, enum orr_role role, const char *label,
                    const char *title)
{
    return orr_drawing_tile(star->cast.drawing, &(struct orr_tile){.frame = {0, y, star->width, bar_h},
                                                                   .box = ORR_NO_BOX,
                                                                   .role = role,
                                                                   .font = 11,
                                                                   .id = id,
                                                                   .classes = "others",
                                                                   .title = title,
                                                                   .label = label});
}

/* A line straight up between two tiles; both directions carry the same. */
static void lift(struct star *star, uint32_t from, uint32_t to, enum orr_path_type type, float bw, const char *what)
{
    struct orr_drawing *drawing = star->cast.drawing;
    if (drawing->failed)
        return;
    const struct orr_tile *a = &drawing->tiles[from], *b = &drawing->tiles[to];
    const struct orr_tile *narrow = a->frame.w < b->frame.w ? a : b;
    float x = narrow->frame.x + narrow->frame.w / 2;
    const struct orr_point points[2] = {{x, a->frame.y}, {x, b->frame.y + b->frame.h}};
    const char *label = orr_drawing_text(drawing, "%s %s", orr_path_type_name(type), orr_label_bw(drawing, bw));
    orr_drawing_wire(drawing,
                     &(struct orr_wire){
                         .from = from,
                         .to = to,
                         .id = orr_drawing_text(drawing, "%s--%s", a->id, b->id),
                         .classes = orr_hop_class(drawing, type, false),
                         .title = orr_drawing_text(drawing, "%s to %s: %s, %s", a->id, b->id, label, what),
                         .colour = orr_theme_path(drawing->theme, type),
                         .width = 1.6f,
                         .arrow = true,
                         .points = orr_drawing_points(drawing, points, 2),
                         .point_count = 2,
                         .label = label,
                         .label_colour = orr_theme_paint(drawing->theme, ORR_ROLE_CANVAS)->ink,
                         .label_at = {x + 5 + orr_text_width(label, 8.5f) / 2, (points[0].y + points[1].y) / 2},
                         .label_font = 8.5f,
                     });
}

/* The narrowest of a rank's paths to the heads other than itself. */
static struct orr_hop to_heads(const struct star *star, const struct orr_actor *actor)
{
    struct orr_hop least = {ORR_PATH_LOC, INFINITY};
    for (uint32_t h = 0; h < star->head_count; h++)
        if (star->heads[h].rank != actor->rank) {
            struct orr_hop hop = orr_cast_hop(&star->cast, actor, &star->heads[h]);
            least = hop.bw < least.bw ? hop : least;
        }
    return least;
}

/* A NIC that serves several heads is drawn once for each. */
static void add_nic(struct star *star, uint32_t h, struct orr_point at)
{
    struct orr_drawing *drawing = star->cast.drawing;
    uint32_t before = 0;
    for (uint32_t e = 0; e < h; e++)
        before += star->nics[e].is_net && star->nics[e].net == star->nics[h].net;
    orr_cast_tile(&star->cast, &star->nics[h], at, tile_w, tile_h, 9);
    if (before && !drawing->failed) {
        struct orr_tile *tile = &drawing->tiles[star->nics[h].tile];
        tile->id = orr_drawing_text(drawing, "%s~%u", tile->id, before + 1);
    }
}

static void add_tiles(struct star *star)
{
    struct orr_cast *cast = &star->cast;
    const struct orr_member *own = &cast->analysis->communicator.members[0];
    float y = layer_h;
    uint32_t network = bar(star, "network", 0, ORR_ROLE_NVS, "Network: adds what all hosts send",
                           "The network's own reduction, such as SHARP");
    uint32_t shares =
        bar(star, "shares", y + 2 * layer_h + 5, ORR_ROLE_OTHER,
            orr_drawing_text(cast->drawing, "every rank sends each of the %u heads its share", star->head_count),
            "One share for each head; the sums come back the same way");
    float step = star->width / (float)star->head_count;
    for (uint32_t h = 0; h < star->head_count && !cast->drawing->failed; h++) {
        float x = step * ((float)h + 0.5f);
        if (star->nics[h].is_net)
            add_nic(star, h, (struct orr_point){x, y});
        struct orr_actor again = star->heads[h]; /* the same GPU is drawn below as a sender */
        orr_cast_tile(cast, &again, (struct orr_point){x, y + layer_h + tile_h / 2}, tile_w, tile_h, 10);
        if (cast->drawing->failed)
            return;
        struct orr_tile *tile = &cast->drawing->tiles[again.tile];
        tile->id = orr_drawing_text(cast->drawing, "%s~head", tile->id);
        tile->label = orr_drawing_text(cast->drawing, "rank %d\nhead of share %u", again.rank, h);
        star->heads[h].tile = again.tile;
        lift(star, shares, again.tile, to_heads(star, &star->heads[h]).type, star->graph->bw_intra,
             "added up by the head");
        if (star->nics[h].is_net) {
            struct orr_hop hop = orr_cast_hop(cast, &star->heads[h], &star->nics[h]);
            lift(star, again.tile, star->nics[h].tile, hop.type, star->graph->bw_inter, "to its NIC");
            lift(star, star->nics[h].tile, network, ORR_PATH_NET, star->graph->bw_inter, "into the network");
        }
    }
    step = star->width / (float)star->rank_count;
    for (uint32_t r = 0; r < star->rank_count && !cast->drawing->failed; r++) {
        struct orr_actor actor = {.rank = orr_member_rank(own, star->part->contribution.ranks[r])};
        orr_cast_tile(cast, &actor, (struct orr_point){step * ((float)r + 0.5f), y + 3 * layer_h + tile_h / 2}, tile_w,
                      tile_h, 10);
        struct orr_hop hop = to_heads(star, &actor);
        if (isfinite(hop.bw))
            lift(star, actor.tile, shares, hop.type, hop.bw, "the narrowest of its paths to the heads");
    }
}

enum orr_code orr_view_collnet(const struct orr_analysis *analysis, struct orr_drawing *drawing, struct orr_error *err)
{
    struct star star = {0};
    orr_cast_init(&star.cast, analysis, drawing);
    if (drawing->failed)
        return ORR_OK;
    star.part = star.cast.parts[star.cast.seats[0].part];
    const struct orr_graph *graphs = star.part->contribution.graphs;
    star.graph = &graphs[graphs[ORR_GRAPH_COLLNET_DIRECT].pattern == ORR_PATTERN_NONE ? ORR_GRAPH_COLLNET_CHAIN
                                                                                      : ORR_GRAPH_COLLNET_DIRECT];
    if (star.graph->pattern == ORR_PATTERN_NONE || star.graph->channels < 1 || !star.graph->gpu_count)
        return orr_fail_with(err, ORR_NOT_FOUND, NULL,
                             "CollNet needs NCCL_COLLNET_ENABLE=1, several hosts and NICs with coll=\"1\"",
                             "there is no CollNet graph to draw");
    find_heads(&star);
    star.rank_count = star.part->contribution.rank_count;
    if (star.rank_count > ORR_DRAWN_NODES_MAX)
        return orr_fail(err, ORR_LIMIT, "the system has %u ranks, and a picture shows at most %d", star.rank_count,
                        ORR_DRAWN_NODES_MAX);
    star.width = slot_w * (float)(star.rank_count > star.head_count ? star.rank_count : star.head_count);
    add_tiles(&star);
    drawing->title =
        orr_drawing_text(drawing, "CollNetDirect on host 0: %u ranks, %u heads%s", star.rank_count, star.head_count,
                         analysis->communicator.collnet ? "" : "; CollNet is off in this communicator");
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, 0, -26, 11, drawing->title);
    return ORR_OK;
}
