/* The places inside a tray come from what hangs on what: a CPU's branches stand side by side, in each the GPUs on top,
 * below them the switches that lead to GPUs, then ports and their NICs, then switches that lead to NICs alone. The CPU
 * is a strip below all, so a wire goes down from each device, beside the ports where it must pass them. */
#include <math.h>
#include <string.h>

#include "engine/diagram/rack.h"

enum { LEAST_HOSTS = 3 };
enum band { BAND_UPPER, BAND_PORT, BAND_LOWER, BAND_COUNT };

static const float column_w = 68, column_gap = 4, lane = 5, inset = 8, cpu_gap = 12;
static const float title_h = 15, rail_h = 10, gpu_h = 30, strip_h = 11, port_h = 16, nic_h = 9, cpu_h = 15;
static const float gap = 7, tight = 2, pad = 6, bus_h = 26, trunk_w = 30, text_font = 11.7f, row_gap = 9, trunk_x = 7,
                   aspect = 1.2f;

struct slot {                 /* of a device */
    uint32_t columns, height; /* that it takes with all inside; of a switch: strips above it in its band */
    bool to_gpu, to_nic;      /* it is one or leads to one */
    struct orr_frame at;
};

struct tray {
    uint32_t system; /* of its devices' ids */
    uint32_t gpus;
    int32_t low_rank, high_rank;
    float width, x, y;
};

struct rack {
    struct orr_scene *scene;
    struct slot *slots;
    uint32_t *first, *next; /* [node]: what it contains, in order */
    struct tray *trays;
    uint32_t tray_count, rows;
    uint32_t strips[BAND_COUNT], ports; /* the most rows of switches, of ports below one NIC */
    float tray_w, tray_h, gpu_top, top[BAND_COUNT], cpu_top, bus_bottom;
};

bool orr_rack_fits(const struct orr_scene *scene)
{
    const struct orr_system *system = scene->system;
    if (system->host_count < LEAST_HOSTS || !scene->labels.several_systems || orr_system_count(system, ORR_NVS) > 1)
        return false;
    for (uint32_t i = 0; i < system->node_count; i++) {
        enum orr_node_type type = system->nodes[i].type;
        bool root = scene->labels.parent[i] == ORR_NO_NODE;
        if (scene->labels.drawn_as[i] == i && type != ORR_NVS && root != (type == ORR_CPU))
            return false;
    }
    return true;
}

static enum orr_node_type type_of(const struct rack *rack, uint32_t node)
{
    return rack->scene->system->nodes[node].type;
}

static bool is_port(enum orr_node_type type)
{
    return type == ORR_NET || type == ORR_GIN || type == ORR_RMA;
}

static bool is_switch(enum orr_node_type type)
{
    return !orr_is_gpu(type) && !is_port(type) && type != ORR_NIC && type != ORR_CPU;
}

/* Children that lead to GPUs and to NICs have columns of their own, others stand below one another. */
enum lot { LOT_MIXED, LOT_GPU, LOT_NIC, LOT_COUNT };

static enum lot lot_of(const struct slot *slot)
{
    return slot->to_gpu && slot->to_nic ? LOT_MIXED : slot->to_gpu ? LOT_GPU : LOT_NIC;
}

static void measure(struct rack *rack, uint32_t node)
{
    struct slot *slot = &rack->slots[node];
    enum orr_node_type type = type_of(rack, node);
    uint32_t columns[LOT_COUNT] = {0}, ports = 0;
    slot->to_gpu = orr_is_gpu(type);
    slot->to_nic = type == ORR_NIC || is_port(type);
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE; c = rack->next[c]) {
        const struct slot *inner = &rack->slots[c];
        measure(rack, c);
        slot->to_gpu |= inner->to_gpu;
        slot->to_nic |= inner->to_nic;
        columns[lot_of(inner)] += inner->columns;
        ports += is_port(type_of(rack, c));
    }
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE; c = rack->next[c])
        if (is_switch(type_of(rack, c)) && rack->slots[c].to_gpu == slot->to_gpu &&
            slot->height <= rack->slots[c].height)
            slot->height = rack->slots[c].height + 1;
    slot->columns = columns[LOT_MIXED] + (columns[LOT_GPU] > columns[LOT_NIC] ? columns[LOT_GPU] : columns[LOT_NIC]);
    if (!slot->columns || type == ORR_NIC)
        slot->columns = 1;
    if (type == ORR_NIC && ports > rack->ports)
        rack->ports = ports;
    uint32_t *strips = &rack->strips[slot->to_gpu ? BAND_UPPER : BAND_LOWER];
    if (is_switch(type) && slot->height >= *strips)
        *strips = slot->height + 1;
}

