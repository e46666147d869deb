/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about one host: what a process sees of its GPUs and NICs, virtual machines and their topology files,
 * containers, GPUDirect RDMA. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

#include "engine/symptoms/finding.h"

#define VIRTUAL                                                                                                        \
    " vm | vms |virtual machine|virtualized|virtualised|kvm|qemu|libvirt|proxmox|gpu passthrough|pci "                 \
    "passthrough|pcie passthrough|vfio passthrough|passed through|"                                                    \
    "pass through|hypervisor| vfio| esxi|vsphere|vmware|openstack| guest "
#define CONTAINERS "container|docker|kubernetes| k8s | pod | pods "

const struct orr_asked orr_asked_host[] = {
    {"asked-two-domains",
     "computedomain|compute domain&two |several|multiple|second |both|separate&same|share|one gb|one "
     "clique|fail|error|conflict&clique|nvl72|rack|imex|fail|error",
     "Two ComputeDomains of one NVLink clique start two sets of IMEX daemons, which can take memory of the fabric from "
     "each other: cuMemSetAccess() then fails with \"not supported\" now and then.",
     "Check: `kubectl get computedomains -A`, and whether jobs run without fault one after the other.",
     "Put the jobs into one ComputeDomain, or on different cliques. Meanwhile NCCL_MNNVL_ENABLE=0 keeps NVLink inside "
     "each host and uses the network between hosts."},
    {"asked-topo-mp",
     " topo mp &nvlink not|no nvlink|nvlink is missing|no nv| nv1| nv4| nv8| nv6| nv# |not list|with nvlink|not "
     "show|shows no",
     "`nvidia-smi topo -mp` shows PCIe paths only, never NVLink: use `nvidia-smi topo -m`.",
     "Check: `nvidia-smi topo -m` shows NVLinks as NV#.",
     "Use the matrix of `nvidia-smi topo -m`; the places of the NICs are the same in both."},
    {"asked-one-gpu-each",
     "gpus per task|only sees its own|sees only its own|sees one gpu|see one gpu|sees only one gpu|only sees one "
     "gpu|only see one gpu|see only one gpu|has only one gpu|has one gpu|gets one gpu|gets only one "
     "gpu|cgroup|per_task|one gpu per container|container per gpu|pod per gpu|gpu per pod|gpus device|gpu bind "
     "single|its own gpu|cuda_visible_devices is set to a single&nvlink| p2p | shm |shared memory|cuda "
     "ipc|slow&nccl|allreduce|all_reduce|torch&!ordinal| pod | pods |visible_devices",
     "NCCL finds NVLink and P2P only between GPUs that a process can see. A task in a cgroup or container of its own, "
     "as with Slurm's --gpus-per-task, sees one, so data goes through shared memory or the network. "
     "CUDA_VISIBLE_DEVICES alone hides no GPU from NCCL.",
     "Check: `nvidia-smi -L` in one task of the job lists one GPU.",
     "If it lists one GPU, let every task see all GPUs of its host: Slurm --gpus-per-node with --gpu-bind=none "
     "instead of --gpus-per-task, or one container with all GPUs; the program then picks its GPU by local rank."},
    {"asked-ordinal", "invalid device ordinal&srun|slurm| task|per task|per_task|each task|every task",
     "nccl-tests, like most programs, takes the GPU of its local rank. A task that sees one GPU has device 0 only, so "
     "all tasks but the first name a GPU that they do not see.",
     "Check: `srun` with the same options and `nvidia-smi -L` lists the GPUs of each task.",
     "If each lists one GPU, let every task see all GPUs of its host: --gpus-per-node=N --gpu-bind=none instead of "
     "--gpus-per-task."},
    {"asked-one-gpu-a-host",
     "one gpu per|1 gpu per|single gpu per|one gpu each|1 gpu each|one gpu on each&node|host|machine|server|each "
     "of&nic | nics| hca&all |both|traffic|gb s|bandwidth|busbw|limited&!cuda_visible|alltoall|all to "
     "all|all2all|sendrecv;one rank|single rank|one gpu|single gpu|1 gpu&several nic|multiple nic|all nic|more than "
     "one nic|two nics|2 nics|several hca|all hcas|multiple hca&!alltoall|all to all|all2all|sendrecv",
     "One GPU sends and receives over its own PCIe link, which carries about what one fast NIC does (NCCL counts 48 "
     "GB/s for x16 of generation 5, 24 for generation 4). So a job with one GPU on each host gets the rate of one fast "
     "NIC, whatever NCCL_IB_HCA names.",
     "Check: with all GPUs of both hosts (one process for each), the bus bandwidth should be near the sum of the NICs.",
     "Use all GPUs to use all NICs: each GPU takes the NIC next to it."},
    {"asked-nvls-refused",
     " nvls|multicast&fails|failed|error 401|failure 401|cannot be used|broke&!gb200|gb300|nvl72|mnnvl|channels",
     "NVLink SHARP (NVLS) needs multicast of the driver, which Fabric Manager and the NVSwitches provide.",
     "Check: `systemctl status nvidia-fabricmanager`, and `nvidia-smi -q | grep -A6 Fabric`.",
     "If Fabric is not Completed, restart Fabric Manager or the host. Run once with NCCL_NVLS_ENABLE=0: if the job "
     "then works, NVLS is at fault."},
    {"asked-imex",
     "gb200|gb300|nvl72|mnnvl|multi node nvlink&fails|failed|does not work|not "
     "working|error|missing|imex&nccl|nvls|mnnvl&!healthmask 0xaa|what is|what are;multi node "
     "nvlink&need|require&kubernetes|container|pod",
     "NVLink between trays (MNNVL), and NVLS over it, needs the IMEX service on all trays, READY in one domain, and an "
     "IMEX channel in the job's container.",
     "Check: `nvidia-imex-ctl -N` on every tray, /dev/nvidia-caps-imex-channels in the job, and `nvidia-smi -q | grep "
     "-A6 Fabric` (Completed).",
     "If the channel is missing in Kubernetes, give the job a ComputeDomain of NVIDIA's DRA driver. Run once with "
     "NCCL_MNNVL_ENABLE=0: if the job then works, NVLink between trays is at fault."},
    {"asked-gdr-hang",
     "gpudirect|gpu direct| gdr |gdrdma|nccl_net_gdr_level&hang|stuck|freez|fails|crash&works|without|level loc|level "
     "0|disabl",
     "A job that works only without GPUDirect RDMA has a fault between NICs and GPU memory, which PCIe ACS or the "
     "IOMMU can cause.",
     ORR_ACS_CHECK, ORR_ACS_CURE},
    {"asked-flushed", "vendor err 249|vendor_err 249|vendor error 249|vendor_err 0xf9",
     "Error 5 with vendor error 249 says only that the connection had failed before (work request flushed). The "
     "reason is in an earlier error, if a rank has one.",
     "Check: run once with NCCL_NET_GDR_LEVEL=LOC: if the job then works, GPUDirect RDMA is at fault, which PCIe "
     "ACS can break. `sudo lspci -vvv | grep -i acsctl` shows SrcValid+ where ACS is on.",
     "If the log of another rank has an earlier error, that one is the cause. If GPUDirect RDMA is at fault and ACS "
     "is on, turn ACS off in the BIOS or with setpci. If no rank has an earlier error, update the firmware of the "
     "server and its NICs."},
    {"asked-gdr-level",
     "nccl_net_gdr_level&should i|be set to|do i need|recommend|which value|what value|best "
     "value|necessary;nccl_net_gdr_level 1 |nccl_net_gdr_level loc|nccl_net_gdr_level 0 |nccl_net_gdr_level pix&gb "
     "s|slow| low |bandwidth|instead of&!works",
     "Leave NCCL_NET_GDR_LEVEL unset: by default NCCL uses GPUDirect RDMA where GPU and NIC are near. LOC turns it "
     "off, PIX (1) allows it below one PCIe switch only, and PHB or SYS force it through the CPUs, which can be "
     "slower.",
     "Check: \"via NET/IB/0/GDRDMA\" in the channels of NCCL_DEBUG=INFO shows that it is used.",
     "Set it only if a measurement on this machine shows that it helps."},
    {"asked-bridges",
     "pci 0 2 |2 5 gt s|pci bridge|virtual bridge|bridges&topology file|topo file|topology xml| xml|nccl_topo_file| vm "
     "| vms |virtual| kvm&nccl|gpu",
     "Virtual bridges report a link of 2.5 GT/s x1, which NCCL takes for 0.2 GB/s: it avoids all paths through them.",
     "Check: link_speed and link_width of the bridges in the topology file (NCCL_TOPO_FILE), and `lspci -vv`.",
     "Give the bridges their real link in the file (link_speed=\"32.0 GT/s PCIe\" link_width=\"16\" for PCIe 5); "
     "`orrery vm-file` makes such a file from a dump of the host."},
    {"asked-topology-file",
     "nccl_topo_file|topology file|topo file|topo xml|topology "
     "xml&nccl|slow|gpu|h100|h200|a100|azure|aws&need|required|require |necessary|have to|should |where "
     "is|generate|create|correct|without it&!dump| vm | vms |kvm|qemu|passthrough|slurm;nccl_topo_file|topology "
     "file|topo file&need|should|required&xlarge|aws|azure| g4dn| g5| g6|nd96|nc24|nc48|nc96",
     "NCCL detects the machine itself. It needs a file only where a virtual machine hides PCIe switches or NUMA nodes, "
     "and the provider then has one: Azure's images for ND types set NCCL_TOPO_FILE in /etc/nccl.conf, and Amazon's "
     "plugin aws-ofi-nccl gives NCCL its own file, such as for p4d and p5. With one NUMA node, as on g5.12xlarge, "
     "detection gives the same.",
     "Check: `lspci -tv` and `nvidia-smi topo -m` there; NCCL_TOPO_DUMP_FILE=t.xml and `orrery show t.xml` show what "
     "NCCL makes of it.",
     "Where all GPUs and NICs hang directly below the CPU and the type should have PCIe switches, use the provider's "
     "file. For your own virtual machines, `orrery vm-file` makes one from a dump of the real host."},
    {"asked-vm-nvswitch",
     "nvswitch|fabric manager|fabricmanager|fabric_mode&" VIRTUAL "&!h100 nvl|h200 nvl|standard_nc",
     "Virtual machines with some of a host's GPUs each share its NVSwitches, which none of them may have: the switches "
     "stay with the host or with one service VM, where Fabric Manager runs and activates a partition of GPUs for each "
     "VM (shared NVSwitch model). Without a partition, CUDA does not start or has no NVLink. Only a VM with all GPUs "
     "gets the switches, and runs Fabric Manager itself.",
     "Check: `nvidia-smi -q | grep -A3 Fabric` in the VM must say Completed; `fmpm -l` on the host lists partitions.",
     "Set FABRIC_MODE=1 in fabricmanager.cfg on the host or in the service VM, and activate the partition of the VM's "
     "GPUs before it starts. NCCL_P2P_DISABLE=1 does not help, because CUDA itself waits for the fabric."},
    {"asked-vm-topology", VIRTUAL "&topo|numa|hierarch|pcie switch|pci switch|pcie tree&!topo p2p",
     "A virtual machine can hide the host's PCIe switches and NUMA nodes, so that NCCL takes GPUs and NICs for far "
     "apart. A topology file in NCCL_TOPO_FILE gives NCCL a PCI tree that is equivalent to the host's; NCCL then "
     "finds GPUs and NICs itself.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH prints what NCCL sees: compare it with bare metal.",
     "Dump the real host (NCCL_TOPO_DUMP_FILE=host.xml), and give GPUs and NICs the bus ids that they have in the VM; "
     "switches get ids that are not in use: `orrery vm-file host.xml` does both. Show the VM the NUMA nodes of its "
     "CPUs and memory. ACS stays on in a VM, so NICs need ATS (`mlxconfig -d DEVICE query | grep ATS` on the host)."},
    {"asked-vm-p2p", VIRTUAL "&p2p|peer to peer|iommu| acs &!nvlink|rdma|roce|infiniband|socket|iperf",
     "In a virtual machine the IOMMU and PCIe ACS must stay on, so P2P over PCIe goes up to the CPU, and the driver "
     "offers it only if the hypervisor declares it (QEMU: x-nv-gpudirect-clique). Otherwise NCCL sends data through "
     "host memory, which always works.",
     "Check: `nvidia-smi topo -p2p r` in the VM; if it says OK, run p2pBandwidthLatencyTest, and all_reduce_perf -c 1 "
     "for wrong data.",
     "QEMU: give the GPUs that may use P2P the same number x-nv-gpudirect-clique (vfio-pci). Boot the host with "
     "iommu=pt. If P2P hangs or gives wrong data, set NCCL_P2P_DISABLE=1."},
    {"asked-vm-slow", VIRTUAL "&bandwidth|busbw|bus bw|slow|performance|throughput|baremetal|bare metal",
     "In a virtual machine PCIe ACS stays on, so data between GPUs and NICs goes through the CPU, at half the "
     "bandwidth or less, unless the NICs have ATS. A VM also hides the PCIe switches, so NCCL may choose NICs far from "
     "a GPU.",
     "Check: on the host, `sudo mlxconfig -d DEVICE query | grep ATS`; in the VM, whether lines \"via NET/IB\" of "
     "NCCL_DEBUG=INFO end in GDRDMA.",
     "If ATS is not True, enable it (`mlxconfig -d DEVICE set ATS_ENABLED=true`), and set "
     "NCCL_IB_PCI_RELAXED_ORDERING=1. If the lines lack GDRDMA, give NCCL the host's topology in NCCL_TOPO_FILE "
     "(`orrery vm-file host.xml`)."},
    {"asked-containers",
     CONTAINERS
     "&nvlink|p2p|peer to peer|cuda ipc&across|between|different|separate|two |multiple|several|isolated|each |own "
     "|inter |same node|same host&!sharp|nvls|no space|size|one container|one docker|single container",
     "NCCL uses P2P, and so NVLink, between two containers of a host only if each of them sees both GPUs: CUDA cannot "
     "open memory of a GPU that a process does not see. With a GPU of its own for each container or pod, NCCL is left "
     "with shared memory, if they share it, or the network.",
     "Check: `nvidia-smi -L` in each container must list the GPUs of both; NCCL_DEBUG=INFO then prints \"via P2P\".",
     "Put all ranks of a host into one container, or give each container all GPUs (docker --gpus all; each rank takes "
     "its own by local rank) and one IPC namespace (--ipc=host). A pod has only its own GPUs: use one pod for a host."},
    {NULL, NULL, NULL, NULL, NULL},
};
