/* SPDX-License-Identifier: Apache-2.0 */
/* The store on a PostgreSQL server, or one that speaks its protocol: a pool of connections, each with its own prepared
 * statements. Nothing waits forever. Connecting is limited by connect_timeout (5 s unless the URL says otherwise), and
 * a statement by the server's statement_timeout. This side stops waiting two seconds later, in case the server has
 * vanished without a word. A failed connection is closed, and the next unit of work opens another, so the server may go
 * away and come back. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/clock.h"

#include "api/store/store_postgresql.h"

enum { INT8_OID = 20, TEXT_OID = 25, BYTEA_OID = 17, MOST_CONNECTIONS = 256, REFUSAL_MS = 1000 };

static void silence(void *context, const PGresult *notice)
{
    (void)context;
    (void)notice; /* such as "already exists, skipping" */
}

static enum orr_code connect_session(struct orr_pg_store *store, struct orr_pg_session *session, struct orr_error *err)
{
    /* The URL overrides what comes before dbname, but not what comes after it. */
    char silent_ms[16], settings[128], why[160];
    const char *const names[] = {"connect_timeout", "tcp_user_timeout", "fallback_application_name",
                                 "dbname",          "client_encoding",  NULL};
    const char *const values[] = {"5", silent_ms, "orrery", store->url, "UTF8", NULL};
    snprintf(silent_ms, sizeof silent_ms, "%u", store->timeout_ms + ORR_PG_SLACK_MS);
    memset(session, 0, sizeof *session);
    session->session.store = &store->store;
    session->connection = PQconnectdbParams(names, values, 1);
    ORR_NEED(session->connection, err);
    if (PQstatus(session->connection) != CONNECTION_OK) {
        orr_pg_say(why, sizeof why, PQerrorMessage(session->connection));
        PQfinish(session->connection);
        session->connection = NULL;
        return orr_fail_with(err, ORR_STORE, NULL, "try again shortly; GET /readyz says when the database is back",
                             "the database cannot be reached: %s", why);
    }
    PQsetNoticeReceiver(session->connection, silence, NULL);
    /* Compiling a statement takes longer than it saves. Servers older than 11 do not know the setting. */
    snprintf(settings, sizeof settings,
             "SET statement_timeout = %u;"
             "SELECT set_config(name, 'off', false) FROM pg_settings WHERE name = 'jit'",
             store->timeout_ms);
    enum orr_code code = orr_pg_execute(session, settings, store->timeout_ms, err);
    if (code != ORR_OK && session->connection) {
        PQfinish(session->connection);
        session->connection = NULL;
    }
    return code;
}

static void free_session(struct orr_pg_session *session)
{
    PQfinish(session->connection);
    free(session);
}

/* Waits for a session to come back, but not longer than a statement may take. The caller holds the lock. */
static enum orr_code wait_for_idle(struct orr_pg_store *store, struct orr_error *err)
{
    int64_t until = orr_clock_ms() + (int64_t)store->timeout_ms;
    while (!store->idle && store->open >= store->most)
        if (!orr_clock_wait(&store->changed, &store->lock, until)) {
            return orr_fail_with(err, ORR_STORE, NULL, "try again shortly; --database-connections allows more",
                                 "all %u connections to the database are busy", store->most);
        }
    return ORR_OK;
}

static enum orr_code pg_take(struct orr_store *base, struct orr_session **ret_session, struct orr_error *err)
{
    struct orr_pg_store *store = (struct orr_pg_store *)base;
    struct orr_pg_session *session = NULL;
    pthread_mutex_lock(&store->lock);
    enum orr_code code = wait_for_idle(store, err);
    if (code == ORR_OK && store->idle) {
        session = store->idle;
        store->idle = session->next;
    } else if (code == ORR_OK && store->refused_at && orr_clock_ms() - store->refused_at < REFUSAL_MS) {
        /* Connecting failed a moment ago, so not every caller has to try. */
        if (err)
            *err = store->refusal;
        code = ORR_STORE;
    } else if (code == ORR_OK) {
        store->open++;
    }
    pthread_mutex_unlock(&store->lock);
    ORR_TRY(code);
    if (!session) {
        struct orr_error why = {0};
        session = malloc(sizeof *session);
        code = session ? connect_session(store, session, &why) : orr_fail_nomem(&why);
        pthread_mutex_lock(&store->lock);
        store->refused_at = code == ORR_STORE ? orr_clock_ms() : 0;
        if (code != ORR_OK) {
            store->refusal = why;
            store->open--;
            pthread_cond_signal(&store->changed);
        }
        pthread_mutex_unlock(&store->lock);
        if (code != ORR_OK) {
            free(session);
            if (err)
                *err = why;
            return code;
        }
    }
    *ret_session = &session->session;
    return ORR_OK;
}

