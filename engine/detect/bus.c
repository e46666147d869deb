/* SPDX-License-Identifier: Apache-2.0 */
/* The PCI tree: from a bus id to its folder in /sys, the values of a <pci>, and its parent. docs/nccl/detection.md,
 * "PCIe devices and their parents". */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/detect/detecting.h"
#include "engine/hardware/pcie.h"

enum { BUS = 7 }; /* characters of "0000:1b" */

static const char *look_up(struct orr_detector *d, const char *bus_id)
{
    char link[64], path[ORR_PATH_SIZE];
    if (!orr_looks_like_bus_id(bus_id, strlen(bus_id)))
        return NULL;
    snprintf(link, sizeof link, "/sys/class/pci_bus/%.*s/../../%s", (int)BUS, bus_id, bus_id);
    if (orr_root_find(d->root, link, path) != ORR_ROOT_FOLDER) {
        snprintf(link, sizeof link, "/sys/bus/pci/devices/%s", bus_id);
        if (orr_root_find(d->root, "/sys/class/pci_bus", NULL) == ORR_ROOT_FOLDER ||
            orr_root_find(d->root, link, path) != ORR_ROOT_FOLDER)
            return NULL;
        orr_note(d, ORR_NOTE_NO_PCI_BUS,
                 "/sys/class/pci_bus is missing, so devices were found by /sys/bus/pci/devices; NCCL would have put "
                 "all of them on a CPU without a NUMA node");
    }
    return orr_arena_strndup(d->arena, path, strlen(path));
}

const char *orr_bus_path(struct orr_detector *d, const char *bus_id)
{
    const uint64_t hash = orr_hash_key(orr_hash_seeded(), bus_id, strlen(bus_id));
    uintptr_t row;
    d->buses.arena = d->arena;
    for (struct orr_probe probe = {0}; orr_index_next(&d->buses, hash, &probe, &row);)
        if (!strcmp(d->bus[row].bus_id, bus_id))
            return d->bus[row].path;
    const char *path = look_up(d, bus_id), *kept = orr_arena_strndup(d->arena, bus_id, strlen(bus_id));
    if (!kept || !ORR_RESERVE(d->arena, d->bus, d->bus_count, d->bus_capacity)) {
        d->bus_count = 0; /* a failed ORR_RESERVE() drops the array */
        d->buses = (struct orr_index){0};
        return NULL;
    }
    if (orr_index_add(&d->buses, hash, d->bus_count))
        d->bus[d->bus_count++] = (struct orr_bus_entry){.bus_id = kept, .path = path};
    return path;
}

/* Transfers per second and lane of "16.0 GT/s PCIe". Unparseable text counts as unlimited. */
static float speed_of(const char *text)
{
    float rate;
    int taken = 0;
    return sscanf(text, "%f GT/s%n", &rate, &taken) == 1 && taken ? rate : 1e9f;
}

static bool is_network(const struct orr_doc_node *pci)
{
    const char *class = orr_doc_get(pci, ORR_ATTR_CLASS);
    return class && !strncmp(class, "0x02", 4);
}

/* The slower of a function and the port that it is plugged into. */
static void set_link(struct orr_detector *d, struct orr_doc_node *pci, const char *path)
{
    char own[ORR_SYS_VALUE], above[ORR_SYS_VALUE], now[ORR_SYS_VALUE];
    if (!orr_doc_get(pci, ORR_ATTR_LINK_SPEED)) {
        orr_sys_value(d, path, "max_link_speed", own);
        orr_sys_value(d, path, "../max_link_speed", above);
        orr_sys_value(d, path, "current_link_speed", now);
        const char *slower = speed_of(above) < speed_of(own) ? above : own;
        if (d->options->trained && is_network(pci) && speed_of(now) < speed_of(slower))
            slower = now;
        orr_doc_set(d->tree, pci, ORR_ATTR_LINK_SPEED, "%s", slower);
    }
    if (!orr_doc_get(pci, ORR_ATTR_LINK_WIDTH)) {
        orr_sys_value(d, path, "max_link_width", own);
        orr_sys_value(d, path, "../max_link_width", above);
        orr_sys_value(d, path, "current_link_width", now);
        long lanes = strtol(own, NULL, 0), lanes_above = strtol(above, NULL, 0), lanes_now = strtol(now, NULL, 0);
        lanes = lanes_above < lanes ? lanes_above : lanes;
        if (d->options->trained && lanes_now > 0 && lanes_now < lanes) /* 0 if unknown */
            lanes = lanes_now;
        orr_doc_set(d->tree, pci, ORR_ATTR_LINK_WIDTH, "%ld", lanes);
    }
}

