/* SPDX-License-Identifier: Apache-2.0 */
/* What nccl-tests should print on a machine: NCCL's choice by size, where NVLS replaces the ring, and what limits. */
#include "engine/expect/shares.h"

#include <math.h>

#include "tests/support/expect_case.h"
#include "tests/support/four_gpus.h"

static const uint64_t large = UINT64_C(16) << 30;

static struct orr_expected at(uint64_t size)
{
    struct orr_expected expected;
    assert_true(orr_expect(expectation, size, &expected));
    return expected;
}

static void assert_near(double got, double expected)
{
    if (fabs(got - expected) > 1e-6 * fabs(expected))
        fail_msg("expected %.9g, got %.9g", expected, got);
}

static void assert_limit(enum orr_bottleneck what, const char *text)
{
    struct orr_expect_limit limit;
    orr_expect_limit(expectation, &limit);
    assert_string_equal(limit.text, text);
    assert_int_equal(limit.what, what);
}

/* As published for 2.27.7: from 5 GPUs of an H200 host on, and from 6 of a B200 host. */
TEST(nvls_replaces_the_ring_from_so_many_gpus_on)
{
    static const char *const gpus[] = {"0,1,2,3", "0,1,2,3,4", "0,1,2,3,4,5", "0,1,2,3,4,5,6", "0,1,2,3,4,5,6,7"};
    static const struct {
        const char *machine;
        int first;
    } rows[] = {{"hgx-h200", 5}, {"p6-b200.48xlarge", 6}};
    for (int r = 0; r < 2; r++)
        for (int count = 4; count <= 8; count++) {
            make(rows[r].machine, gpus[count - 4], 1, ORR_TEST_ALL_REDUCE);
            assert_string_equal(at(large).algorithm_name, count < rows[r].first ? "Ring" : "NVLS");
        }
}

TEST(rows_are_nccls_choice_in_the_figures_of_nccl_tests)
{
    static const enum orr_test tests[] = {ORR_TEST_ALL_REDUCE, ORR_TEST_ALL_GATHER, ORR_TEST_REDUCE_SCATTER,
                                          ORR_TEST_BROADCAST, ORR_TEST_REDUCE};
    static const double factors[] = {2 * 15.0 / 16, 15.0 / 16, 15.0 / 16, 1, 1};
    for (int i = 0; i < 5; i++) {
        make("hgx-h100", NULL, 2, tests[i]);
        for (uint64_t size = 8; size <= large; size *= 2) {
            struct orr_choice choice;
            struct orr_expected row = at(size), same;
            assert_true(orr_tuning_choose(&analysis->tuning, &analysis->communicator, &analysis->query.settings,
                                          (enum orr_function)orr_test_programs[tests[i]].function, size, &choice));
            assert_int_equal(row.algorithm, choice.algorithm);
            assert_int_equal(row.protocol, choice.protocol);
            assert_int_equal(row.channels, choice.channels);
            assert_near(row.time, (double)choice.time);
            assert_near(row.alg_bw, (double)size / row.time / 1000);
            assert_near(row.bus_bw, row.alg_bw * factors[i]);
            assert_true(orr_expect_way(expectation, row.algorithm, row.protocol, size, &same));
            assert_near(same.time, row.time);
            assert_int_equal(same.channels, row.channels);
        }
    }
}

TEST(another_way_is_no_faster_than_the_choice)
{
    int ways = 0;
    make("hgx-h100", NULL, 1, ORR_TEST_ALL_REDUCE);
    for (int a = -1; a <= ORR_ALGORITHM_COUNT; a++)
        for (int p = -1; p <= ORR_PROTOCOL_COUNT; p++) {
            struct orr_expected way;
            bool found = orr_expect_way(expectation, a, p, large, &way);
            ways += found;
            assert_true(!found || way.time >= at(large).time);
        }
    assert_int_equal(ways, 7); /* Tree and Ring with three protocols, NVLS with Simple */
}

TEST(what_limits_is_found_on_the_links)
{
    make("hgx-h100", NULL, 2, ORR_TEST_ALL_GATHER);
    assert_limit(ORR_BOUND_NICS, "8 NICs of 48 GB/s");
    make("hgx-h100", "0,1", 1, ORR_TEST_ALL_REDUCE);
    assert_limit(ORR_BOUND_NVLINK, "the NVLinks of each GPU (370.8 GB/s)");
    make("hgx-h200", NULL, 1, ORR_TEST_ALL_REDUCE);
    assert_limit(ORR_BOUND_NVLS, "the NVLinks of each GPU (370.8 GB/s with NVLink SHARP)");
}

/* The same question with PCIe ACS. */
static void make_with_acs(const char *machine, uint32_t hosts, enum orr_test test)
{
    make(machine, NULL, hosts, test);
    orr_expectation_free(expectation);
    expectation = NULL;
    assert_ok(orr_expectation_with_acs(analysis, test, &expectation, &err), &err);
}

/* A switch of a GPU and its NIC: its uplink then carries what arrives and what leaves, in each direction. NCCL's choice
 * and the latency stay. */