static void pg_give(struct orr_session *base)
{
    struct orr_pg_session *session = (struct orr_pg_session *)base, *stale = NULL;
    struct orr_pg_store *store = orr_pg_store_of(session);
    bool whole = session->connection && PQstatus(session->connection) == CONNECTION_OK &&
                 PQtransactionStatus(session->connection) == PQTRANS_IDLE;
    pthread_mutex_lock(&store->lock);
    if (whole) {
        session->next = store->idle;
        store->idle = session;
    } else { /* if one connection was lost, the idle ones were probably lost with it */
        stale = store->idle;
        store->idle = NULL;
        store->open--;
        for (struct orr_pg_session *at = stale; at; at = at->next)
            store->open--;
        session->next = stale;
        stale = session;
    }
    pthread_cond_broadcast(&store->changed);
    pthread_mutex_unlock(&store->lock);
    while (stale) {
        struct orr_pg_session *next = stale->next;
        free_session(stale);
        stale = next;
    }
}

static enum orr_code pg_begin(struct orr_session *base, struct orr_error *err)
{
    struct orr_pg_session *session = (struct orr_pg_session *)base;
    return orr_pg_execute(session, "BEGIN", orr_pg_store_of(session)->timeout_ms, err);
}

static enum orr_code pg_commit(struct orr_session *base, struct orr_error *err)
{
    struct orr_pg_session *session = (struct orr_pg_session *)base;
    struct orr_error why = {0};
    enum orr_code code = orr_pg_execute(session, "COMMIT", orr_pg_store_of(session)->timeout_ms, &why);
    if (code == ORR_OK)
        return ORR_OK;
    if (!session->connection) { /* it is unknown whether the change was kept */
        session->session.again = false;
        return orr_fail(err, ORR_STORE, "the connection to the database was lost while a change was being confirmed");
    }
    if (err && err->code == ORR_OK)
        *err = why;
    return code;
}

static void pg_rollback(struct orr_session *base)
{
    struct orr_pg_session *session = (struct orr_pg_session *)base;
    bool again = session->session.again; /* a failure here is not the one that ended the work */
    enum orr_code code =
        session->connection ? orr_pg_execute(session, "ROLLBACK", orr_pg_store_of(session)->timeout_ms, NULL) : ORR_OK;
    session->session.again = again && (code == ORR_OK || code == ORR_STORE);
}

static Oid type_of(char kind)
{
    return kind == 'i' ? INT8_OID : kind == 'b' ? BYTEA_OID : TEXT_OID;
}

/* Statements whose best plan depends on how many topologies have a label or contain a text: they are planned for the
 * values each time. A prepared one would soon keep a plan for any values, which takes twice as long for common ones. */
static const bool is_planned_anew[ORR_SQL_COUNT] = {[ORR_SQL_LIST_FOUND] = true,
                                                    [ORR_SQL_LIST_LABELLED] = true,
                                                    [ORR_SQL_MEMBERS_FOUND] = true,
                                                    [ORR_SQL_MEMBERS_LABELLED] = true};

static enum orr_code prepare(struct orr_pg_session *session, enum orr_statement which, const Oid *types, int count,
                             struct orr_error *err)
{
    const struct orr_statement_info *info = &orr_statements[which];
    PGresult *result = NULL;
    if (!PQsendPrepare(session->connection, info->name, info->sql, count, types))
        return orr_pg_lost(session, PQerrorMessage(session->connection), err);
    ORR_TRY(
        orr_pg_wait(session, orr_clock_ms() + orr_pg_store_of(session)->timeout_ms + ORR_PG_SLACK_MS, &result, err));
    PQclear(result);
    session->prepared[which] = true;
    return ORR_OK;
}

static int64_t read_integer(const unsigned char *bytes, int length)
{
    uint64_t value = length && bytes[0] & 0x80 ? UINT64_MAX : 0; /* network order, two's complement */
    for (int i = 0; i < length; i++)
        value = value << 8 | bytes[i];
    return (int64_t)value;
}

static enum orr_code read_rows(const PGresult *result, orr_row_reader *read, void *context, struct orr_error *err)
{
    int columns = PQnfields(result) < ORR_MOST_CELLS ? PQnfields(result) : ORR_MOST_CELLS;
    for (int row = 0; row < PQntuples(result); row++) {
        struct orr_cell cells[ORR_MOST_CELLS] = {{.kind = ORR_CELL_NULL}};
        for (int i = 0; i < columns; i++) {
            if (PQgetisnull(result, row, i))
                continue;
            Oid type = PQftype(result, i);
            cells[i].data = PQgetvalue(result, row, i); /* libpq puts a zero after it */
            cells[i].length = (size_t)PQgetlength(result, row, i);
            cells[i].kind = type == BYTEA_OID ? ORR_CELL_BYTES : type == INT8_OID ? ORR_CELL_INT : ORR_CELL_TEXT;
            if (type == INT8_OID)
                cells[i].number = read_integer(cells[i].data, (int)cells[i].length);
        }
        ORR_TRY(read(context, cells, err));
    }
    return ORR_OK;
}

