/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/tree_layout.h"

#include <math.h>
#include <stdlib.h>

#include "engine/base/sorting.h"

const float orr_link_font = 8.5f, orr_tile_font = 10;

/* Points. */
static const float gpu_w = 112, gpu_h = 34, net_w = 108, net_h = 30, other_w = 100;
static const float cpu_head = 34, head = 22;    /* heights of the tiles of containers */
static const float pad = 7;                     /* inside a box */
static const float link_row = 17, port_row = 9; /* above each child, for the link and its label */
static const float by_cpu_row = 14;             /* above a GPU, for the label of its link to the CPU */
static const float indent = 14;                 /* of the members of a column of several */
static const float gap = 10, root_gap = 26;
static const float one_row_width = 1240, good_ratio = 1.7f;

struct sibling {
    uint32_t node;
    bool has_gpu;
    int64_t id;
};

ORR_COMPARATOR(compare_siblings, struct sibling, ORR_ORDER(b->has_gpu, a->has_gpu), ORR_ORDER(a->id, b->id),
               ORR_ORDER(a->node, b->node))

static enum orr_node_type type_of(const struct orr_tree_layout *layout, uint32_t node)
{
    return layout->labels->system->nodes[node].type;
}

bool orr_tree_is_box(const struct orr_tree_layout *layout, uint32_t node)
{
    return layout->spots[node].child_count || type_of(layout, node) == ORR_CPU;
}

/* Marks nodes that contain GPUs, and those GPUs with a link to their CPU in addition to the one from their
 * container. */
static void mark(struct orr_tree_layout *layout)
{
    const struct orr_labels *labels = layout->labels;
    const struct orr_system *system = labels->system;
    for (uint32_t i = system->first[ORR_GPU]; i < system->first[ORR_GPU + 1]; i++) {
        bool by_cpu = false;
        const struct orr_node *gpu = &system->nodes[i];
        for (uint32_t k = 0; k < gpu->link_count; k++) {
            uint32_t link = gpu->first_link + k;
            if (system->nodes[system->links[link].to].type == ORR_CPU && link != labels->uplinks[i].link)
                by_cpu = true;
        }
        for (uint32_t at = i; at != ORR_NO_NODE; at = labels->parent[at]) {
            layout->spots[at].has_gpu = true;
            if (type_of(layout, at) != ORR_CPU)
                layout->spots[at].by_cpu |= by_cpu;
        }
    }
}

static bool make_lists(struct orr_tree_layout *layout)
{
    const struct orr_labels *labels = layout->labels;
    const struct orr_system *system = labels->system;
    uint32_t count = system->node_count, used = 0;
    struct sibling *all = ORR_NEW(labels->drawing->arena, struct sibling, count);
    layout->roots = ORR_NEW(labels->drawing->arena, uint32_t, count);
    if (!all || !layout->roots)
        return false;
    for (uint32_t i = 0; i < count; i++)
        if (system->nodes[i].type != ORR_NVS && labels->drawn_as[i] == i)
            all[used++] = (struct sibling){i, layout->spots[i].has_gpu, system->nodes[i].id};
    qsort(all, used, sizeof *all, compare_siblings);
    for (uint32_t k = used; k-- > 0;) { /* from the last, so that each list is in order */
        uint32_t node = all[k].node, parent = labels->parent[node];
        if (parent == ORR_NO_NODE)
            continue;
        layout->spots[node].next = layout->spots[parent].first_child;
        layout->spots[parent].first_child = node;
        layout->spots[parent].child_count++;
    }
    for (uint32_t i = system->first[ORR_CPU]; i < system->first[ORR_CPU + 1]; i++)
        all[layout->root_count++] = (struct sibling){i, true, system->nodes[i].id};
    qsort(all, layout->root_count, sizeof *all, compare_siblings);
    for (uint32_t k = 0; k < layout->root_count; k++)
        layout->roots[k] = all[k].node;
    for (uint32_t i = 0; i < count; i++) /* islands last */
        if (system->nodes[i].type != ORR_CPU && system->nodes[i].type != ORR_NVS && labels->drawn_as[i] == i &&
            labels->parent[i] == ORR_NO_NODE)
            layout->roots[layout->root_count++] = i;
    return true;
}

