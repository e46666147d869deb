/* SPDX-License-Identifier: Apache-2.0 */
/* What the device side may use: worked checks of whole machines. */
#include "tests/support/device_case.h"

#define GIB (UINT64_C(1) << 30)
#define MIB (UINT64_C(1) << 20)
#define KIB (UINT64_C(1) << 10)

/* Bytes of a rank, for gathers over n ranks. */
static uint64_t of_all(uint64_t bytes)
{
    return bytes * device.analysis->communicator.rank_count;
}

TEST(one_host_with_nvswitch)
{
    decide("hgx-h100", 1, "2.26.2", "");
    IS(DIRECT_P2P, 1);
    IS(SYMMETRIC, -1);
    assert_string_equal(orr_device_fact_name(analysis->query.settings.release, ORR_DEVICE_DIRECT_P2P),
                        "intraNodeP2pSupport");
    static const char *const one_node[] = {"2.27.3", "2.27.5", "2.27.7", "2.28.3"};
    for (size_t i = 0; i < sizeof one_node / sizeof one_node[0]; i++) {
        decide("hgx-h100", 1, one_node[i], "");
        IS(DIRECT_P2P, 1);
        IS(CUDA_P2P, -1);
        IS(SYMMETRIC, 1);
    }
    decide("hgx-h100", 1, "2.28.7", "");
    IS(CUDA_P2P, 1);
    IS(SYMMETRIC, 1);
    IS(LSA, 8);
    decide("hgx-h100", 1, "2.30.7", "");
    IS(DIRECT_NVLINK, 1);
    IS(SYMMETRIC, 1);
    IS(LSA, 8);
    IS(MULTIMEM, 1);
    assert_int_equal(device.team_count, 1);
}

TEST(kernels_of_one_host_with_nvswitch)
{
    static const char *const releases[] = {"2.28.3", "2.28.9", "2.29.7", "2.30.4", "2.30.7"};
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        decide("hgx-h100", 1, releases[i], "");
#define BOTH(function, bytes, name, blocks, time)                                                                      \
    assert_kernel(choose(ORR_##function, ORR_TYPE_FLOAT32, bytes, ORR_WINDOWS_BOTH), name, blocks, time)
        BOTH(ALLREDUCE, KIB, "AllReduce_AGxLLMC_R", 2, 4.9714);
        BOTH(ALLREDUCE, 16 * KIB, "AllReduce_AGxLLMC_R", 6, 7.1309);
        BOTH(ALLREDUCE, 64 * KIB, "AllReduce_RSxLDMC_AGxSTMC", 1, 8.1564);
        BOTH(ALLREDUCE, MIB, "AllReduce_RSxLDMC_AGxSTMC", 1, 9.4453);
        BOTH(ALLREDUCE, 16 * MIB, "AllReduce_RSxLDMC_AGxSTMC", 2, 43.422);
        BOTH(ALLREDUCE, GIB, "AllReduce_RSxLDMC_AGxSTMC", 2, 2350.6074);
        BOTH(ALLGATHER, of_all(8 * KIB), "AllGather_LLMC", 7, 5.7016);
        BOTH(ALLGATHER, of_all(16 * KIB), "AllGather_STMC", 1, 8.2966);
        BOTH(ALLGATHER, of_all(2 * MIB), "AllGather_STMC", 2, 50.7102);
        BOTH(REDUCESCATTER, of_all(8 * KIB), "ReduceScatter_LL", 8, 5.6814);
        BOTH(REDUCESCATTER, of_all(16 * KIB), "ReduceScatter_LDMC", 1, 8.2966);
        assert_kernel(choose(ORR_ALLREDUCE, ORR_TYPE_INT32, 64 * KIB, ORR_WINDOWS_BOTH), NULL, 0, 0);
        assert_kernel(choose(ORR_ALLGATHER, ORR_TYPE_INT32, of_all(16 * KIB), ORR_WINDOWS_BOTH), "AllGather_STMC", 1,
                      8.2966);
        assert_kernel(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, MIB, ORR_WINDOWS_NONE), NULL, 0, 0);
        assert_kernel(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, KIB, ORR_WINDOWS_NONE), NULL, 0, 0);
        assert_kernel(choose(ORR_BROADCAST, ORR_TYPE_FLOAT32, MIB, ORR_WINDOWS_BOTH), NULL, 0, 0);
    }
    decide("hgx-h100", 1, "2.30.7", "NCCL_SYM_CTAS=8");
    BOTH(ALLREDUCE, 16 * KIB, "AllReduce_AGxLLMC_R", 8, 7.0305);
    decide("hgx-h100", 1, "2.30.7", "NCCL_MIN_CTAS=16");
    BOTH(ALLREDUCE, 16 * KIB, "AllReduce_RSxLDMC_AGxSTMC", 2, 8.123);
    decide("hgx-h100", 1, "2.30.7", "NCCL_SYM_KERNEL=AllReduce_RSxLD_AGxST");
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, KIB, ORR_WINDOWS_BOTH).kernel, "AllReduce_RSxLD_AGxST");
    decide("hgx-h100", 1, "2.30.7", "NCCL_SYM_KERNEL=NoSuchKernel");
    BOTH(ALLREDUCE, KIB, NULL, 0, 0);
}

