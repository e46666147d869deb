/* A dump written out again with changes. */
#include <stdlib.h>
#include <string.h>

#include "engine/base/text.h"
#include "engine/log/tree.h"
#include "engine/topology/pci.h"

enum { XML_MOST = 16 << 20, DEPTH_MOST = 64 };

struct writing {
    const struct orr_dump *dump;
    const struct orr_dump_edit *edit;
    struct orr_text text;
    uint32_t found, nets;
};

static void write_escaped(struct orr_text *text, const char *value)
{
    for (; *value; value++) {
        const char *entity = *value == '&'    ? "&amp;"
                             : *value == '<'  ? "&lt;"
                             : *value == '"'  ? "&quot;"
                             : *value == '\n' ? "&#10;"
                             : *value == '\t' ? "&#9;"
                                              : NULL;
        if (entity)
            orr_text_puts(text, entity);
        else
            orr_text_add(text, value, 1);
    }
}

/* The rank that the edit gives the GPU inside a <pci>, -1: it takes no part. */
static int32_t rank_of(struct writing *w, uint32_t gpu)
{
    const char *bus_id = NULL;
    for (uint32_t e = w->dump->elements[gpu].parent; e != ORR_NO_ELEMENT && !bus_id; e = w->dump->elements[e].parent)
        bus_id = orr_element_text(w->dump, e, ORR_ATTR_BUSID);
    for (uint32_t i = 0; bus_id && i < w->edit->bus_id_count; i++)
        if (orr_bus_id_parse(bus_id) == w->edit->bus_ids[i]) {
            w->found++;
            return (int32_t)i;
        }
    return -1;
}

/* The number that a list of NICs gives a name, -1: it is not listed. */
static int32_t listed(const char *list, const char *name)
{
    size_t length = name ? strlen(name) : 0;
    for (const char *at = list; length && (at = strchr(at, '[')); at++) {
        char *end;
        long dev = strtol(at + 1, &end, 10);
        if (*end == ']' && !strncmp(end + 1, name, length) && strchr(":/ <", end[1 + length]) && dev >= 0 && dev < 4096)
            return (int32_t)dev;
    }
    return -1;
}

static void write_element(struct writing *w, uint32_t index, int depth)
{
    const struct orr_element *element = &w->dump->elements[index];
    const struct orr_dump_edit *edit = w->edit;
    bool ranked = element->kind == ORR_ELEMENT_GPU && edit->bus_ids;
    int32_t dev = -1;
    if (element->kind == ORR_ELEMENT_NET && edit->nics) {
        dev = listed(edit->nics, orr_element_text(w->dump, index, ORR_ATTR_NAME));
        if (dev < 0)
            return;
        w->nets++;
    }
    if (depth > DEPTH_MOST || orr_text_failed(&w->text) || (element->kind == ORR_ELEMENT_NET && edit->drop_nets))
        return;
    orr_text_printf(&w->text, "<%s", orr_element_name(element->kind));
    for (uint32_t i = 0; i < element->attribute_count; i++) {
        const struct orr_attribute *attribute = &w->dump->attributes[element->first_attribute + i];
        if ((ranked && attribute->id == ORR_ATTR_RANK) || (dev >= 0 && attribute->id == ORR_ATTR_DEV) ||
            (edit->no_gdr && element->kind == ORR_ELEMENT_NET && attribute->id == ORR_ATTR_GDR))
            continue;
        orr_text_printf(&w->text, " %s=\"", attribute->name);
        write_escaped(&w->text, attribute->value);
        orr_text_puts(&w->text, "\"");
    }
    if (dev >= 0)
        orr_text_printf(&w->text, " dev=\"%d\"", dev);
    if (edit->no_gdr && element->kind == ORR_ELEMENT_NET)
        orr_text_puts(&w->text, " gdr=\"0\"");
    if (ranked) {
        int32_t rank = rank_of(w, index);
        if (rank >= 0)
            orr_text_printf(&w->text, " rank=\"%d\"", rank);
    }
    orr_text_puts(&w->text, ">");
    for (uint32_t c = element->first_child; c != ORR_NO_ELEMENT; c = w->dump->elements[c].next_sibling)
        write_element(w, c, depth + 1);
    orr_text_printf(&w->text, "</%s>\n", orr_element_name(element->kind));
}

enum orr_code orr_log_edit_dump(const struct orr_dump *dump, const struct orr_dump_edit *edit,
                                struct orr_dump **ret_dump, struct orr_error *err)
{
    struct writing w = {.dump = dump, .edit = edit};
    orr_text_init(&w.text, XML_MOST);
    write_element(&w, 0, 0);
    enum orr_code code = ORR_OK;
    if (orr_text_failed(&w.text))
        code = w.text.starved ? orr_fail_nomem(err) : orr_fail(err, ORR_LIMIT, "the changed dump is too large");
    else if (edit->bus_ids && w.found < edit->bus_id_count)
        code = orr_fail(err, ORR_NOT_FOUND, "%u of the log's %u GPUs are not in the dump", edit->bus_id_count - w.found,
                        edit->bus_id_count);
    else if (edit->nics && !w.nets)
        code = orr_fail(err, ORR_NOT_FOUND, "none of the log's NICs is in the dump");
    else
        code = orr_dump_read(w.text.data, w.text.length, NULL, ret_dump, err);
    orr_text_release(&w.text);
    return code;
}
