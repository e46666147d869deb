/* SPDX-License-Identifier: Apache-2.0 */
/* Calls the steps that build a communicator, in NCCL's order. */
#include "engine/connect/communicator.h"

#include <string.h>

#include "engine/connect/connecting.h"

static enum orr_code connect_members(const struct orr_member *members, uint32_t member_count,
                                     const struct orr_settings *settings, struct orr_arena *arena, bool lists,
                                     struct orr_communicator *ret_communicator, struct orr_error *err)
{
    struct orr_communicator out;
    memset(&out, 0, sizeof out);
    out.members = members;
    out.rules = settings->release->connect;
    if (!member_count)
        return orr_fail(err, ORR_NO_RANKS, "a communicator without systems");
    struct orr_connecting c = {
        .members = members,
        .settings = settings,
        .rules = settings->release->connect,
        .arena = arena,
        .out = &out,
        .max_channels = settings->release->max_channels,
    };
    ORR_TRY(orr_number_nodes(&c, member_count, err));
    ORR_TRY(orr_align(&c, err));
    orr_cta_limits(&c);
    orr_count_nvls(&c);
    ORR_TRY(orr_count_channels(&c, err));
    ORR_TRY(orr_check_rings(&c, err));
    if (lists) {
        ORR_TRY(orr_connect_rings(&c, err));
        ORR_TRY(orr_connect_trees(&c, err));
    }
    ORR_TRY(orr_connect_collnet(&c, lists, err));
    ORR_TRY(orr_connect_nvls(&c, err));
    ORR_TRY(orr_count_p2p(&c, err));
    *ret_communicator = out;
    return ORR_OK;
}

enum orr_code orr_connect(const struct orr_member *members, uint32_t member_count, const struct orr_settings *settings,
                          struct orr_arena *arena, struct orr_communicator *ret_communicator, struct orr_error *err)
{
    return connect_members(members, member_count, settings, arena, true, ret_communicator, err);
}

enum orr_code orr_connect_plan(const struct orr_member *members, uint32_t member_count,
                               const struct orr_settings *settings, struct orr_arena *arena,
                               struct orr_communicator *ret_communicator, struct orr_error *err)
{
    return connect_members(members, member_count, settings, arena, false, ret_communicator, err);
}
