/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a prediction with a log, fact by fact: facts that agree, differ or are not in the log, the first difference
 * in NCCL's own order, and its likely cause. README.md beside this file. */
#ifndef ORR_LOG_CHECK_H
#define ORR_LOG_CHECK_H

#include "engine/analysis/analysis.h"
#include "engine/cluster/fabric.h"
#include "engine/log_comparing/values.h"
#include "engine/trials/observed.h"

/* Beyond this many ranks or records, nothing is predicted again to find a release or a cause, because it would take
 * too long. */
enum { ORR_LOG_RANKS_TRIED = 256, ORR_LOG_RECORDS_TRIED = 50000 };

/* What facts are about, in the order in which NCCL computes them. X(symbol, name, what to ask NCCL_DEBUG_SUBSYS for) */
#define ORR_LOG_TOPIC_MAP(X)                                                                                           \
    X(SYSTEM, "system", "GRAPH")                                                                                       \
    X(LINKS, "links", "GRAPH")                                                                                         \
    X(PATHS, "paths", "GRAPH")                                                                                         \
    X(GRAPHS, "graphs", "GRAPH")                                                                                       \
    X(ORDERS, "orders", "GRAPH")                                                                                       \
    X(RINGS, "rings", "INIT")                                                                                          \
    X(TREES, "trees", "INIT")                                                                                          \
    X(NVLS, "nvls", "INIT")                                                                                            \
    X(COUNTS, "counts", "INIT")                                                                                        \
    X(P2P, "p2p", "INIT")                                                                                              \
    X(GDR, "gdr", "NET")                                                                                               \
    X(NET, "net", "INIT")                                                                                              \
    X(TUNING, "tuning", "TUNING")                                                                                      \
    X(DEVICE_SIDE, "device", "INIT")

enum orr_log_topic {
#define X(symbol, name, subsystem) ORR_TOPIC_##symbol,
    ORR_LOG_TOPIC_MAP(X)
#undef X
        ORR_LOG_TOPIC_COUNT
};

enum orr_log_verdict { ORR_FACT_AGREES, ORR_FACT_DIFFERS, ORR_FACT_NOT_PREDICTED };

struct orr_log_fact {
    enum orr_log_topic topic;
    enum orr_log_verdict verdict;
    const char *what;                       /* "GPU/0-1b000 - GPU/0-43000", "ring of channel 0" */
    struct orr_log_value logged, predicted; /* predicted: why not, if it is not */
    uint32_t line, times;                   /* of the log, the first one; how many lines say it */
    char nodes[2][ORR_NODE_ID_SIZE];        /* to be shown on the drawing; empty: none */
    int32_t gpu_nic;                        /* it is about a GPU and the NIC of this number; -1 if it is not */
};

enum { ORR_LOG_CAUSE_LINES = 3 };
struct orr_log_cause {
    const char *id;                      /* stable word: "other-release", "setting", "hardware" ... */
    const char *what;                    /* "NCCL_P2P_DISABLE=1" */
    const char *why;                     /* a sentence */
    const char *advice;                  /* what to do */
    bool tested;                         /* recomputed under it */
    uint32_t left;                       /* differences that remain then */
    uint32_t lines[ORR_LOG_CAUSE_LINES]; /* of the log, that support it */
    uint32_t line_count;
};
enum { ORR_LOG_CAUSES = 8, ORR_LOG_ASSUMED = 12 };

struct orr_log_ignored { /* a setting of the log that changes nothing here */
    const char *name, *value;
    const char *why;
};

struct orr_log_check {
    const struct orr_log *log;
    uint32_t communicator;            /* of the log: which is compared; UINT32_MAX: the log names none */
    struct orr_query query;           /* under which it was predicted */
    bool release_named;               /* the log names its release */
    bool release_exact;               /* and it is the one predicted for */
    const char *release_text;         /* as printed, "" if no line names it */
    bool ranks_renumbered;            /* the dump's GPUs were given the log's ranks */
    const int32_t *place_of;          /* [rank of the log]: the predicted rank, which counts host by host */
    const int32_t *rank_at;           /* the other way round; both NULL if the log counts host by host too */
    uint32_t placed_hosts;            /* for this many hosts; 0 if both are NULL */
    const struct orr_fabric *fabrics; /* [query.hosts]: what each host's GPUs report, where hosts share an NVLink
                                         domain; NULL if the prediction is for equal hosts without one */
    const uint32_t *host_of_rank; /* with fabrics: [rank of the log], if it does not count host by host; else NULL */
    const char *note;             /* what could not be matched, "" where all could */
    const char *assumed[ORR_LOG_ASSUMED]; /* about the machine: a sentence each, without a stop */
    uint32_t assumed_count;
    bool nics_of_log;        /* the NICs are those that the log lists, so NCCL_IB_HCA has had its effect */
    bool machine_implied;    /* the machine is a type that the log's lines imply; nobody gave one */
    bool made_up;            /* bus ids of switches and NICs are made up: what the log says of them is not compared */
    const char *undecidable; /* why the algorithms that NCCL chose cannot be predicted; NULL if they can */
    struct orr_log_fact *facts; /* by topic, each once; what differs first within a topic */
    uint32_t fact_count;
    struct {
        uint32_t agree, differ, not_predicted;
    } topics[ORR_LOG_TOPIC_COUNT];
    uint32_t agree, differ;
    uint32_t first;                              /* the first fact that differs; UINT32_MAX: none */
    struct orr_log_cause causes[ORR_LOG_CAUSES]; /* likeliest first */
    uint32_t cause_count;
    uint32_t shown_count; /* the first of them, which the log itself shows */
    struct orr_log_ignored *ignored;
    uint32_t ignored_count;
    uint32_t applied_count;              /* settings of the log that the prediction was given */
    const struct orr_log_survey *survey; /* of every communicator (survey.h); NULL if not made */
    struct orr_analysis *analysis;       /* the prediction; owned: orr_analysis_again_free() */
    struct orr_dump *dump;               /* which it was made for; NULL means the caller's */
    struct orr_dump *edited;             /* what `dump` was made of, or what is predicted; NULL if there is nothing */
    struct orr_dump *renumbered;         /* the same with other numbers of NICs; NULL if there is nothing */
    struct orr_arena *arena;             /* owns the rest */
};

struct orr_log_question {
    const struct orr_release *release; /* NULL means the log's, or the nearest emulated; if it names none, the one
                                          that agrees best */
    uint32_t hosts;                    /* 0 means as the log says */
    uint32_t communicator;             /* UINT32_MAX: the one with the most ranks */
    const struct orr_settings *given;  /* those of the user, over the log's; NULL if there is none */
    const char *const *assumed;        /* how the machine was chosen: come first in the check's `assumed` */
    uint32_t assumed_count;
    bool without_causes; /* of what differs */
};

/* Compares a prediction for the dump with the log. Both must live as long as the check. Fails as orr_analyze() does;
 * NOT_FOUND if the dump is too small for the log's host. */
enum orr_code orr_log_compare(const struct orr_log *log, const struct orr_dump *dump,
                              const struct orr_log_question *question, struct orr_log_check **ret_check,
                              struct orr_error *err) ORR_NO_DISCARD;
void orr_log_check_free(struct orr_log_check *check);

/* What the lines of a communicator show, and those about networks and refusals of the whole log: bits of
 * enum orr_shows. */
unsigned orr_log_shown(const struct orr_log *log, uint32_t communicator);

const char *orr_log_topic_name(enum orr_log_topic topic);
/* What to set NCCL_DEBUG_SUBSYS to for lines about it. */
const char *orr_log_topic_subsystem(enum orr_log_topic topic);

#endif
