/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the recognised kind of an input, its assumptions and missing facts; and the machine types. */
#include <string.h>

#include "api/documents/sections.h"
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
    json_t *assumed = orr_json_array(json), *missing = orr_json_array(json);
    for (uint32_t i = 0; i < notes->assumed_count; i++) {
        orr_json_add(json, assumed,
                     ORR_OBJECT(json, ORR_STRING("what", notes->assumed[i].what),
                                ORR_VALUE("touches", touches_json(json, notes->assumed[i].touches))));
    }
    for (uint32_t i = 0; i < notes->missing_count; i++) {
        orr_json_add(json, missing,
                     ORR_OBJECT(json, ORR_STRING("what", notes->missing[i].what),
                                ORR_STRING("command", notes->missing[i].command)));
    }
    return ORR_OBJECT(json, ORR_STRING("kind", notes->kind), ORR_STRING("title", notes->title),
                      ORR_STRING("recognised", notes->recognised), ORR_STRING("machine_type", notes->machine_type),
                      ORR_STRING("release", notes->release),
                      ORR_WHEN(notes->logged_release, ORR_STRING("logged_release", notes->logged_release)),
                      ORR_WHEN(dump->graphs, ORR_INT("graph_file", dump->graphs->count)),
                      ORR_WHEN(notes->assumed_nics, ORR_INT("assumed_nics", notes->assumed_nics)),
                      ORR_VALUE("assumed", assumed), ORR_VALUE("missing", missing));
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
    json_t *rows = orr_json_array(json);
    const struct orr_machine_type *type;
    for (size_t i = 0; (type = orr_machine_listed(i)); i++) {
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("name", type->name), ORR_VALUE("also", names_json(json, type->also)),
                                ORR_STRING("family", type->family), ORR_STRING("title", type->title),
                                ORR_INT("gpus", type->gpus * orr_machine_trays(type)),
                                ORR_STRING("gpu", type->board->gpu), ORR_INT("sm", orr_board_model(type->board)->sm),
                                ORR_STRING("nvlink", fabrics[type->board->fabric]),
                                ORR_INT("nets", type->nets * orr_machine_trays(type)),
                                ORR_INT("net_gbps", type->net_mbps / 1000), ORR_BOOL("gdr", type->net_gdr),
                                ORR_INT("nvlinks", type->board->nvlinks), ORR_STRING("arch", type->arch),
                                ORR_VALUE("cpu", *type->cpu_vendor ? orr_json_format(json, "%s %d/%d", type->cpu_vendor,
                                                                                     type->cpu_family, type->cpu_model)
                                                                   : orr_json_text(json, NULL)),
                                ORR_STRING("source", *type->source ? type->source : NULL),
                                ORR_STRING("unsure", *type->unsure ? type->unsure : NULL)));
    }
    return ORR_OBJECT(json, ORR_VALUE("machines", rows));
}

json_t *orr_inputs_json(struct orr_json *json)
{
    json_t *rows = orr_json_array(json);
    const struct orr_input_kind *kind;
    for (size_t i = 0; (kind = orr_input_kind(i)); i++) {
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("kind", kind->name), ORR_STRING("title", kind->title),
                                ORR_STRING("sign", kind->sign), ORR_STRING("made_by", kind->made_by)));
    }
    return ORR_OBJECT(json, ORR_VALUE("inputs", rows));
}
