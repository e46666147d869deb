/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about what a host runs in: Windows. */
#include "engine/release/detect_rules.h"
#include "engine/release/release_names.h"
#include "engine/symptoms/finding.h"

/* In WSL 2, where /sys does not show the GPUs. */
static void old_in_wsl(struct orr_symptom_finder *f)
{
    const char *name = NULL;
    const uint32_t version = orr_log_version(f->log, &name), line = orr_symptom_said(f->log, " wsl", true);
    struct orr_detect_rules rules;
    bool exact;
    const struct orr_log_event *failed = orr_log_event_of(f->log, "unhandled-system|result-system|tests-nccl");
    if (!line || !failed || !version)
        return;
    orr_detect_rules_of(orr_release_nearest(version, &exact), &rules);
    if (rules.without_sys)
        return;
    ORR_SYMPTOM(f, "wsl-release", ORR_SYMPTOM_CAUSE, failed->line,
                .cause = orr_symptom_text(f,
                                          "NCCL %s does not work in WSL (line %u): it does not find the GPUs there, "
                                          "and stops with this error. 2.10.3 was the first release that does.",
                                          name, line),
                .check = "Check: with NCCL_DEBUG=INFO, the warning is about /sys/class/pci_bus.",
                .cure = "Use a newer NCCL: PyTorch 1.10 or newer brings one. For one GPU, leave torch.distributed out.",
                .explains = failed->message->id);
}

void orr_symptoms_of_host(struct orr_symptom_finder *f)
{
    old_in_wsl(f);
}
