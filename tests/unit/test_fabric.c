/* SPDX-License-Identifier: Apache-2.0 */
/* NVLink domains over hosts: who shares a system by what the fabrics of hosts report and by the rules of each release,
 * what keeps all apart, and what fusing does to cards and NICs. */
#include "engine/cluster/cluster.h"

#include "engine/cluster/groups.h"
#include "engine/cluster/traffic.h"
#include "engine/cluster/transfers.h"
#include "tests/support/findings.h"
#include "tests/support/fixture.h"

#define NVSWITCH          "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>"
#define CPU(numa, inside) "<cpu host_hash=\"0x1\" numaid=\"" numa "\" " X86_INTEL ">" inside "</cpu>"
#define NIC_OF(bus, dev, guid)                                                                                         \
    "<pci busid=\"0000:" bus ":00.0\" class=\"0x020000\" " GEN4X16 "><nic><net name=\"n" dev "\" dev=\"" dev           \
    "\" speed=\"200000\" port=\"1\" guid=\"" guid "\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>"
#define PAIR(bus, rank, other, nic)                                                                                    \
    SWITCH("0000:" bus "0:00.0")                                                                                       \
    GPU("0000:" bus "1:00.0", rank, "90", NVSWITCH)                                                                    \
    GPU("0000:" bus "2:00.0", other, "90", NVSWITCH) nic "</pci>"
/* Two GPUs a socket, each pair with a NIC: a tray. With sockets as its network, cards are the numbers of ports. */
#define TRAY_OF(first, second)                                                                                         \
    "<system version=\"1\">" CPU("0", PAIR("1", "0", "1", NIC_OF("15", "0", first)))                                   \
        CPU("1", PAIR("2", "2", "3", NIC_OF("25", "1", second))) "</system>"

/* A GPU beside a NIC of the same number. */
#define WITH_NIC(bus, number)                                                                                          \
    SWITCH("0000:" bus "0:00.0")                                                                                       \
    GPU("0000:" bus "1:00.0", number, "90", NVSWITCH) NIC_OF(bus "5", number, "0xc" number) "</pci>"

enum { A = 0xa, B = 0xb };

static struct orr_dump *tray, *sockets;
static struct orr_cluster *cluster;
static struct orr_settings settings;
static struct orr_error err;
static const struct orr_fabric of_a = {ORR_FABRIC_COMPLETED, true, {A, 1}, 32766, 0},
                               of_b = {ORR_FABRIC_COMPLETED, true, {B, 1}, 32766, 0},
                               other_clique = {ORR_FABRIC_COMPLETED, true, {A, 1}, 7, 0},
                               starting = {ORR_FABRIC_IN_PROGRESS, true, {A, 1}, 32766, 0},
                               nobody = {ORR_FABRIC_COMPLETED, true, {0, 0}, 32766, 0};

void before_each(void)
{
    tray = read_text(TRAY_OF("0x5abc00", "0x5abc01"));
    sockets = read_text(TRAY_OF("0x0", "0x1"));
    cluster = NULL;
    orr_settings_init(&settings, orr_release_find("2.30.7"));
}

void after_each(void)
{
    orr_cluster_free(cluster);
    orr_dump_free(tray);
    orr_dump_free(sockets);
}

static enum orr_code ask(const struct orr_cluster_line *lines, uint32_t count)
{
    orr_cluster_free(cluster);
    cluster = NULL;
    err = (struct orr_error){0};
    const struct orr_cluster_request request = {.lines = lines, .line_count = count, .settings = settings};
    return orr_cluster_analyze(&request, &cluster, &err);
}

static void set(const char *name, const char *value)
{
    assert_ok(orr_settings_set(&settings, name, value, &err), &err);
}

/* How many systems a cluster becomes in a release, with settings as NAME, VALUE pairs up to NULL, and by which rule. */
static void assert_systems(const char *release, const char *const *pairs, const struct orr_cluster_line *lines,
                           uint32_t count, uint32_t systems, enum orr_mnnvl_rule rule)
{
    orr_settings_init(&settings, orr_release_find(release));
    for (; pairs && *pairs; pairs += 2)
        set(pairs[0], pairs[1]);
    assert_ok(ask(lines, count), &err);
    assert_string_equal(orr_mnnvl_rule_name(cluster->fabrics.rule), orr_mnnvl_rule_name(rule));
    assert_int_equal(cluster->system_count, systems);
}