/* Each child with GPUs has a column of its own; a switch puts its NICs above its GPUs, turn by turn, a NUMA node beside
 * them, in columns about as high as those with GPUs. */
static void choose_columns(struct orr_tree_layout *layout, uint32_t node)
{
    struct orr_spot *spot = &layout->spots[node];
    uint32_t with_gpu = 0, others = 0;
    float highest = 0, sum = 0;
    for (uint32_t c = spot->first_child; c != ORR_NO_NODE; c = layout->spots[c].next) {
        if (layout->spots[c].has_gpu)
            with_gpu++;
        else
            others++;
        highest = fmaxf(highest, layout->spots[c].h);
        if (!layout->spots[c].has_gpu)
            sum += layout->spots[c].h + link_row;
    }
    bool above = with_gpu && type_of(layout, node) != ORR_CPU && others <= 3 * with_gpu;
    uint32_t beside = 0;
    if (others && !above) {
        float room = fmaxf(highest + link_row, type_of(layout, node) == ORR_NIC ? 2 * (net_h + port_row) : 150);
        beside = (uint32_t)ceilf(sum / room);
        beside = beside > others ? others : beside ? beside : 1;
    }
    uint32_t gpus = 0, rest = 0, each = beside ? (others + beside - 1) / beside : 1;
    for (uint32_t c = spot->first_child; c != ORR_NO_NODE; c = layout->spots[c].next) {
        struct orr_spot *child = &layout->spots[c];
        if (child->has_gpu)
            child->column = gpus++;
        else if (above)
            child->column = rest++ % with_gpu;
        else
            child->column = with_gpu + rest++ / each;
    }
    spot->columns = above ? with_gpu : with_gpu + (others ? (others + each - 1) / each : 0);
}

struct column {
    uint32_t count;
    float w, h;
};

static float row_above(const struct orr_tree_layout *layout, uint32_t parent)
{
    return type_of(layout, parent) == ORR_NIC ? port_row : link_row;
}

/* The columns of a container, from the arena; NULL if memory ran out. */
static struct column *measure(struct orr_tree_layout *layout, uint32_t node)
{
    struct orr_spot *spot = &layout->spots[node];
    struct column *columns = ORR_NEW(layout->labels->drawing->arena, struct column, spot->columns);
    if (!columns) {
        layout->labels->drawing->failed = true;
        return NULL;
    }
    for (uint32_t c = spot->first_child; c != ORR_NO_NODE; c = layout->spots[c].next) {
        struct column *column = &columns[layout->spots[c].column];
        column->count++;
        column->w = fmaxf(column->w, layout->spots[c].w);
        column->h += layout->spots[c].h + row_above(layout, node);
    }
    for (uint32_t k = 0; k < spot->columns; k++)
        if (columns[k].count > 1)
            columns[k].w += indent;
    for (uint32_t c = spot->first_child; c != ORR_NO_NODE; c = layout->spots[c].next)
        layout->spots[c].alone = columns[layout->spots[c].column].count == 1;
    return columns;
}

static void size(struct orr_tree_layout *layout, uint32_t node)
{
    struct orr_spot *spot = &layout->spots[node];
    enum orr_node_type type = type_of(layout, node);
    for (uint32_t c = spot->first_child; c != ORR_NO_NODE; c = layout->spots[c].next)
        size(layout, c);
    if (!orr_tree_is_box(layout, node)) {
        spot->w = type == ORR_GPU ? gpu_w : type == ORR_NET ? net_w : other_w;
        spot->h = type == ORR_GPU ? gpu_h + (spot->by_cpu ? by_cpu_row : 0) : type == ORR_NET ? net_h : head;
        return;
    }
    choose_columns(layout, node);
    struct column *columns = measure(layout, node);
    if (!columns)
        return;
    float w = spot->columns ? gap * (float)(spot->columns - 1) : 0, h = 0;
    for (uint32_t k = 0; k < spot->columns; k++) {
        w += columns[k].w;
        h = fmaxf(h, columns[k].h);
    }
    spot->w = 2 * pad + fmaxf(w, type == ORR_CPU ? 116 : other_w);
    spot->h = 2 * pad + (type == ORR_CPU ? cpu_head : head) + h;
}

