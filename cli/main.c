/* SPDX-License-Identifier: Apache-2.0 */
/* orrery: one program, a table of commands (commands.c). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/describe.h"
#include "cli/help.h"
#include "cli/service.h"
#include "cli/terminal.h"
#include "engine/base/version.h"
#include "engine/input/input.h"
#include "engine/log_reading/log.h"
#include "engine/nccltests/results.h"

/* Whether a text holds results in any form that check-perf reads; in a log, sentences with figures do not count. */
static bool has_results(const char *text, size_t length, bool log)
{
    struct orr_results_limits limits = orr_results_default_limits;
    ORR_LOCAL(orr_results, results);
    struct orr_error none = {0};
    limits.without_log = true;
    return orr_results_read(text, length, &limits, &results, &none) == ORR_OK && !(log && results->summary);
}

static bool has_one(const char *text, size_t length, const char *const *words, size_t count)
{
    bool found = false;
    for (size_t i = 0; i < count && !found; i++)
        found = memmem(text, length, words[i], strlen(words[i]));
    return found;
}
#define ORR_HAS_ONE(text, length, words) has_one(text, length, words, sizeof(words) / sizeof *(words))

/* Whether a line of a text is one that check-log explains. */
static bool reads_as_log(const char *text, size_t length)
{
    struct orr_error ignored = {0};
    ORR_LOCAL(orr_log, log);
    return orr_log_read(text, length, NULL, &log, &ignored) == ORR_OK && log;
}

/* Whether a line of a text says that something failed. */
static bool text_fails(const char *text, size_t length)
{
    struct orr_log_limits limits = orr_log_default_limits;
    struct orr_error ignored = {0};
    ORR_LOCAL(orr_log, log);
    limits.any_text = true;
    bool fails = false;
    if (orr_log_read(text, length, &limits, &log, &ignored) == ORR_OK)
        for (uint32_t i = 0; i < log->event_count && !fails; i++)
            fails = !log->events[i].message || log->events[i].message->weight >= ORR_WEIGHT_FATAL;
    return fails;
}

/* The command for a file without a command: results and logs have commands of their own; "show" for a machine, for an
 * unreadable file, and if there are options, which belong to `show`. If a failure ended the rows of results, check-log
 * is right. */
static const char *command_for(const char *file)
{
    enum { LOOKED_AT = 1 << 20 };
    static const char *const of_failures[] = {"Test CUDA failure", "Test NCCL failure", "Watchdog caught"};
    static const char *const of_nccl[] = {" NCCL INFO ", " NCCL WARN "}; /* a release alone is not a log */
    static const char *const of_logs[] = {
        "NCCL",  "Test CUDA failure", "CUDA error", "ACSCtl:",         "LnkSta:", "NVRM: Xid",
        "busbw", "Physical state:",   "<inactive>", "Custom allreduce"};
    FILE *stream = file[0] == '-' ? NULL : fopen(file, "rb");
    char *text = stream ? malloc(LOOKED_AT) : NULL;
    const size_t length = text ? fread(text, 1, LOOKED_AT, stream) : 0;
    const struct orr_input_kind *kind = length ? orr_input_recognise(text, length) : NULL;
    const char *command = "show", *name = kind ? kind->name : "";
    const bool log = !strcmp(name, "nccl-log") || (kind && length && orr_log_is_one(text, length));
    const bool fails = kind && !strcmp(name, "nvidia-smi-topo") && text_fails(text, length);
    const bool plain = length && !memchr(text, 0, length) && text[0] != '<' && text[0] != '{' &&
                       (!kind || !strcmp(name, "nccl-log") || !strcmp(name, "nvidia-smi-topo"));
    if (plain && (log || fails || (!kind && (ORR_HAS_ONE(text, length, of_logs) || reads_as_log(text, length)))))
        command = "check-log";
    if (plain && !ORR_HAS_ONE(text, length, of_failures) &&
        has_results(text, length, log && ORR_HAS_ONE(text, length, of_nccl)))
        command = "check-perf";
    free(text);
    if (stream)
        fclose(stream);
    return command;
}

