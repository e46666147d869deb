/* The store, held to its interface, so that the same cases can hold another engine to it. */
#include <pthread.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <unistd.h>

#include "api/store/store.h"
#include "tests/support/orr_test.h"

static struct orr_store *open_store(const char *location)
{
    struct orr_store *store = NULL;
    struct orr_error err = {0};
    assert_ok(orr_store_open(location, &store, &err), &err);
    return store;
}

static struct orr_record record_of(unsigned number, const char *name, int64_t created)
{
    static char labels[] = "{\"rack\":\"7\"}";
    struct orr_record record = {.created = created, .size = 5, .name = (char *)(uintptr_t)name, .labels = labels};
    snprintf(record.id, sizeof record.id, "%032x", number);
    snprintf(record.digest, sizeof record.digest, "%032x%032x", number, number);
    return record;
}

static bool put(struct orr_store *store, const struct orr_record *record)
{
    struct orr_error err = {0};
    bool existed;
    assert_ok(orr_store_put(store, record, "bytes", &existed, &err), &err);
    return existed;
}

static void what_is_put_comes_back(void **state)
{
    (void)state;
    struct orr_store *store = open_store(":memory:");
    struct orr_error err = {0};
    struct orr_record record = record_of(1, "100% of_it", 1000), got;
    char *bytes;
    size_t length;
    assert_false(put(store, &record));
    assert_true(put(store, &record));
    assert_ok(orr_store_read(store, record.id, &bytes, &length, &err), &err);
    assert_int_equal(length, 5);
    assert_string_equal(bytes, "bytes");
    free(bytes);
    assert_ok(orr_store_update(store, record.id, "new", NULL, &err), &err);
    assert_ok(orr_store_get(store, record.id, &got, &err), &err);
    assert_string_equal(got.name, "new");
    assert_string_equal(got.labels, "{\"rack\":\"7\"}");
    assert_true(got.created == 1000 && got.updated > 1000 && got.size == 5);
    orr_record_release(&got);
    assert_ok(orr_store_delete(store, record.id, &err), &err);
    assert_error(orr_store_get(store, record.id, &got, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_error(orr_store_delete(store, record.id, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_error(orr_store_read(store, record.id, &bytes, &length, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_ok(orr_store_check(store, &err), &err);
    orr_store_close(store);
}

static void two_contents_never_share_an_id(void **state)
{
    (void)state;
    struct orr_store *store = open_store(":memory:");
    struct orr_error err = {0};
    struct orr_record record = record_of(1, "", 1000);
    bool existed;
    put(store, &record);
    record.digest[63] = 'f';
    assert_error(orr_store_put(store, &record, "bytes", &existed, &err), ORR_INTERNAL, &err, "two different");
    orr_store_close(store);
}

static uint32_t list(struct orr_store *store, struct orr_listing listing, char ids[][ORR_ID_LENGTH + 1])
{
    struct orr_record *records;
    struct orr_error err = {0};
    uint32_t count;
    assert_ok(orr_store_list(store, &listing, &records, &count, &err), &err);
    for (uint32_t i = 0; i < count; i++) {
        memcpy(ids[i], records[i].id, sizeof ids[i]);
        orr_record_release(&records[i]);
    }
    free(records);
    return count;
}

static void lists_are_newest_first_and_go_on_where_they_ended(void **state)
{
    (void)state;
    enum { COUNT = 7 };
    struct orr_store *store = open_store(":memory:");
    char ids[COUNT + 1][ORR_ID_LENGTH + 1], last[ORR_ID_LENGTH + 1] = "";
    for (unsigned i = 0; i < COUNT; i++) {
        struct orr_record record = record_of(i, i % 2 ? "odd_1" : "even%", 1000 + i / 3); /* some at the same time */
        put(store, &record);
    }
    uint32_t seen = 0, got;
    int64_t created = 0;
    while ((got = list(store, (struct orr_listing){.limit = 2, .before_created = created, .before_id = last}, ids)) >
           0) {
        for (uint32_t i = 0; i < got; i++) {
            char expected[ORR_ID_LENGTH + 1];
            snprintf(expected, sizeof expected, "%032x", COUNT - 1 - seen);
            assert_string_equal(ids[i], expected);
            created = 1000 + (COUNT - 1 - seen) / 3;
            memcpy(last, ids[i], sizeof last);
            seen++;
        }
    }
    assert_int_equal(seen, COUNT);
    assert_int_equal(list(store, (struct orr_listing){.limit = COUNT, .search = "odd_"}, ids), 3);
    assert_int_equal(list(store, (struct orr_listing){.limit = COUNT, .search = "%"}, ids), 4); /* no wildcard */
    assert_int_equal(list(store, (struct orr_listing){.limit = COUNT, .search = "rack"}, ids), COUNT);
    orr_store_close(store);
}

static void a_file_survives_closing(void **state)
{
    (void)state;
    char folder[] = "/tmp/orr-store-XXXXXX", path[64];
    struct orr_error err = {0};
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/a.db", folder);
    struct orr_store *store = open_store(path);
    struct orr_record record = record_of(1, "kept", 1000), got;
    put(store, &record);
    orr_store_close(store);
    store = open_store(path);
    assert_ok(orr_store_get(store, record.id, &got, &err), &err);
    assert_string_equal(got.name, "kept");
    orr_record_release(&got);
    orr_store_close(store);

    sqlite3 *database;
    assert_int_equal(sqlite3_open(path, &database), SQLITE_OK);
    assert_int_equal(sqlite3_exec(database, "PRAGMA user_version = 999", NULL, NULL, NULL), SQLITE_OK);
    sqlite3_close(database);
    assert_error(orr_store_open(path, &store, &err), ORR_STORE, &err, "newer");
    unlink(path);
    rmdir(folder);
}

static void places_that_cannot_be_opened_are_errors(void **state)
{
    (void)state;
    struct orr_store *store;
    struct orr_error err = {0};
    assert_error(orr_store_open("/nonexistent/folder/a.db", &store, &err), ORR_STORE, &err, "opening");
    err = (struct orr_error){0};
    assert_error(orr_store_open("postgresql://x/y", &store, &err), ORR_UNSUPPORTED, &err, "PostgreSQL");
    err = (struct orr_error){0};
    assert_error(orr_store_open("CMakeLists.txt", &store, &err), ORR_STORE, &err, "not a database");
}

struct writer {
    struct orr_store *store;
    unsigned first;
};

static void *write_some(void *context)
{
    const struct writer *writer = context;
    for (unsigned i = 0; i < 20; i++) {
        struct orr_record record = record_of(writer->first + i, "parallel", 1000), got;
        put(writer->store, &record);
        assert_int_equal(orr_store_get(writer->store, record.id, &got, NULL), ORR_OK);
        orr_record_release(&got);
    }
    return NULL;
}

static void many_threads_share_a_store(void **state)
{
    (void)state;
    enum { THREADS = 8 };
    struct orr_store *store = open_store(":memory:");
    struct writer writers[THREADS];
    pthread_t threads[THREADS];
    static char ids[201][ORR_ID_LENGTH + 1];
    for (unsigned i = 0; i < THREADS; i++) {
        writers[i] = (struct writer){.store = store, .first = 100 * i};
        assert_int_equal(pthread_create(&threads[i], NULL, write_some, &writers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    assert_int_equal(list(store, (struct orr_listing){.limit = 200}, ids), THREADS * 20);
    orr_store_close(store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_put_comes_back),
        cmocka_unit_test(two_contents_never_share_an_id),
        cmocka_unit_test(lists_are_newest_first_and_go_on_where_they_ended),
        cmocka_unit_test(a_file_survives_closing),
        cmocka_unit_test(places_that_cannot_be_opened_are_errors),
        cmocka_unit_test(many_threads_share_a_store),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