static enum orr_code pg_run(struct orr_session *base, enum orr_statement which, const struct orr_cell *cells,
                            orr_row_reader *read, void *context, int64_t *ret_changes, struct orr_error *err)
{
    struct orr_pg_session *session = (struct orr_pg_session *)base;
    const char *values[ORR_MOST_CELLS];
    int lengths[ORR_MOST_CELLS], formats[ORR_MOST_CELLS], count = 0;
    Oid types[ORR_MOST_CELLS];
    char numbers[ORR_MOST_CELLS][24];
    PGresult *result = NULL;
    if (!session->connection)
        return orr_fail(err, ORR_STORE, "the connection to the database was lost");
    for (; orr_statements[which].kinds[count]; count++) {
        const struct orr_cell *cell = &cells[count];
        types[count] = type_of(orr_statements[which].kinds[count]);
        formats[count] = cell->kind == ORR_CELL_BYTES;
        lengths[count] = (int)cell->length; /* used for bytes only, because texts end with a zero */
        values[count] = cell->kind == ORR_CELL_NULL ? NULL : cell->data;
        if (cell->kind == ORR_CELL_INT) {
            snprintf(numbers[count], sizeof numbers[count], "%lld", (long long)cell->number);
            values[count] = numbers[count];
        }
    }
    if (!is_planned_anew[which] && !session->prepared[which])
        ORR_TRY(prepare(session, which, types, count, err));
    const struct orr_statement_info *info = &orr_statements[which];
    const int sent = is_planned_anew[which]
                         ? PQsendQueryParams(session->connection, info->sql, count, types, values, lengths, formats, 1)
                         : PQsendQueryPrepared(session->connection, info->name, count, values, lengths, formats, 1);
    if (!sent)
        return orr_pg_lost(session, PQerrorMessage(session->connection), err);
    ORR_TRY(
        orr_pg_wait(session, orr_clock_ms() + orr_pg_store_of(session)->timeout_ms + ORR_PG_SLACK_MS, &result, err));
    enum orr_code code = read ? read_rows(result, read, context, err) : ORR_OK;
    if (code == ORR_OK && ret_changes)
        *ret_changes = strtoll(PQcmdTuples(result), NULL, 10);
    PQclear(result);
    return code;
}

/* Locking a row for writing is refused by a standby and by a disk that is full. */
static enum orr_code pg_check(struct orr_session *base, struct orr_error *err)
{
    struct orr_pg_session *session = (struct orr_pg_session *)base;
    return orr_pg_execute(session, "SELECT version FROM orrery_schema WHERE id = 1 FOR UPDATE",
                          orr_pg_store_of(session)->timeout_ms, err);
}

static void pg_close(struct orr_store *base)
{
    struct orr_pg_store *store = (struct orr_pg_store *)base;
    while (store->idle) {
        struct orr_pg_session *next = store->idle->next;
        free_session(store->idle);
        store->idle = next;
    }
    pthread_cond_destroy(&store->changed);
    pthread_mutex_destroy(&store->lock);
    free(store->url);
    free(store);
}

static const struct orr_store_driver driver = {
    .name = "postgresql",
    .close = pg_close,
    .take = pg_take,
    .give = pg_give,
    .begin = pg_begin,
    .commit = pg_commit,
    .rollback = pg_rollback,
    .run = pg_run,
    .check = pg_check,
};

static enum orr_code migrate(struct orr_pg_store *store, struct orr_error *err)
{
    enum { ATTEMPTS = 20, PAUSE_MS = 50 };
    for (int i = 1;; i++) {
        struct orr_session *taken;
        struct orr_error why = {0};
        ORR_TRY(pg_take(&store->store, &taken, err));
        struct orr_pg_session *session = (struct orr_pg_session *)taken;
        taken->again = false;
        enum orr_code code = orr_pg_migrate(session, &why);
        bool again = taken->again;
        if (code != ORR_OK && session->connection) { /* in an unknown state, so it does not return to the pool */
            PQfinish(session->connection);
            session->connection = NULL;
        }
        pg_give(taken);
        if (code == ORR_OK)
            return ORR_OK;
        if (!again || i == ATTEMPTS) {
            if (err && err->code == ORR_OK)
                *err = why;
            return code;
        }
        orr_clock_sleep(PAUSE_MS);
    }
}

enum orr_code orr_store_postgresql_open(const char *url, const struct orr_store_options *options,
                                        struct orr_store **ret_store, struct orr_error *err)
{
    struct orr_pg_store *store = calloc(1, sizeof *store);
    ORR_NEED(store, err);
    store->store.driver = &driver;
    store->timeout_ms = options->timeout_ms;
    store->most = options->connections < MOST_CONNECTIONS ? options->connections : MOST_CONNECTIONS;
    store->url = strdup(url);
    pthread_mutex_init(&store->lock, NULL);
    pthread_cond_init(&store->changed, NULL);
    enum orr_code code = store->url ? migrate(store, err) : orr_fail_nomem(err);
    if (code != ORR_OK) {
        pg_close(&store->store);
        return code;
    }
    if (store->idle) {
        const PGconn *connection = store->idle->connection;
        snprintf(store->store.place, sizeof store->store.place, "postgresql://%s:%s/%s", PQhost(connection),
                 PQport(connection), PQdb(connection));
    }
    *ret_store = &store->store;
    return ORR_OK;
}
