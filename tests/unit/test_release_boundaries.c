/* SPDX-License-Identifier: Apache-2.0 */
/* What each release changed, on a machine where the last release before it and the first with it differ. The rows
 * follow docs/nccl/releases.md; a machine has no more devices than the difference needs. */
#include <math.h>

#include "tests/support/boundary_machines.h"
#include "tests/support/fixture.h"

/* What is compared, with up to three numbers that say where; the first node's type and index and the other's are
 * packed as NODE(type, index). */
typedef double look_at(const struct orr_analysis *analysis, int a, int b, int c);
#define NODE(type, index) ((type)*16 + (index))

static uint32_t node_of(const struct orr_analysis *analysis, int node)
{
    const struct orr_system *system = &analysis->parts[0].system;
    assert_true((uint32_t)(node % 16) < orr_system_count(system, (enum orr_node_type)(node / 16)));
    return system->first[node / 16] + (uint32_t)(node % 16);
}

/* GB/s of the link from a to b, 0 if there is none. */
static double link_rate(const struct orr_analysis *analysis, int a, int b, int c)
{
    const struct orr_system *system = &analysis->parts[0].system;
    const struct orr_node *from = &system->nodes[node_of(analysis, a)];
    (void)c;
    for (uint32_t i = 0; i < from->link_count; i++)
        if (system->links[from->first_link + i].to == node_of(analysis, b))
            return (double)system->links[from->first_link + i].bw;
    return 0;
}

/* GB/s of the only link from a to a PCI or CPU node. */
static double slot_rate(const struct orr_analysis *analysis, int a, int b, int c)
{
    const struct orr_system *system = &analysis->parts[0].system;
    const struct orr_node *from = &system->nodes[node_of(analysis, a)];
    (void)b, (void)c;
    for (uint32_t i = 0; i < from->link_count; i++)
        if (system->links[from->first_link + i].type == ORR_LINK_PCI)
            return (double)system->links[from->first_link + i].bw;
    return 0;
}

static double path_type(const struct orr_analysis *analysis, int a, int b, int c)
{
    (void)c;
    return orr_path(&analysis->parts[0].paths, node_of(analysis, a), node_of(analysis, b))->type;
}

static double node_count(const struct orr_analysis *analysis, int type, int b, int c)
{
    (void)b, (void)c;
    return orr_system_count(&analysis->parts[0].system, (enum orr_node_type)type);
}

static double part_count(const struct orr_analysis *analysis, int a, int b, int c)
{
    (void)a, (void)b, (void)c;
    return analysis->part_count;
}

static double total_rate(const struct orr_analysis *analysis, int a, int b, int c)
{
    (void)a, (void)b, (void)c;
    return (double)analysis->parts[0].system.total_bw;
}

static double p2p_verdict(const struct orr_analysis *analysis, int a, int b, int c)
{
    (void)c;
    return analysis->p2p[(uint32_t)a * analysis->local_ranks + (uint32_t)b].decision.verdict;
}

/* GB/s between hosts of a graph's channel. */
static double graph_rate(const struct orr_analysis *analysis, int kind, int b, int c)
{
    (void)b, (void)c;
    return (double)analysis->parts[0].contribution.graphs[kind].bw_inter;
}

/* The NET of a rank for a channel, by the plugin's number. */
static double net_of(const struct orr_analysis *analysis, int rank, int channel, int c)
{
    const struct orr_part *part = &analysis->parts[0];
    (void)c;
    assert_non_null(part->net_devs);
    return (double)orr_id_local(part->net_devs[rank * part->net_dev_channels + channel].net);
}

static double predicted_rate(const struct orr_analysis *analysis, int function, int algorithm, int protocol)
{
    return (double)analysis->tuning.bandwidth[function][algorithm][protocol];
}

static double predicted_latency(const struct orr_analysis *analysis, int function, int algorithm, int protocol)
{
    return (double)analysis->tuning.latency[function][algorithm][protocol];
}

