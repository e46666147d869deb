/* SPDX-License-Identifier: Apache-2.0 */
#include "server/config.h"

#include <ctype.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

extern char **environ;

static const char prefix[] = "ORRERY_";
enum { PREFIX = sizeof prefix - 1 };

const struct orr_config_row *orr_config_find(const char *name, size_t length)
{
    for (size_t i = 0; i < orr_config_row_count; i++)
        if (strlen(orr_config_rows[i].name) == length && !strncmp(orr_config_rows[i].name, name, length))
            return &orr_config_rows[i];
    return NULL;
}

void orr_config_variable(const struct orr_config_row *row, char variable[64])
{
    int length = snprintf(variable, 64, "%s%s", prefix, row->name);
    for (int i = PREFIX; i < length && i < 64; i++)
        variable[i] = variable[i] == '-' ? '_' : (char)toupper((unsigned char)variable[i]);
}

struct unit {
    const char *name;
    uint64_t factor;
};
static const struct unit byte_units[] = {{"", 1}, {"K", 1 << 10}, {"M", 1 << 20}, {"G", 1 << 30}, {NULL, 0}};
static const struct unit time_units[] = {{"", 1000}, {"s", 1000}, {"ms", 1}, {"m", 60000}, {"h", 3600000}, {NULL, 0}};
static const struct unit count_units[] = {{"", 1}, {NULL, 0}};

static const struct unit *units_of(enum orr_config_kind kind)
{
    return kind == ORR_CONFIG_BYTES ? byte_units : kind == ORR_CONFIG_SECONDS ? time_units : count_units;
}

/* Digits, with up to three decimals if the unit has room for them, and a unit. */
static bool read_number(const char *text, const struct unit *units, uint64_t *ret_number)
{
    uint64_t whole = 0, decimals = 0, scale = 1;
    const char *at = text;
    if (!isdigit((unsigned char)*at))
        return false;
    for (; isdigit((unsigned char)*at); at++) {
        if (whole > UINT64_MAX / 100)
            return false;
        whole = whole * 10 + (uint64_t)(*at - '0');
    }
    if (*at == '.' && units == time_units)
        for (at++; isdigit((unsigned char)*at) && scale < 1000; at++, scale *= 10)
            decimals = decimals * 10 + (uint64_t)(*at - '0');
    for (; units->name; units++)
        if (!strcmp(at, units->name)) {
            if (whole > UINT64_MAX / 2 / units->factor)
                return false;
            *ret_number = whole * units->factor + decimals * units->factor / scale;
            return true;
        }
    return false;
}

static void write_number(uint64_t number, enum orr_config_kind kind, char *text, size_t size)
{
    if (kind == ORR_CONFIG_SECONDS && number % 1000)
        snprintf(text, size, "%llu.%03llu", (unsigned long long)number / 1000, (unsigned long long)number % 1000);
    else if (kind == ORR_CONFIG_SECONDS)
        snprintf(text, size, "%llu", (unsigned long long)number / 1000);
    else
        snprintf(text, size, "%llu", (unsigned long long)number);
}

static bool read_bool(const char *text, bool *ret_yes)
{
    static const char *const words[] = {"yes", "no", "1", "0", "true", "false", "on", "off"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcmp(text, words[i])) {
            *ret_yes = i % 2 == 0;
            return true;
        }
    return false;
}

/* The place of a word in "json|logfmt". */
static bool read_choice(const char *text, const char *words, uint64_t *ret_place)
{
    uint64_t place = 0;
    for (size_t length; *words; words += length + (words[length] == '|'), place++) {
        length = strcspn(words, "|");
        if (strlen(text) == length && !strncmp(text, words, length)) {
            *ret_place = place;
            return true;
        }
    }
    return false;
}

