/* SPDX-License-Identifier: Apache-2.0 */
/* Findings: problems of a machine or of NCCL's decisions on it, with the values that were compared, the places, why it
 * matters and what to do. Each finding is a table row (findings_FAMILY.c); rows only read the dump and the analysis.
 *
 * Equal devices are compared with one another first: a property that all of them share is how the machine was built.
 */
#ifndef ORR_FINDINGS_FINDINGS_H
#define ORR_FINDINGS_FINDINGS_H

#include "engine/analysis/analysis.h"
#include "engine/log_comparing/check.h"

enum { ORR_MOST_CAUSES = 14 };

enum orr_severity {
    ORR_SEVERITY_ERROR,   /* NCCL refuses it, or it certainly fails */
    ORR_SEVERITY_WARNING, /* likely slow */
    ORR_SEVERITY_INFO,
    ORR_SEVERITY_COUNT
};

struct orr_finder; /* finder.h */

/* The subject of a finding. For files of RCCL, only findings about dumps and logs are checked. */
enum orr_finding_subject {
    ORR_OF_DUMP,
    ORR_OF_NCCL,     /* NVIDIA's GPUs, or what NCCL reads of a dump */
    ORR_OF_ANALYSIS, /* checked only if there is an analysis */
    ORR_OF_LOG       /* checked only if there is a log */
};

struct orr_finding_row {
    const char *id;        /* stable word: "slow-link" */
    const char *catalogue; /* number in docs/findings.md: "L20"; NULL if it has none */
    enum orr_severity severity;
    enum orr_finding_subject of;
    void (*find)(struct orr_finder *finder);
    const char *title, *why, *advice;
    const char *commands[4];   /* to run on the machine; NULL ends */
    const char *references[4]; /* public reports: "NVIDIA/nccl#439"; NULL ends */
    /* Ids of the findings that explain this one if both are present; NULL ends. There are no circles. */
    const char *follows_from[ORR_MOST_CAUSES];
};

/* The start of a row: ORR_FINDING("gdr-off", "L50", WARNING, NCCL, gdr_off). */
#define ORR_FINDING(id_, catalogue_, severity_, of_, find_)                                                            \
    .id = (id_), .catalogue = (catalogue_), .severity = ORR_SEVERITY_##severity_, .of = ORR_OF_##of_, .find = (find_)

enum { ORR_FINDING_PLACES = 16 }; /* named; the rest is counted */

struct orr_finding_place {
    uint32_t element;              /* of the dump, ORR_NO_ELEMENT if there is none */
    uint32_t line, column;         /* 0 if there is no place in the file */
    char node[ORR_NODE_ID_SIZE];   /* id of the node that the element became; empty if there is none, or no analysis */
    char device[ORR_NODE_ID_SIZE]; /* bus id, name of a NIC ...; empty if there is none */
    char name[ORR_NODE_ID_SIZE];   /* name for people: for a NIC's card the name of its only port, otherwise `device` */
};

struct orr_finding {
    const struct orr_finding_row *row;
    const char *title, *advice;  /* those of the row, or more specific ones for what was found */
    const char *const *commands; /* NULL ends, as in the row */
    const char *detail;          /* the values that were compared */
    struct orr_finding_place places[ORR_FINDING_PLACES];
    uint32_t place_count, more_places; /* number of places above; number of further places */
};

struct orr_findings {
    struct orr_finding *rows; /* errors first, then warnings, then the rest */
    uint32_t count;
};

/* A finding of docs/findings.md that cannot be decided from what Orrery reads. */
struct orr_undecided {
    const char *catalogue, *title, *why;
};

/* All findings. analysis NULL means those about the dump alone. Memory from arena. */
enum orr_code orr_find(const struct orr_dump *dump, const struct orr_analysis *analysis, struct orr_arena *arena,
                       struct orr_findings *ret_findings, struct orr_error *err) ORR_NO_DISCARD;
/* Findings about a log and about its comparison with a prediction. check NULL if there is no prediction. */
enum orr_code orr_find_in_log(const struct orr_log *log, const struct orr_log_check *check, struct orr_arena *arena,
                              struct orr_findings *ret_findings, struct orr_error *err) ORR_NO_DISCARD;
/* "error", "warning", "info". */
const char *orr_severity_name(enum orr_severity severity);
/* Row i of the tables, NULL if there are no more. */
const struct orr_finding_row *orr_finding_row(size_t i);
const struct orr_undecided *orr_undecided(size_t i);

#endif
