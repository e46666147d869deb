/* SPDX-License-Identifier: Apache-2.0 */
/* Repairs of findings, applied to a variant of the question. repairs.c has one row for each finding that can be
 * repaired. A repaired device gets the values of its equals, or else those of its GPU model or machine type; nothing
 * else is made up. */
#ifndef ORR_TRIALS_REPAIR_H
#define ORR_TRIALS_REPAIR_H

#include "engine/trials/variant.h"

enum orr_repair_kind {
    ORR_REPAIR_NETWORK = 1,  /* changes nothing for a job on one host */
    ORR_REPAIR_OF_FILE = 2,  /* the file is incomplete, not the machine: the repaired figure is the one to expect */
    ORR_REPAIR_SUPPOSES = 4, /* not a repair but a possibility: the verdict gives the figure with and without it */
    ORR_REPAIR_REPLACES = 8, /* gives the machine other devices, which prove nothing about the rest of it */
    ORR_REPAIR_ASKS = 16     /* the machine may be right as it is: a question, and no cost of the machine */
};

struct orr_repair {
    const char *id;   /* of the finding */
    const char *what; /* state of the device after the repair, as a phrase: "speed and width of equal devices" */
    void (*apply)(struct orr_variant *variant);
    unsigned kind; /* bits of enum orr_repair_kind */
};

/* NULL if no repair of this finding is known. */
const struct orr_repair *orr_repair_find(const char *id);

/* The machine of an analysis, with the facts that repairs need. */
struct orr_patient {
    const struct orr_analysis *analysis; /* borrowed */
    const struct orr_dump *given;        /* analysis->given, or its repaired copy */
    struct orr_hardware_facts hw;        /* of given */
    struct orr_machine machine;
    struct orr_groups groups;
};
/* Memory comes from arena. NOMEM. */
enum orr_code orr_patient_read(struct orr_patient *patient, const struct orr_analysis *analysis,
                               struct orr_arena *arena, struct orr_error *err) ORR_NO_DISCARD;
/* The same for a machine that is already partly repaired: reads the facts that repairs need again. NOMEM. */
enum orr_code orr_patient_read_again(struct orr_patient *patient, const struct orr_dump *repaired,
                                     struct orr_arena *arena, struct orr_error *err) ORR_NO_DISCARD;
/* A fresh copy to repair, in arena, which refers to the patient. NOMEM. */
enum orr_code orr_patient_copy(const struct orr_patient *patient, struct orr_arena *arena,
                               struct orr_variant *ret_variant, struct orr_error *err) ORR_NO_DISCARD;

/* The finding of the i-th row; NULL beyond the last. */
const char *orr_repair_id(size_t i);

/* repair_links.c */
void orr_repair_slow_links(struct orr_variant *variant);
void orr_repair_all_links(struct orr_variant *variant);
void orr_repair_generation(struct orr_variant *variant);
void orr_repair_to_gpus(struct orr_variant *variant);
void orr_repair_unknown_links(struct orr_variant *variant);
void orr_repair_bridges(struct orr_variant *variant);
void orr_repair_slots(struct orr_variant *variant);
void orr_repair_ports(struct orr_variant *variant);
void orr_repair_missing_nics(struct orr_variant *variant);
void orr_repair_strays(struct orr_variant *variant);
/* repair_type.c */
void orr_repair_nics_without_switches(struct orr_variant *variant);
/* Adds a copy of a NIC card with its own bus id and GUIDs; adds the number of its ports to *added. */
void orr_repair_add_nic(struct orr_variant *variant, struct orr_doc_node *parent, uint32_t like, uint32_t *added);
/* Renumbers the ports in document order after NICs were added, if the machine numbers them in that order. */
void orr_repair_number_nics(struct orr_variant *variant, uint32_t added);
void orr_repair_ports_of_type(struct orr_variant *variant);
void orr_repair_nics_of_type(struct orr_variant *variant);
void orr_repair_ports_of_other_type(struct orr_variant *variant);
void orr_repair_nics_of_other_type(struct orr_variant *variant);
void orr_repair_nics_of_generation(struct orr_variant *variant);
/* repair_nvlinks.c */
void orr_repair_nvlinks(struct orr_variant *variant);
void orr_repair_board_nvlinks(struct orr_variant *variant);
void orr_repair_one_sided(struct orr_variant *variant);
void orr_repair_targets(struct orr_variant *variant);

#endif
