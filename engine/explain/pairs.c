/* Pairs of devices: the path, P2P, GPU Direct RDMA. What the hardware gives and what rules make of it are kept apart.
 */
#include "engine/decide/verdicts.h"
#include "engine/explain/explainer.h"

static enum orr_code need(const struct orr_explainer *e, bool to, struct orr_error *err)
{
    const char *missing = !e->why->from ? "from" : to && !e->why->to ? "to" : NULL;
    if (!missing)
        return ORR_OK;
    orr_fail(err, ORR_SETTING, "%s needs %s", orr_kind_rows[e->why->kind].name, to ? "both from and to" : "from");
    orr_error_where(err, "%s", missing);
    orr_error_advice(err, "name devices as the analysis does, such as GPU/0-1b000 or NET/0-0, or by rank:0");
    return ORR_SETTING;
}

static enum orr_code find_both(struct orr_explainer *e, struct orr_error *err)
{
    ORR_TRY(need(e, true, err));
    ORR_TRY(orr_device_find(e->a, e->why->from, "from", &e->part, &e->from, err));
    return orr_device_find(e->a, e->why->to, "to", &e->part_of_to, &e->to, err);
}

static enum orr_node_type type_of(const struct orr_part *part, uint32_t node)
{
    return part->system.nodes[node].type;
}

static enum orr_code refuse(const struct orr_explainer *e, const char *what, struct orr_error *err)
{
    orr_fail(err, ORR_NOT_FOUND, "%s is decided between %s, not between %.40s and %.40s",
             orr_kind_rows[e->why->kind].name, what, e->why->from, e->why->to);
    orr_error_advice(err, "ask for path: every pair of devices has one");
    return ORR_NOT_FOUND;
}

enum orr_code orr_find_ranks(struct orr_explainer *e, struct orr_error *err)
{
    ORR_TRY(find_both(e, err));
    if (type_of(e->part, e->from) != ORR_GPU || type_of(e->part_of_to, e->to) != ORR_GPU)
        return refuse(e, "two GPUs", err);
    return ORR_OK;
}

enum orr_code orr_find_pair(struct orr_explainer *e, struct orr_error *err)
{
    ORR_TRY(find_both(e, err));
    if (e->part != e->part_of_to) {
        orr_fail(err, ORR_NOT_FOUND, "%.40s and %.40s are in different systems: trimming split the host", e->why->from,
                 e->why->to);
        orr_error_advice(err, "they reach each other only through the network; ask for p2p, which explains why");
        return ORR_NOT_FOUND;
    }
    bool starts = orr_paths_has(&e->part->paths, e->from);
    if (!starts || !orr_paths_has(&e->part->paths, e->to)) {
        orr_fail(err, ORR_NOT_FOUND, "NCCL keeps no paths %s %.60s", starts ? "to" : "from",
                 starts ? e->why->to : e->why->from);
        orr_error_advice(err, "paths start and end at GPUs, NETs, CPUs and NVSwitches");
        return ORR_NOT_FOUND;
    }
    return ORR_OK;
}

enum orr_code orr_find_gpu_and_net(struct orr_explainer *e, struct orr_error *err)
{
    ORR_TRY(orr_find_pair(e, err));
    enum orr_node_type from = type_of(e->part, e->from), to = type_of(e->part, e->to);
    if (!((from == ORR_GPU && to == ORR_NET) || (from == ORR_NET && to == ORR_GPU)))
        return refuse(e, "a GPU and a NIC's port (NET)", err);
    return ORR_OK;
}

static const struct orr_path *path_of(const struct orr_explainer *e)
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

/* What keeps a GPU from GPU Direct RDMA, as the end of a sentence. */
static const char *gdr_hindrance(struct orr_explainer *e, const struct orr_decision *decision, uint32_t gpu,
                                 uint32_t net)
{
    switch ((enum orr_rule)decision->rule) {
    case ORR_RULE_GDR_NET_CANNOT:
        return orr_tell(e, "gdr=0 on %s", orr_device_name(e, e->part, net));
    case ORR_RULE_GDR_GPU_CANNOT:
        return orr_tell(e, "gdr=0 on %s", orr_device_name(e, e->part, gpu));
    case ORR_RULE_GDR_PARTITION:
        return "the GPU is a partition, and NCCL_NET_GDR_MLOPART is 0";
    default:
        return orr_tell(e, "the GDR level is %s (%s)", orr_path_type_name((enum orr_path_type)decision->level),
                        orr_setting_source(e, ORR_SET_NET_GDR_LEVEL));
    }
}

