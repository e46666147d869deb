/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about which devices take part, and how they are identified. */
#include "engine/base/sorting.h"
#include "engine/findings/finder.h"

static uint32_t count_ranked(const struct orr_finder *f)
{
    uint32_t ranked = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        ranked += orr_element_text(f->dump, f->hw.gpus[i], ORR_ATTR_RANK) != NULL;
    return ranked;
}

static void no_gpu(struct orr_finder *f)
{
    if (!f->hw.gpu_count)
        orr_say(f, "0 gpu elements, none with a rank attribute");
}

static void no_ranked_gpu(struct orr_finder *f)
{
    if (f->hw.gpu_count && !count_ranked(f))
        orr_say(f, "%u gpu elements, none with a rank attribute", f->hw.gpu_count);
}

static void unranked_gpus(struct orr_finder *f)
{
    uint32_t ranked = count_ranked(f);
    if (!ranked || ranked == f->hw.gpu_count)
        return;
    orr_say(f, "%u of %u gpu elements have no rank", f->hw.gpu_count - ranked, f->hw.gpu_count);
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        if (!orr_element_text(f->dump, f->hw.gpus[i], ORR_ATTR_RANK))
            orr_point(f, f->hw.gpus[i]);
}

/* The ranks of a host usually go up by one, or by the number of hosts if the hosts take turns. */
static void rank_holes(struct orr_finder *f)
{
    int32_t *ranks = ORR_NEW(f->arena, int32_t, f->hw.gpu_count);
    uint32_t count = 0;
    for (uint32_t i = 0; ranks && i < f->hw.gpu_count; i++)
        if (orr_element_text(f->dump, f->hw.gpus[i], ORR_ATTR_RANK))
            ranks[count++] = orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_RANK, 0);
    if (count < 3)
        return;
    qsort(ranks, count, sizeof *ranks, orr_by_number);
    int64_t step = (int64_t)ranks[1] - ranks[0];
    for (uint32_t i = 2; i < count; i++) /* the least step is the rule, a larger one the hole */
        step = (int64_t)ranks[i] - ranks[i - 1] < step ? (int64_t)ranks[i] - ranks[i - 1] : step;
    for (uint32_t i = 1; i < count; i++)
        if ((int64_t)ranks[i] - ranks[i - 1] > step && step > 0) {
            orr_say(f, "rank %d is followed by rank %d, where others increase by %lld", ranks[i - 1], ranks[i],
                    (long long)step);
            break;
        }
    for (uint32_t i = 0; f->at->detail && i < f->hw.gpu_count; i++)
        if (!orr_element_text(f->dump, f->hw.gpus[i], ORR_ATTR_RANK))
            orr_point(f, f->hw.gpus[i]);
}

static bool is_kept(const struct orr_finder *f, uint32_t element)
{
    return orr_element_int(f->dump, element, ORR_ATTR_KEEP, 0) == 1;
}

/* NCCL keeps elements with keep="1", those inside them and those around them; a dump is written after that. */
static void would_be_trimmed(struct orr_finder *f)
{
    unsigned char *kept = ORR_NEW(f->arena, unsigned char, f->dump->element_count);
    uint32_t marks = 0, gpus = 0, nets = 0;
    for (uint32_t i = 0; kept && i < f->dump->element_count; i++) {
        uint32_t around = f->dump->elements[i].parent;
        kept[i] = is_kept(f, i) || (around != ORR_NO_ELEMENT && kept[around]);
        marks += is_kept(f, i);
    }
    if (!marks)
        return;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        if (!kept[f->hw.gpus[i]]) {
            gpus++;
            orr_point(f, f->hw.gpus[i]);
        }
    for (uint32_t i = 0; i < f->hw.net_count; i++)
        if (!kept[f->hw.nets[i]]) {
            nets++;
            orr_point(f, f->hw.nets[i]);
        }
    if (gpus + nets)
        orr_say(f, "%u elements have keep=\"1\"; %u GPUs and %u ports do not", marks, gpus, nets);
}

/* Points at the GPUs outside the first group. */
static void point_at_groups(struct orr_finder *f)
{
    for (uint32_t rank = 0; rank < f->analysis->local_ranks; rank++)
        if (f->analysis->part_of_rank[rank])
            orr_point_rank(f, (int32_t)rank);
}

static bool is_split(const struct orr_analysis *a)
{
    return a->part_count > 1 && a->built.host_count < 2;
}

/* Some releases use the network although shared memory works, if the network is better. */
static bool network_is_chosen(const struct orr_analysis *a)
{
    const struct orr_settings *settings = &a->query.settings;
    return settings->release->separation == ORR_APART_WHERE_NETWORK_IS_BETTER &&
           orr_setting_int(settings, ORR_SET_SHM_DISABLE) != 1;
}

