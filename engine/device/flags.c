/* SPDX-License-Identifier: Apache-2.0 */
/* P2P and NVLink between the GPUs of a node. The first pair that fails decides, and is named. docs/nccl/device-side.md,
 * "Access between the GPUs of a node". */
#include "engine/decide/verdicts.h"
#include "engine/device/deciding.h"
#include "engine/release/connect_rules.h"
#include "engine/release/release.h"

struct pair {
    int32_t a, b; /* host ranks */
    uint32_t from, to;
};

/* "GPU 0 to GPU 4", with their host if hosts differ. */
static const char *pair_name(struct orr_device_side *d, const struct orr_device_nodes *kind, int32_t a, int32_t b)
{
    const char *text = kind == d->kinds ? orr_arena_printf(d->arena, "GPU %d to GPU %d", a, b)
                                        : orr_arena_printf(d->arena, "GPU %d to GPU %d of the node with rank %d", a, b,
                                                           kind->first_rank);
    return text ? text : "";
}

static const char *type_words(struct orr_device_side *d, enum orr_path_type type)
{
    const char *text = orr_arena_printf(d->arena, "%s (%s)", orr_path_type_name(type), orr_path_type_meaning(type));
    return text ? text : "";
}

/* A verdict for a pair without P2P. Its remedy is the level that admits their path, unless P2P was switched off. */
static void say_no_p2p(struct orr_device_side *d, struct orr_device_nodes *kind, const struct orr_p2p *p2p, int32_t a,
                       int32_t b)
{
    const enum orr_path_type distance = (enum orr_path_type)p2p->decision.distance;
    orr_device_say(d, kind, ORR_DEVICE_DIRECT_P2P, 0, "PAIR_WITHOUT_P2P", 0,
                   "From %s there is no P2P: the path is %s, and the P2P level is %s.", pair_name(d, kind, a, b),
                   type_words(d, distance), orr_path_type_name((enum orr_path_type)p2p->decision.level));
    if (p2p->decision.setting == ORR_SET_P2P_DISABLE)
        orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_P2P, "Without NCCL_P2P_DISABLE=1 NCCL may use P2P.");
    else if (distance <= ORR_PATH_SYS)
        orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_P2P, "NCCL_P2P_LEVEL=%s lets NCCL use P2P at this distance.",
                          orr_path_type_name(distance));
    else
        orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_P2P, "NVLink or a common PCIe switch would join them.");
}

/* Whether a pair counts; if not, the verdict says why. */
static bool reaches(struct orr_device_side *d, struct orr_device_nodes *kind, const struct pair *pair)
{
    const struct orr_p2p *p2p = &kind->host->p2p[(size_t)pair->a * kind->host->local_ranks + (size_t)pair->b];
    bool relayed = p2p->via >= 0;
    const struct orr_settings *settings = &d->analysis->query.settings;
    if (!p2p->decision.verdict) {
        say_no_p2p(d, kind, p2p, pair->a, pair->b);
        return false;
    }
    if (d->rules->direct_p2p == ORR_DIRECT_P2P_PAIRS && relayed) {
        orr_device_say(d, kind, ORR_DEVICE_DIRECT_P2P, 0, "PAIR_BY_RELAY", 0,
                       "From %s NVLink leads through GPU %d, not directly.", pair_name(d, kind, pair->a, pair->b),
                       p2p->via);
        orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_P2P, "NVSwitches, or NVLinks between all pairs, would change it.");
        return false;
    }
    if (d->rules->direct_p2p != ORR_DIRECT_P2P_CONNECTED)
        return true;
    if (relayed && orr_setting_int(settings, ORR_SET_P2P_USE_CUDA_MEMCPY) != 0) {
        orr_device_say(d, kind, ORR_DEVICE_DIRECT_P2P, 0, "PAIR_RELAY_OFF", 0,
                       "From %s data needs GPU %d as a relay, which NCCL_P2P_USE_CUDA_MEMCPY=1 excludes.",
                       pair_name(d, kind, pair->a, pair->b), p2p->via);
        orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_P2P, "NCCL_P2P_USE_CUDA_MEMCPY=0 allows the relay.");
        return false;
    }
    if (!relayed && orr_network_is_better(&kind->part->paths, settings, pair->from, pair->to)) {
        orr_device_say(d, kind, ORR_DEVICE_DIRECT_P2P, 0, "PAIR_OVER_NETWORK", 0,
                       "From %s data uses the network, which is faster there.", pair_name(d, kind, pair->a, pair->b));
        orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_P2P, "NCCL_NET_DISABLE_INTRA=1 keeps NCCL from using it.");
        return false;
    }
    return true;
}

