/* SPDX-License-Identifier: Apache-2.0 */
/* Matches dumps in which something is missing, added or moved: from the top down, the devices inside a pair are paired
 * by ever fewer traits; the rest are looked for elsewhere. */
#include <stdlib.h>

#include "engine/base/sorting.h"
#include "engine/compare/match.h"

/* The traits by which siblings are paired, in turn. */
static uint64_t trait(const struct orr_devices *devices, uint32_t device, int level)
{
    const struct orr_device *d = &devices->rows[device];
    uint64_t content = orr_mix(d->kind, d->ranks_below != 0); /* whether GPUs that take part are inside */
    switch (level) {
    case 0: /* equal in everything, including ranks */
        return orr_mix(d->hardware_below, d->ranks_below);
    case 1: /* in its shape, with the same ranks */
        return orr_mix(d->shape_below, d->ranks_below);
    case 2: /* the same ranks */
        return d->ranks_below ? orr_mix(d->kind, d->ranks_below) : 0;
    case 3: /* equal in everything but ranks */
        return orr_mix(d->hardware_below, 3);
    case 4:
        return orr_mix(d->shape_below, content);
    case 5: /* equal itself, regardless of its contents */
        return orr_mix(d->hardware, content);
    case 6:
        return content;
    default:
        return orr_mix(d->kind, 99);
    }
}
enum { LEVELS = 8, MOVED_LEVELS = 4 };

struct spot {
    uint64_t key;
    int64_t order;
    uint32_t device;
};

struct queue {
    struct spot *a, *b;
    uint32_t *waiting; /* devices of a whose children must be paired */
    uint32_t head, tail;
};

ORR_COMPARATOR(compare_spots, struct spot, ORR_ORDER(a->key, b->key), ORR_ORDER(a->order, b->order),
               ORR_ORDER(a->device, b->device))

static void put_spot(struct spot *spots, uint32_t *count, const struct orr_devices *devices, uint32_t device, int level)
{
    uint64_t key = trait(devices, device, level);
    if (key)
        spots[(*count)++] = (struct spot){key, devices->rows[device].order, device};
}

/* Pairs devices with equal keys, in order. */
static void pair_equal(struct orr_match *match, struct queue *q, uint32_t count_a, uint32_t count_b)
{
    qsort(q->a, count_a, sizeof *q->a, compare_spots);
    qsort(q->b, count_b, sizeof *q->b, compare_spots);
    for (uint32_t i = 0, j = 0; i < count_a && j < count_b;) {
        if (q->a[i].key != q->b[j].key) {
            if (q->a[i].key < q->b[j].key)
                i++;
            else
                j++;
            continue;
        }
        q->waiting[q->tail++] = q->a[i].device;
        orr_match_pair(match, q->a[i++].device, q->b[j++].device);
    }
}

static void pair_children(struct orr_match *match, struct queue *q, uint32_t a)
{
    const struct orr_device *in_a = &match->a->rows[a], *in_b = &match->b->rows[match->to_b[a]];
    for (int level = 0; level < LEVELS; level++) {
        uint32_t count_a = 0, count_b = 0;
        for (uint32_t c = 0; c < in_a->child_count; c++) {
            uint32_t device = match->a->children[in_a->first_child + c];
            if (match->to_b[device] == ORR_NO_DEVICE)
                put_spot(q->a, &count_a, match->a, device, level);
        }
        for (uint32_t c = 0; c < in_b->child_count; c++) {
            uint32_t device = match->b->children[in_b->first_child + c];
            if (match->to_a[device] == ORR_NO_DEVICE)
                put_spot(q->b, &count_b, match->b, device, level);
        }
        if (!count_a || !count_b)
            continue;
        pair_equal(match, q, count_a, count_b);
    }
}

static void pair_waiting(struct orr_match *match, struct queue *q)
{
    while (q->head < q->tail)
        pair_children(match, q, q->waiting[q->head++]);
}

/* Pairs GPUs, ports and CPUs that are elsewhere on the other side; bridges are not looked for. Cards come first, so
 * that their contents follow. */
static void pair_moved(struct orr_match *match, struct queue *q)
{
    static const enum orr_device_kind kinds[] = {ORR_DEVICE_CPU, ORR_DEVICE_GPU_CARD, ORR_DEVICE_NIC_CARD,
                                                 ORR_DEVICE_GPU, ORR_DEVICE_NIC,      ORR_DEVICE_NET};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (int level = 0; level < MOVED_LEVELS; level++) {
            uint32_t count_a = 0, count_b = 0;
            for (uint32_t i = 0; i < match->a->count; i++)
                if (match->a->rows[i].kind == kinds[k] && match->to_b[i] == ORR_NO_DEVICE)
                    put_spot(q->a, &count_a, match->a, i, level);
            for (uint32_t i = 0; i < match->b->count; i++)
                if (match->b->rows[i].kind == kinds[k] && match->to_a[i] == ORR_NO_DEVICE)
                    put_spot(q->b, &count_b, match->b, i, level);
            if (count_a && count_b)
                pair_equal(match, q, count_a, count_b);
            pair_waiting(match, q);
        }
}

enum orr_code orr_match_parts(struct orr_match *match, struct orr_arena *arena, struct orr_error *err)
{
    struct queue q = {.a = ORR_NEW(arena, struct spot, match->a->count),
                      .b = ORR_NEW(arena, struct spot, match->b->count),
                      .waiting = ORR_NEW(arena, uint32_t, match->a->count)};
    ORR_NEED(q.a && q.b && q.waiting, err);
    orr_match_pair(match, 0, 0);
    for (uint32_t i = 0; i < match->a->count; i++)
        if (match->to_b[i] != ORR_NO_DEVICE)
            q.waiting[q.tail++] = i;
    pair_waiting(match, &q);
    pair_moved(match, &q);
    return ORR_OK;
}
