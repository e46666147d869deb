/* SPDX-License-Identifier: Apache-2.0 */
/* Facts about the printed system: summary, links, paths. */
#include <ctype.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_comparing/log_facts.h"

/* The node of an id as users see it, ORR_NO_NODE if there is none. */
static uint32_t node_of(const struct orr_system *system, const char *id)
{
    return strlen(id) > 4 ? orr_system_find(system, id) : ORR_NO_NODE;
}

/* The same for a list of nodes in order, searched from the last node found: NICs without a PCI slot appear once for
 * each CPU, with the same number. */
static uint32_t next_node_of(const struct orr_system *system, const char *id, uint32_t last)
{
    uint32_t first = node_of(system, id);
    if (first == ORR_NO_NODE || last == ORR_NO_NODE)
        return first;
    for (uint32_t i = last + 1; i < system->node_count && system->nodes[i].type == system->nodes[first].type; i++)
        if (system->nodes[i].id == system->nodes[first].id)
            return i;
    return first;
}

/* Whether the emulated release has nodes of the type that an id names: GIN and DEV came late. */
static bool has_type(const struct orr_log_facts *f, const char *id)
{
    for (int t = 0; t < ORR_NODE_TYPE_COUNT; t++)
        if (!strncmp(orr_node_type_name((enum orr_node_type)t), id, 3))
            return orr_node_type_in((enum orr_node_type)t, f->analysis->query.settings.release);
    return false;
}

/* Whether a node's id identifies the device: if bus ids are made up, only GPUs have ids from the log. */
static bool is_known(const struct orr_log_facts *f, const char *id)
{
    return !f->made_up || !strncmp(id, "GPU", 3) || !strncmp(id, "NVS", 3);
}
#define MADE_UP "the machine's bus ids are made up"

/* Notes that one of a fact's nodes is missing, and why. */
static void without_node(struct orr_log_facts *f, struct orr_log_fact *fact, const char *missing)
{
    if (has_type(f, missing))
        orr_log_fact_lacking(f, fact, "%s is not in the prediction", missing);
    else
        orr_log_fact_without(f, fact, "the emulated release has no such nodes");
}

static void add_summary(struct orr_log_facts *f, const struct orr_log_record *record)
{
    const struct orr_system *system = &orr_log_facts_part(f, record->session)->system;
    const char *names[2] = {"largest path bandwidth", "largest sum of a GPU's links"};
    const double predicted[2] = {(double)system->max_bw, (double)system->total_bw};
    for (uint32_t i = 0; i < record->value_count && i < 2; i++) {
        const struct orr_log_value logged = {.shape = ORR_SHAPE_RATE, .rate = record->values[i]};
        struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_SYSTEM, record->line, logged, "%s", names[i]);
        if (fact)
            orr_log_fact_compare(f, fact, (struct orr_log_value){.shape = ORR_SHAPE_RATE, .rate = predicted[i]});
    }
}

static void add_cpu(struct orr_log_facts *f, const struct orr_log_link *link)
{
    const struct orr_system *system = &orr_log_facts_part(f, link->session)->system;
    char logged[64] = "there";
    if (link->cpu[0] > -2)
        snprintf(logged, sizeof logged, "arch %d, vendor %d, model %d", (int)link->cpu[0], (int)link->cpu[1],
                 (int)link->cpu[2]);
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_LINKS, link->line, orr_log_words(logged), "%s", link->to);
    if (!fact)
        return;
    uint32_t node = node_of(system, link->to);
    orr_log_fact_at(fact, link->to, NULL);
    if (!is_known(f, link->to)) {
        orr_log_fact_without(f, fact, MADE_UP);
        return;
    }
    if (node == ORR_NO_NODE) {
        without_node(f, fact, link->to);
        return;
    }
    char predicted[64] = "there";
    if (link->cpu[0] > -2)
        snprintf(predicted, sizeof predicted, "arch %d, vendor %d, model %d", system->nodes[node].cpu.arch,
                 system->nodes[node].cpu.vendor, system->nodes[node].cpu.model);
    orr_log_fact_compare(f, fact, orr_log_words(predicted));
}

