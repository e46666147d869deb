/* SPDX-License-Identifier: Apache-2.0 */
/* Inside place/: subsets as bits. */
#ifndef ORR_PLACE_BITS_H
#define ORR_PLACE_BITS_H

#include <stdint.h>

#include "engine/place/scores.h"

enum { ORR_BITS_WIDTH = ORR_MOST_PLACE_GPUS };

static inline uint32_t orr_bit_count(orr_bits bits)
{
    return (uint32_t)(__builtin_popcountll((uint64_t)bits) + __builtin_popcountll((uint64_t)(bits >> 64)));
}

/* Index of the lowest bit; bits must not be 0. */
static inline uint32_t orr_lowest_bit(orr_bits bits)
{
    const uint64_t low = (uint64_t)bits;
    return low ? (uint32_t)__builtin_ctzll(low) : 64 + (uint32_t)__builtin_ctzll((uint64_t)(bits >> 64));
}

static inline orr_bits orr_bit(uint32_t number)
{
    return (orr_bits)1 << number;
}

/* The lowest `count` bits, 1..ORR_BITS_WIDTH. */
static inline orr_bits orr_first_subset(uint32_t count)
{
    return count >= ORR_BITS_WIDTH ? ~(orr_bits)0 : orr_bit(count) - 1;
}

/* The next larger number of `most` bits with equally many bits set; 0 if there is none. */
static inline orr_bits orr_next_subset(orr_bits subset, uint32_t most)
{
    const orr_bits carried = subset + (subset & (0 - subset));
    if (!carried || (most < ORR_BITS_WIDTH && carried >> most))
        return 0;
    return carried | (subset ^ carried) >> 2 >> orr_lowest_bit(subset);
}

/* Moves the bits of `compact` to the positions of the bits in `mask`, lowest first. */
static inline orr_bits orr_spread_bits(orr_bits compact, orr_bits mask)
{
    orr_bits spread = 0;
    for (; compact; compact >>= 1, mask &= mask - 1)
        spread |= compact & 1 ? mask & (0 - mask) : 0;
    return spread;
}

/* The maximum number of sets: up to here a double, and so any JSON reader, is exact. */
#define ORR_MOST_CHOICES ((UINT64_C(1) << 53) - 1)

/* The number of subsets of `count` of n things, at most ORR_MOST_CHOICES. */
static inline uint64_t orr_choices(uint32_t n, uint32_t count)
{
    double choices = 1;
    for (uint32_t i = 1; i <= count; i++)
        choices = choices * (n - count + i) / i;
    return choices < (double)ORR_MOST_CHOICES ? (uint64_t)(choices + 0.5) : ORR_MOST_CHOICES;
}

#endif
