/* SPDX-License-Identifier: Apache-2.0 */
/* Reports what ran: release, plugins, network and transports, per host if hosts differ. */
#include <stdio.h>
#include <string.h>

#include "engine/base/words.h"
#include "engine/dump/notes.h"
#include "engine/log_reading/statements.h"
#include "engine/release/release_names.h"
#include "engine/triage/building.h"

enum { NONE = UINT32_MAX, VALUES_MOST = 32, HOSTS_MOST = 64, VALUE_MOST = 200 };

ORR_WORD_LIST(orr_ran_word, enum orr_ran_what, ORR_RAN_MAP(ORR_SECOND_OF))

ORR_WORD_LIST(orr_ran_text, enum orr_ran_what, ORR_RAN_MAP(ORR_THIRD_OF))

/* Adds a value, and the host that names it, to a list that stays short. */
static void add_to(struct orr_triaging *t, struct orr_ran_value **list, uint32_t *count, const char *text,
                   const struct orr_log_record *record)
{
    struct orr_ran_value *values = *list;
    uint32_t i = 0;
    if (!values)
        values = *list = ORR_NEW(t->arena, struct orr_ran_value, VALUES_MOST);
    if (!values)
        return;
    while (i < *count && strcmp(values[i].value, text))
        i++;
    if (i == *count) {
        if (i == VALUES_MOST)
            return;
        values[i] = (struct orr_ran_value){.value = orr_triage_text(t, "%.*s", VALUE_MOST, text), .line = record->line};
        values[i].hosts = ORR_NEW(t->arena, const char *, HOSTS_MOST);
        ++*count;
    }
    const char *host = orr_log_host_of(t->log, &t->log->sessions[record->session]);
    uint32_t h = 0;
    while (host && h < values[i].host_count && strcmp(values[i].hosts[h], host))
        h++;
    if (host && values[i].hosts && h == values[i].host_count && h < HOSTS_MOST)
        values[i].hosts[values[i].host_count++] = host;
}

static void add_value(struct orr_triaging *t, enum orr_ran_what what, const char *text,
                      const struct orr_log_record *record)
{
    struct orr_ran *ran = &t->triage->ran;
    add_to(t, &ran->values[what], &ran->counts[what], text, record);
}

/* Whether a release is one of those that the log names; "2.5.7" beside "2.5.7+cuda10.1" is not. */
static bool is_listed(const struct orr_log *log, const char *text, size_t length)
{
    for (uint32_t i = 0; i < log->release_count; i++)
        if (strlen(log->releases[i]) == length && !memcmp(log->releases[i], text, length))
            return true;
    return false;
}

/* "12.4" of 12040. */
static const char *driver_text(struct orr_triaging *t, double version)
{
    int number = (int)version;
    return orr_triage_text(t, "%d.%d", number / 1000, number % 1000 / 10);
}

static void count_connection(struct orr_ran *ran, const struct orr_log_record *record)
{
    uint32_t *counts[] = {
        [ORR_TRANSPORT_P2P] = &ran->p2p, [ORR_TRANSPORT_SHM] = &ran->shm, [ORR_TRANSPORT_NET] = &ran->net};
    struct orr_log_connection connection;
    if (!orr_log_connection_of(record, &connection))
        return;
    ++*counts[connection.transport];
    ran->net_gdr += connection.gdr;
    ran->net_pxn += connection.proxy >= 0;
}

static void take_counts(struct orr_ran *ran, const struct orr_log_record *record)
{
    struct orr_log_counts counts;
    if (ran->coll_channels >= 0 || !orr_log_counts_of(record, &counts))
        return;
    ran->coll_channels = (int32_t)counts.collective;
    ran->nvls_channels = (int32_t)counts.nvls;
    ran->p2p_channels = (int32_t)counts.p2p;
}

/* A line that says that GPUDirect RDMA is off. */
static bool denies_gdr(const struct orr_log_record *record)
{
    struct orr_log_gdr pair;
    struct orr_log_gdr_nic nic;
    return (orr_log_gdr_of(record, &pair) && !pair.on) || (orr_log_gdr_nic_of(record, &nic) && !nic.on);
}

