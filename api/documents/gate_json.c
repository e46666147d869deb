/* SPDX-License-Identifier: Apache-2.0 */
/* The verdict on a node, as JSON. */
#include "api/documents/sections.h"
#include "engine/gate/gate.h"

static json_t *reason_json(struct orr_json *json, const struct orr_gate_reason *reason)
{
    return ORR_OBJECT(json, ORR_STRING("finding", reason->compared ? NULL : reason->id),
                      ORR_STRING("difference", reason->compared ? reason->id : NULL), ORR_STRING("text", reason->text),
                      ORR_VALUE("devices", orr_json_texts(json, reason->devices, reason->device_count)),
                      ORR_VALUE("cost", reason->cost ? orr_cost_json(json, reason->cost, reason->repair) : json_null()),
                      ORR_BOOL("allowed", reason->allowed));
}

static const char *state_name(int state)
{
    return orr_gate_state_name((enum orr_gate_state)state);
}

json_t *orr_gate_json(struct orr_json *json, const struct orr_gate_request *request, const struct orr_gate *gate)
{
    json_t *reasons = orr_json_array(json);
    const struct orr_release *release = request->query.settings.release;
    for (uint32_t i = 0; i < gate->count; i++)
        orr_json_add(json, reasons, reason_json(json, &gate->reasons[i]));
    return ORR_OBJECT(json, ORR_STRING("state", orr_gate_state_name(gate->state)),
                      ORR_STRING("sentence", gate->sentence), ORR_STRING("node", request->node_name),
                      ORR_STRING("compared_with", request->expected_name), ORR_VALUE("reasons", reasons),
                      ORR_VALUE("busbw", gate->hosts ? orr_json_number(json, gate->bus_bw) : json_null()),
                      ORR_VALUE("expected", gate->hosts ? orr_json_number(json, gate->expected) : json_null()),
                      ORR_VALUE("hosts", gate->hosts ? orr_json_int(json, gate->hosts) : json_null()),
                      ORR_NUMBER("min_busbw", request->min_bus_bw),
                      ORR_STRING("release", release ? release->name : NULL),
                      ORR_VALUE("outcomes", orr_outcomes_json(json, &gate->outcomes[0], &gate->outcomes[1])),
                      ORR_VALUE("differences", orr_json_texts(json, gate->differences, gate->difference_count)),
                      ORR_INT("more_differences", gate->more_differences),
                      ORR_VALUE("depends", orr_depends_json(json, &gate->depends, "state", state_name)),
                      ORR_STRING("confirm", gate->confirm),
                      ORR_VALUE("assumed", orr_json_texts(json, gate->assumed, gate->assumed_count)));
}
