/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of a log about the device side against the prediction for a machine. */
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

static void compare(const char *release, const char *lines)
{
    char text[4096];
    const struct orr_log_question question = {
        .release = orr_release_find(release), .communicator = UINT32_MAX, .without_causes = true, .hosts = 1};
    after_each();
    snprintf(text, sizeof text, COMM "%s", lines);
    assert_ok(orr_input_machine(orr_machine_type_find("hgx-h100"), &dump, &err), &err);
    assert_ok(orr_log_read(text, strlen(text), NULL, &log_, &err), &err);
    assert_ok(orr_log_compare(log_, dump, &question, &check, &err), &err);
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
