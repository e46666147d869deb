/* SPDX-License-Identifier: Apache-2.0 */
/* The command line: the options of each command. Parameters that requests have, too, are in
 * api/questions/questions.def, those of the service in server/config_table.c; options.c has the rest. --help, the
 * manual page and the completion come from all three. */
#ifndef ORR_CLI_OPTIONS_H
#define ORR_CLI_OPTIONS_H

#include "api/documents/cluster_file.h"
#include "api/documents/documents.h"
#include "api/http/api.h"
#include "api/questions/questions.h"
#include "server/serve.h"

/* Exit statuses, fixed by the contract. */
enum orr_exit {
    ORR_EXIT_OK = 0,
    ORR_EXIT_INPUT = 1,
    ORR_EXIT_USAGE = 2,
    ORR_EXIT_LOW = 3,     /* check-perf: low; gate: degraded */
    ORR_EXIT_UNJUDGED = 4 /* check-perf, gate */
};
/* Returns from the calling function with the exit status of a failure. */
#define ORR_EXIT_TRY(call)                                                                                             \
    do {                                                                                                               \
        const int orr_exit_status = (call);                                                                            \
        if (orr_exit_status)                                                                                           \
            return orr_exit_status;                                                                                    \
    } while (0)
#define ORR_EXIT_TEXT                                                                                                  \
    "0 done, 1 the input or the environment is at fault, 2 wrong usage; check-perf: 3 the bandwidth is low, "          \
    "4 it cannot be judged; gate: 3 the node is degraded, 4 it cannot be judged"

/* Commands by which options.c says who takes an option: bits. */
enum orr_command_bit {
    ORR_CMD_SERVE = 1 << 0,
    ORR_CMD_ASKING = 1 << 1, /* asks what NCCL makes of a machine */
    ORR_CMD_ANALYZE = 1 << 2,
    ORR_CMD_GROUPS = 1 << 3,
    ORR_CMD_STREAMING = 1 << 4, /* channels, p2p */
    ORR_CMD_RENDER = 1 << 5,
    ORR_CMD_TOKEN = 1 << 6,
    ORR_CMD_COMPARE = 1 << 7,
    ORR_CMD_CHECK_LOG = 1 << 8,
    ORR_CMD_COPY = 1 << 9,  /* convert, vm-file, anonymise: their output is a file */
    ORR_CMD_LIST = 1 << 10, /* text, or JSON: releases, settings, machines, explain, predict */
    ORR_CMD_DETECT = 1 << 11,
    ORR_CMD_GATHER = 1 << 12,
    ORR_CMD_EXPLAIN = 1 << 13,
    ORR_CMD_CHECK_PERF = 1 << 14,
    ORR_CMD_PLACE = 1 << 15,
    ORR_CMD_GATE = 1 << 16,
    ORR_CMD_TEXT = 1 << 17, /* pages for people on a terminal, JSON elsewhere: show, analyze, groups, channels, p2p */
    ORR_CMD_SHOW = 1 << 18,
    ORR_CMD_FACTS = 1 << 19,
    ORR_CMD_SETTINGS = 1 << 20,
    ORR_CMD_COLOR = 1 << 21,   /* text in colours; ORR_CMD_TEXT has them too */
    ORR_CMD_VERBOSE = 1 << 22, /* text that --verbose lengthens */
    ORR_CMD_CAVEAT = 1 << 23,  /* its output says if the release was not compared with NCCL, or is the nearest */
    ORR_CMD_EXACT = 1 << 24    /* for programs: refuses a release that is not emulated, as every command does with
                                * --strict; people get the nearest, and read once whose rules it follows */
};

/* Commands that read inputs and compute: their work can be limited. */
enum {
    ORR_CMD_LIMITED = ORR_CMD_ASKING | ORR_CMD_COMPARE | ORR_CMD_CHECK_LOG | ORR_CMD_CHECK_PERF | ORR_CMD_COPY |
                      ORR_CMD_DETECT | ORR_CMD_PLACE | ORR_CMD_GATE
};

enum { ORR_MAX_GIVEN = 256, ORR_MAX_SETTINGS = 64 };

