/* SPDX-License-Identifier: Apache-2.0 */
/* A new metric needs a name in metrics.h and a row here; the code that counts it calls orr_metric_add() or the like. */
#include "api/metrics/metrics_table.h"

#include <stdio.h>

#include "api/store/store.h"
#include "engine/base/budget.h"
#include "engine/base/version.h"
#include "engine/release/release.h"

const uint64_t orr_buckets[ORR_BUCKET_COUNT] = {
    100000,   250000,    500000,    1000000,   2500000,    5000000,    10000000,   25000000,
    50000000, 100000000, 250000000, 500000000, 1000000000, 2500000000, 5000000000, 10000000000,
};

static const unsigned short codes[] = {200, 201, 204, 304, 400, 401, 403, 404, 405, 406, 408, 409, 412,
                                       413, 414, 415, 422, 428, 429, 431, 500, 501, 502, 503, 504, 0};
enum { CODE_COUNT = sizeof codes / sizeof codes[0] };

unsigned orr_metric_code_count(void)
{
    return CODE_COUNT;
}

static void write_code(unsigned value, char labels[ORR_LABELS_SIZE])
{
    snprintf(labels, ORR_LABELS_SIZE, codes[value] ? "code=\"%u\"" : "code=\"other\"", codes[value]);
}

unsigned orr_metric_code_index(unsigned status)
{
    unsigned at = 0;
    while (codes[at] && codes[at] != status)
        at++;
    return at;
}

