/* SPDX-License-Identifier: Apache-2.0 */
/* Checks whether the store still has the subject of a call. */
#include <stdlib.h>
#include <string.h>

#include "api/http/call.h"
#include "engine/base/clock.h"

/* The time when the store last had a topology; cached like an answer, so that deleting drops it. */
struct stamp {
    struct orr_shared shared;
    _Atomic int64_t seen; /* monotonic milliseconds */
};

static void free_stamp(struct orr_shared *shared)
{
    free(shared);
}

/* Asks the store and keeps the result. stamp is NULL if the caller has begun to make one. */
static enum orr_code ask_store(struct orr_call *call, const char *key, struct stamp *stamp, int64_t now,
                               struct orr_error *err)
{
    enum orr_code code = call->route->flags & ORR_ROUTE_CLUSTER ? orr_store_cluster_has(call->app->store, call->id, err)
                                                                : orr_store_has(call->app->store, call->id, err);
    if (code == ORR_NOT_FOUND)
        orr_cache_forget(call->app->cache, call->id);
    if (stamp) {
        if (code == ORR_OK)
            atomic_store(&stamp->seen, now);
        return code;
    }
    struct stamp *made = code == ORR_OK ? calloc(1, sizeof *made) : NULL;
    if (made) {
        orr_shared_init(&made->shared, sizeof *made, free_stamp);
        atomic_init(&made->seen, now);
    }
    orr_cache_end(call->app->cache, key, made ? &made->shared : NULL);
    if (made)
        orr_shared_give(&made->shared);
    return code;
}

bool orr_seen_lately(int64_t seen)
{
    enum { BELIEVED_MS = 990 }; /* a second, by a clock that may be 10 ms behind */
    return seen && orr_clock_coarse_ms() - seen < BELIEVED_MS;
}

enum orr_code orr_call_exists(struct orr_call *call, bool may_ask, int64_t *ret_seen, struct orr_error *err)
{
    char key[ORR_ID_LENGTH + sizeof "|e"];
    memcpy(key, call->id, ORR_ID_LENGTH);
    memcpy(key + ORR_ID_LENGTH, "|e", sizeof "|e");
    struct orr_cache *cache = call->app->cache;
    struct stamp *stamp = (struct stamp *)(may_ask ? orr_cache_begin(cache, key) : orr_cache_peek(cache, key));
    int64_t seen = stamp ? atomic_load(&stamp->seen) : 0;
    bool fresh = orr_seen_lately(seen);
    enum orr_code code = ORR_OK;
    *ret_seen = fresh ? seen : may_ask ? orr_clock_coarse_ms() : 0;
    if (!fresh && may_ask)
        code = ask_store(call, key, stamp, *ret_seen, err);
    if (stamp)
        orr_shared_give(&stamp->shared);
    return code;
}