static enum orr_code wrong(const struct orr_config_row *row, const char *value, enum orr_config_source source,
                           struct orr_error *err)
{
    static const char *const wants[] = {
        [ORR_CONFIG_BYTES] = "a number of bytes such as 65536, 64K or 16M",
        [ORR_CONFIG_SECONDS] = "a time in seconds such as 30, 0.5, 500ms or 5m",
        [ORR_CONFIG_COUNT] = "a whole number",
        [ORR_CONFIG_BOOL] = "yes or no",
        [ORR_CONFIG_CHOICE] = "",
        [ORR_CONFIG_TEXT] = "a text",
        [ORR_CONFIG_URL] = "a path or a URL",
        [ORR_CONFIG_LIST] = "items separated by commas",
    };
    char name[72], lowest[32], highest[32];
    if (source == ORR_CONFIG_ENVIRONMENT)
        orr_config_variable(row, name);
    else
        snprintf(name, sizeof name, "--%s", row->name);
    write_number(row->lowest, row->kind, lowest, sizeof lowest);
    write_number(row->highest, row->kind, highest, sizeof highest);
    if (row->kind == ORR_CONFIG_CHOICE)
        return orr_fail(err, ORR_SETTING, "%s must be %s, not \"%.60s\"", name, row->value, value);
    if (row->kind > ORR_CONFIG_COUNT)
        return orr_fail(err, ORR_SETTING, "%s must be %s, not \"%.60s\"", name, wants[row->kind], value);
    return orr_fail(err, ORR_SETTING, "%s must be %s from %s to %s, not \"%.60s\"", name, wants[row->kind], lowest,
                    highest, value);
}

enum orr_code orr_config_set(struct orr_config *config, const struct orr_config_row *row, const char *value,
                             enum orr_config_source source, struct orr_error *err)
{
    void *place = (char *)config + row->at;
    uint64_t number = 0;
    switch (row->kind) {
    case ORR_CONFIG_BOOL:
        if (!read_bool(value ? value : "yes", place))
            return wrong(row, value, source, err);
        break;
    case ORR_CONFIG_TEXT:
    case ORR_CONFIG_URL:
    case ORR_CONFIG_LIST:
        if (!value || !*value)
            return wrong(row, "", source, err);
        *(const char **)place = value;
        break;
    case ORR_CONFIG_CHOICE:
        if (!value || !read_choice(value, row->value, place))
            return wrong(row, value ? value : "", source, err);
        break;
    case ORR_CONFIG_BYTES:
    case ORR_CONFIG_SECONDS:
    case ORR_CONFIG_COUNT:
        if (!value || !read_number(value, units_of(row->kind), &number) || number < row->lowest ||
            number > row->highest)
            return wrong(row, value ? value : "", source, err);
        *(uint64_t *)place = number;
    }
    config->sources[row - orr_config_rows] = (unsigned char)source;
    return ORR_OK;
}

void orr_config_init(struct orr_config *config)
{
    memset(config, 0, sizeof *config);
    for (size_t i = 0; i < orr_config_row_count; i++) {
        const struct orr_config_row *row = &orr_config_rows[i];
        /* If a row refuses its own default, the table is wrong, which a test finds. */
        if (row->fallback && orr_config_set(config, row, row->fallback, ORR_CONFIG_DEFAULT, NULL) != ORR_OK)
            fprintf(stderr, "orrery: the default of --%s is wrong\n", row->name);
    }
}

static bool is_known(const char *variable, size_t length)
{
    char name[64];
    for (size_t i = 0; i < orr_config_row_count; i++) {
        orr_config_variable(&orr_config_rows[i], name);
        if (strlen(name) == length && !strncmp(name, variable, length))
            return true;
    }
    return false;
}

