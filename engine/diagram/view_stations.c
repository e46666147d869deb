/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/stations.h"

#include <math.h>

#include "engine/cluster/standing.h"
#include "engine/diagram/places.h"
#include "engine/diagram/view.h"

enum { MOST_ON_ELLIPSE = 10, MOST_UNFOLDED = 24, LEAST_FOLDED = 3, LONGEST_PERIOD = 2 };

static const float station_w = 160, station_h = 46, gap_x = 68, gap_y = 26, label_font = 9.5f;

struct station {
    const int32_t *ranks; /* in the order of the ring */
    uint32_t count;
    bool enters, leaves; /* by a NIC */
    int64_t nets[2];
    uint32_t visits; /* number of stations that it represents: itself and equal ones after it */
    int32_t last;    /* a rank of the last of them */
    struct orr_point at;
    uint32_t tile;
};

struct line {
    struct orr_cast *cast;
    const struct orr_communicator *all;
    int32_t channel;
    struct station *stations;
    uint32_t count, visits;
};

const char *orr_cast_remark(const struct orr_cast *cast, int32_t rank)
{
    const struct orr_cluster *cluster = cast->analysis->cluster;
    if (!cluster)
        return NULL;
    uint32_t kind = cast->kinds[cast->seats[rank].part];
    static const char *const remarks[2][2] = {{NULL, "unlike most"}, {"slowest", "slowest, unlike most"}};
    return remarks[orr_kind_slowest(cluster, kind)][orr_kind_odd(cluster, kind)];
}

/* Cuts the ring, from where it enters the place of rank 0 on, into visits; each knows the NICs of its system's row. */
static bool gather(struct line *line)
{
    struct orr_cast *cast = line->cast;
    uint32_t n = line->all->rank_count, start = 0;
    const int32_t *ring = orr_cast_ring(cast, line->channel), *node = line->all->node_of_rank;
    int32_t *order = ORR_NEW(cast->drawing->arena, int32_t, n);
    line->stations = ORR_NEW(cast->drawing->arena, struct station, n);
    if (!ring || !order || !line->stations)
        return false;
    while (start + 1 < n && node[ring[n - 1 - start]] == node[ring[0]])
        start++;
    if (start + 1 == n) /* all in one system: where it enters the tray of rank 0 */
        for (start = 0; start + 1 < n && orr_cast_same_place(cast, ring[n - 1 - start], ring[0]);)
            start++;
    for (uint32_t k = 0; k < n; k++)
        order[k] = ring[(n - start + k) % n];
    int32_t row = -1;
    for (uint32_t k = 0; k < n; k++) {
        int32_t rank = order[k], before = order[(k + n - 1) % n], after = order[(k + 1) % n];
        if (k == 0 || !orr_cast_same_place(cast, before, rank))
            line->stations[line->count++] = (struct station){.ranks = &order[k], .visits = 1, .last = rank};
        struct station *station = &line->stations[line->count - 1];
        const struct orr_graph *graph = &orr_cast_part(cast, rank)->contribution.graphs[ORR_GRAPH_RING];
        if (node[before] != node[rank]) {
            uint32_t end = k;
            while (end + 1 < n && node[order[end + 1]] == node[rank])
                end++;
            row = orr_cast_row(cast, line->channel, rank, order[end]);
            station->enters = row >= 0;
            station->nets[0] = row >= 0 ? graph->nets[row][0] : 0;
        }
        if (node[after] != node[rank]) {
            station->leaves = row >= 0;
            station->nets[1] = row >= 0 ? graph->nets[row][1] : 0;
        }
        station->count++;
    }
    line->visits = line->count;
    return true;
}

