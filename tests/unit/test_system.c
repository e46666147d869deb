/* SPDX-License-Identifier: Apache-2.0 */
/* From elements to the graph: ids, kinds of nodes, link order and bandwidths (worked checks of the rules). */
#include "tests/support/built.h"

#define TWO_GPUS                                                                                                       \
    "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" GPU("0000:07:00.0", "0", "80", "")                        \
        GPU("0000:08:00.0", "1", "80", "") "</cpu></system>"

TEST(gpus_hang_on_their_cpu)
{
    struct built b = build(TWO_GPUS);
    assert_links(&b, "CPU/0-0", "GPU/0-7000 PCI 24, GPU/0-8000 PCI 24");
    assert_links(&b, "GPU/0-7000", "CPU/0-0 PCI 24");
    assert_int_equal(orr_system_find(&b.system, "rank:1"), orr_system_find(&b.system, "0000:08:00.0"));
    assert_int_equal(orr_system_find(&b.system, "rank:7"), ORR_NO_NODE);
    release_built(&b);
}
TEST(link_speed_texts_count_as_prefixes)
{
    static const struct {
        const char *speed, *width;
        float bw;
    } cases[] = {
        {"2.5 GT/s", "16", 3},         {"5 GT/s", "16", 6},       {"5.0 GT/s", "16", 12},
        {"5.0 GT/s PCIe", "16", 6},    {"16 GT/s", "16", 24},     {"16.0 GT/s", "16", 12},
        {"16.0 GT/s PCIe", "16", 24},  {"32 GT/s", "16", 48},     {"64 GT/s", "16", 12},
        {"64.0 GT/s PCIe", "16", 96},  {"Unknown", "16", 12},     {"", "16", 12},
        {"8.0 GT/s PCIe", "0", 12},    {"8.0 GT/s PCIe", "", 12}, {"8.0 GT/s PCIe", "010", 6},
        {"8.0 GT/s PCIe", "0x10", 12},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1024];
        snprintf(text, sizeof text,
                 "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\"><pci busid=\"7:0\" class=\"0x03\" "
                 "link_speed=\"%s\" "
                 "link_width=\"%s\"><gpu dev=\"0\" sm=\"80\" rank=\"0\" gdr=\"1\"/></pci></cpu></system>",
                 cases[i].speed, cases[i].width);
        struct built b = build(text);
        assert_float_equal(b.system.links[0].bw, cases[i].bw, 0);
        release_built(&b);
    }
}
TEST(cpus_are_joined_by_the_first_ones_interconnect)
{
    static const struct {
        const char *model;
        float bw;
    } cases[] = {{"79", 6}, {"85", 10}, {"143", 22}, {"207", 40}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[2048];
        snprintf(
            text, sizeof text,
            "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" "
            "modelid=\"%s\">" GPU("0000:07:00.0", "0", "80", "") "</cpu><cpu numaid=\"-1\" arch=\"ppc64le\"/></system>",
            cases[i].model);
        struct built b = build(text);
        char expected[128];
        snprintf(expected, sizeof expected,
                 cases[i].bw > 24 ? "CPU/0-ffffffffffffff SYS %g, GPU/0-7000 PCI 24"
                                  : "GPU/0-7000 PCI 24, CPU/0-ffffffffffffff SYS %g",
                 (double)cases[i].bw);
        assert_links(&b, "CPU/0-0", expected);
        assert_links(&b, "CPU/0-ffffffffffffff", "CPU/0-0 SYS 32");
        release_built(&b);
    }
}
TEST(functions_of_a_nic_are_nics_of_their_own)
{
    struct built b =
        build("<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">" GPU("0000:07:00.0", "0", "80", "")
                  NIC("0000:08:00.0", "0", "100000")
                      NIC("0000:08:00.1", "1",
                          "-1") "<nic><net name=\"a\" dev=\"2\"/></nic></cpu><cpu numaid=\"1\" arch=\"arm64\"><nic>"
                                "<net name=\"b\" dev=\"3\" guid=\"12\"/><net name=\"hidden\"/></nic></cpu></system>");
    assert_links(&b, "NIC/0-8000", "NET/0-0 NET 12.5, CPU/0-0 PCI 24");
    assert_links(&b, "NIC/0-8001", "NET/0-1 NET 1.25, CPU/0-0 PCI 24");
    assert_links(&b, "NIC/0-0", "NET/0-2 NET 1.25, NET/0-3 NET 1.25, CPU/0-0 PCI 5000");
    assert_int_equal(orr_system_count(&b.system, ORR_NET), 4);
    assert_int_equal(b.system.nodes[orr_system_find(&b.system, "NET/0-2")].net.asic, 2);
    assert_int_equal(b.system.nodes[orr_system_find(&b.system, "NET/0-3")].net.asic, 0);
    assert_int_equal(b.system.nodes[orr_system_find(&b.system, "NET/0-3")].net.max_channels, 64);
    release_built(&b);
}
TEST(c2c_goes_to_the_cpu_and_the_link_up_stands_last)
{
    const char *inside =
        "<nvlink target=\"0000:01:00.0\" count=\"18\" tclass=\"0x068000\"/><c2c bw=\"44712\" count=\"10\"/>";
    char text[2048];
    snprintf(
        text, sizeof text,
        "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\"><pci busid=\"0000:07:00.0\" class=\"0x030200\" " GEN3X16
        "><gpu dev=\"0\" sm=\"90\" rank=\"0\" gdr=\"1\">%s</gpu></pci></cpu><cpu numaid=\"1\" "
        "arch=\"arm64\"/></system>",
        inside);
    struct built b = build(text);
    assert_links(&b, "GPU/0-7000", "NVS/0-0 NVL 370.800018, CPU/0-0 PCI 12, CPU/0-0 C2C 447.119995");
    assert_links(&b, "CPU/0-0", "GPU/0-7000 C2C 447.119995, GPU/0-7000 PCI 12, CPU/0-1 SYS 6");
    release_built(&b);
}
#define BROADCOM(bus, device, subsystem, inside)                                                                       \
    "<pci busid=\"" bus "\" class=\"0x060400\" vendor=\"0x1000\" device=\"" device                                     \
    "\" subsystem_vendor=\"0x1000\" subsystem_device=\"" subsystem "\" " GEN3X16 ">" inside "</pci>"

