/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/topology/pci.h"

#include <stdio.h>
#include <string.h>

#include "engine/base/hex.h"
#include "engine/dump/dump.h"
#include "engine/release/release.h"

uint64_t orr_bus_id_parse(const char *text)
{
    uint64_t id = 0;
    int digits = 0;
    for (; *text && digits < 16; text++) {
        if (*text == ':' || *text == '.')
            continue;
        int digit = orr_hex_digit(*text);
        if (digit < 0)
            break;
        id = id << 4 | (uint64_t)digit;
        digits++;
    }
    return id;
}

char *orr_bus_id_format(uint64_t id, char buffer[ORR_BUS_ID_SIZE])
{
    snprintf(buffer, ORR_BUS_ID_SIZE, "%04llx:%02x:%02x.%x", (unsigned long long)(id >> 20),
             (unsigned)(id >> 12 & 0xff), (unsigned)(id >> 4 & 0xff), (unsigned)(id & 0xf));
    return buffer;
}

enum orr_pci_class orr_pci_class_parse(const char *text)
{
    static const struct {
        const char *prefix;
        enum orr_pci_class class;
    } rows[] = {
        {"0x060400", ORR_CLASS_PCI}, {"0x068000", ORR_CLASS_NVS}, {"0x068001", ORR_CLASS_CPU},
        {"0x03", ORR_CLASS_GPU},     {"0x02", ORR_CLASS_NIC},
    };
    for (unsigned i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (!strncmp(text, rows[i].prefix, strlen(rows[i].prefix)))
            return rows[i].class;
    return ORR_CLASS_PCI;
}

static const struct orr_speed *find_speed(const struct orr_release *release, const char *speed)
{
    const struct orr_speed *row = release->speeds;
    while (row->prefix && strncmp(speed, row->prefix, strlen(row->prefix)) != 0)
        row++;
    return row;
}

float orr_pci_bw(const struct orr_release *release, int32_t width, const char *speed)
{
    if (width == 0)
        width = 16;
    return (float)((double)(int32_t)((uint32_t)width * (uint32_t)find_speed(release, speed)->units) / 80.0);
}

bool orr_pci_speed_known(const struct orr_release *release, const char *speed)
{
    return find_speed(release, speed)->prefix != NULL;
}

uint64_t orr_pci_identity(const struct orr_dump *dump, uint32_t pci)
{
    static const enum orr_attr attrs[] = {ORR_ATTR_VENDOR, ORR_ATTR_DEVICE, ORR_ATTR_SUBSYSTEM_VENDOR,
                                          ORR_ATTR_SUBSYSTEM_DEVICE};
    uint64_t identity = 0;
    for (unsigned i = 0; i < 4; i++)
        identity += (uint64_t)(int64_t)orr_element_int(dump, pci, attrs[i], 0) << (48 - 16 * i);
    return identity;
}
