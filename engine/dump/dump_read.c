/* SPDX-License-Identifier: Apache-2.0 */
/* Reads topology XML into struct orr_dump with libxml2's SAX interface. It builds no tree and fetches nothing. Only
 * XML's own five entities exist, because a DOCTYPE is refused before it is read. */
#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "engine/base/arena.h"
#include "engine/base/budget.h"
#include "engine/base/bytes.h"
#include "engine/dump/dump.h"
#include "engine/dump/xml.h"

const struct orr_dump_limits orr_dump_default_limits = {
    .bytes = 16u << 20,
    .depth = 64,
    .elements = 65536,
    .attributes = 64,
};

enum { HIGHEST_DEPTH = 200 }; /* libxml2's own ceiling is 256 */

struct reader {
    struct orr_dump *dump;
    struct orr_arena *arena;
    const struct orr_dump_limits *limits;
    xmlParserCtxtPtr parser;
    struct orr_error *err;
    enum orr_code code;
    unsigned element_capacity, attribute_capacity;
    uint32_t seen; /* elements, known or not */
    uint32_t depth;
    uint32_t open[HIGHEST_DEPTH];       /* element index, or ORR_NO_ELEMENT if it is ignored */
    uint32_t last_child[HIGHEST_DEPTH]; /* of the open element at that depth */
    uint32_t open_line[HIGHEST_DEPTH];
    char open_name[32]; /* of the innermost open element */
    char root_name[32];
    size_t tag_offset; /* start of the last tag: offset in the file, and column (0 if there was no tag) */
    uint32_t tag_column;
};

static void stop(struct reader *reader, enum orr_code code)
{
    if (reader->code == ORR_OK)
        reader->code = code;
    xmlStopParser(reader->parser);
}

/* The place where the tag that is being read starts: the parser has already read its attributes. If the tag before
 * it is on the same line, its column is counted from there: a file may be one long line. */
static void tag_place(struct reader *reader, uint32_t *ret_line, uint32_t *ret_column)
{
    const xmlParserInput *input = reader->parser->input;
    const xmlChar *start = input->cur;
    uint32_t line = input->line > 0 ? (uint32_t)input->line : 1;
    while (start > input->base && *start != '<') {
        start--;
        if (*start == '\n' && line > 1)
            line--;
    }
    size_t offset = input->consumed + (size_t)(start - input->base);
    size_t back = 0, most = (size_t)(start - input->base);
    if (reader->tag_column && offset >= reader->tag_offset && offset - reader->tag_offset < most)
        most = offset - reader->tag_offset;
    while (back < most && start[-1 - (ptrdiff_t)back] != '\n')
        back++;
    bool same_line = reader->tag_column && offset - back == reader->tag_offset;
    reader->tag_column = (uint32_t)back + (same_line ? reader->tag_column : 1);
    reader->tag_offset = offset;
    *ret_line = line;
    *ret_column = reader->tag_column;
}

static int find_kind(const char *name)
{
    for (int kind = 0; kind < ORR_ELEMENT_COUNT; kind++)
        if (!strcmp(name, orr_element_name((enum orr_element_kind)kind)))
            return kind;
    return -1;
}

static bool is_known_here(const struct reader *reader, int kind)
{
    if (kind < 0)
        return false;
    if (reader->depth == 0)
        return kind == ORR_ELEMENT_SYSTEM;
    uint32_t parent = reader->open[reader->depth - 1];
    return parent != ORR_NO_ELEMENT &&
           orr_element_fits(reader->dump->elements[parent].kind, (enum orr_element_kind)kind);
}

