/* Findings about NICs, GPU Direct RDMA and who uses which NIC. */
#include "engine/findings/finder.h"

static void gdr_off(struct orr_finder *f)
{
    bool gpu = false;
    uint32_t rdma = 0, off = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        gpu |= orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_GDR, 0) != 0;
    for (uint32_t i = 0; gpu && i < f->hw.net_count; i++) {
        if (!orr_name_is_rdma(orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME)))
            continue;
        rdma++;
        if (orr_element_int(f->dump, f->hw.nets[i], ORR_ATTR_GDR, 0))
            continue;
        off++;
        orr_point(f, f->hw.nets[i]);
    }
    if (off)
        orr_say(f, "gdr=\"0\" on %u of %u RDMA ports, gdr=\"1\" on GPUs", off, rdma);
}

/* The nearest distance from a GPU of the part to a NET with which GPU Direct RDMA is possible at all. */
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

static void gdr_too_far(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t gpus = orr_system_count(&part->system, ORR_GPU);
    for (uint32_t g = 0; g < gpus; g++) {
        enum orr_path_type best = nearest_net(part, g);
        if (best == ORR_PATH_DIS || may_receive(part, g))
            continue;
        if (!f->at->detail)
            orr_say(f, "the nearest NIC with GPU Direct RDMA is at %s, beyond the level", orr_path_type_name(best));
        orr_point_node(f, &part->system, part->system.first[ORR_GPU] + g);
    }
}

/* GPUs whose nearest NIC is past a CPU, where others have one below their own switches. */
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
        orr_say(f, "%u GPUs have a NIC below their PCIe switch, %u only %s", near, far,
                same_socket ? "through the CPU of their socket" : "on another socket");
}

static void nic_past_cpu(struct orr_finder *f)
{
    find_far(f, true);
}

static void nic_on_other_socket(struct orr_finder *f)
{
    find_far(f, false);
}

/* Whether a NET is in a graph of the part or is chosen by a GPU. */
static bool is_used(const struct orr_part *part, int64_t id)
{
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
        const struct orr_graph *graph = &part->contribution.graphs[kind];
        for (int32_t c = 0; graph->pattern && graph->nets && c < graph->channels; c++)
            if (graph->nets[c][0] == id || graph->nets[c][1] == id)
                return true;
    }
    uint32_t gpus = orr_system_count(&part->system, ORR_GPU);
    for (size_t i = 0; part->net_devs && i < (size_t)gpus * (size_t)part->net_dev_channels; i++)
        if (part->net_devs[i].net == id)
            return true;
    return false;
}

struct usage {
    float slowest, fastest; /* GB/s of the ports that are used */
    uint32_t used, unused;
};

static struct usage usage_of(const struct orr_part *part)
{
    struct usage usage = {0};
    for (uint32_t n = 0; n < orr_system_count(&part->system, ORR_NET); n++) {
        const struct orr_node *net = orr_system_node(&part->system, ORR_NET, n);
        if (!is_used(part, net->id)) {
            usage.unused++;
            continue;
        }
        if (!usage.used++ || net->net.bw < usage.slowest)
            usage.slowest = net->net.bw;
        usage.fastest = net->net.bw > usage.fastest ? net->net.bw : usage.fastest;
    }
    return usage;
}

static void unused_nic(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    struct usage usage = usage_of(part);
    if (f->analysis->query.hosts < 2 || !usage.used || !usage.unused)
        return;
    uint32_t as_fast = 0;
    for (uint32_t n = 0; n < orr_system_count(&part->system, ORR_NET); n++) {
        const struct orr_node *net = orr_system_node(&part->system, ORR_NET, n);
        if (is_used(part, net->id))
            continue;
        as_fast += net->net.bw >= usage.slowest;
        orr_point_node(f, &part->system, part->system.first[ORR_NET] + n);
    }
    orr_say(f, "%u ports are unused and %u used; %u of the unused ones are as fast as the slowest used one (%g Gb/s)",
            usage.unused, usage.used, as_fast, (double)(usage.slowest * 8));
}

static void mixed_speeds(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    struct usage usage = usage_of(part);
    if (f->analysis->query.hosts < 2 || !usage.used || usage.slowest == usage.fastest)
        return;
    orr_say(f, "channels use ports of %g and of %g Gb/s", (double)(usage.slowest * 8), (double)(usage.fastest * 8));
    for (uint32_t n = 0; n < orr_system_count(&part->system, ORR_NET); n++) {
        const struct orr_node *net = orr_system_node(&part->system, ORR_NET, n);
        if (net->net.bw < usage.fastest && is_used(part, net->id))
            orr_point_node(f, &part->system, part->system.first[ORR_NET] + n);
    }
}

