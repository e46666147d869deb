/* SPDX-License-Identifier: Apache-2.0 */
/* The parameters of requests and commands, read from text into one structure. questions.def has a row for each; a
 * route or a command accepts the parameters of some topics. */
#ifndef ORR_API_QUESTIONS_H
#define ORR_API_QUESTIONS_H

#include "engine/analysis/analysis.h"
#include "engine/base/arena.h"
#include "engine/base/words.h"
#include "engine/diagram/diagram.h"
#include "engine/expect/table.h"
#include "engine/explain/explain.h"
#include "engine/exports/exports.h"
#include "engine/gate/gate.h"
#include "engine/input/input.h"
#include "engine/log_comparing/check.h"
#include "engine/machines/machine_types.h"
#include "engine/order/order.h"
#include "engine/perf/perf.h"
#include "engine/place/place.h"

/* A topic groups parameters that belong together. A route or a command accepts topics, and a row of questions.def
 * names the topics of its parameter. */
enum orr_topic {
    ORR_TOPIC_END,
    ORR_TOPIC_RELEASE,
    ORR_TOPIC_READING, /* how an input is read: every reader of a dump applies these, and they are part of its cache key
                        */
    ORR_TOPIC_MACHINE, /* a machine type in place of an input */
    ORR_TOPIC_JOB,     /* what the predicted job uses */
    ORR_TOPIC_NICS,    /* the same */
    ORR_TOPIC_DEVICE,  /* features that its kernels may use */
    ORR_TOPIC_STRICT,
    ORR_TOPIC_RANKS,    /* which host of a cluster has which ranks */
    ORR_TOPIC_HOSTS,    /* the number of hosts of an analysis */
    ORR_TOPIC_COMPARED, /* the same of machines that are compared */
    ORR_TOPIC_REPAIR,   /* repairs made before the machine is analysed */
    ORR_TOPIC_PLAN,     /* the same without rings and trees */
    ORR_TOPIC_AGAINST,
    ORR_TOPIC_SCALING, /* the bandwidths on 1, 2, 4 ... hosts */
    ORR_TOPIC_SHOWN,   /* the numbers of hosts of a report */
    ORR_TOPIC_SECTION,
    ORR_TOPIC_ENDS, /* of a path */
    ORR_TOPIC_WHY,
    ORR_TOPIC_PREDICT,
    ORR_TOPIC_PLACE,
    ORR_TOPIC_SCORED, /* parameters of scores of sets of GPUs, besides the query */
    ORR_TOPIC_DRAWING,
    ORR_TOPIC_RENDER,
    ORR_TOPIC_SCHEDULE,
    ORR_TOPIC_LAYOUT,
    ORR_TOPIC_GROUP, /* one group of a layout */
    ORR_TOPIC_ORDER,
    ORR_TOPIC_FACTS,
    ORR_TOPIC_GATE,
    ORR_TOPIC_LOG,
    ORR_TOPIC_PERF,
    ORR_TOPIC_VM,
    ORR_TOPIC_RECORD, /* name and labels of a stored topology */
    ORR_TOPIC_PAGE,   /* of a list */
    ORR_TOPIC_EVENTS,
    ORR_TOPIC_FLEET,    /* groups of hosts */
    ORR_TOPIC_SEARCH,   /* stored topologies by a text */
    ORR_TOPIC_LABELLED, /* by labels */
    ORR_TOPIC_PAIR,     /* two of them */
    ORR_TOPIC_SET       /* by their ids */
};

/* Topics, ended by ORR_TOPIC_END. */
typedef const unsigned char *orr_topics;
#define ORR_TOPICS(...) ((const unsigned char[]){__VA_ARGS__, ORR_TOPIC_END})

/* Topics that are accepted together. */
#define ORR_TOPICS_CLUSTER  ORR_TOPIC_RELEASE, ORR_TOPIC_JOB, ORR_TOPIC_NICS, ORR_TOPIC_STRICT
#define ORR_TOPICS_ANALYSIS ORR_TOPICS_CLUSTER, ORR_TOPIC_HOSTS, ORR_TOPIC_READING, ORR_TOPIC_DEVICE
#define ORR_TOPICS_COMPARED ORR_TOPICS_CLUSTER, ORR_TOPIC_COMPARED, ORR_TOPIC_READING, ORR_TOPIC_DEVICE
#define ORR_TOPICS_REPAIRED ORR_TOPICS_ANALYSIS, ORR_TOPIC_REPAIR
#define ORR_TOPICS_PLAN     ORR_TOPICS_CLUSTER, ORR_TOPIC_PLAN, ORR_TOPIC_READING
#define ORR_TOPICS_PREDICT  ORR_TOPICS_PLAN, ORR_TOPIC_PREDICT
#define ORR_TOPICS_PLACE    ORR_TOPIC_RELEASE, ORR_TOPIC_READING, ORR_TOPIC_JOB, ORR_TOPIC_STRICT, ORR_TOPIC_PLACE
#define ORR_TOPICS_GATE     ORR_TOPICS_CLUSTER, ORR_TOPIC_READING, ORR_TOPIC_GATE
#define ORR_TOPICS_LOG      ORR_TOPIC_RELEASE, ORR_TOPIC_JOB, ORR_TOPIC_NICS, ORR_TOPIC_READING, ORR_TOPIC_LOG
#define ORR_TOPICS_PERF     ORR_TOPIC_RELEASE, ORR_TOPIC_JOB, ORR_TOPIC_NICS, ORR_TOPIC_READING, ORR_TOPIC_PERF

