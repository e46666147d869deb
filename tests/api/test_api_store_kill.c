/* SPDX-License-Identifier: Apache-2.0 */
/* A process that stores, changes and deletes is killed a hundred times at moments of chance. What it had acknowledged
 * is there each time, and nothing is there by half. ORR_TEST_KILLS asks for more kills. */
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "tests/support/stores.h"

enum { MOST = 1 << 20 };

/* What the writer says when a call returned. */
struct ack {
    enum { PUT, RENAMED, DELETED } what;
    unsigned number;
};

static void acknowledge(int to, int what, unsigned number)
{
    const struct ack ack = {.what = what, .number = number};
    if (write(to, &ack, sizeof ack) != (ssize_t)sizeof ack)
        _exit(3);
}

/* Writes until it is killed: every dump is put, every second one renamed, every third one deleted. */
static void write_on(const struct place *place, unsigned first, int to)
{
    const struct orr_store_options options = {.location = place->location};
    struct orr_store *store;
    struct orr_error err = {0};
    if (orr_store_open(&options, &store, &err) != ORR_OK) {
        fprintf(stderr, "opening: %s\n", err.text);
        _exit(2);
    }
    for (unsigned number = first;; number++) {
        struct sample sample;
        bool existed, done;
        enum orr_code code =
            orr_store_put(store, sample_of(&sample, number, "as put", 1000 + number, "node-1"), &existed, &err);
        if (code == ORR_OK)
            acknowledge(to, PUT, number);
        if (code == ORR_OK && number % 2) {
            code = orr_store_update(store, sample.id, 0, "renamed", NULL, &done, &err);
            if (code == ORR_OK)
                acknowledge(to, RENAMED, number);
        }
        if (code == ORR_OK && number % 3 == 0) {
            code = orr_store_delete(store, sample.id, 0, &done, &err);
            if (code == ORR_OK)
                acknowledge(to, DELETED, number);
        }
        if (code != ORR_OK) {
            fprintf(stderr, "writing: %s\n", err.text);
            _exit(4);
        }
    }
}

/* By number: what was acknowledged last, -1 if there is nothing. */
static signed char *acknowledged;
static unsigned used, total;

/* One life of a writer; it is killed after this many microseconds, which begin with its start or, however slow the
 * machine is, with its first acknowledgement. */
static void live(const struct place *place, unsigned microseconds, bool from_first)
{
    int ends[2], status;
    struct ack ack;
    assert_int_equal(pipe(ends), 0);
    pid_t writer = fork();
    assert_true(writer >= 0);
    if (!writer) {
        close(ends[0]);
        write_on(place, used, ends[1]);
    }
    close(ends[1]);
    if (from_first)
        assert_int_equal(poll(&(struct pollfd){.fd = ends[0], .events = POLLIN}, 1, 120000), 1);
    usleep(microseconds);
    kill(writer, SIGKILL);
    assert_int_equal(waitpid(writer, &status, 0), writer);
    assert_true(WIFSIGNALED(status));
    while (read(ends[0], &ack, sizeof ack) == (ssize_t)sizeof ack) {
        assert_true(ack.number < MOST - 1);
        acknowledged[ack.number] = (signed char)ack.what;
        if (ack.number >= used)
            used = ack.number + 1;
        total++;
    }
    close(ends[0]);
    used++; /* of the last one nothing may be known */
}

static void check_number(struct orr_store *store, unsigned number)
{
    struct sample sample;
    struct orr_error err = {0};
    struct orr_record record;
    char *bytes;
    size_t length;
    signed char last = acknowledged[number];
    sample_of(&sample, number, "", 0, "node-1");
    enum orr_code code = orr_store_get(store, sample.id, &record, &err);
    if (code == ORR_NOT_FOUND) { /* deleted, or being deleted, or never acknowledged */
        if (last != DELETED && last >= 0 && !(number % 3 == 0 && (last == RENAMED || number % 2 == 0)))
            fail_msg("number %u was acknowledged (%d) and is missing", number, last);
        return;
    }
    assert_ok(code, &err);
    if (last == DELETED)
        fail_msg("number %u was deleted and is there", number);
    if (last == RENAMED)
        assert_string_equal(record.name, "renamed");
    orr_record_release(&record);
    assert_ok(orr_store_read(store, sample.id, &bytes, &length, &err), &err);
    assert_string_equal(bytes, sample.bytes);
    free(bytes);
    struct orr_listing listing = {.limit = 1,
                                  .before = 1001 + number,
                                  .before_id = "",
                                  .labels = {{"host", "node-1"}, {"rack", sample.value}},
                                  .label_count = 2};
    struct orr_record *records;
    struct orr_visit *visits;
    uint32_t count;
    assert_ok(orr_store_list(store, &listing, &records, &count, &err), &err);
    assert_int_equal(count, 1);
    assert_string_equal(records[0].id, sample.id);
    orr_record_release(&records[0]);
    free(records);
    assert_ok(orr_store_history(store, "node-1", 0, "", 1000, &visits, &count, &err), &err);
    bool found = used >= 1000; /* the history of a host has an end */
    for (uint32_t i = 0; i < count; i++) {
        found = found || !strcmp(visits[i].id, sample.id);
        orr_visit_release(&visits[i]);
    }
    assert_true(found);
    free(visits);
}

TEST(nothing_acknowledged_is_lost_in_a_hundred_kills)
{
    enum { LONGEST_US = 100000 };
    struct place place;
    const char *asked = getenv("ORR_TEST_KILLS");
    int kills = asked ? atoi(asked) : 100;
    make_place(&place);
    acknowledged = malloc(MOST);
    assert_non_null(acknowledged);
    memset(acknowledged, -1, MOST);
    srand(20260101);
    for (int i = 0; i < kills; i++) {
        unsigned first = used;
        live(&place, (unsigned)rand() % LONGEST_US, i % 2);
        const struct orr_store_options options = {.location = place.location};
        struct orr_store *store;
        struct orr_error err = {0};
        assert_ok(orr_store_open(&options, &store, &err), &err);
        for (unsigned number = first; number <= used; number++)
            check_number(store, number);
        if (i == kills - 1)
            for (unsigned number = 0; number < used; number++)
                check_number(store, number);
        orr_store_close(store);
    }
    print_message("%d kills, %u acknowledged changes\n", kills, total);
    assert_true(total >= (unsigned)kills / 2);
    free(acknowledged);
    remove_place(&place);
}

TEST(a_kill_while_the_tables_are_made_leaves_a_database_that_opens)
{
    enum { ROUNDS = 12, LONGEST_US = 15000 };
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct place place;
        make_place(&place);
        pid_t opener = fork();
        assert_true(opener >= 0);
        if (!opener) {
            struct orr_store *store;
            const struct orr_store_options options = {.location = place.location};
            enum orr_code code = orr_store_open(&options, &store, NULL);
            pause();
            _exit(code != ORR_OK);
        }
        usleep((unsigned)rand() % LONGEST_US);
        kill(opener, SIGKILL);
        waitpid(opener, NULL, 0);
        struct orr_store *store = open_place(&place);
        struct orr_error err = {0};
        struct sample sample;
        bool existed;
        assert_ok(orr_store_put(store, sample_of(&sample, 1, "", 1000, NULL), &existed, &err), &err);
        assert_false(existed);
        orr_store_close(store);
        remove_place(&place);
    }
}