static bool add_attributes(struct reader *reader, struct orr_element *element, int count, const xmlChar **attributes)
{
    struct orr_dump *dump = reader->dump;
    element->first_attribute = dump->attribute_count;
    for (int i = 0; i < count; i++, attributes += 5) {
        if (!ORR_RESERVE(reader->arena, dump->attributes, dump->attribute_count, reader->attribute_capacity))
            return false;
        const char *name = (const char *)attributes[0];
        const char *value = (const char *)attributes[3];
        struct orr_attribute *attribute = &dump->attributes[dump->attribute_count];
        attribute->id = orr_attr_find(name);
        attribute->origin = ORR_VALUE_GIVEN;
        attribute->name = attribute->id < ORR_ATTR_OTHER ? orr_attr_name(attribute->id)
                                                         : orr_arena_strndup(reader->arena, name, strlen(name));
        attribute->value = orr_arena_strndup(reader->arena, value, (size_t)((const char *)attributes[4] - value));
        if (!attribute->name || !attribute->value)
            return false;
        dump->attribute_count++;
    }
    element->attribute_count = (uint32_t)count;
    return true;
}

/* Adds a known element below the open one; returns its index, or ORR_NO_ELEMENT if memory ran out. */
static uint32_t add_element(struct reader *reader, enum orr_element_kind kind, int attribute_count,
                            const xmlChar **attributes)
{
    struct orr_dump *dump = reader->dump;
    if (!ORR_RESERVE(reader->arena, dump->elements, dump->element_count, reader->element_capacity))
        return ORR_NO_ELEMENT;
    uint32_t index = dump->element_count;
    struct orr_element *element = &dump->elements[index];
    *element = (struct orr_element){.kind = kind, .first_child = ORR_NO_ELEMENT, .next_sibling = ORR_NO_ELEMENT};
    tag_place(reader, &element->line, &element->column);
    element->parent = reader->depth ? reader->open[reader->depth - 1] : ORR_NO_ELEMENT;
    if (!add_attributes(reader, element, attribute_count, attributes))
        return ORR_NO_ELEMENT;
    dump->element_count++;
    if (element->parent != ORR_NO_ELEMENT) {
        uint32_t *last = &reader->last_child[reader->depth - 1];
        if (*last == ORR_NO_ELEMENT)
            dump->elements[element->parent].first_child = index;
        else
            dump->elements[*last].next_sibling = index;
        *last = index;
    }
    return index;
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
                     const xmlChar **namespaces, int attribute_count, int defaulted, const xmlChar **attributes)
{
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    uint32_t line, column;
    if (reader->code != ORR_OK)
        return;
    if (orr_budget_spent(4)) {
        stop(reader, orr_budget_check(reader->err));
        return;
    }
    tag_place(reader, &line, &column);
    if (++reader->seen > reader->limits->elements || reader->depth >= reader->limits->depth ||
        reader->depth >= HIGHEST_DEPTH || (uint32_t)attribute_count > reader->limits->attributes) {
        if (reader->seen > reader->limits->elements)
            orr_fail_at(reader->err, ORR_LIMIT, line, column, "more than %u elements", reader->limits->elements);
        else if ((uint32_t)attribute_count > reader->limits->attributes)
            orr_fail_at(reader->err, ORR_LIMIT, line, column, "<%.40s> has %d attributes, more than %u",
                        (const char *)name, attribute_count, reader->limits->attributes);
        else
            orr_fail_at(reader->err, ORR_LIMIT, line, column, "elements nested deeper than %u", reader->limits->depth);
        stop(reader, ORR_LIMIT);
        return;
    }
    int kind = find_kind((const char *)name);
    uint32_t index = ORR_NO_ELEMENT;
    if (reader->depth == 0)
        strncpy(reader->root_name, (const char *)name, sizeof reader->root_name - 1);
    if (is_known_here(reader, kind)) {
        index = add_element(reader, (enum orr_element_kind)kind, attribute_count, attributes);
        if (index == ORR_NO_ELEMENT) {
            stop(reader, orr_fail_nomem(reader->err));
            return;
        }
    } else if (!reader->dump->ignored_count++) {
        reader->dump->ignored_line = line;
        strncpy(reader->dump->ignored_name, (const char *)name, sizeof reader->dump->ignored_name - 1);
    }
    strncpy(reader->open_name, (const char *)name, sizeof reader->open_name - 1);
    reader->open[reader->depth] = index;
    reader->last_child[reader->depth] = ORR_NO_ELEMENT;
    reader->open_line[reader->depth] = line;
    reader->depth++;
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)name, (void)prefix, (void)uri;
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    if (reader->depth)
        reader->depth--;
}

