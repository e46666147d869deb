/* SPDX-License-Identifier: Apache-2.0 */
/* Writes Orrery's facts about machines for other programs: labels, blocks, records. Each format is a row. */
#ifndef ORR_EXPORTS_EXPORTS_H
#define ORR_EXPORTS_EXPORTS_H

#include "engine/analysis/analysis.h"
#include "engine/base/text.h"
#include "engine/cluster/cluster.h"

struct orr_export_host {
    const char *name;            /* name of the host, or of its file; "" if unknown */
    const struct orr_dump *dump; /* borrowed; NULL if not read, because formats of a fleet need no dump */
    const char *domain;          /* NVLink domain; NULL if unknown */
    const char *leaf;            /* leaf switch of its NICs; NULL if unknown */
};

struct orr_export_request {
    const struct orr_export_host *hosts; /* [count], 1.. */
    uint32_t count;
    struct orr_settings settings;      /* with the release */
    const struct orr_cluster *cluster; /* the analysed hosts, for formats about faults; otherwise NULL */
    const char *title;                 /* the cluster's name for people; NULL or "" if it has none */
    const char *id;                    /* id of a stored cluster; NULL for a file */
};

/* Appends the whole text. Errors are those of orr_analyze(), and INVALID if the machines do not have what the format
 * describes. */
typedef enum orr_code orr_export_writer(const struct orr_export_request *request, struct orr_text *text,
                                        struct orr_error *err);

struct orr_export_format {
    const char *name; /* stable word: "nfd" */
    const char *title;
    const char *media_type;
    bool several; /* describes one host or many; false means exactly one */
    bool fleet;   /* names, domains and leaf switches of hosts are enough: no dump is read */
    orr_export_writer *write;
    bool faults; /* about the faults of an analysed cluster, and what each repair gains */
};

/* Row i of the table, NULL if there are no more; and its name. */
const struct orr_export_format *orr_export_format(size_t i);
const char *orr_export_format_name(size_t i);
/* Appends the facts. INVALID if a format of one host gets several hosts; otherwise the errors of the writer. */
enum orr_code orr_export_write(size_t format, const struct orr_export_request *request, struct orr_text *text,
                               struct orr_error *err) ORR_NO_DISCARD;

/* Inside exports/: the writers, a file each. */
orr_export_writer orr_export_nfd, orr_export_topograph, orr_export_slurm_tree, orr_export_slurm_block,
    orr_export_slurm_yaml, orr_export_faults_csv, orr_export_slurm_drain, orr_export_kubernetes_cordon,
    orr_export_report;

#endif
