/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about GPUDirect RDMA, and about how far GPUs are from NICs. */
#include "engine/findings/finder.h"
#include "engine/machines/machine_types.h"

/* Whether some machine type has these GPUs and GPUDirect RDMA. */
static bool board_has_rdma(const struct orr_gpu_board *board)
{
    const struct orr_machine_type *type;
    for (size_t i = 0; board && (type = orr_machine_type(i)); i++)
        if (type->board == board && type->net_gdr)
            return true;
    return false;
}

/* GPUs that could use GPUDirect RDMA, were it on for the NIC; *ret_refused: those of the others that lack it, although
 * equal GPUs of this machine or of others have it. */
static uint32_t count_rdma_gpus(const struct orr_finder *f, uint32_t *ret_refused)
{
    uint32_t able = 0, refused = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++) {
        const uint32_t gpu = f->hw.gpus[i];
        if (orr_gpu_is_integrated(orr_element_int(f->dump, gpu, ORR_ATTR_SM, 0)))
            continue;
        able += orr_element_int(f->dump, gpu, ORR_ATTR_GDR, 0) != 0;
        refused += !strcmp(orr_attr_of(f, gpu, ORR_ATTR_GDR), "0");
    }
    *ret_refused = (able && f->machine.board) || board_has_rdma(f->machine.board) ? refused : 0;
    return able;
}

/* Amazon's EFA has GPUDirect RDMA only beside some GPUs: those of the machine types that have it. */
static bool efa_has_rdma(const struct orr_finder *f)
{
    int32_t sm = f->hw.gpu_count ? orr_element_int(f->dump, f->hw.gpus[0], ORR_ATTR_SM, 0) : 0;
    const struct orr_machine_type *type;
    for (size_t i = 0; (type = orr_machine_type(i)); i++)
        if (!strcmp(type->family, "AWS") && type->net_gdr && orr_board_model(type->board)->sm == sm)
            return true;
    return false;
}

static bool is_efa(const struct orr_finder *f, uint32_t net)
{
    enum { AMAZON = 0x1d0f };
    uint32_t card = f->hw.card_of[net];
    const char *name = orr_attr_of(f, net, ORR_ATTR_NAME);
    return (card != ORR_NO_CARD && f->hw.cards[card].identity >> 48 == AMAZON) || !strncmp(name, "rdmap", 5) ||
           !strncmp(name, "efa", 3);
}

/* Whether it is a GPUDirect RDMA port, by its name or because the provider's plugin gives it to ports of this machine
 * type. */
static bool could_have_rdma(const struct orr_finder *f, uint32_t net, bool efa)
{
    const char *name = orr_attr_of(f, net, ORR_ATTR_NAME);
    if (!orr_name_is_rdma(name))
        return f->machine.type && f->machine.type->net_gdr && orr_has_name_of(f->machine.type, name);
    return efa || !is_efa(f, net);
}

static void gdr_off(struct orr_finder *f)
{
    const bool efa = efa_has_rdma(f);
    uint32_t rdma = 0, off = 0, refused;
    const uint32_t able = count_rdma_gpus(f, &refused);
    for (uint32_t i = 0; able + refused && i < f->hw.net_count; i++) {
        if (!could_have_rdma(f, f->hw.nets[i], efa))
            continue;
        rdma++;
        if (orr_element_int(f->dump, f->hw.nets[i], ORR_ATTR_GDR, 0))
            continue;
        off++;
        orr_point(f, f->hw.nets[i]);
    }
    if (rdma && refused) {
        for (uint32_t i = 0; i < f->hw.gpu_count; i++)
            if (!strcmp(orr_attr_of(f, f->hw.gpus[i], ORR_ATTR_GDR), "0"))
                orr_point(f, f->hw.gpus[i]);
        orr_say(f, "gdr=\"0\" on %u of %u GPUs, but gdr=\"1\" on %s", refused, f->hw.gpu_count,
                able ? "the others" : "such GPUs of other machines");
        orr_say_remedy(
            f, "GPUs have no GPUDirect RDMA",
            "Compare NVIDIA's driver, the CUDA version and the settings of a virtual machine with those of a "
            "host whose GPUs have gdr=\"1\": NCCL asks the CUDA driver.",
            "cat /proc/driver/nvidia/version");
    } else if (off) {
        orr_say(f, "gdr=\"0\" on %u of %u RDMA ports, gdr=\"1\" on GPUs", off, rdma);
    }
    if (!refused && off && off < rdma) /* the other ports prove that the kernel module is loaded */
        orr_say_remedy(f, "GPUDirect RDMA is off on some RDMA NICs, but works with others",
                       "The other ports of this host use GPUDirect RDMA, so its kernel module is loaded. Compare these "
                       "ports with them: driver and firmware version, link layer, and whether the port is up.",
                       "ibv_devinfo | grep -E 'hca_id|fw_ver|state|link_layer'");
}

/* The nearest distance from a GPU of the part to a NET with which GPUDirect RDMA is possible at all. */
static enum orr_path_type nearest_net(const struct orr_part *part, uint32_t gpu)
{
    uint32_t nets = orr_system_count(&part->system, ORR_NET);
    enum orr_path_type best = ORR_PATH_DIS;
    for (uint32_t n = 0; part->gdr && n < nets; n++) {
        const struct orr_decision *d = &part->gdr[(size_t)gpu * nets + n].recv;
        bool compared = d->rule == ORR_RULE_GDR_BEYOND_LEVEL || d->rule == ORR_RULE_GDR_WITHIN_LEVEL ||
                        d->rule == ORR_RULE_GDR_PCI_MODE;
        if (compared && d->distance < best)
            best = (enum orr_path_type)d->distance;
    }
    return best;
}

