/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that read records, content, lists and histories. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/store/store_work.h"
#include "engine/base/budget.h"

char *orr_cell_text(const struct orr_cell *cell)
{
    char *copy = malloc(cell->length + 1);
    if (copy) {
        if (cell->length)
            memcpy(copy, cell->data, cell->length);
        copy[cell->length] = 0;
    }
    return copy;
}

void orr_cell_copy(const struct orr_cell *cell, char *target, size_t size)
{
    snprintf(target, size, "%s", cell->kind == ORR_CELL_TEXT ? (const char *)cell->data : "");
}

struct rows {
    const struct orr_row_kind *kind;
    enum orr_statement statement;
    const struct orr_cell *cells;
    char *items;
    uint32_t count, limit;
};

static void release_rows(struct rows *rows)
{
    for (uint32_t i = 0; i < rows->count && rows->kind->release; i++)
        rows->kind->release(rows->items + i * rows->kind->size);
    rows->count = 0;
}

static enum orr_code take_row(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct rows *rows = context;
    if (rows->count == rows->limit)
        return ORR_OK;
    ORR_TRY(rows->kind->read(cells, rows->items + rows->count * rows->kind->size, err));
    rows->count++;
    return ORR_OK;
}

static enum orr_code rows_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct rows *rows = context;
    release_rows(rows); /* of an earlier attempt */
    return orr_query(session, rows->statement, rows->cells, take_row, rows, err);
}

static enum orr_code get_rows(struct orr_store *store, enum orr_store_operation operation, struct rows *rows,
                              struct orr_error *err)
{
    enum orr_code code = orr_store_transact(store, operation, rows_work, rows, err);
    if (code != ORR_OK)
        release_rows(rows);
    return code;
}

enum orr_code orr_row_get(struct orr_store *store, enum orr_store_operation operation, const struct orr_row_kind *kind,
                          enum orr_statement statement, const struct orr_cell *cells, void *item, bool *ret_found,
                          struct orr_error *err)
{
    struct rows rows = {.kind = kind, .statement = statement, .cells = cells, .items = item, .limit = 1};
    ORR_TRY(get_rows(store, operation, &rows, err));
    *ret_found = rows.count;
    return ORR_OK;
}

enum orr_code orr_rows_list(struct orr_store *store, const struct orr_row_kind *kind, enum orr_statement statement,
                            const struct orr_cell *cells, uint32_t limit, void *ret_items, uint32_t *ret_count,
                            struct orr_error *err)
{
    struct rows rows = {.kind = kind, .statement = statement, .cells = cells, .limit = limit};
    ORR_NEED(rows.items = calloc(limit + 1u, kind->size), err);
    enum orr_code code = get_rows(store, ORR_STORE_LIST, &rows, err);
    if (code != ORR_OK) {
        free(rows.items);
        return code;
    }
    memcpy(ret_items, &rows.items, sizeof rows.items);
    *ret_count = rows.count;
    return ORR_OK;
}

static void release_record(void *item)
{
    orr_record_release(item);
}

static enum orr_code read_record(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_record *record = item;
    *record = (struct orr_record){.created = cells[2].number,
                                  .updated = cells[3].number,
                                  .size = cells[4].number,
                                  .revision = cells[5].number,
                                  .name = orr_cell_text(&cells[6]),
                                  .labels = orr_cell_text(&cells[7])};
    orr_cell_copy(&cells[0], record->id, sizeof record->id);
    orr_cell_copy(&cells[1], record->digest, sizeof record->digest);
    orr_cell_copy(&cells[8], record->shape, sizeof record->shape);
    return orr_item_whole(record->name && record->labels, item, release_record, err);
}

const struct orr_row_kind orr_record_rows = {sizeof(struct orr_record), read_record, release_record};

enum orr_code orr_store_get(struct orr_store *store, const char *id, struct orr_record *ret_record,
                            struct orr_error *err)
{
    const struct orr_cell cell = orr_text_cell(id);
    bool found;
    ORR_TRY(orr_row_get(store, ORR_STORE_GET, &orr_record_rows, ORR_SQL_GET, &cell, ret_record, &found, err));
    return found ? ORR_OK : orr_store_no_such(err, id);
}

static enum orr_code note_found(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    (void)cells;
    (void)err;
    *(bool *)context = true;
    return ORR_OK;
}

enum orr_code orr_store_find(struct orr_session *session, const char *id, bool *ret_found, struct orr_error *err)
{
    const struct orr_cell cell = orr_text_cell(id);
    *ret_found = false;
    return orr_query(session, ORR_SQL_DIGEST, &cell, note_found, ret_found, err);
}

struct search {
    const char *id;
    bool found;
};

