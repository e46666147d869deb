/* SPDX-License-Identifier: Apache-2.0 */
/* Turns a table of distances into a tree: PIX means the same switch, PXB a switch of switches, PHB and NODE the same
 * CPU, SYS another CPU. Values that the table does not contain are assumed, and notes say so. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/hardware/gpu_models.h"
#include "engine/input/matrix.h"
#include "engine/input/names.h"
#include "engine/machines/machine_types.h"

struct builder {
    const struct orr_matrix *matrix;
    const struct orr_machine_type *type;
    struct orr_draft *draft;
    struct orr_matrix_groups groups;
    uint32_t next_bus; /* domain and bus in one number */
    int32_t sm;
    bool to_switch;
    char buses[ORR_MATRIX_MOST][ORR_BUS_ID_SIZE];
};

static uint32_t links(const struct orr_matrix *matrix, uint32_t a, uint32_t b)
{
    return matrix->nvlinks[(size_t)a * matrix->count + b];
}

/* The compute capability by the most links between two GPUs, and the most links of one GPU. */
static int32_t sm_of_links(uint32_t most, uint32_t sum, uint32_t gpus)
{
    static const struct {
        uint32_t most, gpus;
        int32_t sm;
    } small[] = {{6, 4, 90}, {4, 2, 86}, {2, 2, 75}};
    if (most > 12 || sum == 18)
        return 90;
    if (most > 6 || sum == 12)
        return 80;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++)
        if (most == small[i].most && gpus == small[i].gpus)
            return small[i].sm;
    return most == 1 && sum == 4 ? 60 : 70;
}

/* The compute capability: from the type, from the GPUs' names in the text, or from the number of NVLinks. */
static const char *guess_sm(struct builder *b)
{
    const struct orr_matrix *matrix = b->matrix;
    uint32_t most = 0, sum = 0;
    if (b->type) {
        b->sm = orr_board_model(b->type->board)->sm;
        return NULL;
    }
    for (uint32_t i = 0; i < matrix->count; i++)
        if (matrix->devices[i].model && (b->sm = orr_gpu_sm_of_name(matrix->devices[i].model)))
            return NULL;
    for (uint32_t i = 0; i < matrix->count; i++) {
        uint32_t of_row = 0;
        for (uint32_t j = 0; j < matrix->count; j++) {
            most = links(matrix, i, j) > most ? links(matrix, i, j) : most;
            of_row += links(matrix, i, j);
        }
        sum = of_row > sum ? of_row : sum;
    }
    if (!most) {
        b->sm = 80;
        return "no NVLink shows the generation of the GPUs; Ampere is assumed";
    }
    b->sm = sm_of_links(most, sum, matrix->gpu_count);
    return "the generation of the GPUs follows from the number of their NVLinks";
}

static void next_bus(struct builder *b, char *text)
{
    snprintf(text, ORR_BUS_ID_SIZE, "%04x:%02x:00.0", b->next_bus >> 8 & 0xffffu, b->next_bus & 0xffu);
    b->next_bus++;
}

static struct orr_doc_node *add_pci(struct builder *b, struct orr_doc_node *parent, const char *class,
                                    const struct orr_matrix_device *device, char *ret_bus)
{
    struct orr_draft *draft = b->draft;
    char bus[ORR_BUS_ID_SIZE];
    struct orr_doc_node *pci = orr_doc_add(&draft->doc, parent, ORR_ELEMENT_PCI, NULL);
    next_bus(b, bus);
    if (device && device->bus_id && orr_bus_id_short(device->bus_id, bus))
        orr_doc_set(&draft->doc, pci, ORR_ATTR_BUSID, "%s", bus);
    else
        orr_doc_suppose(&draft->doc, pci, ORR_ATTR_BUSID, "%s", bus);
    orr_doc_set(&draft->doc, pci, ORR_ATTR_CLASS, "%s", class);
    orr_doc_suppose(&draft->doc, pci, ORR_ATTR_LINK_SPEED, "%s", orr_link_speed_of_sm(b->sm));
    orr_doc_suppose(&draft->doc, pci, ORR_ATTR_LINK_WIDTH, "16");
    pci->line = device ? device->line : 0;
    pci->column = device ? device->column : 0;
    if (ret_bus)
        memcpy(ret_bus, bus, sizeof bus);
    return pci;
}

static struct orr_doc_node *add_below(struct orr_draft *draft, struct orr_doc_node *parent, enum orr_element_kind kind)
{
    struct orr_doc_node *node = orr_doc_add(&draft->doc, parent, kind, NULL);
    node->line = parent->line;
    node->column = parent->column;
    return node;
}

