/* SPDX-License-Identifier: Apache-2.0 */
/* Access to the elements and attributes of a dump. */
#include "engine/dump/dump.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/words.h"

static const char *const element_names[ORR_ELEMENT_COUNT] = {ORR_ELEMENT_MAP(ORR_SECOND_OF)};

static const char *const attr_names[ORR_ATTR_OTHER] = {ORR_ATTR_MAP(ORR_SECOND_OF)};

/* The children that NCCL reads in each element; it ignores any other with its subtree. */
static const uint16_t children_of[ORR_ELEMENT_COUNT] = {
    [ORR_ELEMENT_SYSTEM] = 1u << ORR_ELEMENT_CPU,
    [ORR_ELEMENT_CPU] = 1u << ORR_ELEMENT_PCI | 1u << ORR_ELEMENT_NIC,
    [ORR_ELEMENT_PCI] =
        1u << ORR_ELEMENT_PCI | 1u << ORR_ELEMENT_GPU | 1u << ORR_ELEMENT_NIC | 1u << ORR_ELEMENT_PCILINK,
    [ORR_ELEMENT_GPU] = 1u << ORR_ELEMENT_NVLINK | 1u << ORR_ELEMENT_C2C,
    [ORR_ELEMENT_NIC] = 1u << ORR_ELEMENT_NET,
};

const char *orr_element_name(enum orr_element_kind kind)
{
    return element_names[kind];
}

const char *orr_attr_name(enum orr_attr attr)
{
    return attr_names[attr];
}

enum orr_attr orr_attr_find(const char *name)
{
    for (int attr = 0; attr < ORR_ATTR_OTHER; attr++)
        if (!strcmp(name, attr_names[attr]))
            return (enum orr_attr)attr;
    return ORR_ATTR_OTHER;
}

bool orr_element_fits(enum orr_element_kind parent, enum orr_element_kind child)
{
    return children_of[parent] >> child & 1;
}

const char *orr_element_text(const struct orr_dump *dump, uint32_t element, enum orr_attr attr)
{
    const struct orr_element *e = &dump->elements[element];
    for (uint32_t i = 0; i < e->attribute_count; i++) { /* a dump may have no attributes at all, and no array */
        const struct orr_attribute *attribute = &dump->attributes[e->first_attribute + i];
        if (attribute->id == attr)
            return attribute->value;
    }
    return NULL;
}

/* Reads a number like NCCL: strtol() with base 0, cut to 32 bits. */
static int32_t to_int(const char *text)
{
    return (int32_t)(uint32_t)(unsigned long)strtol(text, NULL, 0); /* NOLINT: orr_fail_element() never gives OK */
}

int32_t orr_element_int(const struct orr_dump *dump, uint32_t element, enum orr_attr attr, int32_t fallback)
{
    const char *text = orr_element_text(dump, element, attr);
    return text ? to_int(text) : fallback;
}

/* "system/cpu[1]/pci[0]/gpu[0]": positions count siblings of the same kind from 0. */
static void write_path(const struct orr_dump *dump, uint32_t element, char *buffer, size_t size)
{
    const struct orr_element *e = &dump->elements[element];
    if (e->parent == ORR_NO_ELEMENT) {
        snprintf(buffer, size, "%s", orr_element_name(e->kind));
        return;
    }
    uint32_t position = 0;
    for (uint32_t i = dump->elements[e->parent].first_child; i != element; i = dump->elements[i].next_sibling)
        position += dump->elements[i].kind == e->kind;
    write_path(dump, e->parent, buffer, size);
    size_t used = strlen(buffer);
    snprintf(buffer + used, size - used, "/%s[%u]", orr_element_name(e->kind), position);
}

enum orr_code orr_fail_element(const struct orr_dump *dump, uint32_t element, struct orr_error *err, enum orr_code code,
                               const char *format, ...)
{
    char text[sizeof err->text], path[sizeof err->where];
    va_list args;
    va_start(args, format);
    vsnprintf(text, sizeof text, format, args);
    va_end(args);
    write_path(dump, element, path, sizeof path);
    orr_fail_at(err, code, dump->elements[element].line, dump->elements[element].column, "%s", text);
    orr_error_where(err, "%s", path);
    return code;
}

enum orr_code orr_element_need_text(const struct orr_dump *dump, uint32_t element, enum orr_attr attr,
                                    const char **ret_value, struct orr_error *err)
{
    const char *text = orr_element_text(dump, element, attr);
    if (!text) {
        bool any = false;
        uint32_t cpus = 0;
        for (uint32_t i = 0; i < dump->element_count; i++) {
            any |= dump->elements[i].kind == ORR_ELEMENT_GPU;
            cpus += dump->elements[i].kind == ORR_ELEMENT_CPU;
        }
        orr_fail_element(dump, element, err, ORR_INVALID, "<%s> has no attribute %s, which has no default",
                         orr_element_name(dump->elements[element].kind), orr_attr_name(attr));
        if (!any && cpus == 1) /* NCCL itself adds what such a file lacks */
            orr_error_advice(err, ORR_ONE_CPU_ADVICE);
        else if (!any)
            orr_error_advice(err,
                             "a provider's file leaves it, and the GPUs, to NCCL: dump the topology from a job there "
                             "(NCCL_TOPO_DUMP_FILE), or name the machine type: --assume, assume= (`orrery machines`)");
        return ORR_INVALID;
    }
    *ret_value = text;
    return ORR_OK;
}

enum orr_code orr_element_need_int(const struct orr_dump *dump, uint32_t element, enum orr_attr attr,
                                   int32_t *ret_value, struct orr_error *err)
{
    const char *text = NULL;
    ORR_TRY(orr_element_need_text(dump, element, attr, &text, err));
    *ret_value = to_int(text);
    return ORR_OK;
}

enum orr_code orr_dump_check_strict(const struct orr_dump *dump, struct orr_error *err)
{
    if (!dump->refusal.line)
        return ORR_OK;
    orr_fail_at(err, ORR_REFUSED, dump->refusal.line, dump->refusal.column, "NCCL's own reader would stop here: %s",
                dump->refusal.text);
    orr_error_advice(err, "without strict, Orrery analyses the file anyway and adds a finding");
    return ORR_REFUSED;
}
