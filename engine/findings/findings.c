/* The rows in turn, over a dump that was looked through once. */
#include "engine/findings/findings.h"

#include <stdarg.h>
#include <stdio.h>

#include "engine/base/budget.h"
#include "engine/findings/finder.h"

static const struct orr_finding_row *const families[] = {
    orr_findings_ranks, orr_findings_input, orr_findings_pci,     orr_findings_nvlink,
    orr_findings_p2p,   orr_findings_net,   orr_findings_graph,   orr_findings_routes,
    orr_findings_cpu,   orr_findings_log,   orr_findings_cluster, orr_findings_fabric,
};
enum { FAMILY_COUNT = sizeof families / sizeof families[0] };

const struct orr_finding_row *orr_finding_row(size_t i)
{
    for (size_t family = 0; family < FAMILY_COUNT; family++)
        for (const struct orr_finding_row *row = families[family]; row->id; row++)
            if (!i--)
                return row;
    return NULL;
}

const struct orr_undecided *orr_undecided(size_t i)
{
    for (const struct orr_undecided *row = orr_undecided_rows; row->catalogue; row++)
        if (!i--)
            return row;
    return NULL;
}

const char *orr_severity_name(enum orr_severity severity)
{
    static const char *const names[ORR_SEVERITY_COUNT] = {"error", "warning", "info"};
    return names[severity];
}

void orr_say(struct orr_finder *f, const char *format, ...)
{
    char text[320];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    /* A value that was cut in the middle of a character is the JSON writer's to mend. */
    f->at->detail = orr_arena_strndup(f->arena, text, strlen(text));
    f->starved |= !f->at->detail;
}

/* The next place to fill; NULL: there is no room for more. */
static struct orr_finding_place *new_place(struct orr_finder *f)
{
    if (f->at->place_count == ORR_FINDING_PLACES) {
        f->at->more_places++;
        return NULL;
    }
    return &f->at->places[f->at->place_count++];
}

static void place_in_file(const struct orr_finder *f, uint32_t element, struct orr_finding_place *place)
{
    place->element = element;
    if (element == ORR_NO_ELEMENT)
        return;
    const struct orr_element *at = &f->dump->elements[element];
    place->line = at->line;
    place->column = at->column;
    const char *device = orr_attr_of(f, element, at->kind == ORR_ELEMENT_NET ? ORR_ATTR_NAME : ORR_ATTR_NUMAID);
    if (at->kind != ORR_ELEMENT_NET && at->kind != ORR_ELEMENT_CPU)
        device = f->card_of[element] == UINT32_MAX
                     ? ""
                     : orr_attr_of(f, f->cards[f->card_of[element]].element, ORR_ATTR_BUSID);
    snprintf(place->device, sizeof place->device, "%s%.30s", at->kind == ORR_ELEMENT_CPU ? "NUMA " : "", device);
}

/* The node that an element became: its own, else the first of its card. */
static uint32_t node_of(const struct orr_finder *f, uint32_t element)
{
    const struct orr_system *system = &f->analysis->built;
    uint32_t found = ORR_NO_NODE, card = f->card_of[element];
    for (uint32_t i = 0; i < system->node_count; i++) {
        uint32_t made_by = system->nodes[i].element;
        if (made_by == element)
            return i;
        if (found == ORR_NO_NODE && made_by != ORR_NO_ELEMENT && card != UINT32_MAX && f->card_of[made_by] == card)
            found = i;
    }
    return found;
}

void orr_point(struct orr_finder *f, uint32_t element)
{
    struct orr_finding_place *place = new_place(f);
    if (!place)
        return;
    place_in_file(f, element, place);
    uint32_t node = f->analysis && element != ORR_NO_ELEMENT ? node_of(f, element) : ORR_NO_NODE;
    if (node != ORR_NO_NODE)
        orr_system_node_id(&f->analysis->built, node, place->node);
}

void orr_point_node(struct orr_finder *f, const struct orr_system *system, uint32_t node)
{
    struct orr_finding_place *place = new_place(f);
    if (!place)
        return;
    place_in_file(f, system->nodes[node].element, place);
    orr_system_node_id(system, node, place->node);
}

void orr_point_rank(struct orr_finder *f, int32_t rank)
{
    const struct orr_system *system = &f->analysis->built;
    for (uint32_t i = system->first[ORR_GPU]; i < system->first[ORR_GPU + 1]; i++)
        if (system->nodes[i].gpu.rank == rank) {
            orr_point_node(f, system, i);
            return;
        }
}

float orr_card_gbs(const struct orr_card *card)
{
    float coding = card->rate > 5 ? 128.0f / 130.0f : 0.8f;
    return card->rate * (float)card->width * coding / 8;
}

int32_t orr_nvlinks_of(const struct orr_finder *f, uint32_t gpu)
{
    int64_t sum = 0;
    for (uint32_t i = f->dump->elements[gpu].first_child; i != ORR_NO_ELEMENT; i = f->dump->elements[i].next_sibling)
        if (f->dump->elements[i].kind == ORR_ELEMENT_NVLINK)
            sum += orr_element_int(f->dump, i, ORR_ATTR_COUNT_, 0);
    return sum > 0 && sum < INT32_MAX ? (int32_t)sum : 0;
}

bool orr_net_is_rdma(const struct orr_finder *f, uint32_t net)
{
    static const char *const prefixes[] = {"mlx", "bnxt_re", "irdma", "hns_", "rdma", "roce", "ibp", "efa", "qedr"};
    const char *name = orr_attr_of(f, net, ORR_ATTR_NAME);
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++)
        if (!strncmp(name, prefixes[i], strlen(prefixes[i])))
            return true;
    return false;
}

