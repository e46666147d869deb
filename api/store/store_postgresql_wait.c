/* SPDX-License-Identifier: Apache-2.0 */
/* Waits for PostgreSQL, but not forever, and interprets its errors. */
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <string.h>

#include "api/store/store_postgresql.h"
#include "engine/base/clock.h"

void orr_pg_say(char *text, size_t size, const char *message)
{
    const char *failed = strstr(message, "failed: ");
    message = failed ? failed + 8 : message;
    if (!strncmp(message, "FATAL:  ", 8) || !strncmp(message, "ERROR:  ", 8))
        message += 8;
    snprintf(text, size, "%.*s", (int)strcspn(message, "\n"), message);
}

enum orr_code orr_pg_lost(struct orr_pg_session *session, const char *why, struct orr_error *err)
{
    char text[160];
    orr_pg_say(text, sizeof text, why);
    PQfinish(session->connection);
    session->connection = NULL;
    session->session.again = true;
    return orr_fail_with(err, ORR_STORE, NULL, "try again shortly", "the connection to the database was lost: %s",
                         text);
}

/* How to react to a code of the server. */
static const struct reaction {
    const char *state;  /* SQLSTATE begins with */
    bool again, fresh;  /* the unit of work may be tried again; on a fresh connection */
    const char *advice; /* NULL if there is none */
} reactions[] = {
    {"40", true, false, NULL},    /* serialization failure, deadlock */
    {"23505", true, false, NULL}, /* another session inserted the same */
    {"42P07", true, false, NULL}, /* or made the same table, */
    {"42710", true, false, NULL}, /* which is a type as well */
    {"23503", true, false, NULL}, /* another session deleted what this refers to */
    {"57014", false, false, "the server took longer than --database-timeout"},
    {"57P", true, true, NULL},   /* shutting down, starting up */
    {"08", true, true, NULL},    /* connection */
    {"25006", true, true, NULL}, /* a standby: the URL may lead to the new primary now */
    {"26000", true, true, NULL}, /* prepared statements have vanished, because of a pooler in between or DISCARD */
    {"0A000", true, true, NULL}, /* the tables changed under a prepared statement */
    {"42P05", true, true, NULL}, /* a prepared statement of that name exists, because of a pooler in between */
    {"53100", false, false, "the server's disk is full"},
    {"53", false, false, "the server is short of resources: see its log"},
    {"42501", false, false, "the user of the URL needs CREATE, SELECT, INSERT, UPDATE and DELETE in its schema"},
};

static enum orr_code result_error(struct orr_pg_session *session, const PGresult *result, struct orr_error *err)
{
    const char *state = PQresultErrorField(result, PG_DIAG_SQLSTATE);
    const char *message = PQresultErrorField(result, PG_DIAG_MESSAGE_PRIMARY);
    if (PQstatus(session->connection) != CONNECTION_OK)
        return orr_pg_lost(session, PQerrorMessage(session->connection), err);
    const struct reaction *reaction = NULL;
    for (size_t i = 0; state && !reaction && i < sizeof reactions / sizeof reactions[0]; i++)
        if (!strncmp(state, reactions[i].state, strlen(reactions[i].state)))
            reaction = &reactions[i];
    if (reaction && reaction->fresh)
        return orr_pg_lost(session, message ? message : "the server ended it", err);
    if (reaction && reaction->again)
        session->session.again = true;
    orr_fail(err, ORR_STORE, "the database reports: %.160s", message ? message : PQerrorMessage(session->connection));
    if (reaction && reaction->advice)
        orr_error_advice(err, "%s", reaction->advice);
    return ORR_STORE;
}

enum orr_code orr_pg_wait(struct orr_pg_session *session, int64_t until, PGresult **ret_result, struct orr_error *err)
{
    PGresult *result = NULL;
    for (;;) {
        while (PQisBusy(session->connection)) {
            int64_t left = until - orr_clock_ms();
            struct pollfd poll_for = {.fd = PQsocket(session->connection), .events = POLLIN};
            int ready = left > 0 ? poll(&poll_for, 1, (int)left) : 0;
            if (ready < 0 && errno == EINTR)
                continue;
            if (ready <= 0) {
                PQclear(result);
                enum orr_code code = orr_pg_lost(session, "it did not answer in time", err);
                session->session.again = false;
                return code;
            }
            if (!PQconsumeInput(session->connection)) {
                PQclear(result);
                return orr_pg_lost(session, PQerrorMessage(session->connection), err);
            }
        }
        PGresult *next = PQgetResult(session->connection);
        if (!next)
            break;
        if (result && PQresultStatus(result) == PGRES_FATAL_ERROR) {
            PQclear(next); /* the first error counts */
        } else {
            PQclear(result);
            result = next;
        }
    }
    if (!result)
        return orr_pg_lost(session, PQerrorMessage(session->connection), err);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK && status != PGRES_EMPTY_QUERY) {
        enum orr_code code = result_error(session, result, err);
        PQclear(result);
        return code;
    }
    *ret_result = result;
    return ORR_OK;
}

enum orr_code orr_pg_execute(struct orr_pg_session *session, const char *sql, unsigned timeout_ms,
                             struct orr_error *err)
{
    PGresult *result = NULL;
    if (!session->connection)
        return orr_fail(err, ORR_STORE, "the connection to the database was lost");
    if (!PQsendQuery(session->connection, sql))
        return orr_pg_lost(session, PQerrorMessage(session->connection), err);
    ORR_TRY(orr_pg_wait(session, orr_clock_ms() + timeout_ms + ORR_PG_SLACK_MS, &result, err));
    PQclear(result);
    return ORR_OK;
}
