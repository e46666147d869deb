#include "cli/options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

/* Commands that ask what NCCL makes of a machine. */
enum { ASKING = ORR_CMD_ANALYZE | ORR_CMD_RENDER | ORR_CMD_EXPLAIN | ORR_CMD_CHANNELS | ORR_CMD_GROUPS | ORR_CMD_P2P };
/* Commands that look at a machine. */
enum { DETECTING = ORR_CMD_DETECT | ORR_CMD_GATHER };

enum kind { FLAG, VALUE, SETTING, AGAINST, LABEL };

static const struct option {
    const char *name, *value, *help; /* value: what --help calls it, NULL for a flag */
    unsigned commands;
    enum kind kind;
    size_t at; /* in struct orr_options */
} rows[] = {
#define AT(member) offsetof(struct orr_options, member)
    {"release", "R", "NCCL release to emulate, such as 2.27.7 (default: see `orrery releases`)",
     ASKING | ORR_CMD_COMPARE | ORR_CMD_CHECK_LOG | ORR_CMD_RELEASES | ORR_CMD_SETTINGS | ORR_CMD_DETECT |
         ORR_CMD_CONVERT,
     VALUE, AT(release)},
    {"hosts", "N", "so many identical hosts in one communicator (default: 1; check-log: as the log tells)",
     ASKING | ORR_CMD_COMPARE | ORR_CMD_CHECK_LOG, VALUE, AT(hosts)},
    {"topology", "FILE", "the machine, as any input tells it (default: the one that the log prints)", ORR_CMD_CHECK_LOG,
     VALUE, AT(topology)},
    {"communicator", "N", "which one of the log is compared (default: the one with the most ranks)", ORR_CMD_CHECK_LOG,
     VALUE, AT(communicator)},
    {"extract", NULL, "print the topology XML that the log's tree gives, compare nothing", ORR_CMD_CHECK_LOG, FLAG,
     AT(extract)},
    {"cluster", "FILE", "JSON file that lists the hosts: {\"hosts\": [{\"topology\": PATH, \"count\": N}, ...]}",
     ASKING, VALUE, AT(cluster)},
    {"set", "NAME=VALUE", "an NCCL setting; may be given several times",
     ASKING | DETECTING | ORR_CMD_COMPARE | ORR_CMD_CHECK_LOG, SETTING, 0},
    {"against", "R|NAME=VALUE",
     "print what changes, and why, with that release or setting instead; may be given several times", ORR_CMD_ANALYZE,
     AGAINST, 0},
    {"layout", "SIZES", "how ranks form groups: tp=8,pp=4,dp=16, with any of tp, cp, dp, pp, ep",
     ORR_CMD_GROUPS | ORR_CMD_P2P, VALUE, AT(layout)},
    {"group", "KIND:N", "the communicator of that group of the layout, such as ep:0", ORR_CMD_P2P, VALUE, AT(group)},
    {"ranks", "N|N-M", "of these ranks alone (default: all)", ORR_CMD_P2P, VALUE, AT(ranks)},
    {"rounds", "N|N-M", "these rounds alone (default: all)", ORR_CMD_P2P, VALUE, AT(rounds)},
    {"lines", NULL, "a line of JSON for each ring and tree, or rank and round (NDJSON), instead of one document",
     ORR_CMD_CHANNELS | ORR_CMD_P2P, FLAG, AT(lines)},
    {"strict", NULL, "refuse what NCCL's own reader would refuse", ASKING | ORR_CMD_COMPARE, FLAG, AT(strict)},
    {"majority", NULL, "hold three dumps or more against what most of them are like", ORR_CMD_COMPARE, FLAG,
     AT(majority)},
    {"assume", "TYPE", "fill in what the input does not tell from a machine type (`orrery machines`)",
     ASKING | ORR_CMD_CONVERT | ORR_CMD_CHECK_LOG, VALUE, AT(assume)},
    {"gpus", "IDS", "bus ids of the GPUs in the virtual machine, in the order of the real ones or as REAL=NEW,...",
     ORR_CMD_VM_FILE, VALUE, AT(gpus)},
    {"nics", "IDS", "the same for NICs", ORR_CMD_VM_FILE, VALUE, AT(nics)},
    {"section", "NAME", "print one section only, such as paths or graphs", ORR_CMD_ANALYZE, VALUE, AT(section)},
    {"pretty", NULL, "indent the JSON", ORR_CMD_ANALYZE | ORR_CMD_COMPARE | ORR_CMD_GROUPS, FLAG, AT(pretty)},
    {"view", "VIEW", "system, ring, tree, path or collnet_direct (default: system)", ORR_CMD_RENDER, VALUE, AT(view)},
    {"why", "DECISION", "path, p2p, gdr, nic, pxn, graph, tree, channels, nvls or algorithm", ORR_CMD_EXPLAIN, VALUE,
     AT(why)},
    {"channel", "C", "channel of the ring or tree (default: 0)", ORR_CMD_RENDER | ORR_CMD_EXPLAIN, VALUE, AT(channel)},
    {"from", "ID", "start of the path: GPU/0-1b000, rank:0 or a bus id", ORR_CMD_RENDER | ORR_CMD_EXPLAIN, VALUE,
     AT(from)},
    {"to", "ID", "end of the path", ORR_CMD_RENDER | ORR_CMD_EXPLAIN, VALUE, AT(to)},
    {"graph", "GRAPH", "ring, tree, nvls, collnet_chain or collnet_direct (default: ring)", ORR_CMD_EXPLAIN, VALUE,
     AT(graph)},
    {"collective", "NAME", "AllReduce, AllGather, ReduceScatter, Broadcast or Reduce (default: AllReduce)",
     ORR_CMD_EXPLAIN, VALUE, AT(collective)},
    {"bytes", "SIZE", "of the message: 1048576, 64k, 1M, 2G (default: 1M)", ORR_CMD_EXPLAIN, VALUE, AT(bytes)},
    {"format", "FORMAT", "svg, png, pdf or dot (default: svg)", ORR_CMD_RENDER, VALUE, AT(format)},
    {"theme", "THEME", "light or dark (default: light)", ORR_CMD_RENDER, VALUE, AT(theme)},
    {"output", "FILE", "write there instead of to standard output",
     ORR_CMD_RENDER | ORR_CMD_DETECT | ORR_CMD_CONVERT | ORR_CMD_VM_FILE | ORR_CMD_ANONYMISE, VALUE, AT(output)},
    {"json", NULL, "print JSON instead of text",
     ORR_CMD_RELEASES | ORR_CMD_SETTINGS | ORR_CMD_MACHINES | ORR_CMD_EXPLAIN | ORR_CMD_COMPARE | ORR_CMD_CHECK_LOG |
         ORR_CMD_DETECT,
     FLAG, AT(json)},
    {"text", NULL, "print text also where the output is no terminal", ORR_CMD_COMPARE, FLAG, AT(text)},
    {"check-config", NULL, "print the settings in force and where each comes from, say what is wrong, and end",
     ORR_CMD_SERVE, FLAG, AT(check_config)},
    {"scope", "SCOPE", "what the token allows: read, write, or read,write (default: read)", ORR_CMD_TOKEN, VALUE,
     AT(scope)},
    {"root", "DIR", "read a copied /sys and /proc, or an unpacked tar of gather, below that folder", DETECTING, VALUE,
     AT(root)},
    {"nvml", "FILE", "load that library in place of libnvidia-ml.so.1; none: ask no driver", DETECTING, VALUE,
     AT(nvml)},
    {"sm", "N", "compute capability of GPUs whose device id is not known, such as 90, where there is no driver",
     ORR_CMD_DETECT, VALUE, AT(sm)},
    {"running", NULL, "NICs merged as a running job uses them; NCCL's own dump has them apart", ORR_CMD_DETECT, FLAG,
     AT(running)},
    {"post", "URL", "keep it in that service in place of printing it, such as https://hub.example:8080", ORR_CMD_DETECT,
     VALUE, AT(post)},
    {"token-file", "FILE", "its first line is the token for --post", ORR_CMD_DETECT, VALUE, AT(token_file)},
    {"ca-file", "FILE", "certificates (PEM) that --post trusts, in place of the system's", ORR_CMD_DETECT, VALUE,
     AT(ca_file)},
    {"label", "NAME=VALUE", "label for --post; may be given several times (host is this machine's name otherwise)",
     ORR_CMD_DETECT, LABEL, 0},
    {"name", "NAME", "name for --post", ORR_CMD_DETECT, VALUE, AT(name)},
    {"patience", "SECONDS", "how long --post is tried again while the service cannot be reached (default: 300)",
     ORR_CMD_DETECT, VALUE, AT(patience)},
    {"analysis-time", "SECONDS", "give up after that time (default: never)", ORR_CMD_LIMITED, VALUE, AT(analysis_time)},
    {"analysis-memory", "BYTES", "give up where more memory is needed, such as 512M (default: never)", ORR_CMD_LIMITED,
     VALUE, AT(analysis_memory)},
    {"unpacked", "BYTES", "give up where an archive unpacks to more, such as 256M (default: never)", ORR_CMD_LIMITED,
     VALUE, AT(unpacked)},
    {"archive-entries", "N", "give up where an archive has more entries (default: never)", ORR_CMD_LIMITED, VALUE,
     AT(archive_entries)},
    {"help", NULL, "this text",
     ORR_CMD_SERVE | ASKING | DETECTING | ORR_CMD_COMPARE | ORR_CMD_CHECK_LOG | ORR_CMD_RELEASES | ORR_CMD_SETTINGS |
         ORR_CMD_TOKEN | ORR_CMD_CONVERT | ORR_CMD_VM_FILE | ORR_CMD_ANONYMISE | ORR_CMD_MACHINES,
     FLAG, AT(help)},
#undef AT
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

static const struct option *find(const char *name, size_t length, unsigned bit)
{
    for (int i = 0; i < ROW_COUNT; i++)
        if ((rows[i].commands & bit) && strlen(rows[i].name) == length && !strncmp(rows[i].name, name, length))
            return &rows[i];
    return NULL;
}

static bool wrong(const char *command, const char *what, const char *which)
{
    fprintf(stderr, "orrery %s: %s%s\n  `orrery %s --help` lists the options\n", command, what, which, command);
    return false;
}

static bool apply(const struct option *option, const char *value, const char *command, struct orr_options *options)
{
    void *place = (char *)options + option->at;
    if (option->kind == FLAG) {
        *(bool *)place = true;
    } else if (option->kind == VALUE) {
        *(const char **)place = value;
    } else if (option->kind == AGAINST) {
        if (options->against_count == ORR_MAX_AGAINST)
            return wrong(command, "too many times --against ", value);
        options->against[options->against_count++] = value;
    } else if (option->kind == LABEL) {
        if (options->label_count == ORR_MAX_LABELS || !strchr(value, '='))
            return wrong(command, "--label wants NAME=VALUE, not ", value);
        options->labels[options->label_count++] = value;
    } else {
        if (options->setting_count == ORR_MAX_SETTINGS || !strchr(value, '='))
            return wrong(command, "--set wants NAME=VALUE, not ", value);
        options->settings[options->setting_count++] = value;
    }
    return true;
}

/* A setting of the service; *at moves on where its value is the next argument. */
static bool apply_setting(int count, char **arguments, int *at, const struct orr_config_row *row, const char *value,
                          const char *command, struct orr_config *config)
{
    struct orr_error err = {0};
    if (!value && row->value) {
        if (*at + 1 == count)
            return wrong(command, "a value is missing behind ", arguments[*at]);
        value = arguments[++*at];
    }
    if (orr_config_set(config, row, value, ORR_CONFIG_FLAG, &err) == ORR_OK)
        return true;
    return wrong(command, err.text, "");
}

bool orr_options_read(int count, char **arguments, const char *command, unsigned bit, enum orr_files files,
                      struct orr_options *options)
{
    bool only_files = false;
    options->files = arguments;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (!only_files && !strcmp(argument, "--")) {
            only_files = true;
        } else if (!only_files && (!strcmp(argument, "-h"))) {
            options->help = true;
        } else if (!only_files && argument[0] == '-' && argument[1]) {
            const char *name = argument + (argument[1] == '-' ? 2 : 1), *value = strchr(name, '=');
            size_t length = value ? (size_t)(value - name) : strlen(name);
            const struct option *option = argument[1] == '-' ? find(name, length, bit) : NULL;
            const struct orr_config_row *row =
                argument[1] == '-' && options->config ? orr_config_find(name, length) : NULL;
            if (row) {
                if (!apply_setting(count, arguments, &i, row, value ? value + 1 : NULL, command, options->config))
                    return false;
                continue;
            }
            if (!option)
                return wrong(command, "there is no option ", argument);
            if (option->kind == FLAG && value)
                return wrong(command, "no value is wanted by ", argument);
            if (option->kind != FLAG && !value && i + 1 == count)
                return wrong(command, "a value is missing behind ", argument);
            if (!apply(option, option->kind == FLAG ? NULL : value ? value + 1 : arguments[++i], command, options))
                return false;
        } else if (files == ORR_NO_FILE || (files == ORR_ONE_FILE && options->file)) {
            return wrong(command, "unexpected argument ", argument);
        } else {
            arguments[options->file_count++] = arguments[i]; /* in places that were read already */
            options->file = arguments[0];
        }
    }
    return true;
}

