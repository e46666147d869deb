/* SPDX-License-Identifier: Apache-2.0 */
/* Rows about the interfaces of the sockets: those of containers, those that a host lacks, ports for management; and
 * about lists of names that NCCL reads otherwise than people mean them. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/bytes.h"
#include "engine/hardware/hardware.h"
#include "engine/log_reading/statements.h"
#include "engine/symptoms/finding.h"

/* Sockets use a management interface. */
static void management_port(struct orr_symptom_finder *f)
{
    static const char *const slow[] = {"eno", "enp0s3", "em1"};
    uint32_t line = 0;
    const char *name = orr_symptom_setting(f->log, "NCCL_SOCKET_IFNAME", &line);
    bool sockets = false;
    if (!name || orr_symptom_has_one_host(f->log))
        return;
    for (uint32_t i = 0; i < f->log->record_count; i++)
        sockets |= f->log->records[i].kind == ORR_LOG_NETWORK && f->log->records[i].word_count &&
                   !strncmp(f->log->records[i].words[0], "Socket", 6);
    for (size_t i = 0; sockets && i < sizeof slow / sizeof slow[0]; i++) {
        if (strncmp(name + (*name == '='), slow[i], strlen(slow[i])) != 0)
            continue;
        ORR_SYMPTOM(f, "management-port", ORR_SYMPTOM_CAUSE, line, .slows = true,
                    .cause = orr_symptom_text(f,
                                              "All traffic between hosts goes over TCP through %.60s "
                                              "(NCCL_SOCKET_IFNAME, line %u).",
                                              name, line),
                    .check = orr_symptom_text(f, "Check: `ethtool %.60s | grep Speed`.", name),
                    .cure = "If the hosts share a faster interface, name that one in NCCL_SOCKET_IFNAME. If they "
                            "have InfiniBand or RoCE NICs, give them to NCCL.");
        return;
    }
}

/* NCCL leaves out docker0 and the loopback by itself, but not the other bridges of containers. */
static void virtual_interfaces(struct orr_symptom_finder *f)
{
    static const char errors[] = ORR_SOCKET_ERRORS ORR_SOCKET_RESULTS;
    const struct orr_log_record *list = orr_symptom_nic_list(f->log, "Socket");
    struct orr_log_nic nics[ORR_LOG_NICS];
    const uint32_t count = list ? orr_log_read_nics(list->words[1], nics) : 0;
    const char *real = NULL, *other = NULL;
    uint32_t reals = 0, others = 0;
    for (uint32_t i = 0; i < count; i++)
        if (orr_name_is_inside(nics[i].name)) {
            other = others++ ? other : nics[i].name;
        } else {
            real = reals++ ? real : nics[i].name;
        }
    if (!others || orr_symptom_has_one_host(f->log) || orr_symptom_other_error(f->log, errors) ||
        f->log->kinds[ORR_LOG_CONNECTED]) /* the hosts did reach each other */
        return;
    const struct orr_log_event *event = orr_log_event_of(f->log, errors);
    const char *only = reals ? "" : "only ";
    ORR_SYMPTOM(
        f, "virtual-interfaces", event || f->log->mentions[ORR_MENTION_HANG] ? ORR_SYMPTOM_CAUSE : ORR_SYMPTOM_NOTE,
        list->line,
        .cause = others > 1 ? orr_symptom_text(f,
                                               "NCCL sends data %sthrough %u virtual interfaces of the host, such "
                                               "as %.40s (line %u), whose addresses other hosts may be unable to "
                                               "reach.",
                                               only, others, other, list->line)
                            : orr_symptom_text(f,
                                               "NCCL sends data %sthrough %.40s (line %u), a virtual interface of "
                                               "the host, whose address other hosts may be unable to reach.",
                                               only, other, list->line),
        .check = "Check: `ip -br addr` on every host; \"NET/Socket : Using\" must list only the network that the hosts "
                 "share.",
        .cure = reals == 1
                    ? orr_symptom_text(f, "Set NCCL_SOCKET_IFNAME=%.40s, or the name that it has on each host.", real)
                    : "Set NCCL_SOCKET_IFNAME to the interface of the network that the hosts share.",
        .explains = event ? event->message->id : NULL);
}

