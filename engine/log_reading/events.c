/* SPDX-License-Identifier: Apache-2.0 */
/* Collects messages about something wrong from all writers, by trying the rows of messages_*.c on every line. To be
 * fast, four bytes of the text are looked up in a small table of the rows' beginnings, and only rows that fit are
 * tried. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/hash.h"
#include "engine/base/sorting.h"
#include "engine/log_messages/messages.h"
#include "engine/log_reading/building.h"

enum {
    SLOTS = 4096,
    EVENTS_MOST = 1024,     /* kinds of events that are kept */
    SOURCES_MOST = 1 << 18, /* pairs of an event and a rank or writer */
    TEXT_MOST = 1000,       /* bytes of a line that are kept */
    SEARCHED_MOST = 4096,   /* bytes of a line that are searched */
    HITS_MOST = 16,         /* places of a line at which rows are tried */
    BEGINS = 4,             /* bytes of a row that are looked up */
    ROWS_MOST = 1024,
    NONE = UINT32_MAX
};

/* The source of a line: its writer, GPU, and rank if the line names one. */
struct source {
    uint32_t event, writer;
    int32_t dev, rank;
};

struct orr_log_events {
    uint16_t first[SLOTS]; /* row + 1 of the first row with that hash */
    uint16_t next[ROWS_MOST];
    uint32_t begins[ROWS_MOST];
    const struct orr_log_message *rows[ROWS_MOST];
    uint32_t by_row[ROWS_MOST]; /* event + 1 */
    uint64_t *unknown;          /* [event]: hash of a text that no row has; 0 for rows */
    struct source *sources;
    uint32_t source_count;
    struct orr_index index; /* index of sources, by all their fields */
    struct orr_log_catch *found;
    unsigned event_capacity, unknown_capacity, source_capacity;
};

static uint32_t load(const char *at)
{
    uint32_t value;
    memcpy(&value, at, sizeof value);
    return value;
}

static uint32_t slot_of(uint32_t begin)
{
    return begin * 2654435761u >> 20;
}

bool orr_log_events_init(struct orr_log_building *b)
{
    struct orr_log_events *events = ORR_NEW(b->log->arena, struct orr_log_events, 1);
    if (!events)
        return false;
    events->index.arena = b->log->arena;
    events->found = ORR_NEW(b->log->arena, struct orr_log_catch, 1);
    uint32_t count = 0;
    while (count < ROWS_MOST && (events->rows[count] = orr_log_message(count)))
        count++;
    for (uint32_t i = count; i-- > 0;) { /* the first row of a slot comes first */
        events->begins[i] = load(events->rows[i]->pattern);
        uint16_t *first = &events->first[slot_of(events->begins[i])];
        events->next[i] = *first;
        *first = (uint16_t)(i + 1);
    }
    b->events = events;
    return events->found != NULL;
}

/* Whether the rest of a line has one of the texts of `also`, and the required file of NCCL warns. */
static bool has_one(const struct orr_log_building *b, const char *also, const char *at, const char *end)
{
    if (*also == '@') {
        const size_t length = strcspn(++also, "|");
        if (!b->before.length || !memmem(b->before.at, b->before.length, also, length))
            return false;
        also += length + (also[length] == '|');
        if (!*also)
            return true;
    }
    while (*also) {
        size_t length = strcspn(also, "|");
        if (memmem(at, (size_t)(end - at), also, length))
            return true;
        also += length + (also[length] == '|');
    }
    return false;
}

