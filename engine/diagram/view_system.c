/* SPDX-License-Identifier: Apache-2.0 */
/* The machine: NUMA nodes with what they contain, NVLinks below them, links between CPUs above. */
#include <math.h>
#include <string.h>

#include "engine/diagram/rack.h"
#include "engine/diagram/tracks.h"
#include "engine/diagram/view.h"

struct machine {
    struct orr_scene scene;
    struct orr_tree_layout layout;
    struct orr_tracks tracks;
};

/* A label whose left edge is at x. */
static struct orr_point left_of(const char *label, float x, float y)
{
    return (struct orr_point){x + (label ? orr_text_width(label, orr_link_font) / 2 : 0), y};
}

static void add_devices(struct machine *machine, uint32_t node, uint32_t box)
{
    struct orr_spot *spot = &machine->layout.spots[node];
    struct orr_drawing *drawing = machine->scene.drawing;
    enum orr_node_type type = machine->scene.system->nodes[node].type;
    float top = machine->layout.tops[orr_tree_row(&machine->layout, node)];
    const char *id = orr_label_id(&machine->scene.labels, node), *title = orr_label_title(&machine->scene.labels, node);
    spot->tile.y += top;
    if (orr_tree_is_box(&machine->layout, node)) {
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
    bool degraded = machine->scene.labels.uplinks[node].degraded,
         assumed = orr_label_assumed(&machine->scene.labels, node);
    machine->scene.tiles[node] = orr_drawing_tile(
        drawing, &(struct orr_tile){
                     .frame = spot->tile,
                     .box = box,
                     .role = orr_label_role(type),
                     .font = font,
                     .id = id,
                     .assumed = assumed,
                     .classes = orr_drawing_text(drawing, "%s%s%s", orr_label_class(type), degraded ? " degraded" : "",
                                                 assumed ? " assumed" : ""),
                     .title = title,
                     .label = orr_label_tile(&machine->scene.labels, node, font, spot->tile.w - 6),
                 });
    for (uint32_t c = spot->first_child; c != ORR_NO_NODE && !drawing->failed; c = machine->layout.spots[c].next)
        add_devices(machine, c, box);
}

/* The wire from a container's tile to that of something in it. */
static void add_uplink(struct machine *machine, uint32_t node)
{
    uint32_t link = machine->scene.labels.uplinks[node].link, parent = machine->scene.labels.parent[node];
    const struct orr_spot *spot = &machine->layout.spots[node];
    const struct orr_frame *above = &machine->layout.spots[parent].tile, *tile = &spot->tile;
    float bottom = above->y + above->h, x = fminf(spot->lane, above->x + above->w - 4);
    float top = orr_tree_is_box(&machine->layout, node) ? spot->box.y : tile->y;
    bool by_cpu = spot->by_cpu && !orr_tree_is_box(&machine->layout, node);
    struct orr_point at = {x, top - (by_cpu ? 23 : 9)};
    const char *label = NULL;
    if (machine->scene.system->links[link].type != ORR_LINK_NET) {
        float right = orr_tree_is_box(&machine->layout, node) ? spot->box.x + spot->box.w : tile->x + tile->w;
        label = orr_label_exception(&machine->scene.labels, link, orr_link_font,
                                    right - x - 4 - (by_cpu || !spot->by_cpu ? 0 : 18));
        at = left_of(label, x + 4, at.y);
    }
    if (spot->alone) {
        orr_scene_wire(&machine->scene, link, (struct orr_point[]){{x, bottom}, {x, tile->y}}, 2, label, at);
    } else {
        float y = tile->y + tile->h / 2;
        orr_scene_wire(&machine->scene, link, (struct orr_point[]){{x, bottom}, {x, y}, {tile->x, y}}, 3, label, at);
    }
}

/* The wire from a CPU to a GPU somewhere in it, beside the one through PCI. */
static void add_cpu_link(struct machine *machine, uint32_t link, uint32_t gpu, uint32_t cpu)
{
    const struct orr_frame *tile = &machine->layout.spots[gpu].tile, *above = &machine->layout.spots[cpu].tile;
    float x = tile->x + tile->w - 6;
    const char *label = orr_label_exception(&machine->scene.labels, link, orr_link_font, 84);
    float width = label ? orr_text_width(label, orr_link_font) : 0;
    orr_scene_wire(&machine->scene, link, (struct orr_point[]){{x, above->y + above->h}, {x, tile->y}}, 2, label,
                   left_of(label, x - 5 - width, tile->y - 8));
}

static void gather_tracks(struct machine *machine)
{
    const struct orr_system *system = machine->scene.system;
    struct orr_track *list = ORR_NEW(machine->scene.drawing->arena, struct orr_track, system->link_count);
    uint32_t count = 0;
    if (!list) {
        machine->scene.drawing->failed = true;
        return;
    }
    for (uint32_t i = 0; i < system->link_count; i++) {
        enum orr_wiring wiring = orr_scene_wiring(&machine->scene, i);
        if (wiring == ORR_WIRE_TRACK_BOTTOM || wiring == ORR_WIRE_TRACK_TOP)
            list[count++] = (struct orr_track){.link = i,
                                               .ends = {system->links[i].from, system->links[i].to},
                                               .side = wiring == ORR_WIRE_TRACK_TOP ? ORR_SIDE_TOP : ORR_SIDE_BOTTOM};
    }
    orr_tracks_assign(&machine->tracks, &machine->layout, list, count);
}

/* Rows below one another with room for their tracks, for NVSwitch labels and lines. */
static const float switch_h = 30, switch_gap = 24, switch_w = 92;

/* Two rows of GPUs face each other over a band of NVSwitches: the lower row is drawn upside down, so that each GPU has
 * one short link, and NICs are at the outer edges. */
static bool has_band(const struct machine *machine)
{
    return machine->layout.row_count == 2 && orr_system_count(machine->scene.system, ORR_NVS) > 0;
}

static void stack_rows(struct machine *machine)
{
    struct orr_tree_layout *layout = &machine->layout;
    bool switched = orr_system_count(machine->scene.system, ORR_NVS) > 0;
    float y = 0;
    for (uint32_t row = 0; row < layout->row_count; row++) {
        layout->tops[row] = y + orr_tracks_height(&machine->tracks, ORR_SIDE_TOP, row);
        y = layout->tops[row] + layout->row_height[row] + orr_tracks_height(&machine->tracks, ORR_SIDE_BOTTOM, row);
        if (row + 1 < layout->row_count)
            y += has_band(machine) ? switch_h + 2 * switch_gap : switched ? 40 : 24;
    }
}

/* Mirrors the lower row, as far as it is drawn, at its middle. */
static void mirror_lower_row(struct machine *machine)
{
    struct orr_tree_layout *layout = &machine->layout;
    struct orr_drawing *drawing = machine->scene.drawing;
    float tracks = orr_tracks_height(&machine->tracks, ORR_SIDE_TOP, 1), top = layout->tops[1] - tracks;
    float sum = 2 * layout->tops[1] + layout->row_height[1] - tracks; /* the room for tracks is at the other side now */
    for (unsigned i = 0; i < drawing->box_count; i++)
        if (drawing->boxes[i].frame.y >= top)
            drawing->boxes[i].frame.y = sum - drawing->boxes[i].frame.y - drawing->boxes[i].frame.h;
    for (unsigned i = 0; i < drawing->tile_count; i++)
        if (drawing->tiles[i].frame.y >= top)
            drawing->tiles[i].frame.y = sum - drawing->tiles[i].frame.y - drawing->tiles[i].frame.h;
    for (unsigned i = 0; i < drawing->wire_count; i++) {
        struct orr_wire *wire = &drawing->wires[i];
        struct orr_point *points = ORR_NEW(drawing->arena, struct orr_point, wire->point_count);
        if (!points) {
            drawing->failed = true;
            return;
        }
        for (uint32_t k = 0; k < wire->point_count; k++)
            points[k] = (struct orr_point){wire->points[k].x,
                                           wire->points[k].y >= top ? sum - wire->points[k].y : wire->points[k].y};
        wire->points = points;
        if (wire->label && wire->label_at.y >= top)
            wire->label_at.y = sum - wire->label_at.y;
    }
    for (uint32_t i = 0; i < machine->scene.system->node_count; i++)
        if (layout->spots[i].tile.y >= top)
            layout->spots[i].tile.y = sum - layout->spots[i].tile.y - layout->spots[i].tile.h;
}

/* One row: the switches are a bar below it. Two: a band between them. More: a bar at the left of all, with a rail below
 * each row. */
static void add_switches(struct machine *machine)
{
    const struct orr_tree_layout *layout = &machine->layout;
    uint32_t count = orr_system_count(machine->scene.system, ORR_NVS), last = layout->row_count - 1;
    float left = INFINITY, right = -INFINITY;
    for (uint32_t i = machine->scene.system->first[ORR_GPU]; i < machine->scene.system->first[ORR_GPU + 1]; i++) {
        left = fminf(left, layout->spots[i].tile.x);
        right = fmaxf(right, layout->spots[i].tile.x + layout->spots[i].tile.w);
    }
    float bottom = layout->tops[last] + layout->row_height[last];
    for (uint32_t i = 0; i < count; i++) {
        uint32_t node = machine->scene.system->first[ORR_NVS] + i;
        struct orr_frame frame;
        if (has_band(machine)) {
            float width = fmaxf((right - left) / (float)count, switch_w);
            frame = (struct orr_frame){left + width * (float)i, layout->tops[0] + layout->row_height[0] + switch_gap,
                                       width - (i + 1 < count ? 10 : 0), switch_h};
        } else if (layout->row_count > 1) {
            frame = (struct orr_frame){-30 - (switch_w + 14) * (float)(i + 1), layout->tops[0], switch_w,
                                       bottom + 34 - layout->tops[0]};
        } else {
            float width = fmaxf((right - left) / (float)count, switch_w);
            frame = (struct orr_frame){left + width * (float)i,
                                       bottom + orr_tracks_height(&machine->tracks, ORR_SIDE_BOTTOM, 0) + switch_gap,
                                       width - (i + 1 < count ? 10 : 0), switch_h};
        }
        layout->spots[node].tile = frame;
        machine->scene.tiles[node] = orr_drawing_tile(
            machine->scene.drawing, &(struct orr_tile){.frame = frame,
                                                       .box = ORR_NO_BOX,
                                                       .role = ORR_ROLE_NVS,
                                                       .font = 11,
                                                       .id = orr_label_id(&machine->scene.labels, node),
                                                       .classes = orr_label_class(ORR_NVS),
                                                       .title = orr_label_title(&machine->scene.labels, node),
                                                       .label = orr_label_tile(&machine->scene.labels, node, 11, 90)});
    }
}

static void add_switch_wire(struct machine *machine, uint32_t link)
{
    const struct orr_link *at = &machine->scene.system->links[link];
    const struct orr_tree_layout *layout = &machine->layout;
    bool first = orr_is_gpu(machine->scene.system->nodes[at->from].type);
    uint32_t gpu = first ? at->from : at->to, nvs = first ? at->to : at->from;
    const struct orr_frame *tile = &layout->spots[gpu].tile, *bar = &layout->spots[nvs].tile;
    uint32_t row = orr_tree_row(layout, gpu);
    bool lower = has_band(machine) && row;
    float x = tile->x + tile->w / 2 - 30, bottom = tile->y + (lower ? 0 : tile->h);
    float below =
        layout->tops[row] + layout->row_height[row] + orr_tracks_height(&machine->tracks, ORR_SIDE_BOTTOM, row);
    const char *label = orr_label_exception(&machine->scene.labels, link, orr_link_font, 88);
    struct orr_point label_at = left_of(label, x + 4, below + 11);
    if (has_band(machine) && x > bar->x && x < bar->x + bar->w) {
        float end = lower ? bar->y + bar->h : bar->y;
        orr_scene_wire(&machine->scene, link, (struct orr_point[]){{x, bottom}, {x, end}}, 2, label,
                       left_of(label, x + 5, (bottom + end) / 2));
    } else if (has_band(machine)) {
        float end = lower ? bar->y + bar->h : bar->y, rail = (bottom + end) / 2,
              to = x < bar->x ? bar->x + 6 : bar->x + bar->w - 6;
        orr_scene_wire(&machine->scene, link, (struct orr_point[]){{x, bottom}, {x, rail}, {to, rail}, {to, end}}, 4,
                       label, left_of(label, x + 5, rail - 6));
    } else if (layout->row_count > 1) {
        float rail = below + 24 - 6 * (float)(nvs - machine->scene.system->first[ORR_NVS]);
        orr_scene_wire(&machine->scene, link, (struct orr_point[]){{x, bottom}, {x, rail}, {bar->x + bar->w, rail}}, 3,
                       label, label_at);
    } else if (x > bar->x && x < bar->x + bar->w) {
        orr_scene_wire(&machine->scene, link, (struct orr_point[]){{x, bottom}, {x, bar->y}}, 2, label, label_at);
    } else {
        float rail = below + switch_gap - 6;
        float to = x < bar->x ? bar->x + 6 : bar->x + bar->w - 6;
        orr_scene_wire(&machine->scene, link, (struct orr_point[]){{x, bottom}, {x, rail}, {to, rail}, {to, bar->y}}, 4,
                       label, label_at);
    }
}

/* Draws the links to NVSwitches, which are placed when the rows are drawn, or all others. */
static void add_wires(struct machine *machine, bool to_switches)
{
    const struct orr_system *system = machine->scene.system;
    for (uint32_t i = 0; i < system->link_count && !machine->scene.drawing->failed; i++) {
        const struct orr_link *link = &system->links[i];
        if ((system->nodes[link->from].type == ORR_NVS || system->nodes[link->to].type == ORR_NVS) != to_switches)
            continue;
        bool from_below = machine->scene.labels.uplinks[link->from].link != ORR_NO_LINK &&
                          machine->scene.labels.parent[link->from] == link->to;
        switch (orr_scene_wiring(&machine->scene, i)) {
        case ORR_WIRE_UPLINK:
            add_uplink(machine, from_below ? link->from : link->to);
            break;
        case ORR_WIRE_CPU:
            add_cpu_link(machine, i, link->from, link->to);
            break;
        case ORR_WIRE_NVSWITCH:
            add_switch_wire(machine, i);
            break;
        case ORR_WIRE_OTHER: {
            const struct orr_frame *a = &machine->layout.spots[link->from].tile,
                                   *b = &machine->layout.spots[link->to].tile;
            orr_scene_wire(&machine->scene, i,
                           (struct orr_point[]){{a->x + a->w / 2, a->y + a->h / 2}, {b->x + b->w / 2, b->y + b->h / 2}},
                           2, NULL, (struct orr_point){0, 0});
            break;
        }
        default:
            break;
        }
    }
}

static void add_track_wires(struct machine *machine)
{
    orr_tracks_labels(&machine->tracks);
    for (uint32_t t = 0; t < machine->tracks.count && !machine->scene.drawing->failed; t++) {
        struct orr_point points[6];
        uint32_t count = orr_tracks_points(&machine->tracks, t, points);
        const struct orr_track *track = &machine->tracks.tracks[t];
        orr_scene_wire(&machine->scene, track->link, points, count, track->label, track->label_at);
    }
}

static void add_caption(struct machine *machine, const struct orr_analysis *analysis)
{
    struct orr_drawing *drawing = machine->scene.drawing;
    drawing->title = orr_scene_caption(&machine->scene, analysis);
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, 0, -26, 10, drawing->title);
    for (int side = 0; side < ORR_SIDE_COUNT; side++)
        for (uint32_t row = 0; row < machine->layout.row_count && machine->tracks.common[side]; row++) {
            if (!machine->tracks.lanes[side][row])
                continue;
            float y = side == ORR_SIDE_TOP
                          ? machine->layout.tops[row] - orr_tracks_height(&machine->tracks, ORR_SIDE_TOP, row)
                          : machine->layout.tops[row] + machine->layout.row_height[row] +
                                orr_tracks_height(&machine->tracks, ORR_SIDE_BOTTOM, row) - 10;
            orr_drawing_note(drawing, orr_drawing_text(drawing, "note:%s-%u", side ? "nvlink" : "sys", row), ORR_NO_BOX,
                             0, y, orr_link_font, machine->tracks.common[side]);
        }
}

