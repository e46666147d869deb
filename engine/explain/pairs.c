/* SPDX-License-Identifier: Apache-2.0 */
/* Explains the path between a pair of devices: by hardware, and after NCCL's rules. */
#include "engine/decide/verdicts.h"
#include "engine/explain/explainer.h"

static enum orr_code need(const struct orr_explainer *e, bool to, struct orr_error *err)
{
    const char *missing = !e->why->from ? "from" : to && !e->why->to ? "to" : NULL;
    if (!missing)
        return ORR_OK;
    return orr_fail_with(err, ORR_SETTING, missing,
                         "name devices as the analysis does, such as GPU/0-1b000 or NET/0-0, or by rank:0",
                         "%s needs %s", e->row->name, to ? "both from and to" : "from");
}

static enum orr_code find_both(struct orr_explainer *e, struct orr_error *err)
{
    ORR_TRY(need(e, true, err));
    ORR_TRY(orr_device_find(e->a, e->why->from, "from", &e->part, &e->from, err));
    return orr_device_find(e->a, e->why->to, "to", &e->part_of_to, &e->to, err);
}

static enum orr_code refuse(const struct orr_explainer *e, const char *what, struct orr_error *err)
{
    return orr_fail_with(err, ORR_NOT_FOUND, NULL, "ask for path: every pair of devices has one",
                         "%s is decided between %s, not between %.40s and %.40s", e->row->name, what, e->why->from,
                         e->why->to);
}

enum orr_code orr_find_ranks(struct orr_explainer *e, struct orr_error *err)
{
    ORR_TRY(find_both(e, err));
    if (orr_type_of(e->part, e->from) != ORR_GPU || orr_type_of(e->part_of_to, e->to) != ORR_GPU)
        return refuse(e, "two GPUs", err);
    return ORR_OK;
}

enum orr_code orr_find_pair(struct orr_explainer *e, struct orr_error *err)
{
    ORR_TRY(find_both(e, err));
    if (e->part != e->part_of_to)
        return orr_fail_with(
            err, ORR_NOT_FOUND, NULL, "they reach each other only through the network; ask for p2p, which explains why",
            "%.40s and %.40s are in different systems: trimming split the host", e->why->from, e->why->to);
    bool starts = orr_paths_has(&e->part->paths, e->from);
    if (!starts || !orr_paths_has(&e->part->paths, e->to))
        return orr_fail_with(err, ORR_NOT_FOUND, NULL, "paths start and end at GPUs, NETs, CPUs and NVSwitches",
                             "NCCL keeps no paths %s %.60s", starts ? "to" : "from",
                             starts ? e->why->to : e->why->from);
    return ORR_OK;
}

enum orr_code orr_find_gpu_and_net(struct orr_explainer *e, struct orr_error *err)
{
    ORR_TRY(orr_find_pair(e, err));
    enum orr_node_type from = orr_type_of(e->part, e->from), to = orr_type_of(e->part, e->to);
    if (!((from == ORR_GPU && to == ORR_NET) || (from == ORR_NET && to == ORR_GPU)))
        return refuse(e, "a GPU and a NIC's port (NET)", err);
    return ORR_OK;
}

const struct orr_path *orr_path_of(const struct orr_explainer *e)
{
    return orr_path(&e->part->paths, e->from, e->to);
}

const struct orr_paths *orr_hardware(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_paths *direct = ORR_NEW(e->arena, struct orr_paths, 1);
    if (!direct) {
        (void)orr_fail_nomem(err);
        return NULL;
    }
    if (orr_paths_route(&e->part->system, &e->a->query.settings, e->arena, direct, err) != ORR_OK)
        return NULL;
    return direct;
}

