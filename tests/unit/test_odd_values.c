/* SPDX-License-Identifier: Apache-2.0 */
/* Values of settings that NCCL takes for something else than they look like, each in the releases that do so and in one
 * that does not. Beside them machines for which NCCL lists a graph without channels. */
#include "engine/input/input.h"
#include "engine/machines/machine_types.h"
#include "tests/support/fixture.h"

#define SWITCH_LINK  "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>"
#define LINE_TO(bus) "<nvlink target=\"" bus "\" count=\"2\" tclass=\"0x030200\"/>"
#define HOST(inside) "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" inside "</cpu></system>"
/* Two GPUs at an NVSwitch, one of another capability. */
#define MIXED(sm)                                                                                                      \
    HOST(GPU("0000:01:00.0", "0", "90", SWITCH_LINK) GPU("0000:02:00.0", "1", "90", SWITCH_LINK)                       \
             GPU("0000:03:00.0", "2", sm, SWITCH_LINK) NIC("0000:20:00.0", "0", "100000"))
#define BESIDE(link)                                                                                                   \
    HOST(GPU("0000:01:00.0", "0", "90", link) GPU("0000:02:00.0", "1", "90", SWITCH_LINK)                              \
             GPU("0000:03:00.0", "2", "90", SWITCH_LINK) NIC("0000:20:00.0", "0", "100000"))
/* NVLinks 0 - 1 - 2: GPU 0 reaches GPU 2 through GPU 1. */
#define RELAY                                                                                                          \
    HOST(GPU("0000:01:00.0", "0", "70", LINE_TO("0000:02:00.0"))                                                       \
             GPU("0000:02:00.0", "1", "70", LINE_TO("0000:01:00.0") LINE_TO("0000:03:00.0"))                           \
                 GPU("0000:03:00.0", "2", "70", LINE_TO("0000:02:00.0")) NIC("0000:20:00.0", "0", "10000"))
#define LONE HOST(GPU("0000:01:00.0", "0", "90", "") NIC("0000:20:00.0", "0", "100000"))

static struct orr_dump *dump;
static struct orr_analysis *analysis;
static struct orr_error err;

void after_each(void)
{
    orr_analysis_free(analysis);
    orr_dump_free(dump);
    analysis = NULL;
    dump = NULL;
}

/* A machine type or a text. */
static enum orr_code ask(const char *release, const char *machine, uint32_t hosts, const char *settings)
{
    struct orr_query query = {.hosts = hosts};
    after_each();
    err = (struct orr_error){0};
    orr_settings_init(&query.settings, orr_release_find(release));
    if (machine[0] == '<')
        dump = read_text(machine);
    else
        assert_ok(orr_input_machine(orr_machine_type_find(machine), &dump, &err), &err);
    give(&query.settings, settings);
    return orr_analyze(dump, &query, NULL, &analysis, &err);
}

static const struct orr_communicator *joined(const char *release, uint32_t hosts, const char *name, const char *value)
{
    char setting[80] = "";
    if (name)
        snprintf(setting, sizeof setting, "%s=%s", name, value);
    assert_ok(ask(release, "hgx-h100", hosts, setting), &err);
    return &analysis->communicator;
}

TEST(more_peers_than_ranks_are_all_ranks)
{
    assert_int_equal(joined("2.30.7", 2, "NCCL_P2P_MAX_PEERS", "64")->p2p_channels_per_peer, 4);
    assert_int_equal(joined("2.30.7", 2, "NCCL_P2P_MAX_PEERS", "16")->p2p_channels_per_peer, 4);
    assert_int_equal(joined("2.30.7", 2, "NCCL_P2P_MAX_PEERS", "4294967297")->p2p_channels_per_peer,
                     joined("2.30.7", 2, "NCCL_P2P_MAX_PEERS", "1")->p2p_channels_per_peer); /* cut to 32 bits */
}

TEST(no_channels_to_a_peer_count_as_not_given)
{
    static const char *const releases[] = {"2.28.3", "2.28.9", "2.30.7"}, *const values[] = {"0", "-1", "-2", "many"};
    for (size_t r = 0; r < sizeof releases / sizeof *releases; r++) {
        const int32_t usual = joined(releases[r], 2, NULL, NULL)->p2p_channels_per_peer;
        assert_int_not_equal(joined(releases[r], 2, "NCCL_NCHANNELS_PER_NET_PEER", "1")->p2p_channels_per_peer, usual);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++)
            assert_int_equal(joined(releases[r], 2, "NCCL_NCHANNELS_PER_NET_PEER", values[v])->p2p_channels_per_peer,
                             usual);
    }
    /* 2.27.7: -1 is not given, 0 is 1, and with other negative values the peers on other hosts are left out. */
    const int32_t usual = joined("2.27.7", 2, NULL, NULL)->p2p_channels_per_peer;
    assert_int_equal(joined("2.27.7", 2, "NCCL_NCHANNELS_PER_NET_PEER", "-1")->p2p_channels_per_peer, usual);
    assert_int_equal(joined("2.27.7", 2, "NCCL_NCHANNELS_PER_NET_PEER", "0")->p2p_channels_per_peer, 1);
    const int32_t left_out = joined("2.27.7", 2, "NCCL_NCHANNELS_PER_NET_PEER", "-2")->p2p_channels_per_peer;
    assert_true(left_out > usual);
}

