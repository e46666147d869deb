/* SPDX-License-Identifier: Apache-2.0 */
/* A communicator over different hosts. Equal machines are analysed once. Ranks are placed by a rule that launchers use.
 * Hosts of one NVLink domain are fused into one system if the release does so.
 *
 * The answer is the analysis of the system that holds rank 0, with the communicator and the tuning model of all
 * (`analysis`), and the analysis of every other kind of system. README.md beside this file describes the rules.
 */
#ifndef ORR_CLUSTER_CLUSTER_H
#define ORR_CLUSTER_CLUSTER_H

#include "engine/analysis/analysis.h"
#include "engine/base/local.h"
#include "engine/cluster/fabric.h"

enum { ORR_MAX_CLUSTER_HOSTS = ORR_MAX_PLAN_HOSTS, ORR_MAX_CLUSTER_KINDS = 128 };

/* Facts about the network of a NIC that a description may have. X(symbol, key, words) */
#define ORR_NIC_FACT_MAP(X)                                                                                            \
    X(RAIL, "rail", "rail")                                                                                            \
    X(LEAF, "leaf", "leaf switch")                                                                                     \
    X(SUBNET, "subnet", "subnet")
enum orr_nic_fact {
#define X(symbol, key, words) ORR_NIC_##symbol,
    ORR_NIC_FACT_MAP(X)
#undef X
        ORR_NIC_FACT_COUNT
};
struct orr_cluster_nic {
    const char *name;                      /* as in the dump, such as "mlx5_0"; NULL means its number */
    int32_t dev;                           /* the plugin's number */
    const char *facts[ORR_NIC_FACT_COUNT]; /* NULL if unknown */
};

/* One entry of the description: equal hosts. */
struct orr_cluster_line {
    const struct orr_dump *dump; /* borrowed */
    uint32_t count;              /* hosts, 1.. */
    const uint32_t *gpus;        /* which GPUs take part, by their number in the dump (by `rank`, from 0), in the order
                                    of their new ranks; NULL means those that settings.gpus names, all without it */
    uint32_t gpu_count;
    const char *domain; /* hosts with the same text share an NVLink domain; NULL if the hosts are in no domain */
    const struct orr_fabric *fabric;    /* the fabric that their GPUs report; NULL if derived from the domain's name */
    const char *const *names;           /* [count]: names of the hosts; NULL if hosts are called by number */
    const char *leaf;                   /* leaf switch of their NICs, for ORR_ORDER_SWITCH; NULL if unknown */
    const char *rack;                   /* NVLink domain as people call it, for ORR_ORDER_DOMAIN; NULL if unknown */
    const struct orr_cluster_nic *nics; /* networks of their NICs, which NCCL does not know */
    uint32_t nic_count;
    bool isolated; /* NICs of different rails cannot reach one another */
};

/* How ranks are distributed over hosts. Ranks of a host go to its GPUs in order. */
enum orr_rank_order {
    ORR_ORDER_BLOCK,  /* host by host */
    ORR_ORDER_CYCLIC, /* one on each host in turn, skipping hosts that are full */
    ORR_ORDER_NAME,   /* host by host, "node2" before "node10" */
    ORR_ORDER_SWITCH, /* host by host, sorted by leaf switch, and by name below one switch */
    ORR_ORDER_DOMAIN, /* the same by NVLink domain */
    ORR_ORDER_LIST    /* as host_of_rank says; it comes last because people cannot choose it by a word */
};
/* Whether the ranks of each host are consecutive. */
static inline bool orr_rank_order_by_host(enum orr_rank_order order)
{
    return order != ORR_ORDER_CYCLIC && order != ORR_ORDER_LIST;
}

struct orr_cluster_request {
    const struct orr_cluster_line *lines;
    uint32_t line_count;
    enum orr_rank_order order;
    const uint32_t *host_of_rank; /* [rank]: host, numbered through the lines; with LIST only */
    uint32_t listed_ranks;
    struct orr_settings settings; /* with the release */
    bool plan;                    /* makes no rings and trees; required for more than ORR_MAX_HOSTS hosts */
    bool by_kind;                 /* the domains of the lines are assumed, because racks join hosts of this kind */
    struct orr_arena *arena;      /* holds the answer, which frees it, as a failure does; NULL makes one */
};

/* Systems that look the same to the search. */
struct orr_cluster_kind {
    struct orr_analysis *analysis; /* only that of the kind with rank 0 has communicator and tuning */
    struct orr_dump *made;         /* dump made for this kind; NULL means that of its line */
    uint32_t line;                 /* of its first host */
    uint32_t system_count;         /* number of systems of this kind, and of hosts in them */
    uint32_t host_count;
};

/* A host, or the fused hosts of a clique. */
struct orr_cluster_system {
    uint32_t kind;
    uint32_t rank_count;
    const int32_t *ranks; /* [rank in the system]: the communicator's, ascending */
    uint32_t host_count;
    const uint32_t *hosts; /* numbered through the lines, in the order of their lowest ranks */
};

struct orr_cluster_host {
    uint32_t line, system;
    uint32_t at; /* its index among the hosts of its line */
    uint32_t rank_count;
    const int32_t *ranks; /* [GPU that takes part]: the communicator's rank */
};

struct orr_cluster {
    struct orr_settings settings;
    bool plan, by_kind;
    const struct orr_cluster_line *lines; /* those of the request; what they point to is borrowed */
    uint32_t line_count;
    enum orr_rank_order order;
    const uint32_t *host_of_rank; /* [rank_count], with LIST only */
    uint32_t rank_count;
    struct orr_cluster_host *hosts;
    uint32_t host_count;
    struct orr_fabrics fabrics;
    struct orr_cluster_system *systems; /* in the order of their lowest ranks */
    uint32_t system_count;
    struct orr_cluster_kind *kinds; /* in the order of their first systems: kind 0 holds rank 0 */
    uint32_t kind_count;
    const struct orr_member *members; /* nodes of the communicator */
    uint32_t member_count;
    struct orr_analysis *analysis; /* kinds[0].analysis */
    struct orr_arena *arena;       /* owns all of it, this structure included */
};

/* Analyses a cluster. The dumps, GPUs and texts of the lines must live as long as the answer: orr_cluster_free().
 * INVALID for GPUs that are missing and lists that do not fit, LIMIT for too many hosts, kinds or ranks, SETTING
 * if the release fails with a setting. */
enum orr_code orr_cluster_analyze(const struct orr_cluster_request *request, struct orr_cluster **ret_cluster,
                                  struct orr_error *err) ORR_NO_DISCARD;
void orr_cluster_free(struct orr_cluster *cluster);
ORR_FREED_BY(orr_cluster, orr_cluster_free)

/* Bytes of all its arenas together. */
size_t orr_cluster_bytes(const struct orr_cluster *cluster);
/* "block", "cyclic", "name", "switch", "domain", "list". */
const char *orr_rank_order_name(enum orr_rank_order order);
/* The same as a sentence. */
const char *orr_rank_order_text(enum orr_rank_order order);

#endif
