/* SPDX-License-Identifier: Apache-2.0 */
/* Says what a bus bandwidth means if it is not the rate of a link: NVLink SHARP and trees on two hosts send less than
 * the ring that the factor of busbw assumes, and NVLinks carry less data than their line rate, or join only some of the
 * GPUs. */
#include <string.h>

#include "engine/hardware/gpu_models.h"
#include "engine/perf/perfing.h"

enum { TWO_HOSTS = 2 };

void orr_perf_lead(struct orr_perf_table *table, const char *sentence)
{
    for (uint32_t i = 0; i < table->lead_count; i++)
        if (!strcmp(table->leads[i], sentence))
            return;
    if (table->lead_count < ORR_PERF_LEADS && *sentence)
        table->leads[table->lead_count++] = sentence;
}

void orr_perf_lead_first(struct orr_perf_table *table, const char *sentence)
{
    const uint32_t kept = table->lead_count < ORR_PERF_LEADS ? table->lead_count : ORR_PERF_LEADS - 1;
    memmove(&table->leads[1], &table->leads[0], kept * sizeof table->leads[0]);
    table->leads[0] = sentence;
    table->lead_count = kept + 1;
}

/* GB/s of all NICs of a host, if they limit AllReduce on two hosts; else 0. */
static double nics_of_two_hosts(const struct orr_perf_table *table)
{
    return table->test == ORR_TEST_ALL_REDUCE && table->analysis->communicator.node_count == TWO_HOSTS &&
                   table->limit_known && table->limit.what == ORR_BOUND_NICS
               ? table->limit.count * table->limit.bw
               : 0;
}

/* With a tree on two hosts, each byte of the data crosses the network once in each direction. NCCL's model counts less,
 * above all on old GPUs. */
void orr_perf_admit_trees(struct orr_perf_table *table)
{
    static const double SLACK = 1.03; /* NICs carry a little more than NCCL counts */
    const double nics = nics_of_two_hosts(table);
    const double most = SLACK * nics * orr_test_bus_factor(ORR_TEST_ALL_REDUCE, (uint32_t)table->analysis->ranks);
    for (uint32_t i = 0; nics > 0 && i < table->row_count; i++) {
        struct orr_perf_row *row = &table->rows[i];
        if (row->verdict != ORR_PERF_HIGH || row->bus_bw > most || !strstr(row->expected.algorithm_name, "Tree"))
            continue;
        row->high = most;
        row->verdict = ORR_PERF_EXPECTED;
    }
}

bool orr_perf_bridges_assumed(const struct orr_perf_machine *machine, const struct orr_perf_table *table)
{
    const char *name = table->measured->model;
    const struct orr_gpu_model *model = name ? orr_gpu_model_of_name(name) : NULL;
    return model && model->form == ORR_GPU_PCIE && machine->type && !table->measured->said_type &&
           !strcmp(table->machine_source, "guessed") &&
           machine->analysis->communicator.aligned[ORR_GRAPH_RING].type_intra <= ORR_PATH_NVB;
}

static const char *beyond_nics(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    static const double BEYOND = 1.05;
    const struct orr_perf_row *row = &table->rows[table->main];
    const double nics = nics_of_two_hosts(table);
    if (nics <= 0 || row->bus_bw < BEYOND * nics || !strstr(row->expected.algorithm_name, "Tree") ||
        table->verdict == ORR_PERF_HIGH || table->depends.count > 1)
        return "";
    return orr_arena_text(work->arena,
                          "That is more than the %.3g GB/s of each host's NICs, because busbw assumes a ring. On 2 "
                          "hosts a tree sends less over the network: algbw, %.3g GB/s here. NCCL_ALGO=Ring shows the "
                          "rate of the NICs; from 3 hosts on, they limit all algorithms.",
                          nics,
                          row->bus_bw / orr_test_bus_factor(ORR_TEST_ALL_REDUCE, (uint32_t)table->analysis->ranks));
}

