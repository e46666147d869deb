/* Small machines on which neighbouring releases differ, as text: each has no more devices than the difference needs. */
#ifndef ORR_TEST_BOUNDARY_MACHINES_H
#define ORR_TEST_BOUNDARY_MACHINES_H

#include "tests/support/dump_text.h"

#define HOST(inside)         "<system version=\"1\">" inside "</system>"
#define CPU(numa, kind, in)  "<cpu numaid=\"" numa "\" " kind ">" in "</cpu>"
#define X86_ZHAOXIN          "arch=\"x86_64\" vendor=\"CentaurHauls\" familyid=\"7\" modelid=\"59\" affinity=\"ffff\""
#define X86_SAPPHIRE         "arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\" affinity=\"ffff\""
#define ARM                  "arch=\"arm64\" affinity=\"ffff\""
#define NVLINK(target, many) "<nvlink target=\"" target "\" count=\"" many "\" tclass=\"0x030200\"/>"
#define NVSWITCH             "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>"
#define C2C                  "<c2c bw=\"448000\" count=\"1\"/>"
/* A device whose slot has another speed than GEN4X16. */
#define GPU_AT(bus, rank, sm, gts, inside)                                                                             \
    "<pci busid=\"" bus "\" class=\"0x030200\" link_speed=\"" gts "\" link_width=\"16\"><gpu dev=\"" rank              \
    "\" sm=\"" sm "\" rank=\"" rank "\" gdr=\"1\">" inside "</gpu></pci>"
#define NIC_AT(bus, dev, speed, gts, more)                                                                             \
    "<pci busid=\"" bus "\" class=\"0x020000\" link_speed=\"" gts "\" link_width=\"16\"><nic><net name=\"mlx5_" dev    \
    "\" dev=\"" dev "\" speed=\"" speed "\" port=\"1\" guid=\"0x100" dev "\" maxconn=\"131072\" gdr=\"1\"" more        \
    "/></nic></pci>"

#define A "0000:11:00.0"
#define B "0000:12:00.0"
#define C "0000:13:00.0"
#define N "0000:1e:00.0"
#define M "0000:1f:00.0"

/* Two GPUs of a capability, one NVLink between them. */
#define PAIR(sm) HOST(CPU("0", X86_INTEL, GPU(A, "0", sm, NVLINK(B, "1")) GPU(B, "1", sm, NVLINK(A, "1"))))
/* A GPU on each of two sockets. */
#define SOCKETS(kind) HOST(CPU("0", kind, GPU(A, "0", "80", "")) CPU("1", kind, GPU(B, "1", "80", "")))
#define ONE_SOCKET    HOST(CPU("0", X86_INTEL, GPU(A, "0", "80", "") GPU(B, "1", "80", "")))
/* The first of three GPUs reaches the last by NVLink through the second. */
#define LINE                                                                                                           \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             GPU(A, "0", "70", NVLINK(B, "2")) GPU(B, "1", "70", NVLINK(A, "2") NVLINK(C, "2"))                        \
                 GPU(C, "2", "70", NVLINK(B, "2"))))
/* The same, with a PCIe switch between the first and the last that is faster than their NVLinks. */
#define LINE_AND_SWITCH                                                                                                \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU(A, "0", "70", NVLINK(B, "1"))                                                  \
                 GPU(C, "2", "70", NVLINK(B, "1")) "</pci>" GPU(B, "1", "70", NVLINK(A, "1") NVLINK(C, "1"))))
#define LONE(gts) HOST(CPU("0", X86_INTEL, GPU_AT(A, "0", "80", gts, "")))
/* Two GPUs with NVLink on two sockets; the NIC is beside the first. */
#define FAR_NIC                                                                                                        \
    HOST(CPU("0", X86_INTEL, SWITCH("0000:10:00.0") GPU(A, "0", "80", NVLINK(B, "4")) NIC(N, "0", "200000") "</pci>")  \
             CPU("1", X86_INTEL, GPU(B, "1", "80", NVLINK(A, "4"))))
