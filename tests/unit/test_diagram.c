/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/support/orr_test.h"

#include <stdlib.h>

#include "engine/diagram/diagram.h"
#include "engine/diagram/diagram_theme.h"
#include "engine/diagram/diagram_worker.h"
#include "engine/release/release.h"

/* Two NUMA nodes, a switch with a GPU and a NIC in each; the second GPU has half the lanes. %s: name of the first NIC
 */
static const char machine[] =
    "<system version=\"1\">"
    "<cpu numaid=\"0\" affinity=\"00ff\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">"
    "<pci busid=\"0000:10:00.0\" class=\"0x060400\" vendor=\"0x1000\" device=\"0xc030\" link_speed=\"32.0 GT/s PCIe\" "
    "link_width=\"16\">"
    "<pci busid=\"0000:1b:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\" link_speed=\"32.0 GT/s PCIe\" "
    "link_width=\"16\">"
    "<gpu dev=\"0\" sm=\"90\" rank=\"0\" gdr=\"1\"/></pci>"
    "<pci busid=\"0000:1c:00.0\" class=\"0x020700\" vendor=\"0x15b3\" device=\"0x101b\" link_speed=\"32.0 GT/s PCIe\" "
    "link_width=\"16\">"
    "<nic><net name=\"%s\" dev=\"0\" speed=\"100000\" port=\"1\" guid=\"0x1\" maxconn=\"131072\" "
    "gdr=\"1\"/></nic></pci>"
    "</pci></cpu>"
    "<cpu numaid=\"1\" affinity=\"ff00\" arch=\"x86_64\" vendor=\"GenuineIntel\" familyid=\"6\" modelid=\"143\">"
    "<pci busid=\"0000:20:00.0\" class=\"0x060400\" vendor=\"0x1000\" device=\"0xc030\" link_speed=\"32.0 GT/s PCIe\" "
    "link_width=\"16\">"
    "<pci busid=\"0000:2b:00.0\" class=\"0x030200\" vendor=\"0x10de\" device=\"0x2330\" link_speed=\"32.0 GT/s PCIe\" "
    "link_width=\"8\">"
    "<gpu dev=\"1\" sm=\"90\" rank=\"1\" gdr=\"1\"/></pci>"
    "<pci busid=\"0000:2c:00.0\" class=\"0x020700\" vendor=\"0x15b3\" device=\"0x101b\" link_speed=\"32.0 GT/s PCIe\" "
    "link_width=\"16\">"
    "<nic><net name=\"mlx5_1\" dev=\"1\" speed=\"100000\" port=\"1\" guid=\"0x2\" maxconn=\"131072\" "
    "gdr=\"1\"/></nic></pci>"
    "</pci></cpu></system>";

struct fixture {
    struct orr_dump *dump;
    struct orr_analysis *analysis;
};

static void analyse_with(struct fixture *fixture, const char *nic, uint32_t hosts, const char *cross_nic)
{
    char bytes[8192];
    struct orr_error err = {0};
    int length = snprintf(bytes, sizeof bytes, machine, nic);
    assert_ok(orr_dump_read(bytes, (size_t)length, NULL, &fixture->dump, &err), &err);
    struct orr_query query = {.hosts = hosts};
    orr_settings_init(&query.settings, orr_release_find("2.27.7"));
    assert_ok(orr_settings_set(&query.settings, "NCCL_CROSS_NIC", cross_nic, &err), &err);
    assert_ok(orr_analyze(fixture->dump, &query, NULL, &fixture->analysis, &err), &err);
}

static void analyse(struct fixture *fixture, const char *nic, uint32_t hosts)
{
    analyse_with(fixture, nic, hosts, "2");
}

static void release(struct fixture *fixture)
{
    orr_analysis_free(fixture->analysis);
    orr_dump_free(fixture->dump);
}

/* The DOT of a request; free() it. */
static char *dot_of(const struct fixture *fixture, struct orr_diagram_request request)
{
    struct orr_error err = {0};
    struct orr_text text;
    size_t length;
    orr_text_init(&text, 1 << 22);
    assert_ok(orr_diagram_dot(fixture->analysis, &request, &text, &err), &err);
    char *dot = orr_text_take(&text, &length);
    assert_non_null(dot);
    return dot;
}

