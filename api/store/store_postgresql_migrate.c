/* SPDX-License-Identifier: Apache-2.0 */
/* Makes and updates the tables on PostgreSQL. Several processes may start at once. Each step is a transaction that
 * locks the row of the version, so the others wait for it and then find it done. Two processes may also create the
 * table of that row at once; one of them fails and tries again. */
#include <stdio.h>
#include <stdlib.h>

#include "api/store/store_postgresql.h"
#include "engine/base/clock.h"

enum { MIGRATION_MS = 600000 };

static enum orr_code read_version(struct orr_pg_session *session, int *ret_version, struct orr_error *err)
{
    PGresult *result = NULL;
    if (!PQsendQuery(session->connection, "SELECT version FROM orrery_schema WHERE id = 1 FOR UPDATE"))
        return orr_pg_lost(session, PQerrorMessage(session->connection), err);
    ORR_TRY(orr_pg_wait(session, orr_clock_ms() + MIGRATION_MS, &result, err));
    *ret_version = PQntuples(result) ? atoi(PQgetvalue(result, 0, 0)) : -1;
    PQclear(result);
    return ORR_OK;
}

/* One step, or none if nothing is left to do. */
static enum orr_code migrate_step(struct orr_pg_session *session, bool *ret_done, struct orr_error *err)
{
    char update[80];
    int version = -1;
    ORR_TRY(orr_pg_execute(session, "BEGIN", MIGRATION_MS, err));
    ORR_TRY(read_version(session, &version, err));
    if (version > ORR_SCHEMA_VERSION) {
        return orr_fail_with(err, ORR_STORE, NULL, "use a newer Orrery, or another database",
                             "the database has version %d, and this Orrery knows versions up to %d", version,
                             (int)ORR_SCHEMA_VERSION);
    }
    *ret_done = version == ORR_SCHEMA_VERSION;
    if (version < 0) {
        session->session.again = true;
        return orr_fail(err, ORR_STORE, "the table orrery_schema has no row");
    }
    if (!*ret_done) {
        snprintf(update, sizeof update, "UPDATE orrery_schema SET version = %d WHERE id = 1", version + 1);
        ORR_TRY(orr_pg_execute(session, orr_migrations[version].postgresql, MIGRATION_MS, err));
        ORR_TRY(orr_pg_execute(session, update, MIGRATION_MS, err));
    }
    return orr_pg_execute(session, "COMMIT", MIGRATION_MS, err);
}

enum orr_code orr_pg_migrate(struct orr_pg_session *session, struct orr_error *err)
{
    static const char make[] =
        "CREATE TABLE IF NOT EXISTS orrery_schema (id BIGINT PRIMARY KEY, version BIGINT NOT NULL)";
    bool done = false;
    ORR_TRY(orr_pg_execute(session, "SET statement_timeout = 0", MIGRATION_MS, err));
    ORR_TRY(orr_pg_execute(session, make, MIGRATION_MS, err));
    ORR_TRY(orr_pg_execute(session, "INSERT INTO orrery_schema (id, version) VALUES (1, 0) ON CONFLICT (id) DO NOTHING",
                           MIGRATION_MS, err));
    while (!done)
        ORR_TRY(migrate_step(session, &done, err));
    char reset[64];
    snprintf(reset, sizeof reset, "SET statement_timeout = %u", orr_pg_store_of(session)->timeout_ms);
    return orr_pg_execute(session, reset, MIGRATION_MS, err);
}
