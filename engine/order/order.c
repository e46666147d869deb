/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/order/order.h"

#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/hash.h"
#include "engine/base/sorting.h"
#include "engine/order/ordering.h"

enum {
    MOST_STEPS = 40000000, /* search steps of all analyses together: a few seconds */
    LEAST_TRIES = 8,
    MOST_GPU_TRIES = 48,
    MOST_ENUMERATED = 4000000, /* limit of hosts times classes up to which distinct orders are listed */
    SMALL_HOST = 4             /* up to this many GPUs, all orders are tried */
};

/* A search: the best order so far, and the orders that were tried. */
struct hunt {
    struct orr_ordering *ordering;
    struct orr_order *order;
    struct orr_trial best; /* hosts is NULL while the present order is the best */
    uint32_t tries;        /* orders of hosts that may be tried */
    uint64_t *tried;       /* [order->tried]: hashes of host orders and layouts */
};

static uint32_t allowed(const struct orr_ordering *o, uint32_t wanted, uint32_t least)
{
    const uint64_t most = MOST_STEPS / (o->most_cost + 1);
    return most < least ? least : most < wanted ? (uint32_t)most : wanted;
}

/* Tries an order, and keeps it if it is better. */
static enum orr_code try_one(struct hunt *hunt, const struct orr_trial *trial, bool *ret_better, struct orr_error *err)
{
    struct orr_ordering *o = hunt->ordering;
    struct orr_order_figures figures;
    bool valid;
    *ret_better = false;
    ORR_TRY(orr_ordering_score(o, trial, &valid, &figures, err));
    if (!valid || orr_order_compare_all(&figures, &hunt->order->best) <= 0)
        return ORR_OK;
    uint32_t *hosts = hunt->best.hosts ? hunt->best.hosts : ORR_NEW(o->arena, uint32_t, o->host_count);
    ORR_NEED(hosts, err);
    memmove(hosts, trial->hosts, o->host_count * sizeof *hosts);
    hunt->best = *trial;
    hunt->best.hosts = hosts;
    hunt->order->best = figures;
    *ret_better = true;
    return ORR_OK;
}

/* Tries an order of hosts unless it was tried before, as long as the limits allow. */
static enum orr_code try_hosts(struct hunt *hunt, uint32_t *hosts, const char *layout, bool *ret_better,
                               struct orr_error *err)
{
    struct orr_ordering *o = hunt->ordering;
    const struct orr_trial trial = {.hosts = hosts, .layout = layout};
    uint64_t hash = ORR_HASH_START;
    *ret_better = false;
    for (uint32_t i = 0; i < o->host_count; i++)
        hash = orr_hash_number(hash, o->class_of_host[hosts[i]]);
    if (layout)
        hash = orr_hash_text(hash, layout);
    for (uint32_t i = 0; i < hunt->order->tried; i++)
        if (hunt->tried[i] == hash)
            return ORR_OK;
    if (hunt->order->tried == hunt->tries)
        return ORR_OK;
    hunt->tried[hunt->order->tried++] = hash;
    return try_one(hunt, &trial, ret_better, err);
}

/* Tries every distinct order of hosts, if there are few enough. */
static enum orr_code try_all(struct hunt *hunt, const struct orr_layouts *layouts, bool *ret_complete,
                             struct orr_error *err)
{
    struct orr_ordering *o = hunt->ordering;
    const uint32_t layout_count = layouts->count ? layouts->count : 1;
    uint32_t *sequence = ORR_NEW(o->scratch, uint32_t, o->host_count);
    uint32_t *hosts = ORR_NEW(o->scratch, uint32_t, o->host_count);
    uint32_t *used = ORR_NEW(o->scratch, uint32_t, o->class_count),
             *next = ORR_NEW(o->scratch, uint32_t, o->class_count);
    uint32_t *seen = ORR_NEW(o->scratch, uint32_t, o->domain_count);
    uint32_t count = 0;
    bool better;
    *ret_complete = false;
    if ((uint64_t)o->host_count * o->class_count > MOST_ENUMERATED)
        return ORR_OK;
    ORR_NEED(sequence && hosts && used && next && seen, err);
    sequence[0] = ORR_NO_NUMBER;
    while (count * layout_count <= hunt->tries && orr_ordering_next(o, sequence, used, seen))
        count++;
    if (count * layout_count > hunt->tries)
        return ORR_OK;
    hunt->order->orders = count * layout_count;
    for (uint32_t l = 0; l < layout_count; l++) {
        memset(used, 0, o->class_count * sizeof *used);
        memset(seen, 0, o->domain_count * sizeof *seen);
        sequence[0] = ORR_NO_NUMBER;
        while (orr_ordering_next(o, sequence, used, seen)) {
            orr_ordering_hosts(o, sequence, next, hosts);
            const struct orr_trial trial = {.hosts = hosts, .layout = layouts->texts[l]};
            hunt->order->tried++;
            ORR_TRY(try_one(hunt, &trial, &better, err));
        }
    }
    *ret_complete = true;
    return ORR_OK;
}

