/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/utf8.h"

#include <string.h>

size_t orr_utf8_length(const char *text)
{
    static const struct {
        unsigned char low, high, second_low, second_high;
        size_t length;
    } forms[] = {
        {0x01, 0x7f, 0, 0, 1},       {0xc2, 0xdf, 0x80, 0xbf, 2}, {0xe0, 0xe0, 0xa0, 0xbf, 3},
        {0xe1, 0xec, 0x80, 0xbf, 3}, {0xed, 0xed, 0x80, 0x9f, 3}, {0xee, 0xef, 0x80, 0xbf, 3},
        {0xf0, 0xf0, 0x90, 0xbf, 4}, {0xf1, 0xf3, 0x80, 0xbf, 4}, {0xf4, 0xf4, 0x80, 0x8f, 4},
    };
    const unsigned char *bytes = (const unsigned char *)text;
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (bytes[0] < forms[i].low || bytes[0] > forms[i].high)
            continue;
        if (forms[i].length > 1 && (bytes[1] < forms[i].second_low || bytes[1] > forms[i].second_high))
            return 0;
        for (size_t k = 2; k < forms[i].length; k++)
            if (bytes[k] < 0x80 || bytes[k] > 0xbf)
                return 0;
        return forms[i].length;
    }
    return 0;
}

bool orr_is_utf8(const char *text)
{
    while (*text) {
        size_t length = orr_utf8_length(text);
        if (!length)
            return false;
        text += length;
    }
    return true;
}

size_t orr_xml_length(const char *text)
{
    size_t length = orr_utf8_length(text);
    bool control = length == 1 && (unsigned char)*text < 0x20 && !strchr("\t\n\r", *text);
    bool reserved = length == 3 && (!memcmp(text, "\xef\xbf\xbe", 3) || !memcmp(text, "\xef\xbf\xbf", 3));
    return control || reserved ? 0 : length;
}

size_t orr_shown_length(const char *text)
{
    /* Byte ranges in UTF-8: C1, the Arabic letter mark, direction marks, separators, embeddings, isolates. */
    static const char *const hidden[][2] = {{"\x01", "\x1f"},
                                            {"\x7f", "\x7f"},
                                            {"\xc2\x80", "\xc2\x9f"},
                                            {"\xd8\x9c", "\xd8\x9c"},
                                            {"\xe2\x80\x8e", "\xe2\x80\x8f"},
                                            {"\xe2\x80\xa8", "\xe2\x80\xae"},
                                            {"\xe2\x81\xa6", "\xe2\x81\xa9"}};
    const size_t length = orr_utf8_length(text);
    for (size_t i = 0; length && i < sizeof hidden / sizeof hidden[0]; i++)
        if (strlen(hidden[i][0]) == length && memcmp(text, hidden[i][0], length) >= 0 &&
            memcmp(text, hidden[i][1], length) <= 0)
            return 0;
    return length;
}
