/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/diagram/scene.h"

#include <math.h>

#include "engine/release/release_names.h"

/* "FROM--TO"; FROM is the node that the analysis lists first. A second link of the pair has its type added. */
static const char *wire_id(const struct orr_scene *scene, uint32_t link)
{
    const struct orr_system *system = scene->system;
    const struct orr_link *at = &system->links[link];
    uint32_t low = at->from < at->to ? at->from : at->to, high = at->from < at->to ? at->to : at->from;
    const struct orr_node *node = &system->nodes[low];
    const char *id = orr_drawing_text(scene->drawing, "%s--%s", orr_label_id(&scene->labels, low),
                                      orr_label_id(&scene->labels, high));
    for (uint32_t i = node->first_link; i < node->first_link + node->link_count; i++)
        if (system->links[i].to == high)
            return system->links[i].type == at->type
                       ? id
                       : orr_drawing_text(scene->drawing, "%s--%s", id, orr_link_type_name(at->type));
    return id;
}

/* Points a GB/s, so that a link of 48 GB/s is a thin line and one of 371 a thick one. */
static float width_of(const struct orr_scene *scene, const struct orr_link *link, bool degraded)
{
    static const float least = 0.9f, most = 5, a_gbps = 0.011f;
    if (scene->by_bandwidth)
        return fmaxf(fminf(least + link->bw * a_gbps, most), degraded ? 1.8f : least);
    return link->type == ORR_LINK_NVL || link->type == ORR_LINK_C2C || degraded ? 1.8f : 1.2f;
}

void orr_scene_wire(struct orr_scene *scene, uint32_t link, const struct orr_point *points, uint32_t count,
                    const char *label, struct orr_point label_at)
{
    struct orr_drawing *drawing = scene->drawing;
    const struct orr_link *at = &scene->system->links[link];
    bool degraded = orr_label_degraded(&scene->labels, link) != NULL;
    const char *alert = orr_theme_paint(drawing->theme, ORR_ROLE_ALERT)->stroke;
    struct orr_wire wire = {
        .from = scene->tiles[at->from],
        .to = scene->tiles[at->to],
        .id = wire_id(scene, link),
        .classes = orr_label_link_class(&scene->labels, link),
        .title = orr_label_link_title(&scene->labels, link),
        .colour = degraded ? alert : orr_theme_link(drawing->theme, at->type),
        .width = width_of(scene, at, degraded),
        .dash = degraded ? ORR_LINE_DASHED : ORR_LINE_SOLID,
        .points = orr_drawing_points(drawing, points, count),
        .point_count = count,
        .label = label,
        .label_colour = degraded ? alert : orr_theme_paint(drawing->theme, ORR_ROLE_CANVAS)->ink,
        .label_at = label_at,
        .label_font = orr_link_font,
    };
    if (wire.points && wire.from != ORR_NO_TILE && wire.to != ORR_NO_TILE)
        orr_drawing_wire(drawing, &wire);
}

enum orr_wiring orr_scene_wiring(const struct orr_scene *scene, uint32_t link)
{
    const struct orr_link *at = &scene->system->links[link];
    const struct orr_node *from = &scene->system->nodes[at->from], *to = &scene->system->nodes[at->to];
    if (at->from == at->to || (at->from > at->to && at->reverse != ORR_NO_LINK))
        return ORR_WIRE_NONE;
    for (uint32_t i = from->first_link; i < link; i++) /* a device listed twice has its links twice */
        if (scene->system->links[i].to == at->to && scene->system->links[i].type == at->type)
            return ORR_WIRE_NONE;
    if (scene->labels.parent[at->from] == at->to && scene->labels.uplinks[at->from].link == link)
        return ORR_WIRE_UPLINK;
    uint32_t back = scene->labels.parent[at->to] == at->from ? scene->labels.uplinks[at->to].link : ORR_NO_LINK;
    if (back != ORR_NO_LINK && scene->system->links[back].type == at->type)
        return ORR_WIRE_UPLINK;
    if (from->type == ORR_NVS || to->type == ORR_NVS)
        return (orr_is_gpu(from->type) || orr_is_gpu(to->type)) && at->type == ORR_LINK_NVL ? ORR_WIRE_NVSWITCH
                                                                                            : ORR_WIRE_OTHER;
    if (orr_is_gpu(from->type) && orr_is_gpu(to->type))
        return ORR_WIRE_TRACK_BOTTOM;
    if (from->type == ORR_CPU && to->type == ORR_CPU)
        return ORR_WIRE_TRACK_TOP;
    if (from->type == ORR_GPU && to->type == ORR_CPU) {
        uint32_t root = at->from;
        while (scene->labels.parent[root] != ORR_NO_NODE)
            root = scene->labels.parent[root];
        return root == at->to ? ORR_WIRE_CPU : ORR_WIRE_OTHER;
    }
    return ORR_WIRE_OTHER;
}

const char *orr_scene_caption(const struct orr_scene *scene, const struct orr_analysis *analysis)
{
    const struct orr_system *system = scene->system;
    struct orr_drawing *drawing = scene->drawing;
    uint32_t gpus = orr_system_count(system, ORR_GPU), cpus = orr_system_count(system, ORR_CPU);
    uint32_t nics = orr_system_count(system, ORR_NIC), nets = orr_system_count(system, ORR_NET);
    const char *text =
        orr_drawing_text(drawing, "%u GPU%s, %u NUMA node%s", gpus, orr_plural(gpus), cpus, orr_plural(cpus));
    if (nics || nets)
        text = orr_drawing_text(drawing, "%s, %u NIC%s with %u port%s", text, nics, orr_plural(nics), nets,
                                orr_plural(nets));
    if (orr_system_count(system, ORR_NVS))
        text = orr_drawing_text(drawing, "%s, NVSwitch", text);
    if (system->host_count > 1)
        text = orr_drawing_text(drawing, "%s, %u hosts in one NVLink domain", text, system->host_count);
    if (scene->by_bandwidth && *orr_label_usual(&scene->labels))
        text = orr_drawing_text(drawing, "%s \xc2\xb7 %s", text, orr_label_usual(&scene->labels));
    const struct orr_settings *settings = &analysis->query.settings;
    char caveat[ORR_CAVEAT_SIZE];
    if (settings->release)
        text = orr_drawing_text(drawing, "%s \xc2\xb7 bandwidths as NCCL %s counts them, GB/s one direction", text,
                                settings->release->name);
    if (settings->release && !orr_settings_verified(settings))
        text = orr_drawing_text(drawing, "%s \xc2\xb7 %s", text, orr_settings_caveat(settings, caveat));
    return text;
}
