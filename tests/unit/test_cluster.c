/* SPDX-License-Identifier: Apache-2.0 */
/* Clusters: which rank is where, what a choice of GPUs leaves of a dump, how hosts of one NVLink domain become one
 * system, who sets what all share, and where rings go. */
#include "engine/cluster/cluster.h"
#include "engine/nics/combine.h"

#include "engine/cluster/groups.h"
#include "engine/cluster/standing.h"
#include "engine/cluster/traffic.h"
#include "engine/release/cpu.h"
#include "tests/support/cluster_case.h"

static void assert_ranks(const int32_t *ranks, uint32_t count, const int32_t *expected)
{
    for (uint32_t i = 0; i < count; i++)
        assert_int_equal(ranks[i], expected[i]);
}

TEST(ranks_are_placed_as_launchers_do)
{
    static const uint32_t two[] = {0, 2}, list[] = {2, 0, 0, 1, 2, 1, 0, 0, 1, 1};
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 2},
                                             {.dump = dump, .count = 1, .gpus = two, .gpu_count = 2}};
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_ranks(cluster->hosts[1].ranks, 4, (const int32_t[]){4, 5, 6, 7});
    assert_ranks(cluster->hosts[2].ranks, 2, (const int32_t[]){8, 9});
    make(lines, 2, ORR_ORDER_CYCLIC);
    assert_ranks(cluster->hosts[0].ranks, 4, (const int32_t[]){0, 3, 6, 8});
    assert_ranks(cluster->hosts[2].ranks, 2, (const int32_t[]){2, 5});
    assert_ok(ask(lines, 2, ORR_ORDER_LIST, list, 10), &err);
    assert_ranks(cluster->hosts[2].ranks, 2, (const int32_t[]){0, 4});
    assert_int_equal(cluster->systems[0].hosts[0], 2); /* the host of rank 0 comes first */
    assert_int_equal(cluster->analysis->local_ranks, 2);
    assert_int_equal(cluster->kind_count, 2);
}

TEST(ranks_go_by_what_people_call_the_hosts)
{
    static const char *const names[] = {"node10", "node2"}, *const one[] = {"node1"};
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 2, .names = names, .leaf = "leaf10", .rack = "r1"},
                                             {.dump = slow, .count = 1, .names = one, .leaf = "leaf9", .rack = "r1"}};
    static const struct {
        enum orr_rank_order order;
        int32_t first[3]; /* rank of each host */
    } rows[] = {{ORR_ORDER_BLOCK, {0, 4, 8}},
                {ORR_ORDER_NAME, {8, 4, 0}},
                {ORR_ORDER_SWITCH, {8, 4, 0}},
                {ORR_ORDER_DOMAIN, {8, 4, 0}}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        make(lines, 2, rows[i].order);
        for (uint32_t h = 0; h < 3; h++)
            assert_ranks(
                cluster->hosts[h].ranks, 4,
                (const int32_t[]){rows[i].first[h], rows[i].first[h] + 1, rows[i].first[h] + 2, rows[i].first[h] + 3});
    }
    const struct orr_cluster_line unknown[] = {{.dump = dump, .count = 2, .leaf = "leaf1"}};
    make(unknown, 1, ORR_ORDER_SWITCH);
    assert_error(ask(unknown, 1, ORR_ORDER_NAME, NULL, 0), ORR_INVALID, &err, "name of each host");
    assert_error(ask(unknown, 1, ORR_ORDER_DOMAIN, NULL, 0), ORR_INVALID, &err, "NVLink domain of each host");
}

TEST(hosts_are_listed_by_name)
{
    static const char *const names[] = {"node10", "node9", "node1", "node2", "node11"}, *const rest[] = {"node7"};
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 5, .names = names},
                                             {.dump = slow, .count = 1, .names = rest}};
    static const uint32_t all[] = {0, 1, 2, 3, 4, 5}, three[] = {0, 1, 4};
    char text[ORR_HOSTS_TEXT];
    make(lines, 2, ORR_ORDER_BLOCK);
    orr_host_list_text(cluster, all, 6, text);
    assert_string_equal(text, "node1, node2, node7 and node9 to node11");
    orr_host_list_text(cluster, three, 3, text);
    assert_string_equal(text, "node9 to node11");
    orr_host_list_text(cluster, all, 3, text); /* neighbours in the description, but not by name */
    assert_string_equal(text, "node1, node9 and node10");
}

