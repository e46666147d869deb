/* Inside search/: the state of a search, flat and allocated once. GPUs and NETs are indices within their type here. */
#ifndef ORR_SEARCH_STATE_H
#define ORR_SEARCH_STATE_H

#include "engine/paths/paths.h"
#include "engine/search/graph.h"
#include "engine/search/search.h"

/* A graph being tried (T) or the best one so far (B). */
struct orr_trial {
    enum orr_pattern pattern;
    int32_t min_channels, max_channels;
    int32_t cross_nic, same_channels;
    bool collnet;
    float bw_intra, bw_inter, latency_inter;
    int32_t type_intra, type_inter; /* numbers of the release */
    int32_t hops;
    int32_t channels;
    uint16_t *gpus;     /* [channel * n + position] */
    int16_t (*nets)[2]; /* [channel]: entry, exit; -1 none */
};

/* What is reserved from a path, beside the rate itself. */
enum { ORR_HOP_PCI = 1, ORR_HOP_TO_OLD_GPU = 2, ORR_HOP_TO_POWER_CPU = 4 };

struct orr_net_list { /* a fixed order of NETs; a type limit cuts it to a prefix */
    int16_t *nets;
    uint16_t count_at[ORR_PATH_TYPE_COUNT]; /* [type number]: entries up to that limit */
};

/* How good a GPU is as the next one of a channel; the most important first. */
struct orr_score {
    int32_t net_bw, net_pci_bw, net_hops, intra_bw, intra_hops, distance;
};

struct orr_search_state {
    const struct orr_system *system;
    const struct orr_paths *paths;
    const struct orr_settings *settings;
    uint32_t n, net_count; /* GPUs, NETs */
    bool inter;            /* the system has NICs that matter */
    bool has_nvs;
    int32_t cc_min;
    int32_t cross_nic_input;

    /* Static facts, computed once. */
    uint8_t *hop_flags;                     /* [link]: ORR_HOP_* */
    uint8_t *crosses_intel;                 /* [base * bases + base]: the path touches an x86 Intel CPU */
    uint8_t number_of[ORR_PATH_TYPE_COUNT]; /* path type -> the release's number */
    int16_t *net_of_id;                     /* [NET]: the first NET with the same id, which is what a channel keeps */
    int32_t *pci_link, *pci_back;           /* [GPU]: its first PCI link, the first link back; -1: none */
    uint16_t *by_distance;                  /* [GPU * n]: other GPUs, best first, where no NIC counts */
    uint16_t *by_distance_count;            /* [GPU] */
    struct orr_net_list start_nets, *exit_nets; /* of all GPUs; [GPU] */
    float intel_up, intel_down;

    /* Mutable. */
    float *capacity;          /* [link] */
    float *net_bw;            /* [NET] */
    int32_t *net_connections; /* [NET]: how many more channels it takes, where that counts */
    uint8_t *used;            /* [channel * n + GPU]: in that channel */
    uint16_t *candidates;     /* a stack of candidate lists */
    uint32_t candidate_top;
    struct orr_score *scores; /* [GPU]: scratch of one sort */
    struct orr_trial t, b;
};

enum orr_order { ORR_FREE, ORR_PCI_ORDER, ORR_REPLAY };

static inline uint32_t orr_gpu_node(const struct orr_search_state *s, uint32_t gpu)
{
    return s->system->first[ORR_GPU] + gpu;
}
static inline uint32_t orr_net_node(const struct orr_search_state *s, uint32_t net)
{
    return s->system->first[ORR_NET] + net;
}

/* Which GPUs the channel being built has. */
static inline uint8_t *orr_used(struct orr_search_state *s)
{
    return s->used + (size_t)s->t.channels * s->n;
}

/* reserve.c: takes `factor` times the trial's rate from every link of the path between two nodes; half: half the rate.
 * false, with nothing taken, where a link has too little left or the path is farther than the trial's limit. A negative
 * factor gives back, and always succeeds. */
bool orr_search_move(struct orr_search_state *s, uint32_t from, uint32_t to, float factor, bool half);

/* candidates.c: the next GPUs from x at position p in free order, on top of s->candidates. Returns how many; the caller
 * lowers s->candidate_top again. z: 1 the next GPU must reach a NIC, -1 a later one, 0 none. */
uint32_t orr_search_candidates(struct orr_search_state *s, uint32_t x, int z, const uint16_t **ret_list);

/* candidates.c: what is left of a GPU's PCI link, the less of both directions, in whole GB/s; -1: it has none. */
int32_t orr_search_pci_bw_left(const struct orr_search_state *s, uint32_t gpu);

/* channel.c: tries to grow channels from the trial's state, under a budget of steps. */
void orr_search_channels(struct orr_search_state *s, int32_t *budget);

/* facts.c: everything that does not change during a search. */
enum orr_code orr_search_prepare(struct orr_search_state *s, struct orr_arena *arena,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* Copies all of a trial over another. */
void orr_trial_copy(struct orr_trial *to, const struct orr_trial *from, uint32_t n);

#endif
