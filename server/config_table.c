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

#define ORR_ROW(name, value, kind, group, fallback, lowest, highest, member, help)                                     \
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
    ORR_ROW("listen", "ADDR:PORT", TEXT, SERVING, "127.0.0.1:8080", 0, 0, listen,
        "address and port to listen on; port 0 picks a free port")
    ORR_ROW("static", "DIR", TEXT, SERVING, NULL, 0, 0, static_folder,
        "folder of the page (default: next to the program, or if it was installed)")
    ORR_ROW("threads", "N", COUNT, SERVING, "0", 0, 256, threads,
        "number of threads that serve, and of threads that compute; 0 means one per core")

    ORR_ROW("database", "URL|PATH", URL, STORAGE, NULL, 0, 0, database,
        "database: postgresql://USER@HOST/DB, :memory:, or a file (default: ~/.local/state/orrery/orrery.db)")
    ORR_ROW("database-timeout", "SECONDS", SECONDS, STORAGE, "10", SECOND, 10 * MINUTE, database_ms,
        "time limit for one database statement")
    ORR_ROW("database-connections", "N", COUNT, STORAGE, "8", 1, 256, database_connections,
        "maximum number of connections to PostgreSQL")
    ORR_ROW("keep-days", "N", COUNT, STORAGE, "0", 0, 36500, keep_days,
        "number of days after which a dump that nobody uploads again is deleted; 0 means never. Between two "
        "uploads, at most a tenth of all dumps is deleted")
    ORR_ROW("keep-count", "N", COUNT, STORAGE, "0", 0, UINT32_MAX, keep_count,
        "maximum number of dumps to keep, newest first; 0 means no limit")
    ORR_ROW("keep-dry-run", NULL, BOOL, STORAGE, "no", 0, 1, keep_dry_run,
        "print how many dumps --keep-days and --keep-count would delete now, and exit")
    ORR_ROW("cache", "BYTES", BYTES, STORAGE, "256M", M, 1024 * G, cache,
        "maximum memory for cached answers")

    ORR_ROW("token-file", "FILE", TEXT, ACCESS, NULL, 0, 0, token_file,
        "tokens of those who may read and write, as `orrery token` prints them; read again on "
        "SIGHUP (default: no token is needed)")
    ORR_ROW("insecure", NULL, BOOL, ACCESS, "no", 0, 1, insecure,
        "listen beyond this machine without tokens; anyone who can reach the service may then read and write")
    ORR_ROW("open-metrics", NULL, BOOL, ACCESS, "no", 0, 1, open_metrics,
        "answer GET /metrics without a token")
    ORR_ROW("tls-cert", "FILE", TEXT, ACCESS, NULL, 0, 0, tls_cert,
        "certificate chain (PEM) for HTTPS with TLS 1.2 or newer; read again on SIGHUP")
    ORR_ROW("tls-key", "FILE", TEXT, ACCESS, NULL, 0, 0, tls_key,
        "private key (PEM) of --tls-cert")
    ORR_ROW("cors-origins", "LIST", LIST, ACCESS, NULL, 0, 0, cors_origins,
        "origins of other pages that may use the API, such as https://ops.example.org; * means all (default: none)")
    ORR_ROW("allowed-hosts", "LIST", LIST, ACCESS, NULL, 0, 0, allowed_hosts,
        "values to accept in the Host header besides localhost and the address, such as orrery.example.org; * "
        "means all (default: none; all with --token-file)")
    ORR_ROW("trusted-proxies", "LIST", LIST, ACCESS, NULL, 0, 0, trusted_proxies,
        "addresses or networks of proxies whose X-Forwarded-For is trusted, such as 10.0.0.0/8 (default: none)")

    ORR_ROW("max-body", "BYTES", BYTES, LIMITS, "16M", K, G, max_body,
        "maximum size of a request body (413)")
    ORR_ROW("max-header", "BYTES", BYTES, LIMITS, "8K", 2 * K, M, max_header,
        "maximum size of the request line and headers (431)")
    ORR_ROW("connections", "N", COUNT, LIMITS, "1024", 1, 100000, connections,
        "maximum number of connections; more are refused with 503 or closed")
    ORR_ROW("client-connections", "N", COUNT, LIMITS, "0", 0, 100000, client_connections,
        "maximum number of connections from one address; more are closed; 0 means no limit, which a proxy needs")
    ORR_ROW("body-memory", "BYTES", BYTES, LIMITS, "512M", M, 1024 * G, body_memory,
        "maximum memory for the bodies of all requests in progress (503)")
    ORR_ROW("stream-memory", "BYTES", BYTES, LIMITS, "512M", M, 1024 * G, stream_memory,
        "maximum memory for all streams in progress: rings, trees and transfers of large communicators (503)")
    ORR_ROW("queue", "N", COUNT, LIMITS, "1024", 1, 1000000, queue,
        "maximum number of requests that wait to be computed (503)")
    ORR_ROW("analysis-time", "SECONDS", SECONDS, LIMITS, "10", 0, HOUR, analysis_ms,
        "time limit for the computation of one request (422); 0 means no limit")
    ORR_ROW("analysis-memory", "BYTES", BYTES, LIMITS, "512M", 0, 1024 * G, analysis_memory,
        "memory limit for the computation of one request (422); 0 means no limit")
    ORR_ROW("unpacked", "BYTES", BYTES, LIMITS, "256M", 0, 1024 * G, unpacked,
        "maximum unpacked size of an archive, including entries that are not used (413); 0 means no limit")
    ORR_ROW("archive-entries", "N", COUNT, LIMITS, "65536", 0, UINT32_MAX, archive_entries,
        "maximum number of entries in an archive (413); 0 means no limit")
    ORR_ROW("rate", "N", COUNT, LIMITS, "0", 0, 1000000, rate,
        "maximum requests per second from one client, identified by token or else by address (429); 0 means no limit")
    ORR_ROW("burst", "N", COUNT, LIMITS, "0", 0, 1000000, burst,
        "number of requests that a client may send at once before --rate applies; 0 means twice the rate")
    ORR_ROW("client-requests", "N", COUNT, LIMITS, "0", 0, 100000, client_requests,
        "maximum number of requests in progress from one client (429); 0 means no limit")

    ORR_ROW("header-timeout", "SECONDS", SECONDS, TIMES, "10", 50, HOUR, header_ms,
        "time limit from connection to request line, and from request line to the end of the headers (408)")
    ORR_ROW("body-timeout", "SECONDS", SECONDS, TIMES, "60", 50, HOUR, body_ms,
        "time limit for a whole request body (408)")
    ORR_ROW("timeout", "SECONDS", SECONDS, TIMES, "30", SECOND, HOUR, idle_ms,
        "time after which a silent connection, or one that waits for its next request, is closed")
    ORR_ROW("send-timeout", "SECONDS", SECONDS, TIMES, "300", 50, 24 * HOUR, send_ms,
        "time limit for a client to read an answer, after which the connection is closed")
    ORR_ROW("grace", "SECONDS", SECONDS, TIMES, "10", 0, HOUR, grace_ms,
        "time that requests in progress have to finish after SIGTERM")
    ORR_ROW("drain-delay", "SECONDS", SECONDS, TIMES, "0", 0, HOUR, drain_delay_ms,
        "time after SIGTERM in which /readyz answers 503 while new connections are still served")

    ORR_ROW("log-format", "logfmt|json", CHOICE, LOGS, "logfmt", 0, 1, log_format,
        "format of the log on standard error, one line per request")
    ORR_ROW("slow-request", "SECONDS", SECONDS, LOGS, "1", 0, 24 * HOUR, slow_ms,
        "time after which a request is logged as a warning, even with --quiet; 0 means never")
    ORR_ROW("quiet", NULL, BOOL, LOGS, "no", 0, 1, quiet,
        "do not log requests")
    ORR_ROW("check", NULL, BOOL, LOGS, "no", 0, 1, check,
        "verify every system graph; a violation is an internal error")
    /* clang-format on */
};
const size_t orr_config_row_count = sizeof orr_config_rows / sizeof orr_config_rows[0];
_Static_assert(sizeof orr_config_rows / sizeof orr_config_rows[0] <= ORR_CONFIG_MAX_ROWS, "struct orr_config.sources");
