/* SPDX-License-Identifier: Apache-2.0 */
/* Starts a program as a separate process.
 *
 * The process has the given descriptors as its standard input and output, shares standard error, and has no other
 * descriptors. Signals have their default actions. The process has its own process group, so a terminal's Ctrl-C does
 * not reach it. Safe to call from any thread. */
#ifndef ORR_BASE_SPAWN_H
#define ORR_BASE_SPAWN_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "engine/base/text.h"

enum { ORR_SPAWN_NOTHING = -1 };

/* `program`: a path, or a name to find in PATH; NULL means this program itself. `arguments` ends with NULL; `in` may be
 * ORR_SPAWN_NOTHING, which reads as an empty file. Returns 0 and the process, for which the caller must wait, or an
 * errno value. */
int orr_spawn(const char *program, const char *const *arguments, int in, int out, pid_t *ret_pid);
/* Reads what a process writes until it ends; false if the deadline (clock.h) or the end of the budget came first. */
bool orr_spawn_read(int fd, int64_t deadline_ms, struct orr_text *text);

#endif
