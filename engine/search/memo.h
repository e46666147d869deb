/* SPDX-License-Identifier: Apache-2.0 */
/* Results of earlier searches. A search depends only on the facts that orr_search_prepare() computes. Many subsets of a
 * machine's GPUs have the same facts, so they share one result. Keys are compared completely, so a result never belongs
 * to another input. Any number of threads may share a memo. */
#ifndef ORR_SEARCH_MEMO_H
#define ORR_SEARCH_MEMO_H

#include <stddef.h>

/* A memo serves questions about one release; dump, GPUs, hosts and settings may differ. */
struct orr_search_memo;

/* A memo of at most this many bytes; a result that does not fit is searched for again each time. NULL if memory runs
 * out. */
struct orr_search_memo *orr_search_memo_new(size_t limit);
void orr_search_memo_free(struct orr_search_memo *memo);

#endif
