/* SPDX-License-Identifier: Apache-2.0 */
/* The thread that updates orrery_hosts and orrery_host_groups, the metrics about hosts. */
#ifndef ORR_API_WATCH_H
#define ORR_API_WATCH_H

#include "api/http/call.h"

struct orr_watch;

enum orr_code orr_watch_start(struct orr_app *app, struct orr_watch **ret_watch, struct orr_error *err) ORR_NO_DISCARD;
/* Ends a pass that is under way. NULL is allowed. */
void orr_watch_stop(struct orr_watch *watch);

#endif
