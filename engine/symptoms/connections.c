/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about connections between hosts that cannot be made, or that broke: which addresses and ports were paired. */
#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

/* Addresses that a rank announces and other hosts cannot reach: link-local ones, such as that of a BMC's interface, or
 * those of a container's own network. */
static const struct private_address {
    const char *id, *to[2], *cause, *check, *cure,
        *set; /* set: the cure if NCCL_SOCKET_IFNAME is set; NULL if it is the same */
} private_addresses[] = {
    {"socket-link-local",
     {"onnect to 169.254.", "onnect to fe80:"},
     "A rank announces %.*s (line %u), a link-local address, which only hosts on the same link can reach. If the hosts "
     "share another network, NCCL chose the wrong interface there.",
     "Check on every host: `ip -br addr` names the interface with that address (a BMC's usb0, a node cache or "
     "pod-id-link0 of Kubernetes, in Azure enP*, the half of eth0 for accelerated networking) and that of the common "
     "network.",
     "Set NCCL_SOCKET_IFNAME on every host to the interface of the common network.",
     "NCCL_SOCKET_IFNAME must name, on every host, only the interface of the common network (=NAME matches it "
     "exactly)."},
    {"socket-docker",
     {"onnect to 172.17."},
     "A rank announces %.*s (line %u), by default an address of Docker's own bridge, which other hosts cannot reach: "
     "NCCL opens ports of its own, so publishing some with -p is not enough.",
     "Check in the container: `ip -4 addr` shows that address at eth0; on the host, at docker0.",
     "Run the containers with --network host, and set NCCL_SOCKET_IFNAME to the interface of the common network. "
     "Docker Desktop and WSL 2 need their own setting for that (mirrored networking).",
     NULL},
};

static void private_socket(struct orr_symptom_finder *f, const struct private_address *row)
{
    static const char *const events[] = {"socket-connect",   "socket-abort",    "socket-refused",
                                         "socket-timed-out", "socket-no-route", "socket-retry-newer"};
    const struct orr_log_event *event = NULL;
    const char *address = NULL;
    for (size_t i = 0; i < sizeof events / sizeof events[0] && !address; i++) {
        event = orr_log_event_of(f->log, events[i]);
        for (size_t k = 0; event && k < sizeof row->to / sizeof row->to[0] && row->to[k] && !address; k++)
            address = strstr(event->text, row->to[k]);
    }
    if (!address)
        return;
    address += strlen("onnect to ");
    const bool set = row->set && orr_symptom_setting(f->log, "NCCL_SOCKET_IFNAME", NULL);
    const char *routed = row->set ? orr_symptom_routed(f) : NULL;
    ORR_SYMPTOM(
        f, row->id, ORR_SYMPTOM_CAUSE, event->line,
        .cause = orr_symptom_text(f, row->cause, (int)strcspn(address, "< "), address, event->line),
        .check = row->check,
        .cure =
            routed
                ? orr_symptom_text(
                      f,
                      "Set NCCL_SOCKET_IFNAME=%.40s, or that interface's name on each host (=NAME matches it exactly).",
                      routed)
            : set ? row->set
                  : row->cure,
        .explains = event->message->id);
}

/* The IPv4 address after some words; false if there is none. */
static bool address_after(const char *text, const char *word, unsigned ret_address[4])
{
    const char *at = strstr(text, word);
    return at && sscanf(at + strlen(word), "%3u.%3u.%3u.%3u", &ret_address[0], &ret_address[1], &ret_address[2],
                        &ret_address[3]) == 4;
}

