/* SPDX-License-Identifier: Apache-2.0 */
/* Inside cli: reads a file of any size piece by piece, with progress if standard error is a terminal. */
#ifndef ORR_CLI_READ_PIECES_H
#define ORR_CLI_READ_PIECES_H

#include <stddef.h>

#include "engine/base/error.h"

/* Takes the next piece of at most 1 MiB. */
typedef enum orr_code orr_piece_taker(void *context, const char *bytes, size_t length, struct orr_error *err);

/* file: NULL or "-" means standard input. what: for the progress, "the log". IO, and errors of the taker. */
enum orr_code orr_read_pieces(const char *file, const char *what, orr_piece_taker *take, void *context,
                              struct orr_error *err) ORR_NO_DISCARD;

#endif
