/* SPDX-License-Identifier: Apache-2.0 */
/* Findings about PCIe links. */
#include "engine/findings/finder.h"

#define LOOK_AT_LINKS "lspci -vv | grep -E '^[0-9a-f]|LnkCap:|LnkSta:'"

/* The number of lanes does not depend on the load, and only GPUs lower their speed when they are idle. */
static const char reseat[] =
    "Reseat the card, and check its riser, its slot and the BIOS's bifurcation setting: the number of lanes does not "
    "depend on the load. LnkCap shows what the device can do, LnkSta what it does.";
static const char retrain[] =
    "Compare LnkSta with LnkCap at the device and at the port above it. Then check the slot's generation in the BIOS, "
    "risers and retimers, and reseat the card. The speed of this link does not depend on the load.";
static const struct remedy {
    const char *title, *advice;
} slow_remedies[][2] = {
    /* [kind of card][fewer lanes] */
    [ORR_CARD_BRIDGE] = {{"A PCIe switch's link is slower than those of equal switches", retrain},
                         {"A PCIe switch's link has fewer lanes than those of equal switches", reseat}},
    [ORR_CARD_GPU] =
        {{"A GPU's PCIe link is slower than those of equal GPUs",
          "Idle GPUs lower their link speed, so write the dump again under load first. If the link stays slow, compare "
          "LnkSta with LnkCap, check the slot's generation in the BIOS, risers and retimers, and reseat the GPU."},
         {"A GPU's PCIe link has fewer lanes than those of equal GPUs", reseat}},
    [ORR_CARD_NIC] = {{"A NIC's PCIe link is slower than those of equal NICs", retrain},
                      {"A NIC's PCIe link has fewer lanes than those of equal NICs", reseat}},
};

static void slow_link(struct orr_finder *f)
{
    const struct orr_slower *first = orr_slower_first(&f->hw, ORR_SLOWER_PCIE);
    orr_say_slower(f, ORR_SLOWER_PCIE);
    orr_say_slower(f, ORR_SLOWER_C2C);
    if (first) {
        const struct orr_card *card = &f->hw.cards[f->hw.card_of[first->element]];
        const struct orr_card *best = &f->hw.cards[f->hw.card_of[first->best]];
        const bool narrow = card->width < best->width && card->rate >= best->rate;
        const struct remedy *remedy = &slow_remedies[card->kind][narrow];
        orr_say_remedy(f, remedy->title, remedy->advice, LOOK_AT_LINKS);
    } else if (f->at->detail) {
        orr_say_remedy(f, "A GPU's C2C link to its CPU is slower than those of equal GPUs",
                       "Read the C2C links of all GPUs; if one is down, have the board serviced.", "nvidia-smi c2c -s");
    }
}

static void idle_gpus(struct orr_finder *f)
{
    uint32_t slow = 0, known = 0;
    bool fast_net = false;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        bool counts = card->gpus_at && card->rate > 0 &&
                      !orr_gpu_is_integrated(orr_element_int(f->dump, card->gpu, ORR_ATTR_SM, 0));
        known += counts;
        slow += counts && card->rate <= 2.5f && card->width >= 8;
        fast_net |= card->nets_at && card->rate >= 8;
    }
    if (!slow || slow != known)
        return;
    orr_say(f, "all %u GPUs report 2.5 GT/s%s", slow, fast_net ? ", their NICs report more" : "");
    for (uint32_t i = 0; i < f->hw.card_count; i++)
        if (f->hw.cards[i].gpus_at && f->hw.cards[i].rate > 0)
            orr_point(f, f->hw.cards[i].element);
}

enum { MOST_CARDS = 2048 }; /* larger numbers in a file do not describe a machine */
enum { SLOW_GBS = 1 };      /* GB/s that no link of a GPU or NIC really has */

/* The nearest NET of a GPU, ORR_NO_NODE if there is none. */
static uint32_t nearest_of(const struct orr_part *part, uint32_t gpu)
{
    uint32_t best = ORR_NO_NODE;
    for (uint32_t n = part->system.first[ORR_NET]; n < part->system.first[ORR_NET + 1]; n++) {
        const struct orr_path *path = orr_path(&part->paths, gpu, n);
        const struct orr_path *other = best == ORR_NO_NODE ? NULL : orr_path(&part->paths, gpu, best);
        if (path->hops && (!other || path->bw > other->bw || (path->bw == other->bw && path->type < other->type)))
            best = n;
    }
    return best;
}

