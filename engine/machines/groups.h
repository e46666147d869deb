/* SPDX-License-Identifier: Apache-2.0 */
/* Groups of GPUs and NICs below equal PCIe bridges, and the NICs that one group lacks but most of the others have.
 * Machines are built evenly, so a NIC that is missing from a group or in the wrong place stands out. */
#ifndef ORR_MACHINES_GROUPS_H
#define ORR_MACHINES_GROUPS_H

#include "engine/hardware/hardware.h"

/* A group that has fewer NICs than most of the groups with as many GPUs. */
struct orr_lack {
    uint32_t bridge;           /* card of the group */
    uint32_t like;             /* card of a NIC that a complete group has */
    uint32_t stray;            /* card of an equal NIC outside all groups; ORR_NO_CARD if there is none */
    uint32_t has, others_have; /* NICs */
};

struct orr_groups {
    struct orr_lack *lacks;
    uint32_t lack_count, group_count;
};

/* Memory comes from arena; false if it ran out. */
bool orr_groups_find(const struct orr_hardware_facts *hardware, struct orr_arena *arena, struct orr_groups *ret_groups);

#endif
