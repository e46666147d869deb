/* SPDX-License-Identifier: Apache-2.0 */
/* All SQL of the store, plain enough for SQLite, PostgreSQL, and servers that speak the PostgreSQL protocol. Parameters
 * are $1, $2 ... of the kinds that the row names: i integer, t text, b bytes. Integers are BIGINT, bytes BYTEA (SQLite
 * accepts any type name). */
#ifndef ORR_API_STORE_SQL_H
#define ORR_API_STORE_SQL_H

enum { ORR_MOST_CELLS = 12 };

#define ORR_RECORD_COLUMNS "t.id, t.digest, t.created, t.updated, t.size, t.revision, t.name, t.labels, t.shape"

/* Topologies, their shapes, and the number of hosts whose last upload each is; -1 if no host ever uploaded it. The
 * index of hosts by topology contains both, so most members are read from it alone. */
#define ORR_MEMBER_ROWS(id, from, where)                                                                               \
    "SELECT " id ", coalesce(nullif(coalesce(min(h.shape), (SELECT s.shape FROM topology s WHERE s.id = " id           \
    ")), ''), " id "), CASE WHEN count(h.host) > 0 THEN count(h.host) WHEN EXISTS (SELECT 1 FROM upload u"             \
    " WHERE u.topology = " id ") THEN CAST(0 AS BIGINT) ELSE CAST(-1 AS BIGINT) END FROM " from                        \
    " LEFT JOIN host h ON h.topology = " id " WHERE " where

/* The table of hosts, with a row for the last upload of each. sort: a key whose bytes sort in natural order. */
#define ORR_HOST_COLUMNS "sort, host, seq, topology, shape, at, labels, about"
#define ORR_HOST_NEW                                                                                                   \
    "seq = excluded.seq, topology = excluded.topology, shape = excluded.shape, at = excluded.at,"                      \
    " labels = excluded.labels, about = excluded.about"

#define ORR_CLUSTER_COLUMNS "id, digest, created, name, hosts"

/* The text that searches cover, in lower case, in its own table, which is faster to read than topologies. */
#define ORR_WORDS     "lower(t.digest || ' ' || t.name || ' ' || t.labels || ' ' || t.about)"
#define ORR_HAS_WORDS " w.text LIKE lower($4) ESCAPE '\\'"
/* A match must be within one of the four. */
#define ORR_MATCHES_SEARCH                                                                                             \
    " (lower(t.name) LIKE lower($4) ESCAPE '\\' OR lower(t.labels) LIKE lower($4) ESCAPE '\\'"                         \
    " OR t.digest LIKE lower($4) ESCAPE '\\' OR lower(t.about) LIKE lower($4) ESCAPE '\\')"

/* (PostgreSQL would read all topologies that have a common label for an EXISTS.) */
#define ORR_HAS_LABEL(name, value)                                                                                     \
    " (" name " IS NULL OR " value " = (SELECT x.value FROM label x WHERE x.topology = l.topology AND x.name = " name  \
    "))"

/* Lists of topologies: before, before_id, limit; the same with a pattern; the same with up to four labels. Topologies
 * with the first label are checked for the others. */
#define ORR_FOUND "(w.created, w.topology) < ($1, $2) AND" ORR_HAS_WORDS " AND t.id = w.topology AND" ORR_MATCHES_SEARCH
#define ORR_LABELLED                                                                                                   \
    "l.name = $5 AND l.value = $6 AND (l.created, l.topology) < ($1, $2)"                                              \
    " AND ($4 IS NULL OR EXISTS (SELECT 1 FROM words w CROSS JOIN topology t WHERE w.created = l.created"              \
    " AND w.topology = l.topology AND" ORR_HAS_WORDS " AND t.id = l.topology AND" ORR_MATCHES_SEARCH                   \
    ")) AND" ORR_HAS_LABEL("$7", "$8") " AND" ORR_HAS_LABEL("$9", "$10") " AND" ORR_HAS_LABEL("$11", "$12")

