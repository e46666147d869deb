/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/tuning/tuner.h"

#include <stdlib.h>
#include <string.h>

enum { FIELDS_LEAST = 8, FIELDS_MOST = 10, WORD_SIZE = 32 };

struct word {
    const char *name;
    int value;
};

static const struct word functions[] = {
    {"broadcast", ORR_BROADCAST},         {"reduce", ORR_REDUCE},       {"allgather", ORR_ALLGATHER},
    {"reducescatter", ORR_REDUCESCATTER}, {"allreduce", ORR_ALLREDUCE}, {NULL, 0},
};
static const struct word algorithms[] = {
    {"tree", ORR_ALGO_TREE},
    {"ring", ORR_ALGO_RING},
    {"collnet_direct", ORR_ALGO_COLLNET_DIRECT},
    {"collnet_chain", ORR_ALGO_COLLNET_CHAIN},
    {"nvls", ORR_ALGO_NVLS},
    {"nvls_tree", ORR_ALGO_NVLS_TREE},
    {"pat", ORR_ALGO_PAT},
    {NULL, 0},
};
static const struct word protocols[] = {{"ll", ORR_LL}, {"ll128", ORR_LL128}, {"simple", ORR_SIMPLE}, {NULL, 0}};

/* The fields of one row, without the blanks around them. */
struct fields {
    char text[FIELDS_MOST + 1][WORD_SIZE];
    uint32_t count; /* FIELDS_MOST + 1: too many */
};

static void split(const char *row, size_t length, struct fields *fields)
{
    size_t at = 0;
    fields->count = 0;
    while (at <= length && fields->count <= FIELDS_MOST) {
        size_t end = at;
        while (end < length && row[end] != ',')
            end++;
        size_t first = at, last = end;
        while (first < last && strchr(" \t\r", row[first]))
            first++;
        while (last > first && strchr(" \t\r", row[last - 1]))
            last--;
        size_t size = last - first < WORD_SIZE ? last - first : WORD_SIZE - 1;
        memcpy(fields->text[fields->count], row + first, size);
        fields->text[fields->count++][size] = 0;
        at = end + 1;
    }
}

static bool find_word(const struct word *words, const char *name, int *ret_value)
{
    for (; words->name; words++)
        if (!strcmp(words->name, name)) {
            *ret_value = words->value;
            return true;
        }
    return false;
}

static enum orr_code bad_row(uint32_t line, const char *what, const char *word, struct orr_error *err)
{
    return orr_fail_with(err, ORR_SETTING, "tuner",
                         "a row is collective,min_bytes,max_bytes,algorithm,protocol,channels,nodes,ranks, such as "
                         "allreduce,0,65536,tree,ll,-1,-1,-1",
                         "line %u of the tuner file names %s \"%.40s\", which the plugin does not know", line, what,
                         word);
}

static int32_t number(const struct fields *fields, uint32_t index)
{
    return index < fields->count ? (int32_t)strtol(fields->text[index], NULL, 10) : -1;
}

static enum orr_code read_row(const struct fields *fields, uint32_t line, struct orr_tuner_row *row,
                              struct orr_error *err)
{
    int function, algorithm, protocol;
    if (fields->count < FIELDS_LEAST || fields->count > FIELDS_MOST)
        return orr_fail_with(err, ORR_SETTING, "tuner", NULL,
                             "line %u of the tuner file has %u %s; a row needs %d to %d", line, fields->count,
                             fields->count == 1 ? "field" : "fields", (int)FIELDS_LEAST, (int)FIELDS_MOST);
    if (!find_word(functions, fields->text[0], &function))
        return bad_row(line, "the collective", fields->text[0], err);
    if (!find_word(algorithms, fields->text[3], &algorithm))
        return bad_row(line, "the algorithm", fields->text[3], err);
    if (!find_word(protocols, fields->text[4], &protocol))
        return bad_row(line, "the protocol", fields->text[4], err);
    *row = (struct orr_tuner_row){.line = line,
                                  .function = (enum orr_function)function,
                                  .least = strtoull(fields->text[1], NULL, 10),
                                  .most = strtoull(fields->text[2], NULL, 10),
                                  .algorithm = (enum orr_algorithm)algorithm,
                                  .protocol = (enum orr_protocol)protocol,
                                  .channels = number(fields, 5),
                                  .nodes = number(fields, 6),
                                  .ranks = number(fields, 7),
                                  .pipe_ops = number(fields, 8),
                                  .registered = number(fields, 9)};
    return ORR_OK;
}

enum orr_code orr_tuner_read(const char *text, size_t length, struct orr_arena *arena,
                             const struct orr_tuner **ret_tuner, struct orr_error *err)
{
    struct orr_tuner *tuner = ORR_NEW(arena, struct orr_tuner, 1);
    struct orr_tuner_row *rows = NULL;
    unsigned count = 0, capacity = 0;
    uint32_t line = 1;
    for (size_t at = 0; at < length;) {
        struct fields fields;
        size_t end = at;
        while (end < length && text[end] != '\n' && text[end] != ';')
            end++;
        bool blank = true;
        for (size_t i = at; i < end && blank; i++)
            blank = strchr(" \t\r", text[i]) && text[i];
        if (text[at] != '#' && !blank) {
            if (count == ORR_MOST_TUNER_ROWS)
                return orr_fail_at(err, ORR_LIMIT, line, 0, "the tuner file has more than %d rows",
                                   (int)ORR_MOST_TUNER_ROWS);
            ORR_NEED(ORR_RESERVE(arena, rows, count, capacity), err);
            split(text + at, end - at, &fields);
            ORR_TRY(read_row(&fields, line, &rows[count], err));
            count++;
        }
        line += end < length; /* a semicolon ends a line of a request */
        at = end + 1;
    }
    ORR_NEED(tuner, err);
    *tuner = (struct orr_tuner){.rows = rows, .count = count};
    *ret_tuner = tuner;
    return ORR_OK;
}

bool orr_tuner_matches(const struct orr_tuner_row *row, enum orr_function function, uint64_t bytes, uint32_t nodes,
                       uint32_t ranks)
{
#define ORR_IS(field, value) ((field) == -1 || (int64_t)(field) == (int64_t)(value))
    return row->function == function && bytes >= row->least && bytes <= row->most && ORR_IS(row->nodes, nodes) &&
           ORR_IS(row->ranks, ranks) && ORR_IS(row->pipe_ops, 1) && ORR_IS(row->registered, 0);
#undef ORR_IS
}
