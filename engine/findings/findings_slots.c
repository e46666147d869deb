/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about NICs and GPUs whose slot or uplink is too slow. */
#include "engine/findings/finder.h"

#define LOOK_AT_LINKS "lspci -vv | grep -E '^[0-9a-f]|LnkCap:|LnkSta:'"

/* Sums over what is below each card: GB/s of the links of GPUs, and whether any of them has NVLink. Cards are in
 * document order, so those below come later. */
static float *gpu_links_below(struct orr_finder *f, unsigned char **ret_nvlink)
{
    float *below = ORR_NEW(f->arena, float, f->hw.card_count);
    unsigned char *nvlink = ORR_NEW(f->arena, unsigned char, f->hw.card_count);
    for (uint32_t i = f->hw.card_count; below && nvlink && i-- > 0;) {
        const struct orr_card *card = &f->hw.cards[i];
        below[i] += card->gpus_at ? card->gbs : 0;
        nvlink[i] |= card->gpu != ORR_NO_ELEMENT && orr_gpu_nvlinks(f->dump, card->gpu) > 0;
        if (card->above != UINT32_MAX) {
            below[card->above] += below[i];
            nvlink[card->above] |= nvlink[i];
        }
    }
    *ret_nvlink = nvlink;
    return below && nvlink ? below : NULL;
}

/* Data that the GPUs below a bridge receive from below it does not cross its uplink. */
static void shared_uplink(struct orr_finder *f)
{
    unsigned char *nvlink;
    const float *gpus = gpu_links_below(f, &nvlink);
    for (uint32_t i = 0; gpus && i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        float gbs = card->gbs, up = card->gbps / 8 - gpus[i];
        if (card->nets_at || card->gpus_at || card->nets < 2 || gbs <= 0 || up <= gbs)
            continue;
        if (!f->at->detail)
            orr_say(f,
                    "%u ports together are %.4g GB/s, %.4g more than GPUs beside them take; their uplink, %g GT/s x%d, "
                    "carries %.4g GB/s: %.2g times less",
                    card->nets, (double)(card->gbps / 8), (double)up, (double)card->rate, card->width, (double)gbs,
                    (double)(up / gbs));
        orr_point(f, card->element);
    }
}

/* The outermost bridges, which GPUs without NVLink use to reach GPUs of other bridges, and which their NICs' data
 * crosses. */
static void crowded_uplink(struct orr_finder *f)
{
    unsigned char *nvlink;
    const float *gpus = gpu_links_below(f, &nvlink);
    uint32_t elsewhere = 0;
    for (uint32_t i = 0; i < f->hw.card_count; i++)
        elsewhere += f->hw.cards[i].gpus_at;
    for (uint32_t i = 0; gpus && i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        float gbs = card->gbs, sum = gpus[i] + card->gbps / 8;
        if (card->above != UINT32_MAX || card->gpus_at || card->gpus < 2 || card->gpus == elsewhere || nvlink[i] ||
            gbs <= 0 || sum < 2 * gbs)
            continue;
        if (!f->at->detail)
            orr_say(f, "%u GPUs and %u port%s, %.4g GB/s together, share an uplink of %.4g GB/s: %.2g to one",
                    card->gpus, card->nets, orr_plural(card->nets), (double)sum, (double)gbs, (double)(sum / gbs));
        orr_point(f, card->element);
    }
}

/* Functions of one card, such as 0000:12:00.0 and 0000:12:00.1, share its slot: adds up the ports and rates of all up
 * to `card`. */
static float slot_gbps(const struct orr_finder *f, uint32_t card, uint32_t *ret_ports, bool *ret_last)
{
    const struct orr_card *last = &f->hw.cards[card];
    uint64_t slot = orr_bus_id_parse(orr_attr_of(f, last->element, ORR_ATTR_BUSID)) >> 4;
    float gbps = 0;
    *ret_ports = 0;
    *ret_last = true;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *other = &f->hw.cards[i];
        if (!other->nets_at || other->above != last->above ||
            f->dump->elements[other->element].parent != f->dump->elements[last->element].parent ||
            (i != card && orr_bus_id_parse(orr_attr_of(f, other->element, ORR_ATTR_BUSID)) >> 4 != slot))
            continue;
        gbps += other->gbps_at;
        *ret_ports += other->nets_at;
        *ret_last &= i <= card;
    }
    return gbps;
}

