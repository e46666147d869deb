/* SPDX-License-Identifier: Apache-2.0 */
/* Reads rows of show_gids: which GID of a RoCE port NCCL may use. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

/* The rows of one port. The rows of a device follow each other, so rows further down are those of another host. */
struct port {
    struct orr_log_gid first, chosen, good; /* chosen: at the index that is set; good: RoCE v2 with an address that
                                             * routers forward */
    uint32_t line, chosen_line, good_line;  /* 0 if there is no such row */
    uint32_t last_line;
    bool roce;
};

static bool is_of(const struct port *port, const struct orr_log_gid *gid, uint32_t line)
{
    return port->first.port == gid->port && !strcmp(port->first.device, gid->device) &&
           (!gid->device[0] || line <= port->last_line + 1);
}

/* An InfiniBand port has GIDs, too, and all of them are called v1. */
static bool shows_roce(const struct orr_log_gid *gid)
{
    return gid->v2 || gid->address[0] || (gid->interface[0] && strncmp(gid->interface, "ib", 2) != 0);
}

static uint32_t list_ports(const struct orr_log *log, int32_t index, struct port *ports, uint32_t most)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->record_count; i++) {
        struct orr_log_gid gid;
        uint32_t p = 0;
        if (orr_budget_spent(i % 64 == 0) || !orr_log_gid_of(&log->records[i], &gid))
            continue;
        while (p < count && !is_of(&ports[p], &gid, log->records[i].line))
            p++;
        if (p == most)
            continue;
        if (p == count)
            ports[count++] = (struct port){.first = gid, .line = log->records[i].line};
        ports[p].last_line = log->records[i].line;
        ports[p].roce |= shows_roce(&gid);
        if (gid.index == index) {
            ports[p].chosen = gid;
            ports[p].chosen_line = log->records[i].line;
        }
        if (gid.v2 && !gid.link_local && (!ports[p].good_line || (gid.address[0] && !ports[p].good.address[0]))) {
            ports[p].good = gid;
            ports[p].good_line = log->records[i].line;
        }
    }
    return count;
}

/* The RDMA error that a wrong GID causes; NULL if the text has none. */
static const char *failure(const struct orr_log *log)
{
    const struct orr_log_event *event =
        orr_log_event_of(log, "ib-retry-exceeded|ib-remote-access|ib-rnr-exceeded|ib-modify-qp");
    return event ? event->message->id : NULL;
}

static const char *name_of(const struct port *port)
{
    return port->first.device[0] ? port->first.device : "this NIC";
}

/* The index that is set belongs to another kind of address, or to no row. */
static void wrong_index(struct orr_symptom_finder *f, const struct port *port, int32_t index, uint32_t set_in)
{
    const char *kind = !port->chosen_line        ? "does not exist"
                       : port->chosen.link_local ? "is a link-local address, which cannot cross a router"
                                                 : "is RoCE v1, which routers do not forward";
    const char *good =
        port->good_line
            ? orr_symptom_text(f, "Index %d is RoCE v2 with %.20s (line %u).", port->good.index,
                               port->good.address[0] ? port->good.address : "an IPv6 address", port->good_line)
            : "No row is RoCE v2 with an address of the network.";
    ORR_SYMPTOM(
        f, "gid-index", ORR_SYMPTOM_CAUSE, port->chosen_line ? port->chosen_line : port->line,
        .cause = orr_symptom_text(f, "On %.40s, index %d (NCCL_IB_GID_INDEX, line %u) %s (line %u). %s", name_of(port),
                                  index, set_in, kind, port->chosen_line ? port->chosen_line : port->line, good),
        .check = "Check `show_gids` on every host: the same index must be RoCE v2 with an IPv4 address on all NICs.",
        .cure = port->good_line
                    ? orr_symptom_text(f, "Set NCCL_IB_GID_INDEX=%d if it is right on all hosts%s.", port->good.index,
                                       port->first.index ? "; where the index differs, set each host's own"
                                                         : ", or unset it: since 2.21 NCCL chooses RoCE v2 by itself")
                    : "Give the interface an IPv4 address, then unset NCCL_IB_GID_INDEX (2.21 or newer).",
        .explains = failure(f->log));
}

static void no_address(struct orr_symptom_finder *f, const struct port *port)
{
    const char *interface = port->first.interface;
    ORR_SYMPTOM(f, "gid-no-address", ORR_SYMPTOM_CAUSE, port->line,
                .cause = orr_symptom_text(f,
                                          "%.40s has only link-local GIDs or RoCE v1 (line %u), as its interface has "
                                          "no address, so NCCL's connections to other hosts can fail.",
                                          name_of(port), port->line),
                .check = "Check: `ip -br address` and `show_gids`; in a container both must list the interface.",
                .cure = orr_symptom_text(f,
                                         "Give %s%.30s an IPv4 address (in Kubernetes, of the pod's secondary "
                                         "network), or leave the NIC out of NCCL_IB_HCA.",
                                         *interface ? "interface " : "the interface of this NIC", interface),
                .explains = failure(f->log));
}

/* A pod that shares its NIC with others sees only some rows of the table, and releases that look at each index from 0
 * on stop at the first gap (NVIDIA/nccl#1573, #1587). */
