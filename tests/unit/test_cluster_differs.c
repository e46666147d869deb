/* SPDX-License-Identifier: Apache-2.0 */
/* Who differs from the other hosts of a cluster, and what findings say about it. */
#include "engine/cluster/standing.h"
#include "tests/support/cluster_case.h"

static const struct orr_finding *found(const struct orr_findings *findings, const char *id)
{
    for (uint32_t i = 0; i < findings->count; i++)
        if (!strcmp(findings->rows[i].row->id, id))
            return &findings->rows[i];
    return NULL;
}

TEST(findings_name_who_differs)
{
    static const uint32_t three[] = {0, 1, 2};
    struct orr_findings findings;
    ORR_LOCAL_ARENA(arena, 0);
    const struct orr_cluster_line odd[] = {{.dump = dump, .count = 3}, {.dump = slow, .count = 1}};
    make(odd, 2, ORR_ORDER_BLOCK);
    assert_ok(orr_find(cluster->analysis->dump, cluster->analysis, arena, &findings, &err), &err);
    assert_non_null(found(&findings, "cluster-odd-host"));
    assert_non_null(strstr(found(&findings, "cluster-odd-host")->detail, "host 3 "));
    assert_non_null(strstr(found(&findings, "cluster-odd-host")->detail, "has mlx5_"));
    assert_non_null(strstr(found(&findings, "cluster-odd-host")->detail, "Gb/s, most with"));
    assert_null(strstr(found(&findings, "cluster-odd-host")->detail, "rings")); /* they follow from the NICs */
    assert_null(found(&findings, "uneven-hosts"));
    /* Whichever host comes first, the fewer are those that differ. */
    const struct orr_cluster_line odd_first[] = {{.dump = slow, .count = 1}, {.dump = dump, .count = 3}};
    make(odd_first, 2, ORR_ORDER_BLOCK);
    assert_ok(orr_find(cluster->analysis->dump, cluster->analysis, arena, &findings, &err), &err);
    assert_non_null(strstr(found(&findings, "cluster-odd-host")->detail, "host 0 "));
    assert_null(strstr(found(&findings, "cluster-odd-host")->detail, "host 1"));
    const struct orr_cluster_line even[] = {{.dump = dump, .count = 2},
                                            {.dump = slow, .count = 1}}; /* a third is not a quarter */
    make(even, 2, ORR_ORDER_BLOCK);
    assert_ok(orr_find(cluster->analysis->dump, cluster->analysis, arena, &findings, &err), &err);
    assert_null(found(&findings, "cluster-odd-host"));
    const struct orr_cluster_line uneven[] = {{.dump = dump, .count = 1},
                                              {.dump = dump, .count = 1, .gpus = three, .gpu_count = 3}};
    make(uneven, 2, ORR_ORDER_BLOCK);
    assert_ok(orr_find(cluster->analysis->dump, cluster->analysis, arena, &findings, &err), &err);
    assert_non_null(strstr(found(&findings, "uneven-hosts")->detail, "3 to 4 GPUs"));
}

/* Findings of a cluster of three hosts of `dump` and one of another text. */
static void find_beside(const char *text, struct orr_arena *arena, struct orr_findings *findings)
{
    ORR_OWNED(orr_dump) *other = read_text(text);
    const struct orr_cluster_line lines[] = {{.dump = dump, .count = 3}, {.dump = other, .count = 1}};
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_int_equal(cluster->kind_count, 2);
    assert_ok(orr_find(cluster->analysis->dump, cluster->analysis, arena, findings, &err), &err);
    orr_cluster_free(cluster);
    cluster = NULL;
}

TEST(the_host_of_fewest_channels_is_named)
{
    struct orr_findings findings;
    ORR_LOCAL_ARENA(arena, 0);
    /* One NIC where others have two. */
    find_beside("<system version=\"1\">" CPU("0", PAIR("1", "0", "1", "15", "0"))
                    CPU("1", SWITCH("0000:20:00.0") GPU("0000:21:00.0", "2", "90", NVSWITCH)
                                 GPU("0000:22:00.0", "3", "90", NVSWITCH) "</pci>") "</system>",
                arena, &findings);
    assert_non_null(found(&findings, "host-sets-channels"));
    assert_non_null(strstr(found(&findings, "host-sets-channels")->detail, "host 3 "));
    assert_non_null(strstr(found(&findings, "cluster-odd-host")->detail, "has no mlx5_1, which most have"));
    /* Slower NICs alone leave the number as it is. */
    char *text = with_slow_nics();
    find_beside(text, arena, &findings);
    free(text);
    assert_null(found(&findings, "host-sets-channels"));
}

