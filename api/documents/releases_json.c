/* SPDX-License-Identifier: Apache-2.0 */
/* The emulated releases: a sentence, figures, and differences from the previous one, all computed from the releases'
 * rows by the table of behaviours. */
#include <stdio.h>
#include <stdlib.h>

#include <string.h>

#include "api/documents/json.h"
#include "engine/release/behaviours.h"
#include "engine/release/faults.h"
#include "engine/release/frameworks.h"
#include "engine/release/release_names.h"

/* Rows hold binary32: 20.6, not 20.6000004. */
static json_t *figure_json(struct orr_json *json, double number)
{
    char digits[32];
    snprintf(digits, sizeof digits, "%.7g", number);
    return orr_json_number(json, number == (double)(float)number ? strtod(digits, NULL) : number);
}

static json_t *cell_json(struct orr_json *json, const struct orr_figures *cell)
{
    if (cell->count == 1)
        return figure_json(json, cell->figures[0]);
    json_t *row = orr_json_array(json);
    for (uint32_t i = 0; i < cell->count; i++)
        orr_json_add(json, row, figure_json(json, cell->figures[i]));
    return row;
}

static json_t *value_json(struct orr_json *json, const struct orr_value *value)
{
    json_t *many;
    switch (value->kind) {
    case ORR_VALUE_BOOL:
        return orr_json_bool(json, value->number != 0);
    case ORR_VALUE_NUMBER:
        return orr_value_is_none(value) ? json_null() : figure_json(json, value->number);
    case ORR_VALUE_WORD:
        return orr_json_text(json, value->word);
    case ORR_VALUE_LIST:
        return orr_json_texts(json, value->names, value->count);
    case ORR_VALUE_TABLE:
        many = orr_json_object(json);
        for (uint32_t i = 0; i < value->count; i++)
            orr_json_set(json, many, value->cells[i].label, cell_json(json, &value->cells[i]));
        return many;
    case ORR_VALUE_NONE:
        break;
    }
    return json_null();
}

static json_t *figures_json(struct orr_json *json, const struct orr_release *release, struct orr_arena *arena)
{
    json_t *figures = orr_json_object(json);
    for (uint32_t i = 0; i < orr_behaviour_count(); i++) {
        struct orr_behaviour behaviour;
        struct orr_value value;
        orr_behaviour_get(i, &behaviour);
        if (orr_behaviour_value(&behaviour, release, arena, &value, NULL) != ORR_OK)
            json->failed = true; /* only memory can run out there */
        else
            orr_json_set(json, figures, behaviour.name, value_json(json, &value));
    }
    return figures;
}

static json_t *bearings_json(struct orr_json *json, unsigned bears)
{
    json_t *names = orr_json_array(json);
    for (int bit = 0; bit < ORR_BEARING_COUNT; bit++)
        if (bears >> bit & 1)
            orr_json_add(json, names, orr_json_text(json, orr_bearing_name((enum orr_bearing_bit)bit)));
    return names;
}

/* One row of "differs_from_previous". */
static json_t *difference_json(struct orr_json *json, const struct orr_behaviour_difference *difference)
{
    return ORR_OBJECT(json, ORR_STRING("behaviour", difference->behaviour.name),
                      ORR_STRING("sentence", difference->behaviour.sentence), ORR_STRING("here", difference->here),
                      ORR_STRING("before", difference->before),
                      ORR_VALUE("bears_on", bearings_json(json, difference->behaviour.bears)));
}

static json_t *differences_json(struct orr_json *json, const struct orr_release *here, const struct orr_release *before,
                                struct orr_arena *arena)
{
    const struct orr_behaviour_difference *differences = NULL;
    uint32_t count = 0;
    json_t *rows = orr_json_array(json);
    if (before && orr_releases_compare(here, before, arena, &differences, &count, NULL) != ORR_OK)
        json->failed = true;
    for (uint32_t i = 0; i < count; i++)
        orr_json_add(json, rows, difference_json(json, &differences[i]));
    return rows;
}

