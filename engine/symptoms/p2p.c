/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about P2P over PCIe: the driver does not offer it, or ACS or the IOMMU breaks it. */
#include <string.h>

#include "engine/symptoms/finding.h"

/* The next GPU that the log lists right after another one of its host; NULL if there are no more. *at is 0 at first,
 * then the previous result's record. */
static const struct orr_log_record *next_neighbour(const struct orr_log *log, uint32_t *at)
{
    const struct orr_log_record *before = NULL;
    for (; *at < log->record_count; ++*at) {
        const struct orr_log_record *record = &log->records[*at];
        if (record->kind != ORR_LOG_DEVICE || record->word_count < 3)
            continue;
        if (before && !strcmp(before->words[0], record->words[0]))
            return record;
        before = record;
    }
    return NULL;
}

/* A host has two GPUs of a model for which NVIDIA's driver does not offer P2P over PCIe: by nccl-tests or, if the log
 * has connections through shared memory, by `nvidia-smi -L`. */
static const struct orr_log_record *without_p2p(const struct orr_log *log, bool shm,
                                                const struct orr_gpu_model **ret_model)
{
    const struct orr_log_record *record, *listed = NULL;
    for (uint32_t at = 0; (record = next_neighbour(log, &at));) {
        *ret_model = orr_gpu_model_of_name(record->words[2]);
        if (*ret_model && (*ret_model)->p2p == ORR_NO)
            return record;
    }
    for (uint32_t i = 0; i < log->record_count && shm; i++) {
        record = &log->records[i];
        if (record->kind != ORR_LOG_GPU_NAME || !record->word_count)
            continue;
        *ret_model = orr_gpu_model_of_name(record->words[0]);
        if (!*ret_model || (*ret_model)->p2p != ORR_NO)
            return NULL;
        if (listed)
            return record;
        listed = record;
    }
    return NULL;
}

static void driver_offers_none(struct orr_symptom_finder *f)
{
    const struct orr_gpu_model *model = NULL;
    const struct orr_symptom_transports seen = orr_symptom_transports(f->log);
    const struct orr_log_record *record = without_p2p(f->log, seen.shm > 0, &model);
    if (!record || seen.p2p || orr_log_event_of(f->log, "p2p-matrix-ok"))
        return;
    ORR_SYMPTOM(f, "p2p-not-offered", orr_symptom_failed(f->log) ? ORR_SYMPTOM_NOTE : ORR_SYMPTOM_CAUSE, record->line,
                .cause = orr_symptom_text(f,
                                          "NVIDIA's driver offers no P2P between these GPUs (%.60s), so NCCL sends all "
                                          "data between them through host memory. GPUs below one PCIe switch then "
                                          "share its link to the CPU, and can be slower than GPUs of two sockets.",
                                          record->words[record->word_count - 1]),
                .check = "Check: `nvidia-smi topo -p2p r` says NS or CNS for each pair.",
                .cure = "No setting of NCCL changes this; use GPUs whose driver offers P2P, or keep traffic between "
                        "these GPUs small.");
}

/* Whether a line names several of a card: "2x RTX 4090", "two RTX 4090 GPUs", "dual RTX 5090". */
static bool says_several(const struct orr_log_said *said, const char *card)
{
    const char *text = said->words;
    if (orr_log_says(said, 1, 0, "gpus|x rtx|x nvidia|ual |wo |our |ight |90s|80s|cards"))
        return true;
    while (card > text && card[-1] != ' ')
        card--; /* "NVIDIA", "GeForce" */
    return card > text + 1 && card[-2] >= '2' && card[-2] <= '9';
}

