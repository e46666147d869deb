/* SPDX-License-Identifier: Apache-2.0 */
/* A machine for tests of clusters, as text that a test may alter piece by piece. */
#ifndef ORR_TESTS_FOUR_GPUS_H
#define ORR_TESTS_FOUR_GPUS_H

#include "tests/support/fixture.h"

#define NVSWITCH          "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>"
#define CPU(numa, inside) "<cpu host_hash=\"0x1\" numaid=\"" numa "\" " X86_INTEL ">" inside "</cpu>"
#define PAIR(bus, rank, other, nic_bus, dev)                                                                           \
    SWITCH("0000:" bus "0:00.0")                                                                                       \
    GPU("0000:" bus "1:00.0", rank, "90", NVSWITCH)                                                                    \
    GPU("0000:" bus "2:00.0", other, "90", NVSWITCH) NIC("0000:" nic_bus ":00.0", dev, "400000") "</pci>"
/* Four GPUs on two sockets, each pair with a NIC of its own: GPUs 0 and 1 beside NET 0, 2 and 3 beside NET 1. */
#define MACHINE                                                                                                        \
    "<system version=\"1\">" CPU("0", PAIR("1", "0", "1", "15", "0"))                                                  \
        CPU("1", PAIR("2", "2", "3", "25", "1")) "</system>"

#endif
