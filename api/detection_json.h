/* A detection as JSON: what `orrery detect --json` prints and POST /v1/detect reads from it and shows. */
#ifndef ORR_API_DETECTION_JSON_H
#define ORR_API_DETECTION_JSON_H

#include "api/json.h"
#include "engine/detect/detect.h"

/* {release, gpus, nets, notes: [{id, severity, text, advice}], xml}. */
json_t *orr_detection_json(struct orr_json *json, const struct orr_release *release,
                           const struct orr_detection *detection);

#endif
