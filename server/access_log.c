/* SPDX-License-Identifier: Apache-2.0 */
/* Logs one line for each request, and counts it. */
#include <string.h>
#include <strings.h>

#include "engine/base/budget.h"
#include "engine/base/clock.h"
#include "server/exchange.h"
#include "server/log.h"

/* connections.c answers some requests. */
static enum orr_denial why_denied(const struct orr_exchange *exchange)
{
    return exchange->refusal ? exchange->refusal : (enum orr_denial)atomic_load(&exchange->from->ended);
}

static unsigned status_of(const struct orr_exchange *exchange)
{
    return exchange->has_response ? exchange->response.status : orr_connection_status(exchange->from);
}

/* Whether a parameter may contain a token, by its name or by the beginning of tokens. */
static bool is_secret(const char *name, size_t length)
{
    static const char *const words[] = {"token", "access_token", "auth", "authorization", "password", "key", "api_key"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (strlen(words[i]) == length && !strncasecmp(words[i], name, length))
            return true;
    return false;
}

/* The target, with tokens that somebody put into it removed. text: room for as much as a log line may have. */
static void mask(const char *target, char *text, size_t size)
{
    static const char *const starts[] = {"orr_", "orr%5f", "orr%5F"};
    size_t made = 0;
    for (const char *at = target; *at && made + sizeof "***" < size;) {
        size_t hidden = 0;
        const size_t name = at > target && strchr("?&", at[-1]) ? strcspn(at, "=&") : 0;
        if (name && at[name] == '=' && is_secret(at, name)) {
            for (size_t i = 0; i <= name && made + sizeof "***" < size; i++)
                text[made++] = at[i];
            at += name + 1;
            hidden = strcspn(at, "&");
        }
        for (size_t i = 0; *at == 'o' && !hidden && i < sizeof starts / sizeof starts[0]; i++) /* all begin with o */
            if (!strncmp(at, starts[i], strlen(starts[i])))
                hidden = strcspn(at, "&?/#");
        if (hidden) {
            memcpy(text + made, "***", 3);
            made += 3;
            at += hidden;
        } else if (made + 1 < size) {
            text[made++] = *at ? *at++ : 0;
        }
    }
    text[made] = 0;
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
    char target[sizeof line.text];
    mask(exchange->target, target, sizeof target);
    orr_log_text(&line, "target", target); /* last: it may be long */
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
