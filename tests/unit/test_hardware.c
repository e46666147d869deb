/* SPDX-License-Identifier: Apache-2.0 */
/* The facts of a dump's hardware: PCIe by its standard, equal devices, and that whoever shows a device as slower than
 * its equals shows the same ones: the drawing, the findings and the comparison. */
#include <glob.h>
#include <stdio.h>

#include "engine/compare/compare.h"
#include "engine/compare/majority.h"
#include "engine/diagram/diagram.h"
#include "engine/findings/findings.h"
#include "engine/hardware/hardware.h"
#include "tests/support/fixture.h"

enum { MOST_NAMES = 64 };

struct names { /* ids of nodes, each once, sorted */
    char ids[MOST_NAMES][ORR_NODE_ID_SIZE];
    uint32_t count;
};

static int compare_ids(const void *left, const void *right)
{
    return strcmp(left, right);
}

static void add_name(struct names *names, const char *id, size_t length)
{
    char text[ORR_NODE_ID_SIZE] = "";
    memcpy(text, id, length < sizeof text ? length : sizeof text - 1);
    for (uint32_t i = 0; i < names->count; i++)
        if (!strcmp(names->ids[i], text))
            return;
    assert_true(names->count < MOST_NAMES);
    memcpy(names->ids[names->count++], text, sizeof text);
    qsort(names->ids, names->count, sizeof *names->ids, compare_ids);
}

/* Devices that the drawing of the machine marks, and how many links. */
static struct names drawn_as_degraded(const struct orr_analysis *analysis, uint32_t *ret_links)
{
    struct names names = {.count = 0};
    struct orr_error err = {0};
    struct orr_text text;
    struct orr_diagram_request request = {.view = ORR_VIEW_SYSTEM};
    size_t length;
    orr_text_init(&text, 1 << 24);
    assert_ok(orr_diagram_dot(analysis, &request, &text, &err), &err);
    char *dot = orr_text_take(&text, &length);
    assert_non_null(dot);
    *ret_links = 0;
    for (const char *at = strstr(dot, "id=\""); at; at = strstr(at, "id=\"")) {
        at += strlen("id=\"");
        size_t id = strcspn(at, "\"");
        const char *class = at + id;
        if (strncmp(class, "\",class=\"", strlen("\",class=\"")) != 0)
            continue;
        class += strlen("\",class=\"");
        const char *word = strstr(class, "degraded");
        if (!word || word > class + strcspn(class, "\""))
            continue;
        if (!strncmp(class, "link ", strlen("link ")))
            ++*ret_links;
        else
            add_name(&names, at, id);
    }
    free(dot);
    return names;
}

/* Devices that findings name as slower than their equals; those that are not part of the system have no node. */
static struct names found_slower(const struct orr_analysis *analysis)
{
    static const char *const ids[] = {"slow-link", "nvlink-count", "port-slow"};
    struct names names = {.count = 0};
    struct orr_error err = {0};
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_findings findings;
    assert_non_null(arena);
    assert_ok(orr_find(analysis->dump, analysis, arena, &findings, &err), &err);
    for (uint32_t i = 0; i < findings.count; i++)
        for (size_t k = 0; k < sizeof ids / sizeof ids[0]; k++)
            for (uint32_t p = 0; !strcmp(findings.rows[i].row->id, ids[k]) && p < findings.rows[i].place_count; p++) {
                assert_int_equal(findings.rows[i].more_places, 0);
                if (*findings.rows[i].places[p].node)
                    add_name(&names, findings.rows[i].places[p].node, ORR_NODE_ID_SIZE);
            }
    return names;
}

static void assert_same_names(const struct names *drawn, const struct names *found, const char *where)
{
    for (uint32_t i = 0; i < drawn->count || i < found->count; i++) {
        const char *a = i < drawn->count ? drawn->ids[i] : "nothing", *b = i < found->count ? found->ids[i] : "nothing";
        if (strcmp(a, b) != 0)
            fail_msg("%s: the drawing marks %s, findings name %s", where, a, b);
    }
}