/* A GPU and a NIC on each of two sockets. */
#define FAST_NICS                                                                                                      \
    HOST(CPU("0", X86_INTEL, SWITCH("0000:10:00.0") GPU(A, "0", "80", "") NIC(N, "0", "200000") "</pci>")              \
             CPU("1", X86_INTEL, SWITCH("0000:20:00.0") GPU(B, "1", "80", "") NIC(M, "1", "200000") "</pci>"))
#define AMD_THREE HOST(CPU("0", X86_AMD, GPU(A, "0", "80", "") GPU(B, "1", "80", "") GPU(C, "2", "80", "")))
#define TWO_FUNCTIONS                                                                                                  \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             GPU(A, "0", "80", "") NIC("0000:1e:00.0", "0", "100000") NIC("0000:1e:00.1", "1", "100000")))
#define FAST_BLACKWELL                                                                                                 \
    HOST(CPU("0", X86_SAPPHIRE,                                                                                        \
             SWITCH("0000:10:00.0") GPU_AT(A, "0", "100", "64.0 GT/s PCIe", NVLINK(B, "18"))                           \
                 GPU_AT(B, "1", "100", "64.0 GT/s PCIe", NVLINK(A, "18"))                                              \
                     NIC_AT(N, "0", "800000", "64.0 GT/s PCIe", "") "</pci>"))
/* Two GPUs, and a NIC with a CollNet plugin. */
#define COLLNET_PAIR                                                                                                   \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU(A, "0", "80", NVLINK(B, "4")) GPU(B, "1", "80", NVLINK(A, "4"))                \
                 NIC_AT(N, "0", "200000", "16.0 GT/s PCIe", " coll=\"1\"") "</pci>"))
/* A GPU on C2C with a NIC at its CPU. */
#define GRACE(more) HOST(CPU("0", ARM, GPU(A, "0", "90", C2C) NIC_AT(N, "0", "400000", "32.0 GT/s PCIe", more)))
/* Two GPUs on C2C, joined by NVLink; the NIC is at the CPU of the first. */
#define GRACES                                                                                                         \
    HOST(CPU("0", ARM, GPU(A, "0", "90", C2C NVLINK(B, "4")) NIC_AT(N, "0", "400000", "32.0 GT/s PCIe", ""))           \
             CPU("1", ARM, GPU(B, "1", "90", C2C NVLINK(A, "4"))))
/* A GPU on C2C with a NIC at its switch and another at its CPU. */
#define GRACE_TWO_NICS                                                                                                 \
    HOST(CPU("0", ARM,                                                                                                 \
             SWITCH("0000:10:00.0") GPU(A, "0", "90", C2C) NIC(N, "0", "200000") "</pci>" NIC(M, "1", "200000")))
#define SWITCHED                                                                                                       \
    HOST(CPU("0", X86_SAPPHIRE,                                                                                        \
             SWITCH("0000:10:00.0") GPU(A, "0", "90", NVSWITCH) NIC(N, "0", "200000") "</pci>" SWITCH("0000:20:00.0")  \
                 GPU(B, "1", "90", NVSWITCH) GPU(C, "2", "90", NVSWITCH) NIC(M, "1", "200000") "</pci>"))

/* Four GPUs on NVSwitches share four NICs. */
#define FOUR_AND_FOUR                                                                                                  \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "80", NVSWITCH) GPU("0000:12:00.0", "1", "80", NVSWITCH)  \
                 GPU("0000:13:00.0", "2", "80", NVSWITCH) GPU("0000:14:00.0", "3", "80", NVSWITCH)                     \
                     NIC("0000:31:00.0", "0", "200000") NIC("0000:32:00.0", "1", "200000")                             \
                         NIC("0000:33:00.0", "2", "200000") NIC("0000:34:00.0", "3", "200000") "</pci>"))
