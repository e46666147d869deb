/* SPDX-License-Identifier: Apache-2.0 */
/* InfiniBand and RoCE devices, as NCCL's IB plugin lists them: read from /sys, with what libibverbs adds if it was
 * asked (verbs.c): max_qp, the order of devices, DMA-BUF. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/detect/detecting.h"

enum { ACTIVE = 4, MOST_PORTS = 16, QP_MLX5 = 131072, QP_OTHER = 65536 };

/* The 8 bytes of "0c42:a103:00ab:cd10" as a little-endian machine reads them. */
static uint64_t guid_of(const char *text)
{
    unsigned words[4];
    uint64_t guid = 0;
    if (sscanf(text, "%4x:%4x:%4x:%4x", &words[0], &words[1], &words[2], &words[3]) != 4)
        return 0;
    for (int i = 3; i >= 0; i--)
        guid = guid << 16 | (words[i] & 0xffu) << 8 | (words[i] >> 8 & 0xffu);
    return guid;
}

/* "400 Gb/sec (4X NDR)" in Mb/s. If the plugin's tables end at HDR and at 12 lanes, missing rows are read as the last
 * row: NDR as HDR, and two lanes, which came later, as twelve. */
static uint32_t speed_of(const struct orr_detector *d, const char *rate)
{
    enum { HDR_LANE = 50000, LAST_LANES = 12 };
    const char *bracket = strchr(rate, '(');
    char lane[8] = "";
    unsigned lanes = 0;
    double gigabits = strtod(rate, NULL);
    if (!(gigabits > 0 && gigabits < 1e6))
        return 0;
    if (d->rules.rates_end_at_hdr && bracket && sscanf(bracket, "(%2uX %7[A-Z0-9])", &lanes, lane) == 2 && lanes) {
        bool fast = !strcmp(lane, "NDR") || !strcmp(lane, "XDR");
        bool unknown = d->rules.lanes_end_at_12 && (lanes == 2 || lanes > LAST_LANES);
        double each = fast ? HDR_LANE : gigabits * 1000 / lanes;
        return (uint32_t)(each * (unknown ? LAST_LANES : lanes) + 0.5);
    }
    return (uint32_t)(gigabits * 1000 + 0.5);
}

/* The value of PATH/NAME without trailing white space. (NCCL gets these values from libibverbs, not from files.) */
static void value_of(const struct orr_detector *d, const char *path, const char *name, char value[ORR_SYS_VALUE])
{
    char file[ORR_PATH_SIZE + 64];
    value[0] = 0;
    if (snprintf(file, sizeof file, "%s/%s", path, name) >= (int)sizeof file ||
        orr_root_read(d->root, file, value, ORR_SYS_VALUE) <= 0)
        return;
    for (size_t end = strlen(value); end && isspace((unsigned char)value[end - 1]); end--)
        value[end - 1] = 0;
}

/* Changes the path of a function, such as "…/0000:2a:02.3", into that of its card; false if it is not a PCI
 * function. */
static bool merge_functions(struct orr_detector *d, char path[ORR_PATH_SIZE])
{
    size_t length = strlen(path);
    if (length < 13 || !orr_looks_like_bus_id(path + length - 12, 12))
        return false;
    path[length - 1] = '0';
    if (d->rules.functions == ORR_FUNCTIONS_OF_SLOT ||
        (d->rules.merge_vfs && !orr_detect_number_of(d, "NCCL_IB_MERGE_VFS", 1)))
        return true;
    path[length - 3] = '0';
    if (d->rules.functions == ORR_FUNCTIONS_OF_BUS)
        path[length - 4] = '0';
    return true;
}

/* The number of earlier devices on the same card. */
static int32_t ports_before(struct orr_detector *d, const struct orr_net_device *net, uint32_t count)
{
    size_t length = strlen(net->card), open = 0;
    int32_t ports = 0;
    if (d->rules.functions == ORR_FUNCTIONS_OF_BUS)
        open = orr_detect_number_of(d, "NCCL_IB_MERGE_VFS", 1) ? 4 : 1;
    for (uint32_t i = 0; i < count; i++)
        ports +=
            strlen(d->nets[i].card) == length && length >= open && !strncmp(d->nets[i].card, net->card, length - open);
    return ports;
}

