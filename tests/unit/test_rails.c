/* SPDX-License-Identifier: Apache-2.0 */
/* Rails, leaf switches and subnets of NICs: which hops of the rings leave them, and what findings say about it. */
#include "engine/cluster/rails.h"

#include "engine/cluster/standing.h"
#include "tests/support/cluster_case.h"

/* The four GPUs have mlx5_0 beside GPUs 0 and 1 (see four_gpus.h), and one more beside 2 and 3. */
#define BY_NUMBER(fact, first, second)                                                                                 \
    {                                                                                                                  \
        {.dev = 0, .facts = {[fact] = first}},                                                                         \
        {                                                                                                              \
            .dev = 1, .facts = { [fact] = second }                                                                     \
        }                                                                                                              \
    }

static const struct orr_cluster_nic straight[] = BY_NUMBER(ORR_NIC_RAIL, "r0", "r1"),
                                    swapped[] = BY_NUMBER(ORR_NIC_RAIL, "r1", "r0"),
                                    leaves[] = BY_NUMBER(ORR_NIC_LEAF, "l0", "l1"),
                                    swapped_leaves[] = BY_NUMBER(ORR_NIC_LEAF, "l1", "l0"),
                                    other_pod[] = BY_NUMBER(ORR_NIC_LEAF, "l8", "l9"),
                                    subnets[] = BY_NUMBER(ORR_NIC_SUBNET, "10.0.0.0/24", "10.0.1.0/24"),
                                    other_subnets[] = BY_NUMBER(ORR_NIC_SUBNET, "10.0.8.0/24", "10.0.9.0/24");

static struct orr_cluster_line line_of(const struct orr_cluster_nic *nics)
{
    return (struct orr_cluster_line){.dump = dump, .count = 1, .nics = nics, .nic_count = nics ? 2 : 0};
}

static struct orr_rails rails_between(const struct orr_cluster_nic *a, const struct orr_cluster_nic *b, bool isolated)
{
    struct orr_cluster_line lines[] = {line_of(a), line_of(b)};
    struct orr_rails rails;
    lines[0].isolated = lines[1].isolated = isolated;
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_ok(orr_cluster_rails(cluster, &rails, &err), &err);
    return rails;
}

static const struct orr_finding *found(struct orr_arena *arena, const char *id)
{
    struct orr_findings findings;
    assert_ok(orr_find(cluster->analysis->dump, cluster->analysis, arena, &findings, &err), &err);
    for (uint32_t i = 0; i < findings.count; i++)
        if (!strcmp(findings.rows[i].row->id, id))
            return &findings.rows[i];
    return NULL;
}

TEST(hops_that_leave_a_rail_are_counted)
{
    const struct orr_rails stays = rails_between(straight, straight, false);
    assert_true(stays.hops > 0);
    assert_int_equal(stays.crossing, 0);
    const struct orr_rails all = rails_between(straight, swapped, false);
    assert_int_equal(all.hops, stays.hops);
    assert_int_equal(all.crossing, all.hops);
    assert_int_equal(all.turning, 0); /* the next host's NIC of the same number is on the other rail, too */
    assert_string_equal(orr_nic_fact_words(all.first.fact), "rail");
    assert_true(strcmp(all.first.from, all.first.to) != 0);
    assert_int_equal(rails_between(straight, NULL, false).hops, 0);   /* nothing is known about the second host */
    assert_int_equal(rails_between(straight, leaves, false).hops, 0); /* nothing that can be compared */
}

TEST(leaves_and_subnets_of_two_pods_do_not_count)
{
    assert_true(rails_between(leaves, swapped_leaves, false).crossing > 0);
    assert_int_equal(rails_between(leaves, leaves, false).crossing, 0);
    assert_int_equal(rails_between(leaves, other_pod, false).crossing, 0); /* no NIC of both is on one leaf switch */
    assert_int_equal(rails_between(subnets, other_subnets, false).crossing, 0);
    const struct orr_rails isolated = rails_between(subnets, other_subnets, true);
    assert_int_equal(isolated.crossing, isolated.hops);
    assert_true(isolated.isolated);
}

