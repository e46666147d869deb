/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the service that api/http/api.h describes: its store, cache, metrics, drawing processes and routes. */
#ifndef ORR_API_APP_H
#define ORR_API_APP_H

#include "api/http/api.h"

struct orr_app_options {
    const char *database;           /* where the store is: a path, ":memory:" or postgresql://... (store.h) */
    unsigned database_connections;  /* most to a PostgreSQL server; 0: 8 */
    unsigned database_timeout_ms;   /* for a statement of the database; 0: 10 s */
    unsigned database_calls;        /* threads that the database may hold at once; 0: any */
    unsigned keep_days, keep_count; /* retention of dumps by their last upload; 0: for ever */
    bool keep_dry;                  /* nothing is deleted: for orr_app_due() */
    const char *static_folder;      /* of the page; NULL: none */
    const char *docs_folder;        /* of the documentation in HTML, served below /docs/; NULL: none */
    const char *program;            /* this program, for the workers that draw; NULL: /proc/self/exe */
    size_t max_body;                /* largest dump in bytes; 0: 16 MiB */
    size_t cache_bytes;             /* ceiling of the cache; 0: 256 MiB */
    size_t stream_bytes;            /* that all streams under way may hold; 0: any */
    bool counts_hosts;              /* for metrics, once a minute, with their verdicts */
    bool check_systems;             /* verify every system graph that is built */
};

enum orr_code orr_app_new(const struct orr_app_options *options, struct orr_app **ret_app,
                          struct orr_error *err) ORR_NO_DISCARD;
void orr_app_free(struct orr_app *app);
/* How many stored dumps retention would delete now, of how many. */
enum orr_code orr_app_due(struct orr_app *app, int64_t *ret_due, int64_t *ret_stored,
                          struct orr_error *err) ORR_NO_DISCARD;

#endif
