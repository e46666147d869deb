/* SPDX-License-Identifier: Apache-2.0 */
/* Units of work, statements and cells, shared by the files of the store. */
#ifndef ORR_API_STORE_WORK_H
#define ORR_API_STORE_WORK_H

#include <string.h>

#include "api/store/store_driver.h"

/* A unit of work, which is done completely or not at all. It may be called several times, so it must reset its results
 * each time. */
typedef enum orr_code orr_store_work(struct orr_session *session, void *context, struct orr_error *err);

/* Runs a unit of work, in a transaction if it writes, and retries it after transient failures. */
enum orr_code orr_store_transact(struct orr_store *store, enum orr_store_operation operation, orr_store_work *work,
                                 void *context, struct orr_error *err) ORR_NO_DISCARD;

/* Runs a statement that changes rows. ret_changes: how many; may be NULL. */
static inline enum orr_code orr_run(struct orr_session *session, enum orr_statement statement,
                                    const struct orr_cell *cells, int64_t *ret_changes, struct orr_error *err)
{
    return session->store->driver->run(session, statement, cells, NULL, NULL, ret_changes, err);
}

/* Runs a statement that reads rows. */
static inline enum orr_code orr_query(struct orr_session *session, enum orr_statement statement,
                                      const struct orr_cell *cells, orr_row_reader *read, void *context,
                                      struct orr_error *err)
{
    return session->store->driver->run(session, statement, cells, read, context, NULL, err);
}

static inline struct orr_cell orr_text_cell(const char *text) /* NULL gives NULL */
{
    if (!text)
        return (struct orr_cell){.kind = ORR_CELL_NULL};
    return (struct orr_cell){.kind = ORR_CELL_TEXT, .data = text, .length = strlen(text)};
}

static inline struct orr_cell orr_int_cell(int64_t number)
{
    return (struct orr_cell){.kind = ORR_CELL_INT, .number = number};
}

/* A kind of row: the size of its item, and the functions that read cells into the item and release it (NULL if not
 * needed). */
struct orr_row_kind {
    size_t size;
    enum orr_code (*read)(const struct orr_cell *cells, void *item, struct orr_error *err);
    void (*release)(void *item);
};
/* Ends a reader: if the item is incomplete, releases it and returns NOMEM. */
static inline enum orr_code orr_item_whole(bool whole, void *item, void (*release)(void *item), struct orr_error *err)
{
    if (whole)
        return ORR_OK;
    release(item);
    return orr_fail_nomem(err);
}
/* Reads one row into an item of the caller, which stays unchanged if there is no row. */
enum orr_code orr_row_get(struct orr_store *store, enum orr_store_operation operation, const struct orr_row_kind *kind,
                          enum orr_statement statement, const struct orr_cell *cells, void *item, bool *ret_found,
                          struct orr_error *err);
/* Reads rows up to the limit into a new array, which the caller frees. */
enum orr_code orr_rows_list(struct orr_store *store, const struct orr_row_kind *kind, enum orr_statement statement,
                            const struct orr_cell *cells, uint32_t limit, void *ret_items, uint32_t *ret_count,
                            struct orr_error *err);
/* store_read.c: rows of ORR_RECORD_COLUMNS. */
extern const struct orr_row_kind orr_record_rows;
/* A copy of a cell's text, which the caller frees; NULL if memory runs out. */
char *orr_cell_text(const struct orr_cell *cell);
/* The same into a field of fixed size. */
void orr_cell_copy(const struct orr_cell *cell, char *target, size_t size);

enum orr_code orr_store_no_such(struct orr_error *err, const char *id);
/* Within a unit of work: whether the topology is stored. */
enum orr_code orr_store_find(struct orr_session *session, const char *id, bool *ret_found, struct orr_error *err);

/* store_fleet.c: keeps the row of a host in step with its uploads. */
/* In a transaction: after a visit of the host, and after a topology was deleted. */
enum orr_code orr_host_remember(struct orr_session *session, const char *host, struct orr_error *err);
enum orr_code orr_host_forget(struct orr_session *session, const char *id, struct orr_error *err);
/* Computes the sort key of hosts that were stored before there was one. */
enum orr_code orr_host_sort_all(struct orr_store *store, struct orr_error *err);

#endif
