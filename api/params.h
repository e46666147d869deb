/* The query of a request, typed: each route says which parameters it takes, a name or value outside that is an error
 * that names the nearest. */
#ifndef ORR_API_PARAMS_H
#define ORR_API_PARAMS_H

#include "api/problem.h"
#include "engine/analysis/analysis.h"
#include "engine/base/arena.h"
#include "engine/diagram/diagram.h"
#include "engine/input/machine_types.h"

enum orr_parameter { /* bits */
                     ORR_P_RELEASE = 1 << 0,
                     ORR_P_HOSTS = 1 << 1,
                     ORR_P_SETTINGS = 1 << 2, /* every NCCL_* name */
                     ORR_P_STRICT = 1 << 3,
                     ORR_P_FROM = 1 << 4,
                     ORR_P_TO = 1 << 5,
                     ORR_P_VIEW = 1 << 6,
                     ORR_P_CHANNEL = 1 << 7,
                     ORR_P_THEME = 1 << 8,
                     ORR_P_FORMAT = 1 << 9,
                     ORR_P_SECTION = 1 << 10,
                     ORR_P_NAME = 1 << 11,
                     ORR_P_LABEL = 1 << 12,
                     ORR_P_LIMIT = 1 << 13,
                     ORR_P_CURSOR = 1 << 14,
                     ORR_P_SEARCH = 1 << 15,
                     ORR_P_AGAINST = 1 << 16,
                     ORR_P_DECISION = 1 << 17,
                     ORR_P_GRAPH = 1 << 18,
                     ORR_P_COLLECTIVE = 1 << 19,
                     ORR_P_BYTES = 1 << 20,
                     ORR_P_A = 1 << 21,
                     ORR_P_B = 1 << 22,
                     ORR_P_TOPOLOGY = 1 << 23,
                     ORR_P_COMMUNICATOR = 1 << 24,
                     ORR_P_ASSUME = 1 << 25,
                     ORR_P_GPUS = 1 << 26,
                     ORR_P_NICS = 1 << 27,
                     ORR_P_MANY_HOSTS = 1 << 28, /* `hosts` where rings and trees are streamed */
                     ORR_P_LAYOUT = 1 << 29,
                     ORR_P_WINDOW = 1 << 30, /* `ranks`, `rounds` and `group` of a schedule */

                     ORR_P_ANALYSIS = ORR_P_RELEASE | ORR_P_HOSTS | ORR_P_SETTINGS | ORR_P_STRICT | ORR_P_ASSUME,
                     ORR_P_CLUSTER = ORR_P_RELEASE | ORR_P_SETTINGS | ORR_P_STRICT,
                     ORR_P_LOG = ORR_P_RELEASE | ORR_P_HOSTS | ORR_P_SETTINGS | ORR_P_COMMUNICATOR | ORR_P_ASSUME,
                     ORR_P_DIAGRAM = ORR_P_ANALYSIS | ORR_P_VIEW | ORR_P_CHANNEL | ORR_P_FROM | ORR_P_TO | ORR_P_THEME,
                     ORR_P_WHICH_DECISION = ORR_P_DECISION | ORR_P_FROM | ORR_P_TO | ORR_P_GRAPH | ORR_P_CHANNEL |
                                            ORR_P_COLLECTIVE | ORR_P_BYTES,
                     ORR_P_WHY = ORR_P_ANALYSIS | ORR_P_WHICH_DECISION,
};

enum {
    ORR_MAX_LABELS = 32,
    ORR_MAX_LABEL_NAME = 64,
    ORR_MAX_LABEL_VALUE = 256,
    ORR_MAX_NAME = 200,
    ORR_MAX_AGAINST = 48,
    ORR_MAX_TOPOLOGIES = 120 /* named one by one */
};

struct orr_label {
    const char *name; /* not terminated */
    size_t name_length;
    const char *value;
};

struct orr_params {
    struct orr_query query;
    bool has_release, has_hosts, has_communicator; /* given, not the default */
    uint32_t communicator;                         /* of a log */
    bool strict;
    enum orr_view view;
    enum orr_theme theme;
    enum orr_format format;
    bool has_format;
    int32_t channel;
    const char *from, *to, *section, *name, *search, *cursor, *layout;
    const char *ranks, *rounds, *group; /* of a point-to-point schedule */
    struct orr_label labels[ORR_MAX_LABELS];
    uint32_t label_count;
    const char *against[ORR_MAX_AGAINST]; /* a release, or NCCL_NAME=VALUE: the other side of a comparison */
    uint32_t against_count;
    const char *a, *b;                          /* ids of two topologies to compare */
    const char *topologies[ORR_MAX_TOPOLOGIES]; /* ids of a set */
    uint32_t topology_count;
    const char *decision; /* what is asked why, NULL: nothing was named */
    const char *graph, *collective, *bytes;
    uint32_t limit;
    const char *gpus, *nics;                /* bus ids of a virtual machine */
    const struct orr_machine_type *assumed; /* fills in what the input does not tell; NULL: nothing */
};

/* Decodes %XX (and + where plus_is_blank) of length bytes into arena. TARGET problem for broken or zero bytes. */
enum orr_code orr_decode(const char *text, size_t length, bool plus_is_blank, struct orr_arena *arena,
                         const char **ret_text, struct orr_error *err) ORR_NO_DISCARD;

/* Reads a query string (without "?"). Texts are kept in arena. *ret_problem says what kind of error it is. */
enum orr_code orr_params_read(const char *query, unsigned accepted, struct orr_arena *arena, struct orr_params *params,
                              enum orr_problem *ret_problem, struct orr_error *err) ORR_NO_DISCARD;

/* Release by name, host count from text: shared with the command line. */
enum orr_code orr_read_release(const char *text, const struct orr_release **ret_release,
                               struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_read_number(const char *name, const char *text, uint32_t least, uint32_t most, uint32_t *ret_number,
                              struct orr_error *err) ORR_NO_DISCARD;

/* Appends what decides an analysis: the same text for the same question. */
void orr_query_key(const struct orr_query *query, struct orr_text *text);
/* The part of it that the machine type is. */
void orr_assumed_key(const struct orr_params *params, struct orr_text *text);
/* And what of the other parameters decides an answer. */
void orr_params_answer_key(const struct orr_params *params, struct orr_text *text);

#endif
