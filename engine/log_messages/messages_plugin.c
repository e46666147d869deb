/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about network plugins: finding them, their versions, and messages of Amazon's and Google's plugins. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

#define ORR_NEEDS_PLUGIN                                                                                               \
    "InfiniBand, RoCE and TCP need no plugin. If the job runs on AWS (EFA) or on GCP's GPU networks, install the "     \
    "plugin in the image, and put it into LD_LIBRARY_PATH of every rank."
#define ORR_NO_PLUGIN "NCCL found no network plugin and uses its own network.", ORR_NEEDS_PLUGIN

const struct orr_log_message orr_log_messages_plugin[] = {
    {"sharp-tree-locked", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "Streaming Tree lock failed", NULL,
     "SHARP got no tree for streaming in the InfiniBand switches.",
     "If other jobs or communicators use SHARP at that time, set NCCL_COLLNET_ENABLE=0 for those that do not need it. "
     "If this job is alone, the log of SHARP's aggregation manager (sharp_am) says what the switches offer.",
     "SHARP group create: Streaming Tree lock failed (-18)"},
    {"vllm-no-nccl", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Failed to load NCCL library from", NULL,
     "vLLM could not load NCCL's library.",
     "If `pip list | grep nvidia-nccl` shows nothing in this environment, install the version that PyTorch needs. If "
     "the library is elsewhere, name the file in VLLM_NCCL_SO_PATH.",
     "ERROR 04-22 15:53:32 pynccl.py:44] Failed to load NCCL library from libnccl.so.2 ."},
    {"library-glibc", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "GLIBC_", "not found (required by",
     "A library does not load, because it was built for a newer system than that of the image (glibc).",
     "The line names it. Use a plugin or library that was built for this image, or a newer base image.",
     "NET/Plugin : Plugin load returned 2 : libc.so.6: version `GLIBC_2.32' not found (required by "
     "/usr/local/gib/lib64/libnccl-net.so)"},
    {"plugin-returned", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "NET/Plugin", "Plugin load",
     "NCCL could not load a network plugin of that name, for the reason that ends the line, and uses its own network.",
     "If the reason names another library, the plugin lacks that one. " ORR_NEEDS_PLUGIN,
     "NET/Plugin : Plugin load (libnccl-net.so) returned 2 : libnccl-net.so: cannot open shared object file: No such "
     "file or directory"},
    {"plugin-symbol", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "NET/Plugin", "Failed to find ncclNetPlugin",
     "The plugin offers an older interface than this NCCL asks for first; NCCL goes on to the older ones.",
     "If a line \"Loaded net plugin\" follows, nothing needs to change. If no such line follows, update the plugin: "
     "this NCCL no longer supports its interface.",
     "NET/Plugin: Failed to find ncclNetPlugin_v9 symbol."},
    {"plugin-collnet-symbol", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "Failed to find ncclCollNetPlugin", NULL,
     "The plugin does not reduce in the network (CollNet).", "Nothing, unless the job should use SHARP.",
     "NET/Plugin: Failed to find ncclCollNetPlugin_v9 symbol."},
    {"plugin-missing-net", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "NET/Plugin: Could not find: libnccl-net.so", NULL,
     ORR_NO_PLUGIN, "NET/Plugin: Could not find: libnccl-net.so. Using internal network plugin."},
    {"plugin-missing-named", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "NET/Plugin: Could not find", NULL,
     "NCCL did not find the network plugin that NCCL_NET_PLUGIN names, and uses its own network.",
     "Install it where LD_LIBRARY_PATH of every rank leads, or unset NCCL_NET_PLUGIN.",
     "NET/Plugin: Could not find: ofi libnccl-net-ofi.so"},
    {"plugin-missing", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "/Plugin: Could not find", NULL,
     "NCCL found no plugin of that name and uses what it has itself.",
     "This is normal for tuner and profiler plugins, and for networks on InfiniBand and RoCE. On AWS and GCP, install "
     "the network plugin.",
     "TUNER/Plugin: Could not find: libnccl-tuner.so"},
    {"plugin-none", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "NET/Plugin", "No plugin found", ORR_NO_PLUGIN,
     "NET/Plugin : No plugin found (libnccl-net.so), using internal implementation"},
    {"ofi-libfabric", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "libfabric.so", "cannot open shared object file",
     "Amazon's network plugin was found, but not libfabric, so NCCL cannot use EFA.",
     "Install the EFA software in the image, and put /opt/amazon/efa/lib into LD_LIBRARY_PATH.",
     "NET/Plugin: Failed to load libnccl-net.so: libfabric.so.1: cannot open shared object file: No such file"},
    {"ofi-no-gdr", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "NET/OFI", "Setting NCCL_PROTO to \"simple\"",
     "Amazon's plugin allows only the Simple protocol here, which is slower for small messages.",
     "If the instances are p4d or p5, a current plugin and EFA driver support LL128.",
     "NET/OFI Setting NCCL_PROTO to \"simple\""},
    {"ofi-open", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI", "Couldn't open|Creating new endpoint",
     "Amazon's network plugin could not open the device that libfabric offers.",
     "FI_LOG_LEVEL=warn and `dmesg | grep efa` say more. If libfabric, driver and plugin do not come from one EFA "
     "installer, make them do so. If `fi_info -p efa` lists no device here, the plugin took one of another provider, "
     "which FI_PROVIDER=efa forbids.",
     "NET/OFI Couldn't open AV. RC: -22, ERROR: Invalid argument"},
    {"efa-no-read", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "FI_EFA_USE_DEVICE_RDMA=1 was set", "no rdma-read",
     "libfabric stopped the program: FI_EFA_USE_DEVICE_RDMA=1 is set, and the EFA device of this instance type cannot "
     "read remote memory (RDMA read), as on g4dn.",
     "Unset FI_EFA_USE_DEVICE_RDMA wherever it is set (`env | grep FI_`, image, launch script, mpirun -x): libfabric "
     "1.18 and newer finds out by itself what the device can do.",
     "FI_EFA_USE_DEVICE_RDMA=1 was set by user, but EFA device has no rdma-read capability. Application will abort()."},
    {"efa-memory", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Libfabric error: (-12) Cannot allocate memory", NULL,
     "libfabric got no memory for EFA's buffers.",
     "If `ulimit -l` in the job itself is not unlimited, raise it (memlock): /etc/security/limits.conf, LimitMEMLOCK "
     "of Slurm's daemon, or docker --ulimit memlock=-1. If HugePages_Free in /proc/meminfo is near 0, run once with "
     "FI_EFA_USE_HUGE_PAGE=0.",
     "Libfabric error: (-12) Cannot allocate memory"},
    {"cxi-vni", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "Failed to find valid default rgroup and vni", NULL,
     "This job step has no VNI of its own on Slingshot, and the NIC's default service is off.",
     "Start the processes with srun; on one host with `srun --network=single_node_vni`.",
     "libfabric:507357:1741146011::cxi:fabric:cxip_nic_get_rgroup_vni():253<warn> : Failed to find valid default "
     "rgroup and vni for cxi0"},
    {"ofi-tuner-proto", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "tuner plugin can not be loaded when explicitly", NULL,
     "Amazon's tuner plugin refuses to start because NCCL_ALGO or NCCL_PROTO is set, and a NCCL older than 2.21 fails "
     "with it. If EFA does not keep the order of bytes, the plugin itself sets NCCL_PROTO=simple.",
     "Use NCCL 2.21 or newer, or another version of the plugin (aws-ofi-nccl): newer ones have no tuner for older "
     "NCCL. If you set NCCL_ALGO or NCCL_PROTO yourself, unset them.",
     "NET/OFI The tuner plugin can not be loaded when explicitly choosing an algorithm or protocol with "
     "NCCL_ALGO/NCCL_PROTO"},
    {"efa-gdaki", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "cntr_open_ext failed", NULL,
     "EFA's GDAKI needs completion counters, and libfabric could not open one.",
     "If libfabric was built against an rdma-core without efadv_create_comp_cntr, build it against a newer one. If "
     "`modinfo efa` is older than 3.3.0, load a newer driver. If NVIDIA's driver lacks PeerMappingOverride=1, set it. "
     "NCCL_GIN_TYPE=2 uses the proxy meanwhile.",
     "NET/OFI gdaki_hw_counter: cntr_open_ext failed: Function not implemented"},
    {"gin-doca", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "DOCA failure", NULL,
     "GIN's GDAKI could not set up a queue pair.",
     "Run once with NCCL_GIN_TYPE=2 (PROXY): if the job then works, only GDAKI is at fault, which needs a newer "
     "rdma-core and driver. If NCCL is 2.30.7 or older, GDAKI cannot use ports that demand a GRH "
     "(IBV_QPF_GRH_REQUIRED).",
     "DOCA failure 21"},
    {"efa-address", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "efa_rdm_txe_handle_error", NULL,
     "EFA could not send to the other host.", "Look for the first error of the peer that the line names.",
     "libfabric:4517:1708::efa:cq:efa_rdm_txe_handle_error():737<warn> err: 5, message: Invalid address"},
    {"tuner-symbol", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "Failed to find ncclTunerPlugin", NULL,
     "The plugin has no tuner of that version; NCCL goes on to others, then to its own.", "Nothing needs to change.",
     "TUNER/Plugin: Failed to find ncclTunerPlugin_v3 symbol."},
    {"fastsocket-cpu", ORR_FROM_WARN_OTHER, ORR_WEIGHT_NOTE, "Cannot get incoming CPU", NULL,
     "Google's Fast Socket plugin cannot see which CPU receives its data.", "Nothing: the plugin works without it.",
     "Cannot get incoming CPU."},
    {"fastsocket-retry", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "Maximum retry reached for", NULL,
     "Google's Fast Socket plugin gave up looking for connections that spread over the NIC's queues.",
     "The job goes on; bandwidth may be lower. If the machine is an A3 or newer, use the plugin of its type.",
     "Maximum retry reached for accept 3."},
    {"ofi-forked", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "A process has executed an operation involving a call", "fork()",
     "The process forked while EFA or RDMA was in use, which may corrupt memory.",
     "Set FI_EFA_FORK_SAFE=1 (RDMAV_FORK_SAFE=1), or start workers with spawn instead of fork.",
     "A process has executed an operation involving a call to the fork() system call to create a child process."},
    {"rxdm-gpus", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "Number of GPUs detected in the PCI tree", NULL,
     "Google's receive manager (RxDM) stopped, because it found fewer GPUs with a NIC in sysfs than CUDA has. Ranks "
     "then cannot connect to it.",
     "If the node pool has more networks than those of its GPU NICs, leave the others out: an additional gVNIC network "
     "takes the place of one. If the pod lacks hostNetwork: true, set it, so that RxDM sees all of /sys.",
     "E0312 fastrak_gpumem_manager.cc:200] Number of GPUs detected in the PCI tree 7 is not equal to the actual number "
     "of GPUs reported by CUDA 8"},
    {"fastrak-refused", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "NET/FasTrak", "Connection refused",
     "Google's network plugin does not reach the receive manager (RxDM) of its host: it does not run, or it stopped.",
     "Look at the log of the container tcpgpudmarxd (tcpxo-daemon) on that host for its first error, and start it "
     "before the job.",
     "NET/FasTrak : connect() error: 111: Connection refused"},
    {"fastrak-mismatch", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/FasTrak", "mismatch|not supported|ailed",
     "Google's network plugin (GPUDirect-TCPXO) could not start.",
     "If the plugin, the receive manager (RxDM) and the settings (nccl-env-profile.sh) are not of one release of "
     "Google's installer, use one on all hosts.",
     "NET/FasTrak : Plugin initialization failed"},
    {"tcpx-failed", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/GPUDirectTCPX", "ailed|rror|mismatch",
     "Google's network plugin (GPUDirect-TCPX) could not start or lost its connection to the receive manager.",
     "If the receive manager (tcpgpudmarxd) does not run on a host, start it before the job. If its socket is not in "
     "the container, mount it. If NCCL's settings are not those of the plugin, use the plugin's.",
     "NET/GPUDirectTCPX : failed to connect to rxdm"},
    {"guest-config", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "NCCL/NET (shim) mismatch", NULL,
     "Settings of NCCL differ from those that Google's plugin demands.",
     "Source nccl-env-profile.sh of the installed plugin in the job, and set none of its variables otherwise.",
     "NCCL/NET (shim) mismatch in enforced parameters: NCCL_FASTRAK_IFNAME expected eth1 got unset"},
    {"ofi-option", ORR_FROM_WARN_OTHER, ORR_WEIGHT_ERROR, "NET/OFI",
     "Disabling shared memory failed|Couldn't set FI_OPT_EFA",
     "The libfabric or the provider that the job loads lacks an option that the plugin for EFA needs.",
     "If `ldd libnccl-net.so` names a libfabric outside /opt/amazon/efa, remove the other packages (libfabric-bin, "
     "libfabric1) from the image, and put /opt/amazon/efa/lib first into LD_LIBRARY_PATH. If the container lacks the "
     "EFA devices (`ls /dev/infiniband/uverbs*`), request them. If EFA's software is older than the plugin, update it.",
     "NET/OFI Disabling shared memory failed: Protocol not available"},
    {"net-mismatch", ORR_FROM_WARN_OTHER, ORR_WEIGHT_ERROR, "mismatch in the number of", "device",
     "Ranks see different numbers of network devices, so some have no partner.",
     "Make NCCL_IB_HCA, the plugin and the devices in the container the same on all hosts; `ibdev2netdev` lists them.",
     "NET : mismatch in the number of NET devices: min 1 max 8"},
    {"ras-warning", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "RAS keep-alive timeout", NULL,
     "NCCL's monitoring (RAS) hears nothing from a process of the job.",
     "Look at the host that the line names; `ncclras` (or `nc localhost 28028`) asks a running job which ranks are "
     "missing.",
     "RAS keep-alive timeout warning (5s) on socket connection with 10.0.0.2<42918>"},
    {"ras-connect", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "RAS connect", "timeout",
     "NCCL's monitoring (RAS) cannot connect to a process of the job. The job itself does not need that connection.",
     "If the job hangs too, look at the host that the line names and at firewalls; NCCL_RAS_ENABLE=0 turns RAS off.",
     "RAS connect retry timeout (60s) on socket connection with 10.0.0.2<42918>"},
    {"ras-bind", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "RAS failed to establish a client listening socket", NULL,
     "NCCL's monitoring (RAS) could not open its port, which only one job of a host can have.",
     "Nothing: the job does not need it. NCCL_RAS_ADDR chooses another port.",
     "RAS failed to establish a client listening socket at ::1<28028>"},
};
ORR_LOG_FAMILY(plugin);
