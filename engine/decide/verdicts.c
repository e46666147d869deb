/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: docs/nccl/p2p-and-gdr.md, "When two GPUs use P2P", "When GPUDirect RDMA is used",
 * "GPUs that cannot reach each other". */
#include "engine/decide/verdicts.h"

#include "engine/decide/nearest.h"
#include "engine/release/release.h"

/* A level with the setting that gave it. */
struct level {
    enum orr_path_type type;
    int16_t setting;
    bool by_user;
};

/* The default follows the first CPU, regardless of where the GPUs are. */
static enum orr_path_type default_p2p_level(const struct orr_system *system)
{
    const struct orr_node *cpu = orr_system_node(system, ORR_CPU, 0);
    bool x86 = cpu->cpu.arch == ORR_ARCH_X86, arm = cpu->cpu.arch == ORR_ARCH_ARM;
    bool intel = x86 && cpu->cpu.vendor == ORR_VENDOR_INTEL;
    switch (system->release->p2p_default) {
    case ORR_P2P_BY_MODEL:
    case ORR_P2P_BY_MODEL_AND_ZHAOXIN:
        if (x86 && cpu->cpu.vendor == ORR_VENDOR_ZHAOXIN && system->release->p2p_default != ORR_P2P_BY_MODEL)
            return ORR_PATH_PXB;
        if (intel && cpu->cpu.model != ORR_INTEL_BDW)
            return ORR_PATH_PHB;
        return intel || arm ? ORR_PATH_PXB : ORR_PATH_SYS;
    case ORR_P2P_BY_VENDOR:
        return intel || arm || (x86 && cpu->cpu.vendor == ORR_VENDOR_ZHAOXIN) ? ORR_PATH_PXB : ORR_PATH_SYS;
    case ORR_P2P_PXB_BUT_AMD_PAIR:
        break;
    }
    bool amd = x86 && cpu->cpu.vendor == ORR_VENDOR_AMD;
    uint32_t gpus = orr_system_count(system, system->release->has_devs ? ORR_DEV : ORR_GPU);
    return amd && gpus <= 2 ? ORR_PATH_SYS : ORR_PATH_PXB;
}

static struct level p2p_level(const struct orr_system *system, const struct orr_settings *settings)
{
    if (orr_setting_int(settings, ORR_SET_P2P_DISABLE) == 1)
        return (struct level){ORR_PATH_LOC, ORR_SET_P2P_DISABLE, true};
    int64_t given = orr_setting_int(settings, ORR_SET_P2P_LEVEL);
    if (given >= 0)
        return (struct level){(enum orr_path_type)given, ORR_SET_P2P_LEVEL, true};
    return (struct level){default_p2p_level(system), ORR_SET_P2P_LEVEL, false};
}

/* The first GPU with the index and host of a device; ORR_NO_NODE if trimming removed it. */
static uint32_t first_gpu_on(const struct orr_system *system, uint32_t dev)
{
    const struct orr_node *device = &system->nodes[dev];
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
        if (system->nodes[g].gpu.dev == device->gpu.dev &&
            orr_id_system(system->nodes[g].id) == orr_id_system(device->id))
            return g;
    return ORR_NO_NODE;
}

struct orr_p2p_verdict orr_decide_p2p(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t a,
                                      uint32_t b)
{
    const struct orr_system *system = paths->system;
    const struct orr_path *path = orr_path(paths, a, b);
    struct level level = p2p_level(system, settings);
    struct orr_p2p_verdict verdict = {.via = ORR_NO_NODE};
    if (system->release->has_devs) {
        if (path->hops == 4 && system->nodes[orr_path_node(paths, path, 1)].type == ORR_DEV)
            verdict.via = first_gpu_on(system, orr_path_node(paths, path, 1));
    } else if (path->hops == 2 && system->release->relays_by_gpu) {
        uint32_t middle = orr_path_node(paths, path, 0);
        if (system->nodes[middle].type == ORR_GPU)
            verdict.via = middle;
    }
    bool within = path->type <= level.type;
    verdict.decision = (struct orr_decision){
        .verdict = within,
        .rule = a == b   ? ORR_RULE_P2P_SELF
                : within ? ORR_RULE_P2P_WITHIN_LEVEL
                         : ORR_RULE_P2P_BEYOND_LEVEL,
        .distance = path->type,
        .level = (uint8_t)level.type,
        .setting = level.setting,
        .by_user = level.by_user,
    };
    verdict.read = path->type == ORR_PATH_NVL && system->nodes[a].gpu.sm == 80 && system->nodes[b].gpu.sm == 80;
    return verdict;
}

static bool has_nvlink_peer(const struct orr_paths *paths, uint32_t gpu)
{
    const struct orr_system *system = paths->system;
    for (uint32_t other = system->first[ORR_GPU]; other < system->first[ORR_GPU + 1]; other++)
        if (other != gpu && orr_path(paths, gpu, other)->type == ORR_PATH_NVL)
            return true;
    return false;
}

/* May this GPU's memory be read for sending at all? */
static bool may_read(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t gpu)
{
    const struct orr_system *system = paths->system;
    int32_t read = orr_setting_int32(settings, ORR_SET_NET_GDR_READ);
    if (read == 0)
        return false;
    if (read > 0 || (system->nodes[gpu].gpu.sm >= 80 && !system->release->reads_only_with_nvlink))
        return true;
    return orr_system_count(system, ORR_GPU) == 1 || has_nvlink_peer(paths, gpu);
}

