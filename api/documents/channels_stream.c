/* SPDX-License-Identifier: Apache-2.0 */
#include "api/documents/documents.h"

#include <stdlib.h>

#include "api/documents/json_stream.h"
#include "engine/analysis/analysis.h"
#include "engine/base/budget.h"
#include "engine/base/shared.h"

enum part { HEAD, RINGS, RING, TREES, TREE, TREE_DOWN, NVLS, NVLS_UP, NVLS_DOWN, END };
enum { NVLS_TREES = 2 }; /* of even and of odd channels */

struct channels_stream {
    struct orr_json_stream json; /* first */
    const struct orr_analysis *analysis;
    struct orr_shared *owner;
    bool lines;
    enum part part;
    int32_t channel;
    uint32_t rank; /* next rank to write */
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

/* Writes everything about NVLS except its trees, which follow in a document. */
static void put_nvls(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (!c->nvls || c->nvls_channels <= 0) {
        orr_stream_null(&s->json, "nvls");
        return;
    }
    orr_stream_begin(&s->json, "nvls", '{');
    ORR_STREAM_SET(&s->json, ORR_INT("channels", c->nvls_channels),
                   ORR_INT("tree_channels", nvls_trees(c) ? c->nvls_tree_channels : 0));
    orr_stream_begin(&s->json, "heads", '[');
    for (int32_t h = 0; h < c->nvls_head_count; h++)
        orr_stream_int(&s->json, c->nvls_heads[h]);
    orr_stream_end(&s->json, ']');
    if (s->lines)
        orr_stream_end(&s->json, '}');
    else
        orr_stream_begin(&s->json, "trees", '[');
}

static void put_head(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    orr_stream_begin(&s->json, NULL, '{');
    ORR_STREAM_SET(&s->json, ORR_STRING("nccl", s->analysis->query.settings.release->name),
                   ORR_INT("hosts", s->analysis->query.hosts), ORR_INT("ranks", c->rank_count),
                   ORR_INT("nodes", c->node_count), ORR_INT("count", c->channel_count),
                   ORR_INT("p2p_channels", c->p2p_channels),
                   ORR_INT("p2p_channels_per_peer", c->p2p_channels_per_peer));
    if (s->lines) {
        put_nvls(s);
        orr_stream_end(&s->json, '}');
        orr_stream_line(&s->json);
    } else {
        orr_stream_begin(&s->json, "rings", '[');
    }
    s->part = RINGS;
}

/* Begins the object of a ring or tree. A line has the progress, which a client shows while it waits. */
static void begin_item(struct channels_stream *s, const char *name, int32_t done)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    orr_stream_begin(&s->json, NULL, '{');
    if (s->lines)
        ORR_STREAM_SET(&s->json, ORR_INT(name, s->channel), ORR_INT("done", done + s->channel + 1),
                       ORR_INT("of", 2 * c->channel_count + nvls_trees(c)));
}

static void end_item(struct channels_stream *s, enum part next)
{
    orr_stream_end(&s->json, '}');
    if (s->lines)
        orr_stream_line(&s->json);
    s->channel++;
    s->part = next;
}

static void begin_ring(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (s->channel == c->channel_count) {
        s->part = TREES;
        s->channel = 0;
        if (!s->lines) {
            orr_stream_end(&s->json, ']');
            orr_stream_begin(&s->json, "trees", '[');
        }
        return;
    }
    s->ring_length = c->rank_count;
    if (s->channel < c->uneven_from)
        orr_ring_make(c, c->source[s->channel], s->ring);
    else
        s->ring_length = orr_uneven_ring(c, s->channel, s->down[0], s->ring); /* `down` is free now, and serves as
                                                                               * scratch */
    if (s->lines)
        begin_item(s, "ring", 0);
    orr_stream_begin(&s->json, s->lines ? "ranks" : NULL, '[');
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
        orr_stream_end(&s->json, ']');
        put_nvls(s);
        return ORR_STEP_MORE;
    }
    struct orr_tree tree = {.up = s->ring, .down = s->down};
    if (orr_tree_make(c, c->source[s->channel], &tree, NULL) != ORR_OK)
        return ORR_STEP_NOMEM;
    if (s->channel >= c->uneven_from)
        orr_uneven_tree(c, s->channel, &tree);
    s->up = s->ring;
    s->depth = tree.depth;
    begin_item(s, "tree", c->channel_count);
    orr_stream_begin(&s->json, "up", '[');
    s->rank = 0;
    s->part = TREE;
    return ORR_STEP_MORE;
}

