/* SPDX-License-Identifier: Apache-2.0 */
/* Turns the direct routes into effective paths, step by step in NCCL's order. Rules: docs/nccl/p2p-and-gdr.md, "Order
 * of all decisions". */
#include "engine/decide/effective_paths.h"

#include "engine/base/budget.h"
#include "engine/decide/nearest.h"
#include "engine/decide/verdicts.h"
#include "engine/release/release.h"

struct work {
    const struct orr_system *system;
    const struct orr_settings *settings;
    struct orr_paths *paths;
    uint32_t *scratch;    /* room for all GPUs and NETs, twice */
    uint8_t pxn_farthest; /* orr_pxn_farthest() */
    uint32_t local_to;    /* NET whose local_gpu is known; ORR_NO_NODE if there is none */
    uint32_t local_gpu;   /* its orr_local_gpu(), which a replaced path may change */
    struct orr_error *err;
};

/* Can p reach g by P2P or by shared memory? docs/nccl/p2p-and-gdr.md, "GPUs that cannot reach each other". */
static bool is_accessible(const struct work *w, uint32_t p, uint32_t g)
{
    enum orr_separation rule = w->system->release->separation;
    bool by_network = rule == ORR_APART_WHERE_NETWORK_IS_BETTER && orr_network_is_better(w->paths, w->settings, p, g);
    bool same_host = orr_id_system(w->system->nodes[p].id) == orr_id_system(w->system->nodes[g].id);
    if (orr_setting_int(w->settings, ORR_SET_SHM_DISABLE) != 1 && !by_network && same_host)
        return true;
    if (rule == ORR_APART_WITHOUT_SHM)
        return false;
    struct orr_p2p_verdict p2p = orr_decide_p2p(w->paths, w->settings, p, g);
    if (!p2p.decision.verdict)
        return false;
    if (p2p.via != ORR_NO_NODE)
        return !orr_setting_int(w->settings, ORR_SET_P2P_USE_CUDA_MEMCPY);
    return !by_network;
}

/* Marks p -> g as one that needs the network: by its type, or in older releases by a path without links. */
static void mark_apart(const struct work *w, uint32_t p, uint32_t g)
{
    struct orr_path *path = orr_path(w->paths, p, g);
    path->origin = ORR_ROUTE_UNREACHABLE;
    if (w->system->release->apart_by_type)
        path->type = ORR_PATH_NET;
    else
        path->hops = 0;
}

/* docs/nccl/p2p-and-gdr.md, "Paths without P2P". */
static enum orr_code divert_p2p(const struct work *w, uint32_t g)
{
    const struct orr_system *system = w->system;
    uint32_t cpu = ORR_NO_NODE;
    for (uint32_t p = system->first[ORR_GPU]; p < system->first[ORR_GPU + 1]; p++) {
        if (orr_decide_p2p(w->paths, w->settings, p, g).decision.verdict)
            continue;
        if (cpu == ORR_NO_NODE)
            ORR_TRY(orr_local_cpu(w->paths, g, &cpu, w->err));
        ORR_TRY(orr_path_compose(w->paths, p, cpu, g, ORR_ROUTE_VIA_CPU_NO_P2P, w->err));
    }
    for (uint32_t p = system->first[ORR_GPU]; p < system->first[ORR_GPU + 1]; p++)
        if (p != g && !is_accessible(w, p, g))
            mark_apart(w, p, g);
    return ORR_OK;
}

/* Sets P2C for one pair if one side is on C2C and the other on the PCIe of the same CPU. docs/nccl/p2p-and-gdr.md, "C2C
 * and NICs". */
static void retag_pair(const struct work *w, uint32_t g, uint32_t n, uint32_t cpu)
{
    uint8_t of_gpu = orr_path(w->paths, g, cpu)->type, of_net = orr_path(w->paths, n, cpu)->type;
    if (w->system->release->retags_phb_only) {
        if (of_gpu != ORR_PATH_C2C || orr_path(w->paths, g, n)->type != ORR_PATH_PHB)
            return;
        of_net = ORR_PATH_PHB;
    }
    if (!((of_gpu == ORR_PATH_C2C && of_net == ORR_PATH_PHB) || (of_gpu == ORR_PATH_PHB && of_net == ORR_PATH_C2C)))
        return;
    struct orr_path *both[2] = {orr_path(w->paths, g, n), orr_path(w->paths, n, g)};
    for (int i = 0; i < 2; i++)
        if (both[i]->type > ORR_PATH_P2C) {
            both[i]->type = ORR_PATH_P2C;
            both[i]->origin = ORR_ROUTE_C2C;
        }
}

