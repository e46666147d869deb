/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the hosts of a cluster, compared with one another. */
#include <stdio.h>

#include "engine/cluster/standing.h"
#include "engine/findings/phrases.h"

static uint32_t net_numbered(const struct orr_system *system, int32_t dev)
{
    for (uint32_t n = system->first[ORR_NET]; n < system->first[ORR_NET + 1]; n++)
        if (system->nodes[n].net.dev == dev)
            return n;
    return ORR_NO_NODE;
}

/* The rank of the GPU that a NIC is near: its role. -1 where it is near none. */
static int32_t role_of(const struct orr_part *part, uint32_t net)
{
    int32_t rank = -1;
    const struct orr_path *best = NULL;
    for (uint32_t g = part->system.first[ORR_GPU]; g < part->system.first[ORR_GPU + 1]; g++) {
        const struct orr_path *path = orr_path(&part->paths, net, g);
        if (!best || path->type < best->type || (path->type == best->type && path->bw > best->bw)) {
            best = path;
            rank = part->system.nodes[g].gpu.rank;
        }
    }
    return best && best->type <= ORR_PATH_PXB ? rank : -1;
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
            part->contribution.rank_count != first->contribution.rank_count)
            continue;
        for (uint32_t n = part->system.first[ORR_NET]; n < part->system.first[ORR_NET + 1]; n++) {
            int32_t dev = part->system.nodes[n].net.dev;
            uint32_t other = net_numbered(&first->system, dev);
            if (other == ORR_NO_NODE)
                continue;
            int32_t here = role_of(part, n), there = role_of(first, other);
            if (here != there) {
                char near_here[24], near_there[24], here_hosts[ORR_HOSTS_TEXT], there_hosts[ORR_HOSTS_TEXT];
                orr_kind_hosts_text(c, k, here_hosts);
                orr_kind_hosts_text(c, 0, there_hosts);
                snprintf(near_here, sizeof near_here, here < 0 ? "no GPU" : "GPU %d", here);
                snprintf(near_there, sizeof near_there, there < 0 ? "no GPU" : "GPU %d", there);
                orr_add_phrase(&phrases, "NIC %d is next to %s on %s, next to %s on %s", dev, near_here, here_hosts,
                               near_there, there_hosts);
                break;
            }
        }
    }
    orr_say_phrases(f, &phrases);
}

/* Only where at most half of the hosts hold the others up: what most have is how the machines are built. */
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

const struct orr_finding_row orr_findings_cluster[] = {
    {
        .id = "cluster-nic-order",
        .catalogue = "L91",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = nics_in_another_order,
        .title = "NICs are in a different order on another host",
        .why = "NCCL assumes that NICs with the same number are on the same rail. Here they belong to different GPUs.",
        .advice = "Give the NICs the same names on every host, or list them in the same order in NCCL_IB_HCA.",
        .commands = {"ibdev2netdev -v"},
        .references = {"NVIDIA/nccl#1277", "NVIDIA/nccl#1363"},
        .follows_from = {"cluster-odd-host"},
    },
    {
        .id = "host-sets-channels",
        .catalogue = "L92",
        .severity = ORR_SEVERITY_INFO,
        .of_analysis = true,
        .find = sets_the_channels,
        .title = "One kind of host limits the number of channels",
        .why = "All ranks use the same number of channels, so the host with the fewest limits all of them.",
        .advice = "Compare these hosts with the others, and repair what they lack. Until then, a job without them may "
                  "use more "
                  "channels.",
        .references = {"NVIDIA/nccl#856"},
        .follows_from = {"cluster-odd-host"},
    },
    {
        .id = "uneven-hosts",
        .catalogue = "L93",
        .severity = ORR_SEVERITY_INFO,
        .of_analysis = true,
        .find = uneven_hosts,
        .title = "Hosts use different numbers of GPUs",
        .why = "Rings then enter and leave hosts through GPUs and NICs of different rails.",
        .advice = "Use the same number of GPUs, and the same ones, on every host.",
        .references = {"NVIDIA/nccl#836"},
    },
    {0},
};
