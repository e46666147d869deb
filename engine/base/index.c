/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/index.h"

#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "engine/base/budget.h"

enum { FIRST_SLOTS = 64 };

uint64_t orr_hash_seeded(void)
{
    static _Atomic uint64_t seed; /* set once, by the first thread that asks */
    uint64_t known = atomic_load_explicit(&seed, memory_order_relaxed), made = 0;
    if (known)
        return known;
    if (getrandom(&made, sizeof made, GRND_NONBLOCK) < (ssize_t)sizeof made)
        made = orr_hash_scatter((uint64_t)(uintptr_t)&made); /* an address: random by the kernel's layout */
    made |= 1;
    return atomic_compare_exchange_strong(&seed, &known, made) ? made : known;
}

uint64_t orr_hash_key(uint64_t hash, const void *bytes, size_t length)
{
    uint64_t word = 0;
    const char *at = bytes;
    for (size_t left = length; left; left -= left < sizeof word ? left : sizeof word, at += sizeof word) {
        word = 0;
        memcpy(&word, at, left < sizeof word ? left : sizeof word);
        hash = orr_hash_key_number(hash, word);
    }
    return orr_hash_key_number(hash, length);
}

static size_t slot_of(const struct orr_index *index, uint64_t hash, size_t step)
{
    return (size_t)(orr_hash_scatter(hash) + step) & (index->slot_count - 1);
}

/* A search takes a few probes; a longer one asks the budget, whatever made it long. */
static bool is_endless(size_t step)
{
    enum { USUAL = 32 };
    return step > USUAL && orr_budget_spent(1);
}

bool orr_index_next(const struct orr_index *index, uint64_t hash, struct orr_probe *probe, uintptr_t *ret_row)
{
    while (index->slot_count && !is_endless(probe->step)) {
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

static bool put_slot(struct orr_index *index, struct orr_index_slot what)
{
    for (size_t step = 0; !is_endless(step); step++) {
        struct orr_index_slot *slot = &index->slots[slot_of(index, what.hash, step)];
        if (!slot->value) {
            *slot = what;
            return true;
        }
    }
    return false;
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
        if (old.slots[i].value && !put_slot(index, old.slots[i])) {
            if (!index->arena)
                free(index->slots);
            *index = old;
            return false;
        }
    orr_index_release(&old);
    return true;
}

bool orr_index_add(struct orr_index *index, uint64_t hash, uintptr_t row)
{
    if (2 * (index->count + 1) > index->slot_count && !grow(index))
        return false;
    if (!put_slot(index, (struct orr_index_slot){.hash = hash, .value = row + 1}))
        return false;
    index->count++;
    return true;
}

/* The slot of a row; slot_count if it is absent. */
static size_t find_slot(const struct orr_index *index, uint64_t hash, uintptr_t row)
{
    for (size_t step = 0; step < index->slot_count; step++) {
        const size_t at = slot_of(index, hash, step);
        if (!index->slots[at].value)
            break;
        if (index->slots[at].hash == hash && index->slots[at].value == row + 1)
            return at;
    }
    return index->slot_count;
}

/* Fills the hole by moving later entries up, except an entry that would then be before its own place. So no search
 * meets a hole before it has seen all entries of its hash. */
void orr_index_remove(struct orr_index *index, uint64_t hash, uintptr_t row)
{
    const size_t mask = index->slot_count - 1;
    size_t hole = find_slot(index, hash, row);
    if (hole == index->slot_count)
        return;
    for (size_t at = (hole + 1) & mask; index->slots[at].value; at = (at + 1) & mask) {
        const size_t own = slot_of(index, index->slots[at].hash, 0);
        if (((at - own) & mask) < ((at - hole) & mask))
            continue;
        index->slots[hole] = index->slots[at];
        hole = at;
    }
    index->slots[hole] = (struct orr_index_slot){0};
    index->count--;
}

bool orr_index_each(const struct orr_index *index, size_t *at, uintptr_t *ret_row)
{
    /* Looks at the slot of the previous row again: if the caller removed that row, another may have moved there. */
    size_t slot = *at ? *at - 1 : 0;
    if (*at && slot < index->slot_count && index->slots[slot].value == *ret_row + 1)
        slot++;
    while (slot < index->slot_count && !index->slots[slot].value)
        slot++;
    if (slot >= index->slot_count)
        return false;
    *ret_row = index->slots[slot].value - 1;
    *at = slot + 1;
    return true;
}

void orr_index_release(struct orr_index *index)
{
    if (!index->arena)
        free(index->slots);
    index->slots = NULL;
    index->slot_count = index->count = 0;
}