TEST(uuids_are_read_and_written)
{
    uint64_t uuid[2];
    char text[ORR_UUID_SIZE];
    assert_true(orr_uuid_parse("8F4C0000-1234-5678-9abc-00000000000d", uuid));
    assert_string_equal(orr_uuid_format(uuid, text), "8f4c0000-1234-5678-9abc-00000000000d");
    assert_true(orr_uuid_parse("8f4c0000123456789abc00000000000d", uuid));
    assert_string_equal(orr_uuid_format(uuid, text), "8f4c0000-1234-5678-9abc-00000000000d");
    assert_false(orr_uuid_parse("8f4c0000-1234-5678-9abc-00000000000", uuid));
    assert_false(orr_uuid_parse("8f4c0000-1234-5678-9abc-00000000000dd", uuid));
    assert_false(orr_uuid_parse("8f4c0000-1234-5678-9abc-00000000000g", uuid));
    assert_false(orr_uuid_parse("", uuid));
}

TEST(the_same_uuid_and_clique_are_one_system)
{
    const struct orr_cluster_line lines[] = {{.dump = tray, .count = 2, .fabric = &of_a},
                                             {.dump = tray, .count = 1, .fabric = &other_clique},
                                             {.dump = tray, .count = 2, .fabric = &of_b},
                                             {.dump = tray, .count = 1, .fabric = &of_a}};
    assert_systems("2.30.7", NULL, lines, 4, 3, ORR_MNNVL_RULE_ON);
    assert_int_equal(cluster->systems[0].host_count, 3); /* the last line's too */
    assert_int_equal(cluster->systems[0].hosts[2], 5);
    assert_int_equal(cluster->analysis->communicator.node_count, 3);
    assert_int_equal(cluster->fabrics.clique_count, 3);
    assert_int_equal(cluster->fabrics.cliques[0].rank_count, 12);
    assert_systems("2.30.7", (const char *const[]){"NCCL_MNNVL_CLIQUE_ID", "7", NULL}, lines, 4, 2, ORR_MNNVL_RULE_ON);
    assert_systems("2.27.7", (const char *const[]){"NCCL_MNNVL_UUID", "5", NULL}, lines, 4, 2, ORR_MNNVL_RULE_ON);
    /* 2.21.5 does not know the variables; 2.30.7 takes -2 for the chassis, which nobody knows here. */
    assert_systems("2.21.5", (const char *const[]){"NCCL_MNNVL_CLIQUE_ID", "7", NULL}, lines, 4, 3, ORR_MNNVL_RULE_ON);
    assert_systems("2.30.7", (const char *const[]){"NCCL_MNNVL_CLIQUE_ID", "-2", NULL}, lines, 4, 3, ORR_MNNVL_RULE_ON);
    assert_systems("2.27.7", (const char *const[]){"NCCL_MNNVL_CLIQUE_ID", "-2", NULL}, lines, 4, 2, ORR_MNNVL_RULE_ON);
    assert_systems("2.27.7", (const char *const[]){"NCCL_MNNVL_UUID", "0", NULL}, lines, 4, 6, ORR_MNNVL_RULE_NO_UUID);
}

/* Trays whose P2P is off are nodes of their own. Up to 2.24.3 NCCL reads the heads of NVLS at steps of the domain's
 * GPUs all the same, and so finds only the first and the last of a tray's four. */
