/* SPDX-License-Identifier: Apache-2.0 */
/* Trials: the table of hypotheses, variants of a question, and what trials may cost. */
#include <string.h>

#include "engine/cluster/again.h"
#include "engine/trials/hypotheses.h"
#include "tests/support/four_gpus.h"

static const struct orr_hypothesis *find(const char *id, const char *setting)
{
    const struct orr_hypothesis *row = NULL;
    while ((row = orr_hypothesis_next(ORR_ASKED_LOG, row)))
        if (!strcmp(row->id, id) && (!setting || !strcmp(row->setting, setting)))
            return row;
    fail_msg("no hypothesis %s", id);
    return NULL;
}

/* Every hypothesis can answer every question: once, in its turn, and those without a turn last. */
TEST(each_hypothesis_is_tried_once)
{
    uint32_t counts[ORR_ASKED_COUNT] = {0};
    for (int asked = 0; asked < ORR_ASKED_COUNT; asked++) {
        const struct orr_hypothesis *row = NULL, *last = NULL;
        while ((row = orr_hypothesis_next((enum orr_asked)asked, row))) {
            uint8_t turn = row->turn[asked], before = last ? last->turn[asked] : 1;
            counts[asked]++;
            assert_true(turn ? before && turn >= before : true);
            assert_true(row->id && row->what && row->confirm && row->log.id && row->log.what && *row->log.why &&
                        *row->log.advice);
            assert_true(!row->setting != !row->edit);
            assert_true(row->turn[ORR_ASKED_LOG] || row->turn[ORR_ASKED_RESULTS]);
            last = row;
        }
    }
    assert_true(counts[0] > 50 && counts[0] == counts[1]);
}

TEST(a_setting_needs_no_copy_of_the_machine)
{
    struct orr_error err = {0};
    FIXTURE f = analyse_text(MACHINE, 2, NULL);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_variant variant;
    const struct orr_dump *dump;
    orr_variant_init(&variant, f.analysis, NULL, NULL, arena);
    assert_true(orr_hypothesis_apply(find("p2p-level", "NCCL_P2P_LEVEL=PIX"), 0, &variant));
    assert_true(variant.changed && !variant.machine_changed && !variant.nodes);
    assert_string_equal(orr_setting_text(&variant.query.settings, ORR_SET_P2P_LEVEL), "PIX");
    assert_ok(orr_variant_dump(&variant, &dump, &err), &err);
    assert_ptr_equal(dump, f.analysis->given);
}

TEST(what_the_job_was_given_is_known)
{
    const char *given[] = {"NCCL_P2P_LEVEL", "SYS", NULL};
    FIXTURE f = analyse_text(MACHINE, 2, given);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_variant variant;
    orr_variant_init(&variant, f.analysis, NULL, NULL, arena);
    assert_true(orr_hypothesis_apply(find("p2p-level", "NCCL_P2P_LEVEL=PIX"), 0, &variant));
    assert_false(variant.changed);
    orr_variant_setting(&variant, ORR_SET_P2P_LEVEL, ""); /* a repair may reset it */
    assert_true(variant.changed && !orr_setting_text(&variant.query.settings, ORR_SET_P2P_LEVEL));
}

TEST(a_change_of_the_machine_leaves_the_given_one)
{
    struct orr_error err = {0}, refused;
    FIXTURE f = analyse_text(MACHINE, 2, NULL);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_trials trials = {.left = {.analyses = 2, .steps = 1000000}};
    struct orr_variant variant;
    struct orr_analysis *answer;
    orr_variant_init(&variant, f.analysis, NULL, NULL, arena);
    assert_true(orr_hypothesis_apply(find("half-nvlinks", NULL), 2, &variant));
    assert_true(variant.machine_changed);
    assert_ok(orr_variant_analyze(&trials, &variant, &answer, &refused, &err), &err);
    assert_non_null(answer);
    for (int kind = 0; kind < 2; kind++) {
        const struct orr_dump *dump = kind ? answer->given : f.analysis->given;
        for (uint32_t e = 0; e < dump->element_count; e++)
            if (dump->elements[e].kind == ORR_ELEMENT_NVLINK)
                assert_int_equal(orr_element_int(dump, e, ORR_ATTR_COUNT_, 0), kind ? 9 : 18);
    }
    assert_true(trials.made == 1 && trials.left.analyses == 1);
    orr_analysis_again_free(answer);
}

/* A line of the input refutes a hypothesis, or proves it whatever else is shown. */
TEST(lines_refute_and_prove)
{
    FIXTURE f = analyse_text(MACHINE, 2, NULL);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_variant variant;
    struct orr_observed seen = {.shown = 1u << ORR_SHOWS_OTHER_NETWORK};
    const struct orr_hypothesis *tcp = find("tcp", NULL);
    orr_variant_init(&variant, f.analysis, NULL, &seen, arena);
    assert_false(orr_hypothesis_apply(tcp, tcp->amount, &variant));
    seen.shown |= 1u << ORR_SHOWS_SOCKETS;
    assert_true(orr_hypothesis_apply(tcp, tcp->amount, &variant) && variant.changed);
    seen.shown = 1u << ORR_SHOWS_P2P_USED;
    assert_false(orr_hypothesis_apply(find("no-p2p", NULL), 0, &variant));
}

/* NCCL sees nothing of ACS unless the driver refuses P2P because of it. */
TEST(acs_changes_decisions_only_where_p2p_is_refused)
{
    FIXTURE f = analyse_text(MACHINE, 2, NULL);
    for (int refused = 0; refused < 2; refused++) {
        ORR_LOCAL_ARENA(arena, 0);
        struct orr_variant variant;
        struct orr_observed seen = {.shown = refused ? 1u << ORR_SHOWS_P2P_REFUSED : 0};
        orr_variant_init(&variant, f.analysis, NULL, &seen, arena);
        assert_true(orr_hypothesis_apply(find("acs", NULL), 0, &variant));
        assert_true(variant.acs && variant.changed == refused);
    }
}

/* Which one of equal GPUs lost its links matters only to what names devices. */
TEST(one_of_equal_gpus)
{
    FIXTURE f = analyse_text(MACHINE, 2, NULL);
    for (int by_device = 0; by_device < 2; by_device++) {
        ORR_LOCAL_ARENA(arena, 0);
        struct orr_variant variant;
        struct orr_observed seen = {.by_device = by_device};
        orr_variant_init(&variant, f.analysis, NULL, &seen, arena);
        assert_true(orr_hypothesis_apply(find("half-nvlinks-one", NULL), 3, &variant));
        assert_int_equal(variant.changed, by_device);
        assert_true(!by_device || strstr(variant.what, "half of the NVLinks of GPU"));
    }
}

TEST(a_question_without_an_answer_says_why)
{
    struct orr_error err = {0}, refused;
    FIXTURE f = analyse_text(MACHINE, 2, NULL);
    struct orr_trials trials = {.left = {.analyses = 1, .steps = 1}};
    struct orr_query query = f.analysis->query;
    struct orr_analysis *answer;
    query.hosts = ORR_MAX_HOSTS + 1;
    assert_true(orr_trials_may_go_on(&trials));
    assert_ok(orr_trials_analyze(&trials, f.analysis, NULL, &query, &answer, &refused, &err), &err);
    assert_null(answer);
    assert_true(*refused.text && !orr_trials_may_go_on(&trials));
}
