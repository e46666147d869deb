/* SPDX-License-Identifier: Apache-2.0 */
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

/* Two GPUs of a capability with NVLinks between them. */
#define LINKED(sm, many) HOST(CPU("0", X86_INTEL, GPU(A, "0", sm, NVLINK(B, many)) GPU(B, "1", sm, NVLINK(A, many))))
#define PAIR(sm)         LINKED(sm, "1")
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
    NIC("0000:" tens "4:00.0", tens "4", "100000")                                                                     \
    NIC("0000:" tens "5:00.0", tens "5", "100000")                                                                     \
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

/* A GPU on C2C below two switches. */
#define GRACE_BELOW_TWO                                                                                                \
    HOST(CPU("0", ARM, SWITCH("0000:10:00.0") SWITCH("0000:20:00.0") GPU(A, "0", "90", C2C) "</pci></pci>"))
/* A GPU on C2C reaches a NIC by its CPU, or by NVLink through a GPU beside the NIC. */
#define GRACE_RELAY                                                                                                    \
    HOST(CPU("0", ARM,                                                                                                 \
             GPU(A, "0", "90", C2C NVLINK(B, "4")) SWITCH("0000:10:00.0") GPU(B, "1", "90", NVLINK(A, "4"))            \
                 NIC(N, "0", "200000") "</pci>"))
/* More GPUs on NVSwitches than a search of NVLS once had channels for. */
#define NUMBERED_GPU(sm, number) GPU("0000:" number ":00.0", "0x" number, sm, NVSWITCH)
#define EIGHT_GPUS(sm, tens)                                                                                           \
    NUMBERED_GPU(sm, tens "0")                                                                                         \
    NUMBERED_GPU(sm, tens "1")                                                                                         \
    NUMBERED_GPU(sm, tens "2")                                                                                         \
    NUMBERED_GPU(sm, tens "3")                                                                                         \
    NUMBERED_GPU(sm, tens "4") NUMBERED_GPU(sm, tens "5") NUMBERED_GPU(sm, tens "6") NUMBERED_GPU(sm, tens "7")
#define MANY_GPUS(sm)                                                                                                  \
    HOST(CPU("0", X86_SAPPHIRE, EIGHT_GPUS(sm, "1") EIGHT_GPUS(sm, "2"))                                               \
             CPU("1", X86_SAPPHIRE, EIGHT_GPUS(sm, "3") EIGHT_GPUS(sm, "4") NUMBERED_GPU(sm, "50")))
/* Ports by the hundred, all of one card or of several. */
#define TEN_PORTS(tens)                                                                                                \
    BARE_PORT(tens "0")                                                                                                \
    BARE_PORT(tens "1")                                                                                                \
    BARE_PORT(tens "2")                                                                                                \
    BARE_PORT(tens "3")                                                                                                \
    BARE_PORT(tens "4")                                                                                                \
    BARE_PORT(tens "5") BARE_PORT(tens "6") BARE_PORT(tens "7") BARE_PORT(tens "8") BARE_PORT(tens "9")
#define BARE_PORT(dev) "<net name=\"p" dev "\" dev=\"" dev "\" speed=\"10000\" gdr=\"0\"/>"
#define HUNDRED_PORTS(hundreds)                                                                                        \
    TEN_PORTS(hundreds "0")                                                                                            \
    TEN_PORTS(hundreds "1")                                                                                            \
    TEN_PORTS(hundreds "2")                                                                                            \
    TEN_PORTS(hundreds "3")                                                                                            \
    TEN_PORTS(hundreds "4")                                                                                            \
    TEN_PORTS(hundreds "5")                                                                                            \
    TEN_PORTS(hundreds "6") TEN_PORTS(hundreds "7") TEN_PORTS(hundreds "8") TEN_PORTS(hundreds "9")
#define PORTS_AT(bus, inside) "<pci busid=\"" bus "\" class=\"0x020000\" " GEN4X16 "><nic>" inside "</nic></pci>"
#define WITH_PORTS(inside)    HOST(CPU("0", X86_INTEL, GPU(A, "0", "80", "") inside))
/* Two ports of one card by two functions, as NCCL's own plugin fuses them. */
#define FUNCTION(bus, dev)                                                                                             \
    "<pci busid=\"" bus "\" class=\"0x020000\" " GEN4X16 "><nic><net name=\"mlx5_" dev "\" dev=\"" dev                 \
    "\" speed=\"100000\" port=\"1\" guid=\"0x100\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>"
