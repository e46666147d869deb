/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a log about the device side against the prediction for a machine. */
#include "engine/cluster/cluster.h"
#include "engine/input/input.h"
#include "engine/log_comparing/check.h"
#include "engine/machines/machine_types.h"
#include "tests/support/orr_test.h"

#define H "node1:10:11 [0] NCCL INFO "
#define COMM                                                                                                           \
    "node1:10:11 [0] NCCL INFO ncclCommInitRank comm 0x1 rank 0 nranks 8 cudaDev 0 nvmlDev 0 busId 11000 commId 0x5 "  \
    "- Init START\n"

static struct orr_dump *dump;
static struct orr_log *log_;
static struct orr_log_check *check;
static struct orr_error err;

void after_each(void)
{
    if (check)
        orr_log_check_free(check);
    if (log_)
        orr_log_free(log_);
    orr_dump_free(dump);
    check = NULL;
    log_ = NULL;
    dump = NULL;
}

static void compare_on(const char *machine, const char *release, const char *text, uint32_t hosts)
{
    const struct orr_log_question question = {
        .release = orr_release_find(release), .communicator = UINT32_MAX, .without_causes = true, .hosts = hosts};
    after_each();
    assert_ok(orr_input_machine(orr_machine_type_find(machine), &dump, &err), &err);
    assert_ok(orr_log_read(text, strlen(text), NULL, &log_, &err), &err);
    assert_ok(orr_log_compare(log_, dump, &question, &check, &err), &err);
}

static void compare(const char *release, const char *lines)
{
    char text[4096];
    snprintf(text, sizeof text, COMM "%s", lines);
    compare_on("hgx-h100", release, text, 1);
}

static const struct orr_log_fact *fact(const char *what)
{
    for (uint32_t i = 0; i < check->fact_count; i++)
        if (check->facts[i].topic == ORR_TOPIC_DEVICE_SIDE && !strcmp(check->facts[i].what, what))
            return &check->facts[i];
    fail_msg("no fact about %s", what);
    return NULL;
}

TEST(flags_are_compared)
{
    compare("2.30.7", H "Check P2P Type isAllDirectP2p 1 directMode 0 isAllCudaP2p 1\n");
    assert_int_equal(fact("isAllDirectP2p")->verdict, ORR_FACT_AGREES);
    assert_int_equal(fact("isAllCudaP2p")->verdict, ORR_FACT_AGREES);
    compare("2.30.7", H "Check P2P Type isAllDirectP2p 0 directMode 1 isAllCudaP2p 0\n");
    assert_int_equal(fact("isAllDirectP2p")->verdict, ORR_FACT_DIFFERS);
    assert_int_equal(fact("isAllCudaP2p")->verdict, ORR_FACT_DIFFERS);
    assert_int_equal(fact("directMode")->verdict, ORR_FACT_NOT_PREDICTED); /* no input shows who shares a process */
    compare("2.26.2", H "Check P2P Type intraNodeP2pSupport 1 directMode 0\n");
    assert_int_equal(fact("intraNodeP2pSupport")->verdict, ORR_FACT_AGREES);
}

TEST(symmetric_memory_is_compared)
{
    compare("2.30.7", H "Symmetric memory is not supported. cuMemEnable 0, globalGinSupport 0, cuMemGdrSupport 1\n");
    assert_int_equal(fact("symmetricSupport")->verdict, ORR_FACT_DIFFERS);
    compare("2.30.7", H "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLLMC_R nchannels 2 nthreads 512 "
                        "nWorks 1\n");
    assert_int_equal(fact("symmetric kernels")->verdict, ORR_FACT_AGREES);
    compare("2.26.2", H "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLLMC_R nchannels 2 nthreads 512\n");
    assert_int_equal(fact("symmetric kernels")->verdict, ORR_FACT_DIFFERS);
    compare("2.30.7", H "GIN/Plugin: Assigned plugin GIN_IB_GDAKI type 3 to comm\n");
    assert_int_equal(fact("type of GIN")->verdict, ORR_FACT_AGREES);
    compare("2.30.7", H "GIN/Plugin: Assigned plugin GIN_IB_PROXY type 2 to comm\n");
    assert_int_equal(fact("type of GIN")->verdict, ORR_FACT_DIFFERS);
}

