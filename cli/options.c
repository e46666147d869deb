/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/terminal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/release/release_names.h"

enum { DETECTING = ORR_CMD_DETECT | ORR_CMD_GATHER, SEEING = DETECTING | ORR_CMD_GATE };

enum kind { FLAG, VALUE, SETTING, COLOR };

static const struct option {
    const char *name, *value, *help; /* value: what --help calls it, NULL for a flag */
    unsigned commands;               /* 0 means all of them */
    enum orr_option_group group;
    enum kind kind;
    size_t at; /* in struct orr_options */
} rows[] = {
#define ORR_AT(member) offsetof(struct orr_options, member)
    {"topology", "FILE", "the machine, in any format that Orrery reads (default: what the log prints)",
     ORR_CMD_CHECK_LOG, ORR_GROUP_MACHINE, VALUE, ORR_AT(topology)},
    {"topology", "FILE", "the machine, in any format that Orrery reads (default: what the results show)",
     ORR_CMD_CHECK_PERF, ORR_GROUP_MACHINE, VALUE, ORR_AT(topology)},
    {"for", "FILE", "machine, in any format that Orrery reads, on which to try the settings that people change",
     ORR_CMD_SETTINGS, ORR_GROUP_MACHINE, VALUE, ORR_AT(file)},
    {"extract", NULL, "print the topology XML rebuilt from the log's tree, and compare nothing", ORR_CMD_CHECK_LOG,
     ORR_GROUP_OWN, FLAG, ORR_AT(extract)},
    {"cluster", "FILE",
     "JSON file that lists the hosts: {\"hosts\": [{\"topology\": PATH or \"machine\": TYPE, \"count\": N}, ...]}",
     ORR_CMD_ASKING | ORR_CMD_FACTS, ORR_GROUP_MACHINE, VALUE, ORR_AT(cluster)},
    {"graphs", "FILE",
     "graphs to use instead of a search, as NCCL_GRAPH_FILE does; NCCL writes the file (NCCL_GRAPH_DUMP_FILE)",
     ORR_CMD_ASKING, ORR_GROUP_SHARED, VALUE, ORR_AT(graphs)},
    {"set", "NAME=VALUE", "NCCL setting; repeatable", DETECTING, ORR_GROUP_SHARED, SETTING, 0},
    {"lines", NULL, "print a line of JSON for each ring and tree, or rank and round (NDJSON)", ORR_CMD_STREAMING,
     ORR_GROUP_OUTPUT, FLAG, ORR_AT(lines)},
    {"majority", NULL, "compare three dumps or more with what most of them have", ORR_CMD_COMPARE, ORR_GROUP_OWN, FLAG,
     ORR_AT(majority)},
    {"pretty", NULL, "indent the JSON", ORR_CMD_ANALYZE | ORR_CMD_COMPARE | ORR_CMD_GROUPS, ORR_GROUP_OUTPUT, FLAG,
     ORR_AT(pretty)},
    {"output", "FILE", "file to write (default: standard output)", ORR_CMD_RENDER | ORR_CMD_DETECT | ORR_CMD_COPY,
     ORR_GROUP_OUTPUT, VALUE, ORR_AT(output)},
    {"json", NULL, "print JSON instead of text",
     ORR_CMD_LIST | ORR_CMD_TEXT | ORR_CMD_COMPARE | ORR_CMD_CHECK_LOG | ORR_CMD_CHECK_PERF | ORR_CMD_DETECT |
         ORR_CMD_PLACE | ORR_CMD_GATE,
     ORR_GROUP_SHARED, FLAG, ORR_AT(json)},
    {"text", NULL, "print text even when the output is not a terminal",
     ORR_CMD_COMPARE | ORR_CMD_CHECK_PERF | ORR_CMD_PLACE | ORR_CMD_GATE | ORR_CMD_TEXT, ORR_GROUP_SHARED, FLAG,
     ORR_AT(text)},
    {"tree", NULL, "print only the machine as a tree of CPUs, PCIe switches, GPUs, NICs and links", ORR_CMD_SHOW,
     ORR_GROUP_OUTPUT, FLAG, ORR_AT(tree)},
    {"matrix", NULL, "print only the table of path types, in the layout of nvidia-smi topo -m", ORR_CMD_SHOW,
     ORR_GROUP_OUTPUT, FLAG, ORR_AT(matrix)},
    {"findings", NULL, "print only the verdict, every finding in full, and every note", ORR_CMD_SHOW, ORR_GROUP_OUTPUT,
     FLAG, ORR_AT(findings)},
    {"verbose", NULL, "also print counts, figures of the search, and what is otherwise shortened", ORR_CMD_VERBOSE,
     ORR_GROUP_OUTPUT, FLAG, ORR_AT(verbose)},
    {"color", "WHEN", "colours: auto, always or never (default: auto, on a terminal)", ORR_CMD_TEXT | ORR_CMD_COLOR,
     ORR_GROUP_SHARED, COLOR, ORR_AT(color)},
    {"check-config", NULL, "print the settings in force and where each comes from, report errors, and exit",
     ORR_CMD_SERVE, ORR_GROUP_OWN, FLAG, ORR_AT(check_config)},
    {"scope", "SCOPE",
     "scopes of the token: read, write, agent:HOST (upload and judge that host alone), or several with commas "
     "(default: read)",
     ORR_CMD_TOKEN, ORR_GROUP_OWN, VALUE, ORR_AT(scope)},
    {"root", "DIR", "folder with a copy of /sys and /proc, or an unpacked archive of gather", SEEING, ORR_GROUP_OWN,
     VALUE, ORR_AT(root)},
    {"nvml", "FILE", "library to load instead of libnvidia-ml.so.1; none: do not ask the driver", SEEING, ORR_GROUP_OWN,
     VALUE, ORR_AT(nvml)},
    {"sm", "N", "compute capability of GPUs that neither the driver nor Orrery knows, such as 90",
     ORR_CMD_DETECT | ORR_CMD_GATE, ORR_GROUP_OWN, VALUE, ORR_AT(sm)},
    {"running", NULL, "merge NICs as a running job does; NCCL's own dump lists them separately", ORR_CMD_DETECT,
     ORR_GROUP_OWN, FLAG, ORR_AT(running)},
    {"post", "URL", "service that stores the dump, such as https://hub.example:8080; nothing is printed",
     ORR_CMD_DETECT, ORR_GROUP_OWN, VALUE, ORR_AT(post)},
    {"token-file", "FILE", "file whose first line is the token for the service", ORR_CMD_DETECT | ORR_CMD_GATE,
     ORR_GROUP_OWN, VALUE, ORR_AT(token_file)},
    {"ca-file", "FILE", "certificates to trust instead of the system's (PEM)", ORR_CMD_DETECT | ORR_CMD_GATE,
     ORR_GROUP_OWN, VALUE, ORR_AT(ca_file)},
    {"patience", "SECONDS", "how long --post retries while the service cannot be reached (default: 300)",
     ORR_CMD_DETECT, ORR_GROUP_OWN, VALUE, ORR_AT(patience)},
    {"server", "URL", "service that judges the node, such as https://hub.example:8080", ORR_CMD_GATE, ORR_GROUP_OWN,
     VALUE, ORR_AT(server)},
    {"timeout", "SECONDS", "give up after this many seconds and report that the node cannot be judged (default: 5)",
     ORR_CMD_GATE, ORR_GROUP_OWN, VALUE, ORR_AT(timeout)},
    {"analysis-time", "SECONDS", "give up after this many seconds of work (default: " ORR_COMMAND_TIME "; 0: no limit)",
     ORR_CMD_LIMITED, ORR_GROUP_SHARED, VALUE, ORR_AT(analysis_time)},
    {"analysis-memory", "BYTES",
     "give up if the work needs more memory, such as 512M (default: " ORR_COMMAND_MEMORY "; 0: no limit)",
     ORR_CMD_LIMITED, ORR_GROUP_SHARED, VALUE, ORR_AT(analysis_memory)},
    {"unpacked", "BYTES",
     "give up if an archive unpacks to more, such as 256M (default: " ORR_COMMAND_UNPACKED "; 0: no limit)",
     ORR_CMD_LIMITED, ORR_GROUP_SHARED, VALUE, ORR_AT(unpacked)},
    {"archive-entries", "N", "give up if an archive has more entries (default: " ORR_COMMAND_ENTRIES "; 0: no limit)",
     ORR_CMD_LIMITED, ORR_GROUP_SHARED, VALUE, ORR_AT(archive_entries)},
    {"help", NULL, "print this text", 0, ORR_GROUP_SHARED, FLAG, ORR_AT(help)},
#undef ORR_AT
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/* Parameters that most commands share, by topic. A list of GPUs or NICs with another meaning belongs to one command
 * alone. */
static enum orr_option_group group_of(const struct orr_question_row *row)
{
    static const struct {
        enum orr_ask ask;
        unsigned char topic; /* that it must have; ORR_TOPIC_END means any */
        enum orr_option_group group;
    } groups[] = {
        {ORR_ASK_RELEASE, ORR_TOPIC_END, ORR_GROUP_SHARED},    {ORR_ASK_NEAREST, ORR_TOPIC_END, ORR_GROUP_SHARED},
        {ORR_ASK_SETTINGS, ORR_TOPIC_END, ORR_GROUP_SHARED},   {ORR_ASK_FUSE_NICS, ORR_TOPIC_END, ORR_GROUP_SHARED},
        {ORR_ASK_TUNER, ORR_TOPIC_END, ORR_GROUP_SHARED},      {ORR_ASK_GPUS, ORR_TOPIC_JOB, ORR_GROUP_SHARED},
        {ORR_ASK_NICS, ORR_TOPIC_NICS, ORR_GROUP_SHARED},      {ORR_ASK_STRICT, ORR_TOPIC_END, ORR_GROUP_SHARED},
        {ORR_ASK_ASSUME, ORR_TOPIC_END, ORR_GROUP_SHARED},     {ORR_ASK_ASSUME_NICS, ORR_TOPIC_END, ORR_GROUP_SHARED},
        {ORR_ASK_ASSUME_CPU, ORR_TOPIC_END, ORR_GROUP_SHARED}, {ORR_ASK_MACHINE, ORR_TOPIC_END, ORR_GROUP_MACHINE},
        {ORR_ASK_HOSTS, ORR_TOPIC_END, ORR_GROUP_MACHINE},     {ORR_ASK_DOMAIN, ORR_TOPIC_END, ORR_GROUP_MACHINE},
    };
    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        if (row->ask == groups[i].ask && (groups[i].topic == ORR_TOPIC_END || row->topics[0] == groups[i].topic))
            return groups[i].group;
    return ORR_GROUP_OWN;
}

static const char *option_of(const struct orr_question_row *row)
{
    return row->option ? row->option : row->name;
}

static bool is_called(const char *option, const char *name, size_t length)
{
    return strlen(option) == length && !strncmp(option, name, length);
}

/* The command line before values are read. */
struct given {
    const struct orr_command *command;
    struct orr_options *options;
    const char *values[ORR_MAX_GIVEN]; /* of asks */
    const struct orr_question_row *asks[ORR_MAX_GIVEN];
    size_t count;
};

static bool wrong(const struct given *given, const char *format, ...) ORR_PRINTF(2, 3);
static bool wrong(const struct given *given, const char *format, ...)
{
    const char *command = given->command->name;
    va_list args;
    fprintf(stderr, "orrery %s: ", command);
    va_start(args, format);
    vfprintf(stderr, format, args);
    va_end(args);
    fprintf(stderr, "\n  `orrery %s --help` lists the options\n", command);
    return false;
}

static bool apply(struct given *given, const struct option *option, const char *value)
{
    struct orr_options *options = given->options;
    void *place = (char *)options + option->at;
    unsigned unused;
    if (option->kind == COLOR && !orr_word_find(orr_color_word, value, &unused))
        return wrong(given, "--color must be auto, always or never, not %s", value);
    if (option->kind == FLAG)
        *(bool *)place = true;
    else if (option->kind == VALUE || option->kind == COLOR)
        *(const char **)place = value;
    else if (options->setting_count == ORR_MAX_SETTINGS || !strchr(value, '='))
        return wrong(given, "--set needs NAME=VALUE, not %s", value);
    else
        options->settings[options->setting_count++] = value;
    return true;
}

/* A parameter of requests. If one that does not repeat is given twice, the last value is used. */
static bool ask(struct given *given, const struct orr_question_row *ask, const char *value)
{
    size_t at = given->count;
    if (ask->kind == ORR_KIND_SETTING && !strchr(value, '='))
        return wrong(given, "--set needs NAME=VALUE, not %s", value);
    for (size_t i = 0; i < given->count && !orr_question_repeats(ask); i++)
        at = given->asks[i] == ask ? i : at;
    if (at == ORR_MAX_GIVEN)
        return wrong(given, "too many options, from --%s", option_of(ask));
    given->asks[at] = ask;
    given->values[at] = value;
    given->count += at == given->count;
    return true;
}

static const struct option *find_option(const struct given *given, const char *name, size_t length)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if ((!rows[i].commands || (rows[i].commands & given->command->bits)) && is_called(rows[i].name, name, length))
            return &rows[i];
    return NULL;
}

