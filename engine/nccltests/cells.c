/* SPDX-License-Identifier: Apache-2.0 */
/* Words, numbers, sizes and columns of one line. */
#include <math.h>
#include <string.h>

#include "engine/nccltests/reading.h"

static char lower(char c)
{
    return (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
}

bool orr_span_is(struct orr_span span, const char *word)
{
    size_t i = 0;
    for (; i < span.length && word[i]; i++)
        if (lower(span.at[i]) != word[i])
            return false;
    return i == span.length && !word[i];
}

const char *orr_span_find(struct orr_span span, const char *word)
{
    size_t length = strlen(word);
    for (size_t i = 0; i + length <= span.length; i++)
        if (lower(span.at[i]) == word[0] && orr_span_is((struct orr_span){span.at + i, length}, word))
            return span.at + i;
    return NULL;
}

bool orr_span_has_one(struct orr_span span, const char *const *words)
{
    while (*words && !orr_span_find(span, *words))
        words++;
    return *words != NULL;
}

bool orr_number_read(struct orr_span text, struct orr_number *ret_number)
{
    static const char *const missing[] = {"n/a", "na", "nan", "-nan", "inf", "-inf", "-"};
    enum { DIGITS_MOST = 40 };
    const char *at = text.at, *end = at + text.length;
    struct orr_number n = {.integer = true};
    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++)
        if (orr_span_is(text, missing[i])) {
            *ret_number = (struct orr_number){.missing = true, .value = -1};
            return true;
        }
    if (text.length > DIGITS_MOST)
        return false;
    if (at < end && *at == '-') {
        n.negative = true;
        at++;
    }
    const char *digits = at;
    for (; at < end && orr_is_digit(*at); at++) {
        n.value = n.value * 10 + (*at - '0');
        if (n.whole > (UINT64_MAX - (uint64_t)(*at - '0')) / 10)
            n.integer = false;
        else
            n.whole = n.whole * 10 + (uint64_t)(*at - '0');
    }
    if (at == digits)
        return false;
    if (at + 1 < end && *at == '.' && orr_is_digit(at[1])) {
        n.integer = false;
        for (at++; at < end && orr_is_digit(*at); at++, n.decimals++)
            n.value = n.value * 10 + (*at - '0');
    }
    int exponent = 0;
    if (at + 1 < end && (*at == 'e' || *at == 'E')) {
        bool down = at[1] == '-';
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        const char *first = at;
        for (; at < end && orr_is_digit(*at) && at - first < 3; at++)
            exponent = exponent * 10 + (*at - '0');
        if (at == first || exponent > 200)
            return false;
        n.integer = false;
        exponent = down ? -exponent : exponent;
    }
    /* This rounds only once, because the digits and the power of ten are whole numbers. */
    exponent -= n.decimals;
    n.value = exponent < 0 ? n.value / pow(10, -exponent) : n.value * pow(10, exponent);
    if (n.negative)
        n.value = -n.value;
    *ret_number = n;
    return at == end;
}

static bool separates(char c)
{
    return c == ' ' || c == '\t' || c == ',' || c == ';' || c == '|' || c == '"';
}

uint32_t orr_tokens_cut(const char *line, size_t length, struct orr_span *tokens, uint32_t most)
{
    uint32_t count = 0;
    for (size_t i = 0; i < length && count < most;) {
        while (i < length && separates(line[i]))
            i++;
        size_t start = i;
        while (i < length && !separates(line[i]))
            i++;
        if (i > start)
            tokens[count++] = (struct orr_span){line + start, i - start};
    }
    return count;
}

static bool around(char c)
{
    return c == ' ' || c == '\t' || c == '"' || c == '\'' || c == '*' || c == '`' || c == '#';
}

static struct orr_span trimmed(const char *at, const char *end)
{
    while (at < end && around(*at))
        at++;
    while (at < end && around(end[-1]))
        end--;
    return (struct orr_span){at, (size_t)(end - at)};
}

/* Cuts at two blanks or more. */
static uint32_t cut_wide(struct orr_span whole, struct orr_span *cells, uint32_t most)
{
    uint32_t count = 0;
    for (const char *at = whole.at, *end = at + whole.length; at < end && count < most;) {
        const char *stop = memmem(at, (size_t)(end - at), "  ", 2);
        cells[count++] = trimmed(at, stop ? stop : end);
        for (at = stop ? stop : end; at < end && *at == ' '; at++)
            ;
    }
    return count;
}

