/* SPDX-License-Identifier: Apache-2.0 */
/* Reads a graph file (NCCL_GRAPH_DUMP_FILE) as if it were the log lines about the same graphs: "Pattern ..." and a line
 * for each channel. */
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"
#include "engine/topology/graph_file.h"

struct writing {
    struct orr_log *log;
    unsigned capacity;
};

static struct orr_log_record *add_record(struct writing *w, enum orr_log_kind kind, uint32_t line, uint32_t value_count,
                                         const double *values, uint32_t word_count, const char *const *words)
{
    struct orr_log *log = w->log;
    if (!ORR_RESERVE(log->arena, log->records, log->record_count, w->capacity))
        return NULL;
    struct orr_log_record *record = &log->records[log->record_count];
    double *kept_values = ORR_NEW(log->arena, double, value_count);
    const char **kept_words = ORR_NEW(log->arena, const char *, word_count);
    if (!kept_values || !kept_words)
        return NULL;
    memcpy(kept_values, values, value_count * sizeof *values);
    if (word_count)
        memcpy(kept_words, words, word_count * sizeof *words);
    *record = (struct orr_log_record){.kind = kind,
                                      .line = line,
                                      .values = kept_values,
                                      .words = kept_words,
                                      .value_count = value_count,
                                      .word_count = word_count};
    log->record_count++;
    log->kinds[kind]++;
    return record;
}

/* Makes words like a log's, in which "DEV/s-n" is the GPU with number n on system s. */
static const char *member_word(struct writing *w, const struct orr_file_member *member)
{
    unsigned long long dev = strtoull(member->dev, NULL, 0);
    return orr_arena_printf(w->log->arena, "%s/%llx-%llx", member->gpu ? "DEV" : "NET", dev >> 56,
                            dev & 0x00ffffffffffffffULL);
}

static bool add_channel(struct writing *w, const struct orr_file_channel *channel, uint32_t index)
{
    const double value = index;
    const char **words = ORR_NEW(w->log->arena, const char *, channel->member_count);
    for (uint32_t i = 0; words && i < channel->member_count; i++)
        if (!(words[i] = member_word(w, &channel->members[i])))
            return false;
    return words && add_record(w, ORR_LOG_GRAPH_CHANNEL, channel->line, 1, &value, channel->member_count, words);
}

static bool add_graph(struct writing *w, const struct orr_file_graph *graph)
{
    const double values[] = {graph->pattern,  graph->cross_nic, graph->channel_count,
                             graph->bw_intra, graph->bw_inter,  graph->same_channels};
    const char *words[] = {graph->type_intra, graph->type_inter};
    bool kept = add_record(w, ORR_LOG_PATTERN, graph->line, 6, values, 2, words);
    for (uint32_t c = 0; kept && c < graph->held; c++)
        kept = add_channel(w, &graph->channels[c], c);
    return kept;
}

/* Reads a graph file (engine/topology/graph_file.h) as the log lines about the same graphs; it names no release,
 * writers or communicators. */
static enum orr_code log_read_graph_file(const char *bytes, size_t length, struct orr_log **ret_log,
                                         struct orr_error *err)
{
    if (length > orr_log_default_limits.bytes)
        return orr_fail(err, ORR_LIMIT, "%zu bytes, more than the %zu that are read", length,
                        orr_log_default_limits.bytes);
    ORR_LOCAL_ARENA(arena, orr_log_default_limits.memory);
    struct orr_log *log = ORR_NEW(arena, struct orr_log, 1);
    struct orr_log_session *session = ORR_NEW(arena, struct orr_log_session, 1);
    const struct orr_graph_file *file = NULL;
    ORR_NEED(log && session, err);
    ORR_TRY(orr_graph_file_read(bytes, length, 1, arena, &file, err));
    if (!file->count)
        return orr_fail(err, ORR_UNRECOGNISED, "this graph file has no <graph>");
    struct writing w = {.log = log};
    log->arena = arena;
    log->byte_count = length;
    log->line_count = file->line_count;
    log->graph_file = true;
    *session = (struct orr_log_session){.writer = UINT32_MAX,
                                        .communicator = UINT32_MAX,
                                        .rank = -1,
                                        .rank_count = -1,
                                        .node_count = -1,
                                        .cuda_dev = -1,
                                        .nvml_dev = -1};
    log->sessions = session;
    log->session_count = 1;
    for (uint32_t i = 0; i < file->count; i++)
        ORR_NEED(add_graph(&w, &file->graphs[i]), err);
    ORR_NEED(orr_log_index_records(log), err);
    orr_arena_take(&arena);
    *ret_log = log;
    return ORR_OK;
}

enum orr_code orr_log_read_any(const char *bytes, size_t length, struct orr_log **ret_log, struct orr_error *err)
{
    return orr_is_graph_file(bytes, length) ? log_read_graph_file(bytes, length, ret_log, err)
                                            : orr_log_read(bytes, length, NULL, ret_log, err);
}