static bool alike(const struct line *line, const struct station *a, const struct station *b)
{
    const struct orr_seat *seats = line->cast->seats;
    if (a->count != b->count || a->enters != b->enters || a->leaves != b->leaves || a->nets[0] != b->nets[0] ||
        a->nets[1] != b->nets[1])
        return false;
    for (uint32_t i = 0; i < a->count; i++)
        if (seats[a->ranks[i]].part != seats[b->ranks[i]].part || seats[a->ranks[i]].local != seats[b->ranks[i]].local)
            return false;
    return true;
}

/* Rank 0's visit stays separate; after it, repetitions of one visit, or of two alternating ones, become one or two
 * stations. */
static void fold(struct line *line)
{
    uint32_t kept = 1;
    struct station *stations = line->stations;
    for (uint32_t i = 1; i < line->count;) {
        uint32_t period = 1, run = 1;
        for (uint32_t p = 1; p <= LONGEST_PERIOD; p++) {
            uint32_t length = p;
            while (i + length < line->count && alike(line, &stations[i + length], &stations[i + length - p]))
                length++;
            length -= length % p; /* the next station follows the last of the period */
            if (length >= p * LEAST_FOLDED && length > run) {
                period = p;
                run = length;
            }
        }
        for (uint32_t p = 0; p < period; p++) {
            struct station one = stations[i + p];
            one.visits = run / period;
            one.last = stations[i + p + (one.visits - 1) * period].ranks[0];
            stations[kept++] = one;
        }
        i += run;
    }
    line->count = kept;
}

/* "ranks 8\u201315" if they are consecutive, or else all, cut if there is no room. */
static const char *ranks_text(const struct line *line, const struct station *station, float font, float width)
{
    struct orr_drawing *drawing = line->cast->drawing;
    const struct orr_seat *seats = line->cast->seats;
    bool follow = true, folded = station->visits > 1;
    const char *text = folded ? "GPUs" : "";
    for (uint32_t i = 1; i < station->count; i++)
        follow &= station->ranks[i] == station->ranks[i - 1] + 1;
    if (follow && station->count > 2 && !folded)
        return orr_drawing_text(drawing, "ranks %d\xe2\x80\x93%d", station->ranks[0],
                                station->ranks[station->count - 1]);
    for (uint32_t i = 0; i < station->count && i < 16; i++)
        text = orr_drawing_text(drawing, *text ? "%s %d" : "%s%d", text,
                                folded ? seats[station->ranks[i]].local : station->ranks[i]);
    return orr_drawing_fit(drawing, text, font, width);
}

static const char *nics_text(const struct line *line, const struct station *station)
{
    struct orr_drawing *drawing = line->cast->drawing;
    int32_t rank = station->ranks[0];
    if (station->enters && station->leaves)
        return orr_drawing_text(drawing, "\nin NIC %d, out NIC %d", orr_cast_rail(line->cast, rank, station->nets[0]),
                                orr_cast_rail(line->cast, rank, station->nets[1]));
    if (!station->enters && !station->leaves)
        return "";
    return orr_drawing_text(drawing, "\n%s NIC %d", station->enters ? "in" : "out",
                            orr_cast_rail(line->cast, rank, station->nets[station->enters ? 0 : 1]));
}

static void add_station(struct line *line, uint32_t k)
{
    struct station *station = &line->stations[k];
    struct orr_drawing *drawing = line->cast->drawing;
    int32_t rank = station->ranks[0];
    const char *name = orr_cast_place_name(line->cast, rank), *remark = orr_cast_remark(line->cast, rank);
    if (station->visits > 1) {
        uint32_t from = line->cast->seats[rank].host, to = line->cast->seats[station->last].host;
        name = orr_drawing_text(drawing, "%u hosts alike, %u\xe2\x80\xa6%u", station->visits, from, to);
    }
    const float font = 9.5f;
    const char *order = ranks_text(line, station, font, station_w - 8);
    const char *in_turn = station->visits > 1 ? ", each in this order" : "";
    const char *head = remark ? orr_drawing_text(drawing, "\xe2\x96\xbc %s: %s", name, remark) : name;
    station->tile = orr_drawing_tile(
        drawing, &(struct orr_tile){
                     .frame = {station->at.x - station_w / 2, station->at.y - station_h / 2, station_w, station_h},
                     .box = ORR_NO_BOX,
                     .role = remark                ? ORR_ROLE_ALERT
                             : station->visits > 1 ? ORR_ROLE_OTHER
                                                   : ORR_ROLE_GPU,
                     .font = font,
                     .bold_frame = remark != NULL,
                     .id = orr_drawing_text(drawing, "station:%u", k),
                     .classes = remark ? "station marked" : "station",
                     .title = orr_drawing_text(drawing, "%s: %s of the ring%s%s", head, order, in_turn,
                                               station->enters ? ", entered from another host" : ""),
                     .label = orr_drawing_text(drawing, "%s\n%s%s", orr_drawing_fit(drawing, head, font, station_w - 6),
                                               order, nics_text(line, station)),
                 });
}