/* A program that runs without NCCL_DEBUG stops at the start, and NCCL_SOCKET_IFNAME names one interface for all
 * hosts. A host without it fails with "internal error" in older releases, and with "invalid usage" in newer ones. */
static void missing_interface(struct orr_symptom_finder *f)
{
    static const char errors[] = "internal-error|internal-error-older|result-internal|invalid-usage|result-usage";
    const struct orr_log_event *event = orr_log_event_of(f->log, errors);
    uint32_t line = 0;
    const char *name = orr_symptom_setting(f->log, "NCCL_SOCKET_IFNAME", &line);
    const char *host = NULL;
    bool several = false;
    for (uint32_t i = 0; i < f->log->record_count; i++)
        if (f->log->records[i].kind == ORR_LOG_DEVICE && f->log->records[i].word_count) {
            several |= host && strcmp(host, f->log->records[i].words[0]) != 0;
            host = f->log->records[i].words[0];
        }
    if (!event || !name || !several || f->log->nccl_count || strpbrk(name, "^,") || orr_symptom_other_error(f->log, ""))
        return;
    name += strspn(name, "=");
    ORR_SYMPTOM(f, "missing-interface", ORR_SYMPTOM_CAUSE, line,
                .cause =
                    orr_symptom_text(f,
                                     "NCCL_SOCKET_IFNAME=%.40s (line %u) must match an interface of every host. On a "
                                     "host without one NCCL stops like this, and says why only with NCCL_DEBUG.",
                                     name, line),
                .check = orr_symptom_text(f,
                                          "Check: `ip -br addr` on every host must list %.40s; with NCCL_DEBUG=WARN, "
                                          "the host that lacks it prints \"no socket interface found\".",
                                          name),
                .cure = orr_symptom_text(f,
                                         "If a host lacks it, list the names of all hosts "
                                         "(NCCL_SOCKET_IFNAME=%.40s,NAME2), set each host's own in its "
                                         "/etc/nccl.conf, or unset it.",
                                         name),
                .explains = event->message->id);
}

/* NCCL found no interface, and the value of NCCL_SOCKET_IFNAME leaves some out. */
static void excluded_interfaces(struct orr_symptom_finder *f)
{
    const struct orr_log_event *none = orr_log_event_of(f->log, "socket-none");
    uint32_t line = 0;
    const char *value = orr_symptom_setting(f->log, "NCCL_SOCKET_IFNAME", &line);
    if (!none || !value || *value != '^' || strpbrk(value + 1, "^="))
        return;
    const bool of_ray = orr_log_event_of(f->log, "ray-interface") != NULL;
    ORR_SYMPTOM(f, "excluded-interfaces", ORR_SYMPTOM_CAUSE, line,
                .cause = orr_symptom_text(f,
                                          "NCCL_SOCKET_IFNAME=%.60s (line %u) leaves out interfaces whose names begin "
                                          "so, and this host has no other%s.",
                                          value, line, of_ray ? "; the value is a default of Ray" : ""),
                .check = "Check: `ip -br addr` on this host.",
                .cure = "Set NCCL_SOCKET_IFNAME to the interface that the hosts share, or to lo if all ranks are on "
                        "one host, before the workers start (Ray: env_vars of runtime_env).",
                .explains = none->message->id);
}

