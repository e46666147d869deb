/* SPDX-License-Identifier: Apache-2.0 */
/* Retention: a thread that looks for dumps that are due, once a minute and soon after uploads. Uploads never wait for
 * it. A pass is bounded; if more dumps are due, the next pass follows after a short pause. A wrong clock must not empty
 * the store. So a jump of the wall clock does not move the time by which age is judged (orr_time_believed()), and at
 * most a tenth of the dumps is deleted for its age before something is uploaded again. A service that started with a
 * wrong clock, or that no longer gets uploads, keeps the rest. */
#include <stdio.h>
#include <stdlib.h>

#include "api/store/store_work.h"
#include "engine/base/clock.h"

enum { SHARE = 10 }; /* one part in this many of the stored dumps may be deleted for its age between two uploads */

struct expiry {
    int64_t now;
    int64_t until;         /* of the last upload that is due by number; earlier ones are due too */
    int64_t newest, whole; /* the newest upload, and how many are stored */
    uint32_t due, count;   /* read, and deleted */
    uint32_t by_age, most; /* deleted for their age, and how many of those a pass may read */
    char ids[ORR_EXPIRE_AT_ONCE][ORR_ID_LENGTH + 1];
};

int64_t orr_time_believed(struct orr_believed *believed, int64_t wall, int64_t boot)
{
    enum { HOUR_MS = 3600000 };
    const int64_t expected = believed->begun ? believed->wall + (boot - believed->boot) : wall;
    const bool agrees = wall - expected <= HOUR_MS && expected - wall <= HOUR_MS;
    *believed = (struct orr_believed){.begun = true, .wall = agrees ? wall : expected, .boot = boot};
    return wall < believed->wall ? wall : believed->wall;
}

static enum orr_code take_due(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct expiry *expiry = context;
    (void)err;
    if (expiry->due < ORR_EXPIRE_AT_ONCE)
        snprintf(expiry->ids[expiry->due++], sizeof expiry->ids[0], "%s", (const char *)cells[0].data);
    return ORR_OK;
}

static enum orr_code take_beyond(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct expiry *expiry = context;
    (void)err;
    if (cells[0].number > expiry->until)
        expiry->until = cells[0].number;
    return ORR_OK;
}

static enum orr_code take_number(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    (void)err;
    *(int64_t *)context = cells[0].number;
    return ORR_OK;
}

/* Deletes up to `most` that were not uploaded later than `until`. */
static enum orr_code expire_until(struct orr_session *session, struct expiry *expiry, int64_t until, uint32_t most,
                                  uint32_t *ret_count, struct orr_error *err)
{
    const struct orr_cell due[] = {orr_int_cell(until), orr_int_cell(most)};
    uint32_t from = expiry->due = expiry->count;
    *ret_count = 0;
    if (!most)
        return ORR_OK;
    ORR_TRY(orr_query(session, ORR_SQL_DUE, due, take_due, expiry, err));
    for (uint32_t i = from; i < expiry->due; i++) {
        const struct orr_cell cells[] = {orr_text_cell(expiry->ids[i]), orr_int_cell(until)};
        int64_t changes;
        ORR_TRY(orr_run(session, ORR_SQL_EXPIRE, cells, &changes, err));
        if (!changes)
            continue;
        ORR_TRY(orr_host_forget(session, expiry->ids[i], err));
        memmove(expiry->ids[expiry->count++], expiry->ids[i], sizeof expiry->ids[i]);
    }
    *ret_count = expiry->count - from;
    return ORR_OK;
}

