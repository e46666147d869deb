/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about InfiniBand, RoCE, SHARP and Amazon's plugin. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

/* The number after "status=" or "error" is that of enum ibv_wc_status. */
/* Sentences that several rows say. */
#define ORR_EFA_GROUP                                                                                                  \
    "If every run fails at its start on AWS, check the security group: it must allow all traffic from and to itself "  \
    "by its id, both ways, as addresses such as 0.0.0.0/0 do not cover EFA."
#define ORR_EFA_ALIKE                                                                                                  \
    "If hosts differ in driver, libfabric or plugin (`modinfo efa`, `fi_info --version`), give all one release of "    \
    "EFA."
#define ORR_OPEN_NIC                                                                                                   \
    "If the container lacks /dev/infiniband, give it these devices (docker: --device=/dev/infiniband). If "            \
    "`ibv_devinfo` on the host cannot open the NIC either, look for it in the kernel log (dmesg)."
#define ORR_SHARP                                                                                                      \
    "If the fabric has no SHARP, this is harmless, and NCCL_COLLNET_ENABLE=0 silences it. If the fabric has SHARP, "   \
    "look at the log of its aggregation manager (sharp_am)."
#define ORR_LOSSLESS                                                                                                   \
    "If the number grows during a job and `mlnx_qos -i INTERFACE` shows no PFC for the priority of NCCL_IB_TC, turn "  \
    "PFC and ECN on for it, on the hosts and on the switches."
#define ORR_OFI_NO_DEVICE                                                                                              \
    "libfabric found no device that the plugin can use.",                                                              \
        "If `fi_info -p efa` lists devices on the host and not in the container, give the container /dev/infiniband "  \
        "(Kubernetes: vpc.amazonaws.com/efa). If `fi_info -p efa` fails on the host too, that has no EFA interface "   \
        "or no driver (`modinfo efa`)."

