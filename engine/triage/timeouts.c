/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the ranks that lagged, or called another collective, when PyTorch's time limit ended the job. Each process
 * group numbers its own work, so only numbers of one group are compared. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/sorting.h"
#include "engine/triage/building.h"

void orr_triage_missing(struct orr_triaging *t, int32_t *ranks, uint32_t count, const char *why)
{
    uint32_t kept = 0;
    if (!count)
        return;
    qsort(ranks, count, sizeof *ranks, orr_by_number);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || ranks[kept - 1] != ranks[i])
            ranks[kept++] = ranks[i];
    t->triage->missing = ranks;
    t->triage->missing_count = kept;
    t->triage->missing_why = why;
}

/* The first group that a line names; NULL if there is none. */
static const char *group_of(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->progress_count; i++)
        if (log->progress[i].group)
            return log->progress[i].group;
    return NULL;
}

static bool is_of(const struct orr_log_progress *row, const char *group)
{
    return row->group && !strcmp(row->group, group);
}

ORR_COMPARATOR(by_rank, struct orr_log_progress *const, ORR_ORDER((*a)->rank, (*b)->rank))

/* Whether every rank contributes equally many elements to a collective. */
static bool is_even(const char *operation)
{
    return !strcmp(operation, "ALLREDUCE") || !strcmp(operation, "BROADCAST") || !strcmp(operation, "REDUCE") ||
           !strcmp(operation, "_ALLGATHER_BASE") || !strcmp(operation, "_REDUCE_SCATTER_BASE");
}

/* Whether all ranks make the same call: not for transfers between two ranks, nor for groups of calls. */
static bool is_collective(const char *operation)
{
    return strcmp(operation, "SEND") && strcmp(operation, "RECV") && strcmp(operation, "COALESCED") &&
           strcmp(operation, "UNKNOWN");
}

static bool is_same(const struct orr_log_timed_out *a, const struct orr_log_timed_out *b)
{
    return !strcmp(a->operation, b->operation) && (!is_even(a->operation) || a->elements == b->elements);
}

ORR_COMPARATOR(by_caller, struct orr_log_timed_out *const, ORR_ORDER((*a)->rank, (*b)->rank),
               ORR_ORDER((*a)->line, (*b)->line))

/* Keeps one call of each rank. A rank with several different calls is left out: they belong to several groups, and the
 * lines do not say to which. */
static uint32_t keep_certain(const struct orr_log_timed_out **calls, uint32_t count)
{
    uint32_t kept = 0;
    if (count)
        qsort(calls, count, sizeof *calls, by_caller);
    for (uint32_t i = 0, end; i < count; i = end) {
        bool same = true;
        for (end = i; end < count && calls[end]->rank == calls[i]->rank; end++)
            same &= is_same(calls[end], calls[i]);
        if (same)
            calls[kept++] = calls[i];
    }
    return kept;
}

/* Whether all calls that timed out are of one group: the only one that lines name, or else that of a work so far on
 * that two groups hardly come to it at once. */
static bool of_one_group(const struct orr_log *log, const char *group)
{
    enum { FAR = 32 };
    for (uint32_t i = 0; i < log->progress_count; i++)
        if (!group || !is_of(&log->progress[i], group))
            return false;
    for (uint32_t i = 0; i < log->timed_out_count; i++)
        if (log->timed_out[i].work != log->timed_out[0].work || (!group && log->timed_out[i].work < FAR))
            return false;
    return true;
}

/* The collective in which each rank waited when the work named by the first line of a group timed out. A rank is
 * included if its own line names the same work, or if all lines are of one group. */
static uint32_t gather(struct orr_triaging *t, const char *group, const struct orr_log_timed_out ***ret_calls)
{
    const struct orr_log *log = t->log;
    const struct orr_log_progress **rows = ORR_NEW(t->arena, const struct orr_log_progress *, log->progress_count);
    const struct orr_log_timed_out **calls = ORR_NEW(t->arena, const struct orr_log_timed_out *, log->timed_out_count);
    uint32_t row_count = 0, count = 0;
    const bool one_group = of_one_group(log, group);
    for (uint32_t i = 0; rows && group && i < log->progress_count; i++)
        if (is_of(&log->progress[i], group) && (!row_count || log->progress[i].work == rows[0]->work))
            rows[row_count++] = &log->progress[i];
    if (row_count)
        qsort(rows, row_count, sizeof *rows, by_rank);
    for (uint32_t i = 0; calls && (row_count || one_group) && i < log->timed_out_count && !orr_budget_spent(1); i++) {
        const struct orr_log_timed_out *call = &log->timed_out[i];
        const struct orr_log_progress like = {.rank = call->rank}, *key = &like;
        if ((!row_count || call->work == rows[0]->work) && is_collective(call->operation) &&
            (one_group || bsearch(&key, rows, row_count, sizeof *rows, by_rank)))
            calls[count++] = call;
    }
    *ret_calls = calls;
    return keep_certain(calls, count);
}

/* The call that more than half of the ranks made; NULL if there is none. */
static const struct orr_log_timed_out *most_common(const struct orr_log_timed_out *const *calls, uint32_t count)
{
    const struct orr_log_timed_out *most = NULL;
    uint32_t votes = 0, made = 0;
    for (uint32_t i = 0; i < count; i++) {
        if (!votes)
            most = calls[i];
        votes = is_same(calls[i], most) ? votes + 1 : votes - 1;
    }
    for (uint32_t i = 0; i < count; i++)
        made += is_same(calls[i], most);
    return made * 2 > count ? most : NULL;
}

