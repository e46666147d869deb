/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of PyTorch, nccl-tests and launchers. Last come the rows that say least: the names of NCCL's results. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

#define ORR_IF_NOTHING_FOLLOWS "If nothing follows, run with NCCL_DEBUG=INFO to see how far each rank comes."
#define ORR_FIRST_WARN                                                                                                 \
    "The first NCCL WARN of any rank gives the reason; if there is none, run again with NCCL_DEBUG=INFO."
#define ORR_IF_INTERFACE                                                                                               \
    " If NCCL's line \"Bootstrap: Using\" names an interface that other hosts do not reach, name the one that they "   \
    "share in NCCL_SOCKET_IFNAME (`ip -br addr`)."
#define ORR_UNEXPECTED                                                                                                 \
    "NCCL met a state that it does not expect, and this line does not say which.", ORR_FIRST_WARN ORR_IF_INTERFACE
#define ORR_SYSTEM_CALL                                                                                                \
    "A system call or a library call failed inside NCCL, and this line does not say which.",                           \
        ORR_FIRST_WARN ORR_IF_INTERFACE " If `df -h /dev/shm` shows little room, make it larger."
#define ORR_CUDA_CALL                                                                                                  \
    "A CUDA call failed inside NCCL, and this line does not say which.",                                               \
        ORR_FIRST_WARN " Run once with NCCL_P2P_DISABLE=1: if it then works, P2P between the GPUs is at fault."
#define ORR_USAGE "NCCL was used in a way that it does not allow, and this line does not say which.", ORR_FIRST_WARN
#define ORR_ARGUMENT                                                                                                   \
    "NCCL was given an argument that it does not accept, and this line does not say which.", ORR_FIRST_WARN
#define ORR_REMOTE                                                                                                     \
    "Another process of the job ended, or the network to it broke.", "Look for the first error of the other ranks."
#define ORR_ENDS_AFTER                                                                                                 \
    "PyTorch ends the process because of an error that it reported before.", "Look for the first error of this rank."
#define ORR_HOW_FAR(how)                                                                                               \
    "PyTorch says how far this rank got: the work that " how ", and the last one that it enqueued.",                   \
        "If the last enqueued work of a rank is lower than that of the others, that rank did not call the collective."
#define ORR_WATCHDOG_STUCK                                                                                             \
    "PyTorch's watchdog thread made no progress for longer than its limit, and PyTorch ended the process.",            \
        "If another rank reports an earlier error, begin with that error. If `py-spy dump --native` shows the thread " \
        "in a CUDA or NCCL call while it hangs, the GPU or another rank does not answer. If the thread only waits "    \
        "for Python's lock (GIL), raise TORCH_NCCL_HEARTBEAT_TIMEOUT_SEC."
#define ORR_REACH_STORE                                                                                                \
    "If a process of the job was not started or ended in an error, its own log says why. If MASTER_ADDR, MASTER_PORT " \
    "or WORLD_SIZE differ between the hosts, make them equal. If `nc -vz MASTER_ADDR MASTER_PORT` fails while rank 0 " \
    "waits, a firewall or a route is in the way."
#define ORR_CRASHED                                                                                                    \
    "A process crashed: it used memory that it may not use.",                                                          \
        "If the crash report below the line names functions of NCCL or of a plugin (libnccl.so, libnccl-net.so), try " \
        "a newer release of it. If there is no report, PYTHONFAULTHANDLER=1 prints the Python call, and gdb reads a "  \
        "core file."
#define ORR_HEAP                                                                                                       \
    "A process wrote over memory that is not its own, and the C library stopped it.",                                  \
        "Run once with NCCL_NET_PLUGIN=none and NCCL_TUNER_PLUGIN=none: if it then works, a plugin is at fault. If "   \
        "the crash report names functions of NCCL or of a plugin, try a newer release of it."
#define ORR_NO_MEMORY                                                                                                  \
    "The GPU had no memory left for this process.",                                                                    \
        "If `nvidia-smi` lists only this process on the GPU, reduce the batch or the model's memory per GPU. If "      \
        "`nvidia-smi` lists other processes there, end those that should not run, or give every rank a GPU of its "    \
        "own."
#define ORR_KILLED_FOR_MEMORY                                                                                          \
    "The system ended a process, because the host or the container had no memory left.",                               \
        "Raise the job's memory limit, or use fewer data loader processes."
#define ORR_TRY_MPI "Make `mpirun -np 2 -H HOST1,HOST2 hostname` work first."

