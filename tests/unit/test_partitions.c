/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions of a GPU (mlopart), which are known from 2.30.7 on, and several GPUs with one bus id, which are not
 * partitions. */
#include "tests/support/fixture.h"

#define NVS_LINKS   "<nvlink target=\"0000:f0:00.0\" count=\"18\" tclass=\"0x068000\"/>"
#define C2C_LINKS   "<c2c bw=\"44712\" count=\"10\"/>"
#define ON(bus, of) "<pci busid=\"" bus "\" class=\"0x030200\" " GEN3X16 ">" of "</pci>"
#define RANK(rank, partition)                                                                                          \
    "<gpu dev=\"0\" sm=\"100\" rank=\"" rank "\" gdr=\"1\"" partition ">" NVS_LINKS C2C_LINKS "</gpu>"
#define PART(number)     " mlopart=\"" number "\""
#define HOST(inside)     "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" inside "</cpu></system>"
#define TWO_PARTS        ON("0000:07:00.0", RANK("0", PART("0")) RANK("1", PART("1")))
#define WHOLE(bus, rank) ON(bus, "<gpu dev=\"1\" sm=\"100\" rank=\"" rank "\" gdr=\"1\">" NVS_LINKS "</gpu>")
#define TWO_AND_ONE      HOST(TWO_PARTS WHOLE("0000:08:00.0", "2") NIC("0000:20:00.0", "0", "100000"))

/* "GPU/0-7000 LOC 5000, ..." of a node's links in order. */
static void assert_links(const struct fixture *f, const char *node, const char *expected)
{
    const struct orr_system *system = &f->analysis->built;
    char text[1024] = "", id[ORR_NODE_ID_SIZE];
    uint32_t n = orr_system_find(system, node);
    if (n == ORR_NO_NODE)
        fail_msg("there is no %s", node);
    for (uint32_t l = system->nodes[n].first_link; l < system->nodes[n].first_link + system->nodes[n].link_count; l++) {
        const struct orr_link *link = &system->links[l];
        size_t used = strlen(text);
        snprintf(text + used, sizeof text - used, "%s%s %s %.9g", used ? ", " : "",
                 orr_system_node_id(system, link->to, id), orr_link_type_name(link->type), (double)link->bw);
    }
    assert_string_equal(text, expected);
}

/* docs/nccl/graph.md, "NVLink bandwidth per link", for partitions. */
TEST(partitions_are_devices_of_their_own)
{
    FIXTURE f = analyse_in("2.30.7", TWO_AND_ONE, 1, NULL);
    assert_links(&f, "DEV/0-7001",
                 "GPU/0-7001 LOC 5000, DEV/0-7003 LOC 2618, CXB/0-7000 C2C 447.119995, NVS/0-0 NVL 360.899994, "
                 "CPU/0-0 PCI 12");
    assert_links(&f, "GPU/0-7003", "DEV/0-7003 LOC 5000");
    assert_int_equal(orr_system_count(&f.analysis->built, ORR_DEV), 3);
}

TEST(without_splitting_they_are_ranks_on_one_device)
{
    const char *whole[] = {"NCCL_TOPO_SPLIT_MLOPART", "0", NULL};
    FIXTURE f = analyse_in("2.30.7", TWO_AND_ONE, 1, whole);
    assert_links(&f, "DEV/0-7000",
                 "GPU/0-7000 LOC 5000, GPU/0-10000007000 LOC 5000, NVS/0-0 NVL 721.799988, CPU/0-0 PCI 12, "
                 "CPU/0-0 C2C 447.119995"); /* the fastest link to the CPU above goes last:
                                             * docs/nccl/graph.md, "Order of links" */
    assert_links(&f, "GPU/0-10000007000", "DEV/0-7000 LOC 5000");
    assert_links(&f, "NVS/0-0", "DEV/0-7000 NVL 721.799988, DEV/0-8000 NVL 721.799988");
    assert_int_equal(orr_system_count(&f.analysis->built, ORR_DEV), 2);
    assert_int_equal(orr_system_count(&f.analysis->built, ORR_CXB), 0);
    assert_int_equal((int)f.analysis->ranks, 3);
    assert_path(&f, "GPU/0-7000", "GPU/0-10000007000", "LOC", 5000);
    assert_int_equal(f.analysis->p2p[1].decision.verdict, 1);
}

