/* SPDX-License-Identifier: Apache-2.0 */
/* Results of nccl-tests judged: bands, verdicts of rows and tables, the machine, explanations. */
#include "engine/perf/perf.h"

#include <string.h>

#include "engine/input/input.h"
#include "engine/perf/perfing.h"
#include "tests/support/four_gpus.h"

static struct orr_dump *dump;
static struct orr_results *results;
static struct orr_perf_check *check;
static struct orr_error err;

void after_each(void)
{
    orr_perf_check_free(check);
    orr_results_free(results);
    orr_dump_free(dump);
    check = NULL;
    results = NULL;
    dump = NULL;
}

/* Judges a text; machine NULL means the one that is found from the text. */
static const struct orr_perf_table *judge(const char *text, const char *machine, uint32_t hosts)
{
    struct orr_perf_question question = {.hosts = hosts, .test = ORR_TEST_COUNT};
    after_each();
    err = (struct orr_error){0};
    orr_settings_init(&question.settings, orr_release_find("2.27.7"));
    assert_ok(orr_results_read(text, strlen(text), NULL, &results, &err), &err);
    if (machine)
        assert_ok(orr_input_machine(orr_machine_type_find(machine), &dump, &err), &err);
    question.dump = dump;
    question.dump_name = machine;
    assert_ok(orr_perf_judge(results, &question, &check, &err), &err);
    return &check->tables[check->main];
}

#define HEADER "# nThread 1 nGpus 1 minBytes 1048576 maxBytes 8589934592 step: 2(factor) warmup iters: 5 iters: 20\n"
#define COLUMNS                                                                                                        \
    "#       size         count      type   redop    root     time   algbw   busbw #wrong     time   algbw   busbw "   \
    "#wrong\n"
#define DEVICE(rank, host, model) "#  Rank  " #rank " Group  0 Pid 1 on " host " device  0 [0x1b] " model "\n"
/* all_reduce of 16 ranks: busbw = algbw * 15 / 8 */
#define ROW(size, count, time, alg, bus, wrong)                                                                        \
    "  " #size " " #count " float sum -1 " #time " " #alg " " #bus " " #wrong " " #time " " #alg " " #bus " 0\n"

static const char good[] = HEADER COLUMNS ROW(1073741824, 268435456, 4283.5, 250.67, 470.0, 0)
    ROW(2147483648, 536870912, 8423.7, 254.93, 478.0, 0) ROW(4294967296, 1073741824, 16673.0, 257.60, 483.0, 0);
static const char half[] = HEADER COLUMNS ROW(1073741824, 268435456, 7039.4, 152.53, 286.0, 0)
    ROW(2147483648, 536870912, 13932.6, 154.13, 289.0, 2) ROW(4294967296, 1073741824, 27769.2, 154.67, 290.0, 0);

TEST(test_bands)
{
    const struct orr_band_row rows[] = {
        {ORR_PERF_LINK_RDMA, 9, "Ring", "Simple", 5, 0.9, 1.1, 7, 3},
        {ORR_PERF_LINK_RDMA, 8, "Ring", "Simple", 4, 0.8, 1.0, 4, 2},
        {ORR_PERF_LINK_EFA, 9, "Ring", "Simple", 5, 0.7, 0.8, 1, 1},
    };
    struct orr_band_key key = {ORR_PERF_LINK_RDMA, 9, "Ring", "Simple", 5};
    struct orr_band band = orr_band_find(rows, 3, &key);
    assert_true(band.low > 0.863 && band.low < 0.865 && band.high > 1.187 && band.high < 1.189 && !band.wide);
    assert_int_equal(band.results, 7);
    key.range = 4; /* another generation: 8 % for two sources and 10 % more */
    band = orr_band_find(rows, 3, &key);
    assert_true(band.low > 0.655 && band.low < 0.657 && band.wide);
    key.link = ORR_PERF_LINK_EFA; /* one source of another range says nothing */
    band = orr_band_find(rows, 3, &key);
    assert_true(band.low == 0.5 && band.high == 1.6 && band.wide && !band.results);
    key.range = 0;
    assert_true(orr_band_find(rows, 3, &key).low == 0);
    key.range = 5; /* one source of the same kind: 15 % */
    assert_true(orr_band_find(rows, 3, &key).low < 0.7 && orr_band_find(rows, 3, &key).wide);
}

