/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the graphs that the search makes, and about NVLS. */
#include "engine/findings/finder.h"

static const struct orr_graph *ring_of(const struct orr_finder *f)
{
    return &f->analysis->parts[0].contribution.graphs[ORR_GRAPH_RING];
}

/* The rate that NCCL writes into a graph that it did not find. */
static bool is_simple_order(const struct orr_graph *graph)
{
    return graph->pattern && graph->channels > 0 && graph->bw_intra <= 0.1f;
}

/* Whether NVLink joins all pairs of the part, directly or over a GPU or switch. */
static bool nvlink_joins_all(const struct orr_part *part)
{
    const struct orr_system *system = &part->system;
    for (uint32_t a = system->first[ORR_GPU]; a < system->first[ORR_GPU + 1]; a++)
        for (uint32_t b = system->first[ORR_GPU]; b < system->first[ORR_GPU + 1]; b++)
            if (a != b && orr_path(&part->paths, a, b)->type > ORR_PATH_NVB)
                return false;
    return orr_system_count(system, ORR_GPU) > 1;
}

/* The slowest path that the ring takes, between two GPUs or between a GPU and its NIC. */
struct hop {
    uint32_t from, to; /* nodes of the part */
    float bw;          /* GB/s */
};

static void take_slower(const struct orr_part *part, uint32_t from, uint32_t to, struct hop *slowest)
{
    if (from == ORR_NO_NODE || to == ORR_NO_NODE || from == to)
        return;
    const struct orr_path *path = orr_path(&part->paths, from, to);
    float bw = path->type >= ORR_PATH_NET ? 0 : path->bw; /* only through the network, or not at all */
    if (slowest->from == ORR_NO_NODE || bw < slowest->bw)
        *slowest = (struct hop){from, to, bw};
}

static struct hop slowest_hop(const struct orr_part *part, const struct orr_graph *ring)
{
    const struct orr_system *system = &part->system;
    const int32_t *ranks = ring->gpus;
    struct hop slowest = {.from = ORR_NO_NODE, .to = ORR_NO_NODE};
    uint32_t first = orr_gpu_of_rank(system, ranks[0]), last = orr_gpu_of_rank(system, ranks[ring->gpu_count - 1]);
    for (uint32_t i = 1; i < ring->gpu_count; i++)
        take_slower(part, orr_gpu_of_rank(system, ranks[i - 1]), orr_gpu_of_rank(system, ranks[i]), &slowest);
    if (ring->nets) {
        take_slower(part, orr_net_of_id(system, ring->nets[0][0]), first, &slowest);
        take_slower(part, last, orr_net_of_id(system, ring->nets[0][1]), &slowest);
    } else {
        take_slower(part, last, first, &slowest);
    }
    return slowest;
}

static void simple_order(struct orr_finder *f)
{
    for (uint32_t p = 0; p < f->analysis->part_count && !f->at->detail; p++) {
        const struct orr_part *part = &f->analysis->parts[p];
        const struct orr_graph *ring = &part->contribution.graphs[ORR_GRAPH_RING];
        if (!is_simple_order(ring) || part->contribution.rank_count < 2)
            continue;
        const struct hop slowest = slowest_hop(part, ring);
        char from[ORR_FOUND_NAME_SIZE], to[ORR_FOUND_NAME_SIZE];
        if (slowest.from == ORR_NO_NODE) {
            orr_say(f, "the ring has %d channel of %g GB/s", ring->channels, (double)ring->bw_intra);
            continue;
        }
        orr_name_node(f, &part->system, slowest.from, from);
        orr_name_node(f, &part->system, slowest.to, to);
        orr_say(f, "the ring has %d channel of %g GB/s; its slowest path, from %s to %s (%s), carries %g GB/s",
                ring->channels, (double)ring->bw_intra, from, to,
                orr_path_type_name((enum orr_path_type)orr_path(&part->paths, slowest.from, slowest.to)->type),
                (double)slowest.bw);
        orr_point_node(f, &part->system, slowest.from);
        orr_point_node(f, &part->system, slowest.to);
    }
}

