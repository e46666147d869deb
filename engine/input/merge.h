/* SPDX-License-Identifier: Apache-2.0 */
/* Several <system>s in one text, and the notes about NCCL's own XML. */
#ifndef ORR_INPUT_MERGE_H
#define ORR_INPUT_MERGE_H

#include "engine/input/draft.h"

enum { ORR_MOST_PIECES = 64 };

/* Merges several dumps into one. It takes ownership of the first; the caller keeps the others. Copies are merged; dumps
 * of the ranks of one host become one tree, as NCCL fuses them. With several hosts, the first is used, and the notes
 * say how to ask about all. */
enum orr_code orr_merge(const struct orr_input *input, const struct orr_input_kind *kind, struct orr_dump *const *dumps,
                        uint32_t count, struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

/* Notes the content of a dump in NCCL's format, and what it lacks. */
void orr_note_dump(struct orr_draft *draft, const struct orr_dump *dump);

#endif
