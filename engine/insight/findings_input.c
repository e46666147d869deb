/* Findings about the file itself. */
#include "engine/insight/finder.h"

static uint32_t count_ranked(const struct orr_finder *f)
{
    uint32_t ranked = 0;
    for (uint32_t i = 0; i < f->gpu_count; i++)
        ranked += orr_element_text(f->dump, f->gpus[i], ORR_ATTR_RANK) != NULL;
    return ranked;
}

static void no_gpu(struct orr_finder *f)
{
    if (!f->gpu_count)
        orr_say(f, "0 gpu elements, none with a rank attribute");
}

static void no_ranked_gpu(struct orr_finder *f)
{
    if (f->gpu_count && !count_ranked(f))
        orr_say(f, "%u gpu elements, none with a rank attribute", f->gpu_count);
}

static void unranked_gpus(struct orr_finder *f)
{
    uint32_t ranked = count_ranked(f);
    if (!ranked || ranked == f->gpu_count)
        return;
    orr_say(f, "%u of %u gpu elements have no rank", f->gpu_count - ranked, f->gpu_count);
    for (uint32_t i = 0; i < f->gpu_count; i++)
        if (!orr_element_text(f->dump, f->gpus[i], ORR_ATTR_RANK))
            orr_point(f, f->gpus[i]);
}

static void host_is_split(struct orr_finder *f)
{
    if (f->analysis->part_count < 2 || f->analysis->built.host_count > 1)
        return;
    orr_say(f, "%u GPUs form %u groups that reach each other by the network only", f->analysis->local_ranks,
            f->analysis->part_count);
    for (uint32_t rank = 0; rank < f->analysis->local_ranks; rank++)
        if (f->analysis->part_of_rank[rank])
            orr_point_rank(f, (int32_t)rank);
}

static void nccl_refuses(struct orr_finder *f)
{
    if (!f->dump->refusal.line)
        return;
    orr_say(f, "%s", f->dump->refusal.text);
    orr_point(f, ORR_NO_ELEMENT);
    f->at->places[0].line = f->dump->refusal.line;
    f->at->places[0].column = f->dump->refusal.column;
}

static void ignored_elements(struct orr_finder *f)
{
    if (!f->dump->ignored_count)
        return;
    orr_say(f, "%u elements, the first is <%s>", f->dump->ignored_count, f->dump->ignored_name);
    orr_point(f, ORR_NO_ELEMENT);
    f->at->places[0].line = f->dump->ignored_line;
}

static void cpu_incomplete(struct orr_finder *f)
{
    static const enum orr_attr needed[] = {ORR_ATTR_ARCH, ORR_ATTR_VENDOR, ORR_ATTR_FAMILYID, ORR_ATTR_MODELID};
    const char *first = NULL;
    for (uint32_t i = 0; i < f->cpu_count; i++) {
        uint32_t cpu = f->cpus[i];
        bool x86 = !strcmp(orr_attr_of(f, cpu, ORR_ATTR_ARCH), "x86_64"), missing = false;
        for (size_t a = 0; a < sizeof needed / sizeof needed[0] && (!a || x86); a++)
            if (!orr_element_text(f->dump, cpu, needed[a])) {
                first = first ? first : orr_attr_name(needed[a]);
                missing = true;
            }
        if (missing && f->dump->elements[cpu].first_child != ORR_NO_ELEMENT)
            orr_point(f, cpu);
    }
    if (f->at->place_count)
        orr_say(f, "the first attribute that is missing is %s", first);
}

static void unknown_attributes(struct orr_finder *f)
{
    const char *first = NULL;
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->dump->element_count; i++) {
        const struct orr_element *element = &f->dump->elements[i];
        bool odd = false;
        for (uint32_t a = 0; a < element->attribute_count; a++)
            if (f->dump->attributes[element->first_attribute + a].id == ORR_ATTR_OTHER) {
                first = first ? first : f->dump->attributes[element->first_attribute + a].name;
                odd = true;
                count++;
            }
        if (odd)
            orr_point(f, i);
    }
    if (count)
        orr_say(f, "%u attributes, the first is %.60s", count, first);
}

static void many_elements(struct orr_finder *f)
{
    const struct orr_release *release = f->analysis->query.settings.release;
    if (f->analysis->built.host_count > 1)
        return; /* of such a domain NCCL makes room for each host */
    if (f->dump->element_count >= release->max_elements)
        orr_say(f, "%u elements; NCCL %s has room for %u", f->dump->element_count, release->name,
                release->max_elements - 1);
}

