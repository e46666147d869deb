/* SPDX-License-Identifier: Apache-2.0 */
/* The table of hypotheses, one row each. */
#include "engine/trials/hypotheses.h"

#include "engine/trials/edits.h"

#define LOG_NET       "Run once with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,NET and read the lines "
#define WHICH_NETWORK LOG_NET "\"Using network\" and \"NET/\": they name Socket, IB or the plugin."
#define WHICH_NICS    LOG_NET "\"NET/IB : Using\": they list the NICs; `ibstat` shows ports that are down."
#define NIC_RATE                                                                                                       \
    "Compare `ibstat` (Rate) and `lspci -vv` (LnkSta) with another host, and run ib_write_bw between two hosts."
#define NIC_LINKS          "Run `lspci -vv` and read LnkSta of the NICs."
#define ORR_LOOK_FOR(name) "Run `env | grep NCCL_` in the job and look for " name "."
#define NVLINKS            "Run `nvidia-smi nvlink -s` on each host."
#define ORR_SEEN(bit)      (1u << ORR_SHOWS_##bit)
#define SETTING_ADVICE     "look for it in the environment of the job, in nccl.conf and in the launcher's scripts"
/* Turns for logs and for results. */
#define ORR_TURNS(logs, results) .turn = {[ORR_ASKED_LOG] = (logs), [ORR_ASKED_RESULTS] = (results)}

/* A change that explains logs. */
#define ORR_OF_LOGS(word, log_word, function, number, clause, did, do_this, refuted)                                   \
    {                                                                                                                  \
        .id = word, .edit = function, .amount = number, .what = clause, .confirm = "",                                 \
        .log = {log_word, clause, did, do_this}, .refuted_by = refuted, ORR_TURNS(1, 0)                                \
    }
/* A change that explains results; logs only if nothing else does. */
#define ORR_OF_RESULTS(word, function, least, greatest, clause, sentence, place, ...)                                  \
    {                                                                                                                  \
        .id = word, .edit = function, .amount = least, .most = greatest, .what = clause, .confirm = sentence,          \
        .log = {word, clause, "With this change of the machine the prediction agrees better.", sentence},              \
        ORR_TURNS(0, place), __VA_ARGS__                                                                               \
    }
/* A setting that explains both. */
#define ORR_OF_BOTH(word, name, value, clause, sentence, did, do_this, refuted, place, ...)                            \
    {                                                                                                                  \
        .id = word, .setting = name "=" value, .what = clause, .confirm = sentence,                                    \
        .log = {"setting", name "=" value, did, do_this}, .refuted_by = refuted, ORR_TURNS(1, place), __VA_ARGS__      \
    }
/* A setting that explains logs; results only if nothing else does. */
#define ORR_SETTING_ROW(word, name, value, did, refuted)                                                               \
    ORR_OF_BOTH(word, name, value, name "=" value " is set", ORR_LOOK_FOR(name), did, SETTING_ADVICE, refuted, 0,      \
                .network = false)
/* P2P beyond NCCL's own limit. NCCL's model does not know that CPUs forward such traffic slowly (nccl-tests#74,
 * nccl#1817). */
#define ORR_FORCED_P2P(level)                                                                                          \
    ORR_OF_BOTH("p2p-level", "NCCL_P2P_LEVEL", level, "NCCL_P2P_LEVEL=" level " is set",                               \
                ORR_LOOK_FOR("NCCL_P2P_LEVEL"),                                                                        \
                "It forces P2P between GPUs through the CPUs, which is often slower than shared memory.",              \
                "unset NCCL_P2P_LEVEL and compare: `env | grep NCCL_` in the job, nccl.conf and the launcher's "       \
                "scripts show where it is set",                                                                        \
                0, 0, .network = false)
/* An algorithm or a protocol. */
#define ORR_CHOICE(word, name, value, noun, did, place)                                                                \
    ORR_OF_BOTH(word, name, value, "NCCL is set to use the " noun " (" name ", or a tuner plugin)",                    \
                ORR_LOOK_FOR(name " and NCCL_TUNER_PLUGIN"), did, SETTING_ADVICE, 0, place, .network = false)
