/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about what a cloud or a cluster puts around a job: security groups, proxies of a service mesh, tunnels between
 * pods, RDMA devices that a pod did not request, huge pages that EFA takes. */
#include <stdio.h>
#include <string.h>

#include "engine/base/bytes.h"
#include "engine/symptoms/finding.h"

/* What follows if hosts cannot reach each other. */
static const char broken[] =
    "ofi-unreachable|ofi-operation|socket-closed|socket-reset|socket-refused|socket-timed-out|socket-poll|"
    "socket-connect|socket-retry|socket-transfer|watchdog-timeout|watchdog-heartbeat|gloo-connect|"
    "store-connect|remote-exited|unhandled-remote|result-remote";

const struct orr_log_event *orr_symptom_unreached(const struct orr_log *log)
{
    return orr_symptom_other_error(log, broken) ? NULL : orr_log_event_of(log, broken);
}

bool orr_symptom_uses_efa(const struct orr_log *log)
{
    for (uint32_t i = 0; i < log->record_count; i++)
        if (log->records[i].kind == ORR_LOG_OFI_PROVIDER)
            return !strncmp(log->records[i].words[log->records[i].word_count - 1], "efa", 3);
    return orr_log_event_of(log, "ofi-unreachable") ||
           (log->mentions[ORR_MENTION_EFA] && !orr_symptom_nic_list(log, "IB"));
}

/* A security group, as `aws ec2 describe-security-groups` prints it, that no rule with a group opens in one direction:
 *
 *      "IpPermissions": [ { "IpProtocol": "-1", "UserIdGroupPairs": [], "IpRanges": [ { "CidrIp": "10.20.0.0/16" } ...
 *      "IpPermissionsEgress": [ ...
 *
 * Rules with addresses do not cover EFA, whose packets are not IP. */
static void security_group(struct orr_symptom_finder *f)
{
    enum { IN, OUT, WAYS };
    static const char *const ways[] = {"inbound rules", "outbound rules", "rules, inbound or outbound,"};
    const struct orr_log *log = f->log;
    uint32_t line[WAYS] = {0}, without[WAYS] = {0}, way = IN;
    bool open[WAYS] = {false, false};
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_GROUP_RULE)
            continue;
        const char *word = record->words[0];
        if (!strncmp(word, "Permissions", 11)) {
            way = !strncmp(word + 11, "Egress", 6) ? OUT : IN;
            line[way] = record->line;
        } else if (!strncmp(word, "[]", 2)) {
            without[way] = record->line;
        } else {
            open[way] = true;
        }
    }
    const bool shut[WAYS] = {line[IN] && without[IN] && !open[IN], line[OUT] && without[OUT] && !open[OUT]};
    const struct orr_log_event *event = orr_symptom_unreached(log);
    if (!(shut[IN] || shut[OUT]) || !orr_symptom_uses_efa(log) || orr_symptom_other_error(log, broken))
        return;
    ORR_SYMPTOM(
        f, "security-group", ORR_SYMPTOM_CAUSE, line[shut[IN] ? IN : OUT],
        .cause = orr_symptom_text(f,
                                  "The security group has no %s that name the group itself (line %u), only addresses, "
                                  "and these do not let EFA's packets pass, which are not IP. TCP works all the same.",
                                  ways[shut[IN] && shut[OUT] ? WAYS
                                       : shut[IN]            ? IN
                                                             : OUT],
                                  line[shut[IN] ? IN : OUT]),
        .check = "Check: `fi_pingpong -p efa` between the two hosts fails while ping works.",
        .cure = "Add rules for all traffic (protocol -1) with the group itself as source, inbound, and as destination, "
                "outbound, and give both hosts this group.",
        .explains = event ? event->message->id : NULL);
}

/* The availability zone of AWS in a line of words, "us east 2a"; its length in *ret_length. NULL if none is there. */
static const char *zone_in(const char *words, size_t *ret_length)
{
    static const char *const sides[] = {" east ",      " west ",      " north ",     " south ",    " central ",
                                        " northeast ", " southeast ", " northwest ", " southwest "};
    enum { REGION = 2 }; /* letters */
    const char *first = NULL;
    for (size_t s = 0; s < sizeof sides / sizeof sides[0]; s++)
        for (const char *at = words; (at = strstr(at, sides[s])); at++) {
            const char *number = at + strlen(sides[s]);
            if (at - words <= REGION || at[-REGION - 1] != ' ' || (first && first < at) || !orr_is_digit(number[0]) ||
                !orr_is_letter(number[1]) || number[2] != ' ')
                continue;
            *ret_length = (size_t)(number + 2 - at) + REGION;
            first = at - REGION;
        }
    return first;
}

