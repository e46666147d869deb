/* SPDX-License-Identifier: Apache-2.0 */
/* Explains which NIC a rank uses, and whether it does so through another GPU. */

#include "engine/decide/nearest.h"
#include "engine/explain/explainer.h"

enum orr_code orr_find_gpu_of_nic(struct orr_explainer *e, struct orr_error *err)
{
    if (!e->why->from)
        return orr_fail_with(err, ORR_SETTING, "from", "such as rank:0; you can also name a channel",
                             "nic needs from: a rank");
    ORR_TRY(orr_device_find(e->a, e->why->from, "from", &e->part, &e->from, err));
    if (e->part->system.nodes[e->from].type != ORR_GPU)
        return orr_fail(err, ORR_NOT_FOUND, "only ranks use NICs, and \"%.40s\" is not a GPU", e->why->from);
    if (!e->part->net_devs)
        return orr_fail_with(err, ORR_NOT_FOUND, NULL, "with several hosts they do: add hosts=2",
                             "no rank uses a NIC: the communicator is one system or has no NICs");
    if (e->why->channel >= e->part->net_dev_channels) {
        orr_fail(err, ORR_NOT_FOUND, "the ring graph has no channel %d", e->why->channel);
        orr_error_advice(err, "it has the channels 0 to %d", e->part->net_dev_channels - 1);
        return ORR_NOT_FOUND;
    }
    return ORR_OK;
}

static const struct orr_net_dev *dev_of(const struct orr_explainer *e)
{
    size_t gpu = e->from - e->part->system.first[ORR_GPU];
    return &e->part->net_devs[gpu * (size_t)e->part->net_dev_channels + (size_t)e->why->channel];
}

const char *orr_verdict_nic(struct orr_explainer *e)
{
    char id[ORR_NODE_ID_SIZE];
    const struct orr_net_dev *dev = dev_of(e);
    uint32_t net = orr_net_of_id(&e->part->system, dev->net);
    const char *name =
        net == ORR_NO_NODE ? orr_node_id_format(ORR_NET, dev->net, id) : orr_device_name(e, e->part, net);
    if (dev->proxy_rank == e->part->system.nodes[e->from].gpu.rank)
        return orr_tell(e, "%s", name);
    return orr_tell(e, "%s, through rank %d", name, dev->proxy_rank);
}

/* The GPU's nearest NICs, and which of them it prefers. */
static enum orr_code compare_nets(struct orr_explainer *e, uint32_t used, struct orr_error *err)
{
    enum { MOST_NETS = 12 };
    const struct orr_part *part = e->part;
    const struct orr_system *system = &part->system;
    uint32_t nets = orr_system_count(system, ORR_NET);
    uint32_t *nearest = ORR_NEW(e->arena, uint32_t, nets);
    uint32_t *scratch = ORR_NEW(e->arena, uint32_t, 2 * (nets + (size_t)orr_system_count(system, ORR_GPU)));
    ORR_NEED(nearest && scratch, err);
    uint32_t count = orr_locals(&part->paths, e->from, ORR_NET, nearest);
    uint32_t preferred = orr_local_net(&part->paths, e->from, e->why->channel, scratch);
    orr_compare_number(e, "NICs nearest to the GPU (by bandwidth, then by path type)", count, NULL, ORR_COMPUTED);
    if (preferred != ORR_NO_NODE)
        orr_compare_text(e, orr_tell(e, "NIC that the GPU prefers for channel %d", e->why->channel),
                         orr_device_name(e, part, preferred), ORR_COMPUTED);
    for (uint32_t n = system->first[ORR_NET], shown = 0; n < system->first[ORR_NET + 1] && shown < MOST_NETS; n++) {
        const struct orr_path *path = orr_path(&part->paths, e->from, n);
        bool near = false;
        for (uint32_t i = 0; i < count; i++)
            near = near || nearest[i] == n;
        if (!near && n != used && nets > MOST_NETS)
            continue;
        shown++;
        orr_compare_text(e, orr_tell(e, "path to %s", orr_device_name(e, part, n)),
                         orr_tell(e, "%s, %.6g GB/s%s", orr_path_type_name((enum orr_path_type)path->type),
                                  (double)path->bw, near ? ", among the nearest" : ""),
                         ORR_COMPUTED);
    }
    return ORR_OK;
}