TEST(heads_of_a_domain_that_trimming_splits)
{
    enum { RANKS = 12 };
    static const struct {
        const char *release;
        int32_t even[RANKS];
    } rows[] = {
        {"2.24.3", {-1, -1, -1, -1, 8, -1, -1, 11, 0, -1, -1, 3}},
        {"2.25.1", {-1, -1, -1, -1, 8, 9, 10, 11, 0, 1, 2, 3}},
    };
    ORR_OWNED(orr_dump) *four_nics = read_text("<system version=\"1\">" CPU(
        "0", WITH_NIC("1", "0") WITH_NIC("2", "1") WITH_NIC("3", "2") WITH_NIC("4", "3")) "</system>");
    const struct orr_cluster_line lines[] = {{.dump = four_nics, .count = 3, .fabric = &of_a}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        assert_systems(rows[i].release, (const char *const[]){"NCCL_P2P_LEVEL", "LOC", NULL}, lines, 1, 1,
                       ORR_MNNVL_RULE_ON);
        const struct orr_communicator *c = &cluster->analysis->communicator;
        assert_int_equal(c->node_count, 3);
        for (int32_t rank = 0; rank < RANKS; rank++)
            if (c->nvls_trees[ORR_NVLS_EVEN].up[rank] != rows[i].even[rank])
                fail_msg("%s: %d is above %d", rows[i].release, c->nvls_trees[ORR_NVLS_EVEN].up[rank], rank);
    }
}

/* The clique from 2.23.4 on, the UUID from 2.25.1 on, the chassis (-2) from 2.28.3 on; of one UUID two cliques. */
TEST(each_variable_counts_from_its_release_on)
{
    static const struct {
        const char *release;
        uint32_t by_clique, by_uuid, by_chassis;
    } rows[] = {{"2.22.3", 2, 2, 2}, {"2.23.4", 1, 2, 1}, {"2.24.3", 1, 2, 1}, {"2.25.1", 1, 2, 1},
                {"2.27.7", 1, 2, 1}, {"2.28.3", 1, 2, 2}, {"2.30.7", 1, 2, 2}};
    const struct orr_cluster_line cliques[] = {{.dump = tray, .count = 2, .fabric = &of_a},
                                               {.dump = tray, .count = 2, .fabric = &other_clique}};
    const struct orr_cluster_line domains[] = {{.dump = tray, .count = 2, .fabric = &of_a},
                                               {.dump = tray, .count = 2, .fabric = &of_b}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *release = rows[i].release;
        const uint32_t by_number = orr_setting_in(ORR_SET_MNNVL_UUID, orr_release_find(release)) ? 1 : 2;
        assert_systems(release, (const char *const[]){"NCCL_MNNVL_CLIQUE_ID", "7", NULL}, cliques, 2, rows[i].by_clique,
                       ORR_MNNVL_RULE_ON);
        assert_systems(release, (const char *const[]){"NCCL_MNNVL_CLIQUE_ID", "7", NULL}, domains, 2, rows[i].by_uuid,
                       ORR_MNNVL_RULE_ON);
        assert_systems(release, (const char *const[]){"NCCL_MNNVL_CLIQUE_ID", "-2", NULL}, cliques, 2,
                       rows[i].by_chassis, ORR_MNNVL_RULE_ON);
        assert_systems(release, (const char *const[]){"NCCL_MNNVL_UUID", "5", NULL}, domains, 2, by_number,
                       ORR_MNNVL_RULE_ON);
    }
    assert_false(orr_setting_in(ORR_SET_MNNVL_UUID, orr_release_find("2.24.3")));
    assert_true(orr_setting_in(ORR_SET_MNNVL_UUID, orr_release_find("2.25.1")));
}

TEST(a_name_stands_for_what_nobody_tells)
{
    const struct orr_cluster_line names[] = {{.dump = tray, .count = 1, .domain = "x"},
                                             {.dump = tray, .count = 1, .domain = "y"},
                                             {.dump = tray, .count = 1, .domain = "x"},
                                             {.dump = tray, .count = 1, .domain = "x", .fabric = &of_a},
                                             {.dump = tray, .count = 1, .fabric = &of_a}};
    assert_systems("2.30.7", NULL, names, 3, 2, ORR_MNNVL_RULE_ON);
    /* What one host of the domain says holds for those that say nothing. */
    assert_systems("2.30.7", NULL, names, 5, 2, ORR_MNNVL_RULE_ON);
    assert_int_equal(cluster->systems[0].host_count, 4);
}

