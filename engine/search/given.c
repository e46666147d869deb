/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/search/given.h"

#include <stdlib.h>
#include <string.h>

#include "engine/release/release.h"

const struct orr_file_graph *orr_search_given(const struct orr_search_state *s, const struct orr_limits *limits,
                                              int32_t id)
{
    const struct orr_file_graph *given = orr_graph_file_find(s->input.file, id);
    bool by_setting = s->input.system->release->crossing_scope == ORR_CROSSING_SOME;
    bool may_cross =
        by_setting ? orr_setting_int(s->input.settings, ORR_SET_CROSS_NIC) != 0 : limits->start.cross_nic != 0;
    return given && given->cross_nic == 1 && !may_cross ? NULL : given;
}

/* Releases whose ids name a system read numbers as hexadecimal, older ones as decimal. */
static int64_t number_of(const struct orr_release *release, const char *text)
{
    bool hexadecimal = release->id_layout != ORR_ID_PLAIN;
    return hexadecimal ? (int64_t)strtoull(text, NULL, 16) : (int64_t)strtol(text, NULL, 10);
}

/* The host rank of a GPU of the file, -1 if the machine has no such GPU. */
static int32_t rank_of(const struct orr_search_state *s, const struct orr_file_member *member)
{
    const struct orr_release *release = s->input.system->release;
    int64_t wanted = number_of(release, member->dev);
    int32_t rank = release->graph_file_ranks && member->rank ? (int32_t)strtol(member->rank, NULL, 10) : -1;
    for (uint32_t g = 0; g < s->input.n; g++) {
        const struct orr_node *gpu = &s->input.system->nodes[orr_gpu_node(s, g)];
        int64_t id = (int64_t)((uint64_t)orr_id_system(gpu->id) << 56) + gpu->gpu.dev;
        if (rank >= 0 ? gpu->gpu.rank == rank : id == wanted)
            return gpu->gpu.rank;
    }
    return -1;
}

static enum orr_code misfit(uint32_t line, const char *what, struct orr_error *err)
{
    orr_fail_at(err, ORR_INVALID, line, 0, "the graph file does not fit this machine: %s", what);
    orr_error_advice(err, "give the graph file of this machine, or none: then NCCL searches for the graphs");
    return ORR_INVALID;
}

/* Every host reads the same file, whose ranks are those of the host that wrote it. */
static enum orr_code ranks_of_one_host(uint32_t line, const struct orr_release *release, struct orr_error *err)
{
    orr_fail_at(err, ORR_INVALID, line, 0,
                "the graph file names GPUs by their ranks on one host, so NCCL %s fails with it on several hosts",
                release->name);
    orr_error_advice(err, "remove the rank attributes from the <gpu> elements of the graph file");
    return ORR_INVALID;
}

static enum orr_code take_channel(const struct orr_search_state *s, const struct orr_file_channel *channel,
                                  uint32_t row, int32_t *gpus, int64_t nets[2], struct orr_error *err)
{
    uint32_t gpu_count = 0, net_count = 0;
    for (uint32_t i = 0; i < channel->member_count; i++) {
        const struct orr_file_member *member = &channel->members[i];
        if (!member->gpu) {
            if (net_count < 2)
                nets[net_count++] = number_of(s->input.system->release, member->dev);
            continue;
        }
        if (member->rank && s->input.system->release->graph_file_ranks && s->input.system->leaves_host)
            return ranks_of_one_host(channel->line, s->input.system->release, err);
        if (gpu_count == row)
            return misfit(channel->line, "a channel names more GPUs than this machine has", err);
        int32_t rank = rank_of(s, member);
        if (rank < 0)
            return misfit(channel->line, "it names a GPU that this machine does not have", err);
        for (uint32_t k = 0; k < gpu_count; k++)
            if (gpus[k] == rank)
                return misfit(channel->line, "a channel names a GPU twice", err);
        gpus[gpu_count++] = rank;
    }
    return gpu_count == row ? ORR_OK : misfit(channel->line, "a channel does not name every GPU of this machine", err);
}

/* NCCL's dictionary of graph files has no word for C2C, NET and DIS. It reads any word that it does not have as the
 * first entry, LOC. */
