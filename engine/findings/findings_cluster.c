/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the hosts of a cluster, compared with one another. */
#include "engine/cluster/standing.h"
#include "engine/device/device.h"
#include "engine/findings/phrases.h"
#include "engine/findings/rails.h"

static uint32_t net_numbered(const struct orr_system *system, int32_t dev)
{
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
        if (system->nodes[n].net.dev == dev)
            return n;
    return ORR_NO_NODE;
}

static void nics_in_another_order(struct orr_finder *f)
{
    const struct orr_cluster *c = f->analysis->cluster;
    if (!c)
        return;
    struct orr_phrases phrases = {.length = 0};
    const struct orr_part *first = &c->kinds[0].analysis->parts[0];
    for (uint32_t k = 1; k < c->kind_count; k++) {
        const struct orr_part *part = &c->kinds[k].analysis->parts[0];
        uint32_t nets = orr_system_count(&part->system, ORR_NET);
        if (nets != orr_system_count(&first->system, ORR_NET) ||
            part->contribution.rank_count != first->contribution.rank_count || orr_on_other_rails(c, k))
            continue;
        for (uint32_t n = part->system.first[ORR_NET]; n < part->system.first[ORR_NET + 1]; n++) {
            int32_t dev = part->system.nodes[n].net.dev;
            uint32_t other = net_numbered(&first->system, dev);
            if (other == ORR_NO_NODE)
                continue;
            int32_t here = orr_nic_role(part, n), there = orr_nic_role(first, other);
            if (here != there && here >= 0 && there >= 0) { /* a port without GPUDirect RDMA is near none */
                char here_hosts[ORR_HOSTS_TEXT], there_hosts[ORR_HOSTS_TEXT];
                orr_kind_hosts_text(c, k, here_hosts);
                orr_kind_hosts_text(c, 0, there_hosts);
                orr_add_phrase(&phrases, "NIC %d is next to GPU %d on %s, next to GPU %d on %s", dev, here, here_hosts,
                               there, there_hosts);
                break;
            }
        }
    }
    orr_say_phrases(f, &phrases);
}

/* Only if at most half of the hosts slow down the others: what most hosts have is how the machines are built. */
static void sets_the_channels(struct orr_finder *f)
{
    const struct orr_cluster *c = f->analysis->cluster;
    int32_t least = INT32_MAX, most = 0;
    uint32_t hosts = 0;
    if (!c)
        return;
    for (uint32_t k = 0; k < c->kind_count; k++) {
        int32_t own = orr_kind_channels(&c->kinds[k]);
        least = own < least ? own : least;
        most = own > most ? own : most;
    }
    struct orr_phrases phrases = {.length = 0};
    for (uint32_t k = 0; k < c->kind_count && least < most; k++) {
        if (orr_kind_channels(&c->kinds[k]) != least)
            continue;
        hosts += c->kinds[k].host_count;
        char who[ORR_HOSTS_TEXT];
        orr_kind_hosts_text(c, k, who);
        orr_add_phrase(&phrases, "%s allow%s %d channel%s, others up to %d", who,
                       c->kinds[k].host_count == 1 ? "s" : "", least, orr_plural(least), most);
    }
    if (2 * hosts <= c->host_count)
        orr_say_phrases(f, &phrases);
}

static void uneven_hosts(struct orr_finder *f)
{
    const struct orr_communicator *comm = &f->analysis->communicator;
    if (f->analysis->cluster && comm->min_local_ranks != comm->max_local_ranks)
        orr_say(f, "hosts have %u to %u GPUs", comm->min_local_ranks, comm->max_local_ranks);
}

/* NCCL compares neither value between nodes; some ranks would then wait for a kernel that others do not run. */
static void nodes_choose_differently(struct orr_finder *f)
{
    static const enum orr_device_fact facts[] = {ORR_DEVICE_SYMMETRIC, ORR_DEVICE_KERNELS};
    struct orr_device_side device;
    if (!f->analysis->cluster || orr_device_decide(f->analysis, f->arena, &device, NULL) != ORR_OK)
        return;
    for (size_t i = 0; i < sizeof facts / sizeof facts[0]; i++) {
        uint32_t other = orr_device_differs(&device, facts[i]);
        if (!other)
            continue;
        const struct orr_device_nodes *no =
            orr_device_verdict(&device, facts[i])->value ? &device.kinds[other] : &device.kinds[0];
        const char *why = no->verdicts[facts[i]].sentence;
        orr_say(f, "%s may be used on the node with rank %d and not on that with rank %d: %.*s",
                facts[i] == ORR_DEVICE_KERNELS ? "symmetric kernels" : "symmetric memory",
                no == &device.kinds[0] ? device.kinds[other].first_rank : device.kinds[0].first_rank, no->first_rank,
                (int)strlen(why) - 1, why);
        return;
    }
}

const struct orr_finding_row orr_findings_cluster[] = {
    {ORR_FINDING("nodes-choose-differently", NULL, WARNING, ANALYSIS, nodes_choose_differently),
     .title = "Nodes would run different kernels for buffers in symmetric windows",
     .why = "NCCL does not compare between nodes whether symmetric kernels may run. If nodes differ, some ranks run "
            "another kernel than the rest, and a job with symmetric windows hangs or fails.",
     .advice =
         "Use the same number of GPUs on every node, or run the job without symmetric windows (NCCL_WIN_ENABLE=0).",
     .follows_from = {"cluster-odd-host"}},
    {ORR_FINDING("cluster-nic-order", "L91", WARNING, ANALYSIS, nics_in_another_order),
     .title = "NICs are in a different order on another host",
     .why = "NCCL assumes that NICs with the same number are on the same rail. Here they belong to different GPUs.",
     .advice = "Give the NICs the same names on every host, or list them in the same order in NCCL_IB_HCA.",
     .commands = {"ibdev2netdev -v"}, .references = {"NVIDIA/nccl#1277", "NVIDIA/nccl#1363"},
     .follows_from = {"cluster-odd-host"}},
    {ORR_FINDING("host-sets-channels", "L92", INFO, ANALYSIS, sets_the_channels),
     .title = "One kind of host limits the number of channels",
     .why = "All ranks use the same number of channels, so the host with the fewest limits all of them.",
     .advice = "Compare these hosts with the others, and repair what they lack. Until then, a job without them may use "
               "more channels.",
     .references = {"NVIDIA/nccl#856"}, .follows_from = {"cluster-odd-host"}},
    {ORR_FINDING("uneven-hosts", "L93", INFO, ANALYSIS, uneven_hosts), .title = "Hosts use different numbers of GPUs",
     .why = "Rings then enter and leave hosts through GPUs and NICs of different rails.",
     .advice = "Use the same number of GPUs, and the same ones, on every host.", .references = {"NVIDIA/nccl#836"}},
    {0},
};
