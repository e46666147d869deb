/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the states of RDMA ports that ibstat, ibstatus, ibv_devinfo and `rdma link` print, a field at a time:
 *
 *      CA 'mlx5_0'                     Infiniband device 'mlx5_0' port 1 status:       hca_id: mlx5_0
 *          Port 1:                             state:           4: ACTIVE                  port:   1
 *              State: Active                                                               state:  PORT_ACTIVE (4)
 *
 *      link mlx5_0/1 state ACTIVE physical_state LINK_UP netdev ens1
 *
 * and the MTU of interfaces.
 */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"
#include "engine/log_reading/statements.h"

static const struct field_row {
    const char *begins;
    enum orr_log_port_field field;
} fields[] = {
    {"state:", ORR_PORT_STATE},         {"physical state:", ORR_PORT_PHYSICAL},
    {"phys state:", ORR_PORT_PHYSICAL}, {"phys_state:", ORR_PORT_PHYSICAL},
    {"rate:", ORR_PORT_RATE},           {"base lid:", ORR_PORT_LID},
    {"port_lid:", ORR_PORT_LID},        {"sm lid:", ORR_PORT_MANAGER},
    {"sm_lid:", ORR_PORT_MANAGER},      {"link layer:", ORR_PORT_LAYER},
    {"link_layer:", ORR_PORT_LAYER},    {"node guid:", ORR_PORT_GUID},
    {"node_guid:", ORR_PORT_GUID},
};

/* What begins the lines of a device, and the characters that end its name. */
static const struct head_row {
    const char *begins, *ends;
} heads[] = {{"CA '", "'"}, {"Infiniband device '", "'"}, {"hca_id:", " \t"}};

static const char *skip_blanks(const char *at, const char *end)
{
    while (at < end && isspace((unsigned char)*at))
        at++;
    return at;
}

static bool begins_with(const char *at, const char *end, const char *word)
{
    const size_t length = strlen(word);
    return (size_t)(end - at) >= length && !strncasecmp(at, word, length);
}

static bool keep(struct orr_log_catch *found, enum orr_log_port_field field, const char *device, const char *at,
                 size_t length)
{
    found->value_count = found->word_count = 0;
    return orr_log_keep_value(found, (double)field) && orr_log_keep_word(found, device, strlen(device)) &&
           orr_log_keep_word(found, at, length);
}

/* A line that names the device of the lines after it. */
static bool take_head(struct orr_log_building *b, const char *at, const char *end, uint32_t number,
                      struct orr_log_catch *found)
{
    for (size_t i = 0; i < sizeof heads / sizeof heads[0]; i++) {
        if (!begins_with(at, end, heads[i].begins))
            continue;
        const char *name = skip_blanks(at + strlen(heads[i].begins), end);
        size_t length = 0;
        while (name + length < end && !strchr(heads[i].ends, name[length]))
            length++;
        if (!length || length >= sizeof b->hca)
            return false;
        snprintf(b->hca, sizeof b->hca, "%.*s", (int)length, name);
        b->hca_line = number;
        return keep(found, ORR_PORT_BEGINS, b->hca, "", 0);
    }
    return false;
}

/* "link mlx5_0/1 state DOWN physical_state DISABLED netdev ens1" -> the state; the device is in the line. */
static bool take_link(struct orr_log_building *b, const char *at, const char *end, struct orr_log_catch *found)
{
    static const char link[] = "link ", state[] = " state ";
    if (!begins_with(at, end, link))
        return false;
    at += sizeof link - 1;
    const char *slash = memchr(at, '/', (size_t)(end - at));
    const char *says = memmem(at, (size_t)(end - at), state, sizeof state - 1);
    if (!slash || !says || slash > says || slash == at || slash - at >= (ptrdiff_t)sizeof b->hca ||
        memchr(at, ' ', (size_t)(slash - at)) || !memmem(says, (size_t)(end - says), "physical_state ", 15))
        return false;
    snprintf(b->hca, sizeof b->hca, "%.*s", (int)(slash - at), at);
    b->hca_line = 0;
    says += sizeof state - 1;
    return keep(found, ORR_PORT_LINK, b->hca, says, (size_t)(end - says));
}

bool orr_log_scan_port(struct orr_log_building *b, const char *line, size_t length, uint32_t number,
                       struct orr_log_catch *found)
{
    enum { LINES_MOST = 100 }; /* of a device; `ibv_devinfo -v` prints about 70 */
    static const char port[] = "port";
    const char *end = line + length, *at = skip_blanks(line, end);
    if (take_head(b, at, end, number, found) || take_link(b, at, end, found))
        return true;
    if (!b->hca_line || number - b->hca_line > LINES_MOST)
        return false;
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (begins_with(at, end, fields[i].begins)) {
            at = skip_blanks(at + strlen(fields[i].begins), end);
            return keep(found, fields[i].field, b->hca, at, (size_t)(end - at));
        }
    /* "Port 1:" of ibstat and "port:   1" of ibv_devinfo, for devices with several ports. */
    if (!begins_with(at, end, port) || length > 32)
        return false;
    at = skip_blanks(at + sizeof port - 1, end);
    const bool colon = at < end && *at == ':';
    at = skip_blanks(at + colon, end);
    return at + 1 + !colon <= end && isdigit((unsigned char)*at) && (colon || at[1] == ':') &&
           keep(found, ORR_PORT_NUMBER, b->hca, at, 1);
}

/* "0x8023" alone in its line, or after "pkeys/0": a key of /sys/class/infiniband/mlx5_0/ports/1/pkeys. */
bool orr_log_scan_partition(const char *line, size_t length, struct orr_log_catch *found)
{
    enum { DIGITS = 4 };
    static const char file[] = "pkeys/";
    const char *end = line + length, *named = memmem(line, length, file, sizeof file - 1);
    const char *at = named ? named + sizeof file - 1 : line;
    char *stop;
    if (named)
        at += strspn(at, "0123456789");
    at = skip_blanks(at + (named && *at == ':'), end);
    if (end - at < DIGITS + 2 || at[0] != '0' || at[1] != 'x')
        return false;
    const unsigned long key = strtoul(at, &stop, 16);
    found->value_count = found->word_count = 0;
    return stop == at + DIGITS + 2 && skip_blanks(stop, end) == end && orr_log_keep_value(found, (double)key);
}

/* "3: eth0@if27: <BROADCAST,UP> mtu 1500 qdisc noqueue", and "eth0: flags=4163<UP,BROADCAST>  mtu 1500". */
bool orr_log_scan_mtu(const char *line, size_t length, struct orr_log_catch *found)
{
    static const char mark[] = "mtu ";
    const char *end = line + length, *at = skip_blanks(line, end), *flags = memchr(line, '<', length);
    const char *mtu = flags ? memmem(flags, (size_t)(end - flags), mark, sizeof mark - 1) : NULL;
    double value;
    if (!mtu)
        return false;
    if (isdigit((unsigned char)*at)) {
        at += strspn(at, "0123456789");
        at = *at == ':' ? skip_blanks(at + 1, end) : end;
    }
    size_t size = 0;
    while (at + size < flags && at[size] != ':' && !isspace((unsigned char)at[size]))
        size++;
    mtu += sizeof mark - 1;
    found->value_count = found->word_count = 0;
    return at < flags && size && at[size] == ':' && orr_log_scan_int(&mtu, end, &value) &&
           orr_log_keep_value(found, value) && orr_log_keep_word(found, at, size);
}
