/* SPDX-License-Identifier: Apache-2.0 */
/* The engines under the store: opening and closing, several threads and processes at once, disks and servers that fail.
 * Most cases hold both engines to the same; those of one alone say so. */
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "engine/base/clock.h"
#include "tests/support/store_case.h"

static bool on_postgresql(void)
{
    return postgresql() != NULL;
}

/* What a server sees to itself. */
static bool on_sqlite(void)
{
    return !on_postgresql();
}

TEST(what_is_stored_survives_closing)
{
    struct orr_store *store = open_place(&place);
    put_number(store, 1, "kept", 1000, NULL);
    orr_store_close(store);
    store = open_place(&place);
    struct orr_record got = get(store, 1);
    assert_string_equal(got.name, "kept");
    orr_record_release(&got);
    orr_store_close(store);
}

TEST(a_newer_database_is_refused)
{
    struct orr_error err = {0};
    struct orr_store *store = open_place(&place);
    orr_store_close(store);
    if (postgresql()) {
        char sql[128];
        snprintf(sql, sizeof sql, "UPDATE %s.orrery_schema SET version = 999", place.schema);
        beside(sql);
    } else {
        sqlite3 *database;
        assert_int_equal(sqlite3_open(place.location, &database), SQLITE_OK);
        assert_int_equal(sqlite3_exec(database, "PRAGMA user_version = 999", NULL, NULL, NULL), SQLITE_OK);
        sqlite3_close(database);
    }
    const struct orr_store_options options = {.location = place.location};
    assert_error(orr_store_open(&options, &store, &err), ORR_STORE, &err, "knows versions up to");
}

TEST(places_that_cannot_be_opened_are_errors)
{
    static const struct {
        const char *location, *words;
        enum orr_code code;
    } cases[] = {
        {"/nonexistent/folder/a.db", "unable to open", ORR_STORE},
        {"sqlite:///nonexistent/folder/a.db", "unable to open", ORR_STORE},
        {"CMakeLists.txt", "not a database", ORR_STORE},
        {"mysql://x/y", "not a kind of database that Orrery supports", ORR_UNSUPPORTED},
        {"postgresql://nobody@127.0.0.1:1/none", "Connection refused", ORR_STORE},
        {"postgresql://x?nonsense=1", "nonsense", ORR_STORE},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_store *store;
        struct orr_error err = {0};
        const struct orr_store_options options = {.location = cases[i].location};
        assert_error(orr_store_open(&options, &store, &err), cases[i].code, &err, cases[i].words);
    }
    struct orr_store *store;
    struct orr_error err = {0};
    char location[640];
    snprintf(location, sizeof location, "sqlite:%s", place.folder[0] ? place.location : ":memory:");
    const struct orr_store_options options = {.location = location};
    assert_ok(orr_store_open(&options, &store, &err), &err);
    put_number(store, 1, "", 1000, NULL);
    orr_store_close(store);
}

struct writer {
    struct orr_store *store;
    unsigned first;
};

static void *write_some(void *context)
{
    const struct writer *writer = context;
    for (unsigned i = 0; i < 20; i++) {
        put_number(writer->store, writer->first + i, "parallel", 1000, NULL);
        put_number(writer->store, 9999, "the same", 1000 + i, "node-1"); /* all at once */
        assert_true(has(writer->store, writer->first + i));
    }
    return NULL;
}

