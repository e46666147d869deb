/* SPDX-License-Identifier: Apache-2.0 */
/* Tests that need an arena for their group and an error to look at. */
#ifndef ORR_TEST_ARENA_CASE_H
#define ORR_TEST_ARENA_CASE_H

#include "engine/base/arena.h"
#include "tests/support/orr_test.h"

static struct orr_arena *arena;
static struct orr_error err;

void before_all(void)
{
    arena = orr_arena_new(0);
    assert_non_null(arena);
}
void after_all(void)
{
    orr_arena_free(arena);
}

#endif
