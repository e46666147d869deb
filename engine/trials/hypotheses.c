/* SPDX-License-Identifier: Apache-2.0 */
/* The table of hypotheses, one row each. */
#include "engine/trials/hypotheses.h"

#include "engine/trials/edits.h"

#define LOG_NET       "Run once with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET and read the lines "
#define WHICH_NETWORK LOG_NET "\"Using network\" and \"NET/\": they name Socket, IB or the plugin."
#define WHICH_NICS    LOG_NET "\"NET/IB : Using\": they list the NICs; `ibstat` shows ports that are down."
#define NIC_RATE                                                                                                       \
    "Compare `ibstat` (Rate) and `lspci -vv` (LnkSta) with another host, and run ib_write_bw between two hosts."
#define NIC_LINKS      "Run `lspci -vv` and read LnkSta of the NICs."
#define LOOK_FOR(name) "Run `env | grep NCCL_` in the job and look for " name "."
#define NVLINKS        "Run `nvidia-smi nvlink -s` on each host."
#define SEEN(bit)      (1u << ORR_SHOWS_##bit)
#define SETTING_ADVICE "look for it in the environment of the job, in nccl.conf and in the launcher's scripts"
/* Turns for logs and for results. */
#define TURNS(logs, results) .turn = {[ORR_ASKED_LOG] = (logs), [ORR_ASKED_RESULTS] = (results)}

/* A change that explains logs. */
#define OF_LOGS(word, log_word, function, number, clause, did, do_this, refuted)                                       \
    {                                                                                                                  \
        .id = word, .edit = function, .amount = number, .what = clause, .confirm = "",                                 \
        .log = {log_word, clause, did, do_this}, .refuted_by = refuted, TURNS(1, 0)                                    \
    }
/* A change that explains results; logs only if nothing else does. */
#define OF_RESULTS(word, function, least, greatest, clause, sentence, place, ...)                                      \
    {                                                                                                                  \
        .id = word, .edit = function, .amount = least, .most = greatest, .what = clause, .confirm = sentence,          \
        .log = {word, clause, "With this change of the machine the prediction agrees better.", sentence},              \
        TURNS(0, place), __VA_ARGS__                                                                                   \
    }
/* A setting that explains both. */
#define OF_BOTH(word, name, value, clause, sentence, did, do_this, refuted, place, ...)                                \
    {                                                                                                                  \
        .id = word, .setting = name "=" value, .what = clause, .confirm = sentence,                                    \
        .log = {"setting", name "=" value, did, do_this}, .refuted_by = refuted, TURNS(1, place), __VA_ARGS__          \
    }
/* One that explains logs; results only if nothing else does. */
#define SETTING(word, name, value, did, refuted)                                                                       \
    OF_BOTH(word, name, value, name "=" value " is set", LOOK_FOR(name), did, SETTING_ADVICE, refuted, 0,              \
            .network = false)
/* An algorithm or a protocol. */
#define CHOICE(word, name, value, noun, did, place)                                                                    \
    OF_BOTH(word, name, value, "NCCL is set to use the " noun " (" name ", or a tuner plugin)",                        \
            LOOK_FOR(name " and NCCL_TUNER_PLUGIN"), did, SETTING_ADVICE, 0, place, .network = false)
#define TCP(mbps)                                                                                                      \
    OF_RESULTS("tcp", orr_edit_tcp, mbps, 0,                                                                           \
               "NCCL uses TCP sockets instead of RDMA (no InfiniBand or plugin for the network is loaded)",            \
               WHICH_NETWORK, 1, .network = true, .tolerance = 1.5, .proven_by = ORR_SHOWS_SOCKETS,                    \
               .refuted_by = SEEN(OTHER_NETWORK) | SEEN(GDR_USED))
