/* SPDX-License-Identifier: Apache-2.0 */
/* Draws one path, device after device from left to right, with boxes around NUMA nodes and a mark at the narrowest
 * hop. */

#include "engine/diagram/view.h"

static const float tile_w = 126, tile_h = 36, between = 96;

struct walk {
    const struct orr_part *part;
    struct orr_drawing *drawing;
    struct orr_labels labels;
    const struct orr_path *path;
    int narrowest;
    uint32_t *shown; /* [step]: the hop drawn, without those between a rank and its device */
    uint32_t count;
};

/* The node of a step as it is drawn. */
static uint32_t node_at(const struct walk *walk, uint32_t from, uint32_t step)
{
    uint32_t node = step ? orr_path_node(&walk->part->paths, walk->path, walk->shown[step - 1]) : from;
    return walk->labels.drawn_as[node];
}

static void choose_hops(struct walk *walk, uint32_t from)
{
    const uint32_t *drawn_as = walk->labels.drawn_as;
    for (uint32_t hop = 0, at = drawn_as[from]; hop < walk->path->hops; hop++) {
        uint32_t to = drawn_as[orr_path_node(&walk->part->paths, walk->path, hop)];
        if (to != at)
            walk->shown[walk->count++] = hop;
        at = to;
    }
}

static uint32_t root_of(const struct walk *walk, uint32_t node)
{
    while (walk->labels.parent[node] != ORR_NO_NODE)
        node = walk->labels.parent[node];
    return node;
}

static void add_hop(struct walk *walk, uint32_t step, uint32_t from, uint32_t to)
{
    struct orr_drawing *drawing = walk->drawing;
    const struct orr_link *link =
        &walk->part->system.links[walk->part->paths.links[walk->path->first + walk->shown[step]]];
    bool narrowest = (int)walk->shown[step] == walk->narrowest;
    const char *wording = orr_label_link(&walk->labels, (uint32_t)(link - walk->part->system.links), 8.5f, between - 8);
    const struct orr_frame *a = &drawing->tiles[from].frame, *b = &drawing->tiles[to].frame;
    struct orr_point points[] = {{a->x + a->w, a->y + a->h / 2}, {b->x, b->y + b->h / 2}};
    const char *bw = orr_label_bw(drawing, link->bw),
               *class = orr_label_link_class(&walk->labels, (uint32_t)(link - walk->part->system.links));
    orr_drawing_wire(
        drawing,
        &(struct orr_wire){
            .from = from,
            .to = to,
            .id = orr_drawing_text(drawing, "%s--%s", drawing->tiles[from].id, drawing->tiles[to].id),
            .classes = narrowest ? orr_drawing_text(drawing, "%s narrowest", class) : class,
            .title = orr_drawing_text(drawing, "hop %u: %s%s", step + 1,
                                      orr_label_link_title(&walk->labels, (uint32_t)(link - walk->part->system.links)),
                                      narrowest ? "; no hop of this path is narrower" : ""),
            .colour = orr_theme_link(drawing->theme, link->type),
            .width = narrowest ? 3.4f : 1.8f,
            .dash = narrowest ? ORR_LINE_DASHED : ORR_LINE_SOLID,
            .arrow = true,
            .points = orr_drawing_points(drawing, points, 2),
            .point_count = 2,
            .label = orr_drawing_text(drawing, "%s %s", orr_link_type_name(link->type), bw),
            .label_colour = orr_theme_paint(drawing->theme, ORR_ROLE_CANVAS)->ink,
            .label_at = {(points[0].x + points[1].x) / 2, points[0].y - 9},
            .label_font = 8.5f,
        });
    bool pcie = link->type == ORR_LINK_PCI;
    const char *below = narrowest ? "\xe2\x96\xbc narrowest" : pcie ? wording : NULL;
    if (below && !narrowest) /* the generation alone: the bandwidth is above it */
        below = orr_label_link(&walk->labels, (uint32_t)(link - walk->part->system.links), 8.5f, 66);
    if (below)
        orr_drawing_note(drawing, orr_drawing_text(drawing, "note:hop-%u", step), ORR_NO_BOX,
                         (points[0].x + points[1].x) / 2 - orr_text_width(below, 8.5f) / 2, points[0].y + 4, 8.5f,
                         below);
}

/* Boxes around runs of devices of one NUMA node; gives the box of each step. */
static void add_boxes(struct walk *walk, uint32_t from, uint32_t *boxes)
{
    uint32_t steps = walk->count + 1, run = 0;
    const struct orr_system *system = walk->labels.system;
    for (uint32_t i = 0, first = 0; i <= steps; i++) {
        if (i < steps && root_of(walk, node_at(walk, from, i)) == root_of(walk, node_at(walk, from, first)))
            continue;
        uint32_t root = root_of(walk, node_at(walk, from, first)), box = ORR_NO_BOX;
        if (system->nodes[root].type == ORR_CPU) {
            const char *id = orr_label_id(&walk->labels, root);
            float x = (float)first * (tile_w + between) - 12, y = -tile_h / 2 - 34;
            box = orr_drawing_box(
                walk->drawing,
                &(struct orr_box){.frame = {x, y, (float)(i - first) * (tile_w + between) - between + 24, tile_h + 54},
                                  .parent = ORR_NO_BOX,
                                  .role = ORR_ROLE_NUMA,
                                  .id = orr_drawing_text(walk->drawing, run ? "box:%s:%u" : "box:%s", id, run),
                                  .classes = "cpu",
                                  .title = orr_label_title(&walk->labels, root)});
            orr_drawing_note(walk->drawing, orr_drawing_text(walk->drawing, "note:numa-%u", run), box, x + 10, y + 4, 9,
                             orr_drawing_text(walk->drawing, "NUMA node %llu",
                                              (unsigned long long)orr_id_local(system->nodes[root].id)));
            run++;
        }
        for (; first < i; first++)
            boxes[first] = box;
    }
}

