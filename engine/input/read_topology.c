/* SPDX-License-Identifier: Apache-2.0 */
/* NCCL's own XML. One file of one system goes to orr_dump_read() as it is; with text around it, or several files behind
 * one another, its parts go there one by one, and places are counted in the whole. */
#include <stdio.h>
#include <string.h>

#include "engine/input/merge.h"
#include "engine/input/readers.h"
#include "engine/machines/machine_types.h"
#include "engine/topology/graph_file.h"

/* Systems in one text: where each starts, and in which line and column. */
struct piece {
    size_t start, end;
    uint32_t line, column;
};

static void move_places(struct orr_dump *dump, const struct piece *piece)
{
    for (uint32_t i = 0; i < dump->element_count; i++) {
        if (dump->elements[i].line == 1)
            dump->elements[i].column += piece->column - 1;
        dump->elements[i].line += piece->line - 1;
    }
    if (dump->ignored_line)
        dump->ignored_line += piece->line - 1;
    if (dump->refusal.line == 1)
        dump->refusal.column += piece->column - 1;
    if (dump->refusal.line)
        dump->refusal.line += piece->line - 1;
}

static enum orr_code read_piece(const struct orr_input *input, const struct piece *piece, struct orr_dump **ret_dump,
                                struct orr_error *err)
{
    struct orr_error own = {0};
    struct orr_dump *dump = NULL;
    enum orr_code code =
        orr_dump_read(input->bytes + piece->start, piece->end - piece->start, input->options.limits, &dump, &own);
    if (code != ORR_OK) {
        if (own.line == 1)
            own.column += piece->column - 1;
        if (own.line)
            own.line += piece->line - 1;
        if (err && err->code == ORR_OK)
            *err = own;
        return code;
    }
    move_places(dump, piece);
    *ret_dump = dump;
    return ORR_OK;
}

/* Finds up to `most` systems; an unclosed last one reaches to the end of the bytes. */
static uint32_t find_pieces(const struct orr_input *input, struct piece *pieces, uint32_t most)
{
    static const char close[] = "</system>";
    uint32_t count = 0, line = 1;
    size_t at = 0, line_start = 0, from = input->start;
    while (count < most && from < input->length) {
        size_t start = orr_bytes_find(input->bytes, input->length, from, "<system");
        if (start == input->length)
            break;
        size_t end = orr_bytes_find(input->bytes, input->length, start, close);
        end = end == input->length ? end : end + sizeof close - 1;
        for (; at < start; at++)
            if (input->bytes[at] == '\n') {
                line++;
                line_start = at + 1;
            }
        pieces[count++] =
            (struct piece){.start = start, .end = end, .line = line, .column = (uint32_t)(start - line_start) + 1};
        from = end;
    }
    return count;
}

/* Whether what precedes the XML is a person's, so that nobody gives it to NCCL: sentences, a fence or a prompt. */
static bool is_pasted(const struct orr_input *input)
{
    enum { SENTENCE = 8 }; /* words of a line */
    uint32_t words = 0;
    for (size_t i = 0; i < input->start; i++) {
        const char c = input->bytes[i];
        words = c == '\n' ? 0 : words + (c == ' ' && i && input->bytes[i - 1] != ' ');
        if (words >= SENTENCE)
            return true;
    }
    return orr_bytes_find(input->bytes, input->start, 0, "```") < input->start ||
           orr_bytes_find(input->bytes, input->start, 0, "$ ") < input->start;
}

/* Notes about plain NCCL XML: counts, what a file without ranks lacks, and what a person's text around it says. */
static enum orr_code take_notes(const struct orr_input *input, const struct orr_input_kind *kind, struct orr_dump *dump,
                                struct orr_error *err)
{
    struct orr_draft draft = {.doc.arena = dump->arena};
    orr_note_dump(&draft, dump);
    if (input->text_around && is_pasted(input))
        ORR_TRY(orr_paste_read(&draft, input, err));
    dump->notes = orr_draft_notes(&draft, kind);
    return dump->notes ? ORR_OK : orr_fail_nomem(err);
}

