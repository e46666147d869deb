/* SPDX-License-Identifier: Apache-2.0 */
/* Building blocks for qsort() comparators, and orders of numbers. */
#ifndef ORR_BASE_SORTING_H
#define ORR_BASE_SORTING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Orders two numbers of one type: -1, 0 or 1. */
#define ORR_ORDER(a, b) (((a) > (b)) - ((a) < (b)))
/* Returns from the comparing function with an order that is not 0; later lines decide between equals. */
#define ORR_BY(order)                                                                                                  \
    do {                                                                                                               \
        const int orr_by_order = (order);                                                                              \
        if (orr_by_order)                                                                                              \
            return orr_by_order;                                                                                       \
    } while (0)

/* Defines a comparator for qsort(): the first order of a and b that is not 0 decides. For example
 * ORR_COMPARATOR(by_place, struct place, strcmp(a->host, b->host), ORR_ORDER(a->rank, b->rank)). */
#define ORR_COMPARATOR(function, type, ...)                                                                            \
    static int function(const void *left, const void *right)                                                           \
    {                                                                                                                  \
        const type *a = left;                                                                                          \
        const type *b = right;                                                                                         \
        const int orders[] = {__VA_ARGS__};                                                                            \
        size_t i = 0;                                                                                                  \
        while (i + 1 < sizeof orders / sizeof *orders && !orders[i])                                                   \
            i++;                                                                                                       \
        return orders[i];                                                                                              \
    }

/* For arrays of int32_t, and of texts. */
static inline int orr_by_number(const void *a, const void *b)
{
    return ORR_ORDER(*(const int32_t *)a, *(const int32_t *)b);
}

static inline int orr_by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Defines a function that changes distinct numbers to their next order, lexically; false if they are in the last. */
#define ORR_NEXT_ORDER(function, type)                                                                                 \
    static bool function(type *numbers, uint32_t count)                                                                \
    {                                                                                                                  \
        uint32_t i = count - 1, k = count - 1;                                                                         \
        while (i > 0 && numbers[i - 1] > numbers[i])                                                                   \
            i--;                                                                                                       \
        if (!i)                                                                                                        \
            return false;                                                                                              \
        while (numbers[k] < numbers[i - 1])                                                                            \
            k--;                                                                                                       \
        const type number = numbers[i - 1];                                                                            \
        numbers[i - 1] = numbers[k];                                                                                   \
        numbers[k] = number;                                                                                           \
        for (k = count - 1; i < k; i++, k--) {                                                                         \
            const type other = numbers[i];                                                                             \
            numbers[i] = numbers[k];                                                                                   \
            numbers[k] = other;                                                                                        \
        }                                                                                                              \
        return true;                                                                                                   \
    }

/* Compares two texts in natural order: runs of digits count as numbers, so "node2" comes before "node10". Texts that
 * differ only in leading zeros are compared by their bytes. */
int orr_order_naturally(const char *a, const char *b);
/* Whether b equals a with one of its numbers increased by one: "node9-ib" and "node10-ib", but not "node09" and
 * "node10-ib". */
bool orr_follows_naturally(const char *a, const char *b);

#endif
