/* SPDX-License-Identifier: Apache-2.0 */
/* Inputs recognised by their content, and what each reader makes of its own. */
#include "tests/support/input_fixture.h"

#define MATRIX                                                                                                         \
    "\t\033[4mGPU0\tGPU1\tGPU2\tNIC0\tCPU Affinity\tNUMA Affinity\tGPU NUMA ID\033[0m\n"                               \
    "GPU0\t X \tNV4\tSYS\tPIX\t0-31,64-95\t0\t\tN/A\n"                                                                 \
    "GPU1\tNV4\t X \tSYS\tPXB\t0-31,64-95\t0\t\tN/A\n"                                                                 \
    "GPU2\tSYS\tSYS\t X \tSYS\t32-63\t1\t\tN/A\n"                                                                      \
    "NIC0\tPIX\tPXB\tSYS\t X\n\nLegend:\n\n  X    = Self\n\nNIC Legend:\n\n  NIC0: mlx5_7\n"
#define SYSTEM(inside) "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" inside "</cpu></system>"

TEST(each_kind_is_told_by_its_content)
{
    static const char *const texts[][2] = {
        {"<system version=\"1\"/>", "nccl-topology"},
        {"\xef\xbb\xbf \n<?xml version=\"1.0\"?><!-- > --><system version=\"1\"/>", "nccl-topology"},
        {"$ cat topo.xml\n<system version=\"1\"></system>", "nccl-topology"},
        {"<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\"/>", "hwloc"},
        {"<graphs version=\"1\"/>", "nccl-graph"},
        {MATRIX, "nvidia-smi-topo"},
        {"GPU0 CPU Affinity\nGPU0 X 0-3\n", "nvidia-smi-topo"},
        {"n:1:2 [0] NCCL INFO hello\n", "nccl-log"},
        {"n:1:2 [0] NCCL INFO hello\n" MATRIX, "nvidia-smi-topo"},
        {"n:1:2 [0] NCCL INFO === System : maxBw 5.0 totalBw 5.0 ===\n" MATRIX, "nccl-log"},
        {"\x1f\x8b\x08", "gathered"},
        {"machine type: hgx-h100\n", "machine-type"},
        {"\xef\xbb\xbf Machine Type:\tP5\r\n\n", "machine-type"},
        {"machine type: hgx-h100\nand more\n", NULL},
        {"machine type:", NULL},
        {"a machine type: hgx-h100", NULL},
        {"<systems/>", NULL},
        {"the systematic <systemic> GPU0 is fine", NULL},
        {"", NULL},
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        const struct orr_input_kind *kind = orr_input_recognise(texts[i][0], strlen(texts[i][0]));
        assert_string_equal(kind ? kind->name : "none", texts[i][1] ? texts[i][1] : "none");
    }
}

TEST(nccl_xml_is_read_as_before)
{
    const char *text = SYSTEM(GPU("0000:1b:00.0", "0", "80", ""));
    struct orr_dump *plain = read_text(text), *dump = read_as(text, NULL);
    assert_int_equal(plain->element_count, dump->element_count);
    assert_int_equal(plain->attribute_count, dump->attribute_count);
    for (uint32_t i = 0; i < plain->element_count; i++)
        assert_int_equal(plain->elements[i].column, dump->elements[i].column);
    assert_null(plain->notes);
    assert_int_equal(dump->notes->assumed_count + dump->notes->missing_count, 0);
    orr_dump_free(plain);
    orr_dump_free(dump);
}

TEST(text_around_xml_leaves_its_places)
{
    struct orr_error err;
    struct orr_dump *dump =
        read_as("Here it is:\n```xml\n  <system version=\"1\">\n<cpu numaid=\"0\"/>\n</system>\n```\nthanks", NULL);
    assert_int_equal(dump->elements[0].line, 3);
    assert_int_equal(dump->elements[0].column, 3);
    assert_int_equal(dump->elements[1].line, 4);
    assert_int_equal(dump->refusal.line, 0); /* the fence is of a paste, not of a file */
    orr_dump_free(dump);
    dump = read_as("Here it is:\n<system version=\"1\">\n<cpu numaid=\"0\"/>\n</system>\n", NULL);
    assert_int_equal(dump->refusal.line, 1); /* NCCL would stop at the text */
    orr_dump_free(dump);
    assert_error(refuse("x\ny <system version=\"1\">\n <cpu>\n</system>", &err), ORR_SYNTAX, &err, "");
    assert_int_equal(err.line, 4);
}