#define ORR_STATEMENT_MAP(X)                                                                                           \
    /* id, at */                                                                                                       \
    X(TOUCH, "ti", "UPDATE topology SET seen = CASE WHEN seen < $2 THEN $2 ELSE seen END WHERE id = $1")               \
    X(DIGEST, "t", "SELECT digest FROM topology WHERE id = $1")                                                        \
    /* id, digest, at, size, name, labels, about, shape */                                                             \
    X(INSERT, "ttiitttt",                                                                                              \
      "INSERT INTO topology (id, digest, created, updated, seen, size, revision, name, labels, about, shape)"          \
      " VALUES ($1, $2, $3, $3, $3, $4, 1, $5, $6, $7, $8) ON CONFLICT (id) DO NOTHING")                               \
    X(CONTENT, "tb", "INSERT INTO content (topology, body) VALUES ($1, $2)")                                           \
    /* id, name, value */                                                                                              \
    X(LABEL, "ttt",                                                                                                    \
      "INSERT INTO label (topology, name, value, created)"                                                             \
      " SELECT id, $2, $3, created FROM topology WHERE id = $1")                                                       \
    X(UNLABEL, "t", "DELETE FROM label WHERE topology = $1")                                                           \
    /* host, at, id, name, labels */                                                                                   \
    X(VISIT,                                                                                                           \
      "titt"                                                                                                           \
      "t",                                                                                                             \
      "INSERT INTO upload (host, at, topology, name, labels, seq) VALUES ($1, $2, $3, $4, $5,"                         \
      " 1 + coalesce((SELECT seq FROM upload ORDER BY seq DESC LIMIT 1), 0))"                                          \
      " ON CONFLICT (host, at, topology) DO NOTHING")                                                                  \
    /* host, at, id: before the visit, if the host's last upload has another shape */                                  \
    /* (the number of an event is at least its time, so that none is used again after a deletion) */                   \
    X(EVENT, "tit",                                                                                                    \
      "INSERT INTO event (seq, at, host, was, became, detail)"                                                         \
      " SELECT CASE WHEN m.seq >= $2 THEN m.seq + 1 ELSE $2 END, $2, $1, p.id, t.id, ''"                               \
      " FROM topology t, topology p, (SELECT coalesce(max(seq), 0) AS seq FROM event) m"                               \
      " WHERE t.id = $3 AND p.id = (SELECT u.topology FROM upload u WHERE u.host = $1"                                 \
      " ORDER BY u.seq DESC, u.topology DESC LIMIT 1) AND p.shape <> t.shape AND p.shape <> '' AND t.shape <> ''")     \
    /* number of events that stay */                                                                                   \
    X(EVENT_TRIM, "i", "DELETE FROM event WHERE seq <= (SELECT seq FROM event ORDER BY seq DESC LIMIT 1 OFFSET $1)")   \
    /* since, host, limit */                                                                                           \
    X(EVENTS, "iti",                                                                                                   \
      "SELECT seq, at, host, was, became, detail FROM event WHERE seq > $1 AND ($2 IS NULL OR host = $2)"              \
      " ORDER BY seq LIMIT $3")                                                                                        \
    /* seq, detail */                                                                                                  \
    X(EVENT_DETAIL, "it", "UPDATE event SET detail = $2 WHERE seq = $1")                                               \
    /* host, number to skip: deletes the oldest uploads of a host */                                                   \
    X(TRIM, "ti",                                                                                                      \
      "DELETE FROM upload WHERE host = $1 AND seq <"                                                                   \
      " (SELECT seq FROM upload WHERE host = $1 ORDER BY seq DESC LIMIT 1 OFFSET $2)")                                 \
    X(GET, "t", "SELECT " ORR_RECORD_COLUMNS " FROM topology t WHERE t.id = $1")                                       \
    X(READ, "t", "SELECT c.body, t.size FROM topology t JOIN content c ON c.topology = t.id WHERE t.id = $1")          \
    X(LIST, "iti",                                                                                                     \
      "SELECT " ORR_RECORD_COLUMNS " FROM topology t WHERE (t.created, t.id) < ($1, $2)"                               \
      " ORDER BY t.created DESC, t.id DESC LIMIT $3")                                                                  \
    X(LIST_FOUND, "itit",                                                                                              \
      "SELECT " ORR_RECORD_COLUMNS " FROM words w CROSS JOIN topology t WHERE " ORR_FOUND                              \
      " ORDER BY w.created DESC, w.topology DESC LIMIT $3")                                                            \
    X(LIST_LABELLED, "itittttttttt",                                                                                   \
      "SELECT " ORR_RECORD_COLUMNS " FROM label l CROSS JOIN topology t WHERE t.id = l.topology AND " ORR_LABELLED     \
      " ORDER BY l.created DESC, l.topology DESC LIMIT $3")                                                            \
    /* name, value, limit: the number of topologies with a label, counted up to the limit */                           \
    X(LABELLED_COUNT, "tti", "SELECT count(*) FROM (SELECT 1 FROM label WHERE name = $1 AND value = $2 LIMIT $3) x")   \
    /* host, before, before_id, limit */                                                                               \
    X(HISTORY, "titi",                                                                                                 \
      "SELECT topology, at, name, labels, seq FROM upload WHERE host = $1 AND (seq, topology) < ($2, $3)"              \
      " ORDER BY seq DESC, topology DESC LIMIT $4")                                                                    \
    /* id */                                                                                                           \
    X(MEMBER, "t", ORR_MEMBER_ROWS("t.id", "topology t", "t.id = $1 GROUP BY t.id"))                                   \
    X(MEMBERS_FOUND, "itit",                                                                                           \
      ORR_MEMBER_ROWS("w.topology", "words w CROSS JOIN topology t",                                                   \
                      ORR_FOUND " GROUP BY w.created, w.topology ORDER BY w.created DESC, w.topology DESC LIMIT $3"))  \
    X(MEMBERS_LABELLED, "itittttttttt",                                                                                \
      ORR_MEMBER_ROWS("l.topology", "label l",                                                                         \
                      ORR_LABELLED                                                                                     \
                      " GROUP BY l.created, l.topology ORDER BY l.created DESC, l.topology DESC LIMIT $3"))            \
    /* a number that grows with every upload, of a host or not */                                                      \
    X(NEWEST, "",                                                                                                      \
      "SELECT coalesce((SELECT seq FROM upload ORDER BY seq DESC LIMIT 1), 0)"                                         \
      " + coalesce((SELECT seen FROM topology ORDER BY seen DESC LIMIT 1), 0)")                                        \
    /* limit: topologies without a shape; id, shape */                                                                 \
    X(SHAPELESS, "i", "SELECT id FROM topology WHERE shape = '' LIMIT $1")                                             \
    X(SHAPE, "tt", "UPDATE topology SET shape = $2 WHERE id = $1")                                                     \
    /* sort, host, limit: after a host, in natural order */                                                            \
    X(HOSTS, "tti",                                                                                                    \
      "SELECT h.host, h.at, (SELECT count(*) FROM upload u WHERE u.host = h.host) FROM host h"                         \
      " WHERE (h.sort, h.host) > ($1, $2) ORDER BY h.sort, h.host LIMIT $3")                                           \
    X(FLEET, "tti",                                                                                                    \
      "SELECT h.host, h.topology, CASE WHEN h.shape = '' THEN h.topology ELSE h.shape END, h.at, h.labels, h.about"    \
      " FROM host h WHERE (h.sort, h.host) > ($1, $2) ORDER BY h.sort, h.host LIMIT $3")                               \
    /* sort, host: keeps the last upload, after a visit */                                                             \
    X(HOST, "tt",                                                                                                      \
      "INSERT INTO host (" ORR_HOST_COLUMNS ") SELECT $1, u.host, u.seq, t.id, t.shape, u.at, u.labels, t.about"       \
      " FROM upload u JOIN topology t ON t.id = u.topology WHERE u.host = $2"                                          \
      " ORDER BY u.seq DESC, u.topology DESC LIMIT 1 ON CONFLICT (sort, host) DO UPDATE SET " ORR_HOST_NEW             \
      " WHERE (excluded.seq, excluded.topology) > (host.seq, host.topology)")                                          \
    /* id of a topology that is being deleted: its hosts return to their upload before it, or are deleted too */       \
    X(HOST_BACK, "t",                                                                                                  \
      "INSERT INTO host (" ORR_HOST_COLUMNS ") SELECT h.sort, h.host, u.seq, t.id, t.shape, u.at, u.labels, t.about"   \
      " FROM host h JOIN upload u ON u.host = h.host JOIN topology t ON t.id = u.topology WHERE h.topology = $1"       \
      " AND u.seq = (SELECT max(v.seq) FROM upload v WHERE v.host = h.host) AND NOT EXISTS (SELECT 1 FROM upload v"    \
      " WHERE v.host = u.host AND v.seq = u.seq AND v.topology > u.topology)"                                          \
      " ON CONFLICT (sort, host) DO UPDATE SET " ORR_HOST_NEW)                                                         \
    X(HOST_GONE, "t", "DELETE FROM host WHERE topology = $1")                                                          \
    /* limit: hosts that the migration left without their place in the order; sort, host: gives it one */              \
    X(HOST_UNSORTED, "i", "SELECT host FROM host WHERE sort = '' LIMIT $1")                                            \
    X(HOST_SORT, "tt", "UPDATE host SET sort = $1 WHERE sort = '' AND host = $2")                                      \
    X(HOST_SHAPE, "tt", "UPDATE host SET shape = $2 WHERE topology = $1")                                              \
    /* id: the text that a search finds */                                                                             \
    X(WORDS, "t",                                                                                                      \
      "INSERT INTO words (created, topology, text) SELECT t.created, t.id, " ORR_WORDS                                 \
      " FROM topology t WHERE t.id = $1"                                                                               \
      " ON CONFLICT (created, topology) DO UPDATE SET text = excluded.text")                                           \
    /* id, name, labels, updated, revision (0 means any) */                                                            \
    X(UPDATE, "tttii",                                                                                                 \
      "UPDATE topology SET name = coalesce($2, name), labels = coalesce($3, labels), updated = $4,"                    \
      " revision = revision + 1 WHERE id = $1 AND ($5 = 0 OR revision = $5)")                                          \
    X(DELETE, "ti", "DELETE FROM topology WHERE id = $1 AND ($2 = 0 OR revision = $2)")                                \
    /* number to skip: the last upload of the first topology beyond the limit */                                       \
    X(BEYOND, "i", "SELECT seen FROM topology ORDER BY seen DESC LIMIT 1 OFFSET $1")                                   \
    /* until, limit: the topologies that are due; then each is deleted unless it was uploaded again in between */      \
    X(DUE, "ii", "SELECT id FROM topology WHERE seen <= $1 ORDER BY seen LIMIT $2")                                    \
    X(DUE_COUNT, "i", "SELECT count(*) FROM topology WHERE seen <= $1")                                                \
    X(STORED, "", "SELECT count(*) FROM topology")                                                                     \
    X(EXPIRE, "ti", "DELETE FROM topology WHERE id = $1 AND seen <= $2")                                               \
    /* id, digest, at, name, hosts, body */                                                                            \
    X(CLUSTER_INSERT, "ttitit",                                                                                        \
      "INSERT INTO cluster (id, digest, created, name, hosts, body) VALUES ($1, $2, $3, $4, $5, $6)"                   \
      " ON CONFLICT (id) DO NOTHING")                                                                                  \
    X(CLUSTER_PART, "tt",                                                                                              \
      "INSERT INTO cluster_topology (cluster, topology) VALUES ($1, $2) ON CONFLICT (cluster, topology) DO NOTHING")   \
    X(CLUSTER_GET, "t", "SELECT " ORR_CLUSTER_COLUMNS ", body FROM cluster WHERE id = $1")                             \
    X(CLUSTER_DIGEST, "t", "SELECT digest FROM cluster WHERE id = $1")                                                 \
    /* a topology of a cluster that no longer exists */                                                                \
    X(CLUSTER_MISSING, "t",                                                                                            \
      "SELECT m.topology FROM cluster_topology m WHERE m.cluster = $1"                                                 \
      " AND NOT EXISTS (SELECT 1 FROM topology t WHERE t.id = m.topology) LIMIT 1")                                    \
    /* cluster */                                                                                                      \
    X(CLUSTER_TOPOLOGIES, "t",                                                                                         \
      "SELECT " ORR_RECORD_COLUMNS                                                                                     \
      " FROM cluster_topology m JOIN topology t ON t.id = m.topology WHERE m.cluster = $1")                            \
    /* before, before_id, limit */                                                                                     \
    X(CLUSTER_LIST, "iti",                                                                                             \
      "SELECT " ORR_CLUSTER_COLUMNS ", '' FROM cluster WHERE (created, id) < ($1, $2)"                                 \
      " ORDER BY created DESC, id DESC LIMIT $3")                                                                      \
    /* writes a page and leaves nothing behind */                                                                      \
    X(PROBE, "",                                                                                                       \
      "INSERT INTO cluster (id, digest, created, name, hosts, body) VALUES ('-', '', 0, '', 0, '')"                    \
      " ON CONFLICT (id) DO NOTHING")                                                                                  \
    X(PROBED, "", "DELETE FROM cluster WHERE id = '-'")                                                                \
    X(CLUSTER_DELETE, "t", "DELETE FROM cluster WHERE id = $1")

enum orr_statement {
#define X(name, kinds, sql) ORR_SQL_##name,
    ORR_STATEMENT_MAP(X)
#undef X
        ORR_SQL_COUNT
};

struct orr_statement_info {
    const char *name;  /* "LIST" */
    const char *kinds; /* one letter for each parameter */
    const char *sql;
};
extern const struct orr_statement_info orr_statements[ORR_SQL_COUNT];

/* The step at index i brings the tables from version i to the next, in one transaction. Never change a step that was
 * released; add one. The engines' histories differ only where their texts do. */
struct orr_migration {
    const char *sqlite, *postgresql;
};
enum { ORR_SCHEMA_VERSION = 7 };
extern const struct orr_migration orr_migrations[ORR_SCHEMA_VERSION];

#endif
