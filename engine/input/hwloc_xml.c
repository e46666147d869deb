/* SPDX-License-Identifier: Apache-2.0 */
/* Reads hwloc's XML into objects with libxml2's SAX interface. A DOCTYPE that only names hwloc's DTD is skipped and
 * never fetched; one with declarations of its own is refused. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/words.h"
#include "engine/dump/xml.h"
#include "engine/input/hwloc.h"

enum { DEEPEST = 128, MOST_OBJECTS = 262144, MOST_LINKS = 512, MOST_TEXT = 1 << 22 };

struct reader {
    struct orr_hwloc *hwloc;
    struct orr_arena *arena;
    xmlParserCtxtPtr parser;
    struct orr_error *err;
    enum orr_code code;
    uint32_t line_before;
    uint32_t depth;                /* of elements */
    uint32_t object_at[DEEPEST];   /* object of an open element, or the one that contains it */
    bool in_links;                 /* inside the matrix of NVLinks */
    struct orr_text *collecting;   /* text of the open element, NULL if it does not matter */
    struct orr_text names, values; /* of the matrix */
    uint32_t links;
    const char *link_type; /* type of all its objects; "" if each name has its own */
};

static void stop(struct reader *reader, enum orr_code code)
{
    if (reader->code == ORR_OK)
        reader->code = code;
    xmlStopParser(reader->parser);
}

static uint32_t line_of(const struct reader *reader)
{
    int line = reader->parser->input ? reader->parser->input->line : 1;
    return (line > 0 ? (uint32_t)line : 1) + reader->line_before;
}

/* The value of an attribute in the arena, "" if it is absent. */
static const char *attribute(struct reader *reader, const char *name, int count, const xmlChar **attributes)
{
    for (int i = 0; i < count; i++, attributes += 5)
        if (!strcmp((const char *)attributes[0], name)) {
            const char *value = (const char *)attributes[3];
            const char *copy = orr_arena_strndup(reader->arena, value, (size_t)((const char *)attributes[4] - value));
            if (!copy)
                stop(reader, orr_fail_nomem(reader->err));
            return copy ? copy : "";
        }
    return "";
}

static enum orr_hwloc_kind kind_of(const char *type)
{
    static const char *const names[] = {ORR_HWLOC_MAP(ORR_SECOND_OF)};
    for (int i = 0; i < ORR_HWLOC_OTHER; i++)
        if (!strcmp(type, names[i]))
            return (enum orr_hwloc_kind)i;
    return ORR_HWLOC_OTHER;
}

static uint32_t add_object(struct reader *reader, uint32_t parent, int count, const xmlChar **attributes)
{
    struct orr_hwloc *hwloc = reader->hwloc;
    if (hwloc->count == MOST_OBJECTS) {
        stop(reader,
             orr_fail_at(reader->err, ORR_LIMIT, line_of(reader), 0, "more than %d objects", (int)MOST_OBJECTS));
        return parent;
    }
    if (!ORR_RESERVE(reader->arena, hwloc->objects, hwloc->count, hwloc->capacity)) {
        stop(reader, orr_fail_nomem(reader->err));
        return parent;
    }
    struct orr_hwloc_object *object = &hwloc->objects[hwloc->count];
    *object = (struct orr_hwloc_object){.kind = kind_of(attribute(reader, "type", count, attributes)),
                                        .parent = parent,
                                        .line = line_of(reader),
                                        .name = attribute(reader, "name", count, attributes),
                                        .os_index = attribute(reader, "os_index", count, attributes),
                                        .cpuset = attribute(reader, "cpuset", count, attributes),
                                        .nodeset = attribute(reader, "nodeset", count, attributes),
                                        .gp_index = attribute(reader, "gp_index", count, attributes),
                                        .busid = attribute(reader, "pci_busid", count, attributes),
                                        .pci_type = attribute(reader, "pci_type", count, attributes),
                                        .link_speed = attribute(reader, "pci_link_speed", count, attributes),
                                        .osdev_type = attribute(reader, "osdev_type", count, attributes)};
    object->is_host_bridge =
        object->kind == ORR_HWLOC_BRIDGE && !strncmp(attribute(reader, "bridge_type", count, attributes), "0-", 2);
    return hwloc->count++;
}