/* A parameter by its name, independent of its limits in a topic. */
enum orr_ask {
#define ORR_ASK(symbol, ...) ORR_ASK_##symbol,
#define ORR_ASK_AT           ORR_ASK
#define ORR_VARIANT(...)
#define ORR_VARIANT_AT(...)
#include "api/questions/questions.def"
    ORR_ASK_COUNT
};

/* A group of hosts compared by bandwidth with the reference group. */
enum orr_fleet_verdict { ORR_FLEET_ALIKE, ORR_FLEET_SLOWER, ORR_FLEET_FASTER, ORR_FLEET_UNKNOWN };
const char *orr_fleet_verdict_name(size_t i); /* NULL if there are no more */

enum orr_ask_kind {
    ORR_KIND_FLAG,    /* bool; 0 or 1 in requests */
    ORR_KIND_NUMBER,  /* uint32_t */
    ORR_KIND_BYTES,   /* uint64_t: 1048576, 64k, 1M, 2G, up to 1T */
    ORR_KIND_TEXT,    /* const char *, borrowed; NULL if not given, or empty if its length is limited */
    ORR_KIND_WORD,    /* unsigned: the index in the row's words */
    ORR_KIND_LIST,    /* struct orr_texts; may be given several times */
    ORR_KIND_GRAPH,   /* unsigned: enum orr_graph_kind; the release names graphs */
    ORR_KIND_MACHINE, /* const struct orr_machine_type *, NULL if not given */
    ORR_KIND_RELEASE, /* const struct orr_release *, read before all others */
    ORR_KIND_SETTING, /* struct orr_settings; may be given several times */
    ORR_KIND_HOSTS,   /* struct orr_host_list: 8, or 1,2,4; query.hosts is the largest */
    ORR_KIND_LABEL    /* struct orr_label, counted by label_count; may be given several times */
};

enum { ORR_ROW_TOPICS = 4 };
struct orr_question_row {
    const char *name;
    const char *option; /* its name as an option of commands; NULL means `name` */
    const char *value;  /* name of the value in --help; NULL means a FLAG */
    const char *help, *fallback;
    const char *more, *example, *pattern; /* for openapi.yaml; NULL if there is none */
    orr_words *words;                     /* NULL if any text, or a kind that has its own list */
    size_t at;                            /* of the member in struct orr_params */
    uint32_t least, most;
    enum orr_ask ask;
    enum orr_ask_kind kind;
    bool required;                        /* in requests */
    unsigned char topics[ORR_ROW_TOPICS]; /* ORR_TOPIC_END fills the rest */
};
enum {
    ORR_QUESTION_ROWS = 0
#define ORR_ASK(...)   +1
#define ORR_VARIANT    ORR_ASK
#define ORR_ASK_AT     ORR_ASK
#define ORR_VARIANT_AT ORR_ASK
#include "api/questions/questions.def"
};
extern const struct orr_question_row orr_questions[ORR_QUESTION_ROWS];

enum {
    ORR_MAX_TEXTS = 120, /* items of a LIST */
    ORR_MAX_LABELS = 32,
    ORR_MAX_FILTER_LABELS = 4,
    ORR_MAX_LABEL_NAME = 64,
    ORR_MAX_LABEL_VALUE = 256,
    ORR_MAX_NAME = 200,
    ORR_MOST_HOST_NUMBERS = 16
};

struct orr_host_list {
    uint32_t hosts[ORR_MOST_HOST_NUMBERS], count;
};

struct orr_texts {
    const char *items[ORR_MAX_TEXTS];
    uint32_t count;
};

struct orr_label {
    const char *name; /* not terminated */
    size_t name_length;
    const char *value;
};