/* Two nodes whose path leads over a card's link. */
struct crossing {
    const struct orr_part *part; /* NULL if no path does */
    uint32_t from, to;
};

/* Notes a path at every card whose slow link it leads over. */
static void follow(const struct orr_finder *f, const struct orr_part *part, uint32_t from, uint32_t to,
                   struct crossing *crossings)
{
    const struct orr_path *path = orr_path(&part->paths, from, to);
    for (uint32_t hop = 0; hop < path->hops; hop++) {
        const struct orr_link *link = &part->system.links[part->paths.links[path->first + hop]];
        const uint32_t ends[] = {part->system.nodes[link->from].element, part->system.nodes[link->to].element};
        if (link->type != ORR_LINK_PCI || link->bw >= SLOW_GBS)
            continue;
        for (int end = 0; end < 2; end++) {
            uint32_t card = ends[end] == ORR_NO_ELEMENT ? ORR_NO_CARD : f->hw.card_of[ends[end]];
            if (card != ORR_NO_CARD && !crossings[card].part)
                crossings[card] = (struct crossing){part, from, to};
        }
    }
}

/* The paths between GPUs, and from each GPU to the NIC nearest to it. */
static void follow_all(const struct orr_finder *f, struct crossing *crossings)
{
    for (uint32_t p = 0; p < f->analysis->part_count; p++) {
        const struct orr_part *part = &f->analysis->parts[p];
        for (uint32_t a = part->system.first[ORR_GPU]; a < part->system.first[ORR_GPU + 1]; a++) {
            uint32_t net = nearest_of(part, a);
            if (net != ORR_NO_NODE)
                follow(f, part, a, net, crossings);
            for (uint32_t b = part->system.first[ORR_GPU]; b < a; b++)
                follow(f, part, a, b, crossings);
        }
    }
}

/* [card]: the paths over slow links; NULL if memory ran out. */
static struct crossing *crossings_of(const struct orr_finder *f)
{
    struct crossing *crossings = ORR_NEW(f->arena, struct crossing, f->hw.card_count);
    if (crossings)
        follow_all(f, crossings);
    return crossings;
}

static bool is_slow(const struct orr_card *card)
{
    return card->gpus + card->nets && card->gbs > 0 && card->gbs < SLOW_GBS;
}

/* A bridge with a slow link and fast devices right below it. Virtual machines invent such links. */
static const struct orr_card *fast_below(const struct orr_finder *f, uint32_t bridge)
{
    enum { MUCH = 4 };
    const struct orr_card *fastest = NULL;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        if (card->above == bridge && card->gbs >= MUCH * f->hw.cards[bridge].gbs &&
            (!fastest || card->gbs > fastest->gbs))
            fastest = card;
    }
    return fastest;
}

static void avoided_bridge(struct orr_finder *f)
{
    struct crossing *crossings = NULL;
    const struct orr_card *fast = NULL;
    for (uint32_t i = 0; i < f->hw.card_count && f->hw.card_count <= MOST_CARDS; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        if (!is_slow(card) || card->kind != ORR_CARD_BRIDGE || !(fast = fast_below(f, i)))
            continue;
        if (!crossings) {
            crossings = crossings_of(f);
            if (!crossings)
                return;
            for (uint32_t k = 0; k < f->hw.card_count; k++)
                if (is_slow(&f->hw.cards[k]) && crossings[k].part)
                    return; /* throttling-bridge says it */
        }
        if (!f->at->detail)
            orr_say(f, "%.30s reports %g GT/s x%d (%.2f GB/s), and %.30s below it %g GT/s x%d",
                    orr_attr_of(f, card->element, ORR_ATTR_BUSID), (double)card->rate, card->width, (double)card->gbs,
                    orr_attr_of(f, fast->element, ORR_ATTR_BUSID), (double)fast->rate, fast->width);
        orr_point(f, card->element);
    }
}

