/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the table as words (matrix_words.h), not as lines or columns, so that wrapped lines do not matter.
 *
 *     [GPU0 GPU1 NIC0 CPU Affinity NUMA Affinity]   the header: names until one is at the start of a line again
 *     [GPU0] [X PIX NODE] [0-31 0]                  a row: its name, a cell for each name, what else the line holds
 */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "engine/input/matrix.h"
#include "engine/input/matrix_words.h"

/* A cell of the table: capitals, perhaps with a number (NV12), or N/A. */
static bool is_cell(const struct orr_word *word)
{
    size_t i = 0;
    if (orr_word_is(word, "N/A"))
        return true;
    while (i < word->length && isupper((unsigned char)word->text[i]))
        i++;
    size_t letters = i;
    while (i < word->length && isdigit((unsigned char)word->text[i]))
        i++;
    return letters && letters <= 4 && i == word->length && i - letters <= 2;
}

static enum orr_relation relation_of(const struct orr_word *word, uint8_t *nvlinks)
{
    static const struct {
        const char *text;
        enum orr_relation relation;
    } names[] = {{"X", ORR_REL_SELF},    {"PIX", ORR_REL_PIX}, {"PXB", ORR_REL_PXB}, {"PHB", ORR_REL_PHB},
                 {"NODE", ORR_REL_NODE}, {"SYS", ORR_REL_SYS}, {"SOC", ORR_REL_SYS}};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (orr_word_is(word, names[i].text))
            return names[i].relation;
    int count = orr_word_numbered(word, "NV");
    if (count > 0) {
        *nvlinks = (uint8_t)count;
        return ORR_REL_NVLINK;
    }
    return ORR_REL_OTHER;
}

/* Lines that may be tried as headers after a prefix, and lines in which the first row must follow there. */
enum { MOST_PREFIXES = 16, MOST_LINES_BETWEEN = 1024 };

/* Whether there is a header, by a name of a GPU at the start of a line with more after it, and the first cell of a
 * row. */
static bool has_table(struct orr_words words, uint32_t most_lines)
{
    struct orr_word word;
    uint32_t start = words.line;
    bool header = false, label = false, affinity = false;
    while (orr_words_next(&words, &word) && word.line - start < most_lines) {
        if (label && header && is_cell(&word) && orr_word_numbered(&word, "GPU") < 0 &&
            orr_word_numbered(&word, "NIC") < 0)
            return true;
        header |= label && !orr_word_is(&word, "X");
        affinity |= header && orr_word_is(&word, "Affinity");
        label = word.first && orr_word_numbered(&word, "GPU") >= 0;
    }
    return affinity; /* a header alone, for which the reader's error says what is missing */
}

/* The words of the first table, after the prefix of each of its lines. */
static bool find_table(const char *bytes, size_t length, struct orr_words *ret_words)
{
    struct orr_words scan = orr_words_start(bytes, length);
    *ret_words = scan;
    if (has_table(scan, UINT32_MAX))
        return true;
    for (unsigned n = 0; n < MOST_PREFIXES && orr_words_behind_prefix(&scan, ret_words); n++)
        if (has_table(*ret_words, MOST_LINES_BETWEEN))
            return true;
    return false;
}

bool orr_matrix_found(const char *bytes, size_t length)
{
    struct orr_words words;
    return find_table(bytes, length, &words);
}

/* The words after the cells of a row. */
enum tail { TAIL_CPUS, TAIL_NUMA, TAIL_GPU_NUMA, TAIL_MOST };

struct table {
    struct orr_words words;
    struct orr_word word; /* the next one */
    bool more;
    struct orr_matrix *matrix;
    struct orr_arena *arena;
    struct orr_error *err;
    enum tail tail[TAIL_MOST]; /* in the order of the header */
    unsigned tail_count;
};

static void advance(struct table *table)
{
    table->more = orr_words_next(&table->words, &table->word);
}

static int find_device(const struct orr_matrix *matrix, const struct orr_word *word, size_t length)
{
    for (uint32_t i = 0; i < matrix->count; i++)
        if (strlen(matrix->devices[i].name) == length && !memcmp(matrix->devices[i].name, word->text, length))
            return (int)i;
    return -1;
}

