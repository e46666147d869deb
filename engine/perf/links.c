/* SPDX-License-Identifier: Apache-2.0 */
/* Determines the kind of links between the GPUs of a communicator: within a host by its paths, between hosts by the
 * names of its NICs. */
#include <string.h>

#include "engine/hardware/hardware.h"
#include "engine/perf/perfing.h"

/* Names of RDMA devices and interfaces, the first that fits. The order matters: EFA has RDMA names of its own. */
static const struct {
    const char *start;
    enum orr_perf_link link;
} names[] = {
    {"rdmap", ORR_PERF_LINK_EFA},     {"efa", ORR_PERF_LINK_EFA},      {"cxi", ORR_PERF_LINK_SLINGSHOT},
    {"hsn", ORR_PERF_LINK_SLINGSHOT}, {"eth", ORR_PERF_LINK_ETHERNET}, {"en", ORR_PERF_LINK_ETHERNET},
    {"bond", ORR_PERF_LINK_ETHERNET},
};

static enum orr_perf_link link_of_name(const char *name, bool gdr)
{
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strncmp(name, names[i].start, strlen(names[i].start)))
            return names[i].link == ORR_PERF_LINK_ETHERNET && gdr ? ORR_PERF_LINK_GPUDIRECT_TCP : names[i].link;
    return orr_name_is_rdma(name) || !strncmp(name, "ib", 2) ? ORR_PERF_LINK_RDMA : ORR_PERF_LINK_UNKNOWN;
}

/* The kind of link that most NICs have. */
static enum orr_perf_link link_of_nics(const struct orr_dump *dump)
{
    uint32_t counts[ORR_PERF_LINK_COUNT] = {0};
    enum orr_perf_link most = ORR_PERF_LINK_UNKNOWN;
    for (uint32_t e = 0; e < dump->element_count; e++)
        if (dump->elements[e].kind == ORR_ELEMENT_NET)
            counts[link_of_name(orr_element_word(dump, e, ORR_ATTR_NAME), orr_element_int(dump, e, ORR_ATTR_GDR, 0))]++;
    for (int link = 0; link < ORR_PERF_LINK_COUNT; link++)
        if (counts[link] > counts[most])
            most = (enum orr_perf_link)link;
    return most;
}

enum orr_perf_link orr_perf_network(const struct orr_analysis *analysis)
{
    const struct orr_communicator *communicator = &analysis->communicator;
    if (communicator->node_count > 1)
        return link_of_nics(analysis->given);
    if (analysis->built.host_count > 1)
        return ORR_PERF_LINK_NVLINK_DOMAIN;
    return communicator->aligned[ORR_GRAPH_RING].type_intra <= ORR_PATH_NVB ? ORR_PERF_LINK_NVLINK : ORR_PERF_LINK_PCIE;
}
