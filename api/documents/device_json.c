/* SPDX-License-Identifier: Apache-2.0 */
/* Writes what the device side may use: each fact once, with the nodes that differ. */
#include "api/documents/sections.h"
#include "engine/device/kernels.h"

/* 1 and 0, a number of ranks, "full"; null if the release does not ask. */
static json_t *value_json(struct orr_json *json, enum orr_device_fact fact, int32_t value)
{
    char text[ORR_DEVICE_VALUE_SIZE];
    if (value < 0)
        return json_null();
    return fact == ORR_DEVICE_GIN ? orr_json_text(json, orr_device_value_text(fact, value, text))
                                  : orr_json_int(json, value);
}

static json_t *rests_json(struct orr_json *json, unsigned assumes)
{
    json_t *rows = orr_json_array(json);
    for (unsigned i = 0; i < ORR_DEVICE_ASSUMPTION_COUNT; i++)
        if (assumes >> i & 1)
            orr_json_add(json, rows, orr_json_text(json, orr_device_assumption_id(i)));
    return rows;
}

/* The nodes with another value than those of rank 0. */
static json_t *others_json(struct orr_json *json, const struct orr_device_side *device, enum orr_device_fact fact)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t k = 1; k < device->kind_count; k++) {
        const struct orr_device_nodes *nodes = &device->kinds[k];
        const struct orr_device_verdict *verdict = &nodes->verdicts[fact];
        if (verdict->value != device->kinds[0].verdicts[fact].value)
            orr_json_add(json, rows,
                         ORR_OBJECT(json, ORR_INT("rank", nodes->first_rank), ORR_INT("nodes", nodes->node_count),
                                    ORR_VALUE("value", value_json(json, fact, verdict->value)),
                                    ORR_STRING("rule", verdict->rule), ORR_STRING("why", verdict->sentence)));
    }
    return rows;
}

static json_t *fact_json(struct orr_json *json, const struct orr_device_side *device, enum orr_device_fact fact)
{
    const struct orr_device_verdict *verdict = orr_device_verdict(device, fact);
    return ORR_OBJECT(json, ORR_STRING("name", orr_device_fact_name(device->analysis->query.settings.release, fact)),
                      ORR_STRING("scope", orr_device_fact_shared(fact) ? "communicator" : "node"),
                      ORR_VALUE("value", value_json(json, fact, verdict->value)), ORR_STRING("rule", verdict->rule),
                      ORR_STRING("why", verdict->sentence),
                      ORR_WHEN(*verdict->remedy, ORR_STRING("change", verdict->remedy)),
                      ORR_WHEN(verdict->assumes, ORR_VALUE("rests_on", rests_json(json, verdict->assumes))),
                      ORR_WHEN(orr_device_differs(device, fact), ORR_VALUE("others", others_json(json, device, fact))));
}

static json_t *classic_json(struct orr_json *json, const struct orr_analysis *a, enum orr_function function,
                            uint64_t bytes)
{
    struct orr_choice choice;
    if (!orr_tuning_choose(&a->tuning, &a->communicator, &a->query.settings, function, bytes, &choice))
        return json_null();
    return ORR_OBJECT(json, ORR_STRING("algorithm", orr_algorithm_name(a->query.settings.release, choice.algorithm)),
                      ORR_STRING("protocol", orr_protocol_name(choice.protocol)),
                      ORR_NUMBER("us", (double)choice.time));
}

static json_t *call_json(struct orr_json *json, const struct orr_device_side *device,
                         const struct orr_device_call *call)
{
    static const char *const runs_by[] = {"classic", "symmetric", "copy-engine"};
    struct orr_device_choice choice;
    orr_device_choose(device, call, &choice, NULL, NULL);
    return ORR_OBJECT(json, ORR_STRING("collective", orr_function_name(call->function)),
                      ORR_INT("bytes", (int64_t)call->bytes), ORR_STRING("by", runs_by[choice.by]),
                      ORR_WHEN(choice.kernel, ORR_STRING("kernel", choice.kernel)),
                      ORR_WHEN(choice.kernel, ORR_INT("blocks", choice.blocks)),
                      ORR_WHEN(choice.time > 0 && choice.kernel, ORR_NUMBER("us", (double)choice.time)),
                      ORR_WHEN(choice.assumed, ORR_BOOL("assumed", true)), ORR_STRING("rule", choice.rule),
                      ORR_STRING("why", choice.sentence),
                      ORR_VALUE("classic", classic_json(json, device->analysis, call->function, call->bytes)));
}

/* Sizes of float32 in steps of four; null without windows, because then the classic choice always applies. */
static json_t *calls_json(struct orr_json *json, const struct orr_device_side *device)
{
    enum { LEAST_LOG = 10, MOST_LOG = 30, STEP = 2 };
    static const enum orr_function functions[] = {ORR_ALLREDUCE, ORR_ALLGATHER, ORR_REDUCESCATTER};
    const unsigned windows = device->analysis->query.settings.windows;
    if (!windows || device->rules->symmetric == ORR_SYMMETRIC_NONE)
        return json_null();
    json_t *rows = orr_json_array(json);
    for (size_t f = 0; f < sizeof functions / sizeof functions[0]; f++)
        for (unsigned log = LEAST_LOG; log <= MOST_LOG; log += STEP) {
            const struct orr_device_call call = {
                .function = functions[f], .bytes = UINT64_C(1) << log, .windows = windows};
            orr_json_add(json, rows, call_json(json, device, &call));
        }
    return rows;
}

/* Channels with buffers registered with NVLS, by collective; null if none are. */
static json_t *nvls_registered_json(struct orr_json *json, const struct orr_device_side *device)
{
    const int32_t *channels = device->nvls_registered;
    if (!channels[ORR_ALLREDUCE])
        return json_null();
    return ORR_OBJECT(json, ORR_INT(orr_function_name(ORR_ALLREDUCE), channels[ORR_ALLREDUCE]),
                      ORR_INT(orr_function_name(ORR_ALLGATHER), channels[ORR_ALLGATHER]),
                      ORR_INT(orr_function_name(ORR_REDUCESCATTER), channels[ORR_REDUCESCATTER]));
}

json_t *orr_device_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_device_side device;
    if (!arena || orr_device_decide(analysis, arena, &device, NULL) != ORR_OK) {
        json->failed = true;
        return NULL;
    }
    json_t *facts = orr_json_array(json);
    for (int f = 0; device.rules->covered && f < ORR_DEVICE_FACT_COUNT; f++)
        orr_json_add(json, facts, fact_json(json, &device, (enum orr_device_fact)f));
    return ORR_OBJECT(json, ORR_BOOL("covered", device.rules->covered),
                      ORR_STRING("windows", orr_windows_word(analysis->query.settings.windows)),
                      ORR_VALUE("teams", device.team_count ? ORR_OBJECT(json, ORR_INT("size", device.lsa_size),
                                                                        ORR_INT("count", device.team_count))
                                                           : json_null()),
                      ORR_STRING("gin_type", orr_gin_type_name(device.kinds[0].gin_type)),
                      ORR_VALUE("nvls_registered", nvls_registered_json(json, &device)), ORR_VALUE("facts", facts),
                      ORR_VALUE("calls", calls_json(json, &device)));
}