static void decide_direct(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    const struct orr_contribution *own = &kind->part->contribution;
    if (d->rules->direct_p2p == ORR_DIRECT_P2P_NONE)
        return;
    if (own->rank_count == 1) {
        bool counts = d->rules->direct_p2p_alone;
        orr_device_say(d, kind, ORR_DEVICE_DIRECT_P2P, counts, counts ? "ALONE" : "ALONE_DOES_NOT_COUNT", 0,
                       counts ? "The rank is alone on its node, so it reaches every rank there."
                              : "The rank is alone on its node, which does not count as P2P in this release.");
        if (!counts)
            orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_P2P, "In NCCL 2.28.7 or newer it counts.");
        return;
    }
    for (uint32_t i = 0; i < own->rank_count; i++)
        for (uint32_t k = i + 1; k < own->rank_count; k++) {
            struct pair pair = {.a = own->ranks[i], .b = own->ranks[k]};
            pair.from = orr_gpu_of_rank(&kind->part->system, pair.a);
            pair.to = orr_gpu_of_rank(&kind->part->system, pair.b);
            if (pair.from != ORR_NO_NODE && pair.to != ORR_NO_NODE && !reaches(d, kind, &pair))
                return;
        }
    orr_device_say(d, kind, ORR_DEVICE_DIRECT_P2P, 1, "ALL_PAIRS", ORR_DEVICE_ASSUMES_NVML, "%s",
                   d->rules->direct_p2p == ORR_DIRECT_P2P_CONNECTED
                       ? "P2P connects all pairs of GPUs of the node; GPUs that relay count."
                       : "All pairs of GPUs of the node use P2P without a relay.");
}

/* This verdict does not depend on the path or the P2P level. */
static void decide_cuda(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    if (!d->rules->cuda_p2p)
        return;
    if (kind->part->contribution.rank_count == 1)
        orr_device_say(d, kind, ORR_DEVICE_CUDA_P2P, 1, "ALONE", 0, "The rank is alone on its node.");
    else if (orr_device_setting(d, ORR_SET_IGNORE_DISABLED_P2P) == 2)
        orr_device_say(d, kind, ORR_DEVICE_CUDA_P2P, 1, "NVML_NOT_ASKED", 0,
                       "NCCL_IGNORE_DISABLED_P2P=2 keeps NCCL from asking NVML.");
    else
        orr_device_say(d, kind, ORR_DEVICE_CUDA_P2P, 1, "NVML_ASSUMED_OK", ORR_DEVICE_ASSUMES_NVML,
                       "NVML is assumed to report P2P as OK for every pair. Path and P2P level do not matter.");
}

/* The nearest and the farthest pair of GPUs of the system. */
static void measure_pairs(const struct orr_part *part, struct pair *nearest, struct pair *farthest)
{
    const struct orr_system *system = &part->system;
    uint32_t first = system->first[ORR_GPU], end = system->first[ORR_GPU + 1];
    *nearest = *farthest = (struct pair){.from = ORR_NO_NODE};
    for (uint32_t a = first; a < end; a++)
        for (uint32_t b = first; b < end; b++) {
            if (a == b)
                continue;
            struct pair pair = {system->nodes[a].gpu.rank, system->nodes[b].gpu.rank, a, b};
            uint8_t type = orr_path(&part->paths, a, b)->type;
            if (nearest->from == ORR_NO_NODE || type < orr_path(&part->paths, nearest->from, nearest->to)->type)
                *nearest = pair;
            if (farthest->from == ORR_NO_NODE || type > orr_path(&part->paths, farthest->from, farthest->to)->type)
                *farthest = pair;
        }
}

