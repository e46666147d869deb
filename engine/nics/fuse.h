/* SPDX-License-Identifier: Apache-2.0 */
/* NIC fusion: several NICs of one host that NCCL uses as one while a job runs. A topology dump lists them apart.
 *
 * The rules are NCCL's (docs/nccl/detection.md, "Merged NICs"): groups named by NCCL_NET_FORCE_MERGE first, then NICs
 * within NCCL_NET_MERGE_LEVEL of each other, at most four to a group. Members lose their claim, so that the caller
 * removes them; the new NIC goes to the place in the tree that all members share.
 */
#ifndef ORR_NICS_FUSE_H
#define ORR_NICS_FUSE_H

#include <stdint.h>

#include "engine/dump/edit.h"
#include "engine/release/detect_rules.h"

enum { ORR_MAX_NETS = 64, ORR_FUSED_NAME_SIZE = 264 };

/* A NIC as the network plugin lists it. */
struct orr_fusable {
    struct orr_doc_node *net; /* its <net> */
    const char *name;
    int32_t speed;   /* Mb/s as given, even -1, which NCCL adds up, too */
    int32_t port;    /* of the verbs device, 1-based */
    int32_t rail;    /* -1 if none is known */
    bool infiniband; /* link layer; only NICs of one layer are fused */
};

struct orr_nic_fusion_rules {
    enum orr_nic_merge merge;
    bool enabled;       /* NCCL_IB_MERGE_NICS; false if every fusion fails */
    bool by_rail;       /* only NICs of one rail are fused */
    const char *level;  /* NCCL_NET_MERGE_LEVEL, NULL means PORT */
    const char *forced; /* NCCL_NET_FORCE_MERGE, NULL if there are no groups */
};

struct orr_nic_fusion {
    struct orr_doc *tree;
    const struct orr_fusable *nics; /* of one host, in the plugin's order */
    uint32_t count;                 /* at most ORR_MAX_NETS */
    struct orr_nic_fusion_rules rules;
    /* Writes the attributes of a new <net> that replaces members[0 .. member_count - 1] (indices into nics). dev: its
     * number; name and speed (Mb/s): those of the members together. */
    void (*describe)(void *context, struct orr_doc_node *net, const uint32_t *members, uint32_t member_count,
                     uint32_t dev, const char *name, int32_t speed);
    /* The reason why NCCL would not start: a sentence without its full stop. */
    void (*refused)(void *context, const char *why);
    void *context;
};

/* Fuses NICs by the rules and returns the number of fused NICs. Running out of memory is remembered in the tree
 * (tree->starved). */
uint32_t orr_nics_fuse(const struct orr_nic_fusion *fusion);

/* Fuses the two ports of a card, as the network plugin did from 2.20 to 2.23: equal `guid`, same card. */
uint32_t orr_nics_fuse_ports(const struct orr_nic_fusion *fusion);

#endif
