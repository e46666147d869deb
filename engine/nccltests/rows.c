/* SPDX-License-Identifier: Apache-2.0 */
/* Rows: "size count type redop root" and the measurements, in one line or in pieces between NCCL's own lines; and rows
 * whose columns a header of CSV, Markdown or plain text names. */
#include <math.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/nccltests/reading.h"

enum { TOKENS_MOST = 64, WAY_LEAST = 3 };

void orr_rows_refuse(struct orr_results_building *b, const char *why, uint32_t line)
{
    b->results->refused++;
    if (b->bad)
        return;
    b->bad = why;
    b->bad_line = line;
}

static struct orr_result_way no_way(void)
{
    return (struct orr_result_way){.time = -1, .alg_bw = -1, .bus_bw = -1, .wrong = -1};
}

/* Stores a number in its place; false if the number is impossible. */
static bool put_number(struct orr_result_way *way, const struct orr_column *column, const struct orr_number *number)
{
    double value = number->missing ? -1 : number->value * column->scale;
    if (!number->missing && value < 0 && column->role != ORR_ROLE_NONE)
        return false;
    switch (column->role) {
    case ORR_ROLE_TIME:
        way->time = value;
        return true;
    case ORR_ROLE_ALG:
        way->alg_bw = value;
        return true;
    case ORR_ROLE_BUS:
        way->bus_bw = value;
        return true;
    case ORR_ROLE_WRONG:
        way->wrong = number->missing || value >= 0x1p62 || value != floor(value) ? -1 : (int64_t)value;
        return true;
    default:
        return true;
    }
}

/* Whether a bandwidth fits a size and a time, apart from the (n - 1) / n of hypercube and the rounding of both. */
static bool plausible(uint64_t size, const struct orr_number *time, const struct orr_number *alg)
{
    if (time->missing || alg->missing)
        return !time->missing || alg->missing;
    if (!(time->value > 0))
        return false;
    double whole = (double)size / time->value / 1e3, blur = 0.02 * whole + pow(10, -(double)alg->decimals);
    return alg->value >= 0.45 * whole - blur && alg->value <= whole + blur;
}

/* The columns after the type if no header names them; their number says which they are. */
static bool default_layout(uint32_t count, struct orr_column *layout)
{
    static const uint8_t roles[] = {ORR_ROLE_TIME, ORR_ROLE_ALG,  ORR_ROLE_BUS,  ORR_ROLE_WRONG,
                                    ORR_ROLE_NONE, ORR_ROLE_NONE, ORR_ROLE_NONE, ORR_ROLE_NONE};
    if (count != 3 && count != 4 && count != 6 && count != 8 && count != 16)
        return false;
    uint32_t each = count <= 4 ? count : count / 2;
    for (uint32_t i = 0; i < count; i++)
        layout[i] = (struct orr_column){.role = roles[i % each], .way = (uint8_t)(i / each), .scale = 1};
    return true;
}

/* The columns of a row's numbers, without the root, which is the first of them where *ret_root. */
static bool find_layout(struct orr_results_building *b, const struct orr_raw_row *raw, struct orr_column *layout,
                        uint32_t *ret_count, bool *ret_root)
{
    const struct orr_columns *columns = &b->columns;
    uint32_t count = raw->number_count, measured = columns->own ? columns->count - columns->first : 0;
    *ret_root = false;
    if (measured && (count == measured || (columns->has_root && count == measured + 1))) {
        memcpy(layout, columns->columns + columns->first, measured * sizeof *layout);
        *ret_count = measured;
        *ret_root = count > measured;
        return true;
    }
    const struct orr_number *numbers = raw->numbers;
    bool root = numbers[0].integer && (!columns->own || columns->has_root);
    if (root && (count == 4 || count == 3))
        root = numbers[0].negative || !plausible(raw->size, &numbers[0], &numbers[1]);
    else if (root)
        root = count % 2 || numbers[0].negative;
    *ret_root = root;
    *ret_count = count - root;
    if (raw->torn && *ret_count > 4 && *ret_count < 8)
        *ret_count = 4; /* the rest of the line is missing, but the results out of place are complete */
    return default_layout(*ret_count, layout);
}