/* Why a path is not the direct route, as the end of a sentence. */
static enum orr_code tell_diversion(struct orr_explainer *e, const struct orr_paths *direct, const char **ret_because,
                                    struct orr_error *err)
{
    const struct orr_path *path = path_of(e);
    const struct orr_settings *settings = &e->a->query.settings;
    bool sends = type_of(e->part, e->from) == ORR_GPU;
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
    default:
        *ret_because = orr_path_origin_text((enum orr_path_origin)path->origin);
        return ORR_OK;
    }
}

enum orr_code orr_tell_distance(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_path *path = path_of(e);
    const struct orr_paths *direct = orr_hardware(e, err);
    const char *because = "";
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
    ORR_TRY(tell_diversion(e, direct, &because, err));
    out->distance =
        physical->type == path->type
            ? orr_tell(e, "%s by hardware, and %s in effect over another path because %s", out->physical_type,
                       out->effective_type, because)
            : orr_tell(e, "%s by hardware, %s in effect because %s", out->physical_type, out->effective_type, because);
    return ORR_OK;
}

/* A path. */

const char *orr_verdict_path(struct orr_explainer *e)
{
    const struct orr_path *path = path_of(e);
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
    [ORR_ROUTE_VIA_CPU_NO_GDR] = {"PATH_NO_GDR", "Without GPU Direct RDMA, data goes through the CPU nearest to the "
                                                 "GPU."},
    [ORR_ROUTE_PXN] = {"PATH_PXN", "Data reaches the NIC through another GPU (PXN)."},
    [ORR_ROUTE_C2C] = {"PATH_C2C", "One device is on C2C and the other on PCIe of the same CPU, which NCCL calls P2C."},
    [ORR_ROUTE_UNREACHABLE] = {"PATH_NETWORK",
                               "The pair uses the network, because neither P2P nor shared memory is possible."},
};

enum orr_code orr_explain_path(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_path *path = path_of(e);
    const struct orr_paths *paths = &e->part->paths;
    const char *from = orr_device_name(e, e->part, e->from), *to = orr_device_name(e, e->part, e->to);
    out->question = orr_tell(e, "Why is the path from %s to %s of this type and bandwidth?", from, to);
    out->rule_id = origin_rules[path->origin].id;
    out->rule = origin_rules[path->origin].text;
    ORR_TRY(orr_tell_distance(e, err));
    out->answer =
        orr_tell(e, "%s (%s): %s.", out->verdict, orr_path_type_meaning((enum orr_path_type)path->type), out->distance);
    orr_compare_text(e, "type by hardware", out->physical_type, "the dump");
    orr_compare_number(e, "bandwidth by hardware", (double)out->physical_bw, "GB/s", "the dump");
    orr_compare_text(e, "type in effect", out->effective_type, NULL);
    orr_compare_number(e, "bandwidth in effect", (double)out->effective_bw, "GB/s", NULL);
    enum { MOST_HOPS = 24 };
    for (uint32_t i = 0; i < path->hops && i < MOST_HOPS; i++) {
        const struct orr_link *link = &e->part->system.links[paths->links[path->first + i]];
        orr_compare_number(e,
                           orr_tell(e, "hop %u, %s to %s", i + 1, orr_link_type_name(link->type),
                                    orr_device_name(e, e->part, link->to)),
                           (double)link->bw, "GB/s", NULL);
    }
    orr_limit_path(e, path);
    return ORR_OK;
}

/* P2P. */

static const struct orr_p2p *p2p_of(const struct orr_explainer *e)
{
    size_t a = (size_t)e->part->system.nodes[e->from].gpu.rank;
    return &e->a->p2p[a * e->a->local_ranks + (size_t)e->part_of_to->system.nodes[e->to].gpu.rank];
}