TEST(acs_doubles_what_the_uplinks_of_gpu_and_nic_carry)
{
    const enum orr_test tests[] = {ORR_TEST_ALL_GATHER, ORR_TEST_ALL_REDUCE, ORR_TEST_ALLTOALL};
    for (int i = 0; i < 3; i++) {
        make("hgx-h100", NULL, 4, tests[i]);
        const struct orr_expected direct = at(large), small = at(8);
        make_with_acs("hgx-h100", 4, tests[i]);
        assert_int_equal(at(large).algorithm, direct.algorithm);
        assert_int_equal(at(large).channels, direct.channels);
        assert_true(at(large).bus_bw < 0.52 * direct.bus_bw && at(large).bus_bw > 0.48 * direct.bus_bw);
        assert_true(at(8).time < 1.02 * small.time);
    }
    make_with_acs("hgx-h100", 2, ORR_TEST_ALL_GATHER);
    assert_limit(ORR_BOUND_PCIE, "8 PCIe links of 48 GB/s");
}

TEST(acs_does_not_slow_nvlink)
{
    make("hgx-h100", NULL, 1, ORR_TEST_ALL_REDUCE);
    const struct orr_expected direct = at(large);
    make_with_acs("hgx-h100", 1, ORR_TEST_ALL_REDUCE);
    assert_near(at(large).time, direct.time);
}

/* g6e.48xlarge: four GPUs below each of two switches. The uplink carries three transfers inside the switch and the one
 * that leaves it: a ring of one host, which NCCL fits to 24 GB/s of a PCIe 4.0 x16 link. */
TEST(acs_sends_rings_inside_a_switch_over_its_uplink)
{
    make("g6e.48xlarge", NULL, 1, ORR_TEST_ALL_GATHER);
    const struct orr_expected direct = at(large);
    make_with_acs("g6e.48xlarge", 1, ORR_TEST_ALL_GATHER);
    assert_true(at(large).bus_bw < 0.85 * direct.bus_bw);
}

/* The programs made of Send and Recv, on a machine given as text. */
static void make_of(const char *release, const char *text, uint32_t hosts, enum orr_test test, const char *setting,
                    const char *value)
{
    struct orr_query query = {.hosts = hosts};
    after_each();
    err = (struct orr_error){0};
    orr_settings_init(&query.settings, orr_release_find(release));
    if (setting)
        assert_ok(orr_settings_set(&query.settings, setting, value, &err), &err);
    dump = read_text(text);
    assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
    assert_ok(orr_expectation_new(analysis, test, &expectation, &err), &err);
}

/* GB/s that more bytes take, whatever the first ones cost. */
static double slope(void)
{
    return (double)large / (at(2 * large).time - at(large).time) / 1000;
}

#define LINK(to) "<nvlink target=\"" to "\" count=\"1\" tclass=\"0x030200\"/>"
#define JOINED_PAIR                                                                                                    \
    "<system version=\"1\">" CPU("0", GPU("0000:11:00.0", "0", "80", LINK("0000:12:00.0"))                             \
                                          GPU("0000:12:00.0", "1", "80", LINK("0000:11:00.0"))) "</system>"

/* One NVLink of 20 GB/s, of which transfers reach 93 %. */
TEST(a_pair_exchanges_over_its_nvlink)
{
    make_of("2.27.7", JOINED_PAIR, 1, ORR_TEST_SENDRECV, NULL, NULL);
    assert_limit(ORR_BOUND_NVLINK, "the NVLinks between two GPUs (20 GB/s)");
    assert_near(slope(), 18.6);
    struct orr_expected row = at(large);
    assert_string_equal(row.algorithm_name, "P2P");
    assert_string_equal(row.protocol_name, "Simple");
    assert_int_equal(row.algorithm, -1);
    assert_string_equal(at(16384).protocol_name, "LL");
    assert_string_equal(at(16388).protocol_name, "Simple");
    assert_int_equal(orr_expect_crossings(expectation), 1 << ORR_CROSS_NVLINK);
    make_of("2.27.7", JOINED_PAIR, 1, ORR_TEST_ALLTOALL, NULL, NULL); /* half stays if it is */
    assert_near(slope(), 2 * 18.6);
    make_of("2.27.7", JOINED_PAIR, 1, ORR_TEST_HYPERCUBE, NULL, NULL);
    assert_near(slope(), 2 * 18.6);
    assert_near(at(large).bus_bw, at(large).alg_bw);
    assert_near(at(large).alg_bw, (double)large / 2 / at(large).time / 1000);
}

