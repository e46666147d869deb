/* SPDX-License-Identifier: Apache-2.0 */
/* Who may use the service: a file of tokens, a line each, that holds their SHA-256 only.
 *
 *     # comments and empty lines are left out
 *     NAME SCOPE[,SCOPE] SHA256          ci read,write 9f86d0...
 *
 * NAME appears in logs; SCOPE is read, write or agent:HOST; SHA256 is 64 hex digits of the token's bytes, which `orrery
 * token` prints (or `printf %s TOKEN | sha256sum`).
 */
#ifndef ORR_SERVER_TOKENS_H
#define ORR_SERVER_TOKENS_H

#include <stdbool.h>
#include <stddef.h>

#include "engine/base/error.h"

enum { ORR_TOKEN_NAME = 64, ORR_TOKEN_DIGEST = 32, ORR_TOKEN_HOST = 128 };

struct orr_tokens;

/* What is known of who asks. */
struct orr_bearer {
    unsigned scopes; /* enum orr_scope; 0: no token, or one that nobody has */
    char name[ORR_TOKEN_NAME];
    char host[ORR_TOKEN_HOST]; /* of an agent, else "" */
};

/* Reads the file; IO or SETTING with file and line if it cannot be taken. */
enum orr_code orr_tokens_open(const char *path, struct orr_tokens **ret_tokens, struct orr_error *err) ORR_NO_DISCARD;
void orr_tokens_close(struct orr_tokens *tokens);
/* Reads it again. What was in force stays where the new file cannot be taken. */
enum orr_code orr_tokens_reload(struct orr_tokens *tokens, struct orr_error *err) ORR_NO_DISCARD;
size_t orr_tokens_count(struct orr_tokens *tokens);
/* Looks an Authorization header up; every entry is compared, in constant time. False: no known token. */
bool orr_tokens_find(struct orr_tokens *tokens, const char *authorization, struct orr_bearer *bearer);

/* "read,write" or "agent:HOST" to bits of enum orr_scope, and the host; 0: not understood. ret_host may be NULL. */
unsigned orr_scopes_parse(const char *text, size_t length, char ret_host[ORR_TOKEN_HOST]);

#endif