static void say_columns(struct orr_results_building *b, const struct orr_raw_row *raw, const struct orr_result_row *row,
                        struct orr_evidence *e)
{
    bool header = b->columns.own || b->columns.count > 0;
    bool reduction = raw->op[0] && strcmp(raw->op, "none") != 0;
    e->reduces |= reduction;
    e->reduces_not |= !reduction && (raw->op[0] || (header && b->columns.own));
    e->rooted |= row->root >= 0;
    e->in_checked |= row->in.wrong >= 0 && row->out.wrong >= 0;
    e->in_unchecked |= row->in.wrong < 0 && row->out.wrong >= 0 && row->in.bus_bw >= 0;
    orr_evidence_parts(e, raw->size, raw->count, raw->type_bytes);
}

/* Makes a row of the collected pieces. */
static const char *finish(struct orr_results_building *b, struct orr_raw_row *raw)
{
    struct orr_column layout[ORR_COLUMNS_MOST];
    uint32_t count;
    bool root;
    if (raw->overfull || raw->number_count < WAY_LEAST || !find_layout(b, raw, layout, &count, &root))
        return raw->torn || (b->columns.own && raw->number_count < WAY_LEAST)
                   ? ""
                   : "its number of columns is not one that nccl-tests prints";
    struct orr_result_row row = {
        .size = raw->size, .count = raw->count, .line = raw->line, .root = -1, .out = no_way(), .in = no_way()};
    const struct orr_number *numbers = raw->numbers + root, *found[2][3] = {{NULL}};
    if (root) {
        if (!raw->numbers[0].integer || raw->numbers[0].whole > INT32_MAX ||
            (raw->numbers[0].negative && raw->numbers[0].whole != 1))
            return "its root is not a rank";
        row.root = (int32_t)raw->numbers[0].value;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (!put_number(layout[i].way ? &row.in : &row.out, &layout[i], &numbers[i]))
            return "a time or bandwidth is negative";
        if (layout[i].role >= ORR_ROLE_TIME && layout[i].role <= ORR_ROLE_BUS)
            found[layout[i].way][layout[i].role - ORR_ROLE_TIME] = &numbers[i];
    }
    if (raw->torn && found[0][0] && found[0][1] && !plausible(row.size, found[0][0], found[0][1]))
        return "";
    b->any_order = false;
    struct orr_evidence *e = orr_tables_add(b, &row, raw->type, raw->op);
    if (!b->results->form)
        b->results->form = b->columns.own ? "output of nccl-tests" : "rows of nccl-tests without a header";
    if (!e)
        return NULL;
    say_columns(b, raw, &row, e);
    e->rooted_not |= row.root < 0 && !raw->torn && (root || b->columns.own);
    for (int way = 0; way < 2; way++)
        if (found[way][0] && found[way][1] && found[way][2])
            orr_evidence_add(e, row.size, found[way][0], found[way][1], found[way][2]);
    b->last_numbers = raw->number_count;
    return NULL;
}

void orr_rows_end(struct orr_results_building *b)
{
    struct orr_raw_row *raw = &b->row;
    if (!raw->open)
        return;
    raw->open = false;
    const char *why = finish(b, raw);
    if (why && *why)
        orr_rows_refuse(b, why, raw->line);
    else if (why)
        b->results->torn++;
}

void orr_rows_run(struct orr_results_building *b)
{
    orr_rows_end(b);
    orr_tables_run(b);
}

/* How many numbers a whole row has; 0 if unknown. */
static uint32_t whole_count(const struct orr_results_building *b)
{
    return b->columns.own ? b->columns.count - b->columns.first + b->columns.has_root : b->last_numbers;
}

/* Collects numbers up to the first other word. */
static void take_numbers(struct orr_raw_row *raw, const struct orr_span *tokens, uint32_t count)
{
    struct orr_number number;
    for (uint32_t i = 0; i < count && orr_number_read(tokens[i], &number); i++) {
        if (raw->number_count < ORR_NUMBERS_MOST)
            raw->numbers[raw->number_count++] = number;
        else
            raw->overfull = true;
    }
}

static void copy_word(char *word, size_t room, struct orr_span span)
{
    size_t length = span.length < room - 1 ? span.length : room - 1;
    for (size_t i = 0; i < length; i++)
        word[i] = (char)(span.at[i] >= 'A' && span.at[i] <= 'Z' ? span.at[i] - 'A' + 'a' : span.at[i]);
    word[length] = 0;
}