uint32_t orr_cells_cut(char separator, const char *line, size_t length, struct orr_span *cells, uint32_t most)
{
    struct orr_span whole = trimmed(line, line + length);
    if (separator == ' ')
        return orr_tokens_cut(whole.at, whole.length, cells, most);
    if (separator == ORR_WIDE_BLANKS)
        return cut_wide(whole, cells, most);
    if (separator == '|') { /* the outer bars are not cells */
        size_t first = whole.length && whole.at[0] == '|';
        whole.at += first;
        whole.length -= first;
        whole.length -= whole.length && whole.at[whole.length - 1] == '|';
    }
    uint32_t count = 0;
    const char *at = whole.at, *end = at + whole.length;
    while (count < most) {
        const char *stop = at < end ? memchr(at, separator, (size_t)(end - at)) : NULL;
        cells[count++] = trimmed(at, stop ? stop : end);
        if (!stop)
            break;
        at = stop + 1;
    }
    return count;
}

/* The first row whose word is in a column's name says what the column holds. */
static const struct {
    const char *word;
    uint8_t role;
} names[] = {
    {"busbw", ORR_ROLE_BUS},    {"bus_bw", ORR_ROLE_BUS},      {"bus bw", ORR_ROLE_BUS},   {"bus band", ORR_ROLE_BUS},
    {"bus_band", ORR_ROLE_BUS}, {"algbw", ORR_ROLE_ALG},       {"alg_bw", ORR_ROLE_ALG},   {"alg bw", ORR_ROLE_ALG},
    {"alg band", ORR_ROLE_ALG}, {"algorithm b", ORR_ROLE_ALG}, {"wrong", ORR_ROLE_WRONG},  {"error", ORR_ROLE_ERROR},
    {"cputime", ORR_ROLE_TIME}, {"time", ORR_ROLE_TIME},       {"latency", ORR_ROLE_TIME}, {"redop", ORR_ROLE_OP},
    {"root", ORR_ROLE_ROOT},    {"type", ORR_ROLE_TYPE},       {"count", ORR_ROLE_COUNT},  {"elements", ORR_ROLE_COUNT},
    {"size", ORR_ROLE_SIZE},    {"bytes", ORR_ROLE_SIZE},      {"payload", ORR_ROLE_SIZE}, {"duration", ORR_ROLE_TIME},
};

/* Units of a header cell, in microseconds, GB/s and bytes. */
static const struct {
    uint8_t role;
    const char *word;
    double scale;
} units[] = {{ORR_ROLE_TIME, "(ms", 1e3},     {ORR_ROLE_TIME, "(s)", 1e6},     {ORR_ROLE_TIME, "(sec", 1e6},
             {ORR_ROLE_BUS, "mb/s", 1e-3},    {ORR_ROLE_ALG, "mb/s", 1e-3},    {ORR_ROLE_SIZE, "(kb", 1024},
             {ORR_ROLE_SIZE, "(kib", 1024},   {ORR_ROLE_SIZE, "(mb", 1 << 20}, {ORR_ROLE_SIZE, "(mib", 1 << 20},
             {ORR_ROLE_SIZE, "(gb", 1 << 30}, {ORR_ROLE_SIZE, "(gib", 1 << 30}};

static double scale_of(struct orr_span cell, uint8_t role)
{
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (units[i].role == role && orr_span_find(cell, units[i].word))
            return units[i].scale;
    const bool rate = role == ORR_ROLE_BUS || role == ORR_ROLE_ALG;
    return rate && (memmem(cell.at, cell.length, "Gb/s", 4) || memmem(cell.at, cell.length, "Gbps", 4)) ? ORR_UNIT_BITS
                                                                                                        : 1;
}

static uint8_t role_of(struct orr_span cell, double *ret_scale)
{
    *ret_scale = 1;
    if (orr_span_find(cell, "stamp"))
        return ORR_ROLE_NONE;
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (!orr_span_find(cell, names[i].word))
            continue;
        *ret_scale = scale_of(cell, names[i].role);
        return names[i].role;
    }
    return orr_span_is(cell, "op") ? ORR_ROLE_OP : ORR_ROLE_NONE;
}

