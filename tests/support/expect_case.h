/* SPDX-License-Identifier: Apache-2.0 */
/* Tests of the expected output of nccl-tests on hosts of a machine type. */
#ifndef ORR_TESTS_EXPECT_CASE_H
#define ORR_TESTS_EXPECT_CASE_H

#include "engine/expect/expect.h"
#include "engine/input/input.h"
#include "engine/machines/machine_types.h"
#include "tests/support/fixture.h"

static struct orr_dump *dump;
static struct orr_analysis *analysis;
static struct orr_expectation *expectation;
static struct orr_error err;

void after_each(void)
{
    orr_expectation_free(expectation);
    orr_analysis_free(analysis);
    orr_dump_free(dump);
    expectation = NULL;
    analysis = NULL;
    dump = NULL;
}

static inline void make(const char *machine, const char *gpus, uint32_t hosts, enum orr_test test)
{
    struct orr_query query = {.hosts = hosts, .plan = hosts > ORR_MAX_HOSTS};
    after_each();
    err = (struct orr_error){0};
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    query.settings.gpus = gpus;
    assert_ok(orr_input_machine(orr_machine_type_find(machine), &dump, &err), &err);
    assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
    assert_ok(orr_expectation_new(analysis, test, &expectation, &err), &err);
}

#endif
