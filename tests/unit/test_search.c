/* SPDX-License-Identifier: Apache-2.0 */
/* The channel search on whole machines: figures worked out by hand from the rules (H100, A100, DGX-1V, PCIe pairs). */
#include "engine/search/search.h"

#include "engine/search/memo.h"
#include "tests/support/fixture.h"

/* 8 GPUs on NVSwitches, each with its NICs below a switch of its own or shared by two. */
struct machine {
    const char *sm, *speed, *vendor;
    int nvlinks;
    int per_switch; /* GPUs, and NICs, below a PCIe switch */
    const char *nic_mbps;
};
static const struct machine h100 = {"90", "32.0 GT/s PCIe", X86_INTEL, 18, 1, "400000"};
static const struct machine h800 = {"90", "32.0 GT/s PCIe", X86_INTEL, 8, 1, "400000"};
static const struct machine a100 = {"80", "16.0 GT/s PCIe", X86_AMD, 12, 2, "200000"};

static void write_machine(const struct machine *m, struct orr_text *text)
{
    orr_text_puts(text, "<system version=\"1\">");
    for (int g = 0; g < 8; g++) {
        if (g % 4 == 0)
            orr_text_printf(text, "%s<cpu numaid=\"%d\" %s>", g ? "</cpu>" : "", g / 4, m->vendor);
        if (g % m->per_switch == 0)
            orr_text_printf(text,
                            "<pci busid=\"0000:%d0:00.0\" class=\"0x060400\" link_speed=\"%s\" link_width=\"16\">",
                            g + 1, m->speed);
        orr_text_printf(
            text,
            "<pci busid=\"0000:%d1:00.0\" class=\"0x030200\" link_speed=\"%s\" link_width=\"16\">"
            "<gpu dev=\"%d\" sm=\"%s\" rank=\"%d\" gdr=\"1\"><nvlink target=\"fffffff:ffff:ff\" count=\"%d\" "
            "tclass=\"0x068000\"/></gpu></pci>",
            g + 1, m->speed, g, m->sm, g, m->nvlinks);
        orr_text_printf(
            text,
            "<pci busid=\"0000:%d2:00.0\" class=\"0x020000\" link_speed=\"%s\" link_width=\"16\"><nic>"
            "<net name=\"mlx5_%d\" dev=\"%d\" speed=\"%s\" port=\"1\" guid=\"0x1%d\" gdr=\"1\"/></nic></pci>",
            g + 1, m->speed, g, g, m->nic_mbps, g);
        if (g % m->per_switch == m->per_switch - 1)
            orr_text_puts(text, "</pci>");
    }
    orr_text_puts(text, "</cpu></system>");
}

static struct fixture analyse_machine(const struct machine *m, uint32_t hosts, const char *const *settings)
{
    ORR_LOCAL_TEXT(text, 1 << 20);
    write_machine(m, &text);
    struct fixture f = analyse_text(text.data, hosts, settings);
    return f;
}

static const struct orr_graph *graph_of(const struct fixture *f, enum orr_graph_kind kind)
{
    return &f->analysis->parts[0].contribution.graphs[kind];
}

struct expected {
    enum orr_graph_kind kind;
    enum orr_pattern pattern;
    int channels;
    float intra, inter;
    int cross_nic, same_channels, hops;
};

static void assert_graph(const struct fixture *f, const struct expected *e)
{
    const struct orr_graph *g = graph_of(f, e->kind);
    assert_int_equal(g->pattern, e->pattern);
    assert_int_equal(g->channels, e->channels);
    assert_float_equal(g->bw_intra, e->intra, 1e-5);
    assert_float_equal(g->bw_inter, e->inter, 1e-5);
    assert_int_equal(g->cross_nic, e->cross_nic);
    assert_int_equal(g->same_channels, e->same_channels);
    assert_int_equal(g->hops, e->hops);
}

static void assert_row(const struct orr_graph *g, int channel, const char *expected)
{
    char text[256] = "";
    for (uint32_t i = 0; i < g->row_count; i++)
        snprintf(text + strlen(text), sizeof text - strlen(text), "%s%d", i ? " " : "",
                 (int)g->gpus[(size_t)channel * g->gpu_count + i]);
    assert_string_equal(text, expected);
}

