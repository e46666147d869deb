/* SPDX-License-Identifier: Apache-2.0 */
/* What other programs say about the host: lspci, the kernel, memory limits, containers. Rows that only show a state are
 * notes; engine/symptoms draws conclusions from them. */
#include <stddef.h>

#include "engine/log_messages/messages.h"

#define SHARED_MEMORY                                                                                                  \
    "Make it larger: docker --shm-size=8g (or --ipc=host); Kubernetes: an emptyDir with medium Memory at /dev/shm."

const struct orr_log_message orr_log_messages_host[] = {
    {"acs-on", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ACSCtl:", "ReqRedir+|CmpltRedir+",
     "PCIe ACS is on at a bridge: data between devices below it goes through the CPU.",
     "Turn ACS off in the BIOS, or with setpci; see the symptoms.",
     "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-"},
    {"acs-source", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ACSCtl:", "SrcValid+",
     "PCIe ACS is partly on at a bridge: it checks the source of requests.",
     "NVIDIA advises to turn ACS off on all bridges of hosts without virtual machines.",
     "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-"},
    {"acs-off", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ACSCtl:", "SrcValid-", "PCIe ACS is off at a bridge.",
     "Nothing needs to change.",
     "\t\tACSCtl:\tSrcValid- TransBlk- ReqRedir- CmpltRedir- UpstreamFwd- EgressCtrl- DirectTrans-"},
    {"pcie-narrow", ORR_FROM_OTHER, ORR_WEIGHT_NOTE,
     "LnkSta:", "Width x1 (downgraded)|Width x2 (downgraded)|Width x4 (downgraded)|Width x8 (downgraded)",
     "A PCIe link runs with fewer lanes than the device has.",
     "Compare with its neighbours; reseat the card or riser, or use a slot with all lanes.",
     "\t\tLnkSta:\tSpeed 8GT/s (downgraded), Width x8 (downgraded)"},
    {"pcie-slow", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "LnkSta:", "(slower than the device)",
     "The PCIe link of a NIC or of a switch is slower than the device.",
     "Compare with its neighbours; use a slot of the device's generation, and check the BIOS and risers.",
     "LnkSta: 17:00.0 Infiniband controller: Speed 8GT/s of 32GT/s (slower than the device), Width x16"},
    {"ib-port-down", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Physical state:", "Polling|Disabled|Sleep",
     "The port of a NIC has no link.",
     "Check cable, transceiver and switch port (ibstat, mlxlink), or leave the NIC out of NCCL_IB_HCA.",
     "\t\tPhysical state: Polling"},
    {"nvlink-inactive", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Link %d: <inactive>", NULL, "An NVLink of a GPU is down.",
     "Compare with the other GPUs (`nvidia-smi nvlink -s`), check Fabric Manager and `dmesg | grep -i nvlink`, then "
     "reset the GPU or restart the host.",
     "\t Link 2: <inactive>"},
    {"vllm-no-p2p", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "Custom allreduce is disabled because", "P2P",
     "vLLM found no P2P between the GPUs, so it leaves its own all-reduce out and NCCL sends data through host memory. "
     "The job works, but is slower.",
     "Check `nvidia-smi topo -p2p r` (GeForce cards since RTX 40 have no P2P) and PCIe ACS; "
     "disable_custom_all_reduce=True only silences the message.",
     "WARNING [custom_all_reduce.py:137] Custom allreduce is disabled because your platform lacks GPU P2P capability "
     "or "
     "P2P test failed."},
    {"iommu-passthrough", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "iommu", "=pt|=off|: Passthrough|type: Passthrough",
     "The IOMMU does not translate addresses of the host's own devices.", "Nothing needs to change for P2P.",
     "BOOT_IMAGE=/vmlinuz-6.8.0 root=/dev/sda1 ro quiet intel_iommu=on iommu=pt"},
    {"iommu-translated", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "ommu: Default domain type: Translated", NULL,
     "The IOMMU translates addresses, which P2P and GPUDirect RDMA often do not survive.",
     "Boot with iommu=pt, or turn the IOMMU off in the BIOS.", "[    0.412] iommu: Default domain type: Translated"},
    {"iommu-on", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "DMAR: IOMMU enabled", NULL, "The IOMMU is on.",
     "Boot with iommu=pt, or turn it off in the BIOS, if P2P or GPUDirect RDMA fails.",
     "[    0.102] DMAR: IOMMU enabled"},
    {"iommu-fault", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "IO_PAGE_FAULT", NULL,
     "The IOMMU refused a device access to memory: P2P or GPUDirect RDMA through the IOMMU fails.",
     "Boot with iommu=pt or with the IOMMU off, and turn PCIe ACS off at the bridges between the devices.",
     "nvidia 0000:41:00.0: AMD-Vi: Event logged [IO_PAGE_FAULT domain=0x0012 address=0xd0000000 flags=0x0020]"},
    {"dmar-fault", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "DMAR: [DMA", "fault",
     "The IOMMU refused a device access to memory: P2P or GPUDirect RDMA through the IOMMU fails.",
     "Boot with iommu=pt or with the IOMMU off, and turn PCIe ACS off at the bridges between the devices.",
     "DMAR: [DMA Read NO_PASID] Request device [3b:00.0] fault addr 0xf7ff0000 [fault reason 0x06] PTE Read access"},
    {"pcie-aer", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "AER: ", "orrected error|Multiple",
     "A PCIe link had transmission errors, which make it slow or end in a failure.",
     "Reseat the card or riser that the line names, and compare LnkSta in `lspci -vv` with its neighbours.",
     "pcieport 0000:40:01.1: AER: Corrected error received: 0000:41:00.0"},
    {"memlock", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "RLIMIT_MEMLOCK", NULL,
     "The process may lock too little memory for RDMA.",
     "Set `ulimit -l unlimited` for the job (docker --ulimit memlock=-1; Slurm: "
     "PropagateResourceLimitsExcept=MEMLOCK).",
     "libibverbs: Warning: RLIMIT_MEMLOCK is 65536 bytes."},
    {"memlock-mpi", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "registering part of your physical memory", NULL,
     "The process may lock too little memory for RDMA.",
     "Set `ulimit -l unlimited` for the job (docker --ulimit memlock=-1).",
     "WARNING: It appears that your OpenFabrics subsystem is configured to only allow registering part of your "
     "physical "
     "memory."},
    {"verbs-driver", ORR_FROM_OTHER, ORR_WEIGHT_WARNING, "libibverbs: Warning", "no userspace device-specific driver",
     "The image lacks the user-space driver of this NIC, so NCCL does not see it.",
     "Install the rdma-core of the image's distribution (ibverbs-providers), or the vendor's package.",
     "libibverbs: Warning: no userspace device-specific driver found for /sys/class/infiniband_verbs/uverbs0"},
    {"verbs-abi", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "does not support the kernel ABI", NULL,
     "The RDMA library in this image does not fit the NIC's driver on the host, so programs see no NIC.",
     "Install in the image the RDMA package of the host's driver: the vendor's (Broadcom: libbnxt-re; NVIDIA: "
     "DOCA-OFED), or a newer rdma-core.",
     "libibverbs: Warning: Driver bnxt_re does not support the kernel ABI of 6 (supports 1 to 1) for device "
     "/sys/class/infiniband/bnxt_re2"},
    {"verbs-none", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "No IB devices found", NULL,
     "Programs here see no RDMA NIC, so NCCL uses TCP sockets.",
     "Give the container /dev/infiniband (docker --device; Kubernetes: the RDMA resource) and a user-space driver for "
     "the NIC; compare with `ibv_devices` on the host.",
     "No IB devices found"},
    {"mig-device", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "MIG-", NULL, "The text names a MIG slice of a GPU.",
     "Give ranks slices of different GPUs, or whole GPUs.",
     "export CUDA_VISIBLE_DEVICES=MIG-2e782cfd-36f2-55ff-a7d5-c6734444be2b"},
    {"bus-error", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "us error", NULL,
     "A process used shared memory that /dev/shm has no room for.", SHARED_MEMORY,
     "./launch.sh: line 3: 812 Bus error               (core dumped) python train.py"},
    {"shm-torch", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "insufficient shared memory (shm)", NULL,
     "/dev/shm is too small for the data loader's workers.", SHARED_MEMORY,
     "ERROR: This might be caused by insufficient shared memory (shm)."},
    {"shm-torch-write", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "unable to write to file </torch_", NULL,
     "/dev/shm is full or too small.", SHARED_MEMORY, "RuntimeError: unable to write to file </torch_812_1023847_3>"},
    {"container-runtime", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "could not select device driver", NULL,
     "Docker does not have NVIDIA's runtime, so the container gets no GPU.",
     "Install nvidia-container-toolkit, and run `nvidia-ctk runtime configure --runtime=docker`.",
     "docker: Error response from daemon: could not select device driver \"\" with capabilities: [[gpu]]."},
    {"nvidia-smi-driver", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "NVIDIA-SMI has failed", NULL,
     "The GPU driver is not loaded, or does not fit the kernel.",
     "Install the driver for the running kernel and restart; look for NVRM lines in dmesg.",
     "NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver."},
    {"fabric-manager-version", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "river interface version", "don't match|mismatch",
     "Fabric Manager did not start, because its version is not that of the GPU driver. Without it, NVSwitch machines "
     "have "
     "no NVLink, and jobs hang or fail.",
     "Install the same version of both (nvidia-fabricmanager-NNN and the driver), then `systemctl restart "
     "nvidia-fabricmanager`; `nvidia-smi -q | grep -A6 Fabric` must say Completed.",
     "fabric manager NVIDIA GPU driver interface version 550.90.07 don't match with driver version 550.54.15."},
    {"fabric-manager-failed", ORR_FROM_OTHER, ORR_WEIGHT_ERROR, "nv-fabricmanager", "status=1/FAILURE",
     "Fabric Manager did not start. Without it, NVSwitch machines have no NVLink, and jobs hang or fail.",
     "`journalctl -u nvidia-fabricmanager` says why; its version must be the driver's.",
     "Process: 444114 ExecStart=/usr/bin/nv-fabricmanager -c fabricmanager.cfg (code=exited, status=1/FAILURE)"},
    {"gpu-lost", ORR_FROM_OTHER, ORR_WEIGHT_FATAL, "GPU is lost", NULL, "A GPU fell off the bus or stopped answering.",
     "Look for Xid 79 in dmesg; restart the host, then reseat the GPU.",
     "Unable to determine the device handle for GPU 0000:1B:00.0: GPU is lost. Reboot the system to recover this GPU"},
    {"p2p-matrix-refused", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GPU0 X %*", "NS",
     "The driver offers no P2P between some of these GPUs (NS, CNS, GNS, TNS: by GPU, chipset, GPU type, topology).",
     "CNS: check PCIe ACS and the BIOS. NS of GeForce cards since RTX 40 is the driver's choice.",
     " GPU0\tX\tNS\tNS\tNS"},
    {"p2p-matrix-ok", ORR_FROM_OTHER, ORR_WEIGHT_NOTE, "GPU0 X OK", NULL, "The driver offers P2P between these GPUs.",
     "Nothing needs to change.", " GPU0\tX\tOK\tOK\tOK"},
};
ORR_LOG_FAMILY(host);
