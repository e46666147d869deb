/* SPDX-License-Identifier: Apache-2.0 */
/* A listening socket for an address as users write it. */
#ifndef ORR_SERVER_LISTEN_H
#define ORR_SERVER_LISTEN_H

#include "engine/base/error.h"

enum { ORR_ADDRESS_SIZE = 96 };

/* Is it an address of this machine alone? SETTING if the text is not an address. */
enum orr_code orr_listen_check(const char *text, bool *ret_loopback, struct orr_error *err) ORR_NO_DISCARD;
/* Reports that an address beyond this machine wants tokens. */
enum orr_code orr_listen_refuse(const char *text, struct orr_error *err);
/* Listens on "127.0.0.1:8080", "[::1]:0" or "localhost:8080". address: what became of it, as a URL. SETTING for what is
 * not an address, or one beyond this machine unless `open` allows that; IO if it cannot be had. */
enum orr_code orr_listen(const char *text, bool open, bool encrypted, int *ret_socket, char address[ORR_ADDRESS_SIZE],
                         struct orr_error *err) ORR_NO_DISCARD;

#endif
