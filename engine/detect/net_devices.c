/* SPDX-License-Identifier: Apache-2.0 */
/* The list of network devices, which the plugins fill. */
#include "engine/detect/detecting.h"

struct orr_net_device *orr_nic_new(struct orr_detector *d)
{
    if (!ORR_RESERVE(d->arena, d->nets, d->net_count, d->net_capacity)) {
        d->net_count = 0; /* a failed ORR_RESERVE() drops the array */
        return NULL;
    }
    struct orr_net_device *net = &d->nets[d->net_count++];
    *net = (struct orr_net_device){.place = {-1, -1}};
    return net;
}
