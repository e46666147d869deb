/* What the store does, in terms of sessions and statements: the same for every engine. */
#include "api/store/store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <zlib.h>

#include "api/store/store_driver.h"

enum { UPLOADS_PER_HOST = 1000 }; /* lines of history that a host keeps */

static int64_t now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

static struct orr_cell text_cell(const char *text)
{
    if (!text)
        return (struct orr_cell){.kind = ORR_CELL_NULL};
    return (struct orr_cell){.kind = ORR_CELL_TEXT, .data = text, .length = strlen(text)};
}

static struct orr_cell int_cell(int64_t number)
{
    return (struct orr_cell){.kind = ORR_CELL_INT, .number = number};
}

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
            orr_fail(err, ORR_UNSUPPORTED, "\"%.40s\" is no database that this program knows", location);
            orr_error_advice(err, "give a path, sqlite:PATH, :memory:, or postgresql://USER@HOST/DATABASE");
            return ORR_UNSUPPORTED;
        }
        ORR_TRY(orr_store_sqlite_open(location, &used, &store, err));
    }
    store->keep_ms = used.keep_ms;
    store->keep_count = used.keep_count;
    store->on_expired = used.on_expired;
    store->context = used.context;
    enum orr_code code = used.keep_ms || used.keep_count ? orr_keeper_start(store, err) : ORR_OK;
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
    store->driver->close(store);
}

const char *orr_store_place(const struct orr_store *store)
{
    return store->place;
}

bool orr_store_is_remote(const struct orr_store *store)
{
    return store->driver->remote;
}

/* A unit of work: everything or nothing. It may be called several times, so it sets its results anew each time. */
typedef enum orr_code work(struct orr_session *session, void *context, struct orr_error *err);

static enum orr_code attempt(struct orr_store *store, bool writes, work *run, void *context, bool *ret_again,
                             struct orr_error *err)
{
    const struct orr_store_driver *driver = store->driver;
    struct orr_session *session;
    *ret_again = false;
    ORR_TRY(driver->take(store, &session, err));
    session->again = false;
    enum orr_code code = writes ? driver->begin(session, err) : ORR_OK;
    if (code == ORR_OK) {
        code = run(session, context, err);
        if (writes && code == ORR_OK)
            code = driver->commit(session, err);
        else if (writes)
            driver->rollback(session);
    }
    *ret_again = code != ORR_OK && session->again;
    driver->give(session);
    return code;
}

static enum orr_code transact(struct orr_store *store, bool writes, work *run, void *context, struct orr_error *err)
{
    enum { ATTEMPTS = 16, PAUSE_NS = 2000000 };
    for (unsigned i = 1;; i++) {
        struct orr_error why = {0};
        bool again;
        enum orr_code code = attempt(store, writes, run, context, &again, &why);
        if (code == ORR_OK)
            return ORR_OK;
        if (!again || i == ATTEMPTS) {
            if (err && err->code == ORR_OK)
                *err = why;
            return code;
        }
        /* Those who got in each other's way do not come back in step. */
        const struct timespec pause = {.tv_nsec = (long)i * PAUSE_NS + (long)((uintptr_t)&pause >> 4) % PAUSE_NS};
        nanosleep(&pause, NULL);
    }
}

static enum orr_code no_such(struct orr_error *err, const char *id)
{
    orr_fail(err, ORR_NOT_FOUND, "there is no topology %.32s", id);
    orr_error_advice(err, "GET /v1/topologies lists those that are stored");
    return ORR_NOT_FOUND;
}

static enum orr_code run(struct orr_session *session, enum orr_statement statement, const struct orr_cell *cells,
                         int64_t *ret_changes, struct orr_error *err)
{
    return session->store->driver->run(session, statement, cells, NULL, NULL, ret_changes, err);
}

static enum orr_code query(struct orr_session *session, enum orr_statement statement, const struct orr_cell *cells,
                           orr_row_reader *read, void *context, struct orr_error *err)
{
    return session->store->driver->run(session, statement, cells, read, context, NULL, err);
}

static enum orr_code add_labels(struct orr_session *session, const char *id, const struct orr_labels *labels,
                                struct orr_error *err)
{
    for (uint32_t i = 0; i < labels->count; i++) {
        const struct orr_cell cells[] = {text_cell(id), text_cell(labels->pairs[i].name),
                                         text_cell(labels->pairs[i].value)};
        ORR_TRY(run(session, ORR_SQL_LABEL, cells, NULL, err));
    }
    return ORR_OK;
}

