/* The machine: NUMA nodes with what they contain, NVLinks below them, links between CPUs above. */
#include <math.h>
#include <string.h>

#include "engine/diagram/tracks.h"
#include "engine/diagram/view.h"

struct scene {
    const struct orr_system *system;
    struct orr_drawing *drawing;
    struct orr_labels labels;
    struct orr_tree_layout layout;
    struct orr_tracks tracks;
    uint32_t *tiles; /* [node]: its tile in the drawing */
};

/* "FROM--TO", FROM being the node that the analysis lists first; a second link of the pair has its type added. */
static const char *wire_id(const struct scene *scene, uint32_t link)
{
    const struct orr_system *system = scene->system;
    const struct orr_link *at = &system->links[link];
    uint32_t low = at->from < at->to ? at->from : at->to, high = at->from < at->to ? at->to : at->from;
    const struct orr_node *node = &system->nodes[low];
    const char *id = orr_drawing_text(scene->drawing, "%s--%s", orr_label_id(&scene->labels, low),
                                      orr_label_id(&scene->labels, high));
    for (uint32_t i = node->first_link; i < node->first_link + node->link_count; i++)
        if (system->links[i].to == high)
            return system->links[i].type == at->type
                       ? id
                       : orr_drawing_text(scene->drawing, "%s--%s", id, orr_link_type_name(at->type));
    return id;
}

static void add_wire(struct scene *scene, uint32_t link, const struct orr_point *points, uint32_t count,
                     const char *label, struct orr_point label_at)
{
    struct orr_drawing *drawing = scene->drawing;
    const struct orr_link *at = &scene->system->links[link];
    bool degraded = orr_label_degraded(&scene->labels, link) != ORR_NO_NODE;
    const char *alert = orr_theme_paint(drawing->theme, ORR_ROLE_ALERT)->stroke;
    struct orr_wire wire = {
        .from = scene->tiles[at->from],
        .to = scene->tiles[at->to],
        .id = wire_id(scene, link),
        .classes = orr_label_link_class(&scene->labels, link),
        .title = orr_label_link_title(&scene->labels, link),
        .colour = degraded ? alert : orr_theme_link(drawing->theme, at->type),
        .width = at->type == ORR_LINK_NVL || at->type == ORR_LINK_C2C || degraded ? 1.8f : 1.2f,
        .dash = degraded ? ORR_LINE_DASHED : ORR_LINE_SOLID,
        .points = orr_drawing_points(drawing, points, count),
        .point_count = count,
        .label = label,
        .label_colour = degraded ? alert : orr_theme_paint(drawing->theme, ORR_ROLE_CANVAS)->ink,
        .label_at = label_at,
        .label_font = orr_link_font,
    };
    if (wire.points && wire.from != ORR_NO_TILE && wire.to != ORR_NO_TILE)
        orr_drawing_wire(drawing, &wire);
}

/* A label whose left edge is at x. */
static struct orr_point left_of(const char *label, float x, float y)
{
    return (struct orr_point){x + orr_text_width(label, orr_link_font) / 2, y};
}

static void add_devices(struct scene *scene, uint32_t node, uint32_t box)
{
    struct orr_spot *spot = &scene->layout.spots[node];
    struct orr_drawing *drawing = scene->drawing;
    enum orr_node_type type = scene->system->nodes[node].type;
    float top = scene->layout.tops[orr_tree_row(&scene->layout, node)];
    const char *id = orr_label_id(&scene->labels, node), *title = orr_label_title(&scene->labels, node);
    spot->tile.y += top;
    if (orr_tree_is_box(&scene->layout, node)) {
        spot->box.y += top;
        enum orr_role role = type == ORR_CPU ? ORR_ROLE_NUMA : type == ORR_NIC ? ORR_ROLE_CARD : ORR_ROLE_SWITCH;
        box = orr_drawing_box(drawing, &(struct orr_box){
                                           .frame = spot->box,
                                           .parent = box,
                                           .role = role,
                                           .id = orr_drawing_text(drawing, "box:%s", id),
                                           .classes = orr_label_class(type),
                                           .title = title,
                                       });
    }
    float font = type == ORR_CPU ? 11 : type == ORR_NET || type == ORR_NIC ? 9 : orr_tile_font;
    bool degraded = scene->labels.uplinks[node].degraded;
    scene->tiles[node] = orr_drawing_tile(
        drawing, &(struct orr_tile){
                     .frame = spot->tile,
                     .box = box,
                     .role = orr_label_role(type),
                     .font = font,
                     .id = id,
                     .classes = degraded ? orr_drawing_text(drawing, "%s degraded", orr_label_class(type))
                                         : orr_label_class(type),
                     .title = title,
                     .label = orr_label_tile(&scene->labels, node, font, spot->tile.w - 6),
                 });
    for (uint32_t c = spot->first_child; c != ORR_NO_NODE && !drawing->failed; c = scene->layout.spots[c].next)
        add_devices(scene, c, box);
}

