/* SPDX-License-Identifier: Apache-2.0 */
/* Serving, drawing and posting need libraries that take longer to load than most commands take to run: Graphviz,
 * libcurl, libmicrohttpd, libpq. They are linked with a second program, orrery-service. For the commands that need it,
 * `orrery` replaces itself by it (exec) with the same arguments; the user sees one program. */
#ifndef ORR_CLI_SERVICE_H
#define ORR_CLI_SERVICE_H

#include "cli/options.h"

/* Whether the command must continue in orrery-service; never true in orrery-service itself. */
bool orr_goes_to_service(const struct orr_options *options);
/* Starts orrery-service in place of this program. Returns an exit status only if that fails. */
int orr_go_to_service(char **arguments);
/* The worker that draws (engine/diagram/diagram_worker.h): the program itself, started as `orrery render-worker`. */
int orr_work_for_service(char **arguments);

#endif
