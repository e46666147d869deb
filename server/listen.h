/* SPDX-License-Identifier: Apache-2.0 */
/* A listening socket for an address as users write it. */
#ifndef ORR_SERVER_LISTEN_H
#define ORR_SERVER_LISTEN_H

#include "engine/base/error.h"

enum { ORR_ADDRESS_SIZE = 96 };

/* Tells whether the address is a loopback address. SETTING if the text is not an address. */
enum orr_code orr_listen_check(const char *text, bool *ret_loopback, struct orr_error *err) ORR_NO_DISCARD;
/* Reports that an address other than loopback requires tokens. */
enum orr_code orr_listen_refuse(const char *text, struct orr_error *err);
/* Listens on "127.0.0.1:8080", "[::1]:0" or "localhost:8080". address: the resulting address, as a URL. SETTING if the
 * text is not an address, or if it is not a loopback address and `open` is false; IO if the socket cannot be bound. */
enum orr_code orr_listen(const char *text, bool open, bool encrypted, int *ret_socket, char address[ORR_ADDRESS_SIZE],
                         struct orr_error *err) ORR_NO_DISCARD;

#endif
