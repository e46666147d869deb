/* SPDX-License-Identifier: Apache-2.0 */
/* Rules: docs/nccl/p2p-and-gdr.md, "NIC of a transfer between two ranks". */
#include "engine/decide/peer_net.h"

#include "engine/decide/nearest.h"
#include "engine/decide/verdicts.h"
#include "engine/release/release.h"

enum { PXN_NEVER, PXN_WHERE_NEEDED, PXN_ALWAYS }; /* values of NCCL_P2P_PXN_LEVEL; others do nothing */

uint32_t orr_twin_of(const struct orr_system *system, uint32_t gpu, int32_t dev)
{
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
        if (system->nodes[g].gpu.dev == dev &&
            orr_id_system(system->nodes[g].id) == orr_id_system(system->nodes[gpu].id))
            return g;
    return ORR_NO_NODE;
}

/* Can data go over NVLink from one GPU to another that is near the NET? */
static bool may_relay(const struct orr_paths *paths, uint32_t relay, uint32_t gpu, uint32_t net, uint8_t farthest)
{
    return orr_path(paths, relay, gpu)->type <= ORR_PATH_NVL && orr_path(paths, relay, net)->type <= farthest;
}

/* Before 2.14: the first GPU in the order of ranks that prefers the NET. */
static uint32_t first_relay(const struct orr_paths *paths, uint32_t gpu, uint32_t net, uint32_t *scratch)
{
    const struct orr_system *system = paths->system;
    uint32_t found = ORR_NO_NODE;
    for (uint32_t g = system->first[ORR_GPU]; g < system->first[ORR_GPU + 1]; g++)
        if (orr_local_net(paths, g, 0, scratch) == net && may_relay(paths, g, gpu, net, ORR_PATH_PXB) &&
            (found == ORR_NO_NODE || system->nodes[g].gpu.rank < system->nodes[found].gpu.rank))
            found = g;
    return found;
}

/* From 2.14 on: the NET's local GPU. */
static enum orr_code standing_relay(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t gpu,
                                    uint32_t net, uint32_t *ret_relay, struct orr_error *err)
{
    const struct orr_system *system = paths->system;
    int32_t standing = paths->local_gpu[net - system->first[ORR_NET]];
    *ret_relay = ORR_NO_NODE;
    if (standing < 0)
        return ORR_OK;
    uint32_t relay = system->first[ORR_GPU] + (uint32_t)standing;
    uint8_t farthest = system->release->peers_relay_over_c2c ? orr_pxn_farthest(settings) : ORR_PATH_PXB;
    if (!may_relay(paths, relay, gpu, net, farthest))
        return ORR_OK;
    if (system->release->pxn == ORR_PXN_LOCAL_GPU_WITH_GDR) {
        struct orr_decision receives;
        ORR_TRY(orr_decide_gdr(paths, settings, relay, net, false, &receives, err));
        if (!receives.verdict)
            return ORR_OK;
    }
    *ret_relay = relay;
    return ORR_OK;
}

enum orr_code orr_decide_peer_net(const struct orr_paths *paths, const struct orr_settings *settings, uint32_t gpu,
                                  const struct orr_peer_view *peer, int32_t channel, uint32_t *scratch,
                                  struct orr_peer_net *ret_choice, struct orr_error *err)
{
    const struct orr_release *release = paths->system->release;
    bool by_rail = !release->peer_by_number, by_peer = release->net_choice == ORR_NET_BY_PEER;
    bool off = orr_setting_int(settings, ORR_SET_PXN_DISABLE) == 1;
    int64_t level = off ? PXN_NEVER : orr_setting_int(settings, ORR_SET_P2P_PXN_LEVEL);
    bool same_rail = orr_setting_int(settings, ORR_SET_CROSS_NIC) == 0;
    struct orr_peer_net own = {.net = orr_local_net(paths, gpu, by_peer ? peer->dev : channel, scratch), .proxy = gpu};
    *ret_choice = own;
    if (!orr_setting_in(ORR_SET_P2P_PXN_LEVEL, release) || (level == PXN_NEVER && !same_rail))
        return ORR_OK;
    if (!by_rail && peer->twin == ORR_NO_NODE)
        return ORR_OK;
    uint32_t wanted = by_rail ? peer->rail : orr_local_net(paths, peer->twin, channel, scratch);
    if (same_rail)
        ret_choice->net = wanted;
    if (wanted == ORR_NO_NODE)
        return ORR_OK;
    uint32_t relay = ORR_NO_NODE;
    uint8_t type = orr_path(paths, gpu, wanted)->type;
    if (level == PXN_WHERE_NEEDED && orr_path_farness(release, type) <= orr_path_farness(release, ORR_PATH_PXN)) {
        relay = gpu;
        if (type == ORR_PATH_PXN)
            ORR_TRY(orr_pxn_relay(paths, gpu, wanted, &relay, err));
    } else if (level == PXN_ALWAYS && release->pxn < ORR_PXN_LOCAL_GPU_PAST_PXB) {
        relay = first_relay(paths, gpu, wanted, scratch);
    } else if (level == PXN_ALWAYS) {
        ORR_TRY(standing_relay(paths, settings, gpu, wanted, &relay, err));
    }
    if (relay != ORR_NO_NODE)
        *ret_choice = (struct orr_peer_net){.net = wanted, .proxy = relay};
    return ORR_OK;
}
