/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/release/behaviours.h"

#include <string.h>

#include "engine/base/words.h"
#include "engine/release/behaviour_rows.h"

enum { TEXT_MOST = 4096 };

ORR_WORD_LIST(orr_bearing_name, enum orr_bearing_bit, ORR_BEARING_MAP(ORR_SECOND_OF))

/* False if memory ran out. */
static bool setting_value(enum orr_setting setting, const struct orr_release *release, struct orr_arena *arena,
                          struct orr_value *value)
{
    int64_t number = orr_setting_default(setting, release);
    const struct orr_setting_info *info = orr_setting_info(setting);
    if (!orr_setting_in(setting, release)) {
        *value = (struct orr_value){.kind = ORR_VALUE_NONE};
    } else if (info->kind == ORR_SETTING_INT && number != ORR_SETTING_UNSET) {
        *value = (struct orr_value){.kind = ORR_VALUE_NUMBER, .number = (double)number};
    } else {
        const struct orr_setting_words words = orr_setting_words(setting, release);
        const char *word = *words.standard ? words.standard : "not set";
        *value = (struct orr_value){.kind = ORR_VALUE_WORD, .word = orr_arena_strndup(arena, word, strlen(word))};
        return value->word != NULL;
    }
    return true;
}

enum orr_code orr_behaviour_value(const struct orr_behaviour *behaviour, const struct orr_release *release,
                                  struct orr_arena *arena, struct orr_value *ret_value, struct orr_error *err)
{
    struct orr_value value = {.kind = ORR_VALUE_NUMBER};
    if (behaviour->kind == ORR_BEHAVIOUR_SETTING) {
        return setting_value(behaviour->setting, release, arena, ret_value) ? ORR_OK : orr_fail_nomem(err);
    }
    const void *field = orr_behaviour_field(behaviour, release);
    switch (behaviour->kind) {
    case ORR_BEHAVIOUR_BOOL:
        value.kind = ORR_VALUE_BOOL;
        value.number = *(const bool *)field;
        break;
    case ORR_BEHAVIOUR_INT:
        value.number = *(const int32_t *)field;
        break;
    case ORR_BEHAVIOUR_INT64:
        value.number = (double)*(const int64_t *)field;
        break;
    case ORR_BEHAVIOUR_FLOAT:
        value.number = (double)*(const float *)field;
        break;
    case ORR_BEHAVIOUR_DOUBLE:
        value.number = *(const double *)field;
        break;
    case ORR_BEHAVIOUR_WORD:
        value.kind = ORR_VALUE_WORD;
        value.word = behaviour->words[*(const int32_t *)field];
        break;
    case ORR_BEHAVIOUR_PATH_TYPE:
        value.kind = ORR_VALUE_WORD;
        value.word = orr_path_type_name((enum orr_path_type) * (const int32_t *)field);
        break;
    default:
        return behaviour->read(behaviour, release, arena, ret_value, err);
    }
    *ret_value = value;
    return ORR_OK;
}

static void write_figures(const struct orr_figures *cell, struct orr_text *text)
{
    for (uint32_t i = 0; i < cell->count; i++)
        orr_text_printf(text, "%s%.7g", i ? " " : "", cell->figures[i]);
}

void orr_value_write(const struct orr_behaviour *behaviour, const struct orr_value *value, struct orr_text *text)
{
    switch (value->kind) {
    case ORR_VALUE_BOOL:
        orr_text_puts(text, value->number != 0 ? "yes" : "no");
        break;
    case ORR_VALUE_NUMBER:
        if (orr_value_is_none(value))
            orr_text_puts(text, "none");
        else
            orr_text_printf(text, "%.10g%s%s", value->number, behaviour->unit ? " " : "",
                            behaviour->unit ? behaviour->unit : "");
        break;
    case ORR_VALUE_WORD:
        orr_text_puts(text, value->word);
        break;
    case ORR_VALUE_LIST:
        for (uint32_t i = 0; i < value->count; i++)
            orr_text_printf(text, "%s%s", i ? " " : "", value->names[i]);
        break;
    case ORR_VALUE_TABLE:
        for (uint32_t i = 0; i < value->count; i++) {
            orr_text_printf(text, "%s%s: ", i ? ", " : "", value->cells[i].label);
            write_figures(&value->cells[i], text);
        }
        if (!value->count)
            orr_text_puts(text, "none");
        break;
    case ORR_VALUE_NONE:
        orr_text_puts(text, "not known");
        break;
    }
}