static void place_ports(struct rack *rack, uint32_t nic, const struct tray *tray)
{
    struct slot *slot = &rack->slots[nic];
    bool hangs = rack->slots[rack->scene->labels.parent[nic]].at.y < tray->y + rack->top[BAND_PORT];
    float y = tray->y + rack->top[BAND_PORT], step = port_h + tight;
    slot->at = (struct orr_frame){slot->at.x + inset, hangs ? y : y + step * (float)rack->ports, slot->at.w - 2 * inset,
                                  nic_h};
    y = hangs ? y + nic_h + tight : slot->at.y - step;
    for (uint32_t c = rack->first[nic]; c != ORR_NO_NODE; c = rack->next[c], y += hangs ? step : -step)
        rack->slots[c].at = (struct orr_frame){slot->at.x, y, slot->at.w, port_h};
}

/* Places a device and all inside, from x on. */
static void place(struct rack *rack, uint32_t node, float x, const struct tray *tray)
{
    struct slot *slot = &rack->slots[node];
    enum orr_node_type type = type_of(rack, node);
    const float step = column_w + column_gap;
    slot->at = (struct orr_frame){x, tray->y, (float)slot->columns * step - column_gap, gpu_h};
    if (type == ORR_CPU) {
        slot->at.y += rack->cpu_top;
        slot->at.h = cpu_h;
    } else if (orr_is_gpu(type)) {
        slot->at.y += rack->gpu_top;
    } else if (is_port(type)) {
        slot->at = (struct orr_frame){x + inset, tray->y + rack->top[BAND_PORT], slot->at.w - 2 * inset, port_h};
    } else if (type == ORR_NIC) {
        place_ports(rack, node, tray);
        return;
    } else {
        slot->at.y += rack->top[slot->to_gpu ? BAND_UPPER : BAND_LOWER] + (float)slot->height * (strip_h + tight);
        slot->at.w -= slot->to_gpu ? inset : 0; /* room for a GPU's own wire to its CPU */
        slot->at.h = strip_h;
    }
    float from[LOT_COUNT] = {x, x, x};
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE; c = rack->next[c])
        if (lot_of(&rack->slots[c]) == LOT_MIXED)
            from[LOT_GPU] = from[LOT_NIC] += (float)rack->slots[c].columns * step;
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE; c = rack->next[c]) {
        float *at = &from[lot_of(&rack->slots[c])];
        place(rack, c, *at, tray);
        *at += (float)rack->slots[c].columns * step;
    }
}