const char *orr_host_of(const struct orr_finder *f, uint32_t element)
{
    while (element != ORR_NO_ELEMENT && f->dump->elements[element].kind != ORR_ELEMENT_CPU)
        element = f->dump->elements[element].parent;
    return orr_attr_of(f, element, ORR_ATTR_HOST_HASH);
}

static uint64_t identity_of(const struct orr_finder *f, uint32_t element)
{
    static const enum orr_attr parts[] = {ORR_ATTR_VENDOR, ORR_ATTR_DEVICE, ORR_ATTR_SUBSYSTEM_VENDOR,
                                          ORR_ATTR_SUBSYSTEM_DEVICE};
    uint64_t identity = 0;
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        identity = identity << 16 | (strtoul(orr_attr_of(f, element, parts[i]), NULL, 16) & 0xffff);
    return identity;
}

static void read_card(struct orr_finder *f, uint32_t element, uint32_t above)
{
    struct orr_card *card = &f->cards[f->card_count];
    float rate = strtof(orr_attr_of(f, element, ORR_ATTR_LINK_SPEED), NULL);
    int32_t width = orr_element_int(f->dump, element, ORR_ATTR_LINK_WIDTH, 0);
    *card = (struct orr_card){
        .element = element,
        .gpu = ORR_NO_ELEMENT,
        .above = above,
        .depth = above == UINT32_MAX ? 0 : f->cards[above].depth + 1,
        .identity = identity_of(f, element),
        .width = width > 0 && width <= 64 ? width : 0,
        .rate = rate > 0 && rate < 1000 ? rate : 0,
    };
    f->card_of[element] = f->card_count++;
}

/* Elements stand in document order, so what is around one comes before it. */
static bool look_through(struct orr_finder *f)
{
    uint32_t count = f->dump->element_count;
    f->cards = ORR_NEW(f->arena, struct orr_card, count);
    f->gpus = ORR_NEW(f->arena, uint32_t, count);
    f->nets = ORR_NEW(f->arena, uint32_t, count);
    f->cpus = ORR_NEW(f->arena, uint32_t, count);
    f->card_of = ORR_NEW(f->arena, uint32_t, count);
    if (!f->cards || !f->gpus || !f->nets || !f->cpus || !f->card_of)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_element *element = &f->dump->elements[i];
        uint32_t above = element->parent == ORR_NO_ELEMENT ? UINT32_MAX : f->card_of[element->parent];
        f->card_of[i] = above;
        struct orr_card *card = above == UINT32_MAX ? NULL : &f->cards[above];
        if (element->kind == ORR_ELEMENT_PCI) {
            read_card(f, i, above);
        } else if (element->kind == ORR_ELEMENT_CPU) {
            f->cpus[f->cpu_count++] = i;
        } else if (element->kind == ORR_ELEMENT_GPU) {
            f->gpus[f->gpu_count++] = i;
            if (card) {
                card->gpu = i;
                card->gpus_at++;
            }
        } else if (element->kind == ORR_ELEMENT_NET) {
            int32_t speed = orr_element_int(f->dump, i, ORR_ATTR_SPEED, 0);
            f->nets[f->net_count++] = i;
            if (card) {
                card->nets_at++;
                card->gbps_at += speed > 0 ? (float)speed / 1000 : 0;
            }
        }
    }
    for (uint32_t i = f->card_count; i-- > 0;) {
        struct orr_card *card = &f->cards[i];
        card->gpus += card->gpus_at;
        card->nets += card->nets_at;
        card->gbps += card->gbps_at;
        if (card->above == UINT32_MAX)
            continue;
        f->cards[card->above].gpus += card->gpus;
        f->cards[card->above].nets += card->nets;
        f->cards[card->above].gbps += card->gbps;
    }
    return true;
}

/* The rows in the order of their severity. */
static enum orr_code find_rows(struct orr_finder *f, struct orr_findings *ret_findings, struct orr_error *err)
{
    size_t row_count = 0;
    uint32_t count = 0;
    orr_budget_stage("findings");
    while (orr_finding_row(row_count))
        row_count++;
    struct orr_finding *found = ORR_NEW(f->arena, struct orr_finding, row_count);
    if (!found || (f->dump && !look_through(f)))
        return orr_fail_nomem(err);
    for (int severity = 0; severity < ORR_SEVERITY_COUNT; severity++)
        for (size_t family = 0; family < FAMILY_COUNT; family++)
            for (const struct orr_finding_row *row = families[family]; row->id; row++) {
                if ((int)row->severity != severity || (row->of_analysis && !f->analysis) ||
                    row->of_log != (f->log != NULL))
                    continue;
                f->at = &found[count];
                *f->at = (struct orr_finding){.row = row};
                row->find(f);
                ORR_TRY(orr_budget_check(err));
                if (f->starved)
                    return orr_fail_nomem(err);
                count += f->at->detail != NULL;
            }
    *ret_findings = (struct orr_findings){.rows = found, .count = count};
    return ORR_OK;
}

enum orr_code orr_find(const struct orr_dump *dump, const struct orr_analysis *analysis, struct orr_arena *arena,
                       struct orr_findings *ret_findings, struct orr_error *err)
{
    struct orr_finder f = {.dump = dump, .analysis = analysis, .arena = arena};
    return find_rows(&f, ret_findings, err);
}

enum orr_code orr_find_in_log(const struct orr_log *log, const struct orr_log_check *check, struct orr_arena *arena,
                              struct orr_findings *ret_findings, struct orr_error *err)
{
    struct orr_finder f = {.log = log, .check = check, .arena = arena};
    if (check) {
        f.analysis = check->analysis;
        f.dump = check->analysis->dump;
    }
    return find_rows(&f, ret_findings, err);
}