static void host_is_split(struct orr_finder *f)
{
    if (!is_split(f->analysis) || network_is_chosen(f->analysis))
        return;
    orr_say(f, "%u GPUs form %u groups that reach each other only through the network", f->analysis->local_ranks,
            f->analysis->part_count);
    point_at_groups(f);
}

static void network_is_better(struct orr_finder *f)
{
    if (!is_split(f->analysis) || !network_is_chosen(f->analysis))
        return;
    orr_say(f, "%u GPUs form %u groups, because their NICs are faster than the paths between the groups",
            f->analysis->local_ranks, f->analysis->part_count);
    point_at_groups(f);
}

struct named { /* sorted so that the same names on one host are adjacent */
    const char *host, *name;
    uint32_t element;
};

ORR_COMPARATOR(compare_named, struct named, strcmp(a->host, b->host), strcmp(a->name, b->name),
               ORR_ORDER(a->element, b->element))

/* Points at every element after the first that has the same attribute on the same host. If a further attribute (OTHER
 * if there is none) is also equal, they are one device that is written twice, and no fault. */
static void find_twice(struct orr_finder *f, const uint32_t *elements, uint32_t count, enum orr_attr attr,
                       enum orr_attr unless, const char *what)
{
    struct named *named = ORR_NEW(f->arena, struct named, count);
    uint32_t kept = 0;
    for (uint32_t i = 0; named && i < count; i++) {
        const char *name = orr_attr_of(f, elements[i], attr);
        if (*name)
            named[kept++] = (struct named){orr_host_of(f, elements[i]), name, elements[i]};
    }
    if (!kept)
        return;
    qsort(named, kept, sizeof *named, compare_named);
    for (uint32_t i = 1; i < kept; i++)
        if (!strcmp(named[i].name, named[i - 1].name) && !strcmp(named[i].host, named[i - 1].host) &&
            (unless == ORR_ATTR_OTHER ||
             strcmp(orr_attr_of(f, named[i].element, unless), orr_attr_of(f, named[i - 1].element, unless)) != 0)) {
            if (!f->at->detail)
                orr_say(f, "%s %.60s appears twice", what, named[i].name);
            orr_point(f, named[i].element);
        }
}

static void gpus_twice(struct orr_finder *f)
{
    find_twice(f, f->hw.gpus, f->hw.gpu_count, ORR_ATTR_RANK, ORR_ATTR_OTHER, "rank");
}

/* On a host, each bus id must name only one device. */
static void bus_twice(struct orr_finder *f)
{
    uint32_t *cards = ORR_NEW(f->arena, uint32_t, f->hw.card_count);
    for (uint32_t i = 0; cards && i < f->hw.card_count; i++)
        cards[i] = f->hw.cards[i].element;
    if (cards)
        find_twice(f, cards, f->hw.card_count, ORR_ATTR_BUSID, ORR_ATTR_OTHER, "bus id");
}

/* Numbers of GPUs and of NICs: partitions of a GPU share theirs, and what a NIC offers beside plain networking has
 * numbers of its own. NCCL writes an interface that is not a PCI device once for each CPU. */
static void number_twice(struct orr_finder *f)
{
    uint32_t *some = ORR_NEW(f->arena, uint32_t, f->hw.gpu_count + f->hw.net_count), count = 0;
    for (uint32_t i = 0; some && i < f->hw.gpu_count; i++)
        if (orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_MLOPART, -1) < 0)
            some[count++] = f->hw.gpus[i];
    if (some)
        find_twice(f, some, count, ORR_ATTR_DEV, ORR_ATTR_OTHER, "number of GPU");
    count = 0;
    for (uint32_t i = 0; some && i < f->hw.net_count; i++)
        if (!orr_element_int(f->dump, f->hw.nets[i], ORR_ATTR_GIN, 0) &&
            !orr_element_int(f->dump, f->hw.nets[i], ORR_ATTR_RMA, 0))
            some[count++] = f->hw.nets[i];
    if (some)
        find_twice(f, some, count, ORR_ATTR_DEV, ORR_ATTR_NAME, "number of NIC");
}

static void guid_twice(struct orr_finder *f)
{
    /* The guid of a plain network interface is a number that NCCL made up. */
    uint32_t *rdma = ORR_NEW(f->arena, uint32_t, f->hw.net_count), count = 0;
    for (uint32_t i = 0; rdma && i < f->hw.net_count; i++)
        if (orr_name_is_rdma(orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME)))
            rdma[count++] = f->hw.nets[i];
    if (rdma)
        find_twice(f, rdma, count, ORR_ATTR_GUID, ORR_ATTR_NAME, "guid");
}

