/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/input/shapes.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "engine/base/hex.h"
#include "engine/base/words.h"
#include "engine/dump/dump.h"

enum { SHORTEST_NUMBER = 9, LONGEST_NAME = 255 };

void orr_secrets_init(struct orr_secrets *secrets, struct orr_arena *arena)
{
    *secrets = (struct orr_secrets){.arena = arena, .index = {.arena = arena}};
}

static uint64_t hash_of(const char *text, size_t length)
{
    return orr_hash_key(orr_hash_seeded(), text, length);
}

/* Keeps a pair; `to` is NULL if memory ran out. */
static const char *keep(struct orr_secrets *secrets, const char *text, size_t length, const char *to)
{
    struct orr_replacements *made = &secrets->made;
    const char *from = orr_arena_strndup(secrets->arena, text, length);
    if (!from || !to || !ORR_RESERVE(secrets->arena, made->rows, made->count, secrets->capacity) ||
        !orr_index_add(&secrets->index, hash_of(text, length), made->count))
        return NULL;
    made->rows[made->count++] = (struct orr_replacement){.from = from, .to = to};
    return to;
}

static const char *stand_in(struct orr_secrets *secrets, enum orr_secret kind)
{
    static const char *const forms[ORR_SECRET_COUNT] = {ORR_SECRET_MAP(ORR_SECOND_OF)};
    enum { BYTE = 255 };
    char text[ORR_SHAPE_SIZE];
    uint32_t n = ++secrets->counts[kind];
    if (kind == ORR_SECRET_IPV4)
        snprintf(text, sizeof text, "10.%u.%u.%u", n >> 16 & BYTE, n >> 8 & BYTE, n & BYTE);
    else if (kind == ORR_SECRET_MAC)
        snprintf(text, sizeof text, "02:00:00:%02x:%02x:%02x", n >> 16 & BYTE, n >> 8 & BYTE, n & BYTE);
    else if (kind == ORR_SECRET_EUI)
        snprintf(text, sizeof text, "0200:0000:%04x:%04x", n >> 16 & 0xffffu, n & 0xffffu);
    else
        snprintf(text, sizeof text, forms[kind], n); /* NOLINT: a format from our own table */
    return orr_arena_strndup(secrets->arena, text, strlen(text));
}

const char *orr_secret_find(const struct orr_secrets *secrets, const char *text, size_t length)
{
    const uint64_t hash = hash_of(text, length);
    uintptr_t row;
    for (struct orr_probe probe = {0}; orr_index_next(&secrets->index, hash, &probe, &row);) {
        const struct orr_replacement *known = &secrets->made.rows[row];
        if (strlen(known->from) == length && !memcmp(known->from, text, length))
            return known->to;
    }
    return NULL;
}

static const char *replace(struct orr_secrets *secrets, enum orr_secret kind, const char *text, size_t length)
{
    const char *known = orr_secret_find(secrets, text, length);
    return known ? known : keep(secrets, text, length, stand_in(secrets, kind));
}

/* Digits of a number in hex after 0x and zeros; 0 if it is not a number. */
static size_t hex_digits(const char *text, size_t length)
{
    size_t at = length > 2 && text[0] == '0' && (text[1] == 'x' || text[1] == 'X') ? 2 : 0;
    while (at < length && text[at] == '0')
        at++;
    size_t digits = length - at;
    return orr_hex_span(text + at, digits) == digits ? digits : 0;
}

/* Words without which a dump or a log cannot be read are not names, whatever a host is called. */
static bool is_needed(const char *text, size_t length)
{
    static const char *const words[] = {"localhost", "root",     "NCCL", "INFO",   "WARN",  "TRACE",   "GPU",
                                        "CPU",       "NIC",      "NVS",  "Ring",   "Tree",  "Channel", "via",
                                        "rank",      "node",     "none", "true",   "false", "info",    "value",
                                        "object",    "topology", "type", "unknown"};
    char word[32];
    snprintf(word, sizeof word, "%.*s", (int)(length < sizeof word ? length : sizeof word - 1), text);
    if (length >= sizeof word)
        return false;
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcasecmp(words[i], word))
            return true;
    for (int kind = 0; kind < ORR_ELEMENT_COUNT; kind++)
        if (!strcasecmp(orr_element_name((enum orr_element_kind)kind), word))
            return true;
    return orr_attr_find(word) != ORR_ATTR_OTHER;
}

static void learn_number(struct orr_secrets *secrets, enum orr_secret kind, const char *text, size_t length)
{
    size_t digits = hex_digits(text, length);
    const char *to;
    char with[ORR_SHAPE_SIZE];
    if (digits < SHORTEST_NUMBER || digits >= ORR_SHAPE_SIZE - 3)
        return; /* too short to name anything, or not a number */
    /* Dumps and logs spell it differently; both spellings mean the same. */
    const char *bare = text + length - digits;
    if (orr_secret_find(secrets, text, length))
        return;
    to = orr_secret_find(secrets, bare, digits);
    int size = snprintf(with, sizeof with, "0x%.*s", (int)digits, bare);
    if (!to) {
        to = stand_in(secrets, kind);
        if (to && keep(secrets, bare, digits, to + 2))
            keep(secrets, with, (size_t)size, to);
        return;
    }
    if (bare == text)
        return;
    to = orr_secret_find(secrets, with, (size_t)size);
    if (to) /* with leading zeros */
        keep(secrets, text, length, to);
}

