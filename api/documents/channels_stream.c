#include "api/documents/documents.h"

#include <stdlib.h>

#include "api/documents/stream_text.h"
#include "engine/analysis/analysis.h"
#include "engine/base/budget.h"
#include "engine/base/shared.h"

enum part { HEAD, RINGS, RING, TREES, TREE, TREE_DOWN, NVLS, NVLS_UP, NVLS_DOWN, END };
enum { NVLS_TREES = 2 }; /* of even and of odd channels */

struct channels_stream {
    struct orr_stream_text text; /* first */
    const struct orr_analysis *analysis;
    struct orr_shared *owner;
    bool lines;
    enum part part;
    int32_t channel;
    uint32_t rank; /* the next one to be written */
    int32_t *ring; /* of the channel; the tree's `up` later */
    uint32_t ring_length;
    int32_t (*down)[3];
    int32_t depth;
    const int32_t *up; /* of the tree at hand */
};

static int32_t nvls_trees(const struct orr_communicator *c)
{
    return c->nvls && c->nvls_channels > 0 && c->nvls_trees ? NVLS_TREES : 0;
}

/* All about NVLS but its trees. */
static void put_nvls(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (!c->nvls || c->nvls_channels <= 0) {
        orr_put_text(&s->text, "null");
        return;
    }
    orr_put_text(&s->text, "{\"channels\":");
    orr_put_int(&s->text, c->nvls_channels);
    orr_put_member(&s->text, "tree_channels", nvls_trees(c) ? c->nvls_tree_channels : 0);
    orr_put_text(&s->text, ",\"heads\":[");
    for (int32_t h = 0; h < c->nvls_head_count; h++) {
        if (h)
            orr_put_char(&s->text, ',');
        orr_put_int(&s->text, c->nvls_heads[h]);
    }
    orr_put_text(&s->text, s->lines ? "]}" : "]");
}

static void put_head(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    orr_put_text(&s->text, "{\"nccl\":\"");
    orr_put_text(&s->text, s->analysis->query.settings.release->name);
    orr_put_text(&s->text, "\"");
    orr_put_member(&s->text, "hosts", (int32_t)s->analysis->query.hosts);
    orr_put_member(&s->text, "ranks", (int32_t)c->rank_count);
    orr_put_member(&s->text, "nodes", (int32_t)c->node_count);
    orr_put_member(&s->text, "count", c->channel_count);
    orr_put_member(&s->text, "p2p_channels", c->p2p_channels);
    orr_put_member(&s->text, "p2p_channels_per_peer", c->p2p_channels_per_peer);
    if (s->lines) {
        orr_put_text(&s->text, ",\"nvls\":");
        put_nvls(s);
    }
    orr_put_text(&s->text, s->lines ? "}\n" : ",\"rings\":[");
    s->part = RINGS;
}

/* How far it is: what a client shows while it waits. */
static void put_progress(struct channels_stream *s, int32_t done)
{
    orr_put_member(&s->text, "done", done);
    const struct orr_communicator *c = &s->analysis->communicator;
    orr_put_member(&s->text, "of", 2 * c->channel_count + nvls_trees(c));
}

static void begin_ring(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (s->channel == c->channel_count) {
        s->part = TREES;
        s->channel = 0;
        orr_put_text(&s->text, s->lines ? "" : "],\"trees\":[");
        return;
    }
    s->ring_length = c->rank_count;
    if (s->channel < c->uneven_from)
        orr_ring_make(c, c->source[s->channel], s->ring);
    else
        s->ring_length = orr_uneven_ring(c, s->channel, s->down[0], s->ring); /* down is free now: scratch */
    if (s->lines) {
        orr_put_text(&s->text, "{\"ring\":");
        orr_put_int(&s->text, s->channel);
        put_progress(s, s->channel + 1);
        orr_put_text(&s->text, ",\"ranks\":");
    } else if (s->channel) {
        orr_put_text(&s->text, ",");
    }
    orr_put_text(&s->text, "[");
    s->rank = 0;
    s->part = RING;
}

static enum orr_stream_step begin_tree(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (s->channel == c->channel_count) {
        s->part = NVLS;
        s->channel = 0;
        if (s->lines)
            return ORR_STEP_MORE;
        orr_put_text(&s->text, "],\"nvls\":");
        put_nvls(s);
        orr_put_text(&s->text, c->nvls && c->nvls_channels > 0 ? ",\"trees\":[" : "");
        return ORR_STEP_MORE;
    }
    struct orr_tree tree = {.up = s->ring, .down = s->down};
    if (orr_tree_make(c, c->source[s->channel], &tree, NULL) != ORR_OK)
        return ORR_STEP_NOMEM;
    if (s->channel >= c->uneven_from)
        orr_uneven_tree(c, s->channel, &tree);
    s->up = s->ring;
    s->depth = tree.depth;
    if (s->lines) {
        orr_put_text(&s->text, "{\"tree\":");
        orr_put_int(&s->text, s->channel);
        put_progress(s, c->channel_count + s->channel + 1);
        orr_put_text(&s->text, ",");
    } else {
        orr_put_text(&s->text, s->channel ? ",{" : "{");
    }
    orr_put_text(&s->text, "\"up\":[");
    s->rank = 0;
    s->part = TREE;
    return ORR_STEP_MORE;
}