TEST(dumps_of_ranks_become_one_host)
{
    const char *first = SYSTEM(GPU("0000:1b:00.0", "0", "80", "") NIC("0000:20:00.0", "0", "100000"));
    const char *second = SYSTEM(GPU("0000:1c:00.0", "1", "80", "") NIC("0000:20:00.0", "0", "100000"));
    char text[4096];
    snprintf(text, sizeof text, "%s\n%s\n%s", first, second, first);
    ORR_OWNED(orr_dump) *dump = read_as(text, NULL);
    assert_string_equal(attr(dump, ORR_ELEMENT_GPU, 1, ORR_ATTR_RANK), "1");
    assert_int_equal(dump->elements[find(dump, ORR_ELEMENT_GPU, 1)].line, 2);
    uint32_t nets = 0;
    for (uint32_t i = 0; i < dump->element_count; i++)
        nets += dump->elements[i].kind == ORR_ELEMENT_NET;
    assert_int_equal(nets, 1);
    assert_true(assumes(dump, "joined into one host"));
    assert_non_null(strstr(dump->notes->recognised, "1 copy"));
}

TEST(of_several_hosts_the_first_is_taken)
{
    const char *a = SYSTEM(GPU("0000:1b:00.0", "0", "80", "")), *b = SYSTEM(GPU("0000:9b:00.0", "0", "80", ""));
    char text[4096];
    snprintf(text, sizeof text, "%s\n%s", a, b);
    ORR_OWNED(orr_dump) *dump = read_as(text, NULL);
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 0, ORR_ATTR_BUSID), "0000:1b:00.0");
    assert_true(misses(dump, "--cluster"));
}

TEST(a_matrix_becomes_a_tree)
{
    ORR_OWNED(orr_dump) *dump = read_as(MATRIX, NULL);
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 0, ORR_ATTR_AFFINITY), "ffffffff,00000000,ffffffff");
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 1, ORR_ATTR_NUMAID), "1");
    assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_NAME), "mlx5_7");
    uint32_t gpu0 = find(dump, ORR_ELEMENT_GPU, 0), gpu1 = find(dump, ORR_ELEMENT_GPU, 1),
             nic = find(dump, ORR_ELEMENT_NIC, 0);
    uint32_t inner0 = dump->elements[dump->elements[gpu0].parent].parent;
    uint32_t inner1 = dump->elements[dump->elements[gpu1].parent].parent;
    assert_int_equal(dump->elements[dump->elements[nic].parent].parent, inner0);    /* PIX */
    assert_int_not_equal(inner1, inner0);                                           /* PXB */
    assert_int_equal(dump->elements[inner1].parent, dump->elements[inner0].parent); /* one outer switch */
    assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, 0, ORR_ATTR_COUNT_), "4");
    assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, 0, ORR_ATTR_TCLASS), "0x030200"); /* 4 links are fewer than 12 */
    assert_int_equal(dump->elements[gpu1].line, 3);
    assert_true(assumes(dump, "no bandwidths"));
    assert_true(misses(dump, "nvidia-smi -L"));
}

/* Row of orr_assumed_nics_word(). */
static unsigned nics_row(const char *word)
{
    unsigned row = 0;
    while (strcmp(orr_assumed_nics_word(row), word) != 0)
        row++;
    return row;
}

