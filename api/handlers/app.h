/* SPDX-License-Identifier: Apache-2.0 */
/* Makes the service that api/http/api.h describes: its store, cache, metrics, drawing processes and routes. */
#ifndef ORR_API_APP_H
#define ORR_API_APP_H

#include "api/http/api.h"

struct orr_app_options {
    const char *database;           /* location of the store: a path, ":memory:" or postgresql://... (store.h) */
    unsigned database_connections;  /* most connections to a PostgreSQL server; 0 means 8 */
    unsigned database_timeout_ms;   /* time limit of one statement; 0 means 10 s */
    unsigned database_calls;        /* most threads that wait for the database at once; 0 means no limit */
    unsigned keep_days, keep_count; /* retention of dumps, by age of the last upload and by number; 0 means no limit */
    bool keep_dry;                  /* delete nothing by itself; orr_app_due() says what would be deleted */
    const char *static_folder;      /* folder of the page; NULL if there is none */
    const char *docs_folder;        /* folder of the HTML documentation, served below /docs/; NULL if there is none */
    const char *program;            /* program to start for drawing; NULL means /proc/self/exe */
    size_t max_body;                /* largest dump in bytes; 0 means 16 MiB */
    size_t cache_bytes;             /* largest size of the cache; 0 means 256 MiB */
    size_t stream_bytes;            /* most memory of all running streams; 0 means no limit */
    bool counts_hosts;              /* count hosts and their verdicts once a minute, for metrics */
    bool check_systems;             /* verify every system graph that is built */
};

enum orr_code orr_app_new(const struct orr_app_options *options, struct orr_app **ret_app,
                          struct orr_error *err) ORR_NO_DISCARD;
void orr_app_free(struct orr_app *app);
/* The number of stored dumps that retention would delete now, and the number of all stored dumps. */
enum orr_code orr_app_due(struct orr_app *app, int64_t *ret_due, int64_t *ret_stored,
                          struct orr_error *err) ORR_NO_DISCARD;

#endif
