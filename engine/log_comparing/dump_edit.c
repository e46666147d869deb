/* A dump written out again with changes. */
#include "engine/log_comparing/dump_edit.h"

#include "engine/base/text.h"
#include "engine/log_reading/tree.h"
#include "engine/topology/pci.h"

enum { XML_MOST = 16 << 20, DEPTH_MOST = 64 };

struct writing {
    const struct orr_dump *dump;
    const struct orr_dump_edit *edit;
    struct orr_text text;
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

static uint32_t pci_of(const struct orr_dump *dump, uint32_t element)
{
    while (element != ORR_NO_ELEMENT && !orr_element_text(dump, element, ORR_ATTR_BUSID))
        element = dump->elements[element].parent;
    return element;
}

/* The new bus id of the GPU that has this one, 0: it keeps it. */
static uint64_t renamed(const struct writing *w, const char *bus_id)
{
    uint64_t old = orr_bus_id_parse(bus_id);
    for (uint32_t e = 0; w->edit->bus_ids && e < w->dump->element_count; e++)
        if (w->edit->bus_ids[e]) {
            uint32_t pci = pci_of(w->dump, e);
            const char *own = pci == ORR_NO_ELEMENT ? NULL : orr_element_text(w->dump, pci, ORR_ATTR_BUSID);
            if (own && orr_bus_id_parse(own) == old)
                return w->edit->bus_ids[e];
        }
    return 0;
}

static bool loses_gdr(const struct writing *w, uint32_t net)
{
    int32_t dev = orr_element_int(w->dump, net, ORR_ATTR_DEV, -1);
    return w->edit->no_gdr && dev >= 0 && dev < ORR_LOG_NICS && w->edit->no_gdr[dev];
}

/* An attribute that the edit replaces. */
static bool is_replaced(const struct writing *w, uint32_t element, enum orr_attr attr)
{
    enum orr_element_kind kind = w->dump->elements[element].kind;
    const struct orr_dump_edit *edit = w->edit;
    return (kind == ORR_ELEMENT_GPU && ((edit->ranks && attr == ORR_ATTR_RANK) || (edit->sm && attr == ORR_ATTR_SM))) ||
           (kind == ORR_ELEMENT_NET &&
            ((edit->net_devs && attr == ORR_ATTR_DEV) || (edit->collnet && attr == ORR_ATTR_COLL) ||
             (attr == ORR_ATTR_GDR && loses_gdr(w, element))));
}

static void write_attribute(struct writing *w, const struct orr_attribute *attribute)
{
    bool names_gpu = attribute->id == ORR_ATTR_BUSID || attribute->id == ORR_ATTR_TARGET;
    uint64_t other = names_gpu ? renamed(w, attribute->value) : 0;
    char bus_id[ORR_BUS_ID_SIZE];
    orr_text_printf(&w->text, " %s=\"", attribute->name);
    write_escaped(&w->text, other ? orr_bus_id_format(other, bus_id) : attribute->value);
    orr_text_puts(&w->text, "\"");
}

static void write_element(struct writing *w, uint32_t index, int depth)
{
    const struct orr_element *element = &w->dump->elements[index];
    const struct orr_dump_edit *edit = w->edit;
    bool net = element->kind == ORR_ELEMENT_NET, gpu = element->kind == ORR_ELEMENT_GPU;
    if (depth > DEPTH_MOST || orr_text_failed(&w->text) ||
        (net && (edit->drop_nets || (edit->net_devs && edit->net_devs[index] < 0))))
        return;
    orr_text_printf(&w->text, "<%s", orr_element_name(element->kind));
    for (uint32_t i = 0; i < element->attribute_count; i++) {
        const struct orr_attribute *attribute = &w->dump->attributes[element->first_attribute + i];
        if (!is_replaced(w, index, attribute->id))
            write_attribute(w, attribute);
    }
    if (net && edit->net_devs)
        orr_text_printf(&w->text, " dev=\"%d\"", edit->net_devs[index]);
    if (net && edit->collnet)
        orr_text_puts(&w->text, " coll=\"1\"");
    if (net && loses_gdr(w, index))
        orr_text_puts(&w->text, " gdr=\"0\"");
    if (gpu && edit->sm)
        orr_text_printf(&w->text, " sm=\"%d\"", edit->sm);
    if (gpu && edit->ranks && edit->ranks[index] >= 0)
        orr_text_printf(&w->text, " rank=\"%d\"", edit->ranks[index]);
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
    else
        code = orr_dump_read(w.text.data, w.text.length, NULL, ret_dump, err);
    if (code == ORR_OK) {
        (*ret_dump)->notes = dump->notes;
        (*ret_dump)->graphs = dump->graphs;
    }
    orr_text_release(&w.text);
    return code;
}