/* Numbers by which hosts are sorted: unknown comes last. */
enum key { BY_DOMAIN, BY_LEAF, BY_MACHINE, BY_CLASS, KEY_COUNT };

static uint32_t key_of(const struct orr_ordering *o, uint32_t host, enum key key)
{
    const uint32_t class = o->class_of_host[host];
    const struct orr_host_class *c = &o->classes[class];
    const uint32_t keys[KEY_COUNT] = {
        [BY_DOMAIN] = c->domain, [BY_LEAF] = c->leaf, [BY_MACHINE] = c->bare, [BY_CLASS] = class};
    return keys[key];
}

/* A stable sort by two keys, then by class. */
static void sort_hosts(const struct orr_ordering *o, enum key first, enum key second, uint32_t *room, uint32_t *hosts)
{
    const enum key keys[] = {BY_CLASS, second, first};
    for (uint32_t h = 0; h < o->host_count; h++)
        hosts[h] = h;
    for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++)
        for (uint32_t width = 1; width < o->host_count; width *= 2) { /* merge sort, bottom up */
            for (uint32_t low = 0; low < o->host_count; low += 2 * width) {
                const uint32_t middle = low + width < o->host_count ? low + width : o->host_count;
                const uint32_t high = middle + width < o->host_count ? middle + width : o->host_count;
                for (uint32_t a = low, b = middle, i = low; i < high; i++)
                    room[i] = b == high || (a < middle && key_of(o, hosts[a], keys[k]) <= key_of(o, hosts[b], keys[k]))
                                  ? hosts[a++]
                                  : hosts[b++];
            }
            memcpy(hosts, room, o->host_count * sizeof *hosts);
        }
}

/* Moves the first host of a class to the front: rank 0's host decides a few figures for all. */
static void lead_with(const struct orr_ordering *o, uint32_t class, uint32_t *hosts)
{
    uint32_t at = 0;
    while (o->class_of_host[hosts[at]] != class)
        at++;
    const uint32_t host = hosts[at];
    memmove(hosts + 1, hosts, at * sizeof *hosts);
    hosts[0] = host;
}

/* Tries orders that keep hosts of a domain, leaf switch or machine together, for each order of the axes. */
static enum orr_code try_grouped(struct hunt *hunt, const struct orr_layouts *layouts, uint32_t *room, uint32_t *hosts,
                                 struct orr_error *err)
{
    static const enum key keys[][2] = {{BY_DOMAIN, BY_LEAF},    {BY_LEAF, BY_DOMAIN},  {BY_MACHINE, BY_DOMAIN},
                                       {BY_DOMAIN, BY_MACHINE}, {BY_LEAF, BY_MACHINE}, {BY_CLASS, BY_CLASS}};
    enum { MOST_LEADERS = 8 };
    const struct orr_ordering *o = hunt->ordering;
    const uint32_t layout_count = layouts->count ? layouts->count : 1;
    bool better;
    for (uint32_t l = 0; l < layout_count; l++)
        for (size_t k = 0; k < sizeof keys / sizeof keys[0]; k++) {
            sort_hosts(o, keys[k][0], keys[k][1], room, hosts);
            ORR_TRY(try_hosts(hunt, hosts, layouts->texts[l], &better, err));
        }
    for (uint32_t c = 0; c < o->class_count && c < MOST_LEADERS; c++) {
        sort_hosts(o, BY_DOMAIN, BY_LEAF, room, hosts);
        lead_with(o, c, hosts);
        ORR_TRY(try_hosts(hunt, hosts, layouts->texts[0], &better, err));
    }
    return ORR_OK;
}

