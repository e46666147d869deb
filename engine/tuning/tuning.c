/* SPDX-License-Identifier: Apache-2.0 */
/* The model of one communicator: every function, algorithm and protocol, then those that are switched off. */
#include "engine/tuning/tuning.h"

#include <string.h>

#include "engine/topology/system.h"
#include "engine/tuning/model.h"

static int32_t capability_row(const struct orr_tuning_model *tables, const struct orr_communicator *comm)
{
    bool uniform = comm->sm_min == comm->sm_max;
    if (tables->capability_row != ORR_ROW_BY_LEAST)
        return uniform && comm->sm_min == 80                                                      ? 1
               : uniform && comm->sm_min == 90 && tables->capability_row == ORR_ROW_UNIFORM_80_90 ? 2
                                                                                                  : 0;
    int32_t row = (comm->sm_min >= 80) + (comm->sm_min >= 90) + (comm->sm_min >= 100);
    return row < tables->rows ? row : tables->rows - 1;
}

static void model_init(struct orr_model *model, const struct orr_communicator *comm,
                       const struct orr_settings *settings)
{
    const struct orr_tuning_model *tables = settings->release->tuning;
    *model = (struct orr_model){
        .tables = tables,
        .comm = comm,
        .settings = settings,
        .ranks = (int32_t)comm->rank_count,
        .nodes = (int32_t)comm->node_count,
        .ranks_per_node = (float)comm->rank_count / (float)comm->node_count,
        .row = capability_row(tables, comm),
        .column = comm->node_count == 1   ? 0
                  : comm->node_count == 2 ? 1
                                          : 2,
        .uniform_80 = comm->sm_min == 80 && comm->sm_max == 80,
    };
    const struct orr_contribution *own = comm->members[0].contribution;
    model->cpu_arch = tables->own_cpu ? own->cpu_arch : comm->cpu_arch;
    int32_t vendor = tables->own_cpu ? own->cpu_vendor : comm->cpu_vendor;
    bool amd = vendor == ORR_VENDOR_AMD || (tables->mixed_vendor_as_amd && vendor == ORR_VENDOR_MIXED);
    int32_t ll_row = comm->node_count == 1 ? model->row : amd;
    model->ll_max = tables->ll_max[ll_row][model->column];
}

static bool pat_enabled(const struct orr_model *model)
{
    int32_t given = orr_setting_int32(model->settings, ORR_SET_PAT_ENABLE);
    if (model->comm->sm_min < model->tables->pat_least_sm)
        return false;
    return given == 2 ? model->nodes == model->ranks : given != 0;
}

/* Whether the model has the combination at all. */
static bool model_has(const struct orr_model *model, enum orr_function function, enum orr_algorithm algorithm,
                      enum orr_protocol protocol)
{
    if ((uint32_t)algorithm >= model->tables->algorithm_count)
        return false;
    if (algorithm == ORR_ALGO_RING)
        return true;
    bool only_simple = algorithm == ORR_ALGO_NVLS || algorithm == ORR_ALGO_NVLS_TREE || algorithm == ORR_ALGO_PAT;
    if (only_simple && protocol != ORR_SIMPLE)
        return false;
    bool nvls = algorithm == ORR_ALGO_NVLS || algorithm == ORR_ALGO_NVLS_TREE;
    if (nvls && model->comm->aligned[ORR_GRAPH_NVLS].channels < model->tables->nvls_least_channels)
        return false;
    enum orr_gathers gathers = model->tables->gathers;
    if (function == ORR_ALLREDUCE)
        return algorithm != ORR_ALGO_PAT;
    if (!orr_gathers(function))
        return false;
    return (algorithm == ORR_ALGO_NVLS && gathers >= ORR_GATHERS_NVLS) ||
           (algorithm == ORR_ALGO_COLLNET_DIRECT && gathers >= ORR_GATHERS_COLLNET) ||
           (algorithm == ORR_ALGO_PAT && pat_enabled(model));
}

enum orr_code orr_tune(const struct orr_communicator *communicator, const struct orr_settings *settings,
                       struct orr_tuning *ret_tuning, struct orr_error *err)
{
    struct orr_model model;
    struct orr_tuning tuning;
    struct orr_switches switches;
    memset(&tuning, 0, sizeof tuning);
    model_init(&model, communicator, settings);
    tuning.algorithm_count = model.tables->algorithm_count;
    orr_model_threads(&model, &tuning);
    ORR_TRY(orr_switches_read(&model, &switches, err));
    if (model.ranks > 1) {
        for (int f = 0; f < ORR_FUNCTION_COUNT; f++)
            for (uint32_t a = 0; a < tuning.algorithm_count; a++)
                for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
                    if (!model_has(&model, (enum orr_function)f, (enum orr_algorithm)a, (enum orr_protocol)p))
                        continue;
                    tuning.bandwidth[f][a][p] =
                        orr_model_bandwidth(&model, (enum orr_function)f, (enum orr_algorithm)a, (enum orr_protocol)p);
                    tuning.latency[f][a][p] =
                        orr_model_latency(&model, (enum orr_function)f, (enum orr_algorithm)a, (enum orr_protocol)p);
                }
        orr_switches_restrict(&model, &switches);
        orr_switches_apply(&model, &switches, &tuning);
        orr_model_thresholds(&model, &tuning);
    }
    *ret_tuning = tuning;
    return ORR_OK;
}
