/* SPDX-License-Identifier: Apache-2.0 */
/* Runs without a part of NCCL (parts.c). A person who says that the job works with NCCL_P2P_DISABLE=1 has shown which
 * part is at fault. If nobody made such a run, and nothing else shows why a job stands still, the runs to make next are
 * the answer: each rules a part in or out. */
#include <stdlib.h>
#include <string.h>

#include "engine/symptoms/finding.h"

/* What people write about a run that worked, and about one that did not. The words of a line are close to those of the
 * setting, since a line may be a whole paragraph. */
static const char cures[] = "solves|solved|fixes|fixed|resolv|no longer|goes away|went away|disappear| is gone| "
                            "cures|unblock|bypass|gets past|workaround|work around";
static const char works[] =
    " works | worked |does work|did work|work fine|work well|work normal|work when|work with|work if| fine|can run| "
    "runs |finishes|run normal| helps| helped|succe|completes| serves| passes|unless";
static const char in_vain[] = "not help|n t help|no help|not work|n t work|n t solve|not solve|n t fix|not fix|no "
                              "difference|no effect|no change| neither| none |nothing c|nothing h|s nothing|d "
                              "nothing|no luck|no success|in vain";
static const char no_better[] =
    " still | even with| even when| despite|also fail|also hang|same error|same problem|same issue|same result|same "
    "hang| 0 the same | 1 the same | all the same ";
/* Words of somebody who asks about the setting, or who changed something else, too. */
static const char unclear[] = " not set|unset|what does| should i | safe to | drawback|performance "
                              "lower|nccl_socket_ifname|nccl_ib_hca|gid_index|nccl_algo|nccl_proto|nccl_topo_file";
static const char else_[] = " without | otherwise | else ";
static const char breaks[] = " hang| hung | fail| error| stuck| crash| freez| deadlock| stall";

enum outcome { UNTRIED, HELPED, IN_VAIN };

/* What a line says about a run without a part. */
static enum outcome outcome_in(const struct orr_symptom_part *part, const char *line)
{
    enum { BEFORE = 70, AFTER = 90, NEAR = 10 };
    for (const char *words = part->words; *words;) {
        const size_t length = strcspn(words, "|");
        const char *at = memmem(line, strlen(line), words, length);
        words += length + (words[length] == '|');
        if (!at)
            continue;
        const char *from = at - line > BEFORE ? at - BEFORE : line;
        const size_t near = (size_t)(at - from) + length, rest = strlen(at + length);
        const size_t window = near + (rest < AFTER ? rest : AFTER);
        const char *close = at - from > NEAR ? at - NEAR : from;
        if (orr_log_has_word(from, window, in_vain) || orr_log_has_word(from, window, no_better))
            return IN_VAIN;
        if (orr_log_has_word(from, window, unclear))
            continue;
        if (orr_log_has_word(close, (size_t)(at - close), " without ")) /* which says what happens with the part */
            return orr_log_has_word(from, near, breaks) ? HELPED : UNTRIED;
        const char *after = at + length;
        if (orr_log_has_word(from, window, cures) ||
            (orr_log_has_word(from, window, works) &&
             (!orr_log_has_word(after, window - near, breaks) || orr_log_has_word(after, window - near, else_))))
            return HELPED;
    }
    return UNTRIED;
}

/* What the text says about a run without a part; *ret_line is its line. */
static enum outcome outcome_of(const struct orr_log *log, const struct orr_symptom_part *part, uint32_t *ret_line)
{
    enum outcome outcome = UNTRIED;
    for (uint32_t i = 0; part->words && i < log->said_count && outcome != IN_VAIN; i++) {
        const enum outcome found = outcome_in(part, log->said[i].words);
        if (found == UNTRIED || (found == HELPED && outcome == HELPED))
            continue;
        outcome = found;
        *ret_line = log->said[i].line;
    }
    return outcome;
}

/* Whether the job uses the part: EFA has a part of its own instead of that of InfiniBand and RoCE. */
static bool is_used(const struct orr_log *log, const struct orr_symptom_part *part)
{
    return (part != orr_symptom_part("efa") || orr_symptom_uses_efa(log)) &&
           (part != orr_symptom_part("network") || !orr_symptom_uses_efa(log));
}

