/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of nccl-tests' output that are not rows: headers, ranks and closing lines; and the marks of other programs. */
#include <string.h>

#include "engine/base/budget.h"
#include "engine/nccltests/reading.h"

/* A line that has a mark; rest is the text after the mark. */
struct place {
    struct orr_span line, rest;
};

static const char *find_word(struct orr_span text, const char *word)
{
    return memmem(text.at, text.length, word, strlen(word));
}

/* The integer after a word and blanks or colons: "iters: 20". */
static bool value_of(struct orr_span text, const char *word, uint64_t *ret_value)
{
    const char *at = find_word(text, word), *end = text.at + text.length;
    if (!at)
        return false;
    for (at += strlen(word); at < end && (*at == ' ' || *at == ':' || *at == '='); at++)
        ;
    const char *start = at;
    while (at < end && orr_is_digit(*at))
        at++;
    struct orr_number number;
    if (!orr_number_read((struct orr_span){start, (size_t)(at - start)}, &number) || !number.integer)
        return false;
    *ret_value = number.whole;
    return true;
}

static struct orr_span next_word(struct orr_span *text)
{
    const char *at = text->at, *end = at + text->length;
    while (at < end && (*at == ' ' || *at == '\t' || *at == ':'))
        at++;
    const char *start = at;
    while (at < end && *at != ' ' && *at != '\t')
        at++;
    *text = (struct orr_span){at, (size_t)(end - at)};
    return (struct orr_span){start, (size_t)(at - start)};
}

static uint32_t small(uint64_t value)
{
    enum { MOST = 1 << 20 };
    return value <= MOST ? (uint32_t)value : 0;
}

/* "# nThread 1 nGpus 8 minBytes 8 maxBytes 128 step: 2(factor) warmup iters: 5 iters: 20 agg iters: 1 ..." */
static void take_options(struct orr_results_building *b, const struct place *place)
{
    struct orr_span line = place->line;
    uint64_t value;
    orr_rows_run(b);
    if (value_of(line, "nThread", &value))
        b->run.threads = small(value);
    if (value_of(line, "nGpus", &value))
        b->run.gpus = small(value);
    if (value_of(line, "minBytes", &value))
        b->run.min_bytes = value;
    if (value_of(line, "maxBytes", &value))
        b->run.max_bytes = value;
    const char *warmup = find_word(line, "warmup iters:");
    if (!warmup)
        return;
    line = (struct orr_span){warmup, (size_t)(line.at + line.length - warmup)};
    if (value_of(line, "warmup iters:", &value))
        b->run.warmup = (int32_t)small(value);
    line = (struct orr_span){warmup + 8, line.length - 8};
    line = (struct orr_span){line.at + 5, line.length - 5};
    if (value_of(line, "iters:", &value))
        b->run.iterations = (int32_t)small(value);
}

/* "# nccl-tests version 2.18.2 nccl-headers=23001 nccl-library=23001" */
static void take_version(struct orr_results_building *b, const struct place *place)
{
    struct orr_span rest = place->rest, word = next_word(&rest);
    uint64_t code;
    orr_rows_run(b);
    if (!b->results->tests_version && word.length && word.length < 32)
        b->results->tests_version = orr_tables_keep(b, word);
    if (value_of(rest, "nccl-library", &code))
        orr_tables_library(b, code);
    if (value_of(rest, "nccl-headers", &code) && !b->results->headers) {
        b->results->headers = orr_tables_release(b, code);
        b->results->headers_line = b->line;
    }
}

static void take_start(struct orr_results_building *b, const struct place *place)
{
    struct orr_span rest = place->rest, word = next_word(&rest);
    orr_rows_run(b);
    b->run.named = orr_test_find(word.at, word.length);
}

static void take_end(struct orr_results_building *b, const struct place *place)
{
    struct orr_span rest = place->rest, word = next_word(&rest);
    enum orr_test test = orr_test_find(word.at, word.length);
    orr_rows_end(b);
    struct orr_result_table *table = orr_tables_last(b);
    if (table && test != ORR_TEST_COUNT) {
        table->test = test;
        table->test_certain = true;
    }
}