/* There are rings and no tree: a machine has as many channels as the graph with the fewest. */
static void no_tree(struct orr_finder *f)
{
    for (uint32_t p = 0; p < f->analysis->part_count && !f->at->detail; p++) {
        const struct orr_contribution *own = &f->analysis->parts[p].contribution;
        const struct orr_graph *ring = &own->graphs[ORR_GRAPH_RING], *tree = &own->graphs[ORR_GRAPH_TREE];
        if (own->rank_count > 1 && ring->pattern && !is_simple_order(ring) && is_simple_order(tree))
            orr_say(f, "%d rings of %g GB/s, and %d channel of %g GB/s for the tree", ring->channels,
                    (double)ring->bw_intra, tree->channels, (double)tree->bw_intra);
    }
}

/* There is one ring, at less than half of NVLink's bandwidth and, if it leaves the host, of the fastest port's. */
static void one_channel(struct orr_finder *f)
{
    const struct orr_graph *ring = ring_of(f);
    const struct orr_part *part = &f->analysis->parts[0];
    const struct orr_system *system = &part->system;
    if (!ring->pattern || ring->channels != 1 || is_simple_order(ring) || !nvlink_joins_all(part))
        return;
    float best = 0, port = 0;
    for (uint32_t b = system->first[ORR_GPU] + 1; b < system->first[ORR_GPU + 1]; b++) {
        float bw = orr_path(&part->paths, system->first[ORR_GPU], b)->bw;
        best = bw > best ? bw : best;
    }
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
        port = system->nodes[n].net.bw > port ? system->nodes[n].net.bw : port;
    if (ring->nets && port < best) /* a ring through NICs is no faster than they are */
        best = port;
    const struct hop slowest = slowest_hop(part, ring);
    if (ring->bw_intra >= best / 2 || slowest.from == ORR_NO_NODE)
        return;
    char from[ORR_FOUND_NAME_SIZE], to[ORR_FOUND_NAME_SIZE];
    orr_name_node(f, system, slowest.from, from);
    orr_name_node(f, system, slowest.to, to);
    orr_say(f, "one ring of %g GB/s: the path from %s to %s (%s) carries %g GB/s; NVLink%s would allow %g GB/s",
            (double)ring->bw_intra, from, to,
            orr_path_type_name((enum orr_path_type)orr_path(&part->paths, slowest.from, slowest.to)->type),
            (double)slowest.bw, ring->nets ? " and the NICs" : "", (double)best);
    orr_point_node(f, system, slowest.from);
    orr_point_node(f, system, slowest.to);
}

static const struct orr_graph *ring_of_host(const struct orr_communicator *c, uint32_t host)
{
    return &c->members[host].contribution->graphs[ORR_GRAPH_RING];
}

/* Whether a ring leaves a host through another NIC than it enters the next one: they are equal, so the NICs' ids are.
 */
static bool crosses_after(const struct orr_finder *f, uint32_t host, int32_t channel)
{
    const struct orr_communicator *c = &f->analysis->communicator;
    uint32_t next = (host + 1) % c->node_count;
    const struct orr_graph *from = ring_of_host(c, host), *to = ring_of_host(c, next);
    int32_t out = orr_ring_channel(c, host, channel), in = orr_ring_channel(c, next, channel);
    return from->nets && to->nets && out < from->channels && in < to->channels && from->nets[out][1] != to->nets[in][0];
}

static void crosses_rails(struct orr_finder *f)
{
    const struct orr_communicator *c = &f->analysis->communicator;
    const struct orr_system *system = &f->analysis->parts[0].system;
    const struct orr_graph *ring = ring_of(f);
    uint32_t crossing = 0;
    if (c->node_count < 2 || f->analysis->part_count > 1 || f->analysis->cluster || !ring->pattern || !ring->nets ||
        is_simple_order(ring))
        return;
    for (int32_t channel = 0; channel < ring->channels; channel++) {
        /* Hosts take turns in pairs: the first two, and the last with the first. */
        const uint32_t hosts[] = {0, 1, c->node_count - 1};
        bool crosses = false;
        for (size_t i = 0; i < sizeof hosts / sizeof hosts[0] && !crosses; i++) {
            if (!crosses_after(f, hosts[i], channel))
                continue;
            uint32_t next = (hosts[i] + 1) % c->node_count;
            uint32_t out = orr_net_of_id(system, ring->nets[orr_ring_channel(c, hosts[i], channel)][1]);
            uint32_t in = orr_net_of_id(system, ring->nets[orr_ring_channel(c, next, channel)][0]);
            crosses = true;
            if (crossing || out == ORR_NO_NODE || in == ORR_NO_NODE)
                continue;
            orr_point_node(f, system, out);
            orr_point_node(f, system, in);
        }
        crossing += crosses;
    }
    if (crossing && f->at->place_count)
        orr_say(f, "%u of %d channels; the first leaves a host through %.40s and enters the next through %.40s",
                crossing, ring->channels, f->at->places[0].device, f->at->places[1].device);
}

