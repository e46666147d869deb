/* Where dumps are kept: facts only (the bytes as uploaded, name, labels, times); results are recomputed or cached.
 *
 * One small interface, several engines behind it (store_driver.h). All functions may be called from many threads.
 * STORE where the database refuses or cannot be reached, NOT_FOUND where there is no such topology.
 */
#ifndef ORR_API_STORE_H
#define ORR_API_STORE_H

#include <stdint.h>

#include "engine/base/error.h"

struct orr_store;

enum { ORR_ID_LENGTH = 32, ORR_DIGEST_LENGTH = 64 };

struct orr_record {
    char id[ORR_ID_LENGTH + 1];         /* the first digits of the digest */
    char digest[ORR_DIGEST_LENGTH + 1]; /* SHA-256 of the bytes, hex */
    int64_t created, updated;           /* milliseconds since 1970 */
    int64_t size;                       /* of the bytes */
    char *name;                         /* owned; "" where none was given */
    char *labels;                       /* owned; a JSON object as text, "{}" where there are none */
};

struct orr_listing {
    uint32_t limit;
    int64_t before_created; /* continue behind this place of an earlier page; 0: from the newest */
    const char *before_id;  /* with before_created */
    const char *search;     /* a text that id, name or labels contain, NULL: all */
};

/* Opens or makes a database: a file, or ":memory:". */
enum orr_code orr_store_open(const char *location, struct orr_store **ret_store, struct orr_error *err) ORR_NO_DISCARD;
void orr_store_close(struct orr_store *store);

/* Keeps the bytes under record->id. Where they are there already (same digest), nothing is changed and *ret_existed is
 * true. INTERNAL where another content has the same id. Once this returned, the dump survives a crash. */
enum orr_code orr_store_put(struct orr_store *store, const struct orr_record *record, const char *bytes,
                            bool *ret_existed, struct orr_error *err) ORR_NO_DISCARD;
/* The facts about one topology; orr_record_release() them. */
enum orr_code orr_store_get(struct orr_store *store, const char *id, struct orr_record *ret_record,
                            struct orr_error *err) ORR_NO_DISCARD;
/* The bytes as uploaded, with a terminating zero; free() them. */
enum orr_code orr_store_read(struct orr_store *store, const char *id, char **ret_bytes, size_t *ret_length,
                             struct orr_error *err) ORR_NO_DISCARD;
/* A page, newest first. *ret_records: *ret_count of them in one array, each to be released, then free(). */
enum orr_code orr_store_list(struct orr_store *store, const struct orr_listing *listing,
                             struct orr_record **ret_records, uint32_t *ret_count,
                             struct orr_error *err) ORR_NO_DISCARD;
/* Changes name and labels; NULL leaves one as it is. */
enum orr_code orr_store_update(struct orr_store *store, const char *id, const char *name, const char *labels,
                               struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_store_delete(struct orr_store *store, const char *id, struct orr_error *err) ORR_NO_DISCARD;
/* Can it be written to? For readiness. */
enum orr_code orr_store_check(struct orr_store *store, struct orr_error *err) ORR_NO_DISCARD;

void orr_record_release(struct orr_record *record);

#endif
