/* A comparison as text for people: what the JSON says, in lines. */
#include <string.h>

#include "api/compare_json.h"

static const char *text_of(json_t *object, const char *key)
{
    const char *text = json_string_value(json_object_get(object, key));
    return text ? text : "";
}

static const char *name_of(json_t *row, const char *key)
{
    return text_of(json_object_get(row, key), "name");
}

/* A value of a decision in few words. */
static void put_value(json_t *value, struct orr_text *text)
{
    size_t i;
    json_t *item;
    if (json_is_string(value))
        orr_text_puts(text, json_string_value(value));
    else if (json_is_integer(value))
        orr_text_printf(text, "%lld", (long long)json_integer_value(value));
    else if (json_is_real(value))
        orr_text_printf(text, "%g", json_real_value(value));
    else if (json_is_array(value))
        json_array_foreach (value, i, item) {
            if (i)
                orr_text_puts(text, " ");
            put_value(item, text);
        }
    else
        orr_text_puts(text, json_is_true(value) ? "yes" : json_is_false(value) ? "no" : "none");
}

static void put_unlike(json_t *row, struct orr_text *text)
{
    const char *what = text_of(row, "what"), *a = name_of(row, "device_a"), *b = name_of(row, "device_b");
    bool other_name = *a && *b && strcmp(a, b) != 0;
    orr_text_printf(text, "  %s", *a ? a : b);
    if (!strcmp(what, "missing") || !strcmp(what, "added")) {
        long long gpus = json_integer_value(json_object_get(row, "gpus"));
        long long nets = json_integer_value(json_object_get(row, "nets"));
        orr_text_printf(text, " %s", *a ? "is missing in B" : "is in B only");
        if (gpus + nets > 1)
            orr_text_printf(text, ", with %lld GPUs and %lld ports", gpus, nets);
    } else {
        if (other_name)
            orr_text_printf(text, " (%s in B)", b);
        if (!strcmp(what, "moved"))
            orr_text_printf(text, ": below %s in A, below %s in B", name_of(row, "other_a"), name_of(row, "other_b"));
        else if (!strcmp(what, "nvlinks"))
            orr_text_printf(text, ": NVLinks to %s: %s -> %s", name_of(row, "other_a"), text_of(row, "a"),
                            text_of(row, "b"));
        else
            orr_text_printf(text, ": %s: %s -> %s", text_of(row, "text"), text_of(row, "a"), text_of(row, "b"));
    }
    orr_text_puts(text, "\n");
}

static void put_rows(json_t *list, const char *title, struct orr_text *text)
{
    enum { SHOWN = 60 };
    size_t i;
    json_t *row;
    long long count = json_integer_value(json_object_get(list, "count"));
    if (!count)
        return;
    orr_text_printf(text, "\n%s (%lld)\n", title, count);
    json_array_foreach (json_object_get(list, "rows"), i, row)
        if (i < SHOWN)
            put_unlike(row, text);
    if (count > SHOWN)
        orr_text_printf(text, "  ... and %lld more (--json tells all)\n", count - SHOWN);
}

/* The place of a change: the values of its members. */
static void put_place(json_t *place, struct orr_text *text)
{
    const char *key;
    json_t *value;
    json_object_foreach (place, key, value) {
        orr_text_printf(text, " %s ", key);
        put_value(value, text);
    }
}

static void put_section(const char *name, json_t *section, struct orr_text *text)
{
    enum { SHOWN = 12 };
    size_t i;
    json_t *change, *rows = json_object_get(section, "changes");
    if (!json_integer_value(json_object_get(section, "changed")))
        return;
    orr_text_printf(text, "\n%s (%lld of %lld facts)\n", name,
                    (long long)json_integer_value(json_object_get(section, "changed")),
                    (long long)json_integer_value(json_object_get(section, "compared")));
    json_array_foreach (rows, i, change) {
        if (i >= SHOWN)
            break;
        long long count = json_integer_value(json_object_get(change, "count"));
        orr_text_printf(text, "  %s: ", text_of(change, "text"));
        put_value(json_object_get(change, "a"), text);
        orr_text_puts(text, " -> ");
        put_value(json_object_get(change, "b"), text);
        if (count > 1)
            orr_text_printf(text, ", %lld places, such as", count);
        else if (json_object_size(json_array_get(json_object_get(change, "where"), 0)))
            orr_text_puts(text, ",");
        put_place(json_array_get(json_object_get(change, "where"), 0), text);
        orr_text_puts(text, "\n");
    }
    if (json_array_size(rows) > SHOWN)
        orr_text_printf(text, "  ... and %zu more kinds of change (--json tells all)\n", json_array_size(rows) - SHOWN);
}

void orr_comparison_text(json_t *document, struct orr_text *text)
{
    json_t *a = json_object_get(document, "a"), *b = json_object_get(document, "b"), *section;
    const char *name;
    orr_text_printf(text, "A  %s: %s\nB  %s: %s\n\n%s\n", text_of(a, "topology"),
                    text_of(json_object_get(a, "machine"), "sentence"), text_of(b, "topology"),
                    text_of(json_object_get(b, "machine"), "sentence"), text_of(document, "summary"));
    put_rows(json_object_get(document, "hardware"), "Hardware", text);
    put_rows(json_object_get(document, "numbering"), "Only named or numbered otherwise", text);
    json_object_foreach (json_object_get(document, "sections"), name, section)
        put_section(name, section, text);
}

static void put_deviation(json_t *row, struct orr_text *text)
{
    enum { SHOWN = 12 };
    size_t i;
    json_t *deviant, *deviants = json_object_get(row, "deviants");
    const char *other = name_of(row, "other");
    orr_text_printf(text, "\n  %s: %s%s%s: ", name_of(row, "device"), text_of(row, "text"), *other ? ", " : "", other);
    if (json_is_null(json_object_get(row, "majority")))
        orr_text_puts(text, "no majority");
    else
        orr_text_printf(text, "%s on %lld", text_of(row, "majority"),
                        (long long)json_integer_value(json_object_get(row, "majority_count")));
    orr_text_puts(text, "\n");
    json_array_foreach (deviants, i, deviant)
        if (i < SHOWN)
            orr_text_printf(text, "    %s  %s\n", text_of(deviant, "value"), text_of(deviant, "topology"));
    if (json_array_size(deviants) > SHOWN)
        orr_text_printf(text, "    ... and %zu more\n", json_array_size(deviants) - SHOWN);
}

void orr_majority_text(json_t *document, struct orr_text *text)
{
    size_t i;
    json_t *row;
    orr_text_printf(text, "%lld dumps, %lld different; the others are held against %s\n\n%s\n",
                    (long long)json_integer_value(json_object_get(document, "compared")),
                    (long long)json_integer_value(json_object_get(document, "contents")),
                    text_of(document, "reference"), text_of(document, "summary"));
    json_array_foreach (json_object_get(document, "findings"), i, row)
        orr_text_printf(text, "\n%s %s: %s\n  %s\n  %s\n", text_of(row, "severity"), text_of(row, "catalogue"),
                        text_of(row, "title"), text_of(row, "detail"), text_of(row, "advice"));
    json_array_foreach (json_object_get(document, "rows"), i, row)
        put_deviation(row, text);
}
