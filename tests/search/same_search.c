/* SPDX-License-Identifier: Apache-2.0 */
/* Does engine/search find what the plain search finds? On small random machines, under every release.
 *
 *     same_search [--seed N] [--count M] [--most GPUS]
 *     same_search --file XML --release R [--hosts H] [--odd N] [--set NAME=VALUE]...
 *     same_search --cases LIST
 *
 * Case N, N + 1, ... each make a machine, a release, a number of hosts and settings. --odd changes capacities of links
 * after the machine is analysed, each by a function of N and of the ends of the link, so that they need not be ones
 * that machines have. What differs is printed with the command that asks it again; tests/search/reduce.py makes it
 * small. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/orrery.h"
#include "engine/release/release.h"
#include "tests/search/plain_search.h"
#include "tests/search/small_machine.h"

enum { LARGEST_XML = 1 << 18, MOST_SETTINGS = 4, MOST_REPORTS = 20 };

struct question {
    const struct orr_release *release;
    uint32_t hosts, settings;
    uint64_t odd; /* 0 if capacities as they are */
    const char *name[MOST_SETTINGS], *value[MOST_SETTINGS];
};

/* Another capacity for some of the links. */
static float odd_capacity(float bw, uint64_t hash)
{
    const float part = (float)(hash >> 40) / (float)(1 << 24);
    switch (hash % 16) {
    case 0:
        return bw * (.5f + part);
    case 1:
        return bw / 3;
    case 2:
        return (float)(int32_t)(bw * (.5f + part) * 1000) / 1000;
    case 3:
        return (float)(int32_t)(bw * part) + .1875f;
    case 4:
        return bw + part * .01f;
    case 5:
        return hash & 16 ? ORR_LOC_BW : 1500 + 1000 * part;
    case 6:
        return hash & 16 ? 0 : part;
    default:
        return bw;
    }
}

static void make_odd(struct orr_system *system, uint64_t odd)
{
    for (uint32_t l = 0; l < system->link_count; l++) {
        struct orr_link *link = &system->links[l];
        const uint64_t from = (uint64_t)system->nodes[link->from].id, to = (uint64_t)system->nodes[link->to].id;
        link->bw = odd_capacity(link->bw, orr_hash_scatter(odd * 31 + from * 1000003 + to * 7919 + link->type));
    }
}

static bool same_channels(const struct orr_system *system, const struct orr_graph *a, const struct plain_graph *b)
{
    for (int32_t c = 0; c < a->channels; c++) {
        for (uint32_t i = 0; i < a->row_count; i++)
            if (a->gpus[(uint32_t)c * a->gpu_count + i] != system->nodes[b->gpus[c][i]].gpu.rank)
                return false;
        if (a->nets && (a->nets[c][0] != b->nets[c][0] || a->nets[c][1] != b->nets[c][1]))
            return false;
    }
    return true;
}

static const char *differs(const struct orr_system *system, const struct orr_graph *a, const struct plain_graph *found)
{
    const struct orr_trial *b = &found->is;
    if (a->pattern != b->pattern)
        return "pattern";
    if (a->channels != b->channels)
        return "number of channels";
    if (a->bw_intra != b->bw_intra || a->bw_inter != b->bw_inter)
        return "bandwidth";
    if (a->type_intra != orr_path_type_of_number(system->release, b->type_intra) ||
        a->type_inter != orr_path_type_of_number(system->release, b->type_inter))
        return "type of paths";
    if (a->cross_nic != b->cross_nic || a->same_channels != b->same_channels)
        return "crossNic or sameChannels";
    if (a->hops != b->hops)
        return "hops";
    if (a->latency_inter != b->latency_inter)
        return "latency";
    if (a->channels && a->row_count != (b->pattern == ORR_PATTERN_NVLS ? 1 : a->gpu_count))
        return "width of rows";
    return same_channels(system, a, found) ? NULL : "order of GPUs or NICs";
}

static void show(const struct orr_graph *a, const struct orr_trial *b)
{
    printf("    ours : pattern %d, %d x %g/%g, types %d/%d, crossNic %d, sameChannels %d, hops %d\n", (int)a->pattern,
           a->channels, (double)a->bw_intra, (double)a->bw_inter, (int)a->type_intra, (int)a->type_inter, a->cross_nic,
           a->same_channels, a->hops);
    printf("    plain: pattern %d, %d x %g/%g, types %d/%d, crossNic %d, sameChannels %d, hops %d\n", (int)b->pattern,
           b->channels, (double)b->bw_intra, (double)b->bw_inter, (int)b->type_intra, (int)b->type_inter, b->cross_nic,
           b->same_channels, b->hops);
}