static const enum orr_attr ids_of_pci[] = {ORR_ATTR_VENDOR, ORR_ATTR_DEVICE, ORR_ATTR_SUBSYSTEM_VENDOR,
                                           ORR_ATTR_SUBSYSTEM_DEVICE};

static void set_ids(struct orr_detector *d, struct orr_doc_node *pci, const char *path)
{
    char value[ORR_SYS_VALUE];
    for (int i = 0; i < 4; i++) {
        orr_sys_value(d, path, orr_attr_name(ids_of_pci[i]), value);
        if (value[0])
            orr_doc_set_once(d->tree, pci, ids_of_pci[i], "%s", value);
    }
}

/* What NVML says about a GPU replaces /sys: its ids without padding, and its link as it is now. */
static bool set_from_nvml(struct orr_detector *d, struct orr_doc_node *pci, const char *bus_id)
{
    const char *class = orr_doc_get(pci, ORR_ATTR_CLASS);
    const struct orr_gpu_fact *gpu = orr_host_facts_gpu(&d->facts, bus_id);
    if (!d->rules.pci_from_nvml || !d->facts.nvml || !gpu || (class && strncmp(class, "0x03", 4)))
        return false;
    const uint32_t ids[] = {gpu->device & 0xffffu, gpu->device >> 16, gpu->subsystem & 0xffffu, gpu->subsystem >> 16};
    for (int i = 0; i < 4; i++)
        orr_doc_set_once(d->tree, pci, ids_of_pci[i], "0x%x", ids[i]);
    uint32_t generation = gpu->generation <= 6 ? gpu->generation : 0;
    if (d->options->trained && gpu->full_generation && gpu->full_generation <= 6)
        generation = gpu->full_generation;
    orr_doc_set_once(d->tree, pci, ORR_ATTR_LINK_SPEED, "%s",
                     generation ? orr_pcie_speed_text(generation) : "16.0 GT/s");
    orr_doc_set_once(d->tree, pci, ORR_ATTR_LINK_WIDTH, "%u", gpu->width ? gpu->width : 16);
    if (generation && generation < gpu->full_generation)
        orr_note(d, ORR_NOTE_IDLE_LINK,
                 "GPU %s runs its PCIe link at generation %u now and can reach %u; this release of NCCL writes the "
                 "link as it is at that moment",
                 bus_id, generation, gpu->full_generation);
    return true;
}

/* Links of a Broadcom switch to its peers, up to the number of children that the release allows an element. */
static void add_peers(struct orr_detector *d, struct orr_doc_node *pci, const char *bus_id)
{
    const char *vendor = orr_doc_get(pci, ORR_ATTR_VENDOR);
    char folder[128];
    struct orr_root_names names;
    if (!d->rules.peer_links || pci->linked || !vendor || strcmp(vendor, "0x1000"))
        return;
    pci->linked = true; /* once is enough: this runs for each device below the switch */
    snprintf(folder, sizeof folder, "/sys/kernel/pci_switch_link/virtual_switch_links/%.24s", bus_id);
    if (!orr_detector_list(d, folder, &names))
        return;
    for (uint32_t i = 0, peers = 0; i < names.count; i++) {
        if (strlen(names.names[i]) != ORR_BUS_ID_LENGTH || !orr_bus_path(d, names.names[i]))
            continue;
        if (peers++ == d->release->max_children) {
            orr_note(d, ORR_NOTE_TOO_LARGE, "the switch %s has more than %u peers", bus_id, d->release->max_children);
            break;
        }
        if (!orr_doc_child_with(pci, ORR_ELEMENT_PCILINK, ORR_ATTR_TARGET, names.names[i]))
            orr_doc_set(d->tree, orr_doc_add(d->tree, pci, ORR_ELEMENT_PCILINK, NULL), ORR_ATTR_TARGET, "%s",
                        names.names[i]);
    }
}

struct orr_doc_node *orr_bus_element(struct orr_detector *d, const char *bus_id, const char *class)
{
    struct orr_doc_node *pci = orr_doc_find(d->tree->system, ORR_ELEMENT_PCI, ORR_ATTR_BUSID, bus_id);
    if (!pci) {
        pci = orr_doc_add(d->tree, NULL, ORR_ELEMENT_PCI, NULL);
        orr_doc_set(d->tree, pci, ORR_ATTR_BUSID, "%s", bus_id);
    }
    if (class && d->rules.class_of_sys) /* earlier rules take the class from /sys alone */
        orr_doc_set_once(d->tree, pci, ORR_ATTR_CLASS, "%s", class);
    return pci;
}

