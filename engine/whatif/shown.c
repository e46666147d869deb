/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/whatif/shown.h"

#include <stdio.h>

static struct orr_shown text_of(const char *name)
{
    struct orr_shown shown = {.kind = ORR_SHOWN_TEXT};
    snprintf(shown.text, sizeof shown.text, "%s", name);
    return shown;
}

static struct orr_shown int_of(int64_t integer)
{
    return (struct orr_shown){.kind = ORR_SHOWN_INT, .integer = integer};
}

static struct orr_shown node_of(const struct orr_system *system, uint32_t node)
{
    struct orr_shown shown = {.kind = ORR_SHOWN_TEXT};
    orr_system_node_id(system, node, shown.text);
    return shown;
}

static struct orr_shown device_of(const struct orr_changes *changes, uint32_t subject)
{
    const struct orr_system *system;
    uint32_t node, own = orr_subject_own(changes->names, subject);
    if (orr_subject_find(changes->a, subject, &system, &node) ||
        (own != UINT32_MAX && orr_subject_find(changes->b, own, &system, &node)))
        return node_of(system, node);
    return (struct orr_shown){.kind = ORR_SHOWN_NONE};
}

uint32_t orr_change_place(const struct orr_changes *changes, const struct orr_fact *fact,
                          struct orr_place_member members[ORR_PLACE_MEMBERS])
{
    uint32_t count = 0;
    const struct orr_release *release = changes->b->query.settings.release;
    if (changes->b->tuning.algorithm_count < changes->a->tuning.algorithm_count)
        release = changes->a->query.settings.release;
#define ORR_ADD(called, shown)                                                                                         \
    members[count++] = (struct orr_place_member)                                                                       \
    {                                                                                                                  \
        called, shown                                                                                                  \
    }
    switch (orr_fact_info((enum orr_fact_kind)fact->kind)->place) {
    case ORR_PLACE_WHOLE:
        break;
    case ORR_PLACE_DEVICE:
        ORR_ADD("device", device_of(changes, fact->a));
        break;
    case ORR_PLACE_LINK:
        ORR_ADD("type", text_of(orr_link_type_name((enum orr_link_type)fact->detail)));
        /* fall through */
    case ORR_PLACE_PAIR:
        ORR_ADD("from", device_of(changes, fact->a));
        ORR_ADD("to", device_of(changes, fact->b));
        break;
    case ORR_PLACE_RANKS:
        ORR_ADD("a", int_of(fact->a));
        ORR_ADD("b", int_of(fact->b));
        break;
    case ORR_PLACE_RANK_NET:
        ORR_ADD("rank", int_of(fact->a));
        ORR_ADD("net", device_of(changes, fact->b));
        break;
    case ORR_PLACE_RANK_CHANNEL:
        ORR_ADD("rank", int_of(fact->a));
        ORR_ADD("channel", int_of(fact->b));
        break;
    case ORR_PLACE_GRAPH_CHANNEL:
        ORR_ADD("channel", int_of(fact->a));
        /* fall through */
    case ORR_PLACE_GRAPH:
        ORR_ADD("graph", text_of(orr_graph_name(release, (enum orr_graph_kind)fact->detail)));
        break;
    case ORR_PLACE_CHANNEL:
        ORR_ADD("channel", int_of(fact->a));
        break;
    case ORR_PLACE_COST:
        ORR_ADD("function", text_of(orr_function_name(fact->detail)));
        /* fall through */
    case ORR_PLACE_PROTOCOL:
        ORR_ADD("algorithm", text_of(orr_algorithm_name(release, (enum orr_algorithm)fact->a)));
        ORR_ADD("protocol", text_of(orr_protocol_name((enum orr_protocol)fact->b)));
        break;
    case ORR_PLACE_SIZE:
        ORR_ADD("function", text_of(orr_function_name(fact->detail)));
        ORR_ADD("bytes", int_of((int64_t)1 << fact->a));
        break;
    }
#undef ORR_ADD
    return count;
}

static void ranks_of(const int32_t *ranks, uint32_t count, struct orr_shown_value *value)
{
    for (uint32_t i = 0; i < count && i < ORR_SHOWN_ITEMS; i++)
        value->items[value->count++] = int_of(ranks[i]);
}

/* The devices of a path; false if this side has no such path. */
static bool hops_of(const struct orr_changes *changes, const struct orr_analysis *analysis, const struct orr_fact *fact,
                    struct orr_shown_value *value)
{
    const struct orr_system *system;
    const struct orr_fact_names *names = analysis == changes->b ? changes->names : NULL;
    uint32_t a = orr_subject_own(names, fact->a), b = orr_subject_own(names, fact->b), from, to;
    if (a == UINT32_MAX || b == UINT32_MAX || !orr_subject_find(analysis, a, &system, &from) ||
        !orr_subject_find(analysis, b, &system, &to))
        return false;
    const struct orr_paths *paths = NULL;
    for (uint32_t p = 0; p < analysis->part_count; p++)
        if (&analysis->parts[p].system == system)
            paths = &analysis->parts[p].paths;
    if (!paths || to >= system->node_count || !orr_paths_has(paths, from) || !orr_paths_has(paths, to))
        return false;
    const struct orr_path *path = orr_path(paths, from, to);
    for (uint32_t i = 0; i < path->hops && i < ORR_SHOWN_ITEMS; i++)
        value->items[value->count++] = node_of(system, orr_path_node(paths, path, i));
    return true;
}

