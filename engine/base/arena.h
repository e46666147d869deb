/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of one lifetime: everything of one dump, one analysis or one request is freed together.
 *
 * Only one thread may use an arena at a time. Memory is zeroed and aligned for any type; parts cannot be freed. The
 * memory is drawn from the budget in force on the thread (budget.h).
 */
#ifndef ORR_BASE_ARENA_H
#define ORR_BASE_ARENA_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

struct orr_arena;

/* Makes an arena that never holds more than limit bytes (0 means no limit); NULL if memory runs out. */
struct orr_arena *orr_arena_new(size_t limit);
/* Frees the arena with everything allocated from it; NULL is allowed. */
void orr_arena_free(struct orr_arena *arena);
/* Declares an arena that is freed at the end of its block: ORR_LOCAL_ARENA(scratch, 0). If it is NULL, all allocations
 * from it are NULL too. orr_arena_take() passes it to a result that outlives the block. */
#define ORR_LOCAL_ARENA(name, limit)                                                                                   \
    __attribute__((cleanup(orr_arena_end))) struct orr_arena *name = orr_arena_new(limit)
static inline void orr_arena_end(struct orr_arena **arena)
{
    orr_arena_free(*arena);
}
static inline struct orr_arena *orr_arena_take(struct orr_arena **arena)
{
    struct orr_arena *taken = *arena;
    *arena = NULL;
    return taken;
}
/* count * size zeroed bytes, or NULL if memory runs out, there is no arena, the limit or the budget would be exceeded,
 * or the product overflows. count 0 gives a valid pointer. */
void *orr_arena_alloc(struct orr_arena *arena, size_t count, size_t size);
/* A copy of length bytes of text with a terminating zero, or NULL. */
char *orr_arena_strndup(struct orr_arena *arena, const char *text, size_t length);
/* Formats into an arena; NULL if memory runs out. */
char *orr_arena_printf(struct orr_arena *arena, const char *format, ...) ORR_PRINTF(2, 3);
/* Formats like vsnprintf() into a buffer of `size` bytes, so a longer text is cut. */
char *orr_arena_vprintf(struct orr_arena *arena, size_t size, const char *format, va_list args) ORR_PRINTF(3, 0);
/* Formats a text of at most 4,095 bytes; the rest is cut. Never NULL: the result is "" if memory runs out. */
const char *orr_arena_text(struct orr_arena *arena, const char *format, ...) ORR_PRINTF(2, 3);
/* Whether an allocation has failed. All later ones fail too, so one check at the end suffices. True for NULL. */
bool orr_arena_starved(const struct orr_arena *arena);
/* Makes every later allocation fail. */
void orr_arena_starve(struct orr_arena *arena);
/* Bytes taken from the operating system so far. */
size_t orr_arena_bytes(const struct orr_arena *arena);

/* A zeroed array of a type: ORR_NEW(arena, struct orr_node, 12). */
#define ORR_NEW(arena, type, count) ((type *)orr_arena_alloc((arena), (count), sizeof(type)))

/* Makes room for one more element in a growing array in an arena. Old copies stay allocated until the arena is freed;
 * together they are at most as large as the array. array, count and capacity are lvalues; the result is 0 if memory
 * ran out. */
#define ORR_RESERVE(arena, array, count, capacity)                                                                     \
    ((count) < (capacity) ||                                                                                           \
     (((array) = orr_arena_grow((arena), (array), (count), &(capacity), sizeof *(array))) != NULL))

/* The function that ORR_RESERVE calls. */
void *orr_arena_grow(struct orr_arena *arena, const void *array, size_t count, unsigned *capacity, size_t size);

#endif
