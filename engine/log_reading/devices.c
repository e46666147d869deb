/* SPDX-License-Identifier: Apache-2.0 */
/* Reads output of lspci, show_gids, ibv_devinfo, lsmod and ulimit, in which several lines or columns belong together.
 *
 *      17:00.0 Infiniband controller: Mellanox ...
 *              Capabilities: [60] Express (v2) Endpoint, MSI 00
 *                      LnkCap: Port #0, Speed 32GT/s, Width x16
 *                      LnkSta: Speed 8GT/s, Width x16
 *
 * Older lspci does not write "(downgraded)", so the two lines are compared here. A port above a device may have more
 * lanes than the device, and the link of an idle GPU slows down by itself, also at the port above it. So a link
 * is called slow only at a NIC or at the upstream port of a switch, and that of a GPU has a message of its own. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/log_reading/building.h"

enum { DEVICE = sizeof((struct orr_log_building *)0)->pci.device };

static bool has(const char *line, size_t length, const char *word)
{
    return memmem(line, length, word, strlen(word)) != NULL;
}

/* "0000:17:00.0 Infiniband controller: ...", or the address alone, as a script prints it */
static bool begins_device(const char *line, size_t length)
{
    size_t at = 0, colons = 0;
    while (at < length && (isxdigit((unsigned char)line[at]) || line[at] == ':'))
        colons += line[at++] == ':';
    return (colons == 1 || colons == 2) && at >= 5 && at + 1 < length && line[at] == '.' &&
           isxdigit((unsigned char)line[at + 1]) && (at + 2 == length || (at + 3 < length && line[at + 2] == ' '));
}

static void begin_device(struct orr_log_building *b, const char *line, size_t length)
{
    static const char *const nics[] = {"Infiniband controller", "InfiniBand controller", "Ethernet controller",
                                       "Network controller"};
    const char *colon = memchr(line + 8, ':', length > 8 ? length - 8 : 0);
    b->pci = (struct orr_log_pci){.is_gpu = has(line, length, "NVIDIA") &&
                                            (has(line, length, "VGA compat") || has(line, length, "3D contr"))};
    for (size_t i = 0; i < sizeof nics / sizeof nics[0]; i++)
        b->pci.is_nic |= has(line, length, nics[i]);
    snprintf(b->pci.device, sizeof b->pci.device, "%.*s", (int)(colon ? (size_t)(colon - line) : length), line);
}

/* "Speed 32GT/s, Width x16" anywhere in a line. */
static bool read_link(const char *line, size_t length, double *ret_speed, int *ret_width)
{
    char text[160];
    const char *speed, *width;
    snprintf(text, sizeof text, "%.*s", (int)(length < sizeof text ? length : sizeof text - 1), line);
    speed = strstr(text, "Speed ");
    width = strstr(text, "Width x");
    return speed && width && sscanf(speed, "Speed %lfGT/s", ret_speed) == 1 &&
           sscanf(width, "Width x%d", ret_width) == 1;
}

/* The word for the table of messages that describes a "LnkSta:" line; 0 if the link is in order. */
static int compare_link(const struct orr_log_pci *pci, const char *line, size_t length, char text[200])
{
    enum { FAST = 8, WIDE = 8 }; /* GT/s, lanes: the least that is worth reporting */
    double speed = 0;
    int width = 0;
    if (!read_link(line, length, &speed, &width) || width <= 0 || pci->width < WIDE)
        return 0;
    if (width < pci->width)
        return snprintf(text, 200, "LnkSta: %s%sSpeed %gGT/s, Width x%d (downgraded) of x%d", pci->device,
                        pci->device[0] ? ": " : "", speed, width, pci->width);
    if (speed < pci->speed && pci->speed > FAST && (pci->is_nic || pci->is_upstream))
        return snprintf(text, 200, "LnkSta: %s: Speed %gGT/s of %gGT/s (slower than the device), Width x%d",
                        pci->device, speed, pci->speed, width);
    if (speed < pci->speed && pci->is_gpu)
        return snprintf(text, 200, "LnkSta: %s: Speed %gGT/s of %gGT/s (a GPU, maybe idle), Width x%d", pci->device,
                        speed, pci->speed, width);
    return 0;
}

