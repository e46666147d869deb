/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the matrices of p2pBandwidthLatencyTest, and keeps the pair of GPUs that P2P serves worst, and the fastest one:
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
 * Here P2P from GPU 1 to GPU 0 reaches 2.12 GB/s, and copies through host memory reach 12.99. */
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
    if (rate > rates->fastest) {
        rates->fastest = rate;
        rates->fastest_line = number;
    }
    if (through_host <= 0 || (rates->line && rate / through_host >= rates->on / rates->off))
        return;
    *rates = (struct orr_log_peer_rates){.on = rate,
                                         .off = through_host,
                                         .from = from,
                                         .to = to,
                                         .line = number,
                                         .fastest = rates->fastest,
                                         .fastest_line = rates->fastest_line};
}

/* "     1   2.12 672.33": the number of a GPU and its rates to all GPUs. */
static bool take_row(struct orr_log_building *b, const char *line, uint32_t number)
{
    char *end;
    const long from = strtol(line, &end, 10);
    if (end == line || from < 0 || from >= ORR_LOG_MATRIX || (*end != ' ' && *end != '\t'))
        return false;
    for (int to = 0; to < ORR_LOG_MATRIX; to++) {
        const char *at = end;
        const double rate = strtod(at, &end);
        if (end == at)
            break;
        if (to != from && rate > 0)
            take_rate(b, (int)from, to, rate, number);
    }
    return true;
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
        return true;
    }
    if (b->matrix == ORR_LOG_MATRIX_NONE)
        return false;
    if (strstr(line, "D\\D") || take_row(b, line, number))
        return true;
    b->matrix = ORR_LOG_MATRIX_NONE;
    return false;
}
