/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a cluster's hosts, and of the ranks within them, for which Orrery's own prediction is best. It predicts
 * the bus bandwidth of a program of nccl-tests, or the load of the busiest NIC by the groups of a layout.
 *
 * The orders compared have each host's ranks together (block). The present order may be any. README.md says what in the
 * order changes a prediction, and how orders are tried. */
#ifndef ORR_ORDER_ORDER_H
#define ORR_ORDER_ORDER_H

#include "engine/base/local.h"
#include "engine/base/text.h"
#include "engine/cluster/groups.h"
#include "engine/expect/expect.h"

struct orr_order_question {
    const struct orr_cluster *present; /* the present order; may be a plan, and must outlive the answer */
    /* [line]: leaf switch of its hosts' NICs, NULL if unknown; NULL if none of them is known */
    const char *const *leaves;
    const char *layout; /* NULL to judge by the bandwidth of `test` at `size` bytes */
    enum orr_test test;
    uint64_t size;
    uint32_t tries; /* most orders of hosts to analyse; 0 means as many as the effort allows, at most ORR_ORDER_TRIES */
    bool keep_gpus; /* the order of GPUs within hosts stays as it is */
};

enum { ORR_ORDER_TRIES = 120, ORR_ORDER_SENTENCE = 640 };

/* The busiest NIC for a kind of group. */
struct orr_order_load {
    enum orr_group_kind kind;
    double rings; /* load in rings of one group; 0 if no group of the kind leaves its NVLink domain or host */
    double bw;    /* GB/s of that NIC; 0 without load */
};

/* The figures of an order. */
struct orr_order_figures {
    double bus_bw;                                     /* GB/s; 0 with a layout */
    struct orr_order_load loads[ORR_GROUP_KIND_COUNT]; /* with a layout: the most important kinds first */
    uint32_t load_count;
    uint32_t leaf_changes, domain_changes; /* number of neighbours in the ring of hosts whose leaf switch or domain
                                            * differs, if known */
};

struct orr_order {
    const struct orr_cluster *present; /* the question's */
    struct orr_order_figures now, best;
    bool better;           /* best is better than now by prediction or leaf switches; else it is the present order */
    bool by_prediction;    /* better by prediction */
    const uint32_t *hosts; /* [position]: the host's number in the cluster */
    uint32_t host_count;
    /* [gpu_count]: for hosts with this many GPUs, the present position of each GPU in the new order; NULL if all
     * stay */
    const uint32_t *gpus;
    uint32_t gpu_count;
    enum orr_dimension axes[ORR_DIMENSION_COUNT]; /* with a layout: fastest first */
    bool axes_change;
    uint32_t tried, gpus_tried;        /* orders of hosts and axes; of GPUs, with the best order of hosts */
    uint32_t orders;                   /* distinct orders of hosts and axes; 0 if more than were tried */
    bool proven;                       /* no order of hosts and axes is better with this order of GPUs */
    double bound;                      /* GB/s that no order of hosts and GPUs exceeds; 0 if unknown */
    uint32_t least_leaf_changes;       /* least number of leaf changes that any order can have */
    char sentence[ORR_ORDER_SENTENCE]; /* what to do, and what it gains */
    char proof[ORR_ORDER_SENTENCE];    /* what was tried, and whether that proves that the order is best */
    struct orr_arena *arena;           /* owns all of it, this structure included */
};

/* The caller frees *ret_order: orr_order_free(). Errors are those of orr_expectation_new() and orr_groups_analyze() for
 * the present order; another order that cannot be analysed is skipped. The answer depends only on the question. */
enum orr_code orr_order_find(const struct orr_order_question *question, struct orr_order **ret_order,
                             struct orr_error *err) ORR_NO_DISCARD;
void orr_order_free(struct orr_order *order);
ORR_FREED_BY(orr_order, orr_order_free)

/* The place of a rank in the order. */
struct orr_order_place {
    uint32_t host; /* its number in the cluster */
    uint32_t gpu;  /* its number in the host's dump (by `rank`, from 0) */
};
/* places[present->rank_count] */
void orr_order_places(const struct orr_order *order, struct orr_order_place *places);

/* formats.c: a list of words. "json" is written by api, "text" by engine/report. */
enum { ORR_ORDER_JSON, ORR_ORDER_TEXT };
const char *orr_order_format_name(size_t i);
/* Appends the other changes: the order of the axes, and the GPUs of the hosts whose ranks move. mark begins each
 * line. */
enum orr_code orr_order_notes(const struct orr_order *order, const char *const *names, const char *mark,
                              struct orr_text *text, struct orr_error *err) ORR_NO_DISCARD;
/* Appends the order in a launcher's format. names: [host], as launchers know them; leaves: those of the question.
 * INVALID if the format cannot express the order. */
enum orr_code orr_order_write(const struct orr_order *order, size_t format, const char *const *names,
                              const char *const *leaves, struct orr_text *text, struct orr_error *err) ORR_NO_DISCARD;

#endif
