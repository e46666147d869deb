/* SPDX-License-Identifier: Apache-2.0 */
/* What detection found, as JSON. */
#include "api/documents/sections.h"
#include "engine/detect/detect.h"

static json_t *note_json(struct orr_json *json, const struct orr_note *note)
{
    return ORR_OBJECT(json, ORR_STRING("id", note->id),
                      ORR_STRING("severity", note->severity == ORR_NOTE_WARNING ? "warning" : "info"),
                      ORR_STRING("text", note->text), ORR_STRING("advice", note->advice),
                      ORR_STRING("command", note->command));
}

json_t *orr_detection_json(struct orr_json *json, const struct orr_release *release,
                           const struct orr_detection *detection)
{
    json_t *notes = orr_json_array(json);
    for (uint32_t i = 0; i < detection->note_count; i++)
        orr_json_add(json, notes, note_json(json, &detection->notes[i]));
    return ORR_OBJECT(json, ORR_STRING("release", release->name), ORR_INT("gpus", detection->gpu_count),
                      ORR_INT("nets", detection->net_count), ORR_VALUE("notes", notes),
                      ORR_STRING("xml", detection->xml));
}
