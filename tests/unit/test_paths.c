/* SPDX-License-Identifier: Apache-2.0 */
/* Routes, what P2P, GPUDirect RDMA and PXN make of them, and the verdicts themselves. */
#include "engine/decide/nearest.h"
#include "engine/decide/verdicts.h"
#include "tests/support/fixture.h"

#define CPU0(inside)   "<cpu numaid=\"0\" " X86_INTEL ">" inside "</cpu>"
#define CPU1(inside)   "<cpu numaid=\"1\" " X86_INTEL ">" inside "</cpu>"
#define SYSTEM(inside) "<system version=\"1\">" inside "</system>"

/* Two bridges below one CPU, a GPU below each. */
#define TWO_BRIDGES(cpu)                                                                                               \
    SYSTEM("<cpu numaid=\"0\" " cpu ">" SWITCH("0000:01:00.0") GPU("0000:02:00.0", "0", "80", "") "</pci>" SWITCH(     \
        "0000:03:00.0") GPU("0000:04:00.0", "1", "80", "") "</pci></cpu>")

TEST(kinds_of_paths_follow_bridges_and_cpus)
{
    FIXTURE f = analyse_text(
        SYSTEM(CPU0(SWITCH("0000:01:00.0") SWITCH("0000:02:00.0") GPU("0000:04:00.0", "0", "80", "") "</pci>" SWITCH(
            "0000:03:00.0") GPU("0000:05:00.0", "1", "80", "")
                        NIC("0000:06:00.0", "0", "100000") "</pci></pci>" GPU("0000:07:00.0", "2", "80", ""))),
        2, NULL);
    assert_path(&f, "GPU/0-4000", "GPU/0-4000", "LOC", 5000);
    assert_path(&f, "GPU/0-4000", "GPU/0-5000", "PXB", 24);
    assert_path(&f, "GPU/0-5000", "NET/0-0", "PIX", 12.5);
    assert_path(&f, "GPU/0-4000", "NET/0-0", "PXB", 12.5);
    assert_path(&f, "GPU/0-7000", "NET/0-0", "PHB", 12.5);
    assert_path(&f, "GPU/0-4000", "CPU/0-0", "PHB", 24);
}

struct level_case {
    const char *value;
    int p2p;
};

/* NCCL_NETDEVS_POLICY came with 2.28: a release that does not know it goes on as before. */
TEST(the_policy_of_nics_is_heeded_where_it_is_known)
{
    const char *all[] = {"NCCL_NETDEVS_POLICY", "ALL", NULL};
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++) {
        FIXTURE f = analyse_in(releases[i].name, TWO_BRIDGES(X86_INTEL), 1, all);
        bool known = orr_setting_in(ORR_SET_NETDEVS_POLICY, &releases[i]);
        assert_int_equal(f.analysis->parts[0].paths.nets_per_gpu, known ? ORR_NETS_EVERY : ORR_NETS_AUTO);
    }
    assert_false(orr_setting_in(ORR_SET_NETDEVS_POLICY, orr_release_find("2.27.7")));
}

TEST(p2p_keeps_to_its_level)
{
    static const struct level_case cases[] = {{"3", 1},   {"0x3", 1}, {"3abc", 1},   {"4", 1},   {"010", 1}, {"PHB", 1},
                                              {"SYS", 1}, {"LOC", 0}, {"PIX", 0},    {"PXB", 0}, {"0", 0},   {"1", 0},
                                              {"2", 0},   {"phb", 0}, {"NVLINK", 0}, {"-1", 0},  {"", 0}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const char *settings[] = {"NCCL_P2P_LEVEL", cases[i].value, NULL};
        FIXTURE f = analyse_text(TWO_BRIDGES(X86_INTEL), 1, settings);
        const struct orr_p2p *pair = &f.analysis->p2p[1];
        if (pair->decision.verdict != cases[i].p2p)
            fail_msg("NCCL_P2P_LEVEL=%s gives %d", cases[i].value, pair->decision.verdict);
        assert_int_equal(pair->decision.rule, cases[i].p2p ? ORR_RULE_P2P_WITHIN_LEVEL : ORR_RULE_P2P_BEYOND_LEVEL);
        assert_int_equal(pair->decision.distance, ORR_PATH_PHB);
    }
}

TEST(two_gpus_on_amd_use_p2p_across_the_cpu_but_three_do_not)
{
    FIXTURE two = analyse_text(TWO_BRIDGES(X86_AMD), 1, NULL);
    FIXTURE three = analyse_text(SYSTEM("<cpu numaid=\"0\" " X86_AMD ">" GPU("0000:02:00.0", "0", "80", "") GPU(
                                     "0000:04:00.0", "1", "80", "") GPU("0000:05:00.0", "2", "80", "") "</cpu>"),
                                 1, NULL);
    assert_int_equal(two.analysis->p2p[1].decision.verdict, 1);
    assert_int_equal(three.analysis->p2p[1].decision.verdict, 0);
}

