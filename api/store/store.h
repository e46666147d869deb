/* SPDX-License-Identifier: Apache-2.0 */
/* Where dumps are kept: facts only (the bytes as uploaded, name, labels, times); results are recomputed or cached.
 *
 * A dump is kept once, under an id made of its content. Each upload that carries the label "host" also leaves a line in
 * that host's history, so that it is known which machine looked how and when.
 *
 * One small interface, two engines behind it (store_driver.h): one SQLite file, or a PostgreSQL server that several
 * processes share. All functions may be called from many threads and answer within the stated time. STORE where the
 * database refuses or cannot be reached: nothing of the change was acknowledged and the call may be tried again later.
 */
#ifndef ORR_API_STORE_H
#define ORR_API_STORE_H

#include <stdint.h>
#include <string.h>

#include "engine/base/error.h"
#include "engine/base/hex.h"

struct orr_store;

enum { ORR_ID_LENGTH = 32, ORR_DIGEST_LENGTH = 64 };

/* Whether a text is an id as the store makes them: 32 digits, 0-9 and a-f. */
static inline bool orr_is_id(const char *text)
{
    return strlen(text) == ORR_ID_LENGTH && orr_hex_is_lower(text, ORR_ID_LENGTH);
}

enum { ORR_MAX_FILTERS = 4 }; /* labels that a list can be narrowed to at once */

/* What the store does, for figures. ORDER: api/metrics/metrics_table.c */
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
    unsigned connections; /* most to a PostgreSQL server at once; 0: 8 */
    unsigned timeout_ms;  /* for one statement, and for waiting for a connection or a lock; 0: 10 s */
    /* Calls that may be inside at once. A further one waits half a second for its turn and is then refused, so that a
     * database that does not answer holds no more threads than these. 0: any. */
    unsigned most_inside;
    /* Retention, by the time of the last upload: what is older, or beyond this many, is deleted. 0: kept for ever. */
    int64_t keep_ms;
    uint32_t keep_count;
    bool keep_dry; /* nothing is deleted by itself */
    /* The shape of a dump's bytes, for topologies that were stored before shapes were. NULL: they stay without. */
    bool (*shape)(const char *bytes, size_t length, char ret_shape[ORR_DIGEST_LENGTH + 1]);
    /* Called (by any thread) for each id that retention deleted. NULL: nobody asks. */
    void (*on_expired)(void *context, const char *id);
    /* Called (by any thread) after each operation. NULL: nobody asks. */
    void (*on_done)(void *context, enum orr_store_operation operation, uint64_t nanoseconds, enum orr_code code);
    void *context;
};

struct orr_record {
    char id[ORR_ID_LENGTH + 1];         /* the first digits of the digest */
    char digest[ORR_DIGEST_LENGTH + 1]; /* SHA-256 of the bytes, hex */
    char shape[ORR_DIGEST_LENGTH + 1];  /* the same for dumps that differ only in GUIDs and host hashes; "": unknown */
    int64_t created, updated;           /* milliseconds since 1970; created: of the first upload */
    int64_t size;                       /* of the bytes */
    int64_t revision;                   /* grows with every change of name or labels */
    char *name;                         /* owned; "" if none was given */
    char *labels;                       /* owned; a JSON object as text, "{}" if there are none */
};

struct orr_store_label {
    const char *name, *value;
};

/* Labels as they are shown and as they are looked up: the same, twice. */
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
    const char *host;  /* whose history it belongs to; NULL: nobody's */
    const char *about; /* what searching finds beside id, name and labels */
};

struct orr_listing {
    uint32_t limit;
    int64_t before;        /* continue after this place of an earlier page (its time and id); 0: from the newest */
    const char *before_id; /* with before */
    const char *search;    /* a text that digest, name, labels or what is known about it contain, whatever the case;
                              NULL: all */
    struct orr_store_label labels[ORR_MAX_FILTERS]; /* all of them */
    uint32_t label_count;
};

/* A line of a host's history. Its order is that of arrival, whatever clocks said. */
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

