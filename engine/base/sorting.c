/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/sorting.h"

#include <ctype.h>
#include <stddef.h>

/* The digits at the start of a text, and the same without leading zeros. */
static size_t digits_of(const char *text, const char **ret_number, size_t *ret_length)
{
    size_t count = 0, zeros = 0;
    while (isdigit((unsigned char)text[count]))
        count++;
    while (zeros + 1 < count && text[zeros] == '0')
        zeros++;
    *ret_number = text + zeros;
    *ret_length = count - zeros;
    return count;
}

int orr_order_naturally(const char *a, const char *b)
{
    const char *x = a, *y = b;
    while (*x && *y) {
        const char *left, *right;
        size_t left_length, right_length;
        const size_t left_digits = digits_of(x, &left, &left_length);
        const size_t right_digits = digits_of(y, &right, &right_length);
        if (left_digits && right_digits) {
            ORR_BY(ORR_ORDER(left_length, right_length));
            ORR_BY(memcmp(left, right, left_length));
            x += left_digits;
            y += right_digits;
        } else {
            ORR_BY(ORR_ORDER((unsigned char)*x, (unsigned char)*y));
            x++;
            y++;
        }
    }
    ORR_BY(ORR_ORDER((unsigned char)*x, (unsigned char)*y));
    return strcmp(a, b);
}

/* Whether two numbers of digits differ by one. */
static bool is_next(const char *number, size_t length, const char *next, size_t next_length)
{
    enum { MOST = 18 };
    uint64_t before = 0, after = 0;
    if (length > MOST || next_length > MOST)
        return false;
    for (size_t i = 0; i < length; i++)
        before = before * 10 + (uint64_t)(number[i] - '0');
    for (size_t i = 0; i < next_length; i++)
        after = after * 10 + (uint64_t)(next[i] - '0');
    return after == before + 1;
}

bool orr_follows_naturally(const char *a, const char *b)
{
    while (*a && *b) {
        const char *left, *right;
        size_t left_length, right_length;
        const size_t left_digits = digits_of(a, &left, &left_length);
        const size_t right_digits = digits_of(b, &right, &right_length);
        const bool same = left_digits == right_digits && !strncmp(a, b, left_digits ? left_digits : 1);
        if (!same) {
            const bool padded = left_digits > left_length || right_digits > right_length;
            return left_digits && right_digits && (!padded || left_digits == right_digits) &&
                   is_next(left, left_length, right, right_length) && !strcmp(a + left_digits, b + right_digits);
        }
        a += left_digits ? left_digits : 1;
        b += right_digits ? right_digits : 1;
    }
    return false;
}
