/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/log_reading/lines.h"

#include <string.h>

enum { ESCAPE = 27, BELL = 7 };

/* The end of the escape sequence at `at`: colours ("ESC [ ... m") and titles ("ESC ] ... BEL"). */
static const char *skip_escape(const char *at, const char *end)
{
    enum { TITLE_MOST = 256 };
    at++;
    if (at < end && *at == '[') {
        for (at++; at < end && (unsigned char)*at >= 0x20 && (unsigned char)*at < 0x40; at++)
            ;
        return at < end && *at != '\n' ? at + 1 : at;
    }
    if (at < end && *at == ']') {
        for (int i = 0; at < end && *at != BELL && *at != '\n' && i < TITLE_MOST; i++)
            at++;
        return at < end && *at == BELL ? at + 1 : at;
    }
    return at;
}

bool orr_log_next_line(struct orr_log_lines *lines)
{
    if (lines->at == lines->end)
        return false;
    const char *start = lines->at, *stop = memchr(start, '\n', (size_t)(lines->end - start));
    if (!stop)
        stop = lines->end;
    lines->number++;
    lines->raw_length = (size_t)(stop - start);
    lines->length = 0;
    lines->cut = false;
    for (const char *at = start; at < stop;) {
        if (*at == ESCAPE) {
            at = skip_escape(at, stop);
            continue;
        }
        if (lines->length == lines->most) {
            lines->cut = true;
            break;
        }
        unsigned char c = (unsigned char)*at++;
        if (c >= 0x20 || c == '\t')
            lines->line[lines->length++] = (char)c;
    }
    while (lines->length && (lines->line[lines->length - 1] == ' ' || lines->line[lines->length - 1] == '\t'))
        lines->length--;
    lines->line[lines->length] = 0;
    lines->at = stop < lines->end ? stop + 1 : stop;
    return true;
}

/* ":digits" that ends at *end, which moves to the colon. */
static bool number_back(const char *start, const char **end, int64_t *ret_number)
{
    enum { DIGITS_MOST = 12 };
    const char *p = *end;
    int64_t value = 0, unit = 1;
    int digits = 0;
    for (; p > start && p[-1] >= '0' && p[-1] <= '9' && digits < DIGITS_MOST; p--, digits++, unit *= 10)
        value += (p[-1] - '0') * unit;
    if (!digits || p == start || p[-1] != ':')
        return false;
    *ret_number = value;
    *end = p - 1;
    return true;
}

static bool ends_host(char c)
{
    return c == ' ' || c == '\t' || c == ':' || c == '>' || c == ']' || c == ')' || c == '}' || c == '|' || c == '"';
}

/* The header "host:pid:tid" nearest before `mark` and not before start. */
static bool header_before(const char *start, const char *mark, const struct orr_log_hosts *hosts,
                          struct orr_log_speech *speech)
{
    enum { BEFORE_MOST = 400 }; /* the names of function and file may be between the header and "NCCL INFO" */
    const char *least = mark - start > BEFORE_MOST ? mark - BEFORE_MOST : start;
    for (const char *end = mark; end > least; end--) {
        if (!(end[0] == ' ' || end[0] == '\t') || end[-1] < '0' || end[-1] > '9')
            continue;
        const char *p = end;
        if (!number_back(least, &p, &speech->tid) || !number_back(least, &p, &speech->pid))
            continue;
        const char *host = p;
        while (host > least && !ends_host(host[-1]))
            host--;
        if (host == p)
            continue;
        for (uint32_t i = 0; i < hosts->count; i++) {
            size_t length = strlen(hosts->names[i]);
            if (length < (size_t)(p - host) && !memcmp(p - length, hosts->names[i], length))
                host = p - length;
        }
        speech->host = (struct orr_span){host, (size_t)(p - host)};
        const char *dev = end + 1;
        if (mark - dev > 2 && dev[0] == '[' && dev[1] >= '0' && dev[1] <= '9')
            speech->dev = dev[2] >= '0' && dev[2] <= '9' ? (dev[1] - '0') * 10 + dev[2] - '0' : dev[1] - '0';
        return true;
    }
    return false;
}

/* The next "NCCL INFO " or its like at or after `at`; *ret_text is after it. */
static const char *find_mark(const char *at, const char *end, const char **ret_text, bool *ret_warns)
{
    static const char *const levels[] = {"INFO", "WARN", "TRACE", "DEBUG", "CALL", "ABORT"};
    enum { LEVEL_COUNT = sizeof levels / sizeof levels[0], NCCL = 5, WARN = 1 };
    while ((at = memmem(at, (size_t)(end - at), "NCCL ", NCCL))) {
        for (int i = 0; i < LEVEL_COUNT; i++) {
            size_t length = strlen(levels[i]);
            const char *behind = at + NCCL + length;
            if ((size_t)(end - at) >= NCCL + length && !memcmp(at + NCCL, levels[i], length) &&
                (behind == end || *behind == ' ')) {
                *ret_text = behind + (behind < end);
                *ret_warns = i == WARN;
                return at;
            }
        }
        at += NCCL;
    }
    return NULL;
}

bool orr_log_next_speech(const char **at, const char *end, const struct orr_log_hosts *hosts,
                         struct orr_log_speech *ret_speech)
{
    const char *text, *next_text;
    bool next_warns;
    struct orr_log_speech next;
    *ret_speech = (struct orr_log_speech){.pid = -1, .tid = -1, .dev = -1};
    const char *mark = find_mark(*at, end, &text, &ret_speech->warns);
    if (!mark)
        return false;
    enum { PLACE_MOST = 80 };
    header_before(*at, mark, hosts, ret_speech);
    const char *place = mark - *at > PLACE_MOST ? mark - PLACE_MOST : *at;
    ret_speech->before = (struct orr_span){place, (size_t)(mark - place)};
    /* The message ends where another writer's header begins, if that writer's own "NCCL INFO" follows in the line. */
    const char *stop = end, *next_mark = find_mark(text, end, &next_text, &next_warns);
    if (next_mark)
        stop = header_before(text, next_mark, hosts, &next) ? next.host.at : next_mark;
    ret_speech->text = (struct orr_span){text, (size_t)(stop - text)};
    *at = stop;
    return true;
}