TEST(lists_that_do_not_fit_are_refused)
{
    static const uint32_t short_list[] = {0, 0}, far[] = {0, 0, 1, 0}, full[] = {0, 0, 0, 0, 0, 1, 1, 1},
                          foreign[] = {9}, twice[] = {1, 1};
    const struct orr_cluster_line one = {.dump = dump, .count = 1}, two = {.dump = dump, .count = 2};
    const struct orr_cluster_line wrong = {.dump = dump, .count = 1, .gpus = foreign, .gpu_count = 1};
    const struct orr_cluster_line repeated = {.dump = dump, .count = 1, .gpus = twice, .gpu_count = 2};
    const struct orr_cluster_line many = {.dump = dump, .count = ORR_MAX_HOSTS + 1};
    assert_error(ask(&one, 1, ORR_ORDER_LIST, short_list, 2), ORR_INVALID, &err, "places 2 ranks");
    assert_error(ask(&one, 1, ORR_ORDER_LIST, far, 4), ORR_INVALID, &err, "placed on host 1, but the cluster has 1");
    assert_error(ask(&two, 1, ORR_ORDER_LIST, full, 8), ORR_INVALID, &err, "already have ranks");
    assert_error(ask(&wrong, 1, ORR_ORDER_BLOCK, NULL, 0), ORR_INVALID, &err, "GPU 9 does not exist");
    assert_error(ask(&repeated, 1, ORR_ORDER_BLOCK, NULL, 0), ORR_INVALID, &err, "named twice");
    assert_error(ask(&many, 1, ORR_ORDER_BLOCK, NULL, 0), ORR_LIMIT, &err, "too many for one document");
    assert_error(ask(&one, 0, ORR_ORDER_BLOCK, NULL, 0), ORR_NO_RANKS, &err, "without hosts");
}

/* Bus id of the GPU with a rank in the system that holds rank 0. */
static uint64_t bus_of(int32_t rank)
{
    const struct orr_system *system = &cluster->analysis->built;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
        if (system->nodes[g].gpu.rank == rank)
            return orr_id_local(system->nodes[g].id);
    return 0;
}

TEST(a_choice_of_gpus_is_what_nccl_would_see)
{
    static const uint32_t back[] = {3, 2}, across[] = {2, 0};
    const struct orr_cluster_line line = {.dump = dump, .count = 1, .gpus = back, .gpu_count = 2};
    make(&line, 1, ORR_ORDER_BLOCK);
    assert_int_equal(bus_of(0), 0x22000);
    assert_int_equal(bus_of(1), 0x21000);
    /* Every rank sees all ports, so both sockets stay, in the order of the file: rank 0 sees both at once. */
    assert_int_equal(orr_system_count(&cluster->analysis->built, ORR_CPU), 2);
    assert_int_equal(orr_system_node(&cluster->analysis->built, ORR_CPU, 0)->id, 0);
    assert_int_equal(orr_dump_gpu_number(dump, "0000:21:00.0"), 2);
    assert_int_equal(orr_dump_gpu_number(dump, "0000:99:00.0"), -1);
    /* From 2.27.7 on files are fused rank by rank: of two GPUs that each rank sees alone, rank 0's comes first. */
    const struct orr_cluster_line other = {.dump = dump, .count = 1, .gpus = across, .gpu_count = 2};
    make(&other, 1, ORR_ORDER_BLOCK);
    assert_int_equal(bus_of(0), 0x21000);
    assert_int_equal(bus_of(1), 0x11000);
}

TEST(hosts_of_a_domain_are_one_system)
{
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 2, .domain = "rack"},
                                             {.dump = dump, .count = 1, .domain = "another"}};
    make(lines, 1, ORR_ORDER_BLOCK);
    assert_int_equal(cluster->system_count, 1);
    assert_int_equal(cluster->analysis->communicator.node_count, 1);
    assert_int_equal(cluster->analysis->built.host_count, 2);
    assert_int_equal(cluster->analysis->local_ranks, 8);
    assert_true(orr_system_find(&cluster->analysis->built, "NET/1-1") != ORR_NO_NODE);
    /* Cards of two hosts are never one card, though the dumps are the same. */
    const struct orr_system *built = &cluster->analysis->built;
    assert_true(orr_system_node(built, ORR_NET, 0)->net.asic != orr_system_node(built, ORR_NET, 2)->net.asic);
    make(lines, 2, ORR_ORDER_CYCLIC);
    assert_int_equal(cluster->system_count, 2);
    assert_ranks(cluster->systems[0].ranks, 8, (const int32_t[]){0, 1, 3, 4, 6, 7, 9, 10});
    assert_int_equal(cluster->analysis->communicator.node_count, 2);
    /* Rank 1 of the communicator is on the second host of the domain. */
    const struct orr_system *fused = &cluster->analysis->built;
    for (uint32_t g = fused->first[ORR_GPU]; g < fused->first[ORR_GPU + 1]; g++)
        assert_int_equal(orr_id_system(fused->nodes[g].id), (uint32_t)fused->nodes[g].gpu.rank % 2);
}