static enum orr_code find_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct search *search = context;
    return orr_store_find(session, search->id, &search->found, err);
}

enum orr_code orr_store_has(struct orr_store *store, const char *id, struct orr_error *err)
{
    struct search search = {.id = id};
    ORR_TRY(orr_store_transact(store, ORR_STORE_HAS, find_work, &search, err));
    return search.found ? ORR_OK : orr_store_no_such(err, id);
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
    char *bytes = orr_budget_malloc(size + 1);
    ORR_NEED(bytes, err);
    if (uncompress((Bytef *)bytes, &written, cells[0].data, (uLong)cells[0].length) != Z_OK || written != size) {
        orr_budget_free(bytes, size + 1);
        return orr_fail(err, ORR_INTERNAL, "the stored bytes of topology %.32s are damaged", content->id);
    }
    bytes[size] = 0;
    orr_budget_free(content->bytes, content->size + 1);
    content->bytes = bytes;
    content->size = size;
    return ORR_OK;
}

static enum orr_code read_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct content *content = context;
    const struct orr_cell cell = orr_text_cell(content->id);
    return orr_query(session, ORR_SQL_READ, &cell, unpack, content, err);
}

enum orr_code orr_store_read(struct orr_store *store, const char *id, char **ret_bytes, size_t *ret_length,
                             struct orr_error *err)
{
    struct content content = {.id = id};
    enum orr_code code = orr_store_transact(store, ORR_STORE_READ, read_work, &content, err);
    if (code == ORR_OK && !content.bytes)
        code = orr_store_no_such(err, id);
    if (code != ORR_OK) {
        orr_budget_free(content.bytes, content.size + 1);
        return code;
    }
    *ret_bytes = content.bytes;
    *ret_length = content.size;
    return ORR_OK;
}

/* The text between two % signs, with LIKE's own signs escaped; NULL if memory runs out. */
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

static enum orr_code read_number(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    (void)err;
    *(int64_t *)item = cells[0].number;
    return ORR_OK;
}

static const struct orr_row_kind numbers = {sizeof(int64_t), read_number, NULL};

/* Puts the rarest label first, since every topology that has the first one is asked for the others. labels: a name and
 * a value each. */
static enum orr_code lead_with_rarest(struct orr_store *store, struct orr_cell *labels, uint32_t count,
                                      struct orr_error *err)
{
    enum { MANY = 1000 };
    int64_t fewest = MANY;
    uint32_t rarest = 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_cell cells[] = {labels[2 * i], labels[2 * i + 1], orr_int_cell(MANY)};
        int64_t having = MANY;
        bool found;
        ORR_TRY(orr_row_get(store, ORR_STORE_LIST, &numbers, ORR_SQL_LABELLED_COUNT, cells, &having, &found, err));
        if (having < fewest) {
            fewest = having;
            rarest = i;
        }
    }
    for (uint32_t i = 0; i < 2; i++) {
        const struct orr_cell first = labels[i];
        labels[i] = labels[2 * rarest + i];
        labels[2 * rarest + i] = first;
    }
    return ORR_OK;
}

/* The rows of a listing, whatever is read from each. There are three statements: for all rows, for those that a search
 * finds, and for those with labels. */
static enum orr_code list(struct orr_store *store, const struct orr_listing *listing, const struct orr_row_kind *kind,
                          const enum orr_statement statements[3], void *ret_items, uint32_t *ret_count,
                          struct orr_error *err)
{
    char *pattern = listing->search ? like_pattern(listing->search) : NULL;
    if (listing->search && !pattern)
        return orr_fail_nomem(err);
    struct orr_cell cells[ORR_MOST_CELLS] = {orr_int_cell(listing->before ? listing->before : INT64_MAX),
                                             orr_text_cell(listing->before_id ? listing->before_id : ""),
                                             orr_int_cell(listing->limit), orr_text_cell(pattern)};
    const uint32_t labels = listing->label_count < ORR_MAX_FILTERS ? listing->label_count : ORR_MAX_FILTERS;
    for (uint32_t i = 0; i < labels; i++) {
        cells[4 + 2 * i] = orr_text_cell(listing->labels[i].name);
        cells[5 + 2 * i] = orr_text_cell(listing->labels[i].value);
    }
    const enum orr_statement which = statements[labels ? 2 : pattern ? 1 : 0];
    enum orr_code code = labels > 1 ? lead_with_rarest(store, cells + 4, labels, err) : ORR_OK;
    if (code == ORR_OK)
        code = orr_rows_list(store, kind, which, cells, listing->limit, ret_items, ret_count, err);
    free(pattern);
    return code;
}