/* The model chooses AGxLLMC with 2 blocks for 1 KiB, and RSxLDMC with 1 for 1 MiB (spec/11, check 1). */
TEST(kernels_and_blocks_are_compared)
{
    compare("2.30.7", H "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLLMC_R nchannels 2 nthreads 512 "
                        "nWorks 1\n");
    assert_int_equal(fact("kernel of AllReduce, 1024 bytes")->verdict, ORR_FACT_AGREES);
    compare("2.30.7", H "AllReduce [Symmetric]: 1024 Bytes -> Kernel AllReduce_AGxLLMC_R nchannels 3 nthreads 512 "
                        "nWorks 1\n");
    assert_int_equal(fact("kernel of AllReduce, 1024 bytes")->verdict, ORR_FACT_DIFFERS);
    compare("2.30.7", H "AllReduce [Symmetric]: 1048576 Bytes -> Kernel AllReduce_AGxLLMC_R nchannels 2 nthreads 512 "
                        "nWorks 1\n");
    assert_int_equal(fact("kernel of AllReduce, 1048576 bytes")->verdict, ORR_FACT_DIFFERS);
    assert_string_equal(fact("kernel of AllReduce, 1048576 bytes")->predicted.text,
                        "AllReduce_RSxLDMC_AGxSTMC, 1 block");
}

TEST(lines_of_the_first_symmetric_use)
{
    compare("2.30.7", H "Symmetric VA size=80GB\n");
    assert_int_equal(fact("symmetricSupport")->verdict, ORR_FACT_AGREES);
    compare("2.26.2", H "Symmetric VA size=80GB\n");
    assert_int_equal(fact("symmetricSupport")->verdict, ORR_FACT_NOT_PREDICTED);
    compare("2.30.7", H "NCCL_CUMEM_ENABLE set by environment to 0\n" H "Symmetric VA size=80GB\n");
    assert_int_equal(fact("symmetricSupport")->verdict, ORR_FACT_DIFFERS);
    compare("2.30.7", H "Skipping symmetric kernel 4 which requires driver 12010\n");
    assert_int_equal(fact("a symmetric kernel")->verdict, ORR_FACT_NOT_PREDICTED);
    assert_string_equal(fact("a symmetric kernel")->logged.text, "number 4 is left out: it needs driver 12.1");
}

TEST(gin_connections_are_compared)
{
    static const char line[] =
        H "devCommCreate: creating 4 contexts: %d GIN connections with 4 contexts each (4 contexts total requested)\n";
    char text[256];
    snprintf(text, sizeof text, line, 1); /* each GPU has one NIC near it */
    compare("2.30.7", text);
    assert_int_equal(fact("GIN connections")->verdict, ORR_FACT_AGREES);
    compare("2.29.7", H "devCommCreate: 1 Local NET, creating 1 GIN connections with 4 contexts each (4 contexts total "
                        "requested)\n");
    assert_int_equal(fact("GIN connections")->verdict, ORR_FACT_AGREES);
    snprintf(text, sizeof text, line, 2);
    compare("2.30.7", text);
    assert_int_equal(fact("GIN connections")->verdict, ORR_FACT_DIFFERS);
    compare("2.28.9", text);
    assert_int_equal(fact("GIN connections")->verdict, ORR_FACT_NOT_PREDICTED);
}

static uint32_t nvls_channels(enum orr_log_verdict verdict)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < check->fact_count; i++)
        count += !strcmp(check->facts[i].what, "NVLS channels") && check->facts[i].verdict == verdict;
    return count;
}

TEST(nvls_channels_beside_the_support_are_compared)
{
    compare("2.27.7", H "NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 16)\n");
    assert_int_equal(nvls_channels(ORR_FACT_AGREES), 1);
    compare("2.27.7", H "NVLS multicast support is available on dev 0 (NVLS_NCHANNELS 24)\n");
    assert_int_equal(nvls_channels(ORR_FACT_DIFFERS), 1);
    compare("2.27.7", H "NVLS multicast support is available on dev 0\n");
    assert_int_equal(nvls_channels(ORR_FACT_AGREES) + nvls_channels(ORR_FACT_DIFFERS), 0);
    compare("2.30.7", H "NVLS tuning: nChannels 16 chunkSize 131072 treeMaxChunkSize 262144\n");
    assert_int_equal(nvls_channels(ORR_FACT_AGREES), 1);
}