/* The values of all parameters. Texts are borrowed. */
struct orr_params {
    bool given[ORR_ASK_COUNT]; /* parameters that were given; the others have their defaults */
    struct orr_query query;
    struct orr_label labels[ORR_MAX_LABELS];
    uint32_t label_count;
#define ORR_MEMBER_FLAG(member)            bool member
#define ORR_MEMBER_NUMBER(member)          uint32_t member
#define ORR_MEMBER_BYTES(member)           uint64_t member
#define ORR_MEMBER_TEXT(member)            const char *member
#define ORR_MEMBER_WORD(member)            unsigned member
#define ORR_MEMBER_LIST(member)            struct orr_texts member
#define ORR_MEMBER_HOSTS(member)           struct orr_host_list member
#define ORR_MEMBER_GRAPH(member)           unsigned member
#define ORR_MEMBER_MACHINE(member)         const struct orr_machine_type *member
#define ORR_ASK(symbol, member, kind, ...) ORR_MEMBER_##kind(member);
#define ORR_VARIANT                        ORR_ASK
#define ORR_ASK_AT(...)
#define ORR_VARIANT_AT(...)
#include "api/questions/questions.def"
};

static inline bool orr_given(const struct orr_params *params, enum orr_ask ask)
{
    return params->given[ask];
}

/* Sets the defaults of all accepted parameters, and the release (NULL if not given). SETTING for an unknown release,
 * unless the nearest is allowed. */
enum orr_code orr_params_init(struct orr_params *params, orr_topics accepted, const char *release, bool nearest,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Reads one value. setting: the name of the NCCL setting, if the row is that of settings. SETTING, with the name of
 * the parameter as the place, for an invalid value. */
enum orr_code orr_params_set(struct orr_params *params, const struct orr_question_row *row, const char *setting,
                             const char *value, struct orr_error *err) ORR_NO_DISCARD;
/* Whether the row belongs to one of the topics. */
bool orr_question_in(const struct orr_question_row *row, orr_topics topics);
/* The row with that name in the topics; NULL if there is none. */
const struct orr_question_row *orr_question_find(orr_topics topics, const char *name, size_t length);
/* Whether one of the topics has the parameter. */
bool orr_topics_have(orr_topics topics, enum orr_ask ask);
static inline bool orr_question_repeats(const struct orr_question_row *row)
{
    enum orr_ask_kind kind = row->kind;
    return kind == ORR_KIND_LIST || kind == ORR_KIND_SETTING || kind == ORR_KIND_LABEL;
}

enum orr_code orr_read_number(const char *name, const char *text, uint32_t least, uint32_t most, uint32_t *ret_number,
                              struct orr_error *err) ORR_NO_DISCARD;

/* Lists of words, NULL beyond the last: the sections of an analysis in the order of the document. */
const char *orr_section_name(size_t i);
/* The programs of nccl-tests that can be predicted: a list of words, NULL beyond the last. */
const char *orr_predicted_word(size_t i);
/* Reports a value that is not one of the words. */
enum orr_code orr_not_a_word(const char *name, const char *value, orr_words *words, struct orr_error *err);

/* asked.c: make the questions of the engine from the parameters. SETTING if a parameter is missing. */
struct orr_input_options orr_params_input(const struct orr_params *params); /* how to read a machine; without limits */
enum orr_code orr_params_drawing(const struct orr_params *params, struct orr_diagram_request *ret_request,
                                 struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_params_why(const struct orr_params *params, struct orr_why *ret_why,
                             struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_params_predict(const struct orr_params *params, enum orr_test *ret_test,
                                 struct orr_expect_sizes *ret_sizes, struct orr_error *err) ORR_NO_DISCARD;
/* The question by which sets of GPUs are scored; and the request, once there are scores. */
enum orr_code orr_params_scored(const struct orr_params *params, struct orr_score_question *ret_question,
                                struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_params_place(const struct orr_params *params, const struct orr_scores *scores,
                               struct orr_place_request *ret_request, struct orr_error *err) ORR_NO_DISCARD;
/* Without the cluster. */
enum orr_code orr_params_order(const struct orr_params *params, struct orr_order_question *ret_question,
                               struct orr_error *err) ORR_NO_DISCARD;
/* Without the node and the expectation. */
enum orr_code orr_params_gate(const struct orr_params *params, struct orr_gate_request *ret_request,
                              struct orr_error *err) ORR_NO_DISCARD;
struct orr_log_question orr_params_log(const struct orr_params *params);
/* Without the machine. */
enum orr_code orr_params_perf(const struct orr_params *params, struct orr_perf_question *ret_question,
                              struct orr_error *err) ORR_NO_DISCARD;
/* The other side of a comparison: the same question with the changes in `against`, each a release ("2.21.5") or a
 * setting ("NCCL_CROSS_NIC=1"; "NCCL_CROSS_NIC=" takes its default). */
enum orr_code orr_against_read(const struct orr_query *question, const struct orr_texts *against,
                               struct orr_query *ret_other, struct orr_error *err) ORR_NO_DISCARD;

/* Appends the cache key of an analysis: equal questions have equal text. */
void orr_query_key(const struct orr_query *query, struct orr_text *text);
/* Appends the cache key of the other parameters of the topics. */
void orr_params_key(const struct orr_params *params, orr_topics topics, struct orr_text *text);

#endif
