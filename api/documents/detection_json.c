/* SPDX-License-Identifier: Apache-2.0 */
/* What detection found, as JSON. */
#include "api/documents/sections.h"
#include "engine/detect/detect.h"

static json_t *note_json(struct orr_json *json, const struct orr_note *note)
{
    return ORR_OBJECT(json, TEXT("id", note->id),
                      TEXT("severity", note->severity == ORR_NOTE_WARNING ? "warning" : "info"),
                      TEXT("text", note->text), TEXT("advice", note->advice), TEXT("command", note->command));
}

json_t *orr_detection_json(struct orr_json *json, const struct orr_release *release,
                           const struct orr_detection *detection)
{
    json_t *notes = orr_json_array(json);
    for (uint32_t i = 0; i < detection->note_count; i++)
        orr_json_add(json, notes, note_json(json, &detection->notes[i]));
    return ORR_OBJECT(json, TEXT("release", release->name), INT("gpus", detection->gpu_count),
                      INT("nets", detection->net_count), VALUE("notes", notes), TEXT("xml", detection->xml));
}