static char *svg_of(const char *dot)
{
    struct orr_error err = {0};
    ORR_LOCAL(orr_renderer, renderer);
    char *svg;
    size_t length;
    assert_ok(orr_renderer_new(NULL, NULL, &renderer, &err), &err);
    assert_ok(orr_renderer_draw(renderer, dot, strlen(dot), ORR_FORMAT_SVG, &svg, &length, &err), &err);
    return svg;
}

static void assert_has(const char *text, const char *words)
{
    if (!strstr(text, words))
        fail_msg("\"%s\" is missing in:\n%s", words, text);
}

TEST(names_are_read_back)
{
    static orr_words *const lists[] = {orr_view_name, orr_format_name, orr_format_media_type, orr_theme_name};
    static const unsigned counts[] = {ORR_VIEW_COUNT, ORR_FORMAT_COUNT, ORR_FORMAT_COUNT, ORR_THEME_COUNT};
    for (size_t list = 0; list < sizeof lists / sizeof lists[0]; list++) {
        unsigned place;
        for (unsigned i = 0; i < counts[list]; i++) {
            assert_true(orr_word_find(lists[list], lists[list](i), &place));
            assert_int_equal(place, i);
        }
        assert_null(lists[list](counts[list]));
        assert_false(orr_word_find(lists[list], "", &place));
    }
    unsigned theme;
    assert_true(orr_word_find(orr_theme_name, "Dark", &theme));
    assert_int_equal(theme, ORR_THEME_DARK);
    assert_string_equal(orr_format_media_type(ORR_FORMAT_SVG), "image/svg+xml");
}

TEST(the_machine_has_every_device_and_link_with_its_id)
{
    struct fixture fixture;
    analyse(&fixture, "mlx5_0", 2);
    char *dot = dot_of(&fixture, (struct orr_diagram_request){.view = ORR_VIEW_SYSTEM});
    assert_has(dot, "\"GPU/0-1b000\" [id=\"GPU/0-1b000\",class=\"gpu\"");
    assert_has(dot, "id=\"box:CPU/0-1\",class=\"cpu\"");
    assert_has(dot, "id=\"GPU/0-1b000--PCI/0-10000\",class=\"link pci\"");
    assert_has(dot, "id=\"CPU/0-0--CPU/0-1\",class=\"link sys\"");
    assert_has(dot, "rank 0, bus id 0000:1b:00.0, NUMA node 0, compute capability 9.0");
    char *svg = svg_of(dot);
    const struct orr_system *system = &fixture.analysis->built;
    for (uint32_t i = 0; i < system->node_count; i++) {
        char id[ORR_NODE_ID_SIZE], wanted[96];
        orr_node_id_format(system->nodes[i].type, system->nodes[i].id, id);
        char *dash = strchr(id, '-');
        snprintf(wanted, sizeof wanted, "<g id=\"%.*s&#45;%s\" class=\"node", (int)(dash - id), id, dash + 1);
        assert_has(svg, wanted);
    }
    /* Each drawn group has an id, a title and a tooltip. */
    for (const char *at = strstr(svg, "<g "); at; at = strstr(at + 1, "<g "))
        assert_int_equal(strncmp(at, "<g id=\"", 7), 0);
    unsigned groups = 0, titles = 0;
    for (const char *at = strstr(svg, "\" class=\""); at; at = strstr(at + 1, "\" class=\""))
        groups++;
    for (const char *at = strstr(svg, "<title>"); at; at = strstr(at + 1, "<title>"))
        titles++;
    assert_int_equal(groups, titles);
    free(svg);
    free(dot);
    release(&fixture);
}

TEST(a_link_slower_than_its_equals_is_marked_by_class_dash_and_sign)
{
    struct fixture fixture;
    analyse(&fixture, "mlx5_0", 1);
    char *dot = dot_of(&fixture, (struct orr_diagram_request){.view = ORR_VIEW_SYSTEM, .theme = ORR_THEME_DARK});
    const char *slow = strstr(dot, "id=\"GPU/0-2b000--PCI/0-20000\"");
    assert_non_null(slow);
    char line[1024] = "";
    snprintf(line, sizeof line, "%.*s", (int)strcspn(slow, "\n"), slow);
    assert_has(line, "class=\"link pci degraded\"");
    assert_has(line, "\xe2\x9a\xa0 Gen5 x8");
    assert_has(line, "style=dashed");
    assert_has(line, "which have Gen5 x16 (GPU/0-1b000)");
    const char *fast = strstr(dot, "id=\"GPU/0-1b000--PCI/0-10000\"");
    snprintf(line, sizeof line, "%.*s", (int)strcspn(fast, "\n"), fast);
    assert_null(strstr(line, "degraded"));
    assert_has(line, "style=solid");
    free(dot);
    release(&fixture);
}