static enum orr_code add_device(struct table *table)
{
    struct orr_matrix *matrix = table->matrix;
    if (matrix->count == ORR_MATRIX_MOST)
        return orr_fail_at(table->err, ORR_LIMIT, table->word.line, table->word.column,
                           "the table has more than %d columns", (int)ORR_MATRIX_MOST);
    int gpu = orr_word_numbered(&table->word, "GPU"), nic = orr_word_numbered(&table->word, "NIC");
    struct orr_matrix_device *device = &matrix->devices[matrix->count];
    const char *name = orr_arena_strndup(table->arena, table->word.text, table->word.length);
    ORR_NEED(name, table->err);
    *device = (struct orr_matrix_device){.name = name,
                                         .is_gpu = gpu >= 0,
                                         .number = gpu >= 0   ? (uint32_t)gpu
                                                   : nic >= 0 ? (uint32_t)nic
                                                              : matrix->count - matrix->gpu_count,
                                         .line = table->word.line,
                                         .column = table->word.column};
    matrix->count++;
    matrix->gpu_count += device->is_gpu;
    return ORR_OK;
}

/* A word of "CPU Affinity", "NUMA Affinity" or "GPU NUMA ID"; false if it is a device. */
static bool read_tail_name(struct table *table, const struct orr_word *before)
{
    const struct orr_word *word = &table->word;
    bool of_gpu = before->length && orr_word_is(before, "GPU"), cpu = orr_word_is(word, "CPU");
    if (orr_word_is(word, "GPU") || orr_word_is(word, "Affinity") || orr_word_is(word, "ID"))
        return true;
    if (!cpu && !orr_word_is(word, "NUMA"))
        return false;
    if (table->tail_count < TAIL_MOST)
        table->tail[table->tail_count++] = cpu ? TAIL_CPUS : of_gpu ? TAIL_GPU_NUMA : TAIL_NUMA;
    return true;
}

static bool at_row(const struct table *table)
{
    return table->more && table->word.first && find_device(table->matrix, &table->word, table->word.length) >= 0;
}

/* Finds the header and reads its names; the next word is then the name of the first row. */
static enum orr_code read_header(struct table *table)
{
    enum { MOST_TRIES = 64 };
    struct orr_matrix *matrix = table->matrix;
    unsigned tries = 0;
    for (advance(table); table->more && tries < MOST_TRIES; advance(table)) {
        if (!table->word.first || orr_word_numbered(&table->word, "GPU") < 0)
            continue;
        tries++;
        matrix->count = matrix->gpu_count = table->tail_count = 0;
        for (struct orr_word before = {0}; table->more && !at_row(table); advance(table)) {
            if (!read_tail_name(table, &before)) {
                if (table->tail_count) /* a word after the last columns: this line is not a header */
                    break;
                ORR_TRY(add_device(table));
            }
            before = table->word;
        }
        if (at_row(table))
            return ORR_OK;
    }
    return orr_fail_with(table->err, ORR_UNRECOGNISED, NULL,
                         "copy the whole output of nvidia-smi topo -m, from the names of the columns to its legend",
                         "no table of nvidia-smi topo -m with a row for each GPU");
}

/* The words after the cells are those of the last columns, in their order. */
static enum orr_code read_tail(struct table *table, struct orr_matrix_device *device)
{
    for (unsigned place = 0; table->more && !table->word.first; advance(table), place++) {
        const char *text = orr_arena_strndup(table->arena, table->word.text, table->word.length);
        ORR_NEED(text, table->err);
        if (place < table->tail_count && table->tail[place] == TAIL_CPUS)
            device->cpus = text;
        else if (place < table->tail_count && table->tail[place] == TAIL_NUMA)
            device->numa = text;
    }
    return ORR_OK;
}

static enum orr_code read_row(struct table *table, uint32_t row)
{
    struct orr_matrix *matrix = table->matrix;
    struct orr_matrix_device *device = &matrix->devices[row];
    device->has_row = true;
    device->line = table->word.line;
    device->column = table->word.column;
    advance(table);
    for (uint32_t column = 0; column < matrix->count; column++) {
        size_t at = (size_t)row * matrix->count + column;
        if (!table->more || !is_cell(&table->word) ||
            (table->word.first && find_device(matrix, &table->word, table->word.length) >= 0)) {
            if (!device->is_gpu && column + 1 >= matrix->count)
                break; /* some lists of NICs end before the NIC itself */
            orr_fail_at(table->err, ORR_INVALID, device->line, device->column,
                        "the row of %.40s has %u cells, but the header names %u devices", device->name, column,
                        matrix->count);
            orr_error_advice(table->err, "copy the whole output of nvidia-smi topo -m again, to its legend");
            return ORR_INVALID;
        }
        enum orr_relation relation = relation_of(&table->word, &matrix->nvlinks[at]);
        matrix->relations[at] = (uint8_t)relation;
        matrix->tells_places |= relation >= ORR_REL_PIX && relation <= ORR_REL_SYS;
        advance(table);
    }
    return read_tail(table, device);
}

