/* SPDX-License-Identifier: Apache-2.0 */
/* One ring of a channel, clockwise on an ellipse: each rank, and where the ring leaves and enters a host the NICs that
 * it takes. Shows up to ORR_RING_RANKS ranks like this; larger rings show hosts or trays (view_stations.c). */
#include <math.h>

#include "engine/diagram/places.h"
#include "engine/diagram/stations.h"
#include "engine/diagram/view.h"

enum { ORR_RING_RANKS = 40 };

struct ring {
    struct orr_cast cast;
    const struct orr_communicator *all;
    struct orr_actor *actors;
    uint32_t count;
    int32_t channel;
};

/* Adds the entry or exit NET (which: 0, 1) of a system's row. */
static void add_net(struct ring *ring, int32_t rank, int32_t row, int which)
{
    if (row < 0)
        return;
    const int64_t *nets = orr_cast_part(&ring->cast, rank)->contribution.graphs[ORR_GRAPH_RING].nets[row];
    ring->actors[ring->count++] =
        (struct orr_actor){.rank = rank, .is_net = true, .net = nets[which], .again = which && nets[0] == nets[1]};
}

static bool gather(struct ring *ring)
{
    uint32_t n = ring->all->rank_count;
    const int32_t *order = orr_cast_ring(&ring->cast, ring->channel), *node = ring->all->node_of_rank;
    ring->actors = ORR_NEW(ring->cast.drawing->arena, struct orr_actor, 3 * (size_t)n);
    if (!ring->actors || !order)
        return false;
    uint32_t start = 0; /* where the ring enters the system of rank 0 */
    while (start < n && node[order[(n - start) % n]] == node[order[0]])
        start++;
    start = start >= n ? 0 : (n + 1 - start) % n;
    int32_t row = -1;
    for (uint32_t k = 0; k < n; k++) {
        int32_t rank = order[(start + k) % n], next = order[(start + k + 1) % n], last = order[(start + k + n - 1) % n];
        if (node[last] != node[rank]) {
            uint32_t end = k;
            while (node[order[(start + end + 1) % n]] == node[rank])
                end++;
            row = orr_cast_row(&ring->cast, ring->channel, rank, order[(start + end) % n]);
            add_net(ring, rank, row, 0);
        }
        ring->actors[ring->count++] = (struct orr_actor){.rank = rank};
        if (node[next] != node[rank])
            add_net(ring, rank, row, 1);
    }
    return true;
}

enum orr_code orr_view_ring(const struct orr_analysis *analysis, int32_t channel, struct orr_drawing *drawing,
                            struct orr_error *err)
{
    const struct orr_communicator *all = &analysis->communicator;
    if (channel < 0 || channel >= all->channel_count)
        return orr_fail(err, ORR_NOT_FOUND, "there is no channel %d: the communicator has %d, counted from 0", channel,
                        all->channel_count);
    struct ring ring = {.all = all, .channel = channel};
    orr_cast_init(&ring.cast, analysis, drawing);
    if (!drawing->failed && all->rank_count > ORR_RING_RANKS && orr_cast_places(&ring.cast) > 1)
        return orr_view_stations(&ring.cast, channel, err);
    if (drawing->failed || !gather(&ring)) {
        drawing->failed = true;
        return ORR_OK;
    }
    uint32_t n = ring.count;
    if (n > ORR_DRAWN_NODES_MAX)
        return orr_fail(err, ORR_LIMIT, "the ring has %u stations, and a picture shows at most %d", n,
                        ORR_DRAWN_NODES_MAX);
    struct orr_point *at = ORR_NEW(drawing->arena, struct orr_point, n);
    struct orr_hop *hops = ORR_NEW(drawing->arena, struct orr_hop, n);
    if (!at || !hops) {
        drawing->failed = true;
        return ORR_OK;
    }
    bool many = n > 24;
    const float w = many ? 92 : 108, h = 32, font = many ? 9 : 10;
    float mean = (float)n * (many ? 116 : 156) / 6.2832f, ry = fmaxf(mean / 1.335f, n > 2 ? 110 : 60);
    orr_spread(at, n, n == 1 ? 0 : fmaxf(1.6f * ry, 190), ry);
    for (uint32_t k = 0; k < n; k++)
        orr_cast_tile(&ring.cast, &ring.actors[k], at[k], w, h, font);
    float least = INFINITY, most = 0;
    for (uint32_t k = 0; n > 1 && k < n; k++) {
        const struct orr_actor *from = &ring.actors[k], *to = &ring.actors[(k + 1) % n];
        hops[k] = orr_cast_hop(&ring.cast, from, to);
        if (hops[k].bw > 0) {
            least = fminf(least, hops[k].bw);
            most = fmaxf(most, hops[k].bw);
        }
    }
    for (uint32_t k = 0; n > 1 && k < n && !drawing->failed; k++) {
        struct orr_point a = at[k], b = at[(k + 1) % n], aside = {0, 0};
        if (n == 2) /* the two directions, side by side */
            aside = (struct orr_point){k ? -20 : 20, 0};
        a.x += aside.x, b.x += aside.x;
        struct orr_point from = orr_edge_of(a, w, h, b), to = orr_edge_of(b, w, h, a);
        if (n == 2) {
            from.y = a.y + (b.y > a.y ? h / 2 : -h / 2);
            to.y = b.y + (b.y > a.y ? -h / 2 : h / 2);
        }
        bool narrowest = hops[k].bw == least && least < most;
        float half = orr_text_width(orr_cast_hop_label(&ring.cast, hops[k], narrowest), 8.5f) / 2;
        struct orr_point middle = {(from.x + to.x) / 2, (from.y + to.y) / 2};
        float out = hypotf(middle.x, middle.y * 1.6f);
        struct orr_point inward = {aside.x > 0 ? 1 : -1, 0};
        if (n > 2 && out > 1)
            inward = (struct orr_point){-middle.x / out, -middle.y * 1.6f / out};
        middle.x += inward.x * (half + 8);
        middle.y += inward.y * 24;
        orr_cast_wire(&ring.cast, &ring.actors[k], &ring.actors[(k + 1) % n], hops[k], narrowest,
                      (struct orr_point[]){from, to}, 2, middle);
    }
    const char *text = orr_drawing_text(drawing, "ring of channel %d of %d", channel, all->channel_count);
    const char *second = orr_drawing_text(drawing, "%u rank%s, %u host%s", all->rank_count, orr_plural(all->rank_count),
                                          ring.cast.host_count, orr_plural(ring.cast.host_count));
    drawing->title = orr_drawing_text(drawing, "%s: %s", text, second);
    float y = n > 2 ? -8 : -ry - 60;
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, -orr_text_width(text, 11) / 2, y - 9, 11, text);
    orr_drawing_note(drawing, "note:size", ORR_NO_BOX, -orr_text_width(second, 10) / 2, y + 7, 10, second);
    return ORR_OK;
}