static void throttling_bridge(struct orr_finder *f)
{
    struct crossing *crossings = NULL;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        if (!is_slow(card))
            continue;
        if (!crossings && !(crossings = crossings_of(f)))
            return;
        const struct crossing *at = &crossings[i];
        if (!at->part)
            continue;
        char from[ORR_FOUND_NAME_SIZE], to[ORR_FOUND_NAME_SIZE];
        orr_name_node(f, &at->part->system, at->from, from);
        orr_name_node(f, &at->part->system, at->to, to);
        if (!f->at->detail)
            orr_say(f, "%.30s reports %g GT/s x%d (%.2f GB/s), and the path from %s to %s leads over it",
                    orr_attr_of(f, card->element, ORR_ATTR_BUSID), (double)card->rate, card->width, (double)card->gbs,
                    from, to);
        orr_point(f, card->element);
    }
}

/* Whether the dump has the speed and width of a card's link. */
static bool link_known(const struct orr_finder *f, const struct orr_card *card)
{
    return *orr_attr_of(f, card->element, ORR_ATTR_LINK_SPEED) && card->width;
}

/* An equal device whose link the dump has; NULL if there is none. */
static const struct orr_card *equal_with_link(const struct orr_finder *f, const struct orr_card *card)
{
    for (uint32_t i = 0; card->identity && i < f->hw.card_count; i++)
        if (f->hw.cards[i].identity == card->identity && link_known(f, &f->hw.cards[i]))
            return &f->hw.cards[i];
    return NULL;
}

static void link_missing(struct orr_finder *f)
{
    for (uint32_t i = 0; i < f->hw.card_count && f->hw.card_count <= MOST_CARDS; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        const struct orr_card *equal =
            card->gpus + card->nets && !link_known(f, card) ? equal_with_link(f, card) : NULL;
        if (!equal)
            continue;
        if (!f->at->detail)
            orr_say(f, "%.30s has no link_speed or link_width; %.30s, an equal device, has %g GT/s x%d",
                    orr_attr_of(f, card->element, ORR_ATTR_BUSID), orr_attr_of(f, equal->element, ORR_ATTR_BUSID),
                    (double)equal->rate, equal->width);
        orr_point(f, card->element);
    }
}

static void links_hidden(struct orr_finder *f)
{
    uint32_t hidden = 0, devices = 0;
    for (uint32_t i = 0; i < f->hw.card_count && f->hw.card_count <= MOST_CARDS; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        devices += card->kind != ORR_CARD_BRIDGE;
        if (card->kind == ORR_CARD_BRIDGE || link_known(f, card) || equal_with_link(f, card))
            continue;
        hidden++;
        orr_point(f, card->element);
    }
    if (hidden)
        orr_say(f, "%u of %u GPUs and NICs have no link_speed or no link_width", hidden, devices);
}

