/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/orr_test.h"

#include <math.h>

#include "engine/tuning/tuning.h"
#include "tests/support/connect_case.h"

static struct orr_tuning tuning;

static void set(const char *name, const char *value)
{
    assert_ok(orr_settings_set(&settings, name, value, &err), &err);
}

static void tune(struct orr_contribution *host, uint32_t count)
{
    join_ok(host, count);
    assert_ok(orr_tune(&comm, &settings, &tuning, &err), &err);
}

static void assert_near(double got, double expected)
{
    if (fabs(got - expected) > 1e-5 * fabs(expected))
        fail_msg("expected %.9g, got %.9g", expected, got);
}

/* Bandwidths and latencies of LL, LL128, Simple. */
static void assert_rows(enum orr_function f, enum orr_algorithm a, const double bw[3], const double us[3])
{
    for (int p = 0; p < ORR_PROTOCOL_COUNT; p++) {
        assert_near(tuning.bandwidth[f][a][p], bw[p]);
        assert_near(tuning.latency[f][a][p], us[p]);
    }
}
#define ROWS(f, a, bw0, us0, bw1, us1, bw2, us2)                                                                       \
    assert_rows(f, a, (const double[]){bw0, bw1, bw2}, (const double[]){us0, us1, us2})

/* The first two are of an H200's log (tests/detect/recorded), whose 2.28 starts a channel for each 16 KiB; the others
 * follow from the rule, and only the released numbers of bytes differ. */
TEST(channels_started_by_release)
{
    static const struct {
        const char *release;
        enum orr_function function;
        enum orr_protocol protocol;
        uint32_t ranks;
        uint64_t bytes;
        int32_t allowed, started;
    } cases[] = {
        {"2.28.9", ORR_ALLGATHER, ORR_SIMPLE, 2, 32768, 4, 2},
        {"2.28.9", ORR_BROADCAST, ORR_LL128, 4, 16384, 2, 1},
        {"2.27.3", ORR_BROADCAST, ORR_SIMPLE, 4, 65536, 4, 4},
        {"2.29.2", ORR_BROADCAST, ORR_SIMPLE, 4, 65536, 4, 2},
        {"2.30.7", ORR_ALLREDUCE, ORR_SIMPLE, 8, 32768, 4, 2},
        {"2.30.7", ORR_ALLREDUCE, ORR_LL, 8, 32768, 4, 4},
        {"2.28.9", ORR_ALLREDUCE, ORR_LL128, 8, 8, 16, 1},
        {"2.28.9", ORR_ALLREDUCE, ORR_SIMPLE, 8, 1 << 30, 16, 16},
        {"2.26.2", ORR_ALLREDUCE, ORR_SIMPLE, 8, 32768, 4, -1},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct orr_settings with = {.release = orr_release_find(cases[i].release)};
        const struct orr_communicator ranks = {.rank_count = cases[i].ranks};
        const struct orr_choice choice = {
            .algorithm = ORR_ALGO_RING, .protocol = cases[i].protocol, .channels = cases[i].allowed};
        if (orr_tuning_channels_started(&ranks, &with, cases[i].function, cases[i].bytes, &choice) != cases[i].started)
            fail_msg("case %zu", i);
    }
}

TEST(one_h100_host)
{
    tune(test_h100(arena, true), 1);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_TREE, 43.578949, 15.2, 128.800003, 31.5, 165.600006, 64.4);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_RING, 80.571434, 15.0, 189.257156, 40.6, 205.714294, 56.0);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_NVLS, 0, 0, 0, 0, 266.666656, 25);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_COLLNET_DIRECT, 0, 5.6, 0, 5.6, 0, 44);
    ROWS(ORR_ALLGATHER, ORR_ALGO_RING, 161.142868, 10.8, 378.514313, 27.3, 411.428589, 32.2);
    ROWS(ORR_ALLGATHER, ORR_ALGO_NVLS, 0, 0, 0, 0, 280, 25);
    ROWS(ORR_BROADCAST, ORR_ALGO_RING, 141, 7.2, 331.200012, 15.9, 360, 11.8);
    assert_int_equal(tuning.thread_threshold[ORR_ALGO_RING][ORR_LL], 64);
}

TEST(two_h100_hosts)
{
    tune(test_h100(arena, false), 2);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_TREE, 16.575, 25.2, 124.78, 48.5, 140.76, 92.4);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_RING, 20.8, 40.0, 156.586685, 75.2, 204.800018, 131.6);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_NVLS_TREE, 0, 0, 0, 0, 266.666656, 53);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_NVLS, 0, 0, 0, 0, 0, 43);
    ROWS(ORR_BROADCAST, ORR_ALGO_RING, 39, 49.8, 293.600006, 78, 384, 232.4);
}

