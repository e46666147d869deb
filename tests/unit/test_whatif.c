/* SPDX-License-Identifier: Apache-2.0 */
/* What changes between two questions about one dump, and whether the reasons are the right ones. */
#include "engine/base/budget.h"
#include "engine/whatif/changes.h"
#include "tests/support/fixture.h"

#define X86_SAPPHIRE "arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\" affinity=\"ffff\""
#define H100(bus, rank)                                                                                                \
    "<pci busid=\"" bus "\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" link_width=\"16\"><gpu dev=\"" rank       \
    "\" sm=\"90\" rank=\"" rank                                                                                        \
    "\" gdr=\"1\"><nvlink target=\"0000:05:00.0\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>"

/* Four GPUs on NVSwitches and two NICs, on two sockets of Intel's newest kind but one. */
static const char machine[] =
    "<system version=\"1\"><cpu numaid=\"0\" " X86_SAPPHIRE ">" H100("0000:11:00.0", "0") H100("0000:12:00.0", "1")
        NIC("0000:13:00.0", "0", "400000") "</cpu><cpu numaid=\"1\" " X86_SAPPHIRE ">" H100("0000:21:00.0", "2")
            H100("0000:22:00.0", "3") NIC("0000:23:00.0", "1", "400000") "</cpu></system>";
/* Two GPUs below one CPU without NVLink. */
static const char pair[] = "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" GPU("0000:01:00.0", "0", "80", "")
    GPU("0000:02:00.0", "1", "80", "") "</cpu></system>";

struct sides {
    struct orr_dump *dump;
    struct orr_analysis *a, *b;
    struct orr_arena *arena;
    struct orr_changes changes;
};

static struct orr_query question(const char *release, uint32_t hosts, const char *name, const char *value)
{
    struct orr_error err = {0};
    struct orr_query query = {.hosts = hosts};
    assert_non_null(orr_release_find(release));
    orr_settings_init(&query.settings, orr_release_find(release));
    if (name)
        assert_ok(orr_settings_set(&query.settings, name, value, &err), &err);
    return query;
}

static struct sides compare(const char *text, struct orr_query a, struct orr_query b, uint32_t limit)
{
    struct orr_error err = {0};
    struct sides s = {.dump = read_text(text), .arena = orr_arena_new(0)};
    assert_non_null(s.arena);
    assert_ok(orr_analyze(s.dump, &a, NULL, &s.a, &err), &err);
    assert_ok(orr_analyze(s.dump, &b, NULL, &s.b, &err), &err);
    assert_ok(orr_changes_find(s.a, s.b, (struct orr_effort){limit, UINT64_MAX}, s.arena, &s.changes, &err), &err);
    return s;
}

static void release(struct sides *s)
{
    orr_analysis_free(s->a);
    orr_analysis_free(s->b);
    orr_dump_free(s->dump);
    orr_arena_free(s->arena);
}

/* The first change of a kind, NULL if there is none. */
static const struct orr_change *change_of(const struct sides *s, enum orr_fact_kind kind)
{
    for (size_t i = 0; i < s->changes.count; i++)
        if (s->changes.changes[i].kind == kind)
            return &s->changes.changes[i];
    return NULL;
}

static const char *only_reason(const struct sides *s, const struct orr_change *change)
{
    assert_non_null(change);
    assert_true(change->certain);
    assert_int_equal(change->because_count, 1);
    return s->changes.way.steps[change->because[0]].behaviour.name;
}

TEST(the_same_question_has_no_changes)
{
    struct sides s = compare(machine, question("2.27.7", 2, NULL, NULL), question("2.27.7", 2, NULL, NULL), 100);
    assert_int_equal(s.changes.count, 0);
    assert_int_equal(s.changes.changed, 0);
    assert_int_equal(s.changes.way.count, 0);
    assert_true(s.changes.facts > 300);
    assert_int_equal(s.changes.analyses, 0);
    release(&s);
}

