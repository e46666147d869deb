/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of "Pattern" lines and the channels below them: the results of each host's search. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_comparing/log_facts.h"

/* The graph that a session prints: NCCL prints them in a fixed order. */
struct graph_state {
    enum orr_graph_kind kind;
    bool any, tree_seen;
};

static enum orr_graph_kind kind_after(struct graph_state *state, int pattern)
{
    if (pattern == ORR_PATTERN_RING) {
        *state = (struct graph_state){.kind = ORR_GRAPH_RING};
    } else if (pattern == ORR_PATTERN_NVLS) {
        state->kind = ORR_GRAPH_NVLS;
    } else if (pattern == ORR_PATTERN_COLLNET_DIRECT) {
        state->kind = ORR_GRAPH_COLLNET_DIRECT;
    } else {
        state->kind = state->tree_seen ? ORR_GRAPH_COLLNET_CHAIN : ORR_GRAPH_TREE;
        state->tree_seen = true;
    }
    state->any = true;
    return state->kind;
}

static void add_figure(struct orr_log_facts *f, const struct orr_log_record *record, const char *graph,
                       const char *what, struct orr_log_value logged, struct orr_log_value predicted)
{
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_GRAPHS, record->line, logged, "%s: %s", graph, what);
    if (fact)
        orr_log_fact_compare(f, fact, predicted);
}

static void add_pattern(struct orr_log_facts *f, const struct orr_log_record *record, enum orr_graph_kind kind)
{
    enum { PATTERN, CROSS, CHANNELS, INTRA, INTER, SAME };
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    const struct orr_graph *graph = &part->contribution.graphs[kind];
    const char *name = orr_graph_name(f->analysis->query.settings.release, kind);
    const double *v = record->values;
    char logged[80], predicted[80];
    if (record->word_count < 2) /* 2.5's line has no names of types */
        return;
    if (graph->pattern == ORR_PATTERN_NONE) {
        struct orr_log_fact *fact =
            orr_log_fact_new(f, ORR_TOPIC_GRAPHS, record->line, orr_log_count(v[CHANNELS]), "%s: channels", name);
        if (fact && v[CHANNELS] > 0)
            orr_log_fact_lacking(f, fact, "the graph is not searched");
        else if (fact)
            orr_log_fact_compare(f, fact, orr_log_count(0));
        return;
    }
    add_figure(f, record, name, "channels", orr_log_count(v[CHANNELS]), orr_log_count(graph->channels));
    if (v[CHANNELS] <= 0 && graph->channels <= 0)
        return;
    add_figure(f, record, name, "pattern", orr_log_count(v[PATTERN]), orr_log_count(graph->pattern));
    snprintf(logged, sizeof logged, "%.3f inside, %.3f to NICs", v[INTRA], v[INTER]);
    snprintf(predicted, sizeof predicted, "%.3f inside, %.3f to NICs", (double)graph->bw_intra,
             (double)graph->bw_inter);
    add_figure(f, record, name, "GB/s of a channel", orr_log_words(logged), orr_log_words(predicted));
    snprintf(logged, sizeof logged, "%.7s inside, %.7s to NICs", record->words[0], record->words[1]);
    snprintf(predicted, sizeof predicted, "%s inside, %s to NICs", orr_path_type_name(graph->type_intra),
             orr_path_type_name(graph->type_inter));
    add_figure(f, record, name, "path types", orr_log_words(logged), orr_log_words(predicted));
    add_figure(f, record, name, "NICs crossed", orr_log_count(v[CROSS]), orr_log_count(graph->cross_nic));
    add_figure(f, record, name, "channels alike", orr_log_count(v[SAME]), orr_log_count(graph->same_channels));
}

static void append(char *text, const char *word)
{
    size_t length = strlen(text);
    snprintf(text + length, ORR_LOG_FACT_TEXT - length, "%s%s", length ? " " : "", word);
}

