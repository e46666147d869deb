/* SPDX-License-Identifier: Apache-2.0 */
/* Results as people sum them up, without sizes: a table with a figure for each test or number of hosts, or a sentence.
 *
 *     | test           | result         |        | Nodes | busbw (GB/s) |        1 node: 480, 2 nodes: 370 GB/s
 *     | all_reduce     | **480** GB/s   |        | 2     | 370          |        all_gather reaches 44 GB/s on 2 nodes
 *
 * Such figures are of large messages, unless the name of the test has a size. They count only if the text has no rows.
 * A sentence needs a unit, and sentences about links or expectations ("each NIC has 400 Gb/s", "should be 480 GB/s")
 * are left out.
 */
#include <string.h>

#include "engine/hardware/nic_words.h"
#include "engine/nccltests/reading.h"

enum { CELLS_MOST = 16, NAME_MOST = 40 };

static void keep(struct orr_results_building *b, enum orr_test test, double hosts, uint64_t size, double value,
                 bool algorithm)
{
    static const double HOSTS_MOST = 1 << 17, MOST = 10000;
    if (b->summary_count == ORR_SUMMARY_MOST || !(value > 0) || value > MOST || hosts > HOSTS_MOST || hosts < 0)
        return;
    const struct orr_summary *last = b->summary_count ? &b->summary[b->summary_count - 1] : NULL;
    if (last && last->value == value && last->size == size && (hosts == 0 || last->hosts == hosts) &&
        last->line + 1 >= b->line)
        return; /* said again */
    b->summary[b->summary_count++] =
        (struct orr_summary){.test = test == ORR_TEST_COUNT ? b->mentioned : test,
                             .hosts = hosts == (double)(uint32_t)hosts ? (uint32_t)hosts : 0,
                             .size = size,
                             .value = value,
                             .algorithm = algorithm,
                             .line = b->line};
    memcpy(b->summary[b->summary_count - 1].release, b->said.release, sizeof b->said.release);
}

/* What a column of a table holds. */
static uint8_t role_of(struct orr_span cell, struct orr_summary_column *column)
{
    static const struct {
        const char *word;
        uint8_t role;
    } words[] = {{"busbw", ORR_SUMMARY_VALUE},     {"bus b", ORR_SUMMARY_VALUE},     {"algbw", ORR_SUMMARY_VALUE},
                 {"bandwidth", ORR_SUMMARY_VALUE}, {"result", ORR_SUMMARY_VALUE},    {"measured", ORR_SUMMARY_VALUE},
                 {"node", ORR_SUMMARY_HOSTS},      {"host", ORR_SUMMARY_HOSTS},      {"server", ORR_SUMMARY_HOSTS},
                 {"test", ORR_SUMMARY_TEST},       {"collective", ORR_SUMMARY_TEST}, {"operation", ORR_SUMMARY_TEST},
                 {"benchmark", ORR_SUMMARY_TEST},  {"config", ORR_SUMMARY_TEST}};
    static const char *const others[] = {"expect",  "theor", "target", "ideal", "peak",
                                         "latency", "time",  "(us",    "per",   NULL};
    if (orr_span_has_one(cell, others))
        return ORR_SUMMARY_OTHER;
    column->scale = orr_unit_in(cell);
    column->test = orr_test_in(cell);
    column->algorithm = orr_span_find(cell, "algbw") || orr_span_find(cell, "alg b");
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (orr_span_find(cell, words[i].word))
            return words[i].role;
    return column->scale > 0 || column->test != ORR_TEST_COUNT ? ORR_SUMMARY_VALUE : ORR_SUMMARY_OTHER;
}

/* "| Nodes | all_reduce (GB/s) | all_gather (GB/s) |": names of tests or hosts, and columns of figures. */
static bool take_header(struct orr_results_building *b, char separator, struct orr_span line)
{
    struct orr_span cells[CELLS_MOST];
    struct orr_summary_columns columns = {.separator = separator};
    bool labels = false, values = false;
    columns.count = orr_cells_cut(separator, line.at, line.length, cells, CELLS_MOST);
    if (columns.count < 2 || columns.count > ORR_SUMMARY_COLUMNS)
        return false;
    for (uint32_t i = 0; i < columns.count; i++) {
        struct orr_summary_column *column = &columns.columns[i];
        double number;
        const char *at = cells[i].at;
        if (!cells[i].length || cells[i].length > NAME_MOST || orr_number_next(&at, at + cells[i].length, &number))
            return false; /* it is a row, or a sentence with commas */
        *column = (struct orr_summary_column){.test = ORR_TEST_COUNT};
        column->role = role_of(cells[i], column);
        labels |= column->role == ORR_SUMMARY_HOSTS || column->role == ORR_SUMMARY_TEST;
        values |= column->role == ORR_SUMMARY_VALUE;
    }
    if (!labels || !values)
        return false;
    b->summary_columns = columns;
    return true;
}

