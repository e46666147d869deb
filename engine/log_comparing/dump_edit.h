/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_comparing: makes dumps with changes. */
#ifndef ORR_LOG_DUMP_EDIT_H
#define ORR_LOG_DUMP_EDIT_H

#include "engine/dump/dump.h"

/* Changes to a dump. Arrays have an entry for each element of the dump; NULL changes nothing. */
struct orr_dump_edit {
    const int32_t *ranks;    /* ranks of GPUs, -1 to leave a GPU out */
    const uint64_t *bus_ids; /* new bus ids of GPUs, 0 to keep the old one */
    const int32_t *net_devs; /* new numbers of NICs, -1 to leave a NIC out */
    int32_t sm;              /* compute capability of every GPU, 0 to keep the old one */
    bool collnet;            /* every NIC can reduce in the network */
};
/* A copy with changes, in the arena. Unchanged parts are shared with the dump, which must live as long. */
enum orr_code orr_log_edit_dump(const struct orr_dump *dump, const struct orr_dump_edit *edit, struct orr_arena *arena,
                                struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

#endif
