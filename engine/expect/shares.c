/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/expect/shares.h"

const struct orr_share orr_shares[ORR_CROSS_COUNT] = {
    [ORR_CROSS_NVLINK] = {"A transfer between GPUs by NVLink", 0.93, 3, "alltoall on 8 A100 SXM, 4 and 64 GB300"},
    [ORR_CROSS_C2C] = {"A transfer with C2C in its path", 0.90, 0, ""},
    [ORR_CROSS_SWITCH] = {"A transfer between GPUs by PCIe switches", 0.85, 0, ""},
    [ORR_CROSS_CPU] = {"A transfer between GPUs by PCIe through a CPU", 0.66, 2,
                       "alltoall and sendrecv of 2 A100 PCIe on two AMD sockets"},
    [ORR_CROSS_HOST] = {"A transfer between GPUs through host memory", 0.55, 0, ""},
    [ORR_CROSS_NIC_NEAR] = {"A transfer between a GPU and a NIC by PCIe switches", 0.96, 0, ""},
    [ORR_CROSS_NIC_CPU] = {"A transfer between a GPU and a NIC through a CPU", 0.61, 2,
                           "alltoall and sendrecv of 2 hosts with one A100 PCIe and AMD CPUs"},
};

enum orr_crossing orr_crossing_of(enum orr_path_type path, bool nic)
{
    switch (path) {
    case ORR_PATH_LOC:
    case ORR_PATH_NVL:
    case ORR_PATH_NVB:
        return nic ? ORR_CROSS_NIC_NEAR : ORR_CROSS_NVLINK;
    case ORR_PATH_C2C:
    case ORR_PATH_P2C:
        return ORR_CROSS_C2C;
    case ORR_PATH_PIX:
    case ORR_PATH_PXB:
    case ORR_PATH_PXN:
        return nic ? ORR_CROSS_NIC_NEAR : ORR_CROSS_SWITCH;
    default:
        return nic ? ORR_CROSS_NIC_CPU : ORR_CROSS_CPU;
    }
}

double orr_channel_bw(int32_t sm)
{
    /* From NCCL's tuning model: a tree's channel on one host. The last row is for every lower capability, even a
     * negative one of a hostile dump. */
    static const struct {
        int32_t sm;
        double bw;
    } rows[] = {{100, 77.4}, {90, 38.7}, {80, 24}, {INT32_MIN, 26.5}};
    int i = 0;
    while (rows[i].sm > sm)
        i++;
    return rows[i].bw;
}
