/* SPDX-License-Identifier: Apache-2.0 */
/* The settings that may change a decision, a table by kind of decision. what_ifs.c tries them. */
#include <stdlib.h>
#include <string.h>

#include "engine/explain/explainer.h"

/* Fills up to ORR_CANDIDATE_VALUES texts; returns how many. */
typedef unsigned value_maker(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES]);

/* The level just below `type` in the release's list. */
static const char *level_below(const struct orr_release *release, enum orr_path_type type)
{
    int number = orr_path_type_number(release, type);
    return orr_path_type_name(number > 0 ? orr_path_type_of_number(release, number - 1) : ORR_PATH_LOC);
}

/* The level that would allow a pair that is not allowed, or exclude one that is. */
static unsigned levels_around(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES], bool allowed)
{
    const struct orr_release *release = e->a->query.settings.release;
    const struct orr_paths *direct = orr_hardware(e, NULL);
    if (!direct) { /* the paths were found before, so memory must have run out */
        orr_arena_starve(e->arena);
        return 0;
    }
    enum orr_path_type type = (enum orr_path_type)orr_path(direct, e->from, e->to)->type;
    if (type > ORR_PATH_SYS || type == ORR_PATH_LOC)
        return 0;
    values[0] = allowed ? level_below(release, type) : orr_path_type_name(type);
    return 1;
}

static bool is_pair_of(const struct orr_explainer *e, enum orr_node_type from, enum orr_node_type to)
{
    return e->part->system.nodes[e->from].type == from && e->part_of_to->system.nodes[e->to].type == to;
}

static unsigned p2p_levels(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES])
{
    if (!is_pair_of(e, ORR_GPU, ORR_GPU) || e->from == e->to)
        return 0;
    size_t a = (size_t)e->part->system.nodes[e->from].gpu.rank, b = (size_t)e->part_of_to->system.nodes[e->to].gpu.rank;
    if (e->part != e->part_of_to) {
        values[0] = "SYS";
        return 1;
    }
    return levels_around(e, values, e->a->p2p[a * e->a->local_ranks + b].decision.verdict);
}

static unsigned gdr_levels(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES])
{
    bool sends = is_pair_of(e, ORR_GPU, ORR_NET), receives = is_pair_of(e, ORR_NET, ORR_GPU);
    const struct orr_system *system = &e->part->system;
    if (!sends && !receives)
        return 0;
    uint32_t gpu = (sends ? e->from : e->to) - system->first[ORR_GPU];
    uint32_t net = (sends ? e->to : e->from) - system->first[ORR_NET];
    const struct orr_gdr *gdr = &e->part->gdr[(size_t)gpu * orr_system_count(system, ORR_NET) + net];
    return levels_around(e, values, sends ? gdr->send.verdict : gdr->recv.verdict);
}

/* Twice the present number of channels, and half of it. */
static unsigned more_channels(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES])
{
    int32_t twice = 2 * e->a->communicator.channel_count, most = e->a->query.settings.release->max_channels;
    values[0] = orr_tell(e, "%d", twice < most ? twice : most);
    return 1;
}
static unsigned fewer_channels(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES])
{
    values[0] = orr_tell(e, "%d", e->a->communicator.channel_count / 2);
    return e->a->communicator.channel_count > 1;
}
static unsigned fewer_nvls(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES])
{
    values[0] = orr_tell(e, "%d", e->a->communicator.nvls_channels / 2);
    return e->a->communicator.nvls && e->a->communicator.nvls_channels > 1;
}

/* The algorithms or protocols with the next best times after the chosen one. */
static unsigned others_by_time(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES], bool protocols)
{
    const struct orr_release *release = e->a->query.settings.release;
    const struct orr_tuning *t = &e->a->tuning;
    struct orr_choice choice;
    unsigned count = 0, width = protocols ? (unsigned)ORR_PROTOCOL_COUNT : t->algorithm_count;
    if (!orr_tuning_choose(t, &e->a->communicator, &e->a->query.settings, e->why->function, e->why->bytes, &choice))
        return 0;
    for (unsigned i = 0; i < width && count < ORR_CANDIDATE_VALUES; i++) {
        bool usable = false;
        for (unsigned k = 0; k < (protocols ? t->algorithm_count : (unsigned)ORR_PROTOCOL_COUNT); k++)
            usable = usable || t->bandwidth[e->why->function][protocols ? k : i][protocols ? i : k] > 0;
        if (!usable || i == (protocols ? (unsigned)choice.protocol : (unsigned)choice.algorithm))
            continue;
        values[count++] =
            protocols ? orr_protocol_name((enum orr_protocol)i) : orr_algorithm_name(release, (enum orr_algorithm)i);
    }
    return count;
}
static unsigned other_algorithms(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES])
{
    return others_by_time(e, values, false);
}
static unsigned other_protocols(struct orr_explainer *e, const char *values[ORR_CANDIDATE_VALUES])
{
    return others_by_time(e, values, true);
}

#define ORR_OF(kind) (1u << ORR_WHY_##kind)

/* The candidates, the most informative first. what_ifs.c skips a value that is already in force, and a setting that the
 * release does not have. */
