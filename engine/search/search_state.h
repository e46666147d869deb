/* SPDX-License-Identifier: Apache-2.0 */
/* Inside search/: the state of a search, flat and allocated once. GPUs and NETs are indices within their type here. */
#ifndef ORR_SEARCH_STATE_H
#define ORR_SEARCH_STATE_H

#include "engine/paths/paths.h"
#include "engine/search/graph.h"
#include "engine/search/search.h"

/* A graph that is being tried, or the best one so far. Bandwidths in GB/s, latency in microseconds. */
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

struct orr_net_list { /* a fixed order of NETs; a type limit cuts it to a prefix */
    int16_t *nets;
    uint16_t count_at[ORR_PATH_TYPE_COUNT]; /* [type number]: entries up to that limit */
};

/* What a leg takes from a link: the rate, the rate with Intel's overhead, or an eighth of one of these. */
enum { ORR_SHARE_PLAIN, ORR_SHARE_OVERHEAD, ORR_SHARE_EIGHTH, ORR_SHARE_OVERHEAD_EIGHTH, ORR_SHARE_COUNT };

/* Up to this capacity (GB/s) thousandths are exact in binary32, whatever is taken (reserve.c). */
enum { ORR_NARROW_GBPS = 1000 };

/* The GPUs at which a channel that enters by a NIC may start: those that the NIC reaches best, by index. */
struct orr_near {
    float latency; /* of the NIC, microseconds */
    float bw;      /* rate of their paths */
    uint8_t type;  /* of their paths */
    uint16_t hops; /* of the first one's path */
    uint16_t count;
    uint16_t *gpus;
};

/* How two NETs are related: bits of net_pair. */
enum { ORR_NETS_ONE_CARD = 1, ORR_NETS_OTHER_PLANE = 2 };

enum orr_leg_state {
    ORR_LEG_ONCE,    /* loads each of its links once */
    ORR_LEG_REPEATS, /* loads some link twice */
    ORR_LEG_FREE,    /* nothing to take, whatever the limits */
    ORR_LEG_BLOCKED, /* cannot be taken */
    ORR_LEG_NONE     /* not a state of any leg, so it matches none in comparisons */
};

/* A path between two nodes as the search sees it: the links that are loaded. */
struct orr_leg {
    uint32_t first;   /* into s->facts.links and s->facts.shares */
    uint16_t charges; /* links that it loads */
    uint16_t hops;    /* links of the path */
    uint8_t type[2];  /* [0]: the path's; [1]: the larger of the path's and the path back's. Numbers of the release */
    uint8_t state;    /* enum orr_leg_state */
};

/* All legs of a group that begin (or end) by one link and have one type: ends.c. */
struct orr_end {
    uint32_t link;   /* ORR_NO_LINK if they load none */
    int32_t least;   /* thousandths of a GB/s that the widest of them carries */
    uint16_t hops;   /* of the shortest */
    uint8_t type[2]; /* as of a leg */
    uint8_t share;   /* ORR_SHARE_*: the least that one of the group's legs by the link takes */
};
struct orr_ends { /* of group g: list[first[g]] up to list[first[g + 1]] */
    struct orr_end *list;
    uint32_t *first;
};

/* Upper bounds of the channels of an attempt. */
struct orr_bound {
    int32_t channels;         /* their number */
    int32_t first_hops, hops; /* k channels have first_hops + k * hops at least */
};

/* What a move takes. A trial has a few of them. */
enum orr_rate_kind {
    ORR_RATE_INTRA,      /* between GPUs */
    ORR_RATE_INTER,      /* from and to NICs */
    ORR_RATE_INTER_HALF, /* the same, a balanced tree's half of it */
    ORR_RATE_HEAD,       /* stars: between the centre and the head */
    ORR_RATE_SPOKE,      /* stars: between the centre and the others */
    ORR_RATE_COUNT
};
struct orr_rate {
    float factor;                  /* how often a hop counts */
    bool both_ways;                /* the type of the path back must not exceed the limit either */
    uint8_t limit;                 /* number of a path type: legs of others beyond it are refused */
    float amount[ORR_SHARE_COUNT]; /* GB/s */
    /* The same in thousandths, if these are exact: least capacity that suffices; what is taken of it. */
    int32_t needed[ORR_SHARE_COUNT], taken[ORR_SHARE_COUNT];
};

