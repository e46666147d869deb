/* SPDX-License-Identifier: Apache-2.0 */
/* Whether a pair of devices may use P2P or GPUDirect RDMA. */
#include "engine/decide/verdicts.h"
#include "engine/explain/explainer.h"

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

/* If trimming separated the pair: what the hardware of the whole host offers it, and why the network won. */
static enum orr_code explain_parted(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_system *whole = &e->a->built;
    struct orr_paths direct;
    uint32_t ends[2] = {orr_gpu_of_rank(whole, e->part->system.nodes[e->from].gpu.rank),
                        orr_gpu_of_rank(whole, e->part_of_to->system.nodes[e->to].gpu.rank)};
    ORR_TRY(orr_paths_route(whole, &e->a->query.settings, e->arena, &direct, err));
    if (ends[0] == ORR_NO_NODE || ends[1] == ORR_NO_NODE)
        return orr_fail(err, ORR_INTERNAL, "a rank is not in the system that it came from");
    const struct orr_path *path = orr_path(&direct, ends[0], ends[1]);
    struct orr_decision p2p = orr_decide_p2p(&direct, &e->a->query.settings, ends[0], ends[1]).decision;
    const char *level = orr_path_type_name((enum orr_path_type)p2p.level);
    const char *source = orr_setting_source(e, (enum orr_setting)p2p.setting);
    struct orr_from hardware = orr_from_hardware(e);
    out->physical_type = orr_path_type_name((enum orr_path_type)path->type);
    out->physical_bw = path->bw;
    out->effective_type = orr_path_type_name(ORR_PATH_NET);
    orr_compare_text(e, "path type by hardware", out->physical_type, hardware);
    orr_compare_number(e, "bandwidth by hardware", (double)path->bw, "GB/s", hardware);
    orr_compare_text(e, "P2P level", level, orr_from_setting(e, (enum orr_setting)p2p.setting));
    orr_compare_text(e, "NCCL_SHM_DISABLE", orr_setting_now(e, ORR_SET_SHM_DISABLE),
                     orr_from_setting(e, ORR_SET_SHM_DISABLE));
    out->distance = p2p.verdict
                        ? orr_tell(e, "%s by hardware, the network in effect because it is faster", out->physical_type)
                        : orr_tell(e,
                                   "%s by hardware, the network in effect because the P2P level is %s (%s) and the "
                                   "alternatives are slower or turned off",
                                   out->physical_type, level, source);
    return ORR_OK;
}

static const char *p2p_answer(struct orr_explainer *e, const char *from, const char *to)
{
    const struct orr_decision *decision = &p2p_of(e)->decision;
    const struct orr_explanation *out = e->out;
    const struct orr_path *path = orr_path_of(e);
    const struct orr_p2p *p2p = p2p_of(e);
    const char *ending = p2p->via >= 0 ? orr_tell(e, " through rank %d", p2p->via)
                         : p2p->read   ? " (the receiving GPU reads the data)"
                                       : "";
    const char *hardware =
        e->because
            ? orr_tell(e, "by hardware %s with %.6g GB/s", out->physical_type, (double)out->physical_bw)
            : orr_tell(e, "%s with %.6g GB/s", orr_type_words(e, (enum orr_path_type)path->type), (double)path->bw);
    if (decision->verdict)
        return orr_tell(e, "Yes: %s can use P2P with %s%s. The path between them is %s, within the P2P level %s.", from,
                        to, ending, hardware, orr_level_words(e, decision));
    if (decision->setting == ORR_SET_P2P_DISABLE)
        return orr_tell(e,
                        "No: %s cannot use P2P with %s, because %s turns P2P off. The path between them is %s; data "
                        "takes a path of %.6g GB/s through the CPU instead.",
                        from, to, orr_setting_source(e, ORR_SET_P2P_DISABLE), hardware, (double)out->effective_bw);
    return orr_tell(e,
                    "No: %s cannot use P2P with %s, so data between them takes a path of %.6g GB/s through the CPU. "
                    "The path between them is %s, longer than the P2P level %s.",
                    from, to, (double)out->effective_bw, hardware, orr_level_words(e, decision));
}

enum orr_code orr_explain_p2p(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_decision *decision = &p2p_of(e)->decision;
    const char *from = orr_device_name(e, e->part, e->from), *to = orr_device_name(e, e->part_of_to, e->to);
    out->question = orr_tell(e, "Can %s use P2P with %s?", from, to);
    orr_rule_of(e, (enum orr_rule)decision->rule);
    if (e->part != e->part_of_to) {
        ORR_TRY(explain_parted(e, err));
        out->answer = orr_tell(e,
                               "No: %s cannot use P2P with %s, so data between them uses the network. NCCL split the "
                               "host into separate systems, and the path is %s.",
                               from, to, out->distance);
        return ORR_OK;
    }
    if (e->from == e->to) {
        out->answer = orr_tell(e, "Yes: %s reaches itself without a link.", from);
        return ORR_OK;
    }
    ORR_TRY(orr_find_distance(e, err));
    out->answer = decision->rule == ORR_RULE_P2P_OTHER_HOST
                      ? orr_tell(e, "No: %s cannot use P2P with %s. %s", from, to, out->rule)
                      : p2p_answer(e, from, to);
    orr_compare_text(e, "path type by hardware", out->physical_type, orr_from_hardware(e));
    orr_compare_text(e, "path type in effect", out->effective_type, ORR_COMPUTED);
    orr_compare_text(e, "P2P level", orr_path_type_name((enum orr_path_type)decision->level),
                     decision->setting >= 0 ? orr_from_setting(e, (enum orr_setting)decision->setting) : ORR_COMPUTED);
    orr_compare_number(e, "bandwidth in effect", (double)out->effective_bw, "GB/s", ORR_COMPUTED);
    orr_limit_path(e, orr_path_of(e));
    return ORR_OK;
}