static void port_slow(struct orr_finder *f)
{
    orr_say_slower(f, ORR_SLOWER_PORT);
}

static void virtual_interface(struct orr_finder *f)
{
    static const char *const prefixes[] = {"docker", "veth", "tailscale", "virbr",   "cali", "br-",
                                           "tun",    "tap",  "wg",        "flannel", "cni"};
    for (uint32_t i = 0; i < f->hw.net_count; i++) {
        const char *name = orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME);
        for (size_t p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++) {
            if (strncmp(name, prefixes[p], strlen(prefixes[p])) != 0)
                continue;
            if (!f->at->detail)
                orr_say(f, "the first is %.60s", name);
            orr_point(f, f->hw.nets[i]);
            break;
        }
    }
}

static void sockets_only(struct orr_finder *f)
{
    static const char *const prefixes[] = {"eth", "en", "bond", "ib", "wl"};
    uint32_t linked = 0, sockets = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        linked += orr_gpu_nvlinks(f->dump, f->hw.gpus[i]) >= 6;
    for (uint32_t i = 0; i < f->hw.net_count; i++)
        for (size_t p = 0; p < sizeof prefixes / sizeof prefixes[0]; p++)
            sockets += !orr_name_is_rdma(orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME)) &&
                       !strncmp(orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME), prefixes[p], strlen(prefixes[p]));
    if (linked < 4 || !f->hw.net_count || sockets != f->hw.net_count)
        return;
    orr_say(f, "%u ports, all of them plain network interfaces, and %u GPUs with NVLink", f->hw.net_count, linked);
    for (uint32_t i = 0; i < f->hw.net_count; i++)
        orr_point(f, f->hw.nets[i]);
}

static void fewer_nics(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t nets = orr_system_count(&part->system, ORR_NET), gpus = orr_system_count(&part->system, ORR_GPU);
    if (f->analysis->query.hosts > 1 && nets && nets < gpus)
        orr_say(f, "%u ports for %u GPUs", nets, gpus);
}

static bool is_number(const char *text)
{
    return text && text[strspn(text, "-0123456789")] == 0;
}

static void level_as_number(struct orr_finder *f)
{
    const struct orr_settings *settings = &f->analysis->query.settings;
    const char *gdr = orr_setting_text(settings, ORR_SET_NET_GDR_LEVEL);
    const char *p2p = orr_setting_text(settings, ORR_SET_P2P_LEVEL);
    if (is_number(gdr))
        orr_say(f, "NCCL_NET_GDR_LEVEL=%.40s", gdr);
    else if (is_number(p2p))
        orr_say(f, "NCCL_P2P_LEVEL=%.40s", p2p);
}

