/* SPDX-License-Identifier: Apache-2.0 */
#include "server/limits.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/index.h"

enum { SHARDS = 16, MOST = 4096, SWEEP_MS = 100 }; /* MOST clients a shard: 65536 in all */

struct entry {
    struct orr_client client;
    double left; /* requests that may come now */
    uint64_t seen_ms;
    uint64_t under_way;
};

struct shard {
    pthread_mutex_t lock;
    uint64_t swept_ms; /* when it was last full and was swept */
    struct orr_index entries;
};

struct orr_limits {
    struct orr_limits_options options;
    struct shard shards[SHARDS];
};

enum orr_code orr_limits_new(const struct orr_limits_options *options, struct orr_limits **ret_limits,
                             struct orr_error *err)
{
    *ret_limits = NULL;
    if (!options->rate && !options->under_way)
        return ORR_OK;
    struct orr_limits *limits = calloc(1, sizeof *limits);
    ORR_NEED(limits, err);
    limits->options = *options;
    if (!limits->options.burst)
        limits->options.burst = 2 * options->rate;
    for (int i = 0; i < SHARDS; i++)
        pthread_mutex_init(&limits->shards[i].lock, NULL);
    *ret_limits = limits;
    return ORR_OK;
}

void orr_limits_free(struct orr_limits *limits)
{
    if (!limits)
        return;
    for (int i = 0; i < SHARDS; i++) {
        uintptr_t row = 0;
        for (size_t at = 0; orr_index_each(&limits->shards[i].entries, &at, &row);)
            free((struct entry *)row);
        orr_index_release(&limits->shards[i].entries);
        pthread_mutex_destroy(&limits->shards[i].lock);
    }
    free(limits);
}

struct orr_client orr_client_of(const struct orr_address *address, const char *token_name)
{
    struct orr_client client;
    if (token_name && *token_name) {
        client.key[0] = UINT64_MAX; /* ff00::/8 is multicast, so this is never a client's address */
        client.key[1] = orr_hash_text(ORR_HASH_START, token_name);
        return client;
    }
    memcpy(client.key, address->bytes, sizeof client.key);
    if (client.key[0]) /* IPv6: the owner of one address usually has the whole /64 */
        client.key[1] = 0;
    return client;
}

/* Seeded, so that nobody can choose addresses that collide. */
static uint64_t hash_of(const struct orr_client *client)
{
    return orr_hash_key(orr_hash_seeded(), client->key, sizeof client->key);
}

static struct entry *find_entry(const struct shard *shard, uint64_t hash, const struct orr_client *client)
{
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&shard->entries, hash, &probe, &row);)
        if (!memcmp(&((struct entry *)row)->client, client, sizeof *client))
            return (struct entry *)row;
    return NULL;
}

/* NULL if the shard is full, or there is no memory. */
static struct entry *add_entry(struct shard *shard, uint64_t hash, const struct entry *like)
{
    struct entry *entry = shard->entries.count < MOST ? malloc(sizeof *entry) : NULL;
    if (!entry)
        return NULL;
    *entry = *like;
    if (orr_index_add(&shard->entries, hash, (uintptr_t)entry))
        return entry;
    free(entry);
    return NULL;
}

static void refill(const struct orr_limits *limits, struct entry *entry, uint64_t now_ms)
{
    if (now_ms > entry->seen_ms)
        entry->left += (double)(now_ms - entry->seen_ms) * (double)limits->options.rate / 1000;
    if (entry->left > (double)limits->options.burst)
        entry->left = (double)limits->options.burst;
    entry->seen_ms = now_ms;
}

/* Removes clients that have no request in flight and the same allowance as a new client. */
static void sweep(const struct orr_limits *limits, struct shard *shard, uint64_t now_ms)
{
    uintptr_t row = 0;
    for (size_t at = 0; orr_index_each(&shard->entries, &at, &row);) {
        struct entry *entry = (struct entry *)row;
        refill(limits, entry, now_ms);
        if (entry->under_way || entry->left < (double)limits->options.burst)
            continue;
        orr_index_remove(&shard->entries, hash_of(&entry->client), row);
        free(entry);
    }
}

static enum orr_denial take(const struct orr_limits *limits, struct entry *entry, uint64_t now_ms,
                            unsigned *ret_retry_after)
{
    const struct orr_limits_options *options = &limits->options;
    *ret_retry_after = 1;
    if (options->under_way && entry->under_way >= options->under_way)
        return ORR_DENIED_CLIENT;
    if (options->rate) {
        refill(limits, entry, now_ms);
        if (entry->left < 1) {
            *ret_retry_after += (unsigned)((1 - entry->left) / (double)options->rate);
            return ORR_DENIED_RATE;
        }
        entry->left -= 1;
    }
    entry->under_way++;
    return ORR_DENIED_NOT;
}

enum orr_denial orr_limits_enter(struct orr_limits *limits, const struct orr_client *client, uint64_t now_ms,
                                 unsigned *ret_retry_after)
{
    if (!limits)
        return ORR_DENIED_NOT;
    uint64_t hash = hash_of(client);
    struct shard *shard = &limits->shards[hash % SHARDS];
    enum orr_denial refusal = ORR_DENIED_RATE;
    *ret_retry_after = 1;
    pthread_mutex_lock(&shard->lock);
    if (shard->entries.count >= MOST && now_ms > shard->swept_ms + SWEEP_MS) {
        sweep(limits, shard, now_ms);
        shard->swept_ms = now_ms;
    }
    const struct entry fresh = {.client = *client, .left = (double)limits->options.burst, .seen_ms = now_ms};
    struct entry *entry = find_entry(shard, hash, client);
    entry = entry ? entry : add_entry(shard, hash, &fresh);
    if (entry)
        refusal = take(limits, entry, now_ms, ret_retry_after);
    pthread_mutex_unlock(&shard->lock);
    return refusal;
}

void orr_limits_leave(struct orr_limits *limits, const struct orr_client *client)
{
    if (!limits)
        return;
    uint64_t hash = hash_of(client);
    struct shard *shard = &limits->shards[hash % SHARDS];
    pthread_mutex_lock(&shard->lock);
    struct entry *entry = find_entry(shard, hash, client);
    if (entry)
        entry->under_way--;
    pthread_mutex_unlock(&shard->lock);
}
