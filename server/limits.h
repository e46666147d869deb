/* SPDX-License-Identifier: Apache-2.0 */
/* Limits for each client: a token bucket for its rate of requests, and a count of its requests under way. A client is
 * a token's name, or an address (an IPv6 /64) if there is none. Memory stays bounded, however many addresses send
 * requests. */
#ifndef ORR_SERVER_LIMITS_H
#define ORR_SERVER_LIMITS_H

#include <stdint.h>

#include "api/http/api.h"
#include "server/client_address.h"

struct orr_limits;

struct orr_client {
    uint64_t key[2];
};

struct orr_limits_options {
    uint64_t rate;  /* requests a second; 0 means any */
    uint64_t burst; /* at once; 0 means twice the rate */
    uint64_t under_way;
};

/* *ret_limits is NULL if nothing is limited; all functions accept NULL. */
enum orr_code orr_limits_new(const struct orr_limits_options *options, struct orr_limits **ret_limits,
                             struct orr_error *err) ORR_NO_DISCARD;
void orr_limits_free(struct orr_limits *limits);

struct orr_client orr_client_of(const struct orr_address *address, const char *token_name);
/* ORR_DENIED_NOT if the request may go on, and the caller must call orr_limits_leave(). Otherwise the reason for the
 * refusal, and when to try again. */
enum orr_denial orr_limits_enter(struct orr_limits *limits, const struct orr_client *client, uint64_t now_ms,
                                 unsigned *ret_retry_after);
void orr_limits_leave(struct orr_limits *limits, const struct orr_client *client);

#endif
