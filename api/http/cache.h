/* SPDX-License-Identifier: Apache-2.0 */
/* A cache of finished values with a stated ceiling, shared by all threads, with single flight: while one thread makes a
 * value, others that need the same wait for it.
 *
 * Values are immutable and reference-counted. Keys are texts that begin with the content id of their subject and "|",
 * so that everything about one topology can be dropped at once.
 */
#ifndef ORR_API_CACHE_H
#define ORR_API_CACHE_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/shared.h"

struct orr_cache;

struct orr_cache_figures {
    size_t bytes, limit, entries;
    unsigned long hits, misses, evictions;
};

/* NULL if memory runs out. */
struct orr_cache *orr_cache_new(size_t limit);
void orr_cache_free(struct orr_cache *cache);

/* Whether the cache has a value for the key. */
bool orr_cache_has(struct orr_cache *cache, const char *key);
/* The value with a new reference, or NULL. Never waits. */
struct orr_shared *orr_cache_peek(struct orr_cache *cache, const char *key);
/* The value with a new reference; or NULL, and then the caller makes the value and must call orr_cache_end(). Waits
 * while another thread makes it, but no longer than the budget in force lasts: then NULL, and the budget is spent. */
struct orr_shared *orr_cache_begin(struct orr_cache *cache, const char *key);
/* Ends orr_cache_begin(), in the same thread: with the value, of which the cache takes its own reference, or with NULL
 * if making it failed. A value made under a spent budget is not kept. */
void orr_cache_end(struct orr_cache *cache, const char *key, struct orr_shared *value);
/* Keeps a value under another key as well, if `key` is still in the cache: an entry that was dropped meanwhile stays
 * dropped. */
void orr_cache_also(struct orr_cache *cache, const char *key, const char *further, struct orr_shared *value);
/* Drops all entries whose key begins with prefix; values that are being made under such a key will not be kept. */
void orr_cache_forget(struct orr_cache *cache, const char *prefix);
void orr_cache_figures(struct orr_cache *cache, struct orr_cache_figures *ret_figures);

#endif
