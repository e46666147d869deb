/* SPDX-License-Identifier: Apache-2.0 */
#include "server/lingering.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <sys/socket.h>
#include <unistd.h>

void orr_lingering_take(struct orr_lingering *lingering, int socket, uint64_t until_ms)
{
    int copy = lingering->count < ORR_LINGERING_MOST ? fcntl(socket, F_DUPFD_CLOEXEC, 0) : -1;
    if (copy < 0)
        return;
    shutdown(copy, SHUT_WR);
    lingering->rows[lingering->count].socket = copy;
    lingering->rows[lingering->count++].until_ms = until_ms;
}

/* Drops the bytes that have arrived; returns whether more may come. */
static bool drop_input(int socket)
{
    enum { PIECE = 65536, PIECES = 8 }; /* a look takes no longer than it takes to copy this much */
    char dropped[PIECE];
    ssize_t got = 1;
    for (int i = 0; i < PIECES && got > 0; i++)
        got = recv(socket, dropped, sizeof dropped, MSG_DONTWAIT);
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

void orr_lingering_look(struct orr_lingering *lingering, uint64_t now_ms)
{
    unsigned kept = 0;
    for (unsigned i = 0; i < lingering->count; i++) {
        if (drop_input(lingering->rows[i].socket) && now_ms < lingering->rows[i].until_ms)
            lingering->rows[kept++] = lingering->rows[i];
        else
            close(lingering->rows[i].socket);
    }
    lingering->count = kept;
}

void orr_lingering_end(struct orr_lingering *lingering)
{
    orr_lingering_look(lingering, UINT64_MAX);
}
