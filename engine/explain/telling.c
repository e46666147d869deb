/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with which the explainers write sentences, compared values, the limit, names of devices and values of
 * settings. */
#include "engine/explain/explain.h"

#include <stdio.h>
#include <string.h>

#include "engine/explain/assumptions.h"
#include "engine/explain/explainer.h"
#include "engine/release/behaviours.h"
#include "engine/release/release_names.h"

static void compare(struct orr_explainer *e, struct orr_compared row)
{
    if (e->out->compared_count < ORR_MOST_COMPARED)
        e->out->compared[e->out->compared_count++] = row;
}

void orr_compare_number(struct orr_explainer *e, const char *name, double number, const char *unit,
                        struct orr_from from)
{
    compare(e, (struct orr_compared){.name = name, .number = number, .unit = unit, .from = from});
}

void orr_compare_text(struct orr_explainer *e, const char *name, const char *text, struct orr_from from)
{
    compare(e, (struct orr_compared){.name = name, .text = text, .from = from});
}

void orr_compared_internal(struct orr_explainer *e, uint32_t first)
{
    for (uint32_t i = first; i < e->out->compared_count; i++)
        e->out->compared[i].internal = true;
}

void orr_rule_of(struct orr_explainer *e, enum orr_rule rule)
{
    e->out->rule_id = orr_rule_name(rule);
    e->out->rule = orr_rule_text(rule);
}

/* The id of a device in a sentence. If Orrery made it up, a GPU is called by its rank alone, and others are marked. */
static const char *id_words(struct orr_explainer *e, const struct orr_system *system, uint32_t node)
{
    char id[ORR_NODE_ID_SIZE];
    orr_system_node_id(system, node, id);
    if (!orr_node_id_made_up(system, node))
        return orr_tell(e, "%s", id);
    return system->nodes[node].type == ORR_GPU ? orr_tell(e, "rank %d", system->nodes[node].gpu.rank)
                                               : orr_tell(e, "%s (made-up id)", id);
}

const char *orr_device_name(struct orr_explainer *e, const struct orr_part *part, uint32_t node)
{
    const struct orr_node *device = &part->system.nodes[node];
    const char *id = id_words(e, &part->system, node);
    if (device->type == ORR_GPU)
        return orr_node_id_made_up(&part->system, node) ? id : orr_tell(e, "rank %d (%s)", device->gpu.rank, id);
    const char *name =
        device->type == ORR_NET ? orr_element_text(part->system.dump, device->element, ORR_ATTR_NAME) : NULL;
    return name ? orr_tell(e, "%s (%.40s)", id, name) : id;
}

const char *orr_setting_now(struct orr_explainer *e, enum orr_setting setting)
{
    const struct orr_settings *settings = &e->a->query.settings;
    const char *given = orr_setting_text(settings, setting);
    if (given)
        return given;
    const struct orr_setting_words words = orr_setting_words(setting, settings->release);
    return *words.standard ? orr_tell(e, "%s", words.standard) : "not set";
}

const char *orr_setting_source(struct orr_explainer *e, enum orr_setting setting)
{
    const char *name = orr_setting_name(setting);
    if (e->a->query.settings.values[setting].given)
        return orr_tell(e, "%s=%s", name, orr_setting_now(e, setting));
    return orr_tell(e, "default of %s in NCCL %s", name, e->a->query.settings.release->name);
}

/* A physical GPU with only one rank is drawn as that rank. */
static void set_limit(struct orr_explainer *e, const struct orr_link *link)
{
    const struct orr_system *system = &e->part->system;
    struct orr_limit *limit = &e->out->limit;
    struct orr_system drawn;
    uint32_t *drawn_as = NULL;
    if (!orr_system_fold(system, e->arena, &drawn, &drawn_as))
        return;
    orr_system_node_id(system, drawn_as[link->from], limit->from);
    orr_system_node_id(system, drawn_as[link->to], limit->to);
    limit->from_words = id_words(e, system, drawn_as[link->from]);
    limit->to_words = id_words(e, system, drawn_as[link->to]);
    limit->type = orr_link_type_name(link->type);
    limit->bw = link->bw;
}

void orr_limit_path(struct orr_explainer *e, const struct orr_path *path)
{
    int narrowest = orr_path_narrowest(&e->part->paths, path);
    if (narrowest < 0)
        return;
    const struct orr_link *link = &e->part->system.links[e->part->paths.links[path->first + (uint32_t)narrowest]];
    set_limit(e, link);
    e->out->limit.text = orr_tell(e, "The slowest link of the path is %s with %.6g GB/s, hop %d of %u.",
                                  e->out->limit.type, (double)link->bw, narrowest + 1, path->hops);
}

void orr_limit_graph(struct orr_explainer *e, const struct orr_graph *graph)
{
    float used = 0, rate = graph->bw_intra > graph->bw_inter ? graph->bw_intra : graph->bw_inter;
    uint32_t fullest = orr_fullest_link(e, e->part, graph, &used);
    if (fullest == ORR_NO_LINK)
        return;
    const struct orr_link *link = &e->part->system.links[fullest];
    float left = link->bw > used ? link->bw - used : 0;
    set_limit(e, link);
    e->out->limit.used = used;
    e->out->limit.text =
        orr_tell(e, "The most used link: the channels use %.6g of its %.6g GB/s; %s.", (double)used, (double)link->bw,
                 left + 0.01F < rate ? "no further channel fits" : "another channel would fit");
}

enum orr_code orr_device_find(const struct orr_analysis *analysis, const char *text, const char *parameter,
                              const struct orr_part **ret_part, uint32_t *ret_node, struct orr_error *err)
{
    char rank[ORR_NODE_ID_SIZE];
    const char *name = text;
    if (*text && strlen(text) < 9 && strspn(text, "0123456789") == strlen(text)) {
        snprintf(rank, sizeof rank, "rank:%s", text);
        name = rank;
    }
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        *ret_part = &analysis->parts[p];
        *ret_node = orr_system_find(&(*ret_part)->system, name);
        if (*ret_node != ORR_NO_NODE)
            return ORR_OK;
    }
    orr_fail(err, ORR_NOT_FOUND, "the system has no device \"%.60s\"", text);
    orr_error_where(err, "%s", parameter);
    if (analysis->cluster)
        orr_error_advice(err, "for a cluster, Orrery explains the devices of rank 0's system only; ask about another "
                              "host's topology separately");
    else if (analysis->query.hosts == 1 && (!strncmp(text, "NET", 3) || !strncmp(text, "NIC", 3)))
        orr_error_advice(err, "with one host NCCL drops the NICs: add hosts=2");
    else
        orr_error_advice(err, "name it as the analysis does (GPU/0-1b000), by rank:3, or by bus id (0000:1b:00.0)");
    return ORR_NOT_FOUND;
}
