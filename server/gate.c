/* SPDX-License-Identifier: Apache-2.0 */
/* Decides whether a request goes on, before its body is read: connections, headers, client, token, announced body. */
#include <string.h>
#include <strings.h>

#include "server/cors.h"
#include "server/exchange.h"

static void refuse(struct orr_exchange *exchange, enum orr_denial refusal, unsigned long long limit,
                   unsigned retry_after)
{
    if (exchange->refusal)
        return; /* the first reason wins */
    exchange->refusal = refusal;
    exchange->refused_limit = limit;
    exchange->retry_after = retry_after;
}

/* Proxies append their line; earlier ones may be forged by the client. */
static enum MHD_Result keep_forwarded(void *context, enum MHD_ValueKind kind, const char *key, const char *value)
{
    (void)kind;
    if (!strcasecmp(key, "X-Forwarded-For"))
        *(const char **)context = value;
    return MHD_YES;
}

static void find_client(struct orr_exchange *exchange)
{
    struct orr_http *http = exchange->http;
    exchange->client_address = exchange->from->address;
    if (http->proxies.count) {
        const char *forwarded = NULL;
        MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, keep_forwarded, (void *)&forwarded);
        exchange->client_address = orr_address_forwarded(&http->proxies, &exchange->from->address, forwarded);
    }
    if (http->tokens)
        orr_tokens_find(http->tokens, orr_exchange_header(exchange, "Authorization"), &exchange->bearer);
}

static void check_client(struct orr_exchange *exchange)
{
    struct orr_http *http = exchange->http;
    if (!http->limits)
        return;
    unsigned retry_after = 0;
    exchange->client = orr_client_of(&exchange->client_address, exchange->bearer.name);
    enum orr_denial refusal =
        orr_limits_enter(http->limits, &exchange->client, exchange->begun_ns / 1000000, &retry_after);
    exchange->counted = refusal == ORR_DENIED_NOT;
    if (refusal)
        refuse(exchange, refusal, refusal == ORR_DENIED_RATE ? http->config->rate : http->config->client_requests,
               retry_after);
}

static void check_access(struct orr_exchange *exchange)
{
    /* The scopes that each kind of route accepts, any of which suffices; 0 if none is required. */
    static const unsigned wanted[] = {
        [ORR_ACCESS_OPEN] = 0,
        [ORR_ACCESS_PROBE] = 0,
        [ORR_ACCESS_METRICS] = ORR_SCOPE_READ,
        [ORR_ACCESS_READ] = ORR_SCOPE_READ,
        [ORR_ACCESS_WRITE] = ORR_SCOPE_WRITE,
        [ORR_ACCESS_UPLOAD] = ORR_SCOPE_WRITE | ORR_SCOPE_AGENT,
        [ORR_ACCESS_JUDGE] = ORR_SCOPE_READ | ORR_SCOPE_AGENT,
    };
    const struct orr_http *http = exchange->http;
    enum orr_access access = orr_route_access(exchange->route);
    unsigned scope = wanted[access];
    if (!http->tokens || !scope || (access == ORR_ACCESS_METRICS && http->config->open_metrics))
        return;
    if (!exchange->bearer.scopes)
        refuse(exchange, orr_exchange_header(exchange, "Authorization") ? ORR_DENIED_TOKEN : ORR_DENIED_NO_TOKEN, 0, 0);
    else if (!(exchange->bearer.scopes & scope))
        refuse(exchange, scope & ORR_SCOPE_READ ? ORR_DENIED_READ : ORR_DENIED_WRITE, 0, 0);
}

static void check_sizes(struct orr_exchange *exchange)
{
    const struct orr_config *config = exchange->http->config;
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
    if (info && info->header_size > config->max_header)
        refuse(exchange, ORR_DENIED_HEADER, config->max_header, 0);
    if (exchange->announced > config->max_body)
        refuse(exchange, ORR_DENIED_BODY, config->max_body, 0);
}

void orr_gate(struct orr_exchange *exchange)
{
    const struct orr_http *http = exchange->http;
    bool probe = orr_route_access(exchange->route) == ORR_ACCESS_PROBE;
    refuse(exchange, orr_headers_check(exchange->connection), 0, 0);
    find_client(exchange);
    if (http->config->cors_origins) {
        const char *origin = orr_exchange_header(exchange, "Origin");
        exchange->origin = orr_cors_allows(http->config->cors_origins, origin) ? origin : NULL;
        exchange->preflight = exchange->origin && !strcmp(exchange->method, "OPTIONS") &&
                              orr_exchange_header(exchange, "Access-Control-Request-Method");
    }
    if (!probe)
        refuse(exchange, orr_hosts_check(exchange), 0, 0);
    if (exchange->from->surplus && !orr_route_is_for_operators(exchange->route))
        refuse(exchange, ORR_DENIED_CONNECTIONS, http->config->connections, 1);
    if (!probe)
        check_client(exchange);
    if (!exchange->preflight)
        check_access(exchange);
    check_sizes(exchange);
}
