/* SPDX-License-Identifier: Apache-2.0 */
/* Draws the trays where rack_layout.c put them, the bar above them and their links. */
#include <math.h>
#include <string.h>

#include "engine/diagram/rack.h"

static const float lane = 5, trunk_x = 7, text_font = 11.7f;

/* "GPU 0" and "rank 12" below each other; a text that only repeats its place in the drawing is small, or left out. */
static const char *tile_text(const struct orr_rack *rack, uint32_t node, float font, float width)
{
    struct orr_scene *scene = rack->scene;
    const struct orr_node *at = &scene->system->nodes[node];
    const char *mark = scene->labels.uplinks[node].degraded ? "\xe2\x9a\xa0 " : "";
    switch (at->type) {
    case ORR_GPU:
        return at->gpu.rank < 0
                   ? orr_drawing_text(scene->drawing, "%sGPU %d\nno rank", mark, at->gpu.dev)
                   : orr_drawing_text(scene->drawing, "%sGPU %d\nrank %d", mark, at->gpu.dev, at->gpu.rank);
    case ORR_NET:
        return orr_drawing_fit(scene->drawing, orr_drawing_text(scene->drawing, "%sNET %d", mark, at->net.dev), font,
                               width);
    case ORR_CPU:
        return orr_drawing_text(scene->drawing, "NUMA %llu", (unsigned long long)orr_id_local(at->id));
    default: {
        const char *text = orr_label_tile(&scene->labels, node, font, width);
        const char *line = strchr(text, '\n');
        return line ? orr_drawing_text(scene->drawing, "%.*s", (int)(line - text), text) : text;
    }
    }
}

static void add_device(struct orr_rack *rack, uint32_t node, uint32_t box)
{
    struct orr_scene *scene = rack->scene;
    enum orr_node_type type = orr_rack_type(rack, node);
    const struct orr_frame *at = &rack->slots[node].at;
    bool fine = at->h < orr_rack_cpu_h; /* small text for a closer look */
    float font = fine ? at->h * 0.65f : text_font;
    scene->tiles[node] = orr_drawing_tile(
        scene->drawing, &(struct orr_tile){.frame = *at,
                                           .box = box,
                                           .role = orr_label_role(type),
                                           .font = font,
                                           .id = orr_label_id(&scene->labels, node),
                                           .classes = orr_drawing_text(
                                               scene->drawing, "%s%s%s", orr_label_class(type), fine ? " fine" : "",
                                               scene->labels.uplinks[node].degraded ? " degraded" : ""),
                                           .title = orr_label_title(&scene->labels, node),
                                           .label = tile_text(rack, node, font, at->w - 4)});
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE && !scene->drawing->failed; c = rack->next[c])
        add_device(rack, c, box);
}

static void add_tray(struct orr_rack *rack, const struct orr_tray *tray, const char *word)
{
    struct orr_scene *scene = rack->scene;
    struct orr_drawing *drawing = scene->drawing;
    const struct orr_frame frame = {tray->x, tray->y, rack->tray_w, rack->tray_h};
    const char *title = orr_drawing_text(drawing, "%s %u \xc2\xb7 %u GPUs", word, tray->system, tray->gpus);
    if (tray->gpus && tray->high_rank - tray->low_rank + 1 == (int32_t)tray->gpus && tray->low_rank >= 0)
        title = orr_drawing_text(drawing,
                                 tray->gpus > 1 ? "%s %u \xc2\xb7 ranks %d\xe2\x80\x93%d" : "%s %u \xc2\xb7 rank %d",
                                 word, tray->system, tray->low_rank, tray->high_rank);
    uint32_t box =
        orr_drawing_box(drawing, &(struct orr_box){.frame = frame,
                                                   .parent = ORR_NO_BOX,
                                                   .role = ORR_ROLE_NUMA,
                                                   .id = orr_drawing_text(drawing, "box:tray:%u", tray->system),
                                                   .classes = "tray",
                                                   .title = title});
    orr_drawing_tile(drawing, &(struct orr_tile){.frame = {tray->x, tray->y, rack->tray_w, orr_rack_title_h},
                                                 .box = box,
                                                 .role = ORR_ROLE_CPU,
                                                 .font = text_font,
                                                 .id = orr_drawing_text(drawing, "tray:%u", tray->system),
                                                 .classes = "tray",
                                                 .title = title,
                                                 .label = title});
    float x = tray->x + (rack->tray_w - tray->width) / 2;
    for (uint32_t i = scene->system->first[ORR_CPU]; i < scene->system->first[ORR_CPU + 1] && !drawing->failed; i++) {
        if (orr_id_system(scene->system->nodes[i].id) != tray->system)
            continue;
        orr_tray_place(rack, i, x, tray);
        x += rack->slots[i].at.w + orr_rack_cpu_gap;
        add_device(rack, i, box);
    }
}

