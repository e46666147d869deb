/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_reading/statements.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/words.h"

ORR_WORD_LIST(orr_log_transport_text, enum orr_log_transport, ORR_LOG_TRANSPORT_MAP(ORR_SECOND_OF))

/* A number that is not negative; -1 if there is none at this place. */
static int32_t read_number(const char *at, char **ret_end)
{
    const long number = strtol(at, ret_end, 10);
    return *ret_end == at || number < 0 || number > INT32_MAX ? -1 : (int32_t)number;
}

/* "IB/2(5)/GDRDMA": the NIC, the rank whose GPU drives it, GPUDirect RDMA. */
static void read_via(const char *via, struct orr_log_connection *connection)
{
    const char *slash = strchr(via, '/');
    char *end;
    if (!slash)
        return;
    connection->nic = read_number(slash + 1, &end);
    if (*end == '(')
        connection->proxy = read_number(end + 1, &end);
    connection->gdr = strstr(end, "/GDRDMA") != NULL;
}

bool orr_log_connection_of(const struct orr_log_record *record, struct orr_log_connection *ret_connection)
{
    enum { DIRECTION = 2, VIA = 3 };
    static const struct {
        enum orr_log_kind kind;
        enum orr_log_transport transport;
    } kinds[] = {{ORR_LOG_CONNECT_P2P, ORR_TRANSPORT_P2P},
                 {ORR_LOG_CONNECT_SHM, ORR_TRANSPORT_SHM},
                 {ORR_LOG_CONNECT_NET, ORR_TRANSPORT_NET}};
    const uint32_t at = record->value_count > 3   ? 2 /* "Channel 00/0" */
                        : record->value_count > 2 ? 1
                                                  : 0; /* a line from which "Channel 00" was cut */
    size_t k = 0;
    while (k < sizeof kinds / sizeof kinds[0] && kinds[k].kind != record->kind)
        k++;
    if (k == sizeof kinds / sizeof kinds[0] || record->value_count < at + 2 || record->word_count < 2)
        return false;
    *ret_connection = (struct orr_log_connection){
        .transport = kinds[k].transport,
        .channel = at ? (int32_t)record->values[0] : 0,
        .index = at == 2 ? (int32_t)record->values[1] : 0,
        .from = (int32_t)record->values[at],
        .to = (int32_t)record->values[at + 1],
        .bus_ids = {strtoull(record->words[0], NULL, 16), strtoull(record->words[1], NULL, 16)},
        .nic = -1,
        .proxy = -1};
    if (kinds[k].transport == ORR_TRANSPORT_NET && record->word_count > VIA) {
        ret_connection->sends = !strcmp(record->words[DIRECTION], "send");
        read_via(record->words[VIA], ret_connection);
    }
    return true;
}

bool orr_log_gdr_of(const struct orr_log_record *record, struct orr_log_gdr *ret_gdr)
{
    /* Values: [rank,] distance, limit [, read]; words: verdict, GPU, NIC [, relay], comparison. */
    enum { VERDICT, GPU, NIC, DISTANCE = 0, READ = 2 };
    if (record->kind != ORR_LOG_GDR_PAIR || record->word_count <= NIC)
        return false;
    const uint32_t ranked = strchr(record->words[GPU], '-') != NULL;
    if (record->value_count < ranked + 2)
        return false;
    const double *values = record->values + ranked;
    *ret_gdr = (struct orr_log_gdr){.on = !strcmp(record->words[VERDICT], "Enabled"),
                                    .sends = record->value_count - ranked > READ && values[READ] != 0,
                                    .gpu = record->words[GPU],
                                    .nic = record->words[NIC],
                                    .rank = ranked ? (int32_t)record->values[0] : -1,
                                    .distance = (int32_t)values[DISTANCE]};
    return true;
}

bool orr_log_gdr_nic_of(const struct orr_log_record *record, struct orr_log_gdr_nic *ret_gdr)
{
    if (record->kind != ORR_LOG_GDR_NIC)
        return false;
    *ret_gdr = (struct orr_log_gdr_nic){.on = strcmp(record->words[1], "Disabled") != 0,
                                        .socket = !strcmp(record->words[0], "Socket"),
                                        .nic = (int32_t)record->values[0]};
    return true;
}

bool orr_log_gid_of(const struct orr_log_record *record, struct orr_log_gid *ret_gid)
{
    enum { DEVICE, GID, ADDRESS, VERSION, INTERFACE };
    if (record->kind != ORR_LOG_GID)
        return false;
    *ret_gid = (struct orr_log_gid){.device = record->words[DEVICE],
                                    .address = record->words[ADDRESS],
                                    .interface = record->words[INTERFACE],
                                    .port = (int32_t)record->values[0],
                                    .index = (int32_t)record->values[1],
                                    .v2 = !strcmp(record->words[VERSION], "v2"),
                                    .link_local = !strncmp(record->words[GID], "fe80", 4)};
    return true;
}

bool orr_log_port_of(const struct orr_log_record *record, enum orr_log_port_field *ret_field, const char **ret_device,
                     const char **ret_text)
{
    if (record->kind != ORR_LOG_PORT)
        return false;
    *ret_field = (enum orr_log_port_field)record->values[0];
    *ret_device = record->words[0];
    *ret_text = record->words[1];
    return true;
}

bool orr_log_counts_of(const struct orr_log_record *record, struct orr_log_counts *ret_counts)
{
    enum { WITH_NVLS = 4, WITH_COLLNET };
    const uint32_t count = record->value_count;
    if (record->kind != ORR_LOG_COUNTS || count < WITH_NVLS - 1)
        return false;
    *ret_counts =
        (struct orr_log_counts){.collective = record->values[0],
                                .nvls = count >= WITH_NVLS ? record->values[count == WITH_COLLNET ? 2 : 1] : -1,
                                .p2p = record->values[count - 2],
                                .p2p_per_peer = record->values[count - 1]};
    return true;
}

bool orr_log_nvls_of(const struct orr_log_record *record, bool *ret_available)
{
    if (record->kind != ORR_LOG_NVLS_SUPPORT)
        return false;
    *ret_available = !strcmp(record->words[0], "available");
    return true;
}

uint32_t orr_log_test_groups(const struct orr_log *log, uint32_t *ret_line)
{
    enum { GROUP = 1, WITH_GROUP = 4, MOST = 1 << 20 };
    uint32_t groups = 1;
    for (uint32_t i = 0; i < log->record_count; i++) {
        const struct orr_log_record *record = &log->records[i];
        if (record->kind != ORR_LOG_DEVICE || record->value_count < WITH_GROUP || record->values[GROUP] < groups ||
            record->values[GROUP] >= MOST)
            continue;
        groups = (uint32_t)record->values[GROUP] + 1;
        if (ret_line)
            *ret_line = record->line;
    }
    return groups;
}

uint32_t orr_log_read_nics(const char *list, struct orr_log_nic nics[ORR_LOG_NICS])
{
    uint32_t count = 0;
    for (const char *at = list; (at = strchr(at, '[')) != NULL && count < ORR_LOG_NICS; at++) {
        char *end;
        long dev = strtol(at + 1, &end, 10);
        size_t length = *end == ']' && end != at + 1 ? strcspn(end + 1, ":/ <{") : 0;
        if (!length || dev < 0 || dev >= ORR_LOG_NICS)
            continue;
        if (length >= ORR_LOG_NIC_NAME || strchr(list, '{'))
            return 0;
        nics[count].dev = (int32_t)dev;
        snprintf(nics[count++].name, ORR_LOG_NIC_NAME, "%.*s", (int)length, end + 1);
    }
    return count;
}
