/* SPDX-License-Identifier: Apache-2.0 */
/* Kinds of paths, from nearest to farthest. The order is that of 2.27.7; each release has the kinds that its table
 * lists (release.h), in the same order but for P2C and PXN, which 2.27.3 has the other way round. If these two may
 * meet, compare the release's numbers: the kind's position in its own list, which its log prints
 * (orr_path_type_number()). */
#ifndef ORR_RELEASE_PATH_TYPE_H
#define ORR_RELEASE_PATH_TYPE_H

#include <stdint.h>

struct orr_release;

#define ORR_PATH_MAP(X)                                                                                                \
    X(LOC, "the same device")                                                                                          \
    X(NVL, "NVLink only")                                                                                              \
    X(NVB, "NVLink through another GPU")                                                                               \
    X(C2C, "chip-to-chip link to the CPU")                                                                             \
    X(PIX, "at most one PCIe bridge")                                                                                  \
    X(PXB, "several PCIe bridges, not through the CPU")                                                                \
    X(P2C, "C2C to the CPU, then its PCIe")                                                                            \
    X(PXN, "to the NIC through another GPU")                                                                           \
    X(PHB, "through the CPU's PCIe host bridge")                                                                       \
    X(SYS, "across the link between NUMA domains")                                                                     \
    X(NET, "through the network")                                                                                      \
    X(DIS, "not connected")

enum orr_path_type { /* ORDER: nearest first */
#define X(name, meaning) ORR_PATH_##name,
                     ORR_PATH_MAP(X)
#undef X
                         ORR_PATH_TYPE_COUNT
};

/* "PIX"; "at most one PCIe bridge". */
const char *orr_path_type_name(enum orr_path_type type);
const char *orr_path_type_meaning(enum orr_path_type type);

#endif
