/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of NCCL that can be at fault, and what shows it: the file in which a call failed, or one run without the
 * part. Most parts have a setting that turns them off, so a job that works with the setting has its fault there. People
 * often made that run already and say so; if nobody did, it is the next thing to try. */
#include <string.h>

#include "engine/symptoms/finding.h"

#define SHM_CHECK "Check: `df -h /dev/shm` in the job's container."
#define SHM_CURE                                                                                                       \
    "Give the container more of it (docker --shm-size=8g or --ipc=host; Kubernetes: an emptyDir with medium Memory), " \
    "and let all ranks of a host share one."

static const struct orr_symptom_part parts[] = {
    {.id = "p2p",
     .files = "transport/p2p.cc",
     .off = "NCCL_P2P_DISABLE=1",
     .words = "nccl_p2p_disable 1|nccl_p2p_disable to 1|nccl_p2p_disable is 1|nccl_p2p_level loc|disable p2p|disabling "
              "p2p|disabled p2p|p2p disabled|p2p off|without p2p",
     .does = "it mapped the memory of another GPU",
     .repair = "Let the ranks of a host share one container, or their IPC and PID namespaces, and see all of its GPUs. "
               "If they do, check ACS and IOMMU.",
     .fault = "P2P between the GPUs is at fault: usually PCIe ACS or the IOMMU breaks it",
     .check = ORR_ACS_CHECK,
     .cure = ORR_ACS_CURE,
     .by_acs = true},
    {.id = "nvls",
     .files = "transport/nvls.cc",
     .off = "NCCL_NVLS_ENABLE=0",
     .words = "nccl_nvls_enable 0|nccl_nvls_enable to 0|disable nvls|disabling nvls|nvls disabled|without nvls",
     .does = "it set up NVLink SHARP (NVLS)",
     .repair = "Fabric Manager must run with the driver's version: `nvidia-smi -q | grep -A6 Fabric` says Completed "
               "and Success. If not, restart it and reset the GPUs.",
     .fault = "NVLink SHARP (NVLS) is at fault: Fabric Manager, the NVSwitches or the access of a container to them",
     .check = "Check: `systemctl status nvidia-fabricmanager`, and `nvidia-smi -q | grep -A6 Fabric` must say "
              "Completed and Success.",
     .cure = "Restart Fabric Manager and reset the GPUs, or restart the host. If all is in order, use a newer NCCL, "
             "and leave NCCL_NVLS_ENABLE=0 set until then."},
    {.id = "gdr",
     .off = "NCCL_NET_GDR_LEVEL=LOC",
     .words = "nccl_net_gdr_level loc|nccl_net_gdr_level 0|nccl_net_gdr_level to 0|nccl_ib_cuda_support 0|disable "
              "gdr|disabling gdr|gdr disabled|without gdr|disable gpudirect|disabling gpudirect|without gpudirect",
     .fault = "GPUDirect RDMA is at fault: PCIe ACS or the IOMMU redirects it, or nvidia_peermem and the NIC driver do "
              "not fit",
     .check = ORR_ACS_CHECK,
     .cure = ORR_ACS_CURE,
     .by_acs = true},
    {.id = "efa",
     .off = "NCCL_NET=Socket",
     .words = "fi_provider tcp|fi_provider sockets|nccl_net socket|nccl_net to socket|without efa|disable "
              "efa|disabling efa|efa disabled",
     .fault = "EFA's packets do not pass between the hosts, mostly because the security group lacks a rule for all "
              "traffic from and to itself, which rules with addresses do not replace",
     .check = "Check: `fi_pingpong -p efa` between the two hosts, and `aws ec2 describe-security-groups`: "
              "UserIdGroupPairs must name the group itself, inbound and outbound.",
     .cure = "Add both rules for all protocols, and give both hosts that group. EFA does not reach "
             "hosts of another VPC or availability zone."},
    {.id = "network",
     .files = "transport/net",
     .off = "NCCL_IB_DISABLE=1",
     .words = "nccl_ib_disable 1|nccl_ib_disable to 1|nccl_net socket|nccl_net to socket|disable ib |disabling ib |ib "
              "disabled|without ib |disable infiniband|disabling infiniband|disable rdma|disabling rdma|without rdma",
     .does = "it connected two hosts",
     .repair = "Test the same two NICs with ib_write_bw, and look at the log of the other host.",
     .fault = "the InfiniBand or RoCE network is at fault: a GID, the MTU, a link, or memory that may not be locked",
     .check = "Check: `ib_write_bw` between the same two NICs with the same GID index (`show_gids`), and `ulimit -l` "
              "in the job.",
     .cure = "Repair what fails there. Until then the job runs over TCP sockets, which are much slower."},
    {.id = "shm",
     .files = "transport/shm.cc|misc/shmutils.cc",
     .off = "NCCL_SHM_DISABLE=1",
     .words = "nccl_shm_disable 1|nccl_shm_disable to 1|disable shm|disabling shm|shm disabled|without shm",
     .does = "it shared host memory between ranks",
     .look = SHM_CHECK,
     .repair = SHM_CURE,
     .fault = "shared memory is at fault: /dev/shm is too small, or the ranks of a host do not share it",
     .check = SHM_CHECK,
     .cure = SHM_CURE},
    {.id = "cumem",
     .off = "NCCL_CUMEM_ENABLE=0",
     .words = "nccl_cumem_enable 0|nccl_cumem_enable to 0|disable cumem|disabling cumem|cumem disabled",
     .fault = "memory that NCCL shares by CUDA's cuMem calls is at fault: containers that do not see each other's "
              "GPUs, or the driver",
     .check = "Check: `nvidia-smi -L` in each container must list the GPUs of all ranks of the host.",
     .cure = "Let all ranks of a host see all of its GPUs, or use a newer driver and NCCL. NCCL_CUMEM_ENABLE=0 may "
             "stay until then."},
    {.id = "runtime-connect",
     .off = "NCCL_RUNTIME_CONNECT=0",
     .words = "nccl_runtime_connect 0|nccl_runtime_connect to 0",
     .fault = "the connections that NCCL makes at the first use of an algorithm are at fault",
     .check = "Check: the log of each rank shows whether all ranks make the same calls in the same order.",
     .cure = "Use a newer NCCL, and leave NCCL_RUNTIME_CONNECT=0 set until then."},
    {.id = "pat",
     .off = "NCCL_PAT_ENABLE=0",
     .words = "nccl_pat_enable 0|nccl_pat_enable to 0|without pat|disable pat|disabling pat",
     .fault = "the PAT algorithm of AllGather and ReduceScatter is at fault",
     .check = "Check: run once with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING, which prints the algorithm of each call.",
     .cure = "Use a newer NCCL, and leave NCCL_PAT_ENABLE=0 set until then."},
    {.id = "mnnvl",
     .off = "NCCL_MNNVL_ENABLE=0",
     .words = "nccl_mnnvl_enable 0|nccl_mnnvl_enable to 0|disable mnnvl|disabling mnnvl|without mnnvl",
     .fault = "NVLink between hosts (MNNVL) is at fault: the IMEX domain is not complete, or the job lacks its channel",
     .check = "Check: `nvidia-imex-ctl -N` on each host must say READY for all of them.",
     .cure = "Put all hosts of the job into one IMEX domain, and give the job a channel "
             "(/dev/nvidia-caps-imex-channels; Kubernetes: a ComputeDomain)."},
    {.id = "cuda-graphs",
     .off = "--enforce-eager",
     .words = "enforce eager|enforce_eager|disable cuda graph|disabling cuda graph|cuda graphs disabled|without cuda "
              "graph|cuda graphs off|cudagraph_mode none|disable_cuda_graph",
     .fault = "CUDA graphs with NCCL's operations in them are at fault",
     .check = "Check: the line \"NCCL version\" names the release; run once with a newer one.",
     .cure = "Use a newer NCCL (pip install -U nvidia-nccl-cu12 or -cu13), and leave CUDA graphs off until then."},
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
     .look = "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,ENV names the file or device that it could not read.",
     .repair = "In containers and virtual machines, /sys must show the GPUs and their PCIe bridges, or a topology file "
               "for this machine type must describe them."},
    {.files = "bootstrap",
     .does = "its ranks exchanged their addresses over TCP, before InfiniBand or RoCE is used",
     .look = "Check: from another host, ping the address of \"Bootstrap : Using\", and connect to a port of it with "
             "nc: firewalls and IP over InfiniBand are the usual obstacles.",
     .repair = "Set NCCL_SOCKET_IFNAME to an interface by which all hosts reach each other, such as the Ethernet port. "
               "Data still goes through InfiniBand or RoCE."},
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