static bool may_receive(const struct orr_part *part, uint32_t gpu)
{
    uint32_t nets = orr_system_count(&part->system, ORR_NET);
    for (uint32_t n = 0; part->gdr && n < nets; n++)
        if (part->gdr[(size_t)gpu * nets + n].recv.verdict)
            return true;
    return false;
}

/* Every GPU has a NIC on its own CPU, and a level that allows this distance would help all. If some GPU's NIC is on
 * another socket, no setting helps all GPUs; if some have a NIC below their switch, the rows below apply. */
static void gdr_too_far(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t gpus = orr_system_count(&part->system, ORR_GPU);
    enum orr_path_type farthest = ORR_PATH_LOC;
    for (uint32_t g = 0; g < gpus; g++) {
        enum orr_path_type best = nearest_net(part, g);
        if (best > ORR_PATH_PHB || may_receive(part, g))
            return;
        farthest = best > farthest ? best : farthest;
    }
    if (farthest < ORR_PATH_P2C)
        return;
    orr_say(f,
            "the nearest NIC of %s %u GPU%s is at distance %s, beyond the allowed level; NCCL_NET_GDR_LEVEL=%s would "
            "allow it",
            gpus == 1 ? "the" : "all", gpus, orr_plural(gpus), orr_path_type_name(farthest),
            orr_path_type_name(farthest));
    if (f->analysis->query.settings.values[ORR_SET_NET_GDR_LEVEL].given)
        orr_say_remedy(f, "The setting NCCL_NET_GDR_LEVEL does not allow GPUDirect RDMA with the nearest NICs",
                       "Leave the setting out, or set it to the level that this finding names. NCCL's own model does "
                       "not count the copy through host memory, so the predicted bandwidth stays the same.",
                       "env | grep NCCL_NET_GDR_LEVEL");
    for (uint32_t g = 0; g < gpus; g++)
        orr_point_node(f, &part->system, part->system.first[ORR_GPU] + g);
}

/* GPUs whose nearest NIC is past a CPU although other GPUs have one below their switches. */
static void find_far(struct orr_finder *f, bool same_socket)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t gpus = orr_system_count(&part->system, ORR_GPU), near = 0, far = 0;
    for (uint32_t g = 0; g < gpus; g++) {
        enum orr_path_type best = nearest_net(part, g);
        near += best <= ORR_PATH_PXB;
        if (best <= ORR_PATH_PXB || (same_socket ? best != ORR_PATH_PHB : best <= ORR_PATH_PHB || best == ORR_PATH_DIS))
            continue;
        far++;
        orr_point_node(f, &part->system, part->system.first[ORR_GPU] + g);
    }
    if (near && far)
        orr_say(f, "%u GPU%s a NIC below %s PCIe switch, %u only %s", near, near == 1 ? " has" : "s have",
                near == 1 ? "its" : "their", far, same_socket ? "through the CPU of the socket" : "on another socket");
}

static void nic_past_cpu(struct orr_finder *f)
{
    find_far(f, true);
}

static void nic_on_other_socket(struct orr_finder *f)
{
    find_far(f, false);
}

const struct orr_finding_row orr_findings_gdr[] = {
    {ORR_FINDING("gdr-off", "L50", WARNING, NCCL, gdr_off), .title = "GPUDirect RDMA is off on RDMA NICs",
     .why = "Data goes through host memory. NCCL reports the path as PHB, even if GPU and NIC share a PCIe switch.",
     .advice = "Load nvidia-peermem, or use a kernel and driver with DMA-BUF support, on each host of the job.",
     .commands = {"lsmod | grep -E 'nvidia_peermem|nv_peer_mem'", "modprobe nvidia-peermem"},
     .references = {"NVIDIA/nccl#897", "NVIDIA/nccl#1412", "NVIDIA/nccl#489"}},
    {ORR_FINDING("gdr-too-far", "L51", WARNING, ANALYSIS, gdr_too_far),
     .title = "NCCL's default does not allow GPUDirect RDMA through the CPU",
     .why = "Data between GPU and network is copied through host memory, which costs memory bandwidth and latency. "
            "GPUs and NICs support GPUDirect RDMA, but the path between them crosses their CPU.",
     .advice = "Set NCCL_NET_GDR_LEVEL to the level that this finding names, and measure. NCCL's own model does not "
               "count the copy, so the predicted bandwidth stays the same.",
     .commands = {"nvidia-smi topo -m"}, .references = {"NVIDIA/nccl#1151", "NVIDIA/nccl#465"},
     .follows_from = {"flat-tree", "numa-unknown"}},
    {ORR_FINDING("nic-past-cpu", "L25", WARNING, ANALYSIS, nic_past_cpu),
     .title = "Some GPUs reach a NIC only through their CPU",
     .why = "Other GPUs have a NIC below their own PCIe switch. The GPUs with the longer path limit all of them.",
     .advice = "Distribute the NICs evenly over the PCIe switches, or rely on PXN to use other GPUs' NICs over NVLink.",
     .commands = {"nvidia-smi topo -m", "lspci -tv"}, .references = {"NVIDIA/nccl#595"}},
    {ORR_FINDING("nic-on-other-socket", "L52", WARNING, ANALYSIS, nic_on_other_socket),
     .title = "Some GPUs have no NIC on their socket",
     .why = "Other GPUs have a NIC below their own PCIe switch. These GPUs use another socket's NIC, through PXN or "
            "through both CPUs.",
     .advice = "Distribute the NICs evenly over the sockets, and check that none is missing from the dump "
               "(NCCL_IB_HCA, container).",
     .commands = {"nvidia-smi topo -m", "ibdev2netdev"}, .references = {"NVIDIA/nccl#595", "NVIDIA/nccl#1357"}},
    {0},
};