/* An attempt that was made: its inputs, and the steps that it left over. */
struct orr_attempt {
    enum orr_pattern pattern;
    int32_t same_channels, cross_nic, type_intra, type_inter, min_channels, max_channels, steps;
    float bw_intra, bw_inter;
    bool only_counted; /* what it found is unknown */
    uint32_t found;    /* how often the best trial was replaced until its end */
    int32_t left;
};
/* The attempts since the best trial last changed for another reason. When the list is full, all are dropped. */
enum { ORR_MOST_ATTEMPTS = 64 };
struct orr_attempts {
    uint32_t count;
    struct orr_attempt *list; /* [ORR_MOST_ATTEMPTS] */
    bool capacities_changed;  /* an attempt did not give back what it took: bounds no longer hold */
};

/* What an attempt left over of its steps if it was not made, or not to its end. */
enum { ORR_LEFT_UNKNOWN = -2 };
/* The steps that NCCL's search has for all attempts of a graph, less what they took. Attempts that were left out are
 * counted only where it matters (steps.c). */
enum { ORR_MOST_UNCOUNTED = 256 };
struct orr_steps_left {
    int32_t most;   /* left at most, if the uncounted attempts took none */
    int32_t unsure; /* what these may have taken */
    bool looked;    /* NCCL has looked whether steps are left; it ends if there are less than 0 */
    int32_t then;   /* `most` the last time it looked */
    int32_t unsure_then;
    uint32_t count;
    struct orr_uncounted {
        struct orr_trial trial; /* its limits and rates */
        int32_t steps;          /* of its budget */
    } * uncounted;              /* [ORR_MOST_UNCOUNTED] */
};

/* The position from which a channel must return to a NIC, and from which it must close to its first GPU; -1 if there is
 * none. */
struct orr_shape {
    int32_t to_net, to_first;
};

/* Which exit NIC a channel may take if it may cross NICs at all. */
enum orr_crossing {
    ORR_CROSS_NOT,      /* one of the entry NIC's card */
    ORR_CROSS_ANY,      /* any */
    ORR_CROSS_BACK,     /* odd channels: where the channel before came from; others: any */
    ORR_CROSS_BACK_CARD /* that and one of the entry NIC's card */
};

/* The question. Set by orr_search(); constant from then on, except for cross_nic_input. */
struct orr_search_input {
    const struct orr_system *system;
    const struct orr_paths *paths;
    const struct orr_settings *settings;
    const struct orr_graph_file *file; /* NCCL_GRAPH_FILE, NULL if there is none */
    uint32_t n, net_count;             /* GPUs, NETs */
    bool inter;                        /* the channels leave the host, so NICs count */
    bool parts;                        /* CollNet direct, which takes parts of rates, may be searched */
    int32_t cc_min;                    /* lowest compute capability of all GPUs, 10 * major + minor */
    int32_t cross_nic_input;           /* NCCL_CROSS_NIC as far as it applies to the graph: orr_search_limits() */
};

/* Computed from the input once, by orr_search_prepare(); constant from then on. */
struct orr_search_facts {
    bool has_nvs;          /* the system has NVSwitches */
    bool neighbours_only;  /* with NVSwitches: only the GPUs next by index are tried */
    bool neighbours_first; /* ... are tried first */
    bool nets_come_back;   /* an attempt leaves the bandwidths of NICs as they were, whatever it takes of them */
    /* GPUs (prepare.c): */
    uint8_t number_of[ORR_PATH_TYPE_COUNT]; /* path type -> the release's number */
    int32_t *pci_link, *pci_back; /* [GPU]: its first PCI link, and the first link back to it; -1 if there is none */
    uint16_t *by_distance; /* [GPU * n]: the other GPUs, best first, for releases and moves in which no NIC counts */
    uint16_t *by_distance_count; /* [GPU] */
    uint16_t *distance_class;    /* [GPU * n]: equal for neighbours in by_distance with equal bandwidth and hops */
    /* NICs (nets.c): */
    int16_t *net_of_id;         /* [NET]: the first NET with the same id, which is what a channel records */
    int16_t *next_of_card;      /* [NET]: the next NET of the same card and port; they share a bandwidth budget */
    uint8_t *net_pair;          /* [NET * nets + NET]: ORR_NETS_* */
    uint64_t *net_score;        /* [NET * n + GPU]: how near a GPU is to a NIC; smaller is nearer (candidates.c) */
    struct orr_near *near_gpus; /* [NET] */
    uint16_t *near_pool;        /* the memory of the lists in near_gpus */
    struct orr_net_list start_nets, *exit_nets; /* of all GPUs; [GPU] */
    /* Legs (legs.c): */
    uint32_t *links;                 /* of all legs, leg by leg */
    uint8_t *shares;                 /* [index into links]: ORR_SHARE_* */
    bool *with_next;                 /* [index into links]: the next is its reverse link; both are taken, or neither */
    struct orr_leg *between;         /* [GPU * n + GPU] */
    struct orr_leg *entries, *exits; /* [NET * n + GPU]: from a NIC, to a NIC */
    struct orr_leg *spokes[2];       /* [GPU]: from and to the first NVSwitch; NULL if there are no such paths */
    uint8_t *shares_of;              /* [link]: bit ORR_SHARE_*: which shares some leg takes from the link */
    /* The same for all links that a kind of move may load; for those of them above ORR_NARROW_GBPS. */
    uint8_t any_share[ORR_RATE_COUNT], wide_share[ORR_RATE_COUNT];
    bool takes_odd; /* capacities up to ORR_NARROW_GBPS count as the nearest thousandth (reserve.c) */
    bool *left_out; /* [link]: cannot be filled, so that no leg has it (unfilled.c) */
    /* Bit NUMBER: some path between GPUs, to or from a NET, has the type of that number. [0], [1]: as of a leg. */
    uint64_t types_between[2], types_of_nets;
    /* By which links legs begin and end (ends.c): */
    struct orr_ends to_next, to_nets, from_nets; /* [GPU]: links that these legs share, else those at the GPU */
    struct orr_ends leave;                       /* [GPU]: from it to NICs: their first links, as those of to_next */
    struct orr_ends from_net, to_net;            /* [NET]: likewise, else those at the NET */
};

