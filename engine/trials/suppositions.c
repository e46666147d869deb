/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/trials/suppositions.h"

#include <limits.h>
#include <string.h>

#include "engine/cluster/cluster.h"
#include "engine/hardware/pcie.h"
#include "engine/trials/variant.h"

static const struct orr_suppositions tables[] = {
    {.what = "the speed of the NICs",
     .kind = ORR_LINKS_NICS,
     .element = ORR_ELEMENT_NET,
     .attrs = {ORR_ATTR_SPEED},
     .attr_count = 1,
     .confirm = "ibstat | grep Rate",
     .rows = {{"the NICs run at 10 Gb/s", {"10000"}},
              {"the NICs run at 25 Gb/s", {"25000"}},
              {"the NICs run at 50 Gb/s", {"50000"}},
              {"the NICs run at 100 Gb/s", {"100000"}},
              {"the NICs run at 200 Gb/s", {"200000"}},
              {"the NICs run at 400 Gb/s", {"400000"}},
              {"the NICs run at 800 Gb/s", {"800000"}}}},
    {.what = "the speed of the PCIe links",
     .kind = ORR_LINKS_PCIE,
     .element = ORR_ELEMENT_PCI,
     .attrs = {ORR_ATTR_LINK_SPEED},
     .attr_count = 1,
     .confirm = "lspci -vv | grep -E '^[0-9a-f]|LnkCap:|LnkSta:'",
     .rows = {{"the PCIe links are of generation 3", {ORR_PCIE_GEN3}},
              {"the PCIe links are of generation 4", {ORR_PCIE_GEN4}},
              {"the PCIe links are of generation 5", {ORR_PCIE_GEN5}},
              {"the PCIe links are of generation 6", {ORR_PCIE_GEN6}}}},
    {.what = "the CPU model",
     .kind = ORR_LINKS_CPU,
     .element = ORR_ELEMENT_CPU,
     .attrs = {ORR_ATTR_VENDOR, ORR_ATTR_FAMILYID, ORR_ATTR_MODELID},
     .attr_count = 3,
     .confirm = "lscpu | grep -E 'Vendor|family|Model:'",
     .rows = {{"the CPUs are Intel Skylake or Ice Lake", {"GenuineIntel", "6", "85"}},
              {"the CPUs are AMD", {"AuthenticAMD", "143", "49"}},
              {"the CPUs are Intel Sapphire Rapids or newer", {"GenuineIntel", "6", "143"}}}},
    {.what = "the number of NVLinks",
     .kind = ORR_LINKS_NVLINK,
     .element = ORR_ELEMENT_NVLINK,
     .attrs = {ORR_ATTR_COUNT_},
     .attr_count = 1,
     .confirm = "nvidia-smi nvlink -s"},
};

static bool is_assumed(const struct orr_dump *dump, const struct orr_suppositions *of)
{
    for (uint32_t e = 0; e < dump->element_count; e++) {
        const struct orr_element *element = &dump->elements[e];
        for (uint32_t a = element->first_attribute;
             element->kind == of->element && a < element->first_attribute + element->attribute_count; a++)
            if (dump->attributes[a].id == of->attrs[0] && dump->attributes[a].origin == ORR_VALUE_ASSUMED)
                return true;
    }
    return false;
}

/* The user named the machine type, or the speed of its NICs. */
static bool is_given(const struct orr_dump *dump, const struct orr_suppositions *of)
{
    const struct orr_dump_notes *notes = dump->notes;
    return notes && (notes->machine_type || !strcmp(notes->kind, "machine-type") ||
                     (notes->nics_given && of->kind == ORR_LINKS_NICS));
}

const struct orr_suppositions *orr_supposed(const struct orr_dump *dump, unsigned kinds, bool guessed, size_t *at)
{
    while (*at < sizeof tables / sizeof tables[0]) {
        const struct orr_suppositions *of = &tables[(*at)++];
        if (kinds >> of->kind & 1 && is_assumed(dump, of) &&
            (guessed ? of->kind == ORR_LINKS_NICS : !is_given(dump, of)))
            return of;
    }
    return NULL;
}

bool orr_supposed_list(const struct orr_dump *dump, unsigned kinds, struct orr_text *text)
{
    const struct orr_suppositions *of, *next = NULL;
    size_t at = 0;
    bool any = false;
    for (of = orr_supposed(dump, kinds, false, &at); of; of = next) {
        next = orr_supposed(dump, kinds, false, &at);
        orr_text_printf(text, "%s%s", !any ? "" : next ? ", " : " and ", of->what);
        any = true;
    }
    return any;
}

void orr_supposed_of(const struct orr_analysis *analysis, bool network, struct orr_text *text)
{
    const struct orr_cluster *cluster = analysis->cluster;
    const unsigned kinds = network ? UINT_MAX : UINT_MAX & ~(1u << ORR_LINKS_NICS);
    bool any = false;
    for (uint32_t l = 0; l < (cluster ? cluster->line_count : 1) && !any; l++)
        any = orr_supposed_list(cluster ? cluster->lines[l].dump : analysis->given, kinds, text);
}

static bool is_supposed(const struct orr_doc_node *node, const struct orr_suppositions *of)
{
    const struct orr_attribute *there = node->kind == of->element ? orr_doc_attribute(node, of->attrs[0]) : NULL;
    return there && there->origin == ORR_VALUE_ASSUMED;
}

void orr_suppose(struct orr_variant *variant, const struct orr_suppositions *of, uint32_t row)
{
    for (struct orr_doc_node *node = NULL; (node = orr_variant_next(variant, node, of->element));)
        for (uint32_t a = 0; is_supposed(node, of) && a < of->attr_count; a++)
            orr_doc_suppose(&variant->doc, node, of->attrs[a], "%s", of->rows[row].values[a]);
    orr_variant_touch(variant);
}

bool orr_supposes_now(const struct orr_dump *dump, const struct orr_suppositions *of, uint32_t row)
{
    for (uint32_t e = 0; of->attr_count && e < dump->element_count; e++)
        if (dump->elements[e].kind == of->element &&
            !strcmp(orr_element_word(dump, e, of->attrs[of->attr_count - 1]), of->rows[row].values[of->attr_count - 1]))
            return true;
    return false;
}

static bool is_new(const struct orr_depends_list *list, const struct orr_depends *row)
{
    const struct orr_depends *last = list->count ? &list->rows[list->count - 1] : NULL;
    return !last || last->verdict != row->verdict || row->bus_bw > 1.02 * last->bus_bw ||
           row->expected > 1.02 * last->expected;
}

enum orr_code orr_depends_find(const struct orr_suppositions *of, orr_judge_with *judge, void *work,
                               struct orr_depends_list *ret_list, struct orr_error *err)
{
    ret_list->count = 0;
    for (uint32_t row = 0; row < ORR_MOST_SUPPOSITIONS && of->rows[row].assuming; row++) {
        struct orr_depends depends = {.assuming = of->rows[row].assuming};
        bool judged = false;
        ORR_TRY(judge(work, of, row, &depends, &judged, err));
        if (judged && is_new(ret_list, &depends))
            ret_list->rows[ret_list->count++] = depends;
    }
    return ORR_OK;
}

bool orr_depends_differ(const struct orr_depends_list *list, int verdict)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->rows[i].verdict != verdict)
            return true;
    return false;
}