static uint32_t first_gpu_linked(const struct orr_system *system, uint32_t dev)
{
    const struct orr_node *device = &system->nodes[dev];
    for (uint32_t l = device->first_link; l < device->first_link + device->link_count; l++)
        if (system->nodes[system->links[l].to].type == ORR_GPU)
            return system->links[l].to;
    return ORR_NO_NODE;
}

uint8_t orr_pxn_farthest(const struct orr_settings *settings)
{
    bool over_c2c =
        orr_setting_in(ORR_SET_PXN_C2C, settings->release) && orr_setting_int(settings, ORR_SET_PXN_C2C) != 0;
    return over_c2c ? ORR_PATH_P2C : ORR_PATH_PXB;
}

enum orr_code orr_pxn_relay(const struct orr_paths *paths, uint32_t gpu, uint32_t net, uint32_t *ret_relay,
                            struct orr_error *err)
{
    const struct orr_path *path = orr_path(paths, gpu, net);
    for (uint32_t i = 0; i < path->hops; i++) {
        uint32_t node = orr_path_node(paths, path, i);
        if (paths->system->nodes[node].type == ORR_NVS || (i == 0 && paths->system->release->has_devs))
            continue; /* also the GPU's own device */
        if (paths->system->nodes[node].type == ORR_DEV)
            node = first_gpu_linked(paths->system, node);
        if (node == ORR_NO_NODE)
            break;
        if (paths->system->nodes[node].type != ORR_GPU)
            break;
        *ret_relay = node;
        return ORR_OK;
    }
    return orr_fail(err, ORR_INVALID, "a path through another GPU's NIC starts with no GPU");
}

enum orr_code orr_decide_gdr(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t gpu,
                             uint32_t net, bool sending, struct orr_decision *ret_decision, struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    struct orr_decision decision = {.setting = -1};
    if (!system->nodes[net].net.gdr || !system->nodes[gpu].gpu.gdr) {
        decision.rule = system->nodes[net].net.gdr ? ORR_RULE_GDR_GPU_CANNOT : ORR_RULE_GDR_NET_CANNOT;
        *ret_decision = decision;
        return ORR_OK;
    }
    if (system->nodes[gpu].gpu.mlopart != -1 && orr_setting_int(settings, ORR_SET_NET_GDR_MLOPART) == 0) {
        decision.rule = ORR_RULE_GDR_PARTITION;
        decision.setting = ORR_SET_NET_GDR_MLOPART;
        decision.by_user = settings->values[ORR_SET_NET_GDR_MLOPART].given;
        *ret_decision = decision;
        return ORR_OK;
    }
    if (sending && !may_read(paths, settings, gpu)) {
        decision.rule = ORR_RULE_GDR_READ_OFF;
        decision.setting = ORR_SET_NET_GDR_READ;
        decision.by_user = settings->values[ORR_SET_NET_GDR_READ].given;
        *ret_decision = decision;
        return ORR_OK;
    }
    uint8_t distance = orr_path(paths, gpu, net)->type;
    if (distance == ORR_PATH_PXN) {
        ORR_TRY(orr_pxn_relay(paths, gpu, net, &gpu, err));
        distance = orr_path(paths, gpu, net)->type;
    }
    bool c2c = system->release->gdr_has_modes && orr_setting_int(settings, ORR_SET_NET_GDR_C2C) != 0;
    bool level_c2c = system->release->gdr_level_c2c;
    uint32_t cpu = ORR_NO_NODE;
    if (system->release->gdr_has_modes)
        ORR_TRY(orr_local_cpu(paths, gpu, &cpu, err));
    bool on_c2c = cpu != ORR_NO_NODE && orr_path(paths, gpu, cpu)->type == ORR_PATH_C2C;
    if (distance == ORR_PATH_P2C && c2c && !level_c2c)
        distance = ORR_PATH_C2C;
    if (distance == ORR_PATH_PHB && c2c && on_c2c && system->release->gdr_counts_phb)
        distance = ORR_PATH_C2C;
    int64_t given = orr_setting_int(settings, ORR_SET_NET_GDR_LEVEL);
    uint8_t level = given >= 0 ? (uint8_t)given : c2c && level_c2c ? ORR_PATH_P2C : ORR_PATH_PXB;
    uint8_t direct = level_c2c ? ORR_PATH_P2C : ORR_PATH_C2C; /* distance that stays on the C2C side */
    decision.distance = distance;
    decision.level = level;
    decision.setting = ORR_SET_NET_GDR_LEVEL;
    decision.by_user = given >= 0;
    decision.rule = ORR_RULE_GDR_BEYOND_LEVEL;
    if (orr_path_farness(system->release, distance) <= orr_path_farness(system->release, level)) {
        bool pci_mode = on_c2c && distance != direct;
        decision.verdict = pci_mode ? 2 : 1;
        decision.rule = pci_mode ? ORR_RULE_GDR_PCI_MODE : ORR_RULE_GDR_WITHIN_LEVEL;
    }
    *ret_decision = decision;
    return ORR_OK;
}

bool orr_network_is_better(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t a, uint32_t b)
{
    const struct orr_system *system = paths->system;
    uint32_t pair[2] = {a, b};
    float direct = orr_path(paths, a, b)->bw;
    if (orr_setting_int(settings, ORR_SET_NET_DISABLE_INTRA) == 1)
        return false;
    for (int i = 0; i < 2; i++) {
        float best = 0;
        for (uint32_t net = system->first[ORR_NET]; net < system->first[ORR_NET + 1]; net++) {
            const struct orr_path *path = orr_path(paths, pair[i], net);
            if (path->type <= ORR_PATH_PXB && path->bw > best)
                best = path->bw;
        }
        if (best <= direct)
            return false;
    }
    return true;
}
