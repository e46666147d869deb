/* Each kind of decision explained on machines of ours: the rule, the limiting link, and settings that change it or
 * leave it; what is computed here is compared with whole analyses of real dumps by tests/golden/explained.py. */
#include "engine/explain/explain.h"

#include "engine/base/budget.h"
#include "engine/explain/assumptions.h"
#include "engine/explain/explainer.h"
#include "engine/release/behaviours.h"
#include "tests/support/fixture.h"

#define NV(bus, count)   "<nvlink target=\"" bus "\" count=\"" count "\" tclass=\"0x030200\"/>"
#define NV_SWITCH(count) "<nvlink target=\"0000:05:00.0\" count=\"" count "\" tclass=\"0x068000\"/>"
#define NIC_WITHOUT_GDR(bus, dev)                                                                                      \
    "<pci busid=\"" bus "\" class=\"0x020000\" " GEN4X16 "><nic><net name=\"mlx5_" dev "\" dev=\"" dev                 \
    "\" speed=\"200000\" port=\"1\" guid=\"0x100" dev "\" maxconn=\"131072\" gdr=\"0\"/></nic></pci>"
#define SYSTEM(first, second)                                                                                          \
    "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">" first "</cpu><cpu numaid=\"1\" " X86_INTEL ">" second     \
    "</cpu></system>"

/* Two GPUs on two sockets, no NVLink: SYS is beyond the P2P level. */
static const char apart[] = SYSTEM(GPU("0000:01:00.0", "0", "80", ""), GPU("0000:81:00.0", "1", "80", ""));
/* Two switches, each with a GPU and its NIC; NVLink between the GPUs: PXN has a path. */
static const char rails[] = SYSTEM(SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "80", NV("0000:81:00.0", "4"))
                                       NIC("0000:12:00.0", "0", "200000") "</pci>",
                                   SWITCH("0000:80:00.0") GPU("0000:81:00.0", "1", "80", NV("0000:11:00.0", "4"))
                                       NIC("0000:82:00.0", "1", "200000") "</pci>");
/* One switch with a GPU and a NIC that has no GPUDirect RDMA. */
static const char no_gdr[] =
    SYSTEM(SWITCH("0000:10:00.0") GPU("0000:11:00.0", "0", "80", "") NIC_WITHOUT_GDR("0000:12:00.0", "0") "</pci>",
           GPU("0000:81:00.0", "1", "80", ""));
/* Four GPUs on an NVSwitch. */
#define SWITCHED(sm)                                                                                                   \
    SYSTEM(GPU("0000:01:00.0", "0", sm, NV_SWITCH("18")) GPU("0000:02:00.0", "1", sm, NV_SWITCH("18")),                \
           GPU("0000:81:00.0", "2", sm, NV_SWITCH("18")) GPU("0000:82:00.0", "3", sm, NV_SWITCH("18")))
static const char hopper[] = SWITCHED("90");
static const char ampere[] = SWITCHED("80");

struct told {
    struct fixture f;
    struct orr_explanation *x; /* NULL: an error */
    struct orr_error err;
};

static struct told tell(const char *release, const char *text, uint32_t hosts, const char *const *settings,
                        struct orr_why why, uint32_t analyses)
{
    struct told t = {.f = analyse_in(release, text, hosts, settings)};
    (void)!orr_explain(t.f.analysis, &why, (struct orr_effort){analyses, UINT64_MAX}, &t.x, &t.err);
    return t;
}

static void forget(struct told *t)
{
    orr_explanation_free(t->x);
    release_fixture(&t->f);
}

static struct told ask(const char *text, uint32_t hosts, struct orr_why why)
{
    struct told t = tell("2.30.7", text, hosts, NULL, why, 32);
    assert_non_null(t.x);
    return t;
}

/* What the explanation promises of a setting; then: NULL where it was not tried. */
static const struct orr_what_if *what_if(const struct told *t, const char *name, const char *value)
{
    for (uint32_t i = 0; i < t->x->what_if_count; i++)
        if (!strcmp(t->x->what_ifs[i].name, name) && !strcmp(t->x->what_ifs[i].value, value))
            return &t->x->what_ifs[i];
    return NULL;
}

static void assert_changes(const struct told *t, const char *name, const char *value, const char *then)
{
    const struct orr_what_if *row = what_if(t, name, value);
    assert_non_null(row);
    assert_true(row->changes);
    assert_string_equal(row->then, then);
    assert_true(row->changed > 0);
}

