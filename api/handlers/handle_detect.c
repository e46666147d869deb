/* SPDX-License-Identifier: Apache-2.0 */
/* POST /v1/detect: the machine that the service runs on, detected in a process of its own and kept like an upload. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "api/handlers/handlers.h"
#include "engine/base/utf8.h"
#include "engine/detect/detect_process.h"

enum { SECONDS = 30 };

/* Uploads of one machine belong to one host: the one with its name, if the request gives no label `host`. */
static void add_host(struct orr_call *call)
{
    struct orr_params *params = &call->params;
    char name[ORR_MAX_LABEL_VALUE] = "";
    for (uint32_t i = 0; i < params->label_count; i++)
        if (params->labels[i].name_length == 4 && !strncmp(params->labels[i].name, "host", 4))
            return;
    if (params->label_count == ORR_MAX_LABELS || gethostname(name, sizeof name - 1) || !name[0] || !orr_is_utf8(name))
        return;
    const char *kept = orr_arena_strndup(call->arena, name, strlen(name));
    if (kept)
        params->labels[params->label_count++] = (struct orr_label){.name = "host", .name_length = 4, .value = kept};
}

/* The document of `orrery detect --json`; its member xml is the dump. */
static enum orr_code detect(struct orr_call *call, json_t **ret_detection, struct orr_error *err)
{
    char *bytes;
    size_t length;
    const struct orr_release *release = call->params.query.settings.release;
    ORR_TRY(orr_detect_apart(call->app->program, release->name, SECONDS, &bytes, &length, err));
    json_t *detection = NULL;
    struct orr_error wrong = {0};
    enum orr_code code = orr_json_parse(bytes, length, &detection, &wrong);
    free(bytes);
    if (code == ORR_INVALID)
        return orr_fail(err, ORR_INTERNAL, "detection printed no JSON: %.100s", wrong.text);
    if (code != ORR_OK)
        return orr_fail_nomem(err);
    if (!json_is_string(json_object_get(detection, "xml"))) {
        json_decref(detection);
        return orr_fail(err, ORR_INTERNAL, "detection printed no dump");
    }
    *ret_detection = detection;
    return ORR_OK;
}

/* Keeps the dump, and answers with the topology as in GET plus the notes of detection. */
static enum orr_code keep(struct orr_call *call, json_t *detection, struct orr_answer **ret_answer,
                          struct orr_error *err)
{
    json_t *xml = json_object_get(detection, "xml"), *topology;
    struct orr_json json = {0};
    ORR_LOCAL(orr_dump, dump);
    bool existed = false;
    ORR_TRY(orr_dump_read(json_string_value(xml), json_string_length(xml), NULL, &dump, err));
    orr_call_content(call, json_string_value(xml), json_string_length(xml));
    enum orr_code code = orr_call_keep(call, dump, json_string_value(xml), json_string_length(xml), &existed, err);
    ORR_TRY(code);
    ORR_TRY(orr_call_record(call, &json, &topology, err));
    json_object_del(detection, "xml"); /* GET source has it */
    orr_json_set(&json, topology, "detection", orr_json_again(detection));
    ORR_TRY(orr_answer_of_json(existed && orr_request_may(call->request, ORR_SCOPE_READ) ? 200 : 201, &json, topology,
                               ret_answer, err));
    (*ret_answer)->etag[0] = 0; /* that of GET is another */
    return ORR_OK;
}

enum orr_code orr_handle_detect(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    json_t *detection;
    add_host(call);
    ORR_TRY(detect(call, &detection, err));
    enum orr_code code = keep(call, detection, ret_answer, err);
    json_decref(detection);
    return code;
}