/* The first size, in steps of 1 KiB, for which another class of kernel is chosen. */
static uint64_t threshold(enum orr_function function)
{
    uint64_t ranks = function == ORR_ALLREDUCE ? 1 : device.analysis->communicator.rank_count;
    for (uint64_t s = KIB;; s += KIB)
        if (!strstr(choose(function, ORR_TYPE_FLOAT32, s * ranks, ORR_WINDOWS_BOTH).kernel, "LL"))
            return s;
}

TEST(kernels_change_at_these_sizes)
{
    static const struct {
        const char *machine, *gpus, *given;
        uint64_t sum, gather, scatter;
    } rows[] = {
        {"hgx-h100", NULL, "", 17408, 16384, 16384},
        {"hgx-h100", NULL, "NCCL_NVLS_ENABLE=0", 17408, 18432, 18432},
        {"hgx-h100", "0,1,2,3", "", 34816, 34816, 32768},
        {"hgx-h100", "0,1,2,3", "NCCL_NVLS_ENABLE=0", 35840, 35840, 35840},
        {"hgx-h100", "0,1", "NCCL_NVLS_ENABLE=0", 71680, 67584, 67584},
        {"hgx-b200", NULL, "", 53248, 30720, 7168},
        {"hgx-b200", NULL, "NCCL_NVLS_ENABLE=0", 55296, 36864, 9216},
        {"hgx-b200", "0,1,2,3", "", 108544, 65536, 13312},
        {"hgx-b200", "0,1,2,3", "NCCL_NVLS_ENABLE=0", 117760, 71680, 15360},
        {"hgx-b200", "0,1", "NCCL_NVLS_ENABLE=0", 239616, 131072, 25600},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        decide_some(rows[i].machine, rows[i].gpus, 1, "2.30.7", rows[i].given);
        assert_int_equal(threshold(ORR_ALLREDUCE), rows[i].sum);
        assert_int_equal(threshold(ORR_ALLGATHER), rows[i].gather);
        assert_int_equal(threshold(ORR_REDUCESCATTER), rows[i].scatter);
    }
    decide_some("hgx-h100", "0,1", 1, "2.29.2", ""); /* a team of two has multimem up to here */
    IS(MULTIMEM, 1);
    assert_int_equal(threshold(ORR_ALLREDUCE), 73728);
    assert_int_equal(threshold(ORR_ALLGATHER), 69632);
    assert_int_equal(threshold(ORR_REDUCESCATTER), 66560);
    decide_some("hgx-h100", "0,1", 1, "2.29.7", "");
    IS(MULTIMEM, 0);
    IS(NVLS, 1);
}

