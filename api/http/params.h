/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the query of a request into a question. Each route says which parameters it accepts; any other name or value
 * is an error that suggests the nearest. */
#ifndef ORR_API_PARAMS_H
#define ORR_API_PARAMS_H

#include "api/http/problem.h"
#include "api/questions/questions.h"

/* Decodes %XX (and + where plus_is_blank) of length bytes into arena. Broken encodings and zero bytes are a TARGET
 * problem. */
enum orr_code orr_decode(const char *text, size_t length, bool plus_is_blank, struct orr_arena *arena,
                         const char **ret_text, struct orr_error *err) ORR_NO_DISCARD;

/* Reads a query string (without "?") into *params, which is zeroed before. Texts are kept in arena. *ret_problem: the
 * kind of error. */
enum orr_code orr_params_read(const char *query, orr_topics accepted, struct orr_arena *arena,
                              struct orr_params *params, enum orr_problem *ret_problem,
                              struct orr_error *err) ORR_NO_DISCARD;

#endif
