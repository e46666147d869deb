/* Inside place/: subsets as bits. */
#ifndef ORR_PLACE_BITS_H
#define ORR_PLACE_BITS_H

#include <stdint.h>

#include "engine/place/scores.h"

static inline uint32_t orr_bit_count(orr_bits bits)
{
    return (uint32_t)__builtin_popcountll(bits);
}

static inline uint32_t orr_lowest_bit(orr_bits bits)
{
    return (uint32_t)__builtin_ctzll(bits);
}

/* The lowest `count` bits, 1..64. */
static inline orr_bits orr_first_subset(uint32_t count)
{
    return count >= 64 ? UINT64_MAX : (UINT64_C(1) << count) - 1;
}

/* The next larger number with as many bits, of `most` bits; 0: none. */
static inline orr_bits orr_next_subset(orr_bits subset, uint32_t most)
{
    orr_bits low = subset & (0 - subset), carried = subset + low;
    if (!carried || (most < 64 && carried >> most))
        return 0;
    return carried | (((subset ^ carried) >> 2) / low);
}

/* The bits of `compact` put where `mask` has its own, the lowest first. */
static inline orr_bits orr_spread_bits(orr_bits compact, orr_bits mask)
{
    orr_bits spread = 0;
    for (; compact; compact >>= 1, mask &= mask - 1)
        spread |= compact & 1 ? mask & (0 - mask) : 0;
    return spread;
}

/* Subsets of `count` of n things, UINT64_MAX where they are more than that. */
static inline uint64_t orr_choices(uint32_t n, uint32_t count)
{
    double choices = 1;
    for (uint32_t i = 1; i <= count; i++)
        choices = choices * (n - count + i) / i;
    return choices < 1e18 ? (uint64_t)(choices + 0.5) : UINT64_MAX;
}

#endif
