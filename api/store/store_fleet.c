/* SPDX-License-Identifier: Apache-2.0 */
/* All hosts at once: each with its last upload, and how many are alike. */
#include <stdlib.h>

#include "api/store/store_work.h"

void orr_fleet_host_release(struct orr_fleet_host *host)
{
    free(host->name);
    free(host->labels);
    free(host->about);
    host->name = host->labels = host->about = NULL;
}

static void release_host(void *item)
{
    orr_fleet_host_release(item);
}

static enum orr_code read_host(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_fleet_host *host = item;
    *host = (struct orr_fleet_host){.name = orr_cell_text(&cells[0]),
                                    .at = cells[3].number,
                                    .labels = orr_cell_text(&cells[4]),
                                    .about = orr_cell_text(&cells[5])};
    orr_cell_copy(&cells[1], host->id, sizeof host->id);
    orr_cell_copy(&cells[2], host->shape, sizeof host->shape);
    return orr_item_whole(host->name && host->labels && host->about, item, release_host, err);
}

enum orr_code orr_store_fleet(struct orr_store *store, uint32_t limit, struct orr_fleet_host **ret_hosts,
                              uint32_t *ret_count, struct orr_error *err)
{
    const struct orr_cell cell = orr_int_cell(limit);
    static const struct orr_row_kind hosts = {sizeof(struct orr_fleet_host), read_host, release_host};
    return orr_rows_list(store, &hosts, ORR_SQL_FLEET, &cell, limit, ret_hosts, ret_count, err);
}

static enum orr_code add_group(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct orr_host_figures *figures = context;
    (void)err;
    *(figures->groups++ ? &figures->others : &figures->most) += (uint64_t)cells[0].number;
    return ORR_OK;
}

static enum orr_code count_work(struct orr_session *session, void *context, struct orr_error *err)
{
    struct orr_host_figures *figures = context;
    *figures = (struct orr_host_figures){0};
    return orr_query(session, ORR_SQL_GROUPS, NULL, add_group, figures, err);
}

enum orr_code orr_store_count_hosts(struct orr_store *store, struct orr_error *err)
{
    struct orr_host_figures figures;
    ORR_TRY(orr_store_transact(store, ORR_STORE_LIST, count_work, &figures, err));
    atomic_store(&store->hosts_most, figures.most);
    atomic_store(&store->hosts_others, figures.others);
    atomic_store(&store->host_groups, figures.groups);
    return ORR_OK;
}

struct orr_host_figures orr_store_host_figures(struct orr_store *store)
{
    return (struct orr_host_figures){.most = atomic_load(&store->hosts_most),
                                     .others = atomic_load(&store->hosts_others),
                                     .groups = atomic_load(&store->host_groups)};
}
