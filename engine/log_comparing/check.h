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

/* Topics of facts, in the order in which NCCL computes them. X(symbol, name, value of NCCL_DEBUG_SUBSYS that prints
 * them) */
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
    struct orr_log_value logged, predicted; /* predicted: the reason if there is no prediction */
    uint32_t line, times;                   /* first line of the log with the fact; number of such lines */
    char nodes[2][ORR_NODE_ID_SIZE];        /* nodes to show on the drawing; empty if there are none */
    int32_t gpu_nic;                        /* number of the NIC if the fact is about a GPU and a NIC; -1 otherwise */
};

enum { ORR_LOG_CAUSE_LINES = 3 };
struct orr_log_cause {
    const char *id;                      /* stable word: "other-release", "setting", "hardware" ... */
    const char *what;                    /* "NCCL_P2P_DISABLE=1" */
    const char *why;                     /* a sentence */
    const char *advice;                  /* what to do */
    bool tested;                         /* a prediction with it was compared */
    uint32_t left;                       /* differences that remain with it */
    uint32_t lines[ORR_LOG_CAUSE_LINES]; /* lines of the log that support it */
    uint32_t line_count;
};
enum { ORR_LOG_CAUSES = 8, ORR_LOG_ASSUMED = 12 };

struct orr_log_ignored { /* a setting of the log that has no effect here */
    const char *name, *value;
    const char *why;
};

struct orr_log_check {
    const struct orr_log *log;
    uint32_t communicator;            /* the compared communicator of the log; UINT32_MAX if the log names none */
    struct orr_query query;           /* question of the prediction */
    bool release_named;               /* the log names its release */
    bool release_exact;               /* the prediction is for exactly that release */
    const char *release_text;         /* as printed, "" if no line names it */
    bool ranks_renumbered;            /* the dump's GPUs were given the log's ranks */
    const int32_t *place_of;          /* [rank of the log]: the predicted rank, which counts host by host */
    const int32_t *rank_at;           /* the reverse; both are NULL if the log also counts host by host */
    uint32_t placed_hosts;            /* number of hosts that these cover; 0 if both are NULL */
    const struct orr_fabric *fabrics; /* [query.hosts]: fabric of each host's GPUs if hosts share an NVLink domain; NULL
                                       * if the prediction is for equal hosts without one */
    const uint32_t *host_of_rank; /* with fabrics: [rank of the log], if it does not count host by host; else NULL */
    const char *note;             /* what could not be matched; "" if everything was */
    const char *assumed[ORR_LOG_ASSUMED]; /* assumptions about the machine: sentences without a full stop */
    uint32_t assumed_count;
    bool nics_of_log;           /* the NICs are those that the log lists, so NCCL_IB_HCA has had its effect */
    bool machine_implied;       /* the log's lines imply the machine's type; nobody gave a machine */
    bool made_up;               /* bus ids of switches and NICs are made up, so the log's lines about them are not
                                 * compared */
    const char *undecidable;    /* why the algorithms that NCCL chose cannot be predicted; NULL if they can */
    struct orr_log_fact *facts; /* by topic, each fact once; within a topic, differences come first */
    uint32_t fact_count;
    struct {
        uint32_t agree, differ, not_predicted;
    } topics[ORR_LOG_TOPIC_COUNT];
    uint32_t agree, differ;
    uint32_t first;                              /* the first fact that differs; UINT32_MAX if there is none */
    struct orr_log_cause causes[ORR_LOG_CAUSES]; /* likeliest first */
    uint32_t cause_count;
    uint32_t shown_count; /* how many of the first ones the log itself shows */
    struct orr_log_ignored *ignored;
    uint32_t ignored_count;
    uint32_t applied_count;              /* number of the log's settings that the prediction uses */
    const struct orr_log_survey *survey; /* of every communicator (survey.h); NULL if not made */
    struct orr_analysis *analysis;       /* the prediction; owned: orr_analysis_again_free() */
    struct orr_dump *dump;               /* dump of the prediction; NULL means the caller's */
    struct orr_dump *edited;             /* an edited copy from which `dump` was made, or which is predicted; NULL if
                                          * there is none */
    struct orr_dump *renumbered;         /* the same with other NIC numbers; NULL if there is none */
    struct orr_arena *arena;             /* owns the rest */
};

struct orr_log_question {
    const struct orr_release *release; /* NULL means the log's, or the nearest emulated; if it names none, the one
                                          that agrees best */
    uint32_t hosts;                    /* 0 means as the log says */
    uint32_t communicator;             /* UINT32_MAX: the one with the most ranks */
    const struct orr_settings *given;  /* the user's settings, which override the log's; NULL if there are none */
    const char *const *assumed;        /* how the machine was chosen; these come first in the check's `assumed` */
    uint32_t assumed_count;
    bool without_causes; /* of what differs */
};

/* Compares a prediction for the dump with the log. Both must outlive the check. Errors are those of orr_analyze(), and
 * NOT_FOUND if the dump is too small for the log's host. */
enum orr_code orr_log_compare(const struct orr_log *log, const struct orr_dump *dump,
                              const struct orr_log_question *question, struct orr_log_check **ret_check,
                              struct orr_error *err) ORR_NO_DISCARD;
void orr_log_check_free(struct orr_log_check *check);

/* Facts that the lines of a communicator show, and lines of the whole log about networks and refusals: bits of enum
 * orr_shows. */
unsigned orr_log_shown(const struct orr_log *log, uint32_t communicator);

const char *orr_log_topic_name(enum orr_log_topic topic);
/* The value of NCCL_DEBUG_SUBSYS that prints lines about the topic. */
const char *orr_log_topic_subsystem(enum orr_log_topic topic);

#endif