static const struct orr_question_row *find_ask(const struct given *given, const char *name, size_t length)
{
    for (const struct orr_question_row *row = orr_questions; row < orr_questions + ORR_QUESTION_ROWS; row++)
        if (orr_question_in(row, given->command->topics) && is_called(option_of(row), name, length))
            return row;
    return NULL;
}

/* Reads "--name=value", or "--name" with the next argument; false for wrong usage. */
static bool read_option(struct given *given, int count, char **arguments, int *at)
{
    const char *argument = arguments[*at], *name = argument + 2, *equals = strchr(argument, '=');
    const char *value = equals ? equals + 1 : NULL;
    struct orr_config *config = given->options->config;
    size_t length = argument[1] != '-' ? 0 : equals ? (size_t)(equals - name) : strlen(name);
    const struct orr_config_row *setting = config ? orr_config_find(name, length) : NULL;
    const struct option *option = find_option(given, name, length);
    const struct orr_question_row *asked = find_ask(given, name, length);
    const bool flag = option ? option->kind == FLAG : asked && !asked->value;
    struct orr_error err = {0};
    if (!setting && !option && !asked)
        return wrong(given, "unknown option %s", argument);
    if (flag && value)
        return wrong(given, "--%.*s takes no value", (int)length, name);
    if (!flag && !value && (!setting || setting->value)) {
        if (*at + 1 == count)
            return wrong(given, "%s needs a value", argument);
        value = arguments[++*at];
    }
    if (setting)
        return orr_config_set(config, setting, value, ORR_CONFIG_FLAG, &err) == ORR_OK || wrong(given, "%s", err.text);
    return option ? apply(given, option, value) : ask(given, asked, flag ? "1" : value);
}

