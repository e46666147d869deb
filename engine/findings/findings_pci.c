/* Findings about PCIe links. */
#include "engine/findings/finder.h"

static void slow_link(struct orr_finder *f)
{
    orr_say_slower(f, ORR_SLOWER_PCIE);
    orr_say_slower(f, ORR_SLOWER_C2C);
}

static void idle_gpus(struct orr_finder *f)
{
    uint32_t slow = 0, known = 0;
    bool fast_net = false;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        known += card->gpus_at && card->rate > 0;
        slow += card->gpus_at && card->rate > 0 && card->rate <= 2.5f && card->width >= 8;
        fast_net |= card->nets_at && card->rate >= 8;
    }
    if (!slow || slow != known)
        return;
    orr_say(f, "all %u GPUs report 2.5 GT/s%s", slow, fast_net ? ", their NICs report more" : "");
    for (uint32_t i = 0; i < f->hw.card_count; i++)
        if (f->hw.cards[i].gpus_at && f->hw.cards[i].rate > 0)
            orr_point(f, f->hw.cards[i].element);
}

static void throttling_bridge(struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        float gbs = card->gbs;
        if (!(card->gpus + card->nets) || gbs <= 0 || gbs >= 1)
            continue;
        if (!f->at->detail)
            orr_say(f, "%.30s has %g GT/s x%d, %.2f GB/s", orr_attr_of(f, card->element, ORR_ATTR_BUSID),
                    (double)card->rate, card->width, (double)gbs);
        orr_point(f, card->element);
    }
}

/* Sums over what is below each card: GB/s of the links of GPUs, and whether any of them has NVLink. Cards are in
 * document order, so what is below comes later. */
static float *gpu_links_below(struct orr_finder *f, unsigned char **ret_nvlink)
{
    float *below = ORR_NEW(f->arena, float, f->hw.card_count);
    unsigned char *nvlink = ORR_NEW(f->arena, unsigned char, f->hw.card_count);
    f->starved |= !below || !nvlink;
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

/* What the GPUs below a bridge take does not pass its way up. */
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

/* The way of GPUs without NVLink to those of other bridges, and of their NICs' data: the outermost bridges. */
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
            orr_say(f, "%u GPUs and %u ports, %.4g GB/s together, share an uplink of %.4g GB/s: %.2g to one",
                    card->gpus, card->nets, (double)sum, (double)gbs, (double)(sum / gbs));
        orr_point(f, card->element);
    }
}

/* Functions of one card, 0000:12:00.0 and 0000:12:00.1, share its slot: the ports and the rate of all up to `card`. */
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

static void slow_slot(struct orr_finder *f)
{
    enum { MOST_PORTS = 1024 }; /* what a file may hold besides is no machine */
    for (uint32_t i = 0; i < f->hw.card_count && f->hw.net_count <= MOST_PORTS; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        float gbs = card->gbs;
        uint32_t ports;
        bool last;
        if (!card->nets_at || gbs <= 0)
            continue;
        float gbps = slot_gbps(f, i, &ports, &last);
        if (!last || gbps / 8 <= gbs)
            continue;
        if (!f->at->detail && ports == 1)
            orr_say(f, "a port of %g Gb/s is %.4g GB/s; its slot, %g GT/s x%d, carries %.4g GB/s", (double)gbps,
                    (double)(gbps / 8), (double)card->rate, card->width, (double)gbs);
        else if (!f->at->detail)
            orr_say(f, "%u ports of %g Gb/s together are %.4g GB/s; their slot, %g GT/s x%d, carries %.4g GB/s", ports,
                    (double)gbps, (double)(gbps / 8), (double)card->rate, card->width, (double)gbs);
        orr_point(f, card->element);
    }
}

static void link_missing(struct orr_finder *f)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        if (!(card->gpus + card->nets) || (*orr_attr_of(f, card->element, ORR_ATTR_LINK_SPEED) && card->width))
            continue;
        count++;
        orr_point(f, card->element);
    }
    if (count)
        orr_say(f, "%u of %u devices have no link_speed or link_width", count, f->hw.card_count);
}

