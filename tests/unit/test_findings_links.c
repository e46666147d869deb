/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about PCIe, NVLink and P2P: each with a machine that has it and a near miss. */
#include "tests/support/findings.h"

#define ON(cpu, inside) "<system version=\"1\"><cpu numaid=\"0\" " cpu ">" inside "</cpu></system>"
#define CARD(bus, class, speed, width, inside)                                                                         \
    "<pci busid=\"" bus "\" class=\"" class "\" vendor=\"0x10de\" device=\"0x2330\" link_speed=\"" speed               \
                                            "\" link_width=\"" width "\">" inside "</pci>"
#define GPU_AT(bus, rank, speed, width)                                                                                \
    CARD(bus, "0x030200", speed, width, "<gpu dev=\"" rank "\" sm=\"80\" rank=\"" rank "\" gdr=\"1\"/>")
#define PORT(name, dev, speed)                                                                                         \
    "<net name=\"" name "\" dev=\"" dev "\" speed=\"" speed "\" port=\"1\" guid=\"0x10" dev                            \
    "\" maxconn=\"64\" gdr=\"1\"/>"
#define NIC_AT(bus, dev, rate, speed, width)                                                                           \
    CARD(bus, "0x020700", speed, width, "<nic>" PORT("mlx5_" dev, dev, rate) "</nic>")
#define G4 "16.0 GT/s PCIe"
#define G3 "8.0 GT/s PCIe"

#define PAIR(speed, width)                                                                                             \
    ON(X86_INTEL, GPU_AT("0000:01:00.0", "0", G4, "16") GPU_AT("0000:02:00.0", "1", speed, width))

#define PAIR3 ON(X86_INTEL, GPU_AT("0000:01:00.0", "0", G3, "16") GPU_AT("0000:02:00.0", "1", G3, "16"))

TEST(slow_links)
{
    assert_int_equal(places_in_dump(PAIR(G4, "8"), "slow-link"), 1);
    assert_int_equal(places_in_dump(PAIR(G3, "16"), "slow-link"), 1);
    assert_dump_lacks(PAIR(G4, "16"), "slow-link");
    /* A slower GPU of another model is not an equal. */
    assert_dump_lacks(ON(X86_INTEL, GPU_AT("0000:01:00.0", "0", G4, "16") GPU("0000:02:00.0", "1", "70", "")),
                      "slow-link");
    /* Virtual machines hide the width. A speed is compared with those of links whose width is hidden too. */
#define TWO(speed, width, other_speed, other_width)                                                                    \
    ON(X86_INTEL, GPU_AT("0000:01:00.0", "0", speed, width) GPU_AT("0000:02:00.0", "1", other_speed, other_width))
    assert_int_equal(places_in_dump(TWO(G3, "0", G4, "0"), "slow-link"), 1);
    assert_dump_lacks(TWO(G4, "0", G4, "0"), "slow-link");
    assert_dump_lacks(TWO(G3, "0", G4, "16"), "slow-link");
    assert_dump_lacks(TWO("", "0", G4, "0"), "slow-link");
}

TEST(idle_gpus)
{
    /* The PCIe link of a GB10 says nothing: its GPU is part of the CPU. */
    assert_dump_lacks(ON(X86_INTEL, CARD("0000:01:00.0", "0x030200", "2.5 GT/s PCIe", "16",
                                         "<gpu dev=\"0\" sm=\"121\" rank=\"0\" gdr=\"1\"/>")),
                      "idle-gpus");
#define IDLE(first)                                                                                                    \
    ON(X86_INTEL, GPU_AT("0000:01:00.0", "0", first, "16") GPU_AT("0000:02:00.0", "1", "2.5 GT/s PCIe", "16"))
    assert_int_equal(places_in_dump(IDLE("2.5 GT/s PCIe"), "idle-gpus"), 2);
    assert_dump_lacks(IDLE(G4), "idle-gpus");
}

