/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/input/vm_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/dump/edit.h"
#include "engine/input/names.h"

enum { MOST_DEVICES = 256 };

struct device {
    struct orr_doc_node *node;
    uint32_t index;           /* in document order */
    char id[ORR_BUS_ID_SIZE]; /* as the list names it: lower case, domain of four digits */
    char new_id[ORR_BUS_ID_SIZE];
    bool named;
};

struct devices {
    const char *what; /* for errors */
    struct device list[MOST_DEVICES];
    uint32_t count;
};

static const char *class_of(const struct orr_doc_node *pci)
{
    return orr_doc_word(pci, ORR_ATTR_CLASS);
}

static bool is_gpu(const struct orr_doc_node *pci)
{
    return orr_doc_child(pci, ORR_ELEMENT_GPU) || !strncmp(class_of(pci), "0x03", 4);
}

static bool is_nic(const struct orr_doc_node *pci)
{
    return orr_doc_child(pci, ORR_ELEMENT_NIC) || !strncmp(class_of(pci), "0x02", 4);
}

static void add_device(struct orr_doc_node *pci, struct devices *devices)
{
    if (devices->count == MOST_DEVICES)
        return;
    struct device *device = &devices->list[devices->count++];
    device->node = pci;
    device->index = devices->count;
    if (!orr_bus_id_short(orr_doc_word(pci, ORR_ATTR_BUSID), device->id))
        snprintf(device->id, sizeof device->id, "%.19s", orr_doc_word(pci, ORR_ATTR_BUSID));
}

ORR_COMPARATOR(by_id, struct device, strcmp(a->id, b->id), ORR_ORDER(a->index, b->index))

static enum orr_code bad_list(const struct devices *devices, const char *item, const char *why, struct orr_error *err)
{
    return orr_fail_with(
        err, ORR_SETTING, devices->what,
        "give bus ids in the order of the real ones, or REAL=NEW, separated by commas: 0000:00:05.0,0000:00:06.0",
        "%s: \"%.40s\" %s", devices->what, item, why);
}

static enum orr_code apply(struct devices *devices, uint32_t index, const char *item, bool *pairs,
                           struct orr_error *err)
{
    const char *equals = strchr(item, '=');
    struct device *device = index < devices->count ? &devices->list[index] : NULL;
    if (equals) {
        char real[64], id[ORR_BUS_ID_SIZE];
        snprintf(real, sizeof real, "%.*s", (int)(equals - item < 63 ? equals - item : 63), item);
        if (!orr_bus_id_short(real, id))
            return bad_list(devices, item, "does not start with a bus id", err);
        device = NULL;
        for (uint32_t i = 0; i < devices->count && !device; i++)
            device = strcmp(devices->list[i].id, id) ? NULL : &devices->list[i];
        if (!device)
            return bad_list(devices, item, "names a device that is not in the dump", err);
        *pairs = true;
    }
    if (!device)
        return bad_list(devices, item, "is one more than the dump has", err);
    if (!orr_bus_id_short(equals ? equals + 1 : item, device->new_id))
        return bad_list(devices, item, "is not a bus id", err);
    if (device->named)
        return bad_list(devices, item, "names a device twice", err);
    device->named = true;
    return ORR_OK;
}

/* Reads the list into the devices, which are in the order of their real ids, as NVML and the kernel number them. */
static enum orr_code rename_all(struct devices *devices, const char *list, struct orr_error *err)
{
    bool pairs = false;
    uint32_t index = 0;
    qsort(devices->list, devices->count, sizeof devices->list[0], by_id);
    if (!list || !*list)
        return ORR_OK;
    while (*list) {
        char item[80];
        size_t length = strcspn(list, ",");
        snprintf(item, sizeof item, "%.*s", (int)(length < sizeof item ? length : sizeof item - 1), list);
        ORR_TRY(apply(devices, index++, item, &pairs, err));
        list += length + (list[length] == ',');
    }
    if (!pairs && index != devices->count)
        return orr_fail_with(err, ORR_SETTING, devices->what,
                             "name all of them, or those that the virtual machine has as REAL=NEW",
                             "%s: %u bus ids for %u devices of the dump", devices->what, index, devices->count);
    return ORR_OK;
}

/* NCCL would treat two devices with one id as the same device. */
static enum orr_code check_unique(const struct devices *gpus, const struct devices *nics, struct orr_error *err)
{
    const struct devices *both[] = {gpus, nics};
    const char *seen[2 * MOST_DEVICES];
    uint32_t count = 0;
    for (int k = 0; k < 2; k++)
        for (uint32_t i = 0; i < both[k]->count; i++) {
            const char *id = both[k]->list[i].new_id;
            for (uint32_t j = 0; *id && j < count; j++)
                if (!strcmp(seen[j], id))
                    return bad_list(both[k], id, "is given to two devices", err);
            if (*id)
                seen[count++] = id;
        }
    return ORR_OK;
}

