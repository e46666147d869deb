/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that were tried for an explanation: the decision, and what else changes, when the machine is analysed with
 * another value. A setting that changes nothing is listed as such. */
#ifndef ORR_EXPLAIN_WHAT_IFS_H
#define ORR_EXPLAIN_WHAT_IFS_H

#include "engine/whatif/changes.h"

/* A consequence of a setting: one figure of a graph, the communicator or the system, before and after, as text. */
enum { ORR_MOST_CONSEQUENCES = 48, ORR_CONSEQUENCE_TEXT = 32 };
struct orr_consequence {
    const char *name, *text; /* "bw_intra", "bandwidth of a channel inside the host" */
    const char *of;          /* "ring"; NULL means the communicator or the system */
    char before[ORR_CONSEQUENCE_TEXT], after[ORR_CONSEQUENCE_TEXT];
};

struct orr_what_if {
    const char *name, *value;                   /* "NCCL_P2P_LEVEL", "PHB"; value "" means its default */
    const char *was;                            /* value in force now, as text */
    bool refused;                               /* with this value there is no answer; `then` says why */
    bool changes;                               /* the decision changes */
    const char *then;                           /* the verdict with it */
    const struct orr_consequence *consequences; /* channels and bandwidths, in the order of the analysis document */
    uint32_t consequence_count;
    size_t changed, section_changed[ORR_SECTION_COUNT]; /* facts that change, including the decision */
};

enum { ORR_MOST_WHAT_IFS = 24 };

#endif
