/* SPDX-License-Identifier: Apache-2.0 */
/* Did the job work? Errors that end a job decide first, then ranks whose initialisation did not end, then signs that
 * the job finished. */
#include "engine/triage/triage.h"

#include <string.h>

#include "engine/base/budget.h"
#include "engine/triage/building.h"

enum { NONE = UINT32_MAX };

/* Signs that a job finished. */
struct ending {
    bool results;      /* nccl-tests printed its results, and none were wrong */
    uint32_t ended;    /* sessions whose communicator was destroyed or aborted */
    uint32_t complete; /* named sessions whose initialisation ended */
    uint32_t started;  /* named sessions */
    uint32_t line;     /* line after which errors are part of the shutdown; 0 if no line shows that the job finished */
    const char *how;   /* a clause about that sign */
};

/* Whether a program's last lines say that the work was done. */
static bool is_end(const struct orr_log_record *record)
{
    const char *said = record->word_count ? record->words[record->word_count - 1] : "";
    if (record->kind == ORR_LOG_TEST_RESULT)
        return !record->word_count || !strcmp(said, "OK");
    return record->kind == ORR_LOG_JOB_END && !strstr(said, "abort") && !strstr(said, "\"error") &&
           (!strstr(said, "(status=") || strstr(said, "(status=0x0000)"));
}

/* Finds where the job finished: where it printed its result, or where the first communicator was destroyed if all were
 * and none was made later. */
static void find_finish(const struct orr_log *log, struct ending *ending)
{
    uint32_t last_start = 0, printed = 0, destroyed = 0;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind == ORR_LOG_INIT_START || record->kind == ORR_LOG_INIT_COMPLETE) {
            last_start = record->line;
            printed = destroyed = 0;
        }
        if (is_end(record))
            printed = record->line;
        if (record->kind == ORR_LOG_COMM_END && !destroyed)
            destroyed = record->line;
    }
    if (ending->ended < ending->started || !ending->started)
        destroyed = 0;
    if (printed > last_start && (!destroyed || printed < destroyed)) {
        ending->line = printed;
        ending->how = "it had printed its result";
    } else if (destroyed > last_start) {
        ending->line = destroyed;
        ending->how = "its communicators were being destroyed";
    }
}

static struct ending find_ending(const struct orr_log *log)
{
    struct ending ending = {0};
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        ending.results |= record->kind == ORR_LOG_TEST_RESULT && is_end(record);
        ending.ended += record->kind == ORR_LOG_COMM_END;
    }
    for (uint32_t i = 0; i < log->session_count; i++) {
        ending.started += log->sessions[i].named;
        ending.complete += log->sessions[i].named && log->sessions[i].closed;
    }
    find_finish(log, &ending);
    return ending;
}

static bool is_noise(const struct orr_log_event *event, const struct ending *ending)
{
    return ending->line && event->line > ending->line;
}

/* The first event of a weight that is not noise of the shutdown, before those that only a person quotes; NONE if there
 * is none. */
static uint32_t first_of(const struct orr_log *log, const struct ending *ending, enum orr_log_weight weight)
{
    uint32_t quoted = NONE;
    for (uint32_t i = 0; i < log->event_count; i++) {
        const struct orr_log_event *event = &log->events[i];
        if (is_noise(event, ending) || orr_triage_weight(event) != weight)
            continue;
        if (!event->quoted)
            return i;
        quoted = quoted == NONE ? i : quoted;
    }
    return quoted;
}

/* Whether the times of two lines are so far apart that they may be of other days, or that their clocks differ. */
static bool are_apart(const struct orr_log_event *a, const struct orr_log_event *b)
{
    enum { HOUR = 3600 };
    return a->clock >= 0 && b->clock >= 0 && (a->clock - b->clock >= HOUR || b->clock - a->clock >= HOUR);
}

/* Whether a process was killed, for lack of memory or by somebody. */
static bool is_killed(const struct orr_log_event *event)
{
    return !strncmp(event->message->id, "killed-memory", strlen("killed-memory")) ||
           !strcmp(event->message->id, "pod-memory") || !strcmp(event->message->id, "elastic-killed");
}

/* The error that ended the job first: by the times in the lines if they have them, else by their order. If a GPU
 * failed or a process was killed, as only the log of its host says, errors of networks on other ranks follow from it.
 */