/* The wire from a container's tile to that of something in it. */
static void add_uplink(struct scene *scene, uint32_t node)
{
    uint32_t link = scene->labels.uplinks[node].link, parent = scene->labels.parent[node];
    const struct orr_spot *spot = &scene->layout.spots[node];
    const struct orr_frame *above = &scene->layout.spots[parent].tile, *tile = &spot->tile;
    float bottom = above->y + above->h, x = fminf(spot->lane, above->x + above->w - 4);
    float top = orr_tree_is_box(&scene->layout, node) ? spot->box.y : tile->y;
    bool by_cpu = spot->by_cpu && !orr_tree_is_box(&scene->layout, node);
    struct orr_point at = {x, top - (by_cpu ? 23 : 9)};
    const char *label = NULL;
    if (scene->system->links[link].type != ORR_LINK_NET) {
        float right = orr_tree_is_box(&scene->layout, node) ? spot->box.x + spot->box.w : tile->x + tile->w;
        label = orr_label_link(&scene->labels, link, orr_link_font, right - x - 4 - (by_cpu || !spot->by_cpu ? 0 : 18));
        at = left_of(label, x + 4, at.y);
    }
    if (spot->alone) {
        add_wire(scene, link, (struct orr_point[]){{x, bottom}, {x, tile->y}}, 2, label, at);
    } else {
        float y = tile->y + tile->h / 2;
        add_wire(scene, link, (struct orr_point[]){{x, bottom}, {x, y}, {tile->x, y}}, 3, label, at);
    }
}

/* The wire from a CPU to a GPU somewhere in it, beside the one through PCI. */
static void add_cpu_link(struct scene *scene, uint32_t link, uint32_t gpu, uint32_t cpu)
{
    const struct orr_frame *tile = &scene->layout.spots[gpu].tile, *above = &scene->layout.spots[cpu].tile;
    float x = tile->x + tile->w - 6;
    const char *label = orr_label_link(&scene->labels, link, orr_link_font, 84);
    add_wire(scene, link, (struct orr_point[]){{x, above->y + above->h}, {x, tile->y}}, 2, label,
             left_of(label, x - 5 - orr_text_width(label, orr_link_font), tile->y - 8));
}

enum wiring { WIRE_NONE, WIRE_UPLINK, WIRE_CPU, WIRE_TRACK_BOTTOM, WIRE_TRACK_TOP, WIRE_NVSWITCH, WIRE_OTHER };

