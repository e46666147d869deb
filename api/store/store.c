/* SPDX-License-Identifier: Apache-2.0 */
/* Opening, units of work, and the operations that change something; all are the same for every engine. store_read.c has
 * those that read. */
#include "api/store/store.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/store/store_work.h"
#include "engine/base/clock.h"

enum { UPLOADS_PER_HOST = 1000 }; /* number of lines of history that a host keeps */

enum orr_code orr_store_open(const struct orr_store_options *options, struct orr_store **ret_store,
                             struct orr_error *err)
{
    enum { CONNECTIONS = 8, TIMEOUT_MS = 10000, SCHEME = 7 };
    struct orr_store_options used = *options;
    const char *location = options->location;
    struct orr_store *store;
    if (!used.connections)
        used.connections = CONNECTIONS;
    if (!used.timeout_ms)
        used.timeout_ms = TIMEOUT_MS;
    if (!strncmp(location, "postgresql://", 13) || !strncmp(location, "postgres://", 11)) {
        ORR_TRY(orr_store_postgresql_open(location, &used, &store, err));
    } else {
        if (!strncmp(location, "sqlite:", SCHEME)) {
            location += SCHEME;
            location += strncmp(location, "///", 3) ? 0 : 2;
        } else if (strstr(location, "://")) {
            return orr_fail_with(err, ORR_UNSUPPORTED, NULL,
                                 "give a path, sqlite:PATH, :memory:, or postgresql://USER@HOST/DATABASE",
                                 "\"%.40s\" is not a kind of database that Orrery supports", location);
        }
        ORR_TRY(orr_store_sqlite_open(location, &used, &store, err));
    }
    store->keep_ms = used.keep_ms;
    store->keep_count = used.keep_count;
    pthread_mutex_init(&store->expiring, NULL);
    orr_door_init(&store->door, store->driver->one && used.most_inside ? 1 : used.most_inside);
    store->shape = used.shape;
    store->on_expired = used.on_expired;
    store->on_done = used.on_done;
    store->context = used.context;
    (void)orr_host_sort_all(
        store, NULL); /* the rest of a damaged database can still be read, and readiness reports the damage */
    enum orr_code code =
        !used.keep_dry && (used.keep_ms || used.keep_count || used.shape) ? orr_keeper_start(store, err) : ORR_OK;
    if (code != ORR_OK) {
        orr_store_close(store);
        return code;
    }
    *ret_store = store;
    return ORR_OK;
}

void orr_store_close(struct orr_store *store)
{
    if (!store)
        return;
    orr_keeper_stop(store->keeper);
    pthread_mutex_destroy(&store->expiring);
    orr_door_release(&store->door);
    store->driver->close(store);
}

const char *orr_store_place(const struct orr_store *store)
{
    return store->place;
}

static enum orr_code add_labels(struct orr_session *session, const char *id, const struct orr_labels *labels,
                                struct orr_error *err)
{
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct orr_cell cells[] = {orr_text_cell(id), orr_text_cell(labels->pairs[i].name),
                                         orr_text_cell(labels->pairs[i].value)};
        ORR_TRY(orr_run(session, ORR_SQL_LABEL, cells, NULL, err));
    }
    return ORR_OK;
}

/* Uploading. */

struct put {
    const struct orr_upload *upload;
    const void *body; /* compressed; NULL only touches the content that is stored */
    size_t length;
    bool existed, changed;
};

static enum orr_code check_digest(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    const struct orr_upload *upload = context;
    if (strcmp(cells[0].data, upload->digest))
        return orr_fail(err, ORR_INTERNAL, "two different topologies have the id %s", upload->id);
    return ORR_OK;
}

static enum orr_code add_event(struct orr_session *session, struct put *put, struct orr_error *err)
{
    const struct orr_upload *upload = put->upload;
    const struct orr_cell event[] = {orr_text_cell(upload->host), orr_int_cell(upload->at), orr_text_cell(upload->id)};
    const struct orr_cell kept = orr_int_cell(ORR_EVENTS_KEPT);
    int64_t added;
    ORR_TRY(orr_run(session, ORR_SQL_EVENT, event, &added, err));
    put->changed = added;
    return added ? orr_run(session, ORR_SQL_EVENT_TRIM, &kept, NULL, err) : ORR_OK;
}