/* The reason why a GPU cannot use GPUDirect RDMA, as the end of a sentence. */
static const char *gdr_hindrance(struct orr_explainer *e, const struct orr_decision *decision, uint32_t gpu,
                                 uint32_t net)
{
    switch ((enum orr_rule)decision->rule) {
    case ORR_RULE_GDR_NET_CANNOT:
        return orr_tell(e, "gdr=\"0\" on %s", orr_device_name(e, e->part, net));
    case ORR_RULE_GDR_GPU_CANNOT:
        return orr_tell(e, "gdr=\"0\" on %s", orr_device_name(e, e->part, gpu));
    case ORR_RULE_GDR_PARTITION:
        return "the GPU is a partition, and NCCL_NET_GDR_MLOPART is 0";
    default:
        return orr_tell(e, "the GDR level is %s (%s)", orr_path_type_name((enum orr_path_type)decision->level),
                        orr_setting_source(e, ORR_SET_NET_GDR_LEVEL));
    }
}

/* Why a path is not the direct route, as the end of a sentence. */
static enum orr_code find_diversion(struct orr_explainer *e, const struct orr_paths *direct, const char **ret_because,
                                    struct orr_error *err)
{
    const struct orr_path *path = orr_path_of(e);
    const struct orr_settings *settings = &e->a->query.settings;
    bool sends = orr_type_of(e->part, e->from) == ORR_GPU;
    uint32_t gpu = sends ? e->from : e->to, net = sends ? e->to : e->from;
    switch ((enum orr_path_origin)path->origin) {
    case ORR_ROUTE_VIA_CPU_NO_P2P: {
        struct orr_decision p2p = orr_decide_p2p(direct, settings, e->from, e->to).decision;
        *ret_because = orr_tell(e, "the P2P level is %s (%s)", orr_path_type_name((enum orr_path_type)p2p.level),
                                p2p.setting >= 0 ? orr_setting_source(e, (enum orr_setting)p2p.setting) : "rule");
        return ORR_OK;
    }
    case ORR_ROUTE_VIA_CPU_NO_GDR: {
        struct orr_decision receive;
        ORR_TRY(orr_decide_gdr(direct, settings, gpu, net, false, &receive, err));
        *ret_because = gdr_hindrance(e, &receive, gpu, net);
        return ORR_OK;
    }
    case ORR_ROUTE_PXN: {
        uint32_t relay;
        ORR_TRY(orr_pxn_relay(&e->part->paths, gpu, net, &relay, err));
        *ret_because = orr_tell(e, "PXN leads through %s", orr_device_name(e, e->part, relay));
        return ORR_OK;
    }
    case ORR_ROUTE_C2C:
        *ret_because = "one device is on C2C and the other on PCIe of the same CPU";
        return ORR_OK;
    default:
        *ret_because = "neither P2P nor shared memory is possible";
        return ORR_OK;
    }
}

enum orr_code orr_find_distance(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_path *path = orr_path_of(e);
    const struct orr_paths *direct = orr_hardware(e, err);
    if (!direct)
        return err ? err->code : ORR_NOMEM;
    const struct orr_path *physical = orr_path(direct, e->from, e->to);
    out->physical_type = orr_path_type_name((enum orr_path_type)physical->type);
    out->physical_bw = physical->bw;
    out->effective_type = orr_path_type_name((enum orr_path_type)path->type);
    out->effective_bw = path->bw;
    if (path->origin == ORR_ROUTE ||
        (physical->type == path->type && physical->bw == path->bw && physical->hops == path->hops)) {
        out->distance = orr_tell(e, "%s by hardware and in effect", out->effective_type);
        return ORR_OK;
    }
    ORR_TRY(find_diversion(e, direct, &e->because, err));
    out->distance = physical->type == path->type
                        ? orr_tell(e, "%s by hardware, and %s in effect over another path because %s",
                                   out->physical_type, out->effective_type, e->because)
                        : orr_tell(e, "%s by hardware, %s in effect because %s", out->physical_type,
                                   out->effective_type, e->because);
    return ORR_OK;
}

/* A path. */

