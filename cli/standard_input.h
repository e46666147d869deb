/* SPDX-License-Identifier: Apache-2.0 */
/* Inside cli: standard input that is read twice. A longer stream than a dump may be is not kept, and is then empty at
 * the second reading. */
#ifndef ORR_CLI_STANDARD_INPUT_H
#define ORR_CLI_STANDARD_INPUT_H

#include <stdbool.h>
#include <stddef.h>

bool orr_is_standard_input(const char *file); /* NULL or "-" */
/* Each piece that was read, and the end of the stream. */
void orr_standard_input_keep(const char *bytes, size_t length);
void orr_standard_input_end(void);
/* The whole text; false if it has not been read to its end, or was too long. The bytes live until the program ends. */
bool orr_standard_input_kept(const char **ret_bytes, size_t *ret_length);

#endif
