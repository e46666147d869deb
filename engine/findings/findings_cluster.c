/* Findings about the hosts of a cluster, compared with one another. */
#include <stdio.h>

#include "engine/cluster/setters.h"
#include "engine/findings/phrases.h"

/* What hosts are compared by. Each gives a text that is equal for equal hosts. */
static void describe_gpus(const struct orr_analysis *a, char *text, size_t size)
{
    int32_t low = INT32_MAX, high = 0;
    for (uint32_t g = a->built.first[ORR_GPU]; g < a->built.first[ORR_GPU + 1]; g++) {
        int32_t sm = a->built.nodes[g].gpu.sm;
        low = sm < low ? sm : low;
        high = sm > high ? sm : high;
    }
    uint32_t count = orr_system_count(&a->built, ORR_GPU);
    if (low == high)
        snprintf(text, size, "%u GPUs of capability %d", count, low);
    else
        snprintf(text, size, "%u GPUs of capability %d to %d", count, low, high);
}

static void describe_nics(const struct orr_analysis *a, char *text, size_t size)
{
    double sum = 0;
    for (uint32_t n = a->built.first[ORR_NET]; n < a->built.first[ORR_NET + 1]; n++)
        sum += (double)a->built.nodes[n].net.bw;
    snprintf(text, size, "%u NICs of %g GB/s together", orr_system_count(&a->built, ORR_NET), sum);
}

static void describe_nvlink(const struct orr_analysis *a, char *text, size_t size)
{
    double sum = 0;
    for (uint32_t l = 0; l < a->built.link_count; l++)
        sum += a->built.links[l].type == ORR_LINK_NVL ? (double)a->built.links[l].bw : 0;
    snprintf(text, size, "NVLink of %g GB/s in all", sum);
}

static void describe_pci(const struct orr_analysis *a, char *text, size_t size)
{
    double sum = 0;
    for (uint32_t l = 0; l < a->built.link_count; l++)
        sum += a->built.links[l].type == ORR_LINK_PCI ? (double)a->built.links[l].bw : 0;
    snprintf(text, size, "PCI links of %g GB/s in all", sum);
}

static void describe_ring(const struct orr_analysis *a, char *text, size_t size)
{
    const struct orr_graph *ring = &a->parts[0].contribution.graphs[ORR_GRAPH_RING];
    snprintf(text, size, "rings of type %s inside and %s outside", orr_path_type_name(ring->type_intra),
             orr_path_type_name(ring->type_inter));
}

enum { TEXT = 96 };

struct aspect {
    void (*describe)(const struct orr_analysis *analysis, char *text, size_t size);
    char (*texts)[TEXT]; /* [kind] */
    uint32_t *sharing;   /* [kind]: hosts with the same text */
};

static bool compare_hosts(struct orr_finder *f, struct aspect *aspect)
{
    const struct orr_cluster *c = f->analysis->cluster;
    aspect->texts = orr_arena_alloc(f->arena, c->kind_count, sizeof *aspect->texts);
    aspect->sharing = ORR_NEW(f->arena, uint32_t, c->kind_count);
    if (!aspect->texts || !aspect->sharing) {
        f->starved = true;
        return false;
    }
    for (uint32_t k = 0; k < c->kind_count; k++)
        aspect->describe(c->kinds[k].analysis, aspect->texts[k], TEXT);
    for (uint32_t k = 0; k < c->kind_count; k++)
        for (uint32_t j = 0; j < c->kind_count; j++)
            aspect->sharing[k] += strcmp(aspect->texts[k], aspect->texts[j]) ? 0 : c->kinds[j].host_count;
    return true;
}

/* Hosts that at most a quarter of all are like, where more than half are alike. */
static void differs_from_majority(struct orr_finder *f)
{
    struct aspect aspects[] = {{.describe = describe_gpus},
                               {.describe = describe_nics},
                               {.describe = describe_nvlink},
                               {.describe = describe_pci},
                               {.describe = describe_ring}};
    const struct orr_cluster *c = f->analysis->cluster;
    struct orr_phrases phrases = {.length = 0};
    for (size_t i = 0; c && i < sizeof aspects / sizeof aspects[0] && compare_hosts(f, &aspects[i]); i++) {
        uint32_t most = 0;
        for (uint32_t k = 1; k < c->kind_count; k++)
            most = aspects[i].sharing[k] > aspects[i].sharing[most] ? k : most;
        if (2 * aspects[i].sharing[most] <= c->host_count)
            continue;
        for (uint32_t k = 0; k < c->kind_count; k++)
            if (4 * aspects[i].sharing[k] <= c->host_count)
                orr_add_phrase(&phrases, "hosts[%u] (%u of %u hosts) has %s, most have %s", c->kinds[k].line,
                               c->kinds[k].host_count, c->host_count, aspects[i].texts[k], aspects[i].texts[most]);
    }
    orr_say_phrases(f, &phrases);
}

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
                char near_here[24], near_there[24];
                snprintf(near_here, sizeof near_here, here < 0 ? "no GPU" : "GPU %d", here);
                snprintf(near_there, sizeof near_there, there < 0 ? "no GPU" : "GPU %d", there);
                orr_add_phrase(&phrases, "NIC %d is at %s on hosts[%u], at %s on hosts[%u]", dev, near_here,
                               c->kinds[k].line, near_there, c->kinds[0].line);
                break;
            }
        }
    }
    orr_say_phrases(f, &phrases);
}

static void sets_the_channels(struct orr_finder *f)
{
    const struct orr_cluster *c = f->analysis->cluster;
    int32_t least = INT32_MAX, most = 0;
    if (!c)
        return;
    for (uint32_t k = 0; k < c->kind_count; k++) {
        int32_t own = orr_kind_channels(&c->kinds[k]);
        least = own < least ? own : least;
        most = own > most ? own : most;
    }
    struct orr_phrases phrases = {.length = 0};
    for (uint32_t k = 0; k < c->kind_count && least < most; k++)
        if (orr_kind_channels(&c->kinds[k]) == least)
            orr_add_phrase(&phrases, "hosts[%u] (%u of %u hosts) allows %d channels, others up to %d", c->kinds[k].line,
                           c->kinds[k].host_count, c->host_count, least, most);
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
        .id = "cluster-odd-host",
        .catalogue = "L90",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = differs_from_majority,
        .title = "A host differs from the majority",
        .why = "All hosts use the number of channels and the bandwidth of the weakest host.",
        .advice = "Compare this host with one of the others (`orrery compare`). Look for a failed device or a "
                  "different BIOS setting.",
        .commands = {"lspci -tv", "nvidia-smi topo -m"},
        .references = {"NVIDIA/nccl#856", "NVIDIA/nccl#1277"},
    },
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
        .advice = "Compare these hosts with the others, and repair what they lack. If they are few, run without them.",
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