/* A dimension whose values are a list of words. */
#define ORR_WORDS(name, label, ...)                                                                                    \
    static const char *const name##_words[] = {__VA_ARGS__};                                                           \
    static unsigned name##_count(void)                                                                                 \
    {                                                                                                                  \
        return sizeof name##_words / sizeof name##_words[0];                                                           \
    }                                                                                                                  \
    static void write_##name(unsigned value, char labels[ORR_LABELS_SIZE])                                             \
    {                                                                                                                  \
        snprintf(labels, ORR_LABELS_SIZE, label "=\"%s\"", name##_words[value]);                                       \
    }                                                                                                                  \
    static const struct orr_metric_dimension name = {name##_count, write_##name};

/* ORDER: as the enums of metrics.h and store.h */
#define ORR_WORD(name, word) word,
ORR_WORDS(reasons, "reason", ORR_DENIAL_MAP(ORR_WORD))
#undef ORR_WORD
ORR_WORDS(stages, "stage", "parse", "graph", "paths", "search", "connect", "tuning", "write", "layout")
ORR_WORDS(operations, "operation", "put", "get", "has", "read", "list", "update", "delete", "check", "expire")
ORR_WORDS(reloads, "what", "tokens", "certificate")
ORR_WORDS(work, "class", "short", "long")
ORR_WORDS(limits, "limit", "time", "memory", "unpacked", "entries")
ORR_WORDS(reasons_to_end, "reason", "client_gone", "shutting_down")
ORR_WORDS(results, "result", "done", "failed")
ORR_WORDS(states, "state", "running", "busy")
ORR_WORDS(groups, "group", "most", "other")
ORR_WORDS(verdicts, "verdict", "alike", "slower", "faster", "unknown")
_Static_assert(sizeof stages_words / sizeof stages_words[0] == ORR_TIMED_COUNT, "ORDER");
_Static_assert(sizeof operations_words / sizeof operations_words[0] == ORR_STORE_OPERATION_COUNT, "ORDER");
_Static_assert(sizeof reloads_words / sizeof reloads_words[0] == ORR_RELOAD_COUNT, "ORDER");

_Static_assert(sizeof work_words / sizeof work_words[0] == ORR_WORK_CLASS_COUNT, "ORDER");
_Static_assert(sizeof limits_words / sizeof limits_words[0] == ORR_SPENT_ENTRIES, "ORDER: from enum orr_spent, 1");
_Static_assert(sizeof reasons_to_end_words / sizeof reasons_to_end_words[0] == ORR_SPENT_USER - ORR_SPENT_CLIENT,
               "ORDER: from enum orr_spent, ORR_SPENT_CLIENT");

const char *orr_denial_reason(enum orr_denial refusal)
{
    return refusal > ORR_DENIED_NOT && refusal < ORR_DENIAL_COUNT ? reasons_words[refusal - 1] : "";
}

static unsigned one(void)
{
    return 1;
}

static void write_version(unsigned value, char labels[ORR_LABELS_SIZE])
{
    (void)value;
    snprintf(labels, ORR_LABELS_SIZE, "version=\"%s\",default_release=\"%s\"", orr_version(),
             orr_release_default()->name);
}

static const struct orr_metric_dimension routes = {NULL, NULL}, /* those of the service */
    code = {orr_metric_code_count, write_code}, build = {one, write_version};

#define ORR_ROW(id, name, type, unit, help, ...)                                                                       \
    [ORR_METRIC_##id] = {name, ORR_##type, ORR_UNIT_##unit, help, {__VA_ARGS__}}

const struct orr_metric_row orr_metric_rows[ORR_METRIC_COUNT] = {
    ORR_ROW(HTTP_DURATION, "orrery_http_request_duration_seconds", HISTOGRAM, NANOSECONDS,
            "Time from the request line to the end of the answer, by route template; HEAD counts as GET.", &routes,
            &code),
    ORR_ROW(HTTP_IN_FLIGHT, "orrery_http_requests_in_flight", GAUGE, NONE, "Requests begun and not yet answered.",
            NULL),
    ORR_ROW(HTTP_RECEIVED, "orrery_http_received_bytes_total", COUNTER, NONE, "Bytes of request bodies received.",
            NULL),
    ORR_ROW(HTTP_SENT, "orrery_http_sent_bytes_total", COUNTER, NONE, "Bytes of response bodies sent.", NULL),
    ORR_ROW(HTTP_BROKEN, "orrery_http_broken_total", COUNTER, NONE,
            "Requests whose client went away before the answer.", NULL),
    ORR_ROW(HTTP_BODIES, "orrery_http_body_memory_bytes", GAUGE, NONE,
            "Memory that the bodies of requests in progress take.", NULL),
    ORR_ROW(REJECTED, "orrery_rejected_total", COUNTER, NONE,
            "Requests turned away before they were handled, by reason.", &reasons),
    ORR_ROW(CONNECTIONS, "orrery_connections", GAUGE, NONE, "Open connections.", NULL),
    ORR_ROW(CONNECTIONS_MOST, "orrery_connections_max", GAUGE, NONE, "Limit on open connections.", NULL),
    ORR_ROW(QUEUE, "orrery_queue_waiting", GAUGE, NONE, "Requests that wait for a thread that computes.", NULL),
    ORR_ROW(QUEUE_MOST, "orrery_queue_max", GAUGE, NONE, "Limit on waiting requests.", NULL),
    ORR_ROW(QUEUE_TIME, "orrery_queue_wait_seconds", HISTOGRAM, NANOSECONDS,
            "Time that requests waited for a thread, by class: short work asks the cache and the store, long work "
            "computes.",
            &work),
    ORR_ROW(EXCEEDED, "orrery_budget_exceeded_total", COUNTER, NONE,
            "Requests that were refused because they exceeded what one request may use, by limit.", &limits),
    ORR_ROW(CANCELLED, "orrery_cancelled_total", COUNTER, NONE,
            "Requests whose work was ended before it was done, by reason.", &reasons_to_end),
    ORR_ROW(DRAINING, "orrery_draining", GAUGE, NONE, "1 after SIGTERM, while /readyz answers 503.", NULL),
    ORR_ROW(STAGE_DURATION, "orrery_stage_duration_seconds", HISTOGRAM, NANOSECONDS,
            "Time of each stage of an analysis or drawing that was not in the cache.", &stages),
    ORR_ROW(CACHE_BYTES, "orrery_cache_bytes", GAUGE, NONE, "Memory of cached answers and analyses.", NULL),
    ORR_ROW(CACHE_LIMIT, "orrery_cache_limit_bytes", GAUGE, NONE, "Limit on that memory.", NULL),
    ORR_ROW(CACHE_ENTRIES, "orrery_cache_entries", GAUGE, NONE, "Cached values.", NULL),
    ORR_ROW(CACHE_HITS, "orrery_cache_hits_total", COUNTER, NONE, "Values found in the cache.", NULL),
    ORR_ROW(CACHE_MISSES, "orrery_cache_misses_total", COUNTER, NONE, "Values that were not in the cache.", NULL),
    ORR_ROW(CACHE_EVICTIONS, "orrery_cache_evictions_total", COUNTER, NONE, "Values dropped to make room.", NULL),
    ORR_ROW(STORE_DURATION, "orrery_store_operation_duration_seconds", HISTOGRAM, NANOSECONDS,
            "Time of each operation of the store.", &operations),
    ORR_ROW(STORE_FAILURES, "orrery_store_failures_total", COUNTER, NONE,
            "Operations that the database refused or that did not reach it.", &operations),
    ORR_ROW(HOSTS, "orrery_hosts", GAUGE, NONE,
            "Hosts whose last upload is like most except for GUIDs and host hashes, and others, by their verdict "
            "compared with most; counted once a minute.",
            &groups, &verdicts),
    ORR_ROW(HOST_GROUPS, "orrery_host_groups", GAUGE, NONE,
            "Number of different kinds of hosts, by their last uploads.", NULL),
    ORR_ROW(HOST_CHANGES, "orrery_host_changes_total", COUNTER, NONE,
            "Uploads in which a host's dump differed from its last one in more than GUIDs and host hashes.", NULL),
    ORR_ROW(RENDER_WORKERS, "orrery_render_workers", GAUGE, NONE,
            "Drawing processes that are running, and those that are drawing.", &states),
    ORR_ROW(RENDER_STARTED, "orrery_render_workers_started_total", COUNTER, NONE, "Drawing processes started.", NULL),
    ORR_ROW(RENDER_ENDED, "orrery_render_workers_ended_total", COUNTER, NONE,
            "Drawing processes that ended: by age, crash or time.", NULL),
    ORR_ROW(RENDER_DRAWINGS, "orrery_render_drawings_total", COUNTER, NONE, "Drawings by result.", &results),
    ORR_ROW(TOKENS, "orrery_tokens", GAUGE, NONE, "Tokens in force; 0 if no token is needed.", NULL),
    ORR_ROW(TLS_EXPIRY, "orrery_tls_certificate_not_after_timestamp_seconds", GAUGE, NONE,
            "Time at which the certificate in force expires; 0 without TLS.", NULL),
    ORR_ROW(RELOADS, "orrery_reloads_total", COUNTER, NONE, "Reloads of tokens and certificate on SIGHUP.", &reloads,
            &results),
    ORR_ROW(BUILD, "orrery_build_info", GAUGE, NONE, "Always 1; the labels describe the running program.", &build),
    ORR_ROW(PROCESS_CPU, "process_cpu_seconds_total", COUNTER, NANOSECONDS, "User and system CPU time.", NULL),
    ORR_ROW(PROCESS_START, "process_start_time_seconds", GAUGE, NONE, "Start of the process since 1970.", NULL),
    ORR_ROW(PROCESS_RESIDENT, "process_resident_memory_bytes", GAUGE, NONE, "Resident memory.", NULL),
    ORR_ROW(PROCESS_VIRTUAL, "process_virtual_memory_bytes", GAUGE, NONE, "Virtual memory.", NULL),
    ORR_ROW(PROCESS_THREADS, "process_threads", GAUGE, NONE, "Threads.", NULL),
    ORR_ROW(PROCESS_FDS, "process_open_fds", GAUGE, NONE, "Open file descriptors.", NULL),
    ORR_ROW(PROCESS_FDS_MOST, "process_max_fds", GAUGE, NONE, "Limit on file descriptors.", NULL),
};
