/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that NCCL_GRAPH_FILE gives: read beside a dump, taken in place of a search, refused if they do not fit. */
#include "engine/input/input.h"
#include "tests/support/fixture.h"

#define HOST                                                                                                           \
    "<system version=\"1\">\n<cpu numaid=\"0\" " X86_INTEL ">\n" SWITCH("0000:16:00.0")                                \
        GPU("0000:17:00.0", "0", "80", "") GPU("0000:18:00.0", "1", "80", "")                                          \
            NIC("0000:19:00.0", "0", "100000") "</pci>\n</cpu></system>\n"
#define GRAPH(id, pattern, cross, channels, inside)                                                                    \
    "<graph id=\"" id "\" pattern=\"" pattern "\" crossnic=\"" cross "\" nchannels=\"" channels                        \
    "\" speedintra=\"5\" speedinter=\"6\" latencyinter=\"0\" typeintra=\"PHB\" typeinter=\"PXB\" "                     \
    "samechannels=\"1\">" inside "</graph>"
#define CHANNEL(a, b)   "<channel><net dev=\"0\"/><gpu dev=\"" a "\"/><gpu dev=\"" b "\"/><net dev=\"0\"/></channel>\n"
#define FILE_OF(inside) HOST "<graphs version=\"1\">" inside "</graphs>\n"

static enum orr_code analyse(const char *text, const char *release, uint32_t hosts, struct orr_dump **ret_dump,
                             struct orr_analysis **ret_analysis, struct orr_error *err)
{
    struct orr_query query = {.hosts = hosts};
    *err = (struct orr_error){0};
    *ret_analysis = NULL;
    *ret_dump = NULL;
    orr_settings_init(&query.settings, orr_release_find(release));
    ORR_TRY(orr_input_read(text, strlen(text), NULL, ret_dump, err));
    return orr_analyze(*ret_dump, &query, NULL, ret_analysis, err);
}

TEST(test_graphs_replace_the_search)
{
    static const char text[] =
        FILE_OF(GRAPH("0", "4", "0", "2", CHANNEL("0x1", "0") CHANNEL("0", "0x1")) GRAPH("1", "3", "0", "0", ""));
    struct orr_error err;
    ORR_LOCAL(orr_dump, dump);
    ORR_LOCAL(orr_analysis, analysis);
    assert_ok(analyse(text, "2.27.7", 2, &dump, &analysis, &err), &err);
    const struct orr_graph *graphs = analysis->parts[0].contribution.graphs, *ring = &graphs[ORR_GRAPH_RING];
    assert_int_equal(ring->channels, 2);
    assert_int_equal(ring->gpus[0], 1);
    assert_int_equal(ring->gpus[1], 0);
    assert_float_equal(ring->bw_intra, 5, 0);
    assert_float_equal(ring->bw_inter, 6, 0);
    assert_int_equal(ring->type_intra, ORR_PATH_PHB);
    assert_int_equal(ring->type_inter, ORR_PATH_PXB);
    assert_int_equal(ring->story.end, ORR_END_FILE);
    assert_int_equal(graphs[ORR_GRAPH_TREE].channels, 2); /* none in the file: searched, as many as the ring has */
    assert_int_not_equal(graphs[ORR_GRAPH_TREE].story.end, ORR_END_FILE);
}

/* Numbers are hexadecimal from the release on whose ids name a system; decimal before, where "0x1" is 0. */
TEST(test_numbers_by_release)
{
    static const struct {
        const char *release, *first, *second;
        bool fits;
    } cases[] = {{"2.27.7", "0x0", "0x1", true},
                 {"2.27.7", "0", "1", true},
                 {"2.12.12", "0", "1", true},
                 {"2.12.12", "0x0", "0x1", false},
                 {"2.27.7", "0x100000000000000", "1", false}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_error err;
        struct orr_dump *dump;
        struct orr_analysis *analysis;
        char text[4096];
        snprintf(text, sizeof text,
                 HOST "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" "
                      "speedintra=\"5\" speedinter=\"5\" typeintra=\"PHB\" typeinter=\"PXB\" samechannels=\"1\">"
                      "<channel><gpu dev=\"%s\"/><gpu dev=\"%s\"/></channel></graph>"
                      "</graphs>",
                 cases[i].first, cases[i].second);
        enum orr_code code = analyse(text, cases[i].release, 1, &dump, &analysis, &err);
        assert_int_equal(code == ORR_OK, cases[i].fits);
        orr_analysis_free(analysis);
        orr_dump_free(dump);
    }
}