static void add_link(struct orr_log_facts *f, const struct orr_log_link *link)
{
    const struct orr_system *system = &orr_log_facts_part(f, link->session)->system;
    const struct orr_log_value logged = {.shape = ORR_SHAPE_LINK, .link = {link->type, link->bw}};
    struct orr_log_value predicted = orr_log_words("no such link");
    if (!strcmp(link->type, "QPI")) /* before 2.6; there is no release to compare with */
        return;
    if (!link->from[0]) /* the line above it is missing */
        return;
    struct orr_log_fact *fact =
        orr_log_fact_new(f, ORR_TOPIC_LINKS, link->line, logged, "%s - %s", link->from, link->to);
    if (!fact)
        return;
    uint32_t from = node_of(system, link->from), to = node_of(system, link->to);
    orr_log_fact_at(fact, link->from, link->to);
    if (!is_known(f, link->from) || !is_known(f, link->to)) {
        orr_log_fact_without(f, fact, MADE_UP);
        return;
    }
    if (from == ORR_NO_NODE || to == ORR_NO_NODE) {
        without_node(f, fact, from == ORR_NO_NODE ? link->from : link->to);
        return;
    }
    const struct orr_node *node = &system->nodes[from];
    for (uint32_t l = node->first_link; l < node->first_link + node->link_count; l++)
        if (system->links[l].to == to) {
            predicted = (struct orr_log_value){
                .shape = ORR_SHAPE_LINK,
                .link = {orr_link_type_name(system->links[l].type), (double)system->links[l].bw}};
            if (orr_log_value_agrees(&logged, &predicted))
                break;
        }
    orr_log_fact_compare(f, fact, predicted);
}

/* Adds facts about GPUs and NICs of the dump that a complete tree does not show. */
static void add_missing(struct orr_log_facts *f, const struct orr_log_links *links, uint32_t session)
{
    const struct orr_system *system = &orr_log_facts_part(f, session)->system;
    static const enum orr_node_type types[] = {ORR_GPU, ORR_NET};
    for (int t = 0; t < 2; t++)
        for (uint32_t i = 0; i < orr_system_count(system, types[t]); i++) {
            char id[ORR_NODE_ID_SIZE];
            bool shown = false;
            uint32_t line = 0;
            orr_system_node_id(system, system->first[types[t]] + i, id);
            for (uint32_t k = 0; k < links->count && !shown; k++)
                if (links->rows[k].session == session && links->rows[k].tree == 0) {
                    line = line ? line : links->rows[k].line;
                    shown = !strcmp(links->rows[k].to, id);
                }
            struct orr_log_fact *fact =
                shown ? NULL
                      : orr_log_fact_new(f, ORR_TOPIC_LINKS, line, orr_log_words("not in the printed tree"), "%s", id);
            if (fact) {
                orr_log_fact_at(fact, id, NULL);
                orr_log_fact_lacking(f, fact, "there");
            }
        }
}

/* The name of a path type in the log: a name, or a number of 2.5, for which there is no table here. */
static bool is_name(const char *type)
{
    return isalpha((unsigned char)type[0]) != 0;
}

/* The NIC of a log's id, "NET/0-c"; -1 if the id belongs to another kind of node. */
static int32_t nic_of(const char *id)
{
    const char *dash = strchr(id, '-');
    const unsigned long number = !strncmp(id, "NET/", 4) && dash ? strtoul(dash + 1, NULL, 16) : ULONG_MAX;
    return number < ORR_LOG_NICS ? (int32_t)number : -1;
}