/* Puts an element before the first sibling with a greater bus id if the release sorts, or else at the end. */
static void hang(struct orr_detector *d, struct orr_doc_node *pci, struct orr_doc_node *parent)
{
    orr_doc_move(pci, parent, NULL);
    if (d->rules.sorts_by_bus)
        orr_doc_sort_in(pci);
}

/* In "…/C2/C1/FUNCTION", C2 is the upstream port of a switch, which is then the parent; if C2 is not a bus id, the
 * parent is a CPU. */
static struct orr_doc_node *find_parent(struct orr_detector *d, const struct orr_doc_node *pci, const char *path)
{
    char numa[ORR_SYS_VALUE];
    const char *parts[3] = {NULL, NULL, NULL}; /* from the end */
    size_t lengths[3] = {0, 0, 0}, end = strlen(path);
    for (int i = 0; i < 3 && end; i++) {
        size_t start = end;
        while (start && path[start - 1] != '/')
            start--;
        parts[i] = path + start;
        lengths[i] = end - start;
        end = start ? start - 1 : 0;
    }
    if (parts[1] && orr_looks_like_bus_id(parts[1], lengths[1]) && parts[2] &&
        orr_looks_like_bus_id(parts[2], lengths[2])) {
        char bus_id[ORR_BUS_ID_LENGTH + 1];
        memcpy(bus_id, parts[2], ORR_BUS_ID_LENGTH);
        bus_id[ORR_BUS_ID_LENGTH] = 0;
        /* The links of a hostile copy may form a circle; those of a machine never do. */
        bool circle = orr_doc_find(pci, ORR_ELEMENT_PCI, ORR_ATTR_BUSID, bus_id) ||
                      !strcmp(orr_doc_get(pci, ORR_ATTR_BUSID), bus_id);
        return circle ? orr_host_cpu(d, "-1") : orr_bus_element(d, bus_id, NULL);
    }
    orr_sys_value(d, path, "numa_node", numa);
    return orr_host_cpu(d, numa); /* if the file is missing, the text is empty, and NCCL's numaid is empty, too */
}

static void complete_one(struct orr_detector *d, struct orr_doc_node *pci)
{
    const char *bus_id = orr_doc_get(pci, ORR_ATTR_BUSID);
    const char *path = bus_id ? orr_bus_path(d, bus_id) : NULL;
    char value[ORR_SYS_VALUE] = "";
    if (!bus_id)
        return;
    if (path)
        orr_sys_value(d, path, "class", value);
    if (value[0] && d->rules.class_of_sys)
        orr_doc_set(d->tree, pci, ORR_ATTR_CLASS, "%s", value);
    else if (value[0])
        orr_doc_set_once(d->tree, pci, ORR_ATTR_CLASS, "%s", value);
    if (!set_from_nvml(d, pci, bus_id)) {
        if (path && d->rules.device_ids)
            set_ids(d, pci, path);
        if (path)
            set_link(d, pci, path);
        orr_doc_set_once(d->tree, pci, ORR_ATTR_LINK_SPEED, "%s", "");
        orr_doc_set_once(d->tree, pci, ORR_ATTR_LINK_WIDTH, "%s", "");
    }
    if (path)
        add_peers(d, pci, bus_id);
    const char *vendor = orr_doc_get(pci, ORR_ATTR_VENDOR), *device = orr_doc_get(pci, ORR_ATTR_DEVICE);
    if (vendor && device && !strcmp(vendor, "0x104c") && !strcmp(device, "0x8232"))
        orr_note(d, ORR_NOTE_EMULATED_SWITCH,
                 "the switch %s is a hypervisor's emulation (104c:8232) that reports %s x%s, so NCCL assumes that "
                 "bandwidth for all devices below it",
                 bus_id, orr_doc_get(pci, ORR_ATTR_LINK_SPEED), orr_doc_get(pci, ORR_ATTR_LINK_WIDTH));
    if (!pci->parent)
        hang(d, pci, path ? find_parent(d, pci, path) : orr_host_cpu(d, "-1"));
}

void orr_bus_complete(struct orr_detector *d, struct orr_doc_node *node)
{
    for (int depth = 0; node && node != d->tree->system && depth < ORR_ROOT_DEPTH && !orr_arena_starved(d->arena);
         depth++) {
        if (node->kind == ORR_ELEMENT_CPU)
            orr_host_complete(d, node);
        else if (node->kind == ORR_ELEMENT_PCI)
            complete_one(d, node);
        node = node->parent;
    }
}
