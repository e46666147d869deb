/* SPDX-License-Identifier: Apache-2.0 */
/* The store of dumps. It keeps facts only (the bytes as uploaded, name, labels, times); results are recomputed or
 * cached.
 *
 * A dump is stored once, under an id derived from its content. Each upload with the label "host" also adds a line to
 * the history of that host.
 *
 * The interface has two implementations (store_driver.h): an SQLite file, and a PostgreSQL server that several
 * processes can share. All functions are callable from many threads and return within the stated time. STORE if the
 * database refuses or is unreachable: the change was not acknowledged, and the caller may retry later.
 */
#ifndef ORR_API_STORE_H
#define ORR_API_STORE_H

#include <stdint.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/hex.h"

struct orr_store;

enum { ORR_ID_LENGTH = 32, ORR_DIGEST_LENGTH = 64 };

/* Whether a text has the form of an id: 32 digits, 0-9 and a-f. */
static inline bool orr_is_id(const char *text)
{
    return strlen(text) == ORR_ID_LENGTH && orr_hex_is_lower(text, ORR_ID_LENGTH);
}

enum { ORR_MAX_FILTERS = 4 }; /* most labels in one listing */

/* Operations of the store, for metrics. ORDER: api/metrics/metrics_table.c */
enum orr_store_operation {
    ORR_STORE_PUT,
    ORR_STORE_GET,
    ORR_STORE_HAS,
    ORR_STORE_READ,
    ORR_STORE_LIST,
    ORR_STORE_UPDATE,
    ORR_STORE_DELETE,
    ORR_STORE_CHECK,
    ORR_STORE_EXPIRE,
    ORR_STORE_OPERATION_COUNT
};

struct orr_store_options {
    /* postgresql://..., postgres://..., sqlite:PATH, PATH or ":memory:" */
    const char *location;
    unsigned connections; /* most connections to a PostgreSQL server at once; 0 means 8 */
    unsigned timeout_ms;  /* for one statement, and for waiting for a connection or a lock; 0 means 10 s */
    /* Most calls in the store at once. A further call waits half a second and is then refused, so that a database that
     * does not answer blocks no more threads than this; 0 means no limit. */
    unsigned most_inside;
    /* Retention, by the time of the last upload: older dumps, and dumps beyond this number, are deleted; 0 means no
     * limit.
     */
    int64_t keep_ms;
    uint32_t keep_count;
    bool keep_dry; /* retention deletes nothing of its own accord */
    /* Computes the shape of a dump's bytes, for topologies stored before shapes existed; NULL if they keep none. */
    bool (*shape)(const char *bytes, size_t length, char ret_shape[ORR_DIGEST_LENGTH + 1]);
    /* Called (by any thread) for each id that retention deleted. May be NULL. */
    void (*on_expired)(void *context, const char *id);
    /* Called (by any thread) after each operation. May be NULL. */
    void (*on_done)(void *context, enum orr_store_operation operation, uint64_t nanoseconds, enum orr_code code);
    void *context;
};

struct orr_record {
    char id[ORR_ID_LENGTH + 1];         /* the first digits of the digest */
    char digest[ORR_DIGEST_LENGTH + 1]; /* SHA-256 of the bytes, hex */
    char shape[ORR_DIGEST_LENGTH + 1];  /* equal for dumps that differ only in GUIDs and host hashes; "" if unknown */
    int64_t created, updated;           /* milliseconds since 1970; created: of the first upload */
    int64_t size;                       /* of the bytes */
    int64_t revision;                   /* grows with every change of name or labels */
    char *name;                         /* owned; "" if none was given */
    char *labels;                       /* owned; a JSON object as text, "{}" if there are none */
};

struct orr_store_label {
    const char *name, *value;
};

/* The same labels in two forms: as JSON to show, and as rows to look up. */
struct orr_labels {
    const char *text; /* a JSON object */
    const struct orr_store_label *pairs;
    uint32_t count;
};

/* One upload. All texts UTF-8. */
struct orr_upload {
    const char *id, *digest, *shape;
    const char *bytes;
    size_t size;
    int64_t at; /* milliseconds since 1970 */
    const char *name;
    struct orr_labels labels;
    const char *host;  /* the host to whose history it belongs; NULL if there is none */
    const char *about; /* text that a search covers, besides id, name and labels */
};

struct orr_listing {
    uint32_t limit;
    int64_t before;        /* continue after this entry of an earlier page (its time and id); 0 means from the newest */
    const char *before_id; /* with before */
    const char *search;    /* a text that digest, name, labels or what is known about it contain, whatever the case;
                              NULL means all */
    struct orr_store_label labels[ORR_MAX_FILTERS]; /* all of them */
    uint32_t label_count;
};

