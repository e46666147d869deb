/* The store, held to its interface: the same cases hold every engine to it (see tests/support/stores.h). */
#include <pthread.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdatomic.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include "tests/support/stores.h"

static struct place place;

static int set_up(void **state)
{
    (void)state;
    make_place(&place);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    remove_place(&place);
    return 0;
}

static bool put(struct orr_store *store, const struct orr_upload *upload)
{
    struct orr_error err = {0};
    bool existed;
    assert_ok(orr_store_put(store, upload, &existed, &err), &err);
    return existed;
}

static bool put_number(struct orr_store *store, unsigned number, const char *name, int64_t at, const char *host)
{
    struct sample sample;
    return put(store, sample_of(&sample, number, name, at, host));
}

static struct orr_record get(struct orr_store *store, unsigned number)
{
    char id[ORR_ID_LENGTH + 1];
    struct orr_record record = {.name = NULL};
    struct orr_error err = {0};
    snprintf(id, sizeof id, "%032x", number);
    assert_ok(orr_store_get(store, id, &record, &err), &err);
    return record;
}

static bool has(struct orr_store *store, unsigned number)
{
    char id[ORR_ID_LENGTH + 1];
    struct orr_error err = {0};
    snprintf(id, sizeof id, "%032x", number);
    enum orr_code code = orr_store_has(store, id, &err);
    if (code != ORR_NOT_FOUND)
        assert_ok(code, &err);
    return code == ORR_OK;
}