TEST(test_a_graph_that_crosses_nics_needs_leave)
{
    static const char text[] = FILE_OF(GRAPH("0", "4", "1", "1", CHANNEL("0x1", "0")));
    for (int value = 0; value <= 2; value++) {
        struct orr_error err = {0};
        struct orr_dump *dump;
        struct orr_analysis *analysis;
        struct orr_query query = {.hosts = 2};
        char number[2] = {(char)('0' + value), 0};
        orr_settings_init(&query.settings, orr_release_find("2.27.7"));
        assert_ok(orr_settings_set(&query.settings, "NCCL_CROSS_NIC", number, &err), &err);
        assert_ok(orr_input_read(text, strlen(text), NULL, &dump, &err), &err);
        assert_ok(orr_analyze(dump, &query, NULL, &analysis, &err), &err);
        assert_int_equal(analysis->parts[0].contribution.graphs[ORR_GRAPH_RING].story.end == ORR_END_FILE, value != 0);
        orr_analysis_free(analysis);
        orr_dump_free(dump);
    }
}

TEST(test_what_does_not_fit_is_refused)
{
    static const struct {
        const char *text, *words;
        uint32_t line;
    } cases[] = {
        {FILE_OF(GRAPH("0", "4", "0", "1", "\n" CHANNEL("0", "0x7"))), "a GPU that this machine does not have", 6},
        {FILE_OF(GRAPH("0", "4", "0", "1", CHANNEL("0", "0"))), "a GPU twice", 5},
        {FILE_OF(GRAPH("0", "4", "0", "1", "<channel><gpu dev=\"0\"/></channel>")), "does not name every GPU", 5},
        {FILE_OF(GRAPH("0", "4", "0", "2", CHANNEL("0", "0x1"))), "fewer channels than its nchannels", 5},
        {FILE_OF(GRAPH("0", "5", "0", "1", "<channel><gpu dev=\"0\"/></channel>")), "another pattern", 5},
        {FILE_OF(GRAPH("1", "4", "0", "1", CHANNEL("0", "0x1"))), "another pattern", 5},
        {HOST "<graphs><graph/></graphs>\n", "no attribute version", 5},
        {HOST "<graphs version=\"2\"></graphs>\n", "version=\"2\"", 5},
        {FILE_OF("<graph id=\"0\" pattern=\"4\" nchannels=\"1\"></graph>"), "no attribute crossnic", 5},
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_error err;
        struct orr_dump *dump;
        struct orr_analysis *analysis;
        enum orr_code code = analyse(cases[i].text, "2.27.7", 2, &dump, &analysis, &err);
        if (code == ORR_OK || !strstr(err.text, cases[i].words))
            fail_msg("case %zu: %s", i, err.text);
        assert_int_equal(err.line, cases[i].line);
        orr_dump_free(dump);
    }
}

