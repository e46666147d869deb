/* SPDX-License-Identifier: Apache-2.0 */
#include "api/questions/questions.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "engine/base/utf8.h"
#include "engine/diagnosis/repaired.h"
#include "engine/release/release_names.h"

static const char *release_word(size_t i)
{
    uint32_t count;
    const struct orr_release *releases = orr_releases(&count);
    return i < count ? releases[i].name : NULL;
}

static const char *setting_word(size_t i)
{
    return i < ORR_SETTING_COUNT ? orr_setting_name((enum orr_setting)i) : NULL;
}

const char *orr_section_name(size_t i)
{
#define ORR_SECTION(name, writer) name,
    static const char *const names[] = {
#include "api/questions/sections.def"
    };
#undef ORR_SECTION
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static const char *machine_word(size_t i)
{
    const struct orr_machine_type *type = orr_machine_listed(i);
    return type ? type->name : NULL;
}

static const char *rank_order_word(size_t i)
{
    return !i ? "given" : i <= ORR_ORDER_LIST ? orr_rank_order_name((enum orr_rank_order)(i - 1)) : NULL;
}

const char *orr_fleet_verdict_name(size_t i)
{
    static const char *const names[] = {[ORR_FLEET_ALIKE] = "alike",
                                        [ORR_FLEET_SLOWER] = "slower",
                                        [ORR_FLEET_FASTER] = "faster",
                                        [ORR_FLEET_UNKNOWN] = "unknown"};
    return i < sizeof names / sizeof names[0] ? names[i] : NULL;
}

static const char *verdict_word(size_t i)
{
    return i ? orr_fleet_verdict_name(i - 1) : "any";
}

static const char *gate_word(size_t i)
{
    const struct orr_finding_row *row = orr_finding_row(i);
    return row ? row->id : NULL;
}

static const char *graph_word(size_t i)
{
    return i < ORR_GRAPH_COUNT ? orr_graph_name(orr_release_default(), (enum orr_graph_kind)i) : NULL;
}

const char *orr_predicted_word(size_t i)
{
    return i < ORR_TEST_COUNT ? orr_test_programs[i].name : orr_function_name(i - ORR_TEST_COUNT);
}

const struct orr_question_row orr_questions[ORR_QUESTION_ROWS] = {
#define ORR_ASK(symbol, member_, kind_, name_, value_, least_, most_, words_, fallback_, topics_, ...)                 \
    {.ask = ORR_ASK_##symbol,                                                                                          \
     .name = name_,                                                                                                    \
     .value = value_,                                                                                                  \
     .kind = ORR_KIND_##kind_,                                                                                         \
     .least = least_,                                                                                                  \
     .most = most_,                                                                                                    \
     .words = words_,                                                                                                  \
     .fallback = fallback_,                                                                                            \
     .topics = topics_,                                                                                                \
     .at = offsetof(struct orr_params, member_),                                                                       \
     __VA_ARGS__},
#define ORR_ASK_AT     ORR_ASK
#define ORR_VARIANT    ORR_ASK
#define ORR_VARIANT_AT ORR_ASK
#define ORR_IN(...)    ORR_IN_FOUR(__VA_ARGS__, END, END, END)
#define ORR_IN_FOUR(a, b, c, d, ...)                                                                                   \
    {                                                                                                                  \
        ORR_TOPIC_##a, ORR_TOPIC_##b, ORR_TOPIC_##c, ORR_TOPIC_##d                                                     \
    }
#include "api/questions/questions.def"
};

bool orr_question_in(const struct orr_question_row *row, orr_topics topics)
{
    for (; *topics; topics++)
        if (memchr(row->topics, *topics, sizeof row->topics))
            return true;
    return false;
}

const struct orr_question_row *orr_question_find(orr_topics topics, const char *name, size_t length)
{
    for (const struct orr_question_row *row = orr_questions; row < orr_questions + ORR_QUESTION_ROWS; row++)
        if (!strncmp(row->name, name, length) && !row->name[length] && orr_question_in(row, topics))
            return row;
    return NULL;
}

bool orr_topics_have(orr_topics topics, enum orr_ask ask)
{
    for (const struct orr_question_row *row = orr_questions; row < orr_questions + ORR_QUESTION_ROWS; row++)
        if (row->ask == ask && orr_question_in(row, topics))
            return true;
    return false;
}

enum orr_code orr_read_number(const char *name, const char *text, uint32_t least, uint32_t most, uint32_t *ret_number,
                              struct orr_error *err)
{
    char *end = NULL;
    unsigned long value = isdigit((unsigned char)text[0]) ? strtoul(text, &end, 10) : 0;
    if (!end || *end || value < least || value > most)
        return orr_fail_with(err, ORR_SETTING, name, NULL, "%s must be a number from %u to %u, not \"%.40s\"", name,
                             least, most, text);
    *ret_number = (uint32_t)value;
    return ORR_OK;
}

/* "8", "1,2,4". */
static enum orr_code read_hosts(const struct orr_question_row *row, const char *text, struct orr_params *params,
                                struct orr_host_list *list, struct orr_error *err)
{
    enum { DIGITS = 12 };
    *list = (struct orr_host_list){.count = 0};
    params->query.hosts = 1;
    for (const char *at = text; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        char number[DIGITS];
        const size_t length = strcspn(at, ",");
        if (list->count == ORR_MOST_HOST_NUMBERS || length >= sizeof number)
            return orr_fail_with(err, ORR_SETTING, row->name, row->help,
                                 "\"%.40s\" is not a list of at most %d numbers", text, (int)ORR_MOST_HOST_NUMBERS);
        snprintf(number, sizeof number, "%.*s", (int)length, at);
        ORR_TRY(orr_read_number(row->name, number, row->least, row->most, &list->hosts[list->count], err));
        if (list->hosts[list->count] > params->query.hosts)
            params->query.hosts = list->hosts[list->count];
        list->count++;
    }
    return ORR_OK;
}

static enum orr_code read_bytes(const char *text, uint64_t *ret_bytes, struct orr_error *err)
{
    const char *end;
    const uint64_t value = orr_size_parse(text, &end);
    if (value && !*end && value <= UINT64_C(1) << 40) {
        *ret_bytes = value;
        return ORR_OK;
    }
    return orr_fail(err, ORR_SETTING,
                    "bytes must be the size of a message up to 1T, such as 1048576 or 1M, not \"%.40s\"", text);
}

enum orr_code orr_not_a_word(const char *name, const char *value, orr_words *words, struct orr_error *err)
{
    struct orr_text known;
    orr_text_init(&known, sizeof err->text);
    orr_words_write(words, "or", &known);
    orr_fail(err, ORR_SETTING, "%s must be %s, not \"%.40s\"", name, orr_text_data(&known), value);
    orr_text_release(&known);
    return ORR_SETTING;
}

static enum orr_code read_graph(const struct orr_release *release, const char *value, unsigned *ret_graph,
                                struct orr_error *err)
{
    for (unsigned kind = 0; kind < ORR_GRAPH_COUNT; kind++)
        if (!strcasecmp(orr_graph_name(release, (enum orr_graph_kind)kind), value)) {
            *ret_graph = kind;
            return ORR_OK;
        }
    return orr_not_a_word("graph", value, graph_word, err);
}

static enum orr_code read_text(const struct orr_question_row *row, const char *value, const char **ret_text,
                               struct orr_error *err)
{
    if (row->most && strlen(value) > row->most)
        return orr_fail(err, ORR_SETTING, "%s may have %u bytes, not %zu", row->name, row->most, strlen(value));
    if (row->most && !orr_is_utf8(value))
        return orr_fail(err, ORR_SETTING, "the value of %s is not UTF-8", row->name);
    unsigned place;
    *ret_text = row->words && orr_word_find(row->words, value, &place) ? row->words(place)
                : row->most && !*value                                 ? NULL
                                                                       : value;
    return ORR_OK;
}

static enum orr_code read_label(const struct orr_question_row *row, const char *value, struct orr_params *params,
                                struct orr_error *err)
{
    const char *equals = strchr(value, '=');
    size_t name = equals ? (size_t)(equals - value) : 0;
    if (!orr_is_utf8(value))
        return orr_fail(err, ORR_SETTING, "the value of %s is not UTF-8", row->name);
    if (!name || name > ORR_MAX_LABEL_NAME || strlen(equals + 1) > ORR_MAX_LABEL_VALUE ||
        params->label_count == row->most)
        return orr_fail(err, ORR_SETTING,
                        "a label is NAME=VALUE with at most %d and %d bytes, and there may be %u of them here",
                        (int)ORR_MAX_LABEL_NAME, (int)ORR_MAX_LABEL_VALUE, row->most);
    params->labels[params->label_count++] = (struct orr_label){.name = value, .name_length = name, .value = equals + 1};
    return ORR_OK;
}

static enum orr_code add_text(const struct orr_question_row *row, const char *value, struct orr_texts *texts,
                              struct orr_error *err)
{
    if (texts->count < row->most) {
        texts->items[texts->count++] = value;
        return ORR_OK;
    }
    return orr_fail_with(err, ORR_SETTING, NULL, row->help, "%s is given more than %u times", row->name, row->most);
}

static enum orr_code read_value(const struct orr_question_row *row, const char *setting, const char *value,
                                struct orr_params *params, struct orr_error *err)
{
    void *member = (char *)params + row->at;
    uint32_t number = 0;
    switch (row->kind) {
    case ORR_KIND_FLAG:
        ORR_TRY(orr_read_number(row->name, value, 0, 1, &number, err));
        *(bool *)member = number;
        return ORR_OK;
    case ORR_KIND_NUMBER:
        if (orr_read_number(row->name, value, row->least, row->most, member, err) == ORR_OK)
            return ORR_OK;
        if (row->ask == ORR_ASK_HOSTS && strchr(value, ','))
            orr_error_advice(err, "give one number here; `orrery scaling --hosts 1,2,4` and `show` take several");
        return ORR_SETTING;
    case ORR_KIND_HOSTS:
        return read_hosts(row, value, params, member, err);
    case ORR_KIND_BYTES:
        return read_bytes(value, member, err);
    case ORR_KIND_TEXT:
        return read_text(row, value, member, err);
    case ORR_KIND_WORD:
        return orr_word_find(row->words, value, member) ? ORR_OK : orr_not_a_word(row->name, value, row->words, err);
    case ORR_KIND_LIST:
        return add_text(row, value, member, err);
    case ORR_KIND_GRAPH:
        return read_graph(params->query.settings.release, value, member, err);
    case ORR_KIND_MACHINE:
        *(const struct orr_machine_type **)member = orr_machine_type_find(value);
        return *(const struct orr_machine_type **)member ? ORR_OK : orr_machine_type_unknown(value, err);
    case ORR_KIND_RELEASE:
        return ORR_OK; /* by orr_params_init(): it decides which settings there are */
    case ORR_KIND_SETTING:
        return orr_settings_set(member, setting, value, err);
    case ORR_KIND_LABEL:
        return read_label(row, value, params, err);
    }
    return ORR_OK;
}

enum orr_code orr_params_init(struct orr_params *params, orr_topics accepted, const char *release, bool nearest,
                              struct orr_error *err)
{
    struct orr_release_choice choice = {.release = orr_release_default()};
    params->query.hosts = 1;
    if (release)
        ORR_TRY(orr_release_choose(release, nearest && orr_topics_have(accepted, ORR_ASK_NEAREST), &choice, err));
    if (orr_topics_have(accepted, ORR_ASK_RELEASE)) {
        orr_settings_init(&params->query.settings, choice.release);
        params->query.settings.asked = choice.asked;
    }
    for (const struct orr_question_row *row = orr_questions; row < orr_questions + ORR_QUESTION_ROWS; row++)
        if (row->fallback && orr_question_in(row, accepted))
            ORR_TRY(read_value(row, NULL, row->fallback, params, err));
    return ORR_OK;
}

enum orr_code orr_params_set(struct orr_params *params, const struct orr_question_row *row, const char *setting,
                             const char *value, struct orr_error *err)
{
    enum orr_code code = read_value(row, setting, value, params, err);
    if (code == ORR_SETTING)
        orr_error_where(err, "%s", row->name);
    params->given[row->ask] = true;
    return code;
}

static void add_part(struct orr_text *text, const char *part)
{
    if (part)
        orr_text_printf(text, "|%zu:%s", strlen(part), part);
    else
        orr_text_puts(text, "|");
}

void orr_query_key(const struct orr_query *query, struct orr_text *text)
{
    const struct orr_settings *settings = &query->settings;
    orr_text_printf(text, "|%s|%u|%u.%u%s%s|%u", settings->release ? settings->release->name : "", settings->asked,
                    query->hosts, query->domain, query->apart ? "a" : "", query->plan ? "p" : "", settings->fuse_nics);
    add_part(text, settings->tuner);
    add_part(text, settings->gpus);
    add_part(text, settings->nics);
    for (int i = 0; i < ORR_SETTING_COUNT; i++)
        if (settings->values[i].given) {
            orr_text_printf(text, "|%d", i);
            add_part(text, orr_setting_text(settings, (enum orr_setting)i));
        } else if (settings->values[i].emptied) {
            orr_text_printf(text, "|-%d", i);
        }
}

static void add_value(const struct orr_question_row *row, const struct orr_params *params, struct orr_text *text)
{
    const void *member = (const char *)params + row->at;
    const struct orr_texts *list;
    const struct orr_host_list *numbers;
    const struct orr_machine_type *machine;
    switch (row->kind) {
    case ORR_KIND_FLAG:
        orr_text_printf(text, "|%d", *(const bool *)member);
        break;
    case ORR_KIND_NUMBER:
    case ORR_KIND_WORD:
    case ORR_KIND_GRAPH:
        orr_text_printf(text, "|%u", *(const unsigned *)member);
        break;
    case ORR_KIND_BYTES:
        orr_text_printf(text, "|%llu", (unsigned long long)*(const uint64_t *)member);
        break;
    case ORR_KIND_TEXT:
        add_part(text, *(const char *const *)member);
        break;
    case ORR_KIND_LIST:
        list = member;
        for (uint32_t i = 0; i < list->count; i++)
            add_part(text, list->items[i]);
        break;
    case ORR_KIND_HOSTS:
        numbers = member;
        for (uint32_t i = 0; i < numbers->count; i++)
            orr_text_printf(text, "%c%u", i ? ',' : '|', numbers->hosts[i]);
        break;
    case ORR_KIND_MACHINE:
        machine = *(const struct orr_machine_type *const *)member;
        add_part(text, machine ? machine->name : NULL);
        break;
    case ORR_KIND_RELEASE: /* these are part of the query (see above), or of no cached answer */
    case ORR_KIND_SETTING:
    case ORR_KIND_LABEL:
        break;
    }
}

void orr_params_key(const struct orr_params *params, orr_topics topics, struct orr_text *text)
{
    for (int i = 0; i < ORR_QUESTION_ROWS; i++)
        if (orr_question_in(&orr_questions[i], topics)) {
            orr_text_printf(text, "|%d", i);
            add_value(&orr_questions[i], params, text);
        }
}
