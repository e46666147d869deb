/* SPDX-License-Identifier: Apache-2.0 */
#include "engine/base/hex.h"

#include <string.h>

static const char digits_of[] = "0123456789abcdef";

size_t orr_hex_span(const char *text, size_t length)
{
    size_t count = 0;
    while (count < length && orr_hex_digit(text[count]) >= 0)
        count++;
    return count;
}

bool orr_hex_is_lower(const char *text, size_t digits)
{
    return strspn(text, digits_of) >= digits;
}

void orr_hex_write(const uint8_t *bytes, size_t size, char *ret_text)
{
    for (size_t i = 0; i < size; i++) {
        ret_text[2 * i] = digits_of[bytes[i] >> 4];
        ret_text[2 * i + 1] = digits_of[bytes[i] & 15];
    }
    ret_text[2 * size] = 0;
}

bool orr_hex_read(const char *text, size_t size, uint8_t *ret_bytes)
{
    for (size_t i = 0; i < size; i++) {
        int high = orr_hex_digit(text[2 * i]), low = high < 0 ? -1 : orr_hex_digit(text[2 * i + 1]);
        if (low < 0)
            return false;
        ret_bytes[i] = (uint8_t)(high << 4 | low);
    }
    return true;
}
