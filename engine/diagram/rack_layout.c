/* SPDX-License-Identifier: Apache-2.0 */
/* The places inside a tray follow the tree of devices: a CPU's branches are side by side, in each the GPUs on top,
 * below them the switches that lead to GPUs, then ports and their NICs, then switches that lead to NICs alone. The CPU
 * is a strip below all, so a wire goes down from each device, beside the ports if it must pass them. */
#include <math.h>
#include <string.h>

#include "engine/diagram/rack.h"

enum { LEAST_HOSTS = 3 };

static const float column_w = 68, column_gap = 4, inset = 8;
static const float gpu_h = 30, strip_h = 11, port_h = 16, nic_h = 9;
static const float gap = 7, tight = 2, pad = 6, trunk_w = 30, row_gap = 9, aspect = 1.2f;
const float orr_rack_title_h = 15, orr_rack_rail_h = 10, orr_rack_cpu_h = 15, orr_rack_bus_h = 26,
            orr_rack_cpu_gap = 12;

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

static bool is_port(enum orr_node_type type)
{
    return type == ORR_NET || type == ORR_GIN || type == ORR_RMA;
}

bool orr_rack_is_switch(enum orr_node_type type)
{
    return !orr_is_gpu(type) && !is_port(type) && type != ORR_NIC && type != ORR_CPU;
}

/* Children that lead to GPUs and to NICs have columns of their own, others are below one another. */
enum lot { LOT_MIXED, LOT_GPU, LOT_NIC, LOT_COUNT };

static enum lot lot_of(const struct orr_tray_slot *slot)
{
    return slot->to_gpu && slot->to_nic ? LOT_MIXED : slot->to_gpu ? LOT_GPU : LOT_NIC;
}

static void measure(struct orr_rack *rack, uint32_t node)
{
    struct orr_tray_slot *slot = &rack->slots[node];
    enum orr_node_type type = orr_rack_type(rack, node);
    uint32_t columns[LOT_COUNT] = {0}, ports = 0;
    slot->to_gpu = orr_is_gpu(type);
    slot->to_nic = type == ORR_NIC || is_port(type);
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE; c = rack->next[c]) {
        const struct orr_tray_slot *inner = &rack->slots[c];
        measure(rack, c);
        slot->to_gpu |= inner->to_gpu;
        slot->to_nic |= inner->to_nic;
        columns[lot_of(inner)] += inner->columns;
        ports += is_port(orr_rack_type(rack, c));
    }
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE; c = rack->next[c])
        if (orr_rack_is_switch(orr_rack_type(rack, c)) && rack->slots[c].to_gpu == slot->to_gpu &&
            slot->height <= rack->slots[c].height)
            slot->height = rack->slots[c].height + 1;
    slot->columns = columns[LOT_MIXED] + (columns[LOT_GPU] > columns[LOT_NIC] ? columns[LOT_GPU] : columns[LOT_NIC]);
    if (!slot->columns || type == ORR_NIC)
        slot->columns = 1;
    if (type == ORR_NIC && ports > rack->ports)
        rack->ports = ports;
    if (is_port(type) && !rack->ports) /* one without a NIC takes the room too */
        rack->ports = 1;
    uint32_t *strips = &rack->strips[slot->to_gpu ? ORR_BAND_UPPER : ORR_BAND_LOWER];
    if (orr_rack_is_switch(type) && slot->height >= *strips)
        *strips = slot->height + 1;
}

static void place_ports(struct orr_rack *rack, uint32_t nic, const struct orr_tray *tray)
{
    struct orr_tray_slot *slot = &rack->slots[nic];
    bool hangs = rack->slots[rack->scene->labels.parent[nic]].at.y < tray->y + rack->top[ORR_BAND_PORT];
    float y = tray->y + rack->top[ORR_BAND_PORT], step = port_h + tight;
    slot->at = (struct orr_frame){slot->at.x + inset, hangs ? y : y + step * (float)rack->ports, slot->at.w - 2 * inset,
                                  nic_h};
    y = hangs ? y + nic_h + tight : slot->at.y - step;
    for (uint32_t c = rack->first[nic]; c != ORR_NO_NODE; c = rack->next[c], y += hangs ? step : -step)
        rack->slots[c].at = (struct orr_frame){slot->at.x, y, slot->at.w, port_h};
}

