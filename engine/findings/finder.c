/* SPDX-License-Identifier: Apache-2.0 */
/* Functions with which rows report what they found, and where. */
#include "engine/findings/finder.h"

#include <stdarg.h>
#include <stdio.h>

void orr_say(struct orr_finder *f, const char *format, ...)
{
    enum { MOST = 640 }; /* a value may be cut inside a character, which the JSON writer corrects */
    va_list args;
    va_start(args, format);
    f->at->detail = orr_arena_vprintf(f->arena, MOST, format, args);
    va_end(args);
}

void orr_say_remedy(struct orr_finder *f, const char *title, const char *advice, const char *command)
{
    const char **commands = command ? ORR_NEW(f->arena, const char *, 2) : NULL;
    f->at->title = title ? title : f->at->title;
    f->at->advice = advice ? advice : f->at->advice;
    if (commands) {
        commands[0] = command;
        f->at->commands = commands;
    }
}

/* The next place to fill; NULL if there is no room for more. */
static struct orr_finding_place *new_place(struct orr_finder *f)
{
    if (f->at->place_count == ORR_FINDING_PLACES) {
        f->at->more_places++;
        return NULL;
    }
    return &f->at->places[f->at->place_count++];
}

/* The name of a card's only port, by which people know the NIC; "" of other devices. */
static const char *only_port(const struct orr_finder *f, uint32_t element)
{
    const uint32_t at = f->hw.card_of[element];
    const struct orr_card *card = at == ORR_NO_CARD ? NULL : &f->hw.cards[at];
    const bool own = card && card->element == element && card->kind == ORR_CARD_NIC && card->nets == 1;
    return own && !card->bridge_class ? orr_attr_of(f, card->net, ORR_ATTR_NAME) : "";
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
        device = f->hw.card_of[element] == UINT32_MAX
                     ? ""
                     : orr_attr_of(f, f->hw.cards[f->hw.card_of[element]].element, ORR_ATTR_BUSID);
    snprintf(place->device, sizeof place->device, "%s%.30s", at->kind == ORR_ELEMENT_CPU ? "NUMA " : "", device);
    const char *port = only_port(f, element);
    snprintf(place->name, sizeof place->name, "%.30s", *port ? port : place->device);
}

void orr_point(struct orr_finder *f, uint32_t element)
{
    struct orr_finding_place *place = new_place(f);
    if (!place)
        return;
    place_in_file(f, element, place);
    uint32_t node = f->node_of && element != ORR_NO_ELEMENT ? f->node_of[element] : ORR_NO_NODE;
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
    uint32_t node = orr_gpu_of_rank(&f->analysis->built, rank);
    if (node != ORR_NO_NODE)
        orr_point_node(f, &f->analysis->built, node);
}

const char *orr_host_of(const struct orr_finder *f, uint32_t element)
{
    while (element != ORR_NO_ELEMENT && f->dump->elements[element].kind != ORR_ELEMENT_CPU)
        element = f->dump->elements[element].parent;
    return orr_attr_of(f, element, ORR_ATTR_HOST_HASH);
}

void orr_name_device(const struct orr_finder *f, uint32_t element, char text[ORR_FOUND_NAME_SIZE])
{
    enum orr_element_kind kind = f->dump->elements[element].kind;
    enum orr_attr attr = kind == ORR_ELEMENT_GPU   ? ORR_ATTR_DEV
                         : kind == ORR_ELEMENT_NET ? ORR_ATTR_NAME
                                                   : ORR_ATTR_BUSID;
    uint32_t node = f->node_of ? f->node_of[element] : ORR_NO_NODE;
    const char *port = only_port(f, element);
    if (*port)
        snprintf(text, ORR_FOUND_NAME_SIZE, "%.20s (%.20s)", port, orr_attr_of(f, element, attr));
    else
        snprintf(text, ORR_FOUND_NAME_SIZE, "%s%.40s", kind == ORR_ELEMENT_GPU ? "GPU " : "",
                 orr_attr_of(f, element, attr));
    size_t length = strlen(text);
    if (node != ORR_NO_NODE && f->analysis->built.host_count > 1)
        snprintf(text + length, ORR_FOUND_NAME_SIZE - length, " of host %u",
                 orr_id_system(f->analysis->built.nodes[node].id));
}

void orr_name_node(const struct orr_finder *f, const struct orr_system *system, uint32_t node,
                   char text[ORR_FOUND_NAME_SIZE])
{
    char id[ORR_NODE_ID_SIZE];
    uint32_t element = system->nodes[node].element;
    if (element != ORR_NO_ELEMENT && f->dump->elements[element].kind != ORR_ELEMENT_CPU)
        orr_name_device(f, element, text);
    else
        snprintf(text, ORR_FOUND_NAME_SIZE, "%s", orr_system_node_id(system, node, id));
}

/* "16 GT/s x8 (15.8 GB/s)", "11 NVLinks". */
static void write_value(const struct orr_finder *f, enum orr_slower_kind kind, uint32_t element, float value,
                        char text[48])
{
    static const char *const units[ORR_SLOWER_KIND_COUNT] = {
        [ORR_SLOWER_C2C] = "GB/s of C2C", [ORR_SLOWER_NVLINK] = "NVLinks", [ORR_SLOWER_PORT] = "Gb/s"};
    const struct orr_card *card = &f->hw.cards[f->hw.card_of[element]];
    if (kind == ORR_SLOWER_PCIE && !card->width)
        snprintf(text, 48, "%g GT/s, width unknown", (double)card->rate);
    else if (kind == ORR_SLOWER_PCIE)
        snprintf(text, 48, "%g GT/s x%d (%.3g GB/s)", (double)card->rate, card->width, (double)card->gbs);
    else
        snprintf(text, 48, "%g %.*s", (double)value, kind == ORR_SLOWER_NVLINK && value == 1 ? 6 : 16, units[kind]);
}

void orr_say_slower(struct orr_finder *f, enum orr_slower_kind kind)
{
    for (uint32_t i = 0; i < f->hw.slower_count; i++) {
        const struct orr_slower *row = &f->hw.slower[i];
        if (row->kind != kind)
            continue;
        char name[ORR_FOUND_NAME_SIZE], best[ORR_FOUND_NAME_SIZE];
        orr_name_device(f, row->element, name);
        orr_name_device(f, row->best, best);
        if (!f->at->detail && kind == ORR_SLOWER_PORT && row->has <= 0) {
            orr_say(f, "%s has no speed: speed=\"%.20s\"", name, orr_attr_of(f, row->element, ORR_ATTR_SPEED));
        } else if (!f->at->detail) {
            char has[48], equals_have[48];
            write_value(f, kind, row->element, row->has, has);
            write_value(f, kind, row->best, row->best_has, equals_have);
            orr_say(f, "%s has %s; %s, an equal device, has %s", name, has, best, equals_have);
        }
        orr_point(f, row->element);
    }
}

/* Sorts the rows by severity. */
