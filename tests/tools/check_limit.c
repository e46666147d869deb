/* SPDX-License-Identifier: Apache-2.0 */
/* Checks "Limited by" by brute force: doubling the named links raises the bandwidth, and doubling all others does not.
 * The machine is widened here by editing its XML (lanes, speeds of ports, numbers of NVLinks, C2C), not by the engine's
 * own trials; links between sockets, which no attribute gives, are left to them.
 *
 *     check_limit [--random COUNT] [--seed S] [--release R] FILE...
 *
 * Each file and this number of random machines, for AllReduce on one host and on two. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/dump/edit.h"
#include "engine/release/release.h"
#include "engine/trials/limit.h"
#include "tests/property/each_machine.h"

enum { ALL = (1 << ORR_LINK_KIND_COUNT) - 1 };
static const uint64_t size = UINT64_C(16) << 30;

static struct {
    unsigned long machines, questions, links, channels, untried, wrong;
} counts;
static const char *release = "2.27.7";

static double bandwidth(const struct orr_analysis *analysis)
{
    struct orr_expectation *expectation;
    struct orr_expected expected;
    double bw = 0;
    if (orr_expectation_new(analysis, ORR_TEST_ALL_REDUCE, &expectation, NULL) != ORR_OK)
        return 0;
    if (orr_expect(expectation, size, &expected))
        bw = expected.bus_bw;
    orr_expectation_free(expectation);
    return bw;
}

static bool has_net(const struct orr_doc_node *pci)
{
    return orr_doc_child(pci, ORR_ELEMENT_NIC) || orr_doc_child(pci, ORR_ELEMENT_NET);
}

static void doubled(struct orr_doc *doc, struct orr_doc_node *node, enum orr_attr attr, int fallback)
{
    const char *text = orr_doc_get(node, attr);
    int value = text ? atoi(text) : 0;
    value = value > 0 ? value : fallback;
    if (value > 0) /* a link that is down stays down */
        orr_doc_set(doc, node, attr, "%d", 2 * value);
}

/* The machine with those kinds of links twice as wide. */
static const struct orr_dump *widen(const struct orr_dump *dump, unsigned kinds, struct orr_arena *arena)
{
    struct orr_doc doc;
    orr_doc_open(&doc, dump, arena);
    for (struct orr_doc_node *node = doc.system; node; node = orr_doc_next(node, doc.system)) {
        if (node->kind == ORR_ELEMENT_PCI && kinds >> (has_net(node) ? ORR_LINKS_NICS : ORR_LINKS_PCIE) & 1)
            doubled(&doc, node, ORR_ATTR_LINK_WIDTH, 16);
        else if (node->kind == ORR_ELEMENT_NET && kinds >> ORR_LINKS_NICS & 1)
            doubled(&doc, node, ORR_ATTR_SPEED, 10000);
        else if (node->kind == ORR_ELEMENT_NVLINK && kinds >> ORR_LINKS_NVLINK & 1)
            doubled(&doc, node, ORR_ATTR_COUNT_, 0);
        else if (node->kind == ORR_ELEMENT_C2C && kinds >> ORR_LINKS_CPU & 1)
            doubled(&doc, node, ORR_ATTR_COUNT_, 0);
    }
    return orr_doc_to_dump(&doc, dump);
}

/* GB/s of the machine with those kinds widened, negative if it has no answer. */
static double widened(const struct orr_dump *dump, const struct orr_query *query, unsigned kinds)
{
    ORR_LOCAL_ARENA(arena, 0);
    ORR_LOCAL(orr_analysis, analysis);
    struct orr_query asked = *query;
    const struct orr_dump *edited = widen(dump, kinds, arena);
    /* The engine doubles sockets and C2C together: C2C that was edited is not doubled again. */
    bool c2c = false;
    for (uint32_t e = 0; e < dump->element_count; e++)
        c2c |= dump->elements[e].kind == ORR_ELEMENT_C2C;
    if (kinds >> ORR_LINKS_CPU & 1) {
        asked.settings.widened = 1u << ORR_LINKS_CPU;
        if (c2c)
            edited = widen(dump, kinds & ~(1u << ORR_LINKS_CPU), arena);
    }
    return edited && orr_analyze(edited, &asked, NULL, &analysis, NULL) == ORR_OK ? bandwidth(analysis) : -1;
}

static void check_question(const char *name, const struct orr_dump *dump, uint32_t hosts)
{
    ORR_LOCAL(orr_analysis, analysis);
    struct orr_query query = {.hosts = hosts, .plan = true};
    struct orr_expect_limit limit;
    orr_settings_init(&query.settings, orr_release_find(release));
    if (orr_analyze(dump, &query, NULL, &analysis, NULL) != ORR_OK)
        return;
    const double now = bandwidth(analysis);
    if (now <= 0 || orr_find_limit(NULL, analysis, ORR_TEST_ALL_REDUCE, NULL, &limit, NULL) != ORR_OK)
        return;
    counts.questions++;
    counts.untried += !limit.tried;
    if (!limit.tried)
        return;
    counts.links += limit.kinds != 0;
    counts.channels += !limit.kinds;
    const double named = limit.kinds ? widened(dump, &query, limit.kinds) : now;
    const double others = widened(dump, &query, ALL & ~limit.kinds);
    if ((limit.kinds && named <= 1.01 * now) || others > 1.01 * now) {
        counts.wrong++;
        fprintf(stderr, "%s on %u hosts: %.4g GB/s limited by %s; with that doubled %.4g, with all else %.4g\n", name,
                hosts, now, limit.text, named, others);
    }
}

static bool check_machine(const char *name, const struct orr_dump *dump)
{
    counts.machines++;
    for (uint32_t hosts = 1; hosts <= 2; hosts++)
        check_question(name, dump, hosts);
    return true;
}

int main(int count, char **arguments)
{
    unsigned long random = 0;
    uint64_t seed = 1;
    int i = 1;
    for (; i + 1 < count && !strncmp(arguments[i], "--", 2); i += 2) {
        const char *value = arguments[i + 1];
        if (!strcmp(arguments[i], "--release"))
            release = value;
        else if (!strcmp(arguments[i], "--random"))
            random = strtoul(value, NULL, 10);
        else if (!strcmp(arguments[i], "--seed"))
            seed = strtoull(value, NULL, 10);
        else
            return 2;
    }
    for (; i < count; i++)
        counts.wrong += !check_machine_of_file(arguments[i], check_machine);
    check_random_machines(random, seed, 16, check_machine);
    printf("%lu machines, %lu questions: %lu limited by links, %lu by channels, %lu not tried; %lu wrong\n",
           counts.machines, counts.questions, counts.links, counts.channels, counts.untried, counts.wrong);
    return counts.wrong || !counts.links;
}