/* Uploading. */

struct put {
    const struct orr_upload *upload;
    const void *body; /* compressed; NULL: not yet, only touch what is there */
    size_t length;
    bool existed;
};

static enum orr_code check_digest(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    const struct orr_upload *upload = context;
    if (strcmp(cells[0].data, upload->digest))
        return orr_fail(err, ORR_INTERNAL, "two different topologies have the id %s", upload->id);
    return ORR_OK;
}

static enum orr_code add_visit(struct orr_session *session, const struct orr_upload *upload, struct orr_error *err)
{
    if (!upload->host)
        return ORR_OK;
    const struct orr_cell visit[] = {text_cell(upload->host), int_cell(upload->at), text_cell(upload->id),
                                     text_cell(upload->name), text_cell(upload->labels.text)};
    const struct orr_cell trim[] = {text_cell(upload->host), int_cell(UPLOADS_PER_HOST - 1)};
    ORR_TRY(run(session, ORR_SQL_VISIT, visit, NULL, err));
    return run(session, ORR_SQL_TRIM, trim, NULL, err);
}

static enum orr_code put_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct put *put = context;
    const struct orr_upload *upload = put->upload;
    const struct orr_cell id = text_cell(upload->id), touch[] = {id, int_cell(upload->at)};
    int64_t touched;
    ORR_TRY(run(session, ORR_SQL_TOUCH, touch, &touched, err));
    put->existed = touched;
    if (touched) {
        ORR_TRY(query(session, ORR_SQL_DIGEST, &id, check_digest, (void *)(uintptr_t)upload, err));
        return add_visit(session, upload, err);
    }
    if (!put->body)
        return ORR_OK;
    const struct orr_cell insert[] = {id,
                                      text_cell(upload->digest),
                                      int_cell(upload->at),
                                      int_cell((int64_t)upload->size),
                                      text_cell(upload->name),
                                      text_cell(upload->labels.text),
                                      text_cell(upload->about)};
    const struct orr_cell content[] = {id, {.kind = ORR_CELL_BYTES, .data = put->body, .length = put->length}};
    int64_t inserted;
    ORR_TRY(run(session, ORR_SQL_INSERT, insert, &inserted, err));
    if (!inserted) { /* another session was faster just now */
        session->again = true;
        return orr_fail(err, ORR_STORE, "the same topology is being stored and deleted at once");
    }
    ORR_TRY(run(session, ORR_SQL_CONTENT, content, NULL, err));
    ORR_TRY(add_labels(session, upload->id, &upload->labels, err));
    return add_visit(session, upload, err);
}

enum orr_code orr_store_put(struct orr_store *store, const struct orr_upload *upload, bool *ret_existed,
                            struct orr_error *err)
{
    struct put put = {.upload = upload};
    ORR_TRY(transact(store, true, put_work, &put, err));
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
        enum orr_code code = transact(store, true, put_work, &put, err);
        free(body);
        ORR_TRY(code);
        orr_keeper_wake(store->keeper);
    }
    *ret_existed = put.existed;
    return ORR_OK;
}

/* Reading. */

static char *copy_text(const struct orr_cell *cell)
{
    char *copy = malloc(cell->length + 1);
    if (copy) {
        if (cell->length)
            memcpy(copy, cell->data, cell->length);
        copy[cell->length] = 0;
    }
    return copy;
}

static void copy_fixed(const struct orr_cell *cell, char *target, size_t size)
{
    snprintf(target, size, "%s", cell->kind == ORR_CELL_TEXT ? (const char *)cell->data : "");
}

static enum orr_code read_record(const struct orr_cell *cells, struct orr_record *record, struct orr_error *err)
{
    struct orr_record read = {
        .created = cells[2].number,
        .updated = cells[3].number,
        .size = cells[4].number,
        .revision = cells[5].number,
        .name = copy_text(&cells[6]),
        .labels = copy_text(&cells[7]),
    };
    if (!read.name || !read.labels) {
        orr_record_release(&read);
        return orr_fail_nomem(err);
    }
    copy_fixed(&cells[0], read.id, sizeof read.id);
    copy_fixed(&cells[1], read.digest, sizeof read.digest);
    *record = read;
    return ORR_OK;
}

/* Rows of any kind on their way into an array. */
struct rows {
    enum orr_statement statement;
    const struct orr_cell *cells;
    char *items;
    size_t item_size;
    uint32_t count, limit;
    enum orr_code (*read)(const struct orr_cell *cells, void *item, struct orr_error *err);
    void (*release)(void *item);
};

