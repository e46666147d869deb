/* SPDX-License-Identifier: Apache-2.0 */
/* Hosts of which one has something else than another: the networks and NICs that NCCL chose, the MTU of interfaces. A
 * row of the table at the end says which records are compared. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/words.h"
#include "engine/hardware/hardware.h"
#include "engine/symptoms/finding.h"

const char *orr_symptom_host(const struct orr_log *log, const struct orr_log_record *record)
{
    return record->session == UINT32_MAX ? NULL : orr_log_host_of(log, &log->sessions[record->session]);
}

uint32_t orr_symptom_of_hosts(const struct orr_log *log, enum orr_log_kind kind, const char *of,
                              const struct orr_log_record *ret_records[ORR_SYMPTOM_HOSTS])
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < log->record_count && count < ORR_SYMPTOM_HOSTS && !orr_budget_spent(i % 64 == 0); i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != kind || !record->word_count || strncmp(record->words[0], of, strlen(of)) != 0)
            continue;
        const char *host = orr_symptom_host(log, record);
        bool known = !host && kind != ORR_LOG_MTU;
        for (uint32_t k = 0; k < count && host && !known; k++) {
            const char *other = orr_symptom_host(log, ret_records[k]);
            known = other && !strcmp(other, host);
        }
        if (!known)
            ret_records[count++] = record;
    }
    return count;
}

bool orr_symptom_unlike(const struct orr_log *log, enum orr_log_kind kind, const char *of, orr_symptom_differ *differ,
                        struct orr_symptom_two *ret_two)
{
    const struct orr_log_record *records[ORR_SYMPTOM_HOSTS];
    const uint32_t count = log->kinds[kind] ? orr_symptom_of_hosts(log, kind, of, records) : 0;
    for (uint32_t i = 1; i < count; i++)
        for (uint32_t k = 0; k < i; k++) {
            *ret_two = (struct orr_symptom_two){records[k], records[i]};
            if (differ(records[k], records[i]))
                return true;
        }
    return false;
}

static bool words_differ(const struct orr_log_record *one, const struct orr_log_record *other)
{
    return strcmp(one->words[0], other->words[0]) != 0;
}

/* Hosts whose ranks chose different networks. */
static void networks(struct orr_symptom_finder *f, const struct orr_symptom_two *two)
{
    const struct orr_log *log = f->log;
    const struct orr_log_record *first = two->one, *other = two->other;
    const char *host = orr_symptom_host(log, first), *other_host = orr_symptom_host(log, other);
    if (log->kinds[ORR_LOG_CONNECTED] ||
        orr_symptom_other_error(log, ORR_SOCKET_ERRORS ORR_SOCKET_RESULTS "|socket-type"))
        return;
    const struct orr_log_event *event = orr_log_event_of(log, ORR_SOCKET_ERRORS ORR_SOCKET_RESULTS "|socket-type");
    const bool swap = !strncmp(first->words[0], "Socket", 6);
    ORR_SYMPTOM(
        f, "networks-unlike", ORR_SYMPTOM_CAUSE, other->line,
        .cause = orr_symptom_text(f,
                                  "Host %.40s uses network %.30s (line %u), and host %.40s %.30s (line %u). "
                                  "Ranks that use different networks cannot connect: they wait or fail.",
                                  host, first->words[0], first->line, other_host, other->words[0], other->line),
        .check = orr_symptom_text(f,
                                  "Check on %.40s: NCCL's lines \"NET/\" with NCCL_DEBUG=INFO say why; "
                                  "`ibv_devinfo`, `ls /dev/infiniband` and the plugin (libnccl-net.so) must be as "
                                  "on the other host.",
                                  swap ? host : other_host),
        .cure = "Give that host, or its container, the NICs, libraries, plugin and NCCL settings of the others; "
                "NCCL_NET=Socket on all hosts avoids the difference, and is slow.",
        .explains = event ? event->message->id : NULL);
}

/* The NICs that NCCL uses on a host, by "NET/IB : Using". */
static uint32_t count_nics(const struct orr_log_record *record, struct orr_log_nic nics[ORR_LOG_NICS])
{
    return record->word_count > 1 ? orr_log_read_nics(record->words[1], nics) : 0;
}

static bool counts_differ(const struct orr_log_record *one, const struct orr_log_record *other)
{
    struct orr_log_nic nics[ORR_LOG_NICS];
    const uint32_t count = count_nics(one, nics), others = count_nics(other, nics);
    return count && others && count != others;
}

