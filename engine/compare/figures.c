/* SPDX-License-Identifier: Apache-2.0 */
/* The figures of a device: one row for each attribute. Numbers, speeds and ids get one form, regardless of how a
 * release or kernel wrote them into the dump. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/compare/devices.h"

enum reading {
    NUMBER, /* read by strtol() */
    REAL,   /* read by strtof() */
    TEXT,
    RATE,     /* PCIe speed: "16.0 GT/s PCIe" equals "16 GT/s" */
    MODEL,    /* vendor:device of a card */
    NUMA,     /* known or not */
    C2C,      /* links and MB/s */
    RANK,     /* its place among the ranks */
    SWITCHES, /* NVSwitches and links to them */
    HIDDEN,   /* NVLinks to devices outside the dump */
    SHARED    /* ports of one card */
};

#define ORR_OF(kind) (1u << ORR_DEVICE_##kind)
#define CARDS        (ORR_OF(BRIDGE) | ORR_OF(GPU_CARD) | ORR_OF(NIC_CARD))

static const struct row {
    struct orr_figure figure;
    unsigned kinds;
    enum reading reading;
    enum orr_attr attr;
    const char *absent; /* what the attribute means if it is missing */
} rows[] = {
    {{"cpu_arch", "CPU architecture", false}, ORR_OF(CPU), TEXT, ORR_ATTR_ARCH, "?"},
    {{"cpu_vendor", "CPU vendor", false}, ORR_OF(CPU), TEXT, ORR_ATTR_VENDOR, "?"},
    {{"cpu_family", "CPU family", false}, ORR_OF(CPU), NUMBER, ORR_ATTR_FAMILYID, "?"},
    {{"cpu_model", "CPU model", false}, ORR_OF(CPU), NUMBER, ORR_ATTR_MODELID, "?"},
    {{"numa", "NUMA node", false}, ORR_OF(CPU), NUMA, ORR_ATTR_NUMAID, "unknown"},
    {{"model", "vendor:device", false}, CARDS, MODEL, ORR_ATTR_VENDOR, "?"},
    {{"link_speed", "PCIe speed", false}, CARDS, RATE, ORR_ATTR_LINK_SPEED, "?"},
    {{"link_width", "PCIe lanes", false}, CARDS, NUMBER, ORR_ATTR_LINK_WIDTH, "?"},
    {{"sm", "compute capability", false}, ORR_OF(GPU), NUMBER, ORR_ATTR_SM, "?"},
    {{"gpu_gdr", "GPUDirect RDMA of the GPU", false}, ORR_OF(GPU), NUMBER, ORR_ATTR_GDR, "0"},
    {{"partition", "partition of the GPU", false}, ORR_OF(GPU), NUMBER, ORR_ATTR_MLOPART, "-1"},
    {{"takes_part", "takes part", false}, ORR_OF(GPU), RANK, ORR_ATTR_RANK, "no"},
    {{"nvswitches", "NVLinks to NVSwitches", false}, ORR_OF(GPU), SWITCHES, ORR_ATTR_COUNT_, ""},
    {{"nvlinks_hidden", "NVLinks to devices that the dump does not list", false},
     ORR_OF(GPU),
     HIDDEN,
     ORR_ATTR_COUNT_,
     ""},
    {{"c2c", "C2C to the CPU", false}, ORR_OF(GPU), C2C, ORR_ATTR_BW, "0"},
    {{"speed", "port speed, Mb/s", false}, ORR_OF(NET), NUMBER, ORR_ATTR_SPEED, "?"},
    {{"gdr", "GPUDirect RDMA of the port", false}, ORR_OF(NET), NUMBER, ORR_ATTR_GDR, "0"},
    {{"coll", "CollNet", false}, ORR_OF(NET), NUMBER, ORR_ATTR_COLL, "0"},
    {{"maxconn", "connections", false}, ORR_OF(NET), NUMBER, ORR_ATTR_MAXCONN, "?"},
    {{"latency", "latency, us", false}, ORR_OF(NET), REAL, ORR_ATTR_LATENCY, "0"},
    {{"port", "port of the card", false}, ORR_OF(NET), NUMBER, ORR_ATTR_PORT, "?"},
    {{"rail", "rail", false}, ORR_OF(NET), NUMBER, ORR_ATTR_RAIL, "?"},
    {{"plane", "plane", false}, ORR_OF(NET), NUMBER, ORR_ATTR_PLANE, "?"},
    {{"guid_shared", "ports with its guid", false}, ORR_OF(NET), SHARED, ORR_ATTR_GUID, ""},
    {{"rank", "rank", true}, ORR_OF(GPU), RANK, ORR_ATTR_RANK, ""},
    {{"gpu_dev", "number of the GPU", true}, ORR_OF(GPU), NUMBER, ORR_ATTR_DEV, "?"},
    {{"net_dev", "number of the NIC", true}, ORR_OF(NET), NUMBER, ORR_ATTR_DEV, "?"},
    {{"net_name", "name of the NIC", true}, ORR_OF(NET), TEXT, ORR_ATTR_NAME, "?"},
    {{"numaid", "number of the NUMA node", true}, ORR_OF(CPU), NUMBER, ORR_ATTR_NUMAID, "?"},
    {{"busid", "bus id", true}, CARDS, TEXT, ORR_ATTR_BUSID, "?"},
};
enum { ROW_COUNT = sizeof rows / sizeof rows[0] };