/* A row of ib_write_bw or a similar program, in a table of figures. */
static bool is_of_link_test(struct orr_span line)
{
    static const char *const words[] = {"mlx5", "ib_", " qp", "perftest", "iperf", "loopback", NULL};
    return orr_span_has_one(line, words);
}

static bool take_row(struct orr_results_building *b, struct orr_span line)
{
    const struct orr_summary_columns *columns = &b->summary_columns;
    struct orr_span cells[CELLS_MOST];
    enum orr_test test = ORR_TEST_COUNT;
    double hosts = 0, value;
    uint64_t size = 0;
    uint32_t kept = b->summary_count;
    if (is_of_link_test(line))
        return false;
    if (!columns->count || orr_cells_cut(columns->separator, line.at, line.length, cells, CELLS_MOST) < columns->count)
        return false;
    for (uint32_t i = 0; i < columns->count; i++) {
        const char *at = cells[i].at, *end = at + cells[i].length;
        if (columns->columns[i].role == ORR_SUMMARY_TEST) {
            test = orr_test_in(cells[i]);
            size = orr_size_in(cells[i]);
            hosts = hosts > 0 ? hosts : orr_summary_hosts_in(cells[i]);
        }
        if (columns->columns[i].role == ORR_SUMMARY_HOSTS && !orr_number_next(&at, end, &hosts))
            hosts = orr_span_find(cells[i], "single") || orr_span_find(cells[i], "one") ? 1 : 0;
    }
    for (uint32_t i = 0; i < columns->count; i++) {
        const struct orr_summary_column *column = &columns->columns[i];
        const char *at = cells[i].at, *end = at + cells[i].length;
        const double unit = orr_unit_in(cells[i]), scale = unit > 0 ? unit : column->scale > 0 ? column->scale : 1;
        if (column->role == ORR_SUMMARY_VALUE && orr_number_next(&at, end, &value))
            keep(b, column->test == ORR_TEST_COUNT ? test : column->test, hosts, size, value * scale,
                 column->algorithm);
    }
    return b->summary_count > kept;
}

/* "is this expected?" */
static bool is_question(struct orr_span line)
{
    return orr_span_find(line, "this expected") || orr_span_find(line, "it expected") ||
           orr_span_find(line, "that expected") || orr_span_find(line, "as expected") ||
           orr_span_find(line, "expected?");
}

/* Sentences about expectations, and about links unless they mention the bus bandwidth. */
static bool is_about_others(struct orr_span line, bool bandwidth)
{
    static const char *const expecting[] = {"should", "theor",      "ideal",       "claim", "official",
                                            "how to", "how can",    "a way to",    "peak",  "up to",
                                            "ib_",    "instead of", "rather than", NULL};
    static const char *const links[] = {"nvlink", "nic",     "link",   "port",     "hca",  "connect",
                                        "iperf",  "p2p",     "memcpy", "rate",     "pcie", "cable",
                                        "qsfp",   "latency", "switch", "ethernet", NULL};
    return (orr_span_find(line, "expect") && !is_question(line)) || orr_span_has_one(line, expecting) ||
           (!bandwidth && orr_span_has_one(line, links));
}

/* The program of a sentence, in which "reduce" and "gather" are mostly verbs. */
static enum orr_test named_in(struct orr_span line)
{
    const enum orr_test test = orr_test_in(line);
    const bool verb =
        test == ORR_TEST_BROADCAST || test == ORR_TEST_REDUCE || test == ORR_TEST_GATHER || test == ORR_TEST_SCATTER;
    return verb && !orr_span_find(line, "_perf") ? ORR_TEST_COUNT : test;
}

/* Whether a number is a figure of a list: a unit or punctuation follows, and no other word. */
static bool ends_figure(const char *at, const char *end)
{
    size_t length;
    while (at < end && strchr(" *_", *at) && *at)
        at++;
    return at == end || orr_unit_at(at, end, &length) > 0 || strchr(",;|).+", *at) || *at == '/' ||
           (end - at > 3 && !memcmp(at, "and", 3));
}