TEST(test_ranges)
{
    assert_int_equal(orr_perf_range((1 << 20) - 1), -1);
    assert_int_equal(orr_perf_range(1 << 20), 0);
    assert_int_equal(orr_perf_range((4 << 20) - 1), 0);
    assert_int_equal(orr_perf_range(256 << 20), 4);
    assert_int_equal(orr_perf_range(UINT64_MAX), 5);
}

static enum orr_perf_verdict verdict_of(const char *verdicts, uint32_t *ret_main)
{
    static const char letters[] = "elh?"; /* as the verdicts are numbered */
    struct orr_perf_row rows[16] = {{0}};
    uint32_t count = 0;
    for (; verdicts[count]; count++) {
        rows[count].size = UINT64_C(1) << (20 + count);
        rows[count].band = (struct orr_band){.low = 0.9, .sources = 3};
        rows[count].verdict = (enum orr_perf_verdict)(strchr(letters, verdicts[count]) - letters);
    }
    return orr_perf_verdict_of(rows, count, ret_main);
}

TEST(test_verdict_of_rows)
{
    uint32_t main;
    assert_int_equal(verdict_of("????", &main), ORR_PERF_CANNOT_JUDGE);
    assert_int_equal(main, UINT32_MAX);
    assert_int_equal(verdict_of("llllleee", &main), ORR_PERF_EXPECTED); /* small sizes alone decide nothing */
    assert_int_equal(main, 7);
    assert_int_equal(verdict_of("eeeeeell", &main), ORR_PERF_LOW);
    assert_int_equal(main, 7);
    assert_int_equal(verdict_of("eeeeeeel", &main), ORR_PERF_EXPECTED);
    assert_int_equal(verdict_of("eeeeeellleee", &main), ORR_PERF_LOW); /* three in a row from 64 MiB on */
    assert_int_equal(main, 8);
    assert_int_equal(verdict_of("eeeeelleee", &main), ORR_PERF_EXPECTED);
    assert_int_equal(verdict_of("eehh??", &main), ORR_PERF_HIGH);
    assert_int_equal(main, 3);
}

TEST(test_as_expected)
{
    const struct orr_perf_table *table = judge(good, "hgx-h100", 2);
    assert_int_equal(table->test, ORR_TEST_ALL_REDUCE);
    assert_int_equal(table->analysis->ranks, 16);
    assert_int_equal(table->row_count, 3);
    assert_int_equal(table->verdict, ORR_PERF_EXPECTED);
    assert_int_equal(table->explanation_count, 0);
    assert_string_equal(table->machine, "hgx-h100, 2 hosts of 8 GPUs, NCCL 2.27.7");
    assert_string_equal(table->machine_source, "machine type");
}

static bool names(const struct orr_perf_explanation *explanation, const char *id)
{
    for (uint32_t i = 0; i < explanation->id_count; i++)
        if (!strcmp(explanation->ids[i], id))
            return true;
    return false;
}

TEST(test_low_is_explained)
{
    const struct orr_perf_table *table = judge(half, "hgx-h100", 2);
    assert_int_equal(table->verdict, ORR_PERF_LOW);
    assert_non_null(strstr(table->sentence, "290 GB/s at 4 GiB is "));
    assert_non_null(strstr(table->sentence, " % of what this machine should give (predicted "));
    assert_true(table->explanation_count > 0);
    assert_true(names(&table->explanations[0], "fewer-nics"));
    assert_non_null(strstr(table->explanations[0].what, "4 of 8 NICs are used"));
    assert_true(table->shape_count > 0 && table->shapes[0].kind == ORR_PERF_SHAPE_WRONG);
    assert_non_null(strstr(table->shapes[0].sentence, "2 wrong values"));
}