static const char *beyond_nvlink(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    const struct orr_perf_row *row = &table->rows[table->main];
    const double ranks = table->analysis->ranks;
    if (table->test != ORR_TEST_ALL_REDUCE || !table->limit_known || table->limit.what != ORR_BOUND_NVLS ||
        strcmp(row->expected.algorithm_name, "NVLS") != 0 || row->bus_bw < table->limit.bw)
        return "";
    return orr_arena_text(work->arena,
                          "That is more than the NVLinks carry, because busbw assumes a ring. With NVLink SHARP (NVLS) "
                          "the switches add and copy the data, so each link carries (n+1)/n of algbw: %.0f GB/s here. "
                          "NCCL_ALGO=Ring shows the rate of the NVLinks, which is about 80 %% of the line rate.",
                          (ranks + 1) / ranks * row->bus_bw /
                              orr_test_bus_factor(ORR_TEST_ALL_REDUCE, (uint32_t)ranks));
}

/* The ring of one host leaves NVLink, although some of its GPUs have it. */
static const char *leaves_nvlink(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    const struct orr_analysis *analysis = table->analysis;
    const struct orr_part *part = &analysis->parts[0];
    const uint32_t first = part->system.first[ORR_GPU], count = orr_system_count(&part->system, ORR_GPU);
    bool joined = false;
    if (analysis->communicator.node_count > 1 || !table->limit_known || table->limit.what == ORR_BOUND_NVLINK ||
        table->limit.what == ORR_BOUND_NVLS ||
        analysis->communicator.aligned[ORR_GRAPH_RING].type_intra <= ORR_PATH_NVB)
        return "";
    for (uint32_t a = 0; a < count; a++)
        for (uint32_t b = 0; b < a; b++)
            joined |= orr_path(&part->paths, first + a, first + b)->type == ORR_PATH_NVL;
    if (!joined)
        return "";
    return orr_arena_text(work->arena,
                          "NVLink joins only some of these %u GPUs with one another, so the ring over all of them also "
                          "crosses PCIe or the CPUs, which limits it to %.3g GB/s. GPUs of one group alone get the "
                          "rate of NVLink: choose them with CUDA_VISIBLE_DEVICES.",
                          count, table->rows[table->main].expected.bus_bw);
}

/* NCCL counts the data that NVLinks carry, and not the headers of their packets. */
static const char *below_line_rate(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    const int32_t sm = table->analysis->communicator.sm_min;
    const double carried = orr_gpu_nvlink_line_rate(sm);
    const double counted = orr_nvlink_bw_of(table->analysis->query.settings.release->nvlink_bw, sm);
    if (!table->limit_known || table->limit.what != ORR_BOUND_NVLINK || table->verdict != ORR_PERF_EXPECTED ||
        carried <= 0)
        return "";
    return orr_arena_text(work->arena,
                          "NCCL counts about 80 %% of the line rate of NVLinks (%.0f of %.0f GB/s in each direction "
                          "here), because packets also carry headers.",
                          table->limit.bw, table->limit.bw * carried / counted);
}

/* A model with fewer NVLinks than others of its generation, whose results somebody compares with theirs. */
static const char *fewer_nvlinks(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    const char *name = table->measured->model;
    const struct orr_gpu_model *model = name ? orr_gpu_model_of_name(name) : NULL;
    const int32_t most = model ? orr_gpu_most_nvlinks(model->sm) : 0;
    if (!model || model->form != ORR_GPU_SXM || model->nvlinks <= 0 || model->nvlinks >= most ||
        table->verdict != ORR_PERF_EXPECTED || !table->limit_known || table->limit.what != ORR_BOUND_NVLINK)
        return "";
    return orr_arena_text(
        work->arena,
        "The %s has %d NVLinks, and other GPUs of its generation have up to %d, so it reaches %d/%d of "
        "their bandwidth. Check: `nvidia-smi nvlink -s` lists %d links for each GPU.",
        orr_gpu_model_said(model), model->nvlinks, most, model->nvlinks, most, model->nvlinks);
}

