/* SPDX-License-Identifier: Apache-2.0 */
/* A dump as topology XML: the only place where the engine writes XML. */
#include "engine/base/text.h"
#include "engine/dump/dump.h"

/* Bytes of the character at a place that XML may hold, 0: none (no UTF-8, a control character). */
static size_t character(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t size = at[0] < 0x80 ? 1 : at[0] >= 0xc2 && at[0] < 0xe0 ? 2 : at[0] >= 0xe0 && at[0] < 0xf0 ? 3 : 0;
    if (at[0] >= 0xf0 && at[0] < 0xf5)
        size = 4;
    uint32_t code = size == 1 ? at[0] : at[0] & (0x7fu >> size);
    for (size_t i = 1; i < size; i++) {
        if ((at[i] & 0xc0) != 0x80)
            return 0;
        code = code << 6 | (at[i] & 0x3fu);
    }
    bool too_short = (size == 3 && code < 0x800) || (size == 4 && (code < 0x10000 || code > 0x10ffff));
    bool no_character = code < 0x20 || (code >= 0xd800 && code < 0xe000) || code == 0xfffe || code == 0xffff;
    return too_short || (no_character && !(code == '\t' || code == '\n' || code == '\r')) ? 0 : size;
}

/* What XML cannot hold becomes a question mark: names may come from any bytes. */
static void write_value(struct orr_text *text, const char *value)
{
    while (*value) {
        size_t size = character(value);
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
