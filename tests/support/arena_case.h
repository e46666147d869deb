/* Tests that need an arena for their group and an error to look at. */
#ifndef ORR_TEST_ARENA_CASE_H
#define ORR_TEST_ARENA_CASE_H

#include "engine/base/arena.h"
#include "tests/support/orr_test.h"

static struct orr_arena *arena;
static struct orr_error err;

static int setup(void **state)
{
    (void)state;
    arena = orr_arena_new(0);
    return arena ? 0 : -1;
}
static int teardown(void **state)
{
    (void)state;
    orr_arena_free(arena);
    return 0;
}

#endif
