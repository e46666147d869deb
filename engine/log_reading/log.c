/* SPDX-License-Identifier: Apache-2.0 */
/* Turns lines into records: finds the writer of each, reads its values, and joins wrapped lines. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine/base/budget.h"
#include "engine/base/index.h"
#include "engine/log_reading/building.h"

enum { JOINS_MOST = 8 };

/* Adds a text to a short list unless it is there. */
static void keep_once(struct orr_log_building *b, const char ***list, uint32_t *count, unsigned *capacity,
                      const char *at, size_t length)
{
    enum { LIST_MOST = 4096 };
    for (uint32_t i = 0; i < *count; i++)
        if (strlen((*list)[i]) == length && !memcmp((*list)[i], at, length))
            return;
    if (*count == LIST_MOST)
        return;
    if (!ORR_RESERVE(b->log->arena, *list, *count, *capacity))
        return;
    (*list)[(*count)++] = orr_log_keep_text(b, at, length); /* NOLINT: if there is capacity there is a list */
}

/* Whether one host's name is the end of another's. */
static bool is_end(const char *name, size_t length, const char *of)
{
    const size_t whole = strlen(of);
    return length < whole && !memcmp(of + whole - length, name, length);
}

/* The writer of a header whose beginning was lost to another line: it has the same process and thread, and its host's
 * name ends with this one. ORR_LOG_NOBODY if there is none. */
static uint32_t torn_writer(const struct orr_log_building *b, const struct orr_log_speech *speech)
{
    enum { LOOKED_AT = 1024, LEAST_LINES = 2 };
    const struct orr_log *log = b->log;
    for (uint32_t w = 0; w < log->writer_count && w < LOOKED_AT; w++)
        if (log->writers[w].pid == speech->pid && log->writers[w].tid == speech->tid && b->lines_of[w] >= LEAST_LINES &&
            is_end(speech->host.at, speech->host.length, log->writers[w].host))
            return w;
    return ORR_LOG_NOBODY;
}

/* The writer of a speech, made if it is new. */
static uint32_t writer_of(struct orr_log_building *b, const struct orr_log_speech *speech)
{
    struct orr_log *log = b->log;
    if (!speech->host.length)
        return ORR_LOG_NOBODY;
    uint64_t hash = orr_hash_key(orr_hash_seeded(), speech->host.at, speech->host.length);
    hash = orr_hash_key_number(hash, (uint64_t)speech->pid);
    hash = orr_hash_key_number(hash, (uint64_t)speech->tid);
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&b->writers, hash, &probe, &row);) {
        const struct orr_log_writer *writer = &log->writers[row];
        if (writer->pid == speech->pid && writer->tid == speech->tid && strlen(writer->host) == speech->host.length &&
            !memcmp(writer->host, speech->host.at, speech->host.length))
            return (uint32_t)row;
    }
    const uint32_t torn = torn_writer(b, speech);
    if (torn != ORR_LOG_NOBODY)
        return torn;
    uint32_t count = log->writer_count;
    if (!ORR_RESERVE(log->arena, log->writers, count, b->writer_capacity) ||
        !ORR_RESERVE(log->arena, b->lines_of, count, b->lines_of_capacity) ||
        !ORR_RESERVE(log->arena, b->called, count, b->called_capacity) ||
        !ORR_RESERVE(log->arena, b->session_of, count, b->session_of_capacity) ||
        !orr_index_add(&b->writers, hash, count))
        return ORR_LOG_NOBODY;
    log->writers[count] = (struct orr_log_writer){
        .host = orr_log_keep_text(b, speech->host.at, speech->host.length), .pid = speech->pid, .tid = speech->tid};
    b->session_of[count] = ORR_LOG_NOBODY;
    b->lines_of[count] = 0;
    b->called[count] = (struct orr_log_called){.call = ORR_LOG_NOBODY, .chosen = true};
    log->writer_count++;
    return count;
}

