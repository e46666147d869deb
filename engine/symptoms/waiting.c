/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about ranks that wait until PyTorch's time limit: for one that is busy or saves, for a limit that a group does
 * not have, for one that the flight recorder misses, for one another in sends, or in two groups. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symptoms/finding.h"

static const struct orr_log_event *timeout_of(const struct orr_symptom_finder *f)
{
    return orr_log_event_of(f->log, "watchdog-timeout");
}

/* A progress bar that ran on for as long as the others waited in their first collectives. */
static void still_at_work(struct orr_symptom_finder *f)
{
    enum { FIRST_ONES = 16 };
    static const char alone[] = "Eval|eval|Gener|gener|Infer|infer|Predict|predict|Sav|Writ|Shard|shard|Test";
    const struct orr_log *log = f->log;
    const struct orr_log_bar *bar = &log->bar;
    const struct orr_log_event *hang = timeout_of(f);
    const double limit = log->timed_out_count ? log->timed_out[0].limit : 0;
    if (!hang || !bar->line || bar->took < 0.8 * limit || bar->took > 1.05 * limit)
        return;
    for (uint32_t i = 0; i < f->found->count; i++)
        if (!strcmp(f->found->rows[i].id, "prepares-data"))
            return; /* which says the same */
    for (uint32_t i = 0; i < log->timed_out_count; i++)
        if (log->timed_out[i].work > FIRST_ONES && !orr_log_has_word(bar->what, strlen(bar->what), alone))
            return; /* as in training, whose bar stands still in a hang */
    ORR_SYMPTOM(f, "still-at-work", ORR_SYMPTOM_CAUSE, bar->line,
                .cause = orr_symptom_text(f,
                                          "A rank was still busy (line %u: %s, %.0f %% after %.0f min, %s to go) when "
                                          "the time limit of %.0f min ended the others, which waited for it.",
                                          bar->line, bar->what, bar->percent, bar->took / 60, bar->left, limit / 60),
                .check =
                    "Check: the bars of the other ranks begin only after that, and a small part of the data works.",
                .cure = "Prepare the data once before the job (a cache), with more workers, or raise the timeout of "
                        "init_process_group() (Transformers: ddp_timeout; Accelerate: InitProcessGroupKwargs).",
                .explains = hang->message->id);
}

/* The longest time limit that the text asks for, in seconds; 0 if it asks for none. */
static double asked_limit(const struct orr_log *log, uint32_t *ret_line)
{
    static const struct {
        const char *words; /* as in struct orr_log_said */
        double unit;
    } limits[] = {{" distributed_timeout_minutes ", 60},
                  {" distributed timeout minutes ", 60},
                  {" deepspeed_timeout ", 60},
                  {" timedelta minutes ", 60},
                  {" timedelta hours ", 3600},
                  {" timedelta seconds ", 1},
                  {" ddp_timeout ", 1},
                  {" ddp timeout ", 1}};
    double most = 0;
    for (uint32_t i = 0; i < log->said_count; i++)
        for (size_t k = 0; k < sizeof limits / sizeof limits[0]; k++) {
            const char *at = strstr(log->said[i].words, limits[k].words);
            const double seconds = at ? strtod(at + strlen(limits[k].words), NULL) * limits[k].unit : 0;
            if (seconds <= most)
                continue;
            most = seconds;
            *ret_line = log->said[i].line;
        }
    return most;
}

/* The name of the group whose work timed out, " (tp)"; "" if no line names it. */
static const char *group_named(const struct orr_symptom_finder *f)
{
    const char *group = f->log->progress_count ? f->log->progress[0].group : NULL;
    const char *name = group ? strchr(group, '(') : NULL;
    return name ? orr_symptom_text(f, " %s", name) : "";
}

/* A time limit that the text asks for, and a shorter one that ended the job: each group has its own. */
static void other_limit(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *hang = timeout_of(f);
    const double limit = log->timed_out_count ? log->timed_out[0].limit : 0;
    uint32_t line = 0;
    const double asked = asked_limit(log, &line);
    if (!hang || (limit != 600 && limit != 1800) || asked <= limit)
        return;
    ORR_SYMPTOM(
        f, "other-limit", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(f,
                                  "The limit of line %u (%.0f min) does not reach the group%s that timed out in line "
                                  "%u: it has %.0f min, PyTorch's default, and a rank was later than that.",
                                  line, asked / 60, group_named(f), log->timed_out[0].line, limit / 60),
        .check = orr_symptom_text(f,
                                  "Check: Timeout(ms)=%.0f in that line, and the call of new_group() or "
                                  "init_process_group() that makes the group without timeout=.",
                                  limit * 1000),
        .cure = "Give that call timeout= (neither NCCL nor PyTorch reads NCCL_TIMEOUT, and "
                "TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC is another limit), or make the late rank faster: compiled kernels, "
                "data and checkpoints on local disks.",
        .guess = true, .explains = hang->message->id);
}

