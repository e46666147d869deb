/* SPDX-License-Identifier: Apache-2.0 */
/* Is a node fit: the rules one by one. tests/tools/check_gate.py asks the program about every known machine. */
#include "engine/gate/gate.h"

#include "engine/base/budget.h"
#include "tests/support/four_gpus.h"

struct case_of {
    struct orr_dump *node, *expected;
    struct orr_arena *arena;
    struct orr_gate_request request;
    struct orr_gate gate;
};

static const char healthy[] = MACHINE;
/* The second NIC is a tenth as fast. */
static const char slow[] = "<system version=\"1\">" CPU("0", PAIR("1", "0", "1", "15", "0"))
    CPU("1", SWITCH("0000:20:00.0") GPU("0000:21:00.0", "2", "90", NVSWITCH) GPU("0000:22:00.0", "3", "90", NVSWITCH)
                 NIC("0000:25:00.0", "1", "40000") "</pci>") "</system>";
static const char one_cpu[] = "<system version=\"1\">" CPU("0", PAIR("1", "0", "1", "15", "0")) "</system>";

static struct case_of prepare(const char *node, const char *expected)
{
    struct case_of c = {.node = read_text(node), .expected = read_text(expected), .arena = orr_arena_new(0)};
    c.request = (struct orr_gate_request){.node_name = "node-17",
                                          .expected_name = "good",
                                          .node = c.node,
                                          .expected = c.expected,
                                          .query = {.hosts = 2},
                                          .min_bus_bw = 0.9};
    orr_settings_init(&c.request.query.settings, orr_release_find("2.27.7"));
    return c;
}

static void judge(struct case_of *c)
{
    struct orr_error err = {0};
    assert_ok(orr_gate_judge(&c->request, c->arena, &c->gate, &err), &err);
    assert_non_null(c->gate.sentence);
    assert_null(strchr(c->gate.sentence, '\n'));
    assert_int_equal(strncmp(c->gate.sentence, "node-17: ", 9), 0);
}

static void finish(struct case_of *c)
{
    orr_dump_free(c->node);
    orr_dump_free(c->expected);
    orr_arena_free(c->arena);
}

TEST(test_a_node_is_fit_beside_its_equal)
{
    struct case_of c = prepare(healthy, healthy);
    judge(&c);
    assert_int_equal(c.gate.state, ORR_GATE_FIT);
    assert_int_equal(c.gate.count, 0);
    assert_int_equal(c.gate.hosts, 2);
    assert_true(c.gate.bus_bw > 0 && c.gate.bus_bw == c.gate.expected);
    finish(&c);
}

/* One of two ports is not slower than most; the bandwidth shows it, and the comparison names it. The slot that is too
 * slow for both ports is a finding with a cost, which the expectation has as well. */
TEST(test_a_slow_port_degrades_and_can_be_allowed)
{
    static const char *const allowed[] = {"busbw-low"};
    struct case_of c = prepare(slow, healthy);
    judge(&c);
    assert_int_equal(c.gate.state, ORR_GATE_DEGRADED);
    assert_int_equal(c.gate.counted, 1);
    assert_string_equal(c.gate.reasons[0].id, "busbw-low");
    assert_true(c.gate.reasons[0].cost && c.gate.reasons[0].compared);
    assert_non_null(strstr(c.gate.sentence, "AllReduce gets "));
    assert_non_null(strstr(c.gate.sentence, "; what differs: port mlx5_1: "));
    assert_true(c.gate.bus_bw < 0.9 * c.gate.expected);
    c.request.allowed = allowed;
    c.request.allowed_count = 1;
    judge(&c);
    assert_int_equal(c.gate.state, ORR_GATE_FIT);
    assert_int_equal(c.gate.count, 1);
    assert_non_null(strstr(c.gate.sentence, "allowed: busbw-low"));
    c.request.allowed_count = 0;
    c.request.min_bus_bw = 0;
    judge(&c);
    assert_int_equal(c.gate.state, ORR_GATE_FIT);
    assert_int_equal(c.gate.count, 0);
    finish(&c);
}

/* What the expectation has too is as it should be. */
TEST(test_a_fault_of_the_expectation_is_none_of_the_node)
{
    struct case_of c = prepare(slow, slow);
    judge(&c);
    assert_int_equal(c.gate.state, ORR_GATE_FIT);
    finish(&c);
}

TEST(test_missing_and_added_devices)
{
    struct case_of c = prepare(one_cpu, healthy);
    judge(&c);
    assert_int_equal(c.gate.state, ORR_GATE_DEGRADED);
    bool gpu = false, nic = false;
    for (uint32_t i = 0; i < c.gate.counted; i++) {
        gpu |= !strcmp(c.gate.reasons[i].id, "gpu-missing") && c.gate.reasons[i].device_count == 2;
        nic |= !strcmp(c.gate.reasons[i].id, "nic-missing");
    }
    assert_true(gpu && nic);
    finish(&c);
    c = prepare(healthy, one_cpu); /* more than expected is another kind of machine */
    judge(&c);
    assert_int_equal(c.gate.state, ORR_GATE_NOT_COMPARABLE);
    finish(&c);
}

/* A budget that runs out gives an error, or the same answer: never another one. */
TEST(test_limits_never_change_the_answer)
{
    struct case_of c = prepare(slow, healthy);
    judge(&c);
    uint32_t answers = 0, errors = 0;
    for (size_t memory = 1 << 12; memory <= 1 << 26; memory *= 2) {
        struct orr_budget budget = {.memory = memory};
        struct orr_gate gate;
        struct orr_error err = {0};
        orr_budget_begin(&budget);
        ORR_LOCAL_ARENA(arena, 0);
        enum orr_code code = arena ? orr_gate_judge(&c.request, arena, &gate, &err) : ORR_NOMEM;
        code = orr_budget_verdict(&budget, code, &err);
        if (code == ORR_OK)
            assert_string_equal(gate.sentence, c.gate.sentence);
        answers += code == ORR_OK;
        errors += code != ORR_OK;
        orr_budget_end();
    }
    assert_true(answers && errors);
    finish(&c);
}

TEST(test_a_refusal_is_an_answer)
{
    struct orr_gate gate;
    struct orr_error err = {0};
    ORR_LOCAL_ARENA(arena, 0);
    assert_ok(orr_gate_refuse("a\nb", "nobody knows", arena, &gate, &err), &err);
    assert_int_equal(gate.state, ORR_GATE_NOT_COMPARABLE);
    assert_string_equal(gate.sentence, "a b: cannot be judged: nobody knows");
    assert_true(orr_gate_knows("busbw-low") && orr_gate_knows("slow-link") && !orr_gate_knows("slow-lnik"));
}