const char *orr_verdict_p2p(struct orr_explainer *e)
{
    const struct orr_p2p *p2p = p2p_of(e);
    if (!p2p->decision.verdict)
        return "no";
    if (p2p->via >= 0)
        return orr_tell(e, "yes, through rank %d%s", p2p->via, p2p->read ? ", by reading" : "");
    return p2p->read ? "yes, by reading" : "yes";
}

/* Where trimming parted them: what the hardware of the whole host gives the pair, and what let the network win. */
static enum orr_code tell_parted(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_system *whole = &e->a->built;
    struct orr_paths direct;
    uint32_t ends[2] = {ORR_NO_NODE, ORR_NO_NODE};
    int32_t ranks[2] = {e->part->system.nodes[e->from].gpu.rank, e->part_of_to->system.nodes[e->to].gpu.rank};
    ORR_TRY(orr_paths_route(whole, &e->a->query.settings, e->arena, &direct, err));
    for (uint32_t g = whole->first[ORR_GPU]; g < whole->first[ORR_GPU + 1]; g++)
        for (int i = 0; i < 2; i++)
            if (whole->nodes[g].gpu.rank == ranks[i])
                ends[i] = g;
    if (ends[0] == ORR_NO_NODE || ends[1] == ORR_NO_NODE)
        return orr_fail(err, ORR_INTERNAL, "a rank is not in the system that it came from");
    const struct orr_path *path = orr_path(&direct, ends[0], ends[1]);
    struct orr_decision p2p = orr_decide_p2p(&direct, &e->a->query.settings, ends[0], ends[1]).decision;
    const char *level = orr_path_type_name((enum orr_path_type)p2p.level);
    const char *source = orr_setting_source(e, (enum orr_setting)p2p.setting);
    out->physical_type = orr_path_type_name((enum orr_path_type)path->type);
    out->physical_bw = path->bw;
    out->effective_type = orr_path_type_name(ORR_PATH_NET);
    orr_compare_text(e, "distance by hardware", out->physical_type, "the dump");
    orr_compare_number(e, "bandwidth by hardware", (double)path->bw, "GB/s", "the dump");
    orr_compare_text(e, "P2P level", level, source);
    orr_compare_text(e, "NCCL_SHM_DISABLE", orr_setting_now(e, ORR_SET_SHM_DISABLE),
                     orr_setting_source(e, ORR_SET_SHM_DISABLE));
    out->distance = p2p.verdict
                        ? orr_tell(e, "%s by hardware, the network in effect because it is faster", out->physical_type)
                        : orr_tell(e,
                                   "%s by hardware, the network in effect because the P2P level is %s (%s) "
                                   "and the alternatives are slower or turned off",
                                   out->physical_type, level, source);
    return ORR_OK;
}

enum orr_code orr_explain_p2p(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_decision *decision = &p2p_of(e)->decision;
    out->question = orr_tell(e, "Can %s use P2P with %s?", orr_device_name(e, e->part, e->from),
                             orr_device_name(e, e->part_of_to, e->to));
    orr_rule_of(e, (enum orr_rule)decision->rule);
    if (e->part != e->part_of_to) {
        ORR_TRY(tell_parted(e, err));
        out->answer = orr_tell(e, "No. %s The pair is %s.", out->rule, out->distance);
        return ORR_OK;
    }
    if (e->from == e->to) {
        out->answer = orr_tell(e, "Yes. %s", out->rule);
        return ORR_OK;
    }
    ORR_TRY(orr_tell_distance(e, err));
    out->answer =
        orr_tell(e, "%c%s. %s The pair is %s; the level is %s (%s).", decision->verdict ? 'Y' : 'N', out->verdict + 1,
                 out->rule, out->distance, orr_path_type_name((enum orr_path_type)decision->level),
                 decision->setting >= 0 ? orr_setting_source(e, (enum orr_setting)decision->setting) : "rule");
    orr_compare_text(e, "distance by hardware", out->physical_type, "the dump");
    orr_compare_text(e, "distance in effect", out->effective_type, NULL);
    orr_compare_text(e, "P2P level", orr_path_type_name((enum orr_path_type)decision->level),
                     decision->setting >= 0 ? orr_setting_source(e, (enum orr_setting)decision->setting) : NULL);
    orr_compare_number(e, "bandwidth in effect", (double)out->effective_bw, "GB/s", NULL);
    orr_limit_path(e, path_of(e));
    return ORR_OK;
}