TEST(throttles)
{
#define BELOW(speed, width, linked_0, linked_1)                                                                        \
    ON(X86_INTEL, CARD("0000:00:01.0", "0x060400", speed, width, GPU("0000:01:00.0", "0", "80", linked_0))             \
                      GPU("0000:02:00.0", "1", "80", linked_1))
#define LINK_TO(bus) "<nvlink target=\"" bus "\" count=\"4\" tclass=\"0x030200\"/>"
    assert_int_equal(places_in_analysis(BELOW("2.5 GT/s PCIe", "1", "", ""), 1, NULL, "throttling-bridge"), 1);
    assert_lacks(BELOW("2.5 GT/s PCIe", "4", "", ""), 1, NULL, "throttling-bridge"); /* 1 GB/s */
    /* No path of NCCL leads over the bridge. */
    assert_lacks(BELOW("2.5 GT/s PCIe", "1", LINK_TO("0000:02:00.0"), LINK_TO("0000:01:00.0")), 1, NULL,
                 "throttling-bridge");
}

TEST(missing_and_unknown_speeds)
{
    assert_int_equal(places_in_dump(PAIR("", "16"), "link-missing"), 1);
    assert_int_equal(places_in_dump(PAIR(G4, "0"), "link-missing"), 1);
    assert_dump_lacks(PAIR(G3, "8"), "link-missing");
    /* A virtual machine hides the links of all: nothing is wrong with one of them. */
    const char *hidden = ON(X86_INTEL, GPU_AT("0000:01:00.0", "0", "", "0") GPU_AT("0000:02:00.0", "1", "", "0"));
    assert_dump_lacks(hidden, "link-missing");
    assert_int_equal(places_in_dump(hidden, "links-hidden"), 2);
    assert_dump_lacks(PAIR("", "16"), "links-hidden");
    assert_int_equal(places_in_analysis(PAIR("gen5", "16"), 1, NULL, "link-unknown"), 1);
    assert_lacks(PAIR("32.0 GT/s PCIe", "16"), 1, NULL, "link-unknown");
    assert_lacks(PAIR("", "16"), 1, NULL, "link-unknown");
    /* NCCL 2.7.8 does not read what newer kernels write, and takes it for generation 3. */
    struct fixture old = analyse_in("2.7.8", PAIR(G4, "16"), 1, NULL), same = analyse_in("2.7.8", PAIR3, 1, NULL);
    assert_int_equal(places_of(old.dump, old.analysis, "link-unknown"), 2);
    assert_int_equal(places_of(same.dump, same.analysis, "link-unknown"), -1);
    release_fixture(&old);
    release_fixture(&same);
}