/* The same of cards that only words name. */
static void none_between_said(struct orr_symptom_finder *f)
{
    const struct orr_log_said *hang = f->log->mentions[ORR_MENTION_HANG], *said = f->log->mentions[ORR_MENTION_GEFORCE];
    const char *card = said ? strstr(said->words, " rtx ") : NULL;
    const struct orr_gpu_model *model = card ? orr_gpu_model_of_name(card + 1) : NULL;
    uint32_t at = 0;
    for (uint32_t i = 0; i < f->found->count; i++)
        if (!strcmp(f->found->rows[i].id, "p2p-not-offered"))
            return; /* by lines of tools */
    if (!model || model->p2p != ORR_NO || (!says_several(said, card) && f->log->kinds[ORR_LOG_GPU_NAME] < 2) ||
        next_neighbour(f->log, &at) || orr_symptom_transports(f->log).p2p ||
        orr_symptom_said(f->log, ORR_SAID_MACHINE_STOPS, false) ||
        orr_log_event_of(f->log, "p2p-matrix-ok|peer-access-can|peer-access-yes") ||
        orr_symptom_said(f->log, "no devices were found;" ORR_SAID_PATCHED, true) ||
        f->log->mentions[ORR_MENTION_P2P_OFF])
        return;
    ORR_SYMPTOM(f, "p2p-not-offered",
                orr_symptom_failed(f->log) || orr_log_event_of(f->log, "invalid-usage") ||
                        orr_symptom_said(f->log, "symmetric|symm mem", true)
                    ? ORR_SYMPTOM_NOTE
                    : ORR_SYMPTOM_CAUSE,
                said->line,
                .cause = orr_symptom_text(f,
                                          "NVIDIA's driver offers no P2P between %s cards (line %u), so NCCL sends all "
                                          "data between them through host memory%s",
                                          orr_gpu_model_said(model), said->line,
                                          hang ? ". If the job hangs all the same, the driver may offer P2P that does "
                                                 "not work: run once with NCCL_P2P_DISABLE=1."
                                               : ", and no setting changes it."),
                .check =
                    "Check: `nvidia-smi topo -p2p r` says NS or CNS for each pair; paste it with `nvidia-smi topo -m`.",
                .cure = "If `nvidia-smi topo -p2p r` says OK, the driver is patched or at fault: run once with "
                        "NCCL_P2P_DISABLE=1.");
}

/* Whether the text lists a GeForce card. */
static bool lists_geforce(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if ((record->kind == ORR_LOG_GPU_NAME || record->kind == ORR_LOG_DEVICE) && record->word_count &&
            strstr(record->words[record->word_count - 1], "GeForce"))
            return true;
    }
    return false;
}

/* CUDA refuses P2P, by NCCL's own line, or by a matrix of GeForce cards. */
static void refused_by_cuda(struct orr_symptom_finder *f)
{
    const struct orr_log_event *refused = orr_log_event_of(f->log, "p2p-refused");
    const struct orr_log_event *matrix = orr_log_event_of(f->log, "p2p-matrix-refused");
    uint32_t at = 0;
    refused = refused ? refused : orr_symptom_transports(f->log).shm && lists_geforce(f->log) ? matrix : NULL;
    if (!refused || next_neighbour(f->log, &at) || orr_symptom_transports(f->log).p2p ||
        orr_log_event_of(f->log, "acs-on|iommu-translated"))
        return;
    ORR_SYMPTOM(
        f, "p2p-refused", orr_symptom_failed(f->log) ? ORR_SYMPTOM_NOTE : ORR_SYMPTOM_CAUSE, refused->line,
        .cause = orr_symptom_text(f,
                                  "CUDA offers no P2P between these GPUs (line %u), so NCCL sends their data "
                                  "through host memory. That is not an error.",
                                  refused->line),
        .check = matrix ? "Check: in `nvidia-smi topo -p2p r`, CNS means the chipset with these cards, GNS and NS "
                          "the GPU or its driver; RTX 30 cards have P2P over an NVLink bridge."
                        : "Check: `nvidia-smi topo -p2p r` says why: CNS means that the chipset does not support it, "
                          "GNS the GPU; OK there means that a container or the IOMMU prevents it.",
        .cure = "No setting of NCCL changes it.", .explains = "p2p-disabled");
}

/* The model of GPUs of one host, NULL if lines do not say; *ret_nvlink: it has NVLink, or a matrix shows one. */
static const struct orr_gpu_model *neighbours(const struct orr_log *log, bool *ret_nvlink)
{
    uint32_t at = 0;
    const struct orr_log_record *record = next_neighbour(log, &at);
    const struct orr_gpu_model *model = record ? orr_gpu_model_of_name(record->words[2]) : NULL;
    *ret_nvlink = (model && model->nvlink) || orr_log_event_of(log, "matrix-nvlink");
    return model;
}

