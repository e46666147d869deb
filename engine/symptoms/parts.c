/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of NCCL that can be at fault, and what shows it: the file in which a call failed, or one run without the
 * part. Most parts have a setting that turns them off, so a job that works with the setting has its fault there. People
 * often made that run already and say so; if nobody did, it is the next thing to try. */
#include <string.h>

#include "engine/symptoms/finding.h"

static const struct orr_symptom_part parts[] = {
    {.id = "p2p",
     .files = "transport/p2p.cc",
     .off = "NCCL_P2P_DISABLE=1",
     .words = "nccl_p2p_disable 1|nccl_p2p_disable to 1|nccl_p2p_disable is 1|nccl_p2p_level loc|disable p2p|disabling "
              "p2p|disabled p2p|p2p disabled|p2p off|without p2p",
     .does = "it mapped the memory of another GPU",
     .repair =
         "If the ranks of the host run in several containers, give these one IPC and PID namespace and all GPUs of "
         "the host. If `nvidia-smi topo -p2p r` does not say OK for each pair, leave NCCL_P2P_DISABLE=1 set.",
     .fault = "P2P between the GPUs is at fault",
     .check = ORR_ACS_CHECK,
     .cure = ORR_ACS_CURE " Leave NCCL_P2P_DISABLE=1 set meanwhile.",
     .by_acs = true},
    {.id = "p2p-over-nvlink",
     .fault = "P2P between the GPUs is at fault",
     .check =
         "If `nvidia-smi nvlink -s` shows a link without a rate, or `nvidia-smi nvlink -e` counts errors, reset the "
         "GPUs or restart the host.",
     .cure = "If `nvidia-smi -q | grep -A6 Fabric` says In Progress, run `systemctl restart nvidia-fabricmanager`. If "
             "the ranks of a host run in several containers, give these one IPC and PID namespace."},
    {.id = "nvls",
     .files = "transport/nvls.cc",
     .off = "NCCL_NVLS_ENABLE=0",
     .words = "nccl_nvls_enable 0|nccl_nvls_enable to 0|disable nvls|disabling nvls|nvls disabled|without nvls",
     .does = "it set up NVLink SHARP (NVLS)",
     .fault = "NVLink SHARP (NVLS) is at fault",
     .check = "If `nvidia-smi -q | grep -A6 Fabric` does not say Completed and Success, restart Fabric Manager "
              "(nvidia-fabricmanager), which needs the driver's version, and reset the GPUs.",
     .cure = "If all GPUs say Completed and Success, leave NCCL_NVLS_ENABLE=0 set and try a newer NCCL."},
    {.id = "gdr",
     .off = "NCCL_NET_GDR_LEVEL=LOC",
     .words = "nccl_net_gdr_level loc|nccl_net_gdr_level 0|nccl_net_gdr_level to 0|nccl_ib_cuda_support 0|disable "
              "gdr|disabling gdr|gdr disabled|without gdr|disable gpudirect|disabling gpudirect|without gpudirect",
     .fault = "GPUDirect RDMA is at fault",
     .check = ORR_ACS_CHECK,
     .cure = ORR_ACS_CURE,
     .by_acs = true},
    {.id = "efa",
     .off = "NCCL_NET=Socket",
     .words = "fi_provider tcp|fi_provider sockets|nccl_net socket|nccl_net to socket|without efa|disable "
              "efa|disabling efa|efa disabled",
     .fault = "EFA between the hosts is at fault",
     .check = "If `aws ec2 describe-security-groups` names the hosts' group in UserIdGroupPairs not both inbound and "
              "outbound, add these rules for all protocols; rules with addresses do not replace them.",
     .cure = "If the hosts are in different VPCs or availability zones, choose hosts of one: EFA reaches no others. If "
             "`fi_pingpong -p efa` between the two hosts fails, the fault is below NCCL."},
    {.id = "network",
     .files = "transport/net",
     .off = "NCCL_IB_DISABLE=1",
     .words = "nccl_ib_disable 1|nccl_ib_disable to 1|nccl_net socket|nccl_net to socket|disable ib |disabling ib |ib "
              "disabled|without ib |disable infiniband|disabling infiniband|disable rdma|disabling rdma|without rdma",
     .does = "it connected two hosts",
     .fault = "the InfiniBand or RoCE network is at fault",
     .check =
         "If `ib_write_bw` between the same two NICs fails with the same GID index (`show_gids`), repair the network "
         "first: the GID, the MTU or a link. If `ulimit -l` in the job does not say unlimited, raise it.",
     .cure =
         "If `ib_write_bw` works, run once with NCCL_NET_GDR_LEVEL=LOC: if that works, GPUDirect RDMA is at fault."},
    {.id = "shm",
     .files = "transport/shm.cc|misc/shmutils.cc",
     .off = "NCCL_SHM_DISABLE=1",
     .words = "nccl_shm_disable 1|nccl_shm_disable to 1|disable shm|disabling shm|shm disabled|without shm",
     .does = "it shared host memory between ranks",
     .fault = "shared memory is at fault",
     .check =
         "If `df -h /dev/shm` in the job's container shows little free space, make it larger: docker --shm-size=8g "
         "or --ipc=host; Kubernetes: an emptyDir with medium Memory.",
     .cure = "If the ranks of a host run in several containers, let these share one /dev/shm (--ipc=host)."},
    {.id = "cumem",
     .off = "NCCL_CUMEM_ENABLE=0",
     .words = "nccl_cumem_enable 0|nccl_cumem_enable to 0|disable cumem|disabling cumem|cumem disabled",
     .fault = "memory that NCCL shares by CUDA's cuMem calls is at fault",
     .check =
         "If `nvidia-smi -L` in a container does not list the GPUs of all ranks of the host, let the container see "
         "them all.",
     .cure = "If each rank sees all GPUs, leave NCCL_CUMEM_ENABLE=0 set and try a newer driver and NCCL."},
    {.id = "runtime-connect",
     .off = "NCCL_RUNTIME_CONNECT=0",
     .words = "nccl_runtime_connect 0|nccl_runtime_connect to 0",
     .fault = "the connections that NCCL makes at the first use of an algorithm are at fault",
     .check = "Check: the log of each rank shows whether all ranks make the same calls in the same order.",
     .cure = "Leave NCCL_RUNTIME_CONNECT=0 set, and try a newer NCCL."},
    {.id = "pat",
     .off = "NCCL_PAT_ENABLE=0",
     .words = "nccl_pat_enable 0|nccl_pat_enable to 0|without pat|disable pat|disabling pat",
     .fault = "the PAT algorithm of AllGather and ReduceScatter is at fault",
     .check = "Check: run once with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING, which prints the algorithm of each call.",
     .cure = "Leave NCCL_PAT_ENABLE=0 set, and try a newer NCCL."},
    {.id = "mnnvl",
     .off = "NCCL_MNNVL_ENABLE=0",
     .words = "nccl_mnnvl_enable 0|nccl_mnnvl_enable to 0|disable mnnvl|disabling mnnvl|without mnnvl",
     .fault = "NVLink between hosts (MNNVL) is at fault",
     .check = "If `nvidia-imex-ctl -N` does not say READY for all hosts of the job, put them into one IMEX domain.",
     .cure = "If the job's container has no /dev/nvidia-caps-imex-channels, give the job a channel (Kubernetes: a "
             "ComputeDomain)."},
    {.id = "cuda-graphs",
     .off = "--enforce-eager",
     .words = "enforce eager|enforce_eager|disable cuda graph|disabling cuda graph|cuda graphs disabled|without cuda "
              "graph|cuda graphs off|cudagraph_mode none|disable_cuda_graph",
     .fault = "CUDA graphs with NCCL's operations in them are at fault",
     .check = "Check: the line \"NCCL version\" names the release; run once with a newer one.",
     .cure = "Leave CUDA graphs off, and try a newer NCCL (pip install -U nvidia-nccl-cu12 or -cu13)."},
    {.id = "custom-all-reduce",
     .off = "--disable-custom-all-reduce",
     .words = "disable custom all reduce|disable_custom_all_reduce|custom all reduce disabled|without custom all "
              "reduce|use_custom_all_reduce disable|disabling custom all reduce|disable custom allreduce",
     .fault = "the server's own all-reduce is at fault: it is not NCCL's, and needs P2P that works between the GPUs",
     .check = "Check: `nvidia-smi topo -p2p r` must say OK for each pair, and p2pBandwidthLatencyTest must end.",
     .cure = "Leave it disabled: NCCL then does the work. With P2P that works, it may stay on."},
    {.id = "plugin",
     .off = "NCCL_NET_PLUGIN=none",
     .words = "nccl_net_plugin none|nccl_net_plugin to none|nccl_ibext_disable 1|without the plugin|without plugin",
     .fault = "the network plugin is at fault",
     .check = "Check: the lines \"NET/Plugin\" name it, and whether it was made for this release of NCCL.",
     .cure = "Use the plugin's release for this NCCL, or go on without it where NCCL's own InfiniBand code will do."},
    {.id = "mesh",
     .off = "the service mesh's proxy out of the pods",
     .words = "without the envoy|without envoy|without istio|without the istio|without the sidecar|without "
              "sidecar|disabling istio|disable istio|without linkerd|without the mesh",
     .fault = "the service mesh is at fault: its proxy takes the TCP connections between the ranks, which NCCL opens "
              "on changing ports",
     .check = "Check: `kubectl get pod POD -o jsonpath={.spec.containers[*].name}` shows whether it has a proxy.",
     .cure = "Keep the proxy out of these pods (sidecar.istio.io/inject: \"false\"), or let the job's interface pass "
             "by it (traffic.sidecar.istio.io/excludeInterfaces, hostNetwork)."},
    {.id = "firewall",
     .off = "the firewall off",
     .words = "firewall off|firewall disabled|disable firewall|disable the firewall|disabling the firewall|disabled "
              "the firewall|without the firewall|ufw disable|stopped firewalld|stop firewalld",
     .fault = "a firewall between the hosts is at fault",
     .check = "Check: `nc -l 12345` on one host and `nc ADDRESS 12345` on the other, while the firewall is on.",
     .cure =
         "Allow all TCP ports between the job's hosts: NCCL and MPI take free ones (net.ipv4.ip_local_port_range)."},
    {.files = "graph/",
     .does = "it read the machine's topology",
     .check =
         "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,ENV names the file or device that it could not read.",
     .cure = "If /sys of the container or virtual machine does not show the GPUs and their PCIe bridges, mount it, or "
             "give NCCL_TOPO_FILE a file for this machine type."},
    {.files = "bootstrap",
     .does = "its ranks exchanged their addresses over TCP, before InfiniBand or RoCE is used",
     .check =
         "If another host cannot ping the address of \"Bootstrap : Using\", set NCCL_SOCKET_IFNAME to an interface "
         "by which all hosts reach each other; data still goes through InfiniBand or RoCE.",
     .cure = "If `nc` to a port of that address fails while ping works, open all TCP ports between the hosts in the "
             "firewall."},
};

enum { PARTS = sizeof parts / sizeof parts[0] };

const struct orr_symptom_part *orr_symptom_part_at(uint32_t index)
{
    return index < PARTS ? &parts[index] : NULL;
}

const struct orr_symptom_part *orr_symptom_part(const char *id)
{
    for (size_t i = 0; i < PARTS; i++)
        if (parts[i].id && !strcmp(parts[i].id, id))
            return &parts[i];
    return NULL;
}

const struct orr_symptom_part *orr_symptom_part_of_file(const char *file)
{
    for (size_t i = 0; i < PARTS; i++)
        for (const char *begin = parts[i].files; begin && *begin; begin += *begin == '|') {
            const size_t length = strcspn(begin, "|");
            if (!strncmp(file, begin, length))
                return &parts[i];
            begin += length;
        }
    return NULL;
}
