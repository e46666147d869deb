/* SPDX-License-Identifier: Apache-2.0 */
/* The table of questions in words. What a row says is from NCCL's documentation, its source (docs/nccl) or its
 * developers; tests/questions names the public thread of each. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

#include "engine/symptoms/finding.h"

const struct orr_asked orr_asked_rows[] = {
    {"ucx-error", " ucx error ",
     "UCX, which MPI uses and NCCL itself does not, reports an error; NCCL may not have started.",
     "Check: with NCCL_DEBUG=INFO, a job that reached NCCL prints lines with \"NCCL INFO\".",
     "Let MPI use TCP: `mpirun --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include INTERFACE`, or UCX_TLS=tcp. "
     "NCCL chooses its network independently of MPI."},
    {"asked-link", "nvlink&channel|threadblock|nchannels&use|spread| all |map|each |through&!error|counter|active",
     "The hardware spreads the data between two GPUs over all their NVLinks, and NCCL cannot choose one: a channel is "
     "not tied to an NVLink. A single channel cannot fill them all.",
     "Check: `nvidia-smi nvlink -gt d` before and after a run counts the data of each NVLink.",
     "Fewer channels only use less of the NVLinks' bandwidth."},
    {"asked-link",
     "nvlink&instead of|only |eoretical| why&gb&!active|inactive|error;nvswitch&should|lower than|only |expect&gb",
     "Part of what an NVLink carries is not data, so NCCL counts 20 of the 25 GB/s of an A100's NVLink (12 of them: "
     "240, not 300 GB/s), 20.6 of an H100's (18: 370, not 450) and 40.1 of the 50 of a B200's (18: 722, not 900). Data "
     "sheets count both directions.",
     "Check: `orrery predict --machine dgx-a100` or dgx-h100 prints what nccl-tests should show.",
     "No setting changes this. On Hopper and newer, AllReduce with NVLink SHARP exceeds these figures."},
    {"asked-rails", "nccl_cross_nic&what | or |expect|mean|should;rail&optimized|optimization|topology&nccl",
     "NCCL does not detect the network between hosts: NCCL_CROSS_NIC says what NCCL may do. With 0, rings and trees "
     "enter and leave a host by the same NIC, which usually keeps them on its rail but does not guarantee it. 1 lets "
     "them cross. 2, the default, lets them cross only if a search without crossing does not reach the full bandwidth. "
     "PXN sends through the GPU next to the NIC of the destination's rail, so Alltoall mostly stays on rails.",
     "Check: with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH, NCCL prints crossNic, and the NIC of each connection "
     "as \"via NET/IB/N\". If a cluster file gives each NIC a \"rail\", Orrery names rings that leave their rail.",
     "Communicators whose GPUs do not match on all hosts need connections between rails."},
    {"asked-nvls", " 0 nvls channels|no nvls channels|nvls channels are 0|nvls channels is 0|zero nvls channels",
     "NVLink SHARP (NVLS) needs NVSwitches and GPUs of Hopper or newer, before 2.28.7 at least three of them. On A100 "
     "and older GPUs, and without NVSwitches, NCCL correctly has 0 NVLS channels and uses rings and trees over NVLink.",
     "Check: `nvidia-smi -L` names the GPUs; `nvidia-smi topo -m` must show NV# between all of them.",
     "If the GPUs are of Hopper or newer, check the Fabric Manager, and that NCCL_NVLS_ENABLE is not 0."},
    {"asked-gid-index",
     "nccl_ib_gid_index&not support array|for mlx5_|each hca|each nic|per hca|per nic&and |differ|own |array|support",
     "NCCL_IB_GID_INDEX is one number for all NICs of a process, and cannot differ between them. Since 2.21 NCCL finds "
     "the index of each NIC itself: leave NCCL_IB_GID_INDEX unset.",
     "Check: `show_gids` lists an IPv4 address with RoCE v2 for each NIC.",
     "Among several GIDs, NCCL_IB_ADDR_FAMILY, NCCL_IB_ADDR_RANGE (a subnet) and NCCL_IB_ROCE_VERSION_NUM choose."},
    {"asked-gid-pod", " gids &zero|empty|0000 0000 0000 0000 0000 0000 0000&roce|rdma|hca|mlx5|pod",
     "RoCE makes its GIDs from the addresses of the NIC's own network interface, which must be in the same network "
     "namespace: a pod that has only the cluster's network (calico, cilium) gets the RDMA device without GIDs. "
     "InfiniBand needs no such interface.",
     "Check in the pod: `ip -br addr` must list an interface of the NIC with an address, `show_gids` a GID for it.",
     "Give the pod an interface of each NIC (Multus with macvlan, SR-IOV or host-device), or use hostNetwork: true."},
    {"asked-factor", "algbw&busbw|bus bandwidth&difference between",
     "algbw is size / time. busbw is algbw times a factor, so that it can be compared with the speed of the links "
     "whatever the number of ranks n: 2(n-1)/n for AllReduce, (n-1)/n for AllGather, ReduceScatter and Alltoall, 1 for "
     "Broadcast and Reduce. With 8 ranks, an AllReduce of 100 GB/s algbw has 175 GB/s busbw.",
     "Check: PERFORMANCE.md of nccl-tests derives the factors.",
     "Compare busbw with the links; use algbw for the time that a collective takes."},
    {"asked-bus",
     "busbw|bus bandwidth&higher than|greater than|exceed|as high as|reflect|above &nic|network|hardware|line rate|"
     "link&!memory;tree&ring&two |2 node|2 dgx|only 2&tree is|tree better|tree faster|why tree|tree has|tree reach|"
     "tree perform",
     "On 2 hosts the bus bandwidth of AllReduce may exceed that of the NICs: its factor 2(n-1)/n stands for a ring, "
     "and trees and NVLink SHARP send less over the network. From 4 hosts on, the NICs limit it.",
     "Check: with NCCL_ALGO=Ring, the bus bandwidth stays below the total of the NICs.",
     "Say how many GPUs each host has, and how many NICs of which speed. Orrery then computes what to expect."},
    {"asked-shared-switch", "number of gpus|more gpus|adding&decreas|drop|degrad|lower|slower+pcie switch|pci switch",
     "GPUs and NICs below one PCIe switch share its links. With one GPU per host, a ring only goes from NIC to GPU to "
     "NIC; with more, each GPU's link also carries the ring inside the host, so the PCIe links limit, not the network. "
     "A few percent less is normal.",
     "Check: if it falls to half, traffic goes up to the CPU: `sudo lspci -vvv | grep -i acsctl` (SrcValid+: ACS is "
     "on), and `nvidia-smi topo -p2p r` must say OK.",
     "Paste `nvidia-smi topo -m` with the results, and Orrery computes what to expect."},
    {"asked-network-of-three",
     "three &server|node|machine|host&drop|degrad|half|poor|slow&two |pairs&bandwidth|busbw|performance|gb s",
     "If every pair of hosts is fast and three are slow, the switches between them lose bandwidth: with two hosts each "
     "NIC talks to one peer, with more, flows meet on uplinks (ECMP puts several on one) and at ports.",
     "Check: counters of drops and pauses on the switches and `ethtool -S` of the NICs during a run.",
     "Keep each NIC number on one rail or switch, try NCCL_IB_QPS_PER_CONNECTION=4 with NCCL_IB_SPLIT_DATA_ON_QPS=0, "
     "which gives ECMP more flows, and remove NCCL_CROSS_NIC."},
    {"asked-unstable",
     "unstable|fluctuat|jitter|occasionally|varies|inconsistent&bandwidth|busbw|bus bw|performance|latency&nccl|"
     "all_reduce|allreduce|all reduce|alltoall|collective&!one host|one node|single",
     "A collective is as fast as its slowest rank and link, so with many hosts one of them, or a moment of congestion, "
     "lowers every run. NCCL itself does the same each time.",
     "Check: run on halves of the hosts, then on halves of the slow half, until one host or pair of switches is left; "
     "look at drops and pauses of the switches, and at clocks with `nvidia-smi -q -d CLOCK,PERFORMANCE`.",
     "`orrery predict --machine TYPE --hosts N`, also with --set NCCL_ALGO=Ring, says what a quiet network gives."},
    {"asked-hosts",
     "bandwidth|busbw&number of |more nodes|gpus per node&node|machine|host|gpu&depend|relat|increase|fall|drop|lower|"
     "half|same|grow;bandwidth&4 gpus&8 gpus;multi node|two node|2 node|inter node&half|drop|lower&bandwidth|busbw|"
     "bus bw&single|intra|4 nic|nics per",
     "Between hosts the NICs limit bus bandwidth, not the number of GPUs or hosts: it is the sum of the NICs that the "
     "job's GPUs of one host use, so half of the GPUs may reach half of it. On 2 hosts, trees and NVLink SHARP may "
     "exceed that. If bus bandwidth falls further from 4 to 6 to 8 hosts, the network blocks or drops data.",
     "Check: with NCCL_ALGO=Ring, 2 and 4 hosts should have the same bus bandwidth; test pairs of hosts.",
     "Say how many GPUs each host has, and how many NICs of which speed. Orrery then computes what to expect."},
    {"asked-newer-slower",
     "drop|regress|degrad|slower|decrease|worse&version|from v2| v2 | 2 1| 2 2&nccl| ring|upgrad|newer|between&"
     "bandwidth|busbw|performance|latency|allreduce|all reduce|alltoall&!loss",
     "Releases differ in algorithms and channels, so one may choose another algorithm or fewer NICs on a machine.",
     "Check: compare both releases' logs with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING: \"coll channels\", "
     "the bandwidths of \"Pattern\", and which NICs \"via NET/IB/N\" names.",
     "With the dump (NCCL_TOPO_DUMP_FILE), `orrery scaling --release OLD --against NEW topo.xml` says what each should "
     "reach. NCCL_ALGO=Tree or NVLS shows whether the choice is the cause."},
    {"asked-chosen",
     "algorithm|protocol&print|find out|indicator|how can i see|how to see|know which|know the|see which|log&chosen|"
     "chose|selected|picked&nccl|ring|allreduce",
     "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints the choice for each operation, such as \"AllReduce: 1048576 "
     "Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..7}\" (2.19 on, before 2.24 without channels). NCCL chooses "
     "by size, so one run uses several.",
     "Check: \"N coll channels\" in the lines of INIT is the number of channels.",
     "`orrery predict --machine TYPE` prints the algorithm for each size without a run."},
    {"asked-algorithm",
     " ring&tree&when |which is|superior|whether;algorithm|topologies| ring | tree &how do|when do|how to choose&nccl&"
     "select|choose|decide|pick",
     "NCCL has no fixed threshold: for each operation and size it estimates the time of every algorithm and protocol "
     "that may run, latency plus size / bandwidth, and takes the shortest. Trees, only for AllReduce, have the lower "
     "latency over many hosts, and rings the higher bandwidth. NCCL_ALGO lists the algorithms that are allowed; their "
     "order has no meaning.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints each choice.",
     "`orrery predict --machine TYPE --hosts N` prints the algorithm for each size; docs/nccl/tuning.md says how."},
    {"asked-memory",
     "communicator|process group|alltoall|all to all|memory of nccl|nccl take|nccl use|consumption of nccl|nccl consum|"
     "nccl memory&memory&usage|consum|more |much|large|reduce|how |oom|out of&!symmetric|model need|host |gradients",
     "Each communicator has buffers of its own, for every channel and every connected peer: 4 MiB (NCCL_BUFFSIZE) for "
     "Simple, 4.7 MiB for LL128 and 0.5 MiB for LL. Memory grows with channels and communicators, but from 2 hosts on "
     "hardly with the number of GPUs. Only send, receive and Alltoall add buffers for each peer.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ALLOC prints each allocation.",
     "Use fewer communicators, or ncclCommSplit() with splitShare=1, which shares the buffers. Fewer channels "
     "(NCCL_MAX_CTAS, NCCL_MAX_P2P_NCHANNELS for send and receive) or a smaller NCCL_BUFFSIZE cost bandwidth."},
    {"asked-ctas", "max_ctas|maxctas|maxcta |max cta&nchannels|maxchannels|channels&equivalent|same|difference|how|why",
     "Nearly: each channel is one CTA. NCCL_MAX_CTAS (2.17 on) limits all channels, NCCL_MAX_NCHANNELS those of rings "
     "and trees. maxCTAs in ncclConfig_t is the same for one communicator.",
     "Check: \"N coll channels\" in the log with NCCL_DEBUG=INFO.",
     "Send and receive have a limit of their own, NCCL_MAX_P2P_NCHANNELS."},
    {"asked-p2p-channels",
     "nchannels|max_ctas|grid&sendrecv|send recv|alltoall|all2all|all to all|all_to_all|ncclsend;ncclsend|sendrecv&"
     "grid|more than 1 sm|number of sm|channels",
     "NCCL_MAX_NCHANNELS is for rings and trees. Send and receive, and so Alltoall, have NCCL_MAX_P2P_NCHANNELS, and "
     "NCCL rounds their channels up to a power of two; NVLink SHARP has NCCL_NVLS_NCHANNELS.",
     "Check: \"N coll channels, N nvls channels, N p2p channels, N p2p channels per peer\" with NCCL_DEBUG=INFO.",
     "NCCL_NCHANNELS_PER_NET_PEER is the number for each peer over the network."},
    {"asked-dynamic", "nchannels|maxctas|sm number&dynamic|at runtime|per communicator|in the program",
     "The number of channels belongs to a communicator and is set when it is made: minCTAs and maxCTAs in "
     "ncclConfig_t. Operations that need another number need another communicator.",
     "Check: \"N coll channels\" of each communicator with NCCL_DEBUG=INFO.",
     "ncclCommSplit() with splitShare=1 makes a communicator that has other limits and shares the resources."},
    {"asked-sm", "channel|nccl kernel| cta& sm | sms | sm?",
     "A channel is one block of threads (a CTA), which occupies an SM until the operation ends, and does not share it "
     "with compute kernels. An operation uses at most as many SMs as the communicator has channels.",
     "Check: \"N coll channels\" and \"N p2p channels\" with NCCL_DEBUG=INFO.",
     "NCCL_MAX_CTAS, or maxCTAs of one communicator, leaves more SMs to computation and costs bandwidth; send and "
     "receive have NCCL_MAX_P2P_NCHANNELS."},
    {"asked-few-channels", "channels&small|not large|less data|data volume|message size&nccl&use|utilize|fewer|limit",
     "A small operation uses fewer channels, because each channel needs enough data to be worth its latency.",
     "Check: \"channel{Lo..Hi}={0..1}\" of NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING (2.24 on).",
     "NCCL_MIN_CTAS raises the number of channels that are made, not those that a small operation uses."},
    {"asked-cumem", "cumem| uds & hang|stuck|deadlock|never come|never start",
     "With cuMem, ranks of a host exchange memory handles over Unix sockets; NCCL_CUMEM_ENABLE=0 returns to CUDA IPC.",
     "Check: start the job 20 times with NCCL_CUMEM_ENABLE=0; if it never hangs, that exchange is the cause.",
     "Keep NCCL_CUMEM_ENABLE=0 until a newer release works; it also turns symmetric memory and multi-node NVLink off."},
    {"asked-order",
     " send& recv|receive&deadlock|stuck| hang|wait for each&nccl;communicators|two comms|multiple comm|"
     "different streams|two streams|multiple streams&deadlock| hang|stuck|concurrent|simultan|parallel|same time",
     "CUDA does not guarantee that two streams run at the same time, and an operation of NCCL occupies the GPU until "
     "its peers take part. So operations of several communicators, or a send before its receive, can wait forever.",
     "Check: without the second communicator or stream, the hang goes away.",
     "Start operations in the same order on all ranks (since 2.26, NCCL_LAUNCH_ORDER_IMPLICIT=1 keeps the order of the "
     "program), and put a send and its receive between ncclGroupStart() and ncclGroupEnd()."},
    {"asked-ib-disable", "nccl_ib_disable&not work|no effect|ignored|does not disable|does not turn|still use",
     "NCCL_IB_DISABLE=1 turns off NCCL's own InfiniBand and RoCE code. The plugin of HPC-X (IBext) has its own, which "
     "NCCL_IBEXT_DISABLE=1 turns off.",
     "Check: \"Using network\" with NCCL_DEBUG=INFO names the network; IBext is the plugin's.",
     "Set both to 1, or NCCL_NET=Socket."},
    {"asked-networks",
     "ethernet|tcp&infiniband| ib |roce|high speed ib&clusters|different types|mix|at the same time|simultaneous|"
     "automatic selection&!bootstrap",
     "A communicator uses one kind of network, not InfiniBand or RoCE between some hosts and TCP between others.",
     "Check: with NCCL_DEBUG=INFO, \"Using network IB\" or \"Using network Socket\" names the communicator's network.",
     "Make a communicator for each cluster, and one between them whose netName in ncclConfig_t is \"Socket\"; or use "
     "TCP for all with NCCL_NET=Socket."},
    {"asked-vendors", "intel&amd&inconsisten|mixed|same job|different cpu;mixed cpu|different cpu vendor",
     "Up to 2.23.4 each rank chooses algorithms by the vendor of its own CPU (2.18.1 to 2.21.5 also for the overhead "
     "of the network), so hosts with Intel and AMD CPUs can choose differently and hang. From 2.24.3 on ranks agree.",
     "Check: `lscpu | grep Vendor` on each host; NCCL_ALGO=Ring NCCL_PROTO=Simple works if this is the cause.",
     "Update NCCL to 2.24.3 or newer. From 2.18.1 on, NCCL_NET_OVERHEAD=1000 on all hosts may be enough."},
    {"asked-mixed",
     "heterogeneous|different types of gpu|different gpu model|mixed gpu&nccl|allreduce|communicator|node&!cpu|"
     "clusters|ethernet;a100&v100&mix|one job|together|same communicator|heterogeneous",
     "One communicator may have GPUs of different models, with the same NCCL release and kind of network on all hosts. "
     "With A100 and H100 together, 2.18.3 to 2.20.3 could choose different algorithms and hang.",
     "Check: NCCL_DEBUG=INFO on all ranks must show the same release, \"Using network\" and \"coll channels\".",
     "If it hangs, look at the network first: NCCL_SOCKET_IFNAME may list several names, such as eth0,ens3, and "
     "NCCL_IB_DISABLE=1 and NCCL_P2P_DISABLE=1 show which part is at fault."},
    {"asked-mnnvl",
     "mnnvl|multi node nvlink& is a | a node|how |mpirun|support|means&!schedul;nccl&support&nvlink|nvswitch&"
     "inter node|between nodes|across nodes",
     "Multi-node NVLink (MNNVL) joins hosts, each with its own operating system, into one NVLink domain, such as the "
     "18 trays of a GB200 NVL72. Start the job as usual: each process runs on the host of its GPUs.",
     "Check: NCCL_DEBUG=INFO prints \"MNNVL 1\"; `nvidia-smi -q | grep -A4 Fabric` shows the clique.",
     "It needs the IMEX service on all hosts, and /dev/nvidia-caps-imex-channels in containers."},
    {"asked-health-mask", "healthmask 0xaa|health mask 0xaa",
     "healthMask 0xaa means that the fabric reports no fault: it has a pair of bits for each of four faults, and 2 in "
     "a pair means \"no\" (1: \"yes\", 0: not supported). No NVLink is degraded.",
     "Check: `nvidia-smi -q | grep -A12 Fabric` names the four.",
     "Look for the cause elsewhere, for a crash in its backtrace. NCCL_MNNVL_ENABLE=0 rules NVLink between hosts out."},
    {"asked-symmetric",
     "symmetric memory|symmetric kernel|symm mem|commwindowregister&nccl&?| how | support| why | enable| work|"
     " question| plan&!nvshmem|torch symm|non symmetric",
     "Symmetric memory is for GPUs that reach each other's memory: all of one NVLink domain. P2P over PCIe is enough "
     "for its kernels up to 2.28.9 only. Between NVLink domains it needs GIN and 2.29.2 or newer.",
     "Check: `orrery explain --why symmetric` with the machine says what allows or forbids it.",
     "Buffers come from ncclMemAlloc() and are registered by ncclCommWindowRegister() with NCCL_WIN_COLL_SYMMETRIC on "
     "all ranks; nccl-tests has -R 2."},
    {"asked-adaptive",
     "nccl_ib_adaptive_routing&?|how|what|which| sl |nccl_ib_sl|clear; adaptive routing &nccl&service level| sl |"
     "nccl_ib_sl|setting",
     "NCCL_IB_ADAPTIVE_ROUTING does not turn adaptive routing on: it makes NCCL send data so that it may arrive out of "
     "order, with its end in a message of its own (1 on InfiniBand, 0 on RoCE by default). The network routes "
     "adaptively on the service levels for which it is enabled, and NCCL_IB_SL (0 by default) chooses one.",
     "Check: ask the administrator of the subnet manager which service levels have adaptive routing.",
     "Set both: the service level by NCCL_IB_SL, and NCCL_IB_ADAPTIVE_ROUTING=1."},
    {"asked-bond", " bond|bonding|bonded|mlx5_bond&double|half|one port|both ports|qps|twice&roce|rdma|mlx5|nic|port",
     "A queue pair uses one port of a bond, and NCCL makes one for each connection, which gets the speed of one port.",
     "Check: the counters of both ports, such as `ethtool -S INTERFACE | grep bytes`, during a run.",
     "Set NCCL_IB_QPS_PER_CONNECTION=2 or 4 and NCCL_IB_SPLIT_DATA_ON_QPS=0. The driver chooses the port of each."},
    {"asked-ece", " ece |enhanced connection&slow|stable|unsteady|nccl_ib_ece|what is|low ",
     "ECE lets NICs agree on features such as congestion control and selective repeat. NCCL only passes on their "
     "offers: slow or unsteady transfers with ECE are a matter of the NICs' firmware and the switches.",
     "Check: run once with NCCL_IB_ECE_ENABLE=0 (2.23.4 on).",
     "If that is faster, keep it, and update firmware and driver of the NICs to the same release on all hosts."},
    {"asked-buffsize",
     "nccl_buffsize|nccl_chunk_size|_chunksize|_buffsize&?|what|how|optimal|requirement|role|effect|affect|implication|"
     "increas|why|larger",
     "NCCL_BUFFSIZE (4 MiB) is the size of the buffer between two ranks in each channel, a ring of 8 slots: chunks are "
     "1/8 of it, 1/4 for rings. NCCL's developers advise leaving it alone.",
     "Check: run nccl-tests with -c 1 after any change, which finds wrong data.",
     "Use a power of two; for NCCL_LL128_BUFFSIZE, 120 times a power of two. NCCL_CHUNK_SIZE, which is not documented, "
     "can give wrong data above NCCL_P2P_NET_CHUNKSIZE."},
    {"asked-sharp",
     "collnet| sharp &how |what |enable|use sharp|relation|support|not used|?&nccl|infiniband|switch|plugin&"
     "!nvlink sharp|nvls",
     "SHARP in InfiniBand switches (CollNet) needs the plugin nccl-rdma-sharp-plugins (HPC-X has it), SHARP's "
     "aggregation manager in the network, and NCCL_COLLNET_ENABLE=1. It does not work on RoCE. NVLink SHARP (NVLS) is "
     "something else: it works inside an NVLink domain.",
     "Check: \"COLLNET/SHARP\" in the channels of NCCL_DEBUG=INFO, and `ibdiagnet --sharp` for the network.",
     "The plugin is only for SHARP: without it, NCCL's own InfiniBand code does the same."},
    {"asked-pending",
     "list|find|which|know|identify|debug&pending oper|pending nccl|pending coll|lagging|stuck rank|hung rank|"
     "straggler|faulty gpu|faulty rank",
     "NCCL's RAS (2.24 on) lists communicators whose ranks wait for others: run `ncclras` on a host of the job. "
     "PyTorch's flight recorder (TORCH_NCCL_TRACE_BUFFER_SIZE=2000) writes the last collectives of each rank.",
     "Check: look at the rank whose count of operations is lower than those of the others.",
     "NCCL has no function that lists pending operations."},
    {"asked-numa",
     "p2p|peer to peer&across numa|different numa|across socket|different socket|two sockets|across cpu&without|"
     "how does|how is&!numactl;via shm&why|only",
     "Without NVLink, GPUs of different sockets (SYS in the matrix) use no P2P by default: NCCL copies through host "
     "memory, \"via SHM\". On AMD CPUs they do if the host has only two GPUs, and up to 2.22.3 with any number.",
     "Check: `orrery explain --why p2p --from 0 --to 1` with the matrix of `nvidia-smi topo -m` names the rule.",
     "NCCL_P2P_LEVEL=SYS allows P2P there; measure, because the link between the sockets often makes it slower."},
    {"asked-inside",
     "within numa|same switch|same pcie switch|below one pcie switch&slower|half|lower&gpu|nccl|communication",
     "GPUs below one PCIe switch are slower than GPUs of two switches if their data goes up to the CPU and back over "
     "one link: P2P is off, the driver does not offer it, or ACS redirects it.",
     ORR_ACS_CHECK " `nvidia-smi topo -p2p r` shows whether the driver offers P2P.", ORR_ACS_CURE},
    {"asked-spark", "dgx spark| gb10 &gb s|bandwidth|gbps|200g&two|between|cable|qsfp|2 nodes&!memory|10g",
     "A QSFP port of a DGX Spark is two devices on PCIe Gen5 x4 each, so one of them gives at most half of 200 Gb/s. "
     "NCCL_SOCKET_IFNAME chooses only where ranks meet; without RDMA devices NCCL sends over TCP, at a few GB/s.",
     "Check: \"Using network IB\" and \"NET/IB : Using [0]... [1]...\" with NCCL_DEBUG=INFO name both devices.",
     "Name both: NCCL_IB_HCA=rocep1s0f0,roceP2p1s0f0 (see `ibdev2netdev`), and MTU 9000: one cable reached 20 to 24 "
     "GB/s."},
    {"asked-alltoall", "alltoall|all to all|all2all&node|scal|degrad|poor|slow|drop|linear|lower",
     "Alltoall sends to every rank directly: on N hosts, (N-1)/N of the data of a GPU crosses its own NIC, so bus "
     "bandwidth falls towards that of one NIC per GPU (50 GB/s for 400 Gb/s), from far above it on one host. Rings and "
     "trees use other paths, so a good AllReduce says nothing about it.",
     "Check: run sendrecv_perf between two hosts. With many hosts, look at drops and pauses of the switches.",
     "Remove NCCL_NCHANNELS_PER_NET_PEER and chunk sizes from the settings. 2.19 creates fewer channels than 2.18: "
     "NCCL_MIN_P2P_NCHANNELS=32 shows whether that is the cause."},
    {"asked-determinism",
     "determinis|bitwise|same result|results are different|result the same&allreduce|all reduce|all_reduce|reduction&"
     "!benchmark|own cpu",
     "All ranks always get the same result. Between calls, rings and trees give the same bits if ranks, GPUs, size, "
     "release and settings are the same, because the sum keeps its order. With NVLink SHARP, they may differ.",
     "Check: run with NCCL_NVLS_ENABLE=0, which turns NVLink SHARP off.",
     "NCCL_ALGO=Ring or Tree and NCCL_PROTO=Simple fix the algorithm. Trees add fewer terms in a row and round less."},
    {"asked-release",
     "pytorch|torch&nccl version|nccl&own nccl|which nccl|different nccl|upgrade nccl|newer nccl|custom nccl|"
     "system nccl|bundled|change the nccl|libnccl&!tensorflow|jax",
     "PyTorch's wheels bring their own NCCL (the package nvidia-nccl-cu12 or -cu13) and ignore the system's NCCL. The "
     "interface of NCCL is stable, so a newer release can replace it.",
     "Check: `python -c \"import torch; print(torch.cuda.nccl.version())\"`, and \"NCCL version\" with "
     "NCCL_DEBUG=VERSION for what really runs.",
     "`pip install -U nvidia-nccl-cu12`, or LD_PRELOAD=/path/libnccl.so.2 on all ranks."},
    {"asked-framework",
     "sglang|vllm|pytorch|deepspeed|torch&auto detect|automatically|need to install|have to install|have to set|"
     "install nccl&nccl&!tensorflow|jax",
     "PyTorch, and with it vLLM, SGLang and DeepSpeed, brings NCCL and uses it by itself as soon as a job has several "
     "GPUs. Nothing needs to be installed or set.",
     "Check: \"NCCL version\" appears with NCCL_DEBUG=VERSION.",
     "nvidia-nccl-cu12 is the package with the library; only nccl-tests needs NCCL of the system."},
    {"asked-mpi",
     "exception|error|fails|failed|failure|does not work|not working&nccl|node|all_reduce&!no error|without error|"
     " ucx +mpirun",
     "The text does not show the error, so Orrery cannot say whether NCCL or MPI fails.",
     "Check: `mpirun` with the same -np, -H and -mca options and `hostname` as the program shows whether MPI starts.",
     "Then paste what the job prints with -x NCCL_DEBUG=INFO, from its first line on."},
    {"asked-ports",
     "firewall|port range|which ports|open port|tcp port|ip port|listening port&nccl|rank&need|use|listen|open&!switch",
     "NCCL uses free TCP ports of the system to start and for sockets; no setting limits them to a range.",
     "Check: `cat /proc/sys/net/ipv4/ip_local_port_range`.",
     "Limit that range, for example `sysctl -w net.ipv4.ip_local_port_range=\"50000 51000\"`, and open it between the "
     "hosts, together with the port of the launcher (MASTER_PORT)."},
    {"asked-gdr",
     "gdr |gdrdma|gpudirect|gpu direct&how |whether|check|verify|confirm|know if|enabled?|make sure&!storage|nvshmem|"
     " p2p ",
     "\"via NET/IB/0/GDRDMA\" in the channels of NCCL_DEBUG=INFO shows that GPUDirect RDMA is used; without /GDRDMA, "
     "data goes through host memory.",
     "Check: `lsmod | grep nvidia_peermem`, or \"DMA-BUF is available\" in the log, and that GPU and NIC are near: PIX "
     "or PXB in `nvidia-smi topo -m`.",
     "NCCL_NET_GDR_LEVEL=SYS allows it over any distance. `orrery explain --why gdr` names the rule."},
    {"asked-pxn", " pxn &what |how |why |when |disable|enable|mean&!cost|latency|slow",
     "PXN (2.12 on) sends over the NIC next to another GPU of the host: data goes by NVLink to that GPU, which is on "
     "the rail of the destination, so that Alltoall and send need no NIC on another socket and do not cross rails.",
     "Check: \"via NET/IB/N(rank)/GDRDMA\" names the rank whose NIC is used.",
     "NCCL_PXN_DISABLE=1 turns it off; it needs NVLink between the GPUs."},
    {"asked-trees",
     " tree topolog|tree channel|binary tree| trees & send|recv|binary|rank|parent|child|connect|understand|represent&"
     "nccl|log|channel&!model|source tree|bootstrap",
     "\"Trees [0] 3/-1/-1->0->5\" says for channel 0 that rank 0 gets data from rank 3 below it and sends to rank 5 "
     "above it; -1 stands for no rank. There are two trees, so that a rank that is in the middle of one is at the end "
     "of the other. Two ranks that a ring of the channel already connects get no further connection, nor a line.",
     "Check: read the Trees lines of all ranks, not the connections.",
     "`orrery channels` prints the rings and trees of a machine."},
    {"asked-protocol",
     " ll128 &what is|what are|difference|why does|when does|how does|mean&!wrong|corrupt|fail| hang;simple& ll &"
     "protocol|difference",
     "Simple sends large blocks and then a flag: full bandwidth, high latency. LL puts a flag beside every 4 bytes of "
     "data: half the bandwidth, lowest latency. LL128 sends 120 bytes of data in 128, about 94 % of the bandwidth, and "
     "needs hardware that keeps the order of 128 bytes, such as NVLink.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints the protocol of each operation.",
     "Leave NCCL_PROTO unset: a forced LL128 can give wrong data where NCCL does not allow it."},
    {"asked-slow-training",
     "training|fsdp|ddp|deepspeed|finetun&multi node|multiple nodes|two nodes|2 nodes|multi machine&slow&!loader|"
     "checkpoint",
     "Between hosts a job has the NICs' bandwidth, often a tenth of NVLink, so first find out what the network gives.",
     "Check: `mpirun all_reduce_perf -b 1G -e 4G -f 2 -g 1` on the same hosts, and \"Using network\" with "
     "NCCL_DEBUG=INFO: Socket instead of IB or OFI means TCP.",
     "Give the result to `orrery check-perf`. If it is as expected, communicate less: shard within a host (HSDP), "
     "larger batches, or fewer synchronisations."},
    {"asked-proxy", "proxy thread|proxyprogress|proxy progress|proxy h &what|how |role|number|change|why|work",
     "A kernel cannot call a NIC, so each rank has a proxy thread on the CPU: the kernel fills slots of a buffer, and "
     "the thread sends them and posts receives for the next. Another thread serves the set-up of connections. NVLink "
     "and P2P need no such thread while data flows.",
     "Check: `top -H -p PID` shows the threads of a rank.",
     "A communicator has one progress thread per rank, and no setting changes that number."},
    {"asked-profiler",
     "profiler plugin|profile_event_mask|nccl profiler&?|see|only|nothing|missing|how |what |understand&!crash|fault",
     "Events below a collective come from the proxy thread, so only transfers over the network have them: on one host "
     "with P2P there are none. NCCL_PROFILE_EVENT_MASK, which NCCL's example plugin reads, adds up 1 (group), 2 "
     "(collective), 4 (send and receive), 8 (proxy operation), 16 (its steps), 32 (control), 64 (kernel channel).",
     "Check: two ranks on two hosts, or NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 on one, show proxy events.",
     "Kernel channel events (2.26 on) show work inside one host."},
    {"asked-cpu", "nccl&cpu usage|cpu load|cpu utilization|100 cpu|cpu time&!data load",
     "A rank that sends over the network has a proxy thread which polls, and so keeps one core busy while operations "
     "run. NCCL binds it to the cores near its GPU within the affinity of the process.",
     "Check: `top -H -p PID` names the threads (NCCL_SET_THREAD_NAME=1).",
     "Give each rank at least two cores near its GPU (mpirun --bind-to numa or none, not core); "
     "NCCL_IGNORE_CPU_AFFINITY=1 ignores the affinity of the process."},
    {"asked-socket-speed",
     "nsocks_perthread|socket_nthreads;tcp|ethernet|net socket|sockets&nccl&bandwidth|throughput|saturate|gbps&only|"
     "slow|low|half|increase&!roce|rdma|infiniband",
     "One TCP connection rarely fills a fast Ethernet link, and NCCL opens one per thread: NCCL_SOCKET_NTHREADS times "
     "NCCL_NSOCKS_PERTHREAD connections, at most 64, for each pair of ranks and each channel.",
     "Check: `iperf3 -P 1` and `-P 8` between the hosts show one connection and eight.",
     "Try NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4; NICs that can do RoCE are far faster without TCP."},
    {"asked-abort",
     "commabort|comm abort&recover|restart| hang|fault|exit|fails;fault toleran&nccl&how |support|can |handle",
     "A rank that fails leaves the others waiting: NCCL does not end their operations. Each of them has to call "
     "ncclCommAbort() and make a new communicator without the failed rank (ncclCommShrink() from 2.27).",
     "Check: ncclCommGetAsyncError() reports errors of the network; a GPU that merely stops reports none.",
     "Watch it from another thread with a time limit, or make the communicator with blocking=0. PyTorch does that with "
     "TORCH_NCCL_ASYNC_ERROR_HANDLING=1."},
    {"asked-timeout",
     "timeout&take effect|not respected|no effect|not work|ignored&nccl|process group|process_group|distributed|torch&"
     "!slurm",
     "A time limit belongs to each process group of PyTorch: the timeout of init_process_group() does not apply to "
     "groups of new_group(), which have 10 minutes (30 before 2.2) unless they get a timeout, too.",
     "Check: \"Timeout(ms)=600000\" in the watchdog's line is the limit that applied.",
     "Pass a timeout to every new_group() and init_device_mesh(), or set the option of your framework."},
    {ORR_ASKED_LAST,
     " hang| stuck| freez| stalls&nccl|all_reduce|allreduce|training|collective|launch&!queue|hangs around",
     "The text says that something hangs, but not where, so Orrery cannot tell why.",
     "Check: try NCCL_P2P_DISABLE=1 alone, then NCCL_SHM_DISABLE=1, and on several hosts NCCL_IB_DISABLE=1. The one "
     "that ends the hang names the part: P2P (PCIe ACS or the IOMMU), shared memory, or the RDMA network. If none "
     "does, a rank did not call the collective.",
     "Paste what all ranks print with NCCL_DEBUG=INFO, and `nvidia-smi topo -m`."},
    {NULL, NULL, NULL, NULL, NULL},
};
