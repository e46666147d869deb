/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/explain/assumptions.h"
#include "engine/hardware/gpu_models.h"
#include "engine/hardware/hardware.h"

#include "engine/cluster/again.h"
#include "engine/cluster/cluster.h"
#include "engine/explain/explain.h"
#include "engine/hardware/hardware.h"
#include "engine/release/device_rules.h"
#include "engine/release/release.h"
#include "engine/release/release_names.h"

static bool always(const struct orr_analysis *analysis)
{
    return analysis->query.hosts > 0;
}
static bool several_ranks(const struct orr_analysis *analysis)
{
    return analysis->local_ranks > 1;
}
static bool is_refused(const struct orr_analysis *analysis)
{
    return several_ranks(analysis) && orr_gpu_model_without_p2p(analysis->given);
}
static bool is_offered(const struct orr_analysis *analysis)
{
    return several_ranks(analysis) && !is_refused(analysis);
}
static bool not_fused(const struct orr_analysis *analysis)
{
    if (analysis->cluster && analysis->cluster->fabrics.rule != ORR_MNNVL_RULE_NOT_STATED)
        return false; /* the cluster says which hosts NVLink joins */
    return analysis->built.host_count <= 1 && analysis->query.hosts > 1;
}
static bool asked_for_collnet(const struct orr_analysis *analysis)
{
    return orr_setting_int(&analysis->query.settings, ORR_SET_COLLNET_ENABLE) != 0;
}
static bool no_collnet(const struct orr_analysis *analysis)
{
    return !asked_for_collnet(analysis) && analysis->query.hosts > 1;
}
static bool has_nvls(const struct orr_analysis *analysis)
{
    return analysis->communicator.nvls;
}
static bool is_nearest(const struct orr_analysis *analysis)
{
    return orr_settings_nearest(&analysis->query.settings);
}

static bool is_not_compared(const struct orr_analysis *analysis)
{
    return !analysis->query.settings.release->compared;
}

static bool may_use_gin(const struct orr_analysis *analysis)
{
    return analysis->query.settings.release->device->gin != ORR_GIN_NONE && analysis->communicator.node_count > 1;
}

#define ORR_OF(kind) (1u << ORR_WHY_##kind)
enum {
    ALL = (1 << ORR_WHY_COUNT) - 1,
    JOINED = ORR_OF(GRAPH) | ORR_OF(TREE) | ORR_OF(CHANNELS) | ORR_OF(ALGORITHM),
};

static const struct orr_assumption rows[] = {
    {"release-nearest",
     "Orrery does not know the release that was asked for. It uses the rules of the nearest release, so the results "
     "may differ from NCCL's.",
     is_nearest, ALL},
    {"release-not-compared",
     "The rules of this release come from reading its source. They have not been compared with NCCL's own results.",
     is_not_compared, ALL},
    {"one-gpu-per-process", "Every rank is its own process with one GPU.", always,
     ORR_OF(P2P) | ORR_OF(CHANNELS) | ORR_OF(REGISTRATION)},
    {"nvml-p2p-refused",
     "NVIDIA's driver offers no P2P over PCIe between GPUs of this model. What is shown of paths and P2P is as if NVML "
     "reported P2P as OK.",
     is_refused, ORR_OF(PATH) | ORR_OF(P2P) | JOINED | ORR_OF(SYMMETRIC) | ORR_OF(CE) | ORR_OF(REGISTRATION)},
    {"nvml-p2p-ok", "NVML reports P2P as OK for every pair of GPUs.", is_offered,
     ORR_OF(PATH) | ORR_OF(P2P) | JOINED | ORR_OF(SYMMETRIC) | ORR_OF(CE) | ORR_OF(REGISTRATION)},
    {"new-driver", "The driver is new enough for everything that the release supports.", always,
     ORR_OF(GDR) | ORR_OF(NVLS) | ORR_OF(ALGORITHM) | ORR_OF(SYMMETRIC) | ORR_OF(MULTIMEM) | ORR_OF(CE)},
    {"no-mnnvl", "The hosts share no NVLink domain (MNNVL is off), because the dump describes one host.", not_fused,
     ORR_OF(NIC) | JOINED | ORR_OF(NVLS) | ORR_OF(SYMMETRIC) | ORR_OF(LSA)},
    {"mnnvl",
     "NVLink joins the hosts of a domain, and their fabric is completed, so that NCCL uses it between hosts (MNNVL).",
     orr_joins_by_kind, ORR_OF(NIC) | JOINED | ORR_OF(NVLS) | ORR_OF(SYMMETRIC) | ORR_OF(LSA)},
    {"no-collnet", "No CollNet plugin (SHARP) is used; NCCL_COLLNET_ENABLE=1 would use it.", no_collnet,
     ORR_OF(CHANNELS) | ORR_OF(ALGORITHM)},
    {"collnet-works", "NICs with coll=\"1\" have a CollNet plugin that supports everything and whose setup succeeds.",
     asked_for_collnet, JOINED},
    {"nvls-works", "NVLink SHARP works: fabric manager and driver set it up.", has_nvls,
     ORR_OF(NVLS) | ORR_OF(CHANNELS) | ORR_OF(ALGORITHM) | ORR_OF(MULTIMEM)},
    {"gin-plugin",
     "NCCL's own GIN drives the NICs that are InfiniBand devices with GPUDirect RDMA; no plugin brings another one.",
     may_use_gin, ORR_OF(SYMMETRIC) | ORR_OF(GIN)},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };
_Static_assert(ROW_COUNT < 32, "orr_explanation keeps them as bits");

const struct orr_assumption *orr_assumption(unsigned i)
{
    return i < ROW_COUNT ? &rows[i] : NULL;
}
