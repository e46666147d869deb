/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about the file and CPUs: each with a machine that has it and a near miss. */
#include "tests/support/findings.h"

#define TWO(cpu, a, b) "<system version=\"1\"><cpu numaid=\"0\" " cpu ">" a b "</cpu></system>"
#define G0             GPU("0000:01:00.0", "0", "80", "")
#define G1             GPU("0000:02:00.0", "1", "80", "")
#define GPU2           "<gpu dev=\"2\" sm=\"80\" gdr=\"1\"/>"
#define UNRANKED       "<pci busid=\"0000:03:00.0\" class=\"0x030200\" " GEN4X16 ">" GPU2 "</pci>"

TEST(gpus_and_ranks)
{
    assert_dump_finds("<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL "/></system>", "no-gpu");
    assert_dump_lacks(TWO(X86_INTEL, UNRANKED, ""), "no-gpu");
    assert_dump_finds(TWO(X86_INTEL, UNRANKED, ""), "no-ranked-gpu");
    assert_dump_lacks(TWO(X86_INTEL, G0, UNRANKED), "no-ranked-gpu");
    assert_dump_finds(TWO(X86_INTEL, G0, UNRANKED), "unranked-gpus");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "unranked-gpus");
    assert_dump_finds(TWO(X86_INTEL, G0, GPU("0000:02:00.0", "0", "80", "")), "rank-twice");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "rank-twice");
    assert_dump_finds(TWO(X86_INTEL, G0, GPU("0000:01:00.0", "1", "80", "")), "bus-id-twice");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "bus-id-twice");
    /* The macro gives dev the value of rank. */
    assert_dump_finds(TWO(X86_INTEL, G0, GPU("0000:02:00.0", "0", "80", "")), "number-twice");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "number-twice");
#define PORT_OF(bus, name)                                                                                             \
    "<pci busid=\"" bus "\" class=\"0x020000\" " GEN4X16 "><nic><net name=\"" name                                     \
    "\" dev=\"0\" speed=\"100000\" guid=\"0x0\" maxconn=\"64\" gdr=\"0\"/></nic></pci>"
    assert_dump_finds(TWO(X86_INTEL, PORT_OF("0000:03:00.0", "mlx5_0"), PORT_OF("0000:04:00.0", "mlx5_1")),
                      "number-twice");
    assert_dump_lacks(TWO(X86_INTEL, PORT_OF("0000:03:00.0", "eth0"), PORT_OF("0000:04:00.0", "eth0")), "number-twice");
}

TEST(holes_and_trimming)
{
#define RANKS(b, c) TWO(X86_INTEL, G0 GPU("0000:02:00.0", b, "80", ""), GPU("0000:04:00.0", c, "80", ""))
    assert_dump_finds(RANKS("1", "3"), "rank-holes");
    assert_dump_lacks(RANKS("1", "2"), "rank-holes");
    assert_dump_lacks(RANKS("4", "8"), "rank-holes"); /* dealt round four hosts */
#define KEEP(value) " keep=\"" value "\""
#define GPU_KEPT(bus, rank, keep)                                                                                      \
    "<pci busid=\"" bus "\" class=\"0x030200\" " GEN4X16 "><gpu dev=\"" rank "\" sm=\"80\" rank=\"" rank               \
    "\" gdr=\"1\"" keep "/></pci>"
    assert_int_equal(places_in_dump(TWO(X86_INTEL, GPU_KEPT("0000:01:00.0", "0", KEEP("1")), G1), "would-be-trimmed"),
                     1);
    assert_dump_lacks(
        TWO(X86_INTEL, GPU_KEPT("0000:01:00.0", "0", KEEP("1")), GPU_KEPT("0000:02:00.0", "1", KEEP("1"))),
        "would-be-trimmed");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "would-be-trimmed");
    assert_dump_lacks("<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL KEEP("1") ">" G0 G1 "</cpu></system>",
                      "would-be-trimmed"); /* what is inside is kept with it */
}

TEST(the_file)
{
    assert_dump_finds("<?xml version=\"1.0\"?>\n" TWO(X86_INTEL, G0, G1), "nccl-refuses-file");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "nccl-refuses-file");
    assert_dump_finds(TWO(X86_INTEL, G0, "<gpu dev=\"4\"/>"), "ignored-elements");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "ignored-elements");
    assert_dump_finds(TWO(X86_INTEL " afinity=\"ff\"", G0, G1), "unknown-attributes");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "unknown-attributes");
    assert_dump_finds("<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\">" G0
                      "</cpu></system>",
                      "cpu-incomplete");
    assert_dump_lacks("<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">" G0 "</cpu></system>", "cpu-incomplete");
}