/* One part of a host by both searches; false if they differ, or one fails. */
static bool compare_part(struct orr_part *part, const struct orr_settings *settings, const struct question *q)
{
    ORR_LOCAL_ARENA(arena, 0);
    static struct plain_graph plain[ORR_GRAPH_COUNT];
    struct orr_graph ours[ORR_GRAPH_COUNT];
    struct orr_error err = {0}, plain_err = {0};
    const struct orr_search_request request = {
        .hosts = q->hosts, .collnet = part->contribution.has_collnet, .nvls = part->contribution.nvls_on};
    if (q->odd)
        make_odd(&part->system, q->odd);
    const enum orr_code code = orr_search(&part->paths, settings, &request, arena, ours, &err);
    const enum orr_code expected = plain_search(&part->paths, settings, &request, arena, plain, &plain_err);
    if (code != ORR_OK || expected != ORR_OK) {
        if (code != expected)
            printf("  %s instead of %s\n", orr_code_name(code), orr_code_name(expected));
        return code == expected;
    }
    bool same = true;
    for (int kind = 0; kind < ORR_GRAPH_COUNT; kind++) {
        const char *what = differs(&part->system, &ours[kind], &plain[kind]);
        if (!what)
            continue;
        printf("  %s: %s\n", orr_graph_name(q->release, (enum orr_graph_kind)kind), what);
        show(&ours[kind], &plain[kind].is);
        same = false;
    }
    return same;
}

/* *ret_parts: how many systems were compared. */
static bool compare(const char *xml, size_t length, const struct question *q, uint32_t *ret_parts)
{
    static struct orr_query query;
    ORR_LOCAL(orr_dump, dump);
    ORR_LOCAL(orr_analysis, analysis);
    struct orr_error err = {0};
    bool same = true;
    orr_settings_init(&query.settings, q->release);
    query.hosts = q->hosts;
    *ret_parts = 0;
    for (uint32_t i = 0; i < q->settings; i++)
        if (orr_settings_set(&query.settings, q->name[i], q->value[i], &err) != ORR_OK)
            return true;
    if (orr_dump_read(xml, length, NULL, &dump, &err) != ORR_OK ||
        orr_analyze(dump, &query, NULL, &analysis, &err) != ORR_OK)
        return true;
    for (; *ret_parts < analysis->part_count; ++*ret_parts)
        same = compare_part(&analysis->parts[*ret_parts], &analysis->query.settings, q) && same;
    return same;
}

static void make_question(struct chance *c, struct question *q)
{
    static const struct {
        const char *name, *values[4];
    } settings[] = {
        {"NCCL_CROSS_NIC", {"0", "1", "2", "3"}},
        {"NCCL_CROSS_NIC", {"0", "1", "0", "1"}},
        {"NCCL_P2P_LEVEL", {"LOC", "PIX", "SYS", "NVL"}},
        {"NCCL_NET_GDR_LEVEL", {"LOC", "PIX", "SYS", "PHB"}},
        {"NCCL_PXN_DISABLE", {"1", "0", "1", "1"}},
        {"NCCL_COLLNET_ENABLE", {"1", "1", "1", "1"}},
        {"NCCL_COLLNET_ENABLE", {"1", "1", "1", "1"}},
        {"NCCL_NETDEVS_POLICY", {"ALL", "MAX:1", "MAX:2", "AUTO"}},
        {"NCCL_MNNVL_RAIL_PER_HOST", {"1", "1", "0", "1"}},
        {"NCCL_NVB_DISABLE", {"1", "1", "1", "1"}},
        {"NCCL_P2P_DISABLE", {"1", "1", "1", "1"}},
        {"NCCL_PXN_C2C", {"0", "1", "0", "1"}},
        {"NCCL_CROSS_NIC", {"-1", "3", "-7", "2147483647"}},
    };
    uint32_t releases;
    const struct orr_release *release = orr_releases(&releases);
    *q = (struct question){.release = &release[chance_below(c, releases)], .hosts = 1 + chance_below(c, 5)};
    if (chance_percent(c, 25))
        q->hosts = 1;
    if (chance_percent(c, 35))
        q->odd = chance_next(c) % 1000000 + 1;
    for (uint32_t most = chance_percent(c, 50) ? 1 + chance_below(c, MOST_SETTINGS) : 0; q->settings < most;) {
        const uint32_t row = chance_below(c, (uint32_t)(sizeof settings / sizeof settings[0]));
        q->name[q->settings] = settings[row].name;
        q->value[q->settings++] = CHANCE_OF(c, settings[row].values);
    }
}

static void describe(uint64_t seed, const struct question *q, const struct orr_text *xml)
{
    const char *folder = getenv("TMPDIR");
    char path[256];
    snprintf(path, sizeof path, "%s/same-search-%llu.xml", folder ? folder : "/tmp", (unsigned long long)seed);
    FILE *file = fopen(path, "wb");
    if (file) {
        fwrite(xml->data, 1, xml->length, file);
        fclose(file);
    }
    printf("FAILED: seed %llu; again: build/tests/same_search --file %s --release %s --hosts %u",
           (unsigned long long)seed, path, q->release->name, q->hosts);
    if (q->odd)
        printf(" --odd %llu", (unsigned long long)q->odd);
    for (uint32_t i = 0; i < q->settings; i++)
        printf(" --set %s=%s", q->name[i], q->value[i]);
    putchar('\n');
}