/* The host rank of a GPU that a graph line names by bus id or, before 2.27, by its rank in the communicator. */
static int32_t gpu_of(const struct orr_log_facts *f, const struct orr_part *part, const char *word)
{
    char id[ORR_NODE_ID_SIZE];
    char *end;
    if (!strncmp(word, "DEV", 3)) { /* a graph file's: by number on its system */
        unsigned long system = strtoul(word + 4, &end, 16), dev = strtoul(*end ? end + 1 : end, NULL, 16);
        for (uint32_t i = part->system.first[ORR_GPU]; i < part->system.first[ORR_GPU + 1]; i++)
            if (orr_id_system(part->system.nodes[i].id) == system &&
                (unsigned long)(unsigned)part->system.nodes[i].gpu.dev == dev)
                return part->system.nodes[i].gpu.rank;
        return -1;
    }
    if (!strchr(word, '-')) {
        long rank = strtol(word + 4, &end, 10);
        return *end || rank < 0 || rank > INT32_MAX ? -1 : orr_log_facts_seat(f, (int32_t)rank).local;
    }
    uint32_t node = orr_system_find(&part->system, orr_log_node_id(word, id));
    return node == ORR_NO_NODE || part->system.nodes[node].type != ORR_GPU ? -1 : part->system.nodes[node].gpu.rank;
}

static void add_order(struct orr_log_facts *f, const struct orr_log_record *record, enum orr_graph_kind kind)
{
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    const struct orr_graph *graph = &part->contribution.graphs[kind];
    char logged[ORR_LOG_FACT_TEXT] = "", predicted[ORR_LOG_FACT_TEXT] = "", word[ORR_NODE_ID_SIZE];
    int channel = (int)record->values[0];
    bool has_nets = false;
    for (uint32_t i = 0; i < record->word_count; i++) {
        if (strncmp(record->words[i], "NET", 3) != 0) {
            int32_t rank = gpu_of(f, part, record->words[i]);
            snprintf(word, sizeof word, "%d", rank);
            append(logged, rank < 0 ? record->words[i] : word);
        } else {
            has_nets = true;
            append(logged, orr_log_node_id(record->words[i], word));
        }
    }
    const char *name = orr_graph_name(f->analysis->query.settings.release, kind);
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_ORDERS, record->line, orr_log_words(logged),
                                                 "%s: order of channel %d", name, channel);
    if (!fact)
        return;
    if (graph->pattern == ORR_PATTERN_NONE || channel < 0 || channel >= graph->channels) {
        orr_log_fact_lacking(f, fact, "no such channel");
        return;
    }
    bool with_nets = graph->nets && has_nets;
    if (with_nets)
        append(predicted, orr_node_id_format(ORR_NET, graph->nets[channel][0], word));
    for (uint32_t i = 0; i < graph->row_count; i++) {
        snprintf(word, sizeof word, "%d", graph->gpus[(size_t)(unsigned)channel * graph->gpu_count + i]);
        append(predicted, word);
    }
    if (with_nets && record->word_count > graph->row_count + 1)
        append(predicted, orr_node_id_format(ORR_NET, graph->nets[channel][1], word));
    orr_log_fact_compare(f, fact, orr_log_words(predicted));
}

enum orr_code orr_log_facts_of_graphs(struct orr_log_facts *f, struct orr_error *err)
{
    struct graph_state *states = ORR_NEW(f->arena, struct graph_state, f->log->session_count);
    ORR_NEED(states, err);
    const struct orr_log_own own = orr_log_records_of(f->log, f->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &f->log->records[own.at[i]];
        struct graph_state *state = &states[record->session];
        if (record->kind == ORR_LOG_PATTERN)
            add_pattern(f, record, kind_after(state, (int)record->values[0]));
        else if (record->kind == ORR_LOG_GRAPH_CHANNEL && state->any)
            add_order(f, record, state->kind);
    }
    return ORR_OK;
}