/* A system, a CPU and a GPU in its pci with this many NVLinks that there are 255 elements, or 256, which is as many as
 * NCCL has room for from 2.21.5 on. */
TEST(element_limit)
{
    static const struct {
        const char *release;
        int elements, places;
    } cases[] = {{"2.20.5", 256, -1}, {"2.21.5", 255, -1}, {"2.21.5", 256, 0}, {"2.27.7", 255, -1}, {"2.27.7", 256, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_text text;
        orr_text_init(&text, 1 << 20);
        orr_text_puts(&text, "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL
                             "><pci busid=\"0000:01:00.0\" class=\"0x030200\" " GEN4X16
                             "><gpu dev=\"0\" sm=\"80\" rank=\"0\" gdr=\"1\">");
        for (int n = 4; n < cases[i].elements; n++)
            orr_text_puts(&text, "<nvlink target=\"fffffff:ffff:ff\" count=\"1\" tclass=\"0x068000\"/>");
        orr_text_puts(&text, "</gpu></pci></cpu></system>");
        FIXTURE f = analyse_in(cases[i].release, text.data, 1, NULL);
        assert_int_equal(places_of(f.dump, f.analysis, "many-elements"), cases[i].places);
        orr_text_release(&text);
    }
}

TEST(numa_and_affinity)
{
    assert_dump_finds("<system version=\"1\"><cpu numaid=\"-1\" " X86_INTEL ">" G0 "</cpu></system>", "numa-unknown");
    assert_dump_lacks(TWO(X86_INTEL, G0, G1), "numa-unknown");
#define CPUS(a, b)                                                                                                     \
    "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\" affinity=\"" a "\">" G0                                    \
    "</cpu><cpu numaid=\"1\" arch=\"arm64\" affinity=\"" b "\">" G1 "</cpu></system>"
    assert_dump_finds(CPUS("0000,00000000", "ffff"), "affinity");
    assert_dump_finds(CPUS("ffff", "ffff"), "affinity");
    assert_dump_lacks(CPUS("00ff", "ff00"), "affinity");
#define MODELS(model)                                                                                                  \
    "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"" model  \
    "\" affinity=\"0f\">" G0 "</cpu><cpu numaid=\"1\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" "         \
    "modelid=\"" model "\" affinity=\"f0\">" G1 "</cpu></system>"
    assert_finds(MODELS("173"), 1, NULL, "cpu-model-unknown");
    assert_lacks(MODELS("143"), 1, NULL, "cpu-model-unknown"); /* 2.27.7 knows it */
    assert_lacks(MODELS("85"), 1, NULL, "cpu-model-unknown");
    struct fixture older = analyse_in("2.21.5", MODELS("143"), 1, NULL);
    assert_int_equal(places_of(older.dump, older.analysis, "cpu-model-unknown"), 1);
    release_fixture(&older);
#define ZEN(family)                                                                                                    \
    "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"" family               \
    "\" modelid=\"1\" affinity=\"0f\">" G0 "</cpu><cpu numaid=\"1\" arch=\"x86_64\" vendor=\"AuthenticAMD\" "          \
    "familyid=\"" family "\" modelid=\"1\" affinity=\"f0\">" G1 "</cpu></system>"
    assert_finds(ZEN("175"), 1, NULL, "cpu-model-unknown");
    assert_lacks(ZEN("143"), 1, NULL, "cpu-model-unknown"); /* Zen 2: the figure is its own */
    older = analyse_in("2.12.12", ZEN("175"), 1, NULL);     /* which counts sockets as free */
    assert_int_equal(places_of(older.dump, older.analysis, "cpu-model-unknown"), -1);
    release_fixture(&older);
}

TEST(ports_and_hosts)
{
#define PORT(bus, name, dev, guid)                                                                                     \
    "<pci busid=\"0000:" bus "\" class=\"0x020700\" " GEN4X16 "><nic><net name=\"" name "\" dev=\"" dev                \
    "\" speed=\"100000\" port=\"1\" guid=\"" guid "\" maxconn=\"64\" gdr=\"1\"/></nic></pci>"
#define PORTS(first, second, guid)                                                                                     \
    TWO(X86_INTEL, PORT("03:00.0", first, "0", "0x10"), PORT("04:00.0", second, "1", guid))
    assert_dump_finds(PORTS("mlx5_0", "mlx5_1", "0x10"), "guid-twice");
    assert_dump_lacks(PORTS("mlx5_0", "mlx5_1", "0x11"), "guid-twice");
    assert_dump_lacks(PORTS("mlx5_0", "mlx5_0", "0x10"), "guid-twice"); /* written once for each CPU */
    assert_dump_lacks(PORTS("eth0", "eth1", "0x10"), "guid-twice");     /* NCCL made it up */
#define HOSTS(a, b)                                                                                                    \
    "<system version=\"1\"><cpu numaid=\"0\" host_hash=\"" a "\" " X86_INTEL ">" G0                                    \
    "</cpu><cpu numaid=\"1\" host_hash=\"" b "\" " X86_INTEL ">" G1 "</cpu></system>"
    assert_dump_finds(HOSTS("0x1", "0x2"), "several-hosts");
    assert_dump_lacks(HOSTS("0x1", "0x1"), "several-hosts");
}

/* NCCL's verdicts on AMD's GPUs say nothing; facts about PCIe hold. */
TEST(files_of_rccl)
{
#define OF(vendor, attribute, inside)                                                                                  \
    "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL                                                               \
    "><pci busid=\"0000:01:00.0\" class=\"0x030200\" vendor=\"" vendor "\" device=\"0x1\" " GEN4X16                    \
    "><gpu dev=\"0\" sm=\"80\" rank=\"0\" gdr=\"1\" " attribute ">" inside "</gpu></pci>"                              \
    "<pci busid=\"0000:03:00.0\" class=\"0x020700\" vendor=\"0x15b3\" device=\"0x1\" link_speed=\"8.0 GT/s PCIe\" "    \
    "link_width=\"4\"><nic><net name=\"mlx5_0\" dev=\"0\" speed=\"200000\" port=\"1\" guid=\"0x1\" maxconn=\"64\" "    \
    "gdr=\"0\"/></nic></pci></cpu></system>"
    const char *rccl[] = {OF("0x1002", "", ""), OF("0x1d94", "", ""), OF("0x10de", "gcn=\"908\"", ""),
                          OF("0x10de", "", "<xgmi target=\"0000:02:00.0\" count=\"1\" tclass=\"0x038000\"/>")};
    for (size_t i = 0; i < sizeof rccl / sizeof rccl[0]; i++) {
        assert_dump_finds(rccl[i], "rccl-file");
        assert_dump_lacks(rccl[i], "gdr-off");
        assert_dump_finds(rccl[i], "slow-slot");
        assert_lacks(rccl[i], 2, NULL, "gdr-too-far");
    }
    const char *nccl = OF("0x10de", "", "");
    assert_dump_lacks(nccl, "rccl-file");
    assert_dump_finds(nccl, "gdr-off");
}

TEST(rows_are_complete)
{
    const struct orr_finding_row *row, *other;
    for (size_t i = 0; (row = orr_finding_row(i)); i++) {
        assert_true(row->title && row->why && row->advice && row->find);
        for (size_t k = 0; k < i; k++) {
            other = orr_finding_row(k);
            assert_string_not_equal(row->id, other->id);
        }
        for (size_t k = 0; orr_undecided(k); k++)
            assert_true(!row->catalogue || strcmp(row->catalogue, orr_undecided(k)->catalogue) != 0);
    }
}

static const struct orr_finding_row *row_of(const char *id)
{
    const struct orr_finding_row *row = NULL;
    for (size_t i = 0; (row = orr_finding_row(i)); i++)
        if (!strcmp(row->id, id))
            return row;
    return NULL;
}

/* The most causes after one another; more than there are rows where one follows from itself. */
static unsigned chain_above(const struct orr_finding_row *row, unsigned rows)
{
    unsigned longest = 0;
    for (size_t i = 0; rows && i < ORR_MOST_CAUSES && row->follows_from[i]; i++) {
        const struct orr_finding_row *cause = row_of(row->follows_from[i]);
        assert_non_null(cause);
        unsigned above = 1 + chain_above(cause, rows - 1);
        longest = above > longest ? above : longest;
    }
    return longest;
}

TEST(causes_exist_and_form_no_circle)
{
    enum { LONGEST = 8 };
    const struct orr_finding_row *row;
    unsigned explained = 0;
    for (size_t i = 0; (row = orr_finding_row(i)); i++) {
        assert_null(row->follows_from[ORR_MOST_CAUSES - 1]);
        assert_in_range(chain_above(row, LONGEST), 0, LONGEST - 1);
        explained += row->follows_from[0] != NULL;
    }
    assert_in_range(explained, 1, 100);
}