TEST(nics_of_assumed_speed_have_what_is_asked_for_them)
{
    static const struct {
        const char *text, *type, *word, *speed, *gdr, *note;
    } rows[] = {
        {MATRIX, NULL, "default", "100000", "1", "has 100 Gb/s, with GPUDirect RDMA"},
        {MATRIX, NULL, "400", "400000", "1", "has 400 Gb/s, with GPUDirect RDMA"},
        {MATRIX, NULL, "200-no-gdr", "200000", "0", "has 200 Gb/s, without GPUDirect RDMA"},
        {MATRIX, "hgx-h100", "default-no-gdr", "400000", "0", "has 400 Gb/s, without"},
        {"machine type: hgx-h100", NULL, "200", "200000", "1", "8 NIC ports have 200 Gb/s, with"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct orr_error err;
        struct orr_dump *dump;
        const struct orr_input_options options = {.assumed = rows[i].type ? orr_machine_type_find(rows[i].type) : NULL,
                                                  .assumed_nics = nics_row(rows[i].word)};
        assert_ok(orr_input_read(rows[i].text, strlen(rows[i].text), &options, &dump, &err), &err);
        assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_SPEED), rows[i].speed);
        assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_GDR), rows[i].gdr);
        assert_true(assumes(dump, rows[i].note));
        assert_true(dump->notes->assumed_nics > 0);
        orr_dump_free(dump);
    }
}

TEST(a_matrix_may_be_wrapped_and_blank_separated)
{
    struct orr_dump *dump =
        read_as("user@host:~$ nvidia-smi topo -m\n   GPU0    GPU1 \n  mlx5_0  CPU Affinity\nGPU0  X   NV12\n  PHB "
                "0-7\nGPU1 NV12  X   SYS  8-15\nmlx5_0 PHB SYS X\n",
                "dgx-a100");
    assert_string_equal(attr(dump, ORR_ELEMENT_NVLINK, 0, ORR_ATTR_TCLASS), "0x068000"); /* the type says so */
    assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_SPEED), "200000");
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 0, ORR_ATTR_VENDOR), "AuthenticAMD");
    assert_string_equal(dump->notes->machine_type, "dgx-a100");
    orr_dump_free(dump);
}

TEST(names_beside_a_matrix_tell_the_generation)
{
    struct orr_dump *dump =
        read_as("GPU 0: Tesla P100-PCIE-16GB (UUID: GPU-1)\n0, Tesla P100-PCIE-16GB, 00000000:AF:00.0\n\tGPU0\tGPU1\n"
                "GPU0\tX\tSYS\nGPU1\tSYS\tX\n",
                NULL);
    assert_string_equal(attr(dump, ORR_ELEMENT_GPU, 0, ORR_ATTR_SM), "60");
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 0, ORR_ATTR_BUSID), "0000:af:00.0");
    assert_false(misses(dump, "nvidia-smi -L"));
    orr_dump_free(dump);
}

TEST(errors_of_a_matrix_have_their_place)
{
    struct orr_error err;
    assert_error(refuse("\tGPU0\tGPU1\nGPU0\tX\tPIX\nGPU1\tPIX\n", &err), ORR_INVALID, &err, "GPU1 has 1 cells");
    assert_int_equal(err.line, 3);
    assert_int_equal(err.column, 1);
    assert_error(refuse("\tGPU0\tGPU1\nGPU0\tX\tPIX\n", &err), ORR_INVALID, &err, "GPU1 has a column but no row");
    assert_int_equal(err.line, 1);
    assert_int_equal(err.column, 7);
}

#define PORT(bus, inside)                                                                                              \
    "<object type=\"Bridge\" bridge_type=\"1-1\" pci_busid=\"" bus "\" pci_type=\"0604 [1000:c030] [0000:0000] 00\" "  \
    "pci_link_speed=\"31.507692\">" inside "</object>"
#define HWLOC(inside)                                                                                                  \
    "<?xml version=\"1.0\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n<topology version=\"2.0\">\n"                 \
    "<object type=\"Machine\"><info name=\"Architecture\" value=\"x86_64\"/>"                                          \
    "<object type=\"Package\" nodeset=\"0x00000002\" cpuset=\"0xff,,0x1\">"                                            \
    "<info name=\"CPUVendor\" value=\"AuthenticAMD\"/><info name=\"CPUFamilyNumber\" value=\"25\"/>"                   \
    "<info name=\"CPUModelNumber\" value=\"1\"/>" inside "</object></object></topology>"

