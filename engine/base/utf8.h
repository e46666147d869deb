/* SPDX-License-Identifier: Apache-2.0 */
/* Texts from outside may hold any bytes; documents are UTF-8. */
#ifndef ORR_BASE_UTF8_H
#define ORR_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed UTF-8 character at the start of a text; 0 if there is none, as at the text's end. */
size_t orr_utf8_length(const char *text);
bool orr_is_utf8(const char *text);

#endif