/* Without shared memory two parts: two GPUs with NVLink and two NICs, and two without NVLink that share one NIC. */
#define TWO_PARTS                                                                                                      \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU(A, "0", "80", NVLINK(B, "4")) GPU(B, "1", "80", NVLINK(A, "4"))                \
                 NIC(N, "0", "200000") NIC(M, "1", "200000") "</pci>")                                                 \
             CPU("1", X86_INTEL,                                                                                       \
                 SWITCH("0000:20:00.0") GPU("0000:21:00.0", "2", "80", "") GPU("0000:22:00.0", "3", "80", "")          \
                     NIC("0000:2e:00.0", "2", "200000") "</pci>"))

/* What a single release or two of them look at: copies of the machines above with one attribute changed. */
#define X86_YONGFENG "arch=\"x86_64\" vendor=\"  Shanghai  \" familyid=\"7\" modelid=\"91\" affinity=\"ffff\""
#define POWER        "arch=\"ppc64\" affinity=\"ffff\""
#define PARTITION(number)                                                                                              \
    "<gpu dev=\"0\" sm=\"100\" rank=\"" number "\" gdr=\"1\" mlopart=\"" number "\">" NVSWITCH C2C "</gpu>"
#define PARTITIONED                                                                                                    \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             "<pci busid=\"" A "\" class=\"0x030200\" " GEN4X16 ">" PARTITION("0")                                     \
                 PARTITION("1") "</pci>" GPU(B, "2", "100", NVSWITCH) NIC(N, "0", "200000")))
/* A GPU and a NIC whose port has more attributes, on each of two switches. */
#define TWO_NICS(sm, inside, first, second)                                                                            \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU(A, "0", sm, inside)                                                            \
                 NIC_AT(N, "0", "200000", "16.0 GT/s PCIe", first) "</pci>" SWITCH("0000:20:00.0")                     \
                     GPU(B, "1", sm, inside) NIC_AT(M, "1", "200000", "16.0 GT/s PCIe", second) "</pci>"))
/* Four GPUs on NVSwitches and two NICs with CollNet. */
#define COLLNET_FOUR(sm)                                                                                               \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", sm, NVSWITCH) GPU("0000:12:00.0", "1", sm, NVSWITCH)      \
                 NIC_AT(N, "0", "200000", "16.0 GT/s PCIe", " coll=\"1\"") "</pci>" SWITCH("0000:20:00.0")             \
                     GPU("0000:13:00.0", "2", sm, NVSWITCH) GPU("0000:14:00.0", "3", sm, NVSWITCH)                     \
                         NIC_AT(M, "1", "200000", "16.0 GT/s PCIe", " coll=\"1\"") "</pci>"))
#define EIGHT_NICS(tens)                                                                                               \
    NIC("0000:" tens "0:00.0", tens "0", "100000")                                                                     \
    NIC("0000:" tens "1:00.0", tens "1", "100000")                                                                     \
    NIC("0000:" tens "2:00.0", tens "2", "100000")                                                                     \
    NIC("0000:" tens "3:00.0", tens "3", "100000")                                                                     \
    NIC("0000:" tens "4:00.0", tens "4", "100000") NIC("0000:" tens "5:00.0", tens "5", "100000")                      \
        NIC("0000:" tens "6:00.0", tens "6", "100000") NIC("0000:" tens "7:00.0", tens "7", "100000")
#define FORTY_NICS                                                                                                     \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU(A, "0", "80", "") EIGHT_NICS("3") EIGHT_NICS("4") EIGHT_NICS("5")              \
                 EIGHT_NICS("6") EIGHT_NICS("7") "</pci>"))

/* A port with a guid and a number of connections of its own. */
#define PORT(dev, guid, most)                                                                                          \
    "<nic><net name=\"mlx5_" dev "\" dev=\"" dev "\" speed=\"200000\" port=\"1\" guid=\"" guid "\" maxconn=\"" most    \
    "\" gdr=\"1\"/></nic>"