/* "1 node: 480, 2 nodes: 370, 3: 300 GB/s": a list, in which a bare number before a colon is one of hosts too. */
static bool take_list(struct orr_results_building *b, struct orr_span line, double scale, double nics)
{
    const char *end = line.at + line.length, *at = line.at;
    const enum orr_test test = named_in(line);
    double hosts = 0, number;
    bool listed = false, any = false;
    while (orr_number_next(&at, end, &number)) {
        const char *next = at;
        while (next < end && strchr(" ~=>", *next))
            next++;
        const char *unit = at;
        size_t length;
        while (unit < end && *unit && strchr(" *_", *unit))
            unit++;
        const double own = orr_unit_at(unit, end, &length);
        const bool range = at + 1 < end && *at == '-' && orr_is_digit(at[1]);
        const bool named = orr_counts_hosts(at, end);
        if (range || number == nics)
            continue; /* "4-5 nodes": the larger one; the speed of NICs */
        if (named || (listed && next < end && *next == ':')) {
            hosts = number;
            listed = true;
        } else if (hosts > 0 && ends_figure(at, end)) {
            keep(b, test, hosts, 0, number * (own > 0 ? own : scale), orr_span_find(line, "algbw") != NULL);
            any = true;
            hosts = 0;
        }
    }
    return any;
}

/* What the sentences of a line share. */
struct sentences {
    double hosts;
    bool asks;       /* an earlier sentence asks about the performance of a program */
    bool by_command; /* a command follows that gave the figures */
};

/* "8 GPU", "4GPUs", of one host; 0 if there is none. */
static uint32_t gpus_in(struct orr_span text)
{
    enum { MOST = 16 };
    static const char word[] = "GPU";
    const char *at = text.at, *end = at + text.length;
    double number;
    while (orr_number_next(&at, end, &number)) {
        while (at < end && (*at == ' ' || *at == '-'))
            at++;
        if ((size_t)(end - at) >= sizeof word - 1 && orr_span_is((struct orr_span){at, sizeof word - 1}, word) &&
            number >= 2 && number <= MOST && number == (double)(uint32_t)number)
            return (uint32_t)number;
    }
    return 0;
}

/* "Ours is 830+", in GB/s, after a question about the bandwidth. */
static bool is_own(struct orr_span sentence)
{
    static const char *const words[] = {"ours ",  "we get", "we got",   "i get", "i got",
                                        "we see", "i see",  "only get", NULL};
    return orr_span_has_one(sentence, words);
}

static bool take_sentence(struct orr_results_building *b, struct orr_span line, struct sentences *whole)
{
    const char *end = line.at + line.length, *at = line.at;
    const enum orr_test test = named_in(line);
    double number, value = 0, hosts = orr_summary_hosts_in(line);
    uint32_t values = 0;
    bool in_bits = false;
    const bool algorithm = orr_span_find(line, "algbw") || orr_span_find(line, "algorithm bandwidth");
    const bool bandwidth = orr_span_find(line, "busbw") || orr_span_find(line, "bus bandwidth") ||
                           orr_span_find(line, "bwbus") || orr_span_find(line, "bus bw") ||
                           orr_span_find(line, "bus_bw") || algorithm;
    const bool own = whole->asks && !(orr_unit_in(line) > 0) && is_own(line);
    const double unit = own ? 1 : orr_unit_in(line);
    struct orr_nic_words nic;
    const double nics = orr_nic_words_read(line.at, line.length, &nic) ? nic.mbps / 1000.0 : 0;
    whole->asks |=
        test != ORR_TEST_COUNT && (bandwidth || orr_span_find(line, "performance") || orr_span_find(line, "bandwidth"));
    b->asks |= bandwidth;
    hosts = hosts > 0 ? hosts : whole->hosts;
    if (is_about_others(line, bandwidth || test != ORR_TEST_COUNT) || !(unit > 0 || bandwidth))
        return false;
    if (hosts > 0 && take_list(b, line, unit > 0 ? unit : 1, nics))
        return true;
    while (orr_number_next(&at, end, &number)) {
        size_t length;
        const char *next = at;
        while (next < end && strchr(" *_", *next))
            next++;
        const double scale = own ? 1 : orr_unit_at(next, end, &length);
        const bool bits = scale == ORR_UNIT_BITS;
        if (!(scale > 0) || (bits && (values || number == nics)) ||
            (values && memchr(line.at, '(', (size_t)(at - line.at))))
            continue; /* "9.84 GB/s (80 Gbps)", "40 GB/s with 400 Gb/s NICs" */
        if (values && in_bits && !bits)
            values = 0;
        in_bits = bits;
        value = number * scale;
        values++;
    }
    const bool named =
        test != ORR_TEST_COUNT || ((bandwidth || own) && (hosts > 0 || b->mentioned != ORR_TEST_COUNT || b->said.gpus));
    if (values != 1 || !named)
        return false;
    const uint32_t kept = b->summary_count;
    const bool unsure = in_bits && bandwidth && !algorithm; /* nccl-tests prints GB/s, which people also call Gbps */
    keep(b, test, hosts, 0, unsure ? value / ORR_UNIT_BITS : value, algorithm);
    if (b->summary_count > kept && bandwidth && hosts <= 1)
        b->summary[kept].ranks = gpus_in(line);
    if (b->summary_count > kept)
        b->summary[kept].unit_unsure = unsure;
    if (b->summary_count > kept && hosts <= 1 && !b->summary[kept].ranks)
        b->summary[kept].by_command = whole->by_command;
    return true;
}