static const struct boundary {
    const char *before, *since;
    const char *changed; /* what the later release changed */
    const char *machine;
    uint32_t hosts;
    look_at *look;
    int a, b, c;
    double value_before, value_since;
} boundaries[] = {
    {"2.7.8", "2.8.3", "NVLink through one other GPU (NVB)", LINE, 1, path_type, NODE(ORR_GPU, 0), NODE(ORR_GPU, 2), 0,
     ORR_PATH_PHB, ORR_PATH_NVB},
    {"2.8.3", "2.8.4", "the link between Zhaoxin CPUs", SOCKETS(X86_ZHAOXIN), 1, link_rate, NODE(ORR_CPU, 0),
     NODE(ORR_CPU, 1), 0, 5000, 6},
    {"2.8.4", "2.9.9", "P2P level PXB on Intel Skylake", ONE_SOCKET, 1, p2p_verdict, 0, 1, 0, 1, 0},
    {"2.9.9", "2.10.3", "NVLink of capability 80", PAIR("80"), 1, link_rate, NODE(ORR_GPU, 0), NODE(ORR_GPU, 1), 0, 21,
     22},
    {"2.10.3", "2.11.4", "speed texts of newer kernels", LONE("16.0 GT/s PCIe"), 1, slot_rate, NODE(ORR_GPU, 0), 0, 0,
     12, 24},
    {"2.11.4", "2.12.10", "PXN", FAR_NIC, 2, path_type, NODE(ORR_GPU, 1), NODE(ORR_NET, 0), 0, ORR_PATH_SYS,
     ORR_PATH_PXN},
    {"2.12.10", "2.12.12", "the speed text 32 GT/s", LONE("32 GT/s"), 1, slot_rate, NODE(ORR_GPU, 0), 0, 0, 12, 48},
    {"2.12.12", "2.14.3", "a faster network parts GPUs of one host", FAST_NICS, 1, part_count, 0, 0, 0, 1, 2},
    {"2.14.3", "2.15.5", "LL128 for capability 90", PAIR("90"), 1, predicted_rate, ORR_ALLREDUCE, ORR_ALGO_RING,
     ORR_LL128, 0, 20},
    {"2.15.5", "2.16.2", "the link between AMD CPUs", SOCKETS(X86_AMD), 1, link_rate, NODE(ORR_CPU, 0),
     NODE(ORR_CPU, 1), 0, 5000, 16},
    {"2.16.2", "2.16.5", "the link between AMD CPUs", SOCKETS(X86_AMD), 1, link_rate, NODE(ORR_CPU, 0),
     NODE(ORR_CPU, 1), 0, 16, 5000},
    {"2.16.5", "2.17.1", "limits of LL128 for capability 90", SWITCHED, 1, predicted_rate, ORR_ALLREDUCE, ORR_ALGO_RING,
     ORR_LL128, 180, 255.3},
    {"2.17.1", "2.18.1", "NVLink of capability 80", PAIR("80"), 1, link_rate, NODE(ORR_GPU, 0), NODE(ORR_GPU, 1), 0, 22,
     20},
    {"2.18.1", "2.18.3", "latency of Tree with Simple", PAIR("80"), 1, predicted_latency, ORR_ALLREDUCE, ORR_ALGO_TREE,
     ORR_SIMPLE, 56, 8},
    {"2.18.3", "2.18.5", "NICs by mirrored index", FOUR_AND_FOUR, 2, net_of, 0, 1, 0, 1, 2},
    {"2.18.5", "2.19.3", "the link between AMD CPUs", SOCKETS(X86_AMD), 1, link_rate, NODE(ORR_CPU, 0),
     NODE(ORR_CPU, 1), 0, 5000, 16},
    {"2.19.3", "2.20.5", "NVLink of capability 90", PAIR("90"), 1, link_rate, NODE(ORR_GPU, 0), NODE(ORR_GPU, 1), 0, 20,
     20.6},
    {"2.20.5", "2.21.5", "total bandwidth of a lone GPU", LONE("16.0 GT/s PCIe"), 1, total_rate, 0, 0, 0, 0, 5000},
    {"2.21.5", "2.22.3", "no link of a GPU to itself", LONE("16.0 GT/s PCIe"), 1, link_rate, NODE(ORR_GPU, 0),
     NODE(ORR_GPU, 0), 0, 5000, 0},
    {"2.22.3", "2.23.4", "P2P level PXB on AMD with three GPUs", AMD_THREE, 1, p2p_verdict, 0, 1, 0, 1, 0},
    {"2.23.4", "2.24.3", "functions of a card are NICs of their own", TWO_FUNCTIONS, 2, node_count, ORR_NIC, 0, 0, 1,
     2},
    {"2.24.3", "2.25.1", "NVLink of capability 100", PAIR("100"), 1, link_rate, NODE(ORR_GPU, 0), NODE(ORR_GPU, 1), 0,
     20.6, 40},
    {"2.25.1", "2.26.2", "the link between Sapphire Rapids CPUs", SOCKETS(X86_SAPPHIRE), 1, link_rate, NODE(ORR_CPU, 0),
     NODE(ORR_CPU, 1), 0, 10, 22},
    {"2.26.2", "2.27.3", "P2C from a GPU on C2C to a NIC", GRACE(""), 2, path_type, NODE(ORR_GPU, 0), NODE(ORR_NET, 0),
     0, ORR_PATH_PHB, ORR_PATH_P2C},
    {"2.27.3", "2.27.5", "NVLink of capability 100", PAIR("100"), 1, link_rate, NODE(ORR_GPU, 0), NODE(ORR_GPU, 1), 0,
     40, 40.1},
    {"2.27.5", "2.27.7", "96 GB/s between hosts for capability 100, halved as channels are doubled", FAST_BLACKWELL, 2,
     graph_rate, ORR_GRAPH_TREE, 0, 0, 24, 48},
    {"2.27.7", "2.28.3", "PXN over C2C", GRACES, 2, path_type, NODE(ORR_GPU, 1), NODE(ORR_NET, 0), 0, ORR_PATH_SYS,
     ORR_PATH_PXN},
    {"2.28.3", "2.28.7", "NICs stay in the graph of a single host", GRACE(""), 1, node_count, ORR_NET, 0, 0, 0, 1},
    {"2.28.7", "2.28.9", "latency of NVLSTree between hosts", SWITCHED, 2, predicted_latency, ORR_ALLREDUCE,
     ORR_ALGO_NVLS_TREE, ORR_SIMPLE, 53, 66.8},
    {"2.28.9", "2.29.2", "P2C to the nearest NICs only", GRACE_TWO_NICS, 2, path_type, NODE(ORR_GPU, 0),
     NODE(ORR_NET, 1), 0, ORR_PATH_P2C, ORR_PATH_PHB},
    {"2.29.2", "2.29.7", "GIN nodes", GRACE(" gin=\"1\""), 2, node_count, ORR_GIN, 0, 0, 0, 1},
    {"2.29.7", "2.30.4", "physical GPUs (DEV)", PAIR("80"), 1, node_count, ORR_DEV, 0, 0, 0, 2},
    {"2.30.4", "2.30.7", "the nearest path wins before the fastest", LINE_AND_SWITCH, 1, path_type, NODE(ORR_GPU, 0),
     NODE(ORR_GPU, 1), 0, ORR_PATH_PIX, ORR_PATH_NVB},
};
enum { BOUNDARY_COUNT = sizeof boundaries / sizeof boundaries[0] };

