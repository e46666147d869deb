/* SPDX-License-Identifier: Apache-2.0 */
/* The table of questions about programs that call NCCL: how communicators end, CUDA graphs, registered memory, IMEX,
 * and what RAS and NCCL_DEBUG show. */
#include <stddef.h>

#include "engine/symptoms/asked.h"

#define ORR_ENDING                                                                                                     \
    "hang in ncclcommabort|hang in ncclcommdestroy|hang in ncclcommfinalize|hangs in ncclcommabort|"                   \
    "hangs in ncclcommdestroy|hangs in ncclcommfinalize|stuck in ncclcommabort|stuck in ncclcommdestroy|"              \
    "stuck in ncclcommfinalize|stuck in destroy_process_group|hang in destroy_process_group|"                          \
    "hangs in destroy_process_group|hangs at destroy_process_group|hang at destroy_process_group|commabort hang|"      \
    "commdestroy hang|commfinalize hang|commabort stuck|commdestroy stuck|commabort is stuck|commdestroy is stuck|"    \
    "commabort block|commdestroy block|commabort never|commdestroy never|commfinalize never|"                          \
    "commabort does not return|commdestroy does not return|destroy_process_group hang|destroy_process_group never|"    \
    "destroy_process_group block|destroy_process_group is stuck|destroy_process_group does not return"
#define ORR_GRAPHS "cuda graph|cudagraph|cuda_graph|graph capture|torch cuda graph"