TEST(two_hosts_with_infiniband)
{
    decide("hgx-h100", 2, "2.27.7", "");
    IS(SYMMETRIC, 0);
    assert_string_equal(orr_device_verdict(&device, ORR_DEVICE_SYMMETRIC)->rule, "SEVERAL_NODES");
    decide("hgx-h100", 2, "2.28.7", "");
    IS(SYMMETRIC, 1);
    IS(KERNELS, 0);
    BOTH(ALLREDUCE, MIB, NULL, 0, 0);
    decide("hgx-h100", 2, "2.29.2", "");
    IS(SYMMETRIC, 1);
    assert_string_equal(choose(ORR_ALLGATHER, ORR_TYPE_FLOAT32, 64 * MIB, ORR_WINDOWS_BOTH).kernel,
                        "AllGather_GinHier_MCRing");
    BOTH(ALLREDUCE, MIB, NULL, 0, 0);
    BOTH(REDUCESCATTER, MIB, NULL, 0, 0);
    static const char *const releases[] = {"2.29.7", "2.30.4", "2.30.7"};
    for (size_t i = 0; i < sizeof releases / sizeof releases[0]; i++) {
        decide("hgx-h100", 2, releases[i], "");
        IS(GIN, ORR_GIN_SUPPORT_FULL);
        IS(LSA, 8);
        IS(RMA, 1);
        assert_int_equal(device.team_count, 2);
        assert_int_equal(device.kinds[0].gin_type, ORR_GIN_TYPE_GDAKI);
        BOTH(ALLREDUCE, MIB, NULL, 0, 0);
    }
    decide("hgx-h100", 2, "2.30.7", "NCCL_NVLS_ENABLE=0");
    assert_string_equal(choose(ORR_REDUCESCATTER, ORR_TYPE_FLOAT32, of_all(MIB), ORR_WINDOWS_SEND).kernel,
                        "ReduceScatter_RailA2A_LsaLD");
    BOTH(ALLGATHER, 64 * MIB, NULL, 0, 0);
    decide("hgx-h100", 2, "2.30.7", "NCCL_SYM_GIN_KERNELS_ENABLE=0");
    IS(SYMMETRIC, 1);
    IS(KERNELS, 0);
}

/* LD and LDMC of ReduceScatter by GIN, of `bytes` a rank. */
static void assert_scatter(uint64_t bytes, int32_t ld, double ld_time, int32_t ldmc, double ldmc_time)
{
    struct orr_device_candidate list[ORR_MOST_KERNELS];
    struct orr_device_choice choice;
    uint32_t count;
    const struct orr_device_call call = {ORR_REDUCESCATTER, ORR_TYPE_FLOAT32, of_all(bytes), ORR_WINDOWS_SEND};
    orr_device_choose(&device, &call, &choice, list, &count);
    assert_int_equal(count, ldmc ? 2 : 1);
    assert_int_equal(list[0].blocks, ld);
    assert_float_equal(list[0].time, ld_time, 1e-3);
    if (!ldmc)
        return;
    assert_int_equal(list[1].blocks, ldmc);
    assert_float_equal(list[1].time, ldmc_time, 1e-3);
    assert_string_equal(choice.kernel, "ReduceScatter_RailA2A_LsaLDMC");
    assert_true(choice.assumed);
}

TEST(kernels_over_two_hosts)
{
    decide("hgx-h100", 2, "2.29.7", "");
    assert_float_equal(device.min_net_bw, 50, 1e-6); /* the line; later releases take the path, which is slower */
    device.min_net_bw = 48;
    assert_scatter(MIB, 16, 153.459, 7, 90.550);
    decide("hgx-h100", 2, "2.30.7", "");
    assert_float_equal(device.min_net_bw, 48, 1e-6);
    assert_scatter(MIB, 8, 239.267, 8, 175.628);
    assert_scatter(16 * MIB, 32, 916.940, 16, 896.551);
}

