/* SPDX-License-Identifier: Apache-2.0 */
/* Questions about NICs, networks between hosts, and GPUs that do or do not reach each other. */
#include "engine/symptoms/asked.h"

#include <stddef.h>

#include "engine/symptoms/finding.h"

const struct orr_asked orr_asked_network[] = {
    {"asked-rails",
     "subnet|vlan| leaf | leafs | leaves | spine |ip network|ip address&nic | nics | "
     "hca|mlx5|rail&gpu|nccl|server|node|host&which nic|mapping|decide|consider|into account|ignore|match|pair| "
     "aware&!gid_index|addr_range|socket_ifname;subnet|vlan| leaf | leafs | leaves | spine &nic | nics | "
     "hca|mlx5|rail&gpu|nccl|server|node|host&?|how &!time out|timeout|timed "
     "out|bootstrap|socket_ifname|gid_index|addr_range; rail&mlx5| nic | nics |gpu0&maps|mapping|order|per "
     "rail|differ|decides|pairing&?|how &!isolated|nccl_cross_nic;nccl&subnet aware|rail aware& "
     "nic;nccl&pick|choose|select|decide& nic | nics | hca&gpu&?|how&!socket_ifname|bootstrap|wrong interface",
     "NCCL does not look at subnets, leaf switches or rails: on each host a GPU takes the NIC that is nearest by PCIe, "
     "and equally near NICs by their numbers. If hosts number or cable their NICs otherwise, the GPUs of two hosts use "
     "NICs of different rails.",
     "Check: `ibdev2netdev` and `show_gids` must put mlx5_0, mlx5_1 ... on the same rails on every host. In a cluster "
     "file, `orrery show --cluster FILE` takes each NIC's \"subnet\" or \"rail\" and names rings that cross rails.",
     "Cable and number the NICs alike on all hosts, and use the same GPUs on each. NCCL_CROSS_NIC=0 asks for rings "
     "that keep to one NIC of each host."},
    {"asked-rail-pin",
     "rail&prefill|decode|pod|worker|claim|kubernetes| k8s| dra &gpu|nic&isolated|fail|different rail|same rail|same "
     "ones| pin |align|handshake|no connect|cannot reach&!nccl_ib",
     "Whatever starts the workers chooses their GPUs and NICs: a claim that only puts GPU and NIC below one PCIe root "
     "may take rails 0-3 for one worker and 4-7 for another, and isolated rails do not reach each other.",
     "Check: `nvidia-smi -L` and `ibdev2netdev -v` in both workers must show the same GPUs and NICs of the host.",
     "Pin both workers to the same ones: a selector by NUMA node, or a list of PCI addresses, in the claim."},
    {"asked-gin-mtu",
     " gin |gdaki| doca &mtu | 1500 &! efa ; gin |gdaki|gin_type 3& hang| stuck|forever|never incremented|silently "
     "fail|waitsignal|never return&!proxy hang|nvlink|efa ",
     "GIN without a proxy (GDAKI) sends with an MTU of 4096 bytes, whatever the port has, and hangs on a NIC whose "
     "Ethernet MTU is 1500. NCCL's developers mended that in July 2026.",
     "Check: `ibv_devinfo | grep active_mtu` says 4096 if the MTU is large enough.",
     "If it says less, set the MTU of interfaces and switches to 4200 or more (9000). Run once with GIN's proxy "
     "(NCCL_GIN_TYPE=2): if that works, GDAKI is at fault."},
    {"asked-mtu", " mtu|_mtu&different|differ|mismatch|not equal|1024& hang|stuck|error|fail|loc_len|length",
     "The ports of two hosts must have the same MTU: from 2.20 on NCCL does not make both ends use the smaller one, "
     "and a port that gets larger packets than its own drops them, with a local length error (status 1) or a hang.",
     "Check: `ibv_devinfo | grep active_mtu` on all hosts; RoCE: also `ip link`, and `ping -M do -s 8972 HOST` for "
     "9000.",
     "Give ports, interfaces and switches of all hosts one MTU (RoCE: 9000, InfiniBand: 4096)."},
    {"asked-ib-off",
     "not use|not using|not see|not detect|not find|instead of|falls back|fell back|over tcp& ib | infiniband | roce "
     "&network|socket|tcp&nccl|torchrun|training|job|node|vllm&!bootstrap|on "
     "purpose|ib_disable|want|avoid|disable|force| efa |nvlink|ibext;nccl&falls back|fell back|fall "
     "back|fallback&socket| tcp &!efa|ofi|libfabric|gloo|tcpx|fastrak",
     "NCCL uses InfiniBand or RoCE by itself if it finds a NIC that is up, or else TCP. In a container it finds none "
     "without /dev/infiniband and the RDMA libraries (libibverbs).",
     "Check: with NCCL_DEBUG=INFO, \"NET/IB : Using [0]mlx5_0:1/IB\" or \"No device found\"; `ibv_devices` in the "
     "container.",
     "If the container lacks the devices, give it them (docker --device=/dev/infiniband --cap-add=IPC_LOCK --ulimit "
     "memlock=-1, Slurm with pyxis --container-mounts=/dev/infiniband, Kubernetes: the RDMA resource). If `ldconfig "
     "-p | grep libibverbs` prints nothing, install rdma-core. If `env | grep NCCL_` shows NCCL_IB_DISABLE or "
     "NCCL_NET, unset it."},
    {"asked-ifname",
     "socket_ifname&ignor|no effect|not respect|not honor|still us|other interface|wrong interface|another "
     "interface|instead of&!gloo|file|exist|ib_disable|ibext;nccl&connecting to|connects to|sending traffic|traffic "
     "to|using the ip&ip address|that ip|wrong ip",
     "NCCL_SOCKET_IFNAME chooses the interface whose address a rank listens on and announces. By which interface "
     "others connect to it is up to the kernel's routes: with two interfaces in one subnet, it may be the other one, "
     "which then also shows its own address.",
     "Check: `ip route get ADDRESS` on each host, with the other host's address in \"Bootstrap : Using\", must name "
     "the wanted interface; `ip route` must not list one network twice.",
     "If `ip route` lists a network twice, give the interfaces different subnets (such as /24 instead of /20), or "
     "the wanted route the lower metric. NCCL_IB_HCA chooses the NICs for data over InfiniBand or RoCE; MPI, Gloo "
     "and MASTER_ADDR have settings of their own."},
    {"asked-raw-spark", "spark| gb10 |gx10& 13 gb| 13gb| 12 gb| 13 g| 13 2| 12 8&ib_write_bw|iperf|raw|tcp|rdma|capped",
     "TCP and plain RDMA are just as slow, so it is not NCCL. A DGX Spark that reaches only 13 Gb/s, with links and "
     "PCIe at full speed, has a ConnectX-7 NIC that came up degraded, as others saw after a start or after the cable "
     "was plugged in.",
     "Check: `ib_write_bw -q 8` on each of the port's two devices should show 90 to 100 Gb/s; `lspci -vv` shows Gen5 "
     "x4.",
     "If they show less, take both machines off power for a minute with the cable plugged in, update their firmware "
     "(fwupdmgr), and measure again."},
    {"asked-pkey", " pkey|pkey_index|pkeys|partition key&nccl|ib_send|ib_write|index|?&!ucx_ib|opensm",
     "NCCL uses the partition key at index 0 of each InfiniBand port, unless NCCL_IB_PKEY names another index (not the "
     "key itself).",
     "Check: `cat /sys/class/infiniband/mlx5_0/ports/1/pkeys/0`, and the same for 1, on all hosts; `ib_send_bw "
     "--pkey_index=1` must work between them.",
     "Set NCCL_IB_PKEY=1 (that index) on all hosts. Hosts without a common partition (in Azure: not in one scale set) "
     "do not reach each other."},
    {"asked-raw",
     "ib_write_bw|ib_send_bw|ib_read_bw|iperf|perftest&also only|both nccl|itself|is slow|just as slow|slow too|as "
     "well|is low|low too|also low|also slow|also gives|also gets|also reaches|also shows&slow|low|gb s|gbps|gbit|gb "
     "sec|half&!line rate|full|fine|good|normal|expected|but nccl|nccl only|nccl itself|bond",
     "NCCL cannot be faster than the network: if ib_write_bw or iperf between the same two NICs is slow, too, the "
     "cause is below NCCL.",
     "Check: `ibstat` or `ethtool INTERFACE` shows the link's speed; `sudo lspci -vv` the NIC's LnkSta next to its "
     "LnkCap; `ip link` the MTU (RoCE: 4200 or more); and counters of drops and pauses on NIC and switch.",
     "If LnkSta is below LnkCap, use another PCIe slot. If the link is slower than the NIC, look at cable, "
     "transceiver and firmware. If drops or pauses grow, look at MTU and PFC. Test with `ib_write_bw -q 4 "
     "--report_gbits`, as one connection (and iperf without -P 8) need not fill a fast link."},
    {"asked-below-raw",
     "ib_write_bw|ib_send_bw|ib_read_bw|perftest&line rate|full|fine|good|normal|expected|reach|as it should|ok &nccl "
     "test|nccl itself|all_reduce|allreduce|nccl &low|slow|half|below|less|not perform|did not|only&!alltoall|also "
     "slow|use_cuda|bond|qp|tcp|socket",
     "ib_write_bw measures host memory, and NCCL sends GPU memory. So NCCL alone is slow if GPUDirect RDMA is off "
     "(nvidia-peermem or nv_peer_mem not loaded, no DMA-BUF), or if PCIe ACS slows it.",
     "Check: with NCCL_DEBUG=INFO, whether \"via NET/IB\" ends in GDRDMA on all hosts; `lsmod | grep peer`; and "
     "`ib_write_bw --use_cuda=0` between the same NICs.",
     "If GDRDMA and the module are missing, run `modprobe nvidia-peermem` on every host. If `ib_write_bw "
     "--use_cuda=0` is slow too and lspci shows SrcValid+, turn ACS off. Compare units: nccl-tests prints GB/s, "
     "ib_write_bw Gb/s, and one NIC of 200 Gb/s gives 24 GB/s."},
    {"asked-gdr-geforce",
     "4090|4080|3090|3080|5090|5080|2080|geforce&gpudirect|gpu direct| gdr|rdma&can |will |does "
     "|support|possible|work|enable|?&!for video|gpudirect p2p",
     "GeForce cards have no GPUDirect RDMA: NVIDIA's driver offers it for data centre and professional GPUs only, so a "
     "NIC cannot reach their memory. NCCL still uses RDMA between hosts, and copies through host memory.",
     "Check: with NCCL_DEBUG=INFO, \"via NET/IB/0\" without /GDRDMA means RDMA through host memory.",
     "Nothing needs to be set. Patched drivers with P2P inside a host do not give NICs access; a forced "
     "NCCL_NET_GDR_LEVEL=SYS may fail with \"Bad address\" or a local protection error."},
    {"asked-gdr-module",
     "peermem|peer_mem|peer memory&is loaded|loaded via|loaded lsmod|have loaded|has been loaded|lsmod "
     "shows|modprobe&disabled|no such|still|not registered|not enabled|not used|without&!not loaded",
     "nvidia-peermem does not help unless it registers with the RDMA driver: it must be built after MLNX_OFED or "
     "DOCA and for this kernel. Before 2.22 NCCL only looks for /sys/kernel/mm/memory_peers/nv_mem/version, which a "
     "distribution's own RDMA driver may lack; from 2.23 on also for /sys/module/nvidia_peermem/version.",
     "Check: `ls /sys/kernel/mm/memory_peers /sys/module/nvidia_peermem/version`, in the job's container, too.",
     "If the first is missing, reinstall the GPU driver after OFED, or use 2.23 or newer. DMA-BUF needs no module, "
     "but the open GPU driver and kernel 5.12 or newer; NCCL then prints \"GPU Direct RDMA (DMABUF) enabled\"."},
    {"asked-rails", "nccl_cross_nic&what | or |expect|mean|should;rail&optimized|optimization|topology&nccl",
     "NCCL does not detect the network between hosts: NCCL_CROSS_NIC says what NCCL may do. With 0, rings and trees "
     "enter and leave a host by the same NIC, which usually keeps them on its rail but does not guarantee it. 1 lets "
     "them cross. 2, the default, lets them cross only if a search without crossing does not reach the full bandwidth. "
     "PXN sends through the GPU next to the NIC of the destination's rail, so Alltoall mostly stays on rails.",
     "Check: with NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,GRAPH, NCCL prints crossNic, and the NIC of each connection "
     "as \"via NET/IB/N\". If a cluster file gives each NIC a \"rail\", Orrery names rings that leave their rail.",
     "Communicators whose GPUs do not match on all hosts need connections between rails."},
    {"asked-one-host",
     "topolog|graph search|graph xml& multi|all machines|all nodes|all hosts|entire |whole cluster|between |across "
     "|external switch|inter node&how|can |possible|does nccl|is "
     "it|question&nccl|xml&!slurm|rail|bandwidth|performance|nvswitch|mnnvl|tree",
     "NCCL searches the topology of each host alone and does not know the network between hosts: networks have no "
     "common way to discover it, and a search over all hosts would not end in time. It joins the rings and trees of "
     "the hosts in the order of their ranks. Only the hosts of one NVLink domain (MNNVL) are searched as one.",
     "Check: NCCL_TOPO_DUMP_FILE and NCCL_GRAPH_DUMP_FILE write the host of rank 0 (NCCL_TOPO_DUMP_FILE_RANK and "
     "NCCL_GRAPH_DUMP_FILE_RANK: of another rank).",
     "A topology file cannot describe switches outside of a host. Order the hosts so that neighbours are near: `orrery "
     "order` finds an order."},
    {"asked-gid-index",
     "nccl_ib_gid_index&not support array|for mlx5_|each hca|each nic|per hca|per nic&and |differ|own |array|support",
     "NCCL_IB_GID_INDEX is one number for all NICs of a process, and cannot differ between them. Since 2.21 NCCL finds "
     "the index of each NIC itself: leave NCCL_IB_GID_INDEX unset.",
     "Check: `show_gids` lists an IPv4 address with RoCE v2 for each NIC.",
     "Among several GIDs, NCCL_IB_ADDR_FAMILY, NCCL_IB_ADDR_RANGE (a subnet) and NCCL_IB_ROCE_VERSION_NUM choose."},
    {"asked-gid-six",
     " gid | gids |gid table&ipv6|ula &all |only|fail|error|no ipv4|without ipv4|no row|none &!disable ipv6|ipv4 "
     "and|both ",
     "NCCL looks for a GID with an IPv4 address (RoCE) and, if a port has none, takes index 0. If that is "
     "link-local, connections fail with retries exceeded (status 12). An IPv6 GID must be asked for.",
     "Check: `show_gids` (`ibv_devinfo -v`): the row with v2 whose address does not begin with fe80, on every host.",
     "Set NCCL_IB_GID_INDEX to that row, or with 2.21 or newer NCCL_IB_ADDR_FAMILY=AF_INET6, and NCCL_IB_ADDR_RANGE "
     "for the subnet if there are several. Giving the interfaces IPv4 addresses also works."},
    {"asked-rdma-pod",
     "hostnetwork|host network&rdma|infiniband|roce&need|must|require|without|unusable|unavailable|another way|other "
     "way|instead;rdma|roce&ip address|no ip |networkattach|multus|macvlan&is there|without|need|require|must|aren t "
     "|any way; gids |show_gids| gid &no gid|zero|empty|0000 0000 0000 0000 0000 0000 "
     "0000&roce|rdma|hca|mlx5|pod|container|fail",
     "RDMA in a pod does not need hostNetwork: a device plugin gives the pod /dev/infiniband. InfiniBand then works. "
     "RoCE also needs the NIC's own interface with an address in the pod, because its GIDs are made from those "
     "addresses: with the cluster's network alone (calico, cilium) the device has no GIDs.",
     "Check in the pod: `ibv_devices`, `ip -br addr`, and `show_gids` with an IPv4 address for each NIC.",
     "Request the plugin's resource (k8s-rdma-shared-dev-plugin or SR-IOV) and IPC_LOCK; for RoCE add an interface of "
     "each NIC by Multus (macvlan, ipvlan, host-device). Otherwise hostNetwork: true remains."},
    {"asked-nic",
     "which nic|which nics|which hca|which network card|which ib card|specific nic|certain nic|nic to "
     "use&control|choose|chosen|pin |force|specify|select|assign|bind|decide|determin&!rail|leaf|subnet|interface",
     "NCCL gives each GPU the NIC that is nearest by PCIe, and equally near NICs in turn. NCCL_IB_HCA limits the NICs "
     "of all GPUs; no setting pins a NIC to a GPU, a ring or a channel.",
     "Check: \"via NET/IB/N\" in the channels of NCCL_DEBUG=INFO, with the numbers of the line \"NET/IB : Using\"; "
     "`orrery show topo.xml` names the NIC of each GPU.",
     "For experiments, a topology file (NCCL_TOPO_FILE) with other PCIe paths changes the choice, and NCCL_GRAPH_FILE "
     "forces the channels."},
    {"asked-ib-disable", "nccl_ib_disable&not work|no effect|ignored|does not disable|does not turn|still use",
     "NCCL_IB_DISABLE=1 turns off NCCL's own InfiniBand and RoCE code. The plugin of HPC-X (IBext) has its own, which "
     "NCCL_IBEXT_DISABLE=1 turns off.",
     "Check: \"Using network\" with NCCL_DEBUG=INFO names the network that runs; IBext is the plugin's.",
     "If it names IBext, set both to 1, or NCCL_NET=Socket. If it names IB, the setting does not reach the ranks "
     "(mpirun -x NCCL_IB_DISABLE)."},
    {"asked-networks",
     "ethernet|tcp&infiniband| ib |roce|high speed ib&clusters|different types|mix|at the same "
     "time|simultaneous|automatic selection&!bootstrap",
     "A communicator uses one kind of network, not InfiniBand or RoCE between some hosts and TCP between others.",
     "Check: with NCCL_DEBUG=INFO, \"Using network IB\" or \"Using network Socket\" names the communicator's network.",
     "Make a communicator for each cluster, and one between them whose netName in ncclConfig_t is \"Socket\"; or use "
     "TCP for all with NCCL_NET=Socket."},
    {"asked-mixed",
     "heterogeneous|different types of gpu|different gpu model|mixed gpu&nccl|allreduce|communicator|node| "
     "hang&!pipeline|cpu|clusters|ethernet;a100&v100|h100&can i mix|one job|together|same communicator|heterogeneous",
     "One communicator may have GPUs of different models, with the same NCCL release and kind of network on all hosts. "
     "With A100 and H100 together, 2.18.1 to 2.20.5 could choose different algorithms and hang.",
     "Check: NCCL_DEBUG=INFO on all ranks must show the same release, \"Using network\" and \"coll channels\".",
     "If it hangs, look at the network first: NCCL_SOCKET_IFNAME may list several names, such as eth0,ens3, and "
     "NCCL_IB_DISABLE=1 and NCCL_P2P_DISABLE=1 show which part is at fault."},
    {"asked-mnnvl",
     "mnnvl|multi node nvlink& is a | a node|how |mpirun|support| mean&!schedul|clique|uuid| ids "
     ";nccl&support&nvlink|nvswitch&inter node|between nodes|across nodes;nvlink network|nvlink switch system|l2 "
     "nvswitch|level 2 nvswitch&nccl",
     "Multi-node NVLink (MNNVL) joins hosts, each with its own operating system, into one NVLink domain, such as the "
     "18 trays of a GB200 NVL72. Start the job as usual: each process runs on the host of its GPUs. NCCL (2.20 on) "
     "joins the hosts by its P2P transport, as inside one host.",
     "Check: NCCL_DEBUG=INFO prints \"MNNVL 1\"; `nvidia-smi -q | grep -A4 Fabric` shows the clique.",
     "It needs the IMEX service on all hosts, and /dev/nvidia-caps-imex-channels in containers."},
    {"asked-health-mask",
     "healthmask 0xaa|health mask 0xaa&nccl|fabric|gb200|gb300|mnnvl| mean|crash|error|fail| hang|slow|degraded",
     "healthMask 0xaa means that the fabric reports no fault: it has a pair of bits for each of four faults, and 2 in "
     "a pair means \"no\" (1: \"yes\", 0: not supported). No NVLink is degraded.",
     "Check: `nvidia-smi -q | grep -A12 Fabric` names the four.",
     "Look for the cause elsewhere, for a crash in its backtrace. NCCL_MNNVL_ENABLE=0 rules NVLink between hosts out."},
    {"asked-symmetric-send",
     "symmetric memory|symmetric kernel|symm mem&alltoall|all to all|all2all|send recv|sendrecv|point to "
     "point|ncclsend| send | broadcast|reduce op&?| support| only| does | can | work&!torch symm|wrong",
     "NCCL has symmetric kernels for AllReduce, AllGather and ReduceScatter only. Send and Recv, and an AlltoAll made "
     "of them, run as without symmetric memory; nccl-tests -R 1 and -R 2 then give the same result.",
     "Check: NCCL_DEBUG=INFO NCCL_DEBUG_SUBSYS=INIT,TUNING prints \"[Symmetric]\" for each call that uses such a "
     "kernel.",
     "From 2.28.3 on, ncclAlltoAll() with symmetric windows can run on copy engines inside an NVLink domain "
     "(NCCL_CTA_POLICY=2); `orrery explain --why symmetric` says whether a machine can."},
    {"asked-symmetric",
     "symmetric memory|symmetric kernel|symm "
     "mem|commwindowregister|win_coll_symmetric&nccl|nvlink|pcie|sglang|vllm|network|infiniband|node&?| how | support| "
     "why | enable| work| question| plan|speedup&!turn off|torch symm|non symmetric|openshmem|wrong|accuracy|silently",
     "Symmetric memory is for GPUs that reach each other's memory: all of one NVLink domain. P2P over PCIe is enough "
     "for its kernels up to 2.28.9 only; newer releases use them only if NVLink joins all GPUs of a host. Over the "
     "network it needs GIN, and has kernels for AllGather (2.29.2 on) and ReduceScatter (2.29.7 on).",
     "Check: `orrery explain --why symmetric` with the machine says what allows or forbids it.",
     "Buffers come from ncclMemAlloc() and are registered by ncclCommWindowRegister() with NCCL_WIN_COLL_SYMMETRIC on "
     "all ranks; nccl-tests has -R 2."},
    {"asked-adaptive",
     "nccl_ib_adaptive_routing&?|how|what|which| sl |nccl_ib_sl|clear; adaptive routing &nccl&service level| sl "
     "|nccl_ib_sl|setting",
     "NCCL_IB_ADAPTIVE_ROUTING does not turn adaptive routing on: it makes NCCL send data so that it may arrive out of "
     "order, with its end in a message of its own (1 on InfiniBand, 0 on RoCE by default). The network routes "
     "adaptively on the service levels for which it is enabled, and NCCL_IB_SL (0 by default) chooses one.",
     "Check: ask the administrator of the subnet manager which service levels have adaptive routing.",
     "Set both: the service level by NCCL_IB_SL, and NCCL_IB_ADAPTIVE_ROUTING=1."},
    {"asked-bond",
     " bond|bonding|bonded|mlx5_bond| lacp |unbond&double|half|one port|both ports|two ports|separate port|second "
     "port|other port|perftest|ib_write_bw|qps|twice| lose |slower|recommend|unbond|instead "
     "of&roce|rdma|mlx5|nic|port|connectx&!socket_ifname",
     "A queue pair uses one port of a bond, and NCCL makes one for each connection, which gets the speed of one port.",
     "Check: the counters of both ports, such as `ethtool -S INTERFACE | grep bytes`, during a run.",
     "If one port carries all, set NCCL_IB_QPS_PER_CONNECTION=2 or 4 and NCCL_IB_SPLIT_DATA_ON_QPS=0. The driver "
     "chooses the port of each."},
    {"asked-efa-group", " efa |elastic fabric&security group|outbound|egress|inbound",
     "EFA's traffic has no IP addresses, so a rule for 0.0.0.0/0 does not allow it: the security group needs two rules "
     "for all traffic with itself by its id, as the source inbound and as the destination outbound.",
     "Check: `fi_pingpong -p efa` between two hosts, or NCCL's log: EFA reports an unreachable peer.",
     "If the outbound rule to the group's own id (sg-...) is missing, add it beside 0.0.0.0/0."},
    {"asked-ece",
     " ece |nccl_ib_ece|enhanced connection&double|turning off|good for|slow|stable|unsteady|nccl_ib_ece|what is|low ",
     "ECE lets NICs agree on features such as congestion control and selective repeat. Slow or unsteady transfers with "
     "it are a matter of the NICs' firmware, of the switches, or of a library that passes their offers on wrongly, as "
     "nccl-rdma-sharp-plugins did before April 2025.",
     "Check: run once with NCCL_IB_ECE_ENABLE=0 (2.23.4 on).",
     "If that is faster, keep it, and update firmware and driver of the NICs to the same release on all hosts."},
    {"asked-sharp",
     "collnet| sharp &how |what |enable|use sharp|relation|support|not used|?&nccl|infiniband|switch|plugin| "
     "roce&!nvlink sharp|nvls",
     "SHARP in InfiniBand switches (CollNet) needs the plugin nccl-rdma-sharp-plugins (HPC-X has it), SHARP's "
     "aggregation manager in the network, and NCCL_COLLNET_ENABLE=1. It does not work on RoCE. NVLink SHARP (NVLS) is "
     "something else: it works inside an NVLink domain.",
     "Check: \"COLLNET/SHARP\" in the channels of NCCL_DEBUG=INFO, and `ibdiagnet --sharp` for the network.",
     "The plugin is only for SHARP: without it, NCCL's own InfiniBand code does the same."},
    {"asked-spark", "dgx spark| gb10 &rocep2p1s0f&gb s|gbps|bandwidth&normal|expect|right|good|correct",
     "One cable between two DGX Sparks carries 200 Gb/s (25 GB/s), of which NCCL reached 20 to 24 GB/s over both "
     "devices of a port.",
     "Check: \"NET/IB : Using [0]... [1]...\" with NCCL_DEBUG=INFO names both devices.",
     "Below that, look at MTU 9000 on both interfaces, and at the release of NCCL."},
    {"asked-spark",
     "dgx spark| gb10 |nvidia spark|two sparks|2 sparks&gb s|bandwidth|gbps|200g&two|between|cable|qsfp|2 "
     "nodes|sparks&!memory|10g",
     "A QSFP port of a DGX Spark is two devices on PCIe Gen5 x4 each, so one of them gives at most half of 200 Gb/s. "
     "NCCL_SOCKET_IFNAME chooses only where ranks meet; without RDMA devices NCCL sends over TCP, at a few GB/s.",
     "Check: \"Using network IB\" and \"NET/IB : Using [0]... [1]...\" with NCCL_DEBUG=INFO name both devices.",
     "If only one is named, name both: NCCL_IB_HCA=rocep1s0f0,roceP2p1s0f0 (see `ibdev2netdev`). With both and MTU "
     "9000, one cable reached 20 to 24 GB/s."},
    {NULL, NULL, NULL, NULL, NULL},
};
