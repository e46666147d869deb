/* SPDX-License-Identifier: Apache-2.0 */
/* Every cmocka test includes this: cmocka's prerequisites in the required order, and Orrery's own helpers. main.c has
 * main() and runs the tests. */
#ifndef ORR_TEST_H
#define ORR_TEST_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/error.h"

/* A test of this program: TEST(numbers_are_read) { ... }. TEST_WHERE() is for one that runs only where a function says
 * so. */
#define TEST(name) TEST_WHERE(NULL, name)
#define TEST_WHERE(condition, name)                                                                                    \
    static void name(void **state);                                                                                    \
    __attribute__((constructor)) static void add_##name(void)                                                          \
    {                                                                                                                  \
        static struct registered_test test = {#name, name, condition, __LINE__, NULL};                                 \
        register_test(&test);                                                                                          \
    }                                                                                                                  \
    static void name(void **state __attribute__((unused)))
struct registered_test {
    const char *name;
    void (*run)(void **state);
    bool (*where)(void);
    int line;
    struct registered_test *next;
};
void register_test(struct registered_test *test);

/* A program may define these. An assertion that fails in before_...() fails the tests. with_arguments() is called first
 * and gives the exit status; -1 means that the tests should run. */
void before_all(void);
void before_each(void);
void after_each(void);
void after_all(void);
int with_arguments(int argc, char **argv);

/* The call succeeded; prints the error's text if it did not. */
#define assert_ok(code, err)                                                                                           \
    do {                                                                                                               \
        enum orr_code orr_test_code = (code);                                                                          \
        if (orr_test_code != ORR_OK)                                                                                   \
            fail_msg("%s: %s at %u:%u %s", orr_code_name(orr_test_code), (err)->text, (unsigned)(err)->line,           \
                     (unsigned)(err)->column, (err)->where);                                                           \
    } while (0)

/* The call failed with `expected`, and the report's text contains `words`. */
#define assert_error(code, expected, err, words)                                                                       \
    do {                                                                                                               \
        assert_string_equal(orr_code_name(code), orr_code_name(expected));                                             \
        if (!strstr((err)->text, words))                                                                               \
            fail_msg("\"%s\" does not contain \"%s\"", (err)->text, words);                                            \
    } while (0)

#endif
