/* inside diagnosis/: repairs of findings, applied to a copy of the dump and of the settings. One row a finding that can
 * be repaired (repairs.c). What a device should have is what its equals have, else what its GPU model or machine type
 * has; nothing else is made up. */
#ifndef ORR_DIAGNOSIS_REPAIR_H
#define ORR_DIAGNOSIS_REPAIR_H

#include "engine/analysis/analysis.h"
#include "engine/machines/groups.h"
#include "engine/machines/recognise.h"
#include "engine/nics/dump_document.h"

/* A copy of what was asked about, to be repaired. Its memory comes from arena. */
struct orr_bench {
    const struct orr_analysis *analysis;
    const struct orr_hardware_facts *hw; /* of analysis->given */
    const struct orr_machine *machine;
    const struct orr_groups *groups;
    struct orr_arena *arena;
    struct orr_doc doc;
    struct orr_doc_node **nodes; /* [element of analysis->given] */
    struct orr_settings settings;
    bool changed;        /* a repair changed something */
    const char *refused; /* why a repair was not tried, a phrase; NULL: it was */
};

struct orr_repair {
    const char *id; /* of the finding */
    const char
        *what; /* what the device has after the repair, a phrase for people: "speed and width of equal devices" */
    void (*apply)(struct orr_bench *bench);
    bool network_only; /* changes nothing for a job on one host */
    bool of_file;      /* the file is incomplete, not the machine: the repaired figure is the one to expect */
};

/* NULL: no repair of this finding is known. */
const struct orr_repair *orr_repair_find(const char *id);

/* A fresh copy. false: memory ran out. */
bool orr_bench_init(struct orr_bench *bench, const struct orr_analysis *analysis, const struct orr_hardware_facts *hw,
                    const struct orr_machine *machine, const struct orr_groups *groups, struct orr_arena *arena);
/* Sets an attribute of the copy; a value that it has already is no change. */
void orr_bench_set(struct orr_bench *bench, struct orr_doc_node *node, const char *key, const char *value);

/* repair_links.c */
void orr_repair_slow_links(struct orr_bench *bench);
void orr_repair_all_links(struct orr_bench *bench);
void orr_repair_unknown_links(struct orr_bench *bench);
void orr_repair_bridges(struct orr_bench *bench);
void orr_repair_slots(struct orr_bench *bench);
void orr_repair_ports(struct orr_bench *bench);
void orr_repair_missing_nics(struct orr_bench *bench);
void orr_repair_strays(struct orr_bench *bench);
/* repair_nvlinks.c */
void orr_repair_nvlinks(struct orr_bench *bench);
void orr_repair_board_nvlinks(struct orr_bench *bench);
void orr_repair_one_sided(struct orr_bench *bench);
void orr_repair_targets(struct orr_bench *bench);

#endif