TEST(minus_two_is_no_default_of_most_channels)
{
    static const char *const releases[] = {"2.27.7", "2.30.7"};
    for (size_t r = 0; r < sizeof releases / sizeof *releases; r++) {
        assert_int_equal(joined(releases[r], 1, NULL, NULL)->p2p_channels, 32);
        assert_int_equal(joined(releases[r], 1, "NCCL_MAX_P2P_NCHANNELS", "-2")->p2p_channels, 1);
    }
}

/* 32 bytes are a header, and each channel takes 16 more. Less than the header wraps, so that there is no limit. */
TEST(less_room_for_arguments_than_their_header)
{
    static const struct {
        const char *bytes;
        int32_t channels;
    } rows[] = {{"0", 24}, {"31", 24}, {"-1", 24}, {"some", 24}, {"32", 1}, {"47", 1}, {"48", 1}, {"96", 4}};
    static const char *const releases[] = {"2.27.7", "2.30.7"};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        char settings[80]; /* without NVLS, whose channels count too in 2.27.7 */
        snprintf(settings, sizeof settings, "NCCL_NVLS_ENABLE=0 NCCL_WORK_ARGS_BYTES=%s", rows[i / 2].bytes);
        assert_ok(ask(releases[i % 2], "hgx-h100", 1, settings), &err);
        assert_int_equal(analysis->communicator.channel_count, rows[i / 2].channels);
    }
}

/* Levels, channels, CTAs and channels of NVLS lose all but 32 bits. */
TEST(values_beyond_32_bits_are_cut)
{
    static const struct {
        const char *setting, *large, *same_as;
    } rows[] = {
        {"NCCL_P2P_LEVEL", "4294967296", "LOC"},    {"NCCL_P2P_LEVEL", "4294967297", "1"},
        {"NCCL_MIN_NCHANNELS", "4294967328", "32"}, {"NCCL_MAX_NCHANNELS", "4294967300", "4"},
        {"NCCL_MIN_CTAS", "4294967312", "16"},      {"NCCL_MAX_CTAS", "4294967304", "8"},
        {"NCCL_NVLS_NCHANNELS", "4294967300", "4"},
    };
    static const char *const releases[] = {"2.27.7", "2.30.7"};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        const char *release = releases[i % 2], *setting = rows[i / 2].setting;
        const struct orr_communicator *large = joined(release, 1, setting, rows[i / 2].large);
        const int32_t channels = large->channel_count, nvls = large->nvls_channels, p2p = large->p2p_channels;
        const int32_t reach = analysis->p2p[1].decision.verdict;
        const struct orr_communicator *same = joined(release, 1, setting, rows[i / 2].same_as);
        if (same->channel_count != channels || same->nvls_channels != nvls || same->p2p_channels != p2p ||
            analysis->p2p[1].decision.verdict != reach)
            fail_msg("%s: %s=%s is not %s", release, setting, rows[i / 2].large, rows[i / 2].same_as);
    }
}

/* A relay is not used if the copy engine copies, and every value but 0 asks for that. Without shared memory GPU 0 then
 * reaches GPU 2 by the network alone. */
TEST(any_value_but_0_asks_for_the_copy_engine)
{
    static const struct {
        const char *settings;
        enum orr_path_type type;
    } rows[] = {{"", ORR_PATH_NVB},
                {"NCCL_P2P_USE_CUDA_MEMCPY=0", ORR_PATH_NVB},
                {"NCCL_P2P_USE_CUDA_MEMCPY=1", ORR_PATH_NET},
                {"NCCL_P2P_USE_CUDA_MEMCPY=2", ORR_PATH_NET},
                {"NCCL_P2P_USE_CUDA_MEMCPY=-2", ORR_PATH_NET},
                {"NCCL_P2P_USE_CUDA_MEMCPY=no", ORR_PATH_NVB}}; /* no number: the default */
    static const char *const releases[] = {"2.27.7", "2.30.7"};
    for (size_t i = 0; i < 2 * sizeof rows / sizeof *rows; i++) {
        char settings[80];
        snprintf(settings, sizeof settings, "NCCL_SHM_DISABLE=1 %s", rows[i / 2].settings);
        assert_ok(ask(releases[i % 2], RELAY, 2, settings), &err);
        const struct orr_part *part = &analysis->parts[0];
        const uint32_t first = orr_gpu_of_rank(&part->system, 0), last = orr_gpu_of_rank(&part->system, 2);
        const enum orr_path_type type = (enum orr_path_type)orr_path(&part->paths, first, last)->type;
        if (type != rows[i / 2].type)
            fail_msg("%s, %s: %s", releases[i % 2], settings, orr_path_type_name(type));
    }
}