static void take_record(struct orr_triaging *t, const struct orr_log_record *record)
{
    struct orr_ran *ran = &t->triage->ran;
    char text[VALUE_MOST];
    bool nvls;
    switch (record->kind) {
    case ORR_LOG_VERSION:
    case ORR_LOG_RCCL:
        if (is_listed(t->log, record->words[0], strcspn(record->words[0], " "))) {
            snprintf(text, sizeof text, "%s %.*s", record->kind == ORR_LOG_RCCL ? "RCCL" : "NCCL",
                     (int)strcspn(record->words[0], " "), record->words[0]);
            add_value(t, ORR_RAN_RELEASE, text, record);
        }
        break;
    case ORR_LOG_DRIVER:
        add_value(t, ORR_RAN_DRIVER, driver_text(t, record->values[0]), record);
        break;
    case ORR_LOG_NETWORK:
        add_value(t, ORR_RAN_NETWORK, record->words[0], record);
        break;
    case ORR_LOG_PLUGIN:
        add_value(t, ORR_RAN_PLUGIN, record->words[0], record);
        break;
    case ORR_LOG_OFI:
        snprintf(text, sizeof text, "aws-ofi-nccl %.*s", (int)strcspn(record->words[0], " "), record->words[0]);
        add_value(t, ORR_RAN_PLUGIN, text, record);
        break;
    case ORR_LOG_OFI_PROVIDER:
        snprintf(text, sizeof text, "%.*s", (int)strcspn(record->words[record->word_count - 1], ", "),
                 record->words[record->word_count - 1]);
        add_value(t, ORR_RAN_PROVIDER, text, record);
        break;
    case ORR_LOG_TUNER:
        add_value(t, ORR_RAN_TUNER, record->words[0], record);
        break;
    case ORR_LOG_TOPO_FILE:
        add_value(t, ORR_RAN_TOPO_FILE, record->words[0], record);
        break;
    case ORR_LOG_CONNECT_P2P:
    case ORR_LOG_CONNECT_SHM:
    case ORR_LOG_CONNECT_NET:
        count_connection(ran, record);
        break;
    case ORR_LOG_CONNECT_COLLNET:
        ran->collnet++;
        break;
    case ORR_LOG_GDR_NIC:
    case ORR_LOG_GDR_PAIR:
        ran->gdr_off += denies_gdr(record);
        break;
    case ORR_LOG_NVLS_SUPPORT:
        if (orr_log_nvls_of(record, &nvls))
            ran->nvls = nvls || ran->nvls == 1;
        break;
    case ORR_LOG_COUNTS:
        take_counts(ran, record);
        break;
    default:
        break;
    }
}

static bool begins(const char *text, const char *with)
{
    return !strncmp(text, with, strlen(with));
}

/* The network in words. Before 2.6 only lines about connections name it. */
static const char *network_name(struct orr_triaging *t, const char *name)
{
    const struct orr_ran *ran = &t->triage->ran;
    const struct orr_log_record *list = orr_symptom_nic_list(t->log, "IB");
    if (begins(name, "IB")) {
        bool roce = list && strstr(list->words[1], "/RoCE"), ib = list && strstr(list->words[1], "/IB");
        static const char *const names[2][2] = {{"InfiniBand or RoCE", "InfiniBand"}, {"RoCE", "InfiniBand and RoCE"}};
        return names[roce][ib];
    }
    if (begins(name, "AWS Libfabric") || begins(name, "OFI") || begins(name, "Libfabric"))
        return ran->counts[ORR_RAN_PROVIDER] && strstr(ran->values[ORR_RAN_PROVIDER][0].value, "efa")
                   ? "EFA (libfabric)"
               : ran->counts[ORR_RAN_PROVIDER]
                   ? orr_triage_text(t, "libfabric (%s)", ran->values[ORR_RAN_PROVIDER][0].value)
                   : "libfabric";
    return begins(name, "Socket") ? "sockets" : orr_triage_text(t, "%s", name);
}

static void name_network(struct orr_triaging *t)
{
    struct orr_ran *ran = &t->triage->ran;
    const struct orr_log *log = t->log;
    if (ran->counts[ORR_RAN_NETWORK]) {
        ran->network = network_name(t, ran->values[ORR_RAN_NETWORK][0].value);
        return;
    }
    for (uint32_t i = 0; i < log->record_count && ran->net; i++)
        if (log->records[i].kind == ORR_LOG_CONNECT_NET) {
            ran->network = network_name(t, log->records[i].words[log->records[i].word_count - 1]);
            return;
        }
}