/* --tuner names a file; a request has its rows. */
static enum orr_code read_tuner(struct orr_options *options, const struct orr_question_row *row, const char *file,
                                const char **ret_rows, struct orr_error *err)
{
    size_t length;
    free(options->tuner);
    options->tuner = NULL;
    enum orr_code code = orr_read_file(file, row->most, &options->tuner, &length, err);
    if (code != ORR_OK)
        orr_error_where(err, "--tuner %.80s", file);
    *ret_rows = options->tuner;
    return code;
}

/* Variables by which NCCL itself finds files that are options here. */
static bool is_file_setting(const struct given *given, const char *name, const char *value,
                            const struct orr_question_row **row)
{
    if (!strcmp(name, "NCCL_GRAPH_FILE")) {
        given->options->graphs = value;
        return true;
    }
    if (!strcmp(name, "NCCL_TUNER_CONFIG_FILE"))
        *row = orr_question_find(given->command->topics, "tuner", strlen("tuner"));
    return false;
}

/* Reads the parameters of requests, the release first, because it determines which settings exist. */
static enum orr_code read_values(const struct given *given, struct orr_error *err)
{
    struct orr_params *params = &given->options->params;
    const char *release = NULL;
    bool exact = given->command->bits & ORR_CMD_EXACT, named = false;
    for (size_t i = 0; i < given->count; i++) {
        release = given->asks[i]->ask == ORR_ASK_RELEASE ? given->values[i] : release;
        exact = exact || given->asks[i]->ask == ORR_ASK_STRICT;
        named = named || given->asks[i]->ask == ORR_ASK_NEAREST;
    }
    ORR_TRY(orr_params_init(params, given->command->topics, release, named || !exact, err));
    if (params->query.settings.asked && !named) /* otherwise a service refuses such releases */
        given->options->asked[given->options->asked_count++] =
            (struct orr_asked){orr_question_find(given->command->topics, "nearest", strlen("nearest")), "1"};
    for (size_t i = 0; i < given->count; i++) {
        char setting[80] = "";
        const char *value = given->values[i];
        const struct orr_question_row *asked = given->asks[i];
        if (asked->ask == ORR_ASK_SETTINGS) {
            snprintf(setting, sizeof setting, "%.*s", (int)strcspn(value, "="), value);
            value = strchr(value, '=') + 1;
            if (is_file_setting(given, setting, value, &asked))
                continue;
        }
        if (asked->ask == ORR_ASK_TUNER)
            ORR_TRY(read_tuner(given->options, asked, value, &value, err));
        ORR_TRY(orr_params_set(params, asked, setting, value, err));
        given->options->asked[given->options->asked_count++] =
            (struct orr_asked){asked, asked->ask == ORR_ASK_SETTINGS ? given->values[i] : value};
    }
    return ORR_OK;
}