TEST(nics_and_slots)
{
    /* 25 GB/s in 15.8, or in 31.5. */
    assert_dump_finds(ON(X86_INTEL, NIC_AT("0000:03:00.0", "0", "200000", G3, "16")), "slow-slot");
    assert_dump_lacks(ON(X86_INTEL, NIC_AT("0000:03:00.0", "0", "200000", G4, "16")), "slow-slot");
    /* Two such below one bridge; with a GPU beside them data does not need the way up. */
#define NVLINK_ON "<nvlink target=\"0000:05:00.0\" count=\"4\" tclass=\"0x068000\"/>"
#define BRIDGE(width, gpu)                                                                                             \
    ON(X86_INTEL,                                                                                                      \
       CARD("0000:00:01.0", "0x060400", "16.0 GT/s PCIe", width,                                                       \
            gpu NIC_AT("0000:03:00.0", "0", "200000", G4, "16") NIC_AT("0000:04:00.0", "1", "100000", G4, "16")))
    assert_dump_finds(BRIDGE("16", ""), "shared-uplink");
    assert_dump_lacks(BRIDGE("32", ""), "shared-uplink");
    assert_dump_lacks(BRIDGE("16", GPU("0000:01:00.0", "0", "80", "")), "shared-uplink");
    /* Two ports of 200 Gb/s and more than one GPU takes: 4 ports of 400 beside it. */
#define FOUR_PORTS(rate)                                                                                               \
    NIC_AT("0000:03:00.0", "0", rate, G4, "16")                                                                        \
    NIC_AT("0000:04:00.0", "1", rate, G4, "16")                                                                        \
    NIC_AT("0000:05:00.0", "2", rate, G4, "16") NIC_AT("0000:06:00.0", "3", rate, G4, "16")
#define UNDER_ONE(inside)                                                                                              \
    ON(X86_INTEL, CARD("0000:00:01.0", "0x060400", G4, "16", GPU("0000:01:00.0", "0", "80", "") inside))
    assert_dump_finds(UNDER_ONE(FOUR_PORTS("200000")), "shared-uplink"); /* 100 - 31.5 of 31.5 GB/s */
    assert_dump_lacks(UNDER_ONE(FOUR_PORTS("100000")), "shared-uplink"); /* 50 - 31.5 */
    /* Two ports of one card, and two functions of one. */
#define TWO_PORTS(rate)                                                                                                \
    CARD("0000:03:00.0", "0x020700", G4, "16", "<nic>" PORT("mlx5_0", "0", rate) PORT("mlx5_1", "1", rate) "</nic>")
    assert_dump_finds(ON(X86_INTEL, TWO_PORTS("200000")), "slot-shared"); /* each alone gets its speed */
    assert_dump_lacks(ON(X86_INTEL, TWO_PORTS("200000")), "slow-slot");
    assert_dump_finds(ON(X86_INTEL, TWO_PORTS("400000")), "slow-slot");
    assert_dump_lacks(ON(X86_INTEL, TWO_PORTS("400000")), "slot-shared");
    assert_dump_lacks(ON(X86_INTEL, TWO_PORTS("100000")), "slot-shared");
    /* The host bridge that a virtual machine shows above a NIC is not its slot. */
    assert_dump_lacks(
        ON(X86_INTEL, CARD("0000:03:00.0", "0x060000", G4, "16", "<nic>" PORT("mlx5_0", "0", "400000") "</nic>")),
        "slow-slot");
    /* NCCL writes 10 Gb/s for an interface whose speed is not known. */
#define ETHERNET(speed)                                                                                                \
    ON(X86_INTEL, CARD("0000:03:00.0", "0x020000", "2.5 GT/s PCIe", "1", "<nic>" PORT("eth0", "0", speed) "</nic>"))
    assert_dump_lacks(ETHERNET("10000"), "slow-slot");
    assert_dump_finds(ETHERNET("25000"), "slow-slot");
    /* Nobody chose the lanes beside a GPU that is part of the CPU. */
    assert_dump_lacks(
        ON(X86_INTEL, GPU("0000:01:00.0", "0", "121", "") NIC_AT("0000:03:00.0", "0", "200000", G3, "16")),
        "slow-slot");
    assert_int_equal(places_in_dump(ON(X86_INTEL, NIC_AT("0000:03:00.0", "0", "200000", G4, "16")
                                                      NIC_AT("0000:03:00.1", "1", "200000", G4, "16")),
                                    "slot-shared"),
                     1);
    assert_dump_lacks(
        ON(X86_INTEL, NIC_AT("0000:03:00.0", "0", "200000", G4, "16") NIC_AT("0000:04:00.0", "1", "200000", G4, "16")),
        "slot-shared"); /* two cards */
}

TEST(crowded_uplinks)
{
#define PLAIN(bus, rank) GPU(bus, rank, "80", "")
#define BLOCKS(up, first)                                                                                              \
    ON(X86_INTEL, CARD("0000:00:01.0", "0x060400", G4, up, first PLAIN("0000:02:00.0", "1"))                           \
                      CARD("0000:00:02.0", "0x060400", G4, up, PLAIN("0000:03:00.0", "2") PLAIN("0000:04:00.0", "3")))
    assert_int_equal(places_in_dump(BLOCKS("16", PLAIN("0000:01:00.0", "0")), "crowded-uplink"), 2);
    assert_dump_lacks(BLOCKS("32", PLAIN("0000:01:00.0", "0")), "crowded-uplink");
    assert_int_equal(places_in_dump(BLOCKS("16", GPU("0000:01:00.0", "0", "80", NVLINK_ON)), "crowded-uplink"), 1);
    assert_dump_lacks(ON(X86_INTEL, CARD("0000:00:01.0", "0x060400", G4, "16",
                                         PLAIN("0000:01:00.0", "0") PLAIN("0000:02:00.0", "1"))),
                      "crowded-uplink"); /* nowhere else to go */
}

#define SWITCHED(n) "<nvlink target=\"0000:05:00.0\" count=\"" n "\" tclass=\"0x068000\"/>"
#define FOUR(a, b, c, d)                                                                                               \
    ON(X86_INTEL, GPU("0000:01:00.0", "0", "80", a) GPU("0000:02:00.0", "1", "80", b)                                  \
                      GPU("0000:03:00.0", "2", "80", c) GPU("0000:04:00.0", "3", "80", d))