const char *orr_verdict_path(struct orr_explainer *e)
{
    const struct orr_path *path = orr_path_of(e);
    if (!path->hops && e->from != e->to)
        return orr_tell(e, "%s", orr_path_type_name((enum orr_path_type)path->type));
    return orr_tell(e, "%s, %.6g GB/s, %u hops", orr_path_type_name((enum orr_path_type)path->type), (double)path->bw,
                    path->hops);
}

/* Every origin is a rule of its own. */
static const struct {
    const char *id, *text;
} origin_rules[] = {
    [ORR_ROUTE] = {"PATH_DIRECT", "This is the fastest direct path that the release allows. Its type is that of its "
                                  "longest part, its bandwidth that of its slowest link."},
    [ORR_ROUTE_VIA_CPU_NO_P2P] = {"PATH_NO_P2P",
                                  "Without P2P, data goes through the CPU nearest to the receiving GPU."},
    [ORR_ROUTE_VIA_CPU_NO_GDR] = {"PATH_NO_GDR",
                                  "Without GPUDirect RDMA, data goes through the CPU nearest to the GPU."},
    [ORR_ROUTE_PXN] = {"PATH_PXN", "Data reaches the NIC through another GPU (PXN)."},
    [ORR_ROUTE_C2C] = {"PATH_C2C", "One device is on C2C and the other on PCIe of the same CPU, which NCCL calls P2C."},
    [ORR_ROUTE_UNREACHABLE] = {"PATH_NETWORK",
                               "The pair uses the network, because neither P2P nor shared memory is possible."},
};

enum orr_code orr_explain_path(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_path *path = orr_path_of(e);
    const struct orr_paths *paths = &e->part->paths;
    const char *from = orr_device_name(e, e->part, e->from), *to = orr_device_name(e, e->part, e->to);
    out->question = orr_tell(e, "Why is the path from %s to %s of this type and bandwidth?", from, to);
    out->rule_id = origin_rules[path->origin].id;
    out->rule = origin_rules[path->origin].text;
    ORR_TRY(orr_find_distance(e, err));
    const char *diverted = e->because
                               ? orr_tell(e, "By hardware it would be %s with %.6g GB/s, but %s.", out->physical_type,
                                          (double)out->physical_bw, e->because)
                               : "It is the best path that the hardware gives; no rule of NCCL or setting diverts it.";
    orr_limit_path(e, path);
    out->answer = path->hops ? orr_tell(e, "The path from %s to %s is %s, with %.6g GB/s over %s. %s%s%s", from, to,
                                        orr_type_words(e, (enum orr_path_type)path->type), (double)path->bw,
                                        orr_count_words(e, path->hops, "hop"), diverted, *out->limit.from ? " " : "",
                                        *out->limit.from ? out->limit.text : "")
                             : orr_tell(e, "Between %s and %s there is no path inside the host: %s. %s", from, to,
                                        orr_path_type_meaning((enum orr_path_type)path->type), out->rule);
    struct orr_from hardware = orr_from_hardware(e);
    orr_compare_text(e, "type by hardware", out->physical_type, hardware);
    orr_compare_number(e, "bandwidth by hardware", (double)out->physical_bw, "GB/s", hardware);
    orr_compare_text(e, "type in effect", out->effective_type, ORR_COMPUTED);
    orr_compare_number(e, "bandwidth in effect", (double)out->effective_bw, "GB/s", ORR_COMPUTED);
    enum { MOST_HOPS = 24 };
    for (uint32_t i = 0; i < path->hops && i < MOST_HOPS; i++) {
        const struct orr_link *link = &e->part->system.links[paths->links[path->first + i]];
        orr_compare_number(e,
                           orr_tell(e, "hop %u, %s to %s", i + 1, orr_link_type_name(link->type),
                                    orr_device_name(e, e->part, link->to)),
                           (double)link->bw, "GB/s", hardware);
        if (link->type == ORR_LINK_LOC)
            orr_compared_internal(e, out->compared_count - 1);
    }
    return ORR_OK;
}
