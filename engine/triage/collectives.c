/* SPDX-License-Identifier: Apache-2.0 */
/* Finds ranks that lag, by the last collectives that they called: every rank of a communicator calls the same
 * collectives in the same order, and NCCL numbers them (opCount). */
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/triage/building.h"

ORR_COMPARATOR(by_call, struct orr_log_call *const, ORR_ORDER((*a)->op_count, (*b)->op_count),
               strcmp((*a)->function, (*b)->function), ORR_ORDER((*a)->rank, (*b)->rank))

/* The last call of each rank of a communicator, the lowest number first. Returns how many ranks called one; 0 if ranks
 * also send and receive, because those numbers differ between ranks. */
static uint32_t gather(struct orr_triaging *t, uint32_t communicator, const struct orr_log_call ***ret_calls)
{
    const struct orr_log *log = t->log;
    const uint32_t ranks = (uint32_t)log->communicators[communicator].rank_count;
    const struct orr_log_call **calls = ORR_NEW(t->arena, const struct orr_log_call *, ranks);
    uint32_t count = 0;
    for (uint32_t i = 0; calls && i < log->call_count; i++) {
        const struct orr_log_call *call = &log->calls[i];
        if (call->communicator != communicator || call->rank < 0)
            continue;
        if (call->transfers)
            return 0;
        const struct orr_log_call **last = &calls[call->rank];
        *last = !*last || (*last)->line < call->line ? call : *last;
    }
    for (uint32_t r = 0; calls && r < ranks; r++)
        if (calls[r])
            calls[count++] = calls[r];
    if (count)
        qsort(calls, count, sizeof *calls, by_call);
    *ret_calls = calls;
    return count;
}

/* Merges ranks with the same last call into one row. */
static void make_rows(struct orr_triaging *t, const struct orr_log_call *const *calls, uint32_t count)
{
    struct orr_triage *triage = t->triage;
    int32_t *ranks = ORR_NEW(t->arena, int32_t, count);
    triage->last_calls = ORR_NEW(t->arena, struct orr_triage_call, count);
    triage->last_call_count = 0;
    if (!ranks || !triage->last_calls)
        return;
    for (uint32_t i = 0; i < count; i++) {
        struct orr_triage_call *row = &triage->last_calls[triage->last_call_count - (i > 0)];
        ranks[i] = calls[i]->rank;
        if (!i || row->op_count != calls[i]->op_count || strcmp(row->function, calls[i]->function) != 0) {
            row = &triage->last_calls[triage->last_call_count++];
            *row = (struct orr_triage_call){.function = calls[i]->function,
                                            .op_count = calls[i]->op_count,
                                            .communicator = calls[i]->communicator,
                                            .ranks = &ranks[i],
                                            .line = calls[i]->line};
        }
        row->rank_count++;
        row->line = calls[i]->line < row->line ? calls[i]->line : row->line;
    }
}

/* Whether no line about a collective is from a process. */
static bool is_silent(const struct orr_log *log, const struct orr_log_session *session)
{
    const struct orr_log_writer *writer = &log->writers[session->writer];
    for (uint32_t i = 0; i < log->call_count; i++) {
        const struct orr_log_writer *other = &log->writers[log->calls[i].writer];
        if (other->pid == writer->pid && !strcmp(other->host, writer->host))
            return false;
    }
    return true;
}

/* Ranks of a communicator that called no collective, though others did. */
static bool name_silent(struct orr_triaging *t, uint32_t communicator, const struct orr_log_call *last)
{
    enum { RANKS_MOST = 4096, CALLS_MOST = 4096 };
    const struct orr_log *log = t->log;
    const struct orr_log_communicator *of = &log->communicators[communicator];
    int32_t *ranks = ORR_NEW(t->arena, int32_t, (size_t)of->rank_count);
    uint32_t count = 0;
    for (int32_t r = 0; ranks && r < of->rank_count && r < RANKS_MOST && log->call_count <= CALLS_MOST; r++)
        if (of->members[r].session != UINT32_MAX && is_silent(log, &log->sessions[of->members[r].session]))
            ranks[count++] = r;
    if (!count)
        return false;
    t->triage->missing = ranks;
    t->triage->missing_count = count;
    t->triage->missing_why = orr_triage_text(t, "called no collective; other ranks came to %s, opCount %llx (line %u)",
                                             last->function, (unsigned long long)last->op_count, last->line);
    return true;
}

/* Names the ranks whose last call is not that of the others. */
static void name_behind(struct orr_triaging *t)
{
    struct orr_triage *triage = t->triage;
    const struct orr_triage_call *least = &triage->last_calls[0],
                                 *most = &triage->last_calls[triage->last_call_count - 1], *odd = least;
    if (least->op_count == most->op_count) { /* the smaller group is the one that differs */
        odd = least->rank_count <= most->rank_count ? least : most;
        most = odd == least ? most : least;
        triage->missing_why =
            orr_triage_text(t, "called %s (line %u) as operation %llx, and other ranks called %s (line %u)",
                            odd->function, odd->line, (unsigned long long)odd->op_count, most->function, most->line);
    } else {
        triage->missing_why = orr_triage_text(
            t,
            "called no collective after %s, opCount %llx (line %u); other ranks went on to %s, opCount %llx (line %u)",
            least->function, (unsigned long long)least->op_count, least->line, most->function,
            (unsigned long long)most->op_count, most->line);
    }
    triage->missing = odd->ranks;
    triage->missing_count = odd->rank_count;
}

bool orr_triage_collectives(struct orr_triaging *t)
{
    enum { COMMUNICATORS_MOST = 256 };
    const struct orr_log *log = t->log;
    for (uint32_t c = 0; c < log->communicator_count && c < COMMUNICATORS_MOST && log->call_count; c++) {
        const struct orr_log_call **calls;
        const uint32_t count = gather(t, c, &calls);
        if (!count)
            continue;
        make_rows(t, calls, count);
        if (name_silent(t, c, calls[count - 1]))
            return true;
        if (t->triage->last_call_count > 1) {
            name_behind(t);
            return true;
        }
    }
    t->triage->last_call_count = 0;
    return false;
}
