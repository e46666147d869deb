/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about a job besides its machine and settings on which hypotheses depend. */
#ifndef ORR_TRIALS_OBSERVED_H
#define ORR_TRIALS_OBSERVED_H

#include <stdbool.h>
#include <stdint.h>

/* Facts about the job that lines of the input show. A fact can refute or prove a hypothesis. */
enum orr_shows {
    ORR_SHOWS_NOTHING,
    ORR_SHOWS_GDR_USED,
    ORR_SHOWS_GDR_UNUSED, /* there are connections over RDMA, and none uses GPUDirect RDMA */
    ORR_SHOWS_P2P_USED,
    ORR_SHOWS_P2P_REFUSED, /* by the driver */
    ORR_SHOWS_SHM_USED,
    ORR_SHOWS_NVLS_USED,
    ORR_SHOWS_PROXY_USED,
    ORR_SHOWS_NETWORK_USED,
    ORR_SHOWS_SOCKETS,       /* NCCL's network is TCP */
    ORR_SHOWS_OTHER_NETWORK, /* it is InfiniBand, RoCE or a plugin */
    ORR_SHOWS_RELEASE,       /* the release that is emulated */
    ORR_SHOWS_HOSTS          /* how many hosts the job had */
};

/* All zero if nothing is known. */
struct orr_observed {
    unsigned shown;          /* bits: 1 << enum orr_shows */
    int32_t channels;        /* of the job, 0 if unknown */
    const bool *without_gdr; /* [number of a NIC, below `nics`]: GPUDirect RDMA is predicted and was not used */
    uint32_t nics, without_gdr_count;
    bool by_device;    /* the observation names devices, so that it matters which of several equal ones changes */
    bool paths_differ; /* the paths differ from the predicted ones */
};

#endif
