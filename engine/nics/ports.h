/* SPDX-License-Identifier: Apache-2.0 */
/* Ports of a dump that NCCL, or its plugin, shows as one NIC. */
#ifndef ORR_NICS_PORTS_H
#define ORR_NICS_PORTS_H

#include "engine/dump/dump.h"

/* A port of NCCL's own XML that a release would fuse with another one in a job; ORR_NO_ELEMENT if there is none. */
uint32_t orr_fusable_ports(const struct orr_dump *dump, uint32_t *ret_other);
/* Whether EFA NICs are listed one by one, of which Amazon's plugin shows NCCL a group for each GPU. */
bool orr_efa_are_apart(const struct orr_dump *dump);

#endif