/* An arrangement of one side, for the first of the places. */
static bool order_of(const struct orr_changes *changes, const struct orr_analysis *analysis,
                     const struct orr_fact *fact, struct orr_shown_value *value)
{
    const struct orr_communicator *c = &analysis->communicator;
    const struct orr_graph *graph =
        &analysis->parts[0].contribution.graphs[fact->detail < ORR_GRAPH_COUNT ? fact->detail : 0];
    size_t channel = fact->a;
    switch (fact->kind) {
    case ORR_FACT_PATH_ROUTE:
        return hops_of(changes, analysis, fact, value);
    case ORR_FACT_GRAPH_ORDER:
        ranks_of(graph->gpus + channel * graph->gpu_count, graph->row_count, value);
        return true;
    case ORR_FACT_GRAPH_NETS:
        for (int end = 0; end < 2; end++) {
            struct orr_shown *item = &value->items[value->count++];
            item->kind = ORR_SHOWN_TEXT;
            orr_node_id_format(ORR_NET, graph->nets[channel][end], item->text);
        }
        return true;
    case ORR_FACT_RING:
        ranks_of(c->rings[c->source[channel]], c->rank_count, value);
        return true;
    case ORR_FACT_TREE:
        ranks_of(c->trees[c->source[channel]].up, c->rank_count, value);
        return true;
    case ORR_FACT_CHAIN:
        ranks_of(c->collnet_chains[c->source[channel]].up, c->rank_count, value);
        return true;
    case ORR_FACT_NVLS_TREE:
        ranks_of(orr_nvls_tree_of(c, (int32_t)channel)->up, c->rank_count, value);
        return true;
    case ORR_FACT_NVLS_HEADS:
        ranks_of(c->nvls_heads, (uint32_t)c->nvls_head_count, value);
        return true;
    default:
        return false;
    }
}

static struct orr_shown single(const struct orr_changes *changes, const struct orr_analysis *analysis,
                               enum orr_fact_unit unit, int64_t value)
{
    struct orr_shown shown = {.kind = ORR_SHOWN_TEXT};
    switch (unit) {
    case ORR_UNIT_FLAG:
    case ORR_UNIT_NUMBER:
        return int_of(value);
    case ORR_UNIT_FLOAT:
        return (struct orr_shown){.kind = ORR_SHOWN_FLOAT, .number = (double)orr_fact_float(value)};
    case ORR_UNIT_PATH_TYPE:
        return text_of(orr_path_type_name((enum orr_path_type)value));
    case ORR_UNIT_DEVICE:
        return device_of(changes, (uint32_t)value);
    case ORR_UNIT_PATTERN:
        return text_of(orr_pattern_name((enum orr_pattern)value));
    case ORR_UNIT_CHOICE:
        snprintf(shown.text, sizeof shown.text, "%s %s",
                 orr_algorithm_name(analysis->query.settings.release, (enum orr_algorithm)(value / ORR_PROTOCOL_COUNT)),
                 orr_protocol_name((enum orr_protocol)(value % ORR_PROTOCOL_COUNT)));
        return shown;
    case ORR_UNIT_ORDER:
        break;
    }
    return (struct orr_shown){.kind = ORR_SHOWN_NONE};
}

void orr_change_value(const struct orr_changes *changes, const struct orr_change *change, bool side_b,
                      struct orr_shown_value *ret_value)
{
    const struct orr_analysis *analysis = side_b ? changes->b : changes->a;
    const enum orr_fact_unit unit = orr_fact_info(change->kind)->unit;
    const int64_t value = side_b ? change->b : change->a;
    *ret_value = (struct orr_shown_value){.list = unit == ORR_UNIT_ORDER && value != ORR_FACT_ABSENT};
    if (ret_value->list && order_of(changes, analysis, &change->places[0], ret_value))
        return;
    ret_value->list = false;
    ret_value->count = 1;
    if (value != ORR_FACT_ABSENT)
        ret_value->items[0] = single(changes, analysis, unit, value);
}

/* For people; the names in JSON are those of orr_fact_section_name(). */
static const char *const section_words[ORR_SECTION_COUNT] = {"the system",      "paths",  "P2P",      "GPUDirect RDMA",
                                                             "the ranks' NICs", "graphs", "channels", "tuning"};

void orr_changed_sections(const struct orr_changes *changes, struct orr_text *text)
{
    const char *separator = " ";
    for (int s = 0; s < ORR_SECTION_COUNT; s++)
        if (changes->section_changed[s]) {
            orr_text_printf(text, "%s%zu of %s", separator, changes->section_changed[s], section_words[s]);
            separator = ", ";
        }
    orr_text_puts(text, ".");
}

void orr_changes_summary(const struct orr_changes *changes, struct orr_text *text)
{
    if (changes->outcomes[0].host_count) {
        orr_outcomes_say(&changes->outcomes[0], &changes->outcomes[1], text);
        orr_text_puts(text, " ");
    }
    if (!changes->changed) {
        orr_text_printf(text, "Nothing changes: all %zu facts are the same.", changes->facts);
        return;
    }
    orr_text_printf(text, "%zu of %zu facts change:", changes->changed, changes->facts);
    orr_changed_sections(changes, text);
}

void orr_changes_outcomes(const struct orr_changes *changes, const char *sides, struct orr_text *text)
{
    if (changes->outcomes[0].host_count)
        orr_outcomes_write(&changes->outcomes[0], &changes->outcomes[1], sides, text);
}
