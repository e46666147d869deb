/* SPDX-License-Identifier: Apache-2.0 */
/* Describes the content of a text in one line for people: "2 settings (NCCL_ALGO, NCCL_DEBUG); 4 show_gids rows". */
#ifndef ORR_LOG_PARTS_H
#define ORR_LOG_PARTS_H

#include "engine/base/text.h"
#include "engine/log_reading/log.h"

/* Appends the parts, with "; " in front of each if the text is not empty. Settings with contradictory lines are left
 * out. */
void orr_log_parts(const struct orr_log *log, struct orr_text *text);

#endif