/* A message becomes a record if it is understood. Its line is remembered, because a wrapped one may follow. */
static void take_speech(struct orr_log_building *b, const struct orr_log_speech *speech, uint32_t line)
{
    struct orr_log_pending *last = &b->last;
    last->kind = speech->warns ? ORR_LOG_WARNING : orr_log_kind_of(speech->text.at, speech->text.length, b->found);
    if (speech->warns) {
        b->found->value_count = b->found->word_count = 0;
        orr_log_keep_word(b->found, speech->text.at, speech->text.length);
    }
    b->log->nccl_count++;
    last->writer = writer_of(b, speech);
    if (last->writer != ORR_LOG_NOBODY)
        b->lines_of[last->writer]++;
    b->before = speech->before;
    orr_log_take_event(b, speech->text.at, speech->text.length, speech->warns ? ORR_FROM_WARN : ORR_FROM_INFO,
                       last->writer, speech->dev, line);
    last->line = line;
    last->joins = 0;
    last->record =
        last->kind < ORR_LOG_KIND_COUNT ? orr_log_add_record(b, last->kind, last->writer, line) : ORR_LOG_NOBODY;
    last->items = b->found->value_count + b->found->word_count;
    last->length = speech->text.length < ORR_LOG_JOINED_MOST ? speech->text.length : 0;
    last->open = last->length && orr_log_kind_wraps(last->kind);
    if (last->open)
        memcpy(last->text, speech->text.at, last->length);
}

/* Tries a line as the continuation of the line before, with or without a blank between them. */
static bool joins(struct orr_log_building *b, const char *text, size_t length, bool blank)
{
    struct orr_log_pending *last = &b->last;
    size_t total = last->length;
    if (blank)
        last->text[total++] = ' ';
    memcpy(last->text + total, text, length);
    total += length;
    enum orr_log_kind kind = orr_log_kind_of(last->text, total, b->found);
    uint32_t items = b->found->value_count + b->found->word_count;
    bool longer = kind == last->kind && (items > last->items || kind == ORR_LOG_SETTING || kind == ORR_LOG_NIC_LIST);
    if (kind == ORR_LOG_KIND_COUNT || (last->kind != ORR_LOG_KIND_COUNT && !longer))
        return false;
    if (last->record == ORR_LOG_NOBODY)
        last->record = orr_log_add_record(b, kind, last->writer, last->line);
    else
        orr_log_fill_record(b, &b->log->records[last->record]);
    last->kind = kind;
    last->items = items;
    last->length = total;
    return true;
}

static bool take_wrapped(struct orr_log_building *b, const char *text, size_t length)
{
    struct orr_log_pending *last = &b->last;
    if (!last->open || !length || last->joins >= JOINS_MOST || last->length + length + 1 >= ORR_LOG_JOINED_MOST)
        return false;
    bool full = last->raw_length == b->width; /* a terminal cut it, maybe inside a word */
    if (!full && (last->kind == ORR_LOG_SETTING || last->kind == ORR_LOG_NIC_LIST))
        return false;
    if (!joins(b, text, length, !full) && (full || !joins(b, text, length, false)))
        return false;
    last->joins++;
    b->log->rejoined++;
    return true;
}

/* Notes a host whose name began a line. */
static void know_host(struct orr_log_building *b, const char *name)
{
    struct orr_log_hosts *known = &b->known;
    for (uint32_t i = 0; i < known->count; i++)
        if (!strcmp(known->names[i], name))
            return;
    if (known->count < sizeof known->names / sizeof known->names[0] && strlen(name) > 1)
        known->names[known->count++] = name;
}

/* "# nThread 1 nGpus 1 minBytes 8 maxBytes 1073741824 step: 2(factor) ..." */
static void take_test_head(struct orr_log *log, const char *line)
{
    static const char mark[] = " maxBytes ";
    const char *at = strstr(line, mark);
    if (at && strstr(line, "# nThread "))
        log->test_most = strtoull(at + strlen(mark), NULL, 10);
}

/* A row of nccl-tests' results: "1048576 262144 float sum -1 61.2 17.1 32.1 0 ...". */
static bool take_test_row(struct orr_log_building *b, const char *line)
{
    unsigned long long size, count;
    char type[16], operation[16];
    float time, algorithm, bus;
    int root;
    const char *tag = strstr(line, "<stdout>:"); /* of mpirun --tag-output */
    const char *at = tag ? tag + strlen("<stdout>:") : line;
    at += strspn(at, " \t");
    const char *after = at + strcspn(at, " \t");
    if (after > at && after[-1] == ':') /* of srun -l */
        at = after + strspn(after, " \t");
    if (!orr_is_digit(*at) ||
        sscanf(at, "%llu %llu %15s %15s %d %f %f %f", &size, &count, type, operation, &root, &time, &algorithm, &bus) !=
            8 ||
        !orr_is_letter(type[0]) || !orr_is_letter(operation[0]))
        return false;
    b->log->test_rows++;
    b->log->test_size = size;
    return true;
}