static bool gather(struct rack *rack)
{
    struct orr_scene *scene = rack->scene;
    const struct orr_system *system = scene->system;
    uint32_t n = system->node_count;
    struct orr_arena *arena = scene->drawing->arena;
    rack->slots = ORR_NEW(arena, struct slot, n);
    rack->first = ORR_NEW(arena, uint32_t, n);
    rack->next = ORR_NEW(arena, uint32_t, n);
    rack->trays = ORR_NEW(arena, struct tray, orr_system_count(system, ORR_CPU));
    if (!rack->slots || !rack->first || !rack->next || !rack->trays)
        return false;
    memset(rack->first, 0xff, n * sizeof *rack->first);
    memset(rack->next, 0xff, n * sizeof *rack->next);
    for (uint32_t i = n; i-- > 0;) {
        uint32_t parent = scene->labels.parent[i];
        if (parent == ORR_NO_NODE || scene->labels.drawn_as[i] != i)
            continue;
        rack->next[i] = rack->first[parent];
        rack->first[parent] = i;
    }
    for (uint32_t i = system->first[ORR_CPU]; i < system->first[ORR_CPU + 1]; i++) {
        uint32_t t = 0, host = orr_id_system(system->nodes[i].id);
        measure(rack, i);
        while (t < rack->tray_count && rack->trays[t].system != host)
            t++;
        if (t == rack->tray_count)
            rack->trays[rack->tray_count++] = (struct tray){.system = host, .low_rank = INT32_MAX, .high_rank = -1};
        struct tray *tray = &rack->trays[t];
        tray->width +=
            (tray->width > 0 ? cpu_gap : 0) + (float)rack->slots[i].columns * (column_w + column_gap) - column_gap;
        rack->tray_w = fmaxf(rack->tray_w, tray->width + 2 * pad);
    }
    for (uint32_t i = system->first[ORR_GPU]; i < system->first[ORR_GPU + 1]; i++)
        for (uint32_t t = 0; t < rack->tray_count; t++) {
            struct tray *tray = &rack->trays[t];
            int32_t rank = system->nodes[i].gpu.rank;
            if (tray->system != orr_id_system(system->nodes[i].id))
                continue;
            tray->gpus++;
            tray->low_rank = rank < tray->low_rank ? rank : tray->low_rank;
            tray->high_rank = rank > tray->high_rank ? rank : tray->high_rank;
        }
    return true;
}

/* Bands from top to bottom, then the grid: so many columns that the whole is about as wide as a window. */
static void arrange(struct rack *rack)
{
    bool switched = orr_system_count(rack->scene->system, ORR_NVS) > 0;
    rack->gpu_top = title_h + 4 + (switched ? rail_h : 4);
    float y = rack->gpu_top + gpu_h + gap;
    const float strip = strip_h + tight;
    rack->top[BAND_UPPER] = y;
    y += rack->strips[BAND_UPPER] ? (float)rack->strips[BAND_UPPER] * strip + gap - tight : 0;
    rack->top[BAND_PORT] = y;
    y += rack->ports ? (float)rack->ports * (port_h + tight) + nic_h + gap : 0;
    rack->top[BAND_LOWER] = y;
    y += rack->strips[BAND_LOWER] ? (float)rack->strips[BAND_LOWER] * strip + gap - tight : 0;
    rack->cpu_top = y;
    rack->tray_h = y + cpu_h + pad;
    float step_x = rack->tray_w + (switched ? trunk_w : row_gap), step_y = rack->tray_h + row_gap, best = INFINITY;
    rack->rows = 1;
    for (uint32_t columns = 1; columns <= rack->tray_count; columns++) {
        uint32_t down = (rack->tray_count + columns - 1) / columns;
        float off = fabsf(logf((float)columns * step_x / ((float)down * step_y) / aspect));
        if (off < best) {
            best = off;
            rack->rows = down;
        }
    }
    rack->bus_bottom = bus_h;
    for (uint32_t t = 0; t < rack->tray_count; t++) {
        rack->trays[t].x = (switched ? trunk_w : 0) + (float)(t / rack->rows) * step_x;
        rack->trays[t].y = (switched ? bus_h + 10 : 0) + (float)(t % rack->rows) * step_y;
    }
}