/* Else the network is better between sockets, and NCCL splits the host. */
#define ONE_NODE "NCCL_NET_DISABLE_INTRA=1"

TEST(pcie_machine)
{
    static const char *const machine = "static/examples/l40s-8gpu.xml";
    decide(machine, 1, "2.26.2", ONE_NODE);
    IS(DIRECT_P2P, 0);
    decide(machine, 1, "2.27.3", ONE_NODE);
    IS(DIRECT_P2P, 0);
    IS(SYMMETRIC, 0);
    decide(machine, 1, "2.28.9", ONE_NODE);
    IS(CUDA_P2P, 1);
    IS(SYMMETRIC, 1);
    IS(ALL_NVLINK, 0);
    BOTH(ALLREDUCE, 16 * KIB, "AllReduce_AGxLL_R", 7, 7.0946);
    BOTH(ALLREDUCE, MIB, "AllReduce_RSxLD_AGxST", 7, 12.2822);
    decide(machine, 1, "2.29.2", ONE_NODE);
    IS(SYMMETRIC, 1);
    IS(DIRECT_NVLINK, 0);
    BOTH(ALLREDUCE, MIB, NULL, 0, 0);
    decide(machine, 1, "2.28.3", "NCCL_P2P_LEVEL=SYS NCCL_NET_DISABLE_INTRA=1");
    IS(DIRECT_P2P, 1);
    IS(SYMMETRIC, 1);
}

TEST(mesh_with_relays)
{
    decide("dgx-1", 1, "2.26.2", "");
    IS(DIRECT_P2P, 1);
    decide("dgx-1", 1, "2.26.2", "NCCL_P2P_USE_CUDA_MEMCPY=1");
    IS(DIRECT_P2P, 0);
    decide("dgx-1", 1, "2.27.3", "");
    IS(DIRECT_P2P, 0);
    assert_string_equal(orr_device_verdict(&device, ORR_DEVICE_SYMMETRIC)->rule, "PAIR_BY_RELAY");
    IS(ALL_NVLINK, 1);
    decide("dgx-1", 1, "2.28.9", "");
    IS(SYMMETRIC, 1);
    IS(KERNELS, 1);
    decide("dgx-1", 1, "2.29.2", "");
    IS(DIRECT_NVLINK, 0);
    IS(KERNELS, 0);
    decide("dgx-1", 1, "2.24.3", "NCCL_NVB_DISABLE=1");
    IS(ALL_NVLINK, 1);
    decide("dgx-1", 1, "2.25.1", "NCCL_NVB_DISABLE=1");
    IS(ALL_NVLINK, 0);
}

