/* SPDX-License-Identifier: Apache-2.0 */
/* The program orrery-service, which has everything. */
#include "cli/service.h"
#include "engine/diagram/diagram_worker.h"

bool orr_goes_to_service(const struct orr_options *options)
{
    (void)options;
    return false;
}

int orr_go_to_service(char **arguments)
{
    (void)arguments;
    return ORR_EXIT_INPUT;
}

int orr_work_for_service(char **arguments)
{
    (void)arguments;
    return orr_render_worker_main();
}