static const struct orr_tray *tray_of(const struct orr_rack *rack, uint32_t node)
{
    uint32_t t = 0;
    while (t + 1 < rack->tray_count && rack->trays[t].system != orr_id_system(rack->scene->system->nodes[node].id))
        t++;
    return &rack->trays[t];
}

/* Up from a GPU to the rail of its tray, along it to the trunk at the left of the trays, up to the bar. */
static void add_fabric_wire(struct orr_rack *rack, uint32_t link)
{
    const struct orr_link *at = &rack->scene->system->links[link];
    uint32_t gpu = orr_is_gpu(orr_rack_type(rack, at->from)) ? at->from : at->to;
    const struct orr_frame *tile = &rack->slots[gpu].at;
    const struct orr_tray *tray = tray_of(rack, gpu);
    float x = tile->x + tile->w / 2, rail = tile->y - orr_rack_rail_h / 2, trunk = tray->x - trunk_x;
    bool odd = orr_label_degraded(&rack->scene->labels, link) != NULL;
    const char *label = odd ? orr_label_link(&rack->scene->labels, link, 9, tile->w) : NULL;
    orr_scene_wire(rack->scene, link,
                   (struct orr_point[]){{x, tile->y}, {x, rail}, {trunk, rail}, {trunk, rack->bus_bottom}}, 4, label,
                   (struct orr_point){x, rail});
}

/* Straight down, to the left of the boxes in between, or from the middle. */
static void add_drop(struct orr_rack *rack, uint32_t link, uint32_t child, uint32_t parent)
{
    const struct orr_frame *a = &rack->slots[child].at, *b = &rack->slots[parent].at;
    bool passes = orr_rack_type(rack, parent) == ORR_CPU ? rack->slots[child].to_gpu
                                                         : rack->slots[parent].to_gpu && !rack->slots[child].to_gpu &&
                                                               orr_rack_is_switch(orr_rack_type(rack, child));
    float x = passes ? a->x + lane : a->x + a->w / 2;
    const struct orr_frame *above = a->y < b->y ? a : b, *below = a->y < b->y ? b : a;
    if (orr_rack_type(rack, parent) == ORR_NIC && below->y - above->y - above->h > a->h / 2) { /* past another port */
        const float side = a->x - 3, from = a->y + a->h / 2, to = b->y + b->h / 2;
        orr_scene_wire(rack->scene, link, (struct orr_point[]){{a->x, from}, {side, from}, {side, to}, {b->x, to}}, 4,
                       NULL, (struct orr_point){0, 0});
        return;
    }
    orr_scene_wire(rack->scene, link, (struct orr_point[]){{x, above->y + above->h}, {x, below->y}}, 2, NULL,
                   (struct orr_point){0, 0});
}

static void add_wires(struct orr_rack *rack)
{
    struct orr_scene *scene = rack->scene;
    const struct orr_point none = {0, 0};
    for (uint32_t i = 0; i < scene->system->link_count && !scene->drawing->failed; i++) {
        const struct orr_link *link = &scene->system->links[i];
        const struct orr_frame *a = &rack->slots[link->from].at, *b = &rack->slots[link->to].at;
        bool from_below = scene->labels.parent[link->from] == link->to;
        switch (orr_scene_wiring(scene, i)) {
        case ORR_WIRE_NONE:
            break;
        case ORR_WIRE_UPLINK:
            add_drop(rack, i, from_below ? link->from : link->to, from_below ? link->to : link->from);
            break;
        case ORR_WIRE_CPU: {
            float x = a->x + a->w - lane;
            orr_scene_wire(scene, i, (struct orr_point[]){{x, a->y + a->h}, {x, b->y}}, 2, NULL, none);
            break;
        }
        case ORR_WIRE_NVSWITCH:
            add_fabric_wire(rack, i);
            break;
        default: { /* between CPUs or GPUs: from side to side, or from middle to middle */
            bool level = a->y == b->y && a->x != b->x;
            float left = a->x < b->x ? a->x + a->w : a->x, right = a->x < b->x ? b->x : b->x + b->w;
            orr_scene_wire(
                scene, i,
                level ? (struct orr_point[]){{left, a->y + a->h / 2}, {right, b->y + b->h / 2}}
                      : (struct orr_point[]){{a->x + a->w / 2, a->y + a->h / 2}, {b->x + b->w / 2, b->y + b->h / 2}},
                2, NULL, none);
        }
        }
    }
}

