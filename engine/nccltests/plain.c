/* SPDX-License-Identifier: Apache-2.0 */
/* Turns what people write into the form that said.c and summary.c read: "two nodes of eight H100" becomes "2 nodes of 8
 * H100", and "(2) GH200" becomes "2 GH200". The length of the text does not change. */
#include <string.h>

#include "engine/nccltests/reading.h"

static bool is_border(const char *line, size_t length, size_t at)
{
    return at >= length || !(orr_is_letter(line[at]) || orr_is_digit(line[at]) || line[at] == '_');
}

/* Writes a number over `room` letters. */
static void put(char *at, size_t room, const char *number)
{
    memset(at, ' ', room);
    memcpy(at, number, strlen(number));
}

struct orr_span orr_plain_words(struct orr_span line, char *buffer)
{
    static const struct {
        const char *word, *number;
    } rows[] = {{"two", "2"},   {"three", "3"}, {"four", "4"}, {"five", "5"},    {"six", "6"},
                {"seven", "7"}, {"eight", "8"}, {"ten", "10"}, {"sixteen", "16"}};
    memcpy(buffer, line.at, line.length);
    for (size_t i = 0; i < line.length; i++) {
        const size_t left = line.length - i;
        if (buffer[i] == '(' && left > 2 && orr_is_digit(buffer[i + 1]) && buffer[i + 2] == ')')
            buffer[i] = buffer[i + 2] = ' ';
        if (i && !is_border(buffer, line.length, i - 1))
            continue;
        for (size_t k = 0; k < sizeof rows / sizeof rows[0]; k++) {
            const size_t length = strlen(rows[k].word);
            if (length <= left && orr_span_is((struct orr_span){buffer + i, length}, rows[k].word) &&
                is_border(buffer, line.length, i + length))
                put(buffer + i, length, rows[k].number);
        }
    }
    return (struct orr_span){buffer, line.length};
}
