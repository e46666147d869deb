/* What nccl-tests should print on a machine: NCCL's choice by size, where NVLS replaces the ring, and what limits. */
#include "engine/expect/expect.h"

#include <math.h>

#include "engine/input/input.h"
#include "engine/machines/machine_types.h"
#include "tests/support/fixture.h"

static const uint64_t large = UINT64_C(16) << 30;

static struct orr_dump *dump;
static struct orr_analysis *analysis;
static struct orr_expectation *expectation;
static struct orr_error err;

static int teardown(void **state)
{
    (void)state;
    orr_expectation_free(expectation);
    orr_analysis_free(analysis);
    orr_dump_free(dump);
    expectation = NULL;
    analysis = NULL;
    dump = NULL;
    return 0;
}

static void make(const char *machine, const char *gpus, uint32_t hosts, enum orr_test test)
{
    struct orr_query query = {.hosts = hosts, .plan = hosts > ORR_MAX_HOSTS};
    (void)teardown(NULL);
    err = (struct orr_error){0};
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    query.settings.gpus = gpus;
    assert_ok(orr_input_machine(orr_machine_type_find(machine), &dump, &err), &err);
    assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
    assert_ok(orr_expectation_new(analysis, test, &expectation, &err), &err);
}

static struct orr_expected at(uint64_t size)
{
    struct orr_expected expected;
    assert_true(orr_expect(expectation, size, &expected));
    return expected;
}

static void assert_near(double got, double expected)
{
    if (fabs(got - expected) > 1e-6 * fabs(expected))
        fail_msg("expected %.9g, got %.9g", expected, got);
}

static void assert_limit(enum orr_bottleneck what, const char *text)
{
    struct orr_expect_limit limit;
    orr_expect_limit(expectation, &limit);
    assert_string_equal(limit.text, text);
    assert_int_equal(limit.what, what);
}

/* As published for 2.27.7: from 5 GPUs of an H200 host on, and from 6 of a B200 host. */
static void nvls_replaces_the_ring_from_so_many_gpus_on(void **state)
{
    (void)state;
    static const char *const gpus[] = {"0,1,2,3", "0,1,2,3,4", "0,1,2,3,4,5", "0,1,2,3,4,5,6", "0,1,2,3,4,5,6,7"};
    static const struct {
        const char *machine;
        int first;
    } rows[] = {{"hgx-h200", 5}, {"p6-b200.48xlarge", 6}};
    for (int r = 0; r < 2; r++)
        for (int count = 4; count <= 8; count++) {
            make(rows[r].machine, gpus[count - 4], 1, ORR_TEST_ALL_REDUCE);
            assert_string_equal(at(large).algorithm_name, count < rows[r].first ? "Ring" : "NVLS");
        }
}

static void rows_are_nccls_choice_in_the_figures_of_nccl_tests(void **state)
{
    (void)state;
    static const enum orr_test tests[] = {ORR_TEST_ALL_REDUCE, ORR_TEST_ALL_GATHER, ORR_TEST_REDUCE_SCATTER,
                                          ORR_TEST_BROADCAST, ORR_TEST_REDUCE};
    static const double factors[] = {2 * 15.0 / 16, 15.0 / 16, 15.0 / 16, 1, 1};
    for (int i = 0; i < 5; i++) {
        make("hgx-h100", NULL, 2, tests[i]);
        for (uint64_t size = 8; size <= large; size *= 2) {
            struct orr_choice choice;
            struct orr_expected row = at(size), same;
            assert_true(orr_tuning_choose(&analysis->tuning, &analysis->communicator, &analysis->query.settings,
                                          (enum orr_function)orr_test_programs[tests[i]].function, size, &choice));
            assert_int_equal(row.algorithm, choice.algorithm);
            assert_int_equal(row.protocol, choice.protocol);
            assert_int_equal(row.channels, choice.channels);
            assert_near(row.time, (double)choice.time);
            assert_near(row.alg_bw, (double)size / row.time / 1000);
            assert_near(row.bus_bw, row.alg_bw * factors[i]);
            assert_true(orr_expect_way(expectation, row.algorithm, row.protocol, size, &same));
            assert_near(same.time, row.time);
            assert_int_equal(same.channels, row.channels);
        }
    }
}

static void another_way_is_no_faster_than_the_choice(void **state)
{
    (void)state;
    int ways = 0;
    make("hgx-h100", NULL, 1, ORR_TEST_ALL_REDUCE);
    for (int a = -1; a <= ORR_ALGORITHM_COUNT; a++)
        for (int p = -1; p <= ORR_PROTOCOL_COUNT; p++) {
            struct orr_expected way;
            bool found = orr_expect_way(expectation, a, p, large, &way);
            ways += found;
            assert_true(!found || way.time >= at(large).time);
        }
    assert_int_equal(ways, 7); /* Tree and Ring with three protocols, NVLS with Simple */
}

static void what_limits_is_found_on_the_links(void **state)
{
    (void)state;
    make("hgx-h100", NULL, 2, ORR_TEST_ALL_GATHER);
    assert_limit(ORR_BOUND_NICS, "8 NICs of 48 GB/s");
    make("hgx-h100", "0,1", 1, ORR_TEST_ALL_REDUCE);
    assert_limit(ORR_BOUND_NVLINK, "NVLink of 370.8 GB/s at each GPU");
    make("hgx-h200", NULL, 1, ORR_TEST_ALL_REDUCE);
    assert_limit(ORR_BOUND_NVLS, "NVLink of 370.8 GB/s at each GPU, by NVLink SHARP");
}

static void nothing_is_expected_of_one_rank_or_no_bytes(void **state)
{
    (void)state;
    struct orr_expected row;
    make("hgx-h100", NULL, 1, ORR_TEST_ALL_REDUCE);
    assert_false(orr_expect(expectation, 0, &row));
    struct orr_query query = {.hosts = 1};
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    query.settings.gpus = "0";
    orr_expectation_free(expectation);
    orr_analysis_free(analysis);
    expectation = NULL;
    assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
    assert_int_equal(orr_expectation_new(analysis, ORR_TEST_ALL_REDUCE, &expectation, &err), ORR_UNSUPPORTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(nvls_replaces_the_ring_from_so_many_gpus_on, teardown),
        cmocka_unit_test_teardown(rows_are_nccls_choice_in_the_figures_of_nccl_tests, teardown),
        cmocka_unit_test_teardown(another_way_is_no_faster_than_the_choice, teardown),
        cmocka_unit_test_teardown(what_limits_is_found_on_the_links, teardown),
        cmocka_unit_test_teardown(nothing_is_expected_of_one_rank_or_no_bytes, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