/* Every number of NICs is tried, not only halves. */
TEST(test_so_many_of_the_nics)
{
    const struct orr_perf_table *table = judge(HEADER COLUMNS ROW(2147483648, 536870912, 17975, 119.5, 224.0, 0)
                                                   ROW(4294967296, 1073741824, 35791, 120.0, 225.0, 0),
                                               "hgx-h100", 2);
    assert_int_equal(table->verdict, ORR_PERF_LOW);
    assert_true(table->all_tried && names(&table->explanations[0], "fewer-nics"));
    assert_non_null(strstr(table->explanations[0].what, "3 of 8 NICs are used"));
}

/* PCIe ACS has a curve of its own. Causes with the same curve are named with it, each with its command. */
TEST(test_acs)
{
    const struct orr_perf_table *table = judge(HEADER COLUMNS ROW(2147483648, 536870912, 16236, 132.3, 248.0, 0)
                                                   ROW(4294967296, 1073741824, 32276, 133.1, 249.5, 0),
                                               "hgx-h100", 2);
    uint32_t at = 0;
    while (at < table->explanation_count && !names(&table->explanations[at], "acs"))
        at++;
    assert_true(at < table->explanation_count);
    assert_non_null(strstr(table->explanations[at].what, "PCIe ACS is on"));
    assert_non_null(strstr(table->explanations[at].confirm, "lspci -vvv | grep ACSCtl"));
    assert_true(table->explanations[at].curve[1] > 240 && table->explanations[at].curve[1] < 255);
}

/* Advice that neither a line nor a trial supports comes apart from what has evidence; a line of lspci is evidence. */
TEST(advice_without_evidence_is_no_lead)
{
    const struct orr_perf_table *table = judge(HEADER COLUMNS ROW(2147483648, 536870912, 26845, 80.0, 149.9, 0)
                                                   ROW(4294967296, 1073741824, 53687, 80.0, 150.0, 0),
                                               "hgx-h100", 2);
    assert_true(names(&table->explanations[0], "fewer-nics") && table->explanations[0].fit > 0.95);
    assert_int_equal(table->lead_count, 0);
    assert_non_null(strstr(table->advice, "Neither a trial nor a line"));
    assert_non_null(strstr(table->advice, "acsctl"));
    table = judge(
        "\t\tACSCtl:\tSrcValid+ TransBlk- ReqRedir+ CmpltRedir+ UpstreamFwd+ EgressCtrl- DirectTrans-\n" HEADER COLUMNS
            ROW(2147483648, 536870912, 26845, 80.0, 149.9, 0) ROW(4294967296, 1073741824, 53687, 80.0, 150.0, 0),
        "hgx-h100", 2);
    assert_non_null(strstr(table->leads[0], "PCIe ACS is on (line 1)"));
    assert_null(table->advice);
}

#define LEAF(bus, first, second)                                                                                       \
    SWITCH("0000:" bus "0:00.0")                                                                                       \
    GPU("0000:" bus "1:00.0", first, "80", "") GPU("0000:" bus "2:00.0", second, "80", "") "</pci>"
#define TWO_LEVELS                                                                                                     \
    "<system version=\"1\">" CPU("0", SWITCH("0000:10:00.0") LEAF("2", "0", "1") LEAF("3", "2", "3")                   \
                                          LEAF("4", "4", "5") LEAF("5", "6", "7") "</pci>") "</system>"
/* all_reduce of 8 ranks at 5 GB/s: P2P over one switch, but through the CPU between the pairs below the root switch */
#define FIVE                                                                                                           \
    ROW(1073741824, 268435456, 375810, 2.857, 5.0, 0)                                                                  \
    ROW(2147483648, 536870912, 751619, 2.857, 5.0, 0)                                                                  \
    ROW(4294967296, 1073741824, 1503238, 2.857, 5.0, 0)

/* A setting that usually explains logs explains a benchmark as well if no usual cause does, unless the job was given
 * another value. */