/* The figures by which comparisons show a device differ wherever it is slower than its equal. */
static void assert_figures_differ(const struct orr_dump *dump, const char *where)
{
    static const char *const names[ORR_SLOWER_KIND_COUNT][2] = {[ORR_SLOWER_PCIE] = {"link_speed", "link_width"},
                                                                [ORR_SLOWER_C2C] = {"c2c", "c2c"},
                                                                [ORR_SLOWER_PORT] = {"speed", "speed"}};
    struct orr_error err = {0};
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_devices devices;
    assert_non_null(arena);
    assert_ok(orr_devices_read(dump, arena, &devices, &err), &err);
    for (uint32_t i = 0; i < devices.hw.slower_count; i++) {
        const struct orr_slower *row = &devices.hw.slower[i];
        char has[ORR_FIGURE_SIZE], best_has[ORR_FIGURE_SIZE];
        bool differs = !names[row->kind][0] || row->element == row->best;
        for (size_t f = 0; orr_figure(f) && !differs; f++)
            if (!strcmp(orr_figure(f)->name, names[row->kind][0]) || !strcmp(orr_figure(f)->name, names[row->kind][1]))
                differs = orr_figure_of(&devices, devices.of_element[row->element], f, has) &&
                          orr_figure_of(&devices, devices.of_element[row->best], f, best_has) &&
                          strcmp(has, best_has) != 0;
        if (!differs)
            fail_msg("%s: the element on line %u is slower, but its figures equal those of its equal", where,
                     dump->elements[row->element].line);
    }
}

TEST(pcie_by_its_standard)
{
    static const char *const texts[] = {"2.5 GT/s PCIe",  "5.0 GT/s PCIe",  "8.0 GT/s PCIe",
                                        "16.0 GT/s PCIe", "32.0 GT/s PCIe", "64.0 GT/s PCIe"};
    static const float gbs_of_x16[] = {4, 8, 15.754f, 31.508f, 63.015f, 126.031f};
    for (unsigned generation = 1; generation <= sizeof texts / sizeof texts[0]; generation++) {
        float rate = orr_pcie_read_rate(texts[generation - 1]);
        assert_string_equal(orr_pcie_speed_text(generation), texts[generation - 1]);
        assert_float_equal(rate, orr_pcie_rate(generation), 0);
        assert_int_equal(orr_pcie_generation(rate), generation);
        assert_float_equal(orr_pcie_gbs(rate, 16), gbs_of_x16[generation - 1], 0.001);
    }
    assert_float_equal(orr_pcie_read_rate("16 GT/s"), 16, 0);
    assert_float_equal(orr_pcie_read_rate(""), 0, 0);
    assert_float_equal(orr_pcie_read_rate("Unknown"), 0, 0);
    assert_float_equal(orr_pcie_read_rate("1e30"), 0, 0);
    assert_int_equal(orr_pcie_generation(12), 0);
    assert_float_equal(orr_pcie_gbs(0, 16), 0, 0);
}

#define LINK(width) " link_speed=\"32.0 GT/s PCIe\" link_width=\"" width "\">"
#define CARD(bus, class, vendor, device, inside)                                                                       \
    "<pci busid=\"0000:" bus                                                                                           \
    ":00.0\" class=\"" class "\" vendor=\"" vendor "\" device=\"" device                                               \
                             "\" subsystem_vendor=\"0x15d9\" subsystem_device=\"0x1\"" LINK("16") inside "</pci>"
#define SWITCH_OF(bus, inside) CARD(bus, "0x060400", "0x10b5", "0x8764", inside)
#define GPU_OF(bus, rank, links)                                                                                       \
    CARD(bus, "0x030200", "0x10de", "0x2330",                                                                          \
         "<gpu dev=\"" rank "\" sm=\"90\" rank=\"" rank "\" gdr=\"1\">" links "</gpu>")
