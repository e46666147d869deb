/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of GPUs on a machine where NCCL would fail on some of them. */
#include "engine/place/place.h"

#include "engine/place/bits.h"
#include "engine/release/release.h"
#include "tests/support/fixture.h"

#define BRIDGE(busid, more)                                                                                            \
    "<pci busid=\"0000:" busid ":00.0\" class=\"0x060400\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\" " more ">"
#define BROADCOM "vendor=\"0x1000\" device=\"0xc030\" subsystem_vendor=\"0x1000\""
#define GPU_AT(busid, rank)                                                                                            \
    "<pci busid=\"0000:" busid ":00.0\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" link_width=\"16\">"           \
    "<gpu dev=\"" rank "\" sm=\"70\" rank=\"" rank "\" gdr=\"1\"/></pci>"

/* Two levels of Broadcom switches, which NCCL merges; one bridge has no subsystem_device. */
static const char machine[] =
    "<system version=\"1\"><cpu numaid=\"0\" arch=\"x86_64\" vendor=\"AuthenticAMD\" familyid=\"23\" modelid=\"49\">" //
    BRIDGE("10", BROADCOM " subsystem_device=\"0x1044\"")                                                             //
    BRIDGE("11", BROADCOM " subsystem_device=\"0x1044\"")                                                             //
    BRIDGE("14", BROADCOM " subsystem_device=\"0x1044\"") GPU_AT("21", "0") "</pci>"                                  //
    BRIDGE("15", BROADCOM) GPU_AT("22", "1") "</pci></pci></pci>"                                                     //
    BRIDGE("17", "") GPU_AT("24", "2") "</pci></cpu></system>";

TEST(sets_that_cannot_be_analysed_have_no_bandwidth)
{
    struct orr_error err = {0};
    struct orr_score_question question = {.test = ORR_TEST_ALL_REDUCE, .size = UINT64_C(1) << 30};
    ORR_OWNED(orr_dump) *dump = read_text(machine);
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_scores *scores;
    struct orr_placing *placing;
    struct orr_score score;
    orr_settings_init(&question.settings, orr_release_find("2.27.7"));
    assert_ok(orr_place_hosts_read("1", &question, &err), &err);
    assert_ok(orr_scores_new(dump, &question, &scores, &err), &err);
    const struct orr_place_request any = {.count = 2, .free = orr_first_subset(3), .top = 5};
    assert_ok(orr_place(scores, &any, arena, &placing, &err), &err);
    assert_true(placing->exact && placing->scored == 3 && placing->best[0].score.busbw > 0);
    assert_ok(orr_scores_of(scores, orr_first_subset(2), &score, &err), &err);
    assert_true(score.busbw <= 0 && score.missing == 1);
    const struct orr_place_request only = {.count = 2, .free = orr_first_subset(2), .top = 5};
    assert_int_equal(orr_place(scores, &only, arena, &placing, &err), ORR_INVALID);
    assert_non_null(strstr(err.text, "but there is no link back"));
    orr_scores_free(scores);
}