unsigned orr_config_environment(struct orr_config *config, FILE *problems)
{
    unsigned count = 0;
    for (size_t i = 0; i < orr_config_row_count; i++) {
        const struct orr_config_row *row = &orr_config_rows[i];
        struct orr_error err = {0};
        char name[64];
        orr_config_variable(row, name);
        const char *value = getenv(name);
        if (!value || !*value || config->sources[i] == ORR_CONFIG_FLAG)
            continue;
        if (orr_config_set(config, row, value, ORR_CONFIG_ENVIRONMENT, &err) != ORR_OK) {
            fprintf(problems, "orrery: %s\n", err.text);
            count++;
        }
    }
    for (char **at = environ; at && *at; at++) {
        size_t length = strcspn(*at, "=");
        if (!strncmp(*at, prefix, PREFIX) && !is_known(*at, length))
            fprintf(problems, "orrery: note: there is no setting %.*s; `orrery serve --help` lists them\n",
                    (int)(length > 100 ? 100 : length), *at);
    }
    return count;
}

bool orr_config_item(const char **list, const char **ret_start, size_t *ret_length)
{
    const char *at = *list;
    if (!at)
        return false;
    at += strspn(at, ", \t");
    size_t length = strcspn(at, ",");
    *list = at + length;
    while (length && (at[length - 1] == ' ' || at[length - 1] == '\t'))
        length--;
    *ret_start = at;
    *ret_length = length;
    return length > 0;
}

/* Copies a URL without its password: scheme://user:PASSWORD@host and password=PASSWORD. */
static void without_password(const char *url, char *text, size_t size)
{
    const char *scheme = strstr(url, "://"), *authority = scheme ? scheme + 3 : NULL;
    const char *end = authority ? authority + strcspn(authority, "/?") : NULL, *at = NULL;
    for (const char *c = authority; c && c < end; c++)
        at = *c == '@' ? c : at;
    const char *colon = at ? memchr(authority, ':', (size_t)(at - authority)) : NULL;
    char *out = text, *last = text + size - 1;
    for (const char *c = url; *c && out < last;) {
        if (colon && c == colon) {
            out += snprintf(out, (size_t)(last - out) + 1, ":***");
            c = at;
        } else if (!strncmp(c, "password=", 9)) {
            out += snprintf(out, (size_t)(last - out) + 1, "password=***");
            c += 9 + strcspn(c + 9, "& ");
        } else {
            *out++ = *c++;
        }
        if (out > last)
            out = last;
    }
    *out = 0;
}

void orr_config_shown(const struct orr_config *config, const struct orr_config_row *row, char *text, size_t size)
{
    const void *place = (const char *)config + row->at;
    const char *string = row->kind >= ORR_CONFIG_TEXT ? *(const char *const *)place : NULL;
    if (row->kind == ORR_CONFIG_BOOL) {
        snprintf(text, size, "%s", *(const bool *)place ? "yes" : "no");
    } else if (row->kind == ORR_CONFIG_CHOICE) {
        const char *word = row->value;
        for (uint64_t i = *(const uint64_t *)place; i; i--)
            word += strcspn(word, "|") + 1;
        snprintf(text, size, "%.*s", (int)strcspn(word, "|"), word);
    } else if (row->kind < ORR_CONFIG_TEXT) {
        write_number(*(const uint64_t *)place, row->kind, text, size);
    } else if (string && row->kind == ORR_CONFIG_URL) {
        without_password(string, text, size);
    } else {
        snprintf(text, size, "%s", string ? string : "");
    }
}

void orr_config_print(const struct orr_config *config, FILE *out)
{
    for (int group = 0; group < ORR_CONFIG_GROUP_COUNT; group++)
        for (size_t i = 0; i < orr_config_row_count; i++) {
            const struct orr_config_row *row = &orr_config_rows[i];
            char value[PATH_MAX], source[72] = "default";
            if (row->group != (enum orr_config_group)group)
                continue;
            orr_config_shown(config, row, value, sizeof value);
            if (config->sources[i] == ORR_CONFIG_ENVIRONMENT)
                orr_config_variable(row, source);
            else if (config->sources[i] == ORR_CONFIG_FLAG)
                snprintf(source, sizeof source, "--%s", row->name);
            fprintf(out, "%-16s %-32s %s\n", row->name, *value ? value : "-", source);
        }
}