/* Whether another row says more about a part that ACS or the IOMMU can break. */
static bool is_settled(const struct orr_log *log, const struct orr_symptom_part *part)
{
    return part->by_acs &&
           orr_log_event_of(log, "acs-on|iommu-translated|p2p-matrix-refused|xid|" ORR_LOG_XIDS_OF_HARDWARE);
}

const char *orr_symptom_of_driver(const struct orr_symptom_finder *f)
{
    const uint32_t driver = orr_symptom_said(
        f->log, "driver&560 28 |560 31 |560 35 |545 23 |545 29 |driver 560 |driver 545 |drivers 560 |drivers 545 ",
        true);
    if (!driver)
        return "";
    return orr_symptom_text(f,
                            " P2P was reported to hang with the driver's branches 545 and 560 (line %u), and to work "
                            "with 535 and 570.",
                            driver);
}

/* The part with the advice for this machine: where NVLink carries P2P, ACS cannot break it. */
static const struct orr_symptom_part *on_machine(const struct orr_log *log, const struct orr_symptom_part *part)
{
    return part == orr_symptom_part("p2p") && orr_symptom_has_nvlink(log) ? orr_symptom_part("p2p-over-nvlink") : part;
}

/* Names a part as the cause. */
static void blame(struct orr_symptom_finder *f, const char *id, const struct orr_symptom_part *part, uint32_t line,
                  bool guess, const char *cause)
{
    const struct orr_log_event *error = guess ? NULL : orr_symptom_unspecific(f->log);
    part = on_machine(f->log, part);
    ORR_SYMPTOM(f, id, ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(f, "%s%s.%s", cause, part->fault,
                                          part == orr_symptom_part("p2p") ? orr_symptom_of_driver(f) : ""),
                .check = part->check, .cure = part->cure, .guess = guess,
                .explains = error ? error->message->id : NULL);
}

/* A text about a hang in which P2P is turned off, without a word about what that changed. */
static void set_in_hang(struct orr_symptom_finder *f)
{
    const struct orr_log_said *hang = f->log->mentions[ORR_MENTION_HANG], *off = f->log->mentions[ORR_MENTION_P2P_OFF];
    const struct orr_symptom_part *part = orr_symptom_part("p2p");
    uint32_t line = 0;
    const char *value = orr_symptom_setting(f->log, "NCCL_P2P_DISABLE", &line);
    if (!value || strcmp(value, "1") != 0)
        line = off ? off->line : 0;
    const char *shm = orr_symptom_setting(f->log, "NCCL_SHM_DISABLE", NULL); /* with it, a test of the network */
    if (!hang || !line || (shm && !strcmp(shm, "1")) || is_settled(f->log, part) ||
        outcome_in(part, hang->words) == IN_VAIN || (off && outcome_in(part, off->words) == IN_VAIN))
        return;
    blame(f, "p2p-worked-around", part, line, true,
          orr_symptom_text(f,
                           "The text mentions a hang (line %u) and NCCL_P2P_DISABLE=1 (line %u): if the job works with "
                           "it and hangs without it, ",
                           hang->line, line));
}

void orr_symptoms_of_runs(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_symptom_part *part, *first = NULL, *second = NULL;
    uint32_t line = 0, first_line = 0, second_line = 0;
    for (uint32_t i = 0; (part = orr_symptom_part_at(i)) && !second; i++) {
        if (!is_used(log, part) || outcome_of(log, part, &line) != HELPED)
            continue;
        *(first ? &second_line : &first_line) = line;
        *(first ? &second : &first) = part;
    }
    if (!first) {
        set_in_hang(f);
        return;
    }
    if (is_settled(log, first))
        return;
    const bool together = second && first_line == second_line;
    blame(f, together ? "works-without-parts" : "works-without-part", first, first_line, false,
          together ? orr_symptom_text(f,
                                      "The text says that it works with %s and %s (line %u), which turn off two parts. "
                                      "Run once with %s alone: if it works, ",
                                      first->off, second->off, first_line, first->off)
                   : orr_symptom_text(f, "The text says that it works with %s (line %u), so ", first->off, first_line));
}

/* Parts to run without next, and why those. */
struct next {
    const struct orr_symptom_part *parts[3];
    uint32_t count;
};

