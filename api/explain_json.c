/* Why: the decisions with the rule that made each, and what was taken for granted. */
#include "api/sections.h"

static const char *const rule_names[ORR_RULE_COUNT] = {
#define X(name, text) [ORR_RULE_##name] = #name,
    ORR_RULE_MAP(X)
#undef X
};

static void set_decision(struct orr_json *json, json_t *row, const struct orr_decision *decision)
{
    unsigned rule = decision->rule < ORR_RULE_COUNT ? decision->rule : ORR_RULE_NONE;
    orr_json_set(json, row, "verdict", orr_json_int(json, decision->verdict));
    orr_json_set(json, row, "rule", orr_json_text(json, rule_names[rule]));
    orr_json_set(json, row, "distance",
                 orr_json_text(json, orr_path_type_name((enum orr_path_type)decision->distance)));
    orr_json_set(json, row, "level", orr_json_text(json, orr_path_type_name((enum orr_path_type)decision->level)));
    if (decision->setting >= 0 && decision->setting < ORR_SETTING_COUNT) {
        struct orr_setting_info info;
        orr_setting_info((enum orr_setting)decision->setting, &info);
        orr_json_set(json, row, "setting", orr_json_text(json, info.name));
        orr_json_set(json, row, "by_user", orr_json_bool(json, decision->by_user));
    }
}

json_t *orr_decision_json(struct orr_json *json, const struct orr_decision *decision)
{
    json_t *row = orr_json_object(json);
    set_decision(json, row, decision);
    orr_json_set(json, row, "text",
                 orr_json_text(json, orr_rule_text(decision->rule < ORR_RULE_COUNT ? (enum orr_rule)decision->rule
                                                                                   : ORR_RULE_NONE)));
    return row;
}

static json_t *rules_json(struct orr_json *json)
{
    json_t *rules = orr_json_object(json);
    for (int rule = ORR_RULE_NONE + 1; rule < ORR_RULE_COUNT; rule++)
        orr_json_set(json, rules, rule_names[rule], orr_json_text(json, orr_rule_text((enum orr_rule)rule)));
    return rules;
}

static json_t *p2p_reasons(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (uint32_t a = 0; a < analysis->local_ranks; a++)
        for (uint32_t b = 0; b < analysis->local_ranks; b++) {
            if (a == b)
                continue;
            json_t *row = orr_json_object(json);
            orr_json_set(json, row, "a", orr_json_int(json, a));
            orr_json_set(json, row, "b", orr_json_int(json, b));
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
                    json_t *row = orr_json_object(json);
                    orr_json_set(json, row, "rank",
                                 orr_json_int(json, orr_system_node(&part->system, ORR_GPU, g)->gpu.rank));
                    orr_json_set(json, row, "net",
                                 orr_json_node(json, ORR_NET, orr_system_node(&part->system, ORR_NET, n)->id));
                    orr_json_set(json, row, "direction", orr_json_text(json, receives ? "recv" : "send"));
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
            json_t *row = orr_json_object(json);
            orr_json_set(json, row, "from", orr_json_node(json, a, system->nodes[from].id));
            orr_json_set(json, row, "to", orr_json_node(json, b, system->nodes[to].id));
            orr_json_set(json, row, "why", orr_json_text(json, orr_path_origin_text(origin)));
            orr_json_add(json, rows, row);
        }
    return rows;
}

/* What the analysis takes for granted where NCCL would ask the hardware, and whether this answer rests on it. */
struct assumption {
    const char *id, *text;
    bool (*applies)(const struct orr_analysis *analysis);
};

static bool always(const struct orr_analysis *analysis)
{
    return analysis->query.hosts > 0;
}
static bool several_ranks(const struct orr_analysis *analysis)
{
    return analysis->local_ranks > 1;
}
static bool not_fused(const struct orr_analysis *analysis)
{
    return analysis->built.host_count <= 1 && analysis->query.hosts > 1;
}
static bool asked_for_collnet(const struct orr_analysis *analysis)
{
    return orr_setting_int(&analysis->query.settings, ORR_SET_COLLNET_ENABLE) != 0;
}
static bool no_collnet(const struct orr_analysis *analysis)
{
    return !asked_for_collnet(analysis) && analysis->query.hosts > 1;
}
static bool has_nvls(const struct orr_analysis *analysis)
{
    return analysis->communicator.nvls;
}

static bool not_verified(const struct orr_analysis *analysis)
{
    return !analysis->query.settings.release->verified;
}

static const struct assumption assumptions[] = {
    {"release-not-verified",
     "The release is emulated, but not verified against references: where nothing is known of it, it is taken to do as "
     "the emulated release before it.",
     not_verified},
    {"one-gpu-per-process", "Every rank is its own process with one GPU.", always},
    {"nvml-p2p-ok", "NVML reports P2P as OK for every pair of GPUs.", several_ranks},
    {"new-driver", "The driver is new enough for everything that the release supports.", always},
    {"no-mnnvl", "The hosts share no NVLink domain (MNNVL is off), since the dump is of one host.", not_fused},
    {"no-collnet", "No CollNet plugin (SHARP) is used; NCCL_COLLNET_ENABLE=1 would use it.", no_collnet},
    {"collnet-works", "NICs with coll=\"1\" have a CollNet plugin that supports everything and whose setup succeeds.",
     asked_for_collnet},
    {"nvls-works", "NVLink SHARP works: fabric manager and driver set it up.", has_nvls},
};
enum { ASSUMPTION_COUNT = sizeof assumptions / sizeof assumptions[0] };

json_t *orr_assumptions_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *rows = orr_json_array(json);
    for (int i = 0; i < ASSUMPTION_COUNT; i++) {
        if (!assumptions[i].applies(analysis))
            continue;
        json_t *row = orr_json_object(json);
        orr_json_set(json, row, "id", orr_json_text(json, assumptions[i].id));
        orr_json_set(json, row, "text", orr_json_text(json, assumptions[i].text));
        orr_json_add(json, rows, row);
    }
    return rows;
}

json_t *orr_explanations_json(struct orr_json *json, const struct orr_analysis *analysis)
{
    json_t *object = orr_json_object(json), *rests_on = orr_json_array(json);
    for (int i = 0; i < ASSUMPTION_COUNT; i++)
        if (assumptions[i].applies(analysis))
            orr_json_add(json, rests_on, orr_json_text(json, assumptions[i].id));
    orr_json_set(json, object, "rests_on", rests_on);
    orr_json_set(json, object, "rules", rules_json(json));
    orr_json_set(json, object, "p2p", p2p_reasons(json, analysis));
    orr_json_set(json, object, "gdr", gdr_reasons(json, analysis));
    orr_json_set(json, object, "paths", diversions(json, analysis));
    return object;
}