static void link_unknown(struct orr_finder *f)
{
    const struct orr_release *release = f->analysis->query.settings.release;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        const char *speed = orr_attr_of(f, card->element, ORR_ATTR_LINK_SPEED);
        if (!(card->gpus + card->nets) || !*speed || orr_pci_speed_known(release, speed))
            continue;
        if (!f->at->detail)
            orr_say(f, "NCCL %s does not know link_speed=\"%.40s\"", release->name, speed);
        orr_point(f, card->element);
    }
}

static void virtual_switch(struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        uint64_t device = f->hw.cards[i].identity >> 32;
        if (device == 0x1000c030 || device == 0x1000c034)
            orr_point(f, f->hw.cards[i].element);
    }
    if (f->at->place_count)
        orr_say(f, "%u bridges of vendor 0x1000", f->at->place_count + f->at->more_places);
}

static void flat_tree(struct orr_finder *f)
{
    uint32_t linked = 0, flat = 0;
    for (uint32_t i = 0; i < f->hw.gpu_count; i++) {
        uint32_t card = f->hw.card_of[f->hw.gpus[i]];
        linked += orr_gpu_nvlinks(f->dump, f->hw.gpus[i]) >= 6;
        flat += card != UINT32_MAX && !f->hw.cards[card].depth;
    }
    for (uint32_t i = 0; i < f->hw.cpu_count; i++)
        if (!strcmp(orr_attr_of(f, f->hw.cpus[i], ORR_ATTR_ARCH), "arm64"))
            return;
    for (uint32_t i = 0; i < f->hw.card_count; i++)
        if (f->hw.cards[i].depth)
            return;
    if (f->hw.gpu_count >= 8 && linked == f->hw.gpu_count && flat == f->hw.gpu_count && f->hw.net_count)
        orr_say(f, "%u GPUs with NVLink and %u ports, all directly below a CPU", f->hw.gpu_count, f->hw.net_count);
}

#define LOOK_AT_LINKS "lspci -vv | grep -E '^[0-9a-f]|LnkCap:|LnkSta:'"

