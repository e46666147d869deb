/* SPDX-License-Identifier: Apache-2.0 */
/* Network interfaces, as NCCL's socket plugin lists them; the IB plugin asks for one of them as well. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/sorting.h"
#include "engine/detect/detecting.h"

enum { SPEED_BYTES = 7, MOST_INTERFACES = 16, UNKNOWN_SPEED = 10000, MAXCONN = 65536 };

/* An interface of a copy, and its number in the kernel; 0 if unknown. */
struct copied {
    const char *name;
    long index;
};

ORR_COMPARATOR(by_index, struct copied, ORR_ORDER(a->index, b->index), strcmp(a->name, b->name))

/* Sorts into the order of getifaddrs(), as far as the copy shows it. */
static void sort_names(struct orr_detector *d, struct orr_root_names *names)
{
    struct copied *copied = ORR_NEW(d->arena, struct copied, names->count + 1);
    char path[128], index[ORR_SYS_VALUE];
    if (!copied)
        return;
    for (uint32_t i = 0; i < names->count; i++) {
        snprintf(path, sizeof path, "/sys/class/net/%.60s/ifindex", names->names[i]);
        orr_root_read(d->root, path, index, sizeof index);
        copied[i] = (struct copied){names->names[i], strtol(index, NULL, 10)};
    }
    qsort(copied, names->count, sizeof copied[0], by_index);
    for (uint32_t i = 0; i < names->count; i++)
        names->names[i] = copied[i].name;
}

/* A copy shows which interfaces existed, but not their addresses: an interface that was up is assumed to have one. */
static void assume_interfaces(struct orr_detector *d)
{
    struct orr_root_names names;
    char path[128], state[ORR_SYS_VALUE];
    if (d->facts.interfaces_known || !orr_detector_list(d, "/sys/class/net", &names))
        return;
    sort_names(d, &names);
    for (uint32_t i = 0; i < names.count && d->facts.interface_count < ORR_FACT_INTERFACES; i++) {
        snprintf(path, sizeof path, "/sys/class/net/%.60s", names.names[i]);
        orr_sys_value(d, path, "operstate", state);
        if (strlen(names.names[i]) >= sizeof d->facts.interfaces[0].name || !strcmp(state, "down"))
            continue;
        struct orr_interface_fact *fact = &d->facts.interfaces[d->facts.interface_count++];
        *fact = (struct orr_interface_fact){.running = true};
        memcpy(fact->name, names.names[i], strlen(names.names[i]) + 1);
    }
    d->facts.interfaces_known = true;
    if (d->facts.interface_count)
        orr_note(d, ORR_NOTE_INTERFACES_ASSUMED,
                 "it is unknown which interfaces have addresses: those that are not down are assumed to have one");
}

/* The interfaces that a list selects, in the system's order; only the first entry of each name. */
static uint32_t take(struct orr_detector *d, const char *list, struct orr_interface_fact *ret_chosen, uint32_t most)
{
    const char *family = orr_detect_setting_of(d, "NCCL_SOCKET_FAMILY");
    uint32_t count = 0;
    for (int inet6 = 0; inet6 < 2; inet6++) /* getifaddrs() lists IPv4 first */
        for (uint32_t i = 0; i < d->facts.interface_count && count < most; i++) {
            const struct orr_interface_fact *at = &d->facts.interfaces[i];
            bool known = false;
            for (uint32_t k = 0; k < count; k++)
                known = known || !strcmp(ret_chosen[k].name, at->name);
            if (known || at->inet6 != (inet6 == 1) || (at->inet6 && at->loopback) ||
                (d->rules.interfaces_run && !at->running) || (family && !strcmp(family, "AF_INET") && at->inet6) ||
                (family && !strcmp(family, "AF_INET6") && !at->inet6) || !orr_list_takes(list, at->name, -1, NULL))
                continue;
            ret_chosen[count++] = *at;
        }
    return count;
}

uint32_t orr_interfaces_choose(struct orr_detector *d, struct orr_interface_fact *ret_chosen, uint32_t most)
{
    const char *wanted = orr_detect_setting_of(d, "NCCL_SOCKET_IFNAME");
    assume_interfaces(d);
    if (wanted && strlen(wanted) > 1)
        return take(d, wanted, ret_chosen, most);
    const char *const steps[] = {"ib", d->rules.interfaces_run ? "^docker,lo,virbr" : "^docker,lo", "docker", "lo",
                                 d->rules.interfaces_run ? "virbr" : NULL};
    for (size_t i = 0; i < sizeof steps / sizeof steps[0] && steps[i]; i++) {
        uint32_t count = take(d, steps[i], ret_chosen, most);
        if (count)
            return count;
    }
    return 0;
}

void orr_nics_socket(struct orr_detector *d)
{
    struct orr_interface_fact chosen[MOST_INTERFACES];
    uint32_t count = orr_interfaces_choose(d, chosen, MOST_INTERFACES);
    for (uint32_t i = 0; i < count; i++) {
        struct orr_net_device *net = orr_nic_new(d);
        char path[128], speed[SPEED_BYTES + 1];
        if (!net)
            return;
        snprintf(path, sizeof path, "/sys/class/net/%.31s/speed", chosen[i].name);
        orr_root_read(d->root, path, speed, sizeof speed);
        long megabits = strtol(speed, NULL, 10);
        memcpy(net->name, chosen[i].name, sizeof chosen[i].name);
        net->speed = megabits > 0 ? (uint32_t)megabits : UNKNOWN_SPEED;
        net->guid = i;
        net->max_qp = MAXCONN;
        snprintf(path, sizeof path, "/sys/class/net/%.31s/device", chosen[i].name);
        if (orr_root_find(d->root, path, net->path) == ORR_ROOT_NONE)
            net->path[0] = 0;
        memcpy(net->card, net->path, sizeof net->card);
    }
}