/* NCCL uses P2P over PCIe, and the job stops at its first transfers. */
static void p2p_stops(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    bool nvlink;
    const struct orr_gpu_model *model = neighbours(log, &nvlink);
    const struct orr_log_said *hang = log->mentions[ORR_MENTION_HANG];
    const bool waits = (log->kinds[ORR_LOG_TEST_START] && !log->test_rows) || orr_log_event_of(log, "watchdog-timeout");
    if (nvlink || !orr_symptom_transports(log).p2p || orr_symptom_acs_refuted(log) || orr_log_event_of(log, "acs-on") ||
        orr_log_event_of(log, "iommu-translated") || orr_log_event_of(log, "socket-magic") ||
        !(hang || (model && waits)))
        return;
    for (uint32_t i = 0; i < log->event_count; i++)
        if (log->events[i].message && log->events[i].message->weight == ORR_WEIGHT_FATAL)
            return;
    ORR_SYMPTOM(
        f, "p2p-stops", ORR_SYMPTOM_CAUSE, hang ? hang->line : 0,
        .cause = orr_symptom_text(
            f, "NCCL uses P2P%s, and %s. Run once with NCCL_P2P_DISABLE=1: if the job then works, P2P is at fault.%s",
            !model ? ""
                   : orr_symptom_text(f, " over PCIe between these GPUs (%.*s)%s", (int)strcspn(model->names, "|"),
                                      model->names,
                                      model->p2p == ORR_NO ? ", which NVIDIA's own driver does not offer" : ""),
            hang ? orr_symptom_text(f, "the text mentions a hang (line %u)", hang->line) : "no transfer ends",
            orr_symptom_of_driver(f)),
        .check = ORR_ACS_CHECK, .cure = ORR_ACS_CURE);
}

/* p2pBandwidthLatencyTest shows that P2P is slower than copies through host memory. */
static bool slower_than_host(struct orr_symptom_finder *f)
{
    const double MUCH = 0.7;
    const struct orr_log_peer_rates *rates = &f->log->peer_rates;
    for (uint32_t i = 0; i < f->found->count; i++)
        if (!strcmp(f->found->rows[i].id, "slow-gpu"))
            return true;
    if (!rates->line || rates->on >= MUCH * rates->off || orr_symptom_acs_refuted(f->log) ||
        orr_log_event_of(f->log, "acs-on|iommu-translated|iommu-fault|dmar-fault"))
        return false;
    ORR_SYMPTOM(f, "p2p-slower", ORR_SYMPTOM_CAUSE, rates->line,
                .cause =
                    orr_symptom_text(f,
                                     "P2P from GPU %d to GPU %d reaches %.3g GB/s (line %u), and copies through host "
                                     "memory %.3g, so something slows or breaks P2P.",
                                     rates->from, rates->to, rates->on, rates->line, rates->off),
                .check = ORR_ACS_CHECK,
                .cure = ORR_ACS_CURE " If `nvidia-smi topo -m` says SYS for the two, CPUs of two sockets forward P2P "
                                     "slowly: set NCCL_P2P_LEVEL=PHB.");
    return true;
}

