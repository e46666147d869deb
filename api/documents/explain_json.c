/* SPDX-License-Identifier: Apache-2.0 */
/* Why: the decisions with the rule that made each, and what was assumed. */
#include "api/documents/sections.h"
#include "engine/explain/assumptions.h"
#include "engine/explain/link_loads.h"

static void set_decision(struct orr_json *json, json_t *row, const struct orr_decision *decision)
{
    ORR_SET(json, row, ORR_INT("verdict", decision->verdict),
            ORR_STRING("rule", orr_rule_name((enum orr_rule)decision->rule)),
            ORR_STRING("distance", orr_path_type_name((enum orr_path_type)decision->distance)),
            ORR_STRING("level", orr_path_type_name((enum orr_path_type)decision->level)));
    if (decision->setting >= 0 && decision->setting < ORR_SETTING_COUNT)
        ORR_SET(json, row, ORR_STRING("setting", orr_setting_name((enum orr_setting)decision->setting)),
                ORR_BOOL("by_user", decision->by_user));
}

json_t *orr_decision_json(struct orr_json *json, const struct orr_decision *decision)
{
    json_t *row = orr_json_object(json);
    set_decision(json, row, decision);
    orr_json_set(json, row, "text", orr_json_text(json, orr_rule_text((enum orr_rule)decision->rule)));
    return row;
}

static json_t *rules_json(struct orr_json *json)
{
    json_t *rules = orr_json_object(json);
    for (int rule = ORR_RULE_NONE + 1; rule < ORR_RULE_COUNT; rule++)
        orr_json_set(json, rules, orr_rule_name((enum orr_rule)rule),
                     orr_json_text(json, orr_rule_text((enum orr_rule)rule)));
    return rules;
}

static json_t *p2p_reasons(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t a = 0; a < analysis->local_ranks; a++)
        for (uint32_t b = 0; b < analysis->local_ranks; b++) {
            if (a == b)
                continue;
            json_t *row = ORR_OBJECT(json, ORR_INT("a", a), ORR_INT("b", b));
            set_decision(json, row, &analysis->p2p[(size_t)a * analysis->local_ranks + b].decision);
            orr_json_add(json, rows, row);
        }
    return rows;
}

static json_t *gdr_reasons(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t p = 0; p < analysis->part_count; p++) {
        const struct orr_part *part = &analysis->parts[p];
        uint32_t gpus = orr_system_count(&part->system, ORR_GPU), nets = orr_system_count(&part->system, ORR_NET);
        for (uint32_t g = 0; part->gdr && g < gpus; g++)
            for (uint32_t n = 0; n < nets; n++) {
                const struct orr_gdr *gdr = &part->gdr[(size_t)g * nets + n];
                for (int receives = 0; receives < 2; receives++) {
                    json_t *row = ORR_OBJECT(
                        json, ORR_INT("rank", orr_system_node(&part->system, ORR_GPU, g)->gpu.rank),
                        ORR_VALUE("net", orr_json_node(json, ORR_NET, orr_system_node(&part->system, ORR_NET, n)->id)),
                        ORR_STRING("direction", receives ? "recv" : "send"));
                    set_decision(json, row, receives ? &gdr->recv : &gdr->send);
                    orr_json_add(json, rows, row);
                }
            }
    }
    return rows;
}

/* Paths that are not the direct route: which ones, and what diverted them. */
static json_t *diversions(struct orr_json *json, const struct orr_analysis *analysis)
{
    const struct orr_paths *paths = &analysis->parts[0].paths;
    const struct orr_system *system = &analysis->parts[0].system;
    json_t *rows = orr_json_array(json);
    for (uint32_t from = 0; from < system->node_count; from++)
        for (uint32_t to = 0; to < system->node_count; to++) {
            if (!orr_paths_has(paths, from) || !orr_paths_has(paths, to))
                continue;
            enum orr_path_origin origin = orr_path(paths, from, to)->origin;
            enum orr_node_type a = system->nodes[from].type, b = system->nodes[to].type;
            if (origin == ORR_ROUTE || (a != ORR_GPU && a != ORR_NET) || (b != ORR_GPU && b != ORR_NET))
                continue;
            orr_json_add(json, rows,
                         ORR_OBJECT(json, ORR_VALUE("from", orr_json_node(json, a, system->nodes[from].id)),
                                    ORR_VALUE("to", orr_json_node(json, b, system->nodes[to].id)),
                                    ORR_STRING("why", orr_path_origin_text(origin))));
        }
    return rows;
}