/* How a link is drawn; each relation counts once, by its link from the lower index. */
static enum wiring wiring_of(const struct scene *scene, uint32_t link)
{
    const struct orr_link *at = &scene->system->links[link];
    const struct orr_node *from = &scene->system->nodes[at->from], *to = &scene->system->nodes[at->to];
    if (at->from == at->to || (at->from > at->to && at->reverse != ORR_NO_LINK))
        return WIRE_NONE;
    for (uint32_t i = from->first_link; i < link; i++) /* a device listed twice has its links twice */
        if (scene->system->links[i].to == at->to && scene->system->links[i].type == at->type)
            return WIRE_NONE;
    if (scene->labels.parent[at->from] == at->to && scene->labels.uplinks[at->from].link == link)
        return WIRE_UPLINK;
    uint32_t back = scene->labels.parent[at->to] == at->from ? scene->labels.uplinks[at->to].link : ORR_NO_LINK;
    if (back != ORR_NO_LINK && scene->system->links[back].type == at->type)
        return WIRE_UPLINK;
    if (from->type == ORR_NVS || to->type == ORR_NVS)
        return (orr_is_gpu(from->type) || orr_is_gpu(to->type)) && at->type == ORR_LINK_NVL ? WIRE_NVSWITCH
                                                                                            : WIRE_OTHER;
    if (orr_is_gpu(from->type) && orr_is_gpu(to->type))
        return WIRE_TRACK_BOTTOM;
    if (from->type == ORR_CPU && to->type == ORR_CPU)
        return WIRE_TRACK_TOP;
    if (from->type == ORR_GPU && to->type == ORR_CPU) {
        uint32_t root = at->from;
        while (scene->labels.parent[root] != ORR_NO_NODE)
            root = scene->labels.parent[root];
        return root == at->to ? WIRE_CPU : WIRE_OTHER;
    }
    return WIRE_OTHER;
}

static void gather_tracks(struct scene *scene)
{
    const struct orr_system *system = scene->system;
    struct orr_track *list = ORR_NEW(scene->drawing->arena, struct orr_track, system->link_count);
    uint32_t count = 0;
    if (!list) {
        scene->drawing->failed = true;
        return;
    }
    for (uint32_t i = 0; i < system->link_count; i++) {
        enum wiring wiring = wiring_of(scene, i);
        if (wiring == WIRE_TRACK_BOTTOM || wiring == WIRE_TRACK_TOP)
            list[count++] = (struct orr_track){.link = i,
                                               .ends = {system->links[i].from, system->links[i].to},
                                               .side = wiring == WIRE_TRACK_TOP ? ORR_SIDE_TOP : ORR_SIDE_BOTTOM};
    }
    orr_tracks_assign(&scene->tracks, &scene->layout, list, count);
}

/* Rows below one another with room for their tracks, for NVSwitch labels and lines. */
static const float switch_h = 30, switch_gap = 30, switch_w = 92;

static void stack_rows(struct scene *scene)
{
    struct orr_tree_layout *layout = &scene->layout;
    bool switched = orr_system_count(scene->system, ORR_NVS) > 0;
    float y = 0;
    for (uint32_t row = 0; row < layout->row_count; row++) {
        layout->tops[row] = y + orr_tracks_height(&scene->tracks, ORR_SIDE_TOP, row);
        y = layout->tops[row] + layout->row_height[row] + orr_tracks_height(&scene->tracks, ORR_SIDE_BOTTOM, row);
        if (row + 1 < layout->row_count)
            y += switched ? 40 : 24;
    }
}

/* One row: the switches are a bar below it. Several: a bar at the left of all, with a rail below each row. */
static void add_switches(struct scene *scene)
{
    const struct orr_tree_layout *layout = &scene->layout;
    uint32_t count = orr_system_count(scene->system, ORR_NVS), last = layout->row_count - 1;
    float left = INFINITY, right = -INFINITY;
    for (uint32_t i = scene->system->first[ORR_GPU]; i < scene->system->first[ORR_GPU + 1]; i++) {
        left = fminf(left, layout->spots[i].tile.x);
        right = fmaxf(right, layout->spots[i].tile.x + layout->spots[i].tile.w);
    }
    float bottom = layout->tops[last] + layout->row_height[last];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = scene->system->first[ORR_NVS] + i;
        struct orr_frame frame;
        if (layout->row_count > 1) {
            frame = (struct orr_frame){-30 - (switch_w + 14) * (float)(i + 1), layout->tops[0], switch_w,
                                       bottom + 34 - layout->tops[0]};
        } else {
            float width = fmaxf((right - left) / (float)count, switch_w);
            frame = (struct orr_frame){left + width * (float)i,
                                       bottom + orr_tracks_height(&scene->tracks, ORR_SIDE_BOTTOM, 0) + switch_gap,
                                       width - (i + 1 < count ? 10 : 0), switch_h};
        }
        layout->spots[node].tile = frame;
        scene->tiles[node] =
            orr_drawing_tile(scene->drawing, &(struct orr_tile){.frame = frame,
                                                                .box = ORR_NO_BOX,
                                                                .role = ORR_ROLE_NVS,
                                                                .font = 11,
                                                                .id = orr_label_id(&scene->labels, node),
                                                                .classes = orr_label_class(ORR_NVS),
                                                                .title = orr_label_title(&scene->labels, node),
                                                                .label = orr_label_tile(&scene->labels, node, 11, 90)});
    }
}

