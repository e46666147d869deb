/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about the addresses that hosts announce for their sockets: two hosts have the same, they are of different
 * networks, or other hosts cannot reach them. */
#include <stdio.h>
#include <string.h>

#include "engine/hardware/hardware.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

/* Addresses that a rank announces and other hosts cannot reach: link-local ones, such as that of a BMC's interface, or
 * those of a container's own network. */
static const struct private_address {
    const char *id, *begins[2], *cause, *check, *cure,
        *set; /* set: the cure if NCCL_SOCKET_IFNAME is set; NULL if it is the same */
} private_addresses[] = {
    {"socket-link-local",
     {"169.254.", "fe80:"},
     "A rank announces %.*s (line %u), a link-local address, which only hosts on the same link can reach. If the hosts "
     "share another network, NCCL chose the wrong interface there.",
     "Check on every host: `ip -br addr` names the interface with that address (a BMC's usb0, a node cache or "
     "pod-id-link0 of Kubernetes, in Azure enP*, the half of eth0 for accelerated networking) and that of the common "
     "network.",
     "Set NCCL_SOCKET_IFNAME on every host to the interface of the common network.",
     "NCCL_SOCKET_IFNAME must name, on every host, only the interface of the common network (=NAME matches it "
     "exactly)."},
    {"socket-docker",
     {"172.17."},
     "A rank announces %.*s (line %u), by default an address of Docker's own bridge, which other hosts cannot reach: "
     "NCCL opens ports of its own, so publishing some with -p is not enough.",
     "Check in the container: `ip -4 addr` shows that address at eth0; on the host, at docker0.",
     "Run the containers with --network host, and set NCCL_SOCKET_IFNAME to the interface of the common network. "
     "Docker Desktop and WSL 2 need their own setting for that (mirrored networking).",
     NULL},
    {"socket-loopback",
     {"127.", "::1"},
     "A rank announces %.*s (line %u), at which every host reaches only itself.",
     "Check on every host: `ip -br addr` names the interface of the common network.",
     "Set NCCL_SOCKET_IFNAME on every host to that interface.",
     "NCCL_SOCKET_IFNAME must name, on every host, the interface of the common network, not lo."},
};
enum { PRIVATE_COUNT = sizeof private_addresses / sizeof private_addresses[0] };

/* Whether an address is one of a row; its length must be that of the row's beginning at least. */
static bool is_private(const struct private_address *row, const char *address)
{
    for (size_t i = 0; i < sizeof row->begins / sizeof row->begins[0]; i++)
        if (row->begins[i] && !strncmp(address, row->begins[i], strlen(row->begins[i])))
            return true;
    return false;
}

const char *orr_symptom_routed(struct orr_symptom_finder *f)
{
    const struct orr_log_record *list = orr_symptom_nic_list(f->log, "Socket");
    struct orr_log_nic nics[ORR_LOG_NICS];
    const uint32_t count = list ? orr_log_read_nics(list->words[1], nics) : 0;
    const char *routed = NULL;
    for (uint32_t i = 0; i < count; i++) {
        const char *listed = strstr(list->words[1], orr_symptom_text(f, "]%s:", nics[i].name));
        const char *address = listed ? listed + strlen(nics[i].name) + 2 : "";
        if (orr_name_is_inside(nics[i].name) || is_private(&private_addresses[0], address))
            continue;
        if (routed)
            return NULL;
        routed = orr_symptom_text(f, "%s", nics[i].name);
    }
    return routed;
}

/* How a host starts: "Bootstrap : Using eth0:10.0.0.1<0>", "[0]eth0:10.0.0.1<0>" or "ib0:fe80::1%ib0<0>". */
struct start {
    const char *host, *name, *address;
    int name_length, address_length;
    uint32_t line;
};

