/* SPDX-License-Identifier: Apache-2.0 */
/* Random machines: first a plan (which devices hang where, and what joins them), then its topology XML. */
#ifndef ORR_PROPERTY_MACHINE_H
#define ORR_PROPERTY_MACHINE_H

#include "engine/base/text.h"
#include "tests/property/chance.h"

enum { MOST_GPUS = 48, MOST_NICS = 40, MOST_SWITCHES = 160, MOST_CPUS = 64, MOST_NVLINKS = 24 };
enum { AT_CPU = -1, AT_CPU_WITHOUT_PCI = -2 }; /* the parent of a device that is not a switch */

struct nvlink_plan {
    int32_t to; /* GPU, or one of these: */
    int32_t count;
};
enum { TO_SWITCH = -1, TO_CPU = -2, TO_NOTHING = -3 };

struct cpu_plan {
    int32_t host, numa, kind;
    uint32_t hash;
};
struct switch_plan {
    int32_t cpu, parent; /* switch, AT_CPU */
    int32_t identity;    /* row of the table of known switches, -1 if none is given */
    int32_t peer;        /* switch that a <pcilink> leads to, -1 if there is none */
    uint32_t bus;
};
struct gpu_plan {
    int32_t cpu, at;
    int32_t rank, dev, sm, gdr; /* rank -1 if it takes no part */
    int32_t second_rank;        /* of a second rank on it, -1 if there is none */
    bool partitioned;           /* the two ranks have a partition each */
    int32_t c2c;                /* links, 0 if there is none */
    uint32_t bus;
    struct nvlink_plan nvlinks[MOST_NVLINKS];
    uint32_t nvlink_count;
};
struct nic_plan {
    int32_t cpu, at;
    uint32_t bus, function;
    int32_t first_net, net_count;
    int32_t speed, gdr, coll;
    uint32_t guid;
};

struct machine {
    struct chance *chance;
    bool sloppy;            /* attributes are missing and values are odd */
    int32_t pci_generation; /* of GPUs, 3 .. 6 */
    uint32_t cpu_count, switch_count, gpu_count, nic_count, net_count, host_count, rank_count;
    uint32_t next_bus;
    struct cpu_plan cpus[MOST_CPUS];
    struct switch_plan switches[MOST_SWITCHES];
    struct gpu_plan gpus[MOST_GPUS];
    struct nic_plan nics[MOST_NICS];
};

/* machine.c: makes a plan. */
void machine_plan(struct machine *m, struct chance *chance);
/* machine_nvlinks.c: how the plan's GPUs are joined. */
void machine_join_gpus(struct machine *m);
/* machine_xml.c: writes the plan. */
void machine_write(struct machine *m, struct orr_text *xml);

#endif