/* The two trees of NVLS are there already: they serve all channels, even and odd. */
static void begin_nvls_tree(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (s->channel == nvls_trees(c)) {
        s->part = END;
        return;
    }
    s->up = c->nvls_trees[s->channel].up;
    if (s->lines) {
        orr_put_text(&s->text, "{\"nvls_tree\":");
        orr_put_int(&s->text, s->channel);
        put_progress(s, 2 * c->channel_count + s->channel + 1);
        orr_put_text(&s->text, ",");
    } else {
        orr_put_text(&s->text, s->channel ? ",{" : "{");
    }
    orr_put_text(&s->text, "\"up\":[");
    s->rank = 0;
    s->part = NVLS_UP;
}

/* Ranks of the ring, or parents in a tree, as far as there is room. true: all are written. */
static bool put_ranks(struct channels_stream *s, const int32_t *ranks, uint32_t count)
{
    while (s->rank < count && !orr_stream_full(&s->text)) {
        if (s->rank)
            orr_put_char(&s->text, ',');
        orr_put_int(&s->text, ranks[s->rank++]);
    }
    return s->rank == count;
}

static bool put_downs(struct channels_stream *s, int32_t (*downs)[3])
{
    while (s->rank < s->analysis->communicator.rank_count && !orr_stream_full(&s->text)) {
        const int32_t *down = downs[s->rank];
        orr_put_text(&s->text, s->rank++ ? ",[" : "[");
        for (int i = 0; i < 3; i++) {
            if (i)
                orr_put_char(&s->text, ',');
            orr_put_int(&s->text, down[i]);
        }
        orr_put_char(&s->text, ']');
    }
    return s->rank == s->analysis->communicator.rank_count;
}

static void put_ups(struct channels_stream *s, enum part next)
{
    if (!put_ranks(s, s->up, s->analysis->communicator.rank_count))
        return;
    orr_put_text(&s->text, "],\"down\":[");
    s->rank = 0;
    s->part = next;
}

static void end_item(struct channels_stream *s, const char *of_line, const char *of_document, enum part next)
{
    orr_put_text(&s->text, s->lines ? of_line : of_document);
    s->channel++;
    s->part = next;
}

static enum orr_stream_step step(struct orr_stream_text *text)
{
    struct channels_stream *s = (struct channels_stream *)text;
    const struct orr_communicator *c = &s->analysis->communicator;
    switch (s->part) {
    case HEAD:
        put_head(s);
        break;
    case RINGS:
        begin_ring(s);
        break;
    case RING:
        if (put_ranks(s, s->ring, s->ring_length))
            end_item(s, "]}\n", "]", RINGS);
        break;
    case TREES:
        return begin_tree(s);
    case TREE:
        put_ups(s, TREE_DOWN);
        break;
    case TREE_DOWN:
        if (!put_downs(s, s->down))
            break;
        orr_put_text(&s->text, "]");
        orr_put_member(&s->text, "depth", s->depth);
        end_item(s, "}\n", "}", TREES);
        break;
    case NVLS:
        begin_nvls_tree(s);
        break;
    case NVLS_UP:
        put_ups(s, NVLS_DOWN);
        break;
    case NVLS_DOWN:
        if (put_downs(s, c->nvls_trees[s->channel].down))
            end_item(s, "]}\n", "]}", NVLS);
        break;
    case END:
        if (s->lines)
            orr_put_text(&s->text, "{\"end\":true}\n");
        else
            orr_put_text(&s->text, c->nvls && c->nvls_channels > 0 ? "]}}\n" : "}\n");
        return ORR_STEP_END;
    }
    return ORR_STEP_MORE;
}

static void free_channels(struct orr_stream *stream)
{
    struct channels_stream *s = (struct channels_stream *)stream;
    free(s->ring);
    free(s->down);
    orr_shared_give(s->owner);
    free(s);
}

struct orr_stream *orr_channels_stream(const struct orr_analysis *analysis, bool lines, struct orr_shared *owner)
{
    struct channels_stream *s = calloc(1, sizeof *s);
    if (!s) {
        orr_shared_give(owner);
        return NULL;
    }
    orr_stream_text_init(&s->text, step, free_channels);
    s->analysis = analysis;
    s->owner = owner;
    s->lines = lines;
    s->ring = orr_budget_malloc(analysis->communicator.rank_count * sizeof *s->ring);
    s->down = orr_budget_malloc(analysis->communicator.rank_count * sizeof *s->down);
    if (!s->ring || !s->down) {
        free_channels(&s->text.stream);
        return NULL;
    }
    return &s->text.stream;
}