/* The first start of each host. */
static uint32_t list_starts(const struct orr_log *log, struct start starts[ORR_SYMPTOM_HOSTS])
{
    const struct orr_log_record *records[ORR_SYMPTOM_HOSTS];
    const uint32_t most = orr_symptom_of_hosts(log, ORR_LOG_BOOTSTRAP, "", records);
    uint32_t count = 0;
    for (uint32_t i = 0; i < most; i++) {
        const char *host = orr_symptom_host(log, records[i]), *name = records[i]->words[0];
        name += *name == '[' ? strcspn(name, "]") + 1 : 0;
        const size_t length = strcspn(name, ":");
        if (name[length] != ':')
            continue;
        const char *address = name + length + 1;
        starts[count++] =
            (struct start){host, name, address, (int)length, (int)strcspn(address, "<% "), records[i]->line};
    }
    return count;
}

static bool same_text(const char *a, int a_length, const char *b, int b_length)
{
    return a_length == b_length && !memcmp(a, b, (size_t)a_length);
}

/* The first two numbers of an IPv4 address; 0 of another one. */
static unsigned network_of(const char *address)
{
    unsigned first, second;
    return sscanf(address, "%3u.%3u.", &first, &second) == 2 ? first << 8 | second : 0;
}

/* Why other hosts do not reach a start, as words after its address; NULL if nothing says so. */
static const char *of_no_other(const struct orr_symptom_finder *f, const struct start *start)
{
    static const char *const words[PRIVATE_COUNT] = {"a link-local address", "of Docker's own bridge",
                                                     "which is the host itself"};
    for (size_t i = 0; i < PRIVATE_COUNT; i++)
        if (is_private(&private_addresses[i], start->address))
            return words[i];
    return orr_name_is_inside(orr_symptom_text(f, "%.*s", start->name_length, start->name)) ? "a virtual interface"
                                                                                            : NULL;
}

/* Two hosts announce one address, or two that are of different networks. */
static bool unlike_starts(struct orr_symptom_finder *f, const struct orr_log_event *event)
{
    struct start starts[ORR_SYMPTOM_HOSTS];
    const uint32_t count = list_starts(f->log, starts);
    const struct start *same[2] = {0}, *local = NULL, *other = NULL;
    const char *what = NULL;
    for (uint32_t i = 0; i < count; i++) {
        for (uint32_t k = 0; k < i && !same[0]; k++)
            if (same_text(starts[i].address, starts[i].address_length, starts[k].address, starts[k].address_length)) {
                same[0] = &starts[k];
                same[1] = &starts[i];
            }
        if (!local && (what = of_no_other(f, &starts[i])))
            local = &starts[i];
    }
    if (!local && event && count) /* two networks that may be joined */
        local = &starts[0];
    for (uint32_t i = 0; i < count && local && !other; i++)
        if (!of_no_other(f, &starts[i]) &&
            !same_text(starts[i].name, starts[i].name_length, local->name, local->name_length) &&
            (what || network_of(starts[i].address) != network_of(local->address)))
            other = &starts[i];
    if (same[0]) {
        const struct private_address *row = NULL;
        for (size_t i = 0; i < PRIVATE_COUNT && !row; i++)
            row = is_private(&private_addresses[i], same[0]->address) ? &private_addresses[i] : NULL;
        ORR_SYMPTOM(f, "bootstrap-same", ORR_SYMPTOM_CAUSE, same[0]->line,
                    .cause = orr_symptom_text(
                        f,
                        "Hosts %.40s and %.40s both announce %.*s, the address of %.*s (lines %u and %u). At that "
                        "address each of them reaches only itself, so their ranks cannot connect.",
                        same[0]->host, same[1]->host, same[0]->address_length, same[0]->address, same[0]->name_length,
                        same[0]->name, same[0]->line, same[1]->line),
                    .check = row ? row->check : "Check: `ip -br addr` on both hosts.",
                    .cure = row ? row->cure
                                : "Give each host an address of its own, or set NCCL_SOCKET_IFNAME to an interface of "
                                  "a network that they share.",
                    .explains = event ? event->message->id : NULL);
        return true;
    }
    if (!other)
        return false;
    ORR_SYMPTOM(
        f, "bootstrap-unlike", ORR_SYMPTOM_CAUSE, local->line,
        .cause = orr_symptom_text(
            f,
            "Host %.40s starts over %.*s (%.*s%s%s, line %u), and host %.40s over %.*s (%.*s, line %u). They "
            "%s two networks, so the ranks %s.",
            local->host, local->name_length, local->name, local->address_length, local->address, what ? ", " : "",
            what ? what : "", local->line, other->host, other->name_length, other->name, other->address_length,
            other->address, other->line, what ? "are" : "may be",
            event && what ? "do not reach each other" : "may not reach each other and wait"),
        .check = what ? orr_symptom_text(
                            f, "Check: `ip -br addr` on both hosts: both must have an address of the network of %.*s.",
                            other->name_length, other->name)
                      : "Check: `ip -br addr` on both hosts, and `ping -I INTERFACE ADDRESS` between the two.",
        .cure = what ? orr_symptom_text(f,
                                        "Set NCCL_SOCKET_IFNAME=%.*s on all hosts, or that interface's name on "
                                        "each host.%s",
                                        other->name_length, other->name,
                                        orr_symptom_nic_list(f->log, "IB")
                                            ? " It serves the start; InfiniBand still carries the data."
                                            : "")
                     : "Set NCCL_SOCKET_IFNAME on each host to its interface of the network that they share.",
        .explains = event ? event->message->id : NULL);
    return true;
}