/* Two sockets, each with a GPU and a fast NIC below a switch: the network beats the socket link. */
#define TWO_SOCKETS                                                                                                    \
    SYSTEM(CPU0(SWITCH("0000:01:00.0") GPU("0000:04:00.0", "0", "80", "") NIC("0000:05:00.0", "0", "100000") "</pci>") \
               CPU1(SWITCH("0000:81:00.0") GPU("0000:84:00.0", "1", "80", "")                                          \
                        NIC("0000:85:00.0", "1", "100000") "</pci>"))

TEST(sockets_part_where_the_network_is_faster)
{
    const char *off[] = {"NCCL_NET_DISABLE_INTRA", "1", NULL};
    FIXTURE apart = analyse_text(TWO_SOCKETS, 1, NULL);
    FIXTURE together = analyse_text(TWO_SOCKETS, 1, off);
    assert_int_equal(apart.analysis->part_count, 2);
    assert_float_equal(apart.analysis->parts[0].system.max_bw, 12.5, 0);
    assert_int_equal(orr_system_count(&apart.analysis->parts[0].system, ORR_NET), 2);
    assert_int_equal(apart.analysis->p2p[1].decision.rule, ORR_RULE_P2P_OTHER_PART);
    assert_int_equal(together.analysis->part_count, 1);
    assert_int_equal(orr_system_count(&together.analysis->parts[0].system, ORR_NET), 0);
    assert_path(&together, "rank:0", "rank:1", "SYS", 10);
}

TEST(without_shared_memory_and_p2p_gpus_part)
{
    const char *off[] = {"NCCL_SHM_DISABLE", "1", NULL};
    FIXTURE f = analyse_text(TWO_BRIDGES(X86_INTEL), 2, off);
    assert_int_equal(f.analysis->part_count, 2);
    assert_int_equal(f.analysis->communicator.node_count, 4);
}

/* A relay: rank 0 and 2 share no NVLink, rank 1 has one to both. */
#define NVLINK(bus, count) "<nvlink target=\"" bus "\" count=\"" count "\" tclass=\"0x030200\"/>"
#define RELAY                                                                                                          \
    SYSTEM(CPU0(GPU("0000:04:00.0", "0", "70", NVLINK("0000:05:00.0", "2"))                                            \
                    GPU("0000:05:00.0", "1", "70", NVLINK("0000:04:00.0", "2") NVLINK("0000:06:00.0", "1")))           \
               CPU1(GPU("0000:06:00.0", "2", "70", NVLINK("0000:05:00.0", "1")) NIC("0000:07:00.0", "0", "200000")))

/* The whole host's route from rank 0 to the CPU of rank 1 leads through rank 1. The part of rank 0 alone, to which the
 * routes of the whole are handed on, has none through a GPU that it lacks. */
TEST(parts_have_no_routes_through_gpus_of_others)
{
    static const char text[] = SYSTEM(CPU0(GPU("0000:04:00.0", "1", "70", NVLINK("0000:05:00.0", "2"))) CPU1(
        GPU("0000:05:00.0", "0", "70", NVLINK("0000:04:00.0", "2")) NIC("0000:07:00.0", "0", "200000")));
    const char *off[] = {"NCCL_SHM_DISABLE", "1", "NCCL_P2P_DISABLE", "1", NULL};
    static const char *const releases[] = {"2.12.12", "2.21.5", "2.27.7"}; /* later ones keep all DEVs */
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        FIXTURE together = analyse_in(releases[i], text, 2, NULL), apart = analyse_in(releases[i], text, 2, off);
        assert_int_equal(apart.analysis->part_count, 2);
        assert_int_equal(path_between(&together, "rank:0", "CPU/0-0")->type, ORR_PATH_PHB);
        assert_int_equal(path_between(&apart, "rank:0", "CPU/0-0")->type, ORR_PATH_SYS);
    }
}

TEST(nvlink_through_a_gpu_is_nvb)
{
    const char *off[] = {"NCCL_NVB_DISABLE", "1", NULL};
    FIXTURE f = analyse_text(RELAY, 2, NULL), direct = analyse_text(RELAY, 2, off);
    assert_path(&f, "rank:0", "rank:1", "NVL", 40);
    assert_path(&f, "rank:0", "rank:2", "NVB", 20);
    assert_int_equal(f.analysis->p2p[2].via, 1);
    assert_string_equal(orr_path_type_name((enum orr_path_type)path_between(&direct, "rank:0", "rank:2")->type), "SYS");
    assert_int_equal(path_between(&direct, "rank:0", "rank:2")->origin, ORR_ROUTE_VIA_CPU_NO_P2P);
}

TEST(a_nic_is_reached_through_the_gpu_next_to_it)
{
    const char *off[] = {"NCCL_PXN_DISABLE", "1", NULL};
    const char *text = SYSTEM(CPU0(SWITCH("0000:01:00.0") GPU("0000:04:00.0", "0", "80", NVLINK("0000:84:00.0", "4"))
                                       NIC("0000:05:00.0", "0", "200000") "</pci>")
                                  CPU1(GPU("0000:84:00.0", "1", "80", NVLINK("0000:04:00.0", "4"))));
    FIXTURE f = analyse_text(text, 2, NULL), without = analyse_text(text, 2, off);
    assert_path(&f, "rank:1", "NET/0-0", "PXN", 24);
    assert_path(&f, "NET/0-0", "rank:1", "SYS", 10);
    assert_int_equal(path_between(&f, "rank:1", "NET/0-0")->origin, ORR_ROUTE_PXN);
    assert_path(&without, "rank:1", "NET/0-0", "SYS", 10);
}