/* GPU Direct RDMA: sending from the GPU to the NET, receiving the other way round. */

static const struct orr_gdr *gdr_of(const struct orr_explainer *e, bool *ret_sends)
{
    const struct orr_system *system = &e->part->system;
    bool sends = *ret_sends = type_of(e->part, e->from) == ORR_GPU;
    uint32_t gpu = (sends ? e->from : e->to) - system->first[ORR_GPU];
    uint32_t net = (sends ? e->to : e->from) - system->first[ORR_NET];
    return &e->part->gdr[(size_t)gpu * orr_system_count(system, ORR_NET) + net];
}

static const struct orr_decision *gdr_decision(const struct orr_explainer *e)
{
    bool sends;
    const struct orr_gdr *gdr = gdr_of(e, &sends);
    return sends ? &gdr->send : &gdr->recv;
}

const char *orr_verdict_gdr(struct orr_explainer *e)
{
    int verdict = gdr_decision(e)->verdict;
    return verdict == 0 ? "no" : verdict == 1 ? "yes" : "yes, over PCIe";
}

/* What does where no setting will. */
static const char *gdr_advice(enum orr_rule rule)
{
    switch (rule) {
    case ORR_RULE_GDR_NET_CANNOT:
        return "No setting changes this: the network plugin reported no GPU Direct RDMA. Load nvidia-peermem (or use "
               "DMA-BUF with a recent driver and kernel), check that the NIC is an RDMA device, then write a new dump.";
    case ORR_RULE_GDR_GPU_CANNOT:
        return "No setting changes this: the driver reports no GPU Direct RDMA for this GPU.";
    default:
        return NULL;
    }
}

enum orr_code orr_explain_gdr(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_decision *decision = gdr_decision(e);
    bool sends = type_of(e->part, e->from) == ORR_GPU;
    uint32_t gpu = sends ? e->from : e->to, net = sends ? e->to : e->from;
    const struct orr_system *system = &e->part->system;
    out->question = orr_tell(e, "Can %s %s %s by GPU Direct RDMA?", orr_device_name(e, e->part, gpu),
                             sends ? "send to" : "receive from", orr_device_name(e, e->part, net));
    orr_rule_of(e, (enum orr_rule)decision->rule);
    out->advice = gdr_advice((enum orr_rule)decision->rule);
    ORR_TRY(orr_tell_distance(e, err));
    out->answer = orr_tell(e, "%c%s. %s The pair is %s.", decision->verdict ? 'Y' : 'N', out->verdict + 1, out->rule,
                           out->distance);
    orr_compare_number(e, "gdr of the NIC", system->nodes[net].net.gdr, NULL, "the dump");
    orr_compare_number(e, "gdr of the GPU", system->nodes[gpu].gpu.gdr, NULL, "the dump");
    if (decision->rule == ORR_RULE_GDR_READ_OFF) {
        orr_compare_number(e, "compute capability", system->nodes[gpu].gpu.sm, NULL, "the dump");
        orr_compare_text(e, "NCCL_NET_GDR_READ", orr_setting_now(e, ORR_SET_NET_GDR_READ),
                         orr_setting_source(e, ORR_SET_NET_GDR_READ));
    }
    orr_compare_text(e, "distance by hardware", out->physical_type, "the dump");
    orr_compare_text(e, "distance in effect", out->effective_type, NULL);
    if (decision->setting == ORR_SET_NET_GDR_LEVEL) {
        orr_compare_text(e, "path type that was compared", orr_path_type_name((enum orr_path_type)decision->distance),
                         NULL);
        orr_compare_text(e, "GDR level", orr_path_type_name((enum orr_path_type)decision->level),
                         orr_setting_source(e, ORR_SET_NET_GDR_LEVEL));
    }
    orr_limit_path(e, path_of(e));
    return ORR_OK;
}