/* Exchanges two hosts in the best order, as long as that helps and the limits allow. */
static enum orr_code exchange_hosts(struct hunt *hunt, const struct orr_layouts *layouts, uint32_t *hosts,
                                    struct orr_error *err)
{
    const struct orr_ordering *o = hunt->ordering;
    for (bool helped = true; helped;) {
        const char *layout = hunt->best.hosts ? hunt->best.layout : layouts->texts[0];
        helped = false;
        for (uint32_t h = 0; h < o->host_count; h++)
            hosts[h] = hunt->best.hosts ? hunt->best.hosts[h] : h;
        for (uint32_t i = 0; i < o->host_count && !helped; i++)
            for (uint32_t k = i + 1; k < o->host_count && !helped && hunt->order->tried < hunt->tries; k++) {
                if (orr_budget_spent(1))
                    return orr_budget_check(err);
                if (o->class_of_host[hosts[i]] == o->class_of_host[hosts[k]])
                    continue;
                const uint32_t one = hosts[i], other = hosts[k];
                hosts[i] = other;
                hosts[k] = one;
                ORR_TRY(try_hosts(hunt, hosts, layout, &helped, err));
                hosts[i] = one;
                hosts[k] = other;
            }
    }
    return ORR_OK;
}

static enum orr_code order_hosts(struct hunt *hunt, const struct orr_layouts *layouts, struct orr_error *err)
{
    struct orr_ordering *o = hunt->ordering;
    uint32_t *hosts = ORR_NEW(o->scratch, uint32_t, o->host_count),
             *room = ORR_NEW(o->scratch, uint32_t, o->host_count);
    const uint32_t wanted = o->question->tries ? o->question->tries : ORR_ORDER_TRIES;
    bool complete;
    hunt->tries = o->question->tries ? wanted : allowed(o, wanted, LEAST_TRIES);
    hunt->tried = ORR_NEW(o->scratch, uint64_t, hunt->tries);
    ORR_NEED(hosts && room && hunt->tried, err);
    ORR_TRY(try_all(hunt, layouts, &complete, err));
    if (complete)
        return ORR_OK;
    ORR_TRY(try_grouped(hunt, layouts, room, hosts, err));
    return exchange_hosts(hunt, layouts, hosts, err);
}

/* Tries the best order of hosts with another order of GPUs. */
static enum orr_code try_gpus(struct hunt *hunt, uint32_t *hosts, uint32_t *gpus, bool *ret_better,
                              struct orr_error *err)
{
    struct orr_ordering *o = hunt->ordering;
    struct orr_trial trial = {.hosts = hosts, .gpus = gpus, .layout = hunt->best.layout};
    hunt->order->gpus_tried++;
    ORR_TRY(try_one(hunt, &trial, ret_better, err));
    if (!*ret_better)
        return ORR_OK;
    uint32_t *kept = ORR_NEW(o->arena, uint32_t, o->gpu_count);
    ORR_NEED(kept, err);
    memcpy(kept, gpus, o->gpu_count * sizeof *kept);
    hunt->best.gpus = kept;
    return ORR_OK;
}

ORR_NEXT_ORDER(next_order, uint32_t)

/* Tries orders of GPUs within the hosts, with the best order of hosts: all orders on small hosts; otherwise the order
 * of a channel of the ring, then exchanges of two. */