bool orr_option_row(unsigned bit, size_t i, struct orr_option_row *ret_row)
{
    for (int k = 0; k < ROW_COUNT; k++)
        if ((rows[k].commands & bit) && i-- == 0) {
            *ret_row = (struct orr_option_row){.name = rows[k].name, .value = rows[k].value, .help = rows[k].help};
            return true;
        }
    if (bit != ORR_CMD_SERVE || i >= orr_config_row_count)
        return false;
    const struct orr_config_row *row = &orr_config_rows[i];
    *ret_row = (struct orr_option_row){
        .group = orr_config_group_titles[row->group],
        .name = row->name,
        .value = row->value,
        .help = row->help,
        .fallback = row->kind == ORR_CONFIG_BOOL ? NULL : row->fallback,
    };
    orr_config_variable(row, ret_row->variable);
    return true;
}

void orr_options_help(unsigned bit)
{
    for (int i = 0; i < ROW_COUNT; i++) {
        char name[48];
        if (!(rows[i].commands & bit))
            continue;
        snprintf(name, sizeof name, "--%s%s%s", rows[i].name, rows[i].value ? " " : "",
                 rows[i].value ? rows[i].value : "");
        printf("  %-26s %s\n", name, rows[i].help);
    }
    if (bit == ORR_CMD_SERVE)
        orr_config_help(stdout);
}
