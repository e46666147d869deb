/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets of refused requests whose clients still send, such as an endless request line. If the server closed them at
 * once, the next bytes would get a reset, and many clients would then drop the answer unread. So for a while the
 * server reads and drops those bytes, until the client closes.
 *
 * The caller serialises the calls. */
#ifndef ORR_SERVER_LINGERING_H
#define ORR_SERVER_LINGERING_H

#include <stdint.h>

enum { ORR_LINGERING_MOST = 64 }; /* beyond this many, sockets are closed at once */

struct orr_lingering {
    unsigned count;
    struct {
        int socket;
        uint64_t until_ms;
    } rows[ORR_LINGERING_MOST];
};

/* Keeps a duplicate of the socket, which the caller closes as usual, and shuts down the sending side. */
void orr_lingering_take(struct orr_lingering *lingering, int socket, uint64_t until_ms);
/* Drains all sockets, and closes those whose client closed or whose time is up. */
void orr_lingering_look(struct orr_lingering *lingering, uint64_t now_ms);
/* Closes all. */
void orr_lingering_end(struct orr_lingering *lingering);

#endif
