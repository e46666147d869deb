/* SPDX-License-Identifier: Apache-2.0 */
/* The interface of a database driver: sessions that run the statements of store_sql.h. What the store does with them
 * is written once, in store.c. */
#ifndef ORR_API_STORE_DRIVER_H
#define ORR_API_STORE_DRIVER_H

#include <pthread.h>
#include <stdatomic.h>

#include "api/store/store.h"
#include "api/store/store_sql.h"

enum orr_cell_kind { ORR_CELL_NULL, ORR_CELL_INT, ORR_CELL_TEXT, ORR_CELL_BYTES };

/* A parameter of a statement, or a value of a row. */
struct orr_cell {
    enum orr_cell_kind kind;
    int64_t number;
    const void *data; /* borrowed; in a row, valid until the reader returns, and text ends with a zero */
    size_t length;    /* of data */
};

/* Reads one row. Anything but OK ends the statement with that code. */
typedef enum orr_code orr_row_reader(void *context, const struct orr_cell *cells, struct orr_error *err);

/* The first member of every driver's session. Only one unit of work uses a session at a time. */
struct orr_session {
    struct orr_store *store;
    /* The last failure was transient (a lost connection, a conflict with another session), so the whole unit of work
     * may be retried. Set by the driver. */
    bool again;
};

struct orr_store_driver {
    const char *name;
    bool one; /* it runs one unit of work at a time */
    void (*close)(struct orr_store *store);
    enum orr_code (*take)(struct orr_store *store, struct orr_session **ret_session, struct orr_error *err);
    void (*give)(struct orr_session *session);
    enum orr_code (*begin)(struct orr_session *session, struct orr_error *err);
    enum orr_code (*commit)(struct orr_session *session, struct orr_error *err);
    void (*rollback)(struct orr_session *session);
    /* cells has as many entries as the statement has parameters. read is NULL if no rows are expected. ret_changes is
     * the number of rows changed, and may be NULL. */
    enum orr_code (*run)(struct orr_session *session, enum orr_statement statement, const struct orr_cell *cells,
                         orr_row_reader *read, void *context, int64_t *ret_changes, struct orr_error *err);
    /* Checks, in a transaction, that the database is writable. */
    enum orr_code (*check)(struct orr_session *session, struct orr_error *err);
    /* Frees reserved space, so that deletions work on a full disk. False if none is left; NULL if the driver reserves
     * none. */
    bool (*relieve)(struct orr_store *store);
    /* Returns free space to the system after deletions; NULL if the database does so itself. */
    void (*shrink)(struct orr_store *store);
};

/* The dumps that retention deleted for their age since the newest upload. */
struct orr_allowance {
    int64_t newest; /* 1 + that upload's number; 0 if not known yet */
    int64_t whole, taken;
};

/* The time that retention trusts: it advances with the boot clock, and follows the wall clock while both agree. */
struct orr_believed {
    bool begun;
    int64_t wall, boot;
};
/* store_keep.c: the time by which age is judged; wall and boot are the two clocks now. A jump of more than an hour is
 * ignored, and the earlier of two times counts, so that fewer dumps are old in case of doubt. */
int64_t orr_time_believed(struct orr_believed *believed, int64_t wall, int64_t boot);

/* Admission of calls to the store (store_door.c), and their recent results. */
struct orr_store_door {
    pthread_mutex_t lock;
    pthread_cond_t left;
    unsigned most, inside;
    int64_t progress; /* when a call last ended, or began in an idle store, by orr_clock_ms() */
};

/* The first member of every driver's structure. store.c fills the members after `driver`. */
struct orr_store {
    const struct orr_store_driver *driver;
    char place[256];
    int64_t keep_ms;
    uint32_t keep_count;
    pthread_mutex_t expiring; /* held for allowance while dumps expire */
    struct orr_allowance allowance;
    bool (*shape)(const char *bytes, size_t length, char ret_shape[ORR_DIGEST_LENGTH + 1]);
    void (*on_expired)(void *context, const char *id);
    void (*on_done)(void *context, enum orr_store_operation operation, uint64_t nanoseconds, enum orr_code code);
    void *context;
    struct orr_keeper *keeper; /* NULL if nothing expires */
    struct orr_store_door door;
    _Atomic uint64_t events;      /* those made by uploads to this process */
    _Atomic int64_t write_failed; /* when the last write failed, by orr_clock_ms(); 0 if it succeeded */
    atomic_bool damaged;          /* the database reported damage; set by the driver */
};

enum orr_code orr_store_sqlite_open(const char *path, const struct orr_store_options *options,
                                    struct orr_store **ret_store, struct orr_error *err);
enum orr_code orr_store_postgresql_open(const char *url, const struct orr_store_options *options,
                                        struct orr_store **ret_store, struct orr_error *err);

/* store_door.c */
void orr_door_init(struct orr_store_door *door, unsigned most);
void orr_door_release(struct orr_store_door *door);
/* Admits a call. STORE if the calls that are already in the store get no answer. */
enum orr_code orr_door_enter(struct orr_store_door *door, struct orr_error *err) ORR_NO_DISCARD;
void orr_door_leave(struct orr_store_door *door);

/* store_keep.c: the thread that lets dumps expire. NOMEM/IO if it cannot be started. */
enum orr_code orr_keeper_start(struct orr_store *store, struct orr_error *err);
void orr_keeper_stop(struct orr_keeper *keeper);
/* Announces an upload, so that a pass runs soon. NULL is allowed. */
void orr_keeper_wake(struct orr_keeper *keeper);

#endif
