/* SPDX-License-Identifier: Apache-2.0 */
/* The budget of a piece of work: what ends it, what it says then, and what it counts. */
#include <pthread.h>
#include <string.h>

#include "engine/analysis/analysis.h"
#include "engine/base/arena.h"
#include "engine/base/budget.h"
#include "engine/base/text.h"
#include "engine/dump/dump.h"
#include "engine/search/search_state.h"
#include "tests/support/four_gpus.h"
#include "tests/support/orr_test.h"

TEST(test_nothing_in_force)
{
    struct orr_error err = {0};
    assert_null(orr_budget_in_force());
    assert_false(orr_budget_spent(UINT32_MAX / 4));
    assert_int_equal(orr_budget_check(&err), ORR_OK);
    assert_int_equal(orr_budget_verdict(NULL, ORR_INVALID, &err), ORR_INVALID);
}

TEST(test_memory)
{
    struct orr_error err = {0};
    struct orr_budget budget = {.memory = 1 << 20};
    orr_budget_begin(&budget);
    orr_budget_stage("test");
    struct orr_arena *arena = orr_arena_new(0), *other = orr_arena_new(0);
    assert_non_null(orr_arena_alloc(arena, 600 << 10, 1));
    assert_non_null(orr_arena_alloc(other, 300 << 10, 1));
    orr_arena_free(other); /* gives its bytes back */
    other = orr_arena_new(0);
    assert_non_null(orr_arena_alloc(other, 300 << 10, 1));
    assert_int_equal(orr_budget_check(&err), ORR_OK);
    assert_null(orr_arena_alloc(arena, 600 << 10, 1));
    assert_null(orr_arena_alloc(other, 64 << 10, 1)); /* spent stays spent, though this would fit */
    assert_int_equal(orr_budget_check(&err), ORR_SPENT);
    orr_arena_free(arena);
    orr_arena_free(other);
    assert_int_equal(budget.held, 0);
    orr_budget_end();
    err = (struct orr_error){0};
    assert_int_equal(orr_budget_verdict(&budget, ORR_OK, &err), ORR_SPENT);
    assert_non_null(strstr(err.text, "1048576 bytes"));
    assert_non_null(strstr(err.text, "\"test\""));
    assert_non_null(strstr(err.advice, "--analysis-memory"));
    assert_string_equal(orr_spent_word(budget.spent), "memory");
    assert_true(orr_budget_overrun(&budget).used > 1 << 20);
}

/* What was made under one budget and outlives it, as in a cache, is nobody's when it goes. */
TEST(test_memory_that_outlives)
{
    struct orr_budget first = {.memory = 1 << 20}, second = {.memory = 1 << 20};
    orr_budget_begin(&first);
    struct orr_arena *kept = orr_arena_new(0);
    assert_non_null(orr_arena_alloc(kept, 500 << 10, 1));
    orr_budget_end();
    orr_budget_begin(&second);
    struct orr_arena *own = orr_arena_new(0);
    assert_non_null(orr_arena_alloc(own, 500 << 10, 1));
    size_t held = second.held;
    orr_arena_free(kept);
    assert_int_equal(second.held, held);
    orr_arena_free(own);
    assert_int_equal(second.held, 0);
    orr_budget_end();
}

TEST(test_text)
{
    struct orr_budget budget = {.memory = 4096};
    struct orr_text text;
    orr_budget_begin(&budget);
    orr_text_init(&text, 1 << 20);
    for (int i = 0; i < 1000; i++)
        orr_text_puts(&text, "0123456789");
    assert_true(orr_text_failed(&text));
    assert_true(text.starved);
    orr_text_release(&text);
    assert_int_equal(budget.held, 0);
    orr_budget_end();
    assert_int_equal(budget.spent, ORR_SPENT_MEMORY);
}

TEST(test_time)
{
    struct orr_error err = {0};
    struct orr_budget budget = {.time_ns = 1};
    orr_budget_begin(&budget);
    uint32_t calls = 0;
    while (!orr_budget_spent(100))
        assert_true(++calls < 100000); /* the clock is read now and then */
    assert_true(calls > 1);
    assert_int_equal(orr_budget_check(&err), ORR_SPENT);
    orr_budget_end();
    assert_non_null(strstr(err.advice, "--analysis-time"));
}