/* Writes the two trees of NVLS, which exist already and serve all channels, even and odd. */
static void begin_nvls_tree(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (s->channel == nvls_trees(c)) {
        s->part = END;
        return;
    }
    s->up = c->nvls_trees[s->channel].up;
    begin_item(s, "nvls_tree", 2 * c->channel_count);
    orr_stream_begin(&s->json, "up", '[');
    s->rank = 0;
    s->part = NVLS_UP;
}

/* Writes ranks of the ring, or parents in a tree, as long as there is room; true if all are written. */
static bool put_ranks(struct channels_stream *s, const int32_t *ranks, uint32_t count)
{
    while (s->rank < count && !orr_stream_full(&s->json))
        orr_stream_int(&s->json, ranks[s->rank++]);
    return s->rank == count;
}

static bool put_downs(struct channels_stream *s, int32_t (*downs)[3])
{
    while (s->rank < s->analysis->communicator.rank_count && !orr_stream_full(&s->json)) {
        const int32_t *down = downs[s->rank++];
        orr_stream_begin(&s->json, NULL, '[');
        for (int i = 0; i < 3; i++)
            orr_stream_int(&s->json, down[i]);
        orr_stream_end(&s->json, ']');
    }
    return s->rank == s->analysis->communicator.rank_count;
}

static void put_ups(struct channels_stream *s, enum part next)
{
    if (!put_ranks(s, s->up, s->analysis->communicator.rank_count))
        return;
    orr_stream_end(&s->json, ']');
    orr_stream_begin(&s->json, "down", '[');
    s->rank = 0;
    s->part = next;
}

static void put_end(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (s->lines) {
        orr_stream_begin(&s->json, NULL, '{');
        ORR_STREAM_SET(&s->json, ORR_BOOL("end", true));
    } else if (c->nvls && c->nvls_channels > 0) {
        orr_stream_end(&s->json, ']');
        orr_stream_end(&s->json, '}');
    }
    orr_stream_end(&s->json, '}');
    orr_stream_line(&s->json);
}

static enum orr_stream_step step(struct orr_json_stream *json)
{
    struct channels_stream *s = (struct channels_stream *)json;
    const struct orr_communicator *c = &s->analysis->communicator;
    switch (s->part) {
    case HEAD:
        put_head(s);
        break;
    case RINGS:
        begin_ring(s);
        break;
    case RING:
        if (!put_ranks(s, s->ring, s->ring_length))
            break;
        orr_stream_end(&s->json, ']');
        if (s->lines) {
            end_item(s, RINGS);
        } else {
            s->channel++;
            s->part = RINGS;
        }
        break;
    case TREES:
        return begin_tree(s);
    case TREE:
        put_ups(s, TREE_DOWN);
        break;
    case TREE_DOWN:
        if (!put_downs(s, s->down))
            break;
        orr_stream_end(&s->json, ']');
        ORR_STREAM_SET(&s->json, ORR_INT("depth", s->depth));
        end_item(s, TREES);
        break;
    case NVLS:
        begin_nvls_tree(s);
        break;
    case NVLS_UP:
        put_ups(s, NVLS_DOWN);
        break;
    case NVLS_DOWN:
        if (!put_downs(s, c->nvls_trees[s->channel].down))
            break;
        orr_stream_end(&s->json, ']');
        end_item(s, NVLS);
        break;
    case END:
        put_end(s);
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
    orr_json_stream_init(&s->json, step, free_channels);
    s->analysis = analysis;
    s->owner = owner;
    s->lines = lines;
    s->ring = orr_budget_malloc(analysis->communicator.rank_count * sizeof *s->ring);
    s->down = orr_budget_malloc(analysis->communicator.rank_count * sizeof *s->down);
    if (!s->ring || !s->down) {
        free_channels(&s->json.stream);
        return NULL;
    }
    return &s->json.stream;
}
