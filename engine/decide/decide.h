/* A decision is a value: a verdict, the rule that gave it, and the operands that the rule compared. It is made once,
 * where NCCL's rule is applied. Sentences about it are made later from the rule table (decide_rules.c). */
#ifndef ORR_DECIDE_DECIDE_H
#define ORR_DECIDE_DECIDE_H

#include "engine/release/path_type.h"
#include "engine/release/settings.h"

#define ORR_RULE_MAP(X)                                                                                                \
    X(NONE, "")                                                                                                        \
    X(P2P_SELF, "A GPU reaches itself.")                                                                               \
    X(P2P_OTHER_HOST, "The GPUs are on different hosts that share no NVLink domain.")                                  \
    X(P2P_OTHER_PART, "Trimming put the two GPUs into different systems: they reach each other only by the network.")  \
    X(P2P_WITHIN_LEVEL, "The path is no farther than the P2P level.")                                                  \
    X(P2P_BEYOND_LEVEL, "The path is farther than the P2P level.")                                                     \
    X(GDR_NET_CANNOT, "The NIC does not support GPU Direct RDMA (gdr=\"0\" on the net).")                              \
    X(GDR_GPU_CANNOT, "The GPU does not support GPU Direct RDMA (gdr=\"0\" on the gpu).")                              \
    X(GDR_PARTITION, "The GPU is a partition of one, and NCCL_NET_GDR_MLOPART is 0.")                                  \
    X(GDR_READ_OFF, "Reading GPU memory for sending is off for this GPU (NCCL_NET_GDR_READ, or automatic before sm "   \
                    "80 without NVLink).")                                                                             \
    X(GDR_BEYOND_LEVEL, "The NIC is farther from the GPU than the GDR level.")                                         \
    X(GDR_WITHIN_LEVEL, "The NIC is no farther from the GPU than the GDR level.")                                      \
    X(GDR_PCI_MODE, "The NIC is within the GDR level, and the GPU is on C2C: data takes the PCIe side.")               \
    X(PXN_UNKNOWN, "The release does not know PXN.")                                                                   \
    X(PXN_DISABLED, "PXN is off (NCCL_PXN_DISABLE=1).")                                                                \
    X(PXN_OWN_WAY, "The GPU's own way to the NIC is as near and as fast as one through another GPU.")                  \
    X(PXN_NO_RELAY,                                                                                                    \
      "No other GPU stands for the NIC: PXN leads through the one that is nearest to it and prefers it.")              \
    X(PXN_ITSELF, "The GPU itself is the one that stands for the NIC.")                                                \
    X(PXN_RELAY_FAR, "The GPU that stands for the NIC is farther from it than PXN allows.")                            \
    X(PXN_NO_NVLINK, "The GPU that stands for the NIC is not joined to this one by NVLink alone.")                     \
    X(PXN_OTHER_HOST, "The GPU that stands for the NIC is on another host of the NVLink domain.")                      \
    X(PXN_NO_GDR, "The GPU that stands for the NIC may not send by GPU Direct RDMA.")                                  \
    X(PXN_TAKEN, "The way through the GPU that stands for the NIC is faster, or the GPU's own is too far.")            \
    X(NVLS_UNKNOWN, "The release does not know NVLink SHARP.")                                                         \
    X(NVLS_DISABLED, "NVLink SHARP is off (NCCL_NVLS_ENABLE=0).")                                                      \
    X(NVLS_FEW_GPUS, "The system has fewer GPUs than NVLink SHARP needs.")                                             \
    X(NVLS_OLD_GPUS, "NVLink SHARP needs compute capability 9.0, and a GPU has less.")                                 \
    X(NVLS_NO_SWITCH, "NVLink SHARP is done by NVSwitches, and the system has none.")                                  \
    X(NVLS_NO_CHANNEL, "The search found no way through the NVSwitch for NVLink SHARP.")                               \
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
    int16_t setting;  /* enum orr_setting that moves the level or forced the verdict, -1: none */
    bool by_user;     /* that setting was given */
};

/* The stable word of a rule, "P2P_WITHIN_LEVEL"; and its sentence. */
const char *orr_rule_name(enum orr_rule rule);
const char *orr_rule_text(enum orr_rule rule);

#endif
