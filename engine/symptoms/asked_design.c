/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about the design of NCCL: how rings and trees are made, what data they move, by which links and NICs. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

const struct orr_asked orr_asked_design[] = {
    {"asked-one-nic-each",
     "all2all|alltoall|all to all|sendrecv|send recv|ncclsend&one gpu|per gpu|each gpu|one nic|single nic|only one& "
     "nic |nics| port |ports&only one|not support|one nic|unused|left |instead of|both|two nic|multiple nic|2 "
     "nic&!bond",
     "Up to 2.17.1, NCCL gives each GPU a single NIC for Alltoall, send and receive, also if it has two near ones. "
     "From 2.18.5 on a GPU uses several: of k nearest NICs that m GPUs share, k / m rounded up, by channel. Rings and "
     "trees can use several in every release.",
     "Check: \"via NET/IB/N\" of the channels named \"NN/1\" with NCCL_DEBUG=INFO; `orrery p2p` prints the NICs.",
     "If the release is older than 2.18, update NCCL. From 2.28.3 on, NCCL_NETDEVS_POLICY=MAX:2 or ALL sets how "
     "many NICs a GPU uses. If one NIC fills the PCIe link of the GPU, use all GPUs of the host to use all NICs."},
    {"asked-some-nics",
     "part of the nic|only uses 4|only uses 2|subset of |only some of|not all nic|not all of the|only half of|other "
     "nics|some nics|not use all|doesn t use all|does not use all|not used all|unused nic|only one nic|only 1 nic|one "
     "of the nics|nics are idle& nic|hca|network card|ib card|interface&!link is down|down state|no "
     "link|udev|alltoall|all2all|all to all|pod",
     "NCCL uses the NICs that its search finds useful: those beside the job's GPUs, as many as raise the bandwidth of "
     "a ring. One GPU per host fills one PCIe x16 link, and so uses one NIC. A NIC behind a PCIe link that is already "
     "full, or of another speed than the others, adds nothing. Rails are preferred but not enforced unless "
     "NCCL_CROSS_NIC=0.",
     "Check on all hosts: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,ENV,GRAPH prints the topology and the NICs of each "
     "channel below \"Pattern 4\"; \"NET/IB : Using\" lists the NICs.",
     "Give `orrery check-log` that log, or `orrery explain` the dump (NCCL_TOPO_DUMP_FILE): they name the NICs left "
     "out. In a virtual machine, look whether NCCL_TOPO_FILE is set."},
    {"asked-overlap",
     "overlap|concurrent|at the same time|in parallel|simultaneous|compute kernel|computation "
     "kernel|interfer|contention|affected by "
     "nccl&gemm|compute|computation|attention|kernel|matmul|cutlass&slow|longer|increase|affect|interfer|compet|degrad|"
     "contention&nccl|allreduce|all reduce|allgather|communication&!delayed|graph capture",
     "Communication and computation that run at the same time compete for the GPU's memory bandwidth, also with SMs to "
     "spare: NCCL writes what arrives to memory and reads it again, 2 to 3 times its own rate (300 GB/s by NVLink: 600 "
     "to 900 GB/s). The channels of NCCL also take SMs from computation.",
     "Check: Nsight Compute shows the memory throughput of the computation alone; with fewer channels "
     "(NCCL_MAX_CTAS=4) computation gets faster and NCCL slower.",
     "Choose the number of channels for the whole step, not for NCCL alone. NVLink SHARP and registered buffers copy "
     "less."},
    {"asked-kernel-name",
     "nccldevkernel|nccl kernel name|ncclkernel_|kernel name|kernel s name|_ring_ll| ring_ll&protocol|proto | ll | "
     "simple|algorithm|misleading|suffix&!fault|illegal|timeout|oom",
     "The name of a kernel, such as ncclDevKernel_AllReduce_Sum_f16_RING_LL, does not say what ran. To keep the "
     "library small, every kernel can run any operation, algorithm and protocol, and only the named one is compiled in "
     "for speed.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints algorithm and protocol of each operation.",
     "NCCL_ALGO and NCCL_PROTO apply although the name stays. NCCL's profiler plugin also reports what ran."},
    {"asked-many-small",
     "group launch|in a group|ncclgroup|bucket|many small|in one group|flatten|small allreduces|small all "
     "reduces|hundreds of|large number of|concat|coalesc|one by one|flatten&collective|allreduce|all reduce|reduce "
     "scatter|reducescatter|allgather|broadcast|operations|tensors&should i|does "
     "nccl|slow|efficien|faster|latency|overhead|performance|better",
     "Many small operations are slower than a single large one, also in a group: a group saves launches of kernels, "
     "but each operation still pays the latency of its algorithm. That of a ring, which ReduceScatter and AllGather "
     "use, grows with the number of ranks.",
     "Check: nccl-tests with the small size and -m 100 against the sum of the sizes.",
     "Put the data into one buffer and call one operation; PyTorch's DDP and FSDP have buckets for that."},
    {"asked-utilization",
     "gpu util|gpu utilization|gpu utilisation|utilization is 100|100 utilization|volatile gpu&nccl|allreduce|all "
     "reduce|collective|communicat|waiting&!increase|memory util|low gpu|loader",
     "GPU-Util of nvidia-smi is the share of time in which any kernel runs, even on one SM. Kernels of NCCL wait for "
     "their peers by polling, so a GPU that only waits shows 100 %.",
     "Check: the power draw is low while NCCL waits; `nvidia-smi dmon -s pu` or DCGM's SM activity shows it.",
     "Look at the step's timeline (Nsight Systems) to see how long communication takes."},
    {"asked-transports",
     "direct pointer|p2p ipc|p2p cumem|p2p indirect|shm direct|p2p read& mean|difference|what is|what "
     "does|explain|represent&!low ",
     "\"P2P/direct pointer\" is P2P between GPUs of one process, \"P2P/IPC\" and \"P2P/CUMEM\" between processes, by "
     "CUDA IPC or cuMem handles; all are alike in bandwidth, over NVLink or PCIe. \"/read\" says that the receiver "
     "reads, \"indirect\" that a third GPU relays. \"SHM\" goes through host memory, \"NET\" over the network.",
     "Check: `nvidia-smi topo -m` says whether a pair has NVLink: the log's line does not.",
     "`orrery explain --why p2p --from 0 --to 1` says why a pair has P2P or not."},
    {"asked-both-links",
     "nvlink&pcie&both|stripe|next to|simultaneous|at the same time|together|combine|in addition|as well "
     "as|aggregate|in parallel&nccl|allreduce|gpu&!topo",
     "NCCL does not split data over NVLink and PCIe: between two GPUs it uses the best path, and with NVLink that is "
     "NVLink alone. PCIe carries what goes to NICs, and to GPUs without NVLink.",
     "Check: \"via P2P\" in the channels, and `nvidia-smi nvlink -gt d` before and after a run.",
     "A ring through GPUs without NVLink between them is as slow as its slowest link; `orrery channels` prints rings."},
    {"asked-chain",
     "intra node|intranode|within a node|inside a node|inside the node|within the node|within a host|inside a "
     "host|single node|one node& tree &chain|binary|like a list|looks like|really|real one|shape|not create|tree "
     "based|tree in |node tree|tree is only&!faster|busbw;tree&like a list|like a chain|is a chain|a linear "
     "chain|looks linear&gpu|nccl",
     "NCCL's trees join hosts. Inside a host they are always a chain through its GPUs, because a GPU that receives "
     "from two others gets half the rate from each; on one host NCCL uses rings or NVLink SHARP for large sizes.",
     "Check: \"Trees [0] 1/-1/-1->0->-1\" with NCCL_DEBUG=INFO: inside a host each rank has one rank below it.",
     "NCCL_GRAPH_FILE changes the order of the chain, not its shape."},
    {"asked-double-tree",
     "double binary tree|two binary trees|double tree|second tree|both trees&!topolog of|recover|interrupt",
     "NCCL makes two binary trees of hosts. Each carries half of the data at the same time, by reducing towards its "
     "root and then broadcasting back; a host in the middle of one tree is a leaf of the other. So all hosts send and "
     "receive equally much, and one tree alone would use half of the bandwidth.",
     "Check: the first half of the channels has one tree, the second half the other: \"Trees [0] ...\" with "
     "NCCL_DEBUG=INFO.",
     "`orrery channels --machine TYPE --hosts N` prints both."},
    {"asked-flat-ring",
     "hierarch|2d ring|two level|2 level|2d allreduce|flat ring|mix of ring|combine tree and ring|ring "
     "inside&ring|tree|allreduce|all reduce&nccl&!hsdp|fsdp|nvlink domain",
     "NCCL's rings are flat: one ring through all ranks, host after host, and no ring of rings. Trees are chains "
     "inside a host and binary trees between hosts. Only NVLSTree and CollNet have levels: NVLink SHARP inside, trees "
     "or the switches between hosts.",
     "Check: \"Channel 00/16 : 0 1 2 ...\" with NCCL_DEBUG=INFO is the order of the ring.",
     "For a hierarchy of your own, call ReduceScatter, AllReduce and AllGather of several communicators."},
    {"asked-traffic",
     "how much data|traffic volume|how many bytes|amount of data|volume of data|communication "
     "volume&send|sent|transfer|receive|each gpu|per "
     "gpu|network|cross|exchang&nccl|allreduce|ring|tree|alltoall|collective&!switches from",
     "For an AllReduce of size S on n ranks, each rank of a ring sends and receives 2(n-1)/n S, in a tree at most 2 S, "
     "and with NVLink SHARP about (n+1)/n S. AllGather, ReduceScatter and Alltoall move (n-1)/n S per rank, Broadcast "
     "and Reduce S.",
     "Check: counters of the NICs (`ethtool -S`, port_xmit_data) and `nvidia-smi nvlink -gt d` around a run.",
     "With rings over several hosts, that is also what enters and leaves each host, spread over its NICs."},
    {"asked-ring-order",
     "ring order|order of the ring|order of rings|order of ranks|order of gpus|order of the gpus|rank order|build "
     "ring|builds ring|construct|forms the ring|ring is formed|rings are formed|how are rings|how is the ring&how|can "
     "|documentation|control|change|specify|decide|determin|why& ring|channel&nccl|gpu&!graph file|graph "
     "xml|nccl_graph|order of additions|tree topolog",
     "Inside a host NCCL searches the order of the GPUs that gives the most bandwidth, beginning and ending at GPUs "
     "near a NIC. Between hosts it does not search: rings go through the hosts in the order of ranks.",
     "Check: \"Channel 00/16 : 0 1 2 ...\" with NCCL_DEBUG=INFO prints each ring; docs/nccl/search.md has the rules.",
     "Number the ranks so that near hosts follow each other (`orrery order`). NCCL_GRAPH_FILE forces an order inside a "
     "host, for experiments only."},
    {"asked-channel-count",
     "number of channels|how many channels|channel count&how|why|decide|determin|right&nccl |ring|allreduce&!same "
     "number|sendrecv|send recv|alltoall|split|small|sm |runtime|dynamic|nchannels|maxctas|max_ctas|equivalent|grid",
     "NCCL's search finds how many channels fill the links: NVLinks inside a host, NICs between hosts, and it can "
     "make two channels of each. With 8 NICs that is 16, with one NIC 2; on one host of 8 H100 it is 24.",
     "Check: \"N coll channels\" with NCCL_DEBUG=INFO; `orrery channels` computes it for a machine.",
     "NCCL_MIN_CTAS (or NCCL_MIN_NCHANNELS) makes more: a few percent more bandwidth for SMs that computation lacks."},
    {"asked-average",
     "avg bus|average bus|average busbw|avg busbw|average bandwidth& mean|how |why|which "
     "|computed|calculated|represent&compute|which |lower|less|mean|differ|computed|calculated|represent| than&! "
     "nic|hca|node|host|server|gb s|zero| 0 ",
     "\"Avg bus bandwidth\" is the mean of all sizes in the table, so small sizes pull it down: it depends on -b and "
     "-e, not only on the machine.",
     "Check: the bus bandwidth of the largest size, at 1 GB or more, is what the links give.",
     "Run with -b 1G -e 8G, or give the whole table to `orrery check-perf`."},
    {"asked-ucx",
     "ucx_net_devices|ucx setting|ucx_tls|ompi_mca|btl_tcp_if|mca "
     "btl&nccl_ib_hca|nccl&difference|differ|explain|meaning|need|required|effect|affect|matter|same&!unable",
     "UCX_NET_DEVICES, UCX_TLS and Open MPI's mca parameters concern MPI alone, which only starts the ranks. NCCL "
     "finds its NICs itself; NCCL_IB_HCA limits them, and NCCL_SOCKET_IFNAME names the interface by which ranks meet.",
     "Check: \"NET/IB : Using\" with NCCL_DEBUG=INFO lists NCCL's NICs.",
     "On two hosts, measure the network with NCCL_ALGO=Ring: 46 to 48 GB/s for each NIC of 400 Gb/s."},
    {"asked-mpi-or-threads",
     "nccl test|_perf&one process|single process|multi process|multiple process|mpirun| g "
     "8|thread&difference|differ|faster|slower|better|worse|why&what s "
     "better|performance|bandwidth|busbw|latency|result|speed&!two node|2 node|multi node|between node",
     "With one process for all GPUs (-g 8), one thread starts the kernels of all of them in turn, so small sizes are "
     "slower than with a process or thread per GPU (mpirun -np 8, or -t 8 -g 1). Large sizes are alike.",
     "Check: compare the times below 1 MB and the bandwidth at 1 GB and more.",
     "Measure as the job runs: training frameworks use a process per GPU. mpirun needs nccl-tests built with MPI=1."},
    {NULL, NULL, NULL, NULL, NULL},
};