TEST(four_h100_hosts_in_two_releases)
{
    struct orr_contribution *host = test_h100(arena, false);
    tune(host, 4);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_TREE, 8.67, 35.2, 98.6, 65.5, 122.4, 120.4);
    assert_near(tuning.bandwidth[ORR_ALLREDUCE][ORR_ALGO_NVLS_TREE][ORR_SIMPLE], 160);
    struct orr_release newest =
        test_release(64, orr_release_find("2.30.7")->connect, orr_release_find("2.30.7")->tuning);
    settings.release = &newest;
    tune(host, 4);
    assert_near(tuning.bandwidth[ORR_ALLREDUCE][ORR_ALGO_NVLS_TREE][ORR_SIMPLE], 187.871);
    assert_near(tuning.latency[ORR_ALLREDUCE][ORR_ALGO_NVLS_TREE][ORR_SIMPLE], 108.6);
}

TEST(two_a100_hosts_in_four_releases)
{
    struct orr_contribution *host = test_a100(arena);
    tune(host, 2);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_TREE, 11.25, 25.2, 80, 48.5, 94.4, 92.4);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_RING, 12.0, 68.0, 85.3333, 78, 102.4, 204.4);
    struct orr_release older =
        test_release(32, orr_release_find("2.21.5")->connect, orr_release_find("2.21.5")->tuning);
    settings.release = &older;
    tune(host, 2);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_RING, 12.0, 69.4, 85.3333, 82, 102.4, 220.4);
    older = test_release(32, orr_release_find("2.12.12")->connect, orr_release_find("2.12.12")->tuning);
    tune(host, 2);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_TREE, 11.25, 27.504, 80, 38.9, 94.4, 448);
    ROWS(ORR_ALLREDUCE, ORR_ALGO_RING, 12, 36.396, 85.3333, 75.4, 102.4, 208.8);
}

TEST(one_rank_a_node_enables_pat)
{
    struct orr_contribution *host = test_host(arena, 1, 70, ORR_VENDOR_INTEL);
    host->has_nvswitch = false;
    test_add_graph(arena, host, (struct test_graph){ORR_GRAPH_RING, ORR_PATTERN_RING, 1, 10, 10, 0, 1, TEST_ROW_FORTH});
    test_add_graph(arena, host, (struct test_graph){ORR_GRAPH_TREE, ORR_PATTERN_TREE, 1, 10, 10, 0, 1, TEST_ROW_FORTH});
    host->graphs[ORR_GRAPH_RING].type_intra = host->graphs[ORR_GRAPH_TREE].type_intra = ORR_PATH_LOC;
    tune(host, 4);
    assert_near(tuning.bandwidth[ORR_ALLGATHER][ORR_ALGO_PAT][ORR_SIMPLE], 7.5);
    assert_near(tuning.latency[ORR_ALLGATHER][ORR_ALGO_PAT][ORR_SIMPLE], 27.2);
    set("NCCL_PAT_ENABLE", "0");
    tune(host, 4);
    assert_near(tuning.bandwidth[ORR_ALLGATHER][ORR_ALGO_PAT][ORR_SIMPLE], 0);
    tune(host, 1);
    assert_near(tuning.bandwidth[ORR_ALLREDUCE][ORR_ALGO_RING][ORR_SIMPLE], 0);
    assert_false(tuning.has_thresholds);
}

TEST(network_overhead_is_a_floor_for_steps)
{
    set("NCCL_NET_OVERHEAD", "5000");
    tune(test_h100(arena, false), 3);
    assert_near(tuning.latency[ORR_ALLGATHER][ORR_ALGO_RING][ORR_LL], 117);
    assert_near(tuning.latency[ORR_ALLGATHER][ORR_ALGO_RING][ORR_LL128], 127);
    assert_near(tuning.latency[ORR_ALLGATHER][ORR_ALGO_RING][ORR_SIMPLE], 351.4);
}

static void assert_choice(enum orr_function f, uint64_t bytes, enum orr_algorithm a, enum orr_protocol p, double us)
{
    struct orr_choice choice;
    assert_true(orr_tuning_choose(&tuning, &comm, &settings, f, bytes, &choice));
    assert_string_equal(orr_algorithm_name(settings.release, choice.algorithm),
                        orr_algorithm_name(settings.release, a));
    assert_string_equal(orr_protocol_name(choice.protocol), orr_protocol_name(p));
    assert_near(choice.time, us);
    assert_true(choice.channels >= 1 && choice.channels <= comm.channel_count);
    assert_true(choice.threads >= 64 && choice.threads <= 1024);
}