/* NCCL has no word for C2C, NET and DIS in these files, and reads every word that it does not have as LOC. */
TEST(test_words_of_types)
{
    static const struct {
        const char *word;
        enum orr_path_type type;
    } cases[] = {{"NVL", ORR_PATH_NVL}, {"P2C", ORR_PATH_P2C},   {"SYS", ORR_PATH_SYS}, {"C2C", ORR_PATH_LOC},
                 {"NET", ORR_PATH_LOC}, {"bogus", ORR_PATH_LOC}, {"phb", ORR_PATH_LOC}};
    static const char *const releases[] = {"2.27.7", "2.30.7"};
    for (size_t i = 0; i < 2 * sizeof cases / sizeof *cases; i++) {
        char text[4096];
        struct orr_error err;
        ORR_LOCAL(orr_dump, dump);
        ORR_LOCAL(orr_analysis, analysis);
        snprintf(text, sizeof text,
                 HOST
                 "<graphs version=\"1\"><graph id=\"0\" pattern=\"4\" crossnic=\"0\" nchannels=\"1\" "
                 "speedintra=\"5\" speedinter=\"5\" typeintra=\"%s\" typeinter=\"PXB\" samechannels=\"1\">" CHANNEL(
                     "0", "0x1") "</graph></graphs>",
                 cases[i / 2].word);
        assert_ok(analyse(text, releases[i % 2], 1, &dump, &analysis, &err), &err);
        assert_int_equal(analysis->parts[0].contribution.graphs[ORR_GRAPH_RING].type_intra, cases[i / 2].type);
    }
}

/* NCCL takes the first nchannels; without any graph in the file, it searches for each. */
static void use_the_first_channels(const char *release)
{
    struct orr_error err;
    ORR_LOCAL(orr_dump, dump);
    ORR_LOCAL(orr_analysis, analysis);
    ORR_LOCAL(orr_dump, empty);
    ORR_LOCAL(orr_analysis, searched);
    assert_ok(analyse(FILE_OF(GRAPH("0", "4", "0", "1", CHANNEL("1", "0") CHANNEL("0", "1"))), release, 2, &dump,
                      &analysis, &err),
              &err);
    const struct orr_graph *ring = &analysis->parts[0].contribution.graphs[ORR_GRAPH_RING];
    assert_int_equal(ring->channels, 1);
    assert_int_equal(ring->gpus[0], 1);
    assert_ok(analyse(FILE_OF(""), release, 2, &empty, &searched, &err), &err);
    ring = &searched->parts[0].contribution.graphs[ORR_GRAPH_RING];
    assert_true(ring->channels > 0 && ring->story.end != ORR_END_FILE);
}

TEST(test_fewer_channels_than_listed)
{
    static const char *const releases[] = {"2.12.12", "2.21.5", "2.27.7", "2.28.9", "2.30.7"};
    for (size_t i = 0; i < sizeof releases / sizeof *releases; i++)
        use_the_first_channels(releases[i]);
}

/* A dump of 2.30.7 names GPUs by rank too. The other hosts read the same numbers, so NCCL fails there. */
TEST(test_ranks_are_those_of_one_host)
{
    static const char text[] = FILE_OF(
        GRAPH("0", "4", "0", "1", "<channel><gpu dev=\"0\" rank=\"0\"/><gpu dev=\"0x1\" rank=\"1\"/></channel>"));
    static const struct {
        const char *release;
        uint32_t hosts;
        bool fits;
    } cases[] = {{"2.30.7", 1, true}, {"2.30.7", 2, false}, {"2.27.7", 2, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_error err;
        ORR_LOCAL(orr_dump, dump);
        ORR_LOCAL(orr_analysis, analysis);
        enum orr_code code = analyse(text, cases[i].release, cases[i].hosts, &dump, &analysis, &err);
        assert_int_equal(code == ORR_OK, cases[i].fits);
        assert_true(code == ORR_OK || strstr(err.text, "by their ranks on one host"));
    }
}

/* NICs that the machine does not have change no decision and do no harm. */
TEST(test_unknown_nics_do_no_harm)
{
    static const char text[] = FILE_OF(GRAPH("0", "4", "0", "1",
                                             "<channel><net dev=\"0xffffffffffffffff\"/><gpu dev=\"0\"/><gpu "
                                             "dev=\"0x1\"/><net dev=\"77\"/></channel>"));
    struct orr_error err;
    struct orr_dump *dump;
    struct orr_analysis *analysis;
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    for (uint32_t i = 0; i < count; i++)
        if (!analyse(text, releases[i].name, 2, &dump, &analysis, &err)) {
            orr_analysis_free(analysis);
            orr_dump_free(dump);
        } else {
            assert_non_null(strstr(err.text, "graph file"));
            orr_dump_free(dump);
        }
}
