/* What requests and commands can ask, read from text into one structure. The parameters are in questions.def, a row
 * each; what a route or a command takes is a set of them. */
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

enum orr_ask {
#define ASK(symbol, ...)    ORR_ASK_##symbol,
#define ASK_AT(symbol, ...) ORR_ASK_##symbol,
#include "api/questions/questions.def"
#undef ASK
#undef ASK_AT
    ORR_ASK_COUNT
};

/* A set of parameters: a bit each. */
typedef uint64_t orr_asks;
_Static_assert(ORR_ASK_COUNT <= 64, "a set has a bit for each parameter");
#define ORR_P(symbol) (UINT64_C(1) << ORR_ASK_##symbol)

/* How an input is read: whatever reads a dump takes these into account, and caches it under them. */
#define ORR_P_READING  (ORR_P(ASSUME) | ORR_P(ASSUME_NICS))
#define ORR_P_RELEASE  (ORR_P(RELEASE) | ORR_P(NEAREST))
#define ORR_P_JOB      (ORR_P(SETTINGS) | ORR_P(FUSE_NICS) | ORR_P(TUNER) | ORR_P(GPUS) | ORR_P(NICS))
#define ORR_P_CLUSTER  (ORR_P_RELEASE | ORR_P_JOB | ORR_P(STRICT))
#define ORR_P_ANALYSIS (ORR_P_CLUSTER | ORR_P(HOSTS) | ORR_P_READING)
#define ORR_P_PLAN     (ORR_P_CLUSTER | ORR_P(MANY_HOSTS) | ORR_P_READING)
#define ORR_P_LOG      (ORR_P_RELEASE | ORR_P(LOG_HOSTS) | ORR_P_JOB | ORR_P(COMMUNICATOR) | ORR_P_READING)
#define ORR_P_PERF     (ORR_P_RELEASE | ORR_P(RESULT_HOSTS) | ORR_P_JOB | ORR_P(TESTED) | ORR_P_READING)
#define ORR_P_GATE                                                                                                     \
    (ORR_P_CLUSTER | ORR_P_READING | ORR_P(GATE_HOSTS) | ORR_P(EXPECT) | ORR_P(MIN_BUSBW) | ORR_P(ALLOW) | ORR_P(NODE))
#define ORR_P_DRAWING  (ORR_P(VIEW) | ORR_P(CHANNEL) | ORR_P(FROM) | ORR_P(TO) | ORR_P(THEME))
#define ORR_P_SCHEDULE (ORR_P(RANKS) | ORR_P(ROUNDS))
#define ORR_P_WHY                                                                                                      \
    (ORR_P(DECISION) | ORR_P(FROM) | ORR_P(TO) | ORR_P(GRAPH) | ORR_P(CHANNEL) | ORR_P(COLLECTIVE) | ORR_P(BYTES))
#define ORR_P_PREDICT (ORR_P_PLAN | ORR_P(PREDICTED) | ORR_P(SIZES))
#define ORR_P_PLACE                                                                                                    \
    (ORR_P_RELEASE | ORR_P_READING | ORR_P(PREDICTED) | ORR_P(SETTINGS) | ORR_P(FUSE_NICS) | ORR_P(TUNER) |            \
     ORR_P(GPUS) | ORR_P(STRICT) | ORR_P_SCORED | ORR_P(PLACED) | ORR_P(FREE) | ORR_P(COMPARED) | ORR_P(JOBS) |        \
     ORR_P(PACK) | ORR_P(TOP))
/* What scores of sets depend on, beside the query. */
#define ORR_P_SCORED (ORR_P(PLACE_HOSTS) | ORR_P(ORDERS) | ORR_P(PLACE_SIZE) | ORR_P(PLACE_NICS))
#define ORR_P_VM     (ORR_P(VM_GPUS) | ORR_P(VM_NICS))
#define ORR_P_PAGE   (ORR_P(LIMIT) | ORR_P(CURSOR))
#define ORR_P_RECORD (ORR_P(NAME) | ORR_P(LABEL))
#define ORR_P_ORDER  (ORR_P(LAYOUT) | ORR_P(PREDICTED) | ORR_P(PLACE_SIZE) | ORR_P(ORDER_FORMAT))

enum orr_ask_kind {
    ORR_KIND_FLAG,    /* bool; 0 or 1 in requests */
    ORR_KIND_NUMBER,  /* uint32_t */
    ORR_KIND_BYTES,   /* uint64_t: 1048576, 64k, 1M, 2G, up to 1T */
    ORR_KIND_TEXT,    /* const char *, borrowed; NULL: not given, or empty where its length is limited */
    ORR_KIND_WORD,    /* unsigned: the place in the row's words */
    ORR_KIND_LIST,    /* struct orr_texts; may be given several times */
    ORR_KIND_GRAPH,   /* unsigned: enum orr_graph_kind; the release names graphs */
    ORR_KIND_MACHINE, /* const struct orr_machine_type *, NULL: not given */
    ORR_KIND_RELEASE, /* const struct orr_release *, read before all others */
    ORR_KIND_SETTING, /* struct orr_settings; may be given several times */
    ORR_KIND_LABEL    /* struct orr_label, counted by label_count; may be given several times */
};

