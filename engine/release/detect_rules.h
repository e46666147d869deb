/* SPDX-License-Identifier: Apache-2.0 */
/* How a release detects a machine: the named behaviours of engine/detect. They affect only the dump, not the analysis
 * of a dump, so they are separate from the releases' other behaviours. */
#ifndef ORR_RELEASE_DETECT_RULES_H
#define ORR_RELEASE_DETECT_RULES_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/release/release.h"

enum orr_hash_rule { /* host_hash of a <cpu> */
                     ORR_HASH_NONE,
                     ORR_HASH_BYTEWISE, /* of those that detection makes; values from a file stay */
                     ORR_HASH_WIDE      /* eight bytes at a time; replaces what a file says */
};
enum orr_trim_rule { /* which unclaimed elements are removed */
                     ORR_TRIM_NONE,
                     ORR_TRIM_CHILDLESS,        /* elements without children */
                     ORR_TRIM_UNCLAIMED_PLACES, /* <pci> and <cpu> with nothing claimed below */
                     ORR_TRIM_UNCLAIMED         /* <nic> and <net> as well */
};
enum orr_function_rule {                              /* which functions of a NIC count as ports of one card */
                         ORR_FUNCTIONS_OF_SLOT,       /* those of one slot: the function becomes 0 */
                         ORR_FUNCTIONS_OF_SLOT_DIGIT, /* the low digit of the slot becomes 0 as well */
                         ORR_FUNCTIONS_OF_BUS         /* all of a bus */
};
enum orr_nic_merge { /* NICs that are used as one */
                     ORR_MERGE_NONE,
                     ORR_MERGE_IN_PLUGIN,    /* the two ports of a card, in a dump as well */
                     ORR_MERGE_VIRTUAL_ONCE, /* by nearness, in a running job only. Every NIC gets a new number,
                                              * ports of one <nic> stay apart, and a merge that fails is fatal */
                     ORR_MERGE_VIRTUAL_ALL,  /* likewise; a merge that fails is tried with fewer NICs */
                     ORR_MERGE_VIRTUAL,      /* likewise; only fused NICs get a number, ports of one <nic> are fused */
                     ORR_MERGE_VIRTUAL_WIDE, /* likewise; all elements up to the common parent become as wide as the
                                              * members together, and NICs of a CPU get a slot there */
                     ORR_MERGE_VIRTUAL_SLOT  /* likewise; only the new slot and the common parent do. Never across CPUs;
                                              * members that GIN or RMA use stay */
};

/* Files that show that a module for peer memory is loaded, as bits. */
enum orr_peer_memory {
    ORR_PEER_NV_MEM = 1,
    ORR_PEER_NV_MEM_NC = 2,
    ORR_PEER_MODULE = 4,
    ORR_PEER_NVIDIA = 8,
};

struct orr_detect_rules {
    bool fuses_ranks;        /* every rank detects its own GPU, and the documents are fused in rank order */
    bool sorts_by_bus;       /* a new <pci> goes before the first with a greater bus id; else at the end */
    enum orr_hash_rule hash; /* of the host */
    enum orr_trim_rule trim;
    bool usual_file;              /* a topology file is looked for where NVIDIA's daemon writes it */
    bool device_ids;              /* a <pci> has vendor, device and their subsystem twins */
    bool class_of_sys;            /* class is what /sys says, whatever a file says */
    bool without_sys;             /* GPUs that /sys does not show, as in WSL 2, are found */
    bool adds_nvlinks_again;      /* NVLinks that a topology file already has are not seen */
    bool affinity_always;         /* written empty if unreadable */
    bool pci_from_nvml;           /* ids and current link of a GPU come from NVML */
    bool mlopart;                 /* a <gpu> says which part of a GPU it is */
    bool probes_18_nvlinks;       /* from capability 90 on; else 12 */
    bool c2c;                     /* chip-to-chip links are detected */
    bool blank_far_end_is_switch; /* an NVLink whose far end has no printable bus id */
    bool peer_links;              /* links between Broadcom switches */
    enum orr_function_rule functions;
    bool merge_vfs;          /* NCCL_IB_MERGE_VFS=0 leaves slots apart */
    bool nics_by_bus;        /* InfiniBand devices in the order of their bus ids */
    uint32_t max_ib_devices; /* most InfiniBand devices that are kept */
    bool rates_end_at_hdr;   /* faster lanes count as HDR */
    bool lanes_end_at_12;    /* two lanes, and more than 12, count as 12 */
    unsigned peer_memory;    /* enum orr_peer_memory: which files are looked for */
    bool dma_buf;            /* counts for a NIC's gdr */
    bool latency;            /* a <net> has it ... */
    bool latency_is_whole;   /* ... as an integer before speed, not with six decimals behind port */
    bool says_net;           /* a <net> says what it is used for */
    bool rails;              /* NCCL_IB_HCA may give a device's rail and plane, and merging may keep to rails */
    bool interfaces_run;     /* an interface counts only while it is running; virbr* come last */
};

/* How a release fuses NICs (docs/nccl/detection.md, "Merged NICs"). */
enum orr_nic_merge orr_nic_merge_of(const struct orr_release *release);
/* The row of a release: that of its predecessor, and what it changed. */
void orr_detect_rules_of(const struct orr_release *release, struct orr_detect_rules *ret_rules);

#endif