static void place(struct orr_tree_layout *layout, uint32_t node, struct orr_frame frame)
{
    struct orr_spot *spot = &layout->spots[node];
    enum orr_node_type type = type_of(layout, node);
    if (!orr_tree_is_box(layout, node)) {
        float h = type == ORR_GPU ? gpu_h : spot->h;
        spot->tile = (struct orr_frame){frame.x, spot->has_gpu ? frame.y + frame.h - h : frame.y, frame.w, h};
        return;
    }
    float top = type == ORR_CPU ? cpu_head : head;
    /* The wire to the CPU of a GPU inside passes to the right of the tile. */
    float passage = spot->by_cpu && type != ORR_GPU ? 20 : 0;
    spot->box = frame;
    spot->tile = (struct orr_frame){frame.x + pad, frame.y + pad, frame.w - 2 * pad - passage, top};
    struct column *columns = measure(layout, node);
    float *x = ORR_NEW(layout->labels->drawing->arena, float, 2 * (size_t)spot->columns + 1);
    if (!columns || !x) {
        layout->labels->drawing->failed = true;
        return;
    }
    float *y = x + spot->columns, extra = (frame.w - 2 * pad) - (spot->columns ? gap * (float)(spot->columns - 1) : 0);
    for (uint32_t k = 0; k < spot->columns; k++)
        extra -= columns[k].w;
    extra = spot->columns ? fmaxf(0, extra) / (float)spot->columns : 0;
    float at = frame.x + pad, bottom = frame.y + frame.h - pad;
    for (uint32_t k = 0; k < spot->columns; k++) {
        x[k] = at;
        y[k] = frame.y + pad + top;
        columns[k].w += extra;
        at += columns[k].w + gap;
    }
    /* Children without GPUs first: those with GPUs are at the bottom of their column. */
    for (int gpus = 0; gpus < 2; gpus++)
        for (uint32_t c = spot->first_child; c != ORR_NO_NODE; c = layout->spots[c].next) {
            struct orr_spot *child = &layout->spots[c];
            uint32_t k = child->column;
            if (child->has_gpu != (gpus == 1))
                continue;
            y[k] += row_above(layout, node);
            struct orr_frame inside = {x[k], y[k], columns[k].w, child->h};
            if (child->alone) {
                child->lane = x[k] + 14;
                if (child->has_gpu)
                    inside.h = bottom - y[k];
            } else {
                child->lane = x[k] + 5;
                inside.x += indent;
                inside.w -= indent;
                if (child->has_gpu)
                    inside.y = bottom - child->h;
            }
            place(layout, c, inside);
            y[k] += child->h;
        }
}

/* Width of the roots of one host from `first` on, all of one row; a picture of one host breaks anywhere. */
static float unit_width(const struct orr_tree_layout *layout, uint32_t first)
{
    const struct orr_labels *labels = layout->labels;
    float width = 0;
    for (uint32_t k = first; k < layout->root_count; k++) {
        if (k > first &&
            (!labels->several_systems || orr_id_system(labels->system->nodes[layout->roots[k]].id) !=
                                             orr_id_system(labels->system->nodes[layout->roots[first]].id)))
            break;
        width += layout->spots[layout->roots[k]].w + (k > first ? root_gap : 0);
    }
    return width;
}

/* Does a root begin another host than the root before it (or is there only one host, so that rows break anywhere)? */
static bool begins_unit(const struct orr_tree_layout *layout, uint32_t k)
{
    const struct orr_labels *labels = layout->labels;
    return !k || !labels->several_systems ||
           orr_id_system(labels->system->nodes[layout->roots[k]].id) !=
               orr_id_system(labels->system->nodes[layout->roots[k - 1]].id);
}

