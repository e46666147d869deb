/* SPDX-License-Identifier: Apache-2.0 */
/* Where NCCL itself would not start, though Orrery analyses the machine: said by a finding, and an error with strict.
 * Each condition has a near miss. */
#include "engine/cluster/again.h"
#include "engine/cluster/cluster.h"
#include "tests/support/findings.h"
#include "tests/support/fixture.h"

#define LINK_TO(bus) "<nvlink target=\"" bus "\" count=\"1\" tclass=\"0x030200\"/>"
#define HOST(inside) "<system version=\"1\"><cpu numaid=\"0\" host_hash=\"0x1\" " X86_INTEL ">" inside "</cpu></system>"
#define PAIR         GPU("0000:01:00.0", "0", "80", "") GPU("0000:02:00.0", "1", "80", "")
#define WITHOUT_NICS HOST(PAIR)
#define WITH_A_NIC   HOST(PAIR NIC("0000:20:00.0", "0", "100000"))
/* NVLinks 0 - 1 - 2. GPUs 0 and 1 have a NIC each that is faster than the one NVLink between them. */
#define A_LINE(speed)                                                                                                  \
    HOST(SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "80", LINK_TO("0000:21:00.0"))                                \
             NIC("0000:12:00.0", "0", speed) "</pci>" SWITCH("0000:20:00.0")                                           \
                 GPU("0000:21:00.0", "1", "80", LINK_TO("0000:11:00.0") LINK_TO("0000:31:00.0"))                       \
                     NIC("0000:22:00.0", "1", speed) "</pci>" GPU("0000:31:00.0", "2", "80", LINK_TO("0000:21:00.0")))

static enum orr_code strict(const struct fixture *f, struct orr_error *err)
{
    *err = (struct orr_error){0};
    return orr_analysis_check_strict(f->analysis, err);
}

static void assert_starts(const char *release, const char *text, uint32_t hosts)
{
    struct orr_error err;
    FIXTURE f = analyse_in(release, text, hosts, NULL);
    assert_ok(strict(&f, &err), &err);
    assert_int_equal(places_of(f.dump, f.analysis, "nccl-would-fail"), -1);
    assert_int_equal(places_of(f.dump, f.analysis, "nccl-needs-nic"), -1);
}

static void assert_fails(const char *release, const char *text, uint32_t hosts, const char *id, const char *why)
{
    struct orr_error err;
    FIXTURE f = analyse_in(release, text, hosts, NULL);
    assert_error(strict(&f, &err), ORR_REFUSED, &err, why);
    assert_true(places_of(f.dump, f.analysis, id) >= 0);
}

TEST(without_a_nic)
{
    assert_starts("2.28.9", WITHOUT_NICS, 2);
    assert_starts("2.29.2", WITHOUT_NICS, 1);
    assert_fails("2.29.2", WITHOUT_NICS, 2, "nccl-needs-nic", "lists no NIC");
    assert_starts("2.29.7", WITHOUT_NICS, 1);
    assert_fails("2.30.4", WITHOUT_NICS, 1, "nccl-needs-nic", "lists no NIC");
    assert_starts("2.29.2", WITH_A_NIC, 2);
    assert_starts("2.30.4", WITH_A_NIC, 1);
}

/* The network is better between GPUs 0 and 1, so that these are two parts. GPU 2 is in the part of GPU 0, which it
 * reaches through GPU 1. */
TEST(nvlink_through_a_gpu_of_another_part)
{
    assert_fails("2.30.7", A_LINE("400000"), 1, "nccl-would-fail", "GPU 0 and GPU 2 through GPU 1");
    assert_starts("2.29.7", A_LINE("400000"), 1);
    assert_starts("2.30.7", A_LINE("100000"), 1);
}

/* Two trays that share a system by NVSwitch, without P2P: each keeps its own GPUs and the NICs of both. */
static enum orr_code ask_trays(const char *release, const char *const *settings, struct orr_error *err)
{
    static const char tray[] =
        HOST(GPU("0000:01:00.0", "0", "90", "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>")
                 GPU("0000:02:00.0", "1", "90", "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>")
                     NIC("0000:20:00.0", "0", "100000"));
    static const struct orr_fabric fabric = {ORR_FABRIC_COMPLETED, true, {1, 1}, 1, 0};
    ORR_OWNED(orr_dump) *dump = read_text(tray);
    struct orr_settings chosen;
    struct orr_cluster *cluster;
    orr_settings_init(&chosen, orr_release_find(release));
    for (; settings && *settings; settings += 2)
        assert_ok(orr_settings_set(&chosen, settings[0], settings[1], err), err);
    const struct orr_cluster_line line = {.dump = dump, .count = 2, .fabric = &fabric};
    const struct orr_cluster_request request = {.lines = &line, .line_count = 1, .settings = chosen};
    assert_ok(orr_cluster_analyze(&request, &cluster, err), err);
    enum orr_code code = orr_analysis_check_strict(cluster->analysis, err);
    orr_cluster_free(cluster);
    return code;
}

TEST(a_domain_without_p2p)
{
    static const char *const off[] = {"NCCL_P2P_DISABLE", "1", NULL}, *const apart[] = {"NCCL_P2P_DISABLE", "1",
                                                                                        "NCCL_SHM_DISABLE", "1", NULL};
    struct orr_error err = {0};
    assert_error(ask_trays("2.26.2", off, &err), ORR_REFUSED, &err, "crashes while it searches");
    err = (struct orr_error){0};
    assert_ok(ask_trays("2.26.2", NULL, &err), &err);
    assert_ok(ask_trays("2.26.2", apart, &err), &err);
    assert_ok(ask_trays("2.24.3", off, &err), &err);
    assert_ok(ask_trays("2.27.7", off, &err), &err);
}
