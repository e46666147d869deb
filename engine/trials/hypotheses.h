/* Configurations that are tried to explain low results, and the copy of the machine that they
 * change. */
#ifndef ORR_PERF_CAUSES_H
#define ORR_PERF_CAUSES_H

#include "engine/analysis/analysis.h"
#include "engine/nics/dump_document.h"

/* A copy of the machine and the settings, to be changed. Memory comes from arena. */
struct orr_perf_copy {
    const struct orr_analysis *analysis;
    struct orr_arena *arena;
    struct orr_doc doc;
    struct orr_settings settings;
    uint32_t gpus, nets; /* of the machine */
    uint32_t kept;       /* NICs that stay, where the change removes some; 0: it removes none */
    char what[96];       /* what the change did, where the row does not say; "": as the row says */
    bool acs;            /* the machine stays, and PCIe ACS redirects traffic */
    bool changed;
};

struct orr_perf_cause {
    const char *id;
    const char *what;    /* a clause about the machine or the job: "NVLink SHARP (NVLS) is off" */
    const char *confirm; /* a sentence with a command */
    void (*apply)(struct orr_perf_copy *copy, int amount);
    int amount, most; /* tried with each number from amount to most; most 0: with amount only */
    bool network;     /* only where there are several hosts */
    /* How far the real effect may be from the tried one, as a factor; 1: it is computed exactly. TCP, for instance, is
     * as fast as the CPUs allow. */
    double tolerance;
    const char *network_line; /* word of the log's NETWORK lines that proves it, NULL: none */
};
extern const struct orr_perf_cause orr_perf_causes[];
extern const size_t orr_perf_cause_count;

/* false: memory ran out. */
bool orr_perf_copy_init(struct orr_perf_copy *copy, const struct orr_analysis *analysis, struct orr_arena *arena);

#endif
