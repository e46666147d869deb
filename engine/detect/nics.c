/* SPDX-License-Identifier: Apache-2.0 */
/* The network devices of the plugin that NCCL would use, and their places in the tree. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/detect/detecting.h"

/* Whether the kernel can pass GPU memory to NICs as DMA-BUF: from 5.12 on. */
static bool kernel_has_dma_buf(const struct orr_detector *d)
{
    char text[128];
    int major = 0, minor = 0;
    orr_root_read(d->root, "/proc/sys/kernel/osrelease", text, sizeof text);
    return sscanf(text, "%d.%d", &major, &minor) == 2 && (major > 5 || (major == 5 && minor >= 12));
}

const char *orr_peer_memory_file(size_t i, unsigned *ret_bit)
{
    static const struct {
        unsigned bit;
        const char *path;
    } modules[] = {
        {ORR_PEER_NV_MEM, "/sys/kernel/mm/memory_peers/nv_mem/version"},
        {ORR_PEER_NV_MEM_NC, "/sys/kernel/mm/memory_peers/nv_mem_nc/version"},
        {ORR_PEER_MODULE, "/sys/module/nvidia_peermem/version"},
        {ORR_PEER_NVIDIA, "/sys/kernel/mm/memory_peers/nvidia-peermem/version"},
    };
    if (i >= sizeof modules / sizeof modules[0])
        return NULL;
    *ret_bit = modules[i].bit;
    return modules[i].path;
}

static bool has_peer_memory(const struct orr_detector *d)
{
    const char *path;
    unsigned bit;
    for (size_t i = 0; (path = orr_peer_memory_file(i, &bit)); i++)
        if ((d->rules.peer_memory & bit) && orr_root_find(d->root, path, NULL) != ORR_ROOT_NONE)
            return true;
    return false;
}

const char *const orr_net_plugins[] = {
    "/usr/lib/libnccl-net.so",
    "/usr/lib64/libnccl-net.so",
    "/usr/lib/x86_64-linux-gnu/libnccl-net.so",
    "/usr/lib/aarch64-linux-gnu/libnccl-net.so",
    "/usr/local/lib/libnccl-net.so",
    "/opt/amazon/ofi-nccl/lib/libnccl-net.so",
    "/opt/hpcx/nccl_rdma_sharp_plugin/lib/libnccl-net.so",
    NULL,
};

/* An external plugin would replace NCCL's built-in plugins. */
static void look_for_plugin(struct orr_detector *d)
{
    const char *named = orr_detect_setting_of(d, "NCCL_NET_PLUGIN");
    if (named && *named && strcasecmp(named, "none")) {
        orr_note(
            d, ORR_NOTE_NET_PLUGIN,
            "NCCL_NET_PLUGIN names %.80s, whose NICs Orrery cannot know, so the NICs are those of NCCL's own plugins",
            named);
        return;
    }
    for (size_t i = 0; orr_net_plugins[i] && !named; i++)
        if (orr_root_find(d->root, orr_net_plugins[i], NULL) != ORR_ROOT_NONE)
            orr_note(d, ORR_NOTE_NET_PLUGIN,
                     "%s is installed, and NCCL would ask it first; the NICs here are those of NCCL's own plugins",
                     orr_net_plugins[i]);
}

void orr_nics_find(struct orr_detector *d)
{
    const char *wanted = orr_detect_setting_of(d, "NCCL_NET");
    struct orr_interface_fact chosen;
    d->peer_memory = has_peer_memory(d);
    d->kernel_dma_buf = kernel_has_dma_buf(d);
    look_for_plugin(d);
    bool any = !wanted || !*wanted, verbs = any || !strcasecmp(wanted, "IB"),
         sockets = any || !strcasecmp(wanted, "Socket");
    const char *named = orr_detect_setting_of(d, "NCCL_SOCKET_IFNAME");
    bool told = d->facts.interfaces_known;
    /* A copy cannot show that an interface had no address. */
    bool addressed =
        orr_interfaces_choose(d, &chosen, 1) || (!told && (!d->facts.interfaces_known || !named || strlen(named) < 2));
    if (!addressed) {
        orr_note(d, ORR_NOTE_NO_INTERFACE,
                 "no network interface has an address that NCCL would use: it finds no network");
        return;
    }
    if (verbs)
        orr_nics_verbs(d);
    d->by_verbs = d->net_count > 0;
    if (!d->net_count && sockets)
        orr_nics_socket(d);
}

/* Whether a NIC can reach the memory of the rank's GPU. */
static bool gdr_of(struct orr_detector *d, const struct orr_net_device *net, uint32_t rank)
{
    const struct orr_gpu_fact *gpu = rank < d->facts.gpu_count ? &d->facts.gpus[rank] : NULL;
    if (!net->verbs)
        return false;
    if (d->peer_memory)
        return true;
    bool dma_buf = d->rules.dma_buf && orr_detect_number_of(d, "NCCL_DMABUF_ENABLE", 1) && gpu &&
                   gpu->dma_buf == ORR_YES &&
                   (net->dma_buf == ORR_UNKNOWN ? d->kernel_dma_buf : net->dma_buf == ORR_YES);
    if (dma_buf && net->dma_buf == ORR_YES)
        return true;
    if (dma_buf)
        orr_note(d, ORR_NOTE_DMA_BUF_ASSUMED,
                 "no module for peer memory is loaded; GPU and kernel know DMA-BUF, and the NICs are assumed to know "
                 "it as well");
    else
        orr_note(d, ORR_NOTE_NO_PEER_MEMORY,
                 "neither a module for peer memory that this release looks for is loaded, nor can DMA-BUF be used: "
                 "NICs get gdr 0");
    return dma_buf;
}

