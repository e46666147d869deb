/* SPDX-License-Identifier: Apache-2.0 */
/* Reference counts for immutable values that several threads share. */
#ifndef ORR_BASE_SHARED_H
#define ORR_BASE_SHARED_H

#include <stdatomic.h>
#include <stddef.h>

/* The first member of every shared value. */
struct orr_shared {
    atomic_uint references;
    size_t cost; /* bytes that count against the ceiling of a cache */
    void (*free)(struct orr_shared *shared);
};

/* Starts with one reference, which the caller owns. free_value is called when the last reference is given back. */
static inline void orr_shared_init(struct orr_shared *shared, size_t cost,
                                   void (*free_value)(struct orr_shared *shared))
{
    atomic_init(&shared->references, 1);
    shared->cost = cost;
    shared->free = free_value;
}

/* Takes another reference; returns the same value. */
static inline void *orr_shared_take(struct orr_shared *shared)
{
    atomic_fetch_add_explicit(&shared->references, 1, memory_order_relaxed);
    return shared;
}

/* Gives back a reference; NULL is allowed. */
static inline void orr_shared_give(struct orr_shared *shared)
{
    if (shared && atomic_fetch_sub_explicit(&shared->references, 1, memory_order_acq_rel) == 1)
        shared->free(shared);
}

#endif