static const struct orr_figures *cell_of(const struct orr_value *value, const char *label)
{
    for (uint32_t i = 0; i < value->count; i++)
        if (!strcmp(value->cells[i].label, label))
            return &value->cells[i];
    return NULL;
}

static bool same_figures(const struct orr_figures *a, const struct orr_figures *b)
{
    if (!a || !b || a->count != b->count)
        return a == b;
    for (uint32_t i = 0; i < a->count; i++)
        if (a->figures[i] != b->figures[i])
            return false;
    return true;
}

/* Adds a line of a table to both texts, if it differs. */
static void write_line(const char *label, const struct orr_figures *here, const struct orr_figures *before,
                       struct orr_text *texts)
{
    const struct orr_figures *sides[] = {here, before};
    if (same_figures(here, before))
        return;
    for (int i = 0; i < 2; i++) {
        orr_text_printf(&texts[i], "%s%s: ", texts[i].length ? ", " : "", label);
        if (sides[i])
            write_figures(sides[i], &texts[i]);
        else
            orr_text_puts(&texts[i], "none");
    }
}

static void write_table_lines(const struct orr_value *here, const struct orr_value *before, struct orr_text *texts)
{
    for (uint32_t i = 0; i < here->count; i++)
        write_line(here->cells[i].label, &here->cells[i], cell_of(before, here->cells[i].label), texts);
    for (uint32_t i = 0; i < before->count; i++)
        if (!cell_of(here, before->cells[i].label))
            write_line(before->cells[i].label, NULL, &before->cells[i], texts);
}

/* Writes both values and says whether they differ; equal tables write nothing. */
static bool write_both(const struct orr_behaviour *behaviour, const struct orr_value *here,
                       const struct orr_value *before, struct orr_text *texts)
{
    if (here->kind == ORR_VALUE_TABLE && before->kind == ORR_VALUE_TABLE) {
        write_table_lines(here, before, texts);
        return texts[0].length > 0;
    }
    orr_value_write(behaviour, here, &texts[0]);
    orr_value_write(behaviour, before, &texts[1]);
    return !texts[0].data || !texts[1].data || strcmp(texts[0].data, texts[1].data) != 0;
}

static enum orr_code keep_texts(struct orr_text *texts, struct orr_arena *arena, struct orr_behaviour_difference *row,
                                struct orr_error *err)
{
    for (int i = 0; i < 2; i++) {
        const char *copy = orr_text_failed(&texts[i]) ? NULL : orr_arena_strndup(arena, texts[i].data, texts[i].length);
        ORR_NEED(copy, err);
        *(i ? &row->before : &row->here) = copy;
    }
    return ORR_OK;
}

enum orr_code orr_releases_compare(const struct orr_release *here, const struct orr_release *before,
                                   struct orr_arena *arena, const struct orr_behaviour_difference **ret_rows,
                                   uint32_t *ret_count, struct orr_error *err)
{
    uint32_t all = orr_behaviour_count(), count = 0;
    struct orr_behaviour_difference *rows = ORR_NEW(arena, struct orr_behaviour_difference, all);
    ORR_NEED(rows, err);
    for (uint32_t i = 0; i < all && here != before; i++) {
        struct orr_behaviour_difference *row = &rows[count];
        struct orr_value values[2];
        struct orr_text texts[2];
        orr_behaviour_get(i, &row->behaviour);
        ORR_TRY(orr_behaviour_value(&row->behaviour, here, arena, &values[0], err));
        ORR_TRY(orr_behaviour_value(&row->behaviour, before, arena, &values[1], err));
        orr_text_init(&texts[0], TEXT_MOST);
        orr_text_init(&texts[1], TEXT_MOST);
        enum orr_code code = ORR_OK;
        if (write_both(&row->behaviour, &values[0], &values[1], texts)) {
            code = keep_texts(texts, arena, row, err);
            count++;
        }
        orr_text_release(&texts[0]);
        orr_text_release(&texts[1]);
        ORR_TRY(code);
    }
    *ret_rows = rows;
    *ret_count = count;
    return ORR_OK;
}

void orr_release_neighbours(uint32_t version, const struct orr_release **ret_below,
                            const struct orr_release **ret_above)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    *ret_below = *ret_above = NULL;
    for (uint32_t i = 0; i < count; i++) {
        if (releases[i].version < version)
            *ret_below = &releases[i];
        else if (releases[i].version > version && !*ret_above)
            *ret_above = &releases[i];
    }
}