#define NIC_OF(bus, dev)                                                                                               \
    CARD(bus, "0x020700", "0x15b3", "0x1021",                                                                          \
         "<nic><net name=\"mlx5_" dev "\" dev=\"" dev "\" speed=\"400000\" port=\"1\" guid=\"0x10" dev                 \
         "\" maxconn=\"131072\" gdr=\"1\"/></nic>")
#define NODE(numa, inside) "<cpu numaid=\"" numa "\" host_hash=\"0x5\" " X86_INTEL ">" inside "</cpu>"
#define TO_SWITCHES        "<nvlink target=\"fffffff:ffff:ff\" count=\"18\" tclass=\"0x068000\"/>"
#define TO(bus)            "<nvlink target=\"0000:" bus ":00.0\" count=\"4\" tclass=\"0x030200\"/>"
/* Two switches with two GPUs each; the second has two NICs as well. */
#define MACHINE(links0, links1, links2, links3)                                                                        \
    "<system version=\"1\">" NODE("0", SWITCH_OF("10", GPU_OF("11", "0", links0) GPU_OF("12", "1", links1)))           \
        NODE("1", SWITCH_OF("20", GPU_OF("21", "2", links2) GPU_OF("22", "3", links3) NIC_OF("23", "0")                \
                                      NIC_OF("24", "1"))) "</system>"

static const char switched[] = MACHINE(TO_SWITCHES, TO_SWITCHES, TO_SWITCHES, TO_SWITCHES);
static const char direct[] = MACHINE(TO("12") TO("21") TO("22"), TO("11") TO("21") TO("22"), TO("11") TO("12") TO("22"),
                                     TO("11") TO("12") TO("21"));

#define C2C "<c2c bw=\"44712\" count=\"10\"/>"
static const char grace[] =
    "<system version=\"1\">" NODE("0", GPU_OF("11", "0", C2C)) NODE("1", GPU_OF("21", "1", C2C)) "</system>";

static const struct degraded {
    const char *machine, *after, *from, *to; /* the first `from` after `after` becomes `to` */
    const char *node;                        /* who is slower then */
    const char *figure;                      /* by which a comparison with the healthy machine shows it */
    bool link;                               /* a link of it is marked, in each release that has the link */
} degrades[] = {
    {switched, "0000:10:", "link_width=\"16\"", "link_width=\"8\"", "PCI/0-10000", "link_width", true},
    {switched, "0000:20:", "\"32.0 GT/s PCIe\"", "\"16.0 GT/s PCIe\"", "PCI/0-20000", "link_speed", true},
    {switched, "0000:22:", "link_width=\"16\"", "link_width=\"8\"", "GPU/0-22000", "link_width", true},
    {switched, "0000:11:", "\"32.0 GT/s PCIe\"", "\"8.0 GT/s PCIe\"", "GPU/0-11000", "link_speed", true},
    {switched, "0000:24:", "link_width=\"16\"", "link_width=\"4\"", "NIC/0-24000", "link_width", true},
    {grace, "0000:21:", "count=\"10\"", "count=\"5\"", "GPU/0-21000", "c2c", false},
    {switched, "0000:21:", "count=\"18\"", "count=\"17\"", "GPU/0-21000", "nvswitches", true},
    {switched, "mlx5_1", "speed=\"400000\"", "speed=\"200000\"", "NET/0-1", "speed", true},
    {switched, "mlx5_0", "speed=\"400000\"", "speed=\"-1\"", "NET/0-0", "speed", true},
    {direct, "dev=\"3\"", "count=\"4\"", "count=\"1\"", "GPU/0-22000", "nvlinks", false},
};
enum { DEGRADES = sizeof degrades / sizeof degrades[0] };

