/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about GPUs that reach each other, or do not: P2P over PCIe, BAR 1, NVLink bridges, shared memory. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

#include "engine/symptoms/finding.h"

#define NOT_PCIE "nvlink|nvswitch| sxm|infiniband|rdma|sendrecv|nodes"

const struct orr_asked orr_asked_p2p[] = {
    {"asked-machine-stops", ORR_SAID_MACHINE_STOPS,
     "A machine that freezes or restarts as a whole while GPUs exchange data has a fault below NCCL: a PCIe link "
     "(riser, slot of generation 5), the power supply, or P2P that the board does not carry.",
     "Check: run `nvidia-smi -q | grep -i -A1 replay` before and during the load: growing counters are transmission "
     "errors; `dmesg -w` on another screen shows Xid and AER. Run once with NCCL_P2P_DISABLE=1.",
     "If the counters grow, set the slots of the GPUs from Auto to generation 4, and replace risers. If lower power "
     "limits (`nvidia-smi -pl`) help, it is the power supply. If it helps to turn P2P off, update the BIOS, and "
     "leave P2P off until then."},
    {"asked-bar",
     "bar1|resizable bar|re size bar| rebar|bar size|large bar|small bar| bar of &p2p|peer to peer|fail|too small| "
     "4090| 5090| 3090",
     "P2P over PCIe with a patched driver for GeForce cards needs a BAR1 as large as the GPU's memory: with 256 MB, "
     "mapping another GPU's memory fails.",
     "Check: `nvidia-smi -q | grep -A3 BAR1`, beside the size of the GPU's memory.",
     "If BAR1 is smaller, turn Above 4G Decoding and Resizable BAR on in the BIOS, and update the BIOS if it lacks "
     "them. If dmesg says \"BAR 1: can't assign; no space\", the BIOS leaves too little room. NVIDIA's own driver "
     "offers these cards no P2P."},
    {"asked-p2p-models",
     "p2p|peer to peer|peer access&different gpus|different gpu model|different model|different card|another gpu|other "
     "model|mixed gpu|mix of;p2p|peer to peer|peer access&5060&5070|5080|5090|4090;p2p|peer to peer|peer "
     "access&3090&4090|5090&!monitor|p2p driver|patched;p2p|peer to peer|peer access&4090&5090|5080&!monitor|p2p "
     "driver|patched",
     "The driver offers P2P over PCIe only between GPUs of one model, or of close relatives. Between others NCCL sends "
     "data through host memory, which works.",
     "Check: `nvidia-smi topo -p2p r` says OK only for pairs that have P2P.",
     "Use GPUs of one model for a job that exchanges much data (CUDA_VISIBLE_DEVICES)."},
    {"asked-geforce",
     "4090|4080|5090|5080&p2p|peer to peer& shm |shared memory|enable|support|need|require|get "
     "p2p&!tinygrad|patched|patch | rtx |with p2p|enabled p2p|p2p enabled|activate|p2p_level "
     "sys;4090|4080|5090|5080&nccl&bandwidth|gb s|slow&?|why|limit| low |only&!tinygrad|patched|patch | rtx "
     "|node|host|ethernet|infiniband| nic|with p2p|enabled p2p|p2p enabled|activate|p2p_level sys;p2p|peer to "
     "peer|peer access&support|have |possible|enable|does |can &4090|5090|4080|5080|4070|5070|geforce|rtx 40|rtx "
     "50&!patched|resizable|bar |rdma|ethernet|hosts|nodes|gpudirect| gdr",
     "NVIDIA's driver offers no P2P between GeForce cards of the series 20, 40 and 50, such as RTX 4090 and 5090, so "
     "NCCL sends all data between them through host memory, and no setting of NCCL changes it.",
     "Check: `nvidia-smi topo -p2p r` says NS, GNS or CNS for each pair.",
     "Use GPUs whose driver offers P2P (workstation and data centre cards), or keep the traffic between these GPUs "
     "small. Patched drivers offer P2P, which NVIDIA does not support."},
    {"asked-p2p-hang",
     " hang| stuck|freez|deadlock| stalls&p2p|peer to peer&!prevents deadlock|prevent deadlock|avoid deadlock|without "
     "deadlock|nvlink|nvswitch| sxm|infiniband|rdma|sendrecv|nodes|hosts|p2p_disable|p2p_level;disabling p2p|disable "
     "p2p|disabled p2p|p2p disabled|without p2p|p2p enabled|turn p2p off|turning p2p off|p2p off |switch p2p "
     "off|disabling it|disabled it&p2p&hang|stuck|freez|deadlock|never complet|never finish|never return|blocks |makes "
     "it work&!nccl_p2p_disable 1",
     "If the job hangs with P2P over PCIe and works with NCCL_P2P_DISABLE=1, a GPU's writes to the other do not "
     "arrive. PCIe ACS, or an IOMMU that translates, can cause that.",
     ORR_ACS_CHECK, ORR_ACS_CURE},
    {"asked-gibberish",
     "gibberish|garbage|garbled|mangled|word salad|wrong tokens|nonsense|gives zeros|all zero|zeros|to 0 s|zero "
     "tensor|zeroes|empty tensor&p2p|peer access|can_device_access_peer|between two gpus|between the gpus|between "
     "gpus|gpu split|gpu_split|row split|split row|split mode|layer split|across the two gpus|across two gpus|across "
     "both gpus|over both gpus|on both gpus|on 2 gpus|other gpu|second gpu|to cuda 1|destination gpu&!chat "
     "template|prefill|bitwise|determin|all_reduce|allreduce|reduce_scatter|nan loss|empty_like|multimem|expert",
     "If the driver reports P2P, and PCIe ACS, the IOMMU or a patched driver breaks it, copies between GPUs do not "
     "arrive, and the other GPU keeps zeros. PyTorch's `.to()` uses P2P as well, and NCCL_P2P_DISABLE does not "
     "reach it.",
     "Check: `python3 -c \"import torch; print(torch.arange(4.).to('cuda:0').to('cuda:1'))\"` prints 0 to 3 if "
     "copies arrive.",
     "If it prints other values, boot with iommu=pt or with the IOMMU off, and turn ACS off; or keep the program "
     "off P2P: EXLLAMA_NO_P2P_COPY=1 for exllama, llama.cpp without GGML_CUDA_P2P (any value, even 0, turns P2P "
     "on), vLLM with --disable-custom-all-reduce and NCCL_P2P_DISABLE=1. If it prints 0 to 3, look for the fault in "
     "the program or the model."},
    {"asked-nvlink-bridge",
     "nvlink|nv link&bridge& hang|stuck|freez| minutes| seconds|takes long|very long|not work|not "
     "detected|inactive|not show|not active&!nvls|nvswitch|pci bridge|docker|container|pod ",
     "An NVLink bridge that is not plugged in fully joins some of its links only: the driver tries to start the others "
     "again and again, so nvidia-smi and NCCL's start can take minutes, and transfers hang.",
     "Check: `nvidia-smi nvlink -s` shows all links of both cards with a rate (RTX 3090, A6000, A40: 4; RTX 2080 Ti: "
     "2), `nvidia-smi topo -m` NV4 or NV2, and `time nvidia-smi topo -m` about a second.",
     "If a link is missing or without a rate, switch the machine off and press the bridge in on both cards; "
     "coolers, cables or its own case may be in the way. If it is the same without the bridge, it is not NVLink: "
     "run once with NCCL_P2P_DISABLE=1."},
    {"asked-no-devices", "no devices were found|no devices found|no gpu devices found&nvidia smi|nvidia_smi|driver",
     "nvidia-smi finds no GPU that the driver could start, so the fault is below NCCL: kernel modules of another kind "
     "or version than the driver, no address space for the GPUs, or a GPU that fails.",
     "Check: `sudo dmesg | grep NVRM` says why; `cat /proc/driver/nvidia/version` names the version of the kernel "
     "module, and \"Open Kernel Module\", which RTX 50 and other Blackwell GPUs need.",
     "If dmesg asks for open modules or the versions differ, install the open kernel modules of exactly the "
     "driver's version (with DKMS, if the kernel may change). If dmesg reports a BAR without address space, turn "
     "Above 4G Decoding and Resizable BAR on in the BIOS. If dmesg reports an Xid or a GPU that has fallen off the "
     "bus, reseat that GPU and check its power."},
    {"asked-ggml-p2p",
     "ggml_cuda_p2p&!garbled|mangled|zeros;nccl_p2p_disable|nccl_p2p_level|nvlink_mode&llama cpp|llamacpp|llama "
     "server|ik_llama",
     "llama.cpp uses P2P only if GGML_CUDA_P2P is set, and any value turns it on, even 0. NCCL's settings do not "
     "change that, as it calls CUDA itself.",
     "Check: `env | grep GGML_CUDA_P2P` in the process; the output of the model with and without it must be the same.",
     "Unset it if the output is wrong or GPUs hang: then P2P does not work on this machine (PCIe ACS, the IOMMU, a "
     "patched driver)."},
    {"asked-wrong-data",
     "communicat|transfer|copy |copies|copied|all_reduce|allreduce|p2p|peer to "
     "peer&data|result|value|tensor&incorrect|wrong|corrupt|all "
     "zero|zeroed|garbage&!ll128|buffsize|chunk|determin|bitwise|rounding|dtype|bf16|fp8|reset|mean|column|shape|data "
     "type",
     "If the data is right with NCCL_P2P_DISABLE=1, P2P between these GPUs is broken: with PCIe ACS or an IOMMU "
     "that translates, writes to another GPU can end elsewhere, and NCCL does not see it.",
     "Check: `all_reduce_perf -c 1` counts wrong values with P2P and none without. `sudo lspci -vvv | grep -i acsctl` "
     "(SrcValid+ or ReqRedir+: ACS is on), and `cat /proc/cmdline` for iommu=pt.",
     ORR_ACS_CURE},
    {"asked-epyc",
     "epyc&p2p|peer to peer|allreduce|all_reduce|nccl|bandwidth&slow|low |poor|bad "
     "|drop|half|only&!iommu is disabled|iommu disabled|iommu off|iommu is off|iommu pt|nps4",
     "On AMD EPYC, two settings of the BIOS decide how fast GPUs reach each other and host memory: an IOMMU that "
     "translates slows P2P down, and with one NUMA node per socket (NPS1) data crosses the whole socket.",
     "Check: `cat /proc/cmdline` (iommu=pt or amd_iommu=off), and `numactl -H`: NPS4 shows four nodes for each socket.",
     "If the IOMMU translates, boot with iommu=pt, or turn it off in the BIOS (AMD CBS, NBIO Common Options). If "
     "each socket is one node, try NPS4 in the BIOS. If P2P through the CPU stays slow, compare NCCL_P2P_LEVEL=PXB, "
     "which uses shared memory there."},
    {"asked-p2p-slow",
     "p2p|peer to peer|peer access&bandwidth|gb "
     "s|throughput|simplep2p&small|only|low|slow|drop|half|worse|poor|bad|fail&!nccl_p2p_level|alltoall|all to "
     "all|all2all|" NOT_PCIE ";p2p|peer to peer&performance&slow|bad|poor&!nccl_p2p_level|" NOT_PCIE
     ";within numa|same switch|same pcie switch|below one pcie switch|one plx switch|one pcie "
     "switch&slower|half|lower&gpu|nccl|all_reduce|communication",
     "P2P over PCIe is slow if PCIe ACS or an IOMMU that translates sends the data up to the CPU, or if a link has "
     "fewer lanes than it could have.",
     ORR_ACS_CHECK " `nvidia-smi -q | grep -A12 'PCI$'` shows the link width.", ORR_ACS_CURE},
    {"asked-iommu",
     "iommu| vt d | acs &why|need to|needs to|have to|must|required|reason|consequence|impact|effect|affect|should i; "
     "acs &p2p|gpudirect|gpu direct|gdr|rdma|nccl&how |whether|check|tell|know if|verify|should i|disable|enabled "
     "?&!acsctl",
     "An IOMMU that translates addresses, and PCIe ACS, send data between two devices up to the CPU instead of the "
     "shortest way: P2P and GPUDirect RDMA become slow, hang, or deliver wrong data (IO_PAGE_FAULT in dmesg).",
     "Check: `cat /proc/cmdline` and `dmesg | grep -i -e dmar -e iommu`; `sudo lspci -vvv | grep -i acsctl` shows ACS.",
     "On bare metal iommu=pt is enough: the IOMMU stays on, but does not translate for the host's own devices. Turn "
     "ACS off on the bridges. For virtual machines both must stay on: NICs then need ATS, and P2P may need "
     "NCCL_P2P_DISABLE=1."},
    {"asked-p2p-shm",
     "p2p|peer to peer&slower|faster with p2p|slow than|worse|lower performance|lower bandwidth&shm|shared memory|p2p "
     "off|p2p disabled|p2p_disable|p2p is disabled|disabling p2p&!without p2p;p2p_level&slow|lower|worse|should "
     "i|recommend|reduc|decreas|drops|which value|what value|best&!nvlink;p2p|peer to peer& shm |shared "
     "memory&slower|faster|better&?|why;not use p2p|no p2p&root port|host bridge|root "
     "complex&why|default&!4090|5090|geforce;p2p|peer to peer&alltoall|all2all|all to all&low |slow|drop|worse|bad "
     "&!nvlink|nvswitch| nic|node|rdma",
     "P2P through a CPU (PHB or SYS in the matrix) can be slower than shared memory, above all with all GPUs at "
     "once: CPUs forward traffic between PCIe root ports slowly. So NCCL's default level is PXB, which leaves CPUs "
     "out, except with two GPUs on AMD.",
     "Check: unset NCCL_P2P_LEVEL, or compare NCCL_P2P_LEVEL=PXB, with the same test.",
     "Use what is fastest for all GPUs of the job, not for two. If P2P is slow below one PCIe switch too, look at PCIe "
     "ACS and the IOMMU."},
    {"asked-p2p-none",
     "nccl_p2p_level|nccl_p2p_disable&no effect|no difference|makes no|no change|not change|any difference&!llama "
     "cpp|llamacpp|llama server|ik_llama;nccl_p2p_level+same result|same performance|same bandwidth",
     "NCCL_P2P_LEVEL and NCCL_P2P_DISABLE change nothing if CUDA offers no P2P between the GPUs (GeForce cards, "
     "virtual machines): NCCL then sends data through host memory at every level. With NVLink the level alone "
     "changes nothing, because NVLink is below all levels.",
     "Check: `nvidia-smi topo -p2p r` says OK only where P2P exists; NCCL_DEBUG=INFO prints \"via P2P\" or \"via "
     "SHM\".",
     "If a pair is not OK, no setting of NCCL gives it P2P. If it is OK, look whether the setting reaches the "
     "ranks: NCCL_DEBUG=INFO prints \"set by environment to\"."},
    {"asked-nvlink-used",
     "nvlink&verify|check whether|check if|confirm|make sure|how can i see|how to see|how do i know|how can i know|how "
     "to know|nvlink is used|nvlink being used|using nvlink|really use|actually "
     "use|utiliz&!sharp|nvls|inactive|down|no nvlink|without nvlink|utilization",
     "\"via P2P/IPC\", \"via P2P/CUMEM\" or \"via P2P/direct pointer\" between GPUs that NVLink joins (NV# in "
     "`nvidia-smi topo -m`) means that NCCL uses NVLink. \"Using network Socket\" or IB concerns other hosts only.",
     "Check: `nvidia-smi nvlink -gt d` before and after a run counts the data of each link; "
     "NCCL_DEBUG_SUBSYS=INIT,GRAPH prints \"NVL\" paths.",
     "\"via SHM\" or \"via NET\" between them means that it does not: a rank then sees only its own GPU, or P2P is "
     "off."},
    {"asked-p2p-level", "nccl_p2p_level&?|how |what |does |mean|work|enforce|force|which |question|difference",
     "NCCL_P2P_LEVEL is the longest path over which NCCL uses P2P: NVL (NVLink), PIX (one PCIe switch), PXB (several), "
     "PHB (the CPU's host bridge), SYS (another socket). It chooses no path: GPUs with NVLink use it at all these "
     "levels. Beyond the level NCCL uses shared memory.",
     "Check: \"via P2P\" or \"via SHM\" with NCCL_DEBUG=INFO; `orrery explain --why p2p --from 0 --to 1` names the "
     "rule.",
     "Leave it unset unless nccl-tests is faster with it: P2P through CPUs (PHB, SYS) can be slower than shared "
     "memory."},
    {"asked-wsl", " wsl| wsl2|windows subsystem&nccl|multi gpu|two gpu|2 gpu|gpus&?|support|work|run|issue|fail|error",
     "NCCL works on WSL 2 from 2.10.3 on; older releases do not find the GPUs and fail with \"unhandled system "
     "error\". If the driver offers no P2P, NCCL sends data between GPUs through host memory.",
     "Check: NCCL_DEBUG=VERSION prints the release that runs.",
     "Use PyTorch 1.10 or newer, which brings such a release; if a newer one hangs, try NCCL_P2P_DISABLE=1."},
    {"asked-shm-size",
     " dev shm |shm size|shm_size|shared memory&how large|how big|how much|what size|which size|size "
     "does|enough|minimum|recommend|default|need&nccl|gpu|docker|pod |container&!cumem|per block",
     "NCCL keeps buffers of about 10 MB for each connection without P2P in /dev/shm, so the 64 MB that Docker and "
     "Kubernetes give by default are too few. NVIDIA recommends 1 GB and unlimited locked memory.",
     "Check in the container: `df -h /dev/shm` and `ulimit -l`.",
     "docker --shm-size=1g --ulimit memlock=-1 (or --ipc=host); Kubernetes: an emptyDir with medium: Memory at "
     "/dev/shm. PyTorch's data loaders and vLLM need some GB more."},
    {"asked-host-ipc",
     "hostipc|hostnetwork|host network|ipc "
     "host|hostpid&need|require|must|should|why|necessary&nccl|pod|container|gpu&!rdma|roce|infiniband| ib | nic|hca",
     "If all ranks of a host are in one pod or container, NCCL needs neither the host's IPC nor its network inside the "
     "host, only a /dev/shm of 1 GB or more. Several pods of one host need hostIPC and must see all GPUs to use P2P.",
     "Check: NCCL_DEBUG=INFO prints \"via P2P\" or \"via SHM\" between the ranks of a host.",
     "Between hosts, hostNetwork or an interface for each NIC (Multus with SR-IOV, macvlan or host-device) gives RoCE "
     "its addresses; InfiniBand needs only the device."},
    {"asked-p2p-check",
     "p2p|peer to peer|peer access&check|verify|test if|know if|see if|know whether|see whether|find "
     "out&work|enabled|support|available|possible|used&!nvlink|rdma|roce",
     "`nvidia-smi topo -p2p r` says OK for each pair to which the driver offers P2P; NCCL uses it up to the path type "
     "of NCCL_P2P_LEVEL (PXB by default), and its log then says \"via P2P\".",
     "Check: p2pBandwidthLatencyTest or simpleP2P of the CUDA samples for speed, and `all_reduce_perf -c 1` for wrong "
     "data.",
     "`orrery explain --why p2p --from 0 --to 1` with the matrix of `nvidia-smi topo -m` says what NCCL decides."},
    {"asked-why-shm",
     " shm |shared memory|host memory&instead of|why|not p2p|rather than|without p2p&p2p|peer to "
     "peer|nvlink&!stage;p2p|peer to peer&root complex|root port|host bridge|through the cpu|through cpu&support|use "
     "|does |why;p2p|peer to peer|without nvlink&across numa|different numa|across socket|different socket|cpu "
     "socket|two sockets|across cpu&how does|how is|is p2p used&!numactl;via shm&why|only",
     "NCCL uses shared memory between GPUs of a host if it may not use P2P: the path is beyond the level (PXB by "
     "default, so not through a CPU, except on AMD with two GPUs, up to 2.22.3 with any number), the driver offers "
     "none (GeForce, virtual machines), a setting turns it off, or each rank sees only its own GPU.",
     "Check: `nvidia-smi topo -m` for the path, `nvidia-smi topo -p2p r` for the driver, `env | grep NCCL_` for "
     "settings.",
     "NCCL_P2P_LEVEL=PHB or SYS allows P2P through CPUs: measure, it can be slower. `orrery explain --why p2p` with "
     "the matrix names the rule."},
    {"asked-bridges",
     "nvlink|bridge& pair|pairs|pairwise|some gpu|not all gpu|only two|2 of &nccl|all_reduce|allreduce|8 gpus|4 "
     "gpus|bandwidth|not use&!nvswitch| sxm|and pcie|both|at the same time|no bridge|without bridge|no nvlink|without "
     "nvlink",
     "A bridge joins two cards (NV# in the matrix), and all other pairs have PCIe only. A ring over all GPUs is as "
     "fast as its slowest link, so an operation over more than the bridged pair gets the speed of PCIe.",
     "Check: `nvidia-smi topo -m` shows NV# in pairs; all_reduce_perf on one pair (CUDA_VISIBLE_DEVICES) shows NVLink.",
     "Give groups of two, such as tensor parallel ones, the bridged pairs: `orrery place --count 2` names them."},
    {"asked-slots",
     "pcie slot|pci slot|x16 slot|riser|oculink| lanes| x4 | x8 &nccl|all_reduce|gpus|multi gpu|tensor "
     "parallel&which|best|enough|matter|affect|effect|difference|impact|slow|should i",
     "A ring is as fast as its slowest link, so one GPU in a narrow slot limits all. NCCL counts 24 GB/s for PCIe 4 "
     "x16, 12 for x8 and 6 for x4, half of it for PCIe 3, and twice for PCIe 5.",
     "Check under load: `nvidia-smi --query-gpu=pcie.link.gen.current,pcie.link.width.current --format=csv`.",
     "Use slots of the CPU with equal lanes, on one socket if there are two; slots of the chipset share its x4 or x8 "
     "link."},
    {"asked-idle-link",
     "2 5gt|2 5 gt|gen1|gen 1|pcie 1 "
     "|downgraded&gpu|nvidia|link&nccl|slow|why|problem|wrong|normal|?&!width|nic|mlx|connectx",
     "A GPU lowers the speed of its PCIe link while it is idle, to 2.5 GT/s, and raises it under load, so the speed "
     "that lspci shows on an idle GPU says nothing. A width below the device's does count.",
     "Check: look again while all_reduce_perf runs, at `nvidia-smi -q | grep -A12 'PCI$'` or LnkSta of lspci.",
     "If speed or width stays low under load, reseat the card or riser, and set the slot to Auto in the BIOS."},
    {"asked-p2p-off",
     "nccl_p2p_disable&safe|what happens|performance|drawback|downside|disadvantage|risk|impact|consequence|potential "
     "problem|any problem|what does",
     "NCCL_P2P_DISABLE=1 makes GPUs of a host exchange data through host memory. Results stay right; it is slower, "
     "much so with NVLink, little over PCIe through a CPU.",
     "Check: all_reduce_perf with and without it.",
     "If a job works only with it, P2P is broken: look at PCIe ACS and the IOMMU (`sudo lspci -vvv | grep -i acsctl`, "
     "`cat /proc/cmdline`)."},
    {"asked-windows",
     "nccl& on windows| windows 10| windows 11|windows server|under windows|for windows|native windows&!wsl|subsystem",
     "NCCL is for Linux only: there is no release for Windows. PyTorch on Windows uses Gloo instead.",
     "Check: `python -c \"import torch.distributed as d; print(d.is_nccl_available())\"` says False there.",
     "Use WSL 2 or Linux, or init_process_group(backend=\"gloo\")."},
    {"asked-tp-slower",
     "tensor parallel|tensor_parallel| tp |tp2|tp4|multiple cards|multiple gpus|two gpus|2 gpus|multi "
     "gpu&slow|faster&single|one card|one gpu|1 gpu|baseline|single card&!load|hosts|node|startup",
     "Tensor parallelism exchanges data twice in each layer. Without NVLink every exchange crosses PCIe, and without "
     "P2P host memory, which takes longer than a second GPU saves for small models and small batches.",
     "Check: `nvidia-smi topo -m` (NV#: NVLink), and all_reduce_perf -b 8K -e 16M -f 2 for the time of one exchange.",
     "If the model fits on one GPU, run one copy on each; else use pipeline parallelism, larger batches or GPUs with "
     "NVLink, and slots with all lanes."},
    {NULL, NULL, NULL, NULL, NULL},
};