TEST(one_h100_host)
{
    FIXTURE f = analyse_machine(&h100, 1, NULL);
    static const struct expected rows[] = {
        {ORR_GRAPH_RING, ORR_PATTERN_RING, 12, 30, 30, 0, 1, 96},
        {ORR_GRAPH_TREE, ORR_PATTERN_BALANCED_TREE, 12, 30, 30, 0, 1, 168},
        {ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 8, 40, 60, 0, 0, 288},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_graph(&f, &rows[i]);
    assert_row(graph_of(&f, ORR_GRAPH_RING), 0, "0 1 2 3 4 5 6 7");
    assert_float_equal(f.analysis->parts[0].system.total_bw, 370.8, 1e-4);
    assert_int_equal(f.analysis->communicator.channel_count, 24);
    assert_int_equal(f.analysis->communicator.p2p_channels, 32);
    assert_int_equal(f.analysis->communicator.p2p_channels_per_peer, 32);
    const struct orr_tuning *t = &f.analysis->tuning;
    assert_float_equal(t->bandwidth[ORR_ALLREDUCE][ORR_ALGO_RING][ORR_SIMPLE], 205.714294, 1e-4);
    assert_float_equal(t->latency[ORR_ALLREDUCE][ORR_ALGO_TREE][ORR_SIMPLE], 64.4, 1e-4);
}

TEST(two_h100_hosts_keep_their_rails)
{
    FIXTURE f = analyse_machine(&h100, 2, NULL);
    static const struct expected rows[] = {
        {ORR_GRAPH_RING, ORR_PATTERN_RING, 8, 48, 48, 2, 0, 160},
        {ORR_GRAPH_TREE, ORR_PATTERN_TREE, 8, 48, 48, 0, 0, 160},
        {ORR_GRAPH_NVLS, ORR_PATTERN_NVLS, 8, 40, 48, 0, 0, 384},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        assert_graph(&f, &rows[i]);
    const struct orr_graph *ring = graph_of(&f, ORR_GRAPH_RING);
    assert_row(ring, 0, "0 7 6 5 4 3 2 1");
    assert_row(ring, 1, "1 2 3 4 5 6 7 0");
    assert_int_equal(ring->nets[0][0], 0);
    assert_int_equal(ring->nets[0][1], 1);
    assert_int_equal(ring->nets[1][0], 1);
    assert_int_equal(ring->nets[1][1], 0);
    assert_int_equal(f.analysis->communicator.channel_count, 16);
}

TEST(crossing_nics_can_be_forbidden_or_forced)
{
    const char *never[] = {"NCCL_CROSS_NIC", "0", NULL}, *always[] = {"NCCL_CROSS_NIC", "1", NULL};
    FIXTURE f = analyse_machine(&h100, 2, never), g = analyse_machine(&h100, 2, always);
    assert_graph(&f, &(struct expected){ORR_GRAPH_RING, ORR_PATTERN_RING, 8, 45, 45, 0, 0, 176});
    assert_int_equal(graph_of(&f, ORR_GRAPH_RING)->type_inter, ORR_PATH_PXN);
    assert_graph(&g, &(struct expected){ORR_GRAPH_RING, ORR_PATTERN_RING, 8, 48, 48, 1, 0, 160});
    assert_row(graph_of(&g, ORR_GRAPH_RING), 1, "1 0 7 6 5 4 3 2");
}

TEST(a100_hosts)
{
    FIXTURE one = analyse_machine(&a100, 1, NULL), two = analyse_machine(&a100, 2, NULL);
    assert_graph(&one, &(struct expected){ORR_GRAPH_RING, ORR_PATTERN_RING, 12, 20, 20, 0, 1, 96});
    assert_graph(&two, &(struct expected){ORR_GRAPH_RING, ORR_PATTERN_RING, 8, 24, 24, 0, 0, 160});
    assert_graph(&two, &(struct expected){ORR_GRAPH_TREE, ORR_PATTERN_BALANCED_TREE, 8, 30, 24, 0, 0, 368});
    assert_row(graph_of(&two, ORR_GRAPH_TREE), 1, "1 0 7 6 5 4 3 2");
}

#define SYSTEM(cpu, inside) "<system version=\"1\"><cpu numaid=\"0\" " cpu ">" inside "</cpu></system>"

TEST(two_pcie_gpus_pay_for_the_intel_bridge)
{
    struct fixture intel =
        analyse_text(SYSTEM(X86_INTEL, GPU("0000:02:00.0", "0", "80", "") GPU("0000:04:00.0", "1", "80", "")), 1, NULL);
    struct fixture amd =
        analyse_text(SYSTEM(X86_AMD, GPU("0000:02:00.0", "0", "80", "") GPU("0000:04:00.0", "1", "80", "")), 1, NULL);
    assert_int_equal(graph_of(&intel, ORR_GRAPH_RING)->channels, 1);
    assert_float_equal(graph_of(&intel, ORR_GRAPH_RING)->bw_intra, 20, 0);
    assert_int_equal(graph_of(&amd, ORR_GRAPH_RING)->channels, 2);
    assert_float_equal(graph_of(&amd, ORR_GRAPH_RING)->bw_intra, 12, 0);
    release_fixture(&intel);
    release_fixture(&amd);
}

TEST(a_single_gpu_has_rings_and_trees)
{
    FIXTURE one = analyse_text(SYSTEM(X86_INTEL, GPU("0000:02:00.0", "0", "70", "")), 1, NULL);
    assert_int_equal(graph_of(&one, ORR_GRAPH_RING)->channels, 32);
    assert_float_equal(graph_of(&one, ORR_GRAPH_RING)->bw_intra, 40, 0);
    assert_int_equal(graph_of(&one, ORR_GRAPH_TREE)->pattern, ORR_PATTERN_TREE);
    assert_int_equal(one.analysis->communicator.channel_count, 64);
}

TEST(without_a_way_all_gpus_stand_in_order)
{
    struct fixture f =
        analyse_text(SYSTEM(X86_INTEL, GPU("0000:02:00.0", "0", "70", "") GPU("0000:03:00.0", "1", "70", "")), 2, NULL);
    const struct orr_graph *ring = graph_of(&f, ORR_GRAPH_RING);
    assert_int_equal(ring->channels > 0, 1);
    assert_row(ring, 0, "0 1");
    release_fixture(&f);
}

/* Rings of every channel hold every GPU once; entry and exit are NETs of the system. */
TEST(rings_are_permutations)
{
    const struct machine *machines[] = {&h100, &a100};
    for (int i = 0; i < 4; i++) {
        FIXTURE f = analyse_machine(machines[i % 2], 1 + (uint32_t)i / 2, NULL);
        const struct orr_graph *ring = graph_of(&f, ORR_GRAPH_RING);
        for (int32_t c = 0; c < ring->channels; c++) {
            unsigned seen = 0;
            for (uint32_t p = 0; p < 8; p++)
                seen |= 1u << ring->gpus[(size_t)c * 8 + p];
            assert_int_equal(seen, 0xff);
        }
    }
}

/* 2.21.5 gives NVLS a channel for each of 33 GPUs, and its tables have 32 places: what NCCL then computes, no rule
 * says. */
TEST(nvls_past_the_tables_of_a_release_is_refused)
{
    ORR_LOCAL_TEXT(text, 1 << 20);
    struct orr_error err = {0};
    orr_text_puts(&text, "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">");
    for (int g = 0; g < 33; g++)
        orr_text_printf(&text,
                        "<pci busid=\"0000:%02x:00.0\" class=\"0x030200\" link_speed=\"32.0 GT/s PCIe\" "
                        "link_width=\"16\"><gpu dev=\"%d\" sm=\"90\" rank=\"%d\" gdr=\"1\"><nvlink "
                        "target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/></gpu></pci>",
                        g + 1, g, g);
    orr_text_puts(&text, "</cpu></system>");
    ORR_OWNED(orr_dump) *dump = read_text(text.data);
    const struct {
        const char *release;
        enum orr_code code;
    } cases[] = {{"2.21.5", ORR_UNSUPPORTED}, {"2.27.7", ORR_OK}};
    for (int i = 0; i < 2; i++) {
        struct orr_analysis *analysis = NULL;
        struct orr_query query = {.hosts = 1};
        orr_settings_init(&query.settings, orr_release_find(cases[i].release));
        assert_int_equal(orr_analyze(dump, &query, NULL, &analysis, &err), cases[i].code);
        if (analysis)
            orr_analysis_free(analysis);
    }
}

/* GPUs on NVSwitches by 18 NVLinks that the dump lists one by one, below one switch each. `nics` are added once. */
static void write_linked(int gpus, const char *nics, struct orr_text *text)
{
    orr_text_puts(text, "<system version=\"1\"><cpu numaid=\"0\" " X86_INTEL ">");
    for (int g = 0; g < gpus; g++) {
        orr_text_printf(text,
                        "<pci busid=\"%04x:%d1:00.0\" class=\"0x030200\" link_speed=\"16.0 GT/s PCIe\" "
                        "link_width=\"16\"><gpu dev=\"%d\" sm=\"90\" rank=\"%d\" gdr=\"1\">",
                        g / 8, g % 8 + 1, g, g);
        for (int link = 0; link < 18; link++)
            orr_text_printf(text, "<nvlink target=\"0000:%d0:00.0\" count=\"1\" tclass=\"0x068000\"/>", 10 + link % 4);
        orr_text_puts(text, "</gpu></pci>");
    }
    orr_text_printf(text, "%s</cpu></system>", nics);
}

#define PLAIN_NIC(dev, mbps)                                                                                           \
    "<nic><net name=\"eth" dev "\" dev=\"" dev "\" speed=\"" mbps                                                      \
    "\" port=\"0\" guid=\"0x0\" maxconn=\"65536\" gdr=\"0\"/>"                                                         \
    "</nic>"

/* Steps that are taken, of the many that NCCL takes, do not depend on the machine that runs the test. If one of
 * these grows, a search has become slower. */
TEST(searches_leave_out_most_steps)
{
    const struct {
        const char *release, *nics; /* NULL means the machine */
        int gpus;
        uint64_t most;
        const struct machine *machine;
    } rows[] = {
        {"2.7.8", PLAIN_NIC("0", "10000"), 8, 30, NULL},              /* a link of 5000 GB/s, and rates of 1.2 */
        {"2.12.12", PLAIN_NIC("0", "400000"), 4, 36513, NULL},        /* and a rate with overhead, 57.6 */
        {"2.27.7", NIC("0000:a1:00.0", "0", "400000"), 8, 95, NULL},  /* links that sum up to 370.800018 GB/s */
        {"2.30.7", NIC("0000:a1:00.0", "0", "20000"), 36, 161, NULL}, /* 72 links of 5000 GB/s */
        {"2.7.8", NULL, 8, 334992, &h100},                            /* places inside a channel */
        {"2.18.5", NULL, 8, 184723, &h100}, /* crossing NICs is weighed, and nothing changes the best set */
        {"2.27.7", NULL, 8, 207514, &h800}, /* NVLinks for three channels, not four */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct orr_text text;
        orr_text_init(&text, 1 << 20);
        if (rows[i].nics)
            write_linked(rows[i].gpus, rows[i].nics, &text);
        else
            write_machine(rows[i].machine, &text);
        ORR_OWNED(orr_dump) *dump = read_text(text.data);
        struct orr_analysis *analysis;
        struct orr_error err = {0};
        struct orr_query query = {.hosts = 2};
        uint64_t steps = 0;
        orr_settings_init(&query.settings, orr_release_find(rows[i].release));
        assert_int_equal(orr_analyze(dump, &query, NULL, &analysis, &err), ORR_OK);
        for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++)
            steps += analysis->parts[0].contribution.graphs[kind].steps;
        assert_in_range(steps, 1, rows[i].most);
        orr_analysis_free(analysis);
        orr_text_release(&text);
    }
}

/* Questions under one release may share a memo, whatever their settings: an explanation tries one after the other. */
TEST(a_memo_distinguishes_settings)
{
    static const char *const values[] = {"0", "1", "2", "0"};
    struct orr_search_memo *memo = orr_search_memo_new(1 << 20);
    ORR_LOCAL_TEXT(text, 1 << 20);
    struct orr_error err = {0};
    assert_non_null(memo);
    write_machine(&h100, &text);
    ORR_OWNED(orr_dump) *dump = read_text(text.data);
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        struct orr_query query = {.hosts = 2};
        struct orr_analysis *with, *without;
        orr_settings_init(&query.settings, orr_release_find("2.7.8"));
        assert_int_equal(orr_settings_set(&query.settings, "NCCL_CROSS_NIC", values[i], &err), ORR_OK);
        assert_int_equal(orr_analyze(dump, &query, NULL, &without, &err), ORR_OK);
        query.memo = memo;
        assert_int_equal(orr_analyze(dump, &query, NULL, &with, &err), ORR_OK);
        for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
            const struct orr_graph *a = &with->parts[0].contribution.graphs[kind],
                                   *b = &without->parts[0].contribution.graphs[kind];
            assert_int_equal(a->channels, b->channels);
            assert_float_equal(a->bw_inter, b->bw_inter, 0);
            assert_int_equal(a->cross_nic, b->cross_nic);
            assert_int_equal(a->steps, b->steps);
        }
        orr_analysis_free(with);
        orr_analysis_free(without);
    }
    orr_search_memo_free(memo);
}
