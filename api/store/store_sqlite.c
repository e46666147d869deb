/* SPDX-License-Identifier: Apache-2.0 */
/* The store in one SQLite file: WAL, synchronous=FULL (a write is on the disk before it is acknowledged), statements
 * prepared once, schema changes by user_version. One lock protects the only connection: work under it takes
 * microseconds, except for the flush of a write. */
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "api/store/store_driver.h"
#include "engine/base/clock.h"

struct sqlite_store {
    struct orr_store store;
    struct orr_session session;
    sqlite3 *database;
    sqlite3_stmt *begin, *commit, *rollback;
    sqlite3_stmt *statements[ORR_SQL_COUNT];
    unsigned char places[ORR_SQL_COUNT][ORR_MOST_CELLS]; /* of $1, $2 ... among SQLite's own numbers */
    pthread_mutex_t lock;
    atomic_bool reserved; /* RESERVE bytes are set aside beside the file, to be freed if the disk is full */
};

enum { RESERVE = 4 << 20 };

static void reserve_path(const struct orr_store *store, char path[sizeof store->place + sizeof "-reserve"])
{
    snprintf(path, sizeof store->place + sizeof "-reserve", "%s-reserve", store->place);
}

/* Sets the reserve aside if there is a file and room. */
static void reserve(struct sqlite_store *store)
{
    char path[sizeof store->store.place + sizeof "-reserve"];
    if (atomic_load(&store->reserved) || !strcmp(store->store.place, ":memory:") || !*store->store.place)
        return;
    reserve_path(&store->store, path);
    const int file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, S_IRUSR | S_IWUSR);
    if (file < 0)
        return;
    const bool done = !posix_fallocate(file, 0, RESERVE);
    close(file);
    if (!done)
        unlink(path);
    atomic_store(&store->reserved, done);
}

/* Returns free pages to the file system, some at a time. */
static void sqlite_shrink(struct orr_store *base)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    pthread_mutex_lock(&store->lock);
    (void)sqlite3_exec(store->database, "PRAGMA incremental_vacuum(1024)", NULL, NULL, NULL);
    pthread_mutex_unlock(&store->lock);
}

static bool sqlite_relieve(struct orr_store *base)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    char path[sizeof store->store.place + sizeof "-reserve"];
    reserve_path(base, path);
    if (!atomic_exchange(&store->reserved, false) || unlink(path))
        return false;
    /* Writes the log into the file, which needs less space than was set aside, and frees the log's own space. */
    pthread_mutex_lock(&store->lock);
    (void)sqlite3_wal_checkpoint_v2(store->database, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    pthread_mutex_unlock(&store->lock);
    return true;
}

static struct sqlite_store *store_of(struct orr_session *session)
{
    return (struct sqlite_store *)session->store;
}

static enum orr_code database_error(sqlite3 *database, struct orr_error *err)
{
    int code = sqlite3_extended_errcode(database) & 0xff;
    if (code == SQLITE_NOMEM)
        return orr_fail_nomem(err);
    orr_fail(err, ORR_STORE, "the database reports: %.160s", sqlite3_errmsg(database));
    if (code == SQLITE_FULL || code == SQLITE_IOERR)
        orr_error_advice(err, "the disk is full or failing: make room, then try again");
    else if (code == SQLITE_READONLY || code == SQLITE_CANTOPEN)
        orr_error_advice(err, "give a path that this user may write to with --database");
    else if (code == SQLITE_BUSY)
        orr_error_advice(err, "another process holds the file; try again");
    return ORR_STORE;
}

static enum orr_code sqlite_take(struct orr_store *base, struct orr_session **ret_session, struct orr_error *err)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    (void)err;
    pthread_mutex_lock(&store->lock);
    *ret_session = &store->session;
    return ORR_OK;
}

static void sqlite_give(struct orr_session *session)
{
    pthread_mutex_unlock(&store_of(session)->lock);
}

static enum orr_code step_alone(struct sqlite_store *store, sqlite3_stmt *statement, struct orr_error *err)
{
    enum orr_code code = sqlite3_step(statement) == SQLITE_DONE ? ORR_OK : database_error(store->database, err);
    sqlite3_reset(statement);
    return code;
}

static enum orr_code sqlite_begin(struct orr_session *session, struct orr_error *err)
{
    return step_alone(store_of(session), store_of(session)->begin, err);
}

static enum orr_code sqlite_commit(struct orr_session *session, struct orr_error *err)
{
    return step_alone(store_of(session), store_of(session)->commit, err);
}

static void sqlite_rollback(struct orr_session *session)
{
    struct sqlite_store *store = store_of(session);
    if (!sqlite3_get_autocommit(store->database)) /* some failures roll back by themselves */
        (void)step_alone(store, store->rollback, NULL);
}

