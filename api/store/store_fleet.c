/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts with their last uploads, in natural order, and the number of hosts that are alike. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/store/store_work.h"

/* Each page is a unit of work of its own, so that nobody waits for more than one page. */
enum { PAGE = 1000, MOST_NAME = 256 /* bytes of a label */ };

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

/* The order of orr_order_naturally() for a database that orders bytes. A number becomes its length and its digits, so
 * that "node9" ("node" 0 001 9) comes before "node10" (0 002 10). The first 0 keeps the order of digits among other
 * bytes. */
static char *sort_of(const char *host)
{
    enum { PREFIX = 4 };
    char *sort = malloc((PREFIX + 1) * strlen(host) + 1), *to = sort;
    if (!sort)
        return NULL;
    while (*host) {
        if (!isdigit((unsigned char)*host)) {
            *to++ = *host++;
            continue;
        }
        while (host[0] == '0' && isdigit((unsigned char)host[1]))
            host++;
        size_t length = 0;
        while (isdigit((unsigned char)host[length]))
            length++;
        to += sprintf(to, "0%03zu%.*s", length, (int)length, host);
        host += length;
    }
    *to = 0;
    return sort;
}

/* Runs a statement whose first parameters are the place of a host in the order, and its name. */
static enum orr_code list_after(struct orr_store *store, const struct orr_row_kind *kind, enum orr_statement statement,
                                const char *after, uint32_t limit, void *ret_items, uint32_t *ret_count,
                                struct orr_error *err)
{
    char *sort = sort_of(after);
    ORR_NEED(sort, err);
    const struct orr_cell cells[] = {orr_text_cell(sort), orr_text_cell(after), orr_int_cell(limit)};
    enum orr_code code = orr_rows_list(store, kind, statement, cells, limit, ret_items, ret_count, err);
    free(sort);
    return code;
}

static enum orr_code run_sorted(struct orr_session *session, enum orr_statement statement, const char *host,
                                struct orr_error *err)
{
    char *sort = sort_of(host);
    ORR_NEED(sort, err);
    const struct orr_cell cells[] = {orr_text_cell(sort), orr_text_cell(host)};
    enum orr_code code = orr_run(session, statement, cells, NULL, err);
    free(sort);
    return code;
}

enum orr_code orr_host_remember(struct orr_session *session, const char *host, struct orr_error *err)
{
    return run_sorted(session, ORR_SQL_HOST, host, err);
}

enum orr_code orr_host_forget(struct orr_session *session, const char *id, struct orr_error *err)
{
    const struct orr_cell cell = orr_text_cell(id);
    ORR_TRY(orr_run(session, ORR_SQL_HOST_BACK, &cell, NULL, err));
    return orr_run(session, ORR_SQL_HOST_GONE, &cell, NULL, err);
}

static enum orr_code read_name(const struct orr_cell *cells, void *item, struct orr_error *err)
{
    struct orr_host *host = item;
    host->name = orr_cell_text(&cells[0]);
    host->last = cells[1].number;
    host->uploads = cells[2].number;
    return host->name ? ORR_OK : orr_fail_nomem(err);
}

static void release_name(void *item)
{
    orr_host_release(item);
}

enum orr_code orr_store_hosts(struct orr_store *store, const char *after, uint32_t limit, struct orr_host **ret_hosts,
                              uint32_t *ret_count, struct orr_error *err)
{
    static const struct orr_row_kind hosts = {sizeof(struct orr_host), read_name, release_name};
    return list_after(store, &hosts, ORR_SQL_HOSTS, after, limit, ret_hosts, ret_count, err);
}

static enum orr_code read_page(struct orr_store *store, const char *after, struct orr_fleet_host **ret_hosts,
                               uint32_t *ret_count, struct orr_error *err)
{
    static const struct orr_row_kind hosts = {sizeof(struct orr_fleet_host), read_host, release_host};
    return list_after(store, &hosts, ORR_SQL_FLEET, after, PAGE, ret_hosts, ret_count, err);
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

void orr_host_release(struct orr_host *host)
{
    free(host->name);
    host->name = NULL;
}

struct unsorted {
    char *names[PAGE];
    uint32_t count;
};

static void release_unsorted(struct unsorted *hosts)
{
    while (hosts->count)
        free(hosts->names[--hosts->count]);
}

static enum orr_code take_unsorted(void *context, const struct orr_cell *cells, struct orr_error *err)
{
    struct unsorted *hosts = context;
    if (hosts->count == PAGE)
        return ORR_OK;
    ORR_NEED(hosts->names[hosts->count] = orr_cell_text(&cells[0]), err);
    hosts->count++;
    return ORR_OK;
}

static enum orr_code find_unsorted(struct orr_session *session, void *context, struct orr_error *err)
{
    const struct orr_cell most = orr_int_cell(PAGE);
    release_unsorted(context); /* of an earlier attempt */
    return orr_query(session, ORR_SQL_HOST_UNSORTED, &most, take_unsorted, context, err);
}

static enum orr_code sort_work(struct orr_session *session, void *context, struct orr_error *err)
{
    const struct unsorted *hosts = context;
    for (uint32_t i = 0; i < hosts->count; i++)
        ORR_TRY(run_sorted(session, ORR_SQL_HOST_SORT, hosts->names[i], err));
    return ORR_OK;
}

enum orr_code orr_host_sort_all(struct orr_store *store, struct orr_error *err)
{
    enum orr_code code;
    uint32_t count;
    do {
        struct unsorted hosts = {.count = 0};
        code = orr_store_transact(store, ORR_STORE_LIST, find_unsorted, &hosts, err);
        count = hosts.count;
        if (code == ORR_OK && count)
            code = orr_store_transact(store, ORR_STORE_UPDATE, sort_work, &hosts, err);
        release_unsorted(&hosts);
    } while (code == ORR_OK && count == PAGE);
    return code;
}
