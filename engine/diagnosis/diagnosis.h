/* SPDX-License-Identifier: Apache-2.0 */
/* The diagnosis: findings with what each of them costs, and one verdict.
 *
 * For each finding that can be repaired, the repair is applied to a copy of the dump, the machine is analysed again,
 * and the figures are compared. A finding that vanishes with the repair of another one follows from that one. Nothing
 * is guessed: a repair that changes no figure makes its finding a note, and a finding without a repair says so.
 */
#ifndef ORR_DIAGNOSIS_DIAGNOSIS_H
#define ORR_DIAGNOSIS_DIAGNOSIS_H

#include "engine/base/text.h"
#include "engine/findings/findings.h"
#include "engine/trials/suppositions.h"
#include "engine/whatif/steps.h"

/* What is compared, in the order in which a cost is looked for. X(symbol, name in documents, unit, higher is better,
 * least change that counts as a share) */
#define ORR_COST_FIGURE_MAP(X)                                                                                         \
    X(BUS_BW, "bus bandwidth of AllReduce at 1 GiB", "GB/s", true, 0.01)                                               \
    X(GPUS, "GPUs of the machine", "GPUs", true, 0)                                                                    \
    X(P2P_PAIRS, "pairs of GPUs with P2P", "pairs", true, 0)                                                           \
    X(GDR, "GPUs with GPUDirect RDMA", "GPUs", true, 0)                                                                \
    X(LATENCY, "time of AllReduce at 8 bytes", "us", false, 0.01)                                                      \
    X(CHANNELS, "channels", "channels", true, 0)                                                                       \
    X(NVLS, "NVLS channels", "channels", true, 0)

enum orr_cost_figure {
#define X(symbol, name, unit, higher, least) ORR_COST_##symbol,
    ORR_COST_FIGURE_MAP(X)
#undef X
        ORR_COST_FIGURE_COUNT
};

enum { ORR_MOST_HOST_COUNTS = 3 }; /* numbers of hosts that figures are for: one, two, and the number asked for */

/* One figure of one job that changes with the repair, for better or worse. */
struct orr_cost_change {
    enum orr_cost_figure figure;
    uint32_t hosts;
    double now, repaired;
};

struct orr_cost {
    enum orr_cost_figure figure;
    double now, repaired;
    double all_repaired; /* the one reference of the machine: everything that costs something repaired */
    bool has_gain;
    double gain;    /* what the repair adds to the bus bandwidth of struct orr_diagnosis.all, once the costlier findings
                     * are repaired; in the unit of the figure */
    uint32_t hosts; /* hosts of the job that the figures are for: this many times the dump */
    uint32_t fused; /* hosts in one dump: those of its NVLink domain, or 1 */
    bool none;      /* the repair improves no figure; figure is the first that was compared */
    bool together;  /* the repair alone gains nothing, but all other repairs gain less without it */
    struct orr_cost_change changes[ORR_MOST_HOST_COUNTS * ORR_COST_FIGURE_COUNT]; /* all, in the order of the table */
    uint32_t change_count;
};

struct orr_diagnosed {
    const struct orr_finding *finding;
    enum orr_severity severity; /* by its cost, if one is known; else its row's */
    const char *repair;         /* phrase for the repair that found the cost; NULL if no repair is known */
    bool has_cost;
    struct orr_cost cost;
    struct orr_cost supposed; /* the cost if the finding's "if" is true; hosts is 0 if it supposes nothing */
    bool of_file;             /* the file is incomplete, not the machine */
    bool asks;                /* the machine may be right as it is, so that the cost is not one of the machine's */
    bool repairs;             /* its repair changes the machine that has everything repaired */
    uint32_t stage;           /* of everything.h; 0 for findings that the machine shows as it is */
    const char *not_tried;    /* why a repair was not tried, a phrase; NULL if it was, or there is none */
    uint32_t follows; /* the row of struct orr_diagnosis that it is a consequence of; UINT32_MAX if there is none */
};

enum orr_verdict_state { ORR_VERDICT_HEALTHY, ORR_VERDICT_DEGRADED, ORR_VERDICT_CANNOT_TELL };

/* arrange.c: whether a repair of the finding improves a figure. */
bool orr_diagnosed_costs(const struct orr_diagnosed *row);

struct orr_diagnosis {
    struct orr_diagnosed *rows; /* causes by severity, then by cost; each followed by its consequences */
    uint32_t count;
    bool has_all; /* something costs something; all repairs were tried together */
    struct orr_cost all;
    const char *all_repair; /* what was repaired for it */
    uint32_t stages;        /* after the first, in which everything is repaired */
    /* What everything costs rests on a figure that the input does not show: degraded or healthy with each value. */
    struct orr_depends_list depends;
    const struct orr_suppositions *rests_on; /* NULL if it does not */
    enum orr_verdict_state state;
    const char *sentence; /* the headline; names cause and cost */
    const char *advice;   /* what to do first; "" if there is nothing to do */
    uint32_t cause;       /* row that the headline is about; UINT32_MAX if there is none */
    uint32_t analyses;    /* number of analyses made for it */
};

/* "If so, AllReduce gets about 5 GB/s, else 24." False: the finding supposes nothing that makes a difference. */
bool orr_supposed_clause(const struct orr_diagnosed *row, struct orr_text *text);

/* Diagnoses an analysis. Everything is in arena. The work is at most 40 further analyses and a number of search steps,
 * so that the result never depends on the clock. */
enum orr_code orr_diagnose(const struct orr_analysis *analysis, struct orr_arena *arena,
                           struct orr_diagnosis *ret_diagnosis, struct orr_error *err) ORR_NO_DISCARD;

const char *orr_cost_figure_unit(enum orr_cost_figure figure);
/* "healthy", "degraded", "cannot tell". */
const char *orr_verdict_state_name(enum orr_verdict_state state);
/* "bus bandwidth of AllReduce at 1 GiB on 2 hosts", counting all hosts. At least 64 bytes. */
void orr_cost_figure_for(enum orr_cost_figure figure, uint32_t hosts, char text[64]);
/* "20 of 240 GB/s", or "30 instead of 20 us" if less is better; compared with the machine with everything repaired. At
 * least 64 bytes. */
void orr_cost_text(const struct orr_cost *cost, char text[64]);
/* verdict_costs.c: "AllReduce gets 20 of 240 GB/s on 2 hosts". */
void orr_cost_clause(const struct orr_cost *cost, struct orr_text *text);
/* "repairing it adds 56 GB/s", or "" if the cost has neither a gain nor a part in one; at least 64 bytes. */
void orr_cost_gain_text(const struct orr_cost *cost, char text[64]);
/* The devices that a finding is about, "mlx5_5 and 2 more"; "" if it names none. */
void orr_finding_devices(const struct orr_finding *finding, struct orr_text *text);
/* Title and detail of a finding within a sentence, without a full stop. */
void orr_finding_clause(const struct orr_finding *finding, struct orr_text *text);

#endif