static const struct candidate {
    unsigned kinds; /* bits of enum orr_why_kind */
    enum orr_setting setting;
    value_maker *make; /* NULL if `values` are fixed */
    const char *values[ORR_CANDIDATE_VALUES];
} candidates[] = {
    {ORR_OF(P2P) | ORR_OF(PATH), ORR_SET_P2P_LEVEL, p2p_levels, {NULL}},
    {ORR_OF(GDR) | ORR_OF(PATH) | ORR_OF(PXN), ORR_SET_NET_GDR_LEVEL, gdr_levels, {NULL}},
    {ORR_OF(P2P), ORR_SET_P2P_DISABLE, NULL, {"0", "1"}},
    {ORR_OF(P2P) | ORR_OF(PATH), ORR_SET_NVB_DISABLE, NULL, {"0", "1"}},
    {ORR_OF(GDR), ORR_SET_NET_GDR_READ, NULL, {"0", "1"}},
    {ORR_OF(GDR), ORR_SET_NET_GDR_C2C, NULL, {"0", "1"}},
    {ORR_OF(GDR), ORR_SET_NET_GDR_MLOPART, NULL, {"0", "1"}},
    {ORR_OF(NIC) | ORR_OF(GRAPH) | ORR_OF(TREE) | ORR_OF(CHANNELS), ORR_SET_CROSS_NIC, NULL, {"0", "1", "2"}},
    {ORR_OF(NIC) | ORR_OF(PXN) | ORR_OF(GDR) | ORR_OF(GRAPH), ORR_SET_PXN_DISABLE, NULL, {"0", "1"}},
    {ORR_OF(PXN) | ORR_OF(NIC), ORR_SET_PXN_C2C, NULL, {"0", "1"}},
    {ORR_OF(NIC), ORR_SET_NETDEVS_POLICY, NULL, {"ALL", "MAX:1"}},
    {ORR_OF(PATH), ORR_SET_NET_DISABLE_INTRA, NULL, {"0", "1"}},
    {ORR_OF(PATH), ORR_SET_SHM_DISABLE, NULL, {"0", "1"}},
    {ORR_OF(NVLS) | ORR_OF(CHANNELS), ORR_SET_NVLS_ENABLE, NULL, {"0", "1"}},
    {ORR_OF(NVLS), ORR_SET_NVLS_NCHANNELS, fewer_nvls, {NULL}},
    {ORR_OF(CHANNELS), ORR_SET_MIN_NCHANNELS, more_channels, {NULL}},
    {ORR_OF(CHANNELS), ORR_SET_MAX_NCHANNELS, fewer_channels, {NULL}},
    {ORR_OF(GRAPH) | ORR_OF(TREE) | ORR_OF(CHANNELS) | ORR_OF(NVLS), ORR_SET_P2P_DISABLE, NULL, {"0", "1"}},
    {ORR_OF(GRAPH) | ORR_OF(TREE) | ORR_OF(CHANNELS) | ORR_OF(NIC), ORR_SET_P2P_LEVEL, NULL, {"SYS"}},
    {ORR_OF(GRAPH) | ORR_OF(CHANNELS) | ORR_OF(NIC), ORR_SET_NET_GDR_LEVEL, NULL, {"SYS"}},
    {ORR_OF(GRAPH) | ORR_OF(TREE), ORR_SET_NVB_DISABLE, NULL, {"0", "1"}},
    {ORR_OF(SYMMETRIC) | ORR_OF(CE), ORR_SET_WIN_ENABLE, NULL, {"1", "0"}},
    {ORR_OF(SYMMETRIC) | ORR_OF(CE), ORR_SET_CUMEM_ENABLE, NULL, {"1", "0"}},
    {ORR_OF(SYMMETRIC) | ORR_OF(GIN), ORR_SET_IB_MERGE_NICS, NULL, {"0"}},
    {ORR_OF(SYMMETRIC) | ORR_OF(GIN), ORR_SET_CROSS_NIC, NULL, {"2", "0"}},
    {ORR_OF(GIN), ORR_SET_GIN_ENABLE, NULL, {"1", "0"}},
    {ORR_OF(SYMMETRIC), ORR_SET_SYM_GIN_KERNELS_ENABLE, NULL, {"1", "0"}},
    {ORR_OF(SYMMETRIC), ORR_SET_SYM_NOWIN_ENABLE, NULL, {"1"}},
    {ORR_OF(SYMMETRIC) | ORR_OF(REGISTRATION), ORR_SET_P2P_LEVEL, NULL, {"SYS"}},
    {ORR_OF(SYMMETRIC) | ORR_OF(MULTIMEM), ORR_SET_NVLS_ENABLE, NULL, {"2", "0"}},
    {ORR_OF(LSA), ORR_SET_LSA_TEAM_SIZE, NULL, {"1"}},
    {ORR_OF(CE), ORR_SET_CTA_POLICY, NULL, {"ZERO"}},
    {ORR_OF(REGISTRATION), ORR_SET_PXN_DISABLE, NULL, {"0", "1"}},
    {ORR_OF(ALGORITHM), ORR_SET_ALGO, other_algorithms, {NULL}},
    {ORR_OF(ALGORITHM), ORR_SET_PROTO, other_protocols, {NULL}},
    {ORR_OF(ALGORITHM), ORR_SET_NVLS_ENABLE, NULL, {"0"}},
    {ORR_OF(ALGORITHM), ORR_SET_MIN_NCHANNELS, more_channels, {NULL}},
};
enum { CANDIDATE_COUNT = sizeof candidates / sizeof candidates[0] };

bool orr_candidate(struct orr_explainer *e, unsigned index, enum orr_setting *ret_setting,
                   const char *values[ORR_CANDIDATE_VALUES], unsigned *ret_count)
{
    const struct candidate *row = &candidates[index];
    *ret_count = 0;
    if (index >= CANDIDATE_COUNT)
        return false;
    *ret_setting = row->setting;
    if (!(row->kinds >> e->why->kind & 1))
        return true;
    if (row->make)
        *ret_count = row->make(e, values);
    else
        while (*ret_count < ORR_CANDIDATE_VALUES && row->values[*ret_count]) {
            values[*ret_count] = row->values[*ret_count];
            ++*ret_count;
        }
    return true;
}