/* The first row that matches somewhere in a text, and the place in *ret_at; NONE if no row matches. */
static uint32_t find_row(const struct orr_log_building *b, const char *text, size_t length, uint32_t from,
                         const char **ret_at)
{
    struct orr_log_events *events = b->events;
    uint32_t best = NONE, hits = 0;
    const char *end = text + (length < SEARCHED_MOST ? length : SEARCHED_MOST);
    for (const char *at = text; end - at >= BEGINS && hits < HITS_MOST; at++) {
        uint32_t begin = load(at), row = events->first[slot_of(begin)];
        if (!row)
            continue;
        bool hit = false;
        for (; row && row - 1 < best; row = events->next[row - 1]) {
            const struct orr_log_message *message = events->rows[row - 1];
            if (events->begins[row - 1] != begin || !(message->from & from))
                continue;
            hit = true;
            if (!orr_log_scan(message->pattern, ORR_LIST_REST, at, (size_t)(end - at), events->found) ||
                (message->also && !has_one(b, message->also, at, end)))
                continue;
            best = row - 1;
            *ret_at = at;
        }
        hits += hit;
    }
    return best;
}

/* Writes "#" for every number, so that texts that differ only in numbers are one event. */
static uint64_t hash_of_shape(const char *text, size_t length)
{
    uint64_t hash = ORR_HASH_START;
    bool digits = false;
    for (size_t i = 0; i < length && i < SEARCHED_MOST; i++) {
        bool digit =
            (text[i] >= '0' && text[i] <= '9') || (digits && ((text[i] >= 'a' && text[i] <= 'f') || text[i] == 'x'));
        if (!digit || !digits)
            hash = orr_hash_bytes(hash, digit ? "#" : text + i, 1);
        digits = digit;
    }
    return hash ? hash : 1;
}

/* NCCL's file that warns, in the words before "NCCL WARN"; NULL if there is none. */
static const char *file_of(struct orr_log_building *b)
{
    const char *end = b->before.at + b->before.length;
    const char *at = b->before.length ? memmem(b->before.at, b->before.length, ".cc:", strlen(".cc:")) : NULL;
    const char *stop = at;
    while (at && at > b->before.at && at[-1] != ' ')
        at--;
    while (stop && stop < end && *stop != ' ')
        stop++;
    return at ? orr_log_keep_text(b, at, (size_t)(stop - at)) : NULL;
}

/* The event of a row, or of a text without a row; made if it is new. NONE if there are too many. */
static uint32_t event_of(struct orr_log_building *b, uint32_t row, const char *text, size_t length)
{
    struct orr_log_events *events = b->events;
    struct orr_log *log = b->log;
    uint32_t index = 0, count = log->event_count;
    const uint64_t shape = row == NONE ? hash_of_shape(text, length) : 0;
    if (row != NONE)
        index = events->by_row[row] ? events->by_row[row] - 1 : count;
    else
        while (index < count && events->unknown[index] != shape)
            index++;
    if (index < count)
        return index;
    if (count == EVENTS_MOST)
        return NONE;
    if (!ORR_RESERVE(log->arena, log->events, count, events->event_capacity) ||
        !ORR_RESERVE(log->arena, events->unknown, count, events->unknown_capacity))
        return NONE;
    events->unknown[count] = shape;
    if (row != NONE)
        events->by_row[row] = count + 1;
    log->events[count] = (struct orr_log_event){.message = row == NONE ? NULL : events->rows[row], .quoted = true};
    log->event_count++;
    return count;
}

static void add_source(struct orr_log_building *b, struct source source)
{
    struct orr_log_events *events = b->events;
    const uint64_t hash = orr_hash_key(orr_hash_seeded(), &source, sizeof source);
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&events->index, hash, &probe, &row);)
        if (!memcmp(&events->sources[row], &source, sizeof source))
            return;
    if (events->source_count == SOURCES_MOST)
        return;
    if (!ORR_RESERVE(b->log->arena, events->sources, events->source_count, events->source_capacity) ||
        !orr_index_add(&events->index, hash, events->source_count))
        return;
    events->sources[events->source_count++] = source;
}

