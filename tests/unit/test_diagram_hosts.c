/* SPDX-License-Identifier: Apache-2.0 */
/* Pictures of many hosts: trays of one NVLink domain, rings and trees over equal and over different hosts. */
#include <stdio.h>

#include "engine/cluster/cluster.h"
#include "engine/diagram/diagram.h"
#include "tests/support/fixture.h"

enum { TRAYS = 18 };

/* A rack: in each tray two CPUs with two GPUs and two NICs each. */
static char *rack(void)
{
    struct orr_text text;
    size_t length;
    orr_text_init(&text, 1 << 22);
    orr_text_puts(&text, "<system version=\"1\">");
    for (int cpu = 0; cpu < 2 * TRAYS; cpu++) {
        orr_text_printf(&text, "<cpu host_hash=\"0x%x\" numaid=\"%d\" affinity=\"f\" arch=\"arm64\">", 1 + cpu / 2,
                        cpu % 2);
        for (int i = 0; i < 2; i++) {
            int gpu = 2 * cpu + i;
            orr_text_printf(&text,
                            "<pci busid=\"000%d:0%d:00.0\" class=\"0x030200\" " GEN4X16 "><gpu dev=\"%d\" sm=\"100\" "
                            "rank=\"%d\" gdr=\"1\"><nvlink target=\"fffffff:ffff:ff\" count=\"18\" "
                            "tclass=\"0x068000\"/><c2c bw=\"44712\" count=\"5\"/></gpu></pci>",
                            cpu % 2, i + 1, gpu % 4, gpu);
            orr_text_printf(&text,
                            "<pci busid=\"000%d:1%d:00.0\" class=\"0x020000\" " GEN4X16
                            "><nic><net name=\"m%d\" dev=\"%d\" "
                            "speed=\"400000\" port=\"1\" guid=\"0x%x\" maxconn=\"131072\" gdr=\"1\"/></nic></pci>",
                            cpu % 2, i + 1, gpu % 4, gpu, 16 + gpu);
        }
        orr_text_puts(&text, "</cpu>");
    }
    orr_text_puts(&text, "</system>");
    char *taken = orr_text_take(&text, &length);
    assert_non_null(taken);
    return taken;
}

static char *dot_of(const struct orr_analysis *analysis, enum orr_view view)
{
    struct orr_error err = {0};
    struct orr_text text;
    size_t length;
    const struct orr_diagram_request request = {.view = view};
    orr_text_init(&text, 1 << 24);
    assert_ok(orr_diagram_dot(analysis, &request, &text, &err), &err);
    char *dot = orr_text_take(&text, &length);
    assert_non_null(dot);
    return dot;
}

static unsigned count(const char *text, const char *words)
{
    unsigned found = 0;
    for (const char *at = strstr(text, words); at; at = strstr(at + 1, words))
        found++;
    return found;
}

struct box {
    double x, y, w, h;
};

/* The tiles of a class, as the text places them. */
static unsigned boxes_of(const char *dot, const char *class, struct box *boxes, unsigned room)
{
    unsigned found = 0;
    for (const char *at = strstr(dot, class); at && found < room; at = strstr(at + 1, class)) {
        const char *pos = strstr(at, "pos=\"");
        struct box *box = &boxes[found++];
        assert_int_equal(sscanf(pos, "pos=\"%lf,%lf\",width=%lf,height=%lf", &box->x, &box->y, &box->w, &box->h), 4);
        box->w *= 72;
        box->h *= 72;
    }
    return found;
}

static void assert_apart(const struct box *boxes, unsigned n)
{
    for (unsigned a = 0; a < n; a++)
        for (unsigned b = a + 1; b < n; b++) {
            double dx = boxes[a].x - boxes[b].x, dy = boxes[a].y - boxes[b].y;
            dx = dx < 0 ? -dx : dx;
            dy = dy < 0 ? -dy : dy;
            assert_true(dx >= (boxes[a].w + boxes[b].w) / 2 || dy >= (boxes[a].h + boxes[b].h) / 2);
        }
}

