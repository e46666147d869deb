/* SPDX-License-Identifier: Apache-2.0 */
/* Retention at work: a thread that looks once a minute, and soon after uploads, for dumps that are due. Uploads never
 * wait for it, and a pass is bounded; where more is due, the next pass follows after a breath. */
#include <stdio.h>
#include <stdlib.h>

#include "api/store/store_work.h"
#include "engine/base/clock.h"

struct expiry {
    int64_t now;
    int64_t until;
    uint32_t due, count; /* read, and deleted */
    char ids[ORR_EXPIRE_AT_ONCE][ORR_ID_LENGTH + 1];
};

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

static enum orr_code expire_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct expiry *expiry = context;
    const struct orr_store *store = session->store;
    const struct orr_cell kept = orr_int_cell(store->keep_count);
    expiry->due = expiry->count = 0;
    expiry->until = store->keep_ms ? expiry->now - store->keep_ms : 0;
    if (store->keep_count)
        ORR_TRY(orr_query(session, ORR_SQL_BEYOND, &kept, take_beyond, expiry, err));
    const struct orr_cell due[] = {orr_int_cell(expiry->until), orr_int_cell(ORR_EXPIRE_AT_ONCE)};
    ORR_TRY(orr_query(session, ORR_SQL_DUE, due, take_due, expiry, err));
    for (uint32_t i = 0; i < expiry->due; i++) {
        const struct orr_cell cells[] = {orr_text_cell(expiry->ids[i]), orr_int_cell(expiry->until)};
        int64_t changes;
        ORR_TRY(orr_run(session, ORR_SQL_EXPIRE, cells, &changes, err));
        if (changes)
            memmove(expiry->ids[expiry->count++], expiry->ids[i], sizeof expiry->ids[i]);
    }
    return ORR_OK;
}

enum orr_code orr_store_expire(struct orr_store *store, int64_t now, uint32_t *ret_count, struct orr_error *err)
{
    struct expiry expiry = {.now = now};
    enum orr_code code = orr_store_transact(store, ORR_STORE_EXPIRE, expire_work, &expiry, err);
    for (uint32_t i = 0; code == ORR_OK && store->on_expired && i < expiry.count; i++)
        store->on_expired(store->context, expiry.ids[i]);
    if (code == ORR_OK)
        *ret_count = expiry.count;
    return code;
}

struct orr_keeper {
    struct orr_store *store;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool ending, woken;
    pthread_t thread;
};

/* Sleeps until the time is over, the end, or (where it may be woken) an upload. The lock is held. */
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
        keeper->woken = false;
        pthread_mutex_unlock(&keeper->lock);
        enum orr_code code =
            orr_store_expire(keeper->store, orr_wall_ms(), &count, NULL); /* what fails now is tried again */
        pthread_mutex_lock(&keeper->lock);
        if (code != ORR_OK || count < ORR_EXPIRE_AT_ONCE)
            rest(keeper, MINUTE_MS, true);
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
        return orr_fail(err, ORR_IO, "the thread of retention could not be started");
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