static enum orr_code add_visit(struct orr_session *session, struct put *put, struct orr_error *err)
{
    const struct orr_upload *upload = put->upload;
    put->changed = false;
    if (!upload->host)
        return ORR_OK;
    ORR_TRY(add_event(session, put, err));
    const struct orr_cell visit[] = {orr_text_cell(upload->host), orr_int_cell(upload->at), orr_text_cell(upload->id),
                                     orr_text_cell(upload->name), orr_text_cell(upload->labels.text)};
    const struct orr_cell trim[] = {orr_text_cell(upload->host), orr_int_cell(UPLOADS_PER_HOST - 1)};
    ORR_TRY(orr_run(session, ORR_SQL_VISIT, visit, NULL, err));
    ORR_TRY(orr_host_remember(session, upload->host, err));
    return orr_run(session, ORR_SQL_TRIM, trim, NULL, err);
}

static enum orr_code touch(struct orr_session *session, struct put *put, struct orr_error *err)
{
    const struct orr_upload *upload = put->upload;
    const struct orr_cell cells[] = {orr_text_cell(upload->id), orr_int_cell(upload->at)};
    int64_t touched;
    ORR_TRY(orr_run(session, ORR_SQL_TOUCH, cells, &touched, err));
    put->existed = touched;
    if (!touched)
        return ORR_OK;
    ORR_TRY(orr_query(session, ORR_SQL_DIGEST, cells, check_digest, (void *)(uintptr_t)upload, err));
    return add_visit(session, put, err);
}

static enum orr_code put_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct put *put = context;
    const struct orr_upload *upload = put->upload;
    ORR_TRY(touch(session, put, err));
    if (put->existed || !put->body)
        return ORR_OK;
    const struct orr_cell id = orr_text_cell(upload->id);
    const struct orr_cell insert[] = {id,
                                      orr_text_cell(upload->digest),
                                      orr_int_cell(upload->at),
                                      orr_int_cell((int64_t)upload->size),
                                      orr_text_cell(upload->name),
                                      orr_text_cell(upload->labels.text),
                                      orr_text_cell(upload->about),
                                      orr_text_cell(upload->shape ? upload->shape : upload->id)};
    const struct orr_cell content[] = {id, {.kind = ORR_CELL_BYTES, .data = put->body, .length = put->length}};
    int64_t inserted;
    ORR_TRY(orr_run(session, ORR_SQL_INSERT, insert, &inserted, err));
    if (!inserted) { /* another session has just been faster */
        ORR_TRY(touch(session, put, err));
        if (put->existed)
            return ORR_OK;
        session->again = true;
        return orr_fail(err, ORR_STORE, "the same topology is being stored and deleted at once");
    }
    ORR_TRY(orr_run(session, ORR_SQL_CONTENT, content, NULL, err));
    ORR_TRY(orr_run(session, ORR_SQL_WORDS, &id, NULL, err));
    ORR_TRY(add_labels(session, upload->id, &upload->labels, err));
    return add_visit(session, put, err);
}

enum orr_code orr_store_put(struct orr_store *store, const struct orr_upload *upload, bool *ret_existed,
                            struct orr_error *err)
{
    struct put put = {.upload = upload};
    ORR_TRY(orr_store_transact(store, ORR_STORE_PUT, put_work, &put, err));
    if (!put.existed) {
        uLongf length = compressBound((uLong)upload->size);
        Bytef *body = malloc(length);
        if (!body || compress2(body, &length, (const Bytef *)upload->bytes, (uLong)upload->size,
                               Z_DEFAULT_COMPRESSION) != Z_OK) {
            free(body);
            return orr_fail_nomem(err);
        }
        put.body = body;
        put.length = length;
        enum orr_code code = orr_store_transact(store, ORR_STORE_PUT, put_work, &put, err);
        free(body);
        ORR_TRY(code);
        orr_keeper_wake(store->keeper);
    }
    if (put.changed)
        atomic_fetch_add(&store->events, 1);
    *ret_existed = put.existed;
    return ORR_OK;
}

uint64_t orr_store_event_count(const struct orr_store *store)
{
    return atomic_load(&store->events);
}

struct described {
    int64_t sequence;
    const char *detail;
};

static enum orr_code describe_work(struct orr_session *session, void *context, struct orr_error *err)
{
    const struct described *event = context;
    const struct orr_cell cells[] = {orr_int_cell(event->sequence), orr_text_cell(event->detail)};
    return orr_run(session, ORR_SQL_EVENT_DETAIL, cells, NULL, err);
}

enum orr_code orr_store_event_detail(struct orr_store *store, int64_t sequence, const char *detail,
                                     struct orr_error *err)
{
    struct described event = {sequence, detail};
    return orr_store_transact(store, ORR_STORE_UPDATE, describe_work, &event, err);
}

/* Changing and deleting. */

struct change {
    const char *id, *name;
    const struct orr_labels *labels;
    int64_t revision, updated;
    bool done;
};