#define TO(bus, n) "<nvlink target=\"" bus "\" count=\"" n "\" tclass=\"0x030200\"/>"

TEST(odd_nvlinks)
{
    const char *good = FOUR(SWITCHED("12"), SWITCHED("12"), SWITCHED("12"), SWITCHED("12"));
    assert_int_equal(
        places_in_dump(FOUR(SWITCHED("12"), SWITCHED("12"), SWITCHED("10"), SWITCHED("12")), "nvlink-count"), 1);
    assert_dump_lacks(good, "nvlink-count");
    assert_int_equal(places_in_dump(FOUR(SWITCHED("12"), SWITCHED("6") SWITCHED("6"), SWITCHED("12"), SWITCHED("12")),
                                    "nvlink-targets"),
                     1);
    assert_dump_lacks(good, "nvlink-targets");
    /* As many switches, but another one. */
#define TO_SWITCHES(a, b)                                                                                              \
    "<nvlink target=\"0000:" a ":00.0\" count=\"6\" tclass=\"0x068000\"/><nvlink target=\"0000:" b                     \
    ":00.0\" count=\"6\" tclass=\"0x068000\"/>"
    assert_int_equal(places_in_dump(FOUR(TO_SWITCHES("05", "06"), TO_SWITCHES("05", "06"), TO_SWITCHES("05", "07"),
                                         TO_SWITCHES("06", "05")),
                                    "nvlink-targets"),
                     1);
    assert_dump_lacks(
        FOUR(TO_SWITCHES("05", "06"), TO_SWITCHES("06", "05"), TO_SWITCHES("05", "06"), TO_SWITCHES("06", "05")),
        "nvlink-targets");
    /* A file that calls GPUs switches: none reaches itself, and nothing is wrong with that. */
#define ALL_BUT(a, b, c) TO_SWITCHES(a, b) "<nvlink target=\"0000:" c ":00.0\" count=\"6\" tclass=\"0x068000\"/>"
    assert_dump_lacks(FOUR(ALL_BUT("02", "03", "04"), ALL_BUT("01", "03", "04"), ALL_BUT("01", "02", "04"),
                           ALL_BUT("01", "02", "03")),
                      "nvlink-targets");
    /* A GPU without NVLinks is one finding, not two. */
    const char *none = FOUR(SWITCHED("12"), SWITCHED("12"), SWITCHED("12"), SWITCHED("0"));
    assert_dump_finds(none, "nvlink-count");
    assert_dump_lacks(none, "nvlink-targets");
    assert_int_equal(places_in_dump(none, "nvlink-zero"), 1);
    assert_dump_lacks(good, "nvlink-zero");
    assert_dump_lacks(good, "nvlink-model");
    assert_dump_finds(FOUR(SWITCHED("8"), SWITCHED("8"), SWITCHED("8"), SWITCHED("8")), "nvlink-model");
    assert_dump_lacks(good, "nvlink-target-hidden");
    assert_dump_finds(FOUR("<nvlink target=\"fffffff:ffff:ff\" count=\"12\" tclass=\"0x068000\"/>", "", "", ""),
                      "nvlink-target-hidden");
}

TEST(both_directions)
{
    assert_dump_finds(FOUR(TO("0000:02:00.0", "4"), "", "", ""), "nvlink-one-sided");
    assert_dump_finds(FOUR(TO("0000:02:00.0", "4"), TO("0000:01:00.0", "3"), "", ""), "nvlink-one-sided");
    assert_dump_lacks(FOUR(TO("0000:02:00.0", "4"), TO("0000:01:00.0", "4"), "", ""), "nvlink-one-sided");
    assert_dump_lacks(FOUR(TO("0000:0f:00.0", "4"), "", "", ""), "nvlink-one-sided"); /* a GPU that is not here */
}

