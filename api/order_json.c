/* An order of hosts and ranks, as JSON. */
#include <stdlib.h>

#include "api/json.h"
#include "engine/order/order.h"

static json_t *figures_json(struct orr_json *json, const struct orr_order_question *question,
                            const struct orr_order_figures *figures)
{
    json_t *object = orr_json_object(json), *loads = orr_json_array(json);
    for (uint32_t k = 0; k < figures->load_count; k++) {
        const struct orr_order_load *load = &figures->loads[k];
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "groups", orr_json_text(json, orr_group_kind_name(load->kind)));
        orr_json_set(json, row, "rings", orr_json_number(json, load->rings));
        orr_json_set(json, row, "nic_bw", load->bw > 0 ? orr_json_number(json, load->bw) : json_null());
        orr_json_add(json, loads, row);
    }
    orr_json_set(json, object, "busbw",
                 !question->layout && figures->bus_bw > 0 ? orr_json_number(json, figures->bus_bw) : json_null());
    orr_json_set(json, object, "loads", question->layout ? loads : json_null());
    if (!question->layout)
        json_decref(loads);
    orr_json_set(json, object, "switch_changes",
                 question->leaves ? orr_json_int(json, figures->leaf_changes) : json_null());
    orr_json_set(json, object, "domain_changes", orr_json_int(json, figures->domain_changes));
    return object;
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
            json_t *row = orr_json_object(json);
            orr_json_set(json, row, "name", orr_json_text(json, names[h]));
            orr_json_set(json, row, "host", orr_json_int(json, h));
            orr_json_set(json, row, "domain", orr_json_text(json, c->lines[line].domain));
            orr_json_set(json, row, "switch", orr_json_text(json, question->leaves ? question->leaves[line] : NULL));
            orr_json_set(json, row, "ranks", ranks[h]);
            orr_json_set(json, row, "gpus", gpus[h]);
            orr_json_add(json, array, row);
        }
    }
    free(ranks);
    free(gpus);
    free(places);
    return array;
}

static json_t *search_json(struct orr_json *json, const struct orr_order *order)
{
    json_t *object = orr_json_object(json);
    orr_json_set(json, object, "orders", order->orders ? orr_json_int(json, order->orders) : json_null());
    orr_json_set(json, object, "tried", orr_json_int(json, order->tried));
    orr_json_set(json, object, "gpu_orders_tried", orr_json_int(json, order->gpus_tried));
    orr_json_set(json, object, "proven", orr_json_bool(json, order->proven));
    orr_json_set(json, object, "bound",
                 !order->proven && order->bound > 0 ? orr_json_number(json, order->bound) : json_null());
    return object;
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
    json_t *object = orr_json_object(json), *axes = orr_json_array(json);
    for (int d = 0; d < ORR_DIMENSION_COUNT; d++)
        orr_json_add(json, axes, orr_json_text(json, orr_dimension_name(order->axes[d])));
    orr_json_set(json, object, "nccl", orr_json_text(json, settings->release->name));
    orr_json_set(json, object, "sentence", orr_json_text(json, order->sentence));
    orr_json_set(json, object, "proof", orr_json_text(json, order->proof));
    orr_json_set(json, object, "objective", orr_json_text(json, question->layout ? "groups" : "busbw"));
    orr_json_set(json, object, "collective",
                 orr_json_text(json, question->layout ? NULL : orr_test_programs[question->test].name));
    orr_json_set(json, object, "size", question->layout ? json_null() : orr_json_int(json, (int64_t)question->size));
    orr_json_set(json, object, "layout", orr_json_text(json, question->layout));
    orr_json_set(json, object, "better", orr_json_bool(json, order->better));
    orr_json_set(json, object, "present", figures_json(json, question, &order->now));
    orr_json_set(json, object, "best", figures_json(json, question, &order->best));
    orr_json_set(json, object, "gain",
                 order->now.bus_bw > 0 ? orr_json_number(json, order->best.bus_bw / order->now.bus_bw - 1)
                                       : json_null());
    orr_json_set(json, object, "ranks",
                 orr_json_text(json, orr_rank_order_name(order->better ? ORR_ORDER_BLOCK : order->present->order)));
    orr_json_set(json, object, "axes", question->layout ? axes : json_null());
    if (!question->layout)
        json_decref(axes);
    orr_json_set(json, object, "hosts", hosts_json(json, question, order, names));
    orr_json_set(json, object, "search", search_json(json, order));
    orr_json_set(json, object, "assumed", assumed_json(json, made_up));
    return object;
}