/* Adds a port as the plugin lists it, unless it is down or NCCL_IB_HCA excludes it. */
static void take_port(struct orr_detector *d, const char *folder, const char *name, int32_t port)
{
    char path[ORR_PATH_SIZE], value[ORR_SYS_VALUE], layer[ORR_SYS_VALUE], rate[ORR_SYS_VALUE], guid[ORR_SYS_VALUE];
    const char *wanted = orr_detect_setting_of(d, "NCCL_IB_HCA");
    struct orr_list_entry place = {-1, -1};
    snprintf(path, sizeof path, "%.900s/ports/%d", folder, port);
    value_of(d, path, "state", value);
    value_of(d, path, "link_layer", layer);
    value_of(d, path, "rate", rate);
    value_of(d, folder, "sys_image_guid", guid);
    if (strtol(value, NULL, 10) != ACTIVE || (strcmp(layer, "InfiniBand") && strcmp(layer, "Ethernet")) ||
        (wanted && !orr_list_takes(wanted, name, port, &place)) || d->net_count == d->rules.max_ib_devices)
        return;
    struct orr_net_device *net = orr_nic_new(d);
    if (!net)
        return;
    snprintf(net->name, sizeof net->name, "%s", name);
    net->verbs = true;
    net->place = place;
    net->infiniband = !strcmp(layer, "InfiniBand");
    net->port = port;
    net->speed = speed_of(d, rate);
    net->guid = guid_of(guid);
    snprintf(path, sizeof path, "%.1000s/device", folder);
    if (orr_root_find(d->root, path, net->path) == ORR_ROOT_NONE)
        net->path[0] = 0;
    memcpy(net->card, net->path, sizeof net->card);
    if (!merge_functions(d, net->card))
        memcpy(net->card, net->path, sizeof net->card);
    snprintf(path, sizeof path, "%.1000s/device", folder);
    value_of(d, path, "vendor", value);
    /* Devices of the driver mlx5 may have been renamed, so the vendor decides; but mlx4 devices have the same
     * vendor. */
    net->mlx5 = !strncmp(name, "mlx5", 4) || (!strcmp(value, "0x15b3") && strncmp(name, "mlx4", 4) != 0);
    const struct orr_verbs_fact *fact = orr_host_facts_device(&d->facts, name);
    net->max_qp = fact && fact->max_qp ? fact->max_qp : net->mlx5 ? QP_MLX5 : QP_OTHER;
    net->dma_buf = fact ? fact->dma_buf : ORR_UNKNOWN;
}

/* "mlx5_2" before "mlx5_10". */
static int by_number(const void *a, const void *b)
{
    return strverscmp(*(const char *const *)a, *(const char *const *)b);
}

/* A name in /sys/class/infiniband, and its PCI function; "" if it has none. */
struct listed {
    const char *name;
    char bus_id[ORR_FACT_BUS];
    uint32_t number;
};

ORR_COMPARATOR(by_bus, struct listed, !a->bus_id[0] - !b->bus_id[0], strcmp(a->bus_id, b->bus_id),
               ORR_ORDER(a->number, b->number))

/* Sorts the devices into libibverbs' order; devices that it does not list come last. */
static void order_as_listed(const struct orr_host_facts *facts, struct orr_root_names *names)
{
    uint32_t placed = 0;
    for (uint32_t i = 0; i < facts->device_count; i++)
        for (uint32_t k = placed; k < names->count; k++) {
            if (strcmp(names->names[k], facts->devices[i].name))
                continue;
            const char *name = names->names[k];
            memmove(&names->names[placed + 1], &names->names[placed], (k - placed) * sizeof names->names[0]);
            names->names[placed++] = name;
            break;
        }
}

/* Sorts the devices into libibverbs' order or, without it, by the number in the name, which follows the kernel's order.
 * Newer plugins then sort by bus id. False if memory ran out. */
static bool sort_devices(struct orr_detector *d, struct orr_root_names *names)
{
    qsort(names->names, names->count, sizeof names->names[0], by_number);
    order_as_listed(&d->facts, names);
    if (!d->rules.nics_by_bus || !orr_detect_number_of(d, "NCCL_IB_DEVICE_PCI_ORDER", 1))
        return true;
    struct listed *listed = ORR_NEW(d->arena, struct listed, names->count);
    if (!listed)
        return false;
    for (uint32_t i = 0; i < names->count; i++) {
        char link[ORR_PATH_SIZE], path[ORR_PATH_SIZE];
        listed[i] = (struct listed){.name = names->names[i], .number = i};
        snprintf(link, sizeof link, "/sys/class/infiniband/%.255s/device", names->names[i]);
        const char *last = orr_root_find(d->root, link, path) != ORR_ROOT_NONE ? strrchr(path, '/') : NULL;
        snprintf(listed[i].bus_id, sizeof listed[i].bus_id, "%s", last ? last + 1 : "");
    }
    qsort(listed, names->count, sizeof listed[0], by_bus);
    for (uint32_t i = 0; i < names->count; i++)
        names->names[i] = listed[i].name;
    return true;
}

