/* SPDX-License-Identifier: Apache-2.0 */
/* The rows. A new setting is a member of struct orr_config and a row here. */
#include "server/config.h"

const char *const orr_config_group_titles[ORR_CONFIG_GROUP_COUNT] = {
    [ORR_CONFIG_SERVING] = "Serving", [ORR_CONFIG_STORAGE] = "Storage", [ORR_CONFIG_ACCESS] = "Access",
    [ORR_CONFIG_LIMITS] = "Limits",   [ORR_CONFIG_TIMES] = "Times",     [ORR_CONFIG_LOGS] = "Logs",
};

#define K (UINT64_C(1) << 10)
#define M (UINT64_C(1) << 20)
#define G (UINT64_C(1) << 30)
enum { SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE };

#define ROW(name, value, kind, group, fallback, lowest, highest, member, help)                                         \
    {name,                                                                                                             \
     value,                                                                                                            \
     ORR_CONFIG_##kind,                                                                                                \
     ORR_CONFIG_##group,                                                                                               \
     fallback,                                                                                                         \
     lowest,                                                                                                           \
     highest,                                                                                                          \
     help,                                                                                                             \
     offsetof(struct orr_config, member)},

const struct orr_config_row orr_config_rows[] = {
    /* clang-format off */
    ROW("listen", "ADDR:PORT", TEXT, SERVING, "127.0.0.1:8080", 0, 0, listen,
        "where to listen; port 0 takes a free one")
    ROW("static", "DIR", TEXT, SERVING, NULL, 0, 0, static_folder,
        "folder of the page (default: beside the program or where it was installed)")
    ROW("threads", "N", COUNT, SERVING, "0", 0, 256, threads,
        "threads that serve, and as many that compute; 0: one a core")

    ROW("database", "URL|PATH", URL, STORAGE, NULL, 0, 0, database,
        "postgresql://USER@HOST/DB, or a file (default: ~/.local/state/orrery/orrery.db), or :memory:")
    ROW("database-timeout", "SECONDS", SECONDS, STORAGE, "10", SECOND, 10 * MINUTE, database_ms,
        "longest that one statement of the database may take")
    ROW("database-connections", "N", COUNT, STORAGE, "8", 1, 256, database_connections,
        "most connections to PostgreSQL")
    ROW("keep-days", "N", COUNT, STORAGE, "0", 0, 36500, keep_days,
        "delete dumps that nobody uploaded for so many days; 0: never")
    ROW("keep-count", "N", COUNT, STORAGE, "0", 0, UINT32_MAX, keep_count,
        "keep so many dumps at most, the last uploaded; 0: all")
    ROW("cache", "BYTES", BYTES, STORAGE, "256M", M, 1024 * G, cache,
        "ceiling of the memory for finished answers")

    ROW("token-file", "FILE", TEXT, ACCESS, NULL, 0, 0, token_file,
        "who may read and write: lines of `orrery token`; read again on SIGHUP (default: nobody is asked)")
    ROW("insecure", NULL, BOOL, ACCESS, "no", 0, 1, insecure,
        "listen beyond this machine without tokens, though anyone who reaches it may read and write")
    ROW("open-metrics", NULL, BOOL, ACCESS, "no", 0, 1, open_metrics,
        "answer GET /metrics without a token")
    ROW("tls-cert", "FILE", TEXT, ACCESS, NULL, 0, 0, tls_cert,
        "certificate chain (PEM): serve HTTPS, TLS 1.2 at least; read again on SIGHUP")
    ROW("tls-key", "FILE", TEXT, ACCESS, NULL, 0, 0, tls_key,
        "private key (PEM) of --tls-cert")
    ROW("cors-origins", "LIST", LIST, ACCESS, NULL, 0, 0, cors_origins,
        "pages of these origins may ask, such as https://ops.example.org; * for all (default: none)")
    ROW("trusted-proxies", "LIST", LIST, ACCESS, NULL, 0, 0, trusted_proxies,
        "addresses or networks whose X-Forwarded-For is believed, such as 10.0.0.0/8 (default: none)")

    ROW("max-body", "BYTES", BYTES, LIMITS, "16M", K, G, max_body,
        "largest body of a request (413)")
    ROW("max-header", "BYTES", BYTES, LIMITS, "8K", 2 * K, M, max_header,
        "largest request line with headers (431)")
    ROW("connections", "N", COUNT, LIMITS, "1024", 1, 100000, connections,
        "most connections at once; further ones are refused with 503 or closed")
    ROW("client-connections", "N", COUNT, LIMITS, "0", 0, 100000, client_connections,
        "most connections of one address at once; further ones are closed; 0: any number, as it must be behind a proxy")
    ROW("body-memory", "BYTES", BYTES, LIMITS, "512M", M, 1024 * G, body_memory,
        "memory for the bodies of all requests under way (503)")
    ROW("stream-memory", "BYTES", BYTES, LIMITS, "512M", M, 1024 * G, stream_memory,
        "memory that all streams under way hold: rings, trees and transfers of large communicators (503)")
    ROW("queue", "N", COUNT, LIMITS, "1024", 1, 1000000, queue,
        "most requests that wait to be computed (503)")
    ROW("analysis-time", "SECONDS", SECONDS, LIMITS, "10", 0, HOUR, analysis_ms,
        "time that one request may compute (422); 0: any")
    ROW("analysis-memory", "BYTES", BYTES, LIMITS, "512M", 0, 1024 * G, analysis_memory,
        "memory that one request may take while it computes (422); 0: any")
    ROW("unpacked", "BYTES", BYTES, LIMITS, "256M", 0, 1024 * G, unpacked,
        "bytes to which an archive may unpack, entries that are not used included (413); 0: any")
    ROW("archive-entries", "N", COUNT, LIMITS, "65536", 0, UINT32_MAX, archive_entries,
        "entries that an archive may have (413); 0: any")
    ROW("rate", "N", COUNT, LIMITS, "0", 0, 1000000, rate,
        "requests a second of one client, which is a token, otherwise an address (429); 0: any number")
    ROW("burst", "N", COUNT, LIMITS, "0", 0, 1000000, burst,
        "requests of one client at once before --rate holds; 0: twice the rate")
    ROW("client-requests", "N", COUNT, LIMITS, "0", 0, 100000, client_requests,
        "most requests of one client under way at once (429); 0: any number")

    ROW("header-timeout", "SECONDS", SECONDS, TIMES, "10", 50, HOUR, header_ms,
        "time from a connection to its first request line, and from a request line to the end of its headers (408)")
    ROW("body-timeout", "SECONDS", SECONDS, TIMES, "60", 50, HOUR, body_ms,
        "time for the whole body of a request (408)")
    ROW("timeout", "SECONDS", SECONDS, TIMES, "30", SECOND, HOUR, idle_ms,
        "a connection that is silent for so long, or waits so long for its next request, is closed")
    ROW("send-timeout", "SECONDS", SECONDS, TIMES, "300", 50, 24 * HOUR, send_ms,
        "time for a client to take an answer; then the connection is closed")
    ROW("grace", "SECONDS", SECONDS, TIMES, "10", 0, HOUR, grace_ms,
        "time for requests under way after SIGTERM")
    ROW("drain-delay", "SECONDS", SECONDS, TIMES, "0", 0, HOUR, drain_delay_ms,
        "after SIGTERM, time in which /readyz says 503 and new connections are still served")

    ROW("log-format", "logfmt|json", CHOICE, LOGS, "logfmt", 0, 1, log_format,
        "form of the lines on standard error, one a request")
    ROW("slow-request", "SECONDS", SECONDS, LOGS, "1", 0, 24 * HOUR, slow_ms,
        "a request that takes so long is logged as a warning, even with --quiet; 0: none is")
    ROW("quiet", NULL, BOOL, LOGS, "no", 0, 1, quiet,
        "no lines for requests")
    ROW("check", NULL, BOOL, LOGS, "no", 0, 1, check,
        "verify every system graph that is built; a violation is an internal error")
    /* clang-format on */
};
const size_t orr_config_row_count = sizeof orr_config_rows / sizeof orr_config_rows[0];
_Static_assert(sizeof orr_config_rows / sizeof orr_config_rows[0] <= ORR_CONFIG_MAX_ROWS, "struct orr_config.sources");