static enum orr_code expire_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct expiry *expiry = context;
    const struct orr_store *store = session->store;
    const struct orr_cell kept = orr_int_cell(store->keep_count);
    uint32_t by_number;
    expiry->count = expiry->by_age = 0;
    expiry->until = 0;
    if (store->keep_count)
        ORR_TRY(orr_query(session, ORR_SQL_BEYOND, &kept, take_beyond, expiry, err));
    if (expiry->until)
        ORR_TRY(expire_until(session, expiry, expiry->until, ORR_EXPIRE_AT_ONCE, &by_number, err));
    if (!store->keep_ms)
        return ORR_OK;
    ORR_TRY(orr_query(session, ORR_SQL_NEWEST, NULL, take_number, &expiry->newest, err));
    ORR_TRY(orr_query(session, ORR_SQL_STORED, NULL, take_number, &expiry->whole, err));
    const struct orr_allowance *given = &store->allowance;
    const bool again = given->newest == expiry->newest + 1;
    const int64_t whole = again ? given->whole : expiry->whole;
    const int64_t left = (whole + SHARE - 1) / SHARE - (again ? given->taken : 0);
    const uint32_t room = ORR_EXPIRE_AT_ONCE - expiry->count;
    expiry->most = left <= 0 ? 0 : left < room ? (uint32_t)left : room;
    return expire_until(session, expiry, expiry->now - store->keep_ms, expiry->most, &expiry->by_age, err);
}

enum orr_code orr_store_expire(struct orr_store *store, int64_t now, uint32_t *ret_count, struct orr_error *err)
{
    struct expiry expiry = {.now = now};
    struct orr_allowance *given = &store->allowance;
    pthread_mutex_lock(&store->expiring);
    enum orr_code code = orr_store_transact(store, ORR_STORE_EXPIRE, expire_work, &expiry, err);
    if (code == ORR_OK && store->keep_ms && given->newest != expiry.newest + 1)
        *given = (struct orr_allowance){.newest = expiry.newest + 1, .whole = expiry.whole};
    given->taken += code == ORR_OK ? expiry.by_age : 0;
    pthread_mutex_unlock(&store->expiring);
    ORR_TRY(code);
    for (uint32_t i = 0; store->on_expired && i < expiry.count; i++)
        store->on_expired(store->context, expiry.ids[i]);
    *ret_count = expiry.count;
    if (expiry.count && store->driver->shrink)
        store->driver->shrink(store);
    return ORR_OK;
}

static enum orr_code due_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct expiry *expiry = context;
    const struct orr_store *store = session->store;
    const struct orr_cell kept = orr_int_cell(store->keep_count);
    expiry->until = store->keep_ms ? expiry->now - store->keep_ms : 0;
    if (store->keep_count)
        ORR_TRY(orr_query(session, ORR_SQL_BEYOND, &kept, take_beyond, expiry, err));
    const struct orr_cell until = orr_int_cell(expiry->until);
    ORR_TRY(orr_query(session, ORR_SQL_STORED, NULL, take_number, &expiry->whole, err));
    return orr_query(session, ORR_SQL_DUE_COUNT, &until, take_number, &expiry->newest, err);
}

enum orr_code orr_store_due(struct orr_store *store, int64_t now, int64_t *ret_due, int64_t *ret_stored,
                            struct orr_error *err)
{
    struct expiry expiry = {.now = now};
    ORR_TRY(orr_store_transact(store, ORR_STORE_LIST, due_work, &expiry, err));
    *ret_due = expiry.newest;
    *ret_stored = expiry.whole;
    return ORR_OK;
}

/* Shapes of topologies that were stored before shapes were. */

static enum orr_code shapeless_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct expiry *found = context;
    const struct orr_cell most = orr_int_cell(ORR_EXPIRE_AT_ONCE);
    found->due = 0;
    return orr_query(session, ORR_SQL_SHAPELESS, &most, take_due, found, err);
}

struct shaped {
    const char *id;
    char shape[ORR_DIGEST_LENGTH + 1];
};

static enum orr_code shape_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct shaped *shaped = context;
    const struct orr_cell cells[] = {orr_text_cell(shaped->id), orr_text_cell(shaped->shape)};
    ORR_TRY(orr_run(session, ORR_SQL_SHAPE, cells, NULL, err));
    return orr_run(session, ORR_SQL_HOST_SHAPE, cells, NULL, err);
}

