/* SPDX-License-Identifier: Apache-2.0 */
#include "tests/property/mutation.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* A place and how many bytes are replaced by what. */
struct change {
    size_t at, gone;
    char put[64];
    size_t put_length;
};

static struct change change_byte(struct chance *c, const char *bytes, size_t length)
{
    struct change change = {.at = chance_below(c, (uint32_t)length), .gone = 1, .put_length = 1};
    if (chance_percent(c, 50))
        change.put[0] = (char)chance_below(c, 256);
    else
        change.put[0] = (char)(bytes[change.at] ^ 1 << chance_below(c, 7));
    return change;
}

static struct change cut_out(struct chance *c, const char *bytes, size_t length)
{
    (void)bytes;
    struct change change = {.at = chance_below(c, (uint32_t)length), .gone = chance_below(c, 40)};
    return change;
}

static struct change repeat(struct chance *c, const char *bytes, size_t length)
{
    struct change change = {.at = chance_below(c, (uint32_t)length)};
    change.put_length = 1 + chance_below(c, sizeof change.put);
    if (change.put_length > length - change.at)
        change.put_length = length - change.at;
    memcpy(change.put, bytes + change.at, change.put_length);
    return change;
}

/* The contents of some attribute, or what replaces it, become something else that a reader may believe. */
static struct change change_value(struct chance *c, const char *bytes, size_t length)
{
    static const char *const values[] = {
        "0",  "-1", "1",           "2",           "3",      "255",  "4294967295", "2147483647",
        "64", "",   "-2147483648", "99999999999", "0x1000", "1e39", "nan",        "0000:10:00.0",
        "7",  "16", "0x030200",    "0x060400",    "x86_64", "arm64"};
    struct change change = {.at = chance_below(c, (uint32_t)length)};
    while (change.at + 1 < length && !(bytes[change.at] == '=' && bytes[change.at + 1] == '"'))
        change.at++;
    if (change.at + 2 >= length)
        return change_byte(c, bytes, length);
    change.at += 2;
    const char *end = memchr(bytes + change.at, '"', length - change.at);
    change.gone = end ? (size_t)(end - bytes) - change.at : 0;
    const char *value = CHANCE_OF(c, values);
    change.put_length = strlen(value);
    memcpy(change.put, value, change.put_length);
    return change;
}

/* One whole line goes: mostly an element, or a start or end tag. */
static struct change drop_line(struct chance *c, const char *bytes, size_t length)
{
    struct change change = {.at = chance_below(c, (uint32_t)length)};
    while (change.at > 0 && bytes[change.at - 1] != '\n')
        change.at--;
    const char *end = memchr(bytes + change.at, '\n', length - change.at);
    change.gone = end ? (size_t)(end - bytes) - change.at + 1 : length - change.at;
    return change;
}

void mutate(struct chance *chance, const char *bytes, size_t length, struct orr_text *ret_text)
{
    static struct change (*const kinds[])(struct chance *, const char *, size_t) = {
        change_byte, cut_out, repeat, change_value, change_value, change_value, change_value, change_value, drop_line};
    size_t done = 0;
    uint32_t changes = chance_percent(chance, 60) ? 1 : (uint32_t)chance_between(chance, 2, 4);
    /* From front to back, so that one pass copies everything. */
    for (uint32_t i = 0; i < changes && done < length; i++) {
        struct change change = CHANCE_OF(chance, kinds)(chance, bytes + done, length - done);
        if (change.gone > length - done - change.at)
            change.gone = length - done - change.at;
        orr_text_add(ret_text, bytes + done, change.at);
        orr_text_add(ret_text, change.put, change.put_length);
        done += change.at + change.gone;
    }
    orr_text_add(ret_text, bytes + done, length - done);
}
