/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/budget.h"

#include <stdlib.h>

#include "engine/base/clock.h"
#include "engine/base/words.h"

/* Steps between two looks at the clock: about 0.2 ms. */
enum { LOOK_EVERY = 4096 };

_Thread_local struct orr_budget *orr_budget_of_thread;
static atomic_ullong last_id;

static const char *const words[ORR_SPENT_COUNT] = {ORR_SPENT_MAP(ORR_SECOND_OF)};

void orr_budget_reset(struct orr_budget *budget)
{
    atomic_store(&budget->stop, ORR_SPENT_NOT);
    budget->spent = ORR_SPENT_NOT;
    budget->stage = budget->task = NULL;
    budget->used_ns = budget->wanted = budget->unpacked_bytes = budget->entry_count = budget->id = 0;
    budget->held = budget->most = 0;
    budget->settled = false;
}

void orr_budget_begin(struct orr_budget *budget)
{
    budget->started_ns = orr_clock_ns();
    budget->id = atomic_fetch_add(&last_id, 1) + 1;
    budget->until_look = LOOK_EVERY;
    orr_budget_of_thread = budget;
}

void orr_budget_end(void)
{
    if (orr_budget_of_thread)
        orr_budget_of_thread->used_ns = orr_clock_ns() - orr_budget_of_thread->started_ns;
    orr_budget_of_thread = NULL;
}

struct orr_budget *orr_budget_in_force(void)
{
    return orr_budget_of_thread;
}

void orr_budget_stop(struct orr_budget *budget, enum orr_spent reason)
{
    int none = ORR_SPENT_NOT;
    atomic_compare_exchange_strong(&budget->stop, &none, (int)reason);
}

void orr_budget_stage(const char *stage)
{
    if (orr_budget_of_thread && !orr_budget_of_thread->spent)
        __atomic_store_n(&orr_budget_of_thread->stage, stage, __ATOMIC_RELAXED);
}

const char *orr_budget_doing(const struct orr_budget *budget, const char **ret_task)
{
    *ret_task = __atomic_load_n(&budget->task, __ATOMIC_RELAXED);
    return __atomic_load_n(&budget->stage, __ATOMIC_RELAXED);
}

const char *orr_budget_task(const char *task)
{
    struct orr_budget *budget = orr_budget_of_thread;
    const char *before = budget ? budget->task : NULL;
    if (budget && !budget->spent)
        __atomic_store_n(&budget->task, task, __ATOMIC_RELAXED);
    return before;
}

bool orr_budget_look(struct orr_budget *budget)
{
    budget->until_look = LOOK_EVERY;
    if (budget->spent || budget->settled)
        return budget->spent != ORR_SPENT_NOT;
    budget->used_ns = orr_clock_ns() - budget->started_ns;
    int stop = atomic_load_explicit(&budget->stop, memory_order_relaxed);
    if (stop)
        budget->spent = (enum orr_spent)stop;
    else if (budget->time_ns && budget->used_ns > budget->time_ns)
        budget->spent = ORR_SPENT_TIME;
    return budget->spent != ORR_SPENT_NOT;
}

static enum orr_code fail(const struct orr_budget *budget, struct orr_error *err)
{
    return orr_budget_verdict(budget, ORR_OK, err);
}

enum orr_code orr_budget_check(struct orr_error *err)
{
    return orr_budget_of_thread && orr_budget_look(orr_budget_of_thread) ? fail(orr_budget_of_thread, err) : ORR_OK;
}

enum orr_code orr_budget_settle(struct orr_error *err)
{
    ORR_TRY(orr_budget_check(err));
    if (orr_budget_of_thread)
        orr_budget_of_thread->settled = true;
    return ORR_OK;
}

static enum orr_code spend(struct orr_budget *budget, enum orr_spent what, uint64_t wanted, struct orr_error *err)
{
    if (budget->settled)
        return ORR_OK;
    if (!budget->spent) {
        budget->spent = what;
        budget->wanted = wanted;
    }
    return fail(budget, err);
}

enum orr_code orr_budget_unpack(uint64_t bytes, struct orr_error *err)
{
    struct orr_budget *budget = orr_budget_of_thread;
    if (!budget)
        return ORR_OK;
    budget->unpacked_bytes += bytes;
    if (budget->unpacked && budget->unpacked_bytes > budget->unpacked)
        return spend(budget, ORR_SPENT_UNPACKED, budget->unpacked_bytes, err);
    return orr_budget_check(err);
}

enum orr_code orr_budget_entry(struct orr_error *err)
{
    enum { STEPS = 64 };
    struct orr_budget *budget = orr_budget_of_thread;
    if (!budget)
        return ORR_OK;
    budget->entry_count++;
    if (budget->entries && budget->entry_count > budget->entries)
        return spend(budget, ORR_SPENT_ENTRIES, budget->entry_count, err);
    return orr_budget_spent(STEPS) ? fail(budget, err) : ORR_OK;
}

