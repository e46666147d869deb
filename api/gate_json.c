/* The verdict on a node, as JSON. */
#include "api/sections.h"
#include "engine/gate/gate.h"

static json_t *texts_json(struct orr_json *json, const char *const *texts, uint32_t count)
{
    json_t *array = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        orr_json_add(json, array, orr_json_text(json, texts[i]));
    return array;
}

static json_t *reason_json(struct orr_json *json, const struct orr_gate_reason *reason)
{
    json_t *object = orr_json_object(json);
    orr_json_set(json, object, "finding", reason->compared ? json_null() : orr_json_text(json, reason->id));
    orr_json_set(json, object, "difference", reason->compared ? orr_json_text(json, reason->id) : json_null());
    orr_json_set(json, object, "text", orr_json_text(json, reason->text));
    orr_json_set(json, object, "devices", texts_json(json, reason->devices, reason->device_count));
    orr_json_set(json, object, "cost", reason->cost ? orr_cost_json(json, reason->cost, reason->repair) : json_null());
    orr_json_set(json, object, "allowed", orr_json_bool(json, reason->allowed));
    return object;
}

json_t *orr_gate_json(struct orr_json *json, const struct orr_gate_request *request, const struct orr_gate *gate)
{
    json_t *object = orr_json_object(json), *reasons = orr_json_array(json);
    const struct orr_release *release = request->query.settings.release;
    orr_json_set(json, object, "state", orr_json_text(json, orr_gate_state_name(gate->state)));
    orr_json_set(json, object, "sentence", orr_json_text(json, gate->sentence));
    orr_json_set(json, object, "node", orr_json_text(json, request->node_name));
    orr_json_set(json, object, "compared_with", orr_json_text(json, request->expected_name));
    for (uint32_t i = 0; i < gate->count; i++)
        orr_json_add(json, reasons, reason_json(json, &gate->reasons[i]));
    orr_json_set(json, object, "reasons", reasons);
    orr_json_set(json, object, "busbw", gate->hosts ? orr_json_number(json, gate->bus_bw) : json_null());
    orr_json_set(json, object, "expected", gate->hosts ? orr_json_number(json, gate->expected) : json_null());
    orr_json_set(json, object, "hosts", gate->hosts ? orr_json_int(json, gate->hosts) : json_null());
    orr_json_set(json, object, "min_busbw", orr_json_number(json, request->min_bus_bw));
    orr_json_set(json, object, "release", orr_json_text(json, release ? release->name : NULL));
    orr_json_set(json, object, "differences", texts_json(json, gate->differences, gate->difference_count));
    orr_json_set(json, object, "more_differences", orr_json_int(json, gate->more_differences));
    orr_json_set(json, object, "assumed", texts_json(json, gate->assumed, gate->assumed_count));
    return object;
}
