/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about a program whose ranks do not make the same calls: PyTorch compared them, or code in the text makes a
 * collective on one rank only. */
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
        cause = orr_symptom_text(f,
                                 "Rank %d called %s while rank %d called %s (line %u): the program's ranks took "
                                 "different paths.",
                                 one.rank, one.operation, other.rank, other.operation, event->line);
    else if (one.shape && other.shape && (one.length != other.length || strncmp(one.shape, other.shape, one.length)))
        cause =
            orr_symptom_text(f,
                             "Rank %d called %s with a tensor of shape %.*s, and rank %d with %.*s (line %u): their "
                             "batches, inputs or used parameters differ.",
                             one.rank, one.operation, one.length, one.shape, other.rank,
                             other.length < SHAPE_MOST ? other.length : SHAPE_MOST, other.shape, event->line);
    else
        return;
    ORR_SYMPTOM(
        f, "calls-differ", ORR_SYMPTOM_CAUSE, event->line, .cause = cause,
        .check = "Check: the traceback below that line, on both ranks, shows where the program makes the call.",
        .cure = !both
                    ? "Compare those lines. Every rank must call the same collectives in the same order, with equally "
                      "large tensors (drop_last, padding, or gathering the sizes first)."
                : !same ? "Make every rank call the same collectives in the same order: no collective under a "
                          "condition that only some ranks meet (rank 0, an empty batch, an exception)."
                        : "Give equally large tensors on every rank (drop_last, padding, or gathering the sizes "
                          "first), and use the same parameters on every rank in each step.",
        .explains = event->message->id);
}

/* Code in the text that calls a collective under `if rank == 0`, and none for the other ranks. */
static void guarded_call(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_guarded *guarded = &log->guarded;
    const struct orr_log_said *hang = log->mentions[ORR_MENTION_HANG];
    const struct orr_log_event *event = NULL;
    for (uint32_t i = 0; i < log->event_count && !event; i++)
        if (log->events[i].message && log->events[i].message->weight == ORR_WEIGHT_HANG)
            event = &log->events[i];
    if (!guarded->call_line || guarded->others || (!event && !hang))
        return;
    ORR_SYMPTOM(f, "guarded-call", ORR_SYMPTOM_CAUSE, guarded->call_line,
                .cause =
                    orr_symptom_text(f,
                                     "Only rank 0 calls the collective in line %u (`%s`), because of the condition "
                                     "in line %u (`%s`). The other ranks do not take part, and so it never ends.",
                                     guarded->call_line, guarded->call, guarded->line, guarded->condition),
                .check = "Check: `py-spy dump` of rank 0 shows that line, and the others wait elsewhere.",
                .cure = "Move the call out of the condition, so that every rank makes it, or leave it out.",
                .explains = event ? event->message->id : NULL);
}

void orr_symptoms_of_program(struct orr_symptom_finder *f)
{
    compared_calls(f);
    guarded_call(f);
}
