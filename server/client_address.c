/* SPDX-License-Identifier: Apache-2.0 */
#include "server/client_address.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/config.h"

enum { V4_START = 12, V4_BITS = 96, ALL_BITS = 128 };

static void of_v4(const void *four, struct orr_address *address)
{
    memset(address, 0, sizeof *address);
    address->bytes[10] = address->bytes[11] = 0xff;
    memcpy(address->bytes + V4_START, four, 4);
}

static bool is_v4(const struct orr_address *address)
{
    static const uint8_t start[V4_START] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff};
    return !memcmp(address->bytes, start, sizeof start);
}

/* Reads an address of a given length: "10.1.2.3", "::1", "[::1]:443", "10.1.2.3:55". */
static bool read_address(const char *text, size_t length, struct orr_address *address)
{
    char copy[ORR_ADDRESS_TEXT];
    const char *colon = memchr(text, ':', length);
    if (length && text[0] == '[') {
        const char *end = memchr(text, ']', length);
        if (!end)
            return false;
        length = (size_t)(end - text) - 1;
        text++;
    } else if (colon && !memchr(colon + 1, ':', length - (size_t)(colon + 1 - text))) {
        length = (size_t)(colon - text); /* one colon: a port */
    }
    if (!length || length >= sizeof copy)
        return false;
    memcpy(copy, text, length);
    copy[length] = 0;
    struct in_addr four;
    if (inet_pton(AF_INET, copy, &four) == 1) {
        of_v4(&four, address);
        return true;
    }
    return inet_pton(AF_INET6, copy, address->bytes) == 1;
}

static bool read_network(const char *text, size_t length, struct orr_network *network)
{
    const char *slash = memchr(text, '/', length);
    size_t address = slash ? (size_t)(slash - text) : length;
    if (!read_address(text, address, &network->address))
        return false;
    unsigned most = is_v4(&network->address) ? ALL_BITS - V4_BITS : ALL_BITS, bits = most;
    if (slash) {
        size_t digits = length - address - 1;
        char number[4] = "";
        if (!digits || digits > 3)
            return false;
        memcpy(number, slash + 1, digits);
        if (strspn(number, "0123456789") != digits || (bits = (unsigned)strtoul(number, NULL, 10)) > most)
            return false;
    }
    network->bits = bits + (ALL_BITS - most);
    return true;
}

enum orr_code orr_networks_read(const char *list, struct orr_networks *ret_networks, struct orr_error *err)
{
    struct orr_networks networks = {0};
    const char *item;
    size_t length;
    while (orr_config_item(&list, &item, &length)) {
        struct orr_network *rows = realloc(networks.rows, (networks.count + 1) * sizeof *rows);
        if (!rows) {
            free(networks.rows);
            return orr_fail_nomem(err);
        }
        networks.rows = rows;
        if (!read_network(item, length, &rows[networks.count++])) {
            free(networks.rows);
            return orr_fail_with(err, ORR_SETTING, NULL, "such as 127.0.0.1, ::1, 10.0.0.0/8; names are not looked up",
                                 "trusted-proxies: \"%.*s\" is neither an address nor a network",
                                 (int)(length > 60 ? 60 : length), item);
        }
    }
    *ret_networks = networks;
    return ORR_OK;
}

void orr_networks_release(struct orr_networks *networks)
{
    free(networks->rows);
    networks->rows = NULL;
    networks->count = 0;
}

static bool is_inside(const struct orr_network *network, const struct orr_address *address)
{
    unsigned bytes = network->bits / 8, rest = network->bits % 8;
    if (memcmp(network->address.bytes, address->bytes, bytes) != 0)
        return false;
    return !rest || (network->address.bytes[bytes] ^ address->bytes[bytes]) >> (8 - rest) == 0;
}

bool orr_networks_hold(const struct orr_networks *networks, const struct orr_address *address)
{
    for (size_t i = 0; i < networks->count; i++)
        if (is_inside(&networks->rows[i], address))
            return true;
    return false;
}

void orr_address_of(const struct sockaddr *socket_address, struct orr_address *address)
{
    memset(address, 0, sizeof *address);
    if (socket_address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, socket_address, sizeof in);
        of_v4(&in.sin_addr, address);
    } else if (socket_address->sa_family == AF_INET6) {
        struct sockaddr_in6 in6;
        memcpy(&in6, socket_address, sizeof in6);
        memcpy(address->bytes, &in6.sin6_addr, sizeof address->bytes);
    }
}

void orr_address_write(const struct orr_address *address, char text[ORR_ADDRESS_TEXT])
{
    bool four = is_v4(address);
    if (!inet_ntop(four ? AF_INET : AF_INET6, address->bytes + (four ? V4_START : 0), text, ORR_ADDRESS_TEXT))
        snprintf(text, ORR_ADDRESS_TEXT, "?");
}

struct orr_address orr_address_forwarded(const struct orr_networks *trusted, const struct orr_address *peer,
                                         const char *forwarded_for)
{
    struct orr_address client = *peer;
    size_t end = forwarded_for ? strlen(forwarded_for) : 0;
    while (end && orr_networks_hold(trusted, &client)) {
        size_t start = end;
        while (start && forwarded_for[start - 1] != ',')
            start--;
        size_t from = start, to = end;
        while (from < to && (forwarded_for[from] == ' ' || forwarded_for[from] == '\t'))
            from++;
        while (to > from && (forwarded_for[to - 1] == ' ' || forwarded_for[to - 1] == '\t'))
            to--;
        struct orr_address before;
        if (!read_address(forwarded_for + from, to - from, &before))
            break;
        client = before;
        end = start ? start - 1 : 0;
    }
    return client;
}