/* A host whose upload has another shape than the one before. */
struct orr_event {
    int64_t sequence; /* grows with every event; at least the time of the upload */
    int64_t at;       /* of the upload that changed it */
    char before[ORR_ID_LENGTH + 1], after[ORR_ID_LENGTH + 1];
    char *host, *detail; /* owned; detail: as orr_store_event_detail() left it, "" until then */
};
enum { ORR_EVENTS_KEPT = 100000 }; /* the last ones */

/* Opens the database, makes or updates its tables. Several processes may do this at once. */
enum orr_code orr_store_open(const struct orr_store_options *options, struct orr_store **ret_store,
                             struct orr_error *err) ORR_NO_DISCARD;
void orr_store_close(struct orr_store *store);
/* Where the store is, for logs: no password. */
const char *orr_store_place(const struct orr_store *store);

/* Keeps an upload. If its content is there already, that stays as it is (name and labels too), its time of last
 * upload and the host's history go on, and *ret_existed is true. INTERNAL where another content has the same id. Once
 * this returned, the upload survives a crash. */
enum orr_code orr_store_put(struct orr_store *store, const struct orr_upload *upload, bool *ret_existed,
                            struct orr_error *err) ORR_NO_DISCARD;
/* The facts about one topology; orr_record_release() them. */
enum orr_code orr_store_get(struct orr_store *store, const char *id, struct orr_record *ret_record,
                            struct orr_error *err) ORR_NO_DISCARD;
/* NOT_FOUND if there is no such topology. */
enum orr_code orr_store_has(struct orr_store *store, const char *id, struct orr_error *err) ORR_NO_DISCARD;
/* The bytes as uploaded, with a terminating zero; orr_budget_free() length + 1 of them, or free() them later. */
enum orr_code orr_store_read(struct orr_store *store, const char *id, char **ret_bytes, size_t *ret_length,
                             struct orr_error *err) ORR_NO_DISCARD;
/* A page, newest first. *ret_records: *ret_count of them in one array, each to be released, then free(). What is
 * uploaded in the meantime neither repeats nor hides what was there. */
enum orr_code orr_store_list(struct orr_store *store, const struct orr_listing *listing,
                             struct orr_record **ret_records, uint32_t *ret_count,
                             struct orr_error *err) ORR_NO_DISCARD;
/* A topology of a set, and how many hosts have it as their last upload; -1: no host ever uploaded it. */
struct orr_set_member {
    char id[ORR_ID_LENGTH + 1];
    char shape[ORR_DIGEST_LENGTH + 1]; /* the id if none is known */
    int64_t hosts;
};
/* The topologies that the labels and the search of a listing select, newest first, without pages: free() them. None
 * without a label or a search. */
enum orr_code orr_store_members(struct orr_store *store, const struct orr_listing *listing,
                                struct orr_set_member **ret_members, uint32_t *ret_count,
                                struct orr_error *err) ORR_NO_DISCARD;
/* The one topology of an id as a member. NOT_FOUND. */
enum orr_code orr_store_member(struct orr_store *store, const char *id, struct orr_set_member *ret_member,
                               struct orr_error *err) ORR_NO_DISCARD;
/* A number that every upload changes. */
enum orr_code orr_store_newest(struct orr_store *store, int64_t *ret_newest, struct orr_error *err) ORR_NO_DISCARD;
/* The uploads of a host, newest first; before (a sequence) and before_id as in a listing. */
enum orr_code orr_store_history(struct orr_store *store, const char *host, int64_t before, const char *before_id,
                                uint32_t limit, struct orr_visit **ret_visits, uint32_t *ret_count,
                                struct orr_error *err) ORR_NO_DISCARD;
/* The hosts that have a history, in natural order (node2 before node10), after `after` ("": from the first). */
enum orr_code orr_store_hosts(struct orr_store *store, const char *after, uint32_t limit, struct orr_host **ret_hosts,
                              uint32_t *ret_count, struct orr_error *err) ORR_NO_DISCARD;
