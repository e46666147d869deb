#include "engine/input/vm_file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/input/draft.h"
#include "engine/input/names.h"

enum { MOST_DEVICES = 256 };

struct device {
    uint32_t node;
    char id[ORR_BUS_ID_SIZE]; /* as the list names it: lower case, domain of four digits */
    char new_id[ORR_BUS_ID_SIZE];
    bool named;
};

struct devices {
    const char *what; /* for errors */
    struct device list[MOST_DEVICES];
    uint32_t count;
};

static const char *class_of(const struct orr_draft *draft, uint32_t pci)
{
    return orr_draft_get(draft, pci, ORR_ATTR_CLASS);
}

static bool is_gpu(const struct orr_draft *draft, uint32_t pci)
{
    return orr_draft_child(draft, pci, ORR_ELEMENT_GPU) != ORR_NO_ELEMENT || !strncmp(class_of(draft, pci), "0x03", 4);
}

static bool is_nic(const struct orr_draft *draft, uint32_t pci)
{
    return orr_draft_child(draft, pci, ORR_ELEMENT_NIC) != ORR_NO_ELEMENT || !strncmp(class_of(draft, pci), "0x02", 4);
}

static void add(const struct orr_draft *draft, uint32_t pci, struct devices *devices)
{
    if (devices->count == MOST_DEVICES)
        return;
    struct device *device = &devices->list[devices->count++];
    device->node = pci;
    if (!orr_bus_id_short(orr_draft_get(draft, pci, ORR_ATTR_BUSID), device->id))
        snprintf(device->id, sizeof device->id, "%.19s", orr_draft_get(draft, pci, ORR_ATTR_BUSID));
}

static int by_id(const void *left, const void *right)
{
    const struct device *a = left, *b = right;
    ORR_BY(strcmp(a->id, b->id));
    return ORR_ORDER(a->node, b->node);
}

static enum orr_code bad_list(const struct devices *devices, const char *item, const char *why, struct orr_error *err)
{
    orr_fail(err, ORR_SETTING, "%s: \"%.40s\" %s", devices->what, item, why);
    orr_error_where(err, "%s", devices->what);
    orr_error_advice(err, "give bus ids in the order of the real ones, or REAL=NEW, separated by commas: "
                          "0000:00:05.0,0000:00:06.0");
    return ORR_SETTING;
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
            return bad_list(devices, item, "starts with no bus id", err);
        device = NULL;
        for (uint32_t i = 0; i < devices->count && !device; i++)
            device = strcmp(devices->list[i].id, id) ? NULL : &devices->list[i];
        if (!device)
            return bad_list(devices, item, "names a device that the dump has not", err);
        *pairs = true;
    }
    if (!device)
        return bad_list(devices, item, "is one more than the dump has", err);
    if (!orr_bus_id_short(equals ? equals + 1 : item, device->new_id))
        return bad_list(devices, item, "is no bus id", err);
    if (device->named)
        return bad_list(devices, item, "names a device for the second time", err);
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
    if (!pairs && index != devices->count) {
        orr_fail(err, ORR_SETTING, "%s: %u bus ids for %u devices of the dump", devices->what, index, devices->count);
        orr_error_where(err, "%s", devices->what);
        orr_error_advice(err, "name all of them, or those that the virtual machine has as REAL=NEW");
        return ORR_SETTING;
    }
    return ORR_OK;
}

/* Two devices of one id would be one device to NCCL. */
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

static void finish_devices(struct orr_draft *draft, const struct devices *devices, bool listed)
{
    for (uint32_t i = 0; i < devices->count; i++) {
        const struct device *device = &devices->list[i];
        for (uint32_t child = draft->nodes[device->node].first; child != ORR_NO_ELEMENT;
             child = draft->nodes[child].next)
            orr_draft_remove(draft, child);
        if (listed && !device->named)
            orr_draft_remove(draft, device->node);
        else if (device->named)
            orr_draft_set(draft, device->node, ORR_ATTR_BUSID, "%s", device->new_id);
    }
}

