/* SPDX-License-Identifier: Apache-2.0 */
/* Sockets that the server has done with while their client still sends, as after the refusal of an endless request
 * line. Closed at once, the client's next bytes would be answered with a reset, which makes many clients drop the
 * answer unread. So what still comes is read and dropped until the client closes, for a while.
 *
 * The caller serialises the calls. */
#ifndef ORR_SERVER_LINGERING_H
#define ORR_SERVER_LINGERING_H

#include <stdint.h>

enum { ORR_LINGERING_MOST = 64 }; /* further sockets are closed at once */

struct orr_lingering {
    unsigned count;
    struct {
        int socket;
        uint64_t until_ms;
    } rows[ORR_LINGERING_MOST];
};

/* Keeps a copy of the socket, which the caller closes as ever, and says to the client that nothing more is sent. */
void orr_lingering_take(struct orr_lingering *lingering, int socket, uint64_t until_ms);
/* Reads what has come, and closes what is over. */
void orr_lingering_look(struct orr_lingering *lingering, uint64_t now_ms);
/* Closes all. */
void orr_lingering_end(struct orr_lingering *lingering);

#endif
