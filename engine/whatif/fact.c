/* SPDX-License-Identifier: Apache-2.0 */
/* A single fact: its row in the table, how to add it, and the names of its subjects. */
#include "engine/whatif/facts.h"

#include "engine/base/sorting.h"

static const struct orr_fact_info infos[ORR_FACT_KIND_COUNT] = {
    [ORR_FACT_DEVICE] = {"device", ORR_SECTION_SYSTEM, ORR_UNIT_FLAG, ORR_PLACE_DEVICE, "devices"},
    [ORR_FACT_LINK] = {"link", ORR_SECTION_SYSTEM, ORR_UNIT_FLOAT, ORR_PLACE_LINK, "bandwidths of links"},
    [ORR_FACT_MAX_BW] = {"max_bw", ORR_SECTION_SYSTEM, ORR_UNIT_FLOAT, ORR_PLACE_WHOLE, "the largest path bandwidth"},
    [ORR_FACT_TOTAL_BW] = {"total_bw", ORR_SECTION_SYSTEM, ORR_UNIT_FLOAT, ORR_PLACE_WHOLE,
                           "the largest total bandwidth of a GPU"},
    [ORR_FACT_PATH_TYPE] = {"type", ORR_SECTION_PATHS, ORR_UNIT_PATH_TYPE, ORR_PLACE_PAIR, "types of paths"},
    [ORR_FACT_PATH_BW] = {"bw", ORR_SECTION_PATHS, ORR_UNIT_FLOAT, ORR_PLACE_PAIR, "bandwidths of paths"},
    [ORR_FACT_PATH_ROUTE] = {"hops", ORR_SECTION_PATHS, ORR_UNIT_ORDER, ORR_PLACE_PAIR, "routes"},
    [ORR_FACT_P2P] = {"p2p", ORR_SECTION_P2P, ORR_UNIT_FLAG, ORR_PLACE_RANKS, "P2P verdicts"},
    [ORR_FACT_P2P_READ] = {"read", ORR_SECTION_P2P, ORR_UNIT_FLAG, ORR_PLACE_RANKS, "P2P by reading"},
    [ORR_FACT_P2P_VIA] = {"via", ORR_SECTION_P2P, ORR_UNIT_NUMBER, ORR_PLACE_RANKS, "relays of P2P"},
    [ORR_FACT_GDR_SEND] = {"send", ORR_SECTION_GDR, ORR_UNIT_NUMBER, ORR_PLACE_RANK_NET, "GDR verdicts for sending"},
    [ORR_FACT_GDR_RECV] = {"recv", ORR_SECTION_GDR, ORR_UNIT_NUMBER, ORR_PLACE_RANK_NET, "GDR verdicts for receiving"},
    [ORR_FACT_NET_OF_RANK] = {"net", ORR_SECTION_NET_DEVS, ORR_UNIT_DEVICE, ORR_PLACE_RANK_CHANNEL, "NICs of ranks"},
    [ORR_FACT_PROXY] = {"proxy_rank", ORR_SECTION_NET_DEVS, ORR_UNIT_NUMBER, ORR_PLACE_RANK_CHANNEL,
                        "proxies of ranks (PXN)"},
    [ORR_FACT_GRAPH_PATTERN] = {"pattern", ORR_SECTION_GRAPHS, ORR_UNIT_PATTERN, ORR_PLACE_GRAPH, "patterns"},
    [ORR_FACT_GRAPH_CHANNELS] = {"channels", ORR_SECTION_GRAPHS, ORR_UNIT_NUMBER, ORR_PLACE_GRAPH,
                                 "channels of graphs"},
    [ORR_FACT_GRAPH_BW_INTRA] = {"bw_intra", ORR_SECTION_GRAPHS, ORR_UNIT_FLOAT, ORR_PLACE_GRAPH,
                                 "bandwidths of a channel inside the host"},
    [ORR_FACT_GRAPH_BW_INTER] = {"bw_inter", ORR_SECTION_GRAPHS, ORR_UNIT_FLOAT, ORR_PLACE_GRAPH,
                                 "bandwidths of a channel to other hosts"},
    [ORR_FACT_GRAPH_LATENCY] = {"latency_inter", ORR_SECTION_GRAPHS, ORR_UNIT_FLOAT, ORR_PLACE_GRAPH,
                                "latencies of graphs"},
    [ORR_FACT_GRAPH_TYPE_INTRA] = {"type_intra", ORR_SECTION_GRAPHS, ORR_UNIT_PATH_TYPE, ORR_PLACE_GRAPH,
                                   "farthest paths between GPUs"},
    [ORR_FACT_GRAPH_TYPE_INTER] = {"type_inter", ORR_SECTION_GRAPHS, ORR_UNIT_PATH_TYPE, ORR_PLACE_GRAPH,
                                   "farthest paths to NICs"},
    [ORR_FACT_GRAPH_CROSS_NIC] = {"cross_nic", ORR_SECTION_GRAPHS, ORR_UNIT_NUMBER, ORR_PLACE_GRAPH,
                                  "crossing of NICs"},
    [ORR_FACT_GRAPH_SAME] = {"same_channels", ORR_SECTION_GRAPHS, ORR_UNIT_FLAG, ORR_PLACE_GRAPH,
                             "whether channels are alike"},
    [ORR_FACT_GRAPH_ORDER] = {"intra", ORR_SECTION_GRAPHS, ORR_UNIT_ORDER, ORR_PLACE_GRAPH_CHANNEL,
                              "orders of GPUs in a graph"},
    [ORR_FACT_GRAPH_NETS] = {"inter", ORR_SECTION_GRAPHS, ORR_UNIT_ORDER, ORR_PLACE_GRAPH_CHANNEL,
                             "NICs of a graph's channels"},
    [ORR_FACT_CHANNELS] = {"count", ORR_SECTION_CHANNELS, ORR_UNIT_NUMBER, ORR_PLACE_WHOLE, "the number of channels"},
    [ORR_FACT_RING] = {"rings", ORR_SECTION_CHANNELS, ORR_UNIT_ORDER, ORR_PLACE_CHANNEL, "rings"},
    [ORR_FACT_TREE] = {"trees", ORR_SECTION_CHANNELS, ORR_UNIT_ORDER, ORR_PLACE_CHANNEL, "trees"},
    [ORR_FACT_NVLS_CHANNELS] = {"nvls.channels", ORR_SECTION_CHANNELS, ORR_UNIT_NUMBER, ORR_PLACE_WHOLE,
                                "the number of NVLS channels"},
    [ORR_FACT_NVLS_HEADS] = {"nvls.heads", ORR_SECTION_CHANNELS, ORR_UNIT_ORDER, ORR_PLACE_WHOLE, "NVLS heads"},
    [ORR_FACT_NVLS_TREE] = {"nvls.tree", ORR_SECTION_CHANNELS, ORR_UNIT_ORDER, ORR_PLACE_CHANNEL, "NVLS trees"},
    [ORR_FACT_CHAIN] = {"collnet_chain", ORR_SECTION_CHANNELS, ORR_UNIT_ORDER, ORR_PLACE_CHANNEL, "CollNet chains"},
    [ORR_FACT_P2P_CHANNELS] = {"p2p_channels", ORR_SECTION_CHANNELS, ORR_UNIT_NUMBER, ORR_PLACE_WHOLE,
                               "the number of point-to-point channels"},
    [ORR_FACT_P2P_PER_PEER] = {"p2p_channels_per_peer", ORR_SECTION_CHANNELS, ORR_UNIT_NUMBER, ORR_PLACE_WHOLE,
                               "the number of point-to-point channels a peer"},
    [ORR_FACT_BANDWIDTH] = {"bandwidths", ORR_SECTION_TUNING, ORR_UNIT_FLOAT, ORR_PLACE_COST, "predicted bandwidths"},
    [ORR_FACT_LATENCY] = {"latencies", ORR_SECTION_TUNING, ORR_UNIT_FLOAT, ORR_PLACE_COST, "predicted latencies"},
    [ORR_FACT_THRESHOLD] = {"thread_thresholds", ORR_SECTION_TUNING, ORR_UNIT_NUMBER, ORR_PLACE_PROTOCOL,
                            "thread thresholds"},
    [ORR_FACT_CHOICE] = {"choice", ORR_SECTION_TUNING, ORR_UNIT_CHOICE, ORR_PLACE_SIZE,
                         "choices of algorithm and protocol by size"},
};