TEST(nics_that_stand_elsewhere_are_named)
{
    struct orr_findings findings;
    ORR_LOCAL_ARENA(arena, 0);
    find_beside("<system version=\"1\">" CPU("0", PAIR("1", "0", "1", "15", "1"))
                    CPU("1", PAIR("2", "2", "3", "25", "0")) "</system>",
                arena, &findings);
    assert_non_null(found(&findings, "cluster-nic-order"));
    assert_non_null(strstr(found(&findings, "cluster-nic-order")->detail,
                           "NIC 1 is next to GPU 0 on host 3, next to GPU 2 on hosts 0-2"));
    /* Other bus ids, but each NIC where its rail is. */
    find_beside("<system version=\"1\">" CPU("0", PAIR("3", "0", "1", "35", "0"))
                    CPU("1", PAIR("4", "2", "3", "45", "1")) "</system>",
                arena, &findings);
    assert_null(found(&findings, "cluster-nic-order"));
}

TEST(who_stands_out)
{
    struct orr_reason reasons[ORR_MOST_REASONS];
    make((struct orr_cluster_line[]){{.dump = dump, .count = 3}, {.dump = slow, .count = 1}}, 2, ORR_ORDER_BLOCK);
    assert_true(orr_kind_odd(cluster, 1) && !orr_kind_odd(cluster, 0));
    assert_true(orr_kind_slowest(cluster, 1) && !orr_kind_slowest(cluster, 0));
    assert_int_equal(orr_kind_fastest(cluster), 0);
    assert_int_equal(orr_kind_reasons(cluster, 0, 0, reasons), 0);
    uint32_t count = orr_kind_reasons(cluster, 1, 0, reasons);
    bool by_nics = false;
    for (uint32_t i = 0; i < count; i++)
        by_nics |= reasons[i].field == ORR_FIELD_BW_INTER && reasons[i].own < reasons[i].best;
    assert_true(by_nics);
    /* a third does not differ from most, nor does anybody without a majority; all alike: none is the slowest */
    make((struct orr_cluster_line[]){{.dump = dump, .count = 2}, {.dump = slow, .count = 1}}, 2, ORR_ORDER_BLOCK);
    assert_true(!orr_kind_odd(cluster, 1) && orr_kind_slowest(cluster, 1));
    make((struct orr_cluster_line[]){{.dump = dump, .count = 2}, {.dump = slow, .count = 2}}, 2, ORR_ORDER_BLOCK);
    assert_true(!orr_kind_odd(cluster, 0) && !orr_kind_odd(cluster, 1));
    make((struct orr_cluster_line[]){{.dump = dump, .count = 4}}, 1, ORR_ORDER_BLOCK);
    assert_true(!orr_kind_odd(cluster, 0) && !orr_kind_slowest(cluster, 0));
}

/* 2.27.3 alone counts P2C as farther than PXN; the farthest type of a host's parts is the host's. */
TEST(the_farther_type_is_that_of_the_release)
{
    static const struct {
        const char *release;
        enum orr_path_type farther;
    } cases[] = {{"2.27.3", ORR_PATH_P2C}, {"2.27.5", ORR_PATH_PXN}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct orr_part parts[2] = {0};
        struct orr_analysis analysis = {.parts = parts, .part_count = 2};
        const struct orr_cluster_kind kind = {.analysis = &analysis};
        double value = 0;
        orr_settings_init(&analysis.query.settings, orr_release_find(cases[i].release));
        parts[0].contribution.graphs[ORR_GRAPH_RING] =
            (struct orr_graph){.pattern = ORR_PATTERN_RING, .type_inter = ORR_PATH_P2C};
        parts[1].contribution.graphs[ORR_GRAPH_RING] =
            (struct orr_graph){.pattern = ORR_PATTERN_RING, .type_inter = ORR_PATH_PXN};
        assert_true(orr_kind_field(&kind, ORR_GRAPH_RING, ORR_FIELD_TYPE_INTER, &value));
        assert_int_equal((int)value, cases[i].farther);
    }
}