/* A NIC of the dump whose name shows InfiniBand or RoCE; NULL if there is none, or a part of the dump is assumed. */
static const char *ib_in_dump(struct orr_triaging *t, const struct orr_dump *dump)
{
    static const char *const drivers[] = {"mlx4_", "mlx5_", "bnxt_re", "irdma"};
    const struct orr_dump_notes *notes = dump->notes;
    const bool assumed = notes && (notes->machine_type || notes->assumed_count > 0);
    for (uint32_t i = 0; !assumed && i < dump->element_count; i++) {
        const char *name = dump->elements[i].kind == ORR_ELEMENT_NET ? orr_element_text(dump, i, ORR_ATTR_NAME) : NULL;
        for (size_t d = 0; name && d < sizeof drivers / sizeof drivers[0]; d++)
            if (begins(name, drivers[d]))
                return orr_triage_text(t, "the topology has %.60s", name);
    }
    return NULL;
}

/* Checks for sockets although there are faster NICs, as the log's own list, NICs that could not be opened, or the dump
 * show. */
static void find_unused_ib(struct orr_triaging *t)
{
    struct orr_ran *ran = &t->triage->ran;
    const struct orr_log *log = t->log;
    if (!ran->network || strcmp(ran->network, "sockets") != 0)
        return;
    const struct orr_log_record *list = orr_symptom_nic_list(log, "IB");
    const struct orr_log_event *unopened = orr_log_event_of(log, "ib-open-device");
    if (list && strstr(list->words[1], "[0]"))
        ran->ib_evidence = orr_triage_text(t, "line %u lists them", list->line);
    else if (unopened)
        ran->ib_evidence = orr_triage_text(t, "line %u: \"%s\"", unopened->line, unopened->text);
    else if (t->check)
        ran->ib_evidence = ib_in_dump(t, t->check->analysis->given);
    ran->ib_unused = ran->ib_evidence != NULL;
}

/* Why NCCL ignored a setting: its release does not have it, or a line says that the value is invalid. */
static const char *why_ignored(struct orr_triaging *t, const char *name, enum orr_setting id, bool known)
{
    const struct orr_log *log = t->log;
    const struct orr_release *release = orr_release_of(orr_log_version(log, NULL));
    if (known && release && !orr_setting_in(id, release))
        return orr_triage_text(t, "NCCL %s does not have this setting", release->name);
    for (uint32_t i = 0; i < log->event_count; i++)
        if (log->events[i].message && !strcmp(log->events[i].message->id, "setting-invalid") &&
            strstr(log->events[i].text, name))
            return orr_triage_text(t, "line %u: \"%s\"", log->events[i].line, log->events[i].text);
    return NULL;
}

/* The settings that the log names, with the values that its lines and hosts give. */
static void take_settings(struct orr_triaging *t)
{
    const struct orr_log *log = t->log;
    struct orr_ran *ran = &t->triage->ran;
    enum { PREFIX = 5, WORK_MOST = 1 << 22 };
    ran->settings = ORR_NEW(t->arena, struct orr_ran_setting, (size_t)log->setting_count + 1);
    if (!ran->settings)
        return;
    uint64_t work = 0;
    for (uint32_t s = 0; s < log->setting_count; s++) {
        struct orr_ran_setting *setting = &ran->settings[ran->setting_count++];
        enum orr_setting id;
        const bool known = orr_setting_find(log->settings[s].name, &id);
        *setting = (struct orr_ran_setting){.name = log->settings[s].name};
        setting->effect = known ? orr_setting_info(id)->meaning : NULL;
        setting->ignored = why_ignored(t, setting->name, id, known);
        for (uint32_t i = 0; i < log->record_count && work < WORK_MOST; i++, work++) {
            const struct orr_log_record *record = &log->records[i];
            if (record->kind != ORR_LOG_SETTING || strcmp(record->words[0], setting->name + PREFIX) != 0)
                continue;
            const char *value = record->words[1];
            size_t length = strlen(value);
            length -= length && value[length - 1] == '.'; /* lines about integers end with a full stop */
            add_to(t, &setting->values, &setting->value_count, orr_triage_text(t, "%.*s", (int)length, value), record);
        }
    }
}

void orr_triage_ran(struct orr_triaging *t)
{
    struct orr_ran *ran = &t->triage->ran;
    ran->nvls = ran->coll_channels = ran->nvls_channels = ran->p2p_channels = -1;
    for (uint32_t i = 0; i < t->log->record_count && !orr_arena_starved(t->arena); i++)
        take_record(t, &t->log->records[i]);
    take_settings(t);
    name_network(t);
    find_unused_ib(t);
}