static void what_is_put_comes_back(void **state)
{
    (void)state;
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct sample sample;
    const struct orr_upload *upload = sample_of(&sample, 1, "100% of_it \xc3\xa9", 1000, NULL);
    char *bytes;
    size_t length;
    bool done;
    assert_false(put(store, upload));
    assert_true(put(store, upload));
    assert_ok(orr_store_read(store, upload->id, &bytes, &length, &err), &err);
    assert_int_equal(length, upload->size);
    assert_memory_equal(bytes, upload->bytes, length + 1);
    free(bytes);
    struct orr_record got = get(store, 1);
    assert_string_equal(got.name, "100% of_it \xc3\xa9");
    assert_string_equal(got.labels, "{\"rack\":\"1\"}");
    assert_string_equal(got.digest, upload->digest);
    assert_true(got.created == 1000 && got.updated == 1000 && got.size == (int64_t)length && got.revision == 1);
    orr_record_release(&got);
    assert_ok(orr_store_update(store, upload->id, 0, "new", NULL, &done, &err), &err);
    assert_true(done);
    got = get(store, 1);
    assert_string_equal(got.name, "new");
    assert_string_equal(got.labels, "{\"rack\":\"1\"}");
    assert_true(got.created == 1000 && got.updated > 1000 && got.revision == 2);
    orr_record_release(&got);
    assert_ok(orr_store_delete(store, upload->id, 0, &done, &err), &err);
    assert_error(orr_store_get(store, upload->id, &got, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_error(orr_store_delete(store, upload->id, 0, &done, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_error(orr_store_update(store, upload->id, 0, "x", NULL, &done, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_error(orr_store_read(store, upload->id, &bytes, &length, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_error(orr_store_has(store, upload->id, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_ok(orr_store_check(store, &err), &err);
    orr_store_close(store);
}

static void a_dump_of_any_bytes_comes_back_as_it_was(void **state)
{
    (void)state;
    enum { SIZE = 3 << 20 };
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct sample sample;
    struct orr_upload *upload = sample_of(&sample, 1, "", 1000, NULL);
    char *bytes = malloc(SIZE), *back;
    size_t length;
    assert_non_null(bytes);
    uint32_t noise = 1;
    for (size_t i = 0; i < SIZE; i++) /* does not compress, holds zeros */
        bytes[i] = (char)((noise = noise * 1664525u + 1013904223u) >> 24);
    upload->bytes = bytes;
    upload->size = SIZE;
    put(store, upload);
    assert_ok(orr_store_read(store, upload->id, &back, &length, &err), &err);
    assert_int_equal(length, SIZE);
    assert_memory_equal(back, bytes, SIZE);
    free(back);
    free(bytes);
    orr_store_close(store);
}

static void two_contents_never_share_an_id(void **state)
{
    (void)state;
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct sample sample;
    struct orr_upload *upload = sample_of(&sample, 1, "", 1000, NULL);
    bool existed;
    put(store, upload);
    sample.digest[63] = 'f';
    assert_error(orr_store_put(store, upload, &existed, &err), ORR_INTERNAL, &err, "two different");
    orr_store_close(store);
}

static void a_change_meets_the_revision_it_asks_for_or_nothing(void **state)
{
    (void)state;
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct sample sample;
    const struct orr_upload *upload = sample_of(&sample, 1, "first", 1000, NULL);
    bool done = false;
    put(store, upload);
    assert_ok(orr_store_update(store, upload->id, 1, "second", NULL, &done, &err), &err);
    assert_true(done);
    assert_ok(orr_store_update(store, upload->id, 1, "third", NULL, &done, &err), &err);
    assert_false(done);
    assert_ok(orr_store_delete(store, upload->id, 1, &done, &err), &err);
    assert_false(done);
    struct orr_record got = get(store, 1);
    assert_string_equal(got.name, "second");
    orr_record_release(&got);
    assert_ok(orr_store_delete(store, upload->id, 2, &done, &err), &err);
    assert_true(done);
    assert_false(has(store, 1));
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
    struct orr_store *store = open_place(&place);
    char ids[COUNT + 9][ORR_ID_LENGTH + 1], last[ORR_ID_LENGTH + 1] = "";
    for (unsigned i = 0; i < COUNT; i++)
        put_number(store, i, "", 1000 + i / 3, NULL); /* some at the same time */
    uint32_t seen = 0, got;
    int64_t before = 0;
    while ((got = list(store, (struct orr_listing){.limit = 2, .before = before, .before_id = last}, ids)) > 0) {
        for (uint32_t i = 0; i < got; i++) {
            char expected[ORR_ID_LENGTH + 1];
            snprintf(expected, sizeof expected, "%032x", COUNT - 1 - seen);
            assert_string_equal(ids[i], expected);
            before = 1000 + (COUNT - 1 - seen) / 3;
            memcpy(last, ids[i], sizeof last);
            seen++;
        }
        put_number(store, 100 + seen, "late", 5000 + seen, NULL); /* comes in between and changes nothing behind */
    }
    assert_int_equal(seen, COUNT);
    orr_store_close(store);
}

static void searching_looks_at_name_labels_digest_and_machine(void **state)
{
    (void)state;
    enum { COUNT = 7 };
    struct orr_store *store = open_place(&place);
    char ids[COUNT + 1][ORR_ID_LENGTH + 1];
    for (unsigned i = 0; i < COUNT; i++)
        put_number(store, i, i % 2 ? "odd_1" : "Even%", 1000 + i, NULL);
    static const struct {
        const char *search;
        uint32_t found;
    } cases[] = {{"odd_", 3},      {"ODD_1", 3}, {"even", 4}, {"%", 4},   {"_", 3},       {"\\", 0},
                 {"hopper", 3},    {"Volta", 4}, {"rack", 7}, {"gpu", 7}, {"nothing", 0}, {"'; DROP TABLE topology", 0},
                 {"0000005000", 1}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        uint32_t found = list(store, (struct orr_listing){.limit = COUNT, .search = cases[i].search}, ids);
        if (found != cases[i].found)
            fail_msg("\"%s\" finds %u, not %u", cases[i].search, found, cases[i].found);
    }
    orr_store_close(store);
}

static struct orr_listing with_labels(const char *name, const char *value, const char *second, const char *its_value)
{
    return (struct orr_listing){.limit = 9,
                                .labels = {{.name = name, .value = value}, {.name = second, .value = its_value}},
                                .label_count = second ? 2 : 1};
}

static void labels_narrow_a_list_and_follow_changes(void **state)
{
    (void)state;
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct sample sample;
    char ids[10][ORR_ID_LENGTH + 1];
    bool done;
    for (unsigned i = 0; i < 9; i++)
        put_number(store, i, "", 1000 + i, i < 4 ? "node-1" : "node-2");
    assert_int_equal(list(store, with_labels("rack", "1", NULL, NULL), ids), 3);
    assert_string_equal(ids[0] + 24, "00000007");
    assert_string_equal(ids[2] + 24, "00000001");
    assert_int_equal(list(store, with_labels("host", "node-1", NULL, NULL), ids), 4);
    assert_int_equal(list(store, with_labels("host", "node-1", "rack", "0"), ids), 2);
    assert_int_equal(list(store, with_labels("host", "node", NULL, NULL), ids), 0);
    struct orr_listing second = with_labels("rack", "1", NULL, NULL); /* its second page, and a search in it */
    second.before = 1004;
    second.before_id = "00000000000000000000000000000004";
    assert_int_equal(list(store, second, ids), 1);
    second.search = "volta";
    assert_int_equal(list(store, second, ids), 0);

    const struct orr_store_label pairs[] = {{"rack", "9"}, {"row", "b"}};
    const struct orr_labels labels = {.text = "{\"rack\":\"9\",\"row\":\"b\"}", .pairs = pairs, .count = 2};
    sample_of(&sample, 1, "", 0, NULL);
    assert_ok(orr_store_update(store, sample.id, 0, NULL, &labels, &done, &err), &err);
    assert_int_equal(list(store, with_labels("rack", "1", NULL, NULL), ids), 2);
    assert_int_equal(list(store, with_labels("rack", "9", "row", "b"), ids), 1);
    assert_ok(orr_store_delete(store, sample.id, 0, &done, &err), &err);
    assert_int_equal(list(store, with_labels("row", "b", NULL, NULL), ids), 0);
    orr_store_close(store);
}

static void each_upload_of_a_host_leaves_a_line(void **state)
{
    (void)state;
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct orr_visit *visits;
    struct orr_host *hosts;
    uint32_t count;
    put_number(store, 1, "boot 1", 1000, "node-1");
    put_number(store, 1, "boot 2", 2000, "node-1"); /* the same dump again */
    put_number(store, 2, "boot 3", 3000, "node-1");
    put_number(store, 1, "other", 1500, "node-2");
    put_number(store, 3, "nobody's", 1600, NULL);
    assert_ok(orr_store_history(store, "node-1", 0, NULL, 9, &visits, &count, &err), &err);
    assert_int_equal(count, 3);
    static const char *const names[] = {"boot 3", "boot 2", "boot 1"};
    for (uint32_t i = 0; i < count; i++) {
        assert_string_equal(visits[i].name, names[i]);
        assert_int_equal(visits[i].at, 3000 - 1000 * i);
        assert_string_equal(visits[i].id + 31, i ? "1" : "2");
        assert_non_null(strstr(visits[i].labels, "node-1"));
        orr_visit_release(&visits[i]);
    }
    free(visits);
    assert_ok(orr_store_history(store, "node-1", 3000, "00000000000000000000000000000002", 1, &visits, &count, &err),
              &err);
    assert_int_equal(count, 1);
    assert_string_equal(visits[0].name, "boot 2");
    orr_visit_release(&visits[0]);
    free(visits);
    assert_ok(orr_store_hosts(store, "", 9, &hosts, &count, &err), &err);
    assert_int_equal(count, 2);
    assert_string_equal(hosts[0].name, "node-1");
    assert_true(hosts[0].last == 3000 && hosts[0].uploads == 3 && hosts[1].uploads == 1);
    for (uint32_t i = 0; i < count; i++)
        orr_host_release(&hosts[i]);
    free(hosts);
    assert_ok(orr_store_hosts(store, "node-1", 9, &hosts, &count, &err), &err);
    assert_int_equal(count, 1);
    orr_host_release(&hosts[0]);
    free(hosts);
    /* The record is the first upload's; deleting it takes its lines along. */
    struct orr_record record = get(store, 1);
    assert_string_equal(record.name, "boot 1");
    assert_true(record.created == 1000);
    bool done;
    assert_ok(orr_store_delete(store, record.id, 0, &done, &err), &err);
    orr_record_release(&record);
    assert_ok(orr_store_history(store, "node-1", 0, NULL, 9, &visits, &count, &err), &err);
    assert_int_equal(count, 1);
    orr_visit_release(&visits[0]);
    free(visits);
    orr_store_close(store);
}

static void a_hosts_history_has_an_end(void **state)
{
    (void)state;
    enum { UPLOADS = 1030, KEPT = 1000 };
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct orr_visit *visits;
    uint32_t count;
    for (unsigned i = 0; i < UPLOADS; i++)
        put_number(store, 1, "", 1000 + i, "node-1");
    assert_ok(orr_store_history(store, "node-1", 0, NULL, 2 * KEPT, &visits, &count, &err), &err);
    assert_int_equal(count, KEPT);
    assert_int_equal(visits[0].at, 1000 + UPLOADS - 1);
    for (uint32_t i = 0; i < count; i++)
        orr_visit_release(&visits[i]);
    free(visits);
    orr_store_close(store);
}

static atomic_uint expired;

static void count_expired(void *context, const char *id)
{
    (void)context;
    (void)id;
    atomic_fetch_add(&expired, 1);
}

static uint32_t expire(struct orr_store *store, int64_t now)
{
    struct orr_error err = {0};
    uint32_t count = 0;
    assert_ok(orr_store_expire(store, now, &count, &err), &err);
    return count;
}

static void old_dumps_expire_by_their_last_upload(void **state)
{
    (void)state;
    struct orr_store *store = open_place(&place);
    struct timespec clock;
    clock_gettime(CLOCK_REALTIME, &clock);
    int64_t now = (int64_t)clock.tv_sec * 1000, day = 86400000;
    put_number(store, 1, "", now - 9 * day, NULL);
    put_number(store, 2, "", now - 8 * day, "node-1");
    put_number(store, 3, "", now - day, NULL);
    put_number(store, 1, "", now, NULL); /* uploaded again: stays */
    orr_store_close(store);
    atomic_store(&expired, 0);
    store = open_with(&place, (struct orr_store_options){.keep_ms = 7 * day, .on_expired = count_expired});
    for (int i = 0; i < 500 && !atomic_load(&expired); i++) /* it starts to look by itself */
        usleep(10000);
    assert_int_equal(expired, 1);
    assert_true(has(store, 1) && !has(store, 2) && has(store, 3));
    assert_int_equal(expire(store, now + 6 * day - 1), 0);
    assert_int_equal(expire(store, now + 6 * day + 1), 1);
    assert_true(has(store, 1) && !has(store, 3));
    orr_store_close(store);
}

static void only_so_many_dumps_are_kept(void **state)
{
    (void)state;
    struct orr_store *store = open_with(&place, (struct orr_store_options){.keep_count = 3});
    char ids[300][ORR_ID_LENGTH + 1];
    for (unsigned i = 0; i < 8; i++)
        put_number(store, i, "", 1000 + i, NULL);
    put_number(store, 0, "", 2000, NULL);
    for (int i = 0; i < 500 && list(store, (struct orr_listing){.limit = 9}, ids) > 3; i++) /* behind uploads */
        usleep(10000);
    assert_int_equal(list(store, (struct orr_listing){.limit = 9}, ids), 3);
    assert_true(has(store, 0) && has(store, 6) && has(store, 7));
    orr_store_close(store);
    /* A pass is bounded. */
    store = open_place(&place);
    for (unsigned i = 10; i < 10 + ORR_EXPIRE_AT_ONCE + 20; i++)
        put_number(store, i, "", 1000 + i, NULL);
    orr_store_close(store);
    store = open_with(&place, (struct orr_store_options){.keep_count = UINT32_MAX});
    assert_int_equal(expire(store, 0), 0);
    orr_store_close(store);
    store = open_with(&place, (struct orr_store_options){.keep_ms = INT64_MAX / 4});
    assert_int_equal(expire(store, INT64_MAX / 4 + 1900), ORR_EXPIRE_AT_ONCE);
    orr_store_close(store);
}

static void what_is_stored_survives_closing(void **state)
{
    (void)state;
    struct orr_store *store = open_place(&place);
    put_number(store, 1, "kept", 1000, NULL);
    orr_store_close(store);
    store = open_place(&place);
    struct orr_record got = get(store, 1);
    assert_string_equal(got.name, "kept");
    orr_record_release(&got);
    orr_store_close(store);
}

static void a_newer_database_is_refused(void **state)
{
    (void)state;
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
    assert_error(orr_store_open(&options, &store, &err), ORR_STORE, &err, "newer");
}

static void places_that_cannot_be_opened_are_errors(void **state)
{
    (void)state;
    static const struct {
        const char *location, *words;
        enum orr_code code;
    } cases[] = {
        {"/nonexistent/folder/a.db", "unable to open", ORR_STORE},
        {"sqlite:///nonexistent/folder/a.db", "unable to open", ORR_STORE},
        {"CMakeLists.txt", "not a database", ORR_STORE},
        {"mysql://x/y", "no database that this program knows", ORR_UNSUPPORTED},
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

static void many_threads_share_a_store(void **state)
{
    (void)state;
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
static void storing_and_deleting_the_same_at_once_ends_well(void **state)
{
    (void)state;
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

static void processes_that_start_together_make_the_tables_once(void **state)
{
    (void)state;
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

/* Takes the place of the C library's for everything in this program: SQLite's way to the disk. */
int fdatasync(int fd)
{
    atomic_fetch_add(&flushes, 1);
    return (int)syscall(SYS_fdatasync, fd);
}

int fsync(int fd)
{
    atomic_fetch_add(&flushes, 1);
    return (int)syscall(SYS_fsync, fd);
}

static void every_acknowledged_write_was_flushed(void **state)
{
    (void)state;
    if (postgresql())
        skip(); /* the server's business: fsync and synchronous_commit */
    struct orr_store *store = open_place(&place);
    for (unsigned i = 0; i < 20; i++) {
        unsigned before = atomic_load(&flushes);
        put_number(store, i, "", 1000 + i, NULL);
        assert_true(atomic_load(&flushes) > before);
    }
    orr_store_close(store);
}

static void the_first_version_of_a_file_is_brought_up_to_date(void **state)
{
    (void)state;
    if (postgresql())
        skip(); /* no server was ever of that version */
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
    orr_store_close(store);
}

static void a_full_disk_is_an_error_and_no_end(void **state)
{
    (void)state;
    if (postgresql())
        skip(); /* its own disk */
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
        assert_false(has(store, 1)); /* reading goes on, and so does writing where there is room */
        put_number(store, 100 + failures, "meanwhile", 1000, NULL);
    }
    signal(SIGXFSZ, SIG_DFL);
    assert_true(failures > 5 && !existed);
    assert_true(has(store, 1) && has(store, 7) && has(store, 100 + failures));
    free(noise);
    orr_store_close(store);
}

/* PostgreSQL alone. */

static void lost_connections_are_replaced_without_an_error(void **state)
{
    (void)state;
    if (!postgresql())
        skip();
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
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

static void nothing_waits_longer_than_stated(void **state)
{
    (void)state;
    if (!postgresql())
        skip();
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
    assert_true(seconds() - begun < 3);
    PQfinish(other);
    put_number(store, 2, "", 1000, NULL);
    orr_store_close(store);
}

static void a_place_is_told_without_its_password(void **state)
{
    (void)state;
    if (!postgresql())
        skip();
    struct place secret = place;
    struct orr_error err = {0};
    struct orr_store *store;
    snprintf(secret.location, sizeof secret.location, "%s?password=geheim&options=-csearch_path%%3D%s", postgresql(),
             place.schema);
    const struct orr_store_options options = {.location = secret.location};
    assert_ok(orr_store_open(&options, &store, &err), &err);
    assert_null(strstr(orr_store_place(store), "geheim"));
    assert_non_null(strstr(orr_store_place(store), "127.0.0.1"));
    assert_true(orr_store_is_remote(store));
    orr_store_close(store);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(what_is_put_comes_back),
        CASE(a_dump_of_any_bytes_comes_back_as_it_was),
        CASE(two_contents_never_share_an_id),
        CASE(a_change_meets_the_revision_it_asks_for_or_nothing),
        CASE(lists_are_newest_first_and_go_on_where_they_ended),
        CASE(searching_looks_at_name_labels_digest_and_machine),
        CASE(labels_narrow_a_list_and_follow_changes),
        CASE(each_upload_of_a_host_leaves_a_line),
        CASE(a_hosts_history_has_an_end),
        CASE(old_dumps_expire_by_their_last_upload),
        CASE(only_so_many_dumps_are_kept),
        CASE(what_is_stored_survives_closing),
        CASE(a_newer_database_is_refused),
        CASE(places_that_cannot_be_opened_are_errors),
        CASE(many_threads_share_a_store),
        CASE(storing_and_deleting_the_same_at_once_ends_well),
        CASE(processes_that_start_together_make_the_tables_once),
        CASE(every_acknowledged_write_was_flushed),
        CASE(the_first_version_of_a_file_is_brought_up_to_date),
        CASE(a_full_disk_is_an_error_and_no_end),
        CASE(lost_connections_are_replaced_without_an_error),
        CASE(nothing_waits_longer_than_stated),
        CASE(a_place_is_told_without_its_password),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
