/* SPDX-License-Identifier: Apache-2.0 */
/* The file is flat, so a scanner of tags is enough; NCCL's own reader is not an XML parser either. */
#include "engine/topology/graph_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { VALUE_SIZE = 64, MEMBERS_MOST = 4096, PARTS_MOST = 65536 };

struct tag {
    const char *name, *attributes, *end; /* end: the ">" */
    size_t name_length;
    bool closes; /* "</name>" */
    uint32_t line;
};

struct reading {
    struct orr_arena *arena;
    struct orr_file_graph *graphs;
    struct orr_file_channel *channels;            /* of the graph that is open */
    struct orr_file_member members[MEMBERS_MOST]; /* of the channel that is open */
    unsigned graph_count, graph_capacity, channel_count, channel_capacity;
    uint32_t member_count, parts;
    bool in_channel;
};

/* The next tag at or after *at, which moves after it; comments and prologs are passed over. */
static bool next_tag(const char **at, const char *end, uint32_t *line, struct tag *ret_tag)
{
    const char *p = *at;
    while (p < end) {
        const char *open = memchr(p, '<', (size_t)(end - p));
        if (!open)
            return false;
        for (const char *c = p; c < open; c++)
            *line += *c == '\n';
        bool comment = end - open >= 4 && !memcmp(open, "<!--", 4);
        const char *close =
            comment ? memmem(open, (size_t)(end - open), "-->", 3) : memchr(open, '>', (size_t)(end - open));
        if (!close)
            return false;
        uint32_t here = *line;
        for (const char *c = open; c < close; c++)
            *line += *c == '\n';
        p = close + 1;
        if (comment || open[1] == '?' || open[1] == '!')
            continue;
        const char *name = open + 1 + (open[1] == '/');
        size_t length = 0;
        while (name + length < close && !strchr(" \t\r\n/", name[length]))
            length++;
        *ret_tag = (struct tag){.name = name,
                                .attributes = name + length,
                                .end = close,
                                .name_length = length,
                                .closes = open[1] == '/',
                                .line = here};
        *at = p;
        return true;
    }
    return false;
}

static bool is_tag(const struct tag *tag, const char *name)
{
    return tag->name_length == strlen(name) && !memcmp(tag->name, name, tag->name_length);
}

/* The value of an attribute, cut to the buffer; false if it has none. */
static bool value_of(const struct tag *tag, const char *name, char buffer[VALUE_SIZE])
{
    size_t length = strlen(name);
    for (const char *p = tag->attributes; p + length + 2 < tag->end; p++) {
        if (!strchr(" \t\r\n", *p) || memcmp(p + 1, name, length) != 0 || p[1 + length] != '=')
            continue;
        const char *start = p + length + 2;
        char quote = *start++;
        const char *stop = start < tag->end ? memchr(start, quote, (size_t)(tag->end - start)) : NULL;
        if ((quote != '"' && quote != '\'') || !stop)
            return false;
        snprintf(buffer, VALUE_SIZE, "%.*s", (int)(stop - start < VALUE_SIZE ? stop - start : VALUE_SIZE - 1), start);
        return true;
    }
    return false;
}

static double number_of(const struct tag *tag, const char *name)
{
    char text[VALUE_SIZE];
    double value = value_of(tag, name, text) ? strtod(text, NULL) : 0;
    return value > -1e9 && value < 1e9 ? value : 0;
}

/* NULL if the tag has no such attribute. */
static const char *text_of(struct reading *r, const struct tag *tag, const char *name)
{
    char text[VALUE_SIZE];
    if (!value_of(tag, name, text))
        return NULL;
    const char *kept = orr_arena_strndup(r->arena, text, strlen(text));
    return kept;
}

/* The attributes that NCCL requires of a <graph>, in the order in which it asks for them; if one is missing, the job
 * fails. */
static const char *lacks_of(const struct tag *tag)
{
    static const char *const demanded[] = {"id",         "crossnic",  "pattern",   "nchannels",   "speedintra",
                                           "speedinter", "typeintra", "typeinter", "samechannels"};
    char text[VALUE_SIZE];
    for (size_t i = 0; i < sizeof demanded / sizeof *demanded; i++)
        if (!value_of(tag, demanded[i], text))
            return demanded[i];
    return NULL;
}

/* The channels read so far belong to the last graph. */
static void end_graph(struct reading *r)
{
    if (!r->graph_count)
        return;
    r->graphs[r->graph_count - 1].channels = r->channels;
    r->graphs[r->graph_count - 1].held = r->channel_count;
    r->channels = NULL;
    r->channel_count = r->channel_capacity = 0;
}

static void add_graph(struct reading *r, const struct tag *tag)
{
    end_graph(r);
    if (!ORR_RESERVE(r->arena, r->graphs, r->graph_count, r->graph_capacity))
        return;
    const char *intra = text_of(r, tag, "typeintra"), *inter = text_of(r, tag, "typeinter");
    r->graphs[r->graph_count++] = (struct orr_file_graph){
        .line = tag->line,
        .lacks = lacks_of(tag),
        .id = (int32_t)number_of(tag, "id"),
        .pattern = (int32_t)number_of(tag, "pattern"),
        .cross_nic = (int32_t)number_of(tag, "crossnic"),
        .channel_count = (int32_t)number_of(tag, "nchannels"),
        .same_channels = (int32_t)number_of(tag, "samechannels"),
        .bw_intra = (float)number_of(tag, "speedintra"),
        .bw_inter = (float)number_of(tag, "speedinter"),
        .latency_inter = (float)number_of(tag, "latencyinter"),
        .type_intra = intra ? intra : "",
        .type_inter = inter ? inter : "",
    };
}

