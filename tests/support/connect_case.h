/* SPDX-License-Identifier: Apache-2.0 */
/* A test of how graphs are joined: the communicator of some hosts. */
#ifndef ORR_TESTS_CONNECT_CASE_H
#define ORR_TESTS_CONNECT_CASE_H

#include "tests/support/hosts.h"
#include "tests/support/orr_test.h"

static struct orr_arena *arena;
static struct orr_settings settings;
static struct orr_communicator comm;
static struct orr_error err;

void before_each(void)
{
    arena = orr_arena_new(0);
    memset(&err, 0, sizeof err);
    orr_settings_init(&settings, orr_release_find("2.27.7"));
    assert_non_null(arena);
}

void after_each(void)
{
    orr_arena_free(arena);
}

static inline enum orr_code join(struct orr_contribution *const *hosts, uint32_t host_count, uint32_t count)
{
    return orr_connect(test_members(arena, hosts, host_count, count), count, &settings, arena, &comm, &err);
}

static inline void join_ok(struct orr_contribution *host, uint32_t count)
{
    assert_ok(join(&host, 1, count), &err);
}

#endif