TEST(islands)
{
    const char *pairs =
        FOUR(TO("0000:02:00.0", "4"), TO("0000:01:00.0", "4"), TO("0000:04:00.0", "4"), TO("0000:03:00.0", "4"));
    assert_finds(pairs, 1, NULL, "nvlink-groups"); /* so bridges are built */
    assert_lacks(pairs, 1, NULL, "nvlink-islands");
    const char *one_bridge = FOUR(TO("0000:02:00.0", "4"), TO("0000:01:00.0", "4"), "", "");
    assert_int_equal(places_in_analysis(one_bridge, 1, NULL, "nvlink-islands"), 2);
    assert_lacks(one_bridge, 1, NULL, "nvlink-groups");
    assert_lacks(FOUR(TO("0000:02:00.0", "4") TO("0000:03:00.0", "4"), TO("0000:01:00.0", "4") TO("0000:04:00.0", "4"),
                      TO("0000:04:00.0", "4") TO("0000:01:00.0", "4"), TO("0000:03:00.0", "4") TO("0000:02:00.0", "4")),
                 1, NULL, "nvlink-islands");
    assert_lacks(FOUR("", "", "", ""), 1, NULL, "nvlink-islands");
}

TEST(flat_and_virtual)
{
#define EIGHT(before, after, more)                                                                                     \
    ON(X86_INTEL,                                                                                                      \
       before GPU("0000:01:00.0", "0", "80", SWITCHED("12")) after GPU("0000:02:00.0", "1", "80", SWITCHED("12"))      \
           GPU("0000:03:00.0", "2", "80", SWITCHED("12")) GPU("0000:04:00.0", "3", "80", SWITCHED("12"))               \
               GPU("0000:06:00.0", "4", "80", SWITCHED("12")) GPU("0000:07:00.0", "5", "80", SWITCHED("12"))           \
                   GPU("0000:08:00.0", "6", "80", SWITCHED("12")) GPU("0000:09:00.0", "7", "80", SWITCHED("12"))       \
                       NIC("0000:0a:00.0", "0", "100000") more)
    assert_dump_finds(EIGHT("", "", NIC("0000:0b:00.0", "1", "100000")), "flat-tree");
    assert_dump_lacks(EIGHT(SWITCH("0000:00:01.0"), "</pci>", NIC("0000:0b:00.0", "1", "100000")), "flat-tree");
    assert_dump_lacks(EIGHT("", "", ""), "flat-tree"); /* nothing to choose between */
#define BRIDGE_OF(device)                                                                                              \
    ON(X86_INTEL, "<pci busid=\"0000:00:01.0\" class=\"0x060400\" vendor=\"0x1000\" device=\"" device "\" " GEN4X16    \
                  ">" GPU("0000:01:00.0", "0", "80", "") "</pci>")
    assert_dump_finds(BRIDGE_OF("0xc030"), "virtual-switch");
    assert_dump_lacks(BRIDGE_OF("0x0030"), "virtual-switch");
}

#define TWO_SOCKETS                                                                                                    \
    "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" GPU("0000:01:00.0", "0", "80", "")                        \
        GPU("0000:02:00.0", "1", "80", "") "</cpu><cpu numaid=\"1\" " X86_INTEL                                        \
                                           ">" GPU("0000:03:00.0", "2", "80", "") "</cpu></system>"

TEST(ways_between_gpus)
{
    static const char *const level[] = {"NCCL_P2P_LEVEL", "SYS", NULL}, *const off[] = {"NCCL_P2P_DISABLE", "1", NULL},
                             *const on[] = {"NCCL_P2P_DISABLE", "0", NULL},
                             *const neither[] = {"NCCL_P2P_DISABLE", "1", "NCCL_SHM_DISABLE", "1", NULL};
    assert_finds(TWO_SOCKETS, 1, NULL, "p2p-too-far");
    assert_lacks(TWO_SOCKETS, 1, level, "p2p-too-far");
    assert_finds(TWO_SOCKETS, 1, off, "setting-hinders");
    assert_lacks(TWO_SOCKETS, 1, on, "setting-hinders");
    assert_finds(TWO_SOCKETS, 1, neither, "host-is-split");
    assert_lacks(TWO_SOCKETS, 1, off, "host-is-split");
    assert_finds(ON(X86_AMD, GPU("0000:01:00.0", "0", "80", "") GPU("0000:02:00.0", "1", "80", "")), 1, NULL,
                 "amd-pair");
    assert_lacks(ON(X86_INTEL, GPU("0000:01:00.0", "0", "80", "") GPU("0000:02:00.0", "1", "80", "")), 1, NULL,
                 "amd-pair");
}
