/* SPDX-License-Identifier: Apache-2.0 */
/* What the device side may use over hosts: GIN, teams, NVLink domains and ranks that disagree. */
#include "tests/support/boundary_machines.h"
#include "tests/support/device_case.h"

#define MIB (UINT64_C(1) << 20)

/* A host with two GPUs below one switch with NVLink, and a NIC. */
#define PORT_OF(name, port, guid)                                                                                      \
    "<pci busid=\"0000:15:00.0\" class=\"0x020000\" " GEN4X16 "><nic><net name=\"" name                                \
    "\" dev=\"0\" speed=\"400000\""                                                                                    \
    " port=\"" port "\" guid=\"" guid "\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>"
#define PAIR_WITH(nic)                                                                                                 \
    HOST(CPU("0", X86_INTEL,                                                                                           \
             SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "90", NVLINK("0000:12:00.0", "18"))                       \
                 GPU("0000:12:00.0", "1", "90", NVLINK("0000:11:00.0", "18")) nic "</pci>"))

/* A card with two ports, which NCCL fuses when a job runs. */
#define DUAL_PORT                                                                                                      \
    "<pci busid=\"0000:15:00.0\" class=\"0x020000\" " GEN4X16 "><nic><net name=\"mlx5_0\" dev=\"0\" speed=\"200000\""  \
    " port=\"1\" guid=\"0x5abc00\" maxconn=\"131072\" gdr=\"1\"/><net name=\"mlx5_1\" dev=\"1\" speed=\"200000\""      \
    " port=\"2\" guid=\"0x5abc00\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>"

