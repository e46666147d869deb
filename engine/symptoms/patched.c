/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about P2P that NVIDIA's own driver would not offer: a patched driver offers it, or a hypervisor declares it.
 *
 * A patched driver for GeForce cards reaches another GPU's memory through its BAR 1, which must be as large as that
 * memory, and of which the driver must map all. CUDA says that the GPUs reach each other even if it does not. */
#include <string.h>

#include "engine/symptoms/finding.h"

/* What a text about such a driver says. */
#define ABOUT "p2p|peer to peer|peer access"
#define DISPLAY                                                                                                        \
    "monitor|screen|display|hdmi&attached|connected|plugged|drives|driving|has a |with a "                             \
    "&gpu|card|5090|4090|3090&!igpu|no monitor|no display|no screen|without a "                                        \
    "display|headless|integrated|onboard|motherboard|unplugged|disconnected"
#define FAILS                                                                                                          \
    "fail|not work|wrong|mangled|gibberish|garbage|issue arises|the issue| hang|error|corrupt&!without issue|no "      \
    "issue|no error"
#define DECLARED "gpudirect clique|gpudirect_clique"

#define P2P_OFF                                                                                                        \
    "Check: run once with NCCL_P2P_DISABLE=1 (vLLM, SGLang: also --disable-custom-all-reduce, as their own "           \
    "all-reduce is not NCCL's): if the job then works, it is P2P. "

#define STATIC_BAR1                                                                                                    \
    "If a display is connected to one of these GPUs, take it off. If `nvidia-smi -q | grep -A3 BAR1` shows less than " \
    "the GPU's memory, turn Resizable BAR on in the BIOS. If /etc/modprobe.d has no RMForceStaticBar1, set the "       \
    "module's option NVreg_RegistryDwords=\"RMForceStaticBar1=1;PeerMappingOverride=1\". If P2P fails all the same, "  \
    "leave NCCL_P2P_DISABLE=1 set."

/* The first of the GPUs that the text names; NULL if it names none. */
static const struct orr_gpu_model *named_model(const struct orr_log *log)
{
    const struct orr_gpu_model *model = NULL;
    for (uint32_t i = 0; i < log->record_count && !model; i++)
        model = orr_symptom_model(&log->records[i]);
    return model;
}

/* The model that lines of a person name. */
static const struct orr_gpu_model *said_model(const struct orr_log *log)
{
    const struct orr_gpu_model *model = NULL;
    for (uint32_t i = 0; i < log->said_count && !model; i++)
        if (strstr(log->said[i].words, "rtx ") || strstr(log->said[i].words, "geforce "))
            model = orr_gpu_model_of_name(log->said[i].words);
    return model;
}

/* NVIDIA's driver lets other cards access each other's memory without a large BAR 1. */
static bool is_geforce(const struct orr_gpu_model *model)
{
    return model && (model->p2p == ORR_NO || !strncmp(model->names, "RTX 30", strlen("RTX 30")));
}

static const char *size_text(const struct orr_symptom_finder *f, double mib)
{
    enum { GIB = 1024 };
    return mib >= GIB ? orr_symptom_text(f, "%.3g GiB", mib / GIB) : orr_symptom_text(f, "%.3g MiB", mib);
}

/* One GPU has a large BAR 1 and another a small one, so the BIOS can do it, and the card cannot. */
static void unlike_bars(struct orr_symptom_finder *f)
{
    const struct orr_log_aperture *aperture = &f->log->aperture;
    ORR_SYMPTOM(
        f, "bar-unlike", ORR_SYMPTOM_CAUSE, aperture->line,
        .cause = orr_symptom_text(
            f,
            "BAR 1 of a GPU has only %s (line %u) and that of another %s (line %u), so the BIOS allows Resizable BAR. "
            "P2P of a patched driver for GeForce cards needs it to be as large as the memory on each GPU.",
            size_text(f, aperture->bar1), aperture->line, size_text(f, aperture->largest), aperture->largest_line),
        .check = "Check: `nvidia-smi -q | grep -e Product -e VBIOS -e \"Bus Id\" -e BAR1 -A1` lists BAR 1 and VBIOS of "
                 "each card; `sudo lspci -vv -s ADDRESS | grep -A4 \"Resizable BAR\"` the sizes that it supports.",
        .cure = "If the card with the small one supports no larger size, update its firmware (VBIOS), as early RTX 30 "
                "cards need. If that card supports the large size, give PCIe more address space in the BIOS (MMIO High "
                "Size).",
        .explains = "cuda-peer-mapped");
}

