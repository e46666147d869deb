/* Repairs of NVLinks. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/topology/pci.h"
#include "engine/trials/repair.h"

/* Whether the machine is small enough for a repair that compares every pair of its GPUs. */
static bool may_compare_pairs(struct orr_bench *bench)
{
    enum { MOST_GPUS = 128 };
    if (bench->hw->gpu_count <= MOST_GPUS)
        return true;
    bench->refused = "no repair was tried, because the machine has more than 128 GPUs";
    return false;
}

static struct orr_doc_node *gpu_node(const struct orr_bench *bench, uint32_t i)
{
    return bench->nodes[bench->hw->gpus[i]];
}

/* Bus id of the card around a GPU, "": it has none. */
static const char *bus_of(const struct orr_bench *bench, uint32_t i)
{
    uint32_t card = bench->hw->card_of[bench->hw->gpus[i]];
    return card == ORR_NO_CARD ? "" : orr_element_word(bench->hw->dump, bench->hw->cards[card].element, ORR_ATTR_BUSID);
}

static bool to_switch(const struct orr_doc_node *link)
{
    const char *class = orr_doc_get(link, "tclass");
    return class && orr_pci_class_parse(class) == ORR_CLASS_NVS;
}

static int32_t count_of(const struct orr_doc_node *link)
{
    const char *count = link ? orr_doc_get(link, "count") : NULL;
    return count ? (int32_t)strtol(count, NULL, 10) : 0;
}

static void set_count(struct orr_bench *bench, struct orr_doc_node *link, int32_t count)
{
    char text[16];
    snprintf(text, sizeof text, "%d", count);
    orr_bench_set(bench, link, "count", text);
}

/* The link of GPU i to a bus id; NULL: none. */
static struct orr_doc_node *link_to(const struct orr_bench *bench, uint32_t i, const char *bus)
{
    for (struct orr_doc_node *link = gpu_node(bench, i)->first; link; link = link->after) {
        const char *target = orr_doc_is(link, "nvlink") ? orr_doc_get(link, "target") : NULL;
        if (target && orr_bus_id_parse(target) == orr_bus_id_parse(bus))
            return link;
    }
    return NULL;
}

static void add_link(struct orr_bench *bench, uint32_t i, const char *target, int32_t count, const char *class)
{
    struct orr_doc_node *link = orr_doc_add(&bench->doc, gpu_node(bench, i), "nvlink", NULL);
    orr_doc_set(&bench->doc, link, "target", "%s", target);
    orr_doc_set(&bench->doc, link, "count", "%d", count);
    orr_doc_set(&bench->doc, link, "tclass", "%s", class);
    bench->changed = true;
}

static void join(struct orr_bench *bench, uint32_t a, uint32_t b, int32_t count)
{
    struct orr_doc_node *link = link_to(bench, a, bus_of(bench, b));
    if (link)
        set_count(bench, link, count);
    else if (count)
        add_link(bench, a, bus_of(bench, b), count, "0x030200");
}

/* Both ends of each pair as the end with more links. */
static void mirror(struct orr_bench *bench)
{
    if (!may_compare_pairs(bench))
        return;
    for (uint32_t a = 0; a < bench->hw->gpu_count; a++)
        for (uint32_t b = 0; b < a; b++) {
            int32_t there = count_of(link_to(bench, a, bus_of(bench, b)));
            int32_t back = count_of(link_to(bench, b, bus_of(bench, a)));
            if (there < back)
                join(bench, a, b, back);
            else if (back < there)
                join(bench, b, a, there);
        }
}

void orr_repair_one_sided(struct orr_bench *bench)
{
    mirror(bench);
}

/* Replaces the links of a GPU by those of an equal one, which lead to NVSwitches. */
static void copy_links(struct orr_bench *bench, uint32_t gpu, uint32_t from)
{
    const struct orr_dump *dump = bench->hw->dump;
    struct orr_doc_node *node = bench->nodes[gpu];
    for (struct orr_doc_node *link = node->first, *next; link; link = next) {
        next = link->after;
        if (orr_doc_is(link, "nvlink"))
            orr_doc_remove(link);
    }
    for (uint32_t link = dump->elements[from].first_child; link != ORR_NO_ELEMENT;
         link = dump->elements[link].next_sibling)
        if (dump->elements[link].kind == ORR_ELEMENT_NVLINK)
            orr_doc_copy_element(&bench->doc, orr_doc_add(&bench->doc, node, "nvlink", NULL), dump, link);
    bench->changed = true;
}

static bool is_switched(const struct orr_bench *bench, uint32_t gpu)
{
    for (const struct orr_doc_node *link = bench->nodes[gpu]->first; link; link = link->after)
        if (orr_doc_is(link, "nvlink") && to_switch(link))
            return true;
    return false;
}

static bool has_board_mesh(const struct orr_bench *bench)
{
    const struct orr_gpu_board *board = bench->machine->board;
    return board && bench->machine->proven_board && board->fabric == ORR_FABRIC_MESH &&
           strlen(board->mesh[0]) == bench->hw->gpu_count;
}