static double value_in(const char *release, const struct boundary *row)
{
    FIXTURE f = analyse_in(release, row->machine, row->hosts, NULL);
    double value = row->look(f.analysis, row->a, row->b, row->c);
    return value;
}

TEST(each_release_decides_what_it_introduced)
{
    int failed = 0;
    for (int i = 0; i < BOUNDARY_COUNT; i++) {
        const struct boundary *row = &boundaries[i];
        double before = value_in(row->before, row), since = value_in(row->since, row);
        double error = fabs(before - row->value_before) + fabs(since - row->value_since);
        if (error <= 1e-5 * (fabs(before) + fabs(since)))
            continue;
        print_error("%s: %s: %.9g in %s, %.9g in %s; expected %.9g and %.9g\n", row->since, row->changed, before,
                    row->before, since, row->since, row->value_before, row->value_since);
        failed++;
    }
    assert_int_equal(failed, 0);
}

/* The NICs of ranks follow the ring graphs that all parts agreed on in 2.30.7; in earlier releases, the part's own. */
TEST(nets_follow_the_aligned_rings)
{
    static const char *const settings[] = {"NCCL_SHM_DISABLE", "1", NULL};
    FIXTURE own = analyse_in("2.30.4", TWO_PARTS, 2, settings);
    FIXTURE aligned = analyse_in("2.30.7", TWO_PARTS, 2, settings);
    for (int i = 0; i < 2; i++) {
        const struct orr_analysis *analysis = i ? aligned.analysis : own.analysis;
        assert_int_equal(analysis->part_count, 2);
        assert_int_equal(analysis->parts[0].contribution.graphs[ORR_GRAPH_RING].channels, 2);
        assert_int_equal(analysis->parts[1].contribution.graphs[ORR_GRAPH_RING].channels, 1);
        assert_int_equal(analysis->communicator.ring_channels, 1);
        assert_int_equal(analysis->parts[0].net_dev_channels, i ? 1 : 2);
        assert_int_equal(analysis->parts[1].net_dev_channels, 1);
    }
    assert_int_equal(net_of(own.analysis, 0, 1, 0), 1);
    assert_int_equal(net_of(aligned.analysis, 1, 0, 0), net_of(own.analysis, 1, 0, 0));
}

