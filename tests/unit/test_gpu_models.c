/* SPDX-License-Identifier: Apache-2.0 */
/* The table of GPU models: names by whole words, device ids, and one capability for a GPU however Orrery learns of it.
 */
#include <stdio.h>
#include <stdlib.h>

#include "engine/hardware/gpu_models.h"
#include "engine/log_reading/log.h"
#include "engine/log_reading/tree.h"
#include "tests/support/input_fixture.h"

static void assert_named(const char *product, const char *own_name, int32_t sm)
{
    const struct orr_gpu_model *model = orr_gpu_model_of_name(product);
    if (!model || model->sm != sm || !orr_gpu_model_is(model, own_name))
        fail_msg("\"%s\" is %s of capability %d", product, model ? model->names : "unknown", model ? model->sm : 0);
}

TEST(pcie_generation_is_known_before_hopper)
{
    assert_int_equal(orr_gpu_pcie_generation(0), 0);
    assert_int_equal(orr_gpu_pcie_generation(75), 3);
    assert_int_equal(orr_gpu_pcie_generation(80), 4);
    assert_int_equal(orr_gpu_pcie_generation(89), 4);
    assert_int_equal(orr_gpu_pcie_generation(90), 5);
    assert_int_equal(orr_gpu_pcie_generation(103), 0);
}