/* All hosts that the stops of a picture name: "Host 3" is one, "60 hosts alike" are sixty. */
static unsigned hosts_told(const char *dot)
{
    unsigned hosts = 0;
    for (const char *at = strstr(dot, "label=\""); at; at = strstr(at + 1, "label=\"")) {
        const char *text = at + strlen("label=\"");
        if (!strncmp(text, "\xe2\x96\xbc ", 4))
            text += 4;
        if (!strncmp(text, "Host ", 5))
            hosts++;
        char *behind;
        unsigned long alike = strtoul(text, &behind, 10);
        if (behind != text && !strncmp(behind, " hosts alike", strlen(" hosts alike")))
            hosts += (unsigned)alike;
    }
    return hosts;
}

TEST(a_rack_has_every_device_in_a_tray_under_one_bar)
{
    char *text = rack();
    FIXTURE f = analyse_text(text, 1, NULL);
    char *dot = dot_of(f.analysis, ORR_VIEW_SYSTEM);
    struct box boxes[256];
    assert_int_equal(count(dot, "subgraph \"cluster box:tray:"), TRAYS);
    assert_int_equal(count(dot, "label=\"NVSwitch fabric\""), 1);
    assert_non_null(strstr(dot, "label=\"Tray 17 \xc2\xb7 ranks 68\xe2\x80\x93"
                                "71\""));
    unsigned n = boxes_of(dot, "class=\"gpu\"", boxes, 256);
    assert_int_equal(n, 4 * TRAYS);
    unsigned all = n + boxes_of(dot, "class=\"net\"", boxes + n, 256 - n);
    assert_int_equal(all, 8 * TRAYS);
    all += boxes_of(dot, "class=\"cpu\"", boxes + all, 256 - all);
    assert_int_equal(all, 10 * TRAYS);
    assert_apart(boxes, all);
    assert_int_equal(count(dot, "class=\"link nvl\""), 4 * TRAYS);
    assert_int_equal(count(dot, "class=\"link c2c\""), 4 * TRAYS);
    assert_int_equal(count(dot, "class=\"link sys\""), TRAYS);
    free(dot);
    free(text);
}

TEST(a_ring_over_trays_stops_once_at_each)
{
    char *text = rack();
    FIXTURE f = analyse_text(text, 1, NULL);
    char *dot = dot_of(f.analysis, ORR_VIEW_RING);
    assert_int_equal(count(dot, "class=\"station\""), TRAYS);
    assert_int_equal(count(dot, "class=\"path nvl\""), TRAYS);
    assert_non_null(strstr(dot, "72 ranks, 18 stops at 18 trays"));
    free(dot);
    dot = dot_of(f.analysis, ORR_VIEW_TREE);
    assert_int_equal(count(dot, "class=\"station\""), TRAYS);
    assert_int_equal(count(dot, "class=\"path nvl\""), TRAYS - 1);
    free(dot);
    free(text);
}

/* Two GPUs with a NIC each behind one switch; and the same with slow NICs. */
#define HOST(speed)                                                                                                    \
    "<system version=\"1\"><cpu host_hash=\"0x1\" numaid=\"0\" " X86_INTEL ">" SWITCH("0000:10:00.0")                  \
        GPU("0000:11:00.0", "0", "90", "") GPU("0000:12:00.0", "1", "90", "") NIC("0000:13:00.0", "0", speed)          \
            NIC("0000:14:00.0", "1", speed) "</pci></cpu></system>"