static void link_unknown(struct orr_finder *f)
{
    const struct orr_release *release = f->analysis->query.settings.release;
    for (uint32_t i = 0; i < f->hw.card_count; i++) {
        const struct orr_card *card = &f->hw.cards[i];
        const char *speed = orr_attr_of(f, card->element, ORR_ATTR_LINK_SPEED);
        /* NCCL's assumption about an unknown speed is right for generation 3. */
        if (!(card->gpus + card->nets) || !*speed || orr_pci_speed_known(release, speed) ||
            orr_pcie_generation(card->rate) == 3)
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
    uint32_t linked = 0, flat = 0, rdma = 0;
    for (uint32_t i = 0; i < f->hw.net_count; i++)
        rdma += orr_name_is_rdma(orr_attr_of(f, f->hw.nets[i], ORR_ATTR_NAME));
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
    if (f->hw.gpu_count >= 8 && linked == f->hw.gpu_count && flat == f->hw.gpu_count && rdma > 1)
        orr_say(f, "%u GPUs with NVLink and %u RDMA ports, all directly below a CPU", f->hw.gpu_count, rdma);
}

const struct orr_finding_row orr_findings_pci[] = {
    {ORR_FINDING("link-missing", "L03", WARNING, NCCL, link_missing),
     .title = "The speed or width of one PCIe link is missing",
     .why = "Equal devices report theirs. NCCL assumes PCIe generation 3 or 16 lanes for this one, which may be more "
            "or less than the real link has.",
     .advice = "Read the link of this device on the host, and write the dump again. A device without a link speed may "
               "have fallen off the bus.",
     .commands = {LOOK_AT_LINKS}, .references = {"NVIDIA/nccl#428", "NVIDIA/nccl#811"}},
    {ORR_FINDING("links-hidden", "L03", INFO, NCCL, links_hidden),
     .title = "The dump does not contain the speeds of PCIe links",
     .why = "NCCL reads a missing speed as PCIe generation 3 and a missing width as 16 lanes, and so does this "
            "prediction. Virtual machines hide the real values, which may be higher.",
     .advice = "Nothing to do on a virtual machine whose provider measured this. If predictions across PCIe matter to "
               "you, supply a topology file with the real links (NCCL_TOPO_FILE).",
     .commands = {LOOK_AT_LINKS}, .references = {"NVIDIA/nccl#428", "NVIDIA/nccl#811"}},
    {ORR_FINDING("link-unknown", "L04", WARNING, ANALYSIS, link_unknown),
     .title = "This release does not know a link's speed", .why = "NCCL treats the link as PCIe generation 3.",
     .advice =
         "Use a release that knows this speed, or write the speed as the kernel does, such as \"32.0 GT/s PCIe\".",
     .references = {"aws/aws-ofi-nccl#958", "aws/aws-ofi-nccl#1032"}},
    {ORR_FINDING("slow-link", "L20", WARNING, DUMP, slow_link),
     .title = "A device's PCIe link is slower than those of equal devices",
     .why = "The slower link limits every channel that uses it. NCCL uses the speed that the link had when the dump "
            "was written.",
     .advice = "A speed below that of equal GPUs may only mean that the GPU was idle: write the dump again under load. "
               "Otherwise compare LnkSta with LnkCap, reseat the card, and check risers, retimers and the BIOS's "
               "bifurcation setting.",
     .commands = {LOOK_AT_LINKS, "nvidia-smi -q | grep -A8 'GPU Link Info'"}},
    {ORR_FINDING("idle-gpus", "L20", WARNING, NCCL, idle_gpus), .title = "All GPUs report PCIe generation 1",
     .why = "Predicted bandwidths are far below what a job gets if the GPUs were only idle: idle GPUs lower their link "
            "speed.",
     .advice = "Write the dump again while the GPUs are busy.",
     .commands = {"nvidia-smi -q | grep -A8 'GPU Link Info'"}},
    {ORR_FINDING("throttling-bridge", "L21", WARNING, ANALYSIS, throttling_bridge),
     .title = "The path between two devices leads over a PCIe link slower than 1 GB/s",
     .why = "NCCL believes the reported speed, so every channel over this link is planned with less than 1 GB/s. Often "
            "it is a bridge of a virtual machine that is much faster than it reports.",
     .advice = "Supply a topology file in which the bridge has its real speed (NCCL_TOPO_FILE).",
     .commands = {LOOK_AT_LINKS}, .references = {"NVIDIA/nccl-tests#256", "NVIDIA/nccl#749"}},
    {ORR_FINDING("avoided-bridge", "L21", WARNING, ANALYSIS, avoided_bridge),
     .title = "PCIe bridges report links slower than 1 GB/s",
     .why = "NCCL believes the reported speed and avoids every path over these bridges, to the CPU and to devices of "
            "other bridges. Virtual bridges often are much faster than they report.",
     .advice = "Supply a topology file in which the bridges have their real speed (NCCL_TOPO_FILE), or correct the one "
               "in use.",
     .commands = {LOOK_AT_LINKS}, .references = {"NVIDIA/nccl-tests#256", "NVIDIA/nccl#749"}},
    {ORR_FINDING("virtual-switch", "L24", INFO, NCCL, virtual_switch),
     .title = "Broadcom PCIe switches appear as several virtual bridges",
     .why = "Two devices below one such switch may appear farther apart than they are. Newer NCCL releases treat the "
            "virtual bridges as one switch.",
     .advice = "Check that each GPU uses the NIC of its own switch.", .references = {"NVIDIA/nccl#820"}},
    {ORR_FINDING("flat-tree", "L26", WARNING, NCCL, flat_tree),
     .title = "No PCIe switches are visible although the machine has many GPUs",
     .why = "All NICs seem equally far from all GPUs, so a GPU may get the NIC of another switch, and NCCL's default "
            "does not allow GPUDirect RDMA through the CPU. Virtual machines often hide PCIe switches.",
     .advice = "Supply the provider's topology file (NCCL_TOPO_FILE).", .commands = {"lspci -tv", "nvidia-smi topo -m"},
     .references = {"NVIDIA/nccl#977", "NVIDIA/nccl#1674"}},
    {0},
};
