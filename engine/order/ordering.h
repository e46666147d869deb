/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/order only: one search for an order. */
#ifndef ORR_ORDER_ORDERING_H
#define ORR_ORDER_ORDERING_H

#include "engine/order/order.h"

#define ORR_NO_NUMBER UINT32_MAX

/* Interchangeable hosts: they have the same machine, NVLink domain and leaf switch. */
struct orr_host_class {
    uint32_t line;   /* the first of them */
    uint32_t count;  /* hosts */
    uint32_t domain; /* number of the domain; ORR_NO_NUMBER if there is none */
    uint32_t leaf;   /* likewise */
    uint32_t bare;   /* number of the machine and leaf switch, ignoring the domain */
};

/* An order that can be tried. */
struct orr_trial {
    uint32_t *hosts;      /* [position]; NULL means the present order of ranks */
    const uint32_t *gpus; /* [gpu_count]; NULL keeps the present order */
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
    /* [domain]: an earlier domain with equal hosts; ORR_NO_NUMBER if there is none */
    const uint32_t *twin;
    uint32_t host_count, gpu_count; /* gpu_count: of the first host */
    uint64_t cost;                  /* steps of the last analysis, and of the largest */
    uint64_t most_cost;
};

/* classes.c: fills classes, domains and twins. */
enum orr_code orr_ordering_classes(struct orr_ordering *ordering, struct orr_error *err) ORR_NO_DISCARD;
/* Gives the distinct orders of classes one by one. sequence[host_count] is the previous order; fill it with
 * ORR_NO_NUMBER before the first call. Orders that differ only by equal NVLink domains are the same. False if there are
 * no more. */
bool orr_ordering_next(const struct orr_ordering *ordering, uint32_t *sequence, uint32_t *used, uint32_t *seen);
/* The hosts of an order of classes; hosts of one class keep their present order. */
void orr_ordering_hosts(const struct orr_ordering *ordering, const uint32_t *sequence, uint32_t *next, uint32_t *hosts);

/* score.c: the figures of an order. *ret_valid is false if it cannot be analysed, which is an error for the present
 * order. */
enum orr_code orr_ordering_score(struct orr_ordering *ordering, const struct orr_trial *trial, bool *ret_valid,
                                 struct orr_order_figures *ret_figures, struct orr_error *err) ORR_NO_DISCARD;
/* Above 0 if a's prediction is better; below 0 if b's is. */
int orr_order_compare(const struct orr_order_figures *a, const struct orr_order_figures *b);
/* The same, but equal predictions are compared by leaf switches, then NVLink domains. */
int orr_order_compare_all(const struct orr_order_figures *a, const struct orr_order_figures *b);

/* bound.c: the bus bandwidth in GB/s that no order can exceed; 0 if unknown (always for layouts). */
enum orr_code orr_ordering_bound(const struct orr_ordering *ordering, double *ret_bound,
                                 struct orr_error *err) ORR_NO_DISCARD;

/* layouts.c: orders of the axes with a size above 1, the present order first; axes of size 1 stay last. */
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