static enum orr_code with_type(const struct orr_input *input, const struct orr_input_kind *kind, struct orr_dump *dump,
                               struct orr_dump **ret_dump, struct orr_error *err)
{
    struct orr_draft draft;
    orr_draft_take(&draft, input, dump);
    draft.notes.machine_type = input->options.assumed->name;
    orr_note_dump(&draft, dump);
    return orr_draft_finish(&draft, input, kind, ret_dump, err);
}

static enum orr_code finish(const struct orr_input *input, const struct orr_input_kind *kind, struct orr_dump *dump,
                            struct orr_dump **ret_dump, struct orr_error *err)
{
    dump->byte_count = input->length;
    if (input->options.assumed)
        return with_type(input, kind, dump, ret_dump, err);
    const enum orr_code code = dump->notes ? ORR_OK : take_notes(input, kind, dump, err);
    if (code != ORR_OK) {
        orr_dump_free(dump);
        return code;
    }
    *ret_dump = dump;
    return ORR_OK;
}

enum orr_code orr_input_take(struct orr_dump *dump, const struct orr_input_options *options, struct orr_dump **ret_dump,
                             struct orr_error *err)
{
    const struct orr_input input = {.bytes = "", .options = *options};
    size_t row = 0;
    while (orr_input_kind(row)->read != orr_read_topology)
        row++;
    return finish(&input, orr_input_kind(row), dump, ret_dump, err);
}

/* Several systems in one text: copies, the ranks of one host each with a dump of its own, or several hosts. */
static enum orr_code read_pieces(const struct orr_input *input, const struct orr_input_kind *kind,
                                 const struct piece *pieces, uint32_t count, struct orr_dump **ret_dump,
                                 struct orr_error *err)
{
    struct orr_dump *dumps[ORR_MOST_PIECES] = {NULL};
    enum orr_code code = ORR_OK;
    for (uint32_t i = 0; i < count && code == ORR_OK; i++)
        code = read_piece(input, &pieces[i], &dumps[i], err);
    if (code == ORR_OK)
        code = orr_merge(input, kind, dumps, count, ret_dump, err);
    else
        orr_dump_free(dumps[0]);
    for (uint32_t i = 1; i < count; i++)
        orr_dump_free(dumps[i]);
    return code;
}

/* A graph file in the same text becomes the dump's: the job then takes its graphs from there (NCCL_GRAPH_FILE). */
static enum orr_code attach_graphs(const struct orr_input *input, struct orr_dump *dump, struct orr_error *err)
{
    size_t start = orr_bytes_find(input->bytes, input->length, input->start, "<graphs");
    uint32_t line = 1;
    if (start == input->length)
        return ORR_OK;
    for (size_t at = 0; at < start; at++)
        line += input->bytes[at] == '\n';
    return orr_graph_file_read(input->bytes + start, input->length - start, line, dump->arena, &dump->graphs, err);
}

static enum orr_code read_systems(const struct orr_input *input, const struct orr_input_kind *kind,
                                  struct orr_dump **ret_dump, struct orr_error *err)
{
    struct piece pieces[ORR_MOST_PIECES];
    struct orr_dump *dump = NULL;
    uint32_t count = find_pieces(input, pieces, ORR_MOST_PIECES);
    if (count > 1)
        return read_pieces(input, kind, pieces, count, ret_dump, err);
    bool graphs = orr_bytes_find(input->bytes, input->length, input->start, "<graphs") < input->length;
    if ((!input->text_around && !graphs) || !count) {
        ORR_TRY(orr_dump_read(input->bytes, input->length, input->options.limits, &dump, err));
        return finish(input, kind, dump, ret_dump, err);
    }
    ORR_TRY(read_piece(input, &pieces[0], &dump, err));
    if (input->text_around && !is_pasted(input)) {
        dump->refusal = (struct orr_refusal){.line = 1, .column = 1};
        snprintf(dump->refusal.text, sizeof dump->refusal.text, "there is text before <system>");
    }
    return finish(input, kind, dump, ret_dump, err);
}

enum orr_code orr_read_topology(const struct orr_input *input, const struct orr_input_kind *kind,
                                struct orr_dump **ret_dump, struct orr_error *err)
{
    ORR_TRY(read_systems(input, kind, ret_dump, err));
    enum orr_code code = attach_graphs(input, *ret_dump, err);
    if (code != ORR_OK) {
        orr_dump_free(*ret_dump);
        *ret_dump = NULL;
    }
    return code;
}