static void *stop(void *budget)
{
    orr_budget_stop(budget, ORR_SPENT_CLIENT);
    orr_budget_stop(budget, ORR_SPENT_SHUTDOWN); /* the first reason counts */
    return NULL;
}

TEST(test_stop_from_another_thread)
{
    struct orr_error err = {0};
    struct orr_budget budget = {0};
    pthread_t thread;
    orr_budget_begin(&budget);
    assert_int_equal(orr_budget_check(&err), ORR_OK);
    assert_int_equal(pthread_create(&thread, NULL, stop, &budget), 0);
    while (!orr_budget_spent(1000))
        continue;
    pthread_join(thread, NULL);
    orr_budget_end();
    assert_int_equal(orr_budget_verdict(&budget, ORR_OK, &err), ORR_STOPPED);
    assert_string_equal(orr_spent_word(budget.spent), "client_gone");
    assert_null(orr_budget_overrun(&budget).setting);
}

TEST(test_unpacked)
{
    struct orr_error err = {0};
    struct orr_budget budget = {.unpacked = 1000, .entries = 2}, many = {.entries = 2};
    orr_budget_begin(&budget);
    assert_int_equal(orr_budget_unpack(1000, &err), ORR_OK);
    assert_int_equal(orr_budget_unpack(1, &err), ORR_UNPACKED);
    orr_budget_end();
    assert_non_null(strstr(err.advice, "--unpacked"));
    assert_true(orr_budget_overrun(&budget).used == 1001 && orr_budget_overrun(&budget).allowed == 1000);
    err = (struct orr_error){0};
    orr_budget_begin(&many);
    assert_int_equal(orr_budget_entry(&err), ORR_OK);
    assert_int_equal(orr_budget_entry(&err), ORR_OK);
    assert_int_equal(orr_budget_entry(&err), ORR_UNPACKED);
    orr_budget_end();
    assert_non_null(strstr(err.advice, "--archive-entries"));
    assert_true(orr_budget_overrun(&many).used == 3 && orr_budget_overrun(&many).allowed == 2);
}

/* What is about to be stored is no longer refused. */
TEST(test_settled)
{
    struct orr_error err = {0};
    struct orr_budget budget = {.memory = 1000, .unpacked = 1};
    orr_budget_begin(&budget);
    assert_int_equal(orr_budget_settle(&err), ORR_OK);
    orr_budget_stop(&budget, ORR_SPENT_CLIENT);
    struct orr_arena *arena = orr_arena_new(0);
    assert_non_null(orr_arena_alloc(arena, 100000, 1));
    assert_int_equal(orr_budget_unpack(2, &err), ORR_OK);
    assert_int_equal(orr_budget_check(&err), ORR_OK);
    orr_arena_free(arena);
    orr_budget_end();
    struct orr_budget late = {0};
    orr_budget_begin(&late);
    orr_budget_stop(&late, ORR_SPENT_SHUTDOWN);
    assert_int_equal(orr_budget_settle(&err), ORR_STOPPED);
    orr_budget_end();
}

/* Wherever memory runs out on the way to an analysis, the failure comes out as one of the budget. */
TEST(test_analysis_with_every_ceiling)
{
    const char *text = MACHINE;
    bool done = false;
    unsigned refused = 0;
    for (size_t ceiling = 1024; !done; ceiling += 16 << 10) {
        struct orr_error err = {0};
        struct orr_budget budget = {.memory = ceiling};
        struct orr_dump *dump = NULL;
        struct orr_analysis *analysis = NULL;
        static struct orr_query query;
        query = (struct orr_query){.hosts = 2};
        orr_settings_init(&query.settings, orr_release_default());
        orr_budget_begin(&budget);
        enum orr_code code = orr_dump_read(text, strlen(text), NULL, &dump, &err);
        if (code == ORR_OK)
            code = orr_analyze(dump, &query, NULL, &analysis, &err);
        code = orr_budget_verdict(&budget, code, &err);
        if (budget.spent) {
            refused++;
            assert_int_equal(code, ORR_SPENT);
        } else {
            assert_int_equal(code, ORR_OK);
            done = true;
        }
        if (analysis)
            orr_analysis_free(analysis);
        if (dump)
            orr_dump_free(dump);
        assert_int_equal(budget.held, 0);
        orr_budget_end();
    }
    assert_true(refused > 3);
}