/* A connection that broke after the port of a NIC went down. */
static void port_down(struct orr_symptom_finder *f)
{
    static const char *const downs[] = {"ib-async-port", "ib-async-port-any", "ib-async-port-change"};
    const struct orr_log_event *broken = orr_log_event_of(f->log, "ib-retry-exceeded"), *down = NULL;
    for (size_t i = 0; i < sizeof downs / sizeof downs[0] && !down; i++)
        down = orr_log_event_of(f->log, downs[i]);
    if (!broken || !down || down->line > broken->line)
        return;
    const char *host = down->host_count ? down->hosts[0] : "";
    ORR_SYMPTOM(
        f, "port-down", ORR_SYMPTOM_CAUSE, down->line,
        .cause = orr_symptom_text(f,
                                  "The port of a NIC%s%.60s%s went down before the connection broke (line %u, %u "
                                  "time%s). A link that flaps usually has a bad cable, transceiver or switch port.",
                                  *host ? " of " : "", host, down->host_count > 1 ? " and of other hosts" : "",
                                  down->line, down->count, down->count == 1 ? "" : "s"),
        .check =
            "Check on these hosts: `ibstat`, `mlxlink -d mlx5_0 -c`, and the growing LinkDownedCounter of `perfquery` "
            "or `ibqueryerrors`. If several hosts lost their link at one time, look at their common switch.",
        .cure = "Reseat or replace the cable. NCCL_IB_TIMEOUT=22 only bridges interruptions of a few seconds.",
        .explains = "ib-retry-exceeded");
}

/* Two RoCE ports are in different networks, and one of them does not answer. */
static void other_network(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "ib-modify-qp");
    unsigned local[4], remote[4];
    if (!event || !strstr(event->text, "timed out") || !address_after(event->text, "local GID ::ffff:", local) ||
        !address_after(event->text, "remote GID ::ffff:", remote) || !memcmp(local, remote, 3 * sizeof *local))
        return;
    ORR_SYMPTOM(f, "roce-other-network", ORR_SYMPTOM_CAUSE, event->line,
                .cause = orr_symptom_text(f,
                                          "NCCL paired the ports %u.%u.%u.%u and %u.%u.%u.%u (line %u). If their "
                                          "networks are /24 and no router joins them, these ports cannot reach each "
                                          "other: they belong to two rails, or to two cables between hosts.",
                                          local[0], local[1], local[2], local[3], remote[0], remote[1], remote[2],
                                          remote[3], event->line),
                .check = orr_symptom_text(f, "Check: `ping -I %u.%u.%u.%u %u.%u.%u.%u`.", local[0], local[1], local[2],
                                          local[3], remote[0], remote[1], remote[2], remote[3]),
                .cure = "For rails, set NCCL_CROSS_NIC=0, or join them with a router. Hosts cabled to one another in a "
                        "ring need NCCL 2.30.7 or newer with NCCL_IB_SUBNET_AWARE_ROUTING=1 (and NCCL_IB_MERGE_NICS=0, "
                        "NCCL_NET_PLUGIN=none); older releases pair ports by their number.",
                .explains = "ib-modify-qp");
}

/* An error of RDMA that came with a newer NCCL. Up to 2.19 NCCL took the smaller MTU of two ports (NVIDIA/nccl#1524).
 */
static void mtu_differs(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event =
        orr_log_event_of(f->log, "ib-async-fatal|ib-async-event|ib-local-length|ib-flushed");
    if (!event || !orr_symptom_said(f->log, ORR_SAID_UPGRADED, false))
        return;
    ORR_SYMPTOM(
        f, "mtu-differs", ORR_SYMPTOM_CAUSE, event->line,
        .cause = "The error came with a newer NCCL, and one known reason is the MTU: from 2.20 on NCCL no longer takes "
                 "the smaller MTU of two ports at both ends, so ports with different MTU, which worked before, fail.",
        .check = "Check: `ibv_devinfo | grep active_mtu` (RoCE: also `ip link`) must be the same on all hosts.",
        .cure = "Give ports, interfaces and switches of all hosts one MTU. If it is the same already, run once with "
                "NCCL_NET_GDR_LEVEL=LOC, which shows whether GPUDirect RDMA is the cause.",
        .explains = event->message->id);
}

