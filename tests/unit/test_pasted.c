/* SPDX-License-Identifier: Apache-2.0 */
/* Settings beside a machine act like settings of the question, which come first. */
#include "engine/analysis/pasted.h"

#include "engine/dump/notes.h"
#include "tests/support/four_gpus.h"
#include "tests/support/orr_test.h"

static struct orr_dump *dump;
static struct orr_settings settings;
static struct orr_error err;

void before_each(void)
{
    dump = read_text(MACHINE);
    err = (struct orr_error){0};
    orr_settings_init(&settings, orr_release_find("2.27.7"));
}

void after_each(void)
{
    orr_dump_free(dump);
}

static void assert_value(enum orr_setting setting, const char *text)
{
    if (text)
        assert_string_equal(orr_setting_text(&settings, setting), text);
    else
        assert_null(orr_setting_text(&settings, setting));
}

TEST(a_setting_beside_the_machine_acts)
{
    assert_true(orr_pasted_take(dump, "NCCL_ALGO", "Tree", &settings));
    assert_value(ORR_SET_ALGO, "Tree");
    assert_true(orr_pasted_take(NULL, "NCCL_P2P_LEVEL", "SYS", &settings));
    assert_int_equal(orr_setting_int(&settings, ORR_SET_P2P_LEVEL), ORR_PATH_SYS);
}

TEST(the_question_comes_first)
{
    assert_ok(orr_settings_set(&settings, "NCCL_ALGO", "Ring", &err), &err);
    assert_false(orr_pasted_take(dump, "NCCL_ALGO", "Tree", &settings));
    assert_value(ORR_SET_ALGO, "Ring");
    /* An empty value turns a setting of the text off; NCCL's default holds. */
    assert_ok(orr_settings_set(&settings, "NCCL_P2P_DISABLE", "", &err), &err);
    assert_false(orr_pasted_take(dump, "NCCL_P2P_DISABLE", "1", &settings));
    assert_value(ORR_SET_P2P_DISABLE, NULL);
    assert_int_equal(orr_setting_int(&settings, ORR_SET_P2P_DISABLE), 0);
    /* The same question to another release keeps that. */
    struct orr_settings other;
    assert_ok(orr_settings_for(&other, orr_release_find("2.21.5"), &settings, &err), &err);
    assert_false(orr_pasted_take(dump, "NCCL_P2P_DISABLE", "1", &other));
}

TEST(settings_without_a_meaning_here_are_left_out)
{
    const struct orr_settings before = settings;
    assert_false(orr_pasted_take(dump, "NCCL_NO_SUCH_SETTING", "1", &settings));
    assert_false(orr_pasted_take(dump, "NCCL_P2P_LEVEL", "-5", &settings) &&
                 orr_setting_int(&settings, ORR_SET_P2P_LEVEL) != orr_setting_int(&before, ORR_SET_P2P_LEVEL));
    orr_settings_init(&settings, orr_release_find("2.7.8"));
    assert_false(orr_pasted_take(dump, "NCCL_NVLS_ENABLE", "0", &settings)); /* the release does not have it */
    assert_value(ORR_SET_NVLS_ENABLE, NULL);
}

/* The names of NICs may be those of another machine than the one that was described. */
TEST(names_of_nics_count_if_the_machine_has_them)
{
    assert_true(orr_pasted_take(dump, "NCCL_IB_HCA", "mlx5_1", &settings));
    assert_value(ORR_SET_IB_HCA, "mlx5_1");
    orr_settings_init(&settings, orr_release_find("2.27.7"));
    assert_false(orr_pasted_take(dump, "NCCL_IB_HCA", "bnxt_re0", &settings));
    assert_false(orr_pasted_take(NULL, "NCCL_IB_HCA", "mlx5_1", &settings)); /* no machine is known */
    assert_value(ORR_SET_IB_HCA, NULL);
}

TEST(those_of_a_text_are_taken_once)
{
    static const struct orr_pasted_setting pasted[] = {{"NCCL_ALGO", "Tree", 3}, {"NCCL_P2P_DISABLE", "1", 4}};
    struct orr_dump_notes notes = {.settings = pasted, .setting_count = 2};
    const struct orr_dump_notes *before = dump->notes;
    dump->notes = &notes;
    orr_pasted_take_all(dump, &settings);
    assert_value(ORR_SET_ALGO, "Tree");
    assert_value(ORR_SET_P2P_DISABLE, "1");
    assert_true(settings.pasted);
    /* A trial without one of them does not get it back. */
    assert_ok(orr_settings_set(&settings, "NCCL_ALGO", "", &err), &err);
    orr_pasted_take_all(dump, &settings);
    assert_value(ORR_SET_ALGO, NULL);
    dump->notes = before;
}