const struct orr_log_message orr_log_messages_job[] = {
    {"watchdog-timeout", ORR_FROM_ALL, ORR_WEIGHT_HANG, "Watchdog caught collective operation timeout", NULL,
     "A collective did not end within PyTorch's time limit: at least one rank did not take part, or data did not "
     "arrive.",
     "Find the rank whose last enqueued work is lower, or that reports nothing: `py-spy dump` or "
     "TORCH_NCCL_TRACE_BUFFER_SIZE=2000 shows what each rank does. If a rank does not make the call, as under `if rank "
     "== 0`, make the call on every rank. If a rank still loads, saves or evaluates, raise the timeout of "
     "init_process_group(). "
     "If all ranks made the call, run once with NCCL_P2P_DISABLE=1, and once without CUDA graphs (vLLM: "
     "--enforce-eager): if one of them helps, P2P or the graphs are at fault.",
     "[rank3]:[E ProcessGroupNCCL.cpp:563] [Rank 3] Watchdog caught collective operation timeout: WorkNCCL(SeqNum=30, "
     "OpType=ALLREDUCE, NumelIn=1, NumelOut=1, Timeout(ms)=600000) ran for 600029 milliseconds before timing out."},
    {"watchdog-work", ORR_FROM_ALL, ORR_WEIGHT_HANG, "Timeout at NCCL work: %d, last enqueued NCCL work: %d,", NULL,
     ORR_HOW_FAR("timed out"),
     "[rank3]:[E ProcessGroupNCCL.cpp:1537] [PG 0 Rank 3] Timeout at NCCL work: 30, last enqueued NCCL work: 31, last "
     "completed NCCL work: 29."},
    {"watchdog-at-work", ORR_FROM_ALL, ORR_WEIGHT_REPORT, "detected by watchdog at work", NULL,
     ORR_HOW_FAR("failed or timed out"),
     "[rank3]:[E816 ProcessGroupNCCL.cpp:1664] [PG 0 (default_pg) Rank 3] Exception (either an error or timeout) "
     "detected by watchdog at work: 30, last enqueued NCCL work: 31, last completed NCCL work: 29."},
    {"watchdog-heartbeat", ORR_FROM_ALL, ORR_WEIGHT_HANG, "eartbeat monitor timed out", NULL, ORR_WATCHDOG_STUCK,
     "[rank0]:[F ProcessGroupNCCL.cpp:1385] [PG 0 Rank 0] Heartbeat monitor timed out! Process will be terminated "
     "after dumping debug info."},
    {"watchdog-stuck", ORR_FROM_ALL, ORR_WEIGHT_HANG, "watchdog got stuck for", NULL, ORR_WATCHDOG_STUCK,
     "[rank1]:[F ProcessGroupNCCL.cpp:1169] [PG 0 Rank 1] ProcessGroupNCCL's watchdog got stuck for 600 seconds "
     "without making progress in monitoring enqueued collectives."},
    {"watchdog-dump", ORR_FROM_ALL, ORR_WEIGHT_AFTERMATH, "Received a dump signal", NULL,
     "PyTorch on this rank learned that another rank timed out.", "Look for the rank that the message names.",
     "[rank0]:[E1101 ProcessGroupNCCL.cpp:1486] [PG 0 Rank 0] Received a dump signal from this local rank and will "
     "start to dump the debug info."},
    {"cuda-illegal-application", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "CUDA error: an illegal memory access", NULL,
     "A kernel on this GPU, of NCCL or of the application, used memory that it may not use.",
     "Run with compute-sanitizer or CUDA_LAUNCH_BLOCKING=1 to find the kernel: NCCL's have names that begin with nccl.",
     "RuntimeError: CUDA error: an illegal memory access was encountered"},
    {"watchdog-ended", ORR_FROM_ALL, ORR_WEIGHT_REPORT, "rocess group watchdog thread terminated with exception", NULL,
     ORR_ENDS_AFTER,
     "[rank3]:[E ProcessGroupNCCL.cpp:1414] [PG 0 Rank 3] Process group watchdog thread terminated with exception: "
     "NCCL error"},
    {"watchdog-down", ORR_FROM_ALL, ORR_WEIGHT_REPORT, "taking the entire process down", NULL, ORR_ENDS_AFTER,
     "[rank3]:[E ProcessGroupNCCL.cpp:583] To avoid data inconsistency, we are taking the entire process down."},
    {"watchdog-some", ORR_FROM_ALL, ORR_WEIGHT_REPORT, "Some NCCL operations have failed or timed out", NULL,
     ORR_ENDS_AFTER, "[rank3]:[E ProcessGroupNCCL.cpp:577] Some NCCL operations have failed or timed out."},
    {"torch-aborted", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "NCCL communicator was aborted on rank", NULL,
     "PyTorch ended this rank's communicator because of an error or a time limit.",
     "Look for the first error or time-out of all ranks.", "RuntimeError: NCCL communicator was aborted on rank 3."},
    {"collective-mismatch", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "Detected mismatch between collectives on ranks", NULL,
     "Ranks called different collectives, or with different shapes.",
     "Make the ranks call the same collectives in the same order; the line names both calls.",
     "RuntimeError: Detected mismatch between collectives on ranks. Rank 1 is running collective: "
     "CollectiveFingerPrint(OpType=ALLREDUCE)"},
    {"store-clients", ORR_FROM_OTHER, ORR_WEIGHT_ABSENT, "clients joined", NULL,
     "PyTorch waited for processes of the job that did not come in time.", ORR_REACH_STORE,
     "torch.distributed.DistStoreError: Timed out after 901 seconds waiting for clients. 1/2 clients joined."},
    {"store-address", ORR_FROM_OTHER, ORR_WEIGHT_ABSENT, "network address of (", NULL,
     "PyTorch could not connect to the first host of the job.", ORR_REACH_STORE,
     "torch.distributed.DistNetworkError: The client socket has failed to connect to any network address of (node-0, "
     "29500)."},
    {"store-barrier", ORR_FROM_OTHER, ORR_WEIGHT_HANG, "store based barrier on rank", NULL,
     "PyTorch waited for processes of the job that did not come in time: worker_count is how many came, of world_size.",
     ORR_REACH_STORE,
     "RuntimeError: Timed out initializing process group in store based barrier on rank: 0, for key: "
     "store_based_barrier_key:1 (world_size=8, worker_count=4, timeout=0:30:00)"},
    {"rendezvous-timeout", ORR_FROM_OTHER, ORR_WEIGHT_ABSENT, "RendezvousTimeoutError", NULL,
     "torchrun waited for hosts of the job that did not come in time.",
     "If --nnodes, --rdzv_id or --rdzv_endpoint differ between the hosts, make them equal. If `nc -vz HOST PORT` to "
     "the endpoint fails from a host, a firewall or a route is in the way. If torchrun was not started on a host or "
     "ended in an error, its own log says why.",
     "torch.distributed.elastic.rendezvous.api.RendezvousTimeoutError"},
    {"store-connect", ORR_FROM_OTHER, ORR_WEIGHT_ABSENT, "client socket has timed out", NULL,
     "PyTorch could not connect to the first host of the job.", ORR_REACH_STORE,
     "[W socket.cpp:601] [c10d] The client socket has timed out after 900s while trying to connect to (10.0.0.1, "
     "29500)."},
    {"cuda-ordinal-application", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, ": invalid device ordinal", NULL,
     "The program named a GPU that the process does not see.",
     "If a host runs more processes than `nvidia-smi -L` lists GPUs in a task, start fewer or give the task all GPUs "
     "(docker --gpus all). If the program chooses the GPU by rank on several hosts, choose it by LOCAL_RANK.",
     "RuntimeError: CUDA error: invalid device ordinal"},
    {"no-barrier-device", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "to perform barrier as devices used by this process are",
     NULL, "PyTorch guesses the GPU of this rank for a barrier; a wrong guess hangs the job.",
     "Call torch.cuda.set_device(LOCAL_RANK) first, or give device_id to init_process_group().",
     "[rank1]:[W ProcessGroupNCCL.cpp:4561] [PG ID 0 PG GUID 0 Rank 1]  using GPU 1 to perform barrier as devices used "
     "by this process are currently unknown."},
    {"not-destroyed", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "destroy_process_group() was not called", NULL,
     "The program ended without closing its communicators.", "Call destroy_process_group() at the end.",
     "[rank0]:[W ProcessGroupNCCL.cpp:1496] Warning: WARNING: destroy_process_group() was not called before program "
     "exit"},
    {"store-id", ORR_FROM_ALL, ORR_WEIGHT_AFTERMATH, "via c10d key-value store", NULL,
     "A rank did not get the communicator's id from rank 0, which failed, ended, or had not come that far in time.",
     "If rank 0's own log has an earlier error, begin with that error. If rank 0 was still busy (preparing data, "
     "loading), raise the timeout of init_process_group(). If rank 0 waits in another process group, make the groups "
     "in the same order on all ranks.",
     "[1] is setting up NCCL communicator and retrieving ncclUniqueId from [0] via c10d key-value store by key '0', "
     "but store->get('0') got error: Connection reset by peer"},
    {"store-wait", ORR_FROM_OTHER, ORR_WEIGHT_AFTERMATH, "wait timeout after %dms, keys:", NULL,
     "A rank waited for another one to announce itself to PyTorch's store, which did not come that far in time.",
     "If another rank's own log has an error, begin with that error. If another rank only takes long, raise the "
     "timeout of init_process_group().",
     "torch.distributed.DistStoreError: wait timeout after 600000ms, keys: /default_pg/0//cuda//0"},
    {"store-lost", ORR_FROM_OTHER, ORR_WEIGHT_AFTERMATH, "recvValue failed", NULL,
     "PyTorch lost its connection to the job's store, which runs on the first host.",
     "If rank 0's process ended, the store ended with it: look for its first error. If rank 0 still waits, what lies "
     "between the hosts (a firewall, a service mesh of Kubernetes) closed the connection.",
     "[W TCPStore.cpp:122] [c10d] recvValue failed on SocketImpl(fd=4): Connection reset by peer"},
    {"gloo-connect", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Gloo connectFullMesh failed", NULL,
     "Gloo, PyTorch's network for CPU tensors, could not connect the processes of the job.",
     "If `getent hosts $(hostname)` on a host shows an address that the others do not reach, set GLOO_SOCKET_IFNAME to "
     "the interface that all hosts share. If a process ended before, its own log says why.",
     "RuntimeError: Gloo connectFullMesh failed with [../third_party/gloo/gloo/transport/tcp/pair.cc:144] no error"},
    {"ipc-expandable", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "custom_all_reduce",
     "'invalid argument'|register_graph_buffers",
     "vLLM's and SGLang's own all-reduce could not share its buffers between the GPUs. This is not NCCL.",
     "If PYTORCH_CUDA_ALLOC_CONF has expandable_segments:True, take that out. With --disable-custom-all-reduce, NCCL "
     "does the work.",
     "Failed: Cuda error /workspace/csrc/custom_all_reduce.cuh:164 'invalid argument'"},
    {"ipc-peer", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "peer access is not supported between", NULL,
     "The program itself needs P2P between the GPUs, and the driver refuses that. NCCL works without it.",
     "If the all-reduce of vLLM or SGLang asks for it, start with --disable-custom-all-reduce (TensorRT-LLM: "
     "use_custom_all_reduce disable). `nvidia-smi topo -p2p r` shows what the driver offers.",
     "Failed: Cuda error custom_all_reduce.cuh:307 'peer access is not supported between these two devices'"},
    {"vgpu-grid", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GRID %w-%d", NULL, "The GPU is a virtual one (vGPU).",
     "Nothing is wrong by itself.", "|   0  GRID A100-40C                  On  |   00000000:02:00.0 Off |"},
    {"vgpu", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "NVIDIA %w-%dC", NULL, "The GPU is a virtual one (vGPU).",
     "Nothing is wrong by itself.", "GPU 0: NVIDIA L40S-48C (UUID: GPU-0c6f)"},
    {"vllm-nccl", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "vLLM is using nccl", NULL, "vLLM starts NCCL.",
     ORR_IF_NOTHING_FOLLOWS, "INFO 09-12 23:40:47 pynccl.py:63] vLLM is using nccl==2.20.5"},
    {"sglang-nccl", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, " nccl", "==2.| begin.", "SGLang starts NCCL.",
     ORR_IF_NOTHING_FOLLOWS, "[2026-08-26 10:00:01 TP0] sglang is using nccl==2.30.7"},
    {"nvbandwidth-domain", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "MultinodeMemoryAllocation", NULL,
     "The multinode tests of nvbandwidth need one NVLink domain over all hosts, such as a rack of GB200.",
     "If no NVLink joins the hosts, as with HGX boards, measure with nccl-tests. If the hosts are in one such rack, "
     "check `nvidia-imex-ctl -N` and `nvidia-smi -q | grep -A6 Fabric`.",
     "[CUDA_ERROR_INVALID_VALUE] invalid argument in expression cuMemSetAccess(...) in MultinodeMemoryAllocation"},
    {"mpi-ssh", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "ssh: ", "connect to host|resolve hostname",
     "The launcher could not start processes on another host, because ssh does not reach it. NCCL had not begun.",
     "Make `ssh HOST hostname` work from this host without a password. If the sshd of a host listens at another port, "
     "name it: --mca plm_rsh_args \"-p PORT\". In Kubernetes, wait until the workers run an sshd and their names "
     "resolve (MPI Operator).",
     "ssh: connect to host 10.0.0.3 port 22: Connection refused"},
    {"mpi-key", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Permission denied (", "publickey",
     "The launcher could not start processes on another host, because ssh refused the key. NCCL had not begun.",
     "Make `ssh HOST hostname` work from this host without a password: the same user, and ~/.ssh of mode 700 owned by "
     "it. Kubernetes: the MPI Operator's image must run sshd as that user.",
     "root@worker-1: Permission denied (publickey,password)."},
    {"sshd-missing", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "/usr/sbin/sshd", "o such file|ot found",
     "The image of the job's workers has no sshd, so the launcher (MPI Operator) cannot start processes in them. NCCL "
     "had not begun.",
     "Install openssh-server in the image, with host keys (`ssh-keygen -A`) and /run/sshd, and openssh-client in that "
     "of the launcher.",
     "exec: \"/usr/sbin/sshd\": stat /usr/sbin/sshd: no such file or directory: unknown"},
    {"sshd-keys", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "sshd: no hostkeys available", NULL,
     "The sshd of a worker does not start, because its image has no host keys. NCCL had not begun.",
     "Run `ssh-keygen -A` when the image is built, as root or as the user that runs sshd.",
     "sshd: no hostkeys available -- exiting."},
    {"mpi-orted", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "orted: ", "ommand not found|o such file",
     "Another host does not find Open MPI's daemon (orted): Open MPI is not installed there, or not in the PATH of a "
     "shell that ssh starts. NCCL had not begun.",
     "If `ssh HOST which orted` finds nothing, install the same Open MPI at one path on all hosts. If Open MPI is "
     "installed there, start mpirun by its full path or with --prefix PATH. In containers, mpirun must start processes "
     "in the other container, not on its host.",
     "bash: /usr/local/bin/orted: No such file or directory"},
    {"mpi-daemon", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "lost communication with a remote daemon", NULL,
     "MPI lost its own process on another host. NCCL had not begun, or ended with it.", ORR_TRY_MPI,
     "PRTE has lost communication with a remote daemon."},
    {"mpi-start", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "unable to reliably start one or more daemons", NULL,
     "MPI could not start its own processes on the other hosts. NCCL had not begun, or ended before.", ORR_TRY_MPI,
     "ORTE was unable to reliably start one or more daemons."},
    {"mpi-init", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Fatal error in", "PMPI_Init|MPI_Init",
     "MPI did not start, so NCCL had not begun.",
     "If `which mpirun` and `ldd PROGRAM | grep libmpi` name different MPIs, use the launcher of the program's MPI. "
     "The lines below name the call that failed.",
     "Abort(3712399) on node 0 (rank 0 in comm 0): Fatal error in PMPI_Init: Other MPI error, error stack:"},
    {"mpi-slots", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "There are not enough slots available", NULL,
     "mpirun should start more processes than its hosts have slots.",
     "Name slots in the host list (-H node1:8,node2:8), or use --oversubscribe.",
     "There are not enough slots available in the system to satisfy the 16 slots that were requested"},
    {"cuda-memory-unreal", ORR_FROM_OTHER, ORR_WEIGHT_AFTERMATH, "Tried to allocate more than 1EB memory", NULL,
     "The program asked for more memory than any GPU has (over 1 EB), so the size itself is wrong.",
     "If an error or a time limit comes before this line, the data with the size did not arrive: begin with that "
     "error. If NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=COLL shows different calls on the ranks, one rank reads data of "
     "another operation.",
     "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate more than 1EB memory."},
    {"cuda-memory-application", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "CUDA out of memory", NULL, ORR_NO_MEMORY,
     "torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB."},
    {"cuda-memory-taken", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "CUDA error: out of memory", NULL, ORR_NO_MEMORY,
     "torch.AcceleratorError: CUDA error: out of memory"},
    {"killed-memory", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "oom-kill", NULL, ORR_KILLED_FOR_MEMORY,
     "slurmstepd: error: Detected 1 oom-kill event(s) in StepId=123.0."},
    {"killed-memory-step", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Detected %d oom_kill event", NULL, ORR_KILLED_FOR_MEMORY,
     "slurmstepd: error: Detected 1 oom_kill event in StepId=123.0. Some of the step tasks have been OOM Killed."},
    {"killed-memory-kernel", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "of memory: Killed process", NULL, ORR_KILLED_FOR_MEMORY,
     "[12345.6] Out of memory: Killed process 3012 (python3) total-vm:91234567kB, anon-rss:81234567kB"},
    {"sigsegv-nccl", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "SIGSEGV", "nccl",
     "A process crashed inside NCCL: it used memory that it may not use.",
     "Try a newer release of NCCL; if that crashes as well, report the backtrace to NCCL's developers.",
     "SIGSEGV in ncclLocalOpAppend after 1.1M collectives"},
    {"segfault-ras", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "egmentation fault", " RAS| ras|/ras/|rasMsg",
     "A process crashed in NCCL's RAS, which watches jobs and which the job itself does not need.",
     "NCCL_RAS_ENABLE=0 turns RAS off.", "Segmentation fault at RAS in NCCL 2.27.7"},
    {"ras-frame", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "rasThreadMain", NULL,
     "The crash report names the thread of NCCL's RAS, which watches jobs and which the job itself does not need.",
     "Check: run once with NCCL_RAS_ENABLE=0, which turns RAS off. If the job then works, leave it off, and do not ask "
     "RAS (ncclras) while communicators start, or use a newer release.",
     "[h:40588] [ 2] /usr/lib64/libnccl.so.2(_Z13rasThreadMainPv+0x1ca)[0x7f9a6109ecca]"},
    {"nccl-frame", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "libnccl.so", "(+0x|(_Z|(nccl|(pnccl",
     "The crash report names a function of NCCL.",
     "Try a newer NCCL, and run once without its plugins (NCCL_NET_PLUGIN=none).",
     "[n1:956] [ 4] /usr/local/nccl/lib/libnccl.so.2(+0xbd72c)[0x7d1d0c8f372c]"},
    {"nccl-kernel", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "at ncclDev", NULL, "compute-sanitizer names a kernel of NCCL.",
     "Check the buffers of the call.", "=========     at ncclDevFunc_AllReduce_Sum_bf16_RING_SIMPLE()+0x14440"},
    {"nccl-frame-named", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "(unknown) nccl", NULL,
     "The crash report names a function of NCCL.",
     "Try a newer NCCL, and run once without its plugins (NCCL_NET_PLUGIN=none).",
     "PC: @     0x7f32d184f03d  (unknown)  ncclLaunchPrepare()"},
    {"nccl-frame-python", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "pynccl_wrapper.py", NULL, "The trace names a call of NCCL.",
     "Try a newer NCCL, and run once without its plugins (NCCL_NET_PLUGIN=none).",
     "  File \"/opt/vllm/distributed/device_communicators/pynccl_wrapper.py\", line 290 in ncclAllReduce"},
    {"ucx-crash", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "ucp_", "Segmentation fault",
     "UCX crashed, which MPI uses, and not NCCL.",
     "If `df -h /dev/shm` in the container shows little room, make it larger (docker --shm-size=8g; Kubernetes: an "
     "emptyDir with medium Memory). Run once with UCX_TLS=^mm: if it then works, UCX's shared memory is at fault.",
     "[ucp_address_unpack] Caught signal 11 (Segmentation fault)"},
    {"segfault", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Segmentation fault", NULL, ORR_CRASHED,
     "[node1:00001] Signal: Segmentation fault (11)"},
    {"elastic-crash", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "exitcode: -11)", NULL, ORR_CRASHED,
     "torch.distributed.elastic.multiprocessing.api: failed (exitcode: -11) local_rank: 2 (pid: 4481) of binary: "
     "/usr/bin/python"},
    {"sigsegv", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "SIGSEGV received", NULL, ORR_CRASHED,
     "*** SIGSEGV received at time=1742365186 on cpu 33 ***"},
    {"heap-corrupted", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "free(): ", "invalid|corrupted|double free", ORR_HEAP,
     "free(): corrupted unsorted chunks"},
    {"heap-corrupted-size", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "corrupted size vs. prev_size", NULL, ORR_HEAP,
     "corrupted size vs. prev_size"},
    {"signal-exit", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "exited on signal", NULL,
     "A process of the job was ended by the signal in the line.",
     "If the signal is 9 and `dmesg | grep -i oom` on that host names the process, host memory ran out. If the signal "
     "is 11 or 6, look for the crash report of the process. If the signal is 7 and `df -h /dev/shm` shows little room, "
     "make /dev/shm larger.",
     "mpirun noticed that process rank 3 with PID 1234 on node node2 exited on signal 9 (Killed)."},
    {"slurm-pmix", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "mpi/pmix", "collective timeout",
     "Slurm's PMIx did not connect the tasks of the job, so MPI did not start and NCCL had not begun.",
     "Run once with --mpi=pmi2: if it then works, PMIx is at fault. If `srun --mpi=list` names another PMIx than the "
     "image has, use one that fits. If a firewall is between the hosts, open all ports between the slurmd.",
     "slurmstepd: error:  mpi/pmix_v3: pmixp_coll_ring_reset_if_to: node1 [0]: 0x14ce: collective timeout seq=0"},
    {"slurm-launch", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "srun: error:", "launch failed|Task launch",
     "Slurm could not start tasks on a host, so NCCL had not begun.",
     "Look at slurmd's log on that host. If slurmd only takes long to import a container, import the image before "
     "(enroot import), or raise MessageTimeout.",
     "srun: error: Task launch for StepId=96.0 failed on node n2: No such process"},
    {"slurm-reason", ORR_FROM_OTHER, ORR_WEIGHT_FATAL,
     "slurmstepd: error:", "DUE TO TIME LIMIT|DUE TO PREEMPTION|DUE TO NODE FAILURE",
     "Slurm itself ended the job, for the reason at the end of the line. Errors of NCCL after it follow from that.",
     "If the line says TIME LIMIT, ask for more time (--time). If the line says PREEMPTION, save and end before "
     "(--signal). If the line says NODE FAILURE, look at the kernel log of that host.",
     "slurmstepd: error: *** STEP 123.0 ON node1 CANCELLED AT 2026-01-01T00:00:00 DUE TO TIME LIMIT ***"},
    {"slurm-cancelled", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "slurmstepd: error:", "CANCELLED",
     "Slurm ended the job, for instance at its time limit or after another task failed.",
     "Look for the first error above, and at `sacct -j JOBID`.",
     "slurmstepd: error: *** STEP 123.0 ON node1 CANCELLED AT 2026-01-01T00:00:00 ***"},
    {"slurm-exit", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "srun: error:", "task", "A task of the job ended with an error.",
     "Look for the first error of that task.", "srun: error: node1: task 3: Exited with exit code 1"},
    {"torchrun-failed", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "ChildFailedError", NULL,
     "torchrun reports that a process of the job failed.",
     "Look for the first error of the rank that it lists as root cause.",
     "torch.distributed.elastic.multiprocessing.errors.ChildFailedError:"},
    {"mpi-exit-status", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "non-zero", " exit code.| status, thus",
     "mpirun reports that a process of the job failed.", "Look for the first error of that process.",
     "mpirun detected that one or more processes exited with non-zero status, thus causing the job to be terminated."},
    {"core-dumped", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "core dumped", NULL,
     "A process of the job crashed or ended itself.", "Look for the first error of that process.",
     "./launcher.sh: line 9: 1234 Aborted                 (core dumped) $@"},
    {"tests-wrong", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Out of bounds values : %d FAILED", NULL,
     "nccl-tests found wrong results.",
     "If NCCL_PROTO is set, unset it: LL128 may give wrong data on machines for which NCCL does not choose it by "
     "itself. Run once with NCCL_P2P_DISABLE=1: if the results are then right, P2P is at fault. If `dcgmi diag -r 3` "
     "or the same test fails on one host alone, leave that host out.",
     "# Out of bounds values : 3 FAILED"},
    {"tests-ordinal", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Test CUDA failure", "invalid device ordinal",
     "nccl-tests named a GPU that the process does not see. It takes GPUs by local rank.",
     "If Slurm binds GPUs to tasks (--gpus-per-task), use --gpus-per-node=N --gpu-bind=none, so that each task sees "
     "all GPUs. If `nvidia-smi -L` lists fewer GPUs than ranks times -g, start fewer (mpirun -H HOST:N) or add some "
     "(docker --gpus all).",
     "node1: Test CUDA failure common.cu:986 'invalid device ordinal'"},
    {"tests-illegal-access", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Test CUDA failure", "illegal memory access",
     "A kernel used memory that it may not use. nccl-tests keeps to its own memory, so the program is not at fault.",
     "If the GPUs are Blackwell and NCCL is older than 2.27.5 or built for a CUDA older than 12.8, use a newer one. "
     "Run once with NCCL_P2P_DISABLE=1: if it then works, P2P is at fault. If `dmesg | grep -i xid` shows an Xid at "
     "that time, its number says what failed.",
     "node1: Test CUDA failure common.cu:325 'an illegal memory access was encountered'"},
    {"tests-cuda-unknown", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Test CUDA failure", "unknown error",
     "CUDA met an error that it does not know.",
     "If `ls /dev/nvidia-uvm` fails in the container, run `sudo nvidia-modprobe -u -c 0` (or modprobe nvidia_uvm) on "
     "the host before the container starts, at each boot. If it began after a suspend, reload nvidia_uvm.",
     "node1: Test CUDA failure common.cu:1045 'unknown error'"},
    {"tests-cuda", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Test CUDA failure", NULL, "nccl-tests stopped at a CUDA error.",
     "Look at the CUDA error in the line.", "node1: Test CUDA failure common.cu:294 'out of memory'"},
    {"unhandled-system", ORR_FROM_ALL, ORR_WEIGHT_REPORT, "unhandled system error", NULL, ORR_SYSTEM_CALL,
     "node1: Test NCCL failure common.cu:958 'unhandled system error'"},
    {"unhandled-cuda", ORR_FROM_ALL, ORR_WEIGHT_REPORT, "unhandled cuda error", NULL, ORR_CUDA_CALL,
     "RuntimeError: NCCL error in: ../torch/csrc/distributed/c10d/ProcessGroupNCCL.cpp:1333, unhandled cuda error, "
     "NCCL version 2.18.1"},
    {"unhandled-remote", ORR_FROM_ALL, ORR_WEIGHT_REPORT, "unhandled remote error", NULL, ORR_REMOTE,
     "RuntimeError: NCCL Error 6: unhandled remote error"},
    {"result-system", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "ncclSystemError", NULL, ORR_SYSTEM_CALL,
     "ncclSystemError: System call (e.g. socket, malloc) or external library call failed or device error."},
    {"result-cuda", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "ncclUnhandledCudaError", NULL, ORR_CUDA_CALL,
     "ncclUnhandledCudaError: Call to CUDA function failed."},
    {"result-internal", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "ncclInternalError", NULL, ORR_UNEXPECTED,
     "ncclInternalError: Internal check failed."},
    {"internal-error", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "internal error - please report", NULL, ORR_UNEXPECTED,
     "node1: Test NCCL failure common.cu:958 'internal error - please report this issue to the NCCL developers'"},
    {"internal-error-older", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "NCCL", "internal error", ORR_UNEXPECTED,
     "node1: Test NCCL failure common.cu:958 'internal error'"},
    {"result-usage", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "ncclInvalidUsage", NULL, ORR_USAGE,
     "ncclInvalidUsage: This usually reflects invalid usage of NCCL library."},
    {"invalid-usage", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "invalid usage", NULL, ORR_USAGE,
     "node1: Test NCCL failure common.cu:958 'invalid usage'"},
    {"result-argument", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "ncclInvalidArgument", NULL, ORR_ARGUMENT,
     "ncclInvalidArgument: Invalid value for an argument."},
    {"invalid-argument", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "invalid argument (run with NCCL_DEBUG", NULL, ORR_ARGUMENT,
     "NCCL error in: NCCLUtils.hpp:268, invalid argument (run with NCCL_DEBUG=WARN for details), NCCL version 2.21.5"},
    {"result-remote", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "ncclRemoteError", NULL, ORR_REMOTE,
     "ncclRemoteError: A call failed possibly due to a network error or a remote process exiting prematurely."},
    {"remote-exited", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "remote process exited or there was a network error", NULL,
     ORR_REMOTE, "node1: Test NCCL failure common.cu:958 'remote process exited or there was a network error'"},
    {"tests-nccl", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "Test NCCL failure", NULL,
     "nccl-tests stopped at an error of NCCL.", "Look for the first NCCL WARN.",
     "node1: Test NCCL failure common.cu:958 'unknown result code'"},
    {"spans-nodes", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "process group spans across nodes", NULL,
     "vLLM's or SGLang's own all-reduce works on one host only, and this group has several.", "Nothing: NCCL is used.",
     "CustomAllreduce is disabled because this process group spans across nodes."},
    /* The last row of all, since others know more of some. */
    {"torch-uncaught", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "]: RuntimeError: ", NULL,
     "The program ended with this exception of PyTorch.", "If an error comes before it, begin with that error.",
     "[rank0]: RuntimeError: NCCL does not support all_reduce with sparse tensors. Please use dense tensors instead."},
};
ORR_LOG_FAMILY(job);
