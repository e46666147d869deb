/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about a GPU or a host that differs from its equals: NVLinks that are not in use, a NIC that one host does not
 * use. */
#include <string.h>

#include "engine/base/words.h"
#include "engine/symptoms/finding.h"

enum { GPUS = 16 };

struct gpu {
    int number;
    uint32_t active, inactive, line;
};

/* The links of each GPU in `nvidia-smi nvlink -s`. */
static uint32_t count_links(const struct orr_log *log, struct gpu gpus[GPUS])
{
    uint32_t count = 0;
    struct gpu *gpu = NULL;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind == ORR_LOG_GPU_NAME && record->value_count) {
            gpu = NULL;
            for (uint32_t k = 0; k < count; k++)
                if (gpus[k].number == (int)record->values[0])
                    return 0; /* listed again, maybe on another host */
            if (count < GPUS) {
                gpu = &gpus[count++];
                *gpu = (struct gpu){.number = (int)record->values[0]};
            }
        } else if (record->kind == ORR_LOG_NVLINK && gpu) {
            const bool active = record->value_count > 1;
            gpu->line = active || gpu->inactive ? gpu->line : record->line;
            gpu->active += active;
            gpu->inactive += !active;
        }
    }
    return count;
}

static void inactive_links(struct orr_symptom_finder *f)
{
    struct gpu gpus[GPUS];
    const uint32_t count = count_links(f->log, gpus);
    const struct gpu *worst = NULL;
    uint32_t most = 0, worse = 0;
    for (uint32_t i = 0; i < count; i++)
        most = gpus[i].active > most ? gpus[i].active : most;
    for (uint32_t i = 0; i < count; i++) {
        const bool lacks = gpus[i].active < most && gpus[i].inactive;
        worse += lacks;
        if (lacks && (!worst || gpus[i].active < worst->active))
            worst = &gpus[i];
    }
    if (!worst)
        return;
    ORR_SYMPTOM(f, "nvlinks-unequal", ORR_SYMPTOM_CAUSE, worst->line, .slows = true, .explains = "nvlink-inactive",
                .cause = orr_symptom_text(f,
                                          "GPU %d uses %u of its %u NVLinks (line %u), and others use %u%s: rings pass "
                                          "through every GPU, so all of them are as slow as this one.",
                                          worst->number, worst->active, worst->active + worst->inactive, worst->line,
                                          most, worse > 1 ? orr_symptom_text(f, " (%u GPUs lack some)", worse) : ""),
                .check = "Check: `nvidia-smi nvlink -s` and -e (errors), and `dmesg | grep -i -e nvlink -e Xid`; with "
                         "NVSwitches, Fabric Manager's log.",
                .cure = "Reset the GPUs or restart the host. If the links stay down, the board, the bridge or the GPU "
                        "is at fault: take the host out and have it repaired.");
}

/* Names of the NICs in "NET/IB : Using" of a host, that of the first line of each host. */
struct list {
    const char *host;
    const struct orr_log_record *record;
    uint32_t count;
};

static bool has_nic(const struct orr_symptom_finder *f, const struct list *list, const char *name)
{
    return strstr(list->record->words[1], orr_symptom_text(f, "]%s:", name));
}

/* One host uses fewer NICs than the others, by NCCL's own lists. */
static void fewer_nics(struct orr_symptom_finder *f)
{
    enum { HOSTS = 32 };
    const struct orr_log *log = f->log;
    struct list lists[HOSTS];
    struct orr_log_nic nics[ORR_LOG_NICS];
    uint32_t count = 0;
    const struct list *most = NULL, *least = NULL;
    for (uint32_t i = 0; i < log->record_count && count < HOSTS; i++) {
        const struct orr_log_record *record = &log->records[i];
        const char *host = orr_log_host_of(log, &log->sessions[record->session]);
        if (record->kind != ORR_LOG_NIC_LIST || record->word_count < 2 || strncmp(record->words[0], "IB", 2) != 0 ||
            !host)
            continue;
        bool known = false;
        for (uint32_t k = 0; k < count; k++)
            known |= !strcmp(lists[k].host, host);
        if (!known)
            lists[count++] = (struct list){host, record, orr_log_read_nics(record->words[1], nics)};
    }
    for (uint32_t k = 0; k < count; k++) {
        most = !most || lists[k].count > most->count ? &lists[k] : most;
        least = !least || lists[k].count < least->count ? &lists[k] : least;
    }
    if (!least || !least->count || least->count == most->count ||
        orr_log_event_of(log, "ib-open-device|ib-open-call|ib-query-device")) /* which say why */
        return;
    const char *lacks = "";
    const uint32_t all = orr_log_read_nics(most->record->words[1], nics);
    for (uint32_t i = 0; i < all; i++)
        if (!has_nic(f, least, nics[i].name))
            lacks = orr_symptom_text(f, "%s%s%.40s", lacks, *lacks ? ", " : "", nics[i].name);
    ORR_SYMPTOM(f, "nics-of-one-host", ORR_SYMPTOM_CAUSE, least->record->line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "Host %.60s uses %u NIC%s (line %u), and %.60s %u (line %u): it lacks %.200s. Rings pass through "
                    "every host, so the job is as slow as that one.",
                    least->host, least->count, orr_plural(least->count), least->record->line, most->host, most->count,
                    most->record->line, *lacks ? lacks : "as many of other names"),
                .check = orr_symptom_text(
                    f,
                    "If `ibstat` on %.60s does not say Active for these ports, repair the cable, transceiver or switch "
                    "port. If `ls /sys/class/infiniband` in the job lacks them, give the container these devices.",
                    least->host),
                .cure = orr_symptom_text(
                    f,
                    "If NCCL_IB_HCA on %.60s leaves them out, set it as on the others. Until then leave that host out.",
                    least->host));
}

void orr_symptoms_of_unlike(struct orr_symptom_finder *f)
{
    inactive_links(f);
    fewer_nics(f);
}