/* Takes the first line of an event, or the first that a program printed in the place of a quoted one. */
static void place_event(struct orr_log_building *b, struct orr_log_event *event, const char *text, size_t length,
                        const char *at, uint32_t writer, uint32_t line)
{
    const bool marked = b->before.length > 0; /* "NCCL WARN" is between start and text */
    const char *start = marked ? b->before.at : text, *from = marked ? start + b->before.length : at;
    bool tried = false;
    event->quoted = writer == ORR_LOG_NOBODY &&
                    orr_log_is_quoted(b, start, (size_t)(text + length - start), from, line == 1, &tried);
    if (event->count && event->quoted)
        return;
    event->count = 0; /* what is quoted is not counted beside what is printed */
    if (line == 1 && writer == ORR_LOG_NOBODY)
        b->first_event = (uint32_t)(event - b->log->events) + 1;
    event->tried = event->quoted && tried;
    event->text = orr_log_keep_text(b, text, length < TEXT_MOST ? length : TEXT_MOST);
    event->file = file_of(b);
    event->line = line;
    event->clock = b->clock_line == line ? b->clock : -1;
}

void orr_log_take_title(struct orr_log_building *b)
{
    if (b->first_event)
        b->log->events[b->first_event - 1].quoted = true;
}

/* The rank in a prefix such as PyTorch's "[rank3]:" or "Rank 3]"; -1 if there is none. */
static int32_t named_rank(const char *text, size_t length)
{
    static const char *const marks[] = {"[rank", "Rank "};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *end = text + length, *at = memmem(text, length, marks[i], strlen(marks[i]));
        double value;
        if (!at)
            continue;
        at += strlen(marks[i]);
        if (orr_log_scan_int(&at, end, &value) && at < end && *at == ']' && value >= 0)
            return (int32_t)value;
    }
    return -1;
}

bool orr_log_take_event(struct orr_log_building *b, const char *text, size_t length, uint32_t from, uint32_t writer,
                        int32_t dev, uint32_t line)
{
    const char *at = text, *begin = text;
    uint32_t row = find_row(b, text, length, from, &at);
    if (row == NONE && from != ORR_FROM_WARN)
        return false;
    if (at > text && from == ORR_FROM_INFO) { /* PyTorch's line ran into one of NCCL's */
        const char *mark = memmem(text, (size_t)(at - text), "[rank", strlen("[rank"));
        begin = mark ? mark : at;
    }
    length -= (size_t)(begin - text);
    const int32_t rank = named_rank(begin, length);
    uint32_t index = event_of(b, row, begin, length);
    if (index == NONE) {
        b->log->events_left_out++;
        return true;
    }
    struct orr_log_event *event = &b->log->events[index];
    if (event->quoted) /* so far, or it is new */
        place_event(b, event, begin, length, at, writer, line);
    event->count++;
    event->last_line = line;
    add_source(b, (struct source){index, rank >= 0 ? NONE : writer, rank >= 0 ? -1 : dev, rank});
    if (event->message && rank >= 0)
        orr_log_take_watchdog(b, event->message->id, begin, length, rank, line);
    return true;
}

/* A rank and where it ran. */
struct place {
    const char *host;
    int64_t pid;
    int32_t dev, rank;
    uint32_t order; /* number of ranks in its communicator: the largest first */
};

ORR_COMPARATOR(by_place, struct place, strcmp(a->host, b->host), ORR_ORDER(a->pid, b->pid),
               ORR_ORDER(a->order, b->order), a->rank - b->rank)

/* All places, by host, process and communicator, in the log's arena. Sets b->starved if memory ran out. */
static const struct place *list_places(struct orr_log_building *b, uint32_t *ret_count)
{
    const struct orr_log *log = b->log;
    struct place *places = ORR_NEW(log->arena, struct place, (size_t)log->session_count + 1);
    uint32_t count = 0, largest = orr_log_largest(log);
    for (uint32_t i = 0; places && i < log->session_count; i++) {
        const struct orr_log_session *session = &log->sessions[i];
        if (session->named && session->communicator != UINT32_MAX && session->writer != UINT32_MAX) {
            const struct orr_log_writer *writer = &log->writers[session->writer];
            places[count++] = (struct place){writer->host, writer->pid, session->cuda_dev, session->rank,
                                             session->communicator == largest ? 0 : session->communicator + 1};
        }
    }
    if (count)
        qsort(places, count, sizeof *places, by_place);
    *ret_count = count;
    return places;
}

