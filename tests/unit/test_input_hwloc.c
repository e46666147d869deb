/* SPDX-License-Identifier: Apache-2.0 */
/* NVLinks, ports and GPUs of hwloc's exports: what lstopo writes of machines of several kinds, and exports that were
 * cut or edited. */
#include "tests/support/input_fixture.h"

#define LINKS(head, names, values)                                                                                     \
    "<" head " kind=\"9\" name=\"NVLinkBandwidth\"><indexes length=\"1\">" names                                       \
    "</indexes><u64values length=\"1\">" values "</u64values>"
#define HWLOC(arch, inside, behind)                                                                                    \
    "<?xml version=\"1.0\"?>\n<topology version=\"2.0\">\n<object type=\"Machine\" gp_index=\"1\"><info "              \
    "name=\"Architecture\" value=\"" arch                                                                              \
    "\"/><object type=\"Package\" gp_index=\"3\" nodeset=\"0x1\" cpuset=\"0xff\">"                                     \
    "<object type=\"Bridge\" gp_index=\"4\" bridge_type=\"0-1\">" inside "</object></object></object>" behind          \
    "</topology>"
#define DEVICE(bus, type, index, inside)                                                                               \
    "<object type=\"PCIDev\" gp_index=\"" index "\" pci_busid=\"0000:" bus "\" pci_type=\"" type                       \
    "\" pci_link_speed=\"15.753846\">" inside "</object>"
#define V100(bus, number, index)                                                                                       \
    DEVICE(bus, "0302 [10de:1db1] [10de:1212] a1", "1" index,                                                          \
           "<object type=\"OSDev\" gp_index=\"" index "\" name=\"nvml" number                                          \
           "\" osdev_type=\"1\"><info name=\"GPUModel\" value=\"Tesla V100-SXM2-16GB\"/></object>")
#define PORT(bus, name, index, states)                                                                                 \
    DEVICE(bus, "0207 [15b3:101b] [15b3:0006] 00", index,                                                              \
           "<object type=\"OSDev\" gp_index=\"9" index "\" name=\"" name                                               \
           "\" osdev_type=\"3\"><info name=\"SysImageGUID\" value=\"b859:9f03:00dd:a5ba\"/>" states "</object>")
#define STATE(port, value) "<info name=\"Port" port "State\" value=\"" value "\"/>"
#define TWO                V100("04:00.0", "0", "20") V100("05:00.0", "1", "21")

TEST(links_of_one_type_of_object_are_named_once)
{
    struct orr_dump *dump = read_as(HWLOC("x86_64", TWO,
                                          LINKS("distances2 type=\"OSDev\" nbobjs=\"2\" indexing=\"gp\"", "20 21 ",
                                                "1000000 50000 50000 1000000 ") "</distances2>"),
                                    NULL);
    assert_int_equal(count_of(dump, ORR_ELEMENT_NVLINK), 2);
    assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, 0, ORR_ATTR_TARGET), "0000:05:00.0");
    assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, 0, ORR_ATTR_COUNT_), "2");
    assert_false(assumes(dump, "no NVLinks"));
    orr_dump_free(dump);
}

TEST(links_to_a_processor_of_power_are_kept)
{
    struct orr_dump *dump =
        read_as(HWLOC("ppc64le", TWO,
                      LINKS("distances2hetero nbobjs=\"3\"", "OSDev:20 OSDev:21 Package:3 ",
                            "1000000 75000 75000 75000 1000000 75000 75000 75000 1000000 ") "</distances2hetero>"),
                NULL);
    assert_int_equal(count_of(dump, ORR_ELEMENT_NVLINK), 4);
    assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, 1, ORR_ATTR_TCLASS), "0x068001");
    assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, 1, ORR_ATTR_COUNT_), "3");
    orr_dump_free(dump);
}

TEST(links_to_switches_need_one_direction)
{
    struct orr_dump *dump = read_as(HWLOC("x86_64", TWO DEVICE("b0:00.0", "0680 [10de:1ac2] [10de:0000] 01", "30", ""),
                                          LINKS("distances2hetero nbobjs=\"3\"", "OSDev:20 OSDev:21 PCIDev:30 ",
                                                "0 0 25000 0 0 0 0 25000 0 ") "</distances2hetero>"),
                                    NULL);
    assert_int_equal(count_of(dump, ORR_ELEMENT_NVLINK), 2);
    for (uint32_t i = 0; i < 2; i++) {
        assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, i, ORR_ATTR_TCLASS), "0x068000");
        assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, i, ORR_ATTR_TARGET), "0000:b0:00.0");
    }
    orr_dump_free(dump);
}

/* Names that mean nothing, values beyond all bounds, matrices that are cut: links that are known stay, others do
 * not. */
