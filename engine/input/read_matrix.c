/* SPDX-License-Identifier: Apache-2.0 */
/* `nvidia-smi topo -m`, and NCCL's graph XML, which is recognised only to say that it is not a machine. */
#include "engine/input/readers.h"

enum orr_code orr_read_matrix(const struct orr_input *input, const struct orr_input_kind *kind,
                              struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_draft draft;
    struct orr_matrix matrix;
    ORR_TRY(orr_draft_init(&draft, input, err));
    enum orr_code code = orr_matrix_read(input->bytes, input->length, draft.doc.arena, &matrix, err);
    if (code == ORR_OK) {
        orr_matrix_build(&matrix, input->options.assumed, &draft);
        code = orr_paste_read(&draft, input, err);
    }
    if (code != ORR_OK) {
        orr_draft_release(&draft);
        return code;
    }
    return orr_draft_finish(&draft, input, kind, ret_dump, err);
}

enum orr_code orr_read_graphs(const struct orr_input *input, const struct orr_input_kind *kind,
                              struct orr_dump **ret_dump, struct orr_error *err)
{
    (void)input, (void)kind, (void)ret_dump;
    return orr_fail_with(
        err, ORR_UNRECOGNISED, NULL,
        "send the topology (NCCL_TOPO_DUMP_FILE) of the same run; `orrery check-log` compares graphs "
        "with a prediction",
        "NCCL graph XML (NCCL_GRAPH_DUMP_FILE): it lists the channels that NCCL chose, not the machine");
}