static void add_switch_wire(struct scene *scene, uint32_t link)
{
    const struct orr_link *at = &scene->system->links[link];
    const struct orr_tree_layout *layout = &scene->layout;
    bool first = orr_is_gpu(scene->system->nodes[at->from].type);
    uint32_t gpu = first ? at->from : at->to, nvs = first ? at->to : at->from;
    const struct orr_frame *tile = &layout->spots[gpu].tile, *bar = &layout->spots[nvs].tile;
    uint32_t row = orr_tree_row(layout, gpu);
    float x = tile->x + tile->w / 2 - 30, bottom = tile->y + tile->h;
    float below = layout->tops[row] + layout->row_height[row] + orr_tracks_height(&scene->tracks, ORR_SIDE_BOTTOM, row);
    const char *label = orr_label_link(&scene->labels, link, orr_link_font, 88);
    struct orr_point label_at = left_of(label, x + 4, below + 11);
    if (layout->row_count > 1) {
        float rail = below + 24 - 6 * (float)(nvs - scene->system->first[ORR_NVS]);
        add_wire(scene, link, (struct orr_point[]){{x, bottom}, {x, rail}, {bar->x + bar->w, rail}}, 3, label,
                 label_at);
    } else if (x > bar->x && x < bar->x + bar->w) {
        add_wire(scene, link, (struct orr_point[]){{x, bottom}, {x, bar->y}}, 2, label, label_at);
    } else {
        float rail = below + switch_gap - 6;
        float to = x < bar->x ? bar->x + 6 : bar->x + bar->w - 6;
        add_wire(scene, link, (struct orr_point[]){{x, bottom}, {x, rail}, {to, rail}, {to, bar->y}}, 4, label,
                 label_at);
    }
}

static void add_wires(struct scene *scene)
{
    const struct orr_system *system = scene->system;
    for (uint32_t i = 0; i < system->link_count && !scene->drawing->failed; i++) {
        const struct orr_link *link = &system->links[i];
        bool from_below =
            scene->labels.uplinks[link->from].link != ORR_NO_LINK && scene->labels.parent[link->from] == link->to;
        switch (wiring_of(scene, i)) {
        case WIRE_UPLINK:
            add_uplink(scene, from_below ? link->from : link->to);
            break;
        case WIRE_CPU:
            add_cpu_link(scene, i, link->from, link->to);
            break;
        case WIRE_NVSWITCH:
            add_switch_wire(scene, i);
            break;
        case WIRE_OTHER: {
            const struct orr_frame *a = &scene->layout.spots[link->from].tile, *b = &scene->layout.spots[link->to].tile;
            add_wire(scene, i,
                     (struct orr_point[]){{a->x + a->w / 2, a->y + a->h / 2}, {b->x + b->w / 2, b->y + b->h / 2}}, 2,
                     NULL, (struct orr_point){0, 0});
            break;
        }
        default:
            break;
        }
    }
    orr_tracks_labels(&scene->tracks);
    for (uint32_t t = 0; t < scene->tracks.count && !scene->drawing->failed; t++) {
        struct orr_point points[6];
        uint32_t count = orr_tracks_points(&scene->tracks, t, points);
        const struct orr_track *track = &scene->tracks.tracks[t];
        add_wire(scene, track->link, points, count, track->label, track->label_at);
    }
}

