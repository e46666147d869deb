/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters: descriptions that name topologies. */
#include <stdlib.h>
#include <string.h>

#include "api/store/store_work.h"

static enum orr_code no_such_cluster(struct orr_error *err, const char *id)
{
    return orr_fail_with(err, ORR_NOT_FOUND, NULL, "GET /v1/clusters lists those that are stored",
                         "there is no cluster %.32s", id);
}

struct put {
    const struct orr_cluster_record *record;
    const char *const *topologies;
    uint32_t count;
    bool existed;
};

static enum orr_code put_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct put *put = context;
    const struct orr_cluster_record *record = put->record;
    const struct orr_cell insert[] = {orr_text_cell(record->id),     orr_text_cell(record->digest),
                                      orr_int_cell(record->created), orr_text_cell(record->name),
                                      orr_int_cell(record->hosts),   orr_text_cell(record->body)};
    int64_t inserted;
    for (uint32_t i = 0; i < put->count; i++) {
        bool found;
        ORR_TRY(orr_store_find(session, put->topologies[i], &found, err));
        if (!found)
            return orr_store_no_such(err, put->topologies[i]);
    }
    ORR_TRY(orr_run(session, ORR_SQL_CLUSTER_INSERT, insert, &inserted, err));
    put->existed = !inserted;
    for (uint32_t i = 0; inserted && i < put->count; i++) {
        const struct orr_cell part[] = {orr_text_cell(record->id), orr_text_cell(put->topologies[i])};
        ORR_TRY(orr_run(session, ORR_SQL_CLUSTER_PART, part, NULL, err));
    }
    return ORR_OK;
}

enum orr_code orr_store_cluster_put(struct orr_store *store, const struct orr_cluster_record *record,
                                    const char *const *topologies, uint32_t count, bool *ret_existed,
                                    struct orr_error *err)
{
    struct put put = {.record = record, .topologies = topologies, .count = count};
    ORR_TRY(orr_store_transact(store, ORR_STORE_PUT, put_work, &put, err));
    *ret_existed = put.existed;
    return ORR_OK;
}

static void release_cluster(void *item)
{
    orr_cluster_record_release(item);
}

static enum orr_code read_cluster(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_cluster_record *record = item;
    *record = (struct orr_cluster_record){.created = cells[2].number,
                                          .name = orr_cell_text(&cells[3]),
                                          .hosts = cells[4].number,
                                          .body = orr_cell_text(&cells[5])};
    orr_cell_copy(&cells[0], record->id, sizeof record->id);
    orr_cell_copy(&cells[1], record->digest, sizeof record->digest);
    return orr_item_whole(record->name && record->body, item, release_cluster, err);
}

static const struct orr_row_kind clusters = {sizeof(struct orr_cluster_record), read_cluster, release_cluster};

enum orr_code orr_store_cluster_get(struct orr_store *store, const char *id, struct orr_cluster_record *ret_record,
                                    struct orr_error *err)
{
    const struct orr_cell cell = orr_text_cell(id);
    bool found;
    ORR_TRY(orr_row_get(store, ORR_STORE_GET, &clusters, ORR_SQL_CLUSTER_GET, &cell, ret_record, &found, err));
    return found ? ORR_OK : no_such_cluster(err, id);
}

enum orr_code orr_store_clusters(struct orr_store *store, int64_t before, const char *before_id, uint32_t limit,
                                 struct orr_cluster_record **ret_records, uint32_t *ret_count, struct orr_error *err)
{
    const struct orr_cell cells[] = {orr_int_cell(before ? before : INT64_MAX),
                                     orr_text_cell(before_id ? before_id : ""), orr_int_cell(limit)};
    return orr_rows_list(store, &clusters, ORR_SQL_CLUSTER_LIST, cells, limit, ret_records, ret_count, err);
}

enum orr_code orr_store_cluster_topologies(struct orr_store *store, const char *id, uint32_t limit,
                                           struct orr_record **ret_records, uint32_t *ret_count, struct orr_error *err)
{
    const struct orr_cell cell = orr_text_cell(id);
    return orr_rows_list(store, &orr_record_rows, ORR_SQL_CLUSTER_TOPOLOGIES, &cell, limit, ret_records, ret_count,
                         err);
}

struct question {
    const char *id;
    bool found;
    char missing[ORR_ID_LENGTH + 1];
};

static enum orr_code note_found(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    (void)cells;
    (void)err;
    ((struct question *)context)->found = true;
    return ORR_OK;
}

static enum orr_code note_missing(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct question *question = context;
    (void)err;
    orr_cell_copy(&cells[0], question->missing, sizeof question->missing);
    return ORR_OK;
}

static enum orr_code has_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct question *question = context;
    const struct orr_cell cell = orr_text_cell(question->id);
    question->found = false;
    question->missing[0] = 0;
    ORR_TRY(orr_query(session, ORR_SQL_CLUSTER_DIGEST, &cell, note_found, question, err));
    return orr_query(session, ORR_SQL_CLUSTER_MISSING, &cell, note_missing, question, err);
}

enum orr_code orr_store_cluster_has(struct orr_store *store, const char *id, struct orr_error *err)
{
    struct question question = {.id = id};
    ORR_TRY(orr_store_transact(store, ORR_STORE_HAS, has_work, &question, err));
    if (!question.found)
        return no_such_cluster(err, id);
    if (!question.missing[0])
        return ORR_OK;
    return orr_fail_with(err, ORR_NOT_FOUND, NULL, "upload the same dump again, or delete the cluster",
                         "topology %.32s of this cluster is no longer stored", question.missing);
}

static enum orr_code delete_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct question *question = context;
    const struct orr_cell cell = orr_text_cell(question->id);
    int64_t changes;
    ORR_TRY(orr_run(session, ORR_SQL_CLUSTER_DELETE, &cell, &changes, err));
    question->found = changes;
    return ORR_OK;
}

enum orr_code orr_store_cluster_delete(struct orr_store *store, const char *id, struct orr_error *err)
{
    struct question question = {.id = id};
    ORR_TRY(orr_store_transact(store, ORR_STORE_DELETE, delete_work, &question, err));
    return question.found ? ORR_OK : no_such_cluster(err, id);
}

void orr_cluster_record_release(struct orr_cluster_record *record)
{
    free(record->name);
    free(record->body);
    record->name = record->body = NULL;
}