static uint32_t first_fatal(const struct orr_triaging *t, const struct ending *ending)
{
    const struct orr_log *log = t->log;
    const uint32_t by_line = first_of(log, ending, ORR_WEIGHT_FATAL);
    uint32_t first = by_line, fault = NONE, killed = NONE;
    for (uint32_t i = by_line; i < log->event_count; i++) {
        const struct orr_log_event *event = &log->events[i];
        if (orr_triage_weight(event) != ORR_WEIGHT_FATAL || is_noise(event, ending))
            continue;
        const struct orr_symptom *explains = orr_symptom_explaining(&t->triage->symptoms, event->message->id);
        if (fault == NONE && explains && explains->line == event->line && !strncmp(event->message->id, "xid-", 4))
            fault = i;
        if (killed == NONE && is_killed(event) && !are_apart(&log->events[by_line], event))
            killed = i;
        if (event->clock >= 0 && event->clock < log->events[first].clock && !are_apart(&log->events[by_line], event))
            first = i;
    }
    if (fault != NONE)
        return fault;
    return killed != NONE && !strncmp(log->events[first].message->id, "ib-", 3) ? killed : first;
}

/* The first NCCL warning without a row, before errors that follow from another; NONE if there is none. */
static uint32_t first_unknown(const struct orr_log *log, const struct ending *ending, uint32_t after)
{
    for (uint32_t i = 0; i < after && after != NONE; i++)
        if (!log->events[i].message && !is_noise(&log->events[i], ending))
            return i;
    return NONE;
}

/* The ranks that were past their initialisation, because PyTorch's watchdog names their work. */
static bool *mark_progress(struct orr_triaging *t, int32_t count)
{
    bool *marks = ORR_NEW(t->arena, bool, (size_t)count + 1);
    for (uint32_t i = 0; marks && i < t->log->progress_count; i++)
        if (t->log->progress[i].rank < count)
            marks[t->log->progress[i].rank] = true;
    return marks;
}

static int32_t most_ranks(const struct orr_log *log)
{
    const uint32_t largest = orr_log_largest(log);
    return largest == NONE || !log->communicators ? 0 : log->communicators[largest].rank_count;
}

/* Ranks that began to initialise a communicator and did not finish. */
static uint32_t find_unfinished(struct orr_triaging *t)
{
    const struct orr_log *log = t->log;
    int32_t *ranks = ORR_NEW(t->arena, int32_t, (size_t)log->session_count + 1);
    const bool *further = mark_progress(t, most_ranks(log));
    uint32_t count = 0;
    /* vLLM looks for P2P after NCCL's initialisation, and the ends of some may be among lines that were left out. */
    if (orr_log_event_of(log, "vllm-no-p2p") || (log->shortened && log->kinds[ORR_LOG_INIT_COMPLETE]))
        return 0;
    for (uint32_t i = 0; ranks && further && i < log->session_count; i++) {
        const struct orr_log_session *session = &log->sessions[i];
        if (session->named && !session->closed && session->communicator != NONE && session->rank >= 0 &&
            log->kinds[ORR_LOG_INIT_START] && !further[session->rank])
            ranks[count++] = session->rank;
    }
    if (ranks)
        orr_triage_missing(t, ranks, count, "did not finish initialisation");
    return count;
}

/* Ranks that initialised the largest communicator and do not end it, although others do. If processes wrote into
 * each other's lines, a rank's last line may be lost. */
static uint32_t find_unended(struct orr_triaging *t)
{
    enum { RANK, RANKS };
    const struct orr_log *log = t->log;
    const uint32_t largest = orr_log_largest(log);
    const int32_t count = most_ranks(log);
    int32_t *ranks = ORR_NEW(t->arena, int32_t, (size_t)log->session_count + 1);
    bool *ended = ORR_NEW(t->arena, bool, (size_t)count + 1);
    uint32_t found = 0, any = 0;
    for (uint32_t i = 0; ranks && ended && !log->split && i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind == ORR_LOG_COMM_END && (int32_t)record->values[RANKS] == count && record->values[RANK] >= 0 &&
            record->values[RANK] < count)
            any += ended[(int32_t)record->values[RANK]] = true;
    }
    for (uint32_t i = 0; any && i < log->session_count; i++) {
        const struct orr_log_session *session = &log->sessions[i];
        if (session->named && session->closed && session->communicator == largest && session->rank >= 0 &&
            session->rank < count && !ended[session->rank])
            ranks[found++] = session->rank;
    }
    if (found)
        orr_triage_missing(t, ranks, found, NULL);
    return found;
}

/* The ranks for which others waited when a time limit ended: those that called less or something else, or else those
 * that report nothing although most ranks do. */
