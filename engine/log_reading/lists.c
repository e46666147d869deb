/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the lists at the end of some lines. Each reader reads the whole rest of the line, or returns false. */
#include <string.h>

#include "engine/log_reading/scan.h"

static void skip_blanks(const char **at, const char *end)
{
    while (*at < end && (**at == ' ' || **at == '\t'))
        ++*at;
}

static bool skip_text(const char **at, const char *end, const char *text)
{
    size_t length = strlen(text);
    if ((size_t)(end - *at) < length || memcmp(*at, text, length))
        return false;
    *at += length;
    return true;
}

static bool read_ints(const char *at, const char *end, struct orr_log_catch *found)
{
    for (skip_blanks(&at, end); at < end; skip_blanks(&at, end)) {
        double value;
        if (skip_text(&at, end, "...")) { /* NCCL cuts long rings like this, maybe inside a number */
            if (found->value_count)
                found->value_count--;
            return at == end;
        }
        if (!orr_log_scan_int(&at, end, &value))
            return false;
        if (at < end && *at == '.') /* the number before "..." may be incomplete */
            return (size_t)(end - at) == 3 && skip_text(&at, end, "...");
        if ((at < end && *at != ' ' && *at != '\t') || !orr_log_keep_value(found, value))
            return false;
    }
    return found->value_count > 0;
}

/* Node ids: TYPE/ID, at least one. */
static bool read_nodes(const char *at, const char *end, struct orr_log_catch *found)
{
    uint32_t before = found->word_count;
    for (skip_blanks(&at, end); at < end; skip_blanks(&at, end)) {
        const char *start = at, *slash = NULL;
        for (; at < end && *at != ' ' && *at != '\t'; at++)
            if (*at == '/' && !slash)
                slash = at;
        if (!slash || slash - start != 3 || slash + 1 == at || !orr_log_keep_word(found, start, (size_t)(at - start)))
            return false;
    }
    return found->word_count > before;
}

/* "TYPE/ID (hops/rate/type) ..."; NCCL's own buffer may have cut off the last one. */
static bool read_paths(const char *at, const char *end, struct orr_log_catch *found)
{
    uint32_t before = found->word_count;
    for (skip_blanks(&at, end); at < end; skip_blanks(&at, end)) {
        const char *node = at;
        uint32_t words = found->word_count, values = found->value_count;
        double hops, rate;
        while (at < end && *at != ' ' && *at != '(')
            at++;
        size_t length = (size_t)(at - node);
        bool whole = length > 4 && node[3] == '/' && skip_text(&at, end, " (") && orr_log_scan_int(&at, end, &hops) &&
                     skip_text(&at, end, "/") && orr_log_scan_number(&at, end, &rate) && skip_text(&at, end, "/");
        const char *type = at;
        while (whole && at < end && *at != ')')
            at++;
        whole = whole && at < end && at > type && at - type < 8;
        if (!whole) {
            found->word_count = words;
            found->value_count = values;
            return words > before;
        }
        if (!orr_log_keep_word(found, node, length) || !orr_log_keep_word(found, type, (size_t)(at - type)) ||
            !orr_log_keep_value(found, hops) || !orr_log_keep_value(found, rate))
            return false;
        at++;
    }
    return found->word_count > before;
}

/* "a/b/c->self->up", or "up->self->a/b/c" with `reversed`: values a, b, c, self, up. */
static bool read_tree(const char **at, const char *end, bool reversed, double ret_ends[5])
{
    enum { SELF = 3, UP = 4, DOWNS = 3 };
    bool read = true;
    if (reversed)
        read = orr_log_scan_int(at, end, &ret_ends[UP]) && skip_text(at, end, "->") &&
               orr_log_scan_int(at, end, &ret_ends[SELF]) && skip_text(at, end, "->");
    for (int i = 0; i < DOWNS && read; i++)
        read = (i == 0 || skip_text(at, end, "/")) && orr_log_scan_int(at, end, &ret_ends[i]);
    if (!reversed)
        read = read && skip_text(at, end, "->") && orr_log_scan_int(at, end, &ret_ends[SELF]) &&
               skip_text(at, end, "->") && orr_log_scan_int(at, end, &ret_ends[UP]);
    return read;
}

/* Seven values each: channel, 0 for the (first) tree and 1 for 2.7's second one, the three downs, self, up. NCCL cuts
 * the line at 1023 characters: an incomplete item at the end is left out. */
static bool read_trees(const char *at, const char *end, struct orr_log_catch *found)
{
    uint32_t before = found->value_count;
    for (skip_blanks(&at, end); at < end; skip_blanks(&at, end)) {
        double channel, ends[2][5];
        if (!skip_text(&at, end, "[") || !orr_log_scan_int(&at, end, &channel) || !skip_text(&at, end, "]"))
            break;
        skip_blanks(&at, end);
        int count = read_tree(&at, end, false, ends[0]);
        if (count && skip_text(&at, end, "|"))
            count += read_tree(&at, end, true, ends[1]);
        if (!count || (at == end && before != found->value_count && end[-1] == '-'))
            break;
        for (int t = 0; t < count; t++) {
            if (!orr_log_keep_value(found, channel) || !orr_log_keep_value(found, t))
                return false;
            for (int i = 0; i < 5; i++)
                if (!orr_log_keep_value(found, ends[t][i]))
                    return false;
        }
    }
    enum { EACH = 7 };
    found->value_count -= (found->value_count - before) % EACH;
    return found->value_count > before;
}

/* Cells between bars. */
static bool read_cells(const char *at, const char *end, struct orr_log_catch *found)
{
    uint32_t before = found->word_count;
    for (skip_blanks(&at, end); at < end; skip_blanks(&at, end)) {
        const char *start = at;
        while (at < end && *at != '|')
            at++;
        const char *last = at;
        while (last > start && last[-1] == ' ')
            last--;
        if (last > start && !orr_log_keep_word(found, start, (size_t)(last - start)))
            return false;
        at += at < end;
    }
    return found->word_count > before;
}

static bool read_pairs(const char *at, const char *end, struct orr_log_catch *found)
{
    uint32_t before = found->value_count;
    for (skip_blanks(&at, end); at < end; skip_blanks(&at, end)) {
        double first, second = -1;
        if (!orr_log_scan_number(&at, end, &first))
            return false;
        skip_blanks(&at, end);
        if (skip_text(&at, end, "/")) {
            skip_blanks(&at, end);
            if (!orr_log_scan_number(&at, end, &second))
                return false;
            skip_blanks(&at, end);
        }
        if ((at < end && !skip_text(&at, end, "|")) || !orr_log_keep_value(found, first) ||
            !orr_log_keep_value(found, second))
            return false;
    }
    return found->value_count > before;
}

bool orr_log_scan_list(enum orr_log_list list, const char *text, size_t length, struct orr_log_catch *found)
{
    const char *end = text + length;
    switch (list) {
    case ORR_LIST_INTS:
        return read_ints(text, end, found);
    case ORR_LIST_NODES:
        return read_nodes(text, end, found);
    case ORR_LIST_PATHS:
        return read_paths(text, end, found);
    case ORR_LIST_TREES:
        return read_trees(text, end, found);
    case ORR_LIST_CELLS:
        return read_cells(text, end, found);
    case ORR_LIST_PAIRS:
        return read_pairs(text, end, found);
    case ORR_LIST_REST:
    case ORR_LIST_NONE:
        break;
    }
    return false;
}
