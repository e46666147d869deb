/* SPDX-License-Identifier: Apache-2.0 */
/* What lines say, as values: connections, GPUDirect RDMA, channel counts, NVLS, lists of NICs. */
#include "engine/log_reading/statements.h"
#include "tests/support/orr_test.h"

/* The log of one line. */
static struct orr_log *read(const char *line)
{
    char text[512];
    struct orr_error err = {0};
    struct orr_log *log = NULL;
    assert_true(snprintf(text, sizeof text, "host0:100:101 [0] NCCL INFO %s\n", line) < (int)sizeof text);
    assert_ok(orr_log_read(text, strlen(text), NULL, &log, &err), &err);
    assert_int_equal(log->record_count, 1);
    return log;
}

TEST(a_connection_names_transport_nic_and_proxy)
{
    static const struct {
        const char *line;
        struct orr_log_connection is;
    } rows[] = {
        {"Channel 01/0 : 3[1b000] -> 8[2c000] [send] via NET/IB/2(5)/GDRDMA",
         {.transport = ORR_TRANSPORT_NET,
          .channel = 1,
          .from = 3,
          .to = 8,
          .sends = true,
          .gdr = true,
          .nic = 2,
          .proxy = 5}},
        {"Channel 01/1 : 3[1b000] -> 8[2c000] [receive] via NET/AWS Libfabric/12",
         {.transport = ORR_TRANSPORT_NET, .channel = 1, .index = 1, .from = 3, .to = 8, .nic = 12, .proxy = -1}},
        /* What is in brackets at the end is how GPUDirect RDMA is done, no rank. */
        {"Channel 00/0 : 3[1b000] -> 8[2c000] [send] via NET/IB/0/GDRDMA(PCI)",
         {.transport = ORR_TRANSPORT_NET, .from = 3, .to = 8, .sends = true, .gdr = true, .proxy = -1}},
        {"Channel 04 : 3[1b000] -> 8[2c000] via P2P/IPC",
         {.transport = ORR_TRANSPORT_P2P, .channel = 4, .from = 3, .to = 8, .nic = -1, .proxy = -1}},
        {"Channel 04 : 3[1b000] -> 8[2c000] via direct shared memory",
         {.transport = ORR_TRANSPORT_SHM, .channel = 4, .from = 3, .to = 8, .nic = -1, .proxy = -1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ORR_OWNED(orr_log) *log = read(rows[i].line);
        struct orr_log_connection said;
        assert_true(orr_log_connection_of(&log->records[0], &said));
        assert_int_equal(said.transport, rows[i].is.transport);
        assert_int_equal(said.channel, rows[i].is.channel);
        assert_int_equal(said.index, rows[i].is.index);
        assert_int_equal(said.from, rows[i].is.from);
        assert_int_equal(said.to, rows[i].is.to);
        assert_int_equal(said.bus_ids[0], 0x1b000);
        assert_int_equal(said.bus_ids[1], 0x2c000);
        assert_int_equal(said.sends, rows[i].is.sends);
        assert_int_equal(said.gdr, rows[i].is.gdr);
        assert_int_equal(said.nic, rows[i].is.nic);
        assert_int_equal(said.proxy, rows[i].is.proxy);
    }
}

TEST(gpudirect_rdma_of_a_pair_and_of_a_nic)
{
    struct orr_log_gdr said;
    struct orr_log_gdr_nic of_nic;
    {
        ORR_OWNED(orr_log) *log =
            read("GPU Direct RDMA Enabled for GPU/0-1b000 (rank 3) - NET/0-2 (distance 4 <= 5), read 0");
        assert_true(orr_log_gdr_of(&log->records[0], &said));
        assert_true(said.on && !said.sends && said.rank == 3 && said.distance == 4);
        assert_string_equal(said.gpu, "0-1b000");
        assert_string_equal(said.nic, "0-2");
        assert_false(orr_log_gdr_nic_of(&log->records[0], &of_nic));
    }
    {
        ORR_OWNED(orr_log) *log = read("GPU Direct RDMA Disabled for GPU 1b000 / HCA 2 (distance 7 > 5), read 1");
        assert_true(orr_log_gdr_of(&log->records[0], &said));
        assert_true(!said.on && said.sends && said.rank == -1 && said.distance == 7);
    }
    ORR_OWNED(orr_log) *log = read("NET/IB : GPU Direct RDMA Disabled for HCA 2 'mlx5_2'");
    assert_true(orr_log_gdr_nic_of(&log->records[0], &of_nic));
    assert_true(!of_nic.on && of_nic.nic == 2);
    assert_false(orr_log_gdr_of(&log->records[0], &said));
}

TEST(counts_of_every_release)
{
    static const struct {
        const char *line;
        int collective, nvls, p2p, each;
    } rows[] = {
        {"24 coll channels, 20 collnet channels, 16 nvls channels, 32 p2p channels, 8 p2p channels per peer", 24, 16,
         32, 8},
        {"24 coll channels, 16 nvls channels, 32 p2p channels, 8 p2p channels per peer", 24, 16, 32, 8},
        {"24 coll channels, 32 p2p channels, 8 p2p channels per peer", 24, -1, 32, 8},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        ORR_OWNED(orr_log) *log = read(rows[i].line);
        struct orr_log_counts said;
        assert_true(orr_log_counts_of(&log->records[0], &said));
        assert_true(said.collective == rows[i].collective);
        assert_true(said.nvls == rows[i].nvls);
        assert_true(said.p2p == rows[i].p2p);
        assert_true(said.p2p_per_peer == rows[i].each);
    }
}

TEST(nvls_is_available_or_not)
{
    bool available = false;
    {
        ORR_OWNED(orr_log) *log = read("NVLS multicast support is available on dev 0");
        assert_true(orr_log_nvls_of(&log->records[0], &available) && available);
    }
    ORR_OWNED(orr_log) *log = read("NVLS multicast support is not available on dev 0");
    assert_true(orr_log_nvls_of(&log->records[0], &available) && !available);
}