static double gdr_verdict(const struct orr_analysis *analysis, int a, int b, int c)
{
    (void)a, (void)b, (void)c;
    return analysis->parts[0].gdr[0].recv.verdict;
}

static double collnet_on(const struct orr_analysis *analysis, int a, int b, int c)
{
    (void)a, (void)b, (void)c;
    return analysis->communicator.collnet;
}

/* Rules that only a setting shows. */
TEST(settings_show_what_releases_introduced)
{
    static const struct {
        const char *before, *since;
        const char *machine;
        uint32_t hosts;
        const char *settings[6];
        look_at *look;
        double value_before, value_since;
    } cases[] = {
        /* CollNet on a single node. */
        {"2.9.9",
         "2.10.3",
         COLLNET_PAIR,
         1,
         {"NCCL_COLLNET_ENABLE", "1", "NCCL_COLLNET_NODE_THRESHOLD", "1"},
         collnet_on,
         0,
         1},
        /* P2C lies beyond PXN in 2.27.3 alone, so a level of PXN excludes it. */
        {"2.27.3", "2.27.5", GRACE(""), 2, {"NCCL_NET_GDR_LEVEL", "PXN", "NCCL_NET_GDR_C2C", "0"}, gdr_verdict, 0, 2},
        {"2.26.2", "2.27.3", GRACE(""), 2, {"NCCL_NET_GDR_LEVEL", "PHB", "NCCL_NET_GDR_C2C", "0"}, gdr_verdict, 2, 2},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *releases[] = {cases[i].before, cases[i].since};
        double wanted[] = {cases[i].value_before, cases[i].value_since};
        for (int r = 0; r < 2; r++) {
            FIXTURE f = analyse_in(releases[r], cases[i].machine, cases[i].hosts, cases[i].settings);
            double value = cases[i].look(f.analysis, 0, 0, 0);
            if (fabs(value - wanted[r]) > 1e-9)
                fail_msg("case %zu: %.9g in %s, not %.9g", i, value, releases[r], wanted[r]);
        }
    }
}

/* No release without a row, and no row whose two values are equal. */
TEST(every_release_has_a_boundary)
{
    uint32_t count;
    const struct orr_release *all = orr_releases(&count);
    assert_int_equal(BOUNDARY_COUNT, count - 1);
    for (int i = 0; i < BOUNDARY_COUNT; i++) {
        assert_string_equal(boundaries[i].before, all[i].name);
        assert_string_equal(boundaries[i].since, all[i + 1].name);
        assert_true(fabs(boundaries[i].value_before - boundaries[i].value_since) > 1e-9);
    }
}
