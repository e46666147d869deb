/* SPDX-License-Identifier: Apache-2.0 */
/* The report on a machine for people: the machine, the verdict, and what NCCL will do on it. Then come the paths
 * between GPUs and NICs, the findings with their cost, the assumptions, and further commands.
 *
 * struct orr_report has the values, orr_report_write() the sentences. Bandwidths are GB/s, times microseconds. Nothing
 * here prints: the text goes to a page (page.h). */
#ifndef ORR_REPORT_REPORT_H
#define ORR_REPORT_REPORT_H

#include "engine/diagnosis/cluster_faults.h"
#include "engine/diagnosis/diagnosis.h"
#include "engine/expect/expect.h"
#include "engine/machines/recognise.h"
#include "engine/report/page.h"
#include "engine/topology/machine.h"

enum {
    ORR_REPORT_SIZES = 3, /* of AllReduce: 1 MiB, 64 MiB, 1 GiB */
    ORR_REPORT_JOBS = 2   /* one host, and several */
};

/* One number of hosts with the expected results of AllReduce. */
struct orr_report_job {
    const struct orr_analysis *analysis; /* a plan if the report made it */
    bool predicted;                      /* false if nothing can be expected, such as with one rank */
    bool known[ORR_REPORT_SIZES];
    struct orr_expected expected[ORR_REPORT_SIZES];
    struct orr_expect_limit limit;
};

/* The NICs of a GPU. */
struct orr_report_nics {
    const struct orr_part *part;
    uint32_t gpu;         /* node in the part */
    const uint32_t *nets; /* [net_count]: nodes of the NICs that NCCL assigns to it */
    uint32_t net_count;
    uint32_t pxn;  /* other NICs, which it reaches through other GPUs */
    uint32_t host; /* system id */
};

struct orr_report {
    const struct orr_analysis *analysis; /* borrowed */
    const char *name;                    /* of the input; borrowed */
    const char *sentence;                /* description of the machine, without a full stop */
    struct orr_machine machine;
    struct orr_diagnosis diagnosis;
    struct orr_cluster_faults faults;            /* faults of a cluster of several hosts; otherwise empty */
    struct orr_report_job jobs[ORR_REPORT_JOBS]; /* by number of hosts */
    uint32_t job_count;
    const struct orr_analysis *networked; /* analysis of a job that uses NICs; without NICs, that of one host */
    struct orr_report_nics *nics;         /* [local rank]; NULL if there are no NICs */
    const char *const *assumed;           /* [assumed_count]: sentences about NCCL and the hosts; those about the
                                 input are in the dump's notes */
    uint32_t assumed_count;
    struct orr_arena *arena; /* owns all of it */
    struct orr_analysis *made;
};

/* Makes the report of an analysis, which must outlive it. name: name of the input. Everything is in arena, except
 * further analyses, which orr_report_release() frees; call it on failure, too. */
enum orr_code orr_report_make(const struct orr_analysis *analysis, const char *name, struct orr_arena *arena,
                              struct orr_report *ret_report, struct orr_error *err) ORR_NO_DISCARD;
void orr_report_release(struct orr_report *report);

/* The subject of the report as it is written on a command line, for the commands that the report proposes. */
struct orr_report_asked {
    /* "topo.xml", "--machine hgx-h100", "--cluster hosts.json"; NULL if it cannot be named again */
    const char *machine;
    const char *options; /* "--release 2.27.7 " ..., each with a blank after it; without --hosts */
    uint32_t hosts;      /* 1: --hosts is not needed */
    bool is_file;        /* machine is a file of one host */
};

/* Writes the whole report. */
void orr_report_write(struct orr_page *page, const struct orr_report *report, const struct orr_report_asked *asked);
/* Writes the machine, the verdict and all findings, with nothing left out. */
void orr_report_write_findings(struct orr_page *page, const struct orr_report *report);
/* Writes the hosts of a cluster with faults; there must be at least one. */
void orr_report_cluster_faults(struct orr_page *page, const struct orr_report *report);
/* Parts of the report: findings by cost (all of them, or the first in full and a limited number of others), the NICs of
 * each GPU, and commands that answer further questions. */
void orr_report_findings(struct orr_page *page, const struct orr_diagnosis *diagnosis, bool all);
void orr_report_nics(struct orr_page *page, const struct orr_report *report);
/* Writes whether symmetric kernels may run, for each number of hosts. */
void orr_report_device(struct orr_page *page, const struct orr_report *report);
void orr_report_next(struct orr_page *page, const struct orr_report *report, const struct orr_report_asked *asked);

/* The types of the paths between all GPUs and NICs, in the layout of `nvidia-smi topo -m` with NCCL's path types.
 * brief: GPUs only to GPUs and NICs, as a part of the report. With several hosts, the first is shown, and a sentence
 * says what applies between them. */
void orr_matrix_write(struct orr_page *page, const struct orr_report *report, bool brief);
/* Writes the machine as a tree: CPUs, PCIe switches, GPUs, NICs and their links. Equal hosts are shown once. */
enum orr_code orr_tree_write(struct orr_page *page, const struct orr_analysis *analysis, struct orr_arena *arena,
                             struct orr_error *err) ORR_NO_DISCARD;

/* The hosts of the communicator: "1 host", "the cluster of 18 hosts", "2 NVLink domains". Returns text. */
enum { ORR_REPORT_EXTENT_SIZE = 64 };
const char *orr_report_extent(const struct orr_analysis *analysis, char text[ORR_REPORT_EXTENT_SIZE]);
/* Names: "GPU 3" is the local rank, as NCCL counts; a NIC's name is that of the dump, else "NIC 3". */
enum { ORR_NIC_NAME_SIZE = 48 };
char *orr_report_nic_name(const struct orr_system *system, uint32_t net, char name[ORR_NIC_NAME_SIZE]);
/* Whether b is a's name with the next number, like mlx5_4 after mlx5_3, or rdmap4s0 after rdmap3s0. */
bool orr_report_is_next_name(const char *a, const char *b);
/* "0-3, 5, 7": ascending numbers. */
void orr_report_numbers(const uint32_t *numbers, uint32_t count, struct orr_text *text);

#endif
