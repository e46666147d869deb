/* The command line: one table of options says which command takes which, with the text of --help. What the service
 * takes beside them stands in config_table.c. */
#ifndef ORR_CLI_OPTIONS_H
#define ORR_CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "api/cluster_file.h"
#include "api/json.h"
#include "api/params.h"
#include "server/serve.h"

/* Exit statuses, fixed by the contract. */
enum orr_exit { ORR_EXIT_OK = 0, ORR_EXIT_INPUT = 1, ORR_EXIT_USAGE = 2 };

enum orr_command_bit {
    ORR_CMD_SERVE = 1,
    ORR_CMD_ANALYZE = 2,
    ORR_CMD_RENDER = 4,
    ORR_CMD_RELEASES = 8,
    ORR_CMD_SETTINGS = 16,
    ORR_CMD_TOKEN = 32,
    ORR_CMD_EXPLAIN = 64,
    ORR_CMD_COMPARE = 128,
    ORR_CMD_CHECK_LOG = 256,
    ORR_CMD_CONVERT = 512,
    ORR_CMD_VM_FILE = 1024,
    ORR_CMD_ANONYMISE = 2048,
    ORR_CMD_MACHINES = 4096,
    ORR_CMD_DETECT = 8192,
    ORR_CMD_GATHER = 16384,
    ORR_CMD_CHANNELS = 32768,
    ORR_CMD_GROUPS = 65536,
    ORR_CMD_P2P = 131072
};

/* Commands that read inputs and compute: their work can be limited. */
enum {
    ORR_CMD_LIMITED = ORR_CMD_ANALYZE | ORR_CMD_RENDER | ORR_CMD_EXPLAIN | ORR_CMD_CHANNELS | ORR_CMD_GROUPS |
                      ORR_CMD_P2P | ORR_CMD_COMPARE | ORR_CMD_CHECK_LOG | ORR_CMD_CONVERT | ORR_CMD_VM_FILE |
                      ORR_CMD_ANONYMISE
};

enum { ORR_MAX_SETTINGS = 64 };

struct orr_options {
    const char *release, *hosts, *cluster, *view, *channel, *from, *to, *format, *theme, *section, *output, *assume,
        *gpus, *nics, *layout, *ranks, *rounds, *group;
    const char *analysis_time, *analysis_memory, *unpacked, *archive_entries; /* NULL: any */
    const char *settings[ORR_MAX_SETTINGS];                                   /* NAME=VALUE */
    size_t setting_count;
    const char *against[ORR_MAX_AGAINST]; /* a release, or NAME=VALUE */
    size_t against_count;
    const char *scope;
    const char *why, *graph, *collective, *bytes; /* of explain */
    const char *topology, *communicator;          /* of check-log */
    const char *root, *nvml, *sm;                 /* of detect and gather */
    const char *post, *token_file, *ca_file, *patience, *name;
    const char *labels[ORR_MAX_LABELS]; /* NAME=VALUE, for what is posted */
    size_t label_count;
    bool extract, strict, pretty, json, lines, text, majority, help, check_config, running;
    struct orr_config *config; /* of the service; NULL: the command takes none of its settings */
    const char *file;          /* the first positional argument, NULL: none */
    char **files;              /* [file_count]: all of them */
    size_t file_count;
};

/* How many positional arguments a command takes. */
enum orr_files { ORR_NO_FILE, ORR_ONE_FILE, ORR_FILES };

/* Reads the arguments behind the command's name. False: wrong usage, which was reported. */
bool orr_options_read(int count, char **arguments, const char *command, unsigned bit, enum orr_files files,
                      struct orr_options *options);
/* One option as users see it. */
struct orr_option_row {
    const char *group; /* heading, NULL: none */
    const char *name;  /* without dashes */
    const char *value; /* what --help calls the value, NULL for a flag */
    const char *help;
    const char *fallback; /* the default, where help does not say it */
    char variable[64];    /* of the environment that gives it as well, "": none */
};
/* Option i of those that a command takes, in the order of --help; false beyond the last. */
bool orr_option_row(unsigned bit, size_t i, struct orr_option_row *ret_row);
/* The lines of --help about the options of a command. */
void orr_options_help(unsigned bit);

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
/* Reads the input with what the options assume; release: whose rules make a dump of what is none yet, unless --release
 * says, NULL: the default. Reports errors itself; gives an exit status. */
int orr_read_dump(const struct orr_options *options, const struct orr_release *release, struct orr_dump **ret_dump);

/* What analyze and render share: the input, or what the cluster file names, and its analysis. */
struct orr_question {
    struct orr_query query;
    const char *name;      /* of the input, for the document and for errors */
    struct orr_dump *dump; /* NULL: a cluster */
    struct orr_cluster_file cluster_file;
    struct orr_dump **dumps; /* of its topologies; the same machine is there once and named more often */
    struct orr_cluster *cluster;
    struct orr_analysis *analysis; /* the cluster's, where there is one */
};
/* Sets all but query.plan, which the caller sets before. Reports errors itself; gives an exit status. */
int orr_query_read(const struct orr_options *options, struct orr_query *query);
/* Reads and analyses; query.plan is the caller's wish. Reports errors itself; gives an exit status. */
int orr_question_read(const struct orr_options *options, struct orr_question *ret_question);
void orr_question_release(struct orr_question *question);
/* One topology on so many hosts as a cluster of one line, a plan: orr_cluster_free() it before the question. */
enum orr_code orr_question_cluster(const struct orr_question *question, struct orr_cluster **ret_cluster,
                                   struct orr_error *err) ORR_NO_DISCARD;

/* Writes bytes to a file, NULL: standard output. Reports errors itself; gives an exit status. */
int orr_write_out(const char *file, const char *bytes, size_t length);

/* The last part of a path. */
const char *orr_base_name(const char *path);
/* Prints a document to standard output and drops it. Reports errors itself; gives an exit status. */
int orr_print_json(struct orr_json *json, json_t *root);

/* cli/budget.c: puts the budget that the options give in force, and makes Ctrl-C stop it. Reports errors itself; gives
 * an exit status. */
int orr_budget_of_options(const struct orr_options *options);
/* Ends the process as Ctrl-C does by default, where Ctrl-C stopped the work. */
void orr_budget_interrupted(void);

int orr_command_serve(const struct orr_options *options);
int orr_command_analyze(const struct orr_options *options);
int orr_command_channels(const struct orr_options *options);
int orr_command_p2p(const struct orr_options *options);
int orr_command_groups(const struct orr_options *options);
int orr_command_explain(const struct orr_options *options);
int orr_command_check_log(const struct orr_options *options);
int orr_command_render(const struct orr_options *options);
int orr_command_releases(const struct orr_options *options);
int orr_command_settings(const struct orr_options *options);
int orr_command_compare(const struct orr_options *options);
int orr_command_convert(const struct orr_options *options);
int orr_command_vm_file(const struct orr_options *options);
int orr_command_anonymise(const struct orr_options *options);
int orr_command_machines(const struct orr_options *options);
int orr_command_token(const struct orr_options *options);
int orr_command_detect(const struct orr_options *options);
int orr_command_gather(const struct orr_options *options);

#endif