const struct orr_asked orr_asked_programs[] = {
    {"asked-ending",
     "destroy_process_group|commdestroy|comm destroy|commfinalize|at exit|on exit|shutdown|never exits& hang| "
     "stuck|block|never|not return+" ORR_GRAPHS "|enforce eager",
     "A CUDA graph that captured operations of NCCL keeps their communicator in use: destroying the communicator waits "
     "until the graph is destroyed.",
     "Check: with the graph deleted first, or without the capture, the program ends.",
     "Delete or reset() every graph before destroy_process_group() or ncclCommDestroy(), also those of libraries "
     "(Transformer Engine, torch.compile with cudagraphs)."},
    {"asked-ending", ORR_ENDING "&nccl|destroy_process|upgrade ",
     "The ranks of one host end a communicator together: ncclCommDestroy(), ncclCommFinalize() and, in newer releases, "
     "ncclCommAbort() wait until the others of the host call it too, because they may still use this rank's memory. "
     "One rank alone hangs there.",
     "Check: `py-spy dump` or gdb on each rank shows which one is not in that call.",
     "Make every rank of the host call it, those without an error too, and for several communicators in the same "
     "order. If operations cannot end, all ranks have to use abort."},
    {"asked-imex", " imex &what|how |why|need|relation|differ|require|must|which|mean|purpose",
     "IMEX is NVIDIA's service that lets hosts of one NVLink domain, such as a GB200 NVL72, share GPU memory: a fabric "
     "handle names memory of one host, and IMEX makes it known on another. An IMEX channel is a device file, "
     "/dev/nvidia-caps-imex-channels/channelN: processes can share memory only if they have the same channel.",
     "Check: `nvidia-imex-ctl -N` shows all hosts as READY, and the job sees a channel in "
     "/dev/nvidia-caps-imex-channels.",
     "Start nvidia-imex with the same list of hosts on each of them, and give containers the channel (Kubernetes: a "
     "ComputeDomain). One host without NVLink to others needs no IMEX; NCCL_MNNVL_ENABLE=0 does without it."},
    {"asked-register",
     "commregister|comm register|user buffer|buffer registration|register buffer|registered buffer|register the "
     "buffer&?|how |need|whether|collective|why|must|understand|confus|correct|question&!window|symmetric",
     "ncclCommRegister() is not collective: each rank registers its own buffers, and their sizes may differ. But if "
     "one rank passes registered buffers to an operation, all its ranks have to. ncclCommWindowRegister() (2.27 on) is "
     "collective.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,REG prints what is registered.",
     "For NVLink SHARP the memory comes from ncclMemAlloc(), at the same offset on all ranks. Both the send and the "
     "receive buffer must be registered."},
    {"asked-visible",
     "cuda_visible_devices&p2p|nvlink|only see|sees|own gpu|one gpu|each process|per process|each rank|different "
     "order&nccl|torch|distributed|rank&?|can |how |why|does|still|whether",
     "NCCL knows GPUs by their PCI addresses. Ranks may each see one GPU through CUDA_VISIBLE_DEVICES, as device 0, "
     "and still use P2P and NVLink (CUDA 10.1 on). Containers or cgroups that hide the other GPUs altogether prevent "
     "that.",
     "Check: NCCL_DEBUG=INFO prints \"via P2P\" between ranks of one host, not \"via SHM\".",
     "Each process chooses the GPU by the number that it sees: LOCAL_RANK, or 0 if it sees one."},
    {"asked-versions",
     "different nccl version|different versions of nccl|same nccl version|same version of nccl|mismatched nccl|nccl "
     "version mismatch&node|host|rank|machine|server|worker",
     "All ranks of a communicator need the same release of NCCL. NCCL compares the releases when it starts, and stops "
     "if they differ.",
     "Check: NCCL_DEBUG=VERSION prints the release that each rank really loads.",
     "Use one image, or one version of PyTorch and of nvidia-nccl-cu*, on all hosts."},
    {"asked-ras",
     " ras | ncclras &healthy| ok | fine|no error|not show|not detect|not report&timeout|timed out| "
     "hang|stuck|watchdog",
     "RAS compares how many operations the ranks have started. If all have started equally many, it says OK, also "
     "while one of these operations does not end: then no rank is missing, and the operation itself does not go on.",
     "Check: ask RAS twice (`ncclras -v`). Counts that do not grow in the meantime show a hang.",
     "If the counts stand still, look at links and NICs of all hosts, and for Xid messages in dmesg."},
    {"asked-debug",
     "nccl_debug&no output|nothing|not print|t print|not show|no log|not appear|not see|no effect|not work|where&!too "
     "much|only rank 0|subsys| graph | tuning | coll |level",
     "NCCL reads NCCL_DEBUG in each process that makes a communicator. If it prints nothing, the variable does not "
     "reach that process, its output goes elsewhere, or NCCL is not used (one rank, Gloo, vLLM's own all-reduce).",
     "Check: `tr '\\0' '\\n' < /proc/PID/environ | grep NCCL` with the PID of a worker.",
     "mpirun: -x NCCL_DEBUG=INFO. Ray: set it before `ray start` on every host, or in runtime_env. "
     "NCCL_DEBUG_FILE=/tmp/nccl.%h.%p writes a file for each process."},
    {"asked-one-thread",
     "comminitrank|comminitall|ncclallreduce|groupstart|ncclgroup& hang| stuck|deadlock|block|forever+one "
     "thread|single thread|same thread|one process|single process|for loop|each gpu;without ncclgroup|lack of "
     "ncclgroup|no ncclgroup|need ncclgroup|group api|ncclgroupstart "
     "necessary&deadlock|required|necessary|need|work&!new_group",
     "A thread that drives several GPUs must put its calls for all of them between ncclGroupStart() and "
     "ncclGroupEnd(). Otherwise the first call waits for GPUs whose calls come later.",
     "Check: one thread or process for each GPU does not hang.",
     "Group ncclCommInitRank() of all GPUs, and each collective of all GPUs, or use ncclCommInitAll()."},
    {"asked-nonblocking",
     "nonblocking|non blocking|ncclinprogress|config blocking 0|blocking "
     "0&split|init|group|poll|wait|return|result|call|ready|bug|wrong "
     "result|asyncerror&nccl|communicator&!mpi_|socket;non blocking|nonblocking|blocking "
     "0&communicator|ncclconfig|nccl_config|nccl call|nccl api&mean|what is the differ|what does|purpose|what for|what "
     "will change|sense&!ncclinprogress|poll|getasync|split|wrong",
     "A non-blocking communicator (blocking = 0) changes only the CPU side: a call may return ncclInProgress instead "
     "of waiting for its peers. Poll ncclCommGetAsyncError(comm) while it gives ncclInProgress, after "
     "ncclCommInitRankConfig() too, before the next call with this communicator. For ncclCommSplit(), poll the parent: "
     "newcomm is filled once the parent gives ncclSuccess (2.23).",
     "Check: with NCCL_DEBUG=WARN, \"Attempt to use communicator before\" shows a call that came too early.",
     "The loop is `do ncclCommGetAsyncError(comm, &state); while (state == ncclInProgress);` with a time limit, after "
     "which ncclCommAbort() ends the communicator."},
    {"asked-stream-error",
     "commgetasyncerror|async error|errors async|asynchronous error|asynchronous mode&stream|callback|kernel&?|how "
     "|check|detect|way to",
     "A kernel or a callback in the stream cannot see an error of NCCL, because an operation that fails may never end "
     "and so keeps the stream waiting.",
     "Check: ncclCommGetAsyncError() reports errors of the network, and works from another CPU thread.",
     "Poll it in a CPU thread with a time limit, and call ncclCommAbort() there, on all ranks; then the stream goes "
     "on."},
    {"asked-ray-interface",
     " ray &interface|socket_ifname&sets|set by|default|wrong|hard coded|hardcoded|why|constants",
     "Ray Train sets NCCL_SOCKET_IFNAME itself if the job does not: to ^lo,docker,veth, or en,eth,bond before. NCCL "
     "then uses only interfaces that fit it, and not those that it would choose itself.",
     "Check: NCCL_DEBUG=INFO prints \"NCCL_SOCKET_IFNAME set by environment to\", and `ip -br addr` the interfaces.",
     "Set NCCL_SOCKET_IFNAME in Ray's runtime_env (env_vars) to the interface that all hosts share."},
    {"asked-graphs",
     ORR_GRAPHS "&nccl|collective|allreduce|communicator&?|support|can |how |mixing|register|safe|what&!wrong",
     "CUDA graphs may contain operations of NCCL (2.9 on, with CUDA 11.3 and driver 465 or newer). All ranks capture "
     "the same operations and launch their graphs in the same order, because a launch waits for the peers.",
     "Check: run the operations once before the capture, which makes their connections, and once without graphs.",
     "NCCL_GRAPH_MIXING_SUPPORT=0 makes launches cheaper if no communicator is in use by two graphs, or inside and "
     "outside a graph, at the same time. Destroy graphs before their communicators."},
    {"asked-error-handling", "async_error_handling|blocking_wait&what|how |difference|mean|?|effect|purpose",
     "TORCH_NCCL_ASYNC_ERROR_HANDLING, which is on by default, makes PyTorch's watchdog end the process if a "
     "collective fails or exceeds the time limit of its process group. TORCH_NCCL_BLOCKING_WAIT=1 makes wait() block "
     "the program and raise the error there.",
     "Check: \"Watchdog caught collective operation timeout\" comes from the first, an exception of wait() from the "
     "second.",
     "Leave both as they are unless the program handles the exception itself; names without TORCH_ are old."},
    {"asked-same-gpu",
     "same gpu|one gpu|single gpu|share a gpu|shared gpu|per gpu| mig | mps &multiple rank|multiple process|several "
     "rank|several process|two rank|two process|2 process|2 rank|more than one process|more than one rank|many "
     "process| mig | mps &nccl&?|support|can |how |possible|allow|want",
     "NCCL needs one GPU for each rank of a communicator: since 2.5 it refuses two ranks on one GPU, with MPS and on "
     "MIG slices of one GPU too (\"Duplicate GPU detected\").",
     "Check: `nvidia-smi -L` must list at least as many GPUs as the host has ranks.",
     "Use one rank for each GPU and batch the work in it, or Gloo or MPI for ranks that share a GPU. 2.30 and newer "
     "releases have NCCL_MULTI_RANK_GPU_ENABLE=1 as an experiment, without P2P and NVLink."},
    {"asked-gin",
     " gin | gdaki |gpu initiated| gin_type|gin_enable&nccl|deepep|plugin|kernel&?|does |how "
     "|what|why|use|correct+!never incremented",
     "GIN lets a kernel start network transfers itself: GDAKI if it drives a mlx5 NIC directly, PROXY if a CPU thread "
     "does that. It serves kernels that are written with NCCL's device API (2.28.7 on), and NCCL's own symmetric "
     "kernels of AllGather (2.29.2 on) and ReduceScatter (2.29.7 on). Other operations use the usual network code.",
     "Check: NCCL_DEBUG=INFO prints the GIN plugin that a communicator got; `orrery explain --why gin` names the rule.",
     "NCCL's own needs InfiniBand or RoCE with GPUDirect RDMA. NCCL_GIN_TYPE=2 (PROXY) or 3 (GDAKI) chooses one."},
    {"asked-clique",
     "clique id|cliqueid|cluster uuid|fabric uuid|clique|ids for mnnvl|mnnvl ids&why|what|differ|mean|two id|need|how "
     "|both&!healthmask|size",
     "NVML reports two numbers of the NVLink fabric for each GPU: the cluster UUID names the fabric, the clique id a "
     "partition of it. Clique ids repeat in other fabrics, so NCCL joins ranks by NVLink only if both are the same.",
     "Check: `nvidia-smi -q | grep -A6 Fabric`, and \"MNNVL busId ... fabric UUID ... cliqueId\" with NCCL_DEBUG=INFO.",
     "NCCL_MNNVL_UUID and NCCL_MNNVL_CLIQUE_ID override them, for tests."},
    {"asked-inspector", " inspector&nccl|plugin&?|how |what|document|use",
     "NCCL Inspector (2.28 on) is a profiler plugin that writes size, time and bandwidth of each operation of each "
     "communicator, without changes of the program. NCCL's source has it and its README in the profiler plugins "
     "(inspector).",
     "Check: NCCL_DEBUG=INFO prints \"PROFILER/Plugin\" with its name.",
     "Build it, set NCCL_PROFILER_PLUGIN to libnccl-profiler-inspector.so, NCCL_INSPECTOR_ENABLE=1 and "
     "NCCL_INSPECTOR_DUMP_DIR. NCCL loads one profiler plugin, so not the example plugin beside it."},
    {NULL, NULL, NULL, NULL, NULL},
};