/* The part whose system has both ends; NULL with a report in err. */
static const struct orr_part *find_part(const struct orr_analysis *analysis, const char *from, const char *to,
                                        uint32_t ends[2], struct orr_error *err)
{
    const char *missing = NULL;
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        ends[0] = orr_system_find(&analysis->parts[p].system, from);
        ends[1] = orr_system_find(&analysis->parts[p].system, to);
        if (ends[0] != ORR_NO_NODE && ends[1] != ORR_NO_NODE)
            return &analysis->parts[p];
    }
    if (orr_system_find(&analysis->built, from) == ORR_NO_NODE)
        missing = from;
    else if (orr_system_find(&analysis->built, to) == ORR_NO_NODE)
        missing = to;
    if (missing)
        orr_fail_with(err, ORR_NOT_FOUND, NULL, "name it as the analysis does (GPU/0-1b000), by rank:N or by bus id",
                      "there is no device \"%.60s\"", missing);
    else
        orr_fail_with(err, ORR_NOT_FOUND, NULL,
                      "with one host NCCL drops the NICs: ask with hosts=2 to see paths to them",
                      "no path joins %.60s and %.60s: NCCL trimmed one of them away", from, to);
    return NULL;
}

enum orr_code orr_view_path(const struct orr_analysis *analysis, const char *from, const char *to,
                            struct orr_drawing *drawing, struct orr_error *err)
{
    uint32_t ends[2];
    if (!from || !to || !*from || !*to) {
        orr_error_advice(err, "such as from=GPU/0-1b000 to=NET/0-0, or rank:0 and rank:1");
        return orr_fail(err, ORR_NOT_FOUND, "a path needs both of its ends");
    }
    const struct orr_part *part = find_part(analysis, from, to, ends, err);
    if (!part)
        return ORR_NOT_FOUND;
    struct walk walk = {.part = part, .drawing = drawing};
    bool starts = orr_paths_has(&part->paths, ends[0]);
    if (!starts || !orr_paths_has(&part->paths, ends[1])) {
        orr_error_advice(err, "let the path start and end at a GPU, NET or CPU");
        return orr_fail(err, ORR_NOT_FOUND, "NCCL keeps no paths %s %.60s", starts ? "to" : "from", starts ? to : from);
    }
    walk.path = orr_path(&part->paths, ends[0], ends[1]);
    walk.narrowest = orr_path_narrowest(&part->paths, walk.path);
    orr_labels_init(&walk.labels, &part->system, drawing);
    walk.shown = ORR_NEW(drawing->arena, uint32_t, walk.path->hops);
    uint32_t *boxes = ORR_NEW(drawing->arena, uint32_t, (size_t)walk.path->hops + 1);
    uint32_t *tiles = ORR_NEW(drawing->arena, uint32_t, (size_t)walk.path->hops + 2);
    if (drawing->failed || !walk.shown || !boxes || !tiles) {
        drawing->failed = true;
        return ORR_OK;
    }
    choose_hops(&walk, ends[0]);
    uint32_t hops = walk.count;
    for (int end = 0; end < 2; end++)
        ends[end] = walk.labels.drawn_as[ends[end]];
    add_boxes(&walk, ends[0], boxes);
    bool joined = hops > 0 || ends[0] == ends[1];
    for (uint32_t i = 0; i <= hops + !joined && !drawing->failed; i++) {
        uint32_t node = i <= hops ? node_at(&walk, ends[0], i) : ends[1];
        enum orr_node_type type = part->system.nodes[node].type;
        const char *id = orr_label_id(&walk.labels, node);
        bool again = false; /* a device that the path meets twice keeps one id */
        for (uint32_t k = 0; k < i && !again; k++)
            again = node == (k <= hops ? node_at(&walk, ends[0], k) : ends[1]);
        tiles[i] = orr_drawing_tile(
            drawing, &(struct orr_tile){.frame = {(float)i * (tile_w + between), -tile_h / 2, tile_w, tile_h},
                                        .box = i <= hops ? boxes[i] : ORR_NO_BOX,
                                        .role = orr_label_role(type),
                                        .font = 10,
                                        .bold_frame = i == 0 || i == hops + !joined,
                                        .id = again ? orr_drawing_text(drawing, "%s:%u", id, i) : id,
                                        .classes = orr_label_class(type),
                                        .title = orr_label_title(&walk.labels, node),
                                        .label = orr_label_tile(&walk.labels, node, 10, tile_w - 8)});
    }
    for (uint32_t i = 0; i < hops && !drawing->failed; i++)
        add_hop(&walk, i, tiles[i], tiles[i + 1]);
    const char *caption = orr_drawing_text(drawing, "%s to %s: %s (%s)%s%s", orr_label_id(&walk.labels, ends[0]),
                                           orr_label_id(&walk.labels, ends[1]), orr_path_type_name(walk.path->type),
                                           orr_path_type_meaning(walk.path->type), joined ? ", " : "",
                                           joined ? orr_label_bw(drawing, walk.path->bw) : "");
    drawing->title = caption;
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, 0, -tile_h / 2 - 66, 11, caption);
    if (walk.path->origin != ORR_ROUTE)
        orr_drawing_note(drawing, "note:origin", ORR_NO_BOX, 0, tile_h / 2 + 28, 9.5f,
                         orr_path_origin_text(walk.path->origin));
    return ORR_OK;
}