const struct orr_finding_row orr_findings_net[] = {
    {
        .id = "gdr-off",
        .catalogue = "L50",
        .severity = ORR_SEVERITY_WARNING,
        .find = gdr_off,
        .title = "GPU Direct RDMA is off on RDMA NICs",
        .why = "Data goes through host memory. NCCL reports the path as PHB, even if GPU and NIC share a PCIe switch.",
        .advice = "On every host, load nvidia-peermem, or use a kernel and driver with DMA-BUF support.",
        .commands = {"lsmod | grep -E 'nvidia_peermem|nv_peer_mem'", "modprobe nvidia-peermem"},
        .references = {"NVIDIA/nccl#897", "NVIDIA/nccl#1412", "NVIDIA/nccl#489"},
    },
    {
        .id = "gdr-too-far",
        .catalogue = "L51",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = gdr_too_far,
        .title = "No NIC is close enough for GPU Direct RDMA",
        .why = "Data goes through host memory. GPU and NIC support GPU Direct RDMA, but the path between them crosses "
               "a CPU, and NCCL's default limit does not allow that.",
        .advice = "Place the NIC below the GPU's PCIe switch if the machine has one. Otherwise measure with "
                  "NCCL_NET_GDR_LEVEL set to the path type between GPU and NIC, such as PHB.",
        .commands = {"nvidia-smi topo -m"},
        .references = {"NVIDIA/nccl#1151", "NVIDIA/nccl#465"},
    },
    {
        .id = "nic-past-cpu",
        .catalogue = "L25",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = nic_past_cpu,
        .title = "Some GPUs reach a NIC only through their CPU",
        .why = "Other GPUs have a NIC below their own PCIe switch. The GPUs with the longer path limit all of them.",
        .advice =
            "Distribute the NICs evenly over the PCIe switches, or rely on PXN to use other GPUs' NICs over NVLink.",
        .commands = {"nvidia-smi topo -m", "lspci -tv"},
        .references = {"NVIDIA/nccl#595"},
    },
    {
        .id = "nic-on-other-socket",
        .catalogue = "L52",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = nic_on_other_socket,
        .title = "Some GPUs have no NIC on their socket",
        .why = "Other GPUs have a NIC below their own PCIe switch. These GPUs use another socket's NIC, through PXN or "
               "through both CPUs.",
        .advice = "Distribute the NICs evenly over the sockets, and check that none is missing from the dump "
                  "(NCCL_IB_HCA, container).",
        .commands = {"nvidia-smi topo -m", "ibdev2netdev"},
        .references = {"NVIDIA/nccl#595", "NVIDIA/nccl#1357"},
    },
    {
        .id = "unused-nic",
        .catalogue = "L53",
        .severity = ORR_SEVERITY_INFO,
        .of_analysis = true,
        .find = unused_nic,
        .title = "Some NICs are not used by any channel",
        .why = "They are slower, share a card or a link with another NIC, or are not close to any GPU.",
        .advice = "This is expected for storage and management NICs. Otherwise compare their place and speed with "
                  "those of the used NICs.",
        .commands = {"ibstat", "nvidia-smi topo -m"},
        .follows_from = {"port-slow", "slow-link", "slow-slot", "nic-past-cpu", "nic-on-other-socket"},
    },
    {
        .id = "mixed-speeds",
        .catalogue = "L54",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = mixed_speeds,
        .title = "Channels use NICs of different speeds",
        .why = "Every channel runs at the speed of the slowest NIC. Often a storage or management NIC is among them.",
        .advice = "If the slow NIC is not meant for NCCL, exclude it: NCCL_IB_HCA=^mlx5_N.",
        .commands = {"ibstat"},
        .references = {"NVIDIA/nccl#1363", "NVIDIA/nccl#1277", "NVIDIA/nccl#1591"},
        .follows_from = {"port-slow", "slow-slot", "slow-link"},
    },
    {
        .id = "port-slow",
        .catalogue = "L55",
        .severity = ORR_SEVERITY_WARNING,
        .find = port_slow,
        .title = "A NIC is slower than equal NICs",
        .why = "A port without a speed is down or unknown. A slower port has another cable or switch port, or fewer "
               "lanes.",
        .advice = "Check Rate and State of the port (`ibstat`), and its cable.",
        .commands = {"ibstat", "mlxlink -d mlx5_N"},
        .references = {"NVIDIA/nccl#307", "NVIDIA/nccl#451"},
    },
    {
        .id = "virtual-interface",
        .catalogue = "L56",
        .severity = ORR_SEVERITY_INFO,
        .find = virtual_interface,
        .title = "NCCL may use a virtual network interface",
        .why = "Container bridges and tunnels reach other hosts slowly or not at all.",
        .advice = "Name the right interface, such as NCCL_SOCKET_IFNAME=eth0, or exclude the others: "
                  "NCCL_SOCKET_IFNAME=^docker0,lo.",
        .commands = {"ip -br addr"},
        .references = {"NVIDIA/nccl#2202", "NVIDIA/nccl#941"},
    },
    {
        .id = "sockets-only",
        .catalogue = "L57",
        .severity = ORR_SEVERITY_WARNING,
        .find = sockets_only,
        .title = "A machine with NVLink has only plain sockets as its network",
        .why = "NCCL uses TCP between hosts. Often a container lacks /dev/infiniband or libibverbs.",
        .advice = "If the host has RDMA NICs, give the container /dev/infiniband and libibverbs. A cloud without RDMA, "
                  "or with its own network plugin, is not affected.",
        .commands = {"ls /dev/infiniband", "ibv_devinfo", "ldconfig -p | grep ibverbs"},
        .references = {"NVIDIA/nccl#941", "NVIDIA/nccl#451", "NVIDIA/nccl#952"},
    },
    {
        .id = "fewer-nics",
        .catalogue = "L59",
        .severity = ORR_SEVERITY_INFO,
        .of_analysis = true,
        .find = fewer_nics,
        .title = "Fewer NICs than GPUs",
        .why = "GPUs share NICs, so each GPU gets only part of a NIC's bandwidth.",
        .advice = "The section net_devs shows which GPU uses which NIC.",
    },
    {
        .id = "level-as-number",
        .catalogue = "L60",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = level_as_number,
        .title = "A path level is given as a number",
        .why = "The meaning of these numbers differs between releases.",
        .advice = "Use a name: LOC, NVL, PIX, PXB, PHB or SYS.",
    },
    {0},
};