/* "NIC0: mlx5_0" of the legend. */
static enum orr_code read_legend(struct table *table)
{
    int nic = table->word.first && table->word.length > 1 && table->word.text[table->word.length - 1] == ':'
                  ? find_device(table->matrix, &table->word, table->word.length - 1)
                  : -1;
    bool device = at_row(table); /* its row was read already, or this is the header of another table */
    advance(table);
    table->matrix->has_more |= device && table->more && !table->word.first && is_cell(&table->word);
    if (nic < 0 || !table->more || table->word.first || table->matrix->devices[nic].real_name)
        return ORR_OK;
    const char *name = orr_arena_strndup(table->arena, table->word.text, table->word.length);
    ORR_NEED(name, table->err);
    table->matrix->devices[nic].real_name = name;
    advance(table);
    return ORR_OK;
}

/* Fills cells of missing rows from their mirror images; if the two differ, the nearer relation wins. */
static void mirror(struct orr_matrix *matrix)
{
    for (uint32_t a = 0; a < matrix->count; a++)
        for (uint32_t b = 0; b < a; b++) {
            size_t ab = (size_t)a * matrix->count + b, ba = (size_t)b * matrix->count + a;
            uint8_t *one = &matrix->relations[ab], *other = &matrix->relations[ba];
            if (*one && *other && (*one != *other || matrix->nvlinks[ab] != matrix->nvlinks[ba]))
                matrix->contradictions++;
            bool first = *one && (!*other || *one < *other);
            *one = *other = first ? *one : *other;
            uint8_t most = matrix->nvlinks[ab] > matrix->nvlinks[ba] ? matrix->nvlinks[ab] : matrix->nvlinks[ba];
            matrix->nvlinks[ab] = matrix->nvlinks[ba] = most;
        }
}

enum orr_code orr_matrix_read(const char *bytes, size_t length, struct orr_arena *arena, struct orr_matrix *ret_matrix,
                              struct orr_error *err)
{
    struct orr_matrix matrix = {.devices = ORR_NEW(arena, struct orr_matrix_device, ORR_MATRIX_MOST)};
    struct table table = {.matrix = &matrix, .arena = arena, .err = err};
    ORR_NEED(matrix.devices, err);
    find_table(bytes, length, &table.words);
    ORR_TRY(read_header(&table));
    size_t cells = (size_t)matrix.count * matrix.count;
    matrix.relations = ORR_NEW(arena, uint8_t, cells);
    matrix.nvlinks = ORR_NEW(arena, uint8_t, cells);
    ORR_NEED(matrix.relations && matrix.nvlinks, err);
    enum { MOST_LINES_BEHIND = 4096 }; /* in which a legend may be */
    for (uint32_t rows = 0, behind = 0; table.more && behind < MOST_LINES_BEHIND; behind += rows >= matrix.gpu_count) {
        int row = table.word.first ? find_device(&matrix, &table.word, table.word.length) : -1;
        if (row >= 0 && !matrix.devices[row].has_row) {
            ORR_TRY(read_row(&table, (uint32_t)row));
            rows++;
        } else {
            ORR_TRY(read_legend(&table));
        }
    }
    for (uint32_t i = 0; i < matrix.count; i++)
        if (matrix.devices[i].is_gpu && !matrix.devices[i].has_row) {
            orr_fail_at(err, ORR_INVALID, matrix.devices[i].line, matrix.devices[i].column,
                        "%.40s has a column but no row", matrix.devices[i].name);
            orr_error_advice(err, "copy the whole output of nvidia-smi topo -m again, to its legend");
            return ORR_INVALID;
        }
    ORR_TRY(orr_matrix_read_names(&matrix, bytes, length, arena, err));
    ORR_TRY(orr_beside_read(bytes, length, arena, &matrix.beside, err));
    mirror(&matrix);
    *ret_matrix = matrix;
    return ORR_OK;
}