static void take_device(struct orr_detector *d, const char *name)
{
    char folder[ORR_PATH_SIZE], path[ORR_PATH_SIZE + 16];
    bool opens = !d->facts.verbs_known;
    struct orr_root_names ports;
    snprintf(folder, sizeof folder, "/sys/class/infiniband/%.255s", name);
    snprintf(path, sizeof path, "%s/ports", folder);
    for (uint32_t i = 0; i < d->facts.verbs_count; i++)
        opens = opens || !strcmp(d->facts.verbs[i], name);
    if (!opens)
        orr_note(d, ORR_NOTE_NO_VERBS,
                 "%.40s is listed, but this user may not open it, so NCCL skips it when this user runs it", name);
    else if (d->facts.ibverbs && !orr_host_facts_device(&d->facts, name))
        orr_note(d, ORR_NOTE_NOT_LISTED, "%.40s is in /sys, but libibverbs does not list or open it, so NCCL skips it",
                 name);
    if (!orr_detector_list(d, path, &ports) || !ports.count)
        return;
    qsort(ports.names, ports.count, sizeof ports.names[0], by_number);
    for (uint32_t i = 0; i < ports.count && i < MOST_PORTS; i++) {
        int32_t port = (int32_t)strtol(ports.names[i], NULL, 10);
        if (port > 0)
            take_port(d, folder, name, port);
    }
}

/* Merges the two ports of a card into one device, like the plugin did before NCCL merged NICs for all plugins. */
static void join_ports(struct orr_detector *d)
{
    uint32_t kept = 0;
    if (orr_nic_merge_of(d->release) != ORR_MERGE_IN_PLUGIN || !orr_detect_number_of(d, "NCCL_IB_MERGE_NICS", 1))
        return;
    for (uint32_t i = 0; i < d->net_count; i++) {
        struct orr_net_device *net = &d->nets[i], *with = NULL;
        for (uint32_t k = 0; k < kept && !with; k++)
            if (net->card[0] && !strcmp(d->nets[k].card, net->card) && d->nets[k].guid == net->guid &&
                d->nets[k].infiniband == net->infiniband && !strchr(d->nets[k].name, '+'))
                with = &d->nets[k];
        if (!with) {
            d->nets[kept++] = *net;
            continue;
        }
        size_t used = strlen(with->name);
        snprintf(with->name + used, sizeof with->name - used, "+%s", net->name);
        with->speed += net->speed;
        orr_note(d, ORR_NOTE_DUAL_PORT, "this release uses the ports %s of one card as one device", with->name);
    }
    d->net_count = kept;
}

void orr_nics_verbs(struct orr_detector *d)
{
    struct orr_root_names names;
    if (orr_detect_number_of(d, "NCCL_IB_DISABLE", 0) || !orr_detector_list(d, "/sys/class/infiniband", &names) ||
        !names.count)
        return;
    if (!sort_devices(d, &names))
        return;
    for (uint32_t i = 0; i < names.count; i++)
        take_device(d, names.names[i]);
    if (!d->net_count)
        return;
    for (uint32_t i = 0; i < d->net_count; i++)
        d->nets[i].listed_port = d->nets[i].port + ports_before(d, &d->nets[i], i);
    join_ports(d);
    if (!d->facts.ibverbs)
        orr_note(d, ORR_NOTE_MAX_QP_ASSUMED,
                 "the RDMA devices were read from /sys, not through libibverbs%s%.100s%s: %s, and maxconn is assumed "
                 "to be %u",
                 d->facts.ibverbs_problem[0] ? " (" : "", d->facts.ibverbs_problem,
                 d->facts.ibverbs_problem[0] ? ")" : "",
                 d->rules.nics_by_bus ? "their order is that of their bus ids" : "their order is that of their names",
                 d->nets[0].max_qp);
}