static void assert_stays(const struct told *t, const char *name, const char *value)
{
    const struct orr_what_if *row = what_if(t, name, value);
    assert_non_null(row);
    assert_false(row->changes);
    assert_string_equal(row->then, t->x->verdict);
}

static const struct orr_compared *compared(const struct told *t, const char *name)
{
    for (uint32_t i = 0; i < t->x->compared_count; i++)
        if (!strcmp(t->x->compared[i].name, name))
            return &t->x->compared[i];
    fail_msg("\"%s\" was not compared", name);
    return NULL;
}

static void p2p_beyond_the_level(void **state)
{
    (void)state;
    struct told t = ask(apart, 1, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "rank:1"});
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

static void a_given_setting_is_tried_without(void **state)
{
    (void)state;
    static const char *const off[] = {"NCCL_P2P_DISABLE", "1", NULL};
    struct told t = tell("2.30.7", ampere, 1, off, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "1"}, 32);
    assert_string_equal(t.x->verdict, "no");
    assert_string_equal(compared(&t, "P2P level")->from.text, "NCCL_P2P_DISABLE=1");
    assert_string_equal(t.x->distance,
                        "NVL by hardware, PHB in effect because the P2P level is LOC (NCCL_P2P_DISABLE=1)");
    assert_changes(&t, "NCCL_P2P_DISABLE", "", "yes, by reading");
    forget(&t);
}

/* Without P2P the NICs are faster than what is left between the sockets: trimming parts the GPUs. */
static void gpus_in_different_parts(void **state)
{
    (void)state;
    static const char *const off[] = {"NCCL_P2P_DISABLE", "1", NULL};
    struct told t = tell("2.30.7", rails, 1, off, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "1"}, 32);
    assert_string_equal(t.x->rule_id, "P2P_OTHER_PART");
    assert_string_equal(compared(&t, "P2P level")->from.text, "NCCL_P2P_DISABLE=1");
    assert_non_null(strstr(t.x->distance, "NVL by hardware, the network in effect because the P2P level is LOC"));
    assert_changes(&t, "NCCL_P2P_DISABLE", "", "yes, by reading");
    forget(&t);
    t = tell("2.30.7", rails, 1, off, (struct orr_why){.kind = ORR_WHY_PATH, .from = "0", .to = "1"}, 4);
    assert_null(t.x);
    assert_non_null(strstr(t.err.advice, "ask for p2p"));
    forget(&t);
}

static void hardware_and_effect_are_distinguished(void **state)
{
    (void)state;
    struct told t = ask(no_gdr, 2, (struct orr_why){.kind = ORR_WHY_PATH, .from = "0", .to = "NET/0-0"});
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

static void gdr_by_the_dump_no_setting_helps(void **state)
{
    (void)state;
    struct told t = ask(no_gdr, 2, (struct orr_why){.kind = ORR_WHY_GDR, .from = "NET/0-0", .to = "0"});
    assert_string_equal(t.x->rule_id, "GDR_NET_CANNOT");
    assert_non_null(strstr(t.x->question, "receive from"));
    assert_non_null(strstr(t.x->advice, "nvidia-peermem"));
    for (uint32_t i = 0; i < t.x->what_if_count; i++)
        assert_false(t.x->what_ifs[i].changes);
    assert_true(t.x->what_if_count > 0);
    forget(&t);
}

static void gdr_by_its_level(void **state)
{
    (void)state;
    struct told t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_GDR, .from = "0", .to = "NET/0-0"});
    assert_string_equal(t.x->verdict, "yes");
    assert_changes(&t, "NCCL_NET_GDR_LEVEL", "C2C", "no"); /* the level just below PIX */
    assert_changes(&t, "NCCL_NET_GDR_READ", "0", "no");
    assert_stays(&t, "NCCL_NET_GDR_READ", "1");
    forget(&t);
    t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_GDR, .from = "NET/0-0", .to = "0"});
    assert_stays(&t, "NCCL_NET_GDR_READ", "0"); /* reading is for sending */
    forget(&t);
}

static void pxn_through_the_gpu_of_the_nic(void **state)
{
    (void)state;
    struct told t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_PXN, .from = "0", .to = "NET/0-1"});
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
    t = tell("2.7.8", rails, 2, NULL, (struct orr_why){.kind = ORR_WHY_PXN, .from = "0", .to = "NET/0-1"}, 4);
    assert_string_equal(t.x->rule_id, "PXN_UNKNOWN");
    forget(&t);
}