static const char *const section_names[ORR_SECTION_COUNT] = {"system",   "paths",  "p2p",      "gdr",
                                                             "net_devs", "graphs", "channels", "tuning"};

const struct orr_fact_info *orr_fact_info(enum orr_fact_kind kind)
{
    return &infos[kind];
}

const char *orr_fact_section_name(enum orr_fact_section section)
{
    return section_names[section];
}

int orr_fact_compare(const struct orr_fact *a, const struct orr_fact *b)
{
    ORR_BY(ORR_ORDER(a->kind, b->kind));
    ORR_BY(ORR_ORDER(a->detail, b->detail));
    ORR_BY(ORR_ORDER(a->a, b->a));
    return ORR_ORDER(a->b, b->b);
}

void orr_fact_add(struct orr_fact_list *list, enum orr_fact_kind kind, unsigned detail, uint32_t a, uint32_t b,
                  int64_t value)
{
    if (!ORR_RESERVE(list->arena, list->rows, list->count, list->capacity))
        return;
    list->rows[list->count++] =
        (struct orr_fact){.kind = (uint8_t)kind, .detail = (uint16_t)detail, .a = a, .b = b, .value = value};
}

uint32_t orr_subject_named(const struct orr_fact_names *names, uint32_t subject)
{
    enum orr_node_type type = (enum orr_node_type)(subject >> 27);
    uint32_t which = subject & ((1u << 27) - 1);
    if (!names || type == ORR_NVS)
        return subject;
    return orr_subject(type, type == ORR_GPU ? names->rank[which] : names->element[which]);
}

uint32_t orr_subject_own(const struct orr_fact_names *names, uint32_t subject)
{
    enum orr_node_type type = (enum orr_node_type)(subject >> 27);
    uint32_t which = subject & ((1u << 27) - 1), own = UINT32_MAX;
    if (!names || type == ORR_NVS)
        return subject;
    if (type == ORR_GPU && which < names->ranks)
        own = names->own_rank[which];
    else if (type != ORR_GPU && which < names->elements)
        own = names->own_element[which];
    return own == UINT32_MAX ? own : orr_subject(type, own);
}

uint32_t orr_fact_rank(const struct orr_fact_list *list, uint32_t host_rank)
{
    return list->names ? list->names->rank[host_rank] : host_rank;
}

int64_t orr_fact_member(const struct orr_fact_list *list, int32_t rank)
{
    if (!list->names || rank < 0)
        return rank;
    uint32_t own = (uint32_t)rank, host = own / list->names->local_ranks;
    uint32_t name = list->names->rank[own % list->names->local_ranks];
    return name < list->names->named_ranks ? (int64_t)host * list->names->named_ranks + name : INT32_MAX + (int64_t)own;
}