TEST(one_gpu)
{
    static const struct {
        const char *release;
        int32_t direct, symmetric, nvlink, alone;
    } rows[] = {
        {"2.23.4", 0, -1, -1, -1}, {"2.24.3", 0, -1, -1, 1}, {"2.27.3", 0, 0, -1, 1}, {"2.28.3", 0, 0, -1, 1},
        {"2.28.7", 1, 1, -1, 1},   {"2.29.2", 1, 1, 0, 1},   {"2.30.4", 1, 1, 0, 1},  {"2.30.7", 1, 1, 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        decide_some("hgx-h100", "0", 1, rows[i].release, "");
        IS(DIRECT_P2P, rows[i].direct);
        IS(SYMMETRIC, rows[i].symmetric);
        IS(DIRECT_NVLINK, rows[i].nvlink);
        IS(ONE_RANK, rows[i].alone);
        IS(NVLS, 0);
    }
    IS(LSA, 1);
    assert_int_equal(device.team_count, 1);
}

TEST(switches)
{
    decide("hgx-h100", 1, "2.28.3", "NCCL_P2P_DISABLE=1 " ONE_NODE);
    IS(DIRECT_P2P, 0);
    IS(SYMMETRIC, 0);
    decide("hgx-h100", 1, "2.28.9", "NCCL_P2P_DISABLE=1 " ONE_NODE);
    IS(DIRECT_P2P, 0);
    IS(CUDA_P2P, 1);
    IS(SYMMETRIC, 1);
    IS(KERNELS, 1);
    decide("hgx-h100", 1, "2.30.7", "NCCL_P2P_DISABLE=1 " ONE_NODE);
    IS(SYMMETRIC, 1);
    IS(DIRECT_NVLINK, 0);
    IS(KERNELS, 0);
    decide("hgx-h100", 1, "2.30.7", "NCCL_CUMEM_ENABLE=0");
    IS(SYMMETRIC, 0);
    IS(RUNTIME_CONNECT, 0);
    decide("hgx-h100", 1, "2.27.3", "NCCL_WIN_ENABLE=0");
    IS(SYMMETRIC, 0);
    assert_string_equal(orr_device_verdict(&device, ORR_DEVICE_SYMMETRIC)->rule, "WINDOWS_OFF");
}

static enum orr_runs_by gather(enum orr_data_type type, uint64_t elements)
{
    return choose(ORR_ALLGATHER, type, of_all(elements * orr_data_type_bytes(type)), ORR_WINDOWS_RECV).by;
}

TEST(copy_engines_above_a_number_of_elements)
{
    decide("hgx-b200", 1, "2.30.7", "");
    assert_string_equal(choose(ORR_ALLGATHER, ORR_TYPE_FLOAT32, of_all(8388608 * 4), ORR_WINDOWS_RECV).kernel,
                        "AllGather_STMC");
    assert_int_equal(gather(ORR_TYPE_FLOAT32, 8388609), ORR_BY_COPY_ENGINE);
    assert_int_equal(gather(ORR_TYPE_FLOAT16, 8388609), ORR_BY_COPY_ENGINE);
    assert_int_equal(gather(ORR_TYPE_FLOAT16, 8388608), ORR_BY_SYMMETRIC);
    decide("hgx-b200", 1, "2.29.2", "NCCL_SYM_CE_THRESHOLD=0");
    assert_int_equal(gather(ORR_TYPE_FLOAT32, 1), ORR_BY_COPY_ENGINE);
    decide("hgx-b200", 1, "2.28.9", "NCCL_SYM_CE_THRESHOLD=0");
    assert_int_not_equal(gather(ORR_TYPE_FLOAT32, 8388609), ORR_BY_COPY_ENGINE);
    decide("hgx-h100", 1, "2.30.7", "");
    assert_int_equal(gather(ORR_TYPE_FLOAT32, 8388609), ORR_BY_SYMMETRIC);
    decide("hgx-h100", 1, "2.30.7", "NCCL_CTA_POLICY=EFFICIENCY|ZERO");
    assert_int_equal(gather(ORR_TYPE_FLOAT32, 1), ORR_BY_COPY_ENGINE);
    decide("hgx-h100", 1, "2.28.3", "NCCL_CTA_POLICY=2");
    assert_int_equal(gather(ORR_TYPE_FLOAT32, 1), ORR_BY_CLASSIC); /* it wants both windows */
}

TEST(older_releases_are_not_covered)
{
    decide("hgx-h100", 1, "2.21.5", "");
    assert_false(device.rules->covered);
    IS(SYMMETRIC, -1);
    IS(ALL_NVLINK, -1);
    IS(RUNTIME_CONNECT, -1);
    decide("hgx-h100", 1, "2.22.3", "NCCL_RUNTIME_CONNECT=0");
    assert_true(device.rules->covered);
    IS(RUNTIME_CONNECT, 0);
}

/* With another protocol than LL for the classic choice. */
TEST(a_kernel_with_ll_yields)
{
    static const struct {
        const char *release, *given;
        enum orr_windows windows;
        enum orr_runs_by by;
    } rows[] = {
        {"2.28.9", "NCCL_PROTO=Simple", ORR_WINDOWS_BOTH, ORR_BY_SYMMETRIC},
        {"2.29.2", "NCCL_PROTO=Simple", ORR_WINDOWS_BOTH, ORR_BY_CLASSIC},
        {"2.29.2", "", ORR_WINDOWS_BOTH, ORR_BY_SYMMETRIC},
        {"2.29.7", "NCCL_PROTO=Simple", ORR_WINDOWS_BOTH, ORR_BY_SYMMETRIC},
        {"2.29.7", "NCCL_PROTO=Simple", ORR_WINDOWS_SEND, ORR_BY_CLASSIC},
        {"2.29.7", "", ORR_WINDOWS_SEND, ORR_BY_SYMMETRIC},
        {"2.29.7", "", ORR_WINDOWS_NONE, ORR_BY_CLASSIC},
        {"2.29.7", "NCCL_SYM_NOWIN_ENABLE=1", ORR_WINDOWS_NONE, ORR_BY_SYMMETRIC},
        {"2.29.2", "NCCL_SYM_NOWIN_ENABLE=1", ORR_WINDOWS_NONE, ORR_BY_SYMMETRIC},
        {"2.28.9", "", ORR_WINDOWS_SEND, ORR_BY_CLASSIC}, /* it wants both */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        decide("hgx-h100", 1, rows[i].release, rows[i].given);
        if (choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, KIB, rows[i].windows).by != rows[i].by)
            fail_msg("row %zu, NCCL %s %s", i, rows[i].release, rows[i].given);
    }
}

