/* inside findings/: what the condition of a row looks at, and how it says what it found. A row has found something once
 * it called orr_say(). */
#ifndef ORR_FINDINGS_FINDER_H
#define ORR_FINDINGS_FINDER_H

#include <stdlib.h>
#include <string.h>

#include "engine/findings/findings.h"
#include "engine/release/release.h"
#include "engine/topology/pci.h"

/* A <pci> of the dump with what stands at or below it. */
struct orr_card {
    uint32_t element;
    uint32_t gpu;           /* the <gpu> right inside, ORR_NO_ELEMENT: none */
    uint32_t above;         /* index of the card around it, UINT32_MAX: none */
    uint32_t depth;         /* cards around it */
    uint32_t gpus_at, gpus; /* GPUs right inside; and at any depth */
    uint32_t nets_at, nets; /* ports likewise */
    float gbps_at, gbps;    /* their speed, Gb/s */
    uint64_t identity;      /* vendor, device, subsystem vendor and device; 0: not known */
    int32_t width;          /* lanes, 0: not known */
    float rate;             /* GT/s of a lane, 0: not known */
};

struct orr_finder {
    const struct orr_dump *dump;
    const struct orr_analysis *analysis; /* NULL: none */
    const struct orr_log *log;           /* NULL: none */
    const struct orr_log_check *check;   /* NULL: none */
    struct orr_arena *arena;
    struct orr_card *cards;
    uint32_t *gpus, *nets, *cpus; /* elements in document order */
    uint32_t card_count, gpu_count, net_count, cpu_count;
    uint32_t *card_of; /* [element]: the card it is or stands right or deep inside, UINT32_MAX: none */
    struct orr_finding *at;
    bool starved;
};

/* The detail: values that were compared, one phrase without a full stop. */
void orr_say(struct orr_finder *f, const char *format, ...) ORR_PRINTF(2, 3);
/* A place: an element of the dump. */
void orr_point(struct orr_finder *f, uint32_t element);
/* The GPU of a host rank. */
void orr_point_rank(struct orr_finder *f, int32_t rank);
/* A node of a system by its index. */
void orr_point_node(struct orr_finder *f, const struct orr_system *system, uint32_t node);

/* Value of an attribute, "" where there is none. */
static inline const char *orr_attr_of(const struct orr_finder *f, uint32_t element, enum orr_attr attr)
{
    const char *text = element == ORR_NO_ELEMENT ? NULL : orr_element_text(f->dump, element, attr);
    return text ? text : "";
}
/* GB/s that a card's link carries, by the PCIe standard; 0: not known. */
float orr_card_gbs(const struct orr_card *card);
/* NVLinks of a GPU element together. */
int32_t orr_nvlinks_of(const struct orr_finder *f, uint32_t gpu);
/* Whether a port belongs to an RDMA device, by its name: "mlx5_0", "bnxt_re1", "rdmap16s27" ... */
bool orr_net_is_rdma(const struct orr_finder *f, uint32_t net);
/* host_hash of the <cpu> around an element, "": none. */
const char *orr_host_of(const struct orr_finder *f, uint32_t element);

/* The families, each ends with a row without an id. */
extern const struct orr_finding_row orr_findings_input[], orr_findings_ranks[], orr_findings_pci[],
    orr_findings_nvlink[], orr_findings_p2p[], orr_findings_net[], orr_findings_graph[], orr_findings_routes[],
    orr_findings_cpu[], orr_findings_log[], orr_findings_cluster[], orr_findings_fabric[];
extern const struct orr_undecided orr_undecided_rows[]; /* ends with a row without a number */

#endif