/* A dump holds nothing of fabrics, so these lines inform and never differ. */
TEST(fabrics_are_told)
{
    compare("2.30.7", H "MNNVL busId 0x11000 fabric UUID 8f4c000000000000.1 cliqueId 0x7ffe state 3 healthMask 0x2\n" H
                        "MNNVL 1 cliqueId 7ffe cliqueSize 8 cliqueRank 0 nvlDomainSize 8\n");
    assert_int_equal(fact("NVLink fabric")->verdict, ORR_FACT_NOT_PREDICTED);
    assert_string_equal(fact("NVLink fabric")->logged.text,
                        "UUID 8f4c000000000000.1, clique 7ffe, completed, health 2");
    assert_int_equal(fact("ranks of the NVLink clique")->verdict, ORR_FACT_NOT_PREDICTED);
}

enum { TRAYS = 4, GPUS_OF_A_TRAY = 4 };

/* A job on four trays. Each says its clique and whether its fabric is completed; rank 0 is joined to the first rank of
 * every other tray. */
static void compare_trays(const char *release, const char *cliques, const char *states)
{
    static const uint64_t bus_ids[GPUS_OF_A_TRAY] = {0x801000, 0x901000, 0x1801000, 0x1901000};
    ORR_LOCAL_TEXT(text, 16384);
    for (int r = 0; r < TRAYS * GPUS_OF_A_TRAY; r++) {
        const int tray = r / GPUS_OF_A_TRAY, gpu = r % GPUS_OF_A_TRAY;
        char head[64];
        snprintf(head, sizeof head, "tray%d:%d:%d [%d] NCCL INFO ", tray, 10 + gpu, 20 + gpu, gpu);
        orr_text_printf(&text,
                        "%sncclCommInitRank comm 0x1%d rank %d nranks 16 cudaDev %d nvmlDev %d busId %llx commId 0x5 - "
                        "Init START\n",
                        head, r, r, gpu, gpu, (unsigned long long)bus_ids[gpu]);
        orr_text_printf(&text,
                        "%sMNNVL busId 0x%llx fabric UUID 8f4c000000000000.1 cliqueId 0x%c state %c healthMask 0x0\n",
                        head, (unsigned long long)bus_ids[gpu], cliques[tray], states[tray]);
        for (int other = 1; r == 0 && other < TRAYS; other++)
            orr_text_printf(&text, "%sChannel 00/0 : 0[0] -> %d[0] via P2P/MNNVL\n", head, other * GPUS_OF_A_TRAY);
    }
    compare_on("gb200-tray", release, text.data, 0);
    assert_int_equal(check->query.hosts, TRAYS);
    assert_int_equal(check->analysis->ranks, TRAYS * GPUS_OF_A_TRAY);
}

/* Whether rank 0 is predicted to reach the first rank of a tray by NVLink. */
static bool reaches(int tray)
{
    char what[64];
    snprintf(what, sizeof what, "transport between ranks 0 and %d", tray * GPUS_OF_A_TRAY);
    for (uint32_t i = 0; i < check->fact_count; i++)
        if (check->facts[i].topic == ORR_TOPIC_P2P && !strcmp(check->facts[i].what, what))
            return check->facts[i].verdict == ORR_FACT_AGREES;
    fail_msg("no fact about %s", what);
    return false;
}

TEST(trays_of_one_clique_are_one_node)
{
    static const struct {
        const char *release, *cliques, *states;
        uint32_t systems;
        bool reached[TRAYS];
    } cases[] = {
        {"2.27.7", "7777", "3333", 1, {true, true, true, true}},
        {"2.27.7", "7778", "3333", 2, {true, true, true, false}}, /* one tray in another clique */
        {"2.27.7", "7877", "3333", 2, {true, false, true, true}},
        {"2.27.7", "7788", "3333", 2, {true, true, false, false}},
        {"2.27.7", "7777", "3323", 4, {true, false, false, false}}, /* one that is not ready keeps all apart */
        {"2.30.7", "7777", "3333", 1, {true, true, true, true}},
        {"2.12.12", "7777", "3333", 4, {true, false, false, false}}, /* knows no domains */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        compare_trays(cases[i].release, cases[i].cliques, cases[i].states);
        assert_non_null(check->analysis->cluster);
        assert_int_equal(check->analysis->cluster->system_count, cases[i].systems);
        for (int tray = 1; tray < TRAYS; tray++)
            if (reaches(tray) != cases[i].reached[tray])
                fail_msg("case %zu: tray %d", i, tray);
    }
    compare_trays("2.27.7", "0123", "3333"); /* a domain of four cliques: the hosts stay apart */
    assert_int_equal(check->analysis->cluster->system_count, 4);
}
