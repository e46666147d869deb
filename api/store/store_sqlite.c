/* The store in one SQLite file: WAL, synchronous=FULL, statements prepared once, schema changes by user_version.
 * One connection behind one lock: what happens under it takes microseconds, except the flush of a write. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/store/store_driver.h"

#define COLUMNS "id, digest, created, updated, size, name, labels"

/* Each brings the schema from the version that is its index to the next. Never change one that was released. */
static const char *const migrations[] = {
    "CREATE TABLE topology ("
    " id TEXT PRIMARY KEY NOT NULL,"
    " digest TEXT NOT NULL,"
    " created INTEGER NOT NULL,"
    " updated INTEGER NOT NULL,"
    " size INTEGER NOT NULL,"
    " name TEXT NOT NULL,"
    " labels TEXT NOT NULL,"
    " body BLOB NOT NULL"
    ") WITHOUT ROWID;"
    "CREATE INDEX topology_by_time ON topology (created DESC, id DESC);",
};
enum { VERSION = sizeof migrations / sizeof migrations[0] };

#define STATEMENT_MAP(X)                                                                                               \
    X(INSERT, "INSERT INTO topology (" COLUMNS ", body) VALUES (?1, ?2, ?3, ?3, ?4, ?5, ?6, ?7)"                       \
              " ON CONFLICT (id) DO NOTHING")                                                                          \
    X(GET, "SELECT " COLUMNS " FROM topology WHERE id = ?1")                                                           \
    X(READ, "SELECT body, size FROM topology WHERE id = ?1")                                                           \
    X(LIST, "SELECT " COLUMNS " FROM topology"                                                                         \
            " WHERE (?1 = 0 OR (created, id) < (?1, ?2))"                                                              \
            " AND (?3 IS NULL OR name LIKE ?3 ESCAPE '\\' OR labels LIKE ?3 ESCAPE '\\' OR id LIKE ?3 ESCAPE '\\')"    \
            " ORDER BY created DESC, id DESC LIMIT ?4")                                                                \
    X(UPDATE, "UPDATE topology SET name = coalesce(?2, name), labels = coalesce(?3, labels), updated = ?4"             \
              " WHERE id = ?1")                                                                                        \
    X(DELETE, "DELETE FROM topology WHERE id = ?1")                                                                    \
    X(BEGIN, "BEGIN IMMEDIATE")                                                                                        \
    X(ROLLBACK, "ROLLBACK")

enum statement {
#define X(name, sql) STATEMENT_##name,
    STATEMENT_MAP(X)
#undef X
        STATEMENT_COUNT
};

static const char *const statement_texts[STATEMENT_COUNT] = {
#define X(name, sql) [STATEMENT_##name] = sql,
    STATEMENT_MAP(X)
#undef X
};

struct sqlite_store {
    struct orr_store store;
    sqlite3 *database;
    sqlite3_stmt *statements[STATEMENT_COUNT];
    pthread_mutex_t lock;
};

static enum orr_code database_error(sqlite3 *database, const char *doing, struct orr_error *err)
{
    int code = sqlite3_extended_errcode(database) & 0xff;
    if (code == SQLITE_NOMEM)
        return orr_fail_nomem(err);
    orr_fail(err, ORR_STORE, "%s: %.160s", doing, sqlite3_errmsg(database));
    if (code == SQLITE_FULL || code == SQLITE_IOERR)
        orr_error_advice(err, "the disk is full or failing: make room, then try again");
    else if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN)
        orr_error_advice(err, "give a path that this user may write to with --database");
    return ORR_STORE;
}

static sqlite3_stmt *take(struct sqlite_store *store, enum statement statement)
{
    pthread_mutex_lock(&store->lock);
    return store->statements[statement];
}

static void give(struct sqlite_store *store, sqlite3_stmt *statement)
{
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    pthread_mutex_unlock(&store->lock);
}

