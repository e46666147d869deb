/* SPDX-License-Identifier: Apache-2.0 */
/* Runs every operation: in a transaction if it writes, again if two collided, counted and timed. */
#include "api/store/store_work.h"
#include "engine/base/budget.h"
#include "engine/base/clock.h"

static enum orr_code attempt(struct orr_store *store, bool writes, orr_store_work *work, void *context, bool *ret_again,
                             struct orr_error *err)
{
    const struct orr_store_driver *driver = store->driver;
    struct orr_session *session;
    *ret_again = false;
    ORR_TRY(driver->take(store, &session, err));
    session->again = false;
    enum orr_code code = writes ? driver->begin(session, err) : ORR_OK;
    if (code == ORR_OK) {
        code = work(session, context, err);
        if (writes && code == ORR_OK)
            code = driver->commit(session, err);
        if (writes &&
            code != ORR_OK) /* needed even if the commit failed, because a full disk leaves the transaction open */
            driver->rollback(session);
    }
    *ret_again = code != ORR_OK && session->again;
    driver->give(session);
    return code;
}

static enum orr_code repeat(struct orr_store *store, bool writes, bool frees, orr_store_work *work, void *context,
                            struct orr_error *err)
{
    enum { ATTEMPTS = 16, PAUSE_MS = 2 };
    for (unsigned i = 1;; i++) {
        struct orr_error why = {0};
        bool again;
        enum orr_code code = attempt(store, writes, work, context, &again, &why);
        if (code == ORR_STORE && frees && store->driver->relieve && store->driver->relieve(store)) {
            frees = false;
            why = (struct orr_error){0};
            code = attempt(store, writes, work, context, &again, &why);
        }
        if (code == ORR_OK)
            return ORR_OK;
        if (!again || i == ATTEMPTS) {
            if (err && err->code == ORR_OK)
                *err = why;
            return code;
        }
        /* Two threads that collided must not pause for the same time and collide again. */
        orr_clock_sleep((int64_t)i * PAUSE_MS + (int64_t)(orr_clock_ns() % (PAUSE_MS + 1)));
    }
}

/* A failed write is remembered until something was stored, or until readiness could write some time later: a small
 * write may succeed on a disk that is too full for an upload. */
static void note_write(struct orr_store *store, enum orr_store_operation operation, enum orr_code code)
{
    enum { FAILS = 1, HEALS = 2 };
    static const int says[ORR_STORE_OPERATION_COUNT] = {[ORR_STORE_PUT] = FAILS | HEALS,
                                                        [ORR_STORE_UPDATE] = FAILS | HEALS,
                                                        [ORR_STORE_DELETE] = FAILS,
                                                        [ORR_STORE_EXPIRE] = FAILS,
                                                        [ORR_STORE_CHECK] = HEALS};
    if (code == ORR_STORE && says[operation] & FAILS)
        atomic_store(&store->write_failed, orr_clock_ms());
    else if (code == ORR_OK && says[operation] & HEALS)
        atomic_store(&store->write_failed, 0);
}

enum orr_code orr_store_transact(struct orr_store *store, enum orr_store_operation operation, orr_store_work *work,
                                 void *context, struct orr_error *err)
{
    static const bool reads[ORR_STORE_OPERATION_COUNT] = {
        [ORR_STORE_GET] = true, [ORR_STORE_HAS] = true, [ORR_STORE_READ] = true, [ORR_STORE_LIST] = true};
    const bool apart = operation == ORR_STORE_EXPIRE; /* in a thread of its own */
    const bool frees = operation == ORR_STORE_EXPIRE || operation == ORR_STORE_DELETE;
    if (!reads[operation])
        ORR_TRY(orr_budget_settle(err));
    uint64_t since = orr_clock_ns();
    enum orr_code code = apart ? ORR_OK : orr_door_enter(&store->door, err);
    if (code == ORR_OK) {
        code = repeat(store, !reads[operation], frees, work, context, err);
        if (!apart)
            orr_door_leave(&store->door);
        note_write(store, operation, code);
    }
    if (store->on_done)
        store->on_done(store->context, operation, orr_clock_ns() - since, code);
    return code;
}

enum orr_code orr_store_no_such(struct orr_error *err, const char *id)
{
    return orr_fail_with(err, ORR_NOT_FOUND, NULL, "GET /v1/topologies lists those that are stored",
                         "there is no topology %.32s", id);
}