/* Four GPUs and two NICs of 24 GB/s a host: of 8 parts, each of 4 ranks sends 4 to the other host. */
TEST(two_hosts_fill_their_nics)
{
    static const char *const releases[] = {"2.7.8", "2.12.12", "2.18.3", "2.21.5", "2.27.7", "2.30.7"};
    const double nic = 24 * 0.96;
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        double bw = i ? 24 : 12; /* 2.7.8 does not know "16.0 GT/s PCIe" and takes 8 GT/s */
        make_of(releases[i], MACHINE, 2, ORR_TEST_ALLTOALL, NULL, NULL);
        assert_limit(ORR_BOUND_NICS, i ? "2 NICs of 24 GB/s" : "2 NICs of 12 GB/s");
        assert_near(slope(), bw * 0.96);
        assert_near(at(large).bus_bw, at(large).alg_bw * 7 / 8);
    }
    make_of("2.27.7", MACHINE, 2, ORR_TEST_ALLTOALLV, NULL, NULL);
    assert_near(slope(), nic);
    make_of("2.27.7", MACHINE, 2, ORR_TEST_SENDRECV, NULL, NULL); /* one rank of each host sends to the other host */
    assert_limit(ORR_BOUND_NICS, "1 NIC of 24 GB/s");
    assert_near(slope(), nic);
    make_of("2.27.7", MACHINE, 2, ORR_TEST_GATHER, NULL, NULL); /* half of it reaches the root by its NIC */
    assert_limit(ORR_BOUND_NICS, "1 NIC of 24 GB/s");
    assert_near(slope(), 2 * nic);
    make_of("2.27.7", MACHINE, 2, ORR_TEST_SCATTER, NULL, NULL);
    assert_in_range((int)slope(), (int)(2 * nic), (int)(4 * nic) + 1);
}

#define PLAIN_PAIR(bus)                                                                                                \
    SWITCH("0000:" bus "0:00.0")                                                                                       \
    GPU("0000:" bus "1:00.0", bus "0", "80", "") GPU("0000:" bus "2:00.0", bus "1", "80", "") "</pci>"
#define SWITCHES "<system version=\"1\">" CPU("0", PLAIN_PAIR("1") PLAIN_PAIR("2")) "</system>"

/* Two PCIe switches with two GPUs each: of 4 parts, both GPUs send 2 through the link of their switch. */
TEST(pcie_links_are_shared_by_concurrent_transfers)
{
    struct orr_expect_limit limit;
    make_of("2.27.7", SWITCHES, 1, ORR_TEST_ALLTOALL, "NCCL_P2P_LEVEL", "SYS");
    orr_expect_limit(expectation, &limit);
    assert_int_equal(limit.what, ORR_BOUND_PCIE);
    assert_near(limit.bw, 24);
    assert_near(slope(), 24 * 0.66);
    make_of("2.27.7", SWITCHES, 1, ORR_TEST_ALLTOALL, "NCCL_P2P_DISABLE", "1"); /* all 3 parts, through host memory */
    assert_near(slope(), 24 * 0.55 / 1.5);
}

/* A sample of the other hosts gives what all of them do. */
TEST(many_hosts_are_sampled)
{
    static const uint32_t hosts[] = {64, ORR_MAX_PLAN_HOSTS};
    for (int i = 0; i < 2; i++) {
        make("hgx-h100", NULL, hosts[i], ORR_TEST_ALLTOALL);
        double ranks = 8.0 * hosts[i];
        assert_near(slope(), 48 * 0.96 * ranks / (ranks - 8));
        assert_limit(ORR_BOUND_NICS, "8 NICs of 48 GB/s");
    }
}

TEST(a_capability_below_all_rows_has_the_last_rows_channels)
{
    assert_float_equal(orr_channel_bw(0), 26.5, 1e-9);
    assert_float_equal(orr_channel_bw(-5), 26.5, 1e-9);
    assert_float_equal(orr_channel_bw(INT32_MIN), 26.5, 1e-9);
    assert_float_equal(orr_channel_bw(90), 38.7, 1e-9);
}

TEST(hypercubes_need_a_power_of_two)
{
    make("hgx-h100", "0,1,2", 1, ORR_TEST_ALLTOALL);
    orr_expectation_free(expectation);
    expectation = NULL;
    assert_int_equal(orr_expectation_new(analysis, ORR_TEST_HYPERCUBE, &expectation, &err), ORR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "power of two"));
}

/* The programs that move data by the network need a NIC that is known. */
TEST(transfers_without_a_nic_are_not_predicted)
{
    struct orr_query query = {.hosts = 2};
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    err = (struct orr_error){0};
    dump = read_text(SWITCHES);
    assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
    assert_int_equal(orr_expectation_new(analysis, ORR_TEST_SENDRECV, &expectation, &err), ORR_UNSUPPORTED);
    assert_non_null(strstr(err.text, "NIC is not known"));
}

TEST(nothing_is_expected_of_one_rank_or_no_bytes)
{
    struct orr_expected row;
    make("hgx-h100", NULL, 1, ORR_TEST_ALL_REDUCE);
    assert_false(orr_expect(expectation, 0, &row));
    struct orr_query query = {.hosts = 1};
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    query.settings.gpus = "0";
    orr_expectation_free(expectation);
    orr_analysis_free(analysis);
    expectation = NULL;
    assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
    assert_int_equal(orr_expectation_new(analysis, ORR_TEST_ALL_REDUCE, &expectation, &err), ORR_UNSUPPORTED);
}
