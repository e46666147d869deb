/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about NICs, graphs and NVLS: each with a machine that has it and a near miss. */
#include "tests/support/findings.h"
#include "tests/support/golden_text.h"

#define ON(inside) "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" inside "</cpu></system>"
#define CARD(bus, name, dev, speed, gdr)                                                                               \
    "<pci busid=\"" bus "\" class=\"0x020700\" vendor=\"0x15b3\" device=\"0x1021\" " GEN4X16 "><nic><net name=\"" name \
    "\" dev=\"" dev "\" speed=\"" speed "\" port=\"1\" guid=\"0x10" dev "\" maxconn=\"64\" gdr=\"" gdr                 \
    "\"/></nic></pci>"
#define NVS(n)      "<nvlink target=\"0000:05:00.0\" count=\"" n "\" tclass=\"0x068000\"/>"
#define TWO_GPUS    GPU("0000:01:00.0", "0", "80", "") GPU("0000:02:00.0", "1", "80", "")
#define SWITCHED(a) "<pci busid=\"0000:0" a ":00.0\" class=\"0x060400\" " GEN4X16 ">"

TEST(gdr_off)
{
#define PORTS(name, a, b)                                                                                              \
    ON(TWO_GPUS CARD("0000:11:00.0", name "0", "0", "100000", a) CARD("0000:12:00.0", name "1", "1", "100000", b))
    assert_int_equal(places_in_dump(PORTS("mlx5_", "1", "0"), "gdr-off"), 1);
    assert_int_equal(places_in_dump(PORTS("mlx5_", "0", "0"), "gdr-off"), 2);
    assert_dump_lacks(PORTS("mlx5_", "1", "1"), "gdr-off");
    assert_dump_lacks(PORTS("eth", "0", "0"), "gdr-off"); /* sockets have none */
    /* EFA has it beside A100 (p4d), but not beside A10G (g5); GB10 has no memory that a NIC could reach. */
    assert_dump_finds(PORTS("rdmap", "0", "0"), "gdr-off");
    assert_dump_lacks(ON(GPU("0000:01:00.0", "0", "86", "") CARD("0000:11:00.0", "rdmap0", "0", "100000", "0")),
                      "gdr-off");
    assert_dump_finds(ON(GPU("0000:01:00.0", "0", "86", "") CARD("0000:11:00.0", "mlx5_0", "0", "100000", "0")),
                      "gdr-off");
    assert_dump_lacks(ON(GPU("0000:01:00.0", "0", "121", "") CARD("0000:11:00.0", "mlx5_0", "0", "100000", "0")),
                      "gdr-off");
}

TEST(distance_of_nics)
{
    const char *past_cpu = ON(TWO_GPUS CARD("0000:11:00.0", "mlx5_0", "0", "100000", "1"));
    const char *near = ON(SWITCHED("8") TWO_GPUS CARD("0000:11:00.0", "mlx5_0", "0", "100000", "1") "</pci>");
    const char *one_near = ON(SWITCHED("8") GPU("0000:01:00.0", "0", "80", "") CARD(
        "0000:11:00.0", "mlx5_0", "0", "100000", "1") "</pci>" GPU("0000:02:00.0", "1", "80", ""));
    const char *other_socket =
        "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" SWITCHED("8") GPU("0000:01:00.0", "0", "80", "")
            CARD("0000:11:00.0", "mlx5_0", "0", "100000", "1") "</pci></cpu><cpu numaid=\"1\" " X86_INTEL
                                                               ">" GPU("0000:02:00.0", "1", "80", "") "</cpu></system>";
    assert_finds(past_cpu, 2, NULL, "gdr-too-far");
    assert_lacks(near, 2, NULL, "gdr-too-far");
    assert_lacks(one_near, 2, NULL, "gdr-too-far"); /* nic-past-cpu says it */
    static const char *const through_cpu[] = {"NCCL_NET_GDR_LEVEL", "PHB", NULL};
    assert_lacks(past_cpu, 2, through_cpu, "gdr-too-far"); /* the level that it names */
    assert_int_equal(places_in_analysis(one_near, 2, NULL, "nic-past-cpu"), 1);
    assert_lacks(near, 2, NULL, "nic-past-cpu");
    assert_lacks(past_cpu, 2, NULL, "nic-past-cpu"); /* so it is for all */
    assert_int_equal(places_in_analysis(other_socket, 2, NULL, "nic-on-other-socket"), 1);
    assert_lacks(one_near, 2, NULL, "nic-on-other-socket");
}