static void add_info(struct reader *reader, uint32_t object, int count, const xmlChar **attributes)
{
    struct orr_hwloc_info *info = ORR_NEW(reader->arena, struct orr_hwloc_info, 1);
    if (!info) {
        stop(reader, orr_fail_nomem(reader->err));
        return;
    }
    info->name = attribute(reader, "name", count, attributes);
    info->value = attribute(reader, "value", count, attributes);
    info->next = reader->hwloc->objects[object].infos;
    reader->hwloc->objects[object].infos = info;
}

static void on_start(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri, int namespace_count,
                     const xmlChar **namespaces, int count, int defaulted, const xmlChar **attributes)
{
    (void)prefix, (void)uri, (void)namespace_count, (void)namespaces, (void)defaulted;
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    const char *element = (const char *)name;
    if (reader->code != ORR_OK)
        return;
    if (reader->depth == DEEPEST) {
        stop(reader,
             orr_fail_at(reader->err, ORR_LIMIT, line_of(reader), 0, "elements nested deeper than %d", (int)DEEPEST));
        return;
    }
    uint32_t object = reader->depth ? reader->object_at[reader->depth - 1] : ORR_NO_ELEMENT;
    reader->collecting = NULL;
    if (!reader->depth)
        reader->hwloc->version_3 = attribute(reader, "version", count, attributes)[0] == '3';
    else if (!strcmp(element, "object"))
        object = add_object(reader, object, count, attributes);
    else if (!strcmp(element, "info") && object != ORR_NO_ELEMENT)
        add_info(reader, object, count, attributes);
    else if (!strncmp(element, "distances2", strlen("distances2"))) {
        long links = strtol(attribute(reader, "nbobjs", count, attributes), NULL, 10);
        reader->in_links = !reader->links && links > 0 && links <= MOST_LINKS &&
                           !strcmp(attribute(reader, "name", count, attributes), "NVLinkBandwidth");
        if (reader->in_links) {
            reader->links = (uint32_t)links;
            reader->link_type = attribute(reader, "type", count, attributes);
        }
    } else if (reader->in_links) {
        reader->collecting = !strcmp(element, "indexes")     ? &reader->names
                             : !strcmp(element, "u64values") ? &reader->values
                                                             : NULL;
    }
    reader->object_at[reader->depth++] = object;
}

static void on_end(void *context, const xmlChar *name, const xmlChar *prefix, const xmlChar *uri)
{
    (void)prefix, (void)uri;
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    if (reader->collecting)
        orr_text_puts(reader->collecting, " ");
    reader->collecting = NULL;
    if (!strncmp((const char *)name, "distances2", strlen("distances2")))
        reader->in_links = false;
    if (reader->depth)
        reader->depth--;
}

static void on_text(void *context, const xmlChar *text, int length)
{
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    if (reader->collecting)
        orr_text_add(reader->collecting, (const char *)text, (size_t)length);
}

static void refuse_rules(struct reader *reader)
{
    orr_fail_at(
        reader->err, ORR_SYNTAX, line_of(reader), 0,
        "a DOCTYPE with its own declarations is not accepted, because entities could be used to attack the reader");
    orr_error_advice(reader->err, "export it again: lstopo --of xml machine.xml");
    stop(reader, ORR_SYNTAX);
}

static void on_entity(void *context, const xmlChar *name, int type, const xmlChar *public_id, const xmlChar *system_id,
                      xmlChar *content)
{
    (void)name, (void)type, (void)public_id, (void)system_id, (void)content;
    refuse_rules(((xmlParserCtxtPtr)context)->_private);
}

static void on_error(void *context, xmlErrorPtr error)
{
    struct reader *reader = ((xmlParserCtxtPtr)context)->_private;
    if (reader->code != ORR_OK || error->level < XML_ERR_ERROR || error->domain == XML_FROM_NAMESPACE)
        return;
    if (error->code == XML_ERR_NO_MEMORY) {
        stop(reader, orr_fail_nomem(reader->err));
        return;
    }
    if (error->code == XML_ERR_DOCUMENT_END && !reader->depth && reader->hwloc->count)
        return; /* text after the document */
    char message[160] = "malformed";
    if (error->message)
        strncpy(message, error->message, sizeof message - 1);
    message[strcspn(message, "\r\n")] = 0;
    orr_fail_at(reader->err, ORR_SYNTAX, (error->line > 0 ? (uint32_t)error->line : 1) + reader->line_before,
                error->int2 > 0 ? (uint32_t)error->int2 : 1, "%s", message);
    orr_error_advice(reader->err, "export it again: lstopo --of xml machine.xml");
    stop(reader, ORR_SYNTAX);
}

