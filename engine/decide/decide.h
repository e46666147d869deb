/* SPDX-License-Identifier: Apache-2.0 */
/* A decision is a value: a verdict, the rule that gave it, and the operands that the rule compared. It is made once,
 * where NCCL's rule is applied. Sentences about it are made later from the rule table (decide_rules.c). */
#ifndef ORR_DECIDE_DECIDE_H
#define ORR_DECIDE_DECIDE_H

#include "engine/release/path_type.h"
#include "engine/release/settings.h"

#define ORR_RULE_MAP(X)                                                                                                \
    X(NONE, "")                                                                                                        \
    X(P2P_SELF, "A GPU reaches itself.")                                                                               \
    X(P2P_OTHER_HOST, "The GPUs are on different hosts without a common NVLink domain.")                               \
    X(P2P_OTHER_PART, "NCCL split the host, and the two GPUs are in different systems. They reach each other only "    \
                      "through the network.")                                                                          \
    X(P2P_WITHIN_LEVEL, "The path is within the P2P level.")                                                           \
    X(P2P_BEYOND_LEVEL, "The path is longer than the P2P level allows.")                                               \
    X(GDR_NET_CANNOT, "The NIC does not support GPUDirect RDMA (gdr=\"0\" on the net).")                               \
    X(GDR_GPU_CANNOT, "The GPU does not support GPUDirect RDMA (gdr=\"0\" on the gpu).")                               \
    X(GDR_PARTITION, "The GPU is a MIG partition, and NCCL_NET_GDR_MLOPART is 0.")                                     \
    X(GDR_READ_OFF, "Reading GPU memory for sending is off for this GPU (NCCL_NET_GDR_READ, or automatic before sm "   \
                    "80 without NVLink).")                                                                             \
    X(GDR_BEYOND_LEVEL, "The path between NIC and GPU is longer than the GDR level allows.")                           \
    X(GDR_WITHIN_LEVEL, "The path between NIC and GPU is within the GDR level.")                                       \
    X(GDR_PCI_MODE, "The NIC is within the GDR level, and the GPU is on C2C. Data uses PCIe instead of C2C.")          \
    X(PXN_UNKNOWN, "This release does not support PXN.")                                                               \
    X(PXN_DISABLED, "PXN is off (NCCL_PXN_DISABLE=1).")                                                                \
    X(PXN_OWN_WAY, "The GPU's own path to the NIC is as short and as fast as one through another GPU.")                \
    X(PXN_NO_RELAY, "No other GPU can relay: PXN uses the GPU that is nearest to the NIC and prefers it.")             \
    X(PXN_ITSELF, "The GPU is itself the NIC's local GPU.")                                                            \
    X(PXN_RELAY_FAR, "The path between the NIC and its local GPU is longer than PXN allows.")                          \
    X(PXN_NO_NVLINK, "The path between this GPU and the NIC's local GPU does not consist of NVLink only.")             \
    X(PXN_OTHER_HOST, "The NIC's local GPU is on another host of the NVLink domain.")                                  \
    X(PXN_NO_GDR, "The NIC's local GPU cannot send by GPUDirect RDMA.")                                                \
    X(PXN_TAKEN, "The path through the NIC's local GPU is faster, or the GPU's own path is too long.")                 \
    X(NVLS_UNKNOWN, "This release does not support NVLink SHARP.")                                                     \
    X(NVLS_DISABLED, "NVLink SHARP is off (NCCL_NVLS_ENABLE=0).")                                                      \
    X(NVLS_FEW_GPUS, "The system has fewer GPUs than NVLink SHARP needs.")                                             \
    X(NVLS_OLD_GPUS, "NVLink SHARP needs compute capability 9.0 or later. A GPU has less.")                            \
    X(NVLS_NO_SWITCH, "NVLink SHARP needs NVSwitches, and the system has none.")                                       \
    X(NVLS_NO_CHANNEL, "The search found no NVLink SHARP channel through the NVSwitch.")                               \
    X(NVLS_NOT_EVERYWHERE, "Another system of the communicator has no channel for NVLink SHARP.")                      \
    X(NVLS_ON, "NVSwitches, GPUs and settings allow NVLink SHARP, and the search found channels for it.")

enum orr_rule {
#define X(name, text) ORR_RULE_##name,
    ORR_RULE_MAP(X)
#undef X
        ORR_RULE_COUNT
};

struct orr_decision {
    int8_t verdict;
    uint8_t rule;     /* enum orr_rule */
    uint8_t distance; /* enum orr_path_type that was compared */
    uint8_t level;    /* enum orr_path_type it was compared with */
    int16_t setting;  /* enum orr_setting that moves the level or forced the verdict, -1 if there is none */
    bool by_user;     /* that setting was given */
};

/* The stable word of a rule, "P2P_WITHIN_LEVEL"; and its sentence. */
const char *orr_rule_name(enum orr_rule rule);
const char *orr_rule_text(enum orr_rule rule);

#endif