/* Two DGX Sparks that use both halves of the port, but not all of its rate. */
static const char *small_frames(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    static const double HALF = 0.55, NEARLY = 0.92;
    const struct orr_perf_row *row = &table->rows[table->main];
    const double share = row->bus_bw / row->expected.bus_bw;
    bool spark = false;
    for (uint32_t i = 0; i < work->check->symptoms.count; i++)
        spark |= !strcmp(work->check->symptoms.rows[i].id, "half-port");
    return spark && share > HALF && share < NEARLY
               ? "Both halves of the port are in use. With MTU 9000 on both interfaces and on the switch, if there is "
                 "one, such pairs reach 22 to 24 GB/s: `ip link` shows the MTU, and `ibv_devinfo` active_mtu 4096."
               : "";
}

/* The average over all sizes, which somebody takes for the bandwidth. */
static const char *average_of_all(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    static const double FAR_BELOW = 0.7;
    const struct orr_log *log = work->results->log;
    const struct orr_perf_row *row = &table->rows[table->main];
    const char *figure = orr_arena_text(work->arena, " %.0f ", table->measured->average);
    static const char average[] = "avg bus|average bus|avg busbw|average busbw|avg bandwidth|average bandwidth| the "
                                  "average | average is ";
    bool said = false;
    char least[24], size[24];
    for (uint32_t i = 0; log && i < log->said_count; i++)
        said |= log->said[i].line < table->measured->first_line &&
                (strstr(log->said[i].words, figure) || orr_log_says(&log->said[i], 1, 0, average));
    if (!said || table->measured->average <= 0 || table->measured->average > FAR_BELOW * row->bus_bw)
        return "";
    orr_size_text(table->rows[0].size, least);
    orr_size_text(row->size, size);
    return orr_arena_text(
        work->arena,
        "\"Avg bus bandwidth\" (%.3g) is the average over all sizes from %s on, and small ones cannot "
        "reach the bandwidth of the links. Compare the largest sizes: %.3g GB/s at %s. Check: -b 1G "
        "-e 8G.",
        table->measured->average, least, row->bus_bw, size);
}

/* Alltoall between hosts, beside which AllReduce looks faster. */
static const char *of_own_nic(const struct orr_perf_work *work, const struct orr_perf_table *table)
{
    const double hosts = table->analysis->communicator.node_count;
    const struct orr_perf_row *row = &table->rows[table->main];
    if (table->test != ORR_TEST_ALLTOALL || hosts < TWO_HOSTS || table->verdict != ORR_PERF_EXPECTED)
        return "";
    return orr_arena_text(work->arena,
                          "In Alltoall, each GPU sends (N-1)/N of its data to other hosts, by its own NIC: %.3g GB/s "
                          "here. AllReduce adds the data up inside each host first, so its bus bandwidth is higher on "
                          "the same network, and says nothing about this one.",
                          row->bus_bw / orr_test_bus_factor(ORR_TEST_ALLTOALL, (uint32_t)table->analysis->ranks) *
                              (hosts - 1) / hosts);
}

void orr_perf_say_meaning(const struct orr_perf_work *work, struct orr_perf_table *table)
{
    orr_perf_lead(table, leaves_nvlink(work, table));
    if (table->verdict == ORR_PERF_LOW)
        return;
    orr_perf_lead(table, average_of_all(work, table));
    orr_perf_lead(table, beyond_nics(work, table));
    orr_perf_lead(table, of_own_nic(work, table));
    orr_perf_lead(table, beyond_nvlink(work, table));
    orr_perf_lead(table, fewer_nvlinks(work, table));
    orr_perf_lead(table, below_line_rate(work, table));
    orr_perf_lead(table, small_frames(work, table));
}
