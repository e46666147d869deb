/* Facts about the printed system: summary, links, paths. */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_comparing/facts.h"

/* The node of an id as users see it, ORR_NO_NODE: none. */
static uint32_t node_of(const struct orr_system *system, const char *id)
{
    return strlen(id) > 4 ? orr_system_find(system, id) : ORR_NO_NODE;
}

/* The same in a row that lists nodes in order, behind the last one found: NICs without a PCI slot appear once for each
 * CPU, with one number. */
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

/* Whether a node's id says which device it is: where bus ids are made up, only GPUs have the log's. */
static bool is_known(const struct orr_log_facts *f, const char *id)
{
    return !f->made_up || !strncmp(id, "GPU", 3) || !strncmp(id, "NVS", 3);
}
#define MADE_UP "the machine's bus ids are made up"

/* Says of a fact that one of its nodes is missing, and why. */
static void without_node(struct orr_log_facts *f, struct orr_log_fact *fact, const char *missing)
{
    if (has_type(f, missing))
        orr_log_fact_predicted(f, fact, false, "%s is not in the prediction", missing);
    else
        orr_log_fact_without(f, fact, "the emulated release has no such nodes");
}

/* Whether a rate is what a log prints with so many digits behind the point. */
static bool prints_as(double logged, float predicted)
{
    return fabs(logged - (double)predicted) <= 0.051 + (double)predicted * 1e-5;
}

static void add_summary(struct orr_log_facts *f, const struct orr_log_record *record)
{
    const struct orr_system *system = &orr_log_facts_part(f, record->session)->system;
    const char *names[2] = {"largest path bandwidth", "largest sum of a GPU's links"};
    float predicted[2] = {system->max_bw, system->total_bw};
    for (uint32_t i = 0; i < record->value_count && i < 2; i++) {
        char logged[32];
        snprintf(logged, sizeof logged, "%.1f GB/s", record->values[i]);
        struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_SYSTEM, record->line, logged, "%s", names[i]);
        if (fact)
            orr_log_fact_predicted(f, fact, prints_as(record->values[i], predicted[i]), "%.1f GB/s",
                                   (double)predicted[i]);
    }
}

static void add_cpu(struct orr_log_facts *f, const struct orr_log_link *link)
{
    const struct orr_system *system = &orr_log_facts_part(f, link->session)->system;
    char logged[64] = "there";
    if (link->cpu[0] > -2)
        snprintf(logged, sizeof logged, "arch %d, vendor %d, model %d", (int)link->cpu[0], (int)link->cpu[1],
                 (int)link->cpu[2]);
    struct orr_log_fact *fact = orr_log_fact_new(f, ORR_TOPIC_LINKS, link->line, logged, "%s", link->to);
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
    orr_log_fact_compare(f, fact, predicted);
}

static void add_link(struct orr_log_facts *f, const struct orr_log_link *link)
{
    const struct orr_system *system = &orr_log_facts_part(f, link->session)->system;
    char logged[64], predicted[96] = "no such link";
    if (!strcmp(link->type, "QPI")) /* before 2.6; there is no release to compare with */
        return;
    if (!link->from[0]) /* the line above it is missing */
        return;
    snprintf(logged, sizeof logged, "%.8s %.1f GB/s", link->type, link->bw);
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
            const char *type = orr_link_type_name(system->links[l].type);
            snprintf(predicted, sizeof predicted, "%s %.1f GB/s", type, (double)system->links[l].bw);
            if (!strcmp(type, link->type) && prints_as(link->bw, system->links[l].bw)) {
                orr_log_fact_predicted(f, fact, true, "%s", predicted);
                return;
            }
        }
    orr_log_fact_predicted(f, fact, false, "%s", predicted);
}

/* GPUs and NICs of the dump that a complete tree does not show. */
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
                shown ? NULL : orr_log_fact_new(f, ORR_TOPIC_LINKS, line, "not in the printed tree", "%s", id);
            if (fact) {
                orr_log_fact_at(fact, id, NULL);
                orr_log_fact_predicted(f, fact, false, "there");
            }
        }
}

/* The name of a path type as the log prints it: a name, or 2.5's number, which no table here has. */
static bool is_name(const char *type)
{
    return isalpha((unsigned char)type[0]) != 0;
}

static void add_paths(struct orr_log_facts *f, const struct orr_log_record *record)
{
    enum { FIRST = 1, EACH = 2 };
    const struct orr_part *part = orr_log_facts_part(f, record->session);
    char from_id[ORR_NODE_ID_SIZE], to_id[ORR_NODE_ID_SIZE];
    orr_log_node_id(record->words[0], from_id);
    uint32_t from = node_of(&part->system, from_id), last = ORR_NO_NODE;
    for (uint32_t i = 0; FIRST + EACH * i + 1 < record->word_count && EACH * i + 1 < record->value_count; i++) {
        const char *type = record->words[FIRST + EACH * i + 1];
        double hops = record->values[EACH * i], bw = record->values[EACH * i + 1];
        char logged[64];
        orr_log_node_id(record->words[FIRST + EACH * i], to_id);
        snprintf(logged, sizeof logged, "%.7s %.1f GB/s, %d %s", type, bw, (int)hops, hops == 1 ? "hop" : "hops");
        struct orr_log_fact *fact =
            orr_log_fact_new(f, ORR_TOPIC_PATHS, record->line, logged, "%s -> %s", from_id, to_id);
        if (!fact)
            continue;
        uint32_t to = next_node_of(&part->system, to_id, last);
        last = to;
        orr_log_fact_at(fact, from_id, to_id);
        if (!is_known(f, from_id) || !is_known(f, to_id)) {
            orr_log_fact_without(f, fact, MADE_UP);
        } else if (from == ORR_NO_NODE || to == ORR_NO_NODE) {
            without_node(f, fact, from == ORR_NO_NODE ? from_id : to_id);
        } else if (!is_name(type) || !orr_paths_has(&part->paths, from) || !orr_paths_has(&part->paths, to)) {
            orr_log_fact_without(f, fact, "the emulated release keeps no such path");
        } else {
            const struct orr_path *path = orr_path(&part->paths, from, to);
            const char *name = orr_path_type_name((enum orr_path_type)path->type);
            orr_log_fact_predicted(f, fact, !strcmp(name, type) && (int)hops == path->hops && prints_as(bw, path->bw),
                                   "%s %.1f GB/s, %u %s", name, (double)path->bw, path->hops,
                                   path->hops == 1 ? "hop" : "hops");
        }
    }
}

static bool concerns(const struct orr_log_facts *f, uint32_t session)
{
    return f->log->sessions[session].communicator == f->communicator;
}

enum orr_code orr_log_facts_of_system(struct orr_log_facts *f, struct orr_error *err)
{
    enum { TREES_CHECKED = 64, LINKS_MOST = 20000 }; /* what is sought in each other: time stays in bounds */
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
