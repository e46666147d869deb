/* SPDX-License-Identifier: Apache-2.0 */
/* Finds hosts of a cluster that are built differently from most, device by device. */
#include <stdio.h>

#include "engine/base/sorting.h"
#include "engine/cluster/standing.h"
#include "engine/findings/phrases.h"

/* The aspects in which devices are compared. */
enum aspect { GPU_MODEL, GPU_NVLINKS, GPU_LINK, NIC_SPEED, NIC_LINK, NIC_GDR, RINGS, ASPECT_COUNT };

static const struct {
    const char *before; /* words between the device and its value */
    bool of_every_one;  /* every device has it, so that one without it is missing */
} aspects[ASPECT_COUNT] = {
    [GPU_MODEL] = {"of compute capability", true},
    [GPU_NVLINKS] = {"with", false},
    [GPU_LINK] = {"at", false},
    [NIC_SPEED] = {"with", true},
    [NIC_LINK] = {"at", false},
    [NIC_GDR] = {"with", false},
    [RINGS] = {"of type", false},
};

enum { NAME = 32, VALUE = 64 };

/* One device of a kind of host in one aspect. */
struct trait {
    enum aspect aspect;
    uint32_t kind, copy; /* copy: number of earlier devices with the same name, as in a domain of several hosts */
    uint32_t order;      /* of the device in its dump */
    char device[NAME], value[VALUE];
};

/* Hosts that deviate, all in the same way: `more` further devices are like the first. */
struct deviation {
    const struct trait *trait; /* their trait; if they lack the device, that of another host */
    const char *majority;      /* value of most hosts; NULL if most lack the device */
    uint32_t kind, more;
    bool missing;
};

struct comparison {
    struct orr_arena *arena;
    const struct orr_cluster *cluster;
    struct trait *traits;
    struct deviation *deviations;
    uint32_t count, deviation_count;
    unsigned capacity, deviation_capacity;
};

static void add_trait(struct comparison *c, enum aspect aspect, uint32_t kind, uint32_t order, const char *device,
                      const char *value)
{
    if (!ORR_RESERVE(c->arena, c->traits, c->count, c->capacity))
        return;
    struct trait *trait = &c->traits[c->count++];
    *trait = (struct trait){.aspect = aspect, .kind = kind, .order = order};
    snprintf(trait->device, sizeof trait->device, "%.*s", NAME - 1, device);
    snprintf(trait->value, sizeof trait->value, "%.*s", VALUE - 1, value);
}

/* "32 GT/s x16", with a narrower link above it. "" if the dump does not say. */
static void write_link(const struct orr_hardware_facts *hw, uint32_t element, char text[VALUE])
{
    uint32_t at = hw->card_of[element];
    const struct orr_card *card = at == ORR_NO_CARD ? NULL : &hw->cards[at], *narrow = card;
    text[0] = 0;
    if (!card || card->gbs <= 0)
        return;
    for (uint32_t above = card->above; above != ORR_NO_CARD; above = hw->cards[above].above)
        if (hw->cards[above].gbs > 0 && hw->cards[above].gbs < narrow->gbs)
            narrow = &hw->cards[above];
    int length = snprintf(text, VALUE, "%g GT/s x%d", (double)card->rate, card->width);
    if (narrow != card)
        snprintf(text + length, VALUE - (size_t)length, " below a link of %g GT/s x%d", (double)narrow->rate,
                 narrow->width);
}

