/* SPDX-License-Identifier: Apache-2.0 */
/* The record of one node that topograph's design of GPU-to-NIC rail mapping asks for (NVIDIA/topograph #442, #443,
 * schema v1alpha1): for each GPU and rail the closest NICs, with NVIDIA's class of their PCIe path.
 *
 * A dump does not have the node's UID, which is left out, nor the UUIDs of GPUs, so PCI addresses are the keys.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/exports/exports.h"

enum { MOST_DEVICES = 256, ADDRESS = 32 };

/* ORDER: the closest first, as `nvidia-smi topo -m` names them. A dump does not have host bridges: PHB means NODE as
 * well. */
enum path_class { PATH_PIX, PATH_PXB, PATH_PHB, PATH_SYS };
static const char *const class_names[] = {"PIX", "PXB", "PHB", "SYS"};

struct device {
    char address[ADDRESS]; /* 0000:3b:00.0 */
    uint32_t element;      /* of its <pci> */
    int32_t rail;          /* of a NIC's port */
};

struct record {
    const struct orr_dump *dump;
    struct device *gpus, *nics; /* nics: one entry for each port */
    uint32_t gpu_count, nic_count;
    bool rails_known; /* the dump says which rail each port is on */
};

static uint32_t parent_of(const struct orr_dump *dump, uint32_t element, enum orr_element_kind kind)
{
    while (element != ORR_NO_ELEMENT && dump->elements[element].kind != kind)
        element = dump->elements[element].parent;
    return element;
}

/* Lower case, with four digits of domain; false if there is no PCI address. */
static bool read_address(const struct orr_dump *dump, uint32_t pci, char address[ADDRESS])
{
    const char *text = pci == ORR_NO_ELEMENT ? NULL : orr_element_text(dump, pci, ORR_ATTR_BUSID);
    unsigned domain, bus, device, function;
    int end = 0;
    if (!text || sscanf(text, "%x:%x:%x.%x%n", &domain, &bus, &device, &function, &end) != 4 || text[end] ||
        bus > 0xff || device > 0x1f || function > 7)
        return false;
    snprintf(address, ADDRESS, "%04x:%02x:%02x.%x", domain, bus, device, function);
    return true;
}

ORR_COMPARATOR(compare_devices, struct device, strcmp(a->address, b->address), ORR_ORDER(a->rail, b->rail))

static enum orr_code read_devices(struct record *r, struct orr_error *err)
{
    const struct orr_dump *dump = r->dump;
    int32_t index = 0;
    r->rails_known = true;
    for (uint32_t e = 0; e < dump->element_count; e++) {
        const enum orr_element_kind kind = dump->elements[e].kind;
        if (kind == ORR_ELEMENT_NET && !orr_element_text(dump, e, ORR_ATTR_RAIL))
            r->rails_known = false;
    }
    for (uint32_t e = 0; e < dump->element_count; e++) {
        const enum orr_element_kind kind = dump->elements[e].kind;
        struct device *device = kind == ORR_ELEMENT_GPU   ? &r->gpus[r->gpu_count]
                                : kind == ORR_ELEMENT_NET ? &r->nics[r->nic_count]
                                                          : NULL;
        if (!device)
            continue;
        if (r->gpu_count + 1 == MOST_DEVICES || r->nic_count + 1 == MOST_DEVICES)
            return orr_fail(err, ORR_LIMIT, "more than %d GPUs or NICs", MOST_DEVICES - 2);
        device->element = parent_of(dump, e, ORR_ELEMENT_PCI);
        if (kind == ORR_ELEMENT_NET)
            device->rail = r->rails_known ? orr_element_int(dump, e, ORR_ATTR_RAIL, 0)
                                          : orr_element_int(dump, e, ORR_ATTR_DEV, index++);
        if (!read_address(dump, device->element, device->address))
            continue;
        r->gpu_count += kind == ORR_ELEMENT_GPU;
        r->nic_count += kind == ORR_ELEMENT_NET;
    }
    qsort(r->gpus, r->gpu_count, sizeof *r->gpus, compare_devices);
    qsort(r->nics, r->nic_count, sizeof *r->nics, compare_devices);
    return r->nic_count ? ORR_OK : orr_fail(err, ORR_INVALID, "the machine has no NIC with a PCI address");
}

static uint32_t depth_of(const struct orr_dump *dump, uint32_t element)
{
    uint32_t depth = 0;
    for (; dump->elements[element].parent != ORR_NO_ELEMENT; element = dump->elements[element].parent)
        depth++;
    return depth;
}

