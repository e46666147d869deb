/* SPDX-License-Identifier: Apache-2.0 */
/* The service as the command line starts it: the one header of this folder that cli includes. */
#ifndef ORR_SERVER_SERVE_H
#define ORR_SERVER_SERVE_H

#include "server/config.h"

/* Called for each fault that is found. */
typedef void orr_serve_report(const struct orr_error *err);

/* Takes what the environment says where no flag was given, checks the settings, and serves until SIGTERM or SIGINT.
 * check_only: prints the settings in force with their sources instead, and whether they can be used.
 * Each fault goes to `report`. SETTING if a setting is at fault, otherwise the code of the first fault. */
enum orr_code orr_serve(struct orr_config *config, bool check_only, orr_serve_report *report) ORR_NO_DISCARD;

enum { ORR_TOKEN_SIZE = 72, ORR_TOKEN_LINE = 256 };
/* A new token: 32 random bytes.
 * name: at most 63 letters, digits, and any of - _ . @; scopes: "read", "write" or "read,write".
 * token: for its owner, kept nowhere; line: what the token file holds (name, scopes, SHA-256), without a line break.
 * SETTING for a name or scopes that cannot be used; IO where the system gives no random bytes. */
enum orr_code orr_token_make(const char *name, const char *scopes, char token[ORR_TOKEN_SIZE],
                             char line[ORR_TOKEN_LINE], struct orr_error *err) ORR_NO_DISCARD;

#endif