/* What fuses in the dump is what counts: the default fuses, and NCCL_IB_MERGE_NICS=0 keeps the ports apart. */
TEST(ports_fused_by_the_job_and_gin)
{
    static const struct {
        const char *release;
        int32_t fused_symmetric, fused_rma, rma;
    } rows[] = {{"2.28.7", 1, -1, -1}, {"2.28.9", 1, -1, -1}, {"2.29.2", 0, 0, 1},
                {"2.29.7", 0, 0, 1},   {"2.30.4", 0, 0, 1},   {"2.30.7", 1, 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        fuse_mode = ORR_FUSE_ALWAYS;
        decide(PAIR_WITH(DUAL_PORT), 2, rows[i].release, "");
        IS(SYMMETRIC, rows[i].fused_symmetric);
        IS(RMA, rows[i].fused_rma);
        fuse_mode = ORR_FUSE_ALWAYS;
        decide(PAIR_WITH(DUAL_PORT), 2, rows[i].release, "NCCL_IB_MERGE_NICS=0");
        IS(SYMMETRIC, 1);
        IS(RMA, rows[i].rma);
        fuse_mode = ORR_FUSE_ALWAYS;
        decide(PAIR_WITH(DUAL_PORT), 1, rows[i].release, ""); /* one host alone needs no GIN */
        IS(SYMMETRIC, 1);
    }
}

TEST(fused_nics_and_gin)
{
    static const char *const fused = PAIR_WITH(PORT_OF("mlx5_0+mlx5_1", "1", "0x5abc00"));
    static const struct {
        const char *release;
        int32_t symmetric, rma;
    } rows[] = {{"2.28.7", 1, -1}, {"2.28.9", 1, -1}, {"2.29.2", 0, 0},
                {"2.29.7", 0, 0},  {"2.30.4", 0, 0},  {"2.30.7", 1, 1}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        decide(fused, 2, rows[i].release, "");
        IS(SYMMETRIC, rows[i].symmetric);
        IS(RMA, rows[i].rma);
        decide(PAIR_WITH(PORT_OF("mlx5_0", "1", "0x5abc00")), 2, rows[i].release, "");
        IS(SYMMETRIC, 1);
        decide(fused, 1, rows[i].release, "");
        IS(SYMMETRIC, 1);
    }
    decide(fused, 2, "2.30.4", "");
    const struct orr_device_verdict *verdict = orr_device_verdict(&device, ORR_DEVICE_SYMMETRIC);
    assert_string_equal(verdict->rule, "GIN_FUSED_NIC");
    assert_non_null(strstr(verdict->sentence, "mlx5_0+mlx5_1"));
    assert_non_null(strstr(verdict->remedy, "NCCL_IB_MERGE_NICS=0"));
}

TEST(rails_and_gin)
{
    decide("hgx-h100", 2, "2.29.2", "NCCL_CROSS_NIC=0");
    IS(SYMMETRIC, 0);
    static const char *const rail[] = {"2.29.7", "2.30.4", "2.30.7"};
    for (size_t i = 0; i < sizeof rail / sizeof rail[0]; i++) {
        decide("hgx-h100", 2, rail[i], "NCCL_CROSS_NIC=0");
        IS(GIN, ORR_GIN_SUPPORT_RAIL);
        IS(SYMMETRIC, 1);
        IS(RMA, 0);
        assert_int_equal(device.kinds[0].gin_type, ORR_GIN_TYPE_GDAKI);
    }
    decide("hgx-h100", 2, "2.29.2", "NCCL_GIN_ENABLE=0");
    IS(SYMMETRIC, 1);
    decide("hgx-h100", 2, "2.29.7", "NCCL_GIN_ENABLE=0");
    IS(SYMMETRIC, 0);
    decide("hgx-h100", 2, "2.30.4", "NCCL_GIN_ENABLE=0");
    IS(SYMMETRIC, 0);
    decide("hgx-h100", 2, "2.30.7", "NCCL_GIN_ENABLE=0");
    IS(SYMMETRIC, 1);
}

TEST(sockets_and_gin)
{
    static const char *const sockets = PAIR_WITH(PORT_OF("eth0", "0", "0x0"));
    decide(sockets, 2, "2.28.9", "");
    IS(SYMMETRIC, 1);
    static const char *const releases[] = {"2.29.2", "2.29.7", "2.30.4", "2.30.7"};
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        decide(sockets, 2, releases[i], "");
        IS(SYMMETRIC, 0);
        IS(RMA, 0);
        IS(GIN, 0);
        assert_string_equal(orr_device_verdict(&device, ORR_DEVICE_SYMMETRIC)->rule, "GIN_NO_NIC");
        decide(sockets, 1, releases[i], "");
        IS(SYMMETRIC, 1);
    }
    /* A job with NCCL_NET=Socket whose hosts have InfiniBand: GIN looks for a plugin of its own from 2.29.7 on, and the
     * job's dump lists the NIC for GIN alone. */
    static const char *const both =
        PAIR_WITH(PORT_OF("eth0", "0", "0x0") "<pci busid=\"0000:16:00.0\" class=\"0x020000\" " GEN4X16
                                              "><nic><net name=\"mlx5_0\" dev=\"0\" speed=\"400000\" port=\"1\" "
                                              "guid=\"0x5abc00\" maxconn=\"131072\" gdr=\"1\" gin=\"1\" net=\"0\"/>"
                                              "</nic></pci>");
    for (size_t i = 1; i < sizeof releases / sizeof releases[0]; i++) {
        decide(both, 2, releases[i], "NCCL_NET=Socket");
        IS(SYMMETRIC, 1);
        IS(GIN, ORR_GIN_SUPPORT_FULL);
        assert_int_equal(orr_system_count(&analysis->parts[0].system, ORR_NET), 1);
        assert_int_equal(device.kinds[0].gin_type, ORR_GIN_TYPE_GDAKI);
    }
    decide(PAIR_WITH(PORT_OF("bnxt_re0", "1", "0x5abc00")), 2, "2.30.7", "");
    IS(SYMMETRIC, 1);
    assert_int_equal(device.kinds[0].gin_type, ORR_GIN_TYPE_PROXY);
    decide("hgx-h100", 2, "2.30.7", "NCCL_GIN_TYPE=2");
    assert_int_equal(device.kinds[0].gin_type, ORR_GIN_TYPE_PROXY);
}

