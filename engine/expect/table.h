/* SPDX-License-Identifier: Apache-2.0 */
/* The expected output of nccl-tests: the rows of a range of sizes, and the table in nccl-tests' own layout. */
#ifndef ORR_EXPECT_TABLE_H
#define ORR_EXPECT_TABLE_H

#include "engine/base/text.h"
#include "engine/expect/expect.h"

enum { ORR_MOST_EXPECT_ROWS = 64 };

/* Sizes in bytes: first, first * factor, ... up to last, as nccl-tests' -b, -e and -f give them. */
struct orr_expect_sizes {
    uint64_t first, last;
    uint32_t factor; /* 2.. */
};

struct orr_expect_row {
    uint64_t size;  /* as rounded by the program: a multiple of the ranks if every rank has a part */
    uint64_t count; /* elements of 4 bytes that the program names in its second column */
    struct orr_expected expected;
    bool switches; /* to another algorithm or protocol than the row before */
};

struct orr_expect_table {
    const struct orr_analysis *analysis;
    enum orr_test test;
    struct orr_expect_sizes sizes;
    struct orr_expect_row rows[ORR_MOST_EXPECT_ROWS]; /* only sizes that are not rounded to 0 and can be predicted */
    uint32_t count;
    struct orr_expect_limit limit;
    uint32_t crossings; /* orr_expect_crossings() */
    uint32_t joined;    /* hosts that NVLink may join without the input showing it; 0 if there is no such question */
    double joined_best; /* GB/s, the highest busbw if NVLink joins them */
    double average;     /* GB/s, the mean busbw of the rows; 0 without rows */
};

/* Reads "8:8G:2", "1M:1G" (factor 2) or "1G" (one size): bytes with k, M, G or T as powers of 1024. SETTING. */
enum orr_code orr_expect_sizes_read(const char *text, struct orr_expect_sizes *ret_sizes,
                                    struct orr_error *err) ORR_NO_DISCARD;
/* Errors of orr_expectation_new(). */
enum orr_code orr_expect_table_make(const struct orr_analysis *analysis, enum orr_test test,
                                    const struct orr_expect_sizes *sizes, struct orr_expect_table *ret_table,
                                    struct orr_error *err) ORR_NO_DISCARD;
/* The highest busbw of its rows, GB/s; 0 without rows. */
double orr_expect_table_best(const struct orr_expect_table *table);
/* Writes it in nccl-tests' layout, for programs that read that layout. Lines that start with "#" say what NCCL
 * chooses. */
void orr_expect_table_write(const struct orr_expect_table *table, struct orr_text *text);

#endif