/* "NVLink 722, C2C 224, PCIe 3 to 48": the bandwidth of each kind of links, or the lowest and the highest if they
 * differ. */
static const char *link_figures(const struct orr_rack *rack)
{
    static const enum orr_link_type order[] = {ORR_LINK_NVL, ORR_LINK_C2C, ORR_LINK_PCI, ORR_LINK_SYS};
    static const char *const names[ORR_LINK_TYPE_COUNT] = {
        [ORR_LINK_NVL] = "NVLink", [ORR_LINK_C2C] = "C2C", [ORR_LINK_PCI] = "PCIe", [ORR_LINK_SYS] = "inter-CPU"};
    struct orr_drawing *drawing = rack->scene->drawing;
    const char *text = "";
    for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
        float least = INFINITY, most = 0;
        for (uint32_t i = 0; i < rack->scene->system->link_count; i++) {
            const struct orr_link *link = &rack->scene->system->links[i];
            if (link->type != order[k] || orr_scene_wiring(rack->scene, i) == ORR_WIRE_NONE)
                continue;
            least = fminf(least, link->bw);
            most = fmaxf(most, link->bw);
        }
        if (most <= 0)
            continue;
        text = orr_drawing_text(drawing, least < most ? "%s%s%s %.3g to %.3g" : "%s%s%s %.3g", text, *text ? ", " : "",
                                names[order[k]], (double)least, (double)most);
    }
    return text;
}

/* Has every tray as many ports, more than one? Then equal places are equal rails. */
static bool rails_alike(const struct orr_rack *rack)
{
    const struct orr_system *system = rack->scene->system;
    uint32_t each = orr_system_count(system, ORR_NET) / rack->tray_count;
    for (uint32_t t = 0; t < rack->tray_count; t++) {
        uint32_t own = 0;
        for (uint32_t i = system->first[ORR_NET]; i < system->first[ORR_NET + 1]; i++)
            own += orr_id_system(system->nodes[i].id) == rack->trays[t].system;
        if (own != each)
            return false;
    }
    return each > 1;
}

static bool has_c2c(const struct orr_system *system)
{
    for (uint32_t i = 0; i < system->link_count; i++)
        if (system->links[i].type == ORR_LINK_C2C)
            return true;
    return false;
}

enum orr_code orr_view_rack(struct orr_scene *scene, const struct orr_analysis *analysis)
{
    struct orr_rack rack = {.scene = scene};
    struct orr_drawing *drawing = scene->drawing;
    if (!orr_rack_gather(&rack)) {
        drawing->failed = true;
        return ORR_OK;
    }
    orr_rack_arrange(&rack);
    const char *word = has_c2c(scene->system) ? "Tray" : "Host"; /* as machines with Grace are called */
    float right = 0;
    for (uint32_t t = 0; t < rack.tray_count; t++)
        right = fmaxf(right, rack.trays[t].x + rack.tray_w);
    drawing->title = orr_drawing_text(drawing, "%s: %s", orr_scene_caption(scene, analysis), link_figures(&rack));
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, 0, -22, text_font, drawing->title);
    if (orr_system_count(scene->system, ORR_NVS)) {
        uint32_t nvs = scene->system->first[ORR_NVS];
        rack.slots[nvs].at = (struct orr_frame){0, 0, right, orr_rack_bus_h};
        scene->tiles[nvs] = orr_drawing_tile(drawing, &(struct orr_tile){.frame = rack.slots[nvs].at,
                                                                         .box = ORR_NO_BOX,
                                                                         .role = ORR_ROLE_NVS,
                                                                         .font = 12,
                                                                         .id = orr_label_id(&scene->labels, nvs),
                                                                         .classes = orr_label_class(ORR_NVS),
                                                                         .title = orr_label_title(&scene->labels, nvs),
                                                                         .label = "NVSwitch fabric"});
    }
    for (uint32_t t = 0; t < rack.tray_count && !drawing->failed; t++)
        add_tray(&rack, &rack.trays[t], word);
    add_wires(&rack);
    uint32_t nets = orr_system_count(scene->system, ORR_NET);
    if (rack.tray_count && nets && rails_alike(&rack))
        orr_drawing_note(drawing, "note:rails", ORR_NO_BOX, rack.trays[0].x,
                         rack.trays[rack.rows - 1].y + rack.tray_h + 5, text_font,
                         orr_drawing_text(drawing, "From left to right in each %s: ports of rail 0 to %u",
                                          has_c2c(scene->system) ? "tray" : "host", nets / rack.tray_count - 1));
    return ORR_OK;
}
