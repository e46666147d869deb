/* SPDX-License-Identifier: Apache-2.0 */
/* The faults, each with its source: NVIDIA's release notes, words of NCCL's developers in a thread, or users' reports
 * with a release that works. Faults that no text can show are left out, and those that a message by itself proves are
 * rows of engine/log_messages. */
#include "engine/release/faults.h"

#include <stddef.h>

#include "engine/release/release_names.h"

static const struct orr_fault faults[] = {
    /* Lines that show it. */
    /* NVIDIA/nccl#1185 */
    {.id = "split-socket",
     .from = ORR_VERSION(2, 20, 3),
     .fixed = ORR_VERSION(2, 20, 5),
     .needs = ORR_FAULT_BY_ITSELF,
     .shown_by = "uds-in-use",
     .what = "two communicators of a process get the same local socket name, if a program splits one twice in the same "
             "way (ncclCommSplit(), as FSDP may do)."},
    /* NVIDIA/nccl#957: sjeaugey */
    {.id = "connect-copy",
     .from = ORR_VERSION(2, 18, 1),
     .fixed = ORR_VERSION(2, 18, 6),
     .shown_by = "cuda-invalid-argument",
     .file = "transport.cc",
     .what = "while ranks connect, a device pointer is used before the copy that reads it has ended, on some machines "
             "only."},
    /* NVIDIA/TensorRT-LLM#4238 */
    {.id = "launch-argument",
     .from = ORR_VERSION(2, 25, 1),
     .fixed = ORR_VERSION(2, 26, 2),
     .reported = true,
     .shown_by = "cuda-invalid-argument",
     .file = "enqueue.cc",
     .what = "CUDA refuses the launch of its kernels with \"invalid argument\"."},
    /* NVIDIA/nccl#1176, #1273: kiskra-nvidia */
    {.id = "barrier-mixed-up",
     .from = ORR_VERSION(2, 19, 3),
     .fixed = ORR_VERSION(2, 21, 5),
     .needs = ORR_FAULT_BY_ITSELF,
     .shown_by = "socket-truncated",
     .in_text = "instead of 4",
     .file = "bootstrap.cc",
     .what = "now and then the connection data of two ranks and the barrier after it are mixed up."},
    /* NVIDIA/nccl#1125: AddyLaddy, sjeaugey */
    {.id = "usb-network",
     .from = ORR_VERSION(2, 18, 5),
     .fixed = ORR_VERSION(2, 20, 3),
     .needs = ORR_FAULT_BY_ITSELF,
     .shown_by = "xml-attribute",
     .in_text = "busid of node nic",
     .what = "a USB network interface, such as a BMC's, stops it, because it has no PCI address.",
     .cure = "Until then, leave that interface out: NCCL_SOCKET_IFNAME=^NAME."},
    /* NVIDIA/nccl#1758: kiskra-nvidia */
    {.id = "accept-signal",
     .from = ORR_VERSION(2, 19, 3),
     .fixed = ORR_VERSION(2, 27, 3),
     .needs = ORR_FAULT_BY_ITSELF,
     .in_text = "Accept failed: Interrupted system call",
     .what = "a signal, such as a profiler's, that comes during accept() ends the initialisation."},
    /* pytorch/pytorch#130414 */
    {.id = "device-not-set",
     .fixed = ORR_VERSION(2, 13, 4),
     .reported = true,
     .shown_by = "cuda-handle",
     .said = "torch&2 3 |2 4 |2 5 |2 6 |2 7 |2 8 ",
     .what = "it works on the thread's current GPU, which PyTorch from 2.3 on no longer sets before each call.",
     .cure = "Otherwise call torch.cuda.set_device(LOCAL_RANK) before the first collective."},
    /* NVIDIA/nccl#2003: nvcastet, xiaofanl-nvidia */
    {.id = "copy-engine-stream",
     .from = ORR_VERSION(2, 29, 2),
     .fixed = ORR_VERSION(2, 29, 7),
     .shown_by = "unhandled-cuda|result-cuda|cuda-invalid-argument",
     .said = "symmetric memory|symm mem|symm_mem|win_coll_symmetric",
     .what = "with symmetric memory, large operations on CUDA's default stream fail, because NCCL asks the copy "
             "engines in a way that CUDA refuses there.",
     .cure = "Until then, NCCL_SYM_CE_THRESHOLD=1000000000000 keeps the copy engines out."},
    /* release notes of 2.27.3 */
    {.id = "split-share",
     .from = ORR_VERSION(2, 18, 1), /* ncclCommSplit() */
     .fixed = ORR_VERSION(2, 27, 3),
     .shown_by = "segfault|sigsegv-nccl|heap-corrupted|heap-corrupted-size",
     .said = "splitshare|split share|share_resources|comm_split|commsplit|comm split",
     .what = "ncclCommSplit() with shared resources (splitShare) can corrupt memory.",
     .cure = "Until then, NCCL_COMM_SPLIT_SHARE_RESOURCES=0."},
    /* NCCL's user guide, troubleshooting: run-time errors */
    {.id = "stack-unlimited",
     .fixed = ORR_VERSION(2, 28, 3),
     .shown_by = "segfault|sigsegv-nccl|signal-exit",
     .said = "ulimit s unlimited|stack size unlimited|stack unlimited",
     .what = "with an unlimited stack, glibc gives NCCL's threads 2 MB, which is too little for large NVLink domains "
             "such as NVL72.",
     .check = "Check: `ulimit -s` in the job; run once after `ulimit -s 8192`."},
    /* NVIDIA/nccl#931: sjeaugey */
    {.id = "nvls-search",
     .from = ORR_VERSION(2, 18, 3),
     .fixed = ORR_VERSION(2, 18, 5),
     .shown_by = "segfault|sigsegv-nccl",
     .said = "h100|h800|p5 48xlarge| p5 ",
     .what = "the search for NVLS channels reads beyond its list of NICs.",
     .cure = "Until then, NCCL_NVLS_ENABLE=0."},
    /* NVIDIA/nccl#1234, vllm-project/vllm#5091 */
    {.id = "graph-memory",
     .from = ORR_VERSION(2, 19, 1),
     .reported = true,
     .shown_by = "cuda-memory-application|cuda-out-of-memory",
     .said = "cuda graph|cudagraph|captur|enforce eager|enforce_eager+more memory|gb more|upgrad|updat|increas|used "
             "to|regress|cumem",
     .what = "captured CUDA graphs take more GPU memory since NCCL allocates it with cuMem, several GB with drivers "
             "before CUDA 12.4.",
     .check = "Check: run once with NCCL_CUMEM_ENABLE=0, or without CUDA graphs.",
     .cure = "Keep NCCL_CUMEM_ENABLE=0, use a driver with CUDA 12.4 or newer, or leave more memory free."},
    /* NCCL's user guide, troubleshooting; pytorch/pytorch#152302: kiskra-nvidia */
    {.id = "host-memory",
     .from = ORR_VERSION(2, 24, 3),
     .fixed = ORR_VERSION(2, 26, 5),
     .shown_by = "cuda-out-of-memory|cuda-memory",
     .said = "docker|container|kubernetes| pod | wsl|enough memory|free memory|memory is free|available memory|plenty| "
             "no other job|other jobs|small amount|tiny|makes no sense|although&memory",
     .what = "it asks CUDA (cuMem) for host memory, which fails without NUMA support, as in Docker and virtual "
             "machines, and says \"out of memory\" although there is some.",
     .check = "Check: run once with NCCL_CUMEM_HOST_ENABLE=0; and with nvidia-smi whether GPU memory is free.",
     .cure = "Until then, NCCL_CUMEM_HOST_ENABLE=0, or docker --cap-add SYS_NICE."},
    /* NVIDIA-NeMo/Speech#13996, NVIDIA/nccl#1748 */
    {.id = "net-id",
     .from = ORR_VERSION(2, 25, 1),
     .fixed = ORR_VERSION(2, 27, 3),
     .reported = true,
     .needs = ORR_FAULT_BY_ITSELF,
     .in_text = "Could not find NET with id",
     .what = "a rank looks for a NIC under a number that its own host does not have, and jobs on several hosts fail at "
             "their start."},

    /* A hang, with something that the text says. */
    /* release notes of 2.29.3; marin-community/marin#8038 */
    {.id = "arm-slots",
     .fixed = ORR_VERSION(2, 29, 3),
     .needs = ORR_FAULT_HANGS | ORR_FAULT_HOSTS | ORR_FAULT_ON_ARM,
     .said = " random|silent|recurring|sporadic|occasional|intermittent|minutes|no error| "
             "spin&hang|stuck|spin|wedge|freez|after |happens",
     .what = "on ARM CPUs a rank can lose the slots by which it hands work to its network thread, and the job then "
             "hangs without an error.",
     .check = "Check: `ncclras` shows a rank that stays one operation behind, and gdb shows ncclLocalOpAppend there.",
     .cure = "Only builds by gcc before 10, such as pip's 2.28.9, have the fault."},
    /* vllm-project/vllm#52504: hangs with 2.28.9, not with 2.30.4 */
    {.id = "graph-hosts",
     .from = ORR_VERSION(2, 28, 9),
     .fixed = ORR_VERSION(2, 30, 4),
     .reported = true,
     .needs = ORR_FAULT_HANGS | ORR_FAULT_HOSTS | ORR_FAULT_GRAPHS,
     .said = "two node|2 node|cross node|multi node|multiple node|two dgx|2x nvidia dgx|two host|2 host|across "
             "node|between node|between host",
     .what = "CUDA graphs with operations between hosts stand still within a few replays.",
     .cure = "Until then, leave CUDA graphs off (vLLM: --enforce-eager)."},
    /* NVIDIA/nccl#1612, #1613 */
    {.id = "stranger",
     .fixed = ORR_VERSION(2, 27, 3),
     .shown_by = "socket-closed",
     .said = "no rank has died|no rank died|no rank dies|no rank failed|no rank crashed|no process died|none died|none "
             "has died|nobody died|processes are alive|ranks are alive|all ranks alive&!after step|hours+ init | at "
             "start| start | starts |bootstrap",
     .what =
         "a stranger, such as a port scanner or a monitor, connects to NCCL's port at the start and leaves, and the "
         "start fails.",
     .check = "Check: whether the address after \"closed by remote peer\" is one of the job's hosts; if not, whose it "
              "is.",
     .cure = "Until then, keep scanners away from the hosts' ports, and start again."},
    /* release notes of 2.27.3 */
    {.id = "graph-mixed",
     .fixed = ORR_VERSION(2, 27, 3),
     .needs = ORR_FAULT_HANGS | ORR_FAULT_GRAPHS,
     .what = "operations in CUDA graphs and others outside of them contend for the same state, and may hang.",
     .cure = "Until then, leave CUDA graphs off (vLLM: --enforce-eager)."},
    /* pytorch/pytorch#149153, #149546 */
    {.id = "abort-hangs",
     .from = ORR_VERSION(2, 25, 1),
     .fixed = ORR_VERSION(2, 26, 2),
     .said = "commabort|comm abort&hang|stuck|block|never",
     .what = "ncclCommAbort() can hang although all ranks of the host call it.",
     .check = "Check: gdb shows a thread that waits below ncclCommAbort()."},
    /* NVIDIA/nccl#1136; code of 2.23.4 and 2.24.3 (docs/nccl/tuning.md) */
    {.id = "mixed-cpus",
     .from = ORR_VERSION(2, 18, 1),
     .fixed = ORR_VERSION(2, 24, 3),
     .needs = ORR_FAULT_BY_ITSELF,
     .said = "intel|xeon&amd|epyc&inconsisten|mixed|can i mix|one node|same job|different cpu&nccl| hang;mixed "
             "cpu|different cpu vendor",
     .what = "each rank chooses algorithms by the vendor of its own CPU, so hosts with Intel and AMD CPUs can choose "
             "differently and hang.",
     .check = "Check: `lscpu | grep Vendor` on each host; NCCL_ALGO=Ring NCCL_PROTO=Simple works if this is the cause.",
     .cure = "From 2.18.1 on, NCCL_NET_OVERHEAD=1000 on all hosts may be enough."},
    /* NVIDIA/nccl#750, #774: jbachan */
    {.id = "launch-blocking",
     .from = ORR_VERSION(2, 13, 4),
     .fixed = ORR_VERSION(2, 17, 1),
     .needs = ORR_FAULT_HANGS,
     .said = "cuda_launch_blocking 1|cuda_launch_blocking to 1|cuda_launch_blocking is",
     .what = "with CUDA_LAUNCH_BLOCKING=1, a launch waits for its kernel before the network thread gets its work.",
     .check = "Check: without CUDA_LAUNCH_BLOCKING the hang goes away.",
     .cure = "Unset CUDA_LAUNCH_BLOCKING in any case."},
    /* NVIDIA/JAX-Toolbox#331 */
    {.id = "nvls-first",
     .from = ORR_VERSION(2, 17, 1),
     .fixed = ORR_VERSION(2, 18, 1),
     .needs = ORR_FAULT_HANGS,
     .said = "h100|h800|nvls",
     .what = "NVLink SHARP, which is new there, hangs now and then.",
     .cure = "Until then, NCCL_NVLS_ENABLE=0."},
    /* NVIDIA/nccl#788: sjeaugey */
    {.id = "alltoallv",
     .from = ORR_VERSION(2, 12, 7),
     .fixed = ORR_VERSION(2, 18, 1),
     .needs = ORR_FAULT_HANGS,
     .said = "alltoallv|all2allv|all_to_all_single|uneven|irregular",
     .what = "Send and Recv of uneven sizes can stand still."},
    /* pytorch/pytorch#153960 */
    {.id = "nonblocking-torch",
     .reported = true,
     .needs = ORR_FAULT_HANGS | ORR_FAULT_BY_ITSELF,
     .said = "torch 2 7 0&device_id",
     .what = "PyTorch 2.7.0 makes communicators in non-blocking mode if init_process_group() gets a device_id, and "
             "jobs then hang now and then.",
     .check = "Check: run once with TORCH_NCCL_USE_COMM_NONBLOCKING=0.",
     .cure = "Keep that, or use PyTorch 2.7.1 or newer."},

    /* Wrong results and lost speed. */
    /* release notes of 2.31.2 */
    {.id = "symmetric-windows",
     .from = ORR_VERSION(2, 27, 3), /* windows */
     .fixed = ORR_VERSION(2, 31, 2),
     .needs = ORR_FAULT_BY_ITSELF,
     .said = "symmetric&window&same|several|multiple|two "
             "windows|carved|offset|suballoc|segment+wrong|corrupt|incorrect|garbage|zeros| nan |mismatch",
     .what = "symmetric windows that lie in one allocation, such as a segment of a caching allocator, corrupt each "
             "other's data.",
     .check = "Check: with an allocation of its own for each window (ncclMemAlloc()), the results are right.",
     .cure = "Until then, one allocation for each window, or no symmetric memory."},
    /* release notes of 2.30.7 */
    {.id = "symmetric-race",
     .from = ORR_VERSION(2, 28, 3),
     .fixed = ORR_VERSION(2, 30, 7),
     .needs = ORR_FAULT_BY_ITSELF,
     .said = "symmetric memory|symm mem|symm_mem|symmetric kernel|symmetric "
             "window|win_coll_symmetric&wrong|corrupt|incorrect|accuracy|garbage| nan |mismatch&!nvshmem",
     .what = "symmetric kernels may read their input before the kernel in front of them has written it all.",
     .check = "Check: without symmetric memory (SGLang: no --enable-symm-mem) or without CUDA graphs, the results are "
              "right.",
     .cure = "Otherwise turn symmetric memory off."},
    /* NVIDIA/nccl#1963, spec of dev_runtime.cc */
    {.id = "null-window",
     .from = ORR_VERSION(2, 29, 2),
     .reported = true,
     .said = "commwindowregister|window_register|register window|registers window|win nil|window registration&null| "
             "nil |nullptr|does nothing|no window|win 0 |silently",
     .what =
         "ncclCommWindowRegister() returns success and a null window, and registers nothing, if the communicator "
         "has no symmetric memory. On several hosts that needs GIN on all ranks; 2.28 registered the buffer anyway.",
     .check = "Check: NCCL_DEBUG=INFO says \"Symmetric memory is not supported\" with ginSupport 0 or globalGinSupport "
              "0; the same program gets a window on one host, or with GIN (no NCCL_GIN_ENABLE=0, no NCCL_CROSS_NIC=0; "
              "up to 2.30.4 NCCL_IB_MERGE_NICS=0 for dual-port NICs).",
     .cure = "Zero-copy Send and Recv need no window: register the buffer with ncclCommRegister()."},
    /* NVIDIA/nccl#2035 */
    {.id = "nvlstree-b300",
     .from = ORR_VERSION(2, 29, 2),
     .fixed = ORR_VERSION(2, 30, 3),
     .needs = ORR_FAULT_BY_ITSELF,
     .said = " nvlstree| nvls tree| nvls_tree&b300&low|slow|drop|poor|only|gbps|gb s&!error|hang|crash",
     .what = "NVLSTree loses bandwidth on B300 from three hosts on; 2.30.3 mends that in part. Rings are not affected.",
     .check = "Check: run once with NCCL_ALGO=^NVLSTree.",
     .cure = "Leave NVLSTree out as long as rings are faster."},
    /* NVIDIA/nccl#974: sjeaugey */
    {.id = "h800-channels",
     .fixed = ORR_VERSION(2, 19, 3),
     .needs = ORR_FAULT_BY_ITSELF,
     .said = "h800&performance|bandwidth|busbw|slow|nic|gb s|idle|all_reduce|allreduce|traffic|graph|topolog&nccl 2 "
             "14| 2 15 | 2 16 | 2 17 | 2 18 |nccl2 18&!215 gb|hang|crash",
     .what = "on H800 hosts, whose GPUs have 8 NVLinks, its channels leave NICs unused or reach little bandwidth.",
     .check = "Check: with NCCL_DEBUG=INFO, \"via NET/IB/N\" must name all NICs.",
     .cure = "NCCL_GRAPH_FILE is not a remedy for production."},
    /* NVIDIA/nccl#770 */
    {.id = "bridged-gpus",
     .from = ORR_VERSION(2, 16, 2),
     .fixed = ORR_VERSION(2, 16, 5),
     .reported = true,
     .said = "slow|slower|bandwidth|performance&amd|epyc|bridge",
     .what = "with NVLink bridges between pairs of GPUs and AMD CPUs, it builds rings that are several times slower."},
    /* release notes of 2.27.5 */
    {.id = "graph-capture",
     .from = ORR_VERSION(2, 26, 2),
     .fixed = ORR_VERSION(2, 27, 5),
     .said = "captur&slow|longer|overhead&cuda graph|cudagraph",
     .what = "the capture of large CUDA graphs takes longer than with releases before and after."},
    /* NVIDIA/nccl#1741; release notes of 2.27.5 */
    {.id = "collnet-once",
     .from = ORR_VERSION(2, 27, 3),
     .fixed = ORR_VERSION(2, 27, 5),
     .needs = ORR_FAULT_BY_ITSELF,
     .said = "collnet_enable&cache|each time|no longer|only once|some communicator|selectively& 2 27 ",
     .what = "NCCL_COLLNET_ENABLE is read once for all communicators, and not for each of them.",
     .check = "Check: \"NCCL version\" with NCCL_DEBUG=VERSION.",
     .cure = "Or set collnetEnable in the ncclConfig_t of each communicator."},
};