#define CARD(bus, inside) "<pci busid=\"" bus "\" class=\"0x020000\" " GEN4X16 ">" inside "</pci>"
/* Two ports behind one switch with two GPUs. */
#define TWO_PORTS(first, second)                                                                                       \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU(A, "0", "80", NVLINK(B, "4")) GPU(B, "1", "80", NVLINK(A, "4")) CARD(N, first) \
                 CARD(M, second) "</pci>"))
#define BRIDGE_GPU HOST(CPU("0", X86_INTEL, SWITCH(A) "<gpu dev=\"0\" sm=\"90\" rank=\"0\" gdr=\"1\"/></pci>"))
/* A GPU and a NIC on each of two switches that are joined beside their CPU. */
#define JOINED_SWITCHES                                                                                                \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU(A, "0", "90", "")                                                              \
                 NIC(N, "0", "200000") "<pcilink target=\"0000:20:00.0\"/></pci>" SWITCH("0000:20:00.0")               \
                     GPU(B, "1", "90", "") NIC(M, "1", "200000") "<pcilink target=\"0000:10:00.0\"/></pci>"))
/* Two hosts in one NVLink domain, each with two GPUs and a NIC directly in the CPU. */
#define FUSED_HOST(hash, first, second, dev)                                                                           \
    "<cpu host_hash=\"" hash "\" numaid=\"0\" " X86_INTEL ">" GPU(A, first, "100", NVSWITCH)                           \
        GPU(B, second, "100", NVSWITCH) PORT(dev, "0x9" hash, "131072") "</cpu>"
#define FUSED HOST(FUSED_HOST("0x1", "0", "1", "0") FUSED_HOST("0x2", "2", "3", "1"))
/* Two CPUs, each with two GPUs on C2C and NVSwitches and a NIC behind a switch. */
#define GRACE_SOCKET(numa, bus, a, b, first, second, nic, dev)                                                         \
    CPU(numa, ARM,                                                                                                     \
        GPU(a, first, "100", NVSWITCH C2C) GPU(b, second, "100", NVSWITCH C2C) SWITCH(bus)                             \
            NIC_AT(nic, dev, "400000", "32.0 GT/s PCIe", "") "</pci>")
#define FOUR_GRACES                                                                                                    \
    HOST(GRACE_SOCKET("0", "0000:10:00.0", A, B, "0", "1", N, "0")                                                     \
             GRACE_SOCKET("1", "0000:20:00.0", "0000:21:00.0", "0000:22:00.0", "2", "3", "0000:2e:00.0", "1"))
/* More GPUs than CollNet takes on a host. */
#define COLLNET_NINE(sm)                                                                                               \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", sm, NVSWITCH) GPU("0000:12:00.0", "1", sm, NVSWITCH)      \
                 GPU("0000:13:00.0", "2", sm, NVSWITCH) GPU("0000:14:00.0", "3", sm, NVSWITCH)                         \
                     GPU("0000:15:00.0", "4", sm, NVSWITCH) GPU("0000:16:00.0", "5", sm, NVSWITCH)                     \
                         GPU("0000:17:00.0", "6", sm, NVSWITCH) GPU("0000:18:00.0", "7", sm, NVSWITCH)                 \
                             GPU("0000:19:00.0", "8", sm, NVSWITCH)                                                    \
                                 NIC_AT(N, "0", "200000", "16.0 GT/s PCIe", " coll=\"1\"") "</pci>"))
/* A GPU whose PCI class is neither a display's nor a bridge's. */
#define OTHER_CLASS                                                                                                    \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             GPU(B, "1", "70", "") "<pci busid=\"" A "\" class=\"0x120000\" " GEN4X16                                  \
                                   "><gpu dev=\"0\" sm=\"70\" rank=\"0\" gdr=\"1\"/></pci>"))
/* A GPU on C2C behind a switch. */
#define GRACE_BEHIND_SWITCH                                                                                            \
    HOST(CPU("0", ARM, SWITCH("0000:10:00.0") NIC(N, "0", "200000") GPU(A, "0", "90", C2C) "</pci>"))

#endif