static const uint32_t some[] = {0, 1, 2, 3, 4, 5, 6};

/* Teams of two hosts of 8 GPUs, of which the second gives `second`. */
static void assert_teams(uint32_t second, enum orr_rank_order order, const char *release, const char *given,
                         uint32_t size, uint32_t teams)
{
    struct orr_cluster_line lines[2] = {{.count = 1}, {.count = 1}};
    if (second < 8) {
        lines[1].gpus = some;
        lines[1].gpu_count = second;
    }
    decide_cluster("hgx-h100", lines, 2, order, release, given);
    assert_int_equal(device.lsa_size, size);
    assert_int_equal(device.team_count, teams);
    IS(LSA, (int32_t)size);
}

TEST(teams_by_placement)
{
    assert_teams(4, ORR_ORDER_BLOCK, "2.30.7", "", 4, 3);
    IS(MULTIMEM, 1);
    assert_teams(7, ORR_ORDER_BLOCK, "2.30.7", "", 1, 15);
    assert_teams(8, ORR_ORDER_CYCLIC, "2.30.7", "", 1, 16);
    assert_teams(8, ORR_ORDER_CYCLIC, "2.28.3", "", 1, 16);
    assert_teams(8, ORR_ORDER_BLOCK, "2.28.3", "", 8, 2);
    assert_teams(8, ORR_ORDER_BLOCK, "2.29.7", "NCCL_LSA_TEAM_SIZE=3", 1, 16);
    assert_teams(8, ORR_ORDER_BLOCK, "2.29.7", "NCCL_LSA_TEAM_SIZE=4", 4, 4);
    assert_teams(8, ORR_ORDER_BLOCK, "2.29.7", "NCCL_LSA_TEAM_SIZE=16", 8, 2);
    assert_teams(8, ORR_ORDER_BLOCK, "2.29.2", "NCCL_LSA_TEAM_SIZE=4", 8, 2);
    decide_some("hgx-h100", "0,1", 2, "2.29.7", "");
    IS(LSA, 2);
    IS(MULTIMEM, 0);
}

static struct orr_fabric fabric(enum orr_fabric_state state, uint32_t clique)
{
    return (struct orr_fabric){.state = state, .has_uuid = true, .uuid = {0xa, 1}, .clique = clique};
}

TEST(nvlink_domain_of_two_trays)
{
    const struct orr_fabric whole = fabric(ORR_FABRIC_COMPLETED, 7), other = fabric(ORR_FABRIC_COMPLETED, 8),
                            starting = fabric(ORR_FABRIC_IN_PROGRESS, 7);
    struct orr_cluster_line lines[2] = {{.count = 1, .domain = "a", .fabric = &whole},
                                        {.count = 1, .domain = "a", .fabric = &whole}};
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.27.7", "");
    assert_int_equal(cluster->analysis->communicator.node_count, 1);
    IS(SYMMETRIC, 1);
    IS(NVLS_BUFFERS, 0);
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.30.7", "");
    IS(LSA, 8);
    IS(SYMMETRIC, 1);
    IS(MULTIMEM, 1);
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, 51 << 10, ORR_WINDOWS_BOTH).kernel,
                        "AllReduce_AGxLLMC_R");
    assert_kernel(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, 1024 * MIB, ORR_WINDOWS_BOTH), "AllReduce_RSxLDMC_AGxSTMC", 3,
                  1143.6837);
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, 128 << 10, ORR_WINDOWS_BOTH).kernel,
                        "AllReduce_RSxLDMC_AGxSTMC");
    struct orr_fabric degraded = whole;
    degraded.health = 1;
    lines[1].fabric = &degraded;
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.30.7", "");
    assert_int_equal(cluster->analysis->communicator.node_count, 1); /* NCCL does not look at the health */
    assert_int_equal(cluster->fabrics.cliques[0].fabric.health, 1);
    lines[1].fabric = &starting;
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.30.7", "");
    assert_int_equal(cluster->analysis->communicator.node_count, 2);
    IS(LSA, 4);
    IS(SYMMETRIC, 1);
    IS(GIN, ORR_GIN_SUPPORT_FULL);
    lines[1].fabric = &other;
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.30.4", "");
    assert_int_equal(cluster->analysis->communicator.node_count, 2);
    IS(LSA, 4);
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.30.4", "NCCL_MNNVL_CROSS_CLIQUE=1");
    IS(LSA, 8);
    IS(KERNELS, 0);
    IS(MULTIMEM, 0);
}

