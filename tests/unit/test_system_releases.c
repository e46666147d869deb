/* SPDX-License-Identifier: Apache-2.0 */
/* What releases build differently, which contradictions are errors, and the check of every system. */
#include "tests/support/built.h"

static struct built build_in(const char *release, const char *text)
{
    struct built b;
    struct orr_error err;
    assert_ok(try_build_in(release, text, &b, &err), &err);
    assert_true(orr_system_check(&b.system, &err));
    return b;
}

#define NVS_LINKS "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>"

TEST(from_2_30_on_links_hang_on_the_physical_gpu)
{
    struct built b = build_in("2.30.7", "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL
                                        ">" GPU("0000:07:00.0", "0", "100", NVS_LINKS)
                                            NIC("0000:08:00.0", "0", "100000") "</cpu></system>");
    assert_links(&b, "GPU/0-7000", "DEV/0-7000 LOC 5000");
    assert_links(&b, "DEV/0-7000", "GPU/0-7000 LOC 5000, NVS/0-0 NVL 721.799988, CPU/0-0 PCI 24");
    assert_links(&b, "NVS/0-0", "DEV/0-7000 NVL 721.799988");
    release_built(&b);
    /* Function 2 of a device is a GPU like any other, though the same bits number partitions. */
    b = build_in("2.30.7", "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL
                           ">" GPU("0000:07:00.2", "0", "100", NVS_LINKS) "</cpu></system>");
    assert_links(&b, "NVS/0-0", "DEV/0-7002 NVL 721.799988");
    release_built(&b);
}
TEST(partitions_share_the_links_of_their_gpu)
{
    const char *half = "<gpu dev=\"0\" sm=\"100\" rank=\"%d\" gdr=\"1\" mlopart=\"%d\">" NVS_LINKS
                       "<c2c bw=\"44712\" count=\"10\"/></gpu>";
    char first[512], second[512], text[2048];
    snprintf(first, sizeof first, half, 0, 0);
    snprintf(second, sizeof second, half, 1, 1);
    snprintf(text, sizeof text,
             "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\"><pci busid=\"0000:07:00.0\" "
             "class=\"0x030200\" " GEN4X16 ">%s%s</pci></cpu></system>",
             first, second);
    struct built b = build_in("2.30.7", text);
    assert_links(&b, "DEV/0-7001",
                 "GPU/0-7001 LOC 5000, DEV/0-7003 LOC 2618, CXB/0-7000 C2C 447.119995, "
                 "NVS/0-0 NVL 360.899994, CPU/0-0 PCI 24");
    assert_int_equal(orr_system_count(&b.system, ORR_CXB), 1);
    release_built(&b);
}
/* As users see it: a device with one rank is one device; one with two ranks contains them. */
TEST(a_device_with_one_rank_folds_into_it)
{
    struct built b;
    struct orr_error err;
    assert_ok(try_build_with("2.30.7", "0",
                             "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL
                             ">" GPU("0000:01:00.0", "0", "90",
                                     "") "<pci busid=\"0000:02:00.0\" class=\"0x030200\" " GEN4X16
                                         "><gpu dev=\"1\" sm=\"90\" rank=\"1\" gdr=\"1\" mlopart=\"0\"/>"
                                         "<gpu dev=\"1\" sm=\"90\" rank=\"2\" gdr=\"1\" mlopart=\"1\"/>"
                                         "</pci></cpu></system>",
                             &b, &err),
              &err);
    struct orr_system folded;
    uint32_t *folded_into, alone = b.system.first[ORR_DEV], shared = alone + 1, gpu = b.system.first[ORR_GPU];
    assert_int_equal(orr_system_count(&b.system, ORR_DEV), 2);
    assert_true(orr_system_fold(&b.system, b.arena, &folded, &folded_into));
    assert_int_equal(folded_into[alone], gpu);
    assert_int_equal(folded_into[shared], shared);
    bool reaches_cpu = false;
    for (uint32_t l = 0; l < folded.nodes[gpu].link_count; l++)
        reaches_cpu |= folded.links[folded.nodes[gpu].first_link + l].to == folded.first[ORR_CPU];
    assert_true(reaches_cpu);
    for (uint32_t l = 0; l < folded.link_count; l++) {
        assert_int_not_equal(folded.links[l].from, alone);
        assert_int_not_equal(folded.links[l].to, alone);
    }
    release_built(&b);
}
TEST(functions_of_a_nic_were_one_nic_before_2_23)
{
    struct built b =
        build_in("2.21.5", "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">" GPU("0000:07:00.0", "0", "80", "")
                               NIC("0000:08:00.0", "0", "100000") NIC("0000:08:00.1", "1", "100000") "</cpu></system>");
    assert_int_equal(orr_system_count(&b.system, ORR_NIC), 1);
    assert_links(&b, "NIC/0-8000", "NET/0-0 NET 12.5, NET/0-1 NET 12.5, CPU/0-0 PCI 24");
    assert_links(&b, "GPU/0-7000", "GPU/0-7000 LOC 5000, CPU/0-0 PCI 24");
    release_built(&b);
}
TEST(numa_node_minus_one_shows_as_each_release_shows_it)
{
    static const struct {
        const char *release, *id;
    } cases[] = {{"2.7.8", "CPU/0-ffffffffffffffff"},
                 {"2.12.12", "CPU/0-ffffffffffffffff"},
                 {"2.21.5", "CPU/ffffffffffffffff-ffffffffffffff"},
                 {"2.27.7", "CPU/0-ffffffffffffff"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char id[ORR_NODE_ID_SIZE];
        struct built b = build_in(cases[i].release, "<system version=\"1\"><cpu numaid=\"-1\" arch=\"arm64\">" GPU(
                                                        "0000:07:00.0", "0", "80", "") "</cpu></system>");
        assert_string_equal(orr_system_node_id(&b.system, b.system.first[ORR_CPU], id), cases[i].id);
        assert_int_equal(orr_system_find(&b.system, id), b.system.first[ORR_CPU]);
        release_built(&b);
    }
}
TEST(hosts_of_an_anonymised_dump_differ_by_their_text)
{
    struct built b = build("<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\" host_hash=\"0xHOST_A\">" GPU(
        "0000:07:00.0", "0", "100", NVS_LINKS) "</cpu><cpu numaid=\"0\" arch=\"arm64\" "
                                               "host_hash=\"0xHOST_B\">" GPU("0000:07:00.0", "1", "100",
                                                                             NVS_LINKS) "</cpu></system>");
    assert_int_equal(b.system.host_count, 2);
    release_built(&b);
}
struct failure {
    const char *text;
    enum orr_code code;
    const char *words, *where;
};

TEST(contradictions_are_errors_with_a_place)
{
    static const struct failure cases[] = {
        {"<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\"/></system>", ORR_NO_RANKS, "no GPU", ""},
        {"<system version=\"1\"><cpu arch=\"arm64\"/></system>", ORR_INVALID, "numaid", "system/cpu[0]"},
        {"<system version=\"1\"><cpu numaid=\"0\"/></system>", ORR_INVALID, "arch", "system/cpu[0]"},
        {"<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\"/></system>", ORR_INVALID, "vendor", "system/cpu[0]"},
        {"<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\"><pci class=\"0x03\"/></cpu></system>", ORR_INVALID,
         "busid", "system/cpu[0]/pci[0]"},
        {"<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\"><pci class=\"0x03\" busid=\"7\"><gpu rank=\"0\" "
         "dev=\"0\" "
         "gdr=\"1\"/></pci></cpu></system>",
         ORR_INVALID, "sm", "system/cpu[0]/pci[0]/gpu[0]"},
        {"<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\"><pci class=\"0x03\" busid=\"7\"><gpu rank=\"0\" "
         "dev=\"0\" "
         "sm=\"80\" gdr=\"1\"/></pci></cpu></system>",
         ORR_INVALID, "link_width", "system/cpu[0]/pci[0]"},
        {"<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">" GPU("7:0", "0", "80", "")
             GPU("7:0", "1", "80", "") "</cpu></system>",
         ORR_INVALID, "two GPUs of one host", "system/cpu[0]/pci[1]"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct built b;
        struct orr_error err;
        assert_error(try_build(cases[i].text, &b, &err), cases[i].code, &err, cases[i].words);
        assert_string_equal(err.where, cases[i].where);
        release_built(&b);
    }
}
TEST(more_nodes_than_nccl_has_room_for_are_refused)
{
    ORR_LOCAL_TEXT(text, 1 << 20);
    orr_text_puts(&text, "<system version=\"1\"><cpu numaid=\"0\" arch=\"arm64\">");
    for (int i = 0; i < 577; i++)
        orr_text_printf(&text, "<pci busid=\"%x\" class=\"0x060400\" " GEN4X16 "/>", i);
    orr_text_puts(&text, "</cpu></system>");
    struct built b;
    struct orr_error err;
    assert_error(try_build(text.data, &b, &err), ORR_LIMIT, &err, "576");
    release_built(&b);
}
/* Each row damages a sound system in one place; the check names the invariant. */
enum damage { WRONG_TYPE, WRONG_RANGE, WRONG_SPAN, LOST_LINK, NO_SUCH_END, WRONG_OWNER, WRONG_REVERSE };

static void damage(struct orr_system *system, enum damage how)
{
    switch (how) {
    case WRONG_TYPE:
        system->nodes[0].type = ORR_NET;
        break;
    case WRONG_RANGE:
        system->first[ORR_NODE_TYPE_COUNT]--;
        break;
    case WRONG_SPAN:
        system->nodes[1].first_link++;
        break;
    case LOST_LINK:
        system->link_count--;
        break;
    case NO_SUCH_END:
        system->links[1].to = system->node_count;
        break;
    case WRONG_OWNER:
        system->links[0].from = system->links[0].to;
        break;
    case WRONG_REVERSE:
        system->links[0].reverse = 0;
        break;
    }
}

TEST(a_damaged_system_is_reported_by_its_invariant)
{
    static const struct {
        enum damage how;
        const char *invariant;
    } rows[] = {{WRONG_TYPE, "nodes-by-type"},        {WRONG_RANGE, "types-cover-nodes"},
                {WRONG_SPAN, "link-spans-adjoin"},    {LOST_LINK, "spans-cover-links"},
                {NO_SUCH_END, "link-ends-exist"},     {WRONG_OWNER, "links-at-their-node"},
                {WRONG_REVERSE, "reverse-leads-back"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct orr_error err = {0};
        struct built b = build("<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" GPU(
            "0000:07:00.0", "0", "80", "") GPU("0000:08:00.0", "1", "80", "") "</cpu></system>");
        damage(&b.system, rows[i].how);
        assert_false(orr_system_check(&b.system, &err));
        assert_error(err.code, ORR_INTERNAL, &err, rows[i].invariant);
        release_built(&b);
    }
}
TEST(every_system_is_checked_where_it_is_asked_for)
{
    struct orr_budget budget = {.check_systems = true};
    struct orr_error err = {0};
    struct orr_system copy;
    unsigned char keep[64];
    struct built b = build("<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL
                           ">" GPU("0000:07:00.0", "0", "80", "") "</cpu></system>");
    assert_true(b.system.node_count <= sizeof keep);
    memset(keep, 1, sizeof keep);
    orr_budget_begin(&budget);
    struct orr_kept kept = {.node = ORR_NEW(b.arena, uint32_t, b.system.node_count),
                            .link = ORR_NEW(b.arena, uint32_t, b.system.link_count)};
    assert_true(kept.node && kept.link);
    assert_ok(orr_system_without(&b.system, keep, b.arena, &copy, &kept, &err), &err);
    damage(&b.system, WRONG_TYPE); /* which a copy keeps */
    assert_error(orr_system_without(&b.system, keep, b.arena, &copy, &kept, &err), ORR_INTERNAL, &err, "nodes-by-type");
    orr_budget_end();
    release_built(&b);
}