TEST(hwloc_folds_ports_as_nccl_does)
{
    struct orr_dump *dump = read_as(
        HWLOC("<object type=\"Bridge\" bridge_type=\"0-1\">\n" PORT(
            "0000:00:01.0",
            PORT("0000:01:00.0",
                 PORT("0000:02:00.0", "<object type=\"PCIDev\" pci_busid=\"0000:03:00.0\" pci_type=\"0302 [10de:20b2] "
                                      "[10de:1463] a1\" pci_link_speed=\"31.507692\"/>")
                     PORT("0000:02:01.0",
                          "<object type=\"PCIDev\" pci_busid=\"0000:04:00.0\" pci_type=\"0207 [15b3:101b] [15b3:0007] "
                          "00\" pci_link_speed=\"15.753846\"><object type=\"OSDev\" name=\"mlx5_3\" osdev_type=\"3\">"
                          "<info name=\"SysImageGUID\" value=\"b859:9f03:00dd:a5ba\"/><info name=\"Port1State\" "
                          "value=\"4\"/>"
                          "<info name=\"Port2State\" value=\"1\"/></object></object>"))) "</object>"),
        NULL);
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 0, ORR_ATTR_NUMAID), "1");
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 0, ORR_ATTR_FAMILYID), "175");
    assert_string_equal(attr(dump, ORR_ELEMENT_CPU, 0, ORR_ATTR_AFFINITY), "000000ff,00000000,00000001");
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 0, ORR_ATTR_BUSID), "0000:01:00.0"); /* the upstream port */
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 1, ORR_ATTR_LINK_SPEED), "16.0 GT/s PCIe");
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 2, ORR_ATTR_LINK_SPEED), "8.0 GT/s PCIe");
    assert_string_equal(attr(dump, ORR_ELEMENT_GPU, 0, ORR_ATTR_SM), "80");
    assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_GUID), "0xbaa5dd00039f59b8");
    assert_string_equal(attr(dump, ORR_ELEMENT_NET, 0, ORR_ATTR_PORT), "1");
    assert_true(assumes(dump, "has 200 Gb/s"));
    orr_dump_free(dump);
}

TEST(hwloc_without_devices_is_refused)
{
    struct orr_error err;
    assert_error(refuse(HWLOC(""), &err), ORR_INVALID, &err, "no PCI devices");
    assert_error(
        refuse(HWLOC("<object type=\"PCIDev\" pci_busid=\"0000:03:00.0\" pci_type=\"0200 [8086:1] [0:0] 0\"/>"), &err),
        ORR_NO_RANKS, &err, "no GPU");
    assert_error(
        refuse(
            "<!DOCTYPE topology [<!ENTITY a \"b\">]>\n<topology version=\"2.0\"><object type=\"Machine\"/></topology>",
            &err),
        ORR_SYNTAX, &err, "DOCTYPE");
    assert_error(refuse("\n<topology version=\"2.0\"><object type=\"Machine\">", &err), ORR_SYNTAX, &err, "");
    assert_true(err.line >= 2);
}

TEST(hwloc_with_more_devices_than_orrery_takes_is_refused)
{
    for (unsigned count = 1024; count <= 1025; count++) {
        struct orr_error err;
        struct orr_dump *dump = NULL;
        ORR_LOCAL_TEXT(text, 1 << 20);
        orr_text_puts(&text, "<topology version=\"2.0\"><object type=\"Machine\"><object type=\"Package\">");
        for (unsigned i = 0; i < count; i++)
            orr_text_printf(
                &text, "<object type=\"PCIDev\" pci_busid=\"%04x:%02x:00.0\" pci_type=\"0302 [10de:2330] [0:0] a1\"/>",
                i >> 8, i & 255);
        orr_text_puts(&text, "</object></object></topology>");
        assert_false(orr_text_failed(&text));
        enum orr_code code = orr_input_read(text.data, text.length, NULL, &dump, &err);
        if (count == 1024)
            assert_ok(code, &err);
        else
            assert_error(code, ORR_LIMIT, &err, "more than 1024 GPUs");
        orr_dump_free(dump);
    }
}

#define SAYS "node1:7:8 [0] NCCL INFO "
/* Two GPUs of one CPU, as NCCL prints them; the end can be left out. */
#define TREE                                                                                                           \
    "node1:7:7 [0] NCCL INFO NCCL version 2.27.7+cuda12.4\n" SAYS "=== System : maxBw 12.0 totalBw 12.0 ===\n" SAYS    \
    "CPU/0-0 (1/1/2)\n" SAYS "+ PCI[12.0] - GPU/0-1000 (0)\n" SAYS "+ PCI[12.0] - GPU/0-2000 (1)\n"