TEST(nics_are_known_by_name_or_number)
{
    struct orr_cluster_nic named[] = {{.name = NULL, .facts = {"r0"}}, {.name = "mlx5_none", .facts = {"r1"}}};
    struct orr_cluster_line line = line_of(named);
    line.count = 2; /* NCCL drops the NICs of a job on one host */
    make(&line, 1, ORR_ORDER_BLOCK);
    const struct orr_system *system = &cluster->analysis->parts[0].system;
    const struct orr_node *net = &system->nodes[system->first[ORR_NET]];
    named[0].name = orr_element_text(cluster->analysis->dump, net->element, ORR_ATTR_NAME);
    assert_ptr_equal(orr_cluster_nic_of(cluster, 0, cluster->analysis->dump, net), &named[0]);
    assert_null(orr_cluster_nic_of(cluster, 0, cluster->analysis->dump, net + 1));
}

TEST(a_ring_that_turns_is_cured_by_cross_nic)
{
    ORR_LOCAL_ARENA(arena, 0);
    const struct orr_cluster_line three = {.dump = dump, .count = 3, .nics = straight, .nic_count = 2};
    struct orr_rails rails;
    orr_settings_init(&settings, orr_release_find("2.30.7"));
    assert_ok(orr_settings_set(&settings, "NCCL_CROSS_NIC", "1", &err), &err);
    make(&three, 1, ORR_ORDER_BLOCK);
    assert_ok(orr_cluster_rails(cluster, &rails, &err), &err);
    assert_int_equal(rails.crossing, rails.turning);
    if (rails.crossing)
        assert_non_null(strstr(found(arena, "rails-crossed")->advice, "NCCL_CROSS_NIC=0"));
    assert_ok(orr_settings_set(&settings, "NCCL_CROSS_NIC", "0", &err), &err);
    make(&three, 1, ORR_ORDER_BLOCK);
    assert_ok(orr_cluster_rails(cluster, &rails, &err), &err);
    assert_int_equal(rails.crossing, 0);
    assert_null(found(arena, "rails-crossed"));
}

TEST(findings_tell_crossed_rails_from_isolated_ones)
{
    ORR_LOCAL_ARENA(arena, 0);
    rails_between(straight, swapped, false);
    assert_non_null(found(arena, "rails-crossed"));
    assert_non_null(strstr(found(arena, "rails-crossed")->detail, "change the rail"));
    assert_non_null(strstr(found(arena, "rails-crossed")->advice, "same GPUs or NICs on every host"));
    assert_null(found(arena, "rails-isolated"));
    assert_null(found(arena, "cluster-rails")); /* the same rails, in another order */
    rails_between(straight, swapped, true);
    assert_non_null(found(arena, "rails-isolated"));
    assert_int_equal(found(arena, "rails-isolated")->row->severity, ORR_SEVERITY_ERROR);
    assert_null(found(arena, "rails-crossed"));
    rails_between(straight, straight, true);
    assert_null(found(arena, "rails-isolated"));
    assert_null(found(arena, "rails-need-pxn"));
    assert_ok(orr_settings_set(&settings, "NCCL_PXN_DISABLE", "1", &err), &err);
    rails_between(straight, straight, true);
    assert_non_null(strstr(found(arena, "rails-need-pxn")->detail, "NCCL_PXN_DISABLE=1"));
    rails_between(straight, straight, false);
    assert_null(found(arena, "rails-need-pxn"));
}

/* Two halves of a host: by their numbers the workers are on other rails, by the description they may be on the same. */
TEST(the_description_decides_which_rails_workers_use)
{
    ORR_LOCAL_ARENA(arena, 0);
    static const uint32_t front[] = {0, 1}, back[] = {2, 3};
    struct orr_cluster_line lines[] = {line_of(NULL), line_of(NULL)};
    lines[0].gpus = front;
    lines[1].gpus = back;
    lines[0].gpu_count = lines[1].gpu_count = 2;
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_non_null(strstr(found(arena, "cluster-rails")->detail, "NICs 1 on host 1"));
    lines[0].nics = straight;
    lines[1].nics = straight;
    lines[0].nic_count = lines[1].nic_count = 2;
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_non_null(strstr(found(arena, "cluster-rails")->detail, "rail r1 on host 1"));
    lines[1].nics = swapped;
    make(lines, 2, ORR_ORDER_BLOCK);
    assert_null(found(arena, "cluster-rails"));
    assert_null(found(arena, "rails-crossed"));
}