/* Saving is the last thing that was printed before the limit, the others wait in a barrier (an AllReduce of one
 * element), and rank 0 does not. */
static void still_saving(struct orr_symptom_finder *f)
{
    enum { LINES_BETWEEN = 4 };
    const struct orr_log *log = f->log;
    const struct orr_log_event *hang = timeout_of(f), *saves = orr_log_event_of(log, "saves");
    if (!hang || !saves || !log->timed_out_count || saves->line > log->timed_out[0].line)
        return;
    uint32_t line = saves->line;
    line = saves->last_line < log->timed_out[0].line ? saves->last_line : line;
    for (uint32_t i = 0; i < log->timed_out_count; i++)
        if (log->timed_out[i].elements != 1 || log->timed_out[i].rank == 0)
            return;
    if (line + LINES_BETWEEN < log->timed_out[0].line)
        return;
    ORR_SYMPTOM(f, "still-saving", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(f,
                                          "Rank 0 reports no time-out, and the others waited in a barrier (line %u: "
                                          "an operation of one element). Saving came last (line %u): rank 0 can "
                                          "have written for longer than the limit of %.0f min.",
                                          log->timed_out[0].line, line, log->timed_out[0].limit / 60),
                .check = "Check: how long the same file takes to write there, and `py-spy dump` of rank 0 before the "
                         "limit. A small model saves in time.",
                .cure = "If writing takes that long, let every rank save its shard (FSDP: SHARDED_STATE_DICT; "
                        "torch.distributed.checkpoint), write to a faster disk, or raise the timeout of "
                        "init_process_group().",
                .explains = hang->message->id);
}

/* The analysis of PyTorch's flight recorder names ranks that did not make a call. */
static void missing_in_recorder(struct orr_symptom_finder *f)
{
    enum { RANKS_MOST = 60 };
    const struct orr_log_event *hang = timeout_of(f), *missing = orr_log_event_of(f->log, "flight-missing");
    const char *begin = missing ? strchr(missing->text, '{') : NULL, *end = begin ? strchr(begin, '}') : NULL;
    if (!end || end == begin + 1 || !orr_log_event_of(f->log, "flight-join"))
        return;
    const int length = end - begin - 1 < RANKS_MOST ? (int)(end - begin - 1) : RANKS_MOST;
    ORR_SYMPTOM(f, "flight-missing", ORR_SYMPTOM_CAUSE, missing->line,
                .cause = orr_symptom_text(f,
                                          "PyTorch's flight recorder shows that rank %.*s did not call the collective "
                                          "in which the others wait (line %u). The program took another path there, "
                                          "waits or failed: look at it before the network.",
                                          length, begin + 1, missing->line),
                .check = "Check: `py-spy dump` and the log of that rank: what it does instead of the stack that is "
                         "listed.",
                .cure = "Make every rank call the same collectives in the same order, or end the job on all ranks if "
                        "one fails.",
                .explains = hang ? hang->message->id : "flight-join");
}

/* All wait in sends, or all in receives. */
static void one_way(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *hang = timeout_of(f);
    int32_t other = -1;
    for (uint32_t i = 0; i < log->timed_out_count; i++) {
        const struct orr_log_timed_out *call = &log->timed_out[i];
        if ((strcmp(call->operation, "SEND") && strcmp(call->operation, "RECV")) ||
            strcmp(call->operation, log->timed_out[0].operation) != 0)
            return;
        other = call->rank != log->timed_out[0].rank ? call->rank : other;
    }
    if (!hang || other < 0)
        return;
    const bool send = !strcmp(log->timed_out[0].operation, "SEND");
    ORR_SYMPTOM(
        f, "one-way", ORR_SYMPTOM_CAUSE, log->timed_out[0].line,
        .cause = orr_symptom_text(f,
                                  "Ranks %d and %d both wait in %s (line %u), and no rank reports %s. If the two are "
                                  "each other's peers, the program's order is at fault, and not P2P: a large transfer "
                                  "ends only with its counterpart. If not, look at their peers, which report nothing.",
                                  log->timed_out[0].rank, other, send ? "a send" : "a receive", log->timed_out[0].line,
                                  send ? "a receive" : "a send"),
        .check = "Check: the same program hangs with the backend gloo, too, or `py-spy dump` shows all ranks in "
                 "the same call.",
        .cure = "Let one side receive first (by rank), or give both transfers to batch_isend_irecv(), or to one "
                "ncclGroupStart() and ncclGroupEnd().",
        .explains = hang->message->id);
}