static void numa_unknown(struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->cpu_count; i++)
        if (orr_element_int(f->dump, f->cpus[i], ORR_ATTR_NUMAID, 0) < 0)
            orr_point(f, f->cpus[i]);
    if (f->at->place_count)
        orr_say(f, "numaid=\"-1\" on %u of %u cpu elements", f->at->place_count + f->at->more_places, f->cpu_count);
}

struct named { /* sorted so that the same name on the same host stands together */
    const char *host, *name;
    uint32_t element;
};

static int compare_named(const void *left, const void *right)
{
    const struct named *a = left, *b = right;
    int by_host = strcmp(a->host, b->host), by_name = strcmp(a->name, b->name);
    return by_host ? by_host : by_name ? by_name : (a->element > b->element) - (a->element < b->element);
}

/* Points at every element after the first that has the same attribute on the same host. */
static void find_twice(struct orr_finder *f, const uint32_t *elements, uint32_t count, enum orr_attr attr, bool of_card,
                       const char *what)
{
    struct named *named = ORR_NEW(f->arena, struct named, count);
    uint32_t kept = 0;
    f->starved |= !named;
    for (uint32_t i = 0; named && i < count; i++) {
        uint32_t card = f->card_of[elements[i]];
        uint32_t from = !of_card ? elements[i] : card == UINT32_MAX ? ORR_NO_ELEMENT : f->cards[card].element;
        const char *name = orr_attr_of(f, from, attr);
        if (*name)
            named[kept++] = (struct named){orr_host_of(f, elements[i]), name, elements[i]};
    }
    if (!kept)
        return;
    qsort(named, kept, sizeof *named, compare_named);
    for (uint32_t i = 1; i < kept; i++)
        if (!strcmp(named[i].name, named[i - 1].name) && !strcmp(named[i].host, named[i - 1].host)) {
            if (!f->at->detail)
                orr_say(f, "%s %.60s stands twice", what, named[i].name);
            orr_point(f, named[i].element);
        }
}

static void gpus_twice(struct orr_finder *f)
{
    find_twice(f, f->gpus, f->gpu_count, ORR_ATTR_RANK, false, "rank");
}

static void guid_twice(struct orr_finder *f)
{
    find_twice(f, f->nets, f->net_count, ORR_ATTR_GUID, false, "guid");
}

static void several_hosts(struct orr_finder *f)
{
    for (uint32_t i = 1; i < f->cpu_count; i++)
        if (strcmp(orr_host_of(f, f->cpus[i]), orr_host_of(f, f->cpus[0])) != 0) {
            orr_say(f, "host_hash %.40s and %.40s", orr_host_of(f, f->cpus[0]), orr_host_of(f, f->cpus[i]));
            orr_point(f, f->cpus[i]);
            return;
        }
}

#define NOTHING_TO_ANALYSE                                                                                             \
    "NCCL computes paths, rings and trees between the GPUs that take part; there is nothing to analyse."
#define RUN_A_JOB                                                                                                      \
    "Topology files of cloud providers describe the PCIe tree only. Run a job with NCCL_TOPO_FILE set "                \
    "to this file and NCCL_TOPO_DUMP_FILE=/tmp/topo.xml, and send the dump."