/* p2pBandwidthLatencyTest reaches with and without P2P what a narrow link carries. */
static bool narrow_links(struct orr_symptom_finder *f)
{
    enum { NARROW = 8 }; /* GB/s: 4 lanes of generation 4 carry 7.9, 8 lanes of generation 3 the same */
    const struct orr_log_peer_rates *rates = &f->log->peer_rates;
    if (!rates->line || rates->fastest >= NARROW || rates->off >= NARROW || f->log->mentions[ORR_MENTION_HANG] ||
        orr_log_event_of(f->log, "matrix-nvlink|acs-on|iommu-translated"))
        return false;
    ORR_SYMPTOM(f, "p2p-narrow", ORR_SYMPTOM_CAUSE, rates->line,
                .cause = orr_symptom_text(
                    f,
                    "GPUs %d and %d exchange %.3g GB/s with P2P (line %u) and %.3g through host memory: no more than 4 "
                    "lanes of PCIe 4.0 or 8 of 3.0 carry, so a link of one of them is narrow or slow, and P2P works.",
                    rates->from, rates->to, rates->on, rates->line, rates->off),
                .check = "If `nvidia-smi --query-gpu=index,pcie.link.gen.current,pcie.link.width.current --format=csv` "
                         "shows fewer lanes or a lower generation for a GPU under load, move it to a slot with 16 or 8 "
                         "lanes of the CPU, and set the slot's generation in the BIOS.",
                .cure = "If `lspci -tv` shows a GPU below the chipset, it shares the chipset's link to the CPU: use a "
                        "slot of the CPU. NCCL gets no more than the narrowest link carries.");
    return true;
}

/* WSL 2, with data through host memory. */
static bool none_in_wsl(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_symptom_transports seen = orr_symptom_transports(log);
    const uint32_t line = orr_symptom_said(log, " wsl| wsl2|standard wsl2", true);
    if (!line || seen.p2p || orr_log_event_of(log, "p2p-matrix-ok|peer-access-can|peer-access-yes") ||
        !(seen.shm || orr_log_event_of(log, "vllm-no-p2p|p2p-refused|peer-access-none|p2p-matrix-refused")))
        return false;
    ORR_SYMPTOM(f, "p2p-wsl", orr_symptom_failed(log) ? ORR_SYMPTOM_NOTE : ORR_SYMPTOM_CAUSE, line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "This is WSL 2 (line %u), where CUDA goes through the driver of Windows: it offers no P2P between "
                    "these GPUs, even if NVLink joins them and nvidia-smi shows its links, so NCCL sends data through "
                    "host memory.",
                    line),
                .check = "Check: `python -c \"import torch; print(torch.cuda.can_device_access_peer(0, 1))\"` says "
                         "False in WSL; on Linux itself, p2pBandwidthLatencyTest shows what the same cards can do.",
                .cure = "No setting of NCCL changes it. Boot Linux itself for P2P or NVLink.",
                .explains = "vllm-no-p2p");
    return true;
}

/* vLLM believes a file about P2P, and the text shows P2P. */
static bool cached_result(struct orr_symptom_finder *f)
{
    static const char from[] = "cache from ";
    const struct orr_log *log = f->log;
    const struct orr_log_event *cache = orr_log_event_of(log, "vllm-p2p-cache");
    const struct orr_log_event *refused = orr_log_event_of(log, "vllm-no-p2p");
    const struct orr_log_event *offered = orr_log_event_of(log, "p2p-matrix-ok|peer-access-yes|peer-access-can");
    const char *file = cache ? strstr(cache->text, from) : NULL;
    if (!file || !refused || !(offered || orr_symptom_transports(log).p2p))
        return false;
    ORR_SYMPTOM(f, "vllm-p2p-cache", ORR_SYMPTOM_CAUSE, cache->line,
                .cause =
                    orr_symptom_text(f,
                                     "vLLM did not test P2P: it read the result of an older test from a file "
                                     "(line %u), while %s.",
                                     cache->line,
                                     offered ? orr_symptom_text(f, "the driver offers P2P (line %u)", offered->line)
                                             : "NCCL uses P2P in the same run"),
                .check = orr_symptom_text(f, "Check: `cat %.200s` says false.", file + strlen(from)),
                .cure = "Delete the file and start again: vLLM then tests P2P anew.", .explains = refused->message->id);
    return true;
}

void orr_symptoms_of_p2p(struct orr_symptom_finder *f)
{
    if (none_in_wsl(f) || cached_result(f))
        return;
    if (orr_symptom_of_declared_p2p(f) || orr_symptom_of_patched_driver(f) || slower_than_host(f) || narrow_links(f))
        return;
    driver_offers_none(f);
    none_between_said(f);
    refused_by_cuda(f);
    orr_symptoms_of_runs(f);
    p2p_stops(f);
}