/* Whether a line stands for lines that a person left out. */
static bool is_shortened(const char *line)
{
    static const char *const marks[] = {"...",   "....",   ".....",  "[...]",
                                        "(...)", "[snip]", "<snip>", "\xe2\x80\xa6" /* one sign of three dots */};
    const char *mark = line + strspn(line, " \t"), *end = mark + strcspn(mark, " \t\r");
    bool is = false;
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        is |= (size_t)(end - mark) == strlen(marks[i]) && !memcmp(mark, marks[i], strlen(marks[i]));
    return is && !end[strspn(end, " \t\r")];
}

void orr_log_take_line(struct orr_log_building *b, const struct orr_log_lines *lines)
{
    const char *at = lines->line, *end = lines->line + lines->length;
    struct orr_log_speech speech;
    int count = 0;
    if (lines->number == 2 && at == end)
        orr_log_take_title(b);
    orr_log_take_clock(b, lines->line, lines->number);
    orr_log_take_ping(b, lines->line, lines->number);
    for (; orr_log_next_speech(&at, end, &b->known, &speech); count++) {
        take_speech(b, &speech, lines->number);
        if (!count && b->last.writer != ORR_LOG_NOBODY && speech.host.at == lines->line)
            know_host(b, b->log->writers[b->last.writer].host);
    }
    b->log->split += count > 1;
    if (!count) {
        b->before.length = 0;
        b->log->shortened |= is_shortened(lines->line);
        orr_log_take_bar(b, lines->line, lines->length, lines->number);
        const bool printed =
            orr_log_take_lspci(b, lines->line, lines->length, lines->number) || take_test_row(b, lines->line) ||
            orr_log_take_gpu_state(b, lines->line, lines->number) ||
            orr_log_take_aperture(b, lines->line, lines->number) ||
            orr_log_take_peer_rates(b, lines->line, lines->number) ||
            orr_log_take_limit(b, lines->line, lines->length, lines->number) ||
            orr_log_take_modules(b, lines->line, lines->length, lines->number) ||
            orr_log_take_event(b, lines->line, lines->length, ORR_FROM_OTHER, ORR_LOG_NOBODY, -1, lines->number);
        orr_log_take_nvlinks(b, lines->line, lines->number);
        orr_log_take_assignments(b, lines->line, lines->length, lines->number);
        if (!printed)
            orr_log_take_command(b, lines->line, lines->length, lines->number);
        orr_log_take_stated(b, lines->line, lines->number);
        take_test_head(b->log, lines->line);
        orr_log_take_program(b, lines->line, lines->length, lines->number);
        orr_log_take_words(b, lines->line, lines->length, lines->number, printed);
        enum orr_log_kind kind = orr_log_kind_outside(lines->line, lines->length, b->found);
        if (kind == ORR_LOG_KIND_COUNT && (orr_log_scan_gid(lines->line, lines->length, b->found) ||
                                           orr_log_scan_devinfo(b, lines->line, lines->length, b->found)))
            kind = ORR_LOG_GID;
        else if (kind == ORR_LOG_KIND_COUNT &&
                 orr_log_scan_port(b, lines->line, lines->length, lines->number, b->found))
            kind = ORR_LOG_PORT;
        else if (kind == ORR_LOG_KIND_COUNT && orr_log_scan_mtu(lines->line, lines->length, b->found))
            kind = ORR_LOG_MTU;
        else if (kind == ORR_LOG_KIND_COUNT && orr_log_scan_partition(lines->line, lines->length, b->found))
            kind = ORR_LOG_PARTITION;
        else if (kind == ORR_LOG_KIND_COUNT && orr_log_scan_driver(lines->line, lines->length, b->found))
            kind = ORR_LOG_DRIVER_PART;
        if (kind != ORR_LOG_KIND_COUNT) {
            b->last.open = false;
            orr_log_add_record(b, kind, ORR_LOG_NOBODY, lines->number);
        } else if (!take_wrapped(b, lines->line, lines->length)) {
            b->last.open = false;
        }
    }
    b->last.raw_length = lines->raw_length;
    b->log->cut += lines->cut;
}