TEST(the_slowest_host_sets_what_all_share)
{
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 3}, {.dump = slow, .count = 1}};
    double own = 0;
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_int_equal(cluster->kind_count, 2);
    assert_true(orr_kind_ring_bw(cluster, &cluster->kinds[1]) < orr_kind_ring_bw(cluster, &cluster->kinds[0]));
    assert_true(orr_kind_field(&cluster->kinds[1], ORR_GRAPH_RING, ORR_FIELD_BW_INTER, &own));
    assert_float_equal(orr_aligned_field(cluster, ORR_GRAPH_RING, ORR_FIELD_BW_INTER), own, 1e-6);
    assert_false(orr_kind_field(&cluster->kinds[0], ORR_GRAPH_COLLNET_DIRECT, ORR_FIELD_CHANNELS, &own));
}

TEST(a_host_without_the_graph_sets_it_to_none)
{
    static const uint32_t pair[] = {0, 1};
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 2},
                                             {.dump = dump, .count = 1, .gpus = pair, .gpu_count = 2}};
    double own = 0;
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_false(cluster->analysis->communicator.nvls); /* two GPUs are too few for it */
    assert_true(orr_kind_field(&cluster->kinds[0], ORR_GRAPH_NVLS, ORR_FIELD_CHANNELS, &own));
    assert_true(own > 0);
    assert_false(orr_kind_sets(cluster, &cluster->kinds[0], ORR_GRAPH_NVLS, ORR_FIELD_CHANNELS));
    assert_true(orr_kind_sets(cluster, &cluster->kinds[1], ORR_GRAPH_NVLS, ORR_FIELD_CHANNELS));
    assert_true(orr_aligned_field(cluster, ORR_GRAPH_NVLS, ORR_FIELD_CHANNELS) == 0);
}

TEST(only_what_is_exchanged_is_shared)
{
    static const struct {
        const char *release;
        bool type_inter, cross_nic, tree_pattern;
    } cases[] = {{"2.7.8", false, false, false},
                 {"2.12.12", true, false, false},
                 {"2.21.5", true, true, false},
                 {"2.27.7", true, true, true},
                 {"2.30.7", true, true, true}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct orr_release *release = orr_release_find(cases[i].release);
        assert_int_equal(orr_field_is_shared(release, ORR_GRAPH_RING, ORR_FIELD_TYPE_INTER), cases[i].type_inter);
        assert_int_equal(orr_field_is_shared(release, ORR_GRAPH_RING, ORR_FIELD_CROSS_NIC), cases[i].cross_nic);
        assert_int_equal(orr_field_is_shared(release, ORR_GRAPH_TREE, ORR_FIELD_PATTERN), cases[i].tree_pattern);
        assert_false(orr_field_is_shared(release, ORR_GRAPH_RING, ORR_FIELD_PATTERN));
        assert_true(orr_field_is_shared(release, ORR_GRAPH_RING, ORR_FIELD_CHANNELS));
    }
}

TEST(the_least_capability_and_mixed_cpus_are_for_all)
{
    char *text = strdup(MACHINE), *at = text;
    while ((at = strstr(at, "sm=\"90\"")))
        memcpy(at, "sm=\"80\"", 7);
    for (at = text; (at = strstr(at, "GenuineIntel"));)
        memcpy(at, "AuthenticAMD", 12);
    ORR_OWNED(orr_dump) *older = read_text(text);
    free(text);
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 2}, {.dump = older, .count = 1}};
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_int_equal(orr_kind_machine(&cluster->kinds[0], ORR_MACHINE_SM_MIN), 90);
    assert_int_equal(orr_shared_machine(cluster, ORR_MACHINE_SM_MIN), 80);
    assert_int_equal(orr_shared_machine(cluster, ORR_MACHINE_SM_MAX), 90);
    assert_false(orr_kind_sets_machine(cluster, 0, ORR_MACHINE_SM_MIN));
    assert_true(orr_kind_sets_machine(cluster, 1, ORR_MACHINE_SM_MIN));
    assert_true(orr_kind_sets_machine(cluster, 0, ORR_MACHINE_SM_MAX));
    assert_int_equal(orr_shared_machine(cluster, ORR_MACHINE_CPU_VENDOR), ORR_VENDOR_MIXED);
    assert_int_equal(orr_shared_machine(cluster, ORR_MACHINE_CPU_ARCH), ORR_ARCH_X86);
    assert_true(orr_kind_sets_machine(cluster, 1, ORR_MACHINE_CPU_VENDOR));
    assert_false(orr_kind_sets_machine(cluster, 0, ORR_MACHINE_CPU_VENDOR));
    assert_true(orr_machine_is_shared(orr_release_find("2.21.5"), ORR_MACHINE_SM_MIN));
    assert_false(orr_machine_is_shared(orr_release_find("2.21.5"), ORR_MACHINE_CPU_VENDOR));
    orr_cluster_free(cluster);
    cluster = NULL;
}