/* One host uses fewer NICs than another, by NCCL's own lists. */
static void fewer_nics(struct orr_symptom_finder *f, const struct orr_symptom_two *two)
{
    const struct orr_log *log = f->log;
    struct orr_log_nic nics[ORR_LOG_NICS];
    const bool swap = count_nics(two->one, nics) > count_nics(two->other, nics);
    const struct orr_log_record *least = swap ? two->other : two->one, *most = swap ? two->one : two->other;
    const uint32_t some = count_nics(least, nics), all = count_nics(most, nics);
    const char *host = orr_symptom_host(log, least), *lacks = "";
    if (orr_log_event_of(log, "ib-open-device|ib-open-call|ib-query-device")) /* which say why */
        return;
    for (uint32_t i = 0; i < all; i++)
        if (!strstr(least->words[1], orr_symptom_text(f, "]%s:", nics[i].name)))
            lacks = orr_symptom_text(f, "%s%s%.40s", lacks, *lacks ? ", " : "", nics[i].name);
    ORR_SYMPTOM(f, "nics-of-one-host", ORR_SYMPTOM_CAUSE, least->line, .slows = true,
                .cause = orr_symptom_text(
                    f,
                    "Host %.60s uses %u NIC%s (line %u), and %.60s %u (line %u): it lacks %.200s. Rings pass through "
                    "every host, so the job is as slow as that one.",
                    host, some, orr_plural(some), least->line, orr_symptom_host(log, most), all, most->line,
                    *lacks ? lacks : "as many of other names"),
                .check = orr_symptom_text(
                    f,
                    "If `ibstat` on %.60s does not say Active for these ports, repair the cable, transceiver or switch "
                    "port. If `ls /sys/class/infiniband` in the job lacks them, give the container these devices.",
                    host),
                .cure = orr_symptom_text(
                    f,
                    "If NCCL_IB_HCA on %.60s leaves them out, set it as on the others. Until then leave that host out.",
                    host));
}

/* Interfaces of one name whose MTU differs. Those of containers and bridges have others. */
static bool mtus_differ(const struct orr_log_record *one, const struct orr_log_record *other)
{
    return !words_differ(one, other) && one->values[0] != other->values[0] && !orr_name_is_virtual(one->words[0]) &&
           !strchr(one->words[0], '@');
}

static void mtus(struct orr_symptom_finder *f, const struct orr_symptom_two *two)
{
    const struct orr_log_event *event = orr_symptom_unreached(f->log);
    const struct orr_log_record *one = two->one, *other = two->other;
    if (!(event || (f->log->mentions[ORR_MENTION_HANG] && !orr_symptom_failed(f->log))) ||
        orr_symptom_said(f->log, "kubectl| pod | pods |docker", true))
        return;
    const int larger = (int)(one->values[0] > other->values[0] ? one->values[0] : other->values[0]);
    ORR_SYMPTOM(f, "mtu-unlike", ORR_SYMPTOM_CAUSE, other->line,
                .cause = orr_symptom_text(f,
                                          "The MTU of %.40s is %d (line %u) on one host and %d (line %u) on another: "
                                          "packets that are too large for one of them are lost, so small messages pass "
                                          "and transfers stop.",
                                          other->words[0], (int)one->values[0], one->line, (int)other->values[0],
                                          other->line),
                .check = orr_symptom_text(f,
                                          "Check: `ping -M do -s %d ADDRESS` between the hosts must get an answer; `ip "
                                          "link` on every host, and the switch ports.",
                                          larger - 28),
                .cure = "Give the interfaces of all hosts, and the switches between them, one MTU.",
                .explains = event ? event->message->id : NULL);
}

/* What is compared. */
static const struct {
    enum orr_log_kind kind;
    const char *of; /* as in orr_symptom_of_hosts() */
    orr_symptom_differ *differ;
    void (*say)(struct orr_symptom_finder *f, const struct orr_symptom_two *two);
} compared[] = {
    {ORR_LOG_MTU, "", mtus_differ, mtus},
    {ORR_LOG_NIC_LIST, "IB", counts_differ, fewer_nics},
    {ORR_LOG_NETWORK, "", words_differ, networks},
};

void orr_symptoms_of_unlike(struct orr_symptom_finder *f)
{
    struct orr_symptom_two two;
    for (size_t i = 0; i < sizeof compared / sizeof compared[0]; i++)
        if (orr_symptom_unlike(f->log, compared[i].kind, compared[i].of, compared[i].differ, &two))
            compared[i].say(f, &two);
}
