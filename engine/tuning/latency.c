/* SPDX-License-Identifier: Apache-2.0 */
/* Latency of an algorithm and protocol: a base and this many steps inside a node and between nodes. Each rounding is
 * one of NCCL's; see bandwidth.c. docs/nccl/tuning.md, "Latency". */
#include "engine/tuning/model.h"

/* A step over one kind of link. */
static float hw_step(const struct orr_model *model, enum orr_hardware hw, enum orr_algorithm algorithm,
                     enum orr_protocol protocol)
{
    bool as_ring = model->tables->power_pci_tree && model->cpu_arch == ORR_ARCH_POWER && hw == ORR_HW_PCI &&
                   algorithm == ORR_ALGO_TREE && protocol == ORR_SIMPLE;
    return model->tables->hw_latency[hw][as_ring ? ORR_ALGO_RING : algorithm][protocol];
}

/* A step between nodes. */
static float net_step(const struct orr_model *model, enum orr_algorithm algorithm, enum orr_protocol protocol,
                      enum orr_graph_kind kind)
{
    const struct orr_tuning_model *tables = model->tables;
    bool by_tree = tables->net_latency == ORR_NET_LATENCY_BY_TREE && model->ranks_per_node == 1;
    float step = hw_step(model, ORR_HW_NET, by_tree ? ORR_ALGO_TREE : algorithm, protocol);
    float nic = model->comm->own_latency_inter[kind];
    switch (tables->net_latency) {
    case ORR_NET_LATENCY_PLAIN:
        break;
    case ORR_NET_LATENCY_OWN:
        step = nic != 0 ? nic : step;
        break;
    case ORR_NET_LATENCY_ADDED:
    case ORR_NET_LATENCY_BY_TREE:
        step += nic;
        if (protocol == ORR_SIMPLE)
            step += nic;
        break;
    }
    return step;
}

static float net_overhead(const struct orr_model *model)
{
    int64_t given = orr_setting_int(model->settings, ORR_SET_NET_OVERHEAD);
    if (given != ORR_SETTING_UNSET && given != -2)
        return (float)((double)given * .001);
    bool amd = model->comm->cpu_arch == ORR_ARCH_X86 && model->comm->cpu_vendor == ORR_VENDOR_AMD;
    return amd ? 2.0f : 1.0f;
}

/* How many of a ring's steps go over the network. */
static int32_t net_steps(const struct orr_model *model, enum orr_function function)
{
    int32_t n = model->nodes;
    enum orr_ring_steps rule = model->tables->ring_steps;
    if (rule == ORR_RING_STEPS_SEVERAL)
        return n == 1 ? 0 : function == ORR_ALLREDUCE ? 2 * (n - 1) : n - 1;
    if (function == ORR_ALLREDUCE)
        return rule == ORR_RING_STEPS_2N_LESS_2 ? 2 * (n - 1) : n > 1 ? 2 * n : 0;
    return orr_gathers(function) ? n - 1 : n;
}

static float ring(const struct orr_model *model, enum orr_function function, enum orr_protocol protocol, float base,
                  enum orr_hardware inside, float intra, float inter)
{
    const struct orr_tuning_model *tables = model->tables;
    int32_t steps = orr_ring_step_count(function, model->ranks);
    if (function == ORR_REDUCE || function == ORR_BROADCAST) { /* data passes through a pipeline of all ranks */
        enum orr_hardware hw = model->nodes == 1 ? inside : ORR_HW_NET;
        float step = hw_step(model, hw, ORR_ALGO_RING, protocol);
        if (model->comm->aligned[ORR_GRAPH_RING].same_channels)
            return base + step;
        if (protocol == ORR_SIMPLE)
            step = hw_step(model, hw, ORR_ALGO_TREE, protocol);
        return base + (float)steps * step;
    }
    if (tables->net_overhead && model->nodes > 1) {
        float overhead = net_overhead(model);
        if (protocol == ORR_SIMPLE)
            overhead *= 3;
        intra = intra > overhead ? intra : overhead;
    }
    int32_t outside = net_steps(model, function);
    return base + ((float)(steps - outside) * intra + (float)outside * inter);
}

float orr_model_latency(const struct orr_model *model, enum orr_function function, enum orr_algorithm algorithm,
                        enum orr_protocol protocol)
{
    const struct orr_tuning_model *tables = model->tables;
    enum orr_graph_kind kind = orr_algorithm_graph(tables, algorithm);
    bool nvlink = model->comm->aligned[kind].type_intra == ORR_PATH_NVL;
    enum orr_hardware inside = nvlink ? ORR_HW_NVLINK : ORR_HW_PCI;
    float base = tables->base_latency[algorithm][protocol];
    float intra = hw_step(model, inside, algorithm, protocol);
    if (tables->ll_intra_slower && model->nodes > 1 && protocol == ORR_LL)
        intra = (float)(intra * 1.8);
    float inter = net_step(model, algorithm, protocol, kind);
    int32_t local_steps = model->ranks / model->nodes - 1, tree_steps = orr_floor_log2((uint64_t)model->nodes);
    int32_t any_local = local_steps < 1 ? local_steps : 1;

    switch (algorithm) {
    case ORR_ALGO_RING:
        return ring(model, function, protocol, base, inside, intra, inter);
    case ORR_ALGO_TREE:
        return base + 2 * ((float)local_steps * intra + (float)tree_steps * inter);
    case ORR_ALGO_COLLNET_DIRECT:
        if (tables->collnet_by_steps)
            return base + ((float)(2 * local_steps) * intra + inter);
        return (float)(base +
                       ((double)(2 * ((float)any_local * intra + local_steps * tables->collnet_direct_step)) + inter));
    case ORR_ALGO_COLLNET_CHAIN:
        if (tables->chain_skips_net)
            return base + (float)(2 * local_steps) * intra;
        return base + ((float)(2 * local_steps) * intra + inter);
    case ORR_ALGO_NVLS:
        if (tables->nvls_latency == ORR_NVLS_LATENCY_BASE)
            return model->nodes > 1 ? base + hw_step(model, ORR_HW_NET, algorithm, protocol) : base;
        return model->nodes > 1 ? intra + inter : intra;
    case ORR_ALGO_NVLS_TREE:
        if (tables->nvls_latency == ORR_NVLS_LATENCY_BASE)
            return base + (float)(2 * (model->nodes - 1)) * hw_step(model, ORR_HW_NET, algorithm, protocol);
        return base + (intra + (float)(2 * tree_steps) * inter);
    case ORR_ALGO_PAT:
        if (tables->pat_table_base)
            return (float)(base + (tree_steps * (inter / 3.5) + model->ranks * 2.8));
        return (float)(8 + tree_steps * (inter / 3.5) + model->ranks * 2.8);
    default:
        return base;
    }
}
