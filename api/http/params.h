/* SPDX-License-Identifier: Apache-2.0 */
/* The query of a request, read into a question: each route says which parameters it takes; a name or value outside
 * that is an error that names the nearest. */
#ifndef ORR_API_PARAMS_H
#define ORR_API_PARAMS_H

#include "api/http/problem.h"
#include "api/questions/questions.h"

/* Decodes %XX (and + where plus_is_blank) of length bytes into arena. TARGET problem for broken or zero bytes. */
enum orr_code orr_decode(const char *text, size_t length, bool plus_is_blank, struct orr_arena *arena,
                         const char **ret_text, struct orr_error *err) ORR_NO_DISCARD;

/* Reads a query string (without "?") into *params, which is zero. Texts are kept in arena. *ret_problem says what kind
 * of error it is. */
enum orr_code orr_params_read(const char *query, orr_topics accepted, struct orr_arena *arena,
                              struct orr_params *params, enum orr_problem *ret_problem,
                              struct orr_error *err) ORR_NO_DISCARD;

#endif
