/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of the programs that call NCCL: PyTorch, Ray, vLLM, SGLang, JAX, Horovod. Those of PyTorch's watchdog and of
 * its store are in messages_job.c. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

#define ORR_FIRST_OF_WORKERS "Look for the first error of the workers above this line, or in their own logs."

#define ORR_RAY_WAITS                                                                                                  \
    "Ray has not given the job its GPUs, so NCCL has not begun.",                                                      \
        "If `ray status` shows fewer GPUs than the job asks for, a host has not joined. If `ray list nodes` lacks an " \
        "address that the line asks for (node:ADDRESS), start Ray there with --node-ip-address ADDRESS. If `ray "      \
        "status` shows GPUs in use, another job has them."

#define ORR_CLIQUE                                                                                                     \
    "JAX waits for all GPUs of a computation to make an NCCL communicator, and some did not come.",                    \
        "If jax.device_count() differs between the processes, some of them did not join the job. With "                \
        "NCCL_DEBUG=INFO, ranks without \"Init COMPLETE\" are those that are late: look at their logs."

/* An exception of Python that says what went wrong in one rank. RuntimeError is left out, because it mostly follows. */
#define ORR_PYTHON(id, name, example)                                                                                  \
    {                                                                                                                  \
        id, ORR_FROM_OTHER, ORR_WEIGHT_ERROR, name ": ", NULL,                                                         \
            "The program itself failed with an exception of Python. Ranks that go on wait for this one.",              \
            "Correct what the line and the traceback above it name, before you look at NCCL.", example                 \
    }

/* Meaning and advice of several messages. */
#define STORE_PORT                                                                                                     \
    "The port at which the job's first host listens (MASTER_PORT) is in use.",                                         \
        "`ss -ltnp` names the process at that port: end it if it belongs to an earlier job, or choose another "        \
        "MASTER_PORT."

