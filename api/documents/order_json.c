/* SPDX-License-Identifier: Apache-2.0 */
/* An order of hosts and ranks, as JSON. */
#include <stdlib.h>

#include "api/documents/json.h"
#include "engine/order/order.h"

static json_t *figures_json(struct orr_json *json, const struct orr_order_question *question,
                            const struct orr_order_figures *figures)
{
    json_t *loads = orr_json_array(json);
    for (uint32_t k = 0; k < figures->load_count; k++) {
        const struct orr_order_load *load = &figures->loads[k];
        orr_json_add(json, loads,
                     ORR_OBJECT(json, TEXT("groups", orr_group_kind_name(load->kind)), NUMBER("rings", load->rings),
                                VALUE("nic_bw", load->bw > 0 ? orr_json_number(json, load->bw) : json_null())));
    }
    if (!question->layout)
        json_decref(loads);
    return ORR_OBJECT(
        json,
        VALUE("busbw", !question->layout && figures->bus_bw > 0 ? orr_json_number(json, figures->bus_bw) : json_null()),
        VALUE("loads", question->layout ? loads : json_null()),
        VALUE("switch_changes", question->leaves ? orr_json_int(json, figures->leaf_changes) : json_null()),
        INT("domain_changes", figures->domain_changes));
}

/* The hosts in their new order, with the ranks and GPUs of each. */
static json_t *hosts_json(struct orr_json *json, const struct orr_order_question *question,
                          const struct orr_order *order, const char *const *names)
{
    const struct orr_cluster *c = order->present;
    json_t *array = orr_json_array(json), **ranks = calloc(c->host_count, sizeof(json_t *));
    json_t **gpus = calloc(c->host_count, sizeof(json_t *));
    struct orr_order_place *places = calloc(c->rank_count, sizeof *places);
    json->failed = json->failed || !ranks || !gpus || !places;
    if (!json->failed) {
        orr_order_places(order, places);
        for (uint32_t h = 0; h < c->host_count; h++) {
            ranks[h] = orr_json_array(json);
            gpus[h] = orr_json_array(json);
        }
        for (uint32_t r = 0; r < c->rank_count; r++) {
            orr_json_add(json, ranks[places[r].host], orr_json_int(json, r));
            orr_json_add(json, gpus[places[r].host], orr_json_int(json, places[r].gpu));
        }
        for (uint32_t i = 0; i < order->host_count; i++) {
            const uint32_t h = order->hosts[i], line = c->hosts[h].line;
            orr_json_add(json, array,
                         ORR_OBJECT(json, TEXT("name", names[h]), INT("host", h), TEXT("domain", c->lines[line].domain),
                                    TEXT("switch", question->leaves ? question->leaves[line] : NULL),
                                    VALUE("ranks", ranks[h]), VALUE("gpus", gpus[h])));
        }
    }
    free(ranks);
    free(gpus);
    free(places);
    return array;
}

static json_t *search_json(struct orr_json *json, const struct orr_order *order)
{
    return ORR_OBJECT(
        json, VALUE("orders", order->orders ? orr_json_int(json, order->orders) : json_null()),
        INT("tried", order->tried), INT("gpu_orders_tried", order->gpus_tried), BOOL("proven", order->proven),
        VALUE("bound", !order->proven && order->bound > 0 ? orr_json_number(json, order->bound) : json_null()));
}

static json_t *assumed_json(struct orr_json *json, uint32_t made_up)
{
    json_t *array = orr_json_array(json);
    if (made_up)
        orr_json_add(json, array,
                     orr_json_format(json,
                                     "Nothing names %u of the hosts; host-0, host-1, ... are their numbers in the "
                                     "cluster. Give `names` in the cluster file.",
                                     made_up));
    orr_json_add(json, array,
                 orr_json_text(json, "Each host keeps its ranks together; NCCL's model does not know leaf switches and "
                                     "other jobs."));
    return array;
}

json_t *orr_order_json(struct orr_json *json, const struct orr_order_question *question, const struct orr_order *order,
                       const char *const *names, uint32_t made_up)
{
    const struct orr_settings *settings = &order->present->settings;
    json_t *axes = orr_json_array(json);
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
        orr_json_add(json, axes, orr_json_text(json, orr_dimension_name(order->axes[d])));
    if (!question->layout)
        json_decref(axes);
    return ORR_OBJECT(
        json, TEXT("nccl", settings->release->name), TEXT("sentence", order->sentence), TEXT("proof", order->proof),
        TEXT("objective", question->layout ? "groups" : "busbw"),
        TEXT("collective", question->layout ? NULL : orr_test_programs[question->test].name),
        VALUE("size", question->layout ? json_null() : orr_json_int(json, (int64_t)question->size)),
        TEXT("layout", question->layout), BOOL("better", order->better),
        VALUE("present", figures_json(json, question, &order->now)),
        VALUE("best", figures_json(json, question, &order->best)),
        VALUE("gain",
              order->now.bus_bw > 0 ? orr_json_number(json, order->best.bus_bw / order->now.bus_bw - 1) : json_null()),
        TEXT("ranks", orr_rank_order_name(order->better ? ORR_ORDER_BLOCK : order->present->order)),
        VALUE("axes", question->layout ? axes : json_null()), VALUE("hosts", hosts_json(json, question, order, names)),
        VALUE("search", search_json(json, order)), VALUE("assumed", assumed_json(json, made_up)));
}