TEST(test_level_of_p2p)
{
    struct orr_perf_question question = {.hosts = 1, .test = ORR_TEST_ALL_REDUCE};
    for (int given = 0; given < 2; given++) {
        after_each();
        orr_settings_init(&question.settings, orr_release_find("2.27.7"));
        if (given)
            assert_ok(orr_settings_set(&question.settings, "NCCL_P2P_LEVEL", "PXB", &err), &err);
        assert_ok(orr_results_read(HEADER COLUMNS FIVE, strlen(HEADER COLUMNS FIVE), NULL, &results, &err), &err);
        dump = read_text(TWO_LEVELS);
        question.dump = dump;
        assert_ok(orr_perf_judge(results, &question, &check, &err), &err);
        const struct orr_perf_table *table = &check->tables[0];
        bool named = table->explanation_count && names(&table->explanations[0], "p2p-level");
        assert_int_equal(table->verdict, ORR_PERF_LOW);
        assert_int_equal(named, !given);
        if (named) {
            assert_non_null(strstr(table->explanations[0].what, "NCCL_P2P_LEVEL=PIX is set: predicted 5 GB/s"));
            assert_non_null(strstr(table->explanations[0].confirm, "look for NCCL_P2P_LEVEL"));
        }
    }
}

/* The network that NCCL's own lines name proves TCP, or refutes it. */
TEST(test_log_refutes)
{
#define SLOW(line)                                                                                                     \
    HEADER line COLUMNS ROW(2147483648, 536870912, 161061, 13.33, 25.0, 0)                                             \
        ROW(4294967296, 1073741824, 322123, 13.33, 25.0, 0)
    const struct orr_perf_table *table = judge(SLOW(""), "hgx-h100", 2);
    assert_true(table->explanation_count && names(&table->explanations[0], "tcp"));
    table = judge(SLOW("n1:10:10 [0] NCCL INFO Using network Socket\n"), "hgx-h100", 2);
    assert_true(names(&table->explanations[0], "tcp") && *table->explanations[0].evidence);
    table = judge(SLOW("n1:10:10 [0] NCCL INFO Using network IB\n"), "hgx-h100", 2);
    for (uint32_t i = 0; i < table->explanation_count; i++)
        assert_false(names(&table->explanations[i], "tcp"));
}

TEST(test_without_a_machine)
{
    const struct orr_perf_table *table = judge(good, NULL, 0);
    assert_int_equal(table->verdict, ORR_PERF_CANNOT_JUDGE);
    assert_null(table->analysis);
    assert_non_null(strstr(table->sentence, "--machine TYPE"));
    table = judge(good, "dgx-2", 1); /* 16 ranks fit it */
    assert_non_null(table->analysis);
    table = judge(good, "hgx-h100", 1);
    assert_int_equal(table->verdict, ORR_PERF_CANNOT_JUDGE);
    assert_non_null(strstr(table->sentence, "16 ranks"));
    table = judge(good, "hgx-h100", 32); /* more hosts than ranks */
    assert_int_equal(table->verdict, ORR_PERF_CANNOT_JUDGE);
    assert_non_null(strstr(table->sentence, "16 ranks on 32 hosts"));
}

/* The network of a guessed machine is assumed. 20 GB/s are low for every speed of NICs that could give as much; 135 are
 * what some NICs should give, and too little for faster ones: a question with its answers. */