static void finish_devices(struct orr_doc *doc, const struct devices *devices, bool listed)
{
    for (uint32_t i = 0; i < devices->count; i++) {
        const struct device *device = &devices->list[i];
        while (device->node->first)
            orr_doc_remove(device->node->first);
        if (listed && !device->named)
            orr_doc_remove(device->node);
        else if (device->named)
            orr_doc_set(doc, device->node, ORR_ATTR_BUSID, "%s", device->new_id);
    }
}

/* Removes elements without a device, from the leaves up. */
static void drop_empty(struct orr_doc_node *node) /* NOLINT(misc-no-recursion): as deep as a dump */
{
    for (struct orr_doc_node *child = node->first, *next; child; child = next) {
        next = child->after;
        drop_empty(child);
    }
    bool device = node->kind == ORR_ELEMENT_PCI && (node->first || node->claimed);
    if (!device && node->kind != ORR_ELEMENT_CPU)
        orr_doc_remove(node);
}

/* Switches are numbered in a range that no machine uses. */
static void finish_switches(struct orr_doc *doc)
{
    enum { MOST_IN_BUS = 31 };
    unsigned number = 0;
    struct orr_doc_node *node = doc->system;
    drop_empty(node);
    while ((node = orr_doc_next(node, doc->system))) {
        orr_doc_drop(doc, node, ORR_ATTR_HOST_HASH);
        if (node->kind != ORR_ELEMENT_PCI || node->claimed)
            continue;
        number++;
        orr_doc_set(doc, node, ORR_ATTR_BUSID, "ffff:%02x:%02x.0", 0xffu - number / MOST_IN_BUS, number % MOST_IN_BUS);
    }
}

static enum orr_code check_one_host(const struct orr_dump *dump, struct orr_error *err)
{
    const char *host = NULL;
    for (uint32_t i = 0; i < dump->element_count; i++) {
        const char *other =
            dump->elements[i].kind == ORR_ELEMENT_CPU ? orr_element_text(dump, i, ORR_ATTR_HOST_HASH) : NULL;
        if (other && host && strcmp(host, other) != 0) {
            orr_fail_element(dump, i, err, ORR_INVALID, "the dump is of several hosts, and a VM file describes one");
            orr_error_advice(err, "take a dump of one host: run a job on one host with NCCL_TOPO_DUMP_FILE");
            return ORR_INVALID;
        }
        host = other ? other : host;
    }
    return ORR_OK;
}

static enum orr_code make(struct orr_doc *doc, const struct orr_vm_options *options, struct devices *gpus,
                          struct devices *nics, struct orr_error *err)
{
    gpus->what = "gpus";
    nics->what = "nics";
    for (struct orr_doc_node *node = doc->system; node; node = orr_doc_next(node, doc->system))
        if (node->kind == ORR_ELEMENT_PCI && (is_gpu(node) || is_nic(node))) {
            node->claimed = true;
            add_device(node, is_gpu(node) ? gpus : nics);
        }
    if (!gpus->count)
        return orr_fail_with(err, ORR_INVALID, NULL, "take the dump on the real machine: NCCL_TOPO_DUMP_FILE=topo.xml",
                             "the dump has no GPU that a VM file could describe");
    ORR_TRY(rename_all(gpus, options->gpus, err));
    ORR_TRY(rename_all(nics, options->nics, err));
    ORR_TRY(check_unique(gpus, nics, err));
    finish_devices(doc, gpus, options->gpus && *options->gpus);
    finish_devices(doc, nics, options->nics && *options->nics);
    finish_switches(doc);
    return ORR_OK;
}

enum orr_code orr_vm_file(const struct orr_dump *dump, const struct orr_vm_options *options, struct orr_text *text,
                          struct orr_error *err)
{
    struct orr_doc doc;
    ORR_LOCAL_ARENA(arena, 0);
    struct devices *lists = ORR_NEW(arena, struct devices, 2);
    ORR_TRY(check_one_host(dump, err));
    orr_doc_open(&doc, dump, arena);
    ORR_NEED(!orr_arena_starved(arena) && doc.system, err);
    ORR_TRY(make(&doc, options, &lists[0], &lists[1], err));
    const struct orr_dump *file = orr_doc_to_dump(&doc, dump);
    ORR_NEED(file, err);
    orr_dump_write(file, text);
    return orr_text_failed(text) ? orr_fail_nomem(err) : ORR_OK;
}
