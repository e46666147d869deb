/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on a node, as JSON. */
#include "api/documents/sections.h"
#include "engine/gate/gate.h"

static json_t *reason_json(struct orr_json *json, const struct orr_gate_reason *reason)
{
    return ORR_OBJECT(json, TEXT("finding", reason->compared ? NULL : reason->id),
                      TEXT("difference", reason->compared ? reason->id : NULL), TEXT("text", reason->text),
                      VALUE("devices", orr_json_texts(json, reason->devices, reason->device_count)),
                      VALUE("cost", reason->cost ? orr_cost_json(json, reason->cost, reason->repair) : json_null()),
                      BOOL("allowed", reason->allowed));
}

json_t *orr_gate_json(struct orr_json *json, const struct orr_gate_request *request, const struct orr_gate *gate)
{
    json_t *reasons = orr_json_array(json);
    const struct orr_release *release = request->query.settings.release;
    for (uint32_t i = 0; i < gate->count; i++)
        orr_json_add(json, reasons, reason_json(json, &gate->reasons[i]));
    return ORR_OBJECT(json, TEXT("state", orr_gate_state_name(gate->state)), TEXT("sentence", gate->sentence),
                      TEXT("node", request->node_name), TEXT("compared_with", request->expected_name),
                      VALUE("reasons", reasons),
                      VALUE("busbw", gate->hosts ? orr_json_number(json, gate->bus_bw) : json_null()),
                      VALUE("expected", gate->hosts ? orr_json_number(json, gate->expected) : json_null()),
                      VALUE("hosts", gate->hosts ? orr_json_int(json, gate->hosts) : json_null()),
                      NUMBER("min_busbw", request->min_bus_bw), TEXT("release", release ? release->name : NULL),
                      VALUE("differences", orr_json_texts(json, gate->differences, gate->difference_count)),
                      INT("more_differences", gate->more_differences),
                      VALUE("assumed", orr_json_texts(json, gate->assumed, gate->assumed_count)));
}