TEST(one_host_without_fabric_keeps_all_apart)
{
    static const char *const releases[] = {"2.21.5", "2.27.7", "2.28.9", "2.30.7"};
    const struct orr_cluster_line plain[] = {{.dump = tray, .count = 2, .fabric = &of_a}, {.dump = tray, .count = 1}};
    const struct orr_cluster_line late[] = {{.dump = tray, .count = 2, .fabric = &of_a},
                                            {.dump = tray, .count = 1, .fabric = &starting}};
    const struct orr_cluster_line zero[] = {{.dump = tray, .count = 2, .fabric = &of_a},
                                            {.dump = tray, .count = 1, .fabric = &nobody}};
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        assert_systems(releases[i], NULL, plain, 1, 1, ORR_MNNVL_RULE_ON);
        assert_systems(releases[i], NULL, plain, 2, 3, ORR_MNNVL_RULE_NOT_COMPLETED);
        assert_int_equal(cluster->fabrics.line, 1);
        assert_systems(releases[i], NULL, late, 2, 3, ORR_MNNVL_RULE_NOT_COMPLETED);
        assert_systems(releases[i], NULL, zero, 2, 3, ORR_MNNVL_RULE_NO_UUID);
    }
    assert_systems("2.12.12", NULL, plain, 1, 2, ORR_MNNVL_RULE_UNKNOWN);
    assert_systems("2.30.7", NULL, plain + 1, 1, 1, ORR_MNNVL_RULE_NOT_STATED);
}

/* From 2.25.1 on, NCCL_MNNVL_ENABLE=1 asks on one host too, whose GPUs are then a clique. */
TEST(one_host_is_asked_where_it_is_forced)
{
    static const char *const forced[] = {"NCCL_MNNVL_ENABLE", "1", NULL}, *const usual[] = {"NCCL_MNNVL_ENABLE", "2",
                                                                                            NULL};
    const struct orr_cluster_line whole[] = {{.dump = tray, .count = 1, .fabric = &of_a}};
    const struct orr_cluster_line lone[] = {
        {.dump = tray, .count = 1, .gpus = (const uint32_t[]){0}, .gpu_count = 1, .fabric = &of_a}};
    const struct orr_cluster_line late[] = {{.dump = tray, .count = 1, .fabric = &starting}};
    assert_systems("2.24.3", forced, whole, 1, 1, ORR_MNNVL_RULE_ONE_HOST);
    assert_systems("2.25.1", forced, whole, 1, 1, ORR_MNNVL_RULE_ON);
    assert_systems("2.30.7", forced, whole, 1, 1, ORR_MNNVL_RULE_ON);
    assert_systems("2.30.7", usual, whole, 1, 1, ORR_MNNVL_RULE_ONE_HOST);
    assert_systems("2.30.7", forced, lone, 1, 1, ORR_MNNVL_RULE_ONE_HOST);
    assert_systems("2.25.1", forced, late, 1, 1, ORR_MNNVL_RULE_NOT_COMPLETED);
}

TEST(settings_decide_as_each_release_reads_them)
{
    static const struct {
        const char *release, *pairs[5];
        uint32_t systems;
        enum orr_mnnvl_rule rule;
    } cases[] = {
        {"2.21.5", {"NCCL_MNNVL_ENABLE", "0"}, 2, ORR_MNNVL_RULE_DISABLED},
        {"2.21.5", {"NCCL_P2P_DISABLE", "1"}, 1, ORR_MNNVL_RULE_ON},
        {"2.27.7", {"NCCL_P2P_DISABLE", "1"}, 2, ORR_MNNVL_RULE_P2P_OFF},
        {"2.27.7", {"NCCL_P2P_DISABLE", "1", "NCCL_MNNVL_ENABLE", "1"}, 1, ORR_MNNVL_RULE_ON},
        {"2.30.7", {"NCCL_P2P_LEVEL", "LOC"}, 2, ORR_MNNVL_RULE_P2P_OFF},
        {"2.30.7", {"NCCL_P2P_LEVEL", "NVL"}, 1, ORR_MNNVL_RULE_ON},
        {"2.21.5", {"NCCL_CUMEM_ENABLE", "0"}, 2, ORR_MNNVL_RULE_CUMEM_OFF},
        {"2.30.7", {"NCCL_CUMEM_ENABLE", "0"}, 2, ORR_MNNVL_RULE_CUMEM_OFF},
        {"2.30.7", {"NCCL_CUMEM_ENABLE", "1"}, 1, ORR_MNNVL_RULE_ON},
    };
    const struct orr_cluster_line line = {.dump = tray, .count = 2, .domain = "rack"};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_systems(cases[i].release, cases[i].pairs, &line, 1, cases[i].systems, cases[i].rule);
}

