/* SPDX-License-Identifier: Apache-2.0 */
/* Databases to test against: SQLite files in a temporary folder, or schemas of the PostgreSQL that the environment's
 * ORR_TEST_POSTGRESQL names (tests/support/postgresql.py sets it). The same tests run on both. */
#ifndef ORR_TEST_STORES_H
#define ORR_TEST_STORES_H

#include <libpq-fe.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include "api/store/store.h"
#include "tests/support/orr_test.h"

struct place {
    char folder[64]; /* "" with PostgreSQL */
    char location[512];
    char schema[64];
};

static inline const char *postgresql(void)
{
    return getenv("ORR_TEST_POSTGRESQL");
}

/* Runs a statement beside the store; gives the first value of the first row, "" if there is none. */
static inline const char *beside(const char *sql)
{
    static char value[256];
    PGconn *connection = PQconnectdb(postgresql());
    PQclear(PQexec(connection, "SET client_min_messages = warning"));
    PGresult *result = PQexec(connection, sql);
    ExecStatusType status = PQresultStatus(result);
    if (status != PGRES_COMMAND_OK && status != PGRES_TUPLES_OK)
        fail_msg("%s: %s", sql, PQerrorMessage(connection));
    snprintf(value, sizeof value, "%s", PQntuples(result) ? PQgetvalue(result, 0, 0) : "");
    PQclear(result);
    PQfinish(connection);
    return value;
}

/* An empty database. */
static inline void make_place(struct place *place)
{
    static unsigned count;
    memset(place, 0, sizeof *place);
    if (postgresql()) {
        char sql[128];
        snprintf(place->schema, sizeof place->schema, "t%d_%u", (int)getpid(), count++);
        snprintf(sql, sizeof sql, "CREATE SCHEMA %s", place->schema);
        beside(sql);
        snprintf(place->location, sizeof place->location, "%s?options=-csearch_path%%3D%s", postgresql(),
                 place->schema);
    } else {
        snprintf(place->folder, sizeof place->folder, "/tmp/orr-store-XXXXXX");
        assert_non_null(mkdtemp(place->folder));
        snprintf(place->location, sizeof place->location, "%s/a.db", place->folder);
    }
}

static inline void remove_place(const struct place *place)
{
    static const char *const endings[] = {"", "-wal", "-shm"};
    char text[640];
    if (postgresql()) {
        snprintf(text, sizeof text, "DROP SCHEMA %s CASCADE", place->schema);
        beside(text);
        return;
    }
    for (int i = 0; i < 3; i++) {
        snprintf(text, sizeof text, "%s%s", place->location, endings[i]);
        unlink(text);
    }
    rmdir(place->folder);
}

static inline struct orr_store *open_with(const struct place *place, struct orr_store_options options)
{
    struct orr_store *store = NULL;
    struct orr_error err = {0};
    options.location = place->location;
    assert_ok(orr_store_open(&options, &store, &err), &err);
    return store;
}

static inline struct orr_store *open_place(const struct place *place)
{
    return open_with(place, (struct orr_store_options){0});
}

/* A dump of a number, with a name and labels. */
struct sample {
    struct orr_upload upload;
    char id[ORR_ID_LENGTH + 1], digest[ORR_DIGEST_LENGTH + 1], bytes[64], labels[128], value[16];
    struct orr_store_label pairs[2];
};

static inline struct orr_upload *sample_of(struct sample *sample, unsigned number, const char *name, int64_t at,
                                           const char *host)
{
    snprintf(sample->id, sizeof sample->id, "%032x", number);
    snprintf(sample->digest, sizeof sample->digest, "%032x%032x", number, number);
    snprintf(sample->bytes, sizeof sample->bytes, "<system number=\"%u\"/>", number);
    snprintf(sample->value, sizeof sample->value, "%u", number % 3);
    uint32_t count = 0;
    sample->pairs[count++] = (struct orr_store_label){.name = "rack", .value = sample->value};
    if (host)
        sample->pairs[count++] = (struct orr_store_label){.name = "host", .value = host};
    snprintf(sample->labels, sizeof sample->labels, host ? "{\"host\":\"%s\",\"rack\":\"%s\"}" : "{%s\"rack\":\"%s\"}",
             host ? host : "", sample->value);
    sample->upload = (struct orr_upload){
        .id = sample->id,
        .digest = sample->digest,
        .bytes = sample->bytes,
        .size = strlen(sample->bytes),
        .at = at,
        .name = name,
        .labels = {.text = sample->labels, .pairs = sample->pairs, .count = count},
        .host = host,
        .about = number % 2 ? "8 Hopper GPUs" : "4 Volta GPUs",
    };
    return &sample->upload;
}

#endif
