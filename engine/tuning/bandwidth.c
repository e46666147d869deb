/* SPDX-License-Identifier: Apache-2.0 */
/* Bandwidth of an algorithm and protocol: channels times a channel's rate, minus the cost of the protocol, the
 * algorithm and the hardware. NCCL keeps the running figure in binary32 and computes some lines in binary64; each
 * rounding below is one of NCCL's. docs/nccl/tuning.md, "Bandwidth". */
#include "engine/tuning/model.h"

#define ORR_LESS(a, b) ((a) < (b) ? (a) : (b))

static double limit(const struct orr_model *model, const orr_limits *table)
{
    return (*table)[model->row][model->column];
}

/* The rate of one channel. */
static float channel_rate(const struct orr_model *model, enum orr_function function, enum orr_algorithm algorithm,
                          const struct orr_graph *graph)
{
    float intra = graph->bw_intra, inter = graph->bw_inter, ppn = model->ranks_per_node;
    bool nvls = algorithm == ORR_ALGO_NVLS, nvls_tree = algorithm == ORR_ALGO_NVLS_TREE;
    if (model->tables->nvls_rate == ORR_NVLS_AS_RING)
        nvls = nvls_tree = false;
    if ((nvls || nvls_tree) && model->tables->nvls_rate == ORR_NVLS_BY_SHARE) {
        float efficiency = (float)model->tables->nvls_efficiency[model->row];
        intra = intra * efficiency * (float)(graph->channels - 1) / (float)graph->channels;
        intra *= function == ORR_ALLREDUCE ? 2.0f : (ppn - 1) / ppn;
        inter *= model->nodes <= 2 && nvls_tree ? 2.0f : 1.0f;
        float rate = ORR_LESS(intra, inter);
        if (nvls_tree)
            rate = ORR_LESS(rate, (float)limit(model, &model->tables->nvls_tree_max));
        return rate;
    }
    if (nvls) {
        if (function == ORR_ALLREDUCE || model->tables->nvls_rate == ORR_NVLS_LEAST)
            return ORR_LESS(intra, inter);
        float inside = intra * (ppn - 1) / ppn, outside = inter * 0.9f;
        return ORR_LESS(inside, outside);
    }
    if (nvls_tree) {
        float outside = model->nodes <= 2 ? inter : inter / 2;
        return ORR_LESS(intra, outside);
    }
    bool collnet = algorithm == ORR_ALGO_COLLNET_DIRECT || algorithm == ORR_ALGO_COLLNET_CHAIN;
    return model->nodes <= 2 || collnet ? intra : inter;
}

static float ring(const struct orr_model *model, enum orr_function function, enum orr_protocol protocol,
                  int32_t channels, float bw)
{
    const struct orr_tuning_model *tables = model->tables;
    if (protocol == ORR_LL) {
        double share = .5;
        if (tables->ring_ll == ORR_RING_LL_QUARTER)
            share = model->nodes > 1 || function == ORR_ALLREDUCE || function == ORR_REDUCE ? 1.0 / 4.0 : 1.0 / 3.0;
        double rate = bw * share;
        bw = (float)(tables->ll_limited ? ORR_LESS(model->ll_max, rate) : rate);
    } else if (protocol == ORR_LL128) {
        double rate = bw * (model->ranks_per_node < 2 ? tables->ring_ll128_alone : .92);
        double most = tables->ll128_of[function] > 0 ? tables->ll128_of[function] * channels
                                                     : channels * limit(model, &tables->ring_ll128);
        bw = (float)ORR_LESS(rate, most);
    }
    return bw;
}

/* 2.7.8: a tree as a whole is limited by what was measured on the machines of its time. */
static float tree_flat(const struct orr_model *model, enum orr_function function, enum orr_protocol protocol,
                       int32_t channels, float bw)
{
    bool fast = model->uniform_80 && protocol == ORR_LL128;
    double most = model->nodes > 2 ? (fast ? 105 : 80) : (fast ? 130 : 110);
    double rate = bw * .9;
    bw = (float)ORR_LESS(rate, most);
    if (protocol == ORR_LL)
        bw = (float)(bw * (1.0 / 3.8));
    if (protocol == ORR_LL128) {
        rate = bw * (model->nodes == 1 ? 7.0 / 9.0 : 0.915);
        most = model->tables->ll128_of[function] * channels * 7.0 / 9.0;
        bw = (float)ORR_LESS(rate, most);
    }
    return bw;
}

static float tree(const struct orr_model *model, enum orr_protocol protocol, int32_t channels, float bw)
{
    const struct orr_tuning_model *tables = model->tables;
    double rate = bw * .92, most = channels * limit(model, &tables->tree_max);
    bw = (float)ORR_LESS(rate, most);
    if (protocol == ORR_LL) {
        rate = bw * 1.0 / 3.8;
        bw = (float)ORR_LESS(rate, model->ll_max);
    }
    if (protocol == ORR_LL128) {
        rate = bw * (model->nodes == 1 ? 7.0 / 9.0 : tables->tree_ll128_share);
        most = tables->ll128_of[ORR_ALLREDUCE] > 0 ? tables->ll128_of[ORR_ALLREDUCE] * channels
                                                   : channels * limit(model, &tables->tree_ll128);
        bw = (float)ORR_LESS(rate, most);
    }
    int32_t pattern = tables->tree_pattern_cost == ORR_TREE_COST_ANY
                          ? model->comm->max_tree_pattern
                          : (int32_t)model->comm->aligned[ORR_GRAPH_TREE].pattern;
    if (tables->tree_pattern_cost != ORR_TREE_COST_NONE && pattern == ORR_PATTERN_TREE)
        bw = (float)(bw * .85);
    return bw;
}

