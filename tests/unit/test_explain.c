/* SPDX-License-Identifier: Apache-2.0 */
/* Each kind of decision explained on machines of ours: the rule, the limiting link, and settings that change it or
 * leave it; what is computed here is compared with whole analyses of real dumps by tests/golden/explained.py. */
#include "tests/support/explaining.h"

TEST(p2p_beyond_the_level)
{
    struct answered t = ask(apart, 1, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "rank:1"});
    assert_string_equal(t.x->verdict, "no");
    assert_string_equal(t.x->rule_id, "P2P_BEYOND_LEVEL");
    assert_string_equal(compared(&t, "path type by hardware")->text, "SYS");
    assert_string_equal(compared(&t, "P2P level")->text, "PXB");
    assert_string_equal(t.x->limit.type, "SYS");
    assert_changes(&t, "NCCL_P2P_LEVEL", "SYS", "yes");
    assert_stays(&t, "NCCL_P2P_DISABLE", "1");
    assert_null(what_if(&t, "NCCL_P2P_DISABLE", "0")); /* in force already */
    forget(&t);
}
TEST(a_given_setting_is_tried_without)
{
    static const char *const off[] = {"NCCL_P2P_DISABLE", "1", NULL};
    struct answered t =
        ask_in("2.30.7", ampere, 1, off, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "1"}, 32);
    assert_string_equal(t.x->verdict, "no");
    assert_string_equal(compared(&t, "P2P level")->from.text, "NCCL_P2P_DISABLE=1");
    assert_string_equal(t.x->distance,
                        "NVL by hardware, PHB in effect because the P2P level is LOC (NCCL_P2P_DISABLE=1)");
    assert_changes(&t, "NCCL_P2P_DISABLE", "", "yes, by reading");
    forget(&t);
}
/* Without P2P the NICs are faster than what is left between the sockets: trimming parts the GPUs. */
TEST(gpus_in_different_parts)
{
    static const char *const off[] = {"NCCL_P2P_DISABLE", "1", NULL};
    struct answered t =
        ask_in("2.30.7", rails, 1, off, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "1"}, 32);
    assert_string_equal(t.x->rule_id, "P2P_OTHER_PART");
    assert_string_equal(compared(&t, "P2P level")->from.text, "NCCL_P2P_DISABLE=1");
    assert_non_null(strstr(t.x->distance, "NVL by hardware, the network in effect because the P2P level is LOC"));
    assert_changes(&t, "NCCL_P2P_DISABLE", "", "yes, by reading");
    forget(&t);
    t = ask_in("2.30.7", rails, 1, off, (struct orr_why){.kind = ORR_WHY_PATH, .from = "0", .to = "1"}, 4);
    assert_null(t.x);
    assert_non_null(strstr(t.err.advice, "ask for p2p"));
    forget(&t);
}
TEST(hardware_and_effect_are_distinguished)
{
    struct answered t = ask(no_gdr, 2, (struct orr_why){.kind = ORR_WHY_PATH, .from = "0", .to = "NET/0-0"});
    assert_string_equal(t.x->physical_type, "PIX");
    assert_string_equal(t.x->effective_type, "PHB");
    assert_string_equal(t.x->distance, "PIX by hardware, PHB in effect because gdr=\"0\" on NET/0-0 (mlx5_0)");
    assert_string_equal(t.x->rule_id, "PATH_NO_GDR");
    forget(&t);
    t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_PATH, .from = "0", .to = "NET/0-0"});
    assert_string_equal(t.x->distance, "PIX by hardware and in effect");
    assert_string_equal(t.x->rule_id, "PATH_DIRECT");
    forget(&t);
}
TEST(gdr_by_the_dump_no_setting_helps)
{
    struct answered t = ask(no_gdr, 2, (struct orr_why){.kind = ORR_WHY_GDR, .from = "NET/0-0", .to = "0"});
    assert_string_equal(t.x->rule_id, "GDR_NET_CANNOT");
    assert_non_null(strstr(t.x->question, "receive from"));
    assert_non_null(strstr(t.x->advice, "nvidia-peermem"));
    for (uint32_t i = 0; i < t.x->what_if_count; i++)
        assert_false(t.x->what_ifs[i].changes);
    assert_true(t.x->what_if_count > 0);
    forget(&t);
}
TEST(gdr_by_its_level)
{
    struct answered t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_GDR, .from = "0", .to = "NET/0-0"});
    assert_string_equal(t.x->verdict, "yes");
    assert_changes(&t, "NCCL_NET_GDR_LEVEL", "C2C", "no"); /* the level just below PIX */
    assert_changes(&t, "NCCL_NET_GDR_READ", "0", "no");
    assert_stays(&t, "NCCL_NET_GDR_READ", "1");
    forget(&t);
    t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_GDR, .from = "NET/0-0", .to = "0"});
    assert_stays(&t, "NCCL_NET_GDR_READ", "0"); /* reading is for sending */
    forget(&t);
}
TEST(pxn_through_the_gpu_of_the_nic)
{
    struct answered t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_PXN, .from = "0", .to = "NET/0-1"});
    assert_string_equal(t.x->verdict, "yes, through rank 1");
    assert_string_equal(t.x->rule_id, "PXN_TAKEN");
    assert_string_equal(t.x->physical_type, "SYS");
    assert_string_equal(t.x->effective_type, "PXN");
    assert_changes(&t, "NCCL_PXN_DISABLE", "1", "no");
    assert_stays(&t, "NCCL_PXN_C2C", "0");
    forget(&t);
    t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_PXN, .from = "0", .to = "NET/0-0"});
    assert_string_equal(t.x->rule_id, "PXN_ITSELF");
    forget(&t);
    t = ask(no_gdr, 2, (struct orr_why){.kind = ORR_WHY_PXN, .from = "1", .to = "NET/0-0"});
    assert_string_equal(t.x->rule_id, "PXN_RELAY_FAR");
    forget(&t);
    t = ask_in("2.7.8", rails, 2, NULL, (struct orr_why){.kind = ORR_WHY_PXN, .from = "0", .to = "NET/0-1"}, 4);
    assert_string_equal(t.x->rule_id, "PXN_UNKNOWN");
    forget(&t);
}
TEST(the_nic_of_a_rank)
{
    struct answered t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_NIC, .from = "0"});
    const struct orr_net_dev *dev = &t.f.analysis->parts[0].net_devs[0];
    assert_int_equal(dev->net, t.f.analysis->parts[0].system.nodes[t.f.analysis->parts[0].system.first[ORR_NET]].id);
    assert_non_null(strstr(t.x->verdict, "NET/0-0 (mlx5_0)"));
    assert_non_null(strstr(t.x->rule_id, "NIC_OF_"));
    assert_true(t.x->what_if_count > 0);
    forget(&t);
    t = ask_in("2.30.7", rails, 1, NULL, (struct orr_why){.kind = ORR_WHY_NIC, .from = "0"}, 4);
    assert_null(t.x);
    assert_int_equal(t.err.code, ORR_NOT_FOUND);
    assert_non_null(strstr(t.err.advice, "hosts=2"));
    forget(&t);
    t = ask_in("2.30.7", rails, 2, NULL, (struct orr_why){.kind = ORR_WHY_NIC, .from = "0", .channel = 63}, 4);
    assert_null(t.x);
    assert_non_null(strstr(t.err.text, "no channel 63"));
    forget(&t);
}
TEST(a_graph_says_what_binds)
{
    struct answered t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_GRAPH, .graph = ORR_GRAPH_RING});
    const struct orr_graph *ring = &t.f.analysis->parts[0].contribution.graphs[ORR_GRAPH_RING];
    assert_true(t.x->limit.from[0]);
    assert_true(t.x->limit.used > 0 && t.x->limit.used <= t.x->limit.bw * 1.001F);
    assert_float_equal(compared(&t, "total bandwidth of the channels")->number, ring->bw_inter * (float)ring->channels,
                       1e-3);
    assert_int_equal(compared(&t, "steps taken")->number, ring->steps);
    assert_true(compared(&t, "attempts")->number >= 1);
    const struct orr_what_if *row = what_if(&t, "NCCL_P2P_DISABLE", "1");
    assert_non_null(row);
    assert_true(row->changes && row->consequence_count > 0);
    forget(&t);
    t = ask_in("2.30.7", rails, 2, NULL, (struct orr_why){.kind = ORR_WHY_GRAPH, .graph = ORR_GRAPH_NVLS}, 4);
    assert_null(t.x);
    assert_non_null(strstr(t.err.advice, "nvls"));
    forget(&t);
}
/* With P2P off the GPUs of the pair have no path but the CPU's: what was first tried was relaxed. */
TEST(a_graph_says_what_was_relaxed)
{
    struct answered t = ask_in("2.7.8", apart, 1, NULL, (struct orr_why){.kind = ORR_WHY_GRAPH}, 0);
    const char *relaxed = compared(&t, "relaxed")->text;
    assert_non_null(strstr(relaxed, "longer paths between GPUs")); /* 2.7.8 begins at NVL */
    assert_string_equal(compared(&t, "path type between GPUs, first tried and used")->text, "NVL, SYS");
    forget(&t);
    t = ask_in("2.30.7", apart, 1, NULL, (struct orr_why){.kind = ORR_WHY_GRAPH}, 0);
    relaxed = compared(&t, "relaxed")->text;
    assert_null(strstr(relaxed, "longer paths between GPUs")); /* it begins at what the system has */
    forget(&t);
}
TEST(the_pattern_of_trees)
{
    struct answered t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_TREE});
    bool asked = t.f.analysis->parts[0].contribution.graphs[ORR_GRAPH_TREE].pattern == ORR_PATTERN_BALANCED_TREE;
    assert_string_equal(t.x->rule_id, asked ? "TREE_AS_ASKED" : "TREE_RELAXED");
    assert_string_equal(compared(&t, "pattern that the release tries first")->text, "balanced tree");
    forget(&t);
    t = ask_in("2.7.8", rails, 2, NULL, (struct orr_why){.kind = ORR_WHY_TREE}, 0);
    assert_string_equal(compared(&t, "pattern that the release tries first")->text, "split tree");
    forget(&t);
}
TEST(the_number_of_channels)
{
    struct answered t = ask(ampere, 1, (struct orr_why){.kind = ORR_WHY_CHANNELS});
    char half[16], then[32];
    int32_t count = t.f.analysis->communicator.channel_count;
    snprintf(half, sizeof half, "%d", count / 2);
    snprintf(then, sizeof then, "%d channels", count / 2);
    assert_changes(&t, "NCCL_MAX_NCHANNELS", half, then);
    assert_string_equal(t.x->rule_id, "CHANNELS_TWICE");
    forget(&t);
    static const char *const few[] = {"NCCL_MAX_NCHANNELS", "2", NULL};
    t = ask_in("2.30.7", ampere, 1, few, (struct orr_why){.kind = ORR_WHY_CHANNELS}, 32);
    assert_string_equal(t.x->rule_id, "CHANNELS_LIMITED");
    snprintf(then, sizeof then, "%d channels", count);
    assert_changes(&t, "NCCL_MAX_NCHANNELS", "", then);
    forget(&t);
}
TEST(every_reason_of_nvls)
{
    static const char *const off[] = {"NCCL_NVLS_ENABLE", "0", NULL};
    static const struct {
        const char *release, *machine, *const *settings, *rule;
    } cases[] = {
        {"2.30.7", hopper, NULL, "NVLS_ON"},       {"2.30.7", ampere, NULL, "NVLS_OLD_GPUS"},
        {"2.30.7", hopper, off, "NVLS_DISABLED"},  {"2.12.12", hopper, NULL, "NVLS_UNKNOWN"},
        {"2.30.7", no_gdr, NULL, "NVLS_OLD_GPUS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct answered t = ask_in(cases[i].release, cases[i].machine, 1, cases[i].settings,
                                   (struct orr_why){.kind = ORR_WHY_NVLS}, 32);
        bool on = !strcmp(cases[i].rule, "NVLS_ON");
        assert_string_equal(t.x->rule_id, cases[i].rule);
        assert_int_equal(t.f.analysis->communicator.nvls, on);
        if (on)
            assert_changes(&t, "NCCL_NVLS_ENABLE", "0", "off");
        if (cases[i].settings)
            assert_true(what_if(&t, "NCCL_NVLS_ENABLE", "")->changes);
        forget(&t);
    }
}
TEST(the_choice_for_a_size)
{
    struct answered t =
        ask(hopper, 1, (struct orr_why){.kind = ORR_WHY_ALGORITHM, .function = ORR_ALLREDUCE, .bytes = 8});
    struct orr_choice choice;
    assert_true(orr_tuning_choose(&t.f.analysis->tuning, &t.f.analysis->communicator, &t.f.analysis->query.settings,
                                  ORR_ALLREDUCE, 8, &choice));
    assert_string_equal(t.x->rule_id, "CHOICE_FASTEST");
    assert_non_null(strstr(t.x->verdict, orr_protocol_name(choice.protocol)));
    const struct orr_what_if *simple = what_if(&t, "NCCL_PROTO", "Simple");
    assert_non_null(simple);
    assert_non_null(strstr(simple->then, "Simple"));
    forget(&t);
}
