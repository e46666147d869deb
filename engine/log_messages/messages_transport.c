/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about how NCCL joins the ranks of a machine: P2P, shared memory, NVLink SHARP and NVLink between hosts, and
 * files of topologies and graphs. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

/* Sentences that several rows say. */
#define ORR_LARGER_SHM                                                                                                 \
    "If `df -h /dev/shm` in the job's container shows that it is small, make it larger: docker --shm-size=1g (or "     \
    "--ipc=host), Kubernetes an emptyDir with medium Memory at /dev/shm. If `ls /dev/shm` shows nccl-* of jobs that "  \
    "have ended, remove these files."
#define ORR_SHARE_SHM                                                                                                  \
    "If the ranks of a host are in several containers, run them in one, or share /dev/shm (--ipc=host)."
#define ORR_P2P_WHY                                                                                                    \
    "`nvidia-smi topo -p2p r` says why: GNS or NS means that the driver does not offer it for this model, such as "    \
    "GeForce since RTX 40; CNS or TNS means the platform: PCIe ACS, the IOMMU or a virtual machine."

const struct orr_log_message orr_log_messages_transport[] = {
    {"matrix-nvlink", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GPU0 X NV%d", NULL, "NVLink joins some of these GPUs.",
     "Nothing needs to change.", "GPU0\t X \tNV12\tNODE\tNODE"},
    {"reverse-path", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Failed to find reverse path", NULL,
     "Two GPUs of NCCL's topology are joined by NVLinks in one direction only.",
     "If NCCL is older than the GPUs (H100 needs 2.15.1 or newer), use a newer one: `pip install -U nvidia-nccl-cu12`, "
     "or a newer PyTorch. If `nvidia-smi nvlink -s` shows a link that is down on one side, reset the GPUs.",
     "Failed to find reverse path from remNode 0/5f000 nlinks 4 to node 0/cb000"},
    {"p2p-disabled-nvlink", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "P2P is disabled between NVLINK connected GPUs", NULL,
     "Two GPUs are joined by NVLink, but the driver refuses peer-to-peer between them. NCCL takes this for a hardware "
     "fault and stops.",
     "If `nvidia-smi nvlink -s` shows inactive links, or Fabric Manager does not run on an NVSwitch machine "
     "(`systemctl status nvidia-fabricmanager`), mend that and reset the GPUs. " ORR_P2P_WHY
     " NCCL_IGNORE_DISABLED_P2P=1 lets the job run without it.",
     "P2P is disabled between NVLINK connected GPUs 0 and 1. This should not be the case given their connectivity, and "
     "is probably due to a hardware issue. If you still want to proceed, you can set NCCL_IGNORE_DISABLED_P2P=1."},
    {"p2p-disabled", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "P2P is disabled between connected GPUs", NULL,
     "The driver refuses peer-to-peer between GPUs that are connected, so their data crosses host memory.", ORR_P2P_WHY,
     "P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1."},
    {"peer-access-none", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "CANNOT Access Peer Device", NULL,
     "CUDA offers no P2P between two GPUs, so NCCL sends data between them through host memory.", ORR_P2P_WHY,
     "Device=0 CANNOT Access Peer Device=1"},
    {"p2p-wrong-data", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Verification error @ element", NULL,
     "P2P between two GPUs delivers wrong data, although CUDA says that they reach each other. NCCL with P2P would "
     "hang or compute wrong results.",
     "If the IOMMU is on (`sudo dmesg | grep -i -e dmar -e iommu`), boot once with iommu=pt, or with the IOMMU off. If "
     "`sudo lspci -vvv | grep -i acsctl` shows SrcValid+, turn PCIe ACS off. If GeForce cards have P2P by a patch "
     "of the driver, check that it fits driver and GPUs. NCCL_P2P_DISABLE=1 works around it.",
     "Verification error @ element 1: val = 0.000000, ref = 4.000000"},
    {"peer-access-yes", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "> Peer access from ", " : Yes",
     "CUDA says that two GPUs can access each other's memory.", "Nothing needs to change.",
     "> Peer access from NVIDIA GeForce RTX 3090 (GPU0) -> NVIDIA GeForce RTX 3090 (GPU1) : Yes"},
    {"nvbandwidth-waived", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Waiv%w device_to_device", NULL,
     "nvbandwidth leaves out copies between GPUs, because CUDA offers no P2P between any two of them, or there is one.",
     ORR_P2P_WHY, "Waiving device_to_device_memcpy_write_ce."},
    {"peer-access-can", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, " CAN Access Peer Device", NULL,
     "CUDA says that two GPUs can access each other's memory.", "Nothing needs to change.",
     "Device=0 CAN Access Peer Device=1"},
    {"p2p-ipc", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "failed to open CUDA IPC handle", NULL,
     "A rank could not open the GPU memory of another one on the same host.",
     "If the ranks of a host are in different containers, run them in one, or give these one IPC and PID namespace "
     "(--ipc=host). NCCL_P2P_DISABLE=1 works around it.",
     "failed to open CUDA IPC handle : 201 invalid device context"},
    {"shm-fallocate", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Call to posix_fallocate failed", NULL,
     "/dev/shm is full or too small for NCCL's shared memory.", ORR_LARGER_SHM,
     "Call to posix_fallocate failed : No space left on device"},
    {"shm-extend", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "failed to extend /dev/shm", NULL,
     "/dev/shm is full or too small for NCCL's shared memory.", ORR_LARGER_SHM,
     "Error: failed to extend /dev/shm/nccl-MsnPcq to 9637892 bytes, error: No space left on device (28)"},
    {"shm-create", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Error while creating shared memory segment", NULL,
     "NCCL could not make its shared memory in /dev/shm, for the reason that ends the line.", ORR_LARGER_SHM,
     "Error while creating shared memory segment /dev/shm/nccl-MsnPcq (size 9637888), error: No space left on device "
     "(28)"},
    {"shm-df-full", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, " 100", "100% /dev/shm", "/dev/shm is full.",
     "Look for leftovers of jobs that ended: `ls -l /dev/shm`. Remove /dev/shm/nccl-* if no job runs, or make it "
     "larger (docker --shm-size=8g).",
     "shm              64M   64M     0 100% /dev/shm"},
    {"shm-df-64m", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "shm 64M ", "% /dev/shm",
     "/dev/shm has 64 MB, as Docker and Kubernetes give it, which is little for NCCL without P2P and for data loaders.",
     "If a job fails there, make it larger: docker --shm-size=8g (or --ipc=host), Kubernetes an emptyDir with medium "
     "Memory at /dev/shm.",
     "shm              64M     0   64M   0% /dev/shm"},
    {"shm-attach-empty", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Error while attaching to shared memory segment",
     "(size 0)",
     "A rank could not open the host memory that another one shares: NCCL takes a handle of cuMem for a file in "
     "/dev/shm.",
     "Run once with NCCL_CUMEM_HOST_ENABLE=0, with which NCCL uses /dev/shm: if the job then works, keep that setting, "
     "as for hosts with NUMA nodes of 0 MB (`numactl -H`). " ORR_SHARE_SHM,
     "Error while attaching to shared memory segment /dev/shm/nccl-K (size 0), error: No such file or directory (2)"},
    {"shm-attach", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Error while attaching to shared memory segment", NULL,
     "A rank could not open the shared memory of another one on the same host.",
     ORR_SHARE_SHM " NCCL_SHM_DISABLE=1 works around it.",
     "Error while attaching to shared memory segment /dev/shm/nccl-MsnPcq (size 9637888), error: No such file or "
     "directory (2)"},
    {"nvls-bind-mem", ORR_FROM_INFO, ORR_WEIGHT_NOTE, "NVLS Bind mem", NULL, "NCCL prepares memory for NVLS.",
     "Nothing is wrong by itself.", "NVLS Bind mem 0xac0000000 UC handle 0x7f33 MC handle 0x7f34 size 1073741824"},
    {"nvls-bind", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Failed to bind NVLink SHARP", NULL,
     "NVSwitch multicast (NVLS) could not bind memory.",
     "If `nvidia-smi -q | grep -A3 Fabric` does not say Completed and Success, restart Fabric Manager (`systemctl "
     "status nvidia-fabricmanager`) and reset the GPUs. If a virtual machine has only some GPUs of the board, ask its "
     "provider whether NVLS works there. NCCL_NVLS_ENABLE=0 works around it.",
     "Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'the operation cannot be "
     "performed in the present state'."},
    {"mnnvl-imex", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "MNNVL (cliqueSize %d) is available but", NULL,
     "The hosts share an NVLink domain (MNNVL), but memory cannot be shared over it.",
     "If `nvidia-imex-ctl -N` does not show all hosts READY, mend IMEX first. If the job does not see "
     "/dev/nvidia-caps-imex-channels/channel0, give its containers that device. NCCL_MNNVL_ENABLE=0 works around it.",
     "MNNVL (cliqueSize 8) is available but not working on this system. Check the IMEX channel configuration "
     "(/dev/nvidia-caps-imex-channels). Set NCCL_MNNVL_ENABLE=0 to ignore this issue."},
    {"imex-no-interface", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "No matching network interface found for any IP", NULL,
     "nvidia-imex does not start: none of the addresses in its node configuration file belongs to this host.",
     "Compare nodes_config.cfg with `ip -br addr`: it must list the address of every tray, this one's too.",
     "No matching network interface found for any IP addresses in the node configuration file"},
    {"imex-in-use", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NV_ERR_IN_USE", "mex",
     "nvidia-imex does not start, because another one runs on this host: the driver gives its session to one only.",
     "If Kubernetes runs it in a ComputeDomain (NVIDIA's DRA driver), turn the service of the driver package off: "
     "`sudo systemctl disable --now nvidia-imex` and `systemctl mask nvidia-imex`. If `pgrep -a nvidia-imex` shows the "
     "service on a host without Kubernetes, keep it and start no second one.",
     "NV_ERR_IN_USE Failed to allocate Imex session"},
    {"imex-ipv6", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "Query Status returned error code", "Address family not supported",
     "nvidia-imex-ctl asks over IPv6, which this host has turned off. That says nothing about IMEX itself.",
     "Ask over IPv4: `nvidia-imex-ctl -q -i 127.0.0.1 50005`.",
     "Query Status returned error code: 14 ipv6:%5B::%5D:50005: Address family not supported by protocol"},
    {"mnnvl-unsupported", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "MNNVL is not supported on this system", NULL,
     "NCCL_MNNVL_ENABLE=1 demands NVLink across hosts, which these hosts do not have.", "Unset NCCL_MNNVL_ENABLE.",
     "MNNVL is not supported on this system"},
    {"graph-file", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "XML Import Channel", "not found",
     "NCCL_GRAPH_FILE names a file of channels that was made for another machine: a device or a rank in it is not "
     "here.",
     "Unset NCCL_GRAPH_FILE; look for it in /etc/nccl.conf, ~/.nccl.conf and the image. NCCL_TOPO_FILE may stay. "
     "Check: `grep -r NCCL_ /etc/nccl.conf ~/.nccl.conf; env | grep NCCL_`.",
     "XML Import Channel : dev 1 not found."},
    {"graph-file-channels", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "XML Import ", NULL,
     "NCCL could not use the file that NCCL_GRAPH_FILE names.",
     "Unset NCCL_GRAPH_FILE; look for it in /etc/nccl.conf and ~/.nccl.conf.",
     "XML Import Nchannels : number of channels exceeds 32"},
    {"xml-attribute", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Attribute %w of node %w not found", NULL,
     "NCCL's description of the machine lacks an attribute that it needs.",
     "If NCCL_TOPO_FILE is set, correct that file (`orrery show FILE` names the line), or unset it. If NCCL detected "
     "the machine itself, the lines before this one name the device: leave it out, or use a newer NCCL.",
     "Attribute arch of node cpu not found"},
    {"xml-parse", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "XML Parse", NULL,
     "NCCL's reader does not understand the topology or graph file.",
     "Correct the file: `orrery show FILE` names the line; or unset NCCL_TOPO_FILE and NCCL_GRAPH_FILE.",
     "XML Parse error : unexpected trailing character < in closing tag cpu"},
    {"xml-nodes", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "too many XML nodes", NULL,
     "The machine or the topology file has more elements than this release of NCCL has room for.",
     "Use a newer release, or a topology file without bridges that lead nowhere.",
     "Error : too many XML nodes (max 256)"},
    {"no-path", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "Could not find a path for pattern", NULL,
     "NCCL's search found no channel over the GPUs of this host, so NCCL uses one channel in simple order, which is "
     "slow.",
     "If NCCL_TOPO_FILE is set, run once without it. If nvidia-smi does not list all GPUs of the job, look for the "
     "missing ones in the kernel log (dmesg).",
     "Could not find a path for pattern 4, falling back to simple order"},
    {"graph-file-missing", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Could not open XML graph file", NULL,
     "NCCL_GRAPH_FILE names a file that cannot be read, and NCCL does not start without it.",
     "Unset NCCL_GRAPH_FILE (look in /etc/nccl.conf too), or mount the file at that path on every host.",
     "Could not open XML graph file /opt/microsoft/ncv4/graph.xml : No such file or directory"},
    {"topo-file", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "Could not open XML topology file", NULL,
     "NCCL_TOPO_FILE names a file that cannot be read, so NCCL uses what it detects itself.",
     "Mount the file at that path in every container and on every host. If the machine is not virtual, NCCL needs no "
     "such file: unset NCCL_TOPO_FILE.",
     "Could not open XML topology file /etc/ndv4-topo.xml : No such file or directory"},
};
ORR_LOG_FAMILY(transport);