TEST(one_rank_does_not_read_algorithms)
{
    static const char *const settings[] = {"NCCL_PROTO=sys", "NCCL_ALGO=sys"}, *const releases[] = {"2.27.7", "2.30.7"};
    for (size_t i = 0; i < 4; i++) {
        assert_ok(ask(releases[i / 2], LONE, 1, settings[i % 2]), &err);
        assert_error(ask(releases[i / 2], LONE, 2, settings[i % 2]), ORR_SETTING, &err, "unknown");
    }
}

/* ---- A graph without channels ---- */

static const struct orr_graph *nvls(const char *release, const char *machine, const char *enable)
{
    char setting[40] = "";
    if (enable)
        snprintf(setting, sizeof setting, "NCCL_NVLS_ENABLE=%s", enable);
    assert_ok(ask(release, machine, 2, setting), &err);
    return &analysis->parts[0].contribution.graphs[ORR_GRAPH_NVLS];
}

/* Any value but 0 and 2 takes NVLS as supported: the graph is listed, though no hardware has it. */
TEST(nvls_that_is_forced_is_listed_empty)
{
    static const struct {
        const char *release;
        double latency; /* of NVLS with Simple more than without */
    } rows[] = {{"2.24.3", 25}, {"2.27.7", 25}, {"2.28.3", 0}, {"2.30.7", 0}};
    static const char *const values[] = {"1", "3", "-2"};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const char *release = rows[i].release;
        assert_int_equal(nvls(release, "dgx-a100", "2")->pattern, ORR_PATTERN_NONE);
        const double usual = (double)analysis->tuning.latency[ORR_ALLREDUCE][ORR_ALGO_NVLS][ORR_SIMPLE];
        assert_int_equal(nvls(release, "dgx-a100", "0")->pattern, ORR_PATTERN_NONE);
        for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
            const struct orr_graph *graph = nvls(release, "dgx-a100", values[v]);
            assert_int_equal(graph->pattern, ORR_PATTERN_NVLS);
            assert_int_equal(graph->channels, 0);
            assert_int_equal(graph->type_intra, ORR_PATH_NVL);
            const double more = (double)analysis->tuning.latency[ORR_ALLREDUCE][ORR_ALGO_NVLS][ORR_SIMPLE] - usual;
            assert_true(more > rows[i].latency - 1e-4 && more < rows[i].latency + 1e-4);
        }
    }
}

/* Each rank asks its own GPU for multicast, so one of capability 90 asks for NVLS; the search then wants all to have
 * it. */
TEST(hosts_of_mixed_capabilities_list_an_empty_graph)
{
    static const char *const releases[] = {"2.24.3", "2.26.2", "2.27.7", "2.28.9", "2.30.7"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        const struct orr_graph *graph = nvls(releases[i], MIXED("80"), NULL);
        assert_int_equal(graph->pattern, ORR_PATTERN_NVLS);
        assert_int_equal(graph->channels, 0);
        assert_true(nvls(releases[i], MIXED("90"), NULL)->channels > 0);
    }
}

/* NVLS needs NVLink from every GPU to the switch. */
TEST(one_gpu_beside_the_nvswitch_leaves_the_graph_empty)
{
    static const char *const releases[] = {"2.24.3", "2.26.2", "2.27.7", "2.28.9", "2.30.7"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        const struct orr_graph *graph = nvls(releases[i], BESIDE(""), NULL);
        assert_int_equal(graph->pattern, ORR_PATTERN_NVLS);
        assert_int_equal(graph->channels, 0);
        assert_true(nvls(releases[i], BESIDE(SWITCH_LINK), NULL)->channels > 0);
    }
}

/* NCCL makes a NIC of a switch with a <nic> of its own, and does not look for GPUs below it. */
#define BELOW(own)                                                                                                     \
    HOST(SWITCH("0000:10:00.0") own GPU("0000:11:00.0", "0", "80", LINE_TO("0000:02:00.0")) "</pci>" GPU(              \
        "0000:02:00.0", "1", "80", LINE_TO("0000:11:00.0")))
TEST(gpus_below_a_switch_that_is_a_nic_are_not_found)
{
    static const char *const releases[] = {"2.24.3", "2.26.2", "2.27.7", "2.28.9", "2.30.7"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++) {
        assert_ok(ask(releases[i], BELOW(""), 1, ""), &err);
        assert_int_equal(analysis->ranks, 2);
        assert_error(ask(releases[i], BELOW("<nic><net name=\"n\" dev=\"0\" speed=\"1000\" port=\"1\"/></nic>"), 1, ""),
                     ORR_INVALID, &err, "does not find that GPU below a switch that has a <nic> of its own");
    }
}