json_t *orr_assumptions_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    const struct orr_assumption *assumption;
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++) {
        if (!assumption->applies(analysis))
            continue;
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_STRING("id", assumption->id), ORR_STRING("text", assumption->text)));
    }
    const struct orr_dump_notes *notes = analysis->dump->notes;
    for (uint32_t i = 0; notes && i < notes->assumed_count; i++) {
        orr_json_add(json, rows,
                     ORR_OBJECT(json, ORR_VALUE("id", orr_json_format(json, "input-%u", i + 1)),
                                ORR_STRING("text", notes->assumed[i].sentence)));
    }
    return rows;
}

/* Decisions about the whole machine, without trying settings, which only handle_explain.c does. */
static json_t *whole_decisions(struct orr_json *json, const struct orr_analysis *analysis)
{
    static const enum orr_why_kind kinds[] = {ORR_WHY_TREE, ORR_WHY_CHANNELS, ORR_WHY_NVLS};
    json_t *rows = orr_json_array(json);
    for (int graph = 0; graph < ORR_GRAPH_COUNT; graph++)
        if (analysis->parts[0].contribution.graphs[graph].pattern != ORR_PATTERN_NONE)
            orr_json_add(
                json, rows,
                orr_decision_of(json, analysis,
                                &(struct orr_why){.kind = ORR_WHY_GRAPH, .graph = (enum orr_graph_kind)graph}));
    for (unsigned i = 0; i < sizeof kinds / sizeof kinds[0]; i++)
        orr_json_add(json, rows, orr_decision_of(json, analysis, &(struct orr_why){.kind = kinds[i]}));
    return rows;
}

/* A link that a graph loads: [from, to, type, GB/s taken, [channel, ...]]. */
static json_t *load_json(struct orr_json *json, const struct orr_link *link, const struct orr_link_load *load,
                         json_t **ids)
{
    json_t *row = orr_json_array(json), *channels = orr_json_array(json);
    orr_json_add(json, row, orr_json_again(ids[link->from]));
    orr_json_add(json, row, orr_json_again(ids[link->to]));
    orr_json_add(json, row, orr_json_text(json, orr_link_type_name(link->type)));
    orr_json_add(json, row, orr_json_number(json, load->used));
    for (int c = 0; c < ORR_MAX_CHANNELS; c++)
        if (load->channels >> c & 1)
            orr_json_add(json, channels, orr_json_int(json, c));
    orr_json_add(json, row, channels);
    return row;
}

/* What each graph takes from the links, by the graph's name. */
static json_t *loads_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    const struct orr_part *part = &analysis->parts[0];
    json_t *object = orr_json_object(json), **ids = orr_json_nodes(json, &part->system);
    ORR_LOCAL_ARENA(arena, 0);
    for (int kind = 0; ids && kind < ORR_GRAPH_COUNT; kind++) {
        const struct orr_graph *graph = &part->contribution.graphs[kind];
        if (graph->pattern == ORR_PATTERN_NONE)
            continue;
        const struct orr_link_load *loads = orr_link_loads(part, graph, arena);
        json->failed = json->failed || !loads;
        json_t *rows = orr_json_array(json);
        for (uint32_t i = 0; loads && i < part->system.link_count; i++)
            if (loads[i].channels)
                orr_json_add(json, rows, load_json(json, &part->system.links[i], &loads[i], ids));
        orr_json_set(json, object, orr_graph_name(analysis->query.settings.release, graph->kind), rows);
    }
    orr_json_nodes_free(ids, &part->system);
    return object;
}

json_t *orr_explanations_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rests_on = orr_json_array(json);
    const struct orr_assumption *assumption;
    for (unsigned i = 0; (assumption = orr_assumption(i)); i++)
        if (assumption->applies(analysis))
            orr_json_add(json, rests_on, orr_json_text(json, assumption->id));
    const struct orr_dump_notes *notes = analysis->dump->notes;
    for (uint32_t i = 0; notes && i < notes->assumed_count; i++)
        orr_json_add(json, rests_on, orr_json_format(json, "input-%u", i + 1));
    return ORR_OBJECT(json, ORR_VALUE("rests_on", rests_on), ORR_VALUE("rules", rules_json(json)),
                      ORR_VALUE("p2p", p2p_reasons(json, analysis)), ORR_VALUE("gdr", gdr_reasons(json, analysis)),
                      ORR_VALUE("paths", diversions(json, analysis)), ORR_VALUE("loads", loads_json(json, analysis)),
                      ORR_VALUE("decisions", whole_decisions(json, analysis)));
}
