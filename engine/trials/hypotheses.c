/* The configurations that are tried, one row each, and how each is made. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/trials/hypotheses.h"

static bool set_attribute(struct orr_perf_copy *copy, struct orr_doc_node *node, const char *key, const char *value)
{
    const char *old = orr_doc_get(node, key);
    if (old && !strcmp(old, value))
        return false;
    orr_doc_set(&copy->doc, node, key, "%s", value);
    return copy->changed = true;
}

/* Each element of a name, in document order; NULL ends. */
static struct orr_doc_node *next_named(struct orr_perf_copy *copy, struct orr_doc_node *node, const char *name)
{
    do
        node = node ? orr_doc_next(node, copy->doc.system) : copy->doc.system;
    while (node && !orr_doc_is(node, name));
    return node;
}

static void set_setting(struct orr_perf_copy *copy, const char *name, const char *value)
{
    enum orr_setting setting;
    struct orr_settings after = copy->settings;
    if (!orr_setting_find(name, &setting) || !orr_setting_in(setting, copy->settings.release))
        return;
    const char *old = orr_setting_text(&copy->settings, setting);
    if ((old && *old) || orr_settings_set(&after, name, value, NULL) != ORR_OK)
        return; /* what the job was given is known */
    copy->settings = after;
    copy->changed = true;
}

/* ---- settings ---- */

static void no_nvls(struct orr_perf_copy *copy, int amount)
{
    (void)amount;
    set_setting(copy, "NCCL_NVLS_ENABLE", "0");
}

static void no_pxn(struct orr_perf_copy *copy, int amount)
{
    (void)amount;
    set_setting(copy, "NCCL_PXN_DISABLE", "1");
}

static void no_p2p(struct orr_perf_copy *copy, int amount)
{
    (void)amount;
    set_setting(copy, "NCCL_P2P_DISABLE", "1");
}

static void use_protocol(struct orr_perf_copy *copy, int amount)
{
    static const char *const names[] = {"LL", "LL128"};
    set_setting(copy, "NCCL_PROTO", names[amount]);
}

static void use_algorithm(struct orr_perf_copy *copy, int amount)
{
    static const char *const names[] = {"Ring", "Tree"};
    set_setting(copy, "NCCL_ALGO", names[amount]);
}

static void fewer_channels(struct orr_perf_copy *copy, int amount)
{
    char text[16];
    if (amount >= copy->analysis->communicator.channel_count)
        return;
    snprintf(text, sizeof text, "%d", amount);
    set_setting(copy, "NCCL_MAX_NCHANNELS", text);
    snprintf(copy->what, sizeof copy->what, "NCCL uses %d channel%s instead of %d", amount, amount == 1 ? "" : "s",
             copy->analysis->communicator.channel_count);
}

/* ---- NICs ---- */

static void no_gdr(struct orr_perf_copy *copy, int amount)
{
    (void)amount;
    for (struct orr_doc_node *net = NULL; (net = next_named(copy, net, "net"));)
        set_attribute(copy, net, "gdr", "0");
}

static void scale_nics(struct orr_perf_copy *copy, int part)
{
    char text[16];
    for (struct orr_doc_node *net = NULL; (net = next_named(copy, net, "net"));) {
        const char *speed = orr_doc_get(net, "speed");
        long mbps = speed ? strtol(speed, NULL, 10) : 0;
        snprintf(text, sizeof text, "%ld", mbps / part);
        if (mbps / part > 0)
            set_attribute(copy, net, "speed", text);
    }
}

/* NCCL's sockets reach 10 to 50 Gb/s for a NIC, as the CPUs and the number of threads allow, and never use GPUDirect
 * RDMA. */
static void use_tcp(struct orr_perf_copy *copy, int mbps)
{
    char text[16];
    snprintf(text, sizeof text, "%d", mbps);
    for (struct orr_doc_node *net = NULL; (net = next_named(copy, net, "net"));) {
        const char *speed = orr_doc_get(net, "speed");
        set_attribute(copy, net, "gdr", "0");
        if (speed && strtol(speed, NULL, 10) > mbps)
            set_attribute(copy, net, "speed", text);
    }
}