static const struct orr_decision *gdr_of(const struct fixture *f, uint32_t rank, bool receives)
{
    const struct orr_gdr *gdr = &f->analysis->parts[0].gdr[rank];
    return receives ? &gdr->recv : &gdr->send;
}

/* docs/nccl/p2p-and-gdr.md, "When GPUDirect RDMA is used". */
TEST(partitions_have_no_gpu_direct_unless_asked)
{
    const char *on[] = {"NCCL_NET_GDR_MLOPART", "1", "NCCL_NET_GDR_LEVEL", "SYS", NULL};
    const char *off[] = {"NCCL_NET_GDR_LEVEL", "SYS", NULL};
    const char *whole[] = {"NCCL_NET_GDR_LEVEL", "SYS", "NCCL_TOPO_SPLIT_MLOPART", "0", NULL};
    FIXTURE with = analyse_in("2.30.7", TWO_AND_ONE, 2, on), without = analyse_in("2.30.7", TWO_AND_ONE, 2, off);
    FIXTURE unsplit = analyse_in("2.30.7", TWO_AND_ONE, 2, whole);
    for (uint32_t rank = 0; rank < 3; rank++)
        for (int receives = 0; receives < 2; receives++) {
            bool is_part = rank < 2;
            assert_true(gdr_of(&with, rank, receives)->verdict > 0);
            assert_int_equal(gdr_of(&without, rank, receives)->verdict > 0, !is_part);
            assert_int_equal(gdr_of(&unsplit, rank, receives)->verdict > 0, !is_part);
            if (is_part) {
                assert_int_equal(gdr_of(&without, rank, receives)->rule, ORR_RULE_GDR_PARTITION);
                assert_int_equal(gdr_of(&without, rank, receives)->setting, ORR_SET_NET_GDR_MLOPART);
            }
        }
}

/* Older releases know no partitions: the first <gpu> is the GPU, and it is a whole one. */
TEST(older_releases_read_no_partitions)
{
    const char *given[] = {"NCCL_NET_GDR_LEVEL", "SYS", "NCCL_TOPO_SPLIT_MLOPART", "0", NULL};
    FIXTURE f = analyse_in("2.27.7", TWO_AND_ONE, 2, given);
    assert_int_equal(f.analysis->local_ranks, 2);
    assert_true(gdr_of(&f, 0, true)->verdict > 0);
}

TEST(one_bus_id_is_one_gpu)
{
    static const struct {
        const char *text;
        bool old_releases; /* refuse it as well: they see both */
    } cases[] = {
        {HOST(WHOLE("0000:07:00.0", "0") WHOLE("0000:07:00.0", "1")), true},
        {HOST(ON("0000:07:00.0", RANK("0", "") RANK("1", ""))), false},
        {HOST(ON("0000:07:00.0", RANK("0", PART("0")) RANK("1", PART("0")))), false},
        {HOST(ON("0000:07:00.0", RANK("0", PART("1")) RANK("1", PART("1")))), false},
        {HOST(ON("0000:07:00.0", RANK("0", "") RANK("1", PART("0")))), false},
        {HOST(ON("0000:07:00.0", RANK("0", PART("1")) RANK("1", ""))), false},
        {HOST(ON("0000:07:00.0", RANK("0", PART("0"))) ON("0000:07:00.0", RANK("1", ""))), true},
    };
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        for (uint32_t r = 0; r < count; r++)
            for (int split = 0; split < 2; split++) {
                struct orr_error err = {0};
                struct orr_analysis *analysis = NULL;
                ORR_OWNED(orr_dump) *dump = read_text(cases[i].text);
                struct orr_query query = {.hosts = 1};
                orr_settings_init(&query.settings, &releases[r]);
                assert_ok(orr_settings_set(&query.settings, "NCCL_TOPO_SPLIT_MLOPART", split ? "1" : "0", &err), &err);
                enum orr_code code = orr_analyze(dump, &query, NULL, &analysis, &err);
                if (releases[r].has_devs || cases[i].old_releases)
                    assert_error(code, ORR_INVALID, &err, "two GPUs of one host have the bus id 0000:07:00.0");
                else if (code == ORR_OK)
                    assert_int_equal(analysis->local_ranks, 1);
                orr_analysis_free(analysis);
            }
}
