/* SPDX-License-Identifier: Apache-2.0 */
/* Conversions of an input: NCCL's XML, a file for a virtual machine, a copy without names; and the lists of inputs and
 * machine types. */
#include <string.h>

#include "api/handlers/handlers.h"
#include "engine/base/budget.h"
#include "engine/input/anonymise.h"
#include "engine/input/vm_file.h"

enum { MOST_TEXT = 64 << 20 };

static enum orr_code answer_xml(struct orr_call *call, enum orr_code code, const char *name, struct orr_text *text,
                                struct orr_answer **ret_answer, struct orr_error *err)
{
    if (code == ORR_OK)
        code = orr_text_failed(text) ? orr_fail_nomem(err)
                                     : orr_answer_of_text(200, "application/xml", text, ret_answer, err);
    orr_text_release(text);
    if (code == ORR_OK)
        orr_response_header(call->response, "Content-Disposition", "attachment; filename=\"%s-%.8s.xml\"", name,
                            call->id);
    return code;
}

enum orr_code orr_handle_convert(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    ORR_LOCAL(orr_dump, dump);
    struct orr_text text;
    ORR_TRY(orr_call_dump(call, NULL, &dump, err));
    orr_text_init(&text, MOST_TEXT);
    orr_dump_write(dump, &text);
    return answer_xml(call, ORR_OK, "topology", &text, ret_answer, err);
}

enum orr_code orr_handle_vm_file(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    const struct orr_vm_options options = {.gpus = call->params.gpus, .nics = call->params.nics};
    ORR_LOCAL(orr_dump, dump);
    struct orr_text text;
    ORR_TRY(orr_call_dump(call, NULL, &dump, err));
    orr_text_init(&text, MOST_TEXT);
    enum orr_code code = orr_vm_file(dump, &options, &text, err);
    return answer_xml(call, code, "vm-topology", &text, ret_answer, err);
}

static enum orr_code answer_replaced(const struct orr_text *text, const struct orr_replacements *replaced,
                                     struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    json_t *object = orr_json_object(&json), *rows = orr_json_array(&json);
    for (uint32_t i = 0; i < replaced->count; i++) {
        orr_json_add(
            &json, rows,
            ORR_OBJECT(&json, ORR_STRING("from", replaced->rows[i].from), ORR_STRING("to", replaced->rows[i].to)));
    }
    ORR_SET(&json, object, ORR_VALUE("text", orr_json_text_of(&json, text)), ORR_VALUE("replaced", rows));
    return orr_answer_of_json(200, &json, object, ret_answer, err);
}

enum orr_code orr_handle_anonymise(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    static const char *const types[] = {"text/plain", "application/json"};
    size_t wanted = orr_negotiate(orr_call_header(call, "Accept"), types, sizeof types / sizeof types[0]);
    struct orr_replacements replaced;
    ORR_LOCAL_TEXT(text, MOST_TEXT);
    char *bytes;
    size_t length;
    bool owned;
    ORR_TRY(orr_call_source(call, &bytes, &length, &owned, err));
    ORR_LOCAL_ARENA(arena, 0);
    enum orr_code code = arena ? orr_anonymise(bytes, length, arena, &text, &replaced, err) : orr_fail_nomem(err);
    if (owned)
        orr_budget_free(bytes, length + 1);
    if (code == ORR_OK)
        code = wanted == 1 ? answer_replaced(&text, &replaced, ret_answer, err)
                           : orr_answer_of_text(200, types[0], &text, ret_answer, err);
    return code;
}

enum orr_code orr_handle_machines(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    (void)call;
    return orr_answer_of_json(200, &json, orr_machines_json(&json), ret_answer, err);
}

enum orr_code orr_handle_inputs(struct orr_call *call, struct orr_answer **ret_answer, struct orr_error *err)
{
    struct orr_json json = {0};
    (void)call;
    return orr_answer_of_json(200, &json, orr_inputs_json(&json), ret_answer, err);
}
