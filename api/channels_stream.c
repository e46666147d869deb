#include "api/channels_stream.h"

#include <stdlib.h>
#include <string.h>

enum part { HEAD, RINGS, RING, RING_END, TREES, TREE, TREE_DOWN, TREE_END, END, DONE };
enum { CHUNK = 32768, SLACK = 512 }; /* SLACK: more than what one step adds */

struct channels_stream {
    struct orr_stream stream;
    const struct orr_analysis *analysis;
    struct orr_shared *owner;
    bool lines;
    enum part part;
    int32_t channel;
    uint32_t rank; /* the next one to be written */
    int32_t *ring; /* of the channel; the tree's `up` later */
    int32_t (*down)[3];
    int32_t depth;
    char chunk[CHUNK + SLACK];
    size_t length, taken;
};

static void put_text(struct channels_stream *s, const char *text)
{
    size_t length = strlen(text);
    memcpy(s->chunk + s->length, text, length);
    s->length += length;
}

static void put_int(struct channels_stream *s, int32_t value)
{
    char digits[12];
    size_t at = sizeof digits;
    uint32_t rest = value < 0 ? 0u - (uint32_t)value : (uint32_t)value;
    do
        digits[--at] = (char)('0' + rest % 10);
    while (rest /= 10);
    if (value < 0)
        digits[--at] = '-';
    memcpy(s->chunk + s->length, digits + at, sizeof digits - at);
    s->length += sizeof digits - at;
}

static void put_member(struct channels_stream *s, const char *name, int32_t value)
{
    put_text(s, ",\"");
    put_text(s, name);
    put_text(s, "\":");
    put_int(s, value);
}

static void put_head(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    put_text(s, "{\"nccl\":\"");
    put_text(s, s->analysis->query.settings.release->name);
    put_text(s, "\"");
    put_member(s, "hosts", (int32_t)s->analysis->query.hosts);
    put_member(s, "ranks", (int32_t)c->rank_count);
    put_member(s, "nodes", (int32_t)c->node_count);
    put_member(s, "count", c->channel_count);
    put_member(s, "p2p_channels", c->p2p_channels);
    put_member(s, "p2p_channels_per_peer", c->p2p_channels_per_peer);
    put_text(s, s->lines ? "}\n" : ",\"rings\":[");
    s->part = RINGS;
}

/* How far it is: what a client shows while it waits. */
static void put_progress(struct channels_stream *s, int32_t done)
{
    put_member(s, "done", done);
    put_member(s, "of", 2 * s->analysis->communicator.channel_count);
}

static void begin_ring(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (s->channel == c->channel_count) {
        s->part = TREES;
        s->channel = 0;
        put_text(s, s->lines ? "" : "],\"trees\":[");
        return;
    }
    orr_ring_make(c, c->source[s->channel], s->ring);
    if (s->lines) {
        put_text(s, "{\"ring\":");
        put_int(s, s->channel);
        put_progress(s, s->channel + 1);
        put_text(s, ",\"ranks\":");
    } else if (s->channel) {
        put_text(s, ",");
    }
    put_text(s, "[");
    s->rank = 0;
    s->part = RING;
}

static bool begin_tree(struct channels_stream *s)
{
    const struct orr_communicator *c = &s->analysis->communicator;
    if (s->channel == c->channel_count) {
        s->part = END;
        return true;
    }
    struct orr_tree tree = {.up = s->ring, .down = s->down};
    if (orr_tree_make(c, c->source[s->channel], &tree, NULL) != ORR_OK)
        return false;
    s->depth = tree.depth;
    if (s->lines) {
        put_text(s, "{\"tree\":");
        put_int(s, s->channel);
        put_progress(s, c->channel_count + s->channel + 1);
        put_text(s, ",");
    } else {
        put_text(s, s->channel ? ",{" : "{");
    }
    put_text(s, "\"up\":[");
    s->rank = 0;
    s->part = TREE;
    return true;
}

/* Ranks of the ring, or parents in the tree, as far as there is room. */
static void put_ranks(struct channels_stream *s, enum part next)
{
    while (s->rank < s->analysis->communicator.rank_count && s->length < CHUNK) {
        if (s->rank)
            s->chunk[s->length++] = ',';
        put_int(s, s->ring[s->rank++]);
    }
    if (s->rank == s->analysis->communicator.rank_count)
        s->part = next;
}

static void put_downs(struct channels_stream *s)
{
    while (s->rank < s->analysis->communicator.rank_count && s->length < CHUNK) {
        const int32_t *down = s->down[s->rank];
        put_text(s, s->rank++ ? ",[" : "[");
        for (int i = 0; i < 3; i++) {
            if (i)
                s->chunk[s->length++] = ',';
            put_int(s, down[i]);
        }
        s->chunk[s->length++] = ']';
    }
    if (s->rank == s->analysis->communicator.rank_count)
        s->part = TREE_END;
}

/* Adds something to the chunk. false: memory ran out. */
static bool step(struct channels_stream *s)
{
    switch (s->part) {
    case HEAD:
        put_head(s);
        return true;
    case RINGS:
        begin_ring(s);
        return true;
    case RING:
        put_ranks(s, RING_END);
        return true;
    case RING_END:
        put_text(s, s->lines ? "]}\n" : "]");
        s->channel++;
        s->part = RINGS;
        return true;
    case TREES:
        return begin_tree(s);
    case TREE:
        put_ranks(s, TREE_DOWN);
        if (s->part == TREE_DOWN) {
            put_text(s, "],\"down\":[");
            s->rank = 0;
        }
        return true;
    case TREE_DOWN:
        put_downs(s);
        return true;
    case TREE_END:
        put_text(s, "]");
        put_member(s, "depth", s->depth);
        put_text(s, s->lines ? "}\n" : "}");
        s->channel++;
        s->part = TREES;
        return true;
    case END:
        put_text(s, s->lines ? "{\"end\":true}\n" : "]}\n");
        s->part = DONE;
        return true;
    case DONE:
        break;
    }
    return true;
}

static ptrdiff_t read_channels(struct orr_stream *stream, char *buffer, size_t size)
{
    struct channels_stream *s = (struct channels_stream *)stream;
    size_t filled = 0;
    while (filled < size) {
        if (s->taken == s->length) {
            s->taken = s->length = 0;
            while (s->length < CHUNK && s->part != DONE)
                if (!step(s))
                    return -1;
            if (!s->length)
                break;
        }
        size_t some = s->length - s->taken < size - filled ? s->length - s->taken : size - filled;
        memcpy(buffer + filled, s->chunk + s->taken, some);
        s->taken += some;
        filled += some;
    }
    return (ptrdiff_t)filled;
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
    s->stream = (struct orr_stream){.read = read_channels, .free = free_channels};
    s->analysis = analysis;
    s->owner = owner;
    s->lines = lines;
    s->ring = malloc(analysis->communicator.rank_count * sizeof *s->ring);
    s->down = malloc(analysis->communicator.rank_count * sizeof *s->down);
    if (!s->ring || !s->down) {
        free_channels(&s->stream);
        return NULL;
    }
    return &s->stream;
}
