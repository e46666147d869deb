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

struct orr_net_list { /* a fixed order of NETs; a type limit cuts it to a prefix */
    int16_t *nets;
    uint16_t count_at[ORR_PATH_TYPE_COUNT]; /* [type number]: entries up to that limit */
};

/* What a leg takes from a link: the rate, the rate with Intel's overhead, or an eighth of one of these. */
enum { ORR_SHARE_PLAIN, ORR_SHARE_OVERHEAD, ORR_SHARE_EIGHTH, ORR_SHARE_OVERHEAD_EIGHTH, ORR_SHARE_COUNT };
/* Beside a share: the next charge is the way back of this link, to be taken with it or not at all. */
enum { ORR_SHARE_WITH_NEXT = 8, ORR_SHARE_MASK = 7 };

/* Up to this capacity (GB/s) thousandths are exact in binary32, whatever is taken (reserve.c). */
enum { ORR_NARROW_GBPS = 1000 };

/* The GPUs that a channel may start at, coming from a NIC: those that it reaches best, by index. */
struct orr_near {
    float bw;     /* rate of their paths */
    uint8_t type; /* of their paths */
    uint16_t count;
    uint16_t *gpus;
};

/* What two NETs are to each other. */
enum { ORR_NETS_ONE_CARD = 1, ORR_NETS_OTHER_PLANE = 2 };

enum orr_leg_state {
    ORR_LEG_QUICK,   /* loads each of its links once, by the plain share */
    ORR_LEG_MIXED,   /* each once, by several shares */
    ORR_LEG_REPEATS, /* a link stands twice in it */
    ORR_LEG_FREE,    /* nothing to take, whatever the limits */
    ORR_LEG_BLOCKED, /* can't be taken */
    ORR_LEG_NONE     /* no leg's */
};

/* A path between two nodes as the search sees it: the links that are loaded. */
struct orr_leg {
    uint32_t first;   /* into s->links and s->shares */
    uint16_t charges; /* links loaded */
    uint16_t hops;    /* links of the path */
    uint16_t refused; /* the charge that was refused last: looked at first the next time */
    uint8_t type[2];  /* the path's; the larger of it and the way back's: numbers of the release */
    uint8_t state;    /* enum orr_leg_state */
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
    bool both_ways;                /* the way back must be within the limit, too */
    uint8_t limit;                 /* number of a path type: legs of others beyond it are refused */
    float amount[ORR_SHARE_COUNT]; /* GB/s */
    /* The same in thousandths, where these are exact: least capacity that suffices; what is taken of it. */
    int32_t needed[ORR_SHARE_COUNT], taken[ORR_SHARE_COUNT];
};

/* An attempt that was made: what its result depends on, and the steps it left over. */
struct orr_attempt {
    enum orr_pattern pattern;
    int32_t same_channels, cross_nic, type_intra, type_inter, min_channels, max_channels, steps;
    float bw_intra, bw_inter;
    float from, to;    /* between these rates of all moves it is the same */
    float whole_from;  /* where the rate's whole GB/s are that many at least */
    bool needs_linear; /* and the amounts are linear in the rate */
    bool any_cross;    /* it is the same whether NICs may be crossed or not */
    int32_t left;
};
/* Those since the best trial was last changed by something else; when there is no room for one more, all are forgotten.
 */
enum { ORR_MOST_ATTEMPTS = 64 };
struct orr_attempts {
    uint32_t count;
    struct orr_attempt list[ORR_MOST_ATTEMPTS];
};

/* Where a channel must go back to a NIC, and from where it must close to its first GPU; -1: nowhere. */
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

struct orr_search_state {
    uint64_t steps;  /* taken so far, in all attempts */
    int32_t *sliced; /* what is left of the slice of steps that is being taken */
    int32_t later;   /* steps of the attempt that are in no slice yet */
    const struct orr_system *system;
    const struct orr_paths *paths;
    const struct orr_settings *settings;
    uint32_t n, net_count;         /* GPUs, NETs */
    bool inter;                    /* the system has NICs that matter */
    bool has_nvs, neighbours_only; /* it has NVSwitches; then only GPUs next by index are tried */
    int32_t cc_min;
    int32_t cross_nic_input;

    /* Facts, computed once. GPUs (facts.c): */
    uint8_t number_of[ORR_PATH_TYPE_COUNT]; /* path type -> the release's number */
    int32_t *pci_link, *pci_back;           /* [GPU]: its first PCI link, the first link back; -1: none */
    float pci_step;              /* what two GPUs' PCI rates left differ by at least, times the rate; 0: no saying */
    uint16_t *by_distance;       /* [GPU * n]: other GPUs, best first, where no NIC counts */
    uint16_t *by_distance_count; /* [GPU] */
    uint16_t *distance_class;    /* [GPU * n]: equal for neighbours in by_distance with equal rate and hops */
    /* NICs (nets.c): */
    int16_t *net_of_id;         /* [NET]: the first NET with the same id, which is what a channel keeps */
    bool ids_differ;            /* no two NETs have the same id */
    int16_t *next_of_card;      /* [NET]: a ring of the NETs of one card and port, which share a budget */
    uint8_t *net_pair;          /* [NET * nets + NET]: ORR_NETS_* */
    uint64_t *net_score;        /* [NET * n + GPU]: how near a GPU is to a NIC (candidates.c) */
    struct orr_near *near_gpus; /* [NET] */
    uint16_t *near_pool;        /* their lists */
    struct orr_net_list start_nets, *exit_nets; /* of all GPUs; [GPU] */
    /* Legs (legs.c): */
    uint32_t *links;                 /* of all legs, leg by leg */
    uint8_t *shares;                 /* beside links: ORR_SHARE_* */
    struct orr_leg *between;         /* [GPU * n + GPU] */
    struct orr_leg *entries, *exits; /* [NET * n + GPU]: from and to a NIC */
    struct orr_leg *spokes[2];       /* [GPU]: from and to the first NVSwitch */
    uint8_t *shares_of;              /* [link]: bit ORR_SHARE_*: what legs take from it */
    uint8_t any_share, wide_share;   /* the same of all links; of those above ORR_NARROW_GBPS */
    uint64_t types_of_nets;          /* bit NUMBER: some path to or from a NET has that type */