static void decide_nvlink(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    struct pair nearest, farthest;
    bool by_nearest = d->rules->all_nvlink == ORR_NVLINK_BY_NEAREST;
    measure_pairs(kind->part, &nearest, &farthest);
    const struct pair *pair = by_nearest ? &nearest : &farthest;
    if (pair->from == ORR_NO_NODE) {
        orr_device_say(d, kind, ORR_DEVICE_ALL_NVLINK, !by_nearest, by_nearest ? "ALONE_DOES_NOT_COUNT" : "ALONE", 0,
                       "The GPU is alone on its node, which %s in this release.",
                       by_nearest ? "does not count" : "counts");
        return;
    }
    enum orr_path_type type = (enum orr_path_type)orr_path(&kind->part->paths, pair->from, pair->to)->type;
    bool near = type < ORR_PATH_PIX;
    orr_device_say(d, kind, ORR_DEVICE_ALL_NVLINK, near, near ? "PAIRS_BY_NVLINK" : "PAIR_WITHOUT_NVLINK", 0,
                   "The %s path between two GPUs, from %s, is %s.", by_nearest ? "nearest" : "farthest",
                   pair_name(d, kind, pair->a, pair->b), type_words(d, type));
    if (!near)
        orr_device_remedy(d, kind, ORR_DEVICE_ALL_NVLINK, "NVLinks between all GPUs would change it.");
}

static void decide_direct_nvlink(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    struct pair nearest, farthest;
    const enum orr_direct_nvlink rule = d->rules->direct_nvlink;
    if (rule == ORR_DIRECT_NVLINK_NONE)
        return;
    measure_pairs(kind->part, &nearest, &farthest);
    if (farthest.from == ORR_NO_NODE) {
        bool counts = rule == ORR_DIRECT_NVLINK_OR_ALONE;
        orr_device_say(d, kind, ORR_DEVICE_DIRECT_NVLINK, counts, counts ? "ALONE" : "ALONE_DOES_NOT_COUNT", 0,
                       "The GPU is alone on its node, which %s in this release.", counts ? "counts" : "does not count");
        if (!counts)
            orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_NVLINK, "In NCCL 2.30.7 it counts.");
        return;
    }
    enum orr_path_type type = (enum orr_path_type)orr_path(&kind->part->paths, farthest.from, farthest.to)->type;
    bool direct = type <= ORR_PATH_NVL;
    orr_device_say(d, kind, ORR_DEVICE_DIRECT_NVLINK, direct, direct ? "PAIRS_BY_NVLINK" : "PAIR_WITHOUT_NVLINK", 0,
                   "The farthest path between two GPUs, from %s, is %s.", pair_name(d, kind, farthest.a, farthest.b),
                   type_words(d, type));
    if (direct)
        return;
    if (orr_device_setting(d, ORR_SET_P2P_DISABLE) == 1)
        orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_NVLINK,
                          "NCCL_P2P_DISABLE=1 leads all paths through a CPU; without it NVLink may count.");
    else
        orr_device_remedy(d, kind, ORR_DEVICE_DIRECT_NVLINK,
                          "Only NVSwitches, or NVLinks between all pairs, would change it; no setting does.");
}

void orr_device_flags(struct orr_device_side *d, struct orr_device_nodes *kind)
{
    decide_direct(d, kind);
    decide_cuda(d, kind);
    decide_nvlink(d, kind);
    decide_direct_nvlink(d, kind);
}