/* Whether another clause begins at this blank. */
static bool begins_clause(const char *at, size_t left)
{
    static const char *const words[] = {" but ", " instead of ", " rather than ", " while ", " whereas ", " although "};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (left > strlen(words[i]) && !memcmp(at, words[i], strlen(words[i])))
            return true;
    return false;
}

/* Sentences end at ". ", "? " or "! ", and clauses before such words. */
static void take_sentences(struct orr_results_building *b, struct orr_span line)
{
    static const char *const down[] = {"like this", "like below", "as below", "as follows", "following command", NULL};
    struct sentences whole = {.hosts = orr_summary_hosts_in(line), .by_command = orr_span_has_one(line, down)};
    while (line.length) {
        size_t length = 1;
        while (length < line.length &&
               !(line.at[length] == ' ' &&
                 (strchr(".?!", line.at[length - 1]) || begins_clause(line.at + length, line.length - length))))
            length++;
        (void)take_sentence(b, (struct orr_span){line.at, length}, &whole);
        line = (struct orr_span){line.at + length, line.length - length};
    }
}

void orr_summary_take_line(struct orr_results_building *b, struct orr_span line)
{
    static const char separators[] = {'|', '\t', ';', ','};
    bool rule = true;
    if (b->results->table_count || !line.length || b->summary_count == ORR_SUMMARY_MOST)
        return;
    for (size_t i = 0; i < line.length && rule; i++)
        rule = line.at[i] && strchr("|-: +=", line.at[i]);
    if (rule)
        return;
    for (size_t i = 0; i < sizeof separators; i++)
        if (memchr(line.at, separators[i], line.length) && take_header(b, separators[i], line))
            return;
    if (take_row(b, line))
        return;
    if (!memchr(line.at, '|', line.length))
        b->summary_columns.count = 0;
    take_sentences(b, line);
}

void orr_summary_take_figure(struct orr_results_building *b, struct orr_span line, double value)
{
    const double unit = orr_unit_in(line);
    if (!b->results->table_count && (unit > 0 || b->asks))
        keep(b, ORR_TEST_COUNT, 0, 0, value * (unit > 0 ? unit : 1), false);
}

void orr_summary_take_average(struct orr_results_building *b, double bus_bw)
{
    static const uint64_t LEAST = (uint64_t)32 << 20;
    if (b->command.least >= LEAST || b->run.min_bytes >= LEAST)
        keep(b, ORR_TEST_COUNT, 0, 0, bus_bw, false);
}

void orr_summary_end(struct orr_results_building *b)
{
    if (b->results->table_count || !b->summary_count)
        return;
    bool supposed = false;
    for (uint32_t i = 0; i < b->summary_count; i++) {
        const struct orr_summary *one = &b->summary[i];
        supposed |= !one->size;
        struct orr_result_row row = {.size = one->size ? one->size : ORR_SUMMARY_LARGE, .line = one->line, .root = -1};
        row.out = row.in = (struct orr_result_way){.time = -1, .alg_bw = -1, .bus_bw = -1, .wrong = -1};
        if (one->algorithm)
            row.out.alg_bw = one->value;
        else
            row.out.bus_bw = one->value;
        orr_tables_close(b);
        if (!orr_tables_add(b, &row, "", ""))
            break;
        struct orr_result_table *table = orr_tables_last(b);
        table->library =
            one->release[0] ? orr_tables_keep(b, (struct orr_span){one->release, strlen(one->release)}) : NULL;
        table->unit_unsure = one->unit_unsure;
        table->size_supposed = !one->size;
        table->hosts = one->ranks ? 1 : one->hosts;
        table->ranks = one->ranks;
        table->ranks_certain = one->ranks_certain;
        table->test = one->test;
        table->test_certain = one->test != ORR_TEST_COUNT;
    }
    b->results->form = "summary without sizes";
    b->results->summary = true;
    if (supposed)
        orr_tables_note(b, "The text gives no sizes: its figures are read as bus bandwidth of large messages (8 GiB)");
}