static void add_device(struct builder *b, struct orr_doc_node *parent, uint32_t index)
{
    const struct orr_matrix_device *device = &b->matrix->devices[index];
    struct orr_draft *draft = b->draft;
    if (device->is_gpu) {
        struct orr_doc_node *gpu =
            add_below(draft, add_pci(b, parent, "0x030200", device, b->buses[index]), ORR_ELEMENT_GPU);
        orr_doc_set(&draft->doc, gpu, ORR_ATTR_DEV, "%u", device->number);
        if (device->model && orr_gpu_sm_of_name(device->model) == b->sm)
            orr_doc_set(&draft->doc, gpu, ORR_ATTR_SM, "%d", b->sm);
        else
            orr_doc_suppose(&draft->doc, gpu, ORR_ATTR_SM, "%d", b->sm);
        orr_doc_set(&draft->doc, gpu, ORR_ATTR_RANK, "%u", device->number);
        orr_doc_suppose(&draft->doc, gpu, ORR_ATTR_GDR, "1");
        return;
    }
    const char *name = device->real_name ? device->real_name : device->name;
    struct orr_doc_node *nic = add_below(draft, add_pci(b, parent, "0x020000", device, NULL), ORR_ELEMENT_NIC);
    orr_draft_net(draft, add_below(draft, nic, ORR_ELEMENT_NET), name, device->number);
}

static bool is_alone(const struct builder *b, const uint32_t *set, uint32_t device)
{
    for (uint32_t i = 0; i < b->matrix->count; i++)
        if (i != device && set[i] == set[device])
            return false;
    return true;
}

/* Adds all devices below one outer switch, or a single device directly below the CPU. */
static void add_outer(struct builder *b, struct orr_doc_node *cpu, uint32_t outer)
{
    enum { BUSES_A_SWITCH = 16 };
    const struct orr_matrix *matrix = b->matrix;
    b->next_bus = (b->next_bus + BUSES_A_SWITCH - 1) / BUSES_A_SWITCH * BUSES_A_SWITCH;
    if (is_alone(b, b->groups.outer_of, outer)) {
        add_device(b, cpu, outer);
        return;
    }
    struct orr_doc_node *top = add_pci(b, cpu, "0x060400", NULL, NULL);
    for (uint32_t inner = outer; inner < matrix->count; inner++) {
        if (b->groups.outer_of[inner] != outer || b->groups.inner_of[inner] != inner)
            continue;
        bool only = true; /* a single inner switch is the same as the outer one */
        for (uint32_t i = 0; i < matrix->count; i++)
            only &= b->groups.outer_of[i] != outer || b->groups.inner_of[i] == inner;
        struct orr_doc_node *parent = only ? top : add_pci(b, top, "0x060400", NULL, NULL);
        for (uint32_t i = inner; i < matrix->count; i++)
            if (b->groups.inner_of[i] == inner)
                add_device(b, parent, i);
    }
}

/* Applies the lines of lscpu in the same text. */
static void set_cpu(struct builder *b, struct orr_doc_node *cpu)
{
    const struct orr_beside *beside = &b->matrix->beside;
    struct orr_doc *doc = &b->draft->doc;
    const char *arch = beside->arch || beside->vendor ? "x86_64" : NULL;
    if (beside->arch && !strcmp(beside->arch, "aarch64"))
        arch = "arm64";
    else if (beside->arch && !strncmp(beside->arch, "ppc64", 5))
        arch = "ppc64";
    if (!arch)
        return;
    orr_doc_set(doc, cpu, ORR_ATTR_ARCH, "%s", arch);
    if (strcmp(arch, "x86_64") != 0 || !beside->vendor)
        return;
    orr_doc_set(doc, cpu, ORR_ATTR_VENDOR, "%.40s", beside->vendor);
    if (beside->family && beside->model) {
        orr_doc_set(doc, cpu, ORR_ATTR_FAMILYID, "%.8s", beside->family);
        orr_doc_set(doc, cpu, ORR_ATTR_MODELID, "%.8s", beside->model);
    }
}