static void release_rows(struct rows *rows)
{
    for (uint32_t i = 0; i < rows->count; i++)
        rows->release(rows->items + i * rows->item_size);
    rows->count = 0;
}

static enum orr_code take_row(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct rows *rows = context;
    if (rows->count == rows->limit)
        return ORR_OK;
    ORR_TRY(rows->read(cells, rows->items + rows->count * rows->item_size, err));
    rows->count++;
    return ORR_OK;
}

static enum orr_code rows_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct rows *rows = context;
    release_rows(rows); /* of an earlier attempt */
    return query(session, rows->statement, rows->cells, take_row, rows, err);
}

static enum orr_code read_rows(struct orr_store *store, struct rows *rows, void *ret_items, uint32_t *ret_count,
                               struct orr_error *err)
{
    rows->items = calloc(rows->limit + 1u, rows->item_size);
    if (!rows->items)
        return orr_fail_nomem(err);
    enum orr_code code = transact(store, false, rows_work, rows, err);
    if (code != ORR_OK) {
        release_rows(rows);
        free(rows->items);
        return code;
    }
    memcpy(ret_items, &rows->items, sizeof rows->items);
    *ret_count = rows->count;
    return ORR_OK;
}

static enum orr_code read_record_item(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    return read_record(cells, item, err);
}

static void release_record_item(void *item)
{
    orr_record_release(item);
}

enum orr_code orr_store_get(struct orr_store *store, const char *id, struct orr_record *ret_record,
                            struct orr_error *err)
{
    const struct orr_cell cell = text_cell(id);
    struct orr_record record = {0};
    struct rows rows = {
        .statement = ORR_SQL_GET,
        .cells = &cell,
        .items = (char *)&record,
        .item_size = sizeof record,
        .limit = 1,
        .read = read_record_item,
        .release = release_record_item,
    };
    enum orr_code code = transact(store, false, rows_work, &rows, err);
    if (code != ORR_OK) {
        release_rows(&rows);
        return code;
    }
    if (!rows.count)
        return no_such(err, id);
    *ret_record = record;
    return ORR_OK;
}

struct found {
    const char *id;
    bool found;
};

static enum orr_code note_found(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    (void)cells;
    (void)err;
    ((struct found *)context)->found = true;
    return ORR_OK;
}

static enum orr_code has_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct found *found = context;
    const struct orr_cell cell = text_cell(found->id);
    found->found = false;
    return query(session, ORR_SQL_DIGEST, &cell, note_found, found, err);
}

enum orr_code orr_store_has(struct orr_store *store, const char *id, struct orr_error *err)
{
    struct found found = {.id = id};
    ORR_TRY(transact(store, false, has_work, &found, err));
    return found.found ? ORR_OK : no_such(err, id);
}

struct content {
    const char *id;
    char *bytes;
    size_t size;
};

static enum orr_code unpack(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct content *content = context;
    size_t size = (size_t)cells[1].number;
    uLongf written = (uLongf)size;
    char *bytes = malloc(size + 1);
    if (!bytes)
        return orr_fail_nomem(err);
    if (uncompress((Bytef *)bytes, &written, cells[0].data, (uLong)cells[0].length) != Z_OK || written != size) {
        free(bytes);
        return orr_fail(err, ORR_INTERNAL, "the stored bytes of topology %.32s are damaged", content->id);
    }
    bytes[size] = 0;
    free(content->bytes);
    content->bytes = bytes;
    content->size = size;
    return ORR_OK;
}

static enum orr_code read_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct content *content = context;
    const struct orr_cell cell = text_cell(content->id);
    return query(session, ORR_SQL_READ, &cell, unpack, content, err);
}

enum orr_code orr_store_read(struct orr_store *store, const char *id, char **ret_bytes, size_t *ret_length,
                             struct orr_error *err)
{
    struct content content = {.id = id};
    enum orr_code code = transact(store, false, read_work, &content, err);
    if (code == ORR_OK && !content.bytes)
        code = no_such(err, id);
    if (code != ORR_OK) {
        free(content.bytes);
        return code;
    }
    *ret_bytes = content.bytes;
    *ret_length = content.size;
    return ORR_OK;
}

/* The text between two % signs, with LIKE's own signs escaped; NULL: out of memory. */
static char *like_pattern(const char *search)
{
    char *pattern = malloc(strlen(search) * 2 + 3), *to = pattern;
    if (!pattern)
        return NULL;
    *to++ = '%';
    for (; *search; search++) {
        if (strchr("%_\\", *search))
            *to++ = '\\';
        *to++ = *search;
    }
    *to++ = '%';
    *to = 0;
    return pattern;
}