static void the_nic_of_a_rank(void **state)
{
    (void)state;
    struct told t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_NIC, .from = "0"});
    const struct orr_net_dev *dev = &t.f.analysis->parts[0].net_devs[0];
    assert_int_equal(dev->net, t.f.analysis->parts[0].system.nodes[t.f.analysis->parts[0].system.first[ORR_NET]].id);
    assert_non_null(strstr(t.x->verdict, "NET/0-0 (mlx5_0)"));
    assert_non_null(strstr(t.x->rule_id, "NIC_OF_"));
    assert_true(t.x->what_if_count > 0);
    forget(&t);
    t = tell("2.30.7", rails, 1, NULL, (struct orr_why){.kind = ORR_WHY_NIC, .from = "0"}, 4);
    assert_null(t.x);
    assert_int_equal(t.err.code, ORR_NOT_FOUND);
    assert_non_null(strstr(t.err.advice, "hosts=2"));
    forget(&t);
    t = tell("2.30.7", rails, 2, NULL, (struct orr_why){.kind = ORR_WHY_NIC, .from = "0", .channel = 63}, 4);
    assert_null(t.x);
    assert_non_null(strstr(t.err.text, "no channel 63"));
    forget(&t);
}

static void a_graph_says_what_binds(void **state)
{
    (void)state;
    struct told t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_GRAPH, .graph = ORR_GRAPH_RING});
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
    t = tell("2.30.7", rails, 2, NULL, (struct orr_why){.kind = ORR_WHY_GRAPH, .graph = ORR_GRAPH_NVLS}, 4);
    assert_null(t.x);
    assert_non_null(strstr(t.err.advice, "nvls"));
    forget(&t);
}

/* With P2P off the GPUs of the pair have no path but the CPU's: what was first tried was relaxed. */
static void a_graph_tells_what_was_relaxed(void **state)
{
    (void)state;
    struct told t = tell("2.7.8", apart, 1, NULL, (struct orr_why){.kind = ORR_WHY_GRAPH}, 0);
    const char *relaxed = compared(&t, "relaxed")->text;
    assert_non_null(strstr(relaxed, "longer paths between GPUs")); /* 2.7.8 begins at NVL */
    assert_string_equal(compared(&t, "path type between GPUs, first tried and used")->text, "NVL, SYS");
    forget(&t);
    t = tell("2.30.7", apart, 1, NULL, (struct orr_why){.kind = ORR_WHY_GRAPH}, 0);
    relaxed = compared(&t, "relaxed")->text;
    assert_null(strstr(relaxed, "longer paths between GPUs")); /* it begins at what the system has */
    forget(&t);
}

static void the_pattern_of_trees(void **state)
{
    (void)state;
    struct told t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_TREE});
    bool asked = t.f.analysis->parts[0].contribution.graphs[ORR_GRAPH_TREE].pattern == ORR_PATTERN_BALANCED_TREE;
    assert_string_equal(t.x->rule_id, asked ? "TREE_AS_ASKED" : "TREE_RELAXED");
    assert_string_equal(compared(&t, "pattern that the release tries first")->text, "balanced tree");
    forget(&t);
    t = tell("2.7.8", rails, 2, NULL, (struct orr_why){.kind = ORR_WHY_TREE}, 0);
    assert_string_equal(compared(&t, "pattern that the release tries first")->text, "split tree");
    forget(&t);
}

static void the_number_of_channels(void **state)
{
    (void)state;
    struct told t = ask(ampere, 1, (struct orr_why){.kind = ORR_WHY_CHANNELS});
    char half[16], then[32];
    int32_t count = t.f.analysis->communicator.channel_count;
    snprintf(half, sizeof half, "%d", count / 2);
    snprintf(then, sizeof then, "%d channels", count / 2);
    assert_changes(&t, "NCCL_MAX_NCHANNELS", half, then);
    assert_string_equal(t.x->rule_id, "CHANNELS_TWICE");
    forget(&t);
    static const char *const few[] = {"NCCL_MAX_NCHANNELS", "2", NULL};
    t = tell("2.30.7", ampere, 1, few, (struct orr_why){.kind = ORR_WHY_CHANNELS}, 32);
    assert_string_equal(t.x->rule_id, "CHANNELS_LIMITED");
    snprintf(then, sizeof then, "%d channels", count);
    assert_changes(&t, "NCCL_MAX_NCHANNELS", "", then);
    forget(&t);
}