static void uses_pxn(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t gpus = orr_system_count(&part->system, ORR_GPU), count = 0;
    for (uint32_t g = 0; part->net_devs && g < gpus; g++) {
        int32_t rank = orr_system_node(&part->system, ORR_GPU, g)->gpu.rank;
        for (int32_t c = 0; c < part->net_dev_channels; c++) {
            int32_t proxy = part->net_devs[(size_t)g * (size_t)part->net_dev_channels + (size_t)c].proxy_rank;
            if (proxy == rank)
                continue;
            if (!count++)
                orr_say(f, "rank %d sends on channel %d through the NIC of rank %d", rank, c, proxy);
            orr_point_node(f, &part->system, part->system.first[ORR_GPU] + g);
            break;
        }
    }
}

static void nvls_off(struct orr_finder *f)
{
    const struct orr_analysis *a = f->analysis;
    const struct orr_settings *settings = &a->query.settings;
    const struct orr_release *release = settings->release;
    const struct orr_contribution *own = &a->parts[0].contribution;
    if (a->communicator.nvls || own->sm_min < 90 || own->rank_count < 2)
        return;
    if (!release->nvls_max_channels)
        orr_say(f, "NCCL %s does not support NVLS", release->name);
    else if (!orr_setting_int(settings, ORR_SET_NVLS_ENABLE))
        orr_say(f, "NCCL_NVLS_ENABLE=0");
    else if (!own->has_nvswitch)
        orr_say(f, "there is no NVSwitch");
    else if ((int64_t)own->rank_count < release->nvls_least_gpus)
        orr_say(f, "%u GPUs; NCCL %s needs at least %d", own->rank_count, release->name, release->nvls_least_gpus);
    else
        orr_say(f, "the search found no NVLS channel");
}

static void nvls_on(struct orr_finder *f)
{
    if (f->analysis->communicator.nvls)
        orr_say(f, "%d NVLS channels are predicted", f->analysis->communicator.nvls_channels);
}

static void c2c_ll128(struct orr_finder *f)
{
    const struct orr_settings *settings = &f->analysis->query.settings;
    const struct orr_part *part = &f->analysis->parts[0];
    bool c2c = false;
    for (uint32_t i = 0; i < part->system.link_count; i++)
        c2c |= part->system.links[i].type == ORR_LINK_C2C;
    if (c2c && f->analysis->query.hosts > 1 && ring_of(f)->pattern && ring_of(f)->type_inter == ORR_PATH_P2C &&
        orr_setting_in(ORR_SET_LL128_C2C, settings->release) && orr_setting_int(settings, ORR_SET_LL128_C2C))
        orr_say(f, "the ring reaches NICs over P2C, and NCCL_LL128_C2C is on");
}