enum orr_code orr_store_list(struct orr_store *store, const struct orr_listing *listing,
                             struct orr_record **ret_records, uint32_t *ret_count, struct orr_error *err)
{
    char *pattern = listing->search ? like_pattern(listing->search) : NULL;
    if (listing->search && !pattern)
        return orr_fail_nomem(err);
    struct orr_cell cells[ORR_MOST_CELLS] = {int_cell(listing->before ? listing->before : INT64_MAX),
                                             text_cell(listing->before_id ? listing->before_id : ""),
                                             text_cell(pattern), int_cell(listing->limit)};
    for (uint32_t i = 0; i < listing->label_count && i < ORR_MAX_FILTERS; i++) {
        cells[4 + 2 * i] = text_cell(listing->labels[i].name);
        cells[5 + 2 * i] = text_cell(listing->labels[i].value);
    }
    struct rows rows = {
        .statement = listing->label_count ? ORR_SQL_LIST_LABELLED : ORR_SQL_LIST,
        .cells = cells,
        .item_size = sizeof(struct orr_record),
        .limit = listing->limit,
        .read = read_record_item,
        .release = release_record_item,
    };
    enum orr_code code = read_rows(store, &rows, ret_records, ret_count, err);
    free(pattern);
    return code;
}

static enum orr_code read_visit(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_visit visit = {.at = cells[1].number, .name = copy_text(&cells[2]), .labels = copy_text(&cells[3])};
    if (!visit.name || !visit.labels) {
        orr_visit_release(&visit);
        return orr_fail_nomem(err);
    }
    copy_fixed(&cells[0], visit.id, sizeof visit.id);
    *(struct orr_visit *)item = visit;
    return ORR_OK;
}

static void release_visit_item(void *item)
{
    orr_visit_release(item);
}

enum orr_code orr_store_history(struct orr_store *store, const char *host, int64_t before, const char *before_id,
                                uint32_t limit, struct orr_visit **ret_visits, uint32_t *ret_count,
                                struct orr_error *err)
{
    const struct orr_cell cells[] = {text_cell(host), int_cell(before ? before : INT64_MAX),
                                     text_cell(before_id ? before_id : ""), int_cell(limit)};
    struct rows rows = {
        .statement = ORR_SQL_HISTORY,
        .cells = cells,
        .item_size = sizeof(struct orr_visit),
        .limit = limit,
        .read = read_visit,
        .release = release_visit_item,
    };
    return read_rows(store, &rows, ret_visits, ret_count, err);
}

static enum orr_code read_host(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_host *host = item;
    host->name = copy_text(&cells[0]);
    host->last = cells[1].number;
    host->uploads = cells[2].number;
    return host->name ? ORR_OK : orr_fail_nomem(err);
}

static void release_host_item(void *item)
{
    orr_host_release(item);
}

enum orr_code orr_store_hosts(struct orr_store *store, const char *after, uint32_t limit, struct orr_host **ret_hosts,
                              uint32_t *ret_count, struct orr_error *err)
{
    const struct orr_cell cells[] = {text_cell(after), int_cell(limit)};
    struct rows rows = {
        .statement = ORR_SQL_HOSTS,
        .cells = cells,
        .item_size = sizeof(struct orr_host),
        .limit = limit,
        .read = read_host,
        .release = release_host_item,
    };
    return read_rows(store, &rows, ret_hosts, ret_count, err);
}

/* Changing and deleting. */

struct change {
    const char *id, *name;
    const struct orr_labels *labels;
    int64_t revision, updated;
    bool done;
};

/* What was not changed is either not there, or of another revision. */
static enum orr_code see_whether_done(struct orr_session *session, struct change *change, int64_t changes,
                                      struct orr_error *err)
{
    struct found found = {.id = change->id};
    change->done = changes;
    if (changes)
        return ORR_OK;
    ORR_TRY(has_work(session, &found, err));
    return found.found ? ORR_OK : no_such(err, change->id);
}

static enum orr_code update_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct change *change = context;
    const struct orr_cell cells[] = {text_cell(change->id), text_cell(change->name),
                                     text_cell(change->labels ? change->labels->text : NULL),
                                     int_cell(change->updated), int_cell(change->revision)};
    int64_t changes;
    ORR_TRY(run(session, ORR_SQL_UPDATE, cells, &changes, err));
    ORR_TRY(see_whether_done(session, change, changes, err));
    if (!change->done || !change->labels)
        return ORR_OK;
    ORR_TRY(run(session, ORR_SQL_UNLABEL, cells, NULL, err));
    return add_labels(session, change->id, change->labels, err);
}

