/* SPDX-License-Identifier: Apache-2.0 */
/* liborrery as its users see it: linked, not built in. */
#include "tests/support/machine_xml.h"
#include "tests/support/orr_test.h"
#include <orrery/orrery.h>

struct fixture {
    struct orr_machine *machine;
    struct orr_plan *plan;
};

static void make(struct fixture *fixture, const char *parameters)
{
    struct orr_report report = ORR_REPORT_INIT;
    assert_true(orr_machine_load(ORR_TEST_WORKSTATION, sizeof ORR_TEST_WORKSTATION - 1, NULL, NULL, &fixture->machine,
                                 &report));
    assert_true(orr_plan_ask(fixture->machine, parameters, NULL, &fixture->plan, &report));
}

static void drop(struct fixture *fixture)
{
    orr_plan_free(fixture->plan);
    orr_machine_free(fixture->machine);
}

TEST(names_are_listed_to_an_end)
{
    size_t releases = 0, settings = 0;
    while (orr_library_release(releases))
        releases++;
    while (orr_library_setting(settings))
        settings++;
    assert_true(releases >= 5 && settings > 40);
    assert_null(orr_library_release(releases + 7));
    assert_true(strchr(orr_library_version(), '.') != NULL);
}

TEST(a_broken_dump_is_reported_with_line_and_column)
{
    static const char broken[] = "<system version=\"1\">\n  <cpu numaid=0>";
    struct orr_machine *machine = (struct orr_machine *)(uintptr_t)broken;
    struct orr_report report = ORR_REPORT_INIT;
    assert_false(orr_machine_load(broken, sizeof broken - 1, NULL, NULL, &machine, &report));
    assert_ptr_equal(machine, &broken); /* not written on failure */
    assert_string_equal(report.code, "malformed-xml");
    assert_int_equal(report.error, ORR_ERROR_MALFORMED_XML);
    assert_int_equal(report.line, 2);
    assert_true(report.column > 3 && report.text[0]);
    assert_false(orr_machine_load(broken, sizeof broken - 1, NULL, NULL, &machine, NULL));
    assert_false(orr_machine_load("", 0, NULL, NULL, &machine, &report));
    assert_string_equal(report.code, "unrecognised-input");
    assert_int_equal(report.line, 0);
}

TEST(wrong_questions_are_refused)
{
    static const struct {
        const char *parameters, *where;
        enum orr_error_code error;
    } rows[] = {
        {"release=1.0", "release", ORR_ERROR_INVALID_SETTING},
        {"hosts=0", "hosts", ORR_ERROR_INVALID_SETTING},
        {"NCCL_CROS_NIC=1", "NCCL_CROS_NIC", ORR_ERROR_INVALID_SETTING},
        {"host=2", "host", ORR_ERROR_INVALID_PARAMETER},
    };
    struct fixture fixture;
    make(&fixture, "NCCL_CROSS_NIC=1");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct orr_report report = ORR_REPORT_INIT;
        struct orr_plan *plan = NULL;
        assert_false(orr_plan_ask(fixture.machine, rows[i].parameters, NULL, &plan, &report));
        assert_null(plan);
        assert_string_equal(report.where, rows[i].where);
        assert_int_equal(report.error, rows[i].error);
    }
    drop(&fixture);
}

TEST(paths_and_verdicts_are_those_of_the_machine)
{
    struct fixture fixture;
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_plan_path path = ORR_PLAN_PATH_INIT;
    struct orr_plan_hop hop = ORR_PLAN_HOP_INIT;
    struct orr_plan_verdict verdict = ORR_PLAN_VERDICT_INIT;
    make(&fixture, "release=2.27.7&hosts=2");
    assert_int_equal(orr_plan_ranks(fixture.plan), 4);
    assert_int_equal(orr_plan_local_ranks(fixture.plan), 2);
    assert_true(orr_plan_path(fixture.plan, "rank:0", "rank:1", &path, &report));
    assert_string_equal(path.type, "PHB");
    assert_int_equal(path.hops, 2);
    assert_true(orr_plan_hop(fixture.plan, "rank:0", "rank:1", 1, &hop, &report));
    assert_string_equal(hop.to, "GPU/0-41000");
    assert_string_equal(hop.link, "PCI");
    assert_false(orr_plan_hop(fixture.plan, "rank:0", "rank:1", 2, &hop, &report));
    assert_false(orr_plan_path(fixture.plan, "rank:0", "rank:7", &path, &report));
    assert_string_equal(report.code, "not-found");
    assert_false(orr_plan_path(fixture.plan, "NIC/0-81000", "rank:0", &path, &report));

    assert_true(orr_plan_p2p(fixture.plan, 0, 0, &verdict, &report));
    assert_int_equal(verdict.verdict, 1);
    assert_true(orr_plan_p2p(fixture.plan, 0, 1, &verdict, &report));
    assert_string_equal(verdict.actual, "PHB");
    assert_true(verdict.rule[0] && verdict.level[0]);
    assert_false(orr_plan_p2p(fixture.plan, 0, 2, &verdict, &report));
    assert_true(orr_plan_gdr(fixture.plan, 1, "NET/0-0", true, &verdict, &report));
    assert_true(verdict.rule[0]);
    assert_false(orr_plan_gdr(fixture.plan, 1, "NET/0-9", true, &verdict, &report));

    char name[ORR_DEVICE_NAME_LENGTH];
    size_t devices = 0;
    while (orr_plan_device(fixture.plan, devices, name))
        devices++;
    assert_true(devices >= 5); /* two GPUs, CPU, NIC, NET */
    drop(&fixture);
}

