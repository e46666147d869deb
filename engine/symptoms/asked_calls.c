/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about calls of NCCL: groups, operations that wait for each other, time limits and failures; tuner plugins,
 * nccl-tests with MPI, settings of one communicator, DOCA. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

#define GROUPS "groupstart|groupend|group call|nccl group|nccl s group|ncclgroup|group pattern|group semantic|group api"

const struct orr_asked orr_asked_calls[] = {
    {"asked-group",
     GROUPS "|grouped|in a group|groups them&separate|different group|same group|undefined|without group|without a "
            "group|not grouped|ungrouped|must match|rank 1 &!new_group|process group|consumer group|group of ranks",
     "Ranks have to group calls that belong together in the same way: a group on one rank and single calls on the "
     "other are undefined. The calls of a group need not make progress without each other, so the receive of one rank "
     "may wait for its own send, and the peer for that receive.",
     "Check: with the same group on both ranks, the hang or error goes away.",
     "Put a send and its receive between ncclGroupStart() and ncclGroupEnd() on every rank that takes part."},
    {"asked-group",
     GROUPS "&?|how |why|what|can |wonder|question|understand&! hang|stuck|new_group|one thread|sm count|overhead|cpu "
            "time|latency| us ;ncclsend|ncclrecv|send recv|sendrecv|alltoall|all to all&without deadlock|prevent "
            "deadlock|prevents deadlock|avoid deadlock|avoids deadlock|deadlock free&how |why|wonder|what ",
     "All calls between ncclGroupStart() and ncclGroupEnd() start together at the end of the group, as one kernel. Its "
     "sends and receives run at the same time, up to 8 in a channel and the rest in rounds, in which each rank sends X "
     "ranks ahead and receives from X ranks behind, so they cannot deadlock.",
     "Check: Nsight Systems shows one kernel of NCCL for the group.",
     "Put sends and receives that belong together into one group, on every rank. One by one, they take more launches "
     "and SMs."},
    {"asked-launch-blocking",
     "cuda_launch_blocking|launch blocking& hang|hung|stuck|deadlock|freez|never return&!still | even | also "
     "|tried|too |find the|debug",
     "With CUDA_LAUNCH_BLOCKING=1, each launch waits until its kernel has ended. NCCL's kernels wait for other GPUs, "
     "so a process that drives several of them hangs, and from 2.13 on also one that uses the network: its thread gets "
     "the work only after the launch.",
     "Check: without CUDA_LAUNCH_BLOCKING, the hang goes away.",
     "Unset it where NCCL runs. To find a kernel that fails, use compute-sanitizer, or one GPU without NCCL."},
    {"asked-send-waits",
     "ncclsend|ncclrecv|sendrecv|send recv|send kernel|recv kernel&kernel| gpu | hang&is running|gpu busy|keeps "
     "running|long time|waiting for|whole time|always block|block the gpu|block gpu|spin|occup| idle&!multiple "
     "comm|communicators|deadlock|bandwidth|nchannels|max_ctas|grid|how many|one block",
     "A send and its receive wait for each other on the GPU: the kernel of ncclSend() runs, and occupies its SMs, "
     "until the peer calls ncclRecv(), because NCCL's buffers hold only a part of the data. That is normal.",
     "Check: in Nsight Systems both kernels end at about the same time, whenever each began.",
     "Post the receive earlier, with two buffers in turn, or start the send later. A compute kernel beside a waiting "
     "one has fewer SMs."},
    {"asked-init-limit",
     "timeout|time out|time limit|forever|never return|never join|abort&comminitrank|commsplit|communicator "
     "init|communicator creat|create a communicator|creating a communicator&how |set |possible|can |provide|way "
     "to&!lightning|torch distributed|socket timeout|store |watchdog",
     "NCCL has no time limit: ncclCommInitRank() waits until all ranks have called it. A program sets one with a "
     "non-blocking communicator: config.blocking = 0 and ncclCommInitRankConfig(), then it polls "
     "ncclCommGetAsyncError(), and calls ncclCommAbort() when its time is over.",
     "Check: ncclCommGetAsyncError() returns ncclInProgress as long as ranks are missing.",
     "In PyTorch, TORCH_NCCL_USE_COMM_NONBLOCKING=1 makes communicators non-blocking."},
    {"asked-pending",
     "timeout|timed out|time out|watchdog&which rank|what rank|which gpu|which node|which process|ranks are not|ranks "
     "have not|ranks did not|missing rank|who is missing&print|find|know|show|identify|tell|detect|report&?|how |can "
     "|hard to|feature&nccl|collective",
     "NCCL itself has no watchdog and no time limit: that message is PyTorch's, and one rank does not know which "
     "others are missing. NCCL's RAS (2.24 on) and PyTorch's flight recorder know.",
     "Check: while the job hangs, `ncclras` on one of its hosts lists the ranks that are late or do not answer.",
     "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 with TORCH_NCCL_DUMP_ON_TIMEOUT=1 writes the last collectives of each rank; "
     "tools/flight_recorder/fr_trace.py of PyTorch compares them."},
    {"asked-failover",
     "failover|failure of one nic|failure of a nic|fail over|failback|fail back|link fail|link failure|link flap|net "
     "flap|network flap|nic fail|nic failure|port fail|port failure|port down|port "
     "recovery|redundan&nccl|allreduce|all reduce|collective|communicat&?|survive|support|can |how "
     "|whether|possible|retry|resume|plan&!vendor err|status 12|error 12|bond",
     "By default NCCL does not move to another path: if a NIC or link fails for longer than the NIC's own retries "
     "(NCCL_IB_TIMEOUT, NCCL_IB_RETRY_CNT), the operation fails, and PXN does not change that. 2.29.7 and newer can "
     "move to another port of a merged NIC (NCCL_IB_RESILIENCY_PORT_FAILOVER=1), and 2.30 and newer return to a port "
     "that is up again (NCCL_IB_RESILIENCY_PORT_RECOVERY=1).",
     "Check: NCCL_DEBUG=WARN prints \"marked as failed\" when a device is given up.",
     "Otherwise call ncclCommAbort() on all ranks and make a new communicator, or restart from a checkpoint."},
    {"asked-tuner",
     " tuning plugin| tuner plugin|ext tuner|tuner_plugin|nccl tuner|nccl s tuner&?|how "
     "|what|document|example|enforce|priorit|override|valid&!could not find",
     "A tuner plugin (NCCL_TUNER_PLUGIN, 2.19 on) changes the choice of algorithm, protocol and channels. It gets a "
     "table of costs for each call, and NCCL takes the least. Pairs that cannot run have the cost "
     "NCCL_ALGO_PROTO_IGNORE (-1), which it must leave. NCCL_ALGO and NCCL_PROTO remove pairs before it.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints the plugin and each choice.",
     "Begin with the example in NCCL's source (plugins/tuner/example, before ext-tuner/example); its plugin reads a "
     "CSV file. Unset NCCL_ALGO and NCCL_PROTO."},
    {"asked-mpi-build",
     "one device per process|one process per gpu|one gpu per process|one process for each gpu|1 gpu per process&nccl "
     "test|mpirun|_perf&how |?|support;rank 0 &all the ranks|all ranks|every rank|each rank|all processes|every "
     "process&show|are|is |print+_perf|nccl test",
     "nccl-tests runs one process per GPU only if it was built with MPI=1 and is started by mpirun or srun. Built "
     "without MPI, each process tests alone, as rank 0 on GPU 0.",
     "Check: the list \"Using devices\" must name ranks 0 to N-1 once; `ldd build/all_reduce_perf | grep mpi` shows "
     "MPI.",
     "`make MPI=1 MPI_HOME=/path/to/mpi`, then `mpirun -np 8 -N 8 ./build/all_reduce_perf -b 8 -e 16G -f 2 -g 1`."},
    {"asked-doca", " doca |gpunetio& gin |gdaki&install|need|require|necessary|depend|version|kernel driver",
     "DOCA GPUNetIO is a part of NCCL's source, so GIN's GDAKI needs no DOCA package. It needs CUDA 12.2 or newer, a "
     "driver of 510.40.3 or newer, a ConnectX-4 or newer NIC, rdma-core 44 or newer, and GPUDirect RDMA: "
     "nvidia-peermem, or DMA-BUF with Linux 6.1 or newer.",
     "Check: `lsmod | grep nvidia_peermem`, `uname -r` and `ibv_devinfo`; NCCL_DEBUG=INFO prints the GIN plugin.",
     "If GDAKI (NCCL_GIN_TYPE=3) fails and PROXY (2) works, look at these, also in the container."},
    {"asked-cumem-host",
     "cumem_host|ncclcumemhost|cumem host&what|segfault|segmentation|crash|fault|change|effect|safe|disable|why",
     "NCCL_CUMEM_HOST_ENABLE says how the shared memory of a host's ranks is made: 1 as CUDA's host memory, passed on "
     "by handles, 0 as files in /dev/shm. Collectives and P2P work with both. A crash in cuMemCreate() below "
     "ncclCuMemHostEnable() is a fault of CUDA's driver, which its developers expect to be fixed from r595 on.",
     "Check: the backtrace of the crash names cuMemCreate() and ncclCuMemHostEnable().",
     "Leave it at 0 if 1 crashes, with /dev/shm large enough (Docker: --shm-size=1g or --ipc=host), or update the "
     "driver."},
    {"asked-in-place",
     " in place |inplace|in_place&out of place|outofplace|out_of_place|offset&differ|why|what|mean|how "
     "|need&!faster|bandwidth|busbw|alltoall| n a |wrong",
     "An operation is in place if its result overwrites its input. For AllReduce, Broadcast and Reduce both buffers "
     "are then the same. AllGather's input is the rank's own part of the output (recvbuff + rank x sendcount), "
     "ReduceScatter's output the rank's own part of the input (sendbuff + rank x recvcount), hence the offset.",
     "Check: nccl-tests measures both, in two halves of each row; they should be about as fast.",
     "Either is right; out of place needs both buffers in memory. With another offset the buffers would overlap, and "
     "the results would be wrong."},
    {"asked-one-rank",
     "single gpu|one gpu|1 gpu|single rank|one rank|nranks 1 &collective communication|broadcast|allreduce|all "
     "reduce|allgather|nccl&can |what happens|possible|wonder|does|allowed|support&perform|work with|in a "
     "communicator|run on|use nccl|call nccl|on a single gpu&!per node|per host|each node|each host|same "
     "gpu|multiple|two |several",
     "A communicator may have one rank, on one GPU: its operations then only copy the send buffer to the receive "
     "buffer, or do nothing in place. Nothing crosses a link, so nccl-tests prints a bus bandwidth of 0.",
     "Check: `all_reduce_perf -g 1` runs and prints busbw 0.00.",
     "To test NCCL itself, use at least two GPUs, one for each rank."},
    {"asked-no-kernel",
     "memcpy|copy engine|zero cta|zero sm|0 sm&instead of|without |avoid |replace|no sm|rather than|zero cta|zero "
     "sm&nccl|sendrecv|send recv|alltoall|allgather|all gather|collective&?|how |can |any way|possible|is "
     "there&!nvbandwidth|p2pbandwidth|bandwidthtest",
     "ncclSend() and ncclRecv() run a kernel; NCCL_P2P_USE_CUDA_MEMCPY only changes who copies inside it. From 2.28.3 "
     "on, AllGather, AlltoAll, Scatter and Gather can leave the work to copy engines, without SMs: with "
     "NCCL_CTA_POLICY=2 (or CTAPolicy in ncclConfig_t), symmetric memory and one NVLink domain.",
     "Check: Nsight Systems shows memory copies instead of a kernel of NCCL.",
     "Take buffers from ncclMemAlloc() and register them with ncclCommWindowRegister() on all ranks; call "
     "ncclAlltoAll() instead of single sends. `orrery explain --why symmetric` says whether a machine can."},
    {"asked-config",
     "communicator|per collective|each collective|process "
     "group&config|setting|env|nccl_algo|environment|qps|channels&by communicator|per communicator|each "
     "communicator|different communicator|globally|global |per collective|each collective|finer|for each process "
     "group|one communicator&?|need|plan|support|how |can |control&!memory;nchannels|nccl channels|fewer "
     "sms|maxctas|sm number&dynamic|at runtime|per communicator|in the program;collnet_enable&some communicator|each "
     "communicator|selectively|cache",
     "NCCL's environment variables hold for all communicators of a process. ncclConfig_t has settings of one "
     "communicator, fixed when it is made: minCTAs, maxCTAs, netName, trafficClass (2.26 on), CTAPolicy, nvlsCTAs, "
     "collnetEnable (2.27 on), nChannelsPerNetPeer (2.28 on). Others, such as NCCL_IB_QPS_PER_CONNECTION, have no such "
     "field.",
     "Check: NCCL_DEBUG=INFO prints \"Comm config\" with the values that a communicator got.",
     "Pass it to ncclCommInitRankConfig() or ncclCommSplit(), with splitShare=1 to share resources; in PyTorch, "
     "ProcessGroupNCCL.Options().config."},
    {NULL, NULL, NULL, NULL, NULL},
};