/* The digits at the end of a token, which a launcher's prefix may precede: "0:1024". */
static bool read_size(struct orr_span token, struct orr_number *number)
{
    size_t digits = token.length;
    while (digits && token.at[digits - 1] >= '0' && token.at[digits - 1] <= '9')
        digits--;
    /* A byte order mark, too. */
    if (digits && (strchr(":>])|#", token.at[digits - 1]) || (unsigned char)token.at[digits - 1] >= 0x80))
        token = (struct orr_span){token.at + digits, token.length - digits};
    return orr_number_read(token, number) && !number->missing;
}

/* A row of nccl-tests begins: the line has a size, a count and a type. */
static bool begin(struct orr_results_building *b, const struct orr_span *tokens, uint32_t count, bool torn)
{
    for (uint32_t i = 2; i < count; i++) {
        struct orr_number size, elements;
        uint32_t bytes = orr_type_bytes(tokens[i]);
        if (!bytes || !orr_number_read(tokens[i - 1], &elements) || !read_size(tokens[i - 2], &size))
            continue;
        struct orr_raw_row raw = {.open = true, .torn = torn, .line = b->line, .type_bytes = bytes};
        copy_word(raw.type, sizeof raw.type, tokens[i]);
        uint32_t next = i + 1;
        if (next < count && orr_op_is(tokens[next]))
            copy_word(raw.op, sizeof raw.op, tokens[next++]);
        take_numbers(&raw, tokens + next, count - next);
        if (raw.number_count < WAY_LEAST && !torn && !whole_count(b))
            return false; /* a sentence */
        orr_rows_end(b);
        if (size.negative || elements.negative || !size.integer || !elements.integer) {
            orr_rows_refuse(b,
                            size.negative || elements.negative ? "its size or count is negative"
                                                               : "its size or count is not a number of up to 64 bits",
                            b->line);
            return true;
        }
        raw.size = size.whole;
        raw.count = elements.whole;
        b->row = raw;
        uint32_t whole = whole_count(b);
        if ((whole && raw.number_count >= whole) || (!whole && !torn))
            orr_rows_end(b);
        return true;
    }
    return false;
}

/* Continues the row that waits: only numbers may follow, perhaps after a launcher's prefix. */
static bool go_on(struct orr_results_building *b, const struct orr_span *tokens, uint32_t count, bool torn)
{
    struct orr_raw_row *raw = &b->row;
    struct orr_number number;
    enum { PREFIX_MOST = 3 };
    uint32_t first = 0;
    while (first < count && first <= PREFIX_MOST && !orr_number_read(tokens[first], &number))
        first++;
    const struct orr_span *before = first ? &tokens[first - 1] : NULL;
    if (first == count || first > PREFIX_MOST || tokens[0].at[0] == '#' ||
        (before && (before->length < 2 || !strchr(":>])", before->at[before->length - 1]))))
        return false;
    for (uint32_t i = first; i < count; i++)
        if (!orr_number_read(tokens[i], &number))
            return false;
    take_numbers(raw, tokens + first, count - first);
    raw->torn = true;
    if ((whole_count(b) && raw->number_count >= whole_count(b)) || (!whole_count(b) && !torn))
        orr_rows_end(b);
    return true;
}

/* Whether bandwidths that a header calls Gb/s are, as size and time show; otherwise turns them into the GB/s that they
 * are. */
static bool settle_unit(struct orr_result_row *row)
{
    static const double LEAST = 0.4; /* busbw / algbw of two ranks, and rounding */
    struct orr_result_way *way = &row->out;
    const double whole = way->time > 0 ? (double)row->size / way->time / 1e3 : 0;
    const double value = way->bus_bw > 0 ? way->bus_bw : way->alg_bw;
    if (!(whole > 0) || value > LEAST * whole)
        return true;
    way->bus_bw = way->bus_bw > 0 ? way->bus_bw / ORR_UNIT_BITS : way->bus_bw;
    way->alg_bw = way->alg_bw > 0 ? way->alg_bw / ORR_UNIT_BITS : way->alg_bw;
    return false;
}

