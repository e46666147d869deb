/* SPDX-License-Identifier: Apache-2.0 */
/* Client addresses, also through trusted proxies, and networks such as 10.0.0.0/8. */
#ifndef ORR_SERVER_CLIENT_ADDRESS_H
#define ORR_SERVER_CLIENT_ADDRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/socket.h>

#include "engine/base/error.h"

/* IPv6, with IPv4 as ::ffff:a.b.c.d. */
struct orr_address {
    uint8_t bytes[16];
};

struct orr_network {
    struct orr_address address;
    unsigned bits; /* of 128 */
};

struct orr_networks {
    struct orr_network *rows; /* owned */
    size_t count;
};

enum { ORR_ADDRESS_TEXT = 48 };

/* Reads "10.0.0.0/8, ::1, 192.168.1.7"; NULL gives none. SETTING if the text is not a list of addresses and networks.
 */
enum orr_code orr_networks_read(const char *list, struct orr_networks *ret_networks,
                                struct orr_error *err) ORR_NO_DISCARD;
void orr_networks_release(struct orr_networks *networks);
bool orr_networks_hold(const struct orr_networks *networks, const struct orr_address *address);

void orr_address_of(const struct sockaddr *socket_address, struct orr_address *address);
void orr_address_write(const struct orr_address *address, char text[ORR_ADDRESS_TEXT]);
/* The client: if `peer` is a trusted proxy, the last address in X-Forwarded-For that is not one. Text that is not an
 * address ends the search, and the proxy before it is treated as the client. */
struct orr_address orr_address_forwarded(const struct orr_networks *trusted, const struct orr_address *peer,
                                         const char *forwarded_for);

#endif
