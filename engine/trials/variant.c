/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/trials/variant.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void orr_variant_init(struct orr_variant *variant, const struct orr_analysis *analysis, const struct orr_dump *given,
                      const struct orr_observed *observed, struct orr_arena *arena)
{
    static const struct orr_observed nothing;
    *variant = (struct orr_variant){.analysis = analysis,
                                    .given = given ? given : analysis->given,
                                    .observed = observed ? observed : &nothing,
                                    .arena = arena,
                                    .query = analysis->query};
    for (uint32_t e = 0; e < variant->given->element_count; e++)
        variant->nets += variant->given->elements[e].kind == ORR_ELEMENT_NET;
}

struct orr_doc_node *orr_variant_copy(struct orr_variant *variant)
{
    uint32_t at = 0;
    if (variant->nodes)
        return variant->doc.system;
    struct orr_doc_node **nodes = ORR_NEW(variant->arena, struct orr_doc_node *, variant->given->element_count);
    if (!nodes)
        return NULL;
    orr_doc_open(&variant->doc, variant->given, variant->arena);
    if (orr_arena_starved(variant->arena))
        return NULL;
    for (struct orr_doc_node *node = variant->doc.system; node; node = orr_doc_next(node, variant->doc.system))
        nodes[at++] = node;
    variant->nodes = nodes;
    return variant->doc.system;
}

struct orr_doc_node *orr_variant_next(struct orr_variant *variant, struct orr_doc_node *node,
                                      enum orr_element_kind kind)
{
    struct orr_doc_node *top = orr_variant_copy(variant);
    do
        node = node ? orr_doc_next(node, top) : top;
    while (node && node->kind != kind);
    return node;
}

void orr_variant_touch(struct orr_variant *variant)
{
    variant->changed = variant->machine_changed = true;
}

void orr_variant_set(struct orr_variant *variant, struct orr_doc_node *node, enum orr_attr attr, const char *value)
{
    const char *old = orr_doc_get(node, attr);
    if (old && !strcmp(old, value))
        return;
    orr_doc_set(&variant->doc, node, attr, "%s", value);
    orr_variant_touch(variant);
}

void orr_variant_set_int(struct orr_variant *variant, struct orr_doc_node *node, enum orr_attr attr, long value)
{
    char text[24];
    snprintf(text, sizeof text, "%ld", value);
    orr_variant_set(variant, node, attr, text);
}

void orr_variant_remove(struct orr_variant *variant, struct orr_doc_node *node)
{
    orr_doc_remove(node);
    orr_variant_touch(variant);
}

void orr_variant_observed_gdr(struct orr_variant *variant)
{
    for (struct orr_doc_node *net = NULL; (net = orr_variant_next(variant, net, ORR_ELEMENT_NET));) {
        const char *text = orr_doc_get(net, ORR_ATTR_DEV);
        long dev = text ? strtol(text, NULL, 10) : -1;
        if (dev >= 0 && dev < (long)variant->observed->nics && variant->observed->without_gdr[dev])
            orr_variant_set(variant, net, ORR_ATTR_GDR, "0");
    }
}

void orr_variant_setting(struct orr_variant *variant, enum orr_setting setting, const char *value)
{
    struct orr_settings after = variant->query.settings;
    const char *old = orr_setting_text(&variant->query.settings, setting);
    if (!orr_setting_in(setting, after.release) || !strcmp(old ? old : "", value) ||
        orr_settings_set(&after, orr_setting_name(setting), value, NULL) != ORR_OK)
        return;
    variant->query.settings = after;
    variant->changed = true;
}

void orr_variant_assume(struct orr_variant *variant, const char *setting)
{
    enum orr_setting id;
    char name[64];
    const char *equals = strchr(setting, '=');
    snprintf(name, sizeof name, "%.*s", (int)(equals - setting), setting);
    if (orr_setting_find(name, &id) && !variant->query.settings.values[id].given)
        orr_variant_setting(variant, id, equals + 1);
}

enum orr_code orr_variant_dump(struct orr_variant *variant, const struct orr_dump **ret_dump, struct orr_error *err)
{
    ORR_NEED(!orr_arena_starved(variant->arena), err);
    *ret_dump = variant->machine_changed ? orr_doc_to_dump(&variant->doc, variant->given) : variant->given;
    ORR_NEED(*ret_dump, err);
    return ORR_OK;
}

enum orr_code orr_variant_analyze(struct orr_trials *trials, struct orr_variant *variant,
                                  struct orr_analysis **ret_answer, struct orr_error *ret_refused,
                                  struct orr_error *err)
{
    const struct orr_dump *dump;
    ORR_TRY(orr_variant_dump(variant, &dump, err));
    return orr_trials_analyze(trials, variant->analysis, dump, &variant->query, ret_answer, ret_refused, err);
}
