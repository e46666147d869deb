/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about InfiniBand, RoCE, SHARP and Amazon's plugin. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

/* The number after "status=" or "error" is that of enum ibv_wc_status. */
/* Meaning and advice of two messages of aws-ofi-nccl. */
#define ORR_EFA_FAILED                                                                                                 \
    "A transfer of the libfabric network failed.",                                                                     \
        "Look for an earlier error of the other host. On AWS (EFA) the security group must allow all traffic from "    \
        "and to itself by its id (0.0.0.0/0 does not cover EFA); driver, libfabric and plugin must be of one release."

const struct orr_log_message orr_log_messages_network[] = {
    {"ib-retry-exceeded", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion",
     "status=12 |error 12|RETRY_EXC_ERR(12)",
     "The other end of an RDMA connection did not answer in time (retry counter exceeded). If every attempt fails from "
     "the start, the two NICs cannot reach each other; later, the link or a switch drops packets, or the other process "
     "is gone.",
     "Look first for an earlier error of the peer that the line names. Check that link with ibstat and perfquery "
     "(RoCE: also the GID index NCCL_IB_GID_INDEX, the MTU of hosts and switches, PFC and ECN). NCCL_IB_TIMEOUT=22 and "
     "NCCL_IB_RETRY_CNT=7 only bridge short interruptions.",
     "NET/IB : Got completion from peer 10.0.0.2<55921> with status=12 opcode=1 len=0 vendor err 129 (Send) localGid "
     "::ffff:10.0.0.1 remoteGids::ffff:10.0.0.2"},
    {"ib-rnr-exceeded", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion",
     "status=13 |error 13,|RNR_RETRY_EXC_ERR",
     "The other end had no receive buffer ready for too long (RNR retry counter exceeded).",
     "Look for an error or a stopped process on the peer that the line names.",
     "NET/IB : Got completion from peer 10.0.0.2<36315> with status=13 opcode=0 len=0 vendor err 135 (Recv)"},
    {"ib-local-length", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion", "status=1 |error 1,|LOC_LEN_ERR",
     "A message was longer than the receive buffer (local length error). Mostly ranks do not agree on the size of an "
     "operation, or the ports of the hosts have a different MTU.",
     "Check that all ranks call the same operations with the same counts, that all hosts run the same NCCL and plugin, "
     "and `ibv_devinfo | grep active_mtu` on all hosts.",
     "NET/IB : Got completion with error 1, opcode 0, len 0, vendor err 105"},
    {"ib-local-protection", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion", "status=4 |error 4,|LOC_PROT_ERR",
     "The NIC was not allowed to read or write the local buffer (local protection error), mostly GPU memory that PCIe "
     "ACS or the IOMMU keeps from it.",
     "Run once with NCCL_NET_GDR_LEVEL=LOC: if the job then works, it is GPUDirect RDMA. Then turn PCIe ACS off, boot "
     "with iommu=pt, and check that nvidia-peermem or DMA-BUF matches the driver. If not, check that the application "
     "does not free buffers while NCCL uses them.",
     "NET/IB : Got completion from peer 10.0.0.2<36315> with status=4 opcode=0 len=0 vendor err 81 (Send)"},
    {"ib-flushed", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "Got completion",
     "status=5 |error 5,|error 5 |WR_FLUSH_ERR",
     "The request was dropped, because its connection had already failed (work request flushed).",
     "Look for the first error of this connection, here or on the peer.",
     "NET/IB : Got completion from peer 10.0.0.2<36315> with status=5 opcode=0 len=0 vendor err 249 (Recv)"},
    {"ib-remote-access", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion",
     "status=10 |error 10,|REM_ACCESS_ERR|status=9 |error 9,|REM_INV_REQ_ERR",
     "The other end refused access to its buffer (remote access error).",
     "Look for an earlier error on the peer. Check that both hosts use the same NIC settings and driver versions, and "
     "that NCCL_IB_HCA names NICs that can reach one another.",
     "NET/IB: Got completion from peer 10.0.0.2<36315> with status=IBV_WC_REM_ACCESS_ERR(10) opcode=IBV_WC_SEND(0)"},
    {"ib-remote-operation", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion", "status=11 |error 11,|REM_OP_ERR",
     "The other end could not complete the operation (remote operation error).",
     "Look for an error on the peer that the line names, such as a NIC error in its kernel log (dmesg).",
     "NET/IB : Got completion from peer 10.0.0.2<36315> with error 11, opcode 0, len 0, vendor err 138"},
    {"ib-completion", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Got completion", "status=|error ",
     "An RDMA operation failed. The number is an ibv_wc_status.",
     "Look for an earlier error of the peer that the line names; check NICs and links on both hosts.",
     "NET/IB : Got completion with error 2, opcode 0, len 0, vendor err 104"},
    {"ib-modify-qp", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_modify_qp failed with", NULL,
     "NCCL could not connect two NICs (a queue pair did not change its state). The two ports cannot reach one another, "
     "or their GID, MTU or traffic class does not fit.",
     "Check with ib_write_bw between the same two NICs. RoCE: choose a valid GID index (show_gids, NCCL_IB_GID_INDEX). "
     "Several subnets or rails: set NCCL_CROSS_NIC=0 or exclude NICs with NCCL_IB_HCA. NCCL_IB_DISABLE=1 lets the job "
     "run over TCP meanwhile.",
     "Call to ibv_modify_qp failed with error Invalid argument"},
    {"perftest-qp", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "Failed to modify QP", NULL,
     "ib_write_bw could not connect the two NICs, so the fault is in the RDMA network or its set-up, not in NCCL. The "
     "GID does not exist or does not fit, or the two ports do not reach each other.",
     "Check `show_gids` on both sides: in a container, RoCE needs the NIC's network interface with its address, beside "
     "/dev/infiniband. Give ib_write_bw the index with -x, and ping between these addresses.",
     "Failed to modify QP to RTR"},
    {"verbs-locked", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "ibv_create_", ") failed: Cannot allocate memory",
     "An RDMA library could not create a queue, mostly because the process may lock too little memory: `ulimit -l` is "
     "low, or its container lacks the capability IPC_LOCK. NCCL needs the same.",
     "Print `ulimit -l` where this runs; it must be unlimited. Docker: --cap-add=IPC_LOCK --ulimit memlock=-1; "
     "Kubernetes: capabilities add IPC_LOCK; Slurm: the limits of slurmd.",
     "[host:6:0]    ib_iface.c:823  UCX  ERROR ibv_create_cq(cqe=4096) failed: Cannot allocate memory"},
    {"ib-create-qp", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_create_%w failed", NULL,
     "The NIC or its driver refused a resource, such as a queue pair, a completion queue or a protection domain.",
     "Print `ulimit -l` from the job itself, as a limit on locked memory is the usual reason: it should be unlimited. "
     "If it is, check that rdma-core fits the driver.",
     "Call to ibv_create_cq failed with error Cannot allocate memory"},
    {"perftest-port", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Port number %d state is ", "Down|Init|Armed",
     "The RDMA port is not active, so neither ib_write_bw nor NCCL can use it.",
     "Look at `ibstat`. Polling or Disabled: cable or switch port. Initializing: no subnet manager. A virtual function "
     "(SR-IOV) of InfiniBand also needs GUIDs (`ip link set PF vf N node_guid X`, `port_guid X`) and a subnet manager "
     "with virtualisation (OpenSM: virt_enabled 2).",
     " Port number 1 state is Down"},
    {"vf-guid", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "failed to configure VF", "GUID is not valid",
     "A pod does not start, because its virtual function of an InfiniBand NIC has no valid GUID.",
     "Give the functions GUIDs, each once in the fabric: the SR-IOV operator (linkType: ib) or ib-kubernetes sets "
     "them, or on the host `ip link set PF vf N node_guid X` and `port_guid X`; then bind the function again.",
     "infiniBand SRI-OV CNI failed to configure VF \"VF ib2 GUID is not valid\""},
    {"ib-register-gpu", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_reg_%w failed", "Bad address",
     "The NIC driver could not register GPU memory: nvidia-peermem is not loaded or not of this driver, or the GPU has "
     "no GPUDirect RDMA, such as GeForce.",
     "Check `lsmod | grep nvidia_peermem` and load it, or use a driver and kernel with DMA-BUF. NCCL_NET_GDR_LEVEL=LOC "
     "lets the job run without GPUDirect RDMA.",
     "Call to ibv_reg_mr_iova2 failed with error Bad address"},
    {"ib-register-memory", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_reg_%w failed", "Cannot allocate memory",
     "The NIC driver had no memory to register what NCCL needs. Mostly that is a limit on locked memory, else buffers "
     "that are too large, or kernel and driver.",
     "Print `ulimit -l` from the job itself and, unless it is unlimited, raise it (memlock). Unset NCCL_BUFFSIZE if it "
     "is above its 4 MiB.",
     "Call to ibv_reg_mr_iova2 failed with error Cannot allocate memory"},
    {"ib-register-dmabuf-mr", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_reg_dmabuf_mr failed", NULL,
     "The NIC driver could not register GPU memory by DMA-BUF.",
     "Check that GPU driver, kernel and rdma-core support DMA-BUF; NCCL_DMABUF_ENABLE=0 makes NCCL use nvidia-peermem "
     "instead.",
     "Call to ibv_reg_dmabuf_mr failed with error Operation not supported"},
    {"ib-register", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_reg_%w failed", NULL,
     "The NIC driver could not register memory.",
     "Run once with NCCL_NET_GDR_LEVEL=LOC: if the job then works, it is GPU memory, which needs nvidia-peermem or a "
     "driver with DMA-BUF. If not, print `ulimit -l` from the job itself: it should be unlimited.",
     "Call to ibv_reg_mr_iova2 failed with error Invalid argument"},
    {"ib-register-dmabuf", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "mlx5dv_reg_dmabuf_mr failed", NULL,
     "The NIC driver could not register GPU memory by DMA-BUF.",
     "Check that GPU driver, kernel and rdma-core support DMA-BUF; NCCL_DMABUF_ENABLE=0 makes NCCL use nvidia-peermem "
     "instead.",
     "Call to mlx5dv_reg_dmabuf_mr failed with error Operation not supported"},
    {"mlx5-symbol", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "dlvsym failed on mlx5dv", NULL,
     "The image's rdma-core is older than a function that NCCL can use; NCCL goes on without it.",
     "Nothing, unless the NICs need Data Direct: then install a newer rdma-core in the image.",
     "dlvsym failed on mlx5dv_get_data_direct_sysfs_path - /lib/x86_64-linux-gnu/libmlx5.so: undefined symbol: "
     "mlx5dv_get_data_direct_sysfs_path, version MLX5_1.25"},
    {"ib-async-call", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "ibv_get_async_event failed", NULL,
     "NCCL cannot watch this NIC for errors and port changes. Data transfers do not need it.",
     "In sandboxes such as gVisor the call is not supported; on a plain host update rdma-core and the NIC driver.",
     "Call to ibv_get_async_event failed"},
    {"ib-open-call", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "ibv_open_device failed", NULL,
     "A NIC that is listed could not be opened. NCCL goes on without it.",
     "Give the container access to /dev/infiniband (docker: --device=/dev/infiniband), or check the NIC with "
     "ibv_devinfo.",
     "Call to ibv_open_device failed"},
    {"ib-open-device", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "NET/IB~: Unable to open device", NULL,
     "NCCL cannot use this NIC, because it could not be opened.",
     "Give the container access to /dev/infiniband (docker: --device=/dev/infiniband), or check the NIC with "
     "ibv_devinfo.",
     "NET/IB : Unable to open device mlx5_ib3"},
    {"ib-query-device", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "NET/IB~: Unable to query", NULL,
     "NCCL cannot use this NIC or port, because its driver does not answer.",
     "Check the NIC with ibv_devinfo and the kernel log (dmesg).", "NET/IB : Unable to query port_num 1"},
    {"ib-gid", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_query_gid failed", NULL,
     "The NIC has no GID at the index that NCCL asked for.",
     "List the valid indices with show_gids and set NCCL_IB_GID_INDEX, or unset it so that NCCL chooses one.",
     "Call to ibv_query_gid failed with error Invalid argument"},
    {"ib-post", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ibv_post_send() failed", NULL,
     "The NIC did not accept a send request.", "Check the NIC in the kernel log (dmesg) and with ibv_devinfo.",
     "ibv_post_send() failed with error Cannot allocate memory, Bad WR (nil), First WR 0x7f"},
    {"ib-poll", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Call to ibv_poll_cq() returned", NULL,
     "The NIC stopped answering.", "Check the NIC in the kernel log (dmesg) and its firmware.",
     "Call to ibv_poll_cq() returned -1"},
    {"ib-async-fatal", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: %w async fatal event", NULL,
     "The NIC or one of its connections reported an error that it cannot recover from.",
     "Look at the kernel log (dmesg) of this host for the NIC; replace or reset the NIC if it repeats.",
     "NET/IB : mlx5_0:1 async fatal event on QP (0x7f12): local access violation work queue error"},
    {"ib-async-port", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_ERROR, "NET/IB~: %w Got async event : port error", NULL,
     "The port of this NIC went down while the job ran.",
     "Check cable and switch port (ibstat, mlxlink). The job continues only if the link returns within "
     "NCCL_IB_TIMEOUT.",
     "NET/IB : mlx5_0:1 Got async event : port error"},
    {"ib-async-port-any", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_ERROR, "NET/IB~: Got async event : port error",
     NULL, "The port of a NIC went down while the job ran.",
     "Find the host of these lines; check its cables and switch ports (ibstat, mlxlink, ibqueryerrors: a link that "
     "flaps has a growing LinkDownedCounter). The job continues only if the link returns within NCCL_IB_TIMEOUT.",
     "NET/IB : Got async event : port error"},
    {"ib-async-port-change", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_ERROR, "NET/IB~: %w port event", NULL,
     "The port of this NIC changed its state while the job ran.", "Check cable and switch port (ibstat, mlxlink).",
     "NET/IB : mlx5_0:1 port event: port error"},
    {"ib-async-event", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_WARNING, "NET/IB~: %w Got ", "async event",
     "The NIC reported an event while the job ran.", "Compare with the kernel log (dmesg) of this host at that time.",
     "NET/IB : mlx5_0:1 Got async event : GID table change"},
    {"ib-async-fatal-any", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_ERROR,
     "NET/IB~: Got async event : local catastrophic error", NULL,
     "The NIC failed: its firmware or its hardware stopped.",
     "Look at the kernel log (dmesg | grep mlx5) of this host; reset or replace the NIC.",
     "NET/IB : Got async event : local catastrophic error"},
    {"ib-async-event-any", ORR_FROM_WARN | ORR_FROM_INFO, ORR_WEIGHT_WARNING, "NET/IB~: Got async event", NULL,
     "A NIC reported an event while the job ran.", "Compare with the kernel log (dmesg) of this host at that time.",
     "NET/IB : Got async event : client reregistration"},
    {"ib-collective-mismatch", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: req %*", "collective mismatch",
     "Ranks do not run the same operation: sizes of one message differ between two ranks.",
     "Check that all ranks call the same collectives in the same order with the same counts, and that NCCL_ALGO, "
     "NCCL_PROTO and NCCL_BUFFSIZE are the same on all hosts.",
     "NET/IB : req 0/1 tag 33 peer 10.0.0.2<36315> collective mismatch error, local size 8 remote 4096"},
    {"ib-receive-info", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: req %*", "incorrect receive info",
     "Two ranks do not agree about a receive buffer.",
     "Check that all hosts run the same NCCL and the same plugin with the same settings.",
     "NET/IB : req 0/1 tag 33 peer 10.0.0.2<36315> posted incorrect receive info: size 0 addr 0 rkeys[0]=0"},
    {"ib-no-interface", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: No IP interface found", NULL,
     "NCCL needs an IP interface to connect RDMA NICs, and found none.",
     "Set NCCL_SOCKET_IFNAME to an interface that every host has, such as eth0.", "NET/IB : No IP interface found."},
    {"ib-none", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "NET/IB~: No device found", NULL,
     "NCCL found no usable InfiniBand or RoCE NIC on this host.",
     "If the host has one: check ibv_devinfo, access to /dev/infiniband in the container, and NCCL_IB_HCA.",
     "NET/IB : No device found."},
    {"ib-merge", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/IB~: Trying to merge", NULL,
     "NCCL_NET_FORCE_MERGE asks to fuse NICs that cannot be fused.",
     "Name only NICs of one kind and link layer in NCCL_NET_FORCE_MERGE, or unset it.",
     "NET/IB : Trying to merge multiple devices together with different link_layer properties mlx5_0 -> 1, mlx5_3 -> "
     "2"},
    {"ib-libibverbs", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "Failed to open libibverbs.so", NULL,
     "The library for InfiniBand and RoCE (libibverbs) is not installed, so NCCL uses sockets.",
     "Install rdma-core (libibverbs1) in the image if the host has such NICs.", "Failed to open libibverbs.so[.1]"},
    {"peermem-missing", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "GPU Direct RDMA Disabled for HCA", "(no module)",
     "GPUDirect RDMA is off, because the kernel module nvidia-peermem (nv_peer_mem) is not loaded. Data crosses host "
     "memory.",
     "Run `modprobe nvidia-peermem` on the host, or use a driver and kernel with DMA-BUF.",
     "NET/IB : GPU Direct RDMA Disabled for HCA 0 'mlx5_0' (no module)"},
    {"sharp-init", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "SHARP coll init error", NULL,
     "The switches refused a SHARP job, so NCCL cannot reduce in the network.",
     "Without SHARP this is harmless: NCCL_COLLNET_ENABLE=0 silences it. With SHARP, check the SHARP aggregation "
     "manager (sharp_am) of the fabric.",
     "NET/IB :SHARP coll init error: Cannot create SHArP job(-11)"},
    {"collnet-off", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "Cannot initialize CollNet", NULL,
     "NCCL reduces on the GPUs, because reduction in the network (CollNet) could not start. The job goes on.",
     "NCCL_COLLNET_ENABLE=0 silences it. To use SHARP, check the SHARP daemons of hosts and fabric.",
     "Cannot initialize CollNet, using point-to-point network instead"},
    /* Counters of ethtool -S and of hw_counters, if they are not 0. */
    {"nic-discards", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "x_discards_phy: ", "1|2|3|4|5|6|7|8|9",
     "The NIC has dropped packets because its buffers were full, so flow control did not hold the senders back.",
     "If the number grows during a job, make RoCE lossless: `mlnx_qos -i INTERFACE` must show PFC on for the priority "
     "of NCCL_IB_TC, and the switches must have PFC and ECN for the same one.",
     "rx_discards_phy: 1839205"},
    {"pfc-off", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "enabled 0 0 0 0 0 0 0 0", NULL,
     "No priority of this NIC has flow control (PFC).",
     "RoCE needs it, or ECN, for the priority of NCCL_IB_TC. `mlnx_qos -i INTERFACE --pfc 0,0,0,1,0,0,0,0` turns it on "
     "for priority 3.",
     "enabled     0   0   0   0   0   0   0   0"},
    {"mtu-refused", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "essage too long, mtu", NULL,
     "A packet of this size does not pass the path between the hosts.",
     "Give interfaces and switches on the way one MTU.", "ping: local error: message too long, mtu=1500"},
    {"rdma-out-of-order", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "out_of_sequence", "1|2|3|4|5|6|7|8|9",
     "RDMA packets came out of order or were lost on the way, and were sent again, which costs bandwidth.",
     "If the number grows during a job, make RoCE lossless: `mlnx_qos -i INTERFACE` must show PFC on for the priority "
     "of NCCL_IB_TC, and the switches must have PFC and ECN for the same one.",
     "/sys/class/infiniband/mlx5_0/ports/1/hw_counters/out_of_sequence:582913"},
    {"ofi-unreachable", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI", "nreachable remote|nresponsive receiver",
     "EFA does not reach the other host. If every run fails so at its start, mostly the security group blocks it; "
     "later, the process there is mostly gone.",
     "Check the security group: it must allow all traffic from and to itself by its id, both ways (addresses such as "
     "0.0.0.0/0, or TCP alone, do not cover EFA). Then look for an earlier error of the other host.",
     "NET/OFI Request completed: Error: 4121 (unresponsive receiver)"},
    {"ofi-request", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI Request %*", "completed with error", ORR_EFA_FAILED,
     "NET/OFI Request 0x7f1c completed with error. RC: 5. Error: 21 (unknown error). Completed length: 0"},
    {"ofi-operation", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI Operation", "completed with error",
     ORR_EFA_FAILED, "NET/OFI Operation with NULL context completed with error"},
    {"ofi-remote-address", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI Unable to insert remote address", NULL,
     "Amazon's plugin could not use the address of the other host: the hosts do not use the same plugin and libfabric, "
     "or the security group blocks EFA.",
     "Use one EFA installer on all hosts. The security group must allow all traffic from and to itself by its id, in "
     "both directions.",
     "NET/OFI Unable to insert remote address into address vector for device 1. RC: -22"},
    {"ofi-init", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/OFI aws-ofi-nccl initialization failed", NULL,
     "The libfabric plugin could not start, mostly because it found no device that it can use. NCCL goes on with "
     "another network.",
     "A line \"NET/OFI\" before it may say why. On AWS check `fi_info -p efa` on the host, and that the container has "
     "/dev/infiniband/uverbs*.",
     "NET/OFI aws-ofi-nccl initialization failed"},
    {"ofi-provider", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/OFI Only EFA provider is supported", NULL,
     "The plugin refuses a libfabric provider other than EFA.",
     "Set FI_PROVIDER=efa, and check `fi_info -p efa` on the host.", "NET/OFI Only EFA provider is supported"},
    {"ofi-no-data", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "fi_getinfo() call failed", "No data available",
     "libfabric found no device that the plugin can use: the container lacks /dev/infiniband, or the host has no EFA "
     "or other RDMA NIC.",
     "Check `fi_info -p efa` in the container and on the host, and request the devices for the pod "
     "(vpc.amazonaws.com/efa).",
     "NET/OFI OFI fi_getinfo() call failed: No data available"},
    {"ofi-none", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/OFI No eligible providers were found", NULL,
     "The libfabric plugin found no provider that it can use.",
     "Check `fi_info` on the host and access to the devices in the container.",
     "NET/OFI No eligible providers were found"},
    {"ofi-optimal", ORR_FROM_ALL, ORR_WEIGHT_ERROR, "NET/OFI Couldn't find any optimal provider", NULL,
     "The libfabric plugin found no provider that it can use.",
     "Check `fi_info` on the host and access to the devices in the container.",
     "NET/OFI Couldn't find any optimal provider"},
    {"ofi-registration", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NET/OFI Unable to register memory", NULL,
     "The libfabric plugin could not register a buffer: mostly the limit on locked memory is too low, or libfabric is "
     "too old.",
     "`ulimit -l` in the job should be unlimited. On AWS with NCCL 2.19 or newer install EFA 1.29 or newer, or set "
     "FI_EFA_SET_CUDA_SYNC_MEMOPS=0. `fi_info -p efa -t FI_EP_RDM` shows whether the driver supports GPUDirect RDMA.",
     "NET/OFI Unable to register memory (type = 2) for device 0. RC: -12, Error: Cannot allocate memory"},
    {"libfabric-gdrcopy", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "gdrcopy_dl_hmem_init failed", NULL,
     "libfabric runs without gdrcopy. Small messages may be slower; nothing fails.",
     "Install gdrcopy if latency matters.",
     "0: libfabric:1234:1669::core:core:cuda_gdrcopy_hmem_init():85<warn> gdrcopy_dl_hmem_init failed!"},
    {"ucx-transport", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ucp_context.c", "not available",
     "UCX (MPI) found no InfiniBand device. NCCL does not use UCX, but it will probably not find the device either.",
     "Check access to /dev/infiniband in the container.",
     "[16.1] [host:1:0]    ucp_context.c:772  UCX  WARN  transport 'rc' is not available"},
    {"ucx-error", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "UCX ", " ERROR ",
     "UCX, which MPI uses and NCCL does not, reports this error.",
     "It says nothing about NCCL, which chooses its own network.",
     "ib_device.c:1380 UCX  ERROR   ibv_create_ah(dlid=49152 sl=0 port=1) for RC DEVX QP connect failed: No such "
     "device"},
    {"ucc-shm", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "TL_SHM ERROR", NULL,
     "UCC, which MPI (HPC-X) uses for its own collectives and NCCL does not, cannot use shared memory: it treats "
     "containers of one host as one, and they share no segments.",
     "Leave UCC out (mpirun --mca coll_ucc_enable 0), or without its shared memory (-x UCC_TLS=ucp), or start the "
     "containers of a host with --ipc=host.",
     "tl_shm_team.c:617  TL_SHM ERROR Child failed to attach to shmseg, errno: Invalid argument"},
    {"net-init", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "Failed to initialize NET plugin", NULL,
     "This network found no device, so NCCL tried the next one.",
     "If the host has such NICs, check ibv_devinfo and access to /dev/infiniband.",
     "Failed to initialize NET plugin IB"},
    {"net-none", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "Failed to initialize any NET plugin", NULL,
     "NCCL could use none of the networks that it was allowed to try.",
     "Check NCCL_NET, NCCL_NET_PLUGIN, NCCL_SOCKET_IFNAME and that the host has an interface that is up.",
     "Failed to initialize any NET plugin"},
    {"net-not-found", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "Error: network ", " not found",
     "NCCL_NET names a network that is missing.", "Unset NCCL_NET, or install the plugin that provides this network.",
     "Error: network Libfabric not found."},
};
ORR_LOG_FAMILY(network);
