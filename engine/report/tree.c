/* SPDX-License-Identifier: Apache-2.0 */
/* Writes the machine as a tree. */
#include <stdio.h>
#include <string.h>

#include "engine/hardware/hardware.h"
#include "engine/report/report.h"

enum { DEPTH_MOST = 64, PREFIX = 4 * DEPTH_MOST + 8, PEERS_SHOWN = 16 };

struct tree {
    struct orr_page *page;
    const struct orr_dump *dump;
    const struct orr_system *system; /* system with all devices */
    const struct orr_hardware_facts *hw;
    bool anonymous; /* omit bus ids, names and numbers, to compare hosts */
};

static const struct orr_slower *slower_of(const struct tree *tree, uint32_t element)
{
    for (uint32_t i = 0; i < tree->hw->slower_count; i++)
        if (tree->hw->slower[i].element == element)
            return &tree->hw->slower[i];
    return NULL;
}

/* Writes ", 32 GT/s x16 (63 GB/s)", or nothing if the dump does not say. */
static void write_link(const struct orr_card *card, struct orr_text *text)
{
    if (card->rate > 0)
        orr_text_printf(text, ", %g GT/s", (double)card->rate);
    if (card->width > 0)
        orr_text_printf(text, "%sx%d", card->rate > 0 ? " " : ", ", card->width);
    if (card->gbs > 0)
        orr_text_printf(text, " (%.3g GB/s)", (double)card->gbs);
}

/* Writes the values that the device should have. card: that of an equal device. */
static bool write_slower(const struct tree *tree, const struct orr_slower *row, struct orr_text *text)
{
    if (!row)
        return false;
    orr_text_puts(text, " <- slower than its equals: ");
    switch (row->kind) {
    case ORR_SLOWER_PCIE: {
        ORR_LOCAL_TEXT(link, 200);
        uint32_t card = tree->hw->card_of[row->best];
        if (card != ORR_NO_CARD)
            write_link(&tree->hw->cards[card], &link);
        orr_text_printf(text, "an equal device has %s", link.length > 2 ? link.data + 2 : "more");
        break;
    }
    case ORR_SLOWER_C2C:
        orr_text_printf(text, "%.4g GB/s of C2C instead of %.4g", (double)row->has, (double)row->best_has);
        break;
    case ORR_SLOWER_NVLINK:
        orr_text_printf(text, "%.0f NVLinks instead of %.0f", (double)row->has, (double)row->best_has);
        break;
    default:
        orr_text_printf(text, "%.4g Gb/s instead of %.4g", (double)row->has, (double)row->best_has);
    }
    return true;
}

/* words is NULL if memory ran out, which the page notices by itself. */
static void put(const struct tree *tree, const char *prefix, bool last, const char *words, bool slower)
{
    char lead[PREFIX + 16], rest[PREFIX + 16];
    snprintf(lead, sizeof lead, "%s%s", prefix, last ? "└─ " : "├─ ");
    snprintf(rest, sizeof rest, "%s%s", prefix, last ? "" : "│");
    orr_page_hang(tree->page, slower ? ORR_STYLE_CAREFUL : ORR_STYLE_PLAIN, lead, rest, words ? words : "");
}

/* The node of a type that an element became, ORR_NO_NODE if there is none. For a GPU, pass the <pci> around its
 * <gpu>. */
static uint32_t node_of(const struct tree *tree, uint32_t element, enum orr_node_type type)
{
    for (uint32_t n = tree->system->first[type]; n < tree->system->first[type + 1]; n++)
        if (tree->system->nodes[n].element == element)
            return n;
    return ORR_NO_NODE;
}

/* The node of a <gpu> that has a rank; if its card has several, that of its partition. */
static uint32_t rank_node_of(const struct tree *tree, uint32_t gpu)
{
    const uint32_t first = node_of(tree, tree->dump->elements[gpu].parent, ORR_GPU);
    const int32_t partition = orr_element_int(tree->dump, gpu, ORR_ATTR_MLOPART, -1);
    if (!orr_element_text(tree->dump, gpu, ORR_ATTR_RANK) || first == ORR_NO_NODE)
        return ORR_NO_NODE;
    for (uint32_t n = first; n < tree->system->first[ORR_GPU + 1]; n++)
        if (tree->system->nodes[n].element == tree->system->nodes[first].element &&
            tree->system->nodes[n].gpu.mlopart == partition)
            return n;
    return first;
}