TEST(hostile_names_stay_text)
{
    static const char *const names[] = {
        "x&quot;,URL=&quot;http://evil&quot;,a=&quot;",
        "&lt;b&gt;http://evil&lt;/b&gt;",
        "\\N\\G\\&quot;];http://evil -- b;",
        "&amp;lt;script&amp;gt;http://evil",
        "&#xFFFE;\xf0\x9f\x98\x80 http://evil &#9; tab",
        "image=\\/etc\\/passwd http://evil\\",
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char bytes[8192];
        struct orr_error err = {0};
        struct orr_dump *dump;
        int length = snprintf(bytes, sizeof bytes, machine, names[i]);
        if (orr_dump_read(bytes, (size_t)length, NULL, &dump, &err) != ORR_OK)
            continue; /* no XML */
        orr_dump_free(dump);
        struct fixture fixture;
        analyse(&fixture, names[i], 2);
        char *dot = dot_of(&fixture, (struct orr_diagram_request){.view = ORR_VIEW_SYSTEM});
        char *svg = svg_of(dot);
        assert_null(strstr(svg, "href=\"http"));
        assert_null(strstr(svg, "xlink:href"));
        assert_null(strstr(svg, "<image"));
        assert_null(strstr(svg, "<script"));
        assert_null(strstr(svg, "<b>"));
        assert_has(svg, "http://evil"); /* as the title's text */
        free(svg);
        free(dot);
        release(&fixture);
    }
}

TEST(rings_show_where_they_leave_and_enter_hosts)
{
    struct fixture fixture;
    analyse(&fixture, "mlx5_0", 2);
    char *dot = dot_of(&fixture, (struct orr_diagram_request){.view = ORR_VIEW_RING});
    assert_has(dot, "\"GPU/0-1b000\" [");
    assert_has(dot, "\"host1/GPU/0-1b000\" [");
    assert_has(dot, "class=\"net host-0\"");
    assert_has(dot, "class=\"path net");
    free(svg_of(dot));
    free(dot);
    release(&fixture);
    analyse(&fixture, "mlx5_0", 64);
    dot = dot_of(&fixture, (struct orr_diagram_request){.view = ORR_VIEW_RING});
    assert_has(dot, "hosts alike");
    assert_null(strstr(dot, "host1/"));
    free(dot);
    release(&fixture);
}

TEST(a_nic_that_a_ring_enters_and_leaves_by_stands_there_twice)
{
    struct fixture fixture;
    analyse_with(&fixture, "mlx5_0", 2, "0");
    char *dot = dot_of(&fixture, (struct orr_diagram_request){.view = ORR_VIEW_RING});
    unsigned nics = 0;
    for (const char *at = strstr(dot, "class=\"net host-0\""); at; at = strstr(at + 1, "class=\"net host-0\""))
        nics++;
    assert_int_equal(nics, 2);
    assert_has(dot, "~out\" [");
    free(svg_of(dot));
    free(dot);
    release(&fixture);
}

TEST(trees_have_an_edge_less_than_ranks)
{
    struct fixture fixture;
    analyse(&fixture, "mlx5_0", 4);
    char *dot = dot_of(&fixture, (struct orr_diagram_request){.view = ORR_VIEW_TREE});
    unsigned edges = 0;
    for (const char *at = strstr(dot, "\" -- \""); at; at = strstr(at + 1, "\" -- \""))
        edges++;
    assert_int_equal(edges, 7);
    free(svg_of(dot));
    free(dot);
    release(&fixture);
}

