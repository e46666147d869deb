/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about connections between hosts that cannot be made, or that broke: which addresses and ports were paired. */
#include <stdio.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

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
    const struct orr_log_event *broken = orr_log_event_of(f->log, "ib-retry-exceeded"),
                               *down = orr_log_event_of(f->log, "ib-async-port|ib-async-port-change");
    if (!broken || !down || down->line > broken->line)
        return;
    const char *host = down->host_count ? down->hosts[0] : "";
    ORR_SYMPTOM(
        f, "port-down", ORR_SYMPTOM_CAUSE, down->line,
        .cause = orr_symptom_text(f,
                                  "The port of a NIC%s%.60s%s went down before the connection broke (line %u, %u "
                                  "time%s).",
                                  *host ? " of " : "", host, down->host_count > 1 ? " and of other hosts" : "",
                                  down->line, down->count, down->count == 1 ? "" : "s"),
        .check = "Check on these hosts: `ibstat`, `mlxlink -d mlx5_0 -c`, and the growing LinkDownedCounter of "
                 "`perfquery` or `ibqueryerrors`.",
        .cure = "If one port alone flaps, reseat or replace its cable or transceiver. If several hosts lost their "
                "link at one time, look at their common switch. NCCL_IB_TIMEOUT=22 only bridges interruptions of a "
                "few seconds.",
        .explains = "ib-retry-exceeded");
}

/* Two RoCE ports are in different networks, and one of them does not answer. In routed networks ports that reach each
 * other may be so, too, so it is a cause of error 12 only where the text mentions rails. */
static void other_network(struct orr_symptom_finder *f)
{
    const struct orr_log_event *made = orr_log_event_of(f->log, "ib-modify-qp"),
                               *sent = orr_log_event_of(f->log, "ib-retry-exceeded"), *event = made ? made : sent;
    uint32_t line = 0;
    const char *cross = orr_symptom_setting(f->log, "NCCL_CROSS_NIC", &line);
    const bool rails = orr_symptom_said(f->log, " rail | rails | plane | planes &!optimi", true) &&
                       !f->log->timed_out_count && !f->log->progress_count;
    const bool apart = cross && !strcmp(cross, "0");
    unsigned local[4], remote[4];
    if (!event || !address_after(event->text, made ? "local GID ::ffff:" : "localGid ::ffff:", local) ||
        !address_after(event->text, made ? "remote GID ::ffff:" : "remoteGids::ffff:", remote))
        return;
    if (!memcmp(local, remote, sizeof local) && !orr_symptom_has_one_host(f->log)) {
        ORR_SYMPTOM(f, "roce-same-address", ORR_SYMPTOM_CAUSE, event->line,
                    .cause =
                        orr_symptom_text(f,
                                         "Both ends of the connection have the address %u.%u.%u.%u (line %u). If "
                                         "they are on two hosts, packets to the other host never leave the sender.",
                                         local[0], local[1], local[2], local[3], event->line),
                    .check = "Check: `ip -br -4 addr` on both hosts lists it twice.",
                    .cure = "Give the port of each host an address of its own; an image must not contain it.",
                    .explains = event->message->id);
        return;
    }
    if (!(made ? strstr(event->text, "timed out") != NULL : rails) || !memcmp(local, remote, 3 * sizeof *local))
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
                .cure = apart
                            ? orr_symptom_text(f,
                                               "NCCL_CROSS_NIC=0 (line %u) keeps only NICs apart that differ in GUID "
                                               "or port number (`net` in NCCL_TOPO_DUMP_FILE). If these two do not "
                                               "differ, name one rail in NCCL_IB_HCA, or join the rails with a router.",
                                               line)
                            : "For rails, set NCCL_CROSS_NIC=0, or join them with a router. Hosts cabled to one "
                              "another in a ring need NCCL 2.30.7 or newer with NCCL_IB_SUBNET_AWARE_ROUTING=1 (and "
                              "NCCL_IB_MERGE_NICS=0, NCCL_NET_PLUGIN=none); older releases pair ports by their number.",
                .explains = event->message->id);
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
        .cause = "The error came with a newer NCCL. From 2.20 on, NCCL no longer takes the smaller MTU of two ports "
                 "at both ends, so ports with different MTU, which worked before, fail like this.",
        .check = "Check: `ibv_devinfo | grep active_mtu` (RoCE: also `ip link`) must be the same on all hosts.",
        .cure = "If it differs, give ports, interfaces and switches of all hosts one MTU. If it is the same, run "
                "once with NCCL_NET_GDR_LEVEL=LOC: if that works, GPUDirect RDMA is at fault.",
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
            "The NICs are RoCE (line %u) and NCCL_IB_GID_INDEX is not set, so NCCL before 2.21 takes GID index 0. "
            "If that is RoCE v1 or a link-local address, routers drop its packets, and the other end never answers "
            "(line %u).",
            list->line, event->line),
        .check = "Check: `show_gids` on both hosts: the index of the row with v2 and the IPv4 address; `ib_write_bw "
                 "-x INDEX` between the same NICs must work.",
        .cure = "If that index is 3, set NCCL_IB_GID_INDEX=3 on all hosts. If the error comes only after hours, "
                "look at the link instead: cables, PFC and ECN.",
        .explains = "ib-retry-exceeded");
}