static enum orr_code draw_rows(struct machine *machine, const struct orr_analysis *analysis)
{
    struct orr_drawing *drawing = machine->scene.drawing;
    machine->scene.by_bandwidth = true;
    orr_tree_layout(&machine->layout, &machine->scene.labels);
    if (!drawing->failed)
        gather_tracks(machine);
    if (drawing->failed)
        return ORR_OK;
    stack_rows(machine);
    add_caption(machine, analysis);
    for (uint32_t k = 0; k < machine->layout.root_count && !drawing->failed; k++)
        add_devices(machine, machine->layout.roots[k], ORR_NO_BOX);
    if (drawing->failed)
        return ORR_OK;
    add_wires(machine, false);
    add_track_wires(machine);
    if (has_band(machine))
        mirror_lower_row(machine);
    if (machine->layout.row_count && !drawing->failed)
        add_switches(machine);
    add_wires(machine, true);
    return ORR_OK;
}

enum orr_code orr_view_system(const struct orr_analysis *analysis, struct orr_drawing *drawing, struct orr_error *err)
{
    const struct orr_system *system = &analysis->built;
    if (system->node_count > ORR_DRAWN_NODES_MAX || system->link_count > ORR_DRAWN_LINKS_MAX)
        return orr_fail(err, ORR_LIMIT,
                        "the machine has %u devices and %u links, more than the %d and %d of one picture",
                        system->node_count, system->link_count, ORR_DRAWN_NODES_MAX, ORR_DRAWN_LINKS_MAX);
    struct machine machine = {.scene = {.drawing = drawing}};
    struct orr_scene *scene = &machine.scene;
    orr_labels_init(&scene->labels, system, drawing);
    if (drawing->failed)
        return ORR_OK;
    scene->system = system = scene->labels.system;
    for (uint32_t i = 0; i < system->node_count; i++)
        if (scene->labels.depth[i] > ORR_DRAWN_DEPTH_MAX)
            return orr_fail(err, ORR_LIMIT, "devices are nested more than %d levels deep, more than a picture shows",
                            ORR_DRAWN_DEPTH_MAX);
    scene->tiles = ORR_NEW(drawing->arena, uint32_t, system->node_count);
    if (drawing->failed || !scene->tiles) {
        drawing->failed = true;
        return ORR_OK;
    }
    memset(scene->tiles, 0xff, system->node_count * sizeof *scene->tiles);
    return orr_rack_fits(scene) ? orr_view_rack(scene, analysis) : draw_rows(&machine, analysis);
}