/* 2.21.5 takes the CPU for a Skylake (10 GB/s between sockets), 2.27.7 knows it (22 GB/s). */
TEST(a_rule_is_named_with_what_it_changes)
{
    struct sides s = compare(machine, question("2.21.5", 1, NULL, NULL), question("2.27.7", 1, NULL, NULL), 100);
    const struct orr_change *link = change_of(&s, ORR_FACT_LINK);
    assert_string_equal(only_reason(&s, link), "newest_intel");
    assert_float_equal(orr_fact_float(link->a), 10, 0);
    assert_float_equal(orr_fact_float(link->b), 22, 0);
    assert_int_equal(link->count, 2);
    assert_int_equal(link->detail, ORR_LINK_SYS);
    assert_true(s.changes.complete);
    for (size_t i = 0; i < s.changes.count; i++)
        assert_true(s.changes.changes[i].because_count > 0);
    release(&s);
}

TEST(a_setting_is_named_with_what_it_changes)
{
    struct sides s = compare(pair, question("2.27.7", 1, "NCCL_P2P_LEVEL", "SYS"),
                             question("2.27.7", 1, "NCCL_P2P_LEVEL", "PIX"), 100);
    const struct orr_change *p2p = change_of(&s, ORR_FACT_P2P);
    assert_string_equal(only_reason(&s, p2p), "NCCL_P2P_LEVEL");
    assert_int_equal(p2p->count, 2);
    assert_int_equal(p2p->a, 1);
    assert_int_equal(p2p->b, 0);
    assert_int_equal(p2p->rule_a, ORR_RULE_P2P_WITHIN_LEVEL);
    assert_int_equal(p2p->rule_b, ORR_RULE_P2P_BEYOND_LEVEL);
    release(&s);
}

/* Among two settings that differ, the one that does nothing is not blamed. */
TEST(what_has_no_effect_is_not_blamed)
{
    struct orr_error err = {0};
    struct orr_query b = question("2.27.7", 1, "NCCL_P2P_LEVEL", "PIX");
    assert_ok(orr_settings_set(&b.settings, "NCCL_CROSS_NIC", "1", &err), &err);
    struct sides s = compare(pair, question("2.27.7", 1, "NCCL_P2P_LEVEL", "SYS"), b, 100);
    assert_int_equal(s.changes.way.count, 2);
    assert_string_equal(only_reason(&s, change_of(&s, ORR_FACT_P2P)), "NCCL_P2P_LEVEL");
    for (uint32_t step = 0; step < 2; step++)
        if (s.changes.way.steps[step].behaviour.setting == ORR_SET_CROSS_NIC)
            assert_int_equal(s.changes.step_changed[step], 0);
    release(&s);
}

TEST(both_directions_have_the_same_reasons)
{
    struct sides there = compare(machine, question("2.12.12", 2, NULL, NULL), question("2.27.7", 2, NULL, NULL), 100);
    struct sides back = compare(machine, question("2.27.7", 2, NULL, NULL), question("2.12.12", 2, NULL, NULL), 100);
    assert_false(there.changes.way.reversed);
    assert_true(back.changes.way.reversed);
    assert_int_equal(there.changes.changed, back.changes.changed);
    assert_int_equal(there.changes.way.count, back.changes.way.count);
    for (uint32_t step = 0; step < there.changes.way.count; step++)
        assert_int_equal(there.changes.step_changed[step], back.changes.step_changed[step]);
    const struct orr_change *x = change_of(&there, ORR_FACT_CHANNELS), *y = change_of(&back, ORR_FACT_CHANNELS);
    assert_non_null(x);
    assert_non_null(y);
    assert_int_equal(x->a, y->b);
    assert_int_equal(x->b, y->a);
    release(&there);
    release(&back);
}

