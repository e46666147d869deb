/* SPDX-License-Identifier: Apache-2.0 */
/* The id of a request, and its place in a trace (W3C Trace Context). */
#ifndef ORR_SERVER_TRACE_H
#define ORR_SERVER_TRACE_H

#include <stdbool.h>
#include <stdint.h>

enum { ORR_REQUEST_ID = 65, ORR_TRACEPARENT = 56 };

/* The id that the client sent if it is valid (1 to 64 of A-Z a-z 0-9 - _ .), otherwise `number` as 16 hex digits. */
void orr_request_id(const char *given, uint64_t number, char id[ORR_REQUEST_ID]);
/* Continues a traceparent: same trace and flags, with the request's own span, made of `number`. False, and "", if
 * none is given or it is malformed. */
bool orr_trace_continue(const char *given, uint64_t number, char parent[ORR_TRACEPARENT]);

#endif