static void add_cpu(struct builder *b, uint32_t cpu)
{
    const struct orr_matrix *matrix = b->matrix;
    struct orr_doc_node *node = orr_doc_add(&b->draft->doc, b->draft->doc.system, ORR_ELEMENT_CPU, NULL);
    const char *mask = "";
    orr_doc_set(&b->draft->doc, node, ORR_ATTR_NUMAID, "%d", b->groups.numa_of[cpu]);
    for (uint32_t i = 0; i < matrix->count && !*mask; i++)
        if (b->groups.cpu_of[i] == cpu && matrix->devices[i].cpus)
            mask = orr_cpu_list_mask(b->draft, matrix->devices[i].cpus);
    orr_doc_set(&b->draft->doc, node, ORR_ATTR_AFFINITY, "%s", mask);
    set_cpu(b, node);
    orr_draft_suppose_cpu(b->draft, node);
    for (uint32_t outer = 0; outer < matrix->count; outer++)
        if (b->groups.cpu_of[outer] == cpu && b->groups.outer_of[outer] == outer)
            add_outer(b, node, outer);
}

/* Whether the NVLinks end at switches: if each cell had its own links, a GPU would have more than its model has. */
static void decide_fabric(struct builder *b)
{
    const struct orr_matrix *matrix = b->matrix;
    const uint32_t own = (uint32_t)orr_gpu_most_nvlinks(b->sm);
    if (b->type) {
        b->to_switch = b->type->board->fabric == ORR_FABRIC_SWITCH;
        return;
    }
    for (uint32_t i = 0; i < matrix->count; i++) {
        uint32_t sum = 0;
        for (uint32_t j = 0; j < matrix->count; j++)
            sum += links(matrix, i, j);
        b->to_switch |= sum > own;
    }
}

static void add_nvlinks(struct builder *b)
{
    const struct orr_matrix *matrix = b->matrix;
    struct orr_draft *draft = b->draft;
    for (struct orr_doc_node *node = draft->doc.system; node; node = orr_doc_next(node, draft->doc.system)) {
        if (node->kind != ORR_ELEMENT_GPU)
            continue;
        uint32_t number = (uint32_t)strtoul(orr_doc_word(node, ORR_ATTR_DEV), NULL, 10), row = 0, most = 0;
        while (row < matrix->count && !(matrix->devices[row].is_gpu && matrix->devices[row].number == number))
            row++;
        for (uint32_t j = 0; row < matrix->count && j < matrix->count; j++) {
            uint32_t count = links(matrix, row, j);
            most = count > most ? count : most;
            if (!count || b->to_switch)
                continue;
            struct orr_doc_node *link = add_below(draft, node, ORR_ELEMENT_NVLINK);
            orr_doc_set(&draft->doc, link, ORR_ATTR_TARGET, "%s", b->buses[j]);
            orr_doc_set(&draft->doc, link, ORR_ATTR_COUNT_, "%u", count);
            orr_doc_suppose(&draft->doc, link, ORR_ATTR_TCLASS, "0x030200");
        }
        if (most && b->to_switch)
            orr_draft_nvswitch(draft, add_below(draft, node, ORR_ELEMENT_NVLINK), most);
    }
}