TEST(broken_matrices_do_no_harm)
{
    static const struct {
        const char *names, *values;
        uint32_t links;
    } cases[] = {
        {"20 21 ", "0 50000 50000 0 ", 2},
        {"20 99 ", "0 50000 50000 0 ", 0},
        {"20 20 ", "0 50000 50000 0 ", 0},
        {"20 ", "0 50000 50000 0 ", 0},
        {"20 21 ", "0 50000 50000 ", 0},
        {"20 21 ", "0 18446744073709551615 18446744073709551615 0 ", 0},
        {"20 21 ", "0 -1 x 0 ", 0},
        {": OSDev: ", "0 50000 50000 0 ", 0},
        {"Package:3 Machine:1 ", "0 50000 50000 0 ", 0},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[8192];
        snprintf(text, sizeof text,
                 HWLOC("x86_64", TWO,
                       LINKS("distances2 type=\"OSDev\" nbobjs=\"2\" indexing=\"gp\"", "%s", "%s") "</distances2>"),
                 cases[i].names, cases[i].values);
        ORR_OWNED(orr_dump) *dump = read_as(text, NULL);
        if (count_of(dump, ORR_ELEMENT_NVLINK) != cases[i].links)
            fail_msg("%s / %s: %u links", cases[i].names, cases[i].values, count_of(dump, ORR_ELEMENT_NVLINK));
        assert_int_equal(assumes(dump, "no NVLinks"), !cases[i].links);
        assert_int_equal(orr_dump_assumed(dump, ORR_ELEMENT_NVLINK, ORR_ATTR_COUNT_), !cases[i].links);
    }
}

TEST(functions_of_one_card_are_its_ports)
{
    struct orr_dump *dump = read_as(HWLOC("x86_64",
                                          V100("04:00.0", "0", "20") PORT("06:00.1", "mlx5_10", "31", STATE("1", "4"))
                                              PORT("06:00.0", "mlx5_2", "32", STATE("1", "4"))
                                                  PORT("07:00.0", "mlx5_0", "33", STATE("1", "1") STATE("2", "4"))
                                                      PORT("08:00.1", "mlx5_11", "34", STATE("1", "4"))
                                                          PORT("09:00.0", "mlx5_1", "35", STATE("1", "1")),
                                          ""),
                                    NULL);
    static const char *const nets[][3] = {/* name, dev, port; in the order of the tree */
                                          {"mlx5_2", "1", "1"},
                                          {"mlx5_10", "2", "2"},
                                          {"mlx5_0", "0", "2"},
                                          {"mlx5_11", "3", "1"}};
    assert_int_equal(count_of(dump, ORR_ELEMENT_NIC), 3);
    for (uint32_t i = 0; i < 4; i++) {
        assert_string_equal(attr(dump, ORR_ELEMENT_NET, i, ORR_ATTR_NAME), nets[i][0]);
        assert_string_equal(attr(dump, ORR_ELEMENT_NET, i, ORR_ATTR_DEV), nets[i][1]);
        assert_string_equal(attr(dump, ORR_ELEMENT_NET, i, ORR_ATTR_PORT), nets[i][2]);
    }
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 3, ORR_ATTR_BUSID),
                        "0000:08:00.1"); /* no function 0 in the export */
    assert_true(misses(dump, "ibstat"));
    orr_dump_free(dump);
}

TEST(a_gpu_that_nvml_hides_is_left_out)
{
    struct orr_dump *dump =
        read_as(HWLOC("x86_64", DEVICE("01:00.0", "0300 [10de:1cb3] [10de:11be] a1", "40", "") TWO, ""), NULL);
    assert_int_equal(count_of(dump, ORR_ELEMENT_GPU), 2);
    assert_true(assumes(dump, "NVML does not show"));
    orr_dump_free(dump);
}

TEST(links_without_speed_are_those_of_the_generation)
{
    ORR_OWNED(orr_dump) *dump = read_as(HWLOC("x86_64",
                                              "<object type=\"PCIDev\" pci_busid=\"0000:04:00.0\" pci_type=\"0302 "
                                              "[10de:1eb8] [10de:1212] a1\" pci_link_speed=\"0.000000\"/>"
                                              "<object type=\"PCIDev\" pci_busid=\"0000:05:00.0\" pci_type=\"0302 "
                                              "[10de:1eb8] [10de:1212] a1\" pci_link_speed=\"7.876923\"/>",
                                              ""),
                                        NULL);
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 0, ORR_ATTR_LINK_SPEED), "8.0 GT/s PCIe");
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 0, ORR_ATTR_LINK_WIDTH), "16");
    assert_true(assumes(dump, "those without one are assumed to be 8.0 GT/s PCIe x16"));
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 1, ORR_ATTR_LINK_SPEED),
                        "8.0 GT/s PCIe"); /* not 5.0 x16, which is 8 GB/s */
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 1, ORR_ATTR_LINK_WIDTH), "8");
}

/* Wherever the limit on elements is met, in the middle of any part of the tree, it is an error and nothing else. */
TEST(a_limit_is_met_anywhere)
{
    const char *text = HWLOC(
        "x86_64", TWO PORT("06:00.1", "mlx5_1", "31", STATE("1", "4")) PORT("06:00.0", "mlx5_0", "32", ""),
        LINKS("distances2 type=\"OSDev\" nbobjs=\"2\" indexing=\"gp\"", "20 21 ", "0 50000 50000 0 ") "</distances2>");
    for (uint32_t most = 1;; most++) {
        struct orr_dump_limits limits = orr_dump_default_limits;
        struct orr_input_options options = {.limits = &limits};
        struct orr_dump *dump = NULL;
        struct orr_error err = {0};
        limits.elements = most;
        enum orr_code code = orr_input_read(text, strlen(text), &options, &dump, &err);
        if (code == ORR_OK) {
            assert_int_equal(dump->element_count, most);
            orr_dump_free(dump);
            return;
        }
        assert_error(code, ORR_LIMIT, &err, "elements");
    }
}
