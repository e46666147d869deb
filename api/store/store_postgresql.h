/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the PostgreSQL store: its sessions, and waiting for their results. */
#ifndef ORR_API_STORE_POSTGRESQL_H
#define ORR_API_STORE_POSTGRESQL_H

#include <libpq-fe.h>

#include "api/store/store_driver.h"
#include "engine/base/clock.h"

enum { ORR_PG_SLACK_MS = 2000 }; /* time that this side waits beyond the server's own limit */

struct orr_pg_session {
    struct orr_session session;
    PGconn *connection;
    bool prepared[ORR_SQL_COUNT];
    struct orr_pg_session *next; /* idle */
};

struct orr_pg_store {
    struct orr_store store;
    char *url;
    unsigned timeout_ms, most;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    struct orr_pg_session *idle;
    unsigned open;      /* idle and in use */
    int64_t refused_at; /* when connecting last failed, on the monotonic clock; 0 if it succeeded */
    struct orr_error refusal;
};

static inline struct orr_pg_store *orr_pg_store_of(struct orr_pg_session *session)
{
    return (struct orr_pg_store *)session->session.store;
}

/* Copies a message of libpq as one line, without the name of the server, which clients need not know. */
void orr_pg_say(char *text, size_t size, const char *message);
/* Closes a broken connection; the unit of work may be retried on another one. Returns STORE. */
enum orr_code orr_pg_lost(struct orr_pg_session *session, const char *why, struct orr_error *err);
/* Waits for the result of the last query, at most until a time of orr_clock_ms(). A failure becomes the error that fits
 * the server's code. The caller frees the result with PQclear(). */
enum orr_code orr_pg_wait(struct orr_pg_session *session, int64_t until, PGresult **ret_result,
                          struct orr_error *err) ORR_NO_DISCARD;
/* Runs SQL without parameters, possibly several statements. */
enum orr_code orr_pg_execute(struct orr_pg_session *session, const char *sql, unsigned timeout_ms,
                             struct orr_error *err) ORR_NO_DISCARD;
/* Brings the tables up to date. */
enum orr_code orr_pg_migrate(struct orr_pg_session *session, struct orr_error *err) ORR_NO_DISCARD;

#endif
