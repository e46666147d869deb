/* SPDX-License-Identifier: Apache-2.0 */
/* What the text says about the NICs: their speeds by ibstat or ethtool, and NCCL_IB_HCA with only some of them. */
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/statements.h"
#include "engine/perf/perfing.h"

static const double MBPS = 1000; /* of one Gb/s */

/* What ibstat and its like list. */
struct listed {
    double rate, most; /* Gb/s of at least half of the ports, 0 if there is no such rate, and of the fastest */
    uint32_t line;     /* of the first port with that rate */
    uint32_t count;    /* of ports */
};

static struct listed read_listed(const struct orr_log *log)
{
    enum { PORTS_MOST = 64 };
    double rates[PORTS_MOST];
    uint32_t lines[PORTS_MOST];
    struct listed listed = {0};
    for (uint32_t i = 0; log && i < log->record_count && listed.count < PORTS_MOST; i++) {
        enum orr_log_port_field field;
        const char *device, *text;
        if (!orr_log_port_of(&log->records[i], &field, &device, &text) || field != ORR_PORT_RATE)
            continue;
        rates[listed.count] = strtod(text, NULL);
        listed.most = rates[listed.count] > listed.most ? rates[listed.count] : listed.most;
        lines[listed.count++] = log->records[i].line;
    }
    for (uint32_t i = 0, equal = 0; i < listed.count && !(listed.rate > 0); i++, equal = 0) {
        for (uint32_t k = 0; k < listed.count; k++)
            equal += rates[k] == rates[i];
        if (2 * equal >= listed.count) {
            listed.rate = rates[i];
            listed.line = lines[i];
        }
    }
    return listed;
}

/* Whether no figure is more than some NICs of a speed carry. */
static bool is_within(const struct orr_result_table *measured, double mbps)
{
    static const double SLACK = 1.05, MBPS_OF_GB = 8000;
    for (uint32_t i = 0; i < measured->row_count; i++)
        if (MBPS_OF_GB * measured->rows[i].out.bus_bw > SLACK * mbps)
            return false;
    return true;
}

/* The device whose port a line is about; "DEVICE" if there is none. */
static const char *device_at(const struct orr_log *log, uint32_t line)
{
    enum orr_log_port_field field;
    const char *device, *text;
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].line == line && orr_log_port_of(&log->records[i], &field, &device, &text))
            return device;
    return "DEVICE";
}

bool orr_perf_say_slow_ports(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    const struct orr_result_table *measured = table->measured;
    const struct orr_log *log = work->results->log;
    const uint32_t line = read_listed(log).line;
    if (!table->slow_ports || table->verdict == ORR_PERF_HIGH)
        return false;
    orr_perf_lead(table, orr_arena_text(work->arena,
                                        "The port runs at %g Gb/s (line %u), and line %u names %g Gb/s. If that is the "
                                        "card's speed, its link came up slower: the switch port, the cable or "
                                        "transceiver, or a speed that is enabled at either end does not allow more.",
                                        table->slow_ports / MBPS, line, measured->said_most_line,
                                        measured->said_most_mbps / MBPS));
    orr_perf_lead(table, orr_arena_text(work->arena,
                                        "Check: `mlxlink -d %.40s -m` lists the speeds that the card supports and has "
                                        "enabled, and the cable; compare with the port of the switch.",
                                        device_at(log, line)));
    return true;
}

/* The Gb/s of the interface of the sockets, by a line "Speed: 25000Mb/s" of ethtool, the least of several; 0 if NCCL
 * uses no sockets or no line says it. */
static double socket_speed(const struct orr_log *log, uint32_t *ret_line)
{
    static const char word[] = " speed ";
    double least = 0;
    bool sockets = false;
    for (uint32_t i = 0; log && i < log->record_count; i++)
        sockets |= log->records[i].kind == ORR_LOG_NETWORK && !strncmp(log->records[i].words[0], "Socket", 6);
    for (uint32_t i = 0; sockets && i < log->said_count; i++) {
        const char *at = strstr(log->said[i].words, word);
        if (!at)
            continue;
        char *end;
        const double speed = strtod(at + sizeof word - 1, &end);
        if (speed > 0 && !strncmp(end, "mb s ", 5) && (!(least > 0) || speed / 1000 < least)) {
            least = speed / 1000;
            *ret_line = log->said[i].line;
        }
    }
    return least;
}