static bool bind_text(sqlite3_stmt *statement, int at, const char *text)
{
    return sqlite3_bind_text(statement, at, text, -1, SQLITE_STATIC) == SQLITE_OK;
}

static char *column_copy(sqlite3_stmt *statement, int column)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    return text ? strdup((const char *)text) : NULL;
}

static void column_fixed(sqlite3_stmt *statement, int column, char *target, size_t size)
{
    const unsigned char *text = sqlite3_column_text(statement, column);
    snprintf(target, size, "%s", text ? (const char *)text : "");
}

static bool read_record(sqlite3_stmt *statement, struct orr_record *record)
{
    memset(record, 0, sizeof *record);
    column_fixed(statement, 0, record->id, sizeof record->id);
    column_fixed(statement, 1, record->digest, sizeof record->digest);
    record->created = sqlite3_column_int64(statement, 2);
    record->updated = sqlite3_column_int64(statement, 3);
    record->size = sqlite3_column_int64(statement, 4);
    record->name = column_copy(statement, 5);
    record->labels = column_copy(statement, 6);
    if (record->name && record->labels)
        return true;
    orr_record_release(record);
    return false;
}

static enum orr_code sqlite_get(struct orr_store *base, const char *id, struct orr_record *ret_record,
                                struct orr_error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    sqlite3_stmt *statement = take(store, STATEMENT_GET);
    enum orr_code code = ORR_OK;
    int step = bind_text(statement, 1, id) ? sqlite3_step(statement) : SQLITE_ERROR;
    if (step == SQLITE_ROW) {
        struct orr_record record;
        if (read_record(statement, &record))
            *ret_record = record;
        else
            code = orr_fail_nomem(err);
    } else if (step == SQLITE_DONE) {
        code = orr_store_no_such(err, id);
    } else {
        code = database_error(store->database, "looking a topology up", err);
    }
    give(store, statement);
    return code;
}

static enum orr_code sqlite_put(struct orr_store *base, const struct orr_record *record, const void *body,
                                size_t length, bool *ret_existed, struct orr_error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    sqlite3_stmt *statement = take(store, STATEMENT_INSERT);
    enum orr_code code = ORR_OK;
    int changes = 0;
    if (!bind_text(statement, 1, record->id) || !bind_text(statement, 2, record->digest) ||
        sqlite3_bind_int64(statement, 3, record->created) != SQLITE_OK ||
        sqlite3_bind_int64(statement, 4, record->size) != SQLITE_OK || !bind_text(statement, 5, record->name) ||
        !bind_text(statement, 6, record->labels) ||
        sqlite3_bind_blob64(statement, 7, body, length, SQLITE_STATIC) != SQLITE_OK ||
        sqlite3_step(statement) != SQLITE_DONE)
        code = database_error(store->database, "storing a topology", err);
    else
        changes = sqlite3_changes(store->database);
    give(store, statement);
    if (code != ORR_OK)
        return code;
    if (!changes) {
        struct orr_record there;
        ORR_TRY(sqlite_get(base, record->id, &there, err));
        bool same = !strcmp(there.digest, record->digest);
        orr_record_release(&there);
        if (!same)
            return orr_fail(err, ORR_INTERNAL, "two different topologies have the id %s", record->id);
    }
    *ret_existed = !changes;
    return ORR_OK;
}

static enum orr_code sqlite_read(struct orr_store *base, const char *id, void **ret_body, size_t *ret_length,
                                 size_t *ret_size, struct orr_error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    sqlite3_stmt *statement = take(store, STATEMENT_READ);
    enum orr_code code = ORR_OK;
    int step = bind_text(statement, 1, id) ? sqlite3_step(statement) : SQLITE_ERROR;
    if (step == SQLITE_ROW) {
        const void *blob = sqlite3_column_blob(statement, 0);
        size_t length = (size_t)sqlite3_column_bytes(statement, 0);
        void *body = blob ? malloc(length) : NULL;
        if (body) {
            memcpy(body, blob, length);
            *ret_body = body;
            *ret_length = length;
            *ret_size = (size_t)sqlite3_column_int64(statement, 1);
        } else {
            code = orr_fail_nomem(err);
        }
    } else if (step == SQLITE_DONE) {
        code = orr_store_no_such(err, id);
    } else {
        code = database_error(store->database, "reading a topology", err);
    }
    give(store, statement);
    return code;
}

