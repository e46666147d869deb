/* A listening socket for an address as users write it. */
#ifndef ORR_SERVER_LISTEN_H
#define ORR_SERVER_LISTEN_H

#include "engine/base/error.h"

enum { ORR_ADDRESS_SIZE = 96 };

/* Listens on "127.0.0.1:8080", "[::1]:0" or "localhost:8080". address: what became of it, as a URL. SETTING for what is
 * no address, or one beyond this machine without insecure; IO where it cannot be had. */
enum orr_code orr_listen(const char *text, bool insecure, int *ret_socket, char address[ORR_ADDRESS_SIZE],
                         struct orr_error *err) ORR_NO_DISCARD;

#endif