/* The ranks that made one of the calls, ascending like the calls. */
static uint32_t callers_of(const struct orr_log_timed_out *call, const struct orr_log_timed_out *const *calls,
                           uint32_t count, int32_t *ranks)
{
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_same(calls[i], call))
            ranks[found++] = calls[i]->rank;
    return found;
}

/* " of 512 elements"; "" if unknown. */
static const char *size_of(struct orr_triaging *t, const struct orr_log_timed_out *call)
{
    return call->elements < 0 ? "" : orr_triage_text(t, " of %.0f elements", call->elements);
}

/* If no call is that of most ranks, names each: nothing shows which is right. */
static void name_sides(struct orr_triaging *t, const struct orr_log_timed_out *const *calls, uint32_t count,
                       int32_t *ranks)
{
    enum { SIDES_MOST = 3 };
    const struct orr_log_timed_out *sides[SIDES_MOST + 1];
    const char *text = "";
    uint32_t side_count = 0;
    for (uint32_t i = 0, k; i < count && side_count <= SIDES_MOST; i++) {
        for (k = 0; k < side_count && !is_same(calls[i], sides[k]); k++)
            ;
        if (k == side_count)
            sides[side_count++] = calls[i];
    }
    for (uint32_t k = 0; k < side_count && k < SIDES_MOST; k++) {
        const uint32_t callers = callers_of(sides[k], calls, count, ranks);
        text = orr_triage_text(t, "%s, rank%s %s called %s%s (line %u)", text, orr_plural(callers),
                               orr_ranks_text(ranks, callers, t->arena), sides[k]->operation, size_of(t, sides[k]),
                               sides[k]->line);
    }
    t->triage->sides = orr_triage_text(
        t, "As work %d%s%s: the program's ranks took different paths, and nothing here shows which is right.",
        calls[0]->work, text, side_count > SIDES_MOST ? ", and others differ again" : "");
}

/* Finds ranks that wait in another collective than the others, under the same number. */
static bool name_other_calls(struct orr_triaging *t, const char *group)
{
    const struct orr_log_timed_out **calls = NULL, *odd = NULL;
    const uint32_t count = gather(t, group, &calls);
    int32_t *ranks = ORR_NEW(t->arena, int32_t, (size_t)count + 1);
    for (uint32_t i = 1; i < count && !odd; i++)
        if (!is_same(calls[i], calls[0]))
            odd = calls[i];
    if (!odd || !ranks)
        return false;
    const struct orr_log_timed_out *most = most_common(calls, count);
    if (!most) {
        name_sides(t, calls, count, ranks);
        return true;
    }
    uint32_t odd_count = 0;
    bool several = false;
    odd = is_same(odd, most) ? calls[0] : odd;
    for (uint32_t i = 0; i < count; i++)
        if (!is_same(calls[i], most)) {
            ranks[odd_count++] = calls[i]->rank;
            several |= !is_same(calls[i], odd);
        }
    orr_triage_missing(
        t, ranks, odd_count,
        orr_triage_text(t, "called %s%s%s as work %d (line %u), and other ranks called %s%s (line %u): %s",
                        several ? "different collectives, such as " : "", odd->operation, size_of(t, odd), odd->work,
                        odd->line, most->operation, size_of(t, most), most->line,
                        !strcmp(odd->operation, most->operation)
                            ? "the inputs of the program's ranks differ, or they are at different calls"
                            : "the program's ranks took different paths"));
    t->triage->missing_check =
        strcmp(odd->operation, most->operation) != 0
            ? "If `print(len(dataloader))` differs between the ranks, give all ranks equally many batches. If only "
              "some ranks meet a condition of the program, make the same calls on every rank. "
              "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 records the calls."
            : "If the batch or its padding differs between the ranks, make all ranks give equally many elements. In a "
              "server, run once without speculative decoding: if it then works, the ranks schedule different tokens. "
              "No setting of NCCL changes that.";
    return true;
}

/* Finds ranks whose last enqueued work is lower than that of others. */
static bool name_behind(struct orr_triaging *t, const char *group)
{
    const struct orr_log *log = t->log;
    int32_t most = -1, least = INT32_MAX;
    int32_t *ranks = ORR_NEW(t->arena, int32_t, (size_t)log->progress_count + 1);
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->progress_count; i++) {
        const struct orr_log_progress *row = &log->progress[i];
        if (!is_of(row, group))
            continue;
        most = row->enqueued > most ? row->enqueued : most;
        least = row->enqueued < least ? row->enqueued : least;
    }
    for (uint32_t i = 0; ranks && i < log->progress_count && least < most; i++)
        if (is_of(&log->progress[i], group) && log->progress[i].enqueued == least)
            ranks[count++] = log->progress[i].rank;
    orr_triage_missing(
        t, ranks, count,
        orr_triage_text(t, "enqueued less work than the others: up to work %d, the others up to %d", least, most));
    return count > 0;
}

bool orr_triage_timeouts(struct orr_triaging *t)
{
    const char *group = group_of(t->log);
    return name_other_calls(t, group) || (group && name_behind(t, group));
}
