/* SPDX-License-Identifier: Apache-2.0 */
/* A topology file for a virtual machine (NCCL_TOPO_FILE) from a dump of the real machine, as NCCL's maintainers advise.
 * CPUs and PCI devices stay with their links. GPUs and NICs themselves go, because NCCL fills them in on the machine.
 * Bus ids become those of the virtual machine. Switches, which a guest does not see, get ids of their own. */
#ifndef ORR_INPUT_VM_FILE_H
#define ORR_INPUT_VM_FILE_H

#include "engine/input/input.h"

struct orr_vm_options {
    /* Bus ids of the virtual machine, separated by commas, in the order of the real ids; or REAL=NEW pairs, which leave
     * out devices that they do not name. NULL or "" keeps the ids. */
    const char *gpus, *nics;
};

/* Appends the file to text. INVALID if the dump is of several hosts or the lists do not fit. */
enum orr_code orr_vm_file(const struct orr_dump *dump, const struct orr_vm_options *options, struct orr_text *text,
                          struct orr_error *err) ORR_NO_DISCARD;

#endif