/* A line of a host's history. Lines are in order of arrival, whatever the clocks said. */
struct orr_visit {
    char id[ORR_ID_LENGTH + 1];
    int64_t at, sequence;
    char *name, *labels; /* of that upload; owned */
};

struct orr_host {
    char *name; /* owned */
    int64_t last;
    int64_t uploads;
};

/* An upload of a host whose shape differs from that of the previous upload. */
struct orr_event {
    int64_t sequence; /* grows with every event; at least the time of the upload */
    int64_t at;       /* of the upload that changed it */
    char before[ORR_ID_LENGTH + 1], after[ORR_ID_LENGTH + 1];
    char *host, *detail; /* owned; detail: set by orr_store_event_detail(), "" until then */
};
enum { ORR_EVENTS_KEPT = 100000 }; /* number of events that are kept, the latest ones */

/* Opens the database, and creates or updates its tables. Several processes may do this at once. */
enum orr_code orr_store_open(const struct orr_store_options *options, struct orr_store **ret_store,
                             struct orr_error *err) ORR_NO_DISCARD;
void orr_store_close(struct orr_store *store);
/* The location of the store, for logs, without a password. */
const char *orr_store_place(const struct orr_store *store);

/* Stores an upload. If the content is already stored, it keeps its name and labels; only the time of its last upload
 * and the history of the host change, and *ret_existed is true. INTERNAL if different content has the same id. Once
 * this returns, the upload survives a crash. */
enum orr_code orr_store_put(struct orr_store *store, const struct orr_upload *upload, bool *ret_existed,
                            struct orr_error *err) ORR_NO_DISCARD;
/* The facts about one topology. The caller releases them with orr_record_release(). */
enum orr_code orr_store_get(struct orr_store *store, const char *id, struct orr_record *ret_record,
                            struct orr_error *err) ORR_NO_DISCARD;
/* Checks that a topology is stored; NOT_FOUND if it is not. */
enum orr_code orr_store_has(struct orr_store *store, const char *id, struct orr_error *err) ORR_NO_DISCARD;
/* The bytes as uploaded, with a terminating zero. The caller frees them: length + 1 bytes with orr_budget_free(), or
 * free() later. */
enum orr_code orr_store_read(struct orr_store *store, const char *id, char **ret_bytes, size_t *ret_length,
                             struct orr_error *err) ORR_NO_DISCARD;
/* A page, newest first. *ret_records: an array of *ret_count records; the caller releases each and then frees the
 * array. Uploads between two pages neither repeat nor hide entries. */
enum orr_code orr_store_list(struct orr_store *store, const struct orr_listing *listing,
                             struct orr_record **ret_records, uint32_t *ret_count,
                             struct orr_error *err) ORR_NO_DISCARD;
/* A topology of a set, and the number of hosts whose last upload it is; -1 if no host ever uploaded it. */
struct orr_set_member {
    char id[ORR_ID_LENGTH + 1];
    char shape[ORR_DIGEST_LENGTH + 1]; /* the id if none is known */
    int64_t hosts;
};
/* The topologies that the labels and the search of a listing select, newest first, in one array that the caller frees.
 * Empty without a label or a search. */
enum orr_code orr_store_members(struct orr_store *store, const struct orr_listing *listing,
                                struct orr_set_member **ret_members, uint32_t *ret_count,
                                struct orr_error *err) ORR_NO_DISCARD;
/* One topology by its id, as a member of a set. NOT_FOUND. */
enum orr_code orr_store_member(struct orr_store *store, const char *id, struct orr_set_member *ret_member,
                               struct orr_error *err) ORR_NO_DISCARD;
/* A number that changes with every upload. */
enum orr_code orr_store_newest(struct orr_store *store, int64_t *ret_newest, struct orr_error *err) ORR_NO_DISCARD;
/* The uploads of a host, newest first; before (a sequence) and before_id as in a listing. */
enum orr_code orr_store_history(struct orr_store *store, const char *host, int64_t before, const char *before_id,
                                uint32_t limit, struct orr_visit **ret_visits, uint32_t *ret_count,
                                struct orr_error *err) ORR_NO_DISCARD;
/* The hosts that have a history, in natural order (node2 before node10), after `after` ("" begins with the first). */
enum orr_code orr_store_hosts(struct orr_store *store, const char *after, uint32_t limit, struct orr_host **ret_hosts,
                              uint32_t *ret_count, struct orr_error *err) ORR_NO_DISCARD;
