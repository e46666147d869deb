/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about NICs: their use, speed and kind. */
#include "engine/findings/finder.h"

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
    orr_say(f, "%u port%s unused, %u used; %u of the unused as fast as the slowest used one (%g Gb/s)", usage.unused,
            orr_plural(usage.unused), usage.used, as_fast, (double)(usage.slowest * 8));
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
    for (uint32_t i = 0; i < f->hw.net_count; i++) {
        const char *name = orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME);
        if (!orr_name_is_virtual(name))
            continue;
        if (!f->at->detail)
            orr_say(f, "the first is %.60s", name);
        orr_point(f, f->hw.nets[i]);
    }
}

/* Gb/s of the fastest port that software does not make up, 0 if there is none. */
static double fastest_real(const struct orr_finder *f)
{
    int32_t most = 0;
    for (uint32_t i = 0; i < f->hw.net_count; i++) {
        int32_t mbps = orr_element_int(f->dump, f->hw.nets[i], ORR_ATTR_SPEED, 0);
        if (mbps > most && !orr_name_is_virtual(orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME)))
            most = mbps;
    }
    return most / 1000.0;
}

static bool is_virtual(const struct orr_finder *f, const struct orr_node *net)
{
    return orr_name_is_virtual(orr_attr_of(f, net->element, ORR_ATTR_NAME));
}

/* Software makes up the speed that such an interface reports, so that no figure for several hosts holds. */
static void virtual_nics(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    const uint32_t nets = f->analysis->query.hosts > 1 ? orr_system_count(&part->system, ORR_NET) : 0;
    const struct orr_node *first = NULL;
    uint32_t used = 0, made_up = 0;
    for (uint32_t n = 0; n < nets; n++) {
        const struct orr_node *net = orr_system_node(&part->system, ORR_NET, n);
        if (!is_used(part, net->id))
            continue;
        used++;
        if (!is_virtual(f, net))
            continue;
        first = first ? first : net;
        made_up++;
        orr_point_node(f, &part->system, part->system.first[ORR_NET] + n);
    }
    if (!made_up)
        return;
    ORR_LOCAL_TEXT(text, 512);
    orr_text_printf(&text,
                    "%u of the %u port%s that NCCL would use, such as %.40s; software makes up the speed that such an "
                    "interface reports, so the bandwidths predicted for several hosts do not hold",
                    made_up, used, orr_plural(used), orr_attr_of(f, first->element, ORR_ATTR_NAME));
    const double real = fastest_real(f);
    if (real > 0)
        orr_text_printf(&text, "; the fastest real NIC has %.3g Gb/s", real);
    orr_say(f, "%s", orr_text_data(&text));
}

/* Whether a port that NCCL uses as a plain network interface is one of an RDMA card of this machine: InfiniBand, or a
 * ConnectX that is not a virtual function (clouds give those to machines without RDMA). */
static bool could_be_rdma(const struct orr_finder *f, uint32_t net)
{
    static const uint16_t virtual_functions[] = {0x1002, 0x1004, 0x1014, 0x1016, 0x1018,
                                                 0x101a, 0x101c, 0x101e, 0xa2d3, 0xa2dd};
    enum { MELLANOX = 0x15b3, FIRST_CONNECTX4 = 0x1013 };
    uint32_t at = f->hw.card_of[net];
    const struct orr_card *card = at == ORR_NO_CARD ? NULL : &f->hw.cards[at];
    if (!strncmp(orr_attr_of(f, net, ORR_ATTR_NAME), "ib", 2))
        return true;
    if (!card || card->bridge_class)
        return false;
    if (!strncmp(orr_attr_of(f, card->element, ORR_ATTR_CLASS), "0x0207", 6))
        return true;
    uint16_t device = (uint16_t)(card->identity >> 32);
    for (size_t i = 0; i < sizeof virtual_functions / sizeof virtual_functions[0]; i++)
        if (virtual_functions[i] == device)
            return false;
    return card->identity >> 48 == MELLANOX && device >= FIRST_CONNECTX4;
}

static void sockets_only(struct orr_finder *f)
{
    uint32_t linked = 0, able = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        linked += orr_gpu_nvlinks(f->dump, f->hw.gpus[i]) >= 6;
    for (uint32_t i = 0; i < f->hw.net_count; i++)
        if (orr_name_is_rdma(orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME)) ||
            orr_element_int(f->dump, f->hw.nets[i], ORR_ATTR_GDR, 0)) /* by a plugin: sockets have no GPUDirect RDMA */
            return;
    for (uint32_t i = 0; linked >= 4 && i < f->hw.net_count; i++) {
        if (!could_be_rdma(f, f->hw.nets[i]))
            continue;
        able++;
        orr_point(f, f->hw.nets[i]);
    }
    if (able)
        orr_say(f, "%u port%s, all used as plain network interfaces; %u on RDMA cards", f->hw.net_count,
                orr_plural(f->hw.net_count), able);
}