TEST(a_forced_domain_fails_up_to_2_24)
{
    static const char *const fail[] = {"2.21.5", "2.22.3", "2.23.4", "2.24.3"}, *const go_on[] = {"2.25.1", "2.27.7"};
    const struct orr_cluster_line lines[] = {{.dump = tray, .count = 2, .domain = "rack"}, {.dump = tray, .count = 1}};
    for (size_t i = 0; i < sizeof fail / sizeof *fail; i++) {
        orr_settings_init(&settings, orr_release_find(fail[i]));
        set("NCCL_MNNVL_ENABLE", "1");
        assert_error(ask(lines, 2), ORR_SETTING, &err, "fails if NCCL_MNNVL_ENABLE=1");
        assert_string_equal(err.where, "hosts[1]");
        assert_ok(ask(lines, 1), &err);
    }
    for (size_t i = 0; i < sizeof go_on / sizeof *go_on; i++) {
        orr_settings_init(&settings, orr_release_find(go_on[i]));
        set("NCCL_MNNVL_ENABLE", "1");
        assert_ok(ask(lines, 2), &err);
        assert_int_equal(cluster->system_count, 3);
    }
}

TEST(cliques_of_one_uuid_may_use_nvlink)
{
    struct orr_traffic traffic;
    ORR_LOCAL_ARENA(arena, 0);
    const struct orr_cluster_line lines[] = {{.dump = tray, .count = 2, .fabric = &of_a},
                                             {.dump = tray, .count = 2, .fabric = &other_clique},
                                             {.dump = tray, .count = 2, .fabric = &of_b}};
    assert_ok(ask(lines, 3), &err);
    assert_ok(orr_ring_traffic(cluster, arena, &traffic, &err), &err);
    uint64_t channels = (uint64_t)cluster->analysis->communicator.base_channels;
    assert_int_equal(traffic.hops, 3 * channels);
    set("NCCL_MNNVL_CROSS_CLIQUE", "1");
    assert_ok(ask(lines, 3), &err);
    assert_int_equal(cluster->system_count, 3); /* they stay systems of their own */
    assert_ok(orr_ring_traffic(cluster, arena, &traffic, &err), &err);
    assert_int_equal(traffic.hops, 2 * channels);
    ORR_LOCAL(orr_transfers, transfers);
    uint32_t rounds;
    assert_ok(orr_transfers_new(cluster->analysis, &transfers, &err), &err);
    (void)orr_transfers_turn(transfers, 0, &rounds);
    assert_int_equal(orr_transfer_way(transfers, 8, true).transport, ORR_OVER_P2P);  /* in the other clique */
    assert_int_equal(orr_transfer_way(transfers, 16, true).transport, ORR_OVER_NET); /* in the other domain */
    assert_ok(ask(lines, 2), &err);
    assert_ok(orr_ring_traffic(cluster, arena, &traffic, &err), &err);
    assert_int_equal(traffic.hops, 0);
    for (uint32_t i = 0; i < traffic.nic_count; i++)
        assert_true(traffic.nics[i].in + traffic.nics[i].out == 0);
    orr_settings_init(&settings, orr_release_find("2.27.7")); /* does not know the variable */
    set("NCCL_MNNVL_CROSS_CLIQUE", "1");
    assert_ok(ask(lines, 2), &err);
    assert_ok(orr_ring_traffic(cluster, arena, &traffic, &err), &err);
    assert_true(traffic.hops > 0);
}

