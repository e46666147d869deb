/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a fleet for Slurm's topology plugins: leaf switches as a tree, NVLink domains as blocks. Unknown facts are
 * omitted: hosts without an NVLink domain are in no block, and without leaf switches there is no tree. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/local.h"
#include "engine/base/sorting.h"
#include "engine/exports/exports.h"

enum { MOST_NAME = 253 };

/* Hosts that share a leaf switch or an NVLink domain. */
struct group {
    char name[MOST_NAME + 1]; /* unique, with characters that Slurm allows */
    const char *known_as;
    uint32_t count;
};

struct groups {
    struct group *items;
    uint32_t count;
    uint32_t *of_host; /* [host]; UINT32_MAX if in no group */
    uint32_t without;  /* number of hosts in no group */
};

static const char *key_of(const struct orr_export_host *host, bool domain)
{
    return domain ? host->domain : host->leaf;
}

static bool is_name(const char *text)
{
    return isalnum((unsigned char)*text) && strlen(text) <= MOST_NAME &&
           strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_.") == strlen(text);
}

/* Node names in Slurm must be unique and have no blanks, commas or brackets. */
static enum orr_code check_names(const struct orr_export_request *request, struct orr_error *err)
{
    const char **names = calloc(request->count, sizeof *names);
    enum orr_code code = names ? ORR_OK : orr_fail_nomem(err);
    for (uint32_t i = 0; code == ORR_OK && i < request->count; i++) {
        names[i] = request->hosts[i].name;
        if (!is_name(names[i]))
            code = orr_fail(err, ORR_INVALID, "\"%.80s\" cannot be the name of a node in Slurm", names[i]);
    }
    if (code == ORR_OK)
        qsort(names, request->count, sizeof *names, orr_by_text);
    for (uint32_t i = 1; code == ORR_OK && i < request->count; i++)
        if (!strcmp(names[i - 1], names[i]))
            code = orr_fail(err, ORR_INVALID, "two hosts are called %.80s", names[i]);
    free(names);
    return code;
}

/* A name for a group: its own, with '-' for characters that Slurm does not allow, and with a number if the name is
 * taken. */
static void name_group(struct groups *groups, struct group *group)
{
    char plain[MOST_NAME - 16];
    size_t length = 0;
    for (; group->known_as[length] && length + 1 < sizeof plain; length++) {
        const char c = group->known_as[length];
        plain[length] = (char)(isalnum((unsigned char)c) || (length && strchr("-_.", c)) ? c : length ? '-' : 'x');
    }
    plain[length] = '\0';
    snprintf(group->name, sizeof group->name, "%s", plain);
    for (uint32_t i = 0, number = 2; i < groups->count; i++)
        if (!strcmp(groups->items[i].name, group->name)) {
            snprintf(group->name, sizeof group->name, "%s-%u", plain, number++);
            i = UINT32_MAX; /* start again from the first */
        }
}

static enum orr_code find_groups(const struct orr_export_request *request, bool domain, struct groups *groups,
                                 struct orr_error *err)
{
    *groups = (struct groups){.items = calloc(request->count, sizeof *groups->items),
                              .of_host = calloc(request->count, sizeof *groups->of_host)};
    ORR_NEED(groups->items && groups->of_host, err);
    for (uint32_t h = 0; h < request->count; h++) {
        const char *key = key_of(&request->hosts[h], domain);
        uint32_t g = 0;
        if (orr_budget_spent(groups->count + 1))
            return orr_budget_check(err);
        while (key && g < groups->count && strcmp(groups->items[g].known_as, key) != 0)
            g++;
        groups->of_host[h] = key ? g : UINT32_MAX;
        groups->without += !key;
        if (key && g == groups->count) {
            groups->items[g].known_as = key;
            name_group(groups, &groups->items[g]);
            groups->count++;
        }
        if (key)
            groups->items[g].count++;
    }
    return ORR_OK;
}

static void groups_release(struct groups *groups)
{
    free(groups->items);
    free(groups->of_host);
}

/* Writes the hosts of a group, or those in none (UINT32_MAX), separated by commas. */
static void write_hosts(const struct orr_export_request *request, const struct groups *groups, uint32_t group,
                        struct orr_text *text)
{
    const char *comma = "";
    for (uint32_t h = 0; h < request->count; h++)
        if (groups->of_host[h] == group) {
            orr_text_printf(text, "%s%s", comma, request->hosts[h].name);
            comma = ",";
        }
}

static void write_names(const struct groups *groups, struct orr_text *text)
{
    for (uint32_t g = 0; g < groups->count; g++)
        orr_text_printf(text, "%s%s", g ? "," : "", groups->items[g].name);
}

/* The switch above the leaf switches, with a name that none of them has. */
static void top_name(struct groups *groups, struct group *top)
{
    *top = (struct group){.known_as = "top"};
    name_group(groups, top);
}

/* Planning sizes: the smallest block size times 1, 2, 4 ... up to the number of blocks. */
static void write_sizes(const struct groups *groups, const char *before, const char *between, struct orr_text *text)
{
    uint32_t least = UINT32_MAX;
    for (uint32_t g = 0; g < groups->count; g++)
        least = groups->items[g].count < least ? groups->items[g].count : least;
    for (uint32_t blocks = 1; blocks <= groups->count; blocks *= 2)
        orr_text_printf(text, "%s%u", blocks == 1 ? before : between, least * blocks);
    orr_text_puts(text, "\n");
}

