/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_comparing: dumps with changes. */
#ifndef ORR_LOG_DUMP_EDIT_H
#define ORR_LOG_DUMP_EDIT_H

#include "engine/dump/dump.h"

/* Changes to a dump. Arrays have a row for each element of the dump; NULL means as they are. */
struct orr_dump_edit {
    const int32_t *ranks;    /* of GPUs, -1 if it takes no part */
    const uint64_t *bus_ids; /* new ones of GPUs, 0 means as it is */
    const int32_t *net_devs; /* new numbers of NICs, -1 if it takes no part */
    int32_t sm;              /* of every GPU, 0 means as it is */
    bool collnet;            /* every NIC can reduce in the network */
};
/* A copy with changes, in the arena. Unchanged parts are shared with the dump, which must live as long. */
enum orr_code orr_log_edit_dump(const struct orr_dump *dump, const struct orr_dump_edit *edit, struct orr_arena *arena,
                                struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

#endif