/* The caveat about the release, for commands whose output has no place for it. */
static void print_caveat(const struct orr_command *command, const struct orr_params *params)
{
    char caveat[ORR_CAVEAT_SIZE];
    if (!(command->bits & ORR_CMD_CAVEAT) && params->query.settings.release &&
        *orr_settings_caveat(&params->query.settings, caveat))
        fprintf(stderr, "orrery: %s\n", caveat);
}

int orr_options_read(int count, char **arguments, const struct orr_command *command, struct orr_options *options)
{
    struct given given = {.command = command, .options = options};
    struct orr_error err = {0};
    bool only_files = false;
    options->files = arguments;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (!only_files && !strcmp(argument, "--")) {
            only_files = true;
        } else if (!only_files && !strcmp(argument, "-h")) {
            options->help = true;
        } else if (!only_files && argument[0] == '-' && argument[1]) {
            if (!read_option(&given, count, arguments, &i))
                return ORR_EXIT_USAGE;
        } else if (command->files == ORR_NO_FILE || (command->files == ORR_ONE_FILE && options->file)) {
            wrong(&given, "unexpected argument %s", argument);
            return ORR_EXIT_USAGE;
        } else {
            arguments[options->file_count++] = arguments[i]; /* in places that were read already */
            options->file = arguments[0];
        }
    }
    if (options->help)
        return ORR_EXIT_OK;
    if (read_values(&given, &err) != ORR_OK)
        return orr_report(NULL, &err);
    print_caveat(command, &options->params);
    return ORR_EXIT_OK;
}