/* NCCL takes ports of InfiniBand and of Ethernet, and a connection between two hosts fails: NICs are paired by number,
 * and the two kinds do not reach each other. */
static void mixed_layers(struct orr_symptom_finder *f)
{
    static const char roce[] = "/RoCE", infiniband[] = "/IB";
    const struct orr_log_record *list = orr_symptom_nic_list(f->log, "IB");
    const struct orr_log_event *event = orr_log_event_of(f->log, "ib-modify-qp|ib-retry-exceeded");
    const char *all = list ? list->words[1] : "", *ethernet = strstr(all, roce);
    if (!event || !ethernet || !strstr(all, infiniband) || orr_symptom_setting(f->log, "NCCL_IB_HCA", NULL))
        return;
    const char *name = ethernet;
    while (name > all && name[-1] != ']')
        name--;
    const int length = (int)strcspn(name, ":/");
    ORR_SYMPTOM(
        f, "mixed-layers", ORR_SYMPTOM_CAUSE, list->line,
        .cause = orr_symptom_text(f,
                                  "NCCL uses an Ethernet port (%.*s, RoCE) beside InfiniBand ports (line %u). It "
                                  "pairs NICs by number, so a port of InfiniBand may be paired with one of "
                                  "Ethernet, or with a network that other hosts do not have.",
                                  length, name, list->line),
        .check = "Check: `ibstat` (Link layer) on each host, and that \"NET/IB : Using\" lists the same NICs on "
                 "all.",
        .cure = orr_symptom_text(f,
                                 "If it is not meant for NCCL, leave it out on all hosts: NCCL_IB_HCA=^=%.*s, or "
                                 "name the InfiniBand NICs (NCCL_IB_HCA==mlx5_0,mlx5_1,...).",
                                 length, name),
        .explains = event->message->id);
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
        .cure = "If it is not loaded, run `modprobe nvidia-peermem` on that host, and at every start.");
}

