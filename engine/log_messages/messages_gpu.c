/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about GPUs: CUDA, NVML and the driver, multicast and fabric of NVLink, and RCCL's about the host. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

/* Meaning and advice of messages that say the same. */
#define ONE_GPU                                                                                                        \
    "If `nvidia-smi -L` lists fewer GPUs than the host has ranks, start fewer ranks. If each rank sees all GPUs, "     \
    "each must choose its own: torch.cuda.set_device(LOCAL_RANK). With Ray, ask for a whole GPU for each worker, not " \
    "a fraction. With TRL, give the vLLM server other GPUs than the training. If `env` shows one "                     \
    "CUDA_VISIBLE_DEVICES or LOCAL_RANK for all ranks, unset that."
#define OFF_BUS                                                                                                        \
    "If dmesg has \"AER\" or \"PCIe Bus Error\" before this, check the card's seat and riser, or lower the slot's "    \
    "generation in the BIOS. If this happens under load, check power cables and temperature, or lower the power "      \
    "limit (`nvidia-smi -pl`). Then power the machine off and on. If the fault follows the card, replace the card."
#define NVLS_CHECKS                                                                                                    \
    "If the job works with NCCL_NVLS_ENABLE=0, leave that set meanwhile. If `nvidia-smi -q | grep -A6 Fabric` does "   \
    "not say Completed, reset the GPUs with Fabric Manager, or restart the host. If a container lacks "                \
    "/dev/nvidia-caps, add that."
#define GPU_MEMORY                                                                                                     \
    "If `nvidia-smi` lists another process on the GPU, end that process. If the job itself fills the GPU, leave NCCL " \
    "about 1 GB (a smaller batch), or use a smaller NCCL_BUFFSIZE or fewer channels (NCCL_MAX_NCHANNELS)."
#define THROTTLED                                                                                                      \
    "A GPU lowers its clocks because of heat or power.", "`nvidia-smi -q -d PERFORMANCE,TEMPERATURE` says why."
#define EXCLUSIVE                                                                                                      \
    "The GPU is in compute mode Exclusive Process: only one process may use it.",                                      \
        "If ranks choose their GPU late, all of them open GPU 0 first, and CUDA refuses all but one: call "            \
        "torch.cuda.set_device(local_rank) before the first call of CUDA or NCCL. `sudo nvidia-smi -c 0` allows "      \
        "several processes on each GPU."
#define BUSY                                                                                                           \
    "CUDA could not open a GPU: it is busy or unavailable.",                                                           \
        "If `nvidia-smi -q -d COMPUTE` shows Exclusive_Process, each rank must choose its own GPU at its start. If "   \
        "`dmesg | grep -i xid` names the GPU, reset it."
#define NO_GPU                                                                                                         \
    "If `nvidia-smi -L` lists no GPU on the host, `sudo dmesg | grep NVRM` says why. If only the container or task "   \
    "lists none, start it with GPUs (docker --gpus all; Slurm --gres=gpu:N). If the task lists GPUs, "                 \
    "CUDA_VISIBLE_DEVICES hides them from the process (Ray hides them from actors that ask for none)."