/* The text in --help: the meaning, the possible values, and the default. */
static void describe(struct orr_option_row *row, const char *help, orr_words *choices, const char *fallback)
{
    struct orr_text text;
    orr_text_init(&text, sizeof row->help - 1);
    orr_text_puts(&text, help);
    if (choices) {
        orr_text_puts(&text, ": ");
        orr_words_write(choices, "or", &text);
    }
    if (fallback)
        orr_text_printf(&text, " (default: %s)", fallback);
    snprintf(row->help, sizeof row->help, "%s", orr_text_data(&text));
    orr_text_release(&text);
}

/* The options of one group, first those that requests have, too. */
static bool row_of_group(const struct orr_command *command, enum orr_option_group group, size_t *i,
                         struct orr_option_row *ret_row)
{
    for (const struct orr_question_row *row = orr_questions; row < orr_questions + ORR_QUESTION_ROWS; row++)
        if (orr_question_in(row, command->topics) && group_of(row) == group && (*i)-- == 0) {
            bool listed = row->kind == ORR_KIND_WORD || row->kind == ORR_KIND_GRAPH;
            ret_row->name = option_of(row);
            ret_row->value = row->value;
            ret_row->words = row->words;
            describe(ret_row, row->help, listed ? row->words : NULL, row->value ? row->fallback : NULL);
            return true;
        }
    for (int k = 0; k < ROW_COUNT; k++)
        if ((!rows[k].commands || (rows[k].commands & command->bits)) && rows[k].group == group && (*i)-- == 0) {
            ret_row->name = rows[k].name;
            ret_row->value = rows[k].value;
            ret_row->words = rows[k].kind == COLOR ? orr_color_word : NULL;
            describe(ret_row, rows[k].help, NULL, NULL);
            return true;
        }
    return false;
}

bool orr_option_row(const struct orr_command *command, size_t i, struct orr_option_row *ret_row)
{
    static const char *const titles[ORR_GROUP_COUNT] = {[ORR_GROUP_OWN] = "Options",
                                                        [ORR_GROUP_MACHINE] = "Machine",
                                                        [ORR_GROUP_OUTPUT] = "Output",
                                                        [ORR_GROUP_SHARED] = "Shared options (`orrery help options`)"};
    *ret_row = (struct orr_option_row){0};
    for (int group = 0; group < ORR_GROUP_COUNT; group++)
        if (row_of_group(command, (enum orr_option_group)group, &i, ret_row)) {
            ret_row->of = (enum orr_option_group)group;
            ret_row->group = titles[group];
            return true;
        }
    if (!(command->bits & ORR_CMD_SERVE) || i >= orr_config_row_count)
        return false;
    const struct orr_config_row *row = &orr_config_rows[i];
    ret_row->of = ORR_GROUP_SERVICE;
    ret_row->group = orr_config_group_titles[row->group];
    ret_row->name = row->name;
    ret_row->value = row->value;
    describe(ret_row, row->help, NULL, row->kind == ORR_CONFIG_BOOL ? NULL : row->fallback);
    orr_config_variable(row, ret_row->variable);
    return true;
}
