/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/search/graph.h"

#include "engine/release/release.h"

const char *orr_graph_name(const struct orr_release *release, enum orr_graph_kind kind)
{
    static const char *const names[ORR_GRAPH_COUNT] = {"ring", "tree", "collnet_chain", "collnet_direct", "nvls"};
    if (kind == ORR_GRAPH_COLLNET_CHAIN && !release->collnet_graph_is_chain)
        return "collnet";
    return (unsigned)kind < ORR_GRAPH_COUNT ? names[kind] : "?";
}

const char *orr_pattern_name(enum orr_pattern pattern)
{
    static const char *const names[] = {"none", "balanced tree", "split tree", "tree", "ring", "NVLS", "CollNetDirect"};
    return (unsigned)pattern < sizeof names / sizeof names[0] ? names[pattern] : "";
}