TEST(choices_by_size)
{
    tune(test_h100(arena, true), 1);
    assert_choice(ORR_ALLREDUCE, 8, ORR_ALGO_RING, ORR_LL, 15.0001);
    assert_choice(ORR_ALLREDUCE, 1 << 20, ORR_ALGO_RING, ORR_LL, 28.0142);
    assert_choice(ORR_ALLREDUCE, 16 << 20, ORR_ALGO_NVLS, ORR_SIMPLE, 87.9146);
    assert_choice(ORR_ALLGATHER, 16 << 20, ORR_ALGO_RING, ORR_LL128, 71.6239);
    assert_choice(ORR_ALLGATHER, 1 << 30, ORR_ALGO_RING, ORR_SIMPLE, 2641.99);
    struct orr_choice choice;
    assert_true(orr_tuning_choose(&tuning, &comm, &settings, ORR_ALLREDUCE, 1 << 30, &choice));
    assert_near(choice.bus_bw, 463.79);
    tune(test_h100(arena, false), 2);
    assert_choice(ORR_ALLREDUCE, 64 << 10, ORR_ALGO_TREE, ORR_LL, 31.7898);
    assert_choice(ORR_ALLREDUCE, 1 << 20, ORR_ALGO_NVLS_TREE, ORR_SIMPLE, 56.9322);
    tune(test_h100(arena, false), 4);
    assert_choice(ORR_ALLREDUCE, 1 << 20, ORR_ALGO_TREE, ORR_LL128, 83.2244);
    assert_choice(ORR_ALLREDUCE, 256 << 20, ORR_ALGO_RING, ORR_SIMPLE, 1750.33);
}

TEST(lists_switch_by_function)
{
    set("NCCL_PROTO", "^LL128;allreduce:LL128");
    set("NCCL_ALGO", "allreduce:TREE");
    tune(test_h100(arena, false), 2);
    assert_near(tuning.bandwidth[ORR_ALLREDUCE][ORR_ALGO_TREE][ORR_LL128], 124.78);
    assert_near(tuning.bandwidth[ORR_ALLREDUCE][ORR_ALGO_TREE][ORR_LL], 0);
    assert_near(tuning.bandwidth[ORR_ALLREDUCE][ORR_ALGO_RING][ORR_LL128], 0);
    assert_near(tuning.latency[ORR_ALLREDUCE][ORR_ALGO_RING][ORR_LL128], 75.2); /* stays */
    assert_near(tuning.bandwidth[ORR_BROADCAST][ORR_ALGO_RING][ORR_LL], 39);
    assert_near(tuning.bandwidth[ORR_BROADCAST][ORR_ALGO_RING][ORR_LL128], 0);
}

TEST(nothing_left_is_no_choice)
{
    struct orr_choice choice;
    set("NCCL_ALGO", "Tree");
    tune(test_h100(arena, false), 2);
    assert_false(orr_tuning_choose(&tuning, &comm, &settings, ORR_BROADCAST, 1 << 20, &choice));
    struct orr_release older =
        test_release(32, orr_release_find("2.21.5")->connect, orr_release_find("2.21.5")->tuning);
    settings.release = &older; /* has the ring as a backup */
    tune(test_h100(arena, false), 2);
    assert_true(orr_tuning_choose(&tuning, &comm, &settings, ORR_BROADCAST, 1 << 20, &choice));
}

TEST(wrong_lists_are_refused)
{
    static const struct {
        const char *name, *value, *words;
    } cases[] = {
        {"NCCL_ALGO", "Rign", "unknown algorithm \"Rign\""},
        {"NCCL_PROTO", "LL,Simpel", "unknown protocol \"Simpel\""},
        {"NCCL_ALGO", "allreduc:Ring", "unknown function \"allreduc\""},
        {"NCCL_ALGO", "Ring;Tree", "only the first entry"},
        {"NCCL_ALGO", ":::", "without names"},
        {"NCCL_ALGO", "allreduce:", "unknown algorithm \"allreduce\""},
    };
    struct orr_contribution *host = test_h100(arena, true);
    tune(host, 1);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        orr_settings_init(&settings, orr_release_find("2.27.7"));
        set(cases[i].name, cases[i].value);
        memset(&err, 0, sizeof err);
        assert_error(orr_tune(&comm, &settings, &tuning, &err), ORR_SETTING, &err, cases[i].words);
        assert_string_equal(err.where, cases[i].name);
        memset(&err, 0, sizeof err);
    }
    struct orr_release older =
        test_release(32, orr_release_find("2.12.12")->connect, orr_release_find("2.12.12")->tuning);
    orr_settings_init(&settings, &older);
    set("NCCL_ALGO", "Rign,Ring"); /* older releases ignore what they do not know */
    tune(host, 1);
    assert_true(tuning.bandwidth[ORR_ALLREDUCE][ORR_ALGO_RING][ORR_SIMPLE] > 0);
    assert_near(tuning.bandwidth[ORR_ALLREDUCE][ORR_ALGO_TREE][ORR_SIMPLE], 0);
}

