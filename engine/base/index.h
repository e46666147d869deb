/* SPDX-License-Identifier: Apache-2.0 */
/* The hash table of the engine: an index of rows by the hash of their keys. The rows belong to the caller, who also
 * compares keys; the index only says which rows may be meant.
 *
 *     uint64_t hash = orr_hash_key(orr_hash_seeded(), name, strlen(name));
 *     uintptr_t row;
 *     for (struct orr_probe probe = {0}; orr_index_next(&index, hash, &probe, &row);)
 *         if (!strcmp(rows[row].name, name))
 *             return row;
 *     ... orr_index_add(&index, hash, count) ...
 *
 * Open addressing with linear probing; at least half of the slots are free. A slot keeps the whole hash, so that rows
 * of other keys are hardly ever compared. A finaliser turns the hash into a place. Hash keys from outside with
 * orr_hash_key(), starting from orr_hash_seeded(): nobody can then choose keys that collide, so a search needs only a
 * few probes. Output must never depend on the order of slots. */
#ifndef ORR_BASE_INDEX_H
#define ORR_BASE_INDEX_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/base/arena.h"
#include "engine/base/hash.h"

struct orr_index_slot {
    uint64_t hash;
    uintptr_t value; /* row + 1; 0 if free */
};

/* {.arena = arena} is an empty index; memory is allocated with the first row. Without an arena it comes from the heap,
 * and the caller calls orr_index_release(). */
struct orr_index {
    struct orr_arena *arena;
    struct orr_index_slot *slots;
    size_t slot_count; /* a power of two, or 0 */
    size_t count;
};

/* The position of a search; {0} begins one. */
struct orr_probe {
    size_t step;
};

/* The next row that was added with the hash; false if there are no more. */
bool orr_index_next(const struct orr_index *index, uint64_t hash, struct orr_probe *probe, uintptr_t *ret_row);
/* Adds a row, or any number below UINTPTR_MAX. False if memory ran out, or the budget was spent during the search. */
bool orr_index_add(struct orr_index *index, uint64_t hash, uintptr_t row);
/* Removes a row that was added with the hash. */
void orr_index_remove(struct orr_index *index, uint64_t hash, uintptr_t row);
/* Iterates over the rows in arbitrary order. Set *at to 0 before the first call and then leave it alone. False if there
 * are no more rows. The current row may be removed, but then some rows may come twice. */
bool orr_index_each(const struct orr_index *index, size_t *at, uintptr_t *ret_row);
void orr_index_release(struct orr_index *index);

/* The start of hashes of keys from outside: a random number of this process. */
uint64_t orr_hash_seeded(void);
/* A step of such a hash. A seed alone does not protect FNV-1a, because collisions depend at most on the low bits of
 * the seed, which can be guessed. Here every earlier bit affects every step. */
static inline uint64_t orr_hash_key_number(uint64_t hash, uint64_t number)
{
    return orr_hash_scatter(hash ^ number);
}
uint64_t orr_hash_key(uint64_t hash, const void *bytes, size_t length);

#endif