static enum orr_code add_member(struct reading *r, const struct tag *tag, bool gpu, struct orr_error *err)
{
    if (!r->in_channel)
        return ORR_OK;
    if (r->member_count == MEMBERS_MOST)
        return orr_fail_at(err, ORR_LIMIT, tag->line, 0, "a channel of the graph file has more than %d members",
                           (int)MEMBERS_MOST);
    const char *dev = text_of(r, tag, "dev");
    r->members[r->member_count++] =
        (struct orr_file_member){.gpu = gpu, .dev = dev ? dev : "", .rank = gpu ? text_of(r, tag, "rank") : NULL};
    return ORR_OK;
}

static void end_channel(struct reading *r, uint32_t line)
{
    struct orr_file_member *members = ORR_NEW(r->arena, struct orr_file_member, r->member_count);
    r->in_channel = false;
    if (!members || !ORR_RESERVE(r->arena, r->channels, r->channel_count, r->channel_capacity))
        return;
    memcpy(members, r->members, r->member_count * sizeof *members);
    r->channels[r->channel_count++] =
        (struct orr_file_channel){.line = line, .members = members, .member_count = r->member_count};
}

static enum orr_code check_version(const struct tag *tag, struct orr_error *err)
{
    char text[VALUE_SIZE];
    if (!value_of(tag, "version", text))
        return orr_fail_at(err, ORR_INVALID, tag->line, 0,
                           "<graphs> has no attribute version; NCCL requires version=\"1\"");
    if (strtol(text, NULL, 0) != 1)
        return orr_fail_at(err, ORR_INVALID, tag->line, 0, "<graphs> has version=\"%.20s\"; NCCL reads version 1 only",
                           text);
    return ORR_OK;
}

static enum orr_code read_tags(struct reading *r, const char *bytes, size_t length, uint32_t *line,
                               struct orr_error *err)
{
    const char *at = bytes, *end = bytes + length;
    uint32_t channel_line = 0;
    struct tag tag;
    bool rooted = false;
    while (!orr_arena_starved(r->arena) && next_tag(&at, end, line, &tag)) {
        if (!rooted && !is_tag(&tag, "graphs"))
            return orr_fail(err, ORR_UNRECOGNISED, "this is not a graph file: it does not begin with <graphs>");
        if (!rooted)
            ORR_TRY(check_version(&tag, err));
        rooted = true;
        bool opens = !tag.closes && (is_tag(&tag, "graph") || (is_tag(&tag, "channel") && r->graph_count));
        if (opens && r->parts++ == PARTS_MOST)
            return orr_fail_at(err, ORR_LIMIT, tag.line, 0, "more than %d graphs and channels", (int)PARTS_MOST);
        if (opens && is_tag(&tag, "graph")) {
            add_graph(r, &tag);
        } else if (opens) {
            r->in_channel = true;
            r->member_count = 0;
            channel_line = tag.line;
        } else if (is_tag(&tag, "channel") && r->in_channel) {
            end_channel(r, channel_line);
        } else if (is_tag(&tag, "gpu") || is_tag(&tag, "net")) {
            ORR_TRY(add_member(r, &tag, is_tag(&tag, "gpu"), err));
        } else if (is_tag(&tag, "graphs") && tag.closes) {
            break;
        }
    }
    end_graph(r);
    if (orr_arena_starved(r->arena))
        return orr_fail_nomem(err);
    return rooted ? ORR_OK : orr_fail(err, ORR_UNRECOGNISED, "this is not a graph file: it has no <graphs>");
}

bool orr_is_graph_file(const char *bytes, size_t length)
{
    const char *at = bytes;
    uint32_t line = 1;
    struct tag tag;
    enum { LOOKED_AT = 1 << 16 };
    return next_tag(&at, bytes + (length < LOOKED_AT ? length : LOOKED_AT), &line, &tag) && is_tag(&tag, "graphs");
}

enum orr_code orr_graph_file_read(const char *bytes, size_t length, uint32_t first_line, struct orr_arena *arena,
                                  const struct orr_graph_file **ret_file, struct orr_error *err)
{
    struct orr_graph_file *file = ORR_NEW(arena, struct orr_graph_file, 1);
    struct reading *r = file ? ORR_NEW(arena, struct reading, 1) : NULL;
    ORR_NEED(r, err);
    r->arena = arena;
    file->line_count = first_line;
    ORR_TRY(read_tags(r, bytes, length, &file->line_count, err));
    file->graphs = r->graphs;
    file->count = r->graph_count;
    *ret_file = file;
    return ORR_OK;
}

const struct orr_file_graph *orr_graph_file_find(const struct orr_graph_file *file, int32_t id)
{
    for (uint32_t i = 0; file && i < file->count; i++)
        if (file->graphs[i].id == id)
            return &file->graphs[i];
    return NULL;
}