TEST(farther_than_built)
{
    static const char *const near_only[] = {"NCCL_P2P_LEVEL", "LOC", NULL};
#define BESIDE(gdr) ON(SWITCHED("8") TWO_GPUS CARD("0000:11:00.0", "mlx5_0", "0", "100000", gdr) "</pci>")
    static const char *const no_gdr[] = {"NCCL_NET_GDR_LEVEL", "LOC", NULL};
    assert_lacks(BESIDE("0"), 2, NULL, "farther-than-built"); /* gdr-off says it */
    assert_lacks(BESIDE("1"), 2, NULL, "farther-than-built");
    assert_finds(BESIDE("1"), 2, no_gdr, "farther-than-built"); /* the NIC is at PIX, and is reached over PHB */
    assert_lacks(ON(TWO_GPUS CARD("0000:11:00.0", "mlx5_0", "0", "100000", "1")), 2, no_gdr, "farther-than-built");
    assert_finds(BESIDE("1"), 1, near_only, "farther-than-built"); /* P2P is off below one switch */
    assert_lacks(BESIDE("1"), 1, NULL, "farther-than-built");
}

TEST(speeds)
{
#define RATES(a, b)                                                                                                    \
    ON(SWITCHED("8") GPU("0000:01:00.0", "0", "80", NVS("12"))                                                         \
           CARD("0000:11:00.0", "mlx5_0", "0", a, "1") "</pci>" SWITCHED("9")                                          \
               GPU("0000:02:00.0", "1", "80", NVS("12")) CARD("0000:12:00.0", "mlx5_1", "1", b, "1") "</pci>")
    assert_int_equal(places_in_dump(RATES("100000", "200000"), "port-slow"), 1);
    assert_int_equal(places_in_dump(RATES("0", "200000"), "port-slow"), 1);
    assert_dump_lacks(RATES("200000", "200000"), "port-slow");
    /* Two cards, each with a port for another network; and one card, whose second port is slower. */
#define BOTH(bus, a, b, x, y) CARD(bus "0", "mlx5_" a, a, x, "1") CARD(bus "1", "mlx5_" b, b, y, "1")
    assert_dump_lacks(ON(TWO_GPUS BOTH("0000:11:00.", "0", "1", "200000", "100000")
                             BOTH("0000:12:00.", "2", "3", "200000", "100000")),
                      "port-slow");
    assert_dump_finds(ON(TWO_GPUS BOTH("0000:11:00.", "0", "1", "200000", "100000")
                             BOTH("0000:12:00.", "2", "3", "200000", "200000")),
                      "port-slow");
    assert_dump_finds(ON(TWO_GPUS BOTH("0000:11:00.", "0", "1", "200000", "100000")), "port-slow");
    assert_finds(RATES("100000", "200000"), 2, NULL, "mixed-speeds");
    assert_lacks(RATES("200000", "200000"), 2, NULL, "mixed-speeds");
    assert_lacks(RATES("100000", "200000"), 1, NULL, "mixed-speeds"); /* no NIC is used */
}

TEST(who_uses_nics)
{
    const char *one = ON(SWITCHED("8") TWO_GPUS CARD("0000:11:00.0", "mlx5_0", "0", "100000", "1") "</pci>");
    const char *storage = ON(SWITCHED("8") TWO_GPUS CARD("0000:11:00.0", "mlx5_0", "0", "100000", "1")
                                 CARD("0000:12:00.0", "mlx5_1", "1", "10000", "1") "</pci>");
    assert_finds(one, 2, NULL, "fewer-nics");
    assert_lacks(storage, 2, NULL, "fewer-nics");
    assert_int_equal(places_in_analysis(storage, 2, NULL, "unused-nic"), 1);
    assert_lacks(one, 2, NULL, "unused-nic");
}