/* BAR 1 does not cover the memory of the GPU, by lspci or nvidia-smi. */
static bool small_bar(struct orr_symptom_finder *f)
{
    enum { GIB = 1024, MANY = 16 };
    const double NEARLY = 0.95, SMALL = 256;
    const struct orr_log_aperture *aperture = &f->log->aperture;
    const struct orr_gpu_model *model = named_model(f->log) ?: said_model(f->log);
    double memory = aperture->memory;
    for (size_t i = 0; model && i < ORR_GPU_MODEL_IDS && memory <= 0; i++)
        memory = (double)model->ids[i].gb * GIB;
    const bool small = memory > 0 ? aperture->bar1 < NEARLY * memory : aperture->bar1 <= SMALL;
    const bool capped = aperture->most > 0 && aperture->most < (memory > 0 ? NEARLY * memory : 2 * SMALL);
    if (!aperture->line || !small)
        return false;
    if (aperture->bar1 <= SMALL && aperture->largest >= (memory > 0 ? NEARLY * memory : MANY * SMALL)) {
        unlike_bars(f);
        return true;
    }
    ORR_SYMPTOM(
        f, "bar-small", ORR_SYMPTOM_CAUSE, aperture->line,
        .cause = orr_symptom_text(
            f,
            "BAR 1 of a GPU has %s (line %u)%s%s, and P2P of a patched driver for GeForce cards goes through "
            "it: it must be as large as the GPU's memory%s%s%s.",
            size_text(f, aperture->bar1), aperture->line, capped ? ", and the card offers no more than " : "",
            capped ? size_text(f, aperture->most) : "", memory > 0 ? " (" : "", memory > 0 ? size_text(f, memory) : "",
            memory > 0 ? ")" : ""),
        .check =
            capped ? "Check on the host, as a virtual machine shows its own device: `sudo lspci -vv -s ADDRESS | grep "
                     "-A4 \"Resizable BAR\"` lists the sizes after \"supported\"."
                   : "If `sudo lspci -vv -s ADDRESS | grep -A4 \"Resizable BAR\"` on the host lists a size that covers "
                     "the memory after \"supported\", turn Above 4G Decoding and Resizable BAR on in the BIOS.",
        .cure = capped ? "No BIOS setting widens it: update the card's own firmware (VBIOS) to one with Resizable BAR, "
                         "if its vendor has one, or leave P2P off (NCCL_P2P_DISABLE=1)."
                       : "If no supported size covers the memory, this card cannot have such P2P: leave "
                         "NCCL_P2P_DISABLE=1 set.",
        .explains = "cuda-peer-mapped");
    return true;
}

/* How the text shows that the driver is patched; NULL if it does not. */
static const char *patched_by(const struct orr_symptom_finder *f, const struct orr_gpu_model *model, bool wrong,
                              uint32_t *ret_line)
{
    const struct orr_log_event *offered = orr_log_event_of(f->log, "p2p-matrix-ok|peer-access-yes|peer-access-can");
    *ret_line = orr_symptom_said(f->log, ORR_SAID_PATCHED, true);
    if (*ret_line)
        return "The driver is patched to offer P2P";
    if (!offered || !model || orr_log_event_of(f->log, "matrix-nvlink"))
        return NULL;
    *ret_line = offered->line;
    if (model->p2p == ORR_NO)
        return "NVIDIA's own driver offers no P2P between these GPUs, and this one does, so it is patched or at fault";
    return wrong && strstr(offered->text, "GeForce") ? "CUDA offers P2P between these GeForce cards" : NULL;
}

/* GPUs without NVLink seem to write faster than PCIe can: the data does not arrive. */
static bool too_fast(struct orr_symptom_finder *f, const struct orr_gpu_model *model)
{
    enum { GEN5_X16 = 63 }; /* GB/s in one direction */
    const struct orr_log_peer_rates *rates = &f->log->peer_rates;
    if (!model || model->nvlink != 0 || rates->fastest <= GEN5_X16)
        return false;
    ORR_SYMPTOM(f, "p2p-too-fast", ORR_SYMPTOM_CAUSE, rates->fastest_line,
                .cause = orr_symptom_text(f,
                                          "A pair of GPUs seems to reach %.3g GB/s with P2P (line %u). PCIe carries %d "
                                          "GB/s at most (generation 5, x16), so the data does not arrive.",
                                          rates->fastest, rates->fastest_line, GEN5_X16),
                .check = "Check: simpleP2P verifies the data of a pair, `all_reduce_perf -c 1` that of NCCL. With "
                         "NCCL_P2P_DISABLE=1, NCCL works.",
                .cure = STATIC_BAR1);
    return true;
}

/* One of the GPUs drives a display. */
static bool has_display(struct orr_symptom_finder *f, const char *patched, uint32_t line)
{
    const uint32_t display = orr_symptom_said(f->log, DISPLAY, true);
    if (!patched || !display || !orr_symptom_said(f->log, FAILS, true))
        return false;
    ORR_SYMPTOM(
        f, "p2p-display", ORR_SYMPTOM_CAUSE, display,
        .cause = orr_symptom_text(
            f,
            "%s (line %u), and a GPU drives a display (line %u), of which the driver may then not map all of BAR 1. "
            "P2P with it then delivers no data, although CUDA offers it and a bandwidth test looks well.",
            patched, line, display),
        .check = "Check: simpleP2P verifies the data of each pair of GPUs.",
        .cure = "If simpleP2P passes for two GPUs without a display and fails with the one that has it, connect the "
                "display to another card or the CPU's graphics, or leave P2P off for that GPU (NCCL_P2P_DISABLE=1 for "
                "NCCL).",
        .explains = "p2p-wrong-data");
    return true;
}