TEST(four_hosts_with_one_gpu)
{
    decide_some("hgx-h100", "0", 4, "2.29.7", "");
    IS(SYMMETRIC, 1);
    IS(LSA, 1);
    assert_int_equal(device.team_count, 4);
    IS(DIRECT_NVLINK, 0);
    IS(KERNELS, 0);
    IS(ONE_RANK, 1);
    decide_some("hgx-h100", "0", 4, "2.30.7", "");
    IS(DIRECT_NVLINK, 1);
    IS(NVLS, 0);
    assert_kernel(choose(ORR_REDUCESCATTER, ORR_TYPE_FLOAT32, 4 * MIB, ORR_WINDOWS_SEND), "ReduceScatter_RailA2A_LsaLD",
                  5, 120.496);
    assert_kernel(choose(ORR_ALLGATHER, ORR_TYPE_FLOAT32, 4 * MIB, ORR_WINDOWS_BOTH), NULL, 0, 0);
    assert_kernel(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, 4 * MIB, ORR_WINDOWS_BOTH), NULL, 0, 0);
}

/* NCCL compares neither value between nodes. */
TEST(ranks_disagree_where_hosts_differ)
{
    struct orr_cluster_line lines[2] = {{.count = 1}, {.count = 1, .gpus = some, .gpu_count = 1}};
    decide_cluster("hgx-h100", lines, 2, ORR_ORDER_BLOCK, "2.30.4", "");
    uint32_t other = orr_device_differs(&device, ORR_DEVICE_DIRECT_NVLINK);
    assert_int_equal(other, 1);
    assert_int_equal(device.kinds[1].first_rank, 8);
    assert_int_equal(device.kinds[1].verdicts[ORR_DEVICE_DIRECT_NVLINK].value, 0);
    decide_cluster("hgx-h100", lines, 2, ORR_ORDER_BLOCK, "2.30.7", "");
    assert_int_equal(orr_device_differs(&device, ORR_DEVICE_DIRECT_NVLINK), 0);
}