static int bind(sqlite3_stmt *statement, int at, const struct orr_cell *cell)
{
    switch (cell->kind) {
    case ORR_CELL_INT:
        return sqlite3_bind_int64(statement, at, cell->number);
    case ORR_CELL_TEXT:
        return sqlite3_bind_text64(statement, at, cell->data, cell->length, SQLITE_STATIC, SQLITE_UTF8);
    case ORR_CELL_BYTES:
        return sqlite3_bind_blob64(statement, at, cell->data, cell->length, SQLITE_STATIC);
    case ORR_CELL_NULL:
        break;
    }
    return sqlite3_bind_null(statement, at);
}

/* False if memory runs out. */
static bool read_cell(sqlite3_stmt *statement, int column, struct orr_cell *cell)
{
    *cell = (struct orr_cell){.kind = ORR_CELL_NULL};
    switch (sqlite3_column_type(statement, column)) {
    case SQLITE_NULL:
        return true;
    case SQLITE_INTEGER:
        cell->kind = ORR_CELL_INT;
        cell->number = sqlite3_column_int64(statement, column);
        return true;
    case SQLITE_BLOB:
        cell->kind = ORR_CELL_BYTES;
        cell->data = sqlite3_column_blob(statement, column);
        break;
    default:
        cell->kind = ORR_CELL_TEXT;
        cell->data = sqlite3_column_text(statement, column);
        break;
    }
    cell->length = (size_t)sqlite3_column_bytes(statement, column);
    return cell->data || (cell->kind == ORR_CELL_BYTES && !cell->length);
}

static enum orr_code read_row(sqlite3_stmt *statement, orr_row_reader *read, void *context, struct orr_error *err)
{
    struct orr_cell cells[ORR_MOST_CELLS];
    int columns = sqlite3_column_count(statement);
    for (int i = 0; i < columns && i < ORR_MOST_CELLS; i++)
        ORR_NEED(read_cell(statement, i, &cells[i]), err);
    return read(context, cells, err);
}

static enum orr_code sqlite_run(struct orr_session *session, enum orr_statement which, const struct orr_cell *cells,
                                orr_row_reader *read, void *context, int64_t *ret_changes, struct orr_error *err)
{
    struct sqlite_store *store = store_of(session);
    sqlite3_stmt *statement = store->statements[which];
    enum orr_code code = ORR_OK;
    for (size_t i = 0; code == ORR_OK && orr_statements[which].kinds[i]; i++)
        if (bind(statement, store->places[which][i], &cells[i]) != SQLITE_OK)
            code = database_error(store->database, err);
    while (code == ORR_OK) {
        int step = sqlite3_step(statement);
        if (step == SQLITE_DONE)
            break;
        if (step != SQLITE_ROW)
            code = database_error(store->database, err);
        else if (read)
            code = read_row(statement, read, context, err);
    }
    if (ret_changes && code == ORR_OK)
        *ret_changes = sqlite3_changes(store->database);
    const int result = code == ORR_STORE ? sqlite3_extended_errcode(store->database) & 0xff : SQLITE_OK;
    if (result == SQLITE_CORRUPT || result == SQLITE_NOTADB)
        atomic_store(&store->store.damaged, true);
    sqlite3_reset(statement);
    sqlite3_clear_bindings(statement);
    return code;
}

static enum orr_code sqlite_check(struct orr_session *session, struct orr_error *err)
{
    if (sqlite3_db_readonly(store_of(session)->database, "main"))
        return orr_fail(err, ORR_STORE, "the database is read-only");
    if (!atomic_load(&session->store->write_failed))
        reserve(store_of(session));
    return ORR_OK; /* the transaction has begun, as a writer */
}

static void sqlite_close(struct orr_store *base)
{
    struct sqlite_store *store = (struct sqlite_store *)base;
    for (int i = 0; i < ORR_SQL_COUNT; i++)
        sqlite3_finalize(store->statements[i]);
    sqlite3_finalize(store->begin);
    sqlite3_finalize(store->commit);
    sqlite3_finalize(store->rollback);
    sqlite3_close(store->database);
    pthread_mutex_destroy(&store->lock);
    free(store);
}