static enum orr_path_type type_of(const struct orr_release *release, const char *word)
{
    for (uint32_t i = 0; i < release->path_type_count; i++) {
        enum orr_path_type type = (enum orr_path_type)release->path_types[i];
        if (!strcmp(word, orr_path_type_name(type)))
            return type == ORR_PATH_C2C || type == ORR_PATH_NET || type == ORR_PATH_DIS ? ORR_PATH_LOC : type;
    }
    return ORR_PATH_LOC;
}

/* A single GPU gets trees if no ring is asked for. */
static bool fits(enum orr_graph_kind kind, int32_t pattern, uint32_t gpus)
{
    static const unsigned patterns_of[ORR_GRAPH_COUNT] = {
        [ORR_GRAPH_RING] = 1u << ORR_PATTERN_RING,
        [ORR_GRAPH_TREE] = 1u << ORR_PATTERN_BALANCED_TREE | 1u << ORR_PATTERN_SPLIT_TREE | 1u << ORR_PATTERN_TREE,
        [ORR_GRAPH_COLLNET_CHAIN] = 1u << ORR_PATTERN_TREE,
        [ORR_GRAPH_COLLNET_DIRECT] = 1u << ORR_PATTERN_COLLNET_DIRECT,
        [ORR_GRAPH_NVLS] = 1u << ORR_PATTERN_NVLS,
    };
    unsigned allowed = patterns_of[kind] | (gpus == 1 && kind != ORR_GRAPH_RING ? 1u << ORR_PATTERN_TREE : 0);
    return pattern > 0 && pattern < 8 && (allowed >> pattern & 1);
}

static enum orr_code check_complete(const struct orr_file_graph *given, struct orr_error *err)
{
    if (!given->lacks)
        return ORR_OK;
    return orr_fail_at(err, ORR_INVALID, given->line, 0, "a graph has no attribute %s, and NCCL fails without it",
                       given->lacks);
}

static enum orr_code check_fields(const struct orr_search_state *s, enum orr_graph_kind kind,
                                  const struct orr_file_graph *given, struct orr_error *err)
{
    if (!fits(kind, given->pattern, s->input.n))
        return misfit(given->line, "a graph has another pattern than NCCL gives the graph of this id", err);
    if (given->channel_count > (int32_t)given->held)
        return misfit(given->line, "a graph has fewer channels than its nchannels says", err);
    if (given->channel_count > s->input.system->release->max_channels)
        return misfit(given->line, "a graph has more channels than this release allows", err);
    if (given->held && (given->bw_intra <= 0 || given->bw_inter < 0))
        return misfit(given->line, "a graph has no bandwidth", err);
    return ORR_OK;
}

enum orr_code orr_search_take(const struct orr_search_state *s, enum orr_graph_kind kind,
                              const struct orr_file_graph *given, struct orr_arena *arena, struct orr_graph *ret_graph,
                              struct orr_error *err)
{
    uint32_t row = given->pattern == ORR_PATTERN_NVLS ? 1 : s->input.n;
    ORR_TRY(check_complete(given, err));
    ORR_TRY(check_fields(s, kind, given, err));
    int32_t *gpus = ORR_NEW(arena, int32_t, (size_t)given->held * s->input.n);
    int64_t(*nets)[2] = orr_arena_alloc(arena, given->held, sizeof *nets);
    if (!gpus || !nets)
        return orr_fail_nomem(err);
    for (uint32_t c = 0; c < given->held; c++)
        ORR_TRY(take_channel(s, &given->channels[c], row, gpus + (size_t)c * s->input.n, nets[c], err));
    *ret_graph = (struct orr_graph){
        .kind = kind,
        .pattern = (enum orr_pattern)given->pattern,
        .channels = given->channel_count,
        .bw_intra = given->bw_intra,
        .bw_inter = given->bw_inter,
        .latency_inter = given->latency_inter,
        .type_intra = type_of(s->input.system->release, given->type_intra),
        .type_inter = type_of(s->input.system->release, given->type_inter),
        .cross_nic = given->cross_nic,
        .same_channels = given->same_channels,
        .story = {.end = ORR_END_FILE, .asked_pattern = (uint8_t)given->pattern},
        .gpu_count = s->input.n,
        .row_count = row,
        .gpus = gpus,
        .nets = s->input.inter ? (const int64_t(*)[2])nets : NULL,
    };
    return ORR_OK;
}
