/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the matrices of p2pBandwidthLatencyTest, and keeps the rates with P2P, the pair of GPUs that P2P serves worst,
 * and the fastest one:
 *
 *      Unidirectional P2P=Disabled Bandwidth Matrix (GB/s)
 *         D\D     0      1
 *           0 673.20  13.15
 *           1  12.99 673.20
 *      Unidirectional P2P=Enabled Bandwidth (P2P Writes) Matrix (GB/s)
 *         D\D     0      1
 *           0 673.49   2.60
 *           1   2.12 672.33
 *
 * Here P2P from GPU 1 to GPU 0 reaches 2.12 GB/s, and copies through host memory reach 12.99. nvbandwidth prints the
 * same with N/A in the diagonal, below "memcpy CE GPU(row) -> GPU(column) bandwidth (GB/s)". */
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"

static void take_rate(struct orr_log_building *b, int from, int to, double rate, uint32_t number)
{
    struct orr_log_peer_rates *rates = &b->log->peer_rates;
    const double through_host = b->rates[from][to];
    if (b->matrix == ORR_LOG_MATRIX_OFF) {
        b->rates[from][to] = rate;
        return;
    }
    if (rates->with) {
        rates->with[from][to] = rate;
        rates->gpus = to >= (int)rates->gpus ? (uint32_t)to + 1 : rates->gpus;
    }
    if (rate > rates->fastest) {
        rates->fastest = rate;
        rates->fastest_line = number;
    }
    if (through_host <= 0 || (rates->line && rate / through_host >= rates->on / rates->off))
        return;
    rates->on = rate;
    rates->off = through_host;
    rates->from = from;
    rates->to = to;
    rates->line = number;
}

/* "     1   2.12 672.33": the number of a GPU and its rates to all GPUs. */
static bool take_row(struct orr_log_building *b, const char *line, uint32_t number)
{
    char *end;
    const long from = strtol(line, &end, 10);
    if (end == line || from < 0 || from >= ORR_PEERS_MOST || (*end != ' ' && *end != '\t'))
        return false;
    for (int to = 0; to < ORR_PEERS_MOST; to++) {
        const char *at = end + strspn(end, " \t");
        const bool none = !strncmp(at, "N/A", 3);
        const double rate = none ? 0 : strtod(at, &end);
        if (none)
            end = strchr(at, 'A') + 1;
        else if (end == at || !memchr(at, '.', (size_t)(end - at)))
            break; /* the numbers of the columns have no point */
        if (to != from && rate > 0)
            take_rate(b, (int)from, to, rate, number);
    }
    return true;
}

/* The first matrix with P2P is kept whole; a second one has the other direction. */
static void keep_matrix(struct orr_log_building *b)
{
    struct orr_log_peer_rates *rates = &b->log->peer_rates;
    if (rates->with || b->matrix != ORR_LOG_MATRIX_ON)
        return;
    rates->with = orr_arena_alloc(b->log->arena, ORR_PEERS_MOST, sizeof *rates->with);
}

bool orr_log_take_peer_rates(struct orr_log_building *b, const char *line, uint32_t number)
{
    static const char begin[] = "directional P2P=";
    const char *heading = strstr(line, begin);
    if (heading) {
        const bool one_way = heading > line + 1 && heading[-1] == 'i' && heading[-2] == 'n';
        b->matrix = !one_way || !strstr(line, "Bandwidth")                    ? ORR_LOG_MATRIX_NONE
                    : strncmp(heading + sizeof begin - 1, "Disabled", 8) == 0 ? ORR_LOG_MATRIX_OFF
                                                                              : ORR_LOG_MATRIX_ON;
        keep_matrix(b);
        return true;
    }
    if (strstr(line, "GPU(row) -> GPU(column) bandwidth") || strstr(line, "GPU(row) <- GPU(column) bandwidth")) {
        b->matrix = ORR_LOG_MATRIX_ON;
        keep_matrix(b);
        return true;
    }
    if (b->matrix == ORR_LOG_MATRIX_NONE)
        return false;
    if (strstr(line, "D\\D") || take_row(b, line, number))
        return true;
    b->matrix = ORR_LOG_MATRIX_NONE;
    return false;
}