/* Says of each column whether it is in place: by its name, or because it is the second of its kind. */
static void read_ways(const struct orr_span *cells, struct orr_columns *columns)
{
    uint8_t used[ORR_ROLE_COUNT_OF] = {0};
    for (uint32_t i = 0; i < columns->count; i++) {
        struct orr_column *column = &columns->columns[i];
        column->role = role_of(cells[i], &column->scale);
        bool measured = column->role >= ORR_ROLE_TIME;
        bool out = orr_span_find(cells[i], "out") || orr_span_find(cells[i], "oop");
        bool in = !out && (orr_span_find(cells[i], "in-place") || orr_span_find(cells[i], "in_place") ||
                           orr_span_find(cells[i], "inplace") || orr_span_find(cells[i], "in place") ||
                           orr_span_find(cells[i], "ip_") || orr_span_find(cells[i], "(ip)"));
        uint8_t role = column->role == ORR_ROLE_ERROR ? ORR_ROLE_WRONG : column->role;
        column->way = (uint8_t)(measured && (in || (!out && used[role] & 1)));
        if (used[role] >> column->way & 1) { /* a third one */
            columns->unread += role == ORR_ROLE_ALG || role == ORR_ROLE_BUS;
            column->role = ORR_ROLE_NONE;
        }
        used[role] |= (uint8_t)(1 << column->way);
    }
}

static const struct orr_column *column_of(const struct orr_columns *columns, uint8_t role)
{
    for (uint32_t i = 0; i < columns->count; i++)
        if (columns->columns[i].role == role)
            return &columns->columns[i];
    return NULL;
}

/* nccl-tests' own: "size count type redop root time algbw busbw #wrong time ...". */
static bool read_own(const char *line, size_t length, struct orr_columns *columns)
{
    struct orr_span tokens[64];
    uint32_t count = orr_tokens_cut(line, length, tokens, 64), start = 0;
    while (start + 2 < count && !(orr_span_is(tokens[start], "size") && orr_span_is(tokens[start + 1], "count") &&
                                  orr_span_is(tokens[start + 2], "type")))
        start++;
    if (start + 2 >= count)
        return false;
    columns->count = count - start < ORR_COLUMNS_MOST ? count - start : ORR_COLUMNS_MOST;
    columns->own = true;
    columns->separator = ' ';
    read_ways(tokens + start, columns);
    while (columns->count && orr_span_find(tokens[start + columns->count - 1], "stamp"))
        columns->count--;
    for (columns->first = 3; columns->first < columns->count; columns->first++) {
        uint8_t role = columns->columns[columns->first].role;
        columns->has_root |= role == ORR_ROLE_ROOT;
        if (role != ORR_ROLE_OP && role != ORR_ROLE_ROOT)
            break;
    }
    return column_of(columns, ORR_ROLE_BUS) || column_of(columns, ORR_ROLE_ALG);
}

/* "ND A100 V4 (GB/s)": a bandwidth whose name does not say which one it is. */
static bool only_rate(struct orr_span cell)
{
    const char *at = memmem(cell.at, cell.length, "GB/s", 4);
    return at || memmem(cell.at, cell.length, "GBps", 4);
}

