/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about operations: their bandwidth, algorithms, channels and memory, and operations that wait for others. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

const struct orr_asked orr_asked_operations[] = {
    {"ucx-error", " ucx error ",
     "UCX, which MPI uses and NCCL itself does not, reports an error; NCCL may not have started.",
     "Check: with NCCL_DEBUG=INFO, a job that reached NCCL prints lines with \"NCCL INFO\".",
     "Let MPI use TCP: `mpirun --mca pml ob1 --mca btl tcp,self --mca btl_tcp_if_include INTERFACE`, or UCX_TLS=tcp. "
     "NCCL chooses its network independently of MPI."},
    {"asked-link",
     "nvlinks|nvlink channel|each nvlink|specific nvlink|which nvlink|all nvlink|single nvlink|one nvlink|nvlink "
     "link&channel|threadblock|nchannels&use|spread| all |map|each |through&!counter|active",
     "The hardware spreads the data between two GPUs over all their NVLinks, and NCCL cannot choose one: a channel is "
     "not tied to an NVLink. A single channel cannot fill them all.",
     "Check: `nvidia-smi nvlink -gt d` before and after a run counts the data of each NVLink.",
     "Fewer channels only use less of the NVLinks' bandwidth."},
    {"asked-link",
     "nvlink|nvswitch&instead of 25|eoretical|advertis|data sheet|datasheet|line rate|should|lower "
     "than|nvlink_bw&gb&!active|inactive|container| shm |shared memory|per gpu|fraction|which |bridge",
     "Packets on an NVLink also carry headers, so NCCL counts 20 of the 25 GB/s of an A100's NVLink (12 of them: 240, "
     "not 300 GB/s), 20.6 of an H100's (18: 370, not 450) and 40.1 of the 50 of a B200's (18: 722, not 900). Data "
     "sheets count both directions.",
     "Check: `orrery predict --machine dgx-a100` or dgx-h100 prints what nccl-tests should show.",
     "No setting changes this. On Hopper and newer, AllReduce with NVLink SHARP exceeds these figures."},
    {"asked-nvls", " 0 nvls channel|no nvls channel|nvls channels are 0|nvls channels is 0|zero nvls channels",
     "NVLink SHARP (NVLS) needs NVSwitches and GPUs of Hopper or newer, before 2.28.7 at least three of them. On A100 "
     "and older GPUs, and without NVSwitches, NCCL correctly has 0 NVLS channels and uses rings and trees over NVLink.",
     "Check: `nvidia-smi -L` names the GPUs; `nvidia-smi topo -m` must show NV# between all of them.",
     "If the GPUs are of Hopper or newer, check the Fabric Manager, and that NCCL_NVLS_ENABLE is not 0."},
    {"asked-factor", "algbw&busbw|bus bandwidth&difference between",
     "algbw is size / time. busbw is algbw times a factor, so that it can be compared with the speed of the links "
     "whatever the number of ranks n: 2(n-1)/n for AllReduce, (n-1)/n for AllGather, ReduceScatter and Alltoall, 1 for "
     "Broadcast and Reduce. With 8 ranks, an AllReduce of 100 GB/s algbw has 175 GB/s busbw.",
     "Check: PERFORMANCE.md of nccl-tests derives the factors.",
     "Compare busbw with the links; use algbw for the time that a collective takes."},
    {"asked-bus",
     "busbw|bus bandwidth&higher than|greater than|exceed|as high as|reflect|above &nic|network|hardware|line "
     "rate|link&!memory;tree& ring&better|larger|higher|faster|exceed|outperform|more bandwidth|reach& two | 2 node| 2 "
     "dgx| 2 host| 2 server| 2 machine|only 2;busbw|bus bandwidth&2 node|two node|2 hosts|two hosts&higher|better|more "
     "than&4 node|four|3 node|three|more nodes;falls|drops|decreas|degrad|goes down|but only&2 node|two node|2 "
     "hosts|two hosts&3 node|4 node|6 node|8 node|on 4|to 4|more nodes|three|four&gb s|busbw|bandwidth",
     "On 2 hosts the bus bandwidth of AllReduce may exceed that of the NICs: its factor 2(n-1)/n stands for a ring, "
     "and trees and NVLink SHARP send less over the network. From 4 hosts on, the NICs limit it, unless InfiniBand "
     "SHARP (NCCL_COLLNET_ENABLE=1) lets the switches add the data.",
     "Check: with NCCL_ALGO=Ring, the bus bandwidth stays below the total of the NICs.",
     "Say how many GPUs each host has, and how many NICs of which speed. Orrery then computes what to expect."},
    {"asked-shared-switch",
     "number of gpus|more gpus|adding&fall|decreas|drop|degrad|lower|slower+pcie switch|pci switch",
     "GPUs and NICs below one PCIe switch share its links. With one GPU per host, a ring only goes from NIC to GPU to "
     "NIC; with more, each GPU's link also carries the ring inside the host, so the PCIe links limit, not the network. "
     "A few percent less is normal.",
     "Check: if it falls to half, look whether traffic goes up to the CPU: `sudo lspci -vvv | grep -i acsctl` "
     "(SrcValid+: ACS is on), and `nvidia-smi topo -p2p r` (not OK: no P2P).",
     "Paste `nvidia-smi topo -m` with the results, and Orrery computes what to expect."},
    {"asked-network-of-three",
     "three | 3 node| 3 server| 3 host&server|node|machine|host&drop|degrad|half|poor|slow|only&two "
     "|pairs&nccl|allreduce|all_reduce|bandwidth|busbw|performance|gb s",
     "With NCCL_ALGO=Ring, two and three hosts should be equally fast. If every pair is and three are not, the "
     "switches between them lose bandwidth: with two hosts each NIC talks to one peer, with more, flows meet on "
     "uplinks (ECMP puts several on one) and at ports.",
     "Check: counters of drops and pauses on the switches and `ethtool -S` of the NICs during a run.",
     "If drops or pauses grow, keep each NIC number on one rail or switch, or try NCCL_IB_QPS_PER_CONNECTION=4 with "
     "NCCL_IB_SPLIT_DATA_ON_QPS=0, which gives ECMP more flows. If NCCL_CROSS_NIC is set, run once without it."},
    {"asked-unstable",
     "unstable|fluctuat|jitter|occasionally|varies|inconsistent&bandwidth|busbw|bus "
     "bw|performance|latency&nccl|all_reduce|allreduce|all reduce|alltoall|collective&!one host|one node|single",
     "A collective is as fast as its slowest rank and link, so with many hosts one of them, or a moment of congestion, "
     "lowers every run. NCCL itself does the same each time.",
     "Check: run on halves of the hosts, then on halves of the slow half, until one host or pair of switches is left; "
     "look at drops and pauses of the switches, and at clocks with `nvidia-smi -q -d CLOCK,PERFORMANCE`.",
     "`orrery predict --machine TYPE --hosts N`, also with --set NCCL_ALGO=Ring, says what a quiet network gives."},
    {"asked-hosts",
     "bandwidth|busbw&number of |more nodes|gpus per "
     "node&node|machine|host|gpu&depend|relat|increase|fall|drop|lower|half|same|grow;bandwidth&4 gpus&8 gpus;multi "
     "node|two node|2 node|inter node&half|drop|lower&bandwidth|busbw|bus bw&single|intra|4 nic|nics per",
     "Between hosts the NICs limit bus bandwidth, not the number of GPUs or hosts: it is the sum of the NICs that "
     "the job's GPUs of one host use, so half of the GPUs may reach half of it. On 2 hosts, trees and NVLink SHARP "
     "may exceed that. If AllReduce of 4 GB and more still falls from 4 to 8 hosts, the network blocks or drops "
     "data.",
     "Check: with NCCL_ALGO=Ring, 2 and 4 hosts should have the same bus bandwidth; test pairs of hosts.",
     "Say how many GPUs each host has, and how many NICs of which speed. Orrery then computes what to expect."},
    {"asked-newer-slower",
     "drop|regress|degrad|slower|decrease|worse&version|from v2| v2 | 2 1| 2 2&nccl| "
     "ring|upgrad|newer|between&bandwidth|busbw|performance|latency|allreduce|all reduce|alltoall&!loss",
     "Two releases can choose different transports, algorithms, channels or NICs on one machine.",
     "Check: compare both releases' logs with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH,TUNING: \"via P2P\" or "
     "\"via "
     "SHM\", \"coll channels\", the bandwidths of \"Pattern\", and which NICs \"via NET/IB/N\" names.",
     "With the dump (NCCL_TOPO_DUMP_FILE), `orrery scaling --release OLD --against NEW topo.xml` says what each should "
     "reach. NCCL_ALGO=Tree or NVLS shows whether the choice is the cause."},
    {"asked-chosen",
     "algorithm|protocol&print|verify|find out|indicator|how can i see|how to see|know which|know the|see "
     "which|log&chosen|uses ring|uses tree|uses the|chose|selected|picked&nccl|ring|allreduce&!roce",
     "NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints the choice for each operation, such as \"AllReduce: 1048576 "
     "Bytes -> Algo RING proto SIMPLE channel{Lo..Hi}={0..7}\" (2.19 on, before 2.24 without channels). NCCL chooses "
     "by size, so one run uses several.",
     "Check: \"N coll channels\" in the lines of INIT is the number of channels.",
     "`orrery predict --machine TYPE` prints the algorithm for each size without a run."},
    {"asked-algorithm",
     " ring&tree&when |which is|superior|whether;algorithm|topologies| ring | tree &how do|when do|how to "
     "choose&nccl&select|choose|decide|pick",
     "NCCL has no fixed threshold: for each operation and size it estimates the time of every algorithm and protocol "
     "that may run, latency plus size / bandwidth, and takes the shortest. Trees, only for AllReduce, have the lower "
     "latency over many hosts, and rings the higher bandwidth. NCCL_ALGO lists the algorithms that are allowed; their "
     "order has no meaning.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints each choice.",
     "`orrery predict --machine TYPE --hosts N` prints the algorithm for each size; docs/nccl/tuning.md says how."},
    {"asked-memory",
     "communicator|process group|alltoall|all to all|memory of nccl|nccl take|nccl use|consumption of nccl|nccl "
     "consum|nccl memory&memory&usage|consum|more |much|large|reduce|how |oom|out of&!symmetric|model need|host "
     "|gradients;buffer&channel|proxy thread|each peer|per peer|neighbour|neighbor&shared|share |own "
     "|separate|dedicated|each channel|per channel&!nccl_buffsize|regist|symmetric|split;nvls|nvlink "
     "sharp&memory&usage|consum|oom|save|more |large|how much|increase&!bind",
     "Each communicator has buffers of its own, for every channel and every connected peer: 4 MiB (NCCL_BUFFSIZE) for "
     "Simple, 4.7 MiB for LL128 and 0.5 MiB for LL. Memory grows with channels and communicators, but from 2 hosts on "
     "hardly with the number of GPUs. Only send, receive and Alltoall add buffers for each peer; over the network they "
     "share one of the proxy (NCCL_NET_SHARED_BUFFERS).",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ALLOC prints each allocation.",
     "Use fewer communicators, or ncclCommSplit() with splitShare=1, which shares the buffers. Fewer channels "
     "(NCCL_MAX_CTAS, NCCL_MAX_P2P_NCHANNELS for send and receive) or a smaller NCCL_BUFFSIZE cost bandwidth. "
     "NCCL_NVLS_ENABLE=0 saves the buffers of NVLink SHARP, which come on top."},
    {"asked-p2p-channels",
     "nchannels|max_ctas|grid&sendrecv|send recv|alltoall|all2all|all to "
     "all|all_to_all|ncclsend;ncclsend|sendrecv&grid|more than 1 sm|number of "
     "sm|channels;max_ctas|min_ctas|maxctas|maxcta |max "
     "cta&nchannels|maxchannels|channels&equivalent|same|difference|relation|how|why",
     "Each channel is one CTA. NCCL_MAX_CTAS (2.17 on) limits all channels, and maxCTAs in ncclConfig_t those of one "
     "communicator. NCCL_MAX_NCHANNELS is for rings and trees; send and receive, and so Alltoall, have "
     "NCCL_MAX_P2P_NCHANNELS, which NCCL rounds up to a power of two, and NVLink SHARP has NCCL_NVLS_NCHANNELS.",
     "Check: \"N coll channels, N nvls channels, N p2p channels, N p2p channels per peer\" with NCCL_DEBUG=INFO.",
     "A peer of the same host has 2 channels without NVLink, whatever is set, and more with NVLink. "
     "NCCL_NCHANNELS_PER_NET_PEER is the number for each peer over the network."},
    {"asked-sm", "channel|nccl kernel| cta& sm | sms &!architecture",
     "A channel is one block of threads (a CTA), which occupies an SM until the operation ends, and does not share it "
     "with compute kernels. An operation uses at most as many SMs as the communicator has channels.",
     "Check: \"N coll channels\" and \"N p2p channels\" with NCCL_DEBUG=INFO.",
     "NCCL_MAX_CTAS, or maxCTAs of one communicator, leaves more SMs to computation and costs bandwidth; send and "
     "receive have NCCL_MAX_P2P_NCHANNELS."},
    {"asked-few-channels",
     "channels&small|not large|less data|data volume|message "
     "size&nccl&use|utilize|fewer|limit;channels&split|divide|distribut&data|message|buffer&nccl",
     "A small operation uses fewer channels, because each channel needs enough data to be worth its latency.",
     "Check: \"channel{Lo..Hi}={0..1}\" of NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=TUNING (2.24 on).",
     "NCCL_MIN_CTAS raises the number of channels that are made, not those that a small operation uses."},
    {"asked-cumem", "cumem| uds & hang|stuck|deadlock|never come|never start",
     "With cuMem, ranks of a host exchange memory handles over Unix sockets; NCCL_CUMEM_ENABLE=0 returns to CUDA IPC.",
     "Check: start the job 20 times with NCCL_CUMEM_ENABLE=0; if it never hangs, that exchange is the cause.",
     "Keep NCCL_CUMEM_ENABLE=0 until a newer release works; it also turns symmetric memory and multi-node NVLink off."},
    {"asked-order",
     " send& recv|receive&deadlock|stuck| hang|wait for each&nccl;communicators|concurrently|two comms|multiple "
     "communicators|multiple comms|different streams|two streams|multiple streams&deadlock| "
     "hang|stuck|concurrent|simultan|parallel|same time",
     "CUDA does not guarantee that two streams run at the same time, and an operation of NCCL occupies the GPU until "
     "its peers take part. So operations of several communicators, or a send before its receive, can wait forever.",
     "Check: without the second communicator or stream, the hang goes away.",
     "Start operations in the same order on all ranks (since 2.26, NCCL_LAUNCH_ORDER_IMPLICIT=1 keeps the order of the "
     "program), and put a send and its receive between ncclGroupStart() and ncclGroupEnd()."},
    {NULL, NULL, NULL, NULL, NULL},
};