/* A connection broke after a long time without a line. TCP itself gives up after 15 minutes without an answer. */
static void idle_connection(struct orr_symptom_finder *f)
{
    enum { MINUTE = 60, LONG = 5 * MINUTE, GIVES_UP = 20 * MINUTE };
    const struct orr_log_event *event = orr_log_event_of(f->log, "socket-no-answer");
    const struct orr_log_pause *pause = &f->log->pause;
    if (!event || pause->to > event->line || pause->seconds < (pause->to + 1 >= event->line ? GIVES_UP : LONG))
        return;
    ORR_SYMPTOM(
        f, "idle-connection", ORR_SYMPTOM_CAUSE, event->line,
        .cause = orr_symptom_text(
            f,
            "An open connection got no answer any more (line %u). Until then, nothing was printed for %u minutes "
            "(lines %u to %u): if nothing was sent either, a firewall, NAT or load balancer can have dropped the "
            "idle connection.",
            event->line, pause->seconds / MINUTE, pause->from, pause->to),
        .check =
            "Check: the process at the other end still runs, and the job works if the pause is short. Compare the "
            "pause with the idle time limits on the path (`sysctl net.netfilter.nf_conntrack_tcp_timeout_established` "
            "on the hosts, the cloud's firewall).",
        .cure = "If a limit is shorter than the pause, raise it, or prepare the data before init_process_group, or "
                "run a small all_reduce every few minutes. A longer timeout in PyTorch does not help.",
        .explains = event->message->id);
}

/* Small packets pass between two hosts and large ones do not. */
static void path_drops_large(struct orr_symptom_finder *f)
{
    const struct orr_log_ping *ping = &f->log->ping;
    const struct orr_log_event *refused = orr_log_event_of(f->log, "mtu-refused"),
                               *event = orr_log_event_of(f->log, "watchdog-timeout|socket-no-answer|ib-retry-exceeded");
    const bool lost = ping->lost && ping->passed && ping->passed < ping->lost;
    if (!lost && !refused)
        return;
    ORR_SYMPTOM(
        f, "path-mtu", ORR_SYMPTOM_CAUSE, lost ? ping->lost_line : refused->line,
        .cause = lost ? orr_symptom_text(f,
                                         "Packets of %u bytes do not pass between the hosts (line %u), and those of "
                                         "%u do (line %u): an interface or switch on the way has a smaller MTU, and "
                                         "drops what larger messages send, without an error.",
                                         ping->lost, ping->lost_line, ping->passed, ping->passed_line)
                      : orr_symptom_text(f,
                                         "The path between the hosts has a smaller MTU than their interfaces (line "
                                         "%u), so large packets do not pass.",
                                         refused->line),
        .check =
            "Check: `ip link` on all hosts, the ports of the switches, VLANs and tunnels must have one MTU; `ping -M "
            "do -s SIZE` shows the largest that passes (SIZE and 28 bytes).",
        .cure = "Raise the MTU on the way, or set that of all hosts to the smaller one (`ip link set IF mtu 1500`).",
        .explains = event ? event->message->id : NULL);
}

/* RoCE connections that break, and counters of a NIC that dropped packets. */
static void drops_packets(struct orr_symptom_finder *f)
{
    const struct orr_log_event *broken = orr_log_event_of(f->log, "ib-retry-exceeded"),
                               *drops = orr_log_event_of(f->log, "nic-discards|rdma-out-of-order"),
                               *off = orr_log_event_of(f->log, "pfc-off");
    if (!broken || !(drops || off) || orr_symptom_other_error(f->log, "ib-retry-exceeded|ib-flushed"))
        return;
    const uint32_t line = drops ? drops->line : off->line;
    ORR_SYMPTOM(
        f, "roce-drops", ORR_SYMPTOM_CAUSE, line,
        .cause = orr_symptom_text(
            f, "%s (line %u)%s: RoCE packets are lost under load, until a connection gives up (line %u).",
            drops ? "A NIC or the network dropped packets" : "No priority of the NIC has flow control (PFC)", line,
            drops && off
                ? orr_symptom_text(f, ", and no priority of the NIC has flow control (PFC, line %u)", off->line)
                : "",
            broken->line),
        .check = "Check that the counters grow during the job (`ethtool -S IF | grep discard`, hw_counters), and that "
                 "`mlnx_qos -i IF` shows PFC for the priority of NCCL_IB_TC; the switch ports need the same.",
        .cure = "Turn PFC (or ECN) on for that priority on all NICs and switches, and set NCCL_IB_TC to its class.",
        .explains = "ib-retry-exceeded");
}

