/* SPDX-License-Identifier: Apache-2.0 */
/* Kubernetes labels as a feature file of Node Feature Discovery: one line NAME=VALUE for each, comments after "#". */
#include <ctype.h>
#include <string.h>

#include "engine/cluster/again.h"
#include "engine/diagnosis/diagnosis.h"
#include "engine/diagnosis/measure.h"
#include "engine/expect/expect.h"
#include "engine/exports/exports.h"
#include "engine/machines/recognise.h"

#define PREFIX "nccl.orrery/"
enum { MOST_VALUE = 63, MOST_RAILS = ORR_MAX_CHANNELS }; /* bytes of a label's value in Kubernetes */

struct node {
    struct orr_hardware_facts hw;
    struct orr_machine machine;
    const struct orr_analysis *one, *two; /* jobs on one host and on two; `two` is NULL if NCCL cannot use it on two */
    struct orr_performance figures;       /* of `two` if possible, because on one host releases leave out the NICs */
    struct orr_diagnosis diagnosis;       /* of `two` if possible */
};

/* Writes the value; nothing if the label is left out. */
typedef void write_value(const struct node *node, struct orr_text *text);

static void write_gpus(const struct node *node, struct orr_text *text)
{
    orr_text_printf(text, "%u", node->one->local_ranks);
}

static void write_gpu(const struct node *node, struct orr_text *text)
{
    if (node->machine.proven_board && node->machine.board)
        orr_text_puts(text, node->machine.board->gpu);
}

static void write_capability(const struct node *node, struct orr_text *text)
{
    int32_t sm = node->one->communicator.sm_min;
    orr_text_printf(text, "%d.%d", sm / 10, sm % 10);
}

static void write_machine(const struct node *node, struct orr_text *text)
{
    if (node->machine.type && node->machine.fitting == 1)
        orr_text_puts(text, node->machine.type->name);
}

static int32_t least_nvlinks(const struct node *node)
{
    int32_t least = INT32_MAX;
    for (uint32_t i = 0; i < node->hw.gpu_count; i++) {
        int32_t links = orr_gpu_nvlinks(node->hw.dump, node->hw.gpus[i]);
        least = links < least ? links : least;
    }
    return node->hw.gpu_count ? least : 0;
}

static void write_nvlink(const struct node *node, struct orr_text *text)
{
    bool any = false;
    for (uint32_t i = 0; i < node->hw.gpu_count; i++)
        any |= orr_gpu_nvlinks(node->hw.dump, node->hw.gpus[i]) > 0;
    orr_text_puts(text, !any ? "none" : orr_system_count(&node->one->built, ORR_NVS) ? "switched" : "direct");
}

static void write_nvlinks(const struct node *node, struct orr_text *text)
{
    orr_text_printf(text, "%d", least_nvlinks(node));
}

static void write_nvls(const struct node *node, struct orr_text *text)
{
    orr_text_puts(text, node->one->communicator.nvls ? "true" : "false");
}

static void write_share(double part, double whole, struct orr_text *text)
{
    orr_text_puts(text, part <= 0 ? "none" : part < whole ? "some" : "all");
}

static void write_p2p(const struct node *node, struct orr_text *text)
{
    double gpus = node->one->local_ranks;
    if (gpus > 1)
        write_share(node->figures.value[ORR_COST_P2P_PAIRS], gpus * (gpus - 1) / 2, text);
}

static void write_gdr(const struct node *node, struct orr_text *text)
{
    if (node->two)
        write_share(node->figures.value[ORR_COST_GDR], node->one->local_ranks, text);
}

static void write_nics(const struct node *node, struct orr_text *text)
{
    orr_text_printf(text, "%u", orr_system_count(&node->one->built, ORR_NET));
}

/* The number of NICs through which rings of a job on two hosts leave a host. */
static void write_rails(const struct node *node, struct orr_text *text)
{
    int64_t rails[MOST_RAILS];
    uint32_t count = 0;
    const struct orr_graph *ring = node->two ? &node->two->parts[0].contribution.graphs[ORR_GRAPH_RING] : NULL;
    if (!ring || !ring->nets)
        return;
    for (int32_t c = 0; c < ring->channels; c++) {
        uint32_t i = 0;
        while (i < count && rails[i] != ring->nets[c][1])
            i++;
        if (i == count && count < MOST_RAILS)
            rails[count++] = ring->nets[c][1];
    }
    orr_text_printf(text, "%u", count);
}