/* "8 GPUs, 2 NUMA nodes, 16 NICs (16 ports), NVSwitch" */
static void add_caption(struct scene *scene, const struct orr_analysis *analysis)
{
    const struct orr_system *system = scene->system;
    struct orr_drawing *drawing = scene->drawing;
    uint32_t gpus = orr_system_count(system, ORR_GPU), cpus = orr_system_count(system, ORR_CPU);
    uint32_t nics = orr_system_count(system, ORR_NIC), nets = orr_system_count(system, ORR_NET);
    const char *text =
        orr_drawing_text(drawing, "%u GPU%s, %u NUMA node%s", gpus, gpus == 1 ? "" : "s", cpus, cpus == 1 ? "" : "s");
    if (nics || nets)
        text = orr_drawing_text(drawing, "%s, %u NIC%s with %u port%s", text, nics, nics == 1 ? "" : "s", nets,
                                nets == 1 ? "" : "s");
    if (orr_system_count(system, ORR_NVS))
        text = orr_drawing_text(drawing, "%s, NVSwitch", text);
    if (system->host_count > 1)
        text = orr_drawing_text(drawing, "%s, %u hosts in one NVLink domain", text, system->host_count);
    if (analysis->query.settings.release)
        text = orr_drawing_text(drawing, "%s \xc2\xb7 bandwidths as NCCL %s%s counts them, GB/s one direction", text,
                                analysis->query.settings.release->name,
                                analysis->query.settings.release->verified ? "" : " (not verified against references)");
    drawing->title = text;
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, 0, -26, 10, text);
    for (int side = 0; side < ORR_SIDE_COUNT; side++)
        for (uint32_t row = 0; row < scene->layout.row_count && scene->tracks.common[side]; row++) {
            if (!scene->tracks.lanes[side][row])
                continue;
            float y = side == ORR_SIDE_TOP
                          ? scene->layout.tops[row] - orr_tracks_height(&scene->tracks, ORR_SIDE_TOP, row)
                          : scene->layout.tops[row] + scene->layout.row_height[row] +
                                orr_tracks_height(&scene->tracks, ORR_SIDE_BOTTOM, row) - 10;
            orr_drawing_note(drawing, orr_drawing_text(drawing, "note:%s-%u", side ? "nvlink" : "sys", row), ORR_NO_BOX,
                             0, y, orr_link_font, scene->tracks.common[side]);
        }
}

enum orr_code orr_view_system(const struct orr_analysis *analysis, struct orr_drawing *drawing, struct orr_error *err)
{
    const struct orr_system *system = &analysis->built;
    if (system->node_count > ORR_DRAWN_NODES_MAX || system->link_count > ORR_DRAWN_LINKS_MAX)
        return orr_fail(err, ORR_LIMIT,
                        "the machine has %u devices and %u links, more than the %d and %d of one picture",
                        system->node_count, system->link_count, ORR_DRAWN_NODES_MAX, ORR_DRAWN_LINKS_MAX);
    struct scene scene = {.drawing = drawing};
    orr_labels_init(&scene.labels, system, drawing);
    if (drawing->failed)
        return ORR_OK;
    scene.system = system = scene.labels.system;
    for (uint32_t i = 0; i < system->node_count; i++)
        if (scene.labels.depth[i] > ORR_DRAWN_DEPTH_MAX)
            return orr_fail(err, ORR_LIMIT, "devices are nested more than %d deep, which no picture shows",
                            ORR_DRAWN_DEPTH_MAX);
    orr_tree_layout(&scene.layout, &scene.labels);
    scene.tiles = ORR_NEW(drawing->arena, uint32_t, system->node_count);
    if (drawing->failed || !scene.tiles) {
        drawing->failed = true;
        return ORR_OK;
    }
    memset(scene.tiles, 0xff, system->node_count * sizeof *scene.tiles);
    gather_tracks(&scene);
    if (drawing->failed)
        return ORR_OK;
    stack_rows(&scene);
    add_caption(&scene, analysis);
    for (uint32_t k = 0; k < scene.layout.root_count && !drawing->failed; k++)
        add_devices(&scene, scene.layout.roots[k], ORR_NO_BOX);
    if (drawing->failed)
        return ORR_OK;
    if (scene.layout.row_count)
        add_switches(&scene);
    add_wires(&scene);
    return ORR_OK;
}