#define ONE_CARD                                                                                                       \
    HOST(CPU("0", X86_INTEL, GPU(A, "0", "80", "") FUNCTION("0000:1e:00.0", "0") FUNCTION("0000:1e:00.1", "1")))
/* GPUs on NVSwitches, each with a switch and a NIC of 400 Gb/s of its own. */
#define SEAT(tens, dev, sm, more)                                                                                      \
    SWITCH_AT("0000:" tens "0:00.0", "32.0 GT/s PCIe")                                                                 \
    GPU_AT("0000:" tens "1:00.0", dev, sm, "32.0 GT/s PCIe", NVSWITCH)                                                 \
    NIC_AT("0000:" tens "2:00.0", dev, "400000", "32.0 GT/s PCIe", more) "</pci>"
#define SWITCH_AT(bus, gts) "<pci busid=\"" bus "\" class=\"0x060400\" link_speed=\"" gts "\" link_width=\"16\">"
#define FIVE_SEATS(sm, more)                                                                                           \
    SEAT("1", "0", sm, more)                                                                                           \
    SEAT("2", "1", sm, more) SEAT("3", "2", sm, more) SEAT("4", "3", sm, more) SEAT("5", "4", sm, more)
#define FOUR_SEATS(sm, more)                                                                                           \
    SEAT("6", "5", sm, more) SEAT("7", "6", sm, more) SEAT("8", "7", sm, more) SEAT("9", "8", sm, more)
#define FIVE_FAST HOST(CPU("0", X86_SAPPHIRE, FIVE_SEATS("100", "")))
#define NINE_FAST HOST(CPU("0", X86_SAPPHIRE, FIVE_SEATS("90", " coll=\"1\"") FOUR_SEATS("90", " coll=\"1\"")))
/* Hosts of one NVLink domain: two GPUs, each with two NICs of its own. */
#define TRAY                                                                                                           \
    HOST(CPU("0", X86_SAPPHIRE,                                                                                        \
             SWITCH("0000:10:00.0") GPU(A, "0", "100", NVSWITCH) NIC("0000:1e:00.0", "0", "200000")                    \
                 NIC("0000:1f:00.0", "1", "200000") "</pci>" SWITCH("0000:20:00.0")                                    \
                     GPU("0000:21:00.0", "1", "100", NVSWITCH) NIC("0000:2e:00.0", "2", "200000")                      \
                         NIC("0000:2f:00.0", "3", "200000") "</pci>"))
/* A host of an NVLink domain that has two NICs for its GPU. */
#define GPU_AND_TWO                                                                                                    \
    HOST(CPU("0", X86_SAPPHIRE,                                                                                        \
             SWITCH("0000:10:00.0") GPU(A, "0", "80", NVSWITCH) NIC(N, "0", "100000") NIC(M, "1", "100000") "</pci>"))
/* A pair with the file of a ring that names the GPUs by rank only rightly. */
#define GRAPH_BY_RANK                                                                                                  \
    ONE_SOCKET                                                                                                         \
    "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" speedintra=\"5\" "             \
    "speedinter=\"5\" latencyinter=\"0\" typeintra=\"PHB\" typeinter=\"PIX\" samechannels=\"1\"><channel>"             \
    "<gpu dev=\"0\" rank=\"1\"/><gpu dev=\"1\" rank=\"0\"/></channel></graph></graphs>"