/* The length of the name in a list of NCCL_IB_HCA or NCCL_SOCKET_IFNAME that is shorter than `name` and selects it,
 * because it begins so; 0 if a name of the list is the whole name, or none selects it. */
static size_t beginning_of(const char *list, const char *name, const char **ret_at)
{
    size_t found = 0;
    for (const char *at = list; *at; at += strcspn(at, ",") + (at[strcspn(at, ",")] == ',')) {
        const size_t length = strcspn(at, ",:");
        if (strncmp(at, name, length) != 0 || !length)
            continue;
        if (!name[length])
            return 0;
        found = length;
        *ret_at = at;
    }
    return found;
}

/* A name in a list of devices also selects others whose names begin so, such as mlx5_10 by mlx5_1. */
static void longer_names(struct orr_symptom_finder *f)
{
    static const struct {
        const char *setting, *network, *what, *errors, *look;
    } rows[] = {{"NCCL_IB_HCA", "IB", "NICs", "ib-retry-exceeded|ib-modify-qp|ib-flushed|ib-async-fatal",
                 "`ibdev2netdev` shows to which networks they belong"},
                {"NCCL_SOCKET_IFNAME", "Socket", "interfaces",
                 "socket-connect|socket-refused|socket-timed-out|socket-no-route|socket-retries",
                 "`ip -br addr` shows to which networks they belong"}};
    for (size_t r = 0; r < sizeof rows / sizeof rows[0]; r++) {
        struct orr_log_nic nics[ORR_LOG_NICS];
        uint32_t line = 0;
        const char *value = orr_symptom_setting(f->log, rows[r].setting, &line), *at = NULL, *first = NULL;
        const struct orr_log_record *list = orr_symptom_nic_list(f->log, rows[r].network);
        const uint32_t count = value && list && !strchr("^=", *value) ? orr_log_read_nics(list->words[1], nics) : 0;
        const char *names = "";
        size_t length = 0;
        for (uint32_t i = 0; i < count; i++) {
            const size_t shorter = beginning_of(value, nics[i].name, &at);
            bool device = false; /* what only begins names, such as "mlx5", is meant so */
            for (uint32_t k = 0; k < count && shorter; k++)
                device |= strlen(nics[k].name) == shorter && !memcmp(nics[k].name, at, shorter);
            if (!device || (first && (length != shorter || memcmp(first, at, shorter) != 0)))
                continue;
            names = orr_symptom_text(f, "%s%s%.30s", names, *names ? ", " : "", nics[i].name);
            first = at;
            length = shorter;
        }
        if (!first)
            continue;
        const struct orr_log_event *event = orr_log_event_of(f->log, rows[r].errors);
        const char *hca = event ? strstr(event->text, " hca ") : NULL;
        const bool shown = hca && strstr(names, hca + strlen(" hca ")) != NULL;
        if (hca && !shown)
            continue;
        ORR_SYMPTOM(
            f, "longer-names", ORR_SYMPTOM_CAUSE, line, .slows = !event,
            .cause = orr_symptom_text(
                f, "%s (line %u) selects all %s whose names begin so: %.*s also selects %.90s (line %u)%s.",
                rows[r].setting, line, rows[r].what, (int)length, first, names, list->line,
                shown ? orr_symptom_text(f, ", and the error is of such a one (line %u)", event->line) : ""),
            .check = orr_symptom_text(f, "Check: %s; \"NET/%s : Using\" must list only those that all hosts share.",
                                      rows[r].look, rows[r].network),
            .cure =
                orr_symptom_text(f, "Set %s==%s: with = at its start, names must be equal.", rows[r].setting, value),
            .explains = event ? event->message->id : NULL);
    }
}

void orr_symptoms_of_connections(struct orr_symptom_finder *f)
{
    idle_connection(f);
    path_drops_large(f);
    longer_names(f);
    drops_packets(f);
    port_down(f);
    other_network(f);
    mtu_differs(f);
    mixed_layers(f);
    default_gid(f);
    gdr_on_one_side(f);
}
