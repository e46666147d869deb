/* SPDX-License-Identifier: Apache-2.0 */
/* The order of a cluster's hosts: every rank has a GPU of its own, no order is worse than the present one, and the
 * order gets what the answer says about it. */
#include <stdlib.h>
#include <string.h>

#include "engine/order/order.h"
#include "tests/property/checks.h"

enum { MOST_RANKS = 64, TRIES = 4, SMALL_HOST = 2, SIZE = 1 << 20 };

static bool check_places(const struct orr_order *order, const struct orr_order_place *places, struct orr_error *err)
{
    const struct orr_cluster *c = order->present;
    for (uint32_t r = 0; r < c->rank_count; r++) {
        if (places[r].host >= c->host_count)
            return WRONG(err, "rank %u on host %u of %u", r, places[r].host, c->host_count);
        for (uint32_t s = 0; s < r; s++)
            if (places[s].host == places[r].host && places[s].gpu == places[r].gpu)
                return WRONG(err, "ranks %u and %u share GPU %u of host %u", s, r, places[r].gpu, places[r].host);
    }
    return true;
}

/* The order as a cluster of its own, from the places of the ranks alone. */
static bool check_figure(const struct orr_order *order, const struct orr_order_place *places, enum orr_test test,
                         struct orr_error *err)
{
    const struct orr_cluster *c = order->present;
    struct orr_cluster_line *lines = calloc(c->host_count, sizeof *lines);
    uint32_t *gpus = calloc(c->rank_count, sizeof *gpus), *host_of_rank = calloc(c->rank_count, sizeof *host_of_rank);
    ORR_LOCAL(orr_cluster, again);
    struct orr_expectation *expectation = NULL;
    struct orr_expected expected = {0};
    struct orr_error why = {0};
    bool good = lines && gpus && host_of_rank;
    for (uint32_t h = 0, at = 0; good && h < c->host_count; h++) {
        const uint32_t host = order->hosts[h];
        lines[h] = c->lines[c->hosts[host].line];
        lines[h].count = 1;
        lines[h].gpus = gpus + at;
        lines[h].gpu_count = c->hosts[host].rank_count;
        for (uint32_t r = 0; r < c->rank_count; r++)
            if (places[r].host == host) {
                host_of_rank[r] = h;
                gpus[at++] = places[r].gpu;
            }
    }
    const struct orr_cluster_request request = {.lines = lines,
                                                .line_count = c->host_count,
                                                .order = ORR_ORDER_LIST,
                                                .host_of_rank = host_of_rank,
                                                .listed_ranks = c->rank_count,
                                                .settings = c->settings,
                                                .plan = true};
    /* INVALID if GPUs named one by one are combined, which may fail for a dump that is treated as it is if none is
     * named
     */
    const enum orr_code code = good ? orr_cluster_analyze(&request, &again, &why) : ORR_NOMEM;
    if (code != ORR_OK && code != ORR_INVALID)
        good = WRONG(err, "the order cannot be analysed: %s", why.text);
    if (code == ORR_OK && orr_expectation_new(again->analysis, test, &expectation, &why) != ORR_OK)
        good = WRONG(err, "the order has no prediction: %s", why.text);
    if (expectation)
        (void)orr_expect(expectation, SIZE, &expected);
    const double said = order->best.bus_bw, got = expected.bus_bw;
    if (good && expectation && (said > got * (1 + 1e-6) || said < got * (1 - 1e-6)))
        good = WRONG(err, "the order gets %.9g GB/s, not %.9g", got, said);
    orr_expectation_free(expectation);
    free(lines);
    free(gpus);
    free(host_of_rank);
    return good;
}

bool check_order(const struct orr_cluster *c, struct tally *tally, struct orr_error *err)
{
    struct orr_error why = {0};
    ORR_LOCAL(orr_order, order);
    const struct orr_order_question question = {.present = c,
                                                .test = c->rank_count % 2 ? ORR_TEST_ALL_REDUCE : ORR_TEST_SENDRECV,
                                                .size = SIZE,
                                                .tries = TRIES,
                                                .keep_gpus = c->hosts[0].rank_count > SMALL_HOST};
    if (c->rank_count > MOST_RANKS)
        return true;
    const enum orr_code code = orr_order_find(&question, &order, &why);
    if (code != ORR_OK)
        return (code != ORR_INTERNAL && code != ORR_NOMEM) || WRONG(err, "order: %s", why.text);
    struct orr_order_place *places = calloc(c->rank_count, sizeof *places);
    bool good = places != NULL;
    if (good && order->best.bus_bw < order->now.bus_bw)
        good = WRONG(err, "the order gets %.9g GB/s, the present one %.9g", order->best.bus_bw, order->now.bus_bw);
    if (good) {
        orr_order_places(order, places);
        good = check_places(order, places, err) && check_figure(order, places, question.test, err);
    }
    tally->orders++;
    free(places);
    return good;
}