/* Keeps some of the NICs, spread over the host: every number of them up to 16 NICs, else as many sixteenths, from one
 * NIC to all but one. */
static void fewer_nics(struct orr_perf_copy *copy, int amount)
{
    enum { PARTS = 16 };
    uint32_t keep = (uint32_t)amount, at = 0, kept = 0;
    if (copy->nets > PARTS)
        keep = keep == PARTS ? copy->nets - 1 : (uint32_t)((uint64_t)keep * copy->nets / PARTS);
    if (keep >= copy->nets)
        return;
    struct orr_doc_node *next, *net = next_named(copy, NULL, "net");
    for (; net; net = next, at++) {
        next = next_named(copy, net, "net");
        if (kept < keep && (uint64_t)at * keep / copy->nets >= kept) {
            kept++;
            continue;
        }
        orr_doc_prune(net);
        copy->changed = true;
    }
    copy->kept = keep;
}

/* ---- PCIe and NVLink ---- */

static void halve_link(struct orr_perf_copy *copy, struct orr_doc_node *node, int part)
{
    char text[16];
    const char *width = orr_doc_get(node, "link_width");
    int lanes = width ? atoi(width) : 0;
    if (lanes / part < 1)
        return;
    snprintf(text, sizeof text, "%d", lanes / part);
    set_attribute(copy, node, "link_width", text);
}

static void halve_gpu_links(struct orr_perf_copy *copy, int part)
{
    for (struct orr_doc_node *gpu = NULL; (gpu = next_named(copy, gpu, "gpu"));)
        halve_link(copy, gpu->parent, part);
}

static void halve_nic_links(struct orr_perf_copy *copy, int part)
{
    for (struct orr_doc_node *nic = NULL; (nic = next_named(copy, nic, "nic"));)
        if (orr_doc_is(nic->parent, "pci"))
            halve_link(copy, nic->parent, part);
}

static void halve_one_gpu_link(struct orr_perf_copy *copy, int part)
{
    struct orr_doc_node *gpu = next_named(copy, NULL, "gpu");
    if (gpu)
        halve_link(copy, gpu->parent, part);
}

/* part 0: none is left. one: of the first GPU only. */
static void cut_nvlinks(struct orr_perf_copy *copy, int part, bool one)
{
    char text[16];
    uint32_t gpus = 0;
    for (struct orr_doc_node *gpu = NULL; (gpu = next_named(copy, gpu, "gpu")) && (!one || !gpus); gpus++)
        for (struct orr_doc_node *link = gpu->first, *after; link; link = after) {
            after = link->after;
            const char *count = orr_doc_is(link, "nvlink") ? orr_doc_get(link, "count") : NULL;
            if (!count)
                continue;
            if (!part) {
                orr_doc_remove(link);
                copy->changed = true;
            } else if (atoi(count) / part > 0) {
                snprintf(text, sizeof text, "%d", atoi(count) / part);
                set_attribute(copy, link, "count", text);
            }
        }
}

static void no_nvlinks(struct orr_perf_copy *copy, int amount)
{
    (void)amount;
    cut_nvlinks(copy, 0, false);
}

static void half_nvlinks(struct orr_perf_copy *copy, int part)
{
    cut_nvlinks(copy, part, false);
}

static void half_nvlinks_of_one(struct orr_perf_copy *copy, int part)
{
    cut_nvlinks(copy, part, true);
}

/* Every NIC at the other CPU, as a wrong binding or a wrong topology file of a virtual machine has it. */
static void swap_sockets(struct orr_perf_copy *copy, int amount)
{
    (void)amount;
    struct orr_doc_node *first = orr_doc_child(copy->doc.system, "cpu", NULL, NULL),
                        *second = first ? first->after : NULL;
    if (!second || second->after)
        return;
    struct orr_doc_node *cards[64];
    bool of_first[64];
    uint32_t count = 0;
    for (struct orr_doc_node *nic = NULL; (nic = next_named(copy, nic, "nic")) && count < 64;) {
        struct orr_doc_node *card = nic->parent, *cpu = card;
        while (cpu && !orr_doc_is(cpu, "cpu"))
            cpu = cpu->parent;
        if (!orr_doc_is(card, "pci") || orr_doc_child(card, "gpu", NULL, NULL) || !cpu)
            continue;
        of_first[count] = cpu == first;
        cards[count++] = card;
    }
    for (uint32_t i = 0; i < count; i++) {
        orr_doc_move(cards[i], of_first[i] ? second : first, NULL);
        copy->changed = true;
    }
}