/* A row that did not change is either missing or has another revision. */
static enum orr_code see_whether_done(struct orr_session *session, struct change *change, int64_t changes,
                                      struct orr_error *err)
{
    bool found = false;
    change->done = changes;
    if (changes)
        return ORR_OK;
    ORR_TRY(orr_store_find(session, change->id, &found, err));
    return found ? ORR_OK : orr_store_no_such(err, change->id);
}

static enum orr_code update_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct change *change = context;
    const struct orr_cell cells[] = {orr_text_cell(change->id), orr_text_cell(change->name),
                                     orr_text_cell(change->labels ? change->labels->text : NULL),
                                     orr_int_cell(change->updated), orr_int_cell(change->revision)};
    int64_t changes;
    ORR_TRY(orr_run(session, ORR_SQL_UPDATE, cells, &changes, err));
    ORR_TRY(see_whether_done(session, change, changes, err));
    if (change->done)
        ORR_TRY(orr_run(session, ORR_SQL_WORDS, cells, NULL, err));
    if (!change->done || !change->labels)
        return ORR_OK;
    ORR_TRY(orr_run(session, ORR_SQL_UNLABEL, cells, NULL, err));
    return add_labels(session, change->id, change->labels, err);
}

enum orr_code orr_store_update(struct orr_store *store, const char *id, int64_t revision, const char *name,
                               const struct orr_labels *labels, bool *ret_done, struct orr_error *err)
{
    struct change change = {.id = id, .name = name, .labels = labels, .revision = revision, .updated = orr_wall_ms()};
    ORR_TRY(orr_store_transact(store, ORR_STORE_UPDATE, update_work, &change, err));
    *ret_done = change.done;
    return ORR_OK;
}

struct relabelling {
    const struct orr_relabelling *rows;
    uint32_t count;
    int64_t updated;
    bool changed_since; /* one of them has another revision */
};

static enum orr_code relabel_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct relabelling *all = context;
    all->changed_since = false;
    for (uint32_t i = 0; i < all->count; i++) {
        struct change change = {.id = all->rows[i].id,
                                .labels = &all->rows[i].labels,
                                .revision = all->rows[i].revision,
                                .updated = all->updated};
        ORR_TRY(update_work(session, &change, err));
        if (!change.done) {
            all->changed_since = true;
            return orr_fail(err, ORR_INVALID, "topology %s has changed in the meantime",
                            change.id); /* undoes the other changes */
        }
    }
    return ORR_OK;
}

enum orr_code orr_store_relabel(struct orr_store *store, const struct orr_relabelling *rows, uint32_t count,
                                bool *ret_done, struct orr_error *err)
{
    struct relabelling all = {.rows = rows, .count = count, .updated = orr_wall_ms()};
    struct orr_error own = {0};
    enum orr_code code = orr_store_transact(store, ORR_STORE_UPDATE, relabel_work, &all, &own);
    *ret_done = code == ORR_OK;
    if (code == ORR_OK || all.changed_since)
        return ORR_OK;
    if (err)
        *err = own;
    return code;
}

static enum orr_code delete_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct change *change = context;
    const struct orr_cell cells[] = {orr_text_cell(change->id), orr_int_cell(change->revision)};
    int64_t changes;
    ORR_TRY(orr_run(session, ORR_SQL_DELETE, cells, &changes, err));
    if (changes)
        ORR_TRY(orr_host_forget(session, change->id, err));
    return see_whether_done(session, change, changes, err);
}

enum orr_code orr_store_delete(struct orr_store *store, const char *id, int64_t revision, bool *ret_done,
                               struct orr_error *err)
{
    struct change change = {.id = id, .revision = revision};
    ORR_TRY(orr_store_transact(store, ORR_STORE_DELETE, delete_work, &change, err));
    *ret_done = change.done;
    if (change.done && store->driver->shrink)
        store->driver->shrink(store);
    return ORR_OK;
}

static enum orr_code check_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct orr_store *store = session->store;
    (void)context;
    ORR_TRY(store->driver->check(session, err));
    if (!atomic_load(&store->write_failed))
        return ORR_OK;
    ORR_TRY(orr_run(session, ORR_SQL_PROBE, NULL, NULL, err));
    return orr_run(session, ORR_SQL_PROBED, NULL, NULL, err);
}

enum orr_code orr_store_check(struct orr_store *store, struct orr_error *err)
{
    enum { LATELY_MS = 10000 };
    if (atomic_load(&store->damaged))
        return orr_fail_with(err, ORR_STORE, NULL, "stop the service and restore the database from a backup",
                             "the database is damaged");
    const int64_t failed = atomic_load(&store->write_failed);
    if (failed && orr_clock_ms() - failed < LATELY_MS)
        return orr_fail(err, ORR_STORE, "a write failed a moment ago");
    return orr_store_transact(store, ORR_STORE_CHECK, check_work, NULL, err);
}
