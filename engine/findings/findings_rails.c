/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about rails, which are networks of NICs: by the NICs' numbers, and by the description of a cluster. */
#include <stdio.h>

#include "engine/base/sorting.h"
#include "engine/cluster/rails.h"
#include "engine/cluster/standing.h"
#include "engine/findings/phrases.h"
#include "engine/findings/rails.h"

enum { RAILS_TEXT = 160, MOST_NICS = 64 };

int32_t orr_nic_role(const struct orr_part *part, uint32_t net)
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

/* The numbers of the NICs that are near a GPU of the job, a bit each. */
static uint64_t nics_in_use(const struct orr_part *part)
{
    uint64_t used = 0;
    for (uint32_t n = part->system.first[ORR_NET]; n < part->system.first[ORR_NET + 1]; n++) {
        const int32_t dev = part->system.nodes[n].net.dev;
        if (dev >= 0 && dev < MOST_NICS && orr_nic_role(part, n) >= 0)
            used |= UINT64_C(1) << dev;
    }
    return used;
}

bool orr_on_other_rails(const struct orr_cluster *c, uint32_t kind)
{
    const struct orr_analysis *first = c->kinds[0].analysis, *other = c->kinds[kind].analysis;
    const uint64_t here = nics_in_use(&other->parts[0]), there = nics_in_use(&first->parts[0]);
    return other->local_ranks == first->local_ranks && here != there &&
           __builtin_popcountll(here) == __builtin_popcountll(there);
}

/* "0-3", "0,2": NICs by their numbers. */
static const char *numbers_text(uint64_t used, char text[RAILS_TEXT])
{
    size_t length = 0;
    text[0] = '\0';
    for (int bit = 0; bit < MOST_NICS && length < RAILS_TEXT - 20; bit++) {
        int last = bit;
        if (!(used >> bit & 1))
            continue;
        while (last + 1 < MOST_NICS && used >> (last + 1) & 1)
            last++;
        length += (size_t)snprintf(text + length, RAILS_TEXT - length, last > bit ? "%s%d-%d" : "%s%d",
                                   length ? "," : "", bit, last);
        bit = last;
    }
    return text;
}

/* The rails of the NICs near the job's GPUs on the hosts of a line, sorted, each once; 0 if the description lacks the
 * rail of one of them. */
static uint32_t rails_of_line(const struct orr_cluster *c, uint32_t line, const char *rails[MOST_NICS])
{
    uint32_t host = 0, count = 0, kept = 0;
    while (host < c->host_count && c->hosts[host].line != line)
        host++;
    if (host == c->host_count || c->systems[c->hosts[host].system].host_count > 1)
        return 0;
    const struct orr_analysis *analysis = c->kinds[c->systems[c->hosts[host].system].kind].analysis;
    const struct orr_part *part = &analysis->parts[0];
    for (uint32_t n = part->system.first[ORR_NET]; n < part->system.first[ORR_NET + 1]; n++) {
        if (orr_nic_role(part, n) < 0)
            continue;
        const struct orr_cluster_nic *nic = orr_cluster_nic_of(c, host, analysis->dump, &part->system.nodes[n]);
        if (!nic || !nic->facts[ORR_NIC_RAIL] || count == MOST_NICS)
            return 0;
        rails[count++] = nic->facts[ORR_NIC_RAIL];
    }
    qsort(rails, count, sizeof *rails, orr_by_text);
    for (uint32_t i = 0; i < count; i++)
        if (!kept || strcmp(rails[kept - 1], rails[i]) != 0)
            rails[kept++] = rails[i];
    return kept;
}

static const char *labels_text(const char *const *rails, uint32_t count, char text[RAILS_TEXT])
{
    enum { NAMED = 8 };
    size_t length = (size_t)snprintf(text, RAILS_TEXT, "rail%s ", orr_plural(count));
    for (uint32_t i = 0; i < count && i < NAMED; i++)
        length += (size_t)snprintf(text + length, RAILS_TEXT - length, "%s%.12s", i ? ", " : "", rails[i]);
    if (count > NAMED)
        snprintf(text + length, RAILS_TEXT - length, " and others");
    return text;
}