static void find_behind(struct orr_triaging *t)
{
    const struct orr_log *log = t->log;
    const struct orr_log_communicator *of = log->communicator_count ? &log->communicators[orr_log_largest(log)] : NULL;
    int32_t *ranks = ORR_NEW(t->arena, int32_t, of && of->rank_count > 0 ? (size_t)of->rank_count : 1);
    uint32_t count = 0;
    if (!ranks || orr_triage_timeouts(t))
        return;
    bool *reported = mark_progress(t, most_ranks(log));
    if (!reported || !of)
        return;
    const char *group = log->progress_count ? log->progress[0].group : NULL;
    t->triage->all_waited = group != NULL;
    for (uint32_t i = 0; i < log->progress_count && group; i++)
        t->triage->all_waited &= log->progress[i].group && !strcmp(log->progress[i].group, group);
    for (int32_t r = 0; r < of->rank_count; r++)
        t->triage->all_waited &= reported[r];
    for (uint32_t i = 0; i < log->event_count; i++)
        for (uint32_t k = 0; k < log->events[i].rank_count && orr_triage_weight(&log->events[i]) == ORR_WEIGHT_HANG;
             k++)
            if (log->events[i].ranks[k] < of->rank_count)
                reported[log->events[i].ranks[k]] = true;
    for (int32_t r = 0; r < of->rank_count; r++)
        if (!reported[r])
            ranks[count++] = r;
    if (count && count * 2 < (uint32_t)of->rank_count && !log->shortened)
        orr_triage_missing(t, ranks, count, "reported no timeout, unlike the others");
}

/* Whether an error stopped a rank that no time limit had stopped before. */
static bool stops_others(const struct orr_log *log, const struct orr_log_event *error)
{
    bool timed_out = !error->rank_count;
    for (uint32_t i = 0; i < log->event_count; i++)
        for (uint32_t k = 0; k < log->events[i].rank_count && orr_triage_weight(&log->events[i]) == ORR_WEIGHT_HANG;
             k++)
            timed_out |= log->events[i].ranks[k] == error->ranks[0];
    return !timed_out;
}

static void judge(struct orr_triaging *t)
{
    const struct orr_log *log = t->log;
    struct orr_triage *triage = t->triage;
    const struct ending ending = find_ending(log);
    const uint32_t fatal = first_fatal(t, &ending);
    const uint32_t hang = first_of(log, &ending, ORR_WEIGHT_HANG);
    const uint32_t absent = first_of(log, &ending, ORR_WEIGHT_ABSENT);
    const uint32_t aftermath = first_of(log, &ending, ORR_WEIGHT_AFTERMATH);
    const uint32_t after = aftermath != NONE ? aftermath : first_of(log, &ending, ORR_WEIGHT_REPORT);
    const uint32_t maybe = first_of(log, &ending, ORR_WEIGHT_ERROR);
    const uint32_t unknown = first_unknown(log, &ending, after);
    for (uint32_t i = 0; i < log->event_count; i++) {
        const char *severity = orr_event_severity(&log->events[i]);
        triage->errors += severity[0] == 'e';
        triage->warnings += severity[0] == 'w';
        triage->noise += is_noise(&log->events[i], &ending) && severity[0] != 'n';
    }
    triage->finished = ending.line;
    triage->finished_how = ending.how;
    /* The first error is the cause; a timeout, or an error that follows from others, is the cause only if there is no
     * other. Logs of several processes are often joined one after the other, so a wait for a process that did not start
     * can come before the error that stopped it. */
    const bool wrong = fatal != NONE || hang != NONE || after != NONE || absent != NONE;
    const uint32_t causes[] = {fatal, wrong ? maybe : NONE, hang, absent, unknown, after};
    triage->cause = NONE;
    for (size_t i = 0; i < sizeof causes / sizeof causes[0] && triage->cause == NONE; i++)
        triage->cause = causes[i];
    if (wrong && !ending.results) {
        const bool first_hung = hang != NONE && (fatal == NONE || (log->events[hang].line < log->events[fatal].line &&
                                                                   !stops_others(log, &log->events[fatal])));
        triage->verdict = first_hung ? ORR_TRIAGE_HUNG : ORR_TRIAGE_FAILED;
        if (first_hung) {
            triage->cause = maybe != NONE ? maybe : hang;
            find_behind(t);
            if (!triage->missing_count && !triage->sides)
                (void)orr_triage_collectives(t);
        }
        if (!triage->missing_count && !triage->sides && !ending.complete && !log->shortened)
            (void)find_unfinished(t);
        return;
    }
    if (triage->cause == NONE)
        triage->cause = maybe != NONE ? maybe : first_of(log, &ending, ORR_WEIGHT_WARNING);
    const bool ended = ending.results || ending.ended || ending.line;
    if (ended && !ending.results && !ending.line && find_unended(t)) {
        triage->verdict = ORR_TRIAGE_INCOMPLETE;
        triage->ended_on_some = true;
        return;
    }
    const bool measured = log->test_rows && log->test_most && log->test_size >= log->test_most;
    if (!ended && !measured && !orr_triage_is_part(log) &&
        ((!log->test_rows && find_unfinished(t)) || log->kinds[ORR_LOG_TEST_START])) {
        triage->verdict = ORR_TRIAGE_INCOMPLETE;
        if (!triage->missing_count)
            (void)orr_triage_collectives(t);
        return;
    }
    if (!ended && orr_triage_collectives(t)) {
        triage->verdict = ORR_TRIAGE_INCOMPLETE;
        return;
    }
    triage->verdict = !ended                               ? ORR_TRIAGE_UNKNOWN
                      : triage->errors || triage->warnings ? ORR_TRIAGE_WARNED
                                                           : ORR_TRIAGE_WORKED;
}