static void write_nic_speed(const struct node *node, struct orr_text *text)
{
    int64_t most = 0;
    for (uint32_t i = 0; i < node->hw.net_count; i++) {
        int64_t mbps = orr_element_int(node->hw.dump, node->hw.nets[i], ORR_ATTR_SPEED, 0);
        most = mbps > most ? mbps : most;
    }
    if (most > 0)
        orr_text_printf(text, "%lld", (long long)most / 1000);
}

/* GB/s of a large AllReduce, as `orrery predict` prints it. */
static void write_bus_bw(const struct orr_analysis *analysis, struct orr_text *text)
{
    struct orr_expectation *expectation;
    struct orr_expected expected;
    if (!analysis || orr_expectation_new(analysis, ORR_TEST_ALL_REDUCE, &expectation, NULL) != ORR_OK)
        return;
    if (orr_expect(expectation, UINT64_C(1) << 30, &expected))
        orr_text_printf(text, expected.bus_bw < 10 ? "%.1f" : "%.0f", expected.bus_bw);
    orr_expectation_free(expectation);
}

static void write_bus_bw_1(const struct node *node, struct orr_text *text)
{
    write_bus_bw(node->one, text);
}

static void write_bus_bw_2(const struct node *node, struct orr_text *text)
{
    write_bus_bw(node->two, text);
}

static void write_verdict(const struct node *node, struct orr_text *text)
{
    orr_text_puts(text, orr_verdict_state_name(node->diagnosis.state));
}

static void write_assumed(const struct node *node, struct orr_text *text)
{
    const struct orr_dump_notes *notes = node->hw.dump->notes;
    orr_text_puts(text, notes && notes->assumed_count ? "true" : "false");
}

static void write_release(const struct node *node, struct orr_text *text)
{
    orr_text_puts(text, node->one->query.settings.release->name);
}

static const struct {
    const char *name;
    write_value *write;
} labels[] = {
    {"gpus", write_gpus},
    {"gpu", write_gpu},
    {"compute-capability", write_capability},
    {"machine", write_machine},
    {"nvlink", write_nvlink},
    {"nvlinks-per-gpu", write_nvlinks},
    {"nvls", write_nvls},
    {"p2p", write_p2p},
    {"gdr", write_gdr},
    {"nics", write_nics},
    {"nic-gbps", write_nic_speed},
    {"rails", write_rails},
    {"busbw-1n", write_bus_bw_1},
    {"busbw-2n", write_bus_bw_2},
    {"verdict", write_verdict},
    {"assumed", write_assumed},
    {"release", write_release},
};

/* Letters, digits, '-', '_' and '.', at most 63 of them, a letter or digit first and last. */
static void write_label(const char *name, struct orr_text *value, struct orr_text *text)
{
    size_t from = 0, to = value->length < MOST_VALUE ? value->length : MOST_VALUE;
    for (size_t i = 0; i < to; i++)
        if (!isalnum((unsigned char)value->data[i]) && !strchr("-_.", value->data[i]))
            value->data[i] = '-';
    while (from < to && !isalnum((unsigned char)value->data[from]))
        from++;
    while (from < to && !isalnum((unsigned char)value->data[to - 1]))
        to--;
    if (from < to)
        orr_text_printf(text, PREFIX "%s=%.*s\n", name, (int)(to - from), value->data + from);
}

static void write_labels(const struct node *node, struct orr_text *text)
{
    for (size_t i = 0; i < sizeof labels / sizeof labels[0]; i++) {
        ORR_LOCAL_TEXT(value, 256);
        labels[i].write(node, &value);
        if (value.length && !orr_text_failed(&value))
            write_label(labels[i].name, &value, text);
    }
}

enum orr_code orr_export_nfd(const struct orr_export_request *request, struct orr_text *text, struct orr_error *err)
{
    const struct orr_dump *dump = request->hosts[0].dump;
    struct orr_query query = {.settings = request->settings, .hosts = 1};
    ORR_LOCAL_AGAIN(one);
    ORR_LOCAL_AGAIN(two);
    struct node node = {0};
    struct orr_error own = {0};
    ORR_LOCAL_ARENA(arena, 0);
    ORR_NEED(orr_hardware_read(dump, arena, &node.hw), err);
    ORR_TRY(orr_analyze(dump, &query, NULL, &one, err));
    query.hosts = 2;
    /* A host without a network, or too many ranks: labels about two hosts are left out. */
    ORR_NEED(orr_analyze_hosts(dump, &query, NULL, &two, &own) != ORR_NOMEM, err);
    node.one = one;
    node.two = two;
    orr_machine_recognise(&node.hw, &node.machine);
    orr_measure(two ? two : one, &node.figures);
    ORR_TRY(orr_diagnose(two ? two : one, arena, &node.diagnosis, err));
    write_labels(&node, text);
    return ORR_OK;
}