/* The rank of a line that names none, by its writer and GPU: the only rank of the process, or its rank on that GPU; -1
 * if unknown. */
static int32_t rank_at(const struct place *places, uint32_t count, const struct orr_log_writer *writer, int32_t dev)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = low + (high - low) / 2;
        int order = strcmp(places[middle].host, writer->host);
        if (order < 0 || (!order && places[middle].pid < writer->pid))
            low = middle + 1;
        else
            high = middle;
    }
    enum { COMMUNICATORS_MOST = 64 };
    int32_t only = -1;
    bool several = false;
    for (uint32_t i = low; i < count && i < low + COMMUNICATORS_MOST && places[i].pid == writer->pid &&
                           !strcmp(places[i].host, writer->host);
         i++) {
        if (dev >= 0 && places[i].dev == dev)
            return places[i].rank;
        if (places[i].order == places[low].order) {
            several |= only >= 0 && only != places[i].rank;
            only = places[i].rank;
        }
    }
    return several ? -1 : only;
}

ORR_COMPARATOR(by_event, struct source, ORR_ORDER(a->event, b->event), ORR_ORDER(a->rank, b->rank),
               ORR_ORDER(a->writer, b->writer), a->dev - b->dev)

ORR_COMPARATOR(by_line, struct orr_log_event, ORR_ORDER(a->line, b->line))

void orr_log_place_events(struct orr_log_building *b)
{
    enum { HOSTS_MOST = 64 };
    struct orr_log *log = b->log;
    struct orr_log_events *events = b->events;
    uint32_t place_count;
    const struct place *places = list_places(b, &place_count);
    if (orr_arena_starved(b->log->arena))
        return;
    const struct orr_log_communicator *largest =
        log->communicator_count ? &log->communicators[orr_log_largest(log)] : NULL;
    for (uint32_t i = 0; i < events->source_count; i++) {
        struct source *source = &events->sources[i];
        if (source->writer != NONE)
            source->rank = rank_at(places, place_count, &log->writers[source->writer], source->dev);
    }
    for (uint32_t i = 0; i < log->event_count; i++)
        log->events[i].tried &= log->writer_count > 0;
    if (events->source_count)
        qsort(events->sources, events->source_count, sizeof *events->sources, by_event);
    for (uint32_t i = 0; i < events->source_count;) {
        uint32_t end = i, index = events->sources[i].event;
        while (end < events->source_count && events->sources[end].event == index)
            end++;
        int32_t *ranks = ORR_NEW(log->arena, int32_t, end - i);
        const char **hosts = ORR_NEW(log->arena, const char *, end - i < HOSTS_MOST ? end - i : HOSTS_MOST);
        struct orr_log_event *event = &log->events[index];
        if (!ranks || !hosts)
            return;
        for (; i < end; i++) {
            const struct source *source = &events->sources[i];
            const char *host = source->writer != NONE ? log->writers[source->writer].host : NULL;
            if (!host && largest && source->rank >= 0 && source->rank < largest->rank_count)
                host = largest->members[source->rank].host;
            if (source->rank >= 0 && (!event->rank_count || ranks[event->rank_count - 1] != source->rank))
                ranks[event->rank_count++] = source->rank;
            uint32_t h = 0;
            while (host && h < event->host_count && strcmp(hosts[h], host))
                h++;
            if (host && h == event->host_count && h < HOSTS_MOST)
                hosts[event->host_count++] = host;
        }
        event->ranks = ranks;
        event->hosts = hosts;
    }
    if (log->event_count)
        qsort(log->events, log->event_count, sizeof *log->events, by_line);
}