/* A few on an ellipse; many in rows, every other one from right to left. */
static void arrange(struct line *line)
{
    uint32_t n = line->count, columns = (uint32_t)ceil(sqrt(n * 0.55)); /* about twice as wide as high */
    struct orr_point *at = ORR_NEW(line->cast->drawing->arena, struct orr_point, n);
    if (!at) {
        line->cast->drawing->failed = true;
        return;
    }
    float ry = fmaxf((float)n * 214 / 6.2832f / 1.335f, 110);
    if (n <= MOST_ON_ELLIPSE)
        orr_spread(at, n, n == 1 ? 0 : 1.6f * ry, ry);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t row = k / columns, column = row % 2 ? columns - 1 - k % columns : k % columns;
        if (n > MOST_ON_ELLIPSE)
            at[k] = (struct orr_point){(float)column * (station_w + gap_x), (float)row * (station_h + gap_y)};
        line->stations[k].at = at[k];
    }
}

/* The ends of the hop from one station to the next: the NICs if it leaves its system, otherwise the ranks. */
static void ends_of(const struct line *line, const struct station *from, const struct station *to,
                    struct orr_actor ends[2])
{
    int32_t a = from->ranks[from->count - 1], b = to->ranks[0];
    bool net = line->all->node_of_rank[a] != line->all->node_of_rank[b];
    ends[0] = (struct orr_actor){.rank = a, .is_net = net && from->leaves, .net = from->nets[1], .tile = from->tile};
    ends[1] = (struct orr_actor){.rank = b, .is_net = net && to->enters, .net = to->nets[0], .tile = to->tile};
}