/* NVIDIA's own first drivers for the RTX 4090 offered P2P that it does not have. */
static bool early_driver(struct orr_symptom_finder *f, const struct orr_gpu_model *model,
                         const struct orr_log_event *wrong, bool stops)
{
    const struct orr_log_event *offered = orr_log_event_of(f->log, "p2p-matrix-ok|peer-access-yes|peer-access-can");
    const uint32_t line = orr_symptom_said(f->log, "driver|nvidia smi& 525 60 | 525 78 | 525 85 | 525 89 ", true);
    if (!line || !offered || !model || !orr_gpu_model_is(model, "RTX 4090") ||
        orr_symptom_said(f->log, ORR_SAID_PATCHED, true))
        return false;
    ORR_SYMPTOM(f, "p2p-early-driver", stops ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE, offered->line,
                .cause = orr_symptom_text(f,
                                          "This driver (line %u) offers P2P between RTX 4090 cards (line %u), which do "
                                          "not support it: copies deliver wrong data, and NCCL hangs.",
                                          line, offered->line),
                .check = "Check: run once with NCCL_P2P_DISABLE=1: NCCL then works.",
                .cure = "Install driver 525.105.17 or newer, which offers no P2P between these cards; NCCL then uses "
                        "host memory.",
                .explains = wrong ? "p2p-wrong-data" : NULL);
    return true;
}

bool orr_symptom_of_patched_driver(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *wrong = orr_log_event_of(log, "p2p-wrong-data");
    const struct orr_gpu_model *model = named_model(log);
    uint32_t line;
    const char *patched = patched_by(f, model, wrong, &line);
    const bool mapped = orr_log_event_of(log, "cuda-peer-mapped"), about = wrong || orr_symptom_said(log, ABOUT, true);
    const bool stops = log->mentions[ORR_MENTION_HANG] || wrong ||
                       (orr_log_event_of(log, "vllm-nccl") && !orr_log_event_of(log, "vllm-no-p2p"));
    const bool geforce = is_geforce(model ? model : said_model(log));
    if (orr_symptom_of_line(f, "bar-unaligned", "cuda-peer-mapped"))
        return true;
    if (early_driver(f, model, wrong, stops))
        return stops;
    if ((patched || mapped || (about && geforce)) &&
        (orr_symptom_of_line(f, "bar-no-space|bar-no-space-older", "cuda-peer-mapped") || small_bar(f)))
        return true;
    if (too_fast(f, model) || has_display(f, patched, line))
        return true;
    if (!patched || orr_log_event_of(log, "iommu-translated|acs-on|iommu-fault|dmar-fault") ||
        orr_log_event_of(log, "p2p-matrix-refused"))
        return false;
    const double bar1 = log->aperture.bar1;
    ORR_SYMPTOM(f, "p2p-patched", stops ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE, line,
                .cause = orr_symptom_text(
                    f,
                    "%s (line %u). Such P2P can hang or deliver wrong data: the driver must map all of BAR 1, which %s "
                    "the memory%s, and the IOMMU and PCIe ACS must let it through.",
                    patched, line, bar1 > 0 ? "covers" : "must cover",
                    bar1 > 0 ? orr_symptom_text(f, " (line %u, %s)", log->aperture.line, size_text(f, bar1)) : ""),
                .check = P2P_OFF ORR_ACS_CHECK, .cure = STATIC_BAR1, .explains = wrong ? "p2p-wrong-data" : NULL);
    return stops;
}

bool orr_symptom_of_declared_p2p(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const uint32_t line = orr_symptom_said(log, DECLARED, true);
    const struct orr_log_event *wrong = orr_log_event_of(log, "p2p-wrong-data");
    if (!line || !(wrong || log->mentions[ORR_MENTION_HANG] || orr_symptom_said(log, "corrupt|wrong data|zeros", true)))
        return false;
    ORR_SYMPTOM(
        f, "p2p-declared", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(
            f,
            "The hypervisor declares P2P between these GPUs (x-nv-gpudirect-clique, line %u), and the driver believes "
            "that without a test. Transfers that hang or deliver wrong data show that it does not work here.",
            line),
        .check = P2P_OFF "`all_reduce_perf -c 1` shows wrong data.",
        .cure = "If the job works without P2P, take x-nv-gpudirect-clique off these GPUs, or leave NCCL_P2P_DISABLE=1 "
                "set: NCCL then sends data through host memory.",
        .explains = wrong ? "p2p-wrong-data" : NULL);
    return true;
}
