/* SPDX-License-Identifier: Apache-2.0 */
/* Several dumps compared with their majority, as JSON. */
#include "api/documents/sections.h"
#include "engine/compare/majority.h"

static json_t *device_json(struct orr_json *json, const struct orr_devices *devices, uint32_t device)
{
    char name[ORR_DEVICE_NAME_SIZE];
    return ORR_OBJECT(json, ORR_STRING("kind", orr_device_kind_name(devices->rows[device].kind)),
                      ORR_STRING("name", orr_device_text(devices, device, name)));
}

static json_t *row_json(struct orr_json *json, const struct orr_majority *m, const struct orr_deviation *row,
                        const struct orr_called *called)
{
    const struct orr_unlike *unlike = &row->unlike;
    json_t *deviants = orr_json_array(json);
    for (uint32_t i = 0; i < row->deviant_count && i < ORR_COMPARE_ROWS; i++) {
        orr_json_add(json, deviants,
                     ORR_OBJECT(json, ORR_STRING("topology", called[row->deviants[i]].topology),
                                ORR_STRING("value", row->values[i])));
    }
    return ORR_OBJECT(
        json, ORR_STRING("what", orr_unlike_name(unlike)), ORR_STRING("text", orr_deviation_text(row)),
        ORR_VALUE("device", unlike->a != ORR_NO_DEVICE ? device_json(json, &m->devices[m->reference], unlike->a)
                                                       : device_json(json, &m->devices[row->example], unlike->b)),
        ORR_WHEN(unlike->kind == ORR_UNLIKE_NVLINKS,
                 ORR_VALUE("other", device_json(json, &m->devices[m->reference], unlike->peer_a))),
        ORR_BOOL("numbering", row->numbering), ORR_STRING("majority", row->decided ? row->majority : NULL),
        ORR_INT("majority_count", row->majority_hosts), ORR_BOOL("odd", orr_deviation_is_odd(m, row)),
        ORR_VALUE("deviants", deviants),
        ORR_INT("left_out", row->deviant_count > ORR_COMPARE_ROWS ? row->deviant_count - ORR_COMPARE_ROWS : 0));
}

static json_t *decisions_json(struct orr_json *json, const struct orr_changes *changes)
{
    json_t *object = orr_json_object(json);
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        orr_json_set(json, object, orr_fact_section_name((enum orr_fact_section)s),
                     orr_json_int(json, (int64_t)changes->section_changed[s]));
    return object;
}

static json_t *others_json(struct orr_json *json, const struct orr_alike *alike)
{
    json_t *others = orr_json_array(json);
    for (uint32_t i = 0; alike && i < alike->id_count; i++)
        orr_json_add(json, others, orr_json_text(json, alike->ids[i]));
    return others;
}

static json_t *finding_json(struct orr_json *json, const struct orr_set_finding *finding,
                            const struct orr_called *called, const struct orr_alike *alike)
{
    json_t *who = orr_json_array(json);
    const struct orr_finding_row *row = &finding->row;
    for (uint32_t i = 0; i < finding->specimen_count; i++) {
        const struct orr_alike *like = alike ? &alike[finding->specimens[i]] : NULL;
        orr_json_add(json, who, orr_json_text(json, called[finding->specimens[i]].topology));
        for (uint32_t k = 0; like && k < like->id_count; k++)
            orr_json_add(json, who, orr_json_text(json, like->ids[k]));
    }
    return ORR_OBJECT(json, ORR_STRING("id", row->id), ORR_STRING("catalogue", row->catalogue),
                      ORR_STRING("severity", orr_severity_name(row->severity)), ORR_STRING("title", row->title),
                      ORR_STRING("detail", finding->detail), ORR_VALUE("topologies", who), ORR_STRING("why", row->why),
                      ORR_STRING("advice", row->advice), ORR_VALUE("commands", orr_json_texts(json, row->commands, 4)),
                      ORR_VALUE("references", orr_json_texts(json, row->references, 4)));
}

static json_t *summary_json(struct orr_json *json, const struct orr_majority *m, const struct orr_called *called,
                            const struct orr_changes *const *changes)
{
    ORR_LOCAL_TEXT(text, 8192);
    orr_majority_summary(m, called, changes, &text);
    json_t *value = orr_json_text_of(json, &text);
    return value;
}

json_t *orr_majority_json(struct orr_json *json, const struct orr_majority *m, const struct orr_set_finding *findings,
                          uint32_t finding_count, const struct orr_called *called, const struct orr_alike *alike,
                          const struct orr_changes *const *changes)
{
    uint32_t contents = 0;
    json_t *rows = orr_json_array(json), *members = orr_json_array(json);
    json_t *listed = orr_json_array(json);
    for (uint32_t s = 0; s < m->specimens; s++) {
        contents += alike ? alike[s].topologies : 1;
        orr_json_add(json, members,
                     ORR_OBJECT(json, ORR_STRING("topology", called[s].topology),
                                ORR_STRING("name", called[s].name ? called[s].name : ""),
                                ORR_INT("topologies", alike ? alike[s].topologies : 1),
                                ORR_VALUE("also", others_json(json, alike ? &alike[s] : NULL)),
                                ORR_INT("hardware", m->deviates[s][0]), ORR_INT("numbering", m->deviates[s][1]),
                                ORR_VALUE("decisions", changes[s] ? decisions_json(json, changes[s]) : json_null()),
                                ORR_VALUE("outcomes", changes[s] ? orr_outcomes_json(json, &changes[s]->outcomes[0],
                                                                                     &changes[s]->outcomes[1])
                                                                 : json_null())));
    }
    for (uint32_t i = 0; i < m->count && i < ORR_COMPARE_ROWS; i++)
        orr_json_add(json, rows, row_json(json, m, &m->rows[i], called));
    for (uint32_t i = 0; i < finding_count; i++)
        orr_json_add(json, listed, finding_json(json, &findings[i], called, alike));
    return ORR_OBJECT(
        json, ORR_INT("compared", m->hosts), ORR_INT("contents", contents), ORR_INT("shapes", m->specimens),
        ORR_INT("kinds", m->shapes), ORR_STRING("reference", called[m->reference].topology),
        ORR_BOOL("equal", !m->count), ORR_VALUE("summary", summary_json(json, m, called, changes)),
        ORR_VALUE("findings", listed), ORR_VALUE("members", members), ORR_VALUE("rows", rows),
        ORR_INT("left_out", m->left_out + (m->count > ORR_COMPARE_ROWS ? m->count - ORR_COMPARE_ROWS : 0)));
}