/* Changes nothing that NCCL sees. */
static void redirect_peers(struct orr_perf_copy *copy, int amount)
{
    (void)amount;
    copy->acs = copy->changed = true;
}

#define LOG_NET        "Run once with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET and read the lines "
#define WHICH_NETWORK  LOG_NET "\"Using network\" and \"NET/\": they name Socket, IB or the plugin."
#define WHICH_NICS     LOG_NET "\"NET/IB : Using\": they list the NICs; `ibstat` shows ports that are down."
#define LOOK_FOR(name) "Run `env | grep NCCL_` in the job and look for " name "."
#define NVLINKS        "Run `nvidia-smi nvlink -s` on each host."
#define TCP            "NCCL uses TCP sockets instead of RDMA (no InfiniBand or plugin for the network is loaded)"

/* Rows with one id are tries of one cause: the best of them is named. */
const struct orr_perf_cause orr_perf_causes[] = {
    {"tcp", TCP, WHICH_NETWORK, use_tcp, 24000, 0, true, 1.5, "Socket"},
    {"tcp", TCP, WHICH_NETWORK, use_tcp, 12000, 0, true, 1.5, "Socket"},
    {"tcp", TCP, WHICH_NETWORK, use_tcp, 48000, 0, true, 1.5, "Socket"},
    {"no-gdr", "GPUDirect RDMA is off",
     LOG_NET "\"via NET\": /GDRDMA is missing where it is off; `lsmod | grep nvidia_peermem` shows the module.", no_gdr,
     0, 0, true, 1, NULL},
    {"fewer-nics", "some NICs are not used", WHICH_NICS, fewer_nics, 1, 16, true, 1, NULL},
    {"half-rate", "the NICs run at half their rate (their ports, or the switches between the hosts)",
     "Compare `ibstat` (Rate) and `lspci -vv` (LnkSta) with another host, and run ib_write_bw between two "
     "hosts.",
     scale_nics, 2, 0, true, 1, NULL},
    {"quarter-rate", "the NICs run at a quarter of their rate (their ports, or the switches between the hosts)",
     "Compare `ibstat` (Rate) and `lspci -vv` (LnkSta) with another host, and run ib_write_bw between two hosts.",
     scale_nics, 4, 0, true, 1, NULL},
    {"no-pxn", "PXN is off",
     "Run with NCCL_PXN_DISABLE=0 and look for PXN in the lines \"via NET\" of NCCL_DEBUG=INFO.", no_pxn, 0, 0, true, 1,
     NULL},
    {"other-socket", "the NICs are reached across the CPU sockets (wrong NUMA binding or a wrong topology file)",
     "Run `nvidia-smi topo -m` in the job's own environment: SYS between each GPU and all NICs shows it.", swap_sockets,
     0, 0, true, 1, NULL},
    {"nic-links", "the PCIe links of the NICs have half their bandwidth (width or generation)",
     "Run `lspci -vv` and read LnkSta of the NICs.", halve_nic_links, 2, 0, true, 1, NULL},
    {"nic-links-quarter", "the PCIe links of the NICs have a quarter of their bandwidth",
     "Run `lspci -vv` and read LnkSta of the NICs.", halve_nic_links, 4, 0, true, 1, NULL},
    {"acs", "PCIe ACS is on (traffic between devices of one PCIe switch goes by the CPU's root port)",
     "Run `lspci -vvv | grep ACSCtl`: SrcValid+, ReqRedir+ or CmpltRedir+ at a bridge means that ACS is on; without "
     "virtual machines, turn it off.",
     redirect_peers, 0, 0, false, 1, NULL},
    {"no-nvls", "NVLink SHARP (NVLS) is off",
     "Run once with NCCL_DEBUG=INFO: a line says \"NVLS multicast support is (not) available\"; check "
     "nvidia-fabricmanager.",
     no_nvls, 0, 0, false, 1, NULL},
    {"no-p2p", "GPUs exchange data through shared memory instead of P2P",
     "Run once with NCCL_DEBUG=INFO: lines \"via SHM\" show it; `nvidia-smi topo -p2p r` shows what the driver allows.",
     no_p2p, 0, 0, false, 1, NULL},
    {"no-nvlinks", "no NVLink is in use", NVLINKS, no_nvlinks, 0, 0, false, 1, NULL},
    {"half-nvlinks", "half of the NVLinks of each GPU are down", NVLINKS, half_nvlinks, 2, 0, false, 1, NULL},
    {"half-nvlinks-one", "half of the NVLinks of one GPU are down", NVLINKS, half_nvlinks_of_one, 2, 0, false, 1, NULL},
    {"gpu-links", "the PCIe links of the GPUs have half their bandwidth (width or generation)",
     "Run `nvidia-smi -q -d PCIE` under load and read the link width and generation.", halve_gpu_links, 2, 0, false, 1,
     NULL},
    {"one-gpu-link", "the PCIe link of one GPU has half its bandwidth (width or generation)",
     "Run `nvidia-smi -q -d PCIE` under load and compare the GPUs.", halve_one_gpu_link, 2, 0, false, 1, NULL},
    {"ll", "NCCL is set to use the protocol LL (NCCL_PROTO, or a tuner plugin)",
     LOOK_FOR("NCCL_PROTO and NCCL_TUNER_PLUGIN"), use_protocol, 0, 0, false, 1, NULL},
    {"ll128", "NCCL is set to use the protocol LL128 (NCCL_PROTO, or a tuner plugin)",
     LOOK_FOR("NCCL_PROTO and NCCL_TUNER_PLUGIN"), use_protocol, 1, 0, false, 1, NULL},
    {"ring", "NCCL is set to use the ring algorithm (NCCL_ALGO, or a tuner plugin)",
     LOOK_FOR("NCCL_ALGO and NCCL_TUNER_PLUGIN"), use_algorithm, 0, 0, false, 1, NULL},
    {"tree", "NCCL is set to use the tree algorithm (NCCL_ALGO, or a tuner plugin)",
     LOOK_FOR("NCCL_ALGO and NCCL_TUNER_PLUGIN"), use_algorithm, 1, 0, false, 1, NULL},
    {"channels-1", "", LOOK_FOR("NCCL_MAX_NCHANNELS"), fewer_channels, 1, 0, false, 1, NULL},
    {"channels-2", "", LOOK_FOR("NCCL_MAX_NCHANNELS"), fewer_channels, 2, 0, false, 1, NULL},
    {"channels-4", "", LOOK_FOR("NCCL_MAX_NCHANNELS"), fewer_channels, 4, 0, false, 1, NULL},
    {"channels-8", "", LOOK_FOR("NCCL_MAX_NCHANNELS"), fewer_channels, 8, 0, false, 1, NULL},
};
const size_t orr_perf_cause_count = sizeof orr_perf_causes / sizeof orr_perf_causes[0];

bool orr_perf_copy_init(struct orr_perf_copy *copy, const struct orr_analysis *analysis, struct orr_arena *arena)
{
    const struct orr_dump *dump = analysis->given;
    *copy = (struct orr_perf_copy){.analysis = analysis, .arena = arena, .settings = analysis->query.settings};
    orr_doc_init(&copy->doc, arena);
    orr_doc_copy_element(&copy->doc, copy->doc.system, dump, 0);
    for (uint32_t e = 0; e < dump->element_count; e++) {
        copy->gpus += dump->elements[e].kind == ORR_ELEMENT_GPU;
        copy->nets += dump->elements[e].kind == ORR_ELEMENT_NET;
    }
    return !orr_arena_starved(copy->doc.arena);
}