bool orr_columns_read(const char *line, size_t length, struct orr_columns *ret_columns)
{
    enum { NAMES_MOST = 1024 }; /* bytes of a line of names */
    static const char separators[] = {'|', '\t', ';', ',', ORR_WIDE_BLANKS, ' '};
    if (length > NAMES_MOST)
        return false;
    struct orr_columns columns = {0};
    if (read_own(line, length, &columns)) {
        *ret_columns = columns;
        return true;
    }
    struct orr_span whole = {line, length};
    if (!orr_span_find(whole, "size") && !orr_span_find(whole, "bytes") && !orr_span_find(whole, "payload"))
        return false;
    for (size_t i = 0; i < sizeof separators; i++) {
        struct orr_span cells[ORR_COLUMNS_MOST];
        columns = (struct orr_columns){.separator = separators[i]};
        columns.count = orr_cells_cut(separators[i], line, length, cells, ORR_COLUMNS_MOST);
        if (columns.count < 2 || (separators[i] == ORR_WIDE_BLANKS && !orr_span_find(whole, " (")))
            continue; /* "Size (Bytes)    Time (us)" */
        read_ways(cells, &columns);
        if (columns.columns[0].role != ORR_ROLE_SIZE && !column_of(&columns, ORR_ROLE_COUNT))
            continue;
        bool named = column_of(&columns, ORR_ROLE_BUS) || column_of(&columns, ORR_ROLE_ALG);
        for (uint32_t k = 1; !named && separators[i] != ' ' && k < columns.count; k++)
            if (columns.columns[k].role == ORR_ROLE_NONE && only_rate(cells[k])) {
                columns.unread += columns.assumed;
                columns.columns[k].role = columns.assumed ? ORR_ROLE_NONE : ORR_ROLE_BUS;
                columns.assumed = true;
            }
        named |= columns.assumed;
        for (uint32_t k = 0; k < columns.count && !column_of(&columns, ORR_ROLE_TIME); k++)
            if (columns.columns[k].scale == ORR_UNIT_BITS)
                columns.columns[k].scale = 1; /* many write Gbps for GB/s, and no time shows what is meant */
        if (named && column_of(&columns, ORR_ROLE_SIZE)) {
            *ret_columns = columns;
            return true;
        }
    }
    return false;
}

uint32_t orr_type_bytes(struct orr_span word)
{
    static const struct {
        const char *name;
        uint32_t bytes;
    } types[] = {
        {"float", 4},    {"half", 2},     {"bfloat16", 2}, {"double", 8},  {"int8", 1},    {"uint8", 1},  {"char", 1},
        {"int32", 4},    {"int", 4},      {"uint32", 4},   {"int64", 8},   {"uint64", 8},  {"f8e4m3", 1}, {"f8e5m2", 1},
        {"fp8_e4m3", 1}, {"fp8_e5m2", 1}, {"float16", 2},  {"float32", 4}, {"float64", 8},
    };
    for (size_t i = 0; i < sizeof types / sizeof types[0]; i++)
        if (orr_span_is(word, types[i].name))
            return types[i].bytes;
    return 0;
}

bool orr_op_is(struct orr_span word)
{
    static const char *const ops[] = {"sum", "none", "prod", "max", "min", "avg", "mulsum", "premulsum", "all"};
    for (size_t i = 0; i < sizeof ops / sizeof ops[0]; i++)
        if (orr_span_is(word, ops[i]))
            return true;
    return false;
}

bool orr_size_read(struct orr_span cell, double scale, uint64_t *ret_size, bool *ret_rounded)
{
    size_t digits = 0;
    while (digits < cell.length && (orr_is_digit(cell.at[digits]) || cell.at[digits] == '.'))
        digits++;
    struct orr_number number;
    *ret_rounded = false;
    if (!orr_number_read((struct orr_span){cell.at, digits}, &number) || number.missing)
        return false;
    struct orr_span unit = {cell.at + digits, cell.length - digits};
    while (unit.length && unit.at[0] == ' ')
        unit = (struct orr_span){unit.at + 1, unit.length - 1};
    if (!unit.length || orr_span_is(unit, "b") || orr_span_is(unit, "bytes")) {
        if (scale == 1 && number.integer) {
            *ret_size = number.whole;
            return true;
        }
        number.value *= scale;
        if (number.value >= 0x1p63)
            return false;
        *ret_size = (uint64_t)number.value;
        return true;
    }
    static const char *const letters = "kmgt";
    const char *letter = strchr(letters, lower(unit.at[0]));
    struct orr_span rest = {unit.at + 1, unit.length - 1};
    if (!letter || (rest.length && !orr_span_is(rest, "b") && !orr_span_is(rest, "ib")))
        return false;
    double power = (double)(letter - letters + 1), binary = number.value * pow(1024, power);
    double decimal = number.value * pow(1000, power);
    if (binary >= 0x1p63)
        return false;
    *ret_size = (uint64_t)binary;
    /* 65K and 33M stand for 65,536 and 33,554,432 bytes if K means a thousand bytes. */
    enum { CLOSE_PERCENT = 2 };
    double nearest = exp2(round(log2(decimal)));
    if (binary != exp2(round(log2(binary))) && fabs(decimal - nearest) * 100 <= nearest * CLOSE_PERCENT) {
        *ret_size = (uint64_t)nearest;
        *ret_rounded = true;
    }
    return true;
}