/* A GPU on C2C and a NIC on the PCIe of the same CPU, or the other way round. */
static enum orr_code retag_c2c(const struct work *w)
{
    const struct orr_system *system = w->system;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        uint32_t cpu = ORR_NO_NODE;
        if (!orr_system_count(system, ORR_NET))
            break;
        ORR_TRY(orr_local_cpu(w->paths, g, &cpu, w->err));
        if (system->release->retags_near_nets_only) {
            uint32_t count = orr_locals(w->paths, g, ORR_NET, w->scratch);
            for (uint32_t i = 0; i < count; i++)
                retag_pair(w, g, w->scratch[i], cpu);
            continue;
        }
        for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
            retag_pair(w, g, n, cpu);
    }
    return ORR_OK;
}

/* May g reach the NET through p? */
static bool is_eligible(const struct work *w, uint32_t p, uint32_t n, uint32_t g)
{
    const struct orr_path *relay = orr_path(w->paths, p, n), *own = orr_path(w->paths, g, n);
    enum orr_pxn_rule rule = w->system->release->pxn;
    uint8_t distance = rule == ORR_PXN_PREFERRING_ONLY ? orr_path(w->paths, n, p)->type : relay->type;
    if (p == g || distance > ORR_PATH_PXB || orr_path(w->paths, p, g)->type > ORR_PATH_NVL)
        return false;
    return rule != ORR_PXN_FIRST_FASTER || relay->bw > own->bw || own->type > ORR_PATH_PXB;
}

/* The GPU through which g would reach the NET, in releases before a NIC had a local GPU: the first eligible one that
 * prefers the NET, or else the last one or none. */
static uint32_t first_preferring(const struct work *w, uint32_t n, uint32_t g)
{
    const struct orr_system *system = w->system;
    uint32_t relay = ORR_NO_NODE;
    for (uint32_t p = system->first[ORR_GPU]; p < system->first[ORR_GPU + 1]; p++) {
        if (!is_eligible(w, p, n, g))
            continue;
        uint32_t preferred = orr_local_net(w->paths, p, 0, w->scratch);
        if (preferred != ORR_NO_NODE && system->nodes[preferred].id == system->nodes[n].id)
            return p;
        relay = p;
    }
    return system->release->pxn == ORR_PXN_PREFERRING_ONLY ? ORR_NO_NODE : relay;
}

/* Is the path through p, the GPU that PXN uses for the NET, better than g's own? */
static enum orr_rule compare_relay(const struct work *w, uint32_t p, uint32_t n, uint32_t g)
{
    const struct orr_system *system = w->system;
    enum orr_pxn_rule rule = system->release->pxn;
    uint8_t farthest = w->pxn_farthest;
    uint8_t spared = rule >= ORR_PXN_LOCAL_GPU_PAST_PXN     ? ORR_PATH_PXN
                     : rule == ORR_PXN_LOCAL_GPU_PAST_RELAY ? farthest
                                                            : ORR_PATH_PXB;
    const struct orr_path *relay = orr_path(w->paths, p, n), *own = orr_path(w->paths, g, n);
    if (relay->type > farthest)
        return ORR_RULE_PXN_RELAY_FAR;
    if (orr_path(w->paths, p, g)->type > ORR_PATH_NVL)
        return ORR_RULE_PXN_NO_NVLINK;
    if (orr_id_system(system->nodes[p].id) != orr_id_system(system->nodes[g].id))
        return ORR_RULE_PXN_OTHER_HOST;
    bool better = relay->bw > own->bw || own->type > spared;
    return better ? ORR_RULE_PXN_TAKEN : ORR_RULE_PXN_OWN_WAY;
}

/* The rule that decides whether g reaches the NET through another GPU, and the GPU that it examined.
 * docs/nccl/p2p-and-gdr.md, "PXN: reaching a NIC through another GPU". */
static enum orr_code decide_pxn(struct work *w, uint32_t n, uint32_t g, struct orr_pxn *pxn)
{
    enum orr_pxn_rule rule = w->system->release->pxn;
    uint32_t p = ORR_NO_NODE;
    *pxn = (struct orr_pxn){.rule = ORR_RULE_PXN_UNKNOWN, .relay = ORR_NO_NODE};
    if (rule == ORR_PXN_NONE)
        return ORR_OK;
    pxn->rule = ORR_RULE_PXN_DISABLED;
    if (orr_setting_int(w->settings, ORR_SET_PXN_DISABLE) == 1)
        return ORR_OK;
    if (rule < ORR_PXN_LOCAL_GPU_PAST_PXB) {
        pxn->rule = ORR_RULE_PXN_OWN_WAY;
        if (rule != ORR_PXN_FIRST_FASTER && orr_path(w->paths, g, n)->type <= ORR_PATH_PXB)
            return ORR_OK;
        p = first_preferring(w, n, g);
        pxn->rule = p == ORR_NO_NODE ? ORR_RULE_PXN_NO_RELAY : ORR_RULE_PXN_TAKEN;
    } else {
        if (w->local_to != n)
            ORR_TRY(orr_local_gpu(w->paths, n, w->scratch, &w->local_gpu, w->err));
        w->local_to = n;
        p = w->local_gpu;
        pxn->rule = p == ORR_NO_NODE ? ORR_RULE_PXN_NO_RELAY
                    : p == g         ? ORR_RULE_PXN_ITSELF
                                     : (uint8_t)compare_relay(w, p, n, g);
        if (pxn->rule == ORR_RULE_PXN_TAKEN && rule == ORR_PXN_LOCAL_GPU_WITH_GDR) {
            struct orr_decision sends = {0};
            ORR_TRY(orr_decide_gdr(w->paths, w->settings, p, n, true, &sends, w->err));
            pxn->rule = sends.verdict ? ORR_RULE_PXN_TAKEN : ORR_RULE_PXN_NO_GDR;
        }
    }
    pxn->relay = p;
    return ORR_OK;
}

