/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of a command: by default far more than real inputs need; Ctrl-C ends the work. */
#include "engine/base/budget.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/terminal.h"

static struct orr_budget budget;

static void interrupt(int signal_number)
{
    (void)signal_number;
    orr_budget_stop(&budget, ORR_SPENT_USER);
}

int orr_budget_of_options(const struct orr_options *options)
{
    static struct orr_config config; /* the service's rows read the values, so units and bounds are the same */
    const struct {
        const char *row, *value, *otherwise;
    } given[] = {{"analysis-time", options->analysis_time, ORR_COMMAND_TIME},
                 {"analysis-memory", options->analysis_memory, ORR_COMMAND_MEMORY},
                 {"unpacked", options->unpacked, ORR_COMMAND_UNPACKED},
                 {"archive-entries", options->archive_entries, ORR_COMMAND_ENTRIES},
                 {"check", getenv("ORRERY_CHECK"), NULL}};
    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        struct orr_error err = {0};
        const struct orr_config_row *row = orr_config_find(given[i].row, strlen(given[i].row));
        const char *value = given[i].value ? given[i].value : given[i].otherwise;
        if (value && orr_config_set(&config, row, value, ORR_CONFIG_FLAG, &err) != ORR_OK)
            return orr_report(NULL, &err);
    }
    budget.time_ns = config.analysis_ms * 1000000;
    budget.memory = config.analysis_memory;
    budget.unpacked = config.unpacked;
    budget.entries = config.archive_entries;
    budget.check_systems = config.check;
    orr_budget_begin(&budget);
    /* No SA_RESTART, so that waiting for input ends, too. A second Ctrl-C has its default effect. */
    const struct sigaction action = {.sa_handler = interrupt, .sa_flags = (int)SA_RESETHAND};
    sigaction(SIGINT, &action, NULL);
    orr_progress_begin(&budget);
    return ORR_EXIT_OK;
}

void orr_budget_leave(void)
{
    orr_progress_end();
    orr_budget_end();
    signal(SIGINT, SIG_DFL);
    orr_budget_interrupted(); /* Ctrl-C may have come before that */
}

void orr_budget_interrupted(void)
{
    if (atomic_load(&budget.stop) != ORR_SPENT_USER)
        return;
    fflush(NULL);
    signal(SIGINT, SIG_DFL); /* so that the parent process, such as a shell, sees the signal */
    raise(SIGINT);
}