/* The address that an error of a socket names, or else the first one that a host of several announces. */
static const char *private_address(const struct orr_symptom_finder *f, const struct private_address *row,
                                   const struct orr_log_event **event, uint32_t *ret_line)
{
    static const char mark[] = "onnect to ";
    struct start starts[ORR_SYMPTOM_HOSTS];
    for (uint32_t i = 0; i < f->log->event_count; i++) {
        const struct orr_log_event *named = &f->log->events[i];
        const char *at = named->message && orr_symptom_is_one(named->message->id, ORR_SOCKET_ERRORS)
                             ? strstr(named->text, mark)
                             : NULL;
        if (!at || !is_private(row, at + strlen(mark)))
            continue;
        *event = named;
        *ret_line = named->line;
        return at + strlen(mark);
    }
    const uint32_t count = *event && !orr_symptom_has_one_host(f->log) ? list_starts(f->log, starts) : 0;
    for (uint32_t i = 0; i < count; i++)
        if (is_private(row, starts[i].address)) {
            *ret_line = starts[i].line;
            return starts[i].address;
        }
    return NULL;
}

/* Addresses by which the ranks of several hosts cannot find each other. */
void orr_symptoms_of_addresses(struct orr_symptom_finder *f)
{
    const struct orr_log_event *error = orr_log_event_of(f->log, ORR_SOCKET_ERRORS);
    const struct orr_log_event *event = error;
    if (!orr_symptom_other_error(f->log, ORR_SOCKET_ERRORS ORR_SOCKET_RESULTS) && !f->log->kinds[ORR_LOG_CONNECTED] &&
        unlike_starts(f, error ? error : orr_log_event_of(f->log, "socket-closed|unhandled-remote|remote-exited")))
        return;
    for (size_t i = 0; i < PRIVATE_COUNT; i++) {
        const struct private_address *row = &private_addresses[i];
        uint32_t line = 0;
        event = error;
        const char *address = private_address(f, row, &event, &line);
        if (!address)
            continue;
        const bool set = row->set && orr_symptom_setting(f->log, "NCCL_SOCKET_IFNAME", NULL);
        const char *routed = row->set ? orr_symptom_routed(f) : NULL;
        ORR_SYMPTOM(
            f, row->id, ORR_SYMPTOM_CAUSE, line,
            .cause = orr_symptom_text(f, row->cause, (int)strcspn(address, "< "), address, line), .check = row->check,
            .cure = routed
                        ? orr_symptom_text(
                              f,
                              "Set NCCL_SOCKET_IFNAME=%.40s, or that interface's name on each host (=NAME matches it "
                              "exactly).",
                              routed)
                    : set ? row->set
                          : row->cure,
            .explains = event->message->id);
    }
}