static enum orr_code order_gpus(struct hunt *hunt, struct orr_error *err)
{
    struct orr_ordering *o = hunt->ordering;
    const uint32_t count = o->gpu_count, most = allowed(o, MOST_GPU_TRIES, LEAST_TRIES);
    uint32_t *gpus = ORR_NEW(o->scratch, uint32_t, count), *hosts = ORR_NEW(o->scratch, uint32_t, o->host_count);
    bool helped;
    ORR_NEED(gpus && hosts, err);
    for (uint32_t h = 0; h < o->host_count; h++)
        hosts[h] = hunt->best.hosts ? hunt->best.hosts[h] : h;
    for (uint32_t g = 0; g < count; g++)
        gpus[g] = g;
    if (count <= SMALL_HOST) {
        while (next_order(gpus, count) && hunt->order->gpus_tried < most)
            ORR_TRY(try_gpus(hunt, hosts, gpus, &helped, err));
        return ORR_OK;
    }
    const struct orr_graph *ring = &o->present->analysis->parts[0].contribution.graphs[ORR_GRAPH_RING];
    if (ring->channels > 0 && ring->gpu_count == count && o->present->systems[0].host_count == 1) {
        for (uint32_t g = 0; g < count; g++)
            gpus[g] = (uint32_t)ring->gpus[g];
        ORR_TRY(try_gpus(hunt, hosts, gpus, &helped, err));
    }
    for (helped = true; helped;) {
        helped = false;
        for (uint32_t g = 0; g < count; g++)
            gpus[g] = hunt->best.gpus ? hunt->best.gpus[g] : g;
        for (uint32_t i = 0; i < count && !helped; i++)
            for (uint32_t k = i + 1; k < count && !helped && hunt->order->gpus_tried < most; k++) {
                const uint32_t one = gpus[i], other = gpus[k];
                gpus[i] = other;
                gpus[k] = one;
                ORR_TRY(try_gpus(hunt, hosts, gpus, &helped, err));
                gpus[i] = one;
                gpus[k] = other;
            }
    }
    return ORR_OK;
}

/* Copies the result into the answer, or the present order if no other is better. */
static enum orr_code conclude(struct hunt *hunt, const struct orr_layouts *layouts, struct orr_error *err)
{
    struct orr_ordering *o = hunt->ordering;
    struct orr_order *order = hunt->order;
    order->by_prediction = orr_order_compare(&order->best, &order->now) > 0;
    order->better = order->by_prediction || order->best.leaf_changes < order->now.leaf_changes;
    if (!order->better) {
        order->best = order->now;
        hunt->best = (struct orr_trial){0};
    }
    order->host_count = o->host_count;
    order->gpus = hunt->best.gpus;
    order->gpu_count = hunt->best.gpus ? o->gpu_count : 0;
    order->least_leaf_changes = o->leaf_count > 1 ? o->leaf_count : 0;
    for (uint32_t l = 0; l < layouts->count; l++)
        if (l == 0 || (hunt->best.layout && !strcmp(hunt->best.layout, layouts->texts[l]))) {
            memcpy(order->axes, layouts->axes[l], sizeof order->axes);
            order->axes_change = l > 0;
        }
    uint32_t *hosts = hunt->best.hosts ? hunt->best.hosts : ORR_NEW(o->arena, uint32_t, o->host_count);
    ORR_NEED(hosts, err);
    for (uint32_t h = 0; h < o->host_count && !hunt->best.hosts; h++)
        hosts[h] = h;
    order->hosts = hosts;
    orr_order_describe(o, order);
    return ORR_OK;
}

static enum orr_code find_order(struct orr_ordering *o, struct orr_order *order, struct orr_error *err)
{
    struct hunt hunt = {.ordering = o, .order = order};
    struct orr_layouts layouts = {.count = 0};
    bool valid;
    o->present = order->present = o->question->present;
    ORR_TRY(orr_ordering_classes(o, err));
    if (o->question->layout)
        ORR_TRY(orr_list_layouts(o, &layouts, err));
    const struct orr_trial present = {.layout = layouts.texts[0]};
    ORR_TRY(orr_ordering_score(o, &present, &valid, &order->now, err));
    order->best = order->now;
    hunt.best = present;
    ORR_TRY(orr_ordering_bound(o, &order->bound, err));
    ORR_TRY(order_hosts(&hunt, &layouts, err));
    if (!o->question->keep_gpus && !o->question->layout && o->gpu_count > 1)
        ORR_TRY(order_gpus(&hunt, err));
    return conclude(&hunt, &layouts, err);
}

enum orr_code orr_order_find(const struct orr_order_question *question, struct orr_order **ret_order,
                             struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, 0);
    ORR_LOCAL_ARENA(scratch, 0);
    struct orr_order *order = ORR_NEW(arena, struct orr_order, 1);
    struct orr_ordering ordering = {.question = question, .arena = arena, .scratch = scratch};
    ORR_NEED(order, err);
    const char *task = orr_budget_task("trying orders of hosts and GPUs");
    enum orr_code code = find_order(&ordering, order, err);
    orr_budget_task(task);
    ORR_TRY(code);
    order->arena = orr_arena_take(&arena);
    *ret_order = order;
    return ORR_OK;
}

void orr_order_free(struct orr_order *order)
{
    if (order)
        orr_arena_free(order->arena);
}
