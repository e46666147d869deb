/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about a program whose ranks do not make the same calls, or not in time: PyTorch compared them, code in the text
 * makes a collective on one rank only, experts of ZeRO-3, data that one rank prepares. */
#include <stdio.h>
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
                .cure = "If so, make each block of experts a leaf: deepspeed.utils.set_z3_leaf_modules(model, "
                        "[BLOCK_CLASS]) (DeepSpeed 0.13 on), or use ZeRO-2.",
                .explains = hang ? hang->message->id : NULL);
}

/* Ranks that generate texts of different lengths run the model differently often, which gathers sharded parameters each
 * time. */
static void uneven_generation(struct orr_symptom_finder *f)
{
    static const char generates[] = " generate ", others[] = "synced_gpus|synced gpus| vllm|sglang|rollout";
    static const char sharded[] = "zero3|zero 3|zero_3|zero stage 3|stage 3|stage3| z3 | fsdp|fsdp2";
    const struct orr_log *log = f->log;
    const struct orr_log_event *hang = hang_of(log);
    const uint32_t line = orr_symptom_said(log, generates, true), stage = orr_symptom_said(log, sharded, true);
    if (!line || !stage || (!hang && !log->mentions[ORR_MENTION_HANG]) || orr_symptom_said(log, others, true))
        return;
    ORR_SYMPTOM(f, "uneven-generation", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(
                    f,
                    "Each step of generate() (line %u) gathers the parameters that ZeRO-3 or FSDP shards (line %u), on "
                    "all ranks. A rank whose texts end earlier stops, and the others wait for it.",
                    line, stage),
                .check = "Check: it works if all ranks get the same prompts. The number of new tokens differs between "
                         "ranks.",
                .cure = "If it does, call generate(..., synced_gpus=True), or gather the whole parameters first "
                        "(summon_full_params, GatheredParameters) and generate without communication.",
                .explains = hang ? hang->message->id : NULL);
}

/* An operation that the program does not wait for, and results that are wrong. */
static void not_waited_for(struct orr_symptom_finder *f)
{
    static const char wrong[] = " nan |wrong|incorrect|garbage|corrupt|not equal|explode|diverge|stale|differ from";
    const struct orr_log_guarded *code = &f->log->guarded;
    const uint32_t said = orr_symptom_said(f->log, wrong, false);
    if (!code->async_line || code->waits || !said || hang_of(f->log))
        return;
    ORR_SYMPTOM(f, "not-waited-for", ORR_SYMPTOM_CAUSE, code->async_line,
                .cause = orr_symptom_text(
                    f,
                    "Line %u starts a collective with async_op=True, and no line of the text waits for it: what reads "
                    "or writes the tensor next may run before NCCL is done, so values are wrong at times.",
                    code->async_line),
                .check = "Check: with async_op=False, or CUDA_LAUNCH_BLOCKING=1, the results are right.",
                .cure = "Keep the handle and call wait() on it before the tensor is used: it makes the current stream "
                        "wait for NCCL's.");
}

/* The others wait in a barrier while the first rank prepares data. */
static void prepares_data(struct orr_symptom_finder *f)
{
    const struct orr_log_event *hang = orr_log_event_of(f->log, "watchdog-timeout|store-id");
    const struct orr_log_event *first = orr_log_event_of(f->log, "zero-first|main-first");
    if (!hang || !first)
        return;
    ORR_SYMPTOM(f, "prepares-data", ORR_SYMPTOM_CAUSE, first->line,
                .cause = orr_symptom_text(
                    f, "The first rank prepares data alone (line %u), and the others wait for it.", first->line),
                .check = "Check: is the first rank still at work when the limit ends the job?",
                .cure = "If so, raise the timeout of init_process_group() (Transformers: ddp_timeout; Accelerate: "
                        "InitProcessGroupKwargs), or prepare the data once before (a cache).",
                .explains = hang->message->id);
}

void orr_symptoms_of_program(struct orr_symptom_finder *f)
{
    compared_calls(f);
    guarded_call(f);
    experts_of_zero3(f);
    uneven_generation(f);
    not_waited_for(f);
    prepares_data(f);
}
