/* SPDX-License-Identifier: Apache-2.0 */
/* NIC fusion in an editable dump: NCCL's rules (fuse.h) for the NICs of one host, and the order of elements that they
 * leave. Source: ../../docs/nccl/detection.md, "Merged NICs". */
#ifndef ORR_NICS_FUSE_HOSTS_H
#define ORR_NICS_FUSE_HOSTS_H

#include "engine/nics/fuse.h"
#include "engine/release/settings.h"

struct orr_host_fusion {
    struct orr_doc *tree;
    const struct orr_settings *settings;
    enum orr_nic_merge merge;
    uint32_t fused;      /* fused NICs made so far */
    bool renumbered;     /* NICs that stay alone got new numbers */
    const char *refusal; /* why NCCL would not start, NULL if it would */
};

/* The host of an element: the `host_hash` of the <cpu> around it, "" if it has none. */
const char *orr_doc_host_of(const struct orr_doc_node *node);
/* An attribute as a number. */
long orr_doc_number_of(const struct orr_doc_node *node, enum orr_attr attr, long fallback);
/* Whether a <net> is an interface of NET/Socket, which NCCL never fuses. */
bool orr_doc_is_interface(const struct orr_doc_node *net);
/* Fuses the NICs of a host (at most ORR_MAX_NETS, in order of `dev`). */
void orr_fuse_host(struct orr_host_fusion *host, const struct orr_fusable *nics, uint32_t count);
/* Orders the elements by the first rank that has them, once NICs are fused and the others removed. Each rank fuses NICs
 * in a document of its own, with its GPU and all NICs. The documents are then joined in the order of the ranks, so a
 * fused NIC comes before the GPUs of later ranks. */
void orr_order_by_rank(struct orr_doc *tree);

#endif
