/* SPDX-License-Identifier: Apache-2.0 */
/* Inside the plain search: what is asked, what is left of the links, and the graph that is being tried. */
#ifndef ORR_TESTS_PLAIN_STATE_H
#define ORR_TESTS_PLAIN_STATE_H

#include "engine/release/release.h"
#include "engine/search/limits.h"
#include "tests/search/plain_search.h"

enum { CHANNELS = ORR_MAX_CHANNELS };

struct graph { /* being tried, or the best so far */
    enum orr_pattern pattern;
    int32_t cross_nic, min_channels, max_channels, same_channels, channels, hops;
    bool collnet;
    float bw_intra, bw_inter, latency_inter;
    int32_t type_intra, type_inter;
    int16_t gpus[CHANNELS][PLAIN_MOST_GPUS];
    int16_t nets[CHANNELS][2]; /* the first NET with the id */
};

struct list {
    int count;
    int16_t nets[PLAIN_MOST_NETS];
};

struct plain {
    const struct orr_system *system;
    const struct orr_paths *paths;
    const struct orr_settings *settings;
    const struct orr_release *release;
    int n, nets;
    bool inter, has_nvs, overrun;
    int32_t number[ORR_PATH_TYPE_COUNT]; /* of each type of paths in the release; 0: it does not have the type */
    struct orr_search_state asked;       /* the engine's, for the limits alone */
    struct orr_limits limits;            /* of the graph */
    float *capacity;                     /* [link] */
    float net_bw[PLAIN_MOST_NETS];
    int32_t connections[PLAIN_MOST_NETS];
    bool used[CHANNELS][PLAIN_MOST_GPUS];
    struct list starts, exits[PLAIN_MOST_GPUS]; /* of the attempt's type limit */
    struct graph trial, best;
};

static inline uint32_t gpu_node(const struct plain *s, int gpu)
{
    return s->system->first[ORR_GPU] + (uint32_t)gpu;
}

static inline uint32_t net_node(const struct plain *s, int net)
{
    return s->system->first[ORR_NET] + (uint32_t)net;
}

static inline const struct orr_node *gpu_of(const struct plain *s, int gpu)
{
    return &s->system->nodes[gpu_node(s, gpu)];
}

static inline const struct orr_node *net_of(const struct plain *s, int net)
{
    return &s->system->nodes[net_node(s, net)];
}

static inline int32_t type_of(const struct plain *s, uint32_t from, uint32_t to)
{
    return s->number[orr_path(s->paths, from, to)->type];
}

/* plain_starts.c: one attempt with the trial's conditions, which starts all its channels; `steps` is what it has. */
void plain_start_channel(struct plain *s, int32_t *steps);

enum { NOTHING = -1 };                    /* where a channel comes from that comes from no NIC */
enum order { FREE, IN_ORDER, AS_BEFORE }; /* how a channel chooses its GPUs */

/* plain_search.c: starts a channel at a GPU, coming from a NIC or from NOTHING. */
void plain_enter(struct plain *s, int net, int gpu, enum order order, int32_t *steps);

/* plain_search.c: what is left of a GPU's PCI link in whole GB/s; -1: it has none. */
int32_t plain_pci_left(const struct plain *s, int gpu);

/* plain_relax.c: everything that NCCL tries for one graph, from the conditions of the trial on. The result is
 * s->best. */
void plain_search_graph(struct plain *s, uint32_t rate);

/* plain_nets.c: the first NET with the id of this one: a channel records ids, and NCCL finds the first. */
int16_t plain_first_of_id(const struct plain *s, int net);

/* plain_nets.c: how near a NIC's best GPUs are: the highest rate, then by type or by hops, whatever the release goes
 * by. */
struct nearness {
    float bw;
    uint32_t far;
};
struct nearness plain_nearest(const struct plain *s, int net);
bool plain_is_near(const struct plain *s, int net, int gpu, struct nearness best);

/* plain_nets.c: the NIC that a GPU prefers for a channel; -1: none. */
int plain_preferred(const struct plain *s, int gpu, int channel);

/* plain_nets.c: fills s->starts and s->exits. */
void plain_list_nets(struct plain *s);

/* plain_nets.c: may the channel, which entered by its NIC, leave by this one? May it enter by this one? */
bool plain_may_leave_by(const struct plain *s, int net);
bool plain_may_enter_by(const struct plain *s, int net);

/* plain_nets.c: takes GB/s from the remaining rate of a NIC's port, or gives them back. */
void plain_charge(struct plain *s, int net, float by);

#endif