static enum orr_code divert_pxn(struct work *w, uint32_t n, uint32_t g)
{
    const struct orr_system *system = w->system;
    struct orr_pxn *pxn = &w->paths->pxn[(size_t)(g - system->first[ORR_GPU]) * orr_system_count(system, ORR_NET) + n -
                                         system->first[ORR_NET]];
    ORR_TRY(decide_pxn(w, n, g, pxn));
    if (pxn->rule != ORR_RULE_PXN_TAKEN)
        return ORR_OK;
    w->local_to = ORR_NO_NODE;
    return orr_path_compose(w->paths, g, pxn->relay, n, ORR_ROUTE_PXN, w->err);
}

/* docs/nccl/p2p-and-gdr.md, "Paths without GPUDirect RDMA". */
static enum orr_code divert_gdr(struct work *w, uint32_t n, uint32_t g)
{
    struct orr_decision receive = {0};
    uint32_t cpu = ORR_NO_NODE;
    if (!w->system->release->diverts_gdr_always && orr_path(w->paths, g, n)->type >= ORR_PATH_PHB)
        return ORR_OK;
    ORR_TRY(orr_decide_gdr(w->paths, w->settings, g, n, false, &receive, w->err));
    if (receive.verdict)
        return ORR_OK;
    ORR_TRY(orr_local_cpu(w->paths, g, &cpu, w->err));
    w->local_to = ORR_NO_NODE;
    ORR_TRY(orr_path_compose(w->paths, n, cpu, g, ORR_ROUTE_VIA_CPU_NO_GDR, w->err));
    return orr_path_compose(w->paths, g, cpu, n, ORR_ROUTE_VIA_CPU_NO_GDR, w->err);
}

enum orr_code orr_effective_paths(const struct orr_settings *settings, struct orr_paths *paths, struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    uint32_t gpus = orr_system_count(system, ORR_GPU), nets = orr_system_count(system, ORR_NET);
    struct work w = {.system = system,
                     .settings = settings,
                     .paths = paths,
                     .err = err,
                     .pxn_farthest = orr_pxn_farthest(settings),
                     .local_to = ORR_NO_NODE};
    w.scratch = ORR_NEW(paths->arena, uint32_t, 2 * ((size_t)gpus + nets));
    paths->local_cpu = ORR_NEW(paths->arena, uint32_t, gpus);
    paths->local_gpu = ORR_NEW(paths->arena, int32_t, nets);
    paths->pxn = ORR_NEW(paths->arena, struct orr_pxn, (size_t)gpus * nets);
    ORR_NEED(w.scratch && paths->local_cpu && paths->local_gpu && paths->pxn, err);
    for (uint32_t g = 0; g < gpus; g++) /* the paths between them stay as they are */
        paths->local_cpu[g] = orr_find_local_cpu(paths, system->first[ORR_GPU] + g);
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
        if (orr_budget_spent(2 * gpus))
            return orr_budget_check(err);
        ORR_TRY(divert_p2p(&w, g));
    }
    if (system->release->retags_c2c)
        ORR_TRY(retag_c2c(&w));
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
        for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++) {
            if (orr_budget_spent(1 + nets / 64))
                return orr_budget_check(err);
            ORR_TRY(divert_pxn(&w, n, g));
            ORR_TRY(divert_gdr(&w, n, g));
        }
    for (uint32_t i = 0; i < nets; i++) {
        uint32_t gpu = ORR_NO_NODE;
        if (system->release->net_choice >= ORR_NET_DEALT)
            ORR_TRY(orr_local_gpu(paths, system->first[ORR_NET] + i, w.scratch, &gpu, err));
        paths->local_gpu[i] = gpu == ORR_NO_NODE ? -1 : (int32_t)(gpu - system->first[ORR_GPU]);
    }
    return ORR_OK;
}
