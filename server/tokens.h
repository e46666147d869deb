/* SPDX-License-Identifier: Apache-2.0 */
/* The token file, which says who may use the service: one line per token, with only the SHA-256 of the token.
 *
 *     # comments and empty lines are ignored
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

/* The owner of the token that a request sent. */
struct orr_bearer {
    unsigned scopes; /* bits of enum orr_scope; 0 if there is no token, or an unknown one */
    char name[ORR_TOKEN_NAME];
    char host[ORR_TOKEN_HOST]; /* of an agent, else "" */
};

/* Reads the file. IO if it cannot be read; SETTING, with file and line, if a line is wrong. */
enum orr_code orr_tokens_open(const char *path, struct orr_tokens **ret_tokens, struct orr_error *err) ORR_NO_DISCARD;
void orr_tokens_close(struct orr_tokens *tokens);
/* Reads the file again. If it is unreadable or wrong, the old tokens stay in force. */
enum orr_code orr_tokens_reload(struct orr_tokens *tokens, struct orr_error *err) ORR_NO_DISCARD;
size_t orr_tokens_count(struct orr_tokens *tokens);
/* Looks up the token of an Authorization header; compares it with every entry, in constant time. False: no known
 * token. */
bool orr_tokens_find(struct orr_tokens *tokens, const char *authorization, struct orr_bearer *bearer);

/* "read,write" or "agent:HOST" as bits of enum orr_scope, and the host of an agent; 0 if the text is invalid. ret_host
 * may be NULL. */
unsigned orr_scopes_parse(const char *text, size_t length, char ret_host[ORR_TOKEN_HOST]);

#endif
