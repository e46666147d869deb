/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"

enum { FIRST_BLOCK = 16 * 1024, LARGEST_STEP = 1024 * 1024 };

struct block {
    struct block *next;
    size_t size; /* of data */
    size_t used;
    alignas(max_align_t) unsigned char data[];
};

struct orr_arena {
    struct block *blocks; /* newest first; only the newest still has room to fill */
    size_t bytes;
    size_t limit;
    size_t next_size;
    uint64_t budget; /* the budget from which the bytes were drawn: orr_budget_draw() */
    bool starved;
};

struct orr_arena *orr_arena_new(size_t limit)
{
    struct orr_arena *arena = calloc(1, sizeof *arena);
    if (arena) {
        arena->limit = limit;
        arena->next_size = FIRST_BLOCK;
    }
    return arena;
}

void orr_arena_free(struct orr_arena *arena)
{
    if (!arena)
        return;
    orr_budget_give(arena->budget, arena->bytes);
    for (struct block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

static struct block *add_block(struct orr_arena *arena, size_t needed)
{
    size_t size = needed > arena->next_size ? needed : arena->next_size;
    if (arena->limit && (size > arena->limit || arena->bytes > arena->limit - size))
        return NULL;
    uint64_t budget;
    if (!orr_budget_draw(size, &budget))
        return NULL;
    struct block *block = malloc(sizeof *block + size);
    if (!block) {
        orr_budget_starve();
        return NULL;
    }
    arena->budget = budget;
    block->size = size;
    block->used = 0;
    block->next = arena->blocks;
    arena->blocks = block;
    arena->bytes += size;
    if (arena->next_size < LARGEST_STEP)
        arena->next_size *= 2;
    return block;
}

void *orr_arena_alloc(struct orr_arena *arena, size_t count, size_t size)
{
    const size_t align = alignof(max_align_t);
    if (orr_arena_starved(arena))
        return NULL;
    if (size && count > (SIZE_MAX / 2) / size) {
        arena->starved = true;
        return NULL;
    }
    size_t bytes = (count * size + align - 1) / align * align;
    struct block *block = arena->blocks;
    if (!block || block->size - block->used < bytes)
        block = add_block(arena, bytes);
    arena->starved = !block;
    if (!block)
        return NULL;
    void *memory = block->data + block->used;
    block->used += bytes;
    memset(memory, 0, bytes);
    return memory;
}

char *orr_arena_strndup(struct orr_arena *arena, const char *text, size_t length)
{
    char *copy = orr_arena_alloc(arena, length + 1, 1);
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

void *orr_arena_grow(struct orr_arena *arena, const void *array, size_t count, unsigned *capacity, size_t size)
{
    unsigned larger = *capacity ? *capacity * 2 : 16;
    void *copy = orr_arena_alloc(arena, larger, size);
    if (!copy)
        return NULL;
    if (count)
        memcpy(copy, array, count * size);
    *capacity = larger;
    return copy;
}

bool orr_arena_starved(const struct orr_arena *arena)
{
    return !arena || arena->starved;
}

void orr_arena_starve(struct orr_arena *arena)
{
    arena->starved = true;
}

char *orr_arena_vprintf(struct orr_arena *arena, size_t size, const char *format, va_list args)
{
    char room[256];
    va_list again;
    va_copy(again, args);
    const int length = vsnprintf(room, sizeof room, format, args);
    const size_t kept = length < 0 ? 0 : (size_t)length < size ? (size_t)length : size - 1;
    char *text = orr_arena_alloc(arena, kept + 1, 1);
    if (text && kept < sizeof room)
        memcpy(text, room, kept);
    else if (text)
        vsnprintf(text, kept + 1, format, again);
    va_end(again);
    return text;
}

char *orr_arena_printf(struct orr_arena *arena, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    char *text = orr_arena_vprintf(arena, SIZE_MAX, format, args);
    va_end(args);
    return text;
}

const char *orr_arena_text(struct orr_arena *arena, const char *format, ...)
{
    enum { LONGEST = 4096 };
    va_list args;
    va_start(args, format);
    const char *text = orr_arena_vprintf(arena, LONGEST, format, args);
    va_end(args);
    return text ? text : "";
}

size_t orr_arena_bytes(const struct orr_arena *arena)
{
    return arena->bytes;
}