/* "GPU 0" and "rank 12" below each other; what says no more than its place in the drawing is small, or nothing. */
static const char *tile_text(const struct rack *rack, uint32_t node, float font, float width)
{
    struct orr_scene *scene = rack->scene;
    const struct orr_node *at = &scene->system->nodes[node];
    const char *mark = scene->labels.uplinks[node].degraded ? "\xe2\x9a\xa0 " : "";
    switch (at->type) {
    case ORR_GPU:
        mark = scene->labels.uplinks[node].few_nvlinks ? "\xe2\x9a\xa0 " : mark;
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

static void add_device(struct rack *rack, uint32_t node, uint32_t box)
{
    struct orr_scene *scene = rack->scene;
    enum orr_node_type type = type_of(rack, node);
    const struct orr_frame *at = &rack->slots[node].at;
    bool fine = at->h < cpu_h; /* its text is for who looks closely */
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

static void add_tray(struct rack *rack, const struct tray *tray, const char *word)
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
    orr_drawing_tile(drawing, &(struct orr_tile){.frame = {tray->x, tray->y, rack->tray_w, title_h},
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
        place(rack, i, x, tray);
        x += rack->slots[i].at.w + cpu_gap;
        add_device(rack, i, box);
    }
}

static const struct tray *tray_of(const struct rack *rack, uint32_t node)
{
    uint32_t t = 0;
    while (t + 1 < rack->tray_count && rack->trays[t].system != orr_id_system(rack->scene->system->nodes[node].id))
        t++;
    return &rack->trays[t];
}

/* Up from a GPU to the rail of its tray, along it to the trunk at the left of the trays, up to the bar. */
static void add_fabric_wire(struct rack *rack, uint32_t link)
{
    const struct orr_link *at = &rack->scene->system->links[link];
    uint32_t gpu = orr_is_gpu(type_of(rack, at->from)) ? at->from : at->to;
    const struct orr_frame *tile = &rack->slots[gpu].at;
    const struct tray *tray = tray_of(rack, gpu);
    float x = tile->x + tile->w / 2, rail = tile->y - rail_h / 2, trunk = tray->x - trunk_x;
    bool odd = orr_label_degraded(&rack->scene->labels, link) != ORR_NO_NODE;
    const char *label = odd ? orr_label_link(&rack->scene->labels, link, 9, tile->w) : NULL;
    orr_scene_wire(rack->scene, link,
                   (struct orr_point[]){{x, tile->y}, {x, rail}, {trunk, rail}, {trunk, rack->bus_bottom}}, 4, label,
                   (struct orr_point){x, rail});
}

/* Straight down, at the left of what stands between, or from the middle. */
static void add_drop(struct rack *rack, uint32_t link, uint32_t child, uint32_t parent)
{
    const struct orr_frame *a = &rack->slots[child].at, *b = &rack->slots[parent].at;
    bool passes = type_of(rack, parent) == ORR_CPU
                      ? rack->slots[child].to_gpu
                      : rack->slots[parent].to_gpu && !rack->slots[child].to_gpu && is_switch(type_of(rack, child));
    float x = passes ? a->x + lane : a->x + a->w / 2;
    const struct orr_frame *above = a->y < b->y ? a : b, *below = a->y < b->y ? b : a;
    orr_scene_wire(rack->scene, link, (struct orr_point[]){{x, above->y + above->h}, {x, below->y}}, 2, NULL,
                   (struct orr_point){0, 0});
}

static void add_wires(struct rack *rack)
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

/* "NVLink 722, C2C 224, PCIe 3 to 48": what links of each kind have, where they differ the least and the most. */
static const char *link_figures(const struct rack *rack)
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
static bool rails_alike(const struct rack *rack)
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
    struct rack rack = {.scene = scene};
    struct orr_drawing *drawing = scene->drawing;
    if (!gather(&rack)) {
        drawing->failed = true;
        return ORR_OK;
    }
    arrange(&rack);
    const char *word = has_c2c(scene->system) ? "Tray" : "Host"; /* as machines with Grace are called */
    float right = 0;
    for (uint32_t t = 0; t < rack.tray_count; t++)
        right = fmaxf(right, rack.trays[t].x + rack.tray_w);
    drawing->title = orr_drawing_text(drawing, "%s: %s", orr_scene_caption(scene, analysis), link_figures(&rack));
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, 0, -22, text_font, drawing->title);
    if (orr_system_count(scene->system, ORR_NVS)) {
        uint32_t nvs = scene->system->first[ORR_NVS];
        rack.slots[nvs].at = (struct orr_frame){0, 0, right, bus_h};
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