TEST(people_say_the_last_name_and_cards_may_share_it)
{
    static const struct {
        const char *product, *said;
        bool card;
    } cases[] = {{"NVIDIA H100 80GB HBM3", "H100", true},
                 {"NVIDIA A100-SXM4-80GB", "A100", true},
                 {"NVIDIA H200", "H200", true},
                 {"NVIDIA B300 SXM6", "B300", false},
                 {"NVIDIA H20", "H20", false},
                 {"NVIDIA GH200 480GB", "GH200", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct orr_gpu_model *model = orr_gpu_model_of_name(cases[i].product);
        assert_non_null(model);
        assert_string_equal(orr_gpu_model_said(model), cases[i].said);
        assert_int_equal(orr_gpu_model_has_card(model), cases[i].card);
    }
}

TEST(names_match_by_whole_words_and_the_most_words_win)
{
    static const struct {
        const char *product, *model;
        int32_t sm;
    } cases[] = {
        {"NVIDIA RTX A1000", "RTX A1000", 86},
        {"NVIDIA A100-SXM4-80GB", "A100 SXM4", 80},
        {"NVIDIA A100 80GB PCIe", "A100 PCIe", 80},
        {"NVIDIA A100-PCIE-40GB", "A100 PCIe", 80},
        {"A10", "A10", 86},
        {"NVIDIA H100 80GB HBM3", "H100 SXM5", 90},
        {"NVIDIA H100 PCIe", "H100 PCIe", 90},
        {"NVIDIA GH200 480GB", "GH200", 90},
        {"NVIDIA GH200 144G HBM3e", "GH200 144G", 90},
        {"Tesla V100-SXM3-32GB-H", "V100 SXM3", 70},
        {"nvidia geforce rtx 4090", "RTX 4090", 89},
        {"NVIDIA GeForce RTX 4090 Laptop GPU", "RTX 4090", 89},
        {"NVIDIA GeForce RTX 3050 A Laptop GPU", "RTX 3050 A", 89},
        {"NVIDIA RTX 6000 Ada Generation", "RTX 6000 Ada", 89},
        {"NVIDIA RTX PRO 6000 Blackwell Server Edition", "RTX PRO 6000", 120},
        {"Quadro RTX 6000", "Quadro RTX 8000", 75},
        {"NVIDIA GeForce GTX TITAN X", "GTX TITAN X", 52},
        {"NVIDIA TITAN X (Pascal)", "TITAN X", 61},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_named(cases[i].product, cases[i].model, cases[i].sm);
    static const char *const unknown[] = {
        "", "NVIDIA", "NVIDIA A1001", "A 100", "XRTX 4090", "AMD Instinct MI300X", "RTX 6000"};
    for (size_t i = 0; i < sizeof unknown / sizeof unknown[0]; i++)
        assert_null(orr_gpu_model_of_name(unknown[i]));
}

TEST(device_ids_name_one_model_each)
{
    for (size_t i = 0; orr_gpu_model(i); i++) {
        const struct orr_gpu_model *model = orr_gpu_model(i);
        assert_true(model->sm >= 30 && *model->names && *model->source);
        assert_true((model->nvlink > 0) == (model->nvlinks > 0) || model->nvlinks < 0);
        for (size_t k = 0; k < ORR_GPU_MODEL_IDS && model->ids[k].device; k++)
            assert_ptr_equal(orr_gpu_model_of_device(model->ids[k].device), model);
    }
    /* The GPUs that detection without NVML did not know. */
    assert_int_equal(orr_gpu_sm_of_device(0x2684), 89);  /* RTX 4090 */
    assert_int_equal(orr_gpu_sm_of_device(0x2b85), 120); /* RTX 5090 */
    assert_int_equal(orr_gpu_sm_of_device(0x3182), 103); /* B300 */
    assert_int_equal(orr_gpu_sm_of_device(0x2204), 86);  /* RTX 3090 */
    assert_int_equal(orr_gpu_sm_of_device(0x1b38), 61);  /* P40 */
    assert_int_equal(orr_gpu_sm_of_device(0), 0);
    assert_int_equal(orr_gpu_sm_of_device(0xffee), 0);
    assert_int_equal(orr_gpu_sm_of_device(0x12330), 0);
}

TEST(every_name_of_a_row_finds_the_row)
{
    for (size_t i = 0; orr_gpu_model(i); i++)
        for (const char *name = orr_gpu_model(i)->names; *name; name += strspn(name, "|")) {
            char alone[64];
            snprintf(alone, sizeof alone, "%.*s", (int)strcspn(name, "|"), name);
            if (orr_gpu_model_of_name(alone) != orr_gpu_model(i))
                fail_msg("\"%s\" is also a name of another row", alone);
            name += strlen(alone);
        }
}

TEST(machine_types_have_GPUs_of_the_table)
{
    const struct orr_machine_type *type;
    for (size_t i = 0; (type = orr_machine_type(i)); i++)
        if (!orr_board_model(type->board))
            fail_msg("%s: the table of GPU models has no %s", type->name, type->board->gpu);
}

/* A log and a matrix of the same GPU. */
TEST(logs_and_matrices_of_a_GPU_agree_on_its_capability)
{
    static const struct {
        const char *product, *sm;
    } cases[] = {{"NVIDIA GeForce RTX 5090", "120"},
                 {"NVIDIA RTX PRO 6000 Blackwell Workstation Edition", "120"},
                 {"NVIDIA GB10", "121"},
                 {"NVIDIA A16", "86"},
                 {"NVIDIA RTX A1000", "86"}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[512];
        struct orr_error err = {0};
        struct orr_log *log = NULL;
        snprintf(text, sizeof text,
                 "#  Rank  0 Group  0 Pid   1375 on       host device  0 [0000:41:00] %s\n"
                 "host:1375:1380 [0] NCCL INFO comm 0x1 rank 0 nRanks 1 nNodes 1 localRanks 1 localRank 0 MNNVL 0\n",
                 cases[i].product);
        assert_ok(orr_log_read(text, strlen(text), NULL, &log, &err), &err);
        assert_int_equal(orr_log_capability(log), strtol(cases[i].sm, NULL, 10));
        orr_log_free(log);
        snprintf(text, sizeof text, "\tGPU0\tGPU1\nGPU0\t X \tPHB\nGPU1\tPHB\t X \n\nGPU 0: %s (UUID: GPU-1)\n",
                 cases[i].product);
        struct orr_dump *dump = read_as(text, NULL);
        assert_string_equal(attr(dump, ORR_ELEMENT_GPU, 0, ORR_ATTR_SM), cases[i].sm);
        orr_dump_free(dump);
    }
}

/* Whether P2P is offered is never a guess: the source of such a row names a report, or says what it infers it from. */
TEST(p2p_has_a_source)
{
    const struct orr_gpu_model *model;
    for (size_t i = 0; (model = orr_gpu_model(i)); i++) {
        assert_non_null(model->source);
        assert_true(model->source[0] != '\0');
        if (model->p2p != ORR_UNKNOWN)
            assert_true(strchr(model->source, '#') || strstr(model->source, "P2P"));
    }
    assert_int_equal(orr_gpu_model_of_name("NVIDIA GeForce RTX 5090")->p2p, ORR_NO);
    assert_int_equal(orr_gpu_model_of_name("NVIDIA L20")->p2p, ORR_YES);
    assert_int_equal(orr_gpu_model_of_name("NVIDIA L2")->p2p, ORR_UNKNOWN);
    assert_int_equal(orr_gpu_model_of_name("Tesla V100-PCIE-32GB")->p2p, ORR_YES);
}
