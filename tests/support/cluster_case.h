/* SPDX-License-Identifier: Apache-2.0 */
/* A test of clusters: a machine, the same one with slower NICs, and the analysis of hosts of them. */
#ifndef ORR_TESTS_CLUSTER_CASE_H
#define ORR_TESTS_CLUSTER_CASE_H

#include "engine/cluster/cluster.h"
#include "tests/support/findings.h"
#include "tests/support/four_gpus.h"

static struct orr_dump *dump, *slow;
static struct orr_cluster *cluster;
static struct orr_settings settings;
static struct orr_error err;

static inline char *with_slow_nics(void)
{
    char *text = strdup(MACHINE), *at = text;
    while ((at = strstr(at, "400000")))
        memcpy(at, "100000", 6);
    return text;
}

void before_each(void)
{
    char *text = with_slow_nics();
    dump = read_text(MACHINE);
    slow = read_text(text);
    free(text);
    cluster = NULL;
    err = (struct orr_error){0};
    orr_settings_init(&settings, orr_release_find("2.27.7"));
}

void after_each(void)
{
    orr_cluster_free(cluster);
    orr_dump_free(dump);
    orr_dump_free(slow);
}

static inline enum orr_code ask(const struct orr_cluster_line *lines, uint32_t count, enum orr_rank_order order,
                                const uint32_t *host_of_rank, uint32_t listed)
{
    orr_cluster_free(cluster);
    cluster = NULL;
    err = (struct orr_error){0};
    const struct orr_cluster_request request = {.lines = lines,
                                                .line_count = count,
                                                .order = order,
                                                .host_of_rank = host_of_rank,
                                                .listed_ranks = listed,
                                                .settings = settings};
    return orr_cluster_analyze(&request, &cluster, &err);
}

static inline void make(const struct orr_cluster_line *lines, uint32_t count, enum orr_rank_order order)
{
    assert_ok(ask(lines, count, order, NULL, 0), &err);
}

#endif
