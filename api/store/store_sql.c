/* SPDX-License-Identifier: Apache-2.0 */
#include "api/store/store_sql.h"

const struct orr_statement_info orr_statements[ORR_SQL_COUNT] = {
#define X(name, kinds, sql) [ORR_SQL_##name] = {#name, kinds, sql},
    ORR_STATEMENT_MAP(X)
#undef X
};

/* Kept apart from the dump itself, so that lists read little. */
#define CONTENT_TABLE                                                                                                  \
    "CREATE TABLE content ("                                                                                           \
    " topology TEXT PRIMARY KEY NOT NULL REFERENCES topology (id) ON DELETE CASCADE,"                                  \
    " body BYTEA NOT NULL);"

/* `created` is the topology's, so that the pages of a label follow an index. */
#define LABEL_TABLE                                                                                                    \
    "CREATE TABLE label ("                                                                                             \
    " topology TEXT NOT NULL REFERENCES topology (id) ON DELETE CASCADE,"                                              \
    " name TEXT NOT NULL,"                                                                                             \
    " value TEXT NOT NULL,"                                                                                            \
    " created BIGINT NOT NULL,"                                                                                        \
    " PRIMARY KEY (topology, name));"                                                                                  \
    "CREATE INDEX label_by_value ON label (name, value, created DESC, topology DESC);"

#define UPLOAD_TABLE                                                                                                   \
    "CREATE TABLE upload ("                                                                                            \
    " host TEXT NOT NULL,"                                                                                             \
    " at BIGINT NOT NULL,"                                                                                             \
    " topology TEXT NOT NULL REFERENCES topology (id) ON DELETE CASCADE,"                                              \
    " name TEXT NOT NULL,"                                                                                             \
    " labels TEXT NOT NULL,"                                                                                           \
    " PRIMARY KEY (host, at, topology));"                                                                              \
    "CREATE INDEX upload_by_topology ON upload (topology);"

/* A cluster names topologies, which may be deleted before the cluster. */
#define CLUSTER_TABLES                                                                                                 \
    "CREATE TABLE cluster ("                                                                                           \
    " id TEXT PRIMARY KEY NOT NULL,"                                                                                   \
    " digest TEXT NOT NULL,"                                                                                           \
    " created BIGINT NOT NULL,"                                                                                        \
    " name TEXT NOT NULL,"                                                                                             \
    " hosts BIGINT NOT NULL,"                                                                                          \
    " body TEXT NOT NULL);"                                                                                            \
    "CREATE INDEX cluster_by_time ON cluster (created DESC, id DESC);"                                                 \
    "CREATE TABLE cluster_topology ("                                                                                  \
    " cluster TEXT NOT NULL REFERENCES cluster (id) ON DELETE CASCADE,"                                                \
    " topology TEXT NOT NULL,"                                                                                         \
    " PRIMARY KEY (cluster, topology));"

/* shape is the same for dumps that differ only in GUIDs and host hashes; "" if not known yet. seq is the order of
 * arrival; for uploads stored before it existed, it is their time. */
#define SHAPES                                                                                                         \
    "ALTER TABLE topology ADD COLUMN shape TEXT NOT NULL DEFAULT '';"                                                  \
    "CREATE INDEX topology_by_shape ON topology (shape);"                                                              \
    "ALTER TABLE upload ADD COLUMN seq BIGINT NOT NULL DEFAULT 0;"                                                     \
    "UPDATE upload SET seq = at;"                                                                                      \
    "CREATE INDEX upload_by_sequence ON upload (seq);"                                                                 \
    "CREATE INDEX upload_of_host ON upload (host, seq);"

/* A host that uploaded something else than before: was and became are topologies. */
#define EVENT_TABLE                                                                                                    \
    "CREATE TABLE event ("                                                                                             \
    " seq BIGINT PRIMARY KEY NOT NULL,"                                                                                \
    " at BIGINT NOT NULL,"                                                                                             \
    " host TEXT NOT NULL,"                                                                                             \
    " was TEXT NOT NULL,"                                                                                              \
    " became TEXT NOT NULL REFERENCES topology (id) ON DELETE CASCADE,"                                                \
    " detail TEXT NOT NULL);"                                                                                          \
    "CREATE INDEX event_by_topology ON event (became);"

/* Bytes decide the order of `sort` on every engine. `host` has the collation of upload.host, because PostgreSQL would
 * not use the indexes of uploads with another one. */
#define ORR_HOST_TABLE(binary, rows)                                                                                   \
    "CREATE TABLE host ("                                                                                              \
    " sort TEXT" binary " NOT NULL,"                                                                                   \
    " host TEXT NOT NULL,"                                                                                             \
    " seq BIGINT NOT NULL,"                                                                                            \
    " topology TEXT NOT NULL,"                                                                                         \
    " shape TEXT NOT NULL,"                                                                                            \
    " at BIGINT NOT NULL,"                                                                                             \
    " labels TEXT NOT NULL,"                                                                                           \
    " about TEXT NOT NULL,"                                                                                            \
    " PRIMARY KEY (sort, host))" rows ";"                                                                              \
    "INSERT INTO host (" ORR_HOST_COLUMNS ") SELECT '', u.host, u.seq, t.id, t.shape, u.at, u.labels, t.about"         \
    " FROM (SELECT host, max(seq) AS seq FROM upload GROUP BY host) l"                                                 \
    " JOIN upload u ON u.host = l.host AND u.seq = l.seq JOIN topology t ON t.id = u.topology"                         \
    " WHERE NOT EXISTS (SELECT 1 FROM upload v WHERE v.host = u.host AND v.seq = u.seq AND v.topology > u.topology);"  \
    "CREATE INDEX host_by_topology ON host (topology);"