/* GPUDirect RDMA: sending from the GPU to the NET, receiving the other way round. */

static const struct orr_gdr *gdr_of(const struct orr_explainer *e, bool *ret_sends)
{
    const struct orr_system *system = &e->part->system;
    bool sends = *ret_sends = orr_type_of(e->part, e->from) == ORR_GPU;
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

/* A remedy if no setting helps. */
static const char *gdr_advice(enum orr_rule rule)
{
    switch (rule) {
    case ORR_RULE_GDR_NET_CANNOT:
        return "No setting changes this: the network plugin reported no GPUDirect RDMA. Load nvidia-peermem (or use "
               "DMA-BUF with a recent driver and kernel), check that the NIC is an RDMA device, then write a new dump.";
    case ORR_RULE_GDR_GPU_CANNOT:
        return "No setting changes this: the driver reports no GPUDirect RDMA for this GPU.";
    default:
        return NULL;
    }
}

/* The reason, in a sentence with its values. */
static const char *gdr_reason(struct orr_explainer *e, const struct orr_decision *decision, uint32_t gpu)
{
    const struct orr_explanation *out = e->out;
    bool within = decision->verdict != 0;
    switch ((enum orr_rule)decision->rule) {
    case ORR_RULE_GDR_BEYOND_LEVEL:
    case ORR_RULE_GDR_WITHIN_LEVEL:
    case ORR_RULE_GDR_PCI_MODE:
        return orr_tell(e, "The path between them is %s%s, %s the GDR level %s.%s",
                        orr_type_words(e, (enum orr_path_type)decision->distance),
                        within ? orr_tell(e, " with %.6g GB/s", (double)out->effective_bw) : "",
                        within ? "within" : "longer than", orr_level_words(e, decision),
                        decision->rule == ORR_RULE_GDR_PCI_MODE ? " The GPU is on C2C, but data uses PCIe." : "");
    case ORR_RULE_GDR_READ_OFF:
        return orr_tell(e,
                        "NCCL does not let the NIC read the memory of this GPU: its compute capability is %s, and "
                        "NCCL_NET_GDR_READ is %s (%s).",
                        orr_capability_words(e, e->part->system.nodes[gpu].gpu.sm),
                        orr_setting_now(e, ORR_SET_NET_GDR_READ), orr_setting_source(e, ORR_SET_NET_GDR_READ));
    default:
        return out->rule;
    }
}

enum orr_code orr_explain_gdr(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_decision *decision = gdr_decision(e);
    bool sends = orr_type_of(e->part, e->from) == ORR_GPU;
    uint32_t gpu = sends ? e->from : e->to, net = sends ? e->to : e->from;
    const struct orr_system *system = &e->part->system;
    const char *act = orr_tell(e, "%s %s", sends ? "send to" : "receive from", orr_device_name(e, e->part, net));
    const char *rank = orr_device_name(e, e->part, gpu);
    out->question = orr_tell(e, "Can %s %s by GPUDirect RDMA?", rank, act);
    orr_rule_of(e, (enum orr_rule)decision->rule);
    out->advice = gdr_advice((enum orr_rule)decision->rule);
    ORR_TRY(orr_find_distance(e, err));
    const char *instead =
        e->because && out->physical_bw > out->effective_bw
            ? orr_tell(e, " with %.6g instead of %.6g GB/s", (double)out->effective_bw, (double)out->physical_bw)
            : "";
    out->answer = decision->verdict
                      ? orr_tell(e, "%c%s: %s can %s by GPUDirect RDMA, without a copy in CPU memory. %s", 'Y',
                                 out->verdict + 1, rank, act, gdr_reason(e, decision, gpu))
                      : orr_tell(e, "No: %s cannot %s by GPUDirect RDMA, so its data passes through CPU memory%s. %s",
                                 rank, act, instead, gdr_reason(e, decision, gpu));
    orr_compare_number(e, "gdr of the NIC", system->nodes[net].net.gdr, NULL,
                       orr_from_attr(e, ORR_ELEMENT_NET, ORR_ATTR_GDR));
    orr_compare_number(e, "gdr of the GPU", system->nodes[gpu].gpu.gdr, NULL,
                       orr_from_attr(e, ORR_ELEMENT_GPU, ORR_ATTR_GDR));
    if (decision->rule == ORR_RULE_GDR_READ_OFF) {
        orr_compare_text(e, "compute capability", orr_capability_words(e, system->nodes[gpu].gpu.sm),
                         orr_from_attr(e, ORR_ELEMENT_GPU, ORR_ATTR_SM));
        orr_compare_text(e, "NCCL_NET_GDR_READ", orr_setting_now(e, ORR_SET_NET_GDR_READ),
                         orr_from_setting(e, ORR_SET_NET_GDR_READ));
    }
    orr_compare_text(e, "path type by hardware", out->physical_type, orr_from_hardware(e));
    orr_compare_text(e, "path type in effect", out->effective_type, ORR_COMPUTED);
    if (decision->setting == ORR_SET_NET_GDR_LEVEL) {
        orr_compare_text(e, "path type that was compared", orr_path_type_name((enum orr_path_type)decision->distance),
                         ORR_COMPUTED);
        orr_compare_text(e, "GDR level", orr_path_type_name((enum orr_path_type)decision->level),
                         orr_from_setting(e, ORR_SET_NET_GDR_LEVEL));
    }
    orr_limit_path(e, orr_path_of(e));
    return ORR_OK;
}