TEST(buffers_by_release)
{
    static const struct {
        const char *release, *gpus;
        int32_t ipc, rings, pairs;
    } rows[] = {
        {"2.22.3", NULL, -1, -1, -1}, {"2.23.4", NULL, 1, -1, -1}, {"2.24.3", NULL, 1, 1, 0}, {"2.26.2", NULL, 1, 1, 0},
        {"2.25.1", "0", 0, 1, 0},     {"2.26.2", "0", 0, 1, 1},    {"2.30.7", "0", 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        decide_some("hgx-h100", rows[i].gpus, 2, rows[i].release, "");
        IS(IPC_BUFFERS, rows[i].ipc);
        IS(RING_BUFFERS, rows[i].rings);
        IS(PAIR_BUFFERS, rows[i].pairs);
    }
    decide("hgx-h100", 2, "2.30.7", "NCCL_PXN_DISABLE=1");
    IS(PAIR_BUFFERS, 1);
    decide("hgx-h100", 2, "2.30.7", "NCCL_NET_GDR_LEVEL=LOC");
    IS(RING_BUFFERS, 0);
    decide("hgx-h100", 2, "2.30.7", "NCCL_CROSS_NIC=0");
    IS(RING_BUFFERS, 0);
    assert_string_equal(orr_device_verdict(&device, ORR_DEVICE_RING_BUFFERS)->rule, "RING_BY_PXN");
}

/* With 8 heads; of ReduceScatter, AllGather and AllReduce. */
TEST(channels_with_buffers_registered_with_nvls)
{
    static const struct {
        const char *machine, *release, *given;
        uint32_t hosts;
        int32_t reduce_scatter, all_gather, all_reduce;
    } rows[] = {
        {"hgx-h100", "2.24.3", "", 1, 5, 4, 4},
        {"hgx-h100", "2.24.3", "", 2, 6, 6, 6},
        {"hgx-h100", "2.26.2", "", 1, 5, 4, 4},
        {"hgx-h100", "2.26.2", "", 2, 6, 6, 6},
        {"hgx-b200", "2.24.3", "", 1, 5, 4, 4},
        {"hgx-b200", "2.25.1", "", 1, 6, 8, 8},
        {"hgx-b200", "2.26.2", "", 2, 7, 7, 7},
        {"hgx-h100", "2.27.3", "", 1, 5, 4, 4},
        {"hgx-b200", "2.27.3", "", 1, 6, 4, 8},
        {"hgx-h100", "2.30.7", "", 2, 6, 6, 6},
        {"hgx-b200", "2.30.4", "", 2, 6, 6, 7},
        {"hgx-b200", "2.30.7", "", 2, 6, 6, 7}, /* NICs of 50 GB/s */
        {"hgx-b300", "2.30.4", "", 2, 6, 6, 7},
        {"hgx-b300", "2.30.7", "", 2, 6, 6, 10}, /* of 100 GB/s */
        {"hgx-h100", "2.30.7", "NCCL_MAX_CTAS=3", 1, 3, 3, 3},
        {"hgx-h100", "2.30.7", "NCCL_MIN_CTAS=9", 1, 9, 9, 9},
        {"hgx-h100", "2.30.7", "NCCL_NVLS_ENABLE=0", 1, 0, 0, 0},
        {"dgx-a100", "2.30.7", "", 1, 0, 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        decide(rows[i].machine, rows[i].hosts, rows[i].release, rows[i].given);
        if (device.nvls_registered[ORR_REDUCESCATTER] != rows[i].reduce_scatter ||
            device.nvls_registered[ORR_ALLGATHER] != rows[i].all_gather ||
            device.nvls_registered[ORR_ALLREDUCE] != rows[i].all_reduce)
            fail_msg("case %zu: %d, %d, %d", i, device.nvls_registered[ORR_REDUCESCATTER],
                     device.nvls_registered[ORR_ALLGATHER], device.nvls_registered[ORR_ALLREDUCE]);
    }
    decide("hgx-h100", 1, "2.30.7", "");
    assert_non_null(strstr(orr_device_verdict(&device, ORR_DEVICE_NVLS_BUFFERS)->sentence,
                           "ReduceScatter takes 5 channels, AllGather 4 and AllReduce 4."));
}

TEST(what_gin_needs_of_gpus)
{
    decide("dgx-1-p100", 2, "2.30.4", "");
    IS(GIN, ORR_GIN_SUPPORT_FULL);
    decide("dgx-1-p100", 2, "2.30.7", "");
    IS(GIN, ORR_GIN_SUPPORT_NONE);
    assert_string_equal(orr_device_verdict(&device, ORR_DEVICE_GIN)->rule, "GIN_OLD_GPU");
    static const char *const parts =
        HOST(CPU("0", X86_INTEL,
                 SWITCH("0000:10:00.0") "<pci busid=\"0000:11:00.0\" class=\"0x030200\" " GEN4X16
                                        "><gpu dev=\"0\" sm=\"100\" rank=\"0\" gdr=\"1\" mlopart=\"0\"/></pci>" PORT_OF(
                                            "mlx5_0", "1", "0x5abc00") "</pci>"));
    decide(parts, 2, "2.30.7", "NCCL_NET_GDR_MLOPART=1");
    assert_string_equal(orr_device_verdict(&device, ORR_DEVICE_GIN)->rule, "GIN_PARTITION");
    decide(parts, 2, "2.30.4", "");
    IS(GIN, ORR_GIN_SUPPORT_FULL);
}

TEST(signals_and_copies_over_hosts)
{
    decide("hgx-h100", 2, "2.28.9", "");
    IS(RMA, -1);
    decide("hgx-h100", 2, "2.29.2", "");
    IS(RMA, 1);
    decide("hgx-h100", 2, "2.30.4", "NCCL_NUM_RMA_CTX=0");
    IS(RMA, 1);
    IS(COPY_ENGINE, 0);
    decide("hgx-h100", 2, "2.30.7", "NCCL_NUM_RMA_CTX=0");
    IS(RMA, 0);
    IS(COPY_ENGINE, 0);
    decide("hgx-h100", 2, "2.30.7", "NCCL_RMA_DISABLE=1");
    IS(RMA, 0);
    decide("hgx-h100", 2, "2.30.7", "");
    IS(RMA, 1);
    IS(COPY_ENGINE, 1);
}

/* As many as the GPU has NICs by channel, at most four; the GPU with the fewest counts. */
TEST(gin_connections)
{
    static const char *const two = PAIR_WITH(PORT_OF("mlx5_0", "1", "0x5abc00") //
                                             "<pci busid=\"0000:16:00.0\" class=\"0x020000\" " GEN4X16
                                             "><nic><net name=\"mlx5_1\" dev=\"1\" speed=\"400000\" port=\"1\" "
                                             "guid=\"0x5abc01\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>");
    decide(PAIR_WITH(PORT_OF("mlx5_0", "1", "0x5abc00")), 2, "2.30.7", "");
    assert_int_equal(orr_device_gin_connections(&device), 1);
    decide(two, 2, "2.30.7", ""); /* two GPUs share them */
    assert_int_equal(orr_device_gin_connections(&device), 1);
    decide_some(two, "0", 2, "2.30.7", "");
    assert_int_equal(orr_device_gin_connections(&device), 2);
    decide_some(two, "0", 2, "2.30.7", "NCCL_GIN_NCONNECTIONS=3");
    assert_int_equal(orr_device_gin_connections(&device), 3);
    decide_some(two, "0", 2, "2.29.2", "");
    assert_int_equal(orr_device_gin_connections(&device), 0);
    decide(PAIR_WITH(PORT_OF("eth0", "0", "0x0")), 2, "2.30.7", "");
    assert_int_equal(orr_device_gin_connections(&device), 0);
}

/* A smaller chunk gives more blocks; older releases do not know the setting. */
TEST(chunks_of_scatter)
{
    decide("hgx-h100", 2, "2.30.7", "NCCL_SYM_RS_GIN_CHUNK_SIZE=100000");
    assert_int_equal(choose(ORR_REDUCESCATTER, ORR_TYPE_FLOAT32, 16 * MIB, ORR_WINDOWS_SEND).blocks, 16);
    decide("hgx-h100", 2, "2.30.7", "");
    assert_int_equal(choose(ORR_REDUCESCATTER, ORR_TYPE_FLOAT32, 16 * MIB, ORR_WINDOWS_SEND).blocks, 8);
}

/* What a verdict advises changes it. */
TEST(remedies_work)
{
    static const struct {
        const char *machine, *release, *given, *remedied, *names;
        uint32_t hosts;
        enum orr_device_fact fact;
    } rows[] = {
        {"hgx-h100", "2.30.7", "NCCL_CUMEM_ENABLE=0", "", "NCCL_CUMEM_ENABLE", 1, ORR_DEVICE_SYMMETRIC},
        {"hgx-h100", "2.30.7", "NCCL_WIN_ENABLE=0", "", "NCCL_WIN_ENABLE", 1, ORR_DEVICE_SYMMETRIC},
        {"hgx-h100", "2.29.2", "NCCL_CROSS_NIC=0", "NCCL_CROSS_NIC=2", "NCCL_CROSS_NIC=2", 2, ORR_DEVICE_SYMMETRIC},
        {"hgx-h100", "2.30.4", "NCCL_GIN_ENABLE=0", "", "NCCL_GIN_ENABLE", 2, ORR_DEVICE_SYMMETRIC},
        {"hgx-h100", "2.30.7", "NCCL_SYM_GIN_KERNELS_ENABLE=0", "", "NCCL_SYM_GIN_KERNELS_ENABLE", 2,
         ORR_DEVICE_KERNELS},
        {"hgx-h100", "2.30.7", "NCCL_NVLS_ENABLE=0", "", "NCCL_NVLS_ENABLE", 1, ORR_DEVICE_MULTIMEM},
        {"hgx-h100", "2.30.7", "", "NCCL_PXN_DISABLE=1", "NCCL_PXN_DISABLE=1", 2, ORR_DEVICE_PAIR_BUFFERS},
        {"hgx-h100", "2.30.7", "NCCL_CROSS_NIC=0", "NCCL_CROSS_NIC=2", "NCCL_CROSS_NIC=2", 2, ORR_DEVICE_RMA},
        {"tests/data/rtx-5090-8gpu.xml", "2.27.7", "", "NCCL_P2P_LEVEL=SYS", "NCCL_P2P_LEVEL=", 1,
         ORR_DEVICE_SYMMETRIC},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        decide(rows[i].machine, rows[i].hosts, rows[i].release, rows[i].given);
        const struct orr_device_verdict *verdict = orr_device_verdict(&device, rows[i].fact);
        assert_int_equal(verdict->value, 0);
        if (!strstr(verdict->remedy, rows[i].names))
            fail_msg("row %zu: \"%s\" does not name %s", i, verdict->remedy, rows[i].names);
        decide(rows[i].machine, rows[i].hosts, rows[i].release, rows[i].remedied);
        assert_int_equal(value(rows[i].fact), 1);
    }
}

/* One node in several teams, where two hosts of a clique hold ranks in turn: what goes by node and what by team. */
TEST(teams_and_rma)
{
    const struct orr_fabric whole = fabric(ORR_FABRIC_COMPLETED, 7);
    struct orr_cluster_line lines[2] = {{.count = 1, .domain = "a", .fabric = &whole},
                                        {.count = 1, .domain = "a", .fabric = &whole}};
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.29.7", "NCCL_LSA_TEAM_SIZE=4 NCCL_CROSS_NIC=0");
    IS(LSA, 4);
    IS(SYMMETRIC, 1);
    IS(RMA, 0);
    IS(COPY_ENGINE, 1);
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.30.4", "NCCL_LSA_TEAM_SIZE=4 NCCL_CROSS_NIC=0");
    IS(COPY_ENGINE, 0);
    decide_cluster("gb200-tray", lines, 2, ORR_ORDER_BLOCK, "2.29.2", "NCCL_LSA_TEAM_SIZE=4 NCCL_CROSS_NIC=0");
    IS(RMA, 1);
    /* A node without NVLink between all GPUs takes isAllNvlink from all others. */
    struct orr_cluster_line plain[2] = {{.count = 1}, {.count = 1}};
    const char *const mixed[] = {"2.30.4", "2.30.7"};
    for (int i = 0; i < 2; i++) {
        struct orr_dump *far = read_text(ONE_SOCKET);
        struct orr_cluster_request request = {.lines = plain, .line_count = 2};
        after_each();
        orr_settings_init(&request.settings, orr_release_find(mixed[i]));
        read_machine("hgx-h100-4");
        plain[0].dump = dump;
        plain[1].dump = far;
        assert_ok(orr_cluster_analyze(&request, &cluster, &err), &err);
        look(cluster->analysis);
        IS(ALL_NVLINK, i == 0);
        after_each();
        orr_dump_free(far);
    }
}
