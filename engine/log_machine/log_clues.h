/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_machine: clues about the machine in the lines of a log. */
#ifndef ORR_LOG_MACHINE_LOG_CLUES_H
#define ORR_LOG_MACHINE_LOG_CLUES_H

#include "engine/log_machine/log_machine.h"

enum { ORR_CLUE_GPUS = 64 };

struct orr_clue {
    uint32_t line;               /* 0 if the log has no such line */
    char says[160];              /* a clause for people */
    bool own;                    /* only machines of one provider print such a line */
    char name[ORR_LOG_NIC_NAME]; /* name of the platform, file, GPU model or libfabric provider */
    uint32_t count;              /* number of GPUs or NICs; Mb/s of a NIC */
    const struct orr_log_nic *nics;
    uint64_t bus_ids[ORR_CLUE_GPUS];
};

struct orr_clue_row {
    void (*read)(const struct orr_log *log, struct orr_clue *clue);
    bool (*fits)(const struct orr_machine_type *type, const struct orr_clue *clue);
    bool weak; /* too weak to list types for it alone */
    /* The line that would decide between such types; NULL if people cannot get such a line. */
    bool (*differ)(const struct orr_machine_type *a, const struct orr_machine_type *b);
    const char *would_decide;
};
extern const struct orr_clue_row orr_clue_rows[ORR_MACHINE_CLUES];

#endif