/* The text between two % signs, with LIKE's own signs escaped; NULL: out of memory. */
static char *like_pattern(const char *search)
{
    char *pattern = malloc(strlen(search) * 2 + 3), *to = pattern;
    if (!pattern)
        return NULL;
    *to++ = '%';
    for (; *search; search++) {
        if (strchr("%_\\", *search))
            *to++ = '\\';
        *to++ = *search;
    }
    *to++ = '%';
    *to = 0;
    return pattern;
}

static enum orr_code sqlite_list(struct orr_store *base, const struct orr_listing *listing, struct orr_record *records,
                                 uint32_t *ret_count, struct orr_error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    char *pattern = listing->search ? like_pattern(listing->search) : NULL;
    if (listing->search && !pattern)
        return orr_fail_nomem(err);
    sqlite3_stmt *statement = take(store, STATEMENT_LIST);
    enum orr_code code = ORR_OK;
    uint32_t count = 0;
    int step = SQLITE_ERROR;
    if (sqlite3_bind_int64(statement, 1, listing->before_created) == SQLITE_OK &&
        (!listing->before_id || bind_text(statement, 2, listing->before_id)) &&
        (!pattern || bind_text(statement, 3, pattern)) && sqlite3_bind_int64(statement, 4, listing->limit) == SQLITE_OK)
        while ((step = sqlite3_step(statement)) == SQLITE_ROW && count < listing->limit) {
            if (!read_record(statement, &records[count])) {
                code = orr_fail_nomem(err);
                break;
            }
            count++;
        }
    if (code == ORR_OK && step != SQLITE_DONE && step != SQLITE_ROW)
        code = database_error(store->database, "listing topologies", err);
    give(store, statement);
    free(pattern);
    if (code == ORR_OK)
        *ret_count = count;
    return code;
}

/* Runs a statement that changes one row. */
static enum orr_code change(struct sqlite_store *store, sqlite3_stmt *statement, bool bound, const char *id,
                            const char *doing, struct orr_error *err)
{
    enum orr_code code = ORR_OK;
    if (!bound || sqlite3_step(statement) != SQLITE_DONE)
        code = database_error(store->database, doing, err);
    else if (!sqlite3_changes(store->database))
        code = orr_store_no_such(err, id);
    give(store, statement);
    return code;
}

static enum orr_code sqlite_update(struct orr_store *base, const char *id, const char *name, const char *labels,
                                   int64_t updated, struct orr_error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    sqlite3_stmt *statement = take(store, STATEMENT_UPDATE);
    bool bound = bind_text(statement, 1, id) && bind_text(statement, 2, name) && bind_text(statement, 3, labels) &&
                 sqlite3_bind_int64(statement, 4, updated) == SQLITE_OK;
    return change(store, statement, bound, id, "changing a topology", err);
}

static enum orr_code sqlite_remove(struct orr_store *base, const char *id, struct orr_error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    sqlite3_stmt *statement = take(store, STATEMENT_DELETE);
    return change(store, statement, bind_text(statement, 1, id), id, "deleting a topology", err);
}

static enum orr_code sqlite_check(struct orr_store *base, struct orr_error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    sqlite3_stmt *begin = take(store, STATEMENT_BEGIN), *rollback = store->statements[STATEMENT_ROLLBACK];
    enum orr_code code = ORR_OK;
    if (sqlite3_step(begin) != SQLITE_DONE)
        code = database_error(store->database, "writing to the database", err);
    else if (sqlite3_db_readonly(store->database, "main"))
        code = orr_fail(err, ORR_STORE, "the database is read-only");
    sqlite3_reset(begin);
    if (!sqlite3_get_autocommit(store->database))
        sqlite3_step(rollback);
    give(store, rollback);
    return code;
}