/* Whether every writer of a host is also one of another host, by process and thread. */
static bool same_threads(const struct orr_log *log, const char *host, const char *other, uint64_t *work)
{
    enum { LOOKED_AT = 4096, WORK_MOST = 1 << 26 };
    for (uint32_t w = 0; w < log->writer_count && w < LOOKED_AT; w++, ++*work) {
        if (*work > WORK_MOST)
            return false;
        bool found = strcmp(log->writers[w].host, host) != 0;
        for (uint32_t k = 0; k < log->writer_count && k < LOOKED_AT && !found && !orr_budget_spent(1); k++, ++*work)
            found = log->writers[k].pid == log->writers[w].pid && log->writers[k].tid == log->writers[w].tid &&
                    !strcmp(log->writers[k].host, other);
        if (!found)
            return false;
    }
    return true;
}

/* In torn lines, a host's name may follow the end of a number or may have lost its beginning; such names are not
 * listed. */
static void list_hosts(struct orr_log_building *b)
{
    enum { FREQUENT = 10, HOSTS_MOST = 4096 };
    struct orr_log *log = b->log;
    const char **names = NULL;
    uint32_t *lines = ORR_NEW(log->arena, uint32_t, log->writer_count), count = 0, kept = 0;
    unsigned capacity = 0;
    uint64_t work = 0;
    if (!lines)
        return;
    for (uint32_t w = 0; w < log->writer_count && !orr_arena_starved(log->arena) && !orr_budget_spent(count / 8); w++) {
        uint32_t before = count;
        keep_once(b, &names, &count, &capacity, log->writers[w].host, strlen(log->writers[w].host));
        for (uint32_t i = 0; i < count; i++)
            if (!strcmp(names[i], log->writers[w].host)) {
                lines[i] += b->lines_of[w];
                break;
            }
        if (before == HOSTS_MOST)
            break;
    }
    for (uint32_t i = 0; i < count; i++) {
        size_t length = strlen(names[i]);
        bool remnant = false;
        for (uint32_t k = 0; k < count && !remnant && !orr_budget_spent(1); k++) {
            remnant = lines[k] > FREQUENT * lines[i] &&
                      (is_end(names[k], strlen(names[k]), names[i]) ||
                       (is_end(names[i], length, names[k]) && same_threads(log, names[i], names[k], &work)));
        }
        if (!remnant) {
            lines[kept] = lines[i];
            names[kept++] = names[i];
        }
    }
    log->hosts = names;
    log->host_count = kept;
}

/* Lists releases, and NCCL_* from the environment, each once. */
void orr_log_gather(struct orr_log_building *b)
{
    struct orr_log *log = b->log;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < log->record_count && !orr_arena_starved(b->log->arena) && !orr_budget_spent(1); i++) {
        const struct orr_log_record *record = &log->records[i];
        log->rccl |= record->kind == ORR_LOG_RCCL;
        if ((record->kind == ORR_LOG_VERSION || record->kind == ORR_LOG_RCCL) && record->words[0][0] >= '0' &&
            record->words[0][0] <= '9')
            keep_once(b, &log->releases, &log->release_count, &b->release_capacity, record->words[0],
                      strcspn(record->words[0], " "));
        else if (record->kind == ORR_LOG_SETTING)
            orr_log_take_setting(b, record);
    }
    for (uint32_t i = 0; i < log->release_count; i++) { /* "2.5.7" is in "2.5.7+cuda10.1" */
        size_t length = strlen(log->releases[i]);
        bool shorter = false;
        for (uint32_t k = 0; k < log->release_count && !orr_budget_spent(1); k++)
            shorter |=
                k != i && !strncmp(log->releases[k], log->releases[i], length) && log->releases[k][length] == '+';
        if (!shorter)
            log->releases[kept++] = log->releases[i];
    }
    log->release_count = kept;
    list_hosts(b);
}
