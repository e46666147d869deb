/* SPDX-License-Identifier: Apache-2.0 */
#include "api/http/cache.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "engine/base/index.h"

struct entry {
    struct entry *newer, *older; /* by last use; entries being made are not in this list */
    struct orr_shared *value;    /* NULL while it is being made */
    bool forgotten;              /* while being made: do not keep */
    pthread_t maker;             /* thread that makes it */
    uint64_t hash;
    char key[];
};

enum { LOOK_MS = 50 /* between two checks of the waiting thread's budget */ };

struct orr_cache {
    pthread_mutex_t lock;
    struct entry *newest, *oldest;
    struct orr_cache_figures figures;
    pthread_cond_t made;
    struct orr_index index; /* of entries, by their keys */
};

struct orr_cache *orr_cache_new(size_t limit)
{
    struct orr_cache *cache = calloc(1, sizeof *cache);
    if (!cache)
        return NULL;
    cache->figures.limit = limit;
    pthread_mutexattr_t brief; /* held for less time than it takes to sleep and wake */
    bool locks = !pthread_mutexattr_init(&brief) && !pthread_mutexattr_settype(&brief, PTHREAD_MUTEX_ADAPTIVE_NP) &&
                 !pthread_mutex_init(&cache->lock, &brief);
    pthread_mutexattr_destroy(&brief);
    if (!locks) {
        free(cache);
        return NULL;
    }
    if (pthread_cond_init(&cache->made, NULL)) {
        pthread_mutex_destroy(&cache->lock);
        free(cache);
        return NULL;
    }
    return cache;
}

/* Clients choose the keys, so their hashes are seeded. */
static uint64_t hash_of(const char *key)
{
    return orr_hash_key(orr_hash_seeded(), key, strlen(key));
}

static struct entry *find_entry(const struct orr_cache *cache, const char *key, uint64_t hash)
{
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&cache->index, hash, &probe, &row);)
        if (!strcmp(((struct entry *)row)->key, key))
            return (struct entry *)row;
    return NULL;
}

static void unlink_use(struct orr_cache *cache, struct entry *entry)
{
    *(entry->newer ? &entry->newer->older : &cache->newest) = entry->older;
    *(entry->older ? &entry->older->newer : &cache->oldest) = entry->newer;
    entry->newer = entry->older = NULL;
}

static void link_newest(struct orr_cache *cache, struct entry *entry)
{
    entry->older = cache->newest;
    entry->newer = NULL;
    *(cache->newest ? &cache->newest->newer : &cache->oldest) = entry;
    cache->newest = entry;
}

static size_t cost_with(const struct entry *entry, const struct orr_shared *value)
{
    return value->cost + sizeof *entry + strlen(entry->key);
}

static size_t cost_of(const struct entry *entry)
{
    return cost_with(entry, entry->value);
}

/* A single value may fill the cache, because the most expensive values are those that should not be made twice. */
static bool fits(const struct orr_cache *cache, const struct entry *entry, const struct orr_shared *value)
{
    return cost_with(entry, value) <= cache->figures.limit;
}

/* Moves a made entry to a list for free_all(): freeing a large analysis takes long, and other threads should not wait
 * for it. */
static void drop(struct orr_cache *cache, struct entry *entry, struct entry **dropped)
{
    orr_index_remove(&cache->index, entry->hash, (uintptr_t)entry);
    unlink_use(cache, entry);
    cache->figures.bytes -= cost_of(entry);
    cache->figures.entries--;
    entry->older = *dropped;
    *dropped = entry;
}

/* Call it without the lock. */
static void free_all(struct entry *dropped)
{
    for (struct entry *next; dropped; dropped = next) {
        next = dropped->older;
        orr_shared_give(dropped->value);
        free(dropped);
    }
}

void orr_cache_free(struct orr_cache *cache)
{
    struct entry *dropped = NULL;
    if (!cache)
        return;
    while (cache->oldest)
        drop(cache, cache->oldest, &dropped);
    free_all(dropped);
    orr_index_release(&cache->index);
    pthread_cond_destroy(&cache->made);
    pthread_mutex_destroy(&cache->lock);
    free(cache);
}

static struct entry *new_entry(const char *key, uint64_t hash)
{
    size_t size = strlen(key) + 1;
    struct entry *entry = calloc(1, sizeof *entry + size);
    if (entry) {
        memcpy(entry->key, key, size);
        entry->hash = hash;
        entry->maker = pthread_self();
    }
    return entry;
}

/* Adds an entry, which may be NULL; false if memory ran out, and the entry was freed. */
static bool add_entry(struct orr_cache *cache, struct entry *entry)
{
    if (entry && orr_index_add(&cache->index, entry->hash, (uintptr_t)entry))
        return true;
    free(entry);
    return false;
}

