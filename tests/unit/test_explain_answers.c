/* SPDX-License-Identifier: Apache-2.0 */
/* What holds for explanations of every kind: effort, errors, rows, assumptions, advice, and what is called measured. */
#include "engine/release/release_names.h"
#include "engine/report/answers_text.h"
#include "tests/support/explaining.h"

TEST(the_effort_is_bounded)
{
    const struct orr_why why = {.kind = ORR_WHY_GRAPH};
    struct answered none = ask_in("2.30.7", rails, 2, NULL, why, 0), two = ask_in("2.30.7", rails, 2, NULL, why, 2);
    assert_int_equal(none.x->what_if_count, 0);
    assert_int_equal(none.x->not_tried, 0);
    assert_int_equal(two.x->what_if_count, 2);
    assert_true(two.x->not_tried > 0);
    forget(&none);
    forget(&two);
}
TEST(wrong_questions_are_clear_errors)
{
    static const struct {
        struct orr_why why;
        enum orr_code code;
        const char *says;
    } cases[] = {
        {{.kind = ORR_WHY_P2P, .from = "0"}, ORR_SETTING, "from and to"},
        {{.kind = ORR_WHY_P2P, .from = "0", .to = "9"}, ORR_NOT_FOUND, "no device"},
        {{.kind = ORR_WHY_P2P, .from = "0", .to = "NET/0-0"}, ORR_NOT_FOUND, "two GPUs"},
        {{.kind = ORR_WHY_GDR, .from = "0", .to = "1"}, ORR_NOT_FOUND, "a GPU and a NIC"},
        {{.kind = ORR_WHY_PATH, .from = "PCI/0-10000", .to = "1"}, ORR_NOT_FOUND, "NCCL keeps no paths"},
        {{.kind = ORR_WHY_NIC}, ORR_SETTING, "a rank"},
        {{.kind = ORR_WHY_ALGORITHM}, ORR_SETTING, "bytes"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct answered t = ask_in("2.30.7", rails, 2, NULL, cases[i].why, 4);
        assert_null(t.x);
        assert_int_equal(t.err.code, cases[i].code);
        assert_non_null(strstr(t.err.text, cases[i].says));
        forget(&t);
    }
}
/* Whatever release and machine: a question is refused, or has an answer with a rule and text for people. */
TEST(every_kind_in_every_release)
{
    static const char *const machines[] = {apart, rails, no_gdr, hopper, ampere};
    uint32_t count, answered = 0;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t r = 0; r < count; r++)
        for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
            for (int kind = 0; kind < ORR_WHY_COUNT; kind++) {
                bool net = (kind == ORR_WHY_GDR || kind == ORR_WHY_PXN);
                struct orr_why why = {.kind = (enum orr_why_kind)kind, .from = "0", .bytes = 1 << 20};
                why.to = net ? "NET/0-0" : "1";
                struct answered t = ask_in(releases[r].name, machines[m], 2, NULL, why, 3);
                if (t.x) {
                    struct orr_text text;
                    answered++;
                    assert_true(t.x->rule[0] && t.x->rule_id[0] && t.x->verdict[0] && t.x->answer[0]);
                    assert_true(t.x->rests_count > 0);
                    orr_text_init(&text, 1 << 16);
                    orr_report_explanation(&(struct orr_page){.text = &text, .width = 80}, t.x, false);
                    assert_false(orr_text_failed(&text));
                    assert_non_null(strstr(text.data, t.x->rule_id));
                    orr_text_release(&text);
                } else {
                    assert_true(t.err.text[0] && t.err.advice[0]);
                }
                forget(&t);
            }
    assert_true(answered > 100);
}
/* The table of kinds names fields of releases that there are. */
TEST(rows_rest_on_what_there_is)
{
    for (int kind = 0; kind < ORR_WHY_COUNT; kind++)
        for (int i = 0; i < 4 && orr_kind_rows[kind].rests[i]; i++) {
            bool found = false;
            for (uint32_t b = 0; b < orr_behaviour_count(); b++) {
                struct orr_behaviour row;
                orr_behaviour_get(b, &row);
                found = found || !strcmp(row.name, orr_kind_rows[kind].rests[i]);
            }
            if (!found)
                fail_msg("there is no behaviour %s", orr_kind_rows[kind].rests[i]);
        }
}
/* PXN came with 2.12.12; the rule of 2.27.7 is not that of 2.12.12. */
TEST(rules_say_since_when)
{
    const struct orr_why why = {.kind = ORR_WHY_PXN, .from = "0", .to = "NET/0-1"};
    struct answered t = ask_in("2.12.12", rails, 2, NULL, why, 1);
    uint32_t found = 0;
    for (uint32_t i = 0; i < t.x->rests_count; i++)
        if (!strcmp(t.x->rests[i].name, "pxn")) {
            found++;
            assert_string_equal(t.x->rests[i].since, "2.12.12");
        }
    assert_int_equal(found, 1);
    forget(&t);
    t = ask_in("2.30.7", hopper, 1, NULL, (struct orr_why){.kind = ORR_WHY_GRAPH}, 1);
    for (uint32_t i = 0; i < t.x->rests_count; i++)
        if (!strcmp(t.x->rests[i].name, "steps_all")) {
            found++;
            assert_string_equal(t.x->rests[i].since, "2.19.3"); /* 327680 in 2.18.5 */
        }
    assert_int_equal(found, 2);
    forget(&t);
}
TEST(assumptions_are_said)
{
    struct answered t = ask(hopper, 1, (struct orr_why){.kind = ORR_WHY_NVLS});
    const struct orr_assumption *row;
    bool works = false, p2p = false;
    for (unsigned i = 0; (row = orr_assumption(i)); i++)
        if (t.x->assumes >> i & 1) {
            works = works || !strcmp(row->id, "nvls-works");
            p2p = p2p || !strcmp(row->id, "nvml-p2p-ok");
        }
    assert_true(works);
    assert_false(p2p);
    forget(&t);
}
/* A new row of the release table, of which no case was compared: every answer says so, and it is not the default. */
TEST(a_release_that_was_not_compared_says_so)
{
    static const char says[] = "not compared with NCCL's own results";
    const struct orr_why why = {.kind = ORR_WHY_NVLS};
    struct answered t = ask(hopper, 1, why);
    struct orr_release rough = *t.f.analysis->query.settings.release;
    char caveat[ORR_CAVEAT_SIZE];
    struct orr_explanation *explanation = NULL;
    ORR_LOCAL_TEXT(text, 1 << 16);
    assert_true(orr_settings_verified(&t.f.analysis->query.settings));
    assert_string_equal(orr_settings_caveat(&t.f.analysis->query.settings, caveat), "");
    rough.compared = false;
    t.f.analysis->query.settings.release = &rough;
    assert_false(orr_settings_verified(&t.f.analysis->query.settings));
    assert_non_null(strstr(orr_settings_caveat(&t.f.analysis->query.settings, caveat), "has not been compared"));
    assert_int_equal(orr_explain(t.f.analysis, &why, (struct orr_effort){0}, &explanation, NULL), ORR_OK);
    orr_report_explanation(&(struct orr_page){.text = &text, .width = 120}, explanation, false);
    assert_non_null(strstr(orr_text_data(&text), says));
    assert_non_null(strstr(orr_text_data(&text), "The rules of this release come from reading its source."));
    orr_explanation_free(explanation);
    forget(&t);
}
/* An analysis that is made only for another setting is reported as such if it is ended. */
TEST(who_ends_it_hears_why_it_was_analysed)
{
    const struct orr_why why = {.kind = ORR_WHY_GRAPH};
    struct orr_budget budget = {0};
    struct orr_error err = {0};
    struct orr_explanation *explanation = NULL;
    FIXTURE f = analyse_in("2.30.7", rails, 2, NULL);
    orr_budget_begin(&budget);
    orr_budget_stop(&budget, ORR_SPENT_CLIENT);
    enum orr_code code = orr_explain(f.analysis, &why, (struct orr_effort){4, UINT64_MAX}, &explanation, &err);
    orr_budget_end();
    assert_error(orr_budget_verdict(&budget, code, &err), ORR_STOPPED, &err,
                 "while trying settings for the explanation: the client disconnected");
    if (code == ORR_OK)
        orr_explanation_free(explanation);
}
TEST(a_setting_that_helps_is_advised)
{
    struct answered t = ask(apart, 1, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "1"});
    assert_string_equal(t.x->advice, "With NCCL_P2P_LEVEL=SYS the answer would be: yes.");
    assert_non_null(strstr(t.x->answer, "No: rank 0 "));
    assert_non_null(strstr(t.x->answer, "longer than the P2P level PXB (default of NCCL_P2P_LEVEL in NCCL 2.30.7)"));
    forget(&t);
    t = ask(ampere, 1, (struct orr_why){.kind = ORR_WHY_NVLS});
    assert_string_equal(t.x->advice, "None of the settings that Orrery tried changes this.");
    forget(&t);
    t = ask(hopper, 1, (struct orr_why){.kind = ORR_WHY_NVLS}); /* it is on: nothing to advise */
    assert_null(t.x->advice);
    forget(&t);
    static const char *const off[] = {"NCCL_P2P_DISABLE", "1", NULL};
    t = ask_in("2.30.7", ampere, 1, off, (struct orr_why){.kind = ORR_WHY_GRAPH}, 32);
    assert_non_null(strstr(t.x->advice, "With the default of NCCL_P2P_DISABLE it would have "));
    forget(&t);
    t = ask_in("2.30.7", apart, 1, NULL, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "1"}, 0);
    assert_null(t.x->advice); /* nothing was tried */
    forget(&t);
}
/* A dump whose reader assumed attributes, as engine/input marks them. */
TEST(assumed_values_are_not_called_measured)
{
    static const struct orr_why why = {.kind = ORR_WHY_GDR, .from = "0", .to = "NET/0-0"};
    struct answered t = ask(rails, 2, why);
    assert_string_equal(compared(&t, "gdr of the NIC")->from.text, "measured in the dump");
    assert_int_equal(compared(&t, "path type by hardware")->from.origin, ORR_FROM_DUMP);
    assert_null(strstr(t.x->answer, "assumed"));
    struct orr_dump dump = *t.f.analysis->dump;
    struct orr_analysis changed = *t.f.analysis;
    struct orr_explanation *x;
    struct orr_error error = {0};
    static const struct orr_assumed speed = {"each NIC port runs at 200 Gb/s", "", ORR_TOUCHES_GDR};
    static const struct orr_dump_notes notes = {
        .kind = "hwloc", .assumed = &speed, .assumed_count = 1, .machine_type = "some-type"};
    changed.dump = &dump;
    dump.notes = &notes;
    dump.assumed[ORR_ELEMENT_NET] = UINT64_C(1) << ORR_ATTR_GDR | UINT64_C(1) << ORR_ATTR_SPEED;
    assert_ok(orr_explain(&changed, &why, (struct orr_effort){0}, &x, &error), &error);
    orr_explanation_free(t.x);
    t.x = x;
    assert_string_equal(compared(&t, "gdr of the NIC")->from.text, "assumed from the machine type some-type");
    assert_int_equal(compared(&t, "gdr of the GPU")->from.origin, ORR_FROM_DUMP);
    assert_string_equal(compared(&t, "gdr of the GPU")->from.text, "read from the input");
    assert_int_equal(compared(&t, "path type by hardware")->from.origin, ORR_FROM_PART_ASSUMED);
    assert_non_null(strstr(x->answer, "Some values of the machine are assumed from the machine type some-type"));
    assert_int_equal(x->rests_on_count, 1);
    forget(&t);
}
/* That there are no NVSwitches is read from NVLinks; without NVLinks the input lists none, or none were assumed. */
TEST(the_absence_of_nvswitches_is_not_called_measured)
{
    static const struct orr_why why = {.kind = ORR_WHY_NVLS};
    struct answered t = ask(no_gdr, 1, why);
    assert_string_equal(compared(&t, "NVSwitches found")->text, "no");
    assert_string_equal(compared(&t, "NVSwitches found")->from.text, "the dump lists no NVLinks");
    struct orr_dump dump = *t.f.analysis->dump;
    struct orr_analysis changed = *t.f.analysis;
    struct orr_error error = {0};
    changed.dump = &dump;
    dump.assumed[ORR_ELEMENT_NVLINK] = UINT64_C(1) << ORR_ATTR_TCLASS;
    orr_explanation_free(t.x);
    assert_ok(orr_explain(&changed, &why, (struct orr_effort){0}, &t.x, &error), &error);
    assert_string_equal(compared(&t, "NVSwitches found")->from.text, "assumed");
    assert_int_equal(compared(&t, "NVSwitches found")->from.origin, ORR_FROM_ASSUMED);
    forget(&t);
    t = ask(hopper, 1, why);
    assert_string_equal(compared(&t, "NVSwitches found")->from.text, "measured in the dump");
    forget(&t);
}
TEST(maintainers_detail_needs_verbose)
{
    struct answered t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_GRAPH});
    static const char *const details[] = {
        "steps_all: ", "steps taken: ", "change in total: ", "first bandwidth tried: "};
    for (int verbose = 0; verbose < 2; verbose++) {
        struct orr_text text;
        orr_text_init(&text, 1 << 16);
        orr_report_explanation(&(struct orr_page){.text = &text, .width = 80}, t.x, verbose);
        assert_false(orr_text_failed(&text));
        for (size_t i = 0; i < sizeof details / sizeof details[0]; i++)
            assert_int_equal(strstr(text.data, details[i]) != NULL, verbose);
        orr_text_release(&text);
    }
    forget(&t);
}
/* Releases differ in what becomes of it. */
TEST(a_window_without_symmetric_memory)
{
    static const char *const off[] = {"NCCL_WIN_ENABLE", "0", NULL};
    static const struct {
        const char *release, *becomes;
    } rows[] = {{"2.28.9", "is an ordinary registration"}, {"2.29.2", "is NULL"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct answered t =
            ask_in(rows[i].release, hopper, 1, off, (struct orr_why){.kind = ORR_WHY_SYMMETRIC, .bytes = 1 << 20}, 16);
        assert_string_equal(compared(&t, "a window that is registered all the same")->text, rows[i].becomes);
        assert_string_equal(t.x->advice, "With the default of NCCL_WIN_ENABLE the answer would be: yes, if windows are "
                                         "registered.");
        forget(&t);
    }
}