static void on_doctype(void *context, const xmlChar *name, const xmlChar *external_id, const xmlChar *system_id)
{
    (void)name, (void)external_id, (void)system_id;
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    orr_fail_at(reader->err, ORR_SYNTAX, (uint32_t)reader->parser->input->line, (uint32_t)reader->parser->input->col,
                "a DOCTYPE is not accepted: topology dumps have none, and entities could be used to attack the reader");
    orr_error_advice(reader->err, "remove the <!DOCTYPE ...> declaration");
    stop(reader, ORR_SYNTAX);
}

/* The first complaint of libxml2 that is an error ends the reading, except text after a complete <system>. */
static void on_error(void *context, xmlErrorPtr error)
{
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    if (reader->code != ORR_OK || error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE)
        return;
    if (error->code == XML_ERR_NO_MEMORY) {
        stop(reader, orr_fail_nomem(reader->err));
        return;
    }
    if (error->code == XML_ERR_DOCUMENT_END && reader->depth == 0 && reader->dump->element_count)
        return;
    char message[160];
    strncpy(message, error->message ? error->message : "malformed", sizeof message - 1);
    message[sizeof message - 1] = 0;
    message[strcspn(message, "\r\n")] = 0;
    uint32_t line = error->line > 0 ? (uint32_t)error->line : 1;
    uint32_t column = error->int2 > 0 ? (uint32_t)error->int2 : 1;
    const xmlParserInput *input = reader->parser->input;
    bool at_end = input && input->cur >= input->end;
    if (at_end && reader->depth) {
        orr_fail_at(reader->err, ORR_SYNTAX, line, column, "the file ends inside <%.31s>, which was opened in line %u",
                    reader->open_name, reader->open_line[reader->depth - 1]);
        orr_error_advice(reader->err, "the dump is cut off: copy the whole file again, up to its last line </system>");
    } else {
        orr_fail_at(reader->err, ORR_SYNTAX, line, column, "%s", message);
        orr_error_advice(reader->err, "compare the line with a dump that NCCL wrote (NCCL_TOPO_DUMP_FILE)");
    }
    stop(reader, ORR_SYNTAX);
}

/* libxml2 compares each attribute of a tag with all before it, and the budget cannot stop it in between. So a tag with
 * far too many attributes is refused before libxml2 sees it. Files too short for that to take long are not checked. */
static enum orr_code check_tags(const struct reader *reader, const char *bytes, size_t length)
{
    enum { SHORT = 1 << 16, MOST = 4096 };
    uint32_t line = 1, count = 0;
    for (size_t i = 0; length > SHORT && i < length; i++) {
        line += bytes[i] == '\n';
        count = bytes[i] == '<' ? 0 : count + (bytes[i] == '=');
        if (count > MOST)
            return orr_fail_at(reader->err, ORR_LIMIT, line, 1, "a tag has more than %u attributes",
                               reader->limits->attributes);
    }
    return ORR_OK;
}

static enum orr_code parse(struct reader *reader, const char *bytes, size_t length)
{
    static const xmlSAXHandler handlers = {
        .startElementNs = on_start, .endElementNs = on_end, .internalSubset = on_doctype, .serror = on_error};
    ORR_TRY(check_tags(reader, bytes, length));
    ORR_NEED(orr_xml_parse(bytes, length, &handlers, reader, &reader->parser), reader->err);
    const xmlParserCtxt *parser = reader->parser;
    bool unfinished = reader->code == ORR_OK && (reader->depth || !parser->wellFormed) && !reader->dump->element_count;
    if (unfinished)
        reader->code = orr_fail_at(reader->err, ORR_SYNTAX, (uint32_t)parser->input->line, (uint32_t)parser->input->col,
                                   "this is not well-formed XML");
    xmlFreeParserCtxt(reader->parser);
    return reader->code;
}