/* A new reference to a made entry's value, which becomes the newest. */
static struct orr_shared *use(struct orr_cache *cache, struct entry *entry)
{
    cache->figures.hits++;
    if (cache->newest != entry) {
        unlink_use(cache, entry);
        link_newest(cache, entry);
    }
    return orr_shared_take(entry->value);
}

bool orr_cache_has(struct orr_cache *cache, const char *key)
{
    uint64_t hash = hash_of(key);
    pthread_mutex_lock(&cache->lock);
    const struct entry *entry = find_entry(cache, key, hash);
    bool has = entry && entry->value;
    pthread_mutex_unlock(&cache->lock);
    return has;
}

struct orr_shared *orr_cache_peek(struct orr_cache *cache, const char *key)
{
    uint64_t hash = hash_of(key);
    pthread_mutex_lock(&cache->lock);
    struct entry *entry = find_entry(cache, key, hash);
    struct orr_shared *value = entry && entry->value ? use(cache, entry) : NULL;
    pthread_mutex_unlock(&cache->lock);
    return value;
}

struct orr_shared *orr_cache_begin(struct orr_cache *cache, const char *key)
{
    uint64_t hash = hash_of(key);
    struct orr_shared *value = NULL;
    pthread_mutex_lock(&cache->lock);
    for (;;) {
        struct entry *entry = find_entry(cache, key, hash);
        if (!entry) {
            /* Without memory to record that a value is being made, each thread makes its own. */
            add_entry(cache, new_entry(key, hash));
            cache->figures.misses++;
            break;
        }
        if (entry->value) {
            value = use(cache, entry);
            break;
        }
        if (orr_budget_check(NULL) != ORR_OK)
            break;
        orr_clock_wait(&cache->made, &cache->lock, orr_clock_ms() + LOOK_MS);
    }
    pthread_mutex_unlock(&cache->lock);
    return value;
}

/* Gives an entry of the table its value, and makes room for it. */
static void fill_entry(struct orr_cache *cache, struct entry *entry, struct orr_shared *value, struct entry **dropped)
{
    entry->value = orr_shared_take(value);
    link_newest(cache, entry);
    cache->figures.bytes += cost_of(entry);
    cache->figures.entries++;
    while (cache->figures.bytes > cache->figures.limit && cache->oldest != entry) {
        drop(cache, cache->oldest, dropped);
        cache->figures.evictions++;
    }
}

void orr_cache_also(struct orr_cache *cache, const char *key, const char *further, struct orr_shared *value)
{
    uint64_t hash = hash_of(further);
    struct entry *entry = new_entry(further, hash), *dropped = NULL;
    if (!entry)
        return;
    pthread_mutex_lock(&cache->lock);
    const struct entry *kept = find_entry(cache, key, hash_of(key));
    if (!kept || !kept->value || find_entry(cache, further, hash) || !fits(cache, entry, value))
        free(entry);
    else if (add_entry(cache, entry))
        fill_entry(cache, entry, value, &dropped);
    pthread_mutex_unlock(&cache->lock);
    free_all(dropped);
}

void orr_cache_end(struct orr_cache *cache, const char *key, struct orr_shared *value)
{
    uint64_t hash = hash_of(key);
    pthread_mutex_lock(&cache->lock);
    struct entry *entry = find_entry(cache, key, hash), *dropped = NULL;
    if (entry && !entry->value && pthread_equal(entry->maker, pthread_self())) {
        if (value && !orr_budget_spent(0) && !entry->forgotten && fits(cache, entry, value)) {
            fill_entry(cache, entry, value, &dropped);
        } else {
            orr_index_remove(&cache->index, hash, (uintptr_t)entry);
            free(entry);
        }
        pthread_cond_broadcast(&cache->made);
    }
    pthread_mutex_unlock(&cache->lock);
    free_all(dropped);
}

void orr_cache_forget(struct orr_cache *cache, const char *prefix)
{
    size_t length = strlen(prefix);
    struct entry *dropped = NULL;
    pthread_mutex_lock(&cache->lock);
    uintptr_t row = 0;
    for (size_t at = 0; orr_index_each(&cache->index, &at, &row);) {
        struct entry *entry = (struct entry *)row;
        if (strncmp(entry->key, prefix, length))
            continue;
        if (entry->value)
            drop(cache, entry, &dropped);
        else
            entry->forgotten = true;
    }
    pthread_mutex_unlock(&cache->lock);
    free_all(dropped);
}

void orr_cache_figures(struct orr_cache *cache, struct orr_cache_figures *ret_figures)
{
    pthread_mutex_lock(&cache->lock);
    *ret_figures = cache->figures;
    pthread_mutex_unlock(&cache->lock);
}