/* The same for a device that has fewer lanes than its equal before it, or whose equal has fewer. */
static int compare_equals(struct orr_log_pci_before *before, const struct orr_log_pci *pci, int width, uint32_t *line,
                          char text[200])
{
    const struct orr_log_pci_before now = {*pci, width, *line}, last = *before;
    const char *class = strchr(pci->device, ' '), *other = strchr(last.of.device, ' ');
    const bool narrower = width < last.width;
    *before = now;
    if (!pci->device[0] || !last.of.device[0] || last.of.width != pci->width || last.of.speed != pci->speed ||
        width == last.width || strcmp(class ? class : "", other ? other : "") != 0)
        return 0;
    *line = narrower ? now.line : last.line;
    return snprintf(text, 200, "LnkSta: %.70s: Width x%d, unlike x%d of %.*s", narrower ? pci->device : last.of.device,
                    narrower ? width : last.width, narrower ? last.width : width,
                    (int)strcspn(narrower ? last.of.device : pci->device, " "),
                    narrower ? last.of.device : pci->device);
}

bool orr_log_take_lspci(struct orr_log_building *b, const char *line, size_t length, uint32_t number)
{
    char text[200];
    if (begins_device(line, length)) {
        begin_device(b, line, length);
        return false;
    }
    if (has(line, length, "Express (v")) {
        b->pci.is_port = has(line, length, "Root Port") || has(line, length, "Downstream Port");
        b->pci.is_upstream = has(line, length, "Upstream Port");
        return false;
    }
    b->log->lspci_count += has(line, length, "LnkCap:") || has(line, length, "LnkSta:") || has(line, length, "ACSCtl:");
    if (has(line, length, "LnkCap:")) {
        if (!read_link(line, length, &b->pci.speed, &b->pci.width))
            b->pci.width = 0;
        return false;
    }
    if (!has(line, length, "LnkSta:") || !b->pci.width)
        return false;
    int written = b->pci.is_port ? 0 : compare_link(&b->pci, line, length, text), width = 0;
    double speed;
    if (written > 0)
        orr_log_take_event(b, text, (size_t)written, ORR_FROM_OTHER, UINT32_MAX, -1, number);
    if (!b->pci.is_port && read_link(line, length, &speed, &width) &&
        (written = compare_equals(&b->pci_before, &b->pci, width, &number, text)) > 0)
        orr_log_take_event(b, text, (size_t)written, ORR_FROM_OTHER, UINT32_MAX, -1, number);
    b->pci.width = 0;
    return true;
}

/* A limit, "unlimited", "infinity" or a number that ends its word, as the text of a message. */
static bool take_locked(struct orr_log_building *b, const char *at, const char *end, unsigned long bytes,
                        uint32_t number)
{
    char text[64];
    while (at < end && isspace((unsigned char)*at))
        at++;
    const size_t digits = strspn(at, "0123456789"); /* a line ends with a null character */
    const bool mega = digits && at + digits < end && at[digits] == 'M', ends = at + digits + mega == end;
    if (has(at, (size_t)(end - at) < 9 ? (size_t)(end - at) : 9, "unlimited") ||
        has(at, (size_t)(end - at) < 8 ? (size_t)(end - at) : 8, "infinity"))
        snprintf(text, sizeof text, "locked memory: unlimited");
    else if (digits && digits < 18 && (ends || isspace((unsigned char)at[digits + mega])))
        snprintf(text, sizeof text, "locked memory: %lu kB",
                 strtoul(at, NULL, 10) * (mega ? 1024 : 1) / (mega ? 1 : bytes));
    else
        return false;
    orr_log_take_event(b, text, strlen(text), ORR_FROM_OTHER, UINT32_MAX, -1, number);
    return true;
}

/* The prefix by which a launcher names the host or task of a line, "0: " or "node1: "; returns what follows. */
static const char *skip_task(const char *line, size_t length)
{
    const char *colon = memchr(line, ':', length < 64 ? length : 64);
    return colon && !memchr(line, ' ', (size_t)(colon - line)) ? colon + 1 : line;
}