TEST(test_guessed_machine)
{
#define RANKS                                                                                                          \
    DEVICE(0, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(1, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(2, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(3, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(4, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(5, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(6, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(7, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(8, "b", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(9, "b", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(10, "b", "NVIDIA H100 80GB HBM3")                                                                           \
    DEVICE(11, "b", "NVIDIA H100 80GB HBM3")                                                                           \
    DEVICE(12, "b", "NVIDIA H100 80GB HBM3")                                                                           \
    DEVICE(13, "b", "NVIDIA H100 80GB HBM3")                                                                           \
    DEVICE(14, "b", "NVIDIA H100 80GB HBM3") DEVICE(15, "b", "NVIDIA H100 80GB HBM3")
    const struct orr_perf_table *table =
        judge(HEADER "# Using devices\n" RANKS COLUMNS ROW(4294967296, 1073741824, 402653, 10.67, 20.0, 0), NULL, 0);
    assert_string_equal(table->machine_source, "guessed");
    assert_int_equal(table->analysis->query.hosts, 2);
    assert_int_equal(table->verdict, ORR_PERF_LOW);
    for (uint32_t i = 0; i < table->depends.count; i++)
        assert_int_equal(table->depends.rows[i].verdict, ORR_PERF_LOW);
    assert_non_null(strstr(table->assumed[0], "guessed from the names of the GPUs"));
    table = judge(HEADER "# Using devices\n" RANKS COLUMNS ROW(4294967296, 1073741824, 59652, 72.0, 135.0, 0), NULL, 0);
    assert_int_equal(table->verdict, ORR_PERF_CANNOT_JUDGE);
    assert_true(table->depends.count > 1);
    assert_int_equal(table->depends.rows[0].verdict, ORR_PERF_EXPECTED);
    assert_int_equal(table->depends.rows[table->depends.count - 1].verdict, ORR_PERF_LOW);
    assert_non_null(strstr(table->sentence, "which is it?"));
    assert_non_null(strstr(table->sentence, "as expected if the NICs run at"));
    assert_non_null(strstr(table->sentence, "low ("));
    assert_non_null(strstr(table->assumed[table->assumed_count - 1], "for the predictions of the table"));
    /* NVLinks limit here, which the model of the GPUs shows; slower NICs could not give as much, faster ones no more */
    table =
        judge(HEADER "# Using devices\n" RANKS COLUMNS ROW(4294967296, 1073741824, 17500, 245.0, 460.0, 0), NULL, 0);
    assert_int_equal(table->limit.kinds, 1u << ORR_LINKS_NVLINK);
    assert_int_equal(table->verdict, ORR_PERF_EXPECTED);
    /* a type that the user names is not an assumption */
    table = judge(HEADER "# Using devices\n" RANKS COLUMNS ROW(4294967296, 1073741824, 17500, 245.0, 460.0, 0),
                  "hgx-h100", 2);
    assert_int_equal(table->verdict, ORR_PERF_EXPECTED);
    assert_int_equal(table->depends.count, 0);
}

#define FOUR_RANKS                                                                                                     \
    DEVICE(0, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(1, "a", "NVIDIA H100 80GB HBM3")                                                                            \
    DEVICE(2, "a", "NVIDIA H100 80GB HBM3") DEVICE(3, "a", "NVIDIA H100 80GB HBM3")

/* A board of four H100 joins them directly. NVLink SHARP in NCCL's own lines shows an NVSwitch, so that four of eight
 * GPUs took part. */
TEST(test_nvls_shows_a_switch)
{
    const struct orr_perf_table *table = judge(
        HEADER "# Using devices\n" FOUR_RANKS COLUMNS ROW(4294967296, 1073741824, 402653, 10.67, 16.0, 0), NULL, 0);
    assert_string_equal(table->machine_name, "hgx-h100-4");
    table = judge(HEADER
                  "# Using devices\n" FOUR_RANKS
                  "n1:10:10 [0] NCCL INFO AllReduce: 4294967296 Bytes -> Algo NVLS proto SIMPLE time 5.0\n" COLUMNS ROW(
                      4294967296, 1073741824, 402653, 10.67, 16.0, 0),
                  NULL, 0);
    assert_string_equal(table->machine_name, "dgx-h100");
    assert_int_equal(table->analysis->ranks, 4);
}

/* The user names GPUs; how many ranks gave the results, they do not show. */
TEST(test_chosen_gpus)
{
    static const char rows[] =
        COLUMNS "  4294967296 1073741824 float none 0 402653 10.67 10.67 0 402653 10.67 10.67 0\n";
    struct orr_perf_question question = {.hosts = 1, .test = ORR_TEST_BROADCAST};
    after_each();
    orr_settings_init(&question.settings, orr_release_find("2.27.7"));
    question.settings.gpus = "0,1,2";
    assert_ok(orr_results_read(rows, strlen(rows), NULL, &results, &err), &err);
    assert_ok(orr_input_machine(orr_machine_type_find("hgx-h100"), &dump, &err), &err);
    question.dump = dump;
    assert_ok(orr_perf_judge(results, &question, &check, &err), &err);
    const struct orr_perf_table *table = &check->tables[0];
    bool said = false;
    for (uint32_t i = 0; i < table->assumed_count; i++)
        said |=
            strstr(table->assumed[i], "the 3 ranks were the chosen GPUs on 1 host, as the results do not show") != NULL;
    assert_true(said);
}