/* "NAME=VALUE"; false if it is not, or there are too many. */
static bool set(struct question *q, char *text)
{
    char *equals = strchr(text, '=');
    if (!equals || q->settings == MOST_SETTINGS)
        return false;
    *equals = '\0';
    q->name[q->settings] = text;
    q->value[q->settings++] = equals + 1;
    return true;
}

static int compare_many(uint64_t seed, uint64_t count, uint32_t most)
{
    uint64_t compared = 0, failed = 0;
    for (uint64_t i = seed; i < seed + count; i++) {
        struct chance chance = {.state = i};
        struct question q;
        uint32_t parts;
        ORR_LOCAL_TEXT(xml, LARGEST_XML);
        make_question(&chance, &q);
        small_machine_write(&chance, most, &xml);
        if (!compare(xml.data, xml.length, &q, &parts) && ++failed <= MOST_REPORTS)
            describe(i, &q, &xml);
        compared += parts;
    }
    printf("%llu cases, %llu systems compared, %llu failed\n", (unsigned long long)count, (unsigned long long)compared,
           (unsigned long long)failed);
    return failed || compared < count / 2;
}

static int compare_file(const char *path, const struct question *q)
{
    ORR_LOCAL_TEXT(xml, LARGEST_XML);
    char bytes[4096];
    uint32_t parts;
    FILE *file = fopen(path, "rb");
    for (size_t read; file && (read = fread(bytes, 1, sizeof bytes, file)) > 0;)
        orr_text_add(&xml, bytes, read);
    if (file)
        fclose(file);
    const bool same = compare(xml.data, xml.length, q, &parts);
    printf("%s: %u systems, %s\n", path, parts, same ? "the same" : "different");
    return !same || !parts;
}

/* All rows of a list; its files lie beside it. */
static int compare_cases(const char *list)
{
    char line[512], path[512], *at, *word;
    const char *slash = strrchr(list, '/');
    int status = 0, rows = 0;
    FILE *file = fopen(list, "r");
    while (file && fgets(line, sizeof line, file)) {
        struct question q = {0};
        if (line[0] == '#' || !(word = strtok_r(line, " \n", &at)))
            continue;
        snprintf(path, sizeof path, "%.*s%s", slash ? (int)(slash - list) + 1 : 0, list, word);
        const char *release = strtok_r(NULL, " \n", &at), *hosts = strtok_r(NULL, " \n", &at);
        const char *odd = strtok_r(NULL, " \n", &at);
        if (!odd || !(q.release = orr_release_find(release))) {
            printf("FAILED: a row of %s\n", list);
            status = 1;
            continue;
        }
        q.hosts = (uint32_t)strtoul(hosts, NULL, 10);
        q.odd = strtoull(odd, NULL, 10);
        while (q.settings < MOST_SETTINGS && (word = strtok_r(NULL, " \n", &at)))
            (void)set(&q, word);
        status |= compare_file(path, &q);
        rows++;
    }
    if (file)
        fclose(file);
    return status || !rows;
}

static int usage(void)
{
    fputs("usage: same_search [--seed N] [--count M] [--most GPUS] | --cases LIST |\n"
          "       --file XML --release R [--hosts H] [--odd N] [--set A=B]...\n",
          stderr);
    return 2;
}

int main(int argc, char **argv)
{
    uint64_t seed = 1, count = 1000;
    uint32_t most = 6;
    setvbuf(stdout, NULL, _IOLBF, 0);
    const char *file = NULL, *cases = NULL;
    struct question q = {.release = orr_release_default(), .hosts = 1};
    for (int i = 1; i < argc; i += 2) {
        char *value = i + 1 < argc ? argv[i + 1] : NULL;
        if (value && !strcmp(argv[i], "--seed")) {
            seed = strtoull(value, NULL, 10);
        } else if (value && !strcmp(argv[i], "--count")) {
            count = strtoull(value, NULL, 10);
        } else if (value && !strcmp(argv[i], "--most")) {
            most = (uint32_t)strtoul(value, NULL, 10);
        } else if (value && !strcmp(argv[i], "--file")) {
            file = value;
        } else if (value && !strcmp(argv[i], "--release") && (q.release = orr_release_find(value))) {
            continue;
        } else if (value && !strcmp(argv[i], "--hosts")) {
            q.hosts = (uint32_t)strtoul(value, NULL, 10);
        } else if (value && !strcmp(argv[i], "--odd")) {
            q.odd = strtoull(value, NULL, 10);
        } else if (value && !strcmp(argv[i], "--cases")) {
            cases = value;
        } else if (!value || strcmp(argv[i], "--set") != 0 || !set(&q, value)) {
            return usage();
        }
    }
    return cases ? compare_cases(cases) : file ? compare_file(file, &q) : compare_many(seed, count, most);
}