TEST(threads_and_thresholds_are_settable)
{
    set("NCCL_NTHREADS", "100"); /* no multiple of 32: the maximum */
    set("NCCL_LL128_NTHREADS", "32");
    set("NCCL_THREAD_THRESHOLDS", "1 -1 3");
    tune(test_h100(arena, true), 1);
    assert_int_equal(tuning.max_threads[ORR_ALGO_RING][ORR_SIMPLE], 512);
    assert_int_equal(tuning.max_threads[ORR_ALGO_TREE][ORR_LL128], 160);
    assert_int_equal(tuning.thread_threshold[ORR_ALGO_TREE][ORR_LL], 1);
    assert_int_equal(tuning.thread_threshold[ORR_ALGO_TREE][ORR_LL128], 8);
    assert_int_equal(tuning.thread_threshold[ORR_ALGO_TREE][ORR_SIMPLE], 3);
    assert_int_equal(tuning.thread_threshold[ORR_ALGO_RING][ORR_SIMPLE], 64);
}

/* A tuner plugin's file: the first row that matches and can be used decides; no row means one channel. */
TEST(a_tuner_file_decides)
{
    static const char text[] = "# collective,min_bytes,max_bytes,algorithm,protocol,channels,nNodes,nRanks\n"
                               "allreduce,0,1023,collnet_direct,simple,7,-1,-1\n"
                               " allreduce , 0,1023,tree,ll,4,1,-1\r\n"
                               "allreduce,0,1023,tree,ll128,5,-1,16,-1,-1\n"
                               "allreduce,1024,2048,ring,simple,-1,-1,-1,1,0;allgather,0,9999,ring,ll,3,-1,-1,2\n";
    struct orr_choice own, choice;
    const struct orr_tuner *tuner;
    assert_ok(orr_tuner_read(text, strlen(text), arena, &tuner, &err), &err);
    assert_int_equal(tuner->count, 5);
    tune(test_h100(arena, true), 2);
    assert_true(orr_tuning_choose(&tuning, &comm, &settings, ORR_ALLREDUCE, 512, &own));
    assert_int_equal(own.tuner_line, 0);
    tuning.tuner = tuner;
    /* CollNet is off, and the next row is for one node: the third decides. */
    assert_true(orr_tuning_choose(&tuning, &comm, &settings, ORR_ALLREDUCE, 512, &choice));
    assert_int_equal(choice.tuner_line, 4);
    assert_int_equal(choice.algorithm, ORR_ALGO_TREE);
    assert_int_equal(choice.protocol, ORR_LL128);
    assert_int_equal(choice.channels, 5);
    assert_true(orr_tuning_choose(&tuning, &comm, &settings, ORR_ALLREDUCE, 2048, &choice));
    assert_int_equal(choice.tuner_line, 5);
    assert_int_equal(choice.channels, 1);
    assert_true(choice.time > 0);
    /* Beyond all ranges NCCL chooses by itself, with the plugin's one channel. */
    assert_true(orr_tuning_choose(&tuning, &comm, &settings, ORR_ALLREDUCE, 4096, &choice));
    assert_int_equal(choice.tuner_line, 0);
    assert_int_equal(choice.channels, 1);
    /* A row for two operations at a time does not match a single one. */
    assert_true(orr_tuning_choose(&tuning, &comm, &settings, ORR_ALLGATHER, 512, &choice));
    assert_int_equal(choice.tuner_line, 0);
}

TEST(wrong_tuner_files_are_refused)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"\nallreduce,0,1,ring,simple,1,1\n", "line 2 of the tuner file has 7 fields; a row needs 8 to 10"},
        {"allreduce,0,1,ring,simple,1,1,1,1,1,1", "line 1 of the tuner file has 11 fields"},
        {"nonsense", "line 1 of the tuner file has 1 field;"},
        {"allreduc,0,1,ring,simple,1,1,1", "line 1 of the tuner file names the collective \"allreduc\""},
        {"allreduce,0,1,Ring,simple,1,1,1", "algorithm \"Ring\""},
        {"# x\nallreduce,0,1,ring,ll64,1,1,1", "line 2 of the tuner file names the protocol \"ll64\""},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct orr_tuner *tuner;
        err = (struct orr_error){0};
        assert_error(orr_tuner_read(cases[i].text, strlen(cases[i].text), arena, &tuner, &err), ORR_SETTING, &err,
                     cases[i].words);
        assert_int_equal(err.line, 0); /* which would be one of the dump */
        assert_string_equal(err.where, "tuner");
    }
}
