/* SPDX-License-Identifier: Apache-2.0 */
/* The whole answer: analysis = f(dump, release, settings, hosts). Immutable once made, so it may be cached and read by
 * any number of threads. JSON, diagrams, findings and explanations only read it. */
#ifndef ORR_ANALYSIS_ANALYSIS_H
#define ORR_ANALYSIS_ANALYSIS_H

#include "engine/base/local.h"
#include "engine/connect/communicator.h"
#include "engine/decide/decide.h"
#include "engine/decide/effective_paths.h"
#include "engine/nics/used.h"
#include "engine/paths/paths.h"
#include "engine/search/graph.h"
#include "engine/topology/system.h"
#include "engine/tuning/tuning.h"

struct orr_query {
    struct orr_settings settings; /* with the release */
    uint32_t hosts;               /* identical ones, 1.. */
    uint32_t domain;              /* hosts that NVLink joins to a domain: 1 means none, 0 means the number in the dump's
                                   * notes. Read by orr_analyze_hosts() (engine/cluster/again.h) */
    bool apart;           /* without a domain, only the network joins the hosts, whatever the dump's notes say: machines
                           * are compared, not racks of one with hosts of the other */
    uint32_t first_hosts; /* to analyse a cluster again with this many of its hosts, in the order of their lowest
                             ranks; 0 means all */
    bool plan;            /* rings and trees are not made: orr_connect_plan() */
    struct orr_search_memo *memo; /* memo of questions with the same release; must outlive the analysis; NULL if there
                                   * is none */
};
/* Most hosts of a query, and of a query that only needs a plan. orr_max_ranks limits the ranks as well. */
enum { ORR_MAX_HOSTS = 512, ORR_MAX_PLAN_HOSTS = 16384, ORR_MAX_DOMAIN_HOSTS = 128 };
extern const uint32_t orr_max_ranks;

/* May two ranks of the host use P2P? */
struct orr_p2p {
    struct orr_decision decision; /* verdict 0 or 1 */
    int8_t read;
    int32_t via; /* intermediate rank, -1 if there is none */
};

/* May a rank use GPUDirect RDMA with a NET? */
struct orr_gdr {
    struct orr_decision send, recv; /* verdict 0, 1 or the release's mode number */
};

/* The NIC of a rank for a channel, towards other hosts. */
struct orr_net_dev {
    int64_t net;        /* id of the NET */
    int32_t proxy_rank; /* the rank whose proxy drives it; without PXN, the rank itself */
};

/* One system of the host: all of it, or a part if trimming splits the host. */
struct orr_part {
    struct orr_system system;             /* final: trimmed */
    struct orr_paths paths;               /* of it */
    struct orr_contribution contribution; /* with the graphs before alignment */
    const struct orr_gdr *gdr;            /* [GPU of the part * NETs + NET] */
    const struct orr_net_dev *net_devs;   /* [GPU of the part * net_dev_channels + channel], NULL with one host */
    int32_t net_dev_channels;             /* those of the ring graph that are used */
};

struct orr_cluster; /* engine/cluster/cluster.h */

struct orr_analysis {
    const struct orr_dump *given; /* what was asked about; borrowed: must live as long */
    const struct orr_dump
        *dump; /* with the GPUs and NICs that a job uses (engine/nics): `given` itself, or in the arena */
    /* The cluster of different hosts to which this host belongs; borrowed. This host has rank 0, and everywhere except
     * in the communicator, its ranks are host ranks. NULL means query.hosts equal hosts. */
    const struct orr_cluster *cluster;
    struct orr_query query;
    uint32_t ranks, local_ranks;
    struct orr_system built; /* right after it was built, before trimming */
    struct orr_part *parts;  /* part 0 holds rank 0 */
    uint32_t part_count;
    const uint32_t *part_of_rank; /* [host rank] */
    const struct orr_p2p *p2p;    /* [a * local_ranks + b]: verdict 0 across parts */
    struct orr_communicator communicator;
    struct orr_tuning tuning;
    struct orr_arena *arena; /* owns all of it, this structure included */
};

/* Times of the stages in nanoseconds, for metrics and `./dev bench`. */
struct orr_stage_times {
    uint64_t graph, paths, search, connect, tuning;
};

/* Analyses a dump. The caller frees *ret_analysis with orr_analysis_free() and keeps dump until then. times may be
 * NULL. SETTING for a number of hosts out of range, LIMIT for too many ranks, and the errors of orr_system_build(),
 * orr_paths_route(), orr_connect() and orr_tune(). */
enum orr_code orr_analyze(const struct orr_dump *dump, const struct orr_query *query, struct orr_stage_times *times,
                          struct orr_analysis **ret_analysis, struct orr_error *err) ORR_NO_DISCARD;
/* Analyses one host of a communicator of `ranks` ranks on query->hosts hosts, without communicator and tuning. */
enum orr_code orr_analyze_host(const struct orr_dump *dump, const struct orr_query *query, uint32_t ranks,
                               struct orr_analysis **ret_analysis, struct orr_error *err) ORR_NO_DISCARD;
/* Adds communicator and tuning to the analysis of the host with rank 0. members must outlive it. */
enum orr_code orr_analysis_join(struct orr_analysis *analysis, const struct orr_member *members, uint32_t count,
                                struct orr_error *err) ORR_NO_DISCARD;
void orr_analysis_free(struct orr_analysis *analysis);
ORR_FREED_BY(orr_analysis, orr_analysis_free)

/* The part and the GPU node of a host rank. */
const struct orr_part *orr_analysis_part(const struct orr_analysis *analysis, int32_t host_rank);

#endif
