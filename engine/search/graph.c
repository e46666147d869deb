#include "engine/search/graph.h"

const char *orr_graph_name(enum orr_graph_kind kind)
{
    static const char *const names[ORR_GRAPH_COUNT] = {"ring", "tree", "collnet_chain", "collnet_direct", "nvls"};
    return (unsigned)kind < ORR_GRAPH_COUNT ? names[kind] : "?";
}