/* The limit of locked memory: in lines after `ulimit -l`, in that of `ulimit -a`, of /proc/PID/limits, and of a unit of
 * systemd. All become the same message.
 *
 *      $ ulimit -l                 max locked memory       (kbytes, -l) 65536
 *      unlimited                   Max locked memory         8388608              8388608              bytes
 *
 *      $ srun -l bash -c 'hostname; ulimit -l; ulimit -n'              LimitMEMLOCK=8388608
 *      0: node1
 *      0: 8192
 *
 * Commands before `ulimit -l` print a line each, which may be a number, too.
 */
bool orr_log_take_limit(struct orr_log_building *b, const char *line, size_t length, uint32_t number)
{
    enum { KILO = 1024, LINES = 6 };
    static const char ask[] = "ulimit -l", any[] = "ulimit ", limits[] = "Max locked memory", unit[] = "LimitMEMLOCK=";
    const char *end = line + length, *at = memmem(line, length, any, sizeof any - 1);
    if (at && (size_t)(end - at) >= sizeof ask - 1 && !memcmp(at, ask, sizeof ask - 1)) { /* the first of several */
        const char *after = at + sizeof ask - 1 + strspn(at + sizeof ask - 1, " `");
        if (after < end && orr_is_letter(*after)) /* a sentence: "ulimit -l is unlimited" */
            return false;
        b->limit_skipped = 0;
        for (const char *before = line; (before = memchr(before, ';', (size_t)(at - before))); before++)
            b->limit_skipped++;
        b->limit_asked = b->limit_skipped + (at + sizeof ask - 1 == end ? 1 : LINES);
        return false;
    }
    if (has(line, length, "max locked memory") && (at = memmem(line, length, "-l)", 3)))
        return take_locked(b, at + 3, end, 1, number);
    if ((at = memmem(line, length, limits, sizeof limits - 1)))
        return take_locked(b, at + sizeof limits - 1, end, KILO, number);
    if ((at = memmem(line, length, unit, sizeof unit - 1)))
        return take_locked(b, at + sizeof unit - 1, end, KILO, number);
    if (!b->limit_asked)
        return false;
    b->limit_asked--;
    if (b->limit_skipped) {
        b->limit_skipped--;
        return false;
    }
    at = skip_task(line, length);
    if (!take_locked(b, at, end, 1, number))
        return false;
    b->limit_asked = 0;
    return true;
}

/* "PING 10.9.0.2 (10.9.0.2) 8972(9000) bytes of data.", and "3 packets transmitted, 0 received, 100% packet loss". The
 * size is also that of a command without its output: "$ ping -M do -s 1472 10.9.0.2". */
void orr_log_take_ping(struct orr_log_building *b, const char *line, uint32_t number)
{
    enum { HEADERS = 28 }; /* bytes of IPv4 and ICMP */
    struct orr_log_ping *ping = &b->log->ping;
    const char *command = strstr(line, "ping "), *size = command ? strstr(command, " -s ") : NULL,
               *loss = strstr(line, "% packet loss");
    unsigned data, whole, sent, received;
    if (size && sscanf(size, " -s %5u", &data) == 1)
        b->ping_size = data + HEADERS;
    if (!strncmp(line, "PING ", 5) && sscanf(line, "PING %*s %*s %5u(%5u) bytes", &data, &whole) == 2)
        b->ping_size = whole;
    if (!loss || !b->ping_size || sscanf(line, "%9u packets transmitted, %9u received", &sent, &received) != 2)
        return;
    if (!received && sent && (!ping->lost || b->ping_size < ping->lost)) {
        ping->lost = b->ping_size;
        ping->lost_line = number;
    } else if (received && b->ping_size > ping->passed) {
        ping->passed = b->ping_size;
        ping->passed_line = number;
    }
    b->ping_size = 0;
}

/* lsmod's row of the GPU driver, whose last column names the modules that use it:
 *
 *      nvidia              39137280  284 nvidia_uvm,nvidia_peermem,nvidia_modeset
 */
bool orr_log_take_modules(struct orr_log_building *b, const char *line, size_t length, uint32_t number)
{
    static const char absent[] = "lsmod: nvidia without peermem";
    unsigned long size;
    unsigned users;
    int at = 0;
    if (length < sizeof "nvidia 1 1 n" || memcmp(line, "nvidia ", 7) != 0 ||
        sscanf(line, "nvidia %lu %u nvidia_%n", &size, &users, &at) != 2 || !at)
        return false;
    if (!has(line, length, "nvidia_peermem") && !has(line, length, "nv_peer_mem"))
        orr_log_take_event(b, absent, sizeof absent - 1, ORR_FROM_OTHER, UINT32_MAX, -1, number);
    return true;
}

