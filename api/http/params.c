/* SPDX-License-Identifier: Apache-2.0 */
#include "api/http/params.h"

#include <string.h>

#include "engine/base/hex.h"

enum orr_code orr_decode(const char *text, size_t length, bool plus_is_blank, struct orr_arena *arena,
                         const char **ret_text, struct orr_error *err)
{
    char *copy = orr_arena_alloc(arena, length + 1, 1), *to = copy;
    ORR_NEED(copy, err);
    for (size_t i = 0; i < length; i++) {
        if (text[i] == '%') {
            int high = i + 2 < length ? orr_hex_digit(text[i + 1]) : -1;
            int low = i + 2 < length ? orr_hex_digit(text[i + 2]) : -1;
            if (high < 0 || low < 0 || high * 16 + low == 0)
                return orr_fail(err, ORR_SETTING, "\"%.60s\" has a %% without two hexadecimal digits after it", text);
            *to++ = (char)(high * 16 + low);
            i += 2;
        } else {
            *to++ = plus_is_blank && text[i] == '+' ? ' ' : text[i];
        }
    }
    *to = 0;
    *ret_text = copy;
    return ORR_OK;
}

enum { MAX_PAIRS = 128 };

struct pair {
    const char *name, *value;
};

/* Edit distance of short names, to guess the name that was probably meant. */
static unsigned distance(const char *a, const char *b)
{
    enum { LONGEST = 48 };
    unsigned char line[LONGEST + 1];
    size_t la = strlen(a), lb = strlen(b);
    if (la > LONGEST || lb > LONGEST)
        return LONGEST;
    for (size_t j = 0; j <= lb; j++)
        line[j] = (unsigned char)j;
    for (size_t i = 1; i <= la; i++) {
        unsigned diagonal = line[0];
        line[0] = (unsigned char)i;
        for (size_t j = 1; j <= lb; j++) {
            unsigned above = line[j], least = diagonal + (a[i - 1] != b[j - 1]);
            least = least < above + 1u ? least : above + 1u;
            least = least < line[j - 1] + 1u ? least : line[j - 1] + 1u;
            line[j] = (unsigned char)least;
            diagonal = above;
        }
    }
    return line[lb];
}

static enum orr_code unknown_parameter(const char *name, orr_topics accepted, struct orr_error *err)
{
    ORR_LOCAL_TEXT(known, 120);
    const char *nearest = NULL;
    unsigned best = 4;
    for (const struct orr_question_row *row = orr_questions; row < orr_questions + ORR_QUESTION_ROWS; row++) {
        if (!orr_question_in(row, accepted))
            continue;
        orr_text_printf(&known, "%s%s", known.length ? ", " : "", row->name);
        if (distance(name, row->name) < best) {
            best = distance(name, row->name);
            nearest = row->name;
        }
    }
    orr_fail(err, ORR_SETTING, "there is no parameter \"%.60s\" here", name);
    orr_error_where(err, "%.90s", name);
    if (nearest)
        orr_error_advice(err, "did you mean %s? parameters here: %s", nearest, known.data);
    else
        orr_error_advice(err, "parameters here: %s", known.length && known.data ? known.data : "none");
    return ORR_SETTING;
}

static enum orr_code split(const char *query, struct orr_arena *arena, struct pair *pairs, size_t *ret_count,
                           struct orr_error *err)
{
    size_t count = 0;
    while (query && *query) {
        size_t length = strcspn(query, "&");
        const char *equals = memchr(query, '=', length);
        size_t name = equals ? (size_t)(equals - query) : length;
        if (length) {
            if (count == MAX_PAIRS)
                return orr_fail(err, ORR_SETTING, "more than %d query parameters", (int)MAX_PAIRS);
            ORR_TRY(orr_decode(query, name, true, arena, &pairs[count].name, err));
            ORR_TRY(orr_decode(equals ? equals + 1 : "", equals ? length - name - 1 : 0, true, arena,
                               &pairs[count].value, err));
            count++;
        }
        query += length + (query[length] == '&');
    }
    *ret_count = count;
    return ORR_OK;
}

/* Every setting of NCCL is a parameter of the row SETTINGS. */
static const struct orr_question_row *find_row(const char *name, orr_topics accepted)
{
    const char *row = !strncmp(name, "NCCL_", 5) ? "NCCL_*" : name;
    return orr_question_find(accepted, row, strlen(row));
}

static enum orr_code read_pair(const struct pair *pair, orr_topics accepted, struct orr_params *params,
                               enum orr_problem *ret_problem, struct orr_error *err)
{
    const struct orr_question_row *row = find_row(pair->name, accepted);
    *ret_problem = ORR_PROBLEM_PARAMETER;
    if (!row)
        return unknown_parameter(pair->name, accepted, err);
    if (orr_given(params, row->ask) && !orr_question_repeats(row))
        return orr_fail(err, ORR_SETTING, "the parameter %s is given twice", pair->name);
    if (row->ask == ORR_ASK_SETTINGS || row->ask == ORR_ASK_HOSTS)
        *ret_problem = ORR_PROBLEM_NONE;
    return orr_params_set(params, row, pair->name, pair->value, err);
}

enum orr_code orr_params_read(const char *query, orr_topics accepted, struct orr_arena *arena,
                              struct orr_params *params, enum orr_problem *ret_problem, struct orr_error *err)
{
    struct pair pairs[MAX_PAIRS];
    size_t count = 0;
    const char *release = NULL;
    bool nearest = false;
    *ret_problem = ORR_PROBLEM_TARGET;
    ORR_TRY(split(query, arena, pairs, &count, err));
    const bool has_release = orr_topics_have(accepted, ORR_ASK_RELEASE);
    for (size_t i = 0; i < count && has_release && !release; i++)
        if (!strcmp(pairs[i].name, "release"))
            release = pairs[i].value;
    for (size_t i = 0; i < count; i++)
        nearest = nearest || (!strcmp(pairs[i].name, "nearest") && !strcmp(pairs[i].value, "1"));
    *ret_problem = ORR_PROBLEM_NONE;
    ORR_TRY(orr_params_init(params, accepted, release, nearest, err));
    for (size_t i = 0; i < count; i++)
        ORR_TRY(read_pair(&pairs[i], accepted, params, ret_problem, err));
    *ret_problem = ORR_PROBLEM_NONE;
    return ORR_OK;
}
