/* SPDX-License-Identifier: Apache-2.0 */
/* Point-to-point transfers over hosts: whom a rank meets in which round, over what, by which NIC and through whom. */
#include "engine/cluster/transfers.h"

#include "engine/cluster/cluster.h"
#include "engine/cluster/groups.h"
#include "tests/support/findings.h"
#include "tests/support/four_gpus.h"

static const char *const releases[] = {"2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.28.9", "2.30.7"};
enum { RELEASES = sizeof releases / sizeof releases[0] };

static struct orr_dump *dump;
static struct orr_cluster *cluster;
static struct orr_transfers *transfers;
static struct orr_settings settings;
static struct orr_error err;

static void drop(void)
{
    orr_transfers_free(transfers);
    orr_cluster_free(cluster);
    transfers = NULL;
    cluster = NULL;
}

void before_each(void)
{
    dump = read_text(MACHINE);
    orr_settings_init(&settings, orr_release_find("2.27.7"));
}

void after_each(void)
{
    drop();
    orr_dump_free(dump);
}

static void make(const struct orr_cluster_line *lines, uint32_t count)
{
    const struct orr_cluster_request request = {
        .lines = lines, .line_count = count, .settings = settings, .plan = true};
    drop();
    err = (struct orr_error){0};
    assert_ok(orr_cluster_analyze(&request, &cluster, &err), &err);
    assert_ok(orr_transfers_new(cluster->analysis, &transfers, &err), &err);
}

/* Two whole hosts, or two and one of which two GPUs take part. */
static void make_two(const char *release, const char *name, const char *value)
{
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 2}};
    orr_settings_init(&settings, orr_release_find(release));
    if (name)
        assert_ok(orr_settings_set(&settings, name, value, &err), &err);
    make(lines, 1);
}

static void make_unequal(const char *release)
{
    static const uint32_t gpus[] = {0, 1};
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 2},
                                             {.dump = dump, .count = 1, .gpus = gpus, .gpu_count = 2}};
    orr_settings_init(&settings, orr_release_find(release));
    make(lines, 2);
}

static void assert_sends(int32_t rank, const int32_t *expected, uint32_t count)
{
    uint32_t found;
    const struct orr_p2p_round *rounds = orr_transfers_turn(transfers, rank, &found);
    assert_int_equal(found, count);
    for (uint32_t t = 0; t < count; t++)
        assert_int_equal(rounds[t].send, expected[t]);
}

TEST(nodes_of_different_sizes_are_met_as_each_release_does)
{
    uint32_t count;
    make_unequal("2.27.7"); /* as one node of ten: deltas of 16 that are below 10 */
    const int32_t flat[] = {0, 1, 3, 6, 5, 4, 7, 2, 9, 8};
    assert_sends(0, flat, 10);
    const struct orr_p2p_round *rounds = orr_transfers_turn(transfers, 3, &count);
    for (int32_t t = 0; t < 10; t++) {
        assert_int_equal(rounds[t].receive, (3 + 10 - flat[t]) % 10);
        assert_int_equal(rounds[t].channel, t);
    }
    make_unequal("2.30.7"); /* groups of two divide all nodes: of five, deltas of 8 that are below 5 */
    const int32_t grouped[] = {2, 3, 4, 5, 8, 9, 6, 7, 0, 1};
    assert_sends(2, grouped, 10);
    make_unequal("2.12.12"); /* nodes 0, 1, 2 in steps of four, the last two of which a host of two leaves out */
    rounds = orr_transfers_turn(transfers, 0, &count);
    assert_int_equal(count, 12);
    for (int32_t t = 0; t < 12; t++) {
        assert_int_equal(rounds[t].send, t < 10 ? t : -1);
        assert_int_equal(rounds[t].receive, t < 4    ? (4 - t) % 4
                                            : t < 8  ? (t == 4   ? 8
                                                        : t == 7 ? 9
                                                                 : -1)
                                            : t == 8 ? 4
                                                     : 4 + 12 - t);
        assert_int_equal(rounds[t].channel, -1);
    }
}

