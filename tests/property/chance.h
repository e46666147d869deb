/* SPDX-License-Identifier: Apache-2.0 */
/* Random choices from a seed: the same seed makes the same choices on every machine (splitmix64). */
#ifndef ORR_PROPERTY_CHANCE_H
#define ORR_PROPERTY_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct chance {
    uint64_t state;
};

static inline uint64_t chance_next(struct chance *c)
{
    uint64_t z = c->state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

/* 0 .. count - 1. */
static inline uint32_t chance_below(struct chance *c, uint32_t count)
{
    return (uint32_t)(chance_next(c) % count);
}

/* low .. high. */
static inline int32_t chance_between(struct chance *c, int32_t low, int32_t high)
{
    return low + (int32_t)chance_below(c, (uint32_t)(high - low) + 1);
}

/* True this many times in a hundred. */
static inline bool chance_percent(struct chance *c, uint32_t percent)
{
    return chance_below(c, 100) < percent;
}

/* One element of an array; what shall come often is there often. */
#define CHANCE_OF(c, array) ((array)[chance_below((c), (uint32_t)(sizeof(array) / sizeof(array)[0]))])

#endif
