/* SPDX-License-Identifier: Apache-2.0 */
/* The table of nccl-tests' programs: names, columns and factors. */
#include "engine/nccltests/programs.h"
#include "engine/release/tuning_model.h"
#include "tests/support/orr_test.h"

static enum orr_test find(const char *name)
{
    return orr_test_find(name, strlen(name));
}

TEST(a_program_is_found_by_each_of_its_names)
{
    for (unsigned test = 0; test < ORR_TEST_COUNT; test++) {
        char program[64];
        const char *name = orr_test_programs[test].name;
        assert_int_equal(find(name), test);
        snprintf(program, sizeof program, "/opt/nccl-tests/build/%s_perf", name);
        assert_int_equal(find(program), test);
        snprintf(program, sizeof program, "%s_perf_mpi", name);
        assert_int_equal(find(program), test);
    }
    assert_int_equal(find("AllReduce"), ORR_TEST_ALL_REDUCE);
    assert_int_equal(find("allreduce"), ORR_TEST_ALL_REDUCE);
    assert_int_equal(find("reduceScatter"), ORR_TEST_REDUCE_SCATTER);
    assert_int_equal(find("all-to-all"), ORR_TEST_ALLTOALL);
    assert_int_equal(find("AlltoAllv"), ORR_TEST_ALLTOALLV);
    assert_int_equal(find("send/recv"), ORR_TEST_COUNT); /* the last part of a path */
    static const char *const others[] = {"",
                                         "_perf",
                                         "perf",
                                         "osu_allreduce",
                                         "ib_write_bw",
                                         "all_reduce_perf2",
                                         "a_name_that_is_longer_than_any_program_of_nccl_tests"};
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(find(others[i]), ORR_TEST_COUNT);
    assert_int_equal(orr_test_find(NULL, 0), ORR_TEST_COUNT);
    assert_int_equal(orr_test_find("all_reduce_perf -b 8", 15), ORR_TEST_ALL_REDUCE);
}

TEST(factors_are_those_of_nccl_tests)
{
    static const struct {
        enum orr_test test;
        double bus, size;
    } eight[] = {
        {ORR_TEST_ALL_REDUCE, 1.75, 1}, {ORR_TEST_ALL_GATHER, 0.875, 1}, {ORR_TEST_REDUCE_SCATTER, 0.875, 1},
        {ORR_TEST_BROADCAST, 1, 1},     {ORR_TEST_REDUCE, 1, 1},         {ORR_TEST_ALLTOALL, 0.875, 1},
        {ORR_TEST_ALLTOALLV, 0.875, 1}, {ORR_TEST_SENDRECV, 1, 1},       {ORR_TEST_GATHER, 0.875, 1},
        {ORR_TEST_SCATTER, 0.875, 1},   {ORR_TEST_HYPERCUBE, 1, 0.875},
    };
    assert_int_equal(sizeof eight / sizeof eight[0], ORR_TEST_COUNT);
    for (size_t i = 0; i < ORR_TEST_COUNT; i++) {
        assert_true(orr_test_bus_factor(eight[i].test, 8) == eight[i].bus);
        assert_true(orr_test_size_factor(eight[i].test, 8) == eight[i].size);
    }
    assert_true(orr_test_bus_factor(ORR_TEST_ALL_REDUCE, 1) == 0);
    assert_true(orr_test_bus_factor(ORR_TEST_ALL_REDUCE, 0) == 0);
    assert_true(orr_test_bus_factor(ORR_TEST_BROADCAST, 1) == 1);
    assert_true(orr_test_bus_factor(ORR_TEST_ALL_REDUCE, 2) == 1);
}

TEST(rows_agree_with_what_they_call)
{
    uint32_t functions = 0;
    for (unsigned test = 0; test < ORR_TEST_COUNT; test++) {
        const struct orr_test_program *row = &orr_test_programs[test];
        if (row->function >= 0) {
            assert_in_range(row->function, 0, ORR_FUNCTION_COUNT - 1);
            functions |= 1U << row->function;
            assert_int_equal(row->reduces, row->function == ORR_REDUCE || row->function == ORR_REDUCESCATTER ||
                                               row->function == ORR_ALLREDUCE);
        } else { /* sendrecv prints the reduction of its options, although it does not reduce */
            assert_int_equal(row->reduces, test == ORR_TEST_SENDRECV);
        }
        assert_int_equal(row->parts, row->bus == ORR_TEST_FACTOR_OTHERS || row->size == ORR_TEST_FACTOR_OTHERS);
    }
    assert_int_equal(functions, (1U << ORR_FUNCTION_COUNT) - 1); /* each function of NCCL's has a program */
}