const struct orr_finding_row orr_findings_pci[] = {
    {
        .id = "link-missing",
        .catalogue = "L03",
        .severity = ORR_SEVERITY_WARNING,
        .find = link_missing,
        .title = "The speed or width of a PCIe link is unknown",
        .why = "NCCL then assumes PCIe generation 3 or 16 lanes, which may be more or less than the real link has.",
        .advice = "This is common in virtual machines and with old kernels. If the assumption is wrong, supply a "
                  "topology file (NCCL_TOPO_FILE).",
        .commands = {LOOK_AT_LINKS},
        .references = {"NVIDIA/nccl#428", "NVIDIA/nccl#811"},
    },
    {
        .id = "link-unknown",
        .catalogue = "L04",
        .severity = ORR_SEVERITY_WARNING,
        .of_analysis = true,
        .find = link_unknown,
        .title = "This release does not know a link's speed",
        .why = "NCCL treats the link as PCIe generation 3.",
        .advice =
            "Use a release that knows this speed, or write the speed as the kernel does, such as \"32.0 GT/s PCIe\".",
        .references = {"aws/aws-ofi-nccl#958", "aws/aws-ofi-nccl#1032"},
    },
    {
        .id = "slow-link",
        .catalogue = "L20",
        .severity = ORR_SEVERITY_WARNING,
        .find = slow_link,
        .title = "A device's PCIe link is slower than those of equal devices",
        .why = "The slower link limits every channel that uses it. NCCL uses the speed that the link had when the dump "
               "was written.",
        .advice = "Idle GPUs may lower their link speed, so write the dump again under load first. If the link stays "
                  "slow, compare LnkSta with LnkCap, reseat the card, and check risers, retimers and the BIOS's "
                  "bifurcation setting.",
        .commands = {LOOK_AT_LINKS, "nvidia-smi -q | grep -A8 'GPU Link Info'"},
    },
    {
        .id = "idle-gpus",
        .catalogue = "L20",
        .severity = ORR_SEVERITY_WARNING,
        .find = idle_gpus,
        .title = "All GPUs report PCIe generation 1",
        .why = "Predicted bandwidths are far below what a job gets if the GPUs were only idle: idle GPUs lower their "
               "link speed.",
        .advice = "Write the dump again while the GPUs are busy.",
        .commands = {"nvidia-smi -q | grep -A8 'GPU Link Info'"},
    },
    {
        .id = "throttling-bridge",
        .catalogue = "L21",
        .severity = ORR_SEVERITY_WARNING,
        .find = throttling_bridge,
        .title = "A PCIe link above a GPU or NIC is slower than 1 GB/s",
        .why = "NCCL believes the reported speed and plans channels for it. Often this is a bridge of a virtual "
               "machine that is much faster than it reports.",
        .advice = "Supply a topology file in which the bridge has its real speed (NCCL_TOPO_FILE).",
        .commands = {LOOK_AT_LINKS},
        .references = {"NVIDIA/nccl-tests#256", "NVIDIA/nccl#749"},
    },
    {
        .id = "shared-uplink",
        .catalogue = "L22",
        .severity = ORR_SEVERITY_WARNING,
        .find = shared_uplink,
        .title = "NICs share a PCIe uplink that is slower than they are together",
        .why = "Traffic between these NICs and GPUs below other bridges crosses this link.",
        .advice = "Move a NIC to another slot, or expect the NICs to share this bandwidth.",
        .commands = {"lspci -tv"},
        .references = {"NVIDIA/nccl#439"},
        .follows_from = {"slow-link"},
    },
    {
        .id = "crowded-uplink",
        .catalogue = "L22",
        .severity = ORR_SEVERITY_INFO,
        .find = crowded_uplink,
        .title = "GPUs without NVLink share a PCIe uplink that is slower than they are together",
        .why = "All traffic to GPUs below other bridges crosses this link, so it limits every ring.",
        .advice = "Most PCIe servers are built like this. Keep a small job on GPUs below one bridge.",
        .commands = {"lspci -tv", "nvidia-smi topo -m"},
        .references = {"NVIDIA/nccl#412", "NVIDIA/nccl#439"},
        .follows_from = {"slow-link", "idle-gpus"},
    },
    {
        .id = "slow-slot",
        .catalogue = "L23",
        .severity = ORR_SEVERITY_WARNING,
        .find = slow_slot,
        .title = "A NIC is faster than its PCIe slot",
        .why = "The slot limits the NIC to less than its port's speed.",
        .advice = "Move the card to a faster or wider slot, and compare LnkSta with LnkCap.",
        .commands = {LOOK_AT_LINKS, "lspci -tv"},
        .references = {"NVIDIA/nccl#452", "NVIDIA/nccl#307"},
        .follows_from = {"slow-link"},
    },
    {
        .id = "virtual-switch",
        .catalogue = "L24",
        .severity = ORR_SEVERITY_INFO,
        .find = virtual_switch,
        .title = "Broadcom PCIe switches appear as several virtual bridges",
        .why = "Two devices below one such switch may appear farther apart than they are. Newer NCCL releases treat "
               "the virtual bridges as one switch.",
        .advice = "Check that each GPU uses the NIC of its own switch.",
        .references = {"NVIDIA/nccl#820"},
    },
    {
        .id = "flat-tree",
        .catalogue = "L26",
        .severity = ORR_SEVERITY_WARNING,
        .find = flat_tree,
        .title = "No PCIe switches are visible although the machine has many GPUs",
        .why = "All NICs seem equally far, so GPUs may get NICs of another switch, without GPU Direct RDMA. Virtual "
               "machines often hide PCIe switches.",
        .advice = "Supply the provider's topology file (NCCL_TOPO_FILE).",
        .commands = {"lspci -tv", "nvidia-smi topo -m"},
        .references = {"NVIDIA/nccl#977", "NVIDIA/nccl#1674"},
    },
    {0},
};
