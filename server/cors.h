/* SPDX-License-Identifier: Apache-2.0 */
/* Access for pages of other origins, which is off unless the origin is listed. */
#ifndef ORR_SERVER_CORS_H
#define ORR_SERVER_CORS_H

#include "api/http/api.h"

/* Checks the list: "https://a.example, http://localhost:3000" or "*"; NULL is fine. */
enum orr_code orr_cors_check(const char *origins, struct orr_error *err) ORR_NO_DISCARD;
/* Does the list allow the origin of a request? Both may be NULL. */
bool orr_cors_allows(const char *origins, const char *origin);
/* Lets a page of the origin read the response. */
void orr_cors_allow(struct orr_response *response, const char *origin);
/* The answer to a browser's preflight request (OPTIONS): 204. */
void orr_cors_preflight(struct orr_response *response, const char *origin);

#endif
