/* SPDX-License-Identifier: Apache-2.0 */
/* Counts the devices in a dump and describes the machine in a sentence, without an analysis. */
#ifndef ORR_TOPOLOGY_MACHINE_H
#define ORR_TOPOLOGY_MACHINE_H

#include "engine/base/text.h"
#include "engine/dump/dump.h"

enum { ORR_MOST_TALLIED = 8 };

/* Distinct values with their frequencies, in order of appearance; at most eight. */
struct orr_tally {
    int64_t values[ORR_MOST_TALLIED];
    uint32_t counts[ORR_MOST_TALLIED];
    int kinds;
};

struct orr_machine_summary {
    uint32_t gpus, ranked; /* ranked: GPUs with a rank */
    uint32_t cpus, nics, nets, switches, nvlinks, c2cs, hosts;
    bool nvswitch;
    struct orr_tally sm, speed; /* compute capabilities; Mb/s of NETs */
    const char *arch, *vendor;  /* from the first CPU that has it; NULL if there is none; borrowed from the dump */
};

void orr_machine_summarise(const struct orr_dump *dump, struct orr_machine_summary *ret_machine);
/* "8 Hopper GPUs (capability 9.0), NVLink through switches; 2 NUMA domains (x86_64, GenuineIntel); 8 network ports of
 * 400 Gb/s" */
void orr_machine_sentence(const struct orr_machine_summary *machine, struct orr_text *text);

#endif