/* Pairs without links, or with fewer, as the usual pair has it: the number that most pairs with links have. */
static void fill_pairs(struct orr_bench *bench)
{
    enum { MOST_LINKS = 32 };
    uint32_t pairs[MOST_LINKS + 1] = {0}, linked = 0, n = bench->hw->gpu_count;
    int32_t usual = 0;
    if (!may_compare_pairs(bench))
        return;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++) {
            int32_t count = count_of(link_to(bench, a, bus_of(bench, b)));
            if (count > 0 && count <= MOST_LINKS) {
                pairs[count]++;
                linked++;
            }
        }
    for (int32_t count = 1; count <= MOST_LINKS; count++)
        usual = pairs[count] > pairs[usual] ? count : usual;
    if (2 * pairs[usual] <= linked || 4 * linked < 3 * (n * (n - 1) / 2)) /* not a full mesh with a few gaps */
        return;
    for (uint32_t a = 0; a < n; a++)
        for (uint32_t b = 0; b < a; b++)
            if (count_of(link_to(bench, a, bus_of(bench, b))) < usual) {
                join(bench, a, b, usual);
                join(bench, b, a, usual);
            }
}

static void follow_mesh(struct orr_bench *bench)
{
    for (uint32_t a = 0; a < bench->hw->gpu_count; a++)
        for (uint32_t b = 0; b < bench->hw->gpu_count; b++)
            if (a != b)
                join(bench, a, b, bench->machine->board->mesh[a][b] - '0');
}

void orr_repair_nvlinks(struct orr_bench *bench)
{
    bool direct = false;
    for (uint32_t i = 0; i < bench->hw->slower_count; i++) {
        const struct orr_slower *row = &bench->hw->slower[i];
        if (row->kind != ORR_SLOWER_NVLINK)
            continue;
        if (is_switched(bench, row->best))
            copy_links(bench, row->element, row->best);
        else
            direct = true;
    }
    if (!direct)
        return;
    mirror(bench);
    if (has_board_mesh(bench))
        follow_mesh(bench);
    else
        fill_pairs(bench);
}

/* The links that are there are brought to the model's number; without any, they lead to switches that are not seen. */
static void fill_switched(struct orr_bench *bench, uint32_t i, int32_t wanted)
{
    int32_t has = 0, links = 0;
    for (struct orr_doc_node *link = gpu_node(bench, i)->first; link; link = link->after)
        if (orr_doc_is(link, "nvlink")) {
            has += count_of(link);
            links++;
        }
    if (!links) {
        add_link(bench, i, "fffffff:ffff:ff", wanted, "0x068000");
        return;
    }
    for (struct orr_doc_node *link = gpu_node(bench, i)->first; link && links && has < wanted; link = link->after)
        if (orr_doc_is(link, "nvlink")) {
            int32_t more = (wanted - has + links - 1) / links;
            set_count(bench, link, count_of(link) + more);
            has += more;
            links--;
        }
}

/* A bridge joins the GPU with the one to which it has a link; without any, with its neighbour by number. */
static void fill_pair(struct orr_bench *bench, uint32_t i, int32_t wanted)
{
    struct orr_doc_node *link = orr_doc_child(gpu_node(bench, i), "nvlink", NULL, NULL);
    if (link)
        set_count(bench, link, wanted);
    else if ((i ^ 1) < bench->hw->gpu_count)
        join(bench, i, i ^ 1, wanted);
}

void orr_repair_board_nvlinks(struct orr_bench *bench)
{
    const struct orr_gpu_board *board = bench->machine->board;
    if (!board || !bench->machine->proven_board || bench->machine->nvlinks <= 0)
        return;
    if (has_board_mesh(bench)) {
        follow_mesh(bench);
        return;
    }
    for (uint32_t i = 0; i < bench->hw->gpu_count; i++)
        if (board->fabric == ORR_FABRIC_SWITCH)
            fill_switched(bench, i, bench->machine->nvlinks);
        else if (board->fabric == ORR_FABRIC_PAIRS)
            fill_pair(bench, i, bench->machine->nvlinks);
}

/* Whether GPU i lists every target that GPU k lists. */
static bool lists_all_of(const struct orr_bench *bench, uint32_t i, uint32_t k)
{
    for (const struct orr_doc_node *link = gpu_node(bench, k)->first; link; link = link->after)
        if (orr_doc_is(link, "nvlink") && orr_doc_get(link, "target") &&
            !link_to(bench, i, orr_doc_get(link, "target")))
            return false;
    return true;
}

/* The links of the GPU whose list holds those of most others, for each GPU that lacks some of them. */
void orr_repair_targets(struct orr_bench *bench)
{
    const struct orr_hardware_facts *hw = bench->hw;
    uint32_t fullest = 0, most = 0;
    if (!hw->gpu_count || !may_compare_pairs(bench))
        return;
    for (uint32_t i = 0; i < hw->gpu_count; i++) {
        uint32_t held = 0;
        for (uint32_t k = 0; k < hw->gpu_count; k++)
            held += lists_all_of(bench, i, k);
        if (held > most) {
            fullest = i;
            most = held;
        }
    }
    for (uint32_t i = 0; i < hw->gpu_count; i++)
        if (is_switched(bench, hw->gpus[fullest]) && !lists_all_of(bench, i, fullest))
            copy_links(bench, hw->gpus[i], hw->gpus[fullest]);
}