/* NVLinks of a GPU to the device with a bus id. */
static int32_t count_links_to(const struct tree *tree, uint32_t gpu, const char *bus_id)
{
    int32_t count = 0;
    for (uint32_t e = tree->dump->elements[gpu].first_child; e != ORR_NO_ELEMENT;
         e = tree->dump->elements[e].next_sibling) {
        const char *target = orr_element_text(tree->dump, e, ORR_ATTR_TARGET);
        if (tree->dump->elements[e].kind == ORR_ELEMENT_NVLINK && target && !strcmp(target, bus_id))
            count += orr_element_int(tree->dump, e, ORR_ATTR_COUNT_, 0);
    }
    return count;
}

static const char *bus_id_of(const struct tree *tree, uint32_t pci)
{
    const char *text = pci == ORR_NO_ELEMENT ? NULL : orr_element_text(tree->dump, pci, ORR_ATTR_BUSID);
    return text ? text : "";
}

/* Writes a bus id after a blank, or nothing if Orrery made it up. */
static void write_bus_id(const struct tree *tree, uint32_t pci, struct orr_text *text)
{
    if (!tree->anonymous && !orr_bus_id_made_up(tree->dump, pci))
        orr_text_printf(text, " %s", bus_id_of(tree, pci));
}

/* NVLinks of a GPU to one device. */
struct bundle {
    const struct orr_node *to;
    int32_t count;
    float bw;
};

static bool is_peer(const struct orr_node *node)
{
    return node->type == ORR_GPU || node->type == ORR_DEV;
}

static uint32_t list_bundles(const struct tree *tree, uint32_t gpu, struct bundle bundles[PEERS_SHOWN])
{
    const uint32_t pci = tree->dump->elements[gpu].parent, dev = node_of(tree, pci, ORR_DEV);
    const uint32_t node = dev == ORR_NO_NODE ? node_of(tree, pci, ORR_GPU) : dev;
    int32_t left = orr_gpu_nvlinks(tree->dump, gpu);
    uint32_t count = 0;
    const struct orr_node *from = node == ORR_NO_NODE ? NULL : &tree->system->nodes[node];
    for (uint32_t l = 0; from && l < from->link_count && count < PEERS_SHOWN; l++) {
        const struct orr_link *link = &tree->system->links[from->first_link + l];
        struct bundle *bundle = &bundles[count];
        if (link->type != ORR_LINK_NVL)
            continue;
        *bundle = (struct bundle){&tree->system->nodes[link->to], left, link->bw};
        if (is_peer(bundle->to))
            bundle->count = count_links_to(tree, gpu, bus_id_of(tree, bundle->to->element));
        left -= bundle->count;
        count++;
    }
    return count;
}

/* "18 NVLinks to NVSwitches (371 GB/s)"; "2 NVLinks to each of GPUs 3, 4 (40 GB/s)". */
static void write_nvlinks(const struct tree *tree, uint32_t gpu, struct orr_text *text)
{
    struct bundle bundles[PEERS_SHOWN];
    const uint32_t count = list_bundles(tree, gpu, bundles);
    for (uint32_t i = 0, next; i < count; i = next) {
        const struct bundle *first = &bundles[i];
        for (next = i + 1; next < count && is_peer(first->to) && is_peer(bundles[next].to) &&
                           bundles[next].count == first->count && !(bundles[next].bw < first->bw);)
            next++;
        orr_text_printf(text, ", %d NVLink%s to ", first->count, orr_plural(first->count));
        if (!is_peer(first->to))
            orr_text_puts(text, first->to->type == ORR_NVS ? "NVSwitches" : "the CPU");
        else
            orr_text_puts(text, next > i + 1 ? "each of GPUs" : "GPU");
        for (uint32_t k = i; k < next && is_peer(first->to); k++)
            orr_text_printf(text, "%s%d", k > i ? ", " : " ",
                            tree->anonymous                  ? 0
                            : bundles[k].to->type == ORR_GPU ? bundles[k].to->gpu.rank
                                                             : bundles[k].to->gpu.dev);
        orr_text_printf(text, " (%.4g GB/s)", (double)first->bw);
    }
}

static void put_gpu(const struct tree *tree, const char *prefix, bool last, uint32_t gpu, const struct orr_card *card)
{
    const struct orr_slower *slower = slower_of(tree, gpu);
    const int32_t sm = orr_element_int(tree->dump, gpu, ORR_ATTR_SM, 0);
    const uint32_t node = rank_node_of(tree, gpu), pci = tree->dump->elements[gpu].parent;
    ORR_LOCAL_TEXT(text, 4096);
    if (tree->anonymous)
        orr_text_puts(&text, "GPU");
    else if (node != ORR_NO_NODE)
        orr_text_printf(&text, "GPU %d", tree->system->nodes[node].gpu.rank);
    else
        orr_text_puts(&text, "GPU without a rank");
    write_bus_id(tree, pci, &text);
    if (sm > 0)
        orr_text_printf(&text, ", sm %d", sm);
    write_link(card, &text);
    if (orr_gpu_c2c(tree->dump, gpu) > 0)
        orr_text_printf(&text, ", C2C to the CPU (%.4g GB/s)", orr_gpu_c2c(tree->dump, gpu));
    write_nvlinks(tree, gpu, &text);
    const struct orr_slower *by_card = slower_of(tree, card->element);
    bool marked = write_slower(tree, by_card, &text);
    marked = write_slower(tree, slower, &text) || marked;
    put(tree, prefix, last, text.data, marked);
}