TEST(kinds_of_networks)
{
    assert_dump_finds(ON(TWO_GPUS CARD("0000:11:00.0", "docker0", "0", "10000", "0")), "virtual-interface");
    assert_dump_lacks(ON(TWO_GPUS CARD("0000:11:00.0", "eth0", "0", "10000", "0")), "virtual-interface");
#define FOUR_LINKED(net)                                                                                               \
    ON(GPU("0000:01:00.0", "0", "80", NVS("12")) GPU("0000:02:00.0", "1", "80", NVS("12"))                             \
           GPU("0000:03:00.0", "2", "80", NVS("12")) GPU("0000:04:00.0", "3", "80", NVS("12")) net)
    assert_dump_finds(FOUR_LINKED(CARD("0000:11:00.0", "eth0", "0", "10000", "0")), "sockets-only");
    assert_dump_lacks(FOUR_LINKED(CARD("0000:11:00.0", "mlx5_0", "0", "10000", "0")), "sockets-only");
    assert_dump_lacks(FOUR_LINKED(""), "sockets-only");
    /* A virtual function and another maker's Ethernet card: a cloud without RDMA. */
#define ETHERNET(vendor, device, gdr)                                                                                  \
    "<pci busid=\"0000:11:00.0\" class=\"0x020000\" vendor=\"" vendor "\" device=\"" device "\" " GEN4X16              \
    "><nic><net name=\"eth0\" dev=\"0\" speed=\"100000\" port=\"0\" guid=\"0x0\" maxconn=\"64\" "                      \
    "gdr=\"" gdr "\"/></nic></pci>"
    assert_dump_finds(FOUR_LINKED(ETHERNET("0x15b3", "0x101d", "0")), "sockets-only");
    assert_dump_lacks(FOUR_LINKED(ETHERNET("0x15b3", "0x101d", "1")), "sockets-only"); /* a plugin's */
    assert_dump_lacks(FOUR_LINKED(ETHERNET("0x15b3", "0x101e", "0")), "sockets-only");
    assert_dump_lacks(FOUR_LINKED(ETHERNET("0x1ae0", "0x0042", "0")), "sockets-only");
}

TEST(levels)
{
    static const char *const number[] = {"NCCL_P2P_LEVEL", "3", NULL}, *const name[] = {"NCCL_P2P_LEVEL", "PXB", NULL};
    assert_finds(ON(TWO_GPUS), 1, number, "level-as-number");
    assert_lacks(ON(TWO_GPUS), 1, name, "level-as-number");
}

#define H100(bus, rank) GPU(bus, rank, "90", NVS("18"))
#define FOUR_H100                                                                                                      \
    H100("0000:01:00.0", "0")                                                                                          \
    H100("0000:02:00.0", "1") H100("0000:03:00.0", "2") H100("0000:04:00.0", "3")

TEST(nvls)
{
    static const char *const off[] = {"NCCL_NVLS_ENABLE", "0", NULL};
    assert_finds(ON(FOUR_H100), 1, off, "nvls-off");
    assert_lacks(ON(FOUR_H100), 1, NULL, "nvls-off");
    assert_finds(ON(FOUR_H100), 1, NULL, "nvls-assumed");
    assert_lacks(ON(FOUR_H100), 1, off, "nvls-assumed");
    assert_lacks(ON(TWO_GPUS), 1, NULL, "nvls-off"); /* nobody expects it before capability 9.0 */
}

TEST(search_results)
{
    /* The path to the only NIC passes a bridge far slower than the NIC. */
#define THROUGH(speed)                                                                                                 \
    ON(GPU("0000:01:00.0", "0", "80", NVS("12"))                                                                       \
           GPU("0000:02:00.0", "1", "80",                                                                              \
               NVS("12")) "<pci busid=\"0000:00:01.0\" class=\"0x060400\" link_speed=\"" speed                         \
                          "\" link_width=\"4\">" CARD("0000:11:00.0", "mlx5_0", "0", "200000", "1") "</pci>")
    assert_finds(THROUGH("5.0 GT/s PCIe"), 2, NULL, "one-channel");
    assert_lacks(THROUGH("5.0 GT/s PCIe"), 1, NULL, "one-channel");
    /* By PXN the second GPU uses the NIC of the first. */
    static const char *const no_pxn[] = {"NCCL_PXN_DISABLE", "1", NULL};
    const char *shared = ON(SWITCHED("8") GPU("0000:01:00.0", "0", "80", NVS("12"))
                                CARD("0000:11:00.0", "mlx5_0", "0", "100000", "1") "</pci>" SWITCHED("9")
                                    GPU("0000:02:00.0", "1", "80", NVS("12")) "</pci>");
    assert_finds(shared, 2, NULL, "uses-pxn");
    assert_lacks(shared, 2, no_pxn, "uses-pxn");
    /* Past the CPU and back, two GPUs take a path of 0.19 GB/s twice. */
    static const char *const no_p2p[] = {"NCCL_P2P_DISABLE", "1", NULL};
    const char *narrow =
        ON("<pci busid=\"0000:00:01.0\" class=\"0x060400\" link_speed=\"2.5 GT/s PCIe\" link_width=\"1\">" TWO_GPUS
           "</pci>");
    assert_int_equal(places_in_analysis(narrow, 1, no_p2p, "simple-order"), 2); /* the ends of the slowest path */
    assert_lacks(narrow, 1, NULL, "simple-order");
}