static const struct orr_gdr *gdr_of(const struct fixture *f)
{
    return &f->analysis->parts[0].gdr[0];
}

#define GPU_AND_NIC(sm)                                                                                                \
    SYSTEM(CPU0(SWITCH("0000:01:00.0") GPU("0000:04:00.0", "0", sm, "") GPU("0000:05:00.0", "1", sm, "")               \
                    NIC("0000:06:00.0", "0", "100000") "</pci>"))

TEST(gpus_before_80_are_read_for_sending_only_with_nvlink)
{
    const char *read[] = {"NCCL_NET_GDR_READ", "1", NULL};
    FIXTURE old = analyse_text(GPU_AND_NIC("70"), 2, NULL), new = analyse_text(GPU_AND_NIC("80"), 2, NULL);
    FIXTURE forced = analyse_text(GPU_AND_NIC("70"), 2, read);
    assert_int_equal(gdr_of(&old)->send.verdict, 0);
    assert_int_equal(gdr_of(&old)->send.rule, ORR_RULE_GDR_READ_OFF);
    assert_int_equal(gdr_of(&old)->recv.verdict, 1);
    assert_int_equal(gdr_of(&new)->send.verdict, 1);
    assert_int_equal(gdr_of(&forced)->send.verdict, 1);
}

TEST(without_gdr_the_path_goes_by_the_cpu)
{
    const char *loc[] = {"NCCL_NET_GDR_LEVEL", "LOC", NULL};
    FIXTURE f = analyse_text(GPU_AND_NIC("80"), 2, loc);
    const struct orr_path *path = path_between(&f, "NET/0-0", "rank:0");
    assert_int_equal(gdr_of(&f)->recv.verdict, 0);
    assert_int_equal(gdr_of(&f)->recv.setting, ORR_SET_NET_GDR_LEVEL);
    assert_true(gdr_of(&f)->recv.by_user);
    assert_int_equal(path->type, ORR_PATH_PHB);
    assert_int_equal(path->origin, ORR_ROUTE_VIA_CPU_NO_GDR);
    assert_int_equal(path->hops, 5); /* NIC, switch, CPU, switch again, GPU */
}

TEST(bandwidth_beats_distance_in_choosing_a_nic)
{
    FIXTURE f = analyse_text(SYSTEM(CPU0(SWITCH("0000:01:00.0") GPU("0000:04:00.0", "0", "80", "") NIC(
                                 "0000:05:00.0", "0", "100000") "</pci>" NIC("0000:06:00.0", "1", "200000"))),
                             2, NULL);
    const struct orr_part *part = &f.analysis->parts[0];
    uint32_t scratch[16], net = orr_local_net(&part->paths, part->system.first[ORR_GPU], 0, scratch);
    assert_int_equal(net, orr_system_find(&part->system, "NET/0-1"));
}

TEST(nics_of_one_id_share_a_column)
{
    FIXTURE f = analyse_text(SYSTEM(CPU0(GPU("0000:04:00.0", "0", "80", "") NIC("0000:05:00.0", "0", "1000"))
                                        CPU1(NIC("0000:06:00.0", "0", "200000"))),
                             2, NULL);
    const struct orr_part *part = &f.analysis->parts[0];
    uint32_t gpu = part->system.first[ORR_GPU], net = part->system.first[ORR_NET];
    assert_float_equal(orr_path(&part->paths, gpu, net)->bw, 0.125, 0);
    assert_int_equal(orr_path(&part->paths, gpu, net + 1)->type, ORR_PATH_DIS);
}

TEST(an_nvlink_of_one_side_is_refused)
{
    struct orr_error err = {0};
    struct orr_query query = {.hosts = 1};
    struct orr_analysis *analysis = NULL;
    ORR_OWNED(orr_dump) *dump = read_text(
        SYSTEM(CPU0(GPU("0000:04:00.0", "0", "80", NVLINK("0000:05:00.0", "1")) GPU("0000:05:00.0", "1", "80", ""))));
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    assert_error(orr_analyze(dump, &query, NULL, &analysis, &err), ORR_INVALID, &err, "no link back");
}

TEST(every_bandwidth_is_the_least_of_its_links)
{
    FIXTURE f = analyse_text(RELAY, 2, NULL);
    const struct orr_paths *paths = &f.analysis->parts[0].paths;
    for (size_t i = 0; i < (size_t)paths->base_count * paths->base_count; i++) {
        float least = ORR_LOC_BW;
        for (uint32_t h = 0; h < paths->table[i].hops; h++) {
            float bw = paths->system->links[paths->links[paths->table[i].first + h]].bw;
            least = bw < least ? bw : least;
        }
        assert_float_equal(paths->table[i].bw, paths->table[i].type == ORR_PATH_DIS ? 0 : least, 0);
    }
}
