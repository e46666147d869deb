/* SPDX-License-Identifier: Apache-2.0 */
/* The yardstick of `./dev bench`: libmicrohttpd alone, answering every request with the bytes of one file from memory.
 * Before each answer it writes a line of LINE bytes to standard error, as a service with a log does; none if LINE is 0.
 *
 *     bare_mhd FILE THREADS LINE [HEADER VALUE]...      prints "listening on PORT"; ends when its standard input does
 */
#include <microhttpd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char log_line[512];
static size_t log_length;

static enum MHD_Result answer(void *cls, struct MHD_Connection *connection, const char *url, const char *method,
                              const char *version, const char *upload_data, size_t *upload_data_size, void **req_cls)
{
    (void)url, (void)method, (void)version, (void)upload_data, (void)upload_data_size;
    static int seen;
    if (!*req_cls) { /* the first call has the headers only: answering then would close the connection */
        *req_cls = &seen;
        return MHD_YES;
    }
    if (log_length && write(STDERR_FILENO, log_line, log_length) < 0)
        return MHD_NO;
    return MHD_queue_response(connection, MHD_HTTP_OK, cls);
}

int main(int argc, char **argv)
{
    static char bytes[1 << 24];
    FILE *file = argc >= 4 && argc % 2 == 0 ? fopen(argv[1], "rb") : NULL;
    if (!file) {
        fputs("usage: bare_mhd FILE THREADS LINE [HEADER VALUE]...\n", stderr);
        return 2;
    }
    log_length = strtoul(argv[3], NULL, 10);
    log_length = log_length < sizeof log_line ? log_length : sizeof log_line;
    memset(log_line, 'x', sizeof log_line);
    if (log_length)
        log_line[log_length - 1] = '\n';
    size_t length = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    struct MHD_Response *response = MHD_create_response_from_buffer(length, bytes, MHD_RESPMEM_PERSISTENT);
    if (!response)
        return 1;
    for (int i = 4; i < argc; i += 2)
        MHD_add_response_header(response, argv[i], argv[i + 1]);
    unsigned threads = (unsigned)strtoul(argv[2], NULL, 10);
    struct MHD_Daemon *daemon =
        MHD_start_daemon(MHD_USE_EPOLL_INTERNAL_THREAD, 0, NULL, NULL, answer, response, MHD_OPTION_THREAD_POOL_SIZE,
                         threads, MHD_OPTION_CONNECTION_LIMIT, 1024u, MHD_OPTION_END);
    if (!daemon)
        return 1;
    printf("listening on %u\n", (unsigned)MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_BIND_PORT)->port);
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0)
        ;
    MHD_stop_daemon(daemon);
    MHD_destroy_response(response);
    return 0;
}
