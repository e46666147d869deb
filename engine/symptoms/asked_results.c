/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about results of nccl-tests: what a figure means, and why one operation, size, number of hosts or choice of
 * GPUs reaches more than another. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

const struct orr_asked orr_asked_results[] = {
    {"asked-nvls-gather",
     "nvls|nvlink sharp&gather|scatter&slow|poor|lower|worse|better|benefit|help|speedup|faster&!regist|buffer",
     "NVLink SHARP (NVLS) makes AllReduce faster, but promises no more bandwidth than a ring for AllGather and "
     "ReduceScatter: a ring sends (n-1)/n of the size in both directions at once, NVLS the whole size in one direction "
     "and 1/n in the other. It only needs fewer SMs.",
     "Check: NCCL_ALGO=Ring and NCCL_ALGO=NVLS with all_gather_perf on one host.",
     "Leave NCCL_ALGO unset: NCCL then chooses the ring if it is faster."},
    {"asked-nvlstree",
     "nvlstree|nvls tree|nvls and tree&why|superior|advantage|necess|instead of|difference|better than|compared&!not "
     "used|0 nvls",
     "NVLSTree reaches the peak at smaller sizes and with fewer SMs than rings and trees: inside a host its latency "
     "does not depend on the number of GPUs, and between hosts it grows with the logarithm. 16 channels are enough for "
     "it, and 4 with registered buffers; Tree needs 32 for the same bandwidth, and rings lose it with many hosts.",
     "Check: all_reduce_perf -b 8M -e 8G with NCCL_ALGO=NVLSTree and with NCCL_ALGO=Tree, and \"coll channels\" with "
     "NCCL_DEBUG=INFO.",
     "Leave NCCL_ALGO unset. At the largest sizes, the NICs limit all of them alike."},
    {"asked-nvls-hosts",
     "nvls|nvlink sharp&more than two|more than 2|more than four|three node|3 node|4 node|8 node|multi node|multiple "
     "node|or more machine|or more node|or more host|or more server&not available|no any|no acceleration|no speedup|no "
     "improvement|not improve|no benefit|same busbw|same bus|same bandwidth|not work|no effect|does not help|no "
     "difference",
     "From three hosts on, the NICs limit AllReduce of large sizes, with NVLink SHARP (NVLS) or without: bus bandwidth "
     "is then that of the NICs of one host. Inside one host NVLS exceeds NVLink's rate, and on two hosts NVLSTree that "
     "of the NICs.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints the algorithm; at 16 to 64 MB NVLSTree should be "
     "ahead of the ring.",
     "`orrery predict --machine TYPE --hosts N` prints what to expect, size by size."},
    {"asked-more-channels",
     "nccl_min_nchannels|nccl_min_ctas|nccl_nchannels_per_net_peer|min_ctas|more "
     "channels&improv|better|increas|faster|higher|recommend|should "
     "i|gain&nccl|bandwidth|busbw|performance&!ignored|set by environment|not improve|default",
     "By default NCCL uses as few channels, and so SMs, as reach nearly the links' bandwidth. More channels gain a few "
     "percent in a benchmark: two hosts of 8 H100 reached 366 GB/s, and more than 380 with NCCL_MIN_CTAS=24. In a job "
     "they take SMs from computation.",
     "Check: compare the time of a step of the job, not only nccl-tests.",
     "Keep the default unless the job itself gets faster."},
    {"asked-nvls-factor",
     "nvls|nvlink sharp|nvswitch sharp| sharp &busbw|bus bandwidth|bus bw|algorithm "
     "bandwidth|algbw&factor|exceed|higher than|greater than|more than|formula|conversion|ratio|calculat&!user "
     "buffer|registration|infiniband|collnet|quantum|0 nvls|two node| 2 node|multi node|nvlstree|instead of just",
     "nccl-tests does not know which algorithm ran and always multiplies AllReduce by 2(n-1)/n. With NVLink SHARP "
     "(NVLS), busbw is the NVLink bandwidth that a ring would need for the same time, not what the links carry: that "
     "is (n+1)/n of algbw. 8 H100 reach about 480 GB/s busbw with it and 370 with rings.",
     "Check: NCCL_ALGO=Ring shows the bus bandwidth without NVLink SHARP.",
     "Advertised rates (450 GB/s of an H100, 900 of a B200 in each direction) are line rates, of which packets take "
     "about 20 %."},
    {"asked-factor",
     "busbw|bus bw|bus bandwidth|getbw|algbw&factor|formula|incorrect|not correct|is correct|also "
     "correct|conversion&tree|nccl test|alltoall|multiple node|all2all|algorithm|topolog|source&!nvls|sharp|difference "
     "between|reach|expect;factor&nccl test&allreduce|allgather|busbw&!nvls|sharp",
     "The factors of busbw are theory: nccl-tests sees neither the topology nor the algorithm, and assumes that all "
     "ranks are alike and send directly: 2(n-1)/n for AllReduce, (n-1)/n for AllGather, ReduceScatter and Alltoall. "
     "With NVLinks inside and NICs between hosts, with trees or SHARP, busbw is not the rate of any link.",
     "Check: with NCCL_ALGO=Ring, busbw of AllReduce is what the slowest link of the ring carries.",
     "Use busbw to compare algorithms and numbers of ranks. Alltoall on N hosts sends (N-1)/N of algbw by each GPU's "
     "NIC."},
    {"asked-tree-only",
     "tree&gather|scatter|fsdp|broadcast&tree only|only all|only the all|why|plan to|support tree|have "
     "tree&!nvls;nccl_algo|nccl_proto&broadcast|gather| reduce |scatter|alltoall|sendrecv|send "
     "recv&ignored|fallback|falls back|no effect|not work|not respected;which algorithm|what algorithm|algorithms "
     "are|algorithms can|algorithms used|only ring|only the "
     "ring&gather|scatter|broadcast|alltoall|sendrecv;gather|scatter&non ring|alternative to the ring|alternative to "
     "ring|other than ring|instead of ring|ring implementation",
     "A tree reduces to a root and broadcasts from it, so NCCL has it for AllReduce only. AllGather and ReduceScatter "
     "have Ring, NVLS, CollNetDirect and, from 2.23.4 on with one GPU per host, PAT, whose latency grows only with the "
     "logarithm of the ranks. Broadcast and Reduce have Ring alone; Send, Receive and Alltoall have no algorithm.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints the choice for each operation.",
     "If NCCL_ALGO leaves an operation nothing, 2.19.3 to 2.23.4 return to the ring, up to 2.21.5 with any protocol; "
     "newer releases report an error. From 2.24.3 on, NCCL_ALGO=\"allreduce:tree\" concerns one operation alone."},
    {"asked-ring-latency",
     " ring |reducescatter|reduce scatter|reduce_scatter|allgather|all gather|all_gather&middle|medium| mid "
     "|small|latency|linear|declin|decreas|degrad|drop|going down|goes "
     "down&node|rank|scale|host|server|gpus&increas|grow|number of|more |scal| add |linear&!three |two | 2 "
     "node|version| v2 ",
     "The latency of a ring grows linearly with the number of ranks, that of trees and PAT with its logarithm. With "
     "more hosts, small and medium sizes therefore lose bus bandwidth, and the largest keep it. AllGather and "
     "ReduceScatter, which have no trees, lose most: each step carries only size / ranks.",
     "Check: run up to 8 or 16 GB. If the largest sizes fall too, the network loses bandwidth; test pairs of hosts.",
     "`orrery predict --machine TYPE --hosts N` prints what each size should reach. Leave NCCL_ALGO unset, so that "
     "AllReduce uses trees for smaller sizes."},
    {"asked-one-peer",
     "sendrecv|send recv|send and recv|ncclsend|point to point&low |slow|lower|drop|not "
     "reach|saturat|half|degrad&bandwidth|busbw|gb s|gbps|performance|throughput|slower than+all_reduce|allreduce|all "
     "reduce|ib_write|ib_send|ib_read|perftest|number of ranks|number of nodes| 8 nodes|16 nodes|more "
     "nodes&!alltoall|all to all|moe|nvlink|nvswitch|gdr|tcp| pxn ",
     "Send and receive are tuned for Alltoall, so one pair of GPUs on two hosts uses few channels: from 2.20.3 to "
     "2.28.9 two, and one with many ranks, which may not fill a fast NIC. AllReduce has more.",
     "Check: run sendrecv_perf with NCCL_NCHANNELS_PER_NET_PEER=4, and count \"p2p channels per peer\" with "
     "NCCL_DEBUG=INFO.",
     "Keep the setting if it helps and Alltoall does not get slower. If all_reduce_perf between the same hosts is slow "
     "too, look at the network instead."},
    {"asked-copy-engine",
     "p2pbandwidthlatencytest|nvbandwidth&only| but |slower|lower|differ|higher|less|not match|inconsisten|compar| vs "
     "|gap|why+nvlink|nvswitch| sxm&!pcie",
     "p2pBandwidthLatencyTest and most tests of nvbandwidth copy with copy engines, which put 256 bytes into an NVLink "
     "packet. NCCL copies with SMs, 128 bytes a packet, in both directions at once, and so reaches about 80 % of the "
     "line rate: 230 to 240 of 300 GB/s on A100, 370 of 450 on H100.",
     "Check: `p2pBandwidthLatencyTest --sm_copy`, or the tests of nvbandwidth whose names end in _sm.",
     "If NCCL is far below these figures, paste the output of nccl-tests and `nvidia-smi topo -m`."},
    {"asked-near-nic",
     "different gpus|which gpus|choice of gpu|gpus i choose|gpus i select|other gpus|gpus on the other|specific "
     "gpus|gpu selection+reduce scatter perf|_perf|busbw|bandwidth|performance|slow+node| nic |nics| "
     "hca|infiniband|rdma&!type|model|heterogeneous|same communicator",
     "GPUs are not equally near to a NIC. By default NCCL uses GPUDirect RDMA only if both are below the same PCIe "
     "switches, so a job with none of the GPUs beside a NIC sends through the CPU and its memory, which is slower.",
     "Check: PIX or PXB between the job's GPUs and the NICs in `nvidia-smi topo -m`, and /GDRDMA after \"via NET/IB\"; "
     "\"NET/IB : Using\" lists the NICs that NCCL has.",
     "Choose the GPUs beside the NICs: `orrery place --count N topo.xml` finds them. More NICs need GPUs beside them."},
    {"asked-all-nics",
     " nics |network interface|network card| hcas | hca &why|how many|need|or just&eight| 8 |four| 4 | all "
     "|multiple|several&nccl|ring|allreduce| gpu&!only |part of|subset|rail|unused|left|not |t "
     "used|bond|busbw|bandwidth|perform|alltoall|all2all",
     "NCCL makes several rings and trees (channels), and each enters and leaves a host by its own NIC, so that all "
     "NICs beside the job's GPUs carry data at once: bus bandwidth is their sum. A single ring needs one NIC per host.",
     "Check: \"via NET/IB/N\" with NCCL_DEBUG=INFO names the NIC of each channel.",
     "NCCL_IB_HCA limits NCCL to some NICs, which lowers the bandwidth of AllReduce. `orrery channels` prints the "
     "rings of a machine."},
    {"asked-columns", " error | wrong |error column&column|1e 0|2e 0|5e 0|e 06|e 07&mean|represent|interpret|what|how",
     "In older nccl-tests, the column \"error\" is the largest difference from the expected result: values such as "
     "2e-06 are rounding, which depends on the order of the additions and so on algorithm and number of ranks. In "
     "newer ones, \"#wrong\" counts the values beyond rounding and must be 0; N/A means that they were not checked.",
     "Check: \"Out of bounds values : 0 OK\" at the end of the output.", "-c 1 checks results, -c 0 does not."},
    {"asked-latency",
     "latency|microsecond|small message|small size|small data|tiny&nccl|allreduce|all_reduce|all reduce|collective&how "
     "can|how to|minimi|reduce the|lower the|so high|too high|normal|expected|grows|increases with|increase "
     "with&!measure|network latency|ib "
     "latency|memory|pxn|ll128|register|mpirun|spike|jitter|sometimes|occasional|version|cuda graph capture| pat ",
     "For small sizes an operation takes the time of starting a kernel plus the latency of each step, whatever the "
     "bandwidth: a ring of n ranks has 2(n-1) steps, a tree grows with the logarithm of hosts, NVLink SHARP has few.",
     "Check: the time of nccl-tests at 8 bytes is that latency; -G 10 (CUDA graphs) shows it without starting kernels.",
     "Leave NCCL_ALGO and NCCL_PROTO unset (Simple alone is slow for small sizes), capture operations in CUDA graphs, "
     "join them in one group, and try symmetric memory (2.27 on; nccl-tests -R 2) inside an NVLink domain."},
    {"asked-first",
     "first iteration|first call|first allreduce|first all reduce|first all_reduce|first collective|first "
     "operation|first communication|first nccl call|initial collective|warmup&slow|long|seconds|latency|takes|more "
     "time|higher&nccl|allreduce|collective|all_reduce|all reduce&!comminitrank|compile|timeout|timed out",
     "NCCL makes connections at their first use: those of each algorithm from 2.22.3 on (with cuMem), those of each "
     "peer for send and receive always. The first operation therefore also allocates buffers, connects and loads "
     "kernels.",
     "Check: NCCL_RUNTIME_CONNECT=0 moves the connections of collectives into the initialisation.",
     "Leave the first operations out of measurements: nccl-tests has -w 5."},
    {"asked-direction",
     "bidirectional|unidirectional|uni directional|bi directional|full duplex|both directions|one direction&busbw|bus "
     "bandwidth|bus bw|nccl test|algbw|all_reduce&!p2pbandwidth|nvbandwidth",
     "busbw is a rate in one direction: compare it with what a link carries in one direction (the NVLinks of an H100: "
     "450 GB/s of the 900 in its data sheet; a 400 Gb/s NIC: 50). NCCL uses both directions at the same time.",
     "Check: `orrery predict --machine TYPE` says which link limits and its rate.",
     "NVLinks carry about 80 % of the line rate as data, NICs about 96 %."},
    {NULL, NULL, NULL, NULL, NULL},
};
