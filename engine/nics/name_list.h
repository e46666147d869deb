/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of devices as NCCL_IB_HCA and NCCL_SOCKET_IFNAME write them: "name[:port[:rail[:plane]]],...". A leading "^"
 * selects all devices but the listed ones, a leading "=" compares whole names instead of prefixes. */
#ifndef ORR_NICS_NAME_LIST_H
#define ORR_NICS_NAME_LIST_H

#include <stdbool.h>
#include <stdint.h>

/* Facts about a NIC in an entry of NCCL_IB_HCA, besides its port; -1 if not given. */
struct orr_list_entry {
    int32_t rail, plane;
};

/* Whether a list selects a device; port -1 means any port. An empty list selects everything. ret_entry (may be NULL):
 * the facts in the first entry that matches. */
bool orr_list_takes(const char *list, const char *name, int32_t port, struct orr_list_entry *ret_entry);

#endif