/* "mlx5_0 1 3 0000:0000:0000:0000:0000:ffff:0a00:0001 10.0.0.1 v2 ens1f0": the columns of show_gids. */
bool orr_log_scan_gid(const char *line, size_t length, struct orr_log_catch *found)
{
    enum { COLUMNS = 7, COLONS = 7 };
    struct orr_span words[COLUMNS] = {{0}};
    uint32_t count = 0, colons = 0, version = 0;
    for (size_t at = 0; at < length && count < COLUMNS;) {
        const size_t start = at;
        while (at < length && !isspace((unsigned char)line[at]))
            at++;
        if (at > start)
            words[count++] = (struct orr_span){line + start, at - start};
        while (at < length && isspace((unsigned char)line[at]))
            at++;
    }
    for (size_t i = 0; count > 4 && i < words[3].length; i++)
        colons += words[3].at[i] == ':';
    while (version < count && !(words[version].length == 2 && words[version].at[0] == 'v' &&
                                (words[version].at[1] == '1' || words[version].at[1] == '2')))
        version++;
    if (colons != COLONS || version < 4 || version == count)
        return false;
    const char *port = words[1].at, *index = words[2].at;
    double values[2];
    found->value_count = found->word_count = 0;
    if (!orr_log_scan_int(&port, words[1].at + words[1].length, &values[0]) ||
        !orr_log_scan_int(&index, words[2].at + words[2].length, &values[1]))
        return false;
    const struct orr_span none = {"", 0};
    const struct orr_span address = version == 5 ? words[4] : none;
    const struct orr_span interface = version + 1 < count ? words[version + 1] : none;
    return orr_log_keep_value(found, values[0]) && orr_log_keep_value(found, values[1]) &&
           orr_log_keep_word(found, words[0].at, words[0].length) &&
           orr_log_keep_word(found, words[3].at, words[3].length) &&
           orr_log_keep_word(found, address.at, address.length) &&
           orr_log_keep_word(found, words[version].at, words[version].length) &&
           orr_log_keep_word(found, interface.at, interface.length);
}

/* "GID[  3]:   ::ffff:10.0.0.1, RoCE v2", which `ibv_devinfo -v` prints after "hca_id: mlx5_0". */
bool orr_log_scan_devinfo(struct orr_log_building *b, const char *line, size_t length, struct orr_log_catch *found)
{
    static const char id[] = "hca_id:", begin[] = "GID[", roce[] = ", RoCE v", mapped[] = "::ffff:";
    const char *end = line + length, *at = memmem(line, length, id, sizeof id - 1);
    double index;
    if (at) {
        at += sizeof id - 1;
        while (at < end && isspace((unsigned char)*at))
            at++;
        snprintf(b->hca, sizeof b->hca, "%.*s", (int)(end - at), at);
        return false;
    }
    if (!(at = memmem(line, length, begin, sizeof begin - 1)))
        return false;
    at += sizeof begin - 1;
    while (at < end && orr_log_is_blank(*at))
        at++;
    const char *version = memmem(at, (size_t)(end - at), roce, sizeof roce - 1);
    if (!version || !orr_log_scan_int(&at, end, &index) || end - at < 2 || at[0] != ']' || at[1] != ':')
        return false;
    at += 2;
    while (at < version && isspace((unsigned char)*at))
        at++;
    const size_t gid = (size_t)(version - at), prefix = sizeof mapped - 1;
    const bool has_address = gid > prefix && !memcmp(at, mapped, prefix);
    version += sizeof roce - 2; /* "v2" */
    found->value_count = found->word_count = 0;
    return version + 2 <= end && orr_log_keep_value(found, 1) && orr_log_keep_value(found, index) &&
           orr_log_keep_word(found, b->hca, strlen(b->hca)) && orr_log_keep_word(found, at, gid) &&
           orr_log_keep_word(found, has_address ? at + prefix : "", has_address ? gid - prefix : 0) &&
           orr_log_keep_word(found, version, 2) && orr_log_keep_word(found, "", 0);
}