TEST(small_sizes_are_rounded)
{
    decide("hgx-h100", 1, "2.27.7", "");
    float exact = choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, 64, ORR_WINDOWS_BOTH).time;
    decide("hgx-h100", 1, "2.28.3", "");
    float rounded = choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, 64, ORR_WINDOWS_BOTH).time;
    assert_true(exact < rounded);
    assert_float_equal(rounded, choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, KIB, ORR_WINDOWS_BOTH).time, 0);
}

TEST(kernels_with_tma_win_where_they_may_run)
{
    decide("hgx-b200", 1, "2.30.4", "NCCL_SYM_TMA_ENABLE=1 NCCL_NVLS_ENABLE=0");
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, MIB, ORR_WINDOWS_BOTH).kernel,
                        "AllReduce_RSxTmaLD_AGxTmaST");
    decide("hgx-b200", 1, "2.29.7", "NCCL_SYM_TMA_ENABLE=1 NCCL_NVLS_ENABLE=0");
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, MIB, ORR_WINDOWS_BOTH).kernel, "AllReduce_RSxLD_AGxST");
    decide("hgx-h100", 1, "2.30.4", "NCCL_SYM_TMA_ENABLE=1 NCCL_NVLS_ENABLE=0");
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT32, MIB, ORR_WINDOWS_BOTH).kernel, "AllReduce_RSxLD_AGxST");
}

TEST(types_and_multimem)
{
    decide("hgx-h100", 1, "2.30.7", "");
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT8E4M3, MIB, ORR_WINDOWS_BOTH).kernel,
                        "AllReduce_RSxLD_AGxST");
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_BFLOAT16, MIB, ORR_WINDOWS_BOTH).kernel,
                        "AllReduce_RSxLDMC_AGxSTMC");
    assert_kernel(choose(ORR_REDUCESCATTER, ORR_TYPE_FLOAT64, MIB, ORR_WINDOWS_BOTH), NULL, 0, 0);
    assert_kernel(choose(ORR_ALLGATHER, ORR_TYPE_FLOAT32, 80 * GIB, ORR_WINDOWS_BOTH), NULL, 0, 0);
    decide("hgx-b200", 1, "2.30.7", "");
    assert_string_equal(choose(ORR_ALLREDUCE, ORR_TYPE_FLOAT8E4M3, MIB, ORR_WINDOWS_BOTH).kernel,
                        "AllReduce_RSxLDMC_AGxSTMC");
}