/* From the leaves up: what holds no device goes, and switches are numbered in a range that no machine uses. */
static void finish_switches(struct orr_draft *draft, const bool *is_device)
{
    enum { MOST_IN_BUS = 31 };
    unsigned number = 0;
    for (uint32_t i = draft->count; i-- > 1;) {
        struct orr_draft_node *node = &draft->nodes[i];
        bool kept = false;
        if (node->removed || node->kind == ORR_ELEMENT_CPU)
            continue;
        for (uint32_t child = node->first; child != ORR_NO_ELEMENT; child = draft->nodes[child].next)
            kept |= !draft->nodes[child].removed;
        if (node->kind != ORR_ELEMENT_PCI || (!kept && !is_device[i]))
            orr_draft_remove(draft, i);
    }
    for (uint32_t i = 1; i < draft->count; i++) {
        orr_draft_drop_attr(draft, i, ORR_ATTR_HOST_HASH);
        if (draft->nodes[i].removed || draft->nodes[i].kind != ORR_ELEMENT_PCI || is_device[i])
            continue;
        number++;
        orr_draft_set(draft, i, ORR_ATTR_BUSID, "ffff:%02x:%02x.0", 0xffu - number / MOST_IN_BUS, number % MOST_IN_BUS);
    }
}

static enum orr_code check_one_host(const struct orr_dump *dump, struct orr_error *err)
{
    const char *host = NULL;
    for (uint32_t i = 0; i < dump->element_count; i++) {
        const char *other =
            dump->elements[i].kind == ORR_ELEMENT_CPU ? orr_element_text(dump, i, ORR_ATTR_HOST_HASH) : NULL;
        if (other && host && strcmp(host, other) != 0) {
            orr_fail_element(dump, i, err, ORR_INVALID, "the dump is of several hosts, which no file can describe");
            orr_error_advice(err, "take a dump of one host: run a job on one host with NCCL_TOPO_DUMP_FILE");
            return ORR_INVALID;
        }
        host = other ? other : host;
    }
    return ORR_OK;
}

static enum orr_code make(struct orr_draft *draft, const struct orr_vm_options *options, struct devices *gpus,
                          struct devices *nics, bool *is_device, struct orr_error *err)
{
    gpus->what = "gpus";
    nics->what = "nics";
    for (uint32_t i = 1; i < draft->count; i++)
        if (draft->nodes[i].kind == ORR_ELEMENT_PCI && (is_gpu(draft, i) || is_nic(draft, i))) {
            is_device[i] = true;
            add(draft, i, is_gpu(draft, i) ? gpus : nics);
        }
    if (!gpus->count) {
        orr_fail(err, ORR_INVALID, "the dump has no GPU whose place could be kept");
        orr_error_advice(err, "take the dump on the real machine: NCCL_TOPO_DUMP_FILE=topo.xml");
        return ORR_INVALID;
    }
    ORR_TRY(rename_all(gpus, options->gpus, err));
    ORR_TRY(rename_all(nics, options->nics, err));
    ORR_TRY(check_unique(gpus, nics, err));
    finish_devices(draft, gpus, options->gpus && *options->gpus);
    finish_devices(draft, nics, options->nics && *options->nics);
    finish_switches(draft, is_device);
    return ORR_OK;
}

enum orr_code orr_vm_file(const struct orr_dump *dump, const struct orr_vm_options *options, struct orr_text *text,
                          struct orr_error *err)
{
    static const struct orr_input_kind none = {.name = "", .title = ""};
    const struct orr_input input = {.bytes = ""};
    struct orr_draft draft;
    struct orr_dump *file = NULL;
    ORR_TRY(check_one_host(dump, err));
    ORR_TRY(orr_draft_init(&draft, &input, err));
    orr_draft_copy(&draft, dump);
    struct devices *lists = ORR_NEW(draft.arena, struct devices, 2);
    bool *is_device = ORR_NEW(draft.arena, bool, draft.count);
    enum orr_code code = lists && is_device && !orr_arena_starved(draft.arena)
                             ? make(&draft, options, &lists[0], &lists[1], is_device, err)
                             : orr_fail_nomem(err);
    if (code != ORR_OK) {
        orr_draft_release(&draft);
        return code;
    }
    ORR_TRY(orr_draft_finish(&draft, &input, &none, &file, err));
    orr_dump_write(file, text);
    orr_dump_free(file);
    return orr_text_failed(text) ? orr_fail_nomem(err) : ORR_OK;
}
