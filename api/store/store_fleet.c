/* SPDX-License-Identifier: Apache-2.0 */
/* All hosts at once: each with its last upload, and how many are alike. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

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

/* A page is a unit of work of its own, so that nobody waits for more than one. */
enum { PAGE = 500, MOST_NAME = 256 /* bytes of a label */ };

static enum orr_code read_page(struct orr_store *store, const char *after, struct orr_fleet_host **ret_hosts,
                               uint32_t *ret_count, struct orr_error *err)
{
    const struct orr_cell cells[] = {orr_text_cell(after), orr_int_cell(PAGE)};
    static const struct orr_row_kind hosts = {sizeof(struct orr_fleet_host), read_host, release_host};
    return orr_rows_list(store, &hosts, ORR_SQL_FLEET, cells, PAGE, ret_hosts, ret_count, err);
}

static void release_hosts(struct orr_fleet_host *hosts, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        orr_fleet_host_release(&hosts[i]);
    free(hosts);
}

enum orr_code orr_store_fleet(struct orr_store *store, uint32_t limit, struct orr_fleet_host **ret_hosts,
                              uint32_t *ret_count, struct orr_error *err)
{
    struct orr_fleet_host *hosts = NULL, *page, *longer;
    uint32_t count = 0, got = PAGE;
    while (got == PAGE && count < limit) {
        enum orr_code code = read_page(store, count ? hosts[count - 1].name : "", &page, &got, err);
        if (code == ORR_OK && !(longer = realloc(hosts, ((size_t)count + got + 1) * sizeof *hosts))) {
            release_hosts(page, got);
            code = orr_fail_nomem(err);
        }
        if (code != ORR_OK) {
            release_hosts(hosts, count);
            return code;
        }
        hosts = longer;
        memcpy(hosts + count, page, got * sizeof *hosts);
        free(page);
        count += got;
    }
    *ret_hosts = hosts;
    *ret_count = count;
    return ORR_OK;
}

static int compare_shapes(const void *a, const void *b)
{
    return strcmp(a, b);
}

enum orr_code orr_store_count_hosts(struct orr_store *store, struct orr_error *err)
{
    struct orr_host_figures figures = {0};
    char(*shapes)[ORR_DIGEST_LENGTH + 1] = NULL, (*longer)[ORR_DIGEST_LENGTH + 1];
    char after[MOST_NAME + 1] = "";
    uint32_t count = 0, got = PAGE;
    enum orr_code code = ORR_OK;
    while (got == PAGE && code == ORR_OK) {
        struct orr_fleet_host *page;
        code = read_page(store, after, &page, &got, err);
        if (code != ORR_OK)
            break;
        longer = realloc(shapes, ((size_t)count + got + 1) * sizeof *shapes);
        shapes = longer ? longer : shapes;
        code = longer ? ORR_OK : orr_fail_nomem(err);
        for (uint32_t i = 0; i < got && longer; i++)
            memcpy(shapes[count++], page[i].shape, sizeof *shapes);
        if (got)
            snprintf(after, sizeof after, "%s", page[got - 1].name);
        release_hosts(page, got);
    }
    if (code == ORR_OK)
        qsort(shapes, count, sizeof *shapes, compare_shapes);
    for (uint32_t i = 0, end; code == ORR_OK && i < count; i = end, figures.groups++) {
        for (end = i + 1; end < count && !strcmp(shapes[end], shapes[i]); end++)
            ;
        figures.most = end - i > figures.most ? end - i : figures.most;
    }
    free(shapes);
    ORR_TRY(code);
    atomic_store(&store->hosts_most, figures.most);
    atomic_store(&store->hosts_others, count - figures.most);
    atomic_store(&store->host_groups, figures.groups);
    return ORR_OK;
}

struct orr_host_figures orr_store_host_figures(struct orr_store *store)
{
    return (struct orr_host_figures){.most = atomic_load(&store->hosts_most),
                                     .others = atomic_load(&store->hosts_others),
                                     .groups = atomic_load(&store->host_groups)};
}
