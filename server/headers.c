/* SPDX-License-Identifier: Apache-2.0 */
/* Rejects headers that libmicrohttpd accepts although a proxy could read them differently, which makes request
 * smuggling possible. */
#include <string.h>
#include <strings.h>

#include "server/exchange.h"

/* Headers that determine the end of a request, or its host, may occur only once. */
static const char *const once[] = {MHD_HTTP_HEADER_HOST, MHD_HTTP_HEADER_CONTENT_LENGTH,
                                   MHD_HTTP_HEADER_TRANSFER_ENCODING};

struct look {
    unsigned seen[sizeof once / sizeof once[0]];
    enum orr_denial denial;
};

/* Whether RFC 9110 allows a character in the name of a header. */
static bool is_of_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || (c && strchr("0123456789!#$%&'*+.^_`|~", c));
}

static enum MHD_Result look_at(void *context, enum MHD_ValueKind kind, const char *name, size_t name_length,
                               const char *value, size_t value_length)
{
    (void)kind;
    struct look *look = context;
    bool good = name_length > 0;
    for (size_t i = 0; i < name_length && good; i++)
        good = is_of_name(name[i]);
    good = good && (!value || (!memchr(value, 0, value_length) && !memchr(value, '\r', value_length)));
    for (size_t i = 0; i < sizeof once / sizeof once[0]; i++)
        good = good && (strcasecmp(name, once[i]) != 0 || !look->seen[i]++);
    if (!good)
        look->denial = ORR_DENIED_MALFORMED;
    else if (!strcasecmp(name, MHD_HTTP_HEADER_TRANSFER_ENCODING) && value && strcasecmp(value, "chunked") != 0)
        look->denial = ORR_DENIED_CODING;
    return look->denial ? MHD_NO : MHD_YES;
}

enum orr_denial orr_headers_check(struct MHD_Connection *connection)
{
    struct look look = {.denial = ORR_DENIED_NOT};
    MHD_get_connection_values_n(connection, MHD_HEADER_KIND, look_at, &look);
    return look.denial;
}

const char *orr_exchange_header(const void *context, const char *name)
{
    const struct orr_exchange *exchange = context;
    return MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, name);
}