TEST(many_threads_share_a_store)
{
    enum { THREADS = 12 }; /* more than connections */
    struct orr_store *store = open_place(&place);
    struct writer writers[THREADS];
    pthread_t threads[THREADS];
    static char ids[300][ORR_ID_LENGTH + 1];
    for (unsigned i = 0; i < THREADS; i++) {
        writers[i] = (struct writer){.store = store, .first = 100 * i};
        assert_int_equal(pthread_create(&threads[i], NULL, write_some, &writers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(list(store, (struct orr_listing){.limit = 299}, ids), THREADS * 20 + 1);
    orr_store_close(store);
}

static void *delete_and_put(void *context)
{
    struct orr_store *store = context;
    for (unsigned i = 0; i < 60; i++) {
        struct orr_error err = {0};
        struct sample sample;
        bool done;
        sample_of(&sample, 1, "contested", 1000 + i, "node-1");
        if (i % 2) {
            put(store, &sample.upload);
        } else {
            enum orr_code code = orr_store_delete(store, sample.id, 0, &done, &err);
            assert_true(code == ORR_OK || code == ORR_NOT_FOUND);
        }
    }
    return NULL;
}

/* Whoever comes first: each call ends well, and what is there in the end is whole. */
TEST(storing_and_deleting_the_same_at_once_ends_well)
{
    enum { THREADS = 6 };
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    pthread_t threads[THREADS];
    char *bytes;
    size_t length;
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, delete_and_put, store), 0);
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    put_number(store, 1, "", 1000, NULL);
    assert_ok(orr_store_read(store, "00000000000000000000000000000001", &bytes, &length, &err), &err);
    free(bytes);
    orr_store_close(store);
}

/* In a process of its own, for this one holds no database while it forks. */
static int open_and_put(unsigned number, int start)
{
    struct orr_store *store;
    struct sample sample;
    struct orr_error err = {0};
    bool existed;
    char byte;
    const struct orr_store_options options = {.location = place.location};
    if (read(start, &byte, 1) != 0) /* ends for all at the same moment */
        return 2;
    enum orr_code code = orr_store_open(&options, &store, &err);
    if (code == ORR_OK) {
        code = orr_store_put(store, sample_of(&sample, number, "", 1000 + number, NULL), &existed, &err);
        orr_store_close(store);
    }
    if (code != ORR_OK)
        fprintf(stderr, "process %u: %s\n", number, err.text);
    return code != ORR_OK;
}

TEST(processes_that_start_together_make_the_tables_once)
{
    enum { PROCESSES = 8, ROUNDS = 4 };
    char ids[PROCESSES + 1][ORR_ID_LENGTH + 1];
    for (int round = 0; round < ROUNDS; round++) {
        int gate[2], status;
        pid_t pids[PROCESSES];
        if (round) {
            remove_place(&place);
            make_place(&place);
        }
        assert_int_equal(pipe(gate), 0);
        for (unsigned i = 0; i < PROCESSES; i++) {
            pids[i] = fork();
            assert_true(pids[i] >= 0);
            if (!pids[i]) {
                close(gate[1]);
                _exit(open_and_put(i, gate[0]));
            }
        }
        close(gate[0]);
        close(gate[1]);
        for (int i = 0; i < PROCESSES; i++) {
            assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
            assert_int_equal(status, 0);
        }
        struct orr_store *store = open_place(&place);
        assert_int_equal(list(store, (struct orr_listing){.limit = PROCESSES + 1}, ids), PROCESSES);
        orr_store_close(store);
    }
}

/* SQLite alone. */

static atomic_uint flushes;

/* Take the place of the C library's for everything in this program, libsqlite3.so included: hence they are visible. */
__attribute__((visibility("default"))) int fdatasync(int fd)
{
    atomic_fetch_add(&flushes, 1);
    return (int)syscall(SYS_fdatasync, fd);
}

__attribute__((visibility("default"))) int fsync(int fd)
{
    atomic_fetch_add(&flushes, 1);
    return (int)syscall(SYS_fsync, fd);
}

TEST_WHERE(on_sqlite, every_acknowledged_write_was_flushed)
{
    struct orr_store *store = open_place(&place);
    for (unsigned i = 0; i < 20; i++) {
        unsigned before = atomic_load(&flushes);
        put_number(store, i, "", 1000 + i, NULL);
        assert_true(atomic_load(&flushes) > before);
    }
    orr_store_close(store);
}

TEST_WHERE(on_sqlite, the_first_version_of_a_file_is_brought_up_to_date)
{
    static const char old[] =
        "PRAGMA journal_mode=WAL;"
        "CREATE TABLE topology (id TEXT PRIMARY KEY NOT NULL, digest TEXT NOT NULL, created INTEGER NOT NULL,"
        " updated INTEGER NOT NULL, size INTEGER NOT NULL, name TEXT NOT NULL, labels TEXT NOT NULL, body BLOB NOT NULL"
        ") WITHOUT ROWID; CREATE INDEX topology_by_time ON topology (created DESC, id DESC);"
        /* "bytes", deflated */
        "INSERT INTO topology VALUES ('00000000000000000000000000000001', 'd1', 1000, 1500, 5, 'old',"
        " '{\"host\":\"node-1\",\"rack\":\"7\"}', x'789c4baa2c492d0600066c0228');"
        "PRAGMA user_version = 1;";
    sqlite3 *database;
    struct orr_error err = {0};
    struct orr_visit *visits;
    struct orr_host *hosts;
    char ids[2][ORR_ID_LENGTH + 1], *bytes;
    size_t length;
    uint32_t count;
    assert_int_equal(sqlite3_open(place.location, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, old, NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    struct orr_store *store = open_place(&place);
    struct orr_record got = get(store, 1);
    assert_string_equal(got.name, "old");
    assert_true(got.created == 1000 && got.updated == 1500 && got.revision == 1);
    orr_record_release(&got);
    assert_ok(orr_store_read(store, "00000000000000000000000000000001", &bytes, &length, &err), &err);
    assert_string_equal(bytes, "bytes");
    free(bytes);
    assert_int_equal(list(store, with_labels("rack", "7", "host", "node-1"), ids), 1);
    assert_ok(orr_store_history(store, "node-1", 0, NULL, 9, &visits, &count, &err), &err);
    assert_int_equal(count, 1);
    orr_visit_release(&visits[0]);
    free(visits);
    assert_ok(orr_store_hosts(store, "node", 9, &hosts, &count, &err), &err); /* it has its place in the order */
    assert_int_equal(count, 1);
    assert_string_equal(hosts[0].name, "node-1");
    orr_host_release(&hosts[0]);
    free(hosts);
    assert_int_equal(list(store, (struct orr_listing){.limit = 1, .search = "OLD"}, ids), 1);
    orr_store_close(store);
}

TEST_WHERE(on_sqlite, a_full_disk_is_an_error_and_no_end)
{
    enum { SIZE = 1 << 20 };
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct sample sample;
    struct rlimit before, tight;
    struct orr_upload *upload = sample_of(&sample, 1, "", 1000, NULL);
    char *noise = malloc(SIZE);
    bool existed;
    assert_non_null(noise);
    uint32_t value = 7;
    for (size_t i = 0; i < SIZE; i++)
        noise[i] = (char)((value = value * 1664525u + 1013904223u) >> 24);
    put_number(store, 7, "before", 1000, NULL);
    upload->bytes = noise;
    upload->size = SIZE;
    signal(SIGXFSZ, SIG_IGN);
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    /* At every point of the write, up to the one at which it fits. */
    unsigned failures = 0;
    for (rlim_t most = 4096;; most += 96 << 10) {
        tight = before;
        tight.rlim_cur = most;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
        err = (struct orr_error){0};
        enum orr_code code = orr_store_put(store, upload, &existed, &err);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        if (code == ORR_OK)
            break;
        failures++;
        assert_int_equal(code, ORR_STORE);
        assert_non_null(strstr(err.advice, "disk is full"));
        assert_false(has(store, 1)); /* reading goes on, and so does writing if there is room */
        put_number(store, 100 + failures, "meanwhile", 1000, NULL);
    }
    signal(SIGXFSZ, SIG_DFL);
    assert_true(failures > 5 && !existed);
    assert_true(has(store, 1) && has(store, 7) && has(store, 100 + failures));
    free(noise);
    orr_store_close(store);
}

/* PostgreSQL alone. */

TEST_WHERE(on_postgresql, lost_connections_are_replaced_without_an_error)
{
    struct orr_store *store = open_place(&place);
    put_number(store, 1, "", 1000, NULL);
    for (int i = 0; i < 5; i++) {
        beside("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND"
               " application_name = 'orrery'");
        assert_true(has(store, 1));
        beside("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND"
               " application_name = 'orrery'");
        put_number(store, 2 + (unsigned)i, "", 1000, NULL);
    }
    orr_store_close(store);
}

static double seconds(void)
{
    return (double)orr_clock_ns() / 1e9;
}

TEST_WHERE(on_postgresql, nothing_waits_longer_than_stated)
{
    struct orr_store *store = open_with(&place, (struct orr_store_options){.timeout_ms = 500, .connections = 1});
    struct orr_error err = {0};
    struct sample sample;
    char sql[128];
    bool existed;
    put_number(store, 1, "", 1000, NULL);
    PGconn *other = PQconnectdb(postgresql());
    snprintf(sql, sizeof sql, "BEGIN; LOCK TABLE %s.topology IN ACCESS EXCLUSIVE MODE", place.schema);
    PQclear(PQexec(other, sql));
    double begun = seconds();
    assert_error(orr_store_put(store, sample_of(&sample, 2, "", 1000, NULL), &existed, &err), ORR_STORE, &err,
                 "statement timeout");
    assert_non_null(strstr(err.advice, "--database-timeout"));
    assert_true(seconds() - begun < 30);
    PQfinish(other);
    put_number(store, 2, "", 1000, NULL);
    orr_store_close(store);
}

TEST_WHERE(on_postgresql, a_place_is_told_without_its_password)
{
    struct place secret = place;
    struct orr_error err = {0};
    struct orr_store *store;
    snprintf(secret.location, sizeof secret.location, "%s?password=geheim&options=-csearch_path%%3D%s", postgresql(),
             place.schema);
    const struct orr_store_options options = {.location = secret.location};
    assert_ok(orr_store_open(&options, &store, &err), &err);
    assert_null(strstr(orr_store_place(store), "geheim"));
    assert_non_null(strstr(orr_store_place(store), "127.0.0.1"));
    orr_store_close(store);
}