static void every_reason_of_nvls(void **state)
{
    (void)state;
    static const char *const off[] = {"NCCL_NVLS_ENABLE", "0", NULL};
    static const struct {
        const char *release, *machine, *const *settings, *rule;
    } cases[] = {
        {"2.30.7", hopper, NULL, "NVLS_ON"},       {"2.30.7", ampere, NULL, "NVLS_OLD_GPUS"},
        {"2.30.7", hopper, off, "NVLS_DISABLED"},  {"2.12.12", hopper, NULL, "NVLS_UNKNOWN"},
        {"2.30.7", no_gdr, NULL, "NVLS_OLD_GPUS"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct told t =
            tell(cases[i].release, cases[i].machine, 1, cases[i].settings, (struct orr_why){.kind = ORR_WHY_NVLS}, 32);
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

static void the_choice_for_a_size(void **state)
{
    (void)state;
    struct told t = ask(hopper, 1, (struct orr_why){.kind = ORR_WHY_ALGORITHM, .function = ORR_ALLREDUCE, .bytes = 8});
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

static void the_effort_is_bounded(void **state)
{
    (void)state;
    const struct orr_why why = {.kind = ORR_WHY_GRAPH};
    struct told none = tell("2.30.7", rails, 2, NULL, why, 0), two = tell("2.30.7", rails, 2, NULL, why, 2);
    assert_int_equal(none.x->what_if_count, 0);
    assert_int_equal(none.x->not_tried, 0);
    assert_int_equal(two.x->what_if_count, 2);
    assert_true(two.x->not_tried > 0);
    forget(&none);
    forget(&two);
}

static void wrong_questions_are_clear_errors(void **state)
{
    (void)state;
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
        struct told t = tell("2.30.7", rails, 2, NULL, cases[i].why, 4);
        assert_null(t.x);
        assert_int_equal(t.err.code, cases[i].code);
        assert_non_null(strstr(t.err.text, cases[i].says));
        forget(&t);
    }
}

/* Whatever release and machine: a question is refused, or has an answer with a rule and text for people. */
static void every_kind_in_every_release(void **state)
{
    (void)state;
    static const char *const machines[] = {apart, rails, no_gdr, hopper, ampere};
    uint32_t count, answered = 0;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t r = 0; r < count; r++)
        for (size_t m = 0; m < sizeof machines / sizeof machines[0]; m++)
            for (int kind = 0; kind < ORR_WHY_COUNT; kind++) {
                bool net = (kind == ORR_WHY_GDR || kind == ORR_WHY_PXN);
                struct orr_why why = {.kind = (enum orr_why_kind)kind, .from = "0", .bytes = 1 << 20};
                why.to = net ? "NET/0-0" : "1";
                struct told t = tell(releases[r].name, machines[m], 2, NULL, why, 3);
                if (t.x) {
                    struct orr_text text;
                    answered++;
                    assert_true(t.x->rule[0] && t.x->rule_id[0] && t.x->verdict[0] && t.x->answer[0]);
                    assert_true(t.x->rests_count > 0);
                    orr_text_init(&text, 1 << 16);
                    orr_explanation_write(t.x, false, &text);
                    assert_false(orr_text_failed(&text));
                    assert_non_null(strstr(text.data, t.x->question));
                    orr_text_release(&text);
                } else {
                    assert_true(t.err.text[0] && t.err.advice[0]);
                }
                forget(&t);
            }
    assert_true(answered > 100);
}

/* The table of kinds names fields of releases that there are. */
static void rows_rest_on_what_there_is(void **state)
{
    (void)state;
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
static void rules_say_since_when(void **state)
{
    (void)state;
    const struct orr_why why = {.kind = ORR_WHY_PXN, .from = "0", .to = "NET/0-1"};
    struct told t = tell("2.12.12", rails, 2, NULL, why, 1);
    uint32_t found = 0;
    for (uint32_t i = 0; i < t.x->rests_count; i++)
        if (!strcmp(t.x->rests[i].name, "pxn")) {
            found++;
            assert_string_equal(t.x->rests[i].since, "2.12.12");
        }
    assert_int_equal(found, 1);
    forget(&t);
    t = tell("2.30.7", hopper, 1, NULL, (struct orr_why){.kind = ORR_WHY_GRAPH}, 1);
    for (uint32_t i = 0; i < t.x->rests_count; i++)
        if (!strcmp(t.x->rests[i].name, "steps_all")) {
            found++;
            assert_string_equal(t.x->rests[i].since, "2.19.3"); /* 327680 in 2.18.5 */
        }
    assert_int_equal(found, 2);
    forget(&t);
}

static void assumptions_are_said(void **state)
{
    (void)state;
    struct told t = ask(hopper, 1, (struct orr_why){.kind = ORR_WHY_NVLS});
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

/* An analysis that is made only for another setting is reported as such where it is ended. */
static void who_ends_it_hears_why_it_was_analysed(void **state)
{
    (void)state;
    const struct orr_why why = {.kind = ORR_WHY_GRAPH};
    struct orr_budget budget = {0};
    struct orr_error err = {0};
    struct orr_explanation *explanation = NULL;
    struct fixture f = analyse_in("2.30.7", rails, 2, NULL);
    orr_budget_begin(&budget);
    orr_budget_stop(&budget, ORR_SPENT_CLIENT);
    enum orr_code code = orr_explain(f.analysis, &why, (struct orr_effort){4, UINT64_MAX}, &explanation, &err);
    orr_budget_end();
    assert_error(orr_budget_verdict(&budget, code, &err), ORR_STOPPED, &err,
                 "while trying settings for the explanation: the client has gone");
    if (code == ORR_OK)
        orr_explanation_free(explanation);
    release_fixture(&f);
}

static void a_setting_that_helps_is_advised(void **state)
{
    (void)state;
    struct told t = ask(apart, 1, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "1"});
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
    t = tell("2.30.7", ampere, 1, off, (struct orr_why){.kind = ORR_WHY_GRAPH}, 32);
    assert_non_null(strstr(t.x->advice, "With the default of NCCL_P2P_DISABLE it would have "));
    forget(&t);
    t = tell("2.30.7", apart, 1, NULL, (struct orr_why){.kind = ORR_WHY_P2P, .from = "0", .to = "1"}, 0);
    assert_null(t.x->advice); /* nothing was tried */
    forget(&t);
}

/* A dump whose reader assumed attributes, as engine/input marks them. */
static void assumed_values_are_not_called_measured(void **state)
{
    (void)state;
    static const struct orr_why why = {.kind = ORR_WHY_GDR, .from = "0", .to = "NET/0-0"};
    struct told t = ask(rails, 2, why);
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
static void the_absence_of_nvswitches_is_not_called_measured(void **state)
{
    (void)state;
    static const struct orr_why why = {.kind = ORR_WHY_NVLS};
    struct told t = ask(no_gdr, 1, why);
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

static void maintainers_detail_needs_verbose(void **state)
{
    (void)state;
    struct told t = ask(rails, 2, (struct orr_why){.kind = ORR_WHY_GRAPH});
    static const char *const details[] = {
        "steps_all: ", "steps taken: ", "change in total: ", "first bandwidth tried: "};
    for (int verbose = 0; verbose < 2; verbose++) {
        struct orr_text text;
        orr_text_init(&text, 1 << 16);
        orr_explanation_write(t.x, verbose, &text);
        assert_false(orr_text_failed(&text));
        for (size_t i = 0; i < sizeof details / sizeof details[0]; i++)
            assert_int_equal(strstr(text.data, details[i]) != NULL, verbose);
        orr_text_release(&text);
    }
    forget(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(p2p_beyond_the_level),
        cmocka_unit_test(a_given_setting_is_tried_without),
        cmocka_unit_test(gpus_in_different_parts),
        cmocka_unit_test(hardware_and_effect_are_distinguished),
        cmocka_unit_test(gdr_by_the_dump_no_setting_helps),
        cmocka_unit_test(gdr_by_its_level),
        cmocka_unit_test(pxn_through_the_gpu_of_the_nic),
        cmocka_unit_test(the_nic_of_a_rank),
        cmocka_unit_test(a_graph_says_what_binds),
        cmocka_unit_test(a_graph_tells_what_was_relaxed),
        cmocka_unit_test(the_pattern_of_trees),
        cmocka_unit_test(the_number_of_channels),
        cmocka_unit_test(every_reason_of_nvls),
        cmocka_unit_test(the_choice_for_a_size),
        cmocka_unit_test(the_effort_is_bounded),
        cmocka_unit_test(who_ends_it_hears_why_it_was_analysed),
        cmocka_unit_test(wrong_questions_are_clear_errors),
        cmocka_unit_test(every_kind_in_every_release),
        cmocka_unit_test(rows_rest_on_what_there_is),
        cmocka_unit_test(rules_say_since_when),
        cmocka_unit_test(assumptions_are_said),
        cmocka_unit_test(a_setting_that_helps_is_advised),
        cmocka_unit_test(assumed_values_are_not_called_measured),
        cmocka_unit_test(the_absence_of_nvswitches_is_not_called_measured),
        cmocka_unit_test(maintainers_detail_needs_verbose),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