static void gaps(struct orr_symptom_finder *f, const struct port *port)
{
    ORR_SYMPTOM(f, "gid-gaps", ORR_SYMPTOM_CAUSE, port->line,
                .cause =
                    orr_symptom_text(f,
                                     "The GIDs of %.40s begin at index %d (line %u), as in a container that shares its "
                                     "NIC, and NCCL may choose an index before them, which does not work.",
                                     name_of(port), port->first.index, port->line),
                .check = "Check: `show_gids` in each container, as the index can differ between them; NCCL warns "
                         "\"read failed in ncclIbRoceGetVersionNum\".",
                .cure = orr_symptom_text(f,
                                         "Set NCCL_IB_GID_INDEX=%d here, and on each other container the index of its "
                                         "own row with v2 and an address: each in its /etc/nccl.conf, because mpirun "
                                         "starts no shell that reads /etc/environment or a profile.",
                                         port->good.index),
                .explains = failure(f->log));
}

/* Nothing chooses among the GIDs of a port, and an error or the person asks for it. */
static void choose(struct orr_symptom_finder *f, const struct port *port)
{
    const struct orr_log *log = f->log;
    if (!failure(log) && (!orr_symptom_said(log, "gid&index", true) || orr_symptom_other_error(log, "")))
        return;
    for (uint32_t i = 0; i < log->event_count; i++) /* a GID with an IPv4 address is in use */
        if (strstr(log->events[i].text, "ocalGid ::ffff") || strstr(log->events[i].text, "ocal GID ::ffff"))
            return;
    ORR_SYMPTOM(f, "gid-choice", ORR_SYMPTOM_CAUSE, port->good_line,
                .cause = orr_symptom_text(
                    f,
                    "On %.40s only index %d (line %u) and others of its kind are RoCE v2 with an address that "
                    "routers forward. A link-local address (fe80:) or RoCE v1 does not pass a router.",
                    name_of(port), port->good.index, port->good_line),
                .check = orr_symptom_text(f,
                                          "Check `show_gids` on every host: the same index must be RoCE v2 with such "
                                          "an address on all NICs; then `ib_write_bw -x %d` between the hosts.",
                                          port->good.index),
                .cure = orr_symptom_text(
                    f,
                    port->good.address[0]
                        ? "Set NCCL_IB_GID_INDEX=%d if it is right on all hosts: before 2.21 NCCL takes index 0. Later "
                          "releases choose RoCE v2 by themselves."
                        : "Set NCCL_IB_GID_INDEX=%d if it is right on all hosts, or with 2.21 or newer "
                          "NCCL_IB_ADDR_FAMILY=AF_INET6: by itself NCCL looks for IPv4 and, without it, takes index 0.",
                    port->good.index),
                .explains = failure(log));
}

/* "No such device" from ibv_modify_qp, without the table (NVIDIA/nccl#551, #718); Linux says "No data available" if the
 * entry is empty (rdma_get_gid_attr). Newer releases of NCCL name the NIC and the index. */
static void no_such_index(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "ib-modify-qp");
    const bool empty = event && strstr(event->text, "No data available");
    if (!event || (!empty && !strstr(event->text, "No such device")) || f->log->kinds[ORR_LOG_GID])
        return;
    static const char on[] = " on dev ", at[] = "local GID index ";
    const char *nic = strstr(event->text, on), *index = strstr(event->text, at);
    ORR_SYMPTOM(f, "gid-missing", ORR_SYMPTOM_CAUSE, event->line,
                .cause = orr_symptom_text(
                    f,
                    "\"%s\" of ibv_modify_qp (line %u) is the answer if the GID index in use%s%.*s%s is not in the "
                    "table of that host's NIC%s%.*s: NICs differ in it, and so do containers that share a NIC.",
                    empty ? "No data available" : "No such device", event->line, index ? " (" : "",
                    index ? (int)strspn(index + sizeof at - 1, "0123456789") : 0, index ? index + sizeof at - 1 : "",
                    index ? ")" : "", nic ? " " : "", nic ? (int)strcspn(nic + sizeof on - 1, ", ") : 0,
                    nic ? nic + sizeof on - 1 : ""),
                .check = "Check: `show_gids` on every host and in every container lists the indices of each NIC.",
                .cure = "If a host has no row of that index, unset NCCL_IB_GID_INDEX (NCCL 2.21 or newer finds the "
                        "index of each NIC), or write each host's own, the row with v2 and an address, to its "
                        "/etc/nccl.conf. If one NIC alone fails, leave it out (NCCL_IB_HCA=^NAME); a job on one "
                        "host needs none (NCCL_IB_DISABLE=1).",
                .explains = "ib-modify-qp");
}

void orr_symptoms_of_gids(struct orr_symptom_finder *f)
{
    enum { PORTS_MOST = 64 };
    uint32_t set_in = 0;
    no_such_index(f);
    const char *text = orr_symptom_setting(f->log, "NCCL_IB_GID_INDEX", &set_in);
    const int32_t index = text ? (int32_t)strtol(text, NULL, 10) : -1;
    struct port *ports = f->log->kinds[ORR_LOG_GID] ? ORR_NEW(f->arena, struct port, PORTS_MOST) : NULL;
    const uint32_t count = ports ? list_ports(f->log, index, ports, PORTS_MOST) : 0;
    for (uint32_t i = 0; i < count; i++) {
        const struct port *port = &ports[i];
        if (port->roce && index >= 0 && (!port->chosen_line || !port->chosen.v2 || port->chosen.link_local)) {
            wrong_index(f, port, index, set_in);
            return;
        }
    }
    for (uint32_t i = 0; i < count && index < 0; i++)
        if (ports[i].roce && ports[i].good_line && !ports[i].first.index && ports[i].good.index) {
            choose(f, &ports[i]);
            return;
        }
    for (uint32_t i = 0; i < count; i++) {
        if (!ports[i].roce || (ports[i].good_line && (index >= 0 || !ports[i].first.index)))
            continue;
        if (ports[i].good_line)
            gaps(f, &ports[i]);
        else
            no_address(f, &ports[i]);
        return;
    }
}