struct orr_options {
    struct orr_params params; /* parameters that requests have, too */
    const char *cluster, *output, *scope, *topology;
    const char *graphs; /* a graph file to put after the dump, NULL if there is none */
    char *tuner;        /* the bytes of --tuner, NULL if there is none; params refers to them */
    const char *analysis_time, *analysis_memory, *unpacked, *archive_entries; /* NULL means any */
    const char *root, *nvml, *sm;                                             /* of detect and gather */
    const char *color;                                                        /* NULL means auto */
    const char *settings[ORR_MAX_SETTINGS];                                   /* for detect and gather: NAME=VALUE */
    size_t setting_count;
    const char *post, *token_file, *ca_file, *patience;
    const char *server, *timeout; /* of gate */
    struct orr_asked {            /* the parameters of requests as they were given, for a service */
        const struct orr_question_row *row;
        const char *value;
    } asked[ORR_MAX_GIVEN + 1]; /* and `nearest`, which commands have by default */
    size_t asked_count;
    bool extract, pretty, json, lines, text, verbose, majority, help, check_config, running, tree, matrix, findings;
    struct orr_config *config; /* of the service; NULL if the command takes none of its settings */
    const char *file;          /* the first positional argument, NULL if there is none */
    char **files;              /* [file_count]: all of them */
    size_t file_count;
};

/* How many positional arguments a command takes. */
enum orr_files { ORR_NO_FILE, ORR_ONE_FILE, ORR_FILES };

struct orr_command {
    const char *name, *arguments, *summary;
    const char *help;  /* paragraphs; lines that start with two blanks are examples */
    unsigned bits;     /* enum orr_command_bit */
    orr_topics topics; /* of the parameters of requests */
    enum orr_files files;
    int (*run)(const struct orr_options *options);
};

/* The commands in the order of `orrery help`. */
extern const struct orr_command orr_commands[];
extern const size_t orr_command_count;
/* NULL if unknown. */
const struct orr_command *orr_command_find(const char *name);

/* Reads the arguments after the command's name; with --help among them, values are not read. Reports wrong usage
 * itself; returns an exit status. */
int orr_options_read(int count, char **arguments, const struct orr_command *command, struct orr_options *options);
/* Headings under which --help lists options, in this order; the settings of the service have headings of their own. */
enum orr_option_group {
    ORR_GROUP_OWN,
    ORR_GROUP_MACHINE,
    ORR_GROUP_OUTPUT,
    ORR_GROUP_SHARED, /* by most commands: --help only names them */
    ORR_GROUP_COUNT,
    ORR_GROUP_SERVICE = ORR_GROUP_COUNT
};
/* One option as users see it. */
struct orr_option_row {
    enum orr_option_group of;
    const char *group; /* heading */
    const char *name;  /* without dashes */
    const char *value; /* name of the value in --help, NULL for a flag */
    orr_words *words;  /* possible values, or suggestions for completion; NULL means any text */
    char help[400];    /* with the words and the default */
    char variable[64]; /* environment variable that also gives it; "" if there is none */
};
/* Option i of a command, in the order of --help; false beyond the last. */
bool orr_option_row(const struct orr_command *command, size_t i, struct orr_option_row *ret_row);

/* The exit status that belongs to a result. */
int orr_exit_of(enum orr_code code);
/* Prints an error as `file:line:column: text` and its advice; gives the exit status that belongs to it. */
int orr_report(const char *file, const struct orr_error *err);

/* Reads a whole file, or standard input for "-" and NULL, up to a size. free() the bytes. */
enum orr_code orr_read_file(const char *file, size_t most, char **ret_bytes, size_t *ret_length,
                            struct orr_error *err) ORR_NO_DISCARD;
/* The same up to the size that a dump may have. */
enum orr_code orr_read_input(const char *file, char **ret_bytes, size_t *ret_length,
                             struct orr_error *err) ORR_NO_DISCARD;

/* Writes all of it to a file, or to standard output for NULL. Reports errors itself; gives an exit status. */
int orr_write_out(const char *file, const char *bytes, size_t length);
/* Reads the input with the options' assumptions. release: the release whose rules turn a gathered archive into a dump,
 * unless --release is given; NULL means the default. Reports errors itself; gives an exit status. */
int orr_read_dump(const struct orr_options *options, const struct orr_release *release, struct orr_dump **ret_dump);
/* The machine that a file with a log or results also describes; *ret_dump is NULL if there is none. */
enum orr_code orr_read_beside(const struct orr_options *options, struct orr_dump **ret_dump,
                              struct orr_error *err) ORR_NO_DISCARD;