const struct orr_log_message orr_log_messages_framework[] = {
    {"graph-unsupported", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NCCL cannot be captured in a graph", NULL,
     "The program captures NCCL in a CUDA graph, and this NCCL was built with a CUDA older than 11.3, or the driver is "
     "older than 465.",
     "If \"NCCL version ...+cudaN\" in the log names a CUDA older than 11.3, install PyTorch and NCCL for a newer one. "
     "If `nvidia-smi` shows a driver older than 465, update it. Without CUDA graphs (vLLM: --enforce-eager) this error "
     "does not occur.",
     "NCCL cannot be captured in a graph if either it wasn't built with CUDA runtime >= 11.3 or if the installed CUDA "
     "driver < R465."},
    {"graph-capture", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "capture_model", NULL, "vLLM captures CUDA graphs.",
     "Nothing is wrong by itself.", "  File \"vllm/worker/model_runner.py\", line 1173, in capture_model"},
    {"graph-capture-runner", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "graph_runner.capture", NULL,
     "vLLM or SGLang captures CUDA graphs.", "Nothing is wrong by itself.",
     "    graph_runner.capture(**capture_inputs)"},
    {"zero3-gather", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "partitioned_param", NULL,
     "DeepSpeed's ZeRO-3 gathers or releases the parameters of a module here.", "Nothing is wrong by itself.",
     "  File \"deepspeed/runtime/zero/partitioned_param_coordinator.py\", line 310, in fetch_sub_module"},
    {"experts-frame", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "modeling_",
     "mixtral.py|moe.py|deepseek.py|deepseek_v2.py|deepseek_v3.py|jamba.py|dbrx.py",
     "A model with a mixture of experts runs here.", "Nothing is wrong by itself.",
     "  File \"transformers/models/mixtral/modeling_mixtral.py\", line 749, in forward"},
    {"zero-first", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "torch_distributed_zero_first", NULL,
     "The first rank of a host prepares data here, and the others wait for it.", "Nothing is wrong by itself.",
     "    with torch_distributed_zero_first(rank):  # init dataset *.cache only once if DDP"},
    {"main-first", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "main_process_first(", NULL,
     "The first rank prepares data here, and the others wait for it.", "Nothing is wrong by itself.",
     "    with training_args.main_process_first(desc=\"dataset map pre-processing\"):"},
    {"ray-interface", ORR_FROM_INFO, ORR_WEIGHT_NOTE, "NCCL_SOCKET_IFNAME set by environment to",
     "^lo,docker,veth|en,eth,bond",
     "NCCL uses only interfaces that fit this value, which is the default of Ray Train if the job does not set "
     "NCCL_SOCKET_IFNAME.",
     "If `ip -br addr` shows that the hosts share another interface, name that one in NCCL_SOCKET_IFNAME (Ray: "
     "runtime_env, env_vars).",
     "NCCL_SOCKET_IFNAME set by environment to ^lo,docker,veth"},
    {"capture-forbidden", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "operation not permitted when stream is capturing", NULL,
     "A call that CUDA graphs do not allow was made while a graph was captured, for instance memory was allocated or "
     "an event was queried.",
     "Run without CUDA graphs (vLLM: --enforce-eager), and this error goes away. If the traceback ends in the first "
     "collective of a communicator, which allocates memory, call one before the capture.",
     "RuntimeError: CUDA error: operation not permitted when stream is capturing"},
    {"flight-join", ORR_FROM_OTHER, ORR_WEIGHT_HANG, "Not all ranks joining collective", NULL,
     "PyTorch's flight recorder found a collective that some ranks did not call.",
     "The lines below name the missing ranks and the call: look at those ranks with `py-spy dump`.",
     "Not all ranks joining collective, sequence number: 5"},
    {"flight-missing", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "issing ranks", "{",
     "The flight recorder names the ranks that did not call the collective.", "Look at these ranks.",
     "missing ranks: {1}"},
    {"saves", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "aving ", "checkpoint|model to |state to |state dict|optimizer",
     "A rank saves the model here.", "Nothing is wrong by itself.",
     "11/03/2025 22:11:06 - INFO - accelerate.utils.fsdp_utils - Saving model to /nfs/out/pytorch_model_fsdp.bin"},
    {"jax-barrier", ORR_FROM_OTHER, ORR_WEIGHT_ABSENT, "Barrier timed out. ",
     "PjRT_Client_Connect|Wait_for_all_tasks|Cluster_Init",
     "JAX's processes waited for others of the job that did not come in time: the line, or those below, name the "
     "tasks. NCCL had not begun.",
     "If no such task was started, correct num_processes and process_id. If the log of such a task ends in an error, "
     "begin with that error. If `nc -vz ADDRESS PORT` to the coordinator fails from its host, correct "
     "coordinator_address or the firewall. If such a task only starts late, raise initialization_timeout.",
     "DEADLINE_EXCEEDED: Barrier timed out. Barrier_id: PjRT_Client_Connect. Timed out task names:"},
    {"memory-taken", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "memory capacity is unbalanced", NULL,
     "SGLang refuses to start, because some of its GPUs have less free memory than others. This is not NCCL.",
     "If `nvidia-smi` on a host lists processes of an earlier run, end them. If `nvidia-smi` lists another job, choose "
     "other GPUs (CUDA_VISIBLE_DEVICES, --base-gpu-id).",
     "ValueError: The memory capacity is unbalanced. Some GPUs may be occupied by other processes."},
    {"lightning-srun", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "`srun` command is available on your system but is not used",
     NULL,
     "Lightning was started without srun in a job of Slurm, so it starts processes on this host alone. If the job has "
     "other hosts, it waits for their processes, which nobody starts.",
     "If the job has several hosts, start it with `srun python ...` and with --ntasks-per-node as large as the number "
     "of GPUs of a host: `squeue -s` then shows a step.",
     "PossibleUserWarning: The `srun` command is available on your system but is not used."},
    {"store-ping", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Ping failed, invalid value returned from server", NULL,
     "The program that listens at the address and port of the job's store does not speak the protocol of this PyTorch.",
     "If `ss -ltnp` on the first host names another program at that port, choose another MASTER_PORT. If `python -c "
     "\"import torch; print(torch.__version__)\"` differs between the hosts, use one image everywhere.",
     "torch.distributed.DistNetworkError: Ping failed, invalid value returned from server. Expected: 51423, Got: "
     "19364"},
    {"watchdog-frame", ORR_FROM_OTHER, ORR_WEIGHT_NOTE,
     "ProcessGroupNCCL::", "workCleanupLoop|watchdogHandler|ncclCommWatchdog", "PyTorch's watchdog thread runs here.",
     "Nothing is wrong by itself.", "frame #5: c10d::ProcessGroupNCCL::workCleanupLoop() + 0x170 (0x7f2b4e0fa420)"},
    {"capture-previous", ORR_FROM_OTHER, ORR_WEIGHT_AFTERMATH, "previous error during capture", NULL,
     "The capture of a CUDA graph had failed before, and this call belongs to it.",
     "Look for the error before this one. Running without CUDA graphs (vLLM: --enforce-eager) shows it directly.",
     "CUDA error: operation failed due to a previous error during capture"},
    {"jax-no-nccl", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Unable to load NCCL library", NULL,
     "JAX could not load libnccl.so.2, which its own wheels do not contain.",
     "If `pip list | grep nvidia-nccl` shows nothing, `pip install -U \"jax[cuda12]\"` installs nvidia-nccl-cu12. If "
     "NCCL is installed in the system, name its directory in LD_LIBRARY_PATH.",
     "NCCL operation ncclGetUniqueId(&id) failed: Unable to load NCCL library. Multi-GPU collectives will not work."},
    {"jax-clique", ORR_FROM_OTHER, ORR_WEIGHT_HANG, "ermination timeout for ", "clique", ORR_CLIQUE,
     "Termination timeout for `initialize clique for rank 0` of 40 seconds exceeded. Exiting to ensure a consistent "
     "program state."},
    {"jax-waiting", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "thread has been waiting for `", "clique", ORR_CLIQUE,
     "This thread has been waiting for `acquire clique` for 10 seconds and may be stuck"},
    {"window-space", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "No suitable space found to accommodate size", NULL,
     "NCCL has no address space left for windows of symmetric memory: each ncclCommWindowRegister() takes some, even "
     "for memory that is registered already (seen up to 2.30.7).",
     "If the program registers the same memory more than once, register each allocation once and keep the window. If "
     "the program keeps windows that it does not use any more, deregister them.",
     "Allocation failed. No suitable space found to accommodate size=0x2171600000 within limit=0x2d00000000"},
    {"ddp-unused", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Expected to have finished reduction in the prior iteration", NULL,
     "PyTorch's DDP waits for the gradients of parameters that the last iteration did not use. This is not NCCL.",
     "Check: TORCH_DISTRIBUTED_DEBUG=DETAIL names the parameters. Use them in every iteration, or give DDP "
     "find_unused_parameters=True.",
     "RuntimeError: Expected to have finished reduction in the prior iteration before starting a new one."},
    {"ddp-shapes", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "appears not to match ", "sizes|strides",
     "The ranks built models with different shapes.",
     "Build the model from the same configuration and data (vocabulary, number of classes) on every rank.",
     "RuntimeError: [3]: params[0] in this process with sizes [128, 256] appears not to match sizes of the same param "
     "in process 0."},
    {"ddp-model", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "DDP expects same model across all ranks", NULL,
     "The ranks built different models, or a rank ended before it compared its own.",
     "If another rank reports an error before this one, begin with that error. If no rank ended, build the model from "
     "the same configuration on every rank.",
     "RuntimeError: DDP expects same model across all ranks, but Rank 1 has 161 params, while rank 0 has inconsistent "
     "0 params."},
    {"uneven-inputs", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "exhausted inputs. Throwing", NULL,
     "A rank had fewer batches than the others, so it did not take part in their next collective.",
     "Give every rank equally many batches (DistributedSampler with drop_last=True).",
     "RuntimeError: Detected at least one rank that exhausted inputs. Throwing across all ranks."},
    {"launch-failure", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "CUDA error: unspecified launch failure", NULL,
     "A kernel crashed on this GPU, the application's or NCCL's. All later CUDA and NCCL errors follow from it.",
     "If `dmesg | grep -i xid` on that host shows an Xid at that time, its number says what failed. Run once under "
     "compute-sanitizer: it names the kernel.",
     "RuntimeError: CUDA error: unspecified launch failure"},
    {"tensor-on-cpu", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "No backend type associated with device type cpu", NULL,
     "The program gave a tensor in host memory to a collective, and NCCL only has GPU memory.",
     "Move the tensor to the GPU, or call init_process_group(\"cpu:gloo,cuda:nccl\").",
     "RuntimeError: No backend type associated with device type cpu"},
    {"tensor-on-cpu-older", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Tensors must be CUDA and dense", NULL,
     "The program gave a tensor in host memory, or a sparse one, to a collective of NCCL.",
     "Move the tensor to the GPU of this rank, or use the backend gloo for it.",
     "RuntimeError: Tensors must be CUDA and dense"},
    {"launcher-variable", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "environment variable %w expected, but not set", NULL,
     "PyTorch misses a variable that the launcher sets (MASTER_ADDR, MASTER_PORT, RANK or WORLD_SIZE).",
     "Start the program with torchrun, or set the four variables in every process.",
     "ValueError: Error initializing torch.distributed using env:// rendezvous: environment variable MASTER_ADDR "
     "expected, but not set"},
    {"accelerate-p2p", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "faster communication broadband via P2P or IB", NULL,
     "accelerate refuses to start on GeForce cards from RTX 40 on, which have no P2P, unless P2P and InfiniBand are "
     "off. NCCL itself works without them.",
     "Start with `accelerate launch`, which turns both off, or set NCCL_P2P_DISABLE=1 and NCCL_IB_DISABLE=1.",
     "NotImplementedError: Using RTX 4000 series doesn't support faster communication broadband via P2P or IB. Please "
     "set `NCCL_P2P_DISABLE=\"1\"` and `NCCL_IB_DISABLE=\"1\" or use `accelerate launch` which will do this "
     "automatically."},
    {"accelerate-p2p-off", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "faster communication speedups. Ensuring P2P", NULL,
     "accelerate sets NCCL_P2P_DISABLE=1 and NCCL_IB_DISABLE=1 for its processes, because of the GPUs' name.",
     "If NVLink joins the cards, or `nvidia-smi topo -p2p r` shows OK between them, set NCCL_P2P_DISABLE=0 or use a "
     "newer accelerate.",
     "Using RTX 3090 or 4000 series which doesn't support faster communication speedups. Ensuring P2P and IB "
     "communications are disabled."},
    {"store-name", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "network addresses of (",
     "Name or service not known|Temporary failure in name",
     "This host cannot resolve the host name in the line, so PyTorch does not reach the job's store there.",
     "If the name is that of MASTER_ADDR, set an address there, or a name that `getent hosts NAME` finds on every host "
     "and in its containers. If torchrun itself announced the name, start it with --local-addr ADDRESS. In Kubernetes, "
     "pods need a headless service for their own names.",
     "[W1008 socket.cpp:767] [c10d] The IPv4 network addresses of (job-0.internal, 50745) cannot be retrieved (gai "
     "error: -2 - Name or service not known)."},
    {"gloo-interface", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Unable to find address for", NULL,
     "This host has no interface of the name in GLOO_SOCKET_IFNAME, or that interface has no address. Unlike NCCL, "
     "Gloo knows no ^ and no prefixes.",
     "Set GLOO_SOCKET_IFNAME to an interface of each host (`ip -br addr`), or unset it.",
     "RuntimeError: [enforce fail at gloo/transport/tcp/device.cc:83] ifa != nullptr. Unable to find address for: "
     "bond1"},
    {"monitored-barrier", ORR_FROM_OTHER, ORR_WEIGHT_HANG, "reached monitoredBarrier, but", NULL,
     "A rank did not reach PyTorch's monitored barrier: the line names it.",
     "Look at that rank's own output and host, and at what it does with `py-spy dump`.",
     "RuntimeError: Rank 1 successfully reached monitoredBarrier, but received errors while waiting for send/recv from "
     "rank 0."},
    {"gloo-loopback", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "remote=[127.", NULL,
     "A process of the job announced the loopback address in the line to Gloo, and other hosts cannot reach it.",
     "If `getent hosts $(hostname)` on a host shows a loopback address such as 127.0.1.1, give the name its own "
     "address in /etc/hosts, or set GLOO_SOCKET_IFNAME to the interface that all hosts share. If the job has one host, "
     "the process at that port had ended: look for its first error.",
     "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:525] Connection refused, remote=[127.0.1.1]:38411"},
    {"gloo-closed", ORR_FROM_OTHER, ORR_WEIGHT_AFTERMATH, "gloo/transport/tcp/",
     "Connection closed by peer|onnection reset",
     "Gloo, PyTorch's network for CPU tensors, lost its connection to another process of the job.",
     "Look for the first error of the other ranks, on the host that the line names.",
     "RuntimeError: [../third_party/gloo/gloo/transport/tcp/pair.cc:534] Connection closed by peer [10.0.0.3]:22041"},
    {"torch-dump", ORR_FROM_OTHER, ORR_WEIGHT_AFTERMATH, "Observed flight recorder dump signal from another rank", NULL,
     "PyTorch on this rank learned that another rank timed out.", "Look for the rank that timed out first.",
     "[rank1]:[E ProcessGroupNCCL.cpp:1682] [PG ID 0 PG GUID 0(default_pg) Rank 1] Observed flight recorder dump "
     "signal from another rank via TCPStore."},
    {"store-port", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "EADDRINUSE", NULL, STORE_PORT,
     "The server socket has failed to listen on any local network address. port: 29500, code: -98, name: EADDRINUSE"},
    {"store-port-older", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "socket has failed to bind to", "errno: 98", STORE_PORT,
     "[c10d] The server socket has failed to bind to [::]:29500 (errno: 98 - Address already in use)."},
    {"vllm-one-address", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Every node should have a unique IP address", NULL,
     "vLLM got the same address from two nodes.",
     "If `env | grep VLLM_HOST_IP` in the containers shows one value on several nodes, give each its own before Ray "
     "starts there: a file of settings that all nodes share must not have it. If it is not set, compare `hostname -I`.",
     "RuntimeError: Every node should have a unique IP address. Got 2 nodes with node ids ['a4', '3d'] and 1 unique IP "
     "addresses {'10.0.0.1'}."},
    {"elastic-terminated", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "eceived Signals.SIGTERM", NULL,
     "torchrun was told to end (SIGTERM) from outside, so the error is not its own.",
     "If `kubectl describe pod NAME` or the cloud's operations say that the node was taken back (Spot, preemptible) or "
     "drained, use nodes that stay, or go on from a checkpoint. If `sacct -j JOBID` shows a time limit or another task "
     "that failed, look there.",
     "Received Signals.SIGTERM death signal, shutting down workers"},
    {"elastic-killed", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "exitcode: -9)", NULL,
     "A process of the job was killed (signal 9) by the system, the scheduler or a person.",
     "If `dmesg | grep -i oom` on that host names the process, host memory ran out: raise the memory limit of the job, "
     "or use fewer data loader processes. If `sacct -j JOBID` or `kubectl describe pod NAME` gives a reason, the "
     "scheduler ended the process.",
     "torch.distributed.elastic.multiprocessing.api: failed (exitcode: -9) local_rank: 2 (pid: 4481) of binary: "
     "/usr/bin/python"},
    {"elastic-bus", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "exitcode: -7)", NULL,
     "A process of the job ended with a bus error (signal 7): it used mapped memory, such as /dev/shm or a file, that "
     "the system could not give it.",
     "If `df -h /dev/shm` in the container shows little room, make it larger: docker --shm-size=8g or --ipc=host; "
     "Kubernetes: an emptyDir with medium Memory at /dev/shm. If the program maps files (data, weights), check that "
     "their disk is not full and that nobody replaced them.",
     "torch.distributed.elastic.multiprocessing.api: failed (exitcode: -7) local_rank: 2 (pid: 4481) of binary: "
     "/usr/bin/python"},
    {"nvml-lost", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Failed to initialize NVML: Unknown Error", NULL,
     "NVML, and so nvidia-smi, does not reach the GPUs from here.",
     "If nvidia-smi works on the host, the container has lost its GPUs, as when systemd reloads its units: start the "
     "container again, and name the devices (docker --device /dev/nvidia0 --device /dev/nvidiactl ...) or use the "
     "cgroup driver cgroupfs to prevent it. If nvidia-smi fails on the host, too, look at `dmesg | grep -i nvrm`.",
     "Failed to initialize NVML: Unknown Error"},
    {"torch-no-driver", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Found no NVIDIA driver on your system", NULL,
     "PyTorch sees no GPU driver in this process.",
     "If nvidia-smi works on the host and not in the container, start the container with GPUs (docker --gpus all). If "
     "nvidia-smi fails on the host, install or load the driver there.",
     "RuntimeError: Found no NVIDIA driver on your system. Please check that you have an NVIDIA GPU"},
    {"torch-forked", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "re-initialize CUDA in forked subprocess", NULL,
     "A process was forked after its parent had used CUDA, which CUDA does not allow.",
     "Start workers with spawn (multiprocessing.set_start_method(\"spawn\"); vLLM: "
     "VLLM_WORKER_MULTIPROC_METHOD=spawn), and do not use the GPU before.",
     "RuntimeError: Cannot re-initialize CUDA in forked subprocess. To use CUDA with multiprocessing, you must use the "
     "'spawn' start method"},
    {"vllm-environment", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Overwriting environment variable", "NCCL_|GLOO_|UCX_",
     "vLLM replaces a setting of this host by that of the head node, as it copies the head's settings to all workers "
     "of Ray.",
     "If NICs or interfaces have other names on this host, write the settings that name them on the head to "
     "~/.config/vllm/ray_non_carry_over_env_vars.json: [\"NCCL_IB_HCA\", \"NCCL_SOCKET_IFNAME\"]. Each host then keeps "
     "its own.",
     "Overwriting environment variable NCCL_IB_HCA from 'rocep1s0f1' to 'rocep1s0f0'"},
    {"ray-actor", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "actor died", NULL, "A worker of Ray ended.",
     "Look for the first error of that worker, above or in /tmp/ray/session_latest/logs on its host.",
     "ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task."},
    {"ray-waits", ORR_FROM_OTHER, ORR_WEIGHT_ABSENT, "Waiting for creating a placement group", NULL, ORR_RAY_WAITS,
     "Waiting for creating a placement group of specs for 10 seconds. specs=[{'GPU': 1.0, 'node:10.0.0.1': 0.001}]."},
    {"ray-group", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Cannot provide a placement group", NULL, ORR_RAY_WAITS,
     "Cannot provide a placement group of placement_group_specs=[{'GPU': 1.0}] within 1800 seconds."},
    {"vllm-engine", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, " initialization failed",
     "See root cause above| due to an exception", "A process of vLLM ended while it started.", ORR_FIRST_OF_WORKERS,
     "RuntimeError: Engine core initialization failed. See root cause above. Failed core proc(s): {}"},
    {"vllm-answer", ORR_FROM_OTHER, ORR_WEIGHT_HANG, "RPC call to %w timed out", NULL,
     "A worker of vLLM did not answer in time: it ended, it takes long, or it hangs in a collective or in a kernel.",
     "If a worker's log has an earlier error, begin with that error. If `py-spy dump` shows the workers in different "
     "functions while it hangs, they took different paths. Run once with --enforce-eager, and once with "
     "--disable-custom-all-reduce: if one of them helps, CUDA graphs or vLLM's own all-reduce are at fault.",
     "TimeoutError: RPC call to execute_model timed out."},
    {"sglang-watchdog", ORR_FROM_OTHER, ORR_WEIGHT_HANG, "atchdog timeout (self.watchdog_timeout=", NULL,
     "SGLang's scheduler made no progress within its time limit: a collective waits for another rank, or a kernel "
     "compiles or hangs.",
     "If another rank's log has an earlier error, begin with that error. If `py-spy dump` shows a rank that compiles "
     "or loads, raise --watchdog-timeout. Run once with --disable-cuda-graph: if it then works, CUDA graphs are at "
     "fault.",
     "[2026-08-26 10:10:01 TP0] Watchdog timeout (self.watchdog_timeout=300)"},
    {"sglang-child", ORR_FROM_OTHER, ORR_WEIGHT_REPORT, "Received sigquit from a child proc", NULL,
     "A process of SGLang ended.", ORR_FIRST_OF_WORKERS,
     "Received sigquit from a child process. It usually means the child failed."},
    /* Frames of py-spy. */
    {"stack-file", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "(torch/serialization.py:", NULL,
     "A process saves or loads a file.", "Compare it with the stacks of the other ranks.",
     "    _save (torch/serialization.py:1101)"},
    {"stack-loader", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "(torch/utils/data/dataloader.py:", NULL,
     "A process waits for its data loader.", "Compare it with the stacks of the other ranks.",
     "    _try_get_data (torch/utils/data/dataloader.py:1133)"},
    {"stack-dataset", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "(datasets/arrow_dataset.py:", NULL, "A process prepares data.",
     "Compare it with the stacks of the other ranks.", "    map (datasets/arrow_dataset.py:3074)"},
    {"stack-compiler", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "(torch/_inductor/", NULL, "A process compiles kernels.",
     "Compare it with the stacks of the other ranks.", "    compile_fx (torch/_inductor/compile_fx.py:1510)"},
    {"stack-collective", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "(torch/distributed/distributed_c10d.py:", NULL,
     "A process is in a call of torch.distributed.", "Compare it with the stacks of the other ranks.",
     "    barrier (torch/distributed/distributed_c10d.py:4159)"},
    {"pod-pending", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, " Pending %d", "   ",
     "A pod of the job has not started, and the others wait for it.",
     "`kubectl describe pod NAME` says at its end (Events) what is lacking.",
     "llm-worker-6      0/1     Pending   0          33m   <none>"},
    {"pod-image", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "ImagePull", "BackOff   |   ",
     "A pod of the job has not started, because its image could not be fetched, and the others wait for it.",
     "`kubectl describe pod NAME` says at its end (Events) what is wrong.",
     "llm-worker-6      0/1     ImagePullBackOff   0          33m   10.244.9.3"},
    {"pod-crash", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, " CrashLoopBackOff %d", NULL,
     "A container of the job ends again and again, and the others wait for it.",
     "Look at its own output: `kubectl logs NAME --previous`.",
     "llm-worker-6      0/1     CrashLoopBackOff   7          33m   10.244.9.3"},
    {"horovod-stall", ORR_FROM_OTHER, ORR_WEIGHT_HANG, "reduced, gathered or broadcasted by subset of ranks", NULL,
     "Some ranks of Horovod wait for others that did not submit the same tensors: the lines below name the missing "
     "ranks.",
     "Look at the missing ranks' own output: they failed, are late, or took another path of the program.",
     "One or more tensors were submitted to be reduced, gathered or broadcasted by subset of ranks and are waiting for "
     "remainder of ranks for more than 60 seconds."},
    ORR_PYTHON("python-key", "KeyError", "[rank3]: KeyError: 'input_ids'"),
    ORR_PYTHON("python-value", "ValueError", "[rank0]: ValueError: Target size (torch.Size([8])) must be the same"),
    ORR_PYTHON("python-type", "TypeError", "[rank0]: TypeError: forward() got an unexpected keyword argument"),
    ORR_PYTHON("python-index", "IndexError", "[rank1]: IndexError: list index out of range"),
    ORR_PYTHON("python-file", "FileNotFoundError", "FileNotFoundError: [Errno 2] No such file or directory: 'a.json'"),
    ORR_PYTHON("python-assertion", "AssertionError", "[rank0]: AssertionError: loss is nan"),
    ORR_PYTHON("python-attribute", "AttributeError", "AttributeError: 'NoneType' object has no attribute 'shape'"),
    ORR_PYTHON("python-module", "ModuleNotFoundError", "ModuleNotFoundError: No module named 'flash_attn'"),
    ORR_PYTHON("python-decode", "UnicodeDecodeError", "UnicodeDecodeError: 'utf-8' codec can't decode byte 0xff"),
};
ORR_LOG_FAMILY(framework);