/* 2.30.7 distinguishes the physical GPU from the rank on it. Users know one device, and its path has not changed. */
TEST(a_rank_and_its_device_are_one)
{
    struct sides s = compare(machine, question("2.27.7", 2, NULL, NULL), question("2.30.7", 2, NULL, NULL), 100);
    assert_true(orr_system_count(&s.b->parts[0].system, ORR_DEV) == 4);
    for (size_t i = 0; i < s.changes.count; i++)
        if (s.changes.changes[i].kind == ORR_FACT_DEVICE)
            for (size_t k = 0; k < s.changes.changes[i].count; k++)
                assert_int_not_equal(s.changes.changes[i].places[k].a >> 27, ORR_DEV);
    const struct orr_change *route = change_of(&s, ORR_FACT_PATH_ROUTE);
    assert_null(route);
    release(&s);
}

TEST(without_analyses_all_steps_are_suspects)
{
    struct sides s = compare(machine, question("2.21.5", 1, NULL, NULL), question("2.27.7", 1, NULL, NULL), 0);
    assert_int_equal(s.changes.analyses, 0);
    assert_false(s.changes.complete);
    assert_true(s.changes.count > 0);
    for (size_t i = 0; i < s.changes.count; i++) {
        assert_false(s.changes.changes[i].certain);
        assert_int_equal(s.changes.changes[i].because_count, s.changes.way.count);
    }
    release(&s);
}

/* All steps taken is the other question: nothing that a release does is missing from the steps. */
static void whole_way_leads_there(const char *from, const char *to, uint32_t hosts)
{
    struct orr_error err = {0};
    struct sides s = compare(machine, question(from, hosts, NULL, NULL), question(to, hosts, NULL, NULL), 0);
    struct orr_mixture mixture;
    ORR_LOCAL(orr_analysis, mixed);
    struct orr_facts expected, facts;
    orr_way_mix(&s.changes.way, s.changes.way.count, &mixture);
    assert_ok(orr_analyze(s.dump, &mixture.query, NULL, &mixed, &err), &err);
    assert_ok(orr_facts_of(s.b, s.arena, &expected, &err), &err);
    assert_ok(orr_facts_of(mixed, s.arena, &facts, &err), &err);
    assert_int_equal(facts.count, expected.count);
    for (size_t i = 0; i < facts.count; i++) {
        assert_int_equal(orr_fact_compare(&facts.rows[i], &expected.rows[i]), 0);
        assert_int_equal(facts.rows[i].value, expected.rows[i].value);
    }
    release(&s);
}

TEST(the_whole_way_leads_to_the_next_release)
{
    uint32_t count;
    const struct orr_release *rows = orr_releases(&count);
    for (uint32_t i = 0; i + 1 < count; i++)
        for (uint32_t hosts = 1; hosts <= 2; hosts++)
            whole_way_leads_there(rows[i].name, rows[i + 1].name, hosts);
}

/* The extremes, and every release with one far from it: what one step changes, a later one may undo. */
TEST(the_whole_way_leads_to_a_distant_release)
{
    uint32_t count;
    const struct orr_release *rows = orr_releases(&count);
    whole_way_leads_there(rows[0].name, rows[count - 1].name, 1);
    whole_way_leads_there(rows[0].name, rows[count - 1].name, 2);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t other = (i * 8 + 5) % count;
        if (other != i)
            whole_way_leads_there(rows[i < other ? i : other].name, rows[i < other ? other : i].name, 1 + i % 2);
    }
}

/* An analysis that is made only to find a cause is reported as such if it is ended. */
TEST(who_ends_it_hears_why_it_was_analysed)
{
    struct orr_error err = {0};
    struct orr_changes again;
    struct orr_budget budget = {0};
    struct sides s = compare(machine, question("2.18.1", 1, NULL, NULL), question("2.27.7", 1, NULL, NULL), 16);
    orr_budget_begin(&budget);
    orr_budget_stop(&budget, ORR_SPENT_CLIENT);
    enum orr_code code = orr_changes_find(s.a, s.b, (struct orr_effort){16, UINT64_MAX}, s.arena, &again, &err);
    orr_budget_end();
    assert_error(
        orr_budget_verdict(&budget, code, &err), ORR_STOPPED, &err,
        "at the stage \"graph of the machine\" while finding the cause of each difference: the client disconnected");
    release(&s);
}