static void fewer_nics(struct orr_finder *f)
{
    const struct orr_part *part = &f->analysis->parts[0];
    uint32_t nets = orr_system_count(&part->system, ORR_NET), gpus = orr_system_count(&part->system, ORR_GPU);
    if (f->analysis->query.hosts > 1 && nets && nets < gpus)
        orr_say(f, "%u port%s for %u GPUs", nets, orr_plural(nets), gpus);
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
    {ORR_FINDING("unused-nic", "L53", INFO, ANALYSIS, unused_nic), .title = "Some NICs are not used by any channel",
     .why = "They are slower, share a card or a link with another NIC, or are not close to any GPU.",
     .advice = "This is expected for storage and management NICs. Otherwise compare their place and speed with those "
               "of the used NICs.",
     .commands = {"ibstat", "nvidia-smi topo -m"},
     .follows_from = {"port-slow", "slow-link", "slow-slot", "nic-past-cpu", "nic-on-other-socket"}},
    {ORR_FINDING("mixed-speeds", "L54", WARNING, ANALYSIS, mixed_speeds),
     .title = "Channels use NICs of different speeds",
     .why = "Every channel runs at the speed of the slowest NIC. Often a storage or management NIC is among them.",
     .advice = "If the slow NIC is not meant for NCCL, exclude it: NCCL_IB_HCA=^mlx5_N.", .commands = {"ibstat"},
     .references = {"NVIDIA/nccl#1363", "NVIDIA/nccl#1277", "NVIDIA/nccl#1591"},
     .follows_from = {"port-slow", "slow-slot", "slow-link"}},
    {ORR_FINDING("port-slow", "L55", WARNING, DUMP, port_slow), .title = "A NIC is slower than equal NICs",
     .why =
         "A port without a speed is down or unknown. A slower port has another cable or switch port, or fewer lanes.",
     .advice = "Check Rate and State of the port (`ibstat`), and its cable.",
     .commands = {"ibstat", "mlxlink -d mlx5_N"}, .references = {"NVIDIA/nccl#307", "NVIDIA/nccl#451"}},
    {ORR_FINDING("virtual-interface", "L56", INFO, NCCL, virtual_interface),
     .title = "NCCL may use a virtual network interface",
     .why = "Container bridges and tunnels reach other hosts slowly or not at all.",
     .advice = "Name the right interface, such as NCCL_SOCKET_IFNAME=eth0, or exclude the others: "
               "NCCL_SOCKET_IFNAME=^docker0,lo.",
     .commands = {"ip -br addr"}, .references = {"NVIDIA/nccl#2202", "NVIDIA/nccl#941"},
     .follows_from = {"virtual-nics"}},
    {ORR_FINDING("virtual-nics", "L56", WARNING, ANALYSIS, virtual_nics),
     .title = "NCCL counts virtual network interfaces as NICs",
     .why = "Container bridges and tunnels reach other hosts slowly or not at all. A job hangs, or all its traffic "
            "between hosts crosses one slow NIC.",
     .advice = "Name the right interface, such as NCCL_SOCKET_IFNAME=eth0, or exclude the others: "
               "NCCL_SOCKET_IFNAME=^docker,veth,br-,lo.",
     .commands = {"ip -br addr", "ip route get 8.8.8.8"}, .references = {"NVIDIA/nccl#2202", "NVIDIA/nccl#941"}},
    {ORR_FINDING("sockets-only", "L57", WARNING, NCCL, sockets_only),
     .title = "RDMA cards are used as plain network interfaces",
     .why = "NCCL uses TCP between hosts, which is far slower than RDMA. Usually the container lacks /dev/infiniband "
            "or libibverbs.",
     .advice = "Give the container /dev/infiniband and libibverbs, and check that NCCL_IB_DISABLE is not set.",
     .commands = {"ls /dev/infiniband", "ibv_devinfo", "ldconfig -p | grep ibverbs"},
     .references = {"NVIDIA/nccl#941", "NVIDIA/nccl#451", "NVIDIA/nccl#952"}},
    {ORR_FINDING("fewer-nics", "L59", INFO, ANALYSIS, fewer_nics), .title = "Fewer NICs than GPUs",
     .why = "GPUs share NICs, so each GPU gets only part of a NIC's bandwidth.",
     .advice = "The section net_devs shows which GPU uses which NIC."},
    {ORR_FINDING("level-as-number", "L60", WARNING, ANALYSIS, level_as_number),
     .title = "A path level is given as a number", .why = "The meaning of these numbers differs between releases.",
     .advice = "Use a name: LOC, NVL, PIX, PXB, PHB or SYS."},
    {0},
};
