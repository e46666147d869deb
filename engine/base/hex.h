/* SPDX-License-Identifier: Apache-2.0 */
/* Hexadecimal digits, independent of the locale. */
#ifndef ORR_BASE_HEX_H
#define ORR_BASE_HEX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The value of one digit in either case, 0 to 15, or -1 if not a hexadecimal digit. */
static inline int orr_hex_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    const char small = (char)(c | 0x20);
    return small >= 'a' && small <= 'f' ? small - 'a' + 10 : -1;
}

/* The number of hexadecimal digits at the start of the first `length` characters; stops at a zero. */
size_t orr_hex_span(const char *text, size_t length);
/* Whether the text begins with this many lower-case digits, 0-9 and a-f. */
bool orr_hex_is_lower(const char *text, size_t digits);
/* Writes `size` bytes as 2 * size lower-case digits and a terminating zero. */
void orr_hex_write(const uint8_t *bytes, size_t size, char *ret_text);
/* Reads 2 * size digits. False, with ret_bytes partly written: another character or the end came first. */
bool orr_hex_read(const char *text, size_t size, uint8_t *ret_bytes);

#endif
