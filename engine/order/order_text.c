/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the sentences of an answer: what to do, what it gains, and what was tried. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/order/ordering.h"

static void add_words(char *text, const char *format, ...) ORR_PRINTF(2, 3);
static void add_words(char *text, const char *format, ...)
{
    const size_t used = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + used, ORR_ORDER_SENTENCE - used, format, args);
    va_end(args);
}

static const char *number(char text[24], double value)
{
    snprintf(text, 24, value >= 99.95 ? "%.0f" : value >= 9.995 ? "%.1f" : "%.3g", value);
    return text;
}

/* "all_reduce at 1 GiB" */
static const char *what_is_predicted(const struct orr_ordering *o, char text[64])
{
    char size[ORR_SIZE_TEXT];
    orr_size_text(o->question->size, size);
    snprintf(text, 64, "%s at %s", orr_test_programs[o->question->test].name, size);
    return text;
}

/* "1 ring", but "0.25 rings" and "0 rings". */
static const char *ring_word(double rings)
{
    return rings < 1 || rings > 1 ? "rings" : "ring";
}

static bool differs(const struct orr_order_load *a, const struct orr_order_load *b)
{
    return a->rings < b->rings || b->rings < a->rings || a->bw < b->bw || b->bw < a->bw;
}

/* "0 rings of tp groups instead of 0.25, and 0.5 of dp groups instead of 0" */
static void add_loads(const struct orr_order *order, char *text)
{
    char before[24], after[24];
    uint32_t count = 0;
    for (uint32_t k = 0; k < order->now.load_count; k++) {
        const struct orr_order_load *now = &order->now.loads[k], *best = &order->best.loads[k];
        if (!differs(now, best))
            continue;
        add_words(text, "%s%s", count ? ", and " : "", number(after, best->rings));
        if (!count++)
            add_words(text, " %s", ring_word(best->rings));
        add_words(text, " of %s groups instead of %s", orr_group_kind_name(now->kind), number(before, now->rings));
    }
}

/* "25 % more than" or "3.2 times" */
static void add_gain(double share, char *text)
{
    if (share < 3)
        add_words(text, "%.3g %% more than", 100 * (share - 1));
    else
        add_words(text, "%.3g times", share);
}

static void describe_better(const struct orr_ordering *o, struct orr_order *order)
{
    char before[24], after[24], what[64];
    char *text = order->sentence;
    const double now = order->now.bus_bw, best = order->best.bus_bw;
    if (order->by_prediction && o->question->layout) {
        add_words(text, "With this order the busiest NIC carries ");
        add_loads(order, text);
        add_words(text, ".");
    } else if (order->by_prediction && now > 0) {
        add_words(text, "This order gets %s GB/s for %s, ", number(after, best), what_is_predicted(o, what));
        add_gain(best / now, text);
        add_words(text, " the present order (%s GB/s).", number(before, now));
    } else if (order->by_prediction) {
        add_words(text, "This order gets %s GB/s for %s; NCCL has no algorithm for it in the present order.",
                  number(after, best), what_is_predicted(o, what));
    } else {
        add_words(
            text,
            "The prediction stays the same, but the ring of hosts changes the leaf switch %u times instead of %u.",
            order->best.leaf_changes, order->now.leaf_changes);
        return;
    }
    if (order->best.leaf_changes != order->now.leaf_changes)
        add_words(text, " The ring of hosts changes the leaf switch %u times instead of %u.", order->best.leaf_changes,
                  order->now.leaf_changes);
}

static void describe_same(const struct orr_ordering *o, struct orr_order *order)
{
    char figure[24], what[64];
    char *text = order->sentence;
    add_words(text, order->proven ? "The present order of hosts is as good as any"
                                  : "No order that was tried is better than the present one");
    if (!o->question->layout) {
        add_words(text, ": %s GB/s for %s.", number(figure, order->now.bus_bw), what_is_predicted(o, what));
        return;
    }
    add_words(text, ": the busiest NIC carries");
    for (uint32_t k = 0; k < order->now.load_count; k++)
        add_words(text, "%s %s %s of %s groups", k ? "," : "", number(figure, order->now.loads[k].rings),
                  ring_word(order->now.loads[k].rings), orr_group_kind_name(order->now.loads[k].kind));
    add_words(text, order->now.load_count ? "." : " nothing.");
}

/* Whether no order can have less load: no group of any kind leaves its NVLink domain or host. */
static bool nothing_left(const struct orr_order *order)
{
    bool load = false;
    for (uint32_t k = 0; k < order->best.load_count; k++)
        load = load || order->best.loads[k].rings > 0;
    return order->best.load_count && !load;
}

/* The groups that no order can improve: those that already load no NIC, up to the first kind that does. */
static void add_least(const struct orr_order *order, char *text)
{
    uint32_t free = 0;
    while (free < order->best.load_count && order->best.loads[free].rings <= 0)
        free++;
    for (uint32_t k = 0; k < free; k++)
        add_words(text, k == 0 ? " No order can load a NIC less with %s" : " or %s",
                  orr_group_kind_name(order->best.loads[k].kind));
    add_words(text, free ? " groups." : "");
}

static void describe_proof(const struct orr_ordering *o, struct orr_order *order)
{
    char *text = order->proof, figure[24];
    const char *of = o->question->layout ? "hosts and axes" : "hosts";
    if (order->orders == 1)
        add_words(text, "The hosts are interchangeable, so there is only one order of them.");
    else if (order->orders)
        add_words(text, "All %u distinct orders of %s were tried, with the ranks of each host kept together.",
                  order->orders, of);
    else if (nothing_left(order))
        add_words(text, "No group leaves its NVLink domain or host, so no order can be better.");
    else
        add_words(text, "%u orders of %s were tried; there are more, and one of them may be better.", order->tried, of);
    if (!order->proven)
        add_least(order, text);
    if (!order->proven && order->bound > 0)
        add_words(text, " None gets more than %s GB/s, by the bandwidth of links.", number(figure, order->bound));
    if (order->gpus_tried)
        add_words(text, " With the best of them, %u further %s of the GPUs within hosts %s tried%s.", order->gpus_tried,
                  order->gpus_tried == 1 ? "order" : "orders", order->gpus_tried == 1 ? "was" : "were",
                  order->gpus ? "" : "; none is better");
    if (o->leaf_count > 1)
        add_words(text, " No order changes the leaf switch fewer than %u times.", order->least_leaf_changes);
}

void orr_order_describe(const struct orr_ordering *o, struct orr_order *order)
{
    order->proven = order->orders || nothing_left(order);
    if (order->better)
        describe_better(o, order);
    else
        describe_same(o, order);
    describe_proof(o, order);
}

void orr_order_places(const struct orr_order *order, struct orr_order_place *places)
{
    const struct orr_cluster *c = order->present;
    uint32_t rank = 0;
    for (uint32_t i = 0; i < order->host_count; i++) {
        const struct orr_cluster_host *host = &c->hosts[order->hosts[i]];
        const struct orr_cluster_line *line = &c->lines[host->line];
        for (uint32_t g = 0; g < host->rank_count; g++) {
            const uint32_t gpu = order->gpus && host->rank_count == order->gpu_count ? order->gpus[g] : g;
            const uint32_t at = order->better ? rank++ : (uint32_t)host->ranks[g];
            places[at] = (struct orr_order_place){order->hosts[i], line->gpus ? line->gpus[gpu] : gpu};
        }
    }
}
