#include "api/store/store.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "api/store/store_driver.h"

enum orr_code orr_store_open(const char *location, struct orr_store **ret_store, struct orr_error *err)
{
    if (!strncmp(location, "postgresql://", 13) || !strncmp(location, "postgres://", 11)) {
        orr_fail(err, ORR_UNSUPPORTED, "PostgreSQL is not supported by this version");
        orr_error_advice(err, "give the path of a file for SQLite, or :memory:");
        return ORR_UNSUPPORTED;
    }
    return orr_store_sqlite_open(location, ret_store, err);
}

void orr_store_close(struct orr_store *store)
{
    if (store)
        store->driver->close(store);
}

enum orr_code orr_store_put(struct orr_store *store, const struct orr_record *record, const char *bytes,
                            bool *ret_existed, struct orr_error *err)
{
    uLongf length = compressBound((uLong)record->size);
    Bytef *body = malloc(length);
    if (!body)
        return orr_fail_nomem(err);
    enum orr_code code = ORR_OK;
    if (compress2(body, &length, (const Bytef *)bytes, (uLong)record->size, Z_DEFAULT_COMPRESSION) != Z_OK)
        code = orr_fail_nomem(err);
    else
        code = store->driver->put(store, record, body, length, ret_existed, err);
    free(body);
    return code;
}

enum orr_code orr_store_get(struct orr_store *store, const char *id, struct orr_record *ret_record,
                            struct orr_error *err)
{
    return store->driver->get(store, id, ret_record, err);
}

enum orr_code orr_store_read(struct orr_store *store, const char *id, char **ret_bytes, size_t *ret_length,
                             struct orr_error *err)
{
    void *body;
    size_t length, size;
    ORR_TRY(store->driver->read(store, id, &body, &length, &size, err));
    char *bytes = malloc(size + 1);
    uLongf written = (uLongf)size;
    enum orr_code code = ORR_OK;
    if (!bytes)
        code = orr_fail_nomem(err);
    else if (uncompress((Bytef *)bytes, &written, body, (uLong)length) != Z_OK || written != size)
        code = orr_fail(err, ORR_STORE, "the stored bytes of topology %.32s are damaged", id);
    free(body);
    if (code != ORR_OK) {
        free(bytes);
        return code;
    }
    bytes[size] = 0;
    *ret_bytes = bytes;
    *ret_length = size;
    return ORR_OK;
}

enum orr_code orr_store_list(struct orr_store *store, const struct orr_listing *listing,
                             struct orr_record **ret_records, uint32_t *ret_count, struct orr_error *err)
{
    struct orr_record *records = calloc(listing->limit + 1u, sizeof *records);
    if (!records)
        return orr_fail_nomem(err);
    enum orr_code code = store->driver->list(store, listing, records, ret_count, err);
    if (code != ORR_OK) {
        for (uint32_t i = 0; i < listing->limit; i++)
            orr_record_release(&records[i]);
        free(records);
        return code;
    }
    *ret_records = records;
    return ORR_OK;
}

enum orr_code orr_store_update(struct orr_store *store, const char *id, const char *name, const char *labels,
                               struct orr_error *err)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return store->driver->update(store, id, name, labels, (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000, err);
}

enum orr_code orr_store_delete(struct orr_store *store, const char *id, struct orr_error *err)
{
    return store->driver->remove(store, id, err);
}

enum orr_code orr_store_check(struct orr_store *store, struct orr_error *err)
{
    return store->driver->check(store, err);
}

void orr_record_release(struct orr_record *record)
{
    free(record->name);
    free(record->labels);
    record->name = record->labels = NULL;
}

enum orr_code orr_store_no_such(struct orr_error *err, const char *id)
{
    orr_fail(err, ORR_NOT_FOUND, "there is no topology %.32s", id);
    orr_error_advice(err, "GET /v1/topologies lists those that are stored");
    return ORR_NOT_FOUND;
}
