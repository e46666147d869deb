/* SPDX-License-Identifier: Apache-2.0 */
/* Inside engine/log_reading: the patterns of the table of kinds, and how a line is compared with one.
 *
 * In a pattern, a blank matches one or more blanks and ~ none or more. Everything else matches itself, except:
 *   %d  a decimal integer          -> a value       %f  a number                -> a value
 *   %i  the blanks at this place   -> a value       %x  a hex number, 0x or not -> a word without 0x
 *   %w  what goes on up to a blank or the pattern's next character              -> a word
 *   %t  what goes on up to the pattern's next character, or to the end          -> a word
 *   %*  anything up to the end, not kept
 *   %l  a list up to the end, by the row's reader; last in a pattern
 *
 * Matching never goes back in a line, so the time is at most the bytes of the line times the patterns.
 */
#ifndef ORR_LOG_SCAN_H
#define ORR_LOG_SCAN_H

#include "engine/base/bytes.h"
#include "engine/log_reading/log.h"

/* What a line ends with. */
enum orr_log_list {
    ORR_LIST_NONE,
    ORR_LIST_REST,  /* anything may follow the pattern, and is not kept */
    ORR_LIST_INTS,  /* "0 1 2", maybe cut off by "..."                      -> values */
    ORR_LIST_NODES, /* "NET/0 GPU/0-1b000"                                  -> words */
    ORR_LIST_PATHS, /* "GPU/0-1b000 (1/240.0/NVL)"                          -> two words (node, type) and two values */
    ORR_LIST_TREES, /* "[0] 1/-1/-1->0->-1", 2.7's with "|0->1->-1/-1/-1"   -> seven values each, see lists.c */
    ORR_LIST_CELLS, /* "Tree | Ring |"                                      -> words */
    ORR_LIST_PAIRS  /* "7.2/ 87.7 | 15.9/ 220.8 |", "512 | 640 |"           -> two values each, -1 if there is one */
};

/* Most values or words of one line: as many of the shortest items as fit into 64 KiB. */
enum { ORR_LOG_MOST_ITEMS = 4096 };

/* What was read of one line; words are spans of its text. */
struct orr_log_catch {
    double values[ORR_LOG_MOST_ITEMS];
    struct {
        const char *at;
        uint32_t length;
    } words[ORR_LOG_MOST_ITEMS];
    uint32_t value_count, word_count;
};

static inline bool orr_log_is_blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Whether length bytes of text match the whole pattern; the catch is filled up to if it does. */
bool orr_log_scan(const char *pattern, enum orr_log_list list, const char *text, size_t length,
                  struct orr_log_catch *found);

/* lists.c: a whole list; false if it is empty or contains something else. */
bool orr_log_scan_list(enum orr_log_list list, const char *text, size_t length, struct orr_log_catch *found);

/* scan_items.c: numbers at *at, which moves on; false leaves it. */
bool orr_log_scan_int(const char **at, const char *end, double *ret_value);
bool orr_log_scan_number(const char **at, const char *end, double *ret_value);
/* Keep another value or word; false if there is no room. */
bool orr_log_keep_value(struct orr_log_catch *found, double value);
bool orr_log_keep_word(struct orr_log_catch *found, const char *at, size_t length);

/* kinds.c: tries the table's rows on a message (what follows "NCCL INFO "); ORR_LOG_KIND_COUNT: none matches. */
enum orr_log_kind orr_log_kind_of(const char *text, size_t length, struct orr_log_catch *found);
/* The same for text that is not NCCL's own: "NCCL version ...", the device lines of nccl-tests. */
enum orr_log_kind orr_log_kind_outside(const char *text, size_t length, struct orr_log_catch *found);
/* Whether a line of the kind can go on in a wrapped one, and whether one opens an initialisation. */
bool orr_log_kind_wraps(enum orr_log_kind kind);
bool orr_log_kind_opens(enum orr_log_kind kind);

#endif
