/* SPDX-License-Identifier: Apache-2.0 */
#include "server/listen.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static bool is_loopback(const struct sockaddr *address)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in in;
        memcpy(&in, address, sizeof in);
        return ntohl(in.sin_addr.s_addr) >> 24 == 127;
    }
    struct sockaddr_in6 in6;
    memcpy(&in6, address, sizeof in6);
    return IN6_IS_ADDR_LOOPBACK(&in6.sin6_addr);
}

static enum orr_code split(const char *text, char host[64], char port[8], struct orr_error *err)
{
    const char *colon = strrchr(text, ':'), *start = text;
    size_t length = colon ? (size_t)(colon - text) : 0;
    if (length >= 2 && start[0] == '[' && start[length - 1] == ']') {
        start++;
        length -= 2;
    }
    if (!length || length >= 64 || strlen(colon + 1) >= 8 || !colon[1] ||
        strspn(colon + 1, "0123456789") != strlen(colon + 1))
        return orr_fail_with(err, ORR_SETTING, NULL, "such as 127.0.0.1:8080, [::1]:8080, or port 0 for a free one",
                             "--listen must be ADDR:PORT, not \"%.60s\"", text);
    snprintf(host, 64, "%.*s", (int)length, start);
    snprintf(port, 8, "%s", colon + 1);
    return ORR_OK;
}

static enum orr_code open_socket(const struct addrinfo *info, const char *text, int *ret_socket, struct orr_error *err)
{
    int on = 1;
    int fd = socket(info->ai_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
    if (fd >= 0 && !setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on) &&
        !bind(fd, info->ai_addr, info->ai_addrlen) && !listen(fd, SOMAXCONN)) {
        *ret_socket = fd;
        return ORR_OK;
    }
    orr_fail(err, ORR_IO, "cannot listen on %.60s: %s", text, strerror(errno));
    if (errno == EADDRINUSE)
        orr_error_advice(err, "another program listens there: choose another port with --listen, or 0 for a free one");
    if (fd >= 0)
        close(fd);
    return ORR_IO;
}

static enum orr_code find_address(const char *text, struct addrinfo **ret_info, struct orr_error *err)
{
    char host[64], port[8];
    const struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_PASSIVE};
    ORR_TRY(split(text, host, port, err));
    int problem = getaddrinfo(host, port, &hints, ret_info);
    return problem ? orr_fail(err, ORR_SETTING, "--listen %.60s: %s", text, gai_strerror(problem)) : ORR_OK;
}

enum orr_code orr_listen_check(const char *text, bool *ret_loopback, struct orr_error *err)
{
    struct addrinfo *info;
    ORR_TRY(find_address(text, &info, err));
    *ret_loopback = is_loopback(info->ai_addr);
    freeaddrinfo(info);
    return ORR_OK;
}

enum orr_code orr_listen_refuse(const char *text, struct orr_error *err)
{
    return orr_fail_with(err, ORR_SETTING, NULL,
                         "give --token-file FILE (`orrery token` makes its lines), listen on 127.0.0.1, or pass "
                         "--insecure if the network is trusted",
                         "%.60s can be reached from other machines, and no token is required", text);
}

enum orr_code orr_listen(const char *text, bool open, bool encrypted, int *ret_socket, char address[ORR_ADDRESS_SIZE],
                         struct orr_error *err)
{
    struct addrinfo *info;
    ORR_TRY(find_address(text, &info, err));
    enum orr_code code =
        !open && !is_loopback(info->ai_addr) ? orr_listen_refuse(text, err) : open_socket(info, text, ret_socket, err);
    freeaddrinfo(info);
    ORR_TRY(code);

    struct sockaddr_storage bound;
    socklen_t size = sizeof bound;
    char name[INET6_ADDRSTRLEN + 16] = "?", number[8] = "?";
    if (!getsockname(*ret_socket, (struct sockaddr *)&bound, &size))
        getnameinfo((struct sockaddr *)&bound, size, name, sizeof name, number, sizeof number,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(address, ORR_ADDRESS_SIZE, strchr(name, ':') ? "%s://[%s]:%s" : "%s://%s:%s", encrypted ? "https" : "http",
             name, number);
    return ORR_OK;
}
