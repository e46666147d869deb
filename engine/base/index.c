/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/index.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <sys/random.h>

enum { FIRST_SLOTS = 64 };

uint64_t orr_hash_seeded(void)
{
    static _Atomic uint64_t seed; /* set once, by whoever asks first */
    uint64_t known = atomic_load_explicit(&seed, memory_order_relaxed), made = 0;
    if (known)
        return known;
    if (getrandom(&made, sizeof made, GRND_NONBLOCK) < (ssize_t)sizeof made)
        made = orr_hash_scatter((uint64_t)(uintptr_t)&made); /* an address: random by the kernel's layout */
    made |= 1;
    return atomic_compare_exchange_strong(&seed, &known, made) ? made : known;
}

static size_t slot_of(const struct orr_index *index, uint64_t hash, size_t step)
{
    return (size_t)(orr_hash_scatter(hash) + step) & (index->slot_count - 1);
}

bool orr_index_next(const struct orr_index *index, uint64_t hash, struct orr_probe *probe, uintptr_t *ret_row)
{
    while (index->slot_count) {
        const struct orr_index_slot *slot = &index->slots[slot_of(index, hash, probe->step)];
        if (!slot->value)
            return false;
        probe->step++;
        if (slot->hash == hash) {
            *ret_row = slot->value - 1;
            return true;
        }
    }
    return false;
}

static void put(struct orr_index *index, struct orr_index_slot what)
{
    size_t step = 0;
    while (index->slots[slot_of(index, what.hash, step)].value)
        step++;
    index->slots[slot_of(index, what.hash, step)] = what;
}

static bool grow(struct orr_index *index)
{
    struct orr_index old = *index;
    index->slot_count = old.slot_count ? 2 * old.slot_count : FIRST_SLOTS;
    index->slots = index->arena ? ORR_NEW(index->arena, struct orr_index_slot, index->slot_count)
                                : calloc(index->slot_count, sizeof *index->slots);
    if (!index->slots) {
        *index = old;
        return false;
    }
    for (size_t i = 0; i < old.slot_count; i++)
        if (old.slots[i].value)
            put(index, old.slots[i]);
    orr_index_release(&old);
    return true;
}

bool orr_index_add(struct orr_index *index, uint64_t hash, uintptr_t row)
{
    if (2 * (index->count + 1) > index->slot_count && !grow(index))
        return false;
    put(index, (struct orr_index_slot){.hash = hash, .value = row + 1});
    index->count++;
    return true;
}

void orr_index_remove(struct orr_index *index, uint64_t hash, uintptr_t row)
{
    size_t mask = index->slot_count - 1;
    struct orr_probe probe = {0};
    uintptr_t found = row + 1;
    while (found != row)
        if (!orr_index_next(index, hash, &probe, &found))
            return;
    /* A row that follows without a gap moves up, unless it would come before the slot where its search begins. */
    size_t hole = slot_of(index, hash, probe.step - 1);
    for (size_t at = (hole + 1) & mask; index->slots[at].value; at = (at + 1) & mask) {
        size_t home = slot_of(index, index->slots[at].hash, 0);
        if (((at - home) & mask) >= ((at - hole) & mask)) {
            index->slots[hole] = index->slots[at];
            hole = at;
        }
    }
    index->slots[hole] = (struct orr_index_slot){0};
    index->count--;
}

void orr_index_release(struct orr_index *index)
{
    if (!index->arena)
        free(index->slots);
    index->slots = NULL;
    index->slot_count = index->count = 0;
}