const struct orr_log_message orr_log_messages_gpu[] = {
    {"p2p-refused", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "Could not enable P2P between dev", NULL,
     "CUDA offers no P2P between these GPUs, so NCCL sends their data through host memory.",
     "`nvidia-smi topo -p2p r` shows why.", "Could not enable P2P between dev 1(=81000) and dev 0(=41000)"},
    {"no-transport", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "No transport found for rank", NULL,
     "Two ranks have no way to exchange data: no peer-to-peer, no shared memory, and no network that both can use.",
     "If both ranks are on one host, unset NCCL_P2P_DISABLE and NCCL_SHM_DISABLE. If the hosts' \"Using network\" "
     "lines differ, give all hosts the same plugin and NCCL_NET.",
     "No transport found for rank 2[1b000] -> rank 1[3b000]"},
    {"duplicate-gpu", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Duplicate GPU detected", NULL,
     "Two ranks use the same GPU.", ONE_GPU, "Duplicate GPU detected : rank 0 and rank 1 both on CUDA device 1b000"},
    {"duplicate-gpu-both", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "both on CUDA device", NULL,
     "Two ranks use the same GPU.", ONE_GPU, "rank 27 and rank 19 both on CUDA device 53000"},
    {"duplicate-gpu-newer", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Multiple Ranks are using the same GPU", NULL,
     "Two ranks use the same GPU, or slices of it (MIG).",
     ONE_GPU " NCCL_MULTI_RANK_GPU_ENABLE=1 lets ranks share a GPU, without P2P and NVLink.",
     "Multiple Ranks are using the same GPU/Partition. Set NCCL_MULTI_RANK_GPU_ENABLE=1 to enable this."},
    {"nvls-same-gpu", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NCCL_NVLS_ENABLE has been set to", "same NVML device",
     "NCCL_NVLS_ENABLE=1 demands NVLink SHARP, which ranks that share a GPU cannot have.",
     "Unset NCCL_NVLS_ENABLE: with its default, NCCL leaves NVLink SHARP out.",
     "NCCL_NVLS_ENABLE has been set to \"1\" and communicator has multiple ranks using the same NVML device"},
    {"cuda-driver-old", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "CUDA driver version is insufficient", NULL,
     "The GPU driver is too old for the CUDA runtime of the job, or the process finds no driver (CUDA error 35).",
     "If `nvidia-smi` shows an older CUDA than the job's, install a newer driver, or use an image with an older CUDA. "
     "If `nvidia-smi` fails in the container, start the container with GPUs (docker --gpus all).",
     "Cuda failure 35 'CUDA driver version is insufficient for CUDA runtime version'"},
    {"cuda-driver-call", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL,
     "API call is not supported in the installed CUDA driver", NULL,
     "The GPU driver is older than the CUDA version of NCCL or of the program, and lacks a function that it calls "
     "(CUDA error 36).",
     "Install a newer driver on the host, or a build for the driver's CUDA: nvidia-smi shows that of the driver, "
     "\"NCCL version ...+cudaN\" that of NCCL.",
     "Cuda failure 'API call is not supported in the installed CUDA driver'"},
    {"cuda-ptx", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "PTX was compiled with an unsupported toolchain", NULL,
     "The GPU driver is older than the CUDA version that NCCL or the program was compiled with, and has to compile its "
     "code for this GPU.",
     "Install a newer driver on the host (nvidia-smi shows the CUDA version that it knows), or use builds of an older "
     "CUDA version with code for this GPU.",
     "Cuda failure 222 'the provided PTX was compiled with an unsupported toolchain.'"},
    {"nvls-slots", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "NVLink SHARP (NVLS) Multicast", "out of memory",
     "NCCL could not bind multicast memory for NVLink SHARP (NVLS): the GPU or the NVSwitches have no room for it. "
     "NCCL 2.29 stops there; other releases go on without NVLS.",
     "If `nvidia-smi` shows free memory, the NVSwitches have no multicast slot left (a host has 128): set "
     "NCCL_NVLS_ENABLE=0, or use fewer communicators with NVLS (NCCL_ALGO=^NVLS for small ones). If the GPU is full, "
     "leave NCCL some memory.",
     "Failed to bind NVLink SHARP (NVLS) Multicast memory of size 2097152 : CUDA error 2 'out of memory'."},
    {"nvls-slots-older", ORR_FROM_WARN, ORR_WEIGHT_FATAL, "Cuda failure", "@nvls.cc|out of memory",
     "There is no room for the buffers of NVLink SHARP (NVLS), in the memory of the GPU or in the NVSwitches.",
     "If the job works with NCCL_NVLS_ENABLE=0 and `nvidia-smi` shows free memory, it has too many communicators with "
     "NVLS for the 128 multicast slots of a host.",
     "Cuda failure 2 'out of memory'"},
    {"cuda-nvls", ORR_FROM_WARN, ORR_WEIGHT_FATAL, "Cuda failure", "@nvls.cc",
     "The driver refused multicast for NVLink SHARP (NVLS).", NVLS_CHECKS,
     "Cuda failure 401 'the operation cannot be performed in the present state'"},
    {"mnnvl-fabric", ORR_FROM_ALL, ORR_WEIGHT_NOTE, "MNNVL busId", "healthMask",
     "What the driver reports of the NVLink fabric: its cluster, clique, state (3: ready) and health.",
     "Nothing is wrong by itself; see the symptoms.",
     "MNNVL busId 0x901000 fabric UUID 3143b15bc2cd192b.28cc9b5473fb5b93 cliqueId 0x7ffe state 3 healthMask 0xaa"},
    {"imex-import", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "MemImportFromShareableHandle", NULL,
     "A process could not open GPU memory that another one shares.",
     "If `nvidia-imex-ctl -N` (racks such as GB200 NVL72) does not show all hosts READY, this one among them, restart "
     "nvidia-imex (Kubernetes: the ComputeDomain) or the host. If the job works with NCCL_MNNVL_ENABLE=0, IMEX is at "
     "fault. If the job works only with NCCL_CUMEM_ENABLE=0, sharing by cuMem is at fault.",
     "CUDA error in cuMemImportFromShareableHandle: invalid resource handle"},
    {"imex-permission", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure 800", NULL,
     "CUDA did not permit an operation (error 800).",
     "If `ls /dev/nvidia-caps-imex-channels` shows nothing in the job (racks such as GB200 NVL72), give it channel0 "
     "(Kubernetes: a ComputeDomain of NVIDIA's DRA driver). If `nvidia-imex-ctl -N` shows a host that is not READY, "
     "restart nvidia-imex there. If the job works with NCCL_MNNVL_ENABLE=0, one of these is at fault.",
     "Cuda failure 800 'operation not permitted'"},
    {"cuda-ordinal", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "invalid device ordinal",
     "A process named a GPU that it does not see (CUDA error 101).",
     "If `nvidia-smi -L` lists fewer GPUs than the host has, `sudo dmesg | grep NVRM` says why. If `srun nvidia-smi "
     "-L` lists fewer, use --gpus-per-node with --gpu-bind=none, not --gpus-per-task. If the process sees all GPUs, "
     "the program must choose by local rank. If CUDA_VISIBLE_DEVICES hides some, start fewer processes.",
     "Cuda failure 101 'invalid device ordinal'"},
    {"cuda-state", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure",
     " 401 |cannot be performed in the present state",
     "The driver refused an operation in its present state (CUDA error 401).", NVLS_CHECKS,
     "Cuda failure 401 'the operation cannot be performed in the present state'"},
    {"cuda-not-ready", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "system not yet initialized", NULL,
     "The GPUs are not ready for CUDA (error 802).",
     "If `nvidia-smi -q | grep -A6 Fabric` does not say Completed (machines with NVSwitches), `systemctl status "
     "nvidia-fabricmanager` says why: its version must be the driver's, and HGX B200 and B300 also need nvlsm and the "
     "modules mlx5_ib and ib_umad. If Fabric is Completed, take cuda-compat out of LD_LIBRARY_PATH: a libcuda.so newer "
     "than the host's driver gives this error, too.",
     "Cuda failure 802 'system not yet initialized'"},
    {"cuda-driver-combination", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "unsupported display driver", NULL,
     "The libcuda.so that the process loads does not fit the host's driver (CUDA error 803).",
     "If LD_LIBRARY_PATH or `ldconfig -p | grep libcuda` names cuda-compat, take that out, or install the driver that "
     "the image needs. If the driver was updated, restart the host and create containers anew.",
     "Cuda failure 803 'system has unsupported display driver / cuda driver combination'"},
    {"shared-memory-size", ORR_FROM_ALL, ORR_WEIGHT_FATAL, "exceeds device/fn maxSharedMem", NULL,
     "This release of NCCL is older than the GPU model: its kernels need more shared memory than the GPU offers them.",
     "Use NCCL 2.26.5 or newer (RTX 50 and RTX PRO Blackwell). For PyTorch, `pip install -U nvidia-nccl-cu12`.",
     "ncclMaxSharedMem 82240 exceeds device/fn maxSharedMem 79856"},
    {"cuda-no-kernel", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "no kernel image is available", NULL,
     "The program or NCCL was built without code for this GPU model.",
     "Use builds for its compute capability (`nvidia-smi --query-gpu=compute_cap --format=csv`). From 10.0 on "
     "(Blackwell), that is NCCL 2.25 or newer with CUDA 12.8 or newer. Below 7.5 (Volta and older), that is CUDA 12, "
     "as CUDA 13 has no code for these GPUs.",
     "Cuda failure 209 'no kernel image is available for execution on the device'"},
    {"cuda-no-symbol", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure",
     "named symbol not found|invalid device function",
     "CUDA does not find a kernel in the code that is loaded for this GPU.",
     "If `cuobjdump --list-elf libnccl.so.2` lacks the GPU's compute capability, NCCL was built without code for this "
     "GPU model: use a build that has it (NVCC_GENCODE).",
     "Cuda failure 'named symbol not found'"},
    {"cuda-no-device", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "no CUDA-capable device is detected", NULL,
     "The process sees no GPU.", NO_GPU, "Cuda failure 100 'no CUDA-capable device is detected'"},
    {"torch-no-gpu", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "ProcessGroupNCCL is only supported with GPUs", NULL,
     "PyTorch sees no GPU in this process.", NO_GPU,
     "ValueError: ProcessGroupNCCL is only supported with GPUs, no GPUs found!"},
    {"torch-no-cuda", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "No CUDA GPUs are available", NULL,
     "PyTorch sees no GPU in this process.", NO_GPU, "RuntimeError: No CUDA GPUs are available"},
    {"cuda-busy", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "devices are busy or unavailable", NULL, BUSY,
     "Cuda failure 46 'all CUDA-capable devices are busy or unavailable'"},
    {"cuda-busy-application", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "is/are busy or unavailable", NULL,
     BUSY " If this is a vGPU, `nvidia-smi -q | grep -i licen` must show a licence.",
     "RuntimeError: CUDA error: CUDA-capable device(s) is/are busy or unavailable"},
    {"gpu-process", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "nvidia-smi: process %d", NULL, "A process has memory of a GPU.",
     "Nothing needs to change if it belongs to the job.", "nvidia-smi: process 31877 (python3) has 23894 MiB of GPU 1"},
    {"gpu-throttled", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GPU %w is throttled: ", NULL, THROTTLED,
     "GPU 2 is throttled: 2, 93, 585 MHz, Active"},
    {"gpu-throttled-reason", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "Slowdown : Active", NULL, THROTTLED,
     "            SW Thermal Slowdown                : Active"},
    {"gpu-clock-held", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GPU %d runs at %d MHz, and others at %d", NULL,
     "Something holds the clock of this GPU down, and every operation waits for the slowest GPU.",
     "`nvidia-smi -q -d PERFORMANCE,CLOCK,POWER` during a run names the reason.",
     "GPU 2 runs at 420 MHz, and others at 1980"},
    {"compute-exclusive", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "E. Process", NULL, EXCLUSIVE,
     "| N/A   31C    P0    36W / 250W |      0MiB / 40960MiB |      0%   E. Process |"},
    {"compute-exclusive-mode", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "Exclusive_Process", NULL, EXCLUSIVE,
     "    Compute Mode                          : Exclusive_Process"},
    {"sysfs-path", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Could not find real path of /sys/class/pci_bus", NULL,
     "NCCL did not find a GPU in /sys.",
     "If this is WSL2, use NCCL 2.10.3 or newer. If a container's `ls /sys/class/pci_bus` lacks buses of the host, "
     "mount /sys as it is. If `lspci` lacks the GPU in a virtual machine, the machine does not get it.",
     "Could not find real path of /sys/class/pci_bus/0000:21/../../0000:21:00.0"},
    {"cuda-fork", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "initialization error",
     "CUDA refused a call as not initialized (error 3). The line does not say why.",
     "If the job works with NCCL_NVLS_ENABLE=0, what NCCL asks about NVLink SHARP (NVLS) at its start fails. If "
     "`python -c 'import torch; torch.ones(1).cuda()'` fails, CUDA itself does not work here. If the program forks "
     "after it used CUDA, start its processes by spawn.",
     "Cuda failure 3 'initialization error'"},
    {"cuda-os-call", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure",
     "OS call failed|operating system call failed", "A system call of the driver failed (CUDA error 304).",
     "If `ulimit -n` in the job is near 1024, raise it. If ranks of one host are in several containers, give these one "
     "IPC and PID namespace. If the job works with NCCL_CUMEM_ENABLE=0, sharing by cuMem is at fault.",
     "Cuda failure 304 'OS call failed or operation not supported on this OS'"},
    {"cuda-peers", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "peer mapping resources exhausted", NULL,
     "A GPU has no room for another peer: CUDA lets each GPU map the memory of at most 8 others, unless NVSwitches "
     "join them.",
     "Use at most 9 of these GPUs in one process, or start one process for each GPU, which sees only its own "
     "(CUDA_VISIBLE_DEVICES). Other programs on the GPUs use up peers, too.",
     "Cuda failure 711 'peer mapping resources exhausted'"},
    {"cuda-peer-mapped", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "mapping of buffer object failed", NULL,
     "The driver could not map memory of another GPU (CUDA error 205).",
     "If `nvidia-smi -q | grep -A3 BAR1` shows less than the GPU's memory, turn Resizable BAR on in the BIOS. If `sudo "
     "dmesg | grep NVRM` names BAR 1 or a DMA address, that is the reason. If `cat /proc/cmdline` has an IOMMU turned "
     "on without iommu=pt, boot with iommu=pt. NCCL_P2P_DISABLE=1 lets the job run meanwhile.",
     "Cuda failure 205 'mapping of buffer object failed'"},
    {"cuda-out-of-memory", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "out of memory",
     "The GPU had no memory left for NCCL.", GPU_MEMORY, "Cuda failure 2 'out of memory'"},
    {"cuda-in-capture", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "during capture",
     "A CUDA graph was being captured, and an earlier call in it failed; NCCL only meets that failure.",
     "Run once without CUDA graphs (vLLM: --enforce-eager; SGLang: --disable-cuda-graph): then the first error shows.",
     "Cuda failure 'operation failed due to a previous error during capture'"},
    {"cuda-illegal-access", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "illegal memory access",
     "A kernel on this GPU, of NCCL or of the application, used memory that it may not use.",
     "If compute-sanitizer names a kernel that begins with nccl, try a newer NCCL; if another, that kernel is at "
     "fault. With CUDA_LAUNCH_BLOCKING=1, the traceback ends in the call that failed.",
     "Cuda failure 700 'an illegal memory access was encountered'"},
    {"device-assert", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "device-side assert triggered", NULL,
     "A kernel of the application failed its own check. All CUDA and NCCL errors after it follow from it.",
     "Run once with CUDA_LAUNCH_BLOCKING=1, or on the CPU, which name the operation. If the operation takes an index "
     "(a label, a token, a position), compare that with the size of its table.",
     "RuntimeError: CUDA error: device-side assert triggered"},
    {"cuda-shm-peer", ORR_FROM_WARN, ORR_WEIGHT_FATAL, "Cuda failure", "@shm.cc|peer access is not supported",
     "NCCL shares host memory through cuMem here, and the driver refuses that between GPUs without P2P.",
     "Set NCCL_CUMEM_HOST_ENABLE=0: NCCL then uses /dev/shm. Newer drivers and releases may not need it.",
     "Cuda failure 217 'peer access is not supported between these two devices'"},
    {"cuda-peer-access", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "peer access is not supported",
     "The driver offers no peer-to-peer access between two GPUs.",
     "`nvidia-smi topo -p2p r` says why. NCCL_P2P_DISABLE=1 lets the job run without it.",
     "Cuda failure 217 'peer access is not supported between these two devices'"},
    {"cuda-not-supported", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "not supported",
     "The driver, the virtual machine or the container does not support a CUDA function that NCCL needs.",
     "If the job works with NCCL_CUMEM_ENABLE=0 or with NCCL_CUMEM_HOST_ENABLE=0, leave that set. If the job works "
     "with NCCL_NVLS_ENABLE=0, multicast is not available here. If the GPUs are vGPUs, they need unified memory "
     "(VMware: pciPassthruX.cfg.enable_uvm=1).",
     "Cuda failure 801 'operation not supported'"},
    {"cuda-launch-failure", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "unspecified launch failure",
     "A kernel crashed on this GPU, the application's or NCCL's. All later CUDA and NCCL errors follow from it.",
     "If `dmesg | grep -i xid` shows 13 or 31, a program's kernel is at fault, and compute-sanitizer names it. If "
     "`dmesg | grep -i xid` shows 48, 74, 79 or 94, the GPU or an NVLink failed.",
     "Cuda failure 719 'unspecified launch failure'"},
    {"cuda-gpu-lost", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "uncorrectable|is lost|contained",
     "The driver reports a fault of the GPU, of its memory or of an NVLink.",
     "`dmesg | grep -i xid` names the GPU and the fault. Reset the GPU; if the fault comes back, replace it.",
     "Cuda failure 214 'uncorrectable ECC error encountered'"},
    {"cuda-invalid-argument", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "invalid argument",
     "CUDA refused an argument of a call of NCCL. The line does not say why.",
     "If earlier lines or dmesg report an error, begin there. If the job works with NCCL_P2P_DISABLE=1, P2P is at "
     "fault. If the job works with another NCCL, keep that.",
     "Cuda failure 1 'invalid argument'"},
    {"cuda-stub", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "driver is a stub library", NULL,
     "The program loaded the empty libcuda.so of the CUDA toolkit instead of the driver's.",
     "Take the folder stubs out of LD_LIBRARY_PATH. If a container was started without GPUs, it lacks the driver's "
     "libcuda.so.1. If a program links NCCL statically, it needs all of libcudart_static.a (--whole-archive).",
     "Cuda failure 'CUDA driver is a stub library'"},
    {"cuda-handle", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", "invalid resource handle",
     "A call used a stream, event or memory handle that is not valid for this GPU and process.",
     "If there is an earlier CUDA error, begin there. If a process uses several GPUs, each thread must call "
     "cudaSetDevice() before it calls NCCL.",
     "Cuda failure 400 'invalid resource handle'"},
    {"cuda-failure", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Cuda failure", NULL, "A CUDA call of NCCL failed.",
     "Look at the CUDA error in the line, and for Xid messages in the kernel log (dmesg).",
     "Cuda failure 999 'unknown error'"},
    {"remote-allocator", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "[Rem Allocator] Allocation failed", NULL,
     "A process could not allocate GPU memory for another one (NCCL up to 2.13).",
     "If `nvidia-smi` shows little free memory, leave NCCL some. If the job works with NCCL_P2P_DISABLE=1, the GPU has "
     "no CUDA IPC, as in some virtual machines and WSL. A newer NCCL shares memory in other ways.",
     "[Rem Allocator] Allocation failed (segment 0, fd 74)"},
    {"cuda-host-memory", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Failed to CUDA host alloc", NULL,
     "NCCL could not get pinned host memory.",
     "If an earlier line has a CUDA error, begin there. If the container or host has little memory left "
     "(memory.max, `free -g`), give it more. If this is WSL2, pinned memory is limited there.",
     "Failed to CUDA host alloc 33554432 bytes"},
    {"cuda-memory", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Failed to CUDA ", "alloc", "NCCL could not get GPU memory.",
     GPU_MEMORY, "Failed to CUDA calloc async 608 bytes"},
    {"nvml-mismatch", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Driver/library version mismatch", NULL,
     "The NVIDIA library and the loaded kernel driver have different versions.",
     "If the driver was updated, restart the host or reload the driver. If only containers have the error, create them "
     "anew. If the error persists, install both in exactly the same version (/proc/driver/nvidia/version names the "
     "driver's).",
     "nvmlInit_v2() failed: Driver/library version mismatch"},
    {"nvml-hidden-gpu", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "nvmlDeviceGetHandleByPciBusId() failed", "Not Found",
     "A process does not see the GPU of another rank that NCCL counts to its host, by host name and boot id.",
     "Check `nvidia-smi -L` in each container or task of the host: let each see all GPUs and choose with "
     "CUDA_VISIBLE_DEVICES, or give each container an NCCL_HOSTID of its own: then they use the network.",
     "nvmlDeviceGetHandleByPciBusId() failed: Not Found"},
    {"nvml", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "nvml", "failed",
     "NVIDIA's management library (NVML) refused a call.",
     "If `nvidia-smi` fails in the container only, start the container with NVIDIA's runtime. If `dmesg | grep -i xid` "
     "has messages, the GPU or its driver failed.",
     "nvmlDeviceGetHandleByPciBusId() failed: GPU is lost"},
    {"cuda-library", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "Failed to find CUDA library", NULL,
     "NCCL found no libcuda.so and goes on without what it asks the driver for (cuMem, NVLS), if CUDA itself works.",
     "If this is a container, start it with NVIDIA's runtime (docker --gpus all). If this is WSL2, put "
     "/usr/lib/wsl/lib into LD_LIBRARY_PATH.",
     "Failed to find CUDA library libcuda.so (NCCL_CUDA_PATH='') : libcuda.so: cannot open shared object file"},
    {"rccl-iommu", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "Missing \"iommu=pt\"", NULL,
     "The host's kernel was started without iommu=pt, which RCCL expects. Transfers may be slow or hang.",
     "Add iommu=pt to the kernel command line and restart the host.",
     "Missing \"iommu=pt\" from kernel command line which can lead to system instablity or hang!"},
    {"rccl-numa", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "NUMA auto balancing enabled", NULL,
     "The kernel moves memory between NUMA nodes, which makes RCCL's speed vary.",
     "Run `sysctl kernel.numa_balancing=0` on the host.",
     "NUMA auto balancing enabled which can lead to variability in the RCCL performance! Disable by \"sudo sysctl "
     "kernel.numa_balancing=0\""},
    {"rccl-fine-grain", ORR_FROM_WARN_OTHER, ORR_WEIGHT_WARNING, "Missing \"HSA_FORCE_FINE_GRAIN_PCIE=1\"", NULL,
     "RCCL misses a setting for GPUs that talk over PCIe. Transfers may be slow or hang.",
     "Set HSA_FORCE_FINE_GRAIN_PCIE=1 for the job.",
     "Missing \"HSA_FORCE_FINE_GRAIN_PCIE=1\" from environment which can lead to low RCCL performance, system "
     "instablity or hang!"},
    {"hip-failure", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "HIP failure", NULL, "A HIP call of RCCL failed.",
     "Look at the HIP error in the line, and for GPU errors in the kernel log (dmesg).", "HIP failure 'out of memory'"},
    {"xid-off-bus", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NVRM: Xid (", "): 79,",
     "The GPU fell off the PCIe bus, so the host no longer reaches it, and all later errors of CUDA and NCCL follow.",
     OFF_BUS, "[12345.6] NVRM: Xid (PCI:0000:1b:00): 79, pid='<unknown>', GPU has fallen off the bus."},
    {"xid-memory", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NVRM: Xid (", "): 48,|): 63,|): 64,|): 94,|): 95,",
     "The GPU's memory has errors that ECC cannot correct.",
     "Reset the GPU or restart the host, so that rows are remapped (`nvidia-smi -q -d ECC,ROW_REMAPPER`). If errors "
     "come back, replace the GPU.",
     "NVRM: Xid (PCI:0000:3b:00): 95, pid=51, Uncontained: FBHUB. RST: Yes, D-RST: No"},
    {"xid-nvlink", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NVRM: Xid (",
     "): 74,|): 144,|): 145,|): 146,|): 147,|): 148,|): 149,|): 150,", "An NVLink of the GPU failed.",
     "Check: `nvidia-smi nvlink -e` counts errors, `nvidia-smi nvlink -s` shows links that are down. Reset all GPUs of "
     "the host with their NVSwitches, or restart the host. If cards have a bridge, reseat the bridge. If the fault "
     "comes back, replace the part.",
     "NVRM: Xid (PCI:0000:66:00): 145, RLW_REMAP Nonfatal XC1 i0 Link 04 (0x00000004 0x00000001)"},
    {"xid-gsp", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NVRM: Xid (", "): 119,|): 120,",
     "The GPU's own processor (GSP) no longer answers the driver.",
     "Check: `nvidia-smi` hangs or says ERR! for this GPU. Restart the host, and update driver and VBIOS. If a new "
     "driver has the fault, too, replace the GPU.",
     "NVRM: Xid (PCI:0000:c1:00): 119, pid=3710, name=python3, Timeout after 6s of waiting for RPC response from GPU0 "
     "GSP! Expected function 76 (GSP_RM_CONTROL)"},
    {"xid-program", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NVRM: Xid (", "): 13,|): 31,|): 43,",
     "The GPU driver ended the work of a process because of what one of its kernels did (Xid 13, 31 or 43).",
     "If compute-sanitizer names a kernel, that is a fault of the program, or of NCCL if the name begins with nccl. If "
     "different programs fail on one GPU only, test that GPU (`dcgmi diag -r 3`).",
     "[12345.6] NVRM: Xid (PCI:0000:5d:00): 31, pid=88310, name=python3, Ch 00000008, intr 00000000. MMU Fault: ENGINE "
     "GRAPHICS GPCCLIENT_T1_6 faulted @ 0x7f0c_6e600000. Fault is of type FAULT_PDE ACCESS_TYPE_VIRT_READ"},
    {"xid-cleanup", ORR_FROM_OTHER, ORR_WEIGHT_AFTERMATH, "NVRM: Xid (", "): 45,",
     "The GPU driver ended the work of a process, because the process had ended or after another error (Xid 45).",
     "Look for the first error of that process, and for another Xid before it.",
     "[12345.6] NVRM: Xid (PCI:0000:66:00): 45, pid=3188204, name=python3, Ch 00000008"},
    {"xid", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NVRM: Xid (", NULL,
     "The GPU driver reported an error (Xid), and its number tells what happened.",
     "Look up the number in NVIDIA's list of Xid errors.",
     "NVRM: Xid (PCI:0000:1b:00): 62, pid='<unknown>', name=<unknown>, 2027(2d84) 00000000 00000000"},
    {"gpu-off-bus", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NVRM: ", "fallen off the bus",
     "A GPU no longer answers on PCIe, so the driver dropped it and no program can use it.", OFF_BUS,
     "NVRM: GPU at 0000:01:00.0 has fallen off the bus."},
    {"open-driver-old-gpu", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "installed in this system is not supported by open", NULL,
     "NVIDIA's open kernel modules do not support this GPU: they need Turing (2018) or newer.",
     "Install the proprietary kernel modules; branch 580 is the last that supports Maxwell, Pascal and Volta.",
     "NVRM: installed in this system is not supported by open"},
    {"open-driver-needed", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "requires use of the NVIDIA open kernel modules", NULL,
     "This GPU needs NVIDIA's open kernel modules, and the proprietary ones are installed, so no program sees it.",
     "Install the open modules of the same driver version (a package named `-open`, or `--kernel-module-type=open`).",
     "NVRM: installed in this system requires use of the NVIDIA open kernel modules."},
    {"rm-init-failed", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "NVRM: ", "RmInitAdapter failed",
     "The driver cannot start a GPU, so no program sees it.",
     "Other lines of dmesg with NVRM say why. If lines ask for the open kernel modules, install those. If lines name "
     "BAR or address space, turn Above 4G Decoding and Resizable BAR on in the BIOS. If lines name firmware (GSP), use "
     "that of the driver's version.",
     "NVRM: GPU 0000:01:00.0: RmInitAdapter failed! (0x22:0x56:884)"},
    {"smi-no-devices", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "No devices were found", NULL,
     "nvidia-smi finds no GPU that the driver could start.",
     "If `sudo dmesg | grep NVRM` has lines, they say why. If a container or virtual machine prints this, give it the "
     "GPUs.",
     "No devices were found"},
    {"peer-not-enabled", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "peer access has not been enabled", NULL,
     "The program turned P2P off between two GPUs for which it had not turned it on: a fault of the program, not of "
     "NCCL or the driver.",
     "Update the program. If it is llama.cpp, --split-mode layer avoids the call, which only --split-mode row makes.",
     "CUDA error: peer access has not been enabled"},
    {"torch-probability", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "probability tensor contains either", NULL,
     "The model computed infinite or undefined numbers; NCCL does not report this.",
     "Run on one GPU: if that works, compare data before and after a copy to the other GPU, as P2P may deliver wrong "
     "data.",
     "RuntimeError: probability tensor contains either `inf`, `nan` or element < 0"},
};
ORR_LOG_FAMILY(gpu);
