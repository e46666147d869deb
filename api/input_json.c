/* What an input was recognised as, what is assumed in it and what is missing; and the machine types. */
#include <string.h>

#include "api/sections.h"
#include "engine/input/input.h"
#include "engine/machines/machine_types.h"
#include "engine/topology/graph_file.h"

static json_t *touches_json(struct orr_json *json, unsigned touches)
{
    static const char *const names[ORR_TOUCH_COUNT] = {
#define X(name, text) text,
        ORR_TOUCH_MAP(X)
#undef X
    };
    json_t *array = orr_json_array(json);
    for (unsigned i = 0; i < ORR_TOUCH_COUNT; i++)
        if (touches >> i & 1)
            orr_json_add(json, array, orr_json_text(json, names[i]));
    return array;
}

json_t *orr_input_json(struct orr_json *json, const struct orr_dump *dump)
{
    static const struct orr_dump_notes none = {.kind = "nccl-topology", .title = "NCCL topology XML", .recognised = ""};
    const struct orr_dump_notes *notes = dump->notes ? dump->notes : &none;
    json_t *object = orr_json_object(json), *assumed = orr_json_array(json), *missing = orr_json_array(json);
    for (uint32_t i = 0; i < notes->assumed_count; i++) {
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "what", orr_json_text(json, notes->assumed[i].what));
        orr_json_set(json, row, "touches", touches_json(json, notes->assumed[i].touches));
        orr_json_add(json, assumed, row);
    }
    for (uint32_t i = 0; i < notes->missing_count; i++) {
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "what", orr_json_text(json, notes->missing[i].what));
        orr_json_set(json, row, "command", orr_json_text(json, notes->missing[i].command));
        orr_json_add(json, missing, row);
    }
    orr_json_set(json, object, "kind", orr_json_text(json, notes->kind));
    orr_json_set(json, object, "title", orr_json_text(json, notes->title));
    orr_json_set(json, object, "recognised", orr_json_text(json, notes->recognised));
    orr_json_set(json, object, "machine_type", orr_json_text(json, notes->machine_type));
    orr_json_set(json, object, "release", orr_json_text(json, notes->release));
    if (notes->logged_release)
        orr_json_set(json, object, "logged_release", orr_json_text(json, notes->logged_release));
    if (dump->graphs)
        orr_json_set(json, object, "graph_file", orr_json_int(json, dump->graphs->count));
    if (notes->assumed_nics)
        orr_json_set(json, object, "assumed_nics", orr_json_int(json, notes->assumed_nics));
    orr_json_set(json, object, "assumed", assumed);
    orr_json_set(json, object, "missing", missing);
    return object;
}

static json_t *names_json(struct orr_json *json, const char *names)
{
    json_t *array = orr_json_array(json);
    while (*names) {
        size_t length = strcspn(names, " ");
        orr_json_add(json, array, orr_json_format(json, "%.*s", (int)length, names));
        names += length + (names[length] == ' ');
    }
    return array;
}

json_t *orr_machines_json(struct orr_json *json)
{
    static const char *const fabrics[] = {[ORR_FABRIC_NONE] = "none",
                                          [ORR_FABRIC_SWITCH] = "switched",
                                          [ORR_FABRIC_MESH] = "direct",
                                          [ORR_FABRIC_PAIRS] = "direct"};
    json_t *object = orr_json_object(json), *rows = orr_json_array(json);
    const struct orr_machine_type *type;
    for (size_t i = 0; (type = orr_machine_type(i)); i++) {
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "name", orr_json_text(json, type->name));
        orr_json_set(json, row, "also", names_json(json, type->also));
        orr_json_set(json, row, "family", orr_json_text(json, type->family));
        orr_json_set(json, row, "title", orr_json_text(json, type->title));
        orr_json_set(json, row, "gpus", orr_json_int(json, type->gpus));
        orr_json_set(json, row, "gpu", orr_json_text(json, type->board->gpu));
        orr_json_set(json, row, "sm", orr_json_int(json, type->board->sm));
        orr_json_set(json, row, "nvlink", orr_json_text(json, fabrics[type->board->fabric]));
        orr_json_set(json, row, "nets", orr_json_int(json, type->nets));
        orr_json_set(json, row, "net_gbps", orr_json_int(json, type->net_mbps / 1000));
        orr_json_set(json, row, "gdr", orr_json_bool(json, type->net_gdr));
        orr_json_set(json, row, "nvlinks", orr_json_int(json, type->board->nvlinks));
        orr_json_set(json, row, "arch", orr_json_text(json, type->arch));
        orr_json_set(json, row, "cpu",
                     *type->cpu_vendor
                         ? orr_json_format(json, "%s %d/%d", type->cpu_vendor, type->cpu_family, type->cpu_model)
                         : orr_json_text(json, NULL));
        orr_json_set(json, row, "source", orr_json_text(json, *type->source ? type->source : NULL));
        orr_json_set(json, row, "unsure", orr_json_text(json, *type->unsure ? type->unsure : NULL));
        orr_json_add(json, rows, row);
    }
    orr_json_set(json, object, "machines", rows);
    return object;
}

json_t *orr_inputs_json(struct orr_json *json)
{
    json_t *object = orr_json_object(json), *rows = orr_json_array(json);
    const struct orr_input_kind *kind;
    for (size_t i = 0; (kind = orr_input_kind(i)); i++) {
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "kind", orr_json_text(json, kind->name));
        orr_json_set(json, row, "title", orr_json_text(json, kind->title));
        orr_json_set(json, row, "sign", orr_json_text(json, kind->sign));
        orr_json_set(json, row, "made_by", orr_json_text(json, kind->made_by));
        orr_json_add(json, rows, row);
    }
    orr_json_set(json, object, "inputs", rows);
    return object;
}