uint32_t orr_perf_nic_speed(const struct orr_perf_work *work, struct orr_perf_table *table, uint32_t *nets,
                            uint32_t *ret_line)
{
    const struct orr_result_table *measured = table->measured;
    const struct listed listed = read_listed(work->results->log);
    const double ports = *nets * MBPS * listed.rate;
    const double socket = socket_speed(work->results->log, ret_line);
    const bool slow = !(socket > 0) && listed.rate > 0 && measured->said_most_mbps > MBPS * listed.most;
    if (slow && 2 * listed.count >= *nets && is_within(measured, ports)) {
        table->slow_ports = (uint32_t)(MBPS * listed.rate);
    } else if (measured->said_nic_mbps || !(socket > 0 || listed.rate > 0)) {
        *ret_line = measured->said_nic_line;
        return measured->said_nic_mbps;
    } else if (socket > 0) {
        *nets = 1;
        return (uint32_t)(MBPS * socket);
    }
    *ret_line = listed.line;
    return (uint32_t)(MBPS * listed.rate);
}

bool orr_perf_say_full_interface(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    static const double FULL = 0.8, MOST = 1.02, BITS = 8;
    uint32_t line = 0;
    if (table->analysis->communicator.node_count < 2 || orr_perf_is_of_pairs(table))
        return false;
    const double speed = socket_speed(work->results->log, &line), used = BITS * table->rows[table->main].bus_bw;
    if (!(speed > 0) || used < FULL * speed || used > MOST * speed)
        return false;
    orr_perf_lead(table,
                  orr_arena_text(work->arena,
                                 "The interface is full: %.3g GB/s are %.3g Gb/s of the %g Gb/s that it has (line "
                                 "%u), and NCCL uses sockets. No setting of NCCL gives more.",
                                 used / BITS, used, speed, line));
    orr_perf_lead(table, "Check: `iperf3 -P 8` between the hosts gives as much.");
    orr_perf_lead(table, "Use hosts with faster or RDMA NICs, or keep traffic between the hosts small.");
    return true;
}

void orr_perf_say_named_nics(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    enum { MANY = 4 }; /* GPUs of a host */
    const struct orr_dump *given = table->analysis ? table->analysis->given : NULL;
    const uint32_t hosts = given ? (uint32_t)table->analysis->communicator.node_count : table->measured->hosts;
    const uint32_t gpus = hosts ? table->measured->ranks / hosts : 0;
    uint32_t nics = 0, named = 1;
    for (uint32_t e = 0; given && e < given->element_count; e++)
        nics += given->elements[e].kind == ORR_ELEMENT_NET;
    for (uint32_t i = 0; i < work->check->setting_count; i++) {
        const struct orr_perf_setting *setting = &work->check->settings[i];
        const char *list = setting->value + (setting->value[0] == '=');
        if (strcmp(setting->name, "NCCL_IB_HCA") != 0 || list[0] == '^' || !list[0])
            continue;
        for (const char *comma = list; (comma = strchr(comma, ',')); comma++)
            named++;
        const size_t length = strlen(list);
        const bool driver = !strcmp(list, "mlx5") || !strcmp(list, "mlx4") || list[length - 1] < '0' ||
                            list[length - 1] > '9'; /* the beginning of the names of all NICs */
        const bool prefix = named == 1 && setting->value[0] != '=' && driver;
        if (hosts < 2 || prefix || (given && setting->applied) || (given && named * 2 > nics) ||
            (!given && (named > 1 || gpus < MANY)))
            return;
        if (!given) {
            orr_perf_lead(table, orr_arena_text(
                                     work->arena,
                                     "NCCL_IB_HCA=%.60s (line %u) names 1 NIC for the %u GPUs of each host, so all "
                                     "traffic between hosts goes through it. Name all NICs (`ibstat -l`), or unset it.",
                                     setting->value, setting->line, gpus));
            return;
        }
        orr_perf_lead(
            table,
            orr_arena_text(
                work->arena,
                "NCCL_IB_HCA=%.60s (line %u) names %u NIC%s, and each host has %u. Name all of them, or unset it.",
                setting->value, setting->line, named, orr_plural(named), nics));
        return;
    }
}
