/* SPDX-License-Identifier: Apache-2.0 */
#include "api/handlers/handlers.h"

enum {
    TOPOLOGY = ORR_ROUTE_TOPOLOGY,
    DUMP = ORR_ROUTE_DUMP,
    CACHED = ORR_ROUTE_CACHED,
    HEAVY = ORR_ROUTE_HEAVY,
    STORE = ORR_ROUTE_STORE,
    CLUSTER = ORR_ROUTE_CLUSTER,
    PAGE = ORR_ROUTE_PAGE
};
#define NONE ORR_TOPICS(ORR_TOPIC_END)

static const struct orr_route rows[] = {
#define ORR_ROUTE_ROW(method, template, handler, access, flags, topics)                                                \
    {method, template, handler, ORR_ACCESS_##access, flags, topics},
#include "api/handlers/routes.def"
};

const struct orr_route *orr_route_table(unsigned *ret_count)
{
    *ret_count = sizeof rows / sizeof rows[0];
    return rows;
}
