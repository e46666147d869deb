/* The table of hypotheses, one row each. */
#include "engine/trials/hypotheses.h"

#include <stdio.h>
#include <string.h>

#include "engine/trials/edits.h"

#define LOG_NET       "Run once with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET and read the lines "
#define WHICH_NETWORK LOG_NET "\"Using network\" and \"NET/\": they name Socket, IB or the plugin."
#define WHICH_NICS    LOG_NET "\"NET/IB : Using\": they list the NICs; `ibstat` shows ports that are down."
#define NIC_RATE                                                                                                       \
    "Compare `ibstat` (Rate) and `lspci -vv` (LnkSta) with another host, and run ib_write_bw between two hosts."
#define NIC_LINKS          "Run `lspci -vv` and read LnkSta of the NICs."
#define LOOK_FOR(name)     "Run `env | grep NCCL_` in the job and look for " name "."
#define OR_PLUGIN(name)    LOOK_FOR(name " and NCCL_TUNER_PLUGIN")
#define NVLINKS            "Run `nvidia-smi nvlink -s` on each host."
#define SET_TO(what, name) "NCCL is set to use the " what " (" name ", or a tuner plugin)"
#define SEEN(bit)          (1u << ORR_SHOWS_##bit)
#define IN_LOGS            [ORR_ASKED_LOG] = 1
#define IN_RESULTS(number) [ORR_ASKED_RESULTS] = (number)
#define TURN(...)          .turn = {__VA_ARGS__}
#define TCP(mbps)                                                                                                      \
    {                                                                                                                  \
        .id = "tcp",                                                                                                   \
        .what = "NCCL uses TCP sockets instead of RDMA (no InfiniBand or plugin for the network is loaded)",           \
        .confirm = WHICH_NETWORK, .edit = orr_edit_tcp, .amount = (mbps), .network = true, .tolerance = 1.5,           \
        .proven_by = ORR_SHOWS_SOCKETS, .refuted_by = SEEN(OTHER_NETWORK) | SEEN(GDR_USED), TURN(IN_RESULTS(1))        \
    }
/* A setting whose trial explains logs; results of its kind are explained by it if nothing else does. */
#define GIVEN(name, text, did, refuted)                                                                                \
    {                                                                                                                  \
        .id = name, .setting = text, .log = {.why = did}, .refuted_by = refuted, TURN(IN_LOGS)                         \
    }
#define CHANNELS(count)                                                                                                \
    {                                                                                                                  \
        .id = "channels-" #count, .confirm = LOOK_FOR("NCCL_MAX_NCHANNELS"), .edit = orr_edit_channels,                \
        .amount = (count), TURN(IN_RESULTS(9))                                                                         \
    }