TEST(cards_are_each_hosts_own_but_numbers_are_not)
{
    struct orr_dump *again = read_text(TRAY_OF("0x5abc00", "0x5abc01")); /* a copy of the file */
    const struct orr_cluster_line copies = {.dump = tray, .count = 2, .domain = "rack"};
    const struct orr_cluster_line files[] = {{.dump = tray, .count = 1, .domain = "rack"},
                                             {.dump = again, .count = 1, .domain = "rack"}};
    const struct orr_cluster_line numbers = {.dump = sockets, .count = 2, .domain = "rack"};
    assert_ok(ask(&copies, 1), &err);
    uint64_t first = orr_system_node(&cluster->analysis->built, ORR_NET, 0)->net.asic;
    uint64_t second = orr_system_node(&cluster->analysis->built, ORR_NET, 2)->net.asic;
    assert_true(first != second);
    assert_ok(ask(files, 2), &err);
    assert_true(orr_system_node(&cluster->analysis->built, ORR_NET, 2)->net.asic == second);
    assert_ok(ask(&numbers, 1), &err);
    for (uint32_t n = 0; n < 4; n++)
        assert_int_equal(orr_system_node(&cluster->analysis->built, ORR_NET, n)->net.asic, n % 2);
    assert_int_equal(orr_system_node(&cluster->analysis->built, ORR_NET, 2)->net.dev, 0); /* as on its host */
    orr_cluster_free(cluster);
    cluster = NULL;
    orr_dump_free(again);
}

/* Two hosts of one dump in each of two domains; the ring's NICs of the first: entry and exit of channels 0 and 1. */
static void assert_nets(const char *release, const char *const *pairs, struct orr_dump *dump, const int64_t *expected)
{
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 2, .domain = "x"},
                                             {.dump = dump, .count = 2, .domain = "y"}};
    assert_systems(release, pairs, lines, 2, 2, ORR_MNNVL_RULE_ON);
    const struct orr_graph *ring = &cluster->analysis->parts[0].contribution.graphs[ORR_GRAPH_RING];
    for (int32_t i = 0; i < 4 && i / 2 < ring->channels; i++)
        if (ring->nets[i / 2][i % 2] != expected[i])
            fail_msg("%s: NIC %d is %llx", release, i, (unsigned long long)ring->nets[i / 2][i % 2]);
}

TEST(nics_are_taken_in_turn_where_the_release_can)
{
    /* Two GPUs that prefer two of four NICs each. */
    struct orr_dump *dump = read_text(
        "<system version=\"1\">" CPU("0", PAIR("1", "0", "1",
                                               NIC_OF("15", "0", "0xa0") NIC_OF("16", "1", "0xa1")
                                                   NIC_OF("17", "2", "0xa2") NIC_OF("18", "3", "0xa3"))) "</system>");
    static const int64_t by_gpu[] = {0, 0, 1, 1}, in_turn[] = {0, 0, 2, 2};
    static const char *const off[] = {"NCCL_MNNVL_SCATTER_NETS_ENABLE", "0", NULL},
                             *const on[] = {"NCCL_MNNVL_SCATTER_NETS_ENABLE", "1", NULL};
    assert_nets("2.21.5", NULL, dump, by_gpu);
    assert_nets("2.21.5", on, dump, by_gpu); /* does not know the variable */
    assert_nets("2.27.7", NULL, dump, in_turn);
    assert_nets("2.27.7", off, dump, by_gpu);
    assert_nets("2.30.7", NULL, dump, in_turn);
    assert_nets("2.30.7", off, dump, by_gpu);
    orr_cluster_free(cluster);
    cluster = NULL;
    orr_dump_free(dump);
}

TEST(rails_are_places_where_asked_for)
{
    /* A GPU and a NIC a host: without crossing NICs a ring leaves the other host only by a NIC of the same place. */
    struct orr_dump *dump =
        read_text("<system version=\"1\">" CPU("0", SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "90", NVSWITCH)
                                                        NIC_OF("15", "0", "0xa0") "</pci>") "</system>");
    static const int64_t across[] = {0, (int64_t)1 << 56, (int64_t)1 << 56, 0}, simple[] = {0, 0, 0, 0};
    static const char *const keep[] = {"NCCL_CROSS_NIC", "0", NULL}, *const place[] = {"NCCL_CROSS_NIC", "0",
                                                                                       "NCCL_MNNVL_RAIL_PER_HOST", "1",
                                                                                       NULL};
    assert_nets("2.27.7", place, dump, simple); /* does not know the variable */
    assert_nets("2.28.9", place, dump, across);
    assert_nets("2.30.7", place, dump, across);
    assert_int_equal(cluster->analysis->communicator.base_channels, 2);
    assert_nets("2.28.9", keep, dump, simple);
    orr_cluster_free(cluster);
    cluster = NULL;
    orr_dump_free(dump);
}

