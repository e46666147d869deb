/* NCCL_GRAPH_DUMP_FILE read as if it were the log lines about the same graphs: "Pattern ..." and a line a channel. The
 * file is flat, so a scanner of tags is enough; NCCL's own reader is none of XML either. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log/log.h"

enum { VALUE_SIZE = 64, MEMBERS_MOST = 4096, RECORDS_MOST = 65536 };

struct tag {
    const char *name, *attributes, *end; /* end: the ">" */
    size_t name_length;
    bool closes; /* "</name>" */
    uint32_t line;
};

struct graph_reading {
    struct orr_log *log;
    unsigned capacity;
    const char *members[MEMBERS_MOST]; /* of the channel that is open */
    uint32_t member_count;
    int channel;
    bool in_channel;
    uint32_t channel_line;
};

/* The next tag at or behind *at, which moves behind it; comments and prologs are passed over. */
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

static bool is(const struct tag *tag, const char *name)
{
    return tag->name_length == strlen(name) && !memcmp(tag->name, name, tag->name_length);
}

/* The value of an attribute, cut to the buffer; false: it has none. */
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

static struct orr_log_record *add(struct graph_reading *g, enum orr_log_kind kind, uint32_t line, uint32_t values,
                                  uint32_t words)
{
    struct orr_log *log = g->log;
    if (!ORR_RESERVE(log->arena, log->records, log->record_count, g->capacity))
        return NULL;
    struct orr_log_record *record = &log->records[log->record_count];
    *record = (struct orr_log_record){.kind = kind, .line = line, .value_count = values, .word_count = words};
    record->values = ORR_NEW(log->arena, double, values);
    record->words = ORR_NEW(log->arena, const char *, words);
    if (!record->values || !record->words)
        return NULL;
    log->record_count++;
    log->kinds[kind]++;
    return record;
}

static bool add_pattern(struct graph_reading *g, const struct tag *tag)
{
    static const char *const names[] = {"pattern", "crossnic", "nchannels", "speedintra", "speedinter", "samechannels"};
    static const char *const types[] = {"typeintra", "typeinter"};
    enum { VALUES = 6, WORDS = 2 };
    struct orr_log_record *record = add(g, ORR_LOG_PATTERN, tag->line, VALUES, WORDS);
    double *values = record ? ORR_NEW(g->log->arena, double, VALUES) : NULL;
    const char **words = record ? ORR_NEW(g->log->arena, const char *, WORDS) : NULL;
    if (!values || !words)
        return false;
    for (int i = 0; i < VALUES; i++)
        values[i] = number_of(tag, names[i]);
    for (int i = 0; i < WORDS; i++) {
        char text[VALUE_SIZE] = "";
        if (!value_of(tag, types[i], text))
            text[0] = 0;
        words[i] = orr_arena_strndup(g->log->arena, text, strlen(text));
        if (!words[i])
            return false;
    }
    record->values = values;
    record->words = words;
    g->channel = 0;
    return true;
}

/* A <gpu dev> or <net dev>: words like a log's, where "DEV/s-n" is a GPU by its number on system s. */
static bool add_member(struct graph_reading *g, const struct tag *tag)
{
    char text[VALUE_SIZE], word[VALUE_SIZE];
    if (!g->in_channel || !value_of(tag, "dev", text) || g->member_count == MEMBERS_MOST)
        return true;
    unsigned long long dev = strtoull(text, NULL, 0);
    snprintf(word, sizeof word, "%s/%llx-%llx", is(tag, "gpu") ? "DEV" : "NET", dev >> 56, dev & 0x00ffffffffffffffULL);
    g->members[g->member_count] = orr_arena_strndup(g->log->arena, word, strlen(word));
    return g->members[g->member_count++] != NULL;
}