static void add_hop(struct line *line, uint32_t k, float least, float most)
{
    struct orr_drawing *drawing = line->cast->drawing;
    const struct station *from = &line->stations[k], *to = &line->stations[(k + 1) % line->count];
    struct orr_actor ends[2];
    ends_of(line, from, to, ends);
    struct orr_hop hop = orr_cast_hop(line->cast, &ends[0], &ends[1]);
    bool narrowest = hop.bw > 0 && hop.bw == least && least < most;
    struct orr_point a = from->at, b = to->at, points[6];
    uint32_t count = 2;
    bool closing = line->count > MOST_ON_ELLIPSE && k + 1 == line->count;
    points[0] = orr_edge_of(a, station_w, station_h, b);
    points[1] = orr_edge_of(b, station_w, station_h, a);
    if (closing) { /* below the last row and up at the left */
        float left = -station_w / 2 - 24, below = a.y + station_h / 2 + 14;
        points[0] = (struct orr_point){a.x, a.y + station_h / 2};
        points[1] = (struct orr_point){a.x, below};
        points[2] = (struct orr_point){left, below};
        points[3] = (struct orr_point){left, b.y};
        points[4] = (struct orr_point){b.x - station_w / 2, b.y};
        count = 5;
    }
    struct orr_point middle = {(points[0].x + points[1].x) / 2, (points[0].y + points[1].y) / 2 - 9};
    if (line->count <= MOST_ON_ELLIPSE && line->count > 2) {
        float out = hypotf(middle.x, middle.y * 1.6f);
        if (out > 1)
            middle = (struct orr_point){middle.x - middle.x / out * 40, middle.y - middle.y * 1.6f / out * 24};
    } else if (a.x == b.x) {
        middle = (struct orr_point){a.x + 36, (a.y + b.y) / 2};
    }
    if (closing)
        middle = (struct orr_point){(points[1].x + points[2].x) / 2, points[1].y + 8};
    orr_cast_wire(line->cast, &ends[0], &ends[1], hop, narrowest, points, count, middle);
    if (drawing->failed)
        return;
    struct orr_wire *wire = &drawing->wires[drawing->wire_count - 1];
    wire->label_font = label_font;
    if (hop.type != ORR_PATH_NET || !ends[0].is_net || !ends[1].is_net)
        return;
    int32_t out = orr_cast_rail(line->cast, ends[0].rank, ends[0].net),
            in = orr_cast_rail(line->cast, ends[1].rank, ends[1].net);
    const char *mark = narrowest ? "\xe2\x96\xbc " : "";
    wire->label = out == in ? orr_drawing_text(drawing, "%srail %d", mark, out)
                            : orr_drawing_text(drawing, "%srail %d\xe2\x86\x92%d", mark, out, in);
    wire->classes = out == in ? wire->classes : orr_drawing_text(drawing, "%s crossing", wire->classes);
    wire->dash = out == in ? wire->dash : ORR_LINE_DOTTED;
    wire->title = orr_drawing_text(drawing, out == in ? "%s, along rail %d" : "%s, from rail %d to rail %d",
                                   wire->title, out, in);
}

enum orr_code orr_view_stations(struct orr_cast *cast, int32_t channel, struct orr_error *err)
{
    struct orr_drawing *drawing = cast->drawing;
    struct line line = {.cast = cast, .all = &cast->analysis->communicator, .channel = channel};
    if (!gather(&line)) {
        drawing->failed = true;
        return ORR_OK;
    }
    if (line.count > MOST_UNFOLDED)
        fold(&line);
    if (line.count > ORR_DRAWN_NODES_MAX)
        return orr_fail(err, ORR_LIMIT, "the ring has %u stations, and a picture shows at most %d", line.count,
                        ORR_DRAWN_NODES_MAX);
    arrange(&line);
    for (uint32_t k = 0; k < line.count && !drawing->failed; k++)
        add_station(&line, k);
    float least = INFINITY, most = 0;
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t k = 0; k < line.count && !drawing->failed; k++) {
            struct orr_actor ends[2];
            ends_of(&line, &line.stations[k], &line.stations[(k + 1) % line.count], ends);
            float bw = orr_cast_hop(cast, &ends[0], &ends[1]).bw;
            if (pass)
                add_hop(&line, k, least, most);
            least = !pass && bw > 0 ? fminf(least, bw) : least;
            most = !pass && bw > 0 ? fmaxf(most, bw) : most;
        }
    const char *first = orr_drawing_text(drawing, "ring of channel %d of %d", channel, line.all->channel_count);
    const char *second = orr_drawing_text(drawing, "%u ranks, %u stops at %u %s", line.all->rank_count, line.visits,
                                          orr_cast_places(cast), cast->host_count == 1 ? "trays" : "hosts");
    drawing->title = orr_drawing_text(drawing, "%s: %s", first, second);
    bool rows = line.count > MOST_ON_ELLIPSE;
    float x = rows ? -station_w / 2 : -orr_text_width(first, 11) / 2, y = rows ? -station_h - 22 : -9;
    orr_drawing_note(drawing, "note:caption", ORR_NO_BOX, x, y, 11, first);
    orr_drawing_note(drawing, "note:size", ORR_NO_BOX, rows ? x : -orr_text_width(second, 10) / 2, y + 16, 10, second);
    return ORR_OK;
}
