/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about one host: virtual machines, containers, P2P over PCIe, the IOMMU. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

#include "engine/symptoms/finding.h"

#define VIRTUAL                                                                                                        \
    " vm | vms |virtual machine|virtualized|virtualised|kvm|qemu|libvirt|proxmox|passthrough|passed through|"          \
    "pass through|hypervisor| vfio| esxi|vsphere|vmware|openstack| guest "
#define NOT_PCIE   "nvlink|nvswitch| sxm|infiniband|rdma|sendrecv|nodes"
#define CONTAINERS "container|docker|kubernetes| k8s | pod | pods "

const struct orr_asked orr_asked_host[] = {
    {"asked-vm-nvswitch", "nvswitch|fabric manager|fabricmanager|fabric_mode&" VIRTUAL,
     "Virtual machines with some of a host's GPUs each share its NVSwitches, which none of them may have: the switches "
     "stay with the host or with one service VM, where Fabric Manager runs and activates a partition of GPUs for each "
     "VM (shared NVSwitch model). Without a partition, CUDA does not start or has no NVLink. Only a VM with all GPUs "
     "gets the switches, and runs Fabric Manager itself.",
     "Check: `nvidia-smi -q | grep -A3 Fabric` in the VM must say Completed; `fmpm -l` on the host lists partitions.",
     "Set FABRIC_MODE=1 in fabricmanager.cfg on the host or in the service VM, and activate the partition of the VM's "
     "GPUs before it starts. NCCL_P2P_DISABLE=1 does not help, because CUDA itself waits for the fabric."},
    {"asked-vm-topology", VIRTUAL "|cloud&topo|numa|hierarch|pcie switch|pci switch|pcie tree&!topo p2p",
     "A virtual machine hides the host's PCIe switches, and often its NUMA nodes, so NCCL takes GPUs and NICs for far "
     "apart. A topology file in NCCL_TOPO_FILE gives NCCL a PCI tree that is equivalent to the host's; NCCL then finds "
     "GPUs and NICs itself.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH prints what NCCL sees: compare it with bare metal.",
     "Dump the real host (NCCL_TOPO_DUMP_FILE=host.xml), and give GPUs and NICs the bus ids that they have in the VM; "
     "switches get ids that are not in use: `orrery vm-file host.xml` does both. Show the VM the NUMA nodes of its "
     "CPUs and memory. ACS stays on in a VM, so NICs need ATS (`mlxconfig -d DEVICE query | grep ATS` on the host)."},
    {"asked-vm-p2p", VIRTUAL "&p2p|peer to peer|iommu| acs &!nvlink|rdma|roce|infiniband",
     "In a virtual machine the IOMMU and PCIe ACS must stay on, so P2P over PCIe goes up to the CPU, and the driver "
     "offers it only if the hypervisor declares it. Otherwise NCCL sends data through host memory, which always works.",
     "Check: `nvidia-smi topo -p2p r` in the VM; if it says OK, run p2pBandwidthLatencyTest, and all_reduce_perf -c 1 "
     "for wrong data.",
     "QEMU: give the GPUs that may use P2P the same number x-nv-gpudirect-clique (vfio-pci). Boot the host with "
     "iommu=pt. If P2P hangs or gives wrong data, set NCCL_P2P_DISABLE=1."},
    {"asked-vm-slow", VIRTUAL "&bandwidth|busbw|bus bw|slow|performance|throughput|baremetal|bare metal",
     "In a virtual machine PCIe ACS stays on, so data between GPUs and NICs goes through the CPU, at half the "
     "bandwidth "
     "or less, unless the NICs have ATS. A VM also hides the PCIe switches, so NCCL may choose NICs far from a GPU.",
     "Check: on the host, `sudo mlxconfig -d DEVICE query | grep ATS` must say True; in the VM, lines \"via NET/IB\" "
     "of "
     "NCCL_DEBUG=INFO must end in GDRDMA.",
     "Enable ATS (`mlxconfig -d DEVICE set ATS_ENABLED=true`), set NCCL_IB_PCI_RELAXED_ORDERING=1, and give NCCL the "
     "host's topology in NCCL_TOPO_FILE (`orrery vm-file host.xml`)."},
    {"asked-containers",
     CONTAINERS "&nvlink|p2p|peer to peer|cuda ipc&across|between|different|separate|two |multiple|several|isolated|"
                "each |own |inter |same node|same host&!no space|size|one container|one docker|single container",
     "NCCL uses P2P, and so NVLink, between two containers of a host only if each of them sees both GPUs: CUDA cannot "
     "open memory of a GPU that a process does not see. With a GPU of its own for each container or pod, NCCL is left "
     "with shared memory, if they share it, or the network.",
     "Check: `nvidia-smi -L` in each container must list the GPUs of both; NCCL_DEBUG=INFO then prints \"via P2P\".",
     "Put all ranks of a host into one container, or give each container all GPUs (docker --gpus all; each rank takes "
     "its own by local rank) and one IPC namespace (--ipc=host). A pod has only its own GPUs: use one pod for a host."},
    {"asked-bar",
     "bar1|resizable bar|re size bar| rebar|bar size|large bar|small bar| bar of &p2p|peer to peer|gpu| 4090|"
     " 5090| 3090",
     "P2P over PCIe with a patched driver for GeForce cards needs a BAR1 as large as the GPU's memory: with 256 MB, "
     "mapping another GPU's memory fails.",
     "Check: `nvidia-smi -q | grep -A3 BAR1` must show at least the size of the GPU's memory.",
     "Turn Above 4G Decoding and Resizable BAR on in the BIOS, and update the BIOS if it lacks them. dmesg says \"BAR "
     "1: "
     "can't assign; no space\" if the BIOS leaves too little room. NVIDIA's own driver offers these cards no P2P."},
    {"asked-p2p-models",
     "p2p|peer to peer|peer access&different gpu|different model|different card|another gpu|other model|mixed gpu|mix "
     "of;"
     "p2p|peer to peer|peer access&5060&5070|5080|5090|4090;p2p|peer to peer|peer access&3090&4090|5090;p2p|peer to "
     "peer|"
     "peer access&4090&5090|5080",
     "The driver offers P2P over PCIe only between GPUs of one model, or of close relatives. Between others NCCL sends "
     "data through host memory, which works.",
     "Check: `nvidia-smi topo -p2p r` says OK only for pairs that have P2P.",
     "Use GPUs of one model for a job that exchanges much data (CUDA_VISIBLE_DEVICES)."},
    {"asked-p2p-hang",
     " hang| stuck|freez|deadlock| stalls&p2p|peer to peer&!nvlink|nvswitch| sxm|infiniband|rdma|sendrecv|nodes|hosts|"
     "p2p_disable|p2p_level",
     "A hang that comes with P2P over PCIe is mostly due to PCIe ACS or an IOMMU that translates: a GPU's writes to "
     "the "
     "other do not arrive. Run once with NCCL_P2P_DISABLE=1: if the job then works, it is that.",
     ORR_ACS_CHECK, ORR_ACS_CURE},
    {"asked-wrong-data",
     "communicat|transfer|copy |copies|copied|all_reduce|allreduce|p2p|peer to peer&data|result|value|tensor&incorrect|"
     "wrong|corrupt|all "
     "zero|zeroed|garbage&!ll128|buffsize|chunk|determin|bitwise|rounding|dtype|bf16|fp8|reset|mean|column",
     "GPUs that get wrong data over PCIe while others are right mostly have P2P that PCIe ACS or an IOMMU breaks: "
     "writes "
     "to another GPU end elsewhere. NCCL itself does not see it. Run once with NCCL_P2P_DISABLE=1.",
     "Check: `all_reduce_perf -c 1` counts wrong values with P2P and none without. `sudo lspci -vvv | grep -i acsctl` "
     "(SrcValid+ or ReqRedir+: ACS is on), and `cat /proc/cmdline` for iommu=pt.",
     ORR_ACS_CURE},
    {"asked-epyc", "epyc&p2p|peer to peer|allreduce|all_reduce|nccl|bandwidth&slow|low |poor|bad |drop|half|only",
     "On AMD EPYC, two settings of the BIOS decide how fast GPUs reach each other and host memory: an IOMMU that "
     "translates slows P2P down, and with one NUMA node per socket (NPS1) data crosses the whole socket.",
     "Check: `cat /proc/cmdline` (iommu=pt or amd_iommu=off), and `numactl -H`: NPS4 shows four nodes for each socket.",
     "In the BIOS: AMD CBS, NBIO Common Options, IOMMU: Disabled (or boot with iommu=pt); NUMA nodes per socket: NPS4. "
     "Then compare NCCL_P2P_LEVEL=PXB, which uses shared memory between PCIe switches."},
    {"asked-p2p-slow",
     "p2p|peer to peer|peer access&bandwidth|gb s|throughput|simplep2p&small|only|low|slow|drop|half|worse|poor|bad|"
     "fail&!nccl_p2p_level|" NOT_PCIE ";p2p|peer to peer&performance&slow|bad|poor&!nccl_p2p_level|" NOT_PCIE,
     "P2P over PCIe that is allowed, but slow or failing its own test, goes up to the CPU and through the IOMMU: PCIe "
     "ACS or an IOMMU that translates is the usual cause. A link with fewer lanes has the same effect on speed.",
     ORR_ACS_CHECK " `nvidia-smi -q | grep -A12 'PCI$'` shows the link width.", ORR_ACS_CURE},
    {"asked-iommu",
     "iommu| vt d | acs &why|need to|needs to|have to|must|required|reason|consequence|impact|effect|affect|should i&"
     "!hang|stuck|freez|deadlock",
     "An IOMMU that translates addresses, and PCIe ACS, send data between two devices up to the CPU instead of the "
     "shortest way: P2P and GPUDirect RDMA become slow, hang, or deliver wrong data (IO_PAGE_FAULT in dmesg).",
     "Check: `cat /proc/cmdline` and `dmesg | grep -i -e dmar -e iommu`; `sudo lspci -vvv | grep -i acsctl` shows ACS.",
     "On bare metal iommu=pt is enough: the IOMMU stays on, but does not translate for the host's own devices. Turn "
     "ACS "
     "off on the bridges. For virtual machines both must stay on: NICs then need ATS, and P2P may need "
     "NCCL_P2P_DISABLE=1."},
    {"asked-p2p-shm",
     "p2p|peer to peer&slower|slow than|worse|lower performance|lower bandwidth&shm|shared memory|p2p off|p2p disabled|"
     "p2p_disable|p2p is disabled|disabling p2p&!without p2p",
     "P2P through a CPU (PHB or SYS in the matrix) is often slower than shared memory, above all with all GPUs at "
     "once: "
     "CPUs forward traffic between PCIe root ports slowly. So NCCL's default level is PXB, which leaves CPUs out, "
     "except "
     "with two GPUs on AMD.",
     "Check: unset NCCL_P2P_LEVEL, or compare NCCL_P2P_LEVEL=PXB, with the same test.",
     "Use what is fastest for all GPUs of the job, not for two. If P2P is slow below one PCIe switch too, look at PCIe "
     "ACS and the IOMMU."},
    {"asked-p2p-none",
     "nccl_p2p_level|nccl_p2p_disable&no effect|no difference|makes no|no change|not change|any difference;"
     "nccl_p2p_level+same result|same performance|same bandwidth",
     "If NCCL_P2P_LEVEL and NCCL_P2P_DISABLE change nothing, NCCL uses no P2P at any level, mostly because CUDA offers "
     "none between these GPUs (GeForce cards, virtual machines), and sends data through host memory.",
     "Check: `nvidia-smi topo -p2p r` says OK only where P2P exists; NCCL_DEBUG=INFO prints \"via P2P\" or \"via "
     "SHM\".",
     "No setting of NCCL changes it. With NVLink, the level makes no difference either, because NVLink is below all "
     "levels."},
    {"asked-nvlink-used",
     "nvlink&verify|check whether|check if|confirm|make sure|how can i see|how to see|how do i know|how can i know|"
     "how to know|is used|is using|really use|actually use|utiliz&!sharp|nvls|inactive|down",
     "\"via P2P/IPC\", \"via P2P/CUMEM\" or \"via P2P/direct pointer\" between GPUs that NVLink joins (NV# in "
     "`nvidia-smi "
     "topo -m`) means that NCCL uses NVLink. \"Using network Socket\" or IB concerns other hosts only.",
     "Check: `nvidia-smi nvlink -gt d` before and after a run counts the data of each link; "
     "NCCL_DEBUG_SUBSYS=INIT,GRAPH "
     "prints \"NVL\" paths.",
     "\"via SHM\" or \"via NET\" between them means that it does not: a rank then sees only its own GPU, or P2P is "
     "off."},
    {"asked-p2p-level",
     "nccl_p2p_level&?|how |what |does |mean|work|enforce|force|which |question|difference&!hang|stuck|slow",
     "NCCL_P2P_LEVEL is the longest path over which NCCL uses P2P: NVL (NVLink), PIX (one PCIe switch), PXB (several), "
     "PHB (the CPU's host bridge), SYS (another socket). It chooses no path: GPUs with NVLink use it at all these "
     "levels. Beyond the level NCCL uses shared memory.",
     "Check: \"via P2P\" or \"via SHM\" with NCCL_DEBUG=INFO; `orrery explain --why p2p --from 0 --to 1` names the "
     "rule.",
     "Leave it unset unless nccl-tests is faster with it: P2P through CPUs (PHB, SYS) is often slower than shared "
     "memory."},
    {"asked-wsl", " wsl| wsl2|windows subsystem&nccl|multi gpu|two gpu|2 gpu|gpus&?|support|work|run|issue|fail|error",
     "NCCL works on WSL 2 from 2.10.3 on; older releases do not find the GPUs and fail with \"unhandled system "
     "error\". "
     "If the driver offers no P2P, NCCL sends data between GPUs through host memory.",
     "Check: NCCL_DEBUG=VERSION prints the release that runs.",
     "Use PyTorch 1.10 or newer, which brings such a release; if a newer one hangs, try NCCL_P2P_DISABLE=1."},
    {NULL, NULL, NULL, NULL, NULL},
};
