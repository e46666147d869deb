/* SPDX-License-Identifier: Apache-2.0 */
/* Topology files without devices: a machine type fills their places in. */
#include "engine/machines/machine_types.h"
#include "tests/support/input_fixture.h"

#define SYSTEM(inside) "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" inside "</cpu></system>"

TEST(a_machine_type_fills_places_in)
{
    const char *text = SYSTEM("<pci busid=\"0000:20:00.0\" class=\"0x030200\" link_speed=\"\" link_width=\"\"/>"
                              "<pci busid=\"0000:10:00.0\" class=\"0x030200\" link_speed=\"8 GT/s\" link_width=\"8\"/>"
                              "<pci busid=\"0000:30:00.0\" class=\"0x020000\" link_speed=\"\" link_width=\"\"/>");
    struct orr_dump *dump = read_as(text, NULL);
    assert_true(misses(dump, "--assume"));
    orr_dump_free(dump);
    dump = read_as(text, "P4D"); /* another name of it, whatever the case */
    assert_string_equal(dump->notes->machine_type, "p4d.24xlarge");
    assert_string_equal(attr(dump, ORR_ELEMENT_GPU, 0, ORR_ATTR_DEV), "1"); /* by bus id, as NVML numbers */
    assert_string_equal(attr(dump, ORR_ELEMENT_GPU, 1, ORR_ATTR_RANK), "0");
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 0, ORR_ATTR_LINK_SPEED), "8.0 GT/s PCIe");
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 1, ORR_ATTR_LINK_WIDTH), "8"); /* the file says so */
    assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, 0, ORR_ATTR_COUNT_), "12");
    assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_SPEED), "100000");
    assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_GUID), "0x1"); /* before 2.30, no 0x is 0 */
    assert_true(assumes(dump, "assumed to be p4d.24xlarge"));
    assert_true(assumes(dump, "places for 2"));
    assert_false(assumes(dump, "not certain"));
    orr_dump_free(dump);
    dump = read_as(text, "BM.GPU3.8");
    assert_true(assumes(dump, "are not certain: network, CPU"));
    orr_dump_free(dump);
}

TEST(a_file_without_classes_is_settled_by_counting)
{
    char text[2048];
    size_t used = (size_t)snprintf(text, sizeof text, "<system version=\"1\"><cpu numaid=\"0\">");
    for (unsigned i = 0; i < 9; i++)
        used += (size_t)snprintf(text + used, sizeof text - used, "<pci busid=\"0000:00:%02x.0\"/>", 0x1d - i);
    snprintf(text + used, sizeof text - used, "</cpu></system>");
    ORR_OWNED(orr_dump) *dump = read_as(text, "g5.48xlarge");
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 8, ORR_ATTR_CLASS),
                        "0x020000"); /* the lowest id of eight and one */
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 0, ORR_ATTR_CLASS), "0x030200");
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 0, ORR_ATTR_ARCH), "x86_64");
}

TEST(machine_types_have_names_of_their_own)
{
    struct orr_error err = {0};
    for (size_t i = 0; orr_machine_type(i); i++) {
        const struct orr_machine_type *type = orr_machine_type(i);
        assert_ptr_equal(orr_machine_type_find(type->name), type);
        assert_true(*type->source || *type->unsure); /* what it rests on, or that it rests on nothing */
        assert_int_equal(type->board->c2c_links > 0, type->board->c2c_mbps > 0);
        for (uint32_t a = 0; type->board->fabric == ORR_FABRIC_MESH && a < type->gpus; a++) {
            int32_t links = 0;
            for (uint32_t b = 0; b < type->gpus; b++) {
                assert_int_equal(type->board->mesh[a][b], type->board->mesh[b][a]);
                links += type->board->mesh[a][b] - '0';
            }
            assert_int_equal(links, type->board->nvlinks);
        }
    }
    assert_null(orr_machine_type_find(""));
    assert_error(orr_machine_type_unknown("hgx-h10", &err), ORR_SETTING, &err, "not a machine type");
    assert_non_null(strstr(err.advice, "hgx-h100"));
}