/* Whether the text sets what turns a part off. */
static bool is_off(const struct orr_log *log, const struct orr_symptom_part *part)
{
    for (uint32_t i = 0; i < log->setting_count; i++) {
        const size_t name = strlen(log->settings[i].name);
        if (!strncmp(part->off, log->settings[i].name, name) && part->off[name] == '=' &&
            !strcmp(part->off + name + 1, log->settings[i].value))
            return true;
    }
    return false;
}

static void try_next(const struct orr_log *log, struct next *next, const char *id)
{
    const struct orr_symptom_part *part = orr_symptom_part(id);
    uint32_t line;
    if (is_off(log, part))
        return;
    if (next->count < sizeof next->parts / sizeof next->parts[0] && is_used(log, part) && !is_settled(log, part) &&
        outcome_of(log, part, &line) == UNTRIED)
        next->parts[next->count++] = part;
}

/* The line of the first collective that ran into PyTorch's time limit, if no later one did; 0 if there is none. */
static uint32_t first_collective(const struct orr_log *log)
{
    enum { FIRST_ONES = 2 };
    for (uint32_t i = 0; i < log->timed_out_count; i++)
        if (log->timed_out[i].work > FIRST_ONES)
            return 0;
    return log->timed_out_count ? log->timed_out[0].line : 0;
}

/* Whether every rank reports that it had called the work that did not end. */
static bool all_called(const struct orr_log *log)
{
    const uint32_t largest = orr_log_largest(log);
    return largest != UINT32_MAX && log->progress_count >= (uint32_t)log->communicators[largest].rank_count;
}

/* Whether ranks of a group enqueued numbers of calls that are far apart, so they do not make the same ones. */
static bool lags(const struct orr_log *log)
{
    enum { FAR = 16 };
    for (uint32_t i = 1; i < log->progress_count; i++)
        if (abs(log->progress[i].enqueued - log->progress[0].enqueued) >= FAR && log->progress[i].group &&
            log->progress[0].group && !strcmp(log->progress[i].group, log->progress[0].group))
            return true;
    return false;
}

/* Whether the log ends while NCCL connects GPUs by P2P. */
static bool ends_connecting(const struct orr_log *log)
{
    const struct orr_log_record *last = log->record_count ? &log->records[log->record_count - 1] : NULL;
    return last && last->kind == ORR_LOG_CONNECT_P2P && !log->kinds[ORR_LOG_INIT_COMPLETE] &&
           !log->kinds[ORR_LOG_CONNECTED];
}

/* The line in which a person says that something hangs, if the text has nothing else to go by; 0 if there is none. */
static uint32_t said_to_hang(const struct orr_symptom_finder *f)
{
    enum { LINES = 3 }; /* of NCCL: then they show more than the words */
    static const char hangs[] = " hang| stuck| freez| stalls| does not progress| doesn t progress| not "
                                "progressing&nccl|all_reduce|allreduce|training|collective|launch|vllm|sglang|tensor "
                                "parallel|tensor_parallel|multi gpu&!queue|hangs around|cmake| "
                                "build|ncclcomminitrank|rendezvous|orterun| orte | rml ";
    const struct orr_log *log = f->log;
    for (uint32_t i = 0; i < f->found->count; i++)
        if (f->found->rows[i].weight != ORR_SYMPTOM_NOTE)
            return 0;
    for (uint32_t i = 0; i < log->event_count; i++)
        if (log->events[i].message->weight != ORR_WEIGHT_NOTE)
            return 0;
    if (orr_symptom_said(log, ORR_SAID_OF_OTHERS, true))
        return 0;
    for (uint32_t i = 0; i < log->said_count && log->nccl_count < LINES; i++)
        if (!log->said[i].command && orr_log_says(log->said, log->said_count, i, hangs) &&
            !orr_log_says(log->said, log->said_count, i, ORR_SAID_OVER))
            return log->said[i].line;
    return 0;
}