static enum orr_code need_domains(const struct groups *domains, struct orr_error *err)
{
    if (domains->count)
        return ORR_OK;
    return orr_fail_with(err, ORR_INVALID, NULL,
                         "give \"domain\" in the cluster file, or upload each host with the label domain=NAME",
                         "no host is known to be in an NVLink domain, so Slurm has no blocks to describe");
}

static enum orr_code need_switches(const struct orr_export_request *request, const struct groups *leaves,
                                   struct orr_error *err)
{
    uint32_t h = 0;
    if (leaves->count && !leaves->without)
        return ORR_OK;
    while (leaves->of_host[h] != UINT32_MAX)
        h++;
    return orr_fail_with(err, ORR_INVALID, NULL,
                         "give \"switch\" in the cluster file, or upload each host with the label switch=NAME",
                         "the leaf switch of %u of %u hosts is not known, such as that of %.80s", leaves->without,
                         request->count, request->hosts[h].name);
}

enum orr_code orr_export_slurm_tree(const struct orr_export_request *request, struct orr_text *text,
                                    struct orr_error *err)
{
    ORR_LOCAL_STRUCT(groups, leaves);
    struct group top;
    ORR_TRY(check_names(request, err));
    ORR_TRY(find_groups(request, false, &leaves, err));
    ORR_TRY(need_switches(request, &leaves, err));
    top_name(&leaves, &top);
    orr_text_puts(text, "# topology.conf for TopologyPlugin=topology/tree: the leaf switch of each host.\n");
    for (uint32_t g = 0; g < leaves.count; g++) {
        orr_text_printf(text, "SwitchName=%s Nodes=", leaves.items[g].name);
        write_hosts(request, &leaves, g, text);
        orr_text_puts(text, "\n");
    }
    if (leaves.count > 1) {
        orr_text_printf(text,
                        "# Assumed: all leaf switches reach one another. What is above them is not known.\n"
                        "SwitchName=%s Switches=",
                        top.name);
        write_names(&leaves, text);
        orr_text_puts(text, "\n");
    }
    return ORR_OK;
}

enum orr_code orr_export_slurm_block(const struct orr_export_request *request, struct orr_text *text,
                                     struct orr_error *err)
{
    ORR_LOCAL_STRUCT(groups, domains);
    ORR_TRY(check_names(request, err));
    ORR_TRY(find_groups(request, true, &domains, err));
    ORR_TRY(need_domains(&domains, err));
    orr_text_puts(text, "# topology.conf for TopologyPlugin=topology/block (Slurm 23.11 and later): NVLink domains.\n");
    if (domains.without) {
        orr_text_puts(text, "# Hosts whose NVLink domain is not known: ");
        write_hosts(request, &domains, UINT32_MAX, text);
        orr_text_puts(text, "\n");
    }
    for (uint32_t g = 0; g < domains.count; g++) {
        orr_text_printf(text, "BlockName=%s Nodes=", domains.items[g].name);
        write_hosts(request, &domains, g, text);
        orr_text_puts(text, "\n");
    }
    write_sizes(&domains, "BlockSizes=", ",", text);
    return ORR_OK;
}

static void write_yaml_blocks(const struct orr_export_request *request, const struct groups *domains,
                              struct orr_text *text)
{
    orr_text_puts(text, "- topology: \"nvlink-domains\"\n  cluster_default: true\n  block:\n    block_sizes:\n");
    write_sizes(domains, "      - ", "\n      - ", text);
    orr_text_puts(text, "    blocks:\n");
    for (uint32_t g = 0; g < domains->count; g++) {
        orr_text_printf(text, "      - block: \"%s\"\n        nodes: \"", domains->items[g].name);
        write_hosts(request, domains, g, text);
        orr_text_puts(text, "\"\n");
    }
}

static void write_yaml_tree(const struct orr_export_request *request, struct groups *leaves, bool is_default,
                            struct orr_text *text)
{
    struct group top;
    top_name(leaves, &top);
    orr_text_printf(text, "- topology: \"leaf-switches\"\n  cluster_default: %s\n  tree:\n    switches:\n",
                    is_default ? "true" : "false");
    for (uint32_t g = 0; g < leaves->count; g++) {
        orr_text_printf(text, "      - switch: \"%s\"\n        nodes: \"", leaves->items[g].name);
        write_hosts(request, leaves, g, text);
        orr_text_puts(text, "\"\n");
    }
    if (leaves->count > 1) { /* assumed, like in the tree of topology.conf */
        orr_text_printf(text, "      - switch: \"%s\"\n        children: \"", top.name);
        write_names(leaves, text);
        orr_text_puts(text, "\"\n");
    }
}

enum orr_code orr_export_slurm_yaml(const struct orr_export_request *request, struct orr_text *text,
                                    struct orr_error *err)
{
    ORR_LOCAL_STRUCT(groups, domains);
    ORR_LOCAL_STRUCT(groups, leaves);
    ORR_TRY(check_names(request, err));
    ORR_TRY(find_groups(request, true, &domains, err));
    ORR_TRY(find_groups(request, false, &leaves, err));
    const bool tree = leaves.count && !leaves.without;
    if (!tree && !domains.count)
        ORR_TRY(leaves.count ? need_switches(request, &leaves, err) : need_domains(&domains, err));
    orr_text_puts(text,
                  "# topology.yaml (Slurm 25.05 and later). The switch above the leaf switches is assumed.\n---\n");
    if (!tree && leaves.count)
        orr_text_printf(text, "# No tree: the leaf switch of %u of %u hosts is not known.\n", leaves.without,
                        request->count);
    if (domains.count)
        write_yaml_blocks(request, &domains, text);
    if (tree)
        write_yaml_tree(request, &leaves, !domains.count, text);
    return ORR_OK;
}