/* EFA's packets do not leave their availability zone. */
static void zones(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *event = orr_symptom_unreached(log);
    const char *zone = NULL;
    size_t size = 0, length = 0;
    uint32_t line = 0;
    for (uint32_t i = 0; i < log->said_count && event && orr_symptom_uses_efa(log); i++)
        for (const char *here = log->said[i].words; (here = zone_in(here, &length)); here += length) {
            if (!zone) {
                zone = here;
                size = length;
                line = log->said[i].line;
            }
            if (size == length && !memcmp(zone, here, length))
                continue;
            ORR_SYMPTOM(f, "efa-zones", ORR_SYMPTOM_CAUSE, line,
                        .cause = orr_symptom_text(
                            f,
                            "The text names two availability zones (lines %u and %u). If the hosts are in both, they "
                            "cannot reach each other by EFA, which carries nothing between zones; TCP works all the "
                            "same.",
                            line, log->said[i].line),
                        .check = "Check: `fi_pingpong -p efa` between two hosts of one zone works.",
                        .cure = "Start all hosts of the job in one zone, best in one cluster placement group (EKS: a "
                                "node group with one subnet).",
                        .explains = event->message->id);
            return;
        }
}

/* Two hosts whose InfiniBand ports have no full partition key in common, as /sys/class/infiniband shows it. */
static void partitions(struct orr_symptom_finder *f)
{
    enum { FULL = 0x8000, DEFAULT = 0xffff };
    const struct orr_log *log = f->log;
    const struct orr_log_event *event = orr_log_event_of(log, "ib-retry-exceeded|ib-modify-qp|perftest-qp");
    const struct orr_log_record *one = NULL, *other = NULL;
    for (uint32_t i = 0; event && i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_PARTITION || record->values[0] < FULL)
            continue;
        if (record->values[0] >= DEFAULT)
            return;
        one = one ? one : record;
        other = record->values[0] != one->values[0] ? record : other;
    }
    if (!other || other->line < one->line + 2) /* the next line is of the same host */
        return;
    ORR_SYMPTOM(
        f, "ib-partitions", ORR_SYMPTOM_CAUSE, other->line,
        .cause = orr_symptom_text(f,
                                  "The hosts are in different InfiniBand partitions: key 0x%x (line %u) and "
                                  "0x%x (line %u). Packets do not pass between partitions, although the ports "
                                  "are active and Ethernet works.",
                                  (unsigned)one->values[0], one->line, (unsigned)other->values[0], other->line),
        .check = "Check: `cat /sys/class/infiniband/*/ports/1/pkeys/0` on each host; `ib_write_bw` between them "
                 "fails, too.",
        .cure = "Use hosts of one partition: on Azure, VMs of one scale set (a single placement group) or "
                "availability set; elsewhere ask who runs the subnet manager. NCCL_IB_PKEY chooses the index of "
                "another key, if both have one.",
        .explains = event->message->id);
}

/* A pod with the proxy of a service mesh, and connections that break. */
static void service_mesh(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *proxy = orr_log_event_of(log, "mesh-proxy|mesh-proxy-linkerd"),
                               *event = orr_symptom_unreached(log);
    const struct orr_symptom_part *part = orr_symptom_part("mesh");
    uint32_t line = proxy ? proxy->line : 0;
    for (uint32_t i = 0; i < log->event_count && !line; i++) /* Istio's connections in a pod come from 127.0.0.6 */
        if (strstr(log->events[i].text, " 127-0-0-6.") || strstr(log->events[i].text, " 127.0.0.6<"))
            line = log->events[i].line;
    if (!line || !(event || (log->mentions[ORR_MENTION_HANG] && !orr_symptom_other_error(log, ""))) ||
        orr_symptom_said(log, "sidecar istio io inject false|host network true|hostnetwork true", true))
        return;
    ORR_SYMPTOM(f, "service-mesh", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(f,
                                          "A service mesh puts its proxy into the pods (line %u), which takes the "
                                          "TCP connections that NCCL opens between ranks on changing ports, and can "
                                          "break them. The port of the rendezvous may work.",
                                          line),
                .check =
                    "Check: the same job in pods without the proxy (a namespace without injection) works; `kubectl "
                    "get pods` then says 1/1 instead of 2/2.",
                .cure = part->cure, .explains = event ? event->message->id : NULL);
}