const struct orr_finding_row orr_findings_graph[] = {
    {ORR_FINDING("simple-order", "L70", ERROR, ANALYSIS, simple_order), .title = "The search finds no ring",
     .why = "NCCL falls back to one channel in rank order, which is the slowest possible ring.",
     .advice = "Start with the path that the detail names: a link without bandwidth, devices that no link connects, or "
               "a level that is set too low.",
     .commands = {"NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH"},
     .references = {"NVIDIA/nccl#487", "NVIDIA/nccl#1946"},
     .follows_from = {"nvlink-zero", "nvlink-count", "throttling-bridge", "slow-link", "nvlink-islands",
                      "setting-hinders"}},
    {ORR_FINDING("no-tree", "L77", WARNING, ANALYSIS, no_tree), .title = "The search finds rings and no tree",
     .why = "NCCL makes as many channels of each as of the graph that has the fewest, so the rings lose theirs.",
     .advice = "If this finding has a gain, set NCCL_PXN_DISABLE=1 and measure: it is the gain of that setting. For "
               "GPUs before Hopper, NCCL 2.24.3 and "
               "older and 2.29.2 and newer find trees on more machines.",
     .commands = {"NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH"},
     .references = {"NVIDIA/nccl#1946", "NVIDIA/nccl#1876", "NVIDIA/nccl-tests#352"},
     .follows_from = {"nvlink-zero", "nvlink-count", "nvlink-islands", "setting-hinders"}},
    {ORR_FINDING("one-channel", "L71", WARNING, ANALYSIS, one_channel),
     .title = "One slow ring on a machine with NVLink",
     .why = "All data of a ring passes its slowest path, so the whole ring is that slow. The detail names this path.",
     .advice = "Compare that path with those of equal devices. A path of type NVL is limited by its NVLinks, one of "
               "type PIX, PXB, PHB or SYS by PCIe links or the CPU.",
     .references = {"NVIDIA/nccl#439", "NVIDIA/nccl#1946", "NVIDIA/nccl#1876"},
     .follows_from = {"nvlink-count", "nvlink-one-sided", "nvlink-zero", "nvlink-targets", "slow-link", "idle-gpus",
                      "throttling-bridge", "slow-slot", "port-slow", "link-missing", "gdr-off", "setting-hinders"}},
    {ORR_FINDING("crosses-rails", "L73", INFO, ANALYSIS, crosses_rails),
     .title = "Rings leave one host and enter the next through different NICs",
     .why = "If the network has separate rails, this traffic crosses from one rail to another.",
     .advice = "Nothing to do if the rails are connected at full speed, as in most networks of one or two levels of "
               "switches.",
     .references = {"NVIDIA/nccl#836", "NVIDIA/nccl#2345"},
     .follows_from = {"nic-past-cpu", "nic-on-other-socket", "port-slow", "slow-link"}},
    {ORR_FINDING("uses-pxn", "L74", INFO, ANALYSIS, uses_pxn),
     .title = "PXN in use: ranks send through the NIC of another GPU",
     .why =
         "This needs both GPUs in the communicator. If one is left out, the other's traffic crosses the CPU instead.",
     .advice = "Keep all GPUs of a host in the communicator. NCCL_PXN_DISABLE=1 turns PXN off.",
     .references = {"NVIDIA/nccl#836", "NVIDIA/nccl#1479"},
     .follows_from = {"nic-past-cpu", "nic-on-other-socket", "slow-link"}},
    {ORR_FINDING("nvls-off", "L80", INFO, ANALYSIS, nvls_off), .title = "NVLS (NVLink SHARP) is not used",
     .why =
         "NVLS needs GPUs of compute capability 9.0 or later, NVSwitches, a release that supports it, and enough GPUs.",
     .advice = "If you expected NVLS, check the condition that the detail names.",
     .references = {"NVIDIA/nccl#892", "NVIDIA/nccl#1121"},
     .follows_from = {"nvlink-count", "nvlink-targets", "nvlink-zero", "setting-hinders"}},
    {ORR_FINDING("nvls-assumed", "L81", INFO, ANALYSIS, nvls_on),
     .title = "NVLS is predicted, but the dump cannot confirm it",
     .why = "The topology allows NVLS. At run time NVLS also needs a fabric manager that is ready, /dev/nvidia-caps "
            "and free multicast slots.",
     .advice = "If the log shows no NVLS, check the fabric manager, /dev/nvidia-caps and the multicast slots.",
     .commands = {"nvidia-smi -q | grep -A4 Fabric", "ls /dev/nvidia-caps"},
     .references = {"NVIDIA/nccl#1672", "NVIDIA/nccl#2077"}},
    {ORR_FINDING("ll128-over-c2c", "L83", INFO, ANALYSIS, c2c_ll128), .title = "LL128 over C2C between hosts",
     .why = "Users have reported wrong data with LL128 over this path on some systems.",
     .advice = "If results differ, try NCCL_LL128_C2C=0.", .references = {"NVIDIA/nccl#2053"}},
    {0},
};