static void put_net(const struct tree *tree, const char *prefix, bool last, uint32_t net, const struct orr_card *card)
{
    const char *name = orr_element_text(tree->dump, net, ORR_ATTR_NAME);
    const int32_t speed = orr_element_int(tree->dump, net, ORR_ATTR_SPEED, 0);
    ORR_LOCAL_TEXT(text, 2048);
    orr_text_puts(&text, "NIC");
    if (name && !tree->anonymous)
        orr_text_printf(&text, " %.60s", name);
    if (card)
        write_bus_id(tree, card->element, &text);
    if (speed > 0)
        orr_text_printf(&text, ", %g Gb/s", (double)speed / 1000);
    if (orr_element_int(tree->dump, net, ORR_ATTR_GDR, 0) == 0)
        orr_text_puts(&text, ", no GDR");
    if (card)
        write_link(card, &text);
    bool marked = card && write_slower(tree, slower_of(tree, card->element), &text);
    marked = write_slower(tree, slower_of(tree, net), &text) || marked;
    put(tree, prefix, last, text.data, marked);
}

/* Puts the lines right below an element on the stack: switches, GPUs, ports. A card with only one of these has no line
 * of its own, nor has <nic>. No element is on the stack twice, so the stack has room for all. */
static uint32_t push_below(const struct tree *tree, uint32_t element, uint32_t *lines)
{
    uint32_t count = 0;
    const struct orr_element *elements = tree->dump->elements;
    for (uint32_t e = elements[element].first_child; e != ORR_NO_ELEMENT; e = elements[e].next_sibling) {
        const bool card =
            elements[e].kind == ORR_ELEMENT_PCI && tree->hw->cards[tree->hw->card_of[e]].kind != ORR_CARD_BRIDGE;
        if (card || elements[e].kind == ORR_ELEMENT_NIC)
            count += push_below(tree, e, lines + count);
        else if (elements[e].kind == ORR_ELEMENT_PCI || elements[e].kind == ORR_ELEMENT_GPU ||
                 elements[e].kind == ORR_ELEMENT_NET)
            lines[count++] = e;
    }
    return count;
}

static void put_switch(const struct tree *tree, const char *prefix, bool last, uint32_t element)
{
    ORR_LOCAL_TEXT(text, 2048);
    orr_text_puts(&text, "PCIe switch");
    write_bus_id(tree, element, &text);
    write_link(&tree->hw->cards[tree->hw->card_of[element]], &text);
    bool marked = write_slower(tree, slower_of(tree, element), &text);
    put(tree, prefix, last, text.data, marked);
}

static void put_below(const struct tree *tree, uint32_t element, const char *prefix, uint32_t *lines)
{
    const uint32_t count = push_below(tree, element, lines);
    char below[PREFIX];
    for (uint32_t i = 0; i < count; i++) {
        const uint32_t at = tree->hw->card_of[lines[i]];
        const struct orr_card *card = at == ORR_NO_CARD ? NULL : &tree->hw->cards[at];
        const bool last = i + 1 == count;
        if (card && tree->dump->elements[lines[i]].kind == ORR_ELEMENT_GPU) {
            put_gpu(tree, prefix, last, lines[i], card);
        } else if (tree->dump->elements[lines[i]].kind == ORR_ELEMENT_NET) {
            put_net(tree, prefix, last, lines[i], card);
        } else {
            const bool deep = strlen(prefix) > tree->page->width / 2; /* children stay in this column */
            put_switch(tree, prefix, last, lines[i]);
            snprintf(below, sizeof below, "%s%s", prefix, deep ? "" : last ? "   " : "│  ");
            put_below(tree, lines[i], below, lines + count);
        }
    }
}

