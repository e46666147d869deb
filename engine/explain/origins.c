/* SPDX-License-Identifier: Apache-2.0 */
/* Where the values of an explanation come from: a value that a reader of the input assumed is never called measured. */
#include "engine/base/words.h"
#include "engine/explain/explainer.h"

#include <string.h>

ORR_WORD_LIST(orr_origin_name, size_t, ORR_ORIGIN_MAP(ORR_SECOND_OF))

/* Only NCCL's own XML is measured; other inputs show some values and leave out others. */
static bool is_measured(const struct orr_explainer *e)
{
    const struct orr_dump_notes *notes = e->a->dump->notes;
    return !notes || !strcmp(notes->kind, "nccl-topology") || !strcmp(notes->kind, "gathered");
}

static struct orr_from from_dump(const struct orr_explainer *e)
{
    return (struct orr_from){ORR_FROM_DUMP, is_measured(e) ? "measured in the dump" : "read from the input"};
}

/* " from the machine type hgx-h100" if a machine type filled in what the input does not contain. */
static const char *from_type(struct orr_explainer *e)
{
    const struct orr_dump_notes *notes = e->a->dump->notes;
    return notes && notes->machine_type ? orr_tell(e, " from the machine type %s", notes->machine_type) : "";
}

struct orr_from orr_from_attr(struct orr_explainer *e, enum orr_element_kind kind, enum orr_attr attr)
{
    if (!orr_dump_assumed(e->a->dump, kind, attr))
        return from_dump(e);
    return (struct orr_from){ORR_FROM_ASSUMED, orr_tell(e, "assumed%s", from_type(e))};
}

struct orr_from orr_from_nvlinks(struct orr_explainer *e)
{
    struct orr_from from = orr_from_attr(e, ORR_ELEMENT_NVLINK, ORR_ATTR_TCLASS);
    uint32_t i = 0;
    while (i < e->a->dump->element_count && e->a->dump->elements[i].kind != ORR_ELEMENT_NVLINK)
        i++;
    if (from.origin == ORR_FROM_DUMP && i == e->a->dump->element_count)
        from.text = is_measured(e) ? "the dump lists no NVLinks" : "the input lists no NVLinks";
    return from;
}

struct orr_from orr_from_hardware(struct orr_explainer *e)
{
    static const struct {
        enum orr_element_kind kind;
        enum orr_attr attr;
    } rows[] = {
        {ORR_ELEMENT_PCI, ORR_ATTR_LINK_SPEED}, {ORR_ELEMENT_PCI, ORR_ATTR_LINK_WIDTH},
        {ORR_ELEMENT_PCI, ORR_ATTR_BUSID},      {ORR_ELEMENT_PCI, ORR_ATTR_CLASS},
        {ORR_ELEMENT_CPU, ORR_ATTR_NUMAID},     {ORR_ELEMENT_CPU, ORR_ATTR_ARCH},
        {ORR_ELEMENT_CPU, ORR_ATTR_VENDOR},     {ORR_ELEMENT_CPU, ORR_ATTR_MODELID},
        {ORR_ELEMENT_GPU, ORR_ATTR_SM},         {ORR_ELEMENT_NVLINK, ORR_ATTR_TARGET},
        {ORR_ELEMENT_NVLINK, ORR_ATTR_COUNT_},  {ORR_ELEMENT_C2C, ORR_ATTR_BW},
        {ORR_ELEMENT_NET, ORR_ATTR_SPEED},
    };
    enum { ROW_COUNT = sizeof rows / sizeof rows[0] };
    int assumed = 0;
    for (int i = 0; i < ROW_COUNT; i++)
        assumed += orr_dump_assumed(e->a->dump, rows[i].kind, rows[i].attr);
    if (!assumed)
        return from_dump(e);
    if (assumed == ROW_COUNT)
        return (struct orr_from){ORR_FROM_ASSUMED, orr_tell(e, "assumed%s", from_type(e))};
    return (struct orr_from){ORR_FROM_PART_ASSUMED, orr_tell(e, "computed with values assumed%s", from_type(e))};
}

struct orr_from orr_from_setting(struct orr_explainer *e, enum orr_setting setting)
{
    bool given = e->a->query.settings.values[setting].given;
    return (struct orr_from){given ? ORR_FROM_SETTING : ORR_FROM_DEFAULT, orr_setting_source(e, setting)};
}

struct orr_from orr_from_release(struct orr_explainer *e)
{
    return (struct orr_from){ORR_FROM_RELEASE, orr_tell(e, "rule of NCCL %s", e->a->query.settings.release->name)};
}

const char *orr_note_inputs(struct orr_explainer *e, unsigned touched)
{
    struct orr_explanation *out = e->out;
    const struct orr_dump_notes *notes = e->a->dump->notes;
    out->inputs = notes ? notes->assumed : NULL;
    for (uint32_t i = 0; notes && i < notes->assumed_count && out->rests_on_count < ORR_MOST_INPUTS; i++)
        if (notes->assumed[i].touches & touched)
            out->rests_on_inputs[out->rests_on_count++] = i;
    switch (orr_from_hardware(e).origin) {
    case ORR_FROM_ASSUMED:
        return orr_tell(e, " The machine is assumed%s, not measured.", from_type(e));
    case ORR_FROM_PART_ASSUMED:
        return orr_tell(e, " Some values of the machine are assumed%s, not measured.", from_type(e));
    default:
        return "";
    }
}
