/* SPDX-License-Identifier: Apache-2.0 */
/* What a store keeps and answers, held to its interface: the same cases hold every engine to it (see
 * tests/support/stores.h). */
#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "engine/base/sorting.h"
#include "tests/support/store_case.h"

TEST(what_is_put_comes_back)
{
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

TEST(a_dump_of_any_bytes_comes_back_as_it_was)
{
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
    struct orr_budget enough = {.memory = 2 * SIZE}, little = {.memory = SIZE / 2};
    orr_budget_begin(&enough);
    assert_ok(orr_store_read(store, upload->id, &back, &length, &err), &err);
    assert_true(enough.held > SIZE);
    orr_budget_free(back, length + 1);
    assert_int_equal(enough.held, 0);
    orr_budget_begin(&little); /* what is unpacked counts before it is */
    assert_int_not_equal(orr_store_read(store, upload->id, &back, &length, &err), ORR_OK);
    orr_budget_end();
    assert_int_equal(little.spent, ORR_SPENT_MEMORY);
    free(bytes);
    orr_store_close(store);
}

TEST(two_contents_never_share_an_id)
{
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

TEST(a_change_meets_the_revision_it_asks_for_or_nothing)
{
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

TEST(lists_are_newest_first_and_go_on_where_they_ended)
{
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

TEST(searching_looks_at_name_labels_digest_and_machine)
{
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

TEST(labels_narrow_a_list_and_follow_changes)
{
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
    assert_int_equal(list(store, with_labels("rack", "0", "host", "node-1"), ids), 2); /* in any order */
    assert_int_equal(list(store, with_labels("rack", "0", "host", "nobody"), ids), 0);
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

TEST(each_upload_of_a_host_leaves_a_line)
{
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
    const int64_t sequence = visits[0].sequence;
    free(visits);
    assert_ok(
        orr_store_history(store, "node-1", sequence, "00000000000000000000000000000002", 1, &visits, &count, &err),
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
    /* The record is the first upload's; deleting it also deletes its lines. */
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

static void names_of_hosts(struct orr_store *store, const char *after, char *text, size_t size)
{
    struct orr_error err = {0};
    struct orr_host *hosts;
    uint32_t count;
    assert_ok(orr_store_hosts(store, after, 99, &hosts, &count, &err), &err);
    text[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(text + strlen(text), size - strlen(text), "%s ", hosts[i].name);
        orr_host_release(&hosts[i]);
    }
    free(hosts);
}

TEST(hosts_are_in_natural_order_and_go_on_after_any_name)
{
    static const char *const names[] = {"n10", "n9",    "n",      "n010", "n1b", "n1",
                                        "m99", "n10-2", "n10-10", "n9a",  "0",   "-"};
    struct orr_store *store = open_place(&place);
    char text[256];
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++)
        put_number(store, i, "", 1000 + i, names[i]);
    names_of_hosts(store, "", text, sizeof text);
    assert_string_equal(text, "- 0 m99 n n1 n1b n9 n9a n010 n10 n10-2 n10-10 ");
    const char *before = strtok(text, " ");
    for (const char *name; (name = strtok(NULL, " ")); before = name)
        assert_true(orr_order_naturally(before, name) < 0); /* the same rule as in lists that the engine sorts */
    names_of_hosts(store, "n9", text, sizeof text);
    assert_string_equal(text, "n9a n010 n10 n10-2 n10-10 ");
    names_of_hosts(store, "n9zzz", text, sizeof text); /* which no host has */
    assert_string_equal(text, "n010 n10 n10-2 n10-10 ");
    orr_store_close(store);
}

/* "host:number of the last topology:time" of each host. */
static void last_of_hosts(struct orr_store *store, char *text, size_t size)
{
    struct orr_error err = {0};
    struct orr_fleet_host *hosts;
    uint32_t count;
    assert_ok(orr_store_fleet(store, 99, &hosts, &count, &err), &err);
    text[0] = 0;
    for (uint32_t i = 0; i < count; i++) {
        snprintf(text + strlen(text), size - strlen(text), "%s:%s:%d ", hosts[i].name, hosts[i].id + 31,
                 (int)hosts[i].at);
        orr_fleet_host_release(&hosts[i]);
    }
    free(hosts);
}

TEST(the_last_upload_of_a_host_follows_uploads_and_deletions)
{
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct sample sample;
    char text[256];
    bool done;
    put_number(store, 1, "", 1000, "a");
    put_number(store, 2, "", 2000, "a");
    put_number(store, 2, "", 2100, "b");
    put_number(store, 3, "", 500, "c"); /* the clock was set back; and the same once more changes nothing */
    put_number(store, 1, "", 1000, "a");
    last_of_hosts(store, text, sizeof text);
    assert_string_equal(text, "a:2:2000 b:2:2100 c:3:500 ");
    sample_of(&sample, 2, "", 0, NULL);
    assert_ok(orr_store_delete(store, sample.id, 99, &done, &err), &err); /* another revision */
    assert_false(done);
    last_of_hosts(store, text, sizeof text);
    assert_string_equal(text, "a:2:2000 b:2:2100 c:3:500 ");
    assert_ok(orr_store_delete(store, sample.id, 0, &done, &err), &err);
    last_of_hosts(store, text, sizeof text);
    assert_string_equal(text, "a:1:1000 c:3:500 ");
    put_number(store, 3, "", 3000, "a");
    last_of_hosts(store, text, sizeof text);
    assert_string_equal(text, "a:3:3000 c:3:500 ");
    orr_store_close(store);
}

TEST(a_clock_that_is_set_back_does_not_change_which_upload_is_the_last)
{
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    struct orr_visit *visits;
    struct orr_set_member member;
    struct orr_host *hosts;
    uint32_t count;
    char id[ORR_ID_LENGTH + 1];
    put_number(store, 1, "before", 900000, "node-1");
    put_number(store, 2, "after", 1000, "node-1"); /* the clock was set back in between */
    assert_ok(orr_store_history(store, "node-1", 0, NULL, 1, &visits, &count, &err), &err);
    assert_string_equal(visits[0].name, "after");
    orr_visit_release(&visits[0]);
    free(visits);
    for (unsigned number = 1; number <= 2; number++) {
        snprintf(id, sizeof id, "%032x", number);
        assert_ok(orr_store_member(store, id, &member, &err), &err);
        assert_int_equal(member.hosts, number == 2);
    }
    assert_ok(orr_store_hosts(store, "", 1, &hosts, &count, &err), &err);
    assert_int_equal(hosts[0].last, 1000);
    orr_host_release(&hosts[0]);
    free(hosts);
    orr_store_close(store);
}

TEST(a_hosts_history_has_an_end)
{
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
