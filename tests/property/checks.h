/* SPDX-License-Identifier: Apache-2.0 */
/* The properties: what must hold for every analysis, whatever the machine. Each check looks at one room's results and
 * knows NCCL's rules from the outside: it recomputes nothing with the engine's own code. If NCCL itself does not
 * keep a property, the exception is beside the check as a rule of its own. */
#ifndef ORR_PROPERTY_CHECKS_H
#define ORR_PROPERTY_CHECKS_H

#include "engine/cluster/cluster.h"

/* How often each property was put to the test: one that never was has not been shown. */
#define TALLY_MAP(X)                                                                                                   \
    X(systems, "systems")                                                                                              \
    X(paths, "paths followed link by link")                                                                            \
    X(bandwidths, "path bandwidths recomputed")                                                                        \
    X(symmetric, "pairs of paths compared both ways")                                                                  \
    X(mirrored, "of them the same links both ways")                                                                    \
    X(diverted, "paths diverted by a decision")                                                                        \
    X(graphs, "graphs")                                                                                                \
    X(moves, "moves of channels")                                                                                      \
    X(loads, "loaded links")                                                                                           \
    X(fallbacks, "graphs in simple order")                                                                             \
    X(rings, "rings")                                                                                                  \
    X(trees, "trees")                                                                                                  \
    X(several, "of them over several nodes")                                                                           \
    X(nvls_trees, "NVLS trees")                                                                                        \
    X(chains, "CollNet chains")                                                                                        \
    X(transfers, "transfers point to point")                                                                           \
    X(figures, "figures of the tuning model")                                                                          \
    X(choices, "choices of an algorithm")                                                                              \
    X(differences, "facts that differ from the next release's")                                                        \
    X(documents, "documents parsed")                                                                                   \
    X(views, "paths told and pictures drawn")                                                                          \
    X(clusters, "clusters of different hosts")                                                                         \
    X(fused, "of them with fused hosts")                                                                               \
    X(orders, "orders of their hosts")                                                                                 \
    X(explanations, "decisions explained")                                                                             \
    X(repeats, "analyses repeated")

struct tally {
#define X(name, text) uint64_t name;
    TALLY_MAP(X)
#undef X
};

/* Each returns false with what is wrong in err. */
bool check_system(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_paths(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_symmetry(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_graphs(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_loads(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_channels(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_tuning(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_transfers(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_views(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_explanations(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);
bool check_differences(const struct orr_analysis *analysis, struct tally *tally, struct orr_error *err);

/* Clusters of random choices of the machine's GPUs, in random orders, some of them fused. */
bool check_cluster(const struct orr_analysis *analysis, uint64_t seed, struct tally *tally, struct orr_error *err);

/* The order of a cluster's hosts. */
bool check_order(const struct orr_cluster *cluster, struct tally *tally, struct orr_error *err);

/* The analysis document as bytes: valid JSON without a missing number. *ret_bytes is the caller's to free. */
bool check_document(const struct orr_analysis *analysis, struct tally *tally, char **ret_bytes, size_t *ret_length,
                    struct orr_error *err);

/* What is said about a dump that was read but can't be analysed: the machine and the findings. */
bool check_dump(const struct orr_dump *dump, struct orr_error *err);

/* NCCL found no channel and falls back to one of all GPUs in order, for which nothing was taken from any link. Most
 * releases name NIC 0 in it, whether there is one or not. */
static inline bool is_simple_order(const struct orr_graph *graph)
{
    return graph->channels == 1 && graph->bw_intra == 0.1f && graph->type_intra == ORR_PATH_SYS;
}

/* Do all nodes of a type have different ids? NCCL finds nodes by their ids, so it mixes up those that have the same. */
static inline bool have_own_ids(const struct orr_system *system, enum orr_node_type type)
{
    for (uint32_t a = system->first[type]; a < system->first[type + 1]; a++)
        for (uint32_t b = a + 1; b < system->first[type + 1]; b++)
            if (system->nodes[a].id == system->nodes[b].id)
                return false;
    return true;
}

/* Says what is wrong and gives false. */
#define WRONG(err, ...) ((void)orr_fail((err), ORR_INTERNAL, __VA_ARGS__), false)

#endif
