/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the NVLink fabrics of a cluster's hosts. */
#include "engine/cluster/cluster.h"
#include "engine/cluster/standing.h"
#include "engine/findings/phrases.h"

/* The first line before l that is declared to be in l's domain and has a completed fabric. */
static uint32_t earlier_of_domain(const struct orr_cluster *c, uint32_t l)
{
    uint32_t o = 0;
    while (o < l && (!c->lines[o].domain || strcmp(c->lines[o].domain, c->lines[l].domain) != 0 ||
                     c->fabrics.clique_of_line[o] == UINT32_MAX))
        o++;
    return o;
}

static void domains_that_are_not_one(struct orr_finder *f)
{
    const struct orr_cluster *c = f->analysis->cluster;
    struct orr_phrases phrases = {.length = 0};
    for (uint32_t l = 0; c && l < c->line_count; l++) {
        uint32_t own = c->fabrics.clique_of_line[l];
        if (!c->lines[l].domain || own == UINT32_MAX)
            continue;
        uint32_t o = earlier_of_domain(c, l), other = c->fabrics.clique_of_line[o];
        if (other == own)
            continue;
        const struct orr_fabric *x = &c->fabrics.cliques[other].fabric, *y = &c->fabrics.cliques[own].fabric;
        char here[ORR_UUID_SIZE], there[ORR_UUID_SIZE], hosts[ORR_HOSTS_TEXT], others[ORR_HOSTS_TEXT];
        orr_line_hosts_text(c, o, others);
        orr_line_hosts_text(c, l, hosts);
        const bool several = c->lines[o].count > 1;
        if (!memcmp(x->uuid, y->uuid, sizeof x->uuid))
            orr_add_phrase(&phrases, "domain %s: %s %s in clique %u, %s in clique %u", c->lines[l].domain, others,
                           several ? "are" : "is", x->clique, hosts, y->clique);
        else
            orr_add_phrase(&phrases, "domain %s: %s %s in cluster %s, %s in %s%s", c->lines[l].domain, others,
                           several ? "are" : "is", orr_uuid_format(x->uuid, there), hosts,
                           orr_uuid_format(y->uuid, here),
                           x->clique == y->clique ? ", although both have the same clique number" : "");
    }
    orr_say_phrases(f, &phrases);
}

static void one_host_turns_domains_off(struct orr_finder *f)
{
    const struct orr_cluster *c = f->analysis->cluster;
    uint32_t most = 0;
    if (!c || (c->fabrics.rule != ORR_MNNVL_RULE_NOT_COMPLETED && c->fabrics.rule != ORR_MNNVL_RULE_NO_UUID))
        return;
    for (uint32_t q = 1; q < c->fabrics.clique_count; q++)
        most = c->fabrics.cliques[q].host_count > c->fabrics.cliques[most].host_count ? q : most;
    if (!c->fabrics.clique_count || c->fabrics.cliques[most].host_count < 2)
        return;
    uint32_t l = c->fabrics.line;
    char bad[ORR_HOSTS_TEXT], fused[ORR_HOSTS_TEXT];
    orr_line_hosts_text(c, l, bad);
    orr_line_hosts_text(c, c->fabrics.cliques[most].line, fused);
    if (c->fabrics.rule == ORR_MNNVL_RULE_NO_UUID)
        orr_say(f, "the fabric of %s has no UUID", bad);
    else
        orr_say(f, "the fabric of %s is %s, so the %u hosts of the clique of %s are not fused", bad,
                orr_fabric_state_name(c->fabrics.of_line[l].state), c->fabrics.cliques[most].host_count, fused);
}

const struct orr_finding_row orr_findings_fabric[] = {
    {ORR_FINDING("domain-split", "L82", WARNING, ANALYSIS, domains_that_are_not_one),
     .title = "Hosts that should share an NVLink domain do not",
     .why =
         "These hosts reach each other only through the network. NCCL uses NVLink between hosts only if cluster UUID "
         "and clique are both equal. Clique numbers repeat from rack to rack, so an equal clique alone is not enough.",
     .advice = "Compare ClusterUUID and CliqueId of these hosts (`nvidia-smi -q`), and check the IMEX domain. With "
               "NCCL 2.30.7, NCCL_MNNVL_CROSS_CLIQUE=1 uses NVLink between cliques of one UUID.",
     .commands = {"nvidia-smi -q | grep -A6 Fabric", "nvidia-imex-ctl -N"},
     .references = {"meta-pytorch/torchcomms#3612", "NVIDIA/nccl#1301"}},
    {ORR_FINDING("domain-unused", NULL, WARNING, ANALYSIS, one_host_turns_domains_off),
     .title = "One host keeps NVLink domains from being used",
     .why = "All hosts use the network. NCCL uses NVLink between hosts only if the fabric of every host in the "
            "communicator is completed and has a UUID.",
     .advice = "Bring up the fabric of that host: check the fabric manager, and the NVLinks of its GPUs.",
     .commands = {"nvidia-smi -q | grep -A6 Fabric"}, .references = {"NVIDIA/nccl#1301"}},
    {0},
};