/* Inputs that are not XML at all get a plain sentence instead of a parser's complaint. */
static enum orr_code look_at(const char *bytes, size_t length, struct orr_error *err)
{
    size_t start = orr_bytes_blanks(bytes, length, orr_bytes_mark(bytes, length));
    if (start == length)
        return orr_fail_with(err, ORR_UNRECOGNISED, NULL,
                             "run any NCCL program with NCCL_TOPO_DUMP_FILE=/tmp/topo.xml and send that file",
                             "the input is empty");
    unsigned char first = (unsigned char)bytes[start];
    if (first == '<' || (length >= 2 && ((first == 0xff && (unsigned char)bytes[1] == 0xfe) ||
                                         (first == 0xfe && (unsigned char)bytes[1] == 0xff))))
        return ORR_OK;
    if (first >= 0x20 && first < 0x7f)
        orr_fail(err, ORR_UNRECOGNISED, "this is not topology XML: it starts with '%c' instead of '<'", first);
    else
        orr_fail(err, ORR_UNRECOGNISED, "this is not topology XML but binary data: its first byte is 0x%02x", first);
    orr_error_advice(err, "run any NCCL program with NCCL_TOPO_DUMP_FILE=/tmp/topo.xml and send that file");
    return ORR_UNRECOGNISED;
}

static enum orr_code check_system(const struct reader *reader)
{
    const struct orr_dump *dump = reader->dump;
    int32_t version;
    if (!dump->element_count)
        return orr_fail_with(reader->err, ORR_UNRECOGNISED, NULL,
                             "run any NCCL program with NCCL_TOPO_DUMP_FILE=/tmp/topo.xml and send that file",
                             "this XML is not an NCCL topology: the outermost element is <%s>, not <system>",
                             reader->root_name);
    return orr_element_need_int(dump, 0, ORR_ATTR_VERSION, &version, reader->err);
}

enum orr_code orr_dump_read_into(struct orr_arena *arena, const char *bytes, size_t length,
                                 const struct orr_dump_limits *limits, struct orr_dump **ret_dump,
                                 struct orr_error *err)
{
    struct orr_error ignored = {0};
    if (!err)
        err = &ignored;
    if (!limits)
        limits = &orr_dump_default_limits;
    if (length > limits->bytes || length > INT_MAX)
        return orr_fail(err, ORR_LIMIT, "%zu bytes, more than %zu", length, limits->bytes);
    ORR_TRY(look_at(bytes, length, err));

    struct orr_dump *dump = ORR_NEW(arena, struct orr_dump, 1);
    ORR_NEED(dump, err);
    dump->byte_count = length;
    struct reader reader = {.dump = dump, .arena = arena, .limits = limits, .err = err};
    ORR_TRY(parse(&reader, bytes, length));
    ORR_TRY(check_system(&reader));
    dump->refusal = orr_dump_refusal(bytes, length);
    int32_t version = orr_element_int(dump, 0, ORR_ATTR_VERSION, 1);
    if (version != 1 && (!dump->refusal.line || dump->refusal.line > dump->elements[0].line)) {
        dump->refusal.line = dump->elements[0].line;
        dump->refusal.column = dump->elements[0].column;
        snprintf(dump->refusal.text, sizeof dump->refusal.text, "version=\"%d\": NCCL reads version 1 only", version);
    }
    *ret_dump = dump;
    return ORR_OK;
}

enum orr_code orr_dump_read(const char *bytes, size_t length, const struct orr_dump_limits *limits,
                            struct orr_dump **ret_dump, struct orr_error *err)
{
    ORR_LOCAL_ARENA(arena, 0);
    struct orr_dump *dump;
    ORR_TRY(orr_dump_read_into(arena, bytes, length, limits, &dump, err));
    dump->arena = orr_arena_take(&arena);
    *ret_dump = dump;
    return ORR_OK;
}

void orr_dump_free(struct orr_dump *dump)
{
    if (dump)
        orr_arena_free(dump->arena);
}