TEST(paths_mark_their_narrowest_hop)
{
    struct fixture fixture;
    analyse(&fixture, "mlx5_0", 2);
    char *dot =
        dot_of(&fixture, (struct orr_diagram_request){.view = ORR_VIEW_PATH, .from = "rank:0", .to = "NET/0-1"});
    unsigned marks = 0;
    for (const char *at = strstr(dot, " narrowest\",tooltip"); at; at = strstr(at + 1, " narrowest\",tooltip"))
        marks++;
    assert_int_equal(marks, 1);
    assert_has(dot, "GPU/0-1b000 to NET/0-1: SYS");
    free(svg_of(dot));
    free(dot);
    release(&fixture);
}

TEST(what_is_not_there_is_said)
{
    struct fixture fixture;
    ORR_LOCAL_TEXT(text, 1 << 20);
    analyse(&fixture, "mlx5_0", 1);
    static const struct {
        struct orr_diagram_request request;
        const char *words;
    } cases[] = {
        {{.view = ORR_VIEW_RING, .channel = 99}, "no channel 99"},
        {{.view = ORR_VIEW_RING, .channel = -1}, "no channel -1"},
        {{.view = ORR_VIEW_TREE, .channel = 99}, "no channel 99"},
        {{.view = ORR_VIEW_PATH}, "both of its ends"},
        {{.view = ORR_VIEW_PATH, .from = "GPU/0-1b000", .to = "GPU/7-7"}, "no device \"GPU/7-7\""},
        {{.view = ORR_VIEW_PATH, .from = "GPU/0-1b000", .to = "NET/0-0"}, "trimmed"},
        {{.view = ORR_VIEW_PATH, .from = "GPU/0-1b000", .to = "PCI/0-20000"}, "NCCL keeps no paths to PCI/0-20000"},
        {{.view = ORR_VIEW_PATH, .from = "PCI/0-20000", .to = "GPU/0-1b000"}, "NCCL keeps no paths from PCI/0-20000"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct orr_error err = {0};
        assert_error(orr_diagram_dot(fixture.analysis, &cases[i].request, &text, &err), ORR_NOT_FOUND, &err,
                     cases[i].words);
    }
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(small, 100);
    assert_error(
        orr_diagram_dot(fixture.analysis, &(struct orr_diagram_request){.view = ORR_VIEW_SYSTEM}, &small, &err),
        ORR_LIMIT, &err, "100 bytes");
    release(&fixture);
}

static double luminance(const char *colour)
{
    double sum = 0;
    static const double weights[] = {0.2126, 0.7152, 0.0722};
    for (int i = 0; i < 3; i++) {
        char digits[3] = {colour[1 + 2 * i], colour[2 + 2 * i], 0};
        double c = (double)strtol(digits, NULL, 16) / 255;
        double base = (c + 0.055) / 1.055;
        sum += weights[i] * (c <= 0.03928 ? c / 12.92 : base * base * (0.6 * base + 0.4)); /* near base^2.4 */
    }
    return sum;
}

static double contrast(const char *a, const char *b)
{
    double x = luminance(a), y = luminance(b);
    return ((x > y ? x : y) + 0.05) / ((x > y ? y : x) + 0.05);
}

TEST(colours_stand_out_from_what_is_behind_them)
{
    for (int theme = 0; theme < ORR_THEME_COUNT; theme++) {
        enum orr_theme t = (enum orr_theme)theme;
        const char *canvas = orr_theme_paint(t, ORR_ROLE_CANVAS)->fill;
        for (int role = 0; role < ORR_ROLE_COUNT; role++) {
            const struct orr_paint *paint = orr_theme_paint(t, (enum orr_role)role);
            if (contrast(paint->ink, paint->fill) < 4.5)
                fail_msg("role %d of theme %d: text %s on %s", role, theme, paint->ink, paint->fill);
        }
        for (int type = 0; type < ORR_PATH_TYPE_COUNT; type++)
            if (contrast(orr_theme_path(t, (enum orr_path_type)type), canvas) < 3)
                fail_msg("path %d of theme %d", type, theme);
        for (int type = 0; type < ORR_LINK_TYPE_COUNT; type++)
            if (contrast(orr_theme_link(t, (enum orr_link_type)type), canvas) < 3)
                fail_msg("link %d of theme %d", type, theme);
    }
}

int with_arguments(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "render-worker") == 0)
        return orr_render_worker_main();
    return -1;
}