/* Releases up to 2.18, which print "with error 12", use GID index 0 unless another one is set; 2.21 chooses RoCE v2. */
static void default_gid(struct orr_symptom_finder *f)
{
    const struct orr_log_event *event = orr_log_event_of(f->log, "ib-retry-exceeded");
    const struct orr_log_record *list = orr_symptom_nic_list(f->log, "IB");
    uint32_t line = 0;
    (void)orr_symptom_setting(f->log, "NCCL_IB_GID_INDEX", &line);
    if (!event || line || !list || !strstr(list->words[1], "/RoCE") || !strstr(event->text, "with error 12") ||
        f->log->kinds[ORR_LOG_GID] || f->log->timed_out_count || f->log->progress_count)
        return;
    ORR_SYMPTOM(
        f, "gid-default", ORR_SYMPTOM_CAUSE, event->line,
        .cause = orr_symptom_text(
            f,
            "The NICs are RoCE (line %u) and NCCL_IB_GID_INDEX is not set, so NCCL before 2.21 takes GID index 0, "
            "mostly RoCE v1 with a link-local address, which routers drop: then the other end never answers (line %u).",
            list->line, event->line),
        .check = "Check: `show_gids` on both hosts: the row with v2 and the IPv4 address, mostly index 3; `ib_write_bw "
                 "-x 3` between the same NICs must work.",
        .cure = "Set NCCL_IB_GID_INDEX=3 (that row) on all hosts. If the error comes only after hours, look at the "
                "link instead: cables, PFC and ECN.",
        .explains = "ib-retry-exceeded");
}

/* The two ends of one connection: the sender has GPUDirect RDMA and the receiver has none, or the other way round. A
 * rank that may not read the GPU over PCIe sends without it although it receives with it, so only a receiver without
 * it shows that a host lacks something. */
static void gdr_on_one_side(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    struct orr_log_connection with = {0}, without = {0}, connection;
    uint32_t with_line = 0, without_line = 0;
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++) {
        if (!orr_log_connection_of(&log->records[i], &connection) || connection.transport != ORR_TRANSPORT_NET)
            continue;
        if (connection.gdr && !with_line) {
            with = connection;
            with_line = log->records[i].line;
        }
        if (!connection.gdr && !connection.sends && !without_line) {
            without = connection;
            without_line = log->records[i].line;
        }
    }
    const int32_t user = with.sends ? with.from : with.to;
    if (!with_line || !without_line || user == without.to)
        return;
    for (uint32_t i = 0; i < log->record_count && !orr_budget_spent(i % 64 == 0); i++)
        if (orr_log_connection_of(&log->records[i], &connection) && connection.gdr &&
            (connection.sends ? connection.from : connection.to) == without.to)
            return; /* it has it for another NIC */
    ORR_SYMPTOM(
        f, "gdr-one-side",
        orr_symptom_other_error(log, "") || log->kinds[ORR_LOG_INIT_COMPLETE] ? ORR_SYMPTOM_NOTE : ORR_SYMPTOM_CAUSE,
        without_line,
        .cause = orr_symptom_text(
            f,
            "Rank %d uses GPUDirect RDMA (line %u), and rank %d does not (line %u). If their hosts are alike, the "
            "module nvidia-peermem is not loaded on the host of rank %d, and its data goes through host memory.",
            user, with_line, without.to, without_line, without.to),
        .check = orr_symptom_text(f,
                                  "Check there: `lsmod | grep peermem`; if it is loaded, `nvidia-smi topo -m`: the GPU "
                                  "of rank %d may have no NIC nearer than the CPU (NODE, SYS).",
                                  without.to),
        .cure = "Run `modprobe nvidia-peermem` on that host, and at every start.");
}

void orr_symptoms_of_connections(struct orr_symptom_finder *f)
{
    for (size_t i = 0; i < sizeof private_addresses / sizeof private_addresses[0]; i++)
        private_socket(f, &private_addresses[i]);
    port_down(f);
    other_network(f);
    mtu_differs(f);
    default_gid(f);
    gdr_on_one_side(f);
}
