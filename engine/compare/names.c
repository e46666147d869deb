/* SPDX-License-Identifier: Apache-2.0 */
/* The names of devices for people. */
#include <stdio.h>

#include "engine/compare/devices.h"

const char *orr_device_kind_name(enum orr_device_kind kind)
{
    static const char *const names[ORR_DEVICE_KIND_COUNT] = {
        [ORR_DEVICE_WHOLE] = "system",  [ORR_DEVICE_HOST] = "host",         [ORR_DEVICE_CPU] = "cpu",
        [ORR_DEVICE_BRIDGE] = "bridge", [ORR_DEVICE_GPU_CARD] = "gpu_card", [ORR_DEVICE_NIC_CARD] = "nic_card",
        [ORR_DEVICE_GPU] = "gpu",       [ORR_DEVICE_NIC] = "nic",           [ORR_DEVICE_NET] = "net",
    };
    return names[kind];
}

static const char *text_of(const struct orr_devices *devices, uint32_t device, enum orr_attr attr)
{
    uint32_t element = device == ORR_NO_DEVICE ? ORR_NO_ELEMENT : devices->rows[device].element;
    const char *text = element == ORR_NO_ELEMENT ? NULL : orr_element_text(devices->dump, element, attr);
    return text ? text : "?";
}

/* A card is named after the devices in it. */
static uint32_t inside(const struct orr_devices *devices, uint32_t device, enum orr_device_kind kind)
{
    const struct orr_device *d = &devices->rows[device];
    for (uint32_t c = 0; c < d->child_count; c++)
        if (devices->rows[devices->children[d->first_child + c]].kind == kind)
            return devices->children[d->first_child + c];
    return ORR_NO_DEVICE;
}

char *orr_device_text(const struct orr_devices *devices, uint32_t device, char buffer[ORR_DEVICE_NAME_SIZE])
{
    const struct orr_device *d = &devices->rows[device];
    uint32_t gpu = d->kind == ORR_DEVICE_GPU_CARD ? inside(devices, device, ORR_DEVICE_GPU) : device;
    uint32_t nic = d->kind == ORR_DEVICE_NIC_CARD ? inside(devices, device, ORR_DEVICE_NIC) : device;
    uint32_t net = d->kind == ORR_DEVICE_NET || nic == ORR_NO_DEVICE ? device : inside(devices, nic, ORR_DEVICE_NET);
    switch (d->kind) {
    case ORR_DEVICE_GPU_CARD:
    case ORR_DEVICE_GPU:
        if (gpu != ORR_NO_DEVICE && devices->rows[gpu].rank >= 0)
            snprintf(buffer, ORR_DEVICE_NAME_SIZE, "GPU %d at %.24s", devices->rows[gpu].rank,
                     text_of(devices, devices->rows[gpu].parent, ORR_ATTR_BUSID));
        else
            snprintf(buffer, ORR_DEVICE_NAME_SIZE, "GPU without rank at %.24s",
                     text_of(devices, d->kind == ORR_DEVICE_GPU ? d->parent : device, ORR_ATTR_BUSID));
        break;
    case ORR_DEVICE_NIC_CARD:
    case ORR_DEVICE_NIC:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "NIC %.40s", text_of(devices, net, ORR_ATTR_NAME));
        break;
    case ORR_DEVICE_NET:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "port %.40s", text_of(devices, device, ORR_ATTR_NAME));
        break;
    case ORR_DEVICE_BRIDGE:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "bridge %.24s", text_of(devices, device, ORR_ATTR_BUSID));
        break;
    case ORR_DEVICE_CPU:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "CPU of NUMA node %.10s", text_of(devices, device, ORR_ATTR_NUMAID));
        break;
    default:
        snprintf(buffer, ORR_DEVICE_NAME_SIZE, "%s", orr_device_kind_name(d->kind));
        break;
    }
    return buffer;
}
