/* SPDX-License-Identifier: Apache-2.0 */
/* Searches that were made before. A search is a function of what orr_search_prepare() computes, and many subsets of a
 * machine's GPUs look the same to it: then what was found for one holds for the others. Entries are compared whole, so
 * a result is never another input's. Any number of threads may share a memo. */
#ifndef ORR_SEARCH_MEMO_H
#define ORR_SEARCH_MEMO_H

#include <stddef.h>

/* For questions under one release; dump, GPUs, hosts and settings may differ. */
struct orr_search_memo;

/* Holds at most this many bytes; what does not fit is searched each time. NULL: out of memory. */
struct orr_search_memo *orr_search_memo_new(size_t limit);
void orr_search_memo_free(struct orr_search_memo *memo);

#endif