/* Each GPU has a switch with a NIC, as in NVIDIA/nccl#1946: by PXN, rings stay off the CPU, and trees may not cross it
 * either. */
TEST(rings_without_a_tree)
{
    static const char *const no_pxn[] = {"NCCL_PXN_DISABLE", "1", NULL};
#define OF_SWITCH(bus, gpu, rank, nic, dev, sm)                                                                        \
    SWITCHED(bus) GPU(gpu, rank, sm, NVS("8")) CARD(nic, "mlx5_" dev, dev, "200000", "1") "</pci>"
#define PAIR(sm)                                                                                                       \
    ON(OF_SWITCH("8", "0000:01:00.0", "0", "0000:11:00.0", "0", sm)                                                    \
           OF_SWITCH("9", "0000:02:00.0", "1", "0000:12:00.0", "1", sm))
    assert_finds(PAIR("80"), 2, NULL, "no-tree");
    assert_lacks(PAIR("80"), 2, no_pxn, "no-tree");
    assert_lacks(PAIR("80"), 1, NULL, "no-tree");
    assert_lacks(PAIR("90"), 2, NULL, "no-tree"); /* for which the search also tries simple trees */
}

/* GPU 0 reaches 1 by NVLink and 1 reaches 2 below a switch, but 0 and 2 have nothing without shared memory. */
TEST(no_way_between_two)
{
    static const char *const no_shm[] = {"NCCL_SHM_DISABLE", "1", NULL};
    const char *chain = "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" GPU(
        "0000:01:00.0", "0", "80",
        "<nvlink target=\"0000:02:00.0\" count=\"4\" tclass=\"0x030200\"/>") "</cpu><cpu numaid=\"1\" " X86_INTEL
                                                                             ">" SWITCHED("8") GPU(
                                                                                 "0000:02:00.0", "1", "80",
                                                                                 "<nvlink target=\"0000:01:00.0\" "
                                                                                 "count=\"4\" tclass=\"0x030200\"/>")
                                                                                 GPU("0000:03:00.0", "2", "80",
                                                                                     "") "</pci></cpu></system>";
    assert_finds(chain, 1, no_shm, "neither-p2p-nor-shm");
    assert_lacks(chain, 1, NULL, "neither-p2p-nor-shm");
}

static int places_in_release(const char *path, const char *release, uint32_t hosts, const char *const *settings,
                             const char *id)
{
    char *text = golden_read(path);
    FIXTURE f = analyse_in(release, text, hosts, settings);
    int places = places_of(f.dump, f.analysis, id);
    free(text);
    return places;
}

static int places_in_file(const char *path, uint32_t hosts, const char *const *settings, const char *id)
{
    return places_in_release(path, "2.27.7", hosts, settings, id);
}

TEST(examples)
{
    static const char *const off[] = {"NCCL_LL128_C2C", "0", NULL}, *const straight[] = {"NCCL_CROSS_NIC", "0", NULL};
    const char *grace = "static/examples/grace-blackwell-tray.xml", *rails = "static/examples/h100-nvswitch.xml";
    assert_true(places_in_file(grace, 2, NULL, "ll128-over-c2c") >= 0);
    assert_int_equal(places_in_file(grace, 2, off, "ll128-over-c2c"), -1);
    /* Two hosts take turns, so that each channel stays on its rail; a third has no partner. */
    assert_int_equal(places_in_file(rails, 2, NULL, "crosses-rails"), -1);
    assert_true(places_in_file(rails, 3, NULL, "crosses-rails") >= 0);
    assert_int_equal(places_in_file(rails, 3, straight, "crosses-rails"), -1);
    const char *cube = "static/examples/v100-cube-mesh.xml";
    const char *faults = "static/examples/h100-with-faults.xml", *good = "static/examples/h100-nvswitch.xml";
    assert_true(places_in_release(faults, "2.12.12", 2, NULL, "steps-spent") >= 0);
    assert_int_equal(places_in_file(cube, 2, NULL, "steps-spent"), -1); /* no more fits into the links */
    assert_int_equal(places_in_file(cube, 1, NULL, "steps-spent"), -1); /* all was tried */
    /* What the example of faults was made with, and nothing of it in the same machine without. */
    static const char *const ids[] = {"slow-link", "gdr-off", "slow-slot"};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        assert_true(places_in_file(faults, 2, NULL, ids[i]) >= 0);
        assert_int_equal(places_in_file(good, 2, NULL, ids[i]), -1);
    }
}