const struct orr_finding_row orr_findings_input[] = {
    {
        .id = "no-gpu",
        .severity = ORR_SEVERITY_ERROR,
        .find = no_gpu,
        .title = "The file holds no GPUs",
        .why = NOTHING_TO_ANALYSE,
        .advice = RUN_A_JOB,
    },
    {
        .id = "no-ranked-gpu",
        .severity = ORR_SEVERITY_ERROR,
        .find = no_ranked_gpu,
        .title = "No GPU of the file has a rank",
        .why = NOTHING_TO_ANALYSE,
        .advice = RUN_A_JOB,
    },
    {
        .id = "nccl-refuses-file",
        .catalogue = "L01",
        .severity = ORR_SEVERITY_WARNING,
        .find = nccl_refuses,
        .title = "NCCL's own reader would refuse this file",
        .why = "NCCL reads topology files with a small reader of its own that knows less than XML allows. The analysis "
               "holds for the machine, but NCCL_TOPO_FILE with this file would fail.",
        .advice = "Mend the named line, or let NCCL write the file (NCCL_TOPO_DUMP_FILE).",
    },
    {
        .id = "cpu-incomplete",
        .catalogue = "L02",
        .severity = ORR_SEVERITY_ERROR,
        .find = cpu_incomplete,
        .title = "A cpu lacks attributes that NCCL requires",
        .why = "NCCL stops with \"Attribute ... of node cpu not found\" where it does not fill them in itself.",
        .advice = "Add arch, and for x86_64 vendor, familyid and modelid, as `lscpu` shows them.",
        .commands = {"lscpu"},
        .references = {"NVIDIA/nccl#379", "aws/aws-ofi-nccl#785"},
    },
    {
        .id = "many-elements",
        .catalogue = "L05",
        .severity = ORR_SEVERITY_ERROR,
        .of_analysis = true,
        .find = many_elements,
        .title = "More elements than the release has room for",
        .why = "NCCL fails with \"too many XML nodes\" when it starts.",
        .advice = "Remove bridges without GPUs or NICs below them from the file, or use another release.",
        .references = {"NVIDIA/nccl#2160", "aws/aws-ofi-nccl#1226"},
    },
    {
        .id = "numa-unknown",
        .catalogue = "L06",
        .severity = ORR_SEVERITY_INFO,
        .find = numa_unknown,
        .title = "The NUMA node of devices is not known",
        .why = "A virtual machine or container hides it. Devices seem to be near one CPU, and NCCL cannot bind threads "
               "to the right cores.",
        .advice = "In a virtual machine, supply a topology file of the real machine (NCCL_TOPO_FILE).",
        .commands = {"cat /sys/class/pci_bus/*/device/numa_node", "lscpu"},
        .references = {"NVIDIA/nccl#1674", "NVIDIA/nccl#811"},
    },
    {
        .id = "unranked-gpus",
        .catalogue = "L07",
        .severity = ORR_SEVERITY_INFO,
        .find = unranked_gpus,
        .title = "Some GPUs take no part",
        .why = "GPUs without a rank are not in the communicator; NCCL leaves them out.",
        .advice = "Expected where a job used some of the GPUs only (CUDA_VISIBLE_DEVICES, a container).",
    },
    {
        .id = "host-is-split",
        .catalogue = "L07",
        .severity = ORR_SEVERITY_INFO,
        .of_analysis = true,
        .find = host_is_split,
        .title = "The GPUs of the host fall apart into groups",
        .why =
            "NCCL separates GPUs that neither P2P nor shared memory joins, or that NICs join better; the groups talk "
            "through NICs.",
        .advice = "Check NCCL_P2P_DISABLE, NCCL_P2P_LEVEL and NCCL_SHM_DISABLE, and that containers share /dev/shm.",
    },
    {
        .id = "rank-twice",
        .catalogue = "L08",
        .severity = ORR_SEVERITY_ERROR,
        .find = gpus_twice,
        .title = "Two GPUs have the same rank",
        .why = "A rank is one GPU; NCCL would take them for one another.",
        .advice = "Let NCCL write the dump again, or number the ranks.",
    },
    {
        .id = "guid-twice",
        .catalogue = "L08",
        .severity = ORR_SEVERITY_INFO,
        .find = guid_twice,
        .title = "Several ports show the same guid",
        .why = "They count as one card, whose bandwidth they share in the search: two ports of a card, or a physical "
               "and a virtual function of one.",
        .advice = "Where a virtual function stands beside its physical one, leave one out with NCCL_IB_HCA.",
        .commands = {"ibdev2netdev -v"},
        .references = {"NVIDIA/nccl#1422"},
    },
    {
        .id = "ignored-elements",
        .catalogue = "L09",
        .severity = ORR_SEVERITY_INFO,
        .find = ignored_elements,
        .title = "Elements at places where NCCL does not look",
        .why = "They and what is inside them change nothing.",
        .advice = "Check that they were not put there in the hope of an effect.",
    },
    {
        .id = "unknown-attributes",
        .catalogue = "L09",
        .severity = ORR_SEVERITY_INFO,
        .find = unknown_attributes,
        .title = "Attributes that mean nothing to NCCL",
        .why = "No emulated release reads them; they change nothing.",
        .advice = "Check for typing mistakes.",
    },
    {
        .id = "several-hosts",
        .catalogue = "L10",
        .severity = ORR_SEVERITY_INFO,
        .find = several_hosts,
        .title = "The dump describes several hosts that NVLink joins",
        .why = "NCCL fuses the hosts of a multi-node NVLink domain into one topology.",
        .advice = "Such a dump cannot serve as NCCL_TOPO_FILE: take one of a single host for that.",
    },
    {0},
};
