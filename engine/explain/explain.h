/* SPDX-License-Identifier: Apache-2.0 */
/* Explains one decision: the answer in plain sentences, then the evidence. The evidence is the rule, the compared
 * values with their origins, the limiting link, the assumptions, and the settings that would change the decision. Their
 * effects are computed: the machine is analysed again with each setting that affects the decision, and the two results
 * are compared.
 *
 * Each kind of decision is a row of a table (kinds.c), and so is each setting to try (candidates.c). */
#ifndef ORR_EXPLAIN_EXPLAIN_H
#define ORR_EXPLAIN_EXPLAIN_H

#include "engine/analysis/analysis.h"
#include "engine/base/local.h"
#include "engine/device/kernels.h"
#include "engine/explain/what_ifs.h"

/* X(symbol, name): ORDER as people ask, from a pair of devices to a collective. */
#define ORR_WHY_MAP(X)                                                                                                 \
    X(PATH, "path")                                                                                                    \
    X(P2P, "p2p")                                                                                                      \
    X(GDR, "gdr")                                                                                                      \
    X(NIC, "nic")                                                                                                      \
    X(PXN, "pxn")                                                                                                      \
    X(GRAPH, "graph")                                                                                                  \
    X(TREE, "tree")                                                                                                    \
    X(CHANNELS, "channels")                                                                                            \
    X(NVLS, "nvls")                                                                                                    \
    X(ALGORITHM, "algorithm")                                                                                          \
    X(SYMMETRIC, "symmetric")                                                                                          \
    X(LSA, "lsa")                                                                                                      \
    X(MULTIMEM, "multimem")                                                                                            \
    X(GIN, "gin")                                                                                                      \
    X(CE, "ce")                                                                                                        \
    X(REGISTRATION, "registration")

enum orr_why_kind {
#define X(symbol, name) ORR_WHY_##symbol,
    ORR_WHY_MAP(X)
#undef X
        ORR_WHY_COUNT
};

/* The parts of the question that a kind requires: bits. */
enum orr_why_need {
    ORR_NEEDS_FROM = 1,
    ORR_NEEDS_TO = 2,
    ORR_NEEDS_GRAPH = 4,
    ORR_NEEDS_CHANNEL = 8,
    ORR_NEEDS_COLLECTIVE = 16 /* with its size in bytes */
};

/* The question. from and to are devices: "GPU/0-1b000", "NET/0-2", "rank:3", "3" (a rank), a bus id. */
struct orr_why {
    enum orr_why_kind kind;
    const char *from, *to;
    enum orr_graph_kind graph;
    int32_t channel;
    enum orr_function function;
    uint64_t bytes;
    enum orr_data_type type; /* of the elements */
};

/* Where a value comes from. X(symbol, name) */
#define ORR_ORIGIN_MAP(X)                                                                                              \
    X(COMPUTED, "computed")                                                                                            \
    X(DUMP, "dump")                 /* measured in the dump, or computed only from measured values */                  \
    X(ASSUMED, "assumed")           /* not in the input: a reader of engine/input assumed it */                        \
    X(PART_ASSUMED, "part-assumed") /* computed from values of which some are assumed */                               \
    X(DEFAULT, "default")           /* default of a setting in the release */                                          \
    X(SETTING, "setting")           /* a setting that the user gave */                                                 \
    X(RELEASE, "release")

enum orr_origin {
#define X(symbol, name) ORR_FROM_##symbol,
    ORR_ORIGIN_MAP(X)
#undef X
        ORR_ORIGIN_COUNT
};
/* A list of words (engine/base/words.h): the names of the origins. */
const char *orr_origin_name(size_t origin);

struct orr_from {
    enum orr_origin origin;
    const char *text; /* "measured in the dump", "default of NCCL_P2P_LEVEL in NCCL 2.30.7"; NULL if computed */
};

struct orr_compared {
    const char *name, *unit; /* unit NULL if there is none */
    const char *text;        /* the value as text; NULL if it is the number */
    double number;
    struct orr_from from;
    bool internal; /* figures of the search and the like: for maintainers of Orrery */
};