enum orr_code orr_store_update(struct orr_store *store, const char *id, int64_t revision, const char *name,
                               const struct orr_labels *labels, bool *ret_done, struct orr_error *err)
{
    struct change change = {.id = id, .name = name, .labels = labels, .revision = revision, .updated = now_ms()};
    ORR_TRY(transact(store, true, update_work, &change, err));
    *ret_done = change.done;
    return ORR_OK;
}

static enum orr_code delete_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct change *change = context;
    const struct orr_cell cells[] = {text_cell(change->id), int_cell(change->revision)};
    int64_t changes;
    ORR_TRY(run(session, ORR_SQL_DELETE, cells, &changes, err));
    return see_whether_done(session, change, changes, err);
}

enum orr_code orr_store_delete(struct orr_store *store, const char *id, int64_t revision, bool *ret_done,
                               struct orr_error *err)
{
    struct change change = {.id = id, .revision = revision};
    ORR_TRY(transact(store, true, delete_work, &change, err));
    *ret_done = change.done;
    return ORR_OK;
}

static enum orr_code check_work(struct orr_session *session, void *context, struct orr_error *err)
{
    (void)context;
    return session->store->driver->check(session, err);
}

enum orr_code orr_store_check(struct orr_store *store, struct orr_error *err)
{
    return transact(store, true, check_work, NULL, err);
}

/* Retention. */

struct expiry {
    int64_t now;
    char (*ids)[ORR_ID_LENGTH + 1];
    uint32_t due, count; /* read, and deleted */
    int64_t until;
};

static enum orr_code take_due(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct expiry *expiry = context;
    (void)err;
    if (expiry->due < ORR_EXPIRE_AT_ONCE)
        copy_fixed(&cells[0], expiry->ids[expiry->due++], sizeof expiry->ids[0]);
    return ORR_OK;
}

static enum orr_code take_beyond(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct expiry *expiry = context;
    (void)err;
    if (cells[0].number > expiry->until)
        expiry->until = cells[0].number;
    return ORR_OK;
}

static enum orr_code expire_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct expiry *expiry = context;
    const struct orr_store *store = session->store;
    const struct orr_cell kept = int_cell(store->keep_count);
    expiry->due = expiry->count = 0;
    expiry->until = store->keep_ms ? expiry->now - store->keep_ms : 0;
    if (store->keep_count)
        ORR_TRY(query(session, ORR_SQL_BEYOND, &kept, take_beyond, expiry, err));
    const struct orr_cell due[] = {int_cell(expiry->until), int_cell(ORR_EXPIRE_AT_ONCE)};
    ORR_TRY(query(session, ORR_SQL_DUE, due, take_due, expiry, err));
    for (uint32_t i = 0; i < expiry->due; i++) {
        const struct orr_cell cells[] = {text_cell(expiry->ids[i]), int_cell(expiry->until)};
        int64_t changes;
        ORR_TRY(run(session, ORR_SQL_EXPIRE, cells, &changes, err));
        if (changes)
            memmove(expiry->ids[expiry->count++], expiry->ids[i], sizeof expiry->ids[i]);
    }
    return ORR_OK;
}

enum orr_code orr_store_expire(struct orr_store *store, int64_t now, uint32_t *ret_count, struct orr_error *err)
{
    struct expiry expiry = {.now = now, .ids = calloc(ORR_EXPIRE_AT_ONCE, sizeof *expiry.ids)};
    if (!expiry.ids)
        return orr_fail_nomem(err);
    enum orr_code code = transact(store, true, expire_work, &expiry, err);
    for (uint32_t i = 0; code == ORR_OK && store->on_expired && i < expiry.count; i++)
        store->on_expired(store->context, expiry.ids[i]);
    free(expiry.ids);
    if (code == ORR_OK)
        *ret_count = expiry.count;
    return code;
}

void orr_record_release(struct orr_record *record)
{
    free(record->name);
    free(record->labels);
    record->name = record->labels = NULL;
}

void orr_visit_release(struct orr_visit *visit)
{
    free(visit->name);
    free(visit->labels);
    visit->name = visit->labels = NULL;
}

void orr_host_release(struct orr_host *host)
{
    free(host->name);
    host->name = NULL;
}