#define ORR_TCP(mbps)                                                                                                  \
    ORR_OF_RESULTS("tcp", orr_edit_tcp, mbps, 0,                                                                       \
                   "NCCL uses TCP sockets instead of RDMA (no InfiniBand or plugin for the network is loaded)",        \
                   WHICH_NETWORK, 1, .network = true, .tolerance = 1.5, .proven_by = ORR_SHOWS_SOCKETS,                \
                   .refuted_by = ORR_SEEN(OTHER_NETWORK) | ORR_SEEN(GDR_USED))
#define ORR_CHANNELS(count)                                                                                            \
    ORR_OF_RESULTS("channels-" #count, orr_edit_channels, count, 0, "", ORR_LOOK_FOR("NCCL_MAX_NCHANNELS"), 9,         \
                   .network = false)

enum { ONE_OF = 15 }; /* the GPU with the highest number that is tried alone */

static const struct orr_hypothesis rows[] = {
    ORR_OF_LOGS("other-release", "other-release", orr_edit_release, 1, "",
                "The job's NCCL behaves as a newer release than the one emulated.", "compare with --release",
                ORR_SEEN(RELEASE)),
    ORR_OF_LOGS("other-release", "other-release", orr_edit_release, -1, "",
                "The job's NCCL behaves as an older release than the one emulated.", "compare with --release",
                ORR_SEEN(RELEASE)),
    ORR_OF_LOGS("hosts", "hosts", orr_edit_hosts, 2, "",
                "The communicator spanned several hosts, and the log does not say how many.", "compare with --hosts",
                ORR_SEEN(HOSTS)),
    ORR_OF_LOGS("nics-kept", "nics-kept", orr_edit_keep_nics, 0,
                "the job's release leaves the NICs in the system of a single node",
                "Releases from 2.29 on keep the NICs of a system that holds all ranks.", "compare with a newer release",
                ORR_SEEN(RELEASE)),
    ORR_OF_LOGS("no-nics", "no-nics", orr_edit_no_nics, 0, "no NIC of the dump takes part",
                "The job used none of the dump's NICs: another network, or a plugin that failed.",
                "look for `Using network` and `NET/` lines in the log, and at NCCL_IB_HCA, NCCL_NET and the plugin",
                ORR_SEEN(NETWORK_USED)),
    ORR_TCP(24000),
    ORR_TCP(12000),
    ORR_TCP(48000),
    ORR_OF_LOGS("some-gdr", "gdr-off", orr_edit_observed_gdr, 0, "",
                "GPUDirect RDMA was not possible with these NICs when the job ran.",
                "compare these NICs with the others: driver, firmware, IOMMU and ACS", 0),
    {.id = "no-gdr",
     .edit = orr_edit_no_gdr,
     .what = "GPUDirect RDMA is off",
     .confirm = LOG_NET "\"via NET\": /GDRDMA is missing if it is off; `lsmod | grep nvidia_peermem` shows the module.",
     .log = {"gdr-off", "gdr=\"0\" on every NIC", "GPUDirect RDMA was not possible when the job ran.",
             "check nvidia-peermem or DMA-BUF: lsmod | grep peermem"},
     .network = true,
     .proven_by = ORR_SHOWS_GDR_UNUSED,
     .refuted_by = ORR_SEEN(GDR_USED),
     ORR_TURNS(1, 1)},
    ORR_OF_RESULTS("fewer-nics", orr_edit_fewer_nics, 1, 16, "some NICs are not used", WHICH_NICS, 1, .network = true),
    ORR_OF_RESULTS("half-rate", orr_edit_nic_speed, 2, 0,
                   "the NICs run at half their rate (their ports, or the switches between the hosts)", NIC_RATE, 1,
                   .network = true),
    ORR_OF_RESULTS("quarter-rate", orr_edit_nic_speed, 4, 0,
                   "the NICs run at a quarter of their rate (their ports, or the switches between the hosts)", NIC_RATE,
                   1, .network = true),
    {.id = "no-p2p",
     .setting = "NCCL_P2P_DISABLE=1",
     .what = "GPUs exchange data through shared memory instead of P2P",
     .confirm = "Run once with NCCL_DEBUG=INFO: lines \"via SHM\" show it; `nvidia-smi topo -p2p r` shows what the "
                "driver allows.",
     .log = {"no-p2p", "no P2P between the GPUs",
             "The driver does not offer it (GeForce cards since RTX 40; PCIe ACS, the IOMMU or a virtual machine), or "
             "NCCL_P2P_DISABLE=1 is set.",
             "run `nvidia-smi topo -p2p r`: NS or CNS means that the driver does not offer it. If it says OK, look for "
             "NCCL_P2P_DISABLE in the environment of the job and in nccl.conf"},
     .refuted_by = ORR_SEEN(P2P_USED) | ORR_SEEN(P2P_REFUSED),
     ORR_TURNS(1, 5)},
    ORR_SETTING_ROW("p2p-level", "NCCL_P2P_LEVEL", "LOC", "P2P was off.", ORR_SEEN(P2P_USED) | ORR_SEEN(P2P_REFUSED)),
    ORR_SETTING_ROW("p2p-level", "NCCL_P2P_LEVEL", "NVL", "P2P was allowed over NVLink only.", ORR_SEEN(P2P_REFUSED)),
    ORR_SETTING_ROW("p2p-level", "NCCL_P2P_LEVEL", "PIX", "P2P was allowed over one PCIe bridge only.",
                    ORR_SEEN(P2P_REFUSED)),
    ORR_SETTING_ROW("p2p-level", "NCCL_P2P_LEVEL", "PXB", "P2P was allowed below the CPU only.", ORR_SEEN(P2P_REFUSED)),
    ORR_FORCED_P2P("PHB"),
    ORR_FORCED_P2P("SYS"),
    ORR_SETTING_ROW("gdr-level", "NCCL_NET_GDR_LEVEL", "LOC", "GPUDirect RDMA was off.", ORR_SEEN(GDR_USED)),
    ORR_SETTING_ROW("gdr-level", "NCCL_NET_GDR_LEVEL", "SYS", "GPUDirect RDMA was allowed at every distance.", 0),
    ORR_SETTING_ROW("gdr-read", "NCCL_NET_GDR_READ", "0", "Reading GPU memory for sending was off.", 0),
    ORR_SETTING_ROW("gdr-read", "NCCL_NET_GDR_READ", "1", "Reading GPU memory for sending was on.", 0),
    ORR_SETTING_ROW("no-shm", "NCCL_SHM_DISABLE", "1", "Shared memory was off.", ORR_SEEN(SHM_USED)),
    ORR_OF_BOTH("no-nvls", "NCCL_NVLS_ENABLE", "0", "NVLink SHARP (NVLS) is off",
                "Run once with NCCL_DEBUG=INFO: a line says \"NVLS multicast support is (not) available\"; check "
                "nvidia-fabricmanager.",
                "NVLS was off, or the driver refused it.",
                "look for `NVLS multicast support` in the log; fabric manager and driver decide it",
                ORR_SEEN(NVLS_USED), 4, .network = false),
    ORR_SETTING_ROW("cross-nic", "NCCL_CROSS_NIC", "0", "Rings were kept on one NIC.", 0),
    ORR_SETTING_ROW("cross-nic", "NCCL_CROSS_NIC", "1", "Rings were allowed to change NICs.", 0),
    ORR_OF_BOTH("no-pxn", "NCCL_PXN_DISABLE", "1", "PXN is off",
                "Run with NCCL_PXN_DISABLE=0 and look for PXN in the lines \"via NET\" of NCCL_DEBUG=INFO.",
                "PXN was off, or the network plugin does not know it.", SETTING_ADVICE, ORR_SEEN(PROXY_USED), 2,
                .network = true),
    ORR_SETTING_ROW("collnet", "NCCL_COLLNET_ENABLE", "1", "CollNet was on.", 0),
    ORR_CHOICE("ring", "NCCL_ALGO", "Ring", "ring algorithm", "Only rings were allowed.", 8),
    ORR_CHOICE("tree", "NCCL_ALGO", "Tree", "tree algorithm", "Only trees were allowed.", 8),
    ORR_CHOICE("nvls", "NCCL_ALGO", "NVLS", "NVLS algorithm", "Only NVLS was allowed.", 0),
    ORR_CHOICE("ll", "NCCL_PROTO", "LL", "protocol LL", "Only the LL protocol was allowed.", 7),
    ORR_CHOICE("ll128", "NCCL_PROTO", "LL128", "protocol LL128", "Only the LL128 protocol was allowed.", 7),
    ORR_SETTING_ROW("no-ll128", "NCCL_PROTO", "^LL128", "The LL128 protocol was not allowed.", 0),
    ORR_CHOICE("simple", "NCCL_PROTO", "Simple", "protocol Simple", "Only the Simple protocol was allowed.", 0),
    ORR_OF_LOGS("channels", "setting", orr_edit_more_channels, 0, "", "More channels were asked for.", SETTING_ADVICE,
                0),
    ORR_OF_LOGS("channels", "setting", orr_edit_fewer_channels, 0, "", "Fewer channels were allowed.", SETTING_ADVICE,
                0),
    ORR_CHANNELS(1),
    ORR_CHANNELS(2),
    ORR_CHANNELS(4),
    ORR_CHANNELS(8),
    ORR_OF_RESULTS("other-socket", orr_edit_swap_sockets, 0, 0,
                   "the NICs are reached across the CPU sockets (wrong NUMA binding or a wrong topology file)",
                   "Run `nvidia-smi topo -m` in the job's own environment: SYS between each GPU and all NICs shows it.",
                   3, .network = true),
    ORR_OF_RESULTS("nic-links", orr_edit_nic_links, 2, 0,
                   "the PCIe links of the NICs have half their bandwidth (width or generation)", NIC_LINKS, 3,
                   .network = true),
    ORR_OF_RESULTS("nic-links-quarter", orr_edit_nic_links, 4, 0,
                   "the PCIe links of the NICs have a quarter of their bandwidth", NIC_LINKS, 3, .network = true),
    {.id = "acs",
     .edit = orr_edit_acs,
     .what = "PCIe ACS is on (traffic between devices of one PCIe switch follows the CPU's root port)",
     .confirm = "Run `lspci -vvv | grep ACSCtl`: SrcValid+, ReqRedir+ or CmpltRedir+ at a bridge means that ACS is on; "
                "without virtual machines, turn it off.",
     .log = {"acs", "the driver refuses P2P over PCIe, as with PCIe ACS or the IOMMU on",
             "Lines of the log say so, and without P2P over PCIe the prediction agrees better.",
             "turn off ACS on the switches between the GPUs, and set the IOMMU to off or passthrough; inside a virtual "
             "machine, ACS has to stay on"},
     ORR_TURNS(0, 3)},
    ORR_OF_RESULTS("no-nvlinks", orr_edit_nvlinks, 0, 0, "no NVLink is in use", NVLINKS, 6,
                   .refuted_by = ORR_SEEN(NVLS_USED)),
    ORR_OF_RESULTS("half-nvlinks", orr_edit_nvlinks, 2, 0, "half of the NVLinks of each GPU are down", NVLINKS, 6,
                   .network = false),
    ORR_OF_RESULTS("half-nvlinks-one", orr_edit_one_nvlinks, 0, ONE_OF, "half of the NVLinks of one GPU are down",
                   NVLINKS, 6, .network = false),
    ORR_OF_RESULTS("gpu-links", orr_edit_gpu_links, 2, 0,
                   "the PCIe links of the GPUs have half their bandwidth (width or generation)",
                   "Run `nvidia-smi -q -d PCIE` under load and read the link width and generation.", 6,
                   .network = false),
    ORR_OF_RESULTS("one-gpu-link", orr_edit_one_gpu_link, 0, ONE_OF,
                   "the PCIe link of one GPU has half its bandwidth (width or generation)",
                   "Run `nvidia-smi -q -d PCIE` under load and compare the GPUs.", 6, .network = false),
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

/* The order of rows: by turn, then by position in the table. A row without a turn comes last. */
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