static const struct small_machine {
    const char *name, *text;
} small[] = {
    {"a lone GPU", LONE("16.0 GT/s PCIe")},
    {"a lone GPU, speed of few words", LONE("32 GT/s")},
    {"a pair of 70", PAIR("70")},
    {"a pair of 80", PAIR("80")},
    {"a pair of 90", PAIR("90")},
    {"a pair of 100", PAIR("100")},
    {"sockets of Zhaoxin", SOCKETS(X86_ZHAOXIN)},
    {"sockets of Yongfeng", SOCKETS(X86_YONGFENG)},
    {"sockets of AMD", SOCKETS(X86_AMD)},
    {"sockets of Sapphire Rapids", SOCKETS(X86_SAPPHIRE)},
    {"sockets of ARM", SOCKETS(ARM)},
    {"sockets of POWER", SOCKETS(POWER)},
    {"one socket", ONE_SOCKET},
    {"a line", LINE},
    {"a line and a switch", LINE_AND_SWITCH},
    {"a far NIC", FAR_NIC},
    {"fast NICs", FAST_NICS},
    {"three GPUs at AMD", AMD_THREE},
    {"two functions", TWO_FUNCTIONS},
    {"fast Blackwell", FAST_BLACKWELL},
    {"a pair with CollNet", COLLNET_PAIR},
    {"Grace", GRACE("")},
    {"Grace with GIN", GRACE(" gin=\"1\"")},
    {"Grace with RMA", GRACE(" rma=\"1\"")},
    {"two Graces", GRACES},
    {"Grace with two NICs", GRACE_TWO_NICS},
    {"switched", SWITCHED},
    {"four GPUs and four NICs", FOUR_AND_FOUR},
    {"two parts", TWO_PARTS},
    {"partitions of a GPU", PARTITIONED},
    {"rails", TWO_NICS("90", NVSWITCH, " rail=\"1\"", " rail=\"0\"")},
    {"planes", TWO_NICS("90", "", " rail=\"0\" plane=\"0\"", " rail=\"0\" plane=\"1\"")},
    {"two NICs of 80", TWO_NICS("80", "", "", "")},
    {"two NICs of 100", TWO_NICS("100", NVSWITCH, "", "")},
    {"CollNet of 80", COLLNET_FOUR("80")},
    {"CollNet of 90", COLLNET_FOUR("90")},
    {"CollNet of 100", COLLNET_FOUR("100")},
    {"forty NICs", FORTY_NICS},
    {"two ports", TWO_PORTS(PORT("0", "0x1", "131072"), PORT("1", "0x2", "131072"))},
    {"ports of one bare guid", TWO_PORTS(PORT("0", "5e1f", "131072"), PORT("1", "5e1f", "131072"))},
    {"ports with one connection", TWO_PORTS(PORT("0", "0x1", "1"), PORT("1", "0x2", "1"))},
    {"a GPU in a bridge", BRIDGE_GPU},
    {"joined switches", JOINED_SWITCHES},
    {"fused hosts", FUSED},
    {"four Graces", FOUR_GRACES},
    {"CollNet of nine, 80", COLLNET_NINE("80")},
    {"CollNet of nine, 90", COLLNET_NINE("90")},
    {"a GPU of another class", OTHER_CLASS},
    {"Grace behind a switch", GRACE_BEHIND_SWITCH},
    {"Grace below two switches", GRACE_BELOW_TWO},
    {"Grace and a relay", GRACE_RELAY},
    {"33 GPUs of 90", MANY_GPUS("90")},
    {"33 GPUs of 100", MANY_GPUS("100")},
    {"200 ports of a card", WITH_PORTS(PORTS_AT(N, HUNDRED_PORTS("1") HUNDRED_PORTS("2")))},
    {"300 ports", WITH_PORTS(PORTS_AT(N, HUNDRED_PORTS("1") HUNDRED_PORTS("2")) PORTS_AT(M, HUNDRED_PORTS("3")))},
    {"600 ports", WITH_PORTS(PORTS_AT(N, HUNDRED_PORTS("1") HUNDRED_PORTS("2") HUNDRED_PORTS("3"))
                                 PORTS_AT(M, HUNDRED_PORTS("4") HUNDRED_PORTS("5") HUNDRED_PORTS("6")))},
    {"one card", ONE_CARD},
    {"a tray", TRAY},
    {"a GPU and two NICs", GPU_AND_TWO},
    {"five fast NICs", FIVE_FAST},
    {"nine fast NICs with CollNet", NINE_FAST},
    {"two NVLinks of 70", LINKED("70", "2")},
    {"two NVLinks of 90", LINKED("90", "2")},
    {"three NVLinks of 86", LINKED("86", "3")},
    {"a graph by rank", GRAPH_BY_RANK},
};
enum { SMALL = sizeof small / sizeof small[0] };

/* The text of a small machine, NULL if none has the name. */
static inline const char *small_machine(const char *name)
{
    for (int i = 0; i < SMALL; i++)
        if (!strcmp(small[i].name, name))
            return small[i].text;
    return NULL;
}

#endif