/* The distance between two PCI devices. */
static enum path_class class_of(const struct orr_dump *dump, uint32_t a, uint32_t b)
{
    uint32_t depth_a = depth_of(dump, a), depth_b = depth_of(dump, b), bridges = 0;
    const uint32_t first = a, second = b;
    while (a != b) {
        const bool up_a = depth_a >= depth_b, up_b = depth_b >= depth_a;
        if (up_a) {
            bridges += a != first;
            a = dump->elements[a].parent;
            depth_a--;
        }
        if (up_b) {
            bridges += b != second;
            b = dump->elements[b].parent;
            depth_b--;
        }
    }
    if (dump->elements[a].kind == ORR_ELEMENT_PCI)
        return bridges + (a != first && a != second) > 1 ? PATH_PXB : PATH_PIX;
    return dump->elements[a].kind == ORR_ELEMENT_CPU ? PATH_PHB : PATH_SYS;
}

static void write_nics(const struct record *r, struct orr_text *text)
{
    orr_text_puts(text, "  \"nics\": {");
    for (uint32_t i = 0; i < r->nic_count; i++) {
        const bool same = i && !strcmp(r->nics[i - 1].address, r->nics[i].address);
        if (same && r->nics[i - 1].rail == r->nics[i].rail)
            continue;
        if (same)
            orr_text_printf(text, ", \"rail%d\"", r->nics[i].rail);
        else
            orr_text_printf(text, "%s\n    \"%s\": [\"rail%d\"", i ? "]," : "", r->nics[i].address, r->nics[i].rail);
    }
    orr_text_puts(text, "]\n  },\n");
}

/* Writes the closest NICs of a rail: all that are equally close. */
static void write_rail(const struct record *r, const struct device *gpu, int32_t rail, struct orr_text *text)
{
    enum path_class best = PATH_SYS;
    const char *comma = "", *last = "";
    for (uint32_t i = 0; i < r->nic_count; i++)
        if (r->nics[i].rail == rail) {
            const enum path_class class = class_of(r->dump, gpu->element, r->nics[i].element);
            best = class < best ? class : best;
        }
    orr_text_printf(text, "\"rail%d\": [", rail);
    for (uint32_t i = 0; i < r->nic_count; i++)
        if (r->nics[i].rail == rail && strcmp(last, r->nics[i].address) != 0 &&
            class_of(r->dump, gpu->element, r->nics[i].element) == best) {
            orr_text_printf(text, "%s{\"nic\": \"%s\", \"path\": \"%s\"}", comma, r->nics[i].address,
                            class_names[best]);
            comma = ", ";
            last = r->nics[i].address;
        }
    orr_text_puts(text, "]");
}

/* The next rail above `after` that some NIC has; INT32_MAX if there are no more. */
static int32_t next_rail(const struct record *r, int32_t after)
{
    int32_t next = INT32_MAX;
    for (uint32_t i = 0; i < r->nic_count; i++)
        if (r->nics[i].rail > after && r->nics[i].rail < next)
            next = r->nics[i].rail;
    return next;
}

static void write_gpus(const struct record *r, struct orr_text *text)
{
    orr_text_puts(text, "  \"gpus\": {");
    for (uint32_t g = 0; g < r->gpu_count; g++) {
        const struct device *gpu = &r->gpus[g];
        const char *comma = "";
        orr_text_printf(text, "%s\n    \"%s\": {\n      \"pciAddress\": \"%s\",\n      \"rails\": {", g ? "," : "",
                        gpu->address, gpu->address);
        for (int32_t rail = next_rail(r, -1); rail != INT32_MAX; rail = next_rail(r, rail)) {
            orr_text_printf(text, "%s\n        ", comma);
            write_rail(r, gpu, rail, text);
            comma = ",";
        }
        orr_text_puts(text, "\n      }\n    }");
    }
    orr_text_puts(text, r->gpu_count ? "\n  }\n" : "}\n");
}

enum orr_code orr_export_topograph(const struct orr_export_request *request, struct orr_text *text,
                                   struct orr_error *err)
{
    struct record record = {.dump = request->hosts[0].dump,
                            .gpus = calloc(MOST_DEVICES, sizeof(struct device)),
                            .nics = calloc(MOST_DEVICES, sizeof(struct device))};
    enum orr_code code = record.gpus && record.nics ? read_devices(&record, err) : orr_fail_nomem(err);
    if (code == ORR_OK) {
        orr_text_printf(text, "{\n  \"schemaVersion\": \"v1alpha1\",\n  \"railSource\": \"%s\",\n",
                        record.rails_known ? "nccl-topology" : "nccl-nic-index");
        write_nics(&record, text);
        write_gpus(&record, text);
        orr_text_puts(text, "}\n");
    }
    free(record.gpus);
    free(record.nics);
    return code;
}