TEST(graphs_rings_and_trees_hold_every_rank)
{
    struct fixture fixture;
    struct orr_plan_graph graph = ORR_PLAN_GRAPH_INIT;
    make(&fixture, "release=2.21.5&hosts=3");
    assert_true(orr_plan_graph(fixture.plan, 0, &graph));
    assert_string_equal(graph.name, "ring");
    assert_true(graph.channels > 0 && graph.bw_intra > 0);
    assert_true(orr_plan_graph(fixture.plan, 1, &graph));
    assert_string_equal(graph.name, "tree");
    assert_false(orr_plan_graph(fixture.plan, 99, &graph));
    uint32_t channels = orr_plan_channels(fixture.plan), ranks = orr_plan_ranks(fixture.plan);
    assert_int_equal(ranks, 6);
    for (uint32_t c = 0; c < channels; c++) {
        const int32_t *ring = orr_plan_ring(fixture.plan, c);
        unsigned seen = 0, roots = 0;
        for (uint32_t i = 0; i < ranks; i++) {
            int32_t up, down[ORR_TREE_CHILDREN];
            seen |= 1u << ring[i];
            assert_true(orr_plan_tree(fixture.plan, c, i, &up, down));
            roots += up < 0;
        }
        assert_int_equal(seen, (1u << ranks) - 1);
        assert_int_equal(roots, 1);
    }
    assert_null(orr_plan_ring(fixture.plan, channels));
    drop(&fixture);
}

TEST(the_tuning_chooses_for_a_size)
{
    struct fixture fixture;
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_plan_choice small = ORR_PLAN_CHOICE_INIT, large = ORR_PLAN_CHOICE_INIT;
    make(&fixture, "hosts=2");
    assert_true(orr_plan_choose(fixture.plan, "AllReduce", 1 << 10, &small, &report));
    assert_true(orr_plan_choose(fixture.plan, "AllReduce", 1 << 28, &large, &report));
    assert_true(small.time > 0 && large.time > small.time && large.bus_bw > small.bus_bw);
    assert_false(orr_plan_choose(fixture.plan, "AllToAll", 1, &large, &report));
    drop(&fixture);
}

TEST(structures_are_filled_as_far_as_the_caller_knows_them)
{
    struct fixture fixture;
    struct orr_report report = ORR_REPORT_INIT;
    struct orr_plan_path known = ORR_PLAN_PATH_INIT, older = {.size = offsetof(struct orr_plan_path, bw), .bw = -7};
    struct {
        struct orr_plan_path path;
        uint64_t later; /* a member of a later version */
    } newer = {.path = {.size = sizeof newer}, .later = 7};
    struct orr_plan_path unset = {0};
    make(&fixture, "release=2.27.7&hosts=2");
    assert_true(orr_plan_path(fixture.plan, "rank:0", "rank:1", &known, &report));
    assert_true(orr_plan_path(fixture.plan, "rank:0", "rank:1", &older, &report));
    assert_string_equal(older.type, "PHB");
    assert_true(older.bw == -7); /* beyond what the caller has */
    assert_true(orr_plan_path(fixture.plan, "rank:0", "rank:1", &newer.path, &report));
    assert_true(newer.path.hops == known.hops && newer.path.size == sizeof newer && newer.later == 0);
    assert_false(orr_plan_path(fixture.plan, "rank:0", "rank:1", &unset, &report));
    assert_string_equal(report.code, "unsupported");
    assert_null(unset.type);
    struct orr_report without_size = {0};
    assert_false(orr_plan_path(fixture.plan, "rank:0", "rank:9", &known, &without_size));
    assert_null(without_size.code);
    drop(&fixture);
}
