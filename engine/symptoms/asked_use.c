/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about programs: settings, frameworks, launchers, and how NCCL works inside. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

const struct orr_asked orr_asked_use[] = {
    {"asked-subsystem",
     "nccl_debug|debug_subsys|nccl_graph | subsys|debug level|debug log&which|what|how|need|can t|cannot|not "
     "print|nothing|no output|missing|where&print|output|see "
     "|show|visible|appear|written&!algorithm|protocol|chosen|gdr|gpudirect|dump",
     "NCCL_DEBUG=INFO alone prints the subsystems INIT, BOOTSTRAP and ENV. Others need NCCL_DEBUG_SUBSYS: GRAPH (the "
     "topology, its search, rings), TUNING (the algorithm of each operation), NET, COLL (each call), P2P or ALL.",
     "Check: with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=GRAPH, lines such as \"Pattern 4, crossNic 0\" appear.",
     "Most lines of level TRACE are only in a library built with `make TRACE=1`. NCCL_DEBUG_FILE=/tmp/nccl.%h.%p "
     "writes a file for each process."},
    {"asked-affinity",
     "setting affinity for gpu|nccl_ignore_cpu_affinity|cpu affinity|affinity mask|numa binding|bind to numa&?|how "
     "|why|what |should|effect|differ|matter|recommend&nccl|gpu|rank",
     "During its initialisation NCCL binds a rank's threads to the cores near the GPU that the affinity of the process "
     "allows; if that leaves none, it keeps the affinity. So the launcher (mpirun --bind-to, srun --cpu-bind) decides.",
     "Check: \"Setting affinity for GPU 0 to ff\" with NCCL_DEBUG=INFO is the mask; `nvidia-smi topo -m` lists the "
     "cores near each GPU.",
     "Bind each rank to the NUMA node of its GPU or to nothing, not to one core. NCCL_IGNORE_CPU_AFFINITY=1 makes NCCL "
     "ignore the affinity of the process."},
    {"asked-graph-file",
     "nccl_graph_file|graph file|graph xml&should|use|how |modify|custom|production|write|force|edit|own "
     "ring|specify&!dump",
     "NCCL_GRAPH_FILE replaces NCCL's search by the channels of a file. NCCL's developers keep it for experiments with "
     "rings and advise against it in production: the file fits one machine and one number of GPUs and NICs only.",
     "Check: NCCL_GRAPH_DUMP_FILE=/tmp/graph.xml writes what NCCL finds by itself.",
     "If the search finds bad channels, update NCCL or correct the topology (NCCL_TOPO_FILE) instead."},
    {"asked-log-lines",
     " pattern 1| pattern 2| pattern 3| pattern 4| pattern 5|samechannels|maxbw|totalbw|crossnic|threadthresholds& "
     "mean|how do i read|understand|explain|interpret|represent",
     "\"Pattern 4\" is the ring, 1 to 3 are trees and 5 NVLink SHARP; \"bw 20/20\" is GB/s of a channel inside and "
     "between hosts; \"type NVL/PIX\" the farthest path between GPUs and to NICs; \"sameChannels 1\" says that all "
     "channels are alike. The lines below list the devices of each channel. maxBw is the fastest link of a GPU.",
     "Check: `orrery show topo.xml`, or `orrery check-log` with the whole log, explains them.",
     "docs/nccl/search.md and sequence.md describe each line."},
    {"asked-buffsize",
     "nccl_buffsize|nccl_chunk_size|_chunksize|_buffsize|default_buffer_size&?|what|how|optimal|requirement|role|"
     "effect|affect|implication|increas|why|larger",
     "NCCL_BUFFSIZE (4 MiB) is the size of the buffer between two ranks in each channel, a ring of 8 slots: chunks are "
     "1/8 of it, 1/4 for rings. NCCL's developers advise leaving it alone.",
     "Check: run nccl-tests with -c 1 after any change, which finds wrong data.",
     "Use a power of two; for NCCL_LL128_BUFFSIZE, 120 times a power of two. NCCL_CHUNK_SIZE, which is not documented, "
     "can give wrong data above NCCL_P2P_NET_CHUNKSIZE."},
    {"asked-pending",
     "list|find|which|know|identify|debug&pending oper|pending nccl|pending coll|lagging|stuck rank|hung "
     "rank|straggler|faulty gpu|faulty rank;which node|which rank|which gpu|which host|which machine|culprit|root "
     "cause rank& hang|stuck|hung|slow&detect|find|locat|identif|know|tell|cause|responsible",
     "NCCL's RAS (2.24 on) lists communicators whose ranks wait for others: run `ncclras` on a host of the job. "
     "PyTorch's flight recorder (TORCH_NCCL_TRACE_BUFFER_SIZE=2000) writes the last collectives of each rank.",
     "Check: look at the rank whose count of operations is lower than those of the others.",
     "NCCL has no function that lists pending operations. If no rank is behind, look at links, NICs and Xid messages."},
    {"asked-alltoall",
     "alltoall|all to all|all2all&node|scal|degrad|poor|slow|drop|linear|lower&!token|memory|p2p|shm;alltoall|all to "
     "all|all2all&busbw|bandwidth|throughput&mean|calculat|expect|theoretical|formula",
     "Alltoall sends to every rank directly: on N hosts, (N-1)/N of the data of a GPU crosses its own NIC, so bus "
     "bandwidth falls towards that of one NIC per GPU (50 GB/s for 400 Gb/s), from far above it on one host. Rings and "
     "trees use other paths, so a good AllReduce says nothing about it.",
     "Check: run sendrecv_perf between two hosts. With many hosts, look at drops and pauses of the switches.",
     "If NCCL_NCHANNELS_PER_NET_PEER or chunk sizes are set, run once without them. 2.19 creates fewer channels "
     "than 2.18: NCCL_MIN_P2P_NCHANNELS=32 shows whether that is the cause."},
    {"asked-determinism",
     "determinis|bitwise|same result|results are different|result the same&allreduce|all "
     "reduce|all_reduce|reduction&!benchmark| cpu ",
     "All ranks always get the same result. Between calls, rings and trees give the same bits if ranks, GPUs, size, "
     "release and settings are the same, because the sum keeps its order. With NVLink SHARP, they may differ.",
     "Check: run with NCCL_NVLS_ENABLE=0, which turns NVLink SHARP off.",
     "NCCL_ALGO=Ring or Tree and NCCL_PROTO=Simple fix the algorithm. Trees add fewer terms in a row and round less."},
    {"asked-release",
     "pytorch|torch&nccl version|nccl&own nccl|which nccl|different nccl|upgrade nccl|newer nccl|custom nccl|system "
     "nccl|bundled|change the nccl|libnccl&!jax;sglang|vllm|pytorch|deepspeed|torch&auto detect|automatically|need to "
     "install|have to install|have to set|install nccl&nccl&!jax",
     "PyTorch, and with it vLLM, SGLang and DeepSpeed, brings its own NCCL (the package nvidia-nccl-cu12 or -cu13), "
     "uses it by itself as soon as a job has several GPUs, and ignores the system's. The interface of NCCL is stable, "
     "so a newer release can replace it.",
     "Check: `python -c \"import torch; print(torch.cuda.nccl.version())\"`, and \"NCCL version\" with "
     "NCCL_DEBUG=VERSION for what really runs.",
     "`pip install -U nvidia-nccl-cu12`, or LD_PRELOAD=/path/libnccl.so.2 on all ranks."},
    {"asked-ports",
     "firewall|port range|which ports|open port|tcp port|ip port|listening "
     "port&nccl|rank&need|use|listen|open&!switch;expose|exposed|localhost|127 0 0 1|loopback|listen on lo& port| "
     "ports&nccl",
     "NCCL listens at free TCP ports of the system, on the interface by which its ranks meet (NCCL_SOCKET_IFNAME); no "
     "setting limits them to a range. On one host, NCCL_SOCKET_IFNAME=lo keeps them on 127.0.0.1.",
     "Check: `ss -ltnp` names the process and address of each port, `cat /proc/sys/net/ipv4/ip_local_port_range` the "
     "range.",
     "Limit that range, for example `sysctl -w net.ipv4.ip_local_port_range=\"50000 51000\"`, and open it between the "
     "hosts, together with the port of the launcher (MASTER_PORT), at which PyTorch's store listens."},
    {"asked-gdr",
     "gdr |gdrdma|gpudirect|gpu direct&how |whether|check|verify|confirm|know if|enabled ?|make sure&! p2p |shows "
     "up|gdrdma everywhere|gdrdma is shown",
     "\"via NET/IB/0/GDRDMA\" in the channels of NCCL_DEBUG=INFO shows that GPUDirect RDMA is used; without /GDRDMA, "
     "data goes through host memory.",
     "Check: `lsmod | grep nvidia_peermem`, or \"DMA-BUF is available\" in the log, and that GPU and NIC are near: PIX "
     "or PXB in `nvidia-smi topo -m`.",
     "NCCL_NET_GDR_LEVEL=SYS allows it over any distance. `orrery explain --why gdr` names the rule."},
    {"asked-pxn",
     " pxn |pxn_disable&no difference|not change|same result|same performance|makes no|not improve|doesn t help|does "
     "not help|no improvement|no effect|no gain|no big difference&nccl|gpu|node|slow;pxn_disable 1 +no difference|same "
     "bandwidth|same performance",
     "PXN helps small messages with many GPUs on each host, because it joins what several GPUs send to one host. "
     "With one or two GPUs per host, or large messages, a run with and without it is equally fast. NCCL does not "
     "know the network between hosts, so it uses PXN whether there are rails or not.",
     "Check: alltoall_perf -b 8 -e 1G -f 2 on all GPUs of the hosts, with NCCL_PXN_DISABLE=0 and 1.",
     "Leave NCCL_PXN_DISABLE unset."},
    {"asked-pxn", " pxn &what |how |why |when |disable|enable|mean&!topolog|cost|latency",
     "PXN (2.12 on) sends over the NIC next to another GPU of the host: data goes by NVLink to that GPU, which is on "
     "the rail of the destination, so that Alltoall and send need no NIC on another socket and do not cross rails.",
     "Check: \"via NET/IB/N(rank)/GDRDMA\" names the rank whose NIC is used.",
     "NCCL_PXN_DISABLE=1 turns it off; it needs NVLink between the GPUs."},
    {"asked-trees",
     " tree topolog|tree channel|binary tree| trees & send|recv| "
     "mean|binary|rank|parent|child|connect|understand|represent&nccl|log|channel&!model|source tree|bootstrap",
     "\"Trees [0] 3/-1/-1->0->5\" says for channel 0 that rank 0 gets data from rank 3 below it and sends to rank 5 "
     "above it; -1 stands for no rank. There are two trees, so that a rank that is in the middle of one is at the end "
     "of the other. Two ranks that a ring of the channel already connects get no further connection, nor a line.",
     "Check: read the Trees lines of all ranks, not the connections.",
     "`orrery channels` prints the rings and trees of a machine."},
    {"asked-protocol",
     " ll128 &what is|what are|difference|why does nccl|when does|how does| mean &!wrong;simple& ll &difference|what "
     "is|when ; ll128 &never|not chosen|not used|not use |disabled|unavailable| is 0 0",
     "Simple sends large blocks and then a flag: full bandwidth, high latency. LL puts a flag beside every 4 bytes "
     "of data: half the bandwidth, lowest latency. LL128 sends 120 bytes of data in 128, about 94 % of the "
     "bandwidth, and needs hardware that keeps the order of 128 bytes: without NVLink, NCCL does not choose it by "
     "itself.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints the protocol of each operation.",
     "Leave NCCL_PROTO unset: a forced LL128 can give wrong data where NCCL does not allow it."},
    {"asked-slow-training",
     "training|fsdp|ddp|deepspeed|finetun&multi node|multiple nodes|two nodes|2 nodes|multi machine&slow&!loader",
     "Between hosts a job has the NICs' bandwidth, which can be a tenth of NVLink, so first find out what the "
     "network gives.",
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
     "profiler plugin|profile_event_mask|nccl profiler&!goal|nsight| abi | v4 | v5 &?|see|only|nothing|missing|how "
     "|what |understand&!fault;profiler& data|no output|no trace|no file|dump|how to use|how do i use|how can i "
     "use|enabl&plugin|nccl&!inspector|proxy|event mask|event_mask",
     "Events below a collective come from the proxy thread, so only transfers over the network have them: on one host "
     "with P2P there are none. NCCL's example plugin writes a trace for each rank only if NCCL_PROFILE_DUMP_FILE says "
     "how the files are named. NCCL_PROFILE_EVENT_MASK adds up 1 (group), 2 (collective), 4 (send and receive), 8 "
     "(proxy operation), 16 (its steps), 32 (control), 64 (kernel channel).",
     "Check: NCCL_DEBUG=INFO prints \"PROFILER/Plugin\" with the plugin that was loaded. Two ranks on two hosts, or "
     "NCCL_P2P_DISABLE=1 NCCL_SHM_DISABLE=1 on one, show proxy events.",
     "NCCL_PROFILER_PLUGIN names the library. Kernel channel events (2.26 on) show work inside one host."},
    {"asked-cpu", "nccl&cpu usage|a cpu core|cpu load|cpu utilization|100 cpu|cpu time&!data load",
     "A rank that sends over the network has a proxy thread which polls, and so keeps one core busy while operations "
     "run. NCCL binds it to the cores near its GPU within the affinity of the process.",
     "Check: `top -H -p PID` names the threads (NCCL_SET_THREAD_NAME=1).",
     "Give each rank at least two cores near its GPU (mpirun --bind-to numa or none, not core); "
     "NCCL_IGNORE_CPU_AFFINITY=1 ignores the affinity of the process."},
    {"asked-socket-speed",
     "nsocks_perthread|socket_nthreads&!tried|didn t|did not;tcp|ethernet|net "
     "socket|sockets&nccl&bandwidth|throughput|saturate|gbps&only|slow|low|half|increase&!ncclsend|send "
     "recv|roce|rdma|infiniband",
     "One TCP connection rarely fills a fast Ethernet link, and NCCL opens one per thread: NCCL_SOCKET_NTHREADS times "
     "NCCL_NSOCKS_PERTHREAD connections, at most 64, for each pair of ranks and each channel.",
     "Check: `iperf3 -P 1` and `-P 8` between the hosts show one connection and eight.",
     "Try NCCL_SOCKET_NTHREADS=4 NCCL_NSOCKS_PERTHREAD=4; NICs that can do RoCE are far faster without TCP."},
    {"asked-abort",
     "commabort|comm abort&recover|restart| hang|fault|exit|fails;fault toleran&nccl&how |support|can |handle; fails| "
     "fail |failure| dies|goes down|is down| is lost|is killed|crashes&gpu| node|rank |host "
     "|worker&recover|resume|continue|interrupted|keep running|survive|remaining&nccl|communicat|allreduce&?|how |can "
     "|does |will |whether&!error|vendor err|port | link| nic |plugin|init|failed to",
     "A rank that fails leaves the others waiting: NCCL does not end their operations. Each of them has to call "
     "ncclCommAbort() and make a new communicator without the failed rank (ncclCommShrink() from 2.27).",
     "Check: ncclCommGetAsyncError() reports errors of the network; a GPU that merely stops reports none.",
     "Watch it from another thread with a time limit, or make the communicator with blocking=0. PyTorch does that with "
     "TORCH_NCCL_ASYNC_ERROR_HANDLING=1."},
    {"asked-timeout",
     "timeout&take effect|not respected|no effect|not work|ignored|still times&nccl|process "
     "group|process_group|distributed|torch&!slurm",
     "A time limit belongs to each process group of PyTorch: the timeout of init_process_group() does not apply to "
     "groups of new_group(), which have 10 minutes (30 before 2.2) unless they get a timeout, too.",
     "Check: \"Timeout(ms)=600000\" in the watchdog's line is the limit that applied.",
     "Pass a timeout to every new_group() and init_device_mesh(), or set the option of your framework."},
    {NULL, NULL, NULL, NULL, NULL},
};