TEST(groups_are_as_large_as_users_say)
{
    const int32_t pairs[] = {0, 1, 2, 3, 6, 7, 4, 5}, whole[] = {0, 1, 2, 3, 4, 5, 6, 7};
    uint32_t count;
    make_two("2.30.7", "NCCL_P2P_SCHEDULE_GROUP_SIZE", "2");
    assert_sends(0, pairs, 8);
    const struct orr_p2p_round *rounds = orr_transfers_turn(transfers, 0, &count);
    int32_t p2p = cluster->analysis->communicator.p2p_channels;
    assert_int_equal(rounds[1].channel, 0);
    assert_int_equal(rounds[2].channel, p2p / 2); /* the next group: 1, its bits reversed */
    make_two("2.30.7", NULL, NULL);
    assert_sends(0, whole, 8);
    assert_int_not_equal(orr_settings_set(&settings, "NCCL_P2P_SCHEDULE_GROUP_SIZE", "x", &err), ORR_NOMEM);
    make_two("2.30.7", "NCCL_P2P_SCHEDULE_GROUP_SIZE", "1");
    assert_sends(0, (const int32_t[]){0, 1, 3, 6, 2, 7, 5, 4}, 8);
}

/* Whoever is sent to receives, as often and over the same thing, in hosts of one size and of two. */
TEST(every_pair_meets_once_in_every_release)
{
    enum { MOST = 16 };
    for (int i = 0; i < 2 * RELEASES; i++) {
        int sent[MOST][MOST] = {{0}}, received[MOST][MOST] = {{0}};
        enum orr_transport over[MOST][MOST] = {{0}};
        if (i < RELEASES)
            make_two(releases[i], NULL, NULL);
        else
            make_unequal(releases[i - RELEASES]);
        int32_t ranks = (int32_t)cluster->rank_count;
        for (int32_t r = 0; r < ranks; r++) {
            uint32_t count;
            const struct orr_p2p_round *rounds = orr_transfers_turn(transfers, r, &count);
            assert_int_equal(count, orr_transfers_rounds(transfers));
            for (uint32_t t = 0; t < count; t++) {
                if (rounds[t].send >= 0) {
                    sent[r][rounds[t].send]++;
                    over[r][rounds[t].send] = orr_transfer_way(transfers, rounds[t].send, true).transport;
                }
                if (rounds[t].receive >= 0)
                    received[rounds[t].receive][r]++;
            }
        }
        for (int32_t a = 0; a < ranks; a++) {
            uint32_t count;
            orr_transfers_turn(transfers, a, &count);
            for (int32_t b = 0; b < ranks; b++) {
                assert_int_equal(sent[a][b], 1);
                assert_int_equal(received[a][b], 1);
                assert_int_equal(orr_transfer_way(transfers, b, false).transport, over[b][a]);
                assert_int_equal(over[a][b], a == b ? ORR_OVER_SELF : a / 4 == b / 4 ? ORR_OVER_P2P : ORR_OVER_NET);
            }
        }
    }
}

static void assert_nic(int32_t rank, int32_t peer, uint64_t net, int32_t proxy, enum orr_path_type path)
{
    uint32_t count;
    struct orr_transfer_nic nic;
    orr_transfers_turn(transfers, rank, &count);
    assert_true(orr_transfer_nic(transfers, peer, true, 0, &nic));
    assert_int_equal(orr_id_local(nic.net), net);
    assert_int_equal(nic.proxy, proxy);
    assert_int_equal(nic.path, path);
    assert_true(orr_transfer_nic(transfers, peer, false, 0, &nic)); /* one's own, whoever sends */
    assert_int_equal(orr_id_local(nic.net), rank % 4 / 2);
    assert_int_equal(nic.proxy, rank);
}

