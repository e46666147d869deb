/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a draft into a dump, with the caller's assumptions for everything that the input does not say. */
#include "engine/input/draft.h"

enum orr_code orr_draft_finish(struct orr_draft *draft, const struct orr_input *input,
                               const struct orr_input_kind *kind, struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_doc *doc = &draft->doc;
    if (input->options.assumed && !orr_arena_starved(doc->arena) && !doc->too_many)
        orr_draft_assume_type(draft, input->options.assumed);
    if (!orr_arena_starved(doc->arena) && !doc->too_many)
        orr_draft_assume_nics(draft, input->options.assumed_nics);
    if (!orr_arena_starved(doc->arena) && !doc->too_many && !input->options.assumed)
        orr_draft_assume_cpu(draft, input->options.assumed_cpu);
    draft->notes.cpu_given = input->options.assumed_cpu && !input->options.assumed;
    if (doc->too_many) {
        enum orr_code code = orr_fail(err, ORR_LIMIT, "more than %u elements", doc->limit);
        orr_draft_release(draft);
        return code;
    }
    struct orr_dump *dump = orr_doc_to_dump(doc, draft->from);
    const struct orr_dump_notes *notes = dump ? orr_draft_notes(draft, kind) : NULL;
    if (!notes) {
        orr_draft_release(draft);
        return orr_fail_nomem(err);
    }
    dump->arena = doc->arena;
    dump->byte_count = input->length;
    dump->notes = notes;
    if (draft->no_nvlinks)
        dump->assumed[ORR_ELEMENT_NVLINK] |= UINT64_C(1) << ORR_ATTR_COUNT_ | UINT64_C(1) << ORR_ATTR_TCLASS;
    *draft = (struct orr_draft){0};
    *ret_dump = dump;
    return ORR_OK;
}