static void add_path(struct orr_log_facts *f, const struct orr_log_record *record, const char *ids[2],
                     const uint32_t nodes[2], struct orr_log_value logged)
{
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_PATHS, record->line, logged, "%s -> %s", ids[0], ids[1]);
    if (!fact)
        return;
    orr_log_fact_at(fact, ids[0], ids[1]);
    fact->gpu_nic = strncmp(ids[0], "GPU/", 4) ? -1 : nic_of(ids[1]);
    if (!is_known(f, ids[0]) || !is_known(f, ids[1])) {
        orr_log_fact_without(f, fact, MADE_UP);
    } else if (nodes[0] == ORR_NO_NODE || nodes[1] == ORR_NO_NODE) {
        without_node(f, fact, nodes[0] == ORR_NO_NODE ? ids[0] : ids[1]);
    } else if (!is_name(logged.path.type) || !orr_paths_has(&part->paths, nodes[0]) ||
               !orr_paths_has(&part->paths, nodes[1])) {
        orr_log_fact_without(f, fact, "the emulated release keeps no such path");
    } else {
        const struct orr_path *path = orr_path(&part->paths, nodes[0], nodes[1]);
        orr_log_fact_compare(f, fact,
                             (struct orr_log_value){.shape = ORR_SHAPE_PATH,
                                                    .path = {orr_path_type_name((enum orr_path_type)path->type),
                                                             (double)path->bw, (int32_t)path->hops}});
    }
}

static void add_paths(struct orr_log_facts *f, const struct orr_log_record *record)
{
    enum { FIRST = 1, EACH = 2 };
    const struct orr_system *system = &orr_log_facts_part(f, record->session)->system;
    char from[ORR_NODE_ID_SIZE], to[ORR_NODE_ID_SIZE];
    const char *ids[2] = {orr_log_node_id(record->words[0], from), to};
    uint32_t nodes[2] = {node_of(system, from), ORR_NO_NODE};
    for (uint32_t i = 0; FIRST + EACH * i + 1 < record->word_count && EACH * i + 1 < record->value_count; i++) {
        const double *values = record->values + (size_t)EACH * i;
        const struct orr_log_value logged = {
            .shape = ORR_SHAPE_PATH, .path = {record->words[FIRST + EACH * i + 1], values[1], (int32_t)values[0]}};
        orr_log_node_id(record->words[FIRST + EACH * i], to);
        nodes[1] = next_node_of(system, to, nodes[1]);
        add_path(f, record, ids, nodes, logged);
    }
}

static bool concerns(const struct orr_log_facts *f, uint32_t session)
{
    return f->log->sessions[session].communicator == f->communicator;
}

enum orr_code orr_log_facts_of_system(struct orr_log_facts *f, struct orr_error *err)
{
    enum {
        TREES_CHECKED = 64,
        LINKS_MOST = 20000
    }; /* at most this many are compared with each other, so that time stays bounded */
    struct orr_log_links links;
    uint32_t checked = 0;
    ORR_TRY(orr_log_links_of(f->log, f->arena, &links, err));
    const struct orr_log_own own = orr_log_records_of(f->log, f->communicator);
    for (uint32_t i = 0; i < own.count; i++) {
        const struct orr_log_record *record = &f->log->records[own.at[i]];
        if (record->kind == ORR_LOG_SYSTEM)
            add_summary(f, record);
        else if (record->kind == ORR_LOG_PATHS || record->kind == ORR_LOG_PATHS_OTHER)
            add_paths(f, record);
    }
    for (uint32_t i = 0; i < links.count; i++)
        if (concerns(f, links.rows[i].session)) {
            if (links.rows[i].type[0])
                add_link(f, &links.rows[i]);
            else
                add_cpu(f, &links.rows[i]);
        }
    for (uint32_t s = 0; s < f->log->session_count; s++)
        if (!f->made_up && links.complete[s] && concerns(f, s) && links.count < LINKS_MOST && checked++ < TREES_CHECKED)
            add_missing(f, &links, s);
    return ORR_OK;
}