/* A clock that a search drives: each look at it is a millisecond, if a start was tried before. */
static struct {
    bool in_force;
    uint32_t starts, most; /* since the last look; most of all */
    uint64_t looks;
} driven;

uint64_t __real_orr_clock_ns(void);
uint64_t __wrap_orr_clock_ns(void);
uint64_t __wrap_orr_clock_ns(void)
{
    if (!driven.in_force)
        return __real_orr_clock_ns();
    driven.looks += driven.starts > 0;
    driven.starts = 0;
    return driven.looks * 1000000;
}

void __real_orr_search_enter(struct orr_search_state *s, int32_t net, uint32_t gpu, enum orr_order order,
                             int32_t *budget);
void __wrap_orr_search_enter(struct orr_search_state *s, int32_t net, uint32_t gpu, enum orr_order order,
                             int32_t *budget);
void __wrap_orr_search_enter(struct orr_search_state *s, int32_t net, uint32_t gpu, enum orr_order order,
                             int32_t *budget)
{
    enum { MOST_STARTS = 8192 };
    if (driven.in_force && !s->budget.stopped && ++driven.starts > driven.most)
        driven.most = driven.starts;
    if (driven.in_force && driven.most > MOST_STARTS)
        fail_msg("more than %d starts without a look at the clock (%llu looks so far)", (int)MOST_STARTS,
                 (unsigned long long)driven.looks);
    __real_orr_search_enter(s, net, gpu, order, budget);
}

/* GPUs and slow NICs behind switches, 16 to a switch. */
static struct orr_dump *read_many(unsigned count)
{
    struct orr_text text;
    orr_text_init(&text, 1 << 20);
    orr_text_puts(&text, "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">");
    for (unsigned i = 0; i < count; i++) {
        if (i % 16 == 0)
            orr_text_printf(&text, SWITCH("1%03x:00:00.0"), i);
        orr_text_printf(&text, GPU("2%03x:00:00.0", "%u", "80", "") "%s", i, i, i, i % 16 == 15 ? "</pci>" : "");
    }
    for (unsigned i = 0; i < count; i++) {
        if (i % 16 == 0)
            orr_text_printf(&text, SWITCH("3%03x:00:00.0"), i);
        orr_text_printf(&text, NIC("4%03x:00:00.0", "%u", "1000") "%s", i, i, i, i, i % 16 == 15 ? "</pci>" : "");
    }
    orr_text_puts(&text, "</cpu></system>");
    struct orr_dump *dump = read_text(text.data);
    orr_text_release(&text);
    return dump;
}

/* Starts of a channel that find no room are not counted as steps, and many NICs make many of them. */
TEST(test_a_search_without_room_looks_at_the_clock)
{
    enum { DEVICES = 64, LOOKS = 200 };
    static struct orr_query query = {.hosts = 2};
    struct orr_budget budget = {.time_ns = LOOKS * 1000000ull};
    struct orr_error err = {0};
    struct orr_analysis *analysis = NULL;
    ORR_OWNED(orr_dump) *dump = read_many(DEVICES);
    orr_settings_init(&query.settings, orr_release_find("2.18.1"));
    driven.in_force = true;
    orr_budget_begin(&budget);
    const enum orr_code code = orr_analyze(dump, &query, NULL, &analysis, &err);
    orr_budget_end();
    driven.in_force = false;
    assert_int_equal(code, ORR_SPENT);
    assert_int_equal(budget.spent, ORR_SPENT_TIME);
}
