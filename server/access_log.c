/* SPDX-License-Identifier: Apache-2.0 */
/* One line a request, and what is counted of it. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "server/exchange.h"
#include "server/log.h"

/* Some are answered below us, by connections.c. */
static enum orr_denial why_denied(const struct orr_exchange *exchange)
{
    return exchange->refusal ? exchange->refusal : (enum orr_denial)atomic_load(&exchange->from->ended);
}

static unsigned status_of(const struct orr_exchange *exchange)
{
    return exchange->has_response ? exchange->response.status : orr_connection_status(exchange->from);
}

void orr_access_log(struct orr_exchange *exchange)
{
    if (exchange->logged)
        return;
    exchange->logged = true;
    uint64_t nanoseconds = orr_exchange_nanoseconds(exchange);
    const struct orr_config *config = exchange->http->config;
    struct orr_log_line line;
    char forwarded[ORR_ADDRESS_TEXT];
    const char *client = exchange->from->address_text;
    bool slow = config->slow_ms && nanoseconds >= config->slow_ms * 1000000;
    if (config->quiet && !slow)
        return;
    if (memcmp(&exchange->client_address, &exchange->from->address, sizeof exchange->client_address) != 0) {
        orr_address_write(&exchange->client_address, forwarded);
        client = forwarded;
    }
    orr_log_begin(&line, (enum orr_log_format)config->log_format, slow ? "warn" : "info",
                  slow ? "slow request" : "request");
    orr_log_text(&line, "id", exchange->id);
    orr_log_text(&line, "traceparent", exchange->parent);
    orr_log_text(&line, "client", client);
    orr_log_text(&line, "token", exchange->bearer.name);
    orr_log_text(&line, "method", exchange->method);
    orr_log_text(&line, "route", orr_route_template(exchange->route));
    orr_log_number(&line, "status", status_of(exchange));
    orr_log_text(&line, "refused", orr_denial_reason(why_denied(exchange)));
    orr_log_text(&line, "ended", orr_spent_word(exchange->spent));
    orr_log_number(&line, "bytes", exchange->has_response ? exchange->response.length : 0);
    orr_log_milliseconds(&line, "dur_ms", nanoseconds);
    orr_log_text(&line, "target", exchange->target); /* last: it may be long */
    orr_log_end(&line);
}

uint64_t orr_exchange_nanoseconds(const struct orr_exchange *exchange)
{
    return orr_clock_ns() - exchange->begun_ns;
}

void orr_exchange_count(const struct orr_exchange *exchange, uint64_t nanoseconds)
{
    struct orr_metrics *metrics = exchange->http->metrics;
    if (exchange->body_seen)
        orr_metric_add(metrics, ORR_METRIC_HTTP_RECEIVED, 0, exchange->body_seen);
    unsigned status = status_of(exchange);
    if (!status) {
        orr_metric_add(metrics, ORR_METRIC_HTTP_BROKEN, 0, 1);
        return;
    }
    orr_app_count(exchange->http->app, exchange->route, status, nanoseconds);
    if (exchange->has_response && exchange->response.length && strcmp(exchange->method, "HEAD") != 0)
        orr_metric_add(metrics, ORR_METRIC_HTTP_SENT, 0, exchange->response.length);
}
