/* SPDX-License-Identifier: Apache-2.0 */
/* Inside nics/: ports of one card in a dump. */
#ifndef ORR_NICS_PORTS_H
#define ORR_NICS_PORTS_H

#include "engine/dump/dump.h"

/* A port of NCCL's own XML that a release would fuse with another one in a job; ORR_NO_ELEMENT if there is none. */
uint32_t orr_fusable_ports(const struct orr_dump *dump, uint32_t *ret_other);

#endif