/* "NUMA node 0, x86_64 GenuineIntel, 20 GB/s to other NUMA nodes". */
static void put_cpu(const struct tree *tree, uint32_t cpu, bool last)
{
    const char *numa = orr_element_text(tree->dump, cpu, ORR_ATTR_NUMAID),
               *arch = orr_element_text(tree->dump, cpu, ORR_ATTR_ARCH);
    const char *vendor = orr_element_text(tree->dump, cpu, ORR_ATTR_VENDOR);
    const uint32_t node = node_of(tree, cpu, ORR_CPU);
    double most = 0;
    ORR_LOCAL_TEXT(text, 1024);
    orr_text_printf(&text, "NUMA node %.8s", numa && !tree->anonymous ? numa : "");
    if (arch)
        orr_text_printf(&text, ", %.16s%s%.16s", arch, vendor ? " " : "", vendor ? vendor : "");
    for (uint32_t l = 0; node != ORR_NO_NODE && l < tree->system->nodes[node].link_count; l++) {
        const struct orr_link *link = &tree->system->links[tree->system->nodes[node].first_link + l];
        if (link->type == ORR_LINK_SYS && tree->system->nodes[link->to].type == ORR_CPU && (double)link->bw > most)
            most = (double)link->bw;
    }
    if (most > 0)
        orr_text_printf(&text, ", %.4g GB/s to other NUMA nodes", most);
    put(tree, "", last, text.data, false);
}

/* Writes the CPUs of one host with everything below. lines: room for every element. */
static void put_host(const struct tree *tree, uint32_t host, uint32_t *lines)
{
    const struct orr_system *system = tree->system;
    uint32_t last = ORR_NO_NODE;
    for (uint32_t n = system->first[ORR_CPU]; n < system->first[ORR_CPU + 1]; n++)
        if (orr_id_system(system->nodes[n].id) == host)
            last = n;
    for (uint32_t n = system->first[ORR_CPU]; n < system->first[ORR_CPU + 1]; n++) {
        if (orr_id_system(system->nodes[n].id) != host || system->nodes[n].element == ORR_NO_ELEMENT)
            continue;
        put_cpu(tree, system->nodes[n].element, n == last);
        put_below(tree, system->nodes[n].element, n == last ? "   " : "│  ", lines);
    }
}

/* Writes a host without the values that only identify devices. */
static void describe_host(const struct tree *tree, uint32_t host, uint32_t *lines, struct orr_text *text)
{
    struct orr_page page = {.text = text, .width = tree->page->width, .unicode = true};
    const struct tree anonymous = {&page, tree->dump, tree->system, tree->hw, true};
    orr_text_init(text, tree->page->text->limit);
    put_host(&anonymous, host, lines);
}

/* Writes one host of each kind in an NVLink domain, with the numbers of the equal hosts. */
static enum orr_code put_hosts(const struct tree *tree, uint32_t *lines, struct orr_arena *arena, struct orr_error *err)
{
    const uint32_t count = tree->system->host_count;
    struct orr_text *kinds = ORR_NEW(arena, struct orr_text, count);
    uint32_t *numbers = ORR_NEW(arena, uint32_t, count);
    bool *done = ORR_NEW(arena, bool, count);
    ORR_NEED(kinds && numbers && done, err);
    for (uint32_t host = 0; host < count; host++)
        describe_host(tree, host, lines, &kinds[host]);
    for (uint32_t host = 0; host < count; host++) {
        uint32_t alike = 0;
        for (uint32_t other = host; other < count && !done[host]; other++)
            if (kinds[other].length == kinds[host].length &&
                !memcmp(kinds[other].data, kinds[host].data, kinds[host].length))
                numbers[alike++] = other;
        for (uint32_t i = 0; i < alike; i++)
            done[numbers[i]] = true;
        if (!alike)
            continue;
        ORR_LOCAL_TEXT(list, 4096);
        orr_report_numbers(numbers, alike, &list);
        orr_page_printf(tree->page, ORR_STYLE_HEADING, "", alike > 1 ? "Host %u; hosts %s are alike" : "Host %u", host,
                        list.data);
        put_host(tree, host, lines);
    }
    for (uint32_t host = 0; host < count; host++)
        orr_text_release(&kinds[host]);
    return ORR_OK;
}

enum orr_code orr_tree_write(struct orr_page *page, const struct orr_analysis *analysis, struct orr_arena *arena,
                             struct orr_error *err)
{
    struct orr_hardware_facts hw;
    uint32_t *lines = ORR_NEW(arena, uint32_t, analysis->dump->element_count);
    ORR_NEED(lines && orr_hardware_read(analysis->dump, arena, &hw), err);
    const struct tree tree = {page, analysis->dump, &analysis->built, &hw, false};
    struct orr_machine_summary machine;
    ORR_LOCAL_TEXT(text, 1024);
    orr_machine_summarise(analysis->dump, &machine);
    orr_machine_sentence(&machine, &text);
    orr_page_heading(page, orr_text_data(&text));
    if (analysis->built.host_count > 1)
        return put_hosts(&tree, lines, arena, err);
    put_host(&tree, 0, lines);
    return ORR_OK;
}