const struct orr_log_message orr_log_messages_network[] = {
    {"ib-retry-exceeded", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion",
     "status=12 |error 12|RETRY_EXC_ERR(12)",
     "The other end of an RDMA connection did not answer in time (retry counter exceeded).",
     "If the process at the address that the line names failed or ended before, look at its error. If `ib_write_bw` "
     "between the same two NICs fails too, the network is at fault: compare the ports (`ibstat`), RoCE's GIDs "
     "(`show_gids`), the MTU of hosts and switches, and InfiniBand's partition keys "
     "(/sys/class/infiniband/*/ports/1/pkeys). If error counters of a port on the way grow (`perfquery`, or `ethtool "
     "-S INTERFACE`), packets are lost there. If long runs fail only now and then, NCCL_IB_TIMEOUT=22 bridges short "
     "interruptions.",
     "NET/IB : Got completion from peer 10.0.0.2<55921> with status=12 opcode=1 len=0 vendor err 129 (Send) localGid "
     "::ffff:10.0.0.1 remoteGids::ffff:10.0.0.2"},
    {"ib-rnr-exceeded", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion",
     "status=13 |error 13,|RNR_RETRY_EXC_ERR",
     "The other end had no receive buffer ready for too long (RNR retry counter exceeded).",
     "Look for an error or a stopped process on the peer that the line names.",
     "NET/IB : Got completion from peer 10.0.0.2<36315> with status=13 opcode=0 len=0 vendor err 135 (Recv)"},
    {"ib-local-length", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion", "status=1 |error 1,|LOC_LEN_ERR",
     "A message was longer than the receive buffer (local length error).",
     "If ranks call different collectives or counts (NCCL_DEBUG_SUBSYS=COLL prints them), correct the program. If the "
     "hosts do not run the same NCCL and plugin, make them the same. If `ibv_devinfo | grep active_mtu` differs "
     "between the hosts, give their ports one MTU.",
     "NET/IB : Got completion with error 1, opcode 0, len 0, vendor err 105"},
    {"ib-local-protection", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion", "status=4 |error 4,|LOC_PROT_ERR",
     "The NIC was not allowed to read or write the local buffer (local protection error).",
     "Run once with NCCL_NET_GDR_LEVEL=LOC: if the job then works, GPUDirect RDMA is at fault, so check PCIe ACS "
     "(`lspci -vvv | grep -i acsctl`), the IOMMU (`cat /proc/cmdline`) and nvidia-peermem (`lsmod`). If the "
     "application frees buffers before the operations on them have ended, keep them until then.",
     "NET/IB : Got completion from peer 10.0.0.2<36315> with status=4 opcode=0 len=0 vendor err 81 (Send)"},
    {"ib-flushed", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Got completion",
     "status=5|error 5,|error 5 |WR_FLUSH_ERR",
     "The request was dropped, because its connection had already failed (work request flushed).",
     "Look for the first error of this connection, here or on the peer.",
     "NET/IB : Got completion from peer 10.0.0.2<36315> with status=5 opcode=0 len=0 vendor err 249 (Recv)"},
    {"ib-remote-access", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion",
     "status=10 |error 10,|REM_ACCESS_ERR|status=9 |error 9,|REM_INV_REQ_ERR",
     "The other end refused the request or the access to its buffer (remote access or invalid request error).",
     "Look for an earlier error on the peer that the line names. If the hosts differ in NCCL, NIC driver or firmware "
     "(`ibv_devinfo | grep fw_ver`), make them the same. Run once with NCCL_NET_GDR_LEVEL=LOC: if the job then works, "
     "GPUDirect RDMA is at fault.",
     "NET/IB: Got completion from peer 10.0.0.2<36315> with status=IBV_WC_REM_ACCESS_ERR(10) opcode=IBV_WC_SEND(0)"},
    {"ib-remote-operation", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion", "status=11 |error 11,|REM_OP_ERR",
     "The other end could not complete the operation (remote operation error).",
     "Look for an error on the peer that the line names, such as a NIC error in its kernel log (dmesg).",
     "NET/IB : Got completion from peer 10.0.0.2<36315> with error 11, opcode 0, len 0, vendor err 138"},
    {"ib-completion", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion", "status=|error ",
     "An RDMA operation failed. The number is an ibv_wc_status.",
     "Look for an earlier error of the peer that the line names, and for errors of the NICs in the kernel logs of both "
     "hosts (dmesg).",
     "NET/IB : Got completion with error 2, opcode 0, len 0, vendor err 104"},
    {"ib-modify-qp", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_modify_qp failed with", NULL,
     "NCCL could not connect two NICs (a queue pair did not change its state).",
     "If `ib_write_bw` between the same two NICs fails too, the fault is in the network, not in NCCL. For RoCE: if "
     "`show_gids` of a host does not list the index of NCCL_IB_GID_INDEX as v2 with an IPv4 address, choose an index "
     "that does so on all hosts. If the two NICs belong to different subnets or rails, set NCCL_CROSS_NIC=0, or name "
     "only NICs that reach one another in NCCL_IB_HCA. NCCL_IB_DISABLE=1 lets the job run over TCP meanwhile.",
     "Call to ibv_modify_qp failed with error Invalid argument"},
    {"perftest-qp", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "Failed to modify QP", NULL,
     "ib_write_bw could not connect the two NICs, so the fault is in the RDMA network or its set-up, not in NCCL.",
     "If `show_gids` on one side has no row with an IPv4 address, the NIC's network interface lacks it there: in a "
     "container, RoCE needs that interface beside /dev/infiniband. If `show_gids` has several rows, give ib_write_bw "
     "the index of v2 with -x on both sides. If `ping` between the addresses of the two GIDs fails, the network "
     "between them comes first.",
     "Failed to modify QP to RTR"},
    {"verbs-locked", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "ibv_create_", ") failed: Cannot allocate memory",
     "An RDMA library got no memory for a queue. NCCL needs such queues too.",
     "If `ulimit -l` where this runs is not unlimited, raise it: Docker --cap-add=IPC_LOCK --ulimit memlock=-1, "
     "Kubernetes capabilities add IPC_LOCK, Slurm LimitMEMLOCK=infinity of slurmd.",
     "[host:6:0]    ib_iface.c:823  UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory"},
    {"ib-create-qp", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_create_%w failed", NULL,
     "The NIC or its driver refused a resource, such as a queue pair, a completion queue or a protection domain.",
     "If `ulimit -l` in the job itself is not unlimited, raise it (memlock). If locked memory is unlimited and "
     "`ib_write_bw` fails in the container but not on the host, compare their rdma-core.",
     "Call to ibv_create_cq failed with error Cannot allocate memory"},
    {"perftest-port", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Port number %d state is ", "Down|Init|Armed",
     "The RDMA port is not active, so neither ib_write_bw nor NCCL can use it.",
     "If `ibstat` says Polling or Disabled, look at cable and switch port. If `ibstat` says Initializing, the fabric "
     "has no subnet manager. If the port is a virtual function (SR-IOV) of InfiniBand, it also needs GUIDs (`ip link "
     "set PF vf N node_guid X`, `port_guid X`) and a subnet manager with virtualisation (OpenSM: virt_enabled 2).",
     " Port number 1 state is Down"},
    {"vf-guid", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "failed to configure VF", "GUID is not valid",
     "A pod does not start, because its virtual function of an InfiniBand NIC has no valid GUID.",
     "Give the functions GUIDs, each once in the fabric: the SR-IOV operator (linkType: ib) or ib-kubernetes sets "
     "them, or on the host `ip link set PF vf N node_guid X` and `port_guid X`; then bind the function again.",
     "infiniBand SRI-OV CNI failed to configure VF \"VF ib2 GUID is not valid\""},
    {"ib-register-gpu", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_reg_%w failed", "Bad address",
     "The NIC driver could not register a buffer, because it does not know memory at this address. GPU memory needs "
     "nvidia-peermem or DMA-BUF.",
     "If `lsmod | grep nvidia_peermem` on the host shows nothing, load it: `modprobe nvidia-peermem`. If the GPU is a "
     "GeForce, it has no GPUDirect RDMA. NCCL_NET_GDR_LEVEL=LOC lets the job run without GPUDirect RDMA.",
     "Call to ibv_reg_mr_iova2 failed with error Bad address"},
    {"ib-register-memory", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_reg_%w failed", "Cannot allocate memory",
     "The NIC driver had no memory to register what NCCL needs.",
     "If `ulimit -l` in the job itself is not unlimited, raise it (memlock). If NCCL_BUFFSIZE is above its 4 MiB, "
     "unset it. Run once with NCCL_NET_GDR_LEVEL=LOC: if the job then works, it is GPU memory, which needs room in "
     "BAR1 (`nvidia-smi -q | grep -A3 BAR1`).",
     "Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory"},
    {"ib-register-dmabuf", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "reg_dmabuf_mr failed", NULL,
     "The NIC driver could not register GPU memory by DMA-BUF.",
     "If `uname -r` is below 5.12, or /proc/driver/nvidia/version does not say \"Open Kernel Module\", the host has no "
     "DMA-BUF for GPUs. Run once with NCCL_DMABUF_ENABLE=0: if the job then works, it uses nvidia-peermem, and DMA-BUF "
     "is at fault.",
     "Call to ibv_reg_dmabuf_mr failed with error Operation not supported"},
    {"ib-register", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_reg_%w failed", NULL,
     "The NIC driver could not register memory.",
     "Run once with NCCL_NET_GDR_LEVEL=LOC: if the job then works, it is GPU memory, which needs nvidia-peermem or a "
     "driver with DMA-BUF. If `ulimit -l` in the job itself is not unlimited, raise it (memlock).",
     "Call to ibv_reg_mr_iova2 failed with error Invalid argument"},
    {"mlx5-symbol", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "dlvsym failed on mlx5dv", NULL,
     "The image's rdma-core is older than a function that NCCL can use; NCCL goes on without it.",
     "Nothing, unless the NICs need Data Direct: then install a newer rdma-core in the image.",
     "dlvsym failed on mlx5dv_get_data_direct_sysfs_path - /lib/x86_64-linux-gnu/libmlx5.so: undefined symbol: "
     "mlx5dv_get_data_direct_sysfs_path, version MLX5_1.25"},
    {"ib-async-call", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "ibv_get_async_event failed", NULL,
     "NCCL cannot watch this NIC for errors and port changes. Data transfers do not need it.",
     "Nothing needs to change while the job works. In a sandbox such as gVisor the call is not supported.",
     "Call to ibv_get_async_event failed"},
    {"ib-open-call", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "ibv_open_device failed", NULL,
     "NCCL could not open a NIC that is listed, and goes on without it.", ORR_OPEN_NIC,
     "Call to ibv_open_device failed"},
    {"ib-open-device", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "NET/IB~: Unable to open device", NULL,
     "NCCL could not open this NIC, and goes on without it.", ORR_OPEN_NIC, "NET/IB : Unable to open device mlx5_ib3"},
    {"ib-query-device", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "NET/IB~: Unable to query", NULL,
     "NCCL cannot use this NIC or port, because a query of it failed.",
     "Check the NIC with ibv_devinfo and the kernel log (dmesg).", "NET/IB : Unable to query port_num 1"},
    {"ib-gid", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_query_gid failed", NULL,
     "The NIC gave no GID at the index that NCCL asked for.",
     "If NCCL_IB_GID_INDEX is set, choose an index that `show_gids` lists on all hosts, or unset it so that NCCL "
     "chooses one. If `show_gids` lists nothing in the container and something on the host, the container lacks the "
     "NIC's network interface.",
     "Call to ibv_query_gid failed with error Invalid argument"},
    {"ib-post", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_post_send() failed", NULL,
     "The NIC did not accept a send request.", "Check the NIC in the kernel log (dmesg) and with ibv_devinfo.",
     "ibv_post_send() failed with error Cannot allocate memory, Bad WR (nil), First WR 0x7f"},
    {"ib-poll", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Call to ibv_poll_cq() returned", NULL,
     "NCCL could not ask the NIC which transfers have ended.",
     "Check the NIC in the kernel log (dmesg) and its firmware.", "Call to ibv_poll_cq() returned -1"},
    {"ib-async-fatal", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: %w async fatal event", NULL,
     "The NIC or one of its connections reported an error that it cannot recover from.",
     "If the kernel log (dmesg) of this host shows errors of the NIC at that time, reset it, and replace it if they "
     "come back. If the kernel log is silent, look at the errors of NCCL around this line and on the peer.",
     "NET/IB : mlx5_0:1 async fatal event on QP (0x7f12): local access violation work queue error"},
    {"ib-async-port", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_ERROR, "Got async event : port error", NULL,
     "The port of a NIC went down while the job ran.",
     "Look at the link (`ibstat`, `mlxlink`): a growing LinkDownedCounter (`perfquery`) means that it flaps. The job "
     "continues only if the link returns within NCCL_IB_TIMEOUT.",
     "NET/IB : Got async event : port error"},
    {"ib-async-port-change", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_ERROR, "NET/IB~: %w port event", NULL,
     "The port of this NIC changed its state while the job ran.",
     "Look at the link (`ibstat`, `mlxlink`) and the kernel log (dmesg) at that time.",
     "NET/IB : mlx5_0:1 port event: port error"},
    {"ib-async-fatal-any", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_ERROR,
     "NET/IB~: Got async event : local catastrophic error", NULL,
     "The NIC is in a fatal state (IBV_EVENT_DEVICE_FATAL) and does not work any more.",
     "Look at the kernel log (dmesg | grep mlx5) of this host; reset or replace the NIC.",
     "NET/IB : Got async event : local catastrophic error"},
    {"ib-async-event", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_WARNING, "Got async event", NULL,
     "A NIC reported an event while the job ran.", "Compare with the kernel log (dmesg) of this host at that time.",
     "NET/IB : Got async event : client reregistration"},
    {"ib-collective-mismatch", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: req %*", "collective mismatch",
     "Two ranks disagree about the size of a message.", ORR_LOG_SAME_CALLS,
     "NET/IB : req 0/1 tag 33 peer 10.0.0.2<36315> collective mismatch error, local size 8 remote 4096"},
    {"ib-receive-info", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: req %*", "incorrect receive info",
     "Two ranks do not agree about a receive buffer.",
     "Compare NCCL's version, the plugin and the settings (`env | grep NCCL_`) of all hosts: they must be the same.",
     "NET/IB : req 0/1 tag 33 peer 10.0.0.2<36315> posted incorrect receive info: size 0 addr 0 rkeys[0]=0"},
    {"ib-no-interface", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: No IP interface found", NULL,
     "NCCL needs an IP interface to connect RDMA NICs, and found none.",
     "If NCCL_SOCKET_IFNAME is set, it must name an interface that is up on every host (`ip -br addr`). If `ip -br "
     "addr` in the container lists only lo, the container needs a network, such as --network=host.",
     "NET/IB : No IP interface found."},
    {"ib-none", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "NET/IB~: No device found", NULL,
     "NCCL found no usable InfiniBand or RoCE NIC on this host.",
     "If the host has one, compare `ibv_devinfo` and /dev/infiniband in the container with the host's, and NCCL_IB_HCA "
     "with the names there.",
     "NET/IB : No device found."},
    {"ib-merge", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: Trying to merge", NULL,
     "NCCL_NET_FORCE_MERGE asks to fuse NICs that cannot be fused.",
     "Name only NICs of one kind and link layer in NCCL_NET_FORCE_MERGE, or unset it.",
     "NET/IB : Trying to merge multiple devices together with different link_layer properties mlx5_0 -> 1, mlx5_3 -> "
     "2"},
    {"ib-libibverbs", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "Failed to open libibverbs.so", NULL,
     "The library for InfiniBand and RoCE (libibverbs) could not be loaded, so NCCL itself cannot use such NICs.",
     "If the host has such NICs, install rdma-core (libibverbs1, ibverbs-providers) in the image.",
     "Failed to open libibverbs.so[.1]"},
    {"peermem-missing", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "GPU Direct RDMA Disabled for HCA", "(no module)",
     "GPUDirect RDMA is off, because the kernel module nvidia-peermem (nv_peer_mem) is not loaded. Data crosses host "
     "memory.",
     "Run `modprobe nvidia-peermem` on the host, or use a driver and kernel with DMA-BUF.",
     "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0' (no module)"},
    {"sharp-init", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "SHARP coll init error", NULL,
     "NCCL could not start a SHARP job, so it does not reduce in the network.", ORR_SHARP,
     "NET/IB :SHARP coll init error: Cannot create SHArP job(-11)"},
    {"collnet-off", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "Cannot initialize CollNet", NULL,
     "NCCL reduces on the GPUs, because reduction in the network (CollNet) could not start. The job goes on.",
     ORR_SHARP, "Cannot initialize CollNet, using point-to-point network instead"},
    /* Counters of ethtool -S and of hw_counters, if they are not 0. */
    {"nic-discards", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "x_discards_phy: ", "1|2|3|4|5|6|7|8|9",
     "The NIC has dropped packets because its buffers were full.", ORR_LOSSLESS, "rx_discards_phy: 1839205"},
    {"pfc-off", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "enabled 0 0 0 0 0 0 0 0", NULL,
     "No priority of this NIC has flow control (PFC).",
     "If RoCE drops packets (`ethtool -S INTERFACE | grep discard` grows during a job), turn PFC on for the priority "
     "of NCCL_IB_TC, here and on the switches: `mlnx_qos -i INTERFACE --pfc 0,0,0,1,0,0,0,0` does so for priority 3.",
     "enabled     0   0   0   0   0   0   0   0"},
    {"mtu-refused", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "essage too long, mtu", NULL,
     "A packet of this size does not fit the MTU of an interface here or on the way.",
     "If the hosts should send such packets, give their interfaces and the switches between them one larger MTU.",
     "ping: local error: message too long, mtu=1500"},
    {"rdma-out-of-order", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "out_of_sequence", "1|2|3|4|5|6|7|8|9",
     "RDMA packets came out of order or were lost on the way.", ORR_LOSSLESS,
     "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:582913"},
    {"ofi-unreachable", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI", "nreachable remote|nresponsive receiver",
     "EFA does not reach the other host.",
     ORR_EFA_GROUP " If the hosts are in different availability zones, EFA does not join them. If the job ran for a "
                   "while before, the process there is gone or hangs: look for an earlier error of the other host.",
     "NET/OFI Request completed: Error: 4121 (unresponsive receiver)"},
    {"ofi-operation", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI", "completed with error",
     "A transfer of the libfabric network failed.",
     "Look for an earlier error of the other host. " ORR_EFA_GROUP " " ORR_EFA_ALIKE,
     "NET/OFI Operation with NULL context completed with error"},
    {"ofi-remote-address", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI Unable to insert remote address", NULL,
     "Amazon's plugin could not use the address of the other host.", ORR_EFA_ALIKE " " ORR_EFA_GROUP,
     "NET/OFI Unable to insert remote address into address vector for device 1. RC: -22"},
    {"ofi-init", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/OFI aws-ofi-nccl initialization failed", NULL,
     "The libfabric plugin could not start, and NCCL goes on with another network.",
     "A line \"NET/OFI\" before it may say why. If `fi_info -p efa` works on the host and not in the container, the "
     "container lacks /dev/infiniband/uverbs*.",
     "NET/OFI aws-ofi-nccl initialization failed"},
    {"ofi-provider", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/OFI Only EFA provider is supported", NULL,
     "The plugin refuses a libfabric provider other than EFA.",
     "Set FI_PROVIDER=efa, and check `fi_info -p efa` on the host.", "NET/OFI Only EFA provider is supported"},
    {"ofi-no-data", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "fi_getinfo() call failed", "No data available", ORR_OFI_NO_DEVICE,
     "NET/OFI OFI fi_getinfo() call failed: No data available"},
    {"ofi-none", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/OFI",
     "No eligible providers were found|Couldn't find any optimal provider", ORR_OFI_NO_DEVICE,
     "NET/OFI No eligible providers were found"},
    {"ofi-registration", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI Unable to register memory", NULL,
     "The libfabric plugin could not register a buffer.",
     "If `ulimit -l` in the job itself is not unlimited, raise it (memlock). On AWS with NCCL 2.19 or newer: if the "
     "EFA installer is older than 1.29, update it, or set FI_EFA_SET_CUDA_SYNC_MEMOPS=0.",
     "NET/OFI Unable to register memory (type = 2) for device 0. RC: -12, Error: Cannot allocate memory"},
    {"libfabric-gdrcopy", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "gdrcopy_dl_hmem_init failed", NULL,
     "libfabric runs without gdrcopy. Small messages may be slower; nothing fails.",
     "Install gdrcopy if latency matters.",
     "0: libfabric:1234:1669::core:core:cuda_gdrcopy_hmem_init():85<warn> gdrcopy_dl_hmem_init failed!"},
    {"ucx-transport", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ucp_context.c", "not available",
     "UCX, which MPI uses and NCCL does not, found no InfiniBand device.",
     "If NCCL finds none either (\"NET/IB : No device found\"), look at /dev/infiniband in the container.",
     "[16.1] [host:1:0]    ucp_context.c:772  UCX  WARN  transport 'rc' is not available"},
    {"ucx-error", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "UCX ", " ERROR ",
     "UCX, which MPI uses and NCCL does not, reports this error.",
     "It says nothing about NCCL, which chooses its own network.",
     "ib_device.c:1380 UCX  ERROR   ibv_create_ah(dlid=49152 sl=0 port=1) for RC DEVX QP connect failed: No such "
     "device"},
    {"ucc-shm", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "TL_SHM ERROR", NULL,
     "UCC, which MPI (HPC-X) uses for its own collectives and NCCL does not, cannot use the shared memory of another "
     "process.",
     "If the processes of a host are in several containers, start these with --ipc=host. `mpirun --mca coll_ucc_enable "
     "0` leaves UCC out, -x UCC_TLS=ucp only its shared memory.",
     "tl_shm_team.c:617  TL_SHM ERROR Child failed to attach to shmseg, errno: Invalid argument"},
    {"net-init", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "Failed to initialize NET plugin", NULL,
     "This network could not start on the host, so NCCL tried the next one.",
     "If the host has such NICs, check ibv_devinfo and access to /dev/infiniband.",
     "Failed to initialize NET plugin IB"},
    {"net-none", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "Failed to initialize any NET plugin", NULL,
     "NCCL could use none of the networks that it was allowed to try.",
     "If NCCL_NET or NCCL_NET_PLUGIN is set, run once without it. If NCCL_SOCKET_IFNAME is set, it must name an "
     "interface that is up here (`ip -br addr`).",
     "Failed to initialize any NET plugin"},
    {"net-not-found", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "Error: network ", " not found",
     "NCCL_NET names a network that is missing.", "Unset NCCL_NET, or install the plugin that provides this network.",
     "Error: network Libfabric not found."},
};
ORR_LOG_FAMILY(network);