static void sqlite_close(struct orr_store *base)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    for (int i = 0; i < STATEMENT_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_close(store->database);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static const struct orr_store_driver driver = {
    .name = "sqlite",
    .close = sqlite_close,
    .put = sqlite_put,
    .get = sqlite_get,
    .read = sqlite_read,
    .list = sqlite_list,
    .update = sqlite_update,
    .remove = sqlite_remove,
    .check = sqlite_check,
};

static int read_version(sqlite3 *database)
{
    sqlite3_stmt *statement;
    int version = -1;
    if (sqlite3_prepare_v2(database, "PRAGMA user_version", -1, &statement, NULL) != SQLITE_OK)
        return -1;
    if (sqlite3_step(statement) == SQLITE_ROW)
        version = sqlite3_column_int(statement, 0);
    sqlite3_finalize(statement);
    return version;
}

/* All missing steps in one transaction, so that two processes that start together do not meet half-way. */
static enum orr_code migrate(sqlite3 *database, struct orr_error *err)
{
    if (sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return database_error(database, "opening the database", err);
    int version = read_version(database);
    enum orr_code code = ORR_OK;
    if (version < 0) {
        code = database_error(database, "reading the version of the database", err);
    } else if (version > VERSION) {
        code = orr_fail(err, ORR_STORE, "the database is of version %d, newer than %d, which this program knows",
                        version, (int)VERSION);
        orr_error_advice(err, "use a newer Orrery, or another file");
    }
    for (int i = version; code == ORR_OK && i < VERSION; i++) {
        char pragma[40];
        snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", i + 1);
        if (sqlite3_exec(database, migrations[i], NULL, NULL, NULL) != SQLITE_OK ||
            sqlite3_exec(database, pragma, NULL, NULL, NULL) != SQLITE_OK)
            code = database_error(database, "bringing the database up to date", err);
    }
    if (code == ORR_OK && sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        code = database_error(database, "bringing the database up to date", err);
    if (code != ORR_OK)
        sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

static enum orr_code prepare(struct sqlite_store *store, const char *location, struct orr_error *err)
{
    enum { BUSY_MILLISECONDS = 5000 };
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (sqlite3_open_v2(location, &store->database, flags, NULL) != SQLITE_OK) {
        if (!store->database)
            return orr_fail_nomem(err);
        database_error(store->database, "opening the database", err);
        orr_error_where(err, "%.90s", location);
        return ORR_STORE;
    }
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, BUSY_MILLISECONDS);
    if (sqlite3_exec(
            store->database,
            "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON; PRAGMA trusted_schema=OFF;",
            NULL, NULL, NULL) != SQLITE_OK) {
        database_error(store->database, "opening the database", err);
        orr_error_where(err, "%.90s", location);
        return ORR_STORE;
    }
    ORR_TRY(migrate(store->database, err));
    for (int i = 0; i < STATEMENT_COUNT; i++)
        if (sqlite3_prepare_v3(store->database, statement_texts[i], -1, SQLITE_PREPARE_PERSISTENT,
                               &store->statements[i], NULL) != SQLITE_OK)
            return database_error(store->database, "preparing the database", err);
    return ORR_OK;
}

enum orr_code orr_store_sqlite_open(const char *location, struct orr_store **ret_store, struct orr_error *err)
{
    struct sqlite_store *store = calloc(1, sizeof *store);
    if (!store)
        return orr_fail_nomem(err);
    store->store.driver = &driver;
    if (pthread_mutex_init(&store->lock, NULL)) {
        free(store);
        return orr_fail_nomem(err);
    }
    enum orr_code code = prepare(store, location, err);
    if (code != ORR_OK) {
        sqlite_close(&store->store);
        return code;
    }
    *ret_store = &store->store;
    return ORR_OK;
}