const struct orr_figure *orr_figure(size_t i)
{
    return i < ROW_COUNT ? &rows[i].figure : NULL;
}

/* Figures that the room `hardware` reads; false if it does not know this one. */
static bool write_hardware(const struct orr_devices *devices, uint32_t element, enum reading reading,
                           char text[ORR_FIGURE_SIZE])
{
    static const struct orr_card none = {0};
    uint32_t at = devices->hw.card_of[element];
    const struct orr_card *card = at == ORR_NO_CARD ? &none : &devices->hw.cards[at];
    double c2c;
    switch (reading) {
    case C2C:
        c2c = orr_gpu_c2c(devices->dump, element);
        snprintf(text, ORR_FIGURE_SIZE, c2c > 0 ? "%.6g GB/s" : "none", c2c);
        return true;
    case RATE:
        snprintf(text, ORR_FIGURE_SIZE, "%g GT/s", (double)card->rate);
        return card->rate > 0;
    case MODEL:
        snprintf(text, ORR_FIGURE_SIZE, "%04x:%04x", (unsigned)(card->identity >> 48),
                 (unsigned)(card->identity >> 32 & 0xffff));
        return card->identity != 0;
    default:
        return false;
    }
}

bool orr_figure_of(const struct orr_devices *devices, uint32_t device, size_t figure, char text[ORR_FIGURE_SIZE])
{
    const struct orr_device *d = &devices->rows[device];
    const struct row *row = &rows[figure];
    if (!(row->kinds >> d->kind & 1))
        return false;
    const char *value = orr_element_text(devices->dump, d->element, row->attr);
    switch (row->reading) {
    case SWITCHES:
        snprintf(text, ORR_FIGURE_SIZE, d->switches ? "%u to %u" : "none", d->switch_links, d->switches);
        return true;
    case HIDDEN:
        snprintf(text, ORR_FIGURE_SIZE, "%u", d->hidden_links);
        return true;
    case SHARED:
        snprintf(text, ORR_FIGURE_SIZE, "%u", d->guid_shared);
        return true;
    case RANK:
        if (!row->figure.numbering)
            snprintf(text, ORR_FIGURE_SIZE, "%s", d->rank < 0 ? "no" : "yes");
        else
            snprintf(text, ORR_FIGURE_SIZE, d->rank < 0 ? "none" : "%d", d->rank);
        return true;
    default:
        break;
    }
    if (write_hardware(devices, d->element, row->reading, text))
        return true;
    if (!value || !*value) {
        snprintf(text, ORR_FIGURE_SIZE, "%s", row->absent);
        return true;
    }
    if (row->reading == NUMBER)
        snprintf(text, ORR_FIGURE_SIZE, "%ld", strtol(value, NULL, 0));
    else if (row->reading == REAL)
        snprintf(text, ORR_FIGURE_SIZE, "%g", strtod(value, NULL));
    else if (row->reading == NUMA)
        snprintf(text, ORR_FIGURE_SIZE, "%s", strtol(value, NULL, 0) < 0 ? "unknown" : "known");
    else
        snprintf(text, ORR_FIGURE_SIZE, "%.60s", value);
    return true;
}
