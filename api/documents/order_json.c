/* SPDX-License-Identifier: Apache-2.0 */
/* An order of hosts and ranks, as JSON. */
#include <stdlib.h>

#include "api/documents/json.h"
#include "engine/order/order.h"
#include "engine/trials/suppositions.h"

static json_t *figures_json(struct orr_json *json, const struct orr_order_question *question,
                            const struct orr_order_figures *figures)
{
    json_t *loads = orr_json_array(json);
    for (uint32_t k = 0; k < figures->load_count; k++) {
        const struct orr_order_load *load = &figures->loads[k];
        orr_json_add(json, loads,
                     ORR_OBJECT(json, ORR_STRING("groups", orr_group_kind_name(load->kind)),
                                ORR_NUMBER("rings", load->rings),
                                ORR_VALUE("nic_bw", load->bw > 0 ? orr_json_number(json, load->bw) : json_null())));
    }
    if (!question->layout)
        json_decref(loads);
    return ORR_OBJECT(
        json,
        ORR_VALUE("busbw",
                  !question->layout && figures->bus_bw > 0 ? orr_json_number(json, figures->bus_bw) : json_null()),
        ORR_VALUE("loads", question->layout ? loads : json_null()),
        ORR_VALUE("switch_changes", question->leaves ? orr_json_int(json, figures->leaf_changes) : json_null()),
        ORR_INT("domain_changes", figures->domain_changes));
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
                         ORR_OBJECT(json, ORR_STRING("name", names[h]), ORR_INT("host", h),
                                    ORR_STRING("domain", c->lines[line].domain),
                                    ORR_STRING("switch", question->leaves ? question->leaves[line] : NULL),
                                    ORR_VALUE("ranks", ranks[h]), ORR_VALUE("gpus", gpus[h])));
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
        json, ORR_VALUE("orders", order->orders ? orr_json_int(json, order->orders) : json_null()),
        ORR_INT("tried", order->tried), ORR_INT("gpu_orders_tried", order->gpus_tried),
        ORR_BOOL("proven", order->proven),
        ORR_VALUE("bound", !order->proven && order->bound > 0 ? orr_json_number(json, order->bound) : json_null()));
}

static json_t *assumed_json(struct orr_json *json, const struct orr_order *order, uint32_t made_up)
{
    json_t *array = orr_json_array(json);
    ORR_LOCAL_TEXT(values, 256);
    orr_supposed_of(order->present->analysis, order->present->member_count > 1, &values);
    if (made_up)
        orr_json_add(json, array,
                     orr_json_format(json,
                                     "Names are missing for %u of the hosts, so host-0, host-1, ... stand for their "
                                     "numbers in the cluster. Give `names` in the cluster file.",
                                     made_up));
    if (values.length)
        orr_json_add(json, array, orr_json_format(json, ORR_RESTS_ON, orr_text_data(&values)));
    orr_json_add(
        json, array,
        orr_json_text(json,
                      "Each host keeps its ranks together; NCCL's model knows neither leaf switches nor other jobs."));
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
        json, ORR_STRING("nccl", settings->release->name), ORR_STRING("sentence", order->sentence),
        ORR_STRING("proof", order->proof), ORR_STRING("objective", question->layout ? "groups" : "busbw"),
        ORR_STRING("collective", question->layout ? NULL : orr_test_programs[question->test].name),
        ORR_VALUE("size", question->layout ? json_null() : orr_json_int(json, (int64_t)question->size)),
        ORR_STRING("layout", question->layout), ORR_BOOL("better", order->better),
        ORR_VALUE("present", figures_json(json, question, &order->now)),
        ORR_VALUE("best", figures_json(json, question, &order->best)),
        ORR_VALUE("gain", order->now.bus_bw > 0 ? orr_json_number(json, order->best.bus_bw / order->now.bus_bw - 1)
                                                : json_null()),
        ORR_STRING("ranks", orr_rank_order_name(order->better ? ORR_ORDER_BLOCK : order->present->order)),
        ORR_VALUE("axes", question->layout ? axes : json_null()),
        ORR_VALUE("hosts", hosts_json(json, question, order, names)), ORR_VALUE("search", search_json(json, order)),
        ORR_VALUE("assumed", assumed_json(json, order, made_up)));
}
