/* What every cmocka test includes: cmocka's prerequisites in the order it wants, and helpers of our own. */
#ifndef ORR_TEST_H
#define ORR_TEST_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
/* clang-format on */

#include <stdio.h>
#include <string.h>

#include "engine/base/error.h"

/* The call succeeded; prints the error's text where it did not. */
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