TEST(two_levels_of_a_broadcom_switch_become_one)
{
    struct built b = build("<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" BROADCOM(
        "0000:01:00.0", "0xc030", "0x0",
        BROADCOM("0000:03:00.0", "0xc030", "0x1001",
                 GPU("0000:04:00.0", "0", "80", "") NIC("0000:05:00.0", "0", "100000"))
            GPU("0000:0a:00.0", "2", "80", "")
                BROADCOM("0000:06:00.0", "0xc030", "0x1002", GPU("0000:07:00.0", "1", "80", ""))) "</cpu></system>");
    assert_int_equal(orr_system_count(&b.system, ORR_PCI), 1);
    assert_links(&b, "PCI/0-1000",
                 "GPU/0-a000 PCI 24, GPU/0-4000 PCI 24, NIC/0-5000 PCI 24, GPU/0-7000 PCI 24, CPU/0-0 PCI 12");
    release_built(&b);
}
/* A lower switch above an upper one shifts the indices that NCCL goes on with, and PCI links come to lead in circles.
 */
TEST(switches_in_a_circle_are_refused)
{
    static const char text[] = "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" BROADCOM(
        "0000:01:00.0", "0xc030", "0x1001",
        BROADCOM("0000:02:00.0", "0xc030", "0x1001", "") BROADCOM("0000:03:00.0", "0xc030", "0x1001", "")
            BROADCOM("0000:04:00.0", "0xc030", "0x1001", "") BROADCOM("0000:05:00.0", "0xc030", "0x1001", "")
                BROADCOM("0000:06:00.0", "0xc030", "0x0", GPU("0000:07:00.0", "0", "80", "")))
        BROADCOM("0000:08:00.0", "0xc030", "0x2001", "") BROADCOM("0000:09:00.0", "0xc030", "0x2001", "")
            BROADCOM("0000:0a:00.0", "0xc030", "0x2001", "") "</cpu></system>";
    struct built b;
    struct orr_error err = {0};
    assert_error(try_build(text, &b, &err), ORR_INVALID, &err, "circle");
    release_built(&b);
}
TEST(ranks_are_renumbered_and_gpus_without_one_take_no_part)
{
    struct built b =
        build("<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">" GPU("0000:07:00.0", "9", "80", "")
                  GPU("0000:08:00.0", "4", "80",
                      "") "<pci busid=\"0000:09:00.0\" class=\"0x03\"><gpu dev=\"2\" sm=\"80\"><nvlink count=\"1\" "
                          "tclass=\"0x068000\"/></gpu></pci></cpu></system>");
    assert_int_equal(orr_system_count(&b.system, ORR_GPU), 2);
    assert_int_equal(orr_system_count(&b.system, ORR_NVS), 0);
    assert_int_equal(b.system.nodes[orr_system_find(&b.system, "GPU/0-7000")].gpu.rank, 1);
    assert_int_equal(b.system.nodes[orr_system_find(&b.system, "GPU/0-8000")].gpu.rank, 0);
    release_built(&b);
}
TEST(hosts_of_a_fused_dump_are_systems_of_their_own)
{
    const char *nvl = "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>";
    char text[4096];
    snprintf(text, sizeof text,
             "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\" host_hash=\"0xaa\"><pci busid=\"0000:07:00.0\" "
             "class=\"0x03\" " GEN4X16
             "><gpu dev=\"0\" sm=\"100\" rank=\"0\" gdr=\"1\">%s</gpu></pci></cpu><cpu numaid=\"0\" arch=\"arm64\" "
             "host_hash=\"0xbb\"><pci busid=\"0000:07:00.0\" class=\"0x03\" " GEN4X16
             "><gpu dev=\"0\" sm=\"100\" rank=\"1\" "
             "gdr=\"1\">%s</gpu></pci></cpu></system>",
             nvl, nvl);
    struct built b = build(text);
    assert_int_equal(b.system.host_count, 2);
    assert_links(&b, "CPU/1-0", "GPU/1-7000 PCI 24");
    assert_links(&b, "NVS/0-0", "GPU/0-7000 NVL 721.799988, GPU/1-7000 NVL 721.799988");
    release_built(&b);
}
