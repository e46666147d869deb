/* SPDX-License-Identifier: Apache-2.0 */
/* How long a store keeps what: retention by age and by number, and clusters beside their topologies. The same cases
 * hold every engine to it (see tests/support/stores.h). */
#include <stdatomic.h>

#include "api/store/store_driver.h"
#include "engine/base/clock.h"
#include "tests/support/store_case.h"

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

TEST(old_dumps_expire_by_their_last_upload)
{
    struct orr_store *store = open_place(&place);
    int64_t now = orr_wall_ms(), day = 86400000;
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
    put_number(store, 4, "", now + 6 * day, NULL);
    assert_int_equal(expire(store, now + 6 * day - 1), 0);
    assert_int_equal(expire(store, now + 6 * day + 1), 1);
    assert_true(has(store, 1) && !has(store, 3));
    orr_store_close(store);
}

TEST(a_clock_that_jumps_does_not_empty_the_store)
{
    enum { COUNT = 50, A_TENTH = 5 };
    const int64_t now = orr_wall_ms(), day = 86400000;
    struct orr_store *store = open_place(&place);
    int64_t due, stored;
    struct orr_error err = {0};
    char ids[300][ORR_ID_LENGTH + 1];
    for (unsigned i = 0; i < COUNT; i++)
        put_number(store, i, "", now - day + i, NULL);
    orr_store_close(store);
    store = open_with(&place, (struct orr_store_options){.keep_ms = 10 * day});
    assert_ok(orr_store_due(store, now, &due, &stored, &err), &err);
    assert_true(due == 0 && stored == COUNT);
    assert_ok(orr_store_due(store, now + 11 * day, &due, &stored, &err), &err);
    assert_true(due == COUNT && stored == COUNT);
    /* Eleven days ahead: a tenth at most, however often it looks. */
    uint32_t gone = 0;
    for (int pass = 0; pass < 20; pass++)
        gone += expire(store, now + 11 * day);
    assert_int_equal(gone, A_TENTH);
    assert_int_equal(list(store, (struct orr_listing){.limit = 99}, ids), COUNT - A_TENTH);
    put_number(store, 100, "", now + 11 * day, NULL); /* the service is used: a tenth more */
    for (int pass = 0; pass < 20; pass++)
        gone += expire(store, now + 11 * day);
    assert_int_equal(gone, 2 * A_TENTH);
    orr_store_close(store);
}

TEST(a_jump_of_the_clock_is_not_believed)
{
    enum { MINUTE = 60000 };
    const int64_t day = 86400000, start = 1700000000000;
    struct orr_believed time = {0};
    assert_true(orr_time_believed(&time, start, 5000) == start);
    assert_true(orr_time_believed(&time, start + MINUTE + 900, 5000 + MINUTE) == start + MINUTE + 900); /* it drifts */
    assert_true(orr_time_believed(&time, start + 11 * day, 5000 + 2 * MINUTE) == start + 2 * MINUTE + 900);
    assert_true(orr_time_believed(&time, start + 11 * day + MINUTE, 5000 + 3 * MINUTE) == start + 3 * MINUTE + 900);
    /* Set back: what is stored under the earlier time is not old. */
    assert_true(orr_time_believed(&time, start - 11 * day, 5000 + 4 * MINUTE) == start - 11 * day);
    assert_true(orr_time_believed(&time, start + 5 * MINUTE, 5000 + 5 * MINUTE) ==
                start + 5 * MINUTE); /* right again */
    /* A machine that slept: both clocks went on. */
    assert_true(orr_time_believed(&time, start + day, 5000 + day) == start + day);
}

TEST(only_so_many_dumps_are_kept)
{
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
    store = open_with(&place, (struct orr_store_options){.keep_count = 10});
    for (int pass = 0; pass < 3; pass++) /* the thread of retention takes part */
        assert_in_range(expire(store, 0), 0, ORR_EXPIRE_AT_ONCE);
    assert_int_equal(list(store, (struct orr_listing){.limit = 299}, ids), 10);
    orr_store_close(store);
}

TEST(clusters_are_kept_beside_their_topologies)
{
    struct orr_store *store = open_place(&place);
    struct orr_error err = {0};
    char topology[2][ORR_ID_LENGTH + 1];
    bool existed = true, done;
    put_number(store, 1, "", 1000, NULL);
    put_number(store, 2, "", 1001, NULL);
    snprintf(topology[0], sizeof topology[0], "%032x", 1);
    snprintf(topology[1], sizeof topology[1], "%032x", 2);
    const char *const topologies[] = {topology[0], topology[1]}, *const missing[] = {topology[0], "none"};
    char name[] = "row 7", body[] = "{\"hosts\":[]}";
    struct orr_cluster_record record = {
        .id = "c1", .digest = "d1", .created = 5, .hosts = 3, .name = name, .body = body};
    struct orr_cluster_record got, *all;
    uint32_t count;
    assert_error(orr_store_cluster_put(store, &record, missing, 2, &existed, &err), ORR_NOT_FOUND, &err, "no topology");
    err = (struct orr_error){0};
    assert_error(orr_store_cluster_get(store, "c1", &got, &err), ORR_NOT_FOUND, &err, "no cluster");
    err = (struct orr_error){0};
    assert_ok(orr_store_cluster_put(store, &record, topologies, 2, &existed, &err), &err);
    assert_false(existed);
    record.name = body; /* another name of the same: the first stays */
    assert_ok(orr_store_cluster_put(store, &record, topologies, 2, &existed, &err), &err);
    assert_true(existed);
    assert_ok(orr_store_cluster_get(store, "c1", &got, &err), &err);
    assert_string_equal(got.name, "row 7");
    assert_string_equal(got.body, "{\"hosts\":[]}");
    assert_true(got.created == 5 && got.hosts == 3);
    orr_cluster_record_release(&got);
    snprintf(record.id, sizeof record.id, "c2");
    record.created = 6;
    assert_ok(orr_store_cluster_put(store, &record, topologies, 1, &existed, &err), &err);
    assert_ok(orr_store_clusters(store, 0, NULL, 1, &all, &count, &err), &err);
    assert_true(count == 1 && !strcmp(all[0].id, "c2") && !all[0].body[0]);
    orr_cluster_record_release(&all[0]);
    free(all);
    assert_ok(orr_store_clusters(store, 6, "c2", 5, &all, &count, &err), &err);
    assert_true(count == 1 && !strcmp(all[0].id, "c1"));
    orr_cluster_record_release(&all[0]);
    free(all);
    /* Deleting a topology leaves the cluster, which then says what it lacks. */
    assert_ok(orr_store_delete(store, topology[1], 0, &done, &err), &err);
    assert_ok(orr_store_cluster_has(store, "c2", &err), &err);
    assert_error(orr_store_cluster_has(store, "c1", &err), ORR_NOT_FOUND, &err, "no longer stored");
    err = (struct orr_error){0};
    put_number(store, 2, "", 1002, NULL);
    assert_ok(orr_store_cluster_has(store, "c1", &err), &err);
    assert_ok(orr_store_cluster_delete(store, "c1", &err), &err);
    assert_error(orr_store_cluster_delete(store, "c1", &err), ORR_NOT_FOUND, &err, "no cluster");
    orr_store_close(store);
}
