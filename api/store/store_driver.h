/* What an engine behind the store provides. The store compresses and checks; a driver keeps rows. */
#ifndef ORR_API_STORE_DRIVER_H
#define ORR_API_STORE_DRIVER_H

#include "api/store/store.h"

struct orr_store_driver {
    const char *name;
    void (*close)(struct orr_store *store);
    /* body: compressed bytes */
    enum orr_code (*put)(struct orr_store *store, const struct orr_record *record, const void *body, size_t length,
                         bool *ret_existed, struct orr_error *err);
    enum orr_code (*get)(struct orr_store *store, const char *id, struct orr_record *ret_record, struct orr_error *err);
    /* the compressed bytes, free(), and the size before compression */
    enum orr_code (*read)(struct orr_store *store, const char *id, void **ret_body, size_t *ret_length,
                          size_t *ret_size, struct orr_error *err);
    enum orr_code (*list)(struct orr_store *store, const struct orr_listing *listing, struct orr_record *records,
                          uint32_t *ret_count, struct orr_error *err);
    enum orr_code (*update)(struct orr_store *store, const char *id, const char *name, const char *labels,
                            int64_t updated, struct orr_error *err);
    enum orr_code (*remove)(struct orr_store *store, const char *id, struct orr_error *err);
    enum orr_code (*check)(struct orr_store *store, struct orr_error *err);
};

/* The head of every driver's own structure. */
struct orr_store {
    const struct orr_store_driver *driver;
};

enum orr_code orr_store_sqlite_open(const char *location, struct orr_store **ret_store, struct orr_error *err);

/* Reports that a topology is not there. */
enum orr_code orr_store_no_such(struct orr_error *err, const char *id);

#endif