enum orr_code orr_store_list(struct orr_store *store, const struct orr_listing *listing,
                             struct orr_record **ret_records, uint32_t *ret_count, struct orr_error *err)
{
    static const enum orr_statement statements[] = {ORR_SQL_LIST, ORR_SQL_LIST_FOUND, ORR_SQL_LIST_LABELLED};
    return list(store, listing, &orr_record_rows, statements, ret_records, ret_count, err);
}

static enum orr_code read_member(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_set_member *member = item;
    (void)err;
    orr_cell_copy(&cells[0], member->id, sizeof member->id);
    orr_cell_copy(&cells[1], member->shape, sizeof member->shape);
    member->hosts = cells[2].number;
    return ORR_OK;
}

static const struct orr_row_kind members = {sizeof(struct orr_set_member), read_member, NULL};

enum orr_code orr_store_members(struct orr_store *store, const struct orr_listing *listing,
                                struct orr_set_member **ret_members, uint32_t *ret_count, struct orr_error *err)
{
    static const enum orr_statement statements[] = {ORR_SQL_MEMBERS_FOUND, ORR_SQL_MEMBERS_FOUND,
                                                    ORR_SQL_MEMBERS_LABELLED};
    return list(store, listing, &members, statements, ret_members, ret_count, err);
}

enum orr_code orr_store_member(struct orr_store *store, const char *id, struct orr_set_member *ret_member,
                               struct orr_error *err)
{
    const struct orr_cell cell = orr_text_cell(id);
    bool found;
    ORR_TRY(orr_row_get(store, ORR_STORE_GET, &members, ORR_SQL_MEMBER, &cell, ret_member, &found, err));
    return found ? ORR_OK : orr_store_no_such(err, id);
}

static void release_visit(void *item)
{
    orr_visit_release(item);
}

static enum orr_code read_visit(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_visit *visit = item;
    *visit = (struct orr_visit){.at = cells[1].number,
                                .name = orr_cell_text(&cells[2]),
                                .labels = orr_cell_text(&cells[3]),
                                .sequence = cells[4].number};
    orr_cell_copy(&cells[0], visit->id, sizeof visit->id);
    return orr_item_whole(visit->name && visit->labels, item, release_visit, err);
}

enum orr_code orr_store_history(struct orr_store *store, const char *host, int64_t before, const char *before_id,
                                uint32_t limit, struct orr_visit **ret_visits, uint32_t *ret_count,
                                struct orr_error *err)
{
    const struct orr_cell cells[] = {orr_text_cell(host), orr_int_cell(before ? before : INT64_MAX),
                                     orr_text_cell(before_id ? before_id : ""), orr_int_cell(limit)};
    static const struct orr_row_kind visits = {sizeof(struct orr_visit), read_visit, release_visit};
    return orr_rows_list(store, &visits, ORR_SQL_HISTORY, cells, limit, ret_visits, ret_count, err);
}

static void release_event(void *item)
{
    orr_event_release(item);
}

static enum orr_code read_event(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_event *event = item;
    *event = (struct orr_event){.sequence = cells[0].number,
                                .at = cells[1].number,
                                .host = orr_cell_text(&cells[2]),
                                .detail = orr_cell_text(&cells[5])};
    orr_cell_copy(&cells[3], event->before, sizeof event->before);
    orr_cell_copy(&cells[4], event->after, sizeof event->after);
    return orr_item_whole(event->host && event->detail, item, release_event, err);
}

enum orr_code orr_store_events(struct orr_store *store, int64_t since, const char *host, uint32_t limit,
                               struct orr_event **ret_events, uint32_t *ret_count, struct orr_error *err)
{
    const struct orr_cell cells[] = {orr_int_cell(since), orr_text_cell(host), orr_int_cell(limit)};
    static const struct orr_row_kind events = {sizeof(struct orr_event), read_event, release_event};
    return orr_rows_list(store, &events, ORR_SQL_EVENTS, cells, limit, ret_events, ret_count, err);
}

void orr_record_release(struct orr_record *record)
{
    free(record->name);
    free(record->labels);
    record->name = record->labels = NULL;
}

enum orr_code orr_store_newest(struct orr_store *store, int64_t *ret_newest, struct orr_error *err)
{
    bool found;
    *ret_newest = 0;
    return orr_row_get(store, ORR_STORE_LIST, &numbers, ORR_SQL_NEWEST, NULL, ret_newest, &found, err);
}

void orr_visit_release(struct orr_visit *visit)
{
    free(visit->name);
    free(visit->labels);
    visit->name = visit->labels = NULL;
}

void orr_event_release(struct orr_event *event)
{
    free(event->host);
    free(event->detail);
    event->host = event->detail = NULL;
}