/* By the rails of the description, line by line: equal machines may be cabled differently. */
static void rails_of_description(const struct orr_cluster *c, struct orr_phrases *phrases)
{
    const char *first[MOST_NICS], *rails[MOST_NICS];
    const uint32_t first_count = rails_of_line(c, 0, first);
    for (uint32_t l = 1; first_count && l < c->line_count; l++) {
        char here[RAILS_TEXT], there[RAILS_TEXT], here_hosts[ORR_HOSTS_TEXT], there_hosts[ORR_HOSTS_TEXT];
        const uint32_t count = rails_of_line(c, l, rails);
        uint32_t same = 0;
        while (same < count && count == first_count && !strcmp(rails[same], first[same]))
            same++;
        if (!count || same == first_count)
            continue;
        orr_line_hosts_text(c, l, here_hosts);
        orr_line_hosts_text(c, 0, there_hosts);
        orr_add_phrase(phrases, "the GPUs of the job are next to NICs of %s on %s, and of %s on %s",
                       labels_text(rails, count, here), here_hosts, labels_text(first, first_count, there),
                       there_hosts);
    }
}

static bool knows_rails(const struct orr_cluster *c)
{
    const char *rails[MOST_NICS];
    for (uint32_t l = 0; l < c->line_count; l++)
        if (!rails_of_line(c, l, rails))
            return false;
    return true;
}

static void different_rails(struct orr_finder *f)
{
    const struct orr_cluster *c = f->analysis->cluster;
    struct orr_phrases phrases = {.length = 0};
    if (c && knows_rails(c)) {
        rails_of_description(c, &phrases);
        orr_say_phrases(f, &phrases);
        if (phrases.length)
            orr_say_remedy(f, "Hosts use NICs of different rails: use the same GPUs or NICs on every host", NULL, NULL);
        return;
    }
    for (uint32_t k = 1; c && k < c->kind_count; k++) {
        char here[RAILS_TEXT], there[RAILS_TEXT], here_hosts[ORR_HOSTS_TEXT], there_hosts[ORR_HOSTS_TEXT];
        if (!orr_on_other_rails(c, k))
            continue;
        orr_kind_hosts_text(c, k, here_hosts);
        orr_kind_hosts_text(c, 0, there_hosts);
        orr_add_phrase(&phrases, "the GPUs of the job are next to NICs %s on %s, and to NICs %s on %s",
                       numbers_text(nics_in_use(&c->kinds[k].analysis->parts[0]), here), here_hosts,
                       numbers_text(nics_in_use(&c->kinds[0].analysis->parts[0]), there), there_hosts);
    }
    orr_say_phrases(f, &phrases);
}

static void name_net(const struct orr_analysis *analysis, const struct orr_node *net, char text[ORR_HOST_NAME])
{
    const char *name =
        net->element == ORR_NO_ELEMENT ? NULL : orr_element_text(analysis->dump, net->element, ORR_ATTR_NAME);
    if (name)
        snprintf(text, ORR_HOST_NAME, "%.30s", name);
    else
        snprintf(text, ORR_HOST_NAME, "NIC %d", net->net.dev);
}

/* "8 of the 16 hops of NCCL's rings between hosts leave their rail: the first goes from mlx5_1 of a (rail 1) to mlx5_0
 * of b (rail 0)". */
static void say_crossing(struct orr_finder *f, const struct orr_rails *rails)
{
    const struct orr_rail_hop *hop = &rails->first;
    const struct orr_cluster *c = f->analysis->cluster;
    const char *words = orr_nic_fact_words(hop->fact);
    char from[ORR_HOST_NAME], to[ORR_HOST_NAME], from_nic[ORR_HOST_NAME], to_nic[ORR_HOST_NAME];
    orr_host_text(c, hop->from_host, from);
    orr_host_text(c, hop->to_host, to);
    name_net(hop->from_analysis, hop->from_net, from_nic);
    name_net(hop->to_analysis, hop->to_net, to_nic);
    orr_say(f,
            "%llu of %llu hops of NCCL's rings between hosts change the %s, such as the one from %s of %s (%s %.40s) "
            "to %s of %s (%s %.40s)",
            (unsigned long long)rails->crossing, (unsigned long long)rails->hops, words, from_nic, from, words,
            hop->from, to_nic, to, words, hop->to);
    if (rails->turning == rails->crossing)
        orr_say_remedy(f, NULL,
                       "Set NCCL_CROSS_NIC=0 on all ranks: each ring then enters and leaves hosts by NICs of one rail.",
                       NULL);
}

static void find_crossing(struct orr_finder *f, bool isolated)
{
    struct orr_rails rails = {.hops = 0};
    if (f->analysis->cluster && orr_cluster_rails(f->analysis->cluster, &rails, NULL) == ORR_OK && rails.crossing &&
        rails.isolated == isolated)
        say_crossing(f, &rails);
}

