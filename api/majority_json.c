/* Several dumps against what most are like, as JSON. */
#include "api/sections.h"
#include "engine/compare/majority.h"

static json_t *device_json(struct orr_json *json, const struct orr_devices *devices, uint32_t device)
{
    char name[ORR_DEVICE_NAME_SIZE];
    json_t *object = orr_json_object(json);
    orr_json_set(json, object, "kind", orr_json_text(json, orr_device_kind_name(devices->rows[device].kind)));
    orr_json_set(json, object, "name", orr_json_text(json, orr_device_text(devices, device, name)));
    return object;
}

static json_t *row_json(struct orr_json *json, const struct orr_majority *m, const struct orr_deviation *row,
                        const struct orr_called *called)
{
    const struct orr_unlike *unlike = &row->unlike;
    json_t *object = orr_json_object(json), *deviants = orr_json_array(json);
    orr_json_set(json, object, "what", orr_json_text(json, orr_unlike_name(unlike)));
    orr_json_set(json, object, "text", orr_json_text(json, orr_deviation_text(row)));
    orr_json_set(json, object, "device",
                 unlike->a != ORR_NO_DEVICE ? device_json(json, &m->devices[m->reference], unlike->a)
                                            : device_json(json, &m->devices[row->example], unlike->b));
    if (unlike->kind == ORR_UNLIKE_NVLINKS)
        orr_json_set(json, object, "other", device_json(json, &m->devices[m->reference], unlike->peer_a));
    orr_json_set(json, object, "numbering", orr_json_bool(json, row->numbering));
    orr_json_set(json, object, "majority", row->decided ? orr_json_text(json, row->majority) : json_null());
    orr_json_set(json, object, "majority_count", orr_json_int(json, row->majority_hosts));
    orr_json_set(json, object, "odd", orr_json_bool(json, orr_deviation_is_odd(m, row)));
    for (uint32_t i = 0; i < row->deviant_count && i < ORR_COMPARE_ROWS; i++) {
        json_t *deviant = orr_json_object(json);
        orr_json_set(json, deviant, "topology", orr_json_text(json, called[row->deviants[i]].topology));
        orr_json_set(json, deviant, "value", orr_json_text(json, row->values[i]));
        orr_json_add(json, deviants, deviant);
    }
    orr_json_set(json, object, "deviants", deviants);
    orr_json_set(json, object, "left_out",
                 orr_json_int(json, row->deviant_count > ORR_COMPARE_ROWS ? row->deviant_count - ORR_COMPARE_ROWS : 0));
    return object;
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
    json_t *object = orr_json_object(json), *who = orr_json_array(json), *commands = orr_json_array(json);
    json_t *references = orr_json_array(json);
    const struct orr_finding_row *row = &finding->row;
    orr_json_set(json, object, "id", orr_json_text(json, row->id));
    orr_json_set(json, object, "catalogue", orr_json_text(json, row->catalogue));
    orr_json_set(json, object, "severity", orr_json_text(json, orr_severity_name(row->severity)));
    orr_json_set(json, object, "title", orr_json_text(json, row->title));
    orr_json_set(json, object, "detail", orr_json_text(json, finding->detail));
    for (uint32_t i = 0; i < finding->specimen_count; i++)
        orr_json_add(json, who, orr_json_text(json, called[finding->specimens[i]].topology));
    orr_json_set(json, object, "topologies", who);
    orr_json_set(json, object, "why", orr_json_text(json, row->why));
    orr_json_set(json, object, "advice", orr_json_text(json, row->advice));
    for (int i = 0; i < 4 && row->commands[i]; i++)
        orr_json_add(json, commands, orr_json_text(json, row->commands[i]));
    for (int i = 0; i < 4 && row->references[i]; i++)
        orr_json_add(json, references, orr_json_text(json, row->references[i]));
    orr_json_set(json, object, "commands", commands);
    orr_json_set(json, object, "references", references);
    return object;
}

static json_t *summary_json(struct orr_json *json, const struct orr_majority *m)
{
    struct orr_text text;
    orr_text_init(&text, 1024);
    orr_majority_summary(m, &text);
    json_t *value = orr_json_text_of(json, &text);
    orr_text_release(&text);
    return value;
}

json_t *orr_majority_json(struct orr_json *json, const struct orr_majority *m, const struct orr_set_finding *findings,
                          uint32_t finding_count, const struct orr_called *called,
                          const struct orr_changes *const *changes)
{
    json_t *root = orr_json_object(json), *rows = orr_json_array(json), *members = orr_json_array(json);
    json_t *listed = orr_json_array(json);
    for (uint32_t s = 0; s < m->specimens; s++) {
        json_t *member = orr_json_object(json);
        orr_json_set(json, member, "topology", orr_json_text(json, called[s].topology));
        orr_json_set(json, member, "name", orr_json_text(json, called[s].name ? called[s].name : ""));
        orr_json_set(json, member, "hardware", orr_json_int(json, m->deviates[s][0]));
        orr_json_set(json, member, "numbering", orr_json_int(json, m->deviates[s][1]));
        orr_json_set(json, member, "decisions", changes[s] ? decisions_json(json, changes[s]) : json_null());
        orr_json_add(json, members, member);
    }
    for (uint32_t i = 0; i < m->count && i < ORR_COMPARE_ROWS; i++)
        orr_json_add(json, rows, row_json(json, m, &m->rows[i], called));
    for (uint32_t i = 0; i < finding_count; i++)
        orr_json_add(json, listed, finding_json(json, &findings[i], called));
    orr_json_set(json, root, "compared", orr_json_int(json, m->hosts));
    orr_json_set(json, root, "contents", orr_json_int(json, m->specimens));
    orr_json_set(json, root, "kinds", orr_json_int(json, m->shapes));
    orr_json_set(json, root, "reference", orr_json_text(json, called[m->reference].topology));
    orr_json_set(json, root, "equal", orr_json_bool(json, !m->count));
    orr_json_set(json, root, "summary", summary_json(json, m));
    orr_json_set(json, root, "findings", listed);
    orr_json_set(json, root, "members", members);
    orr_json_set(json, root, "rows", rows);
    orr_json_set(json, root, "left_out",
                 orr_json_int(json, m->left_out + (m->count > ORR_COMPARE_ROWS ? m->count - ORR_COMPARE_ROWS : 0)));
    return root;
}