/* What stands still, as far as the text shows it: a sentence; NULL if it does not. */
static const char *standstill(struct orr_symptom_finder *f, const struct orr_log_event *timeout, uint32_t server,
                              uint32_t *ret_line)
{
    const struct orr_log *log = f->log;
    const struct orr_symptom_transports seen = orr_symptom_transports(log);
    const struct orr_log_said *hang = log->mentions[ORR_MENTION_HANG];
    if ((*ret_line = first_collective(log)))
        return orr_symptom_text(
            f, "The first collective of a group did not end (line %u): data does not get from rank to rank%s.",
            *ret_line, all_called(log) ? "" : ", or a rank never called it");
    *ret_line = timeout && server ? timeout->line : hang ? hang->line : 0;
    if (timeout && server && lags(log))
        return NULL;
    if (timeout && server)
        return "A collective of the server's workers did not end: a worker failed or is late, or data between the GPUs "
               "or a CUDA graph does not get on.";
    if (log->kinds[ORR_LOG_TEST_START] && !log->test_rows && seen.p2p + seen.net > 0)
        return "NCCL's ranks are connected and no result follows, so data may not get from rank to rank.";
    if (hang && ends_connecting(log))
        return "The job hangs, and its lines end where NCCL connects the GPUs by P2P, which may not work.";
    if (hang && seen.p2p + seen.net > 0)
        return orr_symptom_text(
            f, "NCCL's ranks are connected, and the job hangs (line %u): data may not get from rank to rank.",
            hang->line);
    return NULL;
}

/* The runs that show most, in the order in which to make them. hosts: the job has several. */
static struct next choose(const struct orr_symptom_finder *f, bool words, bool server, bool hosts)
{
    const struct orr_log *log = f->log;
    const struct orr_symptom_transports seen = orr_symptom_transports(log);
    struct next next = {.count = 0};
    if (server && !words && !first_collective(log))
        try_next(log, &next, "cuda-graphs");
    if (hosts) {
        try_next(log, &next, "efa");
        try_next(log, &next, "network");
    }
    if (hosts && seen.gdr)
        try_next(log, &next, "gdr");
    if (seen.p2p || !seen.net)
        try_next(log, &next, "p2p");
    if (words && next.count < 2)
        try_next(log, &next, server ? "custom-all-reduce" : "shm");
    return next;
}

void orr_symptoms_of_next_runs(struct orr_symptom_finder *f)
{
    static const char several[] = " nodes| hosts|multi node|multinode|two machines|cross node| node 1 | servers";
    static const char servers[] = " vllm|sglang|tensorrt|trtllm| tgi ";
    const struct orr_log *log = f->log;
    const bool server = orr_symptom_said(log, servers, true) != 0;
    const bool hosts = orr_symptom_transports(log).net || orr_symptom_said(log, several, true);
    const struct orr_log_event *timeout = orr_log_event_of(log, "watchdog-timeout|vllm-answer");
    uint32_t line;
    for (uint32_t i = 0; i < f->found->count; i++)
        if (f->found->rows[i].weight == ORR_SYMPTOM_CAUSE)
            return;
    for (uint32_t i = 0; i < log->event_count; i++)
        if (!log->events[i].message || log->events[i].message->weight == ORR_WEIGHT_FATAL ||
            log->events[i].message->weight == ORR_WEIGHT_ERROR || log->events[i].message->weight == ORR_WEIGHT_ABSENT)
            return; /* which says more */
    const char *cause = standstill(f, timeout, server, &line);
    const bool words = !cause && (line = said_to_hang(f));
    const struct next next = choose(f, words, server, hosts);
    if ((!cause && !words) || !next.count)
        return;
    const char *runs = "Check:";
    for (uint32_t i = 0; i < next.count; i++)
        runs = orr_symptom_text(f, "%s%s once with %s: if it works, %s.%s", runs, i ? " Run" : " run",
                                next.parts[i]->off, next.parts[i]->fault,
                                strcmp(next.parts[i]->id, "p2p") != 0 ? "" : orr_symptom_of_driver(f));
    ORR_SYMPTOM(
        f, "next-run", ORR_SYMPTOM_OPEN, line,
        .cause = words ? "The text says that something hangs, but not where, so Orrery cannot tell why." : cause,
        .check = words ? runs : orr_symptom_text(f, "%s %s", runs, on_machine(log, next.parts[0])->check),
        .cure =
            words ? "If nothing helps, paste what all ranks print with NCCL_DEBUG=INFO, and `nvidia-smi topo -m`." : "",
        .by_words = words, .guess = true, .explains = timeout ? timeout->message->id : NULL);
}