/* The single CollNet of releases before CollNetDirect and CollNetChain. */
static float collnet(const struct orr_model *model, enum orr_protocol protocol, float bw)
{
    const struct orr_tuning_model *tables = model->tables;
    if (tables->collnet_simple != 1)
        bw = (float)(bw * tables->collnet_simple);
    if (protocol == ORR_LL)
        bw = (float)(bw * tables->collnet_ll);
    if (protocol == ORR_LL128)
        bw = (float)(bw * tables->collnet_ll128);
    return bw;
}

static float collnet_direct(const struct orr_model *model, enum orr_function function, const struct orr_graph *graph,
                            float rate, float bw)
{
    float ppn = model->ranks_per_node;
    if (!orr_gathers(function)) {
        float factor = (float)(ppn / (1.0 * graph->channels));
        factor -= (factor - 1) / 2;
        bw /= factor;
        return model->comm->sm_min >= 90 ? (float)(bw * model->tables->collnet_direct_sm90) : bw;
    }
    if (!model->tables->collnet_gather_measured) {
        float outside = graph->bw_inter * 0.9f;
        return ppn * ORR_LESS(graph->bw_intra, outside);
    }
    if (model->tables->collnet_gather_bounded && model->nodes > 1 &&
        (!model->comm->collnet || ppn > (float)model->comm->collnet_heads))
        return 0;
    float w = (ppn - 1) / (8 - 1);
    bw = ppn * rate;
    return (float)(bw * (w * 0.85 + (1 - w) * 0.95));
}

/* Converts the rate of the links into that of the function, by how often the data crosses the links. */
static float ratio(const struct orr_model *model, enum orr_function function, enum orr_algorithm algorithm)
{
    const struct orr_tuning_model *tables = model->tables;
    bool nvls_tree = algorithm == ORR_ALGO_NVLS_TREE, nvls = algorithm == ORR_ALGO_NVLS || nvls_tree;
    if (algorithm == ORR_ALGO_RING || (nvls && tables->nvls_ratio_rule == ORR_NVLS_RATIO_RING))
        return (float)((1.0 * model->ranks) / orr_ring_step_count(function, model->ranks));
    if (nvls_tree && tables->nvls_ratio_rule == ORR_NVLS_RATIO_TREE)
        return (float)(.70 * model->nodes / (2 * (model->nodes - 1)));
    return nvls ? (float)tables->nvls_ratio : .5f;
}

float orr_model_bandwidth(const struct orr_model *model, enum orr_function function, enum orr_algorithm algorithm,
                          enum orr_protocol protocol)
{
    const struct orr_tuning_model *tables = model->tables;
    const struct orr_communicator *comm = model->comm;
    const struct orr_graph *graph = &comm->aligned[orr_algorithm_graph(tables, algorithm)];
    float rate = channel_rate(model, function, algorithm, graph);
    float bw = (float)graph->channels * rate;
    float row_max = tables->capability_row == ORR_ROW_BY_LEAST || model->uniform_80 ? tables->row_max[model->row] : 0;
    if (row_max > 0)
        bw = ORR_LESS(bw, row_max);

    bool gathers = orr_gathers(function);
    switch (algorithm) {
    case ORR_ALGO_RING:
        bw = ring(model, function, protocol, graph->channels, bw);
        break;
    case ORR_ALGO_TREE:
        bw = tables->tree_flat_limits ? tree_flat(model, function, protocol, graph->channels, bw)
                                      : tree(model, protocol, graph->channels, bw);
        break;
    case ORR_ALGO_PAT:
        bw = (float)(bw * tables->pat);
        break;
    case ORR_ALGO_COLLNET_DIRECT:
        if (tables->one_collnet)
            bw = collnet(model, protocol, bw);
        else
            bw = protocol == ORR_SIMPLE ? collnet_direct(model, function, graph, rate, bw) : 0;
        break;
    case ORR_ALGO_COLLNET_CHAIN:
        bw = protocol == ORR_SIMPLE ? (float)(bw * tables->collnet_chain) : 0;
        break;
    default:
        break;
    }
    bool shares = algorithm == ORR_ALGO_NVLS || algorithm == ORR_ALGO_COLLNET_DIRECT;
    if (tables->gather_by_collnet && shares && gathers && model->nodes > 1 &&
        (!comm->collnet || comm->max_local_ranks > (uint32_t)comm->collnet_heads))
        bw = 0;
    bool unscaled =
        gathers && (tables->gather_unscaled ? algorithm != ORR_ALGO_RING : algorithm == ORR_ALGO_COLLNET_DIRECT);
    return unscaled ? bw : bw * ratio(model, function, algorithm);
}