/* The events after `since`, the earliest first. host: of this one alone; NULL: of all. */
enum orr_code orr_store_events(struct orr_store *store, int64_t since, const char *host, uint32_t limit,
                               struct orr_event **ret_events, uint32_t *ret_count,
                               struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_store_event_detail(struct orr_store *store, int64_t sequence, const char *detail,
                                     struct orr_error *err) ORR_NO_DISCARD;
/* How many events uploads to this process have made. */
uint64_t orr_store_event_count(const struct orr_store *store);
/* A host as its last upload has it. */
struct orr_fleet_host {
    char id[ORR_ID_LENGTH + 1];
    char shape[ORR_DIGEST_LENGTH + 1]; /* the id if none is known */
    int64_t at;
    char *name, *labels, *about; /* owned; labels: of that upload, about: the machine in a sentence */
};
/* All hosts that have a history, in natural order, at least up to the limit. They are read in pages: what is uploaded
 * in between may be among them or not. */
enum orr_code orr_store_fleet(struct orr_store *store, uint32_t limit, struct orr_fleet_host **ret_hosts,
                              uint32_t *ret_count, struct orr_error *err) ORR_NO_DISCARD;
/* Changes name and labels; NULL leaves one as it is. With a revision other than 0 only where the topology still has
 * it: *ret_done says whether it was changed. */
enum orr_code orr_store_update(struct orr_store *store, const char *id, int64_t revision, const char *name,
                               const struct orr_labels *labels, bool *ret_done, struct orr_error *err) ORR_NO_DISCARD;
/* The same for the labels of several topologies, all of them or none. NOT_FOUND if one of them is not stored. */
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
/* One pass of retention, as happens by itself after uploads and every minute; deletes a bounded number and says how
 * many. More may be due if it is ORR_EXPIRE_AT_ONCE. By age it deletes at most a tenth of what is stored until
 * something is uploaded again. */
enum { ORR_EXPIRE_AT_ONCE = 200 };
enum orr_code orr_store_expire(struct orr_store *store, int64_t now, uint32_t *ret_count,
                               struct orr_error *err) ORR_NO_DISCARD;
/* How many of the stored topologies retention would delete now. */
enum orr_code orr_store_due(struct orr_store *store, int64_t now, int64_t *ret_due, int64_t *ret_stored,
                            struct orr_error *err) ORR_NO_DISCARD;
/* Can it be written to? For readiness: STORE also where calls wait for an answer, where the last write failed and
 * writing fails still, and where the database was found damaged. */
enum orr_code orr_store_check(struct orr_store *store, struct orr_error *err) ORR_NO_DISCARD;

/* A cluster: a description that names topologies, under an id made of it. */
struct orr_cluster_record {
    char id[ORR_ID_LENGTH + 1];
    char digest[ORR_DIGEST_LENGTH + 1]; /* SHA-256 of the body */
    int64_t created;
    int64_t hosts;
    char *name; /* owned */
    char *body; /* the description as JSON; owned, "" in lists */
};
/* Keeps a cluster with the topologies that it names; NOT_FOUND if one of them is not stored. The record's texts are
 * the caller's. */
enum orr_code orr_store_cluster_put(struct orr_store *store, const struct orr_cluster_record *record,
                                    const char *const *topologies, uint32_t count, bool *ret_existed,
                                    struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_store_cluster_get(struct orr_store *store, const char *id, struct orr_cluster_record *ret_record,
                                    struct orr_error *err) ORR_NO_DISCARD;
/* NOT_FOUND if the cluster is not stored, or a topology that it names is not any more. */
enum orr_code orr_store_cluster_has(struct orr_store *store, const char *id, struct orr_error *err) ORR_NO_DISCARD;
/* Newest first; before and before_id as in a listing. */
enum orr_code orr_store_clusters(struct orr_store *store, int64_t before, const char *before_id, uint32_t limit,
                                 struct orr_cluster_record **ret_records, uint32_t *ret_count,
                                 struct orr_error *err) ORR_NO_DISCARD;
enum orr_code orr_store_cluster_delete(struct orr_store *store, const char *id, struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_record_release(struct orr_cluster_record *record);

void orr_record_release(struct orr_record *record);
void orr_fleet_host_release(struct orr_fleet_host *host);
void orr_event_release(struct orr_event *event);
void orr_visit_release(struct orr_visit *visit);
void orr_host_release(struct orr_host *host);

#endif