static void say(struct builder *b, const char *generation)
{
    const struct orr_matrix *matrix = b->matrix;
    struct orr_draft *draft = b->draft;
    uint32_t nics = matrix->count - matrix->gpu_count, most = 0, cpus = 0;
    for (uint32_t i = 0; i < matrix->count; i++) {
        cpus += b->groups.cpu_of[i] == i;
        for (uint32_t j = 0; j < matrix->count; j++)
            most = links(matrix, i, j) > most ? links(matrix, i, j) : most;
    }
    orr_note_recognised(draft, "%u GPU%s and %u NIC%s on %u NUMA node%s, %s", matrix->gpu_count,
                        orr_plural(matrix->gpu_count), nics, orr_plural(nics), cpus, orr_plural(cpus),
                        !most          ? "no NVLink"
                        : b->to_switch ? orr_draft_format(draft, "%u NVLinks a GPU to NVSwitches", most)
                                       : orr_draft_format(draft, "direct NVLinks, at most %u between two GPUs", most));
    if (!matrix->tells_places && matrix->count > 1)
        orr_note_assumed(draft, ORR_TOUCHES_ALL,
                         "the cells do not show where devices are, so all are assumed to be on %s",
                         cpus == 1 ? "one CPU" : "the CPU of their affinity");
    if (matrix->model_line && !b->type)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "the GPUs are %s, which line %u of the text names",
                         matrix->devices[0].model, matrix->model_line);
    if (generation)
        orr_note_assumed(draft, ORR_TOUCHES_ALL, "%s: compute capability %d.%d", generation, b->sm / 10, b->sm % 10);
    orr_note_assumed(draft, ORR_TOUCHES_BANDWIDTH,
                     "a matrix has no bandwidths: every PCI link is assumed to be %s x16, as GPUs of sm %d have",
                     orr_link_speed_of_sm(b->sm), b->sm);
    const struct orr_beside *beside = &matrix->beside;
    const bool knows_cpu = beside->arch || beside->vendor;
    if (knows_cpu)
        orr_note_assumed(draft, ORR_TOUCHES_PATHS | ORR_TOUCHES_P2P,
                         "bus ids and switches are made up from the distances, and ranks are the numbers of the GPUs; "
                         "the CPUs are those that the same text names: %.80s",
                         beside->cpu_name ? beside->cpu_name
                         : beside->vendor ? beside->vendor
                                          : beside->arch);
    else
        orr_note_assumed(draft, ORR_TOUCHES_PATHS | ORR_TOUCHES_P2P,
                         "CPUs are assumed to be %s, bus ids and switches are made up from the distances, and ranks "
                         "are the numbers of the GPUs",
                         orr_assumed_cpu_text(draft->cpu_row));
    draft->notes.cpu_assumed = !knows_cpu && !draft->cpu_row && !b->type;
    draft->notes.nvlink_hidden = most || matrix->beside.whole || b->type ? ORR_NO
                                 : matrix->beside.pcie_only              ? ORR_YES
                                                                         : ORR_UNKNOWN;
    draft->nic_mbps = beside->nic_mbps;
    draft->nic_line = beside->nic_line;
    draft->notes.p2p_pairs = beside->p2p_pairs;
    draft->notes.p2p_alone = beside->p2p_pairs && !matrix->tells_places && !most;
    draft->notes.p2p_refused = beside->p2p_refused;
    for (uint32_t i = 0; i < matrix->count && !draft->notes.gpu_name; i++)
        draft->notes.gpu_name = matrix->devices[i].model;
    if (!knows_cpu && !draft->cpu_row)
        orr_note_missing(draft, "lscpu", "the CPUs: paste the output below the matrix, or name them with --assume-cpu");
    if (nics)
        orr_note_assumed(draft, ORR_TOUCHES_GRAPHS | ORR_TOUCHES_CHANNELS,
                         "each NIC is assumed to have one port and is numbered as its column");
    if (most && matrix->gpu_count == 2 && most >= 12 && !b->type)
        orr_note_assumed(
            draft, ORR_TOUCHES_LINKS | ORR_TOUCHES_CHANNELS,
            "two GPUs with NV%u may be connected directly or by NVSwitches: a direct connection is assumed", most);
    if (b->groups.widened)
        orr_note_assumed(draft, ORR_TOUCHES_PATHS,
                         "%u pair%s farther apart in the matrix than the switches and NUMA nodes that they share with "
                         "others allow: the nearer place is used",
                         b->groups.widened, b->groups.widened == 1 ? " is" : "s are");
    if (matrix->contradictions)
        orr_note_assumed(draft, ORR_TOUCHES_PATHS, "%u pairs differ by direction: the shorter distance is used",
                         matrix->contradictions);
    if (matrix->has_more)
        orr_note_assumed(
            draft, ORR_TOUCHES_ALL,
            "the text contains more than one table, and Orrery uses the first; give each host a file of its own");
    orr_note_missing(draft,
                     orr_draft_format(draft, "NCCL_TOPO_DUMP_FILE=topo.xml NCCL_DEBUG=INFO ./all_reduce_perf -g %u",
                                      matrix->gpu_count),
                     "PCI speeds, NIC speeds, GPUDirect RDMA, real bus ids and switches, C2C and NVLinks to CPUs");
    if (generation)
        orr_note_missing(draft, "nvidia-smi -L", "names of the GPUs: paste the output below the matrix");
    if (!nics)
        orr_note_missing(draft, "ibdev2netdev; ls /sys/class/infiniband",
                         "NICs: the matrix has none, so nothing can be said about several hosts");
}

void orr_matrix_build(const struct orr_matrix *matrix, const struct orr_machine_type *type, struct orr_draft *draft)
{
    struct builder *b = ORR_NEW(draft->doc.arena, struct builder, 1);
    if (!b)
        return;
    *b = (struct builder){.matrix = matrix, .type = type, .draft = draft, .next_bus = 0x10};
    const char *generation = guess_sm(b);
    orr_matrix_group(matrix, &b->groups);
    decide_fabric(b);
    for (uint32_t i = 0; i < matrix->count; i++)
        if (b->groups.cpu_of[i] == i)
            add_cpu(b, i);
    add_nvlinks(b);
    say(b, generation);
}