static const struct orr_hypothesis rows[] = {
    {.id = "other-release",
     .edit = orr_edit_release,
     .amount = 1,
     .log = {.why = "The job's NCCL behaves as a newer release than the one emulated.",
             .advice = "compare with --release"},
     .refuted_by = SEEN(RELEASE),
     TURN(IN_LOGS)},
    {.id = "other-release",
     .edit = orr_edit_release,
     .amount = -1,
     .log = {.why = "The job's NCCL behaves as an older release than the one emulated.",
             .advice = "compare with --release"},
     .refuted_by = SEEN(RELEASE),
     TURN(IN_LOGS)},
    {.id = "hosts",
     .edit = orr_edit_hosts,
     .amount = 2,
     .log = {.why = "The communicator spanned several hosts, and the log does not say how many.",
             .advice = "compare with --hosts"},
     .refuted_by = SEEN(HOSTS),
     TURN(IN_LOGS)},
    {.id = "nics-kept",
     .edit = orr_edit_keep_nics,
     .what = "the job's release leaves the NICs in the system of a single node",
     .log = {.why = "Releases from 2.29 on keep the NICs of a system that holds all ranks.",
             .advice = "compare with a newer release"},
     .refuted_by = SEEN(RELEASE),
     TURN(IN_LOGS)},
    {.id = "no-nics",
     .edit = orr_edit_no_nics,
     .what = "no NIC of the dump takes part",
     .confirm = WHICH_NICS,
     .log = {.why = "The job used none of the dump's NICs: another network, or a plugin that failed.",
             .advice = "look for `Using network` and `NET/` lines in the log, and at NCCL_IB_HCA, NCCL_NET and the "
                       "plugin"},
     .refuted_by = SEEN(NETWORK_USED),
     TURN(IN_LOGS)},
    TCP(24000),
    TCP(12000),
    TCP(48000),
    {.id = "some-gdr",
     .edit = orr_edit_observed_gdr,
     .log = {.id = "gdr-off",
             .why = "GPUDirect RDMA was not possible with these NICs when the job ran.",
             .advice = "compare these NICs with the others: driver, firmware, IOMMU and ACS"},
     TURN(IN_LOGS)},
    {.id = "no-gdr",
     .edit = orr_edit_no_gdr,
     .what = "GPUDirect RDMA is off",
     .confirm =
         LOG_NET "\"via NET\": /GDRDMA is missing where it is off; `lsmod | grep nvidia_peermem` shows the module.",
     .log = {.id = "gdr-off",
             .what = "gdr=\"0\" on every NIC",
             .why = "GPUDirect RDMA was not possible when the job ran.",
             .advice = "check nvidia-peermem or DMA-BUF: lsmod | grep peermem"},
     .network = true,
     .refuted_by = SEEN(GDR_USED),
     TURN(IN_LOGS, IN_RESULTS(1))},
    {.id = "fewer-nics",
     .edit = orr_edit_fewer_nics,
     .amount = 1,
     .most = 16,
     .what = "some NICs are not used",
     .confirm = WHICH_NICS,
     .network = true,
     TURN(IN_RESULTS(1))},
    {.id = "half-rate",
     .edit = orr_edit_nic_speed,
     .amount = 2,
     .what = "the NICs run at half their rate (their ports, or the switches between the hosts)",
     .confirm = NIC_RATE,
     .network = true,
     TURN(IN_RESULTS(1))},
    {.id = "quarter-rate",
     .edit = orr_edit_nic_speed,
     .amount = 4,
     .what = "the NICs run at a quarter of their rate (their ports, or the switches between the hosts)",
     .confirm = NIC_RATE,
     .network = true,
     TURN(IN_RESULTS(1))},
    {.id = "no-p2p",
     .setting = "NCCL_P2P_DISABLE=1",
     .what = "GPUs exchange data through shared memory instead of P2P",
     .confirm = "Run once with NCCL_DEBUG=INFO: lines \"via SHM\" show it; `nvidia-smi topo -p2p r` shows what the "
                "driver allows.",
     .log = {.why = "P2P was off."},
     .refuted_by = SEEN(P2P_USED),
     TURN(IN_LOGS, IN_RESULTS(5))},
    GIVEN("p2p-level", "NCCL_P2P_LEVEL=LOC", "P2P was off.", SEEN(P2P_USED)),
    GIVEN("p2p-level", "NCCL_P2P_LEVEL=NVL", "P2P was allowed over NVLink only.", 0),
    GIVEN("p2p-level", "NCCL_P2P_LEVEL=PIX", "P2P was allowed over one PCIe bridge only.", 0),
    GIVEN("p2p-level", "NCCL_P2P_LEVEL=PXB", "P2P was allowed below the CPU only.", 0),
    GIVEN("p2p-level", "NCCL_P2P_LEVEL=PHB", "P2P was allowed through the CPU.", 0),
    GIVEN("p2p-level", "NCCL_P2P_LEVEL=SYS", "P2P was allowed at every distance.", 0),
    GIVEN("gdr-level", "NCCL_NET_GDR_LEVEL=LOC", "GPUDirect RDMA was off.", SEEN(GDR_USED)),
    GIVEN("gdr-level", "NCCL_NET_GDR_LEVEL=SYS", "GPUDirect RDMA was allowed at every distance.", 0),
    GIVEN("gdr-read", "NCCL_NET_GDR_READ=0", "Reading GPU memory for sending was off.", 0),
    GIVEN("gdr-read", "NCCL_NET_GDR_READ=1", "Reading GPU memory for sending was on.", 0),
    GIVEN("no-shm", "NCCL_SHM_DISABLE=1", "Shared memory was off.", SEEN(SHM_USED)),
    {.id = "no-nvls",
     .setting = "NCCL_NVLS_ENABLE=0",
     .what = "NVLink SHARP (NVLS) is off",
     .confirm = "Run once with NCCL_DEBUG=INFO: a line says \"NVLS multicast support is (not) available\"; check "
                "nvidia-fabricmanager.",
     .log = {.why = "NVLS was off, or the driver refused it.",
             .advice = "look for `NVLS multicast support` in the log; fabric manager and driver decide it"},
     .refuted_by = SEEN(NVLS_USED),
     TURN(IN_LOGS, IN_RESULTS(4))},
    GIVEN("cross-nic", "NCCL_CROSS_NIC=0", "Rings were kept on one NIC.", 0),
    GIVEN("cross-nic", "NCCL_CROSS_NIC=1", "Rings were allowed to change NICs.", 0),
    {.id = "no-pxn",
     .setting = "NCCL_PXN_DISABLE=1",
     .what = "PXN is off",
     .confirm = "Run with NCCL_PXN_DISABLE=0 and look for PXN in the lines \"via NET\" of NCCL_DEBUG=INFO.",
     .log = {.why = "PXN was off, or the network plugin does not know it."},
     .network = true,
     .refuted_by = SEEN(PROXY_USED),
     TURN(IN_LOGS, IN_RESULTS(2))},
    GIVEN("collnet", "NCCL_COLLNET_ENABLE=1", "CollNet was on.", 0),
    {.id = "ring",
     .setting = "NCCL_ALGO=Ring",
     .what = SET_TO("ring algorithm", "NCCL_ALGO"),
     .confirm = OR_PLUGIN("NCCL_ALGO"),
     .log = {.why = "Only rings were allowed."},
     TURN(IN_LOGS, IN_RESULTS(8))},
    {.id = "tree",
     .setting = "NCCL_ALGO=Tree",
     .what = SET_TO("tree algorithm", "NCCL_ALGO"),
     .confirm = OR_PLUGIN("NCCL_ALGO"),
     .log = {.why = "Only trees were allowed."},
     TURN(IN_LOGS, IN_RESULTS(8))},
    {.id = "nvls",
     .setting = "NCCL_ALGO=NVLS",
     .what = SET_TO("NVLS algorithm", "NCCL_ALGO"),
     .confirm = OR_PLUGIN("NCCL_ALGO"),
     .log = {.why = "Only NVLS was allowed."},
     TURN(IN_LOGS)},
    {.id = "ll",
     .setting = "NCCL_PROTO=LL",
     .what = SET_TO("protocol LL", "NCCL_PROTO"),
     .confirm = OR_PLUGIN("NCCL_PROTO"),
     .log = {.why = "Only the LL protocol was allowed."},
     TURN(IN_LOGS, IN_RESULTS(7))},
    {.id = "ll128",
     .setting = "NCCL_PROTO=LL128",
     .what = SET_TO("protocol LL128", "NCCL_PROTO"),
     .confirm = OR_PLUGIN("NCCL_PROTO"),
     .log = {.why = "Only the LL128 protocol was allowed."},
     TURN(IN_LOGS, IN_RESULTS(7))},
    GIVEN("no-ll128", "NCCL_PROTO=^LL128", "The LL128 protocol was not allowed.", 0),
    {.id = "simple",
     .setting = "NCCL_PROTO=Simple",
     .what = SET_TO("protocol Simple", "NCCL_PROTO"),
     .confirm = OR_PLUGIN("NCCL_PROTO"),
     .log = {.why = "Only the Simple protocol was allowed."},
     TURN(IN_LOGS)},
    {.id = "channels",
     .edit = orr_edit_more_channels,
     .log = {.id = "setting", .why = "More channels were asked for."},
     TURN(IN_LOGS)},
    {.id = "channels",
     .edit = orr_edit_fewer_channels,
     .log = {.id = "setting", .why = "Fewer channels were allowed."},
     TURN(IN_LOGS)},
    CHANNELS(1),
    CHANNELS(2),
    CHANNELS(4),
    CHANNELS(8),
    {.id = "other-socket",
     .edit = orr_edit_swap_sockets,
     .what = "the NICs are reached across the CPU sockets (wrong NUMA binding or a wrong topology file)",
     .confirm = "Run `nvidia-smi topo -m` in the job's own environment: SYS between each GPU and all NICs shows it.",
     .network = true,
     TURN(IN_RESULTS(3))},
    {.id = "nic-links",
     .edit = orr_edit_nic_links,
     .amount = 2,
     .what = "the PCIe links of the NICs have half their bandwidth (width or generation)",
     .confirm = NIC_LINKS,
     .network = true,
     TURN(IN_RESULTS(3))},
    {.id = "nic-links-quarter",
     .edit = orr_edit_nic_links,
     .amount = 4,
     .what = "the PCIe links of the NICs have a quarter of their bandwidth",
     .confirm = NIC_LINKS,
     .network = true,
     TURN(IN_RESULTS(3))},
    {.id = "acs",
     .edit = orr_edit_acs,
     .what = "PCIe ACS is on (traffic between devices of one PCIe switch goes by the CPU's root port)",
     .confirm = "Run `lspci -vvv | grep ACSCtl`: SrcValid+, ReqRedir+ or CmpltRedir+ at a bridge means that ACS is on; "
                "without virtual machines, turn it off.",
     .log = {.what = "the driver refuses P2P over PCIe, as with PCIe ACS or the IOMMU on",
             .why = "Lines of the log say so, and without P2P over PCIe the prediction agrees better.",
             .advice = "turn off ACS on the switches between the GPUs, and set the IOMMU to off or passthrough; inside "
                       "a virtual machine, ACS has to stay on"},
     TURN(IN_RESULTS(3))},
    {.id = "no-nvlinks",
     .edit = orr_edit_nvlinks,
     .what = "no NVLink is in use",
     .confirm = NVLINKS,
     .refuted_by = SEEN(NVLS_USED),
     TURN(IN_RESULTS(6))},
    {.id = "half-nvlinks",
     .edit = orr_edit_nvlinks,
     .amount = 2,
     .what = "half of the NVLinks of each GPU are down",
     .confirm = NVLINKS,
     TURN(IN_RESULTS(6))},
    {.id = "half-nvlinks-one",
     .edit = orr_edit_one_nvlinks,
     .amount = 2,
     .what = "half of the NVLinks of one GPU are down",
     .confirm = NVLINKS,
     TURN(IN_RESULTS(6))},
    {.id = "gpu-links",
     .edit = orr_edit_gpu_links,
     .amount = 2,
     .what = "the PCIe links of the GPUs have half their bandwidth (width or generation)",
     .confirm = "Run `nvidia-smi -q -d PCIE` under load and read the link width and generation.",
     TURN(IN_RESULTS(6))},
    {.id = "one-gpu-link",
     .edit = orr_edit_one_gpu_link,
     .amount = 2,
     .what = "the PCIe link of one GPU has half its bandwidth (width or generation)",
     .confirm = "Run `nvidia-smi -q -d PCIE` under load and compare the GPUs.",
     TURN(IN_RESULTS(6))},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/* Smaller comes first. */
static size_t place_of(enum orr_asked asked, const struct orr_hypothesis *row)
{
    size_t turn = row->turn[asked] ? row->turn[asked] : UINT8_MAX + 1;
    return turn * ROW_COUNT + (size_t)(row - rows);
}

const struct orr_hypothesis *orr_hypothesis_next(enum orr_asked asked, const struct orr_hypothesis *last)
{
    const struct orr_hypothesis *next = NULL;
    for (size_t i = 0; i < ROW_COUNT; i++)
        if ((!last || place_of(asked, &rows[i]) > place_of(asked, last)) &&
            (!next || place_of(asked, &rows[i]) < place_of(asked, next)))
            next = &rows[i];
    return next;
}

const char *orr_hypothesis_what(const struct orr_hypothesis *row, struct orr_arena *arena)
{
    char text[80];
    if (row->what || !row->setting)
        return row->what ? row->what : "";
    snprintf(text, sizeof text, "%s is set", row->setting);
    const char *kept = orr_arena_strndup(arena, text, strlen(text));
    return kept ? kept : "";
}

const char *orr_hypothesis_confirm(const struct orr_hypothesis *row, struct orr_arena *arena)
{
    char text[120];
    if (row->confirm || !row->setting)
        return row->confirm ? row->confirm : "";
    snprintf(text, sizeof text, LOOK_FOR("%.*s"), (int)strcspn(row->setting, "="), row->setting);
    const char *kept = orr_arena_strndup(arena, text, strlen(text));
    return kept ? kept : "";
}

bool orr_hypothesis_apply(const struct orr_hypothesis *row, int amount, struct orr_variant *variant)
{
    unsigned shown = variant->observed->shown;
    if ((shown & row->refuted_by) && !(shown >> row->proven_by & 1))
        return false;
    if (row->setting)
        orr_variant_assume(variant, row->setting);
    else
        row->edit(variant, amount);
    return true;
}

const char *orr_hypothesis_log_id(const struct orr_hypothesis *row)
{
    return row->log.id ? row->log.id : row->setting ? "setting" : row->id;
}

const char *orr_hypothesis_log_what(const struct orr_hypothesis *row, const struct orr_variant *variant)
{
    if (variant->what[0])
        return variant->what;
    return row->log.what ? row->log.what : row->setting ? row->setting : row->what;
}