/* free() it. */
static char *altered(const struct degraded *row)
{
    const char *at = strstr(strstr(row->machine, row->after), row->from);
    size_t size = strlen(row->machine) + strlen(row->to) + 1;
    char *text = malloc(size);
    assert_non_null(at);
    assert_non_null(text);
    snprintf(text, size, "%.*s%s%s", (int)(at - row->machine), row->machine, row->to, at + strlen(row->from));
    return text;
}

TEST(whoever_shows_a_degraded_device_shows_the_same_one)
{
    static const char *const releases[] = {"2.7.8", "2.12.12", "2.21.5", "2.27.7", "2.30.7"};
    for (size_t r = 0; r < sizeof releases / sizeof releases[0]; r++)
        for (size_t i = 0; i < DEGRADES; i++) {
            char *text = altered(&degrades[i]), where[160];
            struct fixture f = analyse_in(releases[r], text, 1, NULL);
            uint32_t links;
            struct names drawn = drawn_as_degraded(f.analysis, &links), found = found_slower(f.analysis);
            snprintf(where, sizeof where, "%s in %s", degrades[i].to, releases[r]);
            assert_same_names(&drawn, &found, where);
            assert_int_equal(drawn.count, 1);
            assert_string_equal(strrchr(drawn.ids[0], '-') ? strrchr(drawn.ids[0], '-') : drawn.ids[0],
                                strrchr(degrades[i].node, '-'));
            assert_true(!degrades[i].link || links == 1);
            assert_figures_differ(f.dump, where);
            release_fixture(&f);
            free(text);
        }
}

TEST(a_comparison_with_the_healthy_machine_shows_it)
{
    for (size_t i = 0; i < DEGRADES; i++) {
        char *text = altered(&degrades[i]), id[ORR_NODE_ID_SIZE] = "";
        struct fixture a = analyse_text(degrades[i].machine, 1, NULL), b = analyse_text(text, 1, NULL);
        ORR_LOCAL_ARENA(arena, 0);
        struct orr_comparison comparison;
        struct orr_error err = {0};
        uint32_t rows = 0;
        assert_non_null(arena);
        assert_ok(orr_compare(a.analysis, b.analysis, arena, &comparison, &err), &err);
        for (uint32_t u = 0; u < comparison.unlikes.count; u++) {
            const struct orr_unlike *row = &comparison.unlikes.rows[u];
            if (strcmp(orr_unlike_name(row), degrades[i].figure) != 0)
                continue;
            orr_system_node_id(&b.analysis->built, orr_device_node(&comparison.devices_b, row->b, &b.analysis->built),
                               id);
            rows++;
        }
        if (rows != 1 || strcmp(id, degrades[i].node) != 0)
            fail_msg("%s: %u rows of %s, of %s", degrades[i].to, rows, degrades[i].figure, id);
        /* Of three hosts the one that differs is the one. */
        const struct orr_specimen specimens[] = {{a.dump, 2}, {b.dump, 1}};
        struct orr_majority majority;
        assert_ok(orr_majority_find(specimens, 2, arena, &majority, &err), &err);
        assert_true(majority.count >= 1);
        assert_int_equal(majority.rows[0].deviant_count, 1);
        assert_int_equal(majority.rows[0].deviants[0], 1);
        release_fixture(&a);
        release_fixture(&b);
        free(text);
    }
}

