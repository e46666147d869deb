/* What detection found, as JSON. */
#include "api/sections.h"
#include "engine/detect/detect.h"

static json_t *note_json(struct orr_json *json, const struct orr_note *note)
{
    json_t *object = orr_json_object(json);
    orr_json_set(json, object, "id", orr_json_text(json, note->id));
    orr_json_set(json, object, "severity",
                 orr_json_text(json, note->severity == ORR_NOTE_WARNING ? "warning" : "info"));
    orr_json_set(json, object, "text", orr_json_text(json, note->text));
    orr_json_set(json, object, "advice", orr_json_text(json, note->advice));
    orr_json_set(json, object, "command", orr_json_text(json, note->command));
    return object;
}

json_t *orr_detection_json(struct orr_json *json, const struct orr_release *release,
                           const struct orr_detection *detection)
{
    json_t *object = orr_json_object(json), *notes = orr_json_array(json);
    for (uint32_t i = 0; i < detection->note_count; i++)
        orr_json_add(json, notes, note_json(json, &detection->notes[i]));
    orr_json_set(json, object, "release", orr_json_text(json, release->name));
    orr_json_set(json, object, "gpus", orr_json_int(json, detection->gpu_count));
    orr_json_set(json, object, "nets", orr_json_int(json, detection->net_count));
    orr_json_set(json, object, "notes", notes);
    orr_json_set(json, object, "xml", orr_json_text(json, detection->xml));
    return object;
}