/* The folder of a net's PCI function, NULL if it belongs to the first CPU. */
static const char *pci_path(struct orr_detector *d, const struct orr_net_device *net)
{
    char link[ORR_PATH_SIZE + 16], target[ORR_PATH_SIZE];
    target[0] = 0;
    snprintf(link, sizeof link, "%s/subsystem", net->card);
    enum orr_root_kind kind = net->card[0] ? orr_root_find(d->root, link, target) : ORR_ROOT_NONE;
    const char *last = strrchr(target, '/');
    if (kind != ORR_ROOT_NONE && last && !strcmp(last, "/pci"))
        return net->card;
    if (net->path[0] && strcmp(net->path, net->card))
        orr_note(d, ORR_NOTE_NIC_MERGED_AWAY,
                 "NIC %s is function %.13s, but NCCL looks for function %.13s of the card, which is missing, so it "
                 "attaches the NIC to the CPU of each GPU",
                 net->name, strrchr(net->path, '/') + 1, strrchr(net->card, '/') + 1);
    else
        orr_note(d, ORR_NOTE_NOT_PCI_NIC, "NIC %s is not a PCI device (%.60s): NCCL attaches it to the CPU of each GPU",
                 net->name, kind == ORR_ROOT_NONE ? "it has no bus" : target);
    return NULL;
}

static struct orr_doc_node *attach(struct orr_detector *d, const struct orr_net_device *net)
{
    const char *path = pci_path(d, net);
    struct orr_doc_node *parent;
    if (path) {
        parent = orr_bus_element(d, strrchr(path, '/') + 1, "0x02");
        orr_bus_complete(d, parent);
        orr_doc_set_once(d->tree, parent, ORR_ATTR_CLASS, "0x02");
    } else {
        parent = orr_doc_child(d->tree->system, ORR_ELEMENT_CPU);
        if (!parent) { /* there is no GPU, so nothing has made a CPU yet */
            char numa[ORR_SYS_VALUE] = "";
            if (net->path[0])
                orr_sys_value(d, net->path, "numa_node", numa);
            parent = orr_host_cpu(d, numa[0] ? numa : "-1");
            orr_bus_complete(d, parent);
        }
    }
    struct orr_doc_node *nic = orr_doc_child(parent, ORR_ELEMENT_NIC);
    if (!nic)
        nic = orr_doc_add(d->tree, parent, ORR_ELEMENT_NIC, NULL);
    struct orr_doc_node *element = orr_doc_add(d->tree, nic, ORR_ELEMENT_NET, NULL);
    orr_doc_set(d->tree, element, ORR_ATTR_NAME, "%s", net->name);
    return element;
}

void orr_nic_describe(struct orr_detector *d, struct orr_doc_node *element, const struct orr_net_device *net,
                      uint32_t dev, uint32_t rank)
{
    const struct orr_detect_rules *rules = &d->rules;
    orr_doc_set(d->tree, element, ORR_ATTR_DEV, "%u", dev);
    if (rules->latency_is_whole)
        orr_doc_set_once(d->tree, element, ORR_ATTR_LATENCY, "0");
    orr_doc_set_once(d->tree, element, ORR_ATTR_SPEED, "%u", net->speed);
    orr_doc_set_once(d->tree, element, ORR_ATTR_PORT, "%d", net->listed_port);
    if (rules->rails && net->place.rail >= 0)
        orr_doc_set_once(d->tree, element, ORR_ATTR_RAIL, "%d", net->place.rail);
    if (rules->rails && net->place.plane >= 0)
        orr_doc_set_once(d->tree, element, ORR_ATTR_PLANE, "%d", net->place.plane);
    if (rules->latency && !rules->latency_is_whole)
        orr_doc_set_once(d->tree, element, ORR_ATTR_LATENCY, "%f", 0.0);
    orr_doc_set_once(d->tree, element, ORR_ATTR_GUID, "0x%" PRIx64, net->guid);
    orr_doc_set_once(d->tree, element, ORR_ATTR_MAXCONN, "%u", net->max_qp);
    orr_doc_set_once(d->tree, element, ORR_ATTR_GDR, "%d", gdr_of(d, net, rank));
    if (rules->says_net) {
        orr_doc_set_once(d->tree, element, ORR_ATTR_NET_, "1");
        if (net->mlx5) /* published dumps of these releases have it for every mlx5 device */
            orr_doc_set_once(d->tree, element, ORR_ATTR_GIN, "1");
    }
    element->claimed = true;
}

void orr_nics_add(struct orr_detector *d, uint32_t rank)
{
    for (uint32_t i = 0; i < d->net_count; i++) {
        const struct orr_net_device *net = &d->nets[i];
        struct orr_doc_node *element = orr_doc_find(d->tree->system, ORR_ELEMENT_NET, ORR_ATTR_NAME, net->name);
        if (!element)
            element = attach(d, net);
        orr_nic_describe(d, element, net, i, rank);
    }
}