    /* Capacities (reserve.c). */
    float *capacity;           /* [link] */
    bool exact, counted;       /* the attempt counts in thousandths; the capacities allow it */
    bool linear;               /* exact, and every amount is its number of thousandths */
    uint8_t quick_state;       /* ORR_LEG_QUICK while exact, else ORR_LEG_NONE */
    int32_t *thousandths;      /* [link]: what is left, while exact */
    int32_t *full;             /* [link]: what was there before the attempt */
    int32_t least_thousandths; /* of all links that have any */
    float *net_bw;             /* [NET] */
    int32_t *net_connections;  /* [NET]: how many more channels it takes, where that counts */
    struct orr_rate rates[ORR_RATE_COUNT];

    /* The attempt (attempts.c, candidates.c): what the trial's limits and rates leave, */
    struct orr_shape shape;     /* of the trial's pattern */
    bool star;                  /* the pattern is one */
    enum orr_crossing crossing; /* what it allows a channel that may cross NICs */
    uint16_t *open;             /* [GPU * n]: a part of by_distance */
    uint16_t *open_count;       /* [GPU] */
    int16_t *open_exits;        /* [GPU * nets]: a part of exit_nets */
    uint16_t *open_exit_count;  /* [GPU] */
    uint8_t *is_open_exit;      /* [GPU * nets + NET]: it is one of them */
    /* and on what its result depends: */
    int32_t *demand;                   /* [link]: least load in thousandths that it refused; INT32_MAX: none */
    uint32_t *refused_links, refusals; /* which links refused */
    float *net_full;                   /* [NET]: net_bw before it */
    float *net_demand;                 /* [NET]: least load in GB/s that its port refused */
    float refused_start;               /* the highest rate from a NIC to its nearest GPU that was too low; 0: none */
    bool repeats;                      /* a leg that loads a link twice was asked for */
    bool cross_asked;                  /* crossing NICs made a difference */
    bool pci_asked, pci_short;         /* PCI rates left were compared; a GPU had less than 1 GB/s of it */
    bool leaked;                       /* a channel kept something that it should have given back */
    float *kept;                       /* [link]: capacities before it, where floats are carried */
    struct orr_attempts attempts;

    /* The channel being built (channel.c). */
    uint8_t *used_rows;   /* [channel * n + GPU]: in that channel */
    uint8_t *used;        /* [GPU]: its row */
    uint16_t *row;        /* [position]: its GPUs */
    uint16_t *candidates; /* a stack of candidate lists */
    uint32_t candidate_top;
    uint64_t *scores; /* [GPU]: scratch of one sort */
    bool overrun;     /* more channels were asked for than the release has room for */
    bool steps_spent; /* the loop of relaxations ended for want of steps */
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

/* The channel being built is number t.channels: its row of GPUs, and which GPUs it has. */
static inline void orr_search_at_channel(struct orr_search_state *s)
{
    s->row = s->t.gpus + (size_t)s->t.channels * s->n;
    s->used = s->used_rows + (size_t)s->t.channels * s->n;
}

/* legs.c: the legs between all GPUs, NICs and the first NVSwitch. */
enum orr_code orr_search_lay_legs(struct orr_search_state *s, struct orr_arena *arena,
                                  struct orr_error *err) ORR_NO_DISCARD;

/* candidates.c: fills s->open and s->open_exits. */
void orr_search_open(struct orr_search_state *s);

/* candidates.c: the next GPUs from x in the order in which they are tried, where a NIC counts: at the next GPU
 * (net_is_next) or at a later one. Fills list, with room for every GPU, and returns how many. */
uint32_t orr_search_candidates(struct orr_search_state *s, uint32_t x, bool net_is_next, uint16_t *list);

/* candidates.c: what is left of a GPU's PCI link, the less of both directions, in whole GB/s; -1: it has none. */
int32_t orr_search_pci_bw_left(const struct orr_search_state *s, uint32_t gpu);

/* candidates.c: fills s->net_score. */
void orr_search_score_nets(struct orr_search_state *s);

/* attempts.c: one attempt with the trial's limits; returns the steps left over, -1: a complete set was found. */
int32_t orr_search_attempt(struct orr_search_state *s, int32_t steps);

/* nets.c: all facts of NICs. */
enum orr_code orr_search_note_nets(struct orr_search_state *s, struct orr_arena *arena,
                                   struct orr_error *err) ORR_NO_DISCARD;

/* attempts.c: takes the next slice from s->later. */
int32_t orr_search_slice(struct orr_search_state *s);

/* channel.c: tries to grow channels from the trial's state, under a budget of steps. */
void orr_search_channels(struct orr_search_state *s, int32_t *budget);

/* facts.c: everything that does not change during a search. */
enum orr_code orr_search_prepare(struct orr_search_state *s, struct orr_arena *arena,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* Copies all of a trial over another. */
void orr_trial_copy(struct orr_trial *to, const struct orr_trial *from, uint32_t n);

#endif
