/* SPDX-License-Identifier: Apache-2.0 */
/* Limits for one piece of work: time, memory, bytes unpacked from an archive, entries of an archive. A stop flag, which
 * any thread or signal handler may set, ends the work early.
 *
 * A budget is in force on the thread that does the work, from orr_budget_begin() to orr_budget_end(). It is the only
 * state of the engine that belongs to a thread instead of being an argument, so no function can forget to pass it on.
 * Every arena, text and JSON value that the thread makes draws its memory from it. Without a budget, nothing is
 * limited.
 *
 * Long-running code calls orr_budget_spent() as it goes, or ORR_TRY(orr_budget_check(err)) between steps. Once a limit
 * is exceeded the budget stays spent: every later check fails and every allocation gives NULL, so the work ends
 * whatever path the failure takes. The caller that began the work calls orr_budget_verdict() at the end, and discards
 * the answer if the budget was spent, even if the work reported success. */
#ifndef ORR_BASE_BUDGET_H
#define ORR_BASE_BUDGET_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "engine/base/error.h"

/* Reasons why work ended early, with the word for metrics and logs. */
#define ORR_SPENT_MAP(X)                                                                                               \
    X(NOT, "")                                                                                                         \
    X(TIME, "time")                                                                                                    \
    X(MEMORY, "memory")                                                                                                \
    X(UNPACKED, "unpacked")                                                                                            \
    X(ENTRIES, "entries")                                                                                              \
    X(CLIENT, "client_gone")     /* the client closed the connection */                                                \
    X(SHUTDOWN, "shutting_down") /* the grace time of the server is over */                                            \
    X(USER, "interrupted")       /* Ctrl-C */                                                                          \
    X(STARVED, "no_memory")      /* memory ran out, although the budget had some left */

enum orr_spent {
#define X(name, word) ORR_SPENT_##name,
    ORR_SPENT_MAP(X)
#undef X
        ORR_SPENT_COUNT
};

/* Who set the limits, for advice on how to raise one. */
enum orr_limited_by { ORR_LIMITED_BY_COMMAND, ORR_LIMITED_BY_SERVICE, ORR_LIMITED_BY_CALLER, ORR_LIMITED_BY_COUNT };

struct orr_budget {
    enum orr_limited_by by;
    /* What is allowed; 0 means any. Set before the work begins. */
    uint64_t time_ns;
    size_t memory;
    uint64_t unpacked, entries;
    bool check_systems; /* verify every system graph that is built (orr_system_check()): ORRERY_CHECK=1 */
    /* Setting it ends the work: enum orr_spent, from CLIENT to USER. */
    atomic_int stop;
    /* Use so far; written by the working thread. */
    enum orr_spent spent;
    const char *stage; /* what was being done, such as "search for channels"; NULL if nothing yet */
    const char *task;  /* purpose, such as "trying settings for the explanation"; NULL means the question itself */
    uint64_t used_ns;  /* time used when the clock was last read */
    size_t held, most; /* bytes in use now, and their maximum so far */
    uint64_t wanted;   /* bytes that would be in use with the refused request */
    uint64_t unpacked_bytes, entry_count;
    uint64_t started_ns, id; /* id: identifies the memory drawn from this budget; 0 before the budget begins */
    bool settled;            /* orr_budget_settle() was called: limits no longer apply */
    int32_t until_look;      /* steps until the clock is read */
};

/* Resets use and stop flag for new work under the same limits. Call it only while no work uses the budget. */
void orr_budget_reset(struct orr_budget *budget);
/* Puts a budget in force on this thread, instead of an earlier one, and starts its clock. */
void orr_budget_begin(struct orr_budget *budget);
/* Ends the thread's budget. Memory that was drawn from it stays valid, for example in a cache. */
void orr_budget_end(void);
/* The budget in force on this thread; NULL if there is none. */
struct orr_budget *orr_budget_in_force(void);
/* Ends the work at its next check; safe in signal handlers. Only the first reason is kept. */
void orr_budget_stop(struct orr_budget *budget, enum orr_spent reason);

/* Names the stage that begins now, such as "search for channels". The text must be static. */
void orr_budget_stage(const char *stage);
/* Names the purpose of the next stages, if the work takes more than one analysis; NULL means the question itself. The
 * text must be static. Returns the previous purpose, which the caller restores at the end. Stage and purpose no longer
 * change once the budget is spent. */
const char *orr_budget_task(const char *task);
/* The stage of a budget, and its purpose in *ret_task; both may be NULL. Callable from any thread. */
const char *orr_budget_doing(const struct orr_budget *budget, const char **ret_task);
/* Whether the budget is spent. `steps`: work since the last call, in units of about 50 ns; the clock is read every few
 * thousand of them. */
static inline bool orr_budget_spent(uint32_t steps);
/* Reads the clock; ORR_SPENT if the budget is spent. */
enum orr_code orr_budget_check(struct orr_error *err) ORR_NO_DISCARD;
/* Call it before a lasting change, such as a COMMIT. ORR_SPENT if the budget is spent; otherwise limits no longer
 * apply, so that a change that was made is never reported as refused. */
enum orr_code orr_budget_settle(struct orr_error *err) ORR_NO_DISCARD;
/* Counts bytes that came out of an archive, or one entry of it. ORR_SPENT if there are too many. */
enum orr_code orr_budget_unpack(uint64_t bytes, struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_budget_entry(struct orr_error *err) ORR_NO_DISCARD;

/* Draws memory from the budget. False: too little is left, and the budget is now spent. *ret_id: for
 * orr_budget_give(). */
bool orr_budget_draw(size_t bytes, uint64_t *ret_id);
/* malloc() failed: the budget in force is spent, so that no answer is cut short where a text or an arena ended. */
void orr_budget_starve(void);
/* Gives memory back to the budget in force, if it was drawn from that budget; otherwise does nothing. */
void orr_budget_give(uint64_t id, size_t bytes);

/* malloc() and free() of memory from the budget in force; NULL if too little is left, or memory ran out. A block that
 * outlives the work, such as an answer, is freed with free(); orr_budget_free() is for the thread that drew it. */
void *orr_budget_malloc(size_t bytes);
void orr_budget_free(void *block, size_t bytes);

/* If a limit was exceeded or the work was stopped, replaces *err with a report of that and returns its code; otherwise
 * returns `code`. */
enum orr_code orr_budget_verdict(const struct orr_budget *budget, enum orr_code code, struct orr_error *err);
/* For orr_budget_spent() only. */
extern _Thread_local struct orr_budget *orr_budget_of_thread;
bool orr_budget_look(struct orr_budget *budget);
static inline bool orr_budget_spent(uint32_t steps)
{
    struct orr_budget *budget = orr_budget_of_thread;
    if (!budget)
        return false;
    budget->until_look -= (int32_t)steps;
    return budget->until_look < 0 ? orr_budget_look(budget) : budget->spent != ORR_SPENT_NOT;
}

/* "time". */
const char *orr_spent_word(enum orr_spent spent);

/* The option of the command and the service that raises a limit, its unit, the limit and the use. NULL setting: no
 * option sets this limit. */
struct orr_overrun {
    const char *setting, *unit;
    double allowed, used;
};
struct orr_overrun orr_budget_overrun(const struct orr_budget *budget);

#endif