TEST(naming_all_gpus_changes_nothing)
{
    static const uint32_t all[] = {0, 1, 2, 3}, turned[] = {0, 1, 3, 2};
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 1},
                                             {.dump = dump, .count = 1, .gpus = all, .gpu_count = 4},
                                             {.dump = dump, .count = 1, .gpus = turned, .gpu_count = 4}};
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_int_equal(cluster->kind_count, 1);
    assert_null(cluster->kinds[0].made);
    make(lines, 3, ORR_ORDER_BLOCK);
    assert_int_equal(cluster->kind_count, 2);
    assert_non_null(cluster->kinds[1].made);
}

TEST(serial_numbers_make_no_kinds)
{
    char *text = strdup(MACHINE), *at = strstr(text, "0x1000");
    struct orr_dump *other, *shared;
    memcpy(at, "0x77ab", 6); /* another card */
    other = read_text(text);
    memcpy(at, "0x1001", 6); /* the same card as the second port */
    shared = read_text(text);
    free(text);
    const struct orr_cluster_line lines[] = {
        {.dump = dump, .count = 1}, {.dump = other, .count = 2}, {.dump = shared, .count = 1}};
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_int_equal(cluster->kind_count, 1);
    assert_int_equal(cluster->kinds[0].host_count, 3);
    make(lines, 3, ORR_ORDER_BLOCK);
    assert_int_equal(cluster->kind_count, 2);
    orr_cluster_free(cluster);
    cluster = NULL;
    orr_dump_free(other);
    orr_dump_free(shared);
}

TEST(every_hop_goes_out_by_a_nic_and_in_by_one)
{
    struct orr_traffic traffic;
    ORR_LOCAL_ARENA(arena, 0);
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 4}};
    double in = 0, out = 0;
    make(lines, 1, ORR_ORDER_BLOCK);
    assert_ok(orr_ring_traffic(cluster, arena, &traffic, &err), &err);
    int32_t channels = cluster->analysis->communicator.base_channels;
    assert_int_equal(traffic.hops, 4 * channels);
    assert_int_equal(traffic.nic_count, 2);
    for (uint32_t i = 0; i < traffic.nic_count; i++) {
        in += traffic.nics[i].in;
        out += traffic.nics[i].out;
    }
    assert_float_equal(in, channels, 1e-6);
    assert_float_equal(out, channels, 1e-6);
    assert_true(traffic.link_count > 0);
}

TEST(groups_are_clusters_of_their_own)
{
    struct orr_layout layout;
    ORR_LOCAL(orr_groups, groups);
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 4}};
    make(lines, 1, ORR_ORDER_BLOCK);
    assert_ok(orr_layout_read("tp=4,pp=2", 16, &layout, &err), &err);
    assert_ok(orr_groups_analyze(cluster, &layout, &groups, &err), &err);
    assert_int_equal(groups->kind_count, 3);
    const struct orr_groups_of_kind *tp = &groups->kinds[0], *dp = &groups->kinds[1];
    assert_int_equal(tp->shape_count, 1);
    assert_int_equal(tp->shapes[0].groups, 4);
    assert_int_equal(tp->shapes[0].cluster->analysis->communicator.node_count, 1);
    assert_int_equal(tp->load_count, 0); /* nothing leaves the hosts */
    assert_int_equal(dp->shape_count, 4);
    assert_int_equal(dp->shapes[3].ranks[1], 7);
    double mean = 0;
    for (uint32_t i = 0; i < dp->load_count; i++)
        mean += dp->loads[i].mean;
    assert_float_equal(mean, 4, 1e-6); /* four groups have a rank on each host */
}