bool orr_budget_draw(size_t bytes, uint64_t *ret_id)
{
    struct orr_budget *budget = orr_budget_of_thread;
    *ret_id = budget ? budget->id : 0;
    if (!budget)
        return true;
    if (budget->spent)
        return false;
    if (budget->memory && !budget->settled && (bytes > budget->memory || budget->held > budget->memory - bytes)) {
        budget->spent = ORR_SPENT_MEMORY;
        budget->wanted = (uint64_t)budget->held + bytes;
        return false;
    }
    budget->held += bytes;
    budget->most = budget->held > budget->most ? budget->held : budget->most;
    return true;
}

void orr_budget_starve(void)
{
    struct orr_budget *budget = orr_budget_of_thread;
    if (budget && !budget->spent && !budget->settled)
        budget->spent = ORR_SPENT_STARVED;
}

void orr_budget_give(uint64_t id, size_t bytes)
{
    if (orr_budget_of_thread && orr_budget_of_thread->id == id)
        orr_budget_of_thread->held -= bytes < orr_budget_of_thread->held ? bytes : orr_budget_of_thread->held;
}

void *orr_budget_malloc(size_t bytes)
{
    uint64_t id;
    if (!orr_budget_draw(bytes, &id))
        return NULL;
    void *block = malloc(bytes);
    if (!block) {
        orr_budget_give(id, bytes);
        orr_budget_starve();
    }
    return block;
}

void orr_budget_free(void *block, size_t bytes)
{
    if (block && orr_budget_of_thread)
        orr_budget_give(orr_budget_of_thread->id, bytes);
    free(block);
}

/* How to raise each limit: the command-line option, the service's setting, and the library's call. */
static const struct {
    const char *setting, *unit, *names[ORR_LIMITED_BY_COUNT];
} limits[ORR_SPENT_COUNT] = {
#define ORR_ROW(spent, option, unit, call, python)                                                                     \
    [ORR_SPENT_##spent] = {option, unit, {option, option " of the service", call "() (Python: Limits(" python "=...))"}}
    ORR_ROW(TIME, "--analysis-time", "s", "orr_limits_time", "seconds"),
    ORR_ROW(MEMORY, "--analysis-memory", "bytes", "orr_limits_memory", "memory"),
    ORR_ROW(UNPACKED, "--unpacked", "bytes", "orr_limits_unpacked", "unpacked"),
    ORR_ROW(ENTRIES, "--archive-entries", "entries", "orr_limits_entries", "entries"),
#undef ORR_ROW
};

struct orr_overrun orr_budget_overrun(const struct orr_budget *budget)
{
    const enum orr_spent spent = budget->spent;
    const double allowed[ORR_SPENT_COUNT] = {[ORR_SPENT_TIME] = (double)budget->time_ns / 1e9,
                                             [ORR_SPENT_MEMORY] = (double)budget->memory,
                                             [ORR_SPENT_UNPACKED] = (double)budget->unpacked,
                                             [ORR_SPENT_ENTRIES] = (double)budget->entries};
    const double used = spent == ORR_SPENT_TIME ? (double)budget->used_ns / 1e9 : (double)budget->wanted;
    return (struct orr_overrun){limits[spent].setting, limits[spent].unit, allowed[spent], used};
}

enum orr_code orr_budget_verdict(const struct orr_budget *budget, enum orr_code code, struct orr_error *err)
{
    if (!budget || !budget->spent)
        return code;
    struct orr_error ignored;
    const struct orr_overrun over = orr_budget_overrun(budget);
    const char *stage = budget->stage ? budget->stage : "start", *task = budget->task ? budget->task : "";
    const char *during = *task ? " while " : "";
    err = err ? err : &ignored;
    *err = (struct orr_error){0};
    switch (budget->spent) {
    case ORR_SPENT_TIME:
        orr_fail(err, ORR_SPENT, "this takes longer than %g s: it was stopped after %.1f s, at the stage \"%s\"%s%s",
                 over.allowed, over.used, stage, during, task);
        break;
    case ORR_SPENT_MEMORY:
        orr_fail(err, ORR_SPENT,
                 "this needs more than %.0f bytes of memory: it was stopped at %.0f, at the stage \"%s\"%s%s",
                 over.allowed, over.used, stage, during, task);
        break;
    case ORR_SPENT_UNPACKED:
        orr_fail(
            err, ORR_UNPACKED,
            "the archive unpacks to more than %.0f bytes: reading stopped at %.0f, counting entries that are not used",
            over.allowed, over.used);
        break;
    case ORR_SPENT_ENTRIES:
        orr_fail(err, ORR_UNPACKED, "the archive has more than %.0f entries", over.allowed);
        break;
    case ORR_SPENT_STARVED:
        return orr_fail_nomem(err);
    default:
        return orr_fail(err, ORR_STOPPED, "the work was stopped at the stage \"%s\"%s%s: %s", stage, during, task,
                        budget->spent == ORR_SPENT_CLIENT     ? "the client disconnected"
                        : budget->spent == ORR_SPENT_SHUTDOWN ? "the server is shutting down"
                                                              : "interrupted");
    }
    orr_error_advice(err, "%s raises the limit%s", limits[budget->spent].names[budget->by],
                     err->code == ORR_SPENT ? "; fewer hosts or one section need less"
                                            : "; orrery gather packs only what is needed");
    return err->code;
}

const char *orr_spent_word(enum orr_spent spent)
{
    return (unsigned)spent < ORR_SPENT_COUNT ? words[spent] : "";
}