/* A field of the release's row that the rule reads. */
struct orr_rests {
    const char *name, *sentence, *value; /* as in GET /v1/releases */
    const char *since;                   /* the oldest emulated release from which on it has that value */
};

/* ids of the link's ends, as on drawings; `from` is empty if no link limits */
struct orr_limit {
    char from[ORR_NODE_ID_SIZE], to[ORR_NODE_ID_SIZE];
    const char *from_words, *to_words; /* the same for sentences, which mark ids that are made up */
    const char *type, *text;           /* "PCI"; a sentence */
    float bw, used;                    /* GB/s; used 0 if not counted */
};

enum { ORR_MOST_COMPARED = 40, ORR_MOST_RESTS = 6, ORR_MOST_INPUTS = 32 };

struct orr_explanation {
    enum orr_why_kind kind;
    const struct orr_release *release;
    uint32_t nearest_to;            /* number of the release that was asked for and is not emulated; 0 if it is */
    const char *question, *verdict; /* verdict: a few words; two verdicts are equal exactly if the decisions are */
    const char *answer;             /* two or three plain sentences: the decision, why, and what is assumed */
    const char *rule_id, *rule;     /* stable word, sentence */
    struct orr_compared compared[ORR_MOST_COMPARED];
    uint32_t compared_count;
    struct orr_rests rests[ORR_MOST_RESTS];
    uint32_t rests_count;
    /* For a pair: what the hardware gives, and what rules make of it. Types are NULL for other decisions. */
    const char *physical_type, *effective_type, *distance; /* distance: a sentence about both */
    float physical_bw, effective_bw;
    struct orr_limit limit;
    unsigned assumes;                 /* bits: assumptions (assumptions.h) that the answer rests on */
    const struct orr_assumed *inputs; /* assumptions about the input, from the notes of the analysis's dump */
    uint32_t rests_on_inputs[ORR_MOST_INPUTS], rests_on_count; /* indices of the inputs on which the answer rests */
    const char *advice; /* a tried setting that helps, or another remedy; NULL if there is neither */
    struct orr_what_if what_ifs[ORR_MOST_WHAT_IFS];
    uint32_t what_if_count, not_tried; /* not_tried: candidates beyond the effort allowed */
    struct orr_arena *arena;           /* owns all of it, this structure included */
};

/* The default allowance for trying settings. */
struct orr_effort orr_explain_effort(const struct orr_analysis *analysis);

/* Explains one decision of an analysis, which must outlive the explanation. With most.analyses 0 no setting is tried,
 * and there is no advice about settings and no list of the behaviours of the release on which the rule depends.
 * NOT_FOUND, with advice, if there is no such device or decision; SETTING if the question lacks something. The caller
 * frees it with orr_explanation_free(). */
enum orr_code orr_explain(const struct orr_analysis *analysis, const struct orr_why *why, struct orr_effort most,
                          struct orr_explanation **ret_explanation, struct orr_error *err) ORR_NO_DISCARD;
void orr_explanation_free(struct orr_explanation *explanation);
ORR_FREED_BY(orr_explanation, orr_explanation_free)

/* The row of a kind, for help: its name, its question, and what it requires. */
struct orr_why_info {
    const char *name, *asks; /* "p2p"; "Can a GPU use P2P with another GPU?" */
    unsigned needs;          /* enum orr_why_need */
};
void orr_why_info(enum orr_why_kind kind, struct orr_why_info *ret_info);
/* A list of words (engine/base/words.h): the names of the kinds. */
const char *orr_why_name(size_t kind);

/* The part of an analysis that contains a device, and its node there. parameter: the parameter that named it, for the
 * error. */
enum orr_code orr_device_find(const struct orr_analysis *analysis, const char *text, const char *parameter,
                              const struct orr_part **ret_part, uint32_t *ret_node,
                              struct orr_error *err) ORR_NO_DISCARD;

#endif