/* "Rank  0 Group  0 Pid  1375 on host device  0 [0000:41:00] NVIDIA H100 80GB HBM3"; without "Group" before 2.13. */
static void take_device(struct orr_results_building *b, const struct place *place)
{
    struct orr_span rest = place->rest, word = next_word(&rest);
    struct orr_result_device device = {.group = -1, .device = -1};
    struct orr_number number;
    if (!orr_number_read(word, &number) || !number.integer || number.negative || !small(number.whole + 1))
        return;
    device.rank = (uint32_t)number.whole;
    word = next_word(&rest);
    if (orr_span_is(word, "group")) {
        word = next_word(&rest);
        if (orr_number_read(word, &number) && number.integer && !number.negative)
            device.group = (int32_t)small(number.whole);
        word = next_word(&rest);
    }
    if (!orr_span_is(word, "pid"))
        return;
    (void)next_word(&rest);
    word = next_word(&rest);
    struct orr_span host = next_word(&rest);
    struct orr_span dev = next_word(&rest);
    if (!orr_span_is(word, "on") || !host.length || !orr_span_is(dev, "device"))
        return;
    word = next_word(&rest);
    if (orr_number_read(word, &number) && number.integer)
        device.device = (int32_t)small(number.whole);
    const char *open = rest.length ? memchr(rest.at, '[', rest.length) : NULL;
    const char *shut = rest.length ? memchr(rest.at, ']', rest.length) : NULL;
    if (!open || !shut || shut < open)
        return;
    struct orr_span bus_id = {open + 1, (size_t)(shut - open - 1)};
    struct orr_span model = {shut + 1, (size_t)(rest.at + rest.length - shut - 1)};
    while (model.length && model.at[0] == ' ')
        model = (struct orr_span){model.at + 1, model.length - 1};
    if (!b->run.fresh && (b->open || (device.rank == 0 && b->run.device_count)))
        orr_rows_run(b); /* another run, whose first lines are missing */
    b->results->rccl |= find_word(model, "Instinct") || find_word(model, "AMD ");
    orr_tables_device(b, &device, host, bus_id, model);
}

static void take_bounds(struct orr_results_building *b, const struct place *place)
{
    uint64_t value;
    orr_rows_end(b);
    struct orr_result_table *table = orr_tables_last(b);
    if (table && value_of(place->line, "Out of bounds values", &value) && value <= INT64_MAX) {
        table->out_of_bounds = (int64_t)value;
        table->complete = true;
    }
    b->open = false;
}

static void take_average(struct orr_results_building *b, const struct place *place)
{
    struct orr_span rest = place->rest, word = next_word(&rest);
    struct orr_number number;
    orr_rows_end(b);
    struct orr_result_table *table = orr_tables_last(b);
    const bool is_number = orr_number_read(word, &number) && !number.missing && number.value >= 0;
    if (table && is_number) {
        table->average = number.value;
        table->complete = true;
    } else if (is_number) {
        orr_summary_take_average(b, number.value);
    }
    b->open = false;
}

static void take_reduced(struct orr_results_building *b, const struct place *place)
{
    uint64_t value;
    if (value_of(place->line, "Reducing maxBytes to", &value))
        b->run.max_bytes = value;
}

static void take_rccl(struct orr_results_building *b, const struct place *place)
{
    (void)place;
    b->results->rccl = true;
}

static const struct {
    const char *mark;
    void (*take)(struct orr_results_building *b, const struct place *place);
} marks[] = {
    {"Rank ", take_device},
    {"nThread ", take_options},
    {"nccl-tests version", take_version},
    {"Collective test starting", take_start},
    {"Collective test concluded", take_end},
    {"Out of bounds values", take_bounds},
    {"Avg bus bandwidth", take_average},
    {"Reducing maxBytes to", take_reduced},
    {"rccl-tests", take_rccl},
    {"RCCL version", take_rccl},
};

