/* SPDX-License-Identifier: Apache-2.0 */
/* The GPUs of a job that uses only some of a machine's: reads a list of them, and makes the dump that NCCL would have
 * for exactly these. */
#ifndef ORR_NICS_GPUS_H
#define ORR_NICS_GPUS_H

#include "engine/base/arena.h"
#include "engine/dump/dump.h"
#include "engine/nics/notes.h"
#include "engine/release/settings.h"

/* How many GPUs of a dump have a rank. */
uint32_t orr_gpus_ranked(const struct orr_dump *dump);

/* Reads a list of GPUs such as "0,1" or "0000:1b:00.0,43000" into numbers among the dump's GPUs with a rank, from 0.
 * They are in arena, in the list's order, which is the order of the new ranks. what: name of the parameter with the
 * list. SETTING if the dump has no such GPU, or the list names one twice. */
enum orr_code orr_gpus_listed(const struct orr_dump *dump, const char *what, const char *list, struct orr_arena *arena,
                              const uint32_t **ret_gpus, uint32_t *ret_count, struct orr_error *err) ORR_NO_DISCARD;

/* The dump itself if settings->gpus is NULL or names all GPUs in order; otherwise a dump of these GPUs in arena, whose
 * notes say so. `dump` must live as long. */
enum orr_code orr_gpus_used(const struct orr_dump *dump, const struct orr_settings *settings, struct orr_arena *arena,
                            const struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

#endif
