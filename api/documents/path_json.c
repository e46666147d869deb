/* SPDX-License-Identifier: Apache-2.0 */
/* One path between two devices: its hops, its narrowest link, and the reason for its type. */
#include "api/documents/sections.h"
#include "engine/explain/explain.h"
#include "engine/release/release.h"

static json_t *hops_json(struct orr_json *json, const struct orr_part *part, const struct orr_path *path)
{
    json_t *hops = orr_json_array(json);
    for (uint32_t i = 0; i < path->hops; i++) {
        const struct orr_link *link = &part->system.links[part->paths.links[path->first + i]];
        orr_json_add(json, hops,
                     ORR_OBJECT(json, ORR_VALUE("from", orr_json_node_of(json, &part->system, link->from)),
                                ORR_VALUE("to", orr_json_node_of(json, &part->system, link->to)),
                                ORR_STRING("link", orr_link_type_name(link->type)), ORR_NUMBER("bw", link->bw)));
    }
    return hops;
}

/* The decisions that concern the two ends. */
static void set_decisions(struct orr_json *json, json_t *object, const struct orr_analysis *analysis,
                          const struct orr_part *part, uint32_t from, uint32_t to)
{
    const struct orr_system *system = &part->system;
    const struct orr_node *a = &system->nodes[from], *b = &system->nodes[to];
    json_t *decisions = orr_json_object(json);
    if (a->type == ORR_GPU && b->type == ORR_GPU && from != to) {
        const struct orr_p2p *p2p = &analysis->p2p[(size_t)a->gpu.rank * analysis->local_ranks + (size_t)b->gpu.rank];
        orr_json_set(json, decisions, "p2p", orr_decision_json(json, &p2p->decision));
    }
    bool sends = a->type == ORR_GPU && b->type == ORR_NET, receives = a->type == ORR_NET && b->type == ORR_GPU;
    if ((sends || receives) && part->gdr) {
        uint32_t gpu = (sends ? from : to) - system->first[ORR_GPU], net = (sends ? to : from) - system->first[ORR_NET];
        const struct orr_gdr *gdr = &part->gdr[(size_t)gpu * orr_system_count(system, ORR_NET) + net];
        orr_json_set(json, decisions, "gdr", orr_decision_json(json, sends ? &gdr->send : &gdr->recv));
    }
    orr_json_set(json, object, "decisions", decisions);
}

enum orr_code orr_path_json(struct orr_json *json, const struct orr_analysis *analysis, const char *from,
                            const char *to, json_t **ret_value, struct orr_error *err)
{
    uint32_t a, b;
    const struct orr_part *part, *other;
    ORR_TRY(orr_device_find(analysis, from, "from", &part, &a, err));
    ORR_TRY(orr_device_find(analysis, to, "to", &other, &b, err));
    if (part != other) {
        return orr_fail_with(err, ORR_NOT_FOUND, NULL, "they reach each other only through the network",
                             "%.60s and %.60s are in different systems: trimming split the host", from, to);
    }
    bool starts = orr_paths_has(&part->paths, a);
    if (!starts || !orr_paths_has(&part->paths, b)) {
        return orr_fail_with(err, ORR_NOT_FOUND, starts ? "to" : "from",
                             "paths start and end at GPUs, NETs, CPUs and NVSwitches", "NCCL keeps no paths %s %.60s",
                             starts ? "to" : "from", starts ? to : from);
    }
    const struct orr_path *path = orr_path(&part->paths, a, b);
    int narrowest = orr_path_narrowest(&part->paths, path);
    json_t *object = ORR_OBJECT(json, ORR_VALUE("from", orr_json_node_of(json, &part->system, a)),
                                ORR_VALUE("to", orr_json_node_of(json, &part->system, b)),
                                ORR_STRING("type", orr_path_type_shown(part->system.release, path->type)),
                                ORR_STRING("meaning", orr_path_type_meaning(path->type)), ORR_NUMBER("bw", path->bw),
                                ORR_VALUE("hops", hops_json(json, part, path)),
                                ORR_VALUE("narrowest", narrowest < 0 ? json_null() : orr_json_int(json, narrowest)),
                                ORR_STRING("why", orr_path_origin_text(path->origin)));
    set_decisions(json, object, analysis, part, a, b);
    *ret_value = object;
    return ORR_OK;
}