/* Programs whose tables people confuse with these. */
static const struct {
    const char *mark, *program;
} others[] = {
    {"OSU MPI", "the OSU Micro-Benchmarks"},
    {"OSU NCCL", "the OSU Micro-Benchmarks"},
    {"BW average[", "perftest (ib_write_bw and similar)"},
    {"t_min[usec]", "perftest (ib_write_lat and similar)"},
    {"nvbandwidth", "nvbandwidth"},
    {"P2P Connectivity Matrix", "p2pBandwidthLatencyTest"},
    {"Bandwidth Matrix", "p2pBandwidthLatencyTest"},
    {"Intel(R) MPI Benchmarks", "the Intel MPI Benchmarks"},
    {"iperf", "iperf"},
};

/* Programs named in a command line or a sentence. Words of ordinary English count only with "_perf". */
static void look_for_names(struct orr_results_building *b, struct orr_span line)
{
    static const char *const hints[] = {"_perf", "educe", "ather", "catter", "oall", "endrecv", "ypercube"};
    bool hinted = false;
    for (size_t i = 0; i < sizeof hints / sizeof hints[0] && !hinted; i++)
        hinted = find_word(line, hints[i]) != NULL;
    while (hinted && line.length) {
        struct orr_span word = next_word(&line);
        while (word.length && strchr(".,;:!?()\"'`*", word.at[word.length - 1]))
            word.length--;
        while (word.length && strchr("(\"'`*", word.at[0]))
            word = (struct orr_span){word.at + 1, word.length - 1};
        enum orr_test test = orr_test_find(word.at, word.length);
        if (test == ORR_TEST_COUNT)
            continue;
        bool plain = test == ORR_TEST_BROADCAST || test == ORR_TEST_REDUCE || test == ORR_TEST_GATHER ||
                     test == ORR_TEST_SCATTER;
        if (!plain || find_word(word, "_perf"))
            b->mentioned = test;
    }
}

static void take_other(struct orr_results_building *b, struct orr_span line)
{
    enum { MARK_MOST = 2048 };
    struct orr_span head = {line.at, line.length < MARK_MOST ? line.length : MARK_MOST};
    struct place place = {.line = head};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++) {
        const char *at = find_word(head, marks[i].mark);
        if (!at)
            continue;
        at += strlen(marks[i].mark);
        place.rest = (struct orr_span){at, (size_t)(head.at + head.length - at)};
        marks[i].take(b, &place);
        return;
    }
    struct orr_columns columns;
    const bool labelled = orr_labelled_take(b, head);
    if (!labelled && orr_columns_read(head.at, head.length, &columns)) {
        orr_rows_end(b);
        orr_tables_close(b);
        b->columns = columns;
        b->last_numbers = 0;
        return;
    }
    for (size_t i = 0; i < sizeof others / sizeof others[0] && !b->other; i++)
        if (find_word(head, others[i].mark))
            b->other = others[i].program;
    orr_command_take_line(b, head);
    look_for_names(b, head);
    if (head.length > ORR_PLAIN_MOST || orr_budget_spent((uint32_t)head.length))
        return;
    char buffer[ORR_PLAIN_MOST];
    const struct orr_span plain = orr_plain_words(head, buffer);
    const double figure = orr_said_take_release(b, plain);
    orr_said_take_line(b, plain);
    if (labelled)
        return;
    if (figure > 0)
        orr_summary_take_figure(b, plain, figure);
    else
        orr_summary_take_line(b, plain);
}

void orr_text_take_line(struct orr_results_building *b, struct orr_log_lines *lines)
{
    const char *at = lines->line, *end = at + lines->length;
    struct orr_log_speech speech;
    b->line = lines->number;
    struct orr_span before = {at, lines->length};
    bool torn = orr_log_next_speech(&at, end, &b->hosts, &speech);
    if (torn) {
        const char *stop = speech.host.at ? speech.host.at : memmem(before.at, before.length, "NCCL ", 5);
        before.length = (size_t)(stop - before.at);
    }
    static const char library[] = "NCCL version 2.";
    if (torn && memmem(lines->line, lines->length, library, sizeof library - 1))
        (void)orr_said_take_release(b, (struct orr_span){lines->line, lines->length});
    if (before.length && !orr_rows_take(b, before.at, before.length, torn) &&
        (!torn || memchr(before.at, '#', before.length)))
        take_other(b, before);
}