void orr_secret_learn(struct orr_secrets *secrets, enum orr_secret kind, const char *text, size_t length)
{
    if (kind == ORR_SECRET_GUID || kind == ORR_SECRET_HASH || kind == ORR_SECRET_ASIC) {
        learn_number(secrets, kind, text, length);
        return;
    }
    bool letters = false;
    for (size_t i = 0; i < length; i++)
        letters |= isalpha((unsigned char)text[i]) != 0;
    if (length < 2 || length > LONGEST_NAME || !letters || is_needed(text, length) ||
        orr_secret_find(secrets, text, length))
        return;
    const char *to = NULL, *dot = kind == ORR_SECRET_HOST ? memchr(text, '.', length) : NULL;
    if (dot && dot > text) { /* a name with a domain: the name alone is the same host */
        size_t label = (size_t)(dot - text);
        to = orr_secret_find(secrets, text, label);
        if (!to && !is_needed(text, label)) {
            to = stand_in(secrets, kind);
            keep(secrets, text, label, to);
        } else {
            to = NULL; /* another domain: another host */
        }
    }
    keep(secrets, text, length, to ? to : stand_in(secrets, kind));
}

static bool is_word(char c)
{
    return isalnum((unsigned char)c) || c == '_' || c == '-';
}

/* Whether the name ends here. */
static bool ends(const char *bytes, size_t length, size_t at, char also)
{
    if (at >= length)
        return true;
    if (bytes[at] == '.')
        return at + 1 >= length || !isalnum((unsigned char)bytes[at + 1]);
    return !is_word(bytes[at]) && bytes[at] != also;
}

static size_t ipv4(const char *bytes, size_t length, size_t at)
{
    size_t start = at;
    for (int group = 0; group < 4; group++) {
        unsigned value = 0;
        size_t digits = 0;
        while (at < length && isdigit((unsigned char)bytes[at]) && digits < 4) {
            value = value * 10 + (unsigned)(bytes[at++] - '0');
            digits++;
        }
        if (!digits || digits > 3 || value > 255 || (group == 0 && (value == 127 || value == 0 || value == 255)))
            return 0;
        if (group < 3 && (at >= length || bytes[at++] != '.'))
            return 0;
    }
    return ends(bytes, length, at, 0) ? at - start : 0;
}

/* Groups of hex digits with colons between: MAC addresses, GUIDs and IPv6 addresses by how many and how long. */
static size_t colons(const char *bytes, size_t length, size_t at, enum orr_secret *ret_kind)
{
    enum { LONGEST_GROUP = 4, MOST_GROUPS = 8 };
    size_t start = at, groups = 0, twos = 0, fours = 0;
    bool gap = false;
    while (at < length && groups <= MOST_GROUPS) {
        size_t digits = orr_hex_span(bytes + at, length - at);
        at += digits;
        if (digits > LONGEST_GROUP)
            return 0;
        groups += digits > 0;
        twos += digits == 2;
        fours += digits == 4;
        if (at >= length || bytes[at] != ':')
            break;
        if (at + 1 < length && bytes[at + 1] == ':') {
            if (gap)
                return 0;
            gap = true;
            at++;
        } else if (at + 1 >= length || orr_hex_digit(bytes[at + 1]) < 0) {
            break; /* the colon is punctuation */
        }
        at++;
    }
    if (!ends(bytes, length, at, 0))
        return 0;
    *ret_kind = !gap && groups == 6 && twos == 6    ? ORR_SECRET_MAC
                : !gap && groups == 4 && fours == 4 ? ORR_SECRET_EUI
                                                    : ORR_SECRET_IPV6;
    if (*ret_kind == ORR_SECRET_IPV6 && !(gap ? groups >= 2 && groups < MOST_GROUPS : groups == MOST_GROUPS))
        return 0;
    return at - start;
}

static size_t uuid(const char *bytes, size_t length, size_t at)
{
    static const int groups[] = {8, 4, 4, 4, 12};
    size_t start = at;
    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++) {
        for (int i = 0; i < groups[g]; i++)
            if (at >= length || orr_hex_digit(bytes[at++]) < 0)
                return 0;
        if (g + 1 < sizeof groups / sizeof groups[0] && (at >= length || bytes[at++] != '-'))
            return 0;
    }
    return ends(bytes, length, at, 0) ? at - start : 0;
}

/* A colon before the place belongs to the same address if only hex digits precede it. */
static bool goes_on(const char *bytes, size_t at)
{
    if (!at || bytes[at - 1] != ':')
        return false;
    size_t before = at - 1;
    while (before > 0 && orr_hex_digit(bytes[before - 1]) >= 0 && at - before < 8)
        before--;
    return before == 0 || !is_word(bytes[before - 1]);
}

size_t orr_shape_at(const char *bytes, size_t length, size_t at, struct orr_secrets *secrets,
                    char ret_text[ORR_SHAPE_SIZE])
{
    size_t prefix = length - at > 4 && (!memcmp(bytes + at, "GPU-", 4) || !memcmp(bytes + at, "MIG-", 4)) ? 4 : 0;
    enum orr_secret kind = ORR_SECRET_UUID;
    size_t size = uuid(bytes, length, at + prefix);
    if (!size && !prefix) {
        kind = ORR_SECRET_IPV4;
        size = ipv4(bytes, length, at);
        if (!size && !goes_on(bytes, at))
            size = colons(bytes, length, at, &kind);
    }
    if (!size)
        return 0;
    const char *to = replace(secrets, kind, bytes + at + prefix, size);
    if (!to)
        return 0;
    snprintf(ret_text, ORR_SHAPE_SIZE, "%.*s%s", (int)prefix, bytes + at, to);
    return prefix + size;
}
