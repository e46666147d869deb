/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that people paste together with a machine: command lines, exports, NCCL's own log. They act like settings of
 * the question, which take precedence. */
#ifndef ORR_ANALYSIS_PASTED_H
#define ORR_ANALYSIS_PASTED_H

#include "engine/dump/dump.h"
#include "engine/release/settings.h"

/* Adds one setting. False, with settings unchanged, if the question gives it (even as an empty text), the release does
 * not have it, its value has no meaning, or it names NICs that the machine lacks. If dump is NULL, no machine is known,
 * and settings that choose NICs by name are left out. */
bool orr_pasted_take(const struct orr_dump *dump, const char *name, const char *value, struct orr_settings *settings);
/* Adds those of the dump's notes, once. */
void orr_pasted_take_all(const struct orr_dump *dump, struct orr_settings *settings);

#endif
