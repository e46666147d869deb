/* SPDX-License-Identifier: Apache-2.0 */
/* Writes a dump as topology XML. No other file of the engine writes XML. */
#include "engine/base/text.h"
#include "engine/base/utf8.h"
#include "engine/dump/dump.h"

/* A byte that XML cannot contain becomes a question mark: names may come from any bytes. */
static void write_value(struct orr_text *text, const char *value)
{
    while (*value) {
        size_t size = orr_xml_length(value);
        if (!size)
            orr_text_puts(text, "?");
        else if (*value == '&')
            orr_text_puts(text, "&amp;");
        else if (*value == '<')
            orr_text_puts(text, "&lt;");
        else if (*value == '"')
            orr_text_puts(text, "&quot;");
        else if (*value == '\t' || *value == '\n' || *value == '\r')
            orr_text_printf(text, "&#%d;", *value);
        else
            orr_text_add(text, value, size);
        value += size ? size : 1;
    }
}

static void write_tag(const struct orr_dump *dump, const struct orr_element *element, unsigned depth, bool closes,
                      struct orr_text *text)
{
    orr_text_printf(text, "%*s<%s", (int)depth * 2, "", orr_element_name(element->kind));
    for (uint32_t a = 0; a < element->attribute_count; a++) {
        const struct orr_attribute *attribute = &dump->attributes[element->first_attribute + a];
        orr_text_printf(text, " %s=\"", attribute->name);
        write_value(text, attribute->value);
        orr_text_puts(text, "\"");
    }
    orr_text_puts(text, closes ? "/>\n" : ">\n");
}

void orr_dump_write(const struct orr_dump *dump, struct orr_text *text)
{
    unsigned depth = 0;
    uint32_t at = 0;
    while (at != ORR_NO_ELEMENT && !orr_text_failed(text)) {
        const struct orr_element *element = &dump->elements[at];
        bool leaf = element->first_child == ORR_NO_ELEMENT;
        write_tag(dump, element, depth, leaf, text);
        if (!leaf) {
            at = element->first_child;
            depth++;
            continue;
        }
        while (at != ORR_NO_ELEMENT && dump->elements[at].next_sibling == ORR_NO_ELEMENT) {
            at = dump->elements[at].parent;
            if (at != ORR_NO_ELEMENT) {
                depth--;
                orr_text_printf(text, "%*s</%s>\n", (int)depth * 2, "", orr_element_name(dump->elements[at].kind));
            }
        }
        at = at == ORR_NO_ELEMENT ? at : dump->elements[at].next_sibling;
    }
}