static const struct orr_store_driver driver = {
    .name = "sqlite",
    .one = true,
    .close = sqlite_close,
    .take = sqlite_take,
    .give = sqlite_give,
    .begin = sqlite_begin,
    .commit = sqlite_commit,
    .rollback = sqlite_rollback,
    .run = sqlite_run,
    .check = sqlite_check,
    .relieve = sqlite_relieve,
    .shrink = sqlite_shrink,
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

/* Runs all missing steps in one transaction, so that two processes that start together do not see a half-made
 * database. */
static enum orr_code migrate(sqlite3 *database, struct orr_error *err)
{
    if (sqlite3_exec(database, "BEGIN IMMEDIATE", NULL, NULL, NULL) != SQLITE_OK)
        return database_error(database, err);
    int version = read_version(database);
    enum orr_code code = ORR_OK;
    if (version < 0) {
        code = database_error(database, err);
    } else if (version > ORR_SCHEMA_VERSION) {
        code = orr_fail(err, ORR_STORE, "the database has version %d, and this Orrery knows versions up to %d", version,
                        (int)ORR_SCHEMA_VERSION);
        orr_error_advice(err, "use a newer Orrery, or another file");
    }
    for (int i = version; code == ORR_OK && i < ORR_SCHEMA_VERSION; i++) {
        char pragma[40];
        snprintf(pragma, sizeof pragma, "PRAGMA user_version = %d", i + 1);
        if (sqlite3_exec(database, orr_migrations[i].sqlite, NULL, NULL, NULL) != SQLITE_OK ||
            sqlite3_exec(database, pragma, NULL, NULL, NULL) != SQLITE_OK)
            code = database_error(database, err);
    }
    if (code == ORR_OK && sqlite3_exec(database, "COMMIT", NULL, NULL, NULL) != SQLITE_OK)
        code = database_error(database, err);
    if (code != ORR_OK)
        sqlite3_exec(database, "ROLLBACK", NULL, NULL, NULL);
    return code;
}

static bool prepare(struct sqlite_store *store, const char *sql, sqlite3_stmt **ret_statement)
{
    return sqlite3_prepare_v3(store->database, sql, -1, SQLITE_PREPARE_PERSISTENT, ret_statement, NULL) == SQLITE_OK;
}

static enum orr_code prepare_all(struct sqlite_store *store, struct orr_error *err)
{
    if (!prepare(store, "BEGIN IMMEDIATE", &store->begin) || !prepare(store, "COMMIT", &store->commit) ||
        !prepare(store, "ROLLBACK", &store->rollback))
        return database_error(store->database, err);
    for (int i = 0; i < ORR_SQL_COUNT; i++) {
        if (!prepare(store, orr_statements[i].sql, &store->statements[i]))
            return database_error(store->database, err);
        for (size_t k = 0; orr_statements[i].kinds[k]; k++) {
            char name[8];
            snprintf(name, sizeof name, "$%zu", k + 1);
            int place = sqlite3_bind_parameter_index(store->statements[i], name);
            if (place < 1)
                return orr_fail(err, ORR_INTERNAL, "the statement %s has no %s", orr_statements[i].name, name);
            store->places[i][k] = (unsigned char)place;
        }
    }
    return ORR_OK;
}

/* Changing to WAL needs exclusive access to the file and does not wait for it by itself. */
static enum orr_code set_up(sqlite3 *database, unsigned timeout_ms, struct orr_error *err)
{
    static const char settings[] = "PRAGMA auto_vacuum=INCREMENTAL;" /* takes effect if the file is new */
                                   "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;PRAGMA "
                                   "trusted_schema=OFF; PRAGMA secure_delete=FAST;PRAGMA wal_autocheckpoint=256;"
                                   "PRAGMA cache_size=-16384;"; /* KiB: the indexes of 50,000 hosts */
    enum { STEP_MS = 10 };
    int result;
    for (unsigned waited = 0; (result = sqlite3_exec(database, settings, NULL, NULL, NULL)) != SQLITE_OK;
         waited += STEP_MS) {
        if ((result & 0xff) != SQLITE_BUSY || waited >= timeout_ms)
            return database_error(database, err);
        orr_clock_sleep(STEP_MS);
    }
    return ORR_OK;
}

/* Other users may not read the file. SQLite gives the files beside it the same mode. */
static void keep_private(const char *path)
{
    struct stat about;
    const int file = open(path, O_RDWR | O_CREAT | O_CLOEXEC, S_IRUSR | S_IWUSR);
    if (file < 0)
        return; /* SQLite says why */
    if (!fstat(file, &about) && about.st_mode & S_IRWXO && S_ISREG(about.st_mode))
        (void)!fchmod(file, about.st_mode & (S_IRWXU | S_IRWXG));
    close(file);
}

static enum orr_code open_database(struct sqlite_store *store, const char *path, unsigned timeout_ms,
                                   struct orr_error *err)
{
    int flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX;
    if (strcmp(path, ":memory:") != 0)
        keep_private(path);
    if (sqlite3_open_v2(path, &store->database, flags, NULL) != SQLITE_OK)
        return store->database ? database_error(store->database, err) : orr_fail_nomem(err);
    sqlite3_extended_result_codes(store->database, 1);
    sqlite3_busy_timeout(store->database, (int)timeout_ms);
    ORR_TRY(set_up(store->database, timeout_ms, err));
    ORR_TRY(migrate(store->database, err));
    return prepare_all(store, err);
}

enum orr_code orr_store_sqlite_open(const char *path, const struct orr_store_options *options,
                                    struct orr_store **ret_store, struct orr_error *err)
{
    struct sqlite_store *store = calloc(1, sizeof *store);
    ORR_NEED(store, err);
    store->store.driver = &driver;
    store->session.store = &store->store;
    snprintf(store->store.place, sizeof store->store.place, "%s", path);
    if (pthread_mutex_init(&store->lock, NULL)) {
        free(store);
        return orr_fail_nomem(err);
    }
    enum orr_code code = open_database(store, path, options->timeout_ms, err);
    if (code != ORR_OK) {
        orr_error_where(err, "%.90s", path);
        sqlite_close(&store->store);
        return code;
    }
    reserve(store);
    *ret_store = &store->store;
    return ORR_OK;
}