/* Breaks the roots into rows no wider than `limit`; hosts stay whole if they fit. */
static uint32_t break_rows(struct orr_tree_layout *layout, float limit, float *ret_width, float *ret_height)
{
    uint32_t row = 0;
    float x = 0, height = 0, widest = 0, sum = 0;
    for (uint32_t k = 0; k < layout->root_count; k++) {
        struct orr_spot *spot = &layout->spots[layout->roots[k]];
        bool unit = begins_unit(layout, k);
        if (x > 0 && (x + spot->w > limit + 0.5f || (unit && x + unit_width(layout, k) > limit + 0.5f))) {
            row++;
            x = 0;
            sum += height + 60;
            height = 0;
        }
        spot->row = row;
        x += spot->w + root_gap;
        widest = fmaxf(widest, x - root_gap);
        height = fmaxf(height, spot->h);
    }
    *ret_width = widest;
    *ret_height = sum + height;
    return row + 1;
}

static void choose_rows(struct orr_tree_layout *layout)
{
    float width, height, total = 0, widest = 0, best = INFINITY, chosen;
    for (uint32_t k = 0; k < layout->root_count; k++) {
        total += layout->spots[layout->roots[k]].w + root_gap;
        if (begins_unit(layout, k))
            widest = fmaxf(widest, unit_width(layout, k));
    }
    chosen = total;
    for (uint32_t rows = 1; rows <= layout->root_count && rows <= 40 && total > one_row_width; rows++) {
        float limit = fmaxf(widest, total / (float)rows);
        break_rows(layout, limit, &width, &height);
        float ratio = width / height / good_ratio, off = ratio > 1 ? ratio : 1 / ratio;
        if (off < best) {
            best = off;
            chosen = limit;
        }
    }
    layout->row_count = break_rows(layout, chosen, &layout->width, &height);
}

void orr_tree_layout(struct orr_tree_layout *layout, const struct orr_labels *labels)
{
    struct orr_arena *arena = labels->drawing->arena;
    const struct orr_system *system = labels->system;
    *layout = (struct orr_tree_layout){.labels = labels, .spots = ORR_NEW(arena, struct orr_spot, system->node_count)};
    if (labels->drawing->failed || !layout->spots) {
        labels->drawing->failed = true;
        return;
    }
    for (uint32_t i = 0; i < system->node_count; i++)
        layout->spots[i].first_child = layout->spots[i].next = ORR_NO_NODE;
    mark(layout);
    if (!make_lists(layout)) {
        labels->drawing->failed = true;
        return;
    }
    for (uint32_t k = 0; k < layout->root_count; k++)
        size(layout, layout->roots[k]);
    choose_rows(layout);
    layout->row_height = ORR_NEW(arena, float, layout->row_count);
    layout->tops = ORR_NEW(arena, float, layout->row_count);
    if (!layout->row_height || !layout->tops) {
        labels->drawing->failed = true;
        return;
    }
    for (uint32_t k = 0; k < layout->root_count; k++) {
        const struct orr_spot *spot = &layout->spots[layout->roots[k]];
        layout->row_height[spot->row] = fmaxf(layout->row_height[spot->row], spot->h);
    }
    float x = 0;
    for (uint32_t k = 0; k < layout->root_count; k++) {
        struct orr_spot *spot = &layout->spots[layout->roots[k]];
        if (k && layout->spots[layout->roots[k - 1]].row != spot->row)
            x = 0;
        place(layout, layout->roots[k], (struct orr_frame){x, 0, spot->w, layout->row_height[spot->row]});
        x += spot->w + root_gap;
    }
}

uint32_t orr_tree_row(const struct orr_tree_layout *layout, uint32_t node)
{
    while (layout->labels->parent[node] != ORR_NO_NODE)
        node = layout->labels->parent[node];
    return layout->spots[node].row;
}