/* A row below a header of CSV, Markdown or plain text. */
static bool take_cells(struct orr_results_building *b, const char *line, size_t length)
{
    struct orr_span cells[ORR_COLUMNS_MOST];
    const struct orr_columns *columns = &b->columns;
    uint32_t count = orr_cells_cut(columns->separator, line, length, cells, ORR_COLUMNS_MOST);
    struct orr_result_row row = {.line = b->line, .root = -1, .out = no_way(), .in = no_way()};
    struct orr_raw_row raw = {.line = b->line};
    struct orr_number numbers[2][3], number;
    bool sized = false, rounded = false, measured = false, in_bits = false, has[2][3] = {{false}};
    if (count != columns->count)
        return false;
    for (uint32_t i = 0; i < count; i++) {
        const struct orr_column *column = &columns->columns[i];
        struct orr_span cell = cells[i];
        struct orr_column own = *column;
        const char *blank = cell.length ? memchr(cell.at, ' ', cell.length) : NULL;
        struct orr_span word = {cell.at, blank ? (size_t)(blank - cell.at) : cell.length};
        bool numeric = orr_measure_read(cell, column->role, &number, &own.scale);
        if (column->role == ORR_ROLE_SIZE) {
            const char *prefix = memmem(cell.at, cell.length, ": ", 2); /* a launcher's */
            if (prefix && columns->separator == ORR_WIDE_BLANKS)
                cell = (struct orr_span){prefix + 2, (size_t)(cell.at + cell.length - prefix - 2)};
            if (!orr_size_read(cell, column->scale, &row.size, &rounded))
                return false;
            sized = true;
        } else if (column->role == ORR_ROLE_TYPE) {
            copy_word(raw.type, sizeof raw.type, word);
            raw.type_bytes = orr_type_bytes(word);
        } else if (column->role == ORR_ROLE_OP) {
            copy_word(raw.op, sizeof raw.op, word);
        } else if (column->role == ORR_ROLE_COUNT && numeric && number.integer && !number.negative) {
            row.count = number.whole;
        } else if (column->role == ORR_ROLE_ROOT && numeric && number.integer && number.whole <= INT32_MAX) {
            row.root = number.negative ? -1 : (int32_t)number.whole;
        } else if (column->role >= ORR_ROLE_TIME && numeric) {
            if (!put_number(column->way ? &row.in : &row.out, &own, &number)) {
                orr_rows_refuse(b, "a time or bandwidth is negative", b->line);
                return true;
            }
            measured |= !number.missing && (column->role == ORR_ROLE_ALG || column->role == ORR_ROLE_BUS);
            in_bits |= own.scale == ORR_UNIT_BITS && column->role != ORR_ROLE_TIME;
            if (column->role <= ORR_ROLE_BUS && own.scale == 1) {
                numbers[column->way][column->role - ORR_ROLE_TIME] = number;
                has[column->way][column->role - ORR_ROLE_TIME] = true;
            }
        }
    }
    if (!sized || !measured)
        return false;
    in_bits = in_bits && settle_unit(&row);
    raw.size = row.size;
    raw.count = row.count;
    b->any_order = true;
    struct orr_evidence *e = orr_tables_add(b, &row, raw.type, raw.op);
    if (!b->results->form)
        b->results->form = columns->separator == '|' ? "Markdown table"
                           : columns->separator == ' ' || columns->separator == ORR_WIDE_BLANKS
                               ? "table with named columns"
                               : "CSV";
    if (rounded)
        orr_tables_note(b, "Sizes such as 65K and 33M are read as the nearest power of two: 65K as 64 KiB");
    if (columns->unread)
        orr_tables_note(b, "%u further column%s with bandwidths %s not read", columns->unread,
                        orr_plural(columns->unread), columns->unread == 1 ? "is" : "are");
    if (columns->assumed)
        orr_tables_note(
            b, "The column in GB/s is read as bus bandwidth, because its name does not say which bandwidth it is");
    if (e)
        orr_tables_last(b)->in_bits = in_bits;
    if (e) {
        say_columns(b, &raw, &row, e);
        for (int way = 0; way < 2; way++)
            if (has[way][1] && has[way][2]) {
                if (!has[way][0])
                    numbers[way][0] = (struct orr_number){.missing = true};
                orr_evidence_add(e, row.size, &numbers[way][0], &numbers[way][1], &numbers[way][2]);
            }
    }
    return true;
}

bool orr_rows_take(struct orr_results_building *b, const char *line, size_t length, bool torn)
{
    struct orr_span tokens[TOKENS_MOST];
    uint32_t count = orr_tokens_cut(line, length, tokens, TOKENS_MOST);
    if (!count)
        return false;
    if (!b->columns.count || b->columns.own) {
        if (begin(b, tokens, count, torn))
            return true;
        return b->row.open && go_on(b, tokens, count, torn);
    }
    return take_cells(b, line, length) || begin(b, tokens, count, torn);
}
