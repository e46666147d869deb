/* SPDX-License-Identifier: Apache-2.0 */
/* NIC fusion on the detected machine: passes its NICs and settings to engine/nics. */
#include <strings.h>

#include "engine/detect/detecting.h"
#include "engine/nics/fuse.h"

struct fusing {
    struct orr_detector *d;
    uint32_t rank;
};

static void describe(void *context, struct orr_doc_node *net, const uint32_t *members, uint32_t member_count,
                     uint32_t dev, const char *name, int32_t speed)
{
    struct fusing *f = context;
    struct orr_net_device made = f->d->nets[members[0]];
    (void)member_count;
    (void)name;
    made.speed = (uint32_t)speed;
    orr_nic_describe(f->d, net, &made, dev, f->rank);
}

static void refused(void *context, const char *why)
{
    struct fusing *f = context;
    orr_note(f->d, ORR_NOTE_NO_MERGE, "NCCL would not start: %s", why);
}

void orr_nics_merge(struct orr_detector *d, uint32_t rank)
{
    struct orr_fusable nics[ORR_MAX_NETS];
    struct fusing context = {.d = d, .rank = rank};
    const char *policy = d->rules.rails ? orr_detect_setting_of(d, "NCCL_NET_MERGE_POLICY") : NULL;
    struct orr_nic_fusion fusion = {.tree = d->tree,
                                    .nics = nics,
                                    .rules = {.merge = orr_nic_merge_of(d->release),
                                              .enabled = orr_detect_number_of(d, "NCCL_IB_MERGE_NICS", 1),
                                              .by_rail = policy && !strcasecmp(policy, "RAIL"),
                                              .level = orr_detect_setting_of(d, "NCCL_NET_MERGE_LEVEL"),
                                              .forced = orr_detect_setting_of(d, "NCCL_NET_FORCE_MERGE")},
                                    .describe = describe,
                                    .refused = refused,
                                    .context = &context};
    for (; fusion.count < d->net_count && fusion.count < ORR_MAX_NETS; fusion.count++) {
        const struct orr_net_device *net = &d->nets[fusion.count];
        nics[fusion.count] =
            (struct orr_fusable){.net = orr_doc_find(d->tree->system, ORR_ELEMENT_NET, ORR_ATTR_NAME, net->name),
                                 .name = net->name,
                                 .speed = (int32_t)net->speed,
                                 .port = net->port,
                                 .rail = net->place.rail,
                                 .infiniband = net->infiniband};
        if (!nics[fusion.count].net)
            return;
    }
    orr_nics_fuse(&fusion);
}