/* `orrery FILE` and `orrery --hosts 2 FILE` are `orrery show`: a file, a path, or an option. */
static bool is_to_show(const char *name)
{
    return !access(name, F_OK) || name[0] == '-' || strpbrk(name, "./");
}

/* The arguments in their original order; reading options permutes them. */
static char **as_given;

static int run(const struct orr_command *command, int count, char **arguments)
{
    struct orr_options options = {0};
    struct orr_config config;
    if (command->bits & ORR_CMD_SERVE) {
        orr_config_init(&config);
        options.config = &config;
    }
    int status = orr_options_read(count, arguments, command, &options);
    if (status)
        return status;
    if (!options.help && orr_goes_to_service(&options))
        return orr_go_to_service(as_given);
    if (!options.help) {
        status = command->bits & ORR_CMD_LIMITED ? orr_budget_of_options(&options) : ORR_EXIT_OK;
        if (!status)
            status = command->run(&options);
        orr_progress_end();
        if (status)
            orr_budget_interrupted();
        free(options.tuner);
        return status;
    }
    return orr_help_command(command, &options, ORR_HELP_SCREEN);
}

static const struct {
    const char *shell;
    void (*write)(const struct orr_command *commands, size_t count, FILE *out);
} completions[] = {{"bash", orr_bash_completion}, {"zsh", orr_zsh_completion}, {"fish", orr_fish_completion}};

int main(int count, char **arguments)
{
    const char *name = count > 1 ? arguments[1] : "";
    if (!strcmp(name, "render-worker")) /* for the program itself: see cli/service.h */
        return orr_work_for_service(arguments);
    orr_clean_errors();
    if (!strcmp(name, "--help") || !strcmp(name, "-h") || !strcmp(name, "help"))
        return orr_help(count > 2 ? arguments[2] : NULL);
    if (!strcmp(name, "--version")) {
        printf("orrery %s\n", orr_version());
        return ORR_EXIT_OK;
    }
    if (!strcmp(name, "man")) { /* for the build: see describe.h */
        const struct orr_command *one = count > 3 ? orr_command_find(arguments[3]) : NULL;
        if (one)
            orr_man_page_of(one, arguments[2], stdout);
        else
            orr_man_page(orr_commands, orr_command_count, count > 2 ? arguments[2] : "", stdout);
        return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
    }
    if (!strcmp(name, "reference") && count > 2) { /* for docs/reference */
        if (!strcmp(arguments[2], "settings"))
            orr_reference_settings(stdout);
        else
            orr_reference_commands(orr_commands, orr_command_count, stdout);
        return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
    }
    for (size_t i = 0; i < sizeof completions / sizeof completions[0] && !strcmp(name, "completion") && count > 2;
         i++) {
        if (strcmp(arguments[2], completions[i].shell) != 0)
            continue;
        completions[i].write(orr_commands, orr_command_count, stdout);
        return fflush(stdout) ? ORR_EXIT_INPUT : ORR_EXIT_OK;
    }
    if (!(as_given = calloc((size_t)count + 1, sizeof *as_given)))
        return ORR_EXIT_INPUT;
    memcpy(as_given, arguments, (size_t)count * sizeof *as_given);
    const struct orr_command *command = orr_command_find(name);
    if (command)
        return run(command, count - 2, arguments + 2);
    if (*name && is_to_show(name)) {
        const char *shows = count == 2 ? command_for(name) : "show";
        char text[] = "--text", *people[] = {text, arguments[1], NULL};
        const bool perf = !strcmp(shows, "check-perf");
        return run(orr_command_find(shows), perf ? 2 : count - 1, perf ? people : arguments + 1);
    }
    if (*name)
        fprintf(stderr, "orrery: unknown command \"%s\"\n  `orrery help` lists the commands\n", name);
    else
        fprintf(stderr, "usage: orrery COMMAND [options]\n       orrery FILE\n  `orrery help` lists the commands\n");
    return ORR_EXIT_USAGE;
}