/* Operations of two groups that wait for each other: a person says that there are two, or streams of their own, and a
 * rank is late or waits in another group than others do. */
static void two_groups(struct orr_symptom_finder *f)
{
    static const char said[] = "two process group|two group|second process group|second group|both groups|two "
                               "communicator|several communicator|multiple communicator|other group|own stream|side "
                               "stream|separate stream|second stream|another stream|different stream|own cuda stream";
    const struct orr_log *log = f->log;
    const struct orr_log_event *hang = timeout_of(f);
    const uint32_t line = hang ? orr_symptom_said(log, said, false) : 0;
    const struct orr_log_progress *first = log->progress, *late = NULL, *other = NULL;
    for (uint32_t i = 1; line && i < log->progress_count; i++) {
        const struct orr_log_progress *row = &log->progress[i];
        if (!first->group || !row->group || row->rank == first->rank)
            continue;
        other = strcmp(row->group, first->group) != 0 ? row : other;
        late = !strcmp(row->group, first->group) && row->enqueued != first->enqueued ? row : late;
    }
    if (!late && !other)
        return;
    ORR_SYMPTOM(f, "two-groups", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(
                    f,
                    "%s, and the text has several groups or streams (line %u): NCCL's operations "
                    "of two communicators can deadlock if they start in different orders on the "
                    "GPUs, each waiting for one that comes after the other.",
                    other ? orr_symptom_text(f, "Ranks %d and %d wait in different groups", first->rank, other->rank)
                          : "A rank is late in its group",
                    line),
                .check = "Check: torch.cuda.synchronize() before each change from one group to the other: if it works, "
                         "it is this. In the flight recorder, the work is \"scheduled\" on one rank and \"started\" on "
                         "the others.",
                .cure = "Call the operations of both groups in the same order on all ranks, from one stream, or let "
                        "one group's end (wait, synchronize) before the other's begin.",
                .explains = hang->message->id);
}

/* The stack of a rank that is busy elsewhere, beside that of one that waits in a collective. */
static void busy_by_stack(struct orr_symptom_finder *f)
{
    static const struct {
        const char *id, *does, *cure;
    } rows[] = {
        {"stack-file", "saves or loads a file",
         "Let all ranks save or load their parts (torch.distributed.checkpoint, async_save), use faster storage, or "
         "raise the timeout of init_process_group()."},
        {"stack-dataset", "prepares data",
         "Prepare the data once before the job (a cache), or raise the timeout of init_process_group()."},
        {"stack-compiler", "compiles kernels",
         "Compile before the first collective with a time limit, keep the cache (TORCHINDUCTOR_CACHE_DIR), or raise "
         "the "
         "timeout of init_process_group()."},
        {"stack-loader", "waits for its data loader",
         "Look at that rank's storage, workers and memory: a worker may have died, or the data of this rank ended."},
    };
    const struct orr_log *log = f->log;
    const struct orr_log_event *hang = orr_log_event_of(log, "watchdog-timeout|store-barrier|monitored-barrier"),
                               *waits = orr_log_event_of(log, "stack-collective"), *busy = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0] && !busy; i++) {
        busy = orr_log_event_of(log, rows[i].id);
        if (!busy || !(waits || hang) || !(hang || log->mentions[ORR_MENTION_HANG]))
            continue;
        ORR_SYMPTOM(
            f, "busy-by-stack", ORR_SYMPTOM_CAUSE, busy->line,
            .cause = orr_symptom_text(f, "By its stack, a rank %s (line %u) while others wait for it%s.", rows[i].does,
                                      busy->line,
                                      waits ? orr_symptom_text(f, " in a collective (line %u)", waits->line) : ""),
            .check = "Check: `py-spy dump` of all ranks again: if it still shows the same, that rank is slow or stuck "
                     "there, not in NCCL.",
            .cure = rows[i].cure, .explains = hang ? hang->message->id : NULL);
    }
}

void orr_symptoms_of_waiting(struct orr_symptom_finder *f)
{
    busy_by_stack(f);
    still_at_work(f);
    other_limit(f);
    missing_in_recorder(f);
    one_way(f);
    still_saving(f);
    two_groups(f);
}