static void describe_kind(struct comparison *c, uint32_t kind)
{
    const struct orr_analysis *a = c->cluster->kinds[kind].analysis;
    const struct orr_dump *dump = a->dump;
    const struct orr_graph *ring = &a->parts[0].contribution.graphs[ORR_GRAPH_RING];
    struct orr_hardware_facts hw;
    char name[NAME], value[VALUE];
    if (!orr_hardware_read(dump, c->arena, &hw))
        return;
    for (uint32_t i = 0; i < hw.gpu_count; i++) {
        uint32_t gpu = hw.gpus[i];
        if (!orr_element_text(dump, gpu, ORR_ATTR_RANK))
            continue;
        snprintf(name, sizeof name, "GPU %d", orr_element_int(dump, gpu, ORR_ATTR_DEV, 0));
        int32_t sm = orr_element_int(dump, gpu, ORR_ATTR_SM, 0), links = orr_gpu_nvlinks(dump, gpu);
        snprintf(value, sizeof value, "%d.%d", sm / 10, sm % 10);
        add_trait(c, GPU_MODEL, kind, gpu, name, value);
        snprintf(value, sizeof value, "%d NVLink%s", links, orr_plural(links));
        add_trait(c, GPU_NVLINKS, kind, gpu, name, value);
        write_link(&hw, gpu, value);
        if (value[0])
            add_trait(c, GPU_LINK, kind, gpu, name, value);
    }
    for (uint32_t i = 0; i < hw.net_count; i++) {
        uint32_t net = hw.nets[i];
        const char *net_name = orr_element_word(dump, net, ORR_ATTR_NAME);
        snprintf(value, sizeof value, "%g Gb/s", orr_element_int(dump, net, ORR_ATTR_SPEED, 0) / 1000.0);
        add_trait(c, NIC_SPEED, kind, net, net_name, value);
        write_link(&hw, net, value);
        if (value[0])
            add_trait(c, NIC_LINK, kind, net, net_name, value);
        snprintf(value, sizeof value, "gdr=\"%d\"", orr_element_int(dump, net, ORR_ATTR_GDR, 0));
        add_trait(c, NIC_GDR, kind, net, net_name, value);
    }
    snprintf(value, sizeof value, "%s inside and %s outside", orr_path_type_name(ring->type_intra),
             orr_path_type_name(ring->type_inter));
    add_trait(c, RINGS, kind, 0, "rings", value);
}

/* Whether two traits are about the same device on different hosts. */
static int compare_devices(const struct trait *a, const struct trait *b)
{
    ORR_BY(ORR_ORDER(a->aspect, b->aspect));
    ORR_BY(strcmp(a->device, b->device));
    return ORR_ORDER(a->copy, b->copy);
}

/* Sorts devices of one name by kind, so that copies can be numbered. */
ORR_COMPARATOR(compare_names, struct trait, compare_devices(a, b), ORR_ORDER(a->kind, b->kind),
               ORR_ORDER(a->order, b->order))

/* Sorts traits of one device by value. */
ORR_COMPARATOR(compare_values, struct trait, compare_devices(a, b), strcmp(a->value, b->value),
               ORR_ORDER(a->kind, b->kind))

static bool is_copy(const struct trait *a, const struct trait *before)
{
    return a->aspect == before->aspect && a->kind == before->kind && !strcmp(a->device, before->device);
}

/* Brings traits of one device of all kinds together. */
static void sort_traits(struct comparison *c)
{
    qsort(c->traits, c->count, sizeof *c->traits, compare_names);
    for (uint32_t i = 1; i < c->count; i++)
        if (is_copy(&c->traits[i], &c->traits[i - 1]))
            c->traits[i].copy = c->traits[i - 1].copy + 1;
    qsort(c->traits, c->count, sizeof *c->traits, compare_values);
}

static void note(struct comparison *c, const struct deviation *deviation)
{
    if (orr_kind_partial(c->cluster, deviation->kind))
        return; /* more hosts are in the domains of most */
    if (!ORR_RESERVE(c->arena, c->deviations, c->deviation_count, c->deviation_capacity))
        return;
    c->deviations[c->deviation_count++] = *deviation;
}

/* The end of the traits from..to-1 that have the value of the first, and the hosts that have it. */
static uint32_t same_value(const struct comparison *c, uint32_t from, uint32_t to, uint32_t *ret_hosts)
{
    uint32_t end = from;
    for (*ret_hosts = 0; end < to && !strcmp(c->traits[end].value, c->traits[from].value); end++)
        *ret_hosts += c->cluster->kinds[c->traits[end].kind].host_count;
    return end;
}

/* Notes the hosts with a value that at most a quarter of all hosts have, if more than half agree on another one. Traits
 * from..to-1 are those of one device, by value. */
static void vote(struct comparison *c, uint32_t from, uint32_t to)
{
    bool counts_missing = aspects[c->traits[from].aspect].of_every_one, has[ORR_MAX_CLUSTER_KINDS] = {false};
    uint32_t present = 0, most = 0, all = c->cluster->host_count, hosts;
    const char *majority = NULL;
    for (uint32_t i = from, end; i < to; i = end) {
        end = same_value(c, i, to, &hosts);
        present += hosts;
        if (hosts > most) {
            most = hosts;
            majority = c->traits[i].value;
        }
    }
    if (counts_missing && 2 * (all - present) > all) /* most have no such device */
        majority = NULL;
    else if (2 * most <= all)
        return;
    for (uint32_t i = from, end; i < to; i = end) {
        end = same_value(c, i, to, &hosts);
        for (uint32_t k = i; k < end; k++) {
            has[c->traits[k].kind] = true;
            if (4 * hosts <= all && (!majority || strcmp(c->traits[k].value, majority) != 0))
                note(c, &(struct deviation){&c->traits[k], majority, c->traits[k].kind, 0, false});
        }
    }
    for (uint32_t kind = 0; kind < c->cluster->kind_count; kind++)
        if (counts_missing && majority && !has[kind] && 4 * (all - present) <= all)
            note(c, &(struct deviation){&c->traits[from], majority, kind, 0, true});
}