/* A list has "^" or "=" in front of a name that is not its first. */
static void misplaced_signs(struct orr_symptom_finder *f)
{
    static const char *const names[] = {"NCCL_IB_HCA", "NCCL_SOCKET_IFNAME"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        enum { LENGTH_MOST = 200 };
        uint32_t line = 0;
        const char *value = orr_symptom_setting(f->log, names[i], &line);
        if (!value || !(strstr(value, ",^") || strstr(value, ",=") || !strncmp(value, "=^", 2)))
            continue;
        char list[LENGTH_MOST];
        size_t length = 0;
        for (const char *at = value + strspn(value, "^="); *at && length + 1 < sizeof list; at++)
            if (!strchr("^=", *at))
                list[length++] = *at;
        list[length] = 0;
        ORR_SYMPTOM(
            f, "misplaced-signs", ORR_SYMPTOM_CAUSE, line,
            .cause = orr_symptom_text(f,
                                      "In %s=%.100s (line %u) NCCL reads ^ (all but these) and = (exactly these) only "
                                      "at the start of the list: the later names fit no device.",
                                      names[i], value, line),
            .check = "Check: with NCCL_DEBUG=INFO, \"NET/IB : Using\" and \"Bootstrap : Using\" list what NCCL uses.",
            .cure = orr_symptom_text(f, "Write the signs once, ^ first: %s=%s%s%.100s.", names[i],
                                     strchr(value, '^') ? "^" : "", strchr(value, '=') ? "=" : "", list));
    }
}

/* A device that a line of the text names and that a longer name of the list's entry would be: " mlx5_10 " for "mlx5_1".
 * NULL if there is none. */
static const char *longer_name(const struct orr_symptom_finder *f, const char *entry, size_t length, uint32_t *ret_line)
{
    for (uint32_t i = 0; i < f->log->said_count; i++)
        for (const char *at = f->log->said[i].words; (at = memmem(at, strlen(at), entry, length)); at += length)
            if (at[-1] == ' ' && orr_is_digit(at[length]) && at[length + strspn(at + length, "0123456789")] == ' ') {
                *ret_line = f->log->said[i].line;
                return orr_symptom_text(f, "%.*s", (int)strcspn(at, " "), at);
            }
    return NULL;
}

/* NCCL_IB_HCA=^mlx5_1 also leaves mlx5_10 out, because names are beginnings unless "=" precedes them. */
static void shorter_name(struct orr_symptom_finder *f)
{
    uint32_t line = 0, named = 0;
    const char *value = orr_symptom_setting(f->log, "NCCL_IB_HCA", &line);
    const struct orr_log_record *list = orr_symptom_nic_list(f->log, "IB");
    if (!value || value[0] != '^' || value[1] == '=')
        return;
    for (const char *at = value + 1; *at; at += *at == ',') {
        const size_t whole = strcspn(at, ","), length = strcspn(at, ",:");
        const char *name = length && orr_is_digit(at[length - 1]) ? longer_name(f, at, length, &named) : NULL;
        const bool itself = name && strstr(value, orr_symptom_text(f, "%s,", name));
        if (name && !itself && !(list && strstr(list->words[1], orr_symptom_text(f, "]%s:", name)))) {
            ORR_SYMPTOM(f, "hca-prefix", ORR_SYMPTOM_CAUSE, line, .slows = true,
                        .cause = orr_symptom_text(
                            f,
                            "NCCL_IB_HCA=%.80s (line %u) compares beginnings of names: %.*s also leaves out %s (line "
                            "%u) and every other NIC whose name begins so.",
                            value, line, (int)length, at, name, named),
                        .check = "Check: with NCCL_DEBUG=INFO, \"NET/IB : Using\" lists the NICs that are left.",
                        .cure =
                            orr_symptom_text(f, "Write NCCL_IB_HCA=^=%.80s, which compares whole names.", value + 1));
            return;
        }
        at += whole;
    }
}

void orr_symptoms_of_interfaces(struct orr_symptom_finder *f)
{
    misplaced_signs(f);
    shorter_name(f);
    excluded_interfaces(f);
    management_port(f);
    virtual_interfaces(f);
    missing_interface(f);
}
