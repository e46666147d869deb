/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about how NCCL joins the ranks of a machine: P2P, shared memory, NVLink SHARP and NVLink between hosts, and
 * files of topologies and graphs. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

#define ORR_LARGER_SHM                                                                                                 \
    "Check `df -h /dev/shm` in the job's container while it starts. Make it larger: docker --shm-size=1g (or "         \
    "--ipc=host); Kubernetes: an emptyDir with medium Memory at /dev/shm. Remove leftovers: /dev/shm/nccl-*."

const struct orr_log_message orr_log_messages_transport[] = {
    {"matrix-nvlink", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GPU0 X NV%d", NULL, "NVLink joins some of these GPUs.",
     "Nothing needs to change.", "GPU0\t X \tNV12\tNODE\tNODE"},
    {"reverse-path", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Failed to find reverse path", NULL,
     "Two GPUs of NCCL's topology are joined by NVLinks in one direction only: NCCL is older than the GPUs and reads "
     "only some of their NVLinks (H100 needs 2.15.1 or newer), or a link is down on one side.",
     "Check: NCCL_DEBUG=VERSION, and `nvidia-smi nvlink -s` on all GPUs. Use a newer release of NCCL: `pip install -U "
     "nvidia-nccl-cu12`, or a newer PyTorch.",
     "Failed to find reverse path from remNode 0/5f000 nlinks 4 to node 0/cb000"},
    {"p2p-disabled-nvlink", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "P2P is disabled between NVLINK connected GPUs", NULL,
     "Two GPUs are joined by NVLink, but the driver refuses peer-to-peer between them. NCCL takes this for a hardware "
     "fault and stops.",
     "Check `nvidia-smi nvlink -s`, `nvidia-smi topo -p2p r` and Fabric Manager, and reset the GPUs. "
     "NCCL_IGNORE_DISABLED_P2P=1 lets the job run without it.",
     "P2P is disabled between NVLINK connected GPUs 0 and 1. This should not be the case given their connectivity, and "
     "is probably due to a hardware issue. If you still want to proceed, you can set NCCL_IGNORE_DISABLED_P2P=1."},
    {"p2p-disabled", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "P2P is disabled between connected GPUs", NULL,
     "The driver refuses peer-to-peer between GPUs that are connected, so their data crosses host memory.",
     "Check `nvidia-smi topo -p2p r`, ACS on the PCIe switches and the IOMMU (BIOS, kernel command line).",
     "P2P is disabled between connected GPUs 0 and 1. You can repress this message with NCCL_IGNORE_DISABLED_P2P=1."},
    {"peer-access-none", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "CANNOT Access Peer Device", NULL,
     "CUDA offers no P2P between two GPUs, so NCCL sends data between them through host memory.",
     "`nvidia-smi topo -p2p r` says why: GNS or NS means that the driver does not offer it for this model, such as "
     "GeForce since RTX 40; CNS or TNS means the platform: PCIe ACS, the IOMMU or a virtual machine.",
     "Device=0 CANNOT Access Peer Device=1"},
    {"p2p-wrong-data", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Verification error @ element", NULL,
     "P2P between two GPUs delivers wrong data, although CUDA says that they reach each other. Mostly PCIe ACS or the "
     "IOMMU breaks it, or a patched driver maps the memory wrongly.",
     "Check `cat /proc/cmdline` (iommu=pt, or no IOMMU) and `sudo lspci -vvv | grep -i acsctl`. NCCL_P2P_DISABLE=1 "
     "works around it; NCCL with P2P would hang or compute wrong results.",
     "Verification error @ element 1: val = 0.000000, ref = 4.000000"},
    {"peer-access-yes", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "> Peer access from ", " : Yes",
     "CUDA says that two GPUs can access each other's memory.", "Nothing needs to change.",
     "> Peer access from NVIDIA GeForce RTX 3090 (GPU0) -> NVIDIA GeForce RTX 3090 (GPU1) : Yes"},
    {"nvbandwidth-waived", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Waiv%w device_to_device", NULL,
     "nvbandwidth leaves out copies between GPUs, because CUDA offers no P2P between any two of them, or there is one.",
     "`nvidia-smi topo -p2p r` says why: GNS or NS means that the driver does not offer it for this model, such as "
     "GeForce since RTX 40; CNS or TNS means the platform: PCIe ACS, the IOMMU or a virtual machine.",
     "Waiving device_to_device_memcpy_write_ce."},
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
     "NCCL could not make its shared memory, mostly because /dev/shm is full or too small.", ORR_LARGER_SHM,
     "Error while creating shared memory segment /dev/shm/nccl-MsnPcq (size 9637888), error: No space left on device "
     "(28)"},
    {"shm-df-full", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, " 100", "100% /dev/shm", "/dev/shm is full.",
     "Look for leftovers of jobs that ended: `ls -l /dev/shm`. Remove /dev/shm/nccl-* if no job runs, or make it "
     "larger (docker --shm-size=8g).",
     "shm              64M   64M     0 100% /dev/shm"},
    {"shm-df-64m", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "shm 64M ", "% /dev/shm",
     "/dev/shm has 64 MB, as Docker and Kubernetes give it, which is little for NCCL without P2P and for data loaders.",
     "Make it larger: docker --shm-size=8g (or --ipc=host); Kubernetes: an emptyDir with medium Memory at /dev/shm.",
     "shm              64M     0   64M   0% /dev/shm"},
    {"shm-attach-empty", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Error while attaching to shared memory segment",
     "(size 0)",
     "A rank could not open the host memory that another one shares: NCCL takes a handle of cuMem for a file in "
     "/dev/shm, mostly on hosts with NUMA nodes without memory.",
     "Set NCCL_CUMEM_HOST_ENABLE=0: NCCL then uses /dev/shm. `numactl -H` shows NUMA nodes of 0 MB. If that is not it, "
     "run the ranks in one container or share /dev/shm (--ipc=host).",
     "Error while attaching to shared memory segment /dev/shm/nccl-K (size 0), error: No such file or directory (2)"},
    {"shm-attach", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Error while attaching to shared memory segment", NULL,
     "A rank could not open the shared memory of another one on the same host.",
     "Run the ranks of one host in one container, or share /dev/shm (--ipc=host). NCCL_SHM_DISABLE=1 works around it.",
     "Error while attaching to shared memory segment /dev/shm/nccl-MsnPcq (size 9637888), error: No such file or "
     "directory (2)"},
    {"nvls-bind-mem", ORR_FROM_INFO, ORR_WEIGHT_NOTE, "NVLS Bind mem", NULL, "NCCL prepares memory for NVLS.",
     "Nothing is wrong by itself.", "NVLS Bind mem 0xac0000000 UC handle 0x7f33 MC handle 0x7f34 size 1073741824"},
    {"nvls-bind", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Failed to bind NVLink SHARP", NULL,
     "NVSwitch multicast (NVLS) could not bind memory. Usually Fabric Manager or the NVSwitches are not in order, for "
     "instance in a virtual machine or container with a part of the GPUs.",
     "Check Fabric Manager (`systemctl status nvidia-fabricmanager`, `nvidia-smi -q | grep -A3 Fabric`) and reset the "
     "GPUs. NCCL_NVLS_ENABLE=0 works around it.",
     "Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 401 'the operation cannot be "
     "performed in the present state'."},
    {"mnnvl-imex", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "MNNVL (cliqueSize %d) is available but", NULL,
     "The hosts share an NVLink domain (MNNVL), but memory cannot be shared over it, because IMEX does not work.",
     "Check `nvidia-imex-ctl -N` on all hosts and that the job sees /dev/nvidia-caps-imex-channels. "
     "NCCL_MNNVL_ENABLE=0 works around it.",
     "MNNVL (cliqueSize 8) is available but not working on this system. Check the IMEX channel configuration "
     "(/dev/nvidia-caps-imex-channels). Set NCCL_MNNVL_ENABLE=0 to ignore this issue."},
    {"imex-no-interface", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "No matching network interface found for any IP", NULL,
     "nvidia-imex does not start: none of the addresses in its node configuration file belongs to this host.",
     "Compare nodes_config.cfg with `ip -br addr`: it must list the address of every tray, this one's too.",
     "No matching network interface found for any IP addresses in the node configuration file"},
    {"imex-in-use", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NV_ERR_IN_USE", "mex",
     "nvidia-imex does not start, because another one runs on this host: the driver gives its session to one only. On "
     "Kubernetes nodes the service of the driver package takes it from the ComputeDomain's daemon.",
     "On nodes with ComputeDomains (NVIDIA's DRA driver): `sudo systemctl disable --now nvidia-imex` and `systemctl "
     "mask nvidia-imex`. Elsewhere keep the service and start no second one: `pgrep -a nvidia-imex`.",
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
     "NCCL's description of the machine lacks an attribute that it needs: a topology file (NCCL_TOPO_FILE) does not "
     "fit, or this release cannot read a device.",
     "With NCCL_TOPO_FILE: correct the file (`orrery show FILE` names the line), or unset it. Otherwise the lines "
     "before it name the device: leave it out, or use a newer NCCL.",
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
     "Check the topology file (NCCL_TOPO_FILE) and that all GPUs of the job are listed by nvidia-smi.",
     "Could not find a path for pattern 4, falling back to simple order"},
    {"graph-file-missing", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Could not open XML graph file", NULL,
     "NCCL_GRAPH_FILE names a file that cannot be read, and NCCL does not start without it.",
     "Unset NCCL_GRAPH_FILE (look in /etc/nccl.conf too), or mount the file at that path on every host.",
     "Could not open XML graph file /opt/microsoft/ncv4/graph.xml : No such file or directory"},
    {"topo-file", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "Could not open XML topology file", NULL,
     "NCCL_TOPO_FILE names a file that cannot be read, so NCCL uses what it detects itself.",
     "Mount the file at that path on every host, or unset NCCL_TOPO_FILE.",
     "Could not open XML topology file /etc/ndv4-topo.xml : No such file or directory"},
};
ORR_LOG_FAMILY(transport);
