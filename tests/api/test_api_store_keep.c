/* SPDX-License-Identifier: Apache-2.0 */
/* How long a store keeps what: retention by age and by number, and clusters beside their topologies. The same cases
 * hold every engine to it (see tests/support/stores.h). */
#include <stdatomic.h>

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
    assert_int_equal(expire(store, now + 6 * day - 1), 0);
    assert_int_equal(expire(store, now + 6 * day + 1), 1);
    assert_true(has(store, 1) && !has(store, 3));
    orr_store_close(store);
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
    store = open_with(&place, (struct orr_store_options){.keep_ms = INT64_MAX / 4});
    assert_int_equal(expire(store, INT64_MAX / 4 + 1900), ORR_EXPIRE_AT_ONCE);
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
    assert_error(orr_store_cluster_has(store, "c1", &err), ORR_NOT_FOUND, &err, "not stored any more");
    err = (struct orr_error){0};
    put_number(store, 2, "", 1002, NULL);
    assert_ok(orr_store_cluster_has(store, "c1", &err), &err);
    assert_ok(orr_store_cluster_delete(store, "c1", &err), &err);
    assert_error(orr_store_cluster_delete(store, "c1", &err), ORR_NOT_FOUND, &err, "no cluster");
    orr_store_close(store);
}
