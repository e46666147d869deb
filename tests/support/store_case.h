/* SPDX-License-Identifier: Apache-2.0 */
/* A test on an empty database of its own, and short words for what tests do with a store most. */
#ifndef ORR_TEST_STORE_CASE_H
#define ORR_TEST_STORE_CASE_H

#include "tests/support/stores.h"

static struct place place;

void before_each(void)
{
    make_place(&place);
}

void after_each(void)
{
    remove_place(&place);
}

static inline bool put(struct orr_store *store, const struct orr_upload *upload)
{
    struct orr_error err = {0};
    bool existed;
    assert_ok(orr_store_put(store, upload, &existed, &err), &err);
    return existed;
}

static inline bool put_number(struct orr_store *store, unsigned number, const char *name, int64_t at, const char *host)
{
    struct sample sample;
    return put(store, sample_of(&sample, number, name, at, host));
}

static inline struct orr_record get(struct orr_store *store, unsigned number)
{
    char id[ORR_ID_LENGTH + 1];
    struct orr_record record = {.name = NULL};
    struct orr_error err = {0};
    snprintf(id, sizeof id, "%032x", number);
    assert_ok(orr_store_get(store, id, &record, &err), &err);
    return record;
}

static inline bool has(struct orr_store *store, unsigned number)
{
    char id[ORR_ID_LENGTH + 1];
    struct orr_error err = {0};
    snprintf(id, sizeof id, "%032x", number);
    enum orr_code code = orr_store_has(store, id, &err);
    if (code != ORR_NOT_FOUND)
        assert_ok(code, &err);
    return code == ORR_OK;
}

static inline uint32_t list(struct orr_store *store, struct orr_listing listing, char ids[][ORR_ID_LENGTH + 1])
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

static inline struct orr_listing with_labels(const char *name, const char *value, const char *second,
                                             const char *its_value)
{
    return (struct orr_listing){.limit = 9,
                                .labels = {{.name = name, .value = value}, {.name = second, .value = its_value}},
                                .label_count = second ? 2 : 1};
}

#endif
