/* SPDX-License-Identifier: Apache-2.0 */
/* Two dumps compared, as JSON. */
#include "api/documents/sections.h"
#include "engine/base/sorting.h"
#include "engine/compare/compare.h"

#include <stdlib.h>

/* A device of one side. node: its id in the analysis, null if it did not become a node. */
static json_t *device_json(struct orr_json *json, const struct orr_devices *devices, uint32_t device,
                           const struct orr_system *built)
{
    char name[ORR_DEVICE_NAME_SIZE];
    if (device == ORR_NO_DEVICE)
        return json_null();
    const struct orr_device *d = &devices->rows[device];
    json_t *object = ORR_OBJECT(json, ORR_STRING("kind", orr_device_kind_name(d->kind)),
                                ORR_STRING("name", orr_device_text(devices, device, name)));
    if (built) {
        uint32_t node = orr_device_node(devices, device, built);
        orr_json_set(json, object, "node", node == ORR_NO_NODE ? json_null() : orr_json_node_of(json, built, node));
    }
    if (d->element != ORR_NO_ELEMENT)
        orr_json_set(json, object, "line", orr_json_int(json, devices->dump->elements[d->element].line));
    return object;
}

static json_t *value_json(struct orr_json *json, const char *value)
{
    return *value ? orr_json_text(json, value) : json_null();
}

static json_t *unlike_json(struct orr_json *json, const struct orr_comparison *c, const struct orr_unlike *row)
{
    json_t *object = orr_json_object(json);
    const struct orr_system *a = &c->a->built, *b = &c->b->built;
    ORR_SET(json, object, ORR_STRING("what", orr_unlike_name(row)), ORR_STRING("text", orr_unlike_text(row)),
            ORR_VALUE("device_a", device_json(json, &c->devices_a, row->a, a)),
            ORR_VALUE("device_b", device_json(json, &c->devices_b, row->b, b)));
    if (row->kind == ORR_UNLIKE_NVLINKS || row->kind == ORR_UNLIKE_MOVED) {
        ORR_SET(json, object, ORR_VALUE("other_a", device_json(json, &c->devices_a, row->peer_a, a)),
                ORR_VALUE("other_b", device_json(json, &c->devices_b, row->peer_b, b)));
    }
    ORR_SET(json, object, ORR_VALUE("a", value_json(json, row->value_a)),
            ORR_VALUE("b", value_json(json, row->value_b)));
    if (row->kind <= ORR_UNLIKE_ADDED)
        ORR_SET(json, object, ORR_INT("gpus", row->gpus), ORR_INT("nets", row->nets));
    return object;
}

/* Rows from..to-1: {count, rows, left_out}. */
static json_t *unlikes_json(struct orr_json *json, const struct orr_comparison *c, uint32_t from, uint32_t to)
{
    json_t *rows = orr_json_array(json);
    uint32_t listed = to - from < ORR_COMPARE_ROWS ? to - from : ORR_COMPARE_ROWS;
    for (uint32_t i = 0; i < listed; i++)
        orr_json_add(json, rows, unlike_json(json, c, &c->unlikes.rows[from + i]));
    return ORR_OBJECT(json, ORR_INT("count", to - from), ORR_VALUE("rows", rows),
                      ORR_INT("left_out", to - from - listed));
}

struct named_node { /* sorted by name */
    uint32_t subject, node;
};

ORR_COMPARATOR(compare_nodes, struct named_node, ORR_ORDER(a->subject, b->subject), ORR_ORDER(a->node, b->node))

static struct named_node *nodes_of(struct orr_json *json, const struct orr_system *built,
                                   const struct orr_fact_names *names)
{
    const struct orr_fact_list list = {.names = names};
    struct named_node *nodes = calloc((size_t)built->node_count + 1, sizeof *nodes);
    json->failed |= !nodes;
    for (uint32_t i = 0; nodes && i < built->node_count; i++)
        nodes[i] = (struct named_node){orr_fact_subject(&list, built, i), i};
    if (nodes)
        qsort(nodes, built->node_count, sizeof *nodes, compare_nodes);
    return nodes;
}

/* The pairs of nodes of a and b that match: [[id, id], ...], null for a device that a side lacks. */
static json_t *match_json(struct orr_json *json, const struct orr_comparison *c)
{
    const struct orr_system *a = &c->a->built, *b = &c->b->built;
    struct named_node *of_a = nodes_of(json, a, NULL), *of_b = nodes_of(json, b, &c->names);
    json_t *pairs = orr_json_array(json);
    for (uint32_t i = 0, j = 0; of_a && of_b && (i < a->node_count || j < b->node_count);) {
        int order = i == a->node_count ? 1 : -1;
        if (i < a->node_count && j < b->node_count)
            order = ORR_ORDER(of_a[i].subject, of_b[j].subject);
        json_t *pair = orr_json_array(json);
        orr_json_add(json, pair, order <= 0 ? orr_json_node_of(json, a, of_a[i].node) : json_null());
        orr_json_add(json, pair, order >= 0 ? orr_json_node_of(json, b, of_b[j].node) : json_null());
        orr_json_add(json, pairs, pair);
        i += order <= 0;
        j += order >= 0;
    }
    free(of_a);
    free(of_b);
    return pairs;
}

static json_t *side_json(struct orr_json *json, const struct orr_analysis *analysis, const struct orr_called *called)
{
    return ORR_OBJECT(json, ORR_STRING("topology", called->topology),
                      ORR_STRING("name", called->name ? called->name : ""),
                      ORR_VALUE("machine", orr_machine_json(json, analysis->dump)), ORR_INT("ranks", analysis->ranks),
                      ORR_INT("local_ranks", analysis->local_ranks));
}

static json_t *summary_json(struct orr_json *json, const struct orr_comparison *c)
{
    ORR_LOCAL_TEXT(text, 1024);
    orr_comparison_summary(c, &text);
    json_t *value = orr_json_text_of(json, &text);
    return value;
}

json_t *orr_compare_json(struct orr_json *json, const struct orr_comparison *c, const struct orr_called *a,
                         const struct orr_called *b)
{
    uint32_t hardware = c->unlikes.count - c->unlikes.numbering;
    const struct orr_release *release = c->a->query.settings.release;
    return ORR_OBJECT(
        json, ORR_STRING("nccl", release->name), ORR_VALUE("asked", orr_section_json(json, c->a, "", "asked")),
        ORR_VALUE("verified", orr_section_json(json, c->a, "", "verified")),
        ORR_VALUE("settings", orr_section_json(json, c->a, "", "settings")), ORR_INT("hosts", c->a->query.hosts),
        ORR_VALUE("a", side_json(json, c->a, a)), ORR_VALUE("b", side_json(json, c->b, b)),
        ORR_BOOL("equal", !hardware), ORR_BOOL("same_decisions", !c->changes.changed),
        ORR_STRING("likeness", orr_likeness_text(c->match.likeness)), ORR_VALUE("summary", summary_json(json, c)),
        ORR_VALUE("outcomes", orr_outcomes_json(json, &c->changes.outcomes[0], &c->changes.outcomes[1])),
        ORR_VALUE("hardware", unlikes_json(json, c, 0, hardware)),
        ORR_VALUE("numbering", unlikes_json(json, c, hardware, c->unlikes.count)),
        ORR_VALUE("sections", orr_changes_json(json, &c->changes)), ORR_VALUE("match", match_json(json, c)));
}