static bool end_channel(struct graph_reading *g)
{
    struct orr_log_record *record = add(g, ORR_LOG_GRAPH_CHANNEL, g->channel_line, 1, g->member_count);
    double *values = record ? ORR_NEW(g->log->arena, double, 1) : NULL;
    const char **words = record ? ORR_NEW(g->log->arena, const char *, g->member_count) : NULL;
    if (!values || !words)
        return false;
    values[0] = g->channel++;
    if (g->member_count)
        memcpy(words, g->members, g->member_count * sizeof *words);
    record->values = values;
    record->words = words;
    g->in_channel = false;
    return true;
}

static enum orr_code read_tags(struct graph_reading *g, const char *bytes, size_t length, struct orr_error *err)
{
    const char *at = bytes, *end = bytes + length;
    uint32_t line = 1;
    struct tag tag;
    bool rooted = false, kept = true, graph = false;
    while (kept && next_tag(&at, end, &line, &tag)) {
        if (!rooted && !is(&tag, "graphs"))
            break;
        rooted = true;
        if (g->log->record_count > RECORDS_MOST)
            return orr_fail_at(err, ORR_LIMIT, tag.line, 0, "more than %d graphs and channels", (int)RECORDS_MOST);
        if (is(&tag, "graph") && !tag.closes) {
            kept = add_pattern(g, &tag);
            graph = true;
        } else if (is(&tag, "channel") && tag.closes && g->in_channel) {
            kept = end_channel(g);
        } else if (is(&tag, "channel") && !tag.closes && graph) {
            g->in_channel = true;
            g->member_count = 0;
            g->channel_line = tag.line;
        } else if (is(&tag, "gpu") || is(&tag, "net")) {
            kept = add_member(g, &tag);
        }
    }
    g->log->line_count = line;
    if (!kept)
        return orr_fail_nomem(err);
    return graph ? ORR_OK : orr_fail(err, ORR_UNRECOGNISED, "no <graphs> with a <graph> is in it");
}

bool orr_log_is_graph_file(const char *bytes, size_t length)
{
    const char *at = bytes;
    uint32_t line = 1;
    struct tag tag;
    enum { LOOKED_AT = 1 << 16 };
    return next_tag(&at, bytes + (length < LOOKED_AT ? length : LOOKED_AT), &line, &tag) && is(&tag, "graphs");
}

enum orr_code orr_log_read_graph_file(const char *bytes, size_t length, struct orr_log **ret_log, struct orr_error *err)
{
    if (length > orr_log_default_limits.bytes)
        return orr_fail(err, ORR_LIMIT, "%zu bytes, more than the %zu that are read", length,
                        orr_log_default_limits.bytes);
    struct orr_arena *arena = orr_arena_new(orr_log_default_limits.memory);
    struct orr_log *log = arena ? ORR_NEW(arena, struct orr_log, 1) : NULL;
    struct graph_reading *g = log ? ORR_NEW(arena, struct graph_reading, 1) : NULL;
    struct orr_log_session *session = g ? ORR_NEW(arena, struct orr_log_session, 1) : NULL;
    if (!session) {
        orr_arena_free(arena);
        return orr_fail_nomem(err);
    }
    log->arena = arena;
    log->byte_count = length;
    log->graph_file = true;
    *session = (struct orr_log_session){.writer = UINT32_MAX,
                                        .communicator = UINT32_MAX,
                                        .rank = -1,
                                        .rank_count = -1,
                                        .node_count = -1,
                                        .cuda_dev = -1};
    log->sessions = session;
    log->session_count = 1;
    g->log = log;
    enum orr_code code = read_tags(g, bytes, length, err);
    if (code != ORR_OK) {
        orr_arena_free(arena);
        return code;
    }
    *ret_log = log;
    return ORR_OK;
}

enum orr_code orr_log_read_any(const char *bytes, size_t length, struct orr_log **ret_log, struct orr_error *err)
{
    return orr_log_is_graph_file(bytes, length) ? orr_log_read_graph_file(bytes, length, ret_log, err)
                                                : orr_log_read(bytes, length, NULL, ret_log, err);
}
