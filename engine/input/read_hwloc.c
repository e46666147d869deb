/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/bytes.h"
#include "engine/input/hwloc.h"
#include "engine/input/readers.h"

#include <string.h>

enum orr_code orr_read_hwloc(const struct orr_input *input, const struct orr_input_kind *kind,
                             struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_draft draft;
    struct orr_hwloc hwloc;
    static const char close[] = "</topology>";
    uint32_t lines = 0;
    for (size_t i = 0; i < input->start; i++)
        lines += input->bytes[i] == '\n';
    const char *shut = memmem(input->bytes + input->start, input->length - input->start, close, sizeof close - 1);
    const size_t end = shut ? (size_t)(shut - input->bytes) + sizeof close - 1 : input->length;
    const bool text_after = orr_bytes_blanks(input->bytes, input->length, end) < input->length;
    ORR_TRY(orr_draft_init(&draft, input, err));
    enum orr_code code =
        orr_hwloc_read(input->bytes + input->start, end - input->start, lines, draft.doc.arena, &hwloc, err);
    if (code == ORR_OK)
        code = orr_hwloc_build(&hwloc, input->options.assumed, &draft, err);
    if (code == ORR_OK && (input->text_around || text_after))
        code = orr_paste_read(&draft, input, err);
    if (code != ORR_OK) {
        orr_draft_release(&draft);
        return code;
    }
    return orr_draft_finish(&draft, input, kind, ret_dump, err);
}