/* Deviations of one kind and aspect that read the same come together, in the order of the devices. */
static int compare_readings(const struct deviation *a, const struct deviation *b)
{
    ORR_BY(ORR_ORDER(a->kind, b->kind));
    ORR_BY(ORR_ORDER(a->trait->aspect, b->trait->aspect));
    ORR_BY(ORR_ORDER(b->missing, a->missing));
    ORR_BY(ORR_ORDER(!a->majority, !b->majority));
    if (a->missing || !a->majority)
        return 0;
    ORR_BY(strcmp(a->trait->value, b->trait->value));
    return strcmp(a->majority, b->majority);
}

ORR_COMPARATOR(compare_deviations, struct deviation, compare_readings(a, b),
               ORR_ORDER(a->trait->order, b->trait->order))

static void add_deviation(const struct comparison *c, const struct deviation *d, struct orr_phrases *phrases)
{
    const struct orr_cluster_kind *kind = &c->cluster->kinds[d->kind];
    const char *before = aspects[d->trait->aspect].before, *device = d->trait->device;
    const bool one = kind->host_count == 1;
    char who[ORR_HOSTS_TEXT], more[32] = "";
    orr_kind_hosts_text(c->cluster, d->kind, who);
    if (d->more)
        snprintf(more, sizeof more, " and %u more", d->more);
    if (d->missing)
        orr_add_phrase(phrases, "%s %s no %s%s, which most have", who, one ? "has" : "have", device, more);
    else if (!d->majority)
        orr_add_phrase(phrases, "%s %s %s%s, which most lack", who, one ? "has" : "have", device, more);
    else
        orr_add_phrase(phrases, "%s %s %s%s %s %s, most %s %s", who, one ? "has" : "have", device, more, before,
                       d->trait->value, before, d->majority);
}

static void differs_from_majority(struct orr_finder *f)
{
    struct comparison c = {.arena = f->arena, .cluster = f->analysis->cluster};
    struct orr_phrases phrases = {.length = 0};
    if (!c.cluster || c.cluster->kind_count < 2)
        return;
    for (uint32_t k = 0; k < c.cluster->kind_count; k++)
        describe_kind(&c, k);
    if (c.count && !orr_arena_starved(c.arena))
        sort_traits(&c);
    for (uint32_t from = 0, to; from < c.count && !orr_arena_starved(c.arena); from = to) {
        for (to = from; to < c.count && !compare_devices(&c.traits[from], &c.traits[to]); to++)
            ;
        vote(&c, from, to);
    }
    if (!c.deviation_count || orr_arena_starved(c.arena))
        return;
    qsort(c.deviations, c.deviation_count, sizeof *c.deviations, compare_deviations);
    for (uint32_t i = 0, next; i < c.deviation_count; i = next) {
        for (next = i + 1; next < c.deviation_count && !compare_readings(&c.deviations[i], &c.deviations[next]); next++)
            c.deviations[i].more++;
        /* Different devices make different rings. */
        if (c.deviations[i].trait->aspect != RINGS || !i || c.deviations[i - 1].kind != c.deviations[i].kind)
            add_deviation(&c, &c.deviations[i], &phrases);
    }
    orr_say_phrases(f, &phrases);
}

const struct orr_finding_row orr_findings_hosts[] = {
    {ORR_FINDING("cluster-odd-host", "L90", WARNING, ANALYSIS, differs_from_majority),
     .title = "Some hosts differ from the majority",
     .why = "All hosts use the number of channels and the bandwidth of the weakest host.",
     .advice = "Check the named devices on these hosts: a failed or slower device, or a different BIOS setting. "
               "`orrery compare` shows everything in which two hosts differ.",
     .commands = {"lspci -tv", "nvidia-smi topo -m"}, .references = {"NVIDIA/nccl#856", "NVIDIA/nccl#1277"}},
    {0},
};