static void decide_connecting(struct orr_device_side *d)
{
    bool on = orr_device_setting(d, ORR_SET_RUNTIME_CONNECT) != 0;
    for (uint32_t k = 0; k < d->kind_count; k++) {
        struct orr_device_nodes *kind = &d->kinds[k];
        if (!on || !orr_device_cumem(d)) {
            orr_device_say(d, kind, ORR_DEVICE_RUNTIME_CONNECT, 0, on ? "CUMEM_OFF" : "RUNTIME_CONNECT_OFF", 0, "%s",
                           on ? "NCCL_CUMEM_ENABLE is 0, and it needs cuMem at every rank."
                              : "NCCL_RUNTIME_CONNECT is 0.");
            orr_device_remedy(d, kind, ORR_DEVICE_RUNTIME_CONNECT, "The default of %s switches it on.",
                              on ? "NCCL_CUMEM_ENABLE" : "NCCL_RUNTIME_CONNECT");
        } else {
            orr_device_say(d, kind, ORR_DEVICE_RUNTIME_CONNECT, 1, "CUMEM_ON", ORR_DEVICE_ASSUMES_DRIVER,
                           "cuMem is on at every rank, and NCCL_RUNTIME_CONNECT is not 0.");
        }
    }
}

void orr_device_flags_of_all(struct orr_device_side *d)
{
    const struct orr_communicator *c = &d->analysis->communicator;
    const struct orr_device_verdict *against = NULL;
    for (uint32_t k = 0; k < d->kind_count && d->rules->all_nvlink == ORR_NVLINK_OF_ALL; k++)
        if (!orr_device_is(&d->kinds[k], ORR_DEVICE_ALL_NVLINK))
            against = &d->kinds[k].verdicts[ORR_DEVICE_ALL_NVLINK];
    for (uint32_t k = 0; k < d->kind_count; k++) {
        struct orr_device_nodes *kind = &d->kinds[k];
        enum orr_rule rule = orr_device_nvls_rule(d->analysis);
        if (against)
            kind->verdicts[ORR_DEVICE_ALL_NVLINK] = *against;
        if (d->rules->counts_lone_ranks) {
            bool alone = c->max_local_ranks == 1;
            orr_device_say(d, kind, ORR_DEVICE_ONE_RANK, alone, alone ? "ALONE_EVERYWHERE" : "SEVERAL_ON_A_NODE", 0,
                           alone ? "Every node has one rank." : "A node has %u ranks.", c->max_local_ranks);
        }
        orr_device_say(d, kind, ORR_DEVICE_NVLS, c->nvls, orr_rule_name(rule),
                       c->nvls ? ORR_DEVICE_ASSUMES_MULTICAST : 0, "%s", orr_rule_text(rule));
        if (rule == ORR_RULE_NVLS_DISABLED)
            orr_device_remedy(d, kind, ORR_DEVICE_NVLS, "The default of NCCL_NVLS_ENABLE switches it on.");
        else if (rule == ORR_RULE_NVLS_OLD_GPUS || rule == ORR_RULE_NVLS_NO_SWITCH)
            orr_device_remedy(d, kind, ORR_DEVICE_NVLS,
                              "Only GPUs of capability 9.0 or later with NVSwitches have it.");
    }
    decide_connecting(d);
}

enum orr_rule orr_device_nvls_rule(const struct orr_analysis *analysis)
{
    const struct orr_contribution *own = &analysis->parts[0].contribution;
    if (own->nvls_rule != ORR_RULE_NVLS_ON)
        return (enum orr_rule)own->nvls_rule;
    if (!analysis->query.settings.release->connect->nvls_channels)
        return ORR_RULE_NVLS_UNKNOWN;
    if (!own->has_nvswitch)
        return ORR_RULE_NVLS_NO_SWITCH;
    if (own->sm_min < 90)
        return ORR_RULE_NVLS_OLD_GPUS;
    if (own->graphs[ORR_GRAPH_NVLS].channels <= 0)
        return ORR_RULE_NVLS_NO_CHANNEL;
    return analysis->communicator.nvls ? ORR_RULE_NVLS_ON : ORR_RULE_NVLS_NOT_EVERYWHERE;
}