/* A job that finished needs no cause: its settings are only worth checking if it is slow. What only costs speed did not
 * stop a job. */
static void demote_slow(const struct orr_log *log, struct orr_triage *triage)
{
    const bool finished = triage->verdict == ORR_TRIAGE_WORKED || triage->verdict == ORR_TRIAGE_WARNED;
    const bool stopped = triage->verdict == ORR_TRIAGE_FAILED || triage->verdict == ORR_TRIAGE_HUNG ||
                         (!finished && log->mentions[ORR_MENTION_HANG]);
    for (uint32_t i = 0; i < triage->symptoms.count; i++) {
        struct orr_symptom *row = &triage->symptoms.rows[i];
        const bool setting = !strncmp(row->id, "setting:", strlen("setting:"));
        if (row->weight == ORR_SYMPTOM_CAUSE &&
            (finished ? setting : stopped && !row->explains && (setting || row->slows)))
            row->weight = ORR_SYMPTOM_SETTING;
    }
}

/* Whether NVLink joins all GPUs of the compared machine. */
static bool all_nvlink(const struct orr_analysis *analysis)
{
    bool any = false;
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        for (uint32_t a = part->system.first[ORR_GPU]; a < part->system.first[ORR_GPU + 1]; a++)
            for (uint32_t b = part->system.first[ORR_GPU]; b < a; b++) {
                any = true;
                if (orr_path(&part->paths, a, b)->type > ORR_PATH_NVB)
                    return false;
            }
    }
    return any;
}

/* If the program's ranks differ in their calls, no part of NCCL is at fault. */
static void drop_guesses(struct orr_triage *triage)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < triage->symptoms.count; i++)
        if (!triage->symptoms.rows[i].guess || !(triage->missing_check || triage->sides))
            triage->symptoms.rows[kept++] = triage->symptoms.rows[i];
    triage->symptoms.count = kept;
}

/* GPUs that NVLink joins use P2P over it, whatever the P2P level allows beyond. */
static void drop_levels(const struct orr_triaging *t)
{
    struct orr_symptoms *symptoms = &t->triage->symptoms;
    uint32_t kept = 0;
    if (!t->check || !all_nvlink(t->check->analysis))
        return;
    for (uint32_t i = 0; i < symptoms->count; i++)
        if (!symptoms->rows[i].forces_p2p)
            symptoms->rows[kept++] = symptoms->rows[i];
    symptoms->count = kept;
}

enum orr_code orr_triage_make(const struct orr_log *log, const struct orr_log_check *check, struct orr_arena *arena,
                              struct orr_triage *ret_triage, struct orr_error *err)
{
    struct orr_triaging t = {.log = log, .check = check, .arena = arena, .triage = ret_triage};
    orr_budget_stage("triage of the log");
    *ret_triage = (struct orr_triage){.verdict = ORR_TRIAGE_UNKNOWN, .cause = NONE};
    ORR_TRY(orr_symptoms_find(log, arena, &ret_triage->symptoms, err));
    drop_levels(&t);
    orr_triage_level(&t);
    judge(&t);
    drop_guesses(ret_triage);
    demote_slow(log, ret_triage);
    orr_triage_ran(&t);
    ORR_TRY(orr_triage_choices(&t, err));
    orr_triage_sentences(&t);
    return orr_arena_starved(t.arena) ? orr_fail_nomem(err) : ORR_OK;
}
