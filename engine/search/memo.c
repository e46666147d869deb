/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/search/memo.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/index.h"
#include "engine/search/memo_state.h"

struct entry {
    size_t count; /* number of words of the key */
    uint32_t *words;
    struct orr_found_graphs found; /* its arrays, like the key, follow the entry in memory */
};

struct orr_search_memo {
    pthread_mutex_t lock;
    struct orr_index entries;
    size_t held, limit; /* bytes */
};

struct orr_search_memo *orr_search_memo_new(size_t limit)
{
    struct orr_search_memo *memo = calloc(1, sizeof *memo);
    if (!memo)
        return NULL;
    pthread_mutex_init(&memo->lock, NULL);
    memo->limit = limit;
    return memo;
}

void orr_search_memo_free(struct orr_search_memo *memo)
{
    if (!memo)
        return;
    uintptr_t row = 0;
    for (size_t at = 0; orr_index_each(&memo->entries, &at, &row);)
        free((struct entry *)row);
    orr_index_release(&memo->entries);
    pthread_mutex_destroy(&memo->lock);
    free(memo);
}

static uint64_t hash_of(const struct orr_search_key *key)
{
    return orr_hash_key(orr_hash_seeded(), key->words, key->count * sizeof *key->words);
}

static struct entry *find(const struct orr_search_memo *memo, const struct orr_search_key *key, uint64_t hash)
{
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&memo->entries, hash, &probe, &row);) {
        struct entry *entry = (struct entry *)row;
        if (entry->count == key->count && !memcmp(entry->words, key->words, key->count * sizeof *key->words))
            return entry;
    }
    return NULL;
}

static size_t gpus_of(const struct orr_trial *best, uint32_t n)
{
    return (size_t)best->channels * n;
}

bool orr_search_memo_find(struct orr_search_memo *memo, const struct orr_search_key *key, uint32_t n,
                          struct orr_arena *arena, struct orr_found_graphs *ret_found)
{
    bool whole = true;
    pthread_mutex_lock(&memo->lock);
    const struct entry *entry = find(memo, key, hash_of(key));
    if (entry)
        *ret_found = entry->found;
    pthread_mutex_unlock(&memo->lock); /* safe: an entry never changes and is never removed */
    for (int kind = 0; entry && kind < ORR_GRAPH_COUNT; kind++) {
        struct orr_trial *best = &ret_found->graphs[kind].best;
        const struct orr_trial *kept = &entry->found.graphs[kind].best;
        const size_t gpus = gpus_of(kept, n), nets = (size_t)kept->channels;
        best->gpus = ORR_NEW(arena, uint16_t, gpus);
        best->nets = orr_arena_alloc(arena, nets, sizeof *best->nets);
        whole = whole && best->gpus && best->nets;
        if (!whole)
            break;
        if (!nets)
            continue;
        memcpy(best->gpus, kept->gpus, gpus * sizeof *best->gpus);
        for (size_t c = 0; c < nets; c++)
            for (int end = 0; end < 2; end++)
                best->nets[c][end] = kept->nets[c][end] < 0 ? -1 : key->net_at[kept->nets[c][end]];
    }
    return entry && whole;
}

void orr_search_memo_keep(struct orr_search_memo *memo, const struct orr_search_key *key, uint32_t n,
                          const struct orr_found_graphs *found)
{
    size_t bytes = sizeof(struct entry) + key->count * sizeof *key->words;
    const uint64_t hash = hash_of(key);
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++)
        bytes += (size_t)found->graphs[kind].best.channels * (n * sizeof(uint16_t) + sizeof(int16_t[2]));
    pthread_mutex_lock(&memo->lock);
    struct entry *entry = NULL;
    if (bytes <= memo->limit - memo->held && !find(memo, key, hash))
        entry = malloc(bytes); /* kept beyond the request, so it is not drawn from its budget */
    if (entry) {
        *entry = (struct entry){.count = key->count, .words = (uint32_t *)(entry + 1), .found = *found};
        memcpy(entry->words, key->words, key->count * sizeof *key->words);
        char *at = (char *)(entry->words + key->count);
        for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
            struct orr_trial *best = &entry->found.graphs[kind].best;
            const size_t gpus = gpus_of(best, n) * sizeof *best->gpus,
                         nets = (size_t)best->channels * sizeof *best->nets;
            if (gpus)
                memcpy(at, best->gpus, gpus);
            best->gpus = (uint16_t *)(void *)at;
            at += gpus;
            if (nets)
                memcpy(at, best->nets, nets);
            best->nets = (int16_t(*)[2])(void *)at;
            at += nets;
        }
        if (orr_index_add(&memo->entries, hash, (uintptr_t)entry))
            memo->held += bytes;
        else
            free(entry);
    }
    pthread_mutex_unlock(&memo->lock);
}

enum orr_code orr_search_note_found(const struct orr_search_state *s, const struct orr_search_key *key,
                                    const struct orr_graph *graph, struct orr_arena *arena,
                                    struct orr_found_graph *found, struct orr_error *err)
{
    const struct orr_trial *best = &s->best;
    const size_t gpus = gpus_of(best, s->input.n), nets = (size_t)best->channels;
    *found = (struct orr_found_graph){.found = true, .best = *best, .steps = graph->steps, .story = graph->story};
    found->best.gpus = ORR_NEW(arena, uint16_t, gpus);
    found->best.nets = orr_arena_alloc(arena, nets, sizeof *best->nets);
    if (!found->best.gpus || !found->best.nets)
        return orr_fail_nomem(err);
    if (!nets)
        return ORR_OK;
    memcpy(found->best.gpus, best->gpus, gpus * sizeof *best->gpus);
    for (size_t c = 0; c < nets; c++) /* channels that stay in the host have no NICs: their `nets` are not set */
        for (int end = 0; end < 2; end++) {
            const bool has_net = s->input.inter && best->nets[c][end] >= 0;
            found->best.nets[c][end] = has_net ? key->net_number[best->nets[c][end]] : -1;
        }
    return ORR_OK;
}
