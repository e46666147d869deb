/* SPDX-License-Identifier: Apache-2.0 */
/* Messages of other programs about the host: lspci, the kernel, memory limits, containers. Rows that only show a state
 * are notes, from which engine/symptoms draws conclusions. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

#define SHARED_MEMORY                                                                                                  \
    "If `df -h /dev/shm` where the process runs shows it small or full, enlarge it: docker --shm-size=8g (or "         \
    "--ipc=host); Kubernetes: an emptyDir with medium Memory at /dev/shm."
#define BUS_ERROR                                                                                                      \
    "A process ended with a bus error: memory that it had mapped is missing.",                                         \
        SHARED_MEMORY " If the process reads a mapped file (a model, a data set), check that the file is whole."

#define NO_SPACE                                                                                                       \
    "The kernel found no address space for BAR 1 of a PCI device, so it stays small. P2P of a patched driver for "     \
    "GeForce cards goes through BAR 1 of the GPU, and fails then."
#define MORE_SPACE                                                                                                     \
    "Check: `nvidia-smi -q | grep -A3 BAR1` shows the size that each GPU got. If Above 4G Decoding or Resizable BAR "  \
    "is off in the BIOS, turn it on. If the kernel still finds no space, give PCIe more of it in the BIOS (MMIO High " \
    "Size), update the BIOS, or boot with pci=realloc."
#define IOMMU_REFUSED                                                                                                  \
    "The IOMMU refused a device access to memory. If that is a GPU or a NIC, P2P or GPUDirect RDMA through it fails.", \
        "If `cat /proc/cmdline` lacks iommu=pt, boot with iommu=pt, or with the IOMMU off. If `sudo lspci -vvv | "     \
        "grep -i acsctl` shows ReqRedir+, turn PCIe ACS off at the bridges between the devices."
#define IOMMU_ON "If P2P or GPUDirect RDMA fails, boot with iommu=pt, or turn the IOMMU off in the BIOS."
#define MEMLOCK                                                                                                        \
    "If `ulimit -l` in the job is not unlimited, make it so (docker --ulimit memlock=-1; Slurm: "                      \
    "PropagateResourceLimitsExcept=MEMLOCK)."
#define NO_MANAGER                                                                                                     \
    "Fabric Manager did not start. Without it, NVSwitch machines have no NVLink, and jobs hang or fail.",              \
        "`journalctl -u nvidia-fabricmanager` says why."

const struct orr_log_message orr_log_messages_host[] = {
    {"hami-error", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "HAMI-core ERROR", NULL,
     "HAMi, which divides GPUs, failed in its library between the program and the CUDA driver (libvgpu.so).",
     "Run once without it (CUDA_DISABLE_CONTROL=true, or a pod with whole GPUs), and update HAMi. If the trace names "
     "ncclCuMemHostEnable, NCCL_CUMEM_HOST_ENABLE=0 keeps NCCL from that call.",
     "[HAMI-core ERROR (pid:565 thread=140267266266944 multiprocess_memory_limit.c:831)]: Illegal device id: "
     "850725928"},
    {"acs-on", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ACSCtl:", "ReqRedir+|CmpltRedir+",
     "PCIe ACS is on at a bridge: data between devices below it goes through the CPU.",
     "If no virtual machine has these devices, turn ACS off in the BIOS or with setpci; see the symptoms.",
     "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-"},
    {"acs-source", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ACSCtl:", "SrcValid+",
     "PCIe ACS is partly on at a bridge: it checks the source of requests.",
     "NVIDIA advises to turn ACS off on all bridges of hosts without virtual machines.",
     "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-"},
    {"acs-off", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ACSCtl:", "SrcValid-", "PCIe ACS is off at a bridge.",
     "Nothing needs to change.",
     "\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-"},
    {"bar-no-space", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "BAR 1 [mem size ", "no space", NO_SPACE, MORE_SPACE,
     "nvidia 0000:84:00.0: BAR 1 [mem size 0x800000000 64bit pref]: can't assign; no space"},
    {"bar-no-space-older", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "BAR 1: no space for [mem size ", NULL, NO_SPACE,
     MORE_SPACE, "nvidia 0000:41:00.0: BAR 1: no space for [mem size 0x800000000 64bit pref]"},
    {"bar-unaligned", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "StaticBar1IOMMUMapping: The peer DMA address", "not aligned",
     "The driver refused to map BAR 1 of another GPU, because its address is not a multiple of the size that the "
     "driver wants. The word IOMMU in the line is only part of a function's name.",
     "Use a patched driver that accepts such an address (tinygrad/open-gpu-kernel-modules#48), or run without P2P "
     "(NCCL_P2P_DISABLE=1).",
     "NVRM: _kbusCreateStaticBar1IOMMUMapping: The peer DMA address 0x6000400000 is not aligned at 0x20000000"},
    {"pcie-narrow", ORR_FROM_OTHER, ORR_WEIGHT_NOTE,
     "LnkSta:", "Width x1 (downgraded)|Width x2 (downgraded)|Width x4 (downgraded)|Width x8 (downgraded)",
     "A PCIe link runs with fewer lanes than the device has.",
     "If equal devices have more lanes, reseat the card or riser. If the slot has no more, use one with all lanes.",
     "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)"},
    {"pcie-unequal", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "LnkSta:", ", unlike x",
     "The PCIe link of a device has fewer lanes than that of an equal device.",
     "If both slots are equal, update firmware and BIOS, then reseat the card, cable or riser.",
     "LnkSta: 0002:01:00.0: Width x2, unlike x4 of 0000:01:00.0"},
    {"pcie-slow", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "LnkSta:", "(slower than the device)",
     "The PCIe link of a NIC or of a switch is slower than the device.",
     "If its equals are faster, check riser and BIOS. If the slot is of an older generation, use a newer one.",
     "LnkSta: 17:00.0 Infiniband controller: Speed 8GT/s of 32GT/s (slower than the device), Width x16"},
    {"pcie-idle", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "LnkSta:", "(a GPU, maybe idle)",
     "The PCIe link of a GPU has all its lanes and a low speed, as it has while the GPU is idle.",
     "Look again under load.",
     "LnkSta: 01:00.0 VGA compatible controller: Speed 2.5GT/s of 16GT/s (a GPU, maybe idle), Width x16"},
    {"ib-port-down", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Physical state:", "Polling|Disabled|Sleep",
     "The port of a NIC has no link.",
     "If the port should be connected, check cable, transceiver and switch port (ibstat, mlxlink). If nothing is "
     "connected, leave the NIC out of NCCL_IB_HCA.",
     "\t\tPhysical state: Polling"},
    {"nvlink-inactive", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Link %d: <inactive>", NULL,
     "An NVLink of a GPU is not in use: it is down, or nothing is connected. Bridges join only some of a card's links "
     "(12 of 18 on H100 NVL).",
     "If other GPUs have more links up (`nvidia-smi nvlink -s`), check `dmesg | grep -i nvlink` and Fabric Manager, "
     "then reset the GPU or restart the host.",
     "\t Link 2: <inactive>"},
    {"vllm-no-p2p", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Custom allreduce is disabled because", "P2P",
     "vLLM found no P2P between the GPUs, so it leaves its own all-reduce out. The job works, and NCCL looks for "
     "itself whether it can use P2P.",
     "If `nvidia-smi topo -p2p r` says NS or CNS, the driver offers no P2P (GeForce cards since RTX 40), and no "
     "setting changes that. If the log says \"reading GPU P2P access cache\", delete that file, which may be older "
     "than the driver. If `nvidia-smi topo -p2p r` says OK, check PCIe ACS.",
     "WARNING [custom_all_reduce.py:137] Custom allreduce is disabled because your platform lacks GPU P2P capability "
     "or P2P test failed."},
    {"vllm-p2p-cache", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "reading GPU P2P access cache from", NULL,
     "vLLM does not test P2P, but reads the result of an older test.", "Delete the file after a change of the driver.",
     "INFO [custom_all_reduce_utils.py:244] reading GPU P2P access cache from "
     "/root/.cache/vllm/gpu_p2p_access_cache_for_0,1.json"},
    {"bridge-slow", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "class=\"0x060400\"", "link_speed=\"2.5 GT/s\" link_width=\"1\"",
     "A topology file gives a PCIe bridge the slowest link of all.", "Give it the link that the bridge really has.",
     "<pci busid=\"ffff:ff:00.0\" class=\"0x060400\" vendor=\"0x104c\" device=\"0x8232\" link_speed=\"2.5 GT/s\" "
     "link_width=\"1\">"},
    {"iommu-passthrough", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "iommu", "=pt|=off|: Passthrough|type: Passthrough",
     "The IOMMU does not translate addresses of the host's own devices.", "Nothing needs to change for P2P.",
     "BOOT_IMAGE=/vmlinuz-6.8.0 root=/dev/sda1 ro quiet intel_iommu=on iommu=pt"},
    {"iommu-translated", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ommu: Default domain type: Translated", NULL,
     "The IOMMU translates the addresses that devices use.", IOMMU_ON,
     "[    0.412] iommu: Default domain type: Translated"},
    {"iommu-on", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "DMAR: IOMMU enabled", NULL, "The IOMMU is on.", IOMMU_ON,
     "[    0.102] DMAR: IOMMU enabled"},
    {"iommu-fault", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "IO_PAGE_FAULT", NULL, IOMMU_REFUSED,
     "nvidia 0000:41:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0012 address=0xd0000000 flags=0x0020]"},
    {"dmar-fault", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "DMAR: [DMA", "fault", IOMMU_REFUSED,
     "DMAR: [DMA Read NO_PASID] Request device [3b:00.0] fault addr 0xf7ff0000 [fault reason 0x06] PTE Read access"},
    {"nvlink-turned-off", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "NvLinkDisable: 1", NULL,
     "The driver was loaded with NVLink turned off (NVreg_NvLinkDisable=1).",
     "Take the option out of the files that `grep -r NvLinkDisable /etc/modprobe.d /usr/lib/modprobe.d /proc/cmdline` "
     "names, make the initramfs anew, and restart.",
     "NvLinkDisable: 1"},
    {"uvm-range", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "request_free_mem_region() err", NULL,
     "The kernel module nvidia-uvm found no free range of addresses for HMM, so CUDA does not start.",
     "Load nvidia-uvm without HMM: `options nvidia_uvm uvm_disable_hmm=1` in /etc/modprobe.d, then reload the module "
     "or restart. Booting with nokaslr leaves it such a range, too.",
     "nvidia-uvm: uvm_pmm_gpu.c:3176 devmem_alloc_pagemap[pid:5127] request_free_mem_region() err -34"},
    {"fork-memory", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "OSError: [Errno 12] Cannot allocate memory", NULL,
     "Linux refused memory for a new process or a mapping, which need not mean that the host has none left.",
     "If memory.max of the container or job is reached (`dmesg`), raise it. If `cat /proc/sys/vm/overcommit_memory` is "
     "2, each fork counts in full. If `grep Huge /proc/meminfo` shows many free huge pages, release them. If data "
     "loaders fork, spawn or forkserver needs less.",
     "OSError: [Errno 12] Cannot allocate memory"},
    {"pod-memory", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "OOMKilled", NULL,
     "Kubernetes ended a container because of its memory (OOMKilled), so other ranks lost their connections.",
     "If `kubectl describe pod` shows a limit, raise limits.memory, or use less: fewer data loaders, and files in an "
     "emptyDir with medium Memory count, too. If the pod has no limit, the node itself ran out of memory.",
     "llm-worker-2   0/1     OOMKilled   0          5h12m"},
    {"pod-preempted", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "reempt", "reempted by |.preempted|reemption notice",
     "A pod or its machine was taken away for another one (preempted), and the other ranks lost their connections to "
     "it.",
     "Check: `kubectl get events` or the cloud's log names it and the time. Use capacity that is not preemptible or a "
     "higher priority, and restart the job from a checkpoint.",
     "Warning  Preempted  2m   default-scheduler  Preempted by pod 1f2e on node gpu-7"},
    {"pod-evicted", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "The node was low on resource", NULL,
     "Kubernetes removed a pod from its node, which ran out of disk or memory (Evicted), and the other ranks lost "
     "their connections to it.",
     "The line names the resource. Request what the pod needs (ephemeral-storage, memory), and write files elsewhere.",
     "The node was low on resource: ephemeral-storage. Threshold quantity: 53687091200"},
    {"huge-pages", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "HugePages_Free: %d", NULL, "The line counts free huge pages.",
     "EFA puts its buffers into huge pages.", "HugePages_Free:      322"},
    {"mesh-proxy", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "istio",
     "-proxy|-injection=enabled|.io/rev=", "A service mesh puts a proxy into the pods.",
     "Keep it out of the pods of the job.", "istio-proxy  docker.io/istio/proxyv2:1.17.5"},
    {"mesh-proxy-linkerd", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "linkerd", "-proxy|io/inject: enabled",
     "A service mesh puts a proxy into the pods.", "Keep it out of the pods of the job.", "trainer  linkerd-proxy"},
    {"rdma-no-files", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "/dev/infiniband", "No such file",
     "The device files of RDMA NICs are missing here.", "Give them to the container, or load the host's driver.",
     "ls: cannot access '/dev/infiniband': No such file or directory"},
    {"mempolicy", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "mempolicy: Operation not permitted", NULL,
     "The container may not set or read NUMA policies. NCCL and vLLM go on without, but numactl stops.",
     "Start the container with --cap-add SYS_NICE (Kubernetes: securityContext.capabilities.add: [SYS_NICE]).",
     "get_mempolicy: Operation not permitted"},
    {"pcie-fatal", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "AER: ", "Uncorrected (Fatal)|Uncorrectable (Fatal)",
     "A PCIe link failed (Fatal), so the device below it was lost: no NCCL setting helps.",
     "Check: `dmesg -T | grep -i -e aer -e xid` names the device and the time; `nvidia-smi -L` lacks it if it is a "
     "GPU. Reseat the card, riser or cable, check its power, and replace it if the error comes back.",
     "pcieport 0000:00:03.0: AER: Multiple Uncorrected (Fatal) error received: 0000:00:03.0"},
    {"pcie-aer", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "AER: ", "orrected error|Multiple",
     "A PCIe link or device reported errors. Corrected ones cost time, others may end in a failure.",
     "If such lines grow under load, reseat the card or riser that they name. Compare LnkSta (`lspci -vv`) with "
     "others.",
     "pcieport 0000:40:01.1: AER: Corrected error received: 0000:41:00.0"},
    {"memlock", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "RLIMIT_MEMLOCK", NULL,
     "The process may lock too little memory for RDMA.", MEMLOCK,
     "libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes."},
    {"memlock-mpi", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "registering part of your physical memory", NULL,
     "Open MPI says that RDMA can use only a part of the host's memory.", MEMLOCK,
     "WARNING: It appears that your OpenFabrics subsystem is configured to only allow registering part of your "
     "physical memory."},
    {"peermem-absent", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "lsmod: nvidia without peermem", NULL,
     "The module nvidia-peermem is not loaded.", "GPUDirect RDMA needs it, or DMA-BUF.",
     "lsmod: nvidia without peermem"},
    {"rdma-host-path", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ath: /dev/infiniband", NULL,
     "The pod gets the device files of all RDMA NICs of its host.",
     "A device plugin gives a pod those that it may open.", "      mountPath: /dev/infiniband"},
    {"peermem-insert", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "could not insert 'nvidia", "peermem': Invalid argument",
     "The kernel refused the module nvidia-peermem.",
     "If the RDMA driver (OFED, DOCA, network operator) is newer than the GPU driver's modules, build these again: "
     "reinstall the GPU driver (dkms), or delete the driver pod of the GPU operator once the network operator is "
     "ready. DMA-BUF needs no such module.",
     "modprobe: ERROR: could not insert 'nvidia_peermem': Invalid argument"},
    {"peermem-not-found", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "modprobe: FATAL: Module nv", "peer",
     "The running kernel has no module nvidia-peermem, which GPUDirect RDMA needs unless it uses DMA-BUF.",
     "Install the GPU driver for this kernel (`uname -r`) with its modules. A driver pod of the GPU operator that "
     "restarts beside a loaded driver may lack them: restart the host, or use DMA-BUF without driver.rdma.enabled.",
     "modprobe: FATAL: Module nvidia-peermem not found in directory /lib/modules/6.8.0-1059-azure"},
    {"pod-privileged", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "privileged: true", NULL,
     "The container may open all devices of its host.", "Nothing needs to change.", "        privileged: true"},
    {"memlock-free", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "locked memory: unlimited", NULL,
     "The shell may lock as much memory as it likes.", "Nothing, if the job runs with the same limit.",
     "locked memory: unlimited"},
    {"memlock-limit", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "locked memory: %d kB", NULL,
     "The shell may lock little memory, and RDMA locks all that it registers.", MEMLOCK, "locked memory: 8192 kB"},
    {"verbs-driver", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "libibverbs: Warning", "no userspace device-specific driver",
     "The image lacks the user-space driver of this NIC, so NCCL does not see it.",
     "Install the rdma-core of the image's distribution (ibverbs-providers), or the vendor's package.",
     "libibverbs: Warning: no userspace device-specific driver found for /sys/class/infiniband_verbs/uverbs0"},
    {"verbs-abi", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "does not support the kernel ABI", NULL,
     "The RDMA library in this image does not fit the NIC's driver on the host, so programs see no NIC.",
     "Install in the image the RDMA package of the host's driver: the vendor's (Broadcom: libbnxt-re; NVIDIA: "
     "DOCA-OFED), or a newer rdma-core.",
     "libibverbs: Warning: Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1) for device "
     "/sys/class/infiniband/bnxt_re2"},
    {"verbs-none", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "No IB devices found", NULL,
     "Programs here see no RDMA NIC, so NCCL uses TCP sockets.",
     "If `ibv_devices` lists NICs on the host only, give the container /dev/infiniband (docker --device; Kubernetes: "
     "the RDMA resource) and a user-space driver for the NIC. If the host lists none, load the NIC's driver there.",
     "No IB devices found"},
    {"mig-device", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "MIG-", NULL, "The text names a MIG slice of a GPU.",
     "Give ranks slices of different GPUs, or whole GPUs.",
     "export CUDA_VISIBLE_DEVICES=MIG-2e782cfd-36f2-55ff-a7d5-c6734444be2b"},
    {"bus-error", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "Bus error", NULL, BUS_ERROR,
     "./launch.sh: line 3: 812 Bus error               (core dumped) python train.py"},
    {"bus-error-python", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, " bus error", NULL, BUS_ERROR,
     "Fatal Python error: a bus error"},
    {"shm-torch", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "insufficient shared memory (shm)", NULL,
     "A worker of PyTorch's data loader ended with a bus error. PyTorch suspects that /dev/shm is too small.",
     SHARED_MEMORY, "ERROR: This might be caused by insufficient shared memory (shm)."},
    {"shm-torch-write", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "unable to write to file </torch_", NULL,
     "PyTorch could not put a tensor into /dev/shm.", SHARED_MEMORY,
     "RuntimeError: unable to write to file </torch_812_1023847_3>"},
    {"container-runtime", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "could not select device driver", NULL,
     "Docker does not have NVIDIA's runtime, so the container gets no GPU.",
     "Install nvidia-container-toolkit, and run `nvidia-ctk runtime configure --runtime=docker`.",
     "docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]]."},
    {"nvidia-smi-driver", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "NVIDIA-SMI has failed", NULL,
     "nvidia-smi cannot reach the GPU driver, so no program can use the GPUs.",
     "If `lsmod | grep nvidia` shows nothing, `sudo modprobe nvidia` and dmesg (NVRM) say why. If `dkms status` lacks "
     "the running kernel (`uname -r`), install the driver for it and restart.",
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."},
    {"fabric-manager-version", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "river interface version", "don't match|mismatch",
     "Fabric Manager did not start, because its version is not that of the GPU driver. Without it, NVSwitch machines "
     "have no NVLink, and jobs hang or fail.",
     "Install the same version of both (nvidia-fabricmanager-NNN and the driver), then `systemctl restart "
     "nvidia-fabricmanager`; `nvidia-smi -q | grep -A6 Fabric` must say Completed.",
     "fabric manager NVIDIA GPU driver interface version 550.90.07 don't match with driver version 550.54.15."},
    {"fabric-manager-none", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "NV_WARN_NOTHING_TO_DO", NULL,
     "Fabric Manager found no NVSwitch. PCIe cards, with or without an NVLink bridge, need no Fabric Manager: their "
     "NVLink works without it.",
     "If `nvidia-smi nvlink -s` shows active NVLinks, all is well, and the service can be disabled. If the board is "
     "HGX B200 or newer, Fabric Manager also needs the package nvlsm.",
     "request to query NVSwitch device information from NVSwitch driver failed with error:WARNING Nothing to do "
     "[NV_WARN_NOTHING_TO_DO]"},
    {"fabric-manager-unit", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "nvidia-fabricmanager.service", "FAILURE|failed|Failed",
     NO_MANAGER, "Job for nvidia-fabricmanager.service failed because the control process exited with error code."},
    {"fabric-manager-failed", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "nv-fabricmanager", "status=1/FAILURE", NO_MANAGER,
     "Process: 444114 ExecStart=/usr/bin/nv-fabricmanager -c fabricmanager.cfg (code=exited, status=1/FAILURE)"},
    {"gpu-lost", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "GPU is lost", NULL, "A GPU fell off the bus or stopped answering.",
     "`dmesg | grep -i xid` says why. Restart the host; if this happens again, check the GPU's power, seat and riser.",
     "Unable to determine the device handle for GPU 0000:1B:00.0: GPU is lost. Reboot the system to recover this GPU"},
    {"p2p-matrix-refused", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GPU0 X %*", "NS",
     "The driver offers no P2P between some of these GPUs (NS, CNS, GNS, TNS: by GPU, chipset, GPU type, topology).",
     "NS of GeForce cards since RTX 40 is the driver's choice. No setting of NCCL changes these.",
     " GPU0\tX\tNS\tNS\tNS"},
    {"p2p-matrix-ok", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GPU0 X OK", NULL, "The driver offers P2P between these GPUs.",
     "Nothing needs to change.", " GPU0\tX\tOK\tOK\tOK"},
};
ORR_LOG_FAMILY(host);
