/* SPDX-License-Identifier: Apache-2.0 */
/* The channel search by the rules of docs/nccl/search.md, step by step, with nothing left out: what engine/search must
 * find too. It counts in floats as NCCL does, remembers nothing and makes every attempt.
 *
 * plain_search.c says which attempts there are, plain_nics.c where the channels of one start and leave,
 * plain_channels.c how they are built. Their sections have the names of the page's. The limits of a graph come
 * from engine/search/limits.c, which has no shortcut and which NCCL's results hold. */
#ifndef ORR_TESTS_PLAIN_SEARCH_H
#define ORR_TESTS_PLAIN_SEARCH_H

#include "engine/release/release.h"
#include "engine/search/limits.h"

enum { PLAIN_MOST_GPUS = 32, PLAIN_MOST_NETS = 64, PLAIN_MOST_NODES = 1024, PLAIN_MOST_LINKS = 8192 };

/* GPUs are the first nodes of a system: GPU 3 is node 3. Types of paths are numbers of the release. */
struct plain_graph {
    struct orr_trial is;                              /* without gpus and nets */
    uint32_t gpus[ORR_MAX_CHANNELS][PLAIN_MOST_GPUS]; /* in the order of the channel */
    int64_t nets[ORR_MAX_CHANNELS][2];                /* ids of the NICs by which the channel enters and leaves */
};

struct plain_list { /* nodes in the order in which they are tried, each once */
    uint32_t count, nodes[PLAIN_MOST_NETS];
};

struct plain {
    const struct orr_system *system;
    const struct orr_paths *paths;
    const struct orr_settings *settings;
    const struct orr_release *release;
    uint32_t n, first_net, end_net; /* GPUs; NICs are the nodes from first_net to before end_net */
    bool inter, has_nvs, overrun;
    struct orr_search_state asked;     /* the engine's, for the limits alone */
    struct orr_limits limits;          /* of the graph */
    float capacity[PLAIN_MOST_LINKS];  /* GB/s left */
    float port_bw[PLAIN_MOST_NODES];   /* GB/s left of a NIC's port */
    int32_t entered[PLAIN_MOST_NODES]; /* channels that have entered by a NIC */
    bool used[ORR_MAX_CHANNELS][PLAIN_MOST_GPUS];
    struct plain_list starts, exits[PLAIN_MOST_GPUS]; /* NICs that the attempt tries; for each GPU */
    struct plain_graph trial, best;
    int32_t steps;     /* left of the attempt's; -1 if all channels are found */
    int64_t all_steps; /* left of those of all attempts */
};

/* Finds the graphs that orr_search() finds, without graph files. LIMIT if the system is larger than it has room for. */
enum orr_code plain_search(const struct orr_paths *paths, const struct orr_settings *settings,
                           const struct orr_search_request *request, struct orr_arena *arena,
                           struct plain_graph ret_graphs[ORR_GRAPH_COUNT], struct orr_error *err) ORR_NO_DISCARD;

/* plain_search.c: is the trial, with the channels that it has now, better than the best so far? */
bool plain_is_better(const struct plain *s);

/* plain_nics.c: lists the NICs that an attempt with the trial's conditions tries. */
void plain_list_nets(struct plain *s);

/* plain_nics.c: starts the next channel of the trial in every way. */
void plain_start_channel(struct plain *s);

/* plain_nics.c: may the channel, which entered by its NIC, leave by this one? */
bool plain_may_leave_by(const struct plain *s, uint32_t net);

/* plain_nics.c: the NIC that a GPU prefers for a channel; ORR_NO_NODE if there is none. */
uint32_t plain_preferred(const struct plain *s, uint32_t gpu, int32_t channel);

#define PLAIN_NOWHERE UINT32_MAX          /* no node, no position */
enum order { FREE, IN_ORDER, AS_BEFORE }; /* how a channel chooses its GPUs */

/* plain_channels.c: builds a channel from a GPU on, coming from a NIC or from PLAIN_NOWHERE. */
void plain_enter(struct plain *s, uint32_t net, uint32_t gpu, enum order order);

/* plain_channels.c: whole GB/s that are left on a GPU's PCI link; -1 if it has none. */
int32_t plain_pci_left(const struct plain *s, uint32_t gpu);

static inline int32_t type_of(const struct plain *s, uint32_t from, uint32_t to)
{
    const int number = orr_path_type_number(s->release, (enum orr_path_type)orr_path(s->paths, from, to)->type);
    return number < 0 ? 0 : number;
}

static inline bool contains(const struct plain_list *list, uint32_t node)
{
    uint32_t i = 0;
    while (i < list->count && list->nodes[i] != node)
        i++;
    return i < list->count;
}

static inline void append(struct plain_list *list, uint32_t node)
{
    if (!contains(list, node))
        list->nodes[list->count++] = node;
}

#endif