/* The steps that NCCL counts, over all attempts of all graphs. */
struct orr_search_budget {
    uint64_t steps;   /* taken so far */
    int32_t *sliced;  /* steps left of the slice that is being taken: the counter that the recursion decrements */
    int32_t later;    /* steps of the attempt that no slice holds yet */
    uint32_t starts;  /* of channels, also those that found no room */
    bool overrun;     /* a graph asked for more channels than the release's tables hold */
    bool stopped;     /* the request's time is up: its answer is discarded, so nothing more is tried */
    bool steps_spent; /* the limits were no longer relaxed, because no steps were left */
};

/* Remaining capacities of links and NICs while channels are built (reserve.c). */
struct orr_capacities {
    float *capacity;          /* [link], GB/s */
    bool exact;               /* this attempt counts in thousandths of GB/s, as whole numbers */
    bool counted;             /* the capacities allow that */
    uint8_t once_state;       /* ORR_LEG_ONCE while exact, otherwise ORR_LEG_NONE */
    int32_t *thousandths;     /* [link]: what is left, while exact */
    int32_t *full;            /* [link]: the same before the attempt */
    float *net_bw;            /* [NET], GB/s */
    int32_t *net_connections; /* [NET]: how many more channels it takes, in releases that count them */
    struct orr_rate rates[ORR_RATE_COUNT];
};

/* One attempt (attempts.c, candidates.c). Remade at its beginning from the trial's limits and rates. */
struct orr_attempt_scratch {
    struct orr_shape shape;     /* of the trial's pattern */
    bool star;                  /* the pattern is a star around a centre */
    enum orr_crossing crossing; /* which exit NICs a channel may take */
    uint16_t *open;             /* [GPU * n]: the part of by_distance that the limits leave */
    uint16_t *open_count;       /* [GPU] */
    int16_t *open_exits;        /* [GPU * nets]: the part of exit_nets that the limits leave */
    uint16_t *open_exit_count;  /* [GPU] */
    bool leaked;                /* NCCL did not give back all that a channel had taken */
    uint32_t number;            /* of the attempt, from 1 */
    int32_t steps;              /* that it may take */
    uint64_t first_step;        /* s->budget.steps when it began */
    /* What it may find (bounds.c): */
    struct orr_bound bound;
    bool bounded;  /* the bound holds */
    bool counting; /* only the steps are needed: nothing it finds is better */
    bool ended;    /* nothing better can follow, so that it goes on no longer */
    float *kept;   /* [link]: capacities before the attempt, for attempts that count in floats */
};

