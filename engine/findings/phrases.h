/* SPDX-License-Identifier: Apache-2.0 */
/* Inside findings/: phrases about several hosts in one detail; phrases that do not fit are counted. */
#ifndef ORR_FINDINGS_PHRASES_H
#define ORR_FINDINGS_PHRASES_H

#include "engine/findings/finder.h"

struct orr_phrases {
    char text[300];
    size_t length;
    unsigned left_out;
};

void orr_add_phrase(struct orr_phrases *phrases, const char *format, ...) ORR_PRINTF(2, 3);
/* The detail, if there is a phrase. */
void orr_say_phrases(struct orr_finder *f, const struct orr_phrases *phrases);

#endif
