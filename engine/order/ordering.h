/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/order only: one search for an order. */
#ifndef ORR_ORDER_ORDERING_H
#define ORR_ORDER_ORDERING_H

#include "engine/order/order.h"

#define ORR_NO_NUMBER UINT32_MAX

/* Hosts that are interchangeable: of one machine, NVLink domain and leaf switch. */
struct orr_host_class {
    uint32_t line;   /* the first of them */
    uint32_t count;  /* hosts */
    uint32_t domain; /* number of the domain; ORR_NO_NUMBER if there is none */
    uint32_t leaf;   /* likewise */
    uint32_t bare;   /* number of the machine with its leaf, whatever the domain */
};

/* An order that can be tried. */
struct orr_trial {
    uint32_t *hosts;      /* [position]; NULL means the present order of ranks */
    const uint32_t *gpus; /* [gpu_count]; NULL means as they are */
    const char *layout;   /* NULL if there is none */
};

struct orr_ordering {
    const struct orr_order_question *question;
    struct orr_arena *arena; /* of the answer */
    struct orr_arena *scratch;
    const struct orr_cluster *present;
    const uint32_t *line_of_host, *class_of_host; /* [host] */
    struct orr_host_class *classes;
    uint32_t class_count, domain_count, leaf_count;
    /* [domain]: the domain before it with hosts that are the same; ORR_NO_NUMBER if there is none */
    const uint32_t *twin;
    uint32_t host_count, gpu_count; /* gpu_count: of the first host */
    uint64_t cost;                  /* steps of the last analysis, and of the largest */
    uint64_t most_cost;
};

/* classes.c: fills classes, domains and twins. */
enum orr_code orr_ordering_classes(struct orr_ordering *ordering, struct orr_error *err) ORR_NO_DISCARD;
/* Distinct orders of classes one by one: sequence[host_count] is the last one, filled with ORR_NO_NUMBER before the
 * first call. Orders that differ only by equal NVLink domains are one. False: there is no further. */
bool orr_ordering_next(const struct orr_ordering *ordering, uint32_t *sequence, uint32_t *used, uint32_t *seen);
/* The hosts of an order of classes, each class's own in their present order. */
void orr_ordering_hosts(const struct orr_ordering *ordering, const uint32_t *sequence, uint32_t *next, uint32_t *hosts);

/* score.c: what an order gets. ret_valid: false if it cannot be analysed, which for the present order is an error.
 */
enum orr_code orr_ordering_score(struct orr_ordering *ordering, const struct orr_trial *trial, bool *ret_valid,
                                 struct orr_order_figures *ret_figures, struct orr_error *err) ORR_NO_DISCARD;
/* Above 0 if a is better by prediction; below 0 if b is. */
int orr_order_compare(const struct orr_order_figures *a, const struct orr_order_figures *b);
/* The same with leaf switches, then NVLink domains, where predictions are equal. */
int orr_order_compare_all(const struct orr_order_figures *a, const struct orr_order_figures *b);

/* bound.c: what no order can exceed, in GB/s of bus bandwidth; 0 if that is not known, as for layouts. */
enum orr_code orr_ordering_bound(const struct orr_ordering *ordering, double *ret_bound,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* layouts.c: orders of the axes that have a size, the present one first; those of size 1 stay last. */
enum { ORR_MOST_AXES = 24 }; /* orders of four axes */
struct orr_layouts {
    char *texts[ORR_MOST_AXES]; /* as orr_layout_read() reads them */
    enum orr_dimension axes[ORR_MOST_AXES][ORR_DIMENSION_COUNT];
    uint32_t count;
};
enum orr_code orr_list_layouts(struct orr_ordering *ordering, struct orr_layouts *layouts,
                               struct orr_error *err) ORR_NO_DISCARD;

/* order_text.c: the sentences of the answer. */
void orr_order_describe(const struct orr_ordering *ordering, struct orr_order *order);

#endif
