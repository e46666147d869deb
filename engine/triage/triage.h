/* SPDX-License-Identifier: Apache-2.0 */
/* Answers the first questions of a support engineer about a log: did the job work, what went wrong, what ran, and did
 * NCCL choose the predicted algorithms? README.md beside this file. */
#ifndef ORR_TRIAGE_TRIAGE_H
#define ORR_TRIAGE_TRIAGE_H

#include "engine/log_comparing/check.h"
#include "engine/symptoms/symptoms.h"

/* X(symbol, word) */
#define ORR_TRIAGE_VERDICT_MAP(X)                                                                                      \
    X(FAILED, "failed")                                                                                                \
    X(HUNG, "hung")             /* ranks waited for one another until a time limit */                                  \
    X(INCOMPLETE, "incomplete") /* the initialisation of some ranks, or nccl-tests, did not end */                     \
    X(WARNED, "worked with warnings")                                                                                  \
    X(WORKED, "worked")                                                                                                \
    X(UNKNOWN, "cannot tell")

enum orr_triage_verdict {
#define X(symbol, word) ORR_TRIAGE_##symbol,
    ORR_TRIAGE_VERDICT_MAP(X)
#undef X
};

/* A value that the log names, and the hosts that named it. */
struct orr_ran_value {
    const char *value;
    const char **hosts;
    uint32_t host_count; /* 0 if no line names the host */
    uint32_t line;       /* the first */
};
/* X(symbol, word, what it is for people) */
#define ORR_RAN_MAP(X)                                                                                                 \
    X(RELEASE, "release", "Release")                                                                                   \
    X(DRIVER, "driver", "CUDA driver")                                                                                 \
    X(NETWORK, "network", "Network")                                                                                   \
    X(PLUGIN, "plugin", "Network plugin")                                                                              \
    X(PROVIDER, "provider", "libfabric provider")                                                                      \
    X(TUNER, "tuner", "Tuner plugin")                                                                                  \
    X(TOPO_FILE, "topo_file", "Topology file")

enum orr_ran_what {
#define X(symbol, word, text) ORR_RAN_##symbol,
    ORR_RAN_MAP(X)
#undef X
        ORR_RAN_COUNT
};

/* A setting that lines of the log name. */
struct orr_ran_setting {
    const char *name;
    struct orr_ran_value *values; /* several where hosts or lines differ */
    uint32_t value_count;
    const char *effect;  /* what the setting does, a sentence; NULL if Orrery does not know it */
    const char *ignored; /* why NCCL ignored it; NULL if it did not, as far as the log shows */
};

struct orr_ran {
    struct orr_ran_setting *settings;
    uint32_t setting_count;
    struct orr_ran_value *values[ORR_RAN_COUNT];
    uint32_t counts[ORR_RAN_COUNT];
    const char *network;             /* "InfiniBand", "RoCE", "EFA", "sockets" ...; NULL if unknown */
    uint32_t p2p, shm, net, collnet; /* connections in the log */
    uint32_t net_gdr, net_pxn;       /* of those over the network: with GPUDirect RDMA, through another rank's NIC */
    uint32_t gdr_off;                /* NICs or pairs for which the log says that GPUDirect RDMA is off */
    int32_t nvls;                    /* multicast support: 1 yes, 0 no, -1 unknown */
    int32_t coll_channels, nvls_channels, p2p_channels; /* -1 if unknown */
    bool ib_unused;                                     /* sockets, although the hosts have InfiniBand or RoCE NICs */
    const char *ib_evidence;                            /* how the log or the dump shows these NICs; NULL */
};

/* Sizes for which NCCL made the same choice and the prediction is the same. */
struct orr_triage_choice {
    const char *function;
    uint64_t from, to; /* bytes as printed: the smallest and the largest size of the log in this row */
    uint32_t sizes, lines;
    const char *logged, *predicted;       /* "Ring Simple"; predicted NULL if not compared */
    int32_t channels, predicted_channels; /* at the largest size; -1 if unknown */
    bool agrees;
    uint32_t line; /* the first */
};

/* Ranks of a communicator with the same last collective. */
struct orr_triage_call {
    const char *function;
    uint64_t op_count; /* NCCL's number of the operation; printed in hex, as NCCL does */
    uint32_t communicator;
    const int32_t *ranks; /* ascending */
    uint32_t rank_count;
    uint32_t line; /* the first of their lines */
};

struct orr_triage {
    enum orr_triage_verdict verdict;
    const char *sentences[14]; /* one or more; the verdict first, then causes */
    uint32_t sentence_count;
    struct orr_symptoms symptoms;
    uint32_t cause;            /* the event to look at first; UINT32_MAX: none */
    uint32_t errors, warnings; /* events that are not notes */
    uint32_t noise;            /* those of them that come after the job had finished */
    uint32_t finished;         /* line that shows it; 0 if none does */
    const char *finished_how;  /* "its communicators were destroyed"; NULL if finished is 0 */
    const int32_t *missing;    /* ranks that lag or did not finish initialisation, ascending */
    uint32_t missing_count;
    bool all_waited;           /* every rank reports that it waited in the same work */
    bool ended_on_some;        /* the missing ranks do not end the communicator, and others do */
    const char *missing_why;   /* a phrase; NULL if none are missing */
    const char *missing_check; /* how to find out more, and what to do, if lines show that calls differ; NULL */
    const char *sides; /* a sentence about ranks that called different collectives, none of them most ranks; NULL */
    struct orr_triage_call *last_calls; /* where the job did not end and its ranks differ in them; the lowest first */
    uint32_t last_call_count;
    struct orr_ran ran;
    struct orr_triage_choice *choices;
    uint32_t choice_count;
    uint32_t choice_agree, choice_differ, choice_not_compared; /* sizes of the log */
    const char *choice_why; /* why choices differ, with evidence; NULL if none differs, or it is unknown */
};

/* check NULL if nothing was predicted. All memory is from arena; log and check must live as long. */
enum orr_code orr_triage_make(const struct orr_log *log, const struct orr_log_check *check, struct orr_arena *arena,
                              struct orr_triage *ret_triage, struct orr_error *err) ORR_NO_DISCARD;

const char *orr_triage_word(enum orr_triage_verdict verdict);
const char *orr_ran_word(enum orr_ran_what what);
const char *orr_ran_text(enum orr_ran_what what);
/* "note", "warning" or "error"; a warning that no row has is a warning. Whether it ends the job: "no", "maybe", "yes".
 */
const char *orr_event_severity(const struct orr_log_event *event);
const char *orr_event_ends(const struct orr_log_event *event);
/* "0-7,12", at most about 20 ranges, then "and 40 more". Memory from arena; NULL if memory runs out. */
const char *orr_ranks_text(const int32_t *ranks, uint32_t count, struct orr_arena *arena);

#endif