/* The fastest port right inside a card, Gb/s. NCCL writes 10 Gb/s for an interface without a known speed. */
static float fastest_port(const struct orr_finder *f, uint32_t card)
{
    int32_t fastest = 0;
    for (uint32_t i = 0; i < f->hw.net_count; i++) {
        int32_t mbps = orr_element_int(f->dump, f->hw.nets[i], ORR_ATTR_SPEED, 0);
        if (f->hw.card_of[f->hw.nets[i]] == card && mbps > fastest &&
            (mbps != 10000 || orr_name_is_rdma(orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME))))
            fastest = mbps;
    }
    return (float)fastest / 1000;
}

/* Whether all GPUs are part of a CPU: such boards have no slots, and NICs get the remaining lanes. */
static bool has_no_slots(const struct orr_finder *f)
{
    uint32_t integrated = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++)
        integrated += orr_gpu_is_integrated(orr_element_int(f->dump, f->hw.gpus[i], ORR_ATTR_SM, 0));
    return f->hw.gpu_count && integrated == f->hw.gpu_count;
}

/* Cards whose ports are faster than their slot: a single port, or only all of them together. A virtual machine may show
 * ports directly below a bridge, and then their slot is not known. */
static void find_slots(struct orr_finder *f, bool together)
{
    enum { MOST_PORTS = 1024 }; /* larger numbers in a file do not describe a machine */
    bool no_slots = has_no_slots(f);
    for (uint32_t i = 0; i < f->hw.card_count && f->hw.net_count <= MOST_PORTS && !no_slots; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        uint32_t ports;
        bool last;
        if (!card->nets_at || card->gbs <= 0 || card->bridge_class)
            continue;
        float gbps = slot_gbps(f, i, &ports, &last), fastest = fastest_port(f, i);
        if (!last || fastest <= 0 || gbps / 8 <= card->gbs || (fastest / 8 <= card->gbs) != together)
            continue;
        if (!f->at->detail && together)
            orr_say(f, "%u ports have %g Gb/s (%.4g GB/s) together; their slot, %g GT/s x%d, carries %.4g GB/s", ports,
                    (double)gbps, (double)(gbps / 8), (double)card->rate, card->width, (double)card->gbs);
        else if (!f->at->detail)
            orr_say(f, "a port of %g Gb/s is %.4g GB/s; its slot, %g GT/s x%d, carries %.4g GB/s", (double)fastest,
                    (double)(fastest / 8), (double)card->rate, card->width, (double)card->gbs);
        orr_point(f, card->element);
    }
}

static void slow_slot(struct orr_finder *f)
{
    find_slots(f, false);
}

static void shared_slot(struct orr_finder *f)
{
    find_slots(f, true);
}

const struct orr_finding_row orr_findings_slots[] = {
    {ORR_FINDING("shared-uplink", "L22", WARNING, DUMP, shared_uplink),
     .title = "NICs share a PCIe uplink that is slower than they are together",
     .why = "Traffic between these NICs and GPUs below other bridges crosses this link.",
     .advice = "Move a NIC to another slot, or expect the NICs to share this bandwidth.", .commands = {"lspci -tv"},
     .references = {"NVIDIA/nccl#439"}, .follows_from = {"slow-link"}},
    {ORR_FINDING("crowded-uplink", "L22", INFO, DUMP, crowded_uplink),
     .title = "GPUs without NVLink share a PCIe uplink that is slower than they are together",
     .why = "All traffic to GPUs below other bridges crosses this link, so it limits every ring.",
     .advice = "Most PCIe servers are built like this. Keep a small job on GPUs below one bridge.",
     .commands = {"lspci -tv", "nvidia-smi topo -m"}, .references = {"NVIDIA/nccl#412", "NVIDIA/nccl#439"},
     .follows_from = {"slow-link", "idle-gpus"}},
    {ORR_FINDING("slow-slot", "L23", WARNING, DUMP, slow_slot), .title = "A NIC is faster than its PCIe slot",
     .why = "The slot limits the port to less than its speed.",
     .advice = "Move the card to a faster or wider slot, and compare LnkSta with LnkCap.",
     .commands = {LOOK_AT_LINKS, "lspci -tv"}, .references = {"NVIDIA/nccl#452", "NVIDIA/nccl#307"},
     .follows_from = {"slow-link"}},
    {ORR_FINDING("slot-shared", "L23", INFO, DUMP, shared_slot),
     .title = "The ports of a NIC are together faster than its PCIe slot",
     .why = "Each port alone gets its full speed. Both at once get what the slot carries.",
     .advice = "Nothing to do if only one of the ports carries NCCL's traffic, which is usual.",
     .commands = {LOOK_AT_LINKS}, .references = {"NVIDIA/nccl#452"}, .follows_from = {"slow-link"}},
    {0},
};
