/* SPDX-License-Identifier: Apache-2.0 */
/* Compares a text with the known faults of NCCL releases (engine/release/faults.c). The release is NCCL's own line, or
 * what the text names. Without one, a fault is named only if the words about it are as good as a line, and the answer
 * says for which releases it holds. */
#include <string.h>

#include "engine/release/faults.h"
#include "engine/release/release_names.h"
#include "engine/symptoms/finding.h"

/* Whether the text names a machine with ARM CPUs: Grace, or a DGX Spark. */
static bool has_arm(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_gpu_model *model = orr_symptom_model(&log->records[i]);
        if (model && (model->form == ORR_GPU_SUPERCHIP || model->form == ORR_GPU_SUPERCHIP_PAIR))
            return true; /* whose CPUs are ARM's so far */
    }
    return orr_symptom_said(log, " gb200 | gb300 | gb10 | gh200 | dgx spark| aarch64 | arm64 ", true) != 0;
}

/* What the faults are compared with. */
struct shown {
    const struct orr_log_event *hang; /* of a time limit, or of RAS; NULL if there is none */
    bool hangs;                       /* a line or a person says so */
    bool fails;                       /* an error ends the job, or a warning without a row */
};

static struct shown shown_by(const struct orr_log *log)
{
    struct shown shown = {.hang = orr_log_event_of(log, "ras-mismatch|ras-missing"), .fails = orr_symptom_failed(log)};
    for (uint32_t i = 0; i < log->event_count && !shown.hang; i++)
        if (log->events[i].message && log->events[i].message->weight == ORR_WEIGHT_HANG)
            shown.hang = &log->events[i];
    shown.hangs = shown.hang || log->mentions[ORR_MENTION_HANG];
    return shown;
}

/* Whether a line is as a fault wants it. PyTorch repeats NCCL's warnings without the file. */
static bool is_as_wanted(const struct orr_log_event *event, const struct orr_fault *fault)
{
    return (!fault->in_text || strstr(event->text, fault->in_text)) &&
           (!fault->file || !event->file || strstr(event->file, fault->file));
}

/* The event that shows a fault; NULL if there is none. */
static const struct orr_log_event *event_of(const struct orr_log *log, const struct orr_fault *fault)
{
    const struct orr_log_event *event = fault->shown_by ? orr_log_event_of(log, fault->shown_by) : NULL;
    for (uint32_t i = 0; i < log->event_count && !fault->shown_by && !event; i++)
        event = is_as_wanted(&log->events[i], fault) ? &log->events[i] : NULL;
    return event && is_as_wanted(event, fault) ? event : NULL;
}

/* Whether a text shows a fault: *ret_line is a line that does, *ret_explains the message that it causes. */
static bool fits(const struct orr_log *log, const struct orr_fault *fault, const struct shown *shown,
                 uint32_t *ret_line, const char **ret_explains)
{
    static const char graphs[] = "cuda graph|cudagraph|graph replay|graph captur|captured graph|enforce eager";
    const bool by_line = fault->shown_by || fault->in_text;
    const struct orr_log_event *event = by_line ? event_of(log, fault) : shown->hang;
    const uint32_t said = fault->said ? orr_symptom_said(log, fault->said, true) : 0;
    *ret_line = event ? event->line : said;
    *ret_explains = event && event->message ? event->message->id : NULL;
    if ((by_line && !event) || (!by_line && shown->fails) || (fault->said && !said))
        return false;
    if (((fault->needs & ORR_FAULT_HANGS) && !shown->hangs) ||
        ((fault->needs & ORR_FAULT_HOSTS) && orr_symptom_has_one_host(log)) ||
        ((fault->needs & ORR_FAULT_ON_ARM) && !has_arm(log)) ||
        ((fault->needs & ORR_FAULT_GRAPHS) && !orr_symptom_said(log, graphs, true)))
        return false;
    if (!*ret_line && log->mentions[ORR_MENTION_HANG])
        *ret_line = log->mentions[ORR_MENTION_HANG]->line;
    return true;
}

/* " of NCCL 2.25.1, mended in 2.26.2,"; without a release " of NCCL from 2.25.1 to before 2.26.2". */
static const char *of_which(const struct orr_symptom_finder *f, const struct orr_fault *fault, const char *release,
                            const char *fixed)
{
    const char *told = fault->reported ? ", reported by users" : "";
    char from[ORR_VERSION_SIZE];
    orr_version_format(fault->from, from);
    if (!fault->from && !fault->fixed)
        return *told ? orr_symptom_text(f, "%s,", told) : ""; /* of a framework */
    if (release && fault->fixed)
        return orr_symptom_text(f, " of NCCL %s%s%s in %s,", release, told,
                                fault->reported ? " and mended" : ", mended", fixed);
    if (release)
        return orr_symptom_text(f, " of NCCL %s%s%s", release, told, *told ? "," : "");
    if (fault->from && fault->fixed)
        return orr_symptom_text(f, " of NCCL from %s to before %s", from, fixed);
    return fault->fixed ? orr_symptom_text(f, " of NCCL before %s", fixed) : "";
}

static void name_fault(struct orr_symptom_finder *f, const struct orr_fault *fault, const char *release, uint32_t line,
                       const char *explains)
{
    char fixed[ORR_VERSION_SIZE];
    orr_version_format(fault->fixed, fixed);
    const char *check = fault->check, *cure = fault->cure ? fault->cure : "";
    if (!check)
        check = orr_symptom_text(
            f, "Check: run once with NCCL %s or newer (pip install -U nvidia-nccl-cu12 or -cu13 replaces PyTorch's).",
            fixed);
    else if (fault->fixed)
        cure = orr_symptom_text(f, "Use NCCL %s or newer. %s", fixed, cure);
    ORR_SYMPTOM(f, orr_symptom_text(f, "fault:%s", fault->id), ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(f, "A%s fault%s fits%s: %s", fault->reported ? "" : " known",
                                          of_which(f, fault, release, fixed),
                                          line ? orr_symptom_text(f, " (line %u)", line) : "", fault->what),
                .check = check, .cure = cure, .explains = explains, .by_words = !release && !explains);
}

void orr_symptoms_of_faults(struct orr_symptom_finder *f)
{
    const struct shown shown = shown_by(f->log);
    const struct orr_fault *fault;
    const char *release = NULL, *explains;
    const uint32_t version = orr_symptom_release(f, &release);
    uint32_t line;
    for (uint32_t i = 0; (fault = orr_fault_at(i)); i++) {
        const bool alone = (!version || (!fault->from && !fault->fixed)) && (fault->needs & ORR_FAULT_BY_ITSELF);
        if ((!alone && !orr_fault_is_in(fault, version)) || !fits(f->log, fault, &shown, &line, &explains))
            continue;
        name_fault(f, fault, release, line, explains);
        return;
    }
}