const struct orr_fault *orr_fault_at(uint32_t index)
{
    return index < sizeof faults / sizeof faults[0] ? &faults[index] : NULL;
}

bool orr_fault_is_in(const struct orr_fault *fault, uint32_t version)
{
    return version && (fault->from || fault->fixed) && version >= fault->from &&
           (!fault->fixed || version < fault->fixed);
}

bool orr_release_has_fault(const struct orr_release *release, const struct orr_fault *fault)
{
    return fault->from && orr_fault_is_in(fault, release->version);
}

/* NVIDIA's user guide on each variable; cuMem: NVIDIA/nccl#1234; its host memory: pytorch/pytorch#152302. */
static const struct orr_release_default defaults[] = {
    {ORR_VERSION(2, 12, 7), "NCCL_PXN_DISABLE=1"},       {ORR_VERSION(2, 17, 1), "NCCL_NVLS_ENABLE=0"},
    {ORR_VERSION(2, 19, 1), "NCCL_CUMEM_ENABLE=0"},      {ORR_VERSION(2, 21, 5), "NCCL_MNNVL_ENABLE=0"},
    {ORR_VERSION(2, 22, 3), "NCCL_RUNTIME_CONNECT=0"},   {ORR_VERSION(2, 23, 4), "NCCL_PAT_ENABLE=0"},
    {ORR_VERSION(2, 24, 3), "NCCL_CUMEM_HOST_ENABLE=0"},
};

const struct orr_release_default *orr_release_default_at(uint32_t index)
{
    return index < sizeof defaults / sizeof defaults[0] ? &defaults[index] : NULL;
}