/* The channel that is being built (channel.c). */
struct orr_channel_scratch {
    uint8_t *used_rows;     /* [channel * n + GPU]: whether the GPU is in that channel */
    uint8_t *used;          /* [GPU]: the row of this channel in used_rows */
    uint16_t *row;          /* [position]: the GPUs of this channel in order */
    uint16_t *candidates;   /* a stack of lists of GPUs, one a level of the recursion */
    uint32_t candidate_top; /* entries in use */
    uint64_t *scores;       /* [GPU]: scratch of one sort */
    int32_t *exits;         /* [GPU]: likewise: to a NIC besides */
    int32_t *uses;          /* [GPU]: scratch of one bound: how many channels may leave it to the next one */
};

/* Places that the attempt has visited (seen.c). */
struct orr_seen {
    uint8_t *table; /* NULL until allocated; allocation is attempted only once */
    bool tried;
    size_t bytes, places, stride; /* the table's; a place's bytes */
    uint32_t *links, link_count;  /* those that legs load */
};

struct orr_search_state {
    struct orr_search_input input;
    struct orr_search_facts facts;
    struct orr_search_budget budget;
    struct orr_capacities left;
    struct orr_attempt_scratch attempt;
    struct orr_attempts attempts;
    struct orr_steps_left steps_left; /* of the graph */
    struct orr_channel_scratch channel;
    struct orr_seen seen;
    struct orr_trial trial, best;
    uint32_t found; /* how often the best trial was replaced */
};

enum orr_order { ORR_FREE, ORR_PCI_ORDER, ORR_REPLAY };

static inline uint32_t orr_gpu_node(const struct orr_search_state *s, uint32_t gpu)
{
    return s->input.system->first[ORR_GPU] + gpu;
}
static inline uint32_t orr_net_node(const struct orr_search_state *s, uint32_t net)
{
    return s->input.system->first[ORR_NET] + net;
}

/* The channel being built is number t.channels: its row of GPUs, and which GPUs it has. */
static inline void orr_search_at_channel(struct orr_search_state *s)
{
    s->channel.row = s->trial.gpus + (size_t)s->trial.channels * s->input.n;
    s->channel.used = s->channel.used_rows + (size_t)s->trial.channels * s->input.n;
}

/* legs.c: the legs between all GPUs, NICs and the first NVSwitch. */
enum orr_code orr_search_lay_legs(struct orr_search_state *s, struct orr_arena *arena,
                                  struct orr_error *err) ORR_NO_DISCARD;

/* unfilled.c: marks the links that no channels can fill in s->facts.left_out; false if there is none. */
bool orr_search_mark_unfilled(struct orr_search_state *s, struct orr_arena *arena);

/* candidates.c: fills s->attempt.open and s->attempt.open_exits. */
void orr_search_open(struct orr_search_state *s);

/* candidates.c: the next GPUs from x in the order in which they are tried, if a NIC counts, at the next GPU
 * (net_is_next) or at a later one. Fills list, with room for every GPU, and returns how many. */
uint32_t orr_search_candidates(struct orr_search_state *s, uint32_t x, bool net_is_next, uint16_t *list);

/* candidates.c: fills s->facts.net_score. */
void orr_search_score_nets(struct orr_search_state *s);

/* attempts.c: one attempt with the trial's limits; returns the steps left over, -1 if it found a complete set,
 * ORR_LEFT_UNKNOWN if it was cut short because nothing better can follow. */
int32_t orr_search_attempt(struct orr_search_state *s, int32_t steps);

/* attempts.c: the steps that an attempt with the trial's limits leaves over; the best trial stays as it is. */
int32_t orr_search_count(struct orr_search_state *s, int32_t steps);

/* attempts.c: can an attempt with the trial's limits find anything better? */
bool orr_search_is_hopeless(struct orr_search_state *s);

/* nets.c: all facts of NICs. */
enum orr_code orr_search_note_nets(struct orr_search_state *s, struct orr_arena *arena,
                                   struct orr_error *err) ORR_NO_DISCARD;

/* attempts.c: takes the next slice from s->budget.later. */
int32_t orr_search_slice(struct orr_search_state *s);

/* channel.c: starts a channel at a GPU, coming from a NIC (-1 means from nothing). */
void orr_search_enter(struct orr_search_state *s, int32_t net, uint32_t gpu, enum orr_order order, int32_t *budget);

/* starts.c: tries to grow channels from the trial's state, under a budget of steps. */
void orr_search_channels(struct orr_search_state *s, int32_t *budget);

/* prepare.c: everything that does not change during a search. */
enum orr_code orr_search_prepare(struct orr_search_state *s, struct orr_arena *arena,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* Copies all of a trial over another. */
void orr_trial_copy(struct orr_trial *to, const struct orr_trial *from, uint32_t n);

#endif