/* The events after `since`, earliest first. host selects those of one host; NULL means all. */
enum orr_code orr_store_events(struct orr_store *store, int64_t since, const char *host, uint32_t limit,
                               struct orr_event **ret_events, uint32_t *ret_count,
                               struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_store_event_detail(struct orr_store *store, int64_t sequence, const char *detail,
                                     struct orr_error *err) ORR_NO_DISCARD;
/* The number of events caused by uploads to this process. */
uint64_t orr_store_event_count(const struct orr_store *store);
/* A host, with the facts of its last upload. */
struct orr_fleet_host {
    char id[ORR_ID_LENGTH + 1];
    char shape[ORR_DIGEST_LENGTH + 1]; /* the id if none is known */
    int64_t at;
    char *name, *labels, *about; /* owned; labels: of that upload, about: the machine in a sentence */
};
/* All hosts with a history, in natural order, up to the limit or slightly more. They are read in pages, so uploads in
 * between may or may not be included. */
enum orr_code orr_store_fleet(struct orr_store *store, uint32_t limit, struct orr_fleet_host **ret_hosts,
                              uint32_t *ret_count, struct orr_error *err) ORR_NO_DISCARD;
/* Changes name and labels; NULL keeps the old value. With a revision other than 0, only if the topology still has that
 * revision: *ret_done tells whether it changed. */
enum orr_code orr_store_update(struct orr_store *store, const char *id, int64_t revision, const char *name,
                               const struct orr_labels *labels, bool *ret_done, struct orr_error *err) ORR_NO_DISCARD;
/* Changes labels of several topologies, either all of them or none. NOT_FOUND if one of them is not stored. */
struct orr_relabelling {
    char id[ORR_ID_LENGTH + 1];
    int64_t revision;
    struct orr_labels labels;
};
enum orr_code orr_store_relabel(struct orr_store *store, const struct orr_relabelling *rows, uint32_t count,
                                bool *ret_done, struct orr_error *err) ORR_NO_DISCARD;
/* Deletes a topology with its lines in histories; revision and *ret_done as above. */
enum orr_code orr_store_delete(struct orr_store *store, const char *id, int64_t revision, bool *ret_done,
                               struct orr_error *err) ORR_NO_DISCARD;
/* One pass of retention, which also runs by itself after uploads and every minute. It deletes a bounded number of
 * dumps and returns it; if that is ORR_EXPIRE_AT_ONCE, more may be due. Between two uploads, it deletes at most a
 * tenth of the dumps for their age. */
enum { ORR_EXPIRE_AT_ONCE = 200 };
enum orr_code orr_store_expire(struct orr_store *store, int64_t now, uint32_t *ret_count,
                               struct orr_error *err) ORR_NO_DISCARD;
/* The number of stored topologies that retention would delete now. */
enum orr_code orr_store_due(struct orr_store *store, int64_t now, int64_t *ret_due, int64_t *ret_stored,
                            struct orr_error *err) ORR_NO_DISCARD;
/* Checks that the store is writable, for the readiness probe. STORE also if calls are stuck, if the last write failed
 * and writing still fails, or if the database is damaged. */
enum orr_code orr_store_check(struct orr_store *store, struct orr_error *err) ORR_NO_DISCARD;

/* A cluster: a description that names topologies, under an id derived from it. */
struct orr_cluster_record {
    char id[ORR_ID_LENGTH + 1];
    char digest[ORR_DIGEST_LENGTH + 1]; /* SHA-256 of the body */
    int64_t created;
    int64_t hosts;
    char *name; /* owned */
    char *body; /* the description as JSON; owned, "" in lists */
};
/* Stores a cluster with the topologies that it names; NOT_FOUND if one of them is not stored. The caller keeps the
 * texts of the record. */
enum orr_code orr_store_cluster_put(struct orr_store *store, const struct orr_cluster_record *record,
                                    const char *const *topologies, uint32_t count, bool *ret_existed,
                                    struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_store_cluster_get(struct orr_store *store, const char *id, struct orr_cluster_record *ret_record,
                                    struct orr_error *err) ORR_NO_DISCARD;
/* Checks that a cluster is stored; NOT_FOUND if it is not, or if a topology that it names was deleted. */
enum orr_code orr_store_cluster_has(struct orr_store *store, const char *id, struct orr_error *err) ORR_NO_DISCARD;
/* Newest first; before and before_id as in a listing. */
enum orr_code orr_store_clusters(struct orr_store *store, int64_t before, const char *before_id, uint32_t limit,
                                 struct orr_cluster_record **ret_records, uint32_t *ret_count,
                                 struct orr_error *err) ORR_NO_DISCARD;
/* The topologies of a cluster that are stored, at most `limit` of them, in no order. The caller releases each record
 * and frees the array. */
enum orr_code orr_store_cluster_topologies(struct orr_store *store, const char *id, uint32_t limit,
                                           struct orr_record **ret_records, uint32_t *ret_count,
                                           struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_store_cluster_delete(struct orr_store *store, const char *id, struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_record_release(struct orr_cluster_record *record);

void orr_record_release(struct orr_record *record);
void orr_fleet_host_release(struct orr_fleet_host *host);
void orr_event_release(struct orr_event *event);
void orr_visit_release(struct orr_visit *visit);
void orr_host_release(struct orr_host *host);

#endif
