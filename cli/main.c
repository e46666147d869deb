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

/* The command for a file alone: results and logs have commands of their own. "show" for a machine, for a file that
 * cannot be read, and for options, which belong to `show`. */
static const char *command_for(const char *file)
{
    enum { LOOKED_AT = 1 << 20 };
    static const char *const of_results[] = {"out-of-place", "busbw", "algbw"};
    static const char *const of_logs[] = {"NCCL", "Test CUDA failure", "CUDA error", "ACSCtl:", "NVRM: Xid"};
    FILE *stream = file[0] == '-' ? NULL : fopen(file, "rb");
    char *text = stream ? malloc(LOOKED_AT) : NULL;
    const size_t length = text ? fread(text, 1, LOOKED_AT, stream) : 0;
    const struct orr_input_kind *kind = length ? orr_input_recognise(text, length) : NULL;
    const char *command = "show", *name = kind ? kind->name : "";
    const bool tree = length && memmem(text, length, "=== System", strlen("=== System"));
    const bool plain = length && !memchr(text, 0, length) && text[0] != '<' && text[0] != '{' && !tree &&
                       (!kind || !strcmp(name, "nccl-log") || !strcmp(name, "nvidia-smi-topo"));
    for (size_t i = 0; plain && !kind && i < sizeof of_logs / sizeof of_logs[0]; i++)
        if (memmem(text, length, of_logs[i], strlen(of_logs[i])))
            command = "check-log";
    if (plain && (!strcmp(name, "nccl-log") || (kind && orr_log_is_one(text, length))))
        command = "check-log";
    for (size_t i = 0; plain && i < sizeof of_results / sizeof of_results[0]; i++)
        if (memmem(text, length, of_results[i], strlen(of_results[i])))
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

/* The arguments of the program as they came; reading options puts them into another order. */
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
