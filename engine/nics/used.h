/* SPDX-License-Identifier: Apache-2.0 */
/* The NICs that a job uses. A dump lists every port that NCCL found. A job leaves out what NCCL_IB_HCA,
 * NCCL_SOCKET_IFNAME and `nics` exclude. NCCL fuses ports of one card, and Amazon's network plugin shows NCCL groups of
 * EFA NICs. All of this happens after the dump is written, so it is applied here, before a dump is analysed. */
#ifndef ORR_NICS_USED_H
#define ORR_NICS_USED_H

#include "engine/base/arena.h"
#include "engine/dump/dump.h"
#include "engine/release/settings.h"

/* Returns the dump that a job with these settings uses: the dump itself if nothing differs, otherwise a new one in
 * arena, whose notes (assumed) list the changes. `dump` must outlive it. SETTING if the lists leave no NIC, or NCCL_NET
 * names a network that the NICs do not belong to. */
enum orr_code orr_nics_used(const struct orr_dump *dump, const struct orr_settings *settings, struct orr_arena *arena,
                            const struct orr_dump **ret_dump, struct orr_error *err) ORR_NO_DISCARD;

#endif
