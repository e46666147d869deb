/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about what a host runs in: Windows. */
#include <string.h>

#include "engine/release/detect_rules.h"
#include "engine/release/release_names.h"
#include "engine/symptoms/finding.h"

/* The first line with a word that a person or a list of software says; 0 if none has it. */
static uint32_t said(const struct orr_log *log, const char *word)
{
    for (uint32_t i = 0; i < log->said_count; i++)
        if (strstr(log->said[i].words, word))
            return log->said[i].line;
    return 0;
}

/* In WSL 2, where /sys does not show the GPUs. */
static void old_in_wsl(struct orr_symptom_finder *f)
{
    const char *name = NULL;
    const uint32_t version = orr_log_version(f->log, &name), line = said(f->log, " wsl");
    struct orr_detect_rules rules;
    bool exact;
    static const char *const events[] = {"unhandled-system", "result-system", "tests-nccl"};
    const struct orr_log_event *failed = NULL;
    for (size_t i = 0; i < sizeof events / sizeof events[0] && !failed; i++)
        failed = orr_log_event_of(f->log, events[i]);
    if (!line || !failed || !version)
        return;
    orr_detect_rules_of(orr_release_nearest(version, &exact), &rules);
    if (rules.without_sys)
        return;
    ORR_SYMPTOM(f, "wsl-release", ORR_SYMPTOM_CAUSE, failed->line,
                .cause =
                    orr_symptom_text(f,
                                     "NCCL %s does not work in WSL (line %u): it does not find the GPUs there, and "
                                     "stops with this error. 2.10.3 was the first release that does.",
                                     name, line),
                .check = "Check: with NCCL_DEBUG=INFO, the warning is about /sys/class/pci_bus.",
                .cure = "Use a newer NCCL: PyTorch 1.10 or newer brings one. For one GPU, leave torch.distributed out.",
                .explains = failed->message->id);
}

void orr_symptoms_of_host(struct orr_symptom_finder *f)
{
    old_in_wsl(f);
}