TEST(different_hosts_are_all_there_and_the_odd_one_is_marked)
{
    struct orr_error err = {0};
    struct orr_dump *good = read_text(HOST("400000")), *slow = read_text(HOST("50000"));
    const struct orr_cluster_line lines[] = {
        {.dump = good, .count = 20}, {.dump = slow, .count = 1}, {.dump = good, .count = 43}};
    struct orr_cluster_request request = {.lines = lines, .line_count = 3};
    struct orr_cluster *cluster;
    orr_settings_init(&request.settings, orr_release_find("2.27.7"));
    for (int plan = 0; plan < 2; plan++) {
        request.plan = plan;
        assert_ok(orr_cluster_analyze(&request, &cluster, &err), &err);
        for (enum orr_view view = ORR_VIEW_RING; view <= ORR_VIEW_TREE; view++) {
            char *dot = dot_of(cluster->analysis, view);
            assert_int_equal(hosts_told(dot), 64);
            assert_int_equal(count(dot, "class=\"station marked\""), 1);
            assert_non_null(strstr(dot, "Host 20: slowest"));
            assert_true(count(dot, "class=\"station") < 40); /* alike ones are folded */
            free(dot);
        }
        orr_cluster_free(cluster);
    }
    orr_dump_free(good);
    orr_dump_free(slow);
}

/* Fewer ranks than are folded: each rank is a tile of its host's own GPU, whatever the host. */
TEST(ranks_of_different_hosts_are_their_own_gpus)
{
    struct orr_error err = {0};
    ORR_OWNED(orr_dump) *two = read_text(HOST("400000"));
    ORR_OWNED(orr_dump) *one = read_text("<system version=\"1\"><cpu host_hash=\"0x1\" numaid=\"0\" " X86_INTEL ">" GPU(
        "0000:77:00.0", "0", "90", "") NIC("0000:78:00.0", "0", "400000") "</cpu></system>");
    const struct orr_cluster_line lines[] = {{.dump = two, .count = 1}, {.dump = one, .count = 2}};
    struct orr_cluster_request request = {.lines = lines, .line_count = 2};
    ORR_LOCAL(orr_cluster, cluster);
    orr_settings_init(&request.settings, orr_release_find("2.27.7"));
    assert_ok(orr_cluster_analyze(&request, &cluster, &err), &err);
    for (enum orr_view view = ORR_VIEW_RING; view <= ORR_VIEW_TREE; view++) {
        char *dot = dot_of(cluster->analysis, view);
        assert_non_null(strstr(dot, "\"GPU/0-11000\" ["));
        assert_non_null(strstr(dot, "\"host1/GPU/0-77000\" ["));
        assert_non_null(strstr(dot, "label=\"rank 3\\nhost 2"));
        free(dot);
    }
}

/* Two heads of two shares, each with a NIC; off if nobody asks for CollNet. */
TEST(collnet_direct_has_a_head_a_share)
{
    static const char host[] = "<system version=\"1\"><cpu host_hash=\"0x1\" numaid=\"0\" " X86_INTEL ">" SWITCH(
        "0000:10:00.0") GPU("0000:11:00.0", "0", "90", "")
        GPU("0000:12:00.0", "1", "90",
            "") "<pci busid=\"0000:13:00.0\" class=\"0x020000\" " GEN4X16
                "><nic><net name=\"m\" dev=\"0\" speed=\"200000\" "
                "port=\"1\" guid=\"0x7\" maxconn=\"131072\" gdr=\"1\" coll=\"1\"/></nic></pci></pci></cpu></system>";
    struct fixture f = analyse_text(host, 2, (const char *const[]){"NCCL_COLLNET_ENABLE", "1", NULL});
    char *dot = dot_of(f.analysis, ORR_VIEW_COLLNET);
    unsigned heads = count(dot, "head of share ");
    assert_true(heads >= 1 && heads <= 2);
    assert_int_equal(count(dot, "\"shares\" -- "), heads);
    assert_int_equal(count(dot, " -- \"network\" ["), heads);
    assert_int_equal(count(dot, "class=\"gpu host-0\""), 2 + heads);
    free(dot);
    release_fixture(&f);
    f = analyse_text(HOST("400000"), 2, NULL);
    struct orr_error err = {0};
    ORR_LOCAL_TEXT(text, 1 << 20);
    const struct orr_diagram_request request = {.view = ORR_VIEW_COLLNET};
    assert_int_equal(orr_diagram_dot(f.analysis, &request, &text, &err), ORR_NOT_FOUND);
    assert_non_null(strstr(err.advice, "NCCL_COLLNET_ENABLE=1"));
    release_fixture(&f);
}