/* Sets the shape of up to ORR_EXPIRE_AT_ONCE topologies that have none; *ret_count is their number. */
static enum orr_code give_shapes(struct orr_store *store, uint32_t *ret_count, struct orr_error *err)
{
    struct expiry found = {0};
    *ret_count = 0;
    ORR_TRY(orr_store_transact(store, ORR_STORE_LIST, shapeless_work, &found, err));
    for (uint32_t i = 0; i < found.due; i++) {
        struct shaped shaped = {.id = found.ids[i]};
        char *bytes = NULL;
        size_t length = 0;
        enum orr_code code = orr_store_read(store, shaped.id, &bytes, &length, err);
        if (code == ORR_STORE)
            return code;
        if (code != ORR_OK || !store->shape(bytes, length, shaped.shape)) /* damaged, so unlike any other */
            snprintf(shaped.shape, sizeof shaped.shape, "%s", shaped.id);
        free(bytes);
        ORR_TRY(orr_store_transact(store, ORR_STORE_UPDATE, shape_work, &shaped, err));
        ++*ret_count;
    }
    return ORR_OK;
}

struct orr_keeper {
    struct orr_store *store;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ending, woken;
    struct orr_believed time;
    pthread_t thread;
};

/* Sleeps until the time is over, the service ends, or (if it may be woken) something is uploaded. The caller holds the
 * lock. */
static void rest(struct orr_keeper *keeper, int64_t milliseconds, bool may_be_woken)
{
    int64_t until = orr_clock_ms() + milliseconds;
    while (!keeper->ending && !(may_be_woken && keeper->woken))
        if (!orr_clock_wait(&keeper->changed, &keeper->lock, until))
            return;
}

static void *keep(void *context)
{
    enum { MINUTE_MS = 60000, BREATH_MS = 500 };
    struct orr_keeper *keeper = context;
    pthread_mutex_lock(&keeper->lock);
    while (!keeper->ending) {
        uint32_t count = 0;
        struct orr_store *store = keeper->store;
        const bool keeps = store->keep_ms || store->keep_count;
        keeper->woken = false;
        pthread_mutex_unlock(&keeper->lock);
        const int64_t now = orr_time_believed(&keeper->time, orr_wall_ms(), orr_clock_boot_ms());
        /* A pass that fails is tried again. */
        enum orr_code code = store->shape ? give_shapes(store, &count, NULL) : ORR_OK;
        const bool shaped = code == ORR_OK && !count;
        if (shaped && keeps)
            code = orr_store_expire(store, now, &count, NULL);
        pthread_mutex_lock(&keeper->lock);
        if (code != ORR_OK || (shaped && count < ORR_EXPIRE_AT_ONCE))
            rest(keeper, MINUTE_MS, keeps);
        rest(keeper, BREATH_MS, false);
    }
    pthread_mutex_unlock(&keeper->lock);
    return NULL;
}

enum orr_code orr_keeper_start(struct orr_store *store, struct orr_error *err)
{
    struct orr_keeper *keeper = calloc(1, sizeof *keeper);
    ORR_NEED(keeper, err);
    keeper->store = store;
    pthread_mutex_init(&keeper->lock, NULL);
    pthread_cond_init(&keeper->changed, NULL);
    if (pthread_create(&keeper->thread, NULL, keep, keeper)) {
        pthread_cond_destroy(&keeper->changed);
        pthread_mutex_destroy(&keeper->lock);
        free(keeper);
        return orr_fail(err, ORR_IO, "the retention thread could not be started");
    }
    store->keeper = keeper;
    return ORR_OK;
}

void orr_keeper_stop(struct orr_keeper *keeper)
{
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->ending = true;
    pthread_cond_broadcast(&keeper->changed);
    pthread_mutex_unlock(&keeper->lock);
    pthread_join(keeper->thread, NULL);
    pthread_cond_destroy(&keeper->changed);
    pthread_mutex_destroy(&keeper->lock);
    free(keeper);
}

void orr_keeper_wake(struct orr_keeper *keeper)
{
    if (!keeper)
        return;
    pthread_mutex_lock(&keeper->lock);
    keeper->woken = true;
    pthread_cond_signal(&keeper->changed);
    pthread_mutex_unlock(&keeper->lock);
}