static enum orr_code parse(struct reader *reader, const char *bytes, size_t length)
{
    static const xmlSAXHandler handlers = {.startElementNs = on_start,
                                           .endElementNs = on_end,
                                           .characters = on_text,
                                           .entityDecl = on_entity,
                                           .serror = on_error};
    ORR_NEED(orr_xml_parse(bytes, length, &handlers, reader, &reader->parser), reader->err);
    if (reader->code == ORR_OK && (reader->depth || !reader->hwloc->count))
        reader->code = orr_fail_at(reader->err, ORR_SYNTAX, line_of(reader), 0,
                                   reader->depth ? "the file ends inside an element" : "no object in the topology");
    xmlFreeParserCtxt(reader->parser);
    return reader->code;
}

/* An object of the matrix by "OSDev:802", its type and gp_index; in a matrix of objects of one type by "802". */
static uint32_t find_object(const struct orr_hwloc *hwloc, const char *one_type, const char *name, size_t length)
{
    const char *colon = memchr(name, ':', length), *index = colon ? colon + 1 : name;
    size_t type_length = colon ? (size_t)(colon - name) : strlen(one_type), rest = length - (size_t)(index - name);
    char type[24] = "";
    if (!type_length || type_length >= sizeof type || !rest)
        return ORR_NO_ELEMENT;
    memcpy(type, colon ? name : one_type, type_length);
    enum orr_hwloc_kind kind = kind_of(type);
    for (uint32_t i = 0; i < hwloc->count; i++) {
        const struct orr_hwloc_object *object = &hwloc->objects[i];
        if (object->kind == kind && strlen(object->gp_index) == rest && !memcmp(object->gp_index, index, rest))
            return i;
    }
    return ORR_NO_ELEMENT;
}

/* The matrix is used if it is whole. */
static enum orr_code read_links(struct reader *reader)
{
    struct orr_hwloc *hwloc = reader->hwloc;
    size_t cells = (size_t)reader->links * reader->links, cell = 0;
    uint32_t *objects = ORR_NEW(reader->arena, uint32_t, reader->links), named = 0;
    uint64_t *mbps = ORR_NEW(reader->arena, uint64_t, cells);
    if (!objects || !mbps || reader->names.starved || reader->values.starved)
        return orr_fail_nomem(reader->err);
    if (orr_text_failed(&reader->names) || orr_text_failed(&reader->values) || !reader->names.data ||
        !reader->values.data)
        return ORR_OK;
    for (const char *at = reader->names.data; *at && named < reader->links;) {
        size_t blank = strspn(at, " \t\r\n"), word = strcspn(at + blank, " \t\r\n");
        if (word)
            objects[named++] = find_object(hwloc, reader->link_type, at + blank, word);
        at += blank + word;
    }
    for (char *at = reader->values.data, *end; cell < cells; at = end) {
        mbps[cell] = strtoull(at, &end, 10);
        if (end == at)
            break;
        cell++;
    }
    if (named == reader->links && cell == cells) {
        hwloc->link_count = reader->links;
        hwloc->link_object = objects;
        hwloc->link_mbps = mbps;
    }
    return ORR_OK;
}

enum orr_code orr_hwloc_read(const char *bytes, size_t length, uint32_t line_before, struct orr_arena *arena,
                             struct orr_hwloc *ret_hwloc, struct orr_error *err)
{
    struct orr_hwloc hwloc = {0};
    struct reader reader = {.hwloc = &hwloc, .arena = arena, .err = err, .line_before = line_before};
    orr_text_init(&reader.names, MOST_TEXT);
    orr_text_init(&reader.values, MOST_TEXT);
    enum orr_code code = parse(&reader, bytes, length);
    if (code == ORR_OK && reader.links)
        code = read_links(&reader);
    orr_text_release(&reader.names);
    orr_text_release(&reader.values);
    if (code == ORR_OK)
        *ret_hwloc = hwloc;
    return code;
}

const char *orr_hwloc_info(const struct orr_hwloc_object *object, const char *name)
{
    for (const struct orr_hwloc_info *info = object->infos; info; info = info->next)
        if (!strcmp(info->name, name))
            return info->value;
    return "";
}