static const struct orr_finding *found(struct orr_arena *arena, const char *id)
{
    struct orr_findings *findings = ORR_NEW(arena, struct orr_findings, 1);
    assert_ok(orr_find(cluster->analysis->dump, cluster->analysis, arena, findings, &err), &err);
    for (uint32_t i = 0; i < findings->count; i++)
        if (!strcmp(findings->rows[i].row->id, id))
            return &findings->rows[i];
    return NULL;
}

TEST(a_domain_of_two_clusters_is_found)
{
    ORR_LOCAL_ARENA(arena, 0);
    const struct orr_cluster_line uuids[] = {{.dump = tray, .count = 1, .domain = "rack", .fabric = &of_a},
                                             {.dump = tray, .count = 1, .domain = "rack", .fabric = &of_b}};
    assert_ok(ask(uuids, 2), &err);
    assert_non_null(found(arena, "domain-split"));
    assert_non_null(strstr(found(arena, "domain-split")->detail, "although both have the same clique number"));
    const struct orr_cluster_line cliques[] = {{.dump = tray, .count = 1, .domain = "rack", .fabric = &of_a},
                                               {.dump = tray, .count = 1, .domain = "rack", .fabric = &other_clique}};
    assert_ok(ask(cliques, 2), &err);
    assert_string_equal(found(arena, "domain-split")->detail,
                        "domain rack: host 0 is in clique 32766, host 1 in clique 7");
    /* Two racks whose cliques have one number are two domains, and nobody said otherwise. */
    const struct orr_cluster_line racks[] = {{.dump = tray, .count = 2, .domain = "rack 1", .fabric = &of_a},
                                             {.dump = tray, .count = 1, .domain = "rack 2", .fabric = &of_b},
                                             {.dump = tray, .count = 1, .fabric = &other_clique}};
    assert_ok(ask(racks, 3), &err);
    assert_null(found(arena, "domain-split"));
}

TEST(the_host_that_keeps_a_domain_unused_is_found)
{
    ORR_LOCAL_ARENA(arena, 0);
    const struct orr_cluster_line late[] = {{.dump = tray, .count = 2, .fabric = &of_a},
                                            {.dump = tray, .count = 1, .fabric = &starting}};
    assert_ok(ask(late, 2), &err);
    assert_string_equal(found(arena, "domain-unused")->detail,
                        "the fabric of host 2 is in-progress, so the 2 hosts of the clique of hosts 0-1 are not fused");
    const struct orr_cluster_line lonely[] = {{.dump = tray, .count = 1, .fabric = &of_a},
                                              {.dump = tray, .count = 1, .fabric = &starting}};
    assert_ok(ask(lonely, 2), &err); /* nobody would share a system */
    assert_null(found(arena, "domain-unused"));
}

TEST(groups_ask_only_their_own_hosts)
{
    struct orr_layout layout;
    ORR_LOCAL(orr_groups, groups);
    /* The world has a host without fabric, so it is three systems; the tensor group on the rack is one. */
    const struct orr_cluster_line lines[] = {{.dump = tray, .count = 2, .domain = "rack"}, {.dump = tray, .count = 2}};
    assert_ok(ask(lines, 2), &err);
    assert_int_equal(cluster->system_count, 4);
    assert_ok(orr_layout_read("tp=8", 16, &layout, &err), &err);
    assert_ok(orr_groups_analyze(cluster, &layout, &groups, &err), &err);
    assert_int_equal(groups->kinds[0].shape_count, 2);
    assert_int_equal(groups->kinds[0].shapes[0].cluster->analysis->communicator.node_count, 1);
    assert_int_equal(groups->kinds[0].shapes[1].cluster->analysis->communicator.node_count, 2);
}
