/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about a program whose ranks do not make the same calls, or not in time: PyTorch compared them, code in the text
 * makes a collective on one rank only, experts of ZeRO-3, data that one rank prepares, and its progress
 * bar; a time limit that a group does not have. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/symptoms/finding.h"

/* A rank's call in PyTorch's comparison: "Rank 1 is running collective: CollectiveFingerPrint(SequenceNumber=101,
 * OpType=ALLGATHER, TensorShape=[41, 256], ...". */
struct fingerprint {
    int rank;
    char operation[32];
    const char *shape; /* "[41, 256]"; NULL if the line has none */
    int length;
};

/* Reads the next call at *at, which moves on. */
static bool next_call(const char **at, struct fingerprint *ret_call)
{
    const char *rank = strstr(*at, "Rank "), *type = rank ? strstr(rank, "OpType=") : NULL;
    if (!type || sscanf(rank, "Rank %d is running", &ret_call->rank) != 1 ||
        sscanf(type, "OpType=%31[A-Z_]", ret_call->operation) != 1)
        return false;
    type += strlen("OpType=") + strlen(ret_call->operation);
    const char *shape = !strncmp(type, ", TensorShape=[", strlen(", TensorShape=[")) ? strchr(type, '[') : NULL;
    const char *end = shape ? strchr(shape, ']') : NULL;
    ret_call->shape = end ? shape : NULL;
    ret_call->length = end ? (int)(end + 1 - shape) : 0;
    *at = type;
    return true;
}

/* TORCH_DISTRIBUTED_DEBUG=DETAIL compares the calls of the ranks before each collective. Before PyTorch 1.13, a line
 * had the call of one rank. */
static void compared_calls(struct orr_symptom_finder *f)
{
    enum { SHAPE_MOST = 60 };
    const struct orr_log_event *event = orr_log_event_of(f->log, "collective-mismatch");
    const char *at = event ? event->text : "", *cause;
    struct fingerprint one, other;
    if (!next_call(&at, &one))
        return;
    one.length = one.length < SHAPE_MOST ? one.length : SHAPE_MOST;
    const bool both = next_call(&at, &other);
    const bool same = both && !strcmp(one.operation, other.operation);
    if (!both)
        cause = orr_symptom_text(f,
                                 "PyTorch found that the ranks' calls differ: rank %d called %s%s%.*s (line %u). The "
                                 "same message of the other ranks names their calls.",
                                 one.rank, one.operation, one.shape ? " of shape " : "", one.length,
                                 one.shape ? one.shape : "", event->line);
    else if (!same)
        cause = orr_symptom_text(
            f, "Rank %d called %s while rank %d called %s (line %u): the program's ranks took different paths.",
            one.rank, one.operation, other.rank, other.operation, event->line);
    else if (one.shape && other.shape && (one.length != other.length || strncmp(one.shape, other.shape, one.length)))
        cause = orr_symptom_text(f,
                                 "Rank %d called %s with a tensor of shape %.*s, and rank %d with %.*s (line %u): "
                                 "their batches, inputs or used parameters differ.",
                                 one.rank, one.operation, one.length, one.shape, other.rank,
                                 other.length < SHAPE_MOST ? other.length : SHAPE_MOST, other.shape, event->line);
    else
        return;
    ORR_SYMPTOM(f, "calls-differ", ORR_SYMPTOM_CAUSE, event->line, .cause = cause,
                .check = "Check: the traceback below that line, on both ranks, shows where the program makes the call.",
                .cure = !both   ? "Compare those lines. Every rank must call the same collectives in the same order, "
                                  "with equally large tensors (drop_last, padding, or gathering the sizes first)."
                        : !same ? "Make every rank call the same collectives in the same order: no collective under a "
                                  "condition that only some ranks meet (rank 0, an empty batch, an exception)."
                                : "Give equally large tensors on every rank (drop_last, padding, or gathering the "
                                  "sizes first), and use the same parameters on every rank in each step.",
                .explains = event->message->id);
}

/* The first event of a hang; NULL if there is none. */
static const struct orr_log_event *hang_of(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->event_count; i++)
        if (log->events[i].message && log->events[i].message->weight == ORR_WEIGHT_HANG)
            return &log->events[i];
    return NULL;
}