static json_t *path_types_json(struct orr_json *json, const struct orr_release *release)
{
    json_t *types = orr_json_array(json);
    for (uint32_t i = 0; i < release->path_type_count; i++)
        orr_json_add(json, types, orr_json_text(json, orr_path_type_name((enum orr_path_type)release->path_types[i])));
    return types;
}

static json_t *node_types_json(struct orr_json *json, const struct orr_release *release)
{
    json_t *types = orr_json_array(json);
    for (int type = 0; type < ORR_NODE_TYPE_COUNT; type++)
        if (orr_node_type_in((enum orr_node_type)type, release))
            orr_json_add(json, types, orr_json_text(json, orr_node_type_name((enum orr_node_type)type)));
    return types;
}

static json_t *aliases_json(struct orr_json *json, const struct orr_release *release)
{
    uint32_t count;
    const struct orr_release_alias *aliases = orr_release_aliases(&count);
    json_t *names = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++)
        if (!strcmp(aliases[i].row, release->name))
            orr_json_add(json, names, orr_json_text(json, aliases[i].name));
    return names;
}

static json_t *frameworks_json(struct orr_json *json, const struct orr_release *release)
{
    uint32_t count;
    const struct orr_framework *frameworks = orr_frameworks(&count);
    json_t *rows = orr_json_array(json);
    for (uint32_t i = 0; i < count; i++) {
        if (!orr_framework_brings(&frameworks[i], release))
            continue;
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("framework", frameworks[i].name),
                                ORR_STRING("version", frameworks[i].version), ORR_STRING("build", frameworks[i].build),
                                ORR_STRING("nccl", frameworks[i].nccl)));
    }
    return rows;
}

static json_t *faults_json(struct orr_json *json, const struct orr_release *release)
{
    const struct orr_fault *fault;
    json_t *rows = orr_json_array(json);
    char fixed[ORR_VERSION_SIZE];
    for (uint32_t i = 0; (fault = orr_fault_at(i)); i++)
        if (orr_release_has_fault(release, fault))
            orr_json_add(
                json, rows,
                ORR_OBJECT(json, ORR_STRING("id", fault->id), ORR_STRING("what", fault->what),
                           ORR_STRING("mended_in", fault->fixed ? orr_version_format(fault->fixed, fixed) : NULL),
                           ORR_BOOL("reported", fault->reported), ORR_STRING("meanwhile", fault->cure)));
    return rows;
}

static json_t *release_json(struct orr_json *json, const struct orr_release *release, const struct orr_release *before)
{
    enum { RELEASE_MEMORY = 1 << 20 };
    ORR_LOCAL_ARENA(arena, RELEASE_MEMORY);
    json_t *row = orr_json_object(json);
    if (!arena) {
        json->failed = true;
        return row;
    }
    ORR_SET(
        json, row, ORR_STRING("release", release->name), ORR_STRING("date", release->date),
        ORR_STRING("summary", release->summary), ORR_BOOL("verified", release->compared),
        ORR_VALUE("behaves_alike", aliases_json(json, release)),
        ORR_VALUE("shipped_with", frameworks_json(json, release)), ORR_VALUE("faults", faults_json(json, release)),
        ORR_BOOL("default", release == orr_release_default()), ORR_VALUE("path_types", path_types_json(json, release)),
        ORR_VALUE("node_types", node_types_json(json, release)), ORR_INT("max_channels", release->max_channels),
        ORR_VALUE("figures", figures_json(json, release, arena)), ORR_STRING("previous", before ? before->name : NULL),
        ORR_VALUE("differs_from_previous", differences_json(json, release, before, arena)));
    return row;
}

json_t *orr_releases_json(struct orr_json *json, const struct orr_release *only)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    json_t *rows = orr_json_array(json);
    for (uint32_t i = count; i-- > 0;)
        if (!only || only == &releases[i])
            orr_json_add(json, rows, release_json(json, &releases[i], i ? &releases[i - 1] : NULL));
    return ORR_OBJECT(json, ORR_STRING("default", orr_release_default()->name), ORR_VALUE("releases", rows));
}
