/* SPDX-License-Identifier: Apache-2.0 */
/* The readers that the table of kinds names, and functions that they share. */
#ifndef ORR_INPUT_READERS_H
#define ORR_INPUT_READERS_H

#include "engine/input/draft.h"
#include "engine/input/matrix.h"

orr_input_reader orr_read_topology, orr_read_hwloc, orr_read_graphs, orr_read_matrix, orr_read_log, orr_read_gathered,
    orr_read_machine;

/* The start of NAME in a text that is only the line "machine type: NAME"; NULL for any other text. */
const char *orr_machine_named(const struct orr_input *input);

/* Notes the other content of a text with a machine: settings, symptoms, and rows of results. */
enum orr_code orr_paste_read(struct orr_draft *draft, const struct orr_input *input,
                             struct orr_error *err) ORR_NO_DISCARD;
/* The same for a text whose log is read already. */
struct orr_log;
enum orr_code orr_paste_take(struct orr_draft *draft, const struct orr_input *input, const struct orr_log *log,
                             struct orr_error *err) ORR_NO_DISCARD;

/* The place of a word at or after `from`; `length` if there is none. */
size_t orr_bytes_find(const char *bytes, size_t length, size_t from, const char *word);

#endif