/* Whether --machine is given together with a file; then reports that. */
bool orr_is_machine_and_file(const struct orr_options *options);

/* The data that analyze and render share: the input, or the inputs of a cluster file, and the analysis. */
struct orr_question {
    const char *name;      /* of the input, for the document and for errors */
    struct orr_dump *dump; /* NULL means a cluster */
    struct orr_cluster_file cluster_file;
    struct orr_dump **dumps; /* dumps of its topologies; equal machines share one */
    struct orr_cluster *cluster;
    struct orr_analysis *analysis; /* the cluster's, if there is one */
};
/* Reads and analyses; plan: rings and trees are not made. Reports errors itself; gives an exit status. */
int orr_question_read(const struct orr_options *options, bool plan, struct orr_question *ret_question);
void orr_question_release(struct orr_question *question);
/* The cluster. One topology on several hosts becomes a cluster of one line, a plan, in *ret_made: call
 * orr_cluster_free() on it before the question is freed, even if it is NULL. */
enum orr_code orr_question_cluster(const struct orr_options *options, const struct orr_question *question,
                                   struct orr_cluster **ret_made, const struct orr_cluster **ret_cluster,
                                   struct orr_error *err) ORR_NO_DISCARD;

/* A topology file of one host is named after it: its name without folder and ending; context: the arena. */
orr_topology_gives orr_name_of_file;
/* The last part of a path. */
const char *orr_base_name(const char *path);
/* Prints a document to standard output and drops it. Reports errors itself; gives an exit status. */
int orr_print_json(struct orr_json *json, json_t *root, bool pretty);
/* Prints a text with a line break; code: the result of writing it. Otherwise the same. */
int orr_print_text(const char *name, enum orr_code code, struct orr_text *text, const struct orr_error *err);
/* "<standard input>" for "-" and NULL. */
const char *orr_input_name(const char *file);

/* Default limits of a command, far above the needs of any real input. */
#define ORR_COMMAND_TIME     "600"
#define ORR_COMMAND_MEMORY   "8G"
#define ORR_COMMAND_UNPACKED "4G"
#define ORR_COMMAND_ENTRIES  "1000000"

/* cli/budget.c: puts the budget that the options give in force, and makes Ctrl-C stop it. Reports errors itself; gives
 * an exit status. */
int orr_budget_of_options(const struct orr_options *options);
/* Ends the limits: what follows, such as posting, is not limited, and Ctrl-C ends the process directly. */
void orr_budget_leave(void);
/* After a failure: if there was a Ctrl-C, ends the process by its signal. */
void orr_budget_interrupted(void);

int orr_command_serve(const struct orr_options *options);
int orr_command_analyze(const struct orr_options *options);
int orr_command_show(const struct orr_options *options);
int orr_command_channels(const struct orr_options *options);
int orr_command_p2p(const struct orr_options *options);
int orr_command_groups(const struct orr_options *options);
int orr_command_order(const struct orr_options *options);
int orr_command_predict(const struct orr_options *options);
int orr_command_scaling(const struct orr_options *options);
int orr_command_place(const struct orr_options *options);
int orr_command_explain(const struct orr_options *options);
int orr_command_check_log(const struct orr_options *options);
int orr_command_check_perf(const struct orr_options *options);
int orr_command_render(const struct orr_options *options);
int orr_command_releases(const struct orr_options *options);
int orr_command_settings(const struct orr_options *options);
int orr_command_compare(const struct orr_options *options);
int orr_command_convert(const struct orr_options *options);
int orr_command_vm_file(const struct orr_options *options);
int orr_command_anonymise(const struct orr_options *options);
int orr_command_machines(const struct orr_options *options);
int orr_command_facts(const struct orr_options *options);
int orr_command_token(const struct orr_options *options);
int orr_command_detect(const struct orr_options *options);
int orr_command_gather(const struct orr_options *options);
int orr_command_gate(const struct orr_options *options);

struct orr_detect_options;
/* detect.c: the options of detection, which refer to `options`. Reports errors itself; returns an exit status. */
int orr_detect_options_read(const struct orr_options *options, struct orr_detect_options *ret_wanted);

#endif
