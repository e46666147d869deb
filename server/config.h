/* SPDX-License-Identifier: Apache-2.0 */
/* The settings of `orrery serve`: one table, a row each (config_table.c). The flag, the environment variable, the line
 * in
 * --help, the man page, reading, bounds and --check-config all come from the row, so that they cannot say different
 * things.
 *
 *     row "max-body"  ->  --max-body BYTES,  ORRERY_MAX_BODY,  config.max_body
 *
 * A flag overrides the environment, which overrides the default.
 */
#ifndef ORR_SERVER_CONFIG_H
#define ORR_SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "engine/base/error.h"

enum orr_config_kind {
    ORR_CONFIG_BYTES,   /* uint64_t; 4096, 64K, 16M, 1G (powers of 1024) */
    ORR_CONFIG_SECONDS, /* uint64_t of milliseconds; 30, 0.5, 500ms, 5m, 2h */
    ORR_CONFIG_COUNT,   /* uint64_t */
    ORR_CONFIG_BOOL,    /* bool; yes, no, 1, 0, true, false, on, off */
    ORR_CONFIG_CHOICE,  /* uint64_t: the place among the words of the row's `value`, "json|logfmt" */
    ORR_CONFIG_TEXT,    /* const char *, NULL if not given */
    ORR_CONFIG_URL,     /* the same; a password in it is never shown */
    ORR_CONFIG_LIST     /* the same; items separated by commas: orr_config_item() */
};

enum orr_config_group {
    ORR_CONFIG_SERVING,
    ORR_CONFIG_STORAGE,
    ORR_CONFIG_ACCESS,
    ORR_CONFIG_LIMITS,
    ORR_CONFIG_TIMES,
    ORR_CONFIG_LOGS,
    ORR_CONFIG_GROUP_COUNT
};
extern const char *const orr_config_group_titles[ORR_CONFIG_GROUP_COUNT];

enum orr_config_source { ORR_CONFIG_DEFAULT, ORR_CONFIG_ENVIRONMENT, ORR_CONFIG_FLAG };

struct orr_config_row {
    const char *name;  /* "max-body" */
    const char *value; /* name of the value in --help; the words of a CHOICE; NULL for a BOOL */
    enum orr_config_kind kind;
    enum orr_config_group group;
    const char *fallback;     /* the default as text; NULL if none, and `help` says what happens then */
    uint64_t lowest, highest; /* bounds of a number, in the stored unit */
    const char *help;
    size_t at; /* in struct orr_config */
};
extern const struct orr_config_row orr_config_rows[];
extern const size_t orr_config_row_count;

enum { ORR_CONFIG_MAX_ROWS = 64 };
enum orr_log_format { ORR_LOG_LOGFMT, ORR_LOG_JSON };

struct orr_config {
    /* serving */
    const char *listen, *static_folder;
    uint64_t threads; /* 0 means one a core */
    /* storage */
    const char *database;
    uint64_t cache, database_ms, database_connections;
    uint64_t keep_days, keep_count; /* 0 means for ever, or all */
    bool keep_dry_run;
    /* access */
    const char *token_file, *tls_cert, *tls_key, *cors_origins, *trusted_proxies, *allowed_hosts;
    bool insecure, open_metrics;
    /* limits; 0 means none if the row's lowest is 0 */
    uint64_t max_body, max_header, body_memory, stream_memory, connections, client_connections, queue, rate, burst,
        client_requests;
    uint64_t analysis_ms, analysis_memory, unpacked,
        archive_entries; /* what one request may use: engine/base/budget.h */
    /* times, milliseconds */
    uint64_t idle_ms, header_ms, body_ms, send_ms, grace_ms, drain_delay_ms, slow_ms;
    /* logs */
    uint64_t log_format; /* enum orr_log_format */
    bool quiet, check;

    unsigned char sources[ORR_CONFIG_MAX_ROWS]; /* enum orr_config_source, a row each */
};

/* The row of a flag's name without its dashes; NULL if there is none. */
const struct orr_config_row *orr_config_find(const char *name, size_t length);
/* Sets all defaults. */
void orr_config_init(struct orr_config *config);
/* Sets one value; `value` NULL for a BOOL is yes. Texts are kept as they are given: they must outlive config. SETTING,
 * naming the flag or the variable, if the value cannot be read or is out of bounds. */
enum orr_code orr_config_set(struct orr_config *config, const struct orr_config_row *row, const char *value,
                             enum orr_config_source source, struct orr_error *err) ORR_NO_DISCARD;
/* Reads values from the environment (empty ones are treated as absent) unless a flag gave them. Reports each wrong
 * variable to `problems`, with advice, and returns their number. Unknown ORRERY_* variables are notes, not errors,
 * because Kubernetes makes such variables for a service called orrery. */
unsigned orr_config_environment(struct orr_config *config, FILE *problems);
/* The name of the environment variable of a row. */
void orr_config_variable(const struct orr_config_row *row, char variable[64]);
/* The value in force as text, passwords left out. */
void orr_config_shown(const struct orr_config *config, const struct orr_config_row *row, char *text, size_t size);
/* Writes the output of --check-config: value and source of each row. */
void orr_config_print(const struct orr_config *config, FILE *out);

/* The next item of a list: *list moves after it; false at the end. Blanks around items are left out. */
bool orr_config_item(const char **list, const char **ret_start, size_t *ret_length);

#endif
