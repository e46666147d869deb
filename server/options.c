#include "server/options.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

enum kind { FLAG, VALUE, SETTING, AGAINST };

static const struct option {
    const char *name, *value, *help; /* value: what --help calls it, NULL for a flag */
    unsigned commands;
    enum kind kind;
    size_t at; /* in struct orr_options */
} rows[] = {
#define AT(member) offsetof(struct orr_options, member)
    {"release", "R", "NCCL release to emulate, such as 2.27.7 (default: see `orrery releases`)",
     ORR_CMD_ANALYZE | ORR_CMD_RENDER | ORR_CMD_RELEASES | ORR_CMD_SETTINGS, VALUE, AT(release)},
    {"hosts", "N", "so many identical hosts in one communicator (default: 1)", ORR_CMD_ANALYZE | ORR_CMD_RENDER, VALUE,
     AT(hosts)},
    {"cluster", "FILE", "JSON file that lists the hosts: {\"hosts\": [{\"topology\": PATH, \"count\": N}, ...]}",
     ORR_CMD_ANALYZE | ORR_CMD_RENDER, VALUE, AT(cluster)},
    {"set", "NAME=VALUE", "an NCCL setting; may be given several times", ORR_CMD_ANALYZE | ORR_CMD_RENDER, SETTING, 0},
    {"against", "R|NAME=VALUE",
     "print what changes, and why, with that release or setting instead; may be given several times", ORR_CMD_ANALYZE,
     AGAINST, 0},
    {"strict", NULL, "refuse what NCCL's own reader would refuse", ORR_CMD_ANALYZE | ORR_CMD_RENDER, FLAG, AT(strict)},
    {"section", "NAME", "print one section only, such as paths or graphs", ORR_CMD_ANALYZE, VALUE, AT(section)},
    {"pretty", NULL, "indent the JSON", ORR_CMD_ANALYZE, FLAG, AT(pretty)},
    {"view", "VIEW", "system, ring, tree or path (default: system)", ORR_CMD_RENDER, VALUE, AT(view)},
    {"channel", "C", "channel of the ring or tree (default: 0)", ORR_CMD_RENDER, VALUE, AT(channel)},
    {"from", "ID", "start of the path: GPU/0-1b000, rank:0 or a bus id", ORR_CMD_RENDER, VALUE, AT(from)},
    {"to", "ID", "end of the path", ORR_CMD_RENDER, VALUE, AT(to)},
    {"format", "FORMAT", "svg, png, pdf or dot (default: svg)", ORR_CMD_RENDER, VALUE, AT(format)},
    {"theme", "THEME", "light or dark (default: light)", ORR_CMD_RENDER, VALUE, AT(theme)},
    {"output", "FILE", "write there instead of to standard output", ORR_CMD_RENDER, VALUE, AT(output)},
    {"json", NULL, "print JSON instead of text", ORR_CMD_RELEASES | ORR_CMD_SETTINGS, FLAG, AT(json)},
    {"listen", "ADDR:PORT", "where to listen; port 0 takes a free one (default: 127.0.0.1:8080)", ORR_CMD_SERVE, VALUE,
     AT(listen)},
    {"database", "URL|PATH",
     "postgresql://USER@HOST/DB, or a file (default: ~/.local/state/orrery/orrery.db), or :memory:", ORR_CMD_SERVE,
     VALUE, AT(database)},
    {"database-timeout", "SECONDS", "longest that one statement of the database may take (default: 10)", ORR_CMD_SERVE,
     VALUE, AT(database_timeout)},
    {"database-connections", "N", "most connections to PostgreSQL (default: 8)", ORR_CMD_SERVE, VALUE,
     AT(database_connections)},
    {"keep-days", "N", "delete dumps that nobody uploaded for so many days (default: 0, never)", ORR_CMD_SERVE, VALUE,
     AT(keep_days)},
    {"keep-count", "N", "keep so many dumps at most, the last uploaded (default: 0, all)", ORR_CMD_SERVE, VALUE,
     AT(keep_count)},
    {"static", "DIR", "folder of the page (default: beside the program or where it was installed)", ORR_CMD_SERVE,
     VALUE, AT(static_folder)},
    {"max-body", "BYTES", "largest dump that is taken (default: 16777216)", ORR_CMD_SERVE, VALUE, AT(max_body)},
    {"cache", "BYTES", "ceiling of the memory for finished answers (default: 268435456)", ORR_CMD_SERVE, VALUE,
     AT(cache)},
    {"threads", "N", "threads that serve, and as many that compute (default: one a core)", ORR_CMD_SERVE, VALUE,
     AT(threads)},
    {"connections", "N", "most connections at once (default: 1024)", ORR_CMD_SERVE, VALUE, AT(connections)},
    {"timeout", "SECONDS", "a connection that is silent for so long is closed (default: 30)", ORR_CMD_SERVE, VALUE,
     AT(timeout)},
    {"grace", "SECONDS", "time for requests in flight after SIGTERM (default: 10)", ORR_CMD_SERVE, VALUE, AT(grace)},
    {"insecure", NULL, "allow listening beyond this machine, though anyone who reaches it may read and write",
     ORR_CMD_SERVE, FLAG, AT(insecure)},
    {"quiet", NULL, "no access log", ORR_CMD_SERVE, FLAG, AT(quiet)},
    {"help", NULL, "this text", ORR_CMD_SERVE | ORR_CMD_ANALYZE | ORR_CMD_RENDER | ORR_CMD_RELEASES | ORR_CMD_SETTINGS,
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
    } else {
        if (options->setting_count == ORR_MAX_SETTINGS || !strchr(value, '='))
            return wrong(command, "--set wants NAME=VALUE, not ", value);
        options->settings[options->setting_count++] = value;
    }
    return true;
}

bool orr_options_read(int count, char **arguments, const char *command, unsigned bit, bool takes_file,
                      struct orr_options *options)
{
    bool only_files = false;
    for (int i = 0; i < count; i++) {
        const char *argument = arguments[i];
        if (!only_files && !strcmp(argument, "--")) {
            only_files = true;
        } else if (!only_files && (!strcmp(argument, "-h"))) {
            options->help = true;
        } else if (!only_files && argument[0] == '-' && argument[1]) {
            const char *name = argument + (argument[1] == '-' ? 2 : 1), *value = strchr(name, '=');
            const struct option *option =
                argument[1] == '-' ? find(name, value ? (size_t)(value - name) : strlen(name), bit) : NULL;
            if (!option)
                return wrong(command, "there is no option ", argument);
            if (option->kind == FLAG && value)
                return wrong(command, "no value is wanted by ", argument);
            if (option->kind != FLAG && !value && i + 1 == count)
                return wrong(command, "a value is missing behind ", argument);
            if (!apply(option, option->kind == FLAG ? NULL : value ? value + 1 : arguments[++i], command, options))
                return false;
        } else if (!takes_file || options->file) {
            return wrong(command, "unexpected argument ", argument);
        } else {
            options->file = argument;
        }
    }
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
        printf("  %-22s %s\n", name, rows[i].help);
    }
}
