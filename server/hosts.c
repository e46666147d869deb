/* SPDX-License-Identifier: Apache-2.0 */
/* Keeps foreign pages out of a service without tokens, such as one on loopback.
 *
 * A page may give its own name the address of this service (DNS rebinding): for the browser both are one origin then,
 * but Host still has the page's name. So Host must be a name that is ours. Browsers send simple POSTs to anybody
 * without asking beforehand, and say where the page is from: in Sec-Fetch-Site, which no page can set, or if that is
 * missing (older browsers, plain HTTP to other machines) in Origin. Programs send neither. */
#include <arpa/inet.h>
#include <string.h>
#include <strings.h>

#include "server/config.h"
#include "server/cors.h"
#include "server/exchange.h"

struct name {
    const char *at;
    size_t length;
};

/* The host of "host:port" or "[::1]:port". */
static struct name host_of(const char *text)
{
    const bool literal = *text == '[';
    size_t length = strcspn(text, literal ? "]" : ":");
    return (struct name){text + literal, length - literal};
}

static bool is_name(struct name name, const char *text, size_t length)
{
    return name.length == length && !strncasecmp(name.at, text, length);
}

/* A numeric address cannot be redirected like a name. *ret_loopback: whether it is of this machine only. */
static bool is_address(struct name name, bool *ret_loopback)
{
    char text[INET6_ADDRSTRLEN];
    struct in_addr four;
    struct in6_addr six;
    if (name.length >= sizeof text)
        return false;
    memcpy(text, name.at, name.length);
    text[name.length] = 0;
    if (inet_pton(AF_INET, text, &four) == 1) {
        *ret_loopback = ntohl(four.s_addr) >> 24 == 127;
        return true;
    }
    if (inet_pton(AF_INET6, text, &six) != 1)
        return false;
    *ret_loopback = IN6_IS_ADDR_LOOPBACK(&six);
    return true;
}

static bool is_ours(const struct orr_http *http, const char *host)
{
    const struct name asked = host_of(host), given = host_of(http->config->listen),
                      bound = host_of(strstr(http->address, "://") + 3);
    bool loopback = false;
    const char *list = http->config->allowed_hosts, *item;
    size_t length;
    if (is_name(asked, "localhost", strlen("localhost")) || is_name(asked, given.at, given.length) ||
        is_name(asked, bound.at, bound.length))
        return true;
    const bool everywhere = is_name(bound, "0.0.0.0", strlen("0.0.0.0")) || is_name(bound, "::", strlen("::"));
    if (is_address(asked, &loopback) && (loopback || everywhere))
        return true;
    while (orr_config_item(&list, &item, &length))
        if ((length == 1 && *item == '*') || is_name(asked, item, length))
            return true;
    return false;
}

/* Whether the page that sent the request, if any, is the service's own or listed in --cors-origins. */
static bool is_of_our_page(const struct orr_exchange *exchange, const char *host)
{
    const char *site = orr_exchange_header(exchange, "Sec-Fetch-Site");
    const char *origin = orr_exchange_header(exchange, "Origin");
    if (orr_cors_allows(exchange->http->config->cors_origins, origin))
        return true;
    if (site)
        return !strcmp(site, "same-origin") || !strcmp(site, "none");
    const char *behind = origin ? strstr(origin, "://") : NULL;
    return !origin || (behind && host && !strcasecmp(behind + 3, host));
}

enum orr_denial orr_hosts_check(const struct orr_exchange *exchange)
{
    static const char *const safe[] = {MHD_HTTP_METHOD_GET, MHD_HTTP_METHOD_HEAD, MHD_HTTP_METHOD_OPTIONS};
    const struct orr_http *http = exchange->http;
    const char *host = orr_exchange_header(exchange, MHD_HTTP_HEADER_HOST);
    /* A foreign page does not know a token, so with tokens the host name is only checked if names are listed. */
    if (host && (!http->tokens || http->config->allowed_hosts) && !is_ours(http, host))
        return ORR_DENIED_HOST;
    for (size_t i = 0; i < sizeof safe / sizeof safe[0]; i++)
        if (!strcmp(exchange->method, safe[i]))
            return ORR_DENIED_NOT;
    return is_of_our_page(exchange, host) ? ORR_DENIED_NOT : ORR_DENIED_CROSS_SITE;
}