#define ORR_WORDS_TABLE(rows)                                                                                          \
    "CREATE TABLE words ("                                                                                             \
    " created BIGINT NOT NULL,"                                                                                        \
    " topology TEXT NOT NULL REFERENCES topology (id) ON DELETE CASCADE,"                                              \
    " text TEXT NOT NULL,"                                                                                             \
    " PRIMARY KEY (created, topology))" rows ";"                                                                       \
    "INSERT INTO words (created, topology, text) SELECT t.created, t.id, " ORR_WORDS " FROM topology t;"               \
    "CREATE INDEX words_by_topology ON words (topology);"

#define MEMBERS "DROP INDEX host_by_topology; CREATE INDEX host_by_topology ON host (topology, shape);"

const struct orr_migration orr_migrations[ORR_SCHEMA_VERSION] = {
    {.sqlite = "CREATE TABLE topology ("
               " id TEXT PRIMARY KEY NOT NULL,"
               " digest TEXT NOT NULL,"
               " created INTEGER NOT NULL,"
               " updated INTEGER NOT NULL,"
               " size INTEGER NOT NULL,"
               " name TEXT NOT NULL,"
               " labels TEXT NOT NULL,"
               " body BLOB NOT NULL"
               ") WITHOUT ROWID;"
               "CREATE INDEX topology_by_time ON topology (created DESC, id DESC);",
     .postgresql = "CREATE TABLE topology ("
                   " id TEXT PRIMARY KEY NOT NULL,"
                   " digest TEXT NOT NULL,"
                   " created BIGINT NOT NULL,"
                   " updated BIGINT NOT NULL,"
                   " seen BIGINT NOT NULL,"
                   " size BIGINT NOT NULL,"
                   " revision BIGINT NOT NULL,"
                   " name TEXT NOT NULL,"
                   " labels TEXT NOT NULL,"
                   " about TEXT NOT NULL);"
                   "CREATE INDEX topology_by_time ON topology (created DESC, id DESC);"
                   "CREATE INDEX topology_by_seen ON topology (seen);"},
    /* The table is rebuilt without the body, because SQLite before 3.35 cannot drop a column. seen is the time of the
     * last upload. */
    {.sqlite = "DROP INDEX topology_by_time;"
               "ALTER TABLE topology RENAME TO topology_1;"
               "CREATE TABLE topology ("
               " id TEXT PRIMARY KEY NOT NULL,"
               " digest TEXT NOT NULL,"
               " created INTEGER NOT NULL,"
               " updated INTEGER NOT NULL,"
               " size INTEGER NOT NULL,"
               " name TEXT NOT NULL,"
               " labels TEXT NOT NULL,"
               " seen BIGINT NOT NULL DEFAULT 0,"
               " revision BIGINT NOT NULL DEFAULT 1,"
               " about TEXT NOT NULL DEFAULT ''"
               ") WITHOUT ROWID;"
               "INSERT INTO topology (id, digest, created, updated, size, name, labels, seen)"
               " SELECT id, digest, created, updated, size, name, labels, created FROM topology_1;"
               "CREATE INDEX topology_by_time ON topology (created DESC, id DESC);"
               "CREATE INDEX topology_by_seen ON topology (seen);" CONTENT_TABLE LABEL_TABLE UPLOAD_TABLE
               "INSERT INTO content (topology, body) SELECT id, body FROM topology_1;"
               "DROP TABLE topology_1;"
               "INSERT INTO label (topology, name, value, created)"
               " SELECT t.id, j.key, j.value, t.created FROM topology t, json_each(t.labels) j;"
               "INSERT INTO upload (host, at, topology, name, labels)"
               " SELECT l.value, t.created, t.id, t.name, t.labels FROM topology t JOIN label l ON l.topology = t.id"
               " WHERE l.name = 'host';",
     .postgresql = CONTENT_TABLE LABEL_TABLE UPLOAD_TABLE},
    {.sqlite = CLUSTER_TABLES, .postgresql = CLUSTER_TABLES},
    {.sqlite = SHAPES, .postgresql = SHAPES},
    {.sqlite = EVENT_TABLE, .postgresql = EVENT_TABLE},
    {.sqlite = ORR_HOST_TABLE("", " WITHOUT ROWID") ORR_WORDS_TABLE(" WITHOUT ROWID"),
     .postgresql = ORR_HOST_TABLE(" COLLATE \"C\"", "") ORR_WORDS_TABLE("")},
    {.sqlite = MEMBERS, .postgresql = MEMBERS},
};
