/* SPDX-License-Identifier: Apache-2.0 */
/* The channel search by the rules of docs/nccl/search.md, step by step, with nothing left out: what engine/search must
 * find too. It counts in floats as NCCL does, remembers nothing and makes every attempt. */
#ifndef ORR_TESTS_PLAIN_SEARCH_H
#define ORR_TESTS_PLAIN_SEARCH_H

#include "engine/search/search.h"

enum { PLAIN_MOST_GPUS = 32, PLAIN_MOST_NETS = 64 };

/* The same as orr_search(), but for graph files, memos and stories, which it does not know. LIMIT: more GPUs or NETs
 * than it has room for. */
enum orr_code plain_search(const struct orr_paths *paths, const struct orr_settings *settings,
                           const struct orr_search_request *request, struct orr_arena *arena,
                           struct orr_graph ret_graphs[ORR_GRAPH_COUNT], struct orr_error *err) ORR_NO_DISCARD;

#endif