TEST(healthy_machines_and_other_models_are_not_slower)
{
    static const char *const near_misses[][3] = {
        {"0000:22:", "device=\"0x2330\"", "device=\"0x2331\""},               /* another GPU */
        {"0000:24:", "subsystem_device=\"0x1\"", "subsystem_device=\"0x2\""}, /* another board of the same chip */
        {"0000:10:", "device=\"0x8764\"", "device=\"0x8747\""},               /* another switch */
        {"0000:10:", "vendor=\"0x10b5\"", "name=\"x\""},                      /* a model that is not known: 0000:8764 */
    };
    for (size_t i = 0; i <= sizeof near_misses / sizeof near_misses[0]; i++) {
        const struct degraded first =
            i ? (struct degraded){switched,
                                  near_misses[i - 1][0],
                                  near_misses[i - 1][1],
                                  near_misses[i - 1][2],
                                  NULL,
                                  NULL,
                                  false}
              : (struct degraded){switched, "<system", "version=\"1\"", "version=\"1\"", NULL, NULL, false};
        char *changed = altered(&first);
        const struct degraded second = {
            changed, first.after, "link_width=\"16\"", i ? "link_width=\"8\"" : "link_width=\"16\"", NULL, NULL, false};
        char *text = altered(&second);
        struct fixture f = analyse_text(text, 1, NULL);
        uint32_t links;
        struct names drawn = drawn_as_degraded(f.analysis, &links), found = found_slower(f.analysis);
        assert_int_equal(drawn.count + found.count + links, 0);
        release_fixture(&f);
        free(text);
        free(changed);
    }
}

/* A GPU's subsystem names who made its board, so GPUs of two makers are equal. */
TEST(gpus_of_two_board_makers_are_equal)
{
    const struct degraded maker = {switched, "0000:11:", "0x15d9", "0x1028", NULL, NULL, false};
    char *changed = altered(&maker);
    const struct degraded lanes = {changed, "0000:11:", "link_width=\"16\"", "link_width=\"8\"", NULL, NULL, false};
    char *text = altered(&lanes);
    struct fixture f = analyse_text(text, 1, NULL);
    struct names found = found_slower(f.analysis);
    assert_int_equal(found.count, 1);
    assert_string_equal(found.ids[0], "GPU/0-11000");
    release_fixture(&f);
    free(text);
    free(changed);
}

/* Bridges that join some GPUs and not others are not a fault. */
TEST(pairs_joined_by_bridges_are_no_fault)
{
    struct fixture f = analyse_text(MACHINE(TO("12"), TO("11"), "", ""), 1, NULL);
    assert_int_equal(found_slower(f.analysis).count, 0);
    release_fixture(&f);
}

TEST(drawings_and_findings_agree_on_every_machine_of_ours)
{
    static const char *const releases[] = {"2.12.12", "2.27.7", "2.30.7"};
    glob_t files;
    uint32_t analysed = 0, marked = 0;
    assert_int_equal(glob("static/examples/*.xml", 0, NULL, &files), 0);
    assert_int_equal(glob("tests/data/*.xml", GLOB_APPEND, NULL, &files), 0);
    for (size_t i = 0; i < files.gl_pathc; i++) {
        char *text = NULL;
        size_t size = 0;
        FILE *file = fopen(files.gl_pathv[i], "r");
        assert_non_null(file);
        assert_true(getdelim(&text, &size, '\0', file) > 0);
        fclose(file);
        for (size_t r = 0; r < sizeof releases / sizeof releases[0]; r++) {
            struct orr_error err = {0};
            struct orr_dump *dump = read_text(text);
            struct orr_query query = {.hosts = 1};
            struct orr_analysis *analysis;
            orr_settings_init(&query.settings, orr_release_find(releases[r]));
            enum orr_code code = orr_analyze(dump, &query, NULL, &analysis, &err);
            assert_figures_differ(dump, files.gl_pathv[i]);
            if (code == ORR_OK) {
                uint32_t links;
                struct names drawn = drawn_as_degraded(analysis, &links), found = found_slower(analysis);
                assert_same_names(&drawn, &found, files.gl_pathv[i]);
                analysed++;
                marked += drawn.count;
                orr_analysis_free(analysis);
            } else if (strcmp(files.gl_pathv[i], "tests/data/gpus-without-rank.xml") != 0 && r) {
                fail_msg("%s in %s: %s", files.gl_pathv[i], releases[r], err.text);
            }
            orr_dump_free(dump);
        }
        free(text);
    }
    assert_true(analysed >= 2 * (files.gl_pathc - 1));
    assert_true(marked > 0); /* h100-with-faults.xml at least */
    globfree(&files);
}
