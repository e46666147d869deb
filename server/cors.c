/* SPDX-License-Identifier: Apache-2.0 */
#include "server/cors.h"

#include <string.h>

#include "api/http/answer.h"
#include "server/config.h"

enum { LONGEST = 200 };

enum orr_code orr_cors_check(const char *origins, struct orr_error *err)
{
    const char *item;
    size_t length;
    while (orr_config_item(&origins, &item, &length)) {
        size_t scheme = !strncmp(item, "http://", 7) ? 7 : !strncmp(item, "https://", 8) ? 8 : 0;
        bool all = length == 1 && *item == '*';
        if (all || (scheme && length > scheme && length < LONGEST && !memchr(item + scheme, '/', length - scheme)))
            continue;
        return orr_fail_with(
            err, ORR_SETTING, NULL,
            "an origin is a scheme, a host and an optional port, without a path: https://ops.example.org",
            "cors-origins: \"%.*s\" is not an origin", (int)(length > 60 ? 60 : length), item);
    }
    return ORR_OK;
}

bool orr_cors_allows(const char *origins, const char *origin)
{
    const char *item;
    size_t length, wanted = origin ? strlen(origin) : 0;
    if (!wanted || wanted >= LONGEST)
        return false;
    while (orr_config_item(&origins, &item, &length))
        if ((length == 1 && *item == '*') || (length == wanted && !memcmp(item, origin, length)))
            return true;
    return false;
}

void orr_cors_allow(struct orr_response *response, const char *origin)
{
    orr_response_header(response, "Access-Control-Allow-Origin", "%s", origin);
    orr_response_header(response, "Access-Control-Expose-Headers", "ETag, Link, Location, Retry-After, X-Request-Id");
}

void orr_cors_preflight(struct orr_response *response, const char *origin)
{
    response->answer = orr_answer_new(204, NULL, NULL, 0);
    response->status = response->answer ? 204 : 503;
    if (!response->answer)
        return;
    response->answer->keeping = ORR_KEEP_NOT;
    orr_response_header(response, "Access-Control-Allow-Origin", "%s", origin);
    orr_response_header(response, "Access-Control-Allow-Methods", "GET, HEAD, POST, PATCH, DELETE");
    orr_response_header(response, "Access-Control-Allow-Headers",
                        "Authorization, Content-Type, If-Match, If-None-Match, X-Request-Id, traceparent");
    orr_response_header(response, "Access-Control-Max-Age", "600");
}