/* Code in the text that calls a collective under `if rank == 0`, and none for the other ranks. */
static void guarded_call(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_guarded *guarded = &log->guarded;
    const struct orr_log_said *hang = log->mentions[ORR_MENTION_HANG];
    const struct orr_log_event *event = hang_of(log);
    if (!guarded->call_line || guarded->others || (!event && !hang))
        return;
    ORR_SYMPTOM(f, "guarded-call", ORR_SYMPTOM_CAUSE, guarded->call_line,
                .cause =
                    orr_symptom_text(f,
                                     "Only rank 0 calls the collective in line %u (`%s`), because of the condition in "
                                     "line %u (`%s`). The other ranks do not take part, and so it never ends.",
                                     guarded->call_line, guarded->call, guarded->line, guarded->condition),
                .check = "Check: `py-spy dump` of rank 0 shows that line, and the others wait elsewhere.",
                .cure = "Move the call out of the condition, so that every rank makes it, or leave it out.",
                .explains = event ? event->message->id : NULL);
}

/* ZeRO-3 gathers a module's parameters when it runs, and of a mixture of experts each rank runs those to which its own
 * tokens go. */
static void experts_of_zero3(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *hang = hang_of(log), *gather = orr_log_event_of(log, "zero3-gather");
    const struct orr_log_event *experts = orr_log_event_of(log, "experts-frame");
    const uint32_t stage =
        gather ? gather->line : orr_symptom_said(log, "zero3|zero 3|zero_3|zero stage 3|_z3|z3_| z3 ", true);
    const uint32_t model =
        experts ? experts->line : orr_symptom_said(log, " moe | moe_|_moe|mixtral|mixture of experts", true);
    if (!stage || !model || (!hang && !log->mentions[ORR_MENTION_HANG]))
        return;
    ORR_SYMPTOM(f, "zero3-experts", ORR_SYMPTOM_CAUSE, model,
                .cause = orr_symptom_text(
                    f,
                    "ZeRO-3 (line %u) gathers each expert's parameters in a collective, and the ranks send their "
                    "tokens to different experts (line %u): they can then wait in different collectives.",
                    stage, model),
                .check = "Check: `py-spy dump` shows some ranks in an expert that others skip; ZeRO-2 does not hang.",
                .cure = "Make each block of experts a leaf: deepspeed.utils.set_z3_leaf_modules(model, [BLOCK_CLASS]) "
                        "(DeepSpeed 0.13 on), or use ZeRO-2.",
                .explains = hang ? hang->message->id : NULL);
}

/* The others wait in a barrier while the first rank prepares data. */
static void prepares_data(struct orr_symptom_finder *f)
{
    const struct orr_log_event *hang = orr_log_event_of(f->log, "watchdog-timeout|store-key");
    const struct orr_log_event *first = orr_log_event_of(f->log, "zero-first|main-first");
    if (!hang || !first)
        return;
    ORR_SYMPTOM(
        f, "prepares-data", ORR_SYMPTOM_CAUSE, first->line,
        .cause = orr_symptom_text(
            f,
            "The first rank prepares data alone (line %u), and the others probably waited for it until the time limit.",
            first->line),
        .check = "Check: the first rank still shows progress when the limit ends the job.",
        .cure = "Prepare the data once before (a cache), or raise the timeout of init_process_group() (Transformers: "
                "ddp_timeout; Accelerate: InitProcessGroupKwargs).",
        .explains = hang->message->id);
}

/* A progress bar that ran on for as long as the others waited in their first collectives. */
static void still_at_work(struct orr_symptom_finder *f)
{
    enum { FIRST_ONES = 16 };
    const struct orr_log *log = f->log;
    const struct orr_log_bar *bar = &log->bar;
    const struct orr_log_event *hang = orr_log_event_of(log, "watchdog-timeout");
    const double limit = log->timed_out_count ? log->timed_out[0].limit : 0;
    if (!hang || !bar->line || bar->took < 0.8 * limit || bar->took > 1.05 * limit)
        return;
    for (uint32_t i = 0; i < log->timed_out_count; i++)
        if (log->timed_out[i].work > FIRST_ONES)
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
    const struct orr_log_event *hang = orr_log_event_of(log, "watchdog-timeout");
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
        .explains = hang->message->id);
}

void orr_symptoms_of_program(struct orr_symptom_finder *f)
{
    still_at_work(f);
    other_limit(f);
    compared_calls(f);
    guarded_call(f);
    experts_of_zero3(f);
    prepares_data(f);
}
