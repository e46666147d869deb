/* SPDX-License-Identifier: Apache-2.0 */
/* Several dumps against what most are like, as JSON. */
#include "api/documents/sections.h"
#include "engine/compare/majority.h"

static json_t *device_json(struct orr_json *json, const struct orr_devices *devices, uint32_t device)
{
    char name[ORR_DEVICE_NAME_SIZE];
    return ORR_OBJECT(json, TEXT("kind", orr_device_kind_name(devices->rows[device].kind)),
                      TEXT("name", orr_device_text(devices, device, name)));
}

static json_t *row_json(struct orr_json *json, const struct orr_majority *m, const struct orr_deviation *row,
                        const struct orr_called *called)
{
    const struct orr_unlike *unlike = &row->unlike;
    json_t *deviants = orr_json_array(json);
    for (uint32_t i = 0; i < row->deviant_count && i < ORR_COMPARE_ROWS; i++) {
        orr_json_add(
            json, deviants,
            ORR_OBJECT(json, TEXT("topology", called[row->deviants[i]].topology), TEXT("value", row->values[i])));
    }
    return ORR_OBJECT(
        json, TEXT("what", orr_unlike_name(unlike)), TEXT("text", orr_deviation_text(row)),
        VALUE("device", unlike->a != ORR_NO_DEVICE ? device_json(json, &m->devices[m->reference], unlike->a)
                                                   : device_json(json, &m->devices[row->example], unlike->b)),
        WHEN(unlike->kind == ORR_UNLIKE_NVLINKS,
             VALUE("other", device_json(json, &m->devices[m->reference], unlike->peer_a))),
        BOOL("numbering", row->numbering), TEXT("majority", row->decided ? row->majority : NULL),
        INT("majority_count", row->majority_hosts), BOOL("odd", orr_deviation_is_odd(m, row)),
        VALUE("deviants", deviants),
        INT("left_out", row->deviant_count > ORR_COMPARE_ROWS ? row->deviant_count - ORR_COMPARE_ROWS : 0));
}

static json_t *decisions_json(struct orr_json *json, const struct orr_changes *changes)
{
    json_t *object = orr_json_object(json);
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        orr_json_set(json, object, orr_fact_section_name((enum orr_fact_section)s),
                     orr_json_int(json, (int64_t)changes->section_changed[s]));
    return object;
}

static json_t *finding_json(struct orr_json *json, const struct orr_set_finding *finding,
                            const struct orr_called *called)
{
    json_t *who = orr_json_array(json);
    const struct orr_finding_row *row = &finding->row;
    for (uint32_t i = 0; i < finding->specimen_count; i++)
        orr_json_add(json, who, orr_json_text(json, called[finding->specimens[i]].topology));
    return ORR_OBJECT(json, TEXT("id", row->id), TEXT("catalogue", row->catalogue),
                      TEXT("severity", orr_severity_name(row->severity)), TEXT("title", row->title),
                      TEXT("detail", finding->detail), VALUE("topologies", who), TEXT("why", row->why),
                      TEXT("advice", row->advice), VALUE("commands", orr_json_texts(json, row->commands, 4)),
                      VALUE("references", orr_json_texts(json, row->references, 4)));
}

static json_t *summary_json(struct orr_json *json, const struct orr_majority *m)
{
    ORR_LOCAL_TEXT(text, 1024);
    orr_majority_summary(m, &text);
    json_t *value = orr_json_text_of(json, &text);
    return value;
}

json_t *orr_majority_json(struct orr_json *json, const struct orr_majority *m, const struct orr_set_finding *findings,
                          uint32_t finding_count, const struct orr_called *called,
                          const struct orr_changes *const *changes)
{
    json_t *rows = orr_json_array(json), *members = orr_json_array(json);
    json_t *listed = orr_json_array(json);
    for (uint32_t s = 0; s < m->specimens; s++) {
        orr_json_add(json, members,
                     ORR_OBJECT(json, TEXT("topology", called[s].topology),
                                TEXT("name", called[s].name ? called[s].name : ""), INT("hardware", m->deviates[s][0]),
                                INT("numbering", m->deviates[s][1]),
                                VALUE("decisions", changes[s] ? decisions_json(json, changes[s]) : json_null())));
    }
    for (uint32_t i = 0; i < m->count && i < ORR_COMPARE_ROWS; i++)
        orr_json_add(json, rows, row_json(json, m, &m->rows[i], called));
    for (uint32_t i = 0; i < finding_count; i++)
        orr_json_add(json, listed, finding_json(json, &findings[i], called));
    return ORR_OBJECT(json, INT("compared", m->hosts), INT("contents", m->specimens), INT("kinds", m->shapes),
                      TEXT("reference", called[m->reference].topology), BOOL("equal", !m->count),
                      VALUE("summary", summary_json(json, m)), VALUE("findings", listed), VALUE("members", members),
                      VALUE("rows", rows),
                      INT("left_out", m->left_out + (m->count > ORR_COMPARE_ROWS ? m->count - ORR_COMPARE_ROWS : 0)));
}
