/* SPDX-License-Identifier: Apache-2.0 */
/* The programs of nccl-tests, one row each: what they call, which columns they fill, and how they count bandwidth.
 *
 * nccl-tests prints for each size a time in microseconds, the algorithm bandwidth (algbw: bytes of the operation per
 * time) and the bus bandwidth. The bus bandwidth (busbw) is algbw times a factor, so that results of different rank
 * counts compare with the speed of the hardware. Both are in GB/s, 10^9 bytes a second. */
#ifndef ORR_NCCLTESTS_PROGRAMS_H
#define ORR_NCCLTESTS_PROGRAMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum orr_test {
    ORR_TEST_ALL_REDUCE,
    ORR_TEST_ALL_GATHER,
    ORR_TEST_REDUCE_SCATTER,
    ORR_TEST_BROADCAST,
    ORR_TEST_REDUCE,
    ORR_TEST_ALLTOALL,
    ORR_TEST_ALLTOALLV,
    ORR_TEST_SENDRECV,
    ORR_TEST_GATHER,
    ORR_TEST_SCATTER,
    ORR_TEST_HYPERCUBE,
    ORR_TEST_COUNT /* also: not known */
};

/* The factor of a bandwidth, for n ranks. */
enum orr_test_factor {
    ORR_TEST_FACTOR_ONE,
    ORR_TEST_FACTOR_OTHERS,      /* (n - 1) / n: what a rank sends of the whole, all but its own part */
    ORR_TEST_FACTOR_TWICE_OTHERS /* 2 (n - 1) / n: the same twice, once to reduce and once to distribute */
};

struct orr_test_program {
    const char *name;          /* "all_reduce": the program is all_reduce_perf */
    int32_t function;          /* enum orr_function, engine/release/tuning_model.h; -1 if made of Send and Recv */
    bool reduces;              /* its rows have a reduction in the column "redop"; others have "none" or nothing */
    bool rooted;               /* its rows have a rank in the column "root"; others have -1 or nothing */
    bool parts;                /* the column "count" is for one rank's part of the size: size / n with n ranks */
    bool out_only;             /* results in place are not checked: their column "#wrong" has N/A */
    enum orr_test_factor size; /* algbw = factor * size / time, of the size in the first column */
    enum orr_test_factor bus;  /* busbw = factor * algbw */
};

extern const struct orr_test_program orr_test_programs[ORR_TEST_COUNT];

/* By the name of the program or of the operation, whatever the case: "all_reduce", "all_reduce_perf", "AllReduce",
 * "alltoall", "all-to-all", "./build/all_reduce_perf_mpi". ORR_TEST_COUNT if none has that name. */
enum orr_test orr_test_find(const char *name, size_t length);

/* The factor of a communicator of `ranks` ranks; 0 for one rank if the factor is not 1. */
double orr_test_factor(enum orr_test_factor factor, uint32_t ranks);
/* busbw / algbw of a program. */
double orr_test_bus_factor(enum orr_test test, uint32_t ranks);
/* algbw * time / size of a program: 1, except of hypercube, which leaves out a rank's own part. */
double orr_test_size_factor(enum orr_test test, uint32_t ranks);

#endif