#define CHANNELS(count)                                                                                                \
    OF_RESULTS("channels-" #count, orr_edit_channels, count, 0, "", LOOK_FOR("NCCL_MAX_NCHANNELS"), 9, .network = false)

enum { ONE_OF = 15 }; /* the GPU with the highest number that is tried alone */

static const struct orr_hypothesis rows[] = {
    OF_LOGS("other-release", "other-release", orr_edit_release, 1, "",
            "The job's NCCL behaves as a newer release than the one emulated.", "compare with --release",
            SEEN(RELEASE)),
    OF_LOGS("other-release", "other-release", orr_edit_release, -1, "",
            "The job's NCCL behaves as an older release than the one emulated.", "compare with --release",
            SEEN(RELEASE)),
    OF_LOGS("hosts", "hosts", orr_edit_hosts, 2, "",
            "The communicator spanned several hosts, and the log does not say how many.", "compare with --hosts",
            SEEN(HOSTS)),
    OF_LOGS("nics-kept", "nics-kept", orr_edit_keep_nics, 0,
            "the job's release leaves the NICs in the system of a single node",
            "Releases from 2.29 on keep the NICs of a system that holds all ranks.", "compare with a newer release",
            SEEN(RELEASE)),
    OF_LOGS("no-nics", "no-nics", orr_edit_no_nics, 0, "no NIC of the dump takes part",
            "The job used none of the dump's NICs: another network, or a plugin that failed.",
            "look for `Using network` and `NET/` lines in the log, and at NCCL_IB_HCA, NCCL_NET and the plugin",
            SEEN(NETWORK_USED)),
    TCP(24000),
    TCP(12000),
    TCP(48000),
    OF_LOGS("some-gdr", "gdr-off", orr_edit_observed_gdr, 0, "",
            "GPUDirect RDMA was not possible with these NICs when the job ran.",
            "compare these NICs with the others: driver, firmware, IOMMU and ACS", 0),
    {.id = "no-gdr",
     .edit = orr_edit_no_gdr,
     .what = "GPUDirect RDMA is off",
     .confirm =
         LOG_NET "\"via NET\": /GDRDMA is missing where it is off; `lsmod | grep nvidia_peermem` shows the module.",
     .log = {"gdr-off", "gdr=\"0\" on every NIC", "GPUDirect RDMA was not possible when the job ran.",
             "check nvidia-peermem or DMA-BUF: lsmod | grep peermem"},
     .network = true,
     .refuted_by = SEEN(GDR_USED),
     TURNS(1, 1)},
    OF_RESULTS("fewer-nics", orr_edit_fewer_nics, 1, 16, "some NICs are not used", WHICH_NICS, 1, .network = true),
    OF_RESULTS("half-rate", orr_edit_nic_speed, 2, 0,
               "the NICs run at half their rate (their ports, or the switches between the hosts)", NIC_RATE, 1,
               .network = true),
    OF_RESULTS("quarter-rate", orr_edit_nic_speed, 4, 0,
               "the NICs run at a quarter of their rate (their ports, or the switches between the hosts)", NIC_RATE, 1,
               .network = true),
    OF_BOTH("no-p2p", "NCCL_P2P_DISABLE", "1", "GPUs exchange data through shared memory instead of P2P",
            "Run once with NCCL_DEBUG=INFO: lines \"via SHM\" show it; `nvidia-smi topo -p2p r` shows what the driver "
            "allows.",
            "P2P was off.", SETTING_ADVICE, SEEN(P2P_USED) | SEEN(P2P_REFUSED), 5, .network = false),
    SETTING("p2p-level", "NCCL_P2P_LEVEL", "LOC", "P2P was off.", SEEN(P2P_USED) | SEEN(P2P_REFUSED)),
    SETTING("p2p-level", "NCCL_P2P_LEVEL", "NVL", "P2P was allowed over NVLink only.", SEEN(P2P_REFUSED)),
    SETTING("p2p-level", "NCCL_P2P_LEVEL", "PIX", "P2P was allowed over one PCIe bridge only.", 0),
    SETTING("p2p-level", "NCCL_P2P_LEVEL", "PXB", "P2P was allowed below the CPU only.", 0),
    SETTING("p2p-level", "NCCL_P2P_LEVEL", "PHB", "P2P was allowed through the CPU.", 0),
    SETTING("p2p-level", "NCCL_P2P_LEVEL", "SYS", "P2P was allowed at every distance.", 0),
    SETTING("gdr-level", "NCCL_NET_GDR_LEVEL", "LOC", "GPUDirect RDMA was off.", SEEN(GDR_USED)),
    SETTING("gdr-level", "NCCL_NET_GDR_LEVEL", "SYS", "GPUDirect RDMA was allowed at every distance.", 0),
    SETTING("gdr-read", "NCCL_NET_GDR_READ", "0", "Reading GPU memory for sending was off.", 0),
    SETTING("gdr-read", "NCCL_NET_GDR_READ", "1", "Reading GPU memory for sending was on.", 0),
    SETTING("no-shm", "NCCL_SHM_DISABLE", "1", "Shared memory was off.", SEEN(SHM_USED)),
    OF_BOTH("no-nvls", "NCCL_NVLS_ENABLE", "0", "NVLink SHARP (NVLS) is off",
            "Run once with NCCL_DEBUG=INFO: a line says \"NVLS multicast support is (not) available\"; check "
            "nvidia-fabricmanager.",
            "NVLS was off, or the driver refused it.",
            "look for `NVLS multicast support` in the log; fabric manager and driver decide it", SEEN(NVLS_USED), 4,
            .network = false),
    SETTING("cross-nic", "NCCL_CROSS_NIC", "0", "Rings were kept on one NIC.", 0),
    SETTING("cross-nic", "NCCL_CROSS_NIC", "1", "Rings were allowed to change NICs.", 0),
    OF_BOTH("no-pxn", "NCCL_PXN_DISABLE", "1", "PXN is off",
            "Run with NCCL_PXN_DISABLE=0 and look for PXN in the lines \"via NET\" of NCCL_DEBUG=INFO.",
            "PXN was off, or the network plugin does not know it.", SETTING_ADVICE, SEEN(PROXY_USED), 2,
            .network = true),
    SETTING("collnet", "NCCL_COLLNET_ENABLE", "1", "CollNet was on.", 0),
    CHOICE("ring", "NCCL_ALGO", "Ring", "ring algorithm", "Only rings were allowed.", 8),
    CHOICE("tree", "NCCL_ALGO", "Tree", "tree algorithm", "Only trees were allowed.", 8),
    CHOICE("nvls", "NCCL_ALGO", "NVLS", "NVLS algorithm", "Only NVLS was allowed.", 0),
    CHOICE("ll", "NCCL_PROTO", "LL", "protocol LL", "Only the LL protocol was allowed.", 7),
    CHOICE("ll128", "NCCL_PROTO", "LL128", "protocol LL128", "Only the LL128 protocol was allowed.", 7),
    SETTING("no-ll128", "NCCL_PROTO", "^LL128", "The LL128 protocol was not allowed.", 0),
    CHOICE("simple", "NCCL_PROTO", "Simple", "protocol Simple", "Only the Simple protocol was allowed.", 0),
    OF_LOGS("channels", "setting", orr_edit_more_channels, 0, "", "More channels were asked for.", SETTING_ADVICE, 0),
    OF_LOGS("channels", "setting", orr_edit_fewer_channels, 0, "", "Fewer channels were allowed.", SETTING_ADVICE, 0),
    CHANNELS(1),
    CHANNELS(2),
    CHANNELS(4),
    CHANNELS(8),
    OF_RESULTS("other-socket", orr_edit_swap_sockets, 0, 0,
               "the NICs are reached across the CPU sockets (wrong NUMA binding or a wrong topology file)",
               "Run `nvidia-smi topo -m` in the job's own environment: SYS between each GPU and all NICs shows it.", 3,
               .network = true),
    OF_RESULTS("nic-links", orr_edit_nic_links, 2, 0,
               "the PCIe links of the NICs have half their bandwidth (width or generation)", NIC_LINKS, 3,
               .network = true),
    OF_RESULTS("nic-links-quarter", orr_edit_nic_links, 4, 0,
               "the PCIe links of the NICs have a quarter of their bandwidth", NIC_LINKS, 3, .network = true),
    {.id = "acs",
     .edit = orr_edit_acs,
     .what = "PCIe ACS is on (traffic between devices of one PCIe switch goes by the CPU's root port)",
     .confirm = "Run `lspci -vvv | grep ACSCtl`: SrcValid+, ReqRedir+ or CmpltRedir+ at a bridge means that ACS is on; "
                "without virtual machines, turn it off.",
     .log = {"acs", "the driver refuses P2P over PCIe, as with PCIe ACS or the IOMMU on",
             "Lines of the log say so, and without P2P over PCIe the prediction agrees better.",
             "turn off ACS on the switches between the GPUs, and set the IOMMU to off or passthrough; inside a virtual "
             "machine, ACS has to stay on"},
     TURNS(0, 3)},
    OF_RESULTS("no-nvlinks", orr_edit_nvlinks, 0, 0, "no NVLink is in use", NVLINKS, 6, .refuted_by = SEEN(NVLS_USED)),
    OF_RESULTS("half-nvlinks", orr_edit_nvlinks, 2, 0, "half of the NVLinks of each GPU are down", NVLINKS, 6,
               .network = false),
    OF_RESULTS("half-nvlinks-one", orr_edit_one_nvlinks, 0, ONE_OF, "half of the NVLinks of one GPU are down", NVLINKS,
               6, .network = false),
    OF_RESULTS("gpu-links", orr_edit_gpu_links, 2, 0,
               "the PCIe links of the GPUs have half their bandwidth (width or generation)",
               "Run `nvidia-smi -q -d PCIE` under load and read the link width and generation.", 6, .network = false),
    OF_RESULTS("one-gpu-link", orr_edit_one_gpu_link, 0, ONE_OF,
               "the PCIe link of one GPU has half its bandwidth (width or generation)",
               "Run `nvidia-smi -q -d PCIE` under load and compare the GPUs.", 6, .network = false),
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