TEST(sends_take_the_rail_of_the_peer)
{
    for (int i = 1; i < RELEASES; i++) {
        make_two(releases[i], NULL, NULL);
        assert_nic(0, 4, 0, 0, ORR_PATH_PIX); /* the same rail */
        assert_nic(0, 6, 1, 2, ORR_PATH_PXN); /* GPU 2 represents NET 1 */
        assert_nic(0, 7, 1, 2, ORR_PATH_PXN); /* also for a peer whose twin is GPU 3 */
        assert_nic(7, 0, 0, 4, ORR_PATH_PXN); /* from the other host */
        make_two(releases[i], "NCCL_P2P_PXN_LEVEL", "0");
        assert_nic(0, 7, 0, 0, ORR_PATH_PIX);
        make_two(releases[i], "NCCL_P2P_PXN_LEVEL", "1");
        assert_nic(0, 7, 1, 2, ORR_PATH_PXN);
        make_two(releases[i], "NCCL_PXN_DISABLE", "1");
        assert_nic(0, 7, 0, 0, ORR_PATH_PIX);
        assert_ok(orr_settings_set(&settings, "NCCL_CROSS_NIC", "0", &err), &err);
        make(&(struct orr_cluster_line){.dump = dump, .count = 2}, 1);
        assert_nic(0, 7, 1, 0, ORR_PATH_SYS); /* rails are kept at the cost of the path to the NIC */
    }
    make_two("2.7.8", NULL, NULL);
    assert_nic(0, 7, 0, 0, ORR_PATH_PIX);
}

/* A host that has no twin of the peer's GPU, or not its rail, keeps its own NIC. */
TEST(what_a_host_lacks_it_does_not_take)
{
    for (int i = 2; i < RELEASES; i++) { /* by twins */
        make_unequal(releases[i]);
        assert_nic(8, 3, 0, 8, ORR_PATH_PIX);
        assert_nic(8, 1, 0, 8, ORR_PATH_PIX); /* the one that represents NET 0 is rank 8 itself */
        assert_nic(9, 0, 0, 8, ORR_PATH_PIX); /* beside the NIC as well, yet another drives it */
    }
}

TEST(without_p2p_memory_is_shared_and_without_that_the_network)
{
    uint32_t count;
    for (int i = 0; i < RELEASES; i++) {
        make_two(releases[i], "NCCL_P2P_DISABLE", "1");
        orr_transfers_turn(transfers, 0, &count);
        assert_int_equal(orr_transfer_way(transfers, 1, true).transport, ORR_OVER_SHM);
        /* since 2.21 sockets are apart whose NICs are faster than what joins them */
        assert_int_equal(orr_transfer_way(transfers, 2, true).transport, i < 2 ? ORR_OVER_SHM : ORR_OVER_NET);
        assert_ok(orr_settings_set(&settings, "NCCL_SHM_DISABLE", "1", &err), &err);
        make(&(struct orr_cluster_line){.dump = dump, .count = 2}, 1);
        orr_transfers_turn(transfers, 0, &count);
        assert_int_equal(orr_transfer_way(transfers, 1, true).transport, ORR_OVER_NET);
        assert_int_equal(orr_transfer_way(transfers, 0, true).transport, ORR_OVER_SELF);
    }
}

TEST(a_group_has_a_schedule_of_its_own)
{
    struct orr_layout layout;
    ORR_LOCAL(orr_groups, groups);
    make_two("2.27.7", NULL, NULL);
    assert_ok(orr_layout_read("tp=2,dp=4", 8, &layout, &err), &err);
    assert_int_equal(orr_group_analyze(cluster, &layout, ORR_GROUP_DP, 2, &groups, &err), ORR_SETTING);
    assert_ok(orr_group_analyze(cluster, &layout, ORR_GROUP_DP, 1, &groups, &err), &err);
    const struct orr_group_shape *group = &groups->kinds[0].shapes[0];
    assert_int_equal(group->ranks[3], 7);
    orr_transfers_free(transfers);
    assert_ok(orr_transfers_new(group->cluster->analysis, &transfers, &err), &err);
    assert_sends(0, (const int32_t[]){0, 1, 2, 3}, 4); /* two nodes of two: both powers of two */
    uint32_t count;
    orr_transfers_turn(transfers, 0, &count);
    assert_int_equal(orr_transfer_way(transfers, 1, true).transport, ORR_OVER_P2P);
    assert_int_equal(orr_transfer_way(transfers, 2, true).transport, ORR_OVER_NET);
    orr_transfers_free(transfers);
    transfers = NULL;
}
