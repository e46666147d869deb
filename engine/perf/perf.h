/* SPDX-License-Identifier: Apache-2.0 */
/* Compares results of nccl-tests with the rows to expect from the machine: is this the expected bandwidth, and if not,
 * what explains it? README.md beside this file describes bands, verdicts and explanations.
 *
 * Times are microseconds, bandwidths bus bandwidths in GB/s (10^9 bytes a second), sizes bytes.
 */
#ifndef ORR_PERF_PERF_H
#define ORR_PERF_PERF_H

#include "engine/base/local.h"
#include "engine/expect/expect.h"
#include "engine/machines/machine_types.h"
#include "engine/nccltests/results.h"
#include "engine/perf/bands.h"
#include "engine/symptoms/symptoms.h"
#include "engine/trials/suppositions.h"

/* The kind of links between the GPUs of an analysis. */
enum orr_perf_link orr_perf_network(const struct orr_analysis *analysis);

enum orr_perf_verdict { ORR_PERF_EXPECTED, ORR_PERF_LOW, ORR_PERF_HIGH, ORR_PERF_CANNOT_JUDGE, ORR_PERF_VERDICT_COUNT };
const char *orr_perf_verdict_name(size_t verdict); /* "as expected", ...: a list of words, NULL beyond the last */

struct orr_perf_row {
    uint64_t size;
    double bus_bw;        /* measured bandwidth: the better of out-of-place and in-place */
    double out, in, time; /* out-of-place and in-place bus bandwidth, negative if not printed; the shorter time */
    bool known;           /* there is a prediction */
    struct orr_expected expected;
    double low, high; /* the band */
    enum orr_perf_verdict verdict;
    const char *why; /* a clause that says why it cannot be judged, else "" */
    struct orr_band band;
};

/* From this size on, NCCL chooses another algorithm or protocol than for the row before. */
struct orr_perf_crossover {
    uint64_t size;
    const struct orr_expected *from, *to;
};

/* Deviations of the curve from the expected one. X(symbol, name) */
#define ORR_PERF_SHAPE_MAP(X)                                                                                          \
    X(WRONG, "wrong")                                                                                                  \
    X(CLIFF, "cliff")                                                                                                  \
    X(DIP, "dip")                                                                                                      \
    X(KNEE, "knee")                                                                                                    \
    X(PLATEAU, "plateau")                                                                                              \
    X(PLACE, "in-place")                                                                                               \
    X(UNSTEADY, "unsteady")
enum orr_perf_shape_kind {
#define X(symbol, name) ORR_PERF_SHAPE_##symbol,
    ORR_PERF_SHAPE_MAP(X)
#undef X
        ORR_PERF_SHAPE_COUNT
};
struct orr_perf_shape {
    enum orr_perf_shape_kind kind;
    uint64_t from, to; /* sizes */
    const char *sentence;
};
const char *orr_perf_shape_name(enum orr_perf_shape_kind kind);

/* A configuration whose prediction fits the measured curve. */
struct orr_perf_explanation {
    const char *const *ids; /* ids of engine/trials/hypotheses.c; several if their predictions are the same */
    uint32_t id_count;
    const char *what;     /* "4 of 8 NICs are used: predicted 182 GB/s at 1 GiB, measured 176" */
    const char *confirm;  /* a sentence, with the command that would confirm it */
    double fit;           /* 0 to 1: similarity of the predicted curve and the measured one */
    const double *curve;  /* [row]: predicted bus bandwidth, 0 if there is none */
    const char *evidence; /* what the log in the same text says about it, "" if nothing */
};

enum {
    ORR_PERF_SHAPES = 6,
    ORR_PERF_EXPLANATIONS = 3,
    ORR_PERF_CROSSOVERS = 16,
    ORR_PERF_ASSUMED = 12,
    ORR_PERF_LEADS = 8
};

/* A setting that the text names, in a command line, an export, NCCL's own log ... */
struct orr_perf_setting {
    const char *name, *value;
    uint32_t line;
    bool applied; /* applied to the prediction; false if the user gave another value, or it has no effect here */
};

struct orr_perf_table {
    const struct orr_result_table *measured;
    enum orr_test test; /* the program with whose prediction it is compared; ORR_TEST_COUNT if unknown */
    enum orr_perf_verdict verdict;
    const char *sentence;
    struct orr_perf_row *rows; /* as many as the table has */
    uint32_t row_count;
    uint32_t main; /* the row that the sentence quotes; UINT32_MAX if there is none */
    struct orr_perf_crossover crossovers[ORR_PERF_CROSSOVERS];
    uint32_t crossover_count;
    struct orr_perf_shape shapes[ORR_PERF_SHAPES];
    uint32_t shape_count;
    struct orr_perf_explanation explanations[ORR_PERF_EXPLANATIONS];
    uint32_t explanation_count;
    const char *leads[ORR_PERF_LEADS]; /* sentences about lines of the text that may explain low results, the most
                                        * important first */
    uint32_t lead_count;
    const char *advice; /* what to check although neither a line nor a trial shows it; NULL if nothing */
    bool all_tried;     /* false if the analyses allowed for explanations were spent */
    struct orr_expect_limit limit;
    bool limit_known;
    uint32_t slow_ports;                   /* Mb/s of ports for which words name more; 0 if none does */
    double per_nic;                        /* GB/s that each NIC carried at the main row, 0 if it cannot be derived */
    const struct orr_analysis *analysis;   /* NULL if there is no machine */
    const char *machine;                   /* "hgx-h100, 2 hosts of 8 GPUs"; "" without one */
    const char *machine_name;              /* name of the machine type or the given dump; "" without a machine */
    const char *machine_source;            /* "topology", "machine type", "log", "guessed", "none" */
    const char *assumed[ORR_PERF_ASSUMED]; /* sentences without a full stop */
    uint32_t assumed_count;
    /* The limit is assumed: each value that would decide the verdict. Values with which the results would be
     * impossible are left out. */
    struct orr_depends_list depends;
    const char *confirm; /* with depends: the command that shows the real value */
};

struct orr_perf_check {
    struct orr_perf_table *tables; /* as many as the results have */
    uint32_t table_count;
    uint32_t main; /* the table with the worst verdict; the last one if there are several */
    struct orr_perf_setting *settings;
    uint32_t setting_count;
    struct orr_symptoms symptoms; /* of all lines of the text */
    struct orr_arena *arena;
};

struct orr_perf_question {
    const struct orr_dump *dump;  /* the machine; NULL means to derive it from the results */
    const char *dump_name;        /* for people; NULL means "the topology" */
    struct orr_settings settings; /* the user's, with the release */
    bool release_given;
    uint32_t hosts;     /* 0 means the number in the results */
    enum orr_test test; /* ORR_TEST_COUNT means the program in the results */
};

/* Judges all tables. results and dump must outlive the check. On success *ret_check is the caller's:
 * orr_perf_check_free(). Errors are those of orr_analyze() for a machine that the caller gave; if the results are
 * incomplete, the verdict is "cannot judge". */
enum orr_code orr_perf_judge(const struct orr_results *results, const struct orr_perf_question *question,
                             struct orr_perf_check **ret_check, struct orr_error *err) ORR_NO_DISCARD;
void orr_perf_check_free(struct orr_perf_check *check);
ORR_FREED_BY(orr_perf_check, orr_perf_check_free)

#endif
