/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of UTF-8: texts from outside may contain any bytes, and documents must be UTF-8. */
#ifndef ORR_BASE_UTF8_H
#define ORR_BASE_UTF8_H

#include <stdbool.h>
#include <stddef.h>

/* Bytes of the well-formed UTF-8 character at the start of a text; 0 if there is none, as at the text's end. */
size_t orr_utf8_length(const char *text);
bool orr_is_utf8(const char *text);
/* The same for a character that XML allows: no control characters but tab and line ends, no U+FFFE and U+FFFF. */
size_t orr_xml_length(const char *text);
/* The same for a character that a terminal shows as itself. 0 for characters that could change the terminal or the
 * display of other characters: control characters (C0, DEL, C1), direction marks, line separators. */
size_t orr_shown_length(const char *text);

#endif