static void rings_cross(struct orr_finder *f)
{
    find_crossing(f, false);
}

static void rings_cross_isolated(struct orr_finder *f)
{
    find_crossing(f, true);
}

/* Without PXN, a rank sends through its own NIC to the NIC of its peer, even if their rails differ. */
static void isolated_without_pxn(struct orr_finder *f)
{
    const struct orr_cluster *c = f->analysis->cluster;
    const struct orr_settings *settings = c ? &c->settings : NULL;
    const char *rails[MOST_NICS];
    if (!c || !c->lines[0].isolated || rails_of_line(c, 0, rails) < 2 ||
        orr_setting_int(settings, ORR_SET_CROSS_NIC) == 0)
        return;
    if (!orr_setting_in(ORR_SET_P2P_PXN_LEVEL, settings->release))
        orr_say(f, "NCCL %s has no PXN", settings->release->name);
    else if (orr_setting_int(settings, ORR_SET_PXN_DISABLE) == 1)
        orr_say(f, "NCCL_PXN_DISABLE=1 turns PXN off");
    else if (orr_setting_int(settings, ORR_SET_P2P_PXN_LEVEL) == 0)
        orr_say(f, "NCCL_P2P_PXN_LEVEL=0 turns PXN off for Send and Recv");
}

#define RAILS_WHY                                                                                                      \
    "NCCL does not know rails, leaf switches or subnets: it takes the NICs next to the GPUs, in the order of their "   \
    "numbers. "
#define RAILS_ADVICE                                                                                                   \
    "Use the same GPUs or NICs on every host: pin them by PCI address or NUMA node in the scheduler, and cable and "   \
    "number the NICs alike, or list them in the order of their rails in NCCL_IB_HCA."

const struct orr_finding_row orr_findings_rails[] = {
    {ORR_FINDING("rails-isolated", NULL, ERROR, ANALYSIS, rings_cross_isolated),
     .title = "NCCL connects NICs of isolated rails: use the same GPUs or NICs on every host",
     .why = RAILS_WHY "A connection between isolated rails times out or is refused.", .advice = RAILS_ADVICE,
     .commands = {"ibdev2netdev -v", "ip -br address"}, .references = {"ai-dynamo/dynamo#13596", "NVIDIA/nccl#1755"}},
    {ORR_FINDING("cluster-rails", NULL, WARNING, ANALYSIS, different_rails),
     .title = "Hosts use different GPUs, and so NICs of different rails: use the same GPUs on every host",
     .why = RAILS_WHY
     "If the rails are isolated, the hosts cannot reach one another; if not, all traffic crosses the spine.",
     .advice = "Give every worker the same GPUs and NICs of its host: pin them by PCI address or NUMA node in the "
               "scheduler. A DRA claim by itself may choose others.",
     .commands = {"nvidia-smi -L", "ibdev2netdev -v"}, .references = {"ai-dynamo/dynamo#13596", "NVIDIA/nccl#1755"},
     .follows_from = {"rails-isolated", "cluster-odd-host"}},
    {ORR_FINDING("rails-crossed", NULL, WARNING, ANALYSIS, rings_cross),
     .title = "Rings cross rails between hosts: use the same GPUs or NICs on every host",
     .why = RAILS_WHY "Traffic between rails crosses the spine, which may be slower or shared with others.",
     .advice = RAILS_ADVICE, .commands = {"ibdev2netdev -v", "ip -br address"},
     .references = {"NVIDIA/nccl#1755", "NVIDIA/nccl#1933"},
     .follows_from = {"cluster-rails", "cluster-nic-order", "cluster-odd-host"}},
    {ORR_FINDING("rails-need-pxn", NULL, WARNING, ANALYSIS, isolated_without_pxn),
     .title = "Send, Recv and all-to-all fail between isolated rails without PXN",
     .why = "With PXN, a rank hands its data over NVLink to the GPU on the rail of its peer. Without it, the rank "
            "sends by its own NIC, which cannot reach the NIC of the peer.",
     .advice =
         "Leave PXN on (unset NCCL_PXN_DISABLE and NCCL_P2P_PXN_LEVEL; NCCL 2.12 or later), or connect the rails.",
     .references = {"NVIDIA/nccl#1755"}, .follows_from = {"rails-isolated"}},
    {0},
};
