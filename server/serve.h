/* SPDX-License-Identifier: Apache-2.0 */
/* Starts the service from the command line. cli includes no other header of this folder. */
#ifndef ORR_SERVER_SERVE_H
#define ORR_SERVER_SERVE_H

#include "server/config.h"

/* Called for each error in the settings. */
typedef void orr_serve_report(const struct orr_error *err);

/* Fills in settings from the environment if no flag was given, checks them, and serves until SIGTERM or SIGINT.
 * check_only: instead prints the settings in force with their sources, and whether they are usable. Each error goes to
 * `report`. SETTING if a setting is wrong, otherwise the code of the first error. */
enum orr_code orr_serve(struct orr_config *config, bool check_only, orr_serve_report *report) ORR_NO_DISCARD;

enum { ORR_TOKEN_SIZE = 72, ORR_TOKEN_LINE = 256 };
/* A new token: 32 random bytes. name: at most 63 letters, digits, and any of - _ . @; scopes: "read", "write" or
 * "read,write". token: the token for its owner, which Orrery does not keep; line: the line for the token file (name,
 * scopes, SHA-256), without a line break. SETTING for an invalid name or scope; IO if the system has no random bytes.
 */
enum orr_code orr_token_make(const char *name, const char *scopes, char token[ORR_TOKEN_SIZE],
                             char line[ORR_TOKEN_LINE], struct orr_error *err) ORR_NO_DISCARD;

#endif
