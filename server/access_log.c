/* One line a request. */
#include "server/exchange.h"
#include "server/log.h"

void orr_access_log(const struct orr_exchange *exchange)
{
    const struct orr_config *config = exchange->http->config;
    struct orr_log_line line;
    struct timespec now;
    char client[ORR_ADDRESS_TEXT];
    clock_gettime(CLOCK_MONOTONIC, &now);
    double milliseconds =
        (double)(now.tv_sec - exchange->begun.tv_sec) * 1e3 + (double)(now.tv_nsec - exchange->begun.tv_nsec) / 1e6;
    bool slow = config->slow_ms && milliseconds >= (double)config->slow_ms;
    if (config->quiet && !slow)
        return;
    orr_address_write(&exchange->client_address, client);
    orr_log_begin(&line, (enum orr_log_format)config->log_format, slow ? "warn" : "info",
                  slow ? "slow request" : "request");
    orr_log_text(&line, "id", exchange->id);
    orr_log_text(&line, "traceparent", exchange->parent);
    orr_log_text(&line, "client", client);
    orr_log_text(&line, "token", exchange->bearer.name);
    orr_log_text(&line, "method", exchange->method);
    orr_log_text(&line, "route", exchange->has_response ? exchange->response.route : "");
    orr_log_number(&line, "status", exchange->has_response ? exchange->response.status : 0);
    orr_log_text(&line, "refused", orr_denial_reason(exchange->refusal));
    orr_log_number(&line, "bytes", exchange->has_response ? exchange->response.length : 0);
    orr_log_milliseconds(&line, "dur_ms", milliseconds);
    orr_log_text(&line, "target", exchange->target); /* last: it may be long */
    orr_log_end(&line);
}