struct orr_question_row {
    const char *name;
    const char *value; /* what --help calls the value; NULL: a FLAG */
    enum orr_ask_kind kind;
    uint32_t least, most;
    orr_words *words; /* NULL: any text, or a kind that has its own list */
    const char *fallback;
    const char *help;
    size_t at; /* of the member in struct orr_params */
};
extern const struct orr_question_row orr_questions[ORR_ASK_COUNT];

enum {
    ORR_MAX_TEXTS = 120, /* items of a LIST */
    ORR_MAX_LABELS = 32,
    ORR_MAX_FILTER_LABELS = 4,
    ORR_MAX_LABEL_NAME = 64,
    ORR_MAX_LABEL_VALUE = 256,
    ORR_MAX_NAME = 200
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

/* What was asked. Texts are borrowed. */
struct orr_params {
    orr_asks given; /* the others have their defaults */
    struct orr_query query;
    struct orr_label labels[ORR_MAX_LABELS];
    uint32_t label_count;
#define ORR_MEMBER_FLAG(member)        bool member
#define ORR_MEMBER_NUMBER(member)      uint32_t member
#define ORR_MEMBER_BYTES(member)       uint64_t member
#define ORR_MEMBER_TEXT(member)        const char *member
#define ORR_MEMBER_WORD(member)        unsigned member
#define ORR_MEMBER_LIST(member)        struct orr_texts member
#define ORR_MEMBER_GRAPH(member)       unsigned member
#define ORR_MEMBER_MACHINE(member)     const struct orr_machine_type *member
#define ASK(symbol, member, kind, ...) ORR_MEMBER_##kind(member);
#define ASK_AT(...)
#include "api/questions/questions.def"
#undef ASK
#undef ASK_AT
};

static inline bool orr_given(const struct orr_params *params, enum orr_ask ask)
{
    return params->given >> ask & 1;
}

/* Sets the defaults of all that is accepted, and the release: NULL where none is given. SETTING for an unknown one,
 * unless the nearest will do. */
enum orr_code orr_params_init(struct orr_params *params, orr_asks accepted, const char *release, bool nearest,
                              struct orr_error *err) ORR_NO_DISCARD;
/* Reads one value. setting: the name of the NCCL setting where that is what is asked. SETTING, with the name of the
 * parameter as the place, for a value that it cannot have. */
enum orr_code orr_params_set(struct orr_params *params, enum orr_ask ask, const char *setting, const char *value,
                             struct orr_error *err) ORR_NO_DISCARD;
/* Which parameter of a set has that name; ORR_ASK_COUNT: none. */
enum orr_ask orr_ask_find(orr_asks accepted, const char *name, size_t length);
static inline bool orr_ask_repeats(enum orr_ask ask)
{
    enum orr_ask_kind kind = orr_questions[ask].kind;
    return kind == ORR_KIND_LIST || kind == ORR_KIND_SETTING || kind == ORR_KIND_LABEL;
}

enum orr_code orr_read_number(const char *name, const char *text, uint32_t least, uint32_t most, uint32_t *ret_number,
                              struct orr_error *err) ORR_NO_DISCARD;

/* Lists of words, NULL beyond the last: the sections of an analysis in the order of the document. */
const char *orr_section_name(size_t i);
/* The programs of nccl-tests that can be predicted: a list of words, NULL beyond the last. */
const char *orr_predicted_word(size_t i);
/* The error for a value that is none of the words. */
enum orr_code orr_not_a_word(const char *name, const char *value, orr_words *words, struct orr_error *err);

/* asked.c: the engine's own questions, made of what was asked. SETTING where something is missing. */
enum orr_code orr_params_drawing(const struct orr_params *params, struct orr_diagram_request *ret_request,
                                 struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_params_why(const struct orr_params *params, struct orr_why *ret_why,
                             struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_params_predict(const struct orr_params *params, enum orr_test *ret_test,
                                 struct orr_expect_sizes *ret_sizes, struct orr_error *err) ORR_NO_DISCARD;
/* What sets of GPUs are scored by; and the request, once there are scores. */
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
/* The other side of a comparison: the same question with what `against` says, each a release ("2.21.5") or a setting
 * ("NCCL_CROSS_NIC=1"; "NCCL_CROSS_NIC=" takes its default). */
enum orr_code orr_against_read(const struct orr_query *question, const struct orr_texts *against,
                               struct orr_query *ret_other, struct orr_error *err) ORR_NO_DISCARD;

/* Appends what decides an analysis: the same text for the same question. */
void orr_query_key(const struct orr_query *query, struct orr_text *text);
/* The same for a set of the other parameters. */
void orr_params_key(const struct orr_params *params, orr_asks asks, struct orr_text *text);

#endif