void orr_tray_place(struct orr_rack *rack, uint32_t node, float x, const struct orr_tray *tray)
{
    struct orr_tray_slot *slot = &rack->slots[node];
    enum orr_node_type type = orr_rack_type(rack, node);
    const float step = column_w + column_gap;
    slot->at = (struct orr_frame){x, tray->y, (float)slot->columns * step - column_gap, gpu_h};
    if (type == ORR_CPU) {
        slot->at.y += rack->cpu_top;
        slot->at.h = orr_rack_cpu_h;
    } else if (orr_is_gpu(type)) {
        slot->at.y += rack->gpu_top;
    } else if (is_port(type)) {
        slot->at = (struct orr_frame){x + inset, tray->y + rack->top[ORR_BAND_PORT], slot->at.w - 2 * inset, port_h};
    } else if (type == ORR_NIC) {
        place_ports(rack, node, tray);
        return;
    } else {
        slot->at.y +=
            rack->top[slot->to_gpu ? ORR_BAND_UPPER : ORR_BAND_LOWER] + (float)slot->height * (strip_h + tight);
        slot->at.w -= slot->to_gpu ? inset : 0; /* room for a GPU's own wire to its CPU */
        slot->at.h = strip_h;
    }
    float from[LOT_COUNT] = {x, x, x};
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE; c = rack->next[c])
        if (lot_of(&rack->slots[c]) == LOT_MIXED)
            from[LOT_GPU] = from[LOT_NIC] += (float)rack->slots[c].columns * step;
    for (uint32_t c = rack->first[node]; c != ORR_NO_NODE; c = rack->next[c]) {
        float *at = &from[lot_of(&rack->slots[c])];
        orr_tray_place(rack, c, *at, tray);
        *at += (float)rack->slots[c].columns * step;
    }
}

bool orr_rack_gather(struct orr_rack *rack)
{
    struct orr_scene *scene = rack->scene;
    const struct orr_system *system = scene->system;
    uint32_t n = system->node_count;
    struct orr_arena *arena = scene->drawing->arena;
    rack->slots = ORR_NEW(arena, struct orr_tray_slot, n);
    rack->first = ORR_NEW(arena, uint32_t, n);
    rack->next = ORR_NEW(arena, uint32_t, n);
    rack->trays = ORR_NEW(arena, struct orr_tray, orr_system_count(system, ORR_CPU));
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
            rack->trays[rack->tray_count++] = (struct orr_tray){.system = host, .low_rank = INT32_MAX, .high_rank = -1};
        struct orr_tray *tray = &rack->trays[t];
        tray->width += (tray->width > 0 ? orr_rack_cpu_gap : 0) +
                       (float)rack->slots[i].columns * (column_w + column_gap) - column_gap;
        rack->tray_w = fmaxf(rack->tray_w, tray->width + 2 * pad);
    }
    for (uint32_t i = system->first[ORR_GPU]; i < system->first[ORR_GPU + 1]; i++)
        for (uint32_t t = 0; t < rack->tray_count; t++) {
            struct orr_tray *tray = &rack->trays[t];
            int32_t rank = system->nodes[i].gpu.rank;
            if (tray->system != orr_id_system(system->nodes[i].id))
                continue;
            tray->gpus++;
            tray->low_rank = rank < tray->low_rank ? rank : tray->low_rank;
            tray->high_rank = rank > tray->high_rank ? rank : tray->high_rank;
        }
    return true;
}

void orr_rack_arrange(struct orr_rack *rack)
{
    bool switched = orr_system_count(rack->scene->system, ORR_NVS) > 0;
    rack->gpu_top = orr_rack_title_h + 4 + (switched ? orr_rack_rail_h : 4);
    float y = rack->gpu_top + gpu_h + gap;
    const float strip = strip_h + tight;
    rack->top[ORR_BAND_UPPER] = y;
    y += rack->strips[ORR_BAND_UPPER] ? (float)rack->strips[ORR_BAND_UPPER] * strip + gap - tight : 0;
    rack->top[ORR_BAND_PORT] = y;
    y += rack->ports ? (float)rack->ports * (port_h + tight) + nic_h + gap : 0;
    rack->top[ORR_BAND_LOWER] = y;
    y += rack->strips[ORR_BAND_LOWER] ? (float)rack->strips[ORR_BAND_LOWER] * strip + gap - tight : 0;
    rack->cpu_top = y;
    rack->tray_h = y + orr_rack_cpu_h + pad;
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
    rack->bus_bottom = orr_rack_bus_h;
    for (uint32_t t = 0; t < rack->tray_count; t++) {
        uint32_t column = t / rack->rows, row = t % rack->rows;
        rack->trays[t].x = (switched ? trunk_w : 0) + (float)column * step_x;
        rack->trays[t].y = (switched ? orr_rack_bus_h + 10 : 0) + (float)row * step_y;
    }
}
