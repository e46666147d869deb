/* SPDX-License-Identifier: Apache-2.0 */
/* Inside findings/: the input of the condition of a row, and the functions that report what it found. A row that calls
 * orr_say() has found something. */
#ifndef ORR_FINDINGS_FINDER_H
#define ORR_FINDINGS_FINDER_H

#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/findings/findings.h"
#include "engine/hardware/hardware.h"
#include "engine/machines/recognise.h"
#include "engine/release/release.h"
#include "engine/topology/pci.h"

struct orr_finder {
    const struct orr_dump *dump;
    const struct orr_analysis *analysis; /* NULL if there is none */
    const struct orr_log *log;           /* NULL if there is none */
    const struct orr_log_check *check;   /* NULL if there is none */
    struct orr_arena *arena;
    struct orr_hardware_facts hw; /* of the dump */
    struct orr_machine machine;   /* the machine that the dump should describe */
    uint32_t *node_of;            /* [element]: node of analysis->built; NULL if there is no analysis */
    const char *rccl;             /* evidence that RCCL wrote the dump; NULL if there is none */
    struct orr_finding *at;
};

/* The detail: values that were compared, one phrase without a full stop. */
void orr_say(struct orr_finder *f, const char *format, ...) ORR_PRINTF(2, 3);
/* Replaces title, advice and command of the row with ones that fit the finding better; NULL means those of the row. */
void orr_say_remedy(struct orr_finder *f, const char *title, const char *advice, const char *command);
/* Points at each device that is slower than its equals; the detail describes the first. */
void orr_say_slower(struct orr_finder *f, enum orr_slower_kind kind);
/* A place: an element of the dump. */
void orr_point(struct orr_finder *f, uint32_t element);
/* The GPU of a host rank. */
void orr_point_rank(struct orr_finder *f, int32_t rank);
/* A node of a system by its index. */
void orr_point_node(struct orr_finder *f, const struct orr_system *system, uint32_t node);

/* Value of an attribute, "" if there is none. */
static inline const char *orr_attr_of(const struct orr_finder *f, uint32_t element, enum orr_attr attr)
{
    return orr_element_word(f->dump, element, attr);
}
/* "GPU 3", "mlx5_0", a bus id; if NVLink joins several hosts, with the host's number in drawings: "GPU 1 of tray 4". */
enum { ORR_FOUND_NAME_SIZE = 72 };
void orr_name_device(const struct orr_finder *f, uint32_t element, char text[ORR_FOUND_NAME_SIZE]);
/* The same for a node; its id if it is a CPU, or if the dump has no device for it. */
void orr_name_node(const struct orr_finder *f, const struct orr_system *system, uint32_t node,
                   char text[ORR_FOUND_NAME_SIZE]);
/* host_hash of the <cpu> around an element; "" if there is none. */
const char *orr_host_of(const struct orr_finder *f, uint32_t element);

/* The tables of the families; each ends with a row without an id. */
extern const struct orr_finding_row orr_findings_input[], orr_findings_ranks[], orr_findings_pci[],
    orr_findings_slots[], orr_findings_nvlink[], orr_findings_groups[], orr_findings_p2p[], orr_findings_gdr[],
    orr_findings_net[], orr_findings_graph[], orr_findings_routes[], orr_findings_cpu[], orr_findings_log[],
    orr_findings_hosts[], orr_findings_cluster[], orr_findings_rails[], orr_findings_fabric[], orr_findings_machine[],
    orr_findings_type[];
extern const struct orr_undecided orr_undecided_rows[]; /* ends with a row without a number */

#endif