enum orr_code orr_explain_nic(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    const struct orr_graph *ring = &e->part->contribution.graphs[ORR_GRAPH_RING];
    const int32_t *row = ring->gpus + (size_t)e->why->channel * ring->gpu_count;
    int32_t rank = e->part->system.nodes[e->from].gpu.rank, first = row[0], last = row[ring->gpu_count - 1];
    uint32_t used = orr_net_of_id(&e->part->system, dev_of(e)->net);
    bool enters = rank == first, leaves = rank == last;
    out->question = orr_tell(e, "Which NIC does rank %d use for channel %d, and why?", rank, e->why->channel);
    out->rule_id = enters ? "NIC_OF_ENTRY" : leaves ? "NIC_OF_EXIT" : "NIC_OF_CHANNEL";
    out->rule = enters   ? "The channel's first rank uses the NIC through which the channel enters the host."
                : leaves ? "The channel's last rank uses the NIC through which the channel leaves the host."
                         : "Every rank except the first uses the NIC through which the channel leaves the host.";
    const char *nic = used == ORR_NO_NODE ? out->verdict : orr_device_name(e, e->part, used);
    int32_t proxy = dev_of(e)->proxy_rank;
    out->answer = orr_tell(e, "Rank %d uses %s for channel %d%s. %s", rank, nic, e->why->channel,
                           proxy == rank ? "" : orr_tell(e, ", through rank %d (PXN)", proxy), out->rule);
    orr_compare_text(e, "order of the channel inside the host",
                     orr_tell(e, "from rank %d to rank %d, %u ranks", first, last, ring->gpu_count), ORR_COMPUTED);
    if (used == ORR_NO_NODE)
        return ORR_OK;
    e->to = used;
    e->part_of_to = e->part;
    ORR_TRY(orr_find_distance(e, err));
    const struct orr_path *path = orr_path(&e->part->paths, e->from, used);
    out->answer = orr_tell(e, "%s The path to that NIC is %s, with %.6g GB/s.", out->answer,
                           orr_type_words(e, (enum orr_path_type)path->type), (double)path->bw);
    orr_compare_text(e, "path to the NIC", out->distance, orr_from_hardware(e));
    orr_limit_path(e, path);
    return compare_nets(e, used, err);
}

/* PXN. */

static const struct orr_pxn *pxn_of(const struct orr_explainer *e, uint32_t *ret_gpu, uint32_t *ret_net)
{
    const struct orr_system *system = &e->part->system;
    bool sends = system->nodes[e->from].type == ORR_GPU;
    *ret_gpu = sends ? e->from : e->to;
    *ret_net = sends ? e->to : e->from;
    return &e->part->paths.pxn[(size_t)(*ret_gpu - system->first[ORR_GPU]) * orr_system_count(system, ORR_NET) +
                               *ret_net - system->first[ORR_NET]];
}

const char *orr_verdict_pxn(struct orr_explainer *e)
{
    uint32_t gpu, net;
    const struct orr_pxn *pxn = pxn_of(e, &gpu, &net);
    if (pxn->rule != ORR_RULE_PXN_TAKEN)
        return "no";
    const struct orr_path *path = orr_path(&e->part->paths, gpu, net);
    return orr_tell(e, "yes, through rank %d%s", e->part->system.nodes[pxn->relay].gpu.rank,
                    path->origin == ORR_ROUTE_PXN ? "" : ", but the path through the CPU replaced it");
}

enum orr_code orr_explain_pxn(struct orr_explainer *e, struct orr_error *err)
{
    struct orr_explanation *out = e->out;
    uint32_t gpu, net;
    const struct orr_pxn *pxn = pxn_of(e, &gpu, &net);
    out->question = orr_tell(e, "Does %s reach %s through another GPU (PXN)?", orr_device_name(e, e->part, gpu),
                             orr_device_name(e, e->part, net));
    orr_rule_of(e, (enum orr_rule)pxn->rule);
    e->from = gpu;
    e->to = net;
    ORR_TRY(orr_find_distance(e, err));
    const char *rank = orr_device_name(e, e->part, gpu), *nic = orr_device_name(e, e->part, net);
    const char *own = orr_tell(e, "%s with %.6g GB/s", out->physical_type, (double)out->physical_bw);
    if (pxn->rule != ORR_RULE_PXN_TAKEN)
        out->answer = orr_tell(e, "No: %s reaches %s by its own path, %s with %.6g GB/s. %s", rank, nic,
                               orr_type_words(e, (enum orr_path_type)orr_path(&e->part->paths, gpu, net)->type),
                               (double)out->effective_bw, out->rule);
    else
        out->answer = orr_tell(
            e, "Yes: %s reaches %s through %s, which is nearest to that NIC, with %.6g GB/s%s. %s", rank, nic,
            orr_device_name(e, e->part, pxn->relay), (double)out->effective_bw,
            orr_path(&e->part->paths, gpu, net)->origin == ORR_ROUTE_PXN ? "" : "; a path through the CPU replaced it",
            out->effective_bw > out->physical_bw
                ? orr_tell(e, "This is faster than its own path, %s.", own)
                : orr_tell(e, "Its own path, %s, is of a type that NCCL avoids.", own));
    orr_compare_text(e, "the GPU's own path, by hardware",
                     orr_tell(e, "%s, %.6g GB/s", out->physical_type, (double)out->physical_bw), orr_from_hardware(e));
    if (pxn->relay != ORR_NO_NODE) {
        const struct orr_path *onward = orr_path(&e->part->paths, pxn->relay, net);
        const struct orr_path *between = orr_path(&e->part->paths, pxn->relay, gpu);
        orr_compare_text(e, "the NIC's local GPU", orr_device_name(e, e->part, pxn->relay), ORR_COMPUTED);
        orr_compare_text(
            e, "its path to the NIC",
            orr_tell(e, "%s, %.6g GB/s", orr_path_type_name((enum orr_path_type)onward->type), (double)onward->bw),
            ORR_COMPUTED);
        orr_compare_text(e, "path type between the two GPUs", orr_path_type_name((enum orr_path_type)between->type),
                         ORR_COMPUTED);
    }
    orr_compare_text(e, "NCCL_PXN_DISABLE", orr_setting_now(e, ORR_SET_PXN_DISABLE),
                     orr_from_setting(e, ORR_SET_PXN_DISABLE));
    orr_limit_path(e, orr_path(&e->part->paths, gpu, net));
    return ORR_OK;
}