/* Pods whose packets are too large for the tunnel between their nodes:
 *
 *      3: eth0@if27: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1500 qdisc noqueue state UP ...
 *      9: vxlan.calico: <BROADCAST,MULTICAST,UP,LOWER_UP> mtu 1440 qdisc noqueue ... */
static void tunnel(struct orr_symptom_finder *f)
{
    static const char *const tunnels[] = {"vxlan", "flannel", "cilium_vxlan", "genev", "tunl", "wireguard", "weave"};
    const struct orr_log *log = f->log;
    const struct orr_log_record *pod = NULL, *narrow = NULL;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_MTU)
            continue;
        const char *name = record->words[0];
        for (size_t k = 0; k < sizeof tunnels / sizeof tunnels[0]; k++)
            if (!strncmp(name, tunnels[k], strlen(tunnels[k])) && (!narrow || record->values[0] < narrow->values[0]))
                narrow = record;
        if (!strncmp(name, "eth", 3) && strstr(name, "@if") && (!pod || record->values[0] > pod->values[0]))
            pod = record;
    }
    if (!pod || !narrow || pod->values[0] <= narrow->values[0] || orr_symptom_other_error(log, broken))
        return;
    const int fits = (int)narrow->values[0], size = (int)pod->values[0], header = 28; /* of IP and ICMP */
    const struct orr_log_event *event = orr_symptom_unreached(log);
    ORR_SYMPTOM(
        f, "tunnel-mtu", ORR_SYMPTOM_CAUSE, pod->line,
        .cause = orr_symptom_text(f,
                                  "Pods send packets of up to %d bytes (MTU of %.*s, line %u), and the tunnel between "
                                  "their nodes takes %d (%s, line %u): larger ones are lost, so small messages pass "
                                  "and transfers stop.",
                                  size, (int)strcspn(pod->words[0], "@"), pod->words[0], pod->line, fits,
                                  narrow->words[0], narrow->line),
        .check = orr_symptom_text(
            f, "Check between two pods: `ping -M do -s %d ADDRESS` gets no answer and `ping -M do -s %d ADDRESS` does.",
            size - header, fits - header),
        .cure = orr_symptom_text(f,
                                 "Set the MTU of the pods to %d or less in the network plugin (Calico: veth_mtu, or 0 "
                                 "to find it) and start the pods again. hostNetwork: true avoids the tunnel.",
                                 fits),
        .explains = event ? event->message->id : NULL);
}

/* EFA's buffers are in huge pages, of which a fork may need as many again. */
static void huge_pages(struct orr_symptom_finder *f)
{
    const struct orr_log *log = f->log;
    const struct orr_log_event *fork = orr_log_event_of(log, "fork-memory"),
                               *pages = orr_log_event_of(log, "huge-pages");
    if (!fork || !orr_symptom_uses_efa(log) || orr_symptom_said(log, "fi_efa_use_huge_page 0", true))
        return;
    ORR_SYMPTOM(f, "efa-huge-pages", ORR_SYMPTOM_CAUSE, fork->line,
                .cause = orr_symptom_text(
                    f,
                    "A process could not fork (line %u)%s. EFA puts its buffers into huge pages, and a child, such "
                    "as a data loader's worker, needs them again. Ordinary memory may be free.",
                    fork->line, pages ? orr_symptom_text(f, " because huge pages ran out (line %u)", pages->line) : ""),
                .check =
                    "Check: run once with FI_EFA_USE_HUGE_PAGE=0; `grep HugePages /proc/meminfo` while the job runs.",
                .cure = "If the error is gone with FI_EFA_USE_HUGE_PAGE=0, leave it set, which costs little, or "
                        "raise vm.nr_hugepages; data loaders that start workers by spawn or forkserver do not copy "
                        "them.",
                .explains = fork->message->id);
}

void orr_symptoms_of_cloud(struct orr_symptom_finder *f)
{
    security_group(f);
    zones(f);
    partitions(f);
    service_mesh(f);
    tunnel(f);
    huge_pages(f);
}