TEST(a_log_that_prints_its_tree_is_a_machine)
{
    struct orr_error err;
    struct orr_dump *dump = read_as(TREE SAYS "==========================================\n", NULL);
    assert_string_equal(dump->notes->kind, "nccl-log");
    assert_non_null(strstr(dump->notes->recognised, "NCCL 2.27.7+cuda12.4 printed: 2 GPUs, 2 with a rank"));
    assert_true(assumes(dump, "compute capability") && assumes(dump, "GPUDirect RDMA"));
    assert_true(misses(dump, "NCCL_TOPO_DUMP_FILE"));
    assert_string_equal(attr(dump, ORR_ELEMENT_PCI, 1, ORR_ATTR_BUSID), "0000:02:00.0");
    assert_int_equal(dump->elements[find(dump, ORR_ELEMENT_GPU, 0)].line, 0); /* the XML is not the user's */
    orr_dump_free(dump);
    dump = read_as(TREE SAYS "==========================================\n", "g5.48xlarge");
    assert_string_equal(dump->notes->machine_type, "g5.48xlarge");
    orr_dump_free(dump);
    assert_error(refuse(TREE, &err), ORR_UNRECOGNISED, &err, "debug log");
    assert_non_null(strstr(err.text, "not whole"));
    assert_non_null(strstr(err.advice, "orrery check-log --topology FILE LOG"));
    assert_int_equal(err.line, 0);
    assert_error(refuse("n:1:2 [0] NCCL INFO hello\n", &err), ORR_UNRECOGNISED, &err, "NCCL_DEBUG_SUBSYS=GRAPH");
}

TEST(a_tar_of_other_things_is_named)
{
    char tar[10240] = "topo.xml";
    struct orr_error err = {0};
    struct orr_dump *dump = NULL;
    unsigned sum = 0;
    memcpy(tar + 100, "0000644", 8);
    memcpy(tar + 124, "00000000000", 12);
    memcpy(tar + 136, "00000000000", 12);
    memset(tar + 148, ' ', 8);
    tar[156] = '0';
    memcpy(tar + 257, "ustar\00000", 8);
    for (size_t i = 0; i < 512; i++)
        sum += (unsigned char)tar[i];
    snprintf(tar + 148, 8, "%06o", sum);
    assert_error(orr_input_read(tar, sizeof tar, NULL, &dump, &err), ORR_UNRECOGNISED, &err, "a tar archive without");
    assert_non_null(strstr(err.advice, "orrery gather"));
    for (size_t length = 0; length < 600; length += 7) { /* cut anywhere: an error, no crash */
        err = (struct orr_error){0};
        assert_int_not_equal(orr_input_read(tar, length, NULL, &dump, &err), ORR_OK);
    }
}

TEST(what_is_no_machine_is_named)
{
    struct orr_error err;
    assert_error(refuse("<graphs version=\"1\"/>", &err), ORR_UNRECOGNISED, &err, "graph XML");
    assert_error(refuse("\x1f\x8b\x08", &err), ORR_UNRECOGNISED, &err, "gzip");
    assert_non_null(strstr(err.advice, "gunzip"));
    assert_error(refuse("{\"nccl\": 1}", &err), ORR_UNRECOGNISED, &err, "JSON");
    assert_error(refuse("hello", &err), ORR_UNRECOGNISED, &err, "starts with 'h'");
}

TEST(what_is_written_is_read_again)
{
    struct orr_text text, again;
    struct orr_dump *dump = read_as(MATRIX, NULL);
    orr_text_init(&text, 1 << 20);
    orr_text_init(&again, 1 << 20);
    orr_dump_write(dump, &text);
    orr_dump_free(dump);
    dump = read_as(text.data, NULL);
    assert_int_equal(dump->refusal.line, 0); /* NCCL itself could read it */
    orr_dump_write(dump, &again);
    assert_string_equal(text.data, again.data);
    orr_dump_free(dump);
    orr_text_release(&text);
    orr_text_release(&again);
}