#define NOTHING_TO_ANALYSE                                                                                             \
    "NCCL computes paths, rings and trees between the GPUs of a job. Without GPUs there is nothing to analyse."
#define RUN_A_JOB                                                                                                      \
    "Topology files of cloud providers describe the PCIe tree only. Run a job with NCCL_TOPO_FILE set "                \
    "to this file and NCCL_TOPO_DUMP_FILE=/tmp/topo.xml, and send the dump."

const struct orr_finding_row orr_findings_ranks[] = {
    {ORR_FINDING("no-gpu", NULL, ERROR, DUMP, no_gpu), .title = "The file has no GPUs", .why = NOTHING_TO_ANALYSE,
     .advice = RUN_A_JOB},
    {ORR_FINDING("no-ranked-gpu", NULL, ERROR, DUMP, no_ranked_gpu), .title = "No GPU of the file has a rank",
     .why = NOTHING_TO_ANALYSE, .advice = RUN_A_JOB},
    {ORR_FINDING("unranked-gpus", "L07", INFO, DUMP, unranked_gpus), .title = "Some GPUs have no rank",
     .why = "NCCL leaves GPUs without a rank out of the communicator.",
     .advice = "This is expected if the job used only some of the GPUs (CUDA_VISIBLE_DEVICES, a container)."},
    {ORR_FINDING("rank-holes", "L07", INFO, DUMP, rank_holes), .title = "Rank numbers are missing",
     .why = "Either GPUs of this host are missing from the file, or the launcher assigned ranks unevenly. NCCL leaves "
            "out GPUs without a rank.",
     .advice = "Check that the file contains all GPUs of the job on this host (CUDA_VISIBLE_DEVICES, containers).",
     .commands = {"nvidia-smi -L"}},
    {ORR_FINDING("would-be-trimmed", "L07", INFO, NCCL, would_be_trimmed),
     .title = "NCCL would remove some of these devices",
     .why = "The file was written before NCCL removed unused devices. NCCL's graph contains only the devices marked "
            "with keep.",
     .advice = "Remove the keep attributes, or the unused devices."},
    {ORR_FINDING("host-is-split", "L07", INFO, ANALYSIS, host_is_split),
     .title = "The GPUs of one host are split into groups",
     .why = "The groups can only reach each other through NICs, because neither P2P nor shared memory connects them.",
     .advice = "Check NCCL_P2P_DISABLE, NCCL_P2P_LEVEL and NCCL_SHM_DISABLE, and that containers share /dev/shm.",
     .follows_from = {"neither-p2p-nor-shm", "setting-hinders"}},
    {ORR_FINDING("network-is-better", "L07", INFO, ANALYSIS, network_is_better),
     .title = "NCCL uses the network between GPUs of one host",
     .why = "No P2P is possible between the groups, and each GPU reaches its NIC with more bandwidth than the GPUs of "
            "another group. This release of NCCL then treats the groups like separate hosts.",
     .advice =
         "The NICs of all groups must reach one another through the network. If they do, nothing has to be changed.",
     .commands = {"nvidia-smi topo -m", "nvidia-smi topo -p2p r"},
     .follows_from = {"setting-hinders", "nvlink-count", "nvlink-zero"}},
    {ORR_FINDING("rank-twice", "L08", ERROR, DUMP, gpus_twice), .title = "Two GPUs have the same rank",
     .why = "A rank is exactly one GPU. NCCL would confuse the two.",
     .advice = "Let NCCL write the dump again, or give each GPU its own rank."},
    {ORR_FINDING("bus-id-twice", "L08", ERROR, DUMP, bus_twice), .title = "Two devices of a host have the same bus id",
     .why = "NCCL finds devices by their bus id and would confuse the two.",
     .advice = "Let NCCL write the dump again. In a file written by hand, bus ids can be invented but must not repeat.",
     .commands = {"lspci -D"}, .references = {"NVIDIA/nccl#1843"}},
    {ORR_FINDING("number-twice", "L08", ERROR, DUMP, number_twice),
     .title = "Two GPUs or two NICs of a host have the same number",
     .why = "dev is the number that the driver or the network plugin gives a device. NCCL would use one device twice.",
     .advice = "Let NCCL write the dump again, or give each device its own number."},
    {ORR_FINDING("guid-twice", "L08", INFO, DUMP, guid_twice), .title = "Several ports share one GUID",
     .why = "NCCL treats them as one card, so they share the card's bandwidth in the search. They are two ports of one "
            "card, or a physical function and its virtual function.",
     .advice = "If one of them is a virtual function of the other, exclude one with NCCL_IB_HCA.",
     .commands = {"ibdev2netdev -v"}, .references = {"NVIDIA/nccl#1422"}},
    {0},
};
