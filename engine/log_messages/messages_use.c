/* SPDX-License-Identifier: Apache-2.0 */
/* Messages about how NCCL is used: arguments, ranks that do not agree, versions, settings. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

const struct orr_log_message orr_log_messages_use[] = {
    {"version-mismatch", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Mismatched NCCL version detected", NULL,
     "Ranks run different releases of NCCL.",
     "Use one image on all hosts; look for another libnccl.so in LD_LIBRARY_PATH or LD_PRELOAD of some host.",
     "Mismatched NCCL version detected : rank 0 version 22705 rank 1 version 22703"},
    {"devcomm-initializer", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ncclDevCommRequirements_t argument must", NULL,
     "The program was written for NCCL 2.28: since 2.29, requirements of a device communicator must be initialized.",
     "Write ncclDevCommRequirements reqs = NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER; instead of clearing them by "
     "memset(), and build against the NCCL that runs. PyTorch and DeepEP have done so in newer versions.",
     "Cannot create device communicator: ncclDevCommRequirements_t argument must be initialized via "
     "NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER"},
    {"devcomm-create", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "ncclDevCommCreate", "failed",
     "NCCL refused to make a device communicator.",
     "If NCCL_DEBUG=WARN prints NCCL_DEV_COMM_REQUIREMENTS_INITIALIZER, the program was written for NCCL 2.28: use a "
     "newer version of it (PyTorch, DeepEP), or the NCCL for which it was built.",
     "ncclDevCommCreate failed"},
    {"config-release", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Invalid config", "attribute value -2147483648",
     "The program was built for NCCL 2.17 or newer and runs an older release, which does not know this mark of a value "
     "that is not given.",
     "`python -c 'import torch; print(torch.cuda.nccl.version())'` and the line \"NCCL version\" must agree. Take "
     "older copies of libnccl.so.2 out of LD_LIBRARY_PATH, LD_PRELOAD and the system's folders.",
     "Invalid config blocking attribute value -2147483648"},
    {"torch-no-nccl", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "package doesn't have NCCL", NULL,
     "This PyTorch was built without NCCL: it is one for CPUs, Windows or macOS, or an older build.",
     "On Linux, install a build of PyTorch for CUDA. Windows and macOS have no NCCL: use the backend gloo.",
     "RuntimeError: Distributed package doesn't have NCCL built in"},
    {"nccl-symbol", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "undefined symbol: nccl", NULL,
     "A program or library was built for a newer NCCL than the libnccl.so.2 that it found.",
     "`ldd FILE | grep nccl` shows which one it loads. Keep one package nvidia-nccl-cu* (`pip list | grep nccl`), and "
     "take older copies of libnccl.so.2 out of LD_LIBRARY_PATH, LD_PRELOAD and the system's folders.",
     "ImportError: torch/lib/libtorch_cuda.so: undefined symbol: ncclCommWindowRegister"},
    {"preload-ignored", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "from LD_PRELOAD cannot be preloaded", NULL,
     "LD_PRELOAD names a library that the process cannot open, and goes on without it.",
     "Correct the path, or unset LD_PRELOAD; in a container the file must be mounted.",
     "ERROR: ld.so: object '/opt/nccl/libnccl.so.2' from LD_PRELOAD cannot be preloaded (cannot open shared object "
     "file): ignored."},
    {"unknown-result", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NCCL error", "unknown result code",
     "The program got a result code for which its NCCL has no text.",
     "If `ldd` of the program's libraries and `pip list | grep nccl` name two releases of NCCL, keep the one that the "
     "program was built for, and take the other out of LD_LIBRARY_PATH.",
     "Failed, NCCL error plugins/ncclPlugin/allreducePlugin.cpp:183 'unknown result code'"},
    {"nccl-library", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "libnccl.so", "cannot open shared object file",
     "The program does not find NCCL.",
     "If `find / -name 'libnccl.so*'` lists it, add its folder to LD_LIBRARY_PATH. If there is none, install libnccl2 "
     "or the package nvidia-nccl-cu* of its CUDA release.",
     "error while loading shared libraries: libnccl.so.2: cannot open shared object file: No such file or directory"},
    {"element-unknown", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Unrecognized element token", NULL,
     "NCCL_ALGO or NCCL_PROTO has a word that this NCCL does not know, so it does not start.",
     "Correct the value that the line names, or unset it: Ring, Tree, CollNetDirect, CollNetChain, NVLS, NVLSTree and "
     "PAT are algorithms, LL, LL128 and Simple protocols.",
     "Unrecognized element token \"Rings\" when parsing \"Rings\""},
    {"no-algorithm", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Error : no algorithm/protocol available", NULL,
     "No algorithm that NCCL may use here can do this operation.",
     "If NCCL_ALGO or NCCL_PROTO is set, unset it, or allow Ring as well.",
     "Error : no algorithm/protocol available for function AllGather with datatype ncclInt8. NCCL_ALGO was set to "
     "Tree."},
    {"ended-communicator", ORR_FROM_WARN_OTHER, ORR_WEIGHT_AFTERMATH, "invalid root", "0..-1 range",
     "The application used a communicator without ranks: it was aborted or destroyed before, or its start had failed.",
     "Look for the error before this line, also on other ranks. After ncclCommAbort() a program has to make a new "
     "communicator.",
     "AllGather : invalid root 0 (root should be in the 0..-1 range)"},
    {"invalid-root", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "invalid root", NULL,
     "The application named a root rank that the communicator does not have.",
     "Check the root that the application gives.", "Broadcast : invalid root 8 (root should be in the 0..8 range)"},
    {"invalid-rank", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Invalid rank requested", NULL,
     "A process asked for a rank that the communicator does not have.", "Check RANK and WORLD_SIZE on every host.",
     "Invalid rank requested : 8/8"},
    {"invalid-type", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "invalid type", NULL,
     "The application gave a data type that NCCL does not have.",
     "Check the data type; newer types need a newer release of NCCL.", "AllReduce : invalid type 12"},
    {"invalid-operation", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "invalid reduction operation", NULL,
     "The application gave a reduction that NCCL does not have.",
     "Check the reduction; newer ones need a newer release of NCCL.", "AllReduce : invalid reduction operation 9"},
    {"null-argument", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "argument is NULL", NULL,
     "The application gave no communicator or buffer.", "Check the call in the application.",
     "AllReduce : comm argument is NULL"},
    {"null-pointer", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "(nil) is not a valid pointer", NULL,
     "The application gave NCCL a null pointer as a buffer: the tensor has no memory, for instance because it is "
     "empty, was freed or is on the meta device. NCCL itself is not at fault.",
     "Check the tensor before the call that the traceback names: is_cuda, numel() and data_ptr() on every rank.",
     "Broadcast : sendbuff (nil) is not a valid pointer"},
    {"not-a-pointer", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "is not a valid pointer", NULL,
     "The application gave a buffer that is not GPU memory.", "Check that the tensor is on the GPU of this rank.",
     "AllReduce : sendbuff 0x7f12 is not a valid pointer"},
    {"wrong-device", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "allocated on device %d mismatch", NULL,
     "The application gave a buffer on another GPU than the communicator's.",
     "Call torch.cuda.set_device(LOCAL_RANK) before anything is allocated.",
     "AllReduce : sendbuff allocated on device 1 mismatchs with NCCL device 0"},
    {"group-end", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "ncclGroupEnd: not in a group call", NULL,
     "The application called ncclGroupEnd without ncclGroupStart.", "Check the application's group calls.",
     "ncclGroupEnd: not in a group call."},
    {"comm-destroyed", ORR_FROM_WARN_OTHER, ORR_WEIGHT_ERROR, "has already been destroyed", NULL,
     "The application used or destroyed a communicator twice.", "Check the order in which the application ends.",
     "comm 0x55 has already been destroyed"},
    {"comm-corrupted", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "corrupted comm object", NULL,
     "The communicator is not one of this copy of NCCL, or it was destroyed.",
     "If the error goes away without the import of another framework (TensorFlow, JAX), the process has two copies of "
     "NCCL: use one framework in a process (`grep libnccl /proc/PID/maps` lists shared copies). If there is one copy, "
     "look for a use after ncclCommDestroy().",
     "Error: corrupted comm object detected"},
    {"comm-early", ORR_FROM_WARN_OTHER, ORR_WEIGHT_FATAL, "Attempt to use communicator before", NULL,
     "The application used a non-blocking communicator before it was ready.",
     "Wait until ncclCommGetAsyncError returns ncclSuccess.",
     "Attempt to use communicator before the previous operation returned ncclSuccess"},
    {"channels-maximum", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "User asked for a maximum of", NULL,
     "NCCL_MAX_NCHANNELS is out of range, and NCCL uses another value.",
     "Set NCCL_MAX_NCHANNELS within 1 to 32, or unset it.", "User asked for a maximum of 0 channels, setting it to 1"},
    {"channels-minimum", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "User asked for a minimum of", NULL,
     "NCCL_MIN_NCHANNELS is out of range, and NCCL uses another value.",
     "Set NCCL_MIN_NCHANNELS within 1 to 32, or unset it.", "User asked for a minimum of 64 channels, limiting to 32"},
    {"threads-invalid", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "invalid number of threads", NULL,
     "A setting asks for a number of threads that NCCL cannot use, and NCCL uses another one.",
     "Set NCCL_NTHREADS to 64, 128, 256 or 512, or unset it.",
     "NCCL_NTHREADS: invalid number of threads 100, need a positive multiple of 32"},
    {"setting-invalid", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "Invalid value %w for %w", "default",
     "NCCL ignored a setting whose value is not a number that it understands.",
     "Correct or unset the variable that the line names.", "Invalid value 1M for NCCL_BUFFSIZE, using default -2."},
    {"socket-threads", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "NCCL_SOCKET_NTHREADS is greater than", NULL,
     "NCCL_SOCKET_NTHREADS is too large, and NCCL uses its maximum.", "Set NCCL_SOCKET_NTHREADS to 16 at most.",
     "NET/Socket : NCCL_SOCKET_NTHREADS is greater than the maximum allowed, setting to 16"},
    {"socket-sockets", ORR_FROM_ALL, ORR_WEIGHT_WARNING, "NCCL_NSOCKS_PERTHREAD is greater than", NULL,
     "NCCL_NSOCKS_PERTHREAD is too large, and NCCL uses a smaller value.",
     "Set NCCL_SOCKET_NTHREADS times NCCL_NSOCKS_PERTHREAD to 64 at most.",
     "NET/Socket : NCCL_NSOCKS_PERTHREAD is greater than the maximum allowed, setting to 4"},
    {"nvcc-architecture", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Unsupported gpu architecture", NULL,
     "This nvcc does not know a GPU architecture for which the source wants to be compiled.",
     "CUDA 12 compiles for compute_50 and newer, CUDA 13 for compute_75 and newer. If the one that it names is older, "
     "use a newer release of the source, or compile for your GPUs alone: make "
     "NVCC_GENCODE=\"-gencode=arch=compute_90,code=sm_90\" with the number of `nvidia-smi --query-gpu=compute_cap "
     "--format=csv`. If it is newer than this CUDA, use a newer CUDA.",
     "nvcc fatal   : Unsupported gpu architecture 'compute_60'"},
};
ORR_LOG_FAMILY(use);
