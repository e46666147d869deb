/* SPDX-License-Identifier: Apache-2.0 */
/* Reading logs: lines and writers, each kind of line in the shapes of the releases, ceilings, hostile bytes. */
#include <stdlib.h>

#include "engine/dump/dump.h"
#include "engine/log_comparing/check.h"
#include "engine/release/release_names.h"
#include "engine/topology/graph_file.h"
#include "tests/support/orr_test.h"

#define H "node1:10:11 [0] NCCL INFO "

static struct orr_log *read(const char *text)
{
    struct orr_error err = {0};
    struct orr_log *log = NULL;
    assert_ok(orr_log_read(text, strlen(text), NULL, &log, &err), &err);
    return log;
}

TEST(kinds_of_lines)
{
    static const struct {
        const char *line;
        enum orr_log_kind kind;
        unsigned values, words;
    } rows[] = {
        {H "NCCL version 2.27.7+cuda13.0", ORR_LOG_VERSION, 0, 1},
        {"0: NCCL version 2.12.10+cuda11.6", ORR_LOG_VERSION, 0, 1},
        {H "NCCL_P2P_LEVEL set by environment to SYS", ORR_LOG_SETTING, 0, 2},
        {H "NCCL_IB_HCA set to mlx5_0", ORR_LOG_SETTING, 0, 2},
        {H "NET/IB : Using [0]mlx5_0:1/RoCE [RO]; OOB eth0:10.0.0.1<0>", ORR_LOG_NIC_LIST, 0, 2},
        {"#  Rank  0 Group  0 Pid 10 on node1 device  0 [0x21] NVIDIA RTX A6000\n" H "Launch mode Parallel",
         ORR_LOG_DEVICE, 4, 3},
        {H "comm 0x5a rank 1 nranks 2 cudaDev 1 busId 61000 - Init COMPLETE", ORR_LOG_INIT_COMPLETE, 3, 2},
        {H "ncclCommInitAll comm 0x5a rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 61000 commId 0xf0 - Init COMPLETE",
         ORR_LOG_INIT_COMPLETE, 4, 5},
        {H
         "[Rank 1] ncclCommInitRank comm 0x5a rank 1 nranks 2 cudaDev 1 nvmlDev 1 busId 61000 commId 0xf0 - Init START",
         ORR_LOG_INIT_START, 5, 4},
        {H "comm 0x5a rank 1 nRanks 16 nNodes 2 localRanks 8 localRank 1 MNNVL 0", ORR_LOG_COMMUNICATOR, 5, 1},
        {H "=== System : maxWidth 12.0 ===", ORR_LOG_SYSTEM, 1, 0},
        {H "=== System : maxBw 240.0 totalBw 240.0 ===", ORR_LOG_SYSTEM, 2, 0},
        {H "CPU/0 (1/2/-1)", ORR_LOG_TREE_CPU, 3, 1},
        {H "              + NVL[240.0] - GPU/0-65000", ORR_LOG_TREE_LINK, 2, 2},
        {H "+ NET[12.5] - NET/0-0 (0/6c4e/1/12.500000)", ORR_LOG_TREE_LINK, 2, 3},
        {H "+ QPI[ 8] - CPU/0", ORR_LOG_TREE_LINK, 2, 2},
        {H "GPU/F000 :GPU/F000 (0/5000.000000/LOC) CPU/1 (3/10.000000/SYS) ", ORR_LOG_PATHS, 4, 5},
        {H "NET/0 :GPU/F000 (4/8/3)", ORR_LOG_PATHS_OTHER, 2, 3},
        {H "Pattern 4, crossNic 0, nChannels 12, bw 20.000000/20.000000, type NVL/PIX, sameChannels 1", ORR_LOG_PATTERN,
         6, 2},
        {H "Pattern 4, crossNic 2, nChannels 1, speed 12.000000/6.000000, type SYS/SYS, sameChannels 1",
         ORR_LOG_PATTERN, 6, 2},
        {H " 0 : NET/0 GPU/0 GPU/1 NET/0", ORR_LOG_GRAPH_CHANNEL, 1, 4},
        {H "Channel 00/02 :    0   1", ORR_LOG_RING, 4, 0},
        {H "Channel 00/16 :  0  1  2  3...", ORR_LOG_RING, 5, 0},
        {H "Ring 00 : 1 -> 0 -> 1", ORR_LOG_RING_NEIGHBOURS, 4, 0},
        {H "Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0->1", ORR_LOG_TREES, 14, 0},
        {H "Trees [0] 1/-1/-1->0->-1|-1->0->1/-1/-1", ORR_LOG_TREES, 14, 0},
        {H "Trees [0] 1/-1/-1->0->-1 [1] -1/-1/-1->0", ORR_LOG_TREES, 7, 0},
        {H "Tree 0 : -1 -> 0 -> 1/-1/-1", ORR_LOG_TREE_ENDS, 6, 0},
        {H "24 coll channels, 32 p2p channels, 32 p2p channels per peer", ORR_LOG_COUNTS, 3, 0},
        {H "16 coll channels, 16 nvls channels, 16 p2p channels, 2 p2p channels per peer", ORR_LOG_COUNTS, 4, 0},
        {H "Channel 00 : 0[21000] -> 1[61000] via P2P/IPC/read", ORR_LOG_CONNECT_P2P, 3, 3},
        {H "Channel 00/1 : 0[0] -> 1[1] via SHM/direct/direct", ORR_LOG_CONNECT_SHM, 4, 3},
        {H "Channel 00 : 0[21000] -> 1[61000] via direct shared memory", ORR_LOG_CONNECT_SHM, 3, 2},
        {H "Channel 03/0 : 9[1] -> 0[0] [send] via NET/AWS Libfabric/0(8)/GDRDMA", ORR_LOG_CONNECT_NET, 4, 4},
        {H "GPU Direct RDMA Disabled for GPU 81000 / HCA 0 (distance 6 > 4)", ORR_LOG_GDR_PAIR, 2, 4},
        {H "GPU Direct RDMA Enabled for GPU 0 / HCA 0 (distance 4 <= 5), read 0 mode Default", ORR_LOG_GDR_PAIR, 3, 4},
        {H "NET/AWS Libfabric : GPU Direct RDMA Enabled for HCA 1 'cxi1'", ORR_LOG_GDR_NIC, 1, 3},
        {H "NVLS multicast support is not available on dev 0", ORR_LOG_NVLS_SUPPORT, 1, 1},
        {H "MNNVL busId 0x901000 fabric UUID 8f4c000000000000.1 cliqueId 0x7ffe state 3 healthMask 0x2", ORR_LOG_FABRIC,
         1, 5},
        {H "MNNVL 1 cliqueId 7ffe cliqueSize 8 cliqueRank 0 nvlDomainSize 8", ORR_LOG_MNNVL, 3, 1},
        {H "LSA extended to full NVL domain: lsaSize=8 (cross-clique P2P)", ORR_LOG_NVLINK_DOMAIN, 1, 0},
        {H "Check P2P Type intraNodeP2pSupport 1 directMode 0", ORR_LOG_P2P_TYPE, 2, 0},
        {H "Check P2P Type isAllDirectP2p 1 directMode 0", ORR_LOG_P2P_TYPE, 2, 0},
        {H "Check P2P Type isAllDirectP2p 0 directMode 0 isAllCudaP2p 1", ORR_LOG_P2P_TYPE, 3, 0},
        {H "Symmetric memory is not supported. cuMemEnable 1, ginSupport 0, globalNicFused 1", ORR_LOG_NO_SYMMETRIC, 2,
         0},
        {H "Symmetric memory is not supported. cuMemEnable 1, globalGinSupport 0, cuMemGdrSupport 1",
         ORR_LOG_NO_SYMMETRIC, 2, 0},
        {H "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLLMC_R nchannels 2 nthreads 512 nWorks 1",
         ORR_LOG_SYMMETRIC, 2, 3},
        {H "GIN/Plugin: Assigned plugin GIN_IB_GDAKI type 3 to comm", ORR_LOG_GIN, 1, 1},
        {H "  Algorithm   |   Tree   |   Ring   |", ORR_LOG_TUNING_ALGORITHMS, 0, 2},
        {H "    AllReduce |     8.0/  37.9 |    16.5/ 112.0 |", ORR_LOG_TUNING_ROW, 4, 1},
        {"node1:10:11 [0] init.cc:10 NCCL WARN something is wrong", ORR_LOG_WARNING, 0, 1},
        {"node1:10:11 [0] ncclTopoPrint(), graph/topo.cc:523 NCCL INFO CPU/1", ORR_LOG_TREE_CPU, 0, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct orr_log *log = read(rows[i].line);
        if (log->record_count != 1 || log->records[0].kind != rows[i].kind ||
            log->records[0].value_count != rows[i].values || log->records[0].word_count != rows[i].words)
            fail_msg("%s: %u lines, kind %s, %u values, %u words", rows[i].line, log->record_count,
                     log->record_count ? orr_log_kind_name(log->records[0].kind) : "", log->records[0].value_count,
                     log->records[0].word_count);
        orr_log_free(log);
    }
}

TEST(writers_and_communicators)
{
    struct orr_log *log =
        read("[1,0]<stdout>:node1:10:11 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 21000 "
             "- Init COMPLETE\n"
             "\x1b[32mnode2:20:21\x1b[0m [0] NCCL INFO comm 0x2 rank 1 nranks 2 cudaDev 0 busId 21000 "
             "- Init COMPLETE\n"
             "2026-11-21 10:00:00 node1:10:11 [0] NCCL INFO Ring 00 : 1 -> 0 -> 1\n"
             "node1:10:11 [0] NCCL INFO comm 0x3 rank 0 nranks 1 cudaDev 0 busId 21000 - Init "
             "COMPLETE\n");
    assert_int_equal(log->host_count, 2);
    assert_string_equal(log->hosts[0], "node1");
    assert_int_equal(log->writer_count, 2);
    assert_int_equal(log->communicator_count, 2); /* the last line ends another initialisation */
    assert_int_equal(log->communicators[0].host_count, 2);
    assert_int_equal(log->communicators[1].rank_count, 1);
    orr_log_free(log);

    log = read("node1:10:11 [0] NCCL INFO Using network IB\n"
               "node1:10:11 [0] NCCL INFO comm 0x1 rank 0 nranks 2 cudaDev 0 busId 21000 - Init COMPLETE\n"
               "node1:12:13 [1] NCCL INFO comm 0x2 rank 1 nranks 2 cudaDev 1 busId 61000 - Init COMPLETE\n"
               "node1:10:11 [0] NCCL INFO Using network IB\n"
               "node1:10:11 [0] NCCL INFO comm 0x3 rank 0 nranks 1 cudaDev 0 busId 21000 - Init COMPLETE\n");
    assert_int_equal(log->communicator_count, 2);
    assert_int_equal(log->communicators[0].rank_count, 2);
    assert_int_equal(log->communicators[0].seen, 2);
    assert_string_equal(log->communicators[0].members[1].bus_id, "61000");
    assert_int_equal(log->communicators[1].rank_count, 1);
    assert_int_equal(orr_log_largest(log), 0);
    orr_log_free(log);
}

TEST(torn_and_wrapped_lines)
{
    struct orr_log *log =
        read(H "Ring 00 : 1 -> 0 -> 1\n" H "Channel 00/0 : 0[0] -> 1[1] via P2P/CU" H "Ring 01 : 1 -> 0 -> 1\n");
    assert_int_equal(log->split, 1);
    assert_int_equal(log->kinds[ORR_LOG_RING_NEIGHBOURS], 2);
    assert_int_equal(log->kinds[ORR_LOG_CONNECT_P2P], 1);
    assert_int_equal(log->host_count, 1);
    orr_log_free(log);

    log = read(H "Trees [0] 1/-1/-1->0->-1 [1] 1/-1/-1->0->-1\n[2] 1/-1/-1->0->-1\nsomething else\n" H
                 "P2P Chunksize set to 131072\n");
    assert_int_equal(log->rejoined, 1);
    assert_int_equal(log->records[0].value_count, 21);
    assert_int_equal(log->records[0].line, 1);
    assert_int_equal(log->records[1].line, 4);
    orr_log_free(log);
}

TEST(releases_and_settings)
{
    const char *text;
    bool exact;
    struct orr_log *log = read("NCCL version: 2.5.7\nNCCL version 2.5.7+cuda10.1\n" H
                               "NCCL_ALGO set by environment to Ring.\n" H "NCCL_ALGO set by environment to Tree.\n");
    assert_int_equal(log->release_count, 1);
    assert_int_equal(orr_log_version(log, &text), ORR_VERSION(2, 5, 7));
    assert_string_equal(text, "2.5.7+cuda10.1");
    assert_int_equal(log->setting_count, 1);
    assert_string_equal(log->settings[0].value, "Ring");
    assert_true(log->settings[0].varies);
    orr_log_free(log);
    static const struct {
        uint32_t version;
        const char *nearest;
        bool exact;
    } rows[] = {
        {ORR_VERSION(2, 5, 7), "2.7.8", false},    {ORR_VERSION(2, 7, 8), "2.7.8", true},
        {ORR_VERSION(2, 13, 4), "2.12.12", false}, {ORR_VERSION(2, 18, 1), "2.18.1", true},
        {ORR_VERSION(2, 26, 6), "2.26.2", true},   {ORR_VERSION(2, 27, 3), "2.27.3", true},
        {ORR_VERSION(2, 28, 9), "2.28.9", true},   {ORR_VERSION(2, 29, 7), "2.29.7", true},
        {ORR_VERSION(2, 30, 5), "2.30.4", false},  {ORR_VERSION(2, 99, 0), "2.30.7", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        assert_string_equal(orr_release_nearest(rows[i].version, &exact)->name, rows[i].nearest);
        assert_int_equal(exact, rows[i].exact);
    }
}

TEST(refusals_and_ceilings)
{
    struct orr_error err = {0};
    struct orr_log *log;
    assert_error(orr_log_read("hello\n", 6, NULL, &log, &err), ORR_UNRECOGNISED, &err,
                 "does not look like an NCCL log");
    assert_true(strstr(err.advice, "NCCL_DEBUG=INFO") != NULL);
    err = (struct orr_error){0};
    const struct orr_log_limits few = {.bytes = 1 << 20, .line = 1 << 10, .records = 2, .memory = 1 << 24};
    const char *three = H "Ring 00 : 1 -> 0 -> 1\n" H "Ring 01 : 1 -> 0 -> 1\n" H "Ring 02 : 1 -> 0 -> 1\n";
    assert_ok(orr_log_read(three, strlen(three), &few, &log, &err), &err); /* the third is only counted */
    assert_int_equal(log->record_count, 2);
    assert_int_equal(log->left_out, 1);
    assert_int_equal(log->kinds[ORR_LOG_RING_NEIGHBOURS], 3);
    orr_log_free(log);
    assert_error(orr_log_read(three, (size_t)2 << 20, &few, &log, &err), ORR_LIMIT, &err, "the limit is");
    /* A line without an end is read up to the ceiling, and counted. */
    enum { LONG = 300000 };
    char *text = malloc(LONG);
    assert_non_null(text);
    memset(text, 'x', LONG);
    memcpy(text, three, strlen(three));
    struct orr_error none = {0};
    assert_ok(orr_log_read(text, LONG, NULL, &log, &none), &none);
    assert_int_equal(log->cut, 1);
    orr_log_free(log);
    /* Bytes of every value, and headers without anything behind. */
    for (int i = 0; i < LONG; i++)
        text[i] = (char)(i * 7 + i / 256);
    memcpy(text, three, strlen(three));
    memcpy(text + 1000, ":1:2 [0] NCCL INFO ", 19);
    assert_ok(orr_log_read(text, LONG, NULL, &log, &none), &none);
    orr_log_free(log);
    free(text);
    assert_false(orr_log_is_one("<system version=\"1\"> NCCL INFO ", 31));
    assert_true(orr_log_is_one(three, strlen(three)));
    assert_true(orr_is_graph_file("<?xml version=\"1.0\"?><graphs version=\"1\">", 41));
}

TEST(a_tree_that_is_not_whole_is_no_dump)
{
    const char *why;
    struct orr_dump *dump;
    struct orr_error err = {0};
    struct orr_log *log =
        read(H "=== System : maxBw 24.0 totalBw 24.0 ===\n" H "CPU/0-0 (1/2/-1)\n" H "+ PCI[24.0] - GPU/0-21000 (0)\n");
    assert_ok(orr_log_tree_dump(log, 0, &dump, &why, &err), &err);
    assert_null(dump);
    assert_true(strstr(why, "not whole") != NULL);
    orr_log_free(log);
    log = read(H "=== System : maxBw 24.0 totalBw 24.0 ===\n" H "CPU/0-0 (1/2/-1)\n" H
                 "+ PCI[24.0] - GPU/0-21000 (0)\n" H "==========\n");
    assert_ok(orr_log_tree_dump(log, 0, &dump, &why, &err), &err);
    assert_non_null(dump);
    assert_int_equal(dump->elements[dump->element_count - 1].kind, ORR_ELEMENT_GPU);
    orr_dump_free(dump);
    orr_log_free(log);
}

TEST(a_dumped_graph)
{
    const char *text =
        "<graphs version=\"1\">\n<graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" "
        "speedintra='12' speedinter=\"12\" typeintra=\"PHB\" typeinter=\"PIX\" samechannels=\"1\">\n"
        "<channel><net dev=\"0\"/><gpu dev=\"0x1\"/><gpu dev=\"0x100000000000002\"/></channel>\n</graph></graphs>";
    struct orr_error err = {0};
    struct orr_log *log;
    assert_ok(orr_log_read_any(text, strlen(text), &log, &err), &err);
    assert_true(log->graph_file);
    assert_int_equal(log->record_count, 2);
    assert_int_equal((int)log->records[0].values[2], 1);
    assert_string_equal(log->records[0].words[1], "PIX");
    assert_string_equal(log->records[1].words[2], "DEV/1-2");
    assert_int_equal(log->records[1].line, 3);
    orr_log_free(log);
    assert_error(orr_log_read_any("<graphs version='1'></graphs>", 29, &log, &err), ORR_UNRECOGNISED, &err, "<graph>");
}
